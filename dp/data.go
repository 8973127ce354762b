package dp

import (
	"fmt"
	"math"
	"slices"

	"example.org/godp/dp/internal/solve"
)

// Data is a labelled data set whose rows lie in the ball ‖x‖₂ ≤ Radius. The constructors make that true by scaling down
// each row that is too long (by its own norm only, so one person's row never touches another's); a row with a NaN or an
// infinity becomes the zero row, silently, because an error message about a row would be a release. Rows are dense or
// sparse (CSR). Labels are −1 and +1, or classes. A Data is immutable and safe for concurrent use.
type Data struct {
	x       solve.Matrix
	y       []float64 // ±1, or nil for classes
	class   []int32   // or nil
	names   []string  // class names
	weight  []float64 // sample weights in [0, maxW], or nil
	maxW    float64
	radius  float64
	columns []string // feature names, or nil
	leaks   []string
	fmap    FeatureMap // the map that made these rows out of raw ones, or nil
	from    lineage    // which rows of which data set these are, for parallel composition
}

// NewData copies rows (n ≥ 1 rows of equal length d ≥ 1) with labels in {−1, +1}, and clips each row to the ball of the
// given radius; radius 0 means 1.
func NewData(rows [][]float64, labels []float64, radius float64) (*Data, error) {
	d, err := denseRows("NewData", rows, radius)
	if err != nil {
		return nil, err
	}
	if err := checkLabels("NewData", labels, len(rows)); err != nil {
		return nil, err
	}
	d.y = slices.Clone(labels)
	return d, nil
}

// NewClasses copies rows with class numbers 0 ≤ classes[i] < len(names).
func NewClasses(rows [][]float64, classes []int, names []string, radius float64) (*Data, error) {
	d, err := denseRows("NewClasses", rows, radius)
	if err != nil {
		return nil, err
	}
	if err := d.setClasses("NewClasses", classes, names); err != nil {
		return nil, err
	}
	return d, nil
}

// NewSparse makes data of n = len(labels) sparse rows of dimension dim: row i has values vals[start[i]:start[i+1]] in the
// strictly increasing columns cols[start[i]:start[i+1]], so len(start) = n+1. Rows are clipped as in NewData.
func NewSparse(dim int, start []int, cols []int32, vals, labels []float64, radius float64) (*Data, error) {
	const where = "NewSparse"
	r, err := checkRadius(where, radius)
	if err != nil {
		return nil, err
	}
	n := len(labels)
	switch {
	case n == 0:
		return nil, badArg(where, "labels", "no rows", "at least one row is required")
	case dim < 1 || dim > math.MaxInt32:
		return nil, badArg(where, "dim", dim, "must be between 1 and 2^31-1")
	case len(start) != n+1 || start[0] != 0 || start[n] != len(vals):
		return nil, badArg(where, "start", fmt.Sprintf("%d offsets", len(start)), fmt.Sprintf("must have %d offsets from 0 to len(vals) = %d", n+1, len(vals)))
	case len(cols) != len(vals):
		return nil, badArg(where, "cols", fmt.Sprintf("%d columns", len(cols)), fmt.Sprintf("must be as many as vals, %d", len(vals)))
	}
	for i := range n {
		if start[i+1] < start[i] || start[i+1] > len(vals) {
			return nil, badArg(where, fmt.Sprintf("start[%d]", i+1), start[i+1], "offsets must not decrease")
		}
		prev := int32(-1)
		for _, c := range cols[start[i]:start[i+1]] {
			if c <= prev || int(c) >= dim {
				return nil, badArg(where, fmt.Sprintf("cols of row %d", i), c, fmt.Sprintf("must increase strictly and stay below dim = %d", dim))
			}
			prev = c
		}
	}
	if err := checkLabels(where, labels, n); err != nil {
		return nil, err
	}
	d := &Data{x: solve.Matrix{N: n, D: dim, Ptr: slices.Clone(start), Idx: slices.Clone(cols), Val: slices.Clone(vals)}, radius: r, y: slices.Clone(labels)}
	d.clip()
	return d, nil
}

func checkRadius(where string, radius float64) (float64, error) {
	if radius == 0 {
		return 1, nil
	}
	if !positive(radius) {
		return 0, badArg(where, "radius", radius, "must be a finite number above 0 (0 means 1)")
	}
	return radius, nil
}

func denseRows(where string, rows [][]float64, radius float64) (*Data, error) {
	r, err := checkRadius(where, radius)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, badArg(where, "rows", "no rows", "at least one row is required")
	}
	dim := len(rows[0])
	if dim == 0 {
		return nil, badArg(where, "rows[0]", "empty", "rows need at least one column")
	}
	val := make([]float64, 0, len(rows)*dim)
	for i, row := range rows {
		if len(row) != dim {
			return nil, badArg(where, fmt.Sprintf("rows[%d]", i), fmt.Sprintf("%d columns", len(row)), fmt.Sprintf("every row must have %d columns like the first", dim))
		}
		val = append(val, row...)
	}
	d := &Data{x: solve.Matrix{N: len(rows), D: dim, Val: val}, radius: r}
	d.clip()
	return d, nil
}

func checkLabels(where string, labels []float64, n int) error {
	if len(labels) != n {
		return badArg(where, "labels", fmt.Sprintf("%d labels", len(labels)), fmt.Sprintf("must be as many as rows, %d", n))
	}
	for i, y := range labels {
		if y != 1 && y != -1 {
			return badArg(where, fmt.Sprintf("labels[%d]", i), y, "labels must be -1 or +1")
		}
	}
	return nil
}

func (d *Data) setClasses(where string, classes []int, names []string) error {
	if len(names) < 2 {
		return badArg(where, "names", fmt.Sprintf("%d names", len(names)), "at least two classes must be named")
	}
	if len(classes) != d.x.N {
		return badArg(where, "classes", fmt.Sprintf("%d classes", len(classes)), fmt.Sprintf("must be as many as rows, %d", d.x.N))
	}
	d.class = make([]int32, len(classes))
	for i, c := range classes {
		if c < 0 || c >= len(names) {
			return badArg(where, fmt.Sprintf("classes[%d]", i), c, fmt.Sprintf("must be between 0 and %d", len(names)-1))
		}
		d.class[i] = int32(c)
	}
	d.names = slices.Clone(names)
	return nil
}

// clip brings every row into the ball.
func (d *Data) clip() {
	for i := range d.x.N {
		clipRow(d.x.Values(i), d.radius)
	}
}

// clipRow scales v so that its exact norm is at most r; a row that is not finite becomes zero. A row inside the ball is
// left alone. The factor (1−2⁻⁴⁰) absorbs the rounding of the scaling itself.
func clipRow(v []float64, r float64) {
	top := 0.0
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			clear(v)
			return
		}
		top = math.Max(top, math.Abs(x))
	}
	if top == 0 {
		return
	}
	if top < 1e140 && top > 1e-140 && insideBall(v, r) {
		return
	}
	s := 0.0
	for _, x := range v {
		s += (x / top) * (x / top)
	}
	// ‖v‖ = top·√s. Divide first so that nothing overflows.
	norm := math.Sqrt(s)
	if top*norm <= r*(1-0x1p-30) {
		return
	}
	for j := range v {
		v[j] = v[j] / top * (r / norm) * (1 - 0x1p-40)
	}
}

// insideBall decides ‖v‖² ≤ r² with the sum of squares carried to twice the working precision, so that a unit vector whose
// computed norm is 1 + 1e-16 is not mistaken for one inside, and (1, 0, …) is left untouched.
func insideBall(v []float64, r float64) bool {
	hi, lo := 0.0, 0.0
	for _, x := range v {
		p := x * x
		e := math.FMA(x, x, -p)
		t := hi + p
		z := t - hi
		lo += (hi - (t - z)) + (p - z) + e
		hi = t
	}
	rr := r * r
	re := math.FMA(r, r, -rr)
	return (hi-rr)+(lo-re) <= 0
}

// Len is the number n of rows.
func (d *Data) Len() int { return d.x.N }

// Dim is the number d of columns.
func (d *Data) Dim() int { return d.x.D }

// Radius is the public bound R on the norm of every row.
func (d *Data) Radius() float64 { return d.radius }

// Binary tells whether the labels are ±1.
func (d *Data) Binary() bool { return d.y != nil }

// Label is y_i ∈ {−1, +1}; for data with classes it is the class number.
func (d *Data) Label(i int) float64 {
	if d.y == nil {
		return float64(d.class[i])
	}
	return d.y[i]
}

// Class is the class number of row i; for ±1 labels it is 0 for −1 and 1 for +1.
func (d *Data) Class(i int) int {
	if d.class == nil {
		if d.y[i] > 0 {
			return 1
		}
		return 0
	}
	return int(d.class[i])
}

// ClassNames are the names of the classes, {"-1", "+1"} for binary labels.
func (d *Data) ClassNames() []string {
	if d.class == nil {
		return []string{"-1", "+1"}
	}
	return slices.Clone(d.names)
}

// Features are the column names, or nil when they have none.
func (d *Data) Features() []string { return slices.Clone(d.columns) }

// Row is a dense copy of row i.
func (d *Data) Row(i int) []float64 { return d.x.Row(i, make([]float64, d.x.D)) }

// Dot is the inner product of row i with w, which must have length Dim.
func (d *Data) Dot(i int, w []float64) float64 { return d.x.Dot(i, w) }

// AddTo adds a·x_i to dst, which must have length Dim.
func (d *Data) AddTo(i int, a float64, dst []float64) { d.x.AddTo(i, a, dst) }

// Leaks lists what is known to have been derived from the data outside any guarantee.
func (d *Data) Leaks() []string { return slices.Clone(d.leaks) }

// MarkLeak returns the same data carrying a note that appears in the guarantee of everything trained on it, such as
// "columns standardised with their own mean".
func (d *Data) MarkLeak(what string) *Data {
	out := *d
	out.from = d.lineage()
	out.leaks = append(slices.Clone(d.leaks), what)
	return &out
}

// Sparse tells whether rows are stored by their non-zero entries.
func (d *Data) Sparse() bool { return d.x.Sparse() }

// Dense returns the same data stored densely.
func (d *Data) Dense() *Data {
	if !d.x.Sparse() {
		return d
	}
	out := *d
	out.from = d.lineage()
	out.x = solve.Matrix{N: d.x.N, D: d.x.D, Val: make([]float64, d.x.N*d.x.D)}
	for i := range d.x.N {
		d.x.Row(i, out.x.Values(i))
	}
	return &out
}
