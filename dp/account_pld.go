package dp

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/dsp/fourier"
)

// A PLD is the law of the privacy loss ln(P(o)/Q(o)) of a release, o ~ P, on a grid: the most exact way
// to account for many releases, because losses of independent releases add and
// their laws are therefore convolved (by FFT).
//
//	δ(ε) = E[(1 − e^{ε−L})₊]
//
// Every rounding goes to the unsafe side and is tracked: Delta and Eps are upper bounds, and
// DeltaBounds and EpsBounds bracket the truth. A loss between two grid points is split over both so that its mass under P and
// under Q is kept ("connect the dots", Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022), which makes the error
// after k releases about h√k and not h·k. See Koskela, Jälkö and Honkela 2020 and Gopi, Lee and Wutschitz 2021 for the method.
type PLD struct {
	dirs []lossPMF // one, or both orders of the pair when they differ
}

// lossPMF is the discretised law for one order of the pair.
type lossPMF struct {
	h        float64 // grid step
	lo       int     // p[i] is the mass at (lo+i)·h
	p        []float64
	inf      float64   // mass at +∞
	up, down []float64 // tail sums of p and of p·e^{−loss}, see finish

	qin float64 // mass of Q where P has none (loss −∞ under Q); only subsampling needs it

	// What the rounding can have added: mean ≤ shift, worst case ≤ most, and the rest is a
	// martingale with Σ(range²) = vari. extra is an additive bound on the error of δ (FFT, cut tails).
	shift, most, vari float64
	extra             float64
}

const (
	pldStep = 1e-4    // default grid
	pldTail = 1e-15   // mass cut off at each end of a composition
	pldMax  = 1 << 21 // longest grid; longer ones are coarsened

	// All terms of the sums are positive, so floating point errs relatively: about √n units in the last place, n ≤ 2^21.
	pldRound = 1e-11
)

// add puts mass p (under P) and q (under Q), whose loss lies in [a, b], on the grid points around a and b such that both masses are kept.
// Any spreading of the loss over a wider interval with the same P and Q mass dominates.
func (l *lossPMF) add(p, q, a, b float64) {
	if p <= 0 {
		return
	}
	i, j := int(math.Floor(a/l.h)), int(math.Ceil(b/l.h))
	if math.Abs(a-math.Round(a/l.h)*l.h) < 1e-12*(1+math.Abs(a)) {
		i = int(math.Round(a / l.h))
	}
	if math.Abs(b-math.Round(b/l.h)*l.h) < 1e-12*(1+math.Abs(b)) {
		j = int(math.Round(b / l.h))
	}
	if j <= i {
		l.put(i, p)
		return
	}
	w := l.h * float64(j-i)
	// up + down = p, up·e^{−jh} + down·e^{−ih} = q
	up := (p - q*math.Exp(float64(i)*l.h)) / -math.Expm1(-w)
	up = math.Min(p, math.Max(0, up))
	l.put(j, up)
	l.put(i, p-up)
}

func (l *lossPMF) put(i int, p float64) {
	k := i - l.lo
	switch {
	case k < 0: // losses below the grid are rounded up
		k = 0
	case k >= len(l.p):
		l.inf += p
		return
	}
	l.p[k] += p
}

// newLossPMF returns an empty grid over [min, max].
func newLossPMF(min, max, h float64) (lossPMF, error) {
	if h == 0 {
		h = pldStep
	}
	if !(h > 0) || math.IsInf(h, 1) {
		return lossPMF{}, fmt.Errorf("dp.PLD: grid step %v must be positive (0 = %v)", h, pldStep)
	}
	for (max-min)/h > pldMax {
		h *= 2
	}
	lo, hi := int(math.Floor(min/h))-1, int(math.Ceil(max/h))+1
	return lossPMF{h: h, lo: lo, p: make([]float64, hi-lo+1), shift: h * h / 8, most: h, vari: h * h}, nil
}

// Delta returns an upper bound on the δ(ε) of the releases, tight up to the grid.
func (l PLD) Delta(eps float64) float64 {
	d := 0.0
	for _, p := range l.dirs {
		d = math.Max(d, p.delta(eps)*(1+pldRound)+p.extra)
	}
	return math.Min(1, d)
}

// DeltaBounds returns bounds lo ≤ δ(ε) ≤ hi that hold for the exact real-number law.
func (l PLD) DeltaBounds(eps float64) (lo, hi float64) {
	for _, p := range l.dirs {
		lo = math.Max(lo, p.lower(eps))
	}
	return lo, l.Delta(eps)
}

// Eps returns an upper bound on the smallest ε with δ(ε) ≤ delta; +Inf if none.
func (l PLD) Eps(delta float64) float64 {
	return invertProfile(l.Delta, delta)
}

// EpsBounds returns bounds on the smallest ε with δ(ε) ≤ delta.
func (l PLD) EpsBounds(delta float64) (lo, hi float64) {
	return invertProfile(func(e float64) float64 { d, _ := l.DeltaBounds(e); return d }, delta), l.Eps(delta)
}

// invertProfile returns the smallest ε ≥ 0 with f(ε) ≤ delta, for non-increasing f.
func invertProfile(f func(float64) float64, delta float64) float64 {
	if f(0) <= delta {
		return 0
	}
	hi := 1.0
	for f(hi) > delta {
		if hi *= 2; hi > 1e6 {
			return math.Inf(1)
		}
	}
	lo := 0.0
	for i := 0; i < 100 && hi-lo > 1e-12*(1+hi); i++ {
		if m := (lo + hi) / 2; f(m) <= delta {
			hi = m
		} else {
			lo = m
		}
	}
	return hi
}

// finish sums the tails, from the top so that small masses are not lost: up[i] = Σ_{j≥i} p_j and down[i] = Σ_{j≥i} p_j e^{−ℓ_j}.
func (l lossPMF) finish() lossPMF {
	l.up, l.down = make([]float64, len(l.p)+1), make([]float64, len(l.p)+1)
	for i := len(l.p) - 1; i >= 0; i-- {
		l.up[i] = l.up[i+1] + l.p[i]
		l.down[i] = l.down[i+1]
		if l.p[i] > 0 {
			l.down[i] += l.p[i] * math.Exp(-float64(l.lo+i)*l.h)
		}
	}
	return l
}

func (l *lossPMF) delta(eps float64) float64 {
	i := min(max(int(math.Floor(eps/l.h))+1-l.lo, 0), len(l.p))
	return l.inf + math.Max(0, l.up[i]-math.Exp(eps)*l.down[i])
}

// lower bounds δ(ε) from below: the true loss is at least the rounded one less most, and, except with probability
// t, at least the rounded one less shift + √(vari·ln(1/t)/2) (Hoeffding; the conditional mean of a rounding is at most h²/8 by Hoeffding's lemma).
func (l *lossPMF) lower(eps float64) float64 {
	best := l.delta(eps + l.most)
	for _, t := range []float64{1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13} {
		if v := l.delta(eps+l.shift+math.Sqrt(l.vari*math.Log(1/t)/2)) - t; v > best {
			best = v
		}
	}
	return math.Max(0, best*(1-pldRound)-l.extra)
}

// Times returns the law of k independent releases of the same kind.
func (l PLD) Times(k int) (PLD, error) {
	if k < 1 {
		return PLD{}, fmt.Errorf("dp.PLD.Times: k = %d must be at least 1", k)
	}
	var out PLD
	for _, d := range l.dirs {
		out.dirs = append(out.dirs, d.power(k))
	}
	return out, nil
}

// Plus returns the law of a release of each kind.
func (l PLD) Plus(m PLD) (PLD, error) {
	if len(l.dirs) == 0 || len(m.dirs) == 0 {
		return PLD{}, fmt.Errorf("dp.PLD.Plus: a zero PLD has no law; use one of the constructors")
	}
	n := max(len(l.dirs), len(m.dirs))
	var out PLD
	for i := 0; i < n; i++ {
		out.dirs = append(out.dirs, l.dirs[min(i, len(l.dirs)-1)].convolve(m.dirs[min(i, len(m.dirs)-1)]))
	}
	return out, nil
}

// window bounds the losses of k copies of a and one of b (b may be nil) so that at most pldTail of mass lies beyond each end (Chernoff).
func window(a *lossPMF, k int, b *lossPMF) (lo, hi int, tail float64) {
	n := float64(k)
	cum := func(t float64) float64 {
		c := n * a.logMGF(t)
		if b != nil {
			c += b.logMGF(t)
		}
		return c
	}
	amin, amax := k*a.lo, k*(a.lo+len(a.p)-1)
	if b != nil {
		amin += b.lo
		amax += b.lo + len(b.p) - 1
	}
	lo, hi = amin, amax
	cut := math.Log(1 / pldTail)
	for e := -6.0; e <= 6; e += 0.25 { // t from e^-6 to e^6
		t := math.Exp(e)
		if c := cum(t); !math.IsInf(c, 1) && !math.IsNaN(c) {
			if x := int(math.Ceil((c + cut) / t / a.h)); x < hi {
				hi, tail = x, 2*pldTail
			}
		}
		if c := cum(-t); !math.IsInf(c, 1) && !math.IsNaN(c) {
			if x := int(math.Floor(-(c + cut) / t / a.h)); x > lo {
				lo, tail = x, 2*pldTail
			}
		}
	}
	return lo, hi, tail
}

// logMGF is ln Σ p e^{tℓ} over the finite losses.
func (l *lossPMF) logMGF(t float64) float64 {
	top := math.Inf(-1)
	for i, p := range l.p {
		if p > 0 {
			top = math.Max(top, math.Log(p)+t*float64(l.lo+i)*l.h)
		}
	}
	if math.IsInf(top, -1) {
		return top
	}
	s := 0.0
	for i, p := range l.p {
		if p > 0 {
			s += math.Exp(math.Log(p) + t*float64(l.lo+i)*l.h - top)
		}
	}
	return top + math.Log(s)
}

func (l lossPMF) power(k int) lossPMF {
	if k == 1 {
		return l
	}
	lo, hi, tail := window(&l, k, nil)
	for hi-lo+1 > pldMax {
		l = l.coarsen()
		lo, hi, tail = window(&l, k, nil)
	}
	n := fftSize(hi - lo + 1)
	p := fold(l.p, n)
	f := fourier.NewFFT(n)
	c := f.Coefficients(nil, p)
	norm2 := 0.0
	for _, x := range p {
		norm2 += x * x
	}
	for i := range c {
		c[i] = powComplex(c[i], k)
	}
	seq := f.Sequence(nil, c)
	out := lossPMF{h: l.h, lo: lo, p: make([]float64, hi-lo+1),
		inf:   -math.Expm1(float64(k) * math.Log1p(-math.Min(1, l.inf))),
		qin:   -math.Expm1(float64(k) * math.Log1p(-math.Min(1, l.qin))),
		shift: float64(k) * l.shift, most: float64(k) * l.most, vari: float64(k) * l.vari,
		extra: float64(k)*l.extra + tail + fftError(n, float64(k)*math.Sqrt(norm2))}
	unfold(out.p, seq, n, lo, k*l.lo)
	return out.finish()
}

func (l lossPMF) convolve(m lossPMF) lossPMF {
	for l.h < m.h*(1-1e-9) {
		l = l.coarsen()
	}
	for m.h < l.h*(1-1e-9) {
		m = m.coarsen()
	}
	if math.Abs(l.h-m.h) > 1e-12*l.h { // grids not related by doubling: put m on l's grid
		m = m.regrid(l.h)
	}
	lo, hi, tail := window(&l, 1, &m)
	for hi-lo+1 > pldMax {
		l, m = l.coarsen(), m.coarsen()
		lo, hi, tail = window(&l, 1, &m)
	}
	n := fftSize(hi - lo + 1)
	a, b := fold(l.p, n), fold(m.p, n)
	f := fourier.NewFFT(n)
	ca, cb := f.Coefficients(nil, a), f.Coefficients(nil, b)
	na, nb := 0.0, 0.0
	for i := range a {
		na += a[i] * a[i]
		nb += b[i] * b[i]
	}
	for i := range ca {
		ca[i] *= cb[i]
	}
	seq := f.Sequence(nil, ca)
	out := lossPMF{h: l.h, lo: lo, p: make([]float64, hi-lo+1),
		inf: l.inf + m.inf - l.inf*m.inf, qin: l.qin + m.qin - l.qin*m.qin,
		shift: l.shift + m.shift, most: l.most + m.most, vari: l.vari + m.vari,
		extra: l.extra + m.extra + tail + fftError(n, math.Sqrt(na)+math.Sqrt(nb))}
	unfold(out.p, seq, n, lo, l.lo+m.lo)
	return out.finish()
}

// fftError bounds what floating point adds to δ: an FFT of length n has relative ℓ2 error at most 7u·log₂n
// (Higham 2002, Theorem 24.2), and the sum of n entries is at most √n times their ℓ2 norm.
func fftError(n int, norm float64) float64 {
	const u = 0x1p-53
	return 2 * 7 * u * math.Log2(float64(n)) * math.Sqrt(float64(n)) * math.Min(norm, 1e9)
}

// fold wraps p cyclically to length n.
func fold(p []float64, n int) []float64 {
	out := make([]float64, n)
	for i, x := range p {
		out[i%n] += x
	}
	return out
}

// unfold reads the window starting at grid index lo from a cyclic sequence whose index 0 is grid index zero.
func unfold(dst, seq []float64, n, lo, zero int) {
	for i := range dst {
		k := (lo + i - zero) % n
		if k < 0 {
			k += n
		}
		dst[i] = math.Max(0, seq[k]/float64(n))
	}
}

func fftSize(n int) int {
	s := 1
	for s < n {
		s *= 2
	}
	return s
}

func powComplex(z complex128, k int) complex128 {
	r := complex128(1)
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			r *= z
		}
		z *= z
	}
	return r
}

// coarsen doubles the grid step.
func (l lossPMF) coarsen() lossPMF { return l.regrid(2 * l.h) }

func (l lossPMF) regrid(h float64) lossPMF {
	min, max := float64(l.lo)*l.h, float64(l.lo+len(l.p)-1)*l.h
	out := lossPMF{h: h, lo: int(math.Floor(min/h)) - 1, inf: l.inf, qin: l.qin, extra: l.extra,
		shift: l.shift + h*h/8, most: l.most + h, vari: l.vari + h*h}
	out.p = make([]float64, int(math.Ceil(max/h))+1-out.lo+1)
	for i, p := range l.p {
		a := float64(l.lo+i) * l.h
		out.add(p, p*math.Exp(-a), a, a)
	}
	return out.finish()
}

// Subsample returns the law of the release run on a Poisson sample of the rows (each row kept with probability q, the
// sample unseen), under add/remove. The pair becomes qP + (1−q)Q against Q and its reverse; both orders are kept
// (Zhu, Dong and Wang 2022, Theorem 11). The receiver must be the law for adding or removing one row, not yet composed.
func (l PLD) Subsample(q float64) (PLD, error) {
	if !(q > 0 && q <= 1) {
		return PLD{}, fmt.Errorf("dp.PLD.Subsample: q = %v must lie in (0, 1]", q)
	}
	if len(l.dirs) == 0 {
		return PLD{}, fmt.Errorf("dp.PLD.Subsample: a zero PLD has no law; use one of the constructors")
	}
	if q == 1 {
		return l, nil
	}
	var out PLD
	rev := l.dirs[0].qin
	if len(l.dirs) > 1 {
		rev = l.dirs[1].inf
	}
	d := &l.dirs[0]
	mix := func(loss float64) float64 { // ln(1 − q + q e^loss)
		if loss > 30 {
			return loss + math.Log(q) + math.Log1p((1-q)/q*math.Exp(-loss))
		}
		return math.Log1p(q * math.Expm1(loss))
	}
	a, b := mix(float64(d.lo)*d.h), mix(float64(d.lo+len(d.p)-1)*d.h)
	bottom := math.Log1p(-q)
	remove, err := newLossPMF(math.Min(a, bottom), b, d.h)
	if err != nil {
		return out, err
	}
	add, err := newLossPMF(-b, -math.Min(a, bottom), d.h)
	if err != nil {
		return out, err
	}
	for i, p := range d.p {
		if p == 0 {
			continue
		}
		loss := float64(d.lo+i) * d.h
		qm := p * math.Exp(-loss)
		m := mix(loss)
		remove.add(q*p+(1-q)*qm, qm, m, m)
		add.add(qm, q*p+(1-q)*qm, -m, -m)
	}
	remove.add((1-q)*rev, rev, bottom, bottom)
	add.add(rev, (1-q)*rev, -bottom, -bottom)
	remove.inf += q * d.inf
	for _, p := range []*lossPMF{&remove, &add} {
		p.shift += d.shift
		p.most += d.most
		p.vari += d.vari
		p.extra += d.extra
	}
	out.dirs = []lossPMF{remove.finish(), add.finish()}
	return out, nil
}

// Curve returns δ at each ε.
func (l PLD) Curve(eps []float64) []float64 {
	out := make([]float64, len(eps))
	for i, e := range eps {
		out[i] = l.Delta(e)
	}
	return out
}

// atoms lists losses and masses with losses increasing, for one order of the pair.
func (l *lossPMF) atoms() (loss, p []float64) {
	for i, x := range l.p {
		if x > 0 {
			loss = append(loss, float64(l.lo+i)*l.h)
			p = append(p, x)
		}
	}
	if !sort.Float64sAreSorted(loss) {
		panic("dp: loss grid out of order")
	}
	return loss, p
}
