package dp

import (
	"fmt"
	"math"
)

// A WorstCase is the neighbouring pair with the largest privacy loss that a search found.
type WorstCase struct {
	Pair Pair         // the two data sets
	Loss *PrivacyLoss // between them
	Eps  float64      // sup |L| on the pair: the mechanism's true ε is at least this
	At   []float64    // an output at or near which it is attained
}

// String states the worst loss beside the claim.
func (w *WorstCase) String() string {
	return fmt.Sprintf("%s; pair: %s; at output %.6g", w.Loss, w.Pair.Name, w.At)
}

// Markdown is String for a notebook.
func (w *WorstCase) Markdown() string { return plainMarkdown(w.String()) }

// WorstPair searches neighbouring data sets (of the relation that m claims) of the shape of like for the largest exact privacy loss of m: first [CandidatePairs],
// then tries random changes of rows and labels of the best pair, as many as said. The result is a lower bound on the mechanism's true ε, with
// the pair and the output as witnesses. For objective perturbation with the Huber loss in one dimension the candidates already contain the worst pair.
// src steers the random changes only; nil means Seed(1).
func WorstPair(m Mechanism, like *Data, changes int, src *Source) (*WorstCase, error) {
	if m == nil || like == nil {
		return nil, fmt.Errorf("dp.WorstPair: the mechanism and a data set are required")
	}
	g, err := m.Claim(like)
	if err != nil {
		return nil, fmt.Errorf("dp.WorstPair: %w", err)
	}
	pairs, err := CandidatePairs(like, g.Neighbours == AddRemove)
	if err != nil {
		return nil, err
	}
	if src == nil {
		src = Seed(1)
	}
	ctx := ambientContext()
	var best *WorstCase
	var first error
	var kinks *[]float64
	try := func(p Pair) bool {
		l, err := ExactLoss(m, p.D0, p.D1)
		if err != nil {
			if first == nil {
				first = err
			}
			return false
		}
		if l.obj != nil {
			l.obj.found = kinks // the same loss function for all pairs
		}
		eps, at := l.Sup()
		if l.obj != nil {
			kinks = l.obj.found
		}
		if best == nil || eps > best.Eps {
			best = &WorstCase{Pair: p, Loss: l, Eps: eps, At: at}
			return true
		}
		return false
	}
	for _, p := range pairs {
		if err := cancelled(ctx, "worst pair"); err != nil {
			return nil, err
		}
		try(p)
	}
	if best == nil {
		return nil, first
	}
	for range changes {
		if err := cancelled(ctx, "worst pair"); err != nil {
			return nil, err
		}
		p := best.Pair
		n, dim := p.D0.Len(), p.D0.Dim()
		row := make([]float64, dim)
		norm := 0.0
		for j := range row {
			row[j] = src.Norm()
			norm = math.Hypot(norm, row[j])
		}
		scale := p.D0.Radius() / norm
		if src.Intn(2) == 0 {
			scale *= math.Sqrt(src.Float64())
		}
		for j := range row {
			row[j] *= scale
		}
		i := src.Intn(n)
		y := p.D0.Label(i)
		if src.Intn(3) == 0 && p.D0.Binary() {
			y = -y
		}
		last := differingRow(p)
		a, b := p.D0, p.D1
		var err error
		if i != last || src.Intn(2) == 0 {
			if a, err = a.Replace(i, row, y); err != nil {
				return nil, err
			}
		}
		if i < b.Len() && (i != last || a == p.D0) {
			if b, err = b.Replace(i, row, y); err != nil {
				return nil, err
			}
		}
		try(Pair{"found by random changes", a, b})
	}
	return best, nil
}

// differingRow is the number of the row in which the two data sets differ, or -1.
func differingRow(p Pair) int {
	if p.D0.Len() != p.D1.Len() {
		return p.D0.Len() - 1 // the last row of the first was removed
	}
	for i := range p.D0.Len() {
		if p.D0.Label(i) != p.D1.Label(i) {
			return i
		}
		a, b := p.D0.Row(i), p.D1.Row(i)
		for j := range a {
			if a[j] != b[j] {
				return i
			}
		}
	}
	return -1
}
