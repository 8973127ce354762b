package differential

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// run runs a command, and reports whether it ended by itself. It is ended when it has used the processor for the time
// allowed, so that a busy machine changes nothing, or when it waits for something that will not come.
func run(cmd *exec.Cmd, allowed time.Duration) (r result, ended bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
	c.Env, c.Dir = cmd.Env, cmd.Dir
	var out, errs bounded
	c.Stdout, c.Stderr = &out, &errs
	c.WaitDelay = time.Second
	err := c.Start()
	if err == nil {
		done := make(chan struct{})
		go func() { watch(c.Process.Pid, allowed, done); cancel() }()
		err = c.Wait()
		ended = ctx.Err() == nil
		close(done)
	}
	r = result{out.String(), errs.String(), c.ProcessState.ExitCode()}
	if r.Code < 0 && err != nil {
		r.Stderr += "\n" + err.Error()
	}
	return r, ended
}

const (
	look  = 200 * time.Millisecond
	still = 10 * time.Second // a program that does nothing for so long is waiting for ever
)

// watch returns when the process has used its time, has waited too long, or done is closed.
func watch(pid int, allowed time.Duration, done chan struct{}) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	start, last, moved := time.Now(), time.Duration(0), time.Now()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		used, ok := processorTime(pid)
		switch {
		case !ok:
			used = time.Since(start)
			if used > allowed {
				return
			}
		case used > allowed:
			return
		case used-last > 100*time.Millisecond: // the runtime's own goroutines need a little always
			last, moved = used, time.Now()
		case time.Since(moved) > still:
			return
		}
	}
}

// processorTime is what a process has used of the processors, where /proc tells it.
func processorTime(pid int) (time.Duration, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(f[11], 10, 64)
	system, err2 := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100), err1 == nil && err2 == nil
}
