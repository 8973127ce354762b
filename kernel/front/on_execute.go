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

	begin := func() *cell {
		cell := &cell{n: f.number(store, empty), from: origin{r.peer, r.msg.Identities}, parent: r.msg.RawHeader, silent: c.Silent, stdin: c.AllowStdin,
			cancel: make(chan struct{}), done: make(chan struct{})}
		if store && !empty {
			f.history.Add(cell.n, code)
		}
		f.cells.add(cell)
		if !c.Silent {
			f.iopub.publish(wire.Outgoing{Type: "execute_input", Parent: cell.parent,
				Content: map[string]any{"code": code, "execution_count": cell.n}})
		}
		return cell
	}
	stop := c.StopOnError == nil || *c.StopOnError
	var cell *cell
	// The worker runs one cell at a time, whatever lane it comes from. A subshell's cell may look at what the running one does.
	if r.msg.Header.SubshellID != "" && !f.exec.tryLock() {
		cell = begin()
		if o, ok := f.look(cell, code, empty, len(c.UserExpressions) > 0); ok {
			f.endCell(r, cell, o, stop, func() {})
			return
		}
		if !f.exec.lock(r.lane) { // the subshell was deleted
			f.iopub.finish(cell)
			onAborted(f, r)
			return
		}
	} else if r.msg.Header.SubshellID == "" {
		f.exec.lock(nil)
	}
	locked := true
	unlock := func() {
		if locked {
			locked = false
			f.exec.unlock()
		}
	}
	defer unlock()
	if cell == nil {
		cell = begin()
	}
	if !c.Silent {
		f.cells.setLatest(cell)
	}
	o := outcome{payload: json.RawMessage("[]"), expressions: map[string]any{}}
	f.running.Store(cell)
	if !empty {
		o.failure, o.payload = f.runCell(cell, code)
	}
	cell.mu.Lock()
	if o.failure == nil && cell.failure != nil {
		o.failure, o.published = cell.failure, true
	}
	cell.mu.Unlock()
	if o.failure == nil {
		if !empty && !c.Silent {
			f.past.add(cell.n, code)
		}
		for name, code := range c.UserExpressions {
			o.expressions[name] = f.evaluate(cell, code)
		}
	}
	f.running.Store(nil)
	f.endCell(r, cell, o, stop, unlock)
}

// outcome is how an execute request went.
type outcome struct {
	failure     *protocol.Failure
	published   bool // the failure was shown already
	expressions map[string]any
	payload     json.RawMessage
}

// endCell answers an execute request. unlock lets the next cell begin.
func (f *front) endCell(r *request, cell *cell, o outcome, stopOnError bool, unlock func()) {
	close(cell.done)
	f.dropInputs(cell)
	f.iopub.finish(cell)
	if o.failure == nil {
		unlock()
		r.reply(map[string]any{"status": "ok", "execution_count": cell.n, "user_expressions": o.expressions, "payload": o.payload})
		return
	}
	if !cell.silent && !o.published {
		f.iopub.publish(wire.Outgoing{Type: "error", Parent: cell.parent, Content: failureContent(o.failure)})
	}
	// What is in the queue now was sent without knowledge of the failure, and so may be what comes next.
	var aborted []*request
	if stopOnError {
		if l := f.laneOf(r); l != nil {
			aborted = l.abort(markFailure(r))
		}
	}
	unlock()
	content := failureContent(o.failure)
	content["status"], content["execution_count"] = "error", cell.n
	content["user_expressions"], content["payload"] = o.expressions, []any{}
	r.reply(content)
	for _, q := range aborted {
		f.serve(q, onAborted)
	}
}

// number is the next execution count. Without store it is not used up; an empty cell has that of the one before it.
func (f *front) number(store, empty bool) int {
	f.numbering.Lock()
	defer f.numbering.Unlock()
	last := int(f.count.Load())
	n := last + 1
	if empty && last > 0 {
		n = last
	}
	if store && !empty {
		f.count.Store(int64(n))
	}
	return n
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

// answered is a reply of the worker, or why there is none.
type answered struct {
	m       protocol.Message
	failure *protocol.Failure
}

// runCell lets the worker run code and returns when it has ended, whatever way.
func (f *front) runCell(c *cell, code string) (failure *protocol.Failure, payload json.RawMessage) {
	w, failure := f.readyWorker(c.cancel)
	if failure != nil {
		return failure, nil
	}
	w.began(c.n)
	ended := make(chan answered, 1)
	w.ask(c.id, &protocol.Execute{ID: c.id, N: c.n, Code: code, Silent: c.silent, AllowStdin: c.stdin, Grace: f.cfg.Grace},
		func(m protocol.Message, failure *protocol.Failure) { ended <- answered{m, failure} })
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
	ended := make(chan answered, 1)
	id := f.cells.id()
	f.ask(id, &protocol.Expression{ID: id, Cell: c.id, N: c.n, Code: code},
		func(m protocol.Message, failure *protocol.Failure) { ended <- answered{m, failure} })
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
