package dp

import (
	"math"
	"strings"
	"testing"
)

func wantValue(t *testing.T, name string, b Bound, want, rel float64) {
	t.Helper()
	if !(math.Abs(b.Value-want) <= rel*math.Abs(want)) {
		t.Errorf("%s: %g, want %g", name, b.Value, want)
	}
	if !b.Holds() {
		t.Errorf("%s: conditions fail: %s", name, b)
	}
	if b.Source == "" || b.Quantity == "" || strings.Contains(b.Markdown(), "%!") {
		t.Errorf("%s: badly rendered:\n%s", name, b.Markdown())
	}
}

// Numbers of the specification's text, through the exported calculators.
func TestSVMFactsNumbers(t *testing.T) {
	f := SVMFacts{N: 100, C: 2, Kappa: 1.5, Features: 7}
	wantValue(t, "Lemma 6", f.SensitivityL2(Corrected), 0.06, 1e-12)
	wantValue(t, "Lemma 6 published", f.SensitivityL2(AsPublished), 0.12, 1e-12)
	wantValue(t, "ℓ1", f.SensitivityL1(Corrected), 0.06*math.Sqrt(7), 1e-12)
	f.SolverGap = 1e-8
	wantValue(t, "inexact", f.SensitivityInexact(), 0.0602828427124746, 1e-12)
	wantValue(t, "logistic", SVMFacts{N: 10, C: 5}.SensitivityLogistic(), 0.5*1.12861223961511, 1e-9)

	u := SVMFacts{Accuracy: 0.2, Failure: 0.05, Features: 10, Phi: 1, Scale: 0.01}
	wantValue(t, "Theorem 8", u.Theorem8(AsPublished), 0.0100733297313787, 1e-9)
	wantValue(t, "failure", u.FailureAt(Tight), 0.00499541230830758, 1e-9)
	wantValue(t, "failure published", u.FailureAt(AsPublished), 0.0464895280767845, 1e-9)

	// Lemma 10 at ε = δ = 0.1, d̂ = 1000: λ_net = 0.006230 (d = 1, ℓ = 4) against 0.000285; and the misread Chernoff exponents
	// +18.8 at d̂ = 100 and +1.2e4 at d̂ = 10⁴ where ln(δ/2) = −3.0 is needed.
	l := SVMFacts{Accuracy: 0.1, Failure: 0.1, Pairs: 1000, Dim: 1, Diameter: 4, Kernel: RBF(1)}
	wantValue(t, "Lemma 10", l.Lemma10(Lemma10AsRead), 0.000285, 2e-3)
	wantValue(t, "Lemma 10 net", l.Lemma10(Lemma10Net), 0.00622996794961337, 1e-8)
	n := l
	n.Accuracy, n.Failure = 0.05, 0.05
	wantValue(t, "net with its own budgets", n.NetScale(), 0.00622996794961337, 1e-8)
	for pairs, want := range map[int]string{100: "is 18.8", 10000: "is 1.17"} {
		l.Pairs = pairs
		b := l.Lemma10(Lemma10Misread)
		if !b.NotAProof || !strings.Contains(b.Remark, want) {
			t.Errorf("misread Lemma 10 at d̂ = %d: %s", pairs, b.Remark)
		}
	}
	// Each valid reading must satisfy the Chernoff inequality it comes from; one line and Erlang are successively larger.
	l.Pairs = 500
	a, b, c := l.Lemma10(Lemma10AsRead).Value, l.Lemma10(Lemma10OneLine).Value, l.Lemma10(Lemma10Erlang).Value
	if !(a <= b && b <= c) {
		t.Errorf("Lemma 10: %g, %g, %g should increase", a, b, c)
	}

	// Lemma 13: RBF, ℓ = 10, ε = δ = 0.1 in one dimension: 20470 with the published constant.
	k := SVMFacts{Accuracy: 0.1, Failure: 0.1, Dim: 1, Diameter: 10, Kernel: RBF(1)}
	wantValue(t, "Lemma 13", k.Lemma13(Lemma13AsPublished), 20470, 1e-4)
	if d := k.Lemma13(Lemma13Rigorous).Value - k.Lemma13(Lemma13AsPublished).Value; math.Abs(d-4*3/0.01*2*math.Ln2) > 1e-6 {
		t.Errorf("Lemma 13: 2^10 and 2^8 differ by %g", d)
	}
	if u := k.Lemma13(Lemma13Unrelaxed).Value; u > k.Lemma13(Lemma13Rigorous).Value {
		t.Errorf("unrelaxed %g is above the relaxed form", u)
	}
	k.Points = 50
	wantValue(t, "finite set", k.Lemma13(Lemma13Finite), 200*math.Log(50*49/0.1), 1e-12)
	if b := (SVMFacts{Accuracy: 0.1, Failure: 0.1, Dim: 1, Diameter: 10, Kernel: Laplacian(1)}).Lemma13(Lemma13Rigorous); b.Holds() {
		t.Errorf("Lemma 13 for the Laplacian kernel: %s", b)
	}

	// Table of §1.8: n = 10⁶, RBF σ = 1, d = 2, ℓ = 2, C = 1, δ = 0.1.
	for acc, want := range map[float64][3]float64{1: {0.777, 77.9, 0.0119}, 0.5: {7.91, 2860, 0.0901}, 0.25: {77.9, 1.03e5, 0.726}, 0.125: {746, 3.67e6, 6.06}} {
		f := SVMFacts{N: 1000000, C: 1, Accuracy: acc, Failure: 0.1, Dim: 2, Diameter: 2, Kernel: RBF(1)}
		for i, how := range []Reading16{Theorem16Misread, Theorem16AsRead, Theorem16Corrected} {
			wantValue(t, "Theorem 16", f.Theorem16(how).Bound, want[i], 5e-3)
		}
		p, q := f.Theorem14(AsPublished), f.Corollary15(AsPublished)
		if q.Value < p.Value*0.99 { // Corollary 15 relaxes θ
			t.Errorf("Corollary 15 asks for %g, Theorem 14 for %g", q.Value, p.Value)
		}
		if c := f.Corollary15(Corrected).Value; c != math.Ceil(f.Theorem14(Corrected).Value) {
			t.Errorf("corrected Corollary 15: %g", c)
		}
	}
	wantValue(t, "θ exact", SVMFacts{C: 1, Accuracy: 0.5}.Theta15(Corrected), math.Pow(0.5, 4)/2265.371, 1e-6)
	th := SVMFacts{C: 1.3, Accuracy: 0.5}.Theta14(Tight)
	wantValue(t, "θ tight", th, 0.000243699620538526, 1e-9)
}

func TestPathakRajFactsNumbers(t *testing.T) {
	f := PathakRajFacts{N: 1000, Dim: 4, Classes: 3, Lambda: 0.05, Eps: 1, Failure: 0.05}
	wantValue(t, "J", f.Jacobian(Corrected), 0.292072420753074, 1e-9)
	wantValue(t, "Λ", f.SmallestLambda(), 0.0273675361999349, 1e-8)
	wantValue(t, "output", f.OutputSensitivity(), 0.169705627484771, 1e-9)
	wantValue(t, "Q", f.Noise(), 473.94152330888, 1e-8)
	wantValue(t, "Theorem 2", f.Theorem2(Corrected), 2.24620567516341, 1e-8)
	wantValue(t, "Theorem 2 published", f.Theorem2(AsPublished), 5760647.22809739, 1e-9)
	wantValue(t, "Theorem 3 published", f.Theorem3(Theorem3AsPublished), 5813242.7463478, 1e-9)
	wantValue(t, "Theorem 3 algebra", f.Theorem3(Theorem3Algebra), 23176552.2536782, 1e-9)
	g := f
	g.NoiseQuantile, g.SolutionNorm = 473.94152330888, 2
	wantValue(t, "Theorem 3", g.Theorem3(Theorem3Corrected), 363.796592878137, 1e-8)
	wantValue(t, "mixtures", f.MixtureSensitivity(), 8.94427190999916, 1e-9)
	wantValue(t, "one gradient", f.GradientNorm(), 4.89897948556636, 1e-9)
	wantValue(t, "Lemma 4", PathakRajFacts{Dim: 3, Eps: 1, Failure: 0.1}.Lemma4(Corrected), 162.405562087482, 1e-9)
	for name, b := range map[string]Bound{"one class": PathakRajFacts{Classes: 1}.Sensitivity(Tight), "no n": PathakRajFacts{Classes: 3, Lambda: 1}.Jacobian(Corrected),
		"tiny Λ": PathakRajFacts{N: 10, Dim: 2, Classes: 3, Lambda: 1e-6, Eps: 1, Failure: 0.1}.Noise(), "δ": PathakRajFacts{Dim: 1, Eps: 1, Failure: 2}.Lemma4(Tight)} {
		if b.Holds() {
			t.Errorf("%s: %s", name, b)
		}
	}
}
