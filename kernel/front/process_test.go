//go:build unix

package front_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

// The test binary plays the other processes too.
func TestMain(m *testing.M) {
	switch os.Getenv("GODP_TEST_ROLE") {
	case "worker":
		kerneltest.FakeProcess()
	case "front":
		os.Setenv("GODP_TEST_ROLE", "worker")
		if err := front.Run(context.Background(), front.Config{ConnectionFile: os.Args[1], WorkerCommand: []string{os.Args[0]}}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case "client": // starts a front and waits to be killed
		os.Setenv("GODP_TEST_ROLE", "front")
		os.Setenv("JPY_PARENT_PID", strconv.Itoa(os.Getpid()))
		cmd := exec.Command(os.Args[0], os.Args[1])
		launcher := os.Getenv("GODP_TEST_LAUNCHER") != ""
		if launcher {
			cmd = exec.Command("sh", "-c", `"$0" "$1" & echo "front $!" >&2; wait`, os.Args[0], os.Args[1])
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		if !launcher {
			fmt.Fprintf(os.Stderr, "front %d\n", cmd.Process.Pid)
		}
		select {}
	}
	os.Exit(m.Run())
}

// processes starts the test binary in a role, in a process group of its own, with a client connected to its front.
type processes struct {
	t      *testing.T
	cmd    *exec.Cmd
	client *kerneltest.Client
	lines  chan string // of stderr
	waited chan error
}

func startProcesses(t *testing.T, role string) *processes {
	t.Helper()
	file, conn := kerneltest.WriteConnection(t, "tcp")
	p := &processes{t: t, cmd: exec.Command(os.Args[0], file), lines: make(chan string, 1000), waited: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), "GODP_TEST_ROLE="+role)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	go func() {
		s := bufio.NewScanner(r)
		for s.Scan() {
			p.lines <- s.Text()
		}
	}()
	go func() { p.waited <- p.cmd.Wait() }()
	p.client = kerneltest.Connect(t, conn)
	t.Cleanup(func() {
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		p.client.Close()
		r.Close()
	})
	return p
}

// pid reads the log until a line names a process by pattern.
func (p *processes) pid(pattern string) int {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	for {
		select {
		case line := <-p.lines:
			if m := re.FindStringSubmatch(line); m != nil {
				pid, _ := strconv.Atoi(m[1])
				return pid
			}
		case <-time.After(kerneltest.Patience):
			p.t.Fatalf("no line %q in the log", pattern)
		}
	}
}

const workerReady = `worker (\d+) is ready`

// gone waits until a process that is not our child has ended.
func gone(t *testing.T, what string, pid int) {
	t.Helper()
	for end := time.Now().Add(kerneltest.Patience); ; time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil && syscall.Kill(pid, 0) == syscall.ESRCH || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s (process %d) still runs", what, pid)
		}
	}
}

func TestRealProcesses(t *testing.T) {
	p := startProcesses(t, "front")
	p.client.Join()
	p.client.Execute("print hello", nil).WantReply("execute_reply ok 1")
	first := p.pid(workerReady)

	// The terminal's or the client's SIGINT for the whole group harms nobody when idle.
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT)
	p.client.Execute("print alive", nil).WantReply("execute_reply ok 2")

	// While a cell runs it is an interrupt.
	id := p.client.SendExecute("print running\nsleep 1h", nil)
	p.client.Next("output", func(m kerneltest.Message) bool { return m.Type == "stream" && m.ParentID() == id })
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT)
	p.client.Await("shell", id).WantReply("execute_reply error 3 interrupted the cell was interrupted")

	// A report travels through the pipe, and a killed worker is replaced.
	wantReplaced(t, p.client.Execute(`crash panic: boom\n\ngoroutine 1 [running]:`, nil), "execute_reply error 4 panic boom", "1")
	second := p.pid(workerReady)
	gone(t, "the crashed worker", first)
	id = p.client.SendExecute("print running\nsleep 1h", nil)
	p.client.Next("output", func(m kerneltest.Message) bool { return m.Type == "stream" && m.ParentID() == id })
	syscall.Kill(second, syscall.SIGKILL)
	wantReplaced(t, p.client.Await("shell", id),
		"execute_reply error 5 WorkerExit the worker process was killed from outside (signal: killed); a common reason is lack of memory", "5")
	third := p.pid(workerReady)
	p.client.Execute("print alive", nil).WantReply("execute_reply ok 6")

	syscall.Kill(p.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case err := <-p.waited:
		if err != nil {
			t.Errorf("after SIGTERM: %v", err)
		}
	case <-time.After(kerneltest.Patience):
		t.Fatal("SIGTERM did not end the front")
	}
	gone(t, "the worker of a front that ended", third)
}

func TestShutdownOfRealProcesses(t *testing.T) {
	p := startProcesses(t, "front")
	p.client.Join()
	id := p.client.SendExecute("print running\nsleep 1h", nil)
	p.client.Next("output", func(m kerneltest.Message) bool { return m.Type == "stream" && m.ParentID() == id })
	worker := p.pid(workerReady)
	p.client.Ask("control", "shutdown_request", M{"restart": false}).WantReply("shutdown_reply ok")
	if err := <-p.waited; err != nil {
		t.Errorf("exit: %v", err)
	}
	gone(t, "the worker", worker)
}

func TestWorkerDiesWithAKilledFront(t *testing.T) {
	p := startProcesses(t, "front")
	p.client.Join()
	p.client.SendExecute("deaf 1h", nil) // also while it is busy
	worker := p.pid(workerReady)
	p.cmd.Process.Kill()
	gone(t, "the worker of a killed front", worker)
}

func TestFrontEndsWhenItsClientDies(t *testing.T) {
	for _, launcher := range []string{"", "1"} {
		t.Setenv("GODP_TEST_LAUNCHER", launcher)
		p := startProcesses(t, "client")
		p.client.Join()
		fr := p.pid(`^front (\d+)`)
		worker := p.pid(workerReady)
		p.cmd.Process.Kill()
		gone(t, "the front of a killed client", fr)
		gone(t, "its worker", worker)
	}
}
