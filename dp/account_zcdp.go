package dp

import (
	"fmt"
	"math"
)

// PureToZCDP returns the ρ of an eps-DP release: ε²/2 (Bun and Steinke 2016, Proposition 1.4).
func PureToZCDP(eps float64) float64 { return eps * eps / 2 }

// BoundedRangeToZCDP returns the ρ of an exponential mechanism at eps: ε²/8, a quarter of the general case,
// because its privacy loss spans a range of length ε only (Cesar and Rogers 2021, Lemma 3.4).
func BoundedRangeToZCDP(eps float64) float64 { return eps * eps / 8 }

// GaussianToZCDP returns the ρ of adding N(0, sigma²) noise to a query whose ℓ2 sensitivity is sensitivity: s²/(2σ²).
func GaussianToZCDP(sensitivity, sigma float64) float64 {
	s := sensitivity / sigma
	return s * s / 2
}

// ZCDPToDP returns ε = ρ + 2√(ρ ln(1/δ)), at which a ρ-zCDP release is (ε, delta)-DP (Bun and Steinke 2016,
// Proposition 1.3). [ZCDPToDPTight] is better.
func ZCDPToDP(rho, delta float64) (float64, error) {
	if err := checkZCDP("ZCDPToDP", rho, delta); err != nil {
		return 0, err
	}
	return rho + 2*math.Sqrt(rho*math.Log(1/delta)), nil
}

// ZCDPToDPTight returns min over α > 1 of ρα + ln((α−1)/α) − (ln δ + ln α)/(α−1), the best ε known for
// ρ-zCDP through its Rényi curve (Canonne, Kamath and Steinke 2020, Proposition 12). Never above ZCDPToDP.
func ZCDPToDPTight(rho, delta float64) (float64, error) {
	if err := checkZCDP("ZCDPToDPTight", rho, delta); err != nil {
		return 0, err
	}
	if rho == 0 {
		return 0, nil
	}
	f := func(t float64) float64 { // α = 1 + e^t
		a1 := math.Exp(t)
		return rho*(1+a1) + math.Log(a1/(1+a1)) - (math.Log(delta)+math.Log1p(a1))/a1
	}
	// The minimum lies near α − 1 = √(ln(1/δ)/ρ); f is unimodal around it.
	best, at := math.Inf(1), 0.0
	mid := 0.5 * math.Log(math.Log(1/delta)/rho)
	for i := -400; i <= 400; i++ {
		t := mid + float64(i)/50
		if v := f(t); v < best {
			best, at = v, t
		}
	}
	v := math.Min(best, f(goldenMin(f, at-0.02, at+0.02)))
	simple, _ := ZCDPToDP(rho, delta)
	return math.Max(0, math.Min(v, simple)), nil
}

// DPToZCDPBudget returns the largest ρ whose ZCDPToDP at delta is at most eps: (√(ln(1/δ)+ε) − √(ln(1/δ)))².
func DPToZCDPBudget(eps, delta float64) (float64, error) {
	if !(eps > 0) || !(delta > 0 && delta < 1) {
		return 0, fmt.Errorf("dp.DPToZCDPBudget: (eps, delta) = (%v, %v): eps must be positive and delta in (0, 1)", eps, delta)
	}
	l := math.Log(1 / delta)
	r := eps / (math.Sqrt(l+eps) + math.Sqrt(l)) // no cancellation
	return r * r, nil
}

func checkZCDP(where string, rho, delta float64) error {
	if !(rho >= 0) || math.IsInf(rho, 1) || !(delta > 0 && delta < 1) {
		return fmt.Errorf("dp.%s: (rho, delta) = (%v, %v): rho must be finite and at least 0, delta in (0, 1)", where, rho, delta)
	}
	return nil
}

// goldenMin returns a minimiser of the unimodal f on [lo, hi].
func goldenMin(f func(float64) float64, lo, hi float64) float64 {
	const g = 0.6180339887498949
	a, b := hi-g*(hi-lo), lo+g*(hi-lo)
	fa, fb := f(a), f(b)
	for i := 0; i < 100 && hi-lo > 1e-13*(1+math.Abs(lo)); i++ {
		if fa < fb {
			hi, b, fb = b, a, fa
			a = hi - g*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + g*(hi-lo)
			fb = f(b)
		}
	}
	return (lo + hi) / 2
}
