package dp

import "math"

// privateRows is the number of rows for which a solver's tolerance is fixed when the number of rows is itself private: 2²⁴.
const privateRows = 1 << 24

// A sumForm is what a trainer on regularised risks knows about neighbours and regularisation.
//
// Under add/remove the number of rows n differs between neighbours, so nothing that is released or drawn may depend on it: not
// the regularisation nΛ, not the solver's tolerance, not the model's public parameters. Everything is then stated for the
// sum form Σℓ + (a/2)‖f‖² + r(f) with a public constant a. (In the mean form with a fixed Λ the noise scale 1/(nΛ) alone
// would tell n.)
type sumForm struct {
	neighbours Neighbours
	a          float64 // regularisation of the sum form: nΛ or SumReg
	rows       int     // for which the solver's tolerance is fixed: n or privateRows
}

// private tells whether n is private.
func (s sumForm) private() bool { return s.neighbours == AddRemove }

// resolveForm reads the fields Neighbours, Lambda and SumReg of a trainer for n rows. A regularisation of zero is left to
// the caller.
func resolveForm(where string, nb Neighbours, n int, lambda, sum float64) (sumForm, error) {
	s := sumForm{neighbours: nb, rows: n}
	if nb == "" {
		s.neighbours = ReplaceOne
	}
	if err := checkRelation(where, nb); err != nil {
		return s, err
	}
	switch {
	case !(sum >= 0) || math.IsInf(sum, 1):
		return s, badArg(where, "SumReg", sum, "the regularisation in sum form must be a finite number, 0 or more")
	case sum > 0 && lambda != 0:
		return s, badArg(where, "SumReg", sum, "set either Lambda (mean form) or SumReg (sum form, n times as large)")
	case s.private() && lambda != 0:
		return s, badArg(where, "Lambda", lambda, "under dp.AddRemove the number of rows is private and nΛ would tell it; set SumReg, a constant chosen without looking at n")
	}
	s.a = sum
	if lambda != 0 {
		s.a = float64(n) * lambda
	}
	if s.private() {
		s.rows = privateRows
	}
	return s, nil
}

// reg is the trainer's regulariser in the form s: under add/remove r(f) is not multiplied by n.
func (s sumForm) reg(r Regulariser) Regulariser {
	r.sum = s.private()
	return r
}

// assume adds what add/remove needs to the assumptions.
func (s sumForm) assume(as []Assumption) []Assumption {
	if !s.private() {
		return as
	}
	return append(as,
		Assumption{"nothing released, drawn or promised depends on the number of rows", Enforced, "sum form with a constant regularisation; n is not among the model's parameters"},
		Assumption{"at least one row and at most 2²⁴ in either data set", Assumed, "the solver's tolerance is a constant fixed for that many"})
}

// addPublic adds the number of rows to a model's public parameters, if it is public.
func (s sumForm) addPublic(params map[string]float64, n int) map[string]float64 {
	if s.private() {
		delete(params, "Lambda")
		params["SumReg"] = s.a
	} else {
		params["n"] = float64(n)
	}
	return params
}

// AddRemoveParams is the calibration under add/remove neighbours. One row enters or leaves, so the gradient changes by G instead
// of 2G, and one Jacobian factor appears in one order and its inverse in the other:
//
//	a = max(a₀, B/(e^{ρε} − 1)),  κ = (ε − ln(1 + B/a))/G ,  ε = κG + ln(1 + B/a) .
//
// a₀ ≥ 0 is a regularisation in sum form that does not depend on n, ε > 0, slope bound G > 0, curvature bound B > 0, and
// 0 < ρ < 1 the share of the budget that the Jacobian may take (0 means 1/2). In the result Delta is NaN: the extra
// regularisation in mean form would tell n.
//
// Proof. As for replace-one (Theorem 9 of Chaudhuri, Monteleoni and Sarwate 2011 with the rank-one determinant identity), with
// D' = D without its row x: b_D(f) − b_D'(f) = −ℓ'(z)yx has norm at most G, and det(H + ℓ″xxᵀ)/det H = 1 + ℓ″xᵀH⁻¹x lies
// in [1, 1 + B/a]. So ln p_D/p_D' is at most κG + ln(1 + B/a), and ln p_D'/p_D at most κG.
func AddRemoveParams(a0, eps, slope, curv, rho float64) (ObjectiveParams, error) {
	const where = "AddRemoveParams"
	if rho == 0 {
		rho = 0.5
	}
	if !(rho > 0 && rho < 1) {
		return ObjectiveParams{}, badArg(where, "Rho", rho, "the share of ε for the Jacobian must lie strictly between 0 and 1")
	}
	if !(a0 >= 0) || math.IsInf(a0, 1) {
		return ObjectiveParams{}, badArg(where, "SumReg", a0, "the regularisation in sum form must be a finite number, 0 or more")
	}
	if err := checkObjective(where, 1, 0, eps, slope, curv); err != nil {
		return ObjectiveParams{}, err
	}
	p := ObjectiveParams{Variant: Corrected, Branch: "A", Delta: math.NaN(), A: a0}
	if amin := curv / math.Expm1(rho*eps); amin > a0 {
		p.Branch, p.A = "B", amin
	}
	p.EpsPrime = eps - math.Log1p(curv/p.A)
	p.Kappa = p.EpsPrime / slope
	p.Eps = p.Kappa*slope + math.Log1p(curv/p.A)
	return p, nil
}
