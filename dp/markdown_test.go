package dp

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hostile are texts that would be markup if they were not escaped: HTML, Markdown, links of three kinds, TeX, table cells.
var hostile = []string{
	`<img src=x onerror=alert(1)>`, `</td><script>alert(1)</script>`, `" onmouseover="alert(1)`, `&lt;b&gt;`, `<!-- `,
	"[click](javascript:alert(1))", "![x](http://evil.example/x.png)", "<http://evil.example>", "http://evil.example/", "a@evil.example", "www.evil.example",
	"`<b>`", "``", "\n\n<script>alert(1)</script>\n\n", "\n# title\n", "\n- item\n", "a|b", `\`, `$\href{javascript:alert(1)}{x}$`, `$$`, `**bold** _it_ ~~s~~`, "\r\n---\r\n",
}

// markup finds what Markdown would take for more than text; escaped characters and entities are taken out before.
var (
	escaped = regexp.MustCompile("\\\\[\\\\`*_~|\\[\\]]|&[a-z]+;|&#[0-9]+;|`\\$`")
	markup  = regexp.MustCompile("[<`*_~|\\[\\]$\\n\\r\\\\]|://|www\\.|@")
)

func TestPlainMarkdown(t *testing.T) {
	check := func(s string) string { return markup.FindString(escaped.ReplaceAllString(plainMarkdown(s), "")) }
	for _, s := range hostile {
		if m := check(s); m != "" {
			t.Errorf("%q leaves %q in %q", s, m, plainMarkdown(s))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("<>&\\`*_~|[]()$!#-\n\r:/@.wa \"'éβ"))).Draw(t, "s")
		if m := check(s); m != "" {
			t.Fatalf("%q leaves %q in %q", s, m, plainMarkdown(s))
		}
	})
	if got, want := texMarkdown(`a_b $\Lambda_1<2$ <i>`), `a\_b $\Lambda_1<2$ &lt;i&gt;`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := texMarkdown(`5 $ <`), "5 `$` &lt;"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What stands in a guarantee, a ledger, a report or a table under a name that somebody chose stays text.
func TestNamesAreNoMarkup(t *testing.T) {
	for _, evil := range hostile {
		g := pure(0.5)
		g.Mechanism, g.Theorem, g.Source, g.Leaks = evil, evil, evil, []string{evil}
		g.Assumptions = []Assumption{{evil, Violated, evil}}
		l := NewLedger(1, 0)
		if err := l.Charge(evil, g); err != nil {
			t.Fatal(err)
		}
		if err := l.Charge(evil, pure(7)); err == nil {
			t.Fatal("overdraft")
		}
		model := &Model{Weights: []float64{1}, LossName: evil, Guarantee: g}
		c := &ConfusionMatrix{Names: []string{evil, "b"}, Count: [][]int{{1, 2}, {3, 4}}}
		bound := Bound{Quantity: evil, Relation: evil, Value: 1, Source: evil, Conditions: []Condition{{"ok", true, evil}}, Constants: []Constant{{evil, 1, evil}}, Assumptions: []string{evil}}
		word := regexp.MustCompile(`<img|<script|<b>|<http|<!--|\]\(|://evil|onerror=alert\(1\)>|\*\*bold|\n# title|\n- item|\n---\r?\n<`)
		for name, view := range map[string]string{
			"Guarantee": g.Markdown(), "Ledger": l.Markdown(), "Model": model.Markdown(), "Bound": bound.Markdown(),
			"AuditReport":   (&AuditReport{Mechanism: evil, Event: evil, Pair: evil}).Markdown(),
			"MembershipROC": (&MembershipROC{Mechanism: evil, Attacker: evil, FPR: []float64{0, 1}, TPR: []float64{0, 1}}).Markdown(),
			"BoundCheck":    (&BoundCheck{Mechanism: evil, Quantity: evil, Quantile: 1, Excess: []float64{1}, Bounds: []Bound{bound}}).Markdown(),
		} {
			clean := escaped.ReplaceAllString(view, "·")
			if m := word.FindString(clean); m != "" {
				t.Errorf("%s of %q has %q:\n%s", name, evil, m, view)
			}
			if strings.Contains(clean, "$\\href") || strings.Contains(clean, "evil.example") && strings.Contains(clean, "://") {
				t.Errorf("%s of %q has TeX or a link:\n%s", name, evil, view)
			}
		}
		for name, view := range map[string]string{"Ledger": l.HTML(), "ConfusionMatrix": c.HTML()} {
			if m := regexp.MustCompile(`<img|<script|<b>alert|<http|<!--|<[^>]*onmouseover`).FindString(view); m != "" {
				t.Errorf("%s of %q has %q:\n%s", name, evil, m, view)
			}
			if !strings.Contains(view, plainClass) {
				t.Errorf("TeX in a cell of %s would be set", name)
			}
		}
	}
}
