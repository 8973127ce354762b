package dp

import "math"

// Logistic is ℓ(z) = ln(1 + e^{-z}), with L = 1 and C = 1/4.
func Logistic() Loss {
	return constructed(Loss{
		Name: "logistic", L: 1, C: 0.25, logistic: true,
		Value: func(z float64) float64 {
			if z > 0 {
				return math.Log1p(math.Exp(-z))
			}
			return -z + math.Log1p(math.Exp(z))
		},
		Grad: func(z float64) float64 {
			if z > 0 {
				e := math.Exp(-z)
				return -e / (1 + e)
			}
			return -1 / (1 + math.Exp(z))
		},
		Hess: func(z float64) float64 {
			e := math.Exp(-math.Abs(z))
			return e / ((1 + e) * (1 + e))
		},
		Batch: logisticBatch,
	}, "logistic", 0)
}

// logisticBatch shares one exponential between the three outputs.
func logisticBatch(z, value, grad, hess []float64) {
	for i, zi := range z {
		e := math.Exp(-math.Abs(zi))
		if value != nil {
			v := math.Log1p(e)
			if zi < 0 {
				v -= zi
			}
			value[i] = v
		}
		q := 1 / (1 + e)
		if grad != nil {
			if zi > 0 {
				grad[i] = -e * q
			} else {
				grad[i] = -q
			}
		}
		if hess != nil {
			hess[i] = e * q * q
		}
	}
}
