package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"time"

	"example.org/godp/kernel/display"
	"example.org/godp/kernel/worker/protocol"
)

// execute runs one cell to its real end and says how it went.
func (s *server) execute(e *execution) {
	defer s.finish(e)
	leave := s.out.enter(e.req.ID)
	stopInput := s.in.begin(e.ctx, e.req.ID, e.req.AllowStdin, e.cancel)
	stopWatch := s.watch(e)
	out := s.engineExecute(e)
	stopWatch()
	stopInput()
	if out.Err == nil && context.Cause(e.ctx) == errNoStdin { // it had nothing more to do
		out = Outcome{Err: &Error{}}
	}
	if out.Err != nil {
		out.Err = explain(out.Err, context.Cause(e.ctx))
	}
	if _, limited := context.Cause(e.ctx).(*LimitError); limited {
		release()
	}
	display.EndCell(out.Err != nil)
	leave()

	done := &protocol.Done{ID: e.req.ID, Failure: failure(out.Err)}
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.out.drain()
	if out.Result != nil && len(out.Result.Data) > 0 && out.Err == nil && !e.req.Silent {
		r := &protocol.Result{Cell: e.req.ID, Bundle: wireBundle(*out.Result)}
		if err := s.conn.Send(r); err != nil { // too large to send: say so instead of showing nothing
			done.Failure = internal(err.Error())
		}
	}
	s.conn.Send(done)
}

func (s *server) engineExecute(e *execution) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			s.conn.Send(&protocol.Log{Text: fmt.Sprintf("worker: executing a cell: panic: %v\n%s", p, debug.Stack())})
			out = Outcome{Err: &Error{Name: "InternalError", Value: fmt.Sprintf("the kernel failed on this cell (please report it): %v", p)}}
		}
	}()
	// The grace period is kept here: the session waits for the cell's real end however long that takes.
	return s.engine.Execute(e.ctx, e.req.N, e.req.Code, Options{Silent: e.req.Silent, Grace: math.MaxInt64})
}

// watch looks after a running cell: it enforces the limits, and tells the front when a cancelled cell does not end.
// The function returned ends it.
func (s *server) watch(e *execution) (stop func()) {
	grace := s.cfg.Grace
	if e.req != nil && e.req.Grace > 0 {
		grace = e.req.Grace
	}
	if grace <= 0 {
		grace = defaultGrace
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		w := newWatchdog(s.cfg.Limits, s.limits)
		cancelled := e.ctx.Done()
		var stuck <-chan time.Time
		for {
			select {
			case <-done:
				return
			case <-cancelled:
				cancelled = nil
				s.in.interrupt()
				stuck = time.After(grace)
			case <-stuck:
				stuck = nil
				s.out.flush()
				s.conn.Send(&protocol.Stuck{Cell: e.cell})
			case <-tick.C:
				err, fatal := w.look()
				if fatal && e.ctx.Err() != nil {
					s.out.flush()
					s.conn.Send(&protocol.Fatal{Text: err.Error() + "\nThe cell did not stop when it was told to, so the interpreter was ended before the machine ran out of memory."})
					exit(2)
				}
				if err != nil {
					e.cancel(err)
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}

// explain makes the error of a cancelled cell say why it was cancelled.
func explain(e *Error, cause error) *Error {
	var limit *LimitError
	x := &Error{Name: "InputRefused", Value: errNoStdin.Error()}
	if errors.As(cause, &limit) {
		x = &Error{Name: limit.Name, Value: limit.Error()}
	} else if cause != errNoStdin {
		return e
	}
	x.Traceback = []string{fmt.Sprintf("\x1b[31m%s\x1b[0m: %s", x.Name, x.Value)}
	for _, line := range e.Traceback { // keep the places, not the word "interrupted"
		if e.Name != "" && !strings.Contains(line, e.Name) {
			x.Traceback = append(x.Traceback, line)
		}
	}
	return x
}

func failure(e *Error) *protocol.Failure {
	if e == nil {
		return nil
	}
	f := &protocol.Failure{Name: e.Name, Value: e.Value, Traceback: e.Traceback}
	if len(f.Traceback) == 0 {
		f.Traceback = []string{fmt.Sprintf("\x1b[31m%s\x1b[0m: %s", e.Name, e.Value)}
	}
	return f
}

func internal(text string) *protocol.Failure {
	return failure(&Error{Name: "InternalError", Value: text})
}
