package dualcd

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Rows come back right whatever the limit, the least recently used row goes first, and known sees exactly the kept rows.
func TestCache(t *testing.T) {
	const n = 7
	kept := map[int]bool{}
	fill := func(i int, dst []float64, known func(j int) (float64, bool)) {
		for j := range dst {
			v, ok := known(j)
			if ok && v != float64(min(i, j)*100+max(i, j)) {
				t.Fatalf("entry (%d,%d) known as %g", i, j, v)
			}
			if ok != kept[j] {
				t.Fatalf("row %d known: %v, kept: %v", j, ok, kept[j])
			}
			dst[j] = float64(min(i, j)*100 + max(i, j))
		}
	}
	for _, rows := range []int64{0, 2, 3, 100} {
		c := NewCache(n, rows*8*n, fill)
		clear(kept)
		var order []int
		r := rand.New(rand.NewPCG(1, uint64(rows)))
		room := int(min(max(rows, 2), n))
		for range 500 {
			i := r.IntN(n)
			hit := kept[i]
			if !hit && len(order) == room { // the cache evicts before it fills
				kept[order[0]] = false
				order = order[1:]
			}
			h := c.Hits
			row := c.Row(i)
			if (c.Hits > h) != hit {
				t.Fatalf("limit %d rows: row %d hit %v, want %v", rows, i, c.Hits > h, hit)
			}
			for k, o := range order {
				if o == i {
					order = append(order[:k], order[k+1:]...)
					break
				}
			}
			order = append(order, i)
			kept[i] = true
			for j, v := range row {
				if v != float64(min(i, j)*100+max(i, j)) {
					t.Fatalf("limit %d rows: row %d entry %d = %g", rows, i, j, v)
				}
			}
		}
	}
}

// Fenchel–Young: never negative, and zero exactly at u = −ℓ'(z).
func TestFenchel(t *testing.T) {
	for _, l := range []Loss{{Kind: Hinge}, {Kind: Huber, H: 0.3}, {Kind: Logistic}, {Kind: Square}} {
		for z := -3.0; z <= 3; z += 0.01 {
			const dz = 1e-6
			slope := -(l.value(z+dz) - l.value(z-dz)) / (2 * dz)
			if math.Abs(z-1) > 2*dz || l.Kind != Hinge {
				if v := l.fenchel(z, slope); v > 1e-8 {
					t.Fatalf("%+v z=%g: gap %g at u = −ℓ'(z)", l, z, v)
				}
			}
			for u := 0.05; u < 1; u += 0.05 {
				v := l.fenchel(z, u)
				if direct := l.value(z) + l.conj(u) + u*z; v < 0 || math.Abs(v-direct) > 1e-11 {
					t.Fatalf("%+v z=%g u=%g: gap %g, from its definition %g", l, z, u, v, direct)
				}
			}
		}
	}
}

// logitStep solves its equation for steep and flat problems.
func TestLogitStep(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 20000 {
		q, c := math.Exp(4*r.NormFloat64()), math.Exp(3*r.NormFloat64())
		alpha, z, a0 := c*r.Float64(), 20*r.NormFloat64(), 20*r.NormFloat64()
		a := logitStep(q, c, alpha, z, a0)
		if res := q*(c*sigma(a)-alpha) + z + a; math.Abs(res) > 1e-11*(1+q*c+math.Abs(z)) {
			t.Fatalf("q=%g c=%g α=%g z=%g: residual %g", q, c, alpha, z, res)
		}
	}
}

// A pair step is at least as good as 2,000 random points of the box.
func TestPairStep(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		qi, qj := 0.1+r.Float64(), 0.1+r.Float64()
		qij := 0.99 * (2*r.Float64() - 1) * math.Sqrt(qi*qj)
		gi, gj := r.NormFloat64(), r.NormFloat64()
		ai, aj := r.Float64(), r.Float64()
		f := func(a, b float64) float64 { return gi*a + gj*b + 0.5*(qi*a*a+qj*b*b) + qij*a*b }
		di, dj := pairStep(qi, qj, qij, gi, gj, ai, aj, 0, 1)
		if ai+di < -1e-15 || ai+di > 1+1e-15 || aj+dj < -1e-15 || aj+dj > 1+1e-15 {
			t.Fatalf("left the box: %g %g", ai+di, aj+dj)
		}
		for range 2000 {
			if a, b := r.Float64()-ai, r.Float64()-aj; f(a, b) < f(di, dj)-1e-12 {
				t.Fatalf("step %g %g has %g, a random point %g", di, dj, f(di, dj), f(a, b))
			}
		}
	}
}

func TestIndefiniteGram(t *testing.T) {
	k := [][]float64{{1, 2}, {2, 1}}
	g := &Gram{Diag: []float64{1, 1}, Cache: NewCache(2, 0, func(i int, dst []float64, _ func(int) (float64, bool)) { copy(dst, k[i]) })}
	o := Options{Cost: 10, Tol: 1e-9, MaxPasses: 100, Intn: func(n int) int { return 0 }}
	if _, err := Kernel(context.Background(), g, []float64{1, 1}, o); !errors.Is(err, ErrIndefinite) {
		t.Errorf("error %v", err)
	}
	g.Diag[0] = -1
	if _, err := Kernel(context.Background(), g, []float64{1, 1}, o); !errors.Is(err, ErrIndefinite) {
		t.Errorf("negative diagonal: error %v", err)
	}
}
