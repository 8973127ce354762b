package dp

import (
	"math"
	"strings"
	"testing"
)

func value(t testing.TB, b Bound) float64 {
	t.Helper()
	if !b.Holds() {
		t.Errorf("%v", b)
	}
	for _, s := range []string{b.Formula, b.Numbers, b.Source, b.Quantity} {
		if s == "" || strings.Contains(s, "%!") {
			t.Errorf("incomplete bound: %#v", b)
		}
	}
	return b.Value
}

func TestERMBoundOracles(t *testing.T) {
	for _, o := range oracles(t, "ObjectiveExcessBound") {
		f := ERMFacts{N: int(o.num("n")), Dim: int(o.num("d")), Lambda: o.num("lambda"), Eps: o.num("eps"), Failure: o.num("delta")}
		for v, want := range map[Flavour]string{AsPublished: "seed_eq14", JMLR2011: "jmlr_4", Corrected: "tight_2", Tight: "tight_gamma_quantile"} {
			within(t, o.ID+" "+want, value(t, f.ObjectiveExcess(v)), o.out(want), 1e-9)
		}
	}
	for _, o := range oracles(t, "OutputExcessBound") {
		f := ERMFacts{N: int(o.num("n")), Dim: int(o.num("d")), Lambda: o.num("lambda"), Eps: o.num("eps"), Failure: o.num("delta"), C: o.num("c"), Eta: o.num("eta")}
		within(t, o.ID, value(t, f.OutputExcess(AsPublished)), o.out("jmlr"), 1e-10)
		if tight := value(t, f.OutputExcess(Tight)); tight > o.out("jmlr") {
			t.Errorf("%s: tight %v above published %v", o.ID, tight, o.out("jmlr"))
		}
	}
	for _, o := range oracles(t, "SampleSizes") {
		f := ERMFacts{Dim: int(o.num("d")), Norm: o.num("f_norm"), Excess: o.num("eps_g"), Eps: o.num("eps_p"), Failure: o.num("delta"), C: o.num("c")}
		c := o.num("C")
		within(t, o.ID, value(t, f.SampleSizeSCM(AsPublished, c)), o.out("seed_eq15"), 1e-10)
		within(t, o.ID, value(t, f.SampleSizeNonPrivate(c)), o.out("jmlr_nonprivate"), 1e-10)
		within(t, o.ID, value(t, f.SampleSizeOutput(c)), o.out("jmlr_output"), 1e-10)
		within(t, o.ID, value(t, f.SampleSizeObjective(c)), o.out("jmlr_objective"), 1e-10)
		within(t, o.ID, value(t, f.SampleSizePrivacyTerm()), o.out("explicit_privacy_term_seed"), 1e-10)
		if f.SampleSizeSCM(Corrected, c).Value < f.SampleSizeSCM(AsPublished, c).Value {
			t.Errorf("%s: the corrected size is smaller", o.ID)
		}
	}
	for _, o := range oracles(t, "UnitBallVolume") {
		f := ERMFacts{Dim: int(o.num("d"))}
		within(t, o.ID, value(t, f.BallVolume(Tight)), o.out("volume"), 1e-10)
		within(t, o.ID, value(t, f.BallVolume(AsPublished)), o.out("seed_approx"), 1e-10)
		within(t, o.ID, value(t, f.BallVolume(Corrected)), o.out("approx_fixed"), 1e-10)
	}
	for _, o := range oracles(t, "KernelSampleSizeC") {
		f := ERMFacts{Coefficient: o.num("C"), Eps: o.num("eps_p"), Excess: o.num("eps_g"), Failure: o.num("delta")}
		within(t, o.ID, value(t, f.KernelSampleSize(Lemma1, o.num("K"))), o.out("seed_eq25"), 1e-10)
		within(t, o.ID, value(t, f.KernelSampleSizeCorrected(Lemma1, o.num("K"))), o.out("corrected"), 1e-10)
	}
	for _, o := range oracles(t, "KernelSampleSize") {
		f := ERMFacts{SupNorm: o.num("f_inf"), KernelNorm: o.num("f_H"), Zeta: o.num("zeta"), Dim: int(o.num("d")), Eps: o.num("eps_p"), Excess: o.num("eps_g"), Failure: o.num("delta")}
		for r, want := range map[KernelReading]string{Theorem4: "seed_eq38", Theorem4Log: "eq38_no_gamma", Theorem5: "seed_eq39", Theorem5B: "seed_eq45"} {
			within(t, o.ID+" "+want, value(t, f.KernelSampleSize(r, o.num("K"))), o.out(want), 1e-9)
		}
		within(t, o.ID, value(t, f.KernelSampleSizeCorrected(Theorem4, o.num("K"))), o.out("corrected_thm4"), 1e-9)
		within(t, o.ID, value(t, f.KernelSampleSizeCorrected(Theorem5B, o.num("K"))), o.out("corrected_thm5"), 1e-9)
	}
	for _, o := range oracles(t, "NormTailBound") {
		f := ERMFacts{Dim: int(o.num("d")), Kappa: o.num("kappa"), Failure: o.num("delta")}
		within(t, o.ID, value(t, f.NoiseNorm(AsPublished)), o.out("paper_bound"), 1e-10)
		within(t, o.ID, value(t, f.NoiseNorm(Tight)), o.out("exact_quantile"), 1e-9)
	}
	for _, o := range oracles(t, "GammaNormNoise") {
		within(t, o.ID, value(t, ERMFacts{Dim: int(o.num("d")), Kappa: o.num("kappa")}.NoiseMean()), o.out("E_norm"), 1e-10)
	}
	for _, o := range oracles(t, "SelectionBound") {
		f := ERMFacts{Candidates: int(o.num("m")), Eps: o.num("eps"), Failure: o.num("delta")}
		within(t, o.ID, value(t, f.SelectionExcess(AsPublished)), o.out("paper"), 1e-10)
		within(t, o.ID, value(t, f.SelectionExcess(Tight)), o.out("tight"), 1e-10)
		within(t, o.ID, value(t, f.SelectionFailure(o.out("paper"))), o.out("worst_prob_at_paper_bound"), 1e-9)
	}
	for _, o := range oracles(t, "SeedTrueEpsilonHuber") {
		f := ERMFacts{N: int(o.num("n")), Lambda: o.num("lambda"), Kappa: o.num("eps_p") / 2, C: 1 / (2 * o.num("h"))}
		within(t, o.ID, value(t, f.ObjectivePrivacy(Corrected)), o.out("Ic_appendix"), 1e-10)
		within(t, o.ID, f.ObjectivePrivacy(AsPublished).Value, o.num("eps_p"), 1e-12)
	}
	for _, o := range oracles(t, "OutputSensitivity") {
		f := ERMFacts{N: int(o.num("n")), Lambda: o.num("lambda"), L: o.num("lipschitz"), R: o.num("radius")}
		within(t, o.ID, value(t, f.OutputSensitivity()), o.out("l2"), 1e-12)
	}
}

func TestBoundsRefuseMissingFacts(t *testing.T) {
	for _, b := range []Bound{
		ERMFacts{}.ObjectiveExcess(Tight), ERMFacts{}.OutputExcess(AsPublished), ERMFacts{}.SampleSizeObjective(1), ERMFacts{}.KernelSampleSize(Lemma1, 1),
		ERMFacts{}.KernelSampleSize("no such theorem", 1), ERMFacts{}.SelectionExcess(Tight), ERMFacts{}.TuningExcess(), ERMFacts{}.TrueRisk(0, 0), ERMFacts{}.RiskBound(), ERMFacts{}.NoiseNorm(Tight),
		ERMFacts{N: 10, Dim: 2, Lambda: 1, Extra: 1, Eps: 1, Failure: 0.1, Norm: 1}.ObjectiveExcess(AsPublished), // stated for Δ = 0 only
	} {
		if b.Holds() || !math.IsNaN(b.Value) || !strings.Contains(b.String(), "does not apply") {
			t.Errorf("a number without facts: %v", b)
		}
	}
}

func TestInverseQuestions(t *testing.T) {
	f := ERMFacts{N: 10000, Dim: 10, Eps: 0.5, C: 1, Failure: 0.05, Norm: 3}
	lambda, b, err := f.BestLambda()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{0.5, 0.9, 1.1, 2} {
		g := f
		g.Lambda = lambda * x
		if g.RiskBound().Value < b.Value*(1-1e-9) {
			t.Errorf("Λ = %v is better than the best Λ = %v", g.Lambda, lambda)
		}
	}
	f.Excess = 0.05
	n, at, err := f.RowsNeeded()
	if err != nil || at.Value > 0.05 {
		t.Fatal(n, at, err)
	}
	f.N = n - 1
	if _, less, _ := f.BestLambda(); less.Value <= 0.05 {
		t.Errorf("n − 1 = %d rows are enough: %v", f.N, less.Value)
	}
	f.N = n
	eps, _, err := f.EpsNeeded()
	if err != nil {
		t.Fatal(err)
	}
	within(t, "ε affordable with the rows needed for 0.5", eps, 0.5, 1e-3)
	f.N, f.Excess = 5, 1e-6
	if _, _, err := f.EpsNeeded(); err == nil {
		t.Error("five rows cannot give 1e-6 at any ε up to 1000")
	}
	if _, _, err := (ERMFacts{}).RowsNeeded(); err == nil {
		t.Error("no facts, but a number of rows")
	}
}

// The set-up of the analysis: n = 1000, d = 5, Λ = 0.01, ε' = 0.5, δ = 0.05. The bounds hold and have the order and values stated there.
func TestBoundCheck(t *testing.T) {
	src := Seed(11)
	rows, y := make([][]float64, 1000), make([]float64, 1000)
	for i := range rows {
		rows[i], y[i] = make([]float64, 5), 1
		for j := range rows[i] {
			rows[i][j] = src.Norm() / 3
		}
		if rows[i][0]+0.1*src.Norm() < 0 {
			y[i] = -1
		}
	}
	d, err := NewData(rows, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := ObjectivePerturbation{Eps: 0.6, Lambda: 0.01, Loss: Huber(0.5), Rand: Seed(12)}
	repeats := 400
	c, err := CheckObjective(m, d, 0.05, repeats)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Bounds) != 4 || len(c.Excess) != repeats {
		t.Fatalf("%v", c)
	}
	last := math.Inf(1)
	for _, b := range c.Bounds {
		if !b.Holds() || b.Value > last {
			t.Errorf("bounds are not ordered: %v", b)
		}
		last = b.Value
		over := 0
		for _, x := range c.Excess {
			if x > b.Value {
				over++
			}
		}
		// 5 % may exceed it; more than 9 % of 400 has probability below 1e-3.
		if over > 36 {
			t.Errorf("%d of %d runs exceed %v", over, repeats, b)
		}
	}
	if r := last / c.Quantile; r < 2 || r > 30 {
		t.Errorf("the tight bound is %v times the quantile; about 6 is expected", r)
	}
	if !strings.Contains(c.Markdown(), "simulated 0.95 quantile") {
		t.Error(c.Markdown())
	}
	out, err := CheckOutput(OutputPerturbation{Eps: 0.5, Lambda: 0.01, Loss: Huber(0.5), Rand: Seed(13)}, d, 0.05, 100)
	if err != nil {
		t.Fatal(err)
	}
	if out.Quantile > out.Bounds[1].Value || out.Bounds[1].Value > out.Bounds[0].Value {
		t.Errorf("%v", out)
	}
	if _, err := CheckObjective(m, d, 0.05, 3); err == nil {
		t.Error("three runs show no 95 % quantile")
	}
}

func TestCheckNoiseAndSelection(t *testing.T) {
	c, err := ERMFacts{Dim: 20, Kappa: 0.5, Failure: 0.05}.CheckNoiseNorm(4000, Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	// The simulated 95 % quantile of Gamma(20, 2) with 4,000 draws has a standard error of about 0.5 %.
	if r := c.Bounds[1].Value / c.Quantile; r < 0.97 || r > 1.03 {
		t.Errorf("the exact quantile is %v times the simulated one", r)
	}
	if c.Bounds[0].Value < 2*c.Bounds[1].Value {
		t.Errorf("%v", c)
	}
	f := ERMFacts{Candidates: 7, Eps: 1, Failure: 0.05}
	tight := f.SelectionExcess(Tight).Value
	for _, k := range []struct {
		mistakes int
		reached  bool
	}{{int(math.Floor(tight)), true}, {int(math.Ceil(tight)) + 1, false}} {
		c, err := f.CheckSelection(k.mistakes, 20000, Seed(2))
		if err != nil {
			t.Fatal(err)
		}
		if (c.Quantile > 0) != k.reached {
			t.Errorf("%d mistakes, bound %v: quantile %v", k.mistakes, tight, c.Quantile)
		}
	}
	if _, err := (ERMFacts{}).CheckNoiseNorm(1000, nil); err == nil {
		t.Error("no facts")
	}
	if _, err := f.CheckSelection(1, 3, nil); err == nil {
		t.Error("three runs")
	}
}
