package dp_test

import (
	"fmt"
	"math"

	"example.org/godp/dp"
)

func people() *dp.Data {
	d, err := dp.NewData([][]float64{{0.1}, {0.5}, {-0.3}, {0.9}}, []float64{1, 1, -1, 1}, 1)
	if err != nil {
		panic(err)
	}
	return d
}

func count(d *dp.Data) []float64 {
	n := 0.0
	for i := range d.Len() {
		if d.Label(i) > 0 {
			n++
		}
	}
	return []float64{n}
}

// A mechanism with a mistake: the scale of the noise is ε instead of 1/ε.
func ExampleAudit_Search() {
	wrong := dp.Claimed{Name: "count with scale ε", Eps: 0.5, Run: func(d *dp.Data, src *dp.Source) []float64 {
		return []float64{count(d)[0] + 0.5*(src.Exp()-src.Exp())}
	}}
	r, err := dp.Audit{Samples: 20000, Rand: dp.Seed(1)}.Search(wrong, people())
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Verdict())
	// Output: REFUTED: the claim ε = 0.5 is false (confidence 0.95)
}

func ExampleLedger() {
	d := people()
	l := dp.NewLedger(1, 0)
	half, other := d.Split(0.5, dp.Seed(1))
	for _, part := range []*dp.Data{half, other} {
		if _, err := (dp.Laplace{Eps: 0.8, Query: count, Ledger: l}).Release(part, nil); err != nil {
			panic(err)
		}
	}
	fmt.Println(l) // disjoint parts: the larger counts, not the sum
	_, err := dp.Laplace{Eps: 0.8, Query: count, Ledger: l}.Release(d, nil)
	fmt.Println(err != nil)
	// Output:
	// [████████████████····] (ε, δ) = (0.8, 0) of (1, 0) spent, 2 releases, basic composition
	// true
}

func ExamplePrivate() {
	p, err := dp.Private(people(), dp.NewLedger(1, 0))
	if err != nil {
		panic(err)
	}
	fmt.Println(p)
	// Output: private data: 4 rows × 1 columns, ‖x‖ ≤ 1; [····················] (ε, δ) = (0, 0) of (1, 0) spent, 0 releases, basic composition
}

func ExampleExactLoss() {
	d := people()
	neighbour, err := d.Replace(0, d.Row(0), -1)
	if err != nil {
		panic(err)
	}
	l, err := dp.ExactLoss(dp.Laplace{Eps: 1, Query: count}, d, neighbour)
	if err != nil {
		panic(err)
	}
	fmt.Println(l)
	fmt.Println(l.At([]float64{3}), l.At([]float64{2.5}))
	// Output:
	// Laplace mechanism: sup |ln p₀/p₁| = 1 on this pair, within the claim ε = 1
	// 1 0
}

func ExampleWorstPair() {
	w, err := dp.WorstPair(dp.ObjectivePerturbation{Eps: 0.2, Lambda: 0.1, Loss: dp.Huber(0.5), Variant: dp.AsPublishedIc}, people(), 0, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("claimed %.1f, true level at least %.4f\n", w.Loss.Claimed, w.Eps)
	// Output: claimed 0.2, true level at least 1.4528
}

func ExampleOptimalEps() {
	e, err := dp.OptimalEps(0.1, 0, 100, 1e-5)
	if err != nil {
		panic(err)
	}
	a, _, _ := dp.AdvancedComposition(0.1, 0, 100, 1e-5)
	fmt.Printf("100 releases at 0.1: basic 10, advanced %.2f, optimal %.2f\n", a, e)
	// Output: 100 releases at 0.1: basic 10, advanced 5.85, optimal 4.31
}

func ExamplePLD() {
	one, err := dp.GaussianPLD(1, 20, 0)
	if err != nil {
		panic(err)
	}
	many, err := one.Times(1000)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", many.Eps(1e-6))
	// Output: 8.306
}

func ExampleERMFacts_RowsNeeded() {
	f := dp.ERMFacts{Dim: 10, Eps: 0.5, C: 1, Failure: 0.05, Norm: 3, Excess: 0.05}
	n, bound, err := f.RowsNeeded()
	if err != nil {
		panic(err)
	}
	fmt.Println(n, bound.Holds())
	// Output: 4109 true
}

func ExampleBound() {
	b := dp.ERMFacts{N: 1000, Dim: 5, Lambda: 0.01, Eps: 0.5, Failure: 0.05}.ObjectiveExcess(dp.Tight)
	fmt.Println(b)
	fmt.Println(b.Formula)
	// Output:
	// J(f_priv) − min J ≤ 0.06703 with probability ≥ 0.95 (optimality of f_priv, strong convexity, and the Gamma law of ‖b‖, tight)
	// \frac{(q_d(\delta)/\kappa)^2}{2n^2(\Lambda+\Delta)}+\frac{\Delta}{2}\|f_0\|^2
}

func ExampleMembershipInference() {
	m := dp.Laplace{Eps: 1, Query: count}
	r, err := dp.MembershipInference{Row: 0, Other: []float64{0.1}, Label: -1, Trials: 5000, Rand: dp.Seed(1)}.Run(m, people())
	if err != nil {
		panic(err)
	}
	fmt.Printf("advantage %.2f, limit %.2f\n", r.Advantage, r.LimitAdvant)
	// Output: advantage 0.40, limit 0.46
}

func ExampleTradeOff() {
	t := dp.GaussianTradeOff(1)
	fmt.Printf("a test with 5 %% false alarms misses %.0f %% at least; δ(1) = %.3f\n", 100*t.Beta(0.05), t.Delta(1))
	// Output: a test with 5 % false alarms misses 74 % at least; δ(1) = 0.127
}

func ExampleGroupPrivacy() {
	e, _, _ := dp.GroupPrivacy(0.5, 0, 4)
	s, _, _ := dp.Subsample(0.5, 0, 0.01)
	fmt.Printf("four rows of one person: %.1f; a sample of one in a hundred: %.4f\n", e, math.Round(s*1e4)/1e4)
	// Output: four rows of one person: 2.0; a sample of one in a hundred: 0.0065
}
