package dp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// objectiveLoss computes with the output density of objective perturbation,
//
//	p(f) ∝ e^{−κ‖b(f)‖} det H(f),  b(f) = −Σ w_i ℓ'(z_i) y_i x_i − a f,  H(f) = a I + Σ w_i ℓ''(z_i) x_i x_iᵀ :
//
// the noise b that makes f the minimiser, and the Jacobian of f ↦ b. The normalising constants of both data sets are equal.
type objectiveLoss struct {
	loss  Loss
	kappa float64
	sigma float64   // Gaussian noise of this deviation instead of e^{−κ‖b‖}, if above 0
	reg   []float64 // regularisation of each coordinate
	side  [2]mapped
	own   [2][]int // rows that the other side does not have, by position
	dim   int
	found *[]float64 // margins where ℓ'' jumps, see kinks; shared by the pairs of one search
}

type mapped struct {
	x    [][]float64
	y, w []float64
}

func exactObjective(m ObjectivePerturbation, d0, d1 *Data) (*PrivacyLoss, error) {
	if !m.Reg.none() {
		return nil, fmt.Errorf("dp.ExactLoss: with the regulariser %s the output law has atoms, and no density is known; dp.Audit tests it from samples", m.Reg.suffix())
	}
	_, p, err := m.claim(d0)
	if err != nil {
		return nil, err
	}
	return exactPerturbed(PerturbedObjective{Loss: defaultLoss(m.Loss), Kappa: p.Kappa, Reg: p.A}, d0, d1)
}

func exactGaussianObjective(m GaussianObjectivePerturbation, d0, d1 *Data) (*PrivacyLoss, error) {
	if !m.Reg.none() {
		return nil, fmt.Errorf("dp.ExactLoss: with the regulariser %s the output law has atoms, and no density is known; dp.Audit tests it from samples", m.Reg.suffix())
	}
	_, p, err := m.claim(d0)
	if err != nil {
		return nil, err
	}
	l, err := exactPerturbed(PerturbedObjective{Loss: defaultLoss(m.Loss), Kappa: 1, Reg: p.a}, d0, d1)
	if err != nil {
		return nil, err
	}
	l.obj.sigma = p.sigma
	return l, nil
}

func exactPerturbed(m PerturbedObjective, d0, d1 *Data) (*PrivacyLoss, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	o := &objectiveLoss{loss: defaultLoss(m.Loss), kappa: m.Kappa}
	for k, d := range []*Data{d0, d1} {
		rows, err := m.rows(d)
		if err != nil {
			return nil, err
		}
		o.side[k] = mapped{x: rows, y: d.y, w: d.weight}
	}
	o.dim = len(o.side[0].x[0])
	if o.dim != len(o.side[1].x[0]) {
		return nil, fmt.Errorf("dp.ExactLoss: the feature map gives %d and %d coordinates", o.dim, len(o.side[1].x[0]))
	}
	o.reg = make([]float64, o.dim)
	for j := range o.reg {
		o.reg[j] = m.Reg
	}
	if m.FreeIntercept {
		o.reg[o.dim-1] = 0
	}
	o.split()
	l := &PrivacyLoss{Dim: o.dim, At: o.at, obj: o}
	if o.dim == 1 && !m.FreeIntercept {
		l.law.pld = o.pld1
	}
	if !m.FreeIntercept {
		l.sample = func(src *Source) ([]float64, error) { return o.draw(0, src) }
		l.reverse = func(src *Source) ([]float64, error) { return o.draw(1, src) }
	}
	return l, nil
}

// draw releases once: f with b(f) = b for a fresh b, by damped Newton steps on Σℓ + a‖f‖²/2 + b·f down to a gradient of 1e-10. It is for
// sampling the loss, not for publishing a model.
func (o *objectiveLoss) draw(side int, src *Source) ([]float64, error) {
	noise := GammaNorm{Dim: o.dim, Kappa: o.kappa}.Sample(src)
	if o.sigma > 0 {
		for j := range noise {
			noise[j] = o.sigma * src.Norm()
		}
	}
	s := o.side[side]
	value := func(f []float64) float64 {
		v := floats.Dot(noise, f)
		for j, x := range f {
			v += o.reg[j] * x * x / 2
		}
		for i, x := range s.x {
			v += s.weight(i) * o.loss.Value(s.y[i]*floats.Dot(f, x))
		}
		return v
	}
	f := make([]float64, o.dim)
	for j := range f {
		f[j] = -noise[j] / o.reg[j]
	}
	v := value(f)
	for range 200 {
		// ∇ = noise − b(f), Hessian = H(f)
		h := mat.NewSymDense(o.dim, nil)
		g := mat.NewVecDense(o.dim, nil)
		for j := range f {
			h.SetSym(j, j, o.reg[j])
			g.SetVec(j, noise[j]+o.reg[j]*f[j])
		}
		for i, x := range s.x {
			z, w := s.y[i]*floats.Dot(f, x), s.weight(i)
			xv := mat.NewVecDense(o.dim, x)
			g.AddScaledVec(g, w*o.loss.Grad(z)*s.y[i], xv)
			if c := w * o.loss.Hess(z); c != 0 {
				h.SymRankOne(h, c, xv)
			}
		}
		if mat.Norm(g, 2) <= 1e-10*(1+norm2(noise)) {
			return f, nil
		}
		var ch mat.Cholesky
		var step mat.VecDense
		if !ch.Factorize(h) || ch.SolveVecTo(&step, g) != nil {
			break
		}
		next := make([]float64, o.dim)
		t := 1.0
		for ; t > 1e-12; t /= 2 {
			floats.AddScaledTo(next, f, -t, step.RawVector().Data)
			if n := value(next); n < v || t == 1 && n <= v+1e-12*math.Abs(v) {
				v = n
				break
			}
		}
		if t <= 1e-12 {
			return f, nil // at the resolution of float64
		}
		f = next
	}
	return nil, fmt.Errorf("dp.ExactLoss: sampling the mechanism did not converge")
}

// at is L(f).
func (o *objectiveLoss) at(f []float64) float64 {
	b0, d0 := o.noise(0, f)
	b1, d1 := o.noise(1, f)
	// ‖b₁‖ − ‖b₀‖ = (b₁−b₀)·(b₁+b₀)/(‖b₁‖+‖b₀‖), with b₁ − b₀ from the differing rows only: far out, where b is huge, the
	// difference of the norms would be rounding noise.
	diff := make([]float64, o.dim)
	for side, s := range o.side {
		sign := float64(1 - 2*side)
		for _, i := range o.own[side] {
			z := s.y[i] * floats.Dot(f, s.x[i])
			floats.AddScaled(diff, sign*s.weight(i)*o.loss.Grad(z)*s.y[i], s.x[i])
		}
	}
	sum := norm2(b0) + norm2(b1)
	if sum == 0 {
		return d0 - d1
	}
	floats.Add(b0, b1)
	if o.sigma > 0 {
		return floats.Dot(diff, b0)/(2*o.sigma*o.sigma) + d0 - d1
	}
	return o.kappa*floats.Dot(diff, b0)/sum + d0 - d1
}

// noise returns b(f) and ln det H(f) for one data set.
func (o *objectiveLoss) noise(side int, f []float64) (b []float64, logdet float64) {
	s := o.side[side]
	b = make([]float64, o.dim)
	if o.dim == 1 {
		h := o.reg[0]
		b[0] = -o.reg[0] * f[0]
		for i, x := range s.x {
			z := s.y[i] * f[0] * x[0]
			w := s.weight(i)
			b[0] -= w * o.loss.Grad(z) * s.y[i] * x[0]
			h += w * o.loss.Hess(z) * x[0] * x[0]
		}
		return b, math.Log(h)
	}
	h := mat.NewSymDense(o.dim, nil)
	for j := range b {
		b[j] = -o.reg[j] * f[j]
		h.SetSym(j, j, o.reg[j])
	}
	for i, x := range s.x {
		z := s.y[i] * floats.Dot(f, x)
		w := s.weight(i)
		floats.AddScaled(b, -w*o.loss.Grad(z)*s.y[i], x)
		if c := w * o.loss.Hess(z); c != 0 {
			h.SymRankOne(h, c, mat.NewVecDense(o.dim, x))
		}
	}
	var ch mat.Cholesky
	if !ch.Factorize(h) {
		return b, math.Inf(-1) // only with an unregularised coordinate: no output near f
	}
	return b, ch.LogDet()
}

func (m mapped) weight(i int) float64 {
	if m.w == nil {
		return 1
	}
	return m.w[i]
}

// kinks lists the margins where ℓ″ jumps. Finding them asks the loss 20,000 times, so it is done once and only when needed.
func (o *objectiveLoss) kinks() []float64 {
	if o.found == nil {
		k := kinksOf(o.loss)
		o.found = &k
	}
	return *o.found
}

// kinksOf finds the margins in [−20, 20] where ℓ″ jumps by a tenth of C or more.
func kinksOf(l Loss) []float64 {
	const step = 1.0 / 512
	var out []float64
	jump := func(a, b float64) bool { return math.Abs(l.Hess(a)-l.Hess(b)) > 0.1*l.C }
	for z := -20.0; z < 20; z += step {
		a, b := z, z+step
		if !jump(a, b) {
			continue
		}
		for range 60 {
			m := (a + b) / 2
			if m <= a || m >= b {
				break
			}
			if jump(a, m) {
				b = m
			} else {
				a = m
			}
		}
		if jump(a, b) && b-a < 1e-9 { // a steep but smooth ℓ'' is not a jump
			if k := len(out); k == 0 || a-out[k-1] > 1e-9 {
				out = append(out, a)
			}
		}
	}
	return out
}

// differing lists a few of the rows that are in one data set only.
func (o *objectiveLoss) differing() []diffRow {
	var out []diffRow
	for side, s := range o.side {
		for _, i := range o.own[side][:min(3, len(o.own[side]))] {
			out = append(out, diffRow{s.x[i], s.y[i]})
		}
	}
	return out
}

// split fills own.
func (o *objectiveLoss) split() {
	a, b := o.side[0], o.side[1]
	for i := range max(len(a.x), len(b.x)) {
		ina, inb := i < len(a.x), i < len(b.x)
		if ina && inb && a.y[i] == b.y[i] && a.weight(i) == b.weight(i) && floats.Equal(a.x[i], b.x[i]) {
			continue
		}
		if ina {
			o.own[0] = append(o.own[0], i)
		}
		if inb {
			o.own[1] = append(o.own[1], i)
		}
	}
}
