package widgets

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.org/godp/kernel/comm"
)

// mu guards all models. It is held while their messages are sent, so that clients see the changes in their order.
var mu sync.Mutex

// models are the open ones, by id, which is that of their comm; order is that of their opening.
var (
	models = map[string]*model{}
	order  []*model
)

// model is the kernel's half of a widget: attributes that are the same on both sides.
type model struct {
	class *class
	id    string
	state map[string]any
	comm  *comm.Comm
	gone  bool

	check    func(m *model, attr string, v any) error // of a value of the right kind
	watches  []*watch
	links    []func(parent uint64) // told of every change, with mu held
	onCustom func(parent uint64, content json.RawMessage)
	parts    []*model // its layout and style
}

// watch is a handler of changes.
type watch struct {
	attr    string
	owner   uint64 // whose output it makes
	waiting bool   // it will run, and then see the newest value
	run     func()
}

// fail panics with an error of this package.
func fail(format string, a ...any) { panic(fmt.Errorf("widgets."+format, a...)) }

// newModel makes a model with a class's defaults; open makes it known.
func newModel(c *class) *model {
	m := &model{class: c, state: map[string]any{}}
	for name, a := range c.attrs {
		m.state[name] = a.value
	}
	return m
}

// set changes an attribute of a model that is not open yet, or with mu held.
func (m *model) set(attr string, v any) {
	if _, ok := m.class.attrs[attr]; !ok {
		fail("%s: it has no %s", m.class.name, attr)
	}
	m.state[attr] = v
}

// open makes the model known to the clients.
func (m *model) open() {
	names := slices.Sorted(maps.Keys(m.state))
	slices.SortStableFunc(names, func(a, b string) int { return btoi(b == m.class.value) - btoi(a == m.class.value) })
	for _, name := range names { // the value first: if it is wrong that is what to say
		if err := m.checked(name, m.state[name]); err != nil {
			fail("%s: %s: %v", m.class.name, name, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	data := message{"state": m.encoded(), "buffer_paths": []any{}}
	c, err := comm.Open(widgetTarget, data.json(), message{"version": protocolVersion}.json(), nil, m.receive, m.closed)
	if err != nil {
		fail("%s: %v", m.class.name, err)
	}
	m.comm, m.id = c, c.ID()
	models[m.id] = m
	order = append(order, m)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// message is a JSON object.
type message map[string]any

func (m message) json() json.RawMessage {
	raw, err := json.Marshal(m)
	if err != nil { // only values that encode are ever put in
		panic(fmt.Errorf("widgets: %w", err))
	}
	return raw
}

// encoded is the state, or of it the attributes named, for the wire.
func (m *model) encoded(attrs ...string) message {
	out := message{}
	if len(attrs) == 0 {
		attrs = slices.Collect(maps.Keys(m.state))
	}
	for _, a := range attrs {
		out[a] = encode(m.state[a])
	}
	return out
}

func (m *model) checked(attr string, v any) error {
	if m.check == nil {
		return nil
	}
	return m.check(m, attr, v)
}

// change sets attributes from the kernel's side, sends those that differ and tells who watches them.
func (m *model) change(parent uint64, values map[string]any) error {
	before := map[string]any{}
	var changed []string
	for _, a := range slices.Sorted(maps.Keys(values)) {
		if !equal(m.state[a], values[a]) {
			before[a] = m.state[a]
			changed = append(changed, a)
			m.state[a] = values[a]
		}
	}
	for _, a := range slices.Sorted(maps.Keys(values)) {
		if err := m.checked(a, values[a]); err != nil {
			maps.Copy(m.state, before)
			return fmt.Errorf("%s: %w", a, err)
		}
	}
	if len(changed) > 0 {
		m.send(parent, "update", m.encoded(changed...))
		m.tell(parent, changed)
	}
	return nil
}

func (m *model) send(parent uint64, method string, state message) {
	if m.gone || m.comm == nil {
		return
	}
	if err := m.comm.Send(parent, message{"method": method, "state": state, "buffer_paths": []any{}}.json(), nil, nil); err != nil {
		comm.Log(fmt.Sprintf("widgets: %s: %v", m.class.name, err))
	}
}

// tell informs links and handlers of changes. mu is held.
func (m *model) tell(parent uint64, attrs []string) {
	for _, l := range m.links {
		l(parent)
	}
	for _, w := range m.watches {
		if !w.waiting && slices.Contains(attrs, w.attr) {
			w.waiting = true
			if parent == 0 {
				parent = comm.Owner()
			}
			comm.Post(&comm.Task{Parent: parent, Owner: w.owner, Run: w.run})
		}
	}
}

// watch calls f, between cells, after changes of attr. get reads with mu held what f is given.
func watchAttr[T any](m *model, attr string, get func() T, f func(T)) {
	if f == nil {
		fail("%s: OnChange: the function is nil", m.class.name)
	}
	w := &watch{attr: attr, owner: comm.Owner()}
	w.run = func() {
		mu.Lock()
		w.waiting = false
		v := get()
		mu.Unlock()
		f(v)
	}
	mu.Lock()
	defer mu.Unlock()
	m.watches = append(m.watches, w)
}

// receive handles a message of a client.
func (m *model) receive(parent uint64, in comm.Message) {
	var c struct {
		Method  string                     `json:"method"`
		State   map[string]json.RawMessage `json:"state"`
		Paths   []json.RawMessage          `json:"buffer_paths"`
		Content json.RawMessage            `json:"content"`
	}
	problem := func(format string, a ...any) {
		comm.Log(fmt.Sprintf("widgets: a client's message for %s %s: %s", m.class.name, m.id, fmt.Sprintf(format, a...)))
	}
	if err := json.Unmarshal(in.Data, &c); err != nil {
		problem("its data is no object of the widget protocol: %v", err)
		return
	}
	mu.Lock()
	defer mu.Unlock()
	switch c.Method {
	case "update":
		if len(c.Paths) > 0 {
			problem("%d buffers were sent along, which none of its attributes takes", len(c.Paths))
			return
		}
		m.update(parent, c.State, problem)
	case "request_state":
		m.send(parent, "update", m.encoded())
	case "custom":
		if m.onCustom != nil {
			m.onCustom(parent, c.Content)
		}
	default:
		problem("unknown method %q", clip(c.Method, 60))
	}
}

// update takes over what a client has changed, as far as it is right. For the rest the client is sent what is so.
func (m *model) update(parent uint64, state map[string]json.RawMessage, problem func(string, ...any)) {
	echo, wrong := message{}, []string(nil)
	var changed []string
	before := map[string]any{}
	values := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		a, ok := m.class.attrs[name]
		if !ok {
			problem("there is no attribute %q", clip(name, 60))
			continue
		}
		v, err := a.kind.decode(state[name])
		if err != nil {
			problem("%s: %v", name, err)
			wrong = append(wrong, name)
			continue
		}
		values[name], before[name] = v, m.state[name]
		m.state[name] = v // others may depend on it
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := m.checked(name, values[name]); err != nil {
			problem("%s: %v", name, err)
			wrong = append(wrong, name)
			m.state[name] = before[name]
			continue
		}
		echo[name] = state[name]
		if !equal(before[name], values[name]) {
			changed = append(changed, name)
		}
	}
	if len(echo) > 0 {
		m.send(parent, "echo_update", echo)
	}
	if len(wrong) > 0 {
		m.send(parent, "update", m.encoded(wrong...))
	}
	if len(changed) > 0 {
		m.tell(parent, changed)
	}
}

// closed is told that a client has closed the comm.
func (m *model) closed(uint64, comm.Message) {
	mu.Lock()
	defer mu.Unlock()
	m.forget()
}

func (m *model) forget() {
	m.gone = true
	delete(models, m.id)
	order = slices.DeleteFunc(order, func(x *model) bool { return x == m })
}

// close takes the model and its parts off the page.
func (m *model) close() {
	if m.gone {
		return
	}
	m.forget()
	m.comm.Close(0, nil)
	for _, p := range m.parts {
		p.close()
	}
}

// String is the model as Go text: its name and what differs from the defaults.
func (m *model) String() string {
	var args []string
	for _, a := range slices.Sorted(maps.Keys(m.state)) {
		if d := m.class.attrs[a]; strings.HasPrefix(a, "_") && a != "_options_labels" || d.kind == reference || equal(d.value, m.state[a]) {
			continue
		}
		switch v := m.state[a].(type) {
		case []*model:
			args = append(args, fmt.Sprintf("%s: %d widgets", a, len(v)))
		case string:
			args = append(args, fmt.Sprintf("%s: %q", strings.TrimPrefix(a, "_"), v))
		case json.RawMessage:
		default:
			args = append(args, fmt.Sprintf("%s: %v", strings.TrimPrefix(a, "_"), v))
		}
	}
	return m.class.name + "{" + strings.Join(args, ", ") + "}"
}
