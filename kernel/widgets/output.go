package widgets

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.org/godp/kernel/comm"
	"example.org/godp/kernel/display"
)

// OutputArea is a place for what functions print and show, in a box or on its own. It keeps its outputs itself, so they are there
// again when the page is loaded anew, and in a notebook that is saved with its widgets.
type OutputArea struct {
	base
	owner uint64
	run   func(f func())

	sending sync.Mutex // one at a time sends the outputs, in order

	mu        sync.Mutex // never held while anything is sent
	list      []message
	staged    []message // of the run under way: one by one they replace those of list, and at its end all
	staging   bool
	clearNext bool // at the next output
	text      int  // bytes of text in the list that is being added to
	dropped   int  // bytes of text that were not taken
	dirty     bool
	timer     *time.Timer
}

const (
	outputDelay = 50 * time.Millisecond  // outputs are gathered for so long before they are sent
	stagedDelay = 250 * time.Millisecond // a run that is quicker is shown at its end, at once
	outputLimit = 1 << 20                // bytes of text that an area takes: all of it is sent at every change
)

// Output is a place for what functions print and show.
func Output(options ...Option) *OutputArea {
	w := &OutputArea{base: base{build(output, nil, attrs{"outputs": json.RawMessage("[]")}, options)}, owner: comm.Owner()}
	w.run, _ = comm.Capture(func(e any) bool { return w.take(e.(display.Event)) })
	return w
}

// Run calls f; what it and the goroutines it starts print and show goes into the area.
func (w *OutputArea) Run(f func()) {
	defer w.send()
	w.run(f)
}

// Show shows values in the area, below what is there.
func (w *OutputArea) Show(values ...any) {
	w.Run(func() { display.Show(values...) })
}

// Clear empties the area. With wait it does so when the next output comes, which avoids flicker.
func (w *OutputArea) Clear(wait bool) {
	w.take(display.Event{Kind: display.KindClear, Wait: wait})
	w.send()
}

// take notes an output, unless it is the update of a display that the area does not have. It may be called with any lock but the area's held.
func (w *OutputArea) take(e display.Event) (taken bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := &w.list
	if w.staging {
		list = &w.staged
	}
	if e.Kind == display.KindClear && e.Wait {
		w.clearNext = true
		return true
	}
	if e.Kind == display.KindClear || w.clearNext && e.Kind != display.KindUpdate {
		*list, w.text, w.dropped, w.clearNext = nil, 0, 0, false
	}
	switch e.Kind {
	case display.KindStream:
		text := e.Text
		if room := outputLimit - w.text; len(text) > room {
			text = clipRunes(text, max2(room, 0))
			w.dropped += len(e.Text) - len(text)
		}
		w.text += len(text)
		if n := len(*list); n > 0 && (*list)[n-1]["output_type"] == "stream" && (*list)[n-1]["name"] == e.Stream {
			(*list)[n-1] = message{"output_type": "stream", "name": e.Stream, "text": (*list)[n-1]["text"].(string) + text}
		} else if text != "" {
			*list = append(*list, message{"output_type": "stream", "name": e.Stream, "text": text})
		}
	case display.KindDisplay:
		*list = append(*list, message{"output_type": "display_data", "data": bundleData(e.Bundle), "metadata": orEmpty(e.Bundle.Metadata), "id": e.ID})
	case display.KindUpdate:
		found := false
		for i, o := range *list {
			if o["id"] == e.ID && e.ID != "" {
				found = true
				(*list)[i] = message{"output_type": "display_data", "data": bundleData(e.Bundle), "metadata": orEmpty(e.Bundle.Metadata), "id": e.ID}
			}
		}
		if !found {
			return false
		}
	}
	w.changed()
	return true
}

// changed sees to it that the outputs are sent soon. w.mu is held.
func (w *OutputArea) changed() {
	w.dirty = true
	if w.timer == nil {
		d := outputDelay
		if w.staging {
			d = stagedDelay
		}
		w.timer = time.AfterFunc(d, w.send)
	}
}

// fail puts an error into the area.
func (w *OutputArea) fail(f *comm.Failure) {
	tb := f.Traceback
	if len(tb) == 0 {
		tb = []string{f.Name + ": " + f.Value}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o := message{"output_type": "error", "ename": f.Name, "evalue": f.Value, "traceback": tb}
	if w.staging {
		w.staged = append(w.staged, o)
	} else {
		w.list = append(w.list, o)
	}
	w.changed()
}

// begin makes what comes next replace what is there: at the end of the run, or, while it is long, one output after the other.
func (w *OutputArea) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.staging, w.staged, w.text, w.dropped, w.clearNext, w.dirty = true, nil, 0, 0, false, false
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

// end ends the run; without keep nothing of it is shown that has not been.
func (w *OutputArea) end(keep bool) {
	w.mu.Lock()
	if !w.staging {
		w.mu.Unlock()
		return
	}
	w.staging = false
	if keep {
		w.list, w.dirty = w.staged, true
	}
	w.staged = nil
	w.mu.Unlock()
	w.send()
}

// send sends the outputs if they have changed.
func (w *OutputArea) send() {
	w.sending.Lock()
	defer w.sending.Unlock()
	w.mu.Lock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if !w.dirty {
		w.mu.Unlock()
		return
	}
	w.dirty = false
	list := slices.Clone(w.list)
	if w.staging { // what the run has not come to yet stays as it is
		list = slices.Concat(w.staged, list[min(len(w.staged), len(list)):])
	}
	dropped := w.dropped
	w.mu.Unlock()

	out := make([]message, 0, len(list)+1)
	for _, o := range list {
		c := message{}
		for k, v := range o {
			if k != "id" {
				c[k] = v
			}
		}
		out = append(out, c)
	}
	if dropped > 0 {
		out = append(out, message{"output_type": "stream", "name": "stderr", "text": fmt.Sprintf("\n[godp: %d bytes more were printed, which are not shown]\n", dropped)})
	}
	raw, err := json.Marshal(out)
	if err != nil { // bundleData leaves only what encodes
		raw, _ = json.Marshal([]message{{"output_type": "stream", "name": "stderr", "text": "[godp: the outputs cannot be shown: " + err.Error() + "]\n"}})
	}
	mu.Lock()
	defer mu.Unlock()
	w.m.change(w.owner, map[string]any{"outputs": json.RawMessage(raw)})
}

// bundleData is a bundle's data as a notebook keeps it. A value without a JSON form is replaced by a remark.
func bundleData(b display.Bundle) message {
	out := message{}
	note := ""
	for k, v := range b.Data {
		raw, err := json.Marshal(v)
		if err != nil {
			note += fmt.Sprintf("\n(%s cannot be shown: %v)", k, err)
			continue
		}
		out[k] = json.RawMessage(raw)
	}
	if note != "" {
		out["text/plain"] = b.Text() + note
	}
	return out
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// clipRunes cuts s to at most n bytes, at the edge of a character.
func clipRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
