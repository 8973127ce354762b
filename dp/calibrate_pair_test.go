package dp

import (
	"fmt"
	"math"
	"testing"
)

// kinked is a user's loss: slope −1 left of 0, −(1−z)² on [0, 1] and 0 beyond, so ℓ″ = 2(1−z) is largest where |ℓ'| is.
// Slope and curvature are extreme together at z = 0: nothing is gained.
func kinked() Loss {
	return Loss{Name: "kinked", L: 1, C: 2,
		Value: func(z float64) float64 {
			switch {
			case z < 0:
				return 1.0/3 - z
			case z < 1:
				return (1 - z) * (1 - z) * (1 - z) / 3
			}
			return 0
		},
		Grad: func(z float64) float64 {
			switch {
			case z < 0:
				return -1
			case z < 1:
				return -(1 - z) * (1 - z)
			}
			return 0
		},
		Hess: func(z float64) float64 {
			if z < 0 || z > 1 {
				return 0
			}
			return 2 * (1 - z)
		},
		HessBound: func(lo, hi float64) float64 {
			if hi < 0 || lo > 1 {
				return 0
			}
			return 2 * (1 - math.Max(lo, 0))
		}}
}

// rounded is another: ℓ' = −(1 − z/√(1+z²))/2, curvature 1/(2(1+z²)^{3/2}), largest at 0 where the slope is 1/2.
func rounded() Loss {
	hess := func(z float64) float64 { return 0.5 / math.Pow(1+z*z, 1.5) }
	return Loss{Name: "rounded", L: 1, C: 0.5,
		Value: func(z float64) float64 {
			if z > 0 {
				return 0.5 / (math.Sqrt(1+z*z) + z)
			}
			return (math.Sqrt(1+z*z) - z) / 2
		},
		Grad: func(z float64) float64 {
			s := math.Sqrt(1 + z*z)
			if z > 0 {
				return -0.5 / (s * (s + z))
			}
			return -(1 - z/s) / 2
		},
		Hess: hess,
		HessBound: func(lo, hi float64) float64 {
			if lo <= 0 && hi >= 0 {
				return 0.5
			}
			return hess(math.Min(math.Abs(lo), math.Abs(hi))) * (1 + 1e-12)
		}}
}

// The certified level against a fine grid (never below it, never 10⁻⁶ above) and against the general level.
func TestLossEpsIsCertified(t *testing.T) {
	for _, l := range []Loss{SmoothHinge(0.5), SmoothHinge(0.05), rounded(), kinked()} {
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		for _, kappa := range []float64{0.01, 0.2, 1, 5} {
			for _, a := range []float64{0.05, 1, 20, 500} {
				grid := 0.0
				for z := -20.0; z <= 20; z += 1.0 / 4096 {
					grid = math.Max(grid, -kappa*l.Grad(z)+math.Log1p(l.Hess(z)/a))
				}
				add, at := LossEps(l, kappa, a, AddRemove)
				rep, _ := LossEps(l, kappa, a, ReplaceOne)
				general := kappa + math.Log1p(l.C/a)
				if add < grid || add > math.Max(grid*(1+1e-6), kappa)+general*1e-6+1e-6*kappa*l.C || add > general {
					t.Errorf("%s κ = %g a = %g: %.9g, the grid says %.9g, in general %.9g", l.Name, kappa, a, add, grid, general)
				}
				if math.Abs(rep-add-kappa) > 1e-12*rep {
					t.Errorf("%s: replace-one %g, add/remove %g, κ = %g", l.Name, rep, add, kappa)
				}
				if v := -kappa*l.Grad(math.Max(at, -1e9)) + math.Log1p(l.Hess(at)/a); v < add*(1-1e-5) {
					t.Errorf("%s κ = %g a = %g: %g at the margin %g, but the maximum is %g", l.Name, kappa, a, v, at, add)
				}
				for _, nb := range []Neighbours{ReplaceOne, AddRemove} {
					e, _ := LossEps(l, kappa, a, nb)
					k, ok := LossKappa(l, e, a, nb)
					back, _ := LossEps(l, k, a, nb)
					if !ok || back > e || back < e*(1-3e-6) {
						t.Errorf("%s κ = %g a = %g %s: LossKappa gives %g at ε = %g (%g)", l.Name, kappa, a, nb, k, e, back)
					}
				}
			}
		}
	}
	// The logistic loss keeps its closed form; a loss without HessBound the general one; Huber gains nothing.
	e, _ := LossEps(Logistic(), 0.3, 2, ReplaceOne)
	if want, _ := LogisticEps(0.3, 2); e != want {
		t.Errorf("logistic: %g, want %g", e, want)
	}
	if e, _ := LossEps(Logistic(), 0.3, 2, AddRemove); math.Abs(e-maxLogistic(0.3, 2)) > 1e-9 {
		t.Errorf("logistic, add/remove: %g, want %g", e, maxLogistic(0.3, 2))
	}
	if e, _ := LossEps(Huber(0.5), 0.3, 2, ReplaceOne); math.Abs(e-0.6-math.Log(1.5)) > 1e-15 {
		t.Errorf("Huber: %g", e)
	}
	if k, ok := LossKappa(SmoothHinge(0.5), 0.1, 1, AddRemove); ok {
		t.Errorf("κ = %g where the Jacobian alone takes more", k)
	}
	if e, _ := LossEps(SmoothHinge(0.5), -1, 1, ReplaceOne); !math.IsNaN(e) {
		t.Errorf("κ < 0 gives %g", e)
	}
}

func maxLogistic(kappa, a float64) float64 {
	m := 0.0
	for s := 0.0; s <= 1; s += 1e-5 {
		m = math.Max(m, kappa*s+math.Log1p(s*(1-s)/a))
	}
	return m
}

// On the extremal pairs the exact loss of a sharply calibrated trainer reaches what the calibration answers for, to one part in
// 10⁴, and never exceeds it, under both relations. The pairs: the replaced (removed) row (1, +1), all others (−1, +1).
func TestSharpCalibrationIsReached(t *testing.T) {
	for _, l := range []Loss{Huber(0.5), SmoothHinge(0.5), SmoothHinge(0.1), kinked()} {
		for _, nb := range []Neighbours{ReplaceOne, AddRemove} {
			for _, eps := range []float64{0.3, 1, 4} {
				for _, a := range []float64{0, 4} {
					const n = 12
					m := ObjectivePerturbation{Eps: eps, Loss: l, Neighbours: nb, SumReg: a}
					d0, d1 := extremePair(t, n, nb)
					p, err := m.Params(n, 1)
					if err != nil {
						t.Fatal(err)
					}
					loss, err := ExactLoss(m, d0, d1)
					if err != nil {
						t.Fatal(err)
					}
					sup, at := loss.Sup()
					eps1 := eps * (1 - solverShare)
					name := fmt.Sprintf("%s %s ε = %g a = %g", l.Name, nb, eps, a)
					if p.Eps > eps1*(1+1e-12) || sup > p.Eps*(1+1e-9) {
						t.Errorf("%s: loss %.9g at %g, calibrated %.9g, budget %.9g", name, sup, at, p.Eps, eps1)
					}
					if sup < eps1*(1-1e-4) {
						t.Errorf("%s: the loss only reaches %.6g of %.6g", name, sup, eps1)
					}
				}
			}
		}
	}
	// The logistic loss and the rounded one have no margin with slope 1 and no curvature: never above.
	for _, l := range []Loss{Logistic(), rounded()} {
		for _, nb := range []Neighbours{ReplaceOne, AddRemove} {
			m := ObjectivePerturbation{Eps: 0.7, Loss: l, Neighbours: nb}
			d0, d1 := extremePair(t, 12, nb)
			loss, err := ExactLoss(m, d0, d1)
			if err != nil {
				t.Fatal(err)
			}
			if sup, _ := loss.Sup(); sup > 0.7 || sup < 0.2 {
				t.Errorf("%s %s: loss %g", l.Name, nb, sup)
			}
		}
	}
}

// extremePair is (+1, +1) beside n−1 rows (−1, +1), and the same with the first row replaced by (−1, +1) or removed.
func extremePair(t *testing.T, n int, nb Neighbours) (d0, d1 *Data) {
	t.Helper()
	rows, y := make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i], y[i] = []float64{-1}, 1
	}
	other := rows
	if nb == AddRemove {
		other = rows[1:]
	}
	d1, err := NewData(other, y[:len(other)], 1)
	if err != nil {
		t.Fatal(err)
	}
	rows[0] = []float64{1}
	d0, err = NewData(rows, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	return d0, d1
}

// What the sharper calibration is worth: more noise exponent for the same ε, regularisation and loss.
func TestSharpCalibrationGains(t *testing.T) {
	for _, l := range []Loss{SmoothHinge(0.5), rounded(), Logistic()} {
		plain := l
		plain.HessBound, plain.logistic = nil, false
		for _, nb := range []Neighbours{ReplaceOne, AddRemove} {
			sharp, err := ObjectivePerturbation{Eps: 1, SumReg: 3, Loss: l, Neighbours: nb}.Params(1000, 1)
			if err != nil {
				t.Fatal(err)
			}
			general, err := ObjectivePerturbation{Eps: 1, SumReg: 3, Loss: plain, Neighbours: nb}.Params(1000, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%-18s %-11s κ = %.4f, in general %.4f", l.Name, nb, sharp.Kappa, general.Kappa)
			if !(sharp.Kappa > general.Kappa*1.02) || sharp.A != general.A {
				t.Errorf("%s %s: κ = %g, in general %g", l.Name, nb, sharp.Kappa, general.Kappa)
			}
		}
	}
}

// A HessBound that is too low is found out.
func TestCheckRefusesAFalseHessBound(t *testing.T) {
	for name, f := range map[string]func(lo, hi float64) float64{
		"half":      func(lo, hi float64) float64 { return SmoothHinge(0.5).HessBound(lo, hi) / 2 },
		"left end":  func(lo, hi float64) float64 { return SmoothHinge(0.5).Hess(lo) },
		"NaN":       func(lo, hi float64) float64 { return math.NaN() },
		"short":     func(lo, hi float64) float64 { return SmoothHinge(0.5).HessBound(lo, math.Min(hi, 0.8)) },
		"from zero": func(lo, hi float64) float64 { return SmoothHinge(0.5).HessBound(math.Max(lo, 1.2), hi) },
	} {
		l := SmoothHinge(0.5)
		l.HessBound = f
		if err := l.Check(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func BenchmarkLossKappa(b *testing.B) {
	l := SmoothHinge(0.5)
	for b.Loop() {
		LossKappa(l, 1, 3, ReplaceOne)
	}
}
