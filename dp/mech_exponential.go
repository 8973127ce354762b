package dp

import (
	"fmt"
	"math"
	"math/big"

	"example.org/godp/dp/internal/exact"
)

// Exponential chooses one of m candidates with probability
//
//	P(i) ∝ exp(ε u_i / (2Δ)),
//
// where u_i is candidate i's score (higher is better) and Δ the most that any one score changes between neighbours. It
// is ε-DP (McSherry and Talwar 2007, Theorem 6) and ε²/8-zCDP (Cesar and Rogers 2021). If the scores are Monotone (one
// more row never lowers a score while raising another, as for counts under add/remove) the exponent is ε u_i / Δ.
//
// The choice is exact: a uniform candidate is accepted with probability exp(−ε(max u − u_i)/(2Δ)), decided in integer
// arithmetic. Cost: on average at most m trials.
type Exponential struct {
	Eps         float64                 // ε > 0
	Sensitivity float64                 // Δ, the sensitivity of each score; 0 means 1
	Scores      func(d *Data) []float64 // the scores of the candidates, higher is better; their number is public
	Monotone    bool                    // all scores move in the same direction between neighbours
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

// selection is what the selection mechanisms have in common.
type selection struct {
	name       string
	eps, delta float64 // ε, Δ
	monotone   bool
	neighbours Neighbours
}

func (s selection) check() error {
	if err := checkEps(s.name, s.eps); err != nil {
		return err
	}
	if err := checkSensitivity(s.name, s.delta); err != nil {
		return err
	}
	if s.monotone && s.neighbours != AddRemove {
		return badArg(s.name, "Monotone", true, "scores move in one direction only under dp.AddRemove; replacing a row can lower one score and raise another")
	}
	return checkRelation(s.name, s.neighbours)
}

// rate is the factor of the score in the exponent.
func (s selection) rate() float64 {
	if s.monotone {
		return s.eps / orOne(s.delta)
	}
	return s.eps / (2 * orOne(s.delta))
}

// exactRate is rate as an exact rational.
func (s selection) exactRate() *big.Rat {
	r := new(big.Rat).Quo(rat(s.eps), rat(orOne(s.delta)))
	if !s.monotone {
		r.Quo(r, big.NewRat(2, 1))
	}
	return r
}

// exponents are the exact numbers rate·(max u − u_i) ≥ 0.
func (s selection) exponents(scores []float64) []*big.Rat {
	rate, best := s.exactRate(), rat(maxOf(scores))
	out := make([]*big.Rat, len(scores))
	for i, u := range scores {
		out[i] = new(big.Rat).Sub(best, rat(u))
		out[i].Mul(out[i], rate)
	}
	return out
}

func maxOf(v []float64) float64 {
	best := math.Inf(-1)
	for _, x := range v {
		best = math.Max(best, x)
	}
	return best
}

// checkScores refuses empty score vectors and scores that are not numbers.
func (s selection) checkScores(where string, scores []float64) error {
	if len(scores) == 0 {
		return badArg(where, "scores", "empty", "at least one candidate is needed")
	}
	return checkFinite(where, "scores", scores)
}

// errorQuantile is the smallest gap g with P(max u − u_chosen ≤ g) ≥ p.
func (s selection) errorQuantile(scores, probs []float64, p float64) float64 {
	best, gaps := maxOf(scores), map[float64]float64{}
	for i, u := range scores {
		gaps[best-u] += probs[i]
	}
	keys := sortedKeys(gaps)
	total := 0.0
	for _, g := range keys {
		if total += gaps[g]; total >= p*(1-1e-15) {
			return g
		}
	}
	return keys[len(keys)-1]
}

// errorBound is the tight worst case over score vectors: ln((m−1)p/(1−p))/rate, at least 0.
func (s selection) errorBound(where string, m int, p float64) (float64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	if m < 1 {
		return 0, badArg(where, "m", m, "at least one candidate is needed")
	}
	if err := checkP(where, p); err != nil {
		return 0, err
	}
	if m == 1 {
		return 0, nil
	}
	return math.Max(0, math.Log(float64(m-1)*p/(1-p))/s.rate()), nil
}

func (m Exponential) base() selection {
	return selection{"Exponential", m.Eps, m.Sensitivity, m.Monotone, m.Neighbours}
}

// Claim returns the ε-DP guarantee with ρ = ε²/8. It does not look at d, which may be nil.
func (m Exponential) Claim(d *Data) (Guarantee, error) {
	if err := m.base().check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim("exponential mechanism", "Theorem 6; bounded range gives ε²/8-zCDP", "McSherry and Talwar 2007; Cesar and Rogers 2021", m.Eps, 0, m.Neighbours,
		selectionAssumptions(m.base())...)
	g.Rho = BoundedRangeToZCDP(m.Eps)
	return settle(g, d, nil), nil
}

// selectionAssumptions lists what a selection mechanism believes and what it enforces.
func selectionAssumptions(s selection) []Assumption {
	as := []Assumption{
		{Text: fmt.Sprintf("every score changes by at most %g between neighbours", orOne(s.delta)), Status: Assumed},
		{Text: "the choice is made by exact integer arithmetic", Status: Enforced},
	}
	if s.monotone {
		as = append(as, Assumption{Text: "all scores move in the same direction between neighbours", Status: Assumed})
	}
	return as
}

// Release returns the index of the chosen candidate.
func (m Exponential) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.base().check(); err != nil {
		return nil, err
	}
	scores, err := ask("Exponential.Release", m.Scores, d)
	if err != nil {
		return nil, err
	}
	i, err := m.choose(d, scores, src)
	return []float64{float64(i)}, err
}

// Choose returns the index of the chosen candidate for scores one already has.
func (m Exponential) Choose(scores []float64) (int, error) {
	if err := m.base().check(); err != nil {
		return 0, err
	}
	if err := m.base().checkScores("Exponential.Choose", scores); err != nil {
		return 0, err
	}
	return m.choose(nil, scores, m.Rand)
}

func (m Exponential) choose(d *Data, scores []float64, src *Source) (int, error) {
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return 0, err
	}
	exponents := m.base().exponents(scores)
	for {
		i := src.Intn(len(scores))
		if exact.BernoulliExp(src, exponents[i]) {
			return i, nil
		}
	}
}

// Probabilities returns the law of the choice, computed with the largest score subtracted.
func (m Exponential) Probabilities(scores []float64) ([]float64, error) {
	if err := m.base().check(); err != nil {
		return nil, err
	}
	if err := m.base().checkScores("Exponential.Probabilities", scores); err != nil {
		return nil, err
	}
	best, rate, sum := maxOf(scores), m.base().rate(), 0.0
	p := make([]float64, len(scores))
	for i, u := range scores {
		p[i] = math.Exp(-rate * (best - u))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p, nil
}

// ErrorQuantile returns the smallest g with P(max u − u_chosen ≤ g) ≥ p for these scores.
func (m Exponential) ErrorQuantile(scores []float64, p float64) (float64, error) {
	if err := checkP("Exponential.ErrorQuantile", p); err != nil {
		return 0, err
	}
	probs, err := m.Probabilities(scores)
	if err != nil {
		return 0, err
	}
	return m.base().errorQuantile(scores, probs, p), nil
}

// ErrorBound returns the g with P(max u − u_chosen ≥ g) ≤ 1−p for every vector of n scores: (2Δ/ε) ln((n−1)p/(1−p)). It is
// attained when all other scores are equal, and slightly better than the usual (2Δ/ε) ln(n/(1−p)).
func (m Exponential) ErrorBound(n int, p float64) (float64, error) {
	return m.base().errorBound("Exponential.ErrorBound", n, p)
}
