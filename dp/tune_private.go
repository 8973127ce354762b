package dp

import (
	"context"
	"fmt"
	"maps"
	"math"
)

// PrivateTuning chooses among m trainers with private data only (Algorithm 3 of Sarwate, Chaudhuri and Monteleoni 2009, Algorithm 4 of
// Chaudhuri, Monteleoni and Sarwate 2011):
//
//  1. deal the rows at random into m parts of equal size and a holdout part;
//  2. train candidate i on part i;
//  3. count its errors z_i on the holdout part and choose i with probability ∝ exp(−ε z_i/2) (or by permute-and-flip, which
//     is never worse).
//
// One row lies in one part only. In part j it affects f_j, whose training is ε_j-DP; in the holdout part it affects the choice,
// which is ε-DP. So the whole release costs max(ε_1, …, ε_m, ε), by parallel composition. All m models and the choice may
// be released; the counts z_i may not, and no method shows them.
//
// The candidates must be chosen without looking at the data. Leave their Ledger fields nil: this one is charged for everything.
type PrivateTuning struct {
	Candidates []Trainer // at least one; each with a finite ε
	Eps        float64   // ε of the choice; 0 means the largest ε of the candidates
	Selection  string    // "exponential" (default) or "permute-and-flip"
	Holdout    float64   // share of the rows for the choice, in (0, 1); 0 means 1/(m+1)
	Rand       *Source   // for the split, the choice, and candidates without a source of their own; nil means Secure()
	Ledger     *Ledger   // charged before anything is drawn; nil means none
}

// Tuned is what a PrivateTuning releases: everything in it may be published at the stated guarantee.
type Tuned struct {
	Model     *Model   // the chosen one
	Index     int      // which candidate made it
	Models    []*Model // of all candidates, each trained on its own part
	Guarantee Guarantee
}

// sizes returns the rows per candidate and in the holdout part.
func (t PrivateTuning) sizes(n int) (part, holdout int, err error) {
	m := len(t.Candidates)
	if t.Holdout != 0 {
		if !(t.Holdout > 0 && t.Holdout < 1) {
			return 0, 0, badArg("PrivateTuning", "Holdout", t.Holdout, "must lie strictly between 0 and 1 (0 means 1/(m+1))")
		}
		part = int(math.Floor(float64(n) * (1 - t.Holdout) / float64(m)))
	} else {
		part = n / (m + 1)
	}
	holdout = n - m*part
	if part < 1 || holdout < 1 {
		return 0, 0, badArg("PrivateTuning", "d", fmt.Sprintf("%d rows", n), fmt.Sprintf("%d candidates and a holdout part need at least one row each", m))
	}
	return part, holdout, nil
}

// check validates the parameters and returns the composed guarantee.
func (t PrivateTuning) check(d *Data) (g Guarantee, eps float64, err error) {
	const where = "PrivateTuning"
	if err := checkCandidates(where, t.Candidates); err != nil {
		return g, 0, err
	}
	if t.Selection != "" && t.Selection != "exponential" && t.Selection != "permute-and-flip" {
		return g, 0, badArg(where, "Selection", t.Selection, `must be "exponential" or "permute-and-flip"`)
	}
	if d == nil || !d.Binary() {
		return g, 0, badArg(where, "d", "not ±1 data", "labels must be -1 and +1")
	}
	part, _, err := t.sizes(d.Len())
	if err != nil {
		return g, 0, err
	}
	if t.Eps != 0 {
		if err := checkEps(where, t.Eps); err != nil {
			return g, 0, err
		}
	}
	sample := firstRows(d, part)
	eps = t.Eps
	claims := make([]Guarantee, len(t.Candidates))
	for i, c := range t.Candidates {
		claims[i], err = c.Claim(sample)
		if err != nil {
			return g, 0, fmt.Errorf("dp: PrivateTuning: Candidates[%d]: %w", i, err)
		}
		if math.IsInf(claims[i].Eps, 1) || math.IsNaN(claims[i].Eps) {
			return g, 0, badArg(where, fmt.Sprintf("Candidates[%d]", i), "not private", "every candidate must have a finite ε, or the whole release has none")
		}
		if claims[i].Neighbours != ReplaceOne {
			return g, 0, badArg(where, fmt.Sprintf("Candidates[%d]", i), claims[i].Neighbours, "the split by row number composes in parallel under dp.ReplaceOne only")
		}
		if t.Eps == 0 {
			eps = math.Max(eps, claims[i].Eps)
		}
	}
	selection := "exponential mechanism"
	rho := BoundedRangeToZCDP(eps)
	if t.Selection == "permute-and-flip" {
		selection, rho = "permute-and-flip", PureToZCDP(eps)
	}
	g = toolClaim(fmt.Sprintf("tuning of %d candidates on disjoint parts, choice by %s at ε = %g", len(t.Candidates), selection, eps),
		"ε = max(ε_1, …, ε_m, ε_choice): a row is in one part only", "Chaudhuri, Monteleoni and Sarwate 2011, Algorithm 4; parallel composition: McSherry 2009", eps, 0, ReplaceOne,
		Assumption{Text: "the parts are disjoint and dealt without looking at the rows", Status: Enforced},
		Assumption{Text: "the list of candidates was made without looking at the data", Status: Assumed})
	g.Certificate = 0
	for i, c := range claims {
		g.Eps, g.Delta, rho = math.Max(g.Eps, c.Eps), math.Max(g.Delta, c.Delta), maxOrNaN(rho, c.Rho)
		g.Seeded = g.Seeded || c.Seeded
		g.Leaks = mergeLeaks(g.Leaks, c.Leaks)
		g.Assumptions = mergeAssumptions(g.Assumptions, c.Assumptions)
		if !math.IsNaN(c.ClaimedEps) && c.Eps > c.ClaimedEps {
			g.Assumptions = mergeAssumptions(g.Assumptions, []Assumption{{Text: fmt.Sprintf("candidate %d is an as-published algorithm that claims ε = %g; its true level %.6g is counted", i, c.ClaimedEps, c.Eps), Status: Checked}})
		}
		g.Certificate = maxOrNaN(g.Certificate, c.Certificate)
	}
	g.Rho = rho
	if t.Rand != nil {
		g.Seeded = g.Seeded || t.Rand.Seeded()
	}
	g.Leaks = mergeLeaks(g.Leaks, d.Leaks())
	return g, eps, nil
}

func maxOrNaN(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return math.Max(a, b)
}

// Claim is the composed guarantee max(ε_1, …, ε_m, ε), from public facts.
func (t PrivateTuning) Claim(d *Data) (Guarantee, error) {
	g, _, err := t.check(d)
	return g, err
}

// Run tunes under the ambient context.
func (t PrivateTuning) Run(d *Data) (*Tuned, error) { return t.RunContext(ambientContext(), d) }

// RunContext charges the ledger, trains all candidates and chooses one.
func (t PrivateTuning) RunContext(ctx context.Context, d *Data) (*Tuned, error) {
	const where = "PrivateTuning"
	g, eps, err := t.check(d)
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
	part, _, err := t.sizes(d.Len())
	if err != nil {
		return nil, err
	}
	order := src.Perm(d.Len())
	m := len(candidates)
	holdout := d.Subset(order[m*part:])
	out := &Tuned{Models: make([]*Model, m), Guarantee: g}
	scores := make([]float64, m)
	for i, c := range candidates {
		if err := cancelled(ctx, where); err != nil {
			return nil, err
		}
		out.Models[i], err = c.TrainContext(ctx, d.Subset(order[i*part:(i+1)*part]))
		if err != nil {
			return nil, fmt.Errorf("dp: PrivateTuning: Candidates[%d]: %w", i, err)
		}
		scores[i] = -math.Round(ErrorRate(out.Models[i], holdout) * float64(holdout.Len()))
	}
	if t.Selection == "permute-and-flip" {
		out.Index, err = PermuteAndFlip{Eps: eps, Rand: src}.Choose(scores)
	} else {
		out.Index, err = Exponential{Eps: eps, Rand: src}.Choose(scores)
	}
	if err != nil {
		return nil, err
	}
	chosen := *out.Models[out.Index]
	chosen.Guarantee = g
	chosen.Params = maps.Clone(chosen.Params)
	if chosen.Params == nil {
		chosen.Params = map[string]float64{}
	}
	chosen.Params["choice"] = float64(out.Index)
	out.Model = &chosen
	return out, nil
}

// Train tunes under the ambient context and returns the chosen model; Params["choice"] says which candidate made it.
func (t PrivateTuning) Train(d *Data) (*Model, error) { return t.TrainContext(ambientContext(), d) }

// TrainContext is Train with a context.
func (t PrivateTuning) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	out, err := t.RunContext(ctx, d)
	if err != nil {
		return nil, err
	}
	return out.Model, nil
}

// Release tunes with the given randomness and returns the index of the choice followed by the chosen weights.
func (t PrivateTuning) Release(d *Data, src *Source) ([]float64, error) {
	out, err := withSource(t, orSecure(src), true).(PrivateTuning).Run(d)
	if err != nil {
		return nil, err
	}
	return append([]float64{float64(out.Index)}, out.Model.Weights...), nil
}

// TuningErrorBound is a bound, with probability at least 1−δ, on how much worse (in error rate) the model chosen by a PrivateTuning is than
// the best of its m candidates: 2√(ln(4m/δ)/(2N)) + (2/ε) ln(2m/δ)/N for N holdout rows (Hoeffding's inequality for the counts and the tail of the exponential mechanism).
func TuningErrorBound(m, holdout int, eps, delta float64) (float64, error) {
	const where = "TuningErrorBound"
	if m < 1 {
		return 0, badArg(where, "m", m, "must be at least 1")
	}
	if holdout < 1 {
		return 0, badArg(where, "holdout", holdout, "must be at least 1")
	}
	if err := checkEps(where, eps); err != nil {
		return 0, err
	}
	if err := checkDelta(where, delta); err != nil {
		return 0, err
	}
	n := float64(holdout)
	return 2*math.Sqrt(math.Log(4*float64(m)/delta)/(2*n)) + 2/eps*math.Log(2*float64(m)/delta)/n, nil
}
