package widgets

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.org/godp/kernel/comm"
)

func init() {
	comm.Register(controlTarget, openControl)
	comm.Register(widgetTarget, openForeign)
}

// openControl serves the comm on which a page that is loaded anew asks for all models.
func openControl(parent uint64, c *comm.Comm, in comm.Message) {
	if v := version(in); v != "" && major(v) != major(controlVersion) {
		comm.Log(fmt.Sprintf("widgets: a client speaks version %q of the control protocol, this kernel %s", clip(v, 20), controlVersion))
		c.Close(parent, nil)
		return
	}
	c.On(func(parent uint64, in comm.Message) {
		var d struct {
			Method string `json:"method"`
		}
		if err := json.Unmarshal(in.Data, &d); err != nil || d.Method != "request_states" {
			comm.Log(fmt.Sprintf("widgets: a client's control message has the unknown method %q", clip(d.Method, 60)))
			return
		}
		mu.Lock()
		defer mu.Unlock()
		states := message{}
		for _, m := range order {
			states[m.id] = message{"model_name": m.state["_model_name"], "model_module": m.state["_model_module"],
				"model_module_version": m.state["_model_module_version"], "state": m.encoded()}
		}
		c.Send(parent, message{"method": "update_states", "states": states, "buffer_paths": []any{}}.json(), nil, nil)
	}, nil)
}

// openForeign takes a model that a client has made. Its state is kept, so that another page can ask for it.
func openForeign(parent uint64, c *comm.Comm, in comm.Message) {
	refuse := func(format string, a ...any) {
		comm.Log("widgets: a client's model is refused: " + fmt.Sprintf(format, a...))
		c.Close(parent, nil)
	}
	if v := version(in); major(v) != major(protocolVersion) {
		refuse("it speaks version %q of the widget protocol, this kernel %s", clip(v, 20), protocolVersion)
		return
	}
	var d struct {
		State map[string]json.RawMessage `json:"state"`
		Paths []json.RawMessage          `json:"buffer_paths"`
	}
	if err := json.Unmarshal(in.Data, &d); err != nil {
		refuse("its data is no object with a state: %v", err)
		return
	}
	if len(d.Paths) > 0 {
		refuse("it has %d buffers, which are kept for models of the kernel only", len(d.Paths))
		return
	}
	cl := &class{name: "model of a client", attrs: map[string]attr{}}
	m := &model{class: cl, id: c.ID(), comm: c, state: map[string]any{}}
	for name, raw := range d.State {
		cl.attrs[name] = attr{kind: anything}
		m.state[name] = raw
	}
	for _, name := range []string{"_model_name", "_model_module", "_model_module_version"} {
		var s string
		if json.Unmarshal(d.State[name], &s) != nil || s == "" {
			refuse("its state has no %s", name)
			return
		}
	}
	c.On(m.receive, m.closed)
	mu.Lock()
	defer mu.Unlock()
	models[m.id] = m
	order = append(order, m)
}

func version(in comm.Message) string {
	var m struct {
		Version string `json:"version"`
	}
	json.Unmarshal(in.Metadata, &m) // absent: ""
	return m.Version
}

func major(version string) string {
	s, _, _ := strings.Cut(version, ".")
	return s
}
