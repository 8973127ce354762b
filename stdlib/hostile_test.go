package stdlib

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"

	"example.org/godp/dp"
)

// shapes is what the SVG writer draws with, and what an excerpt is made of.
var shapes = map[string]bool{"svg": true, "g": true, "path": true, "text": true, "image": true, "defs": true, "clipPath": true,
	"table": true, "caption": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true}

// foreign returns an element or an attribute that can do more than draw.
func foreign(page string) string {
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return ""
		} else if err != nil {
			return err.Error()
		}
		switch x := tok.(type) {
		case xml.StartElement:
			if !shapes[x.Name.Local] {
				return "<" + x.Name.Local
			}
			for _, a := range x.Attr {
				if strings.HasPrefix(strings.ToLower(a.Name.Local), "on") || strings.Contains(strings.ToLower(a.Value), "script:") {
					return a.Name.Local + "=" + a.Value
				}
			}
		case xml.Directive:
			return "<!" + string(x)
		}
	}
}

func checkHostile(t interface {
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
}, s string) {
	t.Helper()
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = s, s, s
	l, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(l)
	p.Legend.Add(s, l)
	p.NominalX(s, s)
	for _, v := range []any{p, []*plot.Plot{p, p}} {
		b, ok := renderPlot(v, func() PlotStyle { return PlotStyle{Width: 3, Height: 2, DPI: 96, SVG: true} })
		if !ok {
			t.Fatal("no plot")
		}
		if f := foreign(b["image/svg+xml"].(string)); f != "" {
			t.Errorf("the plot of %q has %s:\n%.3000s", s, f, b["image/svg+xml"])
		}
	}
	d, err := dp.NewClasses([][]float64{{0, 1}, {1, 0}}, []int{0, 1}, []string{s, s + "2"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, ok := renderData(d.MarkLeak(s))
	if !ok {
		t.Fatal("no data")
	}
	if f := foreign(strings.Map(printable, strings.ToValidUTF8(b["text/html"].(string), "?"))); f != "" {
		t.Errorf("data of %q have %s:\n%s", s, f, b["text/html"])
	}
}

func printable(r rune) rune {
	if r < ' ' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
		return '?'
	}
	return r
}

func TestNothingInAPlotIsMarkup(t *testing.T) {
	for _, s := range []string{`<script>alert(1)</script>`, `"><image onload="alert(1)"/>`, `]]>`, `<!--`, `-->`, `&lt;b&gt;`, `&`, `<a href="javascript:alert(1)">x</a>`, `x" onload="y`, "a\nb", "\x00\x1b", "\xff<b>", "<?xml?>", "$\\href{javascript:alert(1)}{x}$"} {
		checkHostile(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		checkHostile(t, rapid.StringOfN(rapid.RuneFrom([]rune("<>&\"'/=!-[]? \n\t\x00\x0besciptonb1")), 0, 12, -1).Draw(t, "s"))
	})
}
