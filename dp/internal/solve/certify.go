package solve

import "math"

// ulp is the unit roundoff 2⁻⁵³.
const ulp = 0x1p-53

// chunk is the number of rows added without compensation before the sum is passed to the compensated accumulator.
const chunk = 64

// sum2 is an unevaluated sum hi+lo of two floats (Dekker 1971, Ogita–Rump–Oishi 2005).
type sum2 struct{ hi, lo float64 }

func (s *sum2) add(x float64) {
	t := s.hi + x
	z := t - s.hi
	s.lo += (s.hi - (t - z)) + (x - z)
	s.hi = t
}

// addProduct adds a·b without rounding the product.
func (s *sum2) addProduct(a, b float64) {
	p := a * b
	s.add(p)
	s.lo += math.FMA(a, b, -p)
}

// dot2 is the inner product of row i with hi+lo as if computed in twice the working precision.
func (m *Matrix) dot2(i int, hi, lo []float64) float64 {
	var s sum2
	if m.Ptr == nil {
		for j, v := range m.Val[i*m.D : (i+1)*m.D] {
			s.addProduct(v, hi[j])
			s.lo += v * lo[j]
		}
	} else {
		for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
			j := m.Idx[k]
			s.addProduct(m.Val[k], hi[j])
			s.lo += m.Val[k] * lo[j]
		}
	}
	return s.hi + s.lo
}

// certifiedGradient returns ∇F(hi+lo) and a bound err such that the exact gradient differs from g by at most err in norm.
//
// A row's margin is first computed plainly, with error at most e = (m/2+5)u‖x‖‖f‖ for m stored entries (two or more partial
// sums). If n·C·e is within budget, that is good enough. Otherwise, because ℓ' is monotone, the slope's
// error is at most the change of ℓ' over z±e; where that is not zero the margin is computed again in twice the working
// precision (e = 2u|z|). The loss itself is taken to be accurate to 8u·|ℓ'|. Rows are added in chunks of 64 and the
// chunks with compensation, which leaves at most 74u·Σ|s_i|‖x_i‖; ‖x_i‖ is bounded by Radius.
func (p *Problem) certifiedGradient(hi, lo []float64, k int, budget float64) (g []float64, err float64) {
	n, d := p.X.N, p.X.D
	type part struct {
		sum  []sum2
		err  float64
		mass float64
	}
	parts := make([]part, k)
	for w := range parts {
		parts[w].sum = make([]sum2, d)
	}
	nf := norm(hi) * (1 + 1e-12)
	width := float64(d)
	if p.X.Sparse() {
		width = 0
		for i := range n {
			width = math.Max(width, float64(p.X.Ptr[i+1]-p.X.Ptr[i]))
		}
	}
	plain := (width/2 + 5) * ulp * p.Radius * nf * (1 + 1e-9)
	for _, v := range lo {
		plain += math.Abs(v) * p.Radius
	}
	quick := float64(n)*p.C*plain*p.Radius <= budget
	slack := budget / (2 * float64(n) * p.Radius)
	parallel(n, k, func(w, from, to int) {
		pt := &parts[w]
		tmp := make([]float64, d)
		var z, s [chunk]float64
		for a := from; a < to; a += chunk {
			m := min(chunk, to-a)
			for i := range m {
				z[i] = p.Y[a+i] * p.X.Dot(a+i, hi)
			}
			if quick {
				p.Eval(z[:m], nil, s[:m], nil)
			} else {
				pt.err += p.closely(a, hi, lo, plain, slack, z[:m], &s)
			}
			clear(tmp)
			for i := range m {
				wt := p.weight(a + i)
				pt.mass += wt * math.Abs(s[i])
				if c := wt * s[i] * p.Y[a+i]; c != 0 {
					p.X.AddTo(a+i, c, tmp)
				}
			}
			for j, v := range tmp {
				if v != 0 {
					pt.sum[j].add(v)
				}
			}
		}
	})
	g = make([]float64, d)
	var slopeErr, mass float64
	if quick {
		slopeErr = float64(n) * p.C * plain
	}
	for w := range parts {
		slopeErr += parts[w].err
		mass += parts[w].mass
	}
	for j := range g {
		var s sum2
		for w := range parts {
			s.add(parts[w].sum[j].hi)
			s.lo += parts[w].sum[j].lo
		}
		s.addProduct(p.Reg, hi[j])
		s.lo += p.Reg * lo[j]
		if p.Lin != nil {
			s.add(p.Lin[j])
		}
		g[j] = s.hi + s.lo
	}
	err = p.Radius*(slopeErr+(8+chunk+2)*ulp*mass)*(1+1e-10) + 4*ulp*norm(g)
	return g, err
}

// closely fills s with the slopes ℓ' of the rows from a on, whose plain margins are z, and returns a bound on the sum of their
// weighted errors. A row whose error is at most slack needs no closer look.
func (p *Problem) closely(a int, hi, lo []float64, plain, slack float64, z []float64, s *[chunk]float64) (sum float64) {
	var up, dn, sz, su, sd [chunk]float64
	var at [chunk]int
	m := len(z)
	for i, v := range z {
		up[i], dn[i] = v+plain, v-plain
	}
	p.Eval(up[:m], nil, su[:m], nil)
	p.Eval(dn[:m], nil, sd[:m], nil)
	// Rows on a (nearly) straight piece of the loss are settled; the others are gathered and looked at closely.
	q := 0
	for i := range m {
		s[i] = su[i]
		if e := p.weight(a+i) * math.Abs(su[i]-sd[i]); e <= slack {
			sum += e
		} else {
			at[q] = i
			v := p.Y[a+i] * p.X.dot2(a+i, hi, lo)
			e := 2 * ulp * (math.Abs(v) + plain*0x1p-40)
			z[q], up[q], dn[q] = v, v+e, v-e
			q++
		}
	}
	p.Eval(z[:q], nil, sz[:q], nil)
	p.Eval(up[:q], nil, su[:q], nil)
	p.Eval(dn[:q], nil, sd[:q], nil)
	for k, i := range at[:q] {
		s[i] = sz[k]
		sum += p.weight(a+i) * math.Max(math.Abs(su[k]-sz[k]), math.Abs(sz[k]-sd[k]))
	}
	return sum
}
