package cell

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// The excerpt of a long line is the part around the caret, and the caret stands under the same character as in the line.
func TestLongExcerpts(t *testing.T) {
	var digits strings.Builder
	for i := range 40 {
		fmt.Fprintf(&digits, "%04d·", i*5) // · is two bytes and one column
	}
	long := digits.String()
	at := func(s string) int { return strings.Index(long, s) + 1 }
	var got strings.Builder
	for _, c := range []struct {
		what, line string
		col        int
	}{
		{"a short line", "x := undefined", 6},
		{"100 columns", long[:6*20], 6*20 + 1},
		{"at the beginning", long, 1},
		{"in the left half", long, at("0030")},
		{"in the middle", long, at("0100")},
		{"near the end", long, at("0185")},
		{"behind the end", long, len(long) + 1},
		{"a tab before it", "\tf(" + long, 3},
		{"tabs on the way", strings.ReplaceAll(long, "5·", "5\t"), at("0100") - 10},
		{"tabs only", strings.Repeat("\t", 30) + "x", 31},
	} {
		x := Excerpt("first\n"+c.line+"\r\nlast", 2, c.col)
		fmt.Fprintf(&got, "%s\n%s\n", c.what, x)
		lines := strings.Split(x, "\n")
		if len(lines) != 2 {
			t.Fatalf("%s: %q", c.what, x)
		}
		want := '\x00'
		if c.col <= len(c.line) {
			want, _ = utf8.DecodeRuneInString(c.line[c.col-1:])
		}
		shown, n := []rune(lines[0]), utf8.RuneCountInString(lines[1])
		switch {
		case want == 0 && len(shown) != n-1:
			t.Errorf("%s: the caret is not behind the line:\n%s", c.what, x)
		case want != 0 && (n > len(shown) || shown[n-1] != want):
			t.Errorf("%s: the caret is not under %q:\n%s", c.what, want, x)
		}
		for i, r := range []rune(lines[1]) { // a tab of the line above is a tab below
			if i < n-1 && (r == '\t') != (shown[i] == '\t') {
				t.Errorf("%s: column %d differs in its tab:\n%s", c.what, i, x)
			}
		}
		if w := len(shown) + 7*strings.Count(lines[0], "\t"); w > 4+excerptWidth {
			t.Errorf("%s: %d columns", c.what, w)
		}
	}
	const file = "testdata/excerpt/long.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
