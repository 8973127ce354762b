package dp

import (
	"fmt"
	"math"
)

// snappedOutputs is the largest number of outputs that exactSnapped lists.
const snappedOutputs = 1 << 20

// exactSnapped lists the outputs of the snapping mechanism, the multiples of its step within ±B and ±B itself, with their masses in real
// arithmetic (see LogMass).
func exactSnapped(m SnappedLaplace, d0, d1 *Data) (*PrivacyLoss, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	var v [2]float64
	for i, d := range []*Data{d0, d1} {
		a, err := ask("ExactLoss", m.Query, d)
		if err != nil {
			return nil, err
		}
		if len(a) != 1 {
			return nil, fmt.Errorf("dp.ExactLoss: the snapping mechanism takes one answer, not %d", len(a))
		}
		v[i] = a[0]
	}
	step := m.Step()
	if m.Bound/step > snappedOutputs/2 {
		return nil, fmt.Errorf("dp.ExactLoss: the bound %g is %.3g steps of the snapping mechanism, too many outputs to list", m.Bound, m.Bound/step)
	}
	var outs, p, q []float64
	top, at := 0.0, 0
	for k := -math.Floor(m.Bound/step) - 1; k*step <= m.Bound+step; k++ {
		y := math.Max(-m.Bound, math.Min(m.Bound, k*step))
		if len(outs) > 0 && outs[len(outs)-1] == y {
			continue
		}
		a, b := m.LogMass(v[0], y), m.LogMass(v[1], y)
		if math.IsInf(a, -1) && math.IsInf(b, -1) {
			continue
		}
		outs, p, q = append(outs, y), append(p, math.Exp(a)), append(q, math.Exp(b))
		if l := math.Abs(a - b); l > top {
			top, at = l, len(outs)-1
		}
	}
	return &PrivacyLoss{Dim: 1,
		At: func(o []float64) float64 {
			a, b := m.LogMass(v[0], o[0]), m.LogMass(v[1], o[0])
			if math.IsInf(a, -1) && math.IsInf(b, -1) {
				return math.NaN()
			}
			return a - b
		},
		law: lossLaw{
			sup: func() (float64, []float64) { return top, []float64{outs[at]} },
			pld: func(step float64) (PLD, error) { return DiscretePLD(p, q, step) },
		}}, nil
}
