package dp

import (
	"context"
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

// class is the tuning as one of classifiers.
func (t PrivateTuning) class() ClassTuning {
	return ClassTuning{Candidates: modelTrainers(t.Candidates), Eps: t.Eps, Selection: t.Selection, Holdout: t.Holdout, Rand: t.Rand, Ledger: t.Ledger, where: "PrivateTuning"}
}

func (t PrivateTuning) check(d *Data) (Guarantee, error) {
	if d == nil || !d.Binary() {
		return Guarantee{}, badArg("PrivateTuning", "d", "not ±1 data", "labels must be -1 and +1; for classes use ClassTuning")
	}
	return t.class().Claim(d)
}

// Claim is the composed guarantee max(ε_1, …, ε_m, ε), from public facts.
func (t PrivateTuning) Claim(d *Data) (Guarantee, error) { return t.check(d) }

// Run tunes under the ambient context.
func (t PrivateTuning) Run(d *Data) (*Tuned, error) { return t.RunContext(ambientContext(), d) }

// RunContext charges the ledger, trains all candidates and chooses one.
func (t PrivateTuning) RunContext(ctx context.Context, d *Data) (*Tuned, error) {
	if _, err := t.check(d); err != nil {
		return nil, err
	}
	c, err := t.class().RunContext(ctx, d)
	if err != nil {
		return nil, err
	}
	out := &Tuned{Index: c.Index, Models: make([]*Model, len(c.Classifiers)), Guarantee: c.Guarantee}
	for i, m := range c.Classifiers {
		if out.Models[i], err = asModel(m); err != nil {
			return nil, err
		}
	}
	out.Model, err = asModel(c.Classifier)
	return out, err
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
