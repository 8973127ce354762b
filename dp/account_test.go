package dp

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"
)

func within(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tol*math.Max(1e-12/tol, math.Abs(want)) {
		t.Errorf("%s = %.12g, want %.12g (relative tolerance %g)", what, got, want, tol)
	}
}

func TestCompositionOracles(t *testing.T) {
	for _, o := range oracles(t, "AdvancedComposition") {
		eps, k, dp := o.num("eps"), int(o.num("k")), o.num("delta_prime")
		e, d, err := AdvancedComposition(eps, 0, k, dp)
		if err != nil {
			t.Fatal(err)
		}
		within(t, "advanced", e, o.out("advanced"), 1e-10)
		within(t, "advanced δ", d, dp, 1e-10)
		list := make([]float64, k)
		for i := range list {
			list[i] = eps
		}
		b, _ := BasicComposition(list, nil)
		within(t, "basic", b, o.out("basic"), 1e-10)
		z, err := ZCDPToDP(float64(k)*PureToZCDP(eps), dp)
		if err != nil {
			t.Fatal(err)
		}
		within(t, "zCDP", z, o.out("zcdp"), 1e-10)
		opt, err := OptimalEps(eps, 0, k, dp)
		if err != nil || opt > math.Min(z, math.Min(e, b)) {
			t.Errorf("optimal composition %v (%v) is worse than a bound", opt, err)
		}
	}
	for _, o := range oracles(t, "OptimalHomogeneousComposition") {
		es, ds := oracleNumbers(o.Outputs["eps_i"]), oracleNumbers(o.Outputs["delta_i"])
		for i := range es {
			d, err := OptimalDelta(o.num("eps"), 0, int(o.num("k")), es[i])
			if err != nil {
				t.Fatal(err)
			}
			within(t, fmt.Sprintf("KOV δ_%d", i), d, ds[i], 1e-10)
			if i > 0 {
				e, err := OptimalEps(o.num("eps"), 0, int(o.num("k")), ds[i])
				if err != nil {
					t.Fatal(err)
				}
				within(t, fmt.Sprintf("KOV ε_%d", i), e, es[i], 1e-9)
			}
		}
	}
}

func TestConversionOracles(t *testing.T) {
	for _, o := range oracles(t, "ZCDPToDP") {
		e, err := ZCDPToDP(o.num("rho"), o.num("delta"))
		if err != nil {
			t.Fatal(err)
		}
		within(t, o.ID, e, o.out("eps"), 1e-10)
		r, err := DPToZCDPBudget(e, o.num("delta"))
		if err != nil {
			t.Fatal(err)
		}
		within(t, o.ID+" inverse", r, o.num("rho"), 1e-10)
		if tight, err := ZCDPToDPTight(o.num("rho"), o.num("delta")); err != nil || tight >= e {
			t.Errorf("tight conversion %v (%v) is not below %v", tight, err, e)
		}
	}
	for _, o := range oracles(t, "RDPToDP") {
		within(t, o.ID, RDPToDP(o.num("alpha"), o.num("rdp"), o.num("delta")), o.out("eps_cks"), 1e-10)
		within(t, o.ID, RDPToDPMironov(o.num("alpha"), o.num("rdp"), o.num("delta")), o.out("eps_mironov"), 1e-10)
	}
	for _, o := range oracles(t, "PureDPToRDP") {
		within(t, o.ID, PureToRDP(o.num("eps"), o.num("alpha")), o.out("rdp"), 1e-10)
		within(t, o.ID, PureToZCDP(o.num("eps")), o.out("zcdp"), 1e-10)
		within(t, o.ID, BoundedRangeToZCDP(o.num("eps")), o.out("em_zcdp"), 1e-10)
	}
	for _, o := range oracles(t, "AnalyticGaussianSigma") {
		s := o.out("sigma")
		within(t, o.ID, GDPDelta(o.num("sensitivity")/s, o.num("eps")), o.num("delta"), 1e-8)
	}
}

type pldCase struct {
	Law         string
	Scale, Q    float64
	Sensitivity int
	Delta       float64
	K           int
	DeltaAt     [][2]float64 `json:"delta_at"`
	EpsAt       [][2]float64 `json:"eps_at"`
}

func (c pldCase) build() (PLD, error) {
	switch c.Law {
	case "gaussian":
		return GaussianPLD(1, c.Scale, 0)
	case "laplace":
		return LaplacePLD(1, c.Scale, 0)
	case "discrete laplace":
		return DiscreteLaplacePLD(c.Sensitivity, c.Scale, 0)
	case "discrete gaussian":
		return DiscreteGaussianPLD(c.Sensitivity, c.Scale, 0)
	case "pure":
		return PurePLD(c.Scale, c.Delta, 0)
	case "subsampled gaussian", "subsampled laplace":
		var l PLD
		var err error
		if c.Law == "subsampled gaussian" {
			l, err = GaussianPLD(1, c.Scale, 0)
		} else {
			l, err = LaplacePLD(1, c.Scale, 0)
		}
		if err != nil {
			return l, err
		}
		return l.Subsample(c.Q)
	}
	return PLD{}, fmt.Errorf("no law %q", c.Law)
}

// Agreement with Google's dp_accounting, version 0.6.0, to 1e-3 (absolute in δ for δ > 1e-3, relative in ε and in smaller δ).
func TestPLDAgreesWithDPAccounting(t *testing.T) {
	text, err := os.ReadFile("testdata/dp_accounting.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ PLD []pldCase }
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.PLD) < 20 {
		t.Fatalf("only %d cases in the fixture", len(f.PLD))
	}
	worst := 0.0
	for _, c := range f.PLD {
		name := fmt.Sprintf("%s scale=%g q=%g k=%d", c.Law, c.Scale, c.Q, c.K)
		l, err := c.build()
		if err != nil {
			t.Fatal(name, err)
		}
		if l, err = l.Times(c.K); err != nil {
			t.Fatal(name, err)
		}
		for _, x := range c.DeltaAt {
			lo, hi := l.DeltaBounds(x[0])
			if x[1] < 1e-9 { // below the floating-point floor of both libraries
				if hi > 1e-8 {
					t.Errorf("%s: δ(%g) ≤ %.6g, dp_accounting says %.6g", name, x[0], hi, x[1])
				}
				continue
			}
			within(t, fmt.Sprintf("%s: δ(%g)", name, x[0]), hi, x[1], 1e-3)
			if lo > x[1]*(1+1e-9)+1e-12 {
				t.Errorf("%s: lower bound %.9g on δ(%g) above dp_accounting's upper bound %.9g", name, lo, x[0], x[1])
			}
		}
		for _, x := range c.EpsAt {
			lo, hi := l.EpsBounds(x[0])
			if x[1] == 0 {
				continue
			}
			within(t, fmt.Sprintf("%s: ε(%g)", name, x[0]), hi, x[1], 1e-3)
			worst = math.Max(worst, math.Abs(hi-x[1])/x[1])
			if lo > x[1]*(1+1e-9)+1e-9 {
				t.Errorf("%s: lower bound %.9g on ε(%g) above dp_accounting's upper bound %.9g", name, lo, x[0], x[1])
			}
		}
	}
	t.Logf("worst relative difference in ε: %.2g", worst)
}

func TestRDPAgreesWithDPAccounting(t *testing.T) {
	text, err := os.ReadFile("testdata/dp_accounting.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		RDP []struct {
			Law         string
			Scale, Q    float64
			K           int
			Orders, RDP []float64
			Eps         float64 `json:"eps_at_1e-5"`
		}
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.RDP) < 6 {
		t.Fatalf("only %d cases", len(f.RDP))
	}
	for _, c := range f.RDP {
		var r RDP
		switch c.Law {
		case "gaussian":
			r = GaussianRDP(1, c.Scale)
		case "laplace":
			r = LaplaceRDP(1, c.Scale)
		case "subsampled gaussian":
			if r, err = SubsampledGaussianRDP(c.Q, c.Scale); err != nil {
				t.Fatal(err)
			}
		}
		r = r.Times(c.K)
		at := map[float64]float64{}
		for i, a := range r.Orders {
			at[math.Round(a*100)/100] = r.Eps[i]
		}
		n := 0
		restricted := RDP{}
		for i, a := range c.Orders {
			if got, ok := at[a]; ok {
				n++
				within(t, fmt.Sprintf("%s k=%d RDP(%g)", c.Law, c.K, a), got, c.RDP[i], 1e-9)
				restricted.Orders = append(restricted.Orders, a)
				restricted.Eps = append(restricted.Eps, got)
			}
		}
		if n != len(c.Orders) {
			t.Errorf("%s: only %d of %d orders compared", c.Law, n, len(c.Orders))
		}
		e, _, err := restricted.ToDP(1e-5)
		if err != nil {
			t.Fatal(err)
		}
		within(t, fmt.Sprintf("%s k=%d ε", c.Law, c.K), e, c.Eps, 1e-3)
		if full, _, _ := r.ToDP(1e-5); full > e*(1+1e-12) {
			t.Errorf("more orders made ε worse: %v > %v", full, e)
		}
	}
}

// The brackets must hold the exact value where a closed form is known: k Gaussian releases are one of deviation σ/√k, and k
// randomised responses compose by OptimalDelta.
func TestPLDBoundsHoldTheTruth(t *testing.T) {
	for _, c := range []struct {
		sigma float64
		k     int
	}{{1, 1}, {2, 7}, {10, 300}, {30, 2000}} {
		l, err := GaussianPLD(1, c.sigma, 0)
		if err != nil {
			t.Fatal(err)
		}
		if l, err = l.Times(c.k); err != nil {
			t.Fatal(err)
		}
		mu := math.Sqrt(float64(c.k)) / c.sigma
		for _, e := range []float64{0, 0.1, 0.5, 1, 3} {
			lo, hi := l.DeltaBounds(e)
			if d := GDPDelta(mu, e); d < lo || d > hi {
				t.Errorf("σ=%v k=%d: δ(%v) = %.12g outside [%.12g, %.12g]", c.sigma, c.k, e, d, lo, hi)
			}
		}
		for _, d := range []float64{1e-3, 1e-6} {
			lo, hi := l.EpsBounds(d)
			e, _ := GDPEps(mu, d)
			if e < lo-1e-9 || e > hi+1e-9 {
				t.Errorf("σ=%v k=%d: ε(%v) = %.12g outside [%.12g, %.12g]", c.sigma, c.k, d, e, lo, hi)
			}
			within(t, "width of the bracket", hi, lo, 0.02)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		eps, delta := rapid.Float64Range(0.01, 1).Draw(rt, "eps"), rapid.SampledFrom([]float64{0, 1e-6, 1e-3}).Draw(rt, "delta")
		k := rapid.IntRange(1, 40).Draw(rt, "k")
		l, err := PurePLD(eps, delta, 1e-3)
		if err != nil {
			rt.Fatal(err)
		}
		if l, err = l.Times(k); err != nil {
			rt.Fatal(err)
		}
		e := rapid.Float64Range(0, float64(k)*eps).Draw(rt, "at")
		want, err := OptimalDelta(eps, delta, k, e)
		if err != nil {
			rt.Fatal(err)
		}
		lo, hi := l.DeltaBounds(e)
		if want < lo-1e-12 || want > hi+1e-12 {
			rt.Fatalf("δ = %.12g outside [%.12g, %.12g]", want, lo, hi)
		}
	})
}

func TestPLDPlus(t *testing.T) {
	a, _ := GaussianPLD(1, 3, 0)
	b, _ := GaussianPLD(1, 4, 3e-4)
	s, err := a.Plus(b)
	if err != nil {
		t.Fatal(err)
	}
	mu := math.Sqrt(1.0/9 + 1.0/16)
	for _, e := range []float64{0.1, 1} {
		lo, hi := s.DeltaBounds(e)
		if d := GDPDelta(mu, e); d < lo || d > hi || hi > d*1.001 {
			t.Errorf("δ(%v) = %.9g, bracket [%.9g, %.9g]", e, d, lo, hi)
		}
	}
}

func TestSubsampleAndGroup(t *testing.T) {
	e, d, err := Subsample(1, 1e-5, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "subsampled ε", e, math.Log(1+0.01*(math.E-1)), 1e-14)
	within(t, "subsampled δ", d, 1e-7, 1e-14)
	// The sampled law of randomised response obeys the amplification theorem with equality.
	l, _ := PurePLD(1, 0, 0)
	s, err := l.Subsample(0.01)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Eps(1e-12); got > e+2e-4 || got < e*0.999 {
		t.Errorf("ε of sampled randomised response %v, theorem %v", got, e)
	}
	ge, gd, err := GroupPrivacy(0.5, 1e-6, 3)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "group ε", ge, 1.5, 1e-14)
	within(t, "group δ", gd, 1e-6*(math.Exp(1.5)-1)/(math.Exp(0.5)-1), 1e-12)
	for _, bad := range []func() error{
		func() error { _, _, err := Subsample(1, 0, 2); return err },
		func() error { _, _, err := GroupPrivacy(-1, 0, 2); return err },
		func() error { _, _, err := AdvancedComposition(1, 0, 0, 0.1); return err },
		func() error { _, err := OptimalEps(1, 0.1, 10, 1e-9); return err },
		func() error { _, err := LaplacePLD(1, 0, 0); return err },
		func() error { _, err := DiscretePLD([]float64{1}, []float64{0.5}, 0); return err },
		func() error { _, _, err := GaussianRDP(1, 1).ToDP(0); return err },
	} {
		if bad() == nil {
			t.Error("a senseless argument was accepted")
		}
	}
}

func TestTradeOffs(t *testing.T) {
	g := GaussianTradeOff(1)
	within(t, "Beta(0.05)", g.Beta(0.05), 0.7404889771585455, 1e-10) // Φ(1.644854 − 1)
	for _, e := range []float64{0, 0.5, 2} {
		within(t, "δ from the curve", g.Delta(e), GDPDelta(1, e), 1e-8)
	}
	p := PureTradeOff(1, 0.01)
	within(t, "δ of a pure curve at its ε", p.Delta(1), 0.01, 1e-6)
	within(t, "δ above", p.Delta(2), 0.01, 1e-6)
	l, _ := GaussianPLD(1, 1, 0)
	c := l.TradeOff()
	eps := make([]float64, 400)
	for i := range eps {
		eps[i] = float64(i) * 0.02
	}
	of := TradeOffOf("profile", func(e float64) float64 { return GDPDelta(1, e) }, eps)
	for _, a := range []float64{1e-4, 0.01, 0.2, 0.7} {
		for _, x := range []TradeOff{c, of} {
			if b := x.Beta(a); b > g.Beta(a)+1e-9 || b < g.Beta(a)-2e-4 {
				t.Errorf("%s: Beta(%v) = %v, exact %v", x.Name, a, b, g.Beta(a))
			}
		}
	}
}

func BenchmarkPLDCompose1000Gaussians(b *testing.B) {
	for range b.N {
		l, _ := GaussianPLD(1, 20, 0)
		l, _ = l.Times(1000)
		if l.Eps(1e-6) < 1 {
			b.Fatal("impossible")
		}
	}
}

// Published values: Abadi et al. 2016 (Deep learning with differential privacy, section 3.2) report ε = 1.26 at δ = 1e-5 for q = 0.01, σ = 4 and
// 10,000 steps by the moments accountant, whose tail bound is the older conversion from Rényi divergence.
func TestPublishedMomentsAccountant(t *testing.T) {
	r, err := SubsampledGaussianRDP(0.01, 4)
	if err != nil {
		t.Fatal(err)
	}
	r = r.Times(10000)
	best := math.Inf(1)
	for i, a := range r.Orders {
		if a == math.Trunc(a) { // the moments accountant uses integer moments
			best = math.Min(best, RDPToDPMironov(a, r.Eps[i], 1e-5))
		}
	}
	within(t, "moments accountant", best, 1.26, 0.005)
	cks, _, err := r.ToDP(1e-5)
	if err != nil || cks >= best {
		t.Errorf("the newer conversion gives %v (%v)", cks, err)
	}
	g, _ := GaussianPLD(1, 4, 0)
	s, err := g.Subsample(0.01)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Times(10000); err != nil {
		t.Fatal(err)
	}
	lo, hi := s.EpsBounds(1e-5)
	t.Logf("moments %.4f, Rényi %.4f, privacy-loss distribution [%.4f, %.4f]", best, cks, lo, hi)
	if hi >= cks || lo > hi {
		t.Errorf("the exact law [%v, %v] is not better than Rényi %v", lo, hi, cks)
	}
}
