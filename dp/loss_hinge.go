package dp

import "math"

// Hinge is ℓ(z) = max(0, 1−z), with L = 1 and C = +Inf: it is not smooth, so it can be used with output perturbation only.
// Grad is the subgradient −1 for z < 1 and 0 for z ≥ 1.
func Hinge() Loss {
	return Loss{
		Name: "hinge", L: 1, C: math.Inf(1),
		Value: func(z float64) float64 { return math.Max(0, 1-z) },
		Grad: func(z float64) float64 {
			if z < 1 {
				return -1
			}
			return 0
		},
		Hess: func(float64) float64 { return 0 },
	}
}
