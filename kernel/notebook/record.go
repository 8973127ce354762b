package notebook

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"

	"example.org/godp/kernel/worker/protocol"
)

// recorder turns what a worker sends into the outputs of cells, and prints their text as it comes.
type recorder struct {
	stdout, stderr io.Writer
	colour, live   bool

	cell      *Cell
	byID      map[string][]Output // displays that can be updated, in all cells
	clearNext bool                // clear_output(wait) is pending
	changed   map[string]string   // displays updated since they were printed
	order     []string            // their ids, in order of first change
	newline   bool                // the last text printed ended a line
	last      string              // id of the display whose one line is the last thing printed, "" for none

	label   func(n int) string                           // what stands before the value of cell n; may be nil
	picture func(mime string, data []byte) (text string) // what is printed instead of a picture's text; may be nil
}

func newRecorder(o Options) *recorder {
	return &recorder{stdout: o.Stdout, stderr: o.Stderr, colour: o.Colour, live: o.Live, byID: map[string][]Output{}, changed: map[string]string{}, newline: true}
}

func (r *recorder) begin(c *Cell, n int) {
	r.cell, r.clearNext = c, false
	c.Count, c.Outputs = n, []Output{}
}

// end prints the last state of the displays that were updated in the cell.
func (r *recorder) end() {
	for _, id := range r.order {
		r.print(r.stdout, strings.TrimRight(r.changed[id], "\n")+"\n", true)
	}
	r.order, r.changed = nil, map[string]string{}
	r.finishLine()
}

func (r *recorder) finishLine() {
	if !r.newline {
		r.print(r.stdout, "\n", false)
	}
}

// print writes text, on a line of its own if it is not part of a stream.
func (r *recorder) print(w io.Writer, s string, ownLine bool) {
	if s == "" {
		return
	}
	if ownLine && !r.newline {
		s = "\n" + s
	}
	if !r.colour {
		s = stripANSI(s)
	}
	io.WriteString(w, s)
	r.newline, r.last = strings.HasSuffix(s, "\n"), ""
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

func stripANSI(s string) string { return ansi.ReplaceAllString(s, "") }

func (r *recorder) add(o Output) {
	if r.clearNext {
		r.cell.Outputs, r.clearNext = []Output{}, false
	}
	r.cell.Outputs = append(r.cell.Outputs, o)
}

func (r *recorder) message(m protocol.Message) {
	switch m := m.(type) {
	case *protocol.Stream:
		r.stream(m.Name, string(m.Text))
	case *protocol.Display:
		r.display(m)
	case *protocol.Result:
		o := bundle("execute_result", m.Bundle)
		o["execution_count"] = r.cell.Count
		r.add(o)
		if r.label != nil {
			r.finishLine()
			r.print(r.stdout, r.label(r.cell.Count), false)
			r.newline = true
		}
		r.printBundle(o)
	case *protocol.Clear:
		if r.clearNext = m.Wait; !m.Wait {
			r.cell.Outputs = []Output{}
		}
	case *protocol.Error:
		r.fail(&m.Failure)
	}
}

func (r *recorder) stream(name, text string) {
	// What came in two pieces may have been cut inside a character; joining them makes it whole again.
	if n := len(r.cell.Outputs); n > 0 && !r.clearNext && r.cell.Outputs[n-1]["output_type"] == "stream" && r.cell.Outputs[n-1]["name"] == name {
		last := r.cell.Outputs[n-1]
		last["text"] = last["text"].(string) + text
	} else {
		r.add(Output{"output_type": "stream", "name": name, "text": text})
	}
	w := r.stdout
	if name == protocol.Stderr {
		w = r.stderr
	}
	r.print(w, text, false)
}

func (r *recorder) display(m *protocol.Display) {
	o := bundle("display_data", m.Bundle)
	var transient struct {
		ID string `json:"display_id"`
	}
	json.Unmarshal(m.Transient, &transient)
	id := transient.ID
	if !m.Update {
		r.add(o)
		if id != "" {
			r.byID[id] = append(r.byID[id], o)
		}
		r.printBundle(o)
		if text, ok := plain(o); ok && id != "" && oneLine(text) {
			r.last = id
		}
		return
	}
	for _, old := range r.byID[id] {
		old["data"], old["metadata"] = o["data"], o["metadata"]
	}
	if text, ok := plain(o); ok {
		if r.live && id != "" && r.last == id && oneLine(text) { // a terminal, and it can be written over: a progress bar moves
			io.WriteString(r.stdout, "\x1b[1A\x1b[2K"+stripANSI(text)+"\n")
			return
		}
		if _, again := r.changed[id]; !again {
			r.order = append(r.order, id)
		}
		r.changed[id] = text
	}
}

// oneLine reports whether text takes one line of a terminal, as far as can be known.
func oneLine(text string) bool {
	return text != "" && len([]rune(text)) < 80 && !strings.Contains(text, "\n")
}

func (r *recorder) fail(f *protocol.Failure) {
	tb := f.Traceback
	if tb == nil {
		tb = []string{}
	}
	r.add(Output{"output_type": "error", "ename": f.Name, "evalue": f.Value, "traceback": tb})
	text := strings.Join(tb, "\n")
	if strings.TrimSpace(stripANSI(text)) == "" {
		text = fmt.Sprintf("%s: %s", f.Name, f.Value)
	}
	r.print(r.stderr, strings.TrimRight(text, "\n")+"\n", true)
}

func (r *recorder) printBundle(o Output) {
	if r.picture != nil {
		if text := r.pictureText(o["data"].(map[string]any)); text != "" {
			r.print(r.stdout, strings.TrimRight(text, "\n")+"\n", true)
			return
		}
	}
	if text, ok := plain(o); ok {
		r.print(r.stdout, strings.TrimRight(text, "\n")+"\n", true)
	}
}

// pictureText is what picture makes of the first picture among data, "" if there is none.
func (r *recorder) pictureText(data map[string]any) string {
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/svg+xml"} {
		s, ok := data[mime].(string)
		if !ok {
			continue
		}
		b := []byte(s)
		if mime != "image/svg+xml" {
			var err error
			if b, err = base64.StdEncoding.DecodeString(s); err != nil {
				continue
			}
		}
		return r.picture(mime, b)
	}
	return ""
}

func plain(o Output) (string, bool) {
	s, ok := o["data"].(map[string]any)["text/plain"].(string)
	return s, ok
}

// bundle decodes a bundle as nbformat keeps it.
func bundle(kind string, b protocol.Bundle) Output {
	return Output{"output_type": kind, "data": object(b.Data), "metadata": object(b.Metadata)}
}

func object(raw json.RawMessage) map[string]any {
	var fields map[string]json.RawMessage
	json.Unmarshal(raw, &fields) // absent: empty
	m := map[string]any{}
	for k, v := range fields {
		var s string
		if json.Unmarshal(v, &s) == nil {
			m[k] = s
		} else {
			m[k] = v // as it is: numbers keep their digits
		}
	}
	return maps.Clone(m)
}
