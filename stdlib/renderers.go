package stdlib

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"example.org/godp/dp"
)

// PlotStyle is how plots are drawn: the inches of one, the pixels of its PNG per inch, and as what it is shown.
type PlotStyle struct {
	Width, Height float64
	DPI           int
	SVG, PNG      bool
}

// maxTableCols is how many columns are shown of a table: more are cut out before the last one.
const maxTableCols = 12

// Renderers returns functions that turn a value into a MIME bundle (type to text, or to bytes for binary types), or report
// false for a value that is not theirs: *plot.Plot and grids of them, and *dp.Data. What has methods Markdown or
// HTML of its own, as dp.Guarantee and dp.Bound have, needs none. A renderer panics where the value's own methods do. style is
// asked at each plot. New plots have sans-serif letters from here on, as the pages that they stand on.
func Renderers(style func() PlotStyle) []func(v any) (map[string]any, bool) {
	plot.DefaultFont.Variant = "Sans"
	return []func(v any) (map[string]any, bool){
		func(v any) (map[string]any, bool) { return renderPlot(v, style) },
		renderData,
	}
}

// renderPlot draws a plot, or a grid of plots with aligned axes, as SVG and PNG.
func renderPlot(v any, style func() PlotStyle) (map[string]any, bool) {
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
	o := style()
	w, h := vg.Length(o.Width)*vg.Inch, vg.Length(o.Height)*vg.Inch
	if cols > 1 {
		w, h = w*vg.Length(cols)*0.7, h*0.7
	}
	h *= vg.Length(len(grid))
	name := "plot"
	if len(grid)*cols > 1 {
		name = fmt.Sprintf("%d×%d plots", len(grid), cols)
	} else if t := grid[0][0].Title.Text; t != "" {
		name += ": " + t
	}
	shown := map[string]any{"text/plain": "[" + name + "]"}
	if o.SVG {
		svg := vgsvg.New(w, h)
		drawGrid(grid, cols, draw.New(svg))
		var text bytes.Buffer
		if _, err := svg.WriteTo(&text); err != nil {
			return nil, false
		}
		shown["image/svg+xml"] = families.Replace(strings.Map(legalXML, strings.ToValidUTF8(text.String(), "\uFFFD")))
	}
	if o.PNG {
		img := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(o.DPI))
		drawGrid(grid, cols, draw.New(img))
		var picture bytes.Buffer
		if err := png.Encode(&picture, img.Image()); err != nil {
			return nil, false
		}
		shown["image/png"] = picture.Bytes()
	}
	return shown, true
}

// families names for each of the fonts that plots are drawn with the kin of it that a page has. A label cannot hold these
// words: its quotation marks are escaped.
var families = strings.NewReplacer(
	`style="font-family:Liberation Sans;`, `style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;`,
	`style="font-family:Liberation Serif;`, `style="font-family:'Liberation Serif','Times New Roman',Times,serif;`,
	`style="font-family:Liberation Mono;`, `style="font-family:'Liberation Mono','Courier New',monospace;`,
)

// legalXML replaces characters that no XML document may have: one of them in a label, and a page would show no plot at all.
func legalXML(r rune) rune {
	if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
		return '\uFFFD'
	}
	return r
}

// drawGrid draws the plots into tiles of the canvas; a nil plot leaves its tile empty.
func drawGrid(grid [][]*plot.Plot, cols int, c draw.Canvas) {
	if len(grid) == 1 && cols == 1 {
		p := grid[0][0]
		if p.BackgroundColor != nil {
			c.SetColor(p.BackgroundColor)
			c.Fill(c.Rectangle.Path())
		}
		edge := vg.Points(4) // so that nothing touches the edge, where a dark page begins
		p.Draw(draw.Crop(c, edge, -edge, edge, -edge))
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

func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// excerpt is a small table of text, shown as HTML (everything escaped) and as aligned columns.
type excerpt struct {
	caption string
	header  []string
	rows    [][]string
}

func (t excerpt) bundle() map[string]any {
	var h, p strings.Builder
	fmt.Fprintf(&h, "<table class=\"godp-table tex2jax_ignore mathjax_ignore\">\n<caption style=\"text-align: left\">%s</caption>\n<thead><tr>", html.EscapeString(t.caption))
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
