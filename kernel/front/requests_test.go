package front_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

func TestKernelInfo(t *testing.T) {
	k := kerneltest.Start(t, front.Config{Version: "1.2.3"})
	busy := k.Client.SendExecute("sleep 10s", nil)
	k.Client.Next("busy", func(m kerneltest.Message) bool { return m.ParentID() == busy })
	for _, channel := range []string{"shell", "control"} { // also while a cell runs
		r := k.Client.Ask(channel, "kernel_info_request", nil)
		r.WantIOPub("status busy", "status idle")
		c := r.Reply.Content
		if c["status"] != "ok" || c["protocol_version"] != "5.4" || c["implementation"] != "godp" || c["implementation_version"] != "1.2.3" ||
			c["banner"] == "" || c["supported_features"] == nil || len(c["help_links"].([]any)) == 0 {
			t.Errorf("%s: %v", channel, c)
		}
		l := c["language_info"].(M)
		for key, want := range map[string]string{"name": "go", "mimetype": "text/x-go", "file_extension": ".go", "pygments_lexer": "go", "codemirror_mode": "go"} {
			if l[key] != want {
				t.Errorf("language_info.%s is %v, want %v", key, l[key], want)
			}
		}
		if !strings.HasPrefix(fmt.Sprint(l["version"]), "1.") {
			t.Errorf("language_info.version is %v", l["version"])
		}
	}
	k.Client.Ask("control", "interrupt_request", nil)
	k.Client.Await("shell", busy)
}

func TestParentHeaderIsVerbatim(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	frames, id := k.Client.Frames("kernel_info_request", nil, M{"unheard_of": []int{1, 2}, "deep": M{"er": nil}})
	k.Client.SendRaw("shell", frames...)
	p := k.Client.Reply("shell", id).Parent
	if fmt.Sprint(p["unheard_of"], p["deep"]) != "[1 2] map[er:<nil>]" {
		t.Errorf("parent header %v", p)
	}
}

func TestRoutingFramesComeBack(t *testing.T) {
	k := kerneltest.Start(t, front.Config{}) // a proxy in between adds its own
	frames, id := k.Client.Frames("kernel_info_request", nil, nil)
	k.Client.SendRaw("shell", append([][]byte{[]byte("proxy")}, frames...)...)
	if m := k.Client.Reply("shell", id); m.Topic != "proxy" {
		t.Errorf("reply begins with %q", m.Topic)
	}
}

func TestComplete(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	const code = "é😀 ab!" // the cursor counts code points: before the !
	r := k.Client.Ask("shell", "complete_request", M{"code": code, "cursor_pos": 5})
	c := r.Reply.Content
	if c["status"] != "ok" || fmt.Sprint(c["matches"]) != "[abab]" || c["cursor_start"] != 3.0 || c["cursor_end"] != 5.0 {
		t.Errorf("%v", c)
	}
	if meta := fmt.Sprint(c["metadata"]); meta != "map[_jupyter_types_experimental:[map[end:5 signature:() start:3 text:abab type:function]]]" {
		t.Errorf("metadata %s", meta)
	}
	c = k.Client.Ask("shell", "complete_request", M{"code": "xy"}).Reply.Content // no cursor: the end
	if fmt.Sprint(c["matches"]) != "[xyxy]" {
		t.Errorf("without cursor_pos: %v", c)
	}
}

func TestCompletionWhileACellRuns(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	id := running(k, "sleep 10s")
	r := k.Client.Ask("shell", "complete_request", M{"code": "xy", "cursor_pos": 2})
	r.WantReply("complete_reply ok")
	r.WantIOPub("status busy", "status idle")
	// The latest status, which clients take for the kernel's, is that of the cell.
	k.Client.Next("busy again", func(m kerneltest.Message) bool { return m.Type == "status" && m.ParentID() == id })
	k.Client.Next("busy again", func(m kerneltest.Message) bool { return m.String() == "status busy" && m.ParentID() == id })
	k.Client.Ask("control", "interrupt_request", nil)
	r = k.Client.Await("shell", id)
	if last := r.IOPub[len(r.IOPub)-1]; last.String() != "status idle" {
		t.Errorf("the cell ends with %v", last)
	}
	k.Client.Ask("shell", "complete_request", M{"code": "xy", "cursor_pos": 2})
	k.Client.Never(20*time.Millisecond, "status after all was done", func(m kerneltest.Message) bool { return m.Type == "status" && m.ParentID() == id })
}

func TestInspect(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client.Ask("shell", "inspect_request", M{"code": "é😀x", "cursor_pos": 2, "detail_level": 1}).Reply.Content
	if c["status"] != "ok" || c["found"] != true || fmt.Sprint(c["data"]) != "map[text/plain:é😀 1]" || c["metadata"] == nil {
		t.Errorf("%v", c)
	}
	c = k.Client.Ask("shell", "inspect_request", M{"code": "", "cursor_pos": 0}).Reply.Content
	if c["status"] != "ok" || c["found"] != false {
		t.Errorf("%v", c)
	}
}

func TestIsComplete(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	for code, want := range map[string]string{"x": "complete", "{": "incomplete", "}": "invalid", "?": "unknown"} {
		c := k.Client.Ask("shell", "is_complete_request", M{"code": code}).Reply.Content
		if c["status"] != want || (c["indent"] != nil) != (want == "incomplete") {
			t.Errorf("%q: %v", code, c)
		}
	}
}

func TestHistory(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	k.Execute("result 1")
	k.Execute("print 2")
	k.Execute("result 1")
	k.Client.Execute("print hidden", M{"store_history": false})
	ask := func(content M) string {
		c := k.Client.Ask("shell", "history_request", content).Reply.Content
		if c["status"] != "ok" {
			t.Errorf("%v: %v", content, c)
		}
		return fmt.Sprint(c["history"])
	}
	for _, tc := range []struct {
		content M
		want    string
	}{
		{M{"hist_access_type": "tail", "n": 2, "output": false, "raw": true}, "[[1 2 print 2] [1 3 result 1]]"},
		{M{"hist_access_type": "tail", "n": 2, "output": true}, "[[1 2 [print 2 <nil>]] [1 3 [result 1 1]]]"},
		{M{"hist_access_type": "tail", "n": 99}, "[[1 1 result 1] [1 2 print 2] [1 3 result 1]]"},
		{M{"hist_access_type": "range", "session": 0, "start": 1, "stop": 3}, "[[1 1 result 1] [1 2 print 2]]"},
		{M{"hist_access_type": "range", "session": 1, "start": 2, "stop": nil}, "[[1 2 print 2] [1 3 result 1]]"},
		{M{"hist_access_type": "range", "session": -1, "start": 1}, "[]"},
		{M{"hist_access_type": "search", "pattern": "res*", "n": 9}, "[[1 1 result 1] [1 3 result 1]]"},
		{M{"hist_access_type": "search", "pattern": "res*", "unique": true}, "[[1 3 result 1]]"},
		{M{"hist_access_type": "search", "pattern": "*t ?", "n": 1}, "[[1 3 result 1]]"},
		{M{"hist_access_type": "search", "pattern": "int"}, "[]"},
	} {
		if got := ask(tc.content); got != tc.want {
			t.Errorf("%v:\n got %s\nwant %s", tc.content, got, tc.want)
		}
	}
	if c := k.Client.Ask("shell", "history_request", M{"hist_access_type": "all"}).Reply.Content; c["status"] != "error" {
		t.Errorf("unknown access type: %v", c)
	}
}

func TestInput(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	id := c.SendExecute("print before\nask name?\nask again?", M{"allow_stdin": true})
	for i, answer := range []string{"Ada", "Bob"} {
		m := c.Next("input_request", func(m kerneltest.Message) bool { return m.Channel == "stdin" })
		if want := []string{"input_request name?", "input_request again?"}[i]; m.String() != want || m.ParentID() != id || m.Content["password"] != false {
			t.Errorf("asked %v, want %q", m, want)
		}
		if i == 0 {
			// What was printed before the question is there before the answer is given.
			c.Next("stream", func(m kerneltest.Message) bool { return m.Type == "stream" && m.Content["text"] == "before\n" })
		}
		c.Send("stdin", "input_reply", M{"value": answer})
	}
	r := c.Await("shell", id)
	r.WantReply("execute_reply ok 1")
	if got := r.Text("stdout"); got != "answer Ada\nanswer Bob\n" {
		t.Errorf("printed %q", got)
	}
	c.Send("stdin", "input_reply", M{"value": "nobody asked"})
	c.Send("stdin", "input_reply", []int{1})
	k.Execute("print alive").WantReply("execute_reply ok 2")
}

func TestInputIsRefusedAtOnce(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	start := time.Now()
	k.Execute("ask name?").WantReply("execute_reply error 1 error this client does not allow input (allow_stdin is false)")
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestInterruptWhileAsking(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	id := k.Client.SendExecute("ask name?", M{"allow_stdin": true})
	old := k.Client.Next("input_request", func(m kerneltest.Message) bool { return m.Channel == "stdin" })
	k.Client.Ask("control", "interrupt_request", nil)
	k.Client.Await("shell", id).WantReply("execute_reply error 1 interrupted the cell was interrupted")
	k.Client.Answer(old, "input_reply", M{"value": "too late"})
	id = k.Client.SendExecute("ask next?", M{"allow_stdin": true})
	now := k.Client.Next("input_request", func(m kerneltest.Message) bool { return m.Channel == "stdin" })
	k.Client.Answer(now, "input_reply", M{"value": "in time"})
	if got := k.Client.Await("shell", id).Text("stdout"); got != "answer in time\n" {
		t.Errorf("the answer was %q", got)
	}
}

func TestComms(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	id := c.Send("shell", "comm_open", M{"comm_id": "c1", "target_name": "echo", "data": M{}})
	c.AwaitIdle(id).WantIOPub("status busy", "status idle")

	frames, id := c.Frames("comm_msg", M{"comm_id": "c1", "data": M{"v": 7}}, nil, []byte("buf"), []byte{0})
	c.SendRaw("shell", frames...)
	r := c.AwaitIdle(id)
	r.WantIOPub("status busy", "comm_msg c1", "stream stdout echoed", "status idle")
	if m := r.IOPub[1]; fmt.Sprint(m.Content["data"]) != "map[v:7]" || len(m.Buffers) != 2 || string(m.Buffers[0]) != "buf" {
		t.Errorf("echo %v with buffers %q", m.Content, m.Buffers)
	}
	c.Send("shell", "comm_msg", M{"comm_id": "unheard of", "data": M{}})
	c.Send("shell", "comm_msg", M{})

	if got := fmt.Sprint(c.Ask("shell", "comm_info_request", M{}).Reply.Content["comms"]); got != "map[c1:map[target_name:echo]]" {
		t.Errorf("comms %s", got)
	}
	id = c.Send("shell", "comm_open", M{"comm_id": "c2", "target_name": "no such target", "data": M{}})
	c.AwaitIdle(id).WantIOPub("status busy", "comm_close c2", "status idle")

	r = k.Execute("open c3 widget")
	r.WantIOPub("status busy", "execute_input open c3 widget", "comm_open c3", "status idle")
	if m := r.IOPub[2]; m.Content["target_name"] != "widget" || fmt.Sprint(m.Content["data"]) != "map[x:1]" {
		t.Errorf("comm_open %v", m.Content)
	}
	if got := fmt.Sprint(c.Ask("shell", "comm_info_request", M{"target_name": "widget"}).Reply.Content["comms"]); got != "map[c3:map[target_name:widget]]" {
		t.Errorf("comms of a target %s", got)
	}
	id = c.Send("shell", "comm_close", M{"comm_id": "c1"})
	c.AwaitIdle(id)
	if got := fmt.Sprint(c.Ask("shell", "comm_info_request", M{"target_name": "echo"}).Reply.Content["comms"]); got != "map[]" {
		t.Errorf("after comm_close: %s", got)
	}
}

// A message is served, and then a function that it concerns runs until it is interrupted.
func TestTaskOfAComm(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	c.AwaitIdle(c.Send("shell", "comm_open", M{"comm_id": "c1", "target_name": "echo", "data": M{}}))
	id := c.Send("shell", "comm_msg", M{"comm_id": "c1", "data": M{"work": 1}})
	states := func(want ...string) {
		t.Helper()
		for _, w := range want {
			if m := c.Next("status "+w, func(m kerneltest.Message) bool { return m.ParentID() == id && m.Type == "status" }); m.Content["execution_state"] != w {
				t.Fatalf("status %v, want %s", m.Content, w)
			}
		}
	}
	// busy and idle of the message, whose end comes before or after the task's beginning: both orders end in busy.
	states("busy")
	for n := 0; n < 2; {
		m := c.Next("status", func(m kerneltest.Message) bool { return m.ParentID() == id && m.Type == "status" })
		if m.Content["execution_state"] == "busy" {
			n = 2
		} else {
			n++
		}
	}
	c.Ask("control", "interrupt_request", nil)
	c.Next("status idle", func(m kerneltest.Message) bool {
		return m.ParentID() == id && m.Type == "status" && m.Content["execution_state"] == "idle"
	})
	k.Execute("print alive").WantReply("execute_reply ok 1")
}

func TestUnknownMessages(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Client.Ask("shell", "no_such_request", M{})
	if c := r.Reply.Content; r.Reply.Type != "no_such_reply" || c["status"] != "error" || c["ename"] != "UnknownMessage" {
		t.Errorf("%v", r.Reply)
	}
	r.WantIOPub("status busy", "status idle")
	k.Client.Ask("control", "debug_request", M{"type": "request", "command": "debugInfo"})
	id := k.Client.Send("shell", "whatever", M{})
	k.Client.AwaitIdle(id).WantIOPub("status busy", "status idle")
	k.Execute("print alive").WantReply("execute_reply ok 1")
}

func TestConnectRequest(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	if c := k.Client.Ask("shell", "connect_request", M{}).Reply.Content; c["shell_port"] == 0.0 || c["hb_port"] == 0.0 || c["status"] != "ok" {
		t.Errorf("%v", c)
	}
}
