package dp

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// oracleRP is one vector of testdata/oracles_rp.json: numbers computed by
// independent Python programs for Rubinstein et al. (R..) and Pathak–Raj (P..).
type oracleRP struct {
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Inputs  map[string]any `json:"inputs"`
	Outputs map[string]any `json:"outputs"`
	Tol     float64        `json:"tol"`
	t       *testing.T
	used    map[string]bool
}

var oraclesUsedRP = map[string]bool{}

func rpOracle(t *testing.T, id string) *oracleRP {
	t.Helper()
	raw, err := os.ReadFile("testdata/oracles_rp.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Vectors []*oracleRP `json:"vectors"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	for _, v := range f.Vectors {
		if v.ID == id {
			v.t, v.used = t, map[string]bool{}
			t.Cleanup(func() { // every stored output must have been looked at
				for k := range v.Outputs {
					if !v.used[k] {
						t.Errorf("%s (%s): output %q never compared", v.ID, v.Name, k)
					}
				}
			})
			return v
		}
	}
	t.Fatalf("no oracle %s", id)
	return nil
}

func rpNumber(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case string:
		if v == "Infinity" {
			return math.Inf(1)
		}
	}
	return math.NaN()
}

// in returns an input number.
func (o *oracleRP) in(k string) float64 {
	o.t.Helper()
	x := rpNumber(o.Inputs[k])
	if math.IsNaN(x) {
		o.t.Fatalf("%s: no input %q", o.ID, k)
	}
	return x
}

func flatten(v any) []float64 {
	if l, ok := v.([]any); ok {
		var out []float64
		for _, e := range l {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return []float64{rpNumber(v)}
}

// list returns an input list, flattened.
func (o *oracleRP) list(k string) []float64 { return flatten(o.Inputs[k]) }

// matrix returns an input list of lists.
func (o *oracleRP) matrix(k string) [][]float64 {
	var out [][]float64
	for _, r := range o.Inputs[k].([]any) {
		out = append(out, flatten(r))
	}
	return out
}

// want compares got with output k, to the vector's tolerance.
func (o *oracleRP) want(k string, got ...float64) {
	o.t.Helper()
	o.wantTol(k, o.Tol, got...)
}

func (o *oracleRP) wantTol(k string, tol float64, got ...float64) {
	o.t.Helper()
	v, ok := o.Outputs[k]
	if !ok {
		o.t.Fatalf("%s: no output %q", o.ID, k)
	}
	o.used[k] = true
	exp := flatten(v)
	if len(exp) != len(got) {
		o.t.Errorf("%s %s: got %d numbers, want %d", o.ID, k, len(got), len(exp))
		return
	}
	for i, e := range exp {
		if err := close2(got[i], e, tol); err != nil {
			o.t.Errorf("%s (%s) %s[%d]: %v", o.ID, o.Name, k, i, err)
		}
	}
}

func (o *oracleRP) skip(k string) { o.used[k] = true }

func close2(got, want, tol float64) error {
	if got == want || math.Abs(got-want) <= tol*math.Max(1e-3, math.Abs(want)) {
		return nil
	}
	return fmt.Errorf("got %.15g, want %.15g (off by %.3g, tolerance %g)", got, want, got-want, tol)
}
