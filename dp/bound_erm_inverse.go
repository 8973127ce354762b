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
	value := func(t float64) float64 {
		f.Lambda = math.Exp(t)
		if v := f.RiskBound().Value; !math.IsNaN(v) {
			return v
		}
		return math.Inf(1)
	}
	best, at := math.Inf(1), 0.0
	for t := -30.0; t <= 10; t += 0.1 {
		if v := value(t); v < best {
			best, at = v, t
		}
	}
	if math.IsInf(best, 1) {
		f.Lambda = 1
		return 0, Bound{}, fmt.Errorf("dp.ERMFacts.BestLambda: %v", f.RiskBound())
	}
	f.Lambda = math.Exp(goldenMin(value, at-0.1, at+0.1))
	return f.Lambda, f.RiskBound(), nil
}

// RowsNeeded returns the smallest n at which [ERMFacts.RiskBound], with the best Λ for that n, is at most Excess.
func (f ERMFacts) RowsNeeded() (int, Bound, error) {
	if !positive(f.Excess) {
		return 0, Bound{}, badArg("ERMFacts.RowsNeeded", "Excess", f.Excess, "the excess risk asked for must be finite and above 0")
	}
	at := func(n int) (float64, Bound, error) {
		g := f
		g.N = n
		_, b, err := g.BestLambda()
		return b.Value, b, err
	}
	hi := 1
	for {
		v, _, err := at(hi)
		if err != nil {
			return 0, Bound{}, err
		}
		if v <= f.Excess {
			break
		}
		if hi > 1<<52 {
			return 0, Bound{}, fmt.Errorf("dp.ERMFacts.RowsNeeded: no number of rows up to 2^52 gives an excess of %g", f.Excess)
		}
		hi *= 2
	}
	lo := hi / 2
	for hi-lo > 1 {
		m := lo + (hi-lo)/2
		v, _, err := at(m)
		if err != nil {
			return 0, Bound{}, err
		}
		if v <= f.Excess {
			hi = m
		} else {
			lo = m
		}
	}
	_, b, err := at(hi)
	return hi, b, err
}

// EpsNeeded returns the smallest ε at which [ERMFacts.RiskBound], with the best Λ, is at most Excess: the most privacy one can afford with N rows.
func (f ERMFacts) EpsNeeded() (float64, Bound, error) {
	if !positive(f.Excess) {
		return 0, Bound{}, badArg("ERMFacts.EpsNeeded", "Excess", f.Excess, "the excess risk asked for must be finite and above 0")
	}
	at := func(eps float64) (float64, Bound, error) {
		g := f
		g.Eps = eps
		_, b, err := g.BestLambda()
		return b.Value, b, err
	}
	lo, hi := math.Log(1e-6), math.Log(1e3)
	if v, _, err := at(math.Exp(hi)); err != nil || v > f.Excess {
		if err == nil {
			err = fmt.Errorf("dp.ERMFacts.EpsNeeded: even ε = 1000 gives the bound %.4g above %g: more rows are needed", v, f.Excess)
		}
		return 0, Bound{}, err
	}
	for range 60 {
		m := (lo + hi) / 2
		v, _, err := at(math.Exp(m))
		if err != nil {
			return 0, Bound{}, err
		}
		if v <= f.Excess {
			hi = m
		} else {
			lo = m
		}
	}
	_, b, err := at(math.Exp(hi))
	return math.Exp(hi), b, err
}
