package dp_test

import (
	"fmt"
	"os"
	"path/filepath"

	"example.org/godp/dp"
)

// How loose is the published bound, and is it true? Theorem 8 promises that noise of this scale moves the function by at most 2, nine times in ten.
func ExampleBound_Check() {
	f := dp.SVMFacts{Features: 10, Accuracy: 2, Failure: 0.1}
	for _, v := range []dp.Flavour{dp.AsPublished, dp.Tight} {
		c, err := f.Theorem8(v).Check(2000, dp.Seed(1))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: promised %.3g, simulated quantile %.2f, refuted %v\n", v, c.Bounds[0].Value, c.Quantile, c.Refutes(0))
	}
	// Lemma 1 of Pathak and Raj promises 2, always.
	c, err := dp.PathakRajFacts{Classes: 3}.Sensitivity(dp.AsPublished).Check(10, dp.Seed(1))
	if err != nil {
		panic(err)
	}
	fmt.Printf("promised 2, seen %.2f, refuted %v\n", c.Quantile, c.Refutes(0))
	// Output:
	// as published: promised 2, simulated quantile 1.55, refuted false
	// tight: promised 2, simulated quantile 2.01, refuted false
	// promised 2, seen 8.49, refuted true
}

func ExampleBound_Simulation() {
	fmt.Println(dp.SVMFacts{N: 21, C: 1}.SensitivityL2(dp.Tight).Simulation())
	fmt.Println(dp.ERMFacts{}.SampleSizeNonPrivate(1).Simulation())
	// Output:
	// exact SVMs of neighbouring data sets, 21 rows
	// none: the statement hides a constant, and any measurement satisfies it for some constant; RiskBound is the explicit one, and has a simulation
}

func ExampleSVMFacts_RowsNeeded() {
	f := dp.SVMFacts{C: 2, Features: 10, Eps: 0.5, Accuracy: 0.1, Failure: 0.05}
	n, _, err := f.RowsNeeded()
	if err != nil {
		panic(err)
	}
	f.N = 2 * n
	eps, _, err := f.EpsNeeded()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d rows; with twice as many ε = %.2f is enough\n", n, eps)
	// Output: 3974 rows; with twice as many ε = 0.25 is enough
}

func ExampleSVMFacts_Lemma13() {
	f := dp.SVMFacts{Dim: 2, Diameter: 2, Kernel: dp.RBF(1), Accuracy: 0.2, Failure: 0.1}
	fmt.Println(f.Lemma13(dp.Lemma13Rigorous))
	// Output: d̂ ≥ 5813 (Rubinstein, Bartlett, Huang, Taft, arXiv 0911.5708, Lemma 13 (after Rahimi and Recht 2007, Claim 1), corrected)
}

func ExampleSVMFacts_Theorem16() {
	f := dp.SVMFacts{N: 1000000, C: 1, Accuracy: 0.5, Failure: 0.1, Dim: 2, Diameter: 2, Kernel: dp.RBF(1)}
	c := f.Theorem16(dp.Theorem16Corrected)
	fmt.Printf("ε = %.4f with %d frequencies and noise of scale %.4f\n", c.Value, c.Pairs, c.Scale)
	// Output: ε = 0.0901 with 485756 frequencies and noise of scale 0.0219
}

// Two databases that no accurate mechanism can protect.
func ExamplePacking_LowerBound() {
	p, err := dp.SVMFacts{N: 11, C: 4}.Lemma17Cancelling(1)
	if err != nil {
		panic(err)
	}
	b := p.LowerBound(0.05)
	fmt.Printf("accuracy below %.3f costs ε ≥ %.3f\n", p.MaxAcc, b.Value)
	c, err := b.Check(400, dp.Seed(1))
	if err != nil {
		panic(err)
	}
	fmt.Println("PrivateSVM-Finite at that ε misses it more often than 5 %:", c.Quantile > p.MaxAcc)
	// Output:
	// accuracy below 0.364 costs ε ≥ 2.944
	// PrivateSVM-Finite at that ε misses it more often than 5 %: true
}

func ExamplePathakRajFacts_BestLambda() {
	f := dp.PathakRajFacts{N: 100000, Dim: 2, Classes: 3, Eps: 1, Failure: 0.1, SolutionNorm: 5}
	l, b, err := f.BestLambda()
	if err != nil {
		panic(err)
	}
	n, _, err := f.RowsNeeded(0.05)
	if err != nil {
		panic(err)
	}
	fmt.Printf("Λ = %.2g bounds the excess by %.3f; %d rows for 0.05\n", l, b.Value, n)
	// Output: Λ = 0.00052 bounds the excess by 0.010; 20394 rows for 0.05
}

func ExampleTeX() {
	fmt.Println(dp.TeX(1234567.8), dp.TeX(0.25))
	// Output: 1.235\cdot 10^{6} 0.25
}

func ExampleSVM_intercept() {
	// All rows on one side of the origin: without an intercept they cannot be told apart.
	d, err := dp.NewData([][]float64{{0.2}, {0.3}, {0.7}, {0.8}}, []float64{-1, -1, 1, 1}, 1)
	if err != nil {
		panic(err)
	}
	for _, b := range []float64{0, 1} {
		m, err := dp.SVM{C: 1000, Intercept: b, Rand: dp.Seed(1)}.Train(d)
		if err != nil {
			panic(err)
		}
		fmt.Println(dp.ErrorRate(m, d))
	}
	// Output:
	// 0.5
	// 0
}

func ExampleSoftmaxModel_Save() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	d := dp.IrisLike(150, dp.Seed(1))
	m, err := dp.SoftmaxRegression{Eps: 5, Lambda: 0.01, Rand: dp.Seed(2)}.Train(d)
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "iris.json")
	if err := m.Save(path); err != nil {
		panic(err)
	}
	back, err := dp.LoadSoftmax(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(dp.ErrorRate(back, d) == dp.ErrorRate(m, d), back.Guarantee.Eps)
	// Output: true 5
}
