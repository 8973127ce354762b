package dp

import (
	"math"
	"strings"
	"testing"
)

// A loss that passed is known again, one that was changed in any way is not.
func TestCheckRemembers(t *testing.T) {
	mine := rounded()
	if err := mine.Check(); err != nil {
		t.Fatal(err)
	}
	if !knownGood(mine.key()) {
		t.Error("the loss that passed is not known")
	}
	copied := mine
	if !knownGood(copied.key()) {
		t.Error("a copy is not known")
	}
	if err := Huber(0.125).Check(); err != nil || !knownGood(Huber(0.125).key()) || knownGood(Huber(0.126).key()) {
		t.Error("Huber(0.125) should be known, Huber(0.126) not: they share their code")
	}
	for name, change := range map[string]func(*Loss){
		"L":     func(l *Loss) { l.L = 2 },
		"C":     func(l *Loss) { l.C = 0.6 },
		"name":  func(l *Loss) { l.Name = "other" },
		"value": func(l *Loss) { v := l.Value; l.Value = func(z float64) float64 { return v(z) } },
		"bound": func(l *Loss) { b := l.HessBound; l.HessBound = func(lo, hi float64) float64 { return b(lo, hi) } },
		"batch": func(l *Loss) { l.Batch = func(z, value, grad, hess []float64) {} },
	} {
		l := mine
		change(&l)
		if knownGood(l.key()) {
			t.Errorf("changed %s: still known", name)
		}
	}
}

// A captured variable that changes makes the same function another loss, and a false one is refused although it passed before.
func TestCheckSeesCapturedVariables(t *testing.T) {
	slope := 1.0
	l := Loss{Name: "captured", L: 1, C: 0.25,
		Value: func(z float64) float64 { return slope * Logistic().Value(z) },
		Grad:  func(z float64) float64 { return slope * Logistic().Grad(z) },
		Hess:  func(z float64) float64 { return slope * Logistic().Hess(z) }}
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	slope = 1.5
	if err := l.Check(); err == nil || !strings.Contains(err.Error(), "exceeds the declared L") {
		t.Errorf("the changed loss: %v", err)
	}
	huber := Huber(0.5)
	huber.Hess = func(z float64) float64 { return math.Pi }
	if err := huber.Check(); err == nil {
		t.Error("a Huber loss with a changed curvature passes")
	}
}

func BenchmarkCheckAgain(b *testing.B) {
	l := rounded()
	for b.Loop() {
		if err := l.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
