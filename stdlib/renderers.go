package stdlib

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/png"
	"math"
	"reflect"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"example.org/godp/dp"
)

// The size at which a plot is shown, and the pixels of its PNG per inch: twice a screen's, so that it stays sharp.
const (
	PlotWidth  = 5 * vg.Inch
	PlotHeight = 3.5 * vg.Inch
	plotDPI    = 192
)

// What is shown of a table: more rows or columns are cut out before the last one.
const (
	maxTableRows = 20
	maxTableCols = 12
	maxPixels    = 1 << 24
)

// Renderers returns functions that turn a value into a MIME bundle (type to text, or to bytes for binary types), or report
// false for a value that is not theirs: *plot.Plot and grids of them, mat.Matrix, *dp.Data and image.Image. What has methods Markdown or
// HTML of its own, as dp.Guarantee and dp.Bound have, needs none. A renderer panics where the value's own methods do.
func Renderers() []func(v any) (map[string]any, bool) {
	return []func(v any) (map[string]any, bool){renderPlot, renderMatrix, renderData, renderImage}
}

// renderPlot draws a plot, or a grid of plots with aligned axes, as SVG and PNG.
func renderPlot(v any) (map[string]any, bool) {
	var grid [][]*plot.Plot
	switch p := v.(type) {
	case *plot.Plot:
		if p == nil {
			return nil, false
		}
		grid = [][]*plot.Plot{{p}}
	case []*plot.Plot:
		grid = [][]*plot.Plot{p}
	case [][]*plot.Plot:
		grid = p
	default:
		return nil, false
	}
	cols := 0
	for _, row := range grid {
		cols = max(cols, len(row))
	}
	if cols == 0 {
		return nil, false
	}
	w, h := PlotWidth, PlotHeight
	if cols > 1 {
		w, h = w*vg.Length(cols)*0.7, h*0.7
	}
	h *= vg.Length(len(grid))
	svg := vgsvg.New(w, h)
	drawGrid(grid, cols, draw.New(svg))
	var text, picture bytes.Buffer
	if _, err := svg.WriteTo(&text); err != nil {
		return nil, false
	}
	img := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(plotDPI))
	drawGrid(grid, cols, draw.New(img))
	if err := png.Encode(&picture, img.Image()); err != nil {
		return nil, false
	}
	name := "plot"
	if len(grid)*cols > 1 {
		name = fmt.Sprintf("%d×%d plots", len(grid), cols)
	} else if t := grid[0][0].Title.Text; t != "" {
		name += ": " + t
	}
	return map[string]any{"image/svg+xml": text.String(), "image/png": picture.Bytes(), "text/plain": "[" + name + "]"}, true
}

// drawGrid draws the plots into tiles of the canvas; a nil plot leaves its tile empty.
func drawGrid(grid [][]*plot.Plot, cols int, c draw.Canvas) {
	if len(grid) == 1 && cols == 1 {
		grid[0][0].Draw(c)
		return
	}
	rows := make([][]*plot.Plot, len(grid)) // plot.Align wants a full rectangle
	for i := range grid {
		rows[i] = make([]*plot.Plot, cols)
		copy(rows[i], grid[i])
	}
	pad := vg.Points(6)
	tiles := draw.Tiles{Rows: len(rows), Cols: cols, PadX: 2 * pad, PadY: 2 * pad, PadTop: pad, PadBottom: pad, PadLeft: pad, PadRight: pad}
	canvases := plot.Align(rows, tiles, c)
	for i := range rows {
		for j, p := range rows[i] {
			if p != nil {
				p.Draw(canvases[i][j])
			}
		}
	}
}

// renderMatrix shows a matrix as a table of at most maxTableRows × maxTableCols numbers.
func renderMatrix(v any) (map[string]any, bool) {
	m, ok := v.(mat.Matrix)
	if !ok || isNil(v) {
		return nil, false
	}
	r, c := m.Dims()
	t := excerpt{caption: fmt.Sprintf("%s %d×%d", strings.TrimPrefix(fmt.Sprintf("%T", v), "*"), r, c)}
	is, js := cut(r, maxTableRows), cut(c, maxTableCols)
	t.header = append(t.header, "")
	for _, j := range js {
		t.header = append(t.header, index(j))
	}
	for _, i := range is {
		row := []string{index(i)}
		for _, j := range js {
			if i < 0 || j < 0 {
				row = append(row, dots)
				continue
			}
			row = append(row, number(m.At(i, j)))
		}
		t.rows = append(t.rows, row)
	}
	return t.bundle(), true
}

// renderData shows the shape and the first rows of a data set.
func renderData(v any) (map[string]any, bool) {
	d, ok := v.(*dp.Data)
	if !ok || d == nil {
		return nil, false
	}
	kind, storage := "labels ±1", "dense"
	if !d.Binary() {
		kind = fmt.Sprintf("%d classes", len(d.ClassNames()))
	}
	if d.Sparse() {
		storage = "sparse"
	}
	t := excerpt{caption: fmt.Sprintf("%d rows × %d columns, %s, ‖x‖ ≤ %s, %s", d.Len(), d.Dim(), kind, number(d.Radius()), storage)}
	for _, l := range d.Leaks() {
		t.caption += "; leak: " + l
	}
	const head = 6
	names, js := d.Features(), cut(d.Dim(), maxTableCols)
	t.header = append(t.header, "", "label")
	for _, j := range js {
		switch {
		case j < 0:
			t.header = append(t.header, dots)
		case j < len(names):
			t.header = append(t.header, names[j])
		default:
			t.header = append(t.header, fmt.Sprintf("x%d", j))
		}
	}
	for i := range min(d.Len(), head) {
		row := []string{strconv.Itoa(i)}
		if d.Binary() {
			row = append(row, fmt.Sprintf("%+g", d.Label(i)))
		} else if c := d.Class(i); c >= 0 && c < len(d.ClassNames()) {
			row = append(row, d.ClassNames()[c])
		}
		x := d.Row(i)
		for _, j := range js {
			if j < 0 {
				row = append(row, dots)
				continue
			}
			row = append(row, number(x[j]))
		}
		t.rows = append(t.rows, row)
	}
	if d.Len() > head {
		row := make([]string, len(t.header))
		row[0] = dots
		t.rows = append(t.rows, row)
	}
	return t.bundle(), true
}

// renderImage encodes an image of at most maxPixels as PNG.
func renderImage(v any) (map[string]any, bool) {
	m, ok := v.(image.Image)
	if !ok || isNil(v) {
		return nil, false
	}
	s := m.Bounds().Size()
	if s.X <= 0 || s.Y <= 0 || s.X > maxPixels/s.Y {
		return nil, false
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil, false
	}
	return map[string]any{"image/png": b.Bytes(), "text/plain": fmt.Sprintf("[%T, %d×%d pixels]", v, s.X, s.Y)}, true
}

const dots = "…"

// cut lists the indices 0 … n−1 that are shown when only most of them may be, with −1 for the gap before the last.
func cut(n, most int) (is []int) {
	for i := range n {
		switch {
		case n <= most || i < most-2 || i == n-1:
			is = append(is, i)
		case i == most-2:
			is = append(is, -1)
		}
	}
	return is
}

func index(i int) string {
	if i < 0 {
		return dots
	}
	return strconv.Itoa(i)
}

func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// isNil reports whether v is a nil pointer, whose methods would panic.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// excerpt is a small table of text, shown as HTML (everything escaped) and as aligned columns.
type excerpt struct {
	caption string
	header  []string
	rows    [][]string
}

func (t excerpt) bundle() map[string]any {
	var h, p strings.Builder
	fmt.Fprintf(&h, "<table>\n<caption>%s</caption>\n<thead><tr>", html.EscapeString(t.caption))
	fmt.Fprintln(&p, t.caption)
	tw := tabwriter.NewWriter(&p, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, c := range t.header {
		fmt.Fprintf(&h, "<th>%s</th>", html.EscapeString(c))
		fmt.Fprint(tw, c+"\t")
	}
	fmt.Fprintln(tw)
	h.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range t.rows {
		h.WriteString("<tr>")
		for i, c := range row {
			tag := "td"
			if i == 0 {
				tag = "th"
			}
			fmt.Fprintf(&h, `<%s style="text-align:right">%s</%s>`, tag, html.EscapeString(c), tag)
			fmt.Fprint(tw, c+"\t")
		}
		h.WriteString("</tr>\n")
		fmt.Fprintln(tw)
	}
	h.WriteString("</tbody>\n</table>")
	tw.Flush()
	return map[string]any{"text/html": h.String(), "text/plain": strings.TrimRight(p.String(), " \n")}
}
