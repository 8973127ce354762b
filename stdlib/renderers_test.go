package stdlib

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"example.org/godp/dp"
)

func style() PlotStyle { return PlotStyle{Width: 5, Height: 3.5, DPI: 192, SVG: true, PNG: true} }

// render asks all renderers, as the kernel does.
func render(t *testing.T, v any) map[string]any {
	t.Helper()
	for _, r := range Renderers(style) {
		if b, ok := r(v); ok {
			if s, ok := b["text/plain"].(string); !ok || s == "" {
				t.Errorf("%T: no text/plain", v)
			}
			return b
		}
	}
	return nil
}

func linePlot(t *testing.T, title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	l, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(l)
	return p
}

func TestRenderPlot(t *testing.T) {
	for _, c := range []struct {
		v    any
		text string
		w, h int // pixels at 192 to the inch
	}{
		{linePlot(t, "a < b"), "[plot: a < b]", 960, 672},
		{[]*plot.Plot{linePlot(t, "a"), nil}, "[1×2 plots]", 1344, 470},
		{[][]*plot.Plot{{linePlot(t, "a"), linePlot(t, "b")}, {linePlot(t, "c")}}, "[2×2 plots]", 1344, 941},
	} {
		b := render(t, c.v)
		if b["text/plain"] != c.text {
			t.Errorf("text %q, want %q", b["text/plain"], c.text)
		}
		dec := xml.NewDecoder(strings.NewReader(b["image/svg+xml"].(string)))
		elements := 0
		for {
			tok, err := dec.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("SVG: %v", err)
			}
			if _, ok := tok.(xml.StartElement); ok {
				elements++
			}
		}
		img, err := png.Decode(bytes.NewReader(b["image/png"].([]byte)))
		if err != nil {
			t.Fatal(err)
		}
		if s := img.Bounds().Size(); s.X < c.w-1 || s.X > c.w+1 || s.Y < c.h-1 || s.Y > c.h+1 {
			t.Errorf("%s is %v pixels, want %d×%d", c.text, s, c.w, c.h)
		}
		if elements < 10 {
			t.Errorf("%s: SVG of %d elements", c.text, elements)
		}
	}
	for _, v := range []any{(*plot.Plot)(nil), []*plot.Plot{}, [][]*plot.Plot{{}}} {
		if b := render(t, v); b != nil {
			t.Errorf("%T %v is shown", v, v)
		}
	}
}

func TestRenderData(t *testing.T) {
	rows, labels := make([][]float64, 50), make([]float64, 50)
	for i := range rows {
		rows[i] = make([]float64, 30)
		rows[i][i%30] = 0.25
		labels[i] = float64(1 - 2*(i%2))
	}
	d, err := dp.NewData(rows, labels, 1)
	if err != nil {
		t.Fatal(err)
	}
	b := render(t, d)
	text, h := b["text/plain"].(string), b["text/html"].(string)
	if !strings.HasPrefix(text, "50 rows × 30 columns, labels ±1, ‖x‖ ≤ 1, dense\n") {
		t.Errorf("text %s", text)
	}
	if strings.Count(h, "<tr>") != 8 || !strings.Contains(h, ">x29<") || strings.Contains(h, ">x15<") || !strings.Contains(h, ">-1<") || !strings.Contains(h, ">0.25<") {
		t.Errorf("HTML %s", h)
	}
	classes, err := dp.NewClasses(rows[:2], []int{1, 0}, []string{"<b>cat</b>", "dog"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	h = render(t, classes)["text/html"].(string)
	if strings.Contains(h, "<b>") || !strings.Contains(h, "&lt;b&gt;cat") || !strings.Contains(h, "2 classes") {
		t.Errorf("HTML %s", h)
	}
	if b := render(t, (*dp.Data)(nil)); b != nil {
		t.Error("nil data are shown")
	}
}

// Each style draws what it names and no more, and the size is the one asked for.
func TestPlotStyle(t *testing.T) {
	Renderers(style)
	p := linePlot(t, "a")
	for _, o := range []PlotStyle{{4, 2, 100, false, true}, {4, 2, 100, true, false}} {
		b, ok := renderPlot(p, func() PlotStyle { return o })
		raw, isPNG := b["image/png"].([]byte)
		text, isSVG := b["image/svg+xml"].(string)
		if !ok || isPNG != o.PNG || isSVG != o.SVG || b["text/plain"] != "[plot: a]" {
			t.Errorf("%+v: %v", o, b)
		}
		if isPNG {
			if c, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || c.Width != 400 || c.Height != 200 {
				t.Errorf("%+v: PNG of %d×%d, %v", o, c.Width, c.Height, err)
			}
		}
		if isSVG && !strings.Contains(text, "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;") {
			t.Errorf("the letters have no family: %.900s", text)
		}
		if isSVG && !strings.Contains(text, `viewBox="0 0 288 144"`) { // points
			t.Errorf("%+v: SVG %.300s", o, text)
		}
	}
}

func BenchmarkRenderPlot(b *testing.B) {
	p := plot.New()
	l, _ := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}})
	p.Add(l)
	for b.Loop() {
		renderPlot(p, style)
	}
}
