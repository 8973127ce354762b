package dp

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// exactNormSq is Σ v² as a rational number.
func exactNormSq(v []float64) *big.Rat {
	s := new(big.Rat)
	for _, x := range v {
		r := new(big.Rat).SetFloat64(x)
		s.Add(s, r.Mul(r, r))
	}
	return s
}

// Whatever the row, the stored row has exact norm at most R, compared in rational arithmetic.
func TestClipIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Float64(), 1, 12).Draw(t, "row")
		r := rapid.Float64Range(1e-3, 1e3).Draw(t, "radius")
		d, err := NewData([][]float64{row}, []float64{1}, r)
		if err != nil {
			t.Fatal(err)
		}
		rr := new(big.Rat).SetFloat64(r)
		if exactNormSq(d.Row(0)).Cmp(rr.Mul(rr, rr)) > 0 {
			t.Fatalf("row %v clipped to %v: norm above %v", row, d.Row(0), r)
		}
	})
}

func TestClipLeavesRowsInsideAlone(t *testing.T) {
	d, err := NewData([][]float64{{1, 0}, {0.3, -0.4}, {3, 4}, {math.NaN(), 0}, {math.Inf(1), 1}, {1e308, 1e308}, {0.6, 0.8}}, []float64{1, 1, 1, 1, 1, 1, 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{1, 0}, {0.3, -0.4}, {0.6, 0.8}, {0, 0}, {0, 0}, {math.Sqrt2 / 2, math.Sqrt2 / 2}, {0.6, 0.8}}
	for i, w := range want {
		for j := range w {
			if math.Abs(d.Row(i)[j]-w[j]) > 1e-11 {
				t.Errorf("row %d is %v, want %v", i, d.Row(i), w)
			}
		}
	}
	if d.Row(0)[0] != 1 || d.Row(1)[0] != 0.3 || d.Row(1)[1] != -0.4 {
		t.Errorf("rows inside the ball were changed: %v %v", d.Row(0), d.Row(1))
	}
	if d.Radius() != 1 {
		t.Errorf("radius 0 means %g, want 1", d.Radius())
	}
}

func TestDataRefuses(t *testing.T) {
	ok := [][]float64{{1, 0}, {0, 1}}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"no rows", second(NewData(nil, nil, 1)), "at least one row"},
		{"no columns", second(NewData([][]float64{{}}, []float64{1}, 1)), "at least one column"},
		{"ragged", second(NewData([][]float64{{1, 2}, {1}}, []float64{1, 1}, 1)), "rows[1]"},
		{"labels short", second(NewData(ok, []float64{1}, 1)), "labels"},
		{"label 0", second(NewData(ok, []float64{1, 0}, 1)), "labels[1] = 0: labels must be -1 or +1"},
		{"label NaN", second(NewData(ok, []float64{math.NaN(), 1}, 1)), "labels[0]"},
		{"radius", second(NewData(ok, []float64{1, 1}, -1)), "radius"},
		{"radius NaN", second(NewData(ok, []float64{1, 1}, math.NaN())), "radius"},
		{"class range", second(NewClasses(ok, []int{0, 2}, []string{"a", "b"}, 1)), "classes[1]"},
		{"one class", second(NewClasses(ok, []int{0, 0}, []string{"a"}, 1)), "two classes"},
		{"sparse order", second(NewSparse(3, []int{0, 2}, []int32{1, 1}, []float64{1, 1}, []float64{1}, 1)), "increase"},
		{"sparse dim", second(NewSparse(3, []int{0, 1}, []int32{3}, []float64{1}, []float64{1}, 1)), "below dim"},
		{"sparse offsets", second(NewSparse(3, []int{0, 2, 1}, []int32{1}, []float64{1}, []float64{1, 1}, 1)), "offsets"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// sparseCopy stores d sparsely.
func sparseCopy(t testing.TB, d *Data) *Data {
	t.Helper()
	start, cols, vals := []int{0}, []int32{}, []float64{}
	y := make([]float64, d.Len())
	for i := range d.Len() {
		for j, v := range d.Row(i) {
			if v != 0 {
				cols, vals = append(cols, int32(j)), append(vals, v)
			}
		}
		start = append(start, len(vals))
		y[i] = d.Label(i)
	}
	s, err := NewSparse(d.Dim(), start, cols, vals, y, d.Radius())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Dense and sparse data must behave alike under every operation.
func TestSparseEqualsDense(t *testing.T) {
	src := Seed(5)
	rows, y := make([][]float64, 30), make([]float64, 30)
	for i := range rows {
		rows[i] = make([]float64, 7)
		for j := range rows[i] {
			if src.Intn(3) == 0 {
				rows[i][j] = src.Norm()
			}
		}
		y[i] = sign(src.Norm())
	}
	dense, err := NewData(rows, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	sparse := sparseCopy(t, dense)
	same := func(what string, a, b *Data) {
		t.Helper()
		if a.Len() != b.Len() || a.Dim() != b.Dim() {
			t.Fatalf("%s: shapes differ", what)
		}
		w := make([]float64, a.Dim())
		for j := range w {
			w[j] = src.Norm()
		}
		for i := range a.Len() {
			if a.Label(i) != b.Label(i) || math.Abs(a.Dot(i, w)-b.Dot(i, w)) > 1e-14 {
				t.Fatalf("%s: row %d differs", what, i)
			}
			u, v := make([]float64, len(w)), make([]float64, len(w))
			a.AddTo(i, 2, u)
			b.AddTo(i, 2, v)
			for j := range u {
				if u[j] != v[j] || math.Abs(u[j]-2*a.Row(i)[j]) > 1e-15 {
					t.Fatalf("%s: AddTo row %d differs", what, i)
				}
			}
		}
	}
	same("copy", dense, sparse)
	same("dense", sparse.Dense(), dense)
	same("subset", dense.Subset([]int{3, 1, 29}), sparse.Subset([]int{3, 1, 29}))
	a1, a2 := dense.Split(0.7, Seed(1))
	b1, b2 := sparse.Split(0.7, Seed(1))
	same("split", a1, b1)
	same("split rest", a2, b2)
	if a1.Len() != 21 || a2.Len() != 9 {
		t.Errorf("split sizes %d and %d, want 21 and 9", a1.Len(), a2.Len())
	}
	same("intercept", dense.WithIntercept(), sparse.WithIntercept())
	ra, err := dense.Replace(4, []float64{0, 9, 0, 0, 0, 1, 0}, -1)
	if err != nil {
		t.Fatal(err)
	}
	rb, err := sparse.Replace(4, []float64{0, 9, 0, 0, 0, 1, 0}, -1)
	if err != nil {
		t.Fatal(err)
	}
	same("replace", ra, rb)
	if ra.Label(4) != -1 || dense.Row(4)[1] == ra.Row(4)[1] {
		t.Error("Replace did not replace, or changed the original")
	}
	for i := range dense.Len() {
		if n := exactNormSq(sparse.WithIntercept().Row(i)); n.Cmp(big.NewRat(1, 1)) > 0 {
			t.Errorf("row %d with intercept leaves the ball", i)
		}
	}
}

func TestLeaksTravel(t *testing.T) {
	d, _ := NewData([][]float64{{1}, {0.5}}, []float64{1, -1}, 1)
	m := d.MarkLeak("scaled by its own maximum").Subset([]int{0})
	if len(m.Leaks()) != 1 || len(d.Leaks()) != 0 {
		t.Errorf("leaks %v and %v", m.Leaks(), d.Leaks())
	}
}
