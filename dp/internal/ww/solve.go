package ww

import (
	"context"
	"fmt"
	"math"
)

// Result is a minimiser with its certificate.
type Result struct {
	W        []float64
	GradNorm float64 // ‖∇F(W)‖₂, recomputed from W; for the constrained problem, a bound on the smallest subgradient
	Value    float64
	LBFGS    int // iterations of each kind
	Newton   int
	CG       int
	FISTA    int
}

// Minimise finds W with ‖∇F(W)‖₂ ≤ tol, starting from 0: L-BFGS first, then semi-smooth Newton steps by conjugate gradients.
// Scores are linear in W, so a line search costs no pass over the features: one evaluation an iteration. F is Λ-strongly
// convex, so ‖W − W*‖ ≤ ‖∇F(W)‖/Λ.
func Minimise(ctx context.Context, p *Problem, tol float64) (*Result, error) {
	n := p.Len()
	m := p.Components()
	r := &Result{W: make([]float64, n)}
	w, g := r.W, make([]float64, n)
	s, ds := make([]float64, p.N*m), make([]float64, p.N*m)
	if err := p.Gradient(ctx, w, s, g); err != nil {
		return nil, err
	}
	mem := newMemory(20)
	dir := make([]float64, n)
	g0 := norm(g)
	for r.LBFGS = 0; r.LBFGS < 200; r.LBFGS++ {
		gn := norm(g)
		if gn <= tol || gn <= 1e-4*g0 {
			break
		}
		mem.direction(g, dir)
		if dot(dir, g) >= 0 {
			mem.clear()
			for k := range dir {
				dir[k] = -g[k]
			}
		}
		if err := p.Scores(ctx, dir, ds); err != nil {
			return nil, err
		}
		t := p.lineSearch(w, dir, s, ds)
		if t == 0 {
			break
		}
		mem.push(dir, t)
		step(w, dir, t)
		step(s, ds, t)
		if r.LBFGS%10 == 9 {
			p.recentre(w)
			if err := p.Scores(ctx, w, s); err != nil {
				return nil, err
			}
		}
		copy(mem.last(), g)
		if err := p.Gradient(ctx, w, s, g); err != nil {
			return nil, err
		}
		mem.finish(g)
	}
	best, stall := math.Inf(1), 0
	for r.Newton = 0; ; r.Newton++ {
		p.recentre(w)
		if err := p.Scores(ctx, w, s); err != nil {
			return nil, err
		}
		if err := p.Gradient(ctx, w, s, g); err != nil {
			return nil, err
		}
		r.GradNorm = norm(g)
		if r.GradNorm <= tol {
			r.Value = p.Value(w, s)
			return r, nil
		}
		if stall++; r.GradNorm < 0.7*best {
			best, stall = r.GradNorm, 0
		}
		if stall > 12 || r.Newton > 200 {
			return nil, fmt.Errorf("the gradient norm stays at %.3g, above the goal %.3g", best, tol)
		}
		it, err := p.newtonStep(ctx, s, g, dir, math.Min(0.1, math.Sqrt(r.GradNorm/g0)), tol)
		if err != nil {
			return nil, err
		}
		r.CG += it
		if err := p.Scores(ctx, dir, ds); err != nil {
			return nil, err
		}
		t := 1.0
		if r.GradNorm > 1e-9*g0 { // below, function differences are rounding: the pure Newton step is right
			if t = p.lineSearch(w, dir, s, ds); t == 0 {
				t = 1
			}
		}
		step(w, dir, t)
	}
}

// newtonStep solves H·dir = −g by conjugate gradients to the given relative residual, H the generalised Hessian at scores s.
func (p *Problem) newtonStep(ctx context.Context, s, g, dir []float64, rel, tol float64) (int, error) {
	m := p.Components()
	v := make([]float64, m)
	rows := make([]int32, 0, p.N)
	for i := range p.N {
		p.activity(i, s[i*m:(i+1)*m], v)
		if !zero(v) {
			rows = append(rows, int32(i))
		}
	}
	n := len(g)
	res, q, h := make([]float64, n), make([]float64, n), make([]float64, n)
	clear(dir)
	for k, x := range g {
		res[k] = -x
		q[k] = -x
	}
	rr := dot(res, res)
	goal := math.Max(rel*math.Sqrt(rr), 0.1*tol)
	for it := 0; it < 500; it++ {
		if math.Sqrt(rr) <= goal {
			return it, nil
		}
		if err := p.hessVec(ctx, q, s, rows, h); err != nil {
			return it, err
		}
		a := rr / dot(q, h)
		step(dir, q, a)
		step(res, h, -a)
		next := dot(res, res)
		b := next / rr
		for k := range q {
			q[k] = res[k] + b*q[k]
		}
		rr = next
	}
	return 500, nil
}

// activity marks records whose Hessian is not zero.
func (p *Problem) activity(i int, s, v []float64) {
	if p.Comp != nil || p.Softmax { // also a record with slope only: the soft minimum is curved
		p.row(i, s, v)
		return
	}
	y := p.Y[i]
	for c, sc := range s {
		v[c] = 0
		if c != int(y) {
			v[c] = p.curv(sc - s[y])
		}
	}
}

// hessVec writes H·x to out: one pass over the given rows, whose features are built once for both products.
func (p *Problem) hessVec(ctx context.Context, x, s []float64, rows []int32, out []float64) error {
	q, m := p.Mode.Len(p.D), p.Components()
	parts := make([][]float64, chunks)
	sub := *p
	sub.N = len(rows)
	err := sub.each(ctx, func(c, lo, hi int) {
		part := make([]float64, len(out))
		u, ds, v := make([]float64, block*q), make([]float64, block*m), make([]float64, block*m)
		for a := lo; a < hi; a += block {
			b := min(a+block, hi)
			for k := a; k < b; k++ {
				i := int(rows[k])
				p.Mode.Apply(p.X[i*p.D:(i+1)*p.D], p.Tau, u[(k-a)*q:(k-a+1)*q])
			}
			mulBlock(u, b-a, q, x, m, ds)
			for k := a; k < b; k++ {
				i := int(rows[k])
				p.rowHess(i, s[i*m:(i+1)*m], ds[(k-a)*m:(k-a+1)*m], v[(k-a)*m:(k-a+1)*m])
			}
			addBlock(part, u, b-a, q, v, m)
		}
		parts[c] = part
	})
	if err != nil {
		return err
	}
	inv := 1 / float64(p.N)
	for k := range out {
		t := 0.0
		for _, part := range parts {
			if part != nil {
				t += part[k]
			}
		}
		out[k] = t*inv + p.Lambda*x[k]
	}
	return nil
}

// lineSearch finds a step with |φ'| ≤ 0.1·|φ'(0)| for φ(t) = F(w + t·dir), from scores alone. φ is convex, so its slope
// brackets the minimiser. It returns 0 if dir is not a descent direction.
func (p *Problem) lineSearch(w, dir, s, ds []float64) float64 {
	m := p.Components()
	lin := p.Lambda * dot(w, dir)
	quad := p.Lambda * dot(dir, dir)
	if p.B != nil {
		lin += dot(p.B, dir) / float64(p.N)
	}
	slope := func(t float64) float64 {
		var part [chunks]float64
		p.each(context.Background(), func(c, lo, hi int) {
			x, v, sum := make([]float64, m), make([]float64, m), 0.0
			for i := lo; i < hi; i++ {
				a, b := s[i*m:(i+1)*m], ds[i*m:(i+1)*m]
				for k := range x {
					x[k] = a[k] + t*b[k]
				}
				p.row(i, x, v)
				for k := range v {
					sum += v[k] * b[k]
				}
			}
			part[c] = sum
		})
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		return sum/float64(p.N) + lin + t*quad
	}
	d0 := slope(0)
	if !(d0 < 0) {
		return 0
	}
	lo, dlo := 0.0, d0
	hi, dhi := math.Inf(1), 0.0
	t := 1.0
	for range 60 {
		d := slope(t)
		if math.Abs(d) <= 0.1*-d0 {
			return t
		}
		if d < 0 {
			lo, dlo = t, d
		} else {
			hi, dhi = t, d
		}
		if math.IsInf(hi, 1) {
			t *= 4
			continue
		}
		// Secant inside the bracket, kept away from its ends.
		t = lo - dlo*(hi-lo)/(dhi-dlo)
		t = math.Min(math.Max(t, lo+0.05*(hi-lo)), hi-0.05*(hi-lo))
	}
	return lo
}

// recentre removes the common part of all components, to which the loss is blind when b has none: rounding only.
func (p *Problem) recentre(w []float64) {
	if p.Comp != nil {
		return
	}
	q := p.Mode.Len(p.D)
	for k := range q {
		t := 0.0
		for c := range p.Classes {
			t += w[c*q+k]
		}
		t /= float64(p.Classes)
		if p.B != nil { // b with a common part moves the common part of w: leave it
			u := 0.0
			for c := range p.Classes {
				u += p.B[c*q+k]
			}
			if math.Abs(u) > 1e-9*math.Abs(p.B[k]) {
				continue
			}
		}
		for c := range p.Classes {
			w[c*q+k] -= t
		}
	}
}

func step(x, d []float64, t float64) {
	for k := range x {
		x[k] += t * d[k]
	}
}

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

// memory holds the pairs of L-BFGS.
type memory struct {
	max  int
	s, y [][]float64
	rho  []float64
	old  []float64 // gradient before the step
}

func newMemory(max int) *memory { return &memory{max: max} }

func (m *memory) clear() { m.s, m.y, m.rho = nil, nil, nil }

func (m *memory) push(dir []float64, t float64) {
	if len(m.s) == m.max {
		m.s, m.y, m.rho = m.s[1:], m.y[1:], m.rho[1:]
	}
	s := make([]float64, len(dir))
	for k, d := range dir {
		s[k] = t * d
	}
	m.s = append(m.s, s)
	m.old = make([]float64, len(dir))
}

func (m *memory) last() []float64 { return m.old }

func (m *memory) finish(g []float64) {
	y := m.old
	for k := range y {
		y[k] = g[k] - y[k]
	}
	sy := dot(m.s[len(m.s)-1], y)
	if !(sy > 0) {
		m.s = m.s[:len(m.s)-1]
		return
	}
	m.y, m.rho = append(m.y, y), append(m.rho, 1/sy)
}

// direction is −H·g by the two-loop recursion.
func (m *memory) direction(g, d []float64) {
	for k, x := range g {
		d[k] = -x
	}
	n := len(m.y)
	a := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		a[i] = m.rho[i] * dot(m.s[i], d)
		step(d, m.y[i], -a[i])
	}
	if n > 0 {
		f := 1 / (m.rho[n-1] * dot(m.y[n-1], m.y[n-1]))
		for k := range d {
			d[k] *= f
		}
	}
	for i := 0; i < n; i++ {
		b := m.rho[i] * dot(m.y[i], d)
		step(d, m.s[i], a[i]-b)
	}
}
