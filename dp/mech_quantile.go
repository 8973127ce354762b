package dp

import (
	"fmt"
	"math"
	"sort"
)

// PrivateQuantile releases an approximate Q-quantile of numbers in the public range [Lo, Hi] by the exponential mechanism with
// utility −|#{x_i < y} − Qn|, of sensitivity 1 under replace-one (n public): the output has density
//
//	p(y) ∝ exp(−(ε/2)·|j − Qn|)  for y between the j-th and (j+1)-th smallest number
//
// (Smith 2011, Algorithm 2). Accuracy is in rank: it returns a number with nearly Qn numbers below it, wherever in the gap.
// The choice of the gap is by exact weights in logarithms and the place in it uniform, both in floating point.
type PrivateQuantile struct {
	Eps    float64 // ε > 0
	Q      float64 // which quantile, 0 < Q < 1; 0 means 0.5, the median
	Lo, Hi float64 // public range, Lo < Hi: numbers outside are moved to its ends (NaN to the middle)
	Column int     // for Release: which column of the data
	Rand   *Source // nil means Secure()
	Ledger *Ledger // nil means none
}

func (m PrivateQuantile) check() error {
	if err := checkEps("PrivateQuantile", m.Eps); err != nil {
		return err
	}
	if m.Q != 0 && !(m.Q > 0 && m.Q < 1) {
		return badArg("PrivateQuantile", "Q", m.Q, "must lie strictly between 0 and 1 (0 means 0.5)")
	}
	return checkRange("PrivateQuantile", m.Lo, m.Hi)
}

func (m PrivateQuantile) q() float64 {
	if m.Q == 0 {
		return 0.5
	}
	return m.Q
}

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m PrivateQuantile) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim(fmt.Sprintf("%g-quantile in [%g, %g], exponential mechanism", m.q(), m.Lo, m.Hi), "the rank has sensitivity 1", "Smith 2011, Algorithm 2", m.Eps, 0, ReplaceOne,
		Assumption{Text: fmt.Sprintf("every number lies in [%g, %g]", m.Lo, m.Hi), Status: Enforced, Detail: "clipped"}, assumeReals())
	g.Assumptions[1].Detail = "the gap and the place in it are drawn in floating point"
	g.Rho = BoundedRangeToZCDP(m.Eps)
	return settle(g, d, nil), nil
}

// gaps returns the sorted clipped values with Lo and Hi at the ends, and the log probability of each gap.
func (m PrivateQuantile) gaps(values []float64) (cuts, logp []float64) {
	n := len(values)
	cuts = make([]float64, n+2)
	for i, x := range values {
		cuts[i+1] = clampTo(x, m.Lo, m.Hi)
	}
	sort.Float64s(cuts[1 : n+1])
	cuts[0], cuts[n+1] = m.Lo, m.Hi
	logp = make([]float64, n+1)
	top := math.Inf(-1)
	for j := range logp {
		logp[j] = math.Log(cuts[j+1]-cuts[j]) - m.Eps/2*math.Abs(float64(j)-m.q()*float64(n))
		top = math.Max(top, logp[j])
	}
	sum := 0.0
	for _, l := range logp {
		sum += math.Exp(l - top)
	}
	for j := range logp {
		logp[j] -= top + math.Log(sum)
	}
	return cuts, logp
}

// Of returns a private quantile of values.
func (m PrivateQuantile) Of(values []float64) (float64, error) { return m.of(nil, values, m.Rand) }

func (m PrivateQuantile) of(d *Data, values []float64, src *Source) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if len(values) == 0 {
		return 0, badArg("PrivateQuantile", "values", "empty", "at least one number is needed")
	}
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return 0, err
	}
	cuts, logp := m.gaps(values)
	// Gumbel-max over the gaps: argmax of log probability plus Gumbel noise.
	best, top := 0, math.Inf(-1)
	for j, l := range logp {
		if v := l - math.Log(src.Exp()); v > top {
			best, top = j, v
		}
	}
	return cuts[best] + src.Float64()*(cuts[best+1]-cuts[best]), nil
}

// Release returns a private quantile of one column.
func (m PrivateQuantile) Release(d *Data, src *Source) ([]float64, error) {
	values, err := column("PrivateQuantile.Release", d, m.Column)
	if err != nil {
		return nil, err
	}
	v, err := m.of(d, values, src)
	return []float64{v}, err
}

// LogDensity returns the log density of the output y for these values (−Inf outside [Lo, Hi]). Cost O(n log n).
func (m PrivateQuantile) LogDensity(values []float64, y float64) float64 {
	if y < m.Lo || y > m.Hi {
		return math.Inf(-1)
	}
	cuts, logp := m.gaps(values)
	j := sort.Search(len(values), func(i int) bool { return cuts[i+1] >= y })
	return logp[j] - math.Log(cuts[j+1]-cuts[j])
}

// ErrorQuantile returns the smallest r with P(|#{x_i < output} − Qn| ≤ r) ≥ p for these values: the error in rank.
func (m PrivateQuantile) ErrorQuantile(values []float64, p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if len(values) == 0 {
		return 0, badArg("PrivateQuantile.ErrorQuantile", "values", "empty", "at least one number is needed")
	}
	if err := checkP("PrivateQuantile.ErrorQuantile", p); err != nil {
		return 0, err
	}
	_, logp := m.gaps(values)
	scores, probs := make([]float64, len(logp)), make([]float64, len(logp))
	for j, l := range logp {
		scores[j], probs[j] = -math.Abs(float64(j)-m.q()*float64(len(values))), math.Exp(l)
	}
	by := map[float64]float64{}
	for j, s := range scores {
		by[-s] += probs[j]
	}
	total, keys := 0.0, sortedKeys(by)
	for _, r := range keys {
		if total += by[r]; total >= p*(1-1e-15) {
			return r, nil
		}
	}
	return keys[len(keys)-1], nil
}
