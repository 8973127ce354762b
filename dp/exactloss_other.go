package dp

import (
	"fmt"
)

// exactGaussianOutput is the loss of Gaussian noise around the two minimisers.
func exactGaussianOutput(m GaussianOutputPerturbation, d0, d1 *Data) (*PrivacyLoss, error) {
	_, sigma, err := m.claim(d0)
	if err != nil {
		return nil, err
	}
	l := defaultLoss(m.Loss)
	var f [2][]float64
	for i, d := range []*Data{d0, d1} {
		form, err := checkOutput("ExactLoss", d, l, m.Neighbours, m.Lambda, m.SumReg, m.Reg)
		if err != nil {
			return nil, err
		}
		if f[i], err = outputMinimiser(ambientContext(), "ExactLoss", d, l, form, m.Reg); err != nil {
			return nil, err
		}
	}
	return additiveLoss(f[0], f[1], "gaussian", sigma), nil
}

// exactGeometric enumerates the counts. Truncation moves the mass beyond an end onto it.
func exactGeometric(m Geometric, d0, d1 *Data) (*PrivacyLoss, error) {
	if m.Query == nil {
		return nil, badArg("ExactLoss", "Query", "nil", "the mechanism must ask something")
	}
	query := func(d *Data) []float64 { return []float64{float64(m.Query(d))} }
	mass := func(value, y float64) float64 { return m.LogMass(int(value), int(y)) }
	return exactDiscrete(query, mass, 1, 1/m.rate(), d0, d1)
}

// exactResponse is the loss of independent randomised responses: the rows whose category differs are the only ones that count.
func exactResponse(m RandomizedResponse, d0, d1 *Data) (*PrivacyLoss, error) {
	if d0.Len() != d1.Len() {
		return nil, fmt.Errorf("dp.ExactLoss: %d reports on one data set and %d on the other", d0.Len(), d1.Len())
	}
	category := m.Category
	if category == nil {
		category = func(d *Data, i int) int { return d.Class(i) }
	}
	l := &PrivacyLoss{Dim: d0.Len()}
	var a, b []int
	differ := 0
	for i := range d0.Len() {
		a, b = append(a, category(d0, i)), append(b, category(d1, i))
		if a[i] != b[i] {
			differ++
		}
	}
	l.At = func(out []float64) float64 {
		s := 0.0
		for i, o := range out {
			if a[i] == b[i] {
				continue
			}
			switch int(o) {
			case a[i]:
				s += m.Eps
			case b[i]:
				s -= m.Eps
			}
		}
		return s
	}
	l.law.sup = func() (float64, []float64) {
		at := make([]float64, len(a))
		for i := range a {
			at[i] = float64(a[i])
		}
		return float64(differ) * m.Eps, at
	}
	l.law.pld = func(step float64) (PLD, error) {
		if differ == 0 {
			return orZeroPLD(PLD{}, step)
		}
		p, q := make([]float64, m.k()), make([]float64, m.k())
		truth := m.Truth()
		for c := range p {
			p[c] = (1 - truth) / float64(m.k()-1)
			q[c] = p[c]
		}
		p[0], q[1] = truth, truth
		one, err := DiscretePLD(p, q, step)
		if err != nil {
			return one, err
		}
		return one.Times(differ)
	}
	return l, nil
}
