package plots

import (
	"fmt"
	"math"

	"example.org/godp/dp"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// BoundCheck shows in one picture the distribution of the measured excess, its simulated quantile and the bounds on it, on a logarithmic axis: how loose
// each bound is can be read off the distance.
func BoundCheck(c *dp.BoundCheck) *plot.Plot {
	p := New(fmt.Sprintf("%s: %d runs", c.Quantity, len(c.Excess)), c.Quantity, "share of runs at most this")
	var xs, ys []float64
	for i, x := range c.Excess {
		if x > 0 {
			xs, ys = append(xs, x), append(ys, float64(i+1)/float64(len(c.Excess)))
		}
	}
	Add(p, thin(dp.Curve{Name: "measured", X: xs, Mean: ys}))
	mark := func(i int, name string, x float64, dashes ...vg.Length) {
		if !(x > 0) || math.IsInf(x, 1) {
			return
		}
		l, err := plotter.NewLine(plotter.XYs{{X: x, Y: 0}, {X: x, Y: 1}})
		if err != nil {
			panic(err)
		}
		l.Color, l.Width, l.Dashes = hue(i), vg.Points(1.5), dashes
		p.Add(l)
		p.Legend.Add(name, l)
	}
	mark(0, fmt.Sprintf("simulated %.4g quantile", c.Confidence), c.Quantile, vg.Points(4), vg.Points(2))
	for i, b := range c.Bounds {
		mark(i+1, fmt.Sprintf("bound (%s): %.3g", b.Flavour, b.Value), b.Value)
	}
	LogX(p)
	// Room for the legend to the left of the curve.
	p.Legend.Top, p.Legend.Left = true, true
	p.X.Min, p.X.Max = p.X.Min/100, p.X.Max*1.5
	return p
}

// TradeOffs plots trade-off curves: the misses of the best test against its false alarms. The diagonal is perfect privacy.
func TradeOffs(curves ...dp.TradeOff) *plot.Plot {
	p := New("Trade-off: telling two neighbouring data sets apart", "false alarms α", "misses β")
	var list []dp.Curve
	for _, c := range curves {
		list = append(list, Function(c.Name, c.Beta, 0, 1))
	}
	list = append(list, dp.Curve{Name: "perfect privacy", X: []float64{0, 1}, Mean: []float64{1, 0}})
	Add(p, list...)
	return p
}

// Profiles plots privacy profiles δ(ε) on a logarithmic δ axis, for ε between 0 and to. Values below 1e-12 are left out.
func Profiles(to float64, names []string, profiles ...func(eps float64) float64) *plot.Plot {
	if len(names) != len(profiles) {
		panic(fmt.Sprintf("plots.Profiles: %d names for %d profiles", len(names), len(profiles)))
	}
	p := New("Privacy profile", "ε", "δ(ε)")
	var list []dp.Curve
	for i, f := range profiles {
		c := Function(names[i], f, 0, to)
		for k, d := range c.Mean {
			if !(d > 1e-12) {
				c.Mean[k] = math.NaN()
			}
		}
		list = append(list, c)
	}
	Add(p, list...)
	LogY(p)
	return p
}

// LossOverOutputs plots the exact privacy loss L(f) of a mechanism with one-dimensional output over an interval, with lines at ±the claimed ε.
func LossOverOutputs(l *dp.PrivacyLoss, from, to float64) *plot.Plot {
	if l.Dim != 1 {
		panic(fmt.Sprintf("plots.LossOverOutputs: the output has dimension %d, not 1", l.Dim))
	}
	p := New("Exact privacy loss of every output", "output", "ln p₀/p₁")
	const n = 2000
	c := dp.Curve{Name: "exact loss"}
	for i := range n + 1 {
		x := from + (to-from)*float64(i)/n
		c.X = append(c.X, x)
		c.Mean = append(c.Mean, l.At([]float64{x}))
	}
	list := []dp.Curve{c}
	if !math.IsInf(l.Claimed, 0) && !math.IsNaN(l.Claimed) {
		list = append(list, dp.Curve{Name: fmt.Sprintf("claimed ε = %.4g", l.Claimed), X: []float64{from, to}, Mean: []float64{l.Claimed, l.Claimed}},
			dp.Curve{X: []float64{from, to}, Mean: []float64{-l.Claimed, -l.Claimed}})
	}
	Add(p, list...)
	return p
}
