package display

import (
	"encoding/json"
	"errors"
	goimage "image"
	"math"
	"strings"
	"testing"
	"time"
)

// capture collects the events that f makes.
func capture(t *testing.T, f func()) []Event {
	t.Helper()
	var events []Event
	old := SetSink(func(e Event) { events = append(events, e) })
	defer SetSink(old)
	f()
	return events
}

func TestBasicTypes(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\nrest"
	for _, c := range []struct {
		name, mime string
		f          func() *Handle
		want       any
	}{
		{"HTML", "text/html", func() *Handle { return HTML("<b>x</b>") }, "<b>x</b>"},
		{"Markdown", "text/markdown", func() *Handle { return Markdown("# x") }, "# x"},
		{"Math", "text/latex", func() *Handle { return Math(`e^x`) }, "$$e^x$$"},
		{"Math with delimiters", "text/latex", func() *Handle { return Math(`$e^x$`) }, "$e^x$"},
		{"SVG", "image/svg+xml", func() *Handle { return SVG("<svg/>") }, "<svg/>"},
		{"JavaScript", "application/javascript", func() *Handle { return JavaScript("1") }, "1"},
		{"Text", "text/plain", func() *Handle { return Text("x") }, "x"},
		{"PNG", "image/png", func() *Handle { return PNG([]byte(png)) }, png},
		{"JPEG", "image/jpeg", func() *Handle { return JPEG([]byte("\xff\xd8\xff\xe0")) }, "\xff\xd8\xff\xe0"},
		{"GIF", "image/gif", func() *Handle { return GIF([]byte("GIF89a")) }, "GIF89a"},
		{"JSON", "application/json", func() *Handle { return JSON(map[string]int{"a": 1}) }, `{"a":1}`},
		{"JSON of a string", "application/json", func() *Handle { return JSON("héllo") }, `"héllo"`},
		{"VegaLite", "application/vnd.vegalite.v5+json", func() *Handle { return VegaLite(`{"mark":"bar"}`) }, `{"mark":"bar"}`},
	} {
		var h *Handle
		es := capture(t, func() { h = c.f() })
		if len(es) != 1 || es[0].Kind != KindDisplay {
			t.Errorf("%s: events %+v, want one display_data", c.name, es)
			continue
		}
		b := es[0].Bundle
		got := b.Data[c.mime]
		switch x := got.(type) {
		case []byte:
			got = string(x)
		case json.RawMessage:
			got = string(x)
		}
		if got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.name, c.mime, got, c.want)
		}
		if _, ok := b.Data["text/plain"].(string); !ok {
			t.Errorf("%s: no text/plain", c.name)
		}
		if h.ID() == "" || b.Transient["display_id"] != h.ID() || es[0].ID != h.ID() {
			t.Errorf("%s: display_id %v, handle %q", c.name, b.Transient["display_id"], h.ID())
		}
	}
}

func TestUpdateKeepsTheKind(t *testing.T) {
	var h *Handle
	es := capture(t, func() {
		h = HTML("<i>a</i>")
		h.Update("<i>b</i>")
		h.Update(3)
	})
	if len(es) != 3 || es[1].Kind != KindUpdate || es[1].Bundle.Data["text/html"] != "<i>b</i>" || es[1].ID != h.ID() {
		t.Fatalf("events %+v", es)
	}
	if d := es[2].Bundle.Data; d["text/plain"] != "3" || d["text/html"] != nil {
		t.Errorf("Update(3) shows %v", d)
	}
}

func TestClear(t *testing.T) {
	es := capture(t, func() { Clear(true); Clear(false) })
	if len(es) != 2 || es[0].Kind != KindClear || !es[0].Wait || es[1].Wait {
		t.Errorf("events %+v", es)
	}
}

func TestWrongData(t *testing.T) {
	for name, c := range map[string]struct {
		f    func()
		want string
	}{
		"PNG":      {func() { PNG([]byte("GIF89a")) }, "are not a PNG file"},
		"empty":    {func() { JPEG(nil) }, "the 0 bytes given are not a JPEG file"},
		"JSON":     {func() { JSON(math.NaN()) }, "cannot be written as JSON"},
		"VegaLite": {func() { VegaLite("{") }, "display.VegaLite: not JSON"},
	} {
		es := capture(t, func() {
			p := try(c.f)
			if err, ok := p.(error); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: panicked with %v, want an error with %q", name, p, c.want)
			}
		})
		if len(es) != 0 {
			t.Errorf("%s: something was displayed: %+v", name, es)
		}
	}
}

type shown struct{ n int }

func (shown) HTML() string         { return "<hr>" }
func (shown) Markdown() string     { return "**m**" }
func (shown) SVG() string          { return "<svg/>" }
func (shown) PNG() []byte          { return []byte("p") }
func (shown) LaTeX() string        { return "$x$" }
func (shown) MIME() map[string]any { return map[string]any{"application/x": 1} }

type broken struct{ A int }

func (*broken) HTML() string { panic("out of order") }

func TestRender(t *testing.T) {
	d := Render(shown{7}).Data
	for k, want := range map[string]string{"text/html": "<hr>", "text/markdown": "**m**", "image/svg+xml": "<svg/>", "text/latex": "$x$", "text/plain": "{n:7}"} {
		if d[k] != want {
			t.Errorf("%s is %v, want %q", k, d[k], want)
		}
	}
	if string(d["image/png"].([]byte)) != "p" || d["application/x"] != 1 {
		t.Errorf("data %v", d)
	}
	b := Render(&broken{1})
	if !strings.HasPrefix(b.Text(), "&{A:1}\n") || !strings.Contains(b.Text(), "out of order") || b.Data["text/html"] != nil {
		t.Errorf("a method that panics: %v", b.Data)
	}
	if b := Render((*broken)(nil)); b.Text() != "<nil>" || len(b.Data) != 1 {
		t.Errorf("nil pointer: %v", b.Data)
	}
	if b := Render(goimage.NewGray(goimage.Rect(0, 0, 3, 2))); b.Data["image/png"] == nil || b.Text() != "[image, (3,2)]" {
		t.Errorf("image: %v", b.Data)
	}
	if b := Render(&Handle{}); len(b.Data) != 0 {
		t.Errorf("handle: %v", b.Data)
	}
	if b := Render(Bundle{Data: map[string]any{"text/html": "x"}}); b.Text() != "[text/html]" || b.Data["text/html"] != "x" {
		t.Errorf("bundle: %v", b.Data)
	}
}

type registered struct{ n int }

func TestRegister(t *testing.T) {
	Register(func(v any) (Bundle, bool) {
		r, ok := v.(registered)
		if ok && r.n < 0 {
			panic("negative")
		}
		return Bundle{Data: map[string]any{"text/html": "one"}}, ok
	})
	if b := Render(registered{1}); b.Data["text/html"] != "one" || b.Text() != "{n:1}" {
		t.Errorf("rendered %v", b.Data)
	}
	if b := Render(registered{-1}); !strings.Contains(b.Text(), "negative") {
		t.Errorf("a renderer that panics: %v", b.Data)
	}
	Register(func(v any) (Bundle, bool) {
		_, ok := v.(registered)
		return Bundle{Data: map[string]any{"text/plain": "two"}}, ok
	})
	if b := Render(registered{1}); b.Text() != "two" {
		t.Errorf("the last renderer is not asked first: %v", b.Data)
	}
}

func TestInputWithoutFrontEnd(t *testing.T) {
	if _, err := Input("name: "); err == nil || !strings.Contains(err.Error(), "nobody can be asked") {
		t.Errorf("error %v", err)
	}
	SetAsker(func(p string, pw bool) (string, error) {
		if pw {
			return "", errors.New("no")
		}
		return p + "!", nil
	})
	defer SetAsker(nil)
	if s, err := Input("x"); s != "x!" || err != nil {
		t.Errorf("Input: %q, %v", s, err)
	}
	if _, err := Password("x"); err == nil {
		t.Error("Password: no error")
	}
}

func TestProgress(t *testing.T) {
	es := capture(t, func() {
		outer := Progress(2, "outer <b>")
		for range Range(1000, "inner") {
		}
		outer.Add(1)
		EndCell(true) // an interrupt
		outer.Add(1)  // ignored: it has ended
	})
	for _, e := range es {
		if h, _ := e.Bundle.Data["text/html"].(string); strings.Contains(h, "<b>") {
			t.Errorf("label not escaped: %s", h)
		}
	}
	if len(es) > 10 { // 1000 steps in no time: first and last state only
		t.Errorf("%d events for 1000 quick steps", len(es))
	}
	last := es[len(es)-1].Bundle.Text()
	if !strings.Contains(last, "50% |") || !strings.Contains(last, "1/2") || !strings.Contains(last, "stopped") {
		t.Errorf("interrupted bar ends as %q", last)
	}
	inner := es[len(es)-2].Bundle.Text()
	if !strings.HasPrefix(inner, "  inner 100%") || strings.Contains(inner, "stopped") {
		t.Errorf("finished inner bar ends as %q", inner)
	}
	if n := len(bars.live); n != 0 {
		t.Errorf("%d bars left", n)
	}
	// Inner bars take the same place one after the other, as long as the outer one runs.
	es = capture(t, func() {
		for range Range(50, "outer") {
			for range Range(2, "inner") {
				for range Range(1, "innermost") {
				}
			}
		}
		for range Range(1, "after") {
		}
	})
	ids := map[string]bool{}
	for _, e := range es {
		if e.Kind == KindDisplay {
			ids[e.ID] = true
		}
	}
	if len(ids) != 4 {
		t.Errorf("bars take %d places, want 4", len(ids))
	}
	es = capture(t, func() {
		for i := range Range(10) {
			if i == 3 {
				break
			}
		}
	})
	if last := es[len(es)-1].Bundle.Text(); !strings.Contains(last, "3/10") || !strings.Contains(last, "stopped") {
		t.Errorf("broken off: %q", last)
	}
	es = capture(t, func() { Progress(0).Add(5); EndCell(false) })
	if last := es[len(es)-1].Bundle.Text(); !strings.HasPrefix(last, "5 [") {
		t.Errorf("unknown total: %q", last)
	}
	EndCell(true)
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0:00", 61 * time.Second: "1:01", 3661 * time.Second: "1:01:01"} {
		if got := duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestHTMLAsText(t *testing.T) {
	for h, want := range map[string]string{
		"<b>x</b> &lt; 1":                    "x  < 1",
		"<p>one</p>\n\n<p>two<br>three</p>":  "one\ntwo\nthree",
		"<script>alert(1)</script><i></i>":   "[HTML]",
		"<style>p {}</style>text<!-- no -->": "text",
		"1 < 2":                              "1 < 2",
	} {
		if got := htmlText(h); got != want {
			t.Errorf("%q: %q, want %q", h, got, want)
		}
	}
}
