package front

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// answer receives the reply to a request, or why there is none.
type answer func(m protocol.Message, failure *protocol.Failure)

// worker is one worker process from its start to its end.
type worker struct {
	f        *front
	proc     Process
	conn     *protocol.Conn
	ready    chan struct{} // closed when it can take requests
	dead     chan struct{} // closed when it has ended; failure is set then
	replaces bool          // it is not the first

	mu       sync.Mutex
	pending  map[uint64]answer
	failure  *protocol.Failure // why it ended
	killed   *protocol.Failure // why we ended it
	fatal    string            // its own last words
	firstRun int               // the first In[n] it ran, 0 for none
}

// supervise keeps a worker running until the front stops.
func (f *front) supervise() {
	failed := 0 // workers in a row that were of no use: not ready, or soon dead without having run a cell
	for n := 0; ; n++ {
		w := &worker{f: f, replaces: n > 0, ready: make(chan struct{}), dead: make(chan struct{}), pending: map[uint64]answer{}}
		f.workerMu.Lock()
		f.worker = w
		close(f.workerChanged)
		f.workerChanged = make(chan struct{})
		f.workerMu.Unlock()
		started := time.Now()
		var err error
		if w.proc, err = f.start(); err == nil {
			w.conn = w.proc.Conn()
			err = w.run()
		}
		wasReady := isClosed(w.ready)
		if f.ctx.Err() == nil {
			f.buried(w, wasReady, err)
		}
		w.end()
		if f.ctx.Err() != nil {
			return
		}
		if wasReady && (w.hasRun() || time.Since(started) > 5*time.Second) {
			failed = 0
			continue
		}
		// Try again, but not in a tight loop.
		failed++
		pause := min(100*time.Millisecond<<min(failed-1, 10), 5*time.Second) - time.Since(started)
		select {
		case <-time.After(pause):
		case <-f.ctx.Done():
			return
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// run handles what the worker says until it ends. It sets failure.
func (w *worker) run() error {
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-w.f.ctx.Done(): // the front stops: see stopWorker for the polite part
			time.Sleep(w.f.cfg.shutdownGrace)
			w.proc.Kill()
		case <-stop:
		}
	}()
	var err error
	for {
		var m protocol.Message
		if m, err = w.conn.Receive(); err != nil {
			break
		}
		w.handle(m)
	}
	if w.f.ctx.Err() != nil {
		// The kernel ends: the worker gets a moment to end by itself, and nobody needs to know how it ended.
		ended := make(chan struct{})
		go func() { w.proc.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(w.f.cfg.shutdownGrace):
		}
		w.proc.Kill()
		w.conn.Close()
		return err
	}
	w.proc.Kill() // it may have closed its socket and gone on
	report, status := w.proc.Wait()
	w.conn.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if report != "" {
		w.f.log.printf("worker: %s", report)
	}
	switch {
	case w.killed != nil:
		w.failure = w.killed
	case report != "":
		w.failure = crashFailure(report, status)
	case w.fatal != "":
		w.failure = &protocol.Failure{Name: "fatal error", Value: w.fatal}
	default:
		w.failure = crashFailure("", status)
	}
	return fmt.Errorf("%s: %s", w.failure.Name, w.failure.Value)
}

// buried logs and shows the end of a worker that was not asked to end.
func (f *front) buried(w *worker, wasReady bool, err error) {
	f.log.printf("the worker has ended: %v", err)
	w.mu.Lock()
	switch {
	case w.failure == nil:
		w.failure = &protocol.Failure{Name: "WorkerStart", Value: fmt.Sprint("the worker process does not start: ", err)}
	case !wasReady:
		w.failure = &protocol.Failure{Name: "WorkerStart", Value: "the worker process ended before it was ready: " + w.failure.Name + ": " + w.failure.Value,
			Traceback: append(append([]string(nil), w.failure.Traceback...), "The front tries again. Its log has more.")}
	default:
		notice := "The worker process has ended and was replaced."
		if w.firstRun > 0 {
			notice += fmt.Sprintf(" Variables, functions and imports are lost; re-run from In[%d].", w.firstRun)
			if len(f.past.list()) > 0 {
				notice += " %restore replays the declarations of all cells that have succeeded."
			}
		}
		x := *w.failure
		x.Traceback = append(append([]string(nil), x.Traceback...), notice)
		if len(w.failure.Traceback) == 0 {
			x.Traceback = []string{"\x1b[31m" + x.Name + "\x1b[0m: " + x.Value, notice}
		}
		w.failure = &x
	}
	failure := w.failure
	w.mu.Unlock()
	f.endTask()
	latest := f.cells.find(0)
	for _, id := range f.comms.removeAll() {
		if latest != nil {
			f.publishCommClose(latest.parent, id)
		}
	}
	if latest != nil && f.running.Load() == nil && wasReady {
		text := "\n[godp: "
		for _, line := range failure.Traceback {
			text += line + "\n "
		}
		f.iopub.stream(latest, protocol.Stderr, []byte(text[:len(text)-2]+"]\n"))
		f.iopub.flushNow()
	}
}

// end fails what still waits for an answer.
func (w *worker) end() {
	w.mu.Lock()
	if w.failure == nil {
		w.failure = &protocol.Failure{Name: "KernelShutdown", Value: "the kernel shuts down"}
	}
	pending, failure := w.pending, w.failure
	w.pending = nil
	close(w.dead)
	w.mu.Unlock()
	for _, a := range pending {
		a(nil, failure)
	}
}

// kill ends a worker that has started at once, for a reason that is shown to the user.
func (w *worker) kill(name, why string) {
	w.mu.Lock()
	if w.killed == nil {
		w.killed = &protocol.Failure{Name: name, Value: why}
	}
	w.mu.Unlock()
	w.proc.Kill()
}

// began notes that cell n runs.
func (w *worker) began(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.firstRun == 0 {
		w.firstRun = n
	}
}

// ask sends a request to a worker that is ready; a is called once, by another goroutine.
func (w *worker) ask(id uint64, m protocol.Message, a answer) {
	w.mu.Lock()
	if w.pending == nil {
		failure := w.failure
		w.mu.Unlock()
		a(nil, failure)
		return
	}
	w.pending[id] = a
	w.mu.Unlock()
	if err := w.conn.Send(m); err != nil {
		w.f.log.printf("to the worker: %v", err) // its end will answer
	}
}

// hasRun tells whether a cell was given to it.
func (w *worker) hasRun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.firstRun != 0
}

// answered returns who waits for the reply with this id.
func (w *worker) answered(id uint64) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.pending[id]
	delete(w.pending, id)
	if a == nil {
		w.f.log.repeated("answer", "the worker answered a question that was not asked (%d)", id)
		return func(protocol.Message, *protocol.Failure) {}
	}
	return a
}

// current returns the latest worker, dead or alive, nil before the first.
func (f *front) current() *worker {
	f.workerMu.Lock()
	defer f.workerMu.Unlock()
	return f.worker
}

// readyWorker waits until a worker can take requests. It gives up when the worker cannot be started, when cancel is closed or when the front stops.
func (f *front) readyWorker(cancel <-chan struct{}) (*worker, *protocol.Failure) {
	for {
		if isClosed(cancel) {
			return nil, &protocol.Failure{Name: "interrupted", Value: "the cell was interrupted before it began"}
		}
		f.workerMu.Lock()
		w, changed := f.worker, f.workerChanged
		f.workerMu.Unlock()
		if w == nil {
			select {
			case <-changed:
				continue
			case <-f.ctx.Done():
				return nil, &protocol.Failure{Name: "KernelShutdown", Value: "the kernel shuts down"}
			}
		}
		if isClosed(w.dead) && isClosed(w.ready) {
			// It died and its successor is about to be announced.
			select {
			case <-changed:
				continue
			case <-f.ctx.Done():
				return nil, &protocol.Failure{Name: "KernelShutdown", Value: "the kernel shuts down"}
			}
		}
		select {
		case <-w.ready:
			if !isClosed(w.dead) {
				return w, nil
			}
		case <-w.dead:
			if !isClosed(w.ready) {
				return nil, w.failure
			}
		case <-cancel:
			return nil, &protocol.Failure{Name: "interrupted", Value: "the cell was interrupted before it began"}
		case <-f.ctx.Done():
			return nil, &protocol.Failure{Name: "KernelShutdown", Value: "the kernel shuts down"}
		}
	}
}

// ask asks the worker as soon as there is one that is ready. a is called once, possibly before ask returns.
func (f *front) ask(id uint64, m protocol.Message, a answer) {
	if w := f.current(); w != nil && isClosed(w.ready) && !isClosed(w.dead) {
		w.ask(id, m, a)
		return
	}
	go func() {
		w, failure := f.readyWorker(nil)
		if failure != nil {
			a(nil, failure)
			return
		}
		w.ask(id, m, a)
	}()
}

// handle handles one message of the worker. All of them pass here in order, so output precedes the end of its cell.
func (w *worker) handle(m protocol.Message) {
	f := w.f
	defer func() {
		if p := recover(); p != nil {
			f.log.printf("handling %T of the worker panicked: %v\n%s", m, p, debug.Stack())
		}
	}()
	switch m := m.(type) {
	case *protocol.Ready:
		if m.Protocol != protocol.Version {
			w.kill("WorkerStart", fmt.Sprintf("the worker speaks version %d of the protocol, the front %d: "+
				"the program was replaced while the kernel ran; restart the kernel", m.Protocol, protocol.Version))
			return
		}
		if !isClosed(w.ready) {
			if cells := f.past.list(); w.replaces && len(cells) > 0 {
				w.conn.Send(&protocol.Past{Cells: cells})
			}
			f.restoreDebugger(w, func() { close(w.ready) })
			if w.replaces {
				f.log.printf("worker %d (%s) has taken its place", m.PID, m.Info)
			}
		}
	case *protocol.Stream:
		if c := f.visible(m.Cell); c != nil && (m.Name == protocol.Stdout || m.Name == protocol.Stderr) {
			f.iopub.stream(c, m.Name, m.Text)
		}
	case *protocol.Display:
		if c := f.visible(m.Cell); c != nil {
			t := "display_data"
			if m.Update {
				t = "update_display_data"
			}
			n := len(m.Data)
			for _, b := range m.Buffer {
				n += len(b)
			}
			f.iopub.display(c, wire.Outgoing{Type: t, Parent: c.parent, Buffers: m.Buffer, Content: object(
				field{"data", m.Data}, field{"metadata", m.Metadata}, field{"transient", m.Transient})}, m.Update, string(m.Transient), n)
			f.iopub.sock.Wait(f.ctx, highWater)
		}
	case *protocol.Clear:
		if c := f.visible(m.Cell); c != nil {
			f.iopub.clear(c, m.Wait)
		}
	case *protocol.Result:
		if c := f.visible(m.Cell); c != nil {
			f.history.SetOutput(c.n, plainText(m.Data))
			f.iopub.publish(wire.Outgoing{Type: "execute_result", Parent: c.parent, Content: object(
				field{"execution_count", strconv.AppendInt(nil, int64(c.n), 10)}, field{"data", m.Data}, field{"metadata", m.Metadata})})
		}
	case *protocol.Error:
		if c := f.visible(m.Cell); c != nil {
			f.iopub.publish(wire.Outgoing{Type: "error", Parent: c.parent, Content: failureContent(&m.Failure)})
		}
		// A cell whose goroutine fails while it runs has failed, also where it is silent.
		if c := f.running.Load(); c != nil && c.id == m.Cell {
			c.mu.Lock()
			if c.failure == nil {
				c.failure = &m.Failure
			}
			c.mu.Unlock()
		}
	case *protocol.InputRequest:
		f.askUser(w, m)
	case *protocol.Comm:
		f.commFromWorker(m)
	case *protocol.Stuck:
		for _, c := range []*cell{f.running.Load(), f.task.Load()} {
			if c != nil && c.id == m.Cell {
				f.stuck(w, c)
				break
			}
		}
	case *protocol.Task:
		f.runsTask(m)
	case *protocol.Done:
		w.answered(m.ID)(m, nil)
	case *protocol.CompleteReply:
		w.answered(m.ID)(m, nil)
	case *protocol.InspectReply:
		w.answered(m.ID)(m, nil)
	case *protocol.IsCompleteReply:
		w.answered(m.ID)(m, nil)
	case *protocol.LookReply:
		w.answered(m.ID)(m, nil)
	case *protocol.ExpressionReply:
		w.answered(m.ID)(m, nil)
	case *protocol.DebugReply:
		w.answered(m.ID)(m, nil)
	case *protocol.DebugEvent:
		f.debugEvent(m)
	case *protocol.Fatal:
		w.mu.Lock()
		w.fatal = m.Text
		w.mu.Unlock()
	case *protocol.Log:
		f.log.printf("worker: %s", m.Text)
	default:
		f.log.repeated("kind", "the worker sent a %T, which only the front sends", m)
	}
}

// stray shows what the worker's runtime printed under the latest cell.
func (f *front) stray(text []byte) {
	if c := f.visible(0); c != nil {
		f.iopub.stream(c, protocol.Stderr, text)
	}
}

// visible returns the cell whose output is labelled id, nil when it is to be dropped: a silent cell's, or before the first cell.
func (f *front) visible(id uint64) *cell {
	c := f.cells.find(id)
	if c == nil || c.silent {
		return nil
	}
	return c
}
