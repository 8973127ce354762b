package dp

import "math"

// Laplace releases a numeric answer with independent Laplace noise: for a query f with L1 sensitivity Δ,
//
//	f(D) + (b·Lap, …, b·Lap),  b = Δ/ε,  density (1/2b) e^{−|y|/b} per coordinate,
//
// is ε-DP (Dwork, McSherry, Nissim and Smith 2006).
//
// In floating point the theorem holds only approximately (Mironov 2012). With Grid = g > 0 the answer is rounded to
// multiples of g and the noise is discrete Laplace drawn by integer arithmetic, see [DiscreteLaplace]: that guarantee is
// exact, for a scale larger by at most one grid step per coordinate. [SnappedLaplace] is Mironov's own remedy.
type Laplace struct {
	Eps         float64                 // ε > 0
	Sensitivity float64                 // Δ, the L1 sensitivity; 0 means 1
	Query       func(d *Data) []float64 // the question; its number of answers must not depend on the data
	Grid        float64                 // granularity, a power of two; 0 means continuous noise
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m Laplace) check() error {
	if err := checkEps("Laplace", m.Eps); err != nil {
		return err
	}
	if err := checkSensitivity("Laplace", m.Sensitivity); err != nil {
		return err
	}
	if err := checkGranularity("Laplace", m.Grid); err != nil {
		return err
	}
	if s := orOne(m.Sensitivity) / m.Eps; !positive(s) {
		return badArg("Laplace", "Sensitivity/Eps", s, "the noise scale must be a finite number above 0")
	}
	return checkRelation("Laplace", m.Neighbours)
}

// discrete is the mechanism that Grid stands for.
func (m Laplace) discrete() DiscreteLaplace {
	return DiscreteLaplace{Eps: m.Eps, Sensitivity: m.Sensitivity, Query: m.Query, Grid: m.Grid, Neighbours: m.Neighbours, Rand: m.Rand, Ledger: m.Ledger}
}

// Hardened returns the mechanism with Grid set to the power of two at or below 2⁻²⁰ of the sensitivity: an exact guarantee
// for a millionth more noise.
func (m Laplace) Hardened() Laplace {
	m.Grid = gridFor(orOne(m.Sensitivity))
	return m
}

// gridFor is the default granularity for answers of sensitivity s.
func gridFor(s float64) float64 {
	_, e := math.Frexp(s)
	return math.Ldexp(1, e-21)
}

// Scale returns b = Δ/ε (with a Grid: of a scalar answer, Δ rounded up to the grid).
func (m Laplace) Scale() float64 {
	if m.Grid > 0 {
		return m.discrete().Scale()
	}
	return orOne(m.Sensitivity) / m.Eps
}

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m Laplace) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	if m.Grid > 0 {
		return m.discrete().Claim(d)
	}
	g := toolClaim("Laplace mechanism", "density ratio at most exp(ε‖f(D)−f(D')‖₁/Δ)", "Dwork, McSherry, Nissim and Smith 2006", m.Eps, 0, m.Neighbours,
		assumeSensitivity("L1", orOne(m.Sensitivity), m.Neighbours), assumeReals())
	return settle(pureRho(g), d, nil), nil
}

// Release returns Query(d) plus noise. It errs on bad parameters, a nil Query, an answer that is not finite, or a ledger
// that refuses; then nothing was drawn.
func (m Laplace) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.Grid > 0 {
		return m.discrete().Release(d, src)
	}
	v, err := ask("Laplace.Release", m.Query, d)
	if err != nil {
		return nil, err
	}
	return m.release(d, v, src)
}

// Perturb returns value plus noise, for a number one already has.
func (m Laplace) Perturb(value float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if m.Grid > 0 {
		return m.discrete().Perturb(value)
	}
	if err := checkFinite("Laplace.Perturb", "value", []float64{value}); err != nil {
		return 0, err
	}
	v, err := m.release(nil, []float64{value}, m.Rand)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

func (m Laplace) release(d *Data, v []float64, src *Source) ([]float64, error) {
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return nil, err
	}
	out, b := make([]float64, len(v)), m.Scale()
	for i, x := range v {
		out[i] = x + b*laplaceNoise(src)
	}
	return out, nil
}

// laplaceNoise draws from the Laplace law of scale 1.
func laplaceNoise(src *Source) float64 {
	e := src.Exp()
	if src.Uint64()>>63 == 0 {
		return e
	}
	return -e
}

// LogDensity returns the log density of the output y when the answer is value, per coordinate: −|y−value|/b − ln 2b.
// With a Grid it is the log mass of the grid point y (−Inf off the grid).
func (m Laplace) LogDensity(value, y float64) float64 {
	if m.Grid > 0 {
		return m.discrete().LogMass(value, y)
	}
	b := m.Scale()
	return -math.Abs(y-value)/b - math.Log(2*b)
}

// CDF returns P(output ≤ y) when the answer is value.
func (m Laplace) CDF(value, y float64) float64 {
	if m.Grid > 0 {
		return m.discrete().CDF(value, y)
	}
	return laplaceCDF((y - value) / m.Scale())
}

func laplaceCDF(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / 2
	}
	return 1 - math.Exp(-x)/2
}

// ErrorQuantile returns the t with P(|output − value| ≤ t) = p for a scalar answer: b ln(1/(1−p)). With a Grid it is the
// smallest multiple of the grid with at least that probability, plus half a step for the rounding of the answer.
func (m Laplace) ErrorQuantile(p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if m.Grid > 0 {
		return m.discrete().ErrorQuantile(p)
	}
	if err := checkP("Laplace.ErrorQuantile", p); err != nil {
		return 0, err
	}
	return -m.Scale() * math.Log1p(-p), nil
}
