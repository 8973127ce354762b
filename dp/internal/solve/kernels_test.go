package solve

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The vector kernel and the portable one against products added in index order, for every length up to 64.
func TestTile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for k := 0; k <= 64; k += 4 {
		ld := k + 4
		a, b := make([]float64, 4*ld), make([]float64, 4*ld)
		for i := range a {
			a[i], b[i] = r.NormFloat64(), r.NormFloat64()
		}
		for name, f := range map[string]func(a, b []float64, ld, k int, out *[8]float64){"portable": tileGo, "used here": tile} {
			var out [8]float64
			f(a, b, ld, k, &out)
			for i, got := range out {
				want := 0.0
				for j := range k {
					want += a[i/2*ld+j] * b[i%2*ld+j]
				}
				if math.Abs(got-want) > 1e-12*float64(1+k) {
					t.Errorf("%s, k = %d: product %d is %g, want %g", name, k, i, got, want)
				}
			}
		}
	}
}

// The Hessian's lower triangle against its definition, dense and sparse, with negative weights and odd sizes.
func TestAddOuter(t *testing.T) {
	for _, d := range []int{1, 2, 3, 5, 8, 13} {
		p := random(37, d, 1, uint64(d))
		r := rand.New(rand.NewPCG(3, 3))
		var rows []int32
		var wts []float64
		for i := 0; i < 37; i += 1 + i%3 {
			rows, wts = append(rows, int32(i)), append(wts, r.NormFloat64())
		}
		sp := Matrix{N: 37, D: d, Val: p.X.Val, Ptr: []int{0}}
		for i := range 37 {
			for j := range d {
				sp.Idx = append(sp.Idx, int32(j))
			}
			sp.Ptr = append(sp.Ptr, (i+1)*d)
		}
		dense, sparse := make([]float64, d*d), make([]float64, d*d)
		addOuter(p.X, rows, wts, dense)
		addOuter(&sp, rows, wts, sparse)
		for i := range d {
			for j := range i + 1 {
				want := 0.0
				for k, row := range rows {
					v := p.X.Values(int(row))
					want += wts[k] * v[i] * v[j]
				}
				if math.Abs(dense[i*d+j]-want) > 1e-12 || math.Abs(sparse[i*d+j]-want) > 1e-12 {
					t.Errorf("d = %d, entry (%d, %d): dense %g, sparse %g, want %g", d, i, j, dense[i*d+j], sparse[i*d+j], want)
				}
			}
		}
	}
}
