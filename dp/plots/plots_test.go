package plots

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"example.org/godp/dp"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// svg renders p and returns the text of the picture.
func svg(t *testing.T, p *plot.Plot) string {
	t.Helper()
	w, err := p.WriterTo(4*vg.Inch, 3*vg.Inch, "svg")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPlotsRender(t *testing.T) {
	src := dp.Seed(1)
	rows, y := make([][]float64, 200), make([]float64, 200)
	for i := range rows {
		rows[i] = []float64{src.Norm() / 3, src.Norm() / 3}
		y[i] = math.Copysign(1, rows[i][0]+0.1*src.Norm())
	}
	d, err := dp.NewData(rows, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := dp.NonPrivate{Lambda: 0.01, Loss: dp.Logistic()}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	roc, err := dp.ROC(m, d)
	if err != nil {
		t.Fatal(err)
	}
	cal, err := dp.Calibration(m, d, 5)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		p    *plot.Plot
		want string
	}{
		"eps": {ErrorAgainstEps(dp.Curve{Name: "private", X: []float64{0.1, 1, 2}, Mean: []float64{0.3, 0.2, 0.16}, SD: []float64{0.1, 0.05, 0.01}},
			dp.Curve{Name: "yardstick", X: []float64{1}, Mean: []float64{0.15}}), "yardstick"},
		"losses":  {Losses(dp.Logistic(), dp.Huber(0.5), dp.Hinge()), "logistic"},
		"roc":     {ROC(roc), "AUC"},
		"attack":  {Attack(&dp.MembershipROC{Attacker: "likelihood ratio", FPR: []float64{0, 0.5, 1}, TPR: []float64{0, 0.7, 1}, Eps: 1, Delta: 0, AUC: 0.6, LimitAUC: 0.7}), "limit"},
		"cal":     {Calibration(cal), "perfect"},
		"regions": {Regions("boundary", m, d), "boundary"},
		"lines":   {Lines("t", "x", "y", Function("sine", math.Sin, 0, 6), dp.Curve{Name: "gap", X: []float64{1, 2, 3}, Mean: []float64{1, math.NaN(), 0}}), "sine"},
		"hist":    {Histogram("noise", 20, []dp.Curve{{Name: "draws", Mean: []float64{1, 2, 2, 3, 5}}}, Function("density", math.Abs, 0, 5)), "draws"},
	} {
		if got := svg(t, c.p); !strings.Contains(got, c.want) || strings.Contains(got, "NaN") {
			t.Errorf("%s: the picture lacks %q, or has NaN", name, c.want)
		}
	}
}

// The regions follow the classifier: for f = (1, 0) the left edge has the colour of −1 and the right edge that of +1.
func TestRegionsAreThoseOfTheClassifier(t *testing.T) {
	d, err := dp.NewData([][]float64{{-1, -1}, {1, 1}}, []float64{-1, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	m := &dp.Model{Weights: []float64{1, 0}}
	s := svg(t, Regions("r", m, d))
	if strings.Count(s, "<path") < 160 {
		t.Errorf("80 rows of two regions each should be drawn, found %d paths", strings.Count(s, "<path"))
	}
}

func TestImpossibleArgumentsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"no curves":       func() { ErrorAgainstEps() },
		"eps 0":           func() { ErrorAgainstEps(dp.Curve{X: []float64{0, 1}, Mean: []float64{1, 1}}) },
		"ragged":          func() { Lines("", "", "", dp.Curve{X: []float64{1}, Mean: []float64{1, 2}}) },
		"three dimension": func() { Regions("", &dp.Model{}, dp.NestedBalls(5, 3, dp.Seed(1))) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// Rows in any order show all classes, each in proportion to its size, and a rare class is not lost.
func TestRegionsShowEveryClass(t *testing.T) {
	for name, label := range map[string]func(i int) int{
		"alternating": func(i int) int { return i % 2 },
		"every third": func(i int) int { return min(i%3, 1) },
		"rare":        func(i int) int { return min(i%1000, 1) },
	} {
		rows, class := make([][]float64, 6000), make([]int, 6000)
		for i := range rows {
			rows[i], class[i] = []float64{float64(i) / 6000, 0.5}, label(i)
		}
		d, err := dp.NewClasses(rows, class, []string{"a", "b"}, 2)
		if err != nil {
			t.Fatal(err)
		}
		want := map[int]int{}
		for _, c := range class {
			want[c]++
		}
		for c := range 2 {
			idx := []int{}
			for i, k := range class {
				if k == c {
					idx = append(idx, i)
				}
			}
			got := sample(idx, 6000)
			share := float64(want[c]) / 6000
			if n := len(got); n < min(6, want[c]) || math.Abs(float64(n)-1500*share) > 30 {
				t.Errorf("%s: %d of %d rows of class %d are shown", name, n, want[c], c)
			}
			seen := map[int]bool{}
			for _, i := range got {
				if class[i] != c || seen[i] {
					t.Fatalf("%s: row %d is not of class %d or is shown twice", name, i, c)
				}
				seen[i] = true
			}
		}
		if s := svg(t, Regions("r", constant{}, d)); !strings.Contains(s, ">a<") || !strings.Contains(s, ">b<") {
			t.Errorf("%s: the picture lacks a class", name)
		}
	}
}

type constant struct{}

func (constant) Predict([]float64) float64 { return 0 }
