package worker

import (
	"fmt"
	"runtime/debug"
	"sync"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/worker/protocol"
)

// comms delivers comm messages to package comm, one after the other.
type comms struct {
	s *server

	mu    sync.Mutex
	more  *sync.Cond
	queue []delivery
	held  map[string][]*protocol.Comm // by comm id: its open waits for the cells before it, which may register the target
	ended bool
}

type delivery struct {
	m      *protocol.Comm
	waited bool // it has been held back
}

func newComms(s *server) *comms {
	c := &comms{s: s, held: map[string][]*protocol.Comm{}}
	c.more = sync.NewCond(&c.mu)
	return c
}

// host is what package comm knows of this worker.
func (s *server) host() *comm.Host {
	return &comm.Host{
		Send:  s.sendComm,
		Owner: func() uint64 { return s.out.visible(s.out.owner()) },
		Post:  s.tasks.post,
		Poll:  s.tasks.poll,
		Capture: func(sink func(any) bool) (run func(f func()), drop func()) {
			return s.out.newCapture(func(e display.Event) bool { return sink(e) })
		},
		Describe: func(p any) *comm.Failure {
			e := failure(s.engine.Describe(p))
			if e == nil {
				return nil
			}
			return &comm.Failure{Name: e.Name, Value: e.Value, Traceback: e.Traceback}
		},
		Log: func(text string) { s.conn.Send(&protocol.Log{Text: text}) },
	}
}

// sendComm sends a message of a comm after everything that was shown before.
func (s *server) sendComm(parent uint64, m comm.Message) error {
	o := s.out
	if parent == 0 {
		parent = o.visible(o.owner())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drain()
	return o.conn.Send(&protocol.Comm{Cell: parent, Op: protocol.CommOp(m.Op), CommID: m.ID, Target: m.Target, Data: m.Data, Metadata: m.Metadata, Buffers: m.Buffers})
}

// push takes a message of the front. It never waits, so that an interrupt behind it is heard.
func (c *comms) push(m *protocol.Comm) {
	c.mu.Lock()
	c.queue = append(c.queue, delivery{m: m})
	c.mu.Unlock()
	c.more.Signal()
}

func (c *comms) close() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.more.Signal()
}

func (c *comms) run() {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.ended {
			c.more.Wait()
		}
		if c.ended {
			c.mu.Unlock()
			return
		}
		d := c.queue[0]
		c.queue[0] = delivery{}
		c.queue = c.queue[1:]
		held := !d.waited && c.hold(d.m)
		c.mu.Unlock()
		if !held {
			c.deliver(d.m)
		}
	}
}

// hold keeps back the opening of an unknown target until the cells before it have run, and what follows it on that comm.
func (c *comms) hold(m *protocol.Comm) bool {
	if c.held[m.CommID] != nil {
		c.held[m.CommID] = append(c.held[m.CommID], m)
		return true
	}
	if m.Op != protocol.CommOpen || comm.Known(m.Target) || !c.s.busy() {
		return false
	}
	c.held[m.CommID] = []*protocol.Comm{m}
	c.s.queue.push(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		var ready []delivery
		for _, m := range c.held[m.CommID] {
			ready = append(ready, delivery{m, true})
		}
		delete(c.held, m.CommID)
		c.queue = append(ready, c.queue...)
		c.more.Signal()
	})
	return true
}

func (c *comms) deliver(m *protocol.Comm) {
	defer func() {
		var failure *protocol.Failure
		if p := recover(); p != nil {
			c.s.conn.Send(&protocol.Log{Text: fmt.Sprintf("worker: comm_%s: panic: %v\n%s", m.Op, p, debug.Stack())})
			failure = internal(fmt.Sprintf("the kernel failed on this comm message (please report it): %v", p))
		}
		c.s.conn.Send(&protocol.Done{ID: m.ID, Failure: failure})
	}()
	comm.Receive(m.ID, comm.Message{Op: string(m.Op), ID: m.CommID, Target: m.Target, Data: m.Data, Metadata: m.Metadata, Buffers: m.Buffers})
}
