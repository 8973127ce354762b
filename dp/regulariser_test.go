package dp

import (
	"math"
	"testing"
)

// objective is the mean-form objective with r, for checking optimality from outside the solver.
func objective(d *Data, l Loss, lambda float64, r Regulariser, f []float64) float64 {
	s := 0.0
	for i := range d.Len() {
		s += l.Value(d.Label(i) * d.Dot(i, f))
	}
	s /= float64(d.Len())
	for _, v := range f {
		s += lambda / 2 * v * v
	}
	return s + r.Value(f)
}

// No step in any of many directions and sizes improves the returned point, the constraint holds, and sparse equals dense.
func TestRegularisersAreMinimised(t *testing.T) {
	d := toy(t, 300, 6, 12)
	src := Seed(2)
	for _, r := range []Regulariser{L1(0.02), L1(0.2), GroupNorm(0.05, [][]int{{0, 1}, {2, 3, 4}}), Box(-0.3, 0.2), Box(0, math.Inf(1)), Ball(0.5), Ball(100)} {
		for _, l := range []Loss{Huber(0.3), Logistic()} {
			const lambda = 0.02
			m, err := NonPrivate{Lambda: lambda, Loss: l, Reg: r}.Train(d)
			if err != nil {
				t.Errorf("%s, %s: %v", r, l.Name, err)
				continue
			}
			best := objective(d, l, lambda, r, m.Weights)
			if math.IsInf(best, 1) {
				t.Errorf("%s: constraint violated by %v", r, m.Weights)
			}
			for k := range 3000 {
				f := append([]float64{}, m.Weights...)
				for j := range f {
					if k%3 == 0 || src.Intn(3) == 0 {
						f[j] += src.Norm() * math.Pow(10, -float64(k%8))
					}
				}
				if v := objective(d, l, lambda, r, f); v < best-1e-12 {
					t.Fatalf("%s, %s: objective %.15g improved to %.15g", r, l.Name, best, v)
				}
			}
			sp, err := NonPrivate{Lambda: lambda, Loss: l, Reg: r}.Train(sparseCopy(t, d))
			if err != nil {
				t.Fatal(err)
			}
			for j := range m.Weights {
				if math.Abs(sp.Weights[j]-m.Weights[j]) > 1e-8 {
					t.Errorf("%s: dense %g, sparse %g", r, m.Weights[j], sp.Weights[j])
				}
			}
		}
	}
}

// Exact zeros and constraints, in the exact minimiser and in private releases.
func TestL1MakesZeros(t *testing.T) {
	d := toy(t, 300, 6, 12)
	m, err := NonPrivate{Lambda: 0.01, Reg: L1(0.05)}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	zeros := 0
	for _, w := range m.Weights {
		if w == 0 {
			zeros++
		}
	}
	if zeros == 0 || zeros == 6 {
		t.Errorf("weights %v: expected some exact zeros and some not", m.Weights)
	}
	for _, tr := range []Trainer{
		ObjectivePerturbation{Eps: 5, Lambda: 0.05, Reg: L1(0.08), Rand: Seed(1)},
		ObjectivePerturbation{Eps: 5, Lambda: 0.05, Reg: GroupNorm(0.08, [][]int{{0, 5}, {1, 2}, {3, 4}}), Rand: Seed(2)},
		GaussianObjectivePerturbation{Eps: 5, Delta: 1e-5, Lambda: 0.05, Reg: L1(0.08), Rand: Seed(3)},
	} {
		m, err := tr.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		zeros := 0
		for _, w := range m.Weights {
			if w == 0 {
				zeros++
			} else if math.Abs(w) < 1e-6 {
				t.Errorf("weight %g should be zero or clearly not", w)
			}
		}
		if zeros == 0 || zeros == 6 {
			t.Errorf("%T: private weights %v: expected some exact zeros and some not", tr, m.Weights)
		}
	}
	for _, tr := range []Trainer{ObjectivePerturbation{Eps: 1, Reg: Box(-0.1, 0.1)}, OutputPerturbation{Eps: 1, Lambda: 0.1, Reg: Box(-0.1, 0.1)}} {
		m, err := tr.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range m.Weights {
			if w < -0.1 || w > 0.1 {
				t.Errorf("%T: weight %g outside the box", tr, w)
			}
		}
	}
}

// In more than 500 dimensions FISTA works on the objective itself and must agree with proximal Newton in fewer.
func TestFISTAAgreesWithProximalNewton(t *testing.T) {
	src := Seed(6)
	const n, small, big = 80, 20, 600
	rows, wide, y := make([][]float64, n), make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i], wide[i] = make([]float64, small), make([]float64, big)
		for j := range rows[i] {
			rows[i][j] = src.Norm() / 5
		}
		copy(wide[i], rows[i])
		y[i] = sign(rows[i][0] + 0.2*src.Norm())
	}
	a, _ := NewData(rows, y, 1)
	b, _ := NewData(wide, y, 1)
	for _, r := range []Regulariser{L1(0.01), Ball(0.7), {}} {
		ma, err := NonPrivate{Lambda: 0.05, Loss: Logistic(), Reg: r}.Train(a)
		if err != nil {
			t.Fatal(err)
		}
		mb, err := NonPrivate{Lambda: 0.05, Loss: Logistic(), Reg: r}.Train(b)
		if err != nil {
			t.Fatal(err)
		}
		for j := range big {
			want := 0.0
			if j < small {
				want = ma.Weights[j]
			}
			if math.Abs(mb.Weights[j]-want) > 1e-9 {
				t.Errorf("%s: weight %d is %g, want %g", r, j, mb.Weights[j], want)
			}
		}
	}
}
