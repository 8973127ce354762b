package display

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

//go:embed table.js
var tableScript string

// script is table.js without its comments and indentation, since every table carries it.
var script = func() string {
	var b strings.Builder
	for line := range strings.Lines(tableScript) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}()

// HTML returns the table as HTML with everything in it escaped. It is complete without its script, which adds sorting and
// the turning of pages; the rows that only the script shows are its argument, as JSON in which no < is left.
func (g Grid) HTML() string {
	var b strings.Builder
	b.WriteString("<div>\n<table class=\"godp-table tex2jax_ignore mathjax_ignore\">")
	if g.Caption != "" {
		fmt.Fprintf(&b, `<caption style="text-align: left">%s</caption>`, html.EscapeString(g.Caption))
	}
	b.WriteString("<thead><tr>")
	align := func(j int) string {
		if g.Numeric[j] {
			return ` style="text-align: right"`
		}
		return ` style="text-align: left"`
	}
	for j, h := range g.Header {
		fmt.Fprintf(&b, `<th%s>%s</th>`, align(j), html.EscapeString(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range g.Rows {
		b.WriteString("<tr>")
		for j, c := range row {
			tag := "td"
			if j == 0 {
				tag = "th"
			}
			fmt.Fprintf(&b, `<%s%s>%s</%s>`, tag, align(j), html.EscapeString(c), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>\n")
	if note := g.note(); note != "" {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(note))
	}
	if len(g.Rows) > 1 {
		all, size := "null", len(g.Rows)
		if g.Gap >= 0 && len(g.All) > 0 {
			raw, _ := json.Marshal(g.All) // strings always can; json escapes <, > and &
			all, size = string(raw), len(g.Rows)-1
		}
		if g.Gap < 0 || len(g.All) > 0 {
			fmt.Fprintf(&b, "<script>%s(document.currentScript,%s,%d,%d)</script>\n", script, all, size, g.Total)
		}
	}
	b.WriteString("</div>")
	return b.String()
}
