package repl

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestHighlight(t *testing.T) {
	for code, want := range map[string]string{
		`x := "a" + 1`:      "x := " + green + `"a"` + reset + " + " + cyan + "1" + reset,
		"for range 3 {}":    violet + "for" + reset + " " + violet + "range" + reset + " " + cyan + "3" + reset + " {}",
		"var b byte // end": violet + "var" + reset + " b " + blue + "byte" + reset + " " + grey + "// end" + reset,
		"s := `a\nb`":       "s := " + green + "`a" + reset + "\n" + green + "b`" + reset,
		"%time f()":         violet + "%time" + reset + " f()",
		"!ls":               violet + "!" + reset + "ls",
		"a % b":             "a % b",
	} {
		if got := highlight(code); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

// Whatever is typed, colours change no character of it: the editor counts columns in the uncoloured text.
func FuzzHighlight(f *testing.F) {
	for _, s := range []string{"", "x := `\n", "\"\\", "/* ä", "func f() { // c\n\t}\n", "'x", "%%bash\nls -l | grep x", "a\x00b", "ü := 'ü'", "0x1p-2 1_000i", "\ufeffx", "x\r\ny"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if strings.Contains(code, "\x1b") {
			return
		}
		if got := colours.ReplaceAllString(highlight(code), ""); got != code {
			t.Errorf("%q became %q", code, got)
		}
	})
}

func TestPicturesAreSavedBesideOlderOnes(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "plot-1.png"), []byte("old"), 0o644)
	p := &pictures{dir: dir}
	if got, want := p.show("image/png", []byte("new")), "picture saved to "+filepath.Join(dir, "plot-2.png"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.show("image/svg+xml", []byte("<svg/>"))
	for name, want := range map[string]string{"plot-1.png": "old", "plot-2.png": "new", "plot-3.svg": "<svg/>"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != want || err != nil {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if got := (&pictures{dir: filepath.Join(dir, "nowhere")}).show("image/png", nil); !strings.Contains(got, "cannot be saved") {
		t.Errorf("%q", got)
	}
}

func TestInlinePictures(t *testing.T) {
	png := []byte(strings.Repeat("0123456789", 1000))
	env := func(vars map[string]string) func(string) string { return func(k string) string { return vars[k] } }
	kitty := inline(png, env(map[string]string{"TERM": "xterm-kitty"}))
	var data string
	for i, part := range strings.Split(strings.TrimSuffix(kitty, "\x1b\\\n"), "\x1b\\") {
		head, body, _ := strings.Cut(strings.TrimPrefix(part, "\x1b_G"), ";")
		want := "m=1"
		if i == 0 {
			want = "a=T,f=100,m=1"
		}
		if len(body) < 4096 {
			want = "m=0"
		}
		if head != want || len(body) > 4096 {
			t.Errorf("part %d: %q with %d bytes", i, head, len(body))
		}
		data += body
	}
	if b, err := base64.StdEncoding.DecodeString(data); string(b) != string(png) || err != nil {
		t.Errorf("%d bytes came, %v", len(b), err)
	}
	if got := inline(png, env(map[string]string{"TERM_PROGRAM": "iTerm.app"})); !strings.HasPrefix(got, "\x1b]1337;File=inline=1;size=10000:") || !strings.HasSuffix(got, "\a\n") {
		t.Errorf("iTerm2: %.60q", got)
	}
	for _, vars := range []map[string]string{{"TERM": "xterm-256color"}, {"TERM": "xterm-kitty", "TMUX": "x"}} {
		if got := inline(png, env(vars)); got != "" {
			t.Errorf("%v: %.60q", vars, got)
		}
	}
}
