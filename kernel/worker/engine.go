package worker

import (
	"context"
	"time"

	"example.org/godp/kernel/display"
)

// Engine is what a worker drives: the methods of *session.Session.
type Engine interface {
	Execute(ctx context.Context, n int, code string, opt Options) Outcome
	Expression(ctx context.Context, n int, code string) (display.Bundle, *Error)
	IsComplete(code string) (status, indent string)
	Complete(code string, cursor int) Completion
	Inspect(code string, cursor, detail int) (display.Bundle, bool)
}

type Outcome struct {
	Result    *display.Bundle
	Err       *Error
	Abandoned bool
}

type Error struct {
	Name, Value string
	Traceback   []string
}

type Options struct {
	Silent bool
	Grace  time.Duration
}

type Completion struct {
	Matches    []Match
	Start, End int
}

type Match struct{ Text, Type, Signature string }
