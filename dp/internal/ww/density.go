package ww

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Inverse returns the perturbation b for which w, whose components sum to zero, minimises the objective, and
// ln det of nΛI + Σ_i ∇²ℓ_i(w) on the subspace of parameters that sum to zero over components.
func (p *Problem) Inverse(w []float64) (b []float64, logDet float64, err error) {
	ctx := context.Background()
	q, m := p.Mode.Len(p.D), p.Components()
	for k := range q {
		t, a := 0.0, 1.0
		for c := range m {
			t += w[c*q+k]
			a += abs(w[c*q+k])
		}
		if abs(t) > 1e-9*a {
			return nil, 0, fmt.Errorf("the components of the parameters must sum to zero")
		}
	}
	bare := *p
	bare.B = nil
	s := make([]float64, p.N*m)
	g := make([]float64, len(w))
	if err := bare.Scores(ctx, w, s); err != nil {
		return nil, 0, err
	}
	if err := bare.Gradient(ctx, w, s, g); err != nil {
		return nil, 0, err
	}
	for k := range g {
		g[k] *= -float64(p.N)
	}
	// Orthonormal basis of the sum-zero subspace of R^m (Helmert), times the identity of R^q.
	rows := make([]int32, p.N)
	for i := range rows {
		rows[i] = int32(i)
	}
	n := (m - 1) * q
	h := mat.NewSymDense(n, nil)
	dir, out := make([]float64, len(w)), make([]float64, len(w))
	basis := helmert(m)
	for a := range n {
		clear(dir)
		for c := range m {
			dir[c*q+a%q] = basis[a/q][c]
		}
		if err := bare.hessVec(ctx, dir, s, rows, out); err != nil {
			return nil, 0, err
		}
		for e := a; e < n; e++ {
			t := 0.0
			for c := range m {
				t += basis[e/q][c] * out[c*q+e%q]
			}
			h.SetSym(a, e, t*float64(p.N))
		}
	}
	var ch mat.Cholesky
	if !ch.Factorize(h) {
		return nil, 0, fmt.Errorf("the Hessian is not positive definite")
	}
	return g, ch.LogDet(), nil
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// helmert is an orthonormal basis of {v ∈ R^m: Σv = 0}.
func helmert(m int) [][]float64 {
	out := make([][]float64, m-1)
	for k := range out {
		v := make([]float64, m)
		for j := 0; j <= k; j++ {
			v[j] = 1
		}
		v[k+1] = -float64(k + 1)
		l := norm(v)
		for j := range v {
			v[j] /= l
		}
		out[k] = v
	}
	return out
}
