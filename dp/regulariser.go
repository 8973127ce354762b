package dp

import (
	"fmt"
	"math"
	"slices"

	"example.org/godp/dp/internal/solve"
)

// A Regulariser is a convex function r(f), public and independent of the data, added to the objective besides (Λ/2)‖f‖². It
// may be non-smooth or the indicator of a convex set; the privacy level of objective perturbation does not depend on it,
// and exact zeros in the output are covered. The zero value is r = 0. Make one with L1, GroupNorm, Box or Ball.
type Regulariser struct {
	kind   string // "", "l1", "group", "box", "ball"
	mu     float64
	lo, hi float64
	groups [][]int
	sum    bool // part of a sum form: not multiplied by n
}

// L1 is r(f) = μ‖f‖₁, μ > 0; with (Λ/2)‖f‖² it is the elastic net, and it makes weights exactly zero. L1 alone is not
// strongly convex and protects nothing, which is why Λ+Δ > 0 is always required.
func L1(mu float64) Regulariser { return Regulariser{kind: "l1", mu: mu} }

// GroupNorm is r(f) = μ Σ_g ‖f_g‖₂ over disjoint groups of coordinates; it makes whole groups exactly zero. Coordinates in
// no group are not penalised by it.
func GroupNorm(mu float64, groups [][]int) Regulariser {
	g := make([][]int, len(groups))
	for i := range groups {
		g[i] = slices.Clone(groups[i])
	}
	return Regulariser{kind: "group", mu: mu, groups: g}
}

// Box is the constraint lo ≤ f_j ≤ hi for every coordinate; either bound may be infinite.
func Box(lo, hi float64) Regulariser { return Regulariser{kind: "box", lo: lo, hi: hi} }

// Ball is the constraint ‖f‖₂ ≤ radius.
func Ball(radius float64) Regulariser { return Regulariser{kind: "ball", hi: radius} }

func (r Regulariser) none() bool { return r.kind == "" }

// String is the formula.
func (r Regulariser) String() string {
	switch r.kind {
	case "l1":
		return fmt.Sprintf("%g‖f‖₁", r.mu)
	case "group":
		return fmt.Sprintf("%g Σ‖f_g‖₂ over %d groups", r.mu, len(r.groups))
	case "box":
		return fmt.Sprintf("%g ≤ f_j ≤ %g", r.lo, r.hi)
	case "ball":
		return fmt.Sprintf("‖f‖ ≤ %g", r.hi)
	}
	return "none"
}

func (r Regulariser) suffix() string {
	if r.none() {
		return ""
	}
	return ", r = " + r.String()
}

// Value is r(f); +Inf outside a constraint set.
func (r Regulariser) Value(f []float64) float64 {
	if r.none() {
		return 0
	}
	return r.scaled(1).Value(f)
}

func (r Regulariser) check(where string, dim int) error {
	switch r.kind {
	case "l1", "group":
		if !positive(r.mu) {
			return badArg(where, "Reg μ", r.mu, "must be a finite number above 0")
		}
	case "box":
		if !(r.lo <= r.hi) || math.IsInf(r.lo, 1) || math.IsInf(r.hi, -1) {
			return badArg(where, "Reg box", fmt.Sprintf("[%g, %g]", r.lo, r.hi), "the lower bound must not exceed the upper")
		}
	case "ball":
		if !positive(r.hi) {
			return badArg(where, "Reg ball radius", r.hi, "must be a finite number above 0")
		}
	}
	seen := make([]bool, dim)
	for i, g := range r.groups {
		if len(g) == 0 {
			return badArg(where, fmt.Sprintf("Reg group %d", i), "empty", "every group needs a coordinate")
		}
		for _, j := range g {
			if j < 0 || j >= dim || seen[j] {
				return badArg(where, fmt.Sprintf("Reg group %d", i), j, fmt.Sprintf("coordinates must be distinct and between 0 and %d", dim-1))
			}
			seen[j] = true
		}
	}
	return nil
}

// scaled is the solver's form of n·r: the sum-form objective is n times the mean form.
func (r Regulariser) scaled(n float64) solve.Prox {
	if r.sum {
		n = 1
	}
	switch r.kind {
	case "l1":
		return solve.L1{Mu: r.mu * n}
	case "group":
		return solve.Group{Mu: r.mu * n, Groups: r.groups}
	case "box":
		return solve.Box{Lo: r.lo, Hi: r.hi}
	default:
		return solve.Ball{Radius: r.hi}
	}
}

// restore brings a released vector back to what r makes of the exact minimiser, by post-processing with public constants, which
// costs no privacy: a coordinate (or group) no larger than the solver's noise can be, size, becomes exactly zero under L1
// (GroupNorm), and a vector outside a box or ball is projected onto it.
func (r Regulariser) restore(w []float64, size float64) {
	switch r.kind {
	case "l1":
		for j, v := range w {
			if math.Abs(v) <= size {
				w[j] = 0
			}
		}
	case "group":
		for _, g := range r.groups {
			s := 0.0
			for _, j := range g {
				s = math.Hypot(s, w[j])
			}
			if s <= size {
				for _, j := range g {
					w[j] = 0
				}
			}
		}
	case "box", "ball":
		r.scaled(1).Apply(w, 1)
	}
}
