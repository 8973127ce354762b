package front

import (
	"encoding/json"
	"time"

	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// input is a question that waits for the user's answer.
type input struct {
	cell *cell
	w    *worker
	seq  uint64
	id   string // msg_id of the input_request
}

// askUser sends a worker's question to the client that runs the cell. Where there is nobody to ask, the worker is told at once.
func (f *front) askUser(w *worker, m *protocol.InputRequest) {
	refuse := func(why string) { w.conn.Send(&protocol.InputReply{Seq: m.Seq, Error: why}) }
	c := f.cells.find(m.Cell)
	if c == nil || c.done == nil {
		refuse("no cell is running that could ask for input")
		return
	}
	select {
	case <-c.done:
		refuse("the cell that asks for input has ended")
		return
	default:
	}
	if !c.stdin {
		refuse("this client does not allow input (allow_stdin is false)")
		return
	}
	f.iopub.flushNow() // what was printed before the question is seen before it
	frames, err := f.codec.Encode(wire.Outgoing{Type: "input_request", Parent: c.parent,
		Content: map[string]any{"prompt": m.Prompt, "password": m.Password}})
	if err != nil {
		refuse(err.Error())
		return
	}
	var header wire.Header
	json.Unmarshal(frames[2], &header)
	frames = append(append([][]byte(nil), c.from.identities...), frames...)
	question := input{c, w, m.Seq, header.MsgID}
	if f.pose(question, frames) {
		return
	}
	// The client may still be connecting its stdin channel.
	go func() {
		for end := time.Now().Add(stdinPatience); time.Now().Before(end); {
			select {
			case <-time.After(10 * time.Millisecond):
			case <-c.done:
				return
			}
			if f.pose(question, frames) {
				return
			}
		}
		refuse("this client has no stdin channel, so it cannot be asked for input")
	}()
}

// stdinPatience is how long a question waits for the client's stdin channel.
const stdinPatience = 2 * time.Second

// pose sends a question. It reports false when the client is not connected to the stdin channel.
func (f *front) pose(q input, frames [][]byte) bool {
	f.inputsMu.Lock()
	defer f.inputsMu.Unlock()
	if f.stdin.sock.Send(q.cell.from.peer, frames) != nil {
		return false
	}
	f.inputs = append(f.inputs, q)
	return true
}

// inputReply takes the user's answer: to the question that its parent header names, or, since not all clients name one, to the oldest
// that this client was asked.
func (f *front) inputReply(r *request) {
	var c struct {
		Value string `json:"value"`
	}
	if err := json.Unmarshal(r.msg.Content, &c); err != nil {
		f.log.repeated("input", "input_reply ignored: content: %v", err)
		return
	}
	var parent wire.Header
	json.Unmarshal(r.msg.Parent, &parent)
	f.inputsMu.Lock()
	defer f.inputsMu.Unlock()
	for i, in := range f.inputs {
		if in.cell.from.peer == r.peer && (parent.MsgID == "" || parent.MsgID == in.id) {
			f.inputs = append(f.inputs[:i:i], f.inputs[i+1:]...)
			in.w.conn.Send(&protocol.InputReply{Seq: in.seq, Value: c.Value})
			return
		}
	}
	f.log.repeated("noinput", "input_reply ignored: nothing was asked")
}

// dropInputs forgets the questions of a cell that has ended.
func (f *front) dropInputs(c *cell) {
	f.inputsMu.Lock()
	defer f.inputsMu.Unlock()
	var rest []input
	for _, in := range f.inputs {
		if in.cell != c {
			rest = append(rest, in)
		}
	}
	f.inputs = rest
}
