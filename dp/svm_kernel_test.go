package dp

import (
	"math"
	"testing"
)

func TestOracleSpectralDensities(t *testing.T) {
	o := rpOracle(t, "R26")
	w, s := o.list("omega"), o.in("sigma")
	o.want("rbf", RBF(s).SpectralDensity(w))
	o.want("rbf_published", RBF(1).SpectralDensity(w)) // the table prints the density without σ
	o.want("laplacian", Laplacian(s).SpectralDensity(w))
	o.want("laplacian_sigma1", Laplacian(1).SpectralDensity(w))
	o.want("cauchy", Cauchy(s).SpectralDensity(w))
	o.want("cauchy_published", Cauchy(1).SpectralDensity(w)*math.Pow(2, float64(len(w)))) // mass 2^d
}

// The empirical characteristic function of the frequencies must be the kernel: 40,000 draws, |cos| ≤ 1, so by Hoeffding
// a deviation of 0.02 has probability below 2·exp(−40000·0.02²/2) = 7e-4 for each of the six checks (fixed seed).
func TestFrequenciesMatchKernel(t *testing.T) {
	x, y := []float64{0.3, -0.7}, []float64{-0.1, 0.4}
	for _, k := range []Kernel{RBF(1), RBF(2), Laplacian(1), Laplacian(0.5), Cauchy(1), Cauchy(1.7)} {
		ws, err := k.Frequencies(40000, 2, Seed(11))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, w := range ws {
			sum += math.Cos(w[0]*(x[0]-y[0]) + w[1]*(x[1]-y[1]))
		}
		if got, want := sum/40000, k.Eval(x, y); math.Abs(got-want) > 0.02 {
			t.Errorf("%s: E cos = %g, kernel = %g", k, got, want)
		}
		if v := k.Eval(x, x); v != 1 {
			t.Errorf("%s: k(x,x) = %g, want 1", k, v)
		}
	}
}

func TestKernelRefusals(t *testing.T) {
	for _, k := range []Kernel{RBF(0), Laplacian(-1), Cauchy(math.NaN()), Polynomial(0, 1, 1), Polynomial(2, 1, -1), Polynomial(2, 0, 1)} {
		if k.check("test") == nil {
			t.Errorf("%s: accepted", k)
		}
	}
	if _, err := Polynomial(2, 1, 1).Frequencies(3, 2, Seed(1)); err == nil {
		t.Error("polynomial kernel gave frequencies")
	}
}
