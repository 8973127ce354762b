package dp

import (
	"fmt"
	"math"
)

// SVMFacts are the public facts about a private SVM from which the bounds of Rubinstein, Bartlett, Huang and Taft
// ("Learning in a Large Function Space", arXiv 0911.5708) are computed. The SVM is
//
//	w = argmin ½‖w‖² + (C/n) Σ ℓ(y_i ⟨w, φ(x_i)⟩),
//
// neighbouring data sets differ in one replaced record, and a release is (ε,δ)-useful if sup|f̂−f| ≤ Accuracy with
// probability at least 1−Failure. The paper's β is Eps here, its ε is Accuracy and its δ is Failure. (Its Definition 2
// prints "≥ δ"; every proof in it uses ≥ 1−δ.) Fill in what a method names; a missing fact is a failed condition.
type SVMFacts struct {
	N        int     // n, number of records
	C        float64 // cost; Chaudhuri's Λ is 1/C
	L        float64 // Lipschitz constant of the loss; 0 means 1
	Kappa    float64 // κ ≥ √k(x,x) for every admissible x; 0 means 1
	Features int     // F, dimension of the feature space
	Phi      float64 // Φ ≥ |φ_j(x)|; 0 means κ

	Eps               float64 // privacy ε (the paper's β)
	Accuracy, Failure float64 // the paper's ε and δ

	Pairs        int     // d̂, number of random frequencies (F = 2d̂)
	Dim          int     // d, dimension of the inputs
	Diameter     float64 // ℓ, diameter of the set 𝓜 on which accuracy is asked
	Kernel       Kernel  // gives σ_p and the moments when those below are 0
	SigmaP       float64 // σ_p = √E‖ω‖²
	Moment       float64 // m_s ≥ E‖ω‖^s
	MomentOrder  float64 // s in (0, 1]; 0 means 1
	Split        float64 // ω in (0,1), share of the error given to the net; 0 means 0.05
	DualNorm     float64 // Λ ≥ ‖α‖₁ of both duals; 0 means C·L, always valid
	Points       int     // m, number of points for the finite-set bound
	Scale        float64 // λ, Laplace scale in use
	SolverGap    float64 // certified duality gap
	GroupSize    int     // m, records changed between two databases of a packing
	PackingSigma float64 // σ of the RBF kernel in Lemma 19
}

const rbht = "Rubinstein, Bartlett, Huang, Taft, arXiv 0911.5708"

func (f SVMFacts) defaults() SVMFacts {
	def := func(p *float64, v float64) {
		if *p == 0 {
			*p = v
		}
	}
	def(&f.L, 1)
	def(&f.Kappa, 1)
	def(&f.Phi, f.Kappa)
	def(&f.MomentOrder, 1)
	def(&f.Split, 0.05)
	def(&f.DualNorm, f.C*f.L)
	if f.Kernel.Invariant() && f.Dim > 0 {
		def(&f.SigmaP, f.Kernel.SigmaP(f.Dim))
		def(&f.Moment, f.Kernel.Moment(f.Dim, f.MomentOrder))
	}
	if f.GroupSize == 0 {
		f.GroupSize = 1
	}
	return f
}

// need turns the facts a formula uses into conditions.
func need(pairs ...any) []Condition {
	var out []Condition
	for i := 0; i+1 < len(pairs); i += 2 {
		name := pairs[i].(string)
		var v float64
		switch x := pairs[i+1].(type) {
		case int:
			v = float64(x)
		case float64:
			v = x
		}
		if !positive(v) {
			out = append(out, condition(false, fmt.Sprintf("%s is given, finite and above 0", name), "%s = %g", name, v))
		}
	}
	return out
}

// finish blanks the value when a fact is missing, so that no number is shown for it.
func (b Bound) finish() Bound {
	for _, c := range b.Conditions {
		if !c.Holds {
			b.Value = math.NaN()
			b.Numbers = ""
			break
		}
	}
	return b
}

// SensitivityL2 bounds ‖w_D − w_D'‖₂ over neighbours: 2LCκ/n, attained by hinge and Huber loss; AsPublished 4LCκ/n
// (Lemmas 6 and 21).
func (f SVMFacts) SensitivityL2(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "‖w_D − w_D'‖₂", Relation: "≤", Source: rbht + ", Lemma 6", Flavour: v, Confidence: 1,
		Conditions:  need("N", f.N, "C", f.C, "L", f.L, "Kappa", f.Kappa),
		Assumptions: []string{"the loss is convex and L-Lipschitz in f", "k(x,x) ≤ κ² for every admissible x (enforced by clipping)"},
		Formula:     `\frac{2LC\kappa}{n}`, Numbers: texf(`\frac{2\cdot %v\cdot %v\cdot %v}{%v}`, f.L, f.C, f.Kappa, f.N)}
	if v == AsPublished {
		b.Formula = `\frac{4LC\kappa}{n}`
		b.Numbers = texf(`\frac{4\cdot %v\cdot %v\cdot %v}{%v}`, f.L, f.C, f.Kappa, f.N)
		b.Remark = "True, and loose by exactly 2: the proof drops the term −½‖w_D−w_D'‖² of strong convexity."
	}
	b.Value = rpSensL2(f.L, f.C, f.Kappa, f.N, v == AsPublished)
	return b.finish().simulated(f.simSensitivity("", Loss{}, f.Features, false, 1, 0))
}

// SensitivityL1 is √F times SensitivityL2; also attained.
func (f SVMFacts) SensitivityL1(v Flavour) Bound {
	b := f.SensitivityL2(v)
	b.Quantity = "‖w_D − w_D'‖₁"
	b.Conditions = append(b.Conditions, need("Features", f.Features)...)
	b.Formula += `\sqrt F`
	b.Numbers += texf(`\sqrt{%v}`, f.Features)
	b.Value *= math.Sqrt(float64(f.Features))
	return b.finish().simulated(f.defaults().simSensitivity("", Loss{}, f.Features, true, 1, 0))
}

// SensitivityInexact bounds ‖ŵ_D − ŵ_D'‖₂ when each solution has a certified duality gap of at most SolverGap (which must
// be a fixed public tolerance): SensitivityL2 + 2√(2·gap), because the primal is 1-strongly convex.
func (f SVMFacts) SensitivityInexact() Bound {
	b := f.SensitivityL2(Corrected)
	b.Quantity = "‖ŵ_D − ŵ_D'‖₂"
	b.Source = "1-strong convexity of the primal"
	if !(f.SolverGap >= 0) {
		b.Conditions = append(b.Conditions, condition(false, "SolverGap is not negative", "SolverGap = %g", f.SolverGap))
	}
	b.Formula += `+2\sqrt{2g}`
	b.Numbers += texf(`+2\sqrt{2\cdot %v}`, f.SolverGap)
	b.Value = rpInexact(b.Value, f.SolverGap)
	return b.finish().simulated(f.defaults().simInexact())
}

// SensitivityLogistic is the sharper ℓ2 sensitivity κCs/n of the logistic loss, 1 ≤ s < 2.
func (f SVMFacts) SensitivityLogistic() Bound {
	f = f.defaults()
	t, s := rpLogistic(f.C, f.Kappa)
	b := Bound{Quantity: "‖w_D − w_D'‖₂", Relation: "≤", Value: f.Kappa * f.C * s / float64(f.N), Confidence: 1,
		Source: "a-priori bound on ‖w‖ and smoothness of the logistic loss", Flavour: Tight,
		Conditions: need("N", f.N, "C", f.C, "Kappa", f.Kappa),
		Formula:    `\frac{\kappa C s}{n},\quad s=\max_{0\le c\le1}2\sqrt{1-c^2}\,\sigma(tc)`,
		Numbers:    texf(`\frac{%v\cdot %v\cdot %v}{%v}`, f.Kappa, f.C, s, f.N),
		Remark:     fmt.Sprintf("t = %.6g bounds κ‖w‖ for every data set; s = %.6g where the general bound has 2.", t, s)}
	return b.finish().simulated(f.simSensitivity("", Logistic(), max(2, f.Features), false, 1, 0))
}

// SquareLipschitz is the effective Lipschitz constant 2(1+κ√(2C)) of the square loss at the minimisers.
func (f SVMFacts) SquareLipschitz() Bound {
	f = f.defaults()
	return Bound{Quantity: "|ℓ'| of the square loss at both minimisers", Relation: "≤", Value: rpSquareLipschitz(f.C, f.Kappa), Confidence: 1,
		Source: "P(w*) ≤ P(0) = C", Flavour: Corrected, Conditions: need("C", f.C, "Kappa", f.Kappa),
		Formula: `2(1+\kappa\sqrt{2C})`, Numbers: texf(`2(1+%v\sqrt{2\cdot %v})`, f.Kappa, f.C)}.finish().simulated(f.simSquare())
}

// rpSquareLipschitz is 2(1+κ√(2C)).
func rpSquareLipschitz(c, kappa float64) float64 { return 2 * (1 + kappa*math.Sqrt(2*c)) }

// Theorem7 is the Laplace scale for ε-differential privacy of PrivateSVM-Finite: SensitivityL1/ε.
func (f SVMFacts) Theorem7(v Flavour) Bound {
	b := f.SensitivityL1(v)
	b.Quantity, b.Relation, b.Source = "λ", "≥", rbht+", Theorem 7"
	b.Conditions = append(b.Conditions, need("Eps", f.Eps)...)
	b.Formula = `\frac{1}{\varepsilon}\,` + b.Formula
	b.Numbers = texf(`\frac{1}{%v}\,`, f.Eps) + b.Numbers
	b.Value /= f.Eps
	if v == AsPublished {
		b.Remark = "Private, with true loss ε/2: the scale is twice what is needed."
	}
	return b.finish().simulated(f.defaults().simSensitivity(fmt.Sprintf("‖w_D − w_D'‖₁/λ at λ = %s", number(b.Value)), Loss{}, f.Features, true, b.Value, f.Eps))
}

// Corollary9 is Theorem7 for random features: κ = 1 and F = 2d̂, that is 2^{1.5}LC√d̂/(εn) (AsPublished 2^{2.5}).
func (f SVMFacts) Corollary9(v Flavour) Bound {
	f.Kappa, f.Features = 1, 2*f.Pairs
	b := f.Theorem7(v)
	b.Source = rbht + ", Corollary 9"
	f = f.defaults()
	p := "1.5"
	if v == AsPublished {
		p = "2.5"
	}
	b.Conditions = append(b.Conditions, need("Pairs", f.Pairs)...)
	b.Formula = `\frac{2^{` + p + `}LC\sqrt{\hat d}}{\varepsilon n}`
	b.Numbers = texf(`\frac{2^{`+p+`}\cdot %v\cdot %v\sqrt{%v}}{%v\cdot %v}`, f.L, f.C, f.Pairs, f.Eps, f.N)
	return b.finish()
}

// TrueEpsilon is the worst privacy loss of PrivateSVM-Finite at Laplace scale Scale: SensitivityL1/λ, reached by the
// extremal pair of data sets.
func (f SVMFacts) TrueEpsilon() Bound {
	b := f.SensitivityL1(Tight)
	b.Quantity, b.Relation, b.Source = "ε", "=", "tight ℓ1 sensitivity over the Laplace scale"
	b.Conditions = append(b.Conditions, need("Scale", f.Scale)...)
	b.Formula = `\frac{1}{\lambda}\,` + b.Formula
	b.Numbers = texf(`\frac{1}{%v}\,`, f.Scale) + b.Numbers
	b.Value /= f.Scale
	return b.finish().simulated(f.defaults().simSensitivity(fmt.Sprintf("‖w_D − w_D'‖₁/λ at λ = %s", number(f.Scale)), Loss{}, f.Features, true, f.Scale, 0))
}

// GammaScale is Δ₂/ε, the scale of ℓ2-Gamma noise (density ∝ exp(−ε‖μ‖₂/Δ₂)) for ε-differential privacy.
func (f SVMFacts) GammaScale() Bound {
	b := f.SensitivityL2(Corrected)
	b.Quantity, b.Relation, b.Source = "Δ₂/ε", "≥", "ℓ2 sensitivity over ε"
	b.Conditions = append(b.Conditions, need("Eps", f.Eps)...)
	b.Formula = `\frac{1}{\varepsilon}\,` + b.Formula
	b.Numbers = texf(`\frac{1}{%v}\,`, f.Eps) + b.Numbers
	b.Value /= f.Eps
	return b.finish().simulated(f.defaults().simSensitivity(fmt.Sprintf("‖w_D − w_D'‖₂/s at the noise scale s = %s", number(b.Value)), Loss{}, f.Features, false, b.Value, f.Eps))
}

// GammaUtility is the largest Δ₂/ε for which ℓ2-Gamma noise keeps the function (Accuracy, Failure)-useful:
// κ‖μ‖₂ ≤ Accuracy with probability 1−Failure.
func (f SVMFacts) GammaUtility() Bound {
	f = f.defaults()
	q := gammaUpperQuantile(float64(f.Features), f.Failure)
	b := Bound{Quantity: "Δ₂/ε", Relation: "≤", Source: "Gamma quantile of ‖μ‖₂", Flavour: Tight, Confidence: 1,
		Conditions: append(need("Accuracy", f.Accuracy, "Features", f.Features, "Kappa", f.Kappa), failureCondition(f.Failure)...),
		Formula:    `\frac{\epsilon}{\kappa\,q},\quad\Pr(\Gamma_{F,1}>q)=\delta`, Numbers: texf(`\frac{%v}{%v\cdot %v}`, f.Accuracy, f.Kappa, q)}
	b.Value = f.Accuracy / (f.Kappa * q)
	return b.finish().simulated(f.simNoise(true, b.Value, f.Kappa, f.Accuracy, 1-f.Failure))
}

// Theorem8 is the largest Laplace scale that keeps the released function (Accuracy, Failure)-useful: the exact Erlang
// quantile, or AsPublished the Chernoff form ε/(2Φ(F ln 2 + ln 1/δ)).
func (f SVMFacts) Theorem8(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "λ", Relation: "≤", Source: rbht + ", Theorem 8", Flavour: v, Confidence: 1,
		Conditions: append(need("Accuracy", f.Accuracy, "Features", f.Features, "Phi", f.Phi), failureCondition(f.Failure)...)}
	if v == AsPublished {
		b.Formula = `\frac{\epsilon}{2\Phi(F\ln 2+\ln\frac1\delta)}`
		b.Numbers = texf(`\frac{%v}{2\cdot %v(%v\ln 2+\ln\frac1{%v})}`, f.Accuracy, f.Phi, f.Features, f.Failure)
	} else {
		b.Formula = `\frac{\epsilon}{\Phi\,q},\quad \Pr(\Gamma_{F,1}>q)=\delta`
		b.Numbers = texf(`\frac{%v}{%v\cdot %v}`, f.Accuracy, f.Phi, gammaUpperQuantile(float64(f.Features), f.Failure))
	}
	b.Value = rpScale8(f.Accuracy, f.Failure, f.Features, f.Phi, v == AsPublished)
	return b.finish().simulated(f.simNoise(false, b.Value, f.Phi, f.Accuracy, 1-f.Failure))
}

// FailureAt is the probability that noise of scale Scale moves the function by more than Accuracy somewhere: at most the
// Erlang tail, or AsPublished 2^F e^{−ε/(2λΦ)}.
func (f SVMFacts) FailureAt(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "Pr(sup|f̂−f| > ε)", Relation: "≤", Source: rbht + ", Theorem 8 (proof)", Flavour: v, Confidence: 1,
		Conditions: need("Accuracy", f.Accuracy, "Features", f.Features, "Phi", f.Phi, "Scale", f.Scale),
		Formula:    `\Pr\left(\Gamma_{F,1}>\frac{\epsilon}{\lambda\Phi}\right)`, Numbers: texf(`\Pr(\Gamma_{%v,1}>%v)`, f.Features, f.Accuracy/(f.Scale*f.Phi))}
	if v == AsPublished {
		b.Formula = `2^Fe^{-\epsilon/(2\lambda\Phi)}`
		b.Numbers = texf(`2^{%v}e^{-%v/(2\cdot %v\cdot %v)}`, f.Features, f.Accuracy, f.Scale, f.Phi)
	}
	b.Value = rpFail8(f.Accuracy, f.Features, f.Phi, f.Scale, v == AsPublished)
	s := f.simNoise(false, f.Scale, f.Phi, f.Accuracy, 1-b.Value)
	if b.Value >= 1 {
		s.none = "a bound of 1 or more on a probability says nothing"
	}
	return b.finish().simulated(s)
}

func failureCondition(delta float64) []Condition {
	if delta > 0 && delta < 1 {
		return nil
	}
	return []Condition{condition(false, "Failure lies strictly between 0 and 1", "Failure = %g", delta)}
}

// Reading10 says which form of Lemma 10 is meant.
type Reading10 int

const (
	Lemma10AsRead  Reading10 = iota // (ln 2)·√d̂: the reading the proof supports
	Lemma10Misread                  // ln(2√d̂): the reading Theorem 16's proof uses; false
	Lemma10OneLine                  // the Chernoff step not split in two
	Lemma10Erlang                   // the exact quantile
	Lemma10Net                      // a covering argument on the compact set 𝓜; does not shrink with d̂
)

// Lemma10 is the largest Laplace scale for which the noise on random features (F = 2d̂, Φ = d̂^{-1/2}) moves the function by
// at most Accuracy/2 with probability 1−Failure/2: on all of R^d, or on 𝓜 for Lemma10Net (which uses Dim, Diameter, Moment).
func (f SVMFacts) Lemma10(how Reading10) Bound {
	f = f.defaults()
	b := Bound{Quantity: "λ", Relation: "≤", Source: rbht + ", Lemma 10", Flavour: Corrected, Confidence: 1,
		Conditions: append(need("Accuracy", f.Accuracy, "Pairs", f.Pairs), failureCondition(f.Failure)...)}
	if len(b.Conditions) > 0 {
		return b.finish()
	}
	l := rpLemma10(f.Accuracy, f.Failure, f.Pairs)
	second := texf(`\frac{%v\sqrt{%v}}{8\ln(2/%v)}`, f.Accuracy, f.Pairs, f.Failure)
	switch how {
	case Lemma10Misread:
		b.Numbers = texf(`\min\left\{\frac{%v}{16\ln(2\sqrt{%v})},%s\right\}`, f.Accuracy, f.Pairs, second)
		b.Flavour, b.NotAProof, b.Value = AsPublished, true, l.misread
		b.Formula = `\min\left\{\frac{\epsilon}{16\ln(2\sqrt{\hat d})},\frac{\epsilon\sqrt{\hat d}}{8\ln(2/\delta)}\right\}`
		b.Remark = fmt.Sprintf("Not valid: at this scale the logarithm of the Chernoff bound is %.4g where ln(δ/2) = %.4g is needed.",
			2*float64(f.Pairs)*math.Ln2-f.Accuracy*math.Sqrt(float64(f.Pairs))/(4*l.misread), math.Log(f.Failure/2))
	case Lemma10OneLine:
		b.Numbers = texf(`\frac{%v\sqrt{%v}}{4(2\cdot %v\ln2+\ln(2/%v))}`, f.Accuracy, f.Pairs, f.Pairs, f.Failure)
		b.Value, b.Formula = l.oneLine, `\frac{\epsilon\sqrt{\hat d}}{4(2\hat d\ln2+\ln(2/\delta))}`
	case Lemma10Erlang:
		b.Numbers = texf(`\frac{%v\sqrt{%v}}{2\cdot %v}`, f.Accuracy, f.Pairs, f.Accuracy*math.Sqrt(float64(f.Pairs))/(2*l.erlang))
		b.Flavour, b.Value, b.Formula = Tight, l.erlang, `\frac{\epsilon\sqrt{\hat d}}{2q},\quad\Pr(\Gamma_{2\hat d,1}>q)=\tfrac\delta2`
	case Lemma10Net:
		b.Source = "covering argument on a compact set (after Lemma 10)"
		b.Conditions = append(b.Conditions, need("Dim", f.Dim, "Diameter", f.Diameter, "Moment", f.Moment)...)
		b.Formula, b.Numbers = f.netTeX(f.Accuracy/2, f.Failure/2, `\tfrac{(1-\omega)\epsilon}{2\lambda\sqrt{\hat d}}`, `\tfrac\delta4`, `\frac{\omega\epsilon\delta}{8c_2\lambda\sqrt{\hat d}\,2^{1-s}m_s}`)
		if len(need("Dim", f.Dim, "Diameter", f.Diameter, "Moment", f.Moment)) == 0 {
			b.Value = rpNet(f.Accuracy/2, f.Failure/2, f.Pairs, f.Dim, f.Diameter, f.MomentOrder, f.Moment, f.Split)
		}
	default:
		b.Numbers = texf(`\min\left\{\frac{%v}{16(\ln 2)\sqrt{%v}},%s\right\}`, f.Accuracy, f.Pairs, second)
		b.Flavour, b.Value = AsPublished, l.lemma
		b.Formula = `\min\left\{\frac{\epsilon}{16(\ln 2)\sqrt{\hat d}},\frac{\epsilon\sqrt{\hat d}}{8\ln(2/\delta)}\right\}`
	}
	return b.finish().simulated(f.simLemma10(how == Lemma10Net, b.Value, f.Accuracy/2, 1-f.Failure/2))
}

// NetScale is λ_net with explicit budgets: the largest Laplace scale that moves the function by at most Accuracy on 𝓜 with
// probability 1−Failure (no halving).
func (f SVMFacts) NetScale() Bound {
	f.Accuracy, f.Failure = 2*f.Accuracy, 2*f.Failure
	ok := failureCondition(f.Failure / 2)
	if f.Failure >= 1 {
		f.Failure = math.Nextafter(1, 0)
	}
	b := f.Lemma10(Lemma10Net)
	b.Conditions = append(b.Conditions, ok...)
	f = f.defaults()
	b.Formula, b.Numbers = f.netTeX(f.Accuracy/2, f.Failure/2, `\tfrac{(1-\omega)\epsilon}{\lambda\sqrt{\hat d}}`, `\tfrac\delta2`, `\frac{\omega\epsilon\delta}{2c_2\lambda\sqrt{\hat d}\,2^{1-s}m_s}`)
	return b.finish()
}

// netTeX writes the covering condition with its symbols and with the numbers of the budgets acc and fail. c₂ = 1 + asinh(1)/√2.
func (f SVMFacts) netTeX(acc, fail float64, exponent, budget, radius string) (formula, numbers string) {
	formula = `\max\left\{\lambda:\ \ln2+d\ln\left(1+\tfrac{\sqrt2\ell}{r(\lambda)}\right)+\hat d\,\psi\left(` + exponent + `\right)\le\ln` + budget + `\right\}` +
		`,\quad r(\lambda)=\left(` + radius + `\right)^{1/s},\ \psi(a)=\ln\tfrac{1+\sqrt{1+a^2}}2+1-\sqrt{1+a^2},\ c_2=1+\tfrac{\operatorname{asinh}1}{\sqrt2}`
	root := math.Sqrt(float64(f.Pairs))
	numbers = texf(`\max\left\{\lambda:\ \ln2+%v\ln\left(1+\tfrac{\sqrt2\cdot %v}{r(\lambda)}\right)+%v\,\psi\left(\tfrac{%v}{\lambda}\right)\le\ln %v\right\},\quad r(\lambda)=\left(\frac{%v}{\lambda}\right)^{%v}`,
		f.Dim, f.Diameter, f.Pairs, (1-f.Split)*acc/root, fail/2, f.Split*acc*(fail/2)/(rpC2*root*math.Pow(2, 1-f.MomentOrder)*f.Moment), 1/f.MomentOrder)
	return formula, numbers
}
