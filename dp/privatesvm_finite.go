package dp

import (
	"context"
	"fmt"
	"math"
)

// SVMNoise names the noise of a private SVM.
type SVMNoise string

const (
	LaplaceNoise SVMNoise = "laplace"  // independent Laplace on each weight, scale Δ₁/ε: the paper's
	GammaNoise   SVMNoise = "l2-gamma" // density ∝ exp(−ε‖μ‖₂/Δ₂): same privacy, about √2 smaller in each weight
)

// PrivateSVMFinite is Algorithm 2 of Rubinstein, Bartlett, Huang and Taft: the exact SVM w on the columns of the data as
// they are (or as a public FeatureMap made them) plus noise on w.
//
// The noise is calibrated to ‖w_D − w_D'‖₂ ≤ 2LCκ/n, κ = d.Radius(), which is attained; the paper's bound, 4LCκ/n, gives twice
// the noise for a true loss of ε/2. Since no solver is exact, 2√(2·Gap) is added, where Gap is a public tolerance on the
// duality gap that the solver must certify: otherwise Train fails and nothing is released. The loss is Hinge (zero), Huber,
// Logistic or SquareLoss; for the square loss L is 2(1+κ√(2C)).
type PrivateSVMFinite struct {
	Eps     float64  // ε > 0
	C       float64  // cost; 0 means 1
	Loss    Loss     // zero means Hinge()
	Noise   SVMNoise // "" means LaplaceNoise
	Flavour Flavour  // "" or Corrected: 2LCκ/n; Tight: the same, sharper for Logistic; AsPublished: 4LCκ/n
	Gap     float64  // public bound on the duality gap; 0 means 5e-5·(LCκ/n)², which costs 1 % more noise, but at least 1e-15·C
	Rand    *Source  // nil means Secure()
	Ledger  *Ledger  // charged before noise is drawn; nil: none
}

// svmPlan holds every number of the calibration; all of them are functions of public facts.
type svmPlan struct {
	c, l, kappa, gap float64
	n, features      int
	sens             float64 // ℓ2 sensitivity of the solver's answer, certified
	scale            float64 // of the noise: Laplace scale, or Δ₂/ε
	trueEps          float64
	kind             SVMNoise
	refined          bool
}

func (p PrivateSVMFinite) plan(where string, n, features int, kappa float64) (svmPlan, error) {
	if err := checkEps(where, p.Eps); err != nil {
		return svmPlan{}, err
	}
	s := svmPlan{c: p.C, kappa: kappa, gap: p.Gap, n: n, features: features, kind: p.Noise, l: 1}
	if s.c == 0 {
		s.c = 1
	}
	switch {
	case !positive(s.c):
		return s, badArg(where, "C", p.C, "the cost must be a finite number above 0 (0 means 1)")
	case s.gap != 0 && !positive(s.gap):
		return s, badArg(where, "Gap", p.Gap, "the public bound on the duality gap must be a finite number above 0 (0 means the default)")
	}
	if _, err := dualLoss(where, p.Loss); err != nil {
		return s, err
	}
	if p.Loss.Value != nil {
		s.l = p.Loss.L
	}
	if math.IsInf(s.l, 1) {
		s.l = rpSquareLipschitz(s.c, kappa)
	}
	base := rpSensL2(s.l, s.c, kappa, n, false)
	switch p.Flavour {
	case "", Corrected, AsPublished:
	case Tight:
		if p.Loss.Value != nil && sameLoss(p.Loss, Logistic()) {
			_, k := rpLogistic(s.c, kappa)
			base, s.refined = kappa*s.c*k/float64(n), true
		}
	default:
		return s, badArg(where, "Flavour", p.Flavour, `must be "", Corrected, Tight or AsPublished`)
	}
	if s.gap == 0 {
		s.gap = math.Max(base*base/4*5e-5, 1e-15*s.c)
	}
	s.sens = rpInexact(base, s.gap)
	used := s.sens
	if p.Flavour == AsPublished {
		used = rpSensL2(s.l, s.c, kappa, n, true)
	}
	s.scale, s.trueEps = used/p.Eps, p.Eps*s.sens/used
	switch s.kind {
	case "", LaplaceNoise:
		s.kind = LaplaceNoise
		s.scale *= math.Sqrt(float64(features))
	case GammaNoise:
	default:
		return s, badArg(where, "Noise", p.Noise, "must be LaplaceNoise or GammaNoise")
	}
	return s, nil
}

// SolverShare is the share of the noise that pays for the solver's tolerance.
func (s svmPlan) solverShare() float64 { return 2 * math.Sqrt(2*s.gap) / s.sens }

func (p PrivateSVMFinite) guarantee(s svmPlan, d *Data, name string) Guarantee {
	g := Guarantee{Eps: s.trueEps, Rho: math.NaN(), ClaimedEps: math.NaN(), Certificate: math.NaN(), Neighbours: ReplaceOne,
		Mechanism: fmt.Sprintf("%s, %s noise of scale %.6g on %d weights, C = %g, n = %d", name, s.kind, s.scale, s.features, s.c, s.n),
		Theorem:   fmt.Sprintf("‖w_D − w_D'‖₂ ≤ 2LCκ/n + 2√(2·gap) = %.6g, noise density ratio ≤ exp(ε)", s.sens),
		Source:    rbht + ", Theorem 7 with the tight constant of Lemma 6"}
	if s.refined {
		g.Theorem = fmt.Sprintf("‖w_D − w_D'‖₂ ≤ κCs/n + 2√(2·gap) = %.6g for the logistic loss, noise density ratio ≤ exp(ε)", s.sens)
		g.Source = rbht + ", Theorem 7 with the logistic refinement"
	}
	if p.Flavour == AsPublished {
		g.ClaimedEps = p.Eps
		g.Theorem = "noise for 4LCκ/n; the sensitivity is 2LCκ/n, plus what the solver's tolerance adds"
		g.Source = rbht + ", Theorem 7 as published"
	}
	g.Assumptions = []Assumption{
		{Text: fmt.Sprintf("‖φ(x)‖ ≤ κ = %g for every row", s.kappa), Status: Enforced, Detail: "each row clipped by its own norm"},
		{Text: "convex loss with the stated Lipschitz constant", Status: Enforced, Detail: fmt.Sprintf("L = %g", s.l)},
		{Text: "the duality gap of the solution is at most the public tolerance", Status: Enforced,
			Detail: fmt.Sprintf("gap ≤ %.3g, certified before release; %.2g of the noise pays for it", s.gap, s.solverShare())},
		{Text: "C, ε, the loss and the columns were chosen without looking at the data", Status: Assumed},
		{Text: "one person contributes one row", Status: Assumed, Detail: "k rows: kε"},
		{Text: "arithmetic on real numbers", Status: Assumed, Detail: "floating-point noise has a lattice (Mironov 2012)"},
	}
	if d.fmap != nil {
		g.Assumptions = append(g.Assumptions, Assumption{Text: "the feature map does not depend on the private data", Status: Assumed, Detail: d.fmap.Kind()})
	}
	g.Seeded = p.Rand != nil && p.Rand.Seeded()
	g.Leaks = d.Leaks()
	return g
}

func checkPrivateSVM(where string, d *Data) error {
	return SVM{}.check(where, d)
}

// Claim is the guarantee for data of this shape.
func (p PrivateSVMFinite) Claim(d *Data) (Guarantee, error) {
	const where = "PrivateSVMFinite"
	if err := checkPrivateSVM(where, d); err != nil {
		return Guarantee{}, err
	}
	s, err := p.plan(where, d.Len(), d.Dim(), d.Radius())
	if err != nil {
		return Guarantee{}, err
	}
	return p.guarantee(s, d, "PrivateSVM-Finite"), nil
}

// Facts are the public facts of a run on data of this shape, for the bounds of SVMFacts.
func (p PrivateSVMFinite) Facts(d *Data) (SVMFacts, error) {
	const where = "PrivateSVMFinite"
	if err := checkPrivateSVM(where, d); err != nil {
		return SVMFacts{}, err
	}
	s, err := p.plan(where, d.Len(), d.Dim(), d.Radius())
	if err != nil {
		return SVMFacts{}, err
	}
	return SVMFacts{N: s.n, C: s.c, L: s.l, Kappa: s.kappa, Features: s.features, Eps: p.Eps, Scale: s.scale, SolverGap: s.gap}, nil
}

// Train fits and perturbs under the ambient context.
func (p PrivateSVMFinite) Train(d *Data) (*Model, error) {
	return p.TrainContext(ambientContext(), d)
}

// TrainContext fits and perturbs; it fails, before anything is drawn, on bad arguments, an exhausted ledger, a done context
// or a solver that cannot certify its gap.
func (p PrivateSVMFinite) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	const where = "PrivateSVMFinite"
	if err := checkPrivateSVM(where, d); err != nil {
		return nil, err
	}
	s, err := p.plan(where, d.Len(), d.Dim(), d.Radius())
	if err != nil {
		return nil, err
	}
	return p.release(ctx, where, d, s, p.guarantee(s, d, "PrivateSVM-Finite"), orSecure(p.Rand))
}

func (p PrivateSVMFinite) release(ctx context.Context, where string, d *Data, s svmPlan, g Guarantee, src *Source) (*Model, error) {
	if err := cancelled(ctx, where); err != nil {
		return nil, err
	}
	if err := p.Ledger.ChargeOn(d, where, g); err != nil {
		return nil, err
	}
	w, err := s.minimiser(ctx, where, d, p.Loss, src)
	if err != nil {
		return nil, err
	}
	for i, v := range s.noise(src) {
		w[i] += v
	}
	l := p.Loss
	if l.Value == nil {
		l = Hinge()
	}
	return newModel(d, w, l, withoutLeaks(g), map[string]float64{"C": s.c, "scale": s.scale, "n": float64(s.n), "kappa": s.kappa}), nil
}

// withoutLeaks avoids listing the data's leak marks twice: newModel adds them.
func withoutLeaks(g Guarantee) Guarantee {
	g.Leaks = nil
	return g
}

// minimiser is the non-private part: the SVM on d, certified to the planned gap.
func (s svmPlan) minimiser(ctx context.Context, where string, d *Data, l Loss, src *Source) ([]float64, error) {
	t := SVM{C: s.c, Loss: l, Tol: s.gap / s.c, MaxPasses: 1000000, Rand: src.Fork()}.defaults()
	r, err := t.solve(ctx, where, d)
	if err != nil {
		return nil, err
	}
	if !r.Reached {
		return nil, fmt.Errorf("dp: %s: the solver could not certify the duality gap %.3g; nothing was released: set a larger Gap (public; it adds noise) or a smaller C", where, s.gap)
	}
	return r.W, nil
}

// noise draws the noise vector.
func (s svmPlan) noise(src *Source) []float64 {
	if s.kind == GammaNoise {
		return GammaNorm{Dim: s.features, Kappa: 1 / s.scale}.Sample(src)
	}
	v := make([]float64, s.features)
	for i := range v {
		v[i] = s.scale * (src.Exp() - src.Exp())
	}
	return v
}

// Release trains on d with the given randomness and returns the released weights.
func (p PrivateSVMFinite) Release(d *Data, src *Source) ([]float64, error) {
	p.Rand = orSecure(src)
	m, err := p.Train(d)
	if err != nil {
		return nil, err
	}
	return m.Weights, nil
}

// LogDensity is the log-density of the released weights at w when the data are d, up to a constant that does not depend on
// the data: −‖w − w*‖₁/λ, or −‖w − w*‖₂ε/Δ₂. It needs the exact SVM of d and is not private; it is for exact privacy losses.
func (p PrivateSVMFinite) LogDensity(d *Data, w []float64) (float64, error) {
	const where = "PrivateSVMFinite.LogDensity"
	if err := checkPrivateSVM(where, d); err != nil {
		return 0, err
	}
	s, err := p.plan(where, d.Len(), d.Dim(), d.Radius())
	if err != nil {
		return 0, err
	}
	if len(w) != d.Dim() {
		return 0, badArg(where, "w", fmt.Sprintf("%d weights", len(w)), fmt.Sprintf("must have %d", d.Dim()))
	}
	c, err := s.minimiser(ambientContext(), where, d, p.Loss, Seed(0))
	if err != nil {
		return 0, err
	}
	one, two := 0.0, 0.0
	for i, v := range w {
		one += math.Abs(v - c[i])
		two += (v - c[i]) * (v - c[i])
	}
	if s.kind == GammaNoise {
		return -math.Sqrt(two) / s.scale, nil
	}
	return -one / s.scale, nil
}
