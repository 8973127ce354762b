package dp

import (
	"fmt"
	"math"
)

// A Kernel is a positive definite function k(x, y). The built-in ones come from RBF, Laplacian, Cauchy, Polynomial and
// LinearKernel; one's own is a literal:
//
//	k := dp.Kernel{Name: "mine", Eval: func(x, y []float64) float64 { … }}
//
// Eval must be symmetric and positive definite; SVM.Train tests both on the training rows and refuses a kernel that is
// not. It is called from several goroutines at once, so it must not write to shared variables. The zero Kernel stands for
// the linear kernel.
type Kernel struct {
	Name string                       // for messages
	Eval func(x, y []float64) float64 // k(x, y)
	// Bound is κ, an upper bound on √k(x,x) over all admissible x; 0 means not known.
	Bound float64

	kind   kernelKind
	sigma  float64
	degree int
	scale  float64
	offset float64
	nu     float64
}

type kernelKind int

const (
	kernelUser kernelKind = iota
	kernelLinear
	kernelRBF
	kernelLaplacian
	kernelCauchy
	kernelPolynomial
	kernelMatern
)

// String is the kernel's name.
func (k Kernel) String() string {
	if k.Name == "" && k.Eval == nil {
		return "linear"
	}
	return k.Name
}

// Linear tells whether k(x, y) = ⟨x, y⟩, the meaning of the zero Kernel.
func (k Kernel) Linear() bool { return k.kind == kernelLinear || k.Eval == nil && k.kind == kernelUser }

// LinearKernel is k(x, y) = ⟨x, y⟩.
func LinearKernel() Kernel {
	return Kernel{Name: "linear", kind: kernelLinear, Eval: dotDense}
}

func dotDense(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// RBF is the Gaussian kernel k(x, y) = exp(−‖x−y‖²/(2σ²)), σ > 0. Its spectral density is N(0, I/σ²).
func RBF(sigma float64) Kernel {
	return Kernel{Name: fmt.Sprintf("rbf(σ=%g)", sigma), kind: kernelRBF, sigma: sigma, Bound: 1,
		Eval: func(x, y []float64) float64 {
			s := 0.0
			for i, v := range x {
				d := v - y[i]
				s += d * d
			}
			return math.Exp(-s / (2 * sigma * sigma))
		}}
}

// Laplacian is k(x, y) = exp(−‖x−y‖₁/σ), σ > 0. Its spectral density is a product of Cauchy densities of scale 1/σ: it
// has no second moment, so bounds that need σ_p² = E‖ω‖² say nothing about it.
func Laplacian(sigma float64) Kernel {
	return Kernel{Name: fmt.Sprintf("laplacian(σ=%g)", sigma), kind: kernelLaplacian, sigma: sigma, Bound: 1,
		Eval: func(x, y []float64) float64 {
			s := 0.0
			for i, v := range x {
				s += math.Abs(v - y[i])
			}
			return math.Exp(-s / sigma)
		}}
}

// Cauchy is k(x, y) = Π_i 1/(1+(x_i−y_i)²/σ²), σ > 0, normalised to k(x, x) = 1 (the table of Rubinstein et al. has
// k(x, x) = 2^d). Its spectral density is a product of Laplace densities of scale 1/σ.
func Cauchy(sigma float64) Kernel {
	inv := 1 / (sigma * sigma)
	return Kernel{Name: fmt.Sprintf("cauchy(σ=%g)", sigma), kind: kernelCauchy, sigma: sigma, Bound: 1,
		Eval: func(x, y []float64) float64 {
			p := 1.0
			for i, v := range x {
				d := v - y[i]
				p *= 1 + d*d*inv
			}
			return 1 / p
		}}
}

// Polynomial is k(x, y) = (scale·⟨x, y⟩ + offset)^degree, with degree ≥ 1, scale > 0, offset ≥ 0.
func Polynomial(degree int, scale, offset float64) Kernel {
	return Kernel{Name: fmt.Sprintf("polynomial(degree=%d, scale=%g, offset=%g)", degree, scale, offset),
		kind: kernelPolynomial, degree: degree, scale: scale, offset: offset,
		Eval: func(x, y []float64) float64 { return powInt(scale*dotDense(x, y)+offset, degree) }}
}

func powInt(b float64, e int) float64 {
	r := 1.0
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r *= b
		}
		b *= b
	}
	return r
}

// check refuses parameters outside their range.
func (k Kernel) check(where string) error {
	switch k.kind {
	case kernelRBF, kernelLaplacian, kernelCauchy:
		if !positive(k.sigma) {
			return badArg(where, "Kernel sigma", k.sigma, "the width must be a finite number above 0")
		}
	case kernelMatern:
		return k.checkMatern(where)
	case kernelPolynomial:
		if k.degree < 1 {
			return badArg(where, "Kernel degree", k.degree, "must be at least 1")
		}
		if !positive(k.scale) {
			return badArg(where, "Kernel scale", k.scale, "must be a finite number above 0")
		}
		if !(k.offset >= 0) || math.IsInf(k.offset, 1) {
			return badArg(where, "Kernel offset", k.offset, "must be finite and not negative: the kernel would not be positive definite")
		}
	}
	return nil
}

// Invariant tells whether the kernel depends on x−y only and has a spectral density in this package.
func (k Kernel) Invariant() bool {
	return k.kind == kernelRBF || k.kind == kernelLaplacian || k.kind == kernelCauchy || k.kind == kernelMatern
}

// SpectralDensity is p(ω) with k(x, y) = E cos⟨ω, x−y⟩ for ω ~ p (Bochner; Rahimi and Recht 2007, Table 1 with the
// normalisations corrected). It is NaN for a kernel that is not translation invariant.
func (k Kernel) SpectralDensity(omega []float64) float64 {
	if k.kind == kernelMatern {
		return k.maternSpectralDensity(omega)
	}
	s, p := k.sigma, 1.0
	for _, w := range omega {
		switch k.kind {
		case kernelRBF:
			p *= s / math.Sqrt(2*math.Pi) * math.Exp(-s*s*w*w/2)
		case kernelLaplacian:
			p *= s / (math.Pi * (1 + s*s*w*w))
		case kernelCauchy:
			p *= s / 2 * math.Exp(-s*math.Abs(w))
		default:
			return math.NaN()
		}
	}
	return p
}

// Frequencies draws n frequencies of dimension dim from the spectral density.
func (k Kernel) Frequencies(n, dim int, src *Source) ([][]float64, error) {
	if err := k.check("Kernel.Frequencies"); err != nil {
		return nil, err
	}
	if !k.Invariant() {
		return nil, fmt.Errorf("dp: Kernel.Frequencies: kernel %s has no spectral density here: use RBF, Laplacian, Cauchy or Matern", k)
	}
	if n < 1 {
		return nil, badArg("Kernel.Frequencies", "n", n, "must be at least 1")
	}
	if dim < 1 {
		return nil, badArg("Kernel.Frequencies", "dim", dim, "must be at least 1")
	}
	src = orSecure(src)
	out := make([][]float64, n)
	for i := range out {
		w := make([]float64, dim)
		for j := range w {
			switch k.kind {
			case kernelRBF:
				w[j] = src.Norm() / k.sigma
			case kernelLaplacian:
				w[j] = math.Tan(math.Pi*(src.Float64()-0.5)) / k.sigma
			case kernelCauchy:
				w[j] = (src.Exp() - src.Exp()) / k.sigma
			case kernelMatern:
				w[j] = src.Norm() / k.sigma
			}
		}
		if k.kind == kernelMatern {
			k.maternStretch(w, src)
		}
		out[i] = w
	}
	return out, nil
}

// SigmaP is σ_p = √E‖ω‖² in dimension dim: √dim/σ (RBF), √(2·dim)/σ (Cauchy), +Inf (Laplacian),
// √(dim·ν/(ν−1))/σ or +Inf for ν ≤ 1 (Matérn), NaN for others.
func (k Kernel) SigmaP(dim int) float64 {
	switch k.kind {
	case kernelRBF:
		return math.Sqrt(float64(dim)) / k.sigma
	case kernelCauchy:
		return math.Sqrt(2*float64(dim)) / k.sigma
	case kernelLaplacian:
		return math.Inf(1)
	case kernelMatern:
		return k.maternMoment(dim, 2, 0.5)
	}
	return math.NaN()
}

// Moment is an upper bound on E‖ω‖^s, 0 < s ≤ 1, in dimension dim: for the RBF kernel exact at s = 1 and by Jensen below,
// for the Cauchy kernel (2·dim)^{s/2}/σ^s, for the Laplacian dim/(σ^s cos(πs/2)), infinite at s = 1; exact for the
// Matérn kernel. NaN for others.
func (k Kernel) Moment(dim int, s float64) float64 {
	switch k.kind {
	case kernelRBF:
		return math.Pow(rpRBFMeanNorm(dim, k.sigma), s)
	case kernelCauchy:
		return rpCauchyMoment(dim, k.sigma, s)
	case kernelLaplacian:
		if s >= 1 {
			return math.Inf(1)
		}
		return rpLaplacianMoment(dim, k.sigma, s)
	case kernelMatern:
		return k.maternMoment(dim, s, 1)
	}
	return math.NaN()
}
