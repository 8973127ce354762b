package dp

import (
	"fmt"
	"math"
)

// RiskBound is what the inverse questions minimise: with probability 1 − δ, the empirical risk of the private predictor is at most that of any predictor of norm
// ‖f₀‖ plus
//
//	((Λ+Δ)/2)‖f₀‖² + q²/(2n²(Λ+Δ)) ,   q = q_d(δ)/κ ,
//
// with κ and Δ as the library's objective perturbation chooses them for ε, Λ, L, R and C. The first part is the price of regularisation, the second that of privacy.
func (f ERMFacts) RiskBound() Bound {
	g, err := f.Calibrated()
	b := Bound{Quantity: "L(f_priv) − L(f₀)", Relation: "≤", Confidence: 1 - f.Failure, Flavour: Tight, Source: "optimality of f_priv and strong convexity; calibration of ObjectivePerturbation",
		Conditions: append(need("N", f.N, "Dim", f.Dim, "Eps", f.Eps, "C", f.C, "Norm", f.Norm), f.failure()...),
		Formula:    `\frac{\Lambda+\Delta}{2}\|f_0\|^2+\frac{(q_d(\delta)/\kappa)^2}{2n^2(\Lambda+\Delta)}`}
	if err != nil {
		b.Conditions = append(b.Conditions, condition(false, "the calibration exists", "%v", err))
		return b.finish()
	}
	a := g.Lambda + g.Extra
	q := gammaUpperQuantile(float64(f.Dim), f.Failure) / g.Kappa
	n := float64(f.N)
	b.Conditions = append(b.Conditions, condition(a > 0, `$\Lambda+\Delta>0$`, "%g", a))
	b.Numbers = texf(`\frac{%v}{2}\cdot %v^2+\frac{%v^2}{2\cdot %v^2\cdot %v}`, a, f.Norm, q, f.N, a)
	b.Value = a/2*f.Norm*f.Norm + q*q/(2*n*n*a)
	return b.finish().simulated(f.simRisk())
}

// BestLambda returns the Λ that minimises [ERMFacts.RiskBound], and the bound there. It uses public facts only, so the choice costs no privacy (‖f₀‖ must not be
// read off the data).
func (f ERMFacts) BestLambda() (float64, Bound, error) {
	return bestLambda("ERMFacts", func(l float64) Bound { f.Lambda = l; return f.RiskBound() })
}

// RowsNeeded returns the smallest n at which [ERMFacts.RiskBound], with the best Λ for that n, is at most Excess.
func (f ERMFacts) RowsNeeded() (int, Bound, error) {
	return fewestRows("ERMFacts", f.Excess, func(n int) (Bound, error) {
		f.N = n
		_, b, err := f.BestLambda()
		return b, err
	})
}

// EpsNeeded returns the smallest ε at which [ERMFacts.RiskBound], with the best Λ, is at most Excess: the most privacy one can afford with N rows.
func (f ERMFacts) EpsNeeded() (float64, Bound, error) {
	return smallestEps("ERMFacts", f.Excess, func(eps float64) (Bound, error) {
		f.Eps = eps
		_, b, err := f.BestLambda()
		return b, err
	})
}

// bestLambda minimises a bound over Λ from e⁻³⁰ to e¹⁰. Where the bound does not hold it counts as infinite.
func bestLambda(who string, at func(lambda float64) Bound) (float64, Bound, error) {
	value := func(t float64) float64 {
		if v := at(math.Exp(t)).Value; !math.IsNaN(v) {
			return v
		}
		return math.Inf(1)
	}
	best, arg := math.Inf(1), 0.0
	for t := -30.0; t <= 10; t += 0.1 {
		if v := value(t); v < best {
			best, arg = v, t
		}
	}
	if math.IsInf(best, 1) {
		return 0, Bound{}, fmt.Errorf("dp.%s.BestLambda: %v", who, at(1))
	}
	l := math.Exp(goldenMin(value, arg-0.1, arg+0.1))
	return l, at(l), nil
}

// fewestRows finds the smallest n at which a bound that falls with n is at most excess.
func fewestRows(who string, excess float64, at func(n int) (Bound, error)) (int, Bound, error) {
	if !positive(excess) {
		return 0, Bound{}, badArg(who+".RowsNeeded", "excess", excess, "the excess risk asked for must be finite and above 0")
	}
	lo, hi := 0, 1
	for {
		b, err := at(hi)
		if err != nil {
			return 0, Bound{}, err
		}
		if b.Value <= excess {
			break
		}
		if lo, hi = hi, 2*hi; hi > 1<<52 {
			return 0, Bound{}, fmt.Errorf("dp.%s.RowsNeeded: no number of rows up to 2^52 gives an excess of %g", who, excess)
		}
	}
	for hi-lo > 1 {
		m := lo + (hi-lo)/2
		if b, err := at(m); err != nil {
			return 0, Bound{}, err
		} else if b.Value <= excess {
			hi = m
		} else {
			lo = m
		}
	}
	b, err := at(hi)
	return hi, b, err
}

// smallestEps finds the smallest ε from 10⁻⁶ to 1000 at which a bound that falls with ε is at most excess.
func smallestEps(who string, excess float64, at func(eps float64) (Bound, error)) (float64, Bound, error) {
	if !positive(excess) {
		return 0, Bound{}, badArg(who+".EpsNeeded", "excess", excess, "the excess risk asked for must be finite and above 0")
	}
	lo, hi := math.Log(1e-6), math.Log(1e3)
	b, err := at(math.Exp(hi))
	if err != nil {
		return 0, Bound{}, err
	}
	if !(b.Value <= excess) {
		return 0, Bound{}, fmt.Errorf("dp.%s.EpsNeeded: even ε = 1000 gives the bound %.4g above %g: more rows are needed", who, b.Value, excess)
	}
	for range 60 {
		m := (lo + hi) / 2
		if b, err = at(math.Exp(m)); err != nil {
			return 0, Bound{}, err
		}
		if b.Value <= excess {
			hi = m
		} else {
			lo = m
		}
	}
	b, err = at(math.Exp(hi))
	return math.Exp(hi), b, err
}
