package dp

import (
	"context"
	"fmt"
	"math"
)

// ApproximateMinima is approximate-minimum perturbation: Gaussian noise in the objective, any iterate with certified mean-form
// gradient norm Gamma, Gaussian noise on the output that hides which one. (ε, δ)-differentially private.
//
//	minimise (1/n)Σℓ + (Λ_s/2n)‖f‖² + b₁ᵀf to ‖∇‖ ≤ γ, release f̃ + b₂ ,
//	Λ_s = rB/(ε₁−ε₃),  σ₁ = (2G/n)(1+√(2 ln(1/δ₁)))/ε₃,  σ₂ = (2nγ/Λ_s)(1+√(2 ln(1/δ₂)))/ε₂,  ε = ε₁+ε₂, δ = δ₁+δ₂ ,
//
// with r = 2 under replace-one. σ₂ is twice the published value: two γ-approximate minima of the same objective can be 2nγ/Λ_s
// apart. γ is a constant; the solver never retries with a larger one, because a γ that depends on the data is a leak.
// (Iyengar, Near, Song, Thakkar, Thakurta, Wang 2019.)
type ApproximateMinima struct {
	Eps    float64     // ε > 0, finite
	Delta  float64     // 0 < δ < 1
	Loss   Loss        // smooth; zero: Huber(0.5)
	Gamma  float64     // γ > 0; 0: 1/n²
	Eps2   float64     // ε₂, the output's share; 0: ε/100
	Eps3   float64     // ε₃, with 0 < ε₁−ε₃ < 1; 0: max(0.9ε₁, ε₁−0.99)
	Delta2 float64     // δ₂; 0: δ/100
	Reg    Regulariser // convex and public; zero: none
	Rand   *Source     // nil: secure
	Ledger *Ledger     // charged before noise is drawn; nil: none
}

// AMPParams are the constants of ApproximateMinima.
type AMPParams struct {
	Lambda          float64 // Λ_s, sum-form regularisation
	Sigma1          float64 // of b₁, mean form
	Sigma2          float64 // of b₂ as used: safe
	Sigma2Published float64 // half of it
	Gamma           float64
	Eps1, Eps2      float64
	Eps3            float64
	Delta1, Delta2  float64
}

// Params is the calibration for n rows with slope bound G = LR and curvature bound B = CR² a row.
func (t ApproximateMinima) Params(n int, slope, curv float64) (AMPParams, error) {
	const where = "ApproximateMinima"
	p := AMPParams{Eps2: t.Eps2, Eps3: t.Eps3, Delta2: t.Delta2, Gamma: t.Gamma}
	if err := checkObjective(where, n, 0, t.Eps, slope, curv); err != nil {
		return p, err
	}
	if err := checkDelta(where, t.Delta); err != nil {
		return p, err
	}
	nf := float64(n)
	if p.Eps2 == 0 {
		p.Eps2 = t.Eps / 100
	}
	p.Eps1 = t.Eps - p.Eps2
	if p.Eps3 == 0 {
		p.Eps3 = math.Max(0.9*p.Eps1, p.Eps1-0.99)
	}
	if p.Delta2 == 0 {
		p.Delta2 = t.Delta / 100
	}
	p.Delta1 = t.Delta - p.Delta2
	if p.Gamma == 0 {
		p.Gamma = 1 / (nf * nf)
	}
	switch gap := p.Eps1 - p.Eps3; {
	case !(p.Eps2 > 0 && p.Eps1 > 0):
		return p, badArg(where, "Eps2", p.Eps2, "must lie strictly between 0 and Eps")
	case !(p.Eps3 > 0 && gap > 0 && gap < 1):
		return p, badArg(where, "Eps3", p.Eps3, "must be above 0 with 0 < ε₁ − ε₃ < 1")
	case !(p.Delta2 > 0 && p.Delta1 > 0):
		return p, badArg(where, "Delta2", p.Delta2, "must lie strictly between 0 and Delta")
	case !positive(p.Gamma):
		return p, badArg(where, "Gamma", p.Gamma, "must be a finite number above 0")
	}
	p.Lambda = 2 * curv / (p.Eps1 - p.Eps3)
	p.Sigma1 = 2 * slope / nf * (1 + math.Sqrt(2*math.Log(1/p.Delta1))) / p.Eps3
	p.Sigma2Published = nf * p.Gamma / p.Lambda * (1 + math.Sqrt(2*math.Log(1/p.Delta2))) / p.Eps2
	p.Sigma2 = 2 * p.Sigma2Published
	return p, nil
}

func (t ApproximateMinima) claim(d *Data) (g Guarantee, p AMPParams, err error) {
	const where = "ApproximateMinima"
	l := defaultLoss(t.Loss)
	if err := checkTraining(where, d, l); err != nil {
		return g, p, err
	}
	if !l.Smooth() {
		return g, p, badArg(where, "Loss", l.Name, "needs a loss with Lipschitz slope (C finite)")
	}
	if err := t.Reg.check(where, d.Dim()); err != nil {
		return g, p, err
	}
	slope, curv := rowBounds(l, d.radius, d.MaxWeight())
	if p, err = t.Params(d.Len(), slope, curv); err != nil {
		return g, p, err
	}
	nf := float64(d.Len())
	if least := tolerance(d.Len(), slope, curv); p.Gamma*nf < least {
		return g, p, badArg(where, "Gamma", p.Gamma, fmt.Sprintf("double-precision arithmetic cannot certify less than %.3g for %d rows", least/nf, d.Len()))
	}
	// The published constants rest on a general argument; the proved profile must agree before anything is promised.
	delta1, err := ObjectiveDelta(p.Eps1, nf*p.Sigma1, slope, curv, p.Lambda)
	if err != nil {
		return g, p, err
	}
	status := Assumption{"the published σ₁ meets the proved privacy profile", Enforced, fmt.Sprintf("δ(ε₁) = %.3g ≤ δ₁ = %.3g", delta1, p.Delta1)}
	if delta1 > p.Delta1 {
		return g, p, badArg(where, "Eps3", p.Eps3, fmt.Sprintf("with this share the proved profile gives δ(ε₁) = %.3g, above δ₁ = %.3g; choose a smaller Eps3", delta1, p.Delta1))
	}
	g = Guarantee{Eps: t.Eps, Delta: t.Delta, Rho: math.NaN(), ClaimedEps: math.NaN(), Neighbours: ReplaceOne, Certificate: nf * p.Gamma,
		Mechanism: fmt.Sprintf("approximate-minimum perturbation, ε = %g, δ = %g, γ = %.3g, Λ_s = %.6g, σ₁ = %.6g, σ₂ = %.6g, %s loss%s", t.Eps, t.Delta, p.Gamma, p.Lambda, p.Sigma1, p.Sigma2, l.Name, t.Reg.suffix()),
		Theorem:   "(ε₁+ε₂, δ₁+δ₂): Gaussian objective perturbation composed with Gaussian noise of sensitivity 2nγ/Λ_s (twice the published one)",
		Source:    "Iyengar, Near, Song, Thakkar, Thakurta, Wang 2019, Algorithm 1, with the safe σ₂"}
	g.Assumptions = append(commonAssumptions(d, l), status, Assumption{"γ is a constant and every released iterate is certified", Enforced, ""})
	return finish(g, d, t.Rand), p, nil
}

// Claim is the guarantee for data of this shape.
func (t ApproximateMinima) Claim(d *Data) (Guarantee, error) {
	g, _, err := t.claim(d)
	return g, err
}

// Train fits d under the ambient context.
func (t ApproximateMinima) Train(d *Data) (*Model, error) { return t.TrainContext(ambientContext(), d) }

// TrainContext charges the ledger, draws the noise and fits d to the tolerance γ.
func (t ApproximateMinima) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	const where = "ApproximateMinima"
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
	b1, b2 := make([]float64, d.Dim()), make([]float64, d.Dim())
	for j := range b1 {
		b1[j] = float64(d.Len()) * p.Sigma1 * src.Norm()
	}
	for j := range b2 {
		b2[j] = p.Sigma2 * src.Norm()
	}
	res, err := minimise(ctx, where, problem(d, l, p.Lambda, b1), t.Reg, g.Certificate)
	if err != nil {
		return nil, err
	}
	return newModel(d, perturb(res, b2, t.Reg, p.Sigma2*(math.Sqrt(float64(d.Dim()))+7.1)), l, g, map[string]float64{"Eps": t.Eps, "Delta": t.Delta, "Gamma": p.Gamma, "Lambda": p.Lambda / float64(d.Len()), "Sigma1": p.Sigma1, "Sigma2": p.Sigma2, "n": float64(d.Len())}), nil
}

// Release trains with the given randomness and returns the weights.
func (t ApproximateMinima) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	return weightsOf(t.Train(d))
}
