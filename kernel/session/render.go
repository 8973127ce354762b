package session

import (
	"strings"

	"example.org/godp/kernel/cell/rt"
	"example.org/godp/kernel/display"
)

// render makes the bundle of a cell's value (or values).
func render(vals []any) display.Bundle {
	if len(vals) == 1 {
		return renderOne(vals[0])
	}
	var text []string
	for _, v := range vals {
		t, _ := renderOne(v).Data["text/plain"].(string)
		text = append(text, t)
	}
	return display.Bundle{Data: map[string]any{"text/plain": strings.Join(text, " ")}}
}

// methods by which a value of a declared type says how it looks, and their MIME types
var rich = []struct{ method, mime string }{
	{"HTML", "text/html"}, {"Markdown", "text/markdown"}, {"LaTeX", "text/latex"}, {"SVG", "image/svg+xml"}, {"PNG", "image/png"},
}

func renderOne(v any) display.Bundle {
	b, ok := v.(rt.Box)
	if !ok {
		out := display.Render(v)
		if len(out.Data) == 1 && rt.HoldsDeclared(v) && out.Text() == display.Format(v) {
			out.Data["text/plain"] = rt.Show(v)
		}
		return out
	}
	out := display.Bundle{Data: map[string]any{"text/plain": rt.Show(v)}}
	for _, r := range rich {
		switch f := b.Method(r.method).(type) {
		case func() string:
			out.Data[r.mime] = f()
		case func() []byte:
			out.Data[r.mime] = f()
		}
	}
	if f, ok := b.Method("MIME").(func() map[string]any); ok {
		for k, x := range f() {
			out.Data[k] = x
		}
	}
	return out
}
