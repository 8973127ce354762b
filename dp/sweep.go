package dp

import (
	"fmt"
	"math"
	"strings"
)

// A Curve is a named series of means with standard deviations, such as test error against ε.
type Curve struct {
	Name string
	X    []float64
	Mean []float64
	SD   []float64 // standard deviation over draws; nil: none
}

// String is the curve as a table.
func (c Curve) String() string {
	var b strings.Builder
	b.WriteString(c.Name)
	for i, x := range c.X {
		fmt.Fprintf(&b, "\n  %-8g %.4f", x, c.Mean[i])
		if c.SD != nil {
			fmt.Fprintf(&b, " ± %.4f", c.SD[i])
		}
	}
	return b.String()
}

// A Sweep trains at several values of a parameter, Draws times each, and measures the error on test rows. The result is for
// study: the many models compose, and errors on private rows are releases.
type Sweep struct {
	X     []float64 // values of the parameter, in the order they are tried
	Draws int       // trainings at each value; 0: 5
}

// Run calls build with each value for each draw and averages ErrorRate(model, test). It stops at the first error.
func (s Sweep) Run(name string, train, test *Data, build func(x float64) Trainer) (Curve, error) {
	draws := s.Draws
	if draws == 0 {
		draws = 5
	}
	if draws < 1 {
		return Curve{}, badArg("Sweep", "Draws", s.Draws, "must be at least 1")
	}
	if len(s.X) == 0 {
		return Curve{}, badArg("Sweep", "X", "empty", "at least one value is required")
	}
	c := Curve{Name: name, X: append([]float64(nil), s.X...)}
	for _, x := range s.X {
		sum, sq := 0.0, 0.0
		for range draws {
			if err := cancelled(ambientContext(), "Sweep"); err != nil {
				return Curve{}, err
			}
			m, err := build(x).Train(train)
			if err != nil {
				return Curve{}, fmt.Errorf("%s at %g: %w", name, x, err)
			}
			e := ErrorRate(m, test)
			sum += e
			sq += e * e
		}
		mean := sum / float64(draws)
		c.Mean = append(c.Mean, mean)
		sd := 0.0
		if draws > 1 {
			sd = math.Sqrt(math.Max(0, (sq-sum*mean)/float64(draws-1)))
		}
		c.SD = append(c.SD, sd)
	}
	return c, nil
}
