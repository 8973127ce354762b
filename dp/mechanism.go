package dp

import (
	"context"
	"errors"
	"math"
)

// A Mechanism releases something computed from data. Every trainer is one, and so is a Claimed typed in a cell; anything
// that is a Mechanism can be audited.
type Mechanism interface {
	// Claim is the guarantee the mechanism makes for data of this shape. It looks only at public facts: the number of
	// rows, the dimension, the radius.
	Claim(d *Data) (Guarantee, error)
	// Release runs the mechanism once with the given randomness (nil: secure).
	Release(d *Data, src *Source) ([]float64, error)
}

// Claimed is a mechanism given by a function, with the guarantee its author believes in.
type Claimed struct {
	Name       string
	Eps, Delta float64
	Neighbours Neighbours // default ReplaceOne
	Run        func(d *Data, src *Source) []float64
}

// Claim returns the claimed level, marked as assumed.
func (c Claimed) Claim(d *Data) (Guarantee, error) {
	if c.Run == nil {
		return Guarantee{}, errors.New("dp: Claimed.Run: a function is required")
	}
	if !(c.Eps >= 0) {
		return Guarantee{}, badArg("Claimed", "Eps", c.Eps, "the claimed level must be 0 or more (+Inf: no claim)")
	}
	if !(c.Delta >= 0 && c.Delta <= 1) {
		return Guarantee{}, badArg("Claimed", "Delta", c.Delta, "must lie between 0 and 1")
	}
	g := noGuarantee(c.Name)
	g.Eps, g.Delta, g.ClaimedEps = c.Eps, c.Delta, math.NaN()
	if c.Neighbours != "" {
		g.Neighbours = c.Neighbours
	}
	g.Theorem, g.Source = "the author's claim", "typed by the user"
	g.Assumptions = []Assumption{{Text: "the mechanism is what its author claims", Status: Assumed}}
	return g, nil
}

// Release runs the function.
func (c Claimed) Release(d *Data, src *Source) ([]float64, error) {
	if c.Run == nil {
		return nil, errors.New("dp: Claimed.Run: a function is required")
	}
	return c.Run(d, orSecure(src)), nil
}

// cancelled turns a done context into an error that says what was stopped.
func cancelled(ctx context.Context, where string) error {
	if err := ctx.Err(); err != nil {
		return &Interrupted{Where: where, Err: err}
	}
	return nil
}

// Interrupted is the error of a computation stopped by its context; errors.Is finds context.Canceled in it.
type Interrupted struct {
	Where string
	Err   error
}

func (e *Interrupted) Error() string {
	return "dp: " + e.Where + ": stopped before anything was released: " + e.Err.Error()
}

// Unwrap returns the context's error.
func (e *Interrupted) Unwrap() error { return e.Err }
