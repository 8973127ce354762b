package dp

import (
	"fmt"
	"math"
	"math/bits"

	"example.org/godp/dp/internal/exact"
)

// SnappedLaplace is Mironov's snapping mechanism: Laplace noise in floating point whose guarantee is a theorem about floating point.
// For a scalar query f of sensitivity Δ,
//
//	clamp_B( ⌊ clamp_B(f(D)) ⊕ S⊗λ⊗LN(U) ⌉_Λ ) ,
//
// where S is a random sign, U a uniform number rounded down to a floating-point number, LN the correctly rounded logarithm (192
// bits here), ⊕ and ⊗ the rounded operations, ⌊·⌉_Λ rounding to a multiple of the smallest power of two Λ ≥ λ, and clamp_B
// clamping to [−B, B]. With λ = (Δ + 2⁻⁴⁸B)/ε it is ε-DP, rounding included.
//
// Proof. For fixed f and S every step is monotone in U, so the outputs of a cell are an interval of U. Because ⊕ is monotone, the cell's
// edge T is passed when f + S⊗λ⊗LN(U) passes a number T(1+η₁) that does not depend on f, |η₁| ≤ 2⁻⁵³; ⊗ and LN add two relative errors, so it is
// passed when −ln U passes w = |T(1+η₁) − f|(1+η₂)/λ, |η₂| < 2.01·2⁻⁵³; and Pr[U < u] is u up to a factor 1+2⁻⁵². Moving f by
// at most Δ therefore moves w by at most Δ/λ plus 8.1·2⁻⁵³B/λ. A cell is at least λ wide, so its two tails differ by a factor of e at least, and relative
// errors of the tails become at most 2.17 times as large in their difference (also in the cell that contains f). In all, ln of the ratio of
// two masses is at most Δ/λ + 2.2(8.1·2⁻⁵³B/λ + 2⁻⁵¹) ≤ (Δ + 2⁻⁴⁸B)/λ. Clamping is post-processing outside and does not increase
// distances inside. ∎ (Mironov 2012 proves 2⁻⁴⁹ for Δ = 1.)
//
// The grid mechanism [DiscreteLaplace] is simpler, exact and less noisy; this one gives the same law as is deployed elsewhere.
type SnappedLaplace struct {
	Eps         float64                 // ε > 0
	Sensitivity float64                 // Δ; 0 means 1
	Bound       float64                 // B > 0: answers are clamped to [−B, B]; between λ and 2⁴⁰λ
	Query       func(d *Data) []float64 // one answer
	Neighbours  Neighbours              // relation Sensitivity refers to; "" means ReplaceOne
	Rand        *Source                 // nil means Secure()
	Ledger      *Ledger                 // nil means none
}

func (m SnappedLaplace) check() error {
	const where = "SnappedLaplace"
	if err := checkEps(where, m.Eps); err != nil {
		return err
	}
	if err := checkSensitivity(where, m.Sensitivity); err != nil {
		return err
	}
	if !positive(m.Bound) {
		return badArg(where, "Bound", m.Bound, "the public bound on the answer must be a finite number above 0")
	}
	if l := m.Scale(); !(m.Bound >= l && m.Bound <= 0x1p40*l) || l < 0x1p-900 || l > 0x1p900 {
		return badArg(where, "Bound", m.Bound, fmt.Sprintf("must lie between the noise scale λ = %.4g and 2^40 λ", l))
	}
	return checkRelation(where, m.Neighbours)
}

// Scale returns λ = (Δ + 2⁻⁴⁸B)/ε, rounded up.
func (m SnappedLaplace) Scale() float64 {
	return (orOne(m.Sensitivity) + 0x1p-48*m.Bound) / m.Eps * (1 + 0x1p-50)
}

// Step returns Λ, the smallest power of two that is at least λ: outputs are multiples of it (or ±B).
func (m SnappedLaplace) Step() float64 {
	frac, e := math.Frexp(m.Scale())
	if frac == 0.5 {
		e--
	}
	return math.Ldexp(1, e)
}

// Claim returns the ε-DP guarantee. It does not look at d, which may be nil.
func (m SnappedLaplace) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	g := toolClaim("snapping mechanism", "masses of floating-point outputs have ratio at most e^ε, ε = (Δ + 2⁻⁴⁸B)/λ", "Mironov 2012, Theorem 1; proof in the documentation of SnappedLaplace", m.Eps, 0, m.Neighbours,
		assumeSensitivity("absolute", orOne(m.Sensitivity), m.Neighbours),
		Assumption{Text: "the noise is rounded as the proof says", Status: Enforced, Detail: fmt.Sprintf("correctly rounded logarithm, outputs are multiples of %g clamped to ±%g", m.Step(), m.Bound)})
	return settle(pureRho(g), d, nil), nil
}

// Release returns the snapped answer of Query(d), which must give one number. Nothing is drawn when it errs.
func (m SnappedLaplace) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	v, err := ask("SnappedLaplace.Release", m.Query, d)
	if err != nil {
		return nil, err
	}
	if len(v) != 1 {
		return nil, badArg("SnappedLaplace.Release", "Query", fmt.Sprintf("%d answers", len(v)), "must give one number: the rounding of each answer costs privacy of its own")
	}
	return m.release(d, v[0], src)
}

// Perturb returns the snapped value, for a number one already has.
func (m SnappedLaplace) Perturb(value float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if err := checkFinite("SnappedLaplace.Perturb", "value", []float64{value}); err != nil {
		return 0, err
	}
	v, err := m.release(nil, value, m.Rand)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

func (m SnappedLaplace) release(d *Data, value float64, src *Source) ([]float64, error) {
	src = orSecure(src)
	if err := chargeTool(m.Ledger, d, m, src); err != nil {
		return nil, err
	}
	// U = (1 + mant·2⁻⁵²)·2⁻ᵉ, e geometric: a uniform real number rounded down.
	e := 1
	for {
		z := bits.LeadingZeros64(src.Uint64())
		if e += z; z < 64 {
			break
		}
	}
	w := exact.NegLog(src.Uint64()>>12, e)
	return []float64{m.snap(value, w, src.Uint64()>>63 == 1)}, nil
}

// snap is the mechanism for given randomness. The conversions keep a compiler from fusing the operations.
func (m SnappedLaplace) snap(value, w float64, plus bool) float64 {
	b, step := m.Bound, m.Step()
	noise := float64(m.Scale() * w)
	if !plus {
		noise = -noise
	}
	sum := float64(math.Max(-b, math.Min(b, value)) + noise)
	return math.Max(-b, math.Min(b, math.RoundToEven(sum/step)*step))
}

// LogMass returns the logarithm of the probability of the output y given the answer value, of the same law in real arithmetic (they agree
// to a relative 10⁻¹⁴·B/λ); −Inf where y is no output.
func (m SnappedLaplace) LogMass(value, y float64) float64 {
	b, step, l := m.Bound, m.Step(), m.Scale()
	v := math.Max(-b, math.Min(b, value))
	tail := func(t float64) float64 { // Pr[noise > t]
		if t < 0 {
			return 1 - 0.5*math.Exp(t/l)
		}
		return 0.5 * math.Exp(-t/l)
	}
	top := math.RoundToEven(b/step) * step // the cell in which B lies
	switch {
	case math.Abs(y) > b:
		return math.Inf(-1)
	case y == b || y == -b:
		edge := top - step/2
		if top < b { // B lies above its cell's centre: the next cells are clamped to it
			edge = top + step/2
		}
		if y > 0 {
			return math.Log(tail(edge - v))
		}
		return math.Log(tail(edge + v))
	case y != math.RoundToEven(y/step)*step:
		return math.Inf(-1)
	}
	lo, hi := y-step/2-v, y+step/2-v
	if lo >= 0 { // no cancellation in the upper tail
		return math.Log(0.5) - lo/l + math.Log(-math.Expm1(-(hi-lo)/l))
	}
	if hi <= 0 {
		return math.Log(0.5) + hi/l + math.Log(-math.Expm1(-(hi-lo)/l))
	}
	return math.Log(tail(lo) - tail(hi))
}

// ErrorQuantile returns a bound on |output − value| that holds with probability at least p, for values between −B and B: the quantile
// −λ ln(1−p) of Laplace noise plus Λ/2 for the rounding.
func (m SnappedLaplace) ErrorQuantile(p float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if !(p >= 0 && p < 1) {
		return 0, badArg("SnappedLaplace.ErrorQuantile", "p", p, "must lie in [0, 1)")
	}
	return -m.Scale()*math.Log1p(-p) + m.Step()/2, nil
}
