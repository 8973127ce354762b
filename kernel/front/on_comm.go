package front

import (
	"encoding/json"
	"sync"

	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// comms are the open comms: id -> target name.
type comms struct {
	mu   sync.Mutex
	open map[string]string
}

func (c *comms) set(id, target string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]string{}
	}
	c.open[id] = target
}

// remove reports whether the comm was open.
func (c *comms) remove(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.open[id]
	delete(c.open, id)
	return ok
}

// removeAll forgets all comms and returns their ids.
func (c *comms) removeAll() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for id := range c.open {
		ids = append(ids, id)
	}
	c.open = nil
	return ids
}

type commContent struct {
	CommID string          `json:"comm_id"`
	Target string          `json:"target_name,omitempty"`
	Data   json.RawMessage `json:"data"`
}

// onCommOpen hands a comm that the client opens to the worker, which closes it again when it does not know the target.
func onCommOpen(f *front, r *request) { f.commFromClient(r, protocol.CommOpen) }

// onCommMsg hands a comm message to the worker.
func onCommMsg(f *front, r *request) { f.commFromClient(r, protocol.CommMsg) }

// onCommClose tells the worker that the client has closed a comm.
func onCommClose(f *front, r *request) { f.commFromClient(r, protocol.CommClose) }

func (f *front) commFromClient(r *request, op protocol.CommOp) {
	var c commContent
	if err := json.Unmarshal(r.msg.Content, &c); err != nil || c.CommID == "" {
		f.log.repeated("comm", "%s ignored: its content has no comm_id (%v)", r.msg.Header.MsgType, err)
		r.end()
		return
	}
	switch op {
	case protocol.CommOpen:
		f.comms.set(c.CommID, c.Target)
	case protocol.CommClose:
		f.comms.remove(c.CommID)
	}
	w, failure := f.readyWorker(nil)
	cell := &cell{from: origin{r.peer, r.msg.Identities}, parent: r.msg.RawHeader, comm: true}
	f.cells.add(cell)
	ended := func(m protocol.Message, failure *protocol.Failure) {
		if d, ok := m.(*protocol.Done); ok {
			failure = d.Failure
		}
		f.iopub.finish(cell)
		if failure != nil {
			f.iopub.publish(wire.Outgoing{Type: "error", Parent: cell.parent, Content: failureContent(failure)})
			if op == protocol.CommOpen && f.comms.remove(c.CommID) {
				f.publishCommClose(cell.parent, c.CommID)
			}
		}
		r.end()
	}
	if failure != nil {
		ended(nil, failure)
		return
	}
	w.ask(cell.id, &protocol.Comm{ID: cell.id, Op: op, CommID: c.CommID, Target: c.Target, Data: c.Data,
		Metadata: r.msg.Metadata, Buffers: r.msg.Buffers}, ended)
}

// runsTask notes that the worker begins or ends a function that it runs between cells, for a comm message as a rule, and publishes that
// the kernel is busy with it: the message itself has been served before.
func (f *front) runsTask(m *protocol.Task) {
	if !m.Running {
		f.endTask()
		return
	}
	c := f.cells.find(m.Cell)
	if c == nil {
		return
	}
	t := &cell{id: m.Cell, parent: c.parent, cancel: make(chan struct{}), done: make(chan struct{})}
	f.task.Store(t)
	f.iopub.publish(wire.Outgoing{Type: "status", Parent: t.parent, Content: statusBusy})
}

// endTask notes that the function that ran has ended, if one did.
func (f *front) endTask() {
	if t := f.task.Swap(nil); t != nil {
		close(t.done)
		f.idle(t.parent)
	}
}

func (f *front) publishCommClose(parent json.RawMessage, id string) {
	f.iopub.publish(wire.Outgoing{Type: "comm_close", Parent: parent, Content: commContent{CommID: id, Data: json.RawMessage("{}")}})
}

// commFromWorker publishes a comm message of the worker.
func (f *front) commFromWorker(m *protocol.Comm) {
	var parent json.RawMessage
	if c := f.cells.find(m.Cell); c != nil {
		parent = c.parent
	}
	switch m.Op {
	case protocol.CommOpen:
		f.comms.set(m.CommID, m.Target)
	case protocol.CommClose:
		f.comms.remove(m.CommID)
	case protocol.CommMsg:
		m.Target = ""
	default:
		f.log.repeated("commop", "comm with unknown operation %q from the worker", m.Op)
		return
	}
	f.iopub.publish(wire.Outgoing{Type: "comm_" + string(m.Op), Parent: parent, Metadata: m.Metadata, Buffers: m.Buffers,
		Content: commContent{CommID: m.CommID, Target: m.Target, Data: orEmpty(m.Data)}})
}

// onCommInfo lists the open comms, all or those of one target.
func onCommInfo(f *front, r *request) {
	var c struct {
		Target string `json:"target_name"`
	}
	if !r.decode(&c) {
		return
	}
	list := map[string]any{}
	f.comms.mu.Lock()
	for id, target := range f.comms.open {
		if c.Target == "" || c.Target == target {
			list[id] = map[string]string{"target_name": target}
		}
	}
	f.comms.mu.Unlock()
	r.reply(map[string]any{"status": "ok", "comms": list})
}
