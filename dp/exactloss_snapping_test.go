package dp

import (
	"math"
	"testing"
)

// The loss of the snapping mechanism on neighbouring answers reaches ε (for answers between −B and B and an edge outside them) and never
// passes it; the masses add up.
func TestExactLossSnapping(t *testing.T) {
	d0, err := NewData([][]float64{{1}, {1}}, []float64{1, -1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	d1, err := d0.Replace(0, []float64{1}, -1)
	if err != nil {
		t.Fatal(err)
	}
	yes := func(d *Data) []float64 { return []float64{(d.Label(0) + d.Label(1) + 2) / 2} }
	for _, bound := range []float64{16, 17.3} {
		l, err := ExactLoss(SnappedLaplace{Eps: 0.7, Bound: bound, Query: yes}, d0, d1)
		if err != nil {
			t.Fatal(err)
		}
		eps, at := l.Sup()
		if eps > 0.7 || eps < 0.699 || l.At(at) == 0 || !math.IsNaN(l.At([]float64{0.123})) {
			t.Errorf("B = %g: loss %g at %g", bound, eps, at)
		}
		if lo, hi, err := l.Delta(0); err != nil || lo > hi || hi > 0.5 {
			t.Errorf("δ(0) in [%g, %g], %v", lo, hi, err)
		}
	}
	if _, err := ExactLoss(SnappedLaplace{Eps: 1, Bound: 1e8, Query: yes}, d0, d1); err == nil {
		t.Error("10⁸ outputs were listed")
	}
}
