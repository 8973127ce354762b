package session

import (
	"strings"
	"testing"
)

// A comment in a cell, as Shift-Tab shows it, is text.
func TestCommentsAreNoMarkup(t *testing.T) {
	for _, s := range []string{"<script>alert(1)</script>", "</pre><img src=x onerror=alert(1)>", "<!--", "&lt;b&gt;"} {
		page := describe(s, s, s).Data["text/html"].(string)
		for _, ours := range []string{"<pre>", "</pre>", "<b>", "</b>"} {
			page = strings.ReplaceAll(page, ours, "")
		}
		if strings.ContainsAny(page, "<>") || strings.Contains(page, "&lt;b") && s != "<b" && !strings.Contains(page, "&amp;lt;b") {
			t.Errorf("%q becomes %q", s, page)
		}
	}
}
