package dp

import (
	"fmt"
	"math"
)

// Simulations beside the bounds of the private SVM: sensitivities and what noise does to the function.

// simFits refuses a simulation that would not fit a desk.
func simFits(what string, size, most float64) error {
	if !(size <= most) {
		return fmt.Errorf("the simulation would need %.3g %s, above its limit of %.3g: choose smaller facts to look at", size, what, most)
	}
	return nil
}

// simPair draws neighbouring data sets of N rows in the ball of radius kappa and trains the exact SVM on both. The first pair is the extremal one of the
// sensitivity proof: pairs of rows that cancel, and a last row at ±κ. tol is the duality gap; slack bounds how far w0 and w1 together are from the minimisers.
func (f SVMFacts) simPair(loss Loss, features int, tol float64) (func(src *Source) (w0, w1 []float64, slack float64, err error), error) {
	features = max(1, features)
	if err := simFits("numbers in a data set", float64(f.N)*float64(features), 4e6); err != nil {
		return nil, err
	}
	run := 0
	return func(src *Source) (w0, w1 []float64, slack float64, err error) {
		rows, y := make([][]float64, f.N), make([]float64, f.N)
		along := make([]float64, features)
		for j := range along {
			along[j] = f.Kappa / math.Sqrt(float64(features))
		}
		run++
		cancel := run == 1 || src.Intn(2) == 0
		for i := range rows {
			y[i] = float64(1 - 2*(i%2))
			if rows[i] = along; !cancel {
				rows[i] = randomRow(features, f.Kappa, src)
				y[i] = float64(1 - 2*src.Intn(2))
			}
		}
		d0, err := NewData(rows, y, f.Kappa)
		if err != nil {
			return nil, nil, 0, err
		}
		last, label := along, -y[f.N-1]
		if run > 1 {
			last, label = randomRow(features, f.Kappa, src), float64(1-2*src.Intn(2))
		}
		d1, err := d0.Replace(f.N-1, last, label)
		if err != nil {
			return nil, nil, 0, err
		}
		s := SVM{C: f.C * f.L, Loss: loss, Tol: tol / (f.C * f.L), MaxPasses: 1000000, Rand: src}
		if loss.Value != nil { // only the hinge is scaled by L
			s.C, s.Tol = f.C, tol/f.C
		}
		m0, err := s.Train(d0)
		if err != nil {
			return nil, nil, 0, err
		}
		m1, err := s.Train(d1)
		if err != nil {
			return nil, nil, 0, err
		}
		return m0.Weights, m1.Weights, math.Sqrt(2*m0.Gap) + math.Sqrt(2*m1.Gap), nil
	}, nil
}

// randomRow is a row in a uniformly random direction, on the sphere of the given radius or inside it.
func randomRow(dim int, radius float64, src *Source) []float64 {
	v := make([]float64, dim)
	n := 0.0
	for n == 0 {
		for j := range v {
			v[j] = src.Norm()
		}
		n = norm2(v)
	}
	if src.Intn(2) == 0 {
		radius *= math.Pow(src.Float64(), 1/float64(dim))
	}
	for j := range v {
		v[j] *= radius / n
	}
	return v
}

// simSensitivity measures the distance of exact SVMs of neighbours, in the ℓ1 norm or the ℓ2 norm, over scale.
func (f SVMFacts) simSensitivity(quantity string, loss Loss, features int, l1 bool, scale, limit float64) simulation {
	if loss.Value == nil && features == 0 {
		features = 2
	}
	return simulation{what: fmt.Sprintf("exact SVMs of neighbouring data sets, %d rows", f.N), quantity: quantity, relation: "≤", limit: limit, confidence: 1,
		start: func() (func(*Source) (float64, error), error) {
			pair, err := f.simPair(loss, features, 1e-13*f.C*f.L)
			if err != nil {
				return nil, err
			}
			return func(src *Source) (float64, error) {
				w0, w1, slack, err := pair(src)
				if err != nil {
					return 0, err
				}
				s := 0.0
				for j := range w0 {
					if d := w0[j] - w1[j]; l1 {
						s += math.Abs(d)
					} else {
						s += d * d
					}
				}
				if l1 {
					slack *= math.Sqrt(float64(len(w0)))
				} else {
					s = math.Sqrt(s)
				}
				// What is certain in spite of the solver's tolerance.
				return math.Max(0, s-slack) / scale, nil
			}, nil
		}}
}

// simInexact is simSensitivity with solutions that stop at the tolerated gap.
func (f SVMFacts) simInexact() simulation {
	return simulation{what: fmt.Sprintf("SVMs of neighbouring data sets, %d rows, stopped at a duality gap of %.3g", f.N, f.SolverGap), start: func() (func(*Source) (float64, error), error) {
		pair, err := f.simPair(Loss{}, max(2, f.Features), math.Max(f.SolverGap, 1e-13*f.C*f.L))
		if err != nil {
			return nil, err
		}
		return func(src *Source) (float64, error) {
			w0, w1, _, err := pair(src)
			if err != nil {
				return 0, err
			}
			for j := range w0 {
				w0[j] -= w1[j]
			}
			return norm2(w0), nil
		}, nil
	}}
}

// simSquare measures the steepest slope of the square loss at the minimiser.
func (f SVMFacts) simSquare() simulation {
	return simulation{what: "slopes of the square loss at exact minimisers, 2 to 12 rows", start: func() (func(*Source) (float64, error), error) {
		return func(src *Source) (float64, error) {
			n := 2 + src.Intn(11)
			rows, y := make([][]float64, n), make([]float64, n)
			for i := range rows {
				rows[i], y[i] = randomRow(1+n%3, f.Kappa, src), float64(1-2*src.Intn(2))
			}
			d, err := NewData(rows, y, f.Kappa)
			if err != nil {
				return 0, err
			}
			m, err := SVM{C: f.C, Loss: SquareLoss(), Tol: 1e-9, Rand: src}.Train(d)
			if err != nil {
				return 0, err
			}
			top := 0.0
			for i := range n {
				top = math.Max(top, 2*math.Abs(1-d.Label(i)*d.Dot(i, m.Weights)))
			}
			return top, nil
		}, nil
	}}
}

// simNoise draws noise on F weights and measures what it can do to the function: norm·‖μ‖, in the ℓ1 norm for Laplace noise of the given scale and in the ℓ2 norm
// for Gamma noise.
func (f SVMFacts) simNoise(gamma bool, scale, factor, limit, confidence float64) simulation {
	kind := "Laplace"
	if gamma {
		kind = "ℓ2-Gamma"
	}
	return simulation{what: fmt.Sprintf("%s noise of scale %.4g on %d weights", kind, scale, f.Features), quantity: "sup|f̂ − f|", relation: "≤", limit: limit, confidence: confidence,
		start: func() (func(*Source) (float64, error), error) {
			if err := simFits("weights", float64(f.Features), 1e7); err != nil {
				return nil, err
			}
			return func(src *Source) (float64, error) {
				s := 0.0
				if gamma { // the norm of the noise has the Gamma(F) law
					return factor * norm2(GammaNorm{Dim: f.Features, Kappa: 1 / scale}.Sample(src)), nil
				}
				for range f.Features {
					s += src.Exp()
				}
				return factor * scale * s, nil
			}, nil
		}}
}
