package front_test

import (
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

// running sends a cell and returns when it runs.
func running(k *kerneltest.Kernel, code string) string {
	id := k.Client.SendExecute("print running\n"+code, nil)
	k.Client.Next("first output", func(m kerneltest.Message) bool { return m.Type == "stream" && m.ParentID() == id })
	return id
}

func interrupt(k *kerneltest.Kernel) {
	k.T.Helper()
	r := k.Client.Ask("control", "interrupt_request", M{})
	r.WantReply("interrupt_reply ok")
	if r.Reply.Channel != "control" {
		k.T.Errorf("interrupt_reply on %s", r.Reply.Channel)
	}
}

func TestInterrupt(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	interrupt(k) // idle: harmless
	id := running(k, "sleep 1h")
	next := k.Client.SendExecute("print never", nil)
	k.Client.Ask("shell", "kernel_info_request", nil) // so it has arrived
	interrupt(k)
	interrupt(k) // impatient: no worker is killed for that
	k.Client.Await("shell", id).WantReply("execute_reply error 1 interrupted the cell was interrupted")
	k.Client.Await("shell", next).WantReply("execute_reply aborted 1")
	interrupt(k)
	r := k.Execute("print alive")
	r.WantReply("execute_reply ok 2")
	if strings.Contains(k.Log.String(), "has ended") {
		t.Error("a worker was lost")
	}
}

func TestInterruptOfAUserExpression(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	id := k.Client.SendExecute("print running\n", M{"user_expressions": M{"x": "loop"}})
	k.Client.Next("output", func(m kerneltest.Message) bool { return m.Type == "stream" && m.ParentID() == id })
	interrupt(k)
	r := k.Client.Await("shell", id)
	if x := r.Reply.Content["user_expressions"].(M)["x"].(M); r.Reply.Content["status"] != "ok" || x["ename"] != "interrupted" {
		t.Errorf("reply %v", r.Reply.Content)
	}
	k.Execute("print alive").WantReply("execute_reply ok 2")
}

func stuckNotice(k *kerneltest.Kernel, id string) {
	k.T.Helper()
	k.Client.Next("notice", func(m kerneltest.Message) bool {
		s, _ := m.Content["text"].(string)
		return m.ParentID() == id && m.Content["name"] == "stderr" && strings.Contains(s, "has not stopped yet") && strings.Contains(s, "Interrupt again")
	})
}

const replaced = "The worker process has ended and was replaced. Variables, functions and imports are lost; re-run from In["

func wantReplaced(t *testing.T, r *kerneltest.Run, reply, from string) {
	t.Helper()
	r.WantReply(reply)
	tb, _ := r.Reply.Content["traceback"].([]any)
	if len(tb) == 0 || !strings.HasPrefix(tb[len(tb)-1].(string), replaced+from+"]") {
		t.Errorf("traceback %q", tb)
	}
	if last := r.IOPub[len(r.IOPub)-2]; last.Type != "error" {
		t.Errorf("before idle came %v", last)
	}
}

func TestSecondInterruptEndsAStuckWorker(t *testing.T) {
	k := kerneltest.Start(t, front.Config{Grace: 20 * time.Millisecond, KillAfter: -1})
	k.Execute("print one")
	id := running(k, "stuck 1h")
	interrupt(k)
	stuckNotice(k, id)
	k.Client.Never(100*time.Millisecond, "end without a second interrupt", func(m kerneltest.Message) bool { return m.Type == "execute_reply" })
	interrupt(k)
	wantReplaced(t, k.Client.Await("shell", id), "execute_reply error 2 interrupted the cell did not stop, so its worker process was ended", "1")
	k.Execute("print alive").WantReply("execute_reply ok 3")
}

func TestStuckWorkerIsEndedAfterAWhile(t *testing.T) {
	k := kerneltest.Start(t, front.Config{Grace: 20 * time.Millisecond, KillAfter: 100 * time.Millisecond})
	id := running(k, "stuck 1h")
	interrupt(k)
	stuckNotice(k, id)
	wantReplaced(t, k.Client.Await("shell", id), "execute_reply error 1 interrupted the cell did not stop, so its worker process was ended", "1")
	k.Execute("print alive").WantReply("execute_reply ok 2")
}

func TestWorkerThatDoesNotEvenReport(t *testing.T) {
	k := kerneltest.Start(t, front.Config{Grace: time.Millisecond, KillAfter: 50 * time.Millisecond})
	id := running(k, "deaf 1h")
	interrupt(k)
	stuckNotice(k, id)
	wantReplaced(t, k.Client.Await("shell", id), "execute_reply error 1 interrupted the cell did not stop, so its worker process was ended", "1")
}

func TestStuckCellThatEndsAfterAll(t *testing.T) {
	k := kerneltest.Start(t, front.Config{Grace: 20 * time.Millisecond, KillAfter: time.Hour})
	id := running(k, "stuck 300ms")
	interrupt(k)
	stuckNotice(k, id)
	k.Client.Await("shell", id).WantReply("execute_reply error 1 interrupted the cell was interrupted")
	k.Execute("print alive").WantReply("execute_reply ok 2")
	if strings.Contains(k.Log.String(), "has ended") {
		t.Error("a worker was lost")
	}
}
