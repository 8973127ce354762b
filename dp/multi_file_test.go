package dp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestGaussianFile(t *testing.T) {
	d := Shells(200, 2, 3, 0, Seed(1))
	m := must(PrivateLargeMargin{Eps: 2, Lambda: 0.05, Mode: DiagGaussian, Rand: Seed(1)}.Train(d))
	path := filepath.Join(t.TempDir(), "model.json")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := LoadGaussian(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Len() {
		if back.PredictClass(d.Row(i)) != m.PredictClass(d.Row(i)) {
			t.Fatalf("row %d is predicted differently after a round trip", i)
		}
	}
	if back.Guarantee.String() != m.Guarantee.String() {
		t.Errorf("guarantee changed:\n%s\n%s", back.Guarantee, m.Guarantee)
	}
	if _, err := LoadGaussian(path + "x"); err == nil {
		t.Error("a missing file was loaded")
	}
}

func gaussianText() string {
	m := must(LargeMargin{}.Train(Shells(60, 1, 2, 0, Seed(1))))
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestGaussianFileRefusals(t *testing.T) {
	good := gaussianText()
	for name, edit := range map[string][2]string{
		"format":    {"godp gaussian model", "godp model"},
		"version":   {`"version":1`, `"version":9`},
		"guarantee": {`"guarantee"`, `"guaranty"`},
		"dim":       {`"dim":1`, `"dim":2`},
		"tau":       {`"tau":0.5`, `"tau":0`},
		"mode":      {`"mode":"full"`, `"mode":"odd"`},
		"classes":   {`"class_of_component":[0,1]`, `"class_of_component":[0,0]`},
		"range":     {`"class_of_component":[0,1]`, `"class_of_component":[0,7]`},
		"binary":    {`"shift"`, `"binary":true,"classes":["a","b","c"],"shift"`},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing to replace in %s", name, good)
		}
		if err := new(GaussianModel).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s: accepted %s", name, bad)
		}
	}
}

// A stored model that is accepted can be used and stored again.
func FuzzGaussianModel(f *testing.F) {
	f.Add(gaussianText())
	f.Fuzz(func(t *testing.T, text string) {
		m := new(GaussianModel)
		if m.UnmarshalJSON([]byte(text)) != nil || m.Dim > 100 {
			return
		}
		m.PredictClass(make([]float64, m.Dim))
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(GaussianModel).UnmarshalJSON(out); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	})
}
