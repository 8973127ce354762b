package dp

import (
	"math"
	"strings"
	"testing"
)

func TestMembershipInference(t *testing.T) {
	d := gridData(t, 5)
	// A count with Laplace noise attains the limit: replacing the first row's label changes it by 1.
	m := Laplace{Eps: 1, Query: func(d *Data) []float64 { return []float64{positives(d)} }}
	r, err := MembershipInference{Row: 0, Other: d.Row(0), Label: -d.Label(0), Trials: 20000, Rand: Seed(1)}.Run(m, d)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "limit of the advantage", r.LimitAdvant, math.Tanh(0.5), 1e-12)
	// The exact advantage of Laplace noise is 1 − e^{−1/2}; its standard error here is about 0.005.
	if want := 1 - math.Exp(-0.5); math.Abs(r.Advantage-want) > 0.03 {
		t.Errorf("advantage %v, want %v", r.Advantage, want)
	}
	if r.Exceeds() || r.AUC > r.LimitAUC+r.Band || !strings.Contains(r.Attacker, "exact") {
		t.Errorf("%v", r)
	}
	// AUC limit of pure ε-DP: the area under min(e^ε x, 1 − e^{−ε}(1−x)) is 1 − (2+e^ε−1)/(2(1+e^ε))… = e^ε/(1+e^ε) + … checked by the corner:
	// the curve is two segments meeting at x = 1/(1+e^ε), height e^ε/(1+e^ε).
	x := 1 / (1 + math.E)
	within(t, "limit AUC", r.LimitAUC, x*(1-x)/2+(1-x)*(1-x+1)/2, 1e-6)

	// Without a density the attacker learns; with half the noise the limit is broken.
	broken := Claimed{Name: "broken", Eps: 0.5, Run: func(d *Data, src *Source) []float64 { return []float64{positives(d) + laplace(src, 0.3), src.Norm()} }}
	r, err = MembershipInference{Row: 0, Other: d.Row(0), Label: -d.Label(0), Trials: 4000, Rand: Seed(2)}.Run(broken, d)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Exceeds() || !strings.Contains(r.Attacker, "learned") || !strings.Contains(r.Markdown(), "claim is false") {
		t.Errorf("%v", r.Markdown())
	}
	// No information, no advantage.
	r, err = MembershipInference{Row: 0, Trials: 4000, Rand: Seed(3)}.Run(Claimed{Name: "noise", Eps: 0, Run: func(d *Data, src *Source) []float64 { return []float64{src.Norm()} }}, d)
	if err != nil || math.Abs(r.AUC-0.5) > 0.05 || r.Exceeds() {
		t.Errorf("%v %v", r, err)
	}
	for _, bad := range []MembershipInference{{Row: 9}, {Row: -1}, {Trials: 3}, {Other: []float64{1}}} {
		if _, err := bad.Run(m, d); err == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
}

func TestAreaUnder(t *testing.T) {
	within(t, "ties", areaUnder([]float64{1, 2}, []float64{1, 0}), (0.5+1+1+1)/4, 1e-15)
	f, p := curve([]float64{3, 2}, []float64{2, 1})
	for i := 1; i < len(f); i++ {
		if f[i] < f[i-1] || p[i] < p[i-1] {
			t.Errorf("curve falls: %v %v", f, p)
		}
	}
}

// The attack on a trained model: the row's own influence, far below the limit.
func TestMembershipInferenceOnTraining(t *testing.T) {
	d := gridData(t, 40)
	r, err := MembershipInference{Row: 0, Trials: 300, Rand: Seed(4)}.Run(ObjectivePerturbation{Eps: 1, Lambda: 0.05, Loss: Huber(0.5)}, d)
	if err != nil {
		t.Fatal(err)
	}
	if r.Exceeds() || !strings.Contains(r.Attacker, "exact") {
		t.Errorf("%v", r)
	}
}
