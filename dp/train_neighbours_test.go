package dp

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// addRemoveTrainers are the trainers that can protect the number of rows.
func addRemoveTrainers() map[string]Trainer {
	return map[string]Trainer{
		"objective":           ObjectivePerturbation{Eps: 0.8, Neighbours: AddRemove},
		"objective, SumReg":   ObjectivePerturbation{Eps: 0.8, SumReg: 3, Neighbours: AddRemove},
		"objective, logistic": ObjectivePerturbation{Eps: 0.8, Loss: Logistic(), Neighbours: AddRemove},
		"objective, smooth":   ObjectivePerturbation{Eps: 0.8, Loss: SmoothHinge(0.5), Neighbours: AddRemove},
		"objective, L1":       ObjectivePerturbation{Eps: 0.8, Reg: L1(0.3), Neighbours: AddRemove},
		"output":              OutputPerturbation{Eps: 0.8, SumReg: 3, Neighbours: AddRemove},
		"output, hinge":       OutputPerturbation{Eps: 0.8, SumReg: 3, Loss: Hinge(), Neighbours: AddRemove},
		"Gaussian output":     GaussianOutputPerturbation{Eps: 0.8, Delta: 1e-5, SumReg: 3, Neighbours: AddRemove},
		"Gaussian objective":  GaussianObjectivePerturbation{Eps: 0.8, Delta: 1e-5, Neighbours: AddRemove},
		"grid":                GridPerturbation{Eps: 0.8, SumReg: 3, Neighbours: AddRemove},
		"grid, Gaussian":      GridPerturbation{Rho: 0.1, SumReg: 3, Neighbours: AddRemove},
	}
}

// Under add/remove the number of rows must not show anywhere: the claim, the guarantee and the public parameters of models
// trained on n and n−1 rows are equal, and both say add/remove.
func TestAddRemoveHidesTheNumberOfRows(t *testing.T) {
	d := toy(t, 400, 3, 7)
	less := d.Subset(seq(399))
	for name, tr := range addRemoveTrainers() {
		a, err := tr.Train(d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := tr.Train(less)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ja, _ := json.Marshal(a.Guarantee)
		jb, _ := json.Marshal(b.Guarantee)
		if string(ja) != string(jb) || a.Guarantee.Neighbours != AddRemove {
			t.Errorf("%s: guarantees differ or are not add/remove:\n%s\n%s", name, ja, jb)
		}
		if !reflect.DeepEqual(a.Params, b.Params) {
			t.Errorf("%s: public parameters tell n: %v, %v", name, a.Params, b.Params)
		}
		for _, key := range []string{"n", "Lambda", "Extra"} {
			if _, ok := a.Params[key]; ok {
				t.Errorf("%s: the parameter %s does not belong here: %v", name, key, slices.Sorted(maps.Keys(a.Params)))
			}
		}
		if c, err := tr.Claim(less); err != nil || !reflect.DeepEqual(mustJSON(t, c), string(ja)) {
			t.Errorf("%s: claim %v, %v", name, c, err)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// The exact loss over searched pairs (candidates and random changes) stays within ε, whichever trainer, and the levels of the tight ones
// are reached.
func TestAddRemoveExactLoss(t *testing.T) {
	like := toy(t, 8, 1, 3)
	for name, tr := range addRemoveTrainers() {
		if strings.HasPrefix(name, "grid") || name == "objective, L1" || strings.HasPrefix(name, "Gaussian") {
			continue // no density, or an (ε, δ) claim: below
		}
		w, err := WorstPair(tr, like, 200, Seed(5))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w.Pair.D0.Len() != w.Pair.D1.Len()+1 {
			t.Fatalf("%s: the pair has %d and %d rows", name, w.Pair.D0.Len(), w.Pair.D1.Len())
		}
		t.Logf("%-22s loss %.5f", name, w.Eps)
		if w.Eps > 0.8 {
			t.Errorf("%s: loss %g above 0.8: %s", name, w.Eps, w)
		}
		if least := map[string]float64{"objective": 0.79, "objective, SumReg": 0.79, "output": 0.799}[name]; w.Eps < least {
			t.Errorf("%s: loss %g; it should come near 0.8", name, w.Eps)
		}
	}
	for _, name := range []string{"Gaussian output", "Gaussian objective"} {
		d0, d1 := extremePair(t, 8, AddRemove)
		l, err := ExactLoss(addRemoveTrainers()[name], d0, d1)
		if err != nil {
			t.Fatal(err)
		}
		if lo, _, err := l.Delta(0.8); err != nil || lo > 1e-5 {
			t.Errorf("%s: δ(0.8) at least %g, %v", name, lo, err)
		}
	}
}

// The minimisers of neighbours under add/remove are LR/a apart at most, and in the linear zone exactly.
func TestAddRemoveSensitivityTight(t *testing.T) {
	rows, y := [][]float64{{1}, {-1}, {1}}, []float64{1, 1, 1}
	d, err := NewData(rows, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(d *Data) float64 {
		f, err := outputMinimiser(t.Context(), "test", d, Huber(0.5), sumForm{neighbours: AddRemove, a: 4, rows: privateRows}, Regulariser{})
		if err != nil {
			t.Fatal(err)
		}
		return f[0]
	}
	if got := fit(d) - fit(d.Subset([]int{0, 1})); math.Abs(got-0.25) > 1e-8 {
		t.Errorf("the minimisers are %g apart, want 1/4", got)
	}
}

// The audit, which knows nothing of the theory, does not refute the true claim and refutes replace-one noise halved again.
// False alarm with probability at most 0.001 (the audit's confidence).
func TestAddRemoveAudit(t *testing.T) {
	d0, d1 := extremePair(t, 3, AddRemove)
	samples := 20_000
	if testing.Short() {
		samples = 4_000
	}
	m := ObjectivePerturbation{Eps: 1, SumReg: 1.5, Neighbours: AddRemove}
	r, err := Audit{Samples: samples, Confidence: 0.999, Rand: Seed(3)}.Run(m, d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Refuted || r.EpsLower < 0.1 {
		t.Errorf("true claim: %s", r)
	}
	broken := Claimed{Name: "half the noise", Eps: 1, Neighbours: AddRemove, Run: func(d *Data, src *Source) []float64 {
		p, err := m.Params(d.Len(), 1)
		if err != nil {
			panic(err)
		}
		out, err := PerturbedObjective{Kappa: 3 * p.Kappa, Reg: p.A}.Release(d, src)
		if err != nil {
			panic(err)
		}
		return out
	}}
	if r, err = (Audit{Samples: samples, Confidence: 0.999, Rand: Seed(4)}).Run(broken, d0, d1); err != nil || !r.Refuted {
		t.Errorf("a third of the noise was not found: %v, %v", r, err)
	}
}

func TestAddRemoveRefuses(t *testing.T) {
	d := toy(t, 50, 2, 1)
	for _, c := range []struct {
		name, want string
		m          Mechanism
	}{
		{"mean form", "nΛ would tell it", ObjectivePerturbation{Eps: 1, Lambda: 0.1, Neighbours: AddRemove}},
		{"mean form, output", "nΛ would tell it", OutputPerturbation{Eps: 1, Lambda: 0.1, Neighbours: AddRemove}},
		{"both", "set either Lambda", ObjectivePerturbation{Eps: 1, Lambda: 0.1, SumReg: 3}},
		{"no regularisation", "SumReg", OutputPerturbation{Eps: 1, Neighbours: AddRemove}},
		{"negative", "SumReg", ObjectivePerturbation{Eps: 1, SumReg: -1, Neighbours: AddRemove}},
		{"infinite", "SumReg", GridPerturbation{Eps: 1, SumReg: math.Inf(1), Neighbours: AddRemove}},
		{"NaN", "SumReg", GaussianOutputPerturbation{Eps: 1, Delta: 1e-5, SumReg: math.NaN()}},
		{"published", "replace-one", ObjectivePerturbation{Eps: 1, SumReg: 3, Variant: JMLR2011, Neighbours: AddRemove}},
		{"unknown", "must be dp.ReplaceOne or dp.AddRemove", ObjectivePerturbation{Eps: 1, Neighbours: "swap"}},
		{"tuning on parts", "dp.ReplaceOne only", PrivateTuning{Candidates: []Trainer{ObjectivePerturbation{Eps: 1, Neighbours: AddRemove}}}},
	} {
		if _, err := c.m.Release(d, Seed(1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// SumReg is another way to write nΛ under replace-one.
func TestSumRegIsNLambda(t *testing.T) {
	d := toy(t, 64, 3, 1)
	a, err := ObjectivePerturbation{Eps: 1, Lambda: 0.125, Rand: Seed(1)}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ObjectivePerturbation{Eps: 1, SumReg: 8, Rand: Seed(1)}.Train(d)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Weights, b.Weights) {
		t.Errorf("%v and %v", a.Weights, b.Weights)
	}
}
