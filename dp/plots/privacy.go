package plots

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"example.org/godp/dp"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// BoundCheck shows in one picture the distribution of what was measured, its simulated quantile (or mean) and the bounds on it: how loose each bound is can be
// read off the distance. The axis is logarithmic where all of it is above 0.
func BoundCheck(c *dp.BoundCheck) *plot.Plot {
	p := New(wrap(fmt.Sprintf("%d runs: %s", len(c.Excess), c.Mechanism), 64), c.Quantity, "share of runs at most this")
	p.Title.TextStyle.Font.Size = vg.Points(10)
	log, lo, hi := true, math.Inf(1), math.Inf(-1)
	see := func(x float64) bool {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
		lo, hi = math.Min(lo, x), math.Max(hi, x)
		return true
	}
	// The distribution is a staircase.
	var xs, ys []float64
	for i, x := range c.Excess {
		if i+1 < len(c.Excess) && c.Excess[i+1] == x || !see(x) {
			continue
		}
		before := 0.0
		if len(ys) > 0 {
			before = ys[len(ys)-1]
		}
		xs, ys = append(xs, x, x), append(ys, before, float64(i+1)/float64(len(c.Excess)))
	}
	if see(c.Quantile); c.Quantile <= 0 {
		log = false
	}
	for _, b := range c.Bounds {
		if see(b.Value) && b.Value <= 0 {
			log = false
		}
	}
	if log { // what is far below all else would only stretch the axis
		for len(xs) > 0 && xs[0] <= 1e-6*math.Min(hi, c.Quantile) {
			xs, ys = xs[1:], ys[1:]
		}
		lo = hi
		for _, x := range append(append([]float64(nil), xs...), c.Quantile) {
			lo = math.Min(lo, x)
		}
		for _, b := range c.Bounds {
			if b.Value > 0 {
				lo = math.Min(lo, b.Value)
			}
		}
		log = hi/lo > 3 && hi/lo < 1e30
	}
	Add(p, thin(dp.Curve{Name: "measured", X: xs, Mean: ys}))
	mark := func(i int, name string, x float64, dashes ...vg.Length) {
		if math.IsNaN(x) || math.IsInf(x, 0) || log && !(x > 0) {
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
	name := fmt.Sprintf("simulated %.4g quantile: %.3g", c.Confidence, c.Quantile)
	switch {
	case c.OfMean:
		name = fmt.Sprintf("simulated mean: %.3g", c.Quantile)
	case c.Confidence == 1:
		name = fmt.Sprintf("largest of all runs: %.3g", c.Quantile)
	}
	mark(0, name, c.Quantile, vg.Points(4), vg.Points(2))
	for i, b := range c.Bounds {
		text := fmt.Sprintf("bound (%s): %s %.3g", b.Flavour, b.Relation, b.Value)
		if c.Refutes(i) {
			text += ", refuted"
		}
		mark(i+1, text, b.Value)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Min, p.Y.Max = 0, 1
	// Room for the legend to the left of the curve.
	if log {
		LogX(p)
		room := math.Max(100, math.Sqrt(hi/lo))
		p.X.Min, p.X.Max = lo/room, hi*1.5
	} else {
		width := math.Max(hi-lo, 0.02*math.Max(math.Abs(hi), math.Abs(lo)))
		p.X.Min, p.X.Max = lo-1.8*width, hi+0.15*width
	}
	return p
}

// CheckBound simulates what a bound is about (see [dp.Bound.Check]) and draws the bound, the simulated quantile and what was measured in one picture.
// A nil src means secure randomness.
func CheckBound(b dp.Bound, repeats int, src *dp.Source) (*plot.Plot, error) {
	c, err := b.Check(repeats, src)
	if err != nil {
		return nil, err
	}
	return BoundCheck(c), nil
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

// wrap breaks a title into lines of about so many characters, at commas or spaces.
func wrap(s string, width int) string {
	var out strings.Builder
	n := 0
	for i, word := range strings.Split(s, " ") {
		switch l := utf8.RuneCountInString(word); {
		case i == 0:
			n = l
		case n+1+l > width:
			out.WriteByte('\n')
			n = l
		default:
			out.WriteByte(' ')
			n += 1 + l
		}
		out.WriteString(word)
	}
	return out.String()
}
