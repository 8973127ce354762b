package dp

import (
	"fmt"
	"math"
	"slices"
)

// Split returns two parts of the rows in a random order that does not depend on the data: the first holds
// round(frac·n) rows, but at least one, and the rest at least one. It panics unless 0 < frac < 1 and n ≥ 2. A nil source
// means a secure one.
func (d *Data) Split(frac float64, src *Source) (first, rest *Data) {
	if !(frac > 0 && frac < 1) {
		panic(badArg("Split", "frac", frac, "must lie strictly between 0 and 1"))
	}
	n := d.Len()
	if n < 2 {
		panic(badArg("Split", "rows", n, "at least two rows are required"))
	}
	k := min(max(int(math.Round(frac*float64(n))), 1), n-1)
	p := orSecure(src).Perm(n)
	return d.Subset(p[:k]), d.Subset(p[k:])
}

// Parts deals the rows at random into k parts whose sizes differ by at most one. It panics unless 1 ≤ k ≤ n.
func (d *Data) Parts(k int, src *Source) []*Data {
	n := d.Len()
	if k < 1 || k > n {
		panic(badArg("Parts", "k", k, fmt.Sprintf("must be between 1 and the number of rows, %d", n)))
	}
	p := orSecure(src).Perm(n)
	out := make([]*Data, k)
	for i := range out {
		out[i] = d.Subset(p[i*n/k : (i+1)*n/k])
	}
	return out
}

// Subset copies the rows with the given numbers, in that order; a row may be taken more than once, but then the guarantee
// of whatever is trained on the result counts each copy as a person. It panics if idx is empty or out of range.
func (d *Data) Subset(idx []int) *Data {
	if len(idx) == 0 {
		panic(badArg("Subset", "idx", "empty", "at least one row is required"))
	}
	for k, i := range idx {
		if i < 0 || i >= d.x.N {
			panic(badArg("Subset", fmt.Sprintf("idx[%d]", k), i, fmt.Sprintf("must be between 0 and %d", d.x.N-1)))
		}
	}
	out := *d
	out.from = d.lineage().pick(idx)
	out.x = d.x.Select(idx)
	if d.y != nil {
		out.y = pick(d.y, idx)
	}
	if d.class != nil {
		out.class = pick(d.class, idx)
	}
	if d.weight != nil {
		out.weight = pick(d.weight, idx)
	}
	return &out
}

func pick[T any](from []T, idx []int) []T {
	out := make([]T, len(idx))
	for k, i := range idx {
		out[k] = from[i]
	}
	return out
}

// Replace returns a neighbour under the replace-one relation: row i becomes the given row (clipped) with the given label
// (for data with classes, the class number).
func (d *Data) Replace(i int, row []float64, label float64) (*Data, error) {
	const where = "Replace"
	if i < 0 || i >= d.x.N {
		return nil, badArg(where, "i", i, fmt.Sprintf("must be between 0 and %d", d.x.N-1))
	}
	if len(row) != d.x.D {
		return nil, badArg(where, "row", fmt.Sprintf("%d columns", len(row)), fmt.Sprintf("must have %d columns", d.x.D))
	}
	out := *d
	out.from = lineage{} // a neighbour is another data set
	v := slices.Clone(row)
	clipRow(v, d.radius)
	if d.x.Sparse() {
		out.x = d.x.ReplaceSparse(i, v)
	} else {
		out.x.Val = slices.Clone(d.x.Val)
		copy(out.x.Values(i), v)
	}
	if d.y != nil {
		if label != 1 && label != -1 {
			return nil, badArg(where, "label", label, "must be -1 or +1")
		}
		out.y = slices.Clone(d.y)
		out.y[i] = label
	} else {
		if label != math.Trunc(label) || label < 0 || label >= float64(len(d.names)) {
			return nil, badArg(where, "label", label, fmt.Sprintf("must be a class number between 0 and %d", len(d.names)-1))
		}
		out.class = slices.Clone(d.class)
		out.class[i] = int32(label)
	}
	return &out, nil
}

// withLabels shares the rows of d under new ±1 labels (one against the rest).
func (d *Data) withLabels(y []float64) *Data {
	out := *d
	out.from = d.lineage()
	out.y, out.class, out.names = y, nil, nil
	return &out
}
