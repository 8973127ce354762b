package session

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

func (s *Session) hasShell() bool { return !s.cfg.NoShell }

// shell is !COMMAND: sh runs it in the session's folder with its environment and no input.
func (s *Session) shell(x *call) Outcome { return s.command(x, "sh", "-c", x.arg) }

// bash is %%bash.
func (s *Session) bash(x *call) Outcome { return s.command(x, "bash", "-c", x.body) }

// afterShell is how long output is waited for once the command itself has ended. A process that it left in the
// background may hold the streams open for ever; what it puts out later is shown when it comes.
const afterShell = 500 * time.Millisecond

func (s *Session) command(x *call, name string, args ...string) Outcome {
	c := exec.Command(name, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	done := make(chan struct{})
	var copies sync.WaitGroup
	pipe := func(w io.Writer) (*os.File, error) {
		r, end, err := os.Pipe()
		if err == nil {
			copies.Go(func() { // it lives as long as the processes that hold the other end
				io.Copy(w, r)
				r.Close()
			})
		}
		return end, err
	}
	out, err := pipe(s.cfg.Stdout)
	if err != nil {
		return x.fail(err)
	}
	defer out.Close()
	errs := out
	if s.cfg.Stderr != s.cfg.Stdout {
		if errs, err = pipe(s.cfg.Stderr); err != nil {
			return x.fail(err)
		}
		defer errs.Close()
	}
	c.Stdout, c.Stderr = out, errs
	go func() { copies.Wait(); close(done) }()
	if err := c.Start(); err != nil {
		return x.fail(err)
	}
	out.Close() // the processes have them
	errs.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err = <-ended:
	case <-x.ctx.Done():
		syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // the whole group
		<-ended
	}
	select {
	case <-done:
	case <-time.After(afterShell):
	}
	var exit *exec.ExitError
	switch {
	case x.ctx.Err() != nil:
		return Outcome{Err: errInterrupted}
	case errors.As(err, &exit):
		e := x.errorf("the command failed: %v", exit) // exit status 1, or the signal
		e.Name = "CommandFailed"
		return Outcome{Err: e}
	case err != nil:
		return x.fail(err)
	}
	return Outcome{}
}
