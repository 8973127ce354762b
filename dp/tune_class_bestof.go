package dp

import (
	"context"
	"fmt"
	"math"
)

// ClassBestOf is [BestOf] for classifiers of any kind: a random candidate is trained on all training rows and scored with noise on the holdout
// rows, a secret random number of times, and the best is released at (2+η)ε. (Papernot and Steinke 2022; Liu and Talwar 2019.)
type ClassBestOf struct {
	Candidates []ClassifierTrainer
	Stop       RandomStopping // law of K; the zero value means LogarithmicStopping(0.05), a mean of 6.3 repetitions and a factor 2
	ScoreEps   float64        // ε of each score; 0 means the largest ε of the candidates
	Holdout    float64        // share of the rows for the scores, in (0, 1); 0 means 0.2
	Delta      float64        // δ of the total; 0 means a pure guarantee. Required for Poisson and for (ε, δ) candidates

	// Cost judges a classifier on one holdout row, clamped to [0, 1]; nil counts errors. See ClassTuning.
	Cost func(c Classifier, x []float64, label float64) float64

	Rand   *Source // for everything, and candidates without a source of their own; nil means Secure()
	Ledger *Ledger // charged before anything is drawn; nil means none

	where string
}

// ClassBest is what a ClassBestOf releases.
type ClassBest struct {
	Classifier Classifier // nil if the Poisson law gave no repetition at all
	Index      int        // the winning candidate, −1 if none
	Cost       float64    // its noisy error count, or total cost, on the holdout rows; part of the release
	Holdout    int        // number of holdout rows, public
	Guarantee  Guarantee
}

func (t ClassBestOf) name() string {
	if t.where == "" {
		return "ClassBestOf"
	}
	return t.where
}

func (t ClassBestOf) stop() RandomStopping {
	if t.Stop == (RandomStopping{}) {
		return LogarithmicStopping(0.05)
	}
	return t.Stop
}

// check validates, and returns the total guarantee, the ε of a score and the number of training rows.
func (t ClassBestOf) check(d *Data) (g Guarantee, scoreEps float64, train int, err error) {
	where := t.name()
	if err := checkClassCandidates(where, t.Candidates); err != nil {
		return g, 0, 0, err
	}
	if err := t.stop().check(); err != nil {
		return g, 0, 0, err
	}
	if d == nil || d.Len() < 2 {
		return g, 0, 0, badArg(where, "d", "too few rows", "at least two rows are required")
	}
	if err := checkCost(where, t.Cost, d); err != nil {
		return g, 0, 0, err
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
	claims, err := candidateClaims(where, t.Candidates, sample, "training and holdout rows compose in parallel under dp.ReplaceOne only")
	if err != nil {
		return g, 0, 0, err
	}
	for _, b := range claims {
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
	g.Assumptions = mergeAssumptions(g.Assumptions, assumeCost(t.Cost))
	g.Seeded = base.Seeded || t.Rand != nil && t.Rand.Seeded()
	g.Leaks = mergeLeaks(base.Leaks, d.Leaks())
	return g, scoreEps, train, nil
}

// Claim is the total guarantee, from public facts.
func (t ClassBestOf) Claim(d *Data) (Guarantee, error) {
	g, _, _, err := t.check(d)
	return g, err
}

// Run repeats and chooses under the ambient context.
func (t ClassBestOf) Run(d *Data) (*ClassBest, error) { return t.RunContext(ambientContext(), d) }

// RunContext charges the ledger, draws K and runs the repetitions.
func (t ClassBestOf) RunContext(ctx context.Context, d *Data) (*ClassBest, error) {
	where := t.name()
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
		candidates = sourced(candidates, src)
	}
	order := src.Perm(d.Len())
	train, holdout := d.Subset(order[:n]), d.Subset(order[n:])
	k, err := t.stop().Draw(src)
	if err != nil {
		return nil, err
	}
	best := &ClassBest{Index: -1, Cost: math.Inf(1), Holdout: holdout.Len(), Guarantee: g}
	score := t.scorer(scoreEps, src)
	for range k {
		if err := cancelled(ctx, where); err != nil {
			return nil, err
		}
		i := src.Intn(len(candidates))
		c, err := candidates[i].TrainClassifier(ctx, train)
		if err != nil {
			return nil, fmt.Errorf("dp: %s: Candidates[%d]: %w", where, i, err)
		}
		z, err := score(totalCost(c, holdout, t.Cost))
		if err != nil {
			return nil, err
		}
		if z < best.Cost {
			best.Classifier, best.Index, best.Cost = withGuarantee(c, g, i), i, z
		}
	}
	return best, nil
}

// scorer is the noise of a score: geometric on counts of errors, discrete Laplace on a grid of 2⁻¹⁰ on sums of costs.
func (t ClassBestOf) scorer(eps float64, src *Source) func(total float64) (float64, error) {
	if t.Cost == nil {
		noise := Geometric{Eps: eps, Rand: src}
		return func(total float64) (float64, error) {
			z, err := noise.Perturb(int(total))
			return float64(z), err
		}
	}
	noise := DiscreteLaplace{Eps: eps, Sensitivity: 1, Grid: 0x1p-10, Rand: src}
	return noise.Perturb
}

// String says what was chosen.
func (b *ClassBest) String() string {
	if b.Classifier == nil {
		return "no repetition: nothing was trained\n" + b.Guarantee.String()
	}
	return fmt.Sprintf("candidate %d: %T, noisy cost %.4g on %d holdout rows\n%s", b.Index, b.Classifier, b.Cost, b.Holdout, b.Guarantee)
}
