package dp

import (
	"context"
	"fmt"
	"math"
)

// ClassTuning is [PrivateTuning] for classifiers of any kind: trainers for several classes, or of different kinds, chosen by their errors, or by
// a cost of one's own, on rows that none was trained on. Every row lies in one part only, so the whole release costs
// max(ε_1, …, ε_m, ε) by parallel composition (replace-one), whatever the candidates are.
type ClassTuning struct {
	Candidates []ClassifierTrainer // at least one; each with a finite ε
	Eps        float64             // ε of the choice; 0 means the largest ε of the candidates
	Selection  string              // "exponential" (default) or "permute-and-flip"
	Holdout    float64             // share of the rows for the choice, in (0, 1); 0 means 1/(m+1)

	// Cost judges a classifier on one holdout row (of norm at most Radius, with its label: ±1, or the number of its class). It is clamped to [0, 1], so that replacing a
	// row changes a sum of costs by at most 1. nil counts errors.
	Cost func(c Classifier, x []float64, label float64) float64

	Rand   *Source // for the split, the choice, and candidates without a source of their own; nil means Secure()
	Ledger *Ledger // charged before anything is drawn; nil means none

	where string
}

// ClassTuned is what a ClassTuning releases: everything in it may be published at the stated guarantee. The costs may not, and are not in it.
type ClassTuned struct {
	Classifier  Classifier   // the chosen one
	Index       int          // which candidate made it
	Classifiers []Classifier // of all candidates, each trained on its own part
	Guarantee   Guarantee
}

// String says what was chosen.
func (t *ClassTuned) String() string {
	return fmt.Sprintf("candidate %d of %d: %T\n%s", t.Index, len(t.Classifiers), t.Classifier, t.Guarantee)
}

func (t ClassTuning) name() string {
	if t.where == "" {
		return "ClassTuning"
	}
	return t.where
}

// sizes returns the rows per candidate and in the holdout part.
func (t ClassTuning) sizes(n int) (part, holdout int, err error) {
	m := len(t.Candidates)
	if t.Holdout != 0 {
		if !(t.Holdout > 0 && t.Holdout < 1) {
			return 0, 0, badArg(t.name(), "Holdout", t.Holdout, "must lie strictly between 0 and 1 (0 means 1/(m+1))")
		}
		part = int(math.Floor(float64(n) * (1 - t.Holdout) / float64(m)))
	} else {
		part = n / (m + 1)
	}
	holdout = n - m*part
	if part < 1 || holdout < 1 {
		return 0, 0, badArg(t.name(), "d", fmt.Sprintf("%d rows", n), fmt.Sprintf("%d candidates and a holdout part need at least one row each", m))
	}
	return part, holdout, nil
}

// check validates the parameters and returns the composed guarantee.
func (t ClassTuning) check(d *Data) (g Guarantee, eps float64, err error) {
	where := t.name()
	if err := checkClassCandidates(where, t.Candidates); err != nil {
		return g, 0, err
	}
	if t.Selection != "" && t.Selection != "exponential" && t.Selection != "permute-and-flip" {
		return g, 0, badArg(where, "Selection", t.Selection, `must be "exponential" or "permute-and-flip"`)
	}
	if d == nil || d.Len() == 0 {
		return g, 0, badArg(where, "d", "no data", "at least one row is required")
	}
	if err := checkCost(where, t.Cost, d); err != nil {
		return g, 0, err
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
	claims, err := candidateClaims(where, t.Candidates, firstRows(d, part), "the split by row number composes in parallel under dp.ReplaceOne only")
	if err != nil {
		return g, 0, err
	}
	eps = t.Eps
	if t.Eps == 0 {
		for _, c := range claims {
			eps = math.Max(eps, c.Eps)
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
	g.Assumptions = mergeAssumptions(g.Assumptions, assumeCost(t.Cost))
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
func (t ClassTuning) Claim(d *Data) (Guarantee, error) {
	g, _, err := t.check(d)
	return g, err
}

// Run tunes under the ambient context.
func (t ClassTuning) Run(d *Data) (*ClassTuned, error) { return t.RunContext(ambientContext(), d) }

// RunContext charges the ledger, trains all candidates and chooses one.
func (t ClassTuning) RunContext(ctx context.Context, d *Data) (*ClassTuned, error) {
	where := t.name()
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
		candidates = sourced(candidates, src)
	}
	part, _, err := t.sizes(d.Len())
	if err != nil {
		return nil, err
	}
	order := src.Perm(d.Len())
	m := len(candidates)
	holdout := d.Subset(order[m*part:])
	out := &ClassTuned{Classifiers: make([]Classifier, m), Guarantee: g}
	scores := make([]float64, m)
	for i, c := range candidates {
		if err := cancelled(ctx, where); err != nil {
			return nil, err
		}
		out.Classifiers[i], err = c.TrainClassifier(ctx, d.Subset(order[i*part:(i+1)*part]))
		if err != nil {
			return nil, fmt.Errorf("dp: %s: Candidates[%d]: %w", where, i, err)
		}
		scores[i] = -totalCost(out.Classifiers[i], holdout, t.Cost)
	}
	if t.Selection == "permute-and-flip" {
		out.Index, err = PermuteAndFlip{Eps: eps, Rand: src}.Choose(scores)
	} else {
		out.Index, err = Exponential{Eps: eps, Rand: src}.Choose(scores)
	}
	if err != nil {
		return nil, err
	}
	out.Classifier = withGuarantee(out.Classifiers[out.Index], g, out.Index)
	return out, nil
}
