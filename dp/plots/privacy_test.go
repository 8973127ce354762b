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
