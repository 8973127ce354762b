package front

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"example.org/godp/kernel/socket"
	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// Stream text is gathered until one of these is reached, or until anything else is published.
const (
	streamDelay = 50 * time.Millisecond
	streamSize  = 64 << 10
)

// highWater is how many bytes may wait for a subscriber that is reading before output is slowed down.
const highWater = 16 << 20

// backlogSize bounds what is kept for the first subscriber, in bytes.
const backlogSize = 1 << 20

// iopub is the one way out for everything that is published. Under its lock messages get their final order:
// a cell's output is on its way before its reply and its idle status, because whatever is published first sends the text
// that is still being gathered.
//
// Until the first subscriber comes, messages are kept (up to backlogSize), so that a client which asks before its
// subscription has arrived still sees the statuses starting and idle.
type iopub struct {
	sock  *socket.Socket
	codec *wire.Codec
	log   *logger
	limit int64 // bytes of text and displays per cell; < 0: no limit
	page  allowance
	ctx   context.Context

	mu      sync.Mutex
	cell    *cell // whose text is being gathered, nil for none
	name    string
	text    []byte
	timer   *time.Timer
	opened  bool // a subscriber has come
	backlog [][][]byte
	held    int

	updates map[string]wire.Outgoing // by display id: the latest state that has to wait
	order   []string                 // their ids
	later   *time.Timer              // when to try again
}

// subscribed welcomes a subscriber. It is called by the socket.
func (p *iopub) subscribed(peer, topic string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	frames, err := p.codec.Encode(wire.Outgoing{Type: "iopub_welcome", Content: map[string]string{"subscription": topic}})
	if err == nil {
		p.sock.Send(peer, append([][]byte{[]byte(topic)}, frames...))
	}
	if !p.opened {
		p.opened = true
		for _, frames := range p.backlog {
			p.sock.Publish(frames)
		}
		p.backlog, p.held = nil, 0
	}
}

// publish sends a message after all text that was gathered before.
func (p *iopub) publish(o wire.Outgoing) {
	p.mu.Lock()
	p.flush(false)
	p.send(o)
	p.mu.Unlock()
}

func (p *iopub) send(o wire.Outgoing) {
	frames, err := p.codec.Encode(o)
	if err != nil {
		p.log.printf("%s was not published: %v", o.Type, err)
		return
	}
	n := perMessage
	for _, f := range frames {
		n += len(f)
	}
	p.page.take(n)
	frames = append([][]byte{[]byte(o.Type)}, frames...)
	if p.opened {
		p.sock.Publish(frames)
		return
	}
	for _, f := range frames {
		p.held += len(f)
	}
	p.backlog = append(p.backlog, frames)
	for p.held > backlogSize {
		for _, f := range p.backlog[0] {
			p.held -= len(f)
		}
		p.backlog = p.backlog[1:]
	}
}

var (
	statusStarting = json.RawMessage(`{"execution_state":"starting"}`)
	statusBusy     = json.RawMessage(`{"execution_state":"busy"}`)
	statusIdle     = json.RawMessage(`{"execution_state":"idle"}`)
)

// stream gathers text that c printed. It slows the caller down while a subscriber cannot follow.
func (p *iopub) stream(c *cell, name string, text []byte) {
	p.mu.Lock()
	if p.cell != c || p.name != name {
		p.flush(false)
		p.cell, p.name = c, name
		if tail := c.tails[name]; len(tail) > 0 {
			p.text = append(p.text, tail...)
			delete(c.tails, name)
		}
	}
	p.admit(c, name, text)
	if len(p.text) >= streamSize {
		p.flush(false)
	} else if p.timer == nil && len(p.text) > 0 {
		p.timer = time.AfterFunc(streamDelay, func() {
			p.mu.Lock()
			p.flush(false)
			p.mu.Unlock()
		})
	}
	p.mu.Unlock()
	p.sock.Wait(p.ctx, highWater)
}

// admit takes what may be shown of a text and counts the rest.
func (p *iopub) admit(c *cell, name string, text []byte) {
	if g := c.gap; g != nil {
		if g.limit || !p.page.has(int(p.page.burst/2)) {
			g.leaveOut(name, text)
			return
		}
		p.close(c)
		p.cell, p.name = c, name
	}
	left, limit := p.room(c, len(text))
	if left < len(text) {
		shown, _ := wire.SplitRunes(text[:left])
		p.text = append(p.text, shown...)
		c.shown += int64(len(shown))
		p.open(c, limit)
		c.gap.leaveOut(name, text[len(shown):])
		return
	}
	p.text = append(p.text, text...)
	c.shown += int64(len(text))
}

// flush sends the gathered text, up to its last whole character; with end, all of it.
func (p *iopub) flush(end bool) {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	c := p.cell
	if c == nil {
		return
	}
	whole, rest := p.text, []byte(nil)
	if !end {
		whole, rest = wire.SplitRunes(p.text)
	}
	if len(whole) > 0 {
		p.send(streamMessage(c, p.name, whole))
	}
	if len(rest) > 0 {
		if c.tails == nil {
			c.tails = map[string][]byte{}
		}
		c.tails[p.name] = append([]byte(nil), rest...)
	}
	if cap(p.text) > 4*streamSize {
		p.text = nil
	}
	p.cell, p.name, p.text = nil, "", p.text[:0]
}

// finish sends what a cell has printed to its last byte, and says how much was not shown.
func (p *iopub) finish(c *cell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(false)
	for _, name := range []string{protocol.Stdout, protocol.Stderr} {
		if tail := c.tails[name]; len(tail) > 0 {
			p.send(streamMessage(c, name, tail))
			delete(c.tails, name)
		}
	}
	limited := c.gap != nil && c.gap.limit
	p.close(c)
	p.catchUp(true)
	if c.ended = true; limited {
		c.shown = p.limit + 1
	}
}

func streamMessage(c *cell, name string, text []byte) wire.Outgoing {
	b := make([]byte, 0, len(text)+len(text)/16+48)
	b = append(b, `{"name":"`...)
	b = append(b, name...)
	b = append(b, `","text":`...)
	b = wire.AppendString(b, text)
	return wire.Outgoing{Type: "stream", Parent: c.parent, Content: json.RawMessage(append(b, '}'))}
}

// size formats a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// flushNow sends the text that is being gathered.
func (p *iopub) flushNow() {
	p.mu.Lock()
	p.flush(false)
	p.mu.Unlock()
}
