package dp

import (
	"fmt"
	"math"
)

// RandomStopping is the law of the number K of repetitions in [BestOf]. Repeating a private algorithm a fixed number of times and
// keeping the best result costs as many ε; repeating it a secret random number of times costs only a small factor
// (Liu and Talwar 2019). Make one with NegativeBinomialStopping, GeometricStopping, LogarithmicStopping or PoissonStopping.
type RandomStopping struct {
	Eta   float64 // η > −1 of the truncated negative binomial law
	Gamma float64 // γ in (0, 1)
	Mu    float64 // μ > 0: Poisson law instead; then Eta and Gamma are 0
}

// NegativeBinomialStopping is the truncated negative binomial law on {1, 2, …} (Papernot and Steinke 2022, Definition 1):
//
//	P(K = k) = (1−γ)^k/(γ^{−η} − 1) · Π_{l<k} (l+η)/(l+1),   E K = η(1−γ)/(γ(1−γ^η)).
//
// Smaller η makes privacy better, (2+η)ε, and the law more spread out.
func NegativeBinomialStopping(eta, gamma float64) RandomStopping {
	return RandomStopping{Eta: eta, Gamma: gamma}
}

// GeometricStopping is η = 1: K is geometric with mean 1/γ and the total cost is 3ε (Liu and Talwar 2019).
func GeometricStopping(gamma float64) RandomStopping { return RandomStopping{Eta: 1, Gamma: gamma} }

// LogarithmicStopping is η = 0: P(K = k) = (1−γ)^k/(k ln(1/γ)); the total cost is 2ε.
func LogarithmicStopping(gamma float64) RandomStopping { return RandomStopping{Gamma: gamma} }

// PoissonStopping is K ~ Poisson(μ), more concentrated; it may be 0, and then nothing is released. Its guarantee is (ε, δ).
func PoissonStopping(mu float64) RandomStopping { return RandomStopping{Mu: mu} }

func (s RandomStopping) check() error {
	const where = "RandomStopping"
	if s.Mu != 0 {
		if !(s.Mu > 0 && s.Mu <= 1e6) {
			return badArg(where, "Mu", s.Mu, "must lie in (0, 1e6]")
		}
		if s.Eta != 0 || s.Gamma != 0 {
			return badArg(where, "Mu", s.Mu, "give either Mu (Poisson) or Eta and Gamma (negative binomial)")
		}
		return nil
	}
	if !(s.Eta > -1) || math.IsInf(s.Eta, 1) {
		return badArg(where, "Eta", s.Eta, "must be finite and above -1")
	}
	if !(s.Gamma > 0 && s.Gamma < 1) {
		return badArg(where, "Gamma", s.Gamma, "must lie strictly between 0 and 1")
	}
	return nil
}

// String names the law.
func (s RandomStopping) String() string {
	switch {
	case s.Mu > 0:
		return fmt.Sprintf("Poisson(%g)", s.Mu)
	case s.Eta == 1:
		return fmt.Sprintf("geometric, mean %g", 1/s.Gamma)
	case s.Eta == 0:
		return fmt.Sprintf("logarithmic, γ = %g", s.Gamma)
	}
	return fmt.Sprintf("truncated negative binomial, η = %g, γ = %g", s.Eta, s.Gamma)
}

// Mean is E K; NaN for bad parameters.
func (s RandomStopping) Mean() float64 {
	if s.check() != nil {
		return math.NaN()
	}
	l := -math.Log(s.Gamma)
	switch {
	case s.Mu > 0:
		return s.Mu
	case s.Eta == 0:
		return (1/s.Gamma - 1) / l
	}
	return s.Eta * (1 - s.Gamma) / (s.Gamma * -math.Expm1(-s.Eta*l))
}

// first is P(K = 1) of the truncated negative binomial law.
func (s RandomStopping) first() float64 {
	l := -math.Log(s.Gamma)
	if s.Eta == 0 {
		return (1 - s.Gamma) / l
	}
	return (1 - s.Gamma) * s.Eta / math.Expm1(s.Eta*l)
}

// PMF is P(K = k); NaN for bad parameters.
func (s RandomStopping) PMF(k int) float64 {
	switch {
	case s.check() != nil:
		return math.NaN()
	case s.Mu > 0:
		if k < 0 {
			return 0
		}
		lg, _ := math.Lgamma(float64(k) + 1)
		return math.Exp(float64(k)*math.Log(s.Mu) - s.Mu - lg)
	case k < 1:
		return 0
	}
	// P(k)/P(1) = (1−γ)^{k−1} Γ(k+η)/(Γ(1+η) k!)
	a, _ := math.Lgamma(float64(k) + s.Eta)
	b, _ := math.Lgamma(1 + s.Eta)
	c, _ := math.Lgamma(float64(k) + 1)
	return math.Exp(math.Log(s.first()) + float64(k-1)*math.Log1p(-s.Gamma) + a - b - c)
}

// Draw draws K by inversion of the distribution function. Cost O(K).
func (s RandomStopping) Draw(src *Source) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	u := orSecure(src).Float64()
	k, p := 1, 0.0
	if s.Mu > 0 {
		// Start at 0; for large μ the recursion from e^{−μ} would underflow, so use the mass function itself.
		for k = 0; ; k++ {
			p = s.PMF(k)
			if u -= p; u < 0 || float64(k) > s.Mu+40*math.Sqrt(s.Mu)+100 {
				return k, nil
			}
		}
	}
	for p = s.first(); ; k++ {
		if u -= p; u < 0 || p < 1e-300 {
			return k, nil
		}
		p *= (1 - s.Gamma) * (float64(k) + s.Eta) / float64(k+1)
	}
}

// PureEps is the total cost (2+η)ε when each repetition is ε-DP (Papernot and Steinke 2022, Theorem 2 in the limit of infinite
// order; η = 1 is Liu and Talwar's 3ε). There is none for the Poisson law.
func (s RandomStopping) PureEps(eps float64) (float64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	if err := checkEps("RandomStopping.PureEps", eps); err != nil {
		return 0, err
	}
	if s.Mu > 0 {
		return 0, badArg("RandomStopping.PureEps", "law", s, "the Poisson law has no pure guarantee; use Total with a δ")
	}
	return (2 + s.Eta) * eps, nil
}

// RDP is the total Rényi cost at order alpha > 1 of repetitions that are (alpha, rdp)- and (alphaHat, rdpHat)-RDP, alphaHat ≥ 1, for
// the truncated negative binomial law (Papernot and Steinke 2022, Theorem 2):
//
//	ε(α) + (1+η)(1 − 1/α̂) ε̂(α̂) + (1+η) ln(1/γ)/α̂ + ln E[K]/(α−1).
func (s RandomStopping) RDP(alpha, rdp, alphaHat, rdpHat float64) (float64, error) {
	const where = "RandomStopping.RDP"
	if err := s.check(); err != nil {
		return 0, err
	}
	if s.Mu > 0 {
		return 0, badArg(where, "law", s, "for the Poisson law use PoissonRDP")
	}
	if err := checkOrder(where, alpha, rdp); err != nil {
		return 0, err
	}
	if !(alphaHat >= 1) || !(rdpHat >= 0) {
		return 0, badArg(where, "(alphaHat, rdpHat)", fmt.Sprintf("(%g, %g)", alphaHat, rdpHat), "the order must be at least 1 and the divergence at least 0")
	}
	return rdp + (1+s.Eta)*((1-1/alphaHat)*rdpHat-math.Log(s.Gamma)/alphaHat) + math.Log(s.Mean())/(alpha-1), nil
}

// PoissonRDP is the total Rényi cost at order alpha > 1 of a Poisson number of repetitions that are (alpha, rdp)-RDP and
// (ε̂, deltaHat)-DP for some ε̂ ≤ ln(1 + 1/(alpha−1)) (Papernot and Steinke 2022, Theorem 6): ε(α) + μ δ̂ + ln μ/(α−1).
func (s RandomStopping) PoissonRDP(alpha, rdp, deltaHat float64) (float64, error) {
	const where = "RandomStopping.PoissonRDP"
	if err := s.check(); err != nil {
		return 0, err
	}
	if s.Mu == 0 {
		return 0, badArg(where, "law", s, "for the negative binomial law use RDP")
	}
	if err := checkOrder(where, alpha, rdp); err != nil {
		return 0, err
	}
	if !(deltaHat >= 0 && deltaHat <= 1) {
		return 0, badArg(where, "deltaHat", deltaHat, "must lie between 0 and 1")
	}
	return rdp + s.Mu*deltaHat + math.Log(s.Mu)/(alpha-1), nil
}

func checkOrder(where string, alpha, rdp float64) error {
	if !(alpha > 1) || !(rdp >= 0) {
		return badArg(where, "(alpha, rdp)", fmt.Sprintf("(%g, %g)", alpha, rdp), "the order must exceed 1 and the divergence be at least 0")
	}
	return nil
}

// Total composes: given the guarantee of one repetition it returns that of the best of K. With delta = 0 it is the pure one. With
// delta > 0 it is the smaller of that and the (ε, delta) level by Rényi accounting, for which the repetition must be pure or have a known zCDP
// level.
func (s RandomStopping) Total(base Guarantee, delta float64) (eps float64, err error) {
	const where = "RandomStopping.Total"
	if err := s.check(); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta < 1) {
		return 0, badArg(where, "delta", delta, "must lie in [0, 1)")
	}
	pure := math.Inf(1)
	if base.Delta == 0 && s.Mu == 0 {
		if pure, err = s.PureEps(base.Eps); err != nil {
			return 0, err
		}
	}
	if delta == 0 {
		if math.IsInf(pure, 1) {
			return 0, badArg(where, "delta", delta, "must be above 0: an (ε, δ) repetition or a Poisson law has no pure guarantee")
		}
		return pure, nil
	}
	curve, profile, err := renyiOf(where, base)
	if err != nil {
		return 0, err
	}
	best := pure
	for i, a := range curve.Orders {
		var total float64
		if s.Mu > 0 {
			total, err = s.PoissonRDP(a, curve.Eps[i], profile(math.Log1p(1/(a-1))))
			if err != nil {
				return 0, err
			}
		} else {
			total = math.Inf(1)
			for j, ah := range curve.Orders {
				t, err := s.RDP(a, curve.Eps[i], ah, curve.Eps[j])
				if err != nil {
					return 0, err
				}
				total = math.Min(total, t)
			}
		}
		best = math.Min(best, RDPToDP(a, math.Max(0, total), delta))
	}
	return best, nil
}

// renyiOf returns the Rényi curve and the privacy profile δ(ε) that a guarantee implies.
func renyiOf(where string, g Guarantee) (RDP, func(eps float64) float64, error) {
	switch {
	case g.Delta == 0 && positive(g.Eps):
		curve := PureRDP(g.Eps)
		if g.Rho > 0 && g.Rho < g.Eps*g.Eps/2 {
			for i, a := range curve.Orders {
				curve.Eps[i] = math.Min(curve.Eps[i], a*g.Rho)
			}
		}
		// The worst ε-DP mechanism is randomised response: δ(ε̂) = (e^ε − e^ε̂)/(1 + e^ε).
		return curve, func(e float64) float64 {
			return math.Max(0, -math.Expm1(e-g.Eps)/(1+math.Exp(-g.Eps)))
		}, nil
	case g.Rho > 0:
		curve := NewRDP(func(a float64) float64 { return a * g.Rho })
		// δ(ε̂) ≤ min over orders of exp((α−1)(ε(α)−ε̂)) (1−1/α)^α/(α−1)  (Canonne, Kamath and Steinke 2020).
		return curve, func(e float64) float64 {
			d := 1.0
			for i, a := range curve.Orders {
				d = math.Min(d, math.Exp((a-1)*(curve.Eps[i]-e)+a*math.Log1p(-1/a)-math.Log(a-1)))
			}
			return d
		}, nil
	}
	return RDP{}, nil, badArg(where, "base", fmt.Sprintf("(%g, %g)-DP", g.Eps, g.Delta), "Rényi accounting needs a pure guarantee or a known zCDP level")
}
