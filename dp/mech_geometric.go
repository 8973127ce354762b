package dp

import "math"

// Geometric releases an integer count with two-sided geometric noise,
//
//	P(output = count + k) = (1−q)/(1+q) · q^|k|,  q = e^{−ε/Δ},
//
// which is ε-DP and, for a count of sensitivity 1, serves every Bayesian user with a monotone loss as well as any other ε-DP
// mechanism could, after the user's own post-processing (Ghosh, Roughgarden and Sundararajan 2009). With Min < Max the output is
// truncated to [Min, Max]: the mass beyond an end is moved onto it. Truncation is post-processing and costs nothing.
//
// Sampling is exact integer arithmetic; there is no floating-point caveat. (The noise is that of ε rounded down to 32 bits.)
type Geometric struct {
	Eps         float64           // ε > 0
	Sensitivity int               // Δ ≥ 1, how much the count can change; 0 means 1
	Query       func(d *Data) int // the count
	Min, Max    int               // public range of the output; both 0 means unbounded
	Neighbours  Neighbours        // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source           // nil means Secure()
	Ledger      *Ledger           // nil means none
}

func (m Geometric) check() error {
	if err := checkEps("Geometric", m.Eps); err != nil {
		return err
	}
	if m.Sensitivity < 0 || m.Sensitivity > 1<<52 {
		return badArg("Geometric", "Sensitivity", m.Sensitivity, "must be a whole number from 1 to 2^52 (0 means 1)")
	}
	if m.Min > m.Max {
		return badArg("Geometric", "Min", m.Min, "must not exceed Max")
	}
	if m.truncated() && m.Min == m.Max {
		return badArg("Geometric", "Min", m.Min, "must be below Max (leave both at 0 for no truncation)")
	}
	return checkRelation("Geometric", m.Neighbours)
}

func (m Geometric) truncated() bool { return m.Min != 0 || m.Max != 0 }

// rate is −ln q = ε/Δ, with ε rounded down to 32 bits.
func (m Geometric) rate() float64 { return shortDown(m.Eps) / float64(max(1, m.Sensitivity)) }

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m Geometric) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim("geometric mechanism", "adjacent counts have mass ratio at most e^ε", "Ghosh, Roughgarden and Sundararajan 2009", m.Eps, 0, m.Neighbours,
		assumeSensitivity("absolute", float64(max(1, m.Sensitivity)), m.Neighbours), exactIntegers(1))
	return settle(pureRho(g), d, nil), nil
}

// Release returns Query(d) plus noise, as one number.
func (m Geometric) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.Query == nil {
		return nil, badArg("Geometric.Release", "Query", "nil", "must be a function of the data set; to perturb a count at hand use Perturb")
	}
	if d == nil || d.Len() == 0 {
		return nil, badArg("Geometric.Release", "d", "empty", "must be a data set with at least one row")
	}
	k, err := m.release(d, m.Query(d), src)
	if err != nil {
		return nil, err
	}
	return []float64{float64(k)}, nil
}

// Perturb returns count plus noise.
func (m Geometric) Perturb(count int) (int, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	return m.release(nil, count, m.Rand)
}

func (m Geometric) release(d *Data, count int, src *Source) (int, error) {
	src = orSecure(src)
	law, err := laplaceLaw(float64(max(1, m.Sensitivity)), shortDown(m.Eps))
	if err != nil {
		return 0, err
	}
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return 0, err
	}
	count = min(max(count, -int(gridCap)), int(gridCap))
	k := count + int(law.Sample(src))
	if m.truncated() {
		k = min(max(k, m.Min), m.Max)
	}
	return k, nil
}

// LogMass returns the log probability of the output y when the count is count.
func (m Geometric) LogMass(count, y int) float64 {
	a := m.rate()
	if m.truncated() {
		switch {
		case y < m.Min || y > m.Max:
			return math.Inf(-1)
		case y == m.Min:
			return math.Log(geometricCDF(float64(m.Min-count), a))
		case y == m.Max:
			return math.Log(geometricCDF(float64(count-m.Max), a)) // by symmetry P(X ≥ Max − count)
		}
	}
	return math.Log(math.Tanh(a/2)) - a*math.Abs(float64(y-count))
}

// CDF returns P(output ≤ y) when the count is count.
func (m Geometric) CDF(count, y int) float64 {
	if m.truncated() {
		if y >= m.Max {
			return 1
		}
		if y < m.Min {
			return 0
		}
	}
	return geometricCDF(float64(y-count), m.rate())
}

// ErrorQuantile returns the smallest whole t with P(|output − count| ≤ t) ≥ p (of the noise before truncation, which only
// brings an output nearer to a count inside the range).
func (m Geometric) ErrorQuantile(p float64) (int, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if err := checkP("Geometric.ErrorQuantile", p); err != nil {
		return 0, err
	}
	return int(geometricQuantile(p, m.rate())), nil
}
