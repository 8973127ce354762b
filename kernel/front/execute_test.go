package front_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

type M = kerneltest.M

func TestCellFromBusyToIdle(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Execute("print hello\neprint oops\nprint again\ndisplay picture\nupdate other\nclear wait\nresult 42")
	r.WantIOPub("status busy", "execute_input print hello\neprint oops\nprint again\ndisplay picture\nupdate other\nclear wait\nresult 42",
		"stream stdout hello\n", "stream stderr oops\n", "stream stdout again\n",
		"display_data picture", "update_display_data other", "clear_output true", "execute_result 42", "status idle")
	r.WantReply("execute_reply ok 1")
	for _, m := range r.IOPub {
		if m.Type == "execute_result" && m.Content["execution_count"] != 1.0 {
			t.Errorf("execute_result has count %v", m.Content["execution_count"])
		}
		if m.Type == "display_data" && fmt.Sprint(m.Content["transient"]) != "map[display_id:d1]" {
			t.Errorf("display_data has transient %v", m.Content["transient"])
		}
	}
	k.Execute("result 1").WantReply("execute_reply ok 2")
}

func TestStartingIsHeldForTheFirstSubscriber(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	var first []string
	for range 2 {
		first = append(first, k.Client.Next("first messages", func(m kerneltest.Message) bool { return m.Channel == "iopub" }).String())
	}
	if got := strings.Join(first, "; "); got != "iopub_welcome ; status starting" && got != "status starting; iopub_welcome " {
		t.Errorf("first came %q", got)
	}
}

func TestSilentCellPublishesNothing(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Client.Execute("print x\nresult 2\ndisplay d", M{"silent": true})
	r.WantIOPub("status busy", "status idle")
	r.WantReply("execute_reply ok 1")
	r = k.Client.Execute("fail panic boom", M{"silent": true})
	r.WantIOPub("status busy", "status idle")
	r.WantReply("execute_reply error 1 panic boom")
	k.Execute("result 1").WantReply("execute_reply ok 1") // silent cells are not counted
}

func TestStoreHistoryFalseIsNotCounted(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	k.Execute("result 1").WantReply("execute_reply ok 1")
	r := k.Client.Execute("result 2", M{"store_history": false})
	r.WantIOPub("status busy", "execute_input result 2", "execute_result 2", "status idle")
	r.WantReply("execute_reply ok 2")
	k.Execute("result 3").WantReply("execute_reply ok 2")
}

func TestEmptyCellIsNotCounted(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	k.Execute("result 1").WantReply("execute_reply ok 1")
	k.Execute(" \n").WantReply("execute_reply ok 1")
	k.Execute("result 1").WantReply("execute_reply ok 2")
}

func TestUserExpressions(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Client.Execute("", M{"user_expressions": M{"x": "a+b", "y": "bad"}})
	got := r.Reply.Content["user_expressions"].(M)
	x, y := got["x"].(M), got["y"].(M)
	if x["status"] != "ok" || fmt.Sprint(x["data"]) != "map[text/plain:value of a+b]" || x["metadata"] == nil {
		t.Errorf("x = %v", x)
	}
	if y["status"] != "error" || y["ename"] != "CompileError" || len(y["traceback"].([]any)) == 0 {
		t.Errorf("y = %v", y)
	}
	r = k.Client.Execute("fail a b", M{"user_expressions": M{"x": "a"}})
	if e := r.Reply.Content["user_expressions"].(M); len(e) != 0 {
		t.Errorf("expressions after a failure: %v", e)
	}
}

func TestPayload(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Execute(`payload [{"source":"set_next_input","text":"x"}]`)
	if p := fmt.Sprint(r.Reply.Content["payload"]); p != "[map[source:set_next_input text:x]]" {
		t.Errorf("payload %s", p)
	}
	if p := fmt.Sprint(k.Execute("print x").Reply.Content["payload"]); p != "[]" {
		t.Errorf("payload %s", p)
	}
}

func TestErrorIsShownOnce(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Execute("print before\nfail panic boom and more")
	r.WantIOPub("status busy", "execute_input print before\nfail panic boom and more", "stream stdout before\n", "error panic boom and more", "status idle")
	r.WantReply("execute_reply error 1 panic boom and more")
	if tb, ok := r.Reply.Content["traceback"].([]any); !ok || len(tb) != 2 {
		t.Errorf("traceback %v", r.Reply.Content["traceback"])
	}
}

func TestStopOnErrorAbortsWhatWaits(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	first := c.SendExecute("sleep 200ms\nfail panic boom", nil)
	second, third := c.SendExecute("print 2", nil), c.SendExecute("print 3", nil)
	c.Ask("shell", "kernel_info_request", nil) // so they have arrived
	c.Await("shell", first).WantReply("execute_reply error 1 panic boom")
	for _, id := range []string{second, third} {
		r := c.Await("shell", id)
		r.WantIOPub("status busy", "status idle")
		r.WantReply("execute_reply aborted 1")
	}
	k.Execute("print 4").WantReply("execute_reply ok 2")

	first = c.SendExecute("sleep 200ms\nfail panic boom", M{"stop_on_error": false})
	second = c.SendExecute("print 2", nil)
	c.Await("shell", first).WantReply("execute_reply error 3 panic boom")
	c.Await("shell", second).WantReply("execute_reply ok 4")
}

func TestQueuedCellsRunInOrder(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	var ids []string
	for i := range 200 {
		ids = append(ids, k.Client.SendExecute(fmt.Sprintf("print %d", i), nil))
	}
	for i, id := range ids {
		r := k.Client.Await("shell", id)
		r.WantReply(fmt.Sprintf("execute_reply ok %d", i+1))
		if got := r.Text("stdout"); got != fmt.Sprintf("%d\n", i) {
			t.Fatalf("cell %d printed %q", i, got)
		}
	}
}

func TestManyLinesInFewMessages(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Execute("lines 10000")
	lines := strings.Split(strings.TrimSuffix(r.Text("stdout"), "\n"), "\n")
	if len(lines) != 10000 || lines[0] != "line 0" || lines[9999] != "line 9999" {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	if n := r.Count("stream"); n > 10 {
		t.Errorf("%d stream messages for 10,000 lines", n)
	}
	if last := r.IOPub[len(r.IOPub)-1].String(); last != "status idle" {
		t.Errorf("last came %q", last)
	}
}

func TestTextIsSentWhileTheCellRuns(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	id := k.Client.SendExecute("print first\nsleep 10s", nil)
	k.Client.Next("stream", func(m kerneltest.Message) bool { return m.Type == "stream" && m.ParentID() == id })
	k.Client.Ask("control", "interrupt_request", nil)
	k.Client.Await("shell", id).WantReply("execute_reply error 1 interrupted the cell was interrupted")
}

func TestCharactersAreNotCut(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	// é arrives in halves: with a pause longer than the gathering, with the other stream in between, and with another message.
	r := k.Execute(`write a\xc3` + "\nsleep 120ms\n" + `write \xa9b\xf0\x9f` + "\neprint x\n" + `write \x98\x80c\xe2` + "\ndisplay d\n" + `write \x82\xac\xc3`)
	if got := r.Text("stdout"); got != "aéb😀c€\ufffd" {
		t.Errorf("printed %q", got)
	}
	big := k.Execute("write " + strings.Repeat("é", 100_001))
	if got := big.Text("stdout"); got != strings.Repeat("é", 100_001) {
		t.Errorf("%d bytes, %d replaced", len(got), strings.Count(got, "\ufffd"))
	}
}

func TestLateOutputGoesToTheCellThatStartedIt(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	first := k.Execute("later 150ms late")
	k.Execute("print other")
	m := k.Client.Next("late output", func(m kerneltest.Message) bool { return m.Type == "stream" && m.Content["text"] == "late\n" })
	if m.ParentID() != first.ID {
		t.Errorf("late output has parent %s, want %s", m.ParentID(), first.ID)
	}
}

func TestOutputLimit(t *testing.T) {
	k := kerneltest.Start(t, front.Config{OutputLimit: 1000})
	r := k.Execute("flood 100 99\neprint also not shown")
	if got := r.Text("stdout"); len(got) < 1000 || len(got) > 1000+4096 { // and the end of the rest
		t.Errorf("%d bytes of stdout, limit 1000", len(got))
	}
	note := r.Text("stderr")
	if !strings.Contains(note, "1000 bytes; the rest is counted and not shown") || !strings.Contains(note, "[godp: 91 lines (8.8 KiB) of text left out; the end of it:]") || !strings.HasSuffix(note, "also not shown\n") {
		t.Errorf("notice %q", note)
	}
	r.WantReply("execute_reply ok 1")
	if got := k.Execute("print next").Text("stdout"); got != "next\n" {
		t.Errorf("the next cell printed %q", got)
	}
}

func TestMissingAndWrongFields(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Client.Ask("shell", "execute_request", M{"code": "print x"})
	r.WantReply("execute_reply ok 1")
	for _, content := range []any{M{}, M{"code": 7}, M{"code": nil}, []int{1}, M{"code": "x", "user_expressions": 3}} {
		if s := k.Client.Ask("shell", "execute_request", content).Reply.Content; s["status"] != "error" || s["evalue"] == "" {
			t.Errorf("content %v: reply %v", content, s)
		}
	}
	for _, ty := range []string{"complete_request", "inspect_request", "is_complete_request", "history_request", "comm_info_request",
		"shutdown_request", "delete_subshell_request"} {
		if s := k.Client.Ask("shell", ty, []int{1}).Reply.Content["status"]; s != "error" {
			t.Errorf("%s with a list as content: status %v", ty, s)
		}
	}
	k.Execute("print alive").WantReply("execute_reply ok 2")
}

func BenchmarkRoundTrip(b *testing.B) {
	k := kerneltest.Start(b, front.Config{})
	k.Execute("result 1")
	for b.Loop() {
		k.Execute("result 2")
	}
}

func BenchmarkLines(b *testing.B) {
	k := kerneltest.Start(b, front.Config{})
	k.Execute("result 1")
	for b.Loop() {
		k.Execute("lines 10000")
	}
}

func BenchmarkPrint20MiB(b *testing.B) {
	k := kerneltest.Start(b, front.Config{})
	k.Execute("result 1")
	for b.Loop() {
		k.Execute("flood 20 1048575")
	}
}

func BenchmarkStartToKernelInfo(b *testing.B) {
	for b.Loop() {
		k := kerneltest.Start(b, front.Config{})
		k.Client.Ask("shell", "kernel_info_request", nil)
	}
}

// A cell that fails at once must abort those sent with it although they may come after its end; one sent after its reply must run.
func TestStopOnErrorIsNotARace(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	for range 20 {
		var frames [3][][]byte
		var ids [3]string
		for i, code := range []string{"sleep 50ms\nfail panic boom", "print 2", "print 3"} {
			frames[i], ids[i] = k.Client.Frames("execute_request", M{"code": code}, nil)
		}
		k.Client.SendRaw("shell", frames[0]...)
		k.Client.Reply("shell", ids[0])
		for i := 1; i < 3; i++ {
			k.Client.SendRaw("shell", frames[i]...)
			if s := k.Client.Reply("shell", ids[i]).Content["status"]; s != "aborted" {
				t.Fatalf("a cell that was sent before the failure was known has status %v", s)
			}
		}
		if s := k.Execute("print 4").Reply.Content["status"]; s != "ok" {
			t.Fatalf("a cell that was sent after the failure was known has status %v", s)
		}
	}
}

func TestFailureOfAGoroutineFailsItsCell(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	r := k.Execute("goroutine panic gboom\nprint on")
	r.WantIOPub("status busy", "execute_input goroutine panic gboom\nprint on", "error panic gboom", "stream stdout on\n", "status idle")
	r.WantReply("execute_reply error 1 panic gboom")
	r = k.Execute("goroutine panic first\nfail panic second")
	if r.Count("error") != 2 {
		t.Errorf("two failures were shown %d times", r.Count("error"))
	}
	r.WantReply("execute_reply error 2 panic second")
	k.Execute("print x").WantReply("execute_reply ok 3")
}
