package dp

import (
	"fmt"
	"math"
	"sort"
)

// PrivateHistogram releases the counts of numbers in the bins [Edges[0], Edges[1]), …, [Edges[k−1], Edges[k]], with geometric noise on each.
// Numbers below and above go to the first and last bin, NaN to the first. Replacing one number moves at most two counts by
// one, so the noise has q = e^{−ε/2}; under add/remove it moves one count and q = e^{−ε} (Dwork, McSherry, Nissim and Smith
// 2006). Noisy counts may be negative; sampling is exact.
type PrivateHistogram struct {
	Eps        float64    // ε > 0, for all bins together
	Edges      []float64  // at least two, increasing, chosen without looking at the data
	Column     int        // for Release: which column of the data
	Neighbours Neighbours // "" means ReplaceOne
	Rand       *Source    // nil means Secure()
	Ledger     *Ledger    // nil means none
}

func (m PrivateHistogram) check() error {
	if err := checkEps("PrivateHistogram", m.Eps); err != nil {
		return err
	}
	if len(m.Edges) < 2 {
		return badArg("PrivateHistogram", "Edges", m.Edges, "at least two edges make a bin")
	}
	for i, e := range m.Edges {
		if math.IsNaN(e) || i > 0 && !(e > m.Edges[i-1]) {
			return badArg("PrivateHistogram", fmt.Sprintf("Edges[%d]", i), e, "edges must increase")
		}
	}
	return checkRelation("PrivateHistogram", m.Neighbours)
}

// count is the mechanism for one bin.
func (m PrivateHistogram) count() Geometric {
	g := Geometric{Eps: m.Eps, Sensitivity: 2}
	if m.Neighbours == AddRemove {
		g.Sensitivity = 1
	}
	return g
}

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m PrivateHistogram) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim(fmt.Sprintf("histogram of %d bins, geometric noise", len(m.Edges)-1), "the counts have L1 sensitivity 2 (replace-one) or 1 (add/remove)", "Dwork, McSherry, Nissim and Smith 2006", m.Eps, 0, m.Neighbours,
		Assumption{Text: "the edges do not depend on the data", Status: Assumed}, exactIntegers(1))
	return settle(pureRho(g), d, nil), nil
}

// Counts returns the exact counts, which must not be released.
func (m PrivateHistogram) counts(values []float64) []float64 {
	out := make([]float64, len(m.Edges)-1)
	for _, x := range values {
		// The number of edges at or below x; the last bin includes its right end.
		i := sort.Search(len(m.Edges), func(j int) bool { return m.Edges[j] > x }) - 1
		if math.IsNaN(x) {
			i = 0
		}
		out[min(max(i, 0), len(out)-1)]++
	}
	return out
}

// Of returns the private counts of values.
func (m PrivateHistogram) Of(values []float64) ([]float64, error) { return m.of(nil, values, m.Rand) }

func (m PrivateHistogram) of(d *Data, values []float64, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	// L1 sensitivity S for the whole vector: each count gets noise of scale S/ε.
	law, err := laplaceLaw(float64(m.count().Sensitivity), shortDown(m.Eps))
	if err != nil {
		return nil, err
	}
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return nil, err
	}
	out := m.counts(values)
	for i := range out {
		out[i] += float64(law.Sample(src))
	}
	return out, nil
}

// Release returns the private counts of one column.
func (m PrivateHistogram) Release(d *Data, src *Source) ([]float64, error) {
	values, err := column("PrivateHistogram.Release", d, m.Column)
	if err != nil {
		return nil, err
	}
	return m.of(d, values, src)
}

// LogMass returns the log probability of the counts y for these values. It panics if y has not one count per bin.
func (m PrivateHistogram) LogMass(values []float64, y []float64) float64 {
	c := m.counts(values)
	if len(y) != len(c) {
		panic(badArg("PrivateHistogram.LogMass", "y", fmt.Sprintf("%d counts", len(y)), fmt.Sprintf("there are %d bins", len(c))))
	}
	sum, g := 0.0, m.count()
	for i, v := range y {
		if v != math.Trunc(v) {
			return math.Inf(-1)
		}
		sum += g.LogMass(int(c[i]), int(v))
	}
	return sum
}

// ErrorQuantile returns the smallest whole t with P(|noisy count − count| ≤ t) ≥ p for one bin; for all k bins at once use
// p^{1/k}.
func (m PrivateHistogram) ErrorQuantile(p float64) (int, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	return m.count().ErrorQuantile(p)
}
