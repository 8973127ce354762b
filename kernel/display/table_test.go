package display

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

type person struct {
	Name   string
	Age    int
	Since  time.Duration
	secret int
}

type dense struct{}

func (dense) Dims() (int, int)        { return 2, 3 }
func (dense) At(i, j int) float64     { return float64(10*i + j) }
func join(rows [][]string) (s string) { return strings.Join(flatten(rows), "; ") }
func flatten(rows [][]string) (s []string) {
	for _, r := range rows {
		s = append(s, strings.Join(r, ","))
	}
	return s
}

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		name   string
		v      any
		header string
		rows   string
	}{
		{"structs", []person{{"Ann", 3, time.Second, 1}, {"Bob", 4, 0, 2}}, ",Name,Age,Since", "0,Ann,3,1s; 1,Bob,4,0s"},
		{"pointers", []*person{{Name: "Ann"}, nil}, ",Name,Age,Since", "0,Ann,0,0s; 1,<nil>,<nil>,<nil>"},
		{"maps", []map[string]any{{"b": 1, "a": "x"}, {"c": nil}}, ",a,b,c", "0,x,1,; 1,,,<nil>"},
		{"matrix", [][]float64{{1, 2}, {3}}, ",0,1", "0,1,2; 1,3,"},
		{"array", [2][2]int{{1, 2}, {3, 4}}, ",0,1", "0,1,2; 1,3,4"},
		{"numbers", []float64{1.5, 2}, ",value", "0,1.5; 1,2"},
		{"durations", []time.Duration{1}, ",value", "0,1ns"},
		{"times", []time.Time{{}}, ",value", "0,0001-01-01 00:00:00 +0000 UTC"},
		{"map", map[string]int{"b": 2, "a": 1}, ",value", "a,1; b,2"},
		{"map of structs", map[int]person{1: {Name: "Ann"}}, ",Name,Age,Since", "1,Ann,0,0s"},
		{"gonum", dense{}, ",0,1,2", "0,0,1,2; 1,10,11,12"},
		{"struct", person{Name: "Ann"}, ",value", "Name,Ann; Age,0; Since,0s"},
		{"mixed", []any{person{Name: "Ann"}, 3}, ",Name,Age,Since", "0,Ann,0,0s; 1,3,3,3"},
		{"scalar", 42, ",value", "0,42"},
		{"nil", nil, ",value", "0,<nil>"},
		{"empty", []person{}, ",Name,Age,Since", ""},
		{"empty maps", []map[string]int{}, "", ""},
	} {
		g := TableOptions{}.Grid(c.v)
		if got := strings.Join(g.Header, ","); got != c.header {
			t.Errorf("%s: header %q, want %q", c.name, got, c.header)
		}
		if got := join(g.Rows); got != c.rows {
			t.Errorf("%s: rows %q, want %q", c.name, got, c.rows)
		}
	}
}

func TestTableIsLimited(t *testing.T) {
	g := TableOptions{MaxRows: 4, MaxCols: 3}.Grid(make([][9]int, 1000))
	if got, want := strings.Join(g.Header, ","), ",0,1,…,8"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if len(g.Rows) != 5 || g.Gap != 2 || g.Rows[3][0] != "998" || g.Total != 1000 {
		t.Errorf("rows %v, gap %d", g.Rows, g.Gap)
	}
	if s := g.String(); !strings.HasSuffix(s, "4 of 1000 rows") {
		t.Errorf("text %q", s)
	}
	h := g.HTML()
	if !strings.Contains(h, "<p>4 of 1000 rows</p>") || strings.Count(h, "<tr>") != 6 {
		t.Errorf("html %q", h)
	}
	// The rows that are turned to travel as JSON: the first 1000, of the columns that are shown.
	_, data, _ := strings.Cut(h, "document.currentScript,")
	var rows [][]string
	if err := json.NewDecoder(strings.NewReader(data)).Decode(&rows); err != nil || len(rows) != 1000 || strings.Join(rows[998], " ") != "998 0 0 … 0" {
		t.Errorf("%d rows travel, %v", len(rows), err)
	}
	if !strings.Contains(data, "],4,1000)") {
		t.Errorf("the script is called with %.40q", data[strings.LastIndex(data, "]"):])
	}
	if h := (TableOptions{MaxRows: 4, PageRows: -1}).Grid(make([]int, 1000)).HTML(); strings.Contains(h, "<script") {
		t.Error("a table without pages has a script that knows only a part of it")
	}
	// However large the value, what is saved in the notebook is not.
	if h := (TableOptions{PageRows: 1e6}).Grid(make([][30]int, 1e6)).HTML(); len(h) > 2*pageBytes {
		t.Errorf("a table of %d bytes", len(h))
	}
}

func TestMatrix(t *testing.T) {
	b := Render(dense{})
	if want := "display.dense 2×3\n    0   1   2\n0   0   1   2\n1  10  11  12"; b.Text() != want {
		t.Errorf("text\n%s\nwant\n%s", b.Text(), want)
	}
	if h := b.Data["text/html"].(string); strings.Count(h, "<tr>") != 3 || !strings.Contains(h, ">display.dense 2×3</caption>") || !strings.Contains(h, ">12</td>") {
		t.Errorf("HTML %s", h)
	}
	if b := Render((*dense)(nil)); b.Text() != "<nil>" || len(b.Data) != 1 {
		t.Errorf("a nil matrix: %v", b)
	}
}

func TestDigits(t *testing.T) {
	xs := []float64{2.0 / 3, 123456789, 1e-9, 1234567.25, math.NaN(), math.Inf(1), 1e300}
	for digits, want := range map[int]string{
		0:  "0,0.666667; 1,123456789; 2,1e-09; 3,1.23457e+06; 4,NaN; 5,+Inf; 6,1e+300",
		3:  "0,0.667; 1,123456789; 2,1e-09; 3,1.23e+06; 4,NaN; 5,+Inf; 6,1e+300",
		-1: "0,0.6666666666666666; 1,1.23456789e+08; 2,1e-09; 3,1.23456725e+06; 4,NaN; 5,+Inf; 6,1e+300",
	} {
		if got := join(TableOptions{Digits: digits}.Grid(xs).Rows); got != want {
			t.Errorf("%d digits: %s\nwant %s", digits, got, want)
		}
	}
}

func TestTableEscapes(t *testing.T) {
	evil := `<script>alert("1")</script>`
	for _, v := range []any{[]string{evil}, map[string]string{evil: evil}, []map[string]string{{evil: evil}}, evil, []person{{Name: evil}}} {
		b := TableOptions{}.Bundle(v)
		if h := strings.ReplaceAll(b.Data["text/html"].(string), "<script>(function(", ""); strings.Contains(h, "<script") || !strings.Contains(h, "&lt;script&gt;") {
			t.Errorf("%T: not escaped: %s", v, h)
		}
	}
}

func TestTableText(t *testing.T) {
	got := TableOptions{}.Grid([]person{{"Ann", 3, 0, 0}, {"Bob\nB", 14, 0, 0}}).String()
	want := "   Name   Age  Since\n0  Ann      3  0s\n1  Bob⏎B   14  0s"
	if got != want {
		t.Errorf("text\n%s\nwant\n%s", got, want)
	}
}

type box struct {
	names []string
	v     any
}

func TestTableOfBoxes(t *testing.T) {
	SetUnwrap(func(v any) (any, []string) {
		if b, ok := v.(box); ok {
			return b.v, b.names
		}
		return v, nil
	})
	defer SetUnwrap(nil)
	type rep struct{ Name, XX, Age any }
	for _, v := range []any{
		box{[]string{"Name", "", "age"}, []rep{{"Ann", 1, 2}}},
		[]any{box{[]string{"Name", "", "age"}, rep{"Ann", 1, 2}}},
	} {
		g := TableOptions{}.Grid(v)
		if h, r := strings.Join(g.Header, ","), join(g.Rows); h != ",Name,age" || r != "0,Ann,2" {
			t.Errorf("%T: header %q, rows %q", v, h, r)
		}
	}
}
