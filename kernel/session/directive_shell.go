package session

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

func (s *Session) hasShell() bool { return !s.cfg.NoShell }

// shell is !COMMAND: sh runs it in the session's folder with its environment and no input.
func (s *Session) shell(x *call) Outcome { return s.command(x, "sh", "-c", x.arg) }

// bash is %%bash.
func (s *Session) bash(x *call) Outcome { return s.command(x, "bash", "-c", x.body) }

// afterShell is how long output is waited for once the command itself has ended. A process that it left in the
// background may hold the streams open for ever.
const afterShell = 500 * time.Millisecond

func (s *Session) command(x *call, name string, args ...string) Outcome {
	c := exec.CommandContext(x.ctx, name, args...)
	c.Stdout, c.Stderr = s.cfg.Stdout, s.cfg.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // the whole group
	c.WaitDelay = afterShell
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case x.ctx.Err() != nil:
		return Outcome{Err: errInterrupted}
	case errors.Is(err, exec.ErrWaitDelay):
		fmt.Fprintln(s.cfg.Stderr, "note: the command left a process running, whose output is no longer shown; send it to a file with > and 2>&1")
		return Outcome{}
	case errors.As(err, &exit):
		e := x.errorf("the command failed: %v", exit) // exit status 1, or the signal
		e.Name = "CommandFailed"
		return Outcome{Err: e}
	case err != nil:
		return x.fail(err)
	}
	return Outcome{}
}
