package worker

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"example.org/godp/kernel/worker/protocol"
)

// debugger hands debug requests to the engine, one after the other.
func (s *server) debugger() {
	for m := range s.debug {
		s.debugRequest(m)
	}
}

func (s *server) debugRequest(m *protocol.Debug) {
	answer := func(content json.RawMessage) { s.conn.Send(&protocol.DebugReply{ID: m.ID, Content: content}) }
	defer func() {
		if p := recover(); p != nil {
			s.conn.Send(&protocol.Log{Text: fmt.Sprintf("worker: debug request %s: panic: %v\n%s", m.Content, p, debug.Stack())})
			answer(nil)
		}
	}()
	s.engine.Debug(m.Content, answer)
}

// debugEvent sends an event after all that the cell has shown before it, so that what a stopped cell has printed is there.
func (s *server) debugEvent(event json.RawMessage) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.out.drain()
	s.conn.Send(&protocol.DebugEvent{Content: event})
}
