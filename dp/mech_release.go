package dp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// The toolbox: textbook mechanisms, one file each. All of them follow one pattern.
//
//   - The struct's fields are the parameters; Query (or Scores, …) is the question asked of a data set, and Sensitivity is
//     how much its answer can change between neighbouring data sets. Sensitivity is believed, not proved: the guarantee
//     lists it as assumed, and Audit can test it.
//   - Claim says what is guaranteed, from the parameters alone. Release asks the question and releases a noisy answer.
//   - Methods on plain numbers (Perturb, Choose, Respond) do the same for a value one already has.
//   - The law of the output (LogDensity or LogMass, CDF, ErrorQuantile) is available in closed form or by quadrature.
//   - Bad parameters are refused before the ledger is charged and before any noise is drawn.

// toolClaim builds the guarantee of a toolbox mechanism.
func toolClaim(name, theorem, source string, eps, delta float64, nb Neighbours, as ...Assumption) Guarantee {
	if nb == "" {
		nb = ReplaceOne
	}
	return Guarantee{Eps: eps, Delta: delta, Rho: math.NaN(), ClaimedEps: math.NaN(), Certificate: math.NaN(),
		Neighbours: nb, Mechanism: name, Theorem: theorem, Source: source, Assumptions: as}
}

// pureRho is the zCDP parameter that pure ε-DP implies, ε²/2 (Bun and Steinke 2016, Proposition 1.4).
func pureRho(g Guarantee) Guarantee {
	g.Rho = g.Eps * g.Eps / 2
	return g
}

// assumeSensitivity is the assumption no program can check from one answer.
func assumeSensitivity(norm string, s float64, nb Neighbours) Assumption {
	if nb == "" {
		nb = ReplaceOne
	}
	return Assumption{Text: fmt.Sprintf("the query changes by at most %g in %s norm between neighbours (%s), rounding included", s, norm, nb), Status: Assumed}
}

// assumeReals states the floating-point caveat of continuous noise.
func assumeReals() Assumption {
	return Assumption{Text: "the noise is a real number", Status: Assumed,
		Detail: "it is drawn in floating point, whose uneven lattice can betray the value (Mironov 2012); set Grid for an exact guarantee"}
}

// exactIntegers is what the grid mechanisms enforce instead.
func exactIntegers(grid float64) Assumption {
	return Assumption{Text: fmt.Sprintf("the answer is rounded to multiples of %g and the noise is drawn by exact integer arithmetic", grid), Status: Enforced}
}

// settle adds what depends on the run: data marks and randomness.
func settle(g Guarantee, d *Data, src *Source) Guarantee {
	if d != nil {
		g.Leaks = append(append([]string(nil), g.Leaks...), d.Leaks()...)
	}
	if src != nil {
		g.Seeded = src.Seeded()
	}
	return g
}

// chargeTool charges the ledger with m's claim for a release from d (nil: from bare numbers, so every row is charged).
func chargeTool(l *Ledger, d *Data, m Mechanism, src *Source) error {
	if l == nil {
		return nil
	}
	g, err := m.Claim(nil)
	if err != nil {
		return err
	}
	g = settle(g, d, src)
	if d == nil {
		return l.Charge(g.Mechanism, g)
	}
	return l.ChargeOn(d, g.Mechanism, g)
}

// orOne resolves the zero value of a sensitivity.
func orOne(s float64) float64 {
	if s == 0 {
		return 1
	}
	return s
}

// checkSensitivity refuses sensitivities that are not finite positive numbers (0 means 1).
func checkSensitivity(where string, s float64) error {
	if s != 0 && !positive(s) {
		return badArg(where, "Sensitivity", s, "must be a finite number above 0 (0 means 1)")
	}
	return nil
}

// checkRelation refuses neighbouring relations that do not exist.
func checkRelation(where string, nb Neighbours) error {
	if nb != "" && nb != ReplaceOne && nb != AddRemove {
		return badArg(where, "Neighbours", nb, "must be dp.ReplaceOne or dp.AddRemove")
	}
	return nil
}

// checkGranularity refuses grids that are not powers of two: only for those is the division by the grid exact.
func checkGranularity(where string, g float64) error {
	if g == 0 {
		return nil
	}
	if frac, e := math.Frexp(g); !positive(g) || frac != 0.5 || e < -900 || e > 900 {
		return badArg(where, "Grid", g, "must be a power of two such as 0x1p-20 (0 means none)")
	}
	return nil
}

// checkFinite refuses answers that are not numbers. A query of bounded sensitivity never gives one, so no such query
// betrays anything by this error.
func checkFinite(where, what string, v []float64) error {
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return badArg(where, fmt.Sprintf("%s[%d]", what, i), x, "must be a finite number; clip inside the query so that its sensitivity is bounded")
		}
	}
	return nil
}

// ask evaluates a query on d.
func ask(where string, q func(*Data) []float64, d *Data) ([]float64, error) {
	if q == nil {
		return nil, badArg(where, "Query", "nil", "must be a function of the data set; to perturb a number at hand use the method that takes one")
	}
	if d == nil || d.Len() == 0 {
		return nil, badArg(where, "d", "empty", "must be a data set with at least one row")
	}
	v := q(d)
	if len(v) == 0 {
		return nil, badArg(where, "Query", "no answer", "must return at least one number")
	}
	return v, checkFinite(where, "Query answer", v)
}

// checkP refuses probabilities outside (0, 1).
func checkP(where string, p float64) error {
	if !(p > 0 && p < 1) {
		return badArg(where, "p", p, "must lie strictly between 0 and 1")
	}
	return nil
}

// rat is the exact value of a finite float64.
func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// gridCap bounds the grid coordinate of an answer, so that answer plus noise fits in 64 bits. Clamping is 1-Lipschitz,
// hence it does not raise the sensitivity.
const gridCap = int64(1) << 61

// toGrid rounds v half up to a multiple of the power of two g and returns the multiple. Half up commutes with integer
// shifts, so values D grid units apart land at most ⌈D⌉ units apart (rounding half away from zero would give one more).
func toGrid(v, g float64) int64 {
	x := v / g
	f := math.Floor(x)
	if x-f >= 0.5 {
		f++
	}
	if f >= float64(gridCap) {
		return gridCap
	}
	if f <= -float64(gridCap) {
		return -gridCap
	}
	return int64(f)
}

// shortUp rounds x > 0 up to 20 significant bits: more noise by at most a millionth, and short integers in the sampler.
func shortUp(x float64) float64 {
	frac, e := math.Frexp(x)
	return math.Ldexp(math.Ceil(math.Ldexp(frac, 20)), e-20)
}

// shortDown rounds ε down to 32 significant bits: a hair more noise, and integers in the sampler that fit in machine words.
func shortDown(eps float64) float64 {
	frac, e := math.Frexp(eps)
	return math.Ldexp(math.Floor(math.Ldexp(frac, 32)), e-32)
}

// phi is the standard normal distribution function, accurate in both tails.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// sortedKeys lists the keys of m in increasing order.
func sortedKeys(m map[float64]float64) []float64 {
	keys := make([]float64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
