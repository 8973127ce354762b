package dp

import (
	"fmt"
	"math"
)

// SparseVector answers a stream of threshold questions "is q_i at least T?" and pays only for the yeses (AboveThreshold for
// Count = 1). It draws one noisy threshold T + Lap(Δ/ε₁) and compares q_i + Lap(2cΔ/ε₂) with it, c = Count, until it has
// said yes c times; then it stops. It is (ε₁+ε₂)-DP however many noes it gave (Dwork and Roth 2014, Theorem 3.23 for c = 1;
// Lyu, Su and Li 2017, Algorithm 7 and Theorem 4). ε is split so that the two noises balance, ε₁ : ε₂ = 1 : (2c)^{2/3}.
//
// With Monotone queries (all move in the same direction between neighbours) the query noise is Lap(cΔ/ε₂) and the split 1 : c^{2/3}.
//
// Only the answers yes and no may be released, never the noisy values: published variants that release more, or add no noise to
// the queries, are not private (Lyu, Su and Li 2017, Section 3). The noise is drawn in floating point.
type SparseVector struct {
	Eps         float64                 // ε > 0, for the whole stream
	Sensitivity float64                 // Δ, the sensitivity of each query; 0 means 1
	Threshold   float64                 // T, public
	Count       int                     // c, the number of yeses after which the stream ends; 0 means 1
	Monotone    bool                    // all queries move in the same direction between neighbours (add/remove only)
	Queries     func(d *Data) []float64 // for Release: the answers to the stream of queries; their number is public
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m SparseVector) check() error {
	if math.IsNaN(m.Threshold) || math.IsInf(m.Threshold, 0) {
		return badArg("SparseVector", "Threshold", m.Threshold, "must be a finite number")
	}
	if m.Count < 0 {
		return badArg("SparseVector", "Count", m.Count, "must be at least 1 (0 means 1)")
	}
	return selection{"SparseVector", m.Eps, m.Sensitivity, m.Monotone, m.Neighbours}.check()
}

// Scales returns the scales of the threshold's and of the queries' Laplace noise.
func (m SparseVector) Scales() (threshold, query float64) {
	c, delta := float64(max(1, m.Count)), orOne(m.Sensitivity)
	k := 2 * c
	if m.Monotone {
		k = c
	}
	eps1 := m.Eps / (1 + math.Pow(k, 2.0/3))
	return delta / eps1, k * delta / (m.Eps - eps1)
}

// Claim returns the ε-DP guarantee for the whole stream. It does not look at d, which may be nil.
func (m SparseVector) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim(fmt.Sprintf("sparse vector technique (threshold %g, %d yes)", m.Threshold, max(1, m.Count)), "Algorithm 7, Theorem 4", "Lyu, Su and Li 2017", m.Eps, 0, m.Neighbours,
		assumeSensitivity("absolute", orOne(m.Sensitivity), m.Neighbours), assumeReals())
	g.Assumptions[1].Detail = "it is drawn in floating point (Mironov 2012)"
	return settle(pureRho(g), d, nil), nil
}

// SparseStream is one run of a SparseVector: it holds the noisy threshold, which is never shown.
type SparseStream struct {
	m         SparseVector
	src       *Source
	threshold float64
	yes       int
	asked     int
}

// Start charges the ledger for the whole stream and draws the noisy threshold.
func (m SparseVector) Start() (*SparseStream, error) { return m.start(nil, m.Rand) }

func (m SparseVector) start(d *Data, src *Source) (*SparseStream, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return nil, err
	}
	scale, _ := m.Scales()
	return &SparseStream{m: m, src: src, threshold: m.Threshold + scale*laplaceNoise(src)}, nil
}

// Ask answers whether value (the next query's true answer) is above the threshold, with noise. It errs once the stream has
// ended, and for a value that is not finite.
func (s *SparseStream) Ask(value float64) (bool, error) {
	if s.Done() {
		return false, fmt.Errorf("dp: SparseStream.Ask: the stream has ended after %d yes in %d queries; start a new one, which costs ε = %g again", s.yes, s.asked, s.m.Eps)
	}
	if err := checkFinite("SparseStream.Ask", "value", []float64{value}); err != nil {
		return false, err
	}
	_, scale := s.m.Scales()
	s.asked++
	if value+scale*laplaceNoise(s.src) < s.threshold {
		return false, nil
	}
	s.yes++
	return true, nil
}

// Done tells whether the stream has said yes as often as it may.
func (s *SparseStream) Done() bool { return s.yes >= max(1, s.m.Count) }

// String says how far the stream is; it does not show the noisy threshold.
func (s *SparseStream) String() string {
	return fmt.Sprintf("sparse vector stream: %d asked, %d of %d yes", s.asked, s.yes, max(1, s.m.Count))
}

// GoString hides the noisy threshold from %#v as String hides it from the rest.
func (s *SparseStream) GoString() string { return s.String() }

// Release answers Queries(d) in order: 1 for yes, 0 for no, −1 for queries after the stream ended.
func (m SparseVector) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	q, err := ask("SparseVector.Release", m.Queries, d)
	if err != nil {
		return nil, err
	}
	s, err := m.start(d, src)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(q))
	for i, v := range q {
		if s.Done() {
			out[i] = -1
			continue
		}
		yes, err := s.Ask(v)
		if err != nil {
			return nil, err
		}
		if yes {
			out[i] = 1
		}
	}
	return out, nil
}

// LogMass returns the log probability of the answers (as Release gives them, −1 after the end) when the true answers are
// values: ln ∫ f(t) Π_no F(T+t−q_i) Π_yes (1−F(T+t−q_i)) dt over the threshold's noise, by quadrature. It is −Inf for
// answers that cannot occur and NaN for bad parameters.
func (m SparseVector) LogMass(values, answers []float64) float64 {
	if m.check() != nil || len(values) != len(answers) {
		return math.NaN()
	}
	yes := 0
	n := len(answers)
	for i, a := range answers {
		if yes == max(1, m.Count) {
			n = min(n, i)
			if a != -1 {
				return math.Inf(-1)
			}
			continue
		}
		if a != 0 && a != 1 {
			return math.Inf(-1)
		}
		if a == 1 {
			yes++
		}
	}
	ts, qs := m.Scales()
	// x is the threshold's noise in its own scale; the kinks of the integrand lie where the threshold meets a query.
	kinks := []float64{0}
	for _, q := range values[:n] {
		kinks = append(kinks, (q-m.Threshold)/ts)
	}
	sum := 0.0
	laplacePieces(kinks, 60, func(x, w float64) {
		v := w * math.Exp(-math.Abs(x)) / 2
		for i, q := range values[:n] {
			below := laplaceCDF((m.Threshold + ts*x - q) / qs)
			if answers[i] == 1 {
				below = laplaceCDF(-(m.Threshold + ts*x - q) / qs)
			}
			v *= below
		}
		sum += v
	})
	return math.Log(sum)
}

// ErrorBound returns the α such that with probability at least p, simultaneously over a stream of n queries, every yes has
// q_i ≥ T − α and every no has q_i ≤ T + α: the threshold's noise stays below b₁ ln(2/β) and each query's below
// b₂ ln(2n/β), β = 1−p (union bound; compare Dwork and Roth 2014, Theorem 3.24).
func (m SparseVector) ErrorBound(n int, p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, badArg("SparseVector.ErrorBound", "n", n, "must be at least 1")
	}
	if err := checkP("SparseVector.ErrorBound", p); err != nil {
		return 0, err
	}
	ts, qs := m.Scales()
	return ts*math.Log(2/(1-p)) + qs*math.Log(2*float64(n)/(1-p)), nil
}
