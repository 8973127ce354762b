package dp

import (
	"context"
	"fmt"
	"math"
)

// GaussianOutputPerturbation is output perturbation with Gaussian noise: f* + N(0, σ²I), (ε, δ)-differentially private with σ
// from the analytic Gaussian mechanism at the sensitivity S of OutputPerturbation (the solver's certified distance
// included), and S²/(2σ²)-zCDP. In d dimensions its noise has norm about σ√d instead of dS/ε.
// (Balle, Wang 2018; Chaudhuri, Monteleoni, Sarwate 2011 for S.)
type GaussianOutputPerturbation struct {
	Eps    float64     // ε > 0, finite
	Delta  float64     // 0 < δ < 1
	Lambda float64     // Λ > 0; 0: SumReg
	Loss   Loss        // zero: Huber(0.5)
	Reg    Regulariser // public; zero: none
	Rand   *Source     // nil: secure
	Ledger *Ledger     // charged before noise is drawn; nil: none

	Neighbours Neighbours // zero: ReplaceOne; AddRemove: see OutputPerturbation
	SumReg     float64    // a > 0, regularisation in sum form, in place of nΛ; 0: Lambda
}

func (t GaussianOutputPerturbation) claim(d *Data) (g Guarantee, sigma float64, err error) {
	const where = "GaussianOutputPerturbation"
	if err := checkEps(where, t.Eps); err != nil {
		return g, 0, err
	}
	if err := checkDelta(where, t.Delta); err != nil {
		return g, 0, err
	}
	l := defaultLoss(t.Loss)
	form, err := checkOutput(where, d, l, t.Neighbours, t.Lambda, t.SumReg, t.Reg)
	if err != nil {
		return g, 0, err
	}
	sens, tol := outputScale(d, l, form)
	sigma, err = GaussianSigma(t.Eps, t.Delta, sens)
	if err != nil {
		return g, 0, err
	}
	g = Guarantee{Eps: t.Eps, Delta: t.Delta, Rho: GaussianToZCDP(sens, sigma), ClaimedEps: math.NaN(), Neighbours: form.neighbours, Certificate: tol,
		Mechanism: fmt.Sprintf("output perturbation with Gaussian noise, ε = %g, δ = %g, %s, %s loss%s; σ = %.6g", t.Eps, t.Delta, form.label(t.Lambda), l.Name, t.Reg.suffix(), sigma),
		Theorem:   "δ = Φ(S/2σ − εσ/S) − e^ε Φ(−S/2σ − εσ/S), S = " + form.sensitivity() + " + twice the solver's certified distance",
		Source:    "Balle, Wang 2018, Theorem 8; Chaudhuri, Monteleoni, Sarwate 2011 for the sensitivity"}
	g.Assumptions = append(form.assume(commonAssumptions(d, l)), Assumption{"the iterate is within its certified distance of the minimiser", Enforced, "an uncertified iterate is never released"})
	return finish(g, d, t.Rand), sigma, nil
}

// Claim is the guarantee for data of this shape.
func (t GaussianOutputPerturbation) Claim(d *Data) (Guarantee, error) {
	g, _, err := t.claim(d)
	return g, err
}

// Train fits d under the ambient context.
func (t GaussianOutputPerturbation) Train(d *Data) (*Model, error) {
	return t.TrainContext(ambientContext(), d)
}

// TrainContext charges the ledger, fits d and adds the noise; see OutputPerturbation.
func (t GaussianOutputPerturbation) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	const where = "GaussianOutputPerturbation"
	g, sigma, err := t.claim(d)
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
	src := orSecure(t.Rand)
	for j := range f {
		f[j] += sigma * src.Norm()
	}
	t.Reg.restore(f, 0)
	return newModel(d, f, l, g, form.addPublic(map[string]float64{"Eps": t.Eps, "Delta": t.Delta, "Lambda": t.Lambda, "Sigma": sigma}, d.Len())), nil
}

// Release trains with the given randomness and returns the weights.
func (t GaussianOutputPerturbation) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	return weightsOf(t.Train(d))
}

// weightsOf adapts a training to the Mechanism interface.
func weightsOf(m *Model, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	return m.Weights, nil
}
