// Package ww fits large-margin Gaussian classifiers. In the coordinates u(x) = svec(zzᵀ), z = (x, τ), the score of a
// component is linear, ⟨W_c, u⟩, and the learner is a Weston–Watkins multiclass SVM on u with a Huber margin loss:
//
//	F(W) = (1/n) Σ_i Σ_{c≠y_i} ℓ_h(m_ic) + (Λ/2)‖W‖² + (1/n)⟨b, W⟩ .
//
// For one component a class, m_ic = ⟨W_c − W_{y_i}, u_i⟩; with mixtures, m_ic = −ln Σ_k exp(−⟨W_ck, u⟩) − ⟨W_{y_i k_i}, u⟩.
// Rows are visited in blocks whose u is rebuilt each time, so that n×q numbers are never stored.
//
// Sources: Sha and Saul 2006, 2007 (model); Weston and Watkins 1999; Nocedal 1980 (L-BFGS); Qi and Sun 1993 (semi-smooth
// Newton).
package ww

import "math"

// Mode says which entries of zzᵀ the classifier sees.
type Mode int

const (
	Full      Mode = iota // all: q = (d+1)(d+2)/2
	Diag                  // x_j², √2τx_j, τ²: q = 2d+1
	Spherical             // ‖x‖², √2τx_j, τ²: q = d+2
	Linear                // x itself, for softmax regression: q = d
)

// Len is q for dimension d.
func (m Mode) Len(d int) int {
	switch m {
	case Diag:
		return 2*d + 1
	case Spherical:
		return d + 2
	case Linear:
		return d
	}
	return (d + 1) * (d + 2) / 2
}

// Apply writes u(x) to u, which has length Len(len(x)). Always ‖u‖ ≤ ‖x‖² + τ², with equality for Full.
func (m Mode) Apply(x []float64, tau float64, u []float64) {
	switch m {
	case Diag:
		d := len(x)
		for j, v := range x {
			u[j] = v * v
			u[d+j] = math.Sqrt2 * tau * v
		}
		u[2*d] = tau * tau
	case Spherical:
		s := 0.0
		for j, v := range x {
			s += v * v
			u[1+j] = math.Sqrt2 * tau * v
		}
		u[0] = s
		u[len(x)+1] = tau * tau
	case Linear:
		copy(u, x)
	default:
		k := 0
		for j, v := range x {
			u[k] = v * v
			k++
			w := math.Sqrt2 * v
			rest := x[j+1:]
			dst := u[k : k+len(rest)]
			for t, r := range rest {
				dst[t] = w * r
			}
			k += len(rest)
			u[k] = w * tau
			k++
		}
		u[k] = tau * tau
	}
}

// Matrix is the symmetric (d+1)×(d+1) matrix Φ (row-major) whose score zᵀΦz is ⟨w, u⟩.
func (m Mode) Matrix(w []float64, d int) []float64 {
	n := d + 1
	p := make([]float64, n*n)
	set := func(i, j int, v float64) { p[i*n+j], p[j*n+i] = v, v }
	switch m {
	case Diag:
		for j := 0; j < d; j++ {
			set(j, j, w[j])
			set(j, d, w[d+j]/math.Sqrt2)
		}
		set(d, d, w[2*d])
	case Spherical:
		for j := 0; j < d; j++ {
			set(j, j, w[0])
			set(j, d, w[1+j]/math.Sqrt2)
		}
		set(d, d, w[d+1])
	default:
		k := 0
		for i := 0; i < n; i++ {
			set(i, i, w[k])
			k++
			for j := i + 1; j < n; j++ {
				set(i, j, w[k]/math.Sqrt2)
				k++
			}
		}
	}
	return p
}

// Vector is the inverse of Matrix on the matrices a mode can represent: the adjoint coordinates of Φ.
func (m Mode) Vector(p []float64, d int) []float64 {
	n := d + 1
	w := make([]float64, m.Len(d))
	switch m {
	case Diag:
		for j := 0; j < d; j++ {
			w[j], w[d+j] = p[j*n+j], p[j*n+d]*math.Sqrt2
		}
		w[2*d] = p[d*n+d]
	case Spherical:
		for j := 0; j < d; j++ {
			w[0] += p[j*n+j] / float64(d)
			w[1+j] = p[j*n+d] * math.Sqrt2
		}
		w[d+1] = p[d*n+d]
	default:
		k := 0
		for i := 0; i < n; i++ {
			w[k] = p[i*n+i]
			k++
			for j := i + 1; j < n; j++ {
				w[k] = p[i*n+j] * math.Sqrt2
				k++
			}
		}
	}
	return w
}
