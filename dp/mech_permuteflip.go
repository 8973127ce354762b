package dp

import (
	"math"

	"example.org/godp/dp/internal/exact"
	"gonum.org/v1/gonum/integrate/quad"
)

// PermuteAndFlip chooses one of m candidates: it goes through them in random order and takes the first whose coin, with
// probability of heads exp(−ε(max u − u_i)/(2Δ)), comes up heads. It is ε-DP and never worse than the exponential mechanism at the same
// ε, by up to a factor 2 in expected error (McKenna and Sheldon 2020). It is the same law as report-noisy-max with
// exponential noise (Ding et al. 2021).
//
// The coins are decided in integer arithmetic, so the choice is exact. Cost: at most m coins.
type PermuteAndFlip struct {
	Eps         float64                 // ε > 0
	Sensitivity float64                 // Δ, the sensitivity of each score; 0 means 1
	Scores      func(d *Data) []float64 // the scores of the candidates, higher is better; their number is public
	Monotone    bool                    // all scores move in the same direction between neighbours (add/remove only): the exponent doubles
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m PermuteAndFlip) base() selection {
	return selection{"PermuteAndFlip", m.Eps, m.Sensitivity, m.Monotone, m.Neighbours}
}

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m PermuteAndFlip) Claim(d *Data) (Guarantee, error) {
	if err := m.base().check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim("permute-and-flip", "ε-DP for scores of sensitivity Δ", "McKenna and Sheldon 2020", m.Eps, 0, m.Neighbours, selectionAssumptions(m.base())...)
	return settle(pureRho(g), d, nil), nil
}

// Release returns the index of the chosen candidate.
func (m PermuteAndFlip) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.base().check(); err != nil {
		return nil, err
	}
	scores, err := ask("PermuteAndFlip.Release", m.Scores, d)
	if err != nil {
		return nil, err
	}
	i, err := m.choose(d, scores, src)
	return []float64{float64(i)}, err
}

// Choose returns the index of the chosen candidate for scores one already has.
func (m PermuteAndFlip) Choose(scores []float64) (int, error) {
	if err := m.base().check(); err != nil {
		return 0, err
	}
	if err := m.base().checkScores("PermuteAndFlip.Choose", scores); err != nil {
		return 0, err
	}
	return m.choose(nil, scores, m.Rand)
}

func (m PermuteAndFlip) choose(d *Data, scores []float64, src *Source) (int, error) {
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return 0, err
	}
	exponents := m.base().exponents(scores)
	order := src.Perm(len(scores))
	for _, i := range order {
		if exact.BernoulliExp(src, exponents[i]) {
			return i, nil // the best candidate's coin always comes up heads, so this is reached
		}
	}
	panic("dp: PermuteAndFlip: no coin came up heads") // a best score has exponent 0
}

// Probabilities returns the law of the choice,
//
//	P(i) = p_i ∫₀¹ Π_{j≠i} (1 − t p_j) dt,  p_i = exp(−ε(max u − u_i)/(2Δ)),
//
// by Gauss–Legendre quadrature with ⌈m/2⌉ nodes, which is exact for this polynomial and free of cancellation. Cost O(m²·m/2).
func (m PermuteAndFlip) Probabilities(scores []float64) ([]float64, error) {
	if err := m.base().check(); err != nil {
		return nil, err
	}
	if err := m.base().checkScores("PermuteAndFlip.Probabilities", scores); err != nil {
		return nil, err
	}
	n := len(scores)
	best, rate := maxOf(scores), m.base().rate()
	heads := make([]float64, n)
	for i, u := range scores {
		heads[i] = math.Exp(-rate * (best - u))
	}
	nodes, weights := make([]float64, (n+1)/2), make([]float64, (n+1)/2)
	quad.Legendre{}.FixedLocations(nodes, weights, 0, 1)
	p := make([]float64, n)
	for i := range p {
		for k, t := range nodes {
			term := weights[k]
			for j, h := range heads {
				if j != i {
					term *= 1 - t*h
				}
			}
			p[i] += term
		}
		p[i] *= heads[i]
	}
	return p, nil
}

// ErrorQuantile returns the smallest g with P(max u − u_chosen ≤ g) ≥ p for these scores.
func (m PermuteAndFlip) ErrorQuantile(scores []float64, p float64) (float64, error) {
	if err := checkP("PermuteAndFlip.ErrorQuantile", p); err != nil {
		return 0, err
	}
	probs, err := m.Probabilities(scores)
	if err != nil {
		return 0, err
	}
	return m.base().errorQuantile(scores, probs, p), nil
}

// ErrorBound returns a g with P(max u − u_chosen ≥ g) ≤ 1−p for every vector of n scores: that of the exponential
// mechanism, whose error dominates.
func (m PermuteAndFlip) ErrorBound(n int, p float64) (float64, error) {
	return m.base().errorBound("PermuteAndFlip.ErrorBound", n, p)
}
