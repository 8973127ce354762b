package dp

import (
	"fmt"
	"math"
)

// Huber is the Huber hinge: 0 for z > 1+h, (1+h−z)²/(4h) for |1−z| ≤ h, and 1−z for z < 1−h; L = 1, C = 1/(2h).
// h must be finite and above 0; Check reports otherwise. (Chapelle 2007; Chaudhuri, Monteleoni, Sarwate 2011, eq. 7.)
func Huber(h float64) Loss {
	inv := 1 / (2 * h)
	l := Loss{
		Name: fmt.Sprintf("huber(h=%g)", h), problem: checkWidth("Huber", h), L: 1, C: inv,
		Value: func(z float64) float64 {
			switch u := 1 - z; {
			case u < -h:
				return 0
			case u > h:
				return u
			default:
				return (u + h) * (u + h) * inv / 2
			}
		},
		Grad: func(z float64) float64 {
			switch u := 1 - z; {
			case u < -h:
				return 0
			case u > h:
				return -1
			default:
				return -(u + h) * inv
			}
		},
		Hess: func(z float64) float64 {
			if math.Abs(1-z) <= h {
				return inv
			}
			return 0
		},
	}
	l.Batch = func(z, value, grad, hess []float64) {
		for i, zi := range z {
			u := 1 - zi
			v, g, c := 0.0, 0.0, 0.0
			if u > h {
				v, g = u, -1
			} else if u >= -h {
				t := u + h
				v, g, c = t*t*inv/2, -t*inv, inv
			}
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
	}
	return constructed(l, "huber", h)
}
