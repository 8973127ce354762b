package dp

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// exactMargin is the loss of the gauge-fixed multiclass mechanism, from its closed-form density on parameters that sum to zero.
func exactMargin(m PrivateLargeMargin, d0, d1 *Data) (*PrivacyLoss, error) {
	g, err := m.plan("ExactLoss", d0)
	if err != nil {
		return nil, err
	}
	comps, q := len(g.comp), g.mode.Len(g.prob.D)
	if _, err := m.LogDensity(d0, make2(comps, q)); err != nil {
		return nil, fmt.Errorf("dp.ExactLoss: %w", err)
	}
	quiet := m
	quiet.Ledger = nil
	return exactGauge(comps, q, m.LogDensity, quiet.Release, d0, d1), nil
}

// exactSoftmax is the loss of private softmax regression, by the same density.
func exactSoftmax(m SoftmaxRegression, d0, d1 *Data) (*PrivacyLoss, error) {
	p, err := m.plan("ExactLoss", d0)
	if err != nil {
		return nil, err
	}
	if math.IsInf(m.Eps, 1) {
		return nil, fmt.Errorf("dp.ExactLoss: with Eps = +Inf the weights are released as they are: there is no density")
	}
	classes, q := p.prob.Classes, d0.Dim()
	density := func(d *Data, w [][]float64) (float64, error) {
		p, err := m.plan("ExactLoss", d)
		if err != nil {
			return 0, err
		}
		flat := make([]float64, 0, classes*q)
		for _, c := range w {
			flat = append(flat, c...)
		}
		b, logDet, err := p.prob.Inverse(flat)
		if err != nil {
			return 0, fmt.Errorf("dp.ExactLoss: %w", err)
		}
		return -norm2(b)*p.epsNoise/p.sens + logDet, nil
	}
	if _, err := density(d0, make2(classes, q)); err != nil {
		return nil, err
	}
	quiet := m
	quiet.Ledger = nil
	return exactGauge(classes, q, density, quiet.Release, d0, d1), nil
}

// exactGauge is the loss of a mechanism whose exact minimisers have a density on parameters that sum to zero over components.
func exactGauge(comps, q int, density func(d *Data, w [][]float64) (float64, error), release func(*Data, *Source) ([]float64, error), d0, d1 *Data) *PrivacyLoss {
	l := &PrivacyLoss{Dim: comps * q}
	l.At = func(out []float64) float64 {
		if len(out) != comps*q {
			return math.NaN()
		}
		w := make2(comps, q)
		for j := range q { // the density lives where the components sum to zero; a common shift changes no decision
			s := 0.0
			for c := range comps {
				s += out[c*q+j] / float64(comps)
			}
			for c := range comps {
				w[c][j] = out[c*q+j] - s
			}
		}
		a, err0 := density(d0, w)
		b, err1 := density(d1, w)
		if err0 != nil || err1 != nil {
			return math.NaN()
		}
		return a - b
	}
	l.sample = func(src *Source) ([]float64, error) { return release(d0, src) }
	l.reverse = func(src *Source) ([]float64, error) { return release(d1, src) }
	l.law.sup = func() (float64, []float64) { return searchSup(l) }
	return l
}

func make2(n, m int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, m)
	}
	return out
}

// searchSup looks for the largest |L|: simplex searches from zero and from releases on either data set. A lower bound on the supremum with a witness.
func searchSup(l *PrivacyLoss) (float64, []float64) {
	src := Seed(1) // the search is reproducible; nothing is published
	best, at := 0.0, make([]float64, l.Dim)
	try := func(o []float64) float64 {
		v := math.Abs(l.At(o))
		if math.IsNaN(v) {
			return 0
		}
		if v > best {
			best = v
			copy(at, o)
		}
		return v
	}
	starts := [][]float64{make([]float64, l.Dim)}
	for range 3 {
		for _, draw := range []func(*Source) ([]float64, error){l.sample, l.reverse} {
			if o, err := draw(src); err == nil {
				starts = append(starts, o)
			}
		}
	}
	for _, s := range starts {
		for _, scale := range []float64{1, 0.1, 0.01} {
			o := append([]float64(nil), s...)
			floats.Scale(scale, o)
			try(o)
		}
		_, _ = optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return -try(x) }}, append([]float64(nil), s...),
			&optimize.Settings{FuncEvaluations: 120 * (l.Dim + 1)}, &optimize.NelderMead{})
	}
	_, _ = optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return -try(x) }}, append([]float64(nil), at...),
		&optimize.Settings{FuncEvaluations: 400 * (l.Dim + 1)}, &optimize.NelderMead{})
	return best, at
}

// exactPathakRaj decides which outputs of the published multiclass mechanism are possible at all. One perturbation B = λI_Φ + sym(b) is shared by all classes, so an
// output (Φ_c) of data with loss gradients G_c satisfies, for some B, the optimality conditions G_c + B ⪰ 0 and (G_c + B)Φ_c = 0. Eliminating B: for all k, c
//
//	P_k (G_c − G_k) P_k ⪰ 0  and  P_c (G_c − G_k) P_k = 0 ,   P_c the projection on the range of Φ_c .
//
// These involve the data only. An output that satisfies them for one data set and violates them for the other has loss ±∞: the shared noise cannot hide it.
func exactPathakRaj(m PathakRaj, d0, d1 *Data) (*PrivacyLoss, error) {
	classes, n := len(d0.ClassNames()), d0.Dim()+1
	q := n * (n + 1) / 2
	h := m.H
	if h == 0 {
		h = 0.5
	}
	l := &PrivacyLoss{Dim: classes * q}
	l.At = func(out []float64) float64 {
		if len(out) != l.Dim {
			return math.NaN()
		}
		phi := make([]*mat.SymDense, classes)
		for c := range phi {
			phi[c] = smat(out[c*q:(c+1)*q], n)
		}
		const tol = 1e-3 // of the gradients, which are of the order of the number of rows; the solver leaves 1e-6 or less
		v0, v1 := impossible(phi, d0, h), impossible(phi, d1, h)
		switch {
		case v0 <= tol && v1 > 10*tol:
			return math.Inf(1)
		case v1 <= tol && v0 > 10*tol:
			return math.Inf(-1)
		}
		return math.NaN() // possible under both: the law has no density to compare
	}
	draw := func(d *Data) func(*Source) ([]float64, error) {
		return func(src *Source) ([]float64, error) {
			for range 2000 {
				o, err := m.Release(d, src)
				if !errors.Is(err, ErrUnbounded) {
					return o, err
				}
			}
			return nil, ErrUnbounded
		}
	}
	l.sample, l.reverse = draw(d0), draw(d1)
	l.law.sup = func() (float64, []float64) {
		src := Seed(1)
		for range 40 {
			for _, f := range []func(*Source) ([]float64, error){l.sample, l.reverse} {
				o, err := f(src)
				if err == nil && math.IsInf(l.At(o), 0) {
					return math.Inf(1), o
				}
			}
		}
		return 0, make([]float64, l.Dim) // no witness found
	}
	return l, nil
}

// smat undoes svec: row-major upper triangle, off-diagonal entries times √2.
func smat(v []float64, n int) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	k := 0
	for i := range n {
		for j := i; j < n; j++ {
			x := v[k]
			if i != j {
				x /= math.Sqrt2
			}
			s.SetSym(i, j, x)
			k++
		}
	}
	return s
}

// impossible measures how far the output is from satisfying the optimality conditions that the data impose whatever the perturbation was, relative to the number of rows.
func impossible(phi []*mat.SymDense, d *Data, h float64) float64 {
	classes, n := len(phi), phi[0].SymmetricDim()
	grad := make([]*mat.SymDense, classes)
	for c := range grad {
		grad[c] = mat.NewSymDense(n, nil)
	}
	z := mat.NewVecDense(n, nil)
	for i := range d.Len() {
		for j, x := range d.Row(i) {
			z.SetVec(j, x)
		}
		z.SetVec(n-1, 1)
		y := d.Class(i)
		own := mat.Inner(z, phi[y], z)
		total := 0.0
		for c := range classes {
			if c == y {
				continue
			}
			s := math.Max(0, math.Min(1, (1+h-(mat.Inner(z, phi[c], z)-own))/(2*h)))
			grad[c].SymRankOne(grad[c], -s, z)
			total += s
		}
		grad[y].SymRankOne(grad[y], total, z)
	}
	basis := make([]*mat.Dense, classes)
	scale := 0.0
	for c := range phi {
		scale = math.Max(scale, mat.Norm(phi[c], 2))
	}
	for c := range phi {
		basis[c] = rangeOf(phi[c], 1e-6*scale)
	}
	worst := 0.0
	for k := range phi {
		if basis[k] == nil {
			continue
		}
		for c := range phi {
			if c == k {
				continue
			}
			var diff, left, both mat.Dense
			diff.Sub(grad[c], grad[k])
			left.Mul(&diff, basis[k])
			both.Mul(basis[k].T(), &left)
			r, _ := both.Dims()
			sym := mat.NewSymDense(r, nil)
			for i := range r {
				for j := i; j < r; j++ {
					sym.SetSym(i, j, (both.At(i, j)+both.At(j, i))/2)
				}
			}
			var e mat.EigenSym
			if e.Factorize(sym, false) {
				worst = math.Max(worst, -floats.Min(e.Values(nil)))
			}
			if basis[c] != nil {
				var cross mat.Dense
				cross.Mul(basis[c].T(), &left)
				worst = math.Max(worst, mat.Norm(&cross, 2))
			}
		}
	}
	return worst / float64(d.Len())
}

// rangeOf is an orthonormal basis of the eigenvectors with eigenvalue above tol; nil if there is none.
func rangeOf(s *mat.SymDense, tol float64) *mat.Dense {
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return nil
	}
	var v mat.Dense
	e.VectorsTo(&v)
	n := s.SymmetricDim()
	var keep []int
	for i, x := range e.Values(nil) {
		if x > tol {
			keep = append(keep, i)
		}
	}
	if len(keep) == 0 {
		return nil
	}
	out := mat.NewDense(n, len(keep), nil)
	for k, i := range keep {
		for r := range n {
			out.Set(r, k, v.At(r, i))
		}
	}
	return out
}
