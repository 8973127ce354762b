package dp

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/integrate/quad"
)

// ReportNoisyMax adds independent noise to every score and reports the index of the largest (not its noisy score).
//
//   - "laplace" (the default): Laplace noise of scale 2Δ/ε (Dwork and Roth 2014, Claim 3.9 and the remark on general queries).
//   - "gumbel": Gumbel noise of scale 2Δ/ε; the law of the exponential mechanism.
//   - "exponential": one-sided exponential noise of mean 2Δ/ε; the law of permute-and-flip (Ding et al. 2021).
//
// Each is ε-DP. With Monotone scores the scale is Δ/ε. The noise is drawn in floating point; [Exponential] and
// [PermuteAndFlip] draw the second and third law exactly.
type ReportNoisyMax struct {
	Eps         float64                 // ε > 0
	Sensitivity float64                 // Δ, the sensitivity of each score; 0 means 1
	Scores      func(d *Data) []float64 // the scores of the candidates, higher is better; their number is public
	Noise       string                  // "laplace", "gumbel" or "exponential"; "" means "laplace"
	Monotone    bool                    // all scores move in the same direction between neighbours (add/remove only)
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m ReportNoisyMax) base() selection {
	return selection{"ReportNoisyMax", m.Eps, m.Sensitivity, m.Monotone, m.Neighbours}
}

func (m ReportNoisyMax) check() error {
	switch m.Noise {
	case "", "laplace", "gumbel", "exponential":
		return m.base().check()
	}
	return badArg("ReportNoisyMax", "Noise", m.Noise, `must be "laplace", "gumbel" or "exponential"`)
}

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m ReportNoisyMax) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	noise, source := m.Noise, "Dwork and Roth 2014, Claim 3.9"
	switch noise {
	case "":
		noise = "laplace"
	case "gumbel":
		source = "McSherry and Talwar 2007, Theorem 6"
	case "exponential":
		source = "Ding et al. 2021; McKenna and Sheldon 2020"
	}
	g := toolClaim("report-noisy-max, "+noise+" noise", "the index of the largest noisy score is ε-DP", source, m.Eps, 0, m.Neighbours,
		Assumption{Text: fmt.Sprintf("every score changes by at most %g between neighbours", orOne(m.Sensitivity)), Status: Assumed}, assumeReals())
	g.Assumptions[1].Detail = "drawn in floating point; dp.Exponential and dp.PermuteAndFlip choose exactly"
	g = pureRho(g)
	if noise == "gumbel" {
		g.Rho = BoundedRangeToZCDP(m.Eps)
	}
	return settle(g, d, nil), nil
}

// Release returns the index of the chosen candidate.
func (m ReportNoisyMax) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	scores, err := ask("ReportNoisyMax.Release", m.Scores, d)
	if err != nil {
		return nil, err
	}
	i, err := m.choose(d, scores, src)
	return []float64{float64(i)}, err
}

// Choose returns the index of the chosen candidate for scores one already has.
func (m ReportNoisyMax) Choose(scores []float64) (int, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if err := m.base().checkScores("ReportNoisyMax.Choose", scores); err != nil {
		return 0, err
	}
	return m.choose(nil, scores, m.Rand)
}

func (m ReportNoisyMax) choose(d *Data, scores []float64, src *Source) (int, error) {
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return 0, err
	}
	rate, best, top := m.base().rate(), 0, math.Inf(-1)
	for i, u := range scores {
		var noise float64
		switch m.Noise {
		case "gumbel":
			noise = -math.Log(src.Exp())
		case "exponential":
			noise = src.Exp()
		default:
			noise = laplaceNoise(src)
		}
		if v := u + noise/rate; v > top {
			best, top = i, v
		}
	}
	return best, nil
}

// Probabilities returns the law of the choice: for Laplace noise ∫ f(x−u_i) Π_{j≠i} F(x−u_j) dx by composite
// Gauss–Legendre quadrature between the kinks (relative error below 1e-12); for the other noises that of [Exponential] and
// [PermuteAndFlip].
func (m ReportNoisyMax) Probabilities(scores []float64) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := m.base().checkScores("ReportNoisyMax.Probabilities", scores); err != nil {
		return nil, err
	}
	switch m.Noise {
	case "gumbel":
		return Exponential{Eps: m.Eps, Sensitivity: m.Sensitivity, Monotone: m.Monotone, Neighbours: m.Neighbours}.Probabilities(scores)
	case "exponential":
		return PermuteAndFlip{Eps: m.Eps, Sensitivity: m.Sensitivity, Monotone: m.Monotone, Neighbours: m.Neighbours}.Probabilities(scores)
	}
	// In units of the noise scale, with the largest score at 0; the winner's noisy score is within 45 of it.
	rate, best := m.base().rate(), maxOf(scores)
	u := make([]float64, len(scores))
	for i, s := range scores {
		u[i] = rate * (s - best)
	}
	p := make([]float64, len(u))
	laplacePieces(u, 45, func(x, w float64) {
		// Products without the i-th factor, by prefix and suffix.
		prefix := make([]float64, len(u)+1)
		prefix[0] = w
		for j, c := range u {
			prefix[j+1] = prefix[j] * laplaceCDF(x-c)
		}
		suffix := 1.0
		for i := len(u) - 1; i >= 0; i-- {
			p[i] += prefix[i] * suffix * math.Exp(-math.Abs(x-u[i])) / 2
			suffix *= laplaceCDF(x - u[i])
		}
	})
	return p, nil
}

// laplacePieces calls f at the nodes x (with weight w) of a quadrature over [−reach, reach] whose pieces end at the kinks and
// are at most one unit long: functions built from e^{±x} between the kinks are integrated to near machine precision.
func laplacePieces(kinks []float64, reach float64, f func(x, w float64)) {
	cuts := []float64{reach}
	for x := -reach; x < reach; x++ {
		cuts = append(cuts, x)
	}
	for _, k := range kinks {
		if k > -reach && k < reach {
			cuts = append(cuts, k)
		}
	}
	sort.Float64s(cuts)
	const n = 16
	var nodes, weights [n]float64
	for i := 1; i < len(cuts); i++ {
		if cuts[i] > cuts[i-1] {
			quad.Legendre{}.FixedLocations(nodes[:], weights[:], cuts[i-1], cuts[i])
			for k := range nodes {
				f(nodes[k], weights[k])
			}
		}
	}
}

// ErrorQuantile returns the smallest g with P(max u − u_chosen ≤ g) ≥ p for these scores.
func (m ReportNoisyMax) ErrorQuantile(scores []float64, p float64) (float64, error) {
	if err := checkP("ReportNoisyMax.ErrorQuantile", p); err != nil {
		return 0, err
	}
	probs, err := m.Probabilities(scores)
	if err != nil {
		return 0, err
	}
	return m.base().errorQuantile(scores, probs, p), nil
}
