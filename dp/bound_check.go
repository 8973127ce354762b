package dp

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// A BoundCheck sets the bounds on a random quantity beside what really happens in many runs: for a trainer the excess empirical risk J(f_priv) − min J, for
// noise its norm, for private selection the mistakes above the best candidate's. It shows how loose a bound is, and where a printed one is false.
// [Bound.Check] makes one for any bound.
//
// What is measured on a data set is computed without noise: such a check is for data that are public or artificial.
type BoundCheck struct {
	Quantity   string    // what is bounded and measured
	Bounds     []Bound   // what is promised of Quantity: from the loosest to the tightest
	Excess     []float64 // measured, sorted
	Confidence float64   // 1 − δ; 1: the bounds hold always, and Quantile is the largest of all runs (the smallest for "≥")
	Quantile   float64   // the (1−δ) quantile of Excess: what the bounds bound
	OfMean     bool      // the bounds are on the mean of Excess, and Quantile is the mean
	Minimum    float64   // min J, for a trainer
	Mechanism  string    // what was run
}

// simulation is how a bound is set beside what really happens.
type simulation struct {
	none       string                                         // why there is none
	what       string                                         // what is run
	quantity   string                                         // what is measured; "" = the bound's Quantity
	relation   string                                         // "" = the bound's
	limit      float64                                        // what the bound promises of it; 0 = the bound's Value
	confidence float64                                        // of the promise; 0 = the bound's
	ofMean     bool                                           // the promise is about the mean
	start      func() (func(*Source) (float64, error), error) // prepares, and returns one run
}

// simulated attaches a simulation.
func (b Bound) simulated(s simulation) Bound {
	b.sim = &s
	return b
}

// Simulation says what [Bound.Check] runs, or why there is nothing to run.
func (b Bound) Simulation() string {
	switch {
	case b.sim == nil:
		return "none: this bound was not made by one of the calculators"
	case b.sim.none != "":
		return "none: " + b.sim.none
	}
	return b.sim.what
}

// Check runs what the bound is about, repeats times on artificial data of the bound's facts, and sets what was measured beside what the bound promises. A bound
// on a quantity promises the bound itself. A required number (a noise scale, a number of features) promises what it is required for: the
// run uses that number and measures, say, the largest change of the function. A lower bound on ε promises that whatever has a smaller ε
// fails: the run releases by such a mechanism and measures its error. A nil src means [Secure].
//
// Simulations that train cost repeats trainings on N rows. Check fails where the bound does not apply, where repeats are too few to
// see its quantile, where a run would not fit a desk (it says so), and where there is nothing to simulate: for statements with a hidden
// constant, which any measurement satisfies for some constant; see [Bound.Simulation].
func (b Bound) Check(repeats int, src *Source) (*BoundCheck, error) {
	s := b.sim
	if s == nil || s.none != "" {
		return nil, fmt.Errorf("dp.Bound.Check: %s (%s): no simulation: %s", b.Quantity, b.Source, strings.TrimPrefix(b.Simulation(), "none: "))
	}
	if !b.Holds() {
		return nil, fmt.Errorf("dp.Bound.Check: the bound does not apply: %v", b)
	}
	if repeats < 1 {
		return nil, badArg("Bound.Check", "repeats", repeats, "at least one run is needed")
	}
	promise := b
	if s.quantity != "" {
		promise.Quantity = s.quantity
	}
	if s.relation != "" {
		promise.Relation = s.relation
	}
	if s.limit != 0 {
		promise.Value = s.limit
	}
	if s.confidence != 0 {
		promise.Confidence = s.confidence
	}
	if s.ofMean {
		promise.Confidence = 1
	}
	c := &BoundCheck{Quantity: promise.Quantity, Bounds: []Bound{promise}, Confidence: promise.Confidence, OfMean: s.ofMean, Mechanism: s.what}
	if c.Confidence <= 0 {
		return nil, fmt.Errorf("dp.Bound.Check: the bound says nothing here: it promises a probability of at least %s", number(c.Confidence))
	}
	if c.Confidence < 1 {
		if err := enoughRuns(1-c.Confidence, repeats); err != nil {
			return nil, err
		}
	}
	one, err := s.start()
	if err != nil {
		return nil, fmt.Errorf("dp.Bound.Check: %w", err)
	}
	return c, c.runs(repeats, 1, src, one)
}

// runs fills the check, looking at the context every so many runs.
func (c *BoundCheck) runs(repeats, every int, src *Source, one func(*Source) (float64, error)) error {
	src, ctx := orSecure(src), ambientContext()
	for i := range repeats {
		if i%every == 0 {
			if err := cancelled(ctx, "bound check"); err != nil {
				return err
			}
		}
		x, err := one(src)
		if err != nil {
			return err
		}
		c.Excess = append(c.Excess, x)
	}
	c.settle()
	return nil
}

// draw fills the check with independent draws.
func (c *BoundCheck) draw(repeats int, src *Source, one func(*Source) float64) error {
	for _, b := range c.Bounds {
		if !b.Holds() {
			return fmt.Errorf("dp: %v", b)
		}
	}
	if err := enoughRuns(1-c.Confidence, repeats); err != nil {
		return err
	}
	return c.runs(repeats, 1024, src, func(src *Source) (float64, error) { return one(src), nil })
}

// settle sorts the runs and reads off the quantile.
func (c *BoundCheck) settle() {
	sort.Float64s(c.Excess)
	n := len(c.Excess)
	c.Quantile = c.Excess[max(0, min(n-1, int(math.Ceil(float64(n)*c.Confidence))-1))]
	if c.OfMean {
		c.Quantile = mean(c.Excess)
	}
}

func enoughRuns(failure float64, repeats int) error {
	if need := int(math.Ceil(2/failure - 1e-9)); repeats < need {
		return badArg("BoundCheck", "repeats", repeats, fmt.Sprintf("at least %d runs are needed to see a quantile at %g", need, 1-failure))
	}
	return nil
}

// Refutes reports whether the runs contradict Bounds[i]: with a true bound that happens with probability at most 1e-4 (never, for a
// bound that holds always). That they do not proves nothing.
func (c *BoundCheck) Refutes(i int) bool {
	const alarm = 1e-4
	b, n := c.Bounds[i], float64(len(c.Excess))
	slack := 1e-9 * math.Abs(b.Value)
	if c.OfMean {
		sd := 0.0
		for _, x := range c.Excess {
			sd += (x - c.Quantile) * (x - c.Quantile)
		}
		far := 4*math.Sqrt(sd)/n + slack // four standard errors
		d := c.Quantile - b.Value
		return b.Relation != "≥" && d > far || (b.Relation == "≥" || b.Relation == "=") && d < -far
	}
	above := 0.0
	for _, x := range c.Excess {
		if b.Relation == "≥" && x >= b.Value-slack || b.Relation != "≥" && x > b.Value+slack {
			above++
		}
	}
	share := distuv.Binomial{N: n, P: 1 - c.Confidence}
	switch {
	case b.Relation == "≥" && c.Confidence == 1: // some output reaches the value
		return above == 0
	case b.Relation == "≥": // at least a share of δ lies above
		return share.CDF(above) < alarm
	case c.Confidence == 1:
		return above > 0
	case above == 0:
		return false
	}
	return share.Survival(above-1) < alarm
}

// Markdown shows the bounds, the simulated quantile and how many times too large each bound is.
func (c *BoundCheck) Markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "**%s**: %d runs\n\n| bound on %s%s | value | times the %s | |\n|---|--:|--:|---|\n", plainMarkdown(c.Mechanism), len(c.Excess), plainMarkdown(c.Quantity), c.often(), c.measured())
	for i, b := range c.Bounds {
		fmt.Fprintf(&s, "| %s (%s) | %s %.4g | %.3g | %s |\n", plainMarkdown(b.Source), b.Flavour, plainMarkdown(b.Relation), b.Value, b.Value/c.Quantile, c.verdict(i))
	}
	fmt.Fprintf(&s, "| *%s* | %.4g | 1 | |\n", c.measured(), c.Quantile)
	if !c.OfMean {
		fmt.Fprintf(&s, "| *simulated mean* | %.4g | %.3g | |\n", mean(c.Excess), mean(c.Excess)/c.Quantile)
	}
	return s.String()
}

// String is the same in plain text.
func (c *BoundCheck) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %d runs\n", c.Mechanism, len(c.Excess))
	for i, b := range c.Bounds {
		fmt.Fprintf(&s, "  %-12.4g %.3g× %s (%s)%s\n", b.Value, b.Value/c.Quantile, b.Source, b.Flavour, prefixed(", ", c.verdict(i)))
	}
	fmt.Fprintf(&s, "  %-12.4g 1× %s", c.Quantile, c.measured())
	if !c.OfMean {
		fmt.Fprintf(&s, "\n  %-12.4g simulated mean", mean(c.Excess))
	}
	return s.String()
}

// verdict is empty unless the runs contradict the bound.
func (c *BoundCheck) verdict(i int) string {
	if c.Refutes(i) {
		return "refuted by these runs"
	}
	return ""
}

// measured names Quantile.
func (c *BoundCheck) measured() string {
	switch {
	case c.OfMean:
		return "simulated mean"
	case c.Confidence == 1:
		return "largest of all runs"
	}
	return fmt.Sprintf("simulated %.4g quantile", c.Confidence)
}

// often says with what probability the bounds are promised.
func (c *BoundCheck) often() string {
	switch {
	case c.OfMean:
		return ", on average"
	case c.Confidence == 1:
		return ", always"
	case len(c.Bounds) > 0 && c.Bounds[0].Relation == "≥":
		return fmt.Sprintf(": exceeded with probability ≥ %.4g", 1-c.Confidence)
	}
	return fmt.Sprintf(" with probability ≥ %.4g", c.Confidence)
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}
