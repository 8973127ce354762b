package dp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"example.org/godp/dp/internal/stattest"
)

// threeClouds are rows of three classes around the corners of a triangle.
func threeClouds(t *testing.T, n int) *Data {
	t.Helper()
	src := Seed(11)
	rows, class := make([][]float64, n), make([]int, n)
	for i := range rows {
		class[i] = i % 3
		a := 2 * math.Pi * float64(class[i]) / 3
		rows[i] = []float64{0.7*math.Cos(a) + 0.1*src.Norm(), 0.7*math.Sin(a) + 0.1*src.Norm()}
	}
	d, err := NewClasses(rows, class, []string{"a", "b", "c"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// constant always answers the same class; its claim is its ε.
type constant struct {
	Eps    float64
	Answer float64
	Rand   *Source
	seen   *[]*Source
}

func (c constant) Claim(d *Data) (Guarantee, error) {
	return Claimed{Name: "constant", Eps: c.Eps, Run: func(*Data, *Source) []float64 { return nil }}.Claim(d)
}
func (c constant) TrainClassifier(_ context.Context, d *Data) (Classifier, error) {
	if c.seen != nil {
		*c.seen = append(*c.seen, c.Rand)
	}
	return c, nil
}
func (c constant) Predict([]float64) float64 { return c.Answer }

// Multiclass trainers of different kinds are tuned together, and the choice carries the composed guarantee.
func TestClassTuning(t *testing.T) {
	d := threeClouds(t, 900)
	fit := func(eps float64, d *Data) (*Model, error) {
		return ObjectivePerturbation{Eps: eps, Rand: Seed(5)}.Train(d)
	}
	candidates := []ClassifierTrainer{
		constant{Eps: 0.5},
		SoftmaxRegression{Eps: 2, Lambda: 1e-3},
		PrivateLargeMargin{Eps: 1.5, Mode: SphericalGaussian},
		ClaimedClassifier{Name: "one against the rest", Eps: 3, Fit: func(d *Data) (Classifier, error) { return OneVsRest{Eps: 3, Fit: fit}.Train(d) }},
	}
	l := NewLedger(10, 0)
	out, err := ClassTuning{Candidates: candidates, Selection: "permute-and-flip", Rand: Seed(2), Ledger: l}.Run(d)
	if err != nil {
		t.Fatal(err)
	}
	if out.Guarantee.Eps != 3 || len(l.Entries()) != 1 || l.Entries()[0].Guarantee.Eps != 3 || len(out.Classifiers) != 4 {
		t.Errorf("%s; ledger %v", out, l.Entries())
	}
	if out.Index == 0 {
		t.Error("a constant won over trained classifiers at ε = 3 on 180 rows: probability below 1e-30")
	}
	if g, ok := guaranteeOf(out.Classifier); !ok || g.Eps != 3 || !strings.Contains(g.Mechanism, "tuning of 4 candidates") {
		t.Errorf("the chosen classifier carries %v", g)
	}
	if _, ok := out.Classifiers[1].(*SoftmaxModel); !ok {
		t.Errorf("candidate 1 made a %T", out.Classifiers[1])
	}
	best, err := ClassBestOf{Candidates: candidates[1:3], Stop: GeometricStopping(0.1), Rand: Seed(3)}.Run(d)
	if err != nil {
		t.Fatal(err)
	}
	if best.Index < 0 || best.Guarantee.Eps != 6 || best.Holdout != 180 || best.Cost > 60 {
		t.Errorf("%s", best)
	}
}

// The law of the choice with a cost of one's own is the exponential mechanism's on the clamped costs: constants whose costs are
// known, 4,000 tunings, χ² with false-alarm rate 1e-6. Costs of 7, −1 and NaN count 1, 0 and 1.
func TestClassTuningCostLaw(t *testing.T) {
	d := threeClouds(t, 12)
	costs := []float64{0.25, 7, -1, math.NaN()}
	var candidates []ClassifierTrainer
	for i := range costs {
		candidates = append(candidates, constant{Eps: 1, Answer: float64(i)})
	}
	tuning := ClassTuning{Candidates: candidates, Eps: 0.8, Holdout: 0.66, Rand: Seed(8),
		Cost: func(c Classifier, x []float64, label float64) float64 { return costs[int(c.Predict(x))] }}
	_, holdout, err := tuning.sizes(12)
	if err != nil {
		t.Fatal(err)
	}
	n := float64(holdout)
	want, err := Exponential{Eps: 0.8}.Probabilities([]float64{-0.25 * n, -n, 0, -n})
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, 4)
	for range 4000 {
		out, err := tuning.Run(d)
		if err != nil {
			t.Fatal(err)
		}
		counts[out.Index]++
	}
	if p := stattest.ChiSquare(counts, want, 4000); p < falseAlarm {
		t.Errorf("choices %v, expected %v: p-value %g", counts, want, p)
	}
}

// Sources are handed down to candidates that have none of their own.
func TestClassTuningSources(t *testing.T) {
	var seen []*Source
	own, src := Seed(1), Seed(2)
	_, err := ClassTuning{Candidates: []ClassifierTrainer{constant{Eps: 1, seen: &seen}, constant{Eps: 1, Rand: own, seen: &seen}}, Rand: src}.Run(threeClouds(t, 30))
	if err != nil || len(seen) != 2 || seen[0] != src || seen[1] != own {
		t.Errorf("%v, %v", seen, err)
	}
}

func TestClassTuningRefuses(t *testing.T) {
	d := threeClouds(t, 30)
	l := NewLedger(math.Inf(1), 0)
	src := Seed(4)
	good := []ClassifierTrainer{constant{Eps: 1}}
	binary := ModelTrainer{ObjectivePerturbation{Eps: 1}}
	for _, c := range []struct {
		want string
		run  func() error
	}{
		{"Candidates = none", func() error { _, err := ClassTuning{Ledger: l, Rand: src}.Run(d); return err }},
		{"Candidates[0] = nil", func() error {
			_, err := ClassBestOf{Candidates: []ClassifierTrainer{nil}, Ledger: l, Rand: src}.Run(d)
			return err
		}},
		{"labels must be -1 and +1", func() error {
			_, err := ClassTuning{Candidates: []ClassifierTrainer{binary}, Ledger: l, Rand: src}.Run(d)
			return err
		}},
		{"Trainer = nil", func() error {
			_, err := ClassTuning{Candidates: []ClassifierTrainer{ModelTrainer{}}, Ledger: l, Rand: src}.Run(d)
			return err
		}},
		{"Fit = nil", func() error {
			_, err := ClassTuning{Candidates: []ClassifierTrainer{ClaimedClassifier{Eps: 1}}, Ledger: l, Rand: src}.Run(d)
			return err
		}},
		{"not private", func() error {
			_, err := ClassTuning{Candidates: []ClassifierTrainer{SoftmaxRegression{Eps: math.Inf(1)}}, Ledger: l, Rand: src}.Run(d)
			return err
		}},
		{"no data", func() error { _, err := ClassTuning{Candidates: good, Ledger: l, Rand: src}.Run(nil); return err }},
		{"too few rows", func() error { _, err := ClassBestOf{Candidates: good, Ledger: l, Rand: src}.Run(nil); return err }},
		{"not ±1 data", func() error {
			_, err := PrivateTuning{Candidates: []Trainer{ObjectivePerturbation{Eps: 1}}, Ledger: l, Rand: src}.Run(d)
			return err
		}},
		{"not ±1 data", func() error {
			_, err := BestOf{Candidates: []Trainer{ObjectivePerturbation{Eps: 1}}, Ledger: l, Rand: src}.Run(d)
			return err
		}},
	} {
		if err := c.run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
	if len(l.Entries()) != 0 || src.Uint64() != Seed(4).Uint64() {
		t.Errorf("a refusal charged %v or drew", l.Entries())
	}
	// A classifier weaker than its claim is refused after it was made; nothing is released.
	weak := ClaimedClassifier{Eps: 0.5, Fit: func(d *Data) (Classifier, error) { return SoftmaxRegression{Eps: 1, Rand: Seed(1)}.Train(d) }}
	if out, err := (ClassTuning{Candidates: []ClassifierTrainer{weak}}).Run(d); err == nil || out != nil || !strings.Contains(err.Error(), "must keep the claim") {
		t.Errorf("%v, %v", out, err)
	}
	none := ClaimedClassifier{Eps: 0.5, Fit: func(d *Data) (Classifier, error) { var m *Model; return m, nil }}
	if _, err := (ClassTuning{Candidates: []ClassifierTrainer{none}}).Run(d); err == nil || !strings.Contains(err.Error(), "nil classifier") {
		t.Errorf("nil classifier: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (ClassTuning{Candidates: good}).RunContext(ctx, d); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
