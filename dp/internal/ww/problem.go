package ww

import (
	"context"
	"math"
	"runtime"
	"sync"
)

// Problem is one objective F. X is n×d row-major, Y the classes.
type Problem struct {
	N, D    int
	X       []float64
	Y       []int32
	Classes int
	Mode    Mode
	Tau     float64
	H       float64 // Huber width, > 0
	Margin  float64 // required margin, 1
	Lambda  float64
	Softmax bool      // the loss is −ln softmax(s)_y instead; H, Margin, Comp and Sub are not used
	B       []float64 // M×q perturbation, or nil

	// Mixtures: component m belongs to class Comp[m] (ascending); Sub[i] is the component record i should be close to.
	// nil Comp: one component a class.
	Comp []int32
	Sub  []int32
}

// Components is M.
func (p *Problem) Components() int {
	if p.Comp != nil {
		return len(p.Comp)
	}
	return p.Classes
}

// Len is the number of parameters, M·q.
func (p *Problem) Len() int { return p.Components() * p.Mode.Len(p.D) }

const (
	block  = 32 // rows whose u are built together: small enough for the second cache level
	chunks = 16 // independent partial sums: fixed, so that results do not depend on the number of cores
)

// ell is ℓ_h and its negative slope at margin m.
func (p *Problem) ell(m float64) (v, s float64) {
	t := p.Margin + p.H - m
	switch {
	case t <= 0:
		return 0, 0
	case t < 2*p.H:
		return t * t / (4 * p.H), t / (2 * p.H)
	}
	return p.Margin - m, 1
}

// curv is ℓ_h” at margin m.
func (p *Problem) curv(m float64) float64 {
	if t := p.Margin + p.H - m; t > 0 && t < 2*p.H {
		return 1 / (2 * p.H)
	}
	return 0
}

// each runs f over chunks of rows on all cores; f must touch only its chunk's memory.
func (p *Problem) each(ctx context.Context, f func(chunk, lo, hi int)) error {
	procs := min(runtime.GOMAXPROCS(0), chunks)
	if p.N < 4*block {
		procs = 1
	}
	next := make(chan int, chunks)
	for c := range chunks {
		next <- c
	}
	close(next)
	var wg sync.WaitGroup
	for range procs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for c := range next {
				if ctx.Err() != nil {
					return
				}
				f(c, c*p.N/chunks, (c+1)*p.N/chunks)
			}
		}()
	}
	wg.Wait()
	return ctx.Err()
}

// Scores fills s (n×M) with ⟨W_m, u_i⟩.
func (p *Problem) Scores(ctx context.Context, w, s []float64) error {
	q, m := p.Mode.Len(p.D), p.Components()
	return p.each(ctx, func(_, lo, hi int) {
		u := make([]float64, block*q)
		for a := lo; a < hi; a += block {
			b := min(a+block, hi)
			p.fill(a, b, u, q)
			mulBlock(u, b-a, q, w, m, s[a*m:b*m])
		}
	})
}

func (p *Problem) fill(a, b int, u []float64, q int) {
	for i := a; i < b; i++ {
		p.Mode.Apply(p.X[i*p.D:(i+1)*p.D], p.Tau, u[(i-a)*q:(i-a+1)*q])
	}
}

// Loss is the mean loss at given scores.
func (p *Problem) Loss(s []float64) float64 {
	m := p.Components()
	var part [chunks]float64
	p.each(context.Background(), func(c, lo, hi int) {
		v, t := make([]float64, m), 0.0
		for i := lo; i < hi; i++ {
			t += p.row(i, s[i*m:(i+1)*m], v)
		}
		part[c] = t
	})
	t := 0.0
	for _, v := range part {
		t += v
	}
	return t / float64(p.N)
}

// row returns record i's loss and writes its derivative by each score to v.
func (p *Problem) row(i int, s, v []float64) float64 {
	y := int(p.Y[i])
	if p.Softmax {
		top := s[y]
		for _, x := range s {
			top = math.Max(top, x)
		}
		z := 0.0
		for c, x := range s {
			v[c] = math.Exp(x - top)
			z += v[c]
		}
		rest := 0.0 // 1 − p_y without cancellation
		for c := range v {
			v[c] /= z
			if c != y {
				rest += v[c]
			}
		}
		v[y] = -rest
		return math.Log(z) + top - s[y]
	}
	if p.Comp == nil {
		loss, sum := 0.0, 0.0
		sy := s[y]
		for c, sc := range s {
			if c == y {
				continue
			}
			l, g := p.ell(sc - sy)
			loss += l
			sum += g
			v[c] = -g
		}
		v[y] = sum
		return loss
	}
	own := int(p.Sub[i])
	clear(v)
	loss, sum := 0.0, 0.0
	for a := 0; a < len(s); {
		b := a + 1
		for b < len(s) && p.Comp[b] == p.Comp[a] {
			b++
		}
		if int(p.Comp[a]) != y {
			soft, z := softmin(s[a:b], v[a:b])
			l, g := p.ell(soft - s[own])
			loss += l
			sum += g
			for k := a; k < b; k++ {
				v[k] *= -g / z
			}
		}
		a = b
	}
	v[own] = sum
	return loss
}

// softmin is −ln Σ e^{−s}; e receives e^{−(s−min s)} and z their sum.
func softmin(s, e []float64) (v, z float64) {
	lo := s[0]
	for _, x := range s {
		lo = math.Min(lo, x)
	}
	for k, x := range s {
		e[k] = math.Exp(lo - x)
		z += e[k]
	}
	return lo - math.Log(z), z
}

// Gradient writes ∇F at w, whose scores are s, to g.
func (p *Problem) Gradient(ctx context.Context, w, s, g []float64) error {
	m := p.Components()
	return p.accumulate(ctx, g, w, func(i int, v []float64) { p.row(i, s[i*m:(i+1)*m], v) }, true)
}

// rowHess writes record i's Hessian (by scores) times ds to v.
func (p *Problem) rowHess(i int, s, ds, v []float64) {
	y := int(p.Y[i])
	if p.Softmax {
		p.row(i, s, v)
		v[y] = 1 + v[y]
		mean := 0.0
		for c := range v {
			mean += v[c] * ds[c]
		}
		for c := range v {
			v[c] *= ds[c] - mean
		}
		return
	}
	if p.Comp == nil {
		sum := 0.0
		for c, sc := range s {
			v[c] = 0
			if c == y {
				continue
			}
			if k := p.curv(sc - s[y]); k != 0 {
				v[c] = k * (ds[c] - ds[y])
				sum -= v[c]
			}
		}
		v[y] = sum
		return
	}
	own := int(p.Sub[i])
	clear(v)
	sum := 0.0
	for a := 0; a < len(s); {
		b := a + 1
		for b < len(s) && p.Comp[b] == p.Comp[a] {
			b++
		}
		if int(p.Comp[a]) != y {
			soft, z := softmin(s[a:b], v[a:b])
			mean := 0.0
			for k := a; k < b; k++ {
				v[k] /= z
				mean += v[k] * ds[k]
			}
			mg := soft - s[own]
			_, slope := p.ell(mg)
			d := p.curv(mg) * (mean - ds[own]) // change of ℓ', so of −slope
			sum -= d
			for k := a; k < b; k++ {
				v[k] = d*v[k] + slope*v[k]*(ds[k]-mean)
			}
		}
		a = b
	}
	v[own] += sum
}

// accumulate computes g = (1/n) Σ_i v_i ⊗ u_i + Λ·reg (+ b/n).
func (p *Problem) accumulate(ctx context.Context, g, reg []float64, row func(i int, v []float64), lin bool) error {
	q, m := p.Mode.Len(p.D), p.Components()
	parts := make([][]float64, chunks)
	err := p.each(ctx, func(c, lo, hi int) {
		part := make([]float64, len(g))
		u, v := make([]float64, block*q), make([]float64, block*m)
		for a := lo; a < hi; {
			// Gather up to block rows that have any derivative at all: near the solution most have none.
			k := 0
			for ; a < hi && k < block; a++ {
				vi := v[k*m : (k+1)*m]
				row(a, vi)
				if zero(vi) {
					continue
				}
				p.Mode.Apply(p.X[a*p.D:(a+1)*p.D], p.Tau, u[k*q:(k+1)*q])
				k++
			}
			addBlock(part, u, k, q, v, m)
		}
		parts[c] = part
	})
	if err != nil {
		return err
	}
	inv := 1 / float64(p.N)
	for k := range g {
		// Compensated: the certificate is the norm of this vector.
		s, e := 0.0, 0.0
		for _, part := range parts {
			x := part[k]
			t := s + x
			if math.Abs(s) >= math.Abs(x) {
				e += (s - t) + x
			} else {
				e += (x - t) + s
			}
			s = t
		}
		g[k] = (s+e)*inv + p.Lambda*reg[k]
		if lin && p.B != nil {
			g[k] += p.B[k] * inv
		}
	}
	return nil
}

func zero(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// Value is F at w with scores s.
func (p *Problem) Value(w, s []float64) float64 {
	f := p.Loss(s) + 0.5*p.Lambda*dot(w, w)
	if p.B != nil {
		f += dot(p.B, w) / float64(p.N)
	}
	return f
}
