package plots_test

import (
	"fmt"
	"math"

	"example.org/godp/dp"
	"example.org/godp/dp/plots"
)

// The bound, the simulated quantile and what was measured, in one picture.
func ExampleCheckBound() {
	b := dp.SVMFacts{Features: 10, Accuracy: 2, Failure: 0.1}.Theorem8(dp.AsPublished)
	p, err := plots.CheckBound(b, 200, dp.Seed(1))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.X.Label.Text)
	// Output: sup|f̂ − f|
}

func ExampleBoundCheck() {
	c, err := dp.ERMFacts{Dim: 5, Kappa: 1, Failure: 0.1}.CheckNoiseNorm(200, dp.Seed(1))
	if err != nil {
		panic(err)
	}
	p := plots.BoundCheck(c)
	p.Title.Text = "The norm of the noise"
	fmt.Println(p.X.Label.Text)
	// Output: ‖b‖
}

func ExampleRegions() {
	d := dp.Shells(300, 2, 3, 0, dp.Seed(1))
	m, err := dp.LargeMargin{}.Train(d)
	if err != nil {
		panic(err)
	}
	p := plots.Regions("Three shells", m, d)
	fmt.Println(p.Title.Text)
	// Output: Three shells
}

func ExampleLines() {
	square := plots.Function("x²", func(x float64) float64 { return x * x }, 0.1, 10)
	p := plots.Lines("A parabola", "x", "y", square, dp.Curve{Name: "points", X: []float64{1, 2}, Mean: []float64{1, 4}, SD: []float64{0.5, 0.5}})
	plots.LogX(p)
	plots.LogY(p)
	fmt.Println(p.Y.Min > 0)
	// Output: true
}

func ExampleErrorAgainstEps() {
	p := plots.ErrorAgainstEps(
		dp.Curve{Name: "private", X: []float64{0.1, 1}, Mean: []float64{0.3, 0.1}, SD: []float64{0.05, 0.01}},
		dp.Curve{Name: "not private", X: []float64{1}, Mean: []float64{0.08}}) // one point: a horizontal line
	fmt.Println(p.X.Label.Text)
	// Output: ε
}

func ExampleLosses() {
	fmt.Println(plots.Losses(dp.Hinge(), dp.Huber(0.5), dp.Logistic()).Title.Text)
	// Output: Losses
}

func ExampleTradeOffs() {
	p := plots.TradeOffs(dp.PureTradeOff(1, 0), dp.GaussianTradeOff(1))
	fmt.Println(p.Y.Label.Text)
	// Output: misses β
}

func ExampleProfiles() {
	p := plots.Profiles(3, []string{"μ = 1"}, func(eps float64) float64 { return dp.GDPDelta(1, eps) })
	fmt.Println(p.Y.Label.Text)
	// Output: δ(ε)
}

func ExampleLossOverOutputs() {
	d0, err := dp.NewData([][]float64{{1}, {0.5}}, []float64{1, 1}, 1)
	if err != nil {
		panic(err)
	}
	d1, err := d0.Replace(0, []float64{-1}, 1)
	if err != nil {
		panic(err)
	}
	l, err := dp.ExactLoss(dp.ObjectivePerturbation{Eps: 1, Lambda: 0.1}, d0, d1)
	if err != nil {
		panic(err)
	}
	fmt.Println(plots.LossOverOutputs(l, -2, 2).Y.Label.Text)
	// Output: ln p₀/p₁
}

func ExampleHistogram() {
	src, sample := dp.Seed(1), dp.Curve{Name: "sample"}
	for range 1000 {
		sample.Mean = append(sample.Mean, src.Norm())
	}
	normal := plots.Function("density", func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }, -4, 4)
	fmt.Println(plots.Histogram("A normal sample", 30, []dp.Curve{sample}, normal).Y.Label.Text)
	// Output: density
}

func ExampleConfusion() {
	d := dp.Shells(300, 2, 3, 0, dp.Seed(1))
	m, err := dp.LargeMargin{}.Train(d)
	if err != nil {
		panic(err)
	}
	fmt.Println(plots.Confusion("Shells", dp.Confusion(m, d)).Title.Text)
	// Output: Shells (accuracy 0.987)
}

func ExampleAdd() {
	p := plots.New("Two stages", "round", "error")
	plots.Add(p, dp.Curve{Name: "first", X: []float64{1, 2, 3}, Mean: []float64{3, 2, 1}})
	plots.Add(p, plots.Function("limit", func(x float64) float64 { return 1 / x }, 1, 3))
	fmt.Println(p.Title.Text)
	// Output: Two stages
}

func ExampleROC() {
	d := dp.NestedBalls(200, 2, dp.Seed(1))
	m, err := dp.NonPrivate{Lambda: 0.01}.Train(d)
	if err != nil {
		panic(err)
	}
	r, err := dp.ROC(m, d)
	if err != nil {
		panic(err)
	}
	fmt.Println(plots.ROC(r).X.Label.Text)
	// Output: false positive rate
}
