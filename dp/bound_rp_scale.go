package dp

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// This file holds the numbers behind the private SVM of Rubinstein, Bartlett,
// Huang and Taft (arXiv 0911.5708): sensitivities, noise scales and the
// conditions under which the noise does no harm. The exported calculators
// (bound_rp_svm.go) and the mechanisms (privatesvm_*.go) share them, so that
// what is drawn and what is printed cannot differ.

// rpSensL2 is the bound on ‖w_D − w_D'‖₂ for replace-one neighbours: 2LCκ/n
// (tight), or the paper's 4LCκ/n (Lemma 6).
func rpSensL2(l, c, kappa float64, n int, published bool) float64 {
	s := 2 * l * c * kappa / float64(n)
	if published {
		s *= 2
	}
	return s
}

// rpInexact adds to an ℓ2 sensitivity what a certified duality gap can hide:
// the primal is 1-strongly convex, so either solution is within √(2·gap).
func rpInexact(sens, gap float64) float64 { return sens + 2*math.Sqrt(2*gap) }

// rpLogistic returns the a-priori bound t on κ‖w‖ and the constant
// s = max_c 2√(1−c²)σ(tc): for the logistic loss the ℓ2 sensitivity is κCs/n.
func rpLogistic(c, kappa float64) (t, s float64) {
	const (
		t0   = 1.278464542761073 // argmax of tσ(−t)
		tMax = 0.278464542761074 // its value
	)
	a := c * kappa * kappa
	if a*sigmoid(-t0) <= t0 {
		lo, hi := 0.0, t0
		for i := 0; i < 200 && lo < hi; i++ {
			mid := 0.5 * (lo + hi)
			if mid == lo || mid == hi {
				break
			}
			if a*sigmoid(-mid) > mid {
				lo = mid
			} else {
				hi = mid
			}
		}
		t = hi
	} else {
		t = kappa * math.Sqrt(tMax*c)
	}
	return t, rpLogisticMax(t)
}

// rpLogisticMax is max over c in [0,1] of 2√(1−c²)σ(tc), by golden section on
// the logarithm (which is concave: ½ln(1−c²) + ln σ(tc)).
func rpLogisticMax(t float64) float64 {
	f := func(c float64) float64 { return 0.5*math.Log1p(-c*c) - math.Log1p(math.Exp(-t*c)) }
	lo, hi := 0.0, 1.0
	const g = 0.6180339887498949
	a, b := hi-g*(hi-lo), lo+g*(hi-lo)
	fa, fb := f(a), f(b)
	for i := 0; i < 120; i++ {
		if fa > fb {
			hi, b, fb = b, a, fa
			a = hi - g*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + g*(hi-lo)
			fb = f(b)
		}
	}
	return 2 * math.Exp(f(0.5*(lo+hi)))
}

func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// gammaUpper is Pr(Gamma(shape,1) > x).
func gammaUpper(shape, x float64) float64 {
	if x <= 0 {
		return 1
	}
	return mathext.GammaIncRegComp(shape, x)
}

// gammaUpperQuantile is the x with Pr(Gamma(shape,1) > x) = delta, by
// bisection: monotone, and right also for shapes in the millions where
// closed-form inverses lose digits.
func gammaUpperQuantile(shape, delta float64) float64 {
	if !(delta > 0) {
		return math.Inf(1)
	}
	if delta >= 1 {
		return 0
	}
	lo, hi := 0.0, shape+1
	for gammaUpper(shape, hi) > delta {
		lo = hi
		hi = shape + 2*(hi-shape) + 4*math.Sqrt(shape)
	}
	for i := 0; i < 200; i++ {
		mid := 0.5 * (lo + hi)
		if mid <= lo || mid >= hi {
			break
		}
		if gammaUpper(shape, mid) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return 0.5 * (lo + hi)
}

// rpScale8 is the largest Laplace scale λ for which sup|f̂−f| ≤ acc with
// probability ≥ 1−fail when |φ_j| ≤ phi: Theorem 8's Chernoff form or the
// exact Erlang quantile.
func rpScale8(acc, fail float64, features int, phi float64, chernoff bool) float64 {
	if chernoff {
		return acc / (2 * phi * (float64(features)*math.Ln2 + math.Log(1/fail)))
	}
	return acc / (phi * gammaUpperQuantile(float64(features), fail))
}

// rpFail8 is the failure probability at scale lam.
func rpFail8(acc float64, features int, phi, lam float64, chernoff bool) float64 {
	if chernoff {
		return math.Exp(float64(features)*math.Ln2 - acc/(2*lam*phi))
	}
	return gammaUpper(float64(features), acc/(lam*phi))
}

// rpScale10 holds every reading of Lemma 10 (random features, F = 2d̂,
// |φ_j| ≤ d̂^{-1/2}, budgets acc/2 and fail/2).
type rpScale10 struct{ lemma, misread, oneLine, erlang float64 }

func rpLemma10(acc, fail float64, pairs int) rpScale10 {
	m := float64(pairs)
	r := math.Sqrt(m)
	second := acc * r / (8 * math.Log(2/fail))
	return rpScale10{
		lemma:   math.Min(acc/(16*math.Ln2*r), second),
		misread: math.Min(acc/(16*math.Log(2*r)), second),
		oneLine: acc * r / (4 * (2*m*math.Ln2 + math.Log(2/fail))),
		erlang:  rpScale8(acc/2, fail/2, 2*pairs, 1/r, false),
	}
}

// rpPsi is the exponent ψ(a) = ln((1+√(1+a²))/2) + 1 − √(1+a²) of the tail of
// a combination of Laplace variables.
func rpPsi(a float64) float64 {
	// r = √(1+a²) − 1 without cancellation; ψ = ln(1+r/2) − r.
	r := a * a / (1 + math.Sqrt(1+a*a))
	return math.Log1p(r/2) - r
}

// rpC2 is 1 + asinh(1)/√2, the mean of √(a²+b²) for independent standard
// Laplace a and b, up to their scale.
var rpC2 = 1 + math.Asinh(1)/math.Sqrt2

// rpNet is λ_net: the largest Laplace scale whose effect on f over a compact
// set of diameter diam stays below acc with probability ≥ 1−fail, by a
// covering argument. ms ≥ E‖ρ‖^s, 0 < s ≤ 1, omega splits the error between
// net and points.
func rpNet(acc, fail float64, pairs int, d int, diam, s, ms, omega float64) float64 {
	m := math.Sqrt(float64(pairs))
	ok := func(lam float64) bool {
		r := math.Pow(omega*acc*(fail/2)/(rpC2*lam*m*math.Pow(2, 1-s)*ms), 1/s)
		a := (1 - omega) * acc / (lam * m)
		return math.Ln2+float64(d)*math.Log1p(math.Sqrt2*diam/r)+float64(pairs)*rpPsi(a) <= math.Log(fail/2)
	}
	lo, hi := 0.0, 1.0
	for ok(hi) {
		lo, hi = hi, hi*2
		if math.IsInf(hi, 1) {
			return hi
		}
	}
	for lo == 0 {
		if mid := hi / 2; ok(mid) {
			lo = mid
		} else if hi = mid; hi < 1e-300 {
			return 0
		}
	}
	for i := 0; i < 200; i++ {
		mid := 0.5 * (lo + hi)
		if mid <= lo || mid >= hi {
			break
		}
		if ok(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
