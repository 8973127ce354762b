package dp

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"

	"example.org/godp/dp/internal/dualcd"
)

// newGram makes the row cache of a kernel matrix, with plus added to every entry. A user's kernel is first tested on a sample of rows.
func newGram(where string, k Kernel, d *Data, plus float64, limit int64, src *Source) (*dualcd.Gram, error) {
	n := d.Len()
	rows := make([][]float64, n)
	dense := d.Dense()
	for i := range rows {
		rows[i] = dense.x.Values(i)
	}
	if k.kind == kernelUser {
		if err := k.testDefinite(where, rows, src); err != nil {
			return nil, err
		}
	}
	fill, diag := k.rowFiller(rows, plus)
	return &dualcd.Gram{Cache: dualcd.NewCache(n, limit, fill), Diag: diag}, nil
}

// kernelPanic carries a panic of a user's kernel out of a worker goroutine.
type kernelPanic struct{ value any }

// rowFiller computes rows of the kernel matrix, plus added to every entry, on all cores when a row is long.
func (k Kernel) rowFiller(rows [][]float64, plus float64) (fill func(i int, dst []float64, known func(j int) (float64, bool)), diag []float64) {
	n := len(rows)
	diag = make([]float64, n)
	sq := make([]float64, n)
	for i, x := range rows {
		sq[i] = dotDense(x, x)
		switch k.kind {
		case kernelRBF, kernelLaplacian, kernelCauchy:
			diag[i] = 1
		default:
			diag[i] = k.Eval(x, x)
		}
		diag[i] += plus
	}
	part := func(i, lo, hi int, dst []float64, known func(j int) (float64, bool)) {
		x := rows[i]
		switch k.kind {
		case kernelRBF:
			inv := 1 / (2 * k.sigma * k.sigma)
			for j := lo; j < hi; j++ {
				v := (sq[i] + sq[j] - 2*dot4(x, rows[j])) * inv
				if v < 0 { // rounding
					v = 0
				}
				dst[j] = math.Exp(-v)
			}
		case kernelPolynomial:
			for j := lo; j < hi; j++ {
				dst[j] = powInt(k.scale*dot4(x, rows[j])+k.offset, k.degree)
			}
		case kernelUser: // may be interpreted and slow: use the symmetry
			for j := lo; j < hi; j++ {
				v, ok := known(j)
				if !ok {
					v = k.Eval(x, rows[j]) + plus
				}
				dst[j] = v
			}
			return
		default:
			for j := lo; j < hi; j++ {
				dst[j] = k.Eval(x, rows[j])
			}
		}
		if plus != 0 {
			for j := lo; j < hi; j++ {
				dst[j] += plus
			}
		}
	}
	procs := runtime.GOMAXPROCS(0)
	if n*len(rows[0]) < 20000 {
		procs = 1
	}
	fill = func(i int, dst []float64, known func(j int) (float64, bool)) {
		if procs == 1 {
			part(i, 0, n, dst, known)
		} else {
			var wg sync.WaitGroup
			var mu sync.Mutex
			var failed *kernelPanic
			for p := 0; p < procs; p++ {
				wg.Add(1)
				go func() {
					defer wg.Done()
					defer func() {
						if v := recover(); v != nil {
							mu.Lock()
							failed = &kernelPanic{v}
							mu.Unlock()
						}
					}()
					part(i, p*n/procs, (p+1)*n/procs, dst, known)
				}()
			}
			wg.Wait()
			if failed != nil {
				panic(*failed)
			}
		}
		dst[i] = diag[i]
	}
	return fill, diag
}

func dot4(x, w []float64) float64 {
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

// testDefinite looks for a proof that the kernel is not symmetric and positive definite, on up to 150 random rows.
func (k Kernel) testDefinite(where string, rows [][]float64, src *Source) (err error) {
	name := k.String()
	if name == "" {
		name = "without a name"
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("dp: %s: kernel %s panicked: %v", where, name, p)
		}
	}()
	idx := src.Fork().Perm(len(rows))
	if len(idx) > 150 {
		idx = idx[:150]
	}
	m := len(idx)
	g := mat.NewSymDense(m, nil)
	scale := 0.0
	for a, i := range idx {
		for b := 0; b <= a; b++ {
			v, w := k.Eval(rows[i], rows[idx[b]]), k.Eval(rows[idx[b]], rows[i])
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("dp: %s: kernel %s: k(row %d, row %d) = %g: it must be finite", where, name, i, idx[b], v)
			}
			if math.Abs(v-w) > 1e-9*(math.Abs(v)+math.Abs(w)) {
				return fmt.Errorf("dp: %s: kernel %s is not symmetric: k(row %d, row %d) = %g but k(row %d, row %d) = %g", where, name, i, idx[b], v, idx[b], i, w)
			}
			g.SetSym(a, b, v)
			scale = math.Max(scale, math.Abs(v))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(g, false) {
		return fmt.Errorf("dp: %s: kernel %s: the eigenvalues of its matrix on %d rows could not be computed", where, name, m)
	}
	if low := e.Values(nil)[0]; low < -1e-10*scale*float64(m) {
		return fmt.Errorf("dp: %s: kernel %s: %w: its matrix on %d of the rows has the eigenvalue %.4g", where, name, dualcd.ErrIndefinite, m, low)
	}
	return nil
}
