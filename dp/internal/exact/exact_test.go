package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func source(seed uint64) Bits { return rand.NewPCG(seed, 1) }

// chiSquare compares counts on consecutive integers lo… with expected masses; cells expecting fewer than 20 are merged
// into the rest. It returns the p-value.
func chiSquare(counts map[int64]int, total int, mass func(int64) float64, lo, hi int64) float64 {
	stat, cells, restP, restN := 0.0, 0, 1.0, total
	for k := lo; k <= hi; k++ {
		e := mass(k) * float64(total)
		if e < 20 {
			continue
		}
		d := float64(counts[k]) - e
		stat += d * d / e
		cells++
		restP -= mass(k)
		restN -= counts[k]
	}
	if e := restP * float64(total); e >= 20 {
		d := float64(restN) - e
		stat += d * d / e
		cells++
	}
	return distuv.ChiSquared{K: float64(cells - 1)}.Survival(stat)
}

func discreteLaplaceMass(scale float64) func(int64) float64 {
	q := math.Exp(-1 / scale)
	return func(k int64) float64 { return (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(k))) }
}

func discreteGaussianMass(v float64) func(int64) float64 {
	z := 1.0
	for k := 1.0; k < 60*math.Sqrt(v)+10; k++ {
		z += 2 * math.Exp(-k*k/(2*v))
	}
	return func(k int64) float64 { return math.Exp(-float64(k)*float64(k)/(2*v)) / z }
}

// Each χ² comparison below has a false-alarm rate of 1e-6; seeds are fixed, so a pass stays a pass.
const alarm = 1e-6

func TestBelowIsUniform(t *testing.T) {
	r := source(1)
	for _, n := range []uint64{1, 2, 3, 7, 10, 1000} {
		counts, total := map[int64]int{}, 200000
		for i := 0; i < total; i++ {
			v := Below(r, n)
			if v >= n {
				t.Fatalf("Below(%d) returned %d", n, v)
			}
			counts[int64(v)]++
		}
		if n == 1 {
			continue
		}
		p := chiSquare(counts, total, func(int64) float64 { return 1 / float64(n) }, 0, int64(n)-1)
		if p < alarm {
			t.Errorf("Below(%d): χ² p-value %g", n, p)
		}
	}
}

// biggest forces the multi-precision path: the same rational with numerator and denominator scaled is reduced by
// big.Rat, so the integers themselves are replaced.
func biggest(l *Laplace) *Laplace {
	f := new(big.Int).Lsh(big.NewInt(1), 90)
	return &Laplace{bt: new(big.Int).Mul(l.bt, f), bs: new(big.Int).Mul(l.bs, f)}
}

func TestLaplaceLaw(t *testing.T) {
	for i, c := range []struct{ num, den int64 }{{1, 1}, {10, 1}, {1, 3}, {7, 5}, {1 << 55, 3602879701896397}} {
		scale := float64(c.num) / float64(c.den)
		l, err := NewLaplace(big.NewRat(c.num, c.den))
		if err != nil {
			t.Fatal(err)
		}
		if !l.word {
			t.Errorf("scale %v should fit in words", scale)
		}
		for name, law := range map[string]*Laplace{"words": l, "big": biggest(l)} {
			total := 400000
			if name == "big" {
				total = 60000
			}
			r, counts := source(uint64(100+i)), map[int64]int{}
			for j := 0; j < total; j++ {
				counts[law.Sample(r)]++
			}
			if p := chiSquare(counts, total, discreteLaplaceMass(scale), -400, 400); p < alarm {
				t.Errorf("discrete Laplace scale %v (%s): χ² p-value %g", scale, name, p)
			}
		}
	}
}

func TestGaussianLaw(t *testing.T) {
	for i, c := range []struct{ num, den int64 }{{1, 1}, {1, 4}, {9, 1}, {10, 3}, {12345, 100}, {1 << 52, 1<<50 - 1}} {
		v := float64(c.num) / float64(c.den)
		g, err := NewGaussian(big.NewRat(c.num, c.den))
		if err != nil {
			t.Fatal(err)
		}
		slow := *g
		slow.word = false
		for name, law := range map[string]*Gaussian{"words": g, "big": &slow} {
			total := 300000
			if name == "big" {
				total = 60000
			}
			r, counts := source(uint64(200+i)), map[int64]int{}
			for j := 0; j < total; j++ {
				counts[law.Sample(r)]++
			}
			if p := chiSquare(counts, total, discreteGaussianMass(v), -400, 400); p < alarm {
				t.Errorf("discrete Gaussian σ²=%v (%s): χ² p-value %g", v, name, p)
			}
		}
	}
}

func TestBernoulliExp(t *testing.T) {
	wide := new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(7), 200), new(big.Int).Lsh(big.NewInt(10), 200))
	wide.Add(wide, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 130)))
	for _, g := range []*big.Rat{new(big.Rat), big.NewRat(1, 3), big.NewRat(1, 1), big.NewRat(5, 2), wide} {
		x, _ := g.Float64()
		want, n, hits := math.Exp(-x), 200000, 0
		r := source(7)
		for i := 0; i < n; i++ {
			if BernoulliExp(r, g) {
				hits++
			}
		}
		// Normal approximation at 5.2 standard deviations: false-alarm rate 2e-7 per value.
		if dev := math.Abs(float64(hits) - float64(n)*want); dev > 5.2*math.Sqrt(float64(n)*want*(1-want))+1e-9 {
			t.Errorf("exp(-%v): %d of %d, expected probability %v", x, hits, n, want)
		}
	}
}

func TestHugeScaleStaysInRange(t *testing.T) {
	// scale 2^70: most draws exceed Max and must be clamped, on both signs.
	l, err := NewLaplace(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 70)))
	if err != nil {
		t.Fatal(err)
	}
	r := source(3)
	lo, hi := int64(0), int64(0)
	for i := 0; i < 200; i++ {
		v := l.Sample(r)
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo != -Max || hi != Max {
		t.Errorf("range of clamped draws is [%d, %d], want ±%d", lo, hi, Max)
	}
}

func TestRefusesBadParameters(t *testing.T) {
	for _, r := range []*big.Rat{nil, new(big.Rat), big.NewRat(-1, 2)} {
		if _, err := NewLaplace(r); err == nil {
			t.Errorf("NewLaplace(%v) accepted", r)
		}
		if _, err := NewGaussian(r); err == nil {
			t.Errorf("NewGaussian(%v) accepted", r)
		}
	}
}

func BenchmarkLaplace(b *testing.B) {
	l, _ := NewLaplace(big.NewRat(1<<55, 3602879701896397)) // ε = 0.1
	r := rand.NewChaCha8([32]byte{})
	for b.Loop() {
		l.Sample(r)
	}
}

func BenchmarkGaussian(b *testing.B) {
	g, _ := NewGaussian(big.NewRat(100, 1))
	r := rand.NewChaCha8([32]byte{})
	for b.Loop() {
		g.Sample(r)
	}
}
