package dp

import "math"

// LogisticEps is the privacy level of objective perturbation of logistic regression on rows with ‖x‖ ≤ 1,
//
//	ε(κ, a) = κ + max_{0≤s≤1} [κs + ln(1 + s(1−s)/a)] ,   a = n(Λ+Δ) ,
//
// sharper than the general 2κ + ln(1 + 1/(4a)) because the slope s and the curvature s(1−s) of the logistic loss cannot both
// be extreme. When κ ≥ 1/a the maximum is at s = 1 and ε = 2κ: no price for the Jacobian. at is the maximising s.
// For rows with ‖x‖ ≤ R use LogisticEps(κR, a/R²). It is an upper bound on the privacy loss; not claimed to be attained.
func LogisticEps(kappa, a float64) (eps, at float64) {
	if kappa*a >= 1 {
		return 2 * kappa, 1
	}
	k2 := kappa - 2
	s := 0.5
	if kappa > 0 {
		// Root of κs² − (κ−2)s − (κa+1) = 0; for small κ the textbook form cancels, this one does not.
		q := math.Sqrt(k2*k2 + 4*kappa*(kappa*a+1))
		if k2 < 0 {
			s = 2 * (kappa*a + 1) / (q - k2)
		} else {
			s = (k2 + q) / (2 * kappa)
		}
	}
	s = math.Min(s, 1)
	return kappa + kappa*s + math.Log1p(s*(1-s)/a), s
}

// LogisticKappa is the largest κ with LogisticEps(κ, a) ≤ ε; ok is false when there is none, that is when
// ε ≤ ln(1 + 1/(4a)) (then the regularisation must grow).
func LogisticKappa(eps, a float64) (kappa float64, ok bool) {
	if a*eps >= 2 {
		return eps / 2, true
	}
	if eps <= math.Log1p(1/(4*a)) {
		return 0, false
	}
	lo, hi := 0.0, eps/2
	for range 200 {
		mid := lo + (hi-lo)/2
		if e, _ := LogisticEps(mid, a); e <= eps {
			lo = mid
		} else {
			hi = mid
		}
		if hi-lo <= 1e-16*hi {
			break
		}
	}
	return lo, true
}

// logisticEps is LogisticEps for rows with slope bound G and curvature bound B = G²/(4w) (w the weight bound): a row's term
// is w·ℓ(z) with slope w·R·s and curvature w·R²·s(1−s), so κ becomes κG and a becomes a/(4B).
func logisticEps(kappa, a, slope, curv float64) float64 {
	e, _ := LogisticEps(kappa*slope, a/(4*curv))
	return e
}
