package dp

import (
	"fmt"
	"math"
)

// bill is what releases cost under one relation. All fields add up.
type bill struct {
	eps, delta float64 // basic composition
	rho, slack float64 // zCDP: ρ, and the δ of releases that are only approximately zCDP
}

func (c bill) plus(d bill) bill {
	return bill{c.eps + d.eps, c.delta + d.delta, c.rho + d.rho, c.slack + d.slack}
}

func (c bill) max(d bill) bill {
	return bill{math.Max(c.eps, d.eps), math.Max(c.delta, d.delta), math.Max(c.rho, d.rho), math.Max(c.slack, d.slack)}
}

// spend is what was charged to a set of rows, under either relation. The second has a meaning only as long as every release is
// guaranteed under it.
type spend struct {
	replaceOne, addRemove bill
	n                     int
}

func (s spend) plus(t spend) spend {
	return spend{s.replaceOne.plus(t.replaceOne), s.addRemove.plus(t.addRemove), s.n + t.n}
}

func (s spend) under(replace bool) bill {
	if replace {
		return s.replaceOne
	}
	return s.addRemove
}

// price turns a guarantee into the numbers that add up.
func (b *book) price(what string, g Guarantee) (spend, error) {
	if math.IsNaN(g.Eps) || g.Eps < 0 || math.IsNaN(g.Delta) || g.Delta < 0 || g.Delta > 1 {
		return spend{}, fmt.Errorf("dp: cannot charge %q: its guarantee (ε, δ) = (%v, %v) is not a guarantee (ε ≥ 0 and 0 ≤ δ ≤ 1 are needed)", what, g.Eps, g.Delta)
	}
	c := bill{eps: g.Eps, delta: g.Delta, rho: g.Eps * g.Eps / 2, slack: g.Delta}
	// ρ = 0 beside ε > 0 is a field left empty, not a free release.
	if g.Rho > 0 && (g.Rho < c.rho || g.Delta > 0) {
		c.rho, c.slack = g.Rho, 0
	}
	if g.Neighbours != AddRemove {
		return spend{replaceOne: c, n: 1}, nil
	}
	return spend{replaceOne: c.twice(g.Eps), addRemove: c, n: 1}, nil
}

// twice is the bill of a release with parameter eps to two rows (Dwork and Roth 2014, Theorem 2.2 and its extension to δ; Bun and
// Steinke 2016, Proposition 1.9).
func (c bill) twice(eps float64) bill {
	d := bill{eps: 2 * c.eps, rho: 4 * c.rho}
	if c.delta > 0 {
		d.delta = math.Min(1, (1+math.Exp(eps))*c.delta)
	}
	if c.slack > 0 {
		d.slack = d.delta
	}
	return d
}

// heaviest returns the class that determines the total.
func (b *book) heaviest(class []spend) spend {
	// ε and δ (ρ and slack) are maximised separately: the pair bounds every class.
	var w spend
	for _, c := range class {
		w = spend{w.replaceOne.max(c.replaceOne), w.addRemove.max(c.addRemove), max(w.n, c.n)}
	}
	return w
}

func (b *book) worst() spend { return b.base.plus(b.heaviest(b.class)) }

// zcdpShare is the part of δ that pays for the conversion from ρ.
const zcdpShare = 0.9

// total is (ε, δ) of s, under replace-one or under add/remove.
func (b *book) total(s spend, replace bool) (eps, delta float64) {
	c := s.under(replace)
	if !b.zcdp {
		return c.eps, math.Min(1, c.delta)
	}
	if c.rho == 0 {
		return 0, c.slack
	}
	d := zcdpShare * b.delta
	return c.rho + 2*math.Sqrt(c.rho*math.Log(1/d)), math.Min(1, d+c.slack)
}

// rhoLimit solves ρ + 2√(ρ ln(1/δ')) = eps.
func (b *book) rhoLimit() float64 {
	l := math.Log(1 / (zcdpShare * b.delta))
	r := math.Sqrt(l+b.eps) - math.Sqrt(l)
	return r * r
}
