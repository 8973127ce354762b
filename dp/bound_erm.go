package dp

import (
	"fmt"
	"math"
)

// ERMFacts are the public facts from which the bounds of private empirical risk minimisation are computed: the arXiv paper
// of Sarwate, Chaudhuri and Monteleoni (0912.0071, first versions; SCM below), Chaudhuri, Monteleoni and Sarwate (JMLR 12, 2011; CMS) and
// Chaudhuri and Monteleoni (NIPS 2008). Fill in what a method names; a missing fact is a failed condition, and then there is no number.
//
// A method that takes constant is a statement with a constant hidden in an Ω: the value is proportional to what you pass, 1 shows the shape only.
type ERMFacts struct {
	N      int     // n, number of rows
	Dim    int     // d, dimension of the weights
	Lambda float64 // Λ, mean form
	Extra  float64 // Δ, the extra regularisation of objective perturbation
	Eps    float64 // ε_p; in the excess bounds the part ε' that the noise answers for, κ = ε'/2
	Kappa  float64 // κ, exponent of the noise density ∝ e^{−κ‖b‖}; 0 = Eps/(2·L·R)
	L      float64 // sup|ℓ'|; 0 = 1
	R      float64 // radius of the rows; 0 = 1
	C      float64 // ess sup ℓ''
	Eta    float64 // η ≥ ‖∇²N‖; 0 = 1, the value for N = ½‖f‖²

	Failure float64 // δ in (0, 1): a statement holds with probability ≥ 1 − δ (or a multiple, as stated)
	Norm    float64 // ‖f₀‖, norm of the reference predictor
	Excess  float64 // ε_g, the excess risk asked for

	Candidates  int     // m, number of candidates in tuning
	Holdout     int     // rows of the part that selects
	Zeta        float64 // ζ ≥ |φ|, bound on a random feature
	SupNorm     float64 // ‖f*‖_∞
	KernelNorm  float64 // ‖f*‖_H
	Coefficient float64 // C ≥ |a*|, the bound on the coefficients of Lemma 1
}

const (
	scm = "Sarwate, Chaudhuri, Monteleoni 2009 (arXiv 0912.0071)"
	cms = "Chaudhuri, Monteleoni, Sarwate 2011 (JMLR 12)"
)

func (f ERMFacts) defaults() ERMFacts {
	def := func(p *float64, v float64) {
		if *p == 0 {
			*p = v
		}
	}
	def(&f.L, 1)
	def(&f.R, 1)
	def(&f.Eta, 1)
	def(&f.Kappa, f.Eps/(2*f.L*f.R))
	return f
}

// failure is the condition 0 < δ < 1, and log(d/δ) > 0 where that is used.
func (f ERMFacts) failure() []Condition {
	if f.Failure > 0 && f.Failure < 1 {
		return nil
	}
	return []Condition{condition(false, "Failure is given and lies in (0, 1)", "Failure = %g", f.Failure)}
}

func (f ERMFacts) logTerm() float64 { return math.Log(float64(f.Dim) / f.Failure) }

// Calibrated fills in Kappa and Extra as the library's objective perturbation would choose them for N, Lambda, Eps, L, R and C.
func (f ERMFacts) Calibrated() (ERMFacts, error) {
	f = f.defaults()
	p, err := CorrectedParams(f.N, f.Lambda, f.Eps, f.L*f.R, f.C*f.R*f.R, 0)
	if err != nil {
		return f, err
	}
	f.Kappa, f.Extra = p.Kappa, p.Delta
	return f, nil
}

// NoiseNorm bounds ‖b‖ with probability 1 − δ. AsPublished is d ln(d/δ)/κ, a union bound over d exponentials (correct, exact for d = 1); Tight is the
// exact quantile of Gamma(d, 1/κ).
func (f ERMFacts) NoiseNorm(v Flavour) Bound {
	f = f.defaults()
	b := Bound{Quantity: "‖b‖", Relation: "≤", Confidence: 1 - f.Failure, Flavour: v, Source: "Chaudhuri and Monteleoni 2008, Lemma 5",
		Conditions: append(need("Dim", f.Dim, "Kappa", f.Kappa), f.failure()...),
		Formula:    `\frac{d\ln(d/\delta)}{\kappa}`, Numbers: texf(`\frac{%v\ln(%v/%v)}{%v}`, f.Dim, f.Dim, f.Failure, f.Kappa)}
	b.Value = float64(f.Dim) * f.logTerm() / f.Kappa
	if v != AsPublished {
		b.Flavour, b.Source = Tight, "‖b‖ has the Gamma(d, 1/κ) law"
		b.Formula, b.Numbers = `\frac{1}{\kappa}\,q_{d}(\delta)`, texf(`\frac{1}{%v}\,q_{%v}(%v)`, f.Kappa, f.Dim, f.Failure)
		b.Value = gammaUpperQuantile(float64(f.Dim), f.Failure) / f.Kappa
		b.Remark = "q_d(δ) is the upper δ quantile of the Gamma(d, 1) law."
	}
	return b.finish().simulated(f.simNorm(simulation{}))
}

// NoiseMean is the expected norm E‖b‖ = d/κ.
func (f ERMFacts) NoiseMean() Bound {
	f = f.defaults()
	return Bound{Quantity: "E‖b‖", Relation: "=", Confidence: 1, Flavour: Tight, Source: "‖b‖ has the Gamma(d, 1/κ) law",
		Conditions: need("Dim", f.Dim, "Kappa", f.Kappa), Formula: `\frac{d}{\kappa}`, Numbers: texf(`\frac{%v}{%v}`, f.Dim, f.Kappa),
		Value: float64(f.Dim) / f.Kappa}.finish().simulated(f.simNorm(simulation{quantity: "‖b‖", ofMean: true}))
}

// OutputSensitivity bounds the distance of the minimisers of neighbouring data sets, 2LR/(nΛ). It is attained.
func (f ERMFacts) OutputSensitivity() Bound {
	f = f.defaults()
	return Bound{Quantity: "‖f*(D) − f*(D')‖", Relation: "≤", Confidence: 1, Flavour: Tight, Source: cms + ", Corollary 8",
		Conditions:  need("N", f.N, "Lambda", f.Lambda),
		Assumptions: []string{"the loss is convex and L-Lipschitz, rows have norm at most R"},
		Formula:     `\frac{2LR}{n\Lambda}`, Numbers: texf(`\frac{2\cdot %v\cdot %v}{%v\cdot %v}`, f.L, f.R, f.N, f.Lambda),
		Value: OutputSensitivity(f.N, f.Lambda, f.L, f.R)}.finish().simulated(f.simSensitivity())
}

// ObjectivePrivacy is the ε that objective perturbation with noise exponent Kappa really gives: 2κLR + ln(1 + CR²/(n(Λ+Δ))).
// AsPublished is the claim of SCM Theorem 1 (gradients of neighbours differ by at most 1, no Jacobian): κ·1·2, false.
func (f ERMFacts) ObjectivePrivacy(v Flavour) Bound {
	f = f.defaults()
	a := float64(f.N) * (f.Lambda + f.Extra)
	b := Bound{Quantity: "ε", Relation: "=", Confidence: 1, Flavour: Corrected, Source: cms + ", Theorem 9, with one Jacobian factor (rank-one determinant identity)",
		Conditions:  append(need("N", f.N, "Kappa", f.Kappa, "C", f.C), condition(f.Lambda+f.Extra > 0, `$\Lambda+\Delta>0$`, "%g", f.Lambda+f.Extra)),
		Assumptions: []string{"N is 1-strongly convex and does not depend on the data", "the minimiser is exact or certified"},
		Formula:     `2\kappa LR+\ln\left(1+\frac{CR^2}{n(\Lambda+\Delta)}\right)`,
		Numbers:     texf(`2\cdot %v\cdot %v\cdot %v+\ln\left(1+\frac{%v\cdot %v^2}{%v}\right)`, f.Kappa, f.L, f.R, f.C, f.R, a),
		Value:       ObjectiveEps(f.Kappa, a, f.L*f.R, f.C*f.R*f.R),
		Remark:      "Attained by the Huber loss with n ≥ 2 and 0 < h < 1."}
	if v == AsPublished {
		b.Flavour, b.Source, b.NotAProof = AsPublished, scm+", Theorem 1", true
		b.Formula, b.Numbers, b.Value = `2\kappa`, texf(`2\cdot %v`, f.Kappa), 2*f.Kappa
		b.Remark = "False: the proof leaves out the Jacobian of f ↦ b, ln(1 + CR²/(nΛ)), and its hypothesis ‖∇G(D) − ∇G(D')‖ ≤ 1 fails for replaced rows (the bound is 2LR). See ExactLoss for outputs that exceed the claim."
		b.Conditions = need("Kappa", f.Kappa)
	}
	return b.finish().simulated(f.simPrivacy())
}

// BallVolume is the volume of the unit ball in d dimensions, π^{d/2}/Γ(d/2+1). AsPublished is SCM's "for large d (√(2πe/d))^d"; Corrected
// restores the factor 1/√(πd) that it lacks.
func (f ERMFacts) BallVolume(v Flavour) Bound {
	d := float64(f.Dim)
	b := Bound{Quantity: "Vol(unit ball)", Relation: "=", Confidence: 1, Flavour: v, Source: scm + ", section 4.2", Conditions: need("Dim", f.Dim)}
	approx := math.Pow(2*math.Pi*math.E/d, d/2)
	switch v {
	case AsPublished:
		b.Formula, b.Numbers, b.Value = `\left(\sqrt{2\pi e/d}\right)^d`, texf(`\left(\sqrt{2\pi e/%v}\right)^{%v}`, f.Dim, f.Dim), approx
		b.Remark = "Asymptotically too large by √(πd)."
		b.NotAProof = true
	case Corrected:
		b.Formula, b.Numbers = `\frac{1}{\sqrt{\pi d}}\left(\sqrt{2\pi e/d}\right)^d`, texf(`\frac{1}{\sqrt{\pi\cdot %v}}\left(\sqrt{2\pi e/%v}\right)^{%v}`, f.Dim, f.Dim, f.Dim)
		b.Value = approx / math.Sqrt(math.Pi*d)
		b.Remark = "Stirling's formula; within 1/(6d) of the exact value."
	default:
		b.Flavour = Tight
		b.Formula, b.Numbers, b.Value = `\frac{\pi^{d/2}}{\Gamma(d/2+1)}`, texf(`\frac{\pi^{%v/2}}{\Gamma(%v/2+1)}`, f.Dim, f.Dim), math.Exp(logBallVolume(d))
	}
	return b.finish().simulated(f.simVolume())
}

func logBallVolume(d float64) float64 {
	g, _ := math.Lgamma(d/2 + 1)
	return d/2*math.Log(math.Pi) - g
}

// ExcessGivenNorm is the deterministic step behind all excess bounds: for the noise that was drawn,
// J(f_priv) − min J ≤ ‖b‖²/(2n²(Λ+Δ)) + (Δ/2)‖f₀‖², f₀ the minimiser of J. norm is ‖b‖.
func (f ERMFacts) ExcessGivenNorm(norm float64) Bound {
	f = f.defaults()
	b := f.excess(Tight)
	b.Confidence, b.Source = 1, "optimality of f_priv and strong convexity"
	b.Conditions = append(b.Conditions, condition(norm >= 0, "‖b‖ ≥ 0", "%g", norm))
	b.Value = f.excessFor(norm * norm)
	b.Formula = `\frac{\|b\|^2}{2n^2(\Lambda+\Delta)}+\frac{\Delta}{2}\|f_0\|^2`
	b.Numbers = texf(`\frac{%v^2}{2\cdot %v^2\cdot %v}+\frac{%v}{2}\cdot %v^2`, norm, f.N, f.Lambda+f.Extra, f.Extra, f.Norm)
	if norm == 0 {
		norm = -1
	}
	return b.finish().simulated(f.simObjective(norm, simulation{}))
}

func (f ERMFacts) excess(v Flavour) Bound {
	b := Bound{Quantity: "J(f_priv) − min J", Relation: "≤", Confidence: 1 - f.Failure, Flavour: v,
		Conditions: need("N", f.N, "Dim", f.Dim, "Kappa", f.Kappa)}
	b.Conditions = append(b.Conditions, condition(f.Lambda+f.Extra > 0, `$\Lambda+\Delta>0$`, "%g", f.Lambda+f.Extra))
	if f.Extra > 0 {
		b.Conditions = append(b.Conditions, need("Norm", f.Norm)...)
	}
	return b
}

// excessFor turns ‖b‖² into the excess.
func (f ERMFacts) excessFor(norm2 float64) float64 {
	n := float64(f.N)
	return norm2/(2*n*n*(f.Lambda+f.Extra)) + f.Extra/2*f.Norm*f.Norm
}

// String names the facts that are set.
func (f ERMFacts) String() string {
	return fmt.Sprintf("n = %d, d = %d, Λ = %g, Δ = %g, ε = %g, κ = %g, δ = %g", f.N, f.Dim, f.Lambda, f.Extra, f.Eps, f.defaults().Kappa, f.Failure)
}
