package widgets

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
)

// sent is a comm message as testdata/record.py writes it.
type sent struct {
	Type     string         `json:"type"`
	Content  map[string]any `json:"content"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// recorder is a host that writes down what is sent, with #0, #1, … for the ids, and keeps tasks.
type recorder struct {
	mu    sync.Mutex
	sent  []sent
	ids   []string
	tasks []*comm.Task
	log   []string
}

func newRecorder(t testing.TB) *recorder {
	r := &recorder{}
	old := comm.SetHost(&comm.Host{Send: r.send, Owner: func() uint64 { return 1 }, Poll: func() int { return 0 },
		Post: func(t *comm.Task) { r.mu.Lock(); defer r.mu.Unlock(); r.tasks = append(r.tasks, t) },
		Capture: func(sink func(any) bool) (func(func()), func()) {
			return func(f func()) { capture(sink, f) }, func() {}
		},
		Describe: func(p any) *comm.Failure { return &comm.Failure{Name: "panic", Value: fmt.Sprint(p)} },
		Log:      func(s string) { r.mu.Lock(); defer r.mu.Unlock(); r.log = append(r.log, s) }})
	t.Cleanup(func() { CloseAll(); comm.Reset(); comm.SetHost(old) })
	return r
}

func capture(sink func(any) bool, f func()) {
	defer display.SetSink(display.SetSink(func(e display.Event) { sink(e) }))
	f()
}

func (r *recorder) send(parent uint64, m comm.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := sent{Type: "comm_" + m.Op, Content: map[string]any{"comm_id": m.ID, "data": map[string]any{}}}
	if m.Op == "open" {
		r.ids = append(r.ids, m.ID)
		s.Content["target_name"], s.Content["target_module"] = m.Target, nil
	}
	if len(m.Data) > 0 {
		var data any
		if err := json.Unmarshal(m.Data, &data); err != nil {
			return err
		}
		s.Content["data"] = data
	}
	if len(m.Metadata) > 0 {
		json.Unmarshal(m.Metadata, &s.Metadata)
	}
	r.sent = append(r.sent, s)
	return nil
}

// take returns what has been sent since the last time.
func (r *recorder) take() []sent {
	r.mu.Lock()
	defer r.mu.Unlock()
	raw, _ := json.Marshal(r.sent)
	text := regexp.MustCompile(`[0-9a-f]{32}`).ReplaceAllStringFunc(string(raw), func(id string) string {
		if i := slices.Index(r.ids, id); i >= 0 {
			return fmt.Sprintf("#%d", i)
		}
		return id
	})
	var out []sent
	json.Unmarshal([]byte(text), &out)
	r.sent = nil
	return out
}

func (r *recorder) work() {
	for len(r.tasks) > 0 {
		t := r.tasks[0]
		r.tasks = r.tasks[1:]
		t.Run()
		if t.Done != nil {
			t.Done(nil)
		}
	}
}

type step struct {
	Do  any    `json:"do"`
	Get []sent `json:"get"`
}

type recorded struct {
	Open  []sent `json:"open"`
	Model string `json:"model"`
	Steps []step `json:"steps"`
}

func recordings(t testing.TB) map[string]recorded {
	t.Helper()
	raw, err := os.ReadFile("testdata/ipywidgets.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Cases map[string]recorded `json:"cases"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return f.Cases
}

// The same widgets as in testdata/record.py, with the settings whose defaults differ on purpose (steps, counted choices).
var made = map[string]func() Widget{
	"IntSlider": func() Widget { return IntSlider(3, 0, 10) },
	"IntSlider options": func() Widget {
		return IntSlider(3, 0, 10, Step(2), Description("n"), Vertical(true), Readout(false), Format(".1f"), Continuous(false), Disabled(true), Tooltip("a tip"),
			WithLayout(Layout{Width: "20em", GridArea: "a"}), WithStyle(Style{DescriptionWidth: "initial", HandleColor: "red"}))
	},
	"IntText":          func() Widget { return IntText(3) },
	"BoundedIntText":   func() Widget { return BoundedIntText(3, 0, 10) },
	"IntProgress":      func() Widget { return IntProgress(3, 0, 10, Look("info"), WithStyle(Style{BarColor: "green"})) },
	"IntRangeSlider":   func() Widget { return IntRangeSlider(2, 5, 0, 10) },
	"Play":             func() Widget { return Play(0, 0, 10, Interval(200)) },
	"FloatSlider":      func() Widget { return FloatSlider(0.5, 0, 1, Step(0.1)) },
	"FloatLogSlider":   func() Widget { return FloatLogSlider(0.1, 0.01, 10) },
	"FloatText":        func() Widget { return FloatText(2.5) },
	"BoundedFloatText": func() Widget { return BoundedFloatText(2.5, 0, 10) },
	"FloatProgress":    func() Widget { return FloatProgress(2.5, 0, 10) },
	"FloatRangeSlider": func() Widget { return FloatRangeSlider(0.25, 0.5, 0, 1, Step(0.1)) },
	"Dropdown": func() Widget {
		return Dropdown([]string{"a", "b"}, Option{"index", func(m *model) { m.set("index", 1) }})
	},
	"RadioButtons":    func() Widget { return RadioButtons([]string{"a", "b"}) },
	"ToggleButtons":   func() Widget { return ToggleButtons([]string{"a", "b"}) },
	"Select":          func() Widget { return Select([]string{"a", "b"}) },
	"SelectionSlider": func() Widget { return SelectionSlider([]string{"a", "b"}) },
	"SelectMultiple": func() Widget {
		return SelectMultiple([]string{"a", "b", "c"}, Option{"index", func(m *model) { m.set("index", []int{0, 2}) }})
	},
	"Checkbox":     func() Widget { return Checkbox(true) },
	"ToggleButton": func() Widget { return ToggleButton(false, Description("on")) },
	"Valid":        func() Widget { return Valid(true) },
	"Text":         func() Widget { return Text("a") },
	"Textarea":     func() Widget { return Textarea("a") },
	"Password":     func() Widget { return Password("a") },
	"Label":        func() Widget { return Label("a") },
	"HTML":         func() Widget { return HTML("<b>a</b>") },
	"HTMLMath":     func() Widget { return HTMLMath("$a$") },
	"Button": func() Widget {
		return Button("go", Look("success"), Icon("check"), WithStyle(Style{ButtonColor: "blue"}))
	},
	"Output": func() Widget { return Output() },
	"HBox":   func() Widget { return HBox(Label("a"), Label("b")) },
	"VBox":   func() Widget { return VBox(Label("a")) },
	"Box":    func() Widget { return Box(Label("a")) },
	"GridBox": func() Widget {
		return GridBox(Label("a")).With(WithLayout(Layout{GridTemplateColumns: "1fr 1fr"}))
	},
	"Accordion": func() Widget { return Accordion(Label("a")).With(Titles("A")) },
	"Tab":       func() Widget { return Tab(Label("a"), Label("b")).With(Titles("A", "B"), Selected(1)) },
	"JsLink":    func() Widget { JsLink(IntSlider(1, 0, 10), IntText(1)); return nil },
	"JsDLink":   func() Widget { JsDLink(IntSlider(1, 0, 10), IntText(1)); return nil },
}

// What stands in Go for the Python of a step.
var done = map[string]func(w Widget){
	"IntSlider x.value = 4": func(w Widget) { w.(*Int).Set(4) },
	"IntSlider x.max = 20; x.description = 'n'": func(w Widget) {
		w.(*Int).Configure(Between(0, 20), Description("n"))
	},
	"IntSlider x.layout.width = '3em'":        func(w Widget) { w.(*Int).Configure(WithLayout(Layout{Width: "3em"})) },
	"IntSlider x.style.handle_color = 'blue'": func(w Widget) { w.(*Int).Configure(WithStyle(Style{HandleColor: "blue"})) },
	"IntSlider x.close()":                     func(w Widget) { w.(*Int).Close() },
	"FloatRangeSlider x.value = (0, 1)":       func(w Widget) { w.(*FloatRange).Set(0, 1) },
	"Dropdown x.value = 'b'":                  func(w Widget) { w.(*Choice).Set("b") },
	"SelectMultiple x.value = ('a',)":         func(w Widget) { w.(*Choices).Set("a") },
	"Text x.value = 'c'":                      func(w Widget) { w.(*String).Set("c") },
	"VBox x.children = x.children + (w.Label('b'),)": func(w Widget) {
		c := w.(*Container)
		mu.Lock()
		first := c.m.state["children"].([]*model)[0]
		mu.Unlock()
		c.SetChildren(base{first}, Label("b"))
	},
}

// final gathers messages to the states that the models have after them: the order in which a widget and its parts are opened, and in how many
// messages a state is sent, are not part of the protocol.
func final(ms []sent) map[string]any {
	states := map[string]any{}
	for _, m := range ms {
		id := m.Content["comm_id"].(string)
		data, _ := m.Content["data"].(map[string]any)
		state, _ := data["state"].(map[string]any)
		if m.Type == "comm_open" {
			states[id] = map[string]any{"open": m.Metadata, "target": m.Content["target_name"]}
		}
		entry, _ := states[id].(map[string]any)
		if entry == nil {
			entry = map[string]any{"method": data["method"]}
			states[id] = entry
		}
		if m.Type == "comm_close" {
			entry["closed"] = true
		}
		for k, v := range state {
			entry["state."+k] = v
		}
	}
	return states
}

// canonical renames the models of a set of states by what they are, so that sets with other numbers can be compared.
func canonical(states map[string]any, names map[string]string) map[string]any {
	var rename func(v any) any
	rename = func(v any) any {
		switch v := v.(type) {
		case string:
			if id, ok := strings.CutPrefix(v, prefix); ok {
				return prefix + names[id]
			}
		case []any:
			out := []any{}
			for _, x := range v {
				out = append(out, rename(x))
			}
			return out
		case map[string]any:
			out := map[string]any{}
			for k, x := range v {
				out[k] = rename(x)
			}
			return out
		}
		return v
	}
	out := map[string]any{}
	for id, s := range states {
		out[names[id]] = rename(s)
	}
	return out
}

// naming gives the models names that follow from the state they have: their class, and whose part or child they are.
func naming(states map[string]any, names map[string]string) {
	for id, s := range states {
		if m, ok := s.(map[string]any)["state._model_name"].(string); ok && names[id] == "" {
			names[id] = m
		}
	}
	// Parts are named after the widgets that refer to them, which come after them.
	for _, id := range slices.Sorted(maps.Keys(states)) {
		s := states[id].(map[string]any)
		for k, v := range s {
			refs, _ := v.([]any)
			if v, ok := v.(string); ok {
				refs = []any{v}
			}
			for i, r := range refs {
				if ref, ok := r.(string); ok && strings.HasPrefix(ref, prefix) {
					ref = strings.TrimPrefix(ref, prefix)
					if strings.HasPrefix(k, "state.") && !strings.Contains(names[ref], " of ") {
						names[ref] += fmt.Sprintf(" of %s %s %d", names[id], k, i)
					}
				}
			}
		}
	}
}

func compare(t *testing.T, what string, got, want map[string]any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if !reflect.DeepEqual(got[k], want[k]) {
			g, _ := json.Marshal(got[k])
			w, _ := json.Marshal(want[k])
			t.Errorf("%s: %s:\ngot  %s\nwant %s", what, k, g, w)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: %s is more than ipywidgets sends: %v", what, k, got[k])
		}
	}
}

// Every widget says what the ipywidgets of testdata/ipywidgets.json have said.
func TestProtocol(t *testing.T) {
	cases := recordings(t)
	for name := range cases {
		if made[name] == nil && name != "control" && name != "view" && name != "unknown target" {
			t.Errorf("the recorded %s is not tested", name)
		}
	}
	for name, mk := range made {
		t.Run(name, func(t *testing.T) {
			want, ok := cases[name]
			if !ok {
				t.Fatal("it is not recorded")
			}
			r := newRecorder(t)
			w := mk()
			gotNames, wantNames := map[string]string{}, map[string]string{}
			check := func(what string, got, want []sent) {
				t.Helper()
				g, v := final(got), final(want)
				naming(g, gotNames)
				naming(v, wantNames)
				g, v = canonical(g, gotNames), canonical(v, wantNames)
				if strings.HasSuffix(what, "close()") { // its parts are closed with it: nobody else has them
					for k := range g {
						if strings.Contains(k, " of ") {
							delete(g, k)
						}
					}
				}
				compare(t, what, g, v)
			}
			check("open", r.take(), want.Open)
			for _, s := range want.Steps {
				switch do := s.Do.(type) {
				case string:
					f := done[name+" "+do]
					if f == nil {
						t.Fatalf("nothing stands for %q", do)
					}
					f(w)
				default:
					raw, _ := json.Marshal(do)
					comm.Receive(5, comm.Message{Op: "msg", ID: w.ModelID(), Data: raw})
				}
				got := r.take()
				check(fmt.Sprint(s.Do), got, s.Get)
				if len(s.Get) > 0 && len(got) > 0 && fmt.Sprint(got[0].Content["data"].(map[string]any)["method"]) != fmt.Sprint(s.Get[0].Content["data"].(map[string]any)["method"]) {
					t.Errorf("%v: method %v, want %v", s.Do, got[0].Content, s.Get[0].Content)
				}
			}
			for _, l := range r.log {
				t.Error(l)
			}
		})
	}
}

// A page that is loaded anew asks for everything on a control comm.
func TestControl(t *testing.T) {
	want := recordings(t)["control"]
	r := newRecorder(t)
	Label("a")
	r.take()
	control := strings.Repeat("f", 32)
	comm.Receive(5, comm.Message{Op: "open", ID: control, Target: controlTarget, Metadata: json.RawMessage(`{"version":"1.0.0"}`)})
	if got := r.take(); len(got) != len(want.Open) {
		t.Errorf("open: %v", got)
	}
	comm.Receive(5, comm.Message{Op: "msg", ID: control, Data: json.RawMessage(`{"method":"request_states"}`)})
	got := r.take()
	if len(got) != 1 || got[0].Content["comm_id"] != control {
		t.Fatalf("%v", got)
	}
	flat := func(s sent) map[string]any {
		data := s.Content["data"].(map[string]any)
		out := map[string]any{"method": data["method"], "buffer_paths": data["buffer_paths"]}
		for _, m := range data["states"].(map[string]any) {
			m := m.(map[string]any)
			state := m["state"].(map[string]any)
			for k, v := range state {
				if s, ok := v.(string); ok && strings.HasPrefix(s, prefix) {
					state[k] = "a reference"
				}
			}
			out[m["model_name"].(string)] = m
		}
		return out
	}
	compare(t, "request_states", flat(got[0]), flat(want.Steps[0].Get[0]))

	comm.Receive(5, comm.Message{Op: "open", ID: strings.Repeat("e", 32), Target: controlTarget, Metadata: json.RawMessage(`{"version":"2.0.0"}`)})
	if got := r.take(); len(got) != 1 || got[0].Type != "comm_close" {
		t.Errorf("another version: %v", got)
	}
}

func TestView(t *testing.T) {
	want := recordings(t)["view"].Open
	newRecorder(t)
	w := Label("a")
	data := display.Render(w).Data
	view := data["application/vnd.jupyter.widget-view+json"].(map[string]any)
	wantView := want[len(want)-1].Content["data"].(map[string]any)["application/vnd.jupyter.widget-view+json"].(map[string]any)
	if view["model_id"] != w.ModelID() || fmt.Sprint(view["version_major"], view["version_minor"]) != fmt.Sprint(wantView["version_major"], wantView["version_minor"]) || len(view) != len(wantView) {
		t.Errorf("%v, want %v", view, wantView)
	}
	if data["text/plain"] != `Label{value: "a"}` {
		t.Errorf("%q", data["text/plain"])
	}
}
