package dp

import (
	"fmt"
	"math"
)

// Checks of the bounds of private empirical risk minimisation on data of the user's.

// CheckObjective runs t repeats times on d and compares J(f_priv) − min J with the bounds that hold with probability 1 − failure.
// J is the objective without the extra regularisation Δ. With t.Lambda = 0 there is no Λ and J is the objective with Δ.
func CheckObjective(t ObjectivePerturbation, d *Data, failure float64, repeats int) (*BoundCheck, error) {
	g, p, err := t.claim(d)
	if err != nil {
		return nil, err
	}
	l := defaultLoss(t.Loss)
	f := ERMFacts{N: d.Len(), Dim: d.Dim(), Lambda: t.Lambda, Extra: p.Delta, Eps: p.EpsPrime, Kappa: p.Kappa, L: l.L, R: d.Radius(), C: l.C, Failure: failure}
	if t.Lambda == 0 {
		f.Lambda, f.Extra = p.Delta, 0
	}
	c, err := newBoundCheck(t, d, l, f.Lambda, t.Reg, failure, repeats)
	if err != nil {
		return nil, err
	}
	c.Mechanism = g.Mechanism
	f.Norm = c.norm
	bounds := []Flavour{Corrected, Tight}
	if f.Extra == 0 && f.L == 1 && f.R == 1 {
		bounds = []Flavour{AsPublished, JMLR2011, Corrected, Tight}
	}
	for _, v := range bounds {
		c.Bounds = append(c.Bounds, f.ObjectiveExcess(v))
	}
	return &c.BoundCheck, nil
}

// CheckOutput is CheckObjective for output perturbation, with a smooth loss.
func CheckOutput(t OutputPerturbation, d *Data, failure float64, repeats int) (*BoundCheck, error) {
	g, err := t.Claim(d)
	if err != nil {
		return nil, err
	}
	l := defaultLoss(t.Loss)
	f := ERMFacts{N: d.Len(), Dim: d.Dim(), Lambda: t.Lambda, Eps: t.Eps, L: l.L, R: d.Radius(), C: l.C, Failure: failure}
	c, err := newBoundCheck(t, d, l, t.Lambda, t.Reg, failure, repeats)
	if err != nil {
		return nil, err
	}
	c.Mechanism = g.Mechanism
	if f.L == 1 && f.R == 1 {
		c.Bounds = append(c.Bounds, f.OutputExcess(AsPublished))
	}
	c.Bounds = append(c.Bounds, f.OutputExcess(Tight))
	return &c.BoundCheck, nil
}

type boundCheck struct {
	BoundCheck
	norm float64 // of the minimiser
}

func newBoundCheck(t Trainer, d *Data, l Loss, lambda float64, r Regulariser, failure float64, repeats int) (*boundCheck, error) {
	if !(failure > 0 && failure < 1) {
		return nil, badArg("BoundCheck", "failure", failure, "the failure probability must lie in (0, 1)")
	}
	if err := enoughRuns(failure, repeats); err != nil {
		return nil, err
	}
	if !r.none() {
		return nil, badArg("BoundCheck", "Reg", r.suffix(), "the bounds are about the quadratic regulariser alone")
	}
	ctx := ambientContext()
	best, err := NonPrivate{Lambda: lambda, Loss: l}.TrainContext(ctx, d)
	if err != nil {
		return nil, err
	}
	c := &boundCheck{norm: norm2(best.Weights)}
	c.Quantity, c.Confidence = "J(f_priv) − min J", 1-failure
	c.Minimum = regularisedRisk(d, l, lambda, best.Weights)
	for range repeats {
		if err := cancelled(ctx, "bound check"); err != nil {
			return nil, err
		}
		m, err := t.Train(d)
		if err != nil {
			return nil, err
		}
		c.Excess = append(c.Excess, math.Max(0, regularisedRisk(d, l, lambda, m.Weights)-c.Minimum))
	}
	c.settle()
	return c, nil
}

// CheckNoiseNorm draws the noise vector of the facts (Dim, Kappa) repeats times and compares its norm with the bounds of [ERMFacts.NoiseNorm]. A nil src means [Secure].
func (f ERMFacts) CheckNoiseNorm(repeats int, src *Source) (*BoundCheck, error) {
	f = f.defaults()
	c := &BoundCheck{Quantity: "‖b‖", Confidence: 1 - f.Failure, Mechanism: fmt.Sprintf("noise of density ~ exp(−%.4g‖b‖) in %d dimensions", f.Kappa, f.Dim),
		Bounds: []Bound{f.NoiseNorm(AsPublished), f.NoiseNorm(Tight)}}
	return c, c.draw(repeats, src, func(src *Source) float64 { return norm2(GammaNorm{Dim: f.Dim, Kappa: f.Kappa}.Sample(src)) })
}

// CheckSelection runs the private selection among Candidates repeats times when the best makes no mistake on the holdout part and all others make
// mistakes (the worst kind of case), and compares the mistakes of the one selected with the bounds of [ERMFacts.SelectionExcess]. A nil src means [Secure].
func (f ERMFacts) CheckSelection(mistakes int, repeats int, src *Source) (*BoundCheck, error) {
	c := &BoundCheck{Quantity: "z − z_min", Confidence: 1 - f.Failure, Mechanism: fmt.Sprintf("exponential mechanism among %d candidates, %d of them with %d mistakes", f.Candidates, f.Candidates-1, mistakes),
		Bounds: []Bound{f.SelectionExcess(AsPublished), f.SelectionExcess(Tight)}}
	if mistakes < 0 {
		return nil, badArg("CheckSelection", "mistakes", mistakes, "must not be negative")
	}
	other := f.SelectionFailure(float64(mistakes)).Value // probability of not taking the best
	return c, c.draw(repeats, src, func(src *Source) float64 {
		if src.Float64() < other {
			return float64(mistakes)
		}
		return 0
	})
}

// regularisedRisk is (1/n) Σ w ℓ(y f·x) + (Λ/2)‖f‖².
func regularisedRisk(d *Data, l Loss, lambda float64, f []float64) float64 {
	s := 0.0
	for i := range d.Len() {
		w := 1.0
		if d.weight != nil {
			w = d.weight[i]
		}
		s += w * l.Value(d.Label(i)*d.Dot(i, f))
	}
	n := norm2(f)
	return s/float64(d.Len()) + lambda/2*n*n
}
