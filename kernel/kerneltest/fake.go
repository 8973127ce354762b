package kerneltest

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/worker/protocol"
)

// Fake is a worker that follows the script in a cell instead of running it. A line of a script is a command and its argument,
// in which \n, \t, \" and \xhh stand for what they mean in Go:
//
//	print TEXT        prints TEXT and a newline to stdout
//	write TEXT        the same without the newline
//	eprint TEXT       prints to stderr
//	lines N           prints N numbered lines
//	flood N SIZE      prints N lines of SIZE bytes
//	display TEXT      shows TEXT; update TEXT replaces it; clear clears the output
//	displays N SIZE   shows N displays of SIZE bytes; updates N SIZE updates one so often
//	result TEXT       makes TEXT the value of the cell
//	goroutine NAME TEXT  reports the failure of a goroutine; the cell goes on
//	fail NAME TEXT    ends the cell with an error
//	sleep DURATION    waits; ends when interrupted
//	stuck DURATION    waits; an interrupt is only noted, Stuck is reported after the grace
//	deaf DURATION     waits; an interrupt is not even noted
//	ask PROMPT        asks the user and prints the answer, or fails with the refusal
//	later DURATION TEXT  prints TEXT after that time, whether the cell has ended or not
//	payload JSON      sets the payload of the reply
//	open ID TARGET    opens a comm
//	crash REPORT      dies; the runtime reports REPORT
//	look TEXT         in a subshell beside a running cell: prints a line and makes TEXT the value; badlook TEXT fails
//	past              prints the cells of the worker before
//	exit STATUS       dies without a report, as if with this status
type Fake struct {
	conn   *protocol.Conn // the worker's end
	front  *protocol.Conn
	once   sync.Once
	ended  chan struct{}
	report string
	status string
	crash  *os.File // where a worker in a process of its own reports a crash

	mu        sync.Mutex
	cell      uint64
	interrupt chan struct{}
	answers   map[uint64]chan *protocol.InputReply
	seq       uint64
	targets   map[string]string // open comms
	past      []protocol.PastCell
}

// StartFake starts a Fake; it is meant for front.Config.Start.
func StartFake() (front.Process, error) {
	a, b := net.Pipe()
	f := &Fake{conn: protocol.NewConn(b), front: protocol.NewConn(a), ended: make(chan struct{}),
		answers: map[uint64]chan *protocol.InputReply{}, targets: map[string]string{}}
	go f.run()
	return f, nil
}

// FakeProcess is the main function of a Fake in a process of its own, on the inherited descriptors.
func FakeProcess() {
	signal.Ignore(os.Interrupt)
	f := &Fake{conn: protocol.NewConn(os.NewFile(protocol.SocketFD, "front")), ended: make(chan struct{}), crash: os.NewFile(protocol.CrashFD, "crash"),
		answers: map[uint64]chan *protocol.InputReply{}, targets: map[string]string{}}
	fmt.Fprintf(os.Stderr, "worker %d is ready\n", os.Getpid())
	go f.run()
	_, status := f.Wait()
	n, _ := strconv.Atoi(strings.TrimPrefix(status, "exit status "))
	os.Exit(n)
}

// Conn is the front's end.
func (f *Fake) Conn() *protocol.Conn { return f.front }

// Kill ends the worker like a signal.
func (f *Fake) Kill() { f.die("", "signal: killed") }

// Wait waits for the end of the worker.
func (f *Fake) Wait() (report, status string) {
	<-f.ended
	return f.report, f.status
}

func (f *Fake) die(report, status string) {
	f.once.Do(func() {
		f.report, f.status = report, status
		f.conn.Flush()
		if f.crash != nil { // before the connection ends, as a runtime does: the front kills what has closed it
			f.crash.WriteString(report)
		}
		f.conn.Close()
		close(f.ended)
	})
}

func (f *Fake) run() {
	f.conn.Send(&protocol.Ready{Protocol: protocol.Version, PID: os.Getpid(), Info: "fake"})
	for {
		m, err := f.conn.Receive()
		if err != nil {
			f.die("", "exit status 0")
			return
		}
		switch m := m.(type) {
		case *protocol.Past:
			f.mu.Lock()
			f.past = m.Cells
			f.mu.Unlock()
		case *protocol.Look: // looks are scripts of one line
			switch word, rest, _ := strings.Cut(m.Code, " "); word {
			case "look":
				f.conn.Send(&protocol.Stream{Cell: m.ID, Name: protocol.Stdout, Text: []byte("looking\n")})
				data, _ := json.Marshal(map[string]string{"text/plain": rest})
				f.conn.Send(&protocol.LookReply{ID: m.ID, Bundle: protocol.Bundle{Data: data}})
			case "badlook":
				f.conn.Send(&protocol.LookReply{ID: m.ID, Failure: &protocol.Failure{Name: "panic", Value: rest}})
			default:
				f.conn.Send(&protocol.LookReply{ID: m.ID, Wait: "it does more than look"})
			}
		case *protocol.Execute:
			f.mu.Lock()
			f.cell, f.interrupt = m.ID, make(chan struct{})
			f.mu.Unlock()
			go f.execute(m)
		case *protocol.Interrupt:
			f.mu.Lock()
			if m.Cell == f.cell && f.interrupt != nil {
				close(f.interrupt)
				f.interrupt = nil
			}
			f.mu.Unlock()
		case *protocol.InputReply:
			f.mu.Lock()
			if c := f.answers[m.Seq]; c != nil {
				c <- m
				delete(f.answers, m.Seq)
			}
			f.mu.Unlock()
		case *protocol.Complete: // completes to what stands before the cursor, doubled
			word := m.Code[strings.LastIndexByte(m.Code[:m.Cursor], ' ')+1 : m.Cursor]
			f.conn.Send(&protocol.CompleteReply{ID: m.ID, Start: m.Cursor - len(word), End: m.Cursor,
				Matches: []protocol.Match{{Text: word + word, Type: "function", Signature: "()"}}})
		case *protocol.Inspect:
			f.conn.Send(&protocol.InspectReply{ID: m.ID, Found: m.Code != "", Bundle: text(fmt.Sprint(m.Code[:m.Cursor], " ", m.Detail))})
		case *protocol.IsComplete:
			status := map[string]string{"{": "incomplete", "}": "invalid", "?": "unknown"}[m.Code]
			if status == "" {
				status = "complete"
			}
			f.conn.Send(&protocol.IsCompleteReply{ID: m.ID, Status: status, Indent: "\t"})
		case *protocol.Expression:
			if m.Code == "loop" { // until it is interrupted
				interrupt := make(chan struct{})
				f.mu.Lock()
				f.cell, f.interrupt = m.Cell, interrupt
				f.mu.Unlock()
				go func() {
					<-interrupt
					f.conn.Send(&protocol.ExpressionReply{ID: m.ID, Failure: &protocol.Failure{Name: "interrupted", Value: "it was interrupted"}})
				}()
			} else if m.Code == "bad" {
				f.conn.Send(&protocol.ExpressionReply{ID: m.ID, Failure: &protocol.Failure{Name: "CompileError", Value: "undefined: bad"}})
			} else {
				f.conn.Send(&protocol.ExpressionReply{ID: m.ID, Bundle: text("value of " + m.Code)})
			}
		case *protocol.Debug: // succeeds and says so in an event, but for "fail"
			f.conn.Send(&protocol.DebugEvent{Content: json.RawMessage(`{"event":"heard","body":` + string(m.Content) + `}`)})
			if strings.Contains(string(m.Content), `"fail"`) {
				f.conn.Send(&protocol.DebugReply{ID: m.ID})
				break
			}
			if strings.Contains(string(m.Content), `"pause"`) {
				f.conn.Send(&protocol.DebugEvent{Content: json.RawMessage(`{"event":"stopped","body":{"threadId":1}}`)})
			}
			f.conn.Send(&protocol.DebugReply{ID: m.ID, Content: json.RawMessage(`{"success":true,"pid":` + strconv.Itoa(os.Getpid()) + `}`)})
		case *protocol.Comm:
			f.comm(m)
		case *protocol.Shutdown:
			f.die("", "exit status 0")
		}
	}
}

// comm knows one target, echo, which sends back what it gets. Data {"work":1} makes it work between cells until it is interrupted.
func (f *Fake) comm(m *protocol.Comm) {
	switch {
	case m.Op == protocol.CommOpen && m.Target == "echo":
		f.targets[m.CommID] = m.Target
	case m.Op == protocol.CommOpen:
		f.conn.Send(&protocol.Comm{Cell: m.ID, Op: protocol.CommClose, CommID: m.CommID})
	case m.Op == protocol.CommMsg && string(m.Data) == `{"work":1}`:
		interrupt := make(chan struct{})
		f.mu.Lock()
		f.cell, f.interrupt = m.ID, interrupt
		f.mu.Unlock()
		f.conn.Send(&protocol.Task{Cell: m.ID, Running: true})
		go func() {
			<-interrupt
			f.conn.Send(&protocol.Task{Cell: m.ID})
		}()
	case m.Op == protocol.CommMsg && f.targets[m.CommID] != "":
		f.conn.Send(&protocol.Comm{Cell: m.ID, Op: protocol.CommMsg, CommID: m.CommID, Data: m.Data, Metadata: m.Metadata, Buffers: m.Buffers})
		f.conn.Send(&protocol.Stream{Cell: m.ID, Name: protocol.Stdout, Text: []byte("echoed")})
	case m.Op == protocol.CommClose:
		delete(f.targets, m.CommID)
	}
	f.conn.Send(&protocol.Done{ID: m.ID})
}

func text(s string) protocol.Bundle {
	b, _ := json.Marshal(map[string]string{"text/plain": s})
	return protocol.Bundle{Data: b}
}

func (f *Fake) execute(x *protocol.Execute) {
	done := &protocol.Done{ID: x.ID}
	for line := range strings.Lines(x.Code) {
		command, arg, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if s, err := strconv.Unquote(`"` + arg + `"`); err == nil {
			arg = s
		}
		if done.Failure = f.command(x, command, arg, done); done.Failure != nil {
			break
		}
	}
	f.mu.Lock()
	f.cell, f.interrupt = 0, nil
	f.mu.Unlock()
	f.conn.Send(done)
}

func (f *Fake) command(x *protocol.Execute, command, arg string, done *protocol.Done) *protocol.Failure {
	stream := func(name, s string) { f.conn.Send(&protocol.Stream{Cell: x.ID, Name: name, Text: []byte(s)}) }
	first, rest, _ := strings.Cut(arg, " ")
	number, _ := strconv.Atoi(first)
	switch command {
	case "print":
		stream(protocol.Stdout, arg+"\n")
	case "write":
		stream(protocol.Stdout, arg)
	case "eprint":
		stream(protocol.Stderr, arg+"\n")
	case "lines":
		for i := range number {
			stream(protocol.Stdout, "line "+strconv.Itoa(i)+"\n")
		}
	case "flood":
		size, _ := strconv.Atoi(rest)
		s := strings.Repeat("z", size) + "\n"
		for range number {
			stream(protocol.Stdout, s)
		}
	case "displays", "updates": // NUMBER SIZE
		size, _ := strconv.Atoi(rest)
		for i := range number {
			b := text(strconv.Itoa(i) + strings.Repeat(".", size))
			b.Transient = json.RawMessage(`{"display_id":"d1"}`)
			f.conn.Send(&protocol.Display{Cell: x.ID, Update: command == "updates", Bundle: b})
		}
	case "display", "update":
		b := text(arg)
		b.Transient = json.RawMessage(`{"display_id":"d1"}`)
		f.conn.Send(&protocol.Display{Cell: x.ID, Update: command == "update", Bundle: b})
	case "clear":
		f.conn.Send(&protocol.Clear{Cell: x.ID, Wait: arg == "wait"})
	case "result":
		if !x.Silent {
			f.conn.Send(&protocol.Result{Cell: x.ID, Bundle: text(arg)})
		}
	case "fail":
		return &protocol.Failure{Name: first, Value: rest, Traceback: []string{"\x1b[31m" + first + "\x1b[0m", rest}}
	case "goroutine":
		f.conn.Send(&protocol.Error{Cell: x.ID, Failure: protocol.Failure{Name: first, Value: rest}})
	case "sleep", "stuck", "deaf":
		return f.wait(x, command, arg)
	case "ask":
		return f.ask(x, arg)
	case "later":
		d, _ := time.ParseDuration(first)
		time.AfterFunc(d, func() { stream(protocol.Stdout, rest+"\n") })
	case "past":
		f.mu.Lock()
		text := fmt.Sprint(f.past)
		f.mu.Unlock()
		stream(protocol.Stdout, text+"\n")
	case "payload":
		done.Payload = json.RawMessage(arg)
	case "open":
		f.conn.Send(&protocol.Comm{Cell: x.ID, Op: protocol.CommOpen, CommID: first, Target: rest, Data: json.RawMessage(`{"x":1}`)})
	case "crash":
		f.die(arg, "exit status 2")
		runtime.Goexit()
	case "exit":
		f.die("", "exit status "+arg)
		runtime.Goexit()
	default:
		return &protocol.Failure{Name: "CompileError", Value: "unknown command " + command}
	}
	return nil
}

func (f *Fake) wait(x *protocol.Execute, command, arg string) *protocol.Failure {
	d, err := time.ParseDuration(arg)
	if err != nil {
		return &protocol.Failure{Name: "CompileError", Value: err.Error()}
	}
	end := time.After(d)
	f.mu.Lock()
	interrupt := f.interrupt
	f.mu.Unlock()
	interrupted := &protocol.Failure{Name: "interrupted", Value: "the cell was interrupted"}
	if command == "deaf" {
		select {
		case <-end:
			return nil
		case <-f.ended:
			return interrupted
		}
	}
	select {
	case <-end:
		return nil
	case <-f.ended:
	case <-interrupt:
		if command == "stuck" {
			time.Sleep(x.Grace)
			f.conn.Send(&protocol.Stuck{Cell: x.ID})
			select {
			case <-end:
			case <-f.ended:
			}
		}
	}
	return interrupted
}

func (f *Fake) ask(x *protocol.Execute, prompt string) *protocol.Failure {
	c := make(chan *protocol.InputReply, 1)
	f.mu.Lock()
	f.seq++
	seq, interrupt := f.seq, f.interrupt
	f.answers[seq] = c
	f.mu.Unlock()
	f.conn.Send(&protocol.InputRequest{Cell: x.ID, Seq: seq, Prompt: prompt})
	select {
	case a := <-c:
		if a.Error != "" {
			return &protocol.Failure{Name: "error", Value: a.Error}
		}
		f.conn.Send(&protocol.Stream{Cell: x.ID, Name: protocol.Stdout, Text: []byte("answer " + a.Value + "\n")})
		return nil
	case <-interrupt:
		return &protocol.Failure{Name: "interrupted", Value: "the cell was interrupted"}
	}
}
