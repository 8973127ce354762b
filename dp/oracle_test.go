package dp

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// oracle is one vector of testdata/oracles_erm.json: values computed with 50-digit arithmetic, independently of this code.
type oracle struct {
	ID      string
	Fn      string
	Inputs  map[string]any
	Outputs map[string]any
}

// num returns an input as a float64, NaN when it is null or absent.
func (o oracle) num(name string) float64 { return oracleNumber(o.Inputs[name]) }

// out returns an output as a float64, NaN when it is null or absent.
func (o oracle) out(name string) float64 { return oracleNumber(o.Outputs[name]) }

func oracleNumber(v any) float64 {
	if f, ok := v.(float64); ok {
		return f
	}
	return math.NaN()
}

func oracleNumbers(v any) []float64 {
	list, _ := v.([]any)
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = oracleNumber(x)
	}
	return out
}

// oracles returns all vectors of a function, and fails when there are none.
func oracles(t testing.TB, fn string) []oracle {
	t.Helper()
	text, err := os.ReadFile("testdata/oracles_erm.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []oracle }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var out []oracle
	for _, v := range file.Vectors {
		if v.Fn == fn {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no oracle vectors for %q", fn)
	}
	return out
}

// near fails unless got equals want to the given relative tolerance (absolute 1e-300 besides, for underflow).
func near(t testing.TB, id string, got, want, rel float64) {
	t.Helper()
	if math.Abs(got-want) <= rel*math.Abs(want)+1e-300 || got == want {
		return
	}
	t.Errorf("%s: got %.17g, want %.17g", id, got, want)
}
