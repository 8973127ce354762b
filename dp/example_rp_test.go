package dp_test

import (
	"bytes"
	"fmt"
	"strings"

	"example.org/godp/dp"
)

// four points in the plane, two of each class
func square() *dp.Data {
	d, err := dp.NewData([][]float64{{0.8, 0.1}, {0.5, -0.2}, {-0.7, 0.2}, {-0.4, -0.1}}, []float64{1, 1, -1, -1}, 1)
	if err != nil {
		panic(err)
	}
	return d
}

func ExampleSVM() {
	m, err := dp.SVM{C: 4, Rand: dp.Seed(1)}.Train(square())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("w = %.3f, support vectors %v, gap below 4e-6: %v\n", m.Weights, m.Support, m.Gap <= 4e-6)
	fmt.Println(m.Predict([]float64{0.3, 0.3}))
	// Output:
	// w = [1.362 -0.232], support vectors [1 2 3], gap below 4e-6: true
	// 1
}

func ExampleSVM_kernel() {
	// Exclusive or: no line separates it, the Gaussian kernel does.
	d, err := dp.NewData([][]float64{{0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}, {-0.5, 0.5}}, []float64{1, 1, -1, -1}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := dp.SVM{C: 40, Kernel: dp.RBF(0.5), Rand: dp.Seed(1)}.Train(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dp.ErrorRate(m, d))
	// Output: 0
}

func ExamplePrivateSVMFinite() {
	p := dp.PrivateSVMFinite{Eps: 1, C: 2}
	g, err := p.Claim(square())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Eps, g.Neighbours)
	p.Flavour = dp.AsPublished
	g, err = p.Claim(square())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("claimed %g, true %.3f\n", g.ClaimedEps, g.Eps)
	// Output:
	// 1 replace-one
	// claimed 1, true 0.505
}

func ExamplePrivateSVM() {
	m, err := dp.PrivateSVM{Eps: 1, Kernel: dp.RBF(0.5), Pairs: 25, Rand: dp.Seed(1)}.Train(square())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Weights), "weights, map", m.Map.Kind())
	// Output: 50 weights, map random-features
}

func ExampleSVMFacts() {
	f := dp.SVMFacts{N: 1000, C: 5, Features: 20, Eps: 0.5}
	fmt.Println(f.Theorem7(dp.Corrected))
	fmt.Println(f.Theorem7(dp.AsPublished))
	// Output:
	// λ ≥ 0.08944 (Rubinstein, Bartlett, Huang, Taft, arXiv 0911.5708, Theorem 7, corrected)
	// λ ≥ 0.1789 (Rubinstein, Bartlett, Huang, Taft, arXiv 0911.5708, Theorem 7, as published)
}

func ExampleSVMFacts_Lemma19() {
	p, err := dp.SVMFacts{N: 20, C: 2, PackingSigma: 0.1}.Lemma19(true)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d databases, one record apart, separation %.3f\n", len(p.Data), p.Separation)
	fmt.Printf("useful to %.3f with probability 0.95: ε at least %.2f\n", p.MaxAcc, p.LowerBound(0.05).Value)
	// Output:
	// 53 databases, one record apart, separation 0.050
	// useful to 0.025 with probability 0.95: ε at least 6.90
}

func ExampleReadLIBSVM() {
	d, err := dp.ReadLIBSVM(strings.NewReader("+1 1:0.5 3:-0.25\n-1 2:0.1  # a comment\n"), 3, nil, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Len(), d.Dim(), d.Row(0))
	var b bytes.Buffer
	if err := dp.WriteLIBSVM(&b, d); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(b.String())
	// Output:
	// 2 3 [0.5 0 -0.25]
	// 1 1:0.5 3:-0.25
	// -1 2:0.1
}

func ExampleLargeMargin() {
	train, test := dp.Shells(500, 2, 3, 0, dp.Seed(1)), dp.Shells(500, 2, 3, 0, dp.Seed(2))
	m, err := dp.LargeMargin{}.Train(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("accuracy above 0.95: %v\n", dp.Confusion(m, test).Accuracy() > 0.95)
	fmt.Println(test.ClassNames()[m.PredictClass([]float64{0, 0.9})])
	// Output:
	// accuracy above 0.95: true
	// shell 3
}

func ExamplePrivateLargeMargin() {
	d := dp.Shells(5000, 2, 3, 0, dp.Seed(1))
	t := dp.PrivateLargeMargin{Eps: 1, Lambda: 0.01}
	f, err := t.Facts(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("S = %.3f, J = %.3f, noise in %d dimensions\n", f.Sensitivity, f.Jacobian, f.NoiseDim)
	m, err := t.Train(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Guarantee.Eps, m.Guarantee.Private())
	// Output:
	// S = 5.303, J = 0.120, noise in 12 dimensions
	// 1 true
}

func ExampleOneVsRest() {
	d := dp.IrisLike(3000, dp.Seed(1))
	m, err := dp.OneVsRest{Eps: 3, Fit: func(eps float64, b *dp.Data) (*dp.Model, error) {
		return dp.PrivateSVMFinite{Eps: eps, C: 2}.Train(b)
	}}.Train(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d models with ε = %.3g each, %.3g in all\n", len(m.Models), m.Models[0].Guarantee.Eps, m.Guarantee.Eps)
	// Output: 3 models with ε = 1 each, 3 in all
}

func ExampleSoftmaxRegression() {
	d := dp.IrisLike(3000, dp.Seed(1)).WithIntercept()
	m, err := dp.SoftmaxRegression{Eps: 5, Lambda: 0.002}.Train(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ε = %g, accuracy above 0.9: %v\n", m.Guarantee.Eps, dp.Confusion(m, d).Accuracy() > 0.9)
	// Output: ε = 5, accuracy above 0.9: true
}

func ExampleGaussianFrom() {
	unit := [][]float64{{1, 0}, {0, 1}}
	m, err := dp.GaussianFrom([]dp.GaussianClass{{Psi: unit, Mu: []float64{-0.5, 0}}, {Psi: unit, Mu: []float64{0.5, 0}, Theta: 0.1}}, []string{"left", "right"}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", m.Scores([]float64{0.5, 0.5}))
	c, err := m.Class(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("μ = %.2f, θ = %.2f\n", c.Mu, c.Theta)
	// Output:
	// [1.25 0.35]
	// μ = [0.50 0.00], θ = 0.10
}

func ExampleConfusion() {
	d, err := dp.NewClasses([][]float64{{-0.5}, {0.4}, {0.6}, {-0.1}}, []int{0, 1, 1, 1}, []string{"left", "right"}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dp.Confusion(side{}, d))
	// Output:
	// true \ as     left    right   recall
	// left             1        0    1.000
	// right            1        2    0.667
	// accuracy 0.7500 on 4 rows
}

type side struct{}

func (side) Predict(x []float64) float64 {
	if x[0] > 0 {
		return 1
	}
	return 0
}

func ExampleMarginLoss() {
	for _, m := range []float64{-1, 0, 1, 2} {
		fmt.Printf("m = %2g: corrected %.3f, margin zero %.3f, as printed %.3f\n", m, dp.MarginLoss(dp.MarginCorrected, 0.5, m), dp.MarginLoss(dp.MarginZero, 0.5, m), dp.MarginLoss(dp.MarginLiteral, 0.5, m))
	}
	// Output:
	// m = -1: corrected 2.000, margin zero 1.000, as printed -1.000
	// m =  0: corrected 1.000, margin zero 0.125, as printed 0.125
	// m =  1: corrected 0.125, margin zero 0.000, as printed 0.000
	// m =  2: corrected 0.000, margin zero 0.000, as printed 0.000
}
