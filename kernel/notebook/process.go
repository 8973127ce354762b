package notebook

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.org/godp/kernel/worker/protocol"
)

// Process is a Kernel in a worker process: the same interpreter under the same limits as in Jupyter, so a notebook
// does in "godp run" what it does there.
//
// One goroutine receives what the worker says, from its start to its end.
type Process struct {
	cmd    *exec.Cmd
	conn   *protocol.Conn
	report chan string // what the process said when it died
	wait   func() error
	stdin  *bufio.Reader
	ended  chan struct{} // closed when no more messages come

	// Stuck is told when a cell that was interrupted does not stop. If it is nil the process is ended then.
	Stuck func()
	// Idle is shown what is put out while no cell runs. If it is nil the next cell shows it.
	Idle func(protocol.Message)

	mu      sync.Mutex
	id      uint64
	waiting map[uint64]chan protocol.Message // who waits for the reply with this id
	show    func(protocol.Message)           // of the running cell
	early   []protocol.Message               // came while no cell ran
	reason  string                           // why the process has ended, where that is known
	lost    error                            // the end of the connection; set when ended is closed
}

// StartProcess starts a worker: name and args make the command. Cells that ask for input read lines from stdin; nil
// means that there is none.
func StartProcess(stdin io.Reader, name string, args ...string) (*Process, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("starting the interpreter: %w", err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.SetNonblock(fds[0], true)
	ours, theirs := os.NewFile(uintptr(fds[0]), "worker"), os.NewFile(uintptr(fds[1]), "front")
	r, w, err := os.Pipe()
	if err != nil {
		ours.Close()
		theirs.Close()
		return nil, fmt.Errorf("starting the interpreter: %w", err)
	}
	p := &Process{cmd: exec.Command(name, args...), conn: protocol.NewConn(ours), report: make(chan string, 1),
		ended: make(chan struct{}), waiting: map[uint64]chan protocol.Message{}}
	p.cmd.ExtraFiles = []*os.File{theirs, w} // descriptors 3 and 4
	if stdin != nil {
		p.stdin = bufio.NewReader(stdin)
	}
	err = p.cmd.Start()
	theirs.Close() // or the end of the process would not be seen
	w.Close()
	if err != nil {
		ours.Close()
		r.Close()
		return nil, fmt.Errorf("starting the interpreter: %w", err)
	}
	p.wait = sync.OnceValue(p.cmd.Wait)
	go func() {
		p.report <- fatalReport(r)
		r.Close()
	}()
	m, err := p.conn.Receive()
	if err != nil {
		err = p.death(err)
		p.Close()
		return nil, err
	}
	switch m := m.(type) {
	case *protocol.Ready:
		if m.Protocol != protocol.Version {
			p.Close()
			return nil, fmt.Errorf("starting the interpreter: %s speaks version %d of the worker protocol, this program version %d", name, m.Protocol, protocol.Version)
		}
		go p.receive()
		return p, nil
	case *protocol.Fatal:
		p.Close()
		return nil, errors.New(m.Text)
	}
	p.Close()
	return nil, fmt.Errorf("starting the interpreter: unexpected first message %T", m)
}

// Close ends the process.
func (p *Process) Close() error {
	p.conn.Send(&protocol.Shutdown{})
	timer := time.AfterFunc(time.Second, func() { p.cmd.Process.Kill() })
	defer timer.Stop()
	p.wait()
	return p.conn.Close()
}

// receive takes what the worker says.
func (p *Process) receive() {
	for {
		m, err := p.conn.Receive()
		if err != nil {
			p.mu.Lock()
			p.lost = err
			p.mu.Unlock()
			close(p.ended)
			return
		}
		switch m := m.(type) {
		case *protocol.Done:
			p.replied(m.ID, m)
		case *protocol.CompleteReply:
			p.replied(m.ID, m)
		case *protocol.InspectReply:
			p.replied(m.ID, m)
		case *protocol.IsCompleteReply:
			p.replied(m.ID, m)
		case *protocol.Fatal:
			p.mu.Lock()
			p.reason = m.Text
			p.mu.Unlock()
		case *protocol.Stuck:
			if p.Stuck != nil {
				p.Stuck()
			} else {
				p.Kill("the cell was interrupted but did not stop (it is inside a compiled call), so it was ended")
			}
		case *protocol.InputRequest:
			p.answer(m)
		case *protocol.Stream, *protocol.Display, *protocol.Clear, *protocol.Result, *protocol.Error, *protocol.Comm:
			p.shown(m)
		}
	}
}

// replied hands a reply to whoever waits for it.
func (p *Process) replied(id uint64, m protocol.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.waiting[id]; c != nil {
		delete(p.waiting, id)
		if _, cell := m.(*protocol.Done); cell {
			p.show = nil
		}
		c <- m
	}
}

func (p *Process) shown(m protocol.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.show != nil:
		p.show(m)
	case p.Idle != nil:
		p.Idle(m)
	default:
		p.early = append(p.early, m)
	}
}

// Kill ends the process at once. A cell that runs fails with the reason.
func (p *Process) Kill(reason string) {
	p.mu.Lock()
	if p.reason == "" {
		p.reason = reason
	}
	p.mu.Unlock()
	p.cmd.Process.Kill()
}

// request sends a request that make gives its id, and returns where its reply will come.
func (p *Process) request(show func(protocol.Message), make_ func(id uint64) protocol.Message) (uint64, chan protocol.Message, error) {
	reply := make(chan protocol.Message, 1)
	p.mu.Lock()
	p.id++
	id := p.id
	p.waiting[id] = reply
	if show != nil {
		for _, m := range p.early {
			show(m)
		}
		p.show, p.early = show, nil
	}
	p.mu.Unlock()
	err := p.conn.Send(make_(id))
	return id, reply, err
}

// await waits for a reply.
func (p *Process) await(reply chan protocol.Message) (protocol.Message, error) {
	select {
	case m := <-reply:
		return m, nil
	case <-p.ended:
		select {
		case m := <-reply: // it came last
			return m, nil
		default:
		}
		return nil, p.why()
	}
}

// why explains why there will be no reply.
func (p *Process) why() error {
	p.mu.Lock()
	reason, lost := p.reason, p.lost
	p.show = nil
	p.mu.Unlock()
	if reason != "" {
		return errors.New(reason)
	}
	return p.death(lost)
}

// Execute runs a cell. When ctx is cancelled the cell is interrupted; a cell that does not stop in a few seconds ends
// with its process, unless Stuck is set.
func (p *Process) Execute(ctx context.Context, n int, code string, show func(protocol.Message)) (*protocol.Failure, error) {
	id, reply, err := p.request(show, func(id uint64) protocol.Message {
		return &protocol.Execute{ID: id, N: n, Code: code, AllowStdin: p.stdin != nil}
	})
	if err != nil {
		<-p.ended
		return nil, p.why()
	}
	stop := context.AfterFunc(ctx, func() { p.conn.Send(&protocol.Interrupt{Cell: id}) })
	defer stop()
	m, err := p.await(reply)
	if err != nil {
		return nil, err
	}
	return m.(*protocol.Done).Failure, nil
}

// Complete asks for completions at a cursor (a byte offset). It returns nil where the process has ended.
func (p *Process) Complete(code string, cursor int) *protocol.CompleteReply {
	_, reply, err := p.request(nil, func(id uint64) protocol.Message { return &protocol.Complete{ID: id, Code: code, Cursor: cursor} })
	if err != nil {
		return nil
	}
	m, err := p.await(reply)
	if err != nil {
		return nil
	}
	return m.(*protocol.CompleteReply)
}

// IsComplete tells whether a cell can be run as it stands: complete, incomplete (with the indent of the next line), invalid or unknown.
func (p *Process) IsComplete(code string) (status, indent string) {
	_, reply, err := p.request(nil, func(id uint64) protocol.Message { return &protocol.IsComplete{ID: id, Code: code} })
	if err != nil {
		return "unknown", ""
	}
	m, err := p.await(reply)
	if err != nil {
		return "unknown", ""
	}
	r := m.(*protocol.IsCompleteReply)
	return r.Status, r.Indent
}

// SetPast tells the process which cells had succeeded in the one before it, for %restore.
func (p *Process) SetPast(cells []protocol.PastCell) { p.conn.Send(&protocol.Past{Cells: cells}) }

// answer reads a line for a cell from this program's standard input.
func (p *Process) answer(m *protocol.InputRequest) {
	if m.Prompt != "" {
		p.shown(&protocol.Stream{Cell: m.Cell, Name: protocol.Stdout, Text: []byte(m.Prompt)})
	}
	go func() { // an interrupt must get through while nobody types
		line, err := p.stdin.ReadString('\n')
		r := &protocol.InputReply{Seq: m.Seq, Value: strings.TrimRight(line, "\r\n")}
		if err != nil && line == "" {
			r.Error = "there is no more input"
		}
		p.conn.Send(r)
	}()
}

// death explains why the process is gone.
func (p *Process) death(err error) error {
	status := p.wait()
	report := <-p.report
	p.report <- report
	switch {
	case report != "":
		return fmt.Errorf("the interpreter died: %s", report)
	case status != nil:
		return fmt.Errorf("the interpreter ended: %w", status)
	case err == io.EOF:
		return errors.New("the interpreter ended (os.Exit in compiled code?)")
	}
	return fmt.Errorf("the interpreter ended: %w", err)
}

// fatalReport reads all that the dying process says and keeps the reason.
func fatalReport(r io.Reader) string {
	const keep = 1 << 20
	var b bytes.Buffer
	io.Copy(&b, io.LimitReader(r, keep))
	io.Copy(io.Discard, r)
	var reason []string
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "runtime: goroutine stack") || strings.HasPrefix(line, "runtime: out of memory") {
			reason = append(reason, strings.TrimSpace(line))
		}
	}
	return strings.Join(reason, "; ")
}
