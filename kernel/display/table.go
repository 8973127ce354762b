package display

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Grid is a table of text: what [Table] makes of a value. Numeric marks the columns that are set flush right.
// Rows may be fewer than Total, with one row of dots where some were left out (its position is Gap, −1 for none).
// All then has the rows from the first on that a page can turn to, possibly not all of them either.
type Grid struct {
	Caption string
	Header  []string
	Rows    [][]string
	Numeric []bool
	Total   int
	Gap     int
	All     [][]string
}

// TableOptions says how much of a value is shown. The zero value means the defaults.
type TableOptions struct {
	MaxRows  int    // rows shown at once, at least 2; 0 means 20
	MaxCols  int    // columns shown, at least 2; 0 means 30
	PageRows int    // rows that the page can turn to, and sort; 0 means 1000, negative only those that are shown
	Digits   int    // significant digits of floating-point numbers; 0 means 6, negative all
	Caption  string // a line above the table
}

// pageBytes bounds the text that a table carries for turning its pages: it is saved in the notebook.
const pageBytes = 128 << 10

// Table shows v as a table: a slice of structs (a column for each exported field), of maps (a
// column for each key) or of slices (a matrix); a map (keys beside values); anything with Dims and At, as gonum's
// matrices have; any other value as a single cell. Everything in it is escaped.
//
// In a notebook a click on a column's head sorts by it (again: downwards, a third time: as it was), and of more than 20
// rows the page shows 20 at a time and can turn to the first 1000. Where scripts do not run, as on a static page or in a
// terminal, the first ten rows and the last ten are shown. [TableOptions] has other numbers.
func Table(v any) *Handle { return TableOptions{}.Show(v) }

// Show displays v as a table with these options.
func (o TableOptions) Show(v any) *Handle {
	return show(o.Bundle(v), nil)
}

// Bundle returns the table as HTML and as aligned text without showing it.
func (o TableOptions) Bundle(v any) Bundle {
	g := o.Grid(v)
	return bundle("text/html", g.HTML(), g.String())
}

// Unwrap tells what is inside a value whose type only the caller knows: a value declared in a cell travels in a box.
// bare is what reflection is to see. fields, if not nil, are the names of the fields of the struct type that v's
// columns come from, "" for a field that is not shown.
type Unwrap func(v any) (bare any, fields []string)

var unwrap atomic.Pointer[Unwrap]

// SetUnwrap installs what looks into boxes. It is for kernels, not for cells.
func SetUnwrap(u Unwrap) { unwrap.Store(&u) }

func unboxed(v any) (any, []string) {
	if u := unwrap.Load(); u != nil && *u != nil {
		return (*u)(v)
	}
	return v, nil
}

// inside is deref that also looks into boxes.
func inside(r reflect.Value) reflect.Value {
	if r = deref(r); r.IsValid() && r.CanInterface() {
		if bare, _ := unboxed(r.Interface()); bare != nil {
			return deref(reflect.ValueOf(bare))
		}
	}
	return r
}

type matrix interface {
	Dims() (rows, cols int)
	At(i, j int) float64
}

// Grid lays v out as a table.
func (o TableOptions) Grid(v any) Grid {
	if o.MaxRows <= 0 {
		o.MaxRows = 20
	}
	if o.MaxCols <= 0 {
		o.MaxCols = 30
	}
	if o.PageRows == 0 {
		o.PageRows = 1000
	}
	if o.Digits == 0 {
		o.Digits = 6
	}
	o.MaxRows, o.MaxCols = max(o.MaxRows, 2), max(o.MaxCols, 2)
	cell := o.cell
	if m, ok := v.(matrix); ok && !isNilPointer(v) {
		r, c := m.Dims()
		return o.grid(r, c, func(j int) string { return fmt.Sprint(j) }, func(int) bool { return true },
			func(i, j int) string { return o.float(m.At(i, j), 64) }, func(i int) string { return fmt.Sprint(i) })
	}
	v, fields := unboxed(v)
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		cols := o.columnsOf(r.Len(), r.Index, r.Type().Elem(), fields)
		return o.grid(r.Len(), len(cols), func(j int) string { return cols[j].name }, func(j int) bool { return cols[j].numeric },
			func(i, j int) string { return cols[j].get(r.Index(i)) }, func(i int) string { return fmt.Sprint(i) })
	case reflect.Map:
		keys, values := entries(r)
		at := func(i int) reflect.Value { return values[i] }
		cols := o.columnsOf(len(keys), at, r.Type().Elem(), fields)
		return o.grid(len(keys), len(cols), func(j int) string { return cols[j].name }, func(j int) bool { return cols[j].numeric },
			func(i, j int) string { return cols[j].get(at(i)) }, func(i int) string { return cell(keys[i]) })
	case reflect.Struct:
		cols := o.structColumns(r.Type(), fields)
		return o.grid(len(cols), 1, func(int) string { return "value" }, func(int) bool { return false },
			func(i, _ int) string { return cols[i].get(r) }, func(i int) string { return cols[i].name })
	}
	return o.grid(1, 1, func(int) string { return "value" }, func(int) bool { return false },
		func(int, int) string { return cell(r) }, func(int) string { return "0" })
}

// grid fills a Grid from functions, asking only for the rows and columns that are shown.
func (o TableOptions) grid(rows, cols int, name func(int) string, numeric func(int) bool, at func(i, j int) string, label func(int) string) Grid {
	g := Grid{Caption: o.Caption, Header: []string{""}, Numeric: []bool{false}, Total: rows, Gap: -1}
	js := pick(cols, o.MaxCols)
	for _, j := range js {
		if j < 0 {
			g.Header, g.Numeric = append(g.Header, "…"), append(g.Numeric, false)
		} else {
			g.Header, g.Numeric = append(g.Header, name(j)), append(g.Numeric, numeric(j))
		}
	}
	line := func(i int) []string {
		row := []string{label(i)}
		for _, j := range js {
			if j < 0 {
				row = append(row, "…")
			} else {
				row = append(row, at(i, j))
			}
		}
		return row
	}
	for _, i := range pick(rows, o.MaxRows) {
		if i < 0 {
			g.Gap = len(g.Rows)
			row := make([]string, len(g.Header))
			for k := range row {
				row[k] = "⋮"
			}
			g.Rows = append(g.Rows, row)
			continue
		}
		g.Rows = append(g.Rows, line(i))
	}
	if g.Gap >= 0 {
		bytes := 0
		for i := 0; i < min(rows, o.PageRows) && bytes < pageBytes; i++ {
			row := line(i)
			for _, c := range row {
				bytes += len(c) + 3
			}
			g.All = append(g.All, row)
		}
	}
	return g
}

// float is a number with the digits asked for; a whole number keeps all of its own.
func (o TableOptions) float(x float64, bits int) string {
	switch {
	case o.Digits < 0:
		return formatFloat(x, bits)
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.FormatFloat(x, 'f', -1, bits)
	}
	return strconv.FormatFloat(x, 'g', o.Digits, bits)
}

// pick returns the indexes shown of n: all, or the first half and the last half of limit with −1 between.
func pick(n, limit int) []int {
	var is []int
	for i := range n {
		if n > limit && i == (limit+1)/2 {
			is = append(is, -1)
		}
		if n <= limit || i < (limit+1)/2 || i >= n-limit/2 {
			is = append(is, i)
		}
	}
	return is
}

type column struct {
	name    string
	numeric bool
	get     func(reflect.Value) string
}

// columnsOf finds the columns of n like elements from their type, or from the elements themselves where the type
// does not say (maps, slices of differing lengths, interfaces).
func (o TableOptions) columnsOf(n int, at func(int) reflect.Value, elem reflect.Type, fields []string) []column {
	cell, limit := o.cell, o.MaxRows
	base := elem
	for base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	if base.Kind() == reflect.Interface && n > 0 { // a slice of any: go by the first element
		if _, names := unboxed(at(0).Interface()); names != nil {
			fields = names
		}
		if first := inside(at(0)); first.IsValid() {
			base = first.Type()
		}
	}
	if describes(elem) || describes(base) {
		return []column{{"value", false, cell}}
	}
	switch base.Kind() {
	case reflect.Struct:
		if cols := o.structColumns(base, fields); len(cols) > 0 {
			return cols
		}
	case reflect.Map:
		seen := map[any]reflect.Value{}
		for _, i := range pick(n, limit) {
			if i < 0 {
				continue
			}
			if m := inside(at(i)); m.Kind() == reflect.Map {
				for _, k := range m.MapKeys() {
					seen[k.Interface()] = k
				}
			}
		}
		var keys []reflect.Value
		for _, k := range seen {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, compareKeys)
		var cols []column
		for _, k := range keys {
			cols = append(cols, column{cell(k), isNumber(base.Elem()), func(r reflect.Value) string {
				m := inside(r)
				if m.Kind() != reflect.Map || !k.Type().AssignableTo(m.Type().Key()) {
					return cell(m)
				}
				if x := m.MapIndex(k); x.IsValid() {
					return cell(x)
				}
				return ""
			}})
		}
		return cols
	case reflect.Slice, reflect.Array:
		width := 0
		for _, i := range pick(n, limit) {
			if i >= 0 {
				if s := inside(at(i)); s.Kind() == reflect.Slice || s.Kind() == reflect.Array {
					width = max(width, s.Len())
				}
			}
		}
		var cols []column
		for j := range width {
			cols = append(cols, column{fmt.Sprint(j), isNumber(base.Elem()), func(r reflect.Value) string {
				s := deref(r)
				if s.Kind() != reflect.Slice && s.Kind() != reflect.Array {
					return cell(s)
				}
				if j < s.Len() {
					return cell(s.Index(j))
				}
				return ""
			}})
		}
		return cols
	}
	return []column{{"value", isNumber(base), cell}}
}

// describes reports whether values of the type say themselves what they look like (time.Time, big.Int).
func describes(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[fmt.Stringer]()) || t.Implements(reflect.TypeFor[error]()) || t.Implements(reflect.TypeFor[fmt.Formatter]())
}

func (o TableOptions) structColumns(t reflect.Type, names []string) []column {
	cell := o.cell
	var cols []column
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Name
		if len(names) == t.NumField() {
			name = names[i]
		} else if !f.IsExported() {
			name = ""
		}
		if name == "" {
			continue
		}
		cols = append(cols, column{name, isNumber(f.Type), func(r reflect.Value) string {
			s := inside(r)
			if !s.IsValid() || s.Type() != t { // a nil pointer, or another type in a slice of any
				return cell(r)
			}
			return cell(s.Field(i))
		}})
	}
	return cols
}

func deref(r reflect.Value) reflect.Value {
	for r.Kind() == reflect.Pointer || r.Kind() == reflect.Interface {
		if r.IsNil() {
			return reflect.Value{}
		}
		r = r.Elem()
	}
	return r
}

func isNumber(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return !describes(t)
	}
	return false
}

const maxCell = 200 // runes of one table cell

// cell is the text of one cell.
func (o TableOptions) cell(r reflect.Value) string {
	for r.Kind() == reflect.Interface {
		r = r.Elem()
	}
	if (r.Kind() == reflect.Float64 || r.Kind() == reflect.Float32) && isNumber(r.Type()) {
		return o.float(r.Float(), r.Type().Bits())
	}
	var f formatter
	f.value(r, 0)
	s := f.String()
	if utf8.RuneCountInString(s) > maxCell {
		s = string([]rune(s)[:maxCell]) + "…"
	}
	return s
}

func (g Grid) note() string {
	if g.Gap < 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d rows", len(g.Rows)-1, g.Total)
}

// String returns the table as aligned text.
func (g Grid) String() string {
	flat := strings.NewReplacer("\n", "⏎", "\r", "", "\t", " ")
	width := make([]int, len(g.Header))
	lines := append([][]string{g.Header}, g.Rows...)
	for _, row := range lines {
		for j, c := range row {
			width[j] = max(width[j], utf8.RuneCountInString(flat.Replace(c)))
		}
	}
	var b strings.Builder
	if g.Caption != "" {
		b.WriteString(flat.Replace(g.Caption) + "\n")
	}
	for _, row := range lines {
		var line strings.Builder
		for j, c := range row {
			if j > 0 {
				line.WriteString("  ")
			}
			c = flat.Replace(c)
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(c))
			if g.Numeric[j] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	if note := g.note(); note != "" {
		b.WriteString(note + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Columns returns the names of the data columns, without that of the row labels.
func (g Grid) Columns() []string { return slices.Clone(g.Header[1:]) }
