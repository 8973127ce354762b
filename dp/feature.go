package dp

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// A FeatureMap turns a raw row into the coordinates a linear model's weights belong to: an appended constant, random
// features. It must not depend on private data; it is released together with the weights and saved in the model's file.
type FeatureMap interface {
	Apply(x []float64) []float64 // from In() to Out() coordinates
	In() int
	Out() int
	Kind() string // the name under which its JSON form is saved
}

// featureKinds decodes the saved form of each kind of map. It is filled by init functions and never written afterwards.
var featureKinds = map[string]func([]byte) (FeatureMap, error){
	"intercept": func(b []byte) (FeatureMap, error) {
		var m Intercept
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		if m.Dim < 1 || !positive(m.Radius) {
			return nil, fmt.Errorf("dp: intercept: dimension %d and radius %g must be above 0", m.Dim, m.Radius)
		}
		return m, nil
	},
}

// Map returns the data with every row replaced by m.Apply(row), clipped to the given radius (0 means 1). Models trained on
// the result carry the map, so that they take raw rows.
func (d *Data) Map(m FeatureMap, radius float64) (*Data, error) {
	const where = "Map"
	r, err := checkRadius(where, radius)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, badArg(where, "m", "nil", "a feature map is required")
	}
	if m.In() != d.Dim() {
		return nil, badArg(where, "m", fmt.Sprintf("map of %d columns", m.In()), fmt.Sprintf("the data have %d columns", d.Dim()))
	}
	if d.fmap != nil {
		return nil, badArg(where, "d", "data mapped by "+d.fmap.Kind(), "only one feature map can be applied")
	}
	out := *d
	out.from = d.lineage()
	out.columns, out.radius, out.fmap = nil, r, m
	out.x = d.x
	out.x.D, out.x.Ptr, out.x.Idx = m.Out(), nil, nil
	out.x.Val = make([]float64, d.Len()*m.Out())
	row := make([]float64, d.Dim())
	for i := range d.Len() {
		v := out.x.Values(i)
		copy(v, m.Apply(d.x.Row(i, row)))
		clipRow(v, r)
	}
	return &out, nil
}

// Intercept appends a constant coordinate and divides by √2: x ↦ (x, R)/√2, so that a row of norm at most R stays one. The
// intercept is then a weight like any other, regularised and perturbed, and the norm of the longer row is accounted for.
// Without regularisation of the intercept neither sensitivity nor Jacobian would be bounded.
type Intercept struct {
	Dim    int     `json:"dim"`
	Radius float64 `json:"radius"`
}

// In is the dimension of a raw row.
func (m Intercept) In() int { return m.Dim }

// Out is In()+1.
func (m Intercept) Out() int { return m.Dim + 1 }

// Kind is "intercept".
func (m Intercept) Kind() string { return "intercept" }

// Apply returns (x, R)/√2.
func (m Intercept) Apply(x []float64) []float64 {
	out := make([]float64, len(x)+1)
	for i, v := range x {
		out[i] = v * math.Sqrt2 / 2
	}
	out[len(x)] = m.Radius * math.Sqrt2 / 2
	return out
}

// WithIntercept returns the data with a constant column: every row becomes (x, R)/√2. See Intercept.
func (d *Data) WithIntercept() *Data {
	m := Intercept{Dim: d.Dim(), Radius: d.radius}
	if d.fmap != nil {
		panic(badArg("WithIntercept", "d", "data mapped by "+d.fmap.Kind(), "only one feature map can be applied"))
	}
	if !d.x.Sparse() {
		out, err := d.Map(m, d.radius)
		if err != nil {
			panic(err) // not reachable: the map was made for these data
		}
		out.columns = withConst(d.columns)
		return out
	}
	out := *d
	out.from = d.lineage()
	out.columns, out.fmap = withConst(d.columns), m
	n := d.Len()
	out.x.D++
	out.x.Ptr, out.x.Idx, out.x.Val = make([]int, 1, n+1), make([]int32, 0, len(d.x.Idx)+n), make([]float64, 0, len(d.x.Val)+n)
	for i := range n {
		lo := len(out.x.Val)
		for k := d.x.Ptr[i]; k < d.x.Ptr[i+1]; k++ {
			out.x.Idx = append(out.x.Idx, d.x.Idx[k])
			out.x.Val = append(out.x.Val, d.x.Val[k]*math.Sqrt2/2)
		}
		out.x.Idx = append(out.x.Idx, int32(d.x.D))
		out.x.Val = append(out.x.Val, d.radius*math.Sqrt2/2)
		out.x.Ptr = append(out.x.Ptr, len(out.x.Val))
		clipRow(out.x.Val[lo:], d.radius)
	}
	return &out
}

func withConst(names []string) []string {
	if names == nil {
		return nil
	}
	return append(slices.Clone(names), "constant")
}

// Weighted returns the data with sample weights: the objective becomes (1/n) Σ w_i ℓ(z_i). Each weight is part of its row
// (a neighbour may change it) and is clipped to [0, max], where max is a public bound above 0; NaN becomes 0. Slope and
// curvature of a row's loss, and with them the noise, scale with max. Weights computed from the data (class counts, say)
// need MarkLeak.
func (d *Data) Weighted(w []float64, max float64) (*Data, error) {
	if !positive(max) {
		return nil, badArg("Weighted", "max", max, "the public bound must be a finite number above 0")
	}
	if len(w) != d.Len() {
		return nil, badArg("Weighted", "w", fmt.Sprintf("%d weights", len(w)), fmt.Sprintf("must be as many as rows, %d", d.Len()))
	}
	out := *d
	out.from = d.lineage()
	out.maxW = max
	out.weight = make([]float64, len(w))
	for i, v := range w {
		if v > 0 {
			out.weight[i] = math.Min(v, max)
		}
	}
	return &out, nil
}

// MaxWeight is the public bound on the sample weights, 1 when there are none.
func (d *Data) MaxWeight() float64 {
	if d.weight == nil {
		return 1
	}
	return d.maxW
}
