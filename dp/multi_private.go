package dp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.org/godp/dp/internal/ww"
)

const pathakRaj = "Pathak and Raj, arXiv 1005.0063"

// GaussianMethod names a private way to train a Gaussian classifier.
type GaussianMethod string

const (
	GaugeObjective GaussianMethod = "objective"     // objective perturbation on the subspace where the parameters sum to zero
	GaussianOutput GaussianMethod = "output"        // output perturbation
	PSDObjective   GaussianMethod = "psd-objective" // objective perturbation with Φ_c ⪰ 0 during training
)

// PrivateLargeMargin trains the large-margin Gaussian classifier with ε-differential privacy (replace-one): the mechanism of
// Pathak and Raj, mended. Their objective has no minimiser with probability at least ½, and where it has one the privacy loss
// is infinite (see PathakRaj); here a Frobenius term makes the minimiser exist, each class has its own perturbation with the
// sum over classes zero, and the sensitivity √2·C·(R²+τ²) and the Jacobian are accounted for exactly.
//
// The minimiser is certified to a public gradient norm, and a rounding noise of a hundredth of ε makes the guarantee hold for
// the certified point; if the solver misses the certificate nothing is released. If Λ is too small for ε (Jacobian term above
// ε/2) it is raised to the smallest admissible value, which depends on public facts only.
type PrivateLargeMargin struct {
	Eps    float64        // ε > 0
	Lambda float64        // Λ > 0; 0 means 1e-3; raised when too small for Eps
	H      float64        // Huber width in (0, 1]; 0 means 1/2
	Tau    float64        // 0 means Radius/2
	Mode   GaussianMode   // "" means FullGaussian
	Method GaussianMethod // "" means GaugeObjective, with mixtures GaussianOutput
	Trace  float64        // λ ≥ 0, PSDObjective only

	Components []int // mixtures, as in LargeMargin; Sub[i] must be a function of record i and public knowledge
	Sub        []int // component of every row within its class

	Rand   *Source // nil means Secure()
	Ledger *Ledger // charged before noise is drawn; nil: none
}

// gaussPlan holds every number of a calibration; all are functions of public facts.
type gaussPlan struct {
	multiPlan
	method   GaussianMethod
	lambda   float64 // after raising
	raised   bool
	sens     float64 // S
	jacobian float64 // J
	epsRound float64
	epsNoise float64 // ε' = ε − J − ε_round
	dim      int     // p, dimension of the noise
	scale    float64 // of the Gamma norm: S/ε' (objective) or Δ/ε (output)
	gamma    float64 // certified gradient norm
	round    float64 // scale of the rounding noise; 0 for output perturbation
	roundDim int
}

func (t PrivateLargeMargin) public() LargeMargin {
	return LargeMargin{Lambda: t.Lambda, H: t.H, Tau: t.Tau, Mode: t.Mode, PSD: t.Method == PSDObjective, Trace: t.Trace, Components: t.Components, Sub: t.Sub}
}

func (t PrivateLargeMargin) plan(where string, d *Data) (gaussPlan, error) {
	if err := checkEps(where, t.Eps); err != nil {
		return gaussPlan{}, err
	}
	base, err := t.public().plan(where, d)
	if err != nil {
		return gaussPlan{}, err
	}
	g := gaussPlan{multiPlan: base, method: t.Method, lambda: base.prob.Lambda}
	n, q, m := d.Len(), base.mode.Len(d.Dim()), len(base.comp)
	nn := float64(n)
	if g.method == "" {
		g.method = GaugeObjective
		if g.mixture {
			g.method = GaussianOutput
		}
	}
	g.sens = prSens(g.classes, g.r2)
	if g.mixture {
		g.sens = prSensMix(g.classes, g.r2)
	}
	g.dim = (m - 1) * q
	h := base.prob.H
	switch g.method {
	case GaussianOutput:
		// The certificate is a thousandth of the sensitivity: 2γ/Λ = 1e-3·S/(nΛ).
		g.gamma = 5e-4 * g.sens / nn
		g.scale = (g.sens/(nn*g.lambda) + 2*g.gamma/g.lambda) / t.Eps
		g.epsNoise = t.Eps
	case GaugeObjective, PSDObjective:
		if g.mixture && g.method == PSDObjective {
			return g, badArg(where, "Method", g.method, "does not take mixtures")
		}
		jac := func(l float64) float64 {
			if g.mixture {
				return prJMix(g.classes, g.r2, h, n, l)
			}
			return prJ(g.classes, g.r2, h, n, l)
		}
		if g.jacobian = jac(g.lambda); g.jacobian > t.Eps/2 {
			g.raised = true
			if g.mixture {
				g.lambda = prJMix(g.classes, g.r2, h, n, 1) / (t.Eps / 2)
			} else {
				g.lambda = prLambdaFor(t.Eps/2, g.classes, g.r2, h, n)
			}
			base.prob.Lambda, g.jacobian = g.lambda, jac(g.lambda)
		}
		g.epsRound = t.Eps / 100
		g.epsNoise = t.Eps - g.jacobian - g.epsRound
		g.scale = g.sens / g.epsNoise
		g.gamma = 5e-4 * g.sens * g.epsRound / (nn * g.epsNoise)
		g.round = 2 * g.gamma / (g.lambda * g.epsRound)
		g.roundDim = g.dim
		if g.method == PSDObjective { // the common part moves too
			g.roundDim = m * q
		}
	default:
		return g, badArg(where, "Method", t.Method, "must be GaugeObjective, GaussianOutput or PSDObjective")
	}
	if !positive(g.scale) || !positive(g.gamma) {
		return g, badArg(where, "Eps", t.Eps, "gives a noise scale that is not a number: the arguments are out of range")
	}
	return g, nil
}

// GaussianFacts are the public numbers of a calibration.
type GaussianFacts struct {
	N, Dim, Classes int     // rows, columns and classes
	R2              float64 // R² + τ²
	H, Lambda       float64 // Λ after raising
	Raised          bool    // Λ was too small for ε
	Sensitivity     float64 // S = √2·C·r² (mixtures: r²√(2(C−1)(C+2)))
	Jacobian        float64 // J
	EpsNoise        float64 // ε' = ε − J − ε_round
	EpsRound        float64 // the part of ε that pays for the solver
	NoiseDim        int     // p = (M−1)q
	NoiseScale      float64 // S/ε', or Δ/ε for output perturbation
	MeanNorm        float64 // p times the scale
	GradTol         float64 // γ
	RoundScale      float64 // 2γ/(Λ ε_round)
}

// Facts are the public numbers of the calibration for data of this shape.
func (t PrivateLargeMargin) Facts(d *Data) (GaussianFacts, error) {
	g, err := t.plan("PrivateLargeMargin", d)
	if err != nil {
		return GaussianFacts{}, err
	}
	return GaussianFacts{N: d.Len(), Dim: d.Dim(), Classes: g.classes, R2: g.r2, H: g.prob.H, Lambda: g.lambda, Raised: g.raised, Sensitivity: g.sens,
		Jacobian: g.jacobian, EpsNoise: g.epsNoise, EpsRound: g.epsRound, NoiseDim: g.dim, NoiseScale: g.scale, MeanNorm: float64(g.dim) * g.scale,
		GradTol: g.gamma, RoundScale: g.round}, nil
}

// Claim is the guarantee for data of this shape.
func (t PrivateLargeMargin) Claim(d *Data) (Guarantee, error) {
	g, err := t.plan("PrivateLargeMargin", d)
	if err != nil {
		return Guarantee{}, err
	}
	return t.guarantee(g, d), nil
}

func (t PrivateLargeMargin) guarantee(p gaussPlan, d *Data) Guarantee {
	g := Guarantee{Eps: t.Eps, Rho: t.Eps * t.Eps / 2, ClaimedEps: math.NaN(), Neighbours: ReplaceOne, Certificate: float64(d.Len()) * p.gamma,
		Source: "after " + pathakRaj + " and Chaudhuri, Monteleoni, Sarwate 2011"}
	g.Mechanism = fmt.Sprintf("large-margin Gaussian classifier (%s), %s, ε = %g, Λ = %.6g, h = %g, τ = %g, noise of norm Gamma(%d, %.6g)",
		nonEmpty(string(t.Mode), "full"), p.method, t.Eps, p.lambda, p.prob.H, p.prob.Tau, p.dim, p.scale)
	if p.method == GaussianOutput {
		g.Theorem = fmt.Sprintf("minimisers of neighbours differ by at most S/(nΛ), S = %.6g, plus 2γ/Λ for the certificate γ", p.sens)
	} else {
		g.Theorem = fmt.Sprintf("density ratio of the perturbation ≤ exp(ε'), ε' = %.6g, Jacobian ≤ exp(%.6g), rounding ≤ exp(%.6g); S = %.6g", p.epsNoise, p.jacobian, p.epsRound, p.sens)
	}
	g.Assumptions = []Assumption{
		{Text: fmt.Sprintf("‖x‖ ≤ R = %g for every row", d.Radius()), Status: Enforced, Detail: "each row clipped by its own norm"},
		{Text: "class labels in the public list", Status: Enforced, Detail: "others are refused"},
		{Text: fmt.Sprintf("gradient norm of the solution at most γ = %.3g", p.gamma), Status: Enforced, Detail: "an uncertified point is never released"},
		{Text: "Λ, h, τ and the mode were chosen without looking at the data", Status: Assumed},
		{Text: "one person contributes one row", Status: Assumed, Detail: "k rows: kε"},
		{Text: "arithmetic on real numbers", Status: Assumed, Detail: "floating-point noise has a lattice (Mironov 2012)"},
	}
	if p.raised {
		g.Assumptions = append(g.Assumptions, Assumption{Text: "Λ large enough for ε", Status: Enforced, Detail: fmt.Sprintf("raised to %.6g, where the Jacobian costs ε/2", p.lambda)})
	}
	if p.mixture {
		g.Assumptions = append(g.Assumptions, Assumption{Text: "each sub-label is a function of its own record and public knowledge", Status: Assumed, Detail: "sub-labels from a fit to the private data void the guarantee"})
	}
	g.Seeded = t.Rand != nil && t.Rand.Seeded()
	g.Leaks = d.Leaks()
	return g
}

func nonEmpty(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// gaugeNoise draws from the density ∝ exp(−‖b‖/scale) on {b ∈ R^{m×q}: Σ_k b_k = 0}.
func gaugeNoise(m, q int, scale float64, src *Source) []float64 {
	b := make([]float64, m*q)
	s := 0.0
	for s == 0 {
		for i := range b {
			b[i] = src.Norm()
		}
		for j := range q {
			t := 0.0
			for k := range m {
				t += b[k*q+j]
			}
			for k := range m {
				b[k*q+j] -= t / float64(m)
			}
		}
		s = dotDense(b, b)
	}
	r := 0.0
	for range (m - 1) * q {
		r += src.Exp()
	}
	r *= scale / math.Sqrt(s)
	for i := range b {
		b[i] *= r
	}
	return b
}

// Train fits d under the ambient context.
func (t PrivateLargeMargin) Train(d *Data) (*GaussianModel, error) {
	return t.TrainContext(ambientContext(), d)
}

// TrainContext charges the ledger, draws the noise and fits d; it fails before anything is drawn on bad arguments, an
// exhausted ledger or a done context, and before anything is released when the certificate is missed.
func (t PrivateLargeMargin) TrainContext(ctx context.Context, d *Data) (*GaussianModel, error) {
	const where = "PrivateLargeMargin"
	g, err := t.plan(where, d)
	if err != nil {
		return nil, err
	}
	if err := cancelled(ctx, where); err != nil {
		return nil, err
	}
	claim := t.guarantee(g, d)
	if err := t.Ledger.ChargeOn(d, where, claim); err != nil {
		return nil, err
	}
	src := orSecure(t.Rand)
	w, err := g.release(ctx, src, t.Trace)
	if err != nil {
		return nil, multiError(where, err)
	}
	m := g.model(d, t.Mode, w, claim)
	m.Gradient = g.gamma // public; how many iterations it took was not released
	return m, m.makePSD()
}

// release is the mechanism itself: noise, certified minimiser, noise.
func (g gaussPlan) release(ctx context.Context, src *Source, trace float64) (w []float64, err error) {
	m, q := len(g.comp), g.mode.Len(g.prob.D)
	var r *ww.Result
	switch g.method {
	case GaussianOutput:
		if r, err = ww.Minimise(ctx, g.prob, g.gamma); err != nil {
			return nil, err
		}
		for k, v := range gaugeNoise(m, q, g.scale, src) {
			r.W[k] += v
		}
		return r.W, nil
	case PSDObjective:
		g.prob.B = gaugeNoise(m, q, g.scale, src)
		if trace > 0 {
			for k, v := range g.multiPlan.trace(trace) {
				g.prob.B[k] += v
			}
		}
		if r, err = ww.MinimisePSD(ctx, g.prob, g.smoothness(), g.gamma, 500000); err != nil {
			return nil, err
		}
		for k, v := range (GammaNorm{Dim: g.roundDim, Kappa: 1 / g.round}).Sample(src) {
			r.W[k] += v
		}
		return r.W, nil
	}
	g.prob.B = gaugeNoise(m, q, g.scale, src)
	if r, err = ww.Minimise(ctx, g.prob, g.gamma); err != nil {
		return nil, err
	}
	for k, v := range gaugeNoise(m, q, g.round, src) {
		r.W[k] += v
	}
	return r.W, nil
}

// Release trains on d with the given randomness and returns the released parameters, component by component.
func (t PrivateLargeMargin) Release(d *Data, src *Source) ([]float64, error) {
	t.Rand = orSecure(src)
	m, err := t.Train(d)
	if err != nil {
		return nil, err
	}
	return slices.Concat(m.W...), nil
}

// LogDensity is the log-density, up to a constant that does not depend on the data, of the exact minimiser W of the perturbed
// objective (method GaugeObjective, before the rounding noise) at parameters that sum to zero over components:
// −(ε'/S)‖T_D(W)‖ + ln|det DT_D(W)| with T_D(W) = −(Σ∇ℓ_i(W) + nΛW). It is for exact privacy losses and not private.
// Cost: a determinant of size (M−1)q.
func (t PrivateLargeMargin) LogDensity(d *Data, w [][]float64) (float64, error) {
	const where = "PrivateLargeMargin.LogDensity"
	g, err := t.plan(where, d)
	if err != nil {
		return 0, err
	}
	if g.method != GaugeObjective {
		return 0, badArg(where, "Method", g.method, "only GaugeObjective has a density in closed form here")
	}
	m, q := len(g.comp), g.mode.Len(g.prob.D)
	if len(w) != m || len(w[0]) != q {
		return 0, badArg(where, "w", fmt.Sprintf("%d components", len(w)), fmt.Sprintf("must be %d components of %d numbers", m, q))
	}
	flat := make([]float64, 0, m*q)
	for _, c := range w {
		flat = append(flat, c...)
	}
	b, logDet, err := g.prob.Inverse(flat)
	if err != nil {
		return 0, fmt.Errorf("dp: %s: %w", where, err)
	}
	return -math.Sqrt(dotDense(b, b))/g.scale + logDet, nil
}
