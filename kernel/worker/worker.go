// Package worker is the process that runs the cells. The front process starts it, talks to it in the messages of
// package protocol, and replaces it when it dies.
//
// Goroutines of a worker, and who ends them:
//
//   - Serve's caller receives messages; it returns when the front closes the socket or asks for a shutdown.
//   - the queue's run executes cells, expressions and the handlers of widgets one after the other; it ends when Serve closes its queue.
//   - comms delivers comm messages in the order in which they come, also while a cell runs; it ends with Serve.
//   - debugger hands debug requests to the engine in their order; it ends when Serve closes its queue.
//   - each completion, inspection and is-complete question is answered by a goroutine of its own.
//   - while a cell runs: the watchdog and, on Linux, the watcher of standard input; both end with the cell.
//   - one reader for each captured descriptor; they live as long as the process.
//
// Whatever a cell shows goes through one lock (type output), so streams and displays arrive in the order in which
// the program made them.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/session"
	"example.org/godp/kernel/worker/protocol"
)

// Config says how a worker works. New is required; the zero value of every other field means its default.
type Config struct {
	New    func(Streams) (Engine, error) // makes the interpreter
	Limits Limits
	Grace  time.Duration // how long an interrupted cell may take to end before the front is told; 0 means 1 s
	Info   string        // one line for the front's log

	Started func() // called when the worker has said that it is ready, before its engine warms up; may be nil
}

const defaultGrace = time.Second

// Errors with which a cell's context is cancelled (context.Cause).
var (
	ErrInterrupted = errors.New("interrupted")
	errGone        = errors.New("the kernel is shutting down")
)

// inherited keeps the first os.Stdin, os.Stdout and os.Stderr alive. They are replaced below, and a file that nobody holds any
// more closes its descriptor when it is collected: 0 and 2 would be gone, and with 2 every crash report.
var inherited = [...]*os.File{os.Stdin, os.Stdout, os.Stderr}

// Main runs a worker on the inherited descriptors and returns the exit status of the process. It takes over the
// process: standard streams, signals and crash reports.
func Main(cfg Config) int {
	var st syscall.Stat_t
	if err := syscall.Fstat(protocol.SocketFD, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		fmt.Fprintln(os.Stderr, "godp worker: descriptor 3 is not a socket: a worker is started by \"godp kernel\", not by hand")
		return 2
	}
	syscall.SetNonblock(protocol.SocketFD, true) // so that a read and a write can wait without a thread each
	sock := os.NewFile(protocol.SocketFD, "front")
	syscall.CloseOnExec(protocol.SocketFD)
	// Jupyter clients send SIGINT to the whole process group. The front decides what an interrupt is. Not
	// signal.Ignore: programs that a cell starts would inherit it.
	sigint := make(chan os.Signal, 1)
	signal.Notify(sigint, os.Interrupt)
	go func() {
		for range sigint {
		}
	}()
	defer runtime.KeepAlive(inherited)
	conn := protocol.NewConn(sock)
	cfg.Limits.apply()
	out := newOutput(conn)
	in := newInput(conn)
	if err := out.captureDescriptors(protocol.CrashFD); err != nil {
		conn.Send(&protocol.Fatal{Text: fmt.Sprintf("godp worker: capturing the standard streams: %v", err)})
		return 1
	}
	if err := in.captureDescriptor(); err != nil {
		conn.Send(&protocol.Fatal{Text: fmt.Sprintf("godp worker: capturing standard input: %v", err)})
		return 1
	}
	if err := serve(conn, cfg, out, in); err != nil {
		conn.Send(&protocol.Fatal{Text: fmt.Sprintf("godp worker: %v", err)})
		return 1
	}
	return 0
}

// Serve runs a worker over any stream, without touching the process's own descriptors. It returns when the front
// closes the stream or asks for a shutdown.
func Serve(rw io.ReadWriteCloser, cfg Config) error {
	conn := protocol.NewConn(rw)
	return serve(conn, cfg, newOutput(conn), newInput(conn))
}

type server struct {
	cfg    Config
	conn   *protocol.Conn
	out    *output
	in     *input
	engine Engine
	limits *session.Limits
	queue  *queue
	comms  *comms
	tasks  *tasks
	debug  chan *protocol.Debug

	mu      sync.Mutex
	running map[uint64]*execution // received and not yet done
}

// execution is one Execute or Expression request on its way, or a task between them.
type execution struct {
	id, cell uint64
	req      *protocol.Execute
	task     bool // neither, but the handler of a widget
	ctx      context.Context
	cancel   context.CancelCauseFunc
}

func serve(conn *protocol.Conn, cfg Config, out *output, in *input) error {
	s := &server{cfg: cfg, limits: session.NewLimits(cfg.Limits.heap()), conn: conn, out: out, in: in, queue: newQueue(),
		debug: make(chan *protocol.Debug, 1024), running: map[uint64]*execution{}}
	engine, err := cfg.New(Streams{Stdout: out.writer(protocol.Stdout), Stderr: out.writer(protocol.Stderr), Stdin: in, Panic: out.fail, DebugEvent: s.debugEvent, Limits: s.limits})
	if err != nil {
		return fmt.Errorf("starting the interpreter: %w", err)
	}
	s.engine = engine
	defer display.SetSink(display.SetSink(out.display))
	display.SetAsker(in.ask)
	defer display.SetAsker(nil)
	if err := conn.Send(&protocol.Ready{Protocol: protocol.Version, PID: os.Getpid(), Info: cfg.Info}); err != nil {
		return err
	}
	if cfg.Started != nil {
		cfg.Started()
	}
	if w, ok := engine.(interface{ Warm() }); ok { // the front has work of its own meanwhile
		w.Warm()
	}
	s.comms, s.tasks = newComms(s), &tasks{s: s}
	defer comm.SetHost(comm.SetHost(s.host()))
	go s.comms.run()
	go s.queue.run()
	defer s.queue.close()
	defer s.comms.close()
	go s.debugger()
	defer close(s.debug)
	defer s.cancelAll()
	for {
		m, err := conn.Receive()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading from the kernel's front: %w", err)
		}
		if _, ok := m.(*protocol.Shutdown); ok {
			s.out.flush()
			conn.Close()
			return nil
		}
		s.handle(m)
	}
}

func (s *server) cancelAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.running {
		e.cancel(errGone)
	}
}

func (s *server) handle(m protocol.Message) {
	switch m := m.(type) {
	case *protocol.Execute:
		e := s.accept(m.ID, m.ID)
		e.req = m
		s.queue.push(func() { s.execute(e) })
	case *protocol.Interrupt:
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range s.running {
			if m.Cell == 0 || m.Cell == e.cell || e.task { // a cell that is to stop may be waiting for a task
				e.cancel(ErrInterrupted)
			}
		}
	case *protocol.Expression:
		e := s.accept(m.ID, m.Cell)
		s.queue.push(func() { s.expression(m, e) })
	case *protocol.Comm:
		s.comms.push(m)
	case *protocol.Past:
		past := make([]session.PastCell, len(m.Cells))
		for i, c := range m.Cells {
			past[i] = session.PastCell(c)
		}
		s.queue.push(func() { s.engine.SetPast(past) })
	case *protocol.Look:
		go s.look(m)
	case *protocol.Debug:
		s.debug <- m
	case *protocol.InputReply:
		s.in.reply(m)
	case *protocol.Complete:
		go s.guard(func() protocol.Message {
			c := s.engine.Complete(m.Code, m.Cursor)
			r := &protocol.CompleteReply{ID: m.ID, Start: c.Start, End: c.End, Matches: []protocol.Match{}}
			for _, x := range c.Matches {
				r.Matches = append(r.Matches, protocol.Match{Text: x.Text, Type: x.Type, Signature: x.Signature})
			}
			return r
		}, &protocol.CompleteReply{ID: m.ID, Matches: []protocol.Match{}, Start: m.Cursor, End: m.Cursor})
	case *protocol.Inspect:
		go s.guard(func() protocol.Message {
			b, ok := s.engine.Inspect(m.Code, m.Cursor, m.Detail)
			return &protocol.InspectReply{ID: m.ID, Found: ok, Bundle: wireBundle(b)}
		}, &protocol.InspectReply{ID: m.ID})
	case *protocol.IsComplete:
		go s.guard(func() protocol.Message {
			status, indent := s.engine.IsComplete(m.Code)
			return &protocol.IsCompleteReply{ID: m.ID, Status: status, Indent: indent}
		}, &protocol.IsCompleteReply{ID: m.ID, Status: "unknown"})
	default:
		s.conn.Send(&protocol.Log{Text: fmt.Sprintf("worker: message %T is not for a worker", m)})
	}
}

// accept makes the context of a request before the request runs, so that an interrupt that overtakes it is not lost.
func (s *server) accept(id, cell uint64) *execution {
	e := &execution{id: id, cell: cell}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id] = e
	return e
}

// busy reports whether cells or expressions run or wait.
func (s *server) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running) > 0
}

func (s *server) finish(e *execution) {
	s.mu.Lock()
	delete(s.running, e.id)
	s.mu.Unlock()
	e.cancel(nil)
}

// guard sends what f returns; where f panics, which is a fault of the kernel, it logs that and sends instead.
func (s *server) guard(f func() protocol.Message, instead protocol.Message) {
	defer func() {
		if p := recover(); p != nil {
			s.conn.Send(&protocol.Log{Text: fmt.Sprintf("worker: %T: panic: %v\n%s", instead, p, debug.Stack())})
			s.conn.Send(instead)
		}
	}()
	s.conn.Send(f())
}

func (s *server) expression(m *protocol.Expression, e *execution) {
	defer s.finish(e)
	s.guard(func() protocol.Message {
		leave := s.out.enter(m.Cell)
		defer leave()
		defer s.watch(e)()
		b, err := s.engine.Expression(e.ctx, m.N, m.Code)
		if err != nil {
			err = explain(err, context.Cause(e.ctx))
		}
		s.out.flush()
		r := &protocol.ExpressionReply{ID: m.ID, Failure: failure(err)}
		if err == nil {
			r.Bundle = wireBundle(b)
		}
		return r
	}, &protocol.ExpressionReply{ID: m.ID, Failure: internal("the expression could not be evaluated")})
}
