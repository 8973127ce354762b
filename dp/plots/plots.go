// Package plots draws what package dp computes, as gonum plots that a notebook shows inline.
//
// Functions return *plot.Plot, so everything about the picture can still be changed. They panic on impossible arguments (no
// curves, series of different lengths), as gonum/plot does.
package plots

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"example.org/godp/dp"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is the Okabe–Ito colour set, readable with colour-blind eyes.
var palette = []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {120, 120, 120, 255}}

func hue(i int) color.RGBA { return palette[i%len(palette)] }

func faded(c color.RGBA, a uint8) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, a} }

// New is an empty plot with a title, axis names and a light grid. The legend stands at the top right, or in another corner where curves added by Add
// would be covered less; setting Legend.Top or Legend.Left keeps it where it is put.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(6)
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{}, ticks{}
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{230}, color.Gray{230}
	p.Add(g)
	return p
}

// points are the positions of a curve; not-a-number values are left out.
func points(c dp.Curve) (plotter.XYs, []float64) {
	if len(c.X) != len(c.Mean) || c.SD != nil && len(c.SD) != len(c.X) {
		panic(fmt.Sprintf("plots: curve %q has %d x values, %d means and %d deviations", c.Name, len(c.X), len(c.Mean), len(c.SD)))
	}
	var xy plotter.XYs
	var sd []float64
	for i, x := range c.X {
		if math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(c.Mean[i]) || math.IsInf(c.Mean[i], 0) {
			continue
		}
		xy = append(xy, plotter.XY{X: x, Y: c.Mean[i]})
		if c.SD != nil {
			sd = append(sd, c.SD[i])
		}
	}
	return xy, sd
}

// Add draws curves into p: a line with markers, and bars of one standard deviation where the curve has them.
func Add(p *plot.Plot, curves ...dp.Curve) {
	var place legendPlace
	for i, c := range curves {
		xy, sd := points(c)
		if len(xy) == 0 {
			continue
		}
		place.curves = append(place.curves, xy)
		line, err := plotter.NewLine(xy)
		if err != nil {
			panic(err)
		}
		line.Color, line.Width = hue(i), vg.Points(1.5)
		if i >= len(palette) {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
		}
		p.Add(line)
		if len(xy) <= 60 {
			dots, err := plotter.NewScatter(xy)
			if err != nil {
				panic(err)
			}
			dots.GlyphStyle = draw.GlyphStyle{Color: hue(i), Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
			p.Add(dots)
		}
		if sd != nil {
			bars, err := plotter.NewYErrorBars(errorPoints{xy, sd})
			if err != nil {
				panic(err)
			}
			bars.Color, bars.Width = hue(i), vg.Points(1)
			p.Add(bars)
		}
		if c.Name != "" {
			p.Legend.Add(c.Name, line)
		}
	}
	p.Add(place)
}

type errorPoints struct {
	plotter.XYs
	sd []float64
}

func (e errorPoints) YError(i int) (float64, float64) { return e.sd[i], e.sd[i] }

// Lines is a plot of curves over a linear axis.
func Lines(title, x, y string, curves ...dp.Curve) *plot.Plot {
	p := New(title, x, y)
	Add(p, curves...)
	return p
}

// ErrorAgainstEps plots test error against ε on a logarithmic axis, with bars of one standard deviation. A curve with one
// point is drawn as a horizontal line: the yardstick that needs no ε.
func ErrorAgainstEps(curves ...dp.Curve) *plot.Plot {
	if len(curves) == 0 {
		panic("plots: ErrorAgainstEps needs at least one curve")
	}
	p := New("Test error against ε", "ε", "error rate")
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		if len(c.X) < 2 {
			continue
		}
		for _, x := range c.X {
			if !(x > 0) {
				panic(fmt.Sprintf("plots: curve %q has ε = %g; a logarithmic axis needs ε > 0", c.Name, x))
			}
			lo, hi = math.Min(lo, x), math.Max(hi, x)
		}
	}
	if math.IsInf(lo, 1) {
		lo, hi = 0.1, 1
	}
	for i := range curves {
		if len(curves[i].X) == 1 {
			m := curves[i].Mean[0]
			curves[i] = dp.Curve{Name: curves[i].Name, X: []float64{lo, hi}, Mean: []float64{m, m}}
		}
	}
	Add(p, curves...)
	LogX(p)
	return p
}

// LogX makes the horizontal axis logarithmic, with labels at 1, 2 and 5 times powers of ten.
func LogX(p *plot.Plot) {
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.TickerFunc(logTicks)
}

// LogY makes the vertical axis logarithmic.
func LogY(p *plot.Plot) {
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = plot.TickerFunc(logTicks)
}

func logTicks(lo, hi float64) []plot.Tick {
	var ts []plot.Tick
	decades := math.Log10(hi / lo)
	wide, every := decades > 3, math.Max(1, math.Ceil(decades/8)) // labels at every so many powers of ten
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if m > 1 && every > 1 {
				continue
			}
			if m == 1 && math.Mod(e, every) == 0 || !wide && (m == 2 || m == 5) {
				t.Label = fmt.Sprintf("%.3g", v)
			}
			ts = append(ts, t)
		}
	}
	return ts
}

// label writes a tick with the given number of decimals, or in powers of ten where that is shorter.
func label(v float64, digits int) string {
	if a := math.Abs(v); digits > 4 || a >= 1e6 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// Function samples f at 400 points of [from, to] as a curve. Values that are not finite are left out.
func Function(name string, f func(float64) float64, from, to float64) dp.Curve {
	const n = 400
	c := dp.Curve{Name: name}
	for i := range n + 1 {
		x := from + (to-from)*float64(i)/n
		c.X, c.Mean = append(c.X, x), append(c.Mean, f(x))
	}
	return c
}

// Losses plots losses as functions of the margin.
func Losses(losses ...dp.Loss) *plot.Plot {
	p := New("Losses", "margin z = y·fᵀx", "ℓ(z)")
	for i, l := range losses {
		c := Function(l.Name, l.Value, -2, 3)
		xy, _ := points(c)
		line, err := plotter.NewLine(xy)
		if err != nil {
			panic(err)
		}
		line.Color, line.Width = hue(i), vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(l.Name, line)
	}
	return p
}

// ROC plots receiver operating characteristics with the diagonal of guessing.
func ROC(curves ...*dp.ROCCurve) *plot.Plot {
	p := New("Receiver operating characteristic", "false positive rate", "true positive rate")
	var cs []dp.Curve
	for _, c := range curves {
		cs = append(cs, thin(dp.Curve{Name: fmt.Sprintf("%s (AUC %.3f)", c.Name, c.AUC), X: c.FPR, Mean: c.TPR}))
	}
	Add(p, append(cs, dp.Curve{Name: "guessing", X: []float64{0, 1}, Mean: []float64{0, 1}})...)
	p.Legend.Top = false
	return p
}

// thin keeps at most about 500 points of a curve: a picture of 50,000 is no better and much larger.
func thin(c dp.Curve) dp.Curve {
	step := len(c.X)/500 + 1
	if step == 1 {
		return c
	}
	out := dp.Curve{Name: c.Name}
	for i := 0; i < len(c.X); i += step {
		out.X, out.Mean = append(out.X, c.X[i]), append(out.Mean, c.Mean[i])
	}
	last := len(c.X) - 1
	out.X, out.Mean = append(out.X, c.X[last]), append(out.Mean, c.Mean[last])
	return out
}

// Calibration is the reliability diagram of a table.
func Calibration(t *dp.CalibrationTable) *plot.Plot {
	p := New(fmt.Sprintf("Calibration (expected error %.3f)", t.ECE), "predicted probability of +1", "share of +1")
	c := dp.Curve{Name: "model"}
	for _, b := range t.Bins {
		if b.Rows > 0 {
			c.X, c.Mean = append(c.X, b.Mean), append(c.Mean, b.Positive)
		}
	}
	Add(p, c, dp.Curve{Name: "perfect", X: []float64{0, 1}, Mean: []float64{0, 1}})
	p.Legend.Left = true
	return p
}

// Histogram compares samples by normalised histograms with the given number of bins over their common range; densities, if any,
// are drawn over them.
func Histogram(title string, bins int, samples []dp.Curve, densities ...dp.Curve) *plot.Plot {
	p := New(title, "value", "density")
	for i, s := range samples {
		h, err := plotter.NewHist(plotter.Values(s.Mean), bins)
		if err != nil {
			panic(err)
		}
		h.Normalize(1)
		h.FillColor, h.LineStyle.Width = faded(hue(i), 110), 0
		p.Add(h)
		p.Legend.Add(s.Name, h)
	}
	for i, c := range densities {
		xy, _ := points(c)
		line, err := plotter.NewLine(xy)
		if err != nil {
			panic(err)
		}
		line.Color, line.Width = hue(i), vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(c.Name, line)
	}
	return p
}

// Attack plots the outcome of a membership inference attack with the diagonal of guessing and the limit that the claim sets to
// any attacker, TPR ≤ min{e^ε FPR + δ, 1 − e^{−ε}(1 − δ − FPR)}.
func Attack(r *dp.MembershipROC) *plot.Plot {
	p := New(fmt.Sprintf("Membership inference: AUC %.3f (limit %.3f)", r.AUC, r.LimitAUC), "false positive rate", "true positive rate")
	limit := Function("limit at the claim", func(f float64) float64 {
		return math.Min(math.Exp(r.Eps)*f+r.Delta, 1-math.Exp(-r.Eps)*(1-r.Delta-f))
	}, 0, 1)
	Add(p, thin(dp.Curve{Name: r.Attacker, X: r.FPR, Mean: r.TPR}), limit, dp.Curve{Name: "guessing", X: []float64{0, 1}, Mean: []float64{0, 1}})
	p.Legend.Top = false
	return p
}
