package dp

import (
	"context"
	"fmt"
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

// class is the search as one among classifiers.
func (t BestOf) class() ClassBestOf {
	return ClassBestOf{Candidates: modelTrainers(t.Candidates), Stop: t.Stop, ScoreEps: t.ScoreEps, Holdout: t.Holdout, Delta: t.Delta, Rand: t.Rand, Ledger: t.Ledger, where: "BestOf"}
}

func (t BestOf) check(d *Data) (Guarantee, error) {
	if d == nil || !d.Binary() {
		return Guarantee{}, badArg("BestOf", "d", "not ±1 data", "labels must be -1 and +1; for classes use ClassBestOf")
	}
	return t.class().Claim(d)
}

// Claim is the total guarantee, from public facts.
func (t BestOf) Claim(d *Data) (Guarantee, error) { return t.check(d) }

// Run repeats and chooses under the ambient context.
func (t BestOf) Run(d *Data) (*Best, error) { return t.RunContext(ambientContext(), d) }

// RunContext charges the ledger, draws K and runs the repetitions.
func (t BestOf) RunContext(ctx context.Context, d *Data) (*Best, error) {
	if _, err := t.check(d); err != nil {
		return nil, err
	}
	c, err := t.class().RunContext(ctx, d)
	if err != nil {
		return nil, err
	}
	out := &Best{Index: c.Index, Errors: c.Cost, Holdout: c.Holdout, Guarantee: c.Guarantee}
	if c.Classifier != nil {
		if out.Model, err = asModel(c.Classifier); err != nil {
			return nil, err
		}
	}
	return out, nil
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
