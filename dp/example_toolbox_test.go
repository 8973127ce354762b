package dp_test

import (
	"fmt"
	"log"

	"example.org/godp/dp"
)

// ages is a made-up column of 1,000 numbers.
func ages() []float64 {
	src, out := dp.Seed(1), make([]float64, 1000)
	for i := range out {
		out[i] = 20 + 60*src.Float64()*src.Float64()
	}
	return out
}

// A count, perturbed. The seed makes the example reproducible; without Rand the noise is secret.
func ExampleGeometric_Perturb() {
	m := dp.Geometric{Eps: 0.5, Rand: dp.Seed(2)}
	noisy, err := m.Perturb(412)
	if err != nil {
		log.Fatal(err)
	}
	t, err := m.ErrorQuantile(0.95)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, within %d of the truth with probability 0.95\n", noisy, t)
	// Output: 408, within 6 of the truth with probability 0.95
}

// A mechanism with a Query is a dp.Mechanism: it can be charged, audited and compared.
func ExampleLaplace() {
	m := dp.Laplace{Eps: 1, Query: func(d *dp.Data) []float64 {
		n := 0.0
		for i := range d.Len() {
			if d.Label(i) > 0 {
				n++
			}
		}
		return []float64{n}
	}}.Hardened()
	g, err := m.Claim(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g)
	// Output:
	// 1-differential privacy, replace-one neighbours
	//   zCDP       ρ = 0.5
	//   mechanism  discrete Laplace mechanism
	//   theorem    adjacent rounded answers have mass ratio at most e^ε
	//   source     Ghosh, Roughgarden and Sundararajan 2009; Canonne, Kamath and Steinke 2020
	//   assumed    the query changes by at most 1 in L1 norm between neighbours (replace-one), rounding included
	//   enforced   the answer is rounded to multiples of 9.5367431640625e-07 and the noise is drawn by exact integer arithmetic
}

// The analytic Gaussian mechanism needs a fifth less noise than the classic formula at ε = 1, δ = 1e-5.
func ExampleGaussian_Sigma() {
	sigma, err := dp.Gaussian{Eps: 1, Delta: 1e-5}.Sigma()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", sigma)
	// Output: 3.7306
}

// Choosing the best of three candidates by their scores.
func ExamplePermuteAndFlip_Probabilities() {
	scores := []float64{-3, -5, -4}
	pf, err := dp.PermuteAndFlip{Eps: 1}.Probabilities(scores)
	if err != nil {
		log.Fatal(err)
	}
	em, err := dp.Exponential{Eps: 1}.Probabilities(scores)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("permute-and-flip %.3f\nexponential      %.3f\n", pf, em)
	// Output:
	// permute-and-flip [0.587 0.147 0.266]
	// exponential      [0.506 0.186 0.307]
}

// A stream of questions that pays for one yes, however many noes come before it.
func ExampleSparseVector_Start() {
	s, err := dp.SparseVector{Eps: 4, Threshold: 100, Rand: dp.Seed(3)}.Start()
	if err != nil {
		log.Fatal(err)
	}
	for day, count := range []float64{20, 35, 50, 70, 160, 300} {
		yes, err := s.Ask(count)
		if err != nil {
			log.Fatal(err)
		}
		if yes {
			fmt.Println("above the threshold on day", day)
			break
		}
	}
	// Output: above the threshold on day 4
}

func ExamplePrivateMean_Of() {
	m := dp.PrivateMean{Eps: 1, Lo: 0, Hi: 100, Rand: dp.Seed(4)}
	v, err := m.Of(ages())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", v)
	// Output: 34.3
}

func ExamplePrivateQuantile_Of() {
	v, err := dp.PrivateQuantile{Eps: 1, Q: 0.5, Lo: 0, Hi: 100, Rand: dp.Seed(5)}.Of(ages())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f\n", v)
	// Output: 30
}

func ExamplePrivateHistogram_Of() {
	v, err := dp.PrivateHistogram{Eps: 1, Edges: []float64{20, 40, 60, 80}, Rand: dp.Seed(6)}.Of(ages())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	// Output: [721 236 52]
}

// Each person lies with a known probability; the collector corrects for it.
func ExampleRandomizedResponse_Frequencies() {
	m := dp.RandomizedResponse{Eps: 1, Rand: dp.Seed(7)}
	var reports []float64
	for i := range 10000 {
		truth := 0
		if i%10 < 3 {
			truth = 1
		}
		r, err := m.Respond(truth)
		if err != nil {
			log.Fatal(err)
		}
		reports = append(reports, float64(r))
	}
	f, err := m.Frequencies(reports)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("share of yes: %.2f\n", f[1])
	// Output: share of yes: 0.30
}

// A private kernel machine: the rings that no line separates.
func ExampleKernelMachine() {
	train, test := dp.NestedBalls(10000, 2, dp.Seed(1)).Split(0.8, dp.Seed(2))
	m, err := dp.KernelMachine{
		Features: dp.RandomFeatures{Kernel: dp.GaussianKernel(20), Count: 60, Rand: dp.Seed(3)},
		Trainer:  dp.ObjectivePerturbation{Eps: 2, Rand: dp.Seed(4)},
	}.Train(train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dp.ErrorRate(m, test) < 0.12, m.Guarantee.Eps)
	// Output: true 2
}

// Choosing among regularisations with private data only: the price is rows, not budget.
func ExamplePrivateTuning() {
	train := dp.NestedBalls(8000, 2, dp.Seed(1))
	features, err := dp.RandomFeatures{Kernel: dp.GaussianKernel(20), Count: 60, Rand: dp.Seed(3)}.Map(2)
	if err != nil {
		log.Fatal(err)
	}
	var candidates []dp.Trainer
	for _, lambda := range []float64{1e-3, 1e-1, 10} {
		candidates = append(candidates, dp.KernelMachine{Map: features, Trainer: dp.ObjectivePerturbation{Eps: 1, Lambda: lambda}})
	}
	out, err := dp.PrivateTuning{Candidates: candidates, Rand: dp.Seed(2)}.Run(train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Index < 2, out.Guarantee.Eps)
	// Output: true 1
}

// Best of a secret random number of repetitions: three times the price of one, however many there were.
func ExampleBestOf() {
	b := dp.BestOf{Candidates: []dp.Trainer{
		dp.ObjectivePerturbation{Eps: 0.5, Lambda: 1e-3},
		dp.ObjectivePerturbation{Eps: 0.5, Lambda: 1e-2},
	}, Stop: dp.GeometricStopping(0.1)}
	g, err := b.Claim(dp.NestedBalls(1000, 2, dp.Seed(1)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Eps)
	// Output: 1.5
}

// Only data declared public can be cross-validated on.
func ExampleCrossValidation() {
	public, err := dp.DeclarePublic(dp.NestedBalls(600, 2, dp.Seed(1)), "simulated")
	if err != nil {
		log.Fatal(err)
	}
	f := dp.RandomFeatures{Count: 60, Rand: dp.Seed(2)}
	var candidates []dp.Trainer
	for _, gamma := range []float64{0.001, 20} {
		f.Kernel = dp.GaussianKernel(gamma)
		candidates = append(candidates, dp.KernelMachine{Features: f, Trainer: dp.NonPrivate{Lambda: 1e-4}})
	}
	cv, err := dp.CrossValidation{Candidates: candidates, Rand: dp.Seed(3)}.Run(public)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("best candidate:", cv.Index)
	// Output: best candidate: 1
}
