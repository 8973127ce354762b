package dp

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
)

// PrivateSVM is Algorithm 3 of Rubinstein, Bartlett, Huang and Taft: Pairs frequencies ρ are drawn from the spectral density
// of a translation-invariant kernel, independently of the data; the SVM is trained on the 2·Pairs features
// Pairs^{−1/2}[cos⟨ρ_i, x⟩, sin⟨ρ_i, x⟩], whose norm is exactly 1, and released with noise on its weights. The frequencies
// are public and travel with the model.
type PrivateSVM struct {
	Eps     float64
	Kernel  Kernel   // RBF, Laplacian or Cauchy; zero means RBF(1)
	Pairs   int      // d̂ ≥ 1; 0 means 100; must not depend on the private data
	C       float64  // cost; 0 means 1
	Loss    Loss     // zero means Hinge()
	Noise   SVMNoise // "" means LaplaceNoise
	Flavour Flavour  // as in PrivateSVMFinite
	Gap     float64  // as in PrivateSVMFinite
	Rand    *Source  // nil means Secure()
	Ledger  *Ledger
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
		return p, svmPlan{}, badArg(where, "Kernel", p.Kernel, "must be translation invariant: RBF, Laplacian or Cauchy")
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
	rho, err := p.Kernel.Frequencies(p.Pairs, d.Dim(), src)
	if err != nil {
		return nil, err
	}
	mapped, err := d.Map(FourierPairs{Rho: rho}, 1)
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
	for _, r := range m.Map.(FourierPairs).Rho {
		out = append(out, r...)
	}
	return out, nil
}

// FourierPairs is the random feature map x ↦ d̂^{−1/2}[cos⟨ρ_1,x⟩, sin⟨ρ_1,x⟩, …, cos⟨ρ_d̂,x⟩, sin⟨ρ_d̂,x⟩] of Rahimi and Recht
// (2007). Its image lies on the unit sphere, and ⟨φ(x), φ(y)⟩ estimates the kernel whose spectral density ρ was drawn from.
type FourierPairs struct {
	Rho [][]float64 `json:"rho"`
}

// In is the dimension of a raw row.
func (m FourierPairs) In() int {
	if len(m.Rho) == 0 {
		return 0
	}
	return len(m.Rho[0])
}

// Out is twice the number of frequencies.
func (m FourierPairs) Out() int { return 2 * len(m.Rho) }

// Kind is "fourier-pairs".
func (m FourierPairs) Kind() string { return "fourier-pairs" }

// Apply returns the features of x.
func (m FourierPairs) Apply(x []float64) []float64 {
	out := make([]float64, 2*len(m.Rho))
	s := 1 / math.Sqrt(float64(len(m.Rho)))
	for i, r := range m.Rho {
		sin, cos := math.Sincos(dot4(r, x))
		out[2*i], out[2*i+1] = s*cos, s*sin
	}
	return out
}

func init() {
	featureKinds["fourier-pairs"] = func(b []byte) (FeatureMap, error) {
		var m FourierPairs
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		if len(m.Rho) == 0 || len(m.Rho[0]) == 0 {
			return nil, fmt.Errorf("dp: fourier-pairs: no frequencies")
		}
		for i, r := range m.Rho {
			if len(r) != len(m.Rho[0]) {
				return nil, fmt.Errorf("dp: fourier-pairs: frequency %d has %d coordinates, the first has %d", i, len(r), len(m.Rho[0]))
			}
		}
		return m, nil
	}
}
