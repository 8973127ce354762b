package dp

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/godp/dp/internal/stattest"
)

// Every sampler of the toolbox against its own stated law, whose correctness the law and oracle tests establish separately.
// Each comparison is a Kolmogorov–Smirnov or χ² test with false-alarm rate 1e-6 (seeds are fixed).
const falseAlarm = 1e-6

func TestScalarSamplers(t *testing.T) {
	for i, l := range scalarLaws(Seed(77)) {
		n := 20000
		draws := make([]float64, n)
		for j := range draws {
			v, err := l.perturb(3)
			if err != nil {
				t.Fatal(err)
			}
			draws[j] = v
		}
		var p float64
		if l.step == 0 {
			p = stattest.KS(draws, func(y float64) float64 { return l.cdf(3, y) })
		} else {
			cells := 400
			counts, probs := make([]int, cells), make([]float64, cells)
			for k := range probs {
				probs[k] = math.Exp(l.log(3, 3+float64(k-cells/2)*l.step))
			}
			for _, v := range draws {
				k := (v-3)/l.step + float64(cells)/2
				if k != math.Trunc(k) {
					t.Fatalf("%s: %v is off the grid %g", l.name, v, l.step)
				}
				if k >= 0 && int(k) < cells {
					counts[int(k)]++
				}
			}
			p = stattest.ChiSquare(counts, probs, n)
		}
		if p < falseAlarm {
			t.Errorf("law %d, %s (ε=%g, Δ=%g): p-value %g", i, l.name, l.eps, l.sens, p)
		}
	}
}

func TestSelectionSamplers(t *testing.T) {
	u := []float64{3, 5, 4, -2, 5}
	src := Seed(4)
	for _, c := range []struct {
		name   string
		choose func([]float64) (int, error)
		prob   func([]float64) ([]float64, error)
	}{
		{"Exponential", Exponential{Eps: 1.3, Rand: src}.Choose, Exponential{Eps: 1.3}.Probabilities},
		{"PermuteAndFlip", PermuteAndFlip{Eps: 1.3, Rand: src}.Choose, PermuteAndFlip{Eps: 1.3}.Probabilities},
		{"laplace", ReportNoisyMax{Eps: 1.3, Rand: src}.Choose, ReportNoisyMax{Eps: 1.3}.Probabilities},
		{"gumbel", ReportNoisyMax{Eps: 1.3, Noise: "gumbel", Rand: src}.Choose, ReportNoisyMax{Eps: 1.3, Noise: "gumbel"}.Probabilities},
		{"exponential", ReportNoisyMax{Eps: 1.3, Noise: "exponential", Rand: src}.Choose, ReportNoisyMax{Eps: 1.3, Noise: "exponential"}.Probabilities},
	} {
		probs, err := c.prob(u)
		if err != nil {
			t.Fatal(err)
		}
		counts, n := make([]int, len(u)), 40000
		for range n {
			i, err := c.choose(u)
			if err != nil {
				t.Fatal(err)
			}
			counts[i]++
		}
		if p := stattest.ChiSquare(counts, probs, n); p < falseAlarm {
			t.Errorf("%s: %v against %v: p-value %g", c.name, counts, probs, p)
		}
	}
}

func toolData(t testing.TB) *Data {
	t.Helper()
	d, err := NewData([][]float64{{0.1, 0.2}, {-0.5, 0.2}, {0.3, -0.9}, {0.9, 0}}, []float64{1, -1, 1, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSparseVectorSampler(t *testing.T) {
	d := toolData(t)
	u := []float64{1, 3, 2, 0}
	m := SparseVector{Eps: 1, Threshold: 2, Count: 2, Queries: func(*Data) []float64 { return u }}
	patterns := streamPatterns(4, 2)
	probs, counts, n := make([]float64, len(patterns)), make([]int, len(patterns)), 40000
	index := map[string]int{}
	for i, a := range patterns {
		probs[i] = math.Exp(m.LogMass(u, a))
		index[fmt.Sprint(a)] = i
	}
	src := Seed(8)
	for range n {
		a, err := m.Release(d, src)
		if err != nil {
			t.Fatal(err)
		}
		i, ok := index[fmt.Sprint(a)]
		if !ok {
			t.Fatalf("impossible answers %v", a)
		}
		counts[i]++
	}
	if p := stattest.ChiSquare(counts, probs, n); p < falseAlarm {
		t.Errorf("sparse vector: p-value %g", p)
	}
}

func TestResponseSampler(t *testing.T) {
	for _, k := range []int{2, 5} {
		m := RandomizedResponse{Eps: 0.9, K: k, Rand: Seed(uint64(k))}
		counts, probs, n := make([]int, k), make([]float64, k), 30000
		for y := range k {
			probs[y] = math.Exp(m.LogMass(1, y))
		}
		for range n {
			y, err := m.Respond(1)
			if err != nil {
				t.Fatal(err)
			}
			counts[y]++
		}
		if p := stattest.ChiSquare(counts, probs, n); p < falseAlarm {
			t.Errorf("K = %d: p-value %g", k, p)
		}
		// The estimate is within its stated error, 1e-6 aside.
		reports := []float64{}
		for y, c := range counts {
			for range c {
				reports = append(reports, float64(y))
			}
		}
		f, err := m.Frequencies(reports)
		if err != nil {
			t.Fatal(err)
		}
		tol, err := m.ErrorQuantile(n, 1-1e-6)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for y, v := range f {
			want := 0.0
			if y == 1 {
				want = 1
			}
			if sum += v; math.Abs(v-want) > tol {
				t.Errorf("K = %d: share of %d estimated %g, truth %g, tolerance %g", k, y, v, want, tol)
			}
		}
		near(t, "shares add up", sum, 1, 1e-12)
	}
}

func TestGammaVectorSampler(t *testing.T) {
	for _, d := range []int{1, 2, 10, 105} {
		m := GammaVector{Eps: 0.5, Rand: Seed(uint64(d))}
		n := 20000
		norms, angles := make([]float64, n), make([]float64, n)
		for i := range norms {
			b, err := m.Perturb(make([]float64, d))
			if err != nil {
				t.Fatal(err)
			}
			s := 0.0
			for _, v := range b {
				s += v * v
			}
			norms[i] = math.Sqrt(s)
			if d >= 2 {
				angles[i] = math.Atan2(b[0], b[1])/(2*math.Pi) + 0.5
			} else {
				angles[i] = m.law(1).NormCDF(math.Abs(b[0]))
			}
		}
		if p := stattest.KS(norms, func(r float64) float64 { return m.law(d).NormCDF(r) }); p < falseAlarm {
			t.Errorf("d = %d: norm, p-value %g", d, p)
		}
		if p := stattest.KS(angles, func(a float64) float64 { return math.Min(1, math.Max(0, a)) }); p < falseAlarm {
			t.Errorf("d = %d: direction, p-value %g", d, p)
		}
	}
}

func TestQuantileSampler(t *testing.T) {
	x := []float64{-0.5, 0, 0.1, 0.1, 0.7, 1.9, 5}
	m := PrivateQuantile{Eps: 0.9, Q: 0.3, Lo: -1, Hi: 2, Rand: Seed(6)}
	cuts := []float64{-1, -0.5, 0, 0.05, 0.1, 0.4, 0.7, 1.9, 2}
	counts, probs, n := make([]int, len(cuts)-1), make([]float64, len(cuts)-1), 30000
	for i := range probs {
		probs[i] = math.Exp(m.LogDensity(x, (cuts[i]+cuts[i+1])/2)) * (cuts[i+1] - cuts[i])
	}
	for range n {
		y, err := m.Of(x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range counts {
			if y >= cuts[i] && y < cuts[i+1] {
				counts[i]++
			}
		}
	}
	if p := stattest.ChiSquare(counts, probs, n); p < falseAlarm {
		t.Errorf("p-value %g", p)
	}
}

// The example releases land near the truth: within the stated error quantile at 1 − 1e-6.
func TestExampleReleases(t *testing.T) {
	src := Seed(21)
	x := make([]float64, 5000)
	mean, high := 0.0, 0.0
	for i := range x {
		x[i] = src.Float64() * src.Float64()
		mean += x[i] / float64(len(x))
		if x[i] >= 0.5 {
			high++
		}
	}
	pm := PrivateMean{Eps: 0.5, Lo: 0, Hi: 1, Rand: src}
	got, err := pm.Of(x)
	if err != nil {
		t.Fatal(err)
	}
	tol, err := pm.ErrorQuantile(len(x), 1-1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got-mean) > tol || tol > 0.01 {
		t.Errorf("mean %g, truth %g, tolerance %g", got, mean, tol)
	}
	h := PrivateHistogram{Eps: 0.5, Edges: []float64{0, 0.5, 1}, Rand: src}
	c, err := h.Of(x)
	if err != nil {
		t.Fatal(err)
	}
	k, err := h.ErrorQuantile(1 - 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c[1]-high) > float64(k) || math.Abs(c[0]-(5000-high)) > float64(k) || k > 80 {
		t.Errorf("counts %v, truth %g, tolerance %d", c, high, k)
	}
	q := PrivateQuantile{Eps: 0.5, Q: 0.9, Lo: 0, Hi: 1, Rand: src}
	y, err := q.Of(x)
	if err != nil {
		t.Fatal(err)
	}
	below := 0.0
	for _, v := range x {
		if v < y {
			below++
		}
	}
	r, err := q.ErrorQuantile(x, 1-1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(below-4500) > r || r > 150 {
		t.Errorf("%g of 5000 below the 90%% quantile, tolerance %g", below, r)
	}
}

// Whatever the release, bad parameters are refused with the name of the argument, before the ledger is charged and before
// any randomness is used; a good one is charged once with its claim, and marked when the source is seeded.
func TestToolboxRefusals(t *testing.T) {
	d := toolData(t)
	one := func(*Data) []float64 { return []float64{1} }
	nan := func(*Data) []float64 { return []float64{math.NaN()} }
	l := NewLedger(math.Inf(1), 0)
	inf, bad := math.Inf(1), math.NaN()
	for _, c := range []struct {
		m    Mechanism
		name string
	}{
		{Laplace{Eps: 0, Query: one, Ledger: l}, "Eps"},
		{Laplace{Eps: inf, Query: one, Ledger: l}, "Eps"},
		{Laplace{Eps: bad, Query: one, Ledger: l}, "Eps"},
		{Laplace{Eps: 1, Sensitivity: -1, Query: one, Ledger: l}, "Sensitivity"},
		{Laplace{Eps: 1, Query: nan, Ledger: l}, "Query"},
		{Laplace{Eps: 1, Ledger: l}, "Query"},
		{Laplace{Eps: 1, Grid: 0.1, Query: one, Ledger: l}, "Grid"},
		{Laplace{Eps: 1, Query: one, Neighbours: "both", Ledger: l}, "Neighbours"},
		{Laplace{Eps: 1, Query: func(*Data) []float64 { return nil }, Ledger: l}, "Query"},
		{DiscreteLaplace{Eps: -1, Query: one, Ledger: l}, "Eps"},
		{DiscreteLaplace{Eps: 1, Sensitivity: 1, Grid: 0x1p-60, Query: one, Ledger: l}, "Grid"},
		{Geometric{Eps: 1, Ledger: l}, "Query"},
		{Geometric{Eps: 1, Sensitivity: -2, Query: func(*Data) int { return 1 }, Ledger: l}, "Sensitivity"},
		{Geometric{Eps: 1, Min: 5, Max: 2, Query: func(*Data) int { return 1 }, Ledger: l}, "Min"},
		{Gaussian{Eps: 1, Query: one, Ledger: l}, "Delta"},
		{Gaussian{Eps: 1, Delta: 1, Query: one, Ledger: l}, "Delta"},
		{DiscreteGaussian{Eps: 1, Delta: 1e-5, Rho: 1, Query: one, Ledger: l}, "Eps"},
		{DiscreteGaussian{Rho: -1, Query: one, Ledger: l}, "Rho"},
		{DiscreteGaussian{Rho: 1, Dim: 2, Query: one, Ledger: l}, "Query"},
		{GammaVector{Eps: 0, Query: one, Ledger: l}, "Eps"},
		{Exponential{Eps: 1, Scores: nan, Ledger: l}, "Query"},
		{Exponential{Eps: 1, Monotone: true, Scores: one, Ledger: l}, "Monotone"},
		{PermuteAndFlip{Eps: 0, Scores: one, Ledger: l}, "Eps"},
		{ReportNoisyMax{Eps: 1, Noise: "cauchy", Scores: one, Ledger: l}, "Noise"},
		{SparseVector{Eps: 1, Threshold: bad, Queries: one, Ledger: l}, "Threshold"},
		{SparseVector{Eps: 1, Count: -1, Queries: one, Ledger: l}, "Count"},
		{RandomizedResponse{Eps: 1, K: 1, Ledger: l}, "K"},
		{RandomizedResponse{Eps: 1, K: 2, Category: func(*Data, int) int { return 2 }, Ledger: l}, "Category"},
		{PrivateMean{Eps: 1, Lo: 1, Hi: 1, Ledger: l}, "Lo"},
		{PrivateMean{Eps: 1, Lo: 0, Hi: inf, Ledger: l}, "Hi"},
		{PrivateMean{Eps: 1, Lo: 0, Hi: 1, Column: 2, Ledger: l}, "Column"},
		{PrivateHistogram{Eps: 1, Edges: []float64{0}, Ledger: l}, "Edges"},
		{PrivateHistogram{Eps: 1, Edges: []float64{0, 0}, Ledger: l}, "Edges[1]"},
		{PrivateQuantile{Eps: 1, Q: 1, Lo: 0, Hi: 1, Ledger: l}, "Q"},
	} {
		src := Seed(1)
		if _, err := c.m.Release(d, src); err == nil || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%T %+v: error %v does not name %s", c.m, c.m, err, c.name)
		}
		if src.Uint64() != Seed(1).Uint64() {
			t.Errorf("%T: drew noise before refusing", c.m)
		}
	}
	if n := len(l.Entries()); n != 0 {
		t.Errorf("%d charges for refused releases", n)
	}
}

// every toolbox mechanism, as a Mechanism.
func toolbox(l *Ledger) []Mechanism {
	sum := func(d *Data) []float64 {
		s := []float64{0}
		for i := range d.Len() {
			s[0] += d.Row(i)[0]
		}
		return s
	}
	three := func(d *Data) []float64 { return []float64{0, float64(d.Len()), 1} }
	return []Mechanism{
		Laplace{Eps: 0.5, Sensitivity: 2, Query: sum, Ledger: l},
		Laplace{Eps: 0.5, Sensitivity: 2, Query: sum, Ledger: l}.Hardened(),
		Geometric{Eps: 0.5, Query: func(d *Data) int { return d.Len() }, Ledger: l},
		DiscreteLaplace{Eps: 0.5, Sensitivity: 2, Grid: 0x1p-10, Query: sum, Ledger: l},
		Gaussian{Eps: 0.5, Delta: 1e-6, Sensitivity: 2, Query: sum, Ledger: l},
		Gaussian{Eps: 0.5, Delta: 1e-6, Sensitivity: 2, Query: sum, Ledger: l}.Hardened(),
		DiscreteGaussian{Eps: 0.5, Delta: 1e-6, Sensitivity: 4, Dim: 3, Query: three, Ledger: l},
		DiscreteGaussian{Rho: 0.1, Sensitivity: 2, Grid: 0.25, Query: sum, Ledger: l},
		GammaVector{Eps: 0.5, Query: three, Ledger: l},
		Exponential{Eps: 0.5, Scores: three, Ledger: l},
		PermuteAndFlip{Eps: 0.5, Scores: three, Ledger: l},
		ReportNoisyMax{Eps: 0.5, Scores: three, Ledger: l},
		SparseVector{Eps: 0.5, Threshold: 3, Queries: three, Ledger: l},
		RandomizedResponse{Eps: 0.5, Ledger: l},
		PrivateMean{Eps: 0.5, Lo: -1, Hi: 1, Ledger: l},
		PrivateHistogram{Eps: 0.5, Edges: []float64{-1, 0, 1}, Ledger: l},
		PrivateQuantile{Eps: 0.5, Lo: -1, Hi: 1, Ledger: l},
	}
}

func TestToolboxReleases(t *testing.T) {
	d := toolData(t).MarkLeak("scaled by the data's maximum")
	for _, m := range toolbox(nil) {
		g, err := m.Claim(d)
		if err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		if _, isRho := m.(DiscreteGaussian); !isRho && g.Eps != 0.5 {
			t.Errorf("%T claims ε = %g", m, g.Eps)
		}
		if g.Mechanism == "" || g.Theorem == "" || g.Source == "" || g.Neighbours != ReplaceOne || len(g.Assumptions) == 0 || math.IsNaN(g.Rho) || !(g.Rho <= 0.13) {
			t.Errorf("%T: incomplete guarantee %+v", m, g)
		}
		if len(g.Leaks) != 1 || g.Private() {
			t.Errorf("%T: the leak of the data is not in the guarantee", m)
		}
		a, err := m.Release(d, Seed(5))
		if err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		b, err := m.Release(d, Seed(5))
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%T: the same seed gave %v and %v", m, a, b)
		}
	}
	for i := range toolbox(nil) {
		l := NewLedger(10, 1e-3)
		m := toolbox(l)[i]
		if _, err := m.Release(d, Seed(5)); err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		e := l.Entries()
		if len(e) != 1 || !e[0].Guarantee.Seeded || len(e[0].Marks) < 2 {
			t.Errorf("%T: ledger %+v: want one entry, marked as seeded and leaking", m, e)
		}
		// An empty purse: refused before any noise is drawn.
		l = NewLedger(1e-9, 0)
		src := Seed(5)
		var over *OverBudget
		if _, err := toolbox(l)[i].Release(d, src); !errors.As(err, &over) {
			t.Errorf("%T: overspending gave %v", m, err)
		}
		if src.Uint64() != Seed(5).Uint64() {
			t.Errorf("%T: drew noise before the ledger refused", m)
		}
	}
}

// A stream never shows its noisy threshold and refuses to go on after its last yes.
func TestStreamEnds(t *testing.T) {
	s, err := SparseVector{Eps: 5, Threshold: 0, Rand: Seed(1)}.Start()
	if err != nil {
		t.Fatal(err)
	}
	secret := fmt.Sprint(s.threshold)
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%+v", s), fmt.Sprintf("%#v", s)} {
		if strings.Contains(text, secret) || strings.Contains(text, "threshold:") {
			t.Errorf("%s shows the threshold", text)
		}
	}
	if yes, err := s.Ask(1000); err != nil || !yes {
		t.Fatalf("far above: %v, %v", yes, err)
	}
	if _, err := s.Ask(1000); err == nil || !s.Done() {
		t.Error("the stream went on after its last yes")
	}
}

// Rounding to the grid commutes with integer shifts, so answers D steps apart land at most ⌈D⌉ steps apart.
func TestRoundingKeepsSensitivity(t *testing.T) {
	src := Seed(2)
	for range 200000 {
		g := math.Ldexp(1, src.Intn(20)-10)
		x := (src.Float64() - 0.5) * 64 * g
		if src.Intn(4) == 0 {
			x = float64(src.Intn(64)-32) * g / 2 // ties
		}
		dist := src.Float64() * 5 * g
		if src.Intn(4) == 0 {
			dist = float64(src.Intn(10)) * g / 2
		}
		y := x + dist
		if steps := toGrid(y, g) - toGrid(x, g); float64(steps) > math.Ceil((y-x)/g) || steps < 0 {
			t.Fatalf("grid %g: %g and %g are %g steps apart, rounded %d", g, x, y, (y-x)/g, steps)
		}
	}
	for v, want := range map[float64]int64{1e300: gridCap, -1e300: -gridCap, 0.5: 1, -0.5: 0, -0.75: -1} {
		if got := toGrid(v, 1); got != want {
			t.Errorf("toGrid(%g) = %d, want %d", v, got, want)
		}
	}
}

// The bound used for large σ agrees with the sum where both can be computed, from above and within a percent.
func TestDiscreteGaussianDeltaBound(t *testing.T) {
	for _, c := range []struct{ eps, sigma, s float64 }{{1, 1900, 500}, {0.1, 1999, 100}, {3, 1500, 1200}} {
		sum := discreteGaussianDelta(c.eps, c.sigma, c.s)
		f := 2.0 // a lattice twice as fine, σ above the limit of the sum
		bound := discreteGaussianDelta(c.eps, c.sigma*f, c.s*f)
		cont := gaussianDelta(c.eps, c.s/c.sigma)
		if math.Abs(sum-cont) > 0.01*cont || bound < cont || bound > 1.01*cont {
			t.Errorf("%+v: sum %g, bound %g, continuous %g", c, sum, bound, cont)
		}
	}
	// CDF: the expansion beyond σ = 10⁴ against the sum just below.
	for _, z := range []float64{-3, -1, -0.2} {
		sigma := 9999.0
		k := math.Floor(z * sigma)
		x := (k + 0.5) / sigma
		near(t, "CDF", discreteGaussianCDF(k, sigma), phi(x)+x*math.Exp(-x*x/2)/(24*math.Sqrt(2*math.Pi)*sigma*sigma), 1e-10)
	}
}

func benchPerturb(b *testing.B, perturb func(float64) (float64, error)) {
	for b.Loop() {
		if _, err := perturb(1); err != nil {
			b.Fatal(err)
		}
	}
}

// A million scalar releases should take less than a second, that is, 1000 ns each.
func BenchmarkPerturbLaplace(b *testing.B) { benchPerturb(b, Laplace{Eps: 0.1, Rand: Seed(1)}.Perturb) }
func BenchmarkPerturbGaussian(b *testing.B) {
	benchPerturb(b, Gaussian{Eps: 0.1, Delta: 1e-6, Rand: Seed(1)}.Perturb)
}
func BenchmarkPerturbGeometric(b *testing.B) {
	m := Geometric{Eps: 0.001, Rand: Seed(1)}
	for b.Loop() {
		if _, err := m.Perturb(7); err != nil {
			b.Fatal(err)
		}
	}
}
func BenchmarkPerturbDiscreteLaplace(b *testing.B) {
	benchPerturb(b, DiscreteLaplace{Eps: 0.1, Grid: 0x1p-20, Rand: Seed(1)}.Perturb)
}
func BenchmarkPerturbDiscreteGaussian(b *testing.B) {
	benchPerturb(b, DiscreteGaussian{Eps: 0.1, Delta: 1e-6, Grid: 0x1p-20, Rand: Seed(1)}.Perturb)
}
func BenchmarkRandomizedResponse(b *testing.B) {
	m := RandomizedResponse{Eps: 0.5, Rand: Seed(1)}
	for b.Loop() {
		if _, err := m.Respond(1); err != nil {
			b.Fatal(err)
		}
	}
}
func BenchmarkPermuteAndFlip10(b *testing.B) {
	m, u := PermuteAndFlip{Eps: 0.5, Rand: Seed(1)}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for b.Loop() {
		if _, err := m.Choose(u); err != nil {
			b.Fatal(err)
		}
	}
}
func BenchmarkGammaVector105(b *testing.B) {
	m, v := GammaVector{Eps: 0.5, Rand: Seed(1)}, make([]float64, 105)
	for b.Loop() {
		if _, err := m.Perturb(v); err != nil {
			b.Fatal(err)
		}
	}
}

// A vector answer on a grid: ℓ2 noise for its dimension, on the grid, within the zCDP level of the guarantee.
func TestGaussianVectorOnGrid(t *testing.T) {
	d := toolData(t)
	m := Gaussian{Eps: 1, Delta: 1e-6, Grid: 0.25, Query: func(*Data) []float64 { return []float64{1, 2, 3, 4} }}
	sum, src := 0.0, Seed(1)
	for range 3000 {
		v, err := m.Release(d, src)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range v {
			if x != math.Round(4*x)/4 {
				t.Fatalf("%v is off the grid", x)
			}
			sum += (x - float64(i+1)) * (x - float64(i+1)) / 12000
		}
	}
	sigma, err := m.discrete().Sigma(4)
	if err != nil {
		t.Fatal(err)
	}
	// 12,000 squares: standard error of the mean 1.3 % of σ²; 7 % is 5.4 of them (false-alarm rate 1e-7).
	near(t, "variance", sum, sigma*sigma, 0.07)
	rho := math.Pow((1/0.25+2)*0.25/sigma, 2) / 2
	eps, err := ZCDPToDPTight(rho, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if eps > 1 || eps < 0.999 {
		t.Errorf("ρ = %g converts to ε = %g, claimed 1", rho, eps)
	}
}
