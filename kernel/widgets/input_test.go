package widgets

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
)

// tell sends a client's message to a widget and returns what is answered.
func (r *recorder) tell(w Widget, data string) []sent {
	comm.Receive(5, comm.Message{Op: "msg", ID: w.ModelID(), Data: json.RawMessage(data)})
	return r.take()
}

// What is wrong in a client's message is logged and not taken over, and the client is sent what is so.
func TestWrongMessages(t *testing.T) {
	r := newRecorder(t)
	s, f, d, m, box := IntSlider(3, 0, 10), FloatSlider(0.5, 0, 1), Dropdown([]string{"a", "b"}), SelectMultiple([]string{"a", "b"}), VBox(Label("x"))
	rg, txt := FloatRangeSlider(0.2, 0.4, 0, 1), Text("t")
	r.take()
	for _, c := range []struct {
		w           Widget
		state, log  string
		restored    string // attributes that the client is sent again
		valueStayed func() bool
	}{
		{s, `{"value":11}`, "value: 11 is not between 0 and 10", "value", func() bool { return s.Value() == 3 }},
		{s, `{"value":"7"}`, `value: it must be an integer, not "7"`, "value", func() bool { return s.Value() == 3 }},
		{s, `{"value":2.5}`, "value: it must be an integer, not 2.5", "value", func() bool { return s.Value() == 3 }},
		{s, `{"value":null}`, "value: it must be an integer, not null", "value", func() bool { return s.Value() == 3 }},
		{s, `{"value":1e300}`, "value: it must be an integer", "value", func() bool { return s.Value() == 3 }},
		{s, `{"max":-1}`, "max: the lower bound 0 is above the upper bound -1", "max", func() bool { return s.Value() == 3 }},
		{s, `{"layout":"IPY_MODEL_nothing"}`, `layout: there is no model "nothing"`, "layout", nil},
		{s, `{"layout":7}`, "layout: it must be a reference to a model, not 7", "layout", nil},
		{s, `{"_model_name":"X"}`, "_model_name: it must be nothing else than it is", "_model_name", nil},
		{s, `{"nonsense":1}`, `there is no attribute "nonsense"`, "", nil},
		{f, `{"value":1e999}`, "value: it must be a finite number", "value", func() bool { return f.Value() == 0.5 }},
		{f, `{"value":true}`, "value: it must be a finite number, not true", "value", func() bool { return f.Value() == 0.5 }},
		{f, `{"step":-1}`, "step: -1 is not positive", "step", nil},
		{rg, `{"value":[0.5,0.1]}`, "value: [0.5 0.1] is not a range", "value", func() bool { a, b := rg.Value(); return a == 0.2 && b == 0.4 }},
		{rg, `{"value":[0.5]}`, "value: [0.5] is not a range", "value", nil},
		{rg, `{"value":[null,1]}`, "value: it must be a list of finite numbers", "value", nil},
		{d, `{"index":2}`, "index: there is no choice 2; there are 2, counted from 0", "index", func() bool { return d.Value() == "a" }},
		{d, `{"index":-1}`, "index: there is no choice -1", "index", func() bool { return d.Value() == "a" }},
		{d, `{"_options_labels":[]}`, "_options_labels: there is nothing to choose from", "_options_labels", func() bool { return d.Value() == "a" }},
		{m, `{"index":[0,5]}`, "index: there is no choice 5", "index", func() bool { return len(m.Value()) == 0 }},
		{m, `{"index":3}`, "index: it must be a list of integers, not 3", "index", nil},
		{box, `{"children":["x"]}`, `children: a reference to a model begins with IPY_MODEL_, not "x"`, "children", nil},
		{txt, `{"value":{"a":1}}`, `value: it must be a string, not {"a":1}`, "value", func() bool { return txt.Value() == "t" }},
	} {
		r.log = nil
		got := r.tell(c.w, `{"method":"update","state":`+c.state+`,"buffer_paths":[]}`)
		if len(r.log) != 1 || !strings.Contains(r.log[0], c.log) {
			t.Errorf("%s: log %q, want %s", c.state, r.log, c.log)
		}
		restored := ""
		for _, g := range got {
			d := g.Content["data"].(map[string]any)
			for k := range d["state"].(map[string]any) {
				restored += fmt.Sprint(k)
			}
			if d["method"] != "update" {
				t.Errorf("%s: %v", c.state, d)
			}
		}
		if restored != c.restored {
			t.Errorf("%s: the client is sent %q, want %q", c.state, restored, c.restored)
		}
		if c.valueStayed != nil && !c.valueStayed() {
			t.Errorf("%s was taken over", c.state)
		}
	}
	for _, data := range []string{`7`, `{"method":"unheard of"}`, `{"method":7}`, `{"method":"update","state":[]}`, `{"method":"update","state":{"value":1},"buffer_paths":[["value"]]}`, `{`, ``} {
		r.log = nil
		if got := r.tell(s, data); len(got) != 0 || len(r.log) != 1 || s.Value() != 3 {
			t.Errorf("%q: answered %v, log %q, value %d", data, got, r.log, s.Value())
		}
	}
	// What is chosen cannot be taken away.
	m.Set("b")
	r.take()
	r.log = nil
	if r.tell(m, `{"method":"update","state":{"_options_labels":["z"]},"buffer_paths":[]}`); fmt.Sprint(m.Value()) != "[b]" || len(r.log) != 1 {
		t.Errorf("%v, log %q", m.Value(), r.log)
	}
	// Of an update the right part is taken over.
	got := r.tell(s, `{"method":"update","state":{"value":5,"max":"x"},"buffer_paths":[]}`)
	if s.Value() != 5 || len(got) != 2 || got[0].Content["data"].(map[string]any)["method"] != "echo_update" {
		t.Errorf("%v, value %d", got, s.Value())
	}
}

// What a cell gets wrong is a panic that says so.
func TestWrongArguments(t *testing.T) {
	newRecorder(t)
	closed := Label("x")
	closed.Close()
	for want, f := range map[string]func(){
		"widgets.IntSlider: value: 30 is not between 0 and 10, the bounds of the widget":                       func() { IntSlider(30, 0, 10) },
		"widgets.FloatSlider: value: NaN is not a finite number":                                               func() { FloatSlider(math.NaN(), 0, 1) },
		"widgets.FloatLogSlider: the bounds must be positive, the first not above the second: 0 and 1 are not": func() { FloatLogSlider(0.1, 0, 1) },
		"widgets.FloatLogSlider: Set: value: 5 is not between 0.01 and 1, the bounds of the widget":            func() { FloatLogSlider(0.1, 0.01, 1).Set(5) },
		"widgets.Dropdown: there is nothing to choose from":                                                    func() { Dropdown(nil) },
		`widgets.Dropdown: Set: "c" is not one of a, b`:                                                        func() { Dropdown([]string{"a", "b"}).Set("c") },
		"widgets.Step: -1 is not positive and finite":                                                          func() { IntSlider(1, 0, 2, Step(-1)) },
		"widgets.Step: an IntSlider takes whole numbers, not 0.5":                                              func() { IntSlider(1, 0, 2, Step(0.5)) },
		"widgets.Placeholder: an IntSlider has no placeholder":                                                 func() { IntSlider(1, 0, 2, Placeholder("x")) },
		"widgets.Checkbox: its style has no handle_color":                                                      func() { Checkbox(true, WithStyle(Style{HandleColor: "red"})) },
		`widgets.Look: "red" is not one of primary, success, info, warning, danger`:                            func() { Button("x", Look("red")) },
		"widgets.VBox: a widget is nil":                                                                        func() { VBox(nil) },
		"widgets.HBox: a widget is closed, or not one of this package (*widgets.String)":                       func() { HBox(closed) },
		"widgets.Link: the value of IntSlider is an integer, that of Text a string":                            func() { Link(IntSlider(1, 0, 2), Text("")) },
		"widgets.Link: a Button has no value":                                                                  func() { Link(Button("x"), Text("")) },
		"widgets.Selected: Tab: selected_index: there is no page 3; there are 1, counted from 0":               func() { Tab(Label("x")).With(Selected(3)) },
		"widgets.VBox: OnSelect: it has no pages":                                                              func() { VBox().OnSelect(func(int) {}) },
		"widgets.Button: OnClick: the function is nil":                                                         func() { Button("x").OnClick(nil) },
		"widgets.Between: 2 and 1 are not finite bounds, the first below the second":                           func() { IntSlider(1, 0, 2).Configure(Between(2, 1)) },
		"widgets.Between: an IntText has no bounds":                                                            func() { IntText(1).Configure(Between(1, 2)) },
		"widgets.Between: IntSlider: max: the value 1 is not between 5 and 9, the bounds of the widget":        func() { IntSlider(1, 0, 2).Configure(Between(5, 9)) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}()
			f()
		}()
	}
}

func TestHandlers(t *testing.T) {
	r := newRecorder(t)
	s, txt := IntSlider(3, 0, 10), IntText(0)
	var seen []int
	s.OnChange(func(v int) { seen = append(seen, v) })
	Link(s, txt)
	if txt.Value() != 3 {
		t.Errorf("linked to %d", txt.Value())
	}
	r.take()
	for _, v := range []string{"5", "6", "7"} { // three changes before the handler runs: it sees the last
		r.tell(s, `{"method":"update","state":{"value":`+v+`},"buffer_paths":[]}`)
	}
	r.work()
	txt.Set(4)
	r.work()
	txt.Set(40) // stops at the slider's door
	r.work()
	if fmt.Sprint(seen, s.Value(), txt.Value()) != "[7 4] 4 40" {
		t.Errorf("seen %v, slider %d, text %d", seen, s.Value(), txt.Value())
	}
	b := Button("x")
	clicks := 0
	b.OnClick(func() { clicks++ })
	r.tell(b, `{"method":"custom","content":{"event":"click"}}`)
	r.tell(b, `{"method":"custom","content":{"event":"click"}}`)
	r.tell(b, `{"method":"custom","content":{"event":"hover"}}`)
	b.Click()
	r.work()
	if clicks != 3 {
		t.Errorf("%d clicks", clicks)
	}
	b.Close()
	if got := r.tell(b, `{"method":"request_state"}`); got[len(got)-1].Type != "comm_close" {
		t.Errorf("a message for a closed widget: %v", got)
	}
	d := Dropdown([]string{"a", "b", "c"})
	d.Set("b")
	d.SetOptions("x", "b")
	if d.Value() != "b" || d.Index() != 1 {
		t.Errorf("%s %d", d.Value(), d.Index())
	}
	d.SetOptions("y")
	if d.Value() != "y" {
		t.Errorf("%s", d.Value())
	}
}

// A model that a client makes is kept for other pages.
func TestModelsOfClients(t *testing.T) {
	r := newRecorder(t)
	open := func(id, metadata, data string) []sent {
		r.log = nil
		comm.Receive(5, comm.Message{Op: "open", ID: id, Target: widgetTarget, Metadata: json.RawMessage(metadata), Data: json.RawMessage(data)})
		return r.take()
	}
	state := `{"state":{"_model_name":"M","_model_module":"m","_model_module_version":"1","v":[1,{"a":null}]},"buffer_paths":[]}`
	if got := open("c1", `{"version":"2.1.0"}`, state); len(got) != 0 || len(r.log) != 0 {
		t.Fatalf("%v %q", got, r.log)
	}
	comm.Receive(5, comm.Message{Op: "msg", ID: "c1", Data: json.RawMessage(`{"method":"update","state":{"v":2},"buffer_paths":[]}`)})
	r.take()
	comm.Receive(5, comm.Message{Op: "msg", ID: "c1", Data: json.RawMessage(`{"method":"request_state"}`)})
	if got := fmt.Sprint(r.take()[0].Content["data"].(map[string]any)["state"]); got != "map[_model_module:m _model_module_version:1 _model_name:M v:2]" {
		t.Errorf("%s", got)
	}
	for _, bad := range [][3]string{{"c2", `{"version":"1.0"}`, state}, {"c3", `{}`, state}, {"c4", `{"version":"2.0"}`, `{"state":{}}`}, {"c5", `{"version":"2.0"}`, `[]`},
		{"c6", `{"version":"2.0"}`, `{"state":{},"buffer_paths":[[]]}`}} {
		if got := open(bad[0], bad[1], bad[2]); len(got) != 1 || got[0].Type != "comm_close" || len(r.log) != 1 {
			t.Errorf("%v: %v %q", bad, got, r.log)
		}
	}
}

func TestOutputArea(t *testing.T) {
	r := newRecorder(t)
	w := Output()
	outputs := func() string {
		mu.Lock()
		defer mu.Unlock()
		return string(w.m.state["outputs"].(json.RawMessage))
	}
	w.Show("a")
	w.Run(func() { panicked(func() { w.Show(7); panic("x") }) })
	if got := outputs(); got != `[{"data":{"text/plain":"a"},"metadata":{},"output_type":"display_data"},{"data":{"text/plain":"7"},"metadata":{},"output_type":"display_data"}]` {
		t.Errorf("%s", got)
	}
	w.Clear(true)
	if !strings.Contains(outputs(), `7`) {
		t.Error("cleared too early")
	}
	w.Show(8)
	if got := outputs(); strings.Contains(got, "7") || !strings.Contains(got, "8") {
		t.Errorf("%s", got)
	}
	w.Clear(false)
	if got := outputs(); got != "[]" {
		t.Errorf("%s", got)
	}
	w.Show(map[string]any{"f": func() {}})
	long := strings.Repeat("é", outputLimit)
	w.take(stream("stdout", "one\n"))
	w.take(stream("stdout", long))
	w.take(stream("stderr", long))
	w.send()
	if got := outputs(); len(got) > 2*outputLimit || !strings.Contains(got, "bytes more were printed, which are not shown") || !json.Valid([]byte(got)) {
		t.Errorf("%d bytes of outputs: …%s", len(got), got[len(got)-200:])
	}
	// The outputs of a run replace those of the last one when it ends, and a run that is given up leaves them.
	w.Clear(false)
	w.Show("old")
	w.begin()
	w.take(stream("stdout", "new"))
	if got := outputs(); !strings.Contains(got, "old") {
		t.Errorf("%s", got)
	}
	w.end(false)
	if got := outputs(); !strings.Contains(got, "old") {
		t.Errorf("given up: %s", got)
	}
	w.begin()
	w.take(stream("stdout", "new"))
	w.end(true)
	if got := outputs(); strings.Contains(got, "old") || !strings.Contains(got, "new") {
		t.Errorf("%s", got)
	}
	w.begin()
	w.end(true)
	if got := outputs(); got != "[]" {
		t.Errorf("a run without outputs: %s", got)
	}
	_ = r
}

func stream(name, text string) display.Event {
	return display.Event{Kind: display.KindStream, Stream: name, Text: text}
}

func panicked(f func()) { defer func() { recover() }(); f() }

func FuzzReceive(f *testing.F) {
	for _, s := range []string{`{"method":"update","state":{"value":7},"buffer_paths":[]}`, `{"method":"request_state"}`, `{"method":"custom","content":{"event":"click"}}`,
		`{"method":"update","state":{"children":["IPY_MODEL_x"]}}`, `{"method":"update","state":{"index":[0]}}`, `{"state":{"_model_name":"M","_model_module":"m","_model_module_version":"1"}}`, `null`} {
		f.Add("msg", "", []byte(s), []byte(`{"version":"2.1.0"}`))
	}
	f.Add("open", widgetTarget, []byte(`{"state":{}}`), []byte(`{"version":"2.1.0"}`))
	f.Add("open", controlTarget, []byte(`{}`), []byte(`{}`))
	newRecorder(f)
	slider, log, two, menu, list, page := IntSlider(3, 0, 10), FloatLogSlider(1, 0.1, 10), FloatRangeSlider(0.1, 0.2, 0, 1), Dropdown([]string{"a"}), SelectMultiple([]string{"a"}), Tab(Label("x"))
	all := []Widget{slider, log, two, menu, list, page, Text(""), Checkbox(true), Button("x"), Output()}
	comm.SetHost(&comm.Host{ // a light one, since fuzzing wants many runs
		Send: func(_ uint64, m comm.Message) error {
			if m.Data != nil && !json.Valid(m.Data) {
				f.Errorf("not JSON: %s", m.Data)
			}
			return nil
		},
		Owner: func() uint64 { return 1 }, Post: func(t *comm.Task) {}, Log: func(string) {}})
	f.Fuzz(func(t *testing.T, op, target string, data, metadata []byte) {
		comm.Receive(5, comm.Message{Op: op, ID: "new", Target: target, Data: data, Metadata: metadata})
		comm.Receive(5, comm.Message{Op: "msg", ID: "new", Data: data})
		comm.Receive(5, comm.Message{Op: "close", ID: "new"})
		if op == "close" {
			return
		}
		for _, w := range all {
			comm.Receive(5, comm.Message{Op: op, ID: w.ModelID(), Target: target, Data: data, Metadata: metadata})
		}
		// Whatever came, values are such as the types promise.
		state := func(w Widget) map[string]any { return modelOf("test", w).state }
		if v, s := slider.Value(), state(slider); v < s["min"].(int) || v > s["max"].(int) {
			t.Errorf("the slider says %d", v)
		}
		if lo, hi := two.Value(); !(lo <= hi) {
			t.Errorf("the range is %v to %v", lo, hi)
		}
		if v := log.Value(); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("the logarithmic slider says %v", v)
		}
		if v := page.Selected(); v > 0 {
			t.Errorf("page %d of one is open", v)
		}
		menu.Value()
		list.Value()
	})
}
