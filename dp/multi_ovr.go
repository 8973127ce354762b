package dp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// OneVsRest makes a multiclass classifier out of a binary trainer: for each class c it trains "c against the rest" and
// predicts the class with the largest score. Every binary problem uses all records, so the guarantees add up: each gets
// ε/C, and the whole is the sum of what the C models really guarantee.
//
//	dp.OneVsRest{Eps: 1, Fit: func(eps float64, d *dp.Data) (*dp.Model, error) {
//		return dp.ObjectivePerturbation{Eps: eps, Lambda: 0.01}.Train(d)
//	}}.Train(d)
type OneVsRest struct {
	Eps float64                                    // total, above 0; split evenly
	Fit func(eps float64, d *Data) (*Model, error) // trains on ±1 labels
}

// A OneVsRestModel holds one binary model a class.
type OneVsRestModel struct {
	Models    []*Model  // one a class
	Names     []string  // of the classes
	Guarantee Guarantee // the sum

	binary bool
}

// Train fits one model a class.
func (o OneVsRest) Train(d *Data) (*OneVsRestModel, error) {
	const where = "OneVsRest"
	if err := checkEps(where, o.Eps); err != nil {
		return nil, err
	}
	if o.Fit == nil {
		return nil, badArg(where, "Fit", "nil", "a function that trains a binary classifier is required")
	}
	if d == nil {
		return nil, badArg(where, "d", "nil", "data are required")
	}
	names := d.ClassNames()
	m := &OneVsRestModel{Names: names, binary: d.Binary()}
	share := o.Eps / float64(len(names))
	g := Guarantee{Rho: math.NaN(), ClaimedEps: math.NaN(), Certificate: math.NaN(), Neighbours: ReplaceOne, Leaks: d.Leaks(),
		Mechanism: fmt.Sprintf("one against the rest, %d binary classifiers with ε = %g each", len(names), share),
		Theorem:   "basic composition: every binary problem uses all records, so the ε of the models add up",
		Source:    "Dwork, McSherry, Nissim, Smith 2006 (composition)"}
	for c, name := range names {
		y := make([]float64, d.Len())
		for i := range y {
			y[i] = -1
			if d.Class(i) == c {
				y[i] = 1
			}
		}
		b, err := o.Fit(share, d.withLabels(y))
		if err != nil {
			return nil, fmt.Errorf("dp: %s: class %s: %w", where, name, err)
		}
		if b == nil {
			return nil, badArg(where, "Fit", fmt.Sprintf("nil model for class %s", name), "must return a model or an error")
		}
		if b.Guarantee.Neighbours == AddRemove {
			return nil, badArg(where, "Fit", "a guarantee for add/remove neighbours", "all models must be private for replace-one neighbours")
		}
		g.Eps += b.Guarantee.Eps
		g.Delta += b.Guarantee.Delta
		g.Seeded = g.Seeded || b.Guarantee.Seeded
		if c == 0 {
			g.Assumptions = append(g.Assumptions, b.Guarantee.Assumptions...)
		}
		m.Models = append(m.Models, b)
	}
	if g.Eps > o.Eps*(1+1e-12) {
		g.Assumptions = append(g.Assumptions, Assumption{Text: fmt.Sprintf("each model stays within its share ε = %g", share), Status: Violated, Detail: fmt.Sprintf("the sum is %g, not %g", g.Eps, o.Eps)})
	}
	m.Guarantee = g
	return m, nil
}

// Scores are the binary models' scores of a raw row.
func (m *OneVsRestModel) Scores(x []float64) []float64 {
	out := make([]float64, len(m.Models))
	for c, b := range m.Models {
		out[c] = b.Score(x)
	}
	return out
}

// PredictClass is the class with the largest score, the lowest on ties.
func (m *OneVsRestModel) PredictClass(x []float64) int { return floats.MaxIdx(m.Scores(x)) }

// Predict is PredictClass as a number; for a model trained on ±1 labels it is −1 or +1.
func (m *OneVsRestModel) Predict(x []float64) float64 {
	return classNumber(m.PredictClass(x), m.binary)
}
