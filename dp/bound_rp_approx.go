package dp

import "math"

// Numbers for the approximation of a kernel by random features and for the
// chains of Theorem 14, Corollary 15 and Theorem 16 of Rubinstein et al.

// rpTol12 is the kernel error ε' that keeps the two SVMs within acc/2 of each
// other on the set where ‖k−k̂‖∞ ≤ ε' (Lemma 12), when both duals have
// ‖α‖₁ ≤ lam.
func rpTol12(acc, c, l, lam float64, published bool) float64 {
	if published {
		den := lam + 2*math.Sqrt((c*l+lam/2)*lam)
		return math.Min(1, acc*acc/(4*den*den))
	}
	// ½(√(1+acc/Λ) − 1)², the solution of Λε' + Λ√(2ε') = acc/2,
	// without cancellation for small acc.
	x := acc / lam
	r := x / (1 + math.Sqrt(1+x))
	return 0.5 * r * r
}

// rpTheta14 is θ = ε'² of Theorem 14.
func rpTheta14(acc, c, l, lam float64, published bool) float64 {
	t := rpTol12(acc, c, l, lam, published)
	return t * t
}

// rpTheta15 is Corollary 15's relaxation ε⁴/(2¹²C⁴).
func rpTheta15(acc, c float64) float64 { return math.Pow(acc/c, 4) / 4096 }

// rpTheta15Exact is the constant before it was relaxed: ε⁴/(2⁴C⁴(1+√6)⁴).
func rpTheta15Exact(acc, c float64) float64 {
	return math.Min(1, math.Pow(acc/c, 4)/(16*math.Pow(1+math.Sqrt(6), 4)))
}

// rpPairs13 is the number of random frequencies for sup|k−k̂| ≤ acc on a set
// of diameter diam with probability ≥ 1−fail: (4(d+2)/ε²) ln(2^k(σ_pℓ)²/(δε²)).
func rpPairs13(acc, fail float64, d int, sigmaP, diam float64, log2 float64) float64 {
	dd := float64(d)
	return 4 * (dd + 2) / (acc * acc) *
		(log2*math.Ln2 + 2*math.Log(sigmaP*diam) - math.Log(fail) - 2*math.Log(acc))
}

// rpPairs13Unrelaxed keeps the dimension in the constants of the 2^10 form.
func rpPairs13Unrelaxed(acc, fail float64, d int, sigmaP, diam float64) float64 {
	dd := float64(d)
	return 4 * (dd + 2) / (acc * acc) *
		((1+2/(dd+2))*math.Ln2 + 2*dd/(dd+2)*math.Log(16*sigmaP*diam/acc) + math.Log(1/fail))
}

// rpPairs13Holder needs only a moment of order s ≤ 1: Lemma 13-H.
func rpPairs13Holder(acc, fail float64, d int, diam, s, ms float64) float64 {
	dd := float64(d)
	return 8 / (s * acc * acc) *
		((dd+s)*math.Log(2/fail) + s*math.Ln2 + s*dd*math.Log(4*diam) + dd*math.Log(math.Pow(2, 3-s)*ms/acc))
}

// rpPairs13Finite is enough when only m points matter.
func rpPairs13Finite(acc, fail float64, m int) float64 {
	mm := float64(m)
	return 2 / (acc * acc) * math.Log(mm*(mm-1)/fail)
}

// rpPairs14 is d̂ of Theorem 14: Lemma 13 at accuracy √θ and failure fail/2.
func rpPairs14(theta, fail float64, d int, sigmaP, diam float64, published bool) float64 {
	k := 10.0
	if published {
		k = 8
	}
	return rpPairs13(math.Sqrt(theta), fail/2, d, sigmaP, diam, k)
}

// rpChain16 is one run of Theorem 16 with all its intermediate numbers.
type rpChain16 struct {
	theta, lam, beta float64
	pairs            int
	erlang, net      float64
}

type rpReading16 int

const (
	read16Misread   rpReading16 = iota // the paper's proof, with ln(2√d̂)
	read16Lemma10                      // the same chain with Lemma 10 as it is
	read16Corrected                    // tight θ, 2^10, tight sensitivity, covering argument
)

func rpTheorem16(how rpReading16, acc, fail, c float64, n, d int, sigmaP, diam, m1, omega float64) rpChain16 {
	var ch rpChain16
	if how == read16Corrected {
		ch.theta = rpTheta14(acc, c, 1, c, false)
		ch.pairs = ceilInt(rpPairs14(ch.theta, fail, d, sigmaP, diam, false))
		ch.erlang = rpLemma10(acc, fail, ch.pairs).erlang
		ch.net = rpNet(acc/2, fail/2, ch.pairs, d, diam, 1, m1, omega)
		ch.lam = math.Max(ch.erlang, ch.net)
		ch.beta = 2 * math.Sqrt2 * c * math.Sqrt(float64(ch.pairs)) / (ch.lam * float64(n))
		return ch
	}
	ch.theta = rpTheta15(acc, c)
	ch.pairs = ceilInt(rpPairs14(ch.theta, fail, d, sigmaP, diam, true))
	l := rpLemma10(acc, fail, ch.pairs)
	ch.lam = l.lemma
	if how == read16Misread {
		ch.lam = l.misread
	}
	ch.beta = 4 * math.Sqrt2 * c * math.Sqrt(float64(ch.pairs)) / (ch.lam * float64(n))
	return ch
}

func ceilInt(x float64) int {
	if !(x < math.MaxInt64/2) {
		return math.MaxInt64 / 2
	}
	if x < 1 {
		return 1
	}
	return int(math.Ceil(x))
}

// Spectral moments (Table 1, corrected): σ_p² = E‖ω‖² and E‖ω‖^s.

// rpRBFMeanNorm is E‖ω‖ for the RBF kernel: (√2/σ)Γ((d+1)/2)/Γ(d/2).
func rpRBFMeanNorm(d int, sigma float64) float64 {
	a, _ := math.Lgamma(float64(d+1) / 2)
	b, _ := math.Lgamma(float64(d) / 2)
	return math.Sqrt2 / sigma * math.Exp(a-b)
}

// rpLaplacianMoment bounds E‖ω‖^s for the Laplacian kernel, 0 < s < 1:
// d/(σ^s cos(πs/2)).
func rpLaplacianMoment(d int, sigma, s float64) float64 {
	return float64(d) / (math.Pow(sigma, s) * math.Cos(math.Pi*s/2))
}

// rpCauchyMoment bounds E‖ω‖^s for the Cauchy kernel by Jensen: (2d)^{s/2}/σ^s.
func rpCauchyMoment(d int, sigma, s float64) float64 {
	return math.Pow(2*float64(d), s/2) / math.Pow(sigma, s)
}
