package dp

import (
	"context"
	"fmt"
)

// NonPrivate trains without any privacy: f* = argmin (1/n) Σ ℓ(y fᵀx) + (Λ/2)‖f‖² + r(f). It is the yardstick of the private
// trainers.
type NonPrivate struct {
	Lambda float64     // Λ > 0
	Loss   Loss        // zero: Huber(0.5)
	Reg    Regulariser // r, zero: none
}

// Train fits d under the ambient context.
func (t NonPrivate) Train(d *Data) (*Model, error) { return t.TrainContext(ambientContext(), d) }

// TrainContext fits d to a certified gradient norm. It fails on bad arguments and when ctx is done.
func (t NonPrivate) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	g, err := t.Claim(d)
	if err != nil {
		return nil, err
	}
	l := defaultLoss(t.Loss)
	slope, curv := rowBounds(l, d.radius, d.MaxWeight())
	a := float64(d.Len()) * t.Lambda
	var w []float64
	if l.Smooth() {
		res, err := minimise(ctx, "NonPrivate", problem(d, l, a, nil), t.Reg, tolerance(d.Len(), slope, curv))
		if err != nil {
			return nil, err
		}
		w = res.Hi
		g.Certificate = res.Norm
	} else {
		w, _, err = minimiseHinge(ctx, "NonPrivate", d, l, a, t.Reg)
		if err != nil {
			return nil, err
		}
	}
	return newModel(d, w, l, g, map[string]float64{"Lambda": t.Lambda, "n": float64(d.Len())}), nil
}

// Claim says that nothing is guaranteed.
func (t NonPrivate) Claim(d *Data) (Guarantee, error) {
	l := defaultLoss(t.Loss)
	if err := checkTraining("NonPrivate", d, l); err != nil {
		return Guarantee{}, err
	}
	if !positive(t.Lambda) {
		return Guarantee{}, badArg("NonPrivate", "Lambda", t.Lambda, "the regularisation must be a finite number above 0")
	}
	if err := t.Reg.check("NonPrivate", d.Dim()); err != nil {
		return Guarantee{}, err
	}
	return noGuarantee(fmt.Sprintf("non-private minimiser, Λ = %g, %s loss%s", t.Lambda, l.Name, t.Reg.suffix())), nil
}

// Release returns the weights; src is not used.
func (t NonPrivate) Release(d *Data, src *Source) ([]float64, error) {
	m, err := t.Train(d)
	if err != nil {
		return nil, err
	}
	return m.Weights, nil
}
