package dp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// GammaVector releases a vector answer with noise whose density depends on its Euclidean norm only,
//
//	ν(b) ∝ exp(−κ‖b‖₂) on ℝ^d,  κ = ε/Δ,
//
// which is ε-DP for L2 sensitivity Δ. The norm has the law Gamma(d, 1/κ) and the direction is uniform; in one dimension it
// is the Laplace mechanism. This is the noise of output and objective perturbation (Chaudhuri and Monteleoni 2008).
// Compared with independent Laplace noise of the same ε, it pays d/κ in norm for an L2 bound where Laplace needs an L1
// bound, which can be √d larger.
//
// The noise is drawn in floating point. An exact alternative for vectors is [DiscreteLaplace] with Δ₁ ≤ √d·Δ.
type GammaVector struct {
	Eps         float64                 // ε > 0
	Sensitivity float64                 // Δ, the L2 sensitivity; 0 means 1
	Query       func(d *Data) []float64 // the question; its number of answers must not depend on the data
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m GammaVector) check() error {
	if err := checkEps("GammaVector", m.Eps); err != nil {
		return err
	}
	if err := checkSensitivity("GammaVector", m.Sensitivity); err != nil {
		return err
	}
	if k := m.Kappa(); !positive(k) || !positive(1/k) {
		return badArg("GammaVector", "Eps/Sensitivity", k, "the exponent κ must be a finite number above 0")
	}
	return checkRelation("GammaVector", m.Neighbours)
}

// Kappa is the exponent κ = ε/Δ.
func (m GammaVector) Kappa() float64 { return m.Eps / orOne(m.Sensitivity) }

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m GammaVector) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim(fmt.Sprintf("ℓ2-Gamma vector mechanism (κ = %.6g)", m.Kappa()), "density ratio at most exp(κ‖f(D)−f(D')‖₂)", "Chaudhuri and Monteleoni 2008", m.Eps, 0, m.Neighbours,
		assumeSensitivity("L2", orOne(m.Sensitivity), m.Neighbours), assumeReals())
	g.Assumptions[1].Detail = "it is drawn in floating point (Mironov 2012); dp.DiscreteLaplace on a grid is exact"
	return settle(pureRho(g), d, nil), nil
}

// Release returns Query(d) plus noise.
func (m GammaVector) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	v, err := ask("GammaVector.Release", m.Query, d)
	if err != nil {
		return nil, err
	}
	return m.release(d, v, src)
}

// Perturb returns value plus noise.
func (m GammaVector) Perturb(value []float64) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if len(value) == 0 {
		return nil, badArg("GammaVector.Perturb", "value", "empty", "at least one coordinate is needed")
	}
	if err := checkFinite("GammaVector.Perturb", "value", value); err != nil {
		return nil, err
	}
	return m.release(nil, value, m.Rand)
}

func (m GammaVector) release(d *Data, v []float64, src *Source) ([]float64, error) {
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return nil, err
	}
	out := gammaVectorNoise(src, len(v), m.Kappa())
	for i, x := range v {
		out[i] += x
	}
	return out, nil
}

// gammaVectorNoise draws from the law on ℝ^d with density ∝ exp(−κ‖b‖): the norm is a sum of d exponentials of mean 1/κ (d up
// to 64; beyond that Marsaglia and Tsang's method), the direction that of a normal vector.
func gammaVectorNoise(src *Source, d int, kappa float64) []float64 {
	b, norm := make([]float64, d), 0.0
	for norm == 0 {
		for i := range b {
			b[i] = src.Norm()
			norm = math.Hypot(norm, b[i])
		}
	}
	r := gammaNoise(src, float64(d)) / kappa / norm
	for i := range b {
		b[i] *= r
	}
	return b
}

// gammaNoise draws from Gamma(shape, 1), shape ≥ 1/2 (Marsaglia and Tsang 2000; sums of exponentials for small whole shapes).
func gammaNoise(src *Source, shape float64) float64 {
	if shape == math.Trunc(shape) && shape <= 64 {
		r := 0.0
		for range int(shape) {
			r += src.Exp()
		}
		return r
	}
	if shape < 1 { // boost: Gamma(a) = Gamma(a+1)·U^{1/a}
		return gammaNoise(src, shape+1) * math.Exp(-src.Exp()/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := src.Norm()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if -src.Exp() < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// LogNormaliser is ln α of the density α⁻¹ exp(−κ‖b‖) on ℝ^dim: ln 2 + (dim/2) ln π + ln Γ(dim) − ln Γ(dim/2) − dim·ln κ.
func (m GammaVector) LogNormaliser(dim int) float64 {
	n := float64(dim)
	a, _ := math.Lgamma(n)
	b, _ := math.Lgamma(n / 2)
	return math.Ln2 + n/2*math.Log(math.Pi) + a - b - n*math.Log(m.Kappa())
}

// LogDensity returns the log density of the output y when the answer is value. It panics if their lengths differ.
func (m GammaVector) LogDensity(value, y []float64) float64 {
	if len(value) != len(y) {
		panic(badArg("GammaVector.LogDensity", "y", fmt.Sprintf("%d coordinates", len(y)), fmt.Sprintf("value has %d", len(value))))
	}
	norm := 0.0
	for i, v := range value {
		norm = math.Hypot(norm, y[i]-v)
	}
	return -m.Kappa()*norm - m.LogNormaliser(len(value))
}

// NormCDF returns P(‖noise‖ ≤ r) in dim dimensions: the regularised incomplete gamma function P(dim, κr).
func (m GammaVector) NormCDF(dim int, r float64) float64 {
	if r <= 0 {
		return 0
	}
	return mathext.GammaIncReg(float64(dim), m.Kappa()*r)
}

// ErrorQuantile returns the t with P(‖noise‖₂ ≤ t) = p in dim dimensions, the quantile of Gamma(dim, 1/κ).
func (m GammaVector) ErrorQuantile(dim int, p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if dim < 1 {
		return 0, badArg("GammaVector.ErrorQuantile", "dim", dim, "must be at least 1")
	}
	if err := checkP("GammaVector.ErrorQuantile", p); err != nil {
		return 0, err
	}
	return distuv.Gamma{Alpha: float64(dim), Beta: m.Kappa()}.Quantile(p), nil
}

// TailBound returns the published bound dim·ln(dim/(1−p))/κ on the same quantile (Chaudhuri and Monteleoni 2008, Lemma 5): valid
// for every dim, an equality at dim = 1, and loose otherwise.
func (m GammaVector) TailBound(dim int, p float64) (float64, error) {
	if _, err := m.ErrorQuantile(dim, p); err != nil {
		return 0, err
	}
	return float64(dim) * math.Log(float64(dim)/(1-p)) / m.Kappa(), nil
}
