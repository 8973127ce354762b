package dp

import (
	"math"
	"strings"
	"testing"
)

type scorer func(x []float64) float64

func (s scorer) Score(x []float64) float64   { return s(x) }
func (s scorer) Predict(x []float64) float64 { return sign(s(x)) }

func TestROC(t *testing.T) {
	// Scores .9 .8 .7 .7 .6 with labels + − + − −: by hand, the 2·3 pairs are won 3 + (1 + ½)/… : (+.9 beats 3), (+.7 beats .6, ties
	// .7, loses to .8) = 3 + 1.5 = 4.5 of 6.
	d, err := NewData([][]float64{{0.9}, {0.8}, {0.7}, {0.7}, {0.6}}, []float64{1, -1, 1, -1, -1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ROC(scorer(func(x []float64) float64 { return x[0] }), d)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "AUC", c.AUC, 4.5/6, 1e-15)
	for i, want := range [][2]float64{{0, 0}, {0, 0.5}, {1.0 / 3, 0.5}, {2.0 / 3, 1}, {1, 1}} {
		if math.Abs(c.FPR[i]-want[0])+math.Abs(c.TPR[i]-want[1]) > 1e-15 {
			t.Errorf("point %d is (%g, %g), want %v", i, c.FPR[i], c.TPR[i], want)
		}
	}
	one, _ := NewData([][]float64{{1}}, []float64{1}, 1)
	if _, err := ROC(scorer(func(x []float64) float64 { return 0 }), one); err == nil || !strings.Contains(err.Error(), "both labels") {
		t.Errorf("one label: %v", err)
	}
}

func TestCalibrationOfTheTruth(t *testing.T) {
	// Labels drawn with probability 1/(1+e^{-4x}); the true score is calibrated. Expected |share−mean| of 4000 rows a bin is
	// about .006; .03 is 5 standard deviations.
	src := Seed(4)
	rows, y := make([][]float64, 40_000), make([]float64, 40_000)
	for i := range rows {
		rows[i] = []float64{2*src.Float64() - 1}
		y[i] = -1
		if src.Float64() < 1/(1+math.Exp(-4*rows[i][0])) {
			y[i] = 1
		}
	}
	d, _ := NewData(rows, y, 1)
	c, err := Calibration(scorer(func(x []float64) float64 { return 4 * x[0] }), d, 10)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, b := range c.Bins {
		n += b.Rows
		if b.Rows > 0 && math.Abs(b.Mean-b.Positive) > 0.03 {
			t.Errorf("bin %v", b)
		}
	}
	if n != 40_000 || c.ECE > 0.01 || !strings.Contains(c.HTML(), "<table>") {
		t.Errorf("%d rows, ECE %g", n, c.ECE)
	}
	off, _ := Calibration(scorer(func(x []float64) float64 { return 12 * x[0] }), d, 10)
	if off.ECE < 0.05 {
		t.Errorf("an overconfident score has ECE %g", off.ECE)
	}
	if _, err := Calibration(scorer(nil), d, 0); err == nil {
		t.Error("0 bins accepted")
	}
}

func TestErrorRateAndMeanLoss(t *testing.T) {
	d, _ := NewData([][]float64{{0.5}, {-0.5}, {0}, {0.1}}, []float64{1, 1, 1, -1}, 1)
	m := &Model{Weights: []float64{2}, Guarantee: noGuarantee("t")}
	near(t, "error", ErrorRate(m, d), 0.5, 0) // sgn(0) = +1
	near(t, "same through the interface", ErrorRate(scorer(m.Score), d), 0.5, 0)
	near(t, "hinge", MeanLoss(m, d, Hinge()), (0+2+1+1.2)/4, 1e-15)
}

func TestSweep(t *testing.T) {
	d := toy(t, 400, 3, 3)
	c, err := Sweep{X: []float64{0.05, 5}, Draws: 4}.Run("objective", d, d, func(eps float64) Trainer {
		return ObjectivePerturbation{Eps: eps, Rand: Seed(uint64(eps * 100))}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Mean) != 2 || c.Mean[1] > c.Mean[0]+0.05 || c.SD[0] != 0 {
		t.Errorf("%v", c)
	}
	if _, err := (Sweep{X: []float64{-1}}).Run("bad", d, d, func(eps float64) Trainer { return ObjectivePerturbation{Eps: eps} }); err == nil {
		t.Error("a bad ε must stop the sweep")
	}
}
