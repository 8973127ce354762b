package dp

import (
	"fmt"
	"math"
	"sort"
)

// A TradeOff is a privacy guarantee as a hypothesis test sees it: whoever wants to tell two neighbouring data sets apart from the
// output with a false alarm rate of at most α misses at least Beta(α) of the time. Perfect privacy is Beta(α) = 1 − α. It is
// convex, non-increasing, and at most 1 − α (Dong, Roth and Su 2022).
type TradeOff struct {
	Name string                      // for plots
	Beta func(alpha float64) float64 // smallest share of misses at a share α of false alarms
}

// PureTradeOff is the curve of (eps, delta)-DP: max{0, 1 − δ − e^ε α, e^{−ε}(1 − δ − α)} (Wasserman and Zhou 2010).
func PureTradeOff(eps, delta float64) TradeOff {
	return TradeOff{fmt.Sprintf("(%.4g, %.3g)-DP", eps, delta), func(a float64) float64 {
		return math.Max(0, math.Max(1-delta-math.Exp(eps)*a, math.Exp(-eps)*(1-delta-a)))
	}}
}

// GaussianTradeOff is the curve of μ-Gaussian DP, Φ(Φ⁻¹(1−α) − μ): Gaussian noise of deviation σ on a query of sensitivity s has μ = s/σ,
// and k releases compose to √(Σμ_i²), exactly (Dong, Roth and Su 2022, Corollary 3.3).
func GaussianTradeOff(mu float64) TradeOff {
	return TradeOff{fmt.Sprintf("%.4g-GDP", mu), func(a float64) float64 {
		switch {
		case a <= 0:
			return 1
		case a >= 1:
			return 0
		}
		return normalCDF(-normalQuantile(a) - mu)
	}}
}

// GDPDelta is the δ(ε) of μ-Gaussian DP: Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) (Balle and Wang 2018, Theorem 8).
func GDPDelta(mu, eps float64) float64 {
	if mu <= 0 {
		return 0
	}
	a := normalCDF(mu/2 - eps/mu)
	b := -eps/mu - mu/2
	// e^ε Φ(b) without overflow: ln Φ for very negative b
	return math.Max(0, a-math.Exp(eps+logNormalCDF(b)))
}

// GDPEps is the smallest ε at which μ-Gaussian DP gives (ε, delta)-DP.
func GDPEps(mu, delta float64) (float64, error) {
	if !(mu >= 0) || !(delta > 0 && delta <= 1) {
		return 0, fmt.Errorf("dp.GDPEps: (mu, delta) = (%v, %v): mu must be at least 0 and delta in (0, 1]", mu, delta)
	}
	return invertProfile(func(e float64) float64 { return GDPDelta(mu, e) }, delta), nil
}

// TradeOffOf turns a privacy profile δ(ε) into a curve: Beta(α) = max over ε ≥ 0 of PureTradeOff(ε, δ(ε)), on the given grid of ε.
// The profile must hold for both orders of the pair. A coarser grid gives a lower (still valid) curve.
func TradeOffOf(name string, delta func(eps float64) float64, eps []float64) TradeOff {
	e := append([]float64{0}, eps...)
	sort.Float64s(e)
	d := make([]float64, len(e))
	for i := range e {
		d[i] = delta(e[i])
	}
	return TradeOff{name, func(a float64) float64 {
		b := 0.0
		for i := range e {
			b = math.Max(b, math.Max(1-d[i]-math.Exp(e[i])*a, math.Exp(-e[i])*(1-d[i]-a)))
		}
		return b
	}}
}

// Delta returns δ(ε) = 1 + f*(−e^ε) = max over α of 1 − α e^ε − Beta(α) (Dong, Roth and Su 2022, Proposition 2.12).
func (t TradeOff) Delta(eps float64) float64 {
	// In u = logit α the objective is unimodal because Beta is convex.
	g := func(u float64) float64 {
		a := 1 / (1 + math.Exp(-u))
		return -(1 - t.Beta(a) - math.Exp(eps)*a)
	}
	best, at := 0.0, 0.0
	for u := -60.0; u <= 20; u += 0.25 {
		if v := g(u); v < best {
			best, at = v, u
		}
	}
	return math.Max(-best, -g(goldenMin(g, at-0.25, at+0.25)))
}

// Curve returns Beta at each α.
func (t TradeOff) Curve(alpha []float64) []float64 {
	out := make([]float64, len(alpha))
	for i, a := range alpha {
		out[i] = t.Beta(a)
	}
	return out
}

// TradeOff returns the curve of the discretised law, a valid (slightly low) curve for the release: at false alarm rate α
// the best test rejects the largest losses first (Neyman and Pearson).
func (l PLD) TradeOff() TradeOff {
	type point struct{ alpha, power float64 } // Q and P mass of {loss ≥ x}
	var curves [][]point
	for i := range l.dirs {
		d := &l.dirs[i]
		loss, p := d.atoms()
		pts := []point{{0, d.inf + d.extra}}
		a, w := 0.0, d.inf+d.extra
		for k := len(loss) - 1; k >= 0; k-- {
			a += p[k] * math.Exp(-loss[k])
			w += p[k]
			pts = append(pts, point{a, math.Min(1, w)})
		}
		curves = append(curves, pts)
	}
	return TradeOff{"privacy-loss distribution", func(alpha float64) float64 {
		beta := 1 - alpha
		for _, pts := range curves {
			k := sort.Search(len(pts), func(i int) bool { return pts[i].alpha >= alpha })
			w := 1.0
			switch {
			case k == 0:
				w = pts[0].power
			case k < len(pts):
				a, b := pts[k-1], pts[k]
				w = a.power + (b.power-a.power)*(alpha-a.alpha)/(b.alpha-a.alpha)
			}
			beta = math.Min(beta, math.Max(0, 1-w))
		}
		return beta
	}}
}

// normalQuantile is Φ⁻¹.
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// logNormalCDF is ln Φ(x), also far in the lower tail.
func logNormalCDF(x float64) float64 {
	if x > -37 {
		return math.Log(normalCDF(x))
	}
	// Mills ratio: Φ(x) = φ(x)/|x| (1 − 1/x² + 3/x⁴ − 15/x⁶ …)
	y := 1 / (x * x)
	return -x*x/2 - math.Log(-x*math.Sqrt(2*math.Pi)) + math.Log1p(-y+3*y*y-15*y*y*y)
}
