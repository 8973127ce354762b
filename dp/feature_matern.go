package dp

import (
	"fmt"
	"math"
)

// Matern is the Matérn kernel of smoothness ν > 0 and width σ > 0,
//
//	k(x, y) = 2^{1−ν}/Γ(ν) · t^ν K_ν(t),  t = √(2ν)‖x−y‖/σ,
//
// where K_ν is the modified Bessel function of the second kind. ν = 1/2 is exp(−‖x−y‖/σ), ν = 3/2 and 5/2 have closed forms, ν → ∞ is
// RBF(σ). Its spectral density is a multivariate Student law with 2ν degrees of freedom and scale 1/σ (Rasmussen and
// Williams 2006, section 4.2.1).
func Matern(nu, sigma float64) Kernel {
	return Kernel{Name: fmt.Sprintf("matern(ν=%g, σ=%g)", nu, sigma), kind: kernelMatern, sigma: sigma, nu: nu, Bound: 1,
		Eval: func(x, y []float64) float64 {
			s := 0.0
			for i, v := range x {
				d := v - y[i]
				s += d * d
			}
			return maternValue(nu, math.Sqrt(2*nu*s)/sigma)
		}}
}

// GaussianKernel is k(x, y) = exp(−γ‖x−y‖²), γ > 0: RBF with σ = 1/√(2γ). Its spectral density is N(0, 2γI).
func GaussianKernel(gamma float64) Kernel {
	k := RBF(1 / math.Sqrt(2*gamma))
	k.Name = fmt.Sprintf("gaussian(γ=%g)", gamma)
	return k
}

// maternValue is 2^{1−ν}/Γ(ν) t^ν K_ν(t), with value 1 at t = 0.
func maternValue(nu, t float64) float64 {
	switch {
	case t == 0:
		return 1
	case nu == 0.5:
		return math.Exp(-t)
	case nu == 1.5:
		return (1 + t) * math.Exp(-t)
	case nu == 2.5:
		return (1 + t + t*t/3) * math.Exp(-t)
	}
	lg, _ := math.Lgamma(nu)
	return math.Exp((1-nu)*math.Ln2 - lg + nu*math.Log(t) + logBesselK(nu, t))
}

// logBesselK is ln K_ν(t), t > 0, from K_ν(t) = ∫₀^∞ exp(−t cosh u) cosh(νu) du by the trapezoidal rule, which converges
// geometrically for this integrand; relative error below 1e-12 for ν ≤ 100.
func logBesselK(nu, t float64) float64 {
	// ln of the integrand; cosh(νu) = e^{νu}(1+e^{−2νu})/2.
	f := func(u float64) float64 { return -t*math.Cosh(u) + nu*u + math.Log1p(math.Exp(-2*nu*u)) - math.Ln2 }
	// The peak is where t sinh u ≈ ν.
	peak := math.Asinh(nu / t)
	top := math.Max(f(peak), f(0))
	const h = 1.0 / 64
	sum := math.Exp(f(0)-top) / 2
	for u := h; ; u += h {
		v := math.Exp(f(u) - top)
		sum += v
		if u > peak && v < 1e-18 {
			break
		}
	}
	return top + math.Log(sum*h)
}

func (k Kernel) checkMatern(where string) error {
	if !positive(k.sigma) {
		return badArg(where, "Kernel sigma", k.sigma, "the width must be a finite number above 0")
	}
	if !(k.nu > 0 && k.nu <= 100) {
		return badArg(where, "Kernel nu", k.nu, "the smoothness must lie in (0, 100]; for smoother kernels use RBF")
	}
	return nil
}

// maternStretch turns w ~ N(0, I/σ²) into a Student vector with 2ν degrees of freedom: divide by √(G/ν), G ~ Gamma(ν, 1).
func (k Kernel) maternStretch(w []float64, src *Source) {
	s := math.Sqrt(k.nu / gammaNoise(src, k.nu))
	for j := range w {
		w[j] *= s
	}
}

// maternSpectralDensity is the density of the multivariate Student law with 2ν degrees of freedom and scale 1/σ:
// Γ(ν+d/2)/(Γ(ν)(2νπ)^{d/2}) σ^d (1 + σ²‖ω‖²/(2ν))^{−(ν+d/2)}.
func (k Kernel) maternSpectralDensity(omega []float64) float64 {
	d, s := float64(len(omega)), 0.0
	for _, w := range omega {
		s += w * w
	}
	a, _ := math.Lgamma(k.nu + d/2)
	b, _ := math.Lgamma(k.nu)
	return math.Exp(a - b - d/2*math.Log(2*k.nu*math.Pi) + d*math.Log(k.sigma) - (k.nu+d/2)*math.Log1p(k.sigma*k.sigma*s/(2*k.nu)))
}

// maternMoment is (E‖ω‖^s)^root = (E‖g‖^s · ν^{s/2} · E G^{−s/2} / σ^s)^root, g ~ N(0, I), G ~ Gamma(ν): +Inf for s ≥ 2ν.
func (k Kernel) maternMoment(dim int, s, root float64) float64 {
	if s >= 2*k.nu {
		return math.Inf(1)
	}
	d := float64(dim)
	a, _ := math.Lgamma((d + s) / 2)
	b, _ := math.Lgamma(d / 2)
	c, _ := math.Lgamma(k.nu - s/2)
	e, _ := math.Lgamma(k.nu)
	return math.Exp(root * (s/2*math.Ln2 + a - b + s/2*math.Log(k.nu) + c - e - s*math.Log(k.sigma)))
}
