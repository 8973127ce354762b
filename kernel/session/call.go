package session

import (
	"context"
	"math"

	"example.org/godp/kernel/cell/rt"
)

// Call runs a function that a cell has handed to compiled code, such as the handler of a widget. Like a cell it runs when
// no cell does, and ctx stops it. The end of gentle stops it too, but not by stopping the interpreter while goroutines of cells run,
// which would stop them as well: then only what looks at its context ends early. gentle may be nil.
func (s *Session) Call(ctx, gentle context.Context, f func()) Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	if gentle == nil {
		return s.call(ctx, ctx, f, math.MaxInt64, nil)
	}
	both, cancel := context.WithCancel(gentle)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return s.call(ctx, both, f, math.MaxInt64, nil)
}

// stopped waits for the end of a run (false), or until it is to be stopped (true).
func (r *cellRun) stopped(ctx, gentle context.Context) bool {
	select {
	case <-r.ended:
		return false
	case <-ctx.Done():
		return true
	case <-gentle.Done():
	}
	if rt.Goroutines.Load() == 0 {
		return true
	}
	select {
	case <-r.ended:
		return false
	case <-ctx.Done():
		return true
	}
}

// Describe tells what a panic was that compiled code has recovered in a function of a cell, on the goroutine that runs the cell. It returns
// nil for a panic that stops the cell and must go on.
func (s *Session) Describe(p any) *Error {
	v := rt.PanicValue(p)
	if _, ok := v.(rt.Interrupted); ok {
		return nil
	}
	e := s.panicError(v, rt.TakeTrace())
	if ref, ok := v.(rt.Refused); ok {
		e.Name, e.Value = "NotSupported", ref.Error()
	}
	return e
}
