// Package solve minimises regularised empirical risks to a certified gradient norm.
package solve

// A Matrix holds n rows of d numbers, dense (row-major in Val, Ptr nil) or sparse by rows (CSR: row i has columns
// Idx[Ptr[i]:Ptr[i+1]] in increasing order with values Val of the same range).
type Matrix struct {
	N, D int
	Val  []float64
	Ptr  []int
	Idx  []int32
}

// Sparse tells which of the two forms is used.
func (m *Matrix) Sparse() bool { return m.Ptr != nil }

// Dot returns the inner product of row i and w, with four partial sums.
func (m *Matrix) Dot(i int, w []float64) float64 {
	if m.Ptr == nil {
		return dot(m.Val[i*m.D:(i+1)*m.D], w)
	}
	lo, hi := m.Ptr[i], m.Ptr[i+1]
	val, idx := m.Val[lo:hi], m.Idx[lo:hi]
	idx = idx[:len(val)]
	var s, t float64
	k := 0
	for ; k+1 < len(val); k += 2 {
		s += val[k] * w[idx[k]]
		t += val[k+1] * w[idx[k+1]]
	}
	if k < len(val) {
		s += val[k] * w[idx[k]]
	}
	return s + t
}

// AddTo adds a times row i to dst.
func (m *Matrix) AddTo(i int, a float64, dst []float64) {
	if m.Ptr == nil {
		axpy(a, m.Val[i*m.D:(i+1)*m.D], dst)
		return
	}
	lo, hi := m.Ptr[i], m.Ptr[i+1]
	val, idx := m.Val[lo:hi], m.Idx[lo:hi]
	idx = idx[:len(val)]
	for k, v := range val {
		dst[idx[k]] += a * v
	}
}

// Row writes row i densely into dst, which must have length D, and returns it.
func (m *Matrix) Row(i int, dst []float64) []float64 {
	if m.Ptr == nil {
		copy(dst, m.Val[i*m.D:(i+1)*m.D])
		return dst
	}
	clear(dst)
	for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
		dst[m.Idx[k]] = m.Val[k]
	}
	return dst
}

// Values returns the stored values of row i (all of them when dense). They may be modified.
func (m *Matrix) Values(i int) []float64 {
	if m.Ptr == nil {
		return m.Val[i*m.D : (i+1)*m.D]
	}
	return m.Val[m.Ptr[i]:m.Ptr[i+1]]
}

// Select returns a new matrix with the given rows.
func (m *Matrix) Select(rows []int) Matrix {
	out := Matrix{N: len(rows), D: m.D}
	if m.Ptr == nil {
		out.Val = make([]float64, 0, len(rows)*m.D)
		for _, i := range rows {
			out.Val = append(out.Val, m.Val[i*m.D:(i+1)*m.D]...)
		}
		return out
	}
	nnz := 0
	for _, i := range rows {
		nnz += m.Ptr[i+1] - m.Ptr[i]
	}
	out.Ptr, out.Idx, out.Val = make([]int, 1, len(rows)+1), make([]int32, 0, nnz), make([]float64, 0, nnz)
	for _, i := range rows {
		out.Idx = append(out.Idx, m.Idx[m.Ptr[i]:m.Ptr[i+1]]...)
		out.Val = append(out.Val, m.Val[m.Ptr[i]:m.Ptr[i+1]]...)
		out.Ptr = append(out.Ptr, len(out.Val))
	}
	return out
}

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func axpy(a float64, x, dst []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += a * v
	}
}

// ReplaceSparse returns a copy of a sparse matrix in which row i holds the non-zero entries of v.
func (m *Matrix) ReplaceSparse(i int, v []float64) Matrix {
	out := Matrix{N: m.N, D: m.D, Ptr: make([]int, 0, m.N+1)}
	lo, hi := m.Ptr[i], m.Ptr[i+1]
	out.Val = append(out.Val, m.Val[:lo]...)
	out.Idx = append(out.Idx, m.Idx[:lo]...)
	for j, x := range v {
		if x != 0 {
			out.Val = append(out.Val, x)
			out.Idx = append(out.Idx, int32(j))
		}
	}
	shift := len(out.Val) - hi
	out.Val = append(out.Val, m.Val[hi:]...)
	out.Idx = append(out.Idx, m.Idx[hi:]...)
	for k, p := range m.Ptr {
		if k > i {
			p += shift
		}
		out.Ptr = append(out.Ptr, p)
	}
	return out
}
