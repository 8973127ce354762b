package dp

import "math"

// ObjectiveExcess bounds J(f_priv) − min J for objective perturbation with probability 1 − δ.
//
//	AsPublished  8 d² ln²(d/δ)/(Λn²ε²)          SCM Theorem 2, eq. (14)
//	JMLR2011     4 d² ln²(d/δ)/(Λn²ε'²)         CMS
//	Corrected    2 d² ln²(d/δ)/((Λ+Δ)n²ε'²)+…   the constant that the proof allows
//	Tight        q²/(2n²(Λ+Δ)) + (Δ/2)‖f₀‖²     q the exact δ quantile of ‖b‖
//
// The first two are stated for Δ = 0 and κ = ε/2.
func (f ERMFacts) ObjectiveExcess(v Flavour) Bound {
	f = f.defaults()
	b := f.excess(v)
	b.Conditions = append(b.Conditions, f.failure()...)
	n, d, log := float64(f.N), float64(f.Dim), f.logTerm()
	factor := map[Flavour]float64{AsPublished: 8, JMLR2011: 4}[v]
	switch v {
	case AsPublished, JMLR2011:
		b.Source = scm + ", Theorem 2 (14)"
		if v == JMLR2011 {
			b.Source = cms + ", excess empirical risk of Algorithm 2"
		}
		b.Conditions = append(b.Conditions, need("Eps", f.Eps, "Lambda", f.Lambda)...)
		b.Conditions = append(b.Conditions, condition(f.Extra == 0, `$\Delta=0$`, "Extra = %g", f.Extra),
			condition(f.Kappa >= f.Eps/2*(1-1e-12), `$\kappa\ge\varepsilon/2$`, "κ = %g", f.Kappa))
		b.Formula = texf(`\frac{%v\,d^2\ln^2(d/\delta)}{\Lambda n^2\varepsilon^2}`, factor)
		b.Numbers = texf(`\frac{%v\cdot %v^2\ln^2(%v/%v)}{%v\cdot %v^2\cdot %v^2}`, factor, f.Dim, f.Dim, f.Failure, f.Lambda, f.N, f.Eps)
		b.Value = factor * d * d * log * log / (f.Lambda * n * n * f.Eps * f.Eps)
		b.Remark = "True, with a constant " + TeX(factor/2) + " times larger than the proof needs, and with a logarithm where the Gamma quantile is far smaller for large d."
	case Corrected:
		b.Source = "the proof of " + cms + ", without its losses"
		norm := d * log / f.Kappa
		b.Formula = `\frac{1}{2n^2(\Lambda+\Delta)}\left(\frac{d\ln(d/\delta)}{\kappa}\right)^2+\frac{\Delta}{2}\|f_0\|^2`
		b.Numbers = texf(`\frac{1}{2\cdot %v^2\cdot %v}\left(\frac{%v\ln(%v/%v)}{%v}\right)^2+\frac{%v}{2}\cdot %v^2`, f.N, f.Lambda+f.Extra, f.Dim, f.Dim, f.Failure, f.Kappa, f.Extra, f.Norm)
		b.Value = f.excessFor(norm * norm)
	default:
		b.Flavour, b.Source = Tight, "optimality of f_priv, strong convexity, and the Gamma law of ‖b‖"
		q := gammaUpperQuantile(d, f.Failure) / f.Kappa
		b.Formula = `\frac{(q_d(\delta)/\kappa)^2}{2n^2(\Lambda+\Delta)}+\frac{\Delta}{2}\|f_0\|^2`
		b.Numbers = texf(`\frac{%v^2}{2\cdot %v^2\cdot %v}+\frac{%v}{2}\cdot %v^2`, q, f.N, f.Lambda+f.Extra, f.Extra, f.Norm)
		b.Value = f.excessFor(q * q)
	}
	return b.finish().simulated(f.simObjective(0, simulation{}))
}

// ObjectiveExcessMean bounds the expectation E[J(f_priv)] − min J by d(d+1)/(2κ²n²(Λ+Δ)) + (Δ/2)‖f₀‖².
func (f ERMFacts) ObjectiveExcessMean() Bound {
	f = f.defaults()
	b := f.excess(Tight)
	b.Quantity, b.Confidence, b.Source = "E[J(f_priv)] − min J", 1, "E‖b‖² = d(d+1)/κ²"
	d := float64(f.Dim)
	b.Formula = `\frac{d(d+1)}{2\kappa^2n^2(\Lambda+\Delta)}+\frac{\Delta}{2}\|f_0\|^2`
	b.Numbers = texf(`\frac{%v\cdot %v}{2\cdot %v^2\cdot %v^2\cdot %v}+\frac{%v}{2}\cdot %v^2`, f.Dim, f.Dim+1, f.Kappa, f.N, f.Lambda+f.Extra, f.Extra, f.Norm)
	b.Value = f.excessFor(d * (d + 1) / (f.Kappa * f.Kappa))
	return b.finish().simulated(f.simObjective(0, simulation{quantity: "J(f_priv) − min J", ofMean: true}))
}

// OutputExcess bounds J(f_priv) − min J for output perturbation with probability 1 − δ, for a loss with Lipschitz slope (C finite).
// AsPublished is 2d²(C+Λη)ln²(d/δ)/(Λ²n²ε²) (CMS); Tight is (C R²+Λη)q²/2 with q the exact quantile of ‖b‖ for the sensitivity 2LR/(nΛ).
func (f ERMFacts) OutputExcess(v Flavour) Bound {
	f = f.defaults()
	n, d, log := float64(f.N), float64(f.Dim), f.logTerm()
	b := Bound{Quantity: "J(f_priv) − min J", Relation: "≤", Confidence: 1 - f.Failure, Flavour: AsPublished, Source: cms + ", excess empirical risk of Algorithm 1",
		Conditions: append(need("N", f.N, "Dim", f.Dim, "Eps", f.Eps, "Lambda", f.Lambda, "C", f.C), f.failure()...),
		Formula:    `\frac{2d^2(C+\Lambda\eta)\ln^2(d/\delta)}{\Lambda^2n^2\varepsilon^2}`,
		Numbers:    texf(`\frac{2\cdot %v^2(%v+%v\cdot %v)\ln^2(%v/%v)}{%v^2\cdot %v^2\cdot %v^2}`, f.Dim, f.C, f.Lambda, f.Eta, f.Dim, f.Failure, f.Lambda, f.N, f.Eps),
		Value:      2 * d * d * (f.C + f.Lambda*f.Eta) * log * log / (f.Lambda * f.Lambda * n * n * f.Eps * f.Eps)}
	if v == AsPublished {
		b.Conditions = append(b.Conditions, condition(f.L == 1 && f.R == 1, `$L=R=1$`, "L = %g, R = %g", f.L, f.R))
		return b.finish().simulated(f.simOutput())
	}
	q := gammaUpperQuantile(d, f.Failure) * OutputSensitivity(f.N, f.Lambda, f.L, f.R) / f.Eps
	b.Flavour, b.Source = Tight, "smoothness of J and the Gamma law of ‖b‖"
	b.Formula = `\tfrac12(CR^2+\Lambda\eta)\left(\frac{2LR\,q_d(\delta)}{n\Lambda\varepsilon}\right)^2`
	b.Numbers = texf(`\tfrac12(%v+%v)\cdot %v^2`, f.C*f.R*f.R, f.Lambda*f.Eta, q)
	b.Value = (f.C*f.R*f.R + f.Lambda*f.Eta) * q * q / 2
	return b.finish().simulated(f.simOutput())
}

// TrueRisk bounds the excess of the regularised true risk by the excess of the empirical one (Sridharan, Srebro and Shalev-Shwartz 2008): with probability 1 − δ
//
//	J̄(f) − min J̄ ≤ 2·gap + constant·ln(1/δ)/(Λn) .
//
// constant is hidden in the publications that use it; 16L²R²(32+ln(1/δ))/ln(1/δ) is the form remembered for a = 1 and is used when constant is 0.
func (f ERMFacts) TrueRisk(gap, constant float64) Bound {
	f = f.defaults()
	n, log := float64(f.N), math.Log(1/f.Failure)
	b := Bound{Quantity: "J̄(f) − min J̄", Relation: "≤", Confidence: 1 - f.Failure, Flavour: AsPublished, Source: "Sridharan, Srebro, Shalev-Shwartz 2008 (Fast rates for regularized objectives), Theorem 1",
		Conditions: append(append(need("N", f.N, "Lambda", f.Lambda), f.failure()...), condition(gap >= 0, "gap ≥ 0", "%g", gap)),
		Formula:    `2\,(J(f)-\min J)+\frac{K\ln(1/\delta)}{\Lambda n}`}
	if constant == 0 {
		constant = 16 * f.L * f.L * f.R * f.R * (32 + log) / log
		b.NotAProof = true
		b.Remark = "The constant is quoted from memory of the publication and was not derived again."
	}
	b.Constants = []Constant{{"K", constant, "hidden in the statement"}}
	b.Numbers = texf(`2\cdot %v+\frac{%v\ln(1/%v)}{%v\cdot %v}`, gap, constant, f.Failure, f.Lambda, f.N)
	b.Value = 2*gap + constant*log/(f.Lambda*n)
	return b.finish().simulated(f.simTrueRisk(gap))
}
