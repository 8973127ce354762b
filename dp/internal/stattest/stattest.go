// Package stattest has the goodness-of-fit tests that the samplers of package dp are tested with. Both return p-values: a
// test that fails below p = a has the false-alarm rate a.
package stattest

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// KS returns the p-value of the Kolmogorov–Smirnov test that sample was drawn from the continuous law with the given
// distribution function, by Kolmogorov's limit law with Stephens' correction (accurate to a few percent from n = 100 on).
// It sorts sample.
func KS(sample []float64, cdf func(float64) float64) float64 {
	sort.Float64s(sample)
	n, dist := float64(len(sample)), 0.0
	for i, x := range sample {
		f := cdf(x)
		dist = math.Max(dist, math.Max(f-float64(i)/n, float64(i+1)/n-f))
	}
	s := math.Sqrt(n)
	return kolmogorov((s + 0.12 + 0.11/s) * dist)
}

// kolmogorov is P(K > x) = 2 Σ (−1)^{j−1} exp(−2j²x²).
func kolmogorov(x float64) float64 {
	if x < 0.3 {
		return 1 // P(K ≤ 0.3) < 1e-5
	}
	sum, sign := 0.0, 2.0
	for j := 1.0; j <= 100; j++ {
		sum += sign * math.Exp(-2*j*j*x*x)
		sign = -sign
	}
	return math.Min(1, math.Max(0, sum))
}

// ChiSquare returns the p-value of Pearson's χ² test that the counts were drawn with the given probabilities. Cells that
// expect fewer than 10 are pooled, together with the probability the cells leave over (and the count total leaves over).
func ChiSquare(counts []int, probs []float64, total int) float64 {
	stat, cells, restP, restN := 0.0, 0, 1.0, total
	for i, p := range probs {
		e := p * float64(total)
		if e < 10 {
			continue
		}
		d := float64(counts[i]) - e
		stat += d * d / e
		cells++
		restP -= p
		restN -= counts[i]
	}
	switch e := restP * float64(total); {
	case e >= 1:
		d := float64(restN) - e
		stat += d * d / e
		cells++
	case restN > 20: // nearly impossible cells were hit again and again
		return 0
	}
	if cells < 2 {
		return 1
	}
	return distuv.ChiSquared{K: float64(cells - 1)}.Survival(stat)
}
