package dp_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"example.org/godp/dp"
)

// ring is a small task for the examples: two noisy groups of rows.
func ring() *dp.Data {
	src := dp.Seed(1)
	rows, y := make([][]float64, 400), make([]float64, 400)
	for i := range rows {
		y[i] = float64(2*(i%2) - 1)
		rows[i] = []float64{0.4*y[i] + 0.2*src.Norm(), 0.2 * src.Norm()}
	}
	d, err := dp.NewData(rows, y, 1)
	if err != nil {
		panic(err)
	}
	return d
}

func ExampleNewData() {
	d, err := dp.NewData([][]float64{{3, 4}, {0.5, 0}, {math.NaN(), 1}}, []float64{1, -1, 1}, 1)
	fmt.Println(d.Len(), d.Dim(), err)
	for i := range d.Len() {
		fmt.Printf("%.4f\n", d.Row(i)) // a long row is scaled into the ball, a broken one becomes zero
	}
	_, err = dp.NewData([][]float64{{1}}, []float64{0}, 1)
	fmt.Println(err)
	// Output:
	// 3 2 <nil>
	// [0.6000 0.8000]
	// [0.5000 0.0000]
	// [0.0000 0.0000]
	// dp: NewData: labels[0] = 0: labels must be -1 or +1
}

func ExampleNewSparse() {
	// Two rows of dimension 5: (0, 0.5, 0, 0, 0.5) and (1, 0, 0, 0, 0).
	d, err := dp.NewSparse(5, []int{0, 2, 3}, []int32{1, 4, 0}, []float64{0.5, 0.5, 1}, []float64{1, -1}, 1)
	fmt.Println(d.Row(0), d.Row(1), d.Sparse(), err)
	// Output: [0 0.5 0 0 0.5] [1 0 0 0 0] true <nil>
}

func ExampleData_Split() {
	train, test := ring().Split(0.9, dp.Seed(1))
	fmt.Println(train.Len(), test.Len())
	// Output: 360 40
}

func ExampleData_WithIntercept() {
	d, _ := dp.NewData([][]float64{{1, 0}}, []float64{1}, 1)
	fmt.Printf("%.4f\n", d.WithIntercept().Row(0)) // (x, R)/√2: still in the ball
	// Output: [0.7071 0.0000 0.7071]
}

func ExampleData_MarkLeak() {
	d := ring().MarkLeak("standardised with the mean of the private rows")
	m, err := dp.ObjectivePerturbation{Eps: 1}.Train(d)
	fmt.Println(m.Guarantee.Private(), m.Guarantee.Leaks, err)
	// Output: false [standardised with the mean of the private rows] <nil>
}

func ExampleObjectivePerturbation() {
	m, err := dp.ObjectivePerturbation{Eps: 1}.Train(ring())
	fmt.Println(err)
	fmt.Println(strings.Split(m.Guarantee.String(), "\n")[0])
	fmt.Println(dp.ErrorRate(m, ring()) < 0.2)
	// Output:
	// <nil>
	// 1-differential privacy, replace-one neighbours
	// true
}

func ExampleObjectivePerturbation_asPublished() {
	m, err := dp.ObjectivePerturbation{Eps: 0.2, Lambda: 0.001, Variant: dp.AsPublished}.Train(ring())
	fmt.Println(err)
	fmt.Println(strings.Join(strings.Split(m.Guarantee.String(), "\n")[:2], "\n"))
	// Output:
	// <nil>
	// 1.45282-differential privacy, replace-one neighbours
	//   WARNING    the publication claims ε = 0.2; the true level is ε = 1.45282
}

func ExampleOutputPerturbation() {
	m, err := dp.OutputPerturbation{Eps: 2, Lambda: 0.1, Loss: dp.Hinge()}.Train(ring())
	fmt.Println(m.Guarantee.Eps, m.Guarantee.Private(), err)
	// Output: 2 true <nil>
}

func ExampleNonPrivate() {
	m, err := dp.NonPrivate{Lambda: 0.01, Loss: dp.Logistic()}.Train(ring())
	fmt.Println(strings.Split(m.Guarantee.String(), "\n")[0], err)
	// Output: no differential privacy, replace-one neighbours <nil>
}

func ExampleGaussianOutputPerturbation() {
	g, err := dp.GaussianOutputPerturbation{Eps: 1, Delta: 1e-6, Lambda: 0.1}.Claim(ring())
	fmt.Println(strings.Split(g.String(), "\n")[0], err)
	// Output: (1, 1e-06)-differential privacy, replace-one neighbours <nil>
}

func ExampleGaussianObjectivePerturbation() {
	m, err := dp.GaussianObjectivePerturbation{Eps: 1, Delta: 1e-6}.Train(ring())
	fmt.Println(m.Guarantee.Eps, m.Guarantee.Delta, err)
	// Output: 1 1e-06 <nil>
}

func ExampleApproximateMinima() {
	p, err := dp.ApproximateMinima{Eps: 1, Delta: 1e-6}.Params(10000, 1, 0.25)
	fmt.Printf("%.4f %.2f %v\n", p.Lambda, p.Sigma2/p.Sigma2Published, err)
	// Output: 5.0505 2.00 <nil>
}

func ExampleGridPerturbation() {
	m, err := dp.GridPerturbation{Eps: 1, Lambda: 0.1, Grid: 1.0 / 1024}.Train(ring())
	w := m.Weights[0] * 1024
	fmt.Println(w == math.Trunc(w), err) // every weight is a multiple of the grid
	// Output: true <nil>
}

func ExampleTrainBatch() {
	ts := []dp.ObjectivePerturbation{{Eps: 0.5}, {Eps: 1}, {Eps: 1, Loss: dp.Logistic()}}
	ms, err := dp.TrainBatch(ring(), ts...)
	for _, m := range ms {
		fmt.Println(m.Guarantee.Eps, m.LossName)
	}
	fmt.Println(err)
	// Output:
	// 0.5 huber(h=0.5)
	// 1 huber(h=0.5)
	// 1 logistic
	// <nil>
}

// A loss typed by the user, ℓ(z) = (√(z²+4) − z)/2, with its constants. Check refuses a false one.
func ExampleLoss() {
	l := dp.Loss{
		Name: "hyperbolic", L: 1, C: 0.25,
		Value: func(z float64) float64 { return (math.Sqrt(z*z+4) - z) / 2 },
		Grad:  func(z float64) float64 { return (z/math.Sqrt(z*z+4) - 1) / 2 },
		Hess:  func(z float64) float64 { return 2 / math.Pow(z*z+4, 1.5) },
	}
	fmt.Println(l.Check())
	m, err := dp.ObjectivePerturbation{Eps: 1, Loss: l}.Train(ring())
	fmt.Println(dp.ErrorRate(m, ring()) < 0.2, err)
	l.C = 0.1
	fmt.Println(l.Check() != nil)
	// Output:
	// <nil>
	// true <nil>
	// true
}

func ExampleL1() {
	m, err := dp.ObjectivePerturbation{Eps: 5, Lambda: 0.01, Reg: dp.L1(0.1)}.Train(ring())
	fmt.Println(m.Weights[0] > 0, m.Weights[1] == 0, err) // the second column is noise
	// Output: true true <nil>
}

func ExampleGroupNorm() {
	fmt.Println(dp.GroupNorm(0.1, [][]int{{0, 1}, {2}}))
	// Output: 0.1 Σ‖f_g‖₂ over 2 groups
}

func ExampleBox() {
	m, err := dp.NonPrivate{Lambda: 0.01, Reg: dp.Box(-0.5, 0.5)}.Train(ring())
	fmt.Println(m.Weights[0], err)
	// Output: 0.5 <nil>
}

func ExampleBall() {
	m, err := dp.NonPrivate{Lambda: 0.01, Reg: dp.Ball(0.5)}.Train(ring())
	fmt.Printf("%.6f %v\n", math.Hypot(m.Weights[0], m.Weights[1]), err)
	// Output: 0.500000 <nil>
}

func ExampleCorrectedParams() {
	p, err := dp.CorrectedParams(45222, 1e-6, 0.2, 1, 1, 0.5)
	fmt.Printf("Δ = %.6g, κ = %.3g, spends %.3g, %v\n", p.Delta, p.Kappa, p.Eps, err)
	// Output: Δ = 0.000209259, κ = 0.05, spends 0.2, <nil>
}

func ExampleJMLRParams() {
	p, err := dp.JMLRParams(1000, 0.0195237, 0.1, 1, 1) // just above the switch: hardly any budget left for the noise
	fmt.Printf("κ = %.3g, true ε = %.3g, %v\n", p.Kappa, p.Eps, err)
	// Output: κ = 4.88e-05, true ε = 0.05, <nil>
}

func ExamplePublishedParams() {
	p, err := dp.PublishedParams(dp.AsPublishedIb, 40699, 1e-3, 0.2, 1, 50)
	fmt.Printf("claimed 0.2, true ε = %.2f, %v\n", p.Eps, err)
	// Output: claimed 0.2, true ε = 1.20, <nil>
}

func ExampleObjectiveEps() {
	fmt.Printf("%.4f\n", dp.ObjectiveEps(0.1, 10, 1, 1)) // 2κ + ln(1 + 1/10)
	// Output: 0.2953
}

func ExampleLogisticKappa() {
	k, ok := dp.LogisticKappa(0.2, 10) // aε ≥ 2: no price for the Jacobian
	fmt.Println(k, ok)
	_, ok = dp.LogisticKappa(0.1, 1)
	fmt.Println(ok)
	// Output:
	// 0.1 true
	// false
}

func ExampleLogisticEps() {
	e, s := dp.LogisticEps(0.05, 20)
	fmt.Println(e, s)
	// Output: 0.1 1
}

func ExampleObjectiveDelta() {
	d, err := dp.ObjectiveDelta(1, 20, 1, 0.25, 10)
	fmt.Println(d < 1e-12, err)
	// Output: true <nil>
}

func ExampleOutputSensitivity() {
	fmt.Println(dp.OutputSensitivity(1000, 0.01, 1, 1))
	// Output: 0.2
}

func ExampleGammaNorm() {
	g := dp.GammaNorm{Dim: 105, Kappa: 0.1}
	fmt.Printf("mean norm %.0f, exact 95%% quantile %.0f, the papers' bound %.0f\n", g.MeanNorm(), g.NormQuantile(0.95), g.TailBound(0.05))
	// Output: mean norm 1050, exact 95% quantile 1224, the papers' bound 8032
}

func ExampleSchema() {
	s := dp.Schema{
		Columns: []dp.Column{{Name: "age", Min: 0, Max: 100}, {Name: "job", Levels: []string{"clerk", "smith"}}},
		Label:   "rich", Header: true, Positive: []string{"yes"}, Negative: []string{"no"}, Shrink: 0.5,
	}
	d, err := s.Read(strings.NewReader("age,job,rich\n50,smith,yes\n20,clerk,no\n"))
	fmt.Println(d.Features(), d.Row(0), d.Label(0), err)
	_, err = s.Read(strings.NewReader("age,job,rich\nold,smith,yes\n"))
	fmt.Println(err)
	// Output:
	// [age job=clerk job=smith] [0.25 0 0.5] 1 <nil>
	// line 2: column "age": "old" is not a number
}

func ExampleNestedBalls() {
	d := dp.NestedBalls(1000, 5, dp.Seed(1))
	fmt.Println(d.Len(), d.Dim(), d.Radius())
	// Output: 1000 5 1
}

func ExampleModel_Save() {
	m, _ := dp.ObjectivePerturbation{Eps: 1}.Train(ring())
	path := filepath.Join(os.TempDir(), "godp-example-model.json")
	defer os.Remove(path)
	fmt.Println(m.Save(path))
	again, err := dp.LoadModel(path)
	fmt.Println(again.Weights[0] == m.Weights[0], again.Guarantee.Eps, err)
	// Output:
	// <nil>
	// true 1 <nil>
}

func ExampleROC() {
	m, _ := dp.NonPrivate{Lambda: 0.01}.Train(ring())
	c, err := dp.ROC(m, ring())
	fmt.Println(c.AUC > 0.95, err)
	// Output: true <nil>
}

func ExampleCalibration() {
	m, _ := dp.NonPrivate{Lambda: 0.001, Loss: dp.Logistic()}.Train(ring())
	t, err := dp.Calibration(m, ring(), 5)
	fmt.Println(len(t.Bins), t.ECE < 0.1, err)
	// Output: 5 true <nil>
}

func ExampleSweep() {
	c, err := dp.Sweep{X: []float64{0.1, 10}, Draws: 3}.Run("objective", ring(), ring(), func(eps float64) dp.Trainer {
		return dp.ObjectivePerturbation{Eps: eps}
	})
	fmt.Println(c.Mean[1] < 0.2, len(c.SD), err)
	// Output: true 2 <nil>
}

func ExampleSeed() {
	fmt.Println(dp.Seed(1).Uint64() == dp.Seed(1).Uint64(), dp.Seed(1), dp.Secure())
	// Output: true dp.Source (seeded: reproducible, not private) dp.Source (secure)
}
