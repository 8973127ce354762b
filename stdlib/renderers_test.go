package stdlib

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"example.org/godp/dp"
)

// render asks all renderers, as the kernel does.
func render(t *testing.T, v any) map[string]any {
	t.Helper()
	for _, r := range Renderers() {
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

func TestRenderMatrix(t *testing.T) {
	b := render(t, mat.NewDense(2, 3, []float64{1, 0.5, -3, 1e-9, 123456789, 2.0 / 3}))
	want := "mat.Dense 2×3\n         0          1         2\n  0      1        0.5        -3\n  1  1e-09  123456789  0.666667"
	if b["text/plain"] != want {
		t.Errorf("text\n%s\nwant\n%s", b["text/plain"], want)
	}
	if h := b["text/html"].(string); strings.Count(h, "<tr>") != 3 || !strings.Contains(h, ">0.666667<") {
		t.Errorf("HTML %s", h)
	}
	big := render(t, mat.NewDense(1000, 100, nil))["text/html"].(string)
	if rows, cells := strings.Count(big, "<tr>"), strings.Count(big, "<td"); rows != 21 || cells != 20*12 || !strings.Contains(big, ">999<") || !strings.Contains(big, ">99<") {
		t.Errorf("a large matrix is shown in %d rows and %d cells", rows, cells)
	}
	if b := render(t, mat.NewVecDense(3, []float64{1, 2, 3})); !strings.HasPrefix(b["text/plain"].(string), "mat.VecDense 3×1") {
		t.Errorf("vector: %v", b)
	}
	if b := render(t, new(mat.Dense)); b["text/plain"] != "mat.Dense 0×0" {
		t.Errorf("empty matrix: %v", b)
	}
	if b := render(t, (*mat.Dense)(nil)); b != nil {
		t.Error("a nil matrix is shown")
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

func TestRenderImage(t *testing.T) {
	b := render(t, image.NewGray(image.Rect(0, 0, 4, 3)))
	img, err := png.Decode(bytes.NewReader(b["image/png"].([]byte)))
	if err != nil || img.Bounds().Size() != image.Pt(4, 3) {
		t.Errorf("%v %v", img, err)
	}
	for _, v := range []any{image.NewGray(image.Rect(0, 0, 0, 0)), image.NewUniform(image.Black), (*image.Gray)(nil), 3, "x", nil} {
		if b := render(t, v); b != nil {
			t.Errorf("%T is shown", v)
		}
	}
}

func BenchmarkRenderPlot(b *testing.B) {
	p := plot.New()
	l, _ := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}})
	p.Add(l)
	for b.Loop() {
		renderPlot(p)
	}
}
