package stattest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Published critical points of Kolmogorov's law: P(K > 1.3581) = 0.05, P(K > 1.6276) = 0.01.
func TestKolmogorov(t *testing.T) {
	for x, want := range map[float64]float64{1.3581: 0.05, 1.6276: 0.01, 0.8276: 0.5} {
		if got := kolmogorov(x); math.Abs(got-want) > 1e-4 {
			t.Errorf("P(K > %g) = %g, want %g", x, got, want)
		}
	}
}

// Under the null hypothesis the p-values must be uniform: of 400 at most 40 below 0.05 (expected 20, binomial tail 2e-5) and at
// least one above 0.9; and a law shifted by 0.03 must be caught with 10,000 draws.
func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	low, high := 0, 0
	lowChi := 0
	for range 400 {
		x, c := make([]float64, 500), make([]int, 10)
		for i := range x {
			x[i] = r.Float64()
			c[int(10*x[i])]++
		}
		p := KS(x, func(v float64) float64 { return v })
		if p < 0.05 {
			low++
		}
		if p > 0.9 {
			high++
		}
		tenth := []float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}
		if ChiSquare(c, tenth, 500) < 0.05 {
			lowChi++
		}
	}
	if low > 40 || lowChi > 40 || high == 0 {
		t.Errorf("p-values are not uniform: KS %d below 0.05, %d above 0.9; χ² %d below 0.05 (of 400)", low, high, lowChi)
	}
	x, c := make([]float64, 10000), make([]int, 10)
	for i := range x {
		x[i] = math.Min(1, r.Float64()+0.03)
		c[min(9, int(10*x[i]))]++
	}
	if p := KS(x, func(v float64) float64 { return v }); p > 1e-6 {
		t.Errorf("KS missed a shift: p = %g", p)
	}
	if p := ChiSquare(c, []float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}, 10000); p > 1e-6 {
		t.Errorf("χ² missed a shift: p = %g", p)
	}
	if p := ChiSquare([]int{50, 50}, []float64{0.5, 0.5}, 200); p != 0 {
		t.Errorf("100 draws outside the support: p = %g, want 0", p)
	}
}
