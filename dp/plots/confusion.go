package plots

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/godp/dp"
)

// Confusion draws a confusion matrix as a grid, darker where a larger share of a true class went.
func Confusion(title string, c *dp.ConfusionMatrix) *plot.Plot {
	if c == nil || len(c.Names) == 0 {
		panic("plots: Confusion: a confusion matrix is required")
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s (accuracy %.3f)", title, c.Accuracy())
	p.X.Label.Text, p.Y.Label.Text = "predicted", "true"
	p.NominalX(c.Names...)
	flip := make([]string, len(c.Names))
	for i, n := range c.Names {
		flip[len(flip)-1-i] = n
	}
	p.NominalY(flip...)
	p.Add(confusion{c})
	var xy plotter.XYs
	var text []string
	for i, r := range c.Count {
		for j, v := range r {
			xy = append(xy, plotter.XY{X: float64(j), Y: float64(len(c.Count) - 1 - i)})
			text = append(text, fmt.Sprint(v))
		}
	}
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: xy, Labels: text})
	if err != nil {
		panic(err) // not reachable: as many labels as positions, all finite
	}
	for i := range l.TextStyle {
		l.TextStyle[i].XAlign, l.TextStyle[i].YAlign = draw.XCenter, draw.YCenter
	}
	p.Add(l)
	return p
}

type confusion struct{ c *dp.ConfusionMatrix }

// DataRange has one unit for each class.
func (g confusion) DataRange() (xmin, xmax, ymin, ymax float64) {
	n := float64(len(g.c.Names))
	return -0.5, n - 0.5, -0.5, n - 0.5
}

// Plot draws the shaded cells.
func (g confusion) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	h := hue(0)
	for i, r := range g.c.Count {
		total := 0
		for _, v := range r {
			total += v
		}
		y := float64(len(g.c.Count) - 1 - i)
		for j, v := range r {
			share := 0.0
			if total > 0 {
				share = 0.7 * float64(v) / float64(total)
			}
			mix := func(to uint8) uint8 { return uint8(255 - share*(255-float64(to))) }
			x := float64(j)
			c.FillPolygon(color.RGBA{mix(h.R), mix(h.G), mix(h.B), 255}, []vg.Point{
				{X: tx(x - 0.5), Y: ty(y - 0.5)}, {X: tx(x + 0.5), Y: ty(y - 0.5)}, {X: tx(x + 0.5), Y: ty(y + 0.5)}, {X: tx(x - 0.5), Y: ty(y + 0.5)}})
		}
	}
}
