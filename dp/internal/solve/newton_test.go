package solve

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func huber(h float64) func(z, v, g, c []float64) {
	return func(z, v, g, c []float64) {
		for i, zi := range z {
			u := 1 - zi
			a, b, e := 0.0, 0.0, 0.0
			if u > h {
				a, b = u, -1
			} else if u >= -h {
				a, b, e = (u+h)*(u+h)/(4*h), -(u+h)/(2*h), 1/(2*h)
			}
			put(v, g, c, i, a, b, e)
		}
	}
}

func logistic(z, v, g, c []float64) {
	for i, zi := range z {
		e := math.Exp(-math.Abs(zi))
		q := 1 / (1 + e)
		s := -q
		if zi > 0 {
			s = -e * q
		}
		put(v, g, c, i, math.Log1p(e)+math.Max(0, -zi), s, e*q*q)
	}
}

func put(v, g, c []float64, i int, a, b, e float64) {
	if v != nil {
		v[i] = a
	}
	if g != nil {
		g[i] = b
	}
	if c != nil {
		c[i] = e
	}
}

// random makes n rows of norm at most 1, correlated with the label; density is the share of non-zero entries.
func random(n, d int, density float64, seed uint64) *Problem {
	r := rand.New(rand.NewPCG(seed, 1))
	w := make([]float64, d)
	for j := range w {
		w[j] = r.NormFloat64()
	}
	m := &Matrix{N: n, D: d}
	if density < 1 {
		m.Ptr = []int{0}
	}
	y := make([]float64, n)
	row := make([]float64, d)
	for i := range n {
		s, t := 0.0, 0.0
		for j := range row {
			row[j] = 0
			if r.Float64() < density {
				row[j] = r.NormFloat64()
			}
			s += row[j] * row[j]
			t += row[j] * w[j]
		}
		s = math.Max(math.Sqrt(s), 1e-9) * 1.000001
		for j := range row {
			if m.Ptr == nil {
				m.Val = append(m.Val, row[j]/s)
			} else if row[j] != 0 {
				m.Val, m.Idx = append(m.Val, row[j]/s), append(m.Idx, int32(j))
			}
		}
		if m.Ptr != nil {
			m.Ptr = append(m.Ptr, len(m.Val))
		}
		y[i] = math.Copysign(1, t+r.NormFloat64())
	}
	return &Problem{X: m, Y: y, Radius: 1}
}

// exactGradient computes ∇F in 300-bit arithmetic for the Huber loss with h = 1/2.
func exactGradient(p *Problem, hi, lo []float64) float64 {
	const prec = 300
	bf := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Mul(a, b) }
	d := p.X.D
	g := make([]*big.Float, d)
	f := make([]*big.Float, d)
	for j := range g {
		f[j] = bf(hi[j])
		f[j].Add(f[j], bf(lo[j]))
		g[j] = mul(bf(p.Reg), f[j])
		if p.Lin != nil {
			g[j].Add(g[j], bf(p.Lin[j]))
		}
	}
	row := make([]float64, d)
	for i := range p.X.N {
		p.X.Row(i, row)
		z := bf(0)
		for j, v := range row {
			z.Add(z, mul(bf(v), f[j]))
		}
		u := bf(1)
		u.Sub(u, mul(z, bf(p.Y[i])))
		s := bf(0)
		if u.Cmp(bf(0.5)) > 0 {
			s = bf(-1)
		} else if u.Cmp(bf(-0.5)) >= 0 {
			s.Add(u, bf(0.5))
			s.Neg(s)
		}
		s = mul(mul(s, bf(p.Y[i])), bf(p.weight(i)))
		for j, v := range row {
			g[j].Add(g[j], mul(s, bf(v)))
		}
	}
	sq := bf(0)
	for _, v := range g {
		sq.Add(sq, mul(v, v))
	}
	n, _ := sq.Sqrt(sq).Float64()
	return n
}

// The certificate must bound the exact gradient, computed with 300-bit numbers, on dense, sparse, weighted, noisy and
// badly scaled problems, and with tolerances below what one float64 vector can represent.
func TestCertificateHolds(t *testing.T) {
	for _, c := range []struct {
		name    string
		n, d    int
		density float64
		reg     float64
		lin     float64
		weights bool
		tol     float64
	}{
		{"dense", 400, 7, 1, 2, 0, false, 1e-9},
		{"dense noisy", 400, 7, 1, 2, 300, false, 1e-9},
		{"sparse", 700, 20, 0.2, 0.1, 5, false, 1e-9},
		{"weighted", 300, 5, 1, 1, 5, true, 1e-9},
		{"tiny regularisation", 500, 6, 1, 1e-6, 1e-3, false, 1e-9},
		{"two-vector iterate", 300, 5, 1, 1, 1e6, false, 1e-11},
		{"conjugate gradients", 300, 600, 0.02, 1, 10, false, 1e-9},
		{"one row", 1, 3, 1, 0.5, 1, false, 1e-12},
	} {
		p := random(c.n, c.d, c.density, 1)
		p.Eval, p.C, p.Reg = huber(0.5), 1, c.reg
		r := rand.New(rand.NewPCG(7, 7))
		p.Lin = make([]float64, c.d)
		for j := range p.Lin {
			p.Lin[j] = c.lin * r.NormFloat64()
		}
		if c.weights {
			p.W = make([]float64, c.n)
			for i := range p.W {
				p.W[i] = 3 * r.Float64()
			}
		}
		res, err := Minimise(context.Background(), p, nil, c.tol)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if res.Norm > c.tol {
			t.Errorf("%s: certificate %g above tolerance %g", c.name, res.Norm, c.tol)
		}
		if g := exactGradient(p, res.Hi, res.Lo); g > res.Norm {
			t.Errorf("%s: exact gradient %g above certificate %g", c.name, g, res.Norm)
		}
	}
}

// Wrong certificates must be impossible: at random points the exact gradient lies within err of the computed one.
func TestCertifiedGradientBoundsError(t *testing.T) {
	p := random(300, 6, 1, 3)
	p.Eval, p.C, p.Reg = huber(0.5), 1, 0.7
	r := rand.New(rand.NewPCG(9, 1))
	for trial := range 20 {
		hi, lo := make([]float64, 6), make([]float64, 6)
		for j := range hi {
			hi[j] = 10 * r.NormFloat64()
			lo[j] = 1e-17 * r.NormFloat64()
		}
		budget := []float64{0, 1e-10}[trial%2] // the close look and the quick one
		g, e := p.certifiedGradient(hi, lo, 1, budget)
		if want := exactGradient(p, hi, lo); math.Abs(want-norm(g)) > e+1e-15*want {
			t.Errorf("norm %g, computed %g, bound on the error %g", want, norm(g), e)
		}
		if e > 1e-10 {
			t.Errorf("error bound %g is too loose to be of use", e)
		}
	}
}

// Dense and sparse storage, one and several workers, warm and cold starts give the same minimiser.
func TestMinimiserDoesNotDependOnThePath(t *testing.T) {
	p := random(3000, 12, 1, 4)
	p.Eval, p.C, p.Reg = logistic, 0.25, 0.5
	a, err := Minimise(context.Background(), p, nil, 1e-10)
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	sp := Matrix{N: p.X.N, D: p.X.D, Val: p.X.Val, Ptr: []int{0}}
	for i := range p.X.N {
		for j := range p.X.D {
			sp.Idx = append(sp.Idx, int32(j))
		}
		sp.Ptr = append(sp.Ptr, (i+1)*p.X.D)
	}
	q.X = &sp
	start := make([]float64, 12)
	for j := range start {
		start[j] = 50 * float64(j%3-1)
	}
	b, err := Minimise(context.Background(), &q, start, 1e-10)
	if err != nil {
		t.Fatal(err)
	}
	for j := range a.Hi {
		// ‖f−f'‖ ≤ 2·tol/Reg by strong convexity.
		if math.Abs(a.Hi[j]-b.Hi[j]) > 2*1e-10/0.5 {
			t.Errorf("coordinate %d: %.15g and %.15g", j, a.Hi[j], b.Hi[j])
		}
	}
}

func TestMinimiseStops(t *testing.T) {
	p := random(3000, 12, 1, 4)
	p.Eval, p.C, p.Reg = logistic, 0.25, 0.5
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Minimise(ctx, p, nil, 1e-9); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled context: %v", err)
	}
	// A tolerance finer than the arithmetic must be refused, never reported as reached.
	var nc *NotCertified
	if r, err := Minimise(context.Background(), p, nil, 1e-30); !errors.As(err, &nc) {
		t.Errorf("impossible tolerance: %v, %v", r, err)
	}
}

func TestPanicInALossReachesTheCaller(t *testing.T) {
	p := random(100_000, 4, 1, 4)
	p.C, p.Reg = 1, 1
	p.Eval = func(z, v, g, c []float64) { panic("user's loss") }
	defer func() {
		if r := recover(); r != "user's loss" {
			t.Errorf("recovered %v", r)
		}
	}()
	Minimise(context.Background(), p, nil, 1e-9)
}

func benchmark(b *testing.B, p *Problem, tol float64) {
	for b.Loop() {
		r, err := Minimise(context.Background(), p, nil, tol)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Steps), "steps")
	}
}

func BenchmarkHuberDense50000x105(b *testing.B) {
	p := random(50_000, 105, 1, 1)
	p.Eval, p.C, p.Reg = huber(0.5), 1, 50
	benchmark(b, p, 1e-9)
}

func BenchmarkLogisticDense50000x105(b *testing.B) {
	p := random(50_000, 105, 1, 1)
	p.Eval, p.C, p.Reg = logistic, 0.25, 50
	benchmark(b, p, 1e-9)
}

// Many fits at once are the fits one by one, and their certificates hold exactly.
func TestMany(t *testing.T) {
	for _, density := range []float64{1, 0.3} {
		p := random(2500, 9, density, 5)
		p.Eval, p.C, p.Reg = huber(0.5), 1, 1.5
		r := rand.New(rand.NewPCG(8, 1))
		var lins [][]float64
		for k := range 12 {
			b := make([]float64, 9)
			for j := range b {
				b[j] = r.NormFloat64() * math.Pow(10, float64(k%4))
			}
			lins = append(lins, b)
		}
		rs, err := Many(context.Background(), p, lins, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		for i, res := range rs {
			q := *p
			q.Lin = lins[i]
			one, err := Minimise(context.Background(), &q, nil, 1e-9)
			if err != nil {
				t.Fatal(err)
			}
			for j := range one.Hi {
				if math.Abs(one.Hi[j]-res.Hi[j]) > 2*1e-9/1.5 {
					t.Errorf("fit %d: %g alone, %g in the batch", i, one.Hi[j], res.Hi[j])
				}
			}
			if i < 3 {
				if g := exactGradient(&q, res.Hi, res.Lo); g > res.Norm || res.Norm > 1e-9 {
					t.Errorf("fit %d: exact gradient %g, certificate %g", i, g, res.Norm)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := random(100, 3, 1, 5)
	p.Eval, p.C, p.Reg = huber(0.5), 1, 1
	if _, err := Many(ctx, p, [][]float64{{1, 1, 1}, {2, 2, 2}}, 1e-9); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p.Eval = func(z, v, g, c []float64) { panic("user's loss") }
	defer func() {
		if recover() != "user's loss" {
			t.Error("the panic of a loss must reach the caller")
		}
	}()
	Many(context.Background(), p, [][]float64{{1, 1, 1}, {2, 2, 2}}, 1e-9)
}

// Gradient against central differences of the value, and Hessian products against differences of the gradient, for weighted,
// tilted, dense and sparse problems with a loss smooth enough for differences.
func TestDerivativesByFiniteDifferences(t *testing.T) {
	for _, density := range []float64{1, 0.4} {
		p := random(150, 8, density, 11)
		p.Eval, p.C, p.Reg = logistic, 0.25, 0.7
		r := rand.New(rand.NewPCG(4, 4))
		p.Lin, p.W = make([]float64, 8), make([]float64, 150)
		f, v := make([]float64, 8), make([]float64, 8)
		for j := range f {
			p.Lin[j], f[j], v[j] = r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		}
		for i := range p.W {
			p.W[i] = r.Float64()
		}
		grad := func(f []float64) []float64 {
			g, _ := p.certifiedGradient(f, make([]float64, 8), 1, 0)
			return g
		}
		shifted := func(t float64) []float64 {
			out := append([]float64(nil), f...)
			axpy(t, v, out)
			return out
		}
		const step = 1e-5
		s := newState(p, f)
		copy(s.step, v)
		p.margins(f, s.z, 1)
		p.margins(v, s.dz, 1)
		if fd, want := (s.value(step)-s.value(-step))/(2*step), dot(grad(f), v); math.Abs(fd-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("slope along v is %g, by differences %g", want, fd)
		}
		p.curvatures(s.z, s.curv, 1)
		hv, diff := make([]float64, 8), make([]float64, 8)
		p.hessianTimes(s.curv, v, hv, 1)
		up, dn := grad(shifted(step)), grad(shifted(-step))
		s.hess.set(p, s.curv, 1, 1, nil)
		for j := range diff {
			diff[j] = (up[j] - dn[j]) / (2 * step)
			if math.Abs(diff[j]-hv[j]) > 1e-7*(1+math.Abs(hv[j])) {
				t.Errorf("Hessian times v, coordinate %d: %g, by differences %g", j, hv[j], diff[j])
			}
			full := p.Reg * v[j]
			for k := range v {
				full += s.hess.sum[max(j, k)*8+min(j, k)] * v[k]
			}
			if math.Abs(full-hv[j]) > 1e-11*(1+math.Abs(hv[j])) {
				t.Errorf("formed Hessian times v, coordinate %d: %g, by products %g", j, full, hv[j])
			}
		}
	}
}
