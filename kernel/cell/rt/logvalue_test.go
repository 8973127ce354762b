package rt

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
)

type (
	lSecret string
	lGroup  struct{ A, B int }
	lErrTxt struct{ N int }
)

func (lSecret) LogValue() slog.Value           { return slog.StringValue("REDACTED") }
func (g lGroup) LogValue() slog.Value          { return slog.GroupValue(slog.Int("a", g.A), slog.Int("b", g.B)) }
func (l lErrTxt) Error() string                { return "E" }
func (l lErrTxt) MarshalText() ([]byte, error) { return []byte(fmt.Sprint("T", l.N)), nil }

// TestLogValueMatchesGo compares what both handlers of package slog write.
func TestLogValueMatchesGo(t *testing.T) {
	vs := append(samples(), jsonSamples()...)
	vs = append(vs, lSecret("x"), lGroup{1, 2}, lErrTxt{3}, &lErrTxt{4}, []lSecret{"q"})
	opts := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	for _, v := range vs {
		switch v.(type) {
		case jBad: // what is wrong with its JSON is told by encoding/json in terms of the value it was given
			continue
		case []error: // the wrappers in a compiled container are encoded as what they are
			continue
		}
		clear(mir.moved)
		b := mir.box(v)
		for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
			"text": func(w *bytes.Buffer) slog.Handler { return slog.NewTextHandler(w, opts) },
			"json": func(w *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(w, opts) },
		} {
			var want, got bytes.Buffer
			slog.New(handler(&want)).Info("m", "v", v, slog.Group("g", "w", v))
			slog.New(handler(&got)).Info("m", "v", b, slog.Group("g", "w", b))
			w, g := want.String(), got.String()
			if w != g && clean(w) != clean(g) && !bytes.Contains(want.Bytes(), []byte("!ERROR")) {
				t.Errorf("%s %T:\n go %s rt %s", name, v, w, g)
			}
		}
	}
}
