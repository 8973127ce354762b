package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"example.org/godp/kernel/worker/protocol"
)

// input is standard input. The interpreter's own readers (fmt.Scan) call Read, which asks the person at the front end
// for a line. Compiled code that reads os.Stdin blocks on a pipe; stdinpipe_linux.go notices that and asks likewise.
type input struct {
	conn *protocol.Conn
	pipe stdinPipe

	reading sync.Mutex // one question at a time
	rest    []byte     // of the line read last; under reading

	mu      sync.Mutex
	ctx     context.Context // of the running cell
	cell    uint64
	refuse  func(error) // ends the cell, which may not ask; nil where it may
	seq     uint64
	waiting map[uint64]chan *protocol.InputReply
}

func newInput(conn *protocol.Conn) *input {
	return &input{conn: conn, waiting: map[uint64]chan *protocol.InputReply{}}
}

// errNoStdin is what a cell fails with that reads where nobody can be asked. It ends there, as if interrupted: most cells do not look at the
// error of fmt.Scan, and would go on with a zero.
var errNoStdin = errors.New("this cell reads standard input, but the front end that runs it cannot be asked for any (allow_stdin is false)")

// begin says which cell asks from now on; refuse is called when a cell that is not allowed to asks. The function returned ends that.
func (in *input) begin(ctx context.Context, cell uint64, allowed bool, refuse func(error)) (end func()) {
	if allowed {
		refuse = nil
	}
	in.mu.Lock()
	in.ctx, in.cell, in.refuse = ctx, cell, refuse
	in.mu.Unlock()
	if in.reading.TryLock() { // what an earlier cell left unread is not this cell's
		in.rest = nil
		in.reading.Unlock()
	}
	stop := in.watchPipe(ctx)
	return func() {
		stop()
		in.mu.Lock()
		in.ctx, in.refuse = nil, nil
		in.mu.Unlock()
	}
}

// Read gives the bytes of the line typed next, its newline included.
func (in *input) Read(p []byte) (int, error) {
	in.reading.Lock()
	defer in.reading.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if len(in.rest) == 0 {
		line, err := in.question("", false)
		if err != nil {
			return 0, err
		}
		in.rest = []byte(line + "\n")
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// ask is what display.Input and display.Password call.
func (in *input) ask(prompt string, password bool) (string, error) {
	in.reading.Lock()
	defer in.reading.Unlock()
	return in.question(prompt, password)
}

func (in *input) question(prompt string, password bool) (string, error) {
	in.mu.Lock()
	ctx, cell := in.ctx, in.cell
	if ctx == nil {
		in.mu.Unlock()
		return "", errors.New("standard input can be read only while a cell runs")
	}
	if refuse := in.refuse; refuse != nil {
		in.mu.Unlock()
		refuse(errNoStdin)
		return "", errNoStdin
	}
	in.seq++
	seq := in.seq
	answer := make(chan *protocol.InputReply, 1)
	in.waiting[seq] = answer
	in.mu.Unlock()
	defer func() {
		in.mu.Lock()
		delete(in.waiting, seq)
		in.mu.Unlock()
	}()
	if err := in.conn.Send(&protocol.InputRequest{Cell: cell, Seq: seq, Prompt: prompt, Password: password}); err != nil {
		return "", err
	}
	select {
	case r := <-answer:
		if r.Error != "" {
			return "", fmt.Errorf("standard input: %s", r.Error)
		}
		return r.Value, nil
	case <-ctx.Done():
		return "", fmt.Errorf("waiting for input: %w", context.Cause(ctx))
	}
}

// reply hands an answer to whoever waits for it. An answer that nobody waits for any more is dropped.
func (in *input) reply(m *protocol.InputReply) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if c := in.waiting[m.Seq]; c != nil {
		delete(in.waiting, m.Seq)
		c <- m
	}
}

var _ io.Reader = (*input)(nil)
