package dp

import (
	"fmt"
	"math"
)

// The calibrations of objective perturbation besides Corrected and AsPublished.
//
//   - Corrected (the default) is the library's calibration: ε = 2κG + ln(1 + B/(n(Λ+Δ))) exactly, with G = LR and B = CR² the
//     slope and curvature bounds of a row's loss; for the logistic loss the sharper ε = κ + max_s[κs + ln(1+s(1−s)/a)].
//   - JMLR2011 is Algorithm 2 of Chaudhuri, Monteleoni and Sarwate (2011) as published. It is private, spends
//     ln(1 + B/(n(Λ+Δ))) less than it claims, and has a utility cliff just above its branch threshold.
//   - CM2008 is Algorithm 2 of Chaudhuri and Monteleoni (2008) for logistic regression as published. Its proof omits the
//     Jacobian; it keeps its promise when nΛε ≥ 2 (R = 1) and not in general.
//   - AsPublishedIa, Ib and Ic are Algorithm 1 of the early arXiv paper (Sarwate, Chaudhuri, Monteleoni 2009) in the three
//     mutually inconsistent conventions it uses for the noise: κ = nε/2 (its algorithm read literally), κ = ε (its proof)
//     and κ = ε/2 (its appendix). For study only: none is ε-differentially private. AsPublished means the most charitable, Ic.
const (
	JMLR2011      Flavour = "JMLR 2011"
	CM2008        Flavour = "CM 2008"
	AsPublishedIa Flavour = "as published, reading Ia"
	AsPublishedIb Flavour = "as published, reading Ib"
	AsPublishedIc Flavour = "as published, reading Ic"
)

// ObjectiveParams are the two numbers that decide an objective perturbation, and what they give.
type ObjectiveParams struct {
	Variant  Flavour
	Delta    float64 // Δ, the extra regularisation (Δ/2)‖f‖²; NaN under add/remove, where it would tell n
	Kappa    float64 // κ, exponent of the noise density ∝ e^{−κ‖b‖}, b entering the objective as bᵀf/n
	A        float64 // a = n(Λ+Δ), regularisation in sum form
	EpsPrime float64 // ε', the part of the budget the noise answers for (2κG in the papers' terms; κG under add/remove)
	Branch   string  // "A": the regularisation asked for suffices, "B": it was raised
	Eps      float64 // the true privacy level of these numbers
}

// rowBounds are the slope bound G ≥ ‖∇‖ and the curvature bound B ≥ λmax(∇²) of one row's term w·ℓ(y fᵀx), for |w| ≤ maxW
// and ‖x‖ ≤ R. The slope scales with R, the curvature with R²: the only place where R, L, C and the weights meet.
func rowBounds(l Loss, radius, maxW float64) (slope, curv float64) {
	return maxW * l.L * radius, maxW * l.C * radius * radius
}

// CorrectedParams is the default calibration,
//
//	a_min = B/(e^{ρε} − 1),  Δ = max(0, a_min/n − Λ),  κ = (ε − ln(1 + B/(n(Λ+Δ))))/(2G) ≥ (1−ρ)ε/(2G) ,
//
// continuous in Λ. It uses public quantities only: n ≥ 1, Λ ≥ 0 (0: the regularisation is Δ alone), ε > 0, slope bound
// G > 0, curvature bound B > 0 and the share 0 < ρ < 1 of the budget that the Jacobian may take (0 means 1/2).
func CorrectedParams(n int, lambda, eps, slope, curv, rho float64) (ObjectiveParams, error) {
	const where = "CorrectedParams"
	if rho == 0 {
		rho = 0.5
	}
	if !(rho > 0 && rho < 1) {
		return ObjectiveParams{}, badArg(where, "Rho", rho, "the share of ε for the Jacobian must lie strictly between 0 and 1")
	}
	if err := checkObjective(where, n, lambda, eps, slope, curv); err != nil {
		return ObjectiveParams{}, err
	}
	p := ObjectiveParams{Variant: Corrected, Branch: "A"}
	if amin := curv / math.Expm1(rho*eps); amin > float64(n)*lambda {
		p.Branch, p.Delta = "B", amin/float64(n)-lambda
	}
	p.A = float64(n) * (lambda + p.Delta)
	p.EpsPrime = eps - math.Log1p(curv/p.A)
	p.Kappa = p.EpsPrime / (2 * slope)
	p.Eps = ObjectiveEps(p.Kappa, p.A, slope, curv)
	return p, nil
}

// JMLRParams is the calibration of Algorithm 2 of Chaudhuri, Monteleoni and Sarwate (2011), with G = B/c = 1 in the paper:
// ε' = ε − 2 ln(1 + B/(nΛ)); if ε' > 0 then Δ = 0, else Δ = B/(n(e^{ε/4} − 1)) − Λ and ε' = ε/2; κ = ε'/(2G).
// Its true level is ε' + ln(1 + B/(n(Λ+Δ))) < ε. Needs Λ > 0.
func JMLRParams(n int, lambda, eps, slope, curv float64) (ObjectiveParams, error) {
	const where = "JMLRParams"
	if err := checkObjective(where, n, lambda, eps, slope, curv); err != nil {
		return ObjectiveParams{}, err
	}
	if lambda == 0 {
		return ObjectiveParams{}, badArg(where, "Lambda", lambda, "the published algorithm needs a regularisation above 0")
	}
	nf := float64(n)
	p := ObjectiveParams{Variant: JMLR2011, Branch: "A", EpsPrime: eps - 2*math.Log1p(curv/(nf*lambda))}
	if p.EpsPrime <= 0 {
		p.Branch, p.Delta, p.EpsPrime = "B", curv/(nf*math.Expm1(eps/4))-lambda, eps/2
	}
	p.A = nf * (lambda + p.Delta)
	p.Kappa = p.EpsPrime / (2 * slope)
	p.Eps = ObjectiveEps(p.Kappa, p.A, slope, curv)
	return p, nil
}

// PublishedParams is the calibration of one of the AsPublished variants or of CM2008, with the level it truly gives:
// 2κG + ln(1 + B/(nΛ)) for the former (exact for the Huber loss with n ≥ 2, 0 < h < 1), LogisticEps for the latter.
func PublishedParams(v Flavour, n int, lambda, eps, slope, curv float64) (ObjectiveParams, error) {
	const where = "PublishedParams"
	if err := checkObjective(where, n, lambda, eps, slope, curv); err != nil {
		return ObjectiveParams{}, err
	}
	if lambda == 0 {
		return ObjectiveParams{}, badArg(where, "Lambda", lambda, "the published algorithm needs a regularisation above 0")
	}
	p := ObjectiveParams{Variant: v, Branch: "A", A: float64(n) * lambda}
	if v == AsPublished {
		v, p.Variant = AsPublishedIc, AsPublishedIc
	}
	switch v {
	case AsPublishedIa:
		p.Kappa = float64(n) * eps / 2
	case AsPublishedIb:
		p.Kappa = eps
	case AsPublishedIc, CM2008:
		p.Kappa = eps / 2
	default:
		return ObjectiveParams{}, badArg(where, "v", v, "must be one of the AsPublished variants or CM2008")
	}
	p.EpsPrime = 2 * p.Kappa * slope
	if v == CM2008 {
		p.Eps = logisticEps(p.Kappa, p.A, slope, curv)
	} else {
		p.Eps = ObjectiveEps(p.Kappa, p.A, slope, curv)
	}
	return p, nil
}

// ObjectiveEps is the privacy level of objective perturbation with noise exponent κ and sum-form regularisation a under the
// replace-one relation: 2κG + ln(1 + B/a). Under add/remove with a fixed a it is κG + ln(1 + B/a).
func ObjectiveEps(kappa, a, slope, curv float64) float64 {
	return 2*kappa*slope + math.Log1p(curv/a)
}

func checkObjective(where string, n int, lambda, eps, slope, curv float64) error {
	switch {
	case n < 1:
		return badArg(where, "n", n, "at least one row is required")
	case !(lambda >= 0) || math.IsInf(lambda, 1):
		return badArg(where, "Lambda", lambda, "the regularisation must be a finite number, 0 or more")
	case !positive(slope):
		return badArg(where, "slope", slope, "the bound on a row's gradient must be finite and above 0")
	case math.IsInf(curv, 1):
		return badArg(where, "curv", curv, "objective perturbation needs a loss with Lipschitz slope (C finite); the hinge loss can be used with output perturbation only")
	case !(curv > 0):
		return badArg(where, "curv", curv, "the bound on a row's curvature must be above 0")
	}
	return checkEps(where, eps)
}

// String shows the calibration.
func (p ObjectiveParams) String() string {
	if math.IsNaN(p.Delta) {
		return fmt.Sprintf("%s, add/remove: κ = %.6g, a = %.6g, ε' = %.6g, true ε = %s", p.Variant, p.Kappa, p.A, p.EpsPrime, num(p.Eps))
	}
	return fmt.Sprintf("%s: κ = %.6g, Δ = %.6g, a = n(Λ+Δ) = %.6g, ε' = %.6g (branch %s), true ε = %s", p.Variant, p.Kappa, p.Delta, p.A, p.EpsPrime, p.Branch, num(p.Eps))
}
