package front

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestCrashPipe(t *testing.T) {
	r, w := io.Pipe()
	stray := make(chan string, 8)
	c := crashPipe{stray: func(text []byte) { stray <- string(text) }}
	report := make(chan string)
	go func() { report <- c.read(r) }()
	io.WriteString(w, "printed ")
	io.WriteString(w, "by println\n")
	select {
	case s := <-stray:
		if s != "printed by println\n" {
			t.Errorf("handed on %q", s)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("text of a living worker was not handed on")
	}
	io.WriteString(w, "fatal error: all goroutines are asleep\n\ngoroutine 1 [select]:\n")
	time.Sleep(2 * strayDelay) // the dump of many goroutines takes its time
	io.WriteString(w, strings.Repeat("more\n", crashReportSize))
	w.Close()
	if got := <-report; !strings.HasPrefix(got, "fatal error: all goroutines") || len(got) != crashReportSize {
		t.Errorf("report of %d bytes: %.60q", len(got), got)
	}
	select {
	case s := <-stray:
		t.Errorf("%d bytes of a report were handed on as text: %.60q", len(s), s)
	default:
	}
}

func TestCrashFailure(t *testing.T) {
	for _, tc := range []struct{ report, status, want string }{
		{"", "exit status 3", "WorkerExit|the cell ended its worker process: exit status 3|1"},
		{"", "signal: killed", "WorkerExit|the worker process was killed from outside (signal: killed); a common reason is lack of memory|1"},
		{"fatal error: concurrent map writes\n\ngoroutine 7 [running]:\nx", "exit status 2", "fatal error|concurrent map writes|1"},
		{"panic: boom\n\tpanic: again\n\ngoroutine 1 [running]:\n", "exit status 2", "panic|boom|2"},
		{"runtime: goroutine stack exceeds 1000000000-byte limit\nruntime: sp=0xc stack=[0xc, 0xd]\nfatal error: stack overflow\n\nruntime stack:\nx\n", "exit status 2",
			"fatal error|stack overflow|2"},
		{"runtime: out of memory: cannot allocate 1099511627776-byte block (3932160 in use)\nfatal error: out of memory\n\ngoroutine 1", "exit status 2", "fatal error|out of memory|2"},
		{"unexpected fault address 0x0\nfatal error: fault\n[signal SIGSEGV: segmentation violation code=0x80 addr=0x0 pc=0x0]\n\ngoroutine 1", "exit status 2", "fatal error|fault|2"},
	} {
		x := crashFailure(tc.report, tc.status)
		if got := x.Name + "|" + x.Value + "|" + string(rune('0'+len(x.Traceback))); got != tc.want {
			t.Errorf("%q: %q, want %q; traceback %q", tc.report, got, tc.want, x.Traceback)
		}
		if !strings.Contains(x.Traceback[0], x.Value) {
			t.Errorf("%q: traceback %q", tc.report, x.Traceback)
		}
	}
}
