package dp

import (
	"context"
	"errors"
	"fmt"

	"example.org/godp/dp/internal/solve"
)

// KernelMachine trains a linear classifier on random features of the rows: an approximate kernel machine (Algorithm 3 of
// Chaudhuri, Monteleoni and Sarwate 2011). The map is drawn first, without looking at the data; the Trainer then sees feature rows with their true
// norm bound, so the guarantee is the Trainer's own. Map and classifier are released together, in one Model that takes raw rows.
//
// With Form WidePhase and an as-published Variant of ObjectivePerturbation this is the papers' kernel method as printed, and the
// guarantee is the level it really has (row norm √2). See also [PublishedKernelEps].
type KernelMachine struct {
	Features RandomFeatures    // drawn afresh at each training, unless Map is set
	Map      *RandomFeatureMap // a map drawn before; nil: draw one from Features
	Trainer  Trainer           // trains on the features; zero-value parameters as documented there
}

// Claim is the Trainer's claim for n rows of D features of norm at most RowNorm.
func (k KernelMachine) Claim(d *Data) (Guarantee, error) {
	m, err := k.draw(d, Seed(0)) // only its shape matters
	if err != nil {
		return Guarantee{}, err
	}
	shape := *d
	shape.x = solve.Matrix{N: d.Len(), D: m.Out()}
	shape.radius, shape.fmap, shape.columns = m.RowNorm(), m, nil
	g, err := k.Trainer.Claim(&shape)
	if err != nil {
		return g, err
	}
	return k.describe(g, m), nil
}

func (k KernelMachine) describe(g Guarantee, m *RandomFeatureMap) Guarantee {
	g.Mechanism = fmt.Sprintf("%s, on %s", g.Mechanism, m)
	return g
}

// draw returns the map for rows of d.
func (k KernelMachine) draw(d *Data, src *Source) (*RandomFeatureMap, error) {
	if k.Trainer == nil {
		return nil, badArg("KernelMachine", "Trainer", "nil", "a trainer such as dp.ObjectivePerturbation{Eps: 1} is required")
	}
	if d == nil || d.Len() == 0 {
		return nil, badArg("KernelMachine", "d", "no data", "at least one row is required")
	}
	if k.Map != nil {
		if k.Map.Dim != d.Dim() {
			return nil, badArg("KernelMachine", "Map", fmt.Sprintf("map of %d columns", k.Map.Dim), fmt.Sprintf("the data have %d columns", d.Dim()))
		}
		return k.Map, k.Map.check()
	}
	f := k.Features
	if src != nil {
		f.Rand = src
	}
	return f.Map(d.Dim())
}

// Train draws the map and trains under the ambient context.
func (k KernelMachine) Train(d *Data) (*Model, error) { return k.TrainContext(ambientContext(), d) }

// TrainContext draws the map and trains. The model carries the map and takes raw rows.
func (k KernelMachine) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	if _, err := k.Claim(d); err != nil { // refuse before anything is drawn or mapped
		return nil, err
	}
	if err := cancelled(ctx, "KernelMachine"); err != nil {
		return nil, err
	}
	restore := k.Features.Rand.mark()
	m, err := k.draw(d, nil)
	if err != nil {
		return nil, err
	}
	mapped, err := m.Transform(d)
	if err != nil {
		return nil, err
	}
	model, err := k.Trainer.TrainContext(ctx, mapped)
	if err != nil {
		if over := new(OverBudget); errors.As(err, &over) {
			restore() // a refused release draws nothing, the map included
		}
		return nil, err
	}
	model.Guarantee = k.describe(model.Guarantee, m)
	return model, nil
}

// Release trains with the given randomness and returns the weights, without the map.
func (k KernelMachine) Release(d *Data, src *Source) ([]float64, error) {
	m, err := withSource(k, orSecure(src), true).TrainContext(ambientContext(), d)
	if err != nil {
		return nil, err
	}
	return m.Weights, nil
}

// PublishedKernelEps is the level that the published kernel method really has when a linear algorithm calibrated for rows of
// norm 1 runs on √(2/D) phase features, whose norm reaches √2: the slope of a row's loss is √2·L and its curvature 2C, so
//
//	AsPublished (Ic), Ia, Ib:  √2·(2κL) + ln(1 + 2C/(nΛ))
//	JMLR2011:                  √2·ε' + ln(1 + 2C/(n(Λ+Δ))), ε' and Δ as its Algorithm 2 computes them for norm 1
//
// which exceeds ε by up to 41 % where nΛ is large. n ≥ 1, Λ > 0, ε > 0, a smooth loss.
func PublishedKernelEps(v Flavour, n int, lambda, eps float64, l Loss) (float64, error) {
	if err := l.Check(); err != nil {
		return 0, err
	}
	if !l.Smooth() {
		return 0, badArg("PublishedKernelEps", "l", l.Name, "objective perturbation needs a loss with Lipschitz slope (C finite)")
	}
	var p ObjectiveParams
	var err error
	switch v {
	case JMLR2011:
		p, err = JMLRParams(n, lambda, eps, l.L, l.C)
	case "", AsPublished, AsPublishedIa, AsPublishedIb, AsPublishedIc:
		if v == "" {
			v = AsPublished
		}
		p, err = PublishedParams(v, n, lambda, eps, l.L, l.C)
	default:
		return 0, badArg("PublishedKernelEps", "v", v, "must be JMLR2011 or one of the AsPublished readings")
	}
	if err != nil {
		return 0, err
	}
	slope, curv := l.L, l.C
	return ObjectiveEps(p.Kappa, p.A, slope*rootTwo, curv*2), nil
}

const rootTwo = 1.4142135623730951 // of the norm bound of √(2/D) phase features
