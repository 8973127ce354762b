package solve

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

// sparseRows is a random sparse problem with a constant column and some empty rows.
func sparseRows(rng *rand.Rand, n, d int) *Problem {
	x := &Matrix{N: n, D: d, Ptr: []int{0}}
	y := make([]float64, n)
	for i := range n {
		y[i] = float64(2*rng.IntN(2) - 1)
		for j := range d {
			if i%17 != 3 && (j == d-1 || rng.IntN(d) < 3) {
				x.Idx = append(x.Idx, int32(j))
				x.Val = append(x.Val, rng.NormFloat64()/4)
			}
		}
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return &Problem{X: x, Y: y, Eval: huberEval(0.5), C: 1, Reg: 2, Radius: 4}
}

func huberEval(h float64) func(z, value, grad, hess []float64) {
	return func(z, value, grad, hess []float64) {
		for i, v := range z {
			g, c := 0.0, 0.0
			if u := 1 - v; u > h {
				g = -1
			} else if u > -h {
				g, c = -(u+h)/(2*h), 1/(2*h)
			}
			if grad != nil {
				grad[i] = g
			}
			if hess != nil {
				hess[i] = c
			}
		}
	}
}

// The passes for four fits, in Go and with vector instructions, against the passes for one.
func TestLanePasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 37, 500} {
		const d = 11
		p := sparseRows(rng, n, d)
		f, s := make([]float64, lanes*d), make([]float64, lanes*n)
		for i := range f {
			f[i] = rng.NormFloat64()
		}
		for i := range s {
			if i/lanes%5 != 0 {
				s[i] = rng.NormFloat64()
			}
		}
		for name, pass := range map[string]struct {
			m func(x *Matrix, y, f, z []float64)
			g func(x *Matrix, s, g []float64)
			h func(x *Matrix, c, h []float64)
		}{"Go": {laneMarginsGo, laneGradientGo, laneHessianGo}, "vector": {laneMargins, laneGradient, laneHessian}} {
			z, g, h := make([]float64, lanes*n), make([]float64, lanes*d), make([]float64, lanes*d*d)
			pass.m(p.X, p.Y, f, z)
			pass.g(p.X, s, g)
			pass.h(p.X, s, h)
			for l := range lanes {
				one := func(v []float64) []float64 {
					out := make([]float64, len(v)/lanes)
					for i := range out {
						out[i] = v[lanes*i+l]
					}
					return out
				}
				wantZ, wantG, wantH := make([]float64, n), make([]float64, d), newHessian(n, d)
				p.margins(one(f), wantZ, 1)
				q := *p
				q.Reg = 0
				q.gradient(make([]float64, d), one(s), wantG, 1)
				wantH.set(p, one(s), 1, 1, nil)
				for what, pair := range map[string][2][]float64{"margins": {one(z), wantZ}, "gradient": {one(g), wantG}, "Hessian": {one(h), wantH.sum}} {
					for i, v := range pair[0] {
						if math.Abs(v-pair[1][i]) > 1e-12*(1+math.Abs(v)) {
							t.Fatalf("%s, n = %d, lane %d: %s[%d] = %g, want %g", name, n, l, what, i, v, pair[1][i])
						}
					}
				}
			}
		}
	}
}

// Fits that share passes are certified like others, and their numbers do not depend on who shared: two runs agree bit by bit.
func TestManyIsReproducible(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	p := sparseRows(rng, 3000, 20)
	lins := make([][]float64, 23)
	for i := range lins {
		lins[i] = make([]float64, 20)
		for j := range lins[i] {
			lins[i][j] = 30 * rng.NormFloat64()
		}
	}
	first, err := Many(t.Context(), p, lins, 1e-9)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := Many(t.Context(), p, lins, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		for i := range lins {
			if !slices.Equal(again[i].Hi, first[i].Hi) {
				t.Fatalf("fit %d differs between two runs", i)
			}
		}
	}
	for i, b := range lins {
		q := *p
		q.Lin = b
		one, err := Minimise(t.Context(), &q, nil, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range one.Hi {
			if first[i].Norm > 1e-9 || math.Abs(v-first[i].Hi[j]) > 2e-9 {
				t.Errorf("fit %d: %g alone, %g together (certificate %g)", i, v, first[i].Hi[j], first[i].Norm)
			}
		}
	}
}

// A cancelled context and a panicking loss end all fits of a group; nobody waits for ever.
func TestManyStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	p := sparseRows(rng, 2000, 12)
	lins := make([][]float64, 16)
	for i := range lins {
		lins[i] = make([]float64, 12)
		lins[i][i%12] = 50
	}
	ctx, cancel := context.WithCancel(t.Context())
	var calls, n atomic.Int64
	base := p.Eval
	q := *p
	q.Eval = func(z, value, grad, hess []float64) {
		base(z, value, grad, hess)
		if calls.Add(1) == 60 {
			cancel()
		}
	}
	if _, err := Many(ctx, &q, lins, 1e-9); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	defer func() {
		if r := recover(); r != "loss" {
			t.Errorf("recovered %v", r)
		}
	}()
	q.Eval = func(z, value, grad, hess []float64) {
		base(z, value, grad, hess)
		if n.Add(1) > 60 {
			panic("loss")
		}
	}
	Many(t.Context(), &q, lins, 1e-9)
	t.Error("the panic was lost")
}
