package dp

// TuningFree returns a trainer with nothing to tune: objective perturbation with the Huber loss of width 1/2 whose regularisation is
// the smallest that lets the Jacobian term take half of ε,
//
//	Δ = C R²/(n(e^{ε/2} − 1)),  κ = ε/(4LR),
//
// computed from public facts (n, R, ε). It spends nothing on a search and uses all rows, and is hard to beat by private tuning: a
// parameter search costs rows (PrivateTuning) or budget (BestOf).
func TuningFree(eps float64) ObjectivePerturbation {
	return ObjectivePerturbation{Eps: eps, Loss: Huber(0.5)}
}
