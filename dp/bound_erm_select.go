package dp

import "math"

// SelectionExcess bounds how many more mistakes the privately selected candidate makes on the holdout part than the best one,
// z − z_min, with probability 1 − δ. AsPublished is (2/ε)ln(m/δ) (SCM Theorem 7: true; its proof cites a lemma for another exponent and would
// give twice that, the direct argument m·e^{−εs/2} repairs it). Tight is the exact worst case (2/ε)ln((m−1)(1−δ)/δ), attained when all others are equal.
func (f ERMFacts) SelectionExcess(v Flavour) Bound {
	m := float64(f.Candidates)
	b := Bound{Quantity: "z − z_min", Relation: "≤", Confidence: 1 - f.Failure, Flavour: AsPublished, Source: scm + ", Theorem 7",
		Conditions: append(append(need("Eps", f.Eps), condition(f.Candidates >= 2, "at least two candidates", "m = %d", f.Candidates)), f.failure()...),
		Formula:    `\frac{2}{\varepsilon}\ln\frac{m}{\delta}`, Numbers: texf(`\frac{2}{%v}\ln\frac{%v}{%v}`, f.Eps, f.Candidates, f.Failure),
		Value: 2 / f.Eps * math.Log(m/f.Failure)}
	if v != AsPublished {
		b.Flavour, b.Source = Tight, "worst case of the exponential mechanism over all counts"
		b.Relation = "<"
		b.Formula, b.Numbers = `\frac{2}{\varepsilon}\ln\frac{(m-1)(1-\delta)}{\delta}`, texf(`\frac{2}{%v}\ln\frac{%v(1-%v)}{%v}`, f.Eps, f.Candidates-1, f.Failure, f.Failure)
		b.Value = math.Max(0, 2/f.Eps*math.Log((m-1)*(1-f.Failure)/f.Failure))
	}
	// The worst case: the largest number of mistakes that the bound allows to be chosen often.
	worst := math.Floor(math.Max(0, 2/f.Eps*math.Log((m-1)*(1-f.Failure)/f.Failure)))
	return b.finish().simulated(f.simSelection(worst, simulation{relation: "≤"}))
}

// SelectionFailure is the largest possible probability that the selected candidate makes more than excess mistakes above the best:
// (m−1)/(m−1+e^{εs/2}).
func (f ERMFacts) SelectionFailure(excess float64) Bound {
	m := float64(f.Candidates)
	t := math.Exp(-f.Eps * excess / 2)
	return Bound{Quantity: "Pr(z − z_min ≥ s)", Relation: "≤", Confidence: 1, Flavour: Tight, Source: "worst case of the exponential mechanism over all counts",
		Conditions: append(need("Eps", f.Eps), condition(f.Candidates >= 2, "at least two candidates", "m = %d", f.Candidates)),
		Formula:    `\frac{(m-1)e^{-\varepsilon s/2}}{1+(m-1)e^{-\varepsilon s/2}}`, Numbers: texf(`\frac{%v\,e^{-%v\cdot %v/2}}{1+%v\,e^{-%v\cdot %v/2}}`, f.Candidates-1, f.Eps, excess, f.Candidates-1, f.Eps, excess),
		Value: (m - 1) * t / (1 + (m-1)*t)}.finish().simulated(f.simSelection(excess, simulation{quantity: "1[z − z_min ≥ s]", relation: "≤", ofMean: true}))
}

// TuningExcess bounds the true error of the privately tuned classifier above the best candidate's, with probability 1 − δ, N_h the rows of the holdout part:
// 2√(ln(4m/δ)/(2N_h)) + (2/ε)ln(2m/δ)/N_h (Hoeffding and Theorem 7).
func (f ERMFacts) TuningExcess() Bound {
	m, h := float64(f.Candidates), float64(f.Holdout)
	return Bound{Quantity: "err(f_priv) − min err(f_i)", Relation: "≤", Confidence: 1 - f.Failure, Flavour: Corrected, Source: "Hoeffding's inequality and " + scm + ", Theorem 7",
		Conditions:  append(append(need("Eps", f.Eps, "Holdout", f.Holdout), condition(f.Candidates >= 2, "at least two candidates", "m = %d", f.Candidates)), f.failure()...),
		Assumptions: []string{"the holdout rows are independent of the candidates and drawn from the law whose error is meant"},
		Formula:     `2\sqrt{\frac{\ln(4m/\delta)}{2N_h}}+\frac{2\ln(2m/\delta)}{\varepsilon N_h}`,
		Numbers:     texf(`2\sqrt{\frac{\ln(4\cdot %v/%v)}{2\cdot %v}}+\frac{2\ln(2\cdot %v/%v)}{%v\cdot %v}`, f.Candidates, f.Failure, f.Holdout, f.Candidates, f.Failure, f.Eps, f.Holdout),
		Value:       2*math.Sqrt(math.Log(4*m/f.Failure)/(2*h)) + 2/f.Eps*math.Log(2*m/f.Failure)/h}.finish().simulated(f.simTuning())
}
