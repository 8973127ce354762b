package dualcd

import (
	"context"
	"math"
)

// Rows is a read-only matrix, dense row-major (Dense) or compressed sparse rows (Ptr, Col, Val).
type Rows struct {
	N, D  int
	Dense []float64
	Ptr   []int
	Col   []int32
	Val   []float64
}

// Dot is ⟨x_i, w⟩.
func (r *Rows) Dot(i int, w []float64) float64 {
	if r.Dense != nil {
		return dot(r.Dense[i*r.D:(i+1)*r.D], w)
	}
	s := 0.0
	col := r.Col[r.Ptr[i]:r.Ptr[i+1]]
	val := r.Val[r.Ptr[i]:r.Ptr[i+1]]
	for k, j := range col {
		s += val[k] * w[j]
	}
	return s
}

// dot has four independent sums: twice as fast as one, and more exact.
func dot(x, w []float64) float64 {
	w = w[:len(x)]
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += x[i] * w[i]
		b += x[i+1] * w[i+1]
		c += x[i+2] * w[i+2]
		d += x[i+3] * w[i+3]
	}
	for ; i < len(x); i++ {
		a += x[i] * w[i]
	}
	return (a + b) + (c + d)
}

// AddTo adds a·x_i to w.
func (r *Rows) AddTo(i int, a float64, w []float64) {
	if r.Dense != nil {
		x := r.Dense[i*r.D : (i+1)*r.D]
		w = w[:len(x)]
		for k, v := range x {
			w[k] += a * v
		}
		return
	}
	col := r.Col[r.Ptr[i]:r.Ptr[i+1]]
	val := r.Val[r.Ptr[i]:r.Ptr[i+1]]
	for k, j := range col {
		w[j] += a * val[k]
	}
}

// Linear solves the SVM with k(x, y) = ⟨x, y⟩; y holds ±1.
func Linear(ctx context.Context, x *Rows, y []float64, o Options) (*Result, error) {
	if o.Loss.Kind == Logistic {
		return linearLogistic(ctx, x, y, o)
	}
	n := x.N
	lin, diag, lo, hi := o.Loss.quad(o.Cost)
	alpha, w := make([]float64, n), make([]float64, x.D)
	q := make([]float64, n)
	for i := range q {
		q[i] = x.SqNorm(i) + diag
	}
	r := &Result{Alpha: alpha, W: w}
	active := make([]int32, n)
	for i := range active {
		active[i] = int32(i)
	}
	size := n
	// A coordinate at a bound is set aside when its gradient points outward by more than the worst violation of the last
	// pass (Hsieh et al. 2008, §3.2); every certificate is computed over all rows.
	bar := math.Inf(1)
	shrinkTol := 0.1
	best, stall := math.Inf(1), 0
	for r.Passes < o.MaxPasses {
		if err := canceled(ctx); err != nil {
			return nil, err
		}
		r.Passes++
		worst := 0.0
		for k := 0; k < size; k++ {
			j := k + o.Intn(size-k)
			active[k], active[j] = active[j], active[k]
		}
		for k := 0; k < size; k++ {
			i := int(active[k])
			a := alpha[i]
			if q[i] == 0 { // a zero row: the dual is linear in α_i and its optimum is the bound
				alpha[i] = hi
				size--
				active[k], active[size] = active[size], active[k]
				k--
				continue
			}
			g := y[i]*x.Dot(i, w) - lin + diag*a
			pg := g
			if a <= lo {
				if g > bar && !o.NoShrink {
					size--
					active[k], active[size] = active[size], active[k]
					k--
					continue
				}
				pg = math.Min(g, 0)
			} else if a >= hi {
				if g < -bar && !o.NoShrink {
					size--
					active[k], active[size] = active[size], active[k]
					k--
					continue
				}
				pg = math.Max(g, 0)
			}
			if v := math.Abs(pg); v > 0 {
				if v > worst {
					worst = v
				}
				b := math.Min(math.Max(a-g/q[i], lo), hi)
				if b != a {
					alpha[i] = b
					x.AddTo(i, (b-a)*y[i], w)
				}
			}
		}
		if worst <= shrinkTol || r.Passes == o.MaxPasses || size == 0 {
			x.refresh(r, y, o)
			if r.Reached {
				return r, nil
			}
			// Not yet: look at every coordinate again and ask for more.
			shrinkTol = math.Max(math.Min(shrinkTol, worst)*nextTol(r.Gap, o.Tol), 4e-16)
			size, bar = n, math.Inf(1)
			if stall++; r.Gap < 0.9*best {
				best, stall = r.Gap, 0
			}
			if stall > 50 {
				return r, nil // floating point has nothing left to give
			}
			continue
		}
		bar = worst
	}
	x.refresh(r, y, o)
	return r, nil
}

// nextTol guesses by how much the violation must fall for the gap to reach its goal: the gap of the hinge dual is about
// linear in the violation.
func nextTol(gap, goal float64) float64 {
	if !(gap > 0) {
		return 0.1
	}
	return math.Min(0.5, math.Max(0.02, 0.7*goal/gap))
}

// SqNorm is ‖x_i‖².
func (r *Rows) SqNorm(i int) float64 {
	s := 0.0
	if r.Dense != nil {
		for _, v := range r.Dense[i*r.D : (i+1)*r.D] {
			s += v * v
		}
		return s
	}
	for _, v := range r.Val[r.Ptr[i]:r.Ptr[i+1]] {
		s += v * v
	}
	return s
}

// refresh recomputes w from α (so that rounding in the updates cannot spoil the certificate), the margins and the gap.
func (x *Rows) refresh(r *Result, y []float64, o Options) {
	clear(r.W)
	for i, a := range r.Alpha {
		if a != 0 {
			x.AddTo(i, a*y[i], r.W)
		}
	}
	if r.Margin == nil {
		r.Margin = make([]float64, x.N)
	}
	for i := range r.Margin {
		r.Margin[i] = y[i] * x.Dot(i, r.W)
	}
	r.certify(o, dot(r.W, r.W))
}

func linearLogistic(ctx context.Context, x *Rows, y []float64, o Options) (*Result, error) {
	n := x.N
	r := &Result{Alpha: make([]float64, n), W: make([]float64, x.D)}
	q, a := make([]float64, n), make([]float64, n)
	order := make([]int32, n)
	for i := range q {
		q[i] = x.SqNorm(i)
		r.Alpha[i] = o.Cost / 2 // logit 0: exact for w = 0
		order[i] = int32(i)
	}
	x.refresh(r, y, o)
	if r.Reached {
		return r, nil
	}
	best, stall, tol := r.Gap, 0, 0.1
	for r.Passes < o.MaxPasses {
		if err := canceled(ctx); err != nil {
			return nil, err
		}
		r.Passes++
		for k := range order {
			j := k + o.Intn(n-k)
			order[k], order[j] = order[j], order[k]
		}
		worst := 0.0
		for _, i32 := range order {
			i := int(i32)
			z := y[i] * x.Dot(i, r.W)
			if v := math.Abs(z + a[i]); v > worst {
				worst = v
			} else if v == 0 {
				continue
			}
			a[i] = logitStep(q[i], o.Cost, r.Alpha[i], z, a[i])
			b := o.Cost * sigma(a[i])
			if d := b - r.Alpha[i]; d != 0 {
				r.Alpha[i] = b
				x.AddTo(i, d*y[i], r.W)
			}
		}
		if worst <= tol || r.Passes == o.MaxPasses {
			x.refresh(r, y, o)
			if r.Reached {
				return r, nil
			}
			tol = math.Max(math.Min(tol, worst)*math.Sqrt(nextTol(r.Gap, o.Tol)), 1e-15)
			if stall++; r.Gap < 0.9*best {
				best, stall = r.Gap, 0
			}
			if stall > 50 {
				return r, nil
			}
		}
	}
	x.refresh(r, y, o)
	return r, nil
}
