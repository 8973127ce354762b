package dp

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"example.org/godp/dp/internal/solve"
)

// A Column says, in public terms, what a field of a table may hold and how it becomes coordinates. It is numeric unless
// Levels or Bins is set. Never take levels or bounds from private data: one person's record would then move every row.
type Column struct {
	Name string

	// Levels makes the column categorical: one 0/1 coordinate for each level.
	Levels []string
	// Other, for a categorical column, maps a value that is not among the levels to all zeros; otherwise it is an error.
	Other bool

	// Min and Max are the public bounds of a numeric column. A value is clamped to them and scaled to (v−Min)/(Max−Min).
	Min, Max float64
	// Log scales by ln(1+(v−Min)/Unit)/ln(1+(Max−Min)/Unit) instead, for heavy tails: about linear below Unit, logarithmic
	// above. Unit 0 means 1.
	Log  bool
	Unit float64
	// Bins are public, increasing cut points that turn a numeric column into len(Bins)+1 coordinates 0/1: v < Bins[0], …
	Bins []float64

	// Scale multiplies the column's coordinates; 0 means 1.
	Scale float64
	// Skip leaves the column out.
	Skip bool
}

func (c Column) width() int {
	switch {
	case c.Skip:
		return 0
	case len(c.Levels) > 0:
		return len(c.Levels)
	case len(c.Bins) > 0:
		return len(c.Bins) + 1
	}
	return 1
}

// A Schema is the public description of a table with a label, from which rows become vectors.
type Schema struct {
	Columns  []Column // in the order of the fields, without the label
	Label    string   // name of the label column, in messages and in the header
	LabelAt  int      // field number of the label; −1 means the last (also the zero value's meaning when Header is false)
	Positive []string // label values that mean +1
	Negative []string // label values that mean −1; empty: every other value

	Header    bool   // the first line names the fields; columns are then found by name, in any order
	Missing   string // a field with this value drops the row ("" : nothing is missing)
	Trim      string // characters cut from the end of a label, such as "."
	Comment   rune   // lines that start with it are skipped (0: none)
	Intercept bool   // append a constant coordinate 1 before the row is scaled into the ball

	// Unit divides every row by its own norm, so that all rows have norm Radius exactly (up to rounding); otherwise rows are
	// multiplied by Shrink (0 means 1) and those outside the ball are clipped.
	Unit   bool
	Shrink float64
	Radius float64 // 0 means 1

	// Leak says which of the numbers above were derived from the private table, if any: it becomes a leak mark in the
	// guarantee of everything trained on rows read by this schema. "" means that none was.
	Leak string
}

// Dim is the number of coordinates the schema makes.
func (s Schema) Dim() int {
	d := 0
	for _, c := range s.Columns {
		d += c.width()
	}
	if s.Intercept {
		d++
	}
	return d
}

// Names are the names of the coordinates: "column" or "column=level".
func (s Schema) Names() []string {
	var out []string
	for _, c := range s.Columns {
		switch {
		case c.Skip:
		case len(c.Levels) > 0:
			for _, l := range c.Levels {
				out = append(out, c.Name+"="+l)
			}
		case len(c.Bins) > 0:
			out = append(out, fmt.Sprintf("%s<%g", c.Name, c.Bins[0]))
			for _, b := range c.Bins {
				out = append(out, fmt.Sprintf("%s≥%g", c.Name, b))
			}
		default:
			out = append(out, c.Name)
		}
	}
	if s.Intercept {
		out = append(out, "constant")
	}
	return out
}

func (s Schema) check() error {
	const where = "Schema"
	if len(s.Columns) == 0 {
		return badArg(where, "Columns", "none", "at least one column is required")
	}
	if len(s.Positive) == 0 {
		return badArg(where, "Positive", "none", "at least one label value must mean +1")
	}
	for _, c := range s.Columns {
		switch {
		case c.Skip, len(c.Levels) > 0:
		case len(c.Bins) > 0:
			if !slices.IsSorted(c.Bins) {
				return badArg(where, "Bins of "+c.Name, c.Bins, "cut points must increase")
			}
		case !(c.Min < c.Max) || math.IsInf(c.Min, 0) || math.IsInf(c.Max, 0):
			return badArg(where, "bounds of "+c.Name, fmt.Sprintf("[%g, %g]", c.Min, c.Max), "a numeric column needs finite public bounds Min < Max")
		}
		if !(c.Unit >= 0) || math.IsInf(c.Unit, 1) {
			return badArg(where, "Unit of "+c.Name, c.Unit, "must be a finite number, 0 or more (0 means 1)")
		}
		if math.IsNaN(c.Scale) || math.IsInf(c.Scale, 0) || c.Scale < 0 {
			return badArg(where, "Scale of "+c.Name, c.Scale, "must be a finite number, 0 or more")
		}
	}
	if !(s.Shrink >= 0) || math.IsInf(s.Shrink, 1) {
		return badArg(where, "Shrink", s.Shrink, "must be a finite number, 0 or more")
	}
	if s.Dim() < 1 {
		return badArg(where, "Columns", "all skipped", "at least one coordinate is required")
	}
	_, err := checkRadius(where, s.Radius)
	return err
}

// LoadCSV reads a comma-separated file by a public schema into sparse data. An error names the file, the line and the column:
// a missing column, text where a number belongs, NaN, a level or a label that the schema does not know, no rows at all.
func LoadCSV(path string, s Schema) (*Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dp: LoadCSV: %w", err)
	}
	defer f.Close()
	d, err := s.Read(f)
	if err != nil {
		return nil, fmt.Errorf("dp: %s: %w", path, err)
	}
	return d, nil
}

// Read reads tables from one or more readers, one after the other, by the schema; see LoadCSV.
func (s Schema) Read(from ...io.Reader) (*Data, error) {
	b, err := s.builder()
	if err != nil {
		return nil, err
	}
	for _, r := range from {
		if err := b.read(r); err != nil {
			return nil, err
		}
	}
	return b.data()
}

// Vector turns the fields of one record into a row of Dim() coordinates before it is brought into the ball.
func (s Schema) Vector(fields []string) ([]float64, error) {
	b, err := s.builder()
	if err != nil {
		return nil, err
	}
	if len(fields) != len(s.Columns) {
		return nil, badArg("Schema.Vector", "fields", len(fields), fmt.Sprintf("must be as many as columns, %d", len(s.Columns)))
	}
	at := make([]int, len(fields))
	for i := range at {
		at[i] = i
	}
	if err := b.row(fields, at); err != nil {
		return nil, err
	}
	b.scale()
	v := make([]float64, s.Dim())
	for k, j := range b.cols {
		v[j] = b.vals[k]
	}
	return v, nil
}

// A tableBuilder gathers rows in sparse form.
type tableBuilder struct {
	Schema
	level    []map[string]int // per column
	offset   []int            // first coordinate of each column
	positive map[string]bool
	negative map[string]bool

	cols  []int32 // the current row
	vals  []float64
	start []int // all rows
	idx   []int32
	val   []float64
	y     []float64
}

func (s Schema) builder() (*tableBuilder, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	b := &tableBuilder{Schema: s, positive: map[string]bool{}, negative: map[string]bool{}, start: []int{0}}
	at := 0
	for _, c := range s.Columns {
		m := map[string]int{}
		for i, l := range c.Levels {
			m[l] = i
		}
		b.level = append(b.level, m)
		b.offset = append(b.offset, at)
		at += c.width()
	}
	for _, p := range s.Positive {
		b.positive[p] = true
	}
	for _, n := range s.Negative {
		b.negative[n] = true
	}
	if b.Radius == 0 {
		b.Radius = 1
	}
	return b, nil
}

func (b *tableBuilder) read(r io.Reader) error {
	in := csv.NewReader(r)
	in.ReuseRecord, in.TrimLeadingSpace, in.Comment, in.FieldsPerRecord = true, true, b.Comment, -1
	in.LazyQuotes = true
	at := make([]int, len(b.Columns))
	label := b.LabelAt
	width := len(b.Columns) + 1
	first := true
	for {
		rec, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := in.FieldPos(0)
		if first {
			first = false
			if label, err = b.place(rec, at, label, &width); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			if b.Header {
				continue
			}
		}
		if len(rec) != width {
			return fmt.Errorf("line %d: %d fields, but %d are expected", line, len(rec), width)
		}
		if b.Missing != "" && slices.ContainsFunc(rec, func(f string) bool { return strings.TrimSpace(f) == b.Missing }) {
			continue
		}
		y, err := b.label(rec[label])
		if err == nil {
			err = b.row(rec, at)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		b.scale()
		b.idx = append(b.idx, b.cols...)
		b.val = append(b.val, b.vals...)
		b.start = append(b.start, len(b.val))
		b.y = append(b.y, y)
	}
}

// place finds the columns and the label among the fields: by the header's names, or by position.
func (b *tableBuilder) place(rec []string, at []int, label int, width *int) (int, error) {
	if !b.Header {
		if label <= 0 || label >= *width {
			label = *width - 1
		}
		k := 0
		for i := range *width {
			if i != label {
				at[k] = i
				k++
			}
		}
		return label, nil
	}
	*width = len(rec)
	find := func(name string) (int, error) {
		for i, h := range rec {
			if strings.EqualFold(strings.TrimSpace(h), name) {
				return i, nil
			}
		}
		return 0, fmt.Errorf("the header has no column %q", name)
	}
	for k, c := range b.Columns {
		i, err := find(c.Name)
		if err != nil && !c.Skip {
			return 0, err
		}
		at[k] = i
	}
	return find(b.Label)
}

func (b *tableBuilder) label(field string) (float64, error) {
	v := strings.TrimRight(strings.TrimSpace(field), b.Trim)
	switch {
	case b.positive[v]:
		return 1, nil
	case len(b.negative) == 0 || b.negative[v]:
		return -1, nil
	}
	name := b.Label
	if name == "" {
		name = "label"
	}
	return 0, fmt.Errorf("column %q: the schema has no label %q; it knows %q and %q", name, v, b.Positive, b.Negative)
}

// row fills cols and vals from the fields.
func (b *tableBuilder) row(rec []string, at []int) error {
	b.cols, b.vals = b.cols[:0], b.vals[:0]
	for k := range b.Columns {
		c := &b.Columns[k]
		if c.Skip {
			continue
		}
		field := strings.TrimSpace(rec[at[k]])
		scale := c.Scale
		if scale == 0 {
			scale = 1
		}
		if len(c.Levels) > 0 {
			i, ok := b.level[k][field]
			if !ok {
				if c.Other {
					continue
				}
				return fmt.Errorf("column %q: the schema has no level %q", c.Name, field)
			}
			b.cols, b.vals = append(b.cols, int32(b.offset[k]+i)), append(b.vals, scale)
			continue
		}
		v, err := strconv.ParseFloat(field, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("column %q: %q is not a number", c.Name, field)
		}
		if math.IsNaN(v) {
			return fmt.Errorf("column %q: NaN is not allowed", c.Name)
		}
		if len(c.Bins) > 0 {
			i, found := slices.BinarySearch(c.Bins, v)
			if found {
				i++
			}
			b.cols, b.vals = append(b.cols, int32(b.offset[k]+i)), append(b.vals, scale)
			continue
		}
		v = math.Min(math.Max(v, c.Min), c.Max)
		if c.Log {
			unit := c.Unit
			if unit == 0 {
				unit = 1
			}
			v = math.Log1p((v-c.Min)/unit) / math.Log1p((c.Max-c.Min)/unit)
		} else {
			v = (v - c.Min) / (c.Max - c.Min)
		}
		if v *= scale; v != 0 {
			b.cols, b.vals = append(b.cols, int32(b.offset[k])), append(b.vals, v)
		}
	}
	if b.Intercept {
		b.cols, b.vals = append(b.cols, int32(b.Dim()-1)), append(b.vals, 1)
	}
	return nil
}

// scale brings the current row into the ball; it looks at nothing but the row and public constants.
func (b *tableBuilder) scale() {
	f := b.Shrink
	if f == 0 {
		f = 1
	}
	if b.Unit {
		if n := norm2(b.vals); n > 0 {
			f = b.Radius / n * (1 - 0x1p-40)
		}
	}
	for i := range b.vals {
		b.vals[i] *= f
	}
	clipRow(b.vals, b.Radius)
}

func (b *tableBuilder) data() (*Data, error) {
	if len(b.y) == 0 {
		return nil, errors.New("no rows: at least one complete row is required")
	}
	d := &Data{x: solve.Matrix{N: len(b.y), D: b.Dim(), Ptr: b.start, Idx: b.idx, Val: b.val}, y: b.y, radius: b.Radius, columns: b.Names()}
	if b.Leak != "" {
		d.leaks = []string{b.Leak}
	}
	return d, nil
}
