package solve

import "math"

// A hessian is Σ c_i x_i x_iᵀ + Reg·I over the rows of a problem, kept together with the weights c it was made from: when
// only some of them have changed (rows that entered or left the curved part of a Huber loss), only those rows are added.
type hessian struct {
	d       int
	sum     []float64 // lower triangle of Σ c_i x_i x_iᵀ, row-major d×d
	c       []float64 // weights in sum
	factor  []float64 // Cholesky factor of sum + Reg·I
	updates int       // rows added since the sum was last built from nothing
}

func newHessian(n, d int) *hessian {
	return &hessian{d: d, sum: make([]float64, d*d), c: make([]float64, n), factor: make([]float64, d*d)}
}

// fewChanges tells whether at most limit weights differ from those in the sum.
func (h *hessian) fewChanges(c []float64, limit int) bool {
	for i, v := range c {
		if v != h.c[i] {
			if limit--; limit < 0 {
				return false
			}
		}
	}
	return true
}

// set brings the sum to the weights c. Rows are taken in steps: every stride-th row stands for stride rows (a subsample for
// the first, rough steps).
func (h *hessian) set(p *Problem, c []float64, stride, k int, group *laneGroup) {
	n := p.X.N
	changed := 0
	if stride == 1 {
		for i, v := range c {
			if v != h.c[i] {
				changed++
			}
		}
	}
	active := 0
	for i := 0; i < n; i += stride {
		if c[i] != 0 {
			active++
		}
	}
	// Differences accumulate rounding, so rebuild now and then.
	rebuild := stride > 1 || changed >= active || h.updates+changed > 4*n
	if rebuild && stride == 1 && group != nil {
		group.pass(hessianPass, c, h.sum)
		copy(h.c, c)
		h.updates = 0
		return
	}
	if rebuild {
		clear(h.sum)
		clear(h.c)
		h.updates = 0
	} else {
		h.updates += changed
	}
	rows := make([]int32, 0, max(changed, active))
	wts := make([]float64, 0, max(changed, active))
	for i := 0; i < n; i += stride {
		if d := c[i]*float64(stride) - h.c[i]; d != 0 {
			rows = append(rows, int32(i))
			wts = append(wts, d)
			h.c[i] = c[i] * float64(stride)
		}
	}
	h.add(p.X, rows, wts, k)
}

// add adds Σ wts_k x_{rows_k} x_{rows_k}ᵀ.
func (h *hessian) add(x *Matrix, rows []int32, wts []float64, k int) {
	if len(rows) == 0 {
		return
	}
	d := h.d
	per := d * d / 2
	if x.Sparse() {
		avg := len(x.Val)/max(x.N, 1) + 1
		per = avg * avg
	}
	k = max(1, min(k, len(rows)*per/200_000))
	if k == 1 {
		addOuter(x, rows, wts, h.sum)
		return
	}
	parts := make([][]float64, k)
	parallelK(k, func(w int) {
		parts[w] = make([]float64, d*d)
		lo, hi := len(rows)*w/k, len(rows)*(w+1)/k
		addOuter(x, rows[lo:hi], wts[lo:hi], parts[w])
	})
	for _, part := range parts {
		axpy(1, part, h.sum)
	}
}

func parallelK(k int, f func(w int)) {
	parallel(k*block, k, func(_, lo, hi int) {
		for w := lo / block; w < hi/block; w++ {
			f(w)
		}
	})
}

// addOuter adds Σ w_k x_k x_kᵀ to the lower triangle of sum.
func addOuter(x *Matrix, rows []int32, wts []float64, sum []float64) {
	d := x.D
	if x.Sparse() {
		for t, i := range rows {
			lo, hi := x.Ptr[i], x.Ptr[i+1]
			idx, val := x.Idx[lo:hi], x.Val[lo:hi]
			for a, ja := range idx {
				row := sum[int(ja)*d : int(ja)*d+int(ja)+1]
				v := wts[t] * val[a]
				for b, jb := range idx[:a+1] {
					row[jb] += v * val[b]
				}
			}
		}
		return
	}
	// Dense: a panel of rows, transposed so that each entry of the sum is an inner product of two contiguous vectors; the
	// second copy carries the weights (which may be negative in an update).
	ld := min(block, (len(rows)+3)/4*4)
	pt, pw := make([]float64, (d+3)/4*4*ld), make([]float64, (d+3)/4*4*ld)
	for from := 0; from < len(rows); from += ld {
		m := min(ld, len(rows)-from)
		transpose(x, rows[from:from+m], wts[from:from+m], pt, pw, ld)
		var out [8]float64
		for i := 0; i < d; i += 4 {
			for j := 0; j < min(i+4, d); j += 2 {
				tile(pt[i*ld:], pw[j*ld:], ld, ld, &out)
				for r := range 4 {
					for q := range 2 {
						if i+r < d && j+q <= i+r {
							sum[(i+r)*d+j+q] += out[r*2+q]
						}
					}
				}
			}
		}
	}
}

// transpose writes the rows into columns 0..len(rows)−1 of pt, and times their weights into pw; the columns up to ld are
// cleared. Four rows are written at a time, so that stores fill whole parts of a cache line.
func transpose(x *Matrix, rows []int32, wts, pt, pw []float64, ld int) {
	d := x.D
	var none []float64
	row := func(t int) []float64 {
		if t >= len(rows) {
			if none == nil {
				none = make([]float64, d)
			}
			return none
		}
		return x.Val[int(rows[t])*d : (int(rows[t])+1)*d]
	}
	weight := func(t int) float64 {
		if t >= len(rows) {
			return 0
		}
		return wts[t]
	}
	for t := 0; t < ld; t += 4 {
		r0, r1, r2, r3 := row(t), row(t+1), row(t+2), row(t+3)
		w0, w1, w2, w3 := weight(t), weight(t+1), weight(t+2), weight(t+3)
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		for j, v0 := range r0 {
			at := j*ld + t
			p, q := pt[at:at+4:at+4], pw[at:at+4:at+4]
			v1, v2, v3 := r1[j], r2[j], r3[j]
			p[0], p[1], p[2], p[3] = v0, v1, v2, v3
			q[0], q[1], q[2], q[3] = w0*v0, w1*v1, w2*v2, w3*v3
		}
	}
}

// factorise computes the Cholesky factor of sum + reg·I. Differences of Hessians can lose definiteness to rounding when
// reg is tiny; then a small multiple of the trace is added, which only makes the step shorter.
func (h *hessian) factorise(reg float64) {
	d := h.d
	trace := 0.0
	for i := range d {
		trace += h.sum[i*d+i]
	}
	for extra := 0.0; ; extra = math.Max(extra*100, 1e-15*(trace+reg)) {
		copy(h.factor, h.sum)
		for i := range d {
			h.factor[i*d+i] += reg + extra
		}
		if cholesky(h.factor, d) {
			return
		}
	}
}
