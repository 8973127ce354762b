package dp

import (
	"fmt"
	"math"

	"example.org/godp/dp/internal/exact"
)

// RandomizedResponse lets each person report a category in {0, …, K−1} with deniability:
//
//	P(report = truth) = e^ε/(e^ε+K−1),  P(report = any other) = 1/(e^ε+K−1).
//
// Each report is ε-locally differentially private (Warner 1965; Kairouz, Oh and Viswanath 2014 for K > 2): the people need not trust
// the collector. The vector of all reports is ε-DP under replace-one.
//
// The draw is exact: a uniform category is accepted at once if it is the truth, else with probability e^{−ε}, decided in
// integer arithmetic.
type RandomizedResponse struct {
	Eps      float64                  // ε > 0
	K        int                      // number of categories ≥ 2; 0 means 2
	Category func(d *Data, i int) int // for Release: row i's category; nil means the class, or for labels 0 (−1) and 1 (+1)
	Rand     *Source                  // nil means Secure()
	Ledger   *Ledger                  // nil means none
}

func (m RandomizedResponse) k() int {
	if m.K == 0 {
		return 2
	}
	return m.K
}

func (m RandomizedResponse) check() error {
	if err := checkEps("RandomizedResponse", m.Eps); err != nil {
		return err
	}
	if m.k() < 2 {
		return badArg("RandomizedResponse", "K", m.K, "must be at least 2 (0 means 2)")
	}
	return nil
}

// Truth returns the probability of a true report, e^ε/(e^ε+K−1).
func (m RandomizedResponse) Truth() float64 { return 1 / (1 + float64(m.k()-1)*math.Exp(-m.Eps)) }

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m RandomizedResponse) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim(fmt.Sprintf("randomised response among %d categories", m.k()), "the probabilities of a report differ by the factor e^ε at most", "Warner 1965; Kairouz, Oh and Viswanath 2014", m.Eps, 0, ReplaceOne,
		Assumption{Text: "each person contributes one row", Status: Assumed},
		Assumption{Text: "the reports are drawn by exact integer arithmetic", Status: Enforced})
	return settle(pureRho(g), d, nil), nil
}

// Respond returns one report for a person of the given category.
func (m RandomizedResponse) Respond(category int) (int, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if err := m.checkCategory("Respond", "category", category); err != nil {
		return 0, err
	}
	src := orSecure(m.Rand)
	if err := chargeTool(m.Ledger, nil, m, src); err != nil {
		return 0, err
	}
	return m.draw(category, src), nil
}

func (m RandomizedResponse) checkCategory(method, arg string, c int) error {
	if c < 0 || c >= m.k() {
		return badArg("RandomizedResponse."+method, arg, c, fmt.Sprintf("must be a category from 0 to %d", m.k()-1))
	}
	return nil
}

func (m RandomizedResponse) draw(category int, src *Source) int {
	lie := rat(m.Eps)
	for {
		v := src.Intn(m.k())
		if v == category || exact.BernoulliExp(src, lie) {
			return v
		}
	}
}

// Release returns one report per row.
func (m RandomizedResponse) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if d == nil || d.Len() == 0 {
		return nil, badArg("RandomizedResponse.Release", "d", "empty", "must be a data set with at least one row")
	}
	category := m.Category
	if category == nil {
		category = func(d *Data, i int) int { return d.Class(i) }
		if d.Binary() {
			category = func(d *Data, i int) int { return int(d.Label(i)+1) / 2 }
		}
	}
	truth := make([]int, d.Len())
	for i := range truth {
		truth[i] = category(d, i)
		if err := m.checkCategory("Release", fmt.Sprintf("Category of row %d", i), truth[i]); err != nil {
			return nil, err
		}
	}
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return nil, err
	}
	out := make([]float64, len(truth))
	for i, c := range truth {
		out[i] = float64(m.draw(c, src))
	}
	return out, nil
}

// LogMass returns the log probability that a person of the given category reports y; −Inf outside the categories.
func (m RandomizedResponse) LogMass(category, y int) float64 {
	if y < 0 || y >= m.k() {
		return math.Inf(-1)
	}
	p := math.Log(m.Truth())
	if y != category {
		p -= m.Eps
	}
	return p
}

// Frequencies returns the unbiased estimate of the categories' shares from reports, (share of reports − q)/(p − q) with
// p = Truth() and q = p e^{−ε}. Estimates may be negative or above 1; they sum to 1.
func (m RandomizedResponse) Frequencies(reports []float64) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if len(reports) == 0 {
		return nil, badArg("RandomizedResponse.Frequencies", "reports", "empty", "at least one report is needed")
	}
	f := make([]float64, m.k())
	for i, r := range reports {
		if r != math.Trunc(r) || r < 0 || r >= float64(len(f)) {
			return nil, badArg("RandomizedResponse.Frequencies", fmt.Sprintf("reports[%d]", i), r, fmt.Sprintf("must be a category from 0 to %d", len(f)-1))
		}
		f[int(r)]++
	}
	p := m.Truth()
	q := p * math.Exp(-m.Eps)
	for i := range f {
		f[i] = (f[i]/float64(len(reports)) - q) / (p - q)
	}
	return f, nil
}

// ErrorQuantile returns a t with P(|estimated share − true share| ≤ t) ≥ p for n reports, whatever the shares (Hoeffding's inequality, a
// report moves an estimate by 1/(n(p₁−q₁))): √(ln(2/(1−p))/(2n))/(p₁−q₁).
func (m RandomizedResponse) ErrorQuantile(n int, p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, badArg("RandomizedResponse.ErrorQuantile", "n", n, "must be at least 1")
	}
	if err := checkP("RandomizedResponse.ErrorQuantile", p); err != nil {
		return 0, err
	}
	t := m.Truth()
	return math.Sqrt(math.Log(2/(1-p))/(2*float64(n))) / (t * -math.Expm1(-m.Eps)), nil
}
