package solve

import "math"

// cholesky replaces the lower triangle of the symmetric d×d matrix a (row-major) by its Cholesky factor, and reports
// whether the matrix was positive definite. Cost d³/6 multiplications, along contiguous rows.
func cholesky(a []float64, d int) bool {
	for i := range d {
		ri := a[i*d : i*d+i+1]
		for j := range i {
			rj := a[j*d : j*d+j+1]
			ri[j] = (ri[j] - dot(ri[:j], rj)) / rj[j]
		}
		v := ri[i] - dot(ri[:i], ri)
		if !(v > 0) || math.IsInf(v, 1) {
			return false
		}
		ri[i] = math.Sqrt(v)
	}
	return true
}

// cholSolve overwrites x by (L Lᵀ)⁻¹ x.
func cholSolve(l []float64, d int, x []float64) {
	for i := range d {
		row := l[i*d : i*d+i+1]
		x[i] = (x[i] - dot(row[:i], x)) / row[i]
	}
	for i := d - 1; i >= 0; i-- {
		row := l[i*d : i*d+i+1]
		x[i] /= row[i]
		axpy(-x[i], row[:i], x[:i])
	}
}
