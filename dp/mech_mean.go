package dp

import (
	"fmt"
	"math"
)

// PrivateMean releases the mean of numbers clipped to the public range [Lo, Hi]. Replacing one of n numbers moves the mean
// by at most (Hi−Lo)/n, and Laplace noise of that sensitivity is added on a grid of a millionth of it, so the guarantee is exact
// ([DiscreteLaplace]). n is public (replace-one).
type PrivateMean struct {
	Eps    float64 // ε > 0
	Lo, Hi float64 // public range, Lo < Hi: numbers outside are moved to its ends (NaN to the middle)
	Column int     // for Release: which column of the data
	Rand   *Source // nil means Secure()
	Ledger *Ledger // nil means none
}

func (m PrivateMean) check() error {
	if err := checkEps("PrivateMean", m.Eps); err != nil {
		return err
	}
	return checkRange("PrivateMean", m.Lo, m.Hi)
}

// checkRange refuses public ranges that are not.
func checkRange(where string, lo, hi float64) error {
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) || math.IsInf(hi-lo, 0) {
		return badArg(where, "[Lo, Hi]", fmt.Sprintf("[%g, %g]", lo, hi), "must be a finite public range with Lo < Hi, not the range of the data")
	}
	return nil
}

// clampTo moves x into [lo, hi]; NaN becomes the middle (an error would betray it).
func clampTo(x, lo, hi float64) float64 {
	if math.IsNaN(x) {
		return lo + (hi-lo)/2
	}
	return math.Min(math.Max(x, lo), hi)
}

// noise is the mechanism for n numbers.
func (m PrivateMean) noise(n int) DiscreteLaplace {
	s := (m.Hi - m.Lo) / float64(n)
	// The mean below is computed within 2⁻⁴⁰ of the range, which is added to the sensitivity twice.
	s += 2 * (math.Abs(m.Lo) + math.Abs(m.Hi)) * 0x1p-40
	return DiscreteLaplace{Eps: m.Eps, Sensitivity: s, Grid: gridFor(s)}
}

// Claim returns the ε-DP guarantee for the rows of d, of which it uses the number only (nil: any number).
func (m PrivateMean) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	n := 1
	if d != nil {
		n = max(1, d.Len())
	}
	g, err := m.noise(n).Claim(d)
	if err != nil {
		return g, err
	}
	g.Mechanism = fmt.Sprintf("mean of numbers in [%g, %g], %s", m.Lo, m.Hi, g.Mechanism)
	g.Assumptions[0] = Assumption{Text: fmt.Sprintf("every number lies in [%g, %g]", m.Lo, m.Hi), Status: Enforced, Detail: "clipped"}
	return g, nil
}

// Of returns the private mean of values.
func (m PrivateMean) Of(values []float64) (float64, error) { return m.of(nil, values, m.Rand) }

func (m PrivateMean) of(d *Data, values []float64, src *Source) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if len(values) == 0 {
		return 0, badArg("PrivateMean", "values", "empty", "at least one number is needed")
	}
	noise := m.noise(len(values))
	if err := noise.check(); err != nil {
		return 0, err
	}
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return 0, err
	}
	out, err := noise.release(nil, []float64{clippedMean(values, m.Lo, m.Hi)}, src)
	if err != nil {
		return 0, err
	}
	return out[0], nil
}

// clippedMean sums with Kahan–Neumaier compensation: the error is below 2⁻⁵⁰ of the largest magnitude for n < 2⁵⁰.
func clippedMean(values []float64, lo, hi float64) float64 {
	sum, c := 0.0, 0.0
	for _, x := range values {
		x = clampTo(x, lo, hi) / float64(len(values))
		t := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			c += sum - t + x
		} else {
			c += x - t + sum
		}
		sum = t
	}
	return sum + c
}

// Release returns the private mean of one column.
func (m PrivateMean) Release(d *Data, src *Source) ([]float64, error) {
	values, err := column("PrivateMean.Release", d, m.Column)
	if err != nil {
		return nil, err
	}
	v, err := m.of(d, values, src)
	return []float64{v}, err
}

// column copies one column of d.
func column(where string, d *Data, j int) ([]float64, error) {
	if d == nil || d.Len() == 0 {
		return nil, badArg(where, "d", "empty", "must be a data set with at least one row")
	}
	if j < 0 || j >= d.Dim() {
		return nil, badArg(where, "Column", j, fmt.Sprintf("must be a column from 0 to %d", d.Dim()-1))
	}
	unit := make([]float64, d.Dim())
	unit[j] = 1
	out := make([]float64, d.Len())
	for i := range out {
		out[i] = d.Dot(i, unit)
	}
	return out, nil
}

// LogMass returns the log probability of the output y for these values (the law is discrete, see [DiscreteLaplace]).
func (m PrivateMean) LogMass(values []float64, y float64) float64 {
	return m.noise(len(values)).LogMass(clippedMean(values, m.Lo, m.Hi), y)
}

// ErrorQuantile returns a t with P(|output − clipped mean| ≤ t) ≥ p for n numbers.
func (m PrivateMean) ErrorQuantile(n int, p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, badArg("PrivateMean.ErrorQuantile", "n", n, "must be at least 1")
	}
	return m.noise(n).ErrorQuantile(p)
}
