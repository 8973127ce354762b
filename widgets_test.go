package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/worker"
)

// page stands for the clients and the worker: it keeps the state of all models, and runs tasks when it is told to.
type page struct {
	t      *testing.T
	e      worker.Engine
	out    strings.Builder
	mu     sync.Mutex
	states map[string]map[string]any
	last   string // model opened last
	tasks  []*comm.Task
	sink   func(e any) bool
	log    []string
	n      int
}

func (p *page) Write(b []byte) (int, error) {
	if p.sink != nil {
		p.sink(display.Event{Kind: display.KindStream, Stream: "stdout", Text: string(b)})
		return len(b), nil
	}
	return p.out.Write(b)
}

func newPage(t *testing.T) *page {
	p := &page{t: t, states: map[string]map[string]any{}}
	e, err := newEngine(worker.Streams{Stdout: p, Stderr: p, Panic: func(e *worker.Error) { fmt.Fprintln(p, e.Value) }})
	if err != nil {
		t.Fatal(err)
	}
	p.e = e
	old := comm.SetHost(&comm.Host{
		Send: func(_ uint64, m comm.Message) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			var d struct {
				Method string         `json:"method"`
				State  map[string]any `json:"state"`
			}
			if len(m.Data) > 0 {
				if err := json.Unmarshal(m.Data, &d); err != nil && m.Target == "jupyter.widget" {
					t.Errorf("comm_%s: %v", m.Op, err)
				}
			}
			switch m.Op {
			case "open":
				p.states[m.ID], p.last = d.State, m.ID
			case "msg":
				if d.Method == "update" {
					for k, v := range d.State {
						p.states[m.ID][k] = v
					}
				}
			case "close":
				delete(p.states, m.ID)
			}
			return nil
		},
		Owner: func() uint64 { return 1 },
		Post:  func(t *comm.Task) { p.mu.Lock(); defer p.mu.Unlock(); p.tasks = append(p.tasks, t) },
		Poll:  func() int { return 0 },
		Capture: func(sink func(any) bool) (func(func()), func()) {
			return func(f func()) {
				before, shown := p.sink, display.SetSink(func(e display.Event) { sink(e) })
				p.sink = sink
				defer func() { p.sink = before; display.SetSink(shown) }()
				f()
			}, func() {}
		},
		Describe: func(x any) *comm.Failure {
			if e := p.e.Describe(x); e != nil {
				return &comm.Failure{Name: e.Name, Value: e.Value, Traceback: e.Traceback}
			}
			return nil
		},
		Log: func(s string) { p.mu.Lock(); defer p.mu.Unlock(); p.log = append(p.log, s) },
	})
	sink := display.SetSink(func(e display.Event) { fmt.Fprintf(&p.out, "[%s]\n", e.Bundle.Text()) })
	t.Cleanup(func() { comm.Reset(); comm.SetHost(old); display.SetSink(sink) })
	return p
}

// run runs a cell and returns what it prints, shows and fails with.
func (p *page) run(code string) string {
	p.t.Helper()
	p.out.Reset()
	p.n++
	out := p.e.Execute(p.t.Context(), p.n, code, worker.Options{})
	if out.Err != nil {
		fmt.Fprintf(&p.out, "%s: %s", out.Err.Name, out.Err.Value)
	}
	if out.Result != nil {
		fmt.Fprintf(&p.out, "=> %v", out.Result.Data["text/plain"])
	}
	return strings.TrimSpace(p.out.String())
}

// model finds the model with a description, or of a name.
func (p *page) model(name string) (id string, state map[string]any) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.states {
		if s["description"] == name || s["_model_name"] == name {
			return id, s
		}
	}
	p.t.Fatalf("there is no model %s", name)
	return "", nil
}

// move does what a client does when a widget is changed, and then runs the tasks that come of it.
func (p *page) move(name string, state map[string]any) {
	p.t.Helper()
	id, _ := p.model(name)
	p.send(id, map[string]any{"method": "update", "state": state, "buffer_paths": []any{}})
}

func (p *page) send(id string, data map[string]any) {
	raw, _ := json.Marshal(data)
	comm.Receive(7, comm.Message{Op: "msg", ID: id, Data: raw})
	p.work()
}

func (p *page) work() {
	for {
		p.mu.Lock()
		if len(p.tasks) == 0 {
			p.mu.Unlock()
			return
		}
		t := p.tasks[0]
		p.tasks = p.tasks[1:]
		p.mu.Unlock()
		out := p.e.Call(p.t.Context(), t.Context, t.Run)
		var f *comm.Failure
		if out.Err != nil {
			f = &comm.Failure{Name: out.Err.Name, Value: out.Err.Value, Traceback: out.Err.Traceback}
		}
		if t.Done != nil {
			t.Done(f)
		} else if f != nil {
			fmt.Fprintf(p, "%s: %s\n", f.Name, f.Value)
		}
	}
}

// outputs is the text of what the output area shows.
func (p *page) outputs() string {
	p.t.Helper()
	_, s := p.model("OutputModel")
	var b strings.Builder
	p.mu.Lock()
	defer p.mu.Unlock()
	list, _ := s["outputs"].([]any)
	for _, o := range list {
		o := o.(map[string]any)
		switch o["output_type"] {
		case "stream":
			fmt.Fprintf(&b, "%s|", o["text"])
		case "error":
			fmt.Fprintf(&b, "%s: %s|", o["ename"], o["evalue"])
		default:
			fmt.Fprintf(&b, "%v|", o["data"].(map[string]any)["text/plain"])
		}
	}
	return strings.ReplaceAll(b.String(), "\n", "")
}

func TestWidgetsInCells(t *testing.T) {
	p := newPage(t)
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	want(p.run(`s := widgets.IntSlider(3, 0, 10, widgets.Description("n"), widgets.WithStyle(widgets.Style{HandleColor: "red"}))
total := 0
s.OnChange(func(v int) { total += v; fmt.Println("now", v) })
s`), `=> IntSlider{description: "n", max: 10, value: 3}`)
	p.out.Reset()
	p.move("n", map[string]any{"value": 7})
	want(p.out.String(), "now 7\n")
	want(p.run(`fmt.Println(s.Value(), total)`), "7 7")
	want(p.run(`s.Set(4)
fmt.Println(s.Value(), total)`), "4 7")
	p.out.Reset()
	p.work()
	want(p.out.String(), "now 4\n")
	want(p.run(`s.Set(40)`), "panic: widgets.IntSlider: Set: value: 40 is not between 0 and 10, the bounds of the widget")
	want(p.run(`widgets.IntSlider(3, 5, 10)`), "panic: widgets.IntSlider: value: 3 is not between 5 and 10, the bounds of the widget")
	want(p.run(`b := widgets.Button("go")
clicks := 0
b.OnClick(func() { clicks++; var m map[int]int; if clicks == 2 { m[1] = 1 } })
t := widgets.Text("", widgets.Placeholder("type"), widgets.Description("text"))
widgets.HBox(b, t, widgets.VBox(s))`), "=> HBox{children: 3 widgets}")
	id, _ := p.model("go")
	for range 2 {
		p.out.Reset()
		p.send(id, map[string]any{"method": "custom", "content": map[string]any{"event": "click"}})
	}
	want(p.out.String(), "panic: assignment to entry in nil map\n")
	p.move("text", map[string]any{"value": "héllo"})
	want(p.run(`fmt.Println(clicks, t.Value())`), "2 héllo")
	want(p.run(`o := widgets.Output()
o.Run(func() { fmt.Println("inside"); display.Text("shown") })
fmt.Println("outside")`), "outside")
	want(p.outputs(), "inside|shown|")
	p.run("%reset")
	if len(p.states) != 0 {
		t.Errorf("%d widgets are left after %%reset", len(p.states))
	}
}

// Comms of the user's own: the page opens one, and the cell another.
func TestCommsInCells(t *testing.T) {
	p := newPage(t)
	p.run(`widgets.HandleComm("mine", func(c *widgets.Comm, data any, buffers [][]byte) {
	fmt.Println("opened with", data, buffers)
	c.OnMessage(func(data any, buffers [][]byte) {
		fmt.Println("received", data, buffers)
		c.Send(map[string]any{"echo": data}, buffers...)
	})
	c.OnClose(func() { fmt.Println("closed") })
})`)
	p.out.Reset()
	comm.Receive(7, comm.Message{Op: "open", ID: "c1", Target: "mine", Data: json.RawMessage(`{"a":[1,"x"]}`), Buffers: [][]byte{{1, 2}}})
	comm.Receive(7, comm.Message{Op: "msg", ID: "c1", Data: json.RawMessage(`true`), Buffers: [][]byte{{3}}})
	comm.Receive(7, comm.Message{Op: "close", ID: "c1"})
	p.work()
	if got := p.out.String(); got != "opened with map[a:[1 x]] [[1 2]]\nreceived true [[3]]\nclosed\n" {
		t.Errorf("%s", got)
	}
	if got := p.run("c := widgets.OpenComm(\"theirs\", []int{1})\nc.OnMessage(func(data any, _ [][]byte) { fmt.Println(\"page says\", data) })\nfmt.Println(len(c.ID()))"); got != "32" {
		t.Errorf("%s", got)
	}
	p.out.Reset()
	p.send(p.last, map[string]any{"n": 1})
	if got := p.out.String(); got != "page says map[n:1]\n" {
		t.Errorf("%s", got)
	}
	for code, want := range map[string]string{
		`c.Send(func() {})`:                         "panic: widgets.Comm.Send: the data cannot be written as JSON: json: unsupported type: func()",
		`widgets.HandleComm("jupyter.widget", nil)`: `panic: widgets.HandleComm: the target "jupyter.widget" belongs to the widgets themselves`,
	} {
		if got := p.run(code); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	p.run(`widgets.HandleComm("mine", nil)`)
	if comm.Known("mine") {
		t.Error("the target is still registered")
	}
}

func TestInteract(t *testing.T) {
	p := newPage(t)
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	p.run(`type Eps float64
func (e Eps) String() string { return fmt.Sprintf("ε=%g", float64(e)) }
func boundary(eps Eps, n int, name string, on bool) (any, error) {
	fmt.Println("called with", n, name, on)
	if n == 13 {
		return nil, errors.New("unlucky")
	}
	xs := []int{1, 2, 3}
	return xs[n%4] * 10, nil
}`)
	want(p.run(`widgets.Interact(boundary, widgets.Arg{Name: "eps", Min: 0.01, Max: 10, Log: true, Label: "ε", Value: 0.5}, widgets.Arg{Name: "n", Max: 20, Value: 2},
	widgets.Arg{Name: "name", Choices: []string{"a", "b"}})`), "[Interact(eps: 0.5012, n: 2, name: a, on: false)]")
	want(p.outputs(), "called with 2 a false|30|")
	p.move("n", map[string]any{"value": 5})
	want(p.outputs(), "called with 5 a false|20|")
	p.move("name", map[string]any{"index": 1})
	p.move("on", map[string]any{"value": true})
	want(p.outputs(), "called with 5 b true|20|")
	p.move("n", map[string]any{"value": 13})
	want(p.outputs(), "called with 13 b true|error: unlucky|")
	p.move("n", map[string]any{"value": 7})
	want(p.outputs(), "called with 7 b true|panic: runtime error: index out of range [3] with length 3|")
	if _, s := p.model("OutputModel"); !strings.Contains(fmt.Sprint(s["outputs"]), "xs[n%4] * 10") {
		t.Errorf("no place: %v", s["outputs"])
	}
	if _, s := p.model("ε"); s["_model_name"] != "FloatLogSliderModel" || s["min"] != -2.0 {
		t.Errorf("%v", s)
	}
	// A literal, a variable and a function of compiled code; declared types in results; the newest of several values.
	p.run(`widgets.CloseAll()`)
	p.run(`calls := 0
f := func(x float64) Eps { calls++; return Eps(x) }
widgets.Interact(f)`)
	want(p.outputs(), "ε=0.5|")
	id, _ := p.model("x")
	for i := range 5 {
		raw, _ := json.Marshal(map[string]any{"method": "update", "state": map[string]any{"value": float64(i) / 10}})
		comm.Receive(7, comm.Message{Op: "msg", ID: id, Data: raw})
	}
	p.work()
	want(p.outputs(), "ε=0.4|")
	want(p.run(`calls`), "=> 2")
	p.run(`widgets.CloseAll()`)
	p.run(`widgets.Interact(math.Sqrt, widgets.Arg{Min: 0, Max: 9, Value: 4})`)
	p.model("x") // its export data has the name
	want(p.outputs(), "2|")
	p.run(`widgets.CloseAll()`)
	p.run(`var fs = map[string]func(float64) string{"a": func(q float64) string { return fmt.Sprint(q) }}
widgets.Interact(fs["a"])`)
	p.model("x1")
	want(p.outputs(), "0.5|")
	for code, message := range map[string]string{
		`widgets.Interact(3)`: "the first argument must be a function, such as func(eps float64) any { … }, not an int",
		`widgets.Interact(func(d *dp.Data) any { return d })`:                                       "the parameter d (*dp.Data): no widget can set it. Parameters are numbers, bools, strings and []string; the function can use variables of other cells for the rest",
		`widgets.Interact(func(x ...int) any { return x })`:                                         "the function has a parameter …int; say how many there are: each gets a widget",
		`widgets.Interact(func(x int) int { return x }, widgets.Arg{Name: "y"})`:                    `Arg "y": the function has no such parameter; it has x`,
		`widgets.Interact(func(x int) int { return x }, widgets.Arg{Name: "x", Max: 1.5})`:          "the parameter x (int): Min, Max and Value must be whole numbers, not 1.5",
		`widgets.Interact(func(x float64) any { return x }, widgets.Arg{Min: 1, Max: 2, Value: 7})`: "the parameter x (float64): FloatSlider: value: 7 is not between 1 and 2, the bounds of the widget",
		`widgets.Interact(func(x string) any { return x }, widgets.Arg{Choices: []float64{1}})`:     "the parameter x (string): Choices is a []float64, whose elements do not fit it",
		`widgets.Interact(func(x float64) any { return x }, widgets.Arg{Log: true})`:                "the parameter x (float64): set Min and Max, positive bounds, for a logarithmic slider",
		`widgets.Interact(func(x float64) any { return x }, widgets.Arg{Value: "a"})`:               "the parameter x (float64): Value: it must be a number, not a string",
		`widgets.Interact(func(x bool) any { return x }, widgets.Arg{Widget: widgets.Text("")})`:    "the parameter x (bool): the value of a Text does not fit it",
		`var g func(x int) int` + "\n" + `widgets.Interact(g)`:                                      "the function is nil",
	} {
		want(p.run(code), "panic: widgets.Interact: "+message)
	}
}
