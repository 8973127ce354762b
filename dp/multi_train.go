package dp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"example.org/godp/dp/internal/ww"
)

// LargeMargin trains the large-margin Gaussian classifier of Sha and Saul (2006, 2007), without privacy. It minimises
//
//	F(Φ) = (1/n) Σ_i Σ_{c≠y_i} ℓ_h(z_iᵀ(Φ_c − Φ_{y_i})z_i) + (Λ/2) Σ_c ‖Φ_c‖_F² + λ Σ_c tr(Φ_c[:d,:d])
//
// where ℓ_h is the Huber hinge at margin 1. Without PSD the trace term is left out: it would act only on the common part of
// all Φ_c, to which loss and decisions are blind, and positive semidefiniteness is reached by a common shift, which changes
// no decision. With PSD the constraint Φ_c ⪰ 0 is kept during training (full mode only).
type LargeMargin struct {
	Lambda float64      // Λ > 0; 0 means 1e-3
	H      float64      // Huber width in (0, 1]; 0 means 1/2
	Tau    float64      // τ > 0, the appended coordinate; 0 means Radius/2
	Mode   GaussianMode // "" means FullGaussian
	PSD    bool         // constrain Φ_c ⪰ 0
	Trace  float64      // λ ≥ 0, with PSD only
	Tol    float64      // certified gradient norm; 0 means 1e-8

	// Mixtures: class c has Components[c] components and record i belongs to component Sub[i] of its class. Both must come
	// from public knowledge.
	Components []int
	Sub        []int // component of every row within its class
}

// multiPlan is what the Gaussian trainers share: the checked problem.
type multiPlan struct {
	prob    *ww.Problem
	mode    ww.Mode
	comp    []int
	r2      float64
	classes int
	mixture bool
}

func (l LargeMargin) plan(where string, d *Data) (multiPlan, error) {
	var p multiPlan
	if d == nil {
		return p, badArg(where, "d", "nil", "data are required")
	}
	mode, err := l.Mode.mode(where)
	if err != nil {
		return p, err
	}
	switch {
	case d.fmap != nil:
		return p, badArg(where, "d", "data mapped by "+d.fmap.Kind(), "the Gaussian classifier makes its own quadratic features: give it the raw rows")
	case d.weight != nil:
		return p, badArg(where, "d", "data with sample weights", "the Gaussian classifier takes none")
	case l.Lambda != 0 && !positive(l.Lambda):
		return p, badArg(where, "Lambda", l.Lambda, "the regularisation must be a finite number above 0 (0 means 1e-3): without it there may be no minimiser")
	case l.H != 0 && !(l.H > 0 && l.H <= 1):
		return p, badArg(where, "H", l.H, "the Huber width must lie in (0, 1] (0 means 1/2)")
	case l.Tau != 0 && !positive(l.Tau):
		return p, badArg(where, "Tau", l.Tau, "the appended coordinate must be a finite number above 0 (0 means Radius/2): at 0 the scores could not have a constant")
	case l.Tol != 0 && !positive(l.Tol):
		return p, badArg(where, "Tol", l.Tol, "the gradient norm must be a finite number above 0 (0 means 1e-8)")
	case !(l.Trace >= 0) || math.IsInf(l.Trace, 1):
		return p, badArg(where, "Trace", l.Trace, "must be finite and not negative")
	case l.Trace > 0 && !l.PSD:
		return p, badArg(where, "Trace", l.Trace, "needs PSD: without the constraint the trace term has no effect on decisions")
	case l.PSD && mode != ww.Full:
		return p, badArg(where, "PSD", l.PSD, "the constraint during training needs the full mode; the other modes are made positive semidefinite by a common shift")
	}
	if l.Lambda == 0 {
		l.Lambda = 1e-3
	}
	if l.H == 0 {
		l.H = 0.5
	}
	if l.Tau == 0 {
		l.Tau = d.Radius() / 2
	}
	names := d.ClassNames()
	p.mode, p.classes = mode, len(names)
	p.r2 = d.Radius()*d.Radius() + l.Tau*l.Tau
	dense := d.Dense()
	p.prob = &ww.Problem{N: d.Len(), D: d.Dim(), X: dense.x.Val, Classes: len(names), Mode: mode, Tau: l.Tau, H: l.H, Margin: 1, Lambda: l.Lambda, Y: make([]int32, d.Len())}
	for i := range p.prob.Y {
		p.prob.Y[i] = int32(d.Class(i))
	}
	if l.Components == nil && l.Sub != nil {
		return p, badArg(where, "Components", "nil", "the number of components of each class is required when Sub is given")
	}
	if l.Components == nil {
		for c := range names {
			p.comp = append(p.comp, c)
		}
		return p, nil
	}
	if len(l.Components) != len(names) {
		return p, badArg(where, "Components", fmt.Sprintf("%d counts", len(l.Components)), fmt.Sprintf("must be one for each of the %d classes", len(names)))
	}
	first := make([]int32, len(names))
	for c, k := range l.Components {
		if k < 1 {
			return p, badArg(where, fmt.Sprintf("Components[%d]", c), k, "every class needs at least one component")
		}
		first[c] = int32(len(p.comp))
		for range k {
			p.comp = append(p.comp, c)
			p.prob.Comp = append(p.prob.Comp, int32(c))
		}
	}
	if len(l.Sub) != d.Len() {
		return p, badArg(where, "Sub", fmt.Sprintf("%d sub-labels", len(l.Sub)), fmt.Sprintf("must be one for each of the %d rows", d.Len()))
	}
	p.prob.Sub = make([]int32, d.Len())
	for i, s := range l.Sub {
		c := d.Class(i)
		if s < 0 || s >= l.Components[c] {
			return p, badArg(where, fmt.Sprintf("Sub[%d]", i), s, fmt.Sprintf("must be between 0 and %d for a row of class %d", l.Components[c]-1, c))
		}
		p.prob.Sub[i] = first[c] + int32(s)
	}
	p.mixture = len(p.comp) > p.classes
	return p, nil
}

// smoothness bounds the Lipschitz constant of ∇F.
func (p multiPlan) smoothness() float64 {
	c := float64(p.classes)
	h := p.prob.H
	if p.mixture { // trace of one record's Hessian
		return p.prob.Lambda + p.r2*p.r2*(c-1)*(1+1/h)
	}
	return p.prob.Lambda + c*p.r2*p.r2/(2*h)
}

// Train fits d under the ambient context.
func (l LargeMargin) Train(d *Data) (*GaussianModel, error) {
	return l.TrainContext(ambientContext(), d)
}

// TrainContext fits d to the certified gradient norm, or fails.
func (l LargeMargin) TrainContext(ctx context.Context, d *Data) (*GaussianModel, error) {
	const where = "LargeMargin"
	p, err := l.plan(where, d)
	if err != nil {
		return nil, err
	}
	tol := l.Tol
	if tol == 0 {
		tol = 1e-8
	}
	var r *ww.Result
	if l.PSD {
		p.prob.B = p.trace(l.Trace)
		r, err = ww.MinimisePSD(ctx, p.prob, p.smoothness(), tol, 200000)
	} else {
		r, err = ww.Minimise(ctx, p.prob, tol)
	}
	if err != nil {
		return nil, multiError(where, err)
	}
	m := p.model(d, l.Mode, r.W, noGuarantee("large-margin Gaussian classifier, not private"))
	m.Objective, m.Gradient, m.Iterations = r.Value, r.GradNorm, r.LBFGS+r.Newton+r.FISTA
	return m, m.makePSD()
}

// trace is n·λ times the coordinates of I_Φ for every component: the linear term of the trace regulariser in the form F uses.
func (p multiPlan) trace(lambda float64) []float64 {
	d := p.prob.D
	id := make([]float64, (d+1)*(d+1))
	for i := range d {
		id[i*(d+1)+i] = lambda * float64(p.prob.N)
	}
	var b []float64
	for range p.comp {
		b = append(b, p.mode.Vector(id, d)...)
	}
	return b
}

func multiError(where string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Interrupted{Where: where, Err: err}
	}
	return fmt.Errorf("dp: %s: %w; nothing was released", where, err)
}

// model cuts a flat parameter vector into components.
func (p multiPlan) model(d *Data, mode GaussianMode, w []float64, g Guarantee) *GaussianModel {
	if mode == "" {
		mode = FullGaussian
	}
	m := &GaussianModel{Comp: p.comp, Mode: mode, Tau: p.prob.Tau, Dim: p.prob.D, Names: d.ClassNames(), Objective: math.NaN(), Gradient: math.NaN(), Guarantee: g, binary: d.Binary()}
	q := p.mode.Len(p.prob.D)
	for k := range p.comp {
		m.W = append(m.W, w[k*q:(k+1)*q:(k+1)*q])
	}
	return m
}
