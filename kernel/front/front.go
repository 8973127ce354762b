// Package front is the front process of the kernel: it owns the Jupyter sockets, the history and the supervision of
// the worker, in which cells run. Nothing a cell does can end it.
//
// Goroutines, and what they own:
//
//   - listen, one per channel (shell, control, stdin, heartbeat): reads messages and serves the quick ones at once, so that
//     control messages, completions and the heartbeat are answered while a cell runs.
//   - lane, one for the main shell and one per subshell: serves execute messages one after the other; and one for the comm
//     messages of all of them, which hands them to the worker without waiting for what comes of them.
//   - supervise: starts the worker, reads what it says, and starts the next one when it ends. Output and answers pass through
//     this one goroutine in the order in which the worker sent them.
//   - sockets have goroutines of their own, see package socket.
//
// Everything published passes iopub, whose lock gives it its order. All goroutines end when the context of Run ends;
// shutdown, SIGTERM and the death of the parent process end that context.
package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.org/godp/kernel/history"
	"example.org/godp/kernel/socket"
	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// Config of a front. Zero values stand for the defaults.
type Config struct {
	ConnectionFile string   // required: path of the Jupyter connection file
	WorkerCommand  []string // required: command line of the worker; it inherits protocol.SocketFD and protocol.CrashFD

	Version     string          // shown as implementation_version; default "dev"
	OutputLimit int64           // bytes of text and displays that one cell may put out before the rest is counted only; default 64 MiB, negative for no limit
	Page        bool            // a page is watching through a Jupyter server: keep under the rate at which that throws output away
	Grace       time.Duration   // how long an interrupted cell may take before the user is told; default 500 ms
	KillAfter   time.Duration   // how much later its worker is ended; default 5 s, negative for only at a further interrupt
	History     history.History // default history.NewMemory; Run does not close it
	Log         io.Writer       // default os.Stderr

	// Start starts a worker; by default WorkerCommand is run. Tests put a worker of their own here.
	Start func() (Process, error)

	shutdownGrace time.Duration
}

// front is a running kernel.
type front struct {
	cfg     Config
	ctx     context.Context
	stop    context.CancelFunc
	wg      sync.WaitGroup
	log     *logger
	conn    *connection
	codec   *wire.Codec
	replay  wire.Replay
	iopub   *iopub
	stdin   *channel
	history history.History
	start   func() (Process, error)

	exec      turn                 // held while a cell runs
	numbering sync.Mutex           // of count
	count     atomic.Int64         // execution count
	running   atomic.Pointer[cell] // the cell that runs
	task      atomic.Pointer[cell] // what the function was called for that the worker runs between cells
	cells     cells
	past      past
	comms     comms
	debug     debugState

	lanesMu sync.Mutex
	lanes   map[string]*lane // by subshell; "" is the main shell

	commLane *lane

	inputsMu sync.Mutex
	inputs   []input

	workerMu      sync.Mutex
	worker        *worker
	workerChanged chan struct{} // closed when there is a new worker
}

// linger is how long the sockets may take to send what is queued when the kernel ends.
const linger = 500 * time.Millisecond

// Run runs the kernel until a client shuts it down, the process is told to end (SIGTERM, SIGHUP), its parent dies or ctx ends.
// These ends are not errors. An unusable connection file or a port that is taken is.
func Run(ctx context.Context, cfg Config) error {
	conn, err := readConnection(cfg.ConnectionFile)
	if err != nil {
		return err
	}
	codec, err := wire.NewCodec(conn.Scheme, conn.Key)
	if err != nil {
		return err
	}
	if cfg.Version == "" {
		cfg.Version = "dev"
	}
	if cfg.OutputLimit == 0 {
		cfg.OutputLimit = 64 << 20
	}
	if cfg.Grace == 0 {
		cfg.Grace = 500 * time.Millisecond
	}
	if cfg.KillAfter == 0 {
		cfg.KillAfter = 5 * time.Second
	}
	if cfg.History == nil {
		cfg.History = history.NewMemory()
	}
	if cfg.Log == nil {
		cfg.Log = os.Stderr
	}
	cfg.shutdownGrace = 50 * time.Millisecond

	f := &front{cfg: cfg, log: &logger{w: cfg.Log}, conn: conn, codec: codec, history: cfg.History,
		lanes: map[string]*lane{}, workerChanged: make(chan struct{}), start: cfg.Start, exec: newTurn()}
	f.ctx, f.stop = context.WithCancel(ctx)
	defer f.stop()
	if f.start == nil {
		s := newStarter()
		var stderr io.Writer = f.log
		if file, ok := cfg.Log.(*os.File); ok {
			stderr = file // inherited as it is
		}
		f.start = func() (Process, error) { return s.start(cfg.WorkerCommand, stderr, f.stray) }
	}
	f.iopub = &iopub{codec: codec, log: f.log, limit: cfg.OutputLimit, ctx: f.ctx}
	if cfg.Page {
		f.iopub.page = newAllowance(pageBurst, pageRate)
	}
	f.wg.Go(f.supervise) // the worker starts while the sockets are opened

	var sockets []*socket.Socket
	defer func() {
		f.stop()
		var wg sync.WaitGroup
		for _, s := range sockets {
			wg.Go(func() { s.Close(linger) })
		}
		wg.Wait()
		f.wg.Wait()
	}()
	open := func(kind socket.Kind, name string, port int) (*socket.Socket, error) {
		s, err := socket.Listen(kind, conn.endpoint(port), socket.Options{
			OnSubscribe: f.iopub.subscribed,
			Log:         func(format string, a ...any) { f.log.repeated(name+format, name+": "+format, a...) },
		})
		if err != nil {
			if errors.Is(err, syscall.EADDRINUSE) {
				err = fmt.Errorf("%w: is another kernel running with this connection file?", err)
			}
			return nil, fmt.Errorf("connection file %s: opening %s: %w", cfg.ConnectionFile, name, err)
		}
		sockets = append(sockets, s)
		return s, nil
	}
	// iopub's lock keeps subscribers waiting until its socket is known.
	f.iopub.mu.Lock()
	f.iopub.sock, err = open(socket.XPub, "iopub", conn.IOPub)
	f.iopub.mu.Unlock()
	if err != nil {
		return err
	}
	var channels []*channel
	for _, c := range []namedPort{{"shell", conn.Shell}, {"control", conn.Control}, {"stdin", conn.Stdin}} {
		s, err := open(socket.Router, c.name, c.port)
		if err != nil {
			return err
		}
		channels = append(channels, &channel{c.name, s})
	}
	f.stdin = channels[2]
	heartbeat, err := open(socket.Rep, "heartbeat", conn.Heartbeat)
	if err != nil {
		return err
	}

	f.lanes[""], f.commLane = f.newLane(), f.newLane()
	f.iopub.publish(wire.Outgoing{Type: "status", Content: statusStarting})
	for _, ch := range channels {
		f.wg.Go(func() { f.listen(ch) })
	}
	f.wg.Go(func() { f.beat(heartbeat) })
	f.wg.Go(f.watchParent)
	f.wg.Go(f.signals)
	<-f.ctx.Done()
	return nil
}

// beat sends the heartbeat's messages back.
func (f *front) beat(s *socket.Socket) {
	for {
		select {
		case in := <-s.Incoming():
			s.Send(in.Peer, in.Frames)
		case <-f.ctx.Done():
			return
		}
	}
}

// signals: SIGINT is an interrupt of the running cell, never more, since clients send it to the whole process group, also
// at shutdown; SIGTERM and SIGHUP end the kernel in good order.
func (f *front) signals() {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(c)
	for {
		select {
		case s := <-c:
			if s == syscall.SIGINT {
				f.interrupt(false)
				continue
			}
			f.log.printf("received %v", s)
			f.shutdown(false)
			return
		case <-f.ctx.Done():
			return
		}
	}
}

// shutdown ends the kernel: the worker is asked to end and soon after made to, the sockets send what is queued.
func (f *front) shutdown(restart bool) {
	f.iopub.flushNow()
	if w := f.current(); w != nil && isClosed(w.ready) && !isClosed(w.dead) {
		go w.conn.Send(&protocol.Shutdown{Restart: restart})
	}
	f.stop()
}

// plainText is the text/plain of a bundle's data.
func plainText(data json.RawMessage) string {
	var d struct {
		Plain string `json:"text/plain"`
	}
	json.Unmarshal(data, &d)
	return d.Plain
}
