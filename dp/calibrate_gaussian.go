package dp

import "math"

// GaussianObjectiveDelta is the privacy profile of objective perturbation with Gaussian noise, b ~ N(0, σ²I) in the sum form
// Σℓ + (λ/2)‖f‖² + bᵀf, of a generalised linear model whose rows have slope at most G and curvature at most B, under
// add/remove. With s = G/σ and ε̂ = ε − j − s²/2,
//
//	δ(ε) = 2[Φ(−ε̂/s) − e^{ε̂+s²/2} Φ(−ε̂/s−s)]  if ε̂ ≥ 0,  1 − 2e^{ε̂+s²/2} Φ(−s)  otherwise,
//
// where j is the Jacobian's share: AsPublished |ln(1 − B/λ)| (needs λ > B), otherwise ln(1 + B/λ). It allows slopes of either
// sign; for losses that are non-increasing in the margin, ObjectiveDelta is smaller and covers replace-one too.
// (Redberg, Koskela, Wang 2023.)
func GaussianObjectiveDelta(how Flavour, eps, sigma, slope, curv, lambda float64) (float64, error) {
	const where = "GaussianObjectiveDelta"
	if err := checkGaussianObjective(where, sigma, slope, curv, lambda); err != nil {
		return 0, err
	}
	if !(eps >= 0) || math.IsInf(eps, 1) {
		return 0, badArg(where, "eps", eps, "must be finite and at least 0")
	}
	j, err := jacobianShare(where, how, curv, lambda)
	if err != nil {
		return 0, err
	}
	s := slope / sigma
	hat := eps - j - s*s/2
	if hat >= 0 {
		return math.Min(1, 2*gaussianDelta(eps-j, s)), nil
	}
	return 1 - 2*math.Exp(hat+s*s/2+logPhi(-s)), nil
}

// GaussianObjectiveRDP is the Rényi divergence of order α > 1 of the same mechanism under add/remove,
//
//	ε(α) = j + s²/2 + [s²(α−1)²/2 + ln(2Φ(s(α−1)))]/(α−1) .
func GaussianObjectiveRDP(how Flavour, alpha, sigma, slope, curv, lambda float64) (float64, error) {
	const where = "GaussianObjectiveRDP"
	if err := checkGaussianObjective(where, sigma, slope, curv, lambda); err != nil {
		return 0, err
	}
	if !(alpha > 1) || math.IsInf(alpha, 1) {
		return 0, badArg(where, "alpha", alpha, "the order must be a finite number above 1")
	}
	j, err := jacobianShare(where, how, curv, lambda)
	if err != nil {
		return 0, err
	}
	s, a := slope/sigma, alpha-1
	return j + s*s/2 + (s*s*a*a/2+math.Ln2+logPhi(s*a))/a, nil
}

func jacobianShare(where string, how Flavour, curv, lambda float64) (float64, error) {
	if how != AsPublished {
		return math.Log1p(curv / lambda), nil
	}
	if lambda <= curv {
		return 0, badArg(where, "lambda", lambda, "the published form needs a regularisation above the curvature bound")
	}
	return -math.Log1p(-curv / lambda), nil
}

func checkGaussianObjective(where string, sigma, slope, curv, lambda float64) error {
	for _, a := range []struct {
		name string
		v    float64
	}{{"sigma", sigma}, {"slope", slope}, {"curv", curv}, {"lambda", lambda}} {
		if !positive(a.v) {
			return badArg(where, a.name, a.v, "must be a finite number above 0")
		}
	}
	return nil
}

// ObjectiveDelta is a proved privacy profile of objective perturbation with Gaussian noise under replace-one, for a loss that is
// non-increasing in the margin:
//
//	δ(ε) ≤ δ_G(ε−j; 2s) + 2δ_G(ε−j; s) ,  s = G/σ ,  j = ln(1 + B/λ) ,  ε ≥ j ,
//
// with δ_G(ε; s) = Φ(s/2 − ε/s) − e^ε Φ(−s/2 − ε/s) the profile of the Gaussian mechanism. The second term is negligible for
// small δ, so the price is that of the Gaussian mechanism with sensitivity 2G.
//
// Proof. At output f the noise is b(f), and for the neighbour b(f) + v with v = α₁y₁x₁ − α₂y₂x₂, 0 ≤ α_i ≤ L (the slopes have
// one sign). The log-density ratio is at most j + (2bᵀv + ‖v‖²)/(2σ²), convex in v, hence at most j + the maximum over the
// corners v ∈ {0, u₁, u₂, u₁+u₂} of the parallelogram, ‖u_i‖ ≤ G. With b ~ N(0, σ²I), E(1 − e^{ε−ratio})₊ is at most the sum over
// corners of E(1 − e^{ε−j−ratio_v})₊ = δ_G(ε−j; ‖v‖/σ); the corner 0 gives nothing for ε ≥ j and δ_G increases in ‖v‖. ∎
//
// For ε < j it returns 1.
func ObjectiveDelta(eps, sigma, slope, curv, lambda float64) (float64, error) {
	const where = "ObjectiveDelta"
	if err := checkGaussianObjective(where, sigma, slope, curv, lambda); err != nil {
		return 0, err
	}
	if !(eps >= 0) || math.IsInf(eps, 1) {
		return 0, badArg(where, "eps", eps, "must be finite and at least 0")
	}
	return objectiveDelta(eps-math.Log1p(curv/lambda), slope/sigma), nil
}

// objectiveDelta is the profile after the Jacobian's share was taken from ε.
func objectiveDelta(rest, s float64) float64 {
	if rest < 0 {
		return 1
	}
	return math.Min(1, gaussianDelta(rest, 2*s)+2*gaussianDelta(rest, s))
}

// objectiveSigma is the smallest σ (slope 1) with objectiveDelta(rest, 1/σ) ≤ δ, for rest > 0.
func objectiveSigma(rest, delta float64) float64 {
	lo, hi := 1e-6, 1e-6 // of s = 1/σ, in which δ increases
	for objectiveDelta(rest, lo) > delta {
		lo /= 2
	}
	for objectiveDelta(rest, hi) <= delta {
		hi *= 2
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if objectiveDelta(rest, mid) <= delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (1 + 1e-12) / lo // never below, in spite of rounding
}
