package solve

import "sync"

// lanes is the number of fits that share a pass over sparse rows: the width of a vector register. A pass of four fits reads the
// rows once and costs little more than a pass of one.
const lanes = 4

// A laneGroup makes passes over the rows for up to four fits at a time. Each fit runs the ordinary solver in a goroutine of
// its own and asks the group for its passes; when every fit of the group is waiting, the kind of pass that most of them ask for is made for
// all of those at once. A lane's numbers do not depend on what is in the other lanes, so a fit's result does not depend on who
// shared its passes.
type laneGroup struct {
	p       *Problem // rows and labels
	mu      sync.Mutex
	changed *sync.Cond
	active  int // fits that run
	waiting []*laneRequest

	f, g []float64 // interleaved: entry j of lane l at 4j+l
	z, s []float64 // the same for rows
	h    []float64 // and for matrices
}

type laneKind int

const (
	marginPass   laneKind = iota // out_i = y_i inᵀx_i
	gradientPass                 // out = Σ in_i x_i
	hessianPass                  // out = lower triangle of Σ in_i x_i x_iᵀ
)

type laneRequest struct {
	kind    laneKind
	in, out []float64
	done    bool
}

func newLaneGroup(p *Problem, fits int) *laneGroup {
	n, d := p.X.N, p.X.D
	g := &laneGroup{p: p, active: fits, f: make([]float64, lanes*d), g: make([]float64, lanes*d), z: make([]float64, lanes*n), s: make([]float64, lanes*n), h: make([]float64, lanes*d*d)}
	g.changed = sync.NewCond(&g.mu)
	return g
}

// pass waits until the group has made the pass.
func (g *laneGroup) pass(kind laneKind, in, out []float64) {
	r := &laneRequest{kind: kind, in: in, out: out}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, r)
	for !r.done {
		if len(g.waiting) == g.active {
			g.run()
			g.changed.Broadcast()
			continue
		}
		g.changed.Wait()
	}
}

// leave tells the group that a fit's goroutine has ended.
func (g *laneGroup) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	if g.active > 0 && len(g.waiting) == g.active {
		g.run()
	}
	g.changed.Broadcast()
}

// run makes the passes of the commonest kind among those waiting.
func (g *laneGroup) run() {
	var count [3]int
	for _, r := range g.waiting {
		count[r.kind]++
	}
	kind := hessianPass // on equality the pass that leads to the others
	for _, k := range []laneKind{marginPass, gradientPass} {
		if count[k] > count[kind] {
			kind = k
		}
	}
	var now []*laneRequest
	rest := g.waiting[:0]
	for _, r := range g.waiting {
		if r.kind == kind && len(now) < lanes {
			now = append(now, r)
		} else {
			rest = append(rest, r)
		}
	}
	g.waiting = rest
	x, n := g.p.X, g.p.X.N
	switch kind {
	case marginPass:
		clear(g.f)
		interleave(now, g.f)
		laneMargins(x, g.p.Y, g.f, g.z)
		for l, r := range now {
			out := r.out[:n]
			for i := range out {
				out[i] = g.z[lanes*i+l]
			}
		}
	case gradientPass:
		clear(g.s)
		interleave(now, g.s)
		clear(g.g)
		laneGradient(x, g.s, g.g)
		for l, r := range now {
			for j := range r.out {
				r.out[j] = g.g[lanes*j+l]
			}
		}
	case hessianPass:
		clear(g.s)
		interleave(now, g.s)
		clear(g.h)
		laneHessian(x, g.s, g.h)
		for l, r := range now {
			for j := range r.out {
				r.out[j] = g.h[lanes*j+l]
			}
		}
	}
	for _, r := range now {
		r.done = true
	}
}

func interleave(rs []*laneRequest, to []float64) {
	for l, r := range rs {
		for j, v := range r.in {
			to[lanes*j+l] = v
		}
	}
}

// The passes in plain Go, for processors without the vector instructions.

func laneMarginsGo(x *Matrix, y, f, z []float64) {
	for i := range x.N {
		var s0, s1, s2, s3 float64
		for k := x.Ptr[i]; k < x.Ptr[i+1]; k++ {
			v, w := x.Val[k], f[lanes*int(x.Idx[k]):]
			w = w[:lanes]
			s0 += v * w[0]
			s1 += v * w[1]
			s2 += v * w[2]
			s3 += v * w[3]
		}
		out := z[lanes*i:]
		out = out[:lanes]
		out[0], out[1], out[2], out[3] = y[i]*s0, y[i]*s1, y[i]*s2, y[i]*s3
	}
}

func laneGradientGo(x *Matrix, s, g []float64) {
	for i := range x.N {
		c := s[lanes*i:]
		c = c[:lanes]
		for k := x.Ptr[i]; k < x.Ptr[i+1]; k++ {
			v, w := x.Val[k], g[lanes*int(x.Idx[k]):]
			w = w[:lanes]
			w[0] += v * c[0]
			w[1] += v * c[1]
			w[2] += v * c[2]
			w[3] += v * c[3]
		}
	}
}

func laneHessianGo(x *Matrix, c, h []float64) {
	for i := range x.N {
		w := c[lanes*i:]
		w = w[:lanes]
		idx, val := x.Idx[x.Ptr[i]:x.Ptr[i+1]], x.Val[x.Ptr[i]:x.Ptr[i+1]]
		for a, ja := range idx {
			row := h[lanes*int(ja)*x.D:]
			v0, v1, v2, v3 := w[0]*val[a], w[1]*val[a], w[2]*val[a], w[3]*val[a]
			for b, jb := range idx[:a+1] {
				t, v := row[lanes*int(jb):], val[b]
				t = t[:lanes]
				t[0] += v0 * v
				t[1] += v1 * v
				t[2] += v2 * v
				t[3] += v3 * v
			}
		}
	}
}
