package dp

import (
	"context"
	"fmt"
	"math"
)

// hingeShare is the share of the sensitivity that the distance to the exact hinge minimiser may add.
const hingeShare = 0x1p-8

// minimiseHinge minimises Σ w max(0, 1−z)·L + (a/2)‖f‖² + r(f) to a certified duality gap, fixed by public facts, and returns
// a point and the bound on its distance from the minimiser, hingeShare·LR·w/a.
//
// Method: a sequence of Huber losses with shrinking h. At a minimiser for h, α_i = −ℓ_h'(z_i) is feasible for the hinge's dual
// and the gap between primal and dual is Σ w[max(0,1−z_i) − α_i(1−z_i)] plus what the residual gradient τ adds, τ²/(2a); by
// strong convexity ‖f − f*‖ ≤ √(2·gap/a). r does not enter the gap: subgradients of r cancel at the smoothed minimiser.
func minimiseHinge(ctx context.Context, where string, d *Data, l Loss, a float64, r Regulariser) (f []float64, dist float64, err error) {
	if l.Name != "hinge" || l.Value(0) != 1 || l.Value(2) != 0 || l.L != 1 {
		return nil, 0, badArg(where, "Loss", l.Name, "a loss that is not smooth must be Hinge()")
	}
	slope, _ := rowBounds(l, d.radius, d.MaxWeight())
	dist = hingeShare * slope / a
	// √(2 gap/a) ≤ dist, with room for the float error of the gap itself.
	target := 0.4 * dist * dist * a
	var start []float64
	for h := 0.5; h > 1e-15; h /= 8 {
		hub := Huber(h)
		p := problem(d, hub, a, nil)
		tol := math.Max(1e-9*slope, float64(d.Len())*slope*0x1p-44)
		tol = math.Max(tol, 0.01*math.Sqrt(2*a*target))
		res, err := solveFrom(ctx, where, p, r, start, tol)
		if err != nil {
			return nil, 0, err
		}
		gap := tol * tol / (2 * a)
		for i := range d.Len() {
			z := d.y[i] * d.Dot(i, res.Hi)
			wt := 1.0
			if d.weight != nil {
				wt = d.weight[i]
			}
			if u := 1 - z; math.Abs(u) <= h {
				gap += wt * (math.Max(0, u) + hub.Grad(z)*u)
			}
		}
		if gap <= target {
			return res.Hi, dist, nil
		}
		start = res.Hi
	}
	return nil, 0, fmt.Errorf("dp: %s: the duality gap of the hinge loss could not be brought to %.3g; nothing was released", where, target)
}
