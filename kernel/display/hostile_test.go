package display

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// elements are the tags and attributes that this package writes itself. Anything else on the page came out of a value.
var elements = map[string]bool{"div": true, "table": true, "caption": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true,
	"p": true, "progress": true, "class": true, "style": true, "value": true, "max": true}

// foreign returns the first thing in page that is not ours: an element, an attribute, a comment, a script that is not table.js
// or whose argument is not JSON.
func foreign(page string) string {
	for {
		before, rest, found := strings.Cut(page, "<script>")
		if !found {
			break
		}
		body, after, found := strings.Cut(rest, "</script>")
		if !found || !strings.HasPrefix(body, script+"(document.currentScript,") {
			return "a script"
		}
		args := strings.TrimPrefix(body, script+"(document.currentScript,")
		if strings.ContainsAny(args, "<>&\u2028\u2029\n") || !regexp.MustCompile(`^(null|\[(\[("([^"\\]|\\.)*",?)*\],?)*\]),\d+,\d+\)$`).MatchString(args) {
			return fmt.Sprintf("the script's arguments %.200q", args)
		}
		page = before + after
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Entity = xml.HTMLEntity
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return ""
		}
		if err != nil {
			return err.Error()
		}
		switch x := tok.(type) {
		case xml.StartElement:
			if !elements[x.Name.Local] {
				return "<" + x.Name.Local
			}
			for _, a := range x.Attr {
				if !elements[a.Name.Local] || strings.ContainsAny(a.Value, "()<>&") {
					return a.Name.Local + "=" + a.Value
				}
			}
		case xml.Comment, xml.Directive, xml.ProcInst:
			return fmt.Sprintf("%T", x)
		}
	}
}

type says string

func (s says) String() string { return string(s) }

type saysError struct{ s string }

func (s saysError) Error() string { return s.s }

type named struct {
	A string
	B says
	C error
	D map[string]string
	E []string
	F any
	G fmt.Stringer
}

// hostileValues are values of every shape that a table and a renderer know, with s wherever a text can be.
func hostileValues(s string) []any {
	n := named{s, says(s), errors.New(s), map[string]string{s: s}, []string{s}, s, says(s)}
	many := make([]string, 50) // more than a page
	for i := range many {
		many[i] = s
	}
	return []any{s, []string{s, s}, many, map[string]string{s: s}, map[says]error{says(s): saysError{s}}, []map[string]any{{s: s}, {s: nil}}, []any{s, 1, n}, n, &n, []named{n, n},
		[]*named{&n, nil}, [][]string{{s, s}, {s}}, says(s), saysError{s}, []error{saysError{s}}, map[int]named{1: n}, [1]string{s}, []byte(s), []rune(s), map[any]any{s: s, says(s): 1}}
}

func checkHostile(t interface {
	Helper()
	Errorf(string, ...any)
}, s string) {
	t.Helper()
	// Bytes that are no UTF-8 and control characters are shown, or not, by every page; only the decoder of this test stops at them.
	visible := func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
			return '?'
		}
		return r
	}
	pages := map[string]string{}
	for i, v := range hostileValues(s) {
		b := Render(v)
		for mime := range b.Data {
			if mime != "text/plain" {
				t.Errorf("%T is shown as %s", v, mime)
			}
		}
		pages[fmt.Sprintf("table %d of %T", i, v)] = TableOptions{Caption: s}.Bundle(v).Data["text/html"].(string)
	}
	bar := &Bar{label: s, total: 3, done: 1}
	pages["bar"] = bar.bundle(bar.started).Data["text/html"].(string)
	for name, page := range pages {
		if f := foreign(strings.Map(visible, strings.ToValidUTF8(page, "\uFFFD"))); f != "" {
			t.Errorf("%s of %q has %s:\n%.2000s", name, s, f, page)
		}
	}
}

var hostile = []string{`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"><b>`, `' onclick='x`, `</td></table></div>`, `</script><script>alert(1)//`, `<!--`, `]]>`, `<?php`, `<!DOCTYPE`,
	`&lt;b&gt;`, `\"`, `\u003c`, "\u2028", "\x00\x07\x1b[31m", "a\r\nb", `$\href{javascript:alert(1)}{x}$`, `<STYLE>*{display:none}`, "\xff<b>", `),0,0);alert(1)//`, `"]],1,1);alert(1)//`}

func TestNothingInAValueIsMarkup(t *testing.T) {
	for _, s := range hostile {
		checkHostile(t, s)
	}
	// The check itself sees what it is for.
	for _, page := range []string{"<b>x</b>", "<div onclick=\"x\"></div>", "<div><!-- x --></div>", "<div><script>alert(1)</script></div>", `<td style="a:expression(x)"></td>`, "<div>", `<div><script>` + script + `(document.currentScript,alert(1),1,1)</script></div>`} {
		if foreign(page) == "" {
			t.Errorf("%s passes", page)
		}
	}
	// A formula in a value is text: pages set TeX only outside such classes.
	for _, v := range []any{[]string{"$x$"}, dense{}} {
		if h := (TableOptions{}).Bundle(v).Data["text/html"].(string); !strings.Contains(h, "tex2jax_ignore mathjax_ignore") {
			t.Errorf("TeX in %T would be set", v)
		}
	}
}

func TestNothingInAValueIsMarkupAtRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkHostile(t, rapid.StringOf(rapid.RuneFrom([]rune("<>&\"'`\\/=!-[](){};$ \n\r\t\x00\u2028scriptonb1"))).Draw(t, "s"))
	})
}

func FuzzTable(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkHostile(t, s) })
}
