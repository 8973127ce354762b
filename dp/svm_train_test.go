package dp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"example.org/godp/dp/internal/dualcd"
)

func oracleData(t *testing.T, o *oracleRP) *Data {
	t.Helper()
	d, err := NewData(o.matrix("X"), o.list("y"), 10)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOracleSVM(t *testing.T) {
	o := rpOracle(t, "R29")
	m, err := SVM{C: o.in("C"), Tol: 1e-17}.Train(oracleData(t, o))
	if err != nil {
		t.Fatal(err)
	}
	o.want("w", m.Weights...)
	o.want("primal", m.Primal)
	o.skip("alpha") // not unique; w and primal are (see the vector's note)

	for _, id := range []string{"R30", "R35"} {
		o = rpOracle(t, id)
		m, err = SVM{C: o.in("C"), Kernel: RBF(1), Tol: 1e-17}.Train(oracleData(t, o))
		if err != nil {
			t.Fatal(err)
		}
		o.want("alpha", m.Alpha...)
		o.want("f_at_origin", m.Score([]float64{0, 0}))
		o.want("dual", m.Dual)
	}

	o = rpOracle(t, "R31")
	for _, k := range []Kernel{{}, {Name: "inner product", Eval: func(x, y []float64) float64 { return x[0]*y[0] + x[1]*y[1] }}} {
		m, err = SVM{C: o.in("C"), Loss: Logistic(), Kernel: k, Tol: 1e-24, Rand: Seed(1)}.Train(oracleData(t, o))
		if err != nil {
			t.Fatal(err)
		}
		o.want("alpha", m.Alpha...)
		o.want("objective", m.Primal)
		if k.Linear() {
			o.want("w", m.Weights...)
		}
	}
}

// blobs are two overlapping Gaussian clouds.
func blobs(n, dim int, gap float64, src *Source) *Data {
	rows, labels := make([][]float64, n), make([]float64, n)
	for i := range rows {
		labels[i] = float64(1 - 2*(i%2))
		rows[i] = make([]float64, dim)
		for j := range rows[i] {
			rows[i][j] = 0.3 * src.Norm()
		}
		rows[i][0] += gap * labels[i]
	}
	d, err := NewData(rows, labels, 1)
	if err != nil {
		panic(err)
	}
	return d
}

func svmLosses() []Loss { return []Loss{Hinge(), Huber(0.5), Logistic(), SquareLoss()} }

// The certificate must be true: the primal value recomputed from the definition, and a better point must not exist below
// the dual bound. Linear and kernel solvers must agree, shrinking or not, dense or sparse, whatever the cache.
func TestSVMSolversAgree(t *testing.T) {
	d := blobs(300, 4, 0.3, Seed(3))
	inner := Kernel{Name: "inner", Eval: dotDense}
	for _, l := range svmLosses() {
		for _, c := range []float64{0.3, 10, 300} {
			a, err := SVM{C: c, Loss: l, Tol: 1e-11}.Train(d)
			if err != nil {
				t.Fatalf("%s C=%g: %v", l.Name, c, err)
			}
			p := 0.5 * dotDense(a.Weights, a.Weights)
			for i := 0; i < d.Len(); i++ {
				p += c / float64(d.Len()) * l.Value(d.Label(i)*d.Dot(i, a.Weights))
			}
			if math.Abs(p-a.Primal) > 1e-12*p {
				t.Errorf("%s C=%g: primal %g, recomputed %g", l.Name, c, a.Primal, p)
			}
			if diff := a.Primal - a.Dual; math.Abs(diff-a.Gap) > 1e-12*p {
				t.Errorf("%s C=%g: gap %g but P−D = %g", l.Name, c, a.Gap, diff)
			}
			for name, s := range map[string]SVM{
				"kernel":    {C: c, Loss: l, Tol: 1e-11, Kernel: inner},
				"two rows":  {C: c, Loss: l, Tol: 1e-11, Kernel: inner, CacheBytes: 1},
				"no shrink": {C: c, Loss: l, Tol: 1e-11, NoShrink: true},
			} {
				b, err := s.Train(d)
				if err != nil {
					t.Fatalf("%s %s C=%g: %v", name, l.Name, c, err)
				}
				if math.Abs(b.Primal-a.Primal) > a.Gap+b.Gap+1e-12*p {
					t.Errorf("%s %s C=%g: primal %.15g against %.15g", name, l.Name, c, b.Primal, a.Primal)
				}
				x := []float64{0.2, -0.1, 0.05, 0.3}
				if got, want := b.Score(x), a.Score(x); math.Abs(got-want) > math.Sqrt(2*a.Gap)+math.Sqrt(2*b.Gap)+1e-12 {
					t.Errorf("%s %s C=%g: score %g against %g", name, l.Name, c, got, want)
				}
			}
		}
	}
}

// ‖α‖₁ ≤ CL for Lipschitz losses, and the gap is never negative.
func TestSVMDualNorm(t *testing.T) {
	d := blobs(200, 3, 0.1, Seed(5))
	for _, k := range []Kernel{RBF(0.5), Laplacian(1), Cauchy(0.7), Polynomial(3, 1, 1)} {
		for _, l := range []Loss{Hinge(), Huber(0.1), Logistic()} {
			m, err := SVM{C: 50, Loss: l, Kernel: k}.Train(d)
			if err != nil {
				t.Fatalf("%s %s: %v", k, l.Name, err)
			}
			s := 0.0
			for _, a := range m.Alpha {
				if a < 0 || a > 50.0/200*(1+1e-12) {
					t.Fatalf("%s %s: α = %g outside the box", k, l.Name, a)
				}
				s += a
			}
			if s > 50*(1+1e-12) || m.Gap < 0 || m.Gap > 50e-6 {
				t.Errorf("%s %s: ‖α‖₁ = %g, gap %g", k, l.Name, s, m.Gap)
			}
		}
	}
}

func TestSVMBadInput(t *testing.T) {
	d := blobs(60, 2, 0.3, Seed(1))
	three, err := NewClasses([][]float64{{1}, {0}, {-1}}, []int{0, 1, 2}, []string{"a", "b", "c"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	sigmoidKernel := Kernel{Name: "sigmoid", Eval: func(x, y []float64) float64 { return math.Tanh(5*dotDense(x, y) - 1) }}
	distance := Kernel{Name: "distance", Eval: func(x, y []float64) float64 { return math.Hypot(x[0]-y[0], x[1]-y[1]) }}
	lopsided := Kernel{Name: "lopsided", Eval: func(x, y []float64) float64 { return 1 + x[0]*y[1] }}
	broken := Kernel{Name: "broken", Eval: func(x, y []float64) float64 { panic("oh") }}
	for name, c := range map[string]struct {
		s    SVM
		d    *Data
		want string
	}{
		"negative cost":   {SVM{C: -1}, d, "C = -1"},
		"NaN tolerance":   {SVM{Tol: math.NaN()}, d, "Tol"},
		"classes":         {SVM{}, three, "OneVsRest"},
		"nil":             {SVM{}, nil, "data are required"},
		"negative cache":  {SVM{CacheBytes: -5}, d, "CacheBytes = -5"},
		"sigmoid kernel":  {SVM{Kernel: sigmoidKernel}, d, "not positive definite"},
		"distance kernel": {SVM{Kernel: distance}, d, "not positive definite"},
		"lopsided kernel": {SVM{Kernel: lopsided}, d, "not symmetric"},
		"panicking":       {SVM{Kernel: broken}, d, "oh"},
		"smooth hinge":    {SVM{Loss: SmoothHinge(0.5)}, d, "the dual solver knows"},
		"rbf width":       {SVM{Kernel: RBF(-1)}, d, "width"},
	} {
		_, err := c.s.Train(c.d)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
	if _, err := (SVM{Kernel: distance}).Train(d); !errors.Is(err, dualcd.ErrIndefinite) {
		t.Errorf("distance kernel: %v", err)
	}
	// One class only is a solvable problem: everything is that class.
	one := d.withLabels(make([]float64, d.Len()))
	for i := range one.y {
		one.y[i] = 1
	}
	m, err := SVM{Kernel: RBF(1)}.Train(one)
	if err != nil {
		t.Fatal(err)
	}
	if ErrorRate(m, one) != 0 {
		t.Error("one class only: errors on the training rows")
	}
}

// Rows of zeros have no influence on w; their dual variable is the bound.
func TestSVMZeroRows(t *testing.T) {
	d, err := NewData([][]float64{{0, 0}, {1, 0}, {0, 0}, {0, -1}}, []float64{1, 1, -1, -1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range svmLosses() {
		for _, k := range []Kernel{{}, Polynomial(2, 1, 0)} {
			if m, err := (SVM{Loss: l, C: 4, Kernel: k, Tol: 1e-12}).Train(d); err != nil {
				t.Errorf("%s %s: %v", l.Name, k, err)
			} else if l.Name == "hinge" && m.Alpha[0] != 1 {
				t.Errorf("hinge: α of a zero row is %g, want C/n = 1", m.Alpha[0])
			}
		}
	}
}

// A done context stops every solver with an Interrupted error, and nothing is released.
func TestSVMInterrupted(t *testing.T) {
	d := blobs(400, 3, 0.1, Seed(2))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, s := range map[string]SVM{"linear": {}, "logistic": {Loss: Logistic()}, "rbf": {Kernel: RBF(1)}, "rbf logistic": {Kernel: RBF(1), Loss: Logistic()}} {
		_, err := s.TrainContext(ctx, d)
		var stopped *Interrupted
		if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := (LargeMargin{}).TrainContext(ctx, Shells(500, 2, 3, 0, Seed(1))); !errors.Is(err, context.Canceled) {
		t.Errorf("large margin: error %v", err)
	}
}

// A kernel of one's own gives what the built-in one gives, although entries are taken from kept rows by symmetry; also with
// a cache of two rows.
func TestUserKernel(t *testing.T) {
	d := blobs(300, 3, 0.2, Seed(2))
	k := RBF(0.8)
	mine := Kernel{Name: "mine", Eval: func(x, y []float64) float64 { return k.Eval(x, y) }}
	a := must(SVM{C: 30, Kernel: k, Tol: 1e-10}.Train(d))
	for _, cache := range []int64{0, 1} {
		b := must(SVM{C: 30, Kernel: mine, Tol: 1e-10, CacheBytes: cache}.Train(d))
		if math.Abs(a.Primal-b.Primal) > 1e-8*a.Primal {
			t.Errorf("cache %d: primal %.12g, built-in %.12g", cache, b.Primal, a.Primal)
		}
	}
}
