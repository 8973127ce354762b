package dp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// A ClassifierTrainer is a candidate of [ClassTuning] and [ClassBestOf]: it trains a classifier of any kind, for any number of classes, and says
// beforehand, from public facts, what that costs. [SoftmaxRegression] and [PrivateLargeMargin] are ones; a binary [Trainer] becomes
// one as ModelTrainer{trainer}, and a function as [ClaimedClassifier].
type ClassifierTrainer interface {
	Claim(d *Data) (Guarantee, error)
	TrainClassifier(ctx context.Context, d *Data) (Classifier, error)
}

// ModelTrainer makes a binary trainer a ClassifierTrainer; its classifiers are *Model.
type ModelTrainer struct{ Trainer Trainer }

// Claim is the trainer's.
func (t ModelTrainer) Claim(d *Data) (Guarantee, error) {
	if t.Trainer == nil {
		return Guarantee{}, badArg("ModelTrainer", "Trainer", "nil", "must be a trainer such as dp.ObjectivePerturbation{Eps: 1}")
	}
	return t.Trainer.Claim(d)
}

// TrainClassifier trains a *Model.
func (t ModelTrainer) TrainClassifier(ctx context.Context, d *Data) (Classifier, error) {
	if t.Trainer == nil {
		return nil, badArg("ModelTrainer", "Trainer", "nil", "must be a trainer such as dp.ObjectivePerturbation{Eps: 1}")
	}
	m, err := t.Trainer.TrainContext(ctx, d)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// TrainClassifier trains a *SoftmaxModel.
func (t SoftmaxRegression) TrainClassifier(ctx context.Context, d *Data) (Classifier, error) {
	m, err := t.TrainContext(ctx, d)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// TrainClassifier trains a *GaussianModel.
func (t PrivateLargeMargin) TrainClassifier(ctx context.Context, d *Data) (Classifier, error) {
	m, err := t.TrainContext(ctx, d)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// A ClaimedClassifier is a candidate made of a function, with the level its author believes in. A classifier that carries a guarantee of
// its own (a Model, SoftmaxModel, GaussianModel or OneVsRestModel) is refused if it is weaker than the claim; otherwise the claim is listed as assumed.
//
//	dp.ClaimedClassifier{Name: "one against the rest", Eps: 1, Fit: func(d *dp.Data) (dp.Classifier, error) {
//		return dp.OneVsRest{Eps: 1, Fit: fit}.Train(d)
//	}}
type ClaimedClassifier struct {
	Name       string
	Eps, Delta float64 // ε > 0 and finite, 0 ≤ δ < 1, under replace-one
	Fit        func(d *Data) (Classifier, error)
}

// Claim is the author's claim.
func (c ClaimedClassifier) Claim(d *Data) (Guarantee, error) {
	const where = "ClaimedClassifier"
	if c.Fit == nil {
		return Guarantee{}, badArg(where, "Fit", "nil", "a function that trains a classifier is required")
	}
	if err := checkEps(where, c.Eps); err != nil {
		return Guarantee{}, err
	}
	return Claimed{Name: c.Name, Eps: c.Eps, Delta: c.Delta, Run: func(*Data, *Source) []float64 { return nil }}.Claim(d)
}

// TrainClassifier runs the function and compares what it guarantees with the claim.
func (c ClaimedClassifier) TrainClassifier(ctx context.Context, d *Data) (Classifier, error) {
	if _, err := c.Claim(d); err != nil {
		return nil, err
	}
	if err := cancelled(ctx, "ClaimedClassifier"); err != nil {
		return nil, err
	}
	out, err := c.Fit(d)
	if err != nil {
		return nil, err
	}
	if isNil(out) {
		return nil, badArg("ClaimedClassifier", "Fit", "nil classifier", "must return a classifier or an error")
	}
	if g, ok := guaranteeOf(out); ok && (g.Eps > c.Eps*(1+1e-12) || g.Delta > c.Delta*(1+1e-12) || g.Neighbours == AddRemove) {
		return nil, badArg("ClaimedClassifier", "Fit", g.level()+", "+string(g.Neighbours), fmt.Sprintf("the classifier must keep the claim (ε, δ) = (%g, %g) under replace-one", c.Eps, c.Delta))
	}
	return out, nil
}

func isNil(c Classifier) bool {
	if c == nil {
		return true
	}
	v := reflect.ValueOf(c)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// guaranteeOf is the guarantee that a classifier of this package carries.
func guaranteeOf(c Classifier) (Guarantee, bool) {
	switch m := c.(type) {
	case *Model:
		return m.Guarantee, true
	case *SoftmaxModel:
		return m.Guarantee, true
	case *GaussianModel:
		return m.Guarantee, true
	case *OneVsRestModel:
		return m.Guarantee, true
	}
	return Guarantee{}, false
}

// withGuarantee is a copy of the classifier that carries g, where its kind has a place for one; a *Model also says which candidate it is.
func withGuarantee(c Classifier, g Guarantee, choice int) Classifier {
	switch m := c.(type) {
	case *Model:
		out := *m
		out.Guarantee = g
		out.Params = map[string]float64{"choice": float64(choice)}
		for k, v := range m.Params {
			if k != "choice" {
				out.Params[k] = v
			}
		}
		return &out
	case *SoftmaxModel:
		out := *m
		out.Guarantee = g
		return &out
	case *GaussianModel:
		out := *m
		out.Guarantee = g
		return &out
	case *OneVsRestModel:
		out := *m
		out.Guarantee = g
		return &out
	}
	return c
}

// A cost judges a classifier on one row; only costs in [0, 1] keep the sensitivity of the sum at 1.
type cost func(c Classifier, x []float64, label float64) float64

// totalCost is the number of errors of c on d, or the sum of the costs, each clamped to [0, 1] (NaN counts 1).
func totalCost(c Classifier, d *Data, f cost) float64 {
	if f == nil {
		return math.Round(ErrorRate(c, d) * float64(d.Len()))
	}
	sum := 0.0
	for i := range d.Len() {
		v := f(c, d.Row(i), d.Label(i))
		if math.IsNaN(v) {
			v = 1
		}
		// Multiples of 2⁻²⁰ add up exactly, so that no rounding adds to the sensitivity.
		sum += math.RoundToEven(math.Min(1, math.Max(0, v))*0x1p20) * 0x1p-20
	}
	return sum
}

// assumeCost is what a cost of the user's own has to be.
func assumeCost(f cost) []Assumption {
	if f == nil {
		return nil
	}
	return []Assumption{{Text: "the cost of a row depends on the classifier and that row only", Status: Assumed},
		{Text: "the cost of a row lies in [0, 1]", Status: Enforced, Detail: "clamped"}}
}

// checkCost refuses a cost on rows that a feature map has made: a model trained on them takes raw rows.
func checkCost(where string, f cost, d *Data) error {
	if f != nil && d.fmap != nil {
		return badArg(where, "Cost", "set", "rows that a feature map has made cannot be shown to it; use a KernelMachine as the candidate and raw rows")
	}
	return nil
}

// modelTrainers wraps binary trainers.
func modelTrainers(ts []Trainer) []ClassifierTrainer {
	out := make([]ClassifierTrainer, len(ts))
	for i, t := range ts {
		if t != nil {
			out[i] = ModelTrainer{t}
		}
	}
	return out
}

// sourced is the candidates drawing from src unless they have a source of their own.
func sourced(cs []ClassifierTrainer, src *Source) []ClassifierTrainer {
	out := make([]ClassifierTrainer, len(cs))
	for i, c := range cs {
		out[i] = rewire(reflect.ValueOf(c), func(rand **Source, _ **Ledger) {
			if rand != nil && *rand == nil {
				*rand = src
			}
		}).Interface().(ClassifierTrainer)
	}
	return out
}

// checkClassCandidates refuses empty lists and nil candidates.
func checkClassCandidates(where string, cs []ClassifierTrainer) error {
	if len(cs) == 0 {
		return badArg(where, "Candidates", "none", "at least one trainer is required")
	}
	for i, c := range cs {
		if c == nil {
			return badArg(where, fmt.Sprintf("Candidates[%d]", i), "nil", "must be a trainer such as dp.ObjectivePerturbation{Eps: 1, Lambda: 1e-3}")
		}
	}
	return nil
}

// candidateClaims asks every candidate for its claim on data of the shape of sample and refuses what cannot be composed.
func candidateClaims(where string, cs []ClassifierTrainer, sample *Data, parallel string) ([]Guarantee, error) {
	claims := make([]Guarantee, len(cs))
	for i, c := range cs {
		g, err := c.Claim(sample)
		if err != nil {
			return nil, fmt.Errorf("dp: %s: Candidates[%d]: %w", where, i, err)
		}
		if math.IsInf(g.Eps, 1) || math.IsNaN(g.Eps) {
			return nil, badArg(where, fmt.Sprintf("Candidates[%d]", i), "not private", "every candidate must have a finite ε, or the whole release has none")
		}
		if g.Neighbours != ReplaceOne {
			return nil, badArg(where, fmt.Sprintf("Candidates[%d]", i), g.Neighbours, parallel)
		}
		claims[i] = g
	}
	return claims, nil
}

var errNoModel = errors.New("dp: the chosen classifier is not a *Model")

// asModel is a classifier made by a ModelTrainer.
func asModel(c Classifier) (*Model, error) {
	m, ok := c.(*Model)
	if !ok {
		return nil, errNoModel
	}
	return m, nil
}
