package dp

import (
	"fmt"
	"math"
)

// Gaussian releases a numeric answer with independent normal noise of the smallest standard deviation σ that is
// (ε, δ)-DP for L2 sensitivity Δ: the σ that solves
//
//	δ = Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ)
//
// (the analytic Gaussian mechanism; Balle and Wang 2018, Theorem 8). The release is Δ²/(2σ²)-zCDP as well.
//
// In floating point the theorem holds only approximately. With Grid = g > 0 the answer is rounded to multiples of g and
// the noise is discrete Gaussian drawn by integer arithmetic, see [DiscreteGaussian]: that guarantee is exact.
type Gaussian struct {
	Eps, Delta  float64                 // ε > 0, 0 < δ < 1
	Sensitivity float64                 // Δ, the L2 sensitivity; 0 means 1
	Query       func(d *Data) []float64 // the question; its number of answers must not depend on the data
	Grid        float64                 // granularity, a power of two; 0 means continuous noise
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m Gaussian) check() error {
	if err := checkEps("Gaussian", m.Eps); err != nil {
		return err
	}
	if err := checkDelta("Gaussian", m.Delta); err != nil {
		return err
	}
	if err := checkSensitivity("Gaussian", m.Sensitivity); err != nil {
		return err
	}
	if err := checkGranularity("Gaussian", m.Grid); err != nil {
		return err
	}
	return checkRelation("Gaussian", m.Neighbours)
}

func (m Gaussian) discrete() DiscreteGaussian {
	return DiscreteGaussian{Eps: m.Eps, Delta: m.Delta, Sensitivity: m.Sensitivity, Query: m.Query, Grid: m.Grid, Neighbours: m.Neighbours, Rand: m.Rand, Ledger: m.Ledger}
}

// Hardened returns the mechanism with Grid set to the power of two at or below 2⁻²⁰ of the sensitivity.
func (m Gaussian) Hardened() Gaussian {
	m.Grid = gridFor(orOne(m.Sensitivity))
	return m
}

// Sigma returns the standard deviation of the noise (with a Grid: the parameter σ for a scalar answer).
func (m Gaussian) Sigma() (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if m.Grid > 0 {
		return m.discrete().Sigma(1)
	}
	return GaussianSigma(m.Eps, m.Delta, orOne(m.Sensitivity))
}

// Claim returns the (ε, δ) guarantee with its zCDP parameter. It does not look at d, which may be nil.
func (m Gaussian) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	if m.Grid > 0 {
		return m.discrete().Claim(d)
	}
	sigma, err := m.Sigma()
	if err != nil {
		return Guarantee{}, err
	}
	g := toolClaim(fmt.Sprintf("Gaussian mechanism (σ = %.6g)", sigma), "analytic Gaussian mechanism, Theorem 8", "Balle and Wang 2018", m.Eps, m.Delta, m.Neighbours,
		assumeSensitivity("L2", orOne(m.Sensitivity), m.Neighbours), assumeReals())
	g.Rho = GaussianToZCDP(orOne(m.Sensitivity), sigma)
	return settle(g, d, nil), nil
}

// Release returns Query(d) plus noise.
func (m Gaussian) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	v, err := ask("Gaussian.Release", m.Query, d)
	if err != nil {
		return nil, err
	}
	if m.Grid > 0 {
		g := m.discrete()
		g.Dim = len(v) // the (ε, δ) level is the same for every dimension; the noise is not
		return g.release(d, v, src)
	}
	return m.release(d, v, src)
}

// Perturb returns value plus noise. Calibration is a bisection of a few microseconds; for many numbers use one Query.
func (m Gaussian) Perturb(value float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if m.Grid > 0 {
		return m.discrete().Perturb(value)
	}
	if err := checkFinite("Gaussian.Perturb", "value", []float64{value}); err != nil {
		return 0, err
	}
	v, err := m.release(nil, []float64{value}, m.Rand)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

func (m Gaussian) release(d *Data, v []float64, src *Source) ([]float64, error) {
	src = orSecure(src)
	sigma, err := m.Sigma()
	if err != nil {
		return nil, err
	}
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return nil, err
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x + sigma*src.Norm()
	}
	return out, nil
}

// LogDensity returns the log density of the output y when the answer is value, per coordinate (with a Grid the log mass).
// It is NaN for bad parameters.
func (m Gaussian) LogDensity(value, y float64) float64 {
	if m.Grid > 0 {
		return m.discrete().LogMass(value, y)
	}
	sigma, err := m.Sigma()
	if err != nil {
		return math.NaN()
	}
	z := (y - value) / sigma
	return -z*z/2 - math.Log(sigma) - math.Log(2*math.Pi)/2
}

// CDF returns P(output ≤ y) when the answer is value; NaN for bad parameters.
func (m Gaussian) CDF(value, y float64) float64 {
	if m.Grid > 0 {
		return m.discrete().CDF(value, y)
	}
	sigma, err := m.Sigma()
	if err != nil {
		return math.NaN()
	}
	return phi((y - value) / sigma)
}

// ErrorQuantile returns the t with P(|output − value| ≤ t) = p for a scalar answer: σ Φ⁻¹((1+p)/2). With a Grid see
// [DiscreteGaussian.ErrorQuantile].
func (m Gaussian) ErrorQuantile(p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if m.Grid > 0 {
		return m.discrete().ErrorQuantile(p)
	}
	if err := checkP("Gaussian.ErrorQuantile", p); err != nil {
		return 0, err
	}
	sigma, err := m.Sigma()
	if err != nil {
		return 0, err
	}
	return sigma * math.Sqrt2 * math.Erfcinv(1-p), nil
}

// GaussianDelta returns the smallest δ for which N(0, σ²) noise on a query of L2 sensitivity s is (eps, δ)-DP, eps ≥ 0:
// Φ(s/2σ − eps·σ/s) − e^eps Φ(−s/2σ − eps·σ/s) (Balle and Wang 2018, Theorem 8).
func GaussianDelta(eps, sigma, sensitivity float64) (float64, error) {
	if !(eps >= 0) || math.IsInf(eps, 1) {
		return 0, badArg("GaussianDelta", "eps", eps, "must be finite and at least 0")
	}
	if !positive(sigma) {
		return 0, badArg("GaussianDelta", "sigma", sigma, "must be a finite number above 0")
	}
	if !positive(sensitivity) {
		return 0, badArg("GaussianDelta", "sensitivity", sensitivity, "must be a finite number above 0")
	}
	return gaussianDelta(eps, sensitivity/sigma), nil
}

// gaussianDelta is the profile in terms of the signal-to-noise ratio r = s/σ.
func gaussianDelta(eps, r float64) float64 {
	a, b := r/2-eps/r, -r/2-eps/r
	if b < -30 { // Φ(b) underflows or e^eps overflows: multiply in logarithms
		return math.Max(0, phi(a)-math.Exp(eps+logPhi(b)))
	}
	return math.Max(0, phi(a)-math.Exp(eps)*phi(b))
}

// logPhi is ln Φ(x), also far in the left tail (asymptotic series with relative error below 1e-12 for x < −30).
func logPhi(x float64) float64 {
	if x > -30 {
		return math.Log(phi(x))
	}
	i := 1 / (x * x)
	return -x*x/2 - math.Log(-x) - math.Log(2*math.Pi)/2 + math.Log1p(-i*(1-3*i*(1-5*i*(1-7*i))))
}

// GaussianSigma returns the smallest σ for which N(0, σ²) noise on a query of L2 sensitivity s is (eps, delta)-DP, by
// bisection to full precision on [GaussianDelta].
func GaussianSigma(eps, delta, sensitivity float64) (float64, error) {
	if err := checkEps("GaussianSigma", eps); err != nil {
		return 0, err
	}
	if err := checkDelta("GaussianSigma", delta); err != nil {
		return 0, err
	}
	if !positive(sensitivity) {
		return 0, badArg("GaussianSigma", "sensitivity", sensitivity, "must be a finite number above 0")
	}
	return sensitivity * calibrated(eps, delta, 1, continuousNoise, func() float64 { return gaussianSigma(eps, delta) }), nil
}

// gaussianSigma is GaussianSigma for sensitivity 1.
func gaussianSigma(eps, delta float64) float64 {
	lo, hi := 1.0, 1.0 // of the ratio r = s/σ, in which δ increases
	for gaussianDelta(eps, lo) > delta {
		lo /= 2
	}
	for gaussianDelta(eps, hi) <= delta {
		hi *= 2
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if gaussianDelta(eps, mid) <= delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return 1 / lo
}
