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
type Process struct {
	cmd    *exec.Cmd
	conn   *protocol.Conn
	report chan string // what the process said when it died
	wait   func() error
	stdin  *bufio.Reader
	id     uint64
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
	p := &Process{cmd: exec.Command(name, args...), conn: protocol.NewConn(ours), report: make(chan string, 1)}
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

// Execute runs a cell. When ctx is cancelled the cell is interrupted; a cell that does not stop in a few seconds ends
// with its process.
func (p *Process) Execute(ctx context.Context, n int, code string, show func(protocol.Message)) (*protocol.Failure, error) {
	p.id++
	id := p.id
	if err := p.conn.Send(&protocol.Execute{ID: id, N: n, Code: code, AllowStdin: p.stdin != nil}); err != nil {
		return nil, p.death(err)
	}
	stop := context.AfterFunc(ctx, func() { p.conn.Send(&protocol.Interrupt{Cell: id}) })
	defer stop()
	reason := ""
	for {
		m, err := p.conn.Receive()
		if err != nil {
			if reason != "" {
				return nil, errors.New(reason)
			}
			return nil, p.death(err)
		}
		switch m := m.(type) {
		case *protocol.Done:
			if m.ID == id {
				return m.Failure, nil
			}
		case *protocol.Fatal:
			reason = m.Text
		case *protocol.Stuck:
			if ctx.Err() != nil {
				p.cmd.Process.Kill()
				reason = "the cell was interrupted but did not stop (it is inside a compiled call), so it was ended"
			}
		case *protocol.InputRequest:
			p.answer(m, show)
		case *protocol.Comm, *protocol.Log:
		default:
			show(m)
		}
	}
}

// answer reads a line for a cell from this program's standard input.
func (p *Process) answer(m *protocol.InputRequest, show func(protocol.Message)) {
	if m.Prompt != "" {
		show(&protocol.Stream{Cell: m.Cell, Name: protocol.Stdout, Text: []byte(m.Prompt)})
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
