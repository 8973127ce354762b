package dp

import (
	"fmt"
	"math"
)

// Simulations beside the bounds of private empirical risk minimisation.

// hiddenConstant is why the sample sizes of the papers have nothing to check.
const hiddenConstant = "the statement hides a constant, and any measurement satisfies it for some constant; RiskBound is the explicit one, and has a simulation"

// simLoss is a loss with the Lipschitz constant L and curvature C of the facts: the Huber hinge, scaled by L.
func (f ERMFacts) simLoss() (Loss, error) {
	if !positive(f.C) || math.IsInf(f.C, 1) {
		return Loss{}, badArg("Bound.Check", "C", f.C, "the simulation trains with a smooth loss and needs its curvature")
	}
	l := Huber(f.L / (2 * f.C))
	if f.L != 1 {
		h := l
		l = Loss{Name: fmt.Sprintf("%g times %s", f.L, h.Name), L: f.L, C: f.C,
			Value: func(z float64) float64 { return f.L * h.Value(z) }, Grad: func(z float64) float64 { return f.L * h.Grad(z) }, Hess: func(z float64) float64 { return f.L * h.Hess(z) }}
	}
	return l, l.Check()
}

// simData draws n rows in the ball of radius R with noisy labels from a random direction.
func (f ERMFacts) simData(n int, src *Source) (*Data, error) {
	if err := simFits("numbers in a data set", float64(n)*float64(f.Dim), 2e6); err != nil {
		return nil, err
	}
	truth := randomRow(f.Dim, 1, src)
	rows, y := make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i] = randomRow(f.Dim, f.R, src)
		y[i] = sign(dotDense(rows[i], truth))
		if src.Intn(5) == 0 {
			y[i] = -y[i]
		}
	}
	return NewData(rows, y, f.R)
}

// simProblem is an artificial data set with its minimiser of J.
type simProblem struct {
	d     *Data
	loss  Loss
	best  []float64
	least float64
}

func (f ERMFacts) simProblem() (p simProblem, err error) {
	if p.loss, err = f.simLoss(); err != nil {
		return p, err
	}
	if f.Dim < 1 || f.N < 1 || !positive(f.Lambda) {
		return p, badArg("Bound.Check", "N, Dim, Lambda", fmt.Sprintf("%d, %d, %g", f.N, f.Dim, f.Lambda), "the simulation trains on N rows of dimension Dim and needs Λ above 0")
	}
	if p.d, err = f.simData(f.N, Seed(1)); err != nil {
		return p, err
	}
	m, err := NonPrivate{Lambda: f.Lambda, Loss: p.loss}.TrainContext(ambientContext(), p.d)
	if err != nil {
		return p, err
	}
	p.best, p.least = m.Weights, regularisedRisk(p.d, p.loss, f.Lambda, m.Weights)
	// With Δ > 0 the bound is about minimisers of norm at most Norm: shorter rows give shorter ones.
	if n := norm2(p.best); f.Extra > 0 && n > f.Norm {
		return p, fmt.Errorf("the artificial data's minimiser has norm %.4g, above Norm = %g, so the bound is not about it: raise Norm", n, f.Norm)
	}
	return p, nil
}

// simObjective minimises J + (Δ/2)‖f‖² + b·f/n for noise b of the law of the facts (or of the given norm) and measures J − min J.
func (f ERMFacts) simObjective(norm float64, s simulation) simulation {
	s.what = fmt.Sprintf("objective perturbation on artificial data, n = %d, d = %d", f.N, f.Dim)
	s.start = func() (func(*Source) (float64, error), error) {
		p, err := f.simProblem()
		if err != nil {
			return nil, err
		}
		a := float64(f.N) * (f.Lambda + f.Extra)
		slope, curv := rowBounds(p.loss, p.d.Radius(), 1)
		return func(src *Source) (float64, error) {
			b := GammaNorm{Dim: f.Dim, Kappa: f.Kappa}.Sample(src)
			if norm > 0 {
				t := norm / norm2(b)
				for j := range b {
					b[j] *= t
				}
			}
			if norm < 0 { // exactly no noise
				clear(b)
			}
			r, err := minimise(ambientContext(), "Bound.Check", problem(p.d, p.loss, a, b), Regulariser{}, tolerance(f.N, slope, curv))
			if err != nil {
				return 0, err
			}
			return math.Max(0, regularisedRisk(p.d, p.loss, f.Lambda, r.Hi)-p.least), nil
		}, nil
	}
	return s
}

// simOutput trains by output perturbation and measures J − min J.
func (f ERMFacts) simOutput() simulation {
	return simulation{what: fmt.Sprintf("output perturbation on artificial data, n = %d, d = %d", f.N, f.Dim), start: func() (func(*Source) (float64, error), error) {
		p, err := f.simProblem()
		if err != nil {
			return nil, err
		}
		noise := GammaNorm{Dim: f.Dim, Kappa: f.Eps / OutputSensitivity(f.N, f.Lambda, f.L, f.R)}
		return func(src *Source) (float64, error) {
			w := noise.Sample(src)
			for j, v := range p.best {
				w[j] += v
			}
			return math.Max(0, regularisedRisk(p.d, p.loss, f.Lambda, w)-p.least), nil
		}, nil
	}}
}

// simRisk trains by the library's objective perturbation and measures the empirical risk above that of the best predictor found of norm Norm.
func (f ERMFacts) simRisk() simulation {
	s := simulation{what: fmt.Sprintf("objective perturbation on artificial data, n = %d, d = %d", f.N, f.Dim), quantity: "L(f_priv) − L(f₀)"}
	s.start = func() (func(*Source) (float64, error), error) {
		f = f.defaults()
		p, err := f.simProblem()
		if err != nil {
			return nil, err
		}
		t := ObjectivePerturbation{Eps: f.Eps, Lambda: f.Lambda, Loss: p.loss}
		ref := math.Inf(1) // the minimiser's direction at the norm allowed, or shorter
		for k := 0; k <= 20; k++ {
			w := append([]float64(nil), p.best...)
			for j := range w {
				w[j] *= f.Norm * float64(k) / 20 / math.Max(norm2(p.best), 1e-300)
			}
			ref = math.Min(ref, regularisedRisk(p.d, p.loss, 0, w))
		}
		return func(src *Source) (float64, error) {
			t.Rand = src
			m, err := t.TrainContext(ambientContext(), p.d)
			if err != nil {
				return 0, err
			}
			return math.Max(0, regularisedRisk(p.d, p.loss, 0, m.Weights)-ref), nil
		}, nil
	}
	return s
}

// simTrueRisk takes points whose empirical objective is gap above the least on samples of a population of 20·n rows, and measures their objective on the population.
func (f ERMFacts) simTrueRisk(gap float64) simulation {
	return simulation{what: fmt.Sprintf("points %.3g above the least empirical objective on samples of %d rows of a population", gap, f.N), start: func() (func(*Source) (float64, error), error) {
		if f.Dim == 0 {
			f.Dim = 2
		}
		if f.C == 0 {
			f.C = f.L
		}
		l, err := f.simLoss()
		if err != nil {
			return nil, err
		}
		all, err := f.simData(20*f.N, Seed(1))
		if err != nil {
			return nil, err
		}
		fit := NonPrivate{Lambda: f.Lambda, Loss: l}
		pop, err := fit.TrainContext(ambientContext(), all)
		if err != nil {
			return nil, err
		}
		least := regularisedRisk(all, l, f.Lambda, pop.Weights)
		return func(src *Source) (float64, error) {
			idx := make([]int, f.N)
			for i := range idx {
				idx[i] = src.Intn(all.Len())
			}
			d := all.Subset(idx)
			m, err := fit.TrainContext(ambientContext(), d)
			if err != nil {
				return 0, err
			}
			u, w := randomRow(f.Dim, 1, src), make([]float64, f.Dim)
			at := func(t float64) float64 {
				for j := range w {
					w[j] = m.Weights[j] + t*u[j]
				}
				return regularisedRisk(d, l, f.Lambda, w)
			}
			goal := at(0) + gap
			lo, hi := 0.0, 1.0
			for at(hi) < goal {
				hi *= 2
			}
			for range 60 {
				if mid := (lo + hi) / 2; at(mid) < goal {
					lo = mid
				} else {
					hi = mid
				}
			}
			at(lo)
			return math.Max(0, regularisedRisk(all, l, f.Lambda, w)-least), nil
		}, nil
	}}
}

// simSensitivity measures the distance of the minimisers of neighbouring data sets: those of the SVM with cost 1/Λ.
func (f ERMFacts) simSensitivity() simulation {
	return SVMFacts{N: f.N, C: 1 / f.Lambda, L: f.L, Kappa: f.R}.simSensitivity("", Loss{}, max(1, min(f.Dim, 50)), false, 1, 0)
}

// simPrivacy computes the exact privacy loss of objective perturbation on neighbouring data sets in one dimension, the worst pair of the analysis first.
func (f ERMFacts) simPrivacy() simulation {
	return simulation{what: fmt.Sprintf("exact privacy loss on pairs of neighbours, n = %d, one dimension", f.N), quantity: "sup|ln p₀/p₁|", relation: "≤", confidence: 1,
		start: func() (func(*Source) (float64, error), error) {
			l, err := f.simLoss()
			if err != nil {
				return nil, err
			}
			if err := simFits("rows", float64(f.N), 1e5); err != nil {
				return nil, err
			}
			m := PerturbedObjective{Loss: l, Kappa: f.Kappa, Reg: float64(f.N) * (f.Lambda + f.Extra)}
			run := 0
			return func(src *Source) (float64, error) {
				run++
				rows, y := make([][]float64, f.N), make([]float64, f.N)
				a, b := []float64{f.R}, []float64{-f.R}
				for i := range rows {
					rows[i], y[i] = []float64{-f.R}, 1
					if run > 1 {
						rows[i], y[i] = randomRow(1, f.R, src), float64(1-2*src.Intn(2))
						a, b = randomRow(1, f.R, src), randomRow(1, f.R, src)
					}
				}
				rows[0] = a
				d0, err := NewData(rows, y, f.R)
				if err != nil {
					return 0, err
				}
				d1, err := d0.Replace(0, b, y[0])
				if err != nil {
					return 0, err
				}
				loss, err := ExactLoss(m, d0, d1)
				if err != nil {
					return 0, err
				}
				eps, _ := loss.Sup()
				return eps, nil
			}, nil
		}}
}

// simVolume throws points into the cube around the ball.
func (f ERMFacts) simVolume() simulation {
	s := simulation{what: fmt.Sprintf("random points of the cube [−1, 1]^%d, hit or miss", f.Dim), quantity: "2^d · 1[in the ball]", relation: "=", ofMean: true}
	if f.Dim > 12 {
		s.none = "beyond 12 dimensions random points of the cube hardly ever hit the ball"
	}
	s.start = func() (func(*Source) (float64, error), error) {
		return func(src *Source) (float64, error) {
			r := 0.0
			for range f.Dim {
				x := 2*src.Float64() - 1
				r += x * x
			}
			if r <= 1 {
				return math.Pow(2, float64(f.Dim)), nil
			}
			return 0, nil
		}, nil
	}
	return s
}

// simSelection chooses among candidates of which one makes no mistakes and the others the given number, by the exponential mechanism.
func (f ERMFacts) simSelection(mistakes float64, s simulation) simulation {
	s.what = fmt.Sprintf("exponential mechanism among %d candidates, %d of them with %g mistakes", f.Candidates, f.Candidates-1, mistakes)
	s.start = func() (func(*Source) (float64, error), error) {
		if err := simFits("candidates", float64(f.Candidates), 1e6); err != nil {
			return nil, err
		}
		scores := make([]float64, f.Candidates)
		for i := range scores[1:] {
			scores[i+1] = -mistakes
		}
		return func(src *Source) (float64, error) {
			i, err := Exponential{Eps: f.Eps, Rand: src}.Choose(scores)
			if err != nil {
				return 0, err
			}
			x := math.Max(0, -scores[i]) // not −0
			if s.ofMean && mistakes > 0 {
				x /= mistakes
			}
			return x, nil
		}, nil
	}
	return s
}

// simTuning selects among candidates with errors from 0.1 to 0.4 on holdout rows drawn anew, and measures the true error of the selected one above the best.
func (f ERMFacts) simTuning() simulation {
	return simulation{what: fmt.Sprintf("private selection among %d candidates with errors from 0.1 to 0.4 on %d holdout rows", f.Candidates, f.Holdout), start: func() (func(*Source) (float64, error), error) {
		if err := simFits("holdout rows times candidates", float64(f.Holdout)*float64(f.Candidates), 1e6); err != nil {
			return nil, err
		}
		return func(src *Source) (float64, error) {
			scores := make([]float64, f.Candidates)
			rate := func(i int) float64 { return 0.1 + 0.3*float64(i)/float64(f.Candidates-1) }
			for i := range scores {
				for range f.Holdout {
					if src.Float64() < rate(i) {
						scores[i]--
					}
				}
			}
			i, err := Exponential{Eps: f.Eps, Rand: src}.Choose(scores)
			return rate(i) - rate(0), err
		}, nil
	}}
}

// simNorm draws the noise vector and measures its norm.
func (f ERMFacts) simNorm(s simulation) simulation {
	s.what = fmt.Sprintf("noise of density ~ exp(−%.4g‖b‖) in %d dimensions", f.Kappa, f.Dim)
	s.start = simNorm("", f.Dim, 1/f.Kappa).start
	return s
}

// simPrivacyTerm runs objective perturbation on as many rows as asked for, with Λ = ε_g/‖f*‖² and κ = ε/2, and measures the excess, which is to be at most ε_g/8.
func (f ERMFacts) simPrivacyTerm(rows float64) simulation {
	g := f.defaults()
	g.N, g.Lambda, g.Extra, g.Kappa = ceilInt(rows), f.Excess/(f.Norm*f.Norm), 0, f.Eps/2
	if g.C == 0 {
		g.C = 1
	}
	return g.simObjective(0, simulation{quantity: "J(f_priv) − min J", relation: "≤", limit: f.Excess / 8, confidence: 1 - f.Failure})
}
