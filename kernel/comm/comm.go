// Package comm carries messages between code in the kernel and objects in the client, over the comms of the Jupyter
// protocol. Package widgets stands on it.
//
// # Which goroutine runs what
//
// A message of the client is delivered as soon as it comes, also while a cell runs, on one goroutine and in the order of
// arrival: see [Receive]. What receives it there is compiled code that only keeps state and returns at once. Functions of
// cells must not run there, since a cell may be running that uses the same variables: they are put into the session's queue
// with [Post] and run between cells, one after the other, or inside a running cell that asks for it with [Poll].
package comm

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"crypto/rand"
	"encoding/hex"
)

// Message is a comm message in either direction.
type Message struct {
	Op       string // "open", "msg" or "close"
	ID       string // comm_id
	Target   string // target_name, of an open
	Data     json.RawMessage
	Metadata json.RawMessage
	Buffers  [][]byte
}

// Failure is what went wrong in a task, as a client shows it.
type Failure struct {
	Name, Value string
	Traceback   []string
	Superseded  bool // the task's own context stopped it
}

// Task is a function of a cell that is to run between cells.
type Task struct {
	Parent  uint64           // the request that caused it: its client is told that the kernel is busy, and an interrupt means it
	Owner   uint64           // whose output it makes
	Context context.Context  // may be nil; its end stops the task, as far as that leaves goroutines of other cells alone
	Run     func()           // runs between cells
	Done    func(f *Failure) // is told, after Run, how it ended; nil: a failure is shown under the owner
}

// Host is the kernel around this package.
type Host struct {
	// Send sends a message to the clients. parent is the request that caused it, 0 for the one that the calling goroutine works for.
	Send func(parent uint64, m Message) error
	// Owner is the request that the calling goroutine works for, 0 where that is not known.
	Owner func() uint64
	// Post puts a task into the session's queue.
	Post func(t *Task)
	// Poll runs, on the calling goroutine, the tasks that wait, and returns how many.
	Poll func() int
	// Capture makes a place for output: what a function called by run puts out, and the goroutines it starts, goes to sink as
	// display.Event values, until drop. sink is called with locks held and may only take note. It returns false for the update of a
	// display that it does not have, which then goes where the display is.
	Capture func(sink func(e any) bool) (run func(f func()), drop func())
	// Describe tells what a panic of a cell's function was, with its place; nil for one that is to go on, since it stops the cell.
	Describe func(p any) *Failure
	// Log writes a line to the kernel's log.
	Log func(text string)
}

var host atomic.Pointer[Host]

// SetHost installs the kernel and returns the one before, nil if there was none. With a nil host messages go nowhere,
// and each task runs on a goroutine of its own.
func SetHost(h *Host) *Host { return host.Swap(h) }

// Owner is the request that the calling goroutine works for.
func Owner() uint64 {
	if h := host.Load(); h != nil {
		return h.Owner()
	}
	return 0
}

// Post puts a task into the session's queue.
func Post(t *Task) {
	if h := host.Load(); h != nil {
		h.Post(t)
		return
	}
	go func() {
		t.Run()
		if t.Done != nil {
			t.Done(nil)
		}
	}()
}

// Poll runs the tasks that wait, on the calling goroutine, which must be that of a running cell, and returns how many there were.
func Poll() int {
	if h := host.Load(); h != nil {
		return h.Poll()
	}
	return 0
}

// Capture makes a place for output, see Host.
func Capture(sink func(e any) bool) (run func(f func()), drop func()) {
	if h := host.Load(); h != nil {
		return h.Capture(sink)
	}
	return func(f func()) { f() }, func() {}
}

// Describe tells what a panic of a cell's function was, see Host. It must be called where the panic is recovered.
func Describe(p any) *Failure {
	if h := host.Load(); h != nil {
		return h.Describe(p)
	}
	return &Failure{Name: "panic", Value: fmt.Sprint(p)}
}

// Log writes a line to the kernel's log.
func Log(text string) {
	if h := host.Load(); h != nil {
		h.Log(text)
	}
}

func logf(format string, a ...any) { Log(fmt.Sprintf(format, a...)) }

// Comm is one open comm. Its methods may be called from any goroutine.
type Comm struct {
	id, target string
	closed     atomic.Bool

	mu      sync.Mutex
	onMsg   func(parent uint64, m Message)
	onClose func(parent uint64, m Message)
}

var (
	mu      sync.Mutex
	open    = map[string]*Comm{}
	targets = map[string]func(parent uint64, c *Comm, m Message){}
)

// Register says who is told of comms that a client opens. The function runs where [Receive] does.
// A nil function takes the target away.
func Register(target string, opened func(parent uint64, c *Comm, m Message)) {
	mu.Lock()
	defer mu.Unlock()
	if opened == nil {
		delete(targets, target)
		return
	}
	targets[target] = opened
}

// Known reports whether a target is registered.
func Known(target string) bool {
	mu.Lock()
	defer mu.Unlock()
	return targets[target] != nil
}

// NewID returns a comm id that nobody else has.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Open opens a comm from the kernel's side. The client learns of it when it is told the target and data; onMsg and onClose
// run where [Receive] does, and either may be nil.
func Open(target string, data, metadata json.RawMessage, buffers [][]byte, onMsg, onClose func(parent uint64, m Message)) (*Comm, error) {
	c := &Comm{id: NewID(), target: target, onMsg: onMsg, onClose: onClose}
	mu.Lock()
	open[c.id] = c
	mu.Unlock()
	err := send(0, Message{Op: "open", ID: c.id, Target: target, Data: data, Metadata: metadata, Buffers: buffers})
	if err != nil {
		forget(c.id)
	}
	return c, err
}

func forget(id string) *Comm {
	mu.Lock()
	defer mu.Unlock()
	c := open[id]
	delete(open, id)
	if c != nil {
		c.closed.Store(true)
	}
	return c
}

func send(parent uint64, m Message) error {
	if h := host.Load(); h != nil {
		return h.Send(parent, m)
	}
	return nil
}

// ID is the comm_id of the protocol.
func (c *Comm) ID() string { return c.id }

// Target is the comm's target_name.
func (c *Comm) Target() string { return c.target }

// Closed reports whether either side has closed the comm.
func (c *Comm) Closed() bool { return c.closed.Load() }

// On says who is told of messages and of the end. The functions run where [Receive] does; either may be nil.
func (c *Comm) On(msg, closed func(parent uint64, m Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onMsg, c.onClose = msg, closed
}

// Send sends a message to the clients. parent is as in Host.Send. A message on a closed comm goes nowhere.
func (c *Comm) Send(parent uint64, data, metadata json.RawMessage, buffers [][]byte) error {
	if c.Closed() {
		return nil
	}
	return send(parent, Message{Op: "msg", ID: c.id, Data: data, Metadata: metadata, Buffers: buffers})
}

// Close closes the comm on both sides.
func (c *Comm) Close(parent uint64, data json.RawMessage) error {
	if forget(c.id) == nil {
		return nil
	}
	return send(parent, Message{Op: "close", ID: c.id, Data: data})
}

// Receive delivers a message of a client. It must not be called by two goroutines at once, and returns when whoever is concerned
// has been told. A comm of an unknown target, and a message for a comm that is not open, are answered with a close, as the
// protocol wants it, so that the client knows that nobody listens.
func Receive(parent uint64, m Message) {
	mu.Lock()
	c, opened := open[m.ID], targets[m.Target]
	mu.Unlock()
	switch m.Op {
	case "open":
		if c != nil {
			logf("comm_open: the comm %q is open already", clip(m.ID))
			return
		}
		if opened == nil {
			send(parent, Message{Op: "close", ID: m.ID})
			return
		}
		c = &Comm{id: m.ID, target: m.Target}
		mu.Lock()
		open[m.ID] = c
		mu.Unlock()
		opened(parent, c, m)
	case "msg":
		if c == nil {
			logf("comm_msg: there is no comm %q", clip(m.ID))
			send(parent, Message{Op: "close", ID: m.ID})
			return
		}
		c.mu.Lock()
		f := c.onMsg
		c.mu.Unlock()
		if f != nil {
			f(parent, m)
		}
	case "close":
		if forget(m.ID) == nil {
			return
		}
		c.mu.Lock()
		f := c.onClose
		c.mu.Unlock()
		if f != nil {
			f(parent, m)
		}
	default:
		logf("comm: unknown operation %q", clip(m.Op))
	}
}

// Reset closes all comms.
func Reset() {
	mu.Lock()
	var all []*Comm
	for _, c := range open {
		all = append(all, c)
	}
	mu.Unlock()
	for _, c := range all {
		c.Close(0, nil)
	}
}

func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
