package dp

import (
	"fmt"
	"math"
	"math/bits"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// candidateScores proposes statistics that may tell the two samples apart. They are fitted on the given (earlier) samples only.
//
// For scalar outputs the value itself is enough: the event search over its bins is a likelihood-ratio test. For vectors: the
// coordinates that moved most, the ℓ1 and ℓ2 norms, the difference of the distances to the two centres (optimal for noise with a norm in
// the exponent), the linear discriminant (optimal for Gaussian noise), and a logistic classifier on values, absolute values and squares.
func candidateScores(seen [2]table, extra func([]float64) float64, lastBits bool) []score {
	var out []score
	put := func(name string, of func([]float64) float64) { out = append(out, score{name: name, of: of}) }
	if extra != nil {
		put("score", extra)
	}
	w := seen[0].width
	for j := range min(w, 4) {
		if lastBits {
			out = append(out, score{name: fmt.Sprintf("bits of output[%d]", j), of: func(o []float64) float64 { return bitClass(o[j]) }, exact: true})
		}
	}
	if w == 1 {
		put("output", func(o []float64) float64 { return o[0] })
		return out
	}
	c0, c1, sd := centres(seen)
	idx := make([]int, w)
	for j := range idx {
		idx[j] = j
	}
	gap := func(j int) float64 { return math.Abs(c0[j]-c1[j]) / sd[j] }
	sort.SliceStable(idx, func(a, b int) bool { return gap(idx[a]) > gap(idx[b]) })
	for _, j := range idx[:min(w, 8)] {
		put(fmt.Sprintf("output[%d]", j), func(o []float64) float64 { return o[j] })
	}
	put("‖output‖₂", func(o []float64) float64 { return floats.Norm(o, 2) })
	put("‖output‖₁", func(o []float64) float64 { return floats.Norm(o, 1) })
	put("‖o−c₁‖₂−‖o−c₀‖₂", func(o []float64) float64 { return floats.Distance(o, c1, 2) - floats.Distance(o, c0, 2) })
	put("‖o−c₁‖₁−‖o−c₀‖₁", func(o []float64) float64 { return floats.Distance(o, c1, 1) - floats.Distance(o, c0, 1) })
	if f := logisticScore(seen, c0, c1, sd); f != nil {
		put("classifier", f)
	}
	if w <= 64 {
		if f := discriminant(seen, c0, c1); f != nil {
			put("discriminant", f)
		}
	}
	return out
}

// bitClass is 64·(binary exponent) + (number of trailing zero bits of the significand): on which lattice of floating-point numbers x lies.
func bitClass(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	_, e := math.Frexp(x)
	return float64(64*e + bits.TrailingZeros64(math.Float64bits(x)|1<<52))
}

// centres returns the coordinatewise medians and a common spread (interquartile, never zero).
func centres(seen [2]table) (c0, c1, sd []float64) {
	w := seen[0].width
	c0, c1, sd = make([]float64, w), make([]float64, w), make([]float64, w)
	col := make([]float64, 0, seen[0].len())
	for j := range w {
		for side, c := range [][]float64{c0, c1} {
			col = col[:0]
			step := max(1, seen[side].len()/20000)
			for i := 0; i < seen[side].len(); i += step {
				col = append(col, seen[side].row(i)[j])
			}
			sort.Float64s(col)
			n := len(col)
			c[j] = col[n/2]
			sd[j] += (col[3*n/4] - col[n/4]) / 2.7
		}
		if !(sd[j] > 0) || math.IsInf(sd[j], 0) {
			sd[j] = 1
		}
	}
	return
}

// discriminant is Fisher's: o·S⁻¹(c0 − c1) with the pooled covariance S.
func discriminant(seen [2]table, c0, c1 []float64) func([]float64) float64 {
	w := seen[0].width
	s := mat.NewSymDense(w, nil)
	n := 0
	for side, c := range [][]float64{c0, c1} {
		step := max(1, seen[side].len()/20000)
		x := make([]float64, w)
		for i := 0; i < seen[side].len(); i += step {
			for j, v := range seen[side].row(i) {
				x[j] = v - c[j]
			}
			if !isFiniteVec(x) || floats.Norm(x, 2) > 1e100 {
				continue
			}
			s.SymRankOne(s, 1, mat.NewVecDense(w, x))
			n++
		}
	}
	if n < 2*w {
		return nil
	}
	s.ScaleSym(1/float64(n), s)
	tr := mat.Trace(s)
	for j := range w {
		s.SetSym(j, j, s.At(j, j)+1e-9*tr/float64(w)+1e-300)
	}
	var ch mat.Cholesky
	if !ch.Factorize(s) {
		return nil
	}
	d := mat.NewVecDense(w, nil)
	for j := range w {
		d.SetVec(j, c0[j]-c1[j])
	}
	var v mat.VecDense
	if ch.SolveVecTo(&v, d) != nil {
		return nil
	}
	dir := v.RawVector().Data
	if !isFiniteVec(dir) {
		return nil
	}
	return func(o []float64) float64 { return floats.Dot(o, dir) }
}

// logisticScore fits a logistic classifier by a few passes of gradient descent on standardised values, absolute values and squares,
// clipped so that heavy tails do not rule it.
func logisticScore(seen [2]table, c0, c1, sd []float64) func([]float64) float64 {
	w := min(seen[0].width, 32)
	feats := func(o, f []float64) {
		for j := range w {
			x := (o[j] - (c0[j]+c1[j])/2) / sd[j]
			x = math.Max(-6, math.Min(6, x))
			f[3*j], f[3*j+1], f[3*j+2] = x, math.Abs(x), x*x/4
		}
	}
	beta := make([]float64, 3*w+1)
	grad := make([]float64, 3*w+1)
	f := make([]float64, 3*w)
	n := min(seen[0].len(), seen[1].len(), 4000)
	if n < 50 {
		return nil
	}
	for pass := range 40 {
		clear(grad)
		for side := range 2 {
			for i := range n {
				feats(seen[side].row(i), f)
				z := beta[3*w] + floats.Dot(f, beta[:3*w])
				r := 1 / (1 + math.Exp(-z))
				if side == 0 {
					r--
				}
				for k, x := range f {
					grad[k] += r * x
				}
				grad[3*w] += r
			}
		}
		step := 1.0 / float64(2*n) / (1 + float64(pass)/20) / math.Sqrt(float64(w))
		for k := range beta {
			beta[k] -= step * grad[k]
		}
	}
	return func(o []float64) float64 {
		z := 0.0
		for j := range w {
			x := (o[j] - (c0[j]+c1[j])/2) / sd[j]
			x = math.Max(-6, math.Min(6, x))
			z += beta[3*j]*x + beta[3*j+1]*math.Abs(x) + beta[3*j+2]*x*x/4
		}
		return z
	}
}

func isFiniteVec(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
