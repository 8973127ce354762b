package dp

import (
	"fmt"
	"math"
	"sort"
)

// gridNoise is independent integer noise on every coordinate: discrete Laplace, mass ∝ e^{−rate·|k|}, or (sigma > 0) discrete Gaussian, mass ∝ e^{−k²/(2σ²)}.
type gridNoise struct{ rate, sigma float64 }

// gridLoss is the loss of noise on the grid gℤ^d around two centres, given in grid steps.
func gridLoss(c0, c1 []int64, grid float64, noise gridNoise) (*PrivacyLoss, error) {
	if len(c0) != len(c1) {
		return nil, fmt.Errorf("dp.ExactLoss: %d answers on one data set and %d on the other: the number alone tells them apart", len(c0), len(c1))
	}
	l := &PrivacyLoss{Dim: len(c0)}
	l.At = func(out []float64) float64 {
		if len(out) != len(c0) {
			return math.NaN()
		}
		s := 0.0
		for j, o := range out {
			k := o / grid
			if k != math.Trunc(k) {
				return math.NaN() // not on the grid: impossible under both
			}
			a, b := math.Abs(k-float64(c0[j])), math.Abs(k-float64(c1[j]))
			if noise.sigma > 0 {
				s += (b - a) * (b + a) / (2 * noise.sigma * noise.sigma)
			} else {
				s += noise.rate * (b - a)
			}
		}
		return s
	}
	at := make([]float64, len(c0))
	shifts := map[float64]int{} // how often each distance occurs
	total := 0.0
	for j := range c0 {
		d := float64(c1[j]) - float64(c0[j])
		at[j] = float64(c0[j]) * grid
		if d != 0 {
			shifts[math.Abs(d)]++
			total += math.Abs(d)
		}
		if noise.sigma > 0 {
			at[j] -= d * grid * math.Ceil(1e3*noise.sigma) // the loss grows without bound in this direction
		}
	}
	l.law.sup = func() (float64, []float64) {
		if noise.sigma > 0 && total > 0 {
			return math.Inf(1), at
		}
		return noise.rate * total, at
	}
	l.law.pld = func(step float64) (PLD, error) {
		var out PLD
		for _, d := range sortedKeys(floatKeys(shifts)) {
			one, err := noise.pld(d, step)
			if err != nil {
				return out, err
			}
			if n := shifts[d]; n > 1 {
				if one, err = one.Times(n); err != nil {
					return out, err
				}
			}
			if out.dirs == nil {
				out = one
			} else if out, err = out.Plus(one); err != nil {
				return out, err
			}
		}
		return orZeroPLD(out, step)
	}
	return l, nil
}

func floatKeys(m map[float64]int) map[float64]float64 {
	out := make(map[float64]float64, len(m))
	for k := range m {
		out[k] = 0
	}
	return out
}

// pld is the law of the loss for centres d grid steps apart.
func (g gridNoise) pld(d, step float64) (PLD, error) {
	if g.sigma > 0 {
		if d > pldMax {
			return PLD{}, fmt.Errorf("dp.PrivacyLoss.PLD: centres %.4g grid steps apart are too many to enumerate; choose a coarser Grid", d)
		}
		return DiscreteGaussianPLD(int(d), g.sigma, step)
	}
	// With the centres at 0 and d the loss is rate·d at and below 0, −rate·d from d on, and rate·(d − 2k) between: that many outcomes, however wide the noise.
	if d > 1<<22 {
		return PLD{}, fmt.Errorf("dp.PrivacyLoss.PLD: centres %.4g grid steps apart are too many to enumerate; choose a coarser Grid", d)
	}
	a := g.rate
	l, err := newLossPMF(-a*d, a*d, step)
	if err != nil {
		return PLD{}, err
	}
	q := math.Exp(-a)
	end := 1 / (1 + q) // P(k ≤ 0)
	l.add(end, end*math.Exp(-a*d), a*d, a*d)
	c := math.Tanh(a / 2) // P(k = 0) = (1−q)/(1+q)
	for k := 1.0; k < d; k++ {
		v := a * (d - 2*k)
		l.add(c*math.Exp(-a*k), c*math.Exp(-a*(d-k)), v, v)
	}
	l.add(end*math.Exp(-a*d), end, -a*d, -a*d)
	return PLD{dirs: []lossPMF{l.finish()}}, nil // by symmetry both orders have one law
}

// exactDiscreteLaplace is the loss of a query with discrete Laplace noise.
func exactDiscreteLaplace(m DiscreteLaplace, d0, d1 *Data) (*PrivacyLoss, error) {
	var c [2][]int64
	for i, d := range []*Data{d0, d1} {
		v, err := ask("ExactLoss", m.Query, d)
		if err != nil {
			return nil, err
		}
		for _, x := range v {
			c[i] = append(c[i], toGrid(x, orOne(m.Grid)))
		}
	}
	return gridLoss(c[0], c[1], orOne(m.Grid), gridNoise{rate: shortDown(m.Eps) / m.steps(max(1, len(c[0])))})
}

// exactMean is the loss of the private mean: discrete Laplace noise on the clipped mean.
func exactMean(m PrivateMean, d0, d1 *Data) (*PrivacyLoss, error) {
	if d0.Len() != d1.Len() {
		return nil, fmt.Errorf("dp.ExactLoss: %d rows and %d: the number of rows is public (replace-one)", d0.Len(), d1.Len())
	}
	noise := m.noise(d0.Len())
	noise.Query = func(d *Data) []float64 {
		values, err := column("ExactLoss", d, m.Column)
		if err != nil {
			return []float64{math.NaN()} // ask refuses it
		}
		return []float64{clippedMean(values, m.Lo, m.Hi)}
	}
	if m.Column < 0 || m.Column >= d0.Dim() {
		_, err := column("ExactLoss", d0, m.Column)
		return nil, err
	}
	return exactDiscreteLaplace(noise, d0, d1)
}

// exactHistogram is the loss of geometric noise on every count.
func exactHistogram(m PrivateHistogram, d0, d1 *Data) (*PrivacyLoss, error) {
	var c [2][]int64
	for i, d := range []*Data{d0, d1} {
		values, err := column("ExactLoss", d, m.Column)
		if err != nil {
			return nil, err
		}
		for _, n := range m.counts(values) {
			c[i] = append(c[i], int64(n))
		}
	}
	return gridLoss(c[0], c[1], 1, gridNoise{rate: m.count().rate()})
}

// exactGrid is the loss of output perturbation on a grid: integer noise around the two rounded minimisers.
func exactGrid(m GridPerturbation, d0, d1 *Data) (*PrivacyLoss, error) {
	_, p, err := m.claim(d0)
	if err != nil {
		return nil, err
	}
	l := defaultLoss(m.Loss)
	var c [2][]int64
	for i, d := range []*Data{d0, d1} {
		form, err := checkOutput("ExactLoss", d, l, m.Neighbours, m.Lambda, m.SumReg, m.Reg)
		if err != nil {
			return nil, err
		}
		f, err := outputMinimiser(ambientContext(), "ExactLoss", d, l, form, m.Reg)
		if err != nil {
			return nil, err
		}
		for _, v := range f {
			c[i] = append(c[i], int64(math.Max(-1<<53, math.Min(1<<53, math.RoundToEven(v/p.grid)))))
		}
	}
	noise := gridNoise{sigma: p.sigma}
	if m.Rho == 0 {
		noise.rate = m.Eps / (p.steps * math.Sqrt(float64(d0.Dim())) * (1 + 1e-12))
	}
	return gridLoss(c[0], c[1], p.grid, noise)
}

// exactQuantile is the loss of the exponential mechanism over an interval: both densities are constant between the values of either data set.
func exactQuantile(m PrivateQuantile, d0, d1 *Data) (*PrivacyLoss, error) {
	var v [2][]float64
	cuts := []float64{m.Lo, m.Hi}
	for i, d := range []*Data{d0, d1} {
		values, err := column("ExactLoss", d, m.Column)
		if err != nil {
			return nil, err
		}
		v[i] = values
		for _, x := range values {
			cuts = append(cuts, clampTo(x, m.Lo, m.Hi))
		}
	}
	sort.Float64s(cuts)
	var density [2]func(y float64) float64
	for i := range v {
		at, logp := m.gaps(v[i])
		n := len(v[i])
		density[i] = func(y float64) float64 { // log density; as LogDensity, with the sorting done once
			if y < m.Lo || y > m.Hi {
				return math.Inf(-1)
			}
			j := sort.Search(n, func(k int) bool { return at[k+1] >= y })
			return logp[j] - math.Log(at[j+1]-at[j])
		}
	}
	l := &PrivacyLoss{Dim: 1, At: func(o []float64) float64 { return density[0](o[0]) - density[1](o[0]) }}
	var p, q []float64
	top, at := 0.0, m.Lo
	for i := 1; i < len(cuts); i++ {
		a, b := cuts[i-1], cuts[i]
		if a == b {
			continue
		}
		y := a + (b-a)/2
		x0, x1 := density[0](y), density[1](y)
		p, q = append(p, (b-a)*math.Exp(x0)), append(q, (b-a)*math.Exp(x1))
		if x := math.Abs(x0 - x1); x > top {
			top, at = x, y
		}
	}
	l.law.sup = func() (float64, []float64) { return top, []float64{at} }
	l.law.pld = func(step float64) (PLD, error) {
		return tailed(append([]float64(nil), p...), append([]float64(nil), q...), step)
	}
	return l, nil
}

// sparsePatterns is how many patterns of answers ExactLoss enumerates for the sparse vector technique.
const sparsePatterns = 20000

// exactSparse enumerates the patterns of answers: every sequence of noes and at most c yeses, ended by the c-th.
func exactSparse(m SparseVector, d0, d1 *Data) (*PrivacyLoss, error) {
	var v [2][]float64
	var err error
	for i, d := range []*Data{d0, d1} {
		if v[i], err = ask("ExactLoss", m.Queries, d); err != nil {
			return nil, err
		}
	}
	n, c := len(v[0]), max(1, m.Count)
	if len(v[1]) != n {
		return nil, fmt.Errorf("dp.ExactLoss: %d queries on one data set and %d on the other: the number alone tells them apart", n, len(v[1]))
	}
	loss := map[string]float64{} // of every pattern that can occur
	l := &PrivacyLoss{Dim: n, At: func(o []float64) float64 {
		if x, ok := loss[fmt.Sprint(o)]; ok {
			return x
		}
		return math.NaN()
	}}
	var patterns [][]float64
	var grow func(prefix []float64, yes int) bool
	grow = func(prefix []float64, yes int) bool {
		if yes == c || len(prefix) == n {
			full := append([]float64(nil), prefix...)
			for len(full) < n {
				full = append(full, -1)
			}
			patterns = append(patterns, full)
			return len(patterns) <= sparsePatterns
		}
		return grow(append(prefix, 0), yes) && grow(append(prefix, 1), yes+1)
	}
	if !grow(make([]float64, 0, n), 0) {
		return nil, fmt.Errorf("dp.ExactLoss: %d queries with up to %d yes have more than %d patterns of answers, too many to enumerate; look at fewer queries, or use dp.Audit", n, c, sparsePatterns)
	}
	p, q := make([]float64, len(patterns)), make([]float64, len(patterns))
	top, at := 0.0, patterns[0]
	for i, o := range patterns {
		if i%256 == 0 {
			if err := cancelled(ambientContext(), "exact loss"); err != nil {
				return nil, err
			}
		}
		a, b := m.LogMass(v[0], o), m.LogMass(v[1], o)
		p[i], q[i] = math.Exp(a), math.Exp(b)
		loss[fmt.Sprint(o)] = a - b
		if x := math.Abs(a - b); x > top && !math.IsNaN(x) {
			top, at = x, o
		}
	}
	l.law.sup = func() (float64, []float64) { return top, at }
	l.law.pld = func(step float64) (PLD, error) {
		return tailed(append([]float64(nil), p...), append([]float64(nil), q...), step)
	}
	return l, nil
}
