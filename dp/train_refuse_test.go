package dp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// everyTrainer lists a valid value of each trainer that takes noise, drawing from src and charging l.
func everyTrainer(src *Source, l *Ledger) []any {
	candidate := ObjectivePerturbation{Eps: 0.4, Lambda: 0.1}
	return []any{
		ObjectivePerturbation{Eps: 0.5, Lambda: 0.1, Rand: src, Ledger: l},
		ObjectivePerturbation{Eps: 0.5, Rand: src, Ledger: l, Neighbours: AddRemove},
		OutputPerturbation{Eps: 0.5, Lambda: 0.1, Rand: src, Ledger: l},
		GaussianObjectivePerturbation{Eps: 0.5, Delta: 1e-6, Lambda: 0.1, Rand: src, Ledger: l},
		GaussianOutputPerturbation{Eps: 0.5, Delta: 1e-6, Lambda: 0.1, Rand: src, Ledger: l},
		ApproximateMinima{Eps: 0.5, Delta: 1e-6, Rand: src, Ledger: l},
		GridPerturbation{Eps: 0.5, Lambda: 0.1, Rand: src, Ledger: l},
		KernelMachine{Features: RandomFeatures{Kernel: RBF(1), Count: 4, Rand: src}, Trainer: ObjectivePerturbation{Eps: 0.5, Rand: src, Ledger: l}},
		PrivateTuning{Candidates: []Trainer{candidate}, Eps: 0.5, Rand: src, Ledger: l},
		BestOf{Candidates: []Trainer{candidate}, ScoreEps: 0.5, Rand: src, Ledger: l},
		ClassTuning{Candidates: []ClassifierTrainer{ModelTrainer{candidate}}, Eps: 0.5, Rand: src, Ledger: l},
		ClassBestOf{Candidates: []ClassifierTrainer{ModelTrainer{candidate}}, ScoreEps: 0.5, Rand: src, Ledger: l},
		PrivateLargeMargin{Eps: 0.5, Lambda: 0.1, Rand: src, Ledger: l},
		SoftmaxRegression{Eps: 0.5, Lambda: 0.1, Rand: src, Ledger: l},
	}
}

// trainAny trains whatever it is.
func trainAny(ctx context.Context, t any, d *Data) error {
	switch t := t.(type) {
	case ClassTuning:
		_, err := t.RunContext(ctx, d)
		return err
	case ClassBestOf:
		_, err := t.RunContext(ctx, d)
		return err
	case Trainer:
		_, err := t.TrainContext(ctx, d)
		return err
	case ClassifierTrainer:
		_, err := t.TrainClassifier(ctx, d)
		return err
	}
	return fmt.Errorf("no way to train a %T", t)
}

// with is a copy of the trainer (or of the trainer inside a KernelMachine) with a field changed; ok is false when it has no such field.
func with(t any, field string, value any) (any, bool) {
	if k, is := t.(KernelMachine); is {
		inner, ok := with(k.Trainer, field, value)
		if ok {
			k.Trainer = inner.(Trainer)
		}
		return k, ok
	}
	v := reflect.New(reflect.TypeOf(t)).Elem()
	v.Set(reflect.ValueOf(t))
	f := v.FieldByName(field)
	if !f.IsValid() || f.Type() != reflect.TypeOf(value) {
		return nil, false
	}
	f.Set(reflect.ValueOf(value))
	return v.Interface(), true
}

// Every trainer refuses every bad argument with an error that names it, before it charges the ledger or draws a number.
func TestEveryTrainerRefusesBadInput(t *testing.T) {
	d := toy(t, 40, 2, 1)
	nan, inf := math.NaN(), math.Inf(1)
	falseLoss := Huber(0.5)
	falseLoss.C = 0.1
	concave := Loss{Name: "concave", L: 1, C: 1, Value: func(z float64) float64 { return -z * z }, Grad: func(z float64) float64 { return -2 * z }, Hess: func(float64) float64 { return -2 }}
	smoothOnly := map[string]bool{"ObjectivePerturbation": true, "GaussianObjectivePerturbation": true, "ApproximateMinima": true, "KernelMachine": true}
	type bad struct {
		field string
		value any
		want  string
		only  func(name string) bool
	}
	var cases []bad
	for _, v := range []float64{-1, nan, inf, 0} {
		cases = append(cases, bad{"Eps", v, "Eps = " + fmt.Sprint(v), func(name string) bool {
			// 0 means a default for the choices, and two multiclass trainers are not private at +Inf on purpose.
			return !(v == 0 && strings.Contains(name, "Tuning")) && !(math.IsInf(v, 1) && name == "SoftmaxRegression")
		}})
	}
	for _, v := range []float64{-1, nan, inf} {
		cases = append(cases, bad{"Lambda", v, "Lambda = " + fmt.Sprint(v), nil}, bad{"ScoreEps", v, "Eps = " + fmt.Sprint(v), nil},
			bad{"SumReg", v, "SumReg = " + fmt.Sprint(v), nil})
	}
	for _, v := range []float64{-1, 1, 2, nan} {
		cases = append(cases, bad{"Delta", v, "elta = " + fmt.Sprint(v), nil})
	}
	for _, v := range []float64{-0.5, 1, nan} {
		cases = append(cases, bad{"Holdout", v, "Holdout = " + fmt.Sprint(v), nil})
	}
	cases = append(cases,
		bad{"Loss", falseLoss, "declared C", nil}, bad{"Loss", concave, "loss concave", nil},
		bad{"Loss", Hinge(), "hinge", func(name string) bool { return smoothOnly[name] }},
		bad{"Reg", L1(-1), "Reg μ", nil}, bad{"Reg", Box(2, 1), "Reg box", nil}, bad{"Reg", Ball(nan), "Reg ball", nil},
		bad{"Reg", GroupNorm(1, [][]int{{7}}), "Reg group 0", func(name string) bool { return name != "KernelMachine" }},
		bad{"Neighbours", Neighbours("swap"), "Neighbours = swap", nil},
		bad{"Selection", "best", "Selection = best", nil},
		bad{"Mode", GaussianMode("round"), "Mode = round", nil},
		bad{"Candidates", []Trainer(nil), "Candidates = none", nil}, bad{"Candidates", []ClassifierTrainer{nil}, "Candidates[0] = nil", nil},
		bad{"Stop", GeometricStopping(3), "Gamma", nil},
		bad{"Rho", -1.0, "Rho", nil}, bad{"SolverShare", 0.9, "SolverShare", nil})
	src, led := Seed(31), NewLedger(100, 0.5)
	state := stateOf(t, src)
	untouched := func(name string) {
		t.Helper()
		if len(led.Entries()) != 0 {
			t.Fatalf("%s: the ledger was charged: %v", name, led.Entries())
		}
		if stateOf(t, src) != state {
			t.Fatalf("%s: randomness was drawn", name)
		}
	}
	refused := 0
	for _, tr := range everyTrainer(src, led) {
		name := reflect.TypeOf(tr).Name()
		for _, c := range cases {
			x, ok := with(tr, c.field, c.value)
			if !ok || c.only != nil && !c.only(name) {
				continue
			}
			label := fmt.Sprintf("%s with %s = %v", name, c.field, c.value)
			if err := trainAny(context.Background(), x, d); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want an error with %q", label, err, c.want)
			}
			untouched(label)
			refused++
		}
		empty := &Data{}
		for label, data := range map[string]*Data{"nil data": nil, "data without rows": empty} {
			if err := trainAny(context.Background(), tr, data); err == nil {
				t.Errorf("%s accepts %s", name, label)
			}
			untouched(name + " with " + label)
			refused++
		}
		if _, binary := tr.(Trainer); binary {
			if err := trainAny(context.Background(), tr, threeClouds(t, 30)); err == nil || !strings.Contains(err.Error(), "labels must be -1 and +1") {
				t.Errorf("%s on three classes: %v", name, err)
			}
			untouched(name + " on three classes")
			refused++
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := trainAny(ctx, tr, d); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", name, err)
		}
		untouched(name + " cancelled")
		refused++

		poor := NewLedger(1e-6, 1e-9)
		x, ok := with(tr, "Ledger", poor)
		if !ok {
			t.Fatalf("%s has no ledger", name)
		}
		var over *OverBudget
		if err := trainAny(context.Background(), x, d); !errors.As(err, &over) {
			t.Errorf("%s beyond the budget: %v", name, err)
		}
		if e, _ := poor.Spent(); e != 0 {
			t.Errorf("%s: a refused release cost %g", name, e)
		}
		untouched(name + " beyond the budget")
		refused++
	}
	t.Logf("%d refusals", refused)
}

// stateOf is the state of a source's generator.
func stateOf(t *testing.T, s *Source) string {
	t.Helper()
	b, err := s.gen.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The constructors of data refuse wrong shapes and labels by name; rows that are not finite become zero, in silence.
func TestDataRefusesBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := [][]float64{{1, 0}}
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"no rows", "rows = no rows", second(NewData(nil, nil, 1))},
		{"no columns", "rows[0] = empty", second(NewData([][]float64{{}}, []float64{1}, 1))},
		{"ragged", "rows[1] = 1 columns", second(NewData([][]float64{{1, 0}, {1}}, []float64{1, 1}, 1))},
		{"few labels", "labels = 0 labels", second(NewData(one, nil, 1))},
		{"label 0", "labels[0] = 0", second(NewData(one, []float64{0}, 1))},
		{"label NaN", "labels[0] = NaN", second(NewData(one, []float64{nan}, 1))},
		{"radius < 0", "radius = -1", second(NewData(one, []float64{1}, -1))},
		{"radius NaN", "radius = NaN", second(NewData(one, []float64{1}, nan))},
		{"radius Inf", "radius = +Inf", second(NewData(one, []float64{1}, inf))},
		{"class", "classes[0] = 2", second(NewClasses(one, []int{2}, []string{"a", "b"}, 1))},
		{"one class", "names = 1 names", second(NewClasses(one, []int{0}, []string{"a"}, 1))},
		{"sparse dim", "dim = 0", second(NewSparse(0, []int{0, 0}, nil, nil, []float64{1}, 1))},
		{"sparse start", "start", second(NewSparse(2, []int{0}, nil, nil, []float64{1}, 1))},
		{"sparse cols", "cols of row 0", second(NewSparse(2, []int{0, 1}, []int32{2}, []float64{1}, []float64{1}, 1))},
		{"sparse order", "cols of row 0", second(NewSparse(3, []int{0, 2}, []int32{1, 1}, []float64{1, 1}, []float64{1}, 1))},
		{"sparse label", "labels[0] = 3", second(NewSparse(2, []int{0, 1}, []int32{1}, []float64{1}, []float64{3}, 1))},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, c.err, c.want)
		}
	}
	d, err := NewData([][]float64{{nan, 1}, {inf, 0}, {0.5, 0}}, []float64{1, 1, -1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if norm2(d.Row(i)) != 0 {
			t.Errorf("row %d is %v, want zero", i, d.Row(i))
		}
	}
}
