package dp

import (
	"fmt"
	"math"
)

// The questions the other way round, for the private SVM and for the multiclass mechanism. All use public facts only, so asking costs no privacy.

// AccuracyAt is the accuracy that the private SVM in a feature space of dimension Features reaches on N rows at Eps: with probability 1 − Failure the function moves by
// at most Φ·λ·q everywhere, λ the scale of [SVMFacts.Theorem7] and q the exact quantile of [SVMFacts.Theorem8]. Its Check draws the noise.
func (f SVMFacts) AccuracyAt() Bound {
	lambda := f.Theorem7(Corrected)
	f = f.defaults()
	b := Bound{Quantity: "sup|f̂−f|", Relation: "≤", Source: rbht + ", Theorems 7 and 8 together", Flavour: Tight, Confidence: 1 - f.Failure,
		Conditions: append(append(lambda.Conditions, need("Phi", f.Phi)...), failureCondition(f.Failure)...), Assumptions: lambda.Assumptions,
		Formula: `\frac{2LC\kappa\sqrt F}{\varepsilon n}\,\Phi\,q,\quad\Pr(\Gamma_{F,1}>q)=\delta`}
	if len(need("Features", f.Features)) > 0 || len(failureCondition(f.Failure)) > 0 {
		return b.finish()
	}
	q := gammaUpperQuantile(float64(f.Features), f.Failure)
	b.Value = lambda.Value * f.Phi * q
	b.Numbers = texf(`%v\cdot %v\cdot %v`, lambda.Value, f.Phi, q)
	return b.finish().simulated(f.simNoise(false, lambda.Value, f.Phi, 0, 0))
}

// RowsNeeded answers "how many rows do I need?": the smallest n at which the private SVM with Features weights is Eps-private and (Accuracy, Failure)-useful, that is
// at which the scale of [SVMFacts.Theorem7] is at most that of [SVMFacts.Theorem8]. The bound is [SVMFacts.AccuracyAt] there.
func (f SVMFacts) RowsNeeded() (int, Bound, error) {
	f.N = 1
	b := f.AccuracyAt()
	if err := f.inverse("RowsNeeded", b); err != nil {
		return 0, b, err
	}
	return f.rows("RowsNeeded", b.Value/f.Accuracy, func(g SVMFacts) Bound { return g.AccuracyAt() })
}

// EpsNeeded answers "which ε can I afford?": the smallest ε at which the private SVM with Features weights is (Accuracy, Failure)-useful on N rows.
func (f SVMFacts) EpsNeeded() (float64, Bound, error) {
	f.Eps = 1
	b := f.AccuracyAt()
	if err := f.inverse("EpsNeeded", b); err != nil {
		return 0, b, err
	}
	f.Eps = b.Value / f.Accuracy
	return f.Eps, f.AccuracyAt(), nil
}

// KernelRowsNeeded is RowsNeeded with a translation-invariant kernel: the smallest n at which [SVMFacts.Theorem16] (corrected) allows Eps. How many random
// frequencies that takes is the Pairs of the result; it does not depend on n.
func (f SVMFacts) KernelRowsNeeded() (int, Chain16, error) {
	if !positive(f.Eps) {
		return 0, Chain16{}, badArg("SVMFacts.KernelRowsNeeded", "Eps", f.Eps, "must be a finite number above 0")
	}
	f.N = 1
	c := f.Theorem16(Theorem16Corrected)
	if !c.Holds() {
		return 0, c, fmt.Errorf("dp.SVMFacts.KernelRowsNeeded: %v", c.Bound)
	}
	n, _, err := f.rows("KernelRowsNeeded", c.Value/f.Eps, nil)
	if err != nil {
		return 0, c, err
	}
	f.N = n
	return n, f.Theorem16(Theorem16Corrected), nil
}

func (f SVMFacts) inverse(where string, b Bound) error {
	if !positive(f.Accuracy) {
		return badArg("SVMFacts."+where, "Accuracy", f.Accuracy, "the accuracy asked for must be a finite number above 0")
	}
	if !b.Holds() {
		return fmt.Errorf("dp.SVMFacts.%s: %v", where, b)
	}
	return nil
}

// rows rounds a number of rows up, and evaluates the bound there.
func (f SVMFacts) rows(where string, n float64, at func(SVMFacts) Bound) (int, Bound, error) {
	if n > 1<<52 {
		return 0, Bound{}, fmt.Errorf("dp.SVMFacts.%s: %.3g rows would be needed", where, n)
	}
	f.N = max(1, int(math.Ceil(n*(1-1e-12))))
	if at == nil {
		return f.N, Bound{}, nil
	}
	return f.N, at(f), nil
}

// RiskBound bounds the empirical risk of the corrected mechanism above that of any W₀ of norm SolutionNorm: with probability 1 − Failure
//
//	L(W_priv) − L(W₀) ≤ (Λ/2)‖W₀‖² + Q²/(2n²Λ) ,   Q as in [PathakRajFacts.Noise].
//
// The first part is the price of regularisation, the second that of privacy.
func (f PathakRajFacts) RiskBound() Bound {
	t := f.Theorem2(Corrected)
	b := Bound{Quantity: "L(W_priv) − L(W₀)", Relation: "≤", Source: "Theorem 2 as corrected, and L ≤ J", Flavour: Corrected, Confidence: t.Confidence,
		Conditions: append(t.Conditions, need("SolutionNorm", f.SolutionNorm)...), Formula: `\frac\Lambda2\|W_0\|^2+\frac{Q^2}{2n^2\Lambda}`,
		Numbers: texf(`\frac{%v}2\cdot %v^2+%v`, f.Lambda, f.SolutionNorm, t.Value), Value: f.Lambda/2*f.SolutionNorm*f.SolutionNorm + t.Value}
	return b.finish().simulated(f.defaults().simRisk())
}

// BestLambda returns the Λ that minimises [PathakRajFacts.RiskBound], and the bound there. ‖W₀‖ must not be read off the data.
func (f PathakRajFacts) BestLambda() (float64, Bound, error) {
	return bestLambda("PathakRajFacts", func(l float64) Bound { f.Lambda = l; return f.RiskBound() }) // it does not hold where Λ is too small for ε
}

// RowsNeeded returns the smallest n at which [PathakRajFacts.RiskBound], with the best Λ for that n, is at most excess.
func (f PathakRajFacts) RowsNeeded(excess float64) (int, Bound, error) {
	return fewestRows("PathakRajFacts", excess, func(n int) (Bound, error) {
		f.N = n
		_, b, err := f.BestLambda()
		return b, err
	})
}

// EpsNeeded returns the smallest ε at which [PathakRajFacts.RiskBound], with the best Λ, is at most excess on N rows.
func (f PathakRajFacts) EpsNeeded(excess float64) (float64, Bound, error) {
	return smallestEps("PathakRajFacts", excess, func(eps float64) (Bound, error) {
		f.Eps = eps
		_, b, err := f.BestLambda()
		return b, err
	})
}
