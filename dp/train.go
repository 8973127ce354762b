package dp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"example.org/godp/dp/internal/solve"
)

// solverShare is the default share of ε that pays for the solver's residual. The residual is so small that this share buys
// noise of a relative size around 1e-5; see certifiedNoise.
const solverShare = 0x1p-12

// tolerance is the certified bound on the gradient norm of the sum-form objective, fixed by public facts before the data
// are seen: 1e-9, or more for data so large that float64 evaluations of the loss are themselves less accurate.
func tolerance(n int, slope, curv float64) float64 {
	return math.Max(1e-9*math.Min(1, slope), float64(n)*(slope*0x1p-46+math.Min(curv, 1e6*slope)*0x1p-50))
}

// certifiedNoise is the noise that makes an approximate minimiser as private as the exact one: every iterate with certified
// gradient norm τ (sum form) lies within τ/a of the minimiser, so releasing f̃ + z with z ~ GammaNorm(d, ε₂a/(2τ)) costs
// ε₂ more than releasing the minimiser.
func certifiedNoise(dim int, eps2, a, tau float64) GammaNorm {
	return GammaNorm{Dim: dim, Kappa: eps2 * a / (2 * tau)}
}

// checkTraining validates everything about data and loss that does not depend on the algorithm.
func checkTraining(where string, d *Data, l Loss) error {
	if d == nil || d.Len() == 0 {
		return badArg(where, "d", "no data", "at least one row is required")
	}
	if !d.Binary() {
		return badArg(where, "d", "data with classes", "labels must be -1 and +1; for classes use one of the multiclass trainers")
	}
	if err := l.Check(); err != nil {
		return err
	}
	return nil
}

// defaultLoss resolves the zero value of a Loss field.
func defaultLoss(l Loss) Loss {
	if l.Value == nil && l.Grad == nil && l.Name == "" {
		return Huber(0.5)
	}
	return l
}

// problem is the sum-form objective of the data: Σ w ℓ + (a/2)‖f‖² + bᵀf.
func problem(d *Data, l Loss, a float64, b []float64) *solve.Problem {
	return &solve.Problem{X: &d.x, Y: d.y, W: d.weight, Eval: l.eval, C: l.C * d.MaxWeight(), Reg: a, Lin: b, Radius: d.radius}
}

// minimise runs the solver and turns its errors into the package's.
func minimise(ctx context.Context, where string, p *solve.Problem, r Regulariser, tol float64) (*solve.Result, error) {
	return solveFrom(ctx, where, p, r, nil, tol)
}

// solveFrom is minimise with a starting point (nil: zero).
func solveFrom(ctx context.Context, where string, p *solve.Problem, r Regulariser, start []float64, tol float64) (*solve.Result, error) {
	if err := cancelled(ctx, where); err != nil {
		return nil, err
	}
	var res *solve.Result
	var err error
	if r.none() {
		res, err = solve.Minimise(ctx, p, start, tol)
	} else {
		res, err = solve.MinimiseProx(ctx, p, r.scaled(float64(p.X.N)), start, tol)
	}
	if err == nil {
		return res, nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil, &Interrupted{Where: where, Err: err}
	}
	return nil, fmt.Errorf("dp: %s: %w", where, err)
}

// perturb returns the iterate plus z, rounded once at the end, with the zeros and constraints of r restored; size is a public
// bound that ‖z‖ exceeds with negligible probability.
func perturb(res *solve.Result, z []float64, r Regulariser, size float64) []float64 {
	w := make([]float64, len(res.Hi))
	for j := range w {
		w[j] = res.Hi[j] + (res.Lo[j] + z[j])
	}
	r.restore(w, size)
	return w
}

// reach is a radius that the norm exceeds with probability 10⁻¹².
func (g GammaNorm) reach() float64 { return g.NormQuantile(1 - 1e-12) }

// floatAssumption is what every mechanism with continuous noise assumes.
const floatAssumption = "arithmetic on real numbers"

// commonAssumptions are those of every trainer on rows in a ball.
func commonAssumptions(d *Data, l Loss) []Assumption {
	as := []Assumption{
		{fmt.Sprintf("‖x‖ ≤ R = %g for every row", d.radius), Enforced, "each row clipped by its own norm"},
		{"labels in {-1, +1}", Enforced, "other labels are refused"},
	}
	detail := fmt.Sprintf("L = %g, C = %g tested on a grid of margins", l.L, l.C)
	if !l.Smooth() {
		detail = fmt.Sprintf("L = %g tested on a grid of margins", l.L)
	}
	as = append(as, Assumption{"the loss is convex and non-increasing with the stated constants", Checked, detail})
	if d.weight != nil {
		as = append(as, Assumption{fmt.Sprintf("sample weights in [0, %g]", d.maxW), Enforced, "clipped"})
	}
	if d.fmap != nil {
		as = append(as, Assumption{"the feature map does not depend on the private data", Assumed, d.fmap.Kind()})
	}
	return append(as,
		Assumption{"one person contributes one row", Assumed, "k rows: kε"},
		Assumption{"bounds, parameters and columns were chosen without looking at the data", Assumed, ""},
		Assumption{floatAssumption, Assumed, "floating-point noise has a lattice (Mironov 2012)"})
}
