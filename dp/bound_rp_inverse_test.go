package dp

import (
	"math"
	"testing"
)

// The answers are where the direct questions change: one row less, or a little less ε, is too little.
func TestSVMInverseQuestions(t *testing.T) {
	f := SVMFacts{C: 2, Features: 10, Eps: 0.5, Accuracy: 0.1, Failure: 0.05}
	n, b, err := f.RowsNeeded()
	if err != nil {
		t.Fatal(err)
	}
	useful := func(n int, eps float64) bool { // by the two theorems themselves
		g := f
		g.N, g.Eps = n, eps
		return g.Theorem7(Corrected).Value <= g.Theorem8(Tight).Value*(1+1e-9)
	}
	if !useful(n, 0.5) || useful(n-1, 0.5) || b.Value > 0.1 {
		t.Errorf("rows needed: %d, bound %v", n, b)
	}
	f.N = 5000
	eps, b, err := f.EpsNeeded()
	if err != nil || !useful(5000, eps) || useful(5000, eps*0.999) || math.Abs(b.Value-0.1) > 1e-12 {
		t.Errorf("ε needed: %v, bound %v, %v", eps, b, err)
	}
	k := SVMFacts{C: 1, Eps: 0.1, Accuracy: 0.5, Failure: 0.1, Dim: 2, Diameter: 2, Kernel: RBF(1)}
	rows, c, err := k.KernelRowsNeeded()
	if err != nil {
		t.Fatal(err)
	}
	k.N = rows - 1
	if before := k.Theorem16(Theorem16Corrected); c.Value > 0.1 || before.Value <= 0.1 || before.Pairs != c.Pairs {
		t.Errorf("rows needed: %d (ε = %v), one less gives %v", rows, c.Value, before.Value)
	}
	// The oracle R16: ε = 0.0901 at n = 10⁶ and accuracy 0.5.
	if want := 0.0901 * 1e6 / 0.1; math.Abs(float64(rows)-want) > 0.01*want {
		t.Errorf("%d rows, about %.4g expected", rows, want)
	}
	for name, err := range map[string]error{
		"accuracy": func() error { _, _, err := SVMFacts{C: 1, Features: 2, Eps: 1, Failure: 0.1}.RowsNeeded(); return err }(),
		"features": func() error { _, _, err := SVMFacts{C: 1, Eps: 1, Accuracy: 1, Failure: 0.1}.RowsNeeded(); return err }(),
		"failure":  func() error { _, _, err := SVMFacts{N: 9, C: 1, Features: 2, Accuracy: 1}.EpsNeeded(); return err }(),
		"eps":      func() error { _, _, err := SVMFacts{}.KernelRowsNeeded(); return err }(),
		"kernel":   func() error { _, _, err := SVMFacts{Eps: 1}.KernelRowsNeeded(); return err }(),
		"huge": func() error {
			_, _, err := SVMFacts{C: 1e30, Features: 2, Eps: 1, Accuracy: 1, Failure: 0.1}.RowsNeeded()
			return err
		}(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestGaussianInverseQuestions(t *testing.T) {
	f := PathakRajFacts{N: 100000, Dim: 2, Classes: 3, Eps: 1, Failure: 0.1, SolutionNorm: 5}
	lambda, best, err := f.BestLambda()
	if err != nil {
		t.Fatal(err)
	}
	for _, t2 := range []float64{0.5, 0.9, 1.1, 2} {
		g := f
		g.Lambda = lambda * t2
		if v := g.RiskBound(); v.Holds() && v.Value < best.Value {
			t.Errorf("Λ = %g gives %v, below the best %v at %g", g.Lambda, v.Value, best.Value, lambda)
		}
	}
	n, b, err := f.RowsNeeded(0.05)
	if err != nil || b.Value > 0.05 {
		t.Fatal(n, b, err)
	}
	f.N = n - 1
	if _, before, _ := f.BestLambda(); before.Value <= 0.05 {
		t.Errorf("%d rows are enough already: %v", n-1, before)
	}
	f.N = n
	eps, b, err := f.EpsNeeded(0.05)
	if err != nil || b.Value > 0.05*(1+1e-9) || math.Abs(eps-1) > 1e-3 {
		t.Errorf("ε needed on %d rows: %v, %v, %v", n, eps, b, err)
	}
	for name, err := range map[string]error{
		"excess": func() error { _, _, err := f.RowsNeeded(0); return err }(),
		"no norm": func() error {
			_, _, err := PathakRajFacts{N: 5, Dim: 1, Classes: 2, Eps: 1, Failure: 0.1}.BestLambda()
			return err
		}(),
		"few rows":    func() error { g := f; g.N = 3; _, _, err := g.EpsNeeded(1e-9); return err }(),
		"excess NaN":  func() error { _, _, err := f.EpsNeeded(math.NaN()); return err }(),
		"one class":   func() error { g := f; g.Classes = 1; _, _, err := g.RowsNeeded(1); return err }(),
		"no privacy":  func() error { g := f; g.Eps = 0; _, _, err := g.RowsNeeded(1); return err }(),
		"no failures": func() error { g := f; g.Failure = 0; _, _, err := g.RowsNeeded(1); return err }(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
