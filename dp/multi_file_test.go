package dp

import (
	"encoding/json"
	"math"
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

// Softmax and one-vs-rest models come back as they were: same decisions, same guarantee, feature map and ±1 labels included.
func TestLinearClassFiles(t *testing.T) {
	three := Shells(300, 2, 3, 0, Seed(1))
	two := NestedBalls(300, 2, Seed(2))
	feat := must(RandomFeatures{Kernel: RBF(0.5), Count: 20, Rand: Seed(3)}.Map(2))
	fit := func(eps float64, d *Data) (*Model, error) {
		return ObjectivePerturbation{Eps: eps, Lambda: 0.1, Rand: Seed(4)}.Train(d)
	}
	dir := t.TempDir()
	for name, d := range map[string]*Data{"classes": three, "labels": two, "mapped": must(feat.Transform(three))} {
		raw := three
		if name == "labels" {
			raw = two
		}
		soft := must(SoftmaxRegression{Eps: 2, Lambda: 0.05, Rand: Seed(1)}.Train(d))
		ovr := must(OneVsRest{Eps: 2, Fit: fit}.Train(d))
		a, b := filepath.Join(dir, name+"-softmax.json"), filepath.Join(dir, name+"-ovr.json")
		if err := soft.Save(a); err != nil {
			t.Fatal(err)
		}
		if err := ovr.Save(b); err != nil {
			t.Fatal(err)
		}
		softBack, ovrBack := must(LoadSoftmax(a)), must(LoadOneVsRest(b))
		for i := range 100 {
			x := raw.Row(i)
			if softBack.Predict(x) != soft.Predict(x) || ovrBack.Predict(x) != ovr.Predict(x) {
				t.Fatalf("%s: row %d is predicted differently after a round trip", name, i)
			}
		}
		if softBack.Guarantee.String() != soft.Guarantee.String() || ovrBack.Guarantee.String() != ovr.Guarantee.String() {
			t.Errorf("%s: a guarantee changed", name)
		}
	}
	if m, err := LoadSoftmax(filepath.Join(dir, "none")); err == nil || m != nil {
		t.Error("a missing file was loaded")
	}
	if _, err := LoadOneVsRest(filepath.Join(dir, "classes-softmax.json")); err == nil || !strings.Contains(err.Error(), "format is") {
		t.Errorf("another kind of model: %v", err)
	}
}

func softmaxText() string {
	return stored(must(SoftmaxRegression{Eps: 1, Rand: Seed(1)}.Train(Shells(60, 1, 3, 0, Seed(1)))))
}

func ovrText() string {
	return stored(must(OneVsRest{Eps: 1, Fit: func(eps float64, d *Data) (*Model, error) {
		return OutputPerturbation{Eps: eps, Lambda: 0.1, Rand: Seed(1)}.Train(d)
	}}.Train(Shells(60, 1, 3, 0, Seed(1)))))
}

func stored(m json.Marshaler) string {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestLinearClassFileRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		into  json.Unmarshaler
		edits [][2]string
	}{
		"softmax": {softmaxText(), new(SoftmaxModel), [][2]string{{"godp softmax", "godp"}, {`"version":1`, `"version":0`}, {`"guarantee"`, `"g"`}, {`"weights":[`, `"weights":[[1],`},
			{`"weights":[[`, `"weights":[[1,`}, {`"classes":[`, `"binary":true,"classes":[`}, {`"weights"`, `"map_kind":"odd","weights"`}, {`"weights":`, `"weights":[[],[],[]],"w":`}}},
		"one-vs-rest": {ovrText(), new(OneVsRestModel), [][2]string{{"godp one", "godp"}, {`"version":1`, `"version":2`}, {`"guarantee"`, `"g"`}, {`"models":[`, `"models":[null,`},
			{`"models":`, `"models":[null,null,null],"m":`}, {`"eps":1`, `"eps":0.5`}, {`"weights":[`, `"weights":[0.5,`}}},
	} {
		if err := c.into.UnmarshalJSON([]byte(c.text)); err != nil {
			t.Fatal(err)
		}
		for _, e := range c.edits {
			bad := strings.Replace(c.text, e[0], e[1], 1)
			if bad == c.text {
				t.Fatalf("%s: no %s in %s", name, e[0], c.text)
			}
			if err := c.into.UnmarshalJSON([]byte(bad)); err == nil {
				t.Errorf("%s: accepted with %s for %s", name, e[1], e[0])
			}
		}
	}
}

// A private model carries only what was released: not how long the solver took, nor the value of the objective.
func TestPrivateModelCarriesOnlyTheRelease(t *testing.T) {
	d := Shells(200, 2, 3, 0, Seed(1))
	for _, method := range []GaussianMethod{GaugeObjective, GaussianOutput} {
		m := must(PrivateLargeMargin{Eps: 2, Lambda: 0.05, Method: method, Rand: Seed(1)}.Train(d))
		f := must(PrivateLargeMargin{Eps: 2, Lambda: 0.05, Method: method}.Facts(d))
		if m.Iterations != 0 || !math.IsNaN(m.Objective) || m.Gradient != f.GradTol {
			t.Errorf("%s: iterations %d, objective %v, gradient norm %v instead of the public %v", method, m.Iterations, m.Objective, m.Gradient, f.GradTol)
		}
	}
}

func FuzzSoftmaxModel(f *testing.F) {
	f.Add(softmaxText())
	f.Fuzz(func(t *testing.T, text string) { again(t, new(SoftmaxModel), new(SoftmaxModel), text) })
}

func FuzzOneVsRestModel(f *testing.F) {
	f.Add(ovrText())
	f.Fuzz(func(t *testing.T, text string) { again(t, new(OneVsRestModel), new(OneVsRestModel), text) })
}

// again stores what was accepted and reads it once more.
func again(t *testing.T, a, b interface {
	json.Marshaler
	json.Unmarshaler
}, text string) {
	if a.UnmarshalJSON([]byte(text)) != nil {
		return
	}
	out, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.UnmarshalJSON(out); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
