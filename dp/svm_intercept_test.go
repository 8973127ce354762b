package dp

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// The intercept against LIBLINEAR, whose objective is the same, and against LIBSVM, whose intercept is free: a large constant comes near it.
func TestSVMIntercept(t *testing.T) {
	text, err := os.ReadFile("testdata/svm_intercept.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref struct {
		X      [][]float64
		Y      []float64
		C      float64
		Linear []struct {
			B, Bias float64
			W       []float64
		}
		Kernel []struct {
			Sigma, B float64
			Score    []float64
		}
	}
	if err := json.Unmarshal(text, &ref); err != nil {
		t.Fatal(err)
	}
	d, err := NewData(ref.X, ref.Y, 10)
	if err != nil {
		t.Fatal(err)
	}
	sparse := must(NewSparse(3, func() []int {
		var p []int
		for i := range len(ref.X) + 1 {
			p = append(p, 3*i)
		}
		return p
	}(), func() []int32 {
		var c []int32
		for range ref.X {
			c = append(c, 0, 1, 2)
		}
		return c
	}(), func() []float64 {
		var v []float64
		for _, r := range ref.X {
			v = append(v, r...)
		}
		return v
	}(), ref.Y, 10))
	for _, want := range ref.Linear {
		for name, data := range map[string]*Data{"dense": d, "sparse": sparse} {
			for kind, kernel := range map[string]Kernel{"coordinates": {}, "kernel": Polynomial(1, 1, 0)} {
				m := must(SVM{C: ref.C, Tol: 1e-12, Intercept: want.B, Kernel: kernel, MaxPasses: 1000000, Rand: Seed(1)}.Train(data))
				score := func(x []float64) float64 { return dotDense(x, want.W) + want.Bias }
				for _, x := range ref.X {
					if math.Abs(m.Score(x)-score(x)) > 1e-4 {
						t.Fatalf("%s, %s, B = %g: score %v, LIBLINEAR %v", name, kind, want.B, m.Score(x), score(x))
					}
				}
				if math.Abs(m.Bias-want.Bias) > 1e-4 {
					t.Errorf("%s, %s, B = %g: intercept %v, LIBLINEAR %v", name, kind, want.B, m.Bias, want.Bias)
				}
			}
		}
	}
	for _, want := range ref.Kernel {
		m := must(SVM{C: ref.C, Tol: 1e-10, Intercept: 1e3, Kernel: RBF(want.Sigma), MaxPasses: 1000000, Rand: Seed(1)}.Train(d))
		for i, s := range want.Score {
			if math.Abs(m.Score(ref.X[i])-s) > 1e-3 {
				t.Errorf("σ = %g: score %v, LIBSVM %v", want.Sigma, m.Score(ref.X[i]), s)
			}
		}
		if math.Abs(m.Bias-want.B) > 1e-3 {
			t.Errorf("σ = %g: intercept %v, LIBSVM %v", want.Sigma, m.Bias, want.B)
		}
	}
	for _, b := range []float64{-1, math.NaN(), math.Inf(1), 1e200} {
		if _, err := (SVM{Intercept: b}).Train(d); err == nil {
			t.Errorf("Intercept = %v was accepted", b)
		}
	}
	// Without one nothing is added.
	if m := must(SVM{C: ref.C}.Train(d)); m.Bias != 0 || len(m.Weights) != 3 {
		t.Errorf("bias %v, %d weights", m.Bias, len(m.Weights))
	}
}
