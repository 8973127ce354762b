package front_test

import (
	"fmt"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

// subshell makes a subshell. send sends an execute request to it and returns its id.
func subshell(t *testing.T, c *kerneltest.Client) (sub string, send func(code string, extra M) string) {
	t.Helper()
	sub, _ = c.Ask("control", "create_subshell_request", M{}).Reply.Content["subshell_id"].(string)
	if sub == "" {
		t.Fatal("no subshell was made")
	}
	return sub, func(code string, extra M) string {
		content := M{"code": code}
		for k, v := range extra {
			content[k] = v
		}
		frames, id := c.Frames("execute_request", content, M{"subshell_id": sub})
		c.SendRaw("shell", frames...)
		return id
	}
}

// begin runs a cell in the main shell and returns when it has begun.
func begin(c *kerneltest.Client, code string) (id string) {
	id = c.SendExecute(code, nil)
	c.Next("execute_input", func(m kerneltest.Message) bool { return m.Type == "execute_input" })
	return id
}

func TestSubshells(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	if got := fmt.Sprint(c.Ask("shell", "kernel_info_request", M{}).Reply.Content["supported_features"]); got != "[debugger kernel subshells]" {
		t.Errorf("supported features %s", got)
	}
	sub, send := subshell(t, c)
	if got := fmt.Sprint(c.Ask("control", "list_subshell_request", M{}).Reply.Content["subshell_id"]); got != "["+sub+"]" {
		t.Fatalf("subshells %s, created %q", got, sub)
	}
	// Comm messages are served while a cell of the main shell runs, wherever they come from, and so is all that only asks.
	cell := begin(c, "sleep 10s")
	c.AwaitIdle(c.Send("shell", "comm_open", M{"comm_id": "m", "target_name": "echo", "data": M{}}))
	frames, id := c.Frames("comm_open", M{"comm_id": "s", "target_name": "echo", "data": M{}}, M{"subshell_id": sub})
	c.SendRaw("shell", frames...)
	c.AwaitIdle(id)
	for _, ty := range []string{"kernel_info", "complete", "inspect", "is_complete", "history", "comm_info"} {
		frames, id := c.Frames(ty+"_request", M{"code": "x", "cursor_pos": 1}, M{"subshell_id": sub})
		c.SendRaw("shell", frames...)
		r := c.Await("shell", id)
		if r.Reply.Type != ty+"_reply" || r.Reply.Content["status"] == "error" {
			t.Errorf("%s: %s", ty, r.Reply)
		}
		if got := r.IOPub[0].Parent["subshell_id"]; got != sub {
			t.Errorf("%s: the subshell in the parent header is %v", ty, got)
		}
	}
	c.Ask("control", "interrupt_request", nil)
	c.Await("shell", cell)

	if got := c.Await("shell", send("print in subshell", nil)).Text("stdout"); got != "in subshell\n" {
		t.Errorf("printed %q", got)
	}
	c.Ask("control", "delete_subshell_request", M{"subshell_id": sub}).WantReply("delete_subshell_reply ok")
	if s := c.Ask("control", "delete_subshell_request", M{"subshell_id": sub}).Reply.Content["status"]; s != "error" {
		t.Errorf("deleted twice: %v", s)
	}
	if r := c.Await("shell", send("print x", nil)).Reply.Content; r["status"] != "error" || r["ename"] != "SubshellNotFound" {
		t.Errorf("execute in a deleted subshell: %v", r)
	}
	if s := c.Ask("control", "delete_subshell_request", M{"subshell_id": ""}).Reply.Content["status"]; s != "error" {
		t.Errorf("main shell deleted: %v", s)
	}
}

// While a cell runs in the main shell, one in a subshell may look at once; what is more than a look waits, and says so.
func TestSubshellLooks(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	_, send := subshell(t, c)
	cell := begin(c, "sleep 20s")
	r := c.Await("shell", send("look 17", nil))
	r.WantReply("execute_reply ok 2")
	r.WantIOPub("status busy", "execute_input look 17", "stream stdout looking\n", "execute_result 17", "status idle")
	c.Await("shell", send("badlook nil", nil)).WantReply("execute_reply error 3 panic nil")
	if r := c.Await("shell", send("", nil)); r.Reply.Content["status"] != "ok" {
		t.Errorf("empty cell: %v", r.Reply.Content)
	}
	waiting := send("print after", nil)
	note := c.Next("note", func(m kerneltest.Message) bool { return m.Type == "stream" })
	if want := "[godp: this cell waits until In[1] has ended: it does more than look]\n"; note.Content["text"] != want {
		t.Errorf("note %q, want %q", note.Content["text"], want)
	}
	c.Never(50*time.Millisecond, "output of the waiting cell", func(m kerneltest.Message) bool { return m.Type == "stream" && m.Content["name"] == "stdout" })
	c.Ask("control", "interrupt_request", nil)
	if got := c.Await("shell", waiting).Text("stdout"); got != "after\n" {
		t.Errorf("the waiting cell printed %q", got)
	}
	c.Await("shell", cell).WantReply("execute_reply error 1 interrupted the cell was interrupted")
}

// A cell that waits in a subshell does not run when the subshell is deleted meanwhile.
func TestDeletedSubshellAbortsWhatWaits(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	sub, send := subshell(t, c)
	cell := begin(c, "sleep 20s")
	first, second := send("print one", nil), send("print two", nil)
	c.Next("note", func(m kerneltest.Message) bool { return m.Type == "stream" })
	c.Ask("control", "delete_subshell_request", M{"subshell_id": sub}).WantReply("delete_subshell_reply ok")
	for _, id := range []string{first, second} {
		if r := c.Await("shell", id); r.Reply.Content["status"] != "aborted" || r.Text("stdout") != "" {
			t.Errorf("reply %v, printed %q", r.Reply.Content, r.Text("stdout"))
		}
	}
	c.Ask("control", "interrupt_request", nil)
	c.Await("shell", cell)
}
