package dp

import (
	"fmt"
	"math"
)

// Simulations beside the bounds on random features: how far k̂ is from k, how far the two SVMs are from each other, and what noise does to the function on a
// bounded set.

const (
	simPlaces = 200   // places at which a supremum over 𝓜 is looked for: what is measured is a lower bound on it
	simPairs  = 2e5   // frequencies of one run
	simRows   = 30    // rows of a data set where their number does not matter
	simGap    = 1e-11 // relative duality gap of a reference SVM
)

// simKernel is the kernel of the facts, or a stand-in with the same moments.
func (f SVMFacts) simKernel() (Kernel, error) {
	switch {
	case f.Kernel.Invariant():
		return f.Kernel, nil
	case positive(f.SigmaP):
		return RBF(math.Sqrt(float64(max(1, f.Dim))) / f.SigmaP), nil
	case positive(f.Moment):
		return RBF(math.Pow(RBF(1).Moment(max(1, f.Dim), f.MomentOrder)/f.Moment, 1/f.MomentOrder)), nil
	}
	return Kernel{}, badArg("Bound.Check", "Kernel", "none", "SVMFacts.Kernel (or SigmaP) must say which kernel is simulated")
}

// simBall draws points of a ball of the given diameter; the first two are at its ends.
func simBall(n, dim int, diameter float64, src *Source) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = randomRow(dim, diameter/2, src)
	}
	if n >= 2 {
		n := norm2(out[0])
		for j, v := range out[0] {
			out[0][j] = v / n * diameter / 2
		}
		for j, v := range out[0] {
			out[1][j] = -v
		}
	}
	return out
}

// simDHat measures sup|k − k̂| at d̂ frequencies, over differences of points of 𝓜 (or over points points).
func (f SVMFacts) simDHat(pairs float64, points int, limit, confidence float64) simulation {
	s := simulation{what: fmt.Sprintf("%s random frequencies", number(math.Ceil(pairs))), quantity: "sup|k − k̂|", relation: "≤", limit: limit, confidence: confidence}
	s.start = func() (func(*Source) (float64, error), error) {
		if err := simFits("random frequencies", pairs, simPairs); err != nil {
			return nil, err
		}
		k, err := f.simKernel()
		if err != nil {
			return nil, err
		}
		d, n, diameter := max(1, f.Dim), ceilInt(pairs), f.Diameter
		if diameter == 0 {
			diameter = 2
		}
		// k̂(x, y) depends on x − y only.
		var places [][]float64
		if points > 0 {
			p := simBall(min(points, 20), d, diameter, Seed(1))
			for i := range p {
				for j := range i {
					places = append(places, difference(p[i], p[j]))
				}
			}
		} else {
			src := Seed(1)
			for range simPlaces {
				places = append(places, randomRow(d, diameter, src))
			}
		}
		zero := make([]float64, d)
		return func(src *Source) (float64, error) {
			w, err := k.Frequencies(n, d, src)
			if err != nil {
				return 0, err
			}
			worst := 0.0
			for _, x := range places {
				s := 0.0
				for _, v := range w {
					s += math.Cos(dotDense(v, x))
				}
				worst = math.Max(worst, math.Abs(s/float64(n)-k.Eval(x, zero)))
			}
			return worst, nil
		}, nil
	}
	return s
}

func difference(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// simLemma10 measures what Laplace noise on the weights of random features does to the function, on all of R^d or on 𝓜.
func (f SVMFacts) simLemma10(net bool, scale, limit, confidence float64) simulation {
	s := simulation{what: fmt.Sprintf("Laplace noise of scale %.4g on %d cosines and sines", scale, 2*f.Pairs), quantity: "sup over R^d of |f̂ − f̃|", relation: "≤", limit: limit, confidence: confidence}
	root := 1 / math.Sqrt(float64(f.Pairs))
	laplace := func(src *Source) float64 { return scale * (src.Exp() - src.Exp()) }
	s.start = func() (func(*Source) (float64, error), error) {
		return func(src *Source) (float64, error) {
			// Frequencies without rational relations bring every pair's phase arbitrarily near its best.
			t := 0.0
			for range f.Pairs {
				t += math.Hypot(laplace(src), laplace(src))
			}
			return root * t, nil
		}, simFits("random frequencies", float64(f.Pairs), 1e7)
	}
	if !net {
		return s
	}
	s.quantity = "sup over 𝓜 of |f̂ − f̃|"
	s.start = func() (func(*Source) (float64, error), error) {
		if err := simFits("random frequencies", float64(f.Pairs), simPairs); err != nil {
			return nil, err
		}
		k, err := f.simKernel()
		if err != nil {
			return nil, err
		}
		places := simBall(simPlaces, f.Dim, f.Diameter, Seed(1))
		return func(src *Source) (float64, error) {
			w, err := k.Frequencies(f.Pairs, f.Dim, src)
			if err != nil {
				return 0, err
			}
			value := make([]float64, len(places))
			for _, v := range w {
				a, b := laplace(src), laplace(src)
				for i, x := range places {
					sin, cos := math.Sincos(dotDense(v, x))
					value[i] += a*cos + b*sin
				}
			}
			worst := 0.0
			for _, v := range value {
				worst = math.Max(worst, math.Abs(v))
			}
			return root * worst, nil
		}, nil
	}
	return s
}

// simLemma12 measures how far apart the SVMs of k and of a kernel within tol of it are, on the rows and on other points. The other kernel is (1−t)k + t·k₂ with
// k₂ of another width and t as large as tol allows.
func (f SVMFacts) simLemma12(tol, cost, limit float64) simulation {
	return simulation{what: fmt.Sprintf("exact SVMs of two kernels that differ by at most %.4g, %d rows", tol, simRows), quantity: "sup|f* − g*|", relation: "≤", limit: limit, confidence: 1,
		start: func() (func(*Source) (float64, error), error) {
			k := f.Kernel
			if !k.Invariant() {
				k = RBF(1)
			}
			d := max(1, f.Dim)
			return func(src *Source) (float64, error) {
				all := simBall(2*simRows, d, 2, src)
				y := make([]float64, simRows)
				for i := range y {
					y[i] = float64(1 - 2*src.Intn(2))
				}
				data, err := NewData(all[:simRows], y, 1)
				if err != nil {
					return 0, err
				}
				width, far := 0.1+3*src.Float64(), 0.0
				other := RBF(width)
				for _, a := range all {
					for _, b := range all {
						far = math.Max(far, math.Abs(k.Eval(a, b)-other.Eval(a, b)))
					}
				}
				t := math.Min(1, tol/far)
				near := Kernel{Name: "nearby", Eval: func(a, b []float64) float64 { return (1-t)*k.Eval(a, b) + t*other.Eval(a, b) }}
				var m [2]*SVMModel
				for i, kernel := range []Kernel{k, near} {
					if m[i], err = (SVM{C: cost, Kernel: kernel, Tol: simGap, MaxPasses: 1000000, Rand: src}).Train(data); err != nil {
						return 0, err
					}
				}
				worst := 0.0
				for _, x := range all {
					worst = math.Max(worst, math.Abs(m[0].Score(x)-m[1].Score(x)))
				}
				// |f − f*| ≤ ‖w − w*‖ ≤ √(2·gap) for each.
				return math.Max(0, worst-math.Sqrt(2*m[0].Gap)-math.Sqrt(2*m[1].Gap)), nil
			}, nil
		}}
}

// simTheorem16 runs the whole chain: d̂ random features, the exact SVM on them, noise; it measures the distance to the exact kernel SVM. Neither d̂ nor λ depends on the
// number of rows, so few will do.
func (f SVMFacts) simTheorem16(pairs int, scale float64) simulation {
	return simulation{what: fmt.Sprintf("PrivateSVM with %d random frequencies and noise of scale %.4g, %d rows", pairs, scale, simRows), quantity: "sup over 𝓜 of |f̂ − f*|", relation: "≤", limit: f.Accuracy, confidence: 1 - f.Failure,
		start: func() (func(*Source) (float64, error), error) {
			if err := simFits("random frequencies", float64(pairs), simPairs); err != nil {
				return nil, err
			}
			k, err := f.simKernel()
			if err != nil {
				return nil, err
			}
			return func(src *Source) (float64, error) {
				all := simBall(2*simRows, f.Dim, f.Diameter, src)
				y := make([]float64, simRows)
				for i := range y {
					y[i] = float64(1 - 2*src.Intn(2))
				}
				data, err := NewData(all[:simRows], y, f.Diameter/2)
				if err != nil {
					return 0, err
				}
				exact, err := SVM{C: f.C, Kernel: k, Tol: simGap, MaxPasses: 1000000, Rand: src}.Train(data)
				if err != nil {
					return 0, err
				}
				m, err := RandomFeatures{Kernel: k, Count: 2 * pairs, Rand: src}.Map(f.Dim)
				if err != nil {
					return 0, err
				}
				mapped, err := m.Transform(data)
				if err != nil {
					return 0, err
				}
				finite, err := SVM{C: f.C, Tol: 1e-9, MaxPasses: 1000000, Rand: src}.Train(mapped)
				if err != nil {
					return 0, err
				}
				w := finite.Weights
				for j := range w {
					w[j] += scale * (src.Exp() - src.Exp())
				}
				worst := 0.0
				for _, x := range all {
					worst = math.Max(worst, math.Abs(dotDense(m.Apply(x), w)-exact.Score(x)))
				}
				return worst, nil
			}, nil
		}}
}
