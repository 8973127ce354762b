package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/godp/kernel/display"
	"example.org/godp/kernel/session"
	"example.org/godp/kernel/worker/protocol"
)

// fake is an engine whose cells are Go functions, called by name.
type fake struct {
	Streams
	cells map[string]func(*fake, context.Context) Outcome
}

func (f *fake) Execute(ctx context.Context, n int, code string, opt Options) Outcome {
	c := f.cells[code]
	if c == nil {
		return Outcome{Err: &Error{Name: "CompileError", Value: "no cell " + code}}
	}
	return c(f, ctx)
}

func (f *fake) Expression(ctx context.Context, n int, code string) (display.Bundle, *Error) {
	if code == "loop" {
		<-ctx.Done()
		return display.Bundle{}, &Error{Name: "interrupted", Value: "interrupted"}
	}
	if code == "bad" {
		return display.Bundle{}, &Error{Name: "CompileError", Value: "bad"}
	}
	return display.Render(code), nil
}
func (f *fake) Call(ctx, gentle context.Context, run func()) (out Outcome) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				out = Outcome{Err: &Error{Name: "panic", Value: fmt.Sprint(p)}}
			}
		}()
		run()
	}()
	if gentle == nil {
		gentle = context.Background()
	}
	select {
	case <-ended:
		return out
	case <-ctx.Done():
	case <-gentle.Done():
	}
	return Outcome{Err: &Error{Name: "interrupted", Value: "interrupted"}}
}
func (f *fake) Describe(p any) *Error { return &Error{Name: "panic", Value: fmt.Sprint(p)} }
func (f *fake) Look(ctx context.Context, code string) (Outcome, string) {
	if code == "look" {
		fmt.Fprint(f.Stdout, "looked")
		return result(3), ""
	}
	return Outcome{}, "it runs " + code
}
func (f *fake) SetPast([]session.PastCell) {}
func (f *fake) IsComplete(code string) (string, string) {
	if code == "panic" {
		panic("is_complete")
	}
	return "incomplete", "\t"
}
func (f *fake) Complete(code string, cursor int) Completion {
	return Completion{Matches: []Match{{Text: code + "!", Type: "function", Signature: "()"}}, Start: 0, End: cursor}
}
func (f *fake) Inspect(code string, cursor, detail int) (display.Bundle, bool) {
	return display.Render(fmt.Sprint(code, cursor, detail)), true
}

func (f *fake) Debug(request json.RawMessage, reply func(json.RawMessage)) {
	if string(request) == "panic" {
		panic("debug")
	}
	f.DebugEvent(json.RawMessage(`{"event":"stopped"}`))
	reply(request)
}

func result(v any) Outcome {
	b := display.Render(v)
	return Outcome{Result: &b}
}

// live holds memory for the test of the heap limit.
var live [][]byte

func grow(n int, x *[256]byte) int { // uses stack at every level
	var y [256]byte
	y[n%256] = x[0] + 1
	return grow(n+1, &y) + int(y[0])
}

var late, shown chan struct{}

var cells = map[string]func(*fake, context.Context) Outcome{
	"1+1":  func(*fake, context.Context) Outcome { return result(2) },
	"void": func(*fake, context.Context) Outcome { return Outcome{} },
	"order": func(f *fake, _ context.Context) Outcome {
		fmt.Fprintln(f.Stdout, "A")
		fmt.Fprintln(f.Stderr, "B")
		display.HTML("<b>C</b>")
		fmt.Fprintln(f.Stdout, "D")
		display.Clear(true)
		return result("E")
	},
	"lines": func(f *fake, _ context.Context) Outcome {
		for i := range 10000 {
			fmt.Fprintln(f.Stdout, "line", i)
		}
		return Outcome{}
	},
	"loop": func(_ *fake, ctx context.Context) Outcome {
		<-ctx.Done()
		return Outcome{Err: &Error{Name: "interrupted", Value: context.Cause(ctx).Error()}}
	},
	"deaf": func(_ *fake, ctx context.Context) Outcome { // a compiled call that does not look at the context
		<-ctx.Done()
		time.Sleep(300 * time.Millisecond)
		return Outcome{Err: &Error{Name: "interrupted", Value: "late"}}
	},
	"background": func(f *fake, _ context.Context) Outcome {
		late, shown = make(chan struct{}), make(chan struct{})
		go func() {
			defer close(shown)
			<-late
			fmt.Fprintln(f.Stdout, "from the first cell")
			display.HTML("late")
		}()
		return Outcome{}
	},
	"goroutine panic": func(f *fake, _ context.Context) Outcome {
		done := make(chan bool)
		go func() { f.Panic(&Error{Name: "panic", Value: "in a goroutine"}); close(done) }()
		<-done
		return Outcome{}
	},
	"release": func(f *fake, _ context.Context) Outcome {
		close(late)
		time.Sleep(50 * time.Millisecond)
		return Outcome{}
	},
	"bug": func(*fake, context.Context) Outcome { panic("a fault of the kernel") },
	"unencoded": func(*fake, context.Context) Outcome {
		display.Send(display.Bundle{Data: map[string]any{"application/x": func() {}}})
		return Outcome{}
	},
	"scan": func(f *fake, _ context.Context) Outcome {
		var a, b string
		if _, err := fmt.Fscan(f.Stdin, &a, &b); err != nil {
			return Outcome{Err: &Error{Name: "error", Value: err.Error()}}
		}
		return result(a + "|" + b)
	},
	"password": func(*fake, context.Context) Outcome {
		s, err := display.Password("secret: ")
		if err != nil {
			return Outcome{Err: &Error{Name: "error", Value: err.Error()}}
		}
		return result(s)
	},
	"recursion": func(_ *fake, ctx context.Context) Outcome {
		// As an interpreter would: deep, and polling the context.
		var down func(n int) int
		down = func(n int) int {
			if n%1000 == 0 && ctx.Err() != nil {
				panic(context.Cause(ctx))
			}
			var pad [512]byte
			pad[n%512] = 1
			return down(n+1) + int(pad[0])
		}
		var err error
		func() {
			defer func() { err, _ = recover().(error) }()
			down(1)
		}()
		return Outcome{Err: &Error{Name: "interrupted", Value: fmt.Sprint(err), Traceback: []string{"interrupted: x", "In[1]:3"}}}
	},
	"hog": func(_ *fake, ctx context.Context) Outcome {
		for ctx.Err() == nil {
			live = append(live, make([]byte, 1<<20))
		}
		live = nil
		return Outcome{Err: &Error{Name: "interrupted", Value: "x"}}
	},
	"garbage": func(_ *fake, ctx context.Context) Outcome { // much is allocated, little is live
		for range 2000 {
			live = [][]byte{make([]byte, 1<<20)}
		}
		live = nil
		return result(ctx.Err() == nil)
	},
	"deaf hog": func(_ *fake, ctx context.Context) Outcome {
		for len(live) < 8<<10 {
			live = append(live, make([]byte, 1<<20))
		}
		return Outcome{}
	},
	"spin": func(*fake, context.Context) Outcome {
		for {
		}
	},
	// These need the process's own descriptors.
	"descriptors": func(f *fake, _ context.Context) Outcome {
		fmt.Fprintln(f.Stdout, "1")
		os.Stdout.WriteString("2\n")
		fmt.Fprintln(f.Stdout, "3")
		println("4")
		display.HTML("5")
		c := exec.Command("sh", "-c", "echo 6")
		c.Stdout = os.Stdout
		c.Run()
		os.Stderr.WriteString("7\n")
		return result("8")
	},
	"megabytes": func(*fake, context.Context) Outcome {
		line := strings.Repeat("x", 99) + "\n"
		for range 200_000 {
			os.Stdout.WriteString(line)
		}
		for range 50_000 {
			os.Stderr.WriteString(line)
		}
		return Outcome{}
	},
	"read stdin": func(*fake, context.Context) Outcome {
		b := make([]byte, 100)
		n, err := os.Stdin.Read(b)
		return result(fmt.Sprintf("%q %v", b[:n], err))
	},
	"collect": func(*fake, context.Context) Outcome {
		for range 5 {
			runtime.GC()
			time.Sleep(5 * time.Millisecond)
		}
		var open []int
		for fd := range 3 {
			var st syscall.Stat_t
			if syscall.Fstat(fd, &st) == nil {
				open = append(open, fd)
			}
		}
		return result(fmt.Sprint(open))
	},
	"crash": func(*fake, context.Context) Outcome {
		for i := range 200 { // a report that is larger than a pipe
			go func() { time.Sleep(time.Hour + time.Duration(i)) }()
		}
		time.Sleep(10 * time.Millisecond)
		go panic("nobody recovers this")
		select {}
	},
	"overflow": func(*fake, context.Context) Outcome { var x [256]byte; return result(grow(0, &x)) },
	"exit":     func(*fake, context.Context) Outcome { os.Exit(3); return Outcome{} },
	"sigint": func(*fake, context.Context) Outcome {
		syscall.Kill(os.Getpid(), syscall.SIGINT)
		time.Sleep(50 * time.Millisecond)
		return result("alive")
	},
}

func config(l Limits) Config {
	return Config{Limits: l, Grace: 50 * time.Millisecond, New: func(s Streams) (Engine, error) { return &fake{s, cells}, nil }}
}

func TestMain(m *testing.M) {
	if os.Getenv("GODP_TEST_WORKER") == "1" {
		os.Exit(Main(config(Limits{Stack: 64 << 20, Heap: 1 << 30})))
	}
	os.Exit(m.Run())
}

// client plays the front.
type client struct {
	t    *testing.T
	conn *protocol.Conn
	id   uint64
}

func start(t *testing.T, l Limits) *client {
	a, b := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(b, config(l)) }()
	c := &client{t: t, conn: protocol.NewConn(a)}
	t.Cleanup(func() {
		a.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	if r, ok := c.receive().(*protocol.Ready); !ok || r.Protocol != protocol.Version || r.PID != os.Getpid() {
		t.Fatalf("first message %+v", r)
	}
	return c
}

func (c *client) receive() protocol.Message {
	c.t.Helper()
	m, err := c.conn.Receive()
	if err != nil {
		c.t.Fatalf("receiving: %v", err)
	}
	return m
}

func (c *client) send(m protocol.Message) {
	c.t.Helper()
	if err := c.conn.Send(m); err != nil {
		c.t.Fatalf("sending %T: %v", m, err)
	}
}

func (c *client) execute(code string) uint64 {
	c.id++
	c.send(&protocol.Execute{ID: c.id, N: int(c.id), Code: code, AllowStdin: true})
	return c.id
}

// done receives until the cell ends, and returns what came before as one line per message, streams joined.
func (c *client) done(id uint64) (log string, d *protocol.Done) {
	c.t.Helper()
	var b strings.Builder
	for {
		m := c.receive()
		switch m := m.(type) {
		case *protocol.Stream:
			fmt.Fprintf(&b, "%d %s %s", m.Cell, m.Name, m.Text)
		case *protocol.Display:
			fmt.Fprintf(&b, "%d display %s\n", m.Cell, m.Data)
		case *protocol.Result:
			fmt.Fprintf(&b, "%d result %s\n", m.Cell, m.Data)
		case *protocol.Clear:
			fmt.Fprintf(&b, "%d clear %v\n", m.Cell, m.Wait)
		case *protocol.Stuck:
			fmt.Fprintf(&b, "%d stuck\n", m.Cell)
		case *protocol.Fatal:
			fmt.Fprintf(&b, "fatal %s\n", m.Text)
		case *protocol.Log:
			fmt.Fprintf(&b, "log %s\n", m.Text)
		case *protocol.Error:
			fmt.Fprintf(&b, "%d error %s: %s %q\n", m.Cell, m.Name, m.Value, m.Traceback)
		case *protocol.InputRequest:
			fmt.Fprintf(&b, "%d input %q %v\n", m.Cell, m.Prompt, m.Password)
			c.send(&protocol.InputReply{Seq: m.Seq, Value: "two words"})
		case *protocol.Done:
			if m.ID != id {
				c.t.Fatalf("Done for %d, want %d", m.ID, id)
			}
			return b.String(), m
		default:
			c.t.Fatalf("unexpected %T %+v", m, m)
		}
	}
}

func (c *client) run(code string) (string, *protocol.Done) {
	c.t.Helper()
	return c.done(c.execute(code))
}

func (c *client) expect(code, want string) {
	c.t.Helper()
	log, d := c.run(code)
	if log != want || d.Failure != nil {
		c.t.Errorf("%s: got\n%s(%+v)\nwant\n%s", code, log, d.Failure, want)
	}
}

func TestOutputKeepsItsOrder(t *testing.T) {
	c := start(t, Limits{})
	c.expect("1+1", "1 result {\"text/plain\":\"2\"}\n")
	c.expect("void", "")
	c.expect("order", "3 stdout A\n3 stderr B\n3 display {\"text/html\":\"<b>C</b>\",\"text/plain\":\"C\"}\n"+
		"3 stdout D\n3 clear true\n3 result {\"text/plain\":\"E\"}\n")
	log, _ := c.run("lines")
	if n := strings.Count(log, "line "); n != 10000 || !strings.HasSuffix(log, "line 9999\n") {
		t.Errorf("%d of 10000 lines before Done, ending %q", n, log[len(log)-20:])
	}
	if _, d := c.run("nonsense"); d.Failure == nil || d.Failure.Name != "CompileError" || len(d.Failure.Traceback) == 0 {
		t.Errorf("failure %+v", d.Failure)
	}
	if log, _ := c.run("unencoded"); !strings.Contains(log, "application/x cannot be shown") {
		t.Errorf("a value without JSON form: %s", log)
	}
}

func TestSilentShowsNoResult(t *testing.T) {
	c := start(t, Limits{})
	c.send(&protocol.Execute{ID: 1, Code: "1+1", Silent: true})
	if log, _ := c.done(1); log != "" {
		t.Errorf("silent cell showed %q", log)
	}
}

func TestQuestionsWhileACellRuns(t *testing.T) {
	c := start(t, Limits{})
	id := c.execute("loop")
	c.send(&protocol.Complete{ID: 101, Code: "ab", Cursor: 2})
	if r := c.receive().(*protocol.CompleteReply); r.ID != 101 || r.Matches[0] != (protocol.Match{Text: "ab!", Type: "function", Signature: "()"}) || r.End != 2 {
		t.Errorf("%+v", r)
	}
	c.send(&protocol.Inspect{ID: 102, Code: "ab", Cursor: 2, Detail: 1})
	if r := c.receive().(*protocol.InspectReply); r.ID != 102 || !r.Found || string(r.Data) != `{"text/plain":"ab2 1"}` {
		t.Errorf("%+v", r)
	}
	c.send(&protocol.IsComplete{ID: 103, Code: "if {"})
	if r := c.receive().(*protocol.IsCompleteReply); *r != (protocol.IsCompleteReply{ID: 103, Status: "incomplete", Indent: "\t"}) {
		t.Errorf("%+v", r)
	}
	c.send(&protocol.IsComplete{ID: 104, Code: "panic"})
	if l, ok := c.receive().(*protocol.Log); !ok || !strings.Contains(l.Text, "panic: is_complete") {
		t.Errorf("a fault of the kernel is not logged: %+v", l)
	}
	if r := c.receive().(*protocol.IsCompleteReply); r.ID != 104 || r.Status != "unknown" {
		t.Errorf("%+v", r)
	}
	c.send(&protocol.Interrupt{Cell: 999}) // another cell: nothing happens
	c.send(&protocol.Interrupt{Cell: id})
	if log, d := c.done(id); log != "" || d.Failure == nil || d.Failure.Name != "interrupted" {
		t.Errorf("interrupted: %q %+v", log, d.Failure)
	}
	c.send(&protocol.Interrupt{}) // idle: nothing happens
	c.expect("1+1", "2 result {\"text/plain\":\"2\"}\n")
	c.send(&protocol.Expression{ID: 105, Cell: 2, Code: "x"})
	if r := c.receive().(*protocol.ExpressionReply); r.ID != 105 || r.Failure != nil || string(r.Data) != `{"text/plain":"x"}` {
		t.Errorf("%+v", r)
	}
	c.send(&protocol.Expression{ID: 106, Cell: 2, Code: "bad"})
	if r := c.receive().(*protocol.ExpressionReply); r.ID != 106 || r.Failure == nil || r.Failure.Name != "CompileError" {
		t.Errorf("%+v", r)
	}
	c.send(&protocol.Expression{ID: 108, Cell: 2, Code: "loop"})
	c.send(&protocol.Interrupt{Cell: 2})
	if r := c.receive().(*protocol.ExpressionReply); r.ID != 108 || r.Failure == nil || r.Failure.Name != "interrupted" {
		t.Errorf("%+v", r)
	}
	c.send(&protocol.Comm{ID: 107, Op: protocol.CommOpen, CommID: "c", Target: "nobody"})
	if r, ok := c.receive().(*protocol.Comm); !ok || r.Op != protocol.CommClose || r.CommID != "c" {
		t.Errorf("%+v", r)
	}
	if r, ok := c.receive().(*protocol.Done); !ok || r.ID != 107 || r.Failure != nil {
		t.Errorf("%+v", r)
	}
}

func TestInterruptThatOvertakesTheCell(t *testing.T) {
	c := start(t, Limits{})
	c.send(&protocol.Execute{ID: 1, Code: "loop"})
	c.send(&protocol.Execute{ID: 2, Code: "loop"}) // waits behind the first
	c.send(&protocol.Interrupt{Cell: 2})
	c.send(&protocol.Interrupt{Cell: 1})
	for id := uint64(1); id <= 2; id++ {
		if _, d := c.done(id); d.Failure == nil || d.Failure.Name != "interrupted" {
			t.Errorf("cell %d: %+v", id, d.Failure)
		}
	}
}

func TestACellThatDoesNotStop(t *testing.T) {
	c := start(t, Limits{})
	id := c.execute("deaf")
	c.send(&protocol.Interrupt{Cell: id})
	log, d := c.done(id)
	if log != "1 stuck\n" || d.Failure.Value != "late" {
		t.Errorf("%q, %+v", log, d.Failure)
	}
}

func TestBackgroundOutputKeepsItsCell(t *testing.T) {
	c := start(t, Limits{})
	c.expect("background", "")
	log, _ := c.run("release")
	if want := "1 stdout from the first cell\n1 display {\"text/html\":\"late\",\"text/plain\":\"late\"}\n"; log != want {
		t.Errorf("got %q, want %q", log, want)
	}
}

func TestPanicOfAGoroutine(t *testing.T) {
	c := start(t, Limits{})
	c.expect("goroutine panic", "1 error panic: in a goroutine [\"\\x1b[31mpanic\\x1b[0m: in a goroutine\"]\n")
}

func TestAFaultOfTheEngine(t *testing.T) {
	c := start(t, Limits{})
	log, d := c.run("bug")
	if !strings.Contains(log, "a fault of the kernel") || d.Failure == nil || d.Failure.Name != "InternalError" {
		t.Errorf("%q, %+v", log, d.Failure)
	}
	c.expect("1+1", "2 result {\"text/plain\":\"2\"}\n")
}

func TestInput(t *testing.T) {
	c := start(t, Limits{})
	c.expect("scan", "1 input \"\" false\n1 result {\"text/plain\":\"two|words\"}\n")
	c.expect("password", "2 input \"secret: \" true\n2 result {\"text/plain\":\"two words\"}\n")
	c.send(&protocol.Execute{ID: 3, Code: "scan"})
	if log, d := c.done(3); log != "" || d.Failure == nil || !strings.Contains(d.Failure.Value, "allow_stdin is false") {
		t.Errorf("without stdin: %q %+v", log, d.Failure)
	}
	// An interrupt ends the wait; the answer that comes afterwards is dropped.
	c.send(&protocol.Execute{ID: 4, Code: "scan", AllowStdin: true})
	r := c.receive().(*protocol.InputRequest)
	c.send(&protocol.Interrupt{Cell: 4})
	if _, d := c.done(4); d.Failure == nil || !strings.Contains(d.Failure.Value, "interrupted") {
		t.Errorf("interrupted: %+v", d.Failure)
	}
	c.send(&protocol.InputReply{Seq: r.Seq, Value: "too late"})
	c.send(&protocol.Execute{ID: 5, Code: "scan", AllowStdin: true})
	r = c.receive().(*protocol.InputRequest)
	c.send(&protocol.InputReply{Seq: r.Seq, Error: "the user went away"})
	if _, d := c.done(5); d.Failure == nil || !strings.Contains(d.Failure.Value, "the user went away") {
		t.Errorf("refused: %+v", d.Failure)
	}
}

func TestLimits(t *testing.T) {
	c := start(t, Limits{Stack: 64 << 20, Heap: 512 << 20})
	_, d := c.run("recursion")
	if d.Failure == nil || d.Failure.Name != "StackOverflow" || !strings.Contains(d.Failure.Value, "limit 64 MiB") {
		t.Fatalf("recursion: %+v", d.Failure)
	}
	if tb := strings.Join(d.Failure.Traceback, "\n"); !strings.Contains(tb, "In[1]:3") || strings.Contains(tb, "interrupted") {
		t.Errorf("traceback %q", tb)
	}
	if _, d = c.run("hog"); d.Failure == nil || d.Failure.Name != "OutOfMemory" || !strings.Contains(d.Failure.Value, "limit 512 MiB") {
		t.Fatalf("hog: %+v", d.Failure)
	}
	c.expect("garbage", "3 result {\"text/plain\":\"true\"}\n")
}

// child starts this test binary as a real worker process.
func child(t *testing.T) (c *client, crash io.Reader, wait func() error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fds[0])
	theirs := os.NewFile(uintptr(fds[1]), "worker")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GODP_TEST_WORKER=1")
	cmd.ExtraFiles = []*os.File{theirs, w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	w.Close()
	ours := os.NewFile(uintptr(fds[0]), "front")
	c = &client{t: t, conn: protocol.NewConn(ours)}
	wait = sync.OnceValue(cmd.Wait)
	t.Cleanup(func() { c.conn.Close(); cmd.Process.Kill(); wait() })
	if _, ok := c.receive().(*protocol.Ready); !ok {
		t.Fatal("not ready")
	}
	return c, r, wait
}

func TestProcessCapturesDescriptors(t *testing.T) {
	c, crash, wait := child(t)
	log, d := c.run("descriptors")
	for _, line := range []string{"1 stdout 1\n", "2\n", "3\n", "1 display {\"text/html\":\"5\"", "1 stdout 6\n", "1 stderr 7\n", "1 result {\"text/plain\":\"8\"}\n"} {
		i := strings.Index(log, line)
		if i < 0 {
			t.Fatalf("%q is missing or out of order in\n%s (%+v)", line, log, d.Failure)
		}
		log = log[i:]
	}
	log, _ = c.run("megabytes")
	if n := strings.Count(log, "x"); n != 99*250_000 {
		t.Errorf("%d of %d bytes arrived before Done", n, 99*250_000)
	}
	c.expect("sigint", "3 result {\"text/plain\":\"alive\"}\n")
	c.send(&protocol.Shutdown{})
	if err := wait(); err != nil {
		t.Errorf("after a shutdown: %v", err)
	}
	if text, _ := io.ReadAll(crash); string(text) != "4\n" {
		t.Errorf("on the pipe for crash reports: %q", text)
	}
}

func TestProcessKeepsItsDescriptorsWhenGarbageIsCollected(t *testing.T) {
	c, crash, _ := child(t)
	c.expect("collect", "1 result {\"text/plain\":\"[0 1 2]\"}\n")
	c.execute("crash")
	if report, _ := io.ReadAll(crash); !strings.Contains(string(report), "nobody recovers this") {
		t.Errorf("report %.300q", report)
	}
}

func TestProcessReadsStdin(t *testing.T) {
	c, _, _ := child(t)
	c.expect("read stdin", "1 input \"\" false\n1 result {\"text/plain\":\"\\\"two words\\\\n\\\" <nil>\"}\n")
	c.send(&protocol.Execute{ID: 2, Code: "read stdin"})
	if log, d := c.done(2); d.Failure == nil || d.Failure.Name != "InputRefused" || !strings.Contains(d.Failure.Value, "allow_stdin is false") {
		t.Errorf("without stdin: %s%+v", log, d.Failure)
	}
	c.send(&protocol.Execute{ID: 3, Code: "read stdin", AllowStdin: true})
	if _, ok := c.receive().(*protocol.InputRequest); !ok {
		t.Error("no request")
	}
	c.send(&protocol.Interrupt{Cell: 3})
	if log, _ := c.done(3); !strings.Contains(log, "EOF") {
		t.Errorf("interrupted: %s", log)
	}
}

func TestProcessDiesWithAReport(t *testing.T) {
	for code, want := range map[string]string{"crash": "nobody recovers this", "overflow": "stack overflow"} {
		c, crash, wait := child(t)
		c.execute(code)
		report, err := io.ReadAll(crash)
		if err != nil || !strings.Contains(string(report), want) {
			t.Errorf("%s: report of %d bytes without %q, %v: %.300s", code, len(report), want, err, report)
		}
		var status *exec.ExitError
		if err := wait(); !errors.As(err, &status) {
			t.Errorf("%s: %v, want an exit status", code, err)
		}
	}
	c, _, wait := child(t)
	c.execute("exit")
	var status *exec.ExitError
	if err := wait(); !errors.As(err, &status) || status.ExitCode() != 3 {
		t.Errorf("exit: %v", err)
	}
}

func TestProcessEndsBeforeTheMachineDoes(t *testing.T) {
	c, _, wait := child(t)
	c.execute("deaf hog")
	for {
		m, err := c.conn.Receive()
		if err != nil {
			t.Fatal("no reason given")
		}
		if f, ok := m.(*protocol.Fatal); ok {
			if !strings.Contains(f.Text, "limit 1024 MiB") {
				t.Errorf("reason %q", f.Text)
			}
			break
		}
	}
	var status *exec.ExitError
	if err := wait(); !errors.As(err, &status) || status.ExitCode() != 2 {
		t.Errorf("status %v", err)
	}
}

func TestProcessEndsWithItsFront(t *testing.T) {
	c, _, wait := child(t)
	c.execute("spin")
	c.conn.Close()
	if err := wait(); err != nil {
		t.Errorf("status %v", err)
	}
}

func BenchmarkExecute(b *testing.B) {
	x, y := net.Pipe()
	go Serve(y, config(Limits{}))
	c := protocol.NewConn(x)
	c.Receive()
	for i := 0; b.Loop(); i++ {
		c.Send(&protocol.Execute{ID: uint64(i + 1), Code: "1+1"})
		c.Receive()
		c.Receive()
	}
	x.Close()
}

func TestDebug(t *testing.T) {
	c := start(t, Limits{})
	c.send(&protocol.Debug{ID: 3, Content: json.RawMessage(`{"a":1}`)})
	if e, ok := c.receive().(*protocol.DebugEvent); !ok || string(e.Content) != `{"event":"stopped"}` {
		t.Errorf("event %+v", e)
	}
	if r, ok := c.receive().(*protocol.DebugReply); !ok || r.ID != 3 || string(r.Content) != `{"a":1}` {
		t.Errorf("reply %+v", r)
	}
	c.send(&protocol.Debug{ID: 4, Content: json.RawMessage("panic")})
	if l, ok := c.receive().(*protocol.Log); !ok || !strings.Contains(l.Text, "panic: debug") {
		t.Errorf("log %+v", l)
	}
	if r, ok := c.receive().(*protocol.DebugReply); !ok || r.ID != 4 || r.Content != nil {
		t.Errorf("a request that fails is answered with %+v", r)
	}
}
