package dp

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/godp/dp/internal/solve"
)

// maxLIBSVMColumn keeps a single digit string in a file from asking for gigabytes of weights.
const maxLIBSVMColumn = 1 << 26

// ReadLIBSVM reads data in the LIBSVM text format, one row a line:
//
//	label index:value index:value …   # comment
//
// with indices from 1, increasing within a line; what is absent is zero. dim is the number of columns; 0 takes the largest
// index in the file, which is then a fact about the data and marked as a leak. classes nil means labels ±1 (+1, 1, -1);
// otherwise a label must be one of the names. Rows are kept sparse and clipped to the ball of the given radius (0 means 1).
// An error names the line; values that are not finite are refused.
func ReadLIBSVM(r io.Reader, dim int, classes []string, radius float64) (*Data, error) {
	const where = "ReadLIBSVM"
	rad, err := checkRadius(where, radius)
	if err != nil {
		return nil, err
	}
	if dim < 0 || dim > maxLIBSVMColumn {
		return nil, badArg(where, "dim", dim, fmt.Sprintf("must be between 0 and %d", maxLIBSVMColumn))
	}
	byName := map[string]int{}
	for i, c := range classes {
		if _, twice := byName[c]; twice || c == "" || strings.ContainsAny(c, " \t#:") {
			return nil, badArg(where, fmt.Sprintf("classes[%d]", i), strconv.Quote(c), "names must be distinct, not empty, and free of blanks, '#' and ':'")
		}
		byName[c] = i
	}
	d := &Data{radius: rad}
	d.x = solve.Matrix{Ptr: []int{0}, Idx: []int32{}, Val: []float64{}}
	var cls []int
	widest := 0
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 64<<10), 64<<20)
	line := 0
	for sc.Scan() {
		line++
		text := sc.Text()
		if i := strings.IndexByte(text, '#'); i >= 0 {
			text = text[:i]
		}
		f := strings.Fields(text)
		if len(f) == 0 {
			continue
		}
		if classes == nil {
			y, err := strconv.ParseFloat(f[0], 64)
			if err != nil || y != 1 && y != -1 {
				return nil, fmt.Errorf("dp: %s: line %d: label %.20q: must be +1 or -1 (give the class names for other labels)", where, line, f[0])
			}
			d.y = append(d.y, y)
		} else {
			c, ok := byName[f[0]]
			if !ok {
				return nil, fmt.Errorf("dp: %s: line %d: label %.20q is not one of the classes %q", where, line, f[0], classes)
			}
			cls = append(cls, c)
		}
		last := 0
		for _, e := range f[1:] {
			is, vs, ok := strings.Cut(e, ":")
			if !ok {
				return nil, fmt.Errorf("dp: %s: line %d: %.30q: must be index:value", where, line, e)
			}
			if is == "qid" {
				continue
			}
			i, err := strconv.Atoi(is)
			if err != nil || i < 1 || i > maxLIBSVMColumn {
				return nil, fmt.Errorf("dp: %s: line %d: index %.20q: must be an integer between 1 and %d", where, line, is, maxLIBSVMColumn)
			}
			if i <= last {
				return nil, fmt.Errorf("dp: %s: line %d: index %d after %d: indices must increase", where, line, i, last)
			}
			if dim > 0 && i > dim {
				return nil, fmt.Errorf("dp: %s: line %d: index %d is above dim = %d", where, line, i, dim)
			}
			v, err := strconv.ParseFloat(vs, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("dp: %s: line %d: value %.30q of index %d: must be a finite number", where, line, vs, i)
			}
			last = i
			if v != 0 {
				d.x.Idx = append(d.x.Idx, int32(i-1))
				d.x.Val = append(d.x.Val, v)
			}
			widest = max(widest, i)
		}
		d.x.Ptr = append(d.x.Ptr, len(d.x.Val))
		d.x.N++
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("dp: %s: after line %d: %w", where, line, err)
	}
	if d.x.N == 0 {
		return nil, fmt.Errorf("dp: %s: no rows", where)
	}
	d.x.D = dim
	if dim == 0 {
		if widest == 0 {
			return nil, badArg(where, "dim", 0, "must be given: no row has an entry")
		}
		d.x.D = widest
		d.leaks = append(d.leaks, "the number of columns was taken from the data")
	}
	d.clip()
	if classes != nil {
		if err := d.setClasses(where, cls, classes); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// WriteLIBSVM writes data in the LIBSVM text format with numbers in shortest exact form; reading them back with the same
// dimension, classes and radius gives the same rows.
func WriteLIBSVM(w io.Writer, d *Data) error {
	out := bufio.NewWriter(w)
	row := make([]float64, d.Dim())
	var buf []byte
	for i := range d.Len() {
		buf = buf[:0]
		if d.Binary() {
			buf = strconv.AppendInt(buf, int64(d.Label(i)), 10)
		} else {
			name := d.names[d.Class(i)]
			if name == "" || strings.ContainsAny(name, " \t\r\n\v\f#:") {
				return badArg("WriteLIBSVM", "class name", strconv.Quote(name), "must not be empty nor contain blanks, '#' or ':'")
			}
			buf = append(buf, name...)
		}
		for j, v := range d.x.Row(i, row) {
			if v != 0 {
				buf = append(buf, ' ')
				buf = strconv.AppendInt(buf, int64(j+1), 10)
				buf = append(buf, ':')
				buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
			}
		}
		out.Write(append(buf, '\n')) // the error stays with out until Flush
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("dp: WriteLIBSVM: %w", err)
	}
	return nil
}
