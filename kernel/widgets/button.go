package widgets

import (
	"encoding/json"

	"example.org/godp/kernel/comm"
)

// PushButton is a button that is clicked.
type PushButton struct {
	base
	handlers []clickHandler
}

type clickHandler struct {
	owner uint64
	f     func()
}

// Button is a button with a text on it.
func Button(text string, options ...Option) *PushButton {
	w := &PushButton{base: base{build(button, nil, attrs{"description": text}, options)}}
	w.m.onCustom = func(parent uint64, content json.RawMessage) {
		var c struct {
			Event string `json:"event"`
		}
		if json.Unmarshal(content, &c) != nil || c.Event != "click" {
			comm.Log("widgets: a client's message for a Button is no click: " + clip(string(content), 60))
			return
		}
		w.click(parent)
	}
	return w
}

// click runs the handlers. mu is held.
func (w *PushButton) click(parent uint64) {
	for _, h := range w.handlers {
		comm.Post(&comm.Task{Parent: parent, Owner: h.owner, Run: h.f})
	}
}

// OnClick calls f for every click, see the package comment for when.
func (w *PushButton) OnClick(f func()) {
	if f == nil {
		fail("Button: OnClick: the function is nil")
	}
	mu.Lock()
	defer mu.Unlock()
	w.handlers = append(w.handlers, clickHandler{comm.Owner(), f})
}

// Click is a click by the program.
func (w *PushButton) Click() {
	mu.Lock()
	defer mu.Unlock()
	w.click(comm.Owner())
}
