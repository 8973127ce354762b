package worker

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/worker/protocol"
)

// tasks are functions of cells that run between cells: the handlers of widgets.
type tasks struct {
	s *server

	mu      sync.Mutex
	waiting []*comm.Task
	begun   uint64
}

// post puts a task behind the cells and tasks that have come before it.
func (ts *tasks) post(t *comm.Task) {
	ts.mu.Lock()
	ts.waiting = append(ts.waiting, t)
	ts.mu.Unlock()
	ts.s.queue.push(func() {
		if t := ts.next(); t != nil {
			ts.run(t)
		}
	})
}

// next takes the oldest task, nil if a running cell has taken them.
func (ts *tasks) next() *comm.Task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.waiting) == 0 {
		return nil
	}
	t := ts.waiting[0]
	ts.waiting[0] = nil
	ts.waiting = ts.waiting[1:]
	return t
}

// poll runs the tasks that wait now on the calling goroutine, as part of the cell that it belongs to. A panic is the task's, unless it
// stops the cell.
func (ts *tasks) poll() int {
	ts.mu.Lock()
	n := len(ts.waiting)
	ts.mu.Unlock()
	for i := range n {
		t := ts.next()
		if t == nil {
			return i
		}
		ts.runInside(t)
	}
	return n
}

func (ts *tasks) runInside(t *comm.Task) {
	defer ts.s.out.enter(t.Owner)()
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		e := failure(ts.s.engine.Describe(p))
		if t.Done != nil && e != nil {
			t.Done(&comm.Failure{Name: e.Name, Value: e.Value, Traceback: e.Traceback})
		} else if e != nil {
			ts.s.conn.Send(&protocol.Error{Cell: t.Owner, Failure: *e})
		}
		if e == nil {
			panic(p)
		}
	}()
	t.Run()
	if t.Done != nil {
		t.Done(nil)
	}
}

// run runs a task as a cell would be run: it can be interrupted and is held to the limits.
func (ts *tasks) run(t *comm.Task) {
	s := ts.s
	ts.begun++
	e := s.accept(captureID+ts.begun, t.Parent)
	e.task = true
	defer s.finish(e)
	s.conn.Send(&protocol.Task{Cell: t.Parent, Running: true})
	defer func() {
		s.out.flush()
		s.conn.Send(&protocol.Task{Cell: t.Parent})
	}()
	leave := s.out.enter(t.Owner)
	stop := s.watch(e)
	out := s.engineCall(e, t)
	stop()
	cause := context.Cause(e.ctx)
	if out.Err != nil {
		out.Err = explain(out.Err, cause)
	}
	if _, limited := cause.(*LimitError); limited {
		release()
	}
	display.EndCell(out.Err != nil)
	defer leave()
	switch {
	case t.Done != nil && out.Err == nil:
		t.Done(nil)
	case t.Done != nil:
		f := failure(out.Err)
		t.Done(&comm.Failure{Name: f.Name, Value: f.Value, Traceback: f.Traceback, Superseded: cause == nil && t.Context != nil && t.Context.Err() != nil})
	case out.Err != nil:
		s.out.failFor(t.Owner, out.Err)
	}
}

func (s *server) engineCall(e *execution, t *comm.Task) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			s.conn.Send(&protocol.Log{Text: fmt.Sprintf("worker: a task: panic: %v\n%s", p, debug.Stack())})
			out = Outcome{Err: &Error{Name: "InternalError", Value: fmt.Sprintf("the kernel failed on this handler (please report it): %v", p)}}
		}
	}()
	return s.engine.Call(e.ctx, t.Context, t.Run)
}
