package dp

import (
	"fmt"
	"math"
)

// GammaVector releases a vector answer with noise whose density depends on its Euclidean norm only,
//
//	ν(b) ∝ exp(−κ‖b‖₂) on ℝ^d,  κ = ε/Δ,
//
// which is ε-DP for L2 sensitivity Δ. The norm has the law Gamma(d, 1/κ) and the direction is uniform; in one dimension it
// is the Laplace mechanism. The law itself is [GammaNorm]. This is the noise of output and objective perturbation (Chaudhuri and Monteleoni 2008).
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

// law is the noise in dim dimensions.
func (m GammaVector) law(dim int) GammaNorm { return GammaNorm{Dim: dim, Kappa: m.Kappa()} }

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
	out := m.law(len(v)).Sample(src)
	for i, x := range v {
		out[i] += x
	}
	return out, nil
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

// LogDensity returns the log density of the output y when the answer is value. It panics if their lengths differ.
func (m GammaVector) LogDensity(value, y []float64) float64 {
	if len(value) != len(y) {
		panic(badArg("GammaVector.LogDensity", "y", fmt.Sprintf("%d coordinates", len(y)), fmt.Sprintf("value has %d", len(value))))
	}
	b := make([]float64, len(y))
	for i, v := range value {
		b[i] = y[i] - v
	}
	return m.law(len(b)).LogDensity(b)
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
	return m.law(dim).NormQuantile(p), nil
}
