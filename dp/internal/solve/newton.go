package solve

import (
	"context"
	"math"
)

// denseLimit is the largest dimension for which the Hessian is formed and factorised; above it Newton steps are computed
// by conjugate gradients.
const denseLimit = 500

// Minimise returns a point where the exact gradient of F has norm at most tol. start may be nil (zero). It returns an
// error, and no iterate, when the context is cancelled or the tolerance cannot be certified.
//
// Method: Newton with a line search on the derivative along the step (margins move linearly, so a trial costs no pass over
// the data). The first, rough steps use a subsample of the rows in the Hessian. The last steps use gradients with
// compensated summation and, when a float64 vector is too coarse for tol, carry the iterate as a sum of two vectors.
func Minimise(ctx context.Context, p *Problem, start []float64, tol float64) (*Result, error) {
	s := newState(p, start)
	s.prepare()
	return s.run(ctx, tol)
}

type state struct {
	p           *Problem
	k           int // workers
	f, lo       []float64
	z, dz       []float64
	raw         []float64 // ℓ' at f + rawAt·step, left by along
	rawAt       float64
	slope, curv []float64
	g, step     []float64
	hess        *hessian
	warm        bool // started from the minimiser of a related problem
	whole       bool // the factor comes from all rows, at a point not far away
	steps       int
	group       *laneGroup // makes the passes over the rows, or nil
}

// margins sets z to the margins of f.
func (s *state) margins(f, z []float64) {
	if s.group != nil {
		s.group.pass(marginPass, f, z)
		return
	}
	s.p.margins(f, z, s.k)
}

// gradient sets g from the slopes at f.
func (s *state) gradient() {
	if s.group == nil {
		s.p.gradient(s.f, s.slope, s.g, s.k)
		return
	}
	s.group.pass(gradientPass, s.slope, s.g)
	for j := range s.g {
		s.g[j] += s.p.Reg * s.f[j]
		if s.p.Lin != nil {
			s.g[j] += s.p.Lin[j]
		}
	}
}

func newState(p *Problem, start []float64) *state {
	n, d := p.X.N, p.X.D
	s := &state{p: p, k: workers(p.work()), f: make([]float64, d), lo: make([]float64, d), z: make([]float64, n), dz: make([]float64, n), raw: make([]float64, n),
		slope: make([]float64, n), curv: make([]float64, n), g: make([]float64, d), step: make([]float64, d)}
	if start != nil {
		copy(s.f, start)
	}
	if d <= denseLimit {
		s.hess = newHessian(n, d)
	}
	return s
}

// prepare computes margins, slopes and gradient at the starting point.
func (s *state) prepare() {
	s.p.margins(s.f, s.z, s.k)
	s.p.slopes(s.z, s.slope, s.k)
	s.p.gradient(s.f, s.slope, s.g, s.k)
}

func (s *state) run(ctx context.Context, tol float64) (*Result, error) {
	p := s.p
	first := norm(s.g)
	stride := 1
	if s.hess != nil && !s.warm {
		// About 40 rows a column are enough for the first steps.
		stride = max(1, p.X.N/max(40*p.X.D, 2000))
	}
	prev := math.Inf(1)
	for s.steps < 200 {
		if err := cancelled(ctx); err != nil {
			return nil, err
		}
		size := norm(s.g)
		if size <= 0.3*tol || size <= first*1e-14 {
			break
		}
		if stride > 1 && (size < 0.02*first || s.steps > 0 && size > 0.3*prev) {
			stride = 1
		}
		// While steps with the last factor gain more than a digit each, a new factor does not pay.
		reuse := s.whole && size < 0.1*prev
		prev = size
		if err := s.direction(ctx, stride, s.steps == 0 && !s.warm, reuse, size); err != nil {
			return nil, err
		}
		s.steps++
		if !s.search() {
			if reuse {
				s.whole = false
				continue
			}
			break // no progress in plain arithmetic: polish
		}
	}
	return s.polish(ctx, tol)
}

// direction sets step to minus the (approximate) inverse Hessian times g.
// With reuse the last factor is taken as it is.
func (s *state) direction(ctx context.Context, stride int, first, reuse bool, size float64) error {
	for j, v := range s.g {
		s.step[j] = -v
	}
	if reuse && s.hess.d*s.hess.d*s.hess.d/6 > s.p.work() {
		cholSolve(s.hess.factor, s.p.X.D, s.step)
		return nil
	}
	s.p.curvatures(s.z, s.curv, s.k)
	// A few rows that entered or left the curved part of the loss are cheaper to add than a slower step is to repeat.
	if reuse && !s.hess.fewChanges(s.curv, s.p.X.N*s.p.X.N/(s.p.work()+1)) {
		cholSolve(s.hess.factor, s.p.X.D, s.step)
		return nil
	}
	c := s.curv
	if first {
		c = s.firstCurvature()
	}
	if s.hess == nil {
		return s.conjugateGradients(ctx, c, math.Min(0.1, math.Sqrt(size/(1+size))))
	}
	s.hess.set(s.p, c, stride, s.k, s.group)
	s.hess.factorise(s.p.Reg)
	s.whole = stride == 1 && !first
	cholSolve(s.hess.factor, s.p.X.D, s.step)
	return nil
}

// firstCurvature replaces a curvature that vanishes at most rows (a Huber loss at f = 0) by its upper bound: the first step
// is then a ridge regression, which points the right way, instead of a gradient step of absurd length.
func (s *state) firstCurvature() []float64 {
	zero := 0
	for _, v := range s.curv {
		if v < 1e-3*s.p.C {
			zero++
		}
	}
	if 2*zero < len(s.curv) {
		return s.curv
	}
	c := make([]float64, len(s.curv))
	for i := range c {
		c[i] = s.p.weight(i) * math.Min(s.p.C, 1)
	}
	return c
}

// search moves f to f + t·step, where t is near the minimum along the step; it updates margins, slopes and gradient and reports
// whether the point moved.
func (s *state) search() bool {
	p := s.p
	for _, v := range s.step {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	s.margins(s.step, s.dz)
	// F(f+t·s)' = Σ w ℓ'(z+t dz) dz + linear + t·quadratic
	var lin, quad float64
	for j, v := range s.step {
		lin += v * p.Reg * s.f[j]
		if p.Lin != nil {
			lin += v * p.Lin[j]
		}
		quad += v * p.Reg * v
	}
	k := workers(p.X.N * 16)
	if s.group != nil {
		k = 1
	}
	d0 := dot(s.g, s.step)
	if !(d0 < 0) {
		return false
	}
	t, lo, hi := 1.0, 0.0, math.Inf(1)
	dlo, dhi := d0, 0.0
	best := 0.0
	for range 60 {
		dt := s.along(t, lin, quad, k)
		if math.Abs(dt) <= 0.25*-d0 {
			best = t
			break
		}
		if dt < 0 {
			lo, dlo, best = t, dt, t
		} else {
			hi, dhi = t, dt
		}
		if math.IsInf(hi, 1) {
			t *= 4
			continue
		}
		// Secant within the bracket, kept away from its ends.
		next := lo + (hi-lo)*(-dlo/(dhi-dlo))
		gap := 0.05 * (hi - lo)
		t = math.Min(math.Max(next, lo+gap), hi-gap)
		if hi-lo < 1e-14*hi {
			break
		}
	}
	if best == 0 {
		return false
	}
	for j, v := range s.step {
		s.f[j] += best * v
	}
	// Recompute the margins now and then would cost a pass; the update is exact enough until polishing.
	fresh := s.rawAt == best // along evaluated the loss at the new point already
	parallel(p.X.N, k, func(_, lo, hi int) {
		axpy(best, s.dz[lo:hi], s.z[lo:hi])
		if !fresh {
			p.Eval(s.z[lo:hi], nil, s.raw[lo:hi], nil)
		}
		slope, raw := s.slope[lo:hi], s.raw[lo:hi]
		for i, y := range p.Y[lo:hi] {
			slope[i] = y * raw[i]
		}
		if p.W != nil {
			for i, wt := range p.W[lo:hi] {
				slope[i] *= wt
			}
		}
	})
	s.gradient()
	return true
}

// along is the derivative of F at f + t·step.
func (s *state) along(t, lin, quad float64, k int) float64 {
	p := s.p
	part := make([]float64, k)
	parallel(p.X.N, k, func(w, lo, hi int) {
		var z [block]float64
		sum := 0.0
		for a := lo; a < hi; a += block {
			b := min(a+block, hi)
			sz, dz, g := s.z[a:b], s.dz[a:b], s.raw[a:b]
			for i, v := range sz {
				z[i] = v + t*dz[i]
			}
			p.Eval(z[:b-a], nil, g, nil)
			if p.W == nil {
				sum += dot(g, dz)
			} else {
				for i, wt := range p.W[a:b] {
					sum += wt * g[i] * dz[i]
				}
			}
		}
		part[w] = sum
	})
	s.rawAt = t
	v := lin + t*quad
	for _, x := range part {
		v += x
	}
	return v
}

// polish takes Newton steps with certified gradients until the certificate holds.
func (s *state) polish(ctx context.Context, tol float64) (*Result, error) {
	p := s.p
	best, last := math.Inf(1), math.Inf(1)
	stalled := 0
	for range 60 {
		if err := cancelled(ctx); err != nil {
			return nil, err
		}
		g, e := p.certifiedGradient(s.f, s.lo, s.k, tol/2)
		size := norm(g)
		if size+e <= tol {
			return &Result{Hi: s.f, Lo: s.lo, Norm: size + e, Steps: s.steps}, nil
		}
		if e > tol {
			// No iterate can be certified when the arithmetic alone is coarser than the tolerance.
			return nil, &NotCertified{Norm: size + e, Tol: tol, Steps: s.steps}
		}
		if size > 0.5*best {
			stalled++
		}
		best = math.Min(best, size)
		if stalled > 8 {
			return nil, &NotCertified{Norm: size + e, Tol: tol, Steps: s.steps}
		}
		copy(s.g, g)
		far := size > 1e3*tol && size > 1e-9*(1+p.Reg*norm(s.f))
		reuse := s.whole && !far && size < 0.1*last
		last = size
		if !reuse {
			s.margins(s.f, s.z)
		}
		if err := s.direction(ctx, 1, false, reuse, size); err != nil {
			return nil, err
		}
		s.steps++
		if far {
			// Still far: protect the step by the line search, then fold the low part in.
			if s.search() {
				continue
			}
		}
		for j, v := range s.step {
			var t sum2
			t.add(s.f[j])
			t.add(s.lo[j])
			t.add(v)
			s.f[j] = t.hi + t.lo
			s.lo[j] = (t.hi - s.f[j]) + t.lo
		}
	}
	return nil, &NotCertified{Norm: best, Tol: tol, Steps: s.steps}
}

// conjugateGradients solves (Σ c x xᵀ + Reg I) step = −g to the given relative accuracy, preconditioned by the diagonal.
func (s *state) conjugateGradients(ctx context.Context, c []float64, rel float64) error {
	p, d := s.p, s.p.X.D
	diag := make([]float64, d)
	for i := range p.X.N {
		if c[i] == 0 {
			continue
		}
		if p.X.Sparse() {
			for k := p.X.Ptr[i]; k < p.X.Ptr[i+1]; k++ {
				diag[p.X.Idx[k]] += c[i] * p.X.Val[k] * p.X.Val[k]
			}
		} else {
			for j, v := range p.X.Values(i) {
				diag[j] += c[i] * v * v
			}
		}
	}
	for j := range diag {
		diag[j] += p.Reg
	}
	r := append([]float64(nil), s.step...)
	x := make([]float64, d)
	q, hq, zv := make([]float64, d), make([]float64, d), make([]float64, d)
	stop := norm(r) * rel
	rz := 0.0
	for it := 0; it < 10*d+100; it++ {
		if err := cancelled(ctx); err != nil {
			return err
		}
		if norm(r) <= stop {
			break
		}
		nz := 0.0
		for j := range zv {
			zv[j] = r[j] / diag[j]
			nz += zv[j] * r[j]
		}
		beta := 0.0
		if it > 0 {
			beta = nz / rz
		}
		rz = nz
		for j := range q {
			q[j] = zv[j] + beta*q[j]
		}
		p.hessianTimes(c, q, hq, s.k)
		qhq := dot(q, hq)
		if !(qhq > 0) {
			break
		}
		a := rz / qhq
		axpy(a, q, x)
		axpy(-a, hq, r)
	}
	copy(s.step, x)
	return nil
}

// hessianTimes sets out = (Σ c x xᵀ + Reg I) v.
func (p *Problem) hessianTimes(c, v, out []float64, k int) {
	part := make([][]float64, k)
	for w := range part {
		part[w] = make([]float64, p.X.D)
	}
	parallel(p.X.N, k, func(w, lo, hi int) {
		for i := lo; i < hi; i++ {
			if c[i] != 0 {
				if t := c[i] * p.X.Dot(i, v); t != 0 {
					p.X.AddTo(i, t, part[w])
				}
			}
		}
	})
	for j := range out {
		out[j] = p.Reg * v[j]
		for w := range part {
			out[j] += part[w][j]
		}
	}
}
