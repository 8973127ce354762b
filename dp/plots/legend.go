package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendPlace moves the legend, when the plot is drawn, to the corner where it covers least of the curves. A legend that has been moved by hand stays.
type legendPlace struct{ curves []plotter.XYs }

// Plot looks for the corner; it draws nothing itself. The legend is drawn after all plotters.
func (l legendPlace) Plot(c draw.Canvas, p *plot.Plot) {
	if !p.Legend.Top || p.Legend.Left {
		return
	}
	size := p.Legend.Rectangle(c).Size()
	if size.X <= 0 || size.Y <= 0 {
		return
	}
	tx, ty := p.Transforms(&c)
	var at []vg.Point // every point of the curves, and points between them
	for _, xy := range l.curves {
		var last vg.Point
		for i, v := range xy {
			q := vg.Point{X: tx(v.X), Y: ty(v.Y)}
			steps := 1
			if i > 0 {
				far := math.Hypot(float64(q.X-last.X), float64(q.Y-last.Y))
				steps = int(math.Min(200, math.Max(1, far/4)))
			}
			for s := 1; s <= steps; s++ {
				t := vg.Length(float64(s) / float64(steps))
				if i == 0 {
					t = 1
				}
				at = append(at, vg.Point{X: last.X + t*(q.X-last.X), Y: last.Y + t*(q.Y-last.Y)})
			}
			last = q
		}
	}
	best := math.MaxInt
	var top, left bool
	for _, corner := range [][2]bool{{true, false}, {true, true}, {false, false}, {false, true}} {
		r := vg.Rectangle{Min: vg.Point{X: c.Max.X - size.X, Y: c.Max.Y - size.Y}, Max: c.Max}
		if corner[1] {
			r.Min.X, r.Max.X = c.Min.X, c.Min.X+size.X
		}
		if !corner[0] {
			r.Min.Y, r.Max.Y = c.Min.Y, c.Min.Y+size.Y
		}
		n := 0
		for _, q := range at {
			if q.X >= r.Min.X && q.X <= r.Max.X && q.Y >= r.Min.Y && q.Y <= r.Max.Y {
				n++
			}
		}
		if n < best {
			best, top, left = n, corner[0], corner[1]
		}
	}
	p.Legend.Top, p.Legend.Left = top, left
}

// ticks puts five to ten labels at 1, 2 or 5 times a power of ten, with as many digits as they need.
type ticks struct{}

// Ticks returns the ticks of an axis from min to max.
func (ticks) Ticks(min, max float64) []plot.Tick {
	if !(max > min) || math.IsInf(max-min, 0) {
		return plot.DefaultTicks{}.Ticks(min, max)
	}
	power := math.Pow(10, math.Floor(math.Log10((max-min)/5)))
	step := power
	for _, m := range []float64{1, 2, 5, 10} {
		if step = m * power; (max-min)/step <= 7 {
			break
		}
	}
	var out []plot.Tick
	for k := math.Ceil(min/step - 1e-9); k*step <= max+1e-9*step; k++ {
		v := k * step
		if k == 0 {
			v = 0 // not −0
		}
		// Rounded to a thousandth of the step, so that 0.30000000000000004 is 0.3.
		digits := int(math.Max(0, -math.Floor(math.Log10(step)+1e-9)))
		out = append(out, plot.Tick{Value: v, Label: label(v, digits)})
	}
	return out
}
