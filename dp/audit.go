package dp

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// An Audit tests the claim of a mechanism by running it many times on two neighbouring data sets and looking for an event that is
// more likely on one of them than the claim allows. It needs no knowledge of the mechanism: any [Mechanism] can be audited, also
// one typed in a cell.
//
// If a release is (ε, δ)-DP, then Pr(E | d0) ≤ e^ε Pr(E | d1) + δ for every event E. The audit
// searches for a telling event on one part of the samples and tests it on fresh ones, where Clopper–Pearson limits on the two
// probabilities give lower bounds on ε and on δ that are true with probability at least Confidence, whatever the mechanism.
// A mechanism that keeps its claim is accused with probability at most 1 − Confidence. The reverse does not hold: an
// audit that finds nothing proves nothing; [ExactLoss] does, where it applies.
//
// The samples come in stages of increasing size. Each stage is tested with the event found on all stages before (so the samples that choose
// never judge), at a share of the error probability, and the audit stops at the first stage that refutes the claim (DP-Sniper, Bichsel, Steffen, Bogunovic
// and Vechev 2021, chooses by a classifier in the same way; the first statistical audits are Ding, Wang, Wang, Zhang and Kifer 2018).
type Audit struct {
	Samples    int                         // releases on each data set at most; 0 = 100,000
	Confidence float64                     // 0 = 0.95
	Eps, Delta float64                     // the claim to test; 0, 0 = the mechanism's own
	Score      func(out []float64) float64 // a statistic to try besides the built-in ones; nil = none
	Bits       bool                        // look at the last bits of the outputs too: continuous noise in floating point fails this
	All        bool                        // use all samples even after the claim is refuted
	Workers    int                         // goroutines; 0 = all cores. 1 for a mechanism that is not safe for concurrent use
	Rand       *Source                     // nil = Secure(); a seeded source makes the audit reproducible
	Progress   func(done, total int)       // called after each batch of releases; nil = none
}

// An AuditReport is the outcome of an [Audit].
type AuditReport struct {
	Mechanism             string        // what was audited
	Pair                  string        // how the two data sets differ
	ClaimedEps            float64       // the claim that was tested
	ClaimedDelta          float64       // δ claimed
	EpsLower              float64       // with the stated confidence the true ε (at δ = ClaimedDelta) is at least this
	DeltaLower            float64       // and the true δ (at ε = ClaimedEps) at least this
	Confidence            float64       // with which EpsLower and DeltaLower hold
	Refuted               bool          // the claim is false, with the stated confidence
	Event                 string        // the outputs that tell the two data sets apart best
	Hits0, Hits1          int           // how often the event of EpsLower occurred on either data set, of Tested fresh releases each
	Tested                int           // fresh releases on each data set, on which the event was counted
	Releases              int           // all releases, on both data sets
	Stages                int           // of sequential sampling
	Elapsed               time.Duration // wall-clock time
	Seeded, Failed, Other bool          // Failed: some releases returned an error; Other: some had a different length
}

// Run audits m on the pair d0, d1 in the context set by [SetContext].
func (a Audit) Run(m Mechanism, d0, d1 *Data) (*AuditReport, error) {
	return a.RunContext(ambientContext(), m, d0, d1)
}

// RunContext audits m on the pair d0, d1. It fails if the arguments make no sense, if the first release fails, or with the
// context's error when interrupted.
func (a Audit) RunContext(ctx context.Context, m Mechanism, d0, d1 *Data) (*AuditReport, error) {
	return a.run(ctx, m, Pair{Name: "given", D0: d0, D1: d1})
}

func (a Audit) run(ctx context.Context, m Mechanism, pair Pair) (*AuditReport, error) {
	a, r, err := a.prepare(m, pair)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	src := orSecure(a.Rand).Fork()
	r.Seeded = src.Seeded()
	s := &sampler{ctx: ctx, m: m, pair: pair, workers: a.Workers, progress: a.Progress, total: 2 * a.Samples}
	stages := a.stages()
	tests := len(stages) - 1
	alpha := (1 - a.Confidence) / float64(tests) / 4 // two statements a stage, two limits each
	var seen [2]table
	for k, n := range stages {
		fresh, err := s.draw(n, src)
		if err != nil {
			return nil, err
		}
		if k > 0 {
			scores := candidateScores(seen, a.Score, a.Bits)
			e := bestEvent(scores, seen, n, alpha, func(p0, p1 float64) float64 { return logRatio(p0, r.ClaimedDelta, p1) })
			e.test(fresh, alpha)
			if eps := logRatio(e.lower, r.ClaimedDelta, e.upper); r.Stages == 0 || eps > r.EpsLower {
				r.EpsLower = math.Max(eps, 0)
				r.Event, r.Hits0, r.Hits1, r.Tested = e.String(), e.hits[0], e.hits[1], n
			}
			if !math.IsInf(r.ClaimedEps, 1) {
				grow := math.Exp(r.ClaimedEps)
				d := bestEvent(scores, seen, n, alpha, func(p0, p1 float64) float64 { return p0 - grow*p1 })
				d.test(fresh, alpha)
				r.DeltaLower = math.Max(r.DeltaLower, d.lower-grow*d.upper)
			}
			if r.EpsLower > r.ClaimedEps || r.DeltaLower > r.ClaimedDelta {
				r.Refuted = true
			}
			r.Stages++
		}
		r.Releases += 2 * n
		for i := range seen {
			seen[i].join(fresh[i])
		}
		if r.Refuted && !a.All {
			break
		}
	}
	r.Failed, r.Other = s.failed.Load(), s.other.Load()
	r.Elapsed = time.Since(start)
	return r, nil
}

// prepare fills the defaults and reads the claim.
func (a Audit) prepare(m Mechanism, pair Pair) (Audit, *AuditReport, error) {
	if m == nil || pair.D0 == nil || pair.D1 == nil {
		return a, nil, fmt.Errorf("dp.Audit: the mechanism and both data sets are required")
	}
	if pair.D0.Dim() != pair.D1.Dim() {
		return a, nil, fmt.Errorf("dp.Audit: the data sets have %d and %d columns: they are not neighbours", pair.D0.Dim(), pair.D1.Dim())
	}
	if a.Samples == 0 {
		a.Samples = 100_000
	}
	if a.Samples < 64 {
		return a, nil, fmt.Errorf("dp.Audit: Samples = %d: fewer than 64 releases cannot tell anything", a.Samples)
	}
	if a.Confidence == 0 {
		a.Confidence = 0.95
	}
	if !(a.Confidence > 0 && a.Confidence < 1) {
		return a, nil, fmt.Errorf("dp.Audit: Confidence = %v must lie in (0, 1)", a.Confidence)
	}
	g, err := m.Claim(pair.D0)
	if err != nil {
		return a, nil, fmt.Errorf("dp.Audit: the mechanism makes no claim on these data: %w", err)
	}
	r := &AuditReport{Mechanism: g.Mechanism, Pair: pair.Name, ClaimedEps: g.Eps, ClaimedDelta: g.Delta, Confidence: a.Confidence}
	if a.Eps != 0 || a.Delta != 0 {
		r.ClaimedEps, r.ClaimedDelta = a.Eps, a.Delta
	}
	if !(r.ClaimedEps >= 0) || !(r.ClaimedDelta >= 0 && r.ClaimedDelta <= 1) {
		return a, nil, fmt.Errorf("dp.Audit: the claim (ε, δ) = (%v, %v) makes no sense", r.ClaimedEps, r.ClaimedDelta)
	}
	if g.Neighbours == ReplaceOne && pair.D0.Len() != pair.D1.Len() {
		return a, nil, fmt.Errorf("dp.Audit: the mechanism claims replace-one privacy, but the data sets have %d and %d rows", pair.D0.Len(), pair.D1.Len())
	}
	return a, r, nil
}

// stages splits the samples: the first is only for learning, and each later one doubles what was seen.
func (a Audit) stages() []int {
	n := a.Samples
	k := 1
	for n>>k >= 500 && k < 5 {
		k++
	}
	k--
	if k == 0 {
		return []int{n / 2, n - n/2}
	}
	first := n >> k
	out := []int{first}
	for done := first; done < n; {
		s := min(done, n-done)
		if n-done-s < first {
			s = n - done
		}
		out = append(out, s)
		done += s
	}
	return out
}

// logRatio is ln((p0 − δ)/p1), −∞ if nothing is left of p0.
func logRatio(p0, delta, p1 float64) float64 {
	if p0 <= delta {
		return math.Inf(-1)
	}
	return math.Log((p0 - delta) / p1)
}

// Verdict says in one sentence what was found.
func (r *AuditReport) Verdict() string {
	claim := fmt.Sprintf("ε = %.4g", r.ClaimedEps)
	if r.ClaimedDelta > 0 {
		claim = fmt.Sprintf("(ε, δ) = (%.4g, %.3g)", r.ClaimedEps, r.ClaimedDelta)
	}
	if r.Refuted {
		return fmt.Sprintf("REFUTED: the claim %s is false (confidence %.4g)", claim, r.Confidence)
	}
	return fmt.Sprintf("not refuted: nothing found against the claim %s (this is not a proof)", claim)
}

// String gives the verdict and the numbers behind it.
func (r *AuditReport) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s\n", r.Mechanism, r.Verdict())
	for _, l := range r.lines() {
		fmt.Fprintf(&s, "  %-10s %s\n", l[0], l[1])
	}
	return strings.TrimRight(s.String(), "\n")
}

// Markdown gives the same as a table.
func (r *AuditReport) Markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "**%s**: %s\n\n| | |\n|---|---|\n", plainMarkdown(r.Mechanism), plainMarkdown(r.Verdict()))
	for _, l := range r.lines() {
		fmt.Fprintf(&s, "| %s | %s |\n", l[0], plainMarkdown(l[1]))
	}
	return s.String()
}

func (r *AuditReport) lines() [][2]string {
	at := ""
	if r.ClaimedDelta > 0 {
		at = fmt.Sprintf(" at δ = %.3g", r.ClaimedDelta)
	}
	out := [][2]string{
		{"ε", fmt.Sprintf("≥ %.4g%s", r.EpsLower, at)},
		{"δ", fmt.Sprintf("≥ %.3g at ε = %.4g", math.Max(0, r.DeltaLower), r.ClaimedEps)},
		{"event", fmt.Sprintf("%s: %d against %d of %d", r.Event, r.Hits0, r.Hits1, r.Tested)},
		{"pair", r.Pair},
		{"releases", fmt.Sprintf("%d in %s", r.Releases, plural(r.Stages+1, "stage"))},
	}
	if r.Failed {
		out = append(out, [2]string{"note", "some releases returned an error; the error was counted as an output"})
	}
	if r.Other {
		out = append(out, [2]string{"note", "outputs had different lengths; the length was counted as an output"})
	}
	return out
}
