package dp

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

// scalarLaw is what the tests ask of every mechanism that perturbs one number.
type scalarLaw struct {
	name       string
	eps, delta float64
	sens       float64
	step       float64 // grid, 0 for a density
	log, cdf   func(value, y float64) float64
	quantile   func(p float64) (float64, error)
	perturb    func(value float64) (float64, error)
}

func scalarLaws(src *Source) []scalarLaw {
	var laws []scalarLaw
	for _, eps := range []float64{0.1, 1, 3} {
		for _, sens := range []float64{1, 0.7} {
			l := Laplace{Eps: eps, Sensitivity: sens, Rand: src}
			laws = append(laws, scalarLaw{"Laplace", eps, 0, sens, 0, l.LogDensity, l.CDF, l.ErrorQuantile, l.Perturb})
			l.Grid = 0x1p-4
			laws = append(laws, scalarLaw{"Laplace on a grid", eps, 0, sens, l.Grid, l.LogDensity, l.CDF, l.ErrorQuantile, l.Perturb})
			d := DiscreteLaplace{Eps: eps, Sensitivity: sens, Grid: 0.5, Rand: src}
			laws = append(laws, scalarLaw{"DiscreteLaplace", eps, 0, sens, 0.5, d.LogMass, d.CDF, d.ErrorQuantile, d.Perturb})
			g := Gaussian{Eps: eps, Delta: 1e-5, Sensitivity: sens, Rand: src}
			laws = append(laws, scalarLaw{"Gaussian", eps, 1e-5, sens, 0, g.LogDensity, g.CDF, g.ErrorQuantile, g.Perturb})
			g.Grid = 0.25
			laws = append(laws, scalarLaw{"Gaussian on a grid", eps, 1e-5, sens, g.Grid, g.LogDensity, g.CDF, g.ErrorQuantile, g.Perturb})
		}
		for _, m := range []Geometric{{Eps: eps, Rand: src}, {Eps: eps, Sensitivity: 3, Rand: src}, {Eps: eps, Min: -2, Max: 9, Rand: src}} {
			laws = append(laws, scalarLaw{"Geometric", eps, 0, float64(max(1, m.Sensitivity)), 1,
				func(v, y float64) float64 { return m.LogMass(int(v), int(math.Floor(y))) },
				func(v, y float64) float64 { return m.CDF(int(v), int(math.Floor(y))) },
				func(p float64) (float64, error) { k, err := m.ErrorQuantile(p); return float64(k), err },
				func(v float64) (float64, error) { k, err := m.Perturb(int(v)); return float64(k), err }})
		}
	}
	return laws
}

// reach is how far from the value a law has mass worth counting: below 1e-15 outside.
func (l scalarLaw) reach() float64 {
	if l.delta > 0 {
		q, _ := l.quantile(1 - 1e-15)
		return 1.5 * q
	}
	return 45*l.sens/l.eps + 10
}

// total integrates or sums exp(log) times f over the support.
func (l scalarLaw) total(value float64, f func(y float64) float64) float64 {
	sum, r := 0.0, l.reach()
	if l.step > 0 {
		lo := math.Floor((value-r)/l.step) * l.step
		for y := lo; y < value+r; y += l.step {
			sum += math.Exp(l.log(value, y)) * f(y)
		}
		return sum
	}
	w := l.sens / l.eps / 2
	for a := 0.0; a < r; a += w { // pieces end at the kink
		for _, s := range []float64{-1, 1} {
			lo, hi := math.Min(value+s*a, value+s*(a+w)), math.Max(value+s*a, value+s*(a+w))
			sum += quad.Fixed(func(y float64) float64 { return math.Exp(l.log(value, y)) * f(y) }, lo, hi, 12, quad.Legendre{}, 0)
		}
	}
	return sum
}

func TestScalarLawsAddUpToOne(t *testing.T) {
	for _, l := range scalarLaws(Seed(1)) {
		if got := l.total(3, func(float64) float64 { return 1 }); math.Abs(got-1) > 1e-9 {
			t.Errorf("%s (ε=%g, Δ=%g): total probability %.12g", l.name, l.eps, l.sens, got)
		}
	}
}

// CDF must be the integral of the density.
func TestScalarCDFs(t *testing.T) {
	for _, l := range scalarLaws(Seed(1)) {
		for _, at := range []float64{-4.03, 0, 2.5, 3, 3.26, 7} {
			if l.step == 0 && at != 3 {
				// a cut inside a quadrature piece would spoil the sum: use the difference quotient instead
				h := 1e-5
				got, want := (l.cdf(3, at+h)-l.cdf(3, at-h))/(2*h), math.Exp(l.log(3, at))
				if math.Abs(got-want) > 1e-6*(want+1e-3) {
					t.Errorf("%s: CDF slope at %g is %g, density %g", l.name, at, got, want)
				}
				continue
			}
			want := l.total(3, func(y float64) float64 {
				if y <= at {
					return 1
				}
				return 0
			})
			if got := l.cdf(3, at); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s (ε=%g): CDF(%g) = %.12g, sum %.12g", l.name, l.eps, at, got, want)
			}
		}
	}
}

// Neighbouring values: the pure mechanisms' log ratio is at most ε everywhere (and attains it); the others' total excess
// Σ max(0, P − e^ε Q) is at most δ (and nearly attains it for integer sensitivities on the grid).
func TestScalarPrivacy(t *testing.T) {
	for _, l := range scalarLaws(Seed(1)) {
		for _, v := range []float64{3, 2.99, 3.01, 3.125} {
			if l.name == "Geometric" && v != 3 {
				continue
			}
			for _, w := range []float64{v + l.sens, v - l.sens} {
				if l.delta > 0 {
					excess := l.total(v, func(y float64) float64 {
						return math.Max(0, 1-math.Exp(l.eps+l.log(w, y)-l.log(v, y)))
					})
					// The kink of max(0, ·) costs the quadrature some digits.
					if excess > l.delta*(1+1e-3) {
						t.Errorf("%s: excess between %g and %g is %g > δ = %g", l.name, v, w, excess, l.delta)
					}
					if l.step == 0 && excess < l.delta*(1-1e-3) {
						t.Errorf("%s: excess %g well below δ: noise is not calibrated", l.name, excess)
					}
					continue
				}
				worst := 0.0
				step := l.step
				if step == 0 {
					step = 0.01
				}
				start := math.Floor((v-8)/step) * step
				for y := start; y < v+8; y += step {
					a, b := l.log(v, y), l.log(w, y)
					if math.IsInf(a, -1) != math.IsInf(b, -1) {
						t.Fatalf("%s: %g possible for one of %g and %g only", l.name, y, v, w)
					}
					if !math.IsInf(a, -1) {
						worst = math.Max(worst, math.Abs(a-b))
					}
				}
				if worst > l.eps*(1+1e-12) {
					t.Errorf("%s: log ratio %.15g > ε = %g between %g and %g", l.name, worst, l.eps, v, w)
				}
			}
		}
	}
}

func TestErrorQuantilesInvertCDFs(t *testing.T) {
	for _, l := range scalarLaws(Seed(1)) {
		if l.name == "Geometric" && math.IsInf(l.log(3, 100), -1) {
			continue // truncated: the quantile speaks of the noise before truncation
		}
		for _, p := range []float64{0.01, 0.5, 0.9, 0.999, 1 - 1e-9} {
			q, err := l.quantile(p)
			if err != nil {
				t.Fatal(err)
			}
			within := func(r float64) float64 { return l.cdf(3, 3+r) - l.cdf(3, math.Nextafter(3-r, math.Inf(-1))) }
			switch {
			case l.step == 0:
				if got := within(q); math.Abs(got-p) > 1e-11 {
					t.Errorf("%s: P(error ≤ %g) = %.12g, want %g", l.name, q, got, p)
				}
			default:
				if l.name != "Geometric" {
					q -= l.step / 2 // 3 is on the grid: no rounding
				}
				if got := within(q); got < p*(1-1e-12) {
					t.Errorf("%s: P(error ≤ %g) = %.12g < %g", l.name, q, got, p)
				}
				if q >= l.step {
					if got := within(q - l.step); got >= p {
						t.Errorf("%s: quantile %g for %g is not the smallest", l.name, q, p)
					}
				}
			}
		}
	}
}

// Neighbouring score vectors: scores may move by 1 each in any direction; with Monotone all in one direction.
func TestSelectionPrivacy(t *testing.T) {
	type chooser struct {
		name string
		prob func([]float64) ([]float64, error)
	}
	const eps = 0.8
	for _, mono := range []bool{false, true} {
		nb := ReplaceOne
		if mono {
			nb = AddRemove
		}
		rnm := func(noise string) ReportNoisyMax {
			return ReportNoisyMax{Eps: eps, Noise: noise, Monotone: mono, Neighbours: nb}
		}
		tight := map[string]float64{}
		for _, c := range []chooser{
			{"Exponential", Exponential{Eps: eps, Monotone: mono, Neighbours: nb}.Probabilities},
			{"PermuteAndFlip", PermuteAndFlip{Eps: eps, Monotone: mono, Neighbours: nb}.Probabilities},
			{"ReportNoisyMax laplace", rnm("").Probabilities},
			{"ReportNoisyMax gumbel", rnm("gumbel").Probabilities},
			{"ReportNoisyMax exponential", rnm("exponential").Probabilities},
		} {
			src := Seed(5)
			for trial := range 300 {
				m := 1 + src.Intn(9)
				u, v := make([]float64, m), make([]float64, m)
				for i := range u {
					u[i] = float64(src.Intn(12)) * 3
					switch {
					case mono:
						v[i] = u[i] + float64(src.Intn(2))
					default:
						v[i] = u[i] + float64(src.Intn(3)-1)
					}
				}
				if trial == 0 { // far ahead of the others, and all move against it
					for i := range u {
						u[i], v[i] = 0, 1
					}
					u[0], v[0] = -20, -21
					if mono {
						v[0] = -20
					}
				}
				p, err := c.prob(u)
				if err != nil {
					t.Fatal(err)
				}
				q, err := c.prob(v)
				if err != nil {
					t.Fatal(err)
				}
				sum := 0.0
				for i := range p {
					sum += p[i]
					r := math.Abs(math.Log(p[i] / q[i]))
					if r > eps*(1+1e-9) {
						t.Fatalf("%s (monotone %v): log ratio %g > ε for %v and %v", c.name, mono, r, u, v)
					}
					tight[c.name] = math.Max(tight[c.name], r)
				}
				if math.Abs(sum-1) > 1e-10 {
					t.Errorf("%s: probabilities of %v add up to %.14g", c.name, u, sum)
				}
			}
			if tight[c.name] < 0.6*eps {
				t.Errorf("%s: largest log ratio seen %g: the search does not test anything", c.name, tight[c.name])
			}
		}
	}
}

// Permute-and-flip is never worse than the exponential mechanism (McKenna and Sheldon 2020): smaller expected error on
// every score vector.
func TestPermuteAndFlipDominates(t *testing.T) {
	src := Seed(9)
	for range 200 {
		u := make([]float64, 2+src.Intn(8))
		for i := range u {
			u[i] = 10 * src.Float64()
		}
		pf, err := PermuteAndFlip{Eps: 0.7}.Probabilities(u)
		if err != nil {
			t.Fatal(err)
		}
		em, err := Exponential{Eps: 0.7}.Probabilities(u)
		if err != nil {
			t.Fatal(err)
		}
		a, b := 0.0, 0.0
		for i := range u {
			a += pf[i] * (maxOf(u) - u[i])
			b += em[i] * (maxOf(u) - u[i])
		}
		if a > b*(1+1e-12) {
			t.Errorf("%v: expected error %g with permute-and-flip, %g with the exponential mechanism", u, a, b)
		}
	}
}

// Report-noisy-max with Laplace noise and two candidates has a closed form: the difference of two Laplace variables of
// scale b exceeds s ≥ 0 with probability e^{−s/b}(2 + s/b)/4.
func TestNoisyMaxOfTwo(t *testing.T) {
	for _, s := range []float64{0, 0.5, 3, 20} {
		p, err := ReportNoisyMax{Eps: 1}.Probabilities([]float64{0, s})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "P(lower)", p[0], math.Exp(-s/2)*(2+s/2)/4, 1e-11)
	}
}

// All answer patterns of a short stream: they add up to one and their ratio on neighbours stays below ε.
func TestSparseVectorLaw(t *testing.T) {
	for _, mono := range []bool{false, true} {
		for _, count := range []int{1, 2} {
			m := SparseVector{Eps: 1, Threshold: 2, Count: count, Monotone: mono}
			if mono {
				m.Neighbours = AddRemove
			}
			u := []float64{1, 3, 2, 0}
			neighbours := [][]float64{{2, 4, 3, 1}, {0, 2, 1, -1}}
			if !mono {
				neighbours = append(neighbours, []float64{2, 2, 3, -1}, []float64{0, 4, 1, 1})
			}
			patterns := streamPatterns(len(u), count)
			sum, worst := 0.0, 0.0
			for _, a := range patterns {
				p := m.LogMass(u, a)
				sum += math.Exp(p)
				for _, v := range neighbours {
					worst = math.Max(worst, math.Abs(p-m.LogMass(v, a)))
				}
			}
			if math.Abs(sum-1) > 1e-10 {
				t.Errorf("count %d, monotone %v: %d patterns add up to %.14g", count, mono, len(patterns), sum)
			}
			if worst > 1+1e-9 || worst < 0.3 {
				t.Errorf("count %d, monotone %v: largest log ratio %g, want at most ε = 1", count, mono, worst)
			}
		}
	}
}

// streamPatterns lists the possible outputs of a sparse vector stream.
func streamPatterns(n, count int) [][]float64 {
	var out [][]float64
	for bits := range 1 << n {
		a, yes, ok := make([]float64, n), 0, true
		for i := range a {
			b := float64(bits >> i & 1)
			if yes == count {
				ok = ok && b == 0
				a[i] = -1
				continue
			}
			a[i] = b
			yes += int(b)
		}
		if ok {
			out = append(out, a)
		}
	}
	return out
}

func TestRandomizedResponseLaw(t *testing.T) {
	for _, k := range []int{2, 3, 10} {
		m := RandomizedResponse{Eps: 0.7, K: k}
		sum, worst := 0.0, 0.0
		for y := range k {
			sum += math.Exp(m.LogMass(0, y))
			for c := 1; c < k; c++ {
				worst = math.Max(worst, math.Abs(m.LogMass(0, y)-m.LogMass(c, y)))
			}
		}
		near(t, "total", sum, 1, 1e-14)
		near(t, "largest log ratio", worst, 0.7, 1e-14)
	}
}

// The ratio of the ℓ2-Gamma density at distance Δ is at most e^ε, attained on the line through both answers, and the radial
// density integrates to one: ∫ r^{d−1} S_d exp(−κr)/α dr with S_d = 2π^{d/2}/Γ(d/2).
func TestGammaVectorLaw(t *testing.T) {
	m := GammaVector{Eps: 0.5, Sensitivity: 2}
	a, b := []float64{1, 2, 3}, []float64{1, 2, 5}
	near(t, "ratio beyond", m.LogDensity(a, []float64{1, 2, 0})-m.LogDensity(b, []float64{1, 2, 0}), 0.5, 1e-12)
	src := Seed(3)
	for range 1000 {
		y := []float64{8 * src.Norm(), 8 * src.Norm(), 8 * src.Norm()}
		if r := math.Abs(m.LogDensity(a, y) - m.LogDensity(b, y)); r > 0.5*(1+1e-12) {
			t.Fatalf("log ratio %g > ε at %v", r, y)
		}
	}
	for _, d := range []int{1, 2, 3, 10} {
		n := float64(d)
		lg, _ := math.Lgamma(n / 2)
		surface := math.Ln2 + n/2*math.Log(math.Pi) - lg
		got := 0.0
		for r := 0.0; r < 400; r += 4 {
			got += quad.Fixed(func(r float64) float64 {
				y := make([]float64, d)
				y[0] = r
				return math.Exp(surface + (n-1)*math.Log(r) + m.LogDensity(make([]float64, d), y))
			}, r, r+4, 16, quad.Legendre{}, 0)
		}
		near(t, "radial integral", got, 1, 1e-9)
	}
}

// The exponential mechanism on a line: the quantile's density integrates to one and its ratio on neighbours is at most ε.
func TestPrivateQuantileLaw(t *testing.T) {
	m := PrivateQuantile{Eps: 0.9, Q: 0.3, Lo: -1, Hi: 2}
	x := []float64{-0.5, 0, 0.1, 0.1, 0.7, 1.9, 5}
	cuts := []float64{-1, -0.5, 0, 0.1, 0.3, 0.7, 1, 1.9, 2}
	total := 0.0
	for i := 1; i < len(cuts); i++ {
		mid := (cuts[i] + cuts[i-1]) / 2
		total += math.Exp(m.LogDensity(x, mid)) * (cuts[i] - cuts[i-1])
	}
	near(t, "total", total, 1, 1e-12)
	worst := 0.0
	for i := range x {
		for _, v := range []float64{-3, 0.3, 1, 2} {
			y := append([]float64(nil), x...)
			y[i] = v
			for at := -0.995; at < 2; at += 0.01 {
				worst = math.Max(worst, math.Abs(m.LogDensity(x, at)-m.LogDensity(y, at)))
			}
		}
	}
	if worst > 0.9*(1+1e-12) || worst < 0.45 {
		t.Errorf("largest log ratio %g, want at most ε = 0.9", worst)
	}
	// Rank error: sum the law by hand for the smallest radius with 90 %.
	q, err := m.ErrorQuantile(x, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	in := func(r float64) float64 {
		s := 0.0
		for i := 1; i < len(cuts); i++ {
			mid, below := (cuts[i]+cuts[i-1])/2, 0.0
			for _, v := range x {
				if math.Min(v, 2) < mid {
					below++
				}
			}
			if math.Abs(below-0.3*7) <= r+1e-12 {
				s += math.Exp(m.LogDensity(x, mid)) * (cuts[i] - cuts[i-1])
			}
		}
		return s
	}
	if in(q) < 0.9 || in(q-0.2) >= 0.9 {
		t.Errorf("rank error quantile %g holds %g of the mass, %g just below", q, in(q), in(q-0.2))
	}
}

// Every neighbouring pair of histograms and means: the log mass ratio is at most ε.
func TestCountAndMeanPrivacy(t *testing.T) {
	x := []float64{0.1, 0.2, 0.8, 0.95}
	y := []float64{0.1, 0.9, 0.8, 0.95}
	h := PrivateHistogram{Eps: 0.5, Edges: []float64{0, 0.5, 1}}
	worst := 0.0
	for a := -5.0; a < 10; a++ {
		for b := -5.0; b < 10; b++ {
			worst = math.Max(worst, math.Abs(h.LogMass(x, []float64{a, b})-h.LogMass(y, []float64{a, b})))
		}
	}
	near(t, "histogram log ratio", worst, 0.5, 1e-12)
	m := PrivateMean{Eps: 0.5, Lo: 0, Hi: 1}
	far := []float64{-7, 0.2, 0.8, 0.95} // clipped to 0
	farther := []float64{math.Inf(1), 0.2, 0.8, 0.95}
	worst = 0
	grid := m.noise(4).Grid
	for k := -200.0; k < 200; k++ {
		at := 0.5 + 1000*k*grid
		at = math.Round(at/grid) * grid
		worst = math.Max(worst, math.Abs(m.LogMass(far, at)-m.LogMass(farther, at)))
	}
	if worst > 0.5 || worst < 0.49 {
		t.Errorf("mean: log ratio %g, want just below ε = 0.5", worst)
	}
}

// The selection mechanisms' error quantile is the smallest gap with enough probability, summed by hand; and no score vector
// of a random search exceeds the worst-case bound, which equal scores below the best reach.
func TestSelectionErrorQuantiles(t *testing.T) {
	u := []float64{5, 3, 3, 1, 0}
	em, pf, nm := Exponential{Eps: 0.9}, PermuteAndFlip{Eps: 0.9}, ReportNoisyMax{Eps: 0.9}
	for name, c := range map[string]struct {
		prob     func([]float64) ([]float64, error)
		quantile func([]float64, float64) (float64, error)
	}{"em": {em.Probabilities, em.ErrorQuantile}, "pf": {pf.Probabilities, pf.ErrorQuantile}, "nm": {nm.Probabilities, nm.ErrorQuantile}} {
		p, err := c.prob(u)
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range []float64{0.1, 0.5, 0.9, 0.99} {
			q, err := c.quantile(u, level)
			if err != nil {
				t.Fatal(err)
			}
			at, below := 0.0, 0.0
			for i := range u {
				if 5-u[i] <= q {
					at += p[i]
				}
				if 5-u[i] < q {
					below += p[i]
				}
			}
			if at < level*(1-1e-12) || below >= level {
				t.Errorf("%s: gap %g for %g holds %g (%g strictly below)", name, q, level, at, below)
			}
		}
	}
	const n, level = 6, 0.95
	bound, err := em.ErrorBound(n, level)
	if err != nil {
		t.Fatal(err)
	}
	src, worst := Seed(3), 0.0
	for trial := range 300 {
		v := make([]float64, n)
		for i := 1; i < n; i++ {
			v[i] = -bound * (0.2 + 1.6*src.Float64())
			if trial == 0 {
				v[i] = -bound
			}
		}
		p, err := em.Probabilities(v)
		if err != nil {
			t.Fatal(err)
		}
		far := 0.0
		for i := range p {
			if v[i] <= -bound {
				far += p[i]
			}
		}
		worst = math.Max(worst, far)
	}
	if math.Abs(worst-(1-level)) > 1e-12 {
		t.Errorf("largest probability of an error of at least the bound: %g, want exactly %g", worst, 1-level)
	}
}

// Simulated: the sparse vector's simultaneous bound fails in at most the stated share of runs (500 runs at 90 %: more than 90
// failures have probability below 1e-7), and the histogram's and mean's quantiles hold what they promise.
func TestErrorBoundsHold(t *testing.T) {
	src := Seed(31)
	m := SparseVector{Eps: 2, Threshold: 10, Count: 2, Rand: src}
	const n, level = 30, 0.9
	alpha, err := m.ErrorBound(n, level)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for range 500 {
		s, err := m.Start()
		if err != nil {
			t.Fatal(err)
		}
		bad := false
		for i := 0; i < n && !s.Done(); i++ {
			q := 10 + alpha*2*(src.Float64()-0.5)*1.2
			yes, err := s.Ask(q)
			if err != nil {
				t.Fatal(err)
			}
			bad = bad || yes && q < 10-alpha || !yes && q > 10+alpha
		}
		if bad {
			failed++
		}
	}
	if failed > 90 {
		t.Errorf("%d of 500 streams broke the 90%% bound", failed)
	}
	h := PrivateHistogram{Eps: 0.7, Edges: []float64{0, 1}, Rand: src}
	k, err := h.ErrorQuantile(level)
	if err != nil {
		t.Fatal(err)
	}
	mean := PrivateMean{Eps: 0.7, Lo: -1, Hi: 3, Rand: src}
	w, err := mean.ErrorQuantile(5, level)
	if err != nil {
		t.Fatal(err)
	}
	out, outMean := 0, 0
	x := []float64{0.5, 0.2, 0.9, 0.1, 0.7}
	for range 4000 {
		c, err := h.Of(x)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(c[0]-5) > float64(k) {
			out++
		}
		v, err := mean.Of(x)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(v-0.48) > w {
			outMean++
		}
	}
	// Expected at most 400 each, standard deviation 19: 500 is 5.2 of them (false-alarm rate 1e-7). The mean's noise is nearly
	// continuous, so its quantile must not be too wide either.
	if out > 500 || outMean > 500 || outMean < 300 {
		t.Errorf("%d histogram and %d mean errors of 4000 beyond the 90%% quantile", out, outMean)
	}
}
