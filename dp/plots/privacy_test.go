package plots

import (
	"strings"
	"testing"

	"example.org/godp/dp"
	"gonum.org/v1/plot"
)

func TestPrivacyPlotsRender(t *testing.T) {
	rows, y := [][]float64{{1}, {-1}, {0.5}, {-0.7}}, []float64{1, -1, 1, -1}
	d, err := dp.NewData(rows, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.Replace(0, []float64{-1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := dp.ObjectivePerturbation{Eps: 1, Lambda: 0.5, Loss: dp.Huber(0.5), Rand: dp.Seed(1)}
	check, err := dp.CheckObjective(m, d, 0.1, 40)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := dp.ExactLoss(m, d, e)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		p    *plot.Plot
		want string
	}{
		"bounds":   {BoundCheck(check), "simulated 0.9 quantile"},
		"tradeoff": {TradeOffs(dp.GaussianTradeOff(1), dp.PureTradeOff(1, 0)), "perfect privacy"},
		"profile":  {Profiles(3, []string{"Gaussian"}, func(e float64) float64 { return dp.GDPDelta(1, e) }), "Gaussian"},
		"loss":     {LossOverOutputs(loss, -3, 3), "claimed"},
	} {
		if got := svg(t, c.p); !strings.Contains(got, c.want) || strings.Contains(got, "NaN") {
			t.Errorf("%s: the picture lacks %q, or has NaN", name, c.want)
		}
	}
	for name, f := range map[string]func(){
		"names": func() { Profiles(1, nil, func(float64) float64 { return 0 }) },
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

// One picture for a bound of every kind: on a quantile, one that holds always, on a mean, a lower bound, a false one; and values that a logarithmic axis cannot show.
func TestCheckBound(t *testing.T) {
	f := dp.SVMFacts{N: 21, C: 1, Features: 3, Eps: 1, Accuracy: 2, Failure: 0.1, Scale: 0.3, Pairs: 1000}
	false10 := f
	false10.Accuracy = 0.1
	for want, b := range map[string]dp.Bound{
		"simulated 0.9 quantile": f.Theorem8(dp.AsPublished),
		"largest of all runs":    f.SensitivityL2(dp.AsPublished),
		"simulated mean":         dp.ERMFacts{Dim: 3, Kappa: 1}.NoiseMean(),
		"≥ 0.0476":               f.MinFailure18(dp.Tight),
		", refuted":              false10.Lemma10(dp.Lemma10Misread),
	} {
		p, err := CheckBound(b, 60, dp.Seed(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := svg(t, p); !strings.Contains(got, want) || strings.Contains(got, "NaN") {
			t.Errorf("the picture of %v lacks %q, or has NaN", b, want)
		}
	}
	if _, err := CheckBound(dp.ERMFacts{}.SampleSizeNonPrivate(1), 60, nil); err == nil {
		t.Error("a bound without a simulation was drawn")
	}
}
