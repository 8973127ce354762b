package widgets

import (
	"encoding/json"
	"slices"

	"example.org/godp/kernel/comm"
)

// Comm is a channel to an object in the page that is no widget of this package: JavaScript of one's own, or of an extension. Either side
// opens it, and both send JSON, with binary buffers beside it.
type Comm struct {
	c     *comm.Comm
	owner uint64 // of handlers: the cell that opened it or said who handles it

	msg    func(data any, buffers [][]byte)
	closed func()
}

// OpenComm opens a comm: the page gives it to who has registered the target there. data is anything that encodes to JSON; it panics
// where data does not.
func OpenComm(target string, data any, buffers ...[]byte) *Comm {
	if target == "" {
		fail("OpenComm: the target has no name")
	}
	c := &Comm{owner: comm.Owner()}
	var err error
	c.c, err = comm.Open(target, encodeData("OpenComm", data), nil, buffers, c.received, c.ended)
	if err != nil {
		fail("OpenComm: %v", err)
	}
	return c
}

// HandleComm says who is told of the comms that the page opens for a target; without it, and with a nil function, they are closed again. f is given
// the comm, on which it may call OnMessage, and what was sent with it. It runs when handlers do, see the package comment.
func HandleComm(target string, f func(c *Comm, data any, buffers [][]byte)) {
	if target == "" || target == widgetTarget || target == controlTarget {
		fail("HandleComm: the target %q belongs to the widgets themselves", target)
	}
	if f == nil {
		comm.Register(target, nil)
		return
	}
	owner := comm.Owner()
	comm.Register(target, func(parent uint64, in *comm.Comm, m comm.Message) {
		c := &Comm{c: in, owner: owner}
		in.On(c.received, c.ended)
		comm.Post(&comm.Task{Parent: parent, Owner: owner, Run: func() { f(c, decodeData(m.Data), m.Buffers) }})
	})
}

// ID is the comm's name in the protocol.
func (c *Comm) ID() string { return c.c.ID() }

// Send sends data, anything that encodes to JSON, and binary buffers. After the end of the comm they go nowhere.
func (c *Comm) Send(data any, buffers ...[]byte) {
	if err := c.c.Send(0, encodeData("Comm.Send", data), nil, slices.Clone(buffers)); err != nil {
		fail("Comm.Send: %v", err)
	}
}

// OnMessage calls f for every message of the page, in their order, when handlers run. data is as encoding/json decodes into an any.
func (c *Comm) OnMessage(f func(data any, buffers [][]byte)) {
	mu.Lock()
	defer mu.Unlock()
	c.msg = f
}

// OnClose calls f when the page has closed the comm.
func (c *Comm) OnClose(f func()) {
	mu.Lock()
	defer mu.Unlock()
	c.closed = f
}

// Close closes the comm on both sides.
func (c *Comm) Close() { c.c.Close(0, nil) }

// received posts a message. The handler is looked up when its turn comes: the one that opens the comm may still have to set it.
func (c *Comm) received(parent uint64, m comm.Message) {
	comm.Post(&comm.Task{Parent: parent, Owner: c.owner, Run: func() {
		mu.Lock()
		f := c.msg
		mu.Unlock()
		if f != nil {
			f(decodeData(m.Data), m.Buffers)
		}
	}})
}

func (c *Comm) ended(parent uint64, _ comm.Message) {
	comm.Post(&comm.Task{Parent: parent, Owner: c.owner, Run: func() {
		mu.Lock()
		f := c.closed
		mu.Unlock()
		if f != nil {
			f()
		}
	}})
}

func encodeData(what string, data any) json.RawMessage {
	raw, err := json.Marshal(data)
	if err != nil {
		fail("%s: the data cannot be written as JSON: %v", what, err)
	}
	return raw
}

func decodeData(raw json.RawMessage) (data any) {
	json.Unmarshal(raw, &data) // what is no JSON is nil
	return data
}
