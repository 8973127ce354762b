package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"example.org/godp/kernel/display"
	"example.org/godp/kernel/worker/protocol"
)

// output is the one ordered way out. Everything that is shown is sent under mu; before it is sent, what compiled code
// has written to the captured descriptors is sent first. So the order on the page is the order in the program.
type output struct {
	conn     *protocol.Conn
	owners   owners
	captures captures
	cell     atomic.Uint64 // the running cell (or a capture in it), 0 when there is none

	mu    sync.Mutex
	pipes []*pipe
}

func newOutput(conn *protocol.Conn) *output { return &output{conn: conn} }

// enter marks this goroutine, and those that it will start, as belonging to a cell or capture. Call leave at the cell's end on
// the same goroutine; goroutines that live on keep their cell.
func (o *output) enter(cell uint64) (leave func()) {
	o.flush() // what was written to descriptors before is not the new one's
	before := o.cell.Swap(cell)
	unmark := o.owners.mark(cell)
	return func() {
		unmark()
		o.flush() // what the cell wrote to descriptors is still its own
		o.cell.Store(before)
	}
}

// owner returns the cell that the calling goroutine belongs to.
func (o *output) owner() uint64 {
	if c, ok := o.owners.current(); ok {
		return c
	}
	return o.cell.Load()
}

// flush sends what has been written to the captured descriptors so far, and what the connection has gathered.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drain()
	o.conn.Flush()
}

// drain empties the pipes. mu is held.
func (o *output) drain() {
	for _, p := range o.pipes {
		p.drain(o)
	}
}

// stream sends text of a cell, or hands it to a capture. mu is held.
func (o *output) stream(cell uint64, name string, text []byte) error {
	if c := o.captures.find(cell); c != nil {
		c.sink(display.Event{Kind: display.KindStream, Stream: name, Text: string(text)})
		return nil
	}
	return o.conn.Send(&protocol.Stream{Cell: cell, Name: name, Text: text})
}

type streamWriter struct {
	o    *output
	name string
}

func (o *output) writer(name string) io.Writer { return streamWriter{o, name} }

func (w streamWriter) Write(p []byte) (int, error) {
	cell := w.o.owner()
	w.o.mu.Lock()
	defer w.o.mu.Unlock()
	w.o.drain()
	const piece = 1 << 20 // a frame has a limit, and the front should see long output early
	for q := p; len(q) > 0; {
		n := min(len(q), piece)
		if err := w.o.stream(cell, w.name, q[:n]); err != nil {
			return len(p) - len(q), err
		}
		q = q[n:]
	}
	return len(p), nil
}

// display is the sink of package display.
func (o *output) display(e display.Event) {
	cell := o.owner()
	if c := o.captures.find(cell); c != nil && e.Kind != display.KindStream {
		o.mu.Lock()
		o.drain()
		taken := c.sink(e)
		o.mu.Unlock()
		if taken || e.Kind != display.KindUpdate {
			return
		}
		cell = c.owner
	}
	var m protocol.Message
	switch e.Kind {
	case display.KindDisplay, display.KindUpdate:
		m = &protocol.Display{Cell: cell, Update: e.Kind == display.KindUpdate, Bundle: wireBundle(e.Bundle)}
	case display.KindClear:
		m = &protocol.Clear{Cell: cell, Wait: e.Wait}
	case display.KindStream:
		streamWriter{o, e.Stream}.Write([]byte(e.Text))
		return
	default:
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drain()
	if err := o.conn.Send(m); err != nil {
		o.conn.Send(&protocol.Stream{Cell: cell, Name: protocol.Stderr, Text: fmt.Appendf(nil, "display: %v\n", err)})
	}
}

// fail shows a panic of a goroutine under the cell that started it.
func (o *output) fail(e *Error) { o.failFor(o.owner(), e) }

func (o *output) failFor(cell uint64, e *Error) {
	cell = o.visible(cell)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drain()
	o.conn.Send(&protocol.Error{Cell: cell, Failure: *failure(e)})
}

// wireBundle encodes a bundle. A value that has no JSON form is replaced by a text that says so.
func wireBundle(b display.Bundle) protocol.Bundle {
	return protocol.Bundle{Data: object(b.Data), Metadata: object(b.Metadata), Transient: object(b.Transient)}
}

// encode is json.Marshal without the escaping of <, > and &, which makes HTML up to six times as long.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

func object(m map[string]any) json.RawMessage {
	if len(m) == 0 {
		return nil
	}
	raw, err := encode(m) // []byte becomes base64, as the Jupyter protocol wants it
	if err == nil {
		return raw
	}
	clean := map[string]any{}
	note := ""
	for k, v := range m {
		if _, err := encode(v); err == nil {
			clean[k] = v
		} else {
			note += fmt.Sprintf("\n(%s cannot be shown: %v)", k, err)
		}
	}
	clean["text/plain"] = fmt.Sprint(m["text/plain"], note)
	raw, _ = encode(clean)
	return raw
}
