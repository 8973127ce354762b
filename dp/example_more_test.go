package dp_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"example.org/godp/dp"
)

func ExampleRBF() {
	x, y := []float64{0.5, 0}, []float64{0, 0.5}
	for _, k := range []dp.Kernel{dp.LinearKernel(), dp.RBF(1), dp.Laplacian(1), dp.Cauchy(1), dp.Polynomial(2, 1, 1)} {
		fmt.Printf("%s: k(x, y) = %.4f, translation invariant %v\n", k, k.Eval(x, y), k.Invariant())
	}
	// Output:
	// linear: k(x, y) = 0.0000, translation invariant false
	// rbf(σ=1): k(x, y) = 0.7788, translation invariant true
	// laplacian(σ=1): k(x, y) = 0.3679, translation invariant true
	// cauchy(σ=1): k(x, y) = 0.6400, translation invariant true
	// polynomial(degree=2, scale=1, offset=1): k(x, y) = 1.0000, translation invariant false
}

func ExampleWriteLIBSVM() {
	if err := dp.WriteLIBSVM(os.Stdout, square()); err != nil {
		panic(err)
	}
	// Output:
	// 1 1:0.8 2:0.1
	// 1 1:0.5 2:-0.2
	// -1 1:-0.7 2:0.2
	// -1 1:-0.4 2:-0.1
}

func ExampleSquareLoss() {
	m, err := dp.PrivateSVMFinite{Eps: 1, C: 2, Loss: dp.SquareLoss(), Rand: dp.Seed(1)}.Train(square())
	if err != nil {
		panic(err)
	}
	fmt.Println(m.LossName)
	// Output: square
}

func ExampleIrisLike() {
	d := dp.IrisLike(150, dp.Seed(1))
	m, err := dp.LargeMargin{Mode: dp.SphericalGaussian}.Train(d)
	if err != nil {
		panic(err)
	}
	fmt.Println(d.ClassNames(), dp.ErrorRate(m, d) < 0.1)
	// Output: [setosa versicolor virginica] true
}

func ExampleCheckOutput() {
	d := dp.NestedBalls(200, 2, dp.Seed(1))
	c, err := dp.CheckOutput(dp.OutputPerturbation{Eps: 1, Lambda: 0.1, Loss: dp.Huber(0.5), Rand: dp.Seed(2)}, d, 0.2, 30)
	if err != nil {
		panic(err)
	}
	tight := c.Bounds[len(c.Bounds)-1]
	fmt.Println(tight.Flavour, tight.Value > c.Quantile)
	// Output: tight true
}

func ExampleLoadGaussian() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	d := dp.Shells(300, 2, 3, 0, dp.Seed(1))
	m, err := dp.PrivateLargeMargin{Eps: 5, Rand: dp.Seed(2)}.Train(d)
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "shells.json")
	if err := m.Save(path); err != nil {
		panic(err)
	}
	back, err := dp.LoadGaussian(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(dp.ErrorRate(back, d) == dp.ErrorRate(m, d), back.Guarantee.Eps)
	// Output: true 5
}

func ExampleLoadOneVsRest() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	m, err := dp.OneVsRest{Eps: 3, Fit: func(eps float64, d *dp.Data) (*dp.Model, error) {
		return dp.ObjectivePerturbation{Eps: eps, Lambda: 0.01, Rand: dp.Seed(1)}.Train(d)
	}}.Train(dp.IrisLike(150, dp.Seed(1)))
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "iris.json")
	if err := m.Save(path); err != nil {
		panic(err)
	}
	back, err := dp.LoadOneVsRest(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(back.Models), "models,", back.Guarantee.Eps)
	// Output: 3 models, 3
}

// A refused release says what it would have cost, and nothing was drawn.
func ExampleOverBudget() {
	l := dp.NewLedger(1, 0)
	err := l.Charge("a mean", dp.Guarantee{Eps: 1.5, Neighbours: dp.ReplaceOne})
	var over *dp.OverBudget
	fmt.Println(errors.As(err, &over), over.Eps, over.EpsLimit)
	// Output: true 1.5 1
}

func ExampleNewLedger() {
	odometer := dp.NewLedger(math.Inf(1), 1) // never refuses, only reports
	for range 3 {
		if _, err := (dp.Laplace{Eps: 0.5, Query: count, Ledger: odometer}).Release(people(), nil); err != nil {
			panic(err)
		}
	}
	eps, _ := odometer.Spent()
	first := odometer.Entries()[0]
	fmt.Println(eps, first.What, strings.HasPrefix(first.Site, "example_more_test.go:"))
	// Output: 1.5 Laplace mechanism true
}

func ExampleLedgers() {
	l := dp.NewLedger(2, 0)
	all := dp.Ledgers()
	last := all[len(all)-1]
	eps, _ := last.Budget()
	fmt.Println(eps)
	_ = l
	// Output: 2
}

func ExampleLaplacePLD() {
	l, err := dp.LaplacePLD(1, 10, 0)
	if err != nil {
		panic(err)
	}
	hundred, err := l.Times(100)
	if err != nil {
		panic(err)
	}
	any01, err := dp.PurePLD(0.1, 0, 0)
	if err != nil {
		panic(err)
	}
	worst, err := any01.Times(100)
	if err != nil {
		panic(err)
	}
	fmt.Printf("a hundred Laplace releases: ε = %.2f; of any 0.1-DP mechanism: %.2f\n", hundred.Eps(1e-6), worst.Eps(1e-6))
	// Output: a hundred Laplace releases: ε = 4.69; of any 0.1-DP mechanism: 4.77
}

func ExampleDiscreteGaussianPLD() {
	g, err := dp.DiscreteGaussianPLD(1, 3, 0)
	if err != nil {
		panic(err)
	}
	l, err := dp.DiscreteLaplacePLD(1, 3, 0)
	if err != nil {
		panic(err)
	}
	both, err := g.Plus(l)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f %.2f, together %.2f\n", g.Eps(1e-6), l.Eps(1e-6), both.Eps(1e-6))
	// Output: 1.45 0.33, together 1.73
}

func ExampleGDPEps() {
	eps, err := dp.GDPEps(1, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f, and back %.0e\n", eps, dp.GDPDelta(1, eps))
	// Output: 4.377, and back 1e-05
}

func ExampleGaussianTradeOff() {
	fmt.Printf("%.3f\n", dp.GaussianTradeOff(1).Beta(0.05))
	// Output: 0.740
}

func ExampleLaplaceRDP() {
	a, b := dp.LaplaceRDP(1, 2), dp.PureRDP(0.5) // the same ε, but Laplace noise is not the worst such mechanism
	both, err := a.Plus(dp.GaussianRDP(1, 5))
	if err != nil {
		panic(err)
	}
	x, _, _ := a.Times(50).ToDP(1e-6)
	y, _, _ := b.Times(50).ToDP(1e-6)
	fmt.Println(x < y, len(both.Orders) == len(dp.RDPOrders()))
	// Output: true true
}
