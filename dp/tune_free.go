package dp

// TuningFree returns a trainer with nothing to tune: objective perturbation with the Huber loss of width 1/2 whose regularisation is
// the smallest that lets the Jacobian term take the share ρ = 1/20 of ε,
//
//	Δ = C R²/(n(e^{ρε} − 1)),  κ = (1−ρ) ε/(2LR)   (up to the solver's share of ε),
//
// computed from public facts (n, R, ε). It spends nothing on a search and uses all rows, and is hard to beat by private tuning:
// a search costs rows (PrivateTuning) or budget (BestOf).
func TuningFree(eps float64) ObjectivePerturbation {
	return ObjectivePerturbation{Eps: eps, Loss: Huber(0.5)}
}
