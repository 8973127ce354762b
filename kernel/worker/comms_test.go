package worker

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/worker/protocol"
)

var (
	pinged   = make(chan struct{}, 100)
	captured = make(chan string, 100)
	gentle   context.CancelFunc
)

func init() {
	// A target whose messages make tasks: print prints, panic panics, loop goes on until it is stopped, soft is stopped gently.
	cells["register"] = func(f *fake, _ context.Context) Outcome {
		time.Sleep(20 * time.Millisecond) // the client's comm_open is here before
		owner := comm.Owner()
		comm.Register("test", func(parent uint64, c *comm.Comm, m comm.Message) {
			c.Send(parent, m.Data, nil, m.Buffers)
			c.On(func(parent uint64, m comm.Message) {
				pinged <- struct{}{}
				t := &comm.Task{Parent: parent, Owner: owner}
				switch string(m.Data) {
				case `"panic"`:
					t.Run = func() { panic("on purpose") }
				case `"loop"`:
					t.Run = func() { fmt.Fprintln(f.Stdout, "begun"); select {} }
				case `"soft"`:
					t.Context, gentle = context.WithCancel(context.Background())
					t.Run = func() { fmt.Fprintln(f.Stdout, "begun"); select {} }
					t.Done = func(x *comm.Failure) { fmt.Fprintln(f.Stdout, "superseded:", x.Superseded) }
				default:
					t.Run = func() { fmt.Fprintln(f.Stdout, "task", string(m.Data)) }
				}
				comm.Post(t)
			}, func(parent uint64, m comm.Message) { comm.Register("test", nil) })
		})
		return Outcome{}
	}
	cells["wait for a ping"] = func(*fake, context.Context) Outcome { <-pinged; return result("pinged") }
	cells["poll"] = func(*fake, context.Context) Outcome {
		n := 0
		for <-pinged; n == 0; n = comm.Poll() {
			time.Sleep(time.Millisecond)
		}
		return result(n)
	}
	cells["capture"] = func(f *fake, _ context.Context) Outcome {
		run, drop := comm.Capture(func(e any) bool {
			captured <- e.(display.Event).Kind + " " + e.(display.Event).Text
			return e.(display.Event).Kind != display.KindUpdate
		})
		before := display.Text("outside")
		release, ended := make(chan struct{}), make(chan struct{})
		fmt.Fprintln(f.Stdout, "before")
		run(func() {
			fmt.Fprint(f.Stdout, "inside")
			display.Text("shown")
			before.Update("updated")
			go func() { <-release; fmt.Fprint(f.Stderr, "its goroutine"); close(ended) }()
		})
		fmt.Fprintln(f.Stdout, "after")
		close(release)
		<-ended
		drop()
		for len(captured) > 0 {
			fmt.Fprintln(f.Stdout, strings.TrimSpace(<-captured))
		}
		return Outcome{}
	}
}

// until receives messages until one is described as want, and returns the descriptions of those before it.
func (c *client) until(want string) (before []string) {
	c.t.Helper()
	for {
		s := ""
		switch m := c.receive().(type) {
		case *protocol.Stream:
			s = fmt.Sprintf("%d %s %s", m.Cell, m.Name, strings.TrimSpace(string(m.Text)))
		case *protocol.Comm:
			s = fmt.Sprintf("%d comm %s %s %s %q", m.Cell, m.Op, m.CommID, m.Data, m.Buffers)
		case *protocol.Task:
			s = fmt.Sprintf("%d task %v", m.Cell, m.Running)
		case *protocol.Done:
			s = fmt.Sprintf("done %d", m.ID)
			if m.Failure != nil {
				s += " " + m.Failure.Name
			}
		case *protocol.Result:
			s = fmt.Sprintf("%d result %s", m.Cell, m.Data)
		case *protocol.Error:
			s = fmt.Sprintf("%d error %s: %s", m.Cell, m.Name, m.Value)
		case *protocol.Stuck:
			s = fmt.Sprintf("%d stuck", m.Cell)
		default:
			s = fmt.Sprintf("%T", m)
		}
		if s == want {
			return before
		}
		if strings.HasPrefix(s, "done 1") { // a task may begin before its message is done, or after
			continue
		}
		before = append(before, s)
		if len(before) > 20 {
			c.t.Fatalf("%q does not come: %q", want, before)
		}
	}
}

func TestCommsAndTasks(t *testing.T) {
	c := start(t, Limits{})
	msg := func(id uint64, data string) {
		c.t.Helper()
		c.send(&protocol.Comm{ID: id, Op: protocol.CommMsg, CommID: "c", Data: []byte(data), Buffers: [][]byte{{1}}})
	}
	want := func(got []string, want string) {
		t.Helper()
		if s := strings.Join(got, "\n"); s != want {
			t.Errorf("got\n%s\nwant\n%s", s, want)
		}
	}
	// A comm of a target that the running cell is about to register waits for it, with the messages after it.
	c.execute("register") // 1
	c.send(&protocol.Comm{ID: 100, Op: protocol.CommOpen, CommID: "c", Target: "test", Data: []byte(`{"x":1}`), Buffers: [][]byte{{0}}})
	msg(101, `"early"`)
	want(c.until(`1 stdout task "early"`), "100 comm msg c {\"x\":1} [\"\\x00\"]\n101 task true")
	c.until("101 task false")

	// A message is delivered while a cell runs; the task comes after the cell, under the cell that registered the handler.
	<-pinged
	c.execute("wait for a ping") // 2
	msg(102, `"late"`)
	want(c.until("102 task false"), "2 result {\"text/plain\":\"pinged\"}\ndone 2\n102 task true\n1 stdout task \"late\"")

	// Unless the cell asks for it.
	c.execute("poll") // 3
	msg(103, `"now"`)
	want(c.until("done 3"), "1 stdout task \"now\"\n3 result {\"text/plain\":\"1\"}")

	msg(104, `"panic"`)
	<-pinged
	want(c.until("104 task false"), "104 task true\n1 error panic: on purpose")

	// An interrupt of whatever runs stops it, and so does one of a cell that waits behind it.
	for i, cell := range []uint64{0, 4} {
		n := 105 + uint64(i)
		msg(n, `"loop"`)
		<-pinged
		c.until("1 stdout begun")
		if cell != 0 {
			c.execute("1+1") // 4
		}
		c.send(&protocol.Interrupt{Cell: cell})
		want(c.until(fmt.Sprintf("%d task false", n)), "1 error interrupted: interrupted")
	}
	c.until("done 4")

	msg(107, `"soft"`)
	<-pinged
	c.until("1 stdout begun")
	gentle()
	want(c.until("107 task false"), "1 stdout superseded: true")

	// What nobody listens to is closed.
	c.send(&protocol.Comm{ID: 108, Op: protocol.CommMsg, CommID: "unknown"})
	want(c.until("done 108"), "*protocol.Log\n108 comm close unknown  []")
	c.send(&protocol.Comm{ID: 109, Op: protocol.CommClose, CommID: "c"})
	c.until("done 109")
	c.send(&protocol.Comm{ID: 110, Op: protocol.CommOpen, CommID: "d", Target: "test"})
	want(c.until("done 110"), "110 comm close d  []")
}

func TestCapture(t *testing.T) {
	c := start(t, Limits{})
	c.expect("capture", "1 display {\"text/plain\":\"outside\"}\n1 stdout before\n1 display {\"text/plain\":\"updated\"}\n1 stdout after\nstream inside\ndisplay_data\nupdate_display_data\nstream its goroutine\n")
}
