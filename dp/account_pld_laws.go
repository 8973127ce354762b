package dp

import (
	"fmt"
	"math"
)

// LaplacePLD is the law of one release of a query of ℓ1 sensitivity s with Laplace noise of the given scale. step is
// the grid (0 = 1e-4).
func LaplacePLD(sensitivity, scale, step float64) (PLD, error) {
	t := sensitivity / scale
	if !(t > 0) || math.IsInf(t, 1) {
		return PLD{}, fmt.Errorf("dp.LaplacePLD: sensitivity = %v and scale = %v must be positive and finite", sensitivity, scale)
	}
	l, err := newLossPMF(-t, t, step)
	if err != nil {
		return PLD{}, err
	}
	// P = Laplace at 0, Q = Laplace at t, in units of the scale: loss |x−t| − |x|, so t left of 0, t−2x between, −t right of t.
	l.add(0.5, 0.5*math.Exp(-t), t, t)
	l.add(0.5*math.Exp(-t), 0.5, -t, -t)
	l.eachCell(-t, t, func(a, b float64) (p, q float64) {
		x, y := (t-b)/2, (t-a)/2 // the cell a < loss ≤ b is x ≤ o < y
		return 0.5 * math.Exp(-x) * -math.Expm1(x-y), 0.5 * math.Exp(y-t) * -math.Expm1(x-y)
	})
	return PLD{dirs: []lossPMF{l.finish()}}, nil
}

// eachCell adds the mass of every grid cell between min and max.
func (l *lossPMF) eachCell(min, max float64, mass func(a, b float64) (p, q float64)) {
	for i := int(math.Floor(min / l.h)); float64(i)*l.h < max; i++ {
		a, b := math.Max(min, float64(i)*l.h), math.Min(max, float64(i+1)*l.h)
		if b > a {
			p, q := mass(a, b)
			l.add(p, q, a, b)
		}
	}
}

// GaussianPLD is the law of one release of a query of ℓ2 sensitivity s with N(0, sigma²) noise: the loss
// is N(μ²/2, μ²) with μ = s/σ. step is the grid (0 = 1e-4).
func GaussianPLD(sensitivity, sigma, step float64) (PLD, error) {
	mu := sensitivity / sigma
	if !(mu > 0) || math.IsInf(mu, 1) {
		return PLD{}, fmt.Errorf("dp.GaussianPLD: sensitivity = %v and sigma = %v must be positive and finite", sensitivity, sigma)
	}
	const z = 8.3 // one tail has mass 5.2e-17
	lo, hi := mu*mu/2-z*mu, mu*mu/2+z*mu
	l, err := newLossPMF(lo, hi, step)
	if err != nil {
		return PLD{}, err
	}
	l.eachCell(lo, hi, func(a, b float64) (p, q float64) {
		return normalMass(a/mu-mu/2, b/mu-mu/2), normalMass(a/mu+mu/2, b/mu+mu/2)
	})
	// Below the grid losses are rounded up to it; above it they count as certain failure.
	l.put(l.lo, normalCDF(-z))
	l.inf += normalCDF(-z)
	l.extra += 2 * normalCDF(-z)
	return PLD{dirs: []lossPMF{l.finish()}}, nil
}

// normalCDF is Φ, accurate in the lower tail.
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// normalMass is Φ(b) − Φ(a) without cancellation.
func normalMass(a, b float64) float64 {
	if a > 0 {
		a, b = -b, -a
	}
	if b-a < 1e-3 {
		// midpoint density with two correction terms: relative error below 1e-13 here
		m, w := (a+b)/2, b-a
		d := math.Exp(-m*m/2) / math.Sqrt(2*math.Pi)
		w2 := w * w
		return d * w * (1 + (m*m-1)*w2/24 + (m*m*m*m-6*m*m+3)*w2*w2/1920)
	}
	return normalCDF(b) - normalCDF(a)
}

// DiscretePLD is the law of a release with finitely many outcomes of probabilities p on one data set and q on its
// neighbour. Both orders of the pair are kept. step is the grid (0 = 1e-4).
func DiscretePLD(p, q []float64, step float64) (PLD, error) {
	if len(p) != len(q) || len(p) == 0 {
		return PLD{}, fmt.Errorf("dp.DiscretePLD: p and q have %d and %d outcomes; they need the same, at least one", len(p), len(q))
	}
	sp, sq := 0.0, 0.0
	for i := range p {
		if !(p[i] >= 0) || !(q[i] >= 0) {
			return PLD{}, fmt.Errorf("dp.DiscretePLD: outcome %d has probabilities %v and %v", i, p[i], q[i])
		}
		sp += p[i]
		sq += q[i]
	}
	if math.Abs(sp-1) > 1e-9 || math.Abs(sq-1) > 1e-9 {
		return PLD{}, fmt.Errorf("dp.DiscretePLD: the probabilities sum to %v and %v, not 1", sp, sq)
	}
	a, err := discreteLoss(p, q, step)
	if err != nil {
		return PLD{}, err
	}
	b, err := discreteLoss(q, p, step)
	return PLD{dirs: []lossPMF{a, b}}, err
}

func discreteLoss(p, q []float64, step float64) (lossPMF, error) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range p {
		if p[i] > 0 && q[i] > 0 {
			r := math.Log(p[i] / q[i])
			lo, hi = math.Min(lo, r), math.Max(hi, r)
		}
	}
	if lo > hi {
		lo, hi = 0, 0
	}
	l, err := newLossPMF(lo, hi, step)
	if err != nil {
		return l, err
	}
	for i := range p {
		switch {
		case p[i] > 0 && q[i] > 0:
			r := math.Log(p[i] / q[i])
			l.add(p[i], q[i], r, r)
		case p[i] > 0:
			l.inf += p[i]
		default:
			l.qin += q[i]
		}
	}
	return l.finish(), nil
}

// PurePLD is the law that dominates every (eps, delta)-DP release: randomised response that also fails with
// probability delta. Composing it k times gives the optimal homogeneous composition of [OptimalEps].
func PurePLD(eps, delta, step float64) (PLD, error) {
	if err := checkComposition("PurePLD", eps, delta, 1); err != nil {
		return PLD{}, err
	}
	a := (1 - delta) / (1 + math.Exp(-eps))
	b := (1 - delta) / (1 + math.Exp(eps))
	return DiscretePLD([]float64{delta, a, b, 0}, []float64{0, b, a, delta}, step)
}

// DiscreteLaplacePLD is the law of an integer query of sensitivity s with noise Pr(k) ∝ e^{−|k|/scale}.
func DiscreteLaplacePLD(sensitivity int, scale, step float64) (PLD, error) {
	if sensitivity < 1 || !(scale > 0) || math.IsInf(scale, 1) {
		return PLD{}, fmt.Errorf("dp.DiscreteLaplacePLD: sensitivity = %d must be at least 1 and scale = %v positive", sensitivity, scale)
	}
	t := 1 / scale
	n := int(math.Ceil(45/t)) + sensitivity
	if n > pldMax {
		return PLD{}, fmt.Errorf("dp.DiscreteLaplacePLD: scale = %v is too wide to enumerate; LaplacePLD is then indistinguishable", scale)
	}
	c := -math.Expm1(-t) / (1 + math.Exp(-t))
	var p, q []float64
	for k := -n; k <= n+sensitivity; k++ {
		p = append(p, c*math.Exp(-t*math.Abs(float64(k))))
		q = append(q, c*math.Exp(-t*math.Abs(float64(k-sensitivity))))
	}
	return tailed(p, q, step)
}

// DiscreteGaussianPLD is the law of an integer query of sensitivity s with noise Pr(k) ∝ exp(−k²/(2σ²)) (Canonne, Kamath and Steinke 2020).
func DiscreteGaussianPLD(sensitivity int, sigma, step float64) (PLD, error) {
	if sensitivity < 1 || !(sigma > 0) || math.IsInf(sigma, 1) {
		return PLD{}, fmt.Errorf("dp.DiscreteGaussianPLD: sensitivity = %d must be at least 1 and sigma = %v positive", sensitivity, sigma)
	}
	n := int(math.Ceil(9.5*sigma)) + sensitivity
	if n > pldMax {
		return PLD{}, fmt.Errorf("dp.DiscreteGaussianPLD: sigma = %v is too wide to enumerate; GaussianPLD is then indistinguishable", sigma)
	}
	w := func(k int) float64 { x := float64(k) / sigma; return math.Exp(-x * x / 2) }
	c := 0.0
	for k := -n; k <= n; k++ {
		c += w(k)
	}
	var p, q []float64
	for k := -n; k <= n+sensitivity; k++ {
		p = append(p, w(k)/c)
		q = append(q, w(k-sensitivity)/c)
	}
	return tailed(p, q, step)
}

// tailed builds the law from outcomes that leave out tails of mass below 1e-18, renormalised and booked as certain failure.
func tailed(p, q []float64, step float64) (PLD, error) {
	for _, v := range [][]float64{p, q} {
		s := 0.0
		for _, x := range v {
			s += x
		}
		for i := range v {
			v[i] /= s
		}
	}
	l, err := DiscretePLD(p, q, step)
	for i := range l.dirs {
		l.dirs[i].extra += 1e-17
	}
	return l, err
}
