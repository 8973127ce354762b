package cell

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/godp/kernel/cell/debug"
	"golang.org/x/tools/txtar"
)

// goldenCells are the cells of the golden files, by file.
func goldenCells(t *testing.T) map[string][]string {
	files, err := filepath.Glob("testdata/lower/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	out := map[string][]string{}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name != "want" {
				out[file] = append(out[file], strings.TrimSpace(string(f.Data)))
			}
		}
	}
	return out
}

func emitted(t *testing.T, c *Compiler, cells []string) (out string) {
	for i, text := range cells {
		p, errs := c.Compile(i+1, fmt.Sprintf("In[%d]", i+1), text)
		if len(errs) > 0 {
			out += errs.Error()
			continue
		}
		p.Commit()
		out += p.Source
	}
	return out
}

// Nobody pays for a debugger that is not attached: the emitted code is that of a compiler without one, to the byte, before
// one is attached and after it has left. What the compiler without one emits is in the golden files.
func TestNoDebuggerNoCode(t *testing.T) {
	for file, cells := range goldenCells(t) {
		plain := emitted(t, compiler(), cells)
		c := compiler()
		c.cfg.Debugger = debug.New()
		if got := emitted(t, c, cells); got != plain {
			t.Errorf("%s: with a debugger that is not attached the code is\n%s\nwithout one it is\n%s", file, got, plain)
		}
		if strings.Contains(plain, "h.Debug") {
			t.Errorf("%s: instrumented without a debugger:\n%s", file, plain)
		}
		left := compiler()
		left.cfg.Debugger = debug.New()
		left.SetDebug(true)
		left.SetDebug(false)
		if got := emitted(t, left, cells); got != plain {
			t.Errorf("%s: after a debugger has left the code is\n%s", file, got)
		}
		on := compiler()
		on.cfg.Debugger = debug.New()
		on.SetDebug(true)
		if got := emitted(t, on, cells); !strings.Contains(got, "h.DebugEnter") && plain != "" && !strings.Contains(file, "refused") {
			t.Errorf("%s: an attached debugger sees nothing", file)
		}
	}
}

// Functions are emitted anew when a debugger comes, and again when it has left.
func TestReemit(t *testing.T) {
	c := compiler()
	c.cfg.Debugger = debug.New()
	cell := "type T struct{ n int }\nfunc (t T) M() int { return twice(t.n) }\nfunc twice[N int | float64](x N) N { return 2 * x }\nfunc f() int { return T{1}.M() }"
	first := emitted(t, c, []string{cell})
	if c.SetDebug(false) || !c.SetDebug(true) {
		t.Error("SetDebug does not tell whether something has changed")
	}
	for _, on := range []bool{true, false} {
		c.SetDebug(on)
		p, err := c.Reemit()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"func f_M_", "func f_f_", "func twice_i"} {
			if !strings.Contains(p.Source, name) || !strings.Contains(first, name) {
				t.Errorf("debugger %v: no %s in\n%s", on, name, p.Source)
			}
		}
		if strings.Contains(p.Source, "h.DebugEnter") != on {
			t.Errorf("debugger %v:\n%s", on, p.Source)
		}
		p.Commit()
		names := fmt.Sprint(c.funcs)
		q, err := c.Reemit()
		if err != nil {
			t.Fatal(err)
		}
		q.Rollback()
		if fmt.Sprint(c.funcs) != names {
			t.Error("Rollback leaves names behind")
		}
	}
}

// The lines that are told before a cell runs are those on which it can stop.
func TestStopLines(t *testing.T) {
	for file, cells := range goldenCells(t) {
		c := compiler()
		c.cfg.Debugger = debug.New()
		c.SetDebug(true)
		for i, text := range cells {
			p, errs := c.Compile(i+1, fmt.Sprintf("In[%d]", i+1), text)
			if len(errs) > 0 {
				continue
			}
			p.Commit()
			have := map[int]bool{}
			for _, s := range c.cfg.Debugger.Statements(c.cfg.Debugger.Path(text)) {
				if s.First {
					have[s.Line] = true
				}
			}
			lines := StopLines(text)
			for _, l := range lines {
				if !have[l] && !generic(text) {
					t.Errorf("%s: nothing stops at line %d of\n%s", file, l, text)
				}
			}
			for l := range have {
				if !slices.Contains(lines, l) {
					t.Errorf("%s: line %d is not told of\n%s", file, l, text)
				}
			}
		}
	}
	if StopLines("x := (") != nil {
		t.Error("a text that does not parse has lines")
	}
}

// generic reports whether a cell has functions that are only emitted when they are used.
func generic(text string) bool { return strings.Contains(text, "[T ") || strings.Contains(text, "[K ") }
