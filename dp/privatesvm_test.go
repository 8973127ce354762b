package dp

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"
)

func TestOraclePrivateSVM(t *testing.T) {
	o := rpOracle(t, "R02")
	f := SVMFacts{N: int(o.in("n")), C: o.in("C"), L: o.in("L"), Kappa: o.in("kappa"), Features: int(o.in("F")), Eps: o.in("beta")}
	o.want("published", f.Theorem7(AsPublished).Value)
	o.want("corrected", f.Theorem7(Corrected).Value)

	o = rpOracle(t, "R03")
	f = SVMFacts{N: int(o.in("n")), C: o.in("C"), L: o.in("L"), Pairs: int(o.in("dhat")), Eps: o.in("beta")}
	o.want("published", f.Corollary9(AsPublished).Value)
	o.want("corrected", f.Corollary9(Corrected).Value)

	o = rpOracle(t, "R33")
	o.want("L_eff", SVMFacts{C: o.in("C"), Kappa: o.in("kappa")}.SquareLipschitz().Value)

	o = rpOracle(t, "R34")
	f = SVMFacts{N: 40, C: 3, Kappa: 1.5, Features: 4, Eps: o.in("beta")}
	for k, v := range map[string]Flavour{"at_published_lambda": AsPublished, "at_corrected_lambda": Corrected} {
		f.Scale = f.Theorem7(v).Value
		o.want(k, f.TrueEpsilon().Value)
	}

	o = rpOracle(t, "R36")
	f = SVMFacts{N: int(o.in("n")), C: o.in("C"), L: o.in("L"), Kappa: o.in("kappa"), Features: int(o.in("F")), Eps: o.in("beta"), Accuracy: 0.2, Failure: 0.05}
	o.want("scale", f.GammaScale().Value)
	o.want("mean_norm", f.GammaScale().Value*o.in("F"))
	o.want("max_Delta2_over_beta_for_sup_utility", f.GammaUtility().Value)

	o = rpOracle(t, "R28")
	m := &RandomFeatureMap{Form: Paired, Dim: 2, Frequencies: o.matrix("rho")}
	x, y := m.Apply(o.list("x")), m.Apply(o.list("y"))
	o.want("phi_x", x...)
	o.want("k_hat", dotDense(x, y))
	o.want("k_hat_xx", dotDense(x, x))

	o = rpOracle(t, "R32")
	fm := &RandomFeatureMap{Form: Paired, Dim: 2, Frequencies: o.matrix("rho")}
	d, err := oracleData(t, o).Map(fm, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := SVM{C: o.in("C"), Tol: 1e-19}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	hat := append([]float64(nil), r.Weights...)
	for i, v := range o.list("mu") {
		hat[i] += v
	}
	o.want("w_tilde", r.Weights...)
	o.want("w_hat", hat...)
	o.want("f_hat_test", dotDense(hat, fm.Apply(o.list("x_test"))))
}

// extremalPair is the pair of neighbours on which the SVM moves by exactly 2LCκ/n: all mass on ±κ/√F(1,…,1), which cancels
// except for the last record.
func extremalPair(t *testing.T, n, features int, kappa float64) (*Data, *Data) {
	t.Helper()
	row := make([]float64, features)
	for j := range row {
		row[j] = kappa / math.Sqrt(float64(features))
	}
	rows, labels := make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i], labels[i] = row, float64(1-2*(i%2))
	}
	a, err := NewData(rows, labels, kappa)
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Replace(n-1, row, -labels[n-1])
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// The sensitivity is attained on the extremal pair and never exceeded in a search over random pairs.
func TestSensitivityAttainedNeverExceeded(t *testing.T) {
	dist := func(a, b *Data, l Loss, c float64) float64 {
		x, err := SVM{C: c, Loss: l, Tol: 1e-12, Rand: Seed(5)}.Train(a)
		if err != nil {
			t.Fatal(err)
		}
		y, err := SVM{C: c, Loss: l, Tol: 1e-12, Rand: Seed(5)}.Train(b)
		if err != nil {
			t.Fatal(err)
		}
		s := 0.0
		for i := range x.Weights {
			s += (x.Weights[i] - y.Weights[i]) * (x.Weights[i] - y.Weights[i])
		}
		return math.Sqrt(s)
	}
	n, kappa, c := 11, 1.5, 1.2
	a, b := extremalPair(t, n, 3, kappa)
	for _, l := range []Loss{Hinge(), Huber(0.3)} {
		if r := dist(a, b, l, c) / rpSensL2(1, c, kappa, n, false); math.Abs(r-1) > 1e-7 {
			t.Errorf("%s: extremal pair reaches %.9g of the sensitivity, want 1", l.Name, r)
		}
	}
	src := Seed(17)
	for trial := 0; trial < 60; trial++ {
		n := 3 + 2*src.Intn(4)
		c := math.Exp(1.5 * src.Norm())
		rows, labels := make([][]float64, n), make([]float64, n)
		for i := range rows {
			rows[i] = []float64{src.Norm(), src.Norm()}
			labels[i] = float64(1 - 2*src.Intn(2))
		}
		d, err := NewData(rows, labels, 1)
		if err != nil {
			t.Fatal(err)
		}
		e, err := d.Replace(0, []float64{src.Norm(), src.Norm()}, float64(1-2*src.Intn(2)))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []Loss{Hinge(), Huber(0.5)} {
			if got, lim := dist(d, e, l, c), rpSensL2(1, c, 1, n, false); got > lim+2*math.Sqrt(2e-12*c) {
				t.Errorf("%s C=%g n=%d: ‖Δw‖ = %g above %g", l.Name, c, n, got, lim)
			}
		}
		_, s := rpLogistic(c, 1)
		if got, lim := dist(d, e, Logistic(), c), c*s/float64(n); got > lim+2*math.Sqrt(2e-12*c) {
			t.Errorf("logistic C=%g n=%d: ‖Δw‖ = %g above the refined bound %g", c, n, got, lim)
		}
		if got, lim := dist(d, e, SquareLoss(), c), rpSensL2(rpSquareLipschitz(c, 1), c, 1, n, false); got > lim {
			t.Errorf("square C=%g n=%d: ‖Δw‖ = %g above %g", c, n, got, lim)
		}
	}
}

// The largest log-density ratio on the extremal pair is ε for the corrected noise (less the solver's share) and ε/2 for the
// published one.
func TestPrivateSVMWorstLoss(t *testing.T) {
	a, b := extremalPair(t, 11, 3, 1)
	for _, noise := range []SVMNoise{LaplaceNoise, GammaNoise} {
		for v, want := range map[Flavour]float64{Corrected: 0.8 / 1.01, AsPublished: 0.4} {
			p := PrivateSVMFinite{Eps: 0.8, C: 2, Noise: noise, Flavour: v}
			far := []float64{100, 100, 100} // on the line through both solutions, beyond them
			x, err := p.LogDensity(a, far)
			if err != nil {
				t.Fatal(err)
			}
			y, err := p.LogDensity(b, far)
			if err != nil {
				t.Fatal(err)
			}
			if got := math.Abs(x - y); math.Abs(got-want) > 2e-4 {
				t.Errorf("%s %s: privacy loss %g, want %g", noise, v, got, want)
			}
			g, err := p.Claim(a)
			if err != nil {
				t.Fatal(err)
			}
			if g.Eps < math.Abs(x-y) {
				t.Errorf("%s %s: guarantee ε = %g is below the observed loss %g", noise, v, g.Eps, math.Abs(x-y))
			}
			if v == AsPublished && (g.ClaimedEps != 0.8 || g.Eps > 0.41) {
				t.Errorf("as published: claims %g, really %g", g.ClaimedEps, g.Eps)
			}
		}
	}
}

func TestPrivateSVMModel(t *testing.T) {
	d := blobs(2000, 2, 0.4, Seed(4))
	m, err := PrivateSVM{Eps: 20, Kernel: RBF(0.7), Pairs: 20, C: 5, Rand: Seed(9)}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := SVM{C: 5, Kernel: RBF(0.7)}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	if e, x := ErrorRate(m, d), ErrorRate(exact, d); e > x+0.05 {
		t.Errorf("private error %g far above the exact SVM's %g", e, x)
	}
	// The feature map travels with the model.
	var buf bytes.Buffer
	if err := m.Write(&buf); err != nil {
		t.Fatal(err)
	}
	var back Model
	if err := back.UnmarshalJSON(buf.Bytes()); err != nil {
		t.Fatal(err)
	}
	x := []float64{0.3, -0.2}
	if back.Score(x) != m.Score(x) || back.Guarantee.Eps != 20 || !back.Guarantee.Seeded {
		t.Errorf("after a round trip: score %g, want %g; guarantee %v", back.Score(x), m.Score(x), back.Guarantee)
	}
	if m.Guarantee.Private() {
		t.Error("a seeded run calls itself private")
	}
}

// As ε grows the release tends to the exact SVM.
func TestPrivateSVMLimit(t *testing.T) {
	d := blobs(500, 3, 0.3, Seed(4))
	for _, l := range svmLosses() {
		m, err := PrivateSVMFinite{Eps: 1e9, C: 4, Loss: l, Rand: Seed(2)}.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		x, err := SVM{C: 4, Loss: l, Tol: 1e-12, Rand: Seed(5)}.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Weights {
			if math.Abs(m.Weights[i]-x.Weights[i]) > 1e-4 {
				t.Errorf("%s: w[%d] = %g, want %g", l.Name, i, m.Weights[i], x.Weights[i])
			}
		}
	}
}

// Noise laws: mean of |μ_j| is λ (Laplace), mean of ‖μ‖ is FΔ₂/ε (Gamma). 4000 draws of F = 5 weights; relative standard
// errors are 1/√20000 and 1/√20000, so a 4 % band is more than 5 standard deviations: false alarms below 1e-6 (fixed seed).
func TestPrivateSVMNoise(t *testing.T) {
	for _, kind := range []SVMNoise{LaplaceNoise, GammaNoise} {
		s := svmPlan{features: 5, scale: 0.3, kind: kind}
		src, sum := Seed(21), 0.0
		for i := 0; i < 4000; i++ {
			v := s.noise(src)
			if kind == GammaNoise {
				sum += math.Sqrt(dotDense(v, v)) / 5
				continue
			}
			for _, x := range v {
				sum += math.Abs(x) / 5
			}
		}
		if got := sum / 4000; math.Abs(got/0.3-1) > 0.04 {
			t.Errorf("%s: mean %g, want 0.3", kind, got)
		}
	}
}

func TestPrivateSVMRefusals(t *testing.T) {
	d := blobs(100, 2, 0.3, Seed(1))
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"eps":     {errorOf(PrivateSVMFinite{}.Train(d)), "Eps = 0"},
		"cost":    {errorOf(PrivateSVMFinite{Eps: 1, C: -2}.Train(d)), "C = -2"},
		"gap":     {errorOf(PrivateSVMFinite{Eps: 1, Gap: math.Inf(1)}.Train(d)), "Gap = +Inf"},
		"tiny":    {errorOf(PrivateSVMFinite{Eps: 1, C: 1000, Loss: Logistic(), Gap: 1e-40}.Train(d)), "nothing was released"},
		"noise":   {errorOf(PrivateSVMFinite{Eps: 1, Noise: "x"}.Train(d)), "Noise"},
		"flavour": {errorOf(PrivateSVMFinite{Eps: 1, Flavour: "x"}.Train(d)), "Flavour"},
		"kernel":  {errorOf(PrivateSVM{Eps: 1, Kernel: Polynomial(2, 1, 1)}.Train(d)), "translation invariant"},
		"pairs":   {errorOf(PrivateSVM{Eps: 1, Pairs: -1}.Train(d)), "Pairs = -1"},
		"mapped":  {errorOf(PrivateSVM{Eps: 1}.Train(d.WithIntercept())), "only map"},
		"budget":  {errorOf(PrivateSVM{Eps: 1, Ledger: NewLedger(0.5, 0)}.Train(d)), "budget"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, c.err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (PrivateSVM{Eps: 1}).TrainContext(ctx, d); err == nil {
		t.Error("a cancelled run released something")
	}
}

func errorOf(_ *Model, err error) error { return err }

// Extreme but legal arguments: released, finite, and quickly.
func TestPrivateSVMExtremes(t *testing.T) {
	one, err := NewData([][]float64{{0.3, -0.2}}, []float64{-1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*Data{"one row": one, "blobs": blobs(300, 3, 0.2, Seed(1))} {
		for _, l := range svmLosses() {
			for _, c := range []float64{1e-6, 1, 1e3} {
				for _, eps := range []float64{1e-6, 1e6} {
					m, err := PrivateSVMFinite{Eps: eps, C: c, Loss: l, Rand: Seed(1)}.Train(d)
					if err != nil {
						t.Errorf("%s %s C=%g ε=%g: %v", name, l.Name, c, eps, err)
						continue
					}
					for _, w := range m.Weights {
						if math.IsNaN(w) || math.IsInf(w, 0) {
							t.Fatalf("%s %s C=%g ε=%g: weight %g", name, l.Name, c, eps, w)
						}
					}
				}
			}
		}
	}
}
