package dp

import (
	"fmt"
	"math"

	"example.org/godp/dp/internal/ww"
	"gonum.org/v1/gonum/mat"
)

// Simulations beside the statements of Pathak and Raj. The ball and the appended coordinate share r² equally, R = τ = √(r²/2).

// side is R = τ.
func (f PathakRajFacts) side() float64 { return math.Sqrt(f.R2 / 2) }

// simRecord is the problem of one record: its gradient at W is V ⊗ u.
func (f PathakRajFacts) simRecord(dim int, x []float64, y, components int) *ww.Problem {
	p := &ww.Problem{N: 1, D: dim, X: x, Y: []int32{int32(y)}, Classes: f.Classes, Tau: f.side(), H: f.H, Margin: 1}
	if components > 1 {
		for c := range f.Classes {
			for range components {
				p.Comp = append(p.Comp, int32(c))
			}
		}
		p.Sub = []int32{int32(y * components)}
	}
	return p
}

// simGradient measures the norm of one record's gradient, or the distance of two records', at random parameters; the first run is the extremal one: no parameters yet, one
// place, two labels.
func (f PathakRajFacts) simGradient(two bool, components int) simulation {
	what := "gradients of random records at random parameters"
	if two {
		what = "gradients of random pairs of records at random parameters"
	}
	return simulation{what: what, relation: "≤", start: func() (func(*Source) (float64, error), error) {
		dim, run := min(max(1, f.Dim), 20), 0
		if err := simFits("classes", float64(f.Classes), 1000); err != nil {
			return nil, err
		}
		return func(src *Source) (float64, error) {
			run++
			record := func(y int) ([]float64, int) {
				x := randomRow(dim, f.side(), src)
				if run == 1 {
					x = make([]float64, dim)
					x[0] = f.side()
				}
				if y < 0 {
					y = src.Intn(f.Classes)
				}
				return x, y
			}
			first := -1
			if run == 1 {
				first = 0
			}
			x0, y0 := record(first)
			a := f.simRecord(dim, x0, y0, components)
			w := make([]float64, a.Len())
			if run > 1 {
				t := math.Exp(6*src.Float64() - 4)
				for k := range w {
					w[k] = t * src.Norm()
				}
			}
			if components > 1 && run == 1 { // one component of every class nearer than the others, so that all the weight is on it
				q := a.Mode.Len(dim)
				for k := range a.Components() {
					if k%components != 0 {
						w[k*q+q-1] = 1e3
					}
				}
			}
			ctx := ambientContext()
			grad := func(p *ww.Problem) ([]float64, error) {
				s, g := make([]float64, p.Components()), make([]float64, len(w))
				if err := p.Scores(ctx, w, s); err != nil {
					return nil, err
				}
				return g, p.Gradient(ctx, w, s, g)
			}
			g, err := grad(a)
			if err != nil || !two {
				return norm2(g), err
			}
			second := -1
			if run == 1 {
				second = 1
			}
			x1, y1 := record(second)
			h, err := grad(f.simRecord(dim, x1, y1, components))
			if err != nil {
				return 0, err
			}
			return norm2(difference(g, h)), nil
		}, nil
	}}
}

// simJacobian measures the log ratio of the determinants nΛ·I + H and nΛ·I + H', where H and H' are the Hessians of two records at random parameters.
func (f PathakRajFacts) simJacobian(lambda, limit float64) simulation {
	return simulation{what: "Hessians of random pairs of records", quantity: "ln det(nΛI+H) − ln det(nΛI+H')", relation: "≤", limit: limit, confidence: 1,
		start: func() (func(*Source) (float64, error), error) {
			if err := simFits("classes", float64(f.Classes), 200); err != nil {
				return nil, err
			}
			run := 0
			logDet := func(all bool, src *Source) float64 {
				// H = B ⊗ uuᵀ, B the weighted star of the margins inside the curved part of the loss; det(I + H/(nΛ)) = det(I + ‖u‖²B/(nΛ)).
				c, y := f.Classes, src.Intn(f.Classes)
				norm := f.R2 * f.R2
				if !all {
					z := f.R2/2 + f.R2/2*src.Float64()
					norm = z * z
				}
				m := mat.NewDense(c, c, nil)
				for k := range c {
					m.Set(k, k, 1)
				}
				t := norm / (2 * f.H * float64(f.N) * lambda)
				for k := range c {
					if k == y || !all && src.Intn(2) == 0 {
						continue
					}
					m.Set(k, k, m.At(k, k)+t)
					m.Set(y, y, m.At(y, y)+t)
					m.Set(k, y, -t)
					m.Set(y, k, -t)
				}
				v, _ := mat.LogDet(m)
				return v
			}
			return func(src *Source) (float64, error) {
				run++
				if run == 1 {
					return logDet(true, src), nil
				}
				return math.Abs(logDet(false, src) - logDet(false, src)), nil
			}, nil
		}}
}

// simData draws labelled rows in the ball of radius R; shrink 1 fills it.
func (f PathakRajFacts) simData(n, dim int, src *Source) (*Data, error) {
	rows, cls := make([][]float64, n), make([]int, n)
	shells := Shells(n, dim, f.Classes, 0, src)
	for i := range rows {
		rows[i], cls[i] = shells.Row(i), shells.Class(i)
		for j := range rows[i] {
			rows[i][j] *= f.side()
		}
	}
	return NewClasses(rows, cls, shells.ClassNames(), f.side())
}

// simOutput measures the distance of the minimisers of neighbouring data sets; the first pair is a label flip at one place.
func (f PathakRajFacts) simOutput() simulation {
	return simulation{what: fmt.Sprintf("exact minimisers of neighbouring data sets, %d rows", f.N), start: func() (func(*Source) (float64, error), error) {
		dim, run := min(max(1, f.Dim), 10), 0
		if err := simFits("rows times classes", float64(f.N)*float64(f.Classes), 1e5); err != nil {
			return nil, err
		}
		tol := 1e-6 * prOutSens(f.Classes, f.R2, f.N, f.Lambda) * f.Lambda
		return func(src *Source) (float64, error) {
			run++
			a, err := f.simData(f.N, dim, src)
			if err != nil {
				return 0, err
			}
			row, label := randomRow(dim, f.side(), src), src.Intn(f.Classes)
			if run == 1 {
				rows, cls := make([][]float64, f.N), make([]int, f.N)
				for i := range rows {
					rows[i], cls[i] = make([]float64, dim), i%f.Classes
					rows[i][0] = f.side()
				}
				if a, err = NewClasses(rows, cls, a.ClassNames(), f.side()); err != nil {
					return 0, err
				}
				row, label = rows[0], 1
			}
			b, err := a.Replace(0, row, float64(label))
			if err != nil {
				return 0, err
			}
			var w [2][]float64
			for i, d := range []*Data{a, b} {
				p, err := LargeMargin{Lambda: f.Lambda, H: f.H, Tau: f.side()}.plan("Bound.Check", d)
				if err != nil {
					return 0, err
				}
				r, err := ww.Minimise(ambientContext(), p.prob, tol)
				if err != nil {
					return 0, err
				}
				w[i] = r.W
			}
			return math.Max(0, norm2(difference(w[0], w[1]))-2*tol/f.Lambda), nil
		}, nil
	}}
}

// simNorm draws noise whose norm has the Gamma law of the given shape and scale.
func simNorm(what string, shape int, scale float64) simulation {
	return simulation{what: what, start: func() (func(*Source) (float64, error), error) {
		return func(src *Source) (float64, error) {
			s := 0.0
			for range shape {
				s += src.Exp()
			}
			return scale * s, nil
		}, simFits("dimensions", float64(shape), 1e7)
	}}
}

// simTheorem2 trains by the corrected objective perturbation (without its rounding noise) and measures J(W_priv) − J(W*).
func (f PathakRajFacts) simTheorem2() simulation {
	return simulation{what: f.simTrained(""), start: func() (func(*Source) (float64, error), error) {
		d, err := f.simTrainable(f.N)
		if err != nil {
			return nil, err
		}
		run, err := f.simPerturbed(d)
		if err != nil {
			return nil, err
		}
		_, value, err := run(nil)
		if err != nil {
			return nil, err
		}
		return func(src *Source) (float64, error) {
			_, v, err := run(src)
			return math.Max(0, v-value), err
		}, nil
	}}
}

// simTrained says what the simulations that train run.
func (f PathakRajFacts) simTrained(of string) string {
	return fmt.Sprintf("corrected objective perturbation on shells%s, %d rows, %d classes", of, f.N, f.Classes)
}

// simTrainable is a data set of the facts' shape that is small enough to train on often.
func (f PathakRajFacts) simTrainable(n int) (*Data, error) {
	if f.Dim < 1 || f.NoiseQuantile != 0 && f.Eps == 0 {
		return nil, badArg("Bound.Check", "Dim, Eps", fmt.Sprintf("%d, %g", f.Dim, f.Eps), "the mechanism to run needs a dimension and an ε, not NoiseQuantile alone")
	}
	q := float64(f.Dim+1) * float64(f.Dim+2) / 2
	if err := simFits("numbers to train on", float64(n)*q*float64(f.Classes), 1e7); err != nil {
		return nil, err
	}
	return f.simData(n, f.Dim, Seed(1))
}

// simPerturbed returns a function that minimises J with (src) or without (nil) the perturbation, and gives the minimiser and J there.
func (f PathakRajFacts) simPerturbed(d *Data) (func(src *Source) ([]float64, float64, error), error) {
	p, err := LargeMargin{Lambda: f.Lambda, H: f.H, Tau: f.side()}.plan("Bound.Check", d)
	if err != nil {
		return nil, err
	}
	scale := prSens(f.Classes, f.R2) / (f.Eps - prJ(f.Classes, f.R2, f.H, d.Len(), f.Lambda))
	ctx := ambientContext()
	return func(src *Source) ([]float64, float64, error) {
		prob := *p.prob
		if src != nil {
			prob.B = gaugeNoise(f.Classes, p.mode.Len(d.Dim()), scale, src)
		}
		r, err := ww.Minimise(ctx, &prob, 1e-8)
		if err != nil {
			return nil, 0, multiError("Bound.Check", err)
		}
		prob.B = nil
		s := make([]float64, prob.N*prob.Components())
		if err := prob.Scores(ctx, r.W, s); err != nil {
			return nil, 0, err
		}
		return r.W, prob.Value(r.W, s), nil
	}, nil
}

// simTheorem3 draws data sets from a population of 20·N rows (with replacement: the population is the law), trains as simTheorem2 and measures the risk on the population
// above that of the population's own regularised minimiser.
func (f PathakRajFacts) simTheorem3() simulation {
	return simulation{what: f.simTrained(" (samples of a population)"), start: func() (func(*Source) (float64, error), error) {
		all, err := f.simTrainable(20 * f.N)
		if err != nil {
			return nil, err
		}
		prob, risk, err := f.simRiskOn(all)
		if err != nil {
			return nil, err
		}
		best, err := ww.Minimise(ambientContext(), prob, 1e-8)
		if err != nil {
			return nil, multiError("Bound.Check", err)
		}
		least, err := risk(best.W)
		if err != nil {
			return nil, err
		}
		return func(src *Source) (float64, error) {
			idx := make([]int, f.N)
			for i := range idx {
				idx[i] = src.Intn(all.Len())
			}
			run, err := f.simPerturbed(all.Subset(idx))
			if err != nil {
				return 0, err
			}
			w, _, err := run(src)
			if err != nil {
				return 0, err
			}
			v, err := risk(w)
			return math.Max(0, v-least), err
		}, nil
	}}
}

// simIndependent computes the loss of the noise, (ε/2)Σ(‖b'_c‖ − ‖b_c‖), at outputs around 0 for a label flip among rows of one class; the first output is 0 itself.
func (f PathakRajFacts) simIndependent() simulation {
	return simulation{what: "exact loss of the noise at outputs around Φ = 0, a label flip among rows of one class", quantity: "ln of the density ratio", relation: "≥", confidence: 1,
		start: func() (func(*Source) (float64, error), error) {
			if err := simFits("classes", float64(f.Classes), 1000); err != nil {
				return nil, err
			}
			dim, run := 1, 0
			n := f.Classes // of class 1, and one flipped record
			x := make([]float64, n)
			y := make([]int32, n)
			for i := range x {
				x[i], y[i] = f.side(), 1
			}
			ctx := ambientContext()
			return func(src *Source) (float64, error) {
				run++
				p := &ww.Problem{N: n, D: dim, X: x, Classes: f.Classes, Tau: f.side(), H: f.H, Margin: 1, Y: y}
				w := make([]float64, p.Len())
				if run > 1 {
					for k := range w {
						w[k] = src.Norm()
					}
				}
				norms := func(last int32) (float64, error) {
					prob := *p
					prob.Y = append(append([]int32(nil), y[:n-1]...), last)
					s, g := make([]float64, n*f.Classes), make([]float64, len(w))
					if err := prob.Scores(ctx, w, s); err != nil {
						return 0, err
					}
					if err := prob.Gradient(ctx, w, s, g); err != nil {
						return 0, err
					}
					t, q := 0.0, prob.Mode.Len(dim)
					for c := range f.Classes {
						t += norm2(g[c*q : (c+1)*q])
					}
					return float64(n) * t, nil // the published objective is a sum
				}
				a, err := norms(0)
				if err != nil {
					return 0, err
				}
				b, err := norms(1)
				return f.Eps / 2 * math.Abs(b-a), err
			}, nil
		}}
}

// simRisk trains as simTheorem2 and measures the empirical risk above that of the best point found of norm SolutionNorm or less, on the ray of the minimiser.
func (f PathakRajFacts) simRisk() simulation {
	return simulation{what: f.simTrained(""), start: func() (func(*Source) (float64, error), error) {
		d, err := f.simTrainable(f.N)
		if err != nil {
			return nil, err
		}
		run, err := f.simPerturbed(d)
		if err != nil {
			return nil, err
		}
		_, risk, err := f.simRiskOn(d)
		if err != nil {
			return nil, err
		}
		base, _, err := run(nil)
		if err != nil {
			return nil, err
		}
		least, ray := math.Inf(1), make([]float64, len(base))
		for k := 0; k <= 20; k++ {
			for j, v := range base {
				ray[j] = v * f.SolutionNorm * float64(k) / 20 / math.Max(norm2(base), 1e-300)
			}
			v, err := risk(ray)
			if err != nil {
				return nil, err
			}
			least = math.Min(least, v)
		}
		return func(src *Source) (float64, error) {
			w, _, err := run(src)
			if err != nil {
				return 0, err
			}
			v, err := risk(w)
			return math.Max(0, v-least), err
		}, nil
	}}
}

// simRiskOn returns the mean loss on d as a function of the parameters, and the problem it belongs to.
func (f PathakRajFacts) simRiskOn(d *Data) (*ww.Problem, func(w []float64) (float64, error), error) {
	p, err := LargeMargin{Lambda: f.Lambda, H: f.H, Tau: f.side()}.plan("Bound.Check", d)
	if err != nil {
		return nil, nil, err
	}
	return p.prob, func(w []float64) (float64, error) {
		s := make([]float64, d.Len()*f.Classes)
		err := p.prob.Scores(ambientContext(), w, s)
		return p.prob.Loss(s), err
	}, nil
}
