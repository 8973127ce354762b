package dp

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// GammaNorm is the law on ℝ^Dim with density e^{−Kappa‖b‖₂}/α, the noise of output and objective perturbation. Its norm is
// Gamma distributed with shape Dim and scale 1/Kappa and its direction uniform. Dim = 1 is the Laplace law of scale
// 1/Kappa. It is not a product of Laplace laws: coordinates are uncorrelated but dependent.
// (Chaudhuri, Monteleoni, Sarwate 2011, Algorithms 1 and 2.)
type GammaNorm struct {
	Dim   int     // ≥ 1
	Kappa float64 // > 0
}

// Sample draws one vector exactly (in real arithmetic): the norm is a sum of Dim exponentials, the direction a normalised
// Gaussian. Cost O(Dim).
func (g GammaNorm) Sample(src *Source) []float64 {
	b := make([]float64, g.Dim)
	r := 0.0
	for range b {
		r += src.Exp()
	}
	r /= g.Kappa
	for {
		s := 0.0
		for j := range b {
			b[j] = src.Norm()
			s += b[j] * b[j]
		}
		if s > 0 {
			s = r / math.Sqrt(s)
			for j := range b {
				b[j] *= s
			}
			return b
		}
	}
}

// LogNormaliser is ln α = ln 2 + (d/2) ln π + lnΓ(d) − lnΓ(d/2) − d ln κ.
func (g GammaNorm) LogNormaliser() float64 {
	d := float64(g.Dim)
	a, _ := math.Lgamma(d)
	b, _ := math.Lgamma(d / 2)
	return math.Ln2 + d/2*math.Log(math.Pi) + a - b - d*math.Log(g.Kappa)
}

// LogDensity is −κ‖b‖ − ln α. It panics if b does not have length Dim.
func (g GammaNorm) LogDensity(b []float64) float64 {
	if len(b) != g.Dim {
		panic(badArg("GammaNorm.LogDensity", "b", len(b), "must have length Dim"))
	}
	return -g.Kappa*norm2(b) - g.LogNormaliser()
}

// MeanNorm is E‖b‖ = d/κ.
func (g GammaNorm) MeanNorm() float64 { return float64(g.Dim) / g.Kappa }

// VarNorm is Var‖b‖ = d/κ².
func (g GammaNorm) VarNorm() float64 { return float64(g.Dim) / (g.Kappa * g.Kappa) }

// CoordVar is the variance of each coordinate, (d+1)/κ².
func (g GammaNorm) CoordVar() float64 { return float64(g.Dim+1) / (g.Kappa * g.Kappa) }

// NormCDF is P(‖b‖ ≤ r).
func (g GammaNorm) NormCDF(r float64) float64 {
	if r <= 0 {
		return 0
	}
	return mathext.GammaIncReg(float64(g.Dim), r*g.Kappa)
}

// NormQuantile is the exact p-quantile of ‖b‖, 0 ≤ p < 1.
func (g GammaNorm) NormQuantile(p float64) float64 {
	if !(p >= 0 && p < 1) {
		panic(badArg("GammaNorm.NormQuantile", "p", p, "must lie in [0, 1)"))
	}
	return mathext.GammaIncRegInv(float64(g.Dim), p) / g.Kappa
}

// TailBound is the papers' bound on the norm: ‖b‖ ≤ d ln(d/δ)/κ with probability at least 1−δ. It is exact for d = 1 and
// loose otherwise; NormQuantile(1−δ) is exact.
func (g GammaNorm) TailBound(delta float64) float64 {
	d := float64(g.Dim)
	return d * math.Log(d/delta) / g.Kappa
}

// norm2 is the Euclidean norm, safe against overflow.
func norm2(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s = math.Hypot(s, x)
	}
	return s
}
