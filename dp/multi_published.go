package dp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/godp/dp/internal/ww"
)

// PathakRaj is the mechanism of Pathak and Raj as published, for study. It minimises
//
//	Σ_i Σ_{c≠y_i} ℓ_h + λ Σ_c tr(I_Φ Φ_c I_Φ) + Σ_c ⟨b, Φ_c⟩   over Φ_c ⪰ 0,
//
// with τ = 1, one perturbation b of density ∝ exp(−(ε/2)‖b‖_F) shared by all classes, and the loss read with margin 1 (as
// printed its middle and third branch have wrong signs). It is not private:
//
//   - The objective is bounded below only if λI_Φ + sym(b) ⪰ 0, which needs b_{d+1,d+1} ≥ 0: with probability at least ½ there
//     is no minimiser, and ErrUnbounded is returned. Whether it is returned does not depend on the data.
//   - b acts on the sum of all Φ_c only, on which the decisions do not depend. Where a minimiser exists, neighbours can have
//     outputs with disjoint supports: the privacy loss is infinite.
type PathakRaj struct {
	Eps     float64 // ε of the perturbation
	Lambda  float64 // λ > 0 of the trace
	H       float64 // 0 means 1/2
	Alpha   float64 // the paper's unspecified bound on the Hessian; 0 means C·r⁴/(2h), its value for this loss
	Rand    *Source // nil means Secure()
	MaxIter int     // 0 means 20000 projected gradient steps
}

// ErrUnbounded says that the published objective of Pathak and Raj has no minimiser for the perturbation that was drawn.
var ErrUnbounded = errors.New("dp: PathakRaj: the perturbed objective has no minimiser: λI_Φ + sym(b) is not positive semidefinite")

func (t PathakRaj) check(where string) error {
	if err := checkEps(where, t.Eps); err != nil {
		return err
	}
	switch {
	case !positive(t.Lambda):
		return badArg(where, "Lambda", t.Lambda, "the trace weight must be a finite number above 0")
	case t.H != 0 && !(t.H > 0 && t.H <= 1):
		return badArg(where, "H", t.H, "the Huber width must lie in (0, 1] (0 means 1/2)")
	case t.Alpha < 0 || math.IsInf(t.Alpha, 1) || math.IsNaN(t.Alpha):
		return badArg(where, "Alpha", t.Alpha, "must be finite and not negative")
	case t.MaxIter < 0:
		return badArg(where, "MaxIter", t.MaxIter, "must not be negative")
	}
	return nil
}

// Perturbation draws b, (d+1)×(d+1), with density ∝ exp(−(ε/2)‖b‖_F): norm Gamma((d+1)², 2/ε), direction uniform.
func (t PathakRaj) Perturbation(dim int, src *Source) [][]float64 {
	n := dim + 1
	flat := GammaNorm{Dim: n * n, Kappa: t.Eps / 2}.Sample(orSecure(src))
	b := make([][]float64, n)
	for i := range b {
		b[i] = flat[i*n : (i+1)*n]
	}
	return b
}

// Bounded tells whether the objective has a minimiser for perturbation b: λ_min(λI_Φ + sym(b)) ≥ 0.
func (t PathakRaj) Bounded(b [][]float64) (bool, error) {
	n := len(b)
	a := make([]float64, n*n)
	for i, row := range b {
		if len(row) != n {
			return false, badArg("PathakRaj.Bounded", fmt.Sprintf("b[%d]", i), fmt.Sprintf("%d entries", len(row)), fmt.Sprintf("b must be %d×%d", n, n))
		}
		for j := range row {
			a[i*n+j] = (b[i][j] + b[j][i]) / 2
		}
		if i < n-1 {
			a[i*n+i] += t.Lambda
		}
	}
	val, _, err := ww.Eigen(a, n, false)
	if err != nil {
		return false, err
	}
	return val[0] >= 0, nil
}

// Existence estimates the probability that the published objective has a minimiser, from draws of b alone: no data are
// involved. It is below ½ for all parameters.
func (t PathakRaj) Existence(dim, draws int, src *Source) (float64, error) {
	const where = "PathakRaj.Existence"
	if err := t.check(where); err != nil {
		return 0, err
	}
	if dim < 1 || draws < 1 {
		return 0, badArg(where, "dim, draws", fmt.Sprintf("%d, %d", dim, draws), "both must be at least 1")
	}
	src = orSecure(src)
	yes := 0
	for range draws {
		b := t.Perturbation(dim, src)
		if b[dim][dim] < 0 { // cannot be semidefinite: I_Φ is zero there
			continue
		}
		ok, err := t.Bounded(b)
		if err != nil {
			return 0, err
		}
		if ok {
			yes++
		}
	}
	return float64(yes) / float64(draws), nil
}

// Claim states what the paper claims, ε + ln(1+2α/(nλ)+α²/(n²λ²)), and what is true: nothing.
func (t PathakRaj) Claim(d *Data) (Guarantee, error) {
	const where = "PathakRaj"
	if err := t.check(where); err != nil {
		return Guarantee{}, err
	}
	if _, err := (LargeMargin{Tau: 1}).plan(where, d); err != nil {
		return Guarantee{}, err
	}
	classes := len(d.ClassNames())
	h := t.H
	if h == 0 {
		h = 0.5
	}
	alpha := t.Alpha
	if alpha == 0 {
		r2 := d.Radius()*d.Radius() + 1
		alpha = float64(classes) * r2 * r2 / (2 * h)
	}
	g := noGuarantee(fmt.Sprintf("objective perturbation of Pathak and Raj as published, ε = %g, λ = %g, one b for all classes", t.Eps, t.Lambda))
	g.ClaimedEps = t.Eps + prK(alpha, float64(d.Len()), t.Lambda)
	g.Theorem, g.Source = "Theorem 1 as published: false", pathakRaj+", Theorem 1"
	g.Assumptions = []Assumption{
		{Text: "the objective has a minimiser", Status: Violated, Detail: "with probability at least 1/2 it has none"},
		{Text: "the objective is strongly convex (Lemma 2)", Status: Violated, Detail: "it is affine along rays"},
		{Text: "the sensitivity of the gradient is at most 2 (Lemma 1)", Status: Violated, Detail: fmt.Sprintf("it is √2·C·r² = %.4g", prSens(classes, d.Radius()*d.Radius()+1))},
		{Text: "the perturbation hides the decisions", Status: Violated, Detail: "it acts on the sum over classes only; the privacy loss is infinite"},
	}
	g.Seeded = t.Rand != nil && t.Rand.Seeded()
	g.Leaks = d.Leaks()
	return g, nil
}

// Train runs the published mechanism: ErrUnbounded when there is no minimiser.
func (t PathakRaj) Train(d *Data) (*GaussianModel, error) {
	return t.TrainContext(ambientContext(), d)
}

// TrainContext is Train under a context.
func (t PathakRaj) TrainContext(ctx context.Context, d *Data) (*GaussianModel, error) {
	g, err := t.Claim(d)
	if err != nil {
		return nil, err
	}
	return t.with(ctx, d, t.Perturbation(d.Dim(), t.Rand), g)
}

// TrainWith runs the published mechanism with a given perturbation b, (d+1)×(d+1).
func (t PathakRaj) TrainWith(d *Data, b [][]float64) (*GaussianModel, error) {
	g, err := t.Claim(d)
	if err != nil {
		return nil, err
	}
	if len(b) != d.Dim()+1 {
		return nil, badArg("PathakRaj.TrainWith", "b", fmt.Sprintf("%d rows", len(b)), fmt.Sprintf("must be %d×%d", d.Dim()+1, d.Dim()+1))
	}
	return t.with(ambientContext(), d, b, g)
}

func (t PathakRaj) with(ctx context.Context, d *Data, b [][]float64, g Guarantee) (*GaussianModel, error) {
	const where = "PathakRaj"
	ok, err := t.Bounded(b)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrUnbounded
	}
	p, err := LargeMargin{H: t.H, Tau: 1, PSD: true}.plan(where, d)
	if err != nil {
		return nil, err
	}
	n := d.Dim() + 1
	lin := make([]float64, n*n)
	for i := range b {
		for j := range b {
			lin[i*n+j] = (b[i][j] + b[j][i]) / 2
		}
		if i < n-1 {
			lin[i*n+i] += t.Lambda
		}
	}
	p.prob.Lambda = 0
	p.prob.B = nil
	for range p.comp {
		p.prob.B = append(p.prob.B, ww.Full.Vector(lin, d.Dim())...)
	}
	iter := t.MaxIter
	if iter == 0 {
		iter = 20000
	}
	r, err := ww.MinimisePSD(ctx, p.prob, p.smoothness(), 1e-8, iter)
	if err != nil {
		return nil, multiError(where, err)
	}
	m := p.model(d, FullGaussian, r.W, g)
	m.Objective, m.Gradient, m.Iterations = float64(d.Len())*r.Value, float64(d.Len())*r.GradNorm, r.FISTA
	return m, nil
}

// Release trains on d with the given randomness and returns the released parameters.
func (t PathakRaj) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	m, err := t.Train(d)
	if err != nil {
		return nil, err
	}
	return slices.Concat(m.W...), nil
}
