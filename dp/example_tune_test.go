package dp_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"example.org/godp/dp"
)

func ExampleDeclarePublic() {
	public, err := dp.DeclarePublic(ring(), "volunteers who published their answers")
	fmt.Println(public, err)
	_, err = dp.DeclarePublic(ring(), "")
	fmt.Println(err)
	// Output:
	// public data: 400 rows × 2 columns (volunteers who published their answers) <nil>
	// dp: DeclarePublic: why = "": say in a few words why these rows need no protection
}

func ExamplePublicData() {
	public, err := dp.DeclarePublic(ring(), "simulated")
	fmt.Println(public.Why(), public.ErrorRate(&dp.Model{Weights: []float64{1, 0}}), err)
	// Output:
	// simulated 0.0175 <nil>
}

func ExamplePublicTuning() {
	public, err := dp.DeclarePublic(ring(), "simulated")
	m, err2 := dp.PublicTuning{Public: public, Rand: dp.Seed(1), Candidates: []dp.Trainer{
		dp.ObjectivePerturbation{Eps: 0.5, Lambda: 1e-3}, dp.ObjectivePerturbation{Eps: 0.5, Lambda: 1},
	}}.Train(ring().Subset([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
	fmt.Println(m.Guarantee.Eps, err, err2)
	// Output:
	// 0.5 <nil> <nil>
}

func ExampleCrossValidated() {
	public, err := dp.DeclarePublic(ring(), "simulated")
	cv, err2 := dp.CrossValidation{Rand: dp.Seed(1), Candidates: []dp.Trainer{dp.NonPrivate{Lambda: 1e-3}, dp.NonPrivate{Lambda: 1e-2}}}.Run(public)
	fmt.Println(len(cv.Mean), len(cv.Errors[0]), err, err2)
	// Output:
	// 2 5 <nil> <nil>
}

func ExampleTuned() {
	t, err := dp.PrivateTuning{Rand: dp.Seed(1), Candidates: []dp.Trainer{dp.ObjectivePerturbation{Eps: 1, Lambda: 0.01}, dp.ObjectivePerturbation{Eps: 1, Lambda: 0.1}}}.Run(ring())
	fmt.Println(len(t.Models), t.Guarantee.Eps, t.Model.Guarantee.Eps, err)
	// Output:
	// 2 1 1 <nil>
}

func ExampleBest() {
	b, err := dp.BestOf{Rand: dp.Seed(2), Candidates: []dp.Trainer{dp.ObjectivePerturbation{Eps: 1}}, Stop: dp.GeometricStopping(0.5)}.Run(ring())
	fmt.Println(b.Index, b.Holdout, b.Guarantee.Eps, err)
	// Output:
	// 0 80 3 <nil>
}

func ExampleClassTuning() {
	// A softmax regression and a Gaussian classifier for three classes, chosen by errors on rows that neither has seen.
	d := dp.GaussianClasses(900, 2, 3, 0.1, dp.Seed(1))
	out, err := dp.ClassTuning{Rand: dp.Seed(2), Candidates: []dp.ClassifierTrainer{
		dp.SoftmaxRegression{Eps: 2},
		dp.PrivateLargeMargin{Eps: 2, Mode: dp.SphericalGaussian},
	}}.Run(d)
	fmt.Println(len(out.Classifiers), out.Guarantee.Eps, err)
	// Output:
	// 2 2 <nil>
}

func ExampleClassTuned() {
	d := dp.GaussianClasses(600, 2, 3, 0.1, dp.Seed(1))
	out, err := dp.ClassTuning{Rand: dp.Seed(2), Candidates: []dp.ClassifierTrainer{dp.SoftmaxRegression{Eps: 2}}}.Run(d)
	m, is := out.Classifier.(*dp.SoftmaxModel)
	fmt.Println(is, m.Guarantee.Eps, out.Index, err)
	// Output:
	// true 2 0 <nil>
}

func ExampleClassBestOf() {
	d := dp.GaussianClasses(600, 2, 3, 0.1, dp.Seed(1))
	out, err := dp.ClassBestOf{Rand: dp.Seed(3), Stop: dp.GeometricStopping(0.5), Candidates: []dp.ClassifierTrainer{dp.SoftmaxRegression{Eps: 1}}}.Run(d)
	fmt.Println(out.Guarantee.Eps, out.Holdout, err)
	// Output:
	// 3 120 <nil>
}

func ExampleClassBest() {
	d := dp.GaussianClasses(600, 2, 3, 0.1, dp.Seed(1))
	out, err := dp.ClassBestOf{Rand: dp.Seed(3), Stop: dp.GeometricStopping(0.5), Candidates: []dp.ClassifierTrainer{dp.SoftmaxRegression{Eps: 1}},
		Cost: func(c dp.Classifier, x []float64, label float64) float64 { return math.Abs(c.Predict(x)-label) / 2 }}.Run(d)
	fmt.Printf("candidate %d, %T %v\n", out.Index, out.Classifier, err)
	// Output:
	// candidate 0, *dp.SoftmaxModel <nil>
}

func ExampleClassifierTrainer() {
	var t dp.ClassifierTrainer = dp.SoftmaxRegression{Eps: 1}
	g, err := t.Claim(dp.GaussianClasses(600, 2, 3, 0.1, dp.Seed(1)))
	fmt.Println(g.Eps, err)
	// Output:
	// 1 <nil>
}

func ExampleModelTrainer() {
	var t dp.ClassifierTrainer = dp.ModelTrainer{Trainer: dp.ObjectivePerturbation{Eps: 1, Rand: dp.Seed(1)}}
	c, err := t.TrainClassifier(context.Background(), ring())
	fmt.Printf("%T %v\n", c, err)
	// Output:
	// *dp.Model <nil>
}

func ExampleClaimedClassifier() {
	rest := dp.ClaimedClassifier{Name: "one against the rest", Eps: 1, Fit: func(d *dp.Data) (dp.Classifier, error) {
		return dp.OneVsRest{Eps: 2, Fit: func(eps float64, d *dp.Data) (*dp.Model, error) { // twice what is claimed
			return dp.ObjectivePerturbation{Eps: eps}.Train(d)
		}}.Train(d)
	}}
	_, err := rest.TrainClassifier(context.Background(), dp.GaussianClasses(60, 2, 3, 0.1, dp.Seed(1)))
	fmt.Println(err)
	// Output:
	// dp: ClaimedClassifier: Fit = 2-differential privacy, replace-one: the classifier must keep the claim (ε, δ) = (1, 0) under replace-one
}

func ExampleTuningErrorBound() {
	b, err := dp.TuningErrorBound(7, 5000, 0.2, 0.05)
	fmt.Printf("%.4f %v\n", b, err)
	// Output:
	// 0.0616 <nil>
}

func ExampleGeometricStopping() {
	l := dp.GeometricStopping(0.1)
	eps, err := l.PureEps(0.5)
	fmt.Printf("%.1f %g %v\n", l.Mean(), eps, err) // 3ε
	// Output:
	// 10.0 1.5 <nil>
}

func ExampleLogarithmicStopping() {
	l := dp.LogarithmicStopping(0.05)
	eps, err := l.PureEps(0.5)
	fmt.Printf("%.1f %g %v\n", l.Mean(), eps, err) // 2ε
	// Output:
	// 6.3 1 <nil>
}

func ExampleNegativeBinomialStopping() {
	l := dp.NegativeBinomialStopping(-0.5, 0.01)
	eps, err := l.PureEps(0.5)
	fmt.Printf("%.1f %g %v\n", l.Mean(), eps, err) // 1.5ε
	// Output:
	// 5.5 0.75 <nil>
}

func ExamplePoissonStopping() {
	l := dp.PoissonStopping(10)
	_, err := l.PureEps(0.5)
	fmt.Println(l.Mean(), err != nil) // it gives no pure guarantee
	// Output:
	// 10 true
}

func ExampleRandomStopping() {
	l := dp.GeometricStopping(0.5)
	fmt.Println(l.PMF(1), l.PMF(2), l.Mean())
	// Output:
	// 0.5 0.25 2
}

func ExampleCandidatePairs() {
	pairs, err := dp.CandidatePairs(ring(), true)
	fmt.Println(pairs[0], err)
	// Output:
	// your data, last row removed (400 and 399 rows × 2) <nil>
}

func ExamplePair() {
	pairs, err := dp.CandidatePairs(ring(), false)
	p := pairs[0]
	fmt.Println(p.Name, p.D0.Label(0), p.D1.Label(0), err)
	// Output:
	// your data, label of the first row flipped -1 1 <nil>
}

func ExampleExponential() {
	p, err := dp.Exponential{Eps: 2}.Probabilities([]float64{0, -1, -2})
	fmt.Printf("%.4f %v\n", p, err)
	// Output:
	// [0.6652 0.2447 0.0900] <nil>
}

func ExampleReportNoisyMax() {
	m := dp.ReportNoisyMax{Eps: 100, Rand: dp.Seed(1)}
	i, err := m.Choose([]float64{3, 9, 4})
	fmt.Println(i, err)
	// Output:
	// 1 <nil>
}

func ExampleDiscreteLaplace() {
	m := dp.DiscreteLaplace{Eps: 0.5, Rand: dp.Seed(1)}
	v, err := m.Perturb(10)
	fmt.Println(v == math.Trunc(v), m.Scale(), err)
	// Output:
	// true 2 <nil>
}

func ExampleDiscreteGaussian() {
	m := dp.DiscreteGaussian{Eps: 1, Delta: 1e-6, Rand: dp.Seed(1)}
	sigma, err := m.Sigma(1)
	fmt.Printf("%.2f %v\n", sigma, err)
	// Output:
	// 4.23 <nil>
}

func ExampleGammaVector() {
	m := dp.GammaVector{Eps: 1, Sensitivity: 0.5, Query: func(d *dp.Data) []float64 { return []float64{0, 0, 0} }}
	fmt.Println(m.Kappa()) // ε/Δ
	// Output:
	// 2
}

func ExampleMechanism() {
	var m dp.Mechanism = dp.Laplace{Eps: 1, Query: func(d *dp.Data) []float64 { return []float64{float64(d.Len())} }}
	g, err := m.Claim(ring())
	fmt.Println(g.Eps, err)
	// Output:
	// 1 <nil>
}

func ExampleTrainer() {
	for _, t := range []dp.Trainer{dp.ObjectivePerturbation{Eps: 1, Rand: dp.Seed(1)}, dp.OutputPerturbation{Eps: 1, Lambda: 0.1, Rand: dp.Seed(1)}} {
		m, err := t.Train(ring())
		fmt.Printf("%.2f %v\n", dp.ErrorRate(m, ring()), err)
	}
	// Output:
	// 0.02 <nil>
	// 0.02 <nil>
}

func ExampleSparseStream() {
	s, err := dp.SparseVector{Eps: 100, Threshold: 10, Count: 1, Rand: dp.Seed(1)}.Start()
	for _, v := range []float64{2, 5, 30} {
		above, err2 := s.Ask(v)
		fmt.Println(above, err2)
	}
	fmt.Println(err)
	// Output:
	// false <nil>
	// false <nil>
	// true <nil>
	// <nil>
}

func ExampleLoadLedger() {
	path := filepath.Join(os.TempDir(), "godp-example-ledger.json")
	defer os.Remove(path)
	l := dp.NewLedger(1, 0)
	err := l.Charge("a count", dp.Guarantee{Eps: 0.25, Neighbours: dp.ReplaceOne})
	fmt.Println(err, l.Save(path))
	again, err := dp.LoadLedger(path)
	spent, _ := again.Spent()
	fmt.Println(spent, err)
	// Output:
	// <nil> <nil>
	// 0.25 <nil>
}

func ExampleLedgers() {
	l := dp.NewLedger(1, 0)
	all := dp.Ledgers()
	eps, _ := all[len(all)-1].Budget()
	fmt.Println(len(all) > 0, eps, l != nil)
	// Output:
	// true 1 true
}

func ExampleCheckObjective() {
	c, err := dp.CheckObjective(dp.ObjectivePerturbation{Eps: 1, Lambda: 0.1, Rand: dp.Seed(1)}, ring(), 0.05, 40)
	for _, b := range c.Bounds {
		if b.Value < c.Quantile {
			fmt.Println("refuted:", b)
		}
	}
	fmt.Println(len(c.Excess), err)
	// Output:
	// 40 <nil>
}

func ExampleCheckOutput() {
	c, err := dp.CheckOutput(dp.OutputPerturbation{Eps: 1, Lambda: 0.1, Rand: dp.Seed(1)}, ring(), 0.05, 40)
	fmt.Println(len(c.Excess), c.Confidence, err)
	// Output:
	// 40 0.95 <nil>
}

func ExampleSnappedLaplace() {
	m := dp.SnappedLaplace{Eps: 1, Bound: 100, Rand: dp.Seed(1)}
	y, err := m.Perturb(41.3)
	fmt.Println(m.Step(), math.Mod(y, m.Step()), err) // outputs are multiples of the step
	fmt.Printf("%.4f\n", math.Exp(m.LogMass(41.3, 42)))
	// Output:
	// 2 0 <nil>
	// 0.5382
}
