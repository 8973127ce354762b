package dp

import (
	"math"

	"example.org/godp/dp/internal/exact"
)

// DiscreteLaplace releases a numeric answer on the grid gℤ with discrete Laplace (two-sided geometric) noise: the answer
// is rounded to the grid, and noise with mass
//
//	P(k) = (1−q)/(1+q) · q^|k|,  q = e^{−ε/S},  k ∈ ℤ (grid steps)
//
// is added to each of its K coordinates, where S = ⌈Δ/g⌉ + K − 1 bounds the L1 sensitivity of the rounded answer in grid steps. This is
// ε-DP exactly (Ghosh, Roughgarden and Sundararajan 2009), and nothing is rounded after the answer: sampling is integer
// arithmetic (Canonne, Kamath and Steinke 2020, Algorithm 2). Rounding the query itself may do is part of Δ. (The noise is
// that of ε rounded down to 32 bits; answers beyond 2⁶¹ grid steps are moved to that bound, which costs nothing.)
type DiscreteLaplace struct {
	Eps         float64                 // ε > 0
	Sensitivity float64                 // Δ, the L1 sensitivity before rounding; 0 means 1
	Query       func(d *Data) []float64 // the question; its number of answers must not depend on the data
	Grid        float64                 // g, a power of two; 0 means 1 (integers)
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m DiscreteLaplace) check() error {
	if err := checkEps("DiscreteLaplace", m.Eps); err != nil {
		return err
	}
	if err := checkSensitivity("DiscreteLaplace", m.Sensitivity); err != nil {
		return err
	}
	if err := checkGranularity("DiscreteLaplace", m.Grid); err != nil {
		return err
	}
	if s := orOne(m.Sensitivity) / orOne(m.Grid); !(s < 1<<52) || !positive(s/m.Eps) {
		return badArg("DiscreteLaplace", "Sensitivity/Grid", s, "must be below 2^52 grid steps; choose a coarser Grid")
	}
	return checkRelation("DiscreteLaplace", m.Neighbours)
}

// steps is S, the sensitivity of a rounded answer with k coordinates, in grid steps.
func (m DiscreteLaplace) steps(k int) float64 {
	return math.Ceil(orOne(m.Sensitivity)/orOne(m.Grid)) + float64(k-1)
}

// Scale returns g·S/ε for a scalar answer: the scale of the noise in the units of the answer.
func (m DiscreteLaplace) Scale() float64 { return orOne(m.Grid) * m.steps(1) / shortDown(m.Eps) }

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m DiscreteLaplace) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim("discrete Laplace mechanism", "adjacent rounded answers have mass ratio at most e^ε", "Ghosh, Roughgarden and Sundararajan 2009; Canonne, Kamath and Steinke 2020", m.Eps, 0, m.Neighbours,
		assumeSensitivity("L1", orOne(m.Sensitivity), m.Neighbours), exactIntegers(orOne(m.Grid)))
	return settle(pureRho(g), d, nil), nil
}

// Release returns Query(d), rounded to the grid, plus noise.
func (m DiscreteLaplace) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	v, err := ask("DiscreteLaplace.Release", m.Query, d)
	if err != nil {
		return nil, err
	}
	return m.release(d, v, src)
}

// Perturb returns value, rounded to the grid, plus noise.
func (m DiscreteLaplace) Perturb(value float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if err := checkFinite("DiscreteLaplace.Perturb", "value", []float64{value}); err != nil {
		return 0, err
	}
	v, err := m.release(nil, []float64{value}, m.Rand)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// law is the noise for an answer with k coordinates.
func (m DiscreteLaplace) law(k int) (*exact.Laplace, error) {
	return laplaceLaw(m.steps(k), shortDown(m.Eps))
}

func (m DiscreteLaplace) release(d *Data, v []float64, src *Source) ([]float64, error) {
	src = orSecure(src)
	law, err := m.law(len(v))
	if err != nil {
		return nil, err
	}
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return nil, err
	}
	out, grid := make([]float64, len(v)), orOne(m.Grid)
	for i, x := range v {
		out[i] = float64(toGrid(x, grid)+law.Sample(src)) * grid
	}
	return out, nil
}

// LogMass returns the log probability of the output y when the (scalar) answer is value; −Inf if y is not on the grid.
func (m DiscreteLaplace) LogMass(value, y float64) float64 {
	k := y/orOne(m.Grid) - float64(toGrid(value, orOne(m.Grid)))
	if k != math.Trunc(k) {
		return math.Inf(-1)
	}
	a := shortDown(m.Eps) / m.steps(1) // −ln q
	return math.Log(math.Tanh(a/2)) - a*math.Abs(k)
}

// CDF returns P(output ≤ y) when the (scalar) answer is value.
func (m DiscreteLaplace) CDF(value, y float64) float64 {
	k := math.Floor(y/orOne(m.Grid)) - float64(toGrid(value, orOne(m.Grid)))
	return geometricCDF(k, shortDown(m.Eps)/m.steps(1))
}

// geometricCDF is P(X ≤ k) for the two-sided geometric law with q = e^{−a}.
func geometricCDF(k, a float64) float64 {
	if k < 0 {
		return math.Exp(a*k) / (1 + math.Exp(-a))
	}
	return 1 - math.Exp(-a*(k+1))/(1+math.Exp(-a))
}

// ErrorQuantile returns a t with P(|output − value| ≤ t) ≥ p for a scalar answer: half a grid step for the rounding (none
// if the answer is on the grid: then subtract Grid/2) plus the smallest multiple of the grid that noise stays within.
func (m DiscreteLaplace) ErrorQuantile(p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if err := checkP("DiscreteLaplace.ErrorQuantile", p); err != nil {
		return 0, err
	}
	return orOne(m.Grid) * (geometricQuantile(p, shortDown(m.Eps)/m.steps(1)) + 0.5), nil
}

// geometricQuantile is the smallest k ≥ 0 with P(|X| ≤ k) = 1 − 2e^{−a(k+1)}/(1+e^{−a}) ≥ p.
func geometricQuantile(p, a float64) float64 {
	within := func(k float64) float64 { return 1 - 2*math.Exp(-a*(k+1))/(1+math.Exp(-a)) }
	k := math.Max(0, math.Floor(-(math.Log1p(-p)+math.Log1p(math.Exp(-a))-math.Ln2)/a-1))
	for k > 0 && within(k-1) >= p {
		k--
	}
	for within(k) < p {
		k++
	}
	return k
}
