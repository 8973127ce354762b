//go:build unix

package worker

import (
	"fmt"
	"log"
	"os"
	"syscall"

	"example.org/godp/kernel/worker/protocol"
)

// pipe is the reading end of a captured stream.
type pipe struct {
	name string
	fd   int
	file *os.File
	buf  []byte
}

// drain sends all that can be read without waiting. The output's lock is held.
func (p *pipe) drain(o *output) (eof bool) {
	for {
		n, err := syscall.Read(p.fd, p.buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 { // EAGAIN: empty
			return err == nil
		}
		o.stream(o.cell.Load(), p.name, p.buf[:n])
		if n < len(p.buf) {
			return false
		}
	}
}

// captureDescriptors puts pipes behind os.Stdout and os.Stderr, so that what compiled code and child processes write is
// shown too.
//
// Descriptor 2 itself becomes the pipe on which the front reads crash reports. Only the runtime and the built-in
// println of compiled code write there. They may do so while every goroutine is stopped, so nobody in this process
// could read it; and a report that stayed in this process would die with it. (debug.SetCrashOutput leaves out the
// line that says why.)
func (o *output) captureDescriptors(crash int) error {
	var ends [2]int
	for i, name := range []string{protocol.Stdout, protocol.Stderr} {
		r, w, err := newPipe()
		if err != nil {
			return fmt.Errorf("making a pipe: %w", err)
		}
		ends[i] = w
		growPipe(w)
		if err := syscall.SetNonblock(r, true); err != nil {
			return err
		}
		o.pipes = append(o.pipes, &pipe{name: name, fd: r, file: os.NewFile(uintptr(r), name), buf: make([]byte, 64<<10)})
	}
	if err := dup2(ends[0], 1); err != nil {
		return err
	}
	syscall.Close(ends[0])
	if err := dup2(crash, 2); err != nil {
		return fmt.Errorf("no pipe for crash reports at descriptor %d: %w", crash, err)
	}
	syscall.Close(crash)
	os.Stdout = os.NewFile(1, "/dev/stdout")
	os.Stderr = os.NewFile(uintptr(ends[1]), "/dev/stderr")
	log.SetOutput(os.Stderr)
	for _, p := range o.pipes {
		go o.read(p)
	}
	return nil
}

// read waits for data in p and sends it. Whoever shows something else meanwhile drains the pipe first, see drain.
func (o *output) read(p *pipe) {
	c, err := p.file.SyscallConn()
	if err != nil {
		return
	}
	c.Read(func(uintptr) (done bool) {
		o.mu.Lock()
		defer o.mu.Unlock()
		return p.drain(o)
	})
}
