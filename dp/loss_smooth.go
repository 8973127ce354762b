package dp

import (
	"fmt"
	"math"
)

// SmoothHinge is the twice continuously differentiable hinge of Chaudhuri, Monteleoni and Sarwate (2011): with u = 1−z,
// 0 for u < −h, −u⁴/(16h³) + 3u²/(8h) + u/2 + 3h/16 for |u| ≤ h, and u for u > h; L = 1, C = 3/(4h).
// h must be finite and above 0; Check reports otherwise.
func SmoothHinge(h float64) Loss {
	at := func(z float64) (v, g, c float64) {
		u := 1 - z
		switch {
		case u < -h:
			return 0, 0, 0
		case u > h:
			return u, -1, 0
		}
		t := u / h
		t2 := t * t
		return h * (-t2*t2/16 + 3*t2/8 + t/2 + 3.0/16), -(-t2*t/4 + 3*t/4 + 0.5), 3 / (4 * h) * (1 - t2)
	}
	return constructed(Loss{
		Name: fmt.Sprintf("smooth hinge(h=%g)", h), problem: checkWidth("SmoothHinge", h), L: 1, C: 3 / (4 * h),
		Value: func(z float64) float64 { v, _, _ := at(z); return v },
		Grad:  func(z float64) float64 { _, g, _ := at(z); return g },
		Hess:  func(z float64) float64 { _, _, c := at(z); return c },
		HessBound: func(lo, hi float64) float64 {
			if lo <= 1 && 1 <= hi {
				return 3 / (4 * h)
			}
			t := math.Min(math.Abs(1-lo), math.Abs(1-hi)) / h
			return 3 / (4 * h) * math.Max(0, 1-t*t) * (1 + 0x1p-50)
		},
		Batch: func(z, value, grad, hess []float64) {
			for i, zi := range z {
				v, g, c := at(zi)
				if value != nil {
					value[i] = v
				}
				if grad != nil {
					grad[i] = g
				}
				if hess != nil {
					hess[i] = c
				}
			}
		},
	}, "smooth hinge", h)
}
