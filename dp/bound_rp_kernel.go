package dp

import (
	"fmt"
	"math"
)

// Lemma12 is the kernel error ε' such that ‖k−k̂‖∞ ≤ ε' on 𝓜 keeps the two SVMs within Accuracy/2 of each other on 𝓜:
// ½(√(1+ε/Λ)−1)², or AsPublished min{1, ε²/(4(Λ+2√((CL+Λ/2)Λ))²)}. Λ = DualNorm must bound ‖α‖₁ of both duals.
func (f SVMFacts) Lemma12(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "‖k−k̂‖∞", Relation: "≤", Source: rbht + ", Lemma 12", Flavour: v, Confidence: 1,
		Conditions: need("Accuracy", f.Accuracy, "C", f.C, "L", f.L, "DualNorm", f.DualNorm),
		Formula:    `\tfrac12\left(\sqrt{1+\epsilon/\Lambda}-1\right)^2`,
		Numbers:    texf(`\tfrac12\left(\sqrt{1+%v/%v}-1\right)^2`, f.Accuracy, f.DualNorm),
		Value:      rpTol12(f.Accuracy, f.C, f.L, f.DualNorm, v == AsPublished)}
	if v == AsPublished {
		b.Formula = `\min\left\{1,\frac{\epsilon^2}{4(\Lambda+2\sqrt{(CL+\Lambda/2)\Lambda})^2}\right\}`
		b.Numbers = texf(`\min\left\{1,\frac{%v^2}{4(%v+2\sqrt{(%v+%v/2)%v})^2}\right\}`, f.Accuracy, f.DualNorm, f.C*f.L, f.DualNorm, f.DualNorm)
		b.Remark = "True; the tightened form allows a larger error."
	}
	return b.finish().simulated(f.simLemma12(b.Value, f.C*f.L, f.Accuracy/2))
}

// Theta14 is θ = ε'² of Theorem 14 (Tight or Corrected: the square of the tightened Lemma 12).
func (f SVMFacts) Theta14(v Flavour) Bound {
	b := f.Lemma12(v)
	b.Quantity, b.Relation, b.Source = "θ(ε)", "=", rbht+", Theorem 14"
	b.Formula = `\left(` + b.Formula + `\right)^2`
	if b.Numbers != "" {
		b.Numbers = `\left(` + b.Numbers + `\right)^2`
	}
	b.Value *= b.Value // its Check is Lemma 12's
	return b.finish()
}

// Theta15 is Corollary 15's θ for Λ = C and L = 1: ε⁴/(2¹²C⁴) AsPublished; Corrected, the constant before it was relaxed,
// ε⁴/(2⁴C⁴(1+√6)⁴).
func (f SVMFacts) Theta15(v Flavour) Bound {
	b := Bound{Quantity: "θ(ε)", Relation: "=", Source: rbht + ", Corollary 15", Flavour: v, Confidence: 1,
		Conditions: need("Accuracy", f.Accuracy, "C", f.C),
		Formula:    `\frac{\epsilon^4}{2^{12}C^4}`, Numbers: texf(`\frac{%v^4}{2^{12}\cdot %v^4}`, f.Accuracy, f.C), Value: rpTheta15(f.Accuracy, f.C)}
	if v != AsPublished {
		b.Formula, b.Value = `\min\left\{1,\frac{\epsilon^4}{2^4C^4(1+\sqrt6)^4}\right\}`, rpTheta15Exact(f.Accuracy, f.C)
		b.Numbers = texf(`\min\left\{1,\frac{%v^4}{2^4\cdot %v^4(1+\sqrt6)^4}\right\}`, f.Accuracy, f.C)
	}
	return b.finish().simulated(f.simLemma12(math.Sqrt(b.Value), f.C, f.Accuracy/2))
}

// Reading13 says which form of Lemma 13 is meant.
type Reading13 int

const (
	Lemma13AsPublished Reading13 = iota // constant 2^8; its proof has a gap
	Lemma13Rigorous                     // constant 2^10, proved
	Lemma13Unrelaxed                    // the proved form with its dimension-dependent constants
	Lemma13Holder                       // needs only a moment of order s ≤ 1: works for the Laplacian kernel
	Lemma13Finite                       // only Points points matter: no moments
)

// Lemma13 is the number d̂ of random frequencies for sup|k−k̂| ≤ Accuracy on 𝓜 with probability 1−Failure. Value is the
// real number before rounding up. It uses Dim, Diameter and SigmaP (or Moment and MomentOrder, or Points).
func (f SVMFacts) Lemma13(how Reading13) Bound {
	f = f.defaults()
	b := Bound{Quantity: "d̂", Relation: "≥", Source: rbht + ", Lemma 13 (after Rahimi and Recht 2007, Claim 1)", Flavour: Corrected, Confidence: 1,
		Conditions: append(need("Accuracy", f.Accuracy), failureCondition(f.Failure)...)}
	moments := func(log2 int, expo float64) {
		b.Conditions = append(b.Conditions, need("Dim", f.Dim, "Diameter", f.Diameter, "SigmaP", f.SigmaP)...)
		x := f.SigmaP * f.Diameter / f.Accuracy
		b.Conditions = append(b.Conditions, condition(x >= math.Pow(2, expo), fmt.Sprintf("$\\sigma_p\\ell/\\epsilon\\ge 2^{%g}$", expo), "σ_pℓ/ε = %.4g", x))
		b.Formula = fmt.Sprintf(`\frac{4(d+2)}{\epsilon^2}\ln\frac{2^{%d}(\sigma_p\ell)^2}{\delta\epsilon^2}`, log2)
		b.Numbers = texf(`\frac{4\cdot %v}{%v^2}\ln\frac{2^{`+fmt.Sprint(log2)+`}\cdot %v^2}{%v\cdot %v^2}`, f.Dim+2, f.Accuracy, f.SigmaP*f.Diameter, f.Failure, f.Accuracy)
		b.Value = rpPairs13(f.Accuracy, f.Failure, f.Dim, f.SigmaP, f.Diameter, float64(log2))
	}
	switch how {
	case Lemma13AsPublished:
		b.Flavour, b.NotAProof = AsPublished, true
		moments(8, -3-float64(f.Dim)/4)
		b.Remark = "The step E L_f² ≤ σ_p² of the proof is false at a random maximiser (Gaussian kernel, d = d̂ = 1: 1.22 > 1); whether the constant itself holds is open. 2^10 is proved."
	case Lemma13Unrelaxed:
		moments(10, -4-float64(f.Dim)/4)
		b.Flavour = Tight
		b.Numbers = texf(`\frac{4\cdot %v}{%v^2}\left[\left(1+\tfrac{2}{%v}\right)\ln2+\tfrac{2\cdot %v}{%v}\ln\tfrac{16\cdot %v}{%v}+\ln\tfrac1{%v}\right]`, f.Dim+2, f.Accuracy, f.Dim+2, f.Dim, f.Dim+2, f.SigmaP*f.Diameter, f.Accuracy, f.Failure)
		b.Formula = `\frac{4(d+2)}{\epsilon^2}\left[\left(1+\tfrac{2}{d+2}\right)\ln2+\tfrac{2d}{d+2}\ln\tfrac{16\sigma_p\ell}{\epsilon}+\ln\tfrac1\delta\right]`
		b.Value = rpPairs13Unrelaxed(f.Accuracy, f.Failure, f.Dim, f.SigmaP, f.Diameter)
	case Lemma13Holder:
		b.Source = "Hölder continuity in place of two moments (after Lemma 13)"
		b.Conditions = append(b.Conditions, need("Dim", f.Dim, "Diameter", f.Diameter, "Moment", f.Moment)...)
		b.Conditions = append(b.Conditions, condition(f.MomentOrder > 0 && f.MomentOrder <= 1, "MomentOrder lies in (0, 1]", "s = %g", f.MomentOrder))
		b.Formula = `\frac{8}{s\epsilon^2}\left[(d+s)\ln\tfrac2\delta+s\ln2+sd\ln(4\ell)+d\ln\tfrac{2^{3-s}m_s}{\epsilon}\right]`
		b.Numbers = texf(`\frac{8}{%v\cdot %v^2}\left[(%v+%v)\ln\tfrac2{%v}+%v\ln2+%v\cdot %v\ln(4\cdot %v)+%v\ln\tfrac{2^{3-%v}\cdot %v}{%v}\right]`,
			f.MomentOrder, f.Accuracy, f.Dim, f.MomentOrder, f.Failure, f.MomentOrder, f.MomentOrder, f.Dim, f.Diameter, f.Dim, f.MomentOrder, f.Moment, f.Accuracy)
		b.Value = rpPairs13Holder(f.Accuracy, f.Failure, f.Dim, f.Diameter, f.MomentOrder, f.Moment)
	case Lemma13Finite:
		b.Source = "Hoeffding and a union bound over pairs"
		b.Conditions = append(b.Conditions, condition(f.Points >= 2, "Points is at least 2", "Points = %d", f.Points))
		b.Formula, b.Numbers = `\frac{2}{\epsilon^2}\ln\frac{m(m-1)}{\delta}`, texf(`\frac{2}{%v^2}\ln\frac{%v\cdot %v}{%v}`, f.Accuracy, f.Points, f.Points-1, f.Failure)
		b.Value = rpPairs13Finite(f.Accuracy, f.Failure, f.Points)
	default:
		moments(10, -4-float64(f.Dim)/4)
	}
	points := 0
	if how == Lemma13Finite {
		points = f.Points
	}
	return b.finish().simulated(f.simDHat(b.Value, points, f.Accuracy, 1-f.Failure))
}

// Theorem14 is the number d̂ of random frequencies that makes PrivateSVM (Accuracy, Failure)-useful together with the
// scale of Lemma 10: (4(d+2)/θ) ln(2^11(σ_pℓ)²/(δθ)) with the tightened θ; AsPublished 2^9 and the printed θ.
func (f SVMFacts) Theorem14(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "d̂", Relation: "≥", Source: rbht + ", Theorem 14", Flavour: v, Confidence: 1,
		Conditions: append(need("Accuracy", f.Accuracy, "C", f.C, "DualNorm", f.DualNorm, "Dim", f.Dim, "Diameter", f.Diameter, "SigmaP", f.SigmaP), failureCondition(f.Failure)...),
		Formula:    `\frac{4(d+2)}{\theta}\ln\frac{2^{11}(\sigma_p\ell)^2}{\delta\theta}`}
	if v == AsPublished {
		b.Formula, b.NotAProof = `\frac{4(d+2)}{\theta}\ln\frac{2^{9}(\sigma_p\ell)^2}{\delta\theta}`, true
		b.Remark = "Rests on Lemma 13's constant 2^8, whose proof has a gap."
	}
	theta := rpTheta14(f.Accuracy, f.C, f.L, f.DualNorm, v == AsPublished)
	power := "11"
	if v == AsPublished {
		power = "9"
	}
	b.Numbers = texf(`\frac{4\cdot %v}{%v}\ln\frac{2^{`+power+`}\cdot %v^2}{%v\cdot %v}`, f.Dim+2, theta, f.SigmaP*f.Diameter, f.Failure, theta)
	b.Value = rpPairs14(theta, f.Failure, f.Dim, f.SigmaP, f.Diameter, v == AsPublished)
	return b.finish().simulated(f.simDHat(b.Value, 0, math.Sqrt(theta), 1-f.Failure/2))
}

// Corollary15 is Theorem14 AsPublished with Corollary 15's θ (Λ = C, L = 1), rounded up.
func (f SVMFacts) Corollary15(v Flavour) Bound {
	f = f.defaults()
	b := f.Theorem14(v)
	b.Source = rbht + ", Corollary 15"
	theta := rpTheta15(f.Accuracy, f.C)
	if v != AsPublished {
		theta = rpTheta14(f.Accuracy, f.C, 1, f.C, false)
	}
	power := "11"
	if v == AsPublished {
		power = "9"
	}
	b.Formula = `\left\lceil` + b.Formula + `\right\rceil`
	b.Numbers = texf(`\left\lceil\frac{4\cdot %v}{%v}\ln\frac{2^{`+power+`}\cdot %v^2}{%v\cdot %v}\right\rceil`, f.Dim+2, theta, f.SigmaP*f.Diameter, f.Failure, theta)
	b.Value = math.Ceil(rpPairs14(theta, f.Failure, f.Dim, f.SigmaP, f.Diameter, v == AsPublished))
	return b.finish().simulated(f.simDHat(b.Value, 0, math.Sqrt(theta), 1-f.Failure/2))
}

// Reading16 says which form of Theorem 16 is meant.
type Reading16 int

const (
	Theorem16Corrected Reading16 = iota // covering argument: O(ε⁻³ n⁻¹ ln(1/(δε))), proved
	Theorem16Misread                    // the printed proof, with ln(2√d̂): not valid
	Theorem16AsRead                     // the printed chain with Lemma 10 as it is: O(ε⁻⁵ n⁻¹ …)
)

// Chain16 is Theorem 16 with the numbers on its way.
type Chain16 struct {
	Bound               // the privacy parameter at which PrivateSVM can be (Accuracy, Failure)-useful
	Theta       float64 // θ(ε)
	Pairs       int     // d̂
	Scale       float64 // λ
	ErlangScale float64 // λ by the Erlang quantile (corrected form only)
	NetScale    float64 // λ by the covering argument (corrected form only)
}

// Theorem16 is the privacy parameter (the paper's β) at which PrivateSVM with hinge loss is still
// (Accuracy, Failure)-useful on 𝓜. It uses N, C, Dim, Diameter, SigmaP and, for the corrected form, Moment.
func (f SVMFacts) Theorem16(how Reading16) Chain16 {
	f = f.defaults()
	b := Bound{Quantity: "ε (privacy)", Relation: "≥", Source: rbht + ", Theorem 16", Flavour: Corrected, Confidence: 1,
		Conditions: append(need("N", f.N, "Accuracy", f.Accuracy, "C", f.C, "Dim", f.Dim, "Diameter", f.Diameter, "SigmaP", f.SigmaP), failureCondition(f.Failure)...),
		Formula:    `\frac{2^{1.5}C\sqrt{\hat d}}{\lambda n},\quad \lambda=\max\{\lambda_{\mathrm{Erlang}},\lambda_{\mathrm{net}}\}`}
	in := read16Corrected
	switch how {
	case Theorem16Misread:
		in, b.Flavour, b.NotAProof = read16Misread, AsPublished, true
		b.Formula = `\frac{2^{2.5}C\sqrt{\hat d}}{\lambda n},\quad\lambda=\min\{\tfrac{\epsilon}{16\ln(2\sqrt{\hat d})},\tfrac{\epsilon\sqrt{\hat d}}{8\ln(2/\delta)}\}`
		b.Remark = "Not valid: the proof reads Lemma 10's (ln 2)√d̂ as ln(2√d̂), and with that scale the noise is not small."
	case Theorem16AsRead:
		in, b.Flavour, b.NotAProof = read16Lemma10, AsPublished, true
		b.Formula = `\frac{2^{2.5}C\sqrt{\hat d}}{\lambda n},\quad\lambda=\text{Lemma 10}`
		b.Remark = "The paper's own chain with Lemma 10 read correctly: O(ε⁻⁵), not the stated O(ε⁻³). The number of features still rests on Lemma 13's constant 2^8."
	default:
		b.Conditions = append(b.Conditions, need("Moment", f.Moment)...)
	}
	c := Chain16{Bound: b}
	if len(b.Conditions) == 0 {
		r := rpTheorem16(in, f.Accuracy, f.Failure, f.C, f.N, f.Dim, f.SigmaP, f.Diameter, f.Moment, f.Split)
		c.Theta, c.Pairs, c.Scale, c.ErlangScale, c.NetScale = r.theta, r.pairs, r.lam, r.erlang, r.net
		c.Value = r.beta
		power := "1.5"
		if in != read16Corrected {
			power = "2.5"
		}
		c.Numbers = texf(`\frac{2^{`+power+`}\cdot %v\sqrt{%v}}{%v\cdot %v}`, f.C, r.pairs, r.lam, f.N)
	}
	c.Bound = c.Bound.finish().simulated(f.simTheorem16(c.Pairs, c.Scale))
	return c
}
