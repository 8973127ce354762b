package solve

import (
	"context"
	"math"
)

// MinimiseProx minimises F + r to a certified bound on the norm of the smallest subgradient of the sum.
//
// For d ≤ 500: proximal Newton. Each step minimises the quadratic model g·s + sᵀHs/2 + r(f+s) by FISTA with restart (cost d²
// an iteration, no pass over the data), then backtracks on F + r. Above: FISTA on F + r itself.
func MinimiseProx(ctx context.Context, p *Problem, r Prox, start []float64, tol float64) (*Result, error) {
	s := newState(p, start)
	r.Apply(s.f, 1)
	lip := p.C*p.Radius*p.Radius*float64(p.X.N) + p.Reg
	if s.hess == nil {
		return s.fista(ctx, r, tol, lip)
	}
	best, stalled := math.Inf(1), 0
	for range 300 {
		if err := cancelled(ctx); err != nil {
			return nil, err
		}
		g, e := p.certifiedGradient(s.f, s.lo, s.k, tol/2)
		size := r.Residual(g, s.f, lip)
		if size+e <= tol {
			return &Result{Hi: s.f, Lo: s.lo, Norm: size + e, Steps: s.steps}, nil
		}
		if size > 0.9*best {
			stalled++
		}
		best = math.Min(best, size)
		if e > tol || stalled > 20 {
			break
		}
		p.margins(s.f, s.z, s.k)
		p.curvatures(s.z, s.curv, s.k)
		c := s.curv
		if s.steps == 0 {
			c = s.firstCurvature()
		}
		s.hess.set(p, c, 1, s.k, nil)
		s.steps++
		u, err := s.model(ctx, r, g, math.Min(0.1*size, math.Max(0.01*tol, 1e-3*size)))
		if err != nil {
			return nil, err
		}
		s.backtrack(r, g, u, size)
	}
	return nil, &NotCertified{Norm: best, Tol: tol, Steps: s.steps}
}

// model minimises g·(u−f) + (u−f)ᵀH(u−f)/2 + r(u) over u until its own residual is at most tol.
func (s *state) model(ctx context.Context, r Prox, g []float64, tol float64) ([]float64, error) {
	d, h := s.p.X.D, s.hess.sum
	full := make([]float64, d*d) // symmetric, with Reg on the diagonal
	for i := range d {
		for j := range i + 1 {
			full[i*d+j], full[j*d+i] = h[i*d+j], h[i*d+j]
		}
		full[i*d+i] += s.p.Reg
	}
	times := func(v, out []float64) {
		for i := range out {
			out[i] = dot(full[i*d:(i+1)*d], v)
		}
	}
	// Largest eigenvalue by power iteration, with the row-sum bound as a ceiling; FISTA doubles it if it proves too small.
	v, hv := make([]float64, d), make([]float64, d)
	for j := range v {
		v[j] = 1 + 0.37*float64(j%7)
	}
	lip := s.p.Reg
	for range 30 {
		n := norm(v)
		for j := range v {
			v[j] /= n
		}
		times(v, hv)
		lip = math.Max(norm(hv), s.p.Reg)
		copy(v, hv)
	}
	lip *= 1.02
	u := append([]float64(nil), s.f...)
	y := append([]float64(nil), u...)
	prev, diff, gy, hu := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	t := 1.0
	for it := range 200_000 {
		if it%64 == 63 {
			if err := cancelled(ctx); err != nil {
				return nil, err
			}
		}
		for j := range diff {
			diff[j] = y[j] - s.f[j]
		}
		times(diff, gy)
		copy(prev, u)
		for j := range u {
			gy[j] += g[j]
			u[j] = y[j] - gy[j]/lip
		}
		r.Apply(u, 1/lip)
		// Upper-bound test of the step: (u−y)ᵀH(u−y) ≤ lip‖u−y‖².
		for j := range diff {
			diff[j] = u[j] - y[j]
		}
		times(diff, hu)
		dd := dot(diff, diff)
		if dot(diff, hu) > lip*dd*(1+1e-9) {
			lip *= 1.5
			copy(u, prev)
			continue
		}
		// Residual of u: g + H(u−f) = gy + H(u−y).
		for j := range hu {
			hu[j] += gy[j]
		}
		if r.Residual(hu, u, lip) <= tol || dd <= 1e-34*(1+dot(u, u)) {
			break
		}
		// Momentum with gradient restart (O'Donoghue, Candès 2015).
		up := 0.0
		for j := range u {
			up += (y[j] - u[j]) * (u[j] - prev[j])
		}
		if up > 0 {
			t = 1
		}
		tn := (1 + math.Sqrt(1+4*t*t)) / 2
		for j := range y {
			y[j] = u[j] + (t-1)/tn*(u[j]-prev[j])
		}
		t = tn
	}
	return u, nil
}

// backtrack moves f towards u by the longest step 1, 1/2, 1/4, … that decreases F + r, or, near the end where values no longer
// resolve, takes the whole step if it does not look worse.
func (s *state) backtrack(r Prox, g, u []float64, size float64) {
	p := s.p
	for j := range s.step {
		s.step[j] = u[j] - s.f[j]
	}
	p.margins(s.step, s.dz, s.k)
	f0 := s.value(0)
	r0 := r.Value(s.f)
	slope := dot(g, s.step) + r.Value(u) - r0
	trial := make([]float64, len(u))
	for t := 1.0; t > 1e-12; t /= 2 {
		for j := range trial {
			trial[j] = s.f[j] + t*s.step[j]
		}
		if t == 1 {
			copy(trial, u)
		}
		change := s.value(t) - f0 + r.Value(trial) - r0
		if change <= 1e-4*t*slope || math.Abs(t*slope) <= 1e-11*(math.Abs(f0)+1) {
			copy(s.f, trial)
			return
		}
	}
}

// value is F at f + t·step.
func (s *state) value(t float64) float64 {
	p := s.p
	part := make([]sum2, s.k)
	parallel(p.X.N, s.k, func(w, lo, hi int) {
		var z, v [block]float64
		for a := lo; a < hi; a += block {
			m := min(block, hi-a)
			for i := range m {
				z[i] = s.z[a+i] + t*s.dz[a+i]
			}
			p.Eval(z[:m], v[:m], nil, nil)
			for i := range m {
				part[w].add(p.weight(a+i) * v[i])
			}
		}
	})
	var total sum2
	for w := range part {
		total.add(part[w].hi)
		total.add(part[w].lo)
	}
	for j := range s.f {
		x := s.f[j] + t*s.step[j]
		total.add(p.Reg / 2 * x * x)
		if p.Lin != nil {
			total.add(p.Lin[j] * x)
		}
	}
	return total.hi + total.lo
}

// fista is the accelerated proximal gradient method on F + r, with backtracking on the step and restart.
func (s *state) fista(ctx context.Context, r Prox, tol, lipMax float64) (*Result, error) {
	p, d := s.p, s.p.X.D
	u := s.f
	y, prev, gy, gu := append([]float64(nil), u...), make([]float64, d), make([]float64, d), make([]float64, d)
	grad := func(f, g []float64) {
		p.margins(f, s.z, s.k)
		p.slopes(s.z, s.slope, s.k)
		p.gradient(f, s.slope, g, s.k)
	}
	lip := p.Reg + 0.01*(lipMax-p.Reg)
	t := 1.0
	grad(y, gy)
	for range 200_000 {
		if err := cancelled(ctx); err != nil {
			return nil, err
		}
		copy(prev, u)
		for j := range u {
			u[j] = y[j] - gy[j]/lip
		}
		r.Apply(u, 1/lip)
		grad(u, gu)
		s.steps++
		// The step is short enough when (∇F(u)−∇F(y))·(u−y) ≤ lip‖u−y‖².
		curve, dd := 0.0, 0.0
		for j := range u {
			e := u[j] - y[j]
			curve += (gu[j] - gy[j]) * e
			dd += e * e
		}
		if curve > lip*dd*(1+1e-9) && lip < lipMax {
			lip = math.Min(lipMax, 1.6*lip)
			copy(u, prev)
			continue
		}
		if r.Residual(gu, u, lipMax) <= tol/2 {
			g, e := p.certifiedGradient(u, s.lo, s.k, tol/2)
			if size := r.Residual(g, u, lipMax); size+e <= tol {
				return &Result{Hi: u, Lo: s.lo, Norm: size + e, Steps: s.steps}, nil
			} else if e > tol {
				return nil, &NotCertified{Norm: size + e, Tol: tol, Steps: s.steps}
			}
		}
		up := 0.0
		for j := range u {
			up += (y[j] - u[j]) * (u[j] - prev[j])
		}
		if up > 0 {
			t = 1
		}
		tn := (1 + math.Sqrt(1+4*t*t)) / 2
		for j := range y {
			y[j] = u[j] + (t-1)/tn*(u[j]-prev[j])
		}
		t = tn
		grad(y, gy)
	}
	return nil, &NotCertified{Norm: math.NaN(), Tol: tol, Steps: s.steps}
}
