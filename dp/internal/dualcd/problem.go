// Package dualcd solves support vector machines without intercept by dual coordinate ascent and certifies the result by
// the duality gap.
//
// The primal is P(w) = ½‖w‖² + c Σ ℓ(z_i), z_i = y_i⟨w, φ(x_i)⟩, with c = C/n; the dual is
//
//	D(α) = −½ αᵀQα − c Σ φ*(−α_i/c),   Q_ij = y_i y_j k(x_i, x_j),   w = Σ α_i y_i φ(x_i),
//
// and P − D = c Σ [ℓ(z_i) + φ*(−u_i) + u_i z_i] with u = α/c is a sum of terms that are never negative (Fenchel–Young),
// so the gap can be computed without cancellation. P is 1-strongly convex: ‖w − w*‖ ≤ √(2·gap).
//
// Sources: Hsieh, Chang, Lin, Keerthi, Sundararajan 2008 (linear, shrinking); Yu, Huang, Lin 2011 (logistic); Steinwart,
// Hush, Scovel 2011 (kernels without offset, pairs); Fan, Chen, Lin 2005 (second-order choice of pairs).
package dualcd

import (
	"context"
	"errors"
	"math"
)

// Kind names a loss.
type Kind int

const (
	Hinge    Kind = iota // (1−z)_+
	Huber                // 0, (1+h−z)²/(4h), 1−z
	Logistic             // ln(1+e^{−z})
	Square               // (1−z)²
)

// Loss is a kind with its parameter.
type Loss struct {
	Kind Kind
	H    float64 // of Huber
}

// Options of both solvers.
type Options struct {
	Loss      Loss
	Cost      float64 // c = C/n, above 0
	Tol       float64 // stop at this duality gap (absolute)
	MaxPasses int     // passes over the data, or n pair steps each
	NoShrink  bool
	Intn      func(n int) int // uniform in [0, n)
}

// Result of either solver.
type Result struct {
	Alpha   []float64 // dual variables α_i (≥ 0 except for Square)
	W       []float64 // linear solver only
	Margin  []float64 // z_i, recomputed at the end
	Primal  float64
	Dual    float64
	Gap     float64
	Passes  int
	Reached bool // Gap ≤ Tol
}

// ErrIndefinite is returned, wrapped with the proof, when a kernel is seen not to be positive definite.
var ErrIndefinite = errors.New("kernel is not positive definite")

// quad gives the loss as a box-constrained quadratic dual: minimise ½αᵀ(Q+diag·I)α − lin·Σα, lo ≤ α ≤ hi.
func (l Loss) quad(c float64) (lin, diag, lo, hi float64) {
	switch l.Kind {
	case Huber:
		return 1 + l.H, 2 * l.H / c, 0, c
	case Square:
		return 1, 1 / (2 * c), math.Inf(-1), math.Inf(1)
	}
	return 1, 0, 0, c
}

// value is ℓ(z).
func (l Loss) value(z float64) float64 {
	switch l.Kind {
	case Huber:
		t := 1 + l.H - z
		if t <= 0 {
			return 0
		}
		if t <= 2*l.H {
			return t * t / (4 * l.H)
		}
		return 1 - z
	case Logistic:
		return softplus(-z)
	case Square:
		return (1 - z) * (1 - z)
	}
	return math.Max(0, 1-z)
}

// fenchel is ℓ(z) + φ*(−u) + u·z ≥ 0.
func (l Loss) fenchel(z, u float64) float64 {
	switch l.Kind {
	case Huber:
		t := 1 + l.H - z
		switch {
		case t <= 0:
			return u * (l.H*u - t)
		case t <= 2*l.H:
			e := u - t/(2*l.H)
			return l.H * e * e
		}
		return (1 - u) * (t - l.H*(1+u))
	case Logistic:
		return kl(u, z)
	case Square:
		e := 1 - z - u/2
		return e * e
	}
	if z < 1 {
		return (1 - u) * (1 - z)
	}
	return u * (z - 1)
}

func softplus(s float64) float64 {
	if s > 0 {
		return s + math.Log1p(math.Exp(-s))
	}
	return math.Log1p(math.Exp(s))
}

func sigma(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// kl is the divergence of u from σ(−z), the Fenchel gap of the logistic loss; a Taylor form where the terms cancel.
func kl(u, z float64) float64 {
	if u <= 0 {
		return softplus(-z)
	}
	if u >= 1 {
		return softplus(z)
	}
	a := math.Log(u) - math.Log1p(-u)
	d := -z - a
	if math.Abs(d) < 1e-4 {
		return 0.5 * u * (1 - u) * d * d * (1 + math.Abs((1-2*u)*d)/3 + d*d)
	}
	return math.Max(0, softplus(-z)-softplus(a)-u*d)
}

// conj is φ*(−u).
func (l Loss) conj(u float64) float64 {
	switch l.Kind {
	case Huber:
		return -u*(1+l.H) + l.H*u*u
	case Logistic:
		s := 0.0
		if u > 0 {
			s += u * math.Log(u)
		}
		if u < 1 {
			s += (1 - u) * math.Log1p(-u)
		}
		return s
	case Square:
		return -u + u*u/4
	}
	return -u
}

// certify fills Primal, Dual and Gap from margins and duals; sq is ‖w‖² = αᵀQα.
func (r *Result) certify(o Options, sq float64) {
	var gap, loss, conj sum
	for i, z := range r.Margin {
		u := r.Alpha[i] / o.Cost
		gap.add(o.Loss.fenchel(z, u))
		loss.add(o.Loss.value(z))
		conj.add(o.Loss.conj(u))
	}
	r.Gap = o.Cost * gap.value()
	r.Primal = 0.5*sq + o.Cost*loss.value()
	r.Dual = -0.5*sq - o.Cost*conj.value()
	r.Reached = r.Gap <= o.Tol
}

// sum is Neumaier's compensated sum.
type sum struct{ s, c float64 }

func (k *sum) add(x float64) {
	t := k.s + x
	if math.Abs(k.s) >= math.Abs(x) {
		k.c += (k.s - t) + x
	} else {
		k.c += (x - t) + k.s
	}
	k.s = t
}
func (k *sum) value() float64 { return k.s + k.c }

// logitStep solves q(cσ(a) − α) + z + a = 0 for the new logit a: increasing in a with slope ≥ 1, so Newton inside the
// bracket [−z−qc, −z+qc] cannot fail.
func logitStep(q, c, alpha, z, a float64) float64 {
	lo, hi := -z-q*c, -z+q*c
	if !(a >= lo && a <= hi) {
		a = -z + q*(alpha-0.5*c)
	}
	last := math.Inf(1)
	for i := 0; i < 200; i++ {
		s := sigma(a)
		f := q*(c*s-alpha) + z + a
		if math.Abs(f) <= 4e-16*(q*c+math.Abs(z)+math.Abs(a)) {
			return a
		}
		if f > 0 {
			hi = a
		} else {
			lo = a
		}
		next := a - f/(1+q*c*s*(1-s))
		if !(next > lo && next < hi) || math.Abs(f) > 0.5*last { // Newton can swing between the two flat sides of σ
			next = 0.5 * (lo + hi)
		}
		last = math.Abs(f)
		if math.Abs(next-a) <= 4e-16*(1+math.Abs(a)) {
			return next
		}
		a = next
	}
	return a
}

func canceled(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}
