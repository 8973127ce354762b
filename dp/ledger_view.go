package dp

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// String returns one line: what is spent of what, and a gauge.
func (l *Ledger) String() string {
	if l == nil {
		return "no ledger"
	}
	es, ds := l.Spent()
	n, refused := l.counts()
	var s strings.Builder
	if math.IsInf(l.book.eps, 1) {
		fmt.Fprintf(&s, "odometer: (ε, δ) = (%.4g, %.3g) spent", es, ds)
	} else {
		fmt.Fprintf(&s, "[%s] (ε, δ) = (%.4g, %.3g) of (%.4g, %.3g) spent", gauge(es/l.book.eps, 20), es, ds, l.book.eps, l.book.delta)
	}
	fmt.Fprintf(&s, ", %s, %s", plural(n, "release"), l.rule())
	if refused > 0 {
		fmt.Fprintf(&s, ", %d refused", refused)
	}
	return s.String()
}

// GoString is String: %#v must not print the rows a ledger knows.
func (l *Ledger) GoString() string { return l.String() }

// Markdown renders the gauge and the table of all lines.
func (l *Ledger) Markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "`%s`\n\n| | where | what | rows | ε | δ | marks |\n|--:|---|---|---|--:|--:|---|\n", l)
	for _, e := range l.Entries() {
		what := plainMarkdown(e.What)
		if e.Refused {
			what = "~~" + what + "~~ refused"
		}
		fmt.Fprintf(&s, "| %d | %s | %s | %s | %s | %s | %s |\n", e.N, plainMarkdown(e.Site), what, plainMarkdown(rowsText(e)), epsText(e.Guarantee.Eps), epsText(e.Guarantee.Delta), plainMarkdown(strings.Join(e.Marks, "; ")))
	}
	return s.String()
}

// HTML renders the same as Markdown with a coloured gauge.
func (l *Ledger) HTML() string {
	var s strings.Builder
	es, ds := l.Spent()
	n, refused := l.counts()
	if math.IsInf(l.book.eps, 1) {
		fmt.Fprintf(&s, "<div><b>Odometer</b>: (ε, δ) = (%.4g, %.3g) spent in %s (%s)</div>", es, ds, plural(n, "release"), l.rule())
	} else {
		f := math.Min(1, es/l.book.eps)
		colour := "#2e7d32"
		if f > 0.75 {
			colour = "#f9a825"
		}
		if f > 0.95 {
			colour = "#c62828"
		}
		fmt.Fprintf(&s, `<div><b>Budget</b>: ε = %.4g of %.4g, δ = %.3g of %.3g spent in %s (%s`, es, l.book.eps, ds, l.book.delta, plural(n, "release"), l.rule())
		if refused > 0 {
			fmt.Fprintf(&s, ", %d refused", refused)
		}
		fmt.Fprintf(&s, `)</div><div role="meter" aria-valuemin="0" aria-valuemax="1" aria-valuenow="%.3f" style="width:24em;height:.9em;border:1px solid #888;border-radius:.45em;overflow:hidden"><div style="width:%.1f%%;height:100%%;background:%s"></div></div>`, f, 100*f, colour)
	}
	s.WriteString(`<table` + plainClass + `><thead><tr><th></th><th>where</th><th>what</th><th>rows</th><th>ε</th><th>δ</th><th>marks</th></tr></thead><tbody>`)
	for _, e := range l.Entries() {
		what := html.EscapeString(e.What)
		if e.Refused {
			what = "<s>" + what + "</s> refused"
		}
		fmt.Fprintf(&s, "<tr><td>%d</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>", e.N, html.EscapeString(e.Site), what,
			html.EscapeString(rowsText(e)), epsText(e.Guarantee.Eps), epsText(e.Guarantee.Delta), html.EscapeString(strings.Join(e.Marks, "; ")))
	}
	s.WriteString("</tbody></table>")
	return s.String()
}

func (l *Ledger) counts() (accepted, refused int) {
	for _, e := range l.Entries() {
		if e.Refused {
			refused++
		} else {
			accepted++
		}
	}
	return
}

func (l *Ledger) rule() string {
	rule := "basic composition"
	if l.book.zcdp {
		rule = "zCDP composition"
	}
	if l.Neighbours() == AddRemove {
		rule += ", add/remove neighbours"
	}
	return rule
}

func gauge(f float64, width int) string {
	k := int(math.Round(math.Min(1, math.Max(0, f)) * float64(width)))
	return strings.Repeat("█", k) + strings.Repeat("·", width-k)
}

func rowsText(e Entry) string {
	if e.Part == "" {
		return "all"
	}
	return e.Part
}

func epsText(x float64) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	return fmt.Sprintf("%.4g", x)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
