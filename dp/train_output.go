package dp

import (
	"context"
	"fmt"
	"math"
)

// OutputPerturbation is the sensitivity method: f* + b, where f* minimises (1/n) Σ ℓ + (Λ/2)‖f‖² + r(f) and b has density
// ∝ e^{−κ‖b‖}, κ = ε/S. The minimisers of neighbouring data sets lie within 2LR/(nΛ) of each other; S adds twice the
// certified distance of the solver's iterate from the minimiser, so the release is ε-differentially private although the
// minimiser is approximate. The loss needs no derivative: the hinge is allowed.
// (Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 1; Chaudhuri, Monteleoni 2008, Algorithm 1.)
type OutputPerturbation struct {
	Eps    float64     // ε > 0, finite
	Lambda float64     // Λ > 0
	Loss   Loss        // zero: Huber(0.5)
	Reg    Regulariser // r, public; zero: none
	Rand   *Source     // nil: secure
	Ledger *Ledger     // charged before noise is drawn; nil: none
}

// OutputSensitivity is 2LR/(nΛ), the largest distance between the minimisers of data sets that differ in one replaced row.
// It is attained (one dimension, Huber loss, n odd).
func OutputSensitivity(n int, lambda, lipschitz, radius float64) float64 {
	return 2 * lipschitz * radius / (float64(n) * lambda)
}

// outputScale is the sensitivity of the solver's iterate and its certificate, from public facts.
func outputScale(d *Data, l Loss, lambda float64) (sens, tol float64) {
	slope, curv := rowBounds(l, d.radius, d.MaxWeight())
	a := float64(d.Len()) * lambda
	if !l.Smooth() {
		return 2 * slope / a * (1 + hingeShare), math.NaN()
	}
	tol = tolerance(d.Len(), slope, curv)
	// Twice the certified distance tol/a from each of two iterates covers the rounding of an iterate to one float64 vector.
	return (2*slope + 4*tol) / a, tol
}

// Claim is the guarantee for data of this shape.
func (t OutputPerturbation) Claim(d *Data) (Guarantee, error) {
	const where = "OutputPerturbation"
	if err := checkEps(where, t.Eps); err != nil {
		return Guarantee{}, err
	}
	l := defaultLoss(t.Loss)
	if err := checkOutput(where, d, l, t.Lambda, t.Reg); err != nil {
		return Guarantee{}, err
	}
	sens, tol := outputScale(d, l, t.Lambda)
	g := Guarantee{Eps: t.Eps, Rho: t.Eps * t.Eps / 2, ClaimedEps: math.NaN(), Neighbours: ReplaceOne, Certificate: tol,
		Mechanism: fmt.Sprintf("output perturbation, ε = %g, Λ = %g, %s loss%s; κ = %.6g", t.Eps, t.Lambda, l.Name, t.Reg.suffix(), t.Eps/sens),
		Theorem:   "‖f*(D) − f*(D')‖ ≤ 2LR/(nΛ); noise density ∝ exp(−ε‖b‖/S), S = 2LR/(nΛ) + twice the solver's certified distance",
		Source:    "Chaudhuri, Monteleoni, Sarwate 2011, Theorem 6 (Algorithm 1)"}
	g.Assumptions = append(commonAssumptions(d, l), Assumption{"the iterate is within its certified distance of the minimiser", Enforced, "an uncertified iterate is never released"})
	return finish(g, d, t.Rand), nil
}

func checkOutput(where string, d *Data, l Loss, lambda float64, r Regulariser) error {
	if !positive(lambda) {
		return badArg(where, "Lambda", lambda, "the regularisation must be a finite number above 0: without it the sensitivity is unbounded")
	}
	if err := checkTraining(where, d, l); err != nil {
		return err
	}
	return r.check(where, d.Dim())
}

// finish adds what the data and the source say about themselves.
func finish(g Guarantee, d *Data, src *Source) Guarantee {
	g.Seeded = src != nil && src.Seeded()
	g.Leaks = d.Leaks()
	return g
}

// outputMinimiser is the non-private part of output perturbation.
func outputMinimiser(ctx context.Context, where string, d *Data, l Loss, lambda float64, r Regulariser) ([]float64, error) {
	a := float64(d.Len()) * lambda
	if !l.Smooth() {
		f, _, err := minimiseHinge(ctx, where, d, l, a, r)
		return f, err
	}
	_, tol := outputScale(d, l, lambda)
	res, err := minimise(ctx, where, problem(d, l, a, nil), r, tol)
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
	f, err := outputMinimiser(ctx, where, d, l, t.Lambda, t.Reg)
	if err != nil {
		return nil, err
	}
	sens, _ := outputScale(d, l, t.Lambda)
	noise := GammaNorm{Dim: d.Dim(), Kappa: t.Eps / sens}
	b := noise.Sample(orSecure(t.Rand))
	for j := range f {
		f[j] += b[j]
	}
	t.Reg.restore(f, 0)
	return newModel(d, f, l, g, map[string]float64{"Eps": t.Eps, "Lambda": t.Lambda, "Kappa": noise.Kappa, "n": float64(d.Len())}), nil
}

// Release trains with the given randomness and returns the weights.
func (t OutputPerturbation) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	return weightsOf(t.Train(d))
}
