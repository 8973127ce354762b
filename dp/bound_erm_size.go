package dp

import "math"

// The sample sizes of the papers: how many rows make the true risk of the private predictor at most L(f₀) + ε_g. All of them hide a constant
// in an Ω, which is an argument here; so they have no simulation, save the explicit SampleSizePrivacyTerm.

// sampleSize builds the common part.
func (f ERMFacts) sampleSize(source, formula string, constant float64, terms ...float64) Bound {
	b := Bound{Quantity: "n", Relation: "≥", Confidence: 1 - f.Failure, Flavour: AsPublished, Source: source, Formula: formula,
		Conditions: append(need("Norm", f.Norm, "Excess", f.Excess, "constant", constant), f.failure()...),
		Constants:  []Constant{{"C", constant, "hidden in the Ω"}}}
	m := 0.0
	numbers := ""
	for i, t := range terms {
		m = math.Max(m, t)
		if i > 0 {
			numbers += ",\\ "
		}
		numbers += TeX(t)
	}
	b.Numbers = TeX(constant) + `\cdot\max\{` + numbers + `\}`
	b.Value = constant * m
	return b.simulated(simulation{none: hiddenConstant})
}

// SampleSizeNonPrivate is the yardstick: n ≥ C‖f₀‖² ln(1/δ)/ε_g² rows without privacy (CMS; Shalev-Shwartz and Srebro 2008).
func (f ERMFacts) SampleSizeNonPrivate(constant float64) Bound {
	return f.sampleSize(cms+", non-private learning", `C\,\frac{\|f_0\|^2\ln(1/\delta)}{\varepsilon_g^2}`, constant,
		f.Norm*f.Norm*math.Log(1/f.Failure)/(f.Excess*f.Excess)).finish()
}

// SampleSizeSCM is SCM Corollary 2 (15): n ≥ C·max{‖f*‖²/ε_g², ‖f*‖ d ln(d/δ)/(ε_pε_g)}. As printed the first term lacks ln(1/δ), Λ = ε_g/‖f₀‖² would depend on
// the data (it must be ‖f*‖), and the total failure probability is 2δ; Corrected repairs the first and states the last.
func (f ERMFacts) SampleSizeSCM(v Flavour, constant float64) Bound {
	first, tex := f.Norm*f.Norm/(f.Excess*f.Excess), `\frac{\|f^*\|^2}{\varepsilon_g^2}`
	if v != AsPublished {
		first *= math.Log(1 / f.Failure)
		tex = `\frac{\|f^*\|^2\ln(1/\delta)}{\varepsilon_g^2}`
	}
	b := f.sampleSize(scm+", Corollary 2 (15)", `C\max\left\{`+tex+`,\frac{\|f^*\|d\ln(d/\delta)}{\varepsilon_p\varepsilon_g}\right\}`, constant,
		first, f.Norm*float64(f.Dim)*f.logTerm()/(f.Eps*f.Excess))
	b.Conditions = append(b.Conditions, need("Dim", f.Dim, "Eps", f.Eps)...)
	b.Confidence = 1 - 2*f.Failure
	b.Flavour = v
	if v == AsPublished {
		b.NotAProof = true
		b.Remark = "The proof needs ln(1/δ) in the first term and fails with probability up to 2δ; it rests on Theorem 1, whose privacy claim is false."
	}
	return b.finish()
}

// SampleSizePrivacyTerm is the explicit privacy term behind SCM Corollary 2: n ≥ 8‖f*‖ d ln(d/δ)/(ε_pε_g), the n at which twice eq. (14) is ε_g/4 for Λ = ε_g/‖f*‖².
func (f ERMFacts) SampleSizePrivacyTerm() Bound {
	b := f.sampleSize("from "+scm+", eq. (14)", `8\,\frac{\|f^*\|d\ln(d/\delta)}{\varepsilon_p\varepsilon_g}`, 8, f.Norm*float64(f.Dim)*f.logTerm()/(f.Eps*f.Excess))
	b.Conditions = append(b.Conditions, need("Dim", f.Dim, "Eps", f.Eps)...)
	b.Constants, b.Flavour = nil, Corrected
	return b.finish().simulated(f.simPrivacyTerm(b.Value))
}

// SampleSizeOutput is the size for output perturbation with a smooth loss:
// n ≥ C·max{‖f₀‖² ln(1/δ)/ε_g², d ln(d/δ)‖f₀‖/(ε_gε_p), d ln(d/δ)√c‖f₀‖²/(ε_g^{3/2}ε_p)}, with probability 1 − 2δ (CMS).
func (f ERMFacts) SampleSizeOutput(constant float64) Bound {
	d := float64(f.Dim)
	b := f.sampleSize(cms+", output perturbation", `C\max\left\{\frac{\|f_0\|^2\ln(1/\delta)}{\varepsilon_g^2},\frac{d\ln(d/\delta)\|f_0\|}{\varepsilon_g\varepsilon_p},\frac{d\ln(d/\delta)\sqrt c\,\|f_0\|^2}{\varepsilon_g^{3/2}\varepsilon_p}\right\}`, constant,
		f.Norm*f.Norm*math.Log(1/f.Failure)/(f.Excess*f.Excess), d*f.logTerm()*f.Norm/(f.Excess*f.Eps),
		d*f.logTerm()*math.Sqrt(f.C)*f.Norm*f.Norm/(math.Pow(f.Excess, 1.5)*f.Eps))
	b.Conditions = append(b.Conditions, need("Dim", f.Dim, "Eps", f.Eps, "C", f.C)...)
	b.Confidence = 1 - 2*f.Failure
	return b.finish()
}

// SampleSizeObjective is the size for objective perturbation:
// n ≥ C·max{‖f₀‖² ln(1/δ)/ε_g², c‖f₀‖²/(ε_gε_p), d ln(d/δ)‖f₀‖/(ε_gε_p)}, with probability 1 − 2δ (CMS). The middle term makes Δ = 0.
func (f ERMFacts) SampleSizeObjective(constant float64) Bound {
	d := float64(f.Dim)
	b := f.sampleSize(cms+", objective perturbation", `C\max\left\{\frac{\|f_0\|^2\ln(1/\delta)}{\varepsilon_g^2},\frac{c\|f_0\|^2}{\varepsilon_g\varepsilon_p},\frac{d\ln(d/\delta)\|f_0\|}{\varepsilon_g\varepsilon_p}\right\}`, constant,
		f.Norm*f.Norm*math.Log(1/f.Failure)/(f.Excess*f.Excess), f.C*f.Norm*f.Norm/(f.Excess*f.Eps), d*f.logTerm()*f.Norm/(f.Excess*f.Eps))
	b.Conditions = append(b.Conditions, need("Dim", f.Dim, "Eps", f.Eps, "C", f.C)...)
	b.Confidence = 1 - 2*f.Failure
	return b.finish()
}
