package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// stdinPipe stands behind descriptor 0. A pipe does not say that somebody waits at its other end, but the kernel does:
// a thread of this process that sits in read(0, …) while the pipe is empty is compiled code waiting for a line.
type stdinPipe struct {
	mu      sync.Mutex
	r, w    int
	waiting bool // a question is being asked for a reader of the pipe
	ready   bool
}

const stdinEvery = 50 * time.Millisecond

// captureDescriptor puts an empty pipe behind descriptor 0.
func (in *input) captureDescriptor() error {
	in.pipe.mu.Lock()
	defer in.pipe.mu.Unlock()
	if err := in.pipe.renew(); err != nil {
		return err
	}
	os.Stdin = os.NewFile(0, "/dev/stdin")
	in.pipe.ready = true
	return nil
}

// renew replaces the pipe by an empty one; a reader of the old one gets end of file.
func (p *stdinPipe) renew() error {
	r, w, err := newPipe()
	if err != nil {
		return err
	}
	if err := dup2(r, 0); err != nil {
		return err
	}
	syscall.Close(r)
	if p.ready {
		syscall.Close(p.w)
	}
	p.w = w
	return nil
}

// watchPipe asks for a line whenever a thread waits in read(0) for two looks in a row. The function returned ends it.
func (in *input) watchPipe(ctx context.Context) (stop func()) {
	if !in.pipe.ready {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(stdinEvery)
		defer tick.Stop()
		seen := false
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			now := stdinIsAwaited()
			if !now || !seen {
				seen = now
				continue
			}
			seen = false
			in.answerPipe()
		}
	}()
	return func() { close(done) }
}

// answerPipe asks for one line and gives it to the reader of the pipe; where there is none, the reader gets end of
// file and the reason is printed.
func (in *input) answerPipe() {
	in.reading.Lock()
	line, err := in.question("", false)
	in.reading.Unlock()
	in.pipe.mu.Lock()
	defer in.pipe.mu.Unlock()
	if err != nil {
		if !errors.Is(err, ErrInterrupted) && !errors.Is(err, errNoStdin) {
			fmt.Fprintf(os.Stderr, "%v\n", err)
		}
		in.pipe.renew()
		return
	}
	b := []byte(line + "\n")
	for len(b) > 0 { // a line longer than the pipe's buffer waits for the reader
		n, err := syscall.Write(in.pipe.w, b)
		if err != nil && err != syscall.EINTR {
			return
		}
		b = b[max(n, 0):]
	}
}

// interrupt frees whoever waits for input without a context: a question ends with the cell's context by itself.
func (in *input) interrupt() {
	if in.pipe.ready && stdinIsAwaited() {
		in.pipe.mu.Lock()
		defer in.pipe.mu.Unlock()
		in.pipe.renew()
	}
}

// stdinIsAwaited reports whether a thread of this process waits in read(0, …) and there is nothing to read.
func stdinIsAwaited() bool {
	var n int32
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, 0, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n))); e != 0 || n > 0 {
		return false
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	read := fmt.Sprintf("%d 0x0 ", syscall.SYS_READ)
	for _, t := range tasks {
		b, err := os.ReadFile("/proc/self/task/" + t.Name() + "/syscall")
		if err == nil && strings.HasPrefix(string(b), read) {
			return true
		}
	}
	return false
}
