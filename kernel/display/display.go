// Package display is what the code in a cell calls to show something richer than text: HTML, Markdown, TeX, images,
// JSON, Vega-Lite charts, tables, progress bars, and displays that are updated in place.
//
// Every function shows its argument at once and returns a [Handle] with which the same place on the page can be
// changed later. [Render] turns any value into a MIME bundle without showing it; it is what the kernel uses for the
// last value of a cell.
//
// What a value contains never becomes markup: tables, text and labels are escaped. Markup comes only from functions
// and methods that say so by their names (HTML, SVG, JavaScript, Markdown).
//
// Outside a kernel the package works too: until [SetSink] is called, displays are written to standard output as text.
package display

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
)

// Bundle is one value in several representations. Data maps a MIME type to a string, to []byte (sent as base64), or
// to anything that encoding/json can encode; a front end shows the richest it knows. Metadata and Transient are those
// of Jupyter's display_data message.
type Bundle struct {
	Data      map[string]any
	Metadata  map[string]any
	Transient map[string]any
}

// Text returns the text/plain representation, or "" where there is none.
func (b Bundle) Text() string {
	s, _ := b.Data["text/plain"].(string)
	return s
}

// Kinds of events, named as the messages of the Jupyter protocol that they become.
const (
	KindDisplay = "display_data"
	KindUpdate  = "update_display_data"
	KindClear   = "clear_output"
	KindStream  = "stream"
)

// Event is one thing that a cell puts on the page. Which fields count depends on Kind: Bundle and ID for display_data
// and update_display_data, Wait for clear_output, Stream ("stdout" or "stderr") and Text for stream.
type Event struct {
	Kind   string
	Bundle Bundle
	Wait   bool
	ID     string
	Stream string
	Text   string
}

// Sink receives events in the order in which the program made them. It is called from any goroutine.
type Sink func(Event)

var sink atomic.Pointer[Sink]

// SetSink installs the receiver of all events and returns the previous one. A nil sink restores the default, which
// writes the text form of displays to standard output.
func SetSink(s Sink) Sink {
	if s == nil {
		s = toStdout
	}
	if old := sink.Swap(&s); old != nil {
		return *old
	}
	return toStdout
}

func emit(e Event) {
	if s := sink.Load(); s != nil {
		(*s)(e)
		return
	}
	toStdout(e)
}

func toStdout(e Event) {
	switch e.Kind {
	case KindDisplay:
		if t := e.Bundle.Text(); t != "" {
			fmt.Fprintln(os.Stdout, strings.TrimRight(t, "\n"))
		}
	case KindStream:
		if e.Stream == "stderr" {
			fmt.Fprint(os.Stderr, e.Text)
		} else {
			fmt.Fprint(os.Stdout, e.Text)
		}
	}
}

// Handle is a place on the page that shows something and can show something else later, also from another goroutine
// and after the cell that made it has ended.
type Handle struct {
	id      string
	wrap    func(string) Bundle // how Update shows a plain string; nil: as text
	picture func([]byte) Bundle // how Update shows bytes; nil: as text
}

// ID is the display_id of the protocol: unique in the session.
func (h *Handle) ID() string { return h.id }

// Update replaces what the handle shows. A string, or bytes in the case of an image, is shown as the handle's first content
// was (HTML stays HTML, PNG stays PNG); any other value is shown as [Render] shows it.
func (h *Handle) Update(v any) {
	var b Bundle
	switch x := v.(type) {
	case string:
		if h.wrap != nil {
			b = h.wrap(x)
		}
	case []byte:
		if h.picture != nil {
			b = h.picture(x)
		}
	}
	if b.Data == nil {
		b = Render(v)
	}
	h.send(KindUpdate, b)
}

func (h *Handle) send(kind string, b Bundle) {
	t := map[string]any{"display_id": h.id}
	for k, v := range b.Transient {
		if k != "display_id" {
			t[k] = v
		}
	}
	b.Transient = t
	emit(Event{Kind: kind, Bundle: b, ID: h.id})
}

func newID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Send displays a ready-made bundle. A bundle without text/plain gets a short one that names its types.
func Send(b Bundle) *Handle { return show(b, nil) }

func show(b Bundle, wrap func(string) Bundle) *Handle {
	h := &Handle{id: newID(), wrap: wrap}
	h.send(KindDisplay, withText(b))
	return h
}

func showString(wrap func(string) Bundle, s string) *Handle { return show(wrap(s), wrap) }

func bundle(mime string, v any, text string) Bundle {
	return Bundle{Data: map[string]any{mime: v, "text/plain": text}}
}

func htmlBundle(s string) Bundle       { return bundle("text/html", s, htmlText(s)) }
func markdownBundle(s string) Bundle   { return bundle("text/markdown", s, s) }
func svgBundle(s string) Bundle        { return bundle("image/svg+xml", s, "[SVG image]") }
func javaScriptBundle(s string) Bundle { return bundle("application/javascript", s, s) }
func textBundle(s string) Bundle       { return Bundle{Data: map[string]any{"text/plain": s}} }

func mathBundle(s string) Bundle {
	t := strings.TrimSpace(s)
	if !strings.HasPrefix(t, "$") && !strings.HasPrefix(t, `\[`) && !strings.HasPrefix(t, `\(`) && !strings.HasPrefix(t, `\begin{`) {
		t = "$$" + t + "$$"
	}
	return bundle("text/latex", t, s)
}

var (
	notText = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>|<!--.*?-->`)
	rowEnds = regexp.MustCompile(`(?i)</?(p|div|tr|li|h[1-6]|table|ul|ol|pre|br)\b[^>]*>`)
	tags    = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
	blanks  = regexp.MustCompile(`[ \t]*\n\s*`)
)

// htmlText is what HTML says where only text can be shown.
func htmlText(s string) string {
	s = notText.ReplaceAllString(s, "")
	s = rowEnds.ReplaceAllString(s, "\n")
	s = html.UnescapeString(tags.ReplaceAllString(s, " "))
	s = strings.TrimSpace(blanks.ReplaceAllString(s, "\n"))
	if s == "" {
		return "[HTML]"
	}
	return s
}

// HTML shows s as HTML, unescaped: the caller vouches for it.
func HTML(s string) *Handle { return showString(htmlBundle, s) }

// Markdown shows s as Markdown, TeX between dollar signs included.
func Markdown(s string) *Handle { return showString(markdownBundle, s) }

// Math shows s as a TeX formula on its own line. Delimiters ($, \[, \begin) are added where s has none.
func Math(s string) *Handle { return showString(mathBundle, s) }

// SVG shows an SVG document.
func SVG(s string) *Handle { return showString(svgBundle, s) }

// JavaScript runs s in the page, where the front end allows it (JupyterLab does in trusted notebooks).
func JavaScript(s string) *Handle { return showString(javaScriptBundle, s) }

// Text shows s as plain text, apart from the output streams.
func Text(s string) *Handle { return showString(textBundle, s) }

// PNG shows an encoded PNG image. It panics where data is something else, since a page would show nothing at all.
func PNG(data []byte) *Handle { return image(data, "PNG", "image/png", "\x89PNG\r\n\x1a\n") }

// JPEG shows an encoded JPEG image. It panics where data is something else.
func JPEG(data []byte) *Handle { return image(data, "JPEG", "image/jpeg", "\xff\xd8\xff") }

// GIF shows an encoded GIF image. It panics where data is something else.
func GIF(data []byte) *Handle { return image(data, "GIF", "image/gif", "GIF8") }

func image(data []byte, name, mime, magic string) *Handle {
	picture := func(data []byte) Bundle {
		if !bytes.HasPrefix(data, []byte(magic)) {
			panic(fmt.Errorf("display.%s: the %d bytes given are not a %s file (a %s starts with %q)", name, len(data), name, name, magic))
		}
		return bundle(mime, bytes.Clone(data), fmt.Sprintf("[%s image, %d bytes]", name, len(data)))
	}
	h := &Handle{id: newID(), picture: picture}
	h.send(KindDisplay, picture(data))
	return h
}

// JSON shows v as a tree that can be folded. It panics where v has no JSON form (a channel, a NaN).
func JSON(v any) *Handle {
	raw, indented := encode("JSON", v)
	return show(bundle("application/json", raw, indented), nil)
}

// VegaLite shows a Vega-Lite 5 chart. spec is the specification: JSON in a string or []byte, or a value that
// encodes to it. It panics where spec has no JSON form.
func VegaLite(spec any) *Handle {
	raw, _ := encode("VegaLite", spec)
	return show(bundle("application/vnd.vegalite.v5+json", raw, "[Vega-Lite chart]"), nil)
}

func encode(name string, v any) (json.RawMessage, string) {
	var raw []byte
	switch s := v.(type) {
	case string:
		raw = []byte(s)
		if name == "JSON" && !json.Valid(raw) { // a Go string, not a document
			raw, _ = json.Marshal(s)
		}
	case []byte:
		raw = bytes.Clone(s)
	default:
		var err error
		if raw, err = json.Marshal(v); err != nil {
			panic(fmt.Errorf("display.%s: the value cannot be written as JSON: %w", name, err))
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		panic(fmt.Errorf("display.%s: not JSON: %w", name, err))
	}
	return raw, out.String()
}

// Show displays each value as the last value of a cell would be, and returns the handle of the last one
// (nil where there are no values).
func Show(values ...any) *Handle {
	var h *Handle
	for _, v := range values {
		if b := Render(v); len(b.Data) > 0 {
			h = show(b, nil)
		}
	}
	return h
}

// Clear removes what the cell has put out so far. With wait it does so when the next output comes, so that an
// animation does not flicker.
func Clear(wait bool) { emit(Event{Kind: KindClear, Wait: wait}) }

// Asker asks the person at the front end for a line of text.
type Asker func(prompt string, password bool) (string, error)

var asker atomic.Pointer[Asker]

// SetAsker installs what [Input] and [Password] call. It is for kernels, not for cells.
func SetAsker(a Asker) { asker.Store(&a) }

// Input asks for a line of text and waits for it. The error says so where the front end cannot be asked.
func Input(prompt string) (string, error) { return ask(prompt, false) }

// Password asks for a line of text that is not echoed.
func Password(prompt string) (string, error) { return ask(prompt, true) }

func ask(prompt string, password bool) (string, error) {
	if a := asker.Load(); a != nil && *a != nil {
		return (*a)(prompt, password)
	}
	return "", fmt.Errorf("display.Input: nobody can be asked here: there is no notebook front end")
}
