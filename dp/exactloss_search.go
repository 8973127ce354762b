package dp

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

func (o *objectiveLoss) sup() (float64, []float64) {
	if o.sigma > 0 && len(o.own[0])+len(o.own[1]) > 0 {
		// The noise b grows without bound along f, and with it the ratio of its Gaussian densities wherever the gradients differ.
		for _, r := range o.differing() {
			for _, s := range []float64{-1e6, 1e6} {
				f := append([]float64(nil), r.x...)
				floats.Scale(s/math.Max(1e-12, norm2(f))/o.reg[0]*o.sigma, f)
				if v := math.Abs(o.at(f)); v > 1e3 {
					return math.Inf(1), f
				}
			}
		}
	}
	if o.dim == 1 {
		return o.sup1()
	}
	return o.supN()
}

// breaks lists the outputs of a one-dimensional mechanism where the density of either side has a kink or a jump, with both data sets'
// minimisers (where ‖b‖ has its corner), in order.
func (o *objectiveLoss) breaks() []float64 {
	var f []float64
	for side, s := range o.side {
		last := map[[2]float64]bool{}
		for i, x := range s.x {
			key := [2]float64{x[0], s.y[i]}
			if x[0] == 0 || last[key] {
				continue
			}
			last[key] = true
			for _, z := range o.kinks() {
				f = append(f, z*s.y[i]/x[0])
			}
		}
		f = append(f, o.zero1(side))
	}
	sort.Float64s(f)
	return f
}

// b1 is the signed noise of a one-dimensional mechanism at f: strictly decreasing in f.
func (o *objectiveLoss) b1(side int, f float64) float64 {
	s := o.side[side]
	b := -o.reg[0] * f
	for i, x := range s.x {
		b -= s.weight(i) * o.loss.Grad(s.y[i]*f*x[0]) * s.y[i] * x[0]
	}
	return b
}

// zero1 solves b(f) = 0.
func (o *objectiveLoss) zero1(side int) float64 { return o.solve1(side, 0) }

// solve1 solves b(f) = b by bisection.
func (o *objectiveLoss) solve1(side int, b float64) float64 {
	lo, hi := -1.0, 1.0
	for o.b1(side, lo) < b && lo > -1e300 {
		lo *= 2
	}
	for o.b1(side, hi) > b && hi < 1e300 {
		hi *= 2
	}
	for range 2000 {
		m := (lo + hi) / 2
		if m <= lo || m >= hi {
			break
		}
		if o.b1(side, m) > b {
			lo = m
		} else {
			hi = m
		}
	}
	return hi
}

// supN searches an output of more than one dimension: simplex searches of |L| from the two minimisers, from random outputs of the mechanism and from points on the kinks of the rows
// that differ, then along those kinks, where the curvature of a row appears or vanishes.
func (o *objectiveLoss) supN() (float64, []float64) {
	src := Seed(1) // the search is reproducible; nothing is released
	best, at := 0.0, make([]float64, o.dim)
	try := func(f []float64) float64 {
		v := math.Abs(o.at(f))
		if math.IsNaN(v) {
			return 0
		}
		if v > best {
			best = v
			copy(at, f)
		}
		return v
	}
	diff := o.differing()
	onKink := func(f []float64, r diffRow, z, nudge float64) []float64 {
		g := append([]float64(nil), f...)
		n := floats.Dot(r.x, r.x)
		if n > 0 {
			want := z + nudge*1e-12*(1+math.Abs(z))
			for range 2 { // the second step removes the rounding of the first
				floats.AddScaled(g, (want-r.y*floats.Dot(g, r.x))*r.y/n, r.x)
			}
		}
		return g
	}
	polish := func(start []float64, through func([]float64) []float64) {
		f := func(x []float64) float64 { return -try(through(x)) }
		res, err := optimize.Minimize(optimize.Problem{Func: f}, start, &optimize.Settings{FuncEvaluations: 400 * (o.dim + 1), Converger: &optimize.FunctionConverge{Absolute: 1e-10, Iterations: 60}}, &optimize.NelderMead{})
		if err == nil && res != nil {
			try(through(res.X))
		}
	}
	id := func(x []float64) []float64 { return x }
	var starts [][]float64
	starts = append(starts, make([]float64, o.dim))
	scale := 1 / (o.kappa * math.Max(minPositive(o.reg), 1e-12))
	for range 6 {
		f := make([]float64, o.dim)
		for j := range f {
			f[j] = src.Norm() * math.Min(scale, 1e3)
		}
		starts = append(starts, f)
	}
	for _, r := range diff {
		for _, s := range []float64{-1e3, -3, -1, 1, 3, 1e3} {
			f := append([]float64(nil), r.x...)
			floats.Scale(s*r.y/math.Max(floats.Dot(r.x, r.x), 1e-12), f)
			starts = append(starts, f)
		}
	}
	for _, s := range starts {
		try(s)
		for _, r := range diff {
			for _, z := range o.kinks() {
				for _, n := range []float64{-1, 1} {
					try(onKink(s, r, z, n))
				}
			}
		}
	}
	for i, s := range starts {
		if i < 8 || i%3 == 0 {
			polish(s, id)
		}
	}
	for _, r := range diff {
		for _, z := range o.kinks() {
			for _, n := range []float64{-1, 1} {
				through := func(x []float64) []float64 { return onKink(x, r, z, n) }
				polish(append([]float64(nil), at...), through)
				polish(make([]float64, o.dim), through)
			}
		}
	}
	polish(append([]float64(nil), at...), id)
	return best, at
}

func minPositive(v []float64) float64 {
	m := math.Inf(1)
	for _, x := range v {
		if x > 0 {
			m = math.Min(m, x)
		}
	}
	return m
}

type diffRow struct {
	x []float64
	y float64
}
