package dp

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"
)

// MembershipInference is the attack that differential privacy is about, made visible: somebody who knows everything but one row
// sees a release and guesses whether the row was there. The mechanism is run many times with the row and many times with another in its place, the
// attacker gives every output a score, and the receiver operating characteristic (ROC) shows how often a "yes" is right.
//
// Under (ε, δ)-DP no attacker whatsoever gets above the limit TPR ≤ min{e^ε FPR + δ, 1 − e^{−ε}(1 − δ − FPR)}.
type MembershipInference struct {
	Row    int       // the number of the row under attack
	Other  []float64 // what stands in its place in the other world; nil = the zero row with the same label
	Label  float64   // the label of Other; 0 = the label of the row
	Trials int       // runs in each world; 0 = 2000
	Rand   *Source   // nil = Secure()

	// Score is the attacker: the larger, the more the output looks like the world with the row. nil = the best attacker known: the exact likelihood ratio where
	// ExactLoss has it, else the best of the audit's statistics, learned on half of the trials.
	Score    func(out []float64) float64
	Progress func(done, total int) // nil = none
}

// A MembershipROC is the outcome of a membership inference attack.
type MembershipROC struct {
	Mechanism   string    // what was attacked
	Attacker    string    // how
	FPR, TPR    []float64 // increasing, from (0, 0) to (1, 1)
	Eps, Delta  float64   // the claim
	Trials      int       // outputs judged in each world
	Band        float64   // with probability 0.95 the whole true curve lies within Band in each direction (Dvoretzky–Kiefer–Wolfowitz–Massart)
	AUC         float64   // area under the curve: 0.5 = guessing
	Advantage   float64   // max TPR − FPR, at most (e^ε − 1 + 2δ)/(e^ε + 1)
	LimitAUC    float64   // the largest AUC any attacker can have under the claim
	LimitAdvant float64   // what the claim allows Advantage to be
}

// Run attacks m on d in the context set by [SetContext].
func (a MembershipInference) Run(m Mechanism, d *Data) (*MembershipROC, error) {
	return a.RunContext(ambientContext(), m, d)
}

// RunContext attacks m on d.
func (a MembershipInference) RunContext(ctx context.Context, m Mechanism, d *Data) (*MembershipROC, error) {
	const where = "MembershipInference"
	if m == nil || d == nil {
		return nil, badArg(where, "m, d", "nil", "a mechanism and a data set are required")
	}
	if a.Row < 0 || a.Row >= d.Len() {
		return nil, badArg(where, "Row", a.Row, fmt.Sprintf("must be between 0 and %d", d.Len()-1))
	}
	if a.Trials == 0 {
		a.Trials = 2000
	}
	if a.Trials < 20 {
		return nil, badArg(where, "Trials", a.Trials, "at least 20 runs in each world are needed for a curve")
	}
	g, err := m.Claim(d)
	if err != nil {
		return nil, err
	}
	if g.Neighbours != ReplaceOne {
		return nil, badArg(where, "m", g.Neighbours, "the attack replaces a row, so the claim must be about replace-one neighbours")
	}
	other, label := a.Other, a.Label
	if other == nil {
		other = make([]float64, d.Dim())
	}
	if label == 0 && d.Binary() || a.Other == nil {
		label = d.Label(a.Row)
	}
	without, err := d.Replace(a.Row, other, label)
	if err != nil {
		return nil, err
	}
	r := &MembershipROC{Mechanism: g.Mechanism, Eps: g.Eps, Delta: g.Delta, Attacker: "given"}
	s := &sampler{ctx: ctx, m: m, pair: Pair{"membership", d, without}, progress: a.Progress, total: 2 * a.Trials}
	worlds, err := s.draw(a.Trials, orSecure(a.Rand).Fork())
	if err != nil {
		return nil, err
	}
	of := a.Score
	if of == nil {
		if l, err := ExactLoss(m, d, without); err == nil {
			of, r.Attacker = l.At, "exact likelihood ratio (optimal)"
		}
	}
	if of == nil {
		half := a.Trials / 2
		var learn [2]table
		for k, t := range worlds {
			learn[k] = t.head(half)
			worlds[k] = table{t.width, t.v[half*t.width:]}
		}
		best := -1.0
		for _, c := range candidateScores(learn, nil, false) {
			in, out := scoreAll(c, learn[0]), scoreAll(c, learn[1])
			auc := areaUnder(in, out)
			flip := auc < 0.5
			if flip {
				auc = 1 - auc
			}
			if auc > best {
				best, r.Attacker = auc, c.name+", learned on half of the trials"
				of = c.of
				if flip {
					of = func(o []float64) float64 { return -c.of(o) }
				}
			}
		}
	}
	in, out := scoreAll(score{of: of}, worlds[0]), scoreAll(score{of: of}, worlds[1])
	r.Trials = len(in)
	r.FPR, r.TPR = curve(in, out)
	r.AUC = areaUnder(in, out)
	for i := range r.FPR {
		r.Advantage = math.Max(r.Advantage, r.TPR[i]-r.FPR[i])
	}
	r.Band = math.Sqrt(math.Log(4/0.05) / (2 * float64(r.Trials)))
	r.LimitAdvant = 1
	if !math.IsInf(r.Eps, 1) {
		r.LimitAdvant = math.Min(1, (math.Expm1(r.Eps)+2*r.Delta)/(math.Exp(r.Eps)+1))
	}
	const steps = 20000
	for i := range steps {
		r.LimitAUC += r.Limit((float64(i)+0.5)/steps) / steps
	}
	return r, nil
}

// Limit is the largest true positive rate any attacker can have at the given false positive rate, under the claim.
func (r *MembershipROC) Limit(fpr float64) float64 {
	if math.IsInf(r.Eps, 1) {
		return 1
	}
	return 1 - PureTradeOff(r.Eps, r.Delta).Beta(fpr)
}

// Exceeds reports whether the measured curve lies above the limit by more than Band in both directions anywhere: then the claim is false (confidence 0.95).
func (r *MembershipROC) Exceeds() bool {
	for i := range r.FPR {
		if r.TPR[i]-r.Band > r.Limit(math.Min(1, r.FPR[i]+r.Band)) {
			return true
		}
	}
	return false
}

// curve is the ROC of the scores in (positives) against out, as a staircase thinned to at most 500 points.
func curve(in, out []float64) (fpr, tpr []float64) {
	a, b := append([]float64(nil), in...), append([]float64(nil), out...)
	sort.Sort(sort.Reverse(sort.Float64Slice(a)))
	sort.Sort(sort.Reverse(sort.Float64Slice(b)))
	cuts := append(append([]float64(nil), a...), b...)
	sort.Sort(sort.Reverse(sort.Float64Slice(cuts)))
	fpr, tpr = []float64{0}, []float64{0}
	i, j := 0, 0
	step := max(1, len(cuts)/500)
	for k := step - 1; k < len(cuts); k += step {
		for i < len(a) && a[i] >= cuts[k] {
			i++
		}
		for j < len(b) && b[j] >= cuts[k] {
			j++
		}
		fpr = append(fpr, float64(j)/float64(len(b)))
		tpr = append(tpr, float64(i)/float64(len(a)))
	}
	return append(fpr, 1), append(tpr, 1)
}

// areaUnder is the probability that a score of in exceeds one of out, ties counted half (Mann–Whitney).
func areaUnder(in, out []float64) float64 {
	b := append([]float64(nil), out...)
	sort.Float64s(b)
	s := 0.0
	for _, x := range in {
		lo := sort.SearchFloat64s(b, x)
		hi := sort.Search(len(b), func(i int) bool { return b[i] > x })
		s += float64(lo) + float64(hi-lo)/2
	}
	return s / float64(len(in)) / float64(len(b))
}

func (r *MembershipROC) at(fpr float64) float64 {
	k := sort.SearchFloat64s(r.FPR, fpr)
	switch {
	case k == 0:
		return r.TPR[0]
	case k >= len(r.FPR):
		return 1
	}
	w := (fpr - r.FPR[k-1]) / (r.FPR[k] - r.FPR[k-1])
	return r.TPR[k-1] + w*(r.TPR[k]-r.TPR[k-1])
}

// String compares the attack with the limit.
func (r *MembershipROC) String() string {
	return fmt.Sprintf("%s: attacker %s: AUC %.3f (limit %.3f), advantage %.3f (limit %.3f), %d trials in each world, ±%.3f", r.Mechanism, r.Attacker, r.AUC, r.LimitAUC, r.Advantage, r.LimitAdvant, r.Trials, r.Band)
}

// Markdown is the same as a table, with the true positive rate at small false positive rates.
func (r *MembershipROC) Markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "**%s**, attacker: %s (%d trials in each world, curve ±%.3f)\n\n| | attack | limit for (ε, δ) = (%.4g, %.3g) |\n|---|--:|--:|\n", plainMarkdown(r.Mechanism), plainMarkdown(r.Attacker), r.Trials, r.Band, r.Eps, r.Delta)
	fmt.Fprintf(&s, "| area under the curve | %.3f | %.3f |\n| advantage max TPR − FPR | %.3f | %.3f |\n", r.AUC, r.LimitAUC, r.Advantage, r.LimitAdvant)
	for _, x := range []float64{0.01, 0.1} {
		fmt.Fprintf(&s, "| TPR at FPR = %g | %.3f | %.3f |\n", x, r.at(x), r.Limit(x))
	}
	if r.Exceeds() {
		s.WriteString("\nThe curve exceeds the limit: the claim is false.\n")
	}
	return s.String()
}
