package dp

import (
	"context"
	"fmt"
	"math"
)

// A Pair is two neighbouring data sets.
type Pair struct {
	Name   string // what was done to make it
	D0, D1 *Data  // the two data sets
}

// String names the pair and shows the shape only.
func (p Pair) String() string {
	return fmt.Sprintf("%s (%d and %d rows × %d)", p.Name, p.D0.Len(), p.D1.Len(), p.D0.Dim())
}

// CandidatePairs proposes neighbouring data sets of the same shape as d (rows, dimension, radius) that make mechanisms show what they hide:
// d itself with its first row's label flipped, its row negated, zeroed or replaced by an extreme one; and artificial data sets
// whose other rows are all zero, all alike, or balanced so that the replaced row decides the fit. With addRemove the pairs differ by a removed row instead.
//
// For a mechanism that claims privacy, the name of a pair may be shown to anybody: only the pairs that start from d depend on it.
func CandidatePairs(d *Data, addRemove bool) ([]Pair, error) {
	if d == nil {
		return nil, fmt.Errorf("dp.CandidatePairs: the data set is nil")
	}
	n, dim, r := d.Len(), d.Dim(), d.Radius()
	var out []Pair
	unit := func(a float64) []float64 { // a·e₁
		v := make([]float64, dim)
		v[0] = a
		return v
	}
	diag := func(a float64) []float64 { // all coordinates alike: the extreme row of an ℓ1 sensitivity
		v := make([]float64, dim)
		fillRow(v, a/math.Sqrt(float64(dim)))
		return v
	}
	plus, minus := 1.0, -1.0
	if !d.Binary() {
		plus, minus = 1, 0
	}
	if addRemove {
		if n < 2 {
			return nil, fmt.Errorf("dp.CandidatePairs: removing a row needs at least two rows")
		}
		idx := make([]int, n-1)
		for i := range idx {
			idx[i] = i
		}
		cut := func(x *Data) *Data { return x.Subset(idx) }
		out = append(out, Pair{"your data, last row removed", d, cut(d)})
		for _, v := range []struct {
			name string
			row  []float64
			y    float64
		}{{"extreme row (R e₁, +)", unit(r), plus}, {"extreme row (−R e₁, +)", unit(-r), plus}, {"extreme row (R1/√d, +)", diag(r), plus}} {
			for _, b := range bases(d, unit, plus, minus) {
				x, err := b.data.Replace(n-1, v.row, v.y)
				if err != nil {
					return nil, err
				}
				out = append(out, Pair{b.name + ", " + v.name + " removed", x, cut(x)})
			}
		}
		return out, nil
	}
	row, y := d.Row(0), d.Label(0)
	neg := make([]float64, dim)
	for j := range row {
		neg[j] = -row[j]
	}
	flip := plus
	if y == plus {
		flip = minus
	}
	type change struct {
		name string
		row  []float64
		y    float64
	}
	for _, c := range []change{{"label of the first row flipped", row, flip}, {"first row negated", neg, y}, {"first row zeroed", make([]float64, dim), y},
		{"first row replaced by (R e₁, +)", unit(r), plus}, {"first row replaced by (−R e₁, +)", unit(-r), plus}} {
		x, err := d.Replace(0, c.row, c.y)
		if err != nil {
			return nil, err
		}
		out = append(out, Pair{"your data, " + c.name, d, x})
	}
	changes := [][2]change{
		{{"(R e₁, +)", unit(r), plus}, {"(−R e₁, +)", unit(-r), plus}},
		{{"(R e₁, +)", unit(r), plus}, {"(R e₁, −)", unit(r), minus}},
		{{"(R e₁, +)", unit(r), plus}, {"(0, +)", unit(0), plus}},
	}
	if dim > 1 {
		changes = append(changes, [2]change{{"(R1/√d, +)", diag(r), plus}, {"(−R1/√d, +)", diag(-r), plus}})
		e2 := make([]float64, dim)
		e2[1] = r
		changes = append(changes, [2]change{{"(R e₁, +)", unit(r), plus}, {"(R e₂, +)", e2, plus}})
	}
	for _, b := range bases(d, unit, plus, minus) {
		for _, c := range changes {
			x, err := b.data.Replace(n-1, c[0].row, c[0].y)
			if err != nil {
				return nil, err
			}
			z, err := b.data.Replace(n-1, c[1].row, c[1].y)
			if err != nil {
				return nil, err
			}
			out = append(out, Pair{b.name + ", " + c[0].name + " against " + c[1].name, x, z})
		}
	}
	return out, nil
}

type baseData struct {
	name string
	data *Data
}

// bases are artificial data sets of d's shape whose last row will be replaced.
func bases(d *Data, unit func(float64) []float64, plus, minus float64) []baseData {
	n, r := d.Len(), d.Radius()
	make1 := func(name string, at func(i int) ([]float64, float64)) baseData {
		x := d
		rows, labels := make([][]float64, n), make([]float64, n)
		for i := range n {
			rows[i], labels[i] = at(i)
		}
		if d.Binary() {
			x, _ = NewData(rows, labels, r)
		} else {
			classes := make([]int, n)
			for i, y := range labels {
				classes[i] = int(y)
			}
			x, _ = NewClasses(rows, classes, d.ClassNames(), r)
		}
		return baseData{name, x}
	}
	out := []baseData{make1("all other rows zero", func(i int) ([]float64, float64) { return unit(0), plus })}
	if n > 1 {
		out = append(out,
			make1("all other rows zero and negative", func(int) ([]float64, float64) { return unit(0), minus }),
			make1("all other rows (−R e₁, +)", func(int) ([]float64, float64) { return unit(-r), plus }),
			make1("other rows balanced (R e₁, ±)", func(i int) ([]float64, float64) {
				if i%2 == 0 {
					return unit(r), plus
				}
				return unit(r), minus
			}))
	}
	return out
}

// Search audits m on candidate pairs of the shape of d: a quarter of the samples (at least 400 a pair) explores all pairs, and the most telling one is then audited
// with fresh samples, so no correction for the choice is needed. Claims under add/remove are tried on pairs that differ by a removed row.
func (a Audit) Search(m Mechanism, d *Data) (*AuditReport, error) {
	return a.SearchContext(ambientContext(), m, d)
}

// SearchContext is Search in a given context.
func (a Audit) SearchContext(ctx context.Context, m Mechanism, d *Data) (*AuditReport, error) {
	if m == nil || d == nil {
		return nil, fmt.Errorf("dp.Audit: the mechanism and a data set are required")
	}
	g, err := m.Claim(d)
	if err != nil {
		return nil, fmt.Errorf("dp.Audit: the mechanism makes no claim on these data: %w", err)
	}
	pairs, err := CandidatePairs(d, g.Neighbours == AddRemove)
	if err != nil {
		return nil, err
	}
	return a.SearchPairs(ctx, m, pairs)
}

// SearchPairs is SearchContext over given pairs.
func (a Audit) SearchPairs(ctx context.Context, m Mechanism, pairs []Pair) (*AuditReport, error) {
	if len(pairs) == 0 {
		return nil, fmt.Errorf("dp.Audit: no pairs to search")
	}
	full := a
	if full.Samples == 0 {
		full.Samples = 100_000
	}
	a.Rand = orSecure(a.Rand)
	full.Rand = a.Rand
	if len(pairs) == 1 {
		return full.run(ctx, m, pairs[0])
	}
	scout := a
	scout.Samples = max(400, full.Samples/4/len(pairs))
	scout.All, scout.Progress, scout.Confidence = true, nil, 0.5 // to choose, not to judge
	full.Samples = max(64, full.Samples-full.Samples/4)
	best, top, used := -1, math.Inf(-1), 0
	var first error
	for i, p := range pairs {
		r, err := scout.run(ctx, m, p)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			if first == nil {
				first = fmt.Errorf("pair %q: %w", p.Name, err)
			}
			continue
		}
		used += r.Releases
		// Besides the bound itself, the bare ratio of the counts breaks ties between pairs that show nothing yet.
		v := r.EpsLower - r.ClaimedEps + 1e-3*math.Log((float64(r.Hits0)+1)/(float64(r.Hits1)+1)) + r.DeltaLower
		if v > top {
			best, top = i, v
		}
	}
	if best < 0 {
		return nil, first
	}
	r, err := full.run(ctx, m, pairs[best])
	if err != nil {
		return nil, err
	}
	r.Releases += used
	return r, nil
}
