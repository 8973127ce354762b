package front_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

func debugRequest(k *kerneltest.Kernel, command string, args M) kerneltest.Message {
	k.T.Helper()
	r := k.Client.Reply("control", k.Client.Send("control", "debug_request", M{"type": "request", "seq": 5, "command": command, "arguments": args}))
	if r.Type != "debug_reply" {
		k.T.Fatalf("%s is answered with %s", command, r.Type)
	}
	return r
}

func debugEvent(k *kerneltest.Kernel, name string) M {
	k.T.Helper()
	m := k.Client.Next(name, func(m kerneltest.Message) bool { return m.Type == "debug_event" && m.Content["event"] == name })
	if m.Channel != "iopub" {
		k.T.Errorf("an event on %s", m.Channel)
	}
	body, _ := m.Content["body"].(M)
	return body
}

// Debug requests are answered while a cell runs, and events are published.
func TestDebugWhileACellRuns(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	k.Client.Join()
	id := running(k, "sleep 1h")
	if c := debugRequest(k, "threads", nil).Content; c["success"] != true {
		t.Errorf("reply %v", c)
	}
	if body := debugEvent(k, "heard"); body["command"] != "threads" {
		t.Errorf("the worker was given %v", body)
	}
	c := debugRequest(k, "fail", nil).Content
	if c["success"] != false || c["request_seq"] != 5.0 || c["command"] != "fail" || c["message"] == "" || c["type"] != "response" {
		t.Errorf("a request that the worker fails on: %v", c)
	}
	r := k.Client.Ask("control", "debug_request", "not an object")
	if r.Reply.Content["success"] != false || !strings.Contains(fmt.Sprint(r.Reply.Content["message"]), "not a request of the debug adapter protocol") {
		t.Errorf("nonsense: %v", r.Reply.Content)
	}
	interrupt(k)
	k.Client.Await("shell", id)
}

// A worker that takes the place of one that died gets its debugger's state, and clients learn that nothing is stopped.
func TestDebuggerSurvivesTheWorker(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	k.Client.Join()
	for _, r := range []struct {
		command string
		args    M
	}{
		{"initialize", M{}}, {"attach", M{}}, {"dumpCell", M{"code": "x"}}, {"setBreakpoints", M{"source": M{"path": "/x"}, "breakpoints": []M{{"line": 1}}}},
		{"setBreakpoints", M{"source": M{"path": "/y"}, "breakpoints": []M{{"line": 1}}}}, {"threads", M{}}, {"setBreakpoints", M{"source": M{"path": "/x"}, "breakpoints": []M{{"line": 9}}}}, {"pause", M{}},
	} {
		debugRequest(k, r.command, r.args)
		debugEvent(k, "heard")
	}
	debugEvent(k, "stopped")
	k.Execute("crash fatal error: gone")
	debugEvent(k, "continued")
	var got []string
	for range 5 {
		b := debugEvent(k, "heard")
		got = append(got, fmt.Sprint(b["command"], " ", b["arguments"]))
	}
	want := []string{"initialize map[]", "attach map[]", "dumpCell map[code:x]", "setBreakpoints map[breakpoints:[map[line:9]] source:map[path:/x]]", "setBreakpoints map[breakpoints:[map[line:1]] source:map[path:/y]]"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the new worker was told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	debugRequest(k, "disconnect", nil)
	debugEvent(k, "heard")
	k.Execute("crash fatal error: gone again")
	k.Execute("print alive")
	k.Client.Never(0, "a request after disconnect", func(m kerneltest.Message) bool { return m.Type == "debug_event" && m.Content["event"] == "heard" })
}
