package dp

import (
	"fmt"
	"math"
)

// PathakRajFacts are the public facts from which the statements of Pathak and Raj ("Large Margin Multiclass Gaussian
// Classification with Differential Privacy", arXiv 1005.0063) are computed, as printed and as they are. R2 is R²+τ², the bound
// on ‖(x, τ)‖²; the paper has R = τ = 1. Fill in what a method names.
type PathakRajFacts struct {
	N, Dim, Classes int     // n, d and C: records, columns, classes
	R2              float64 // R² + τ²; 0 means 2
	H               float64 // Huber width; 0 means 1/2
	Lambda          float64 // Λ of the corrected mechanism, λ of the published one
	Eps, Failure    float64 // ε, and the failure probability δ
	Alpha           float64 // the paper's unspecified α; 0 means C·r⁴/(2h)
	SolutionNorm    float64 // ‖W*‖, for Theorem 3 corrected; 0 means its a-priori bound
	NoiseQuantile   float64 // Q; 0 means the quantile of the corrected mechanism
}

func (f PathakRajFacts) defaults() PathakRajFacts {
	if f.R2 == 0 {
		f.R2 = 2
	}
	if f.H == 0 {
		f.H = 0.5
	}
	if f.Alpha == 0 {
		f.Alpha = float64(f.Classes) * f.R2 * f.R2 / (2 * f.H)
	}
	return f
}

func (f PathakRajFacts) base(pairs ...any) []Condition {
	c := need(append([]any{"R2", f.R2}, pairs...)...)
	if f.Classes < 2 {
		c = append(c, condition(false, "Classes is at least 2", "Classes = %d", f.Classes))
	}
	return c
}

// Sensitivity is the largest ‖∇ℓ(z,y) − ∇ℓ(z',y')‖, stacked over classes: √2·C·r², attained by a label flip at Φ = 0.
// AsPublished (Lemma 1) it is 2, which is false.
func (f PathakRajFacts) Sensitivity(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "‖∇ℓ − ∇ℓ'‖", Relation: "≤", Source: "replaces " + pathakRaj + ", Lemma 1", Flavour: v, Confidence: 1, Conditions: f.base(),
		Formula: `\sqrt2\,C\,r^2`, Numbers: texf(`\sqrt2\cdot %v\cdot %v`, f.Classes, f.R2), Value: prSens(f.Classes, f.R2)}
	if v == AsPublished {
		b.Formula, b.Numbers, b.Value, b.Source, b.NotAProof = "2", "", 2, pathakRaj+", Lemma 1", true
		b.Remark = fmt.Sprintf("False: a label flip at Φ = 0 changes the gradient by √2·C·r² = %.4g. The printed derivative has the wrong sign for c ≠ y and omits c = y.", prSens(f.Classes, f.R2))
	}
	return b.finish().simulated(f.simGradient(true, 1))
}

// GradientNorm is the largest norm of one record's gradient, r²√(C(C−1)).
func (f PathakRajFacts) GradientNorm() Bound {
	f = f.defaults()
	return Bound{Quantity: "‖∇ℓ‖", Relation: "≤", Source: "one record with all margins violated", Flavour: Tight, Confidence: 1, Conditions: f.base(),
		Formula: `r^2\sqrt{C(C-1)}`, Numbers: texf(`%v\sqrt{%v\cdot %v}`, f.R2, f.Classes, f.Classes-1), Value: prGrad(f.Classes, f.R2)}.finish().simulated(f.simGradient(false, 1))
}

// MixtureSensitivity is Sensitivity with mixtures: r²√(2(C−1)(C+2)).
func (f PathakRajFacts) MixtureSensitivity() Bound {
	f = f.defaults()
	return Bound{Quantity: "‖∇ℓ − ∇ℓ'‖ (mixtures)", Relation: "≤", Source: "⟨V, V'⟩ ≥ −2(C−1)", Flavour: Corrected, Confidence: 1, Conditions: f.base(),
		Formula: `r^2\sqrt{2(C-1)(C+2)}`, Numbers: texf(`%v\sqrt{2\cdot %v\cdot %v}`, f.R2, f.Classes-1, f.Classes+2), Value: prSensMix(f.Classes, f.R2)}.finish().simulated(f.simGradient(true, 2))
}

// Jacobian is J = (C−2)ln(1+t)+ln(1+Ct), t = r⁴/(2hnΛ), the part of ε that the change of variables costs. AsPublished
// (Theorem 1) it is k = ln(1+2α/(nλ)+α²/(n²λ²)).
func (f PathakRajFacts) Jacobian(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "ln det ratio", Relation: "≤", Source: "replaces " + pathakRaj + ", Theorem 1", Flavour: v, Confidence: 1,
		Conditions: f.base("N", f.N, "Lambda", f.Lambda, "H", f.H), Formula: `(C-2)\ln(1+t)+\ln(1+Ct),\quad t=\frac{r^4}{2hn\Lambda}`,
		Numbers: texf(`%v\ln(1+%v)+\ln(1+%v\cdot %v)`, f.Classes-2, f.R2*f.R2/(2*f.H*float64(f.N)*f.Lambda), f.Classes, f.R2*f.R2/(2*f.H*float64(f.N)*f.Lambda)),
		Value:   prJ(f.Classes, f.R2, f.H, f.N, f.Lambda)}
	if v == AsPublished {
		b.Formula, b.Source, b.NotAProof = `\ln\left(1+\frac{2\alpha}{n\lambda}+\frac{\alpha^2}{n^2\lambda^2}\right)`, pathakRaj+", Theorem 1", true
		b.Numbers = texf(`\ln\left(1+\frac{2\cdot %v}{%v\cdot %v}+\frac{%v^2}{%v^2\cdot %v^2}\right)`, f.Alpha, f.N, f.Lambda, f.Alpha, f.N, f.Lambda)
		b.Constants = []Constant{{Name: "α", Value: f.Alpha, Note: "not specified in the paper"}}
		b.Value = prK(f.Alpha, float64(f.N), f.Lambda)
		b.Remark = fmt.Sprintf("The loss in the paper is a sum, so n cannot appear: without it the value is %.4g. The objective is not strongly convex, so there is no such bound at all.", prK(f.Alpha, 1, f.Lambda))
	}
	return b.finish().simulated(f.simJacobian(f.Lambda, 0))
}

// SmallestLambda is the Λ at which the Jacobian costs half of Eps.
func (f PathakRajFacts) SmallestLambda() Bound {
	f = f.defaults()
	b := Bound{Quantity: "Λ", Relation: "≥", Source: "J(Λ) = ε/2", Flavour: Corrected, Confidence: 1, Conditions: f.base("N", f.N, "Eps", f.Eps, "H", f.H), Formula: `\left\{\Lambda:\ J(\Lambda)=\tfrac{\varepsilon}{2}\right\},\quad J(\Lambda)=(C-2)\ln(1+t)+\ln(1+Ct),\ t=\tfrac{r^4}{2hn\Lambda}`}
	if len(b.Conditions) == 0 {
		b.Value = prLambdaFor(f.Eps/2, f.Classes, f.R2, f.H, f.N)
		t := f.R2 * f.R2 / (2 * f.H * float64(f.N))
		b.Numbers = texf(`\left\{\Lambda:\ %v\ln\left(1+\tfrac{%v}{\Lambda}\right)+\ln\left(1+%v\cdot\tfrac{%v}{\Lambda}\right)=%v\right\}`, f.Classes-2, t, f.Classes, t, f.Eps/2)
	}
	return b.finish().simulated(f.simJacobian(b.Value, f.Eps/2))
}

// OutputSensitivity is the largest distance between minimisers of neighbours, √2·C·r²/(nΛ), attained.
func (f PathakRajFacts) OutputSensitivity() Bound {
	f = f.defaults()
	return Bound{Quantity: "‖W*(D) − W*(D')‖", Relation: "≤", Source: "strong convexity and the gradient difference", Flavour: Tight, Confidence: 1, Conditions: f.base("N", f.N, "Lambda", f.Lambda),
		Formula: `\frac{\sqrt2\,C\,r^2}{n\Lambda}`, Numbers: texf(`\frac{\sqrt2\cdot %v\cdot %v}{%v\cdot %v}`, f.Classes, f.R2, f.N, f.Lambda),
		Value: prOutSens(f.Classes, f.R2, f.N, f.Lambda)}.finish().simulated(f.simOutput())
}

// Lemma4 bounds ‖b‖, b ∈ R^{(d+1)×(d+1)} of density ∝ exp(−(ε/2)‖b‖): the exact Gamma quantile (Tight), the union bound
// (2D/ε)ln(D/δ), D = (d+1)² (Corrected), or the printed (2D/ε)ln(d/δ), which can fail for d = 1.
func (f PathakRajFacts) Lemma4(v Flavour) Bound {
	b := Bound{Quantity: "‖b‖", Relation: "≤", Source: pathakRaj + ", Lemma 4", Flavour: v, Confidence: 1 - f.Failure,
		Conditions: append(need("Dim", f.Dim, "Eps", f.Eps), failureCondition(f.Failure)...)}
	if len(b.Conditions) > 0 {
		return b.finish()
	}
	t := prTail4(f.Dim, f.Eps, f.Failure)
	switch v {
	case Tight:
		b.Numbers = texf(`\tfrac2{%v}\cdot %v`, f.Eps, t.exact*f.Eps/2)
		b.Value, b.Formula = t.exact, `\tfrac2\varepsilon\,q,\quad\Pr(\Gamma_{(d+1)^2,1}>q)=\delta`
	case AsPublished:
		b.Numbers = texf(`\frac{2\cdot %v^2}{%v}\ln\frac{%v}{%v}`, f.Dim+1, f.Eps, f.Dim, f.Failure)
		b.Value, b.Formula, b.NotAProof = t.published, `\frac{2(d+1)^2}{\varepsilon}\ln\frac d\delta`, true
		if p := prTail4Violated(f.Dim, f.Failure); p > f.Failure {
			b.Remark = fmt.Sprintf("False here: the probability of a longer b is %.4g, above δ = %g.", p, f.Failure)
		}
	default:
		b.Numbers = texf(`\frac{2\cdot %v^2}{%v}\ln\frac{%v^2}{%v}`, f.Dim+1, f.Eps, f.Dim+1, f.Failure)
		b.Value, b.Formula = t.union, `\frac{2(d+1)^2}{\varepsilon}\ln\frac{(d+1)^2}\delta`
	}
	return b.finish().simulated(simNorm(fmt.Sprintf("noise of density ~ exp(−(ε/2)‖b‖), %d×%d", f.Dim+1, f.Dim+1), (f.Dim+1)*(f.Dim+1), 2/f.Eps))
}

// Noise is Q = (S/ε')·q_p(δ): with probability 1−Failure the corrected perturbation is no longer. p = (C−1)(d+1)(d+2)/2.
func (f PathakRajFacts) Noise() Bound {
	f = f.defaults()
	b := Bound{Quantity: "‖b‖", Relation: "≤", Source: "replaces " + pathakRaj + ", Lemma 4", Flavour: Tight, Confidence: 1 - f.Failure,
		Conditions: append(f.base("N", f.N, "Dim", f.Dim, "Lambda", f.Lambda, "Eps", f.Eps, "H", f.H), failureCondition(f.Failure)...),
		Formula:    `\frac{S}{\varepsilon'}\,q,\quad\Pr(\Gamma_{p,1}>q)=\delta`}
	if len(b.Conditions) > 0 {
		return b.finish()
	}
	j := prJ(f.Classes, f.R2, f.H, f.N, f.Lambda)
	b.Conditions = append(b.Conditions, condition(j < f.Eps, "$J<\\varepsilon$", "J = %.4g, ε = %g", j, f.Eps))
	p := (f.Classes - 1) * (f.Dim + 1) * (f.Dim + 2) / 2
	b.Value = prQ(prSens(f.Classes, f.R2), f.Eps-j, p, f.Failure)
	b.Numbers = texf(`\frac{%v}{%v}\,q`, prSens(f.Classes, f.R2), f.Eps-j)
	return b.finish().simulated(simNorm(fmt.Sprintf("noise of the corrected mechanism in %d dimensions", p), p, prSens(f.Classes, f.R2)/(f.Eps-j)))
}

// Theorem2 bounds the excess J(W_priv) − J(W*) of the objective: Q²/(2n²Λ). AsPublished it is 8(d+1)⁴C/(ε²λ)·ln²(d/δ), which
// rests on a strong convexity that is not there and on a minimiser that need not exist: so it has no simulation.
func (f PathakRajFacts) Theorem2(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "J(W_priv) − J(W*)", Relation: "≤", Source: "replaces " + pathakRaj + ", Theorem 2", Flavour: v, Confidence: 1 - f.Failure, Formula: `\frac{Q^2}{2n^2\Lambda}`}
	if v == AsPublished {
		b.Source, b.NotAProof, b.Formula = pathakRaj+", Theorem 2", true, `\frac{8(d+1)^4C}{\varepsilon^2\lambda}\ln^2\frac d\delta`
		b.Conditions = append(f.base("Dim", f.Dim, "Lambda", f.Lambda, "Eps", f.Eps), failureCondition(f.Failure)...)
		b.Value = prThm2(f.Dim, f.Classes, f.Eps, f.Lambda, f.Failure)
		b.Numbers = texf(`\frac{8\cdot %v^4\cdot %v}{%v^2\cdot %v}\ln^2\frac{%v}{%v}`, f.Dim+1, f.Classes, f.Eps, f.Lambda, f.Dim, f.Failure)
		b.Remark = "The objective is not strongly convex (Lemma 2 is false), and with probability at least 1/2 it has no minimiser."
		return b.finish().simulated(simulation{none: noMinimiser})
	}
	q := f.quantile()
	b.Conditions = append(q.Conditions, need("N", f.N, "Lambda", f.Lambda)...)
	b.Value = prThm2Corrected(q.Value, f.N, f.Lambda)
	b.Numbers = texf(`\frac{%v^2}{2\cdot %v^2\cdot %v}`, q.Value, f.N, f.Lambda)
	return b.finish().simulated(f.simTheorem2())
}

func (f PathakRajFacts) quantile() Bound {
	if f.NoiseQuantile != 0 {
		return Bound{Value: f.NoiseQuantile, Conditions: need("NoiseQuantile", f.NoiseQuantile)}
	}
	return f.Noise()
}

// Theorem3Reading says which form of Theorem 3 is meant.
type Theorem3Reading int

const (
	Theorem3Corrected   Theorem3Reading = iota // with the corrected mechanism; rests on Sridharan, Shalev-Shwartz, Srebro 2008
	Theorem3AsPublished                        // as printed
	Theorem3Algebra                            // the printed chain with its algebra repaired; still not a theorem
)

// Theorem3 bounds the excess risk L̃(W_priv) − L̃(W*). The published readings have no simulation: there need be no W_priv.
func (f PathakRajFacts) Theorem3(how Theorem3Reading) Bound {
	f = f.defaults()
	b := Bound{Quantity: "L̃(W_priv) − L̃(W*)", Relation: "≤", Source: pathakRaj + ", Theorem 3", Flavour: AsPublished, NotAProof: true, Confidence: 1 - f.Failure,
		Conditions: append(f.base("N", f.N, "Dim", f.Dim, "Lambda", f.Lambda, "Eps", f.Eps), failureCondition(f.Failure)...)}
	switch how {
	case Theorem3AsPublished:
		b.Formula = `\frac{4\sqrt d(d+1)^2C}{\varepsilon\lambda}\ln\frac d\delta+\frac{8(d+1)^4C}{\varepsilon^2\lambda}\ln^2\frac d\delta+\frac{16}{\lambda n}\left(32+\ln\frac1\delta\right)`
		b.Value = prThm3(f.Dim, f.Classes, f.Eps, f.Lambda, f.Failure, f.N, false)
		b.Numbers = texf(`\frac{4\sqrt{%v}\cdot %v^2\cdot %v}{%v\cdot %v}\ln\frac{%v}{%v}+\frac{8\cdot %v^4\cdot %v}{%v^2\cdot %v}\ln^2\frac{%v}{%v}+\frac{16}{%v\cdot %v}\left(32+\ln\frac1{%v}\right)`,
			f.Dim, f.Dim+1, f.Classes, f.Eps, f.Lambda, f.Dim, f.Failure, f.Dim+1, f.Classes, f.Eps, f.Lambda, f.Dim, f.Failure, f.Lambda, f.N, f.Failure)
		b.Remark = "Two errors of algebra (a factor λ and a factor 2), two events under one δ, and a strong convexity that is not there."
	case Theorem3Algebra:
		b.Formula = `\frac{4\sqrt d(d+1)^2C}{\varepsilon}\ln\frac{(d+1)^2}\delta+\frac{16(d+1)^4C}{\varepsilon^2\lambda}\ln^2\frac{(d+1)^2}\delta+\frac{16}{\lambda n}\left(32+\ln\frac1\delta\right)`
		b.Value = prThm3(f.Dim, f.Classes, f.Eps, f.Lambda, f.Failure, f.N, true)
		b.Numbers = texf(`\frac{4\sqrt{%v}\cdot %v^2\cdot %v}{%v}\ln\frac{%v^2}{%v}+\frac{16\cdot %v^4\cdot %v}{%v^2\cdot %v}\ln^2\frac{%v^2}{%v}+\frac{16}{%v\cdot %v}\left(32+\ln\frac1{%v}\right)`,
			f.Dim, f.Dim+1, f.Classes, f.Eps, f.Dim+1, f.Failure, f.Dim+1, f.Classes, f.Eps, f.Lambda, f.Dim+1, f.Failure, f.Lambda, f.N, f.Failure)
		b.Remark = "Algebra repaired; still rests on the false strong convexity."
	default:
		q := f.quantile()
		w := f.SolutionNorm
		if w == 0 {
			c := float64(f.Classes)
			w = math.Min(prGrad(f.Classes, f.R2)/f.Lambda, math.Sqrt(2*(c-1)*huberAt0(f.H)/f.Lambda))
		}
		b.Conditions = q.Conditions
		b.Conditions = append(b.Conditions, need("N", f.N, "Lambda", f.Lambda)...)
		b.Conditions = append(b.Conditions, failureCondition(f.Failure)...)
		b.Source, b.Flavour, b.NotAProof, b.Confidence = "replaces "+pathakRaj+", Theorem 3", Corrected, false, 1-2*f.Failure
		b.Formula = `\frac{\|W^*\|Q}{n}+\frac{Q^2}{n^2\Lambda}+\frac{32(C-1)^2r^4(32+\ln\frac1\delta)}{\Lambda n}`
		b.Value = prThm3Corrected(q.Value, f.N, f.Classes, f.Lambda, f.R2, f.Failure, w)
		b.Numbers = texf(`\frac{%v\cdot %v}{%v}+\frac{%v^2}{%v^2\cdot %v}+\frac{32\cdot %v^2\cdot %v^2(32+\ln\frac1{%v})}{%v\cdot %v}`, w, q.Value, f.N, q.Value, f.N, f.Lambda, f.Classes-1, f.R2, f.Failure, f.Lambda, f.N)
		b.Assumptions = []string{"the fast-rate bound of Sridharan, Shalev-Shwartz and Srebro (2008), applied class by class; its constant was not re-derived"}
		return b.finish().simulated(f.simTheorem3())
	}
	return b.finish().simulated(simulation{none: noMinimiser})
}

// huberAt0 is ℓ_h(0) at margin 1.
func huberAt0(h float64) float64 { return Huber(h).Value(0) }

// IndependentLoss is the worst privacy loss if each class had its own b_c of the published scale: C·r²·ε (the charitable
// repair), reached by a label flip at Φ = 0.
func (f PathakRajFacts) IndependentLoss() Bound {
	f = f.defaults()
	return Bound{Quantity: "ε (privacy)", Relation: "≥", Source: "label flip at Φ = 0 with independent b_c of the published scale", Flavour: Corrected, Confidence: 1, Conditions: f.base("Eps", f.Eps),
		Formula: `C\,r^2\,\varepsilon`, Numbers: texf(`%v\cdot %v\cdot %v`, f.Classes, f.R2, f.Eps), Value: float64(f.Classes) * f.R2 * f.Eps}.finish().simulated(f.simIndependent())
}

// noMinimiser is why the published excess bounds have nothing to measure.
const noMinimiser = "the published objective has no minimiser with probability at least 1/2 (PathakRaj.Existence estimates it), so there is no W_priv to measure"

// Lemma3 returns both sides of (Σ_c tr(I_ΦΔ_cI_Φ))²/(dC) ≤ Σ_c‖Δ_c‖_F², which is true, for (d+1)×(d+1) matrices Δ_c.
func (f PathakRajFacts) Lemma3(delta [][][]float64) (left, right float64, err error) {
	if len(delta) == 0 || len(delta[0]) < 2 {
		return 0, 0, badArg("PathakRajFacts.Lemma3", "delta", fmt.Sprintf("%d matrices", len(delta)), "at least one (d+1)×(d+1) matrix with d ≥ 1 is required")
	}
	d, tr := len(delta[0])-1, 0.0
	for c, m := range delta {
		for i, row := range m {
			if len(m) != d+1 || len(row) != d+1 {
				return 0, 0, badArg("PathakRajFacts.Lemma3", fmt.Sprintf("delta[%d]", c), fmt.Sprintf("row of %d entries", len(row)), fmt.Sprintf("must be %d×%d", d+1, d+1))
			}
			if i < d {
				tr += row[i]
			}
			right += dotDense(row, row)
		}
	}
	return tr * tr / float64(d*len(delta)), right, nil
}

// MarginReading says how the loss of equation (6) is read.
type MarginReading int

const (
	MarginCorrected MarginReading = iota // ℓ_h at margin 1, what the classifiers here use
	MarginZero                           // signs repaired, margin 0: the most charitable reading of what is printed
	MarginLiteral                        // as printed: not convex, rewards errors; for display only
)

// MarginLoss is the loss at margin m = zᵀ(Φ_c−Φ_y)z under a reading of equation (6), with Huber width h.
func MarginLoss(how MarginReading, h, m float64) float64 {
	switch how {
	case MarginZero:
		return Huber(h).Value(m + 1)
	case MarginLiteral:
		switch {
		case m > h:
			return 0
		case m >= -h:
			return (h + m) * (h + m) / (4 * h)
		}
		return m
	}
	return Huber(h).Value(m)
}
