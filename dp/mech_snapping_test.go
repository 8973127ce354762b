package dp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/godp/dp/internal/exact"
	"example.org/godp/dp/internal/stattest"
)

// tailExact is the exact probability Pr[U < v] of a uniform number rounded down, for a float v: v itself.
// exactMasses returns the exact law of the mechanism at value, as the floating-point program computes it: for each sign, the thresholds
// between outputs are found by bisection over the floating-point numbers U (the output is monotone in U).
func exactMasses(m SnappedLaplace, value float64) map[float64]*big.Float {
	out := map[float64]*big.Float{}
	logOf := func(u float64) float64 {
		frac, e := math.Frexp(u) // u = frac·2^e, frac in [1/2, 1)
		mant := math.Float64bits(frac*2) & (1<<52 - 1)
		return exact.NegLog(mant, 1-e)
	}
	add := func(y float64, lo, hi float64) { // U in [lo, hi): probability hi − lo, halved for the sign
		p := new(big.Float).SetPrec(300).Sub(new(big.Float).SetPrec(300).SetFloat64(hi), new(big.Float).SetPrec(300).SetFloat64(lo))
		p.SetMantExp(p, -1)
		if out[y] == nil {
			out[y] = new(big.Float).SetPrec(300)
		}
		out[y].Add(out[y], p)
	}
	for _, plus := range []bool{true, false} {
		at := func(u float64) float64 { return m.snap(value, logOf(u), plus) }
		u := math.Nextafter(1, 0)
		hi := 1.0
		for {
			y := at(u)
			if y == m.Bound && plus || y == -m.Bound && !plus {
				add(y, 0, hi)
				break
			}
			// The smallest float with the same output.
			a, b := math.Float64bits(0x1p-1022), math.Float64bits(u) // at(a) ≠ y, at(b) = y
			for b-a > 1 {
				mid := a + (b-a)/2
				if at(math.Float64frombits(mid)) == y {
					b = mid
				} else {
					a = mid
				}
			}
			lo := math.Float64frombits(b)
			add(y, lo, hi)
			hi, u = lo, math.Float64frombits(a)
		}
	}
	return out
}

// The exact law of the program, every output of it, keeps ε on neighbours: no sampling, no real numbers. And it is what LogMass says.
func TestSnappingExactLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	worst := 0.0
	for _, m := range []SnappedLaplace{{Eps: 0.5, Bound: 20}, {Eps: 1, Bound: 7.3}, {Eps: 2, Sensitivity: 0.3, Bound: 4}} {
		for range 3 {
			delta := orOne(m.Sensitivity)
			f := (2*rng.Float64() - 1) * m.Bound
			g := f + delta
			if rng.IntN(3) == 0 {
				g = f - delta*rng.Float64()
			}
			p, q := exactMasses(m, f), exactMasses(m, g)
			total := new(big.Float).SetPrec(300)
			for y, a := range p {
				total.Add(total, a)
				b := q[y]
				if b == nil {
					t.Fatalf("ε = %g: %g is an output at %g and not at %g", m.Eps, y, f, g)
				}
				r, _ := new(big.Float).Quo(a, b).Float64()
				loss := math.Abs(math.Log(r))
				worst = math.Max(worst, loss/m.Eps)
				if loss > m.Eps {
					t.Errorf("ε = %g: output %g has loss %.17g between %g and %g", m.Eps, y, loss, f, g)
				}
				mass, _ := a.Float64()
				if math.Abs(math.Log(mass)-m.LogMass(f, y)) > 1e-9 {
					t.Errorf("mass of %g at %g is %g, LogMass says %g", y, f, mass, math.Exp(m.LogMass(f, y)))
				}
			}
			if one, _ := total.Float64(); one != 1 {
				t.Errorf("the masses add up to %g", one)
			}
		}
	}
	t.Logf("the largest exact loss is %.6f of ε", worst)
	if worst < 0.99 {
		t.Errorf("the loss only reaches %g of ε: the noise is too large", worst)
	}
}

// Draws follow LogMass: χ² with false-alarm rate 1e-6.
func TestSnappingSampler(t *testing.T) {
	m := SnappedLaplace{Eps: 0.7, Bound: 16, Rand: Seed(21)}
	const n = 20_000
	var ys []float64
	for y := -16.0; y <= 16; y += m.Step() {
		ys = append(ys, y)
	}
	probs, counts := make([]float64, len(ys)), make([]int, len(ys))
	sum := 0.0
	for i, y := range ys {
		probs[i] = math.Exp(m.LogMass(1.2, y))
		sum += probs[i]
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Fatalf("masses add up to %g", sum)
	}
	within, err := m.ErrorQuantile(0.95)
	if err != nil {
		t.Fatal(err)
	}
	inside := 0
	for range n {
		y, err := m.Perturb(1.2)
		if err != nil {
			t.Fatal(err)
		}
		counts[int(math.Round((y+16)/m.Step()))]++
		if math.Abs(y-1.2) <= within {
			inside++
		}
	}
	if p := stattest.ChiSquare(counts, probs, n); p < falseAlarm {
		t.Errorf("p-value %g: %v", p, counts)
	}
	if inside < n*94/100 {
		t.Errorf("%d of %d within the 0.95 quantile", inside, n)
	}
}

// The correctly rounded logarithm is never more than half a unit from 300-bit arithmetic, and agrees with math.Log to its accuracy.
func TestNegLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for i := range 3000 {
		m, e := rng.Uint64()>>12, 1+rng.IntN(60)
		switch i % 5 {
		case 0:
			m = 1<<52 - 1 - uint64(i) // just below a power of two
		case 1:
			m, e = 1<<52-1-uint64(i), 1 // just below 1
		case 2:
			m = uint64(i)
		}
		u := math.Ldexp(1+float64(m)*0x1p-52, -e)
		got, want := exact.NegLog(m, e), -math.Log(u)
		if math.Abs(got-want) > 1.01*(math.Nextafter(want, 2*want)-want) || !(got > 0) {
			t.Errorf("−ln %g = %.17g, math.Log says %.17g", u, got, want)
		}
	}
	if got := exact.NegLog(0, 1); got != math.Ln2 {
		t.Errorf("ln 2 = %.17g", got)
	}
	if got := exact.NegLog(1<<52-1, 1); got != 0x1p-53 { // −ln(1−2⁻⁵³) = 2⁻⁵³ + 2⁻¹⁰⁷ + …
		t.Errorf("−ln(1−2⁻⁵³) = %g", got)
	}
}

// The audit that looks at the last bits refutes Laplace noise in floating point (see its own tests) and finds nothing here.
func TestSnappingSurvivesTheBitAudit(t *testing.T) {
	d0, err := NewData([][]float64{{1}, {1}}, []float64{-1, -1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	d1, err := d0.Replace(0, []float64{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	yes := func(d *Data) []float64 {
		n := 0.0
		for i := range d.Len() {
			n += (d.Label(i) + 1) / 2
		}
		return []float64{n}
	}
	audit := Audit{Samples: 6000, Confidence: 0.999, Rand: Seed(6), Bits: true}
	r, err := audit.Run(SnappedLaplace{Eps: 1, Bound: 64, Query: yes}, d0, d1)
	if err != nil || r.Refuted {
		t.Errorf("%v, %v", r, err)
	}
	if r, err = audit.Run(Laplace{Eps: 1, Query: yes}, d0, d1); err != nil || !r.Refuted {
		t.Errorf("the audit missed the lattice of naive noise: %v, %v", r, err)
	}
}

func TestSnappingRefuses(t *testing.T) {
	l := NewLedger(10, 0)
	src := Seed(3)
	d := toy(t, 10, 1, 1)
	one := func(*Data) []float64 { return []float64{1} }
	for _, c := range []struct {
		want string
		m    SnappedLaplace
	}{
		{"Eps = 0", SnappedLaplace{Bound: 10, Query: one}},
		{"Bound = 0", SnappedLaplace{Eps: 1, Query: one}},
		{"Bound = 0.5", SnappedLaplace{Eps: 1, Bound: 0.5, Query: one}},
		{"Bound = 1e+15", SnappedLaplace{Eps: 1, Bound: 1e15, Query: one}},
		{"Sensitivity = -1", SnappedLaplace{Eps: 1, Sensitivity: -1, Bound: 10, Query: one}},
		{"Neighbours", SnappedLaplace{Eps: 1, Bound: 10, Neighbours: "swap", Query: one}},
		{"Query = nil", SnappedLaplace{Eps: 1, Bound: 10}},
		{"2 answers", SnappedLaplace{Eps: 1, Bound: 10, Query: func(*Data) []float64 { return []float64{1, 2} }}},
	} {
		c.m.Ledger = l
		if _, err := c.m.Release(d, src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
	if len(l.Entries()) != 0 || src.Uint64() != Seed(3).Uint64() {
		t.Error("a refusal charged or drew")
	}
	if _, err := (SnappedLaplace{Eps: 1, Bound: 10, Ledger: l, Rand: src}).Perturb(3); err != nil || len(l.Entries()) != 1 {
		t.Errorf("%v, %d entries", err, len(l.Entries()))
	}
}
