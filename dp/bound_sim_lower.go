package dp

import (
	"fmt"
	"math"
)

// Simulations beside the lower bounds: a mechanism with less ε than the bound asks for is run on the packing and watched failing.

// exactAt is the exact SVM of database i at x.
func (p Packing) exactAt(i int, x []float64) float64 {
	if p.Weights != nil {
		return p.Weights[i] * x[0]
	}
	d, s := p.Data[i], 0.0
	for r := range d.Len() {
		a := p.AlphaPos
		if d.Label(r) < 0 {
			a = p.AlphaNeg
		}
		s += a * d.Label(r) * p.Kernel.Eval(x, d.Row(r))
	}
	return s
}

// places are the points at which the error is measured: the ends of the domain, or all centres and the origin.
func (p Packing) places() [][]float64 {
	if p.Weights != nil {
		return [][]float64{{p.domain}, {-p.domain}}
	}
	out := [][]float64{{0, 0}}
	for _, d := range p.Data {
		for r := range d.Len() {
			if d.Label(r) > 0 {
				out = append(out, d.Row(r))
				break
			}
		}
	}
	return out
}

// simPrivate runs the private SVM at the given ε on one database of the packing after the other and measures sup|f̂ − f|: with probability at least δ it is at
// least MaxAcc, or the mechanism would be accurate with less ε than accuracy costs.
func (p Packing) simPrivate(eps, fail float64) simulation {
	name := "PrivateSVM-Finite"
	if p.Weights == nil {
		name = "PrivateSVM"
	}
	s := simulation{what: fmt.Sprintf("%s at ε = %s on the databases of the packing", name, number(eps)), quantity: "sup|f̂ − f|", relation: "≥", limit: p.MaxAcc, confidence: math.Max(1-fail, 1e-12)}
	if !(eps > 0) {
		s.none = "the bound is vacuous here: it asks for no ε above 0"
		return s
	}
	s.start = func() (func(*Source) (float64, error), error) {
		places, run := p.places(), 0
		if err := simFits("rows", float64(len(p.Data)*p.Data[0].Len()), 1e6); err != nil {
			return nil, err
		}
		want := make([][]float64, len(p.Data))
		for i := range p.Data {
			for _, x := range places {
				want[i] = append(want[i], p.exactAt(i, x))
			}
		}
		return func(src *Source) (float64, error) {
			i := run % len(p.Data)
			run++
			var m *Model
			var err error
			if p.Weights != nil {
				m, err = PrivateSVMFinite{Eps: eps, C: p.C, Rand: src}.Train(p.Data[i])
			} else {
				m, err = PrivateSVM{Eps: eps, C: p.C, Kernel: p.Kernel, Pairs: 50, Rand: src}.Train(p.Data[i])
			}
			if err != nil {
				return 0, err
			}
			worst := 0.0
			for k, x := range places {
				worst = math.Max(worst, math.Abs(m.Score(x)-want[i][k]))
			}
			return worst, nil
		}, nil
	}
	return s
}

// simResponse answers with one of the exact SVMs by randomised response: the best an ε-private mechanism can do on a packing.
func (p Packing) simResponse(eps, fail float64) simulation {
	return simulation{what: fmt.Sprintf("randomised response at ε = %s between the %d exact SVMs", number(eps), len(p.Data)), quantity: "sup|f̂ − f|", relation: "≥", limit: p.MaxAcc, confidence: math.Max(1-fail, 1e-12),
		start: func() (func(*Source) (float64, error), error) {
			truth := 1 / (1 + float64(len(p.Data)-1)*math.Exp(-eps))
			return func(src *Source) (float64, error) {
				if src.Float64() < truth {
					return 0, nil
				}
				return p.Separation, nil
			}, nil
		}}
}

// simCancelling is the pair of databases of Lemma17Cancelling for the facts' N and C (21 and 1 where they are missing), on which Theorem 18 is shown.
func (f SVMFacts) simCancelling() (Packing, error) {
	g := SVMFacts{N: f.N, C: f.C}
	if g.C == 0 {
		g.C = 1
	}
	if g.N == 0 {
		g.N = 21
	}
	g.N = max(3, g.N|1, 1|int(math.Ceil(g.C)))
	return g.Lemma17Cancelling(1)
}

// failedSimulation says that the databases of a simulation cannot be made.
func failedSimulation(err error) simulation {
	return simulation{none: "its databases cannot be made: " + err.Error()}
}

// simLemma17 solves the SVMs of Lemma 17's databases for accuracies up to the threshold and measures how far their distance falls short of 2ε, relative to 2ε.
func (f SVMFacts) simLemma17(threshold float64) simulation {
	return simulation{what: "exact SVMs of Lemma 17's two databases at accuracies up to the threshold", quantity: "|w₁ − w₂|/(2ε)", relation: "=", limit: 1, ofMean: true,
		start: func() (func(*Source) (float64, error), error) {
			if err := simFits("rows", float64(f.N), 1e5); err != nil {
				return nil, err
			}
			return func(src *Source) (float64, error) {
				g := f
				g.Accuracy = threshold * (0.5 + 0.5*src.Float64())
				p, err := g.Lemma17()
				if err != nil {
					return 0, err
				}
				var w [2]float64
				for i, d := range p.Data {
					m, err := SVM{C: f.C, Tol: 1e-13, MaxPasses: 1000000, Rand: src}.Train(d)
					if err != nil {
						return 0, err
					}
					w[i] = m.Weights[0]
				}
				return math.Abs(w[0]-w[1]) / (2 * g.Accuracy), nil
			}, nil
		}}
}
