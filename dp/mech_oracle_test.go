package dp

import (
	"math"
	"testing"
)

func TestGammaVectorOracles(t *testing.T) {
	for _, o := range oracles(t, "GammaNormNoise") {
		d := int(o.num("d"))
		m := GammaVector{Eps: o.num("kappa")}
		near(t, o.ID+" log_normaliser", m.LogDensity(make([]float64, d), make([]float64, d)), -o.out("log_normaliser"), 1e-10)
		for name, p := range map[string]float64{"q50": 0.5, "q95": 0.95, "q99": 0.99} {
			q, err := m.ErrorQuantile(d, p)
			if err != nil {
				t.Fatal(err)
			}
			near(t, o.ID+" "+name, q, o.out(name), 1e-9)
		}
	}
}

func TestAnalyticGaussianOracles(t *testing.T) {
	for _, o := range oracles(t, "AnalyticGaussianSigma") {
		sigma, err := GaussianSigma(o.num("eps"), o.num("delta"), o.num("sensitivity"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID, sigma, o.out("sigma"), 1e-10)
		d, err := GaussianDelta(o.num("eps"), sigma, o.num("sensitivity"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID+" profile", d, o.num("delta"), 1e-9)
	}
}

func TestRoundedGaussianOracles(t *testing.T) {
	for _, o := range oracles(t, "RoundedGaussianZCDP") {
		rho, err := RoundedGaussianRho(o.num("sensitivity"), o.num("grid"), int(o.num("d")), o.num("sigma"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID, rho, o.out("rho"), 1e-10)
	}
}

func TestSelectionOracles(t *testing.T) {
	check := func(o oracle, p []float64, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range oracleNumbers(o.Outputs["probs"]) {
			if math.Abs(p[i]-want) > 1e-10*want+1e-300 {
				t.Errorf("%s: P(%d) = %.17g, want %.17g", o.ID, i, p[i], want)
			}
		}
	}
	scores := func(o oracle) []float64 { // the oracles count errors: lower is better
		u := oracleNumbers(o.Inputs["z"])
		for i := range u {
			u[i] = -u[i]
		}
		return u
	}
	for _, o := range oracles(t, "ExponentialMechanismProbs") {
		p, err := Exponential{Eps: o.num("eps")}.Probabilities(scores(o))
		check(o, p, err)
		p, err = ReportNoisyMax{Eps: o.num("eps"), Noise: "gumbel"}.Probabilities(scores(o))
		check(o, p, err)
	}
	for _, o := range oracles(t, "PermuteAndFlipProbs") {
		p, err := PermuteAndFlip{Eps: o.num("eps")}.Probabilities(scores(o))
		check(o, p, err)
		p, err = ReportNoisyMax{Eps: o.num("eps"), Noise: "exponential"}.Probabilities(scores(o))
		check(o, p, err)
	}
	for _, o := range oracles(t, "SelectionBound") {
		b, err := Exponential{Eps: o.num("eps")}.ErrorBound(int(o.num("m")), 1-o.num("delta"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID, b, o.out("tight"), 1e-9)
	}
}
