package solve

import "math"

// A Prox is a convex, possibly non-smooth function r with a cheap proximal map.
type Prox interface {
	Value(f []float64) float64
	// Apply replaces f by argmin_u r(u) + ‖u−f‖²/(2t).
	Apply(f []float64, t float64)
	// Residual is an upper bound on the norm of the smallest element of g + ∂r(f), up to float rounding of relative size 1e-14;
	// lip is a Lipschitz constant of the gradient g is taken from (used where f meets a curved constraint only to rounding).
	Residual(g, f []float64, lip float64) float64
}

// L1 is Mu·‖f‖₁.
type L1 struct{ Mu float64 }

func (r L1) Value(f []float64) float64 {
	s := 0.0
	for _, v := range f {
		s += math.Abs(v)
	}
	return r.Mu * s
}

func (r L1) Apply(f []float64, t float64) {
	for j, v := range f {
		switch k := r.Mu * t; {
		case v > k:
			f[j] = v - k
		case v < -k:
			f[j] = v + k
		default:
			f[j] = 0
		}
	}
}

func (r L1) Residual(g, f []float64, _ float64) float64 {
	out := make([]float64, len(f))
	for j, v := range f {
		switch {
		case v > 0:
			out[j] = g[j] + r.Mu
		case v < 0:
			out[j] = g[j] - r.Mu
		default:
			out[j] = math.Max(math.Abs(g[j])-r.Mu, 0)
		}
	}
	return norm(out)
}

// Group is Mu·Σ_g ‖f_g‖₂ over disjoint groups.
type Group struct {
	Mu     float64
	Groups [][]int
}

func gather(v []float64, idx []int) []float64 {
	out := make([]float64, len(idx))
	for i, j := range idx {
		out[i] = v[j]
	}
	return out
}

func (r Group) Value(f []float64) float64 {
	s := 0.0
	for _, g := range r.Groups {
		s += norm(gather(f, g))
	}
	return r.Mu * s
}

func (r Group) Apply(f []float64, t float64) {
	for _, g := range r.Groups {
		n := norm(gather(f, g))
		scale := 0.0
		if n > r.Mu*t {
			scale = 1 - r.Mu*t/n
		}
		for _, j := range g {
			f[j] *= scale
		}
	}
}

func (r Group) Residual(g, f []float64, _ float64) float64 {
	out := append([]float64(nil), g...)
	var zero []float64
	for _, grp := range r.Groups {
		if n := norm(gather(f, grp)); n > 0 {
			for _, j := range grp {
				out[j] += r.Mu * f[j] / n
			}
			continue
		}
		zero = append(zero, math.Max(norm(gather(g, grp))-r.Mu, 0))
		for _, j := range grp {
			out[j] = 0
		}
	}
	return math.Hypot(norm(out), norm(zero))
}

// Box is the indicator of Lo ≤ f_j ≤ Hi.
type Box struct{ Lo, Hi float64 }

func (r Box) Value(f []float64) float64 {
	for _, v := range f {
		if v < r.Lo || v > r.Hi {
			return math.Inf(1)
		}
	}
	return 0
}

func (r Box) Apply(f []float64, _ float64) {
	for j, v := range f {
		f[j] = math.Min(math.Max(v, r.Lo), r.Hi)
	}
}

func (r Box) Residual(g, f []float64, _ float64) float64 {
	out := make([]float64, len(f))
	for j, v := range f {
		switch {
		case r.Lo == r.Hi:
		case v == r.Lo:
			out[j] = math.Min(g[j], 0) // pushing down against the floor is free
		case v == r.Hi:
			out[j] = math.Max(g[j], 0)
		default:
			out[j] = g[j]
		}
	}
	return norm(out)
}

// Ball is the indicator of ‖f‖₂ ≤ Radius.
type Ball struct{ Radius float64 }

func (r Ball) Value(f []float64) float64 {
	if norm(f) > r.Radius*(1+1e-14) {
		return math.Inf(1)
	}
	return 0
}

func (r Ball) Apply(f []float64, _ float64) {
	if n := norm(f); n > r.Radius {
		for j := range f {
			f[j] *= r.Radius / n
		}
	}
}

// Residual: a float vector is on the sphere only up to rounding. If it is the minimiser over the ball of its own norm r', then
// the minimiser over radius r is within |r'−r|·lip/a of it (monotonicity of the gradient), which counts as a residual of
// |r'−r|·lip.
func (r Ball) Residual(g, f []float64, lip float64) float64 {
	n := norm(f)
	if n < r.Radius*(1-1e-13) {
		return norm(g)
	}
	t := 0.0
	for j, v := range f {
		t -= g[j] * v
	}
	t = math.Max(t/(n*n), 0)
	out := make([]float64, len(f))
	for j, v := range f {
		out[j] = g[j] + t*v
	}
	return norm(out) + (math.Abs(n-r.Radius)+4*ulp*n)*lip
}
