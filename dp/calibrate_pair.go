package dp

import "math"

// LossEps is the privacy level of objective perturbation with the loss l on rows with ‖x‖ ≤ 1,
//
//	ε(κ, a) = κL + max_z [κ|ℓ'(z)| + ln(1 + ℓ″(z)/a)]      under replace-one ,
//	ε(κ, a) =      max_z [κ|ℓ'(z)| + ln(1 + ℓ″(z)/a)]      under add/remove ,
//
// where a > 0 is the regularisation in sum form and κ > 0 the exponent of the noise. It is never above the general
// 2κL + ln(1 + C/a) (κL + ln(1 + C/a) under add/remove), and below it when slope and curvature are not extreme at the same margin: for the logistic
// loss (slope s, curvature s(1−s)) and for the smooth hinge, whose curvature vanishes where its slope is 1. The Huber loss
// has slope 1 and curvature C together, at z = 1−h, and gains nothing. at is a maximising margin, −Inf when the maximum is approached as z → −∞. For rows with ‖x‖ ≤ R and weights up to w use LossEps(l, κRw, a/(R²w), nb).
//
// Proof. Let the data sets differ in the row (x, y), with z = y fᵀx, replaced by (x', y') with margin z'. The output f has the
// density ν(b(f))·det H(f). The noise that makes f the output differs by ℓ'(z')y'x' − ℓ'(z)yx, so the noise densities have log ratio
// at most κ|ℓ'(z)| + κ|ℓ'(z')|. With H₀ ⪰ aI the Hessian of what the data sets share, the determinants have log ratio
// ln(1 + ℓ″(z)xᵀH₀⁻¹x) − ln(1 + ℓ″(z')x'ᵀH₀⁻¹x') ≤ ln(1 + ℓ″(z)/a). The sum splits into a function of z and one of z', and the latter
// is at most κL. Under add/remove there is no second row. ∎ In one dimension it is attained when a slope of L is attained
// where the curvature is 0 (Huber, smooth hinge): let the replaced row have margin z, and all others x' at margins −z.
//
// The maximum is certified, not searched: |ℓ'| does not increase with z, so on an interval it is at most its value at the left
// end, and ℓ″ is at most HessBound; intervals are halved until bound and value agree to 10⁻⁷ of the general level, and
// the bound is returned. Without a HessBound (and for a loss that is not smooth) the general level is returned, with at = NaN. It takes about a millisecond.
//
// (Chaudhuri, Monteleoni, Sarwate 2011, Theorem 9, sharpened.)
func LossEps(l Loss, kappa, a float64, nb Neighbours) (eps, at float64) {
	if !(kappa > 0) || !(a > 0) || !(l.L > 0) || l.Grad == nil {
		return math.NaN(), math.NaN()
	}
	return newPairBound(l, a).eps(kappa, nb, 1e-7)
}

// LossKappa is the largest κ with LossEps(l, κ, a, nb) ≤ ε, less a few parts in a million; ok is false when there is none, because
// ε ≤ ln(1 + max ℓ″/a): then the regularisation must grow.
func LossKappa(l Loss, eps, a float64, nb Neighbours) (kappa float64, ok bool) {
	if !(eps > 0) || !(a > 0) || !(l.L > 0) || l.Grad == nil {
		return 0, false
	}
	return newPairBound(l, a).kappa(eps, nb)
}

// pairBound maximises κ|ℓ'(z)| + ln(1 + ℓ″(z)/a) over z for one loss and a, and any κ. It remembers the intervals it has looked at.
type pairBound struct {
	l    Loss
	a    float64
	root []pairCell
}

// A pairCell is an interval of margins.
type pairCell struct {
	lo, hi float64
	s, j   float64 // bounds on |ℓ'| and ln(1 + ℓ″/a) in it
	sm, jm float64 // their values in the middle
	kids   *[2]pairCell
}

// pairReach bounds the margins that are cut into intervals; beyond it there is one interval on either side.
const pairReach = 64

func newPairBound(l Loss, a float64) *pairBound {
	b := &pairBound{l: l, a: a}
	if l.HessBound == nil || !l.Smooth() {
		return b
	}
	b.root = []pairCell{b.cell(math.Inf(-1), -pairReach), b.cell(-pairReach, pairReach), b.cell(pairReach, math.Inf(1))}
	return b
}

func (b *pairBound) cell(lo, hi float64) pairCell {
	h := math.Min(b.l.HessBound(lo, hi), b.l.C)
	if !(h >= 0) {
		h = b.l.C
	}
	c := pairCell{lo: lo, hi: hi, s: b.l.L, j: math.Log1p(h/b.a) * (1 + 0x1p-50)}
	mid := lo + (hi-lo)/2
	switch {
	case math.IsInf(lo, -1):
		mid = hi
	case math.IsInf(hi, 1):
		mid = lo
		c.s = math.Min(c.s, -b.l.Grad(lo))
	default:
		c.s = math.Min(c.s, -b.l.Grad(lo))
	}
	c.s *= 1 + 0x1p-48 // the loss is accurate to a few units in the last place
	c.sm, c.jm = -b.l.Grad(mid), math.Log1p(b.l.Hess(mid)/b.a)
	return c
}

// max returns an upper bound on the maximum that exceeds it by at most the share tol of the general level (up to the resolution of
// z), the largest value seen, and its margin.
func (b *pairBound) max(kappa, tol float64) (upper, best, at float64) {
	l := b.l
	general := kappa*l.L + math.Log1p(l.C/b.a)
	if b.root == nil {
		return general, general, math.NaN()
	}
	tol *= general
	tail := false
	best = math.Inf(-1)
	stack := make([]*pairCell, 0, 64)
	for i := range b.root {
		stack = append(stack, &b.root[i])
	}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v := kappa*c.sm + c.jm; v > best {
			best, at = v, c.lo+(c.hi-c.lo)/2
			if math.IsInf(at, 0) || math.IsNaN(at) {
				at = math.Max(math.Min(c.hi, pairReach), -pairReach)
			}
		}
		u := kappa*c.s + c.j
		width := c.hi - c.lo
		if u <= math.Max(best, upper-tol)+tol || math.IsInf(width, 0) || width < 1e-14*math.Max(1, math.Abs(c.lo)) {
			if u > upper {
				upper, tail = u, math.IsInf(c.lo, -1)
			}
			continue
		}
		if c.kids == nil {
			mid := c.lo + width/2
			c.kids = &[2]pairCell{b.cell(c.lo, mid), b.cell(mid, c.hi)}
		}
		stack = append(stack, &c.kids[1], &c.kids[0])
	}
	if tail && upper > best+tol {
		at = math.Inf(-1) // approached as z → −∞
	}
	return math.Min(upper*(1+1e-15), general), best, at
}

func (b *pairBound) eps(kappa float64, nb Neighbours, tol float64) (eps, at float64) {
	eps, _, at = b.both(kappa, nb, tol)
	return eps, at
}

// both returns the certified level, the largest value seen, and its margin.
func (b *pairBound) both(kappa float64, nb Neighbours, tol float64) (eps, value, at float64) {
	if b.l.logistic {
		eps, s := LogisticEps(kappa, b.a)
		if nb == AddRemove {
			eps -= kappa
		}
		return eps, eps, math.Log((1 - s) / s)
	}
	eps, value, at = b.max(kappa, tol)
	if nb != AddRemove {
		eps += kappa * b.l.L
		value += kappa * b.l.L
	}
	return eps, value, at
}

func (b *pairBound) kappa(eps float64, nb Neighbours) (kappa float64, ok bool) {
	if b.l.logistic && nb != AddRemove {
		return LogisticKappa(eps, b.a)
	}
	// ε(κ) is convex and increasing, with slope |ℓ'(at)| (+ L) at κ, so Newton's method from the right does not overshoot the
	// root. It runs with the largest value seen, a lower bound on ε(κ) that a rough tolerance makes cheap; then with the certified
	// bound, and steps longer by 10⁻⁷ so that the last one lands below the root.
	k := eps / b.l.L
	tol := 1e-3
	for range 200 {
		e, value, at := b.both(k, nb, tol)
		if tol == 1e-3 {
			if value-eps > 1e-9*eps {
				e = value
			} else {
				tol = 1e-6
				continue
			}
		}
		if e <= eps {
			return k, true
		}
		slope := b.l.L
		if !math.IsNaN(at) && !math.IsInf(at, 0) {
			slope = -b.l.Grad(at)
		}
		if nb != AddRemove {
			slope += b.l.L
		}
		k -= (e - eps) / slope
		if tol < 1e-3 {
			k -= 1e-7 * k
		}
		if !(k > 0) {
			return 0, false
		}
	}
	return 0, false
}

// pairParams sharpens a calibration by LossKappa: same a, larger κ. A row's term is w·ℓ with weight w ≤ W and ‖x‖ ≤ R, so κ becomes
// κ·WR and a becomes a/(WR²).
func pairParams(p ObjectiveParams, l Loss, eps, slope, curv float64, nb Neighbours) ObjectiveParams {
	if l.HessBound == nil && !l.logistic {
		return p
	}
	wr, wrr := slope/l.L, curv/l.C
	b := newPairBound(l, p.A/wrr)
	if k, ok := b.kappa(eps, nb); ok && k/wr > p.Kappa {
		p.Kappa = k / wr
		p.EpsPrime = k * l.L
		if nb != AddRemove {
			p.EpsPrime *= 2
		}
	}
	p.Eps, _ = b.eps(p.Kappa*wr, nb, 1e-6)
	return p
}
