package dp

import (
	"math"
	"testing"
)

func TestGammaVectorOracles(t *testing.T) {
	for _, o := range oracles(t, "GammaNormNoise") {
		d, kappa := int(o.num("d")), o.num("kappa")
		m := GammaVector{Eps: kappa}
		near(t, o.ID+" log_normaliser", m.LogNormaliser(d), o.out("log_normaliser"), 1e-10)
		for name, p := range map[string]float64{"q50": 0.5, "q95": 0.95, "q99": 0.99} {
			q, err := m.ErrorQuantile(d, p)
			if err != nil {
				t.Fatal(err)
			}
			near(t, o.ID+" "+name, q, o.out(name), 1e-9)
			near(t, o.ID+" CDF at "+name, m.NormCDF(d, o.out(name)), p, 1e-9)
		}
		// Moments of 20,000 draws; each within 5.5 standard errors (normal approximation: false-alarm rate 4e-8 each).
		n, src := 20000, Seed(uint64(d))
		norm, coord := 0.0, 0.0
		for range n {
			b := gammaVectorNoise(src, d, kappa)
			s := 0.0
			for _, v := range b {
				s += v * v
			}
			norm += math.Sqrt(s) / float64(n)
			coord += b[0] / float64(n)
		}
		if e := math.Sqrt(o.out("Var_norm") / float64(n)); math.Abs(norm-o.out("E_norm")) > 5.5*e {
			t.Errorf("%s: mean norm %g, want %g ± %g", o.ID, norm, o.out("E_norm"), e)
		}
		if e := math.Sqrt(o.out("coord_var") / float64(n)); math.Abs(coord) > 5.5*e {
			t.Errorf("%s: mean coordinate %g, want 0 ± %g", o.ID, coord, e)
		}
	}
	for _, o := range oracles(t, "NormTailBound") {
		m, d, p := GammaVector{Eps: o.num("kappa")}, int(o.num("d")), 1-o.num("delta")
		bound, err := m.TailBound(d, p)
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID, bound, o.out("paper_bound"), 1e-10)
		q, err := m.ErrorQuantile(d, p)
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID, q, o.out("exact_quantile"), 1e-9)
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
