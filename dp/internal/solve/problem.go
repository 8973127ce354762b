package solve

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
)

// A Problem is a regularised empirical risk in sum form,
//
//	F(f) = Σ_i w_i ℓ(y_i fᵀx_i) + (Reg/2)‖f‖² + Linᵀf ,   ‖x_i‖ ≤ Radius .
//
// In the mean form of the papers, F = n·J with Reg = n(Λ+Δ) and Lin = b.
type Problem struct {
	X      *Matrix
	Y      []float64 // ±1
	W      []float64 // w_i ≥ 0; nil means 1
	Eval   func(z, value, grad, hess []float64)
	C      float64 // bound on ℓ''
	Reg    float64 // > 0
	Lin    []float64
	Radius float64
}

// A Result is a certified minimiser: the exact gradient of F at Hi+Lo has norm at most Norm, rounding included. Lo is all
// zero unless the tolerance asked for more digits than a float64 vector can have.
type Result struct {
	Hi, Lo []float64
	Norm   float64
	Steps  int // Newton steps; depends on the data, never to be released
}

// NotCertified is the error of a solver that could not reach the tolerance. No iterate comes with it.
type NotCertified struct {
	Norm, Tol float64
	Steps     int
}

func (e *NotCertified) Error() string {
	return fmt.Sprintf("the solver could not certify a gradient norm of %.3g after %d steps (reached %.3g); nothing was released", e.Tol, e.Steps, e.Norm)
}

// block is the number of rows handled at a time: 256 rows of 105 columns stay in the second-level cache between the pass
// that computes margins and the pass that adds up the gradient.
const block = 256

// workers is the number of goroutines worth using for work of so many multiplications.
func workers(work int) int {
	return max(1, min(runtime.GOMAXPROCS(0), work/40_000))
}

// A crash carries a panic of a user's loss function from a worker to the caller.
type crash struct{ value any }

// parallel runs f(worker, lo, hi) over block-aligned ranges of n rows. A panic in a worker is raised again in the caller.
func parallel(n, k int, f func(worker, lo, hi int)) {
	blocks := (n + block - 1) / block
	k = min(k, blocks)
	if k <= 1 {
		f(0, 0, n)
		return
	}
	var wg sync.WaitGroup
	failed := make([]*crash, k)
	for w := range k {
		lo, hi := blocks*w/k*block, min(n, blocks*(w+1)/k*block)
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if r := recover(); r != nil {
					failed[w] = &crash{r}
				}
			}()
			f(w, lo, hi)
		}()
	}
	wg.Wait()
	for _, c := range failed {
		if c != nil {
			panic(c.value)
		}
	}
}

func (p *Problem) weight(i int) float64 {
	if p.W == nil {
		return 1
	}
	return p.W[i]
}

// work is the number of multiplications of one pass over the rows.
func (p *Problem) work() int { return len(p.X.Val) }

// norm is ‖v‖₂.
func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	if s > 1e-290 && s < 1e290 {
		return math.Sqrt(s)
	}
	top := 0.0
	for _, x := range v {
		top = math.Max(top, math.Abs(x))
	}
	if top == 0 || math.IsInf(top, 1) || math.IsNaN(top) {
		return top
	}
	s = 0
	for _, x := range v {
		s += (x / top) * (x / top)
	}
	return top * math.Sqrt(s)
}

// margins sets z_i = y_i fᵀx_i.
func (p *Problem) margins(f, z []float64, k int) {
	parallel(p.X.N, k, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			z[i] = p.Y[i] * p.X.Dot(i, f)
		}
	})
}

// slopes evaluates the loss at the margins: grad_i = w_i ℓ'(z_i) y_i.
func (p *Problem) slopes(z, grad []float64, k int) {
	parallel(p.X.N, k, func(_, lo, hi int) {
		p.Eval(z[lo:hi], nil, grad[lo:hi], nil)
		for i := lo; i < hi; i++ {
			grad[i] *= p.Y[i]
		}
		if p.W != nil {
			for i := lo; i < hi; i++ {
				grad[i] *= p.W[i]
			}
		}
	})
}

// curvatures sets hess_i = w_i ℓ″(z_i).
func (p *Problem) curvatures(z, hess []float64, k int) {
	parallel(p.X.N, min(k, workers(p.X.N*16)), func(_, lo, hi int) {
		p.Eval(z[lo:hi], nil, nil, hess[lo:hi])
		if p.W != nil {
			for i := lo; i < hi; i++ {
				hess[i] *= p.W[i]
			}
		}
	})
}

// gradient returns Σ s_i x_i + Reg f + Lin.
func (p *Problem) gradient(f, s, g []float64, k int) {
	part := make([][]float64, k)
	for w := range part {
		part[w] = make([]float64, p.X.D)
	}
	parallel(p.X.N, k, func(w, lo, hi int) {
		dst := part[w]
		for i := lo; i < hi; i++ {
			if s[i] != 0 {
				p.X.AddTo(i, s[i], dst)
			}
		}
	})
	for j := range g {
		v := p.Reg * f[j]
		if p.Lin != nil {
			v += p.Lin[j]
		}
		for w := range part {
			v += part[w][j]
		}
		g[j] = v
	}
}

// cancelled reports the context's error, if any.
func cancelled(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}
