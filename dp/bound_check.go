package dp

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// A BoundCheck sets the bounds on the excess empirical risk beside what really happens: a trainer is run many times on one data set, and the
// excess J(f_priv) − min J of every run is measured. It shows how loose a bound is.
//
// Excess and everything derived from it is computed from the data without noise: it is for data that are public or artificial.
type BoundCheck struct {
	Bounds     []Bound   // from the loosest to the tightest
	Excess     []float64 // measured, sorted
	Confidence float64   // 1 − δ
	Quantile   float64   // the (1−δ) quantile of Excess: what the bounds bound
	Minimum    float64   // min J
	Mechanism  string
}

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
	if need := int(math.Ceil(2 / failure)); repeats < need {
		return nil, badArg("BoundCheck", "repeats", repeats, fmt.Sprintf("at least %d runs are needed to see a quantile at %g", need, 1-failure))
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
	c.Confidence = 1 - failure
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
	sort.Float64s(c.Excess)
	c.Quantile = c.Excess[min(repeats-1, int(math.Ceil(float64(repeats)*(1-failure)))-1)]
	return c, nil
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

// Markdown shows the bounds, the simulated quantile and how many times too large each bound is.
func (c *BoundCheck) Markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "**%s**: %d runs, min J = %.4g\n\n| bound on J(f_priv) − min J with probability ≥ %.4g | value | times the simulated quantile |\n|---|--:|--:|\n", cell(c.Mechanism), len(c.Excess), c.Minimum, c.Confidence)
	for _, b := range c.Bounds {
		fmt.Fprintf(&s, "| %s (%s) | %.4g | %.3g |\n", cell(b.Source), b.Flavour, b.Value, b.Value/c.Quantile)
	}
	fmt.Fprintf(&s, "| *simulated quantile* | %.4g | 1 |\n| *simulated mean* | %.4g | %.3g |\n", c.Quantile, mean(c.Excess), mean(c.Excess)/c.Quantile)
	return s.String()
}

// String is the same in plain text.
func (c *BoundCheck) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %d runs\n", c.Mechanism, len(c.Excess))
	for _, b := range c.Bounds {
		fmt.Fprintf(&s, "  %-12.4g %.3g× %s (%s)\n", b.Value, b.Value/c.Quantile, b.Source, b.Flavour)
	}
	fmt.Fprintf(&s, "  %-12.4g 1× simulated %.4g quantile\n  %-12.4g simulated mean", c.Quantile, c.Confidence, mean(c.Excess))
	return s.String()
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}
