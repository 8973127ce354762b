package front_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

const overflow = `runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\nruntime stack:\nruntime.throw({0x1, 0x2})\n\ngoroutine 7 [running]:\nmain.f()`

func TestFatalErrorIsShownInItsCell(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	k.Execute("print 1")
	r := k.Execute("print before\ncrash " + overflow)
	if got := r.Text("stdout"); got != "before\n" {
		t.Errorf("printed %q", got)
	}
	wantReplaced(t, r, "execute_reply error 2 fatal error stack overflow", "1")
	tb := r.Reply.Content["traceback"].([]any)
	if len(tb) != 3 || !strings.Contains(tb[0].(string), "fatal error") || !strings.Contains(tb[1].(string), "1000000000-byte limit") {
		t.Errorf("traceback %q", tb)
	}
	if !strings.Contains(k.Log.String(), "goroutine 7 [running]") {
		t.Error("the log has not the whole report")
	}
	k.Execute("print alive").WantReply("execute_reply ok 3")
	wantReplaced(t, k.Execute(`crash panic: gboom\n\ngoroutine 9 [running]:\n`), "execute_reply error 4 panic gboom", "3")
	wantReplaced(t, k.Execute("exit 3"), "execute_reply error 5 WorkerExit the cell ended its worker process: exit status 3", "5")
	r = k.Execute("print alive")
	r.WantReply("execute_reply ok 6")
	r.WantIOPub("status busy", "execute_input print alive", "stream stdout alive\n", "status idle")
}

func TestCellsInTheQueueAfterACrash(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	a := k.Client.SendExecute("sleep 100ms\nexit 3", M{"stop_on_error": false})
	b := k.Client.SendExecute("print next", M{"stop_on_error": false})
	k.Client.Await("shell", a).WantReply("execute_reply error 1 WorkerExit the cell ended its worker process: exit status 3")
	k.Client.Await("shell", b).WantReply("execute_reply ok 2")
}

func TestWorkerThatDiesBetweenCells(t *testing.T) {
	var first atomic.Pointer[kerneltest.Fake]
	k := kerneltest.Start(t, front.Config{Start: func() (front.Process, error) {
		p, err := kerneltest.StartFake()
		first.CompareAndSwap(nil, p.(*kerneltest.Fake))
		return p, err
	}})
	r := k.Execute("open c1 widget")
	first.Load().Kill()
	m := k.Client.Next("notice", func(m kerneltest.Message) bool { return m.Type == "stream" && m.Content["name"] == "stderr" })
	if s := m.Content["text"].(string); m.ParentID() != r.ID || !strings.Contains(s, "killed from outside") || !strings.Contains(s, replaced+"1]") {
		t.Errorf("notice %q", s)
	}
	k.Client.Next("comm_close", func(m kerneltest.Message) bool { return m.String() == "comm_close c1" })
	k.Execute("print alive").WantReply("execute_reply ok 2")
}

func TestRequestsToADyingWorkerAreAnswered(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	cell := k.Client.SendExecute("sleep 50ms\nexit 1", nil)
	var ids []string
	for range 200 {
		ids = append(ids, k.Client.Send("shell", "complete_request", M{"code": "x", "cursor_pos": 1}))
		time.Sleep(500 * time.Microsecond)
	}
	k.Client.Await("shell", cell)
	for _, id := range ids {
		if s := k.Client.Await("shell", id).Reply.Content["status"]; s != "ok" {
			t.Fatalf("completion has status %v", s)
		}
	}
}

func TestWorkerThatDoesNotStart(t *testing.T) {
	var good atomic.Bool
	k := kerneltest.Start(t, front.Config{Start: func() (front.Process, error) {
		if good.Load() {
			return kerneltest.StartFake()
		}
		return nil, errors.New("no such file")
	}})
	k.Client.Ask("shell", "kernel_info_request", nil).WantReply("kernel_info_reply ok") // the front lives
	r := k.Execute("print x")
	r.WantReply("execute_reply error 1 WorkerStart the worker process does not start: no such file")
	if s := k.Client.Ask("shell", "is_complete_request", M{"code": "x"}).Reply.Content["status"]; s != "unknown" {
		t.Errorf("is_complete without a worker: %v", s)
	}
	k.Client.Ask("shell", "complete_request", M{"code": "x"}).WantReply("complete_reply ok")
	good.Store(true)
	for end := time.Now().Add(kerneltest.Patience); ; time.Sleep(20 * time.Millisecond) {
		if k.Execute("print x").Reply.Content["status"] == "ok" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no worker after the obstacle was removed")
		}
	}
}

// A worker that says it is ready and dies is not started in a tight loop, and the front goes on.
func TestWorkerThatDiesAtOnce(t *testing.T) {
	var starts atomic.Int32
	var good atomic.Bool
	k := kerneltest.Start(t, front.Config{Start: func() (front.Process, error) {
		starts.Add(1)
		p, err := kerneltest.StartFake()
		if !good.Load() {
			time.AfterFunc(2*time.Millisecond, p.Kill)
		}
		return p, err
	}})
	time.Sleep(time.Second)
	if n := starts.Load(); n < 2 || n > 10 {
		t.Errorf("%d workers were started in a second", n)
	}
	good.Store(true)
	for end := time.Now().Add(kerneltest.Patience); k.Execute("print x").Reply.Content["status"] != "ok"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no worker after the obstacle was removed")
		}
	}
}

func TestWorkerCommandThatCannotRun(t *testing.T) {
	for _, tc := range []struct {
		command []string
		want    string
	}{
		{[]string{"/nonexistent/godp", "worker"}, "no such file"},
		{[]string{"/bin/false"}, "ended before it was ready: WorkerExit: the cell ended its worker process: exit status 1"},
	} {
		k := kerneltest.Start(t, front.Config{WorkerCommand: tc.command})
		if v := k.Execute("print x").Reply.Content["evalue"].(string); !strings.Contains(v, tc.want) {
			t.Errorf("%v: %q", tc.command, v)
		}
	}
}

// The worker that takes the place of one that has died learns what had succeeded there, and the user that it can be replayed.
func TestPastIsToldToTheNextWorker(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	c.Execute("past", nil).WantIOPub("status busy", "execute_input past", "stream stdout []\n", "status idle")
	c.Execute("fail error no", nil)
	c.Execute("print silent", M{"silent": true})
	c.Execute("print two", M{"store_history": false})
	r := c.Execute("exit 3", nil)
	tb := fmt.Sprint(r.Reply.Content["traceback"])
	if !strings.Contains(tb, "re-run from In[1]. %restore replays the declarations of all cells that have succeeded.") {
		t.Errorf("traceback %s", tb)
	}
	if got := c.Execute("past", nil).Text("stdout"); got != "[{1 past} {3 print two}]\n" {
		t.Errorf("the next worker knows %s", got)
	}
}
