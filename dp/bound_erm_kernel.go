package dp

import "math"

// The sample sizes of the kernel method of SCM: Lemma 1 and Theorems 4 and 5. They hide constants, so they have no simulation.

// KernelReading says which printed or repaired form of a kernel theorem is meant.
type KernelReading string

const (
	Lemma1      KernelReading = "Lemma 1 (25)"                                 // facts: Coefficient
	Theorem4    KernelReading = "Theorem 4 (38)"                               // facts: SupNorm, Zeta, Dim
	Theorem4Log KernelReading = "Theorem 4, without Γ(d/2+1) in the logarithm" // Vol already contains it
	Theorem5    KernelReading = "Theorem 5 (39)"                               // facts: KernelNorm, Zeta, Dim
	Theorem5B   KernelReading = "Theorem 5 (45)"                               // the form its proof gives
)

// KernelSampleSize is the number of rows the kernel theorems ask for, as printed:
//
//	n ≥ K·C² √ln(1/δ)/(ε_pε_g²) · ln(C ln(1/δ)/(ε_gδ)),  with probability 1 − 4δ,
//
// where C bounds the coefficients of f* (Lemma 1), C = Vol·ζ‖f*‖_∞ (Theorem 4) or C = Vol·ζ‖f*‖²_H/ε_g (Theorem 5). None is proved as printed:
// Lemma 1 uses the norm of the coefficients on unscaled features for a predictor on scaled ones. [ERMFacts.KernelSampleSizeCorrected] redoes it.
func (f ERMFacts) KernelSampleSize(r KernelReading, constant float64) Bound {
	c, logC, cond, tex := f.kernelC(r)
	log := math.Log(1 / f.Failure)
	arg := logC * log / (f.Excess * f.Failure)
	b := Bound{Quantity: "n", Relation: "≥", Confidence: 1 - 4*f.Failure, Flavour: AsPublished, Source: scm + ", " + string(r), NotAProof: true,
		Conditions: append(append(append(need("Eps", f.Eps, "Excess", f.Excess, "constant", constant), f.failure()...), cond...), condition(arg > 1, "the logarithm is positive", "its argument is %g", arg)),
		Constants:  []Constant{{"K", constant, "hidden in the Ω"}},
		Formula:    `K\,\frac{C^2\sqrt{\ln(1/\delta)}}{\varepsilon_p\varepsilon_g^2}\ln\frac{C'\ln(1/\delta)}{\varepsilon_g\delta},\quad ` + tex,
		Numbers:    texf(`%v\cdot\frac{%v^2\sqrt{\ln(1/%v)}}{%v\cdot %v^2}\ln(%v)`, constant, c, f.Failure, f.Eps, f.Excess, arg),
		Value:      constant * c * c * math.Sqrt(log) / (f.Eps * f.Excess * f.Excess) * math.Log(arg),
		Remark:     "Λ = ε_g/‖f₀‖² with ‖f₀‖² ≤ C²/D would be above 1; on the features the algorithm really uses ‖f₀‖² can be C².",
		Assumptions: []string{"the coefficients of f* are bounded as said (the printed derivation from the kernel norm confuses two inner products)",
			"D < n random features are enough"}}
	return b.finish().simulated(simulation{none: hiddenConstant})
}

// KernelSampleSizeCorrected is the same chain with the right norm, ‖f₀‖² ≤ C²:
//
//	n ≥ K·max{ C³ ln(1/δ)/(ε_pε_g³) · ln(C² ln(1/δ)/(ε_g²δ)),  C² ln(1/δ)/ε_g² } .
func (f ERMFacts) KernelSampleSizeCorrected(r KernelReading, constant float64) Bound {
	c, _, cond, tex := f.kernelC(r)
	log := math.Log(1 / f.Failure)
	arg := c * c * log / (f.Excess * f.Excess * f.Failure)
	first := c * c * c * log / (f.Eps * f.Excess * f.Excess * f.Excess) * math.Log(arg)
	second := c * c * log / (f.Excess * f.Excess)
	b := Bound{Quantity: "n", Relation: "≥", Confidence: 1 - 4*f.Failure, Flavour: Corrected, Source: "the proof of " + scm + ", Lemma 1, with ‖f₀‖² ≤ C² and ‖v‖ ≤ 1",
		Conditions:  append(append(append(need("Eps", f.Eps, "Excess", f.Excess, "constant", constant), f.failure()...), cond...), condition(arg > 1, "the logarithm is positive", "its argument is %g", arg)),
		Constants:   []Constant{{"K", constant, "hidden in the Ω"}},
		Formula:     `K\max\left\{\frac{C^3\ln(1/\delta)}{\varepsilon_p\varepsilon_g^3}\ln\frac{C^2\ln(1/\delta)}{\varepsilon_g^2\delta},\frac{C^2\ln(1/\delta)}{\varepsilon_g^2}\right\},\quad ` + tex,
		Numbers:     texf(`%v\cdot\max\{%v,\ %v\}`, constant, first, second),
		Value:       constant * math.Max(first, second),
		Assumptions: []string{"the coefficients of f* are bounded as said"}}
	return b.finish().simulated(simulation{none: hiddenConstant})
}

// RandomFeaturesNeeded is the number D = K·C² ln(1/δ)/ε_g² of random features in the corrected chain.
func (f ERMFacts) RandomFeaturesNeeded(r KernelReading, constant float64) Bound {
	c, _, cond, tex := f.kernelC(r)
	log := math.Log(1 / f.Failure)
	return Bound{Quantity: "D", Relation: "≥", Confidence: 1 - f.Failure, Flavour: Corrected, Source: "Rahimi and Recht 2008 (Weighted sums of random kitchen sinks), Theorem 1",
		Conditions: append(append(need("Excess", f.Excess, "constant", constant), f.failure()...), cond...),
		Constants:  []Constant{{"K", constant, "hidden in the Θ"}},
		Formula:    `K\,\frac{C^2\ln(1/\delta)}{\varepsilon_g^2},\quad ` + tex, Numbers: texf(`%v\cdot\frac{%v^2\ln(1/%v)}{%v^2}`, constant, c, f.Failure, f.Excess),
		Value: constant * c * c * log / (f.Excess * f.Excess)}.finish().simulated(simulation{none: hiddenConstant})
}

// kernelC returns C, the number that stands for C inside the logarithm, and what is missing.
func (f ERMFacts) kernelC(r KernelReading) (c, inLog float64, cond []Condition, tex string) {
	if r == Lemma1 {
		return f.Coefficient, f.Coefficient, need("Coefficient", f.Coefficient), `C=` + TeX(f.Coefficient)
	}
	d := float64(f.Dim)
	vol := math.Exp(logBallVolume(d))
	g := math.Gamma(d/2 + 1)
	cond = need("Dim", f.Dim, "Zeta", f.Zeta)
	switch r {
	case Theorem4, Theorem4Log:
		c = vol * f.Zeta * f.SupNorm
		inLog = c / g
		if r == Theorem4Log {
			inLog = c
		}
		return c, inLog, append(cond, need("SupNorm", f.SupNorm)...), `C=\mathrm{Vol}\,\zeta\|f^*\|_\infty=` + TeX(c)
	case Theorem5, Theorem5B:
		c = vol * f.Zeta * f.KernelNorm * f.KernelNorm / f.Excess
		inLog = c / g
		if r == Theorem5 {
			inLog = vol * f.Zeta * f.KernelNorm / g // printed ‖f*‖/ε_g where the proof gives ‖f*‖²/ε_g²
		}
		return c, inLog, append(cond, need("KernelNorm", f.KernelNorm)...), `C=\mathrm{Vol}\,\zeta\|f^*\|_{\mathcal H}^2/\varepsilon_g=` + TeX(c)
	}
	return math.NaN(), math.NaN(), []Condition{condition(false, "the reading is one of Lemma1, Theorem4, Theorem4Log, Theorem5, Theorem5B", "%q", r)}, ""
}
