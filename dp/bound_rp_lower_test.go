package dp

import (
	"math"
	"testing"
)

// train1 is the exact SVM on a packing's database.
func packSVM(t *testing.T, p Packing, i int) *SVMModel {
	t.Helper()
	m, err := SVM{C: p.C, Kernel: p.Kernel, Tol: 1e-13, Rand: Seed(1)}.Train(p.Data[i])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOracleLemma17(t *testing.T) {
	o := rpOracle(t, "R19")
	f := SVMFacts{N: int(o.in("n")), C: o.in("C")}
	p, err := f.Lemma17Cancelling(o.in("R"))
	if err != nil {
		t.Fatal(err)
	}
	o.want("w1", p.Weights[0])
	o.want("w2", p.Weights[1])
	o.want("sup_sep", p.Separation)
	o.want("max_eps_exclusive", f.C*o.in("R")*o.in("R")/float64(f.N))
	f.Accuracy = o.in("eps")
	p, err = f.Lemma17Cancelling(o.in("R"))
	if err != nil {
		t.Fatal(err)
	}
	o.want("N_packing", float64(len(p.Data)))
	o.want("beta_lower_delta_0_05", p.LowerBound(0.05).Value)
	if p.Separation <= 2*f.Accuracy {
		t.Errorf("separation %g is not above 2ε = %g", p.Separation, 2*f.Accuracy)
	}
}

// The closed-form solutions of every construction are what the solver finds, and the databases differ in GroupSize records.
func TestPackingsAreWhatTheySay(t *testing.T) {
	check := func(name string, p Packing, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, d := range p.Data {
			if i > 5 {
				break
			}
			if p.Weights != nil {
				if w := packSVM(t, p, i).Weights[0]; math.Abs(w-p.Weights[i]) > 1e-6*(1+math.Abs(w)) {
					t.Errorf("%s: w of database %d is %g, the solver finds %g", name, i, p.Weights[i], w)
				}
			}
			diff := 0
			for k := 0; k < d.Len(); k++ {
				a, b := d.Row(k), p.Data[0].Row(k)
				same := d.Label(k) == p.Data[0].Label(k)
				for j := range a {
					same = same && a[j] == b[j]
				}
				if !same {
					diff++
				}
			}
			if diff > p.GroupSize {
				t.Errorf("%s: databases 0 and %d differ in %d records, more than %d", name, i, diff, p.GroupSize)
			}
		}
	}
	thr := SVMFacts{N: 8, C: 2}.Lemma17Threshold(Corrected).Value
	for _, acc := range []float64{0.5 * thr, 0.999 * thr, 3 * thr} { // beyond the threshold the second solution saturates at 1/M
		p, err := SVMFacts{N: 8, C: 2, Accuracy: acc}.Lemma17()
		check("Lemma 17", p, err)
		if inside := acc < thr; inside != (math.Abs(p.Separation-2*acc) < 1e-12) {
			t.Errorf("Lemma 17 at ε = %g (threshold %g): separation %g", acc, thr, p.Separation)
		}
		if acc > thr && math.Abs(p.Weights[1]-2/(2*8*acc)) > 1e-9 {
			t.Errorf("Lemma 17 beyond its threshold: w₂ = %g, want 1/M = %g", p.Weights[1], 2/(2*8*acc))
		}
	}
	if s := (SVMFacts{N: 8, C: 2}).Lemma17Threshold(AsPublished).Value; s >= thr {
		t.Errorf("the paper's threshold %g is not below the exact one %g", s, thr)
	}
	p, err := SVMFacts{N: 11, C: 4, Accuracy: 0.05}.Lemma17Cancelling(1)
	check("cancelling", p, err)
	for r, want := range map[float64]float64{20: 19, 100: 91, 1e4: 9001} { // values of the specification, n = 10, C = 1
		p, err := SVMFacts{N: 10, C: 1}.Lemma17Unbounded(r)
		check("unbounded", p, err)
		if math.Abs(p.Separation-want) > 1e-6*want {
			t.Errorf("unbounded domain, R = %g: separation %g, want %g", r, p.Separation, want)
		}
	}
	for _, f := range []SVMFacts{
		{N: 10, C: 2, PackingSigma: 0.5}, {N: 10, C: 1, PackingSigma: 0.5}, {N: 30, C: 3, PackingSigma: 0.3, GroupSize: 4},
	} {
		for _, sharp := range []bool{false, true} {
			p, err := f.Lemma19(sharp)
			check("Lemma 19", p, err)
			m := packSVM(t, p, 1)
			for i, a := range m.Alpha {
				want := p.AlphaNeg
				if p.Data[1].Label(i) > 0 {
					want = p.AlphaPos
				}
				// α of the negatives is not unique one by one: their sum is.
				if p.Data[1].Label(i) > 0 && math.Abs(a-want) > 1e-7 {
					t.Errorf("Lemma 19: α⁺ = %g, want %g", a, want)
				}
			}
			neg := 0.0
			for i, a := range m.Alpha {
				if p.Data[1].Label(i) < 0 {
					neg += a
				}
			}
			if want := p.AlphaNeg * float64(f.N-p.GroupSize); math.Abs(neg-want) > 1e-6 {
				t.Errorf("Lemma 19 %+v: Σα⁻ = %g, want %g", f, neg, want)
			}
			// Neighbouring centres are the closest pair: the separation there.
			a, b := packSVM(t, p, 0), packSVM(t, p, 1)
			x := p.Data[0].Row(f.N - 1)
			if got := a.Score(x) - b.Score(x); math.Abs(got-p.Separation) > 1e-6 {
				t.Errorf("Lemma 19: f₀−f₁ at x₀ is %g, want %g", got, p.Separation)
			}
			if !(p.Separation > 2*0.999*p.MaxAcc) {
				t.Errorf("Lemma 19: separation %g is below twice the accuracy %g", p.Separation, p.MaxAcc)
			}
		}
	}
}

// Values stated in the specification's text, apart from the oracle file.
func TestLowerBoundNumbers(t *testing.T) {
	p, err := SVMFacts{N: 10, C: 2, PackingSigma: 0.5}.Lemma19(false)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.AlphaNeg-0.1141185618) > 1e-9 {
		t.Errorf("α⁻ = %.10f, want 0.1141185618", p.AlphaNeg)
	}
	f := SVMFacts{N: 100, C: 10, PackingSigma: 0.3, Failure: 0.05}
	f.Accuracy = 0.99 * f.C / (4 * float64(f.N))
	if a, b := f.Theorem20(Corrected).Value, f.Theorem20(Tight).Value; math.Abs(a-5.25) > 0.01 || math.Abs(b-5.72) > 0.01 {
		t.Errorf("Theorem 20: %g and %g, want 5.25 and 5.72", a, b)
	}
	f.Accuracy *= 2
	if b := f.Theorem20(Corrected); b.Holds() {
		t.Errorf("Theorem 20 beyond its range: %v", b)
	}
	if b := f.Theorem20(AsPublished); !b.Holds() || !b.NotAProof {
		t.Errorf("Theorem 20 as published: %v", b)
	}
	// At ε = 0 a coin flip between two databases fails half the time: the published formula says always.
	if a, b := (SVMFacts{}).MinFailure18(Corrected).Value, (SVMFacts{}).MinFailure18(AsPublished).Value; a != 0.5 || b != 1 {
		t.Errorf("Theorem 18 at ε = 0: %g and %g", a, b)
	}
}

// A real mechanism on a packing: PrivateSVM-Finite at ε below the lower bound must miss the accuracy with more than
// probability δ on some database. 400 runs on each of the 2 databases; the largest failure rate must be at least
// 1/(1+e^ε) − 5 standard deviations (5·0.025), a false alarm below 1e-6 if the bound is true.
func TestLowerBoundBites(t *testing.T) {
	p, err := SVMFacts{N: 11, C: 4}.Lemma17Cancelling(1)
	if err != nil {
		t.Fatal(err)
	}
	src := Seed(3)
	for _, eps := range []float64{0.1, 1, 3} {
		worst := 0.0
		for i, d := range p.Data {
			miss := 0
			for k := 0; k < 400; k++ {
				w, err := PrivateSVMFinite{Eps: eps, C: 4}.Release(d, src)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(w[0]-p.Weights[i]) >= p.MaxAcc {
					miss++
				}
			}
			worst = math.Max(worst, float64(miss)/400)
		}
		if lim := (SVMFacts{Eps: eps}).MinFailure18(Corrected).Value; worst < lim-0.125 {
			t.Errorf("ε = %g: failure rate %g, the bound says at least %g", eps, worst, lim)
		}
	}
}

func TestLowerBoundRefusals(t *testing.T) {
	for name, err := range map[string]error{
		"even":      errOfPacking(SVMFacts{N: 10, C: 1}.Lemma17Cancelling(1)),
		"radius":    errOfPacking(SVMFacts{N: 11, C: 1}.Lemma17Cancelling(0)),
		"too wide":  errOfPacking(SVMFacts{N: 11, C: 100}.Lemma17Cancelling(1)),
		"accuracy":  errOfPacking(SVMFacts{N: 11, C: 1, Accuracy: 5}.Lemma17Cancelling(1)),
		"small R":   errOfPacking(SVMFacts{N: 11, C: 1}.Lemma17Unbounded(3)),
		"cost":      errOfPacking(SVMFacts{N: 11}.Lemma17()),
		"width":     errOfPacking(SVMFacts{N: 11, C: 1, PackingSigma: 1}.Lemma19(false)),
		"big group": errOfPacking(SVMFacts{N: 11, C: 3, PackingSigma: 0.3, GroupSize: 5}.Lemma19(false)),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if b := (SVMFacts{}).Theorem7(Corrected); b.Holds() || !math.IsNaN(b.Value) {
		t.Errorf("Theorem 7 of nothing: %v", b)
	}
}

func errOfPacking(_ Packing, err error) error { return err }
