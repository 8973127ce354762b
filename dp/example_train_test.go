package dp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"example.org/godp/dp"
)

func ExampleHuber() {
	l := dp.Huber(0.5)
	fmt.Println(l, l.L, l.C, l.Value(0), l.Grad(1), l.Hess(1), l.Check())
	// Output:
	// huber(h=0.5) 1 1 1 -0.5 1 <nil>
}

func ExampleSmoothHinge() {
	l := dp.SmoothHinge(0.5)
	fmt.Println(l, l.L, l.C, l.Value(1), l.Grad(0), l.HessBound(0, 2), l.Check())
	// Output:
	// smooth hinge(h=0.5) 1 1.5 0.09375 -1 1.5 <nil>
}

func ExampleLogistic() {
	l := dp.Logistic()
	fmt.Printf("%s %.4f %.2f %.2f %v\n", l, l.Value(0), l.Grad(0), l.Hess(0), l.Check())
	// Output:
	// logistic 0.6931 -0.50 0.25 <nil>
}

func ExampleHinge() {
	// Not smooth: for output perturbation only.
	l := dp.Hinge()
	_, err := dp.ObjectivePerturbation{Eps: 1, Loss: l}.Train(ring())
	fmt.Println(l.Smooth(), err)
	// Output:
	// false dp: ObjectivePerturbation: Loss = hinge: objective perturbation needs a loss with Lipschitz slope (C finite); the hinge loss can be used with OutputPerturbation only
}

func ExampleSquareLoss() {
	l := dp.SquareLoss()
	fmt.Println(l.Value(3), l.Grad(0), l.L)
	// Output:
	// 4 -2 +Inf
}

func ExampleRegulariser() {
	f := []float64{3, -4}
	for _, r := range []dp.Regulariser{dp.L1(0.5), dp.GroupNorm(2, [][]int{{0, 1}}), dp.Box(-1, 1), dp.Ball(5)} {
		fmt.Println(r, r.Value(f))
	}
	// Output:
	// 0.5‖f‖₁ 3.5
	// 2 Σ‖f_g‖₂ over 1 groups 10
	// -1 ≤ f_j ≤ 1 +Inf
	// ‖f‖ ≤ 5 0
}

func ExampleLossEps() {
	// Slope and curvature of the smooth hinge are not extreme at the same margin: less is lost than 2κL + ln(1 + C/a).
	l := dp.SmoothHinge(0.5)
	eps, at := dp.LossEps(l, 0.3, 3, dp.ReplaceOne)
	fmt.Printf("%.4f at z = %.3f, in general %.4f\n", eps, at, 0.6+math.Log1p(l.C/3))
	// Output:
	// 0.8905 at z = 0.851, in general 1.0055
}

func ExampleLossKappa() {
	kappa, ok := dp.LossKappa(dp.SmoothHinge(0.5), 1, 3, dp.AddRemove)
	fmt.Printf("%.3f %v\n", kappa, ok)
	_, ok = dp.LossKappa(dp.SmoothHinge(0.5), 0.1, 3, dp.AddRemove) // the Jacobian alone takes more
	fmt.Println(ok)
	// Output:
	// 0.805 true
	// false
}

func ExampleAddRemoveParams() {
	p, err := dp.AddRemoveParams(0, 1, 1, 1, 0.05)
	fmt.Println(p, err)
	// Output:
	// corrected, add/remove: κ = 0.95, a = 19.5042, ε' = 0.95, true ε = 1 <nil>
}

func ExampleObjectiveParams() {
	p, err := dp.ObjectivePerturbation{Eps: 1, Lambda: 0.01}.Params(1000, 1)
	fmt.Printf("κ = %.4f, a = %g, branch %s %v\n", p.Kappa, p.A, p.Branch, err)
	// Output:
	// κ = 0.4522, a = 10, branch A <nil>
}

func ExampleAMPParams() {
	p, err := dp.ApproximateMinima{Eps: 1, Delta: 1e-6}.Params(1000, 1, 1)
	fmt.Printf("Λ = %.2f, σ₁ = %.4f, σ₂ is %.0f times the published %v\n", p.Lambda, p.Sigma1, p.Sigma2/p.Sigma2Published, err)
	// Output:
	// Λ = 20.20, σ₁ = 0.0140, σ₂ is 2 times the published <nil>
}

func ExampleTuningFree() {
	t := dp.TuningFree(0.5)
	t.Rand = dp.Seed(1)
	m, err := t.Train(ring())
	fmt.Printf("%.2f %g %v\n", dp.ErrorRate(m, ring()), m.Guarantee.Eps, err)
	// Output:
	// 0.02 0.5 <nil>
}

func ExampleTrainBatchContext() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := dp.TrainBatchContext(ctx, ring(), dp.ObjectivePerturbation{Eps: 1})
	var stopped *dp.Interrupted
	fmt.Println(errors.As(err, &stopped))
	// Output:
	// true
}

func ExampleInterrupted() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := dp.NonPrivate{Lambda: 1}.TrainContext(ctx, ring())
	fmt.Println(err, errors.Is(err, context.Canceled))
	// Output:
	// dp: NonPrivate: stopped before anything was released: context canceled true
}

func ExamplePerturbedObjective() {
	// Half of the noise that ε = 1 needs: the guarantee says what that really gives.
	right := dp.PerturbedObjective{Kappa: 0.25, Reg: 1 / math.Expm1(0.5)}
	half := right
	half.Kappa *= 2
	for _, m := range []dp.PerturbedObjective{right, half} {
		g, err := m.Claim(ring())
		fmt.Printf("%.3f %v\n", g.Eps, err)
	}
	// Output:
	// 1.000 <nil>
	// 1.500 <nil>
}

func ExampleClaimed() {
	count := dp.Claimed{Name: "count with noise", Eps: 1, Run: func(d *dp.Data, src *dp.Source) []float64 {
		return []float64{float64(d.Len()) + src.Exp() - src.Exp()}
	}}
	g, err := count.Claim(ring())
	fmt.Println(g.Eps, g.Assumptions[0].Status, err)
	// Output:
	// 1 assumed <nil>
}

func ExampleNeighbours() {
	m, err := dp.ObjectivePerturbation{Eps: 1, Neighbours: dp.AddRemove, Rand: dp.Seed(1)}.Train(ring())
	_, tells := m.Params["n"]
	fmt.Println(m.Guarantee.Neighbours, tells, err)
	// Output:
	// add/remove false <nil>
}

func ExampleGuarantee() {
	m, err := dp.ObjectivePerturbation{Eps: 0.5, Rand: dp.Seed(1)}.Train(ring().MarkLeak("columns standardised with their own mean"))
	if err != nil {
		panic(err)
	}
	g := m.Guarantee
	fmt.Println(g.Eps, g.Private())
	fmt.Println(strings.Join(strings.Split(g.String(), "\n")[:3], "\n"))
	// Output:
	// 0.5 false
	// 0.5-differential privacy, replace-one neighbours
	//   WARNING    seeded: not private (whoever knows the seed can subtract the noise)
	//   WARNING    leak: columns standardised with their own mean
}

func ExampleAssumption() {
	g, err := dp.ObjectivePerturbation{Eps: 0.5}.Claim(ring())
	for _, a := range g.Assumptions[:2] {
		fmt.Printf("%s: %s (%s)\n", a.Status, a.Text, a.Detail)
	}
	fmt.Println(err)
	// Output:
	// enforced: ‖x‖ ≤ R = 1 for every row (each row clipped by its own norm)
	// enforced: labels in {-1, +1} (other labels are refused)
	// <nil>
}

func ExampleStatus() {
	worst := dp.Assumption{Text: "labels in {-1, +1}", Status: dp.Violated}
	fmt.Println(dp.Guarantee{Eps: 1, Assumptions: []dp.Assumption{worst}}.Private())
	// Output:
	// false
}

func ExampleSecure() {
	src := dp.Secure()
	fmt.Println(src.Seeded(), src) // the state is never printed
	// Output:
	// false dp.Source (secure)
}

func ExampleSource() {
	a, b := dp.Seed(7), dp.Seed(7)
	fmt.Println(a.Uint64() == b.Uint64(), a.Fork().Seeded(), a)
	// Output:
	// true true dp.Source (seeded: reproducible, not private)
}

func ExampleSetContext() {
	ctx, cancel := context.WithCancel(context.Background())
	dp.SetContext(ctx) // what a notebook kernel does for the running cell
	defer dp.SetContext(nil)
	cancel()
	_, err := dp.NonPrivate{Lambda: 1}.Train(ring())
	fmt.Println(errors.Is(err, context.Canceled))
	// Output:
	// true
}

func ExampleWithCallSite() {
	dp.SetContext(dp.WithCallSite(context.Background(), func() string { return "In[3]:2" }))
	defer dp.SetContext(nil)
	l := dp.NewLedger(1, 0)
	err := l.Charge("a count", dp.Guarantee{Eps: 0.1, Neighbours: dp.ReplaceOne})
	fmt.Println(len(l.Entries()), err) // charges that interpreted code asks for carry the cell's name
	// Output:
	// 1 <nil>
}

func ExampleSetSliceForms() {
	// A host that compiles its users' functions may give the library their forms on slices.
	dp.SetSliceForms(func(f func(float64) float64) func(in, out []float64) { return nil })
	defer dp.SetSliceForms(nil)
	fmt.Println(dp.Huber(0.5).Check())
	// Output:
	// <nil>
}

func ExampleNewLedger() {
	l := dp.NewLedger(1, 0)
	fmt.Println(l.Charge("first", dp.Guarantee{Eps: 0.75, Neighbours: dp.ReplaceOne}))
	err := l.Charge("second", dp.Guarantee{Eps: 0.75, Neighbours: dp.ReplaceOne})
	var over *dp.OverBudget
	fmt.Println(errors.As(err, &over), over.EpsSpent, over.EpsLimit)
	// Output:
	// <nil>
	// true 0.75 1
}

func ExampleNewZCDPLedger() {
	l := dp.NewZCDPLedger(1, 1e-6)
	n := 0
	for l.Charge("a count", dp.Guarantee{Eps: 0.01, Neighbours: dp.ReplaceOne}) == nil {
		n++
	}
	fmt.Println(n, "counts at 0.01; by adding up 100")
	// Output:
	// 346 counts at 0.01; by adding up 100
}

func ExampleOverBudget() {
	l := dp.NewLedger(1, 0)
	_, err := dp.ObjectivePerturbation{Eps: 2, Ledger: l}.Train(ring())
	var over *dp.OverBudget
	fmt.Println(errors.As(err, &over), over.What, over.Eps)
	// Output:
	// true ObjectivePerturbation 2
}

func ExampleEntry() {
	l := dp.NewLedger(1, 0)
	_, err := dp.ObjectivePerturbation{Eps: 0.5, Rand: dp.Seed(1), Ledger: l}.Train(ring())
	e := l.Entries()[0]
	fmt.Println(e.N, e.What, e.Guarantee.Eps, e.Marks, err)
	// Output:
	// 1 ObjectivePerturbation 0.5 [seeded randomness: not private] <nil>
}
