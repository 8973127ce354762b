package dp

import (
	"fmt"
	"math"
)

// DiscreteGaussian releases a numeric answer on the grid gℤ with discrete Gaussian noise: the answer is rounded to the
// grid and noise with mass ∝ exp(−k²/(2σ²)), k ∈ ℤ in grid steps, is added to each of its K coordinates.
//
// The rounded answer has L2 sensitivity S = ⌈Δ/g⌉ (K = 1) or Δ/g + √K steps, and the release is S²/(2σ²)-zCDP (Canonne,
// Kamath and Steinke 2020, Theorem 4). For K = 1 the (ε, δ) level is the exact one,
//
//	δ = Σ_k max(0, P(k) − e^ε P(k+S)),
//
// bounded from above when σ is too large to sum; for K > 1 it follows from zCDP. Sampling is integer arithmetic, so the
// guarantee is exact; σ is rounded up to 20 significant bits to keep the integers short, and answers beyond 2⁶¹ grid steps are
// moved to that bound.
type DiscreteGaussian struct {
	Eps, Delta  float64                 // the level wanted: ε > 0, 0 < δ < 1
	Rho         float64                 // instead of Eps: the zCDP level ρ > 0 (Delta then only serves to report an ε; 0 means 1e-6)
	Sensitivity float64                 // Δ, the L2 sensitivity before rounding; 0 means 1
	Query       func(d *Data) []float64 // the question
	Dim         int                     // number K of answers of Query; 0 means 1
	Grid        float64                 // g, a power of two; 0 means 1 (integers)
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m DiscreteGaussian) check() error {
	const where = "DiscreteGaussian"
	if m.Rho != 0 {
		if !positive(m.Rho) {
			return badArg(where, "Rho", m.Rho, "must be a finite number above 0")
		}
		if m.Eps != 0 {
			return badArg(where, "Eps", m.Eps, "give either Eps and Delta or Rho, not both")
		}
		if m.Delta != 0 {
			if err := checkDelta(where, m.Delta); err != nil {
				return err
			}
		}
	} else {
		if err := checkEps(where, m.Eps); err != nil {
			return err
		}
		if err := checkDelta(where, m.Delta); err != nil {
			return err
		}
	}
	if err := checkSensitivity(where, m.Sensitivity); err != nil {
		return err
	}
	if err := checkGranularity(where, m.Grid); err != nil {
		return err
	}
	if s := orOne(m.Sensitivity) / orOne(m.Grid); !(s < 1<<40) {
		return badArg(where, "Sensitivity/Grid", s, "must be below 2^40 grid steps; choose a coarser Grid")
	}
	if m.Dim < 0 {
		return badArg(where, "Dim", m.Dim, "must be at least 1 (0 means 1)")
	}
	return checkRelation(where, m.Neighbours)
}

// steps is S, the L2 sensitivity of a rounded answer with k coordinates, in grid steps.
func (m DiscreteGaussian) steps(k int) float64 {
	s := orOne(m.Sensitivity) / orOne(m.Grid)
	if k == 1 {
		return math.Ceil(s)
	}
	return s + math.Sqrt(float64(k))
}

// sigma is the parameter in grid steps for k coordinates.
func (m DiscreteGaussian) sigma(k int) (float64, error) {
	s := m.steps(k)
	if m.Rho > 0 {
		return shortUp(s / math.Sqrt(2*m.Rho)), nil
	}
	if k == 1 {
		return calibrated(m.Eps, m.Delta, s, discreteScalar, func() float64 { return discreteGaussianSigma(m.Eps, m.Delta, s) }), nil
	}
	return calibrated(m.Eps, m.Delta, s, discreteVector, func() float64 { return zcdpSigma(m.Eps, m.Delta, s) }), nil
}

// zcdpSigma is the σ at which a query of L2 sensitivity s has the largest ρ = s²/(2σ²) whose conversion stays within (eps, delta).
func zcdpSigma(eps, delta, s float64) float64 {
	lo, err := DPToZCDPBudget(eps, delta)
	if err != nil {
		return math.NaN() // not reachable: the caller checked eps and delta
	}
	hi := 8 * (lo + eps)
	for range 60 {
		mid := (lo + hi) / 2
		if e, err := ZCDPToDPTight(mid, delta); err == nil && e <= eps {
			lo = mid
		} else {
			hi = mid
		}
	}
	return shortUp(s / math.Sqrt(2*lo))
}

// Sigma returns gσ, the parameter of the noise in the units of the answer, for an answer with k coordinates. (The standard
// deviation is slightly smaller; they agree to 1e-8 once σ exceeds one and a half grid steps.)
func (m DiscreteGaussian) Sigma(k int) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if k < 1 {
		return 0, badArg("DiscreteGaussian.Sigma", "k", k, "must be at least 1")
	}
	s, err := m.sigma(k)
	return orOne(m.Grid) * s, err
}

// Claim returns the guarantee. It does not look at d, which may be nil.
func (m DiscreteGaussian) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	k := max(1, m.Dim)
	sigma, err := m.sigma(k)
	if err != nil {
		return Guarantee{}, err
	}
	rho, eps, delta := GaussianToZCDP(m.steps(k), sigma), m.Eps, m.Delta
	if m.Rho > 0 {
		if delta == 0 {
			delta = 1e-6
		}
		if eps, err = ZCDPToDPTight(rho, delta); err != nil {
			return Guarantee{}, err
		}
	}
	g := toolClaim(fmt.Sprintf("discrete Gaussian mechanism (σ = %.6g grid steps of %g)", sigma, orOne(m.Grid)), "S²/(2σ²)-zCDP, Theorem 4; exact δ, Theorem 7",
		"Canonne, Kamath and Steinke 2020", eps, delta, m.Neighbours, assumeSensitivity("L2", orOne(m.Sensitivity), m.Neighbours), exactIntegers(orOne(m.Grid)))
	g.Rho = rho
	return settle(g, d, nil), nil
}

// Release returns Query(d), rounded to the grid, plus noise.
func (m DiscreteGaussian) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	v, err := ask("DiscreteGaussian.Release", m.Query, d)
	if err != nil {
		return nil, err
	}
	if len(v) != max(1, m.Dim) {
		return nil, badArg("DiscreteGaussian.Release", "Query answer", fmt.Sprintf("%d numbers", len(v)), fmt.Sprintf("Dim promises %d", max(1, m.Dim)))
	}
	return m.release(d, v, src)
}

// Perturb returns value, rounded to the grid, plus noise.
func (m DiscreteGaussian) Perturb(value float64) (float64, error) {
	m.Dim = 1
	if err := m.check(); err != nil {
		return 0, err
	}
	if err := checkFinite("DiscreteGaussian.Perturb", "value", []float64{value}); err != nil {
		return 0, err
	}
	v, err := m.release(nil, []float64{value}, m.Rand)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

func (m DiscreteGaussian) release(d *Data, v []float64, src *Source) ([]float64, error) {
	src = orSecure(src)
	sigma, err := m.sigma(len(v))
	if err != nil {
		return nil, err
	}
	law, err := gaussianLaw(sigma)
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

// LogMass returns the log probability of the output y when the (scalar) answer is value: −Inf off the grid, NaN for bad
// parameters.
func (m DiscreteGaussian) LogMass(value, y float64) float64 {
	sigma, err := m.Sigma(1)
	if err != nil {
		return math.NaN()
	}
	sigma /= orOne(m.Grid)
	k := y/orOne(m.Grid) - float64(toGrid(value, orOne(m.Grid)))
	if k != math.Trunc(k) {
		return math.Inf(-1)
	}
	return -k*k/(2*sigma*sigma) - math.Log(discreteGaussianNormaliser(sigma))
}

// CDF returns P(output ≤ y) when the (scalar) answer is value; NaN for bad parameters. Cost O(σ/g) up to 10⁴, then constant.
func (m DiscreteGaussian) CDF(value, y float64) float64 {
	sigma, err := m.Sigma(1)
	if err != nil {
		return math.NaN()
	}
	return discreteGaussianCDF(math.Floor(y/orOne(m.Grid))-float64(toGrid(value, orOne(m.Grid))), sigma/orOne(m.Grid))
}

// ErrorQuantile returns a t with P(|output − value| ≤ t) ≥ p for a scalar answer: half a grid step for the rounding plus the
// smallest multiple of the grid that noise stays within.
func (m DiscreteGaussian) ErrorQuantile(p float64) (float64, error) {
	if err := checkP("DiscreteGaussian.ErrorQuantile", p); err != nil {
		return 0, err
	}
	sigma, err := m.Sigma(1)
	if err != nil {
		return 0, err
	}
	sigma /= orOne(m.Grid)
	within := func(k float64) float64 { return 1 - 2*discreteGaussianCDF(-k-1, sigma) }
	lo, hi := -1.0, 1.0
	for within(hi) < p && hi < 64*sigma+64 {
		hi *= 2
	}
	for hi-lo > 1 {
		mid := math.Floor((lo + hi) / 2)
		if within(mid) >= p {
			hi = mid
		} else {
			lo = mid
		}
	}
	return orOne(m.Grid) * (hi + 0.5), nil
}

// discreteGaussianNormaliser is Z = Σ exp(−k²/2σ²) = √(2π)σ Σ exp(−2π²σ²k²) (Poisson summation).
func discreteGaussianNormaliser(sigma float64) float64 {
	z := 1.0
	if sigma >= 0.4 {
		for k := 1.0; ; k++ {
			t := 2 * math.Exp(-2*math.Pi*math.Pi*sigma*sigma*k*k)
			if z += t; t < 1e-18 {
				return z * math.Sqrt(2*math.Pi) * sigma
			}
		}
	}
	for k := 1.0; ; k++ {
		t := 2 * math.Exp(-k*k/(2*sigma*sigma))
		if z += t; t < 1e-18 {
			return z
		}
	}
}

// discreteGaussianCDF is P(X ≤ k) for whole k. Beyond σ = 10⁴ it is the Euler–Maclaurin (midpoint) expansion of the sum,
// whose relative error is of order σ⁻⁴.
func discreteGaussianCDF(k, sigma float64) float64 {
	if k >= 0 {
		return 1 - discreteGaussianCDF(-k-1, sigma)
	}
	if sigma > 1e4 {
		x := (k + 0.5) / sigma
		return phi(x) + x*math.Exp(-x*x/2)/(24*math.Sqrt(2*math.Pi)*sigma*sigma)
	}
	sum := 0.0
	for j := k; ; j-- {
		t := math.Exp(-j * j / (2 * sigma * sigma))
		if sum += t; t <= sum*1e-18 {
			break
		}
	}
	return sum / discreteGaussianNormaliser(sigma)
}

// discreteGaussianDelta is an upper bound on δ(ε) = Σ_k max(0, P(k) − e^ε P(k+S)) for whole S: the sum itself up to σ = 2000,
// beyond that the integral of the same function plus its maximum (the function is log-concave, hence unimodal, and then
// the sum exceeds the integral by at most the maximum).
func discreteGaussianDelta(eps, sigma, s float64) float64 {
	// P(k) > e^ε P(k+S) iff k > k0.
	k0 := (eps*sigma*sigma - s*s/2) / s
	g := func(k float64) float64 {
		return math.Exp(-k*k/(2*sigma*sigma)) * -math.Expm1(eps-(2*k*s+s*s)/(2*sigma*sigma))
	}
	z := discreteGaussianNormaliser(sigma)
	if sigma <= 2000 {
		sum, largest := 0.0, 0.0
		for k := math.Floor(k0) + 1; ; k++ {
			v := math.Max(0, g(k))
			sum, largest = sum+v, math.Max(largest, v)
			if k > 0 && k > k0+2 && v <= sum*1e-17 && (v < largest || v == 0) {
				break
			}
		}
		return sum / z
	}
	top := g(goldenMin(func(k float64) float64 { return -math.Log(g(k)) }, k0+1e-9*sigma, math.Max(k0, 0)+10*sigma))
	return gaussianDelta(eps, s/sigma)*math.Sqrt(2*math.Pi)*sigma/z + 1.01*top/z
}

// discreteGaussianSigma is the smallest σ (to 20 bits) with discreteGaussianDelta ≤ delta.
func discreteGaussianSigma(eps, delta, s float64) float64 {
	cont, err := GaussianSigma(eps, delta, s)
	if err != nil {
		return math.NaN() // not reachable: the caller checked eps, delta and s
	}
	lo, hi := cont/4, cont
	for discreteGaussianDelta(eps, hi, s) > delta {
		lo, hi = hi, hi*1.25
	}
	for discreteGaussianDelta(eps, lo, s) <= delta {
		hi, lo = lo, lo/2
		if lo < 0.02 {
			break
		}
	}
	for hi/lo > 1+1e-7 {
		mid := math.Sqrt(lo * hi)
		if discreteGaussianDelta(eps, mid, s) <= delta {
			hi = mid
		} else {
			lo = mid
		}
	}
	// δ is not quite monotone in σ on a lattice: after rounding up, step on until the bound holds.
	for hi = shortUp(hi); discreteGaussianDelta(eps, hi, s) > delta; {
		hi = shortUp(hi * (1 + 2e-6))
	}
	return hi
}

// RoundedGaussianRho returns the zCDP level ρ = (S + g√d)²/(2σ²) of rounding each of d coordinates to the grid g and adding
// discrete Gaussian noise of parameter σ (in the units of the answer), where S is the L2 sensitivity before rounding.
func RoundedGaussianRho(sensitivity, grid float64, dim int, sigma float64) (float64, error) {
	const where = "RoundedGaussianRho"
	if !positive(sensitivity) {
		return 0, badArg(where, "sensitivity", sensitivity, "must be a finite number above 0")
	}
	if !(grid >= 0) || math.IsInf(grid, 1) {
		return 0, badArg(where, "grid", grid, "must be finite and at least 0")
	}
	if dim < 1 {
		return 0, badArg(where, "dim", dim, "must be at least 1")
	}
	if !positive(sigma) {
		return 0, badArg(where, "sigma", sigma, "must be a finite number above 0")
	}
	s := sensitivity + grid*math.Sqrt(float64(dim))
	return s * s / (2 * sigma * sigma), nil
}
