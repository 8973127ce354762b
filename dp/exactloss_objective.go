package dp

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// objectiveLoss computes with the output density of objective perturbation,
//
//	p(f) ∝ e^{−κ‖b(f)‖} det H(f),  b(f) = −Σ w_i ℓ'(z_i) y_i x_i − a f,  H(f) = a I + Σ w_i ℓ''(z_i) x_i x_iᵀ :
//
// the noise b that makes f the minimiser, and the Jacobian of f ↦ b. The normalising constants of both data sets are equal.
type objectiveLoss struct {
	loss  Loss
	kappa float64
	sigma float64   // Gaussian noise of this deviation instead of e^{−κ‖b‖}, if above 0
	reg   []float64 // regularisation of each coordinate
	side  [2]mapped
	own   [2][]int // rows that the other side does not have, by position
	dim   int
	found *[]float64 // margins where ℓ'' jumps, see kinks; shared by the pairs of one search
}

type mapped struct {
	x    [][]float64
	y, w []float64
}

func exactObjective(m ObjectivePerturbation, d0, d1 *Data) (*PrivacyLoss, error) {
	if !m.Reg.none() {
		return nil, fmt.Errorf("dp.ExactLoss: with the regulariser %s the output law has atoms, and no density is known; dp.Audit tests it from samples", m.Reg.suffix())
	}
	_, p, err := m.claim(d0)
	if err != nil {
		return nil, err
	}
	return exactPerturbed(PerturbedObjective{Loss: defaultLoss(m.Loss), Kappa: p.Kappa, Reg: p.A}, d0, d1)
}

func exactGaussianObjective(m GaussianObjectivePerturbation, d0, d1 *Data) (*PrivacyLoss, error) {
	if !m.Reg.none() {
		return nil, fmt.Errorf("dp.ExactLoss: with the regulariser %s the output law has atoms, and no density is known; dp.Audit tests it from samples", m.Reg.suffix())
	}
	_, p, err := m.claim(d0)
	if err != nil {
		return nil, err
	}
	l, err := exactPerturbed(PerturbedObjective{Loss: defaultLoss(m.Loss), Kappa: 1, Reg: p.a}, d0, d1)
	if err != nil {
		return nil, err
	}
	l.obj.sigma = p.sigma
	return l, nil
}

func exactPerturbed(m PerturbedObjective, d0, d1 *Data) (*PrivacyLoss, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	o := &objectiveLoss{loss: defaultLoss(m.Loss), kappa: m.Kappa}
	for k, d := range []*Data{d0, d1} {
		rows, err := m.rows(d)
		if err != nil {
			return nil, err
		}
		o.side[k] = mapped{x: rows, y: d.y, w: d.weight}
	}
	o.dim = len(o.side[0].x[0])
	if o.dim != len(o.side[1].x[0]) {
		return nil, fmt.Errorf("dp.ExactLoss: the feature map gives %d and %d coordinates", o.dim, len(o.side[1].x[0]))
	}
	o.reg = make([]float64, o.dim)
	for j := range o.reg {
		o.reg[j] = m.Reg
	}
	if m.FreeIntercept {
		o.reg[o.dim-1] = 0
	}
	o.split()
	l := &PrivacyLoss{Dim: o.dim, At: o.at, obj: o}
	if o.dim == 1 && !m.FreeIntercept {
		l.law.pld = o.pld1
	}
	if !m.FreeIntercept {
		l.sample = func(src *Source) ([]float64, error) { return o.draw(0, src) }
		l.reverse = func(src *Source) ([]float64, error) { return o.draw(1, src) }
	}
	return l, nil
}

// draw releases once: f with b(f) = b for a fresh b, by damped Newton steps on Σℓ + a‖f‖²/2 + b·f down to a gradient of 1e-10. It is for
// sampling the loss, not for publishing a model.
func (o *objectiveLoss) draw(side int, src *Source) ([]float64, error) {
	noise := GammaNorm{Dim: o.dim, Kappa: o.kappa}.Sample(src)
	if o.sigma > 0 {
		for j := range noise {
			noise[j] = o.sigma * src.Norm()
		}
	}
	s := o.side[side]
	value := func(f []float64) float64 {
		v := floats.Dot(noise, f)
		for j, x := range f {
			v += o.reg[j] * x * x / 2
		}
		for i, x := range s.x {
			v += s.weight(i) * o.loss.Value(s.y[i]*floats.Dot(f, x))
		}
		return v
	}
	f := make([]float64, o.dim)
	for j := range f {
		f[j] = -noise[j] / o.reg[j]
	}
	v := value(f)
	for range 200 {
		// ∇ = noise − b(f), Hessian = H(f)
		h := mat.NewSymDense(o.dim, nil)
		g := mat.NewVecDense(o.dim, nil)
		for j := range f {
			h.SetSym(j, j, o.reg[j])
			g.SetVec(j, noise[j]+o.reg[j]*f[j])
		}
		for i, x := range s.x {
			z, w := s.y[i]*floats.Dot(f, x), s.weight(i)
			xv := mat.NewVecDense(o.dim, x)
			g.AddScaledVec(g, w*o.loss.Grad(z)*s.y[i], xv)
			if c := w * o.loss.Hess(z); c != 0 {
				h.SymRankOne(h, c, xv)
			}
		}
		if mat.Norm(g, 2) <= 1e-10*(1+norm2(noise)) {
			return f, nil
		}
		var ch mat.Cholesky
		var step mat.VecDense
		if !ch.Factorize(h) || ch.SolveVecTo(&step, g) != nil {
			break
		}
		next := make([]float64, o.dim)
		t := 1.0
		for ; t > 1e-12; t /= 2 {
			floats.AddScaledTo(next, f, -t, step.RawVector().Data)
			if n := value(next); n < v || t == 1 && n <= v+1e-12*math.Abs(v) {
				v = n
				break
			}
		}
		if t <= 1e-12 {
			return f, nil // at the resolution of float64
		}
		f = next
	}
	return nil, fmt.Errorf("dp.ExactLoss: sampling the mechanism did not converge")
}

// at is L(f).
func (o *objectiveLoss) at(f []float64) float64 {
	b0, d0 := o.noise(0, f)
	b1, d1 := o.noise(1, f)
	// ‖b₁‖ − ‖b₀‖ = (b₁−b₀)·(b₁+b₀)/(‖b₁‖+‖b₀‖), with b₁ − b₀ from the differing rows only: far out, where b is huge, the
	// difference of the norms would be rounding noise.
	diff := make([]float64, o.dim)
	for side, s := range o.side {
		sign := float64(1 - 2*side)
		for _, i := range o.own[side] {
			z := s.y[i] * floats.Dot(f, s.x[i])
			floats.AddScaled(diff, sign*s.weight(i)*o.loss.Grad(z)*s.y[i], s.x[i])
		}
	}
	sum := norm2(b0) + norm2(b1)
	if sum == 0 {
		return d0 - d1
	}
	floats.Add(b0, b1)
	if o.sigma > 0 {
		return floats.Dot(diff, b0)/(2*o.sigma*o.sigma) + d0 - d1
	}
	return o.kappa*floats.Dot(diff, b0)/sum + d0 - d1
}

// noise returns b(f) and ln det H(f) for one data set.
func (o *objectiveLoss) noise(side int, f []float64) (b []float64, logdet float64) {
	s := o.side[side]
	b = make([]float64, o.dim)
	if o.dim == 1 {
		h := o.reg[0]
		b[0] = -o.reg[0] * f[0]
		for i, x := range s.x {
			z := s.y[i] * f[0] * x[0]
			w := s.weight(i)
			b[0] -= w * o.loss.Grad(z) * s.y[i] * x[0]
			h += w * o.loss.Hess(z) * x[0] * x[0]
		}
		return b, math.Log(h)
	}
	h := mat.NewSymDense(o.dim, nil)
	for j := range b {
		b[j] = -o.reg[j] * f[j]
		h.SetSym(j, j, o.reg[j])
	}
	for i, x := range s.x {
		z := s.y[i] * floats.Dot(f, x)
		w := s.weight(i)
		floats.AddScaled(b, -w*o.loss.Grad(z)*s.y[i], x)
		if c := w * o.loss.Hess(z); c != 0 {
			h.SymRankOne(h, c, mat.NewVecDense(o.dim, x))
		}
	}
	var ch mat.Cholesky
	if !ch.Factorize(h) {
		return b, math.Inf(-1) // only with an unregularised coordinate: no output near f
	}
	return b, ch.LogDet()
}

func (m mapped) weight(i int) float64 {
	if m.w == nil {
		return 1
	}
	return m.w[i]
}

// kinks lists the margins where ℓ” jumps. Finding them asks the loss 20,000 times, so it is done once and only when needed.
func (o *objectiveLoss) kinks() []float64 {
	if o.found == nil {
		k := kinksOf(o.loss)
		o.found = &k
	}
	return *o.found
}

// kinksOf finds the margins in [−20, 20] where ℓ” jumps by a tenth of C or more.
func kinksOf(l Loss) []float64 {
	const step = 1.0 / 512
	var out []float64
	jump := func(a, b float64) bool { return math.Abs(l.Hess(a)-l.Hess(b)) > 0.1*l.C }
	for z := -20.0; z < 20; z += step {
		a, b := z, z+step
		if !jump(a, b) {
			continue
		}
		for range 60 {
			m := (a + b) / 2
			if m <= a || m >= b {
				break
			}
			if jump(a, m) {
				b = m
			} else {
				a = m
			}
		}
		if jump(a, b) && b-a < 1e-9 { // a steep but smooth ℓ'' is not a jump
			if k := len(out); k == 0 || a-out[k-1] > 1e-9 {
				out = append(out, a)
			}
		}
	}
	return out
}

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

func (o *objectiveLoss) sup1() (float64, []float64) {
	cuts := o.breaks()
	best, at := 0.0, 0.0
	f1 := make([]float64, 1)
	try := func(f float64) float64 {
		f1[0] = f
		v := math.Abs(o.at(f1))
		if math.IsNaN(v) {
			return 0
		}
		if v > best {
			best, at = v, f
		}
		return v
	}
	far := 1 + math.Abs(cuts[0]) + math.Abs(cuts[len(cuts)-1])
	edges := append([]float64{-1e6 * far, -100 * far, cuts[0] - far}, cuts...)
	edges = append(edges, cuts[len(cuts)-1]+far, 100*far, 1e6*far)
	for _, c := range cuts {
		e := 1e-13 * (1 + math.Abs(c))
		try(c - e)
		try(c + e)
	}
	for k := 1; k < len(edges); k++ {
		a, b := edges[k-1], edges[k]
		if b-a < 1e-12*(1+math.Abs(a)) {
			continue
		}
		const steps = 48
		top, where := -1.0, a
		for i := range steps {
			f := a + (b-a)*(float64(i)+0.5)/steps
			if v := try(f); v > top {
				top, where = v, f
			}
		}
		w := (b - a) / steps
		try(goldenMin(func(f float64) float64 { return -try(f) }, math.Max(a, where-w), math.Min(b, where+w)))
	}
	return best, []float64{at}
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

// differing lists a few of the rows that are in one data set only.
func (o *objectiveLoss) differing() []diffRow {
	var out []diffRow
	for side, s := range o.side {
		for _, i := range o.own[side][:min(3, len(o.own[side]))] {
			out = append(out, diffRow{s.x[i], s.y[i]})
		}
	}
	return out
}

// split fills own.
func (o *objectiveLoss) split() {
	a, b := o.side[0], o.side[1]
	for i := range max(len(a.x), len(b.x)) {
		ina, inb := i < len(a.x), i < len(b.x)
		if ina && inb && a.y[i] == b.y[i] && a.weight(i) == b.weight(i) && floats.Equal(a.x[i], b.x[i]) {
			continue
		}
		if ina {
			o.own[0] = append(o.own[0], i)
		}
		if inb {
			o.own[1] = append(o.own[1], i)
		}
	}
}

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
