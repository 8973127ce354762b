package dp

import (
	"runtime"
	"strings"
	"testing"
)

func TestBudgetReport(t *testing.T) {
	l := NewLedger(7, 0)
	if err := l.Charge("a very rare release", pure(0.5)); err != nil {
		t.Fatal(err)
	}
	if r := BudgetReport(); !strings.Contains(r, "a very rare release") || !strings.Contains(r, "of (7, 0) spent") {
		t.Error(r)
	}
	runtime.KeepAlive(l)
}
