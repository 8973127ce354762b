package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExpNeg is e^{−t} to 200 bits, t ≥ 0: the series at t/2^k, squared k times.
func bigExpNeg(t float64) *big.Float {
	const prec = 200
	k := 0
	for s := t; s > 0.5; s /= 2 {
		k++
	}
	x := new(big.Float).SetPrec(prec).SetMantExp(new(big.Float).SetPrec(prec).SetFloat64(-t), -k)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for i := 1; i < 60; i++ {
		term.Mul(term, x)
		term.Quo(term, big.NewFloat(float64(i)).SetPrec(prec))
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}

func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	d := new(big.Float).Sub(new(big.Float).SetFloat64(got), want)
	e, _ := d.Float64()
	_, exp := math.Frexp(w)
	return math.Abs(e) / math.Ldexp(1, exp-53)
}

// The error against 200-bit arithmetic stays below 2 units in the last place on 40,000 points, the worst places of the
// reduction (half-way between multiples of ln 2) among them.
func TestExpNegAbs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var z []float64
	for range 20000 {
		z = append(z, 40*rng.Float64()-20)
	}
	for range 10000 {
		z = append(z, 1400*rng.Float64()-700)
	}
	for n := range 1000 {
		mid := (float64(n) + 0.5) * math.Ln2
		for _, v := range []float64{mid, math.Nextafter(mid, 0), math.Nextafter(mid, 1e9), float64(n) * math.Ln2} {
			if v <= 700 {
				z = append(z, v, -v)
			}
		}
	}
	z = append(z, 0, math.Copysign(0, -1), 1e-300, -5e-324, 1e-17, 700, -700)
	out := make([]float64, len(z))
	ExpNegAbs(z, out)
	worst := 0.0
	for i, v := range z {
		worst = math.Max(worst, ulps(out[i], bigExpNeg(math.Abs(v))))
	}
	t.Logf("largest error %.3f ulp on %d points", worst, len(z))
	if worst > 2 {
		t.Errorf("an error of %.3f ulp", worst)
	}
}

func TestExpNegAbsWild(t *testing.T) {
	z := []float64{math.NaN(), 1, math.Inf(1), math.Inf(-1), 2, -3, 701, 5, 800, 1e300, -745, 3, 7}
	out := make([]float64, len(z))
	ExpNegAbs(z, out)
	for i, v := range z {
		want := math.Exp(-math.Abs(v))
		if math.IsNaN(want) != math.IsNaN(out[i]) || math.Abs(out[i]-want) > 1e-15*want {
			t.Errorf("z = %g gives %g, want %g", v, out[i], want)
		}
	}
	// In place, and every length.
	for n := range 11 {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = float64(i) - 4.25
			b[i] = math.Exp(-math.Abs(a[i]))
		}
		ExpNegAbs(a, a)
		for i := range a {
			if math.Abs(a[i]-b[i]) > 4e-16*b[i] {
				t.Errorf("length %d: %g, want %g", n, a[i], b[i])
			}
		}
	}
}

func BenchmarkExpNegAbs(b *testing.B) {
	z, out := make([]float64, 4096), make([]float64, 4096)
	for i := range z {
		z[i] = float64(i%64)/4 - 8
	}
	b.SetBytes(8 * 4096)
	for b.Loop() {
		ExpNegAbs(z, out)
	}
}
