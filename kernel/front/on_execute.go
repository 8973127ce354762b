package front

import (
	"encoding/json"
	"strings"

	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// onExecute runs a cell. It returns when the cell has ended, so the next one of its lane starts after it.
func onExecute(f *front, r *request) {
	c := struct {
		Code            *string           `json:"code"`
		Silent          bool              `json:"silent"`
		StoreHistory    *bool             `json:"store_history"`
		UserExpressions map[string]string `json:"user_expressions"`
		AllowStdin      bool              `json:"allow_stdin"`
		StopOnError     *bool             `json:"stop_on_error"`
	}{}
	if !r.decode(&c) {
		return
	}
	if c.Code == nil {
		r.fail("BadRequest", "execute_request: content has no code")
		return
	}
	code := *c.Code
	store := !c.Silent && (c.StoreHistory == nil || *c.StoreHistory)
	empty := strings.TrimSpace(code) == ""

	f.exec.Lock() // the worker runs one cell at a time, whatever lane it comes from
	locked := true
	unlock := func() {
		if locked {
			locked = false
			f.exec.Unlock()
		}
	}
	defer unlock()
	last := int(f.count.Load())
	n := last + 1
	if empty && last > 0 {
		n = last
	}
	if store && !empty {
		f.count.Store(int64(n))
		f.history.Add(n, code)
	}
	cell := &cell{n: n, from: origin{r.peer, r.msg.Identities}, parent: r.msg.RawHeader, silent: c.Silent, stdin: c.AllowStdin,
		cancel: make(chan struct{}), done: make(chan struct{})}
	f.cells.add(cell, true)
	if !c.Silent {
		f.iopub.publish(wire.Outgoing{Type: "execute_input", Parent: cell.parent,
			Content: map[string]any{"code": code, "execution_count": n}})
	}
	var failure *protocol.Failure
	payload := json.RawMessage("[]")
	f.running.Store(cell)
	if !empty {
		failure, payload = f.runCell(cell, code)
	}
	cell.mu.Lock()
	published := failure == nil && cell.failure != nil
	if published {
		failure = cell.failure
	}
	cell.mu.Unlock()
	expressions := map[string]any{}
	if failure == nil {
		for name, code := range c.UserExpressions {
			expressions[name] = f.evaluate(cell, code)
		}
	}
	f.running.Store(nil)
	close(cell.done)
	f.dropInputs(cell)
	f.iopub.finish(cell)
	if failure == nil {
		unlock()
		r.reply(map[string]any{"status": "ok", "execution_count": n, "user_expressions": expressions, "payload": payload})
		return
	}
	if !c.Silent && !published {
		f.iopub.publish(wire.Outgoing{Type: "error", Parent: cell.parent, Content: failureContent(failure)})
	}
	// What is in the queue now was sent without knowledge of the failure, and so may be what comes next.
	var aborted []*request
	if c.StopOnError == nil || *c.StopOnError {
		if l := f.laneOf(r); l != nil {
			aborted = l.abort(markFailure(r))
		}
	}
	unlock()
	content := failureContent(failure)
	content["status"], content["execution_count"] = "error", n
	content["user_expressions"], content["payload"] = expressions, []any{}
	r.reply(content)
	for _, q := range aborted {
		f.serve(q, onAborted)
	}
}

// onAborted answers an execute request that is not run because one before it failed.
func onAborted(f *front, r *request) {
	r.reply(map[string]any{"status": "aborted", "execution_count": f.count.Load(), "user_expressions": map[string]any{}, "payload": []any{}})
}

func failureContent(x *protocol.Failure) map[string]any {
	tb := x.Traceback
	if len(tb) == 0 {
		tb = []string{x.Name + ": " + x.Value}
	}
	return map[string]any{"ename": x.Name, "evalue": x.Value, "traceback": tb}
}

// runCell lets the worker run code and returns when it has ended, whatever way.
func (f *front) runCell(c *cell, code string) (failure *protocol.Failure, payload json.RawMessage) {
	w, failure := f.readyWorker(c.cancel)
	if failure != nil {
		return failure, nil
	}
	w.began(c.n)
	type outcome struct {
		m       protocol.Message
		failure *protocol.Failure
	}
	ended := make(chan outcome, 1)
	w.ask(c.id, &protocol.Execute{ID: c.id, N: c.n, Code: code, Silent: c.silent, AllowStdin: c.stdin, Grace: f.cfg.Grace},
		func(m protocol.Message, failure *protocol.Failure) { ended <- outcome{m, failure} })
	f.repeatInterrupt(w, c)
	o := <-ended
	if o.failure != nil {
		return o.failure, nil
	}
	d, ok := o.m.(*protocol.Done)
	if !ok {
		return &protocol.Failure{Name: "InternalError", Value: "the worker gave a wrong answer"}, nil
	}
	payload = d.Payload
	if len(payload) == 0 {
		payload = json.RawMessage("[]")
	}
	return d.Failure, payload
}

// evaluate evaluates one user expression.
func (f *front) evaluate(c *cell, code string) any {
	type outcome struct {
		m       protocol.Message
		failure *protocol.Failure
	}
	ended := make(chan outcome, 1)
	id := f.cells.id()
	f.ask(id, &protocol.Expression{ID: id, Cell: c.id, N: c.n, Code: code},
		func(m protocol.Message, failure *protocol.Failure) { ended <- outcome{m, failure} })
	if w := f.current(); w != nil && isClosed(w.ready) {
		f.repeatInterrupt(w, c)
	}
	o := <-ended
	if a, ok := o.m.(*protocol.ExpressionReply); ok {
		if a.Failure == nil {
			return map[string]any{"status": "ok", "data": orEmpty(a.Data), "metadata": orEmpty(a.Metadata)}
		}
		o.failure = a.Failure
	}
	if o.failure == nil {
		o.failure = &protocol.Failure{Name: "InternalError", Value: "the worker gave a wrong answer"}
	}
	content := failureContent(o.failure)
	content["status"] = "error"
	return content
}
