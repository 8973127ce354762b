package dp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.org/godp/dp/internal/ww"
	"gonum.org/v1/gonum/floats"
)

// SoftmaxRegression is multinomial logistic regression with ε-differential privacy, by the same gauge-fixed objective
// perturbation as PrivateLargeMargin. It minimises (1/n) Σ −ln softmax(W x_i)_{y_i} + (Λ/2)‖W‖_F² + (1/n)⟨b, W⟩ over W ∈ R^{C×d};
// use d.WithIntercept() for a constant. A record's gradient (p − e_y)xᵀ has norm at most √2·R, so S = 2√2·R; its Hessian
// (diag p − ppᵀ)⊗xxᵀ has at most C−1 positive eigenvalues whose sum is at most (1−1/C)R², so
// J = (C−1) ln(1 + R²/(C·n·Λ)). Eps = +Inf gives the fit without privacy. (After Chaudhuri, Monteleoni, Sarwate 2011,
// Theorem 9, and Kifer, Smith, Thakurta 2012; the constants are proved by the argument of PrivateLargeMargin.)
type SoftmaxRegression struct {
	Eps    float64 // above 0; +Inf: no privacy
	Lambda float64 // Λ > 0; 0 means 1e-3; raised when too small for Eps
	Rand   *Source // nil means Secure()
	Ledger *Ledger // charged before noise is drawn; nil: none
}

// A SoftmaxModel scores classes linearly; the largest score wins.
type SoftmaxModel struct {
	W         [][]float64 // one row a class
	Names     []string    // of the classes
	Guarantee Guarantee   // what the release guarantees
	Map       FeatureMap  // of the training data, or nil

	binary bool
}

// Scores are W·φ(x).
func (m *SoftmaxModel) Scores(x []float64) []float64 {
	if m.Map != nil && len(x) == m.Map.In() {
		x = m.Map.Apply(x)
	}
	if len(x) != len(m.W[0]) {
		panic(badArg("SoftmaxModel.Scores", "x", fmt.Sprintf("%d columns", len(x)), fmt.Sprintf("the model takes %d columns", len(m.W[0]))))
	}
	out := make([]float64, len(m.W))
	for c, w := range m.W {
		out[c] = dot4(x, w)
	}
	return out
}

// PredictClass is the class with the largest score, the lowest on ties.
func (m *SoftmaxModel) PredictClass(x []float64) int { return floats.MaxIdx(m.Scores(x)) }

// Predict is PredictClass as a number; for a model trained on ±1 labels it is −1 or +1.
func (m *SoftmaxModel) Predict(x []float64) float64 { return classNumber(m.PredictClass(x), m.binary) }

// classNumber is a class as a number, −1 or +1 where the classes are labels.
func classNumber(c int, binary bool) float64 {
	if binary {
		return float64(2*c - 1)
	}
	return float64(c)
}

type softmaxPlan struct {
	prob                                                *ww.Problem
	lambda, sens, jac, epsRound, epsNoise, gamma, round float64
	raised                                              bool
}

func (t SoftmaxRegression) plan(where string, d *Data) (softmaxPlan, error) {
	var p softmaxPlan
	switch {
	case d == nil || d.Len() == 0:
		return p, badArg(where, "d", "no data", "at least one row is required")
	case d.weight != nil:
		return p, badArg(where, "d", "data with sample weights", "softmax regression takes none")
	case !(t.Eps > 0):
		return p, badArg(where, "Eps", t.Eps, "the privacy parameter must be above 0 (+Inf: no privacy)")
	case t.Lambda != 0 && !positive(t.Lambda):
		return p, badArg(where, "Lambda", t.Lambda, "the regularisation must be a finite number above 0 (0 means 1e-3)")
	}
	p.lambda = t.Lambda
	if p.lambda == 0 {
		p.lambda = 1e-3
	}
	c, r, n := float64(len(d.ClassNames())), d.Radius(), float64(d.Len())
	dense := d.Dense()
	p.prob = &ww.Problem{N: d.Len(), D: d.Dim(), X: dense.x.Val, Classes: int(c), Mode: ww.Linear, Softmax: true, Y: make([]int32, d.Len())}
	for i := range p.prob.Y {
		p.prob.Y[i] = int32(d.Class(i))
	}
	p.sens = 2 * math.Sqrt2 * r
	if math.IsInf(t.Eps, 1) {
		p.prob.Lambda, p.gamma = p.lambda, 1e-10
		return p, nil
	}
	jac := func(l float64) float64 { return (c - 1) * math.Log1p(r*r/(c*n*l)) }
	if p.jac = jac(p.lambda); p.jac > t.Eps/2 {
		p.raised = true
		p.lambda = r * r / (c * n * math.Expm1(t.Eps/(2*(c-1)))) * (1 + 1e-12)
		p.jac = jac(p.lambda)
	}
	p.prob.Lambda = p.lambda
	p.epsRound = t.Eps / 100
	p.epsNoise = t.Eps - p.jac - p.epsRound
	p.gamma = 5e-4 * p.sens * p.epsRound / (n * p.epsNoise)
	p.round = 2 * p.gamma / (p.lambda * p.epsRound)
	return p, nil
}

// Claim is the guarantee for data of this shape.
func (t SoftmaxRegression) Claim(d *Data) (Guarantee, error) {
	p, err := t.plan("SoftmaxRegression", d)
	if err != nil {
		return Guarantee{}, err
	}
	return t.guarantee(p, d), nil
}

func (t SoftmaxRegression) guarantee(p softmaxPlan, d *Data) Guarantee {
	if math.IsInf(t.Eps, 1) {
		return noGuarantee("softmax regression, not private")
	}
	g := Guarantee{Eps: t.Eps, Rho: t.Eps * t.Eps / 2, ClaimedEps: math.NaN(), Neighbours: ReplaceOne, Certificate: float64(d.Len()) * p.gamma,
		Mechanism: fmt.Sprintf("softmax regression, gauge-fixed objective perturbation, ε = %g, Λ = %.6g", t.Eps, p.lambda),
		Theorem:   fmt.Sprintf("density ratio of the perturbation ≤ exp(%.6g), Jacobian ≤ exp(%.6g), rounding ≤ exp(%.6g); S = 2√2·R = %.6g", p.epsNoise, p.jac, p.epsRound, p.sens),
		Source:    "after Chaudhuri, Monteleoni, Sarwate 2011, Theorem 9",
		Assumptions: []Assumption{
			{Text: fmt.Sprintf("‖x‖ ≤ R = %g for every row", d.Radius()), Status: Enforced, Detail: "each row clipped by its own norm"},
			{Text: fmt.Sprintf("gradient norm of the solution at most γ = %.3g", p.gamma), Status: Enforced, Detail: "an uncertified point is never released"},
			{Text: "Λ was chosen without looking at the data", Status: Assumed},
			{Text: "one person contributes one row", Status: Assumed, Detail: "k rows: kε"},
			{Text: "arithmetic on real numbers", Status: Assumed, Detail: "floating-point noise has a lattice (Mironov 2012)"},
		}}
	g.Seeded = t.Rand != nil && t.Rand.Seeded()
	g.Leaks = d.Leaks()
	return g
}

// Train fits d under the ambient context.
func (t SoftmaxRegression) Train(d *Data) (*SoftmaxModel, error) {
	return t.TrainContext(ambientContext(), d)
}

// TrainContext charges the ledger, draws the noise and fits d.
func (t SoftmaxRegression) TrainContext(ctx context.Context, d *Data) (*SoftmaxModel, error) {
	const where = "SoftmaxRegression"
	p, err := t.plan(where, d)
	if err != nil {
		return nil, err
	}
	if err := cancelled(ctx, where); err != nil {
		return nil, err
	}
	g := t.guarantee(p, d)
	if err := t.Ledger.ChargeOn(d, where, g); err != nil {
		return nil, err
	}
	c, q := p.prob.Classes, d.Dim()
	src := orSecure(t.Rand)
	private := !math.IsInf(t.Eps, 1)
	if private {
		p.prob.B = gaugeNoise(c, q, p.sens/p.epsNoise, src)
	}
	r, err := ww.Minimise(ctx, p.prob, p.gamma)
	if err != nil {
		return nil, multiError(where, err)
	}
	if private {
		for k, v := range gaugeNoise(c, q, p.round, src) {
			r.W[k] += v
		}
	}
	m := &SoftmaxModel{Names: d.ClassNames(), Guarantee: g, Map: d.fmap, binary: d.Binary()}
	for k := range c {
		m.W = append(m.W, r.W[k*q:(k+1)*q:(k+1)*q])
	}
	return m, nil
}

// Release trains on d with the given randomness and returns the weights, class by class.
func (t SoftmaxRegression) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	m, err := t.Train(d)
	if err != nil {
		return nil, err
	}
	return slices.Concat(m.W...), nil
}
