package dp

import (
	"math"
	"sort"
)

// pld1 is the law of the loss in one dimension. b(f) is strictly decreasing, so P(f ≤ t) = P(b ≥ b(t)) is exact for Laplace noise b; the line
// is cut into cells at the kinks and finely between, and each cell's mass is put on the span of the loss over the cell, widened by its variation at the midpoint.
func (o *objectiveLoss) pld1(step float64) (PLD, error) {
	if step == 0 {
		step = 1e-3
	}
	var edges []float64
	for side := range 2 {
		for i := 0; i <= 4000; i++ { // equal probability and then into the tails
			t := (-40 + 80*float64(i)/4000) / o.kappa
			if o.sigma > 0 {
				t = (-9 + 18*float64(i)/4000) * o.sigma
			}
			edges = append(edges, o.solve1(side, t))
		}
	}
	for _, c := range o.breaks() {
		e := 1e-13 * (1 + math.Abs(c))
		edges = append(edges, c-e, c+e)
	}
	sort.Float64s(edges)
	type cellMass struct{ p, q, lo, hi float64 }
	var cells []cellMass
	f1 := make([]float64, 1)
	lossAt := func(f float64) float64 { f1[0] = f; return o.at(f1) }
	min, max := math.Inf(1), math.Inf(-1)
	put := func(a, b float64) { // (a, b], with infinite ends allowed
		p, q := o.mass1(0, a, b), o.mass1(1, a, b)
		if p <= 0 && q <= 0 {
			return
		}
		x, y := a, b
		if math.IsInf(x, -1) {
			x = b - 1e3*(1+math.Abs(b))
		}
		if math.IsInf(y, 1) {
			y = a + 1e3*(1+math.Abs(a))
		}
		l0, l1, l2 := lossAt(x), lossAt((x+y)/2), lossAt(y)
		lo, hi := math.Min(l0, math.Min(l1, l2)), math.Max(l0, math.Max(l1, l2))
		if p > 1e-290 && q > 1e-290 {
			r := math.Log(p / q)
			if math.Abs(r-lo) < 0.1 || math.Abs(r-hi) < 0.1 { // rounding of tiny masses must not widen the cell
				lo, hi = math.Min(lo, r), math.Max(hi, r)
			}
		}
		cells = append(cells, cellMass{p, q, lo, hi})
		min, max = math.Min(min, lo), math.Max(max, hi)
	}
	tails := 0.0
	prev := math.Inf(-1)
	if o.sigma > 0 { // beyond nine deviations of either side the loss has no bound: count that as certain failure
		prev = edges[0]
		tails = 2 * normalCDF(-9)
	}
	for _, e := range edges {
		if e > prev {
			put(prev, e)
			prev = e
		}
	}
	if o.sigma == 0 {
		put(prev, math.Inf(1))
	}
	var out PLD
	for order := range 2 {
		a, b := min, max
		if order == 1 {
			a, b = -max, -min
		}
		l, err := newLossPMF(a, b, step)
		if err != nil {
			return out, err
		}
		for _, c := range cells {
			if order == 0 {
				l.add(c.p, c.q, c.lo, c.hi)
			} else {
				l.add(c.q, c.p, -c.hi, -c.lo)
			}
		}
		l.extra += 1e-12 + tails
		out.dirs = append(out.dirs, l.finish())
	}
	return out, nil
}

// mass1 is P(a < f ≤ b) for one side.
func (o *objectiveLoss) mass1(side int, a, b float64) float64 {
	hi, lo, unit := math.Inf(1), math.Inf(-1), o.kappa
	if o.sigma > 0 {
		unit = 1 / o.sigma
	}
	if !math.IsInf(a, -1) {
		hi = unit * o.b1(side, a)
	}
	if !math.IsInf(b, 1) {
		lo = unit * o.b1(side, b)
	}
	if o.sigma > 0 {
		return normalMass(lo, hi)
	}
	// mass of the Laplace law between lo and hi, from the nearer tail
	if lo >= 0 {
		return (math.Exp(-lo) - math.Exp(-hi)) / 2
	}
	if hi <= 0 {
		return (math.Exp(hi) - math.Exp(lo)) / 2
	}
	return 1 - (math.Exp(-hi)+math.Exp(lo))/2
}
