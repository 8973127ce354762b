// Package dp trains machine-learning models with differential privacy and says, for every released number, what is
// really guaranteed.
//
// An algorithm is a struct literal whose fields are the paper's parameters, with a method that runs it:
//
//	train, test := d.Split(0.9, dp.Seed(1))
//	m, err := dp.ObjectivePerturbation{Eps: 0.5, Loss: dp.Huber(0.5)}.Train(train)
//	fmt.Println(m.Guarantee)
//	fmt.Println(dp.ErrorRate(m, test))
//
// # Conventions
//
// A data set has n rows (x_i, y_i) with ‖x_i‖₂ ≤ R, enforced by clipping, and labels y_i in {-1, +1}. A loss is a convex,
// non-increasing function ℓ of the margin z = y·fᵀx with L = sup|ℓ'| and C = ess sup ℓ″. Regularisation is in mean form,
//
//	J(f) = (1/n) Σ ℓ(y_i fᵀx_i) + (Λ/2)‖f‖² ,
//
// and noise enters the objective as (1/n) bᵀf. Unless a name says otherwise, neighbouring data sets differ in one
// replaced row, so n is public. A zero field of an option struct means its documented default.
//
// # Caveats that apply to the whole package
//
// The guarantees are theorems about real arithmetic. Continuous noise in floating point has a lattice of its own
// (Mironov 2012); the grid mechanisms (GridPerturbation and the discrete laws of the toolbox) are exact. The time a
// training run takes depends on the data and is not covered by any guarantee.
package dp
