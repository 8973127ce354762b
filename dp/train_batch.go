package dp

import (
	"context"
	"errors"
	"fmt"

	"example.org/godp/dp/internal/solve"
)

// TrainBatch trains many objective perturbations on one data set: many draws of the noise, many ε, many Λ. All are checked and
// charged before any noise is drawn; then those that share loss and regularisation n(Λ+Δ) are solved together, from one
// common starting point with one factorised Hessian, a core for each. The models are distributed as if trained one by one (up
// to the certified residual, which each guarantee accounts for), and released together they compose like any releases.
//
// A trainer with a Regulariser is solved on its own.
func TrainBatch(d *Data, trainers ...ObjectivePerturbation) ([]*Model, error) {
	return TrainBatchContext(ambientContext(), d, trainers...)
}

// TrainBatchContext is TrainBatch under a context.
func TrainBatchContext(ctx context.Context, d *Data, trainers ...ObjectivePerturbation) ([]*Model, error) {
	const where = "TrainBatch"
	gs, ps := make([]Guarantee, len(trainers)), make([]ObjectiveParams, len(trainers))
	for i, t := range trainers {
		var err error
		if gs[i], ps[i], err = t.claim(d); err != nil {
			return nil, fmt.Errorf("trainer %d: %w", i, err)
		}
	}
	if err := cancelled(ctx, where); err != nil {
		return nil, err
	}
	for i, t := range trainers {
		if err := t.Ledger.ChargeOn(d, "ObjectivePerturbation", gs[i]); err != nil {
			return nil, fmt.Errorf("trainer %d: %w", i, err)
		}
	}
	type key struct {
		name    string
		l, c, a float64
		tol     float64
		probe   [3]float64 // values of the loss: two losses of one name are not mixed up
	}
	groups := map[key][]int{}
	var order []key
	noise := make([][2][]float64, len(trainers))
	secure := Secure()
	for i, t := range trainers {
		src := t.Rand
		if src == nil {
			src = secure
		}
		noise[i][0] = GammaNorm{Dim: d.Dim(), Kappa: ps[i].Kappa}.Sample(src)
		noise[i][1] = t.residualNoise(d, ps[i], gs[i]).Sample(src)
		l := defaultLoss(t.Loss)
		k := key{l.Name, l.L, l.C, ps[i].A, gs[i].Certificate, [3]float64{l.Value(0.9), l.Value(-1.3), l.Grad(0.4)}}
		if !t.Reg.none() {
			k.name = fmt.Sprint(k.name, " alone ", i)
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	out := make([]*Model, len(trainers))
	for _, k := range order {
		idx := groups[k]
		t := trainers[idx[0]]
		l := defaultLoss(t.Loss)
		var res []*solve.Result
		if t.Reg.none() {
			lins := make([][]float64, len(idx))
			for j, i := range idx {
				lins[j] = noise[i][0]
			}
			rs, err := solve.Many(ctx, problem(d, l, k.a, nil), lins, k.tol)
			if err != nil {
				if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
					return nil, &Interrupted{Where: where, Err: err}
				}
				return nil, fmt.Errorf("dp: %s: %w", where, err)
			}
			res = rs
		} else {
			r, err := minimise(ctx, where, problem(d, l, k.a, noise[idx[0]][0]), t.sumReg(), k.tol)
			if err != nil {
				return nil, err
			}
			res = []*solve.Result{r}
		}
		for j, i := range idx {
			z := trainers[i].residualNoise(d, ps[i], gs[i])
			out[i] = newModel(d, perturb(res[j], noise[i][1], t.Reg, z.reach()), l, gs[i], trainers[i].public(ps[i], d))
		}
	}
	return out, nil
}
