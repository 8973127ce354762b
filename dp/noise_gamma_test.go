package dp

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

func TestGammaNormOracles(t *testing.T) {
	for _, o := range oracles(t, "GammaNormNoise") {
		g := GammaNorm{Dim: int(o.num("d")), Kappa: o.num("kappa")}
		near(t, o.ID+" mean", g.MeanNorm(), o.out("E_norm"), 1e-12)
		near(t, o.ID+" var", g.VarNorm(), o.out("Var_norm"), 1e-12)
		near(t, o.ID+" coord", g.CoordVar(), o.out("coord_var"), 1e-12)
		near(t, o.ID+" log normaliser", g.LogNormaliser(), o.out("log_normaliser"), 1e-12)
		near(t, o.ID+" q50", g.NormQuantile(0.5), o.out("q50"), 1e-9)
		near(t, o.ID+" q95", g.NormQuantile(0.95), o.out("q95"), 1e-9)
		near(t, o.ID+" q99", g.NormQuantile(0.99), o.out("q99"), 1e-9)
		near(t, o.ID+" second moment", g.VarNorm()+g.MeanNorm()*g.MeanNorm(), o.out("E_norm_sq"), 1e-12)
	}
	for _, o := range oracles(t, "NormTailBound") {
		g := GammaNorm{Dim: int(o.num("d")), Kappa: o.num("kappa")}
		near(t, o.ID, g.TailBound(o.num("delta")), o.out("paper_bound"), 1e-12)
		near(t, o.ID, g.NormQuantile(1-o.num("delta")), o.out("exact_quantile"), 1e-9)
	}
}

// The norm against its Gamma law (Kolmogorov–Smirnov) and one coordinate of the direction against the arcsine-type law of
// a uniform direction. Each of the 6 tests raises a false alarm with probability 1e-6; the seeds are fixed.
func TestGammaNormSampler(t *testing.T) {
	const n = 40_000
	for i, d := range []int{1, 2, 30} {
		g := GammaNorm{Dim: d, Kappa: 0.3}
		src := Seed(uint64(i))
		norms, cosines := make([]float64, n), make([]float64, n)
		for k := range norms {
			b := g.Sample(src)
			norms[k] = norm2(b)
			cosines[k] = b[0] / norms[k]
		}
		if dist := ksDistance(norms, g.NormCDF); dist > ksLimit(n, 1e-6) {
			t.Errorf("d=%d: KS distance of the norm %g", d, dist)
		}
		if d == 1 {
			plus := 0.0
			for _, c := range cosines {
				if c > 0 {
					plus++
				}
			}
			// 5 standard deviations: false alarm 6e-7.
			if math.Abs(plus-n/2) > 5*math.Sqrt(n)/2 {
				t.Errorf("d=1: %g of %d positive", plus, n)
			}
			continue
		}
		// (1+cos)/2 of a uniform direction in dimension d is Beta((d−1)/2, (d−1)/2).
		cdf := func(c float64) float64 { return mathext.RegIncBeta(float64(d-1)/2, float64(d-1)/2, (1+c)/2) }
		if dist := ksDistance(cosines, cdf); dist > ksLimit(n, 1e-6) {
			t.Errorf("d=%d: KS distance of the direction %g", d, dist)
		}
	}
}

func TestGammaNormDensityIntegrates(t *testing.T) {
	// d = 1: ∫ density = 1 by the trapezoid rule; d = 1 is Laplace(1/κ) with density κ/2·e^{−κ|b|}.
	g := GammaNorm{Dim: 1, Kappa: 0.7}
	for _, b := range []float64{-3, 0, 0.2, 11} {
		near(t, "laplace density", g.LogDensity([]float64{b}), math.Log(0.35)-0.7*math.Abs(b), 1e-13)
	}
}
