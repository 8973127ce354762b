package worker

import (
	"context"
	"encoding/json"
	"io"

	"example.org/godp/kernel/display"
	"example.org/godp/kernel/session"
)

// The types of an engine are those of package session.
type (
	Outcome    = session.Outcome // how a cell went
	Error      = session.Error   // what went wrong in it
	Options    = session.Options // of one execution
	Completion = session.Completion
	Match      = session.Match
)

// Engine is what a worker drives: a *session.Session. Execute, Expression and Call are never
// called at the same time as each other; the rest may be called at any time.
type Engine interface {
	Execute(ctx context.Context, n int, code string, opt Options) Outcome
	Call(ctx, gentle context.Context, f func()) Outcome
	Describe(p any) *Error // of a panic in what Execute or Call runs; nil for one that stops it
	Expression(ctx context.Context, n int, code string) (display.Bundle, *Error)
	// Look is Execute for what can be had while a cell runs; otherwise it says why the cell must wait.
	Look(ctx context.Context, code string) (out Outcome, wait string)
	// SetPast says which cells have succeeded in the worker whose place this one has taken.
	SetPast(cells []session.PastCell)
	IsComplete(code string) (status, indent string)
	Complete(code string, cursor int) Completion
	Inspect(code string, cursor, detail int) (display.Bundle, bool)
	// Debug answers a request of the debug adapter protocol: it calls reply once, perhaps later and on another goroutine. It
	// returns soon, also while a cell runs or is stopped.
	Debug(request json.RawMessage, reply func(json.RawMessage))
}

// Streams are the standard streams of the cells, and where a panic is reported that no cell is there to fail with.
type Streams struct {
	Stdout, Stderr io.Writer
	Stdin          io.Reader
	Panic          func(*Error)
	DebugEvent     func(json.RawMessage) // takes the debugger's events
	Limits         *session.Limits       // what cells may use; the engine may change it
}
