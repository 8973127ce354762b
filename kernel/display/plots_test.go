package display

import (
	"fmt"
	"math"
	"testing"
)

func TestPlotSettings(t *testing.T) {
	defer func() { PlotSize(0, 0); PlotDPI(0); PlotFormat() }()
	same := func(want PlotSettings) {
		t.Helper()
		if got := Plots(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	same(PlotSettings{5, 3.5, 192, []string{"svg", "png"}})
	PlotSize(8, 6)
	PlotDPI(100)
	PlotFormat("PNG")
	same(PlotSettings{8, 6, 100, []string{"png"}})
	for name, f := range map[string]func(){
		"display.PlotSize: a plot of 0.01 by 1 inches; each side takes 0.1 to 100":                                                                   func() { PlotSize(0.01, 1) },
		"display.PlotSize: a plot of NaN by 1 inches; each side takes 0.1 to 100":                                                                    func() { PlotSize(math.NaN(), 1) },
		"display.PlotDPI: 5 pixels per inch; it takes 20 to 1200":                                                                                    func() { PlotDPI(5) },
		`display.PlotFormat: "gif" is no format of plots; there are svg and png`:                                                                     func() { PlotFormat("gif") },
		"display.PlotSize: a plot of 100 by 100 inches has over 10,000 pixels on a side at 200 to the inch; make it smaller, or call PlotDPI before": func() { PlotDPI(200); PlotSize(100, 100) },
	} {
		if p := try(f); fmt.Sprint(p) != name {
			t.Errorf("%v\nwant %s", p, name)
		}
	}
	same(PlotSettings{8, 6, 200, []string{"png"}}) // what was refused changed nothing
	PlotSize(0, 0)
	PlotDPI(0)
	PlotFormat()
	same(PlotSettings{5, 3.5, 192, []string{"svg", "png"}})
}

// An image's handle takes another image, and nothing else for one.
func TestImageHandleTakesAnImage(t *testing.T) {
	es := capture(t, func() {
		h := PNG([]byte("\x89PNG\r\n\x1a\n1"))
		h.Update([]byte("\x89PNG\r\n\x1a\n2"))
		if try(func() { h.Update([]byte("GIF89a")) }) == nil {
			t.Error("a GIF was taken for a PNG")
		}
		h.Update("text")
	})
	if len(es) != 3 || string(es[1].Bundle.Data["image/png"].([]byte)[8:]) != "2" || es[2].Bundle.Text() != "text" {
		t.Errorf("%v", es)
	}
}
