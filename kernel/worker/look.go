package worker

import (
	"context"
	"fmt"
	"runtime/debug"

	"example.org/godp/kernel/worker/protocol"
)

// look answers a cell of a subshell that came while another cell runs. Its output is its own; what is written to the captured descriptors
// meanwhile is the running cell's.
func (s *server) look(m *protocol.Look) {
	e := s.accept(m.ID, m.ID)
	defer s.finish(e)
	defer s.out.owners.mark(m.ID)()
	out, wait := s.engineLook(e, m.Code)
	if out.Err != nil {
		out.Err = explain(out.Err, context.Cause(e.ctx))
	}
	r := &protocol.LookReply{ID: m.ID, Wait: wait, Failure: failure(out.Err)}
	if out.Result != nil && out.Err == nil {
		r.Bundle = wireBundle(*out.Result)
	}
	s.out.flush()
	if err := s.conn.Send(r); err != nil {
		s.conn.Send(&protocol.LookReply{ID: m.ID, Failure: internal(err.Error())})
	}
}

func (s *server) engineLook(e *execution, code string) (out Outcome, wait string) {
	defer func() {
		if p := recover(); p != nil {
			s.conn.Send(&protocol.Log{Text: fmt.Sprintf("worker: looking: panic: %v\n%s", p, debug.Stack())})
			out, wait = Outcome{}, "it is not understood here"
		}
	}()
	return s.engine.Look(e.ctx, code)
}
