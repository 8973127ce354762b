package dp

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// ksDistance is the Kolmogorov–Smirnov distance of a sample from a continuous distribution function.
func ksDistance(x []float64, cdf func(float64) float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	n, top := float64(len(x)), 0.0
	for i, v := range x {
		f := cdf(v)
		top = max(top, f-float64(i)/n, float64(i+1)/n-f)
	}
	return top
}

// ksLimit is the distance exceeded with probability at most alpha (Dvoretzky–Kiefer–Wolfowitz–Massart).
func ksLimit(n int, alpha float64) float64 { return math.Sqrt(math.Log(2/alpha) / (2 * float64(n))) }

// Uniform, exponential and normal deviates against their laws; each test raises a false alarm with probability 1e-6, and
// the seed is fixed.
func TestSourceLaws(t *testing.T) {
	const n = 200_000
	src := Seed(1)
	draw := func(f func() float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f()
		}
		return x
	}
	for _, c := range []struct {
		name string
		f    func() float64
		cdf  func(float64) float64
	}{
		{"Float64", src.Float64, func(x float64) float64 { return min(max(x, 0), 1) }},
		{"open", src.open, func(x float64) float64 { return min(max(x, 0), 1) }},
		{"Exp", src.Exp, func(x float64) float64 { return -math.Expm1(-x) }},
		{"Norm", src.Norm, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }},
	} {
		if dist, lim := ksDistance(draw(c.f), c.cdf), ksLimit(n, 1e-6); dist > lim {
			t.Errorf("%s: KS distance %g above %g", c.name, dist, lim)
		}
	}
}

// Intn over 7 values: chi-square with 6 degrees of freedom exceeds 41.3 with probability 2.5e-7.
func TestIntnUniform(t *testing.T) {
	src := Seed(2)
	var count [7]float64
	const n = 70_000
	for range n {
		count[src.Intn(7)]++
	}
	chi := 0.0
	for _, c := range count {
		chi += (c - n/7) * (c - n/7) / (n / 7)
	}
	if chi > 41.3 {
		t.Errorf("chi-square %g", chi)
	}
}

func TestSourceSeeds(t *testing.T) {
	if Seed(4).Uint64() != Seed(4).Uint64() || Seed(4).Uint64() == Seed(5).Uint64() {
		t.Error("Seed must reproduce, and differ between seeds")
	}
	if Secure().Uint64() == Secure().Uint64() {
		t.Error("two secure sources agree")
	}
	if !Seed(1).Fork().Seeded() || Secure().Fork().Seeded() {
		t.Error("a fork must remember whether it was seeded")
	}
	a := Seed(9)
	if f := a.Fork(); f.Uint64() == a.Uint64() {
		t.Error("a fork must be another stream")
	}
	if s := Seed(1).String(); !strings.Contains(s, "not private") {
		t.Errorf("String is %q", s)
	}
	p := Seed(3).Perm(100)
	seen := map[int]bool{}
	for _, v := range p {
		seen[v] = true
	}
	if len(seen) != 100 {
		t.Error("Perm is not a permutation")
	}
}
