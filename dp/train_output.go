package dp

import (
	"context"
	"fmt"
	"math"
)

// OutputPerturbation is the sensitivity method: f* + b, where f* minimises (1/n) Σ ℓ + (Λ/2)‖f‖² + r(f) and b has density
// ∝ e^{−κ‖b‖}, κ = ε/S. The minimisers of neighbouring data sets lie within 2LR/(nΛ) of each other; S adds twice the
// certified distance of the solver's iterate from the minimiser, so the release is ε-differentially private although the
// minimiser is approximate. The loss needs no derivative: the hinge is allowed. Under add/remove neighbours the minimisers of the
// sum form with a fixed regularisation a lie within LR/a: by strong monotonicity of its gradient, a‖δ‖² ≤ LR‖δ‖.
// (Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 1; Chaudhuri, Monteleoni 2008, Algorithm 1.)
type OutputPerturbation struct {
	Eps    float64     // ε > 0, finite
	Lambda float64     // Λ > 0; 0: SumReg
	Loss   Loss        // zero: Huber(0.5)
	Reg    Regulariser // r, public; zero: none
	Rand   *Source     // nil: secure
	Ledger *Ledger     // charged before noise is drawn; nil: none

	// Neighbours is the relation of the guarantee; zero: ReplaceOne. Under AddRemove the number of rows is private: Lambda must
	// be 0 and SumReg above 0, the sensitivity is LR/SumReg plus the solver's share, and Reg is added to the sum form
	// without a factor n.
	Neighbours Neighbours
	SumReg     float64 // a > 0, regularisation of the sum form Σℓ + (a/2)‖f‖², in place of nΛ; 0: Lambda
}

// OutputSensitivity is 2LR/(nΛ), the largest distance between the minimisers of data sets that differ in one replaced row.
// It is attained (one dimension, Huber loss, n odd).
func OutputSensitivity(n int, lambda, lipschitz, radius float64) float64 {
	return 2 * lipschitz * radius / (float64(n) * lambda)
}

// outputScale is the sensitivity of the solver's iterate and its certificate, from public facts.
func outputScale(d *Data, l Loss, form sumForm) (sens, tol float64) {
	slope, curv := rowBounds(l, d.radius, d.MaxWeight())
	rows := 2.0 // that change
	if form.private() {
		rows = 1
	}
	if !l.Smooth() {
		return slope / form.a * (rows + 2*hingeShare), math.NaN()
	}
	tol = tolerance(form.rows, slope, curv)
	// Twice the certified distance tol/a from each of two iterates covers the rounding of an iterate to one float64 vector.
	return (rows*slope + 4*tol) / form.a, tol
}

// Claim is the guarantee for data of this shape.
func (t OutputPerturbation) Claim(d *Data) (Guarantee, error) {
	const where = "OutputPerturbation"
	if err := checkEps(where, t.Eps); err != nil {
		return Guarantee{}, err
	}
	l := defaultLoss(t.Loss)
	form, err := checkOutput(where, d, l, t.Neighbours, t.Lambda, t.SumReg, t.Reg)
	if err != nil {
		return Guarantee{}, err
	}
	sens, tol := outputScale(d, l, form)
	s := form.sensitivity()
	g := Guarantee{Eps: t.Eps, Rho: t.Eps * t.Eps / 2, ClaimedEps: math.NaN(), Neighbours: form.neighbours, Certificate: tol,
		Mechanism: fmt.Sprintf("output perturbation, ε = %g, %s, %s loss%s; κ = %.6g", t.Eps, form.label(t.Lambda), l.Name, t.Reg.suffix(), t.Eps/sens),
		Theorem:   "‖f*(D) − f*(D')‖ ≤ " + s + "; noise density ∝ exp(−ε‖b‖/S), S = " + s + " + twice the solver's certified distance",
		Source:    "Chaudhuri, Monteleoni, Sarwate 2011, Theorem 6 (Algorithm 1)"}
	g.Assumptions = append(form.assume(commonAssumptions(d, l)), Assumption{"the iterate is within its certified distance of the minimiser", Enforced, "an uncertified iterate is never released"})
	return finish(g, d, t.Rand), nil
}

func checkOutput(where string, d *Data, l Loss, nb Neighbours, lambda, sum float64, r Regulariser) (form sumForm, err error) {
	switch {
	case sum == 0 && nb == AddRemove && lambda == 0:
		return form, badArg(where, "SumReg", sum, "under dp.AddRemove the regularisation is given in sum form and must be above 0: without it the sensitivity is unbounded")
	case sum == 0 && !positive(lambda):
		return form, badArg(where, "Lambda", lambda, "the regularisation must be a finite number above 0: without it the sensitivity is unbounded")
	}
	if err := checkTraining(where, d, l); err != nil {
		return form, err
	}
	if form, err = resolveForm(where, nb, d.Len(), lambda, sum); err != nil {
		return form, err
	}
	return form, r.check(where, d.Dim())
}

// sensitivity is the formula of the distance of the minimisers of neighbours.
func (s sumForm) sensitivity() string {
	if s.private() {
		return "LR/a"
	}
	return "2LR/(nΛ)"
}

// label names the regularisation.
func (s sumForm) label(lambda float64) string {
	switch {
	case s.private():
		return fmt.Sprintf("a = %g in sum form", s.a)
	case lambda == 0:
		return fmt.Sprintf("nΛ = %g", s.a)
	}
	return fmt.Sprintf("Λ = %g", lambda)
}

// finish adds what the data and the source say about themselves.
func finish(g Guarantee, d *Data, src *Source) Guarantee {
	g.Seeded = src != nil && src.Seeded()
	g.Leaks = d.Leaks()
	return g
}

// outputMinimiser is the non-private part of output perturbation.
func outputMinimiser(ctx context.Context, where string, d *Data, l Loss, form sumForm, r Regulariser) ([]float64, error) {
	if !l.Smooth() {
		f, _, err := minimiseHinge(ctx, where, d, l, form.a, form.reg(r))
		return f, err
	}
	_, tol := outputScale(d, l, form)
	res, err := minimise(ctx, where, problem(d, l, form.a, nil), form.reg(r), tol)
	if err != nil {
		return nil, err
	}
	return res.Hi, nil
}

// Train fits d under the ambient context.
func (t OutputPerturbation) Train(d *Data) (*Model, error) {
	return t.TrainContext(ambientContext(), d)
}

// TrainContext charges the ledger, draws the noise and fits d. It fails on bad arguments, an exhausted ledger and a done
// context, before anything is drawn.
func (t OutputPerturbation) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	const where = "OutputPerturbation"
	g, err := t.Claim(d)
	if err != nil {
		return nil, err
	}
	if err := cancelled(ctx, where); err != nil {
		return nil, err
	}
	if err := t.Ledger.ChargeOn(d, where, g); err != nil {
		return nil, err
	}
	l := defaultLoss(t.Loss)
	form, err := resolveForm(where, t.Neighbours, d.Len(), t.Lambda, t.SumReg)
	if err != nil {
		return nil, err
	}
	f, err := outputMinimiser(ctx, where, d, l, form, t.Reg)
	if err != nil {
		return nil, err
	}
	sens, _ := outputScale(d, l, form)
	noise := GammaNorm{Dim: d.Dim(), Kappa: t.Eps / sens}
	b := noise.Sample(orSecure(t.Rand))
	for j := range f {
		f[j] += b[j]
	}
	t.Reg.restore(f, 0)
	return newModel(d, f, l, g, form.addPublic(map[string]float64{"Eps": t.Eps, "Lambda": t.Lambda, "Kappa": noise.Kappa}, d.Len())), nil
}

// Release trains with the given randomness and returns the weights.
func (t OutputPerturbation) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	return weightsOf(t.Train(d))
}
