package dp

import (
	"context"
	"fmt"
	"math"

	"example.org/godp/dp/internal/ww"
)

// These examples show, one by one, why the mechanism of Pathak and Raj is not private as published.

// F1: the published objective has a minimiser for less than half of the perturbations, and for fewer the more columns there are.
func ExamplePathakRaj_noMinimiser() {
	for _, c := range []struct {
		dim    int
		lambda float64
	}{{1, 1}, {2, 1}, {2, 10}, {5, 100}, {8, 10}} {
		p, err := PathakRaj{Eps: 1, Lambda: c.lambda}.Existence(c.dim, 20000, Seed(1))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("d = %d, λ = %3g: %.2f\n", c.dim, c.lambda, p)
	}
	// Output:
	// d = 1, λ =   1: 0.18
	// d = 2, λ =   1: 0.04
	// d = 2, λ =  10: 0.23
	// d = 5, λ = 100: 0.38
	// d = 8, λ =  10: 0.00
}

// F2: one perturbation shared by all classes does not touch the classifier. With a Frobenius term (so that minimisers exist)
// the differences between classes are the same for every draw of b, and differ between neighbours: their outputs are disjoint.
func ExamplePathakRaj_sharedPerturbation() {
	d, err := NewClasses([][]float64{{-0.9}, {-0.5}, {0.1}, {0.3}, {0.7}, {1}}, []int{0, 0, 1, 1, 2, 2}, []string{"a", "b", "c"}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	neighbour, err := d.Replace(0, []float64{0.9}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	differences := func(d *Data, seed uint64) []float64 {
		p, err := LargeMargin{Lambda: 0.1, Tau: 1}.plan("example", d)
		if err != nil {
			panic(err)
		}
		b := GammaNorm{Dim: 3, Kappa: 0.5}.Sample(Seed(seed))
		p.prob.B = append(append(append([]float64(nil), b...), b...), b...)
		r, err := ww.Minimise(context.Background(), p.prob, 1e-12)
		if err != nil {
			panic(err)
		}
		for j := range 3 {
			mean := (r.W[j] + r.W[3+j] + r.W[6+j]) / 3
			for c := range 3 {
				r.W[3*c+j] -= mean
			}
		}
		return r.W
	}
	distance := func(a, b []float64) float64 {
		s := 0.0
		for i := range a {
			s += (a[i] - b[i]) * (a[i] - b[i])
		}
		return math.Sqrt(s)
	}
	base := differences(d, 1)
	worst := 0.0
	for seed := uint64(2); seed < 20; seed++ {
		worst = math.Max(worst, distance(base, differences(d, seed)))
	}
	fmt.Println("change over draws of b is below 1e-9:", worst < 1e-9)
	fmt.Printf("change to the neighbour: %.2f\n", distance(base, differences(neighbour, 1)))
	// Output:
	// change over draws of b is below 1e-9: true
	// change to the neighbour: 0.16
}

// F3: even given that a minimiser exists, and with Φ ⪰ 0, the loss is infinite. All x are 0 and the classes have 6 and 5
// members; the corner entries of the solution differ by m = 1.5 − (5+b̃)/6 if b̃ < 1 and 0 otherwise, where
// 1/b̃ = ((λI_Φ+sym b)^{-1})_{22}. On the neighbour with 5 and 6 members the sign is the opposite: the event "class 2 has the
// larger corner" has positive probability on one and probability exactly 0 on the other.
func ExamplePathakRaj_infiniteLoss() {
	for _, lambda := range []float64{1, 10, 50} {
		t := PathakRaj{Eps: 1, Lambda: lambda}
		src := Seed(5)
		exists, event := 0, 0
		for range 300000 {
			b := t.Perturbation(1, src)
			a, off, corner := lambda+b[0][0], (b[0][1]+b[1][0])/2, b[1][1]
			det := a*corner - off*off
			if a < 0 || corner < 0 || det < 0 {
				continue // no minimiser
			}
			exists++
			if det/a < 1 { // b̃
				event++
			}
		}
		fmt.Printf("λ = %2g: probability %.2f on one data set, exactly 0 on its neighbour\n", lambda, float64(event)/float64(exists))
	}
	// Output:
	// λ =  1: probability 0.24 on one data set, exactly 0 on its neighbour
	// λ = 10: probability 0.23 on one data set, exactly 0 on its neighbour
	// λ = 50: probability 0.21 on one data set, exactly 0 on its neighbour
}

// flip is the change of the stacked gradient, class by class, when a record's label flips at Φ = 0, ‖x‖ = τ = 1.
func flip(classes int) [][]float64 {
	grad := func(y int32) []float64 {
		p := &ww.Problem{N: 1, D: 1, X: []float64{1}, Y: []int32{y}, Classes: classes, Tau: 1, H: 0.5, Margin: 1}
		g := make([]float64, p.Len())
		if err := p.Gradient(context.Background(), make([]float64, p.Len()), make([]float64, classes), g); err != nil {
			panic(err)
		}
		return g
	}
	a, b := grad(0), grad(1)
	out := make([][]float64, classes)
	for c := range out {
		for j := range 3 {
			out[c] = append(out[c], a[3*c+j]-b[3*c+j])
		}
	}
	return out
}

// F4: an independent b_c for each class, at the published scale, would not be enough: the density ratio at a label flip is
// exp(2Cε).
func ExamplePathakRajFacts_IndependentLoss() {
	const eps = 1
	for _, classes := range []int{2, 3, 10} {
		s := 0.0
		for _, g := range flip(classes) {
			s += math.Sqrt(dotDense(g, g))
		}
		fmt.Printf("C = %2d: measured %.4g, formula %.4g\n", classes, eps/2.0*s, PathakRajFacts{Classes: classes, Eps: eps}.IndependentLoss().Value)
	}
	// Output:
	// C =  2: measured 4, formula 4
	// C =  3: measured 6, formula 6
	// C = 10: measured 20, formula 20
}

// F5: Lemma 1 bounds the change of the gradient by 2. One class's block alone changes by 2C when a label flips, and the
// stacked change is √2·C·r², r² = 2.
func ExamplePathakRajFacts_Sensitivity() {
	for _, classes := range []int{2, 3, 5} {
		block, all := 0.0, 0.0
		for _, g := range flip(classes) {
			n := dotDense(g, g)
			block, all = math.Max(block, math.Sqrt(n)), all+n
		}
		f := PathakRajFacts{Classes: classes}
		fmt.Printf("C = %d: one block %.0f, stacked %.4f = %.4f; claimed %g\n", classes, block, math.Sqrt(all), f.Sensitivity(Tight).Value, f.Sensitivity(AsPublished).Value)
	}
	// Output:
	// C = 2: one block 4, stacked 5.6569 = 5.6569; claimed 2
	// C = 3: one block 6, stacked 8.4853 = 8.4853; claimed 2
	// C = 5: one block 10, stacked 14.1421 = 14.1421; claimed 2
}

// F6: only the symmetric part of b acts, so noise in (d+1)² dimensions wastes almost a factor 2 over (d+1)(d+2)/2.
func ExamplePathakRaj_symmetry() {
	phi := [][]float64{{2, 0.3}, {0.3, 1}}
	b := [][]float64{{0.5, 1.4}, {-0.6, 0.2}}
	s := [][]float64{{0.5, 0.4}, {0.4, 0.2}}
	fmt.Printf("⟨b,Φ⟩ = %.3f, ⟨sym b,Φ⟩ = %.3f\n", dotDense(b[0], phi[0])+dotDense(b[1], phi[1]), dotDense(s[0], phi[0])+dotDense(s[1], phi[1]))
	const d = 50
	fmt.Println((d+1)*(d+1), "dimensions against", ww.Full.Len(d))
	// Output:
	// ⟨b,Φ⟩ = 1.440, ⟨sym b,Φ⟩ = 1.440
	// 2601 dimensions against 1326
}

// F7: with independent perturbations and a Frobenius term most constrained solutions lie on the boundary of the cone. There
// many perturbations share a solution, so the density argument of the paper's equation (12) does not apply.
func ExamplePathakRaj_boundary() {
	d := Shells(200, 2, 2, 0, Seed(1))
	singular := 0
	const runs = 40
	for seed := uint64(0); seed < runs; seed++ {
		p, err := LargeMargin{Lambda: 0.05, Tau: 1, PSD: true}.plan("example", d)
		if err != nil {
			fmt.Println(err)
			return
		}
		p.prob.B = GammaNorm{Dim: p.prob.Len(), Kappa: 0.5}.Sample(Seed(seed))
		r, err := ww.MinimisePSD(context.Background(), p.prob, p.smoothness(), 1e-7, 100000)
		if err != nil {
			fmt.Println(err)
			return
		}
		for c := range 2 {
			val, _, err := ww.Eigen(ww.Full.Matrix(r.W[6*c:6*c+6], 2), 3, false)
			if err != nil {
				fmt.Println(err)
				return
			}
			if val[0] < 1e-6 {
				singular++
				break
			}
		}
	}
	fmt.Println("more than three quarters of the solutions are singular:", singular > 3*runs/4)
	// Output:
	// more than three quarters of the solutions are singular: true
}

// F8: the objective is not strongly convex (Lemma 2). Between Φ_c = 0 and Φ_c = I it is affine.
func ExamplePathakRaj_notStronglyConvex() {
	d := Shells(50, 2, 3, 0, Seed(1))
	p, err := LargeMargin{Tau: 1}.plan("example", d)
	if err != nil {
		fmt.Println(err)
		return
	}
	p.prob.Lambda = 0
	p.prob.B = p.trace(1)
	value := func(t float64) float64 {
		w := make([]float64, p.prob.Len())
		for c := range 3 {
			copy(w[6*c:], ww.Full.Vector([]float64{t, 0, 0, 0, t, 0, 0, 0, t}, 2))
		}
		s := make([]float64, d.Len()*3)
		if err := p.prob.Scores(context.Background(), w, s); err != nil {
			panic(err)
		}
		return p.prob.Value(w, s)
	}
	gap := value(0.5) - (value(0)+value(1))/2
	fmt.Printf("J(mid) − mean = %.3f; 1-strong convexity needs at most %.3f\n", math.Abs(gap), -9.0/8)
	// Output:
	// J(mid) − mean = 0.000; 1-strong convexity needs at most -1.125
}

// F9: the loss of the paper is a sum over records, so its constant k cannot contain n.
func ExamplePathakRajFacts_Jacobian() {
	with := PathakRajFacts{N: 1000, Classes: 2, Alpha: 4, Lambda: 0.1}
	without := with
	without.N = 1
	fmt.Printf("k = %.3f with n = 1000, %.2f for the summed loss\n", with.Jacobian(AsPublished).Value, without.Jacobian(AsPublished).Value)
	// Output:
	// k = 0.078 with n = 1000, 7.43 for the summed loss
}

// F10: Lemma 4's tail bound is false for d = 1 and δ above 0.308.
func ExamplePathakRajFacts_Lemma4() {
	f := PathakRajFacts{Dim: 1, Eps: 1, Failure: 0.5}
	fmt.Println(f.Lemma4(AsPublished).Remark)
	f = PathakRajFacts{Dim: 3, Eps: 1, Failure: 0.1}
	fmt.Printf("d = 3: printed %.1f, union bound %.1f, exact %.1f\n", f.Lemma4(AsPublished).Value, f.Lemma4(Corrected).Value, f.Lemma4(Tight).Value)
	// Output:
	// False here: the probability of a longer b is 0.698, above δ = 0.5.
	// d = 3: printed 108.8, union bound 162.4, exact 42.6
}

// F11: Theorem 3 has two errors of algebra besides; the corrected mechanism has a bound that says something.
func ExamplePathakRajFacts_Theorem3() {
	f := PathakRajFacts{N: 1000, Dim: 4, Classes: 3, Eps: 1, Lambda: 0.05, Failure: 0.05}
	fmt.Printf("printed %.3g, algebra repaired %.3g\n", f.Theorem3(Theorem3AsPublished).Value, f.Theorem3(Theorem3Algebra).Value)
	fmt.Printf("excess of the objective: printed %.3g, corrected mechanism %.3g\n", f.Theorem2(AsPublished).Value, f.Theorem2(Corrected).Value)
	// Output:
	// printed 5.81e+06, algebra repaired 2.32e+07
	// excess of the objective: printed 5.76e+06, corrected mechanism 2.25
}
