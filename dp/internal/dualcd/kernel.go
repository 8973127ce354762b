package dualcd

import (
	"context"
	"fmt"
	"math"
)

// Gram gives rows of the kernel matrix (without labels) and its diagonal.
type Gram struct {
	Cache *Cache
	Diag  []float64
}

// Kernel solves the SVM with the kernel matrix g; y holds ±1.
func Kernel(ctx context.Context, g *Gram, y []float64, o Options) (*Result, error) {
	for i, k := range g.Diag {
		if !(k >= 0) || math.IsInf(k, 1) {
			return nil, fmt.Errorf("%w: k(x,x) = %g at row %d; it must be finite and not negative", ErrIndefinite, k, i)
		}
	}
	s := &kernelSolver{g: g, y: y, o: o, n: len(y)}
	s.r = &Result{Alpha: make([]float64, s.n)}
	s.f = make([]float64, s.n)
	if o.Loss.Kind == Logistic {
		return s.logistic(ctx)
	}
	return s.pairs(ctx)
}

type kernelSolver struct {
	g *Gram
	y []float64
	o Options
	n int
	r *Result
	f []float64 // f_i = Σ_j y_j α_j k(x_i, x_j), kept up to date on the active rows
}

// add changes α_i by d and updates f on the active rows.
func (s *kernelSolver) add(i int, d float64, row []float64, active []int32) {
	s.r.Alpha[i] += d
	d *= s.y[i]
	if len(active) == s.n {
		f := s.f[:len(row)]
		for k, v := range row {
			f[k] += d * v
		}
		return
	}
	for _, k := range active {
		s.f[k] += d * row[k]
	}
}

// pairs runs pair steps on the box-constrained quadratic dual.
func (s *kernelSolver) pairs(ctx context.Context) (*Result, error) {
	lin, diag, lo, hi := s.o.Loss.quad(s.o.Cost)
	n, y, alpha := s.n, s.y, s.r.Alpha
	q, invq := make([]float64, n), make([]float64, n)
	active := make([]int32, n)
	for i := range q {
		q[i] = s.g.Diag[i] + diag
		invq[i] = 1 / q[i]
		active[i] = int32(i)
		if q[i] == 0 {
			alpha[i] = hi // φ(x_i) = 0: the dual is linear in α_i
		}
	}
	full := active
	grad := func(i int) float64 { return y[i]*s.f[i] - lin + diag*alpha[i] }
	check := max(64, n/8)
	best, stall := math.Inf(1), 0
	shrinkAt := min(n, 1000)
	const rescan = -2
	i := rescan
	for step := 0; ; step++ {
		if step%check == 0 {
			if err := canceled(ctx); err != nil {
				return nil, err
			}
			s.r.Passes = step / n
			if s.quickGap(active, lin, diag) <= 0.9*s.o.Tol || s.r.Passes >= s.o.MaxPasses {
				// Looks done on the active rows: recompute everything and certify.
				active, i = full, rescan
				s.refresh()
				if s.r.Reached || s.r.Passes >= s.o.MaxPasses {
					break
				}
				if stall++; s.r.Gap < 0.9*best {
					best, stall = s.r.Gap, 0
				}
				if stall > 30 {
					break
				}
			}
		}
		if step%shrinkAt == shrinkAt-1 && !s.o.NoShrink && len(active) > 256 {
			active, i = s.shrink(full, active, grad, lo, hi), rescan
		}
		// First index: largest gain G²/(2q) of a single step, found while f was updated, or by a scan.
		if i == rescan {
			i, _ = s.first(active, lin, diag, lo, hi, invq, nil, nil, 0, 0)
		}
		if i < 0 { // no active coordinate can gain anything
			if len(active) < n {
				s.refreshInactive(active)
				active, i = full, rescan
				continue
			}
			s.refresh()
			i = rescan
			if stall++; s.r.Reached || stall > 2 {
				break
			}
			continue
		}
		row := s.g.Cache.Row(i)
		gi := grad(i)
		// Second index: largest unconstrained gain of the pair.
		j, gain := -1, gi*gi*invq[i]
		qi, yi, gi2 := q[i], y[i], gi*gi
		f, row, y, alpha, q := s.f[:n], row[:n], y[:n], alpha[:n], q[:n] // one length: no bounds checks below
		for _, k32 := range active {
			k := int(k32)
			if uint(k) >= uint(n) {
				break // never: tells the compiler
			}
			a := alpha[k]
			g := y[k]*f[k] - lin + diag*a
			if g > 0 {
				if a <= lo {
					continue
				}
			} else if a >= hi {
				continue
			}
			if k == i {
				continue
			}
			qij := yi * y[k] * row[k]
			det := qi*q[k] - qij*qij
			if !(det > 1e-12*qi*q[k]) {
				if diag == 0 && !(det > -1e-8*qi*q[k]) {
					return nil, fmt.Errorf("%w: rows %d and %d give the Gram matrix [%g %g; %g %g] of determinant %g",
						ErrIndefinite, i, k, qi, row[k], row[k], q[k], det)
				}
				continue
			}
			// gain > best without dividing unless it is
			if v := gi2*q[k] - 2*gi*g*qij + g*g*qi; v > gain*det {
				gain, j = v/det, k
			}
		}
		if j < 0 {
			d := math.Min(math.Max(alpha[i]-gi*invq[i], lo), hi) - alpha[i]
			alpha[i] += d
			i, _ = s.first(active, lin, diag, lo, hi, invq, row, row, y[i]*d, 0)
			continue
		}
		qij := yi * y[j] * row[j]
		di, dj := pairStep(qi, q[j], qij, gi, grad(j), alpha[i], alpha[j], lo, hi)
		rowj := s.g.Cache.Row(j)
		// Clamp: a + (b − a) can miss b by a rounding.
		alpha[i] = math.Min(math.Max(alpha[i]+di, lo), hi)
		alpha[j] = math.Min(math.Max(alpha[j]+dj, lo), hi)
		i, _ = s.first(active, lin, diag, lo, hi, invq, row, rowj, yi*di, y[j]*dj)
	}
	if sq := s.norm(); sq < -1e-9*(1+s.r.Primal) || math.IsNaN(sq) {
		return nil, fmt.Errorf("%w: the solution has ‖w‖² = %g", ErrIndefinite, sq)
	}
	return s.r, nil
}

// first adds a·ra + b·rb to f on the active rows (unless ra is nil) and returns the coordinate whose single step gains most,
// or -1 if none can gain.
func (s *kernelSolver) first(active []int32, lin, diag, lo, hi float64, invq, ra, rb []float64, a, b float64) (int, float64) {
	f, y, alpha := s.f, s.y[:len(s.f)], s.r.Alpha[:len(s.f)]
	invq = invq[:len(f)]
	best, at := 0.0, -1
	if ra != nil {
		ra, rb = ra[:len(f)], rb[:len(f)]
	}
	for _, k32 := range active {
		k := int(k32)
		if uint(k) >= uint(len(f)) {
			break // never: tells the compiler
		}
		v := f[k]
		if ra != nil {
			v += a*ra[k] + b*rb[k]
			f[k] = v
		}
		al := alpha[k]
		g := y[k]*v - lin + diag*al
		if g > 0 {
			if al <= lo {
				continue
			}
		} else if al >= hi {
			continue
		}
		if v := g * g * invq[k]; v > best {
			best, at = v, k
		}
	}
	return at, best
}

// pairStep minimises the quadratic in two coordinates over the box.
func pairStep(qi, qj, qij, gi, gj, ai, aj, lo, hi float64) (di, dj float64) {
	det := qi*qj - qij*qij
	di = (-gi*qj + gj*qij) / det
	dj = (-gj*qi + gi*qij) / det
	if ai+di >= lo && ai+di <= hi && aj+dj >= lo && aj+dj <= hi {
		return di, dj
	}
	best := math.Inf(1)
	try := func(a, b float64) {
		a = math.Min(math.Max(a, lo-ai), hi-ai)
		b = math.Min(math.Max(b, lo-aj), hi-aj)
		if v := gi*a + gj*b + 0.5*(qi*a*a+qj*b*b) + qij*a*b; v < best {
			best, di, dj = v, a, b
		}
	}
	for _, e := range []float64{lo - ai, hi - ai} {
		if !math.IsInf(e, 0) {
			try(e, -(gj+qij*e)/qj)
		}
	}
	for _, e := range []float64{lo - aj, hi - aj} {
		if !math.IsInf(e, 0) {
			try(-(gi+qij*e)/qi, e)
		}
	}
	return di, dj
}

// quickGap is the gap of the active rows, from the running f.
func (s *kernelSolver) quickGap(active []int32, lin, diag float64) float64 {
	t := 0.0
	for _, k := range active {
		t += s.o.Loss.fenchel(s.y[k]*s.f[k], s.r.Alpha[k]/s.o.Cost)
	}
	return s.o.Cost * t
}

// shrink drops coordinates at a bound whose gradient points outward by more than the largest violation.
func (s *kernelSolver) shrink(full, active []int32, grad func(int) float64, lo, hi float64) []int32 {
	worst := 0.0
	for _, k := range active {
		i := int(k)
		g, a := grad(i), s.r.Alpha[i]
		if g > 0 && a > lo || g < 0 && a < hi {
			worst = math.Max(worst, math.Abs(g))
		}
	}
	out := make([]int32, 0, len(active))
	for _, k := range active {
		i := int(k)
		g, a := grad(i), s.r.Alpha[i]
		if a <= lo && g > worst || a >= hi && g < -worst {
			continue
		}
		out = append(out, k)
	}
	return out
}

// refreshInactive recomputes f on the rows that were set aside.
func (s *kernelSolver) refreshInactive(active []int32) {
	in := make([]bool, s.n)
	for _, k := range active {
		in[k] = true
	}
	var idle []int32
	for k := range in {
		if !in[k] {
			s.f[k] = 0
			idle = append(idle, int32(k))
		}
	}
	for j, a := range s.r.Alpha {
		if a == 0 {
			continue
		}
		row, d := s.g.Cache.Row(j), a*s.y[j]
		for _, k := range idle {
			s.f[k] += d * row[k]
		}
	}
}

func (s *kernelSolver) norm() float64 {
	var t sum
	for i, a := range s.r.Alpha {
		t.add(a * s.y[i] * s.f[i])
	}
	return t.value()
}

// refresh recomputes f from α and certifies.
func (s *kernelSolver) refresh() {
	clear(s.f)
	for j, a := range s.r.Alpha {
		if a != 0 {
			row, d := s.g.Cache.Row(j), a*s.y[j]
			for k, v := range row {
				s.f[k] += d * v
			}
		}
	}
	if s.r.Margin == nil {
		s.r.Margin = make([]float64, s.n)
	}
	for i := range s.f {
		s.r.Margin[i] = s.y[i] * s.f[i]
	}
	s.r.certify(s.o, s.norm())
}

// logistic runs passes of single steps in the logits.
func (s *kernelSolver) logistic(ctx context.Context) (*Result, error) {
	n, alpha := s.n, s.r.Alpha
	a := make([]float64, n)
	order := make([]int32, n)
	for i := range alpha {
		alpha[i] = s.o.Cost / 2
		order[i] = int32(i)
	}
	s.refresh()
	best, stall := s.r.Gap, 0
	for !s.r.Reached && s.r.Passes < s.o.MaxPasses {
		s.r.Passes++
		for k := range order {
			j := k + s.o.Intn(n-k)
			order[k], order[j] = order[j], order[k]
		}
		for t, i32 := range order {
			if t%64 == 0 {
				if err := canceled(ctx); err != nil {
					return nil, err
				}
			}
			i := int(i32)
			z := s.y[i] * s.f[i]
			if z+a[i] == 0 {
				continue
			}
			a[i] = logitStep(s.g.Diag[i], s.o.Cost, alpha[i], z, a[i])
			if d := s.o.Cost*sigma(a[i]) - alpha[i]; d != 0 {
				s.add(i, d, s.g.Cache.Row(i), order)
			}
		}
		gap := s.quickGap(order, 0, 0)
		if gap <= 0.9*s.o.Tol || gap >= 0.9*best {
			s.refresh()
			if stall++; s.r.Gap < 0.9*best {
				stall = 0
			}
			if stall > 20 {
				break
			}
		}
		best = math.Min(best, gap)
	}
	s.refresh()
	if sq := s.norm(); sq < -1e-9*(1+s.r.Primal) || math.IsNaN(sq) {
		return nil, fmt.Errorf("%w: the solution has ‖w‖² = %g", ErrIndefinite, sq)
	}
	return s.r, nil
}
