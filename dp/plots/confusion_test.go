package plots

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"example.org/godp/dp"
)

// halves predicts class 1 where x₁ > 0.
type halves struct{}

func (halves) Predict(x []float64) float64 {
	if x[0] > 0 {
		return 1
	}
	return 0
}

func TestConfusionPlot(t *testing.T) {
	d := dp.Shells(200, 2, 2, 0, dp.Seed(1))
	p := Confusion("halves", dp.Confusion(halves{}, d))
	w, err := p.WriterTo(10*vg.Centimeter, 10*vg.Centimeter, "svg")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for _, n := range d.ClassNames() {
		if k := strings.Count(b.String(), n); k != 2 {
			t.Errorf("class name %q appears %d times, want once on each axis", n, k)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("nil accepted")
		}
	}()
	Confusion("none", nil)
}
