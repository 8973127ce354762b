package front

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// turn is a lock that can be waited for until something else happens.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) tryLock() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

// lock reports false when cancel is closed before.
func (t turn) lock(cancel <-chan struct{}) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-cancel:
		return false
	}
}

func (t turn) unlock() { <-t }

// look serves a cell of a subshell while another cell runs, if that is sound. It reports false when the cell must wait for its turn, and
// has told the user so.
func (f *front) look(cell *cell, code string, empty, expressions bool) (o outcome, ok bool) {
	o = outcome{payload: json.RawMessage("[]"), expressions: map[string]any{}}
	why := "it has user expressions"
	switch {
	case empty:
		return o, true
	case !expressions:
		ended := make(chan answered, 1)
		f.ask(cell.id, &protocol.Look{ID: cell.id, Code: code}, func(m protocol.Message, failure *protocol.Failure) { ended <- answered{m, failure} })
		a := <-ended
		r, _ := a.m.(*protocol.LookReply)
		if r != nil && r.Wait == "" {
			if o.failure = r.Failure; o.failure == nil && len(r.Data) > 0 && !cell.silent {
				f.history.SetOutput(cell.n, plainText(r.Data))
				f.iopub.publish(wire.Outgoing{Type: "execute_result", Parent: cell.parent, Content: object(
					field{"execution_count", strconv.AppendInt(nil, int64(cell.n), 10)}, field{"data", r.Data}, field{"metadata", r.Metadata})})
			}
			return o, true
		}
		why = "the worker process has ended"
		if r != nil {
			why = r.Wait
		}
	}
	if cell.silent {
		return o, false
	}
	whose := "another cell"
	if c := f.running.Load(); c != nil {
		whose = fmt.Sprintf("In[%d]", c.n)
	}
	f.iopub.stream(cell, protocol.Stderr, fmt.Appendf(nil, "[godp: this cell waits until %s has ended: %s]\n", whose, strings.TrimSpace(why)))
	f.iopub.flushNow()
	return o, false
}
