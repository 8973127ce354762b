package front

import (
	"encoding/json"
	"fmt"
	"sync"

	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// debugState is what the front knows of the debugger, which lives in the worker: enough to set it up again in the worker that
// takes the place of one that died.
type debugState struct {
	mu      sync.Mutex
	parent  json.RawMessage   // header of the latest request, the parent of events
	setup   []json.RawMessage // the requests that brought the debugger into its state, while it is attached
	keys    []string          // what each of them sets: a later one of the same key takes its place
	stopped bool              // a stopped event was published, and no continued one since
}

// debugRequest is what the front looks at in a request of the debug adapter protocol.
type debugRequest struct {
	Seq       int    `json:"seq"`
	Command   string `json:"command"`
	Arguments struct {
		Source struct {
			Path string `json:"path"`
		} `json:"source"`
		Code string `json:"code"`
	} `json:"arguments"`
}

// onDebug hands a request of the debug adapter protocol to the worker. It is answered while a cell runs and while it is stopped.
func onDebug(f *front, r *request) {
	var q debugRequest
	if err := json.Unmarshal(r.msg.Content, &q); err != nil || q.Command == "" {
		r.reply(debugFailure(q, fmt.Sprintf("debug_request: the content is not a request of the debug adapter protocol (%v)", err)))
		return
	}
	f.debug.mu.Lock()
	f.debug.parent = r.msg.RawHeader
	f.debug.mu.Unlock()
	id := f.cells.id()
	f.ask(id, &protocol.Debug{ID: id, Content: r.msg.Content}, func(m protocol.Message, failure *protocol.Failure) {
		a, ok := m.(*protocol.DebugReply)
		switch {
		case ok && len(a.Content) > 0:
			f.debug.note(q, r.msg.Content, a.Content)
			r.reply(a.Content)
		case failure != nil:
			r.reply(debugFailure(q, failure.Name+": "+failure.Value))
		default:
			r.reply(debugFailure(q, "the kernel failed on this request; its log has more"))
		}
	})
}

// debugFailure is the response to a request that failed.
func debugFailure(q debugRequest, why string) any {
	return map[string]any{"status": "error", "type": "response", "seq": q.Seq, "request_seq": q.Seq, "command": q.Command, "success": false, "message": why,
		"body": map[string]any{"error": map[string]any{"id": 1, "format": why}}}
}

// note remembers a request that has changed the debugger's state.
func (d *debugState) note(q debugRequest, request, reply json.RawMessage) {
	var a struct {
		Success bool `json:"success"`
	}
	if json.Unmarshal(reply, &a) != nil || !a.Success {
		return
	}
	key := q.Command
	switch q.Command {
	case "initialize", "attach", "setExceptionBreakpoints", "configurationDone":
	case "dumpCell":
		key += q.Arguments.Code
	case "setBreakpoints":
		key += q.Arguments.Source.Path
	case "disconnect", "terminate":
		d.mu.Lock()
		d.setup, d.keys = nil, nil
		d.mu.Unlock()
		return
	default:
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, k := range d.keys {
		if k == key {
			d.setup[i] = request
			return
		}
	}
	d.setup, d.keys = append(d.setup, request), append(d.keys, key)
}

// debugEvent publishes an event of the debugger.
func (f *front) debugEvent(m *protocol.DebugEvent) {
	var e struct {
		Event string `json:"event"`
	}
	json.Unmarshal(m.Content, &e)
	f.debug.mu.Lock()
	switch e.Event {
	case "stopped":
		f.debug.stopped = true
	case "continued", "terminated":
		f.debug.stopped = false
	}
	parent := f.debug.parent
	f.debug.mu.Unlock()
	f.iopub.publish(wire.Outgoing{Type: "debug_event", Parent: parent, Content: orEmpty(m.Content)})
}

// restoreDebugger brings the debugger of a new worker into the state of the former's, and tells clients that nothing is stopped any
// more. Then it calls ready: before that the worker is given no other request.
func (f *front) restoreDebugger(w *worker, ready func()) {
	f.debug.mu.Lock()
	setup, stopped := append([]json.RawMessage(nil), f.debug.setup...), f.debug.stopped
	f.debug.mu.Unlock()
	if stopped {
		f.debugEvent(&protocol.DebugEvent{Content: json.RawMessage(`{"type":"event","seq":0,"event":"continued","body":{"threadId":1,"allThreadsContinued":true}}`)})
	}
	if len(setup) == 0 {
		ready()
		return
	}
	f.wg.Go(func() { // not in the goroutine that reads what the worker says to it
		for _, request := range setup {
			id := f.cells.id()
			w.ask(id, &protocol.Debug{ID: id, Content: request}, func(protocol.Message, *protocol.Failure) {})
		}
		ready()
	})
}
