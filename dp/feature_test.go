package dp

import (
	"encoding/json"
	"math"
	"testing"

	"example.org/godp/dp/internal/stattest"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
)

func TestRandomFeatureOracles(t *testing.T) {
	for _, o := range oracles(t, "RFFMap") {
		var w [][]float64
		for _, row := range o.Inputs["omega"].([]any) {
			w = append(w, oracleNumbers(row))
		}
		x, psi := oracleNumbers(o.Inputs["x"]), oracleNumbers(o.Inputs["psi"])
		for form, out := range map[FeatureForm]string{Paired: "v_pair", Phase: "v_unit", WidePhase: "v_sqrt2overD", ClippedPhase: "v_sqrt2overD"} {
			m := &RandomFeatureMap{Form: form, Dim: len(x), Frequencies: w}
			if form != Paired {
				m.Phases = psi
			}
			if err := m.check(); err != nil {
				t.Fatal(err)
			}
			v := m.Apply(x)
			for i, want := range oracleNumbers(o.Outputs[out]) { // the oracle's norm is below 1, so clipping does nothing
				near(t, o.ID+" "+string(form), v[i], want, 1e-10)
			}
			switch form {
			case Paired:
				near(t, o.ID+" norm", floats.Norm(v, 2), o.out("norm_pair"), 1e-12)
			case WidePhase:
				near(t, o.ID+" norm", floats.Norm(v, 2), o.out("norm_sqrt2overD"), 1e-10)
			}
		}
	}
}

// The norm bound of every form, tested at the rows that reach it: frequencies 0 and phase 0 make every cosine 1.
func TestFeatureNorms(t *testing.T) {
	for form, want := range map[FeatureForm]float64{Paired: 1, Phase: 1, WidePhase: math.Sqrt2, ClippedPhase: 1, SharedPhase: math.Sqrt2} {
		m := &RandomFeatureMap{Form: form, Dim: 1, Frequencies: [][]float64{{0}, {0}, {0}}}
		switch form {
		case Paired:
		case SharedPhase:
			m.Phases = []float64{0}
		default:
			m.Phases = []float64{0, 0, 0}
		}
		near(t, string(form), floats.Norm(m.Apply([]float64{1}), 2), want, 1e-14)
		near(t, string(form)+" bound", m.RowNorm(), want, 1e-14)
	}
	// The published claim ‖v‖ ≤ 1 for √(2/D) phase features fails for about half of all rows.
	m, err := RandomFeatures{Kernel: GaussianKernel(0.5), Count: 100, Form: WidePhase, Rand: Seed(1)}.Map(5)
	if err != nil {
		t.Fatal(err)
	}
	src, above, most := Seed(2), 0, 0.0
	for range 2000 {
		x := make([]float64, 5)
		for i := range x {
			x[i] = src.Norm()
		}
		s := floats.Norm(m.Apply(x), 2)
		if s > 1 {
			above++
		}
		most = math.Max(most, s)
	}
	if above < 600 || above > 1400 || most > math.Sqrt2 {
		t.Errorf("%d of 2000 rows above norm 1, largest %g", above, most)
	}
}

var invariantKernels = []Kernel{RBF(1), GaussianKernel(0.5), Laplacian(1), Cauchy(0.8), Matern(0.5, 1), Matern(1.5, 0.7), Matern(2.5, 1), Matern(0.9, 1.3), Matern(10, 1)}

// The expected inner product is the kernel. Each frequency contributes a number in [−1, 1] (Paired) or [−2, 2] (WidePhase): with
// 20,000 frequencies a Hoeffding deviation of 0.055 (0.11) has probability below 2e-13. For SharedPhase the expectation is
// conditional on ψ.
func TestFeaturesApproximateKernels(t *testing.T) {
	x, y := []float64{0.3, -0.7, 0.2}, []float64{-0.1, 0.4, 0.5}
	minus := []float64{-0.3, 0.7, -0.2}
	for i, k := range invariantKernels {
		for _, form := range []FeatureForm{Paired, Phase, WidePhase, SharedPhase} {
			n := 20000
			if form == Paired {
				n *= 2
			}
			m, err := RandomFeatures{Kernel: k, Count: n, Form: form, Rand: Seed(uint64(i))}.Map(3)
			if err != nil {
				t.Fatal(err)
			}
			want, tol := k.Eval(x, y), 0.055
			switch form {
			case Phase:
				want /= 2
			case WidePhase:
				tol = 0.11
			case SharedPhase:
				want, tol = want+math.Cos(2*m.Phases[0])*k.Eval(minus, y), 0.11
			}
			if got := m.Approx(x, y); math.Abs(got-want) > tol {
				t.Errorf("%s, %s: inner product %g, want %g", k, form, got, want)
			}
		}
	}
}

// The variance per frequency as stated, from 400 maps of 10 frequencies: a sample variance of 400 nearly normal numbers is within
// 40 % of the truth with probability 1 − 2e-8 (χ² with 399 degrees of freedom).
func TestFeatureVariance(t *testing.T) {
	x, y := []float64{0.3, -0.7}, []float64{-0.5, 0.4}
	double := []float64{x[0] - y[0], x[1] - y[1]}
	k := GaussianKernel(0.5)
	k1, k2 := k.Eval(x, y), k.Eval([]float64{2 * double[0], 2 * double[1]}, []float64{0, 0})
	near(t, "k(2t) = k(t)⁴", k2, math.Pow(k1, 4), 1e-12)
	vars := map[FeatureForm]float64{}
	for _, form := range []FeatureForm{Paired, WidePhase} {
		want, err := RandomFeatureVariance(form, k1, k2)
		if err != nil {
			t.Fatal(err)
		}
		s, src := 0.0, Seed(3)
		for range 400 {
			n := 10
			if form == Paired {
				n = 20
			}
			m, err := RandomFeatures{Kernel: k, Count: n, Form: form, Rand: src}.Map(2)
			if err != nil {
				t.Fatal(err)
			}
			e := m.Approx(x, y) - k1
			s += e * e / 400
		}
		vars[form] = s * 10
		if math.Abs(s*10-want) > 0.4*want {
			t.Errorf("%s: variance per frequency %g, want %g", form, s*10, want)
		}
	}
	if vars[Paired] >= vars[WidePhase] {
		t.Errorf("paired features vary more (%g) than phase features (%g)", vars[Paired], vars[WidePhase])
	}
}

// Orthogonal frequencies: orthogonal within blocks, lengths with the right law (χ for the Gaussian kernel: KS at 1e-6), and a
// smaller error than independent ones.
func TestOrthogonalFeatures(t *testing.T) {
	const dim = 8
	m, err := RandomFeatures{Kernel: RBF(2), Count: 4000, Orthogonal: true, Rand: Seed(5)}.Map(dim)
	if err != nil {
		t.Fatal(err)
	}
	var lengths []float64
	for i, w := range m.Frequencies {
		lengths = append(lengths, floats.Norm(w, 2))
		for _, u := range m.Frequencies[i-i%dim : i] {
			s := 0.0
			for j := range u {
				s += u[j] * w[j]
			}
			if math.Abs(s) > 1e-12 {
				t.Fatalf("frequencies %d and an earlier one of its block: product %g", i, s)
			}
		}
	}
	// ‖ω‖²σ² ~ χ²(8): P(‖ω‖ ≤ r) = GammaNorm-type incomplete gamma function; here by its closed form for even dimension.
	cdf := func(r float64) float64 {
		h := r * r * 4 / 2
		return 1 - math.Exp(-h)*(1+h+h*h/2+h*h*h/6)
	}
	if p := stattest.KS(lengths, cdf); p < falseAlarm {
		t.Errorf("lengths: p-value %g", p)
	}
	x, y := make([]float64, dim), make([]float64, dim)
	for j := range x {
		x[j], y[j] = 0.5, -0.3
	}
	k := RBF(2)
	mse := func(orth bool) float64 {
		s, src := 0.0, Seed(6)
		for range 300 {
			m, err := RandomFeatures{Kernel: k, Count: 2 * dim, Orthogonal: orth, Rand: src}.Map(dim)
			if err != nil {
				t.Fatal(err)
			}
			e := m.Approx(x, y) - k.Eval(x, y)
			s += e * e / 300
		}
		return s
	}
	if a, b := mse(true), mse(false); a > 0.8*b {
		t.Errorf("mean squared error %g with orthogonal frequencies, %g with independent ones", a, b)
	}
}

// Matérn: closed forms against the integral, the Gaussian limit, and Bochner's theorem in one dimension by quadrature:
// k(t) = ∫ p(ω) cos(ωt) dω.
func TestMaternKernel(t *testing.T) {
	for _, r := range []float64{1e-3, 0.1, 1, 3, 20} {
		near(t, "ν=1/2", maternValue(0.5+1e-12, r), math.Exp(-r), 1e-9)
		near(t, "ν=3/2", maternValue(1.5+1e-12, r), (1+r)*math.Exp(-r), 1e-9)
		near(t, "ν=5/2", maternValue(2.5+1e-12, r), (1+r+r*r/3)*math.Exp(-r), 1e-9)
	}
	// Tabulated values (Abramowitz and Stegun, table 9.8) K_0(0.5) = 0.9244190712 and K_1(0.5) = 1.6564411200, and the
	// recurrence K_2(x) = K_0(x) + 2K_1(x)/x.
	near(t, "K_2(0.5)", math.Exp(logBesselK(2, 0.5)), 0.9244190712+4*1.6564411200, 1e-9)
	near(t, "K_0(0.5)", math.Exp(logBesselK(0, 0.5)), 0.9244190712, 1e-9)
	x, y := []float64{0.5, 0}, []float64{0, -0.4}
	if d := math.Abs(Matern(100, 1).Eval(x, y) - RBF(1).Eval(x, y)); d > 2e-3 {
		t.Errorf("ν = 100 differs from the Gaussian limit by %g", d)
	}
	for _, k := range []Kernel{Matern(1.5, 0.7), Matern(2.5, 1), Matern(4, 2)} {
		for _, at := range []float64{0, 0.3, 1.5} {
			got := 0.0
			for a := 0.0; a < 400; a++ {
				got += 2 * quad.Fixed(func(w float64) float64 { return k.SpectralDensity([]float64{w}) * math.Cos(w*at) }, a, a+1, 24, quad.Legendre{}, 0)
			}
			if want := k.Eval([]float64{at}, []float64{0}); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: ∫p cos = %g, k = %g", k, got, want)
			}
		}
	}
	// E‖ω‖² = dν/((ν−1)σ²) from 40,000 draws of ν = 4: fourth moments exist; 6 % is more than 6 standard errors.
	k := Matern(4, 2)
	w, err := k.Frequencies(40000, 3, Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	s := 0.0
	for _, v := range w {
		s += (v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) / 40000
	}
	near(t, "E‖ω‖²", s, 1, 0.06)
	near(t, "σ_p", k.SigmaP(3), 1, 1e-12)
	if !math.IsInf(Matern(1, 1).SigmaP(2), 1) {
		t.Error("ν = 1 has no second spectral moment")
	}
}

func TestFeatureRefusals(t *testing.T) {
	for name, f := range map[string]RandomFeatures{
		"Count 0":       {Kernel: RBF(1)},
		"odd pairs":     {Kernel: RBF(1), Count: 3},
		"form":          {Kernel: RBF(1), Count: 4, Form: "hexagonal"},
		"kernel":        {Kernel: Polynomial(2, 1, 1), Count: 4},
		"no kernel":     {Count: 4},
		"sigma":         {Kernel: RBF(-1), Count: 4},
		"nu":            {Kernel: Matern(0, 1), Count: 4},
		"not invariant": {Kernel: Laplacian(1), Count: 4, Orthogonal: true},
	} {
		if _, err := f.Map(2); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := (RandomFeatures{Kernel: RBF(1), Count: 4}).Map(0); err == nil {
		t.Error("dimension 0 accepted")
	}
	d := toolData(t)
	m, err := RandomFeatures{Kernel: RBF(1), Count: 4, Rand: Seed(1)}.Map(3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Transform(d); err == nil {
		t.Error("data of another dimension accepted")
	}
}

// Transformed data have the right shape, radius and rows; models saved with their map come back and score raw rows alike.
func TestFeatureMapTravelsWithTheModel(t *testing.T) {
	d := toolData(t)
	for _, form := range []FeatureForm{Paired, Phase, WidePhase, ClippedPhase, SharedPhase} {
		m, err := RandomFeatures{Kernel: Matern(1.5, 1), Count: 6, Form: form, Rand: Seed(1)}.Map(2)
		if err != nil {
			t.Fatal(err)
		}
		v, err := m.Transform(d)
		if err != nil {
			t.Fatal(err)
		}
		if v.Dim() != 6 || v.Radius() != m.RowNorm() || v.Len() != d.Len() {
			t.Fatalf("%s: %d rows of %d columns, radius %g", form, v.Len(), v.Dim(), v.Radius())
		}
		want := m.Apply(d.Row(1))
		for j, got := range v.Row(1) {
			near(t, "row", got, want[j], 1e-9)
		}
		model := newModel(v, []float64{1, -2, 3, 0.5, 0, 1}, Logistic(), noGuarantee("test"), nil)
		text, err := json.Marshal(model)
		if err != nil {
			t.Fatal(err)
		}
		back := new(Model)
		if err := json.Unmarshal(text, back); err != nil {
			t.Fatal(err)
		}
		if a, b := model.Score(d.Row(2)), back.Score(d.Row(2)); a != b {
			t.Errorf("%s: score %v before, %v after the journey", form, a, b)
		}
		if ErrorRate(back, d) != ErrorRate(model, v) {
			t.Errorf("%s: error rates on raw and mapped rows differ", form)
		}
	}
	for _, bad := range []string{
		`{"form":"paired","dim":2,"frequencies":[[1]]}`,
		`{"form":"paired","dim":1,"frequencies":[[1]],"phases":[1]}`,
		`{"form":"phase","dim":1,"frequencies":[[1]]}`,
		`{"form":"?","dim":1,"frequencies":[[1]]}`,
		`{"form":"paired","dim":1,"frequencies":[]}`,
	} {
		if _, err := featureKinds["random-features"]([]byte(bad)); err == nil {
			t.Errorf("accepted %s", bad)
		}
	}
}

// Whatever the bytes, a decoded map is refused or works: right shape, finite features, norm within its bound.
func FuzzRandomFeatureMap(f *testing.F) {
	f.Add([]byte(`{"kernel":"rbf","form":"paired","dim":2,"frequencies":[[1,-2],[0.5,3]]}`))
	f.Add([]byte(`{"form":"wide-phase","dim":1,"frequencies":[[1],[2]],"phases":[0,1]}`))
	f.Add([]byte(`{"form":"shared-phase","dim":1,"frequencies":[[1e308]],"phases":[0.5]}`))
	f.Add([]byte(`{"form":"clipped-phase","dim":-1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := featureKinds["random-features"](text)
		if err != nil {
			return
		}
		if m.In() > 1000 {
			return
		}
		x := make([]float64, m.In())
		for i := range x {
			x[i] = 0.5
		}
		v := m.Apply(x)
		if len(v) != m.Out() {
			t.Fatalf("%d features, Out() = %d", len(v), m.Out())
		}
		for _, a := range v {
			if math.IsNaN(a) {
				return // frequencies so large that ω·x overflows: clipping maps such rows to zero
			}
		}
		if n := floats.Norm(v, 2); n > m.(*RandomFeatureMap).RowNorm()*(1+1e-12) {
			t.Fatalf("norm %g above the bound", n)
		}
	})
}

func BenchmarkRandomFeatures(b *testing.B) {
	m, err := RandomFeatures{Kernel: RBF(1), Count: 1000, Rand: Seed(1)}.Map(20)
	if err != nil {
		b.Fatal(err)
	}
	x := make([]float64, 20)
	for b.Loop() {
		m.Apply(x)
	}
}
