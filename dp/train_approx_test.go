package dp

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGaussianObjectiveOracles(t *testing.T) {
	for _, o := range oracles(t, "GaussianObjPertDelta") {
		for _, c := range []struct {
			how   Flavour
			scale float64
			name  string
		}{{AsPublished, 1, "delta_redberg"}, {Corrected, 1, "delta_tight_jacobian_add_remove"}, {Corrected, 2, "delta_replace_one_2L"}} {
			got, err := GaussianObjectiveDelta(c.how, o.num("eps"), o.num("sigma"), c.scale*o.num("L"), o.num("beta"), o.num("lambda_sum"))
			if err != nil {
				t.Fatal(err)
			}
			near(t, o.ID+" "+c.name, got, o.out(c.name), 1e-9)
		}
	}
	for _, o := range oracles(t, "GaussianObjPertRDP") {
		for how, name := range map[Flavour]string{AsPublished: "rdp", Corrected: "rdp_tight_jacobian"} {
			got, err := GaussianObjectiveRDP(how, o.num("alpha"), o.num("sigma"), o.num("L"), o.num("beta"), o.num("lambda_sum"))
			if err != nil {
				t.Fatal(err)
			}
			near(t, o.ID+" "+name, got, o.out(name), 1e-10)
		}
	}
}

func TestAMPOracle(t *testing.T) {
	for _, o := range oracles(t, "AMPParams") {
		d1, d2 := o.num("delta1"), o.num("delta2")
		p, err := ApproximateMinima{Eps: o.num("eps"), Delta: d1 + d2, Eps2: o.num("eps2"), Eps3: o.num("eps3"), Delta2: d2, Gamma: o.num("gamma")}.
			Params(int(o.num("n")), o.num("L"), o.num("beta"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID+" Λ", p.Lambda, o.out("Lambda"), 1e-10)
		near(t, o.ID+" σ1", p.Sigma1, o.out("sigma1"), 1e-10)
		near(t, o.ID+" σ2 published", p.Sigma2Published, o.out("sigma2_published"), 1e-10)
		near(t, o.ID+" σ2 safe", p.Sigma2, o.out("sigma2_safe"), 1e-10)
	}
}

// hockeyStick is ∫ (p_D − e^ε p_D')₊ for the exact one-dimensional output densities of Gaussian objective perturbation, by the
// midpoint rule on the noise scale of D.
func hockeyStick(x, y, x2, y2 []float64, l Loss, a, sigma, eps float64) float64 {
	density := func(x, y []float64, f float64) float64 {
		b, jac := -a*f, a
		for i := range x {
			z := y[i] * x[i] * f
			b -= l.Grad(z) * y[i] * x[i]
			jac += l.Hess(z) * x[i] * x[i]
		}
		return math.Exp(-b*b/(2*sigma*sigma)) / (sigma * math.Sqrt(2*math.Pi)) * jac
	}
	reach := (9*sigma + float64(len(x))) / a
	const steps = 40_000
	sum, w := 0.0, 2*reach/steps
	for i := range steps {
		f := -reach + (float64(i)+0.5)*w
		sum += w * math.Max(0, density(x, y, f)-math.Exp(eps)*density(x2, y2, f))
	}
	return sum
}

// The proved profile is never exceeded by the exact hockey-stick divergence of neighbouring one-dimensional data sets, and on
// the extremal pair it is not far above it.
func TestObjectiveDeltaIsAnUpperBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		l := rapid.SampledFrom([]Loss{Logistic(), Huber(0.5), SmoothHinge(0.7)}).Draw(t, "loss")
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = rapid.Float64Range(-1, 1).Draw(t, "x"), sign(rapid.Float64Range(-1, 1).Draw(t, "y"))
		}
		x2, y2 := append([]float64{}, x...), append([]float64{}, y...)
		x2[0], y2[0] = rapid.SampledFrom([]float64{-1, 0, 1, 0.3}).Draw(t, "x'"), sign(rapid.Float64Range(-1, 1).Draw(t, "y'"))
		a := math.Exp(rapid.Float64Range(-1, 3).Draw(t, "log a"))
		sigma := math.Exp(rapid.Float64Range(-1, 2).Draw(t, "log σ"))
		eps := math.Log1p(l.C/a) + rapid.Float64Range(0, 2).Draw(t, "ε−j")
		bound, err := ObjectiveDelta(eps, sigma, 1, l.C, a)
		if err != nil {
			t.Fatal(err)
		}
		if got := hockeyStick(x, y, x2, y2, l, a, sigma, eps); got > bound*(1+1e-3)+1e-6 {
			t.Fatalf("hockey stick %g above the bound %g", got, bound)
		}
	})
	// Linear zone on both sides, curvature negligible: the loss is that of a Gaussian mechanism of sensitivity 2.
	x := []float64{1, -1, -1}
	got := hockeyStick(x, []float64{1, 1, 1}, []float64{-1, -1, -1}, []float64{1, 1, 1}, Huber(0.01), 50, 3, 1+math.Log1p(1.0))
	if bound, _ := ObjectiveDelta(1+math.Log1p(1.0), 3, 1, 50, 50); got > bound || bound == 0 {
		t.Errorf("hockey stick %g, bound %g", got, bound)
	}
}

func TestObjectiveSigmaInverts(t *testing.T) {
	for _, rest := range []float64{0.05, 0.5, 2} {
		for _, delta := range []float64{1e-3, 1e-6, 1e-12} {
			s := objectiveSigma(rest, delta)
			if got := objectiveDelta(rest, 1/s); got > delta || got < delta*(1-1e-6) {
				t.Errorf("ε = %g: σ = %g gives δ = %g, want %g", rest, s, got, delta)
			}
		}
	}
}

func approximateTrainers(l Loss, src *Source, led *Ledger) []Trainer {
	return []Trainer{
		GaussianOutputPerturbation{Eps: 1, Delta: 1e-5, Lambda: 0.05, Loss: l, Rand: src, Ledger: led},
		GaussianObjectivePerturbation{Eps: 1, Delta: 1e-5, Loss: l, Rand: src, Ledger: led},
		ApproximateMinima{Eps: 1, Delta: 1e-5, Loss: l, Rand: src, Ledger: led},
		GridPerturbation{Eps: 1, Lambda: 0.05, Loss: l, Rand: src, Ledger: led},
		GridPerturbation{Rho: 0.1, Delta: 1e-5, Lambda: 0.05, Loss: l, Rand: src, Ledger: led},
	}
}

// Each of these trainers learns the toy problem at ε = 1, charges what it claims, and says when it was seeded.
func TestApproximateTrainers(t *testing.T) {
	d := toy(t, 2000, 3, 9)
	for _, l := range []Loss{Huber(0.5), Logistic()} {
		led := NewLedger(math.Inf(1), 1)
		for _, tr := range approximateTrainers(l, Seed(5), led) {
			m, err := tr.Train(d)
			if err != nil {
				t.Errorf("%T: %v", tr, err)
				continue
			}
			if e := ErrorRate(m, d); e > 0.2 {
				t.Errorf("%T %s: error %g", tr, l.Name, e)
			}
			claim, err := tr.Claim(d)
			if err != nil || claim.String() != m.Guarantee.String() || !m.Guarantee.Seeded {
				t.Errorf("%T: claim and guarantee differ: %v\n%v\n%v", tr, err, claim, m.Guarantee)
			}
		}
		if n := len(led.Entries()); n != 5 {
			t.Errorf("%d ledger entries, want 5", n)
		}
	}
}

// Without noise worth mentioning they all find the non-private minimiser.
func TestApproximateTrainersLargeEps(t *testing.T) {
	d := toy(t, 500, 3, 9)
	want, err := NonPrivate{Lambda: 0.05}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range []Trainer{
		GaussianOutputPerturbation{Eps: 1e9, Delta: 0.5, Lambda: 0.05, Rand: Seed(1)},
		GaussianObjectivePerturbation{Eps: 1e9, Delta: 0.5, Lambda: 0.05, Rand: Seed(1)},
		GridPerturbation{Eps: 1e7, Lambda: 0.05, Rand: Seed(1)},
		GridPerturbation{Rho: 1e14, Lambda: 0.05, Rand: Seed(1)},
	} {
		m, err := tr.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		for j, w := range want.Weights {
			// The grid step itself is about 1e-4 here.
			if math.Abs(m.Weights[j]-w) > 1e-3 {
				t.Errorf("%T: weight %g, non-private %g", tr, m.Weights[j], w)
			}
		}
	}
}

// Outputs lie on the grid exactly and the noise has the scale of its law: the standard deviation of a coordinate over 4000
// draws within 8 % of √2·t (a discrete Laplace of scale t), which happens by chance less than once in 10⁵ runs; fixed seed.
func TestGridNoise(t *testing.T) {
	d := toy(t, 60, 2, 9)
	mech := GridPerturbation{Eps: 1, Lambda: 0.1, Rand: Seed(3)}
	_, p, err := mech.claim(d)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		m, err := mech.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range m.Weights {
			if q := w / p.grid; q != math.Trunc(q) {
				t.Fatalf("%g is not on the grid of %g", w, p.grid)
			}
		}
	}
	draw, err := mech.sampler(p, 2)
	if err != nil {
		t.Fatal(err)
	}
	src, sum := Seed(4), 0.0
	const runs = 4000
	for range runs {
		k := float64(draw(src)) * p.grid
		sum += k * k
	}
	sens, _ := outputScale(d, Huber(0.5), sumForm{a: 0.1 * float64(d.Len()), rows: d.Len()})
	want := math.Sqrt2 * math.Sqrt2 * (sens + p.grid*math.Sqrt2)
	if sd := math.Sqrt(sum / runs); math.Abs(sd/want-1) > 0.08 {
		t.Errorf("standard deviation %g, want %g", sd, want)
	}
}

func TestGridSumIsExact(t *testing.T) {
	for _, c := range []struct {
		v    float64
		k    int64
		want float64
	}{{0.3, 2, 0.75}, {-0.125, 0, 0}, {1e300, 5, 1 << 51}, {0, math.MaxInt64 / 2, 1 << 51}, {0, -math.MaxInt64 / 2, -(1 << 51)}} {
		if got := gridSum(c.v, 0.25, c.k); got != c.want {
			t.Errorf("gridSum(%g, 1/4, %d) = %g, want %g", c.v, c.k, got, c.want)
		}
	}
}

func TestApproximateTrainersRefuse(t *testing.T) {
	d := toy(t, 50, 2, 1)
	src, led := Seed(70), NewLedger(10, 0.1)
	for _, c := range []struct {
		want string
		tr   Trainer
	}{
		{"Delta = 0", GaussianOutputPerturbation{Eps: 1, Lambda: 1, Rand: src, Ledger: led}},
		{"Eps = 0", GaussianOutputPerturbation{Delta: 1e-5, Lambda: 1, Rand: src, Ledger: led}},
		{"Lambda = 0", GaussianOutputPerturbation{Eps: 1, Delta: 1e-5, Rand: src, Ledger: led}},
		{"Delta = 1", GaussianObjectivePerturbation{Eps: 1, Delta: 1, Rand: src, Ledger: led}},
		{"hinge", GaussianObjectivePerturbation{Eps: 1, Delta: 1e-5, Loss: Hinge(), Rand: src, Ledger: led}},
		{"hinge", ApproximateMinima{Eps: 1, Delta: 1e-5, Loss: Hinge(), Rand: src, Ledger: led}},
		{"Eps3", ApproximateMinima{Eps: 5, Delta: 1e-5, Eps3: 1, Rand: src, Ledger: led}},
		{"Eps2", ApproximateMinima{Eps: 1, Delta: 1e-5, Eps2: 1, Rand: src, Ledger: led}},
		{"Delta2", ApproximateMinima{Eps: 1, Delta: 1e-5, Delta2: 1e-5, Rand: src, Ledger: led}},
		{"Gamma", ApproximateMinima{Eps: 1, Delta: 1e-5, Gamma: 1e-20, Rand: src, Ledger: led}},
		{"Grid", GridPerturbation{Eps: 1, Lambda: 1, Grid: 0.3, Rand: src, Ledger: led}},
		{"set either", GridPerturbation{Eps: 1, Rho: 1, Lambda: 1, Rand: src, Ledger: led}},
		{"Rho", GridPerturbation{Rho: -1, Lambda: 1, Rand: src, Ledger: led}},
		{"Eps = 0", GridPerturbation{Lambda: 1, Rand: src, Ledger: led}},
	} {
		if _, err := c.tr.Train(d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: got %v, want an error with %q", c.tr, err, c.want)
		}
	}
	if len(led.Entries()) != 0 || src.Uint64() != Seed(70).Uint64() {
		t.Error("a refused training was charged or drew randomness")
	}
}
