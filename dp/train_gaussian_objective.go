package dp

import (
	"context"
	"fmt"
	"math"
)

// GaussianObjectivePerturbation is ObjectivePerturbation with Gaussian noise b ~ N(0, σ²I), (ε, δ)-differentially private by the
// privacy profile ObjectiveDelta: in d dimensions the noise has norm about σ√d instead of d/κ. Regularisation and the
// solver's residual are treated as there.
//
// Under add/remove one slope vector of length at most G enters, the corners of the proof at ObjectiveDelta are 0 and u₁, and the
// profile is that of the Gaussian mechanism with sensitivity G: δ(ε) ≤ δ_G(ε−j; G/σ).
// (After Redberg, Koskela, Wang 2023; profile under replace-one proved at ObjectiveDelta.)
type GaussianObjectivePerturbation struct {
	Eps    float64     // ε > 0, finite
	Delta  float64     // 0 < δ < 1
	Lambda float64     // Λ ≥ 0; 0: tuning-free
	Loss   Loss        // smooth; zero: Huber(0.5)
	Rho    float64     // share of ε for the Jacobian, in (0, 1); 0: 1/2, or 1/20 when Lambda = 0
	Reg    Regulariser // convex and public; zero: none
	Rand   *Source     // nil: secure
	Ledger *Ledger     // charged before noise is drawn; nil: none

	Neighbours Neighbours // zero: ReplaceOne; AddRemove: see ObjectivePerturbation
	SumReg     float64    // a₀ ≥ 0, regularisation in sum form, in place of nΛ; 0: Lambda, or tuning-free

	SolverShare float64 // share of Eps that pays for the solver's residual, in (0, 1/2]; 0: 2⁻¹²
}

// gaussianPlan is what the calibration decides: Δ, a = n(Λ+Δ), σ, and ε₂.
type gaussianPlan struct{ extra, a, sigma, eps2 float64 }

func (t GaussianObjectivePerturbation) claim(d *Data) (g Guarantee, p gaussianPlan, err error) {
	const where = "GaussianObjectivePerturbation"
	if err := checkDelta(where, t.Delta); err != nil {
		return g, p, err
	}
	// The Laplace-type trainer has the same arguments, checks and rule for Δ.
	twin := ObjectivePerturbation{Eps: t.Eps, Lambda: t.Lambda, Loss: t.Loss, Rho: t.Rho, Reg: t.Reg, SolverShare: t.SolverShare, Neighbours: t.Neighbours, SumReg: t.SumReg}
	tg, tp, err := twin.claim(d)
	if err != nil {
		return g, p, err
	}
	l := defaultLoss(t.Loss)
	slope, curv := rowBounds(l, d.radius, d.MaxWeight())
	p = gaussianPlan{extra: tp.Delta, a: tp.A, eps2: t.Eps * twin.share()}
	rest := t.Eps - p.eps2 - math.Log1p(curv/p.a)
	p.sigma = slope * objectiveSigma(rest, t.Delta)
	g = tg
	if t.Neighbours == AddRemove {
		if p.sigma, err = GaussianSigma(rest, t.Delta, slope); err != nil {
			return g, p, err
		}
	}
	g.Delta, g.Rho = t.Delta, math.NaN()
	g.Mechanism = fmt.Sprintf("objective perturbation with Gaussian noise, ε = %g, δ = %g, Λ = %g, Δ = %.6g, σ = %.6g, %s loss%s", t.Eps, t.Delta, t.Lambda, p.extra, p.sigma, l.Name, t.Reg.suffix())
	g.Theorem = "δ ≤ δ_G(ε₁−j; 2LR/σ) + 2δ_G(ε₁−j; LR/σ), j = ln(1 + CR²/(n(Λ+Δ))), ε = ε₁ + ε₂, ε₂ for the solver's residual"
	g.Source = "after Redberg, Koskela, Wang 2023; profile under replace-one: see the documentation of ObjectiveDelta"
	if t.Neighbours == AddRemove {
		g.Mechanism = fmt.Sprintf("objective perturbation with Gaussian noise, ε = %g, δ = %g, a = %.6g in sum form, σ = %.6g, %s loss%s", t.Eps, t.Delta, p.a, p.sigma, l.Name, t.Reg.suffix())
		g.Theorem = "δ ≤ δ_G(ε₁−j; LR/σ), j = ln(1 + CR²/a), ε = ε₁ + ε₂, ε₂ for the solver's residual"
		g.Source = "after Redberg, Koskela, Wang 2023; see the documentation of GaussianObjectivePerturbation"
	}
	return finish(g, d, t.Rand), p, nil
}

// Claim is the guarantee for data of this shape.
func (t GaussianObjectivePerturbation) Claim(d *Data) (Guarantee, error) {
	g, _, err := t.claim(d)
	return g, err
}

// Train fits d under the ambient context.
func (t GaussianObjectivePerturbation) Train(d *Data) (*Model, error) {
	return t.TrainContext(ambientContext(), d)
}

// TrainContext charges the ledger, draws the noise and fits d; see ObjectivePerturbation.
func (t GaussianObjectivePerturbation) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	const where = "GaussianObjectivePerturbation"
	g, p, err := t.claim(d)
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
	src := orSecure(t.Rand)
	b := make([]float64, d.Dim())
	for j := range b {
		b[j] = p.sigma * src.Norm()
	}
	zl := certifiedNoise(d.Dim(), p.eps2, p.a, g.Certificate)
	z := zl.Sample(src)
	form, err := resolveForm(where, t.Neighbours, d.Len(), t.Lambda, t.SumReg)
	if err != nil {
		return nil, err
	}
	res, err := minimise(ctx, where, problem(d, l, p.a, b), form.reg(t.Reg), g.Certificate)
	if err != nil {
		return nil, err
	}
	params := map[string]float64{"Eps": t.Eps, "Delta": t.Delta, "Lambda": t.Lambda, "Extra": p.extra, "Sigma": p.sigma}
	if form.a = p.a; form.private() {
		delete(params, "Extra")
	}
	return newModel(d, perturb(res, z, t.Reg, zl.reach()), l, g, form.addPublic(params, d.Len())), nil
}

// Release trains with the given randomness and returns the weights.
func (t GaussianObjectivePerturbation) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	return weightsOf(t.Train(d))
}
