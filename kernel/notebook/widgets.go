package notebook

import (
	"encoding/json"
	"strings"

	"example.org/godp/kernel/worker/protocol"
)

// widgetMIME is where the metadata of a notebook keeps the state of its widgets.
const widgetMIME = "application/vnd.jupyter.widget-state+json"

// widgetStates follows the comm messages of a run, so that a page can show the widgets without a kernel.
type widgetStates map[string]*widgetState

type widgetState struct {
	Name    string                     `json:"model_name"`
	Module  string                     `json:"model_module"`
	Version string                     `json:"model_module_version"`
	State   map[string]json.RawMessage `json:"state"`
	Buffers []widgetBuffer             `json:"buffers,omitempty"`
}

type widgetBuffer struct {
	Encoding string          `json:"encoding"`
	Path     json.RawMessage `json:"path"`
	Data     []byte          `json:"data"` // base64 in JSON
}

// message takes note of a comm message of the kernel.
func (ws widgetStates) message(m *protocol.Comm) {
	if m.Op == protocol.CommClose {
		delete(ws, m.CommID)
		return
	}
	var d struct {
		Method string                     `json:"method"`
		State  map[string]json.RawMessage `json:"state"`
		Paths  []json.RawMessage          `json:"buffer_paths"`
	}
	if json.Unmarshal(m.Data, &d) != nil || d.State == nil {
		return
	}
	w := ws[m.CommID]
	switch {
	case m.Op == protocol.CommOpen && m.Target == "jupyter.widget":
		w = &widgetState{State: map[string]json.RawMessage{}}
		ws[m.CommID] = w
	case m.Op == protocol.CommMsg && w != nil && d.Method == "update":
	default:
		return
	}
	for k, v := range d.State {
		w.State[k] = v
	}
	for i, p := range d.Paths {
		if i < len(m.Buffers) {
			b := widgetBuffer{"base64", p, m.Buffers[i]}
			kept := w.Buffers[:0]
			for _, old := range w.Buffers {
				if string(old.Path) != string(p) {
					kept = append(kept, old)
				}
			}
			w.Buffers = append(kept, b)
		}
	}
	for k, to := range map[string]*string{"_model_name": &w.Name, "_model_module": &w.Module, "_model_module_version": &w.Version} {
		json.Unmarshal(w.State[k], to)
	}
}

// setWidgets puts the state of the widgets into the metadata, in place of what was there.
func (nb *Notebook) setWidgets(ws widgetStates) {
	meta := map[string]json.RawMessage{}
	json.Unmarshal(nb.fields["metadata"], &meta)
	if _, had := meta["widgets"]; !had && len(ws) == 0 {
		return
	}
	delete(meta, "widgets")
	models := map[string]*widgetState{}
	for id, w := range ws {
		if w.Name == "" {
			continue
		}
		x := *w
		if w.Name == "LayoutModel" || strings.HasSuffix(w.Name, "StyleModel") { // whose many attributes are null unless they are set
			x.State = map[string]json.RawMessage{}
			for k, v := range w.State {
				if string(v) != "null" {
					x.State[k] = v
				}
			}
		}
		models[id] = &x
	}
	if len(models) > 0 {
		meta["widgets"] = encoded(map[string]any{widgetMIME: map[string]any{"version_major": 2, "version_minor": 0, "state": models}})
	}
	if nb.fields == nil {
		nb.fields = map[string]json.RawMessage{}
	}
	nb.fields["metadata"] = encoded(meta)
}

func encoded(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil { // it is made of valid JSON
		panic(err)
	}
	return raw
}
