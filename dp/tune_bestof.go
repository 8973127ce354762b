package dp

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"
)

// BestOf repeats "train a random candidate, score it privately" a secret random number of times K and releases the best result
// (Papernot and Steinke 2022; Liu and Talwar 2019). All training rows serve every candidate, at the price of a factor: if one
// repetition is ε-DP, the whole is (2+η)ε-DP, whatever K turns out to be. K itself must stay secret, and so must the running time.
//
// One repetition draws a candidate uniformly, trains it on the training rows and counts its errors on the holdout rows with
// geometric noise at ScoreEps. A row is in one of the two parts, so a repetition costs max(ε_candidates, ScoreEps).
//
// Leave the candidates' Ledger fields nil: this one is charged for everything.
type BestOf struct {
	Candidates []Trainer
	Stop       RandomStopping // law of K; the zero value means LogarithmicStopping(0.05), a mean of 6.3 repetitions and a factor 2
	ScoreEps   float64        // ε of each score; 0 means the largest ε of the candidates
	Holdout    float64        // share of the rows for the scores, in (0, 1); 0 means 0.2
	Delta      float64        // δ of the total; 0 means a pure guarantee. Required for Poisson and for (ε, δ) candidates
	Rand       *Source        // for everything, and candidates without a source of their own; nil means Secure()
	Ledger     *Ledger        // charged before anything is drawn; nil means none
}

// Best is what a BestOf releases.
type Best struct {
	Model     *Model  // nil if the Poisson law gave no repetition at all
	Index     int     // the winning candidate, −1 if none
	Errors    float64 // its noisy error count on the holdout rows, part of the release
	Holdout   int     // number of holdout rows, public
	Guarantee Guarantee
}

func (t BestOf) stop() RandomStopping {
	if t.Stop == (RandomStopping{}) {
		return LogarithmicStopping(0.05)
	}
	return t.Stop
}

// check validates, and returns the total guarantee, the ε of a score and the number of training rows.
func (t BestOf) check(d *Data) (g Guarantee, scoreEps float64, train int, err error) {
	const where = "BestOf"
	if err := checkCandidates(where, t.Candidates); err != nil {
		return g, 0, 0, err
	}
	if err := t.stop().check(); err != nil {
		return g, 0, 0, err
	}
	if d == nil || d.Len() < 2 || !d.Binary() {
		return g, 0, 0, badArg(where, "d", "too few rows or not ±1 data", "at least two rows with labels -1 and +1 are required")
	}
	share := t.Holdout
	if share == 0 {
		share = 0.2
	}
	if !(share > 0 && share < 1) {
		return g, 0, 0, badArg(where, "Holdout", t.Holdout, "must lie strictly between 0 and 1 (0 means 0.2)")
	}
	if t.ScoreEps != 0 {
		if err := checkEps(where, t.ScoreEps); err != nil {
			return g, 0, 0, err
		}
	}
	if t.Delta != 0 {
		if err := checkDelta(where, t.Delta); err != nil {
			return g, 0, 0, err
		}
	}
	train = min(max(int(math.Round((1-share)*float64(d.Len()))), 1), d.Len()-1)
	sample := firstRows(d, train)
	base := toolClaim("one repetition", "", "", 0, 0, ReplaceOne)
	base.Rho, base.Certificate = 0, 0
	var assumptions []Assumption
	for i, c := range t.Candidates {
		b, err := c.Claim(sample)
		if err != nil {
			return g, 0, 0, fmt.Errorf("dp: BestOf: Candidates[%d]: %w", i, err)
		}
		if math.IsInf(b.Eps, 1) || math.IsNaN(b.Eps) {
			return g, 0, 0, badArg(where, fmt.Sprintf("Candidates[%d]", i), "not private", "every candidate must have a finite ε, or the whole release has none")
		}
		if b.Neighbours != ReplaceOne {
			return g, 0, 0, badArg(where, fmt.Sprintf("Candidates[%d]", i), b.Neighbours, "training and holdout rows compose in parallel under dp.ReplaceOne only")
		}
		base.Eps, base.Delta, base.Rho = math.Max(base.Eps, b.Eps), math.Max(base.Delta, b.Delta), maxOrNaN(base.Rho, b.Rho)
		base.Seeded = base.Seeded || b.Seeded
		base.Leaks = mergeLeaks(base.Leaks, b.Leaks)
		base.Certificate = maxOrNaN(base.Certificate, b.Certificate)
		assumptions = mergeAssumptions(assumptions, b.Assumptions)
	}
	scoreEps = t.ScoreEps
	if scoreEps == 0 {
		scoreEps = base.Eps
	}
	base.Eps, base.Rho = math.Max(base.Eps, scoreEps), maxOrNaN(base.Rho, PureToZCDP(scoreEps))
	total, err := t.stop().Total(base, t.Delta)
	if err != nil {
		return g, 0, 0, err
	}
	theorem := fmt.Sprintf("(2+η)ε with η = %g, ε = %.6g for one repetition", t.stop().Eta, base.Eps)
	if t.Delta > 0 {
		theorem = fmt.Sprintf("Rényi accounting of a random number of repetitions, each (%.6g, %.3g)-DP", base.Eps, base.Delta)
	}
	g = toolClaim(fmt.Sprintf("best of K repetitions over %d candidates, K %s", len(t.Candidates), t.stop()), theorem,
		"Papernot and Steinke 2022, Theorems 2 and 6; Liu and Talwar 2019", total, t.Delta, ReplaceOne, mergeAssumptions([]Assumption{
			{Text: "the number of repetitions and the running time stay secret", Status: Assumed},
			{Text: "the number of repetitions has exactly its law", Status: Assumed, Detail: "it is drawn by inversion in floating point, to within 2⁻⁵³"},
			{Text: "training and holdout rows are disjoint and dealt without looking at them", Status: Enforced},
			{Text: "the list of candidates was made without looking at the data", Status: Assumed}}, assumptions)...)
	if t.Delta == 0 {
		g = pureRho(g)
	}
	g.Certificate = base.Certificate
	g.Seeded = base.Seeded || t.Rand != nil && t.Rand.Seeded()
	g.Leaks = mergeLeaks(base.Leaks, d.Leaks())
	return g, scoreEps, train, nil
}

// Claim is the total guarantee, from public facts.
func (t BestOf) Claim(d *Data) (Guarantee, error) {
	g, _, _, err := t.check(d)
	return g, err
}

// Run repeats and chooses under the ambient context.
func (t BestOf) Run(d *Data) (*Best, error) { return t.RunContext(ambientContext(), d) }

// RunContext charges the ledger, draws K and runs the repetitions.
func (t BestOf) RunContext(ctx context.Context, d *Data) (*Best, error) {
	const where = "BestOf"
	g, scoreEps, n, err := t.check(d)
	if err != nil {
		return nil, err
	}
	if err := cancelled(ctx, where); err != nil {
		return nil, err
	}
	if err := t.Ledger.ChargeOn(d, where, g); err != nil {
		return nil, err
	}
	src := orSecure(t.Rand)
	candidates := t.Candidates
	if t.Rand != nil {
		candidates = withSources(candidates, src, false)
	}
	order := src.Perm(d.Len())
	train, holdout := d.Subset(order[:n]), d.Subset(order[n:])
	k, err := t.stop().Draw(src)
	if err != nil {
		return nil, err
	}
	best := &Best{Index: -1, Errors: math.Inf(1), Holdout: holdout.Len(), Guarantee: g}
	noise := Geometric{Eps: scoreEps, Rand: src}
	for range k {
		if err := cancelled(ctx, where); err != nil {
			return nil, err
		}
		i := src.Intn(len(candidates))
		m, err := candidates[i].TrainContext(ctx, train)
		if err != nil {
			return nil, fmt.Errorf("dp: BestOf: Candidates[%d]: %w", i, err)
		}
		z, err := noise.Perturb(int(math.Round(ErrorRate(m, holdout) * float64(holdout.Len()))))
		if err != nil {
			return nil, err
		}
		if float64(z) < best.Errors {
			chosen := *m
			chosen.Guarantee = g
			chosen.Params = maps.Clone(m.Params)
			if chosen.Params == nil {
				chosen.Params = map[string]float64{}
			}
			chosen.Params["choice"] = float64(i)
			best.Model, best.Index, best.Errors = &chosen, i, float64(z)
		}
	}
	return best, nil
}

// String says what was chosen.
func (b *Best) String() string {
	var s strings.Builder
	if b.Model == nil {
		s.WriteString("no repetition: nothing was trained\n")
	} else {
		fmt.Fprintf(&s, "candidate %d, noisy error count %.0f on %d holdout rows\n", b.Index, b.Errors, b.Holdout)
	}
	s.WriteString(b.Guarantee.String())
	return s.String()
}

// Train runs and returns the best model. If the Poisson law gave no repetition it returns the zero classifier (always +1), which
// is the outcome "nothing" made usable.
func (t BestOf) Train(d *Data) (*Model, error) { return t.TrainContext(ambientContext(), d) }

// TrainContext is Train with a context.
func (t BestOf) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	b, err := t.RunContext(ctx, d)
	if err != nil {
		return nil, err
	}
	if b.Model == nil {
		return &Model{Weights: make([]float64, d.Dim()), Guarantee: b.Guarantee, LossName: "none", Params: map[string]float64{"choice": -1}, Features: d.Features(), Map: d.fmap}, nil
	}
	return b.Model, nil
}

// Release runs with the given randomness and returns the index of the choice, its noisy error count and its weights.
func (t BestOf) Release(d *Data, src *Source) ([]float64, error) {
	b, err := withSource(t, orSecure(src), true).(BestOf).Run(d)
	if err != nil {
		return nil, err
	}
	if b.Model == nil {
		return []float64{-1, 0}, nil
	}
	return append([]float64{float64(b.Index), b.Errors}, b.Model.Weights...), nil
}
