package front

import (
	"fmt"
	"time"

	"example.org/godp/kernel/worker/protocol"
)

// onInterrupt stops the running cell, or the handler of a widget that runs between cells. When none runs it does nothing.
func onInterrupt(f *front, r *request) {
	f.interrupt(true)
	r.reply(map[string]any{"status": "ok"})
}

// interrupt asks the running cell to stop. Once it is known that the cell does not stop, a further interrupt (where force is set) kills the
// worker; an impatient double click before that costs nothing.
func (f *front) interrupt(force bool) {
	c := f.running.Load()
	if c == nil {
		c = f.task.Load()
	}
	if c == nil {
		return
	}
	c.mu.Lock()
	first, kill := c.interrupted.IsZero(), force && c.stuck && !c.killed
	if first {
		c.interrupted = time.Now()
		close(c.cancel)
	}
	if kill {
		c.killed = true
	}
	c.mu.Unlock()
	w := f.current()
	if w == nil || !isClosed(w.ready) {
		return // the cell waits for its worker, and now for nothing
	}
	if kill {
		w.kill("interrupted", "the cell did not stop, so its worker process was ended")
		return
	}
	// Not in this goroutine: a worker that does not read must not block the control channel.
	go w.conn.Send(&protocol.Interrupt{Cell: c.id})
	if first {
		go f.watchInterrupt(w, c)
	}
}

// repeatInterrupt is called when something of c was sent to the worker: an interrupt that was sent before it went unheard.
func (f *front) repeatInterrupt(w *worker, c *cell) {
	if isClosed(c.cancel) {
		go w.conn.Send(&protocol.Interrupt{Cell: c.id})
	}
}

// watchInterrupt declares the cell stuck when neither its end nor the worker's own report comes in time.
func (f *front) watchInterrupt(w *worker, c *cell) {
	select {
	case <-c.done:
	case <-w.dead:
	case <-f.ctx.Done():
	case <-time.After(f.cfg.Grace + time.Second):
		f.stuck(w, c)
	}
}

// stuck tells the user that the cell does not stop, and ends its worker after a while.
func (f *front) stuck(w *worker, c *cell) {
	c.mu.Lock()
	again := c.stuck
	c.stuck = true
	c.mu.Unlock()
	if again {
		return
	}
	text := "\n[godp: the cell has not stopped yet. Interrupt again to end its worker process: variables, functions and imports will be lost."
	if f.cfg.KillAfter > 0 {
		text += fmt.Sprintf("\n Without that it is ended in %v.", f.cfg.KillAfter)
	}
	out := c
	if latest := f.cells.find(0); c.n == 0 && latest != nil { // a handler: clients do not show what comes under its message
		out = latest
	}
	f.iopub.stream(out, protocol.Stderr, []byte(text+"]\n"))
	f.iopub.flushNow()
	if f.cfg.KillAfter <= 0 {
		return
	}
	go func() {
		select {
		case <-c.done:
		case <-w.dead:
		case <-f.ctx.Done():
		case <-time.After(f.cfg.KillAfter):
			c.mu.Lock()
			kill := !c.killed
			c.killed = true
			c.mu.Unlock()
			if kill {
				w.kill("interrupted", "the cell did not stop, so its worker process was ended")
			}
		}
	}()
}
