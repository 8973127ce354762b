package dp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// lossOf builds the loss an oracle names.
func lossOf(o oracle) Loss {
	switch o.Inputs["loss"] {
	case "huber":
		return Huber(o.num("h"))
	case "smooth":
		return SmoothHinge(o.num("h"))
	}
	return Logistic()
}

func dataOf(t testing.TB, o oracle) *Data {
	t.Helper()
	var rows [][]float64
	for _, r := range o.Inputs["X"].([]any) {
		rows = append(rows, oracleNumbers(r))
	}
	d, err := NewData(rows, oracleNumbers(o.Inputs["y"]), 1)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMinimiserOracles(t *testing.T) {
	for _, o := range append(oracles(t, "PerturbedMinimiser"), oracles(t, "PerturbedMinimiserL1")...) {
		d, l := dataOf(t, o), lossOf(o)
		var reg Regulariser
		if mu := o.num("mu"); mu > 0 {
			reg = L1(mu)
		}
		a := float64(d.Len()) * (o.num("lambda") + o.num("Delta"))
		for name, dd := range map[string]*Data{"dense": d, "sparse": sparseCopy(t, d)} {
			p := problem(dd, l, a, oracleNumbers(o.Inputs["b"]))
			res, err := minimise(context.Background(), "test", p, reg, 1e-12)
			if err != nil {
				t.Errorf("%s %s: %v", o.ID, name, err)
				continue
			}
			for j, want := range oracleNumbers(o.Outputs["f"]) {
				// Rows of norm within rounding of 1 may have been scaled by 1−2⁻⁴⁰.
				if math.Abs(res.Hi[j]-want) > 1e-10*(1+math.Abs(want)) {
					t.Errorf("%s %s: f[%d] = %.15g, want %.15g", o.ID, name, j, res.Hi[j], want)
				}
				if want == 0 && res.Hi[j] != 0 {
					t.Errorf("%s: %g is not exactly zero", o.ID, res.Hi[j])
				}
			}
		}
	}
}

// toy is a separable-with-noise problem in d dimensions with rows in the unit ball.
func toy(t testing.TB, n, d int, seed uint64) *Data {
	t.Helper()
	src := Seed(seed)
	rows, y := make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i] = make([]float64, d)
		for j := range rows[i] {
			rows[i][j] = src.Norm() / math.Sqrt(float64(d))
		}
		y[i] = sign(rows[i][0] + 0.5*rows[i][d-1] + 0.1*src.Norm())
	}
	out, err := NewData(rows, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// With an enormous ε the private fits are the non-private one.
func TestLargeEpsIsNonPrivate(t *testing.T) {
	d := toy(t, 500, 4, 1)
	for _, l := range []Loss{Huber(0.5), Logistic(), SmoothHinge(0.3)} {
		want, err := NonPrivate{Lambda: 0.01, Loss: l}.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range []Trainer{
			ObjectivePerturbation{Eps: 1e9, Lambda: 0.01, Loss: l, Rand: Seed(1)},
			ObjectivePerturbation{Eps: 1e9, Lambda: 0.01, Loss: l, Rand: Seed(1), Variant: JMLR2011},
			OutputPerturbation{Eps: 1e9, Lambda: 0.01, Loss: l, Rand: Seed(1)},
		} {
			m, err := tr.Train(d)
			if err != nil {
				t.Fatal(err)
			}
			for j := range want.Weights {
				if math.Abs(m.Weights[j]-want.Weights[j]) > 1e-6 {
					t.Errorf("%T %s: weight %d is %g, non-private %g", tr, l.Name, j, m.Weights[j], want.Weights[j])
				}
			}
		}
	}
}

// The hinge minimiser against the Huber minimiser with h → 0, and against optimality: no random direction decreases the
// objective.
func TestHinge(t *testing.T) {
	d := toy(t, 300, 3, 2)
	m, err := NonPrivate{Lambda: 0.01, Loss: Hinge()}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	obj := func(f []float64) float64 {
		s := 0.0
		for i := range d.Len() {
			s += math.Max(0, 1-d.Label(i)*d.Dot(i, f))
		}
		for _, v := range f {
			s += 0.01 * float64(d.Len()) / 2 * v * v
		}
		return s
	}
	src := Seed(8)
	best := obj(m.Weights)
	for k := range 3000 {
		f := append([]float64{}, m.Weights...)
		for j := range f {
			f[j] += src.Norm() * math.Pow(10, -float64(k%6))
		}
		// The iterate is within hingeShare·LR/a of the minimiser, so the gap is tiny.
		if obj(f) < best-1e-4 {
			t.Fatalf("a random step improves the objective from %.9g to %.9g", best, obj(f))
		}
	}
	g, err := OutputPerturbation{Eps: 1, Lambda: 0.01, Loss: Hinge()}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	if g.Guarantee.Eps != 1 || !g.Guarantee.Private() {
		t.Errorf("guarantee of hinge output perturbation: %v", g.Guarantee)
	}
}

// The sensitivity bound is attained by the extremal pair and never exceeded by random neighbours.
func TestOutputSensitivityTight(t *testing.T) {
	n, lambda := 11, 0.2 // nΛ(1−h) = 1.1 ≥ 1
	rows, y := make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i], y[i] = []float64{float64(1 - 2*(i%2))}, 1
	}
	d, _ := NewData(rows, y, 1)
	d2, _ := d.Replace(n-1, []float64{-1}, 1)
	fit := func(d *Data) float64 {
		m, err := NonPrivate{Lambda: lambda, Loss: Huber(0.5)}.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		return m.Weights[0]
	}
	if got, want := math.Abs(fit(d)-fit(d2)), OutputSensitivity(n, lambda, 1, 1); math.Abs(got-want) > 1e-8 {
		t.Errorf("extremal pair: distance %.12g, sensitivity %.12g", got, want)
	}
	src := Seed(3)
	for k := range 200 {
		a := toy(t, 9, 2, uint64(k))
		b, _ := a.Replace(0, []float64{3 * src.Norm(), 3 * src.Norm()}, sign(src.Norm()))
		for _, l := range []Loss{Huber(0.2), Logistic(), Hinge()} {
			ma, err := NonPrivate{Lambda: 0.3, Loss: l}.Train(a)
			if err != nil {
				t.Fatal(err)
			}
			mb, err := NonPrivate{Lambda: 0.3, Loss: l}.Train(b)
			if err != nil {
				t.Fatal(err)
			}
			dist := math.Hypot(ma.Weights[0]-mb.Weights[0], ma.Weights[1]-mb.Weights[1])
			if limit := OutputSensitivity(9, 0.3, 1, 1) * (1 + hingeShare); dist > limit {
				t.Errorf("%s: distance %g above the sensitivity %g", l.Name, dist, limit)
			}
		}
	}
}

func TestGuarantees(t *testing.T) {
	d := toy(t, 200, 3, 5)
	m, err := ObjectivePerturbation{Eps: 0.5}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	if m.Guarantee.Eps != 0.5 || !m.Guarantee.Private() || !(m.Guarantee.Certificate <= 1e-9) || m.Guarantee.Seeded {
		t.Errorf("default: %v", m.Guarantee)
	}
	m, _ = ObjectivePerturbation{Eps: 0.5, Rand: Seed(1)}.Train(d.MarkLeak("columns scaled by their maximum"))
	if m.Guarantee.Private() || !m.Guarantee.Seeded || len(m.Guarantee.Leaks) != 1 {
		t.Errorf("seeded and leaky: %v", m.Guarantee)
	}
	for _, v := range []Flavour{AsPublished, AsPublishedIa, AsPublishedIb, AsPublishedIc} {
		m, err := ObjectivePerturbation{Eps: 0.2, Lambda: 0.01, Variant: v}.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		if m.Guarantee.ClaimedEps != 0.2 || m.Guarantee.Eps <= 0.2 || !strings.Contains(m.Guarantee.String(), "the true level is") {
			t.Errorf("%s: %v", v, m.Guarantee)
		}
	}
	// Seeded runs repeat, secure runs do not.
	a, _ := ObjectivePerturbation{Eps: 0.5, Rand: Seed(3)}.Train(d)
	b, _ := ObjectivePerturbation{Eps: 0.5, Rand: Seed(3)}.Train(d)
	c, _ := ObjectivePerturbation{Eps: 0.5}.Train(d)
	if a.Weights[0] != b.Weights[0] || a.Weights[0] == c.Weights[0] {
		t.Error("seeded runs must repeat and secure ones must not")
	}
}

// Every bad argument is refused with an error that names it, before the ledger is charged or a random number drawn.
func TestTrainersRefuse(t *testing.T) {
	d := toy(t, 20, 2, 1)
	classes, err := NewClasses([][]float64{{1}, {0}}, []int{0, 1}, []string{"a", "b"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	done, cancel := context.WithCancel(context.Background())
	cancel()
	ledger := NewLedger(1, 0)
	src := Seed(77)
	obj := func(f func(*ObjectivePerturbation)) func(*Data) error {
		o := ObjectivePerturbation{Eps: 0.5, Lambda: 0.1, Rand: src, Ledger: ledger}
		f(&o)
		return func(d *Data) error { _, err := o.Train(d); return err }
	}
	out := func(f func(*OutputPerturbation)) func(*Data) error {
		o := OutputPerturbation{Eps: 0.5, Lambda: 0.1, Rand: src, Ledger: ledger}
		f(&o)
		return func(d *Data) error { _, err := o.Train(d); return err }
	}
	for _, c := range []struct {
		name, want string
		run        func(*Data) error
		d          *Data
	}{
		{"ε 0", "Eps = 0", obj(func(o *ObjectivePerturbation) { o.Eps = 0 }), d},
		{"ε < 0", "Eps = -1", obj(func(o *ObjectivePerturbation) { o.Eps = -1 }), d},
		{"ε Inf", "Eps = +Inf", obj(func(o *ObjectivePerturbation) { o.Eps = math.Inf(1) }), d},
		{"ε NaN", "Eps = NaN", obj(func(o *ObjectivePerturbation) { o.Eps = nan }), d},
		{"Λ < 0", "Lambda = -1", obj(func(o *ObjectivePerturbation) { o.Lambda = -1 }), d},
		{"Λ NaN", "Lambda = NaN", obj(func(o *ObjectivePerturbation) { o.Lambda = nan }), d},
		{"Λ 0 as published", "Lambda = 0", obj(func(o *ObjectivePerturbation) { o.Lambda, o.Variant = 0, AsPublished }), d},
		{"ρ", "Rho = 1", obj(func(o *ObjectivePerturbation) { o.Rho = 1 }), d},
		{"hinge", "hinge", obj(func(o *ObjectivePerturbation) { o.Loss = Hinge() }), d},
		{"false loss", "declared C", obj(func(o *ObjectivePerturbation) { o.Loss = Huber(0.5); o.Loss.C = 0.01 }), d},
		{"changed logistic", "Logistic() were changed", obj(func(o *ObjectivePerturbation) { o.Loss = Logistic(); o.Loss.Grad = Huber(2).Grad }), d},
		{"variant", "unknown variant", obj(func(o *ObjectivePerturbation) { o.Variant = "magic" }), d},
		{"2008 with Huber", "logistic", obj(func(o *ObjectivePerturbation) { o.Variant = CM2008 }), d},
		{"share", "SolverShare", obj(func(o *ObjectivePerturbation) { o.SolverShare = 2 }), d},
		{"no data", "at least one row", obj(func(o *ObjectivePerturbation) {}), nil},
		{"classes", "labels must be", obj(func(o *ObjectivePerturbation) {}), classes},
		{"μ", "Reg μ", obj(func(o *ObjectivePerturbation) { o.Reg = L1(-1) }), d},
		{"group", "group 0", obj(func(o *ObjectivePerturbation) { o.Reg = GroupNorm(1, [][]int{{0, 0}}) }), d},
		{"box", "box", obj(func(o *ObjectivePerturbation) { o.Reg = Box(1, 0) }), d},
		{"output ε", "Eps = 0", out(func(o *OutputPerturbation) { o.Eps = 0 }), d},
		{"output Λ", "Lambda = 0", out(func(o *OutputPerturbation) { o.Lambda = 0 }), d},
		{"output no data", "at least one row", out(func(o *OutputPerturbation) {}), nil},
		{"non-private Λ", "Lambda = 0", func(d *Data) error { _, err := NonPrivate{}.Train(d); return err }, d},
		{"cancelled", "stopped before", func(d *Data) error {
			_, err := ObjectivePerturbation{Eps: 1, Ledger: ledger, Rand: src}.TrainContext(done, d)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			return err
		}, d},
		{"output cancelled", "stopped before", func(d *Data) error {
			_, err := OutputPerturbation{Eps: 1, Lambda: 1, Ledger: ledger, Rand: src}.TrainContext(done, d)
			return err
		}, d},
	} {
		if err := c.run(c.d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	if len(ledger.Entries()) != 0 {
		t.Errorf("a refused training was charged: %v", ledger.Entries())
	}
	if src.Uint64() != Seed(77).Uint64() {
		t.Error("a refused training drew randomness")
	}
}

func TestAmbientContextStopsTraining(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	SetContext(ctx)
	defer SetContext(nil)
	if _, err := (NonPrivate{Lambda: 1}).Train(toy(t, 10, 2, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Weights scale the noise with their public bound, and weight w behaves as w copies of a row.
func TestSampleWeights(t *testing.T) {
	d := toy(t, 40, 2, 6)
	w := make([]float64, d.Len())
	idx := []int{}
	for i := range w {
		w[i] = float64(1 + i%3)
		for range 1 + i%3 {
			idx = append(idx, i)
		}
	}
	dw, err := d.Weighted(w, 3)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NonPrivate{Lambda: 0.1, Loss: Logistic()}.Train(dw)
	if err != nil {
		t.Fatal(err)
	}
	copies := d.Subset(idx)
	b, err := NonPrivate{Lambda: 0.1 * float64(d.Len()) / float64(copies.Len()), Loss: Logistic()}.Train(copies)
	if err != nil {
		t.Fatal(err)
	}
	for j := range a.Weights {
		if math.Abs(a.Weights[j]-b.Weights[j]) > 1e-8 {
			t.Errorf("weight %d: weighted %g, copies %g", j, a.Weights[j], b.Weights[j])
		}
	}
	p1, _ := ObjectivePerturbation{Eps: 1}.params(40, 1, 1)
	p3, _ := ObjectivePerturbation{Eps: 1}.params(40, 1, 3)
	if math.Abs(p3.Kappa-p1.Kappa/3) > 1e-12 || math.Abs(p3.A-3*p1.A) > 1e-9 {
		t.Errorf("κ %g → %g, a %g → %g under weights up to 3", p1.Kappa, p3.Kappa, p1.A, p3.A)
	}
}

func TestInterceptIsUsed(t *testing.T) {
	// All labels +1: without an intercept symmetric data cannot be classified, with one they can.
	src := Seed(4)
	rows, y := make([][]float64, 200), make([]float64, 200)
	for i := range rows {
		rows[i], y[i] = []float64{src.Norm() / 3}, 1
	}
	d, _ := NewData(rows, y, 1)
	m, err := NonPrivate{Lambda: 1e-3}.Train(d.WithIntercept())
	if err != nil {
		t.Fatal(err)
	}
	if e := ErrorRate(m, d); e > 0.01 {
		t.Errorf("error %g with an intercept", e)
	}
	if m.Predict([]float64{-0.5}) != 1 || ErrorRate(m, d.WithIntercept()) != ErrorRate(m, d) {
		t.Error("the model must take raw rows, and data that were mapped already")
	}
}
