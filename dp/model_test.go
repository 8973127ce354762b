package dp

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func TestModelRoundTrip(t *testing.T) {
	g := noGuarantee("test")
	g.Assumptions = []Assumption{{"rows in the ball", Enforced, "clipped"}}
	g.Leaks = []string{"x"}
	m := &Model{Weights: []float64{1, -2.5, 1e-300}, Guarantee: g, LossName: "logistic", Params: map[string]float64{"Lambda": 0.1, "none": math.NaN()},
		Features: []string{"a", "b"}, Map: Intercept{Dim: 2, Radius: 1}}
	path := filepath.Join(t.TempDir(), "m.json")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := LoadModel(path)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.3, 0.4}
	if got.Score(x) != m.Score(x) || got.Map != m.Map || !math.IsInf(got.Guarantee.Eps, 1) || !math.IsNaN(got.Guarantee.Rho) ||
		got.Guarantee.String() != g.String() || got.Params["Lambda"] != 0.1 || !math.IsNaN(got.Params["none"]) {
		t.Errorf("read back %v, want %v", got, m)
	}
	want := (0.3 - 2.5*0.4 + 1e-300) * math.Sqrt2 / 2
	if math.Abs(m.Score(x)-want) > 1e-15 {
		t.Errorf("score %g, want %g", m.Score(x), want)
	}
}

func TestModelRefusesBadFiles(t *testing.T) {
	good, err := json.Marshal(&Model{Weights: []float64{1}, Guarantee: noGuarantee("x")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"godp model"`, `"other"`, "format"},
		{`"version":1`, `"version":2`, "version 2"},
		{`"weights":[1]`, `"weights":[]`, "no weights"},
		{`"weights":[1]`, `"weights":[null]`, "not a finite"},
		{`"guarantee":{`, `"other":{`, "no guarantee"},
		{`"eps":"+Inf"`, `"eps":null`, "eps"},
		{`"eps":"+Inf"`, `"eps":-1`, "eps"},
		{`"loss":""`, `"loss":"","map_kind":"magic"`, "unknown feature map"},
		{`"loss":""`, `"loss":"","map_kind":"intercept","map":{"dim":4,"radius":1}`, "coordinates"},
	} {
		text := strings.Replace(string(good), c.old, c.new, 1)
		if text == string(good) {
			t.Fatalf("%s does not occur in %s", c.old, good)
		}
		var m Model
		if err := json.Unmarshal([]byte(text), &m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", text, err, c.want)
		}
	}
}

func FuzzModelJSON(f *testing.F) {
	good, _ := json.Marshal(&Model{Weights: []float64{1, 2}, Guarantee: noGuarantee("x"), Map: Intercept{Dim: 1, Radius: 1}})
	f.Add(good)
	f.Add([]byte(`{"format":"godp model","version":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m Model
		if json.Unmarshal(text, &m) != nil {
			return
		}
		again, err := json.Marshal(&m)
		if err != nil {
			t.Fatalf("a model that was read cannot be written: %v", err)
		}
		var m2 Model
		if err := json.Unmarshal(again, &m2); err != nil {
			t.Fatalf("a model that was written cannot be read: %v", err)
		}
	})
}

func TestGuaranteeSaysWhatMatters(t *testing.T) {
	g := Guarantee{Eps: 0.5, Rho: math.NaN(), ClaimedEps: math.NaN(), Certificate: 1e-9, Neighbours: ReplaceOne}
	if !g.Private() || !strings.Contains(g.String(), "0.5-differential privacy") {
		t.Errorf("plain guarantee: %s", g)
	}
	seeded := g
	seeded.Seeded = true
	leaky := g
	leaky.Leaks = []string{"standardised"}
	broken := g
	broken.Assumptions = []Assumption{{"rows bounded", Violated, ""}}
	claimed := g
	claimed.ClaimedEps = 0.2
	for _, c := range []struct {
		g       Guarantee
		private bool
		want    string
	}{{seeded, false, "seeded: not private"}, {leaky, false, "leak: standardised"}, {broken, false, "violated"}, {claimed, true, "claims ε = 0.2; the true level is ε = 0.5"}, {noGuarantee("x"), false, "no differential privacy"}} {
		if c.g.Private() != c.private || !strings.Contains(c.g.String(), c.want) || !strings.Contains(c.g.Markdown(), c.want) {
			t.Errorf("want %q, private %v in:\n%s\n%s", c.want, c.private, c.g, c.g.Markdown())
		}
	}
}
