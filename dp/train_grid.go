package dp

import (
	"context"
	"fmt"
	"math"
)

// GridPerturbation is output perturbation in exact arithmetic: the certified minimiser is rounded to a grid gℤ^d (g a power of
// two) and integer noise drawn without any rounding is added, so the guarantee has no floating-point caveat.
//
//   - Pure (Rho = 0): discrete Laplace noise of L1 scale √d(S + g√d)/ε on each coordinate; ε-differentially private.
//     Coordinates have standard deviation about √(2d)S/ε, some √2 more than the continuous ℓ2 noise.
//   - Rho > 0: discrete Gaussian noise with σ² = (S + g√d)²/(2ρ); ρ-zCDP, reported as (ε, δ) at the given Delta.
//
// S is the sensitivity of OutputPerturbation, solver's certified distance included; rounding adds at most g√d to it. Objective
// perturbation has no exact-arithmetic version. (Mironov 2012 for the reason; Canonne, Kamath, Steinke 2020 for the samplers.)
type GridPerturbation struct {
	Eps    float64     // ε > 0 for the pure version; must be 0 when Rho is set
	Rho    float64     // ρ > 0 for the discrete Gaussian
	Delta  float64     // δ at which ρ-zCDP is reported as (ε, δ); only with Rho; 0: 1e-6
	Lambda float64     // Λ > 0; 0: SumReg
	Loss   Loss        // zero: Huber(0.5)
	Reg    Regulariser // public; zero: none
	Grid   float64     // g, a power of two; 0: the largest power of two at most S/(1024√d)
	Rand   *Source     // nil: secure
	Ledger *Ledger     // charged before noise is drawn; nil: none

	Neighbours Neighbours // zero: ReplaceOne; AddRemove: see OutputPerturbation
	SumReg     float64    // a > 0, regularisation in sum form, in place of nΛ; 0: Lambda
}

// gridPlan is the calibration: grid, L2 sensitivity on the grid in units of g (an upper bound), and the noise parameter.
type gridPlan struct {
	grid  float64
	steps float64 // ≥ S/g + √d
	sigma float64 // in units of g, discrete Gaussian only
}

func (t GridPerturbation) claim(d *Data) (g Guarantee, p gridPlan, err error) {
	const where = "GridPerturbation"
	switch {
	case t.Rho == 0:
		if err := checkEps(where, t.Eps); err != nil {
			return g, p, err
		}
	case t.Eps != 0:
		return g, p, badArg(where, "Eps", t.Eps, "set either Eps (discrete Laplace) or Rho (discrete Gaussian)")
	case !positive(t.Rho):
		return g, p, badArg(where, "Rho", t.Rho, "must be a finite number above 0")
	}
	delta := t.Delta
	if delta == 0 {
		delta = 1e-6
	}
	if err := checkDelta(where, delta); err != nil {
		return g, p, err
	}
	l := defaultLoss(t.Loss)
	form, err := checkOutput(where, d, l, t.Neighbours, t.Lambda, t.SumReg, t.Reg)
	if err != nil {
		return g, p, err
	}
	sens, tol := outputScale(d, l, form)
	root := math.Sqrt(float64(d.Dim()))
	p.grid = t.Grid
	if p.grid == 0 {
		_, e := math.Frexp(sens / (1024 * root))
		p.grid = math.Ldexp(1, e-1)
	}
	if f, _ := math.Frexp(p.grid); f != 0.5 || !positive(p.grid) {
		return g, p, badArg(where, "Grid", t.Grid, "must be a power of two, so that rounding to it is exact")
	}
	p.steps = (sens/p.grid + root) * (1 + 1e-12) // an upper bound in spite of float rounding
	g = Guarantee{Eps: t.Eps, Rho: t.Eps * t.Eps / 2, ClaimedEps: math.NaN(), Neighbours: form.neighbours, Certificate: tol,
		Source: "Chaudhuri, Monteleoni, Sarwate 2011 for the sensitivity; Canonne, Kamath, Steinke 2020 for the exact samplers"}
	if t.Rho == 0 {
		g.Mechanism = fmt.Sprintf("output perturbation on the grid %.3gℤ, discrete Laplace noise, ε = %g, %s, %s loss%s", p.grid, t.Eps, form.label(t.Lambda), l.Name, t.Reg.suffix())
		g.Theorem = "discrete Laplace noise with L1 sensitivity √d(S + g√d), S = " + form.sensitivity() + " + twice the solver's certified distance"
	} else {
		p.sigma = p.steps / math.Sqrt(2*t.Rho) * (1 + 1e-12)
		g.Rho, g.Delta = t.Rho, delta
		if g.Eps, err = ZCDPToDP(t.Rho, delta); err != nil {
			return g, p, err
		}
		g.Mechanism = fmt.Sprintf("output perturbation on the grid %.3gℤ, discrete Gaussian noise, ρ = %g, %s, %s loss%s", p.grid, t.Rho, form.label(t.Lambda), l.Name, t.Reg.suffix())
		g.Theorem = "ρ = (S + g√d)²/(2σ²), S = " + form.sensitivity() + " + twice the solver's certified distance; ε = ρ + 2√(ρ ln(1/δ))"
	}
	for _, a := range form.assume(commonAssumptions(d, l)) {
		if a.Text != floatAssumption {
			g.Assumptions = append(g.Assumptions, a)
		}
	}
	g.Assumptions = append(g.Assumptions,
		Assumption{"noise without floating-point error", Enforced, "integer samplers, power-of-two grid"},
		Assumption{"the iterate is within its certified distance of the minimiser", Enforced, "an uncertified iterate is never released"})
	return finish(g, d, t.Rand), p, nil
}

// Claim is the guarantee for data of this shape.
func (t GridPerturbation) Claim(d *Data) (Guarantee, error) {
	g, _, err := t.claim(d)
	return g, err
}

// Train fits d under the ambient context.
func (t GridPerturbation) Train(d *Data) (*Model, error) { return t.TrainContext(ambientContext(), d) }

// TrainContext charges the ledger, fits d, rounds and adds the noise.
func (t GridPerturbation) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	const where = "GridPerturbation"
	g, p, err := t.claim(d)
	if err != nil {
		return nil, err
	}
	draw, err := t.sampler(p, d.Dim())
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
	for j, v := range f {
		f[j] = gridSum(v, p.grid, draw(src))
	}
	t.Reg.restore(f, 0)
	return newModel(d, f, l, g, form.addPublic(map[string]float64{"Eps": t.Eps, "Rho": t.Rho, "Lambda": t.Lambda, "Grid": p.grid}, d.Len())), nil
}

// gridSum is (round(v/g) + k)·g. The integers are added exactly; a sum beyond ±2⁵³ grid steps is clamped there, which is
// post-processing, so the product with a power of two is exact too.
func gridSum(v, grid float64, k int64) float64 {
	const top = 1 << 53
	at := int64(math.Max(-top, math.Min(top, math.RoundToEven(v/grid))))
	return float64(max(-top, min(top, at+max(-2*top, min(2*top, k))))) * grid
}

// sampler returns the integer noise of one coordinate.
func (t GridPerturbation) sampler(p gridPlan, dim int) (func(*Source) int64, error) {
	if t.Rho == 0 {
		law, err := laplaceLaw(p.steps*math.Sqrt(float64(dim))*(1+1e-12), t.Eps)
		if err != nil {
			return nil, err
		}
		return func(s *Source) int64 { return law.Sample(s) }, nil
	}
	law, err := gaussianLaw(p.sigma)
	if err != nil {
		return nil, err
	}
	return func(s *Source) int64 { return law.Sample(s) }, nil
}

// Release trains with the given randomness and returns the weights.
func (t GridPerturbation) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	return weightsOf(t.Train(d))
}
