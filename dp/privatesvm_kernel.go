package dp

import (
	"context"
	"fmt"
	"math"
)

// PrivateSVM is Algorithm 3 of Rubinstein, Bartlett, Huang and Taft: Pairs frequencies ρ are drawn from the spectral density
// of a translation-invariant kernel, independently of the data; the SVM is trained on the 2·Pairs features
// Pairs^{−1/2}[cos⟨ρ_i, x⟩, sin⟨ρ_i, x⟩], whose norm is exactly 1, and released with noise on its weights. The frequencies
// are public and travel with the model.
type PrivateSVM struct {
	Eps    float64 // ε > 0
	Kernel Kernel  // RBF, Laplacian, Cauchy or Matern; zero means RBF(1)
	Pairs  int     // d̂ ≥ 1; 0 means 100; must not depend on the private data
	// Orthogonal makes the frequencies orthogonal in blocks (RBF and Matern only): a smaller kernel error for the same d̂.
	Orthogonal bool
	C          float64  // cost; 0 means 1
	Loss       Loss     // zero means Hinge()
	Noise      SVMNoise // "" means LaplaceNoise
	Flavour    Flavour  // as in PrivateSVMFinite
	Gap        float64  // as in PrivateSVMFinite
	Rand       *Source  // nil means Secure()
	Ledger     *Ledger  // charged before noise is drawn; nil: none
}

func (p PrivateSVM) finite() PrivateSVMFinite {
	return PrivateSVMFinite{Eps: p.Eps, C: p.C, Loss: p.Loss, Noise: p.Noise, Flavour: p.Flavour, Gap: p.Gap, Rand: p.Rand, Ledger: p.Ledger}
}

func (p PrivateSVM) prepare(where string, d *Data) (PrivateSVM, svmPlan, error) {
	if p.Kernel.Eval == nil {
		p.Kernel = RBF(1)
	}
	if p.Pairs == 0 {
		p.Pairs = 100
	}
	if p.Pairs < 0 {
		return p, svmPlan{}, badArg(where, "Pairs", p.Pairs, "the number of random frequencies must be at least 1 (0 means 100)")
	}
	if err := checkPrivateSVM(where, d); err != nil {
		return p, svmPlan{}, err
	}
	if d.fmap != nil {
		return p, svmPlan{}, badArg(where, "d", "data mapped by "+d.fmap.Kind(), "the random features must be the only map")
	}
	if err := p.Kernel.check(where); err != nil {
		return p, svmPlan{}, err
	}
	if !p.Kernel.Invariant() {
		return p, svmPlan{}, badArg(where, "Kernel", p.Kernel, "must be translation invariant: RBF, Laplacian, Cauchy or Matern")
	}
	s, err := p.finite().plan(where, d.Len(), 2*p.Pairs, 1)
	return p, s, err
}

// Claim is the guarantee for data of this shape.
func (p PrivateSVM) Claim(d *Data) (Guarantee, error) {
	p, s, err := p.prepare("PrivateSVM", d)
	if err != nil {
		return Guarantee{}, err
	}
	return p.guarantee(s, d), nil
}

func (p PrivateSVM) guarantee(s svmPlan, d *Data) Guarantee {
	g := p.finite().guarantee(s, d, fmt.Sprintf("PrivateSVM with %d random frequencies of the kernel %s", p.Pairs, p.Kernel))
	g.Assumptions[0].Detail = "cos² + sin² = 1 for every frequency"
	return g
}

// Facts are the public facts of a run on data of this shape, for the bounds of SVMFacts; the diameter of the ball of the data
// is 2·Radius.
func (p PrivateSVM) Facts(d *Data) (SVMFacts, error) {
	p, s, err := p.prepare("PrivateSVM", d)
	if err != nil {
		return SVMFacts{}, err
	}
	return SVMFacts{N: s.n, C: s.c, L: s.l, Kappa: 1, Features: s.features, Phi: 1 / math.Sqrt(float64(p.Pairs)), Pairs: p.Pairs, Eps: p.Eps,
		Scale: s.scale, SolverGap: s.gap, Kernel: p.Kernel, Dim: d.Dim(), Diameter: 2 * d.Radius()}, nil
}

// Train fits and perturbs under the ambient context.
func (p PrivateSVM) Train(d *Data) (*Model, error) { return p.TrainContext(ambientContext(), d) }

// TrainContext draws the frequencies, fits and perturbs. See PrivateSVMFinite.TrainContext for when it fails.
func (p PrivateSVM) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	const where = "PrivateSVM"
	p, s, err := p.prepare(where, d)
	if err != nil {
		return nil, err
	}
	src := orSecure(p.Rand)
	m, err := RandomFeatures{Kernel: p.Kernel, Count: 2 * p.Pairs, Orthogonal: p.Orthogonal, Rand: src}.Map(d.Dim())
	if err != nil {
		return nil, err
	}
	mapped, err := m.Transform(d)
	if err != nil {
		return nil, err
	}
	return p.finite().release(ctx, where, mapped, s, p.guarantee(s, d), src)
}

// Release trains on d with the given randomness and returns what is released: the weights, then the frequencies row by row.
func (p PrivateSVM) Release(d *Data, src *Source) ([]float64, error) {
	p.Rand = orSecure(src)
	m, err := p.Train(d)
	if err != nil {
		return nil, err
	}
	out := m.Weights
	for _, r := range m.Map.(*RandomFeatureMap).Frequencies {
		out = append(out, r...)
	}
	return out, nil
}
