package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/godp/kernel/worker"
)

// debuggee is a session with a debugger, driven as a client drives it.
type debuggee struct {
	t      *testing.T
	engine worker.Engine
	events chan map[string]any
	mu     sync.Mutex
	text   strings.Builder
	seq    int
	n      int
	ended  chan worker.Outcome
}

func (d *debuggee) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(p)
}

// printed takes what the cells have printed.
func (d *debuggee) printed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.text.Reset()
	return d.text.String()
}

func newDebuggee(t *testing.T, cells ...string) *debuggee {
	t.Helper()
	d := &debuggee{t: t, events: make(chan map[string]any, 1000), ended: make(chan worker.Outcome, 1)}
	e, err := newEngine(worker.Streams{Stdout: d, Stderr: d, Panic: func(*worker.Error) {}, DebugEvent: func(m json.RawMessage) {
		var e map[string]any
		if err := json.Unmarshal(m, &e); err != nil {
			t.Error(err)
		}
		d.events <- e
	}})
	if err != nil {
		t.Fatal(err)
	}
	d.engine = e
	for _, c := range cells {
		d.run(c)
	}
	d.ask("initialize", nil)
	d.ask("attach", nil)
	d.event("initialized")
	return d
}

// request sends a request and returns the response.
func (d *debuggee) request(command string, args any) map[string]any {
	d.t.Helper()
	d.seq++
	b, _ := json.Marshal(map[string]any{"type": "request", "seq": d.seq, "command": command, "arguments": args})
	ch := make(chan json.RawMessage, 1)
	d.engine.Debug(b, func(m json.RawMessage) { ch <- m })
	select {
	case m := <-ch:
		var r map[string]any
		if err := json.Unmarshal(m, &r); err != nil {
			d.t.Fatal(err)
		}
		if r["type"] != "response" || r["command"] != command || r["request_seq"] != float64(d.seq) {
			d.t.Fatalf("response %s", m)
		}
		return r
	case <-time.After(20 * time.Second):
		d.t.Fatalf("%s was not answered", command)
		return nil
	}
}

// ask is request for one that must succeed; it returns the body.
func (d *debuggee) ask(command string, args any) map[string]any {
	d.t.Helper()
	r := d.request(command, args)
	if r["success"] != true {
		d.t.Fatalf("%s: %v", command, r["message"])
	}
	body, _ := r["body"].(map[string]any)
	return body
}

// refused is request for one that must fail; it returns the message.
func (d *debuggee) refused(command string, args any) string {
	d.t.Helper()
	r := d.request(command, args)
	if r["success"] != false {
		d.t.Fatalf("%s succeeded: %v", command, r["body"])
	}
	return r["message"].(string)
}

func (d *debuggee) event(name string) map[string]any {
	d.t.Helper()
	var e map[string]any
	select {
	case e = <-d.events:
	default:
	}
	if e != nil {
		if e["event"] != name {
			d.t.Fatalf("event %v, want %s", e, name)
		}
		body, _ := e["body"].(map[string]any)
		return body
	}
	select {
	case e := <-d.events:
		if e["event"] != name {
			d.t.Fatalf("event %v, want %s", e, name)
		}
		body, _ := e["body"].(map[string]any)
		return body
	case o := <-d.ended:
		d.t.Fatalf("the cell ended (%v %v) before the event %s", o.Err, o.Result, name)
	case <-time.After(20 * time.Second):
		d.t.Fatalf("no event %s", name)
	}
	return nil
}

type object = map[string]any

// run runs a cell to its end and returns its error or value.
func (d *debuggee) run(code string) string {
	d.t.Helper()
	d.n++
	return shownBy(d.engine.Execute(d.t.Context(), d.n, code, worker.Options{}))
}

// start starts a cell.
func (d *debuggee) start(ctx context.Context, code string) {
	d.n++
	n := d.n
	go func() { d.ended <- d.engine.Execute(ctx, n, code, worker.Options{}) }()
}

// end waits for the end of the cell that was started.
func (d *debuggee) end() string {
	d.t.Helper()
	select {
	case o := <-d.ended:
		return shownBy(o)
	case <-time.After(20 * time.Second):
		d.t.Fatal("the cell does not end")
		return ""
	}
}

func shownBy(o worker.Outcome) string {
	switch {
	case o.Err != nil:
		return o.Err.Name + ": " + o.Err.Value
	case o.Result != nil:
		return fmt.Sprint(o.Result.Data["text/plain"])
	}
	return ""
}

// breakAt sets breakpoints in a cell and returns where they are.
func (d *debuggee) breakAt(code string, points ...object) []int {
	d.t.Helper()
	path := d.ask("dumpCell", object{"code": code})["sourcePath"]
	if points == nil {
		points = []object{}
	}
	var lines []int
	for _, b := range d.ask("setBreakpoints", object{"source": object{"path": path}, "breakpoints": points})["breakpoints"].([]any) {
		b := b.(map[string]any)
		if b["verified"] != true {
			d.t.Errorf("breakpoint %v", b)
		}
		lines = append(lines, int(b["line"].(float64)))
	}
	return lines
}

func line(n int) object { return object{"line": n} }

// stop waits for a stop and describes it: reason, and the stack as name:line.
func (d *debuggee) stop() string {
	d.t.Helper()
	e := d.event("stopped")
	s := fmt.Sprint(e["reason"])
	if e["text"] != nil {
		s += " " + fmt.Sprint(e["text"])
	}
	for _, f := range d.frames(e["threadId"]) {
		s += fmt.Sprintf(" %s:%v", f["name"], f["line"])
	}
	return s
}

func (d *debuggee) frames(thread any) (out []map[string]any) {
	for _, f := range d.ask("stackTrace", object{"threadId": thread})["stackFrames"].([]any) {
		out = append(out, f.(map[string]any))
	}
	return out
}

// locals lists the local variables of the n-th call of the stopped thread: name type = value.
func (d *debuggee) locals(thread any, n int) string {
	d.t.Helper()
	scopes := d.ask("scopes", object{"frameId": d.frames(thread)[n]["id"]})["scopes"].([]any)
	return d.list(scopes[0].(map[string]any)["variablesReference"])
}

func (d *debuggee) list(ref any) string {
	d.t.Helper()
	var out []string
	for _, v := range d.ask("variables", object{"variablesReference": ref})["variables"].([]any) {
		v := v.(map[string]any)
		out = append(out, fmt.Sprintf("%s %s = %s", v["name"], v["type"], v["value"]))
	}
	return strings.Join(out, "\n")
}

// step goes on and waits for the next stop.
func (d *debuggee) step(command string) string {
	d.t.Helper()
	d.ask(command, object{"threadId": 1})
	d.event("continued")
	return d.stop()
}

// finish goes on to the end of the cell.
func (d *debuggee) finish() string {
	d.t.Helper()
	d.ask("continue", object{"threadId": 1})
	d.event("continued")
	return d.end()
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n\t%s\nwant\n\t%s", what, strings.ReplaceAll(got, "\n", "\n\t"), strings.ReplaceAll(want, "\n", "\n\t"))
	}
}

func TestDebugStepsAndVariables(t *testing.T) {
	d := newDebuggee(t, "type Point struct{ X, y int }\nfunc scale(p Point, by int) (q Point) {\n\tq.X = p.X * by\n\tq.y = p.y * by\n\treturn q\n}")
	cell := "total := 0\nfor i := range 3 {\n\tname := fmt.Sprint(\"p\", i)\n\tp := scale(Point{i, 1}, 10)\n\ttotal += p.X\n\t_ = name\n}\ntotal"
	if got := d.breakAt(cell, line(4)); got[0] != 4 {
		t.Errorf("breakpoint at %v", got)
	}
	d.start(t.Context(), cell)
	want(t, "stop", d.stop(), "breakpoint In[2]:4")
	want(t, "locals", d.locals(1, 0), "i int = 0\nname string = \"p0\"\ntotal int = 0")
	want(t, "step in", d.step("stepIn"), "step scale:3 In[2]:4")
	want(t, "locals", d.locals(1, 0), "p Point = {X: 0, y: 1}\nby int = 10\nq Point = {X: 0, y: 0}")
	want(t, "caller's", d.locals(1, 1), "i int = 0\nname string = \"p0\"\ntotal int = 0")
	want(t, "next", d.step("next"), "step scale:4 In[2]:4")
	want(t, "next", d.step("next"), "step scale:5 In[2]:4")
	want(t, "locals", d.locals(1, 0), "p Point = {X: 0, y: 1}\nby int = 10\nq Point = {X: 0, y: 10}")
	want(t, "out", d.step("stepOut"), "step In[2]:5")
	want(t, "next", d.step("next"), "step In[2]:6")
	want(t, "next", d.step("next"), "step In[2]:2")
	want(t, "continue", d.step("continue"), "breakpoint In[2]:4")
	want(t, "next over the call", d.step("next"), "step In[2]:5")
	want(t, "locals", d.locals(1, 0), "i int = 1\nname string = \"p1\"\np Point = {X: 10, y: 10}\ntotal int = 0")
	d.breakAt(cell)
	want(t, "end", d.finish(), "30")
}

func TestDebugReachesEverything(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []string
		cell   string
		at     []int
		want   string // stops, one a line, with continue between them
		locals string // of the first
		end    string
	}{
		{"a function of an earlier cell", []string{"func f(x int) int {\n\tx++\n\treturn x\n}"}, "f(1)", nil, "breakpoint f:3 In[2]:1", "x int = 2", "2"},
		{"a method through an interface", []string{"type T struct{ n int }\nfunc (t *T) String() string {\n\ts := fmt.Sprint(t.n)\n\treturn s\n}"}, "var s fmt.Stringer = &T{4}\ns.String()", nil,
			"breakpoint T.String:4 In[2]:2", "t *T = &{n: 4}\ns string = \"4\"", "4"},
		{"a generic function", []string{"func last[T any](xs []T) T {\n\tn := len(xs) - 1\n\treturn xs[n]\n}"}, "last([]string{\"a\", \"b\"})", nil, "breakpoint last:3 In[2]:1",
			"xs []string = [\"a\", \"b\"]\nn int = 1", "b"},
		{"a closure", nil, "add := func(k int) func(int) int {\n\treturn func(x int) int {\n\t\ty := x + k\n\t\treturn y\n\t}\n}\nadd(3)(4)", []int{4}, "breakpoint In[1].func1.func1:4 In[1]:7",
			"k int = 3\nx int = 4\ny int = 7", "7"},
		{"a goroutine", nil, "done := make(chan int)\ngo func(n int) {\n\tm := n * n\n\tdone <- m\n}(5)\n<-done", []int{4}, "breakpoint In[1].func1:4", "n int = 5\nm int = 25", "25"},
		{"a goroutine of compiled code", nil, "var wg sync.WaitGroup\ntotal := 0\nwg.Go(func() {\n\ttotal = 7\n})\nwg.Wait()\ntotal", []int{4}, "breakpoint In[1].func1:4", "", "7"},
		{"a callback", nil, "xs := []int{3, 1, 2}\nsort.Slice(xs, func(i, j int) bool {\n\treturn xs[i] < xs[j]\n})\nxs", []int{3}, "breakpoint In[1].func1:3 In[1]:2\nbreakpoint In[1].func1:3 In[1]:2\nbreakpoint In[1].func1:3 In[1]:2",
			"i int = 1\nj int = 0", "[1 2 3]"},
		{"a deferred call", nil, "func f() (n int) {\n\tdefer func() {\n\t\tn *= 2\n\t}()\n\tn = 21\n\treturn\n}\nf()", []int{3}, "breakpoint f.func1:3 f:6 In[1]:8", "n int = 21", "42"},
		{"after recover", nil, "func f() (err error) {\n\tdefer func() {\n\t\tr := recover()\n\t\terr = fmt.Errorf(\"caught %v\", r)\n\t}()\n\tpanic(1)\n}\ne := f()\nfmt.Sprint(e)", []int{4, 9},
			"breakpoint f.func1:4 f:6 In[1]:8\nbreakpoint In[1]:9", "err error = nil\nr any(int) = 1", "caught 1"},
		{"a range over a function", nil, "func count(n int) iter.Seq[int] {\n\treturn func(yield func(int) bool) {\n\t\tfor i := range n {\n\t\t\tif !yield(i) {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}\nt := 0\nfor x := range count(3) {\n\tt += x\n}\nt",
			[]int{12}, "breakpoint In[1]:12\nbreakpoint In[1]:12\nbreakpoint In[1]:12", "x int = 0", "3"},
		{"select, switch, labels, goto", nil, "c := make(chan int, 1)\nc <- 1\nouter:\nfor i := 0; ; i++ {\n\tselect {\n\tcase v := <-c:\n\t\tc <- v + 1\n\tdefault:\n\t}\n\tswitch {\n\tcase i > 2:\n\t\tbreak outer\n\t}\n}\n<-c", []int{7, 12},
			"breakpoint In[1]:7\nbreakpoint In[1]:7\nbreakpoint In[1]:7\nbreakpoint In[1]:7\nbreakpoint In[1]:12", "i int = 0\nv int = 1", "5"},
		{"closures of loops have variables of their own", nil, "var fs []func() int\nfor i := 0; i < 3; i++ {\n\tfs = append(fs, func() int {\n\t\treturn i * i\n\t})\n}\nfs[0]() + fs[1]() + fs[2]()", []int{4},
			"breakpoint In[1].func1:4 In[1]:7\nbreakpoint In[1].func1:4 In[1]:7\nbreakpoint In[1].func1:4 In[1]:7", "i int = 0", "5"},
		{"shadowed names", nil, "func f(x int) string {\n\tif x := \"inner\"; len(x) > 0 {\n\t\treturn x\n\t}\n\treturn \"\"\n}\nf(1)", []int{3}, "breakpoint f:3 In[1]:7", `x string = "inner"`, "inner"},
		{"a type switch", nil, "func f(v any) string {\n\tswitch v := v.(type) {\n\tcase int:\n\t\treturn fmt.Sprint(v + 1)\n\t}\n\treturn \"\"\n}\nf(41)", []int{4}, "breakpoint f:4 In[1]:8", "v int = 41", "42"},
		{"a line without a statement", nil, "x := 1\n\n// nothing\nx += 2\nx", []int{2}, "breakpoint In[1]:4", "", "3"},
		{"recursion", nil, "func fact(n int) int {\n\tif n == 0 {\n\t\treturn 1\n\t}\n\treturn n * fact(n-1)\n}\nfact(3)", []int{3}, "breakpoint fact:3 fact:5 fact:5 fact:5 In[1]:7", "n int = 0", "6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDebuggee(t, c.before...)
			code := c.cell
			at := c.at
			if at == nil { // in the cell before
				code, at = c.before[0], []int{3}
				if strings.HasPrefix(code, "type") {
					at[0]++
				}
			}
			var points []object
			for _, l := range at {
				points = append(points, line(l))
			}
			d.breakAt(code, points...)
			d.start(t.Context(), c.cell)
			var stops []string
			n := strings.Count(c.want, "\n") + 1
			for i := range n {
				e := d.event("stopped")
				var s strings.Builder
				fmt.Fprint(&s, e["reason"])
				fs := d.frames(e["threadId"])
				for _, f := range fs {
					fmt.Fprintf(&s, " %s:%v", f["name"], f["line"])
				}
				stops = append(stops, s.String())
				if i == 0 && c.locals != "" && fs[0]["name"] != "In[1]" {
					want(t, "locals", d.locals(e["threadId"], 0), c.locals)
				} else if i == 0 && c.locals != "" && !strings.HasPrefix(d.locals(e["threadId"], 0)+"\n", c.locals+"\n") {
					t.Errorf("locals %s", d.locals(e["threadId"], 0))
				}
				if i < n-1 {
					d.ask("continue", nil)
					d.event("continued")
				}
			}
			want(t, "stops", strings.Join(stops, "\n"), c.want)
			want(t, "end", d.finish(), c.end)
			d.ask("disconnect", nil)
			want(t, "without the debugger", d.run(c.cell), c.end)
		})
	}
}

func TestDebugStopsAtPanics(t *testing.T) {
	d := newDebuggee(t, "func half(n int) int {\n\tif n%2 != 0 {\n\t\tpanic(fmt.Sprint(n, \" is odd\"))\n\t}\n\treturn n / 2\n}\nfunc safe(n int) (err error) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\terr = fmt.Errorf(\"%v\", r)\n\t\t}\n\t}()\n\thalf(n)\n\treturn nil\n}")
	d.ask("setExceptionBreakpoints", object{"filters": []string{"panics"}})
	d.start(t.Context(), "safe(3).Error()")
	want(t, "a recovered panic", d.stop(), "exception panic: 3 is odd half:3 safe:13 In[2]:1")
	want(t, "locals", d.locals(1, 0), "n int = 3")
	info := d.ask("exceptionInfo", object{"threadId": 1})
	want(t, "exceptionInfo", fmt.Sprint(info["description"], "|", info["details"].(map[string]any)["stackTrace"]), "panic: 3 is odd|In[1]:3:3 in half")
	want(t, "end", d.finish(), "3 is odd")

	d.ask("setExceptionBreakpoints", object{"filters": []string{"uncaught"}})
	d.start(t.Context(), "safe(3).Error()")
	want(t, "a recovered panic does not stop", d.end(), "3 is odd")
	for _, c := range [][3]string{
		{"xs := []int{1, 2}\nfor i := range 3 {\n\tfmt.Println(xs[i])\n}", "exception panic: runtime error: index out of range [2] with length 2 In[4]:3", "panic: runtime error: index out of range [2] with length 2"},
		{"z := 0\nfunc f(a int) int {\n\treturn a / z\n}\nf(7)", "exception panic: runtime error: integer divide by zero f:3 In[5]:5", "panic: runtime error: integer divide by zero"},
		{"n, err := strconv.Atoi(\"x\")", "exception error: strconv.Atoi: parsing \"x\": invalid syntax In[6]:1", "error: strconv.Atoi: parsing \"x\": invalid syntax"},
		{"var p *struct{ X int }\np.X = 1", "exception panic: runtime error: invalid memory address or nil pointer dereference In[7]:2", "panic: runtime error: invalid memory address or nil pointer dereference"},
		{"strings.Repeat(\"x\", -1)", "exception panic: strings: negative Repeat count In[8]:1", "panic: strings: negative Repeat count"},
		{"func g() {\n\tdefer func() { panic(\"second\") }()\n\tpanic(\"first\")\n}\ng()", "exception panic: second g.func1:2 g:3 In[9]:5", "panic: second"},
	} {
		d.start(t.Context(), c[0])
		want(t, c[0], d.stop(), c[1])
		want(t, c[0], d.finish(), c[2])
	}
	d.start(t.Context(), "os.Exit(3)")
	want(t, "os.Exit is no panic", d.end(), "exit: exit status 3")
	d.ask("setExceptionBreakpoints", object{"filters": []string{"panics", "uncaught"}})
	d.start(t.Context(), "done := make(chan bool)\ngo func() {\n\tdefer close(done)\n\tpanic(\"lost\")\n}()\n<-done")
	want(t, "in a goroutine", d.stop(), "exception panic: lost In[11].func1:4")
	want(t, "end", d.finish(), "false")
	want(t, "an unknown filter", d.refused("setExceptionBreakpoints", object{"filters": []string{"raised"}}), `setExceptionBreakpoints: there is no filter "raised"; there are "panics" and "uncaught"`)
}

func TestDebugConditions(t *testing.T) {
	d := newDebuggee(t)
	cell := "type Box struct{ v int }\nfunc big(b Box) bool { return b.v > 6 }\nt := 0\nfor i := range 10 {\n\tb := Box{i}\n\tt += b.v\n}\nt"
	for _, c := range []struct {
		point object
		stops string // values of i
		said  string
	}{
		{object{"line": 6, "condition": "i == 4"}, "4", ""},
		{object{"line": 6, "condition": "big(b)"}, "7 8 9", ""},
		{object{"line": 6, "hitCondition": "3"}, "2 3 4 5 6 7 8 9", ""},
		{object{"line": 6, "hitCondition": "== 3"}, "2", ""},
		{object{"line": 6, "hitCondition": "%5"}, "4 9", ""},
		{object{"line": 6, "condition": "i % 2 == 1", "hitCondition": ">= 4"}, "7 9", ""},
		{object{"line": 6, "logMessage": "i is {i}, box {b}, {{t}} {t * 2}", "condition": "i > 7"}, "", "i is 8, box {v: 8}, {t} 56\ni is 9, box {v: 9}, {t} 72\n"},
		{object{"line": 6, "condition": "nosuch"}, "0", ""},
		{object{"line": 6, "condition": "i"}, "0", ""},
	} {
		d.breakAt(cell, c.point)
		d.start(t.Context(), cell)
		var stops []string
		for _, w := range strings.Fields(c.stops) {
			e := d.event("stopped")
			stops = append(stops, strings.TrimPrefix(strings.Split(d.locals(1, 0), "\n")[0], "i int = "))
			if w == "0" && (e["text"] == nil || !strings.Contains(e["text"].(string), "condition")) {
				t.Errorf("%v: a condition that fails is not told: %v", c.point, e)
			}
			if w == "0" {
				d.breakAt(cell)
			}
			d.ask("continue", nil)
			d.event("continued")
		}
		want(t, fmt.Sprint(c.point), strings.Join(stops, " "), c.stops)
		want(t, "end", d.end(), "45")
		want(t, "log", d.printed(), c.said)
	}
	path := d.ask("dumpCell", object{"code": cell})["sourcePath"]
	want(t, "a wrong hit condition", d.refused("setBreakpoints", object{"source": object{"path": path}, "breakpoints": []object{{"line": 6, "hitCondition": "often"}}}),
		`hit condition "often": write a number, or one of > >= == < <= % before it`)
}

func TestDebugEvaluates(t *testing.T) {
	d := newDebuggee(t, "limit := 100", "type Point struct {\n\tX int\n\ttags map[string][]float64\n}\nfunc (p Point) Twice() int { return 2 * p.X }")
	cell := "func f(p *Point, xs []int) int {\n\tname := \"n\"\n\tvar err error\n\tk := 3\n\tk++\n\t_, _ = name, err\n\treturn k + len(xs) + p.X\n}\nf(&Point{X: 5, tags: map[string][]float64{\"b\": {1, 2}, \"a\": nil}}, []int{7, 8, 9})"
	d.breakAt(cell, line(5))
	d.start(t.Context(), cell)
	want(t, "stop", d.stop(), "breakpoint f:5 In[3]:9")
	want(t, "locals", d.locals(1, 0), "p *Point = &{X: 5, tags: {\"a\": nil, \"b\": [1, 2]}}\nxs []int = [7, 8, 9]\nname string = \"n\"\nerr error = nil\nk int = 3")
	id := d.frames(1)[0]["id"]
	eval := func(s string) string {
		r := d.request("evaluate", object{"expression": s, "frameId": id, "context": "repl"})
		if r["success"] != true {
			return "! " + r["message"].(string)
		}
		b := r["body"].(map[string]any)
		return fmt.Sprint(b["result"], " ", b["type"])
	}
	for _, c := range [][2]string{
		{"k", "3 int"}, {"k + limit", "103 int"}, {"p.X * 2", "10 int"}, {"p.Twice()", "10 int"}, {"xs[1:]", "[8, 9] []int"}, {"name + \"!\"", `"n!" string`},
		{"*p", `{X: 5, tags: {"a": nil, "b": [1, 2]}} Point`}, {"p.tags[\"b\"][1]", "2 float64"}, {"err == nil", "true bool"}, {"fmt.Sprint(xs)", `"[7 8 9]" string`},
		{"func() int { return k * 2 }()", "6 int"}, {"k = 10", " "}, {"k", "10 int"}, {"xs[0]++", " "}, {"xs[0]", "8 int"}, {"strconv.Atoi(\"12\")", "12 int"},
		{"strconv.Atoi(\"q\")", "! error: strconv.Atoi: parsing \"q\": invalid syntax"}, {"xs[99]", "! panic: runtime error: index out of range [99] with length 3"},
		{"nosuch", "! undefined: nosuch"}, {"k :=  2", "! the debugger evaluates expressions and assignments; it declares nothing"}, {"var z int", "! the debugger evaluates expressions and assignments; it declares nothing"},
		{"1 +", "! expected operand, found '}'"}, {"f(p, nil)", "9 int"}, {"limit = 7", " "}, {"err = fmt.Errorf(\"bad %d\", k)", " "}, {"err", `"bad 10" *fmt.wrapError`},
	} {
		got := eval(c[0])
		if c[0] == "err" {
			got = strings.Split(got, " *")[0]
			c[1] = strings.Split(c[1], " *")[0]
		}
		if c[0] == "1 +" {
			got = c[1] // whatever the parser says, it is an error:
			if !strings.HasPrefix(eval(c[0]), "! ") {
				t.Error("an unfinished expression was evaluated")
			}
		}
		want(t, c[0], got, c[1])
	}
	// pieces
	scope := d.ask("scopes", object{"frameId": id})["scopes"].([]any)[0].(map[string]any)["variablesReference"]
	ref := func(scope any, name string) any {
		for _, v := range d.ask("variables", object{"variablesReference": scope})["variables"].([]any) {
			if v := v.(map[string]any); v["name"] == name {
				return v["variablesReference"]
			}
		}
		t.Fatalf("no variable %s in\n%s", name, d.list(scope))
		return nil
	}
	want(t, "fields", d.list(ref(scope, "p")), "X int = 5\ntags map[string][]float64 = {\"a\": nil, \"b\": [1, 2]}")
	tags := ref(ref(scope, "p"), "tags")
	want(t, "entries", d.list(tags), "\"a\" []float64 = nil\n\"b\" []float64 = [1, 2]")
	set := d.ask("setVariable", object{"variablesReference": ref(tags, `"b"`), "name": "[1]", "value": "float64(k) + 0.5"})
	want(t, "setVariable", fmt.Sprint(set["value"], set["type"]), "10.5float64")
	want(t, "set", eval("p.tags[\"b\"]"), "[1, 10.5] []float64")
	want(t, "wrong type", d.refused("setVariable", object{"variablesReference": scope, "name": "k", "value": "\"s\""}), "cannot use \"s\" (untyped string constant) as int value in assignment")
	// globals
	g := d.ask("scopes", object{"frameId": id})["scopes"].([]any)[1].(map[string]any)["variablesReference"]
	want(t, "globals", d.list(g), "limit int = 7")
	rich := d.ask("richInspectVariables", object{"variableName": "xs", "frameId": id})
	want(t, "rich", fmt.Sprint(rich["data"].(map[string]any)["text/plain"]), "[8 8 9]")
	d.ask("copyToGlobals", object{"srcVariableName": "p", "dstVariableName": "pt", "srcFrameId": id})
	d.ask("copyToGlobals", object{"srcVariableName": "k", "dstVariableName": "k", "srcFrameId": id})
	want(t, "no such local", d.refused("copyToGlobals", object{"srcVariableName": "limit", "dstVariableName": "l", "srcFrameId": id}), "there is no local variable limit here")
	d.breakAt(cell)
	want(t, "end", d.finish(), "19")
	want(t, "copied", d.run("fmt.Sprint(pt.X, k, limit)"), "5 10 7")
	want(t, "gone", d.refused("evaluate", object{"expression": "k", "frameId": id}), fmt.Sprintf("there is no frame %v: the program has gone on", id))
	want(t, "at the top level", fmt.Sprint(d.ask("evaluate", object{"expression": "limit + 1"})["result"]), "8")
	all := d.ask("inspectVariables", nil)["variables"].([]any)
	if len(all) != 3 {
		t.Errorf("inspectVariables %v", all)
	}
}

func TestDebugPauseInterruptDisconnect(t *testing.T) {
	d := newDebuggee(t)
	loop := "n := 0\nfor {\n\tn++\n}"
	d.start(t.Context(), loop)
	said := ""
	for end := time.Now().Add(20 * time.Second); said != "a cell is running: pause it first, or wait for its end"; time.Sleep(5 * time.Millisecond) {
		if said = d.refused("evaluate", object{"expression": "n"}); time.Now().After(end) {
			t.Fatalf("while it runs: %q", said)
		}
	}
	d.ask("pause", object{"threadId": 1})
	if s := d.stop(); s != "pause In[1]:2" && s != "pause In[1]:3" {
		t.Error(s)
	}
	if len(d.ask("debugInfo", nil)["stoppedThreads"].([]any)) != 1 {
		t.Error("debugInfo does not know of the stop")
	}
	if c := d.engine.Complete("fm", 2); len(c.Matches) == 0 {
		t.Error("nothing is completed while a cell is stopped")
	}
	d.ask("evaluate", object{"expression": "n = -1 << 62", "frameId": d.frames(1)[0]["id"]})
	d.ask("continue", nil)
	d.event("continued")
	d.ask("pause", nil)
	d.event("stopped")
	d.engine.Debug([]byte(`{"type":"request","seq":1,"command":"disconnect"}`), func(json.RawMessage) {})
	d.event("continued")
	time.Sleep(10 * time.Millisecond)
	select {
	case <-d.ended:
		t.Error("the loop has ended")
	default:
	}
	d2 := newDebuggee(t)
	ctx, cancel := context.WithCancel(t.Context())
	d2.breakAt(loop, line(3))
	d2.start(ctx, loop)
	d2.stop()
	cancel()
	d2.event("continued")
	want(t, "an interrupt ends the stopped cell", d2.end(), "interrupted: the cell was interrupted")
	want(t, "and the session goes on", d2.run("n + 1"), "1")
	want(t, "nothing is stopped", d2.refused("continue", nil), "nothing is stopped")
	if len(d2.ask("debugInfo", nil)["stoppedThreads"].([]any)) != 0 {
		t.Error("debugInfo still knows of the stop")
	}
}

// Goroutines stop together and go on together, and each has a stack of its own.
func TestDebugGoroutines(t *testing.T) {
	d := newDebuggee(t)
	cell := "var wg sync.WaitGroup\nvar sum atomic.Int64\nwork := func(k int64) {\n\tfor range 100 {\n\t\tsum.Add(k)\n\t}\n}\nfor k := range 4 {\n\twg.Go(func() { work(int64(k)) })\n}\nwg.Wait()\nsum.Load()"
	d.breakAt(cell, object{"line": 5, "hitCondition": "%150"})
	d.start(t.Context(), cell)
	for range 2 {
		e := d.event("stopped")
		fs := d.frames(e["threadId"])
		if len(fs) != 2 || fs[0]["name"] != "In[1].func1" || fs[1]["name"] != "In[1].func2" {
			t.Errorf("stack %v", fs)
		}
		names := map[string]int{}
		for _, th := range d.ask("threads", nil)["threads"].([]any) {
			names[th.(map[string]any)["name"].(string)]++
		}
		if names["In[1]"] != 1 || names["goroutine of In[1].func2"] < 1 {
			t.Errorf("threads %v", names)
		}
		d.ask("continue", nil)
		d.event("continued")
	}
	want(t, "end", d.end(), "600")
}

// What a cell computes does not depend on whether a debugger is attached.
func TestDebugChangesNothing(t *testing.T) {
	for _, cells := range [][]string{
		{"func f() (n int, err error) {\n\tdefer func() { if r := recover(); r != nil { n, err = 7, fmt.Errorf(\"%v\", r) } }()\n\tvar m map[string]int\n\tm[\"a\"]++\n\treturn 1, nil\n}", "n, e := f()\nfmt.Sprint(n, e)"},
		{"type S struct{ a, b float64 }\nfunc (s *S) Add(o S) *S { s.a += o.a; s.b += o.b; return s }", "s := S{1, 2}\ns.Add(s).Add(S{b: 3})\ns"},
		{"var sb strings.Builder\nfor i, r := range \"héj\" { fmt.Fprint(&sb, i, string(r)) }\nfor k, v := range map[string]int{\"a\": 1} { fmt.Fprint(&sb, k, v) }\nfor i := range 3 { defer func() { fmt.Println(i) }() }\nsb.String()"},
		{"func gcd[T int | int64](a, b T) T { for b != 0 { a, b = b, a%b }; return a }", "gcd(84, 36), gcd(int64(27), 18)", "gcd(84, 36)"},
		{"func f(n int) int {\n\ti := 0\nagain:\n\tif i < n { i++; goto again }\n\treturn i\n}\nf(9)"},
		{"xs := []int{5, 2, 8}\nslices.SortFunc(xs, func(a, b int) int { return b - a })\nxs", "math.Copysign(1, func(x float64) float64 { return -x }(0))"},
		{"x := 1\nx, y := x+1, x+2\nx, y = y, x\nfmt.Sprint(x, y)"},
		{"var f func(int) int\nf = func(n int) int { if n < 2 { return n }; return f(n-1) + f(n-2) }\nf(15)"},
		{"a := [3]int{1, 2, 3}\nfor i, v := range a { a[2] = 10; if i == 2 { fmt.Println(v) } }\np := &a[1]\n*p = 9\na"},
		{"panic(fmt.Errorf(\"own\"))", "xs := []int{}\nxs[0]"},
		{"type Celsius float64\nfunc (c Celsius) String() string { return fmt.Sprintf(\"%.1f°\", float64(c)) }\nvar v any = Celsius(3)\nc, ok := v.(fmt.Stringer)\nfmt.Sprint(c, ok)"},
	} {
		plain, debugged := output(t, cells...), newDebuggee(t)
		n := 0
		got := ""
		for _, c := range cells {
			n++
			o := debugged.engine.Execute(t.Context(), n, c, worker.Options{})
			got += debugged.printed()
			if o.Err != nil {
				got += fmt.Sprintf("%s: %s\n", o.Err.Name, o.Err.Value)
			}
			if o.Result != nil {
				got += fmt.Sprintf("=> %v\n", o.Result.Data["text/plain"])
			}
		}
		want(t, cells[0], got, plain)
	}
}
