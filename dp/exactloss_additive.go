package dp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// exactAdditive is the loss of query + noise: independent Laplace of the given scale per coordinate, independent N(0, scale²), or the
// density ∝ exp(−‖b‖₂/scale).
func exactAdditive(query func(*Data) []float64, law string, scale float64, d0, d1 *Data) (*PrivacyLoss, error) {
	v0, err := ask("ExactLoss", query, d0)
	if err != nil {
		return nil, err
	}
	v1, err := ask("ExactLoss", query, d1)
	if err != nil {
		return nil, err
	}
	if len(v0) != len(v1) {
		return nil, fmt.Errorf("dp.ExactLoss: the query gives %d answers on one data set and %d on the other: the number alone tells them apart", len(v0), len(v1))
	}
	return additiveLoss(v0, v1, law, scale), nil
}

func additiveLoss(v0, v1 []float64, law string, scale float64) *PrivacyLoss {
	l := &PrivacyLoss{Dim: len(v0)}
	diff := make([]float64, len(v0))
	for j := range diff {
		diff[j] = v1[j] - v0[j]
	}
	switch law {
	case "laplace":
		l.At = func(o []float64) float64 {
			s := 0.0
			for j := range o {
				s += (math.Abs(o[j]-v1[j]) - math.Abs(o[j]-v0[j])) / scale
			}
			return s
		}
		l.law.sup = func() (float64, []float64) {
			s := 0.0
			for _, x := range diff {
				s += math.Abs(x)
			}
			return s / scale, v0
		}
		l.law.pld = func(step float64) (PLD, error) {
			var out PLD
			for _, x := range diff {
				if x == 0 {
					continue
				}
				p, err := LaplacePLD(math.Abs(x), scale, step)
				if err != nil {
					return p, err
				}
				if out.dirs == nil {
					out = p
				} else if out, err = out.Plus(p); err != nil {
					return out, err
				}
			}
			return orZeroPLD(out, step)
		}
	case "gaussian":
		l.At = func(o []float64) float64 {
			s := 0.0
			for j := range o {
				s += (o[j] - v1[j] - (o[j] - v0[j])) * (o[j] - v1[j] + (o[j] - v0[j]))
			}
			return s / (2 * scale * scale)
		}
		mu := norm2(diff) / scale
		l.law.sup = func() (float64, []float64) {
			if mu == 0 {
				return 0, v0
			}
			far := make([]float64, len(v0)) // the loss grows without bound in this direction
			for j := range far {
				far[j] = v0[j] - 1e6*diff[j]
			}
			return math.Inf(1), far
		}
		l.law.pld = func(step float64) (PLD, error) {
			if mu == 0 {
				return orZeroPLD(PLD{}, step)
			}
			return GaussianPLD(mu, 1, step)
		}
	case "gamma":
		l.At = func(o []float64) float64 {
			a, b := make([]float64, len(o)), make([]float64, len(o))
			for j := range o {
				a[j], b[j] = o[j]-v1[j], o[j]-v0[j]
			}
			return (norm2(a) - norm2(b)) / scale
		}
		s := norm2(diff) / scale
		l.law.sup = func() (float64, []float64) { return s, v0 }
		l.law.pld = func(step float64) (PLD, error) {
			switch {
			case s == 0:
				return orZeroPLD(PLD{}, step)
			case len(diff) == 1:
				return LaplacePLD(s, 1, step)
			}
			return gammaNormPLD(len(diff), s, step)
		}
	default:
		panic("dp: unknown additive law " + law)
	}
	return l
}

// orZeroPLD is the law of a release that does not depend on the data when l is empty.
func orZeroPLD(l PLD, step float64) (PLD, error) {
	if l.dirs != nil {
		return l, nil
	}
	return DiscretePLD([]float64{1}, []float64{1}, step)
}

// gammaNormPLD is the law of the loss for noise ∝ exp(−‖b‖₂) in dim ≥ 2 dimensions between centres at distance s.
//
// With b = r·u and c the cosine between u and the shift, L = ‖b+s‖ − ‖b‖ > t means c ≥ t/s, or r < (s²−t²)/(2(t−sc)). Its probability is an integral over c,
// whose density is ∝ (1−c²)^{(d−3)/2}, of a Gamma(d) distribution function.
func gammaNormPLD(dim int, s, step float64) (PLD, error) {
	if step == 0 {
		step = math.Max(1e-3, s/2000)
	}
	l, err := newLossPMF(-s, s, step)
	if err != nil {
		return PLD{}, err
	}
	tail := gammaNormTail(dim, s)
	prev := math.Max(-s, math.Floor(-s/l.h)*l.h)
	pt, qt := 1.0, 1.0 // P(L > prev) and Q(L > prev)
	for i := int(math.Floor(prev / l.h)); ; i++ {
		b := math.Min(s, float64(i+1)*l.h)
		if b <= prev {
			continue
		}
		p1, q1 := 0.0, 0.0
		if b < s {
			// By symmetry Q(L > t) = P(L < −t).
			p1, q1 = tail(b), 1-tail(-b)
		}
		l.add(pt-p1, qt-q1, prev, b)
		if b >= s {
			break
		}
		prev, pt, qt = b, p1, q1
	}
	l.extra += 1e-10 // quadrature; see TestGammaNormPLD
	return PLD{dirs: []lossPMF{l.finish()}}, nil
}

// gammaNormTail returns t ↦ P(‖b+s‖ − ‖b‖ > t) for −s < t < s.
func gammaNormTail(dim int, s float64) func(t float64) float64 {
	const nodes = 96
	x, w := make([]float64, nodes), make([]float64, nodes)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	d := float64(dim)
	a, _ := math.Lgamma(d / 2)
	b, _ := math.Lgamma((d - 1) / 2)
	norm := math.Exp(a-b) / math.Sqrt(math.Pi) // of sin^{d−2}θ on [0, π]
	g := GammaNorm{Dim: dim, Kappa: 1}
	return func(t float64) float64 {
		// θ from 0 to π with c = cos θ; the region c ≥ t/s is θ ≤ θ₀.
		t0 := math.Acos(math.Max(-1, math.Min(1, t/s)))
		in, out := 0.0, 0.0
		for k := range x {
			th := t0 * x[k]
			in += w[k] * math.Pow(math.Sin(th), d-2)
			// r → ∞ as θ ↓ θ₀: substitute θ = θ₀ + (π−θ₀)u², which spreads the nodes there
			u := x[k]
			th = t0 + (math.Pi-t0)*u*u
			r := (s*s - t*t) / (2 * (t - s*math.Cos(th)))
			out += w[k] * 2 * u * math.Pow(math.Sin(th), d-2) * g.NormCDF(math.Max(0, r))
		}
		return math.Min(1, norm*(t0*in+(math.Pi-t0)*out))
	}
}

// exactDiscrete is the loss of a scalar query with noise on a grid, given the log mass of an output.
func exactDiscrete(query func(*Data) []float64, logMass func(value, y float64) float64, grid, scale float64, d0, d1 *Data) (*PrivacyLoss, error) {
	v0, err := ask("ExactLoss", query, d0)
	if err != nil {
		return nil, err
	}
	v1, err := ask("ExactLoss", query, d1)
	if err != nil {
		return nil, err
	}
	if len(v0) != 1 || len(v1) != 1 {
		return nil, fmt.Errorf("dp.ExactLoss: grid mechanisms are enumerated for scalar answers only, not for %d coordinates", len(v0))
	}
	if grid == 0 {
		grid = 1
	}
	lo, hi := math.Min(v0[0], v1[0])-45*scale, math.Max(v0[0], v1[0])+45*scale
	k0, k1 := math.Floor(lo/grid), math.Ceil(hi/grid)
	if k1-k0 > 1<<22 {
		return nil, fmt.Errorf("dp.ExactLoss: %.0f grid points are too many to enumerate; choose a coarser Grid", k1-k0)
	}
	l := &PrivacyLoss{Dim: 1, At: func(o []float64) float64 { return logMass(v0[0], o[0]) - logMass(v1[0], o[0]) }}
	var p, q []float64
	top, at := 0.0, v0[0]
	for k := k0; k <= k1; k++ {
		a, b := logMass(v0[0], k*grid), logMass(v1[0], k*grid)
		p, q = append(p, math.Exp(a)), append(q, math.Exp(b))
		if x := math.Abs(a - b); x > top && !math.IsNaN(x) {
			top, at = x, k*grid
		}
	}
	l.law.sup = func() (float64, []float64) { return top, []float64{at} }
	l.law.pld = func(step float64) (PLD, error) {
		return tailed(append([]float64(nil), p...), append([]float64(nil), q...), step)
	}
	return l, nil
}

// exactOutput is the loss of output perturbation: norm-Gamma noise around the two minimisers.
func exactOutput(m OutputPerturbation, d0, d1 *Data) (*PrivacyLoss, error) {
	l := defaultLoss(m.Loss)
	var f [2][]float64
	for i, d := range []*Data{d0, d1} {
		form, err := checkOutput("ExactLoss", d, l, m.Neighbours, m.Lambda, m.SumReg, m.Reg)
		if err != nil {
			return nil, err
		}
		w, err := outputMinimiser(ambientContext(), "ExactLoss", d, l, form, m.Reg)
		if err != nil {
			return nil, err
		}
		f[i] = w
	}
	form, err := checkOutput("ExactLoss", d0, l, m.Neighbours, m.Lambda, m.SumReg, m.Reg)
	if err != nil {
		return nil, err
	}
	sens, _ := outputScale(d0, l, form)
	return additiveLoss(f[0], f[1], "gamma", sens/m.Eps), nil
}

// exactChoice is the loss of choosing one of finitely many candidates; the output is the index.
func exactChoice(scores func(*Data) []float64, prob func([]float64) ([]float64, error), d0, d1 *Data) (*PrivacyLoss, error) {
	var p [2][]float64
	for k, d := range []*Data{d0, d1} {
		s, err := ask("ExactLoss", scores, d)
		if err != nil {
			return nil, err
		}
		if p[k], err = prob(s); err != nil {
			return nil, err
		}
	}
	if len(p[0]) != len(p[1]) {
		return nil, fmt.Errorf("dp.ExactLoss: %d candidates on one data set and %d on the other", len(p[0]), len(p[1]))
	}
	ratio := func(i int) float64 { return math.Log(p[0][i]) - math.Log(p[1][i]) }
	top, at := 0.0, 0
	for i := range p[0] {
		if x := math.Abs(ratio(i)); x > top {
			top, at = x, i
		}
	}
	return &PrivacyLoss{Dim: 1,
		At: func(o []float64) float64 {
			i := int(o[0])
			if float64(i) != o[0] || i < 0 || i >= len(p[0]) {
				return math.NaN()
			}
			return ratio(i)
		},
		law: lossLaw{
			sup: func() (float64, []float64) { return top, []float64{float64(at)} },
			pld: func(step float64) (PLD, error) { return DiscretePLD(p[0], p[1], step) },
		}}, nil
}
