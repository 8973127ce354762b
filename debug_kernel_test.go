package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.org/godp/kernel/cell/debug"
	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

// lab is JupyterLab's part in debugging a kernel in a process of its own.
type lab struct {
	*kerneltest.Kernel
	seq int
}

func startLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{Kernel: kerneltest.Start(t, front.Config{WorkerCommand: []string{os.Args[0], "worker"}})}
	l.Client.Join()
	return l
}

// ask sends a debug_request and returns the content of the reply.
func (l *lab) ask(command string, args any) map[string]any {
	l.T.Helper()
	l.seq++
	id := l.Client.Send("control", "debug_request", object{"type": "request", "seq": l.seq, "command": command, "arguments": args})
	r := l.Client.Reply("control", id)
	if r.Type != "debug_reply" || r.Content["type"] != "response" || r.Content["request_seq"] != float64(l.seq) || r.Content["command"] != command {
		l.T.Fatalf("%s is answered with %s %v", command, r.Type, r.Content)
	}
	return r.Content
}

func (l *lab) event(name string) map[string]any {
	l.T.Helper()
	return l.Client.Next("event "+name, func(m kerneltest.Message) bool {
		return m.Channel == "iopub" && m.Type == "debug_event" && m.Content["event"] == name
	}).Content
}

// attach does what a click on the bug does, and dumps a cell with breakpoints.
func (l *lab) attach(code string, lines ...int) (path string) {
	l.T.Helper()
	l.ask("debugInfo", object{})
	l.ask("initialize", object{"clientID": "jupyterlab", "clientName": "JupyterLab", "adapterID": "godp", "pathFormat": "path", "linesStartAt1": true,
		"columnsStartAt1": true, "supportsVariableType": true, "supportsVariablePaging": true, "supportsRunInTerminalRequest": true, "locale": "en"})
	l.ask("attach", object{})
	l.event("initialized")
	path = l.ask("dumpCell", object{"code": code})["body"].(map[string]any)["sourcePath"].(string)
	points := []object{}
	for _, n := range lines {
		points = append(points, line(n))
	}
	l.ask("setBreakpoints", object{"source": object{"path": path}, "sourceModified": false, "breakpoints": points})
	l.ask("configurationDone", object{})
	return path
}

// The shapes of responses and events are those that JupyterLab gets from ipykernel: what it sends, we send.
func TestDebugShapes(t *testing.T) {
	b, err := os.ReadFile("testdata/dap_ipykernel.json")
	if err != nil {
		t.Fatal(err)
	}
	var oracle struct {
		Replies, Events map[string]any
		Hashes          []struct {
			Text string
			Seed uint32
			Hash uint32
		}
	}
	if err := json.Unmarshal(b, &oracle); err != nil || len(oracle.Replies) < 10 || len(oracle.Hashes) < 10 {
		t.Fatal(err, len(oracle.Replies), len(oracle.Hashes))
	}
	for _, h := range oracle.Hashes {
		if got := debug.Murmur2([]byte(h.Text), h.Seed); got != h.Hash {
			t.Errorf("Murmur2(%q, %d) = %d, want %d", h.Text, h.Seed, got, h.Hash)
		}
	}
	compare := func(what string, got any) {
		t.Helper()
		for _, d := range differ(oracle.Replies[what], got, what) {
			t.Error(d)
		}
	}
	cell := "func f(n int) int {\n\tm := map[string][]int{\"a\": {1, 2}, \"b\": {n}}\n\treturn len(m) + n\n}\nx := f(3)\nx"
	l := startLab(t)
	path := l.attach(cell, 3)
	info := l.ask("debugInfo", object{})["body"].(map[string]any)
	if want := fmt.Sprint(info["tmpFilePrefix"], debug.Murmur2([]byte(cell), uint32(info["hashSeed"].(float64))), info["tmpFileSuffix"]); path != want {
		t.Errorf("the cell's path is %s; JupyterLab computes %s", path, want)
	}
	id := l.Client.SendExecute(cell, nil)
	compareEvent := func(name string) map[string]any {
		t.Helper()
		e := l.event(name)
		for _, d := range differ(oracle.Events[name], e, "event "+name) {
			t.Error(d)
		}
		body, _ := e["body"].(map[string]any)
		return body
	}
	stopped := compareEvent("stopped")
	for _, r := range []struct {
		command string
		args    func() object
	}{
		{"debugInfo", func() object { return object{} }},
		{"dumpCell", func() object { return object{"code": cell} }},
		{"setBreakpoints", func() object { return object{"source": object{"path": path}, "breakpoints": []object{line(3)}} }},
		{"stackTrace", func() object { return object{"threadId": stopped["threadId"]} }},
		{"scopes", func() object { return object{"frameId": l.frame(0)["id"]} }},
		{"variables", func() object { return object{"variablesReference": l.scope(0)} }},
		{"evaluate", func() object { return object{"expression": "n + 1", "frameId": l.frame(0)["id"], "context": "repl"} }},
		{"richInspectVariables", func() object { return object{"variableName": "m", "frameId": l.frame(0)["id"]} }},
		{"source", func() object { return object{"source": object{"path": path}, "sourceReference": 0} }},
		{"initialize", func() object { return object{} }},
	} {
		c := l.ask(r.command, r.args())
		if c["success"] != true {
			t.Errorf("%s: %v", r.command, c)
		}
		compare(r.command, c["body"])
	}
	if f := l.frame(0); f["source"].(map[string]any)["path"] != path || f["line"] != 3.0 || f["name"] != "f" {
		t.Errorf("frame %v", f)
	}
	compare("next", l.ask("next", object{"threadId": 1})["body"])
	compareEvent("continued")
	stopped = l.event("stopped")["body"].(map[string]any)
	if stopped["reason"] != "step" || l.frame(0)["line"] != 6.0 {
		t.Errorf("after the step: %v at %v", stopped, l.frame(0))
	}
	compare("continue", l.ask("continue", object{"threadId": 1})["body"])
	l.event("continued")
	l.Client.Await("shell", id).WantReply("execute_reply ok 1")
	l.ask("disconnect", object{"restart": false, "terminateDebuggee": false})
	compareEvent("terminated")
}

// frame is the n-th call of the thread that has stopped.
func (l *lab) frame(n int) map[string]any {
	l.T.Helper()
	return l.ask("stackTrace", object{"threadId": 1})["body"].(map[string]any)["stackFrames"].([]any)[n].(map[string]any)
}

func (l *lab) scope(n int) any {
	l.T.Helper()
	return l.ask("scopes", object{"frameId": l.frame(0)["id"]})["body"].(map[string]any)["scopes"].([]any)[n].(map[string]any)["variablesReference"]
}

// differ lists what a shape asks for and got has not. A shape is that of JSON, with the names of types for values.
func differ(shape, got any, at string) (out []string) {
	kind := func(ok bool, name string) {
		if !ok {
			out = append(out, fmt.Sprintf("%s is %T, not a %s", at, got, name))
		}
	}
	switch s := shape.(type) {
	case string:
		switch s {
		case "string":
			_, ok := got.(string)
			kind(ok, s)
		case "number":
			_, ok := got.(float64)
			kind(ok, s)
		case "bool":
			_, ok := got.(bool)
			kind(ok, s)
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		if kind(ok, "object"); ok {
			for k, v := range s {
				if x, has := g[k]; !has && k != "source" {
					out = append(out, at+" has no "+k)
				} else if has {
					out = append(out, differ(v, x, at+"."+k)...)
				}
			}
		}
	case []any:
		g, ok := got.([]any)
		if kind(ok, "list"); ok && len(s) > 0 {
			if len(g) == 0 {
				return append(out, at+" is empty")
			}
			for _, x := range g {
				out = append(out, differ(s[0], x, at+"[]")...)
			}
		}
	}
	return out
}

// While a cell is stopped the kernel answers everything else; an interrupt ends it; a new worker keeps the breakpoints.
func TestDebugInAProcess(t *testing.T) {
	l := startLab(t)
	cell := "total := 0\nfor i := range 3 {\n\ttotal += i\n\tfmt.Println(\"at\", i)\n}\ntotal"
	l.attach(cell, 4)
	id := l.Client.SendExecute(cell, nil)
	l.event("stopped")
	for _, r := range []struct {
		channel, kind string
		content       any
	}{
		{"shell", "complete_request", object{"code": "fmt.Pr", "cursor_pos": 6}}, {"shell", "inspect_request", object{"code": "fmt.Println", "cursor_pos": 8, "detail_level": 0}},
		{"shell", "is_complete_request", object{"code": "x := "}}, {"shell", "kernel_info_request", object{}}, {"control", "kernel_info_request", object{}},
		{"shell", "history_request", object{"hist_access_type": "tail", "n": 3}}, {"shell", "comm_info_request", object{}},
	} {
		m := l.Client.Reply(r.channel, l.Client.Send(r.channel, r.kind, r.content))
		if m.Content["status"] != "ok" && r.kind != "is_complete_request" {
			t.Errorf("%s while a cell is stopped: %v", r.kind, m)
		}
	}
	l.ask("continue", object{"threadId": 1})
	l.Client.Next("output", func(m kerneltest.Message) bool {
		return m.Type == "stream" && strings.Contains(fmt.Sprint(m.Content["text"]), "at 0") && m.ParentID() == id
	})
	l.event("stopped")
	l.Client.Ask("control", "interrupt_request", object{})
	l.Client.Await("shell", id).WantReply("execute_reply error 1 interrupted the cell was interrupted")
	l.Execute("total").WantReply("execute_reply ok 2")

	// the interpreter's process ends; what was set stays
	l.Client.Await("shell", l.Client.SendExecute("func f() { f() }\nf()", nil))
	l.Execute("1").WantReply("execute_reply ok 4")
	id = l.Client.SendExecute(cell, nil)
	l.event("stopped")
	if f := l.frame(0); f["line"] != 4.0 || f["name"] != "In[5]" {
		t.Errorf("in the new worker it stops at %v", f)
	}
	l.ask("disconnect", object{})
	l.Client.Await("shell", id).WantReply("execute_reply ok 5")

	// a kernel that is shut down while a cell is stopped ends
	l.attach(cell, 3)
	l.Client.SendExecute(cell, nil)
	l.event("stopped")
	l.Client.Reply("control", l.Client.Send("control", "shutdown_request", object{"restart": true}))
	if err := l.WaitEnd(); err != nil {
		t.Error(err)
	}
}
