package dp

import (
	"fmt"
	"math"
)

// BasicComposition returns (Σε_i, Σδ_i): releases on the same rows add up, also when each is
// chosen after seeing the ones before (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006). deltas may be
// nil for pure releases.
func BasicComposition(eps, deltas []float64) (float64, float64) {
	e, d := 0.0, 0.0
	for _, x := range eps {
		e += x
	}
	for _, x := range deltas {
		d += x
	}
	return e, math.Min(1, d)
}

// AdvancedComposition returns the ε of k releases that are each (eps, delta)-DP, at the total
// δ = k·delta + deltaPrime:
//
//	ε = eps·√(2k ln(1/δ')) + k·eps·(e^eps − 1)
//
// (Dwork, Rothblum and Vadhan 2010, Theorem III.3). It is a formula to teach with: [OptimalEps] is exact and never worse.
func AdvancedComposition(eps, delta float64, k int, deltaPrime float64) (epsTotal, deltaTotal float64, err error) {
	if err := checkComposition("AdvancedComposition", eps, delta, k); err != nil {
		return 0, 0, err
	}
	if !(deltaPrime > 0 && deltaPrime < 1) {
		return 0, 0, fmt.Errorf("dp.AdvancedComposition: deltaPrime = %v must lie in (0, 1)", deltaPrime)
	}
	n := float64(k)
	return eps*math.Sqrt(2*n*math.Log(1/deltaPrime)) + n*eps*math.Expm1(eps), math.Min(1, n*delta+deltaPrime), nil
}

// OptimalDelta returns the smallest δ for which k releases, each (eps, delta)-DP and chosen adaptively, are
// together (epsTotal, δ)-DP. It is exact: k randomised responses attain it.
//
//	δ = 1 − (1−delta)^k (1 − δ₀),  δ₀ = Σ_l C(k,l) [e^{(k−l)ε} − e^{epsTotal + lε}]₊ / (1+e^ε)^k
//
// (Kairouz, Oh and Viswanath 2015, Theorem 3.3; at epsTotal = (k−2i)ε it is their δ_i.) Cost O(k).
func OptimalDelta(eps, delta float64, k int, epsTotal float64) (float64, error) {
	if err := checkComposition("OptimalDelta", eps, delta, k); err != nil {
		return 0, err
	}
	if !(epsTotal >= 0) {
		return 0, fmt.Errorf("dp.OptimalDelta: epsTotal = %v must be at least 0", epsTotal)
	}
	d0 := 0.0
	lk, _ := math.Lgamma(float64(k + 1))
	norm := float64(k) * (eps + math.Log1p(math.Exp(-eps))) // k·ln(1+e^ε)
	for l := 0; l <= k; l++ {
		up, down := float64(k-l)*eps, epsTotal+float64(l)*eps
		if up <= down {
			break
		}
		a, _ := math.Lgamma(float64(l + 1))
		b, _ := math.Lgamma(float64(k - l + 1))
		d0 += math.Exp(lk-a-b+up-norm) * -math.Expm1(down-up)
	}
	return 1 - math.Exp(float64(k)*math.Log1p(-delta))*(1-math.Min(1, d0)), nil
}

// OptimalEps inverts [OptimalDelta]: the smallest ε at which k releases, each (eps, delta)-DP, are together (ε, deltaTotal)-DP.
// It fails if deltaTotal < 1−(1−delta)^k, which no ε reaches.
func OptimalEps(eps, delta float64, k int, deltaTotal float64) (float64, error) {
	if err := checkComposition("OptimalEps", eps, delta, k); err != nil {
		return 0, err
	}
	least := -math.Expm1(float64(k) * math.Log1p(-delta))
	if !(deltaTotal >= least && deltaTotal <= 1) {
		return 0, fmt.Errorf("dp.OptimalEps: deltaTotal = %v is out of reach: %d releases with δ = %v need at least %v", deltaTotal, k, delta, least)
	}
	f := func(e float64) float64 { d, _ := OptimalDelta(eps, delta, k, e); return d }
	if f(0) <= deltaTotal {
		return 0, nil
	}
	lo, hi := 0.0, float64(k)*eps
	for i := 0; i < 200 && hi-lo > 1e-15*hi; i++ {
		if m := (lo + hi) / 2; f(m) <= deltaTotal {
			hi = m
		} else {
			lo = m
		}
	}
	return hi, nil
}

// GroupPrivacy returns what an (eps, delta)-DP release guarantees to a person with k rows:
// (k·ε, δ·(e^{kε}−1)/(e^ε−1)) (Vadhan 2017, Lemma 2.2).
func GroupPrivacy(eps, delta float64, k int) (float64, float64, error) {
	if err := checkComposition("GroupPrivacy", eps, delta, k); err != nil {
		return 0, 0, err
	}
	n := float64(k)
	factor := n
	if eps > 0 {
		factor = math.Expm1(n*eps) / math.Expm1(eps)
	}
	if delta == 0 {
		return n * eps, 0, nil
	}
	return n * eps, math.Min(1, delta*factor), nil
}

// Subsample returns what an (eps, delta)-DP release guarantees when it is run on a random
// sample of the rows that nobody sees:
//
//	ε' = ln(1 + q(e^ε − 1)),  δ' = qδ.
//
// It holds for Poisson sampling with probability q under add/remove, and for
// samples of m out of n rows without replacement, q = m/n, under replace-one
// (Balle, Barthe and Gaboardi 2018, Theorems 8 and 9). The exact curve of a subsampled Gaussian is better: see [PLD.Subsample].
func Subsample(eps, delta, q float64) (float64, float64, error) {
	if err := checkComposition("Subsample", eps, delta, 1); err != nil {
		return 0, 0, err
	}
	if !(q >= 0 && q <= 1) {
		return 0, 0, fmt.Errorf("dp.Subsample: q = %v must lie in [0, 1]", q)
	}
	return math.Log1p(q * math.Expm1(eps)), q * delta, nil
}

func checkComposition(where string, eps, delta float64, k int) error {
	switch {
	case !(eps >= 0) || math.IsInf(eps, 1):
		return fmt.Errorf("dp.%s: eps = %v must be finite and at least 0", where, eps)
	case !(delta >= 0 && delta <= 1):
		return fmt.Errorf("dp.%s: delta = %v must lie in [0, 1]", where, delta)
	case k < 1:
		return fmt.Errorf("dp.%s: k = %d must be at least 1", where, k)
	}
	return nil
}
