package front

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.org/godp/kernel/worker/protocol"
)

// Process is a running worker, seen from the front.
type Process interface {
	// Conn talks to the worker.
	Conn() *protocol.Conn
	// Kill ends the worker at once.
	Kill()
	// Wait returns when the worker has ended: what the runtime reported about a fatal error (empty for none),
	// and how the process ended ("exit status 2", "signal: killed").
	Wait() (report, status string)
}

// childProcess is a worker in a process of its own.
type childProcess struct {
	cmd    *exec.Cmd
	conn   *protocol.Conn
	ended  chan struct{}
	report string
	status string
	once   sync.Once
}

// startProcess starts argv as a worker. It must be called from a goroutine that is locked to its thread and lives as long as
// the front: where the system can (Linux), it kills the child when that thread dies.
// What the worker's runtime prints outside of a crash goes to stray.
func startProcess(argv []string, stderr io.Writer, stray func([]byte)) (Process, error) {
	if len(argv) == 0 {
		return nil, fmt.Errorf("no worker command was configured")
	}
	fds, err := socketpair()
	if err != nil {
		return nil, fmt.Errorf("socketpair: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "front"), os.NewFile(uintptr(fds[1]), "worker")
	crash, crashEnd, err := os.Pipe()
	if err != nil {
		ours.Close()
		theirs.Close()
		return nil, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.ExtraFiles = []*os.File{theirs, crashEnd} // become protocol.SocketFD and protocol.CrashFD
	cmd.Stdout, cmd.Stderr = stderr, stderr
	cmd.SysProcAttr = dieWithParent()
	cmd.WaitDelay = 100 * time.Millisecond // a grandchild may keep the pipes of stdout and stderr
	err = cmd.Start()
	theirs.Close()
	crashEnd.Close()
	if err != nil {
		ours.Close()
		crash.Close()
		return nil, err
	}
	p := &childProcess{cmd: cmd, conn: protocol.NewConn(ours), ended: make(chan struct{})}
	text := make(chan string, 1)
	go func() {
		c := crashPipe{stray: stray}
		text <- c.read(crash)
	}()
	go func() {
		err := cmd.Wait()
		p.status = cmd.ProcessState.String()
		if err != nil && cmd.ProcessState == nil {
			p.status = err.Error()
		}
		// A grandchild that inherited the descriptors must not make us wait for it.
		end := time.Now().Add(250 * time.Millisecond)
		crash.SetReadDeadline(end)
		ours.SetReadDeadline(end)
		p.report = <-text
		crash.Close()
		close(p.ended)
	}()
	return p, nil
}

func socketpair() (fds [2]int, err error) {
	syscall.ForkLock.RLock() // no child may inherit them before they are marked
	defer syscall.ForkLock.RUnlock()
	if fds, err = syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0); err != nil {
		return fds, err
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	return fds, syscall.SetNonblock(fds[0], true)
}

func (p *childProcess) Conn() *protocol.Conn { return p.conn }

func (p *childProcess) Kill() { p.once.Do(func() { p.cmd.Process.Kill() }) }

func (p *childProcess) Wait() (report, status string) {
	<-p.ended
	return p.report, p.status
}

// starter starts processes from one thread for as long as the front lives.
type starter struct {
	requests chan func()
}

func newStarter() *starter {
	s := &starter{requests: make(chan func())}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread must outlive its children
		for f := range s.requests {
			f()
		}
		select {} // even after stop: ending the goroutine would end the thread and with it the last worker too early
	}()
	return s
}

func (s *starter) start(argv []string, stderr io.Writer, stray func([]byte)) (p Process, err error) {
	done := make(chan struct{})
	s.requests <- func() {
		defer close(done)
		p, err = startProcess(argv, stderr, stray)
	}
	<-done
	return p, err
}

// crashFailure explains the end of a worker to the user: name and value from the headline of the runtime's report.
func crashFailure(report, status string) *protocol.Failure {
	var head []string
	for line := range strings.Lines(report) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "runtime stack:") || len(head) == 12 {
			break
		}
		if line != "" && !strings.HasPrefix(line, "runtime: sp=") && !strings.HasPrefix(line, "[signal ") {
			head = append(head, line)
		}
	}
	x := &protocol.Failure{Name: "WorkerExit", Value: "the cell ended its worker process: " + status}
	if status == "signal: killed" {
		x.Value = "the worker process was killed from outside (signal: killed); a common reason is lack of memory"
	}
	for _, line := range head {
		if v, ok := strings.CutPrefix(line, "fatal error: "); ok {
			x.Name, x.Value = "fatal error", v
			break
		}
		if v, ok := strings.CutPrefix(line, "panic: "); ok {
			x.Name, x.Value = "panic", v
			break
		}
	}
	x.Traceback = []string{"\x1b[31m" + x.Name + "\x1b[0m: " + x.Value}
	for _, line := range head {
		if line != x.Name+": "+x.Value {
			x.Traceback = append(x.Traceback, line)
		}
	}
	return x
}
