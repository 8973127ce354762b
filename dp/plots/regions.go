package plots

import (
	"fmt"

	"example.org/godp/dp"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Regions draws the decision regions of a classifier on two-dimensional data and about 1500 of its rows, coloured by label or
// class: a random sample of every class in proportion to its size, at least 30 rows (all, where it has fewer). m may predict ±1 or class numbers.
func Regions(title string, m dp.Classifier, d *dp.Data) *plot.Plot {
	if d.Dim() != 2 {
		panic(fmt.Sprintf("plots: Regions needs two-dimensional data, not %d dimensions", d.Dim()))
	}
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = "x₁", "x₂"
	if names := d.Features(); len(names) == 2 {
		p.X.Label.Text, p.Y.Label.Text = names[0], names[1]
	}
	lo, hi := [2]float64{}, [2]float64{}
	rows := map[int][]int{}
	for i := range d.Len() {
		r := d.Row(i)
		for k := range 2 {
			lo[k], hi[k] = min(lo[k], r[k]), max(hi[k], r[k])
		}
		rows[d.Class(i)] = append(rows[d.Class(i)], i)
	}
	groups := map[int]plotter.XYs{}
	for c := range d.ClassNames() {
		for _, i := range sample(rows[c], d.Len()) {
			r := d.Row(i)
			groups[c] = append(groups[c], plotter.XY{X: r[0], Y: r[1]})
		}
	}
	for k := range 2 {
		pad := 0.05*(hi[k]-lo[k]) + 1e-9
		lo[k], hi[k] = lo[k]-pad, hi[k]+pad
	}
	const cells = 80
	dx, dy := (hi[0]-lo[0])/cells, (hi[1]-lo[1])/cells
	for j := range cells {
		y := lo[1] + (float64(j)+0.5)*dy
		// Neighbouring cells of one class are one rectangle.
		start, class := 0, -1
		for i := 0; i <= cells; i++ {
			c := -1
			if i < cells {
				v := m.Predict([]float64{lo[0] + (float64(i)+0.5)*dx, y})
				c = int(v)
				if d.Binary() {
					c = 0
					if v > 0 {
						c = 1
					}
				}
			}
			if c == class {
				continue
			}
			if class >= 0 {
				x0, x1 := lo[0]+float64(start)*dx, lo[0]+float64(i)*dx
				poly, err := plotter.NewPolygon(plotter.XYs{{X: x0, Y: y - dy/2}, {X: x1, Y: y - dy/2}, {X: x1, Y: y + dy/2}, {X: x0, Y: y + dy/2}})
				if err != nil {
					panic(err)
				}
				poly.Color, poly.LineStyle.Width = faded(hue(class), 60), 0
				p.Add(poly)
			}
			start, class = i, c
		}
	}
	for c, name := range d.ClassNames() {
		if len(groups[c]) == 0 {
			continue
		}
		s, err := plotter.NewScatter(groups[c])
		if err != nil {
			panic(err)
		}
		s.GlyphStyle = draw.GlyphStyle{Color: hue(c), Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}
		p.Add(s)
		p.Legend.Add(name, s)
	}
	p.Legend.Top = true
	return p
}

// sample picks the rows of one class that are shown, of all rows that there are. The choice is random, so that no order of the rows hides any of them, and the same every time.
func sample(class []int, all int) []int {
	const most, least = 1500, 30
	n := max(len(class)*most/max(all, 1), least)
	if all <= most || n >= len(class) {
		return class
	}
	out := make([]int, 0, n)
	for _, k := range dp.Seed(1).Perm(len(class))[:n] {
		out = append(out, class[k])
	}
	return out
}
