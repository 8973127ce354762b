//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a program in a terminal: what a person types and sees.
type terminal struct {
	t   *testing.T
	f   *os.File
	cmd *exec.Cmd

	mu   sync.Mutex
	seen string // since the last expect
}

var controls = regexp.MustCompile("\x1b\\[[0-9;?> ]*[a-zA-Z]|\x1b[=>]|\x1b\\][^\a]*\a")

// openTerminal starts a program in a terminal of 80 columns.
func openTerminal(t *testing.T, env []string, name string, args ...string) *terminal {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var unlock int32
	if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, int(unlock)); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	unix.IoctlSetWinsize(int(f.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 80})
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	x := &terminal{t: t, f: f, cmd: cmd}
	go x.read()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		f.Close()
	})
	return x
}

// read takes what is shown.
func (x *terminal) read() {
	b := make([]byte, 4096)
	for {
		n, err := x.f.Read(b)
		if err != nil {
			return
		}
		text := string(b[:n])
		x.mu.Lock()
		x.seen += text
		x.mu.Unlock()
	}
}

func (x *terminal) typed(keys string) { x.f.WriteString(keys) }

// expect waits until text has been shown since the last time, colours aside, and returns what came up to there.
func (x *terminal) expect(text string) string {
	x.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		x.mu.Lock()
		plain := controls.ReplaceAllString(x.seen, "")
		if i := strings.Index(plain, text); i >= 0 {
			x.seen = plain[i+len(text):]
			x.mu.Unlock()
			return plain[:i]
		}
		x.mu.Unlock()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.t.Fatalf("%q was not shown; since the last time came\n%s\nraw %q", text, controls.ReplaceAllString(x.seen, ""), x.seen[max(0, len(x.seen)-2000):])
	return ""
}

// wait waits for the end of the program.
func (x *terminal) wait() error {
	x.t.Helper()
	done := make(chan error, 1)
	go func() { done <- x.cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		x.t.Fatal("the program does not end")
		return nil
	}
}

func TestReplInATerminal(t *testing.T) {
	history := filepath.Join(t.TempDir(), "history.sqlite")
	plots := t.TempDir()
	start := func() *terminal {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		x := openTerminal(t, []string{asGodp + "=1", "GODP_HISTORY=" + history, "TERM=xterm-256color", "NO_COLOR=", "INPUTRC=/dev/null"}, exe, "repl", "--plots", plots)
		x.expect("Ctrl-D leaves")
		x.expect("In [1]: ")
		return x
	}
	x := start()
	x.typed("x := 20\r")
	x.expect("In [2]: ")
	x.typed("x + 22\r")
	x.expect("Out[2]: 42")
	x.expect("In [3]: ")

	// A cell of several lines: the next line is indented, and nothing runs before it is complete.
	x.typed("func double(n int) int {\r")
	x.expect("double(n int) int {\r\r\n    ")
	x.typed("return 2 * n\r")
	x.expect("return 2 * n\r\r\n    ")
	x.typed("}\r")
	x.expect("In [4]: ")
	x.typed("double(x)\r")
	x.expect("Out[4]: 40")
	x.expect("In [5]: ")

	// Tab completes what is the only possibility.
	x.typed("strings.ToUppe\t")
	x.expect("ToUpper")
	x.typed("\x15") // Ctrl-U
	x.typed("fmt.Printl\t(\"tab\", 1)\r")
	x.expect("tab 1")
	x.expect("In [6]: ")

	// Errors show the place.
	x.typed("undefinedName\r")
	x.expect("In[6]:1:1: undefined: undefinedName")
	x.expect("In [7]: ")

	// Ctrl-C stops a cell and keeps the session; on a cell being typed it gives that up.
	x.typed("fmt.Println(\"looping\"); for {}\r")
	x.expect("\nlooping\r\n")
	x.typed("\x03")
	x.expect("interrupted")
	x.expect("In [8]: ")
	x.typed("not to be run")
	x.expect("In [8]: not to be run")
	x.typed("\x03")
	x.expect("^C")
	x.expect("In [8]: ")
	x.typed("x + 1\r")
	x.expect("Out[8]: 21")
	x.expect("In [9]: ")

	// Cells can ask.
	x.typed("var name string; fmt.Print(\"who? \"); fmt.Scan(&name)\r")
	x.expect("\nwho? ")
	x.typed("Ada\r")
	x.expect("In [10]: ")
	x.typed("\"hello \" + name\r")
	x.expect("Out[10]: hello Ada")
	x.expect("In [11]: ")
	x.typed("fmt.Scan(&name)\r")
	time.Sleep(200 * time.Millisecond)
	x.typed("\x03")
	x.expect("interrupted")
	x.expect("In [12]: ")

	// Plots are saved.
	x.typed("plot.New()\r")
	x.expect("picture saved to " + plots + "/plot-1.png")
	x.expect("In [13]: ")

	// The worker dies; its declarations come back.
	x.typed("m := map[int]int{}; for i := range 8 { go func() { for { m[i%3] = i } }() }; time.Sleep(20 * time.Second)\r")
	x.expect("concurrent map")
	x.expect("%restore replays")
	x.expect("In [14]: ")
	x.typed("%restore\r")
	x.expect("restored: 1 function, ")
	x.expect("In [15]: ")
	x.typed("double(x)\r")
	x.expect("Out[15]: 40")
	x.expect("In [16]: ")

	x.typed("\x04")
	if err := x.wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if png, err := os.ReadFile(filepath.Join(plots, "plot-1.png")); err != nil || !strings.HasPrefix(string(png), "\x89PNG") {
		t.Errorf("the plot: %v", err)
	}

	// The next session knows the cells of this one.
	x = start()
	x.typed("\x1b[A") // up
	x.expect("double(x)")
	x.typed("\x15" + "1 + 2\r")
	x.expect("Out[1]: 3")
	x.typed("\x04")
	x.wait()
}
