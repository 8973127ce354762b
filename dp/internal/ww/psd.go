package ww

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// MinimisePSD minimises F subject to Φ_c ⪰ 0 for every component (Full mode only), by accelerated projected gradients with
// restarts (Beck and Teboulle 2009; O'Donoghue and Candès 2015). With the step 1/L, L the Lipschitz constant of ∇F, and G the
// gradient mapping, ∇F(W⁺) plus some normal vector of the cone has norm at most 2‖G‖; that is Result.GradNorm, and for Λ > 0
// it bounds Λ times the distance to the minimiser. lip is L.
func MinimisePSD(ctx context.Context, p *Problem, lip, tol float64, maxIter int) (*Result, error) {
	if p.Mode != Full {
		return nil, fmt.Errorf("the positive semidefinite constraint needs the full mode")
	}
	n, m := p.Len(), p.Components()
	r := &Result{W: make([]float64, n)}
	x, y, g, next := r.W, make([]float64, n), make([]float64, n), make([]float64, n)
	s := make([]float64, p.N*m)
	t, best := 1.0, math.Inf(1)
	for r.FISTA = 1; r.FISTA <= maxIter; r.FISTA++ {
		if err := p.Scores(ctx, y, s); err != nil {
			return nil, err
		}
		if err := p.Gradient(ctx, y, s, g); err != nil {
			return nil, err
		}
		for k := range next {
			next[k] = y[k] - g[k]/lip
		}
		if err := p.projectPSD(next); err != nil {
			return nil, err
		}
		gm, uphill := 0.0, 0.0
		for k := range next {
			d := lip * (y[k] - next[k])
			gm += d * d
			uphill += d * (next[k] - x[k])
		}
		r.GradNorm = 2 * math.Sqrt(gm)
		best = math.Min(best, r.GradNorm)
		if r.GradNorm <= tol {
			copy(x, next)
			if err := p.Scores(ctx, x, s); err != nil {
				return nil, err
			}
			r.Value = p.Value(x, s)
			return r, nil
		}
		if uphill > 0 { // momentum points uphill: start again from here
			t = 1
		}
		tn := (1 + math.Sqrt(1+4*t*t)) / 2
		if p.Lambda > 0 { // strong convexity: no more momentum than it allows
			k := math.Sqrt(p.Lambda / lip)
			if b := (1 - k) / (1 + k); (t-1)/tn > b {
				tn = t
				for i := range y {
					y[i] = next[i] + b*(next[i]-x[i])
				}
				copy(x, next)
				continue
			}
		}
		b := (t - 1) / tn
		for i := range y {
			y[i] = next[i] + b*(next[i]-x[i])
		}
		copy(x, next)
		t = tn
	}
	return nil, fmt.Errorf("the gradient mapping stays at %.3g after %d iterations, above the goal %.3g", best, maxIter, tol)
}

// projectPSD replaces each Φ_c by its nearest positive semidefinite matrix.
func (p *Problem) projectPSD(w []float64) error {
	q := p.Mode.Len(p.D)
	for c := range p.Components() {
		wc := w[c*q : (c+1)*q]
		phi, err := ClipPSD(p.Mode.Matrix(wc, p.D), p.D+1)
		if err != nil {
			return err
		}
		copy(wc, p.Mode.Vector(phi, p.D))
	}
	return nil
}

// Eigen returns the eigenvalues (ascending) of a symmetric n×n matrix, and its eigenvectors if wanted.
func Eigen(a []float64, n int, vectors bool) ([]float64, *mat.Dense, error) {
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, append([]float64(nil), a...)), vectors) {
		return nil, nil, fmt.Errorf("the eigenvalues of a %d×%d matrix could not be computed", n, n)
	}
	if !vectors {
		return e.Values(nil), nil, nil
	}
	var v mat.Dense
	e.VectorsTo(&v)
	return e.Values(nil), &v, nil
}

// ClipPSD is the nearest positive semidefinite matrix: negative eigenvalues become zero.
func ClipPSD(a []float64, n int) ([]float64, error) {
	val, vec, err := Eigen(a, n, true)
	if err != nil {
		return nil, err
	}
	if val[0] >= 0 {
		return a, nil
	}
	out := make([]float64, n*n)
	for k, l := range val {
		if l <= 0 {
			continue
		}
		for i := range n {
			vi := l * vec.At(i, k)
			for j := range n {
				out[i*n+j] += vi * vec.At(j, k)
			}
		}
	}
	return out, nil
}
