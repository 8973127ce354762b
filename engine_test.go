package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/session"
	"example.org/godp/kernel/worker"
)

// start makes a session and runs cells in it.
func start(t *testing.T, cells ...string) worker.Engine {
	t.Helper()
	e, err := newEngine(worker.Streams{Panic: func(*worker.Error) {}})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		if out := e.Execute(t.Context(), i+1, c, worker.Options{}); out.Err != nil {
			t.Fatalf("%s: %v", c, out.Err)
		}
	}
	return e
}

var declarations = []string{`
// Point is a place.
type Point struct {
	X, Y float64
	name string
}

// Norm is the distance from the origin.
func (p *Point) Norm() float64 { return math.Hypot(p.X, p.Y) }

// Scale multiplies.
func Scale(p Point, by float64) Point { return Point{p.X * by, p.Y * by, p.name} }

type Named struct {
	Point
	Label string
}`, `
origin := Point{}
var builder strings.Builder
points := []Point{{1, 2, "a"}}
named := Named{}
import str "strconv"
`}

// at splits a text at its cursor mark.
func at(s string) (code string, cursor int) {
	i := strings.IndexByte(s, '|')
	return s[:i] + s[i+1:], i
}

func TestComplete(t *testing.T) {
	e := start(t, declarations...)
	for _, c := range []struct {
		text    string
		replace string
		want    string // all matches, or with "…" at the end at least these
		not     string
	}{
		{"fmt.Printl|", "Printl", "Println", ""},
		{"fmt.|", "", "Println Sprintf Errorf Stringer …", "newPrinter"},
		{"x := strings.ToUp|(s)", "ToUp", "ToUpper ToUpperSpecial", ""},
		{"origin.|", "", "Norm X Y name", ""},
		{"origin.N|", "N", "Norm", ""},
		{"points[0].|", "", "Norm X Y name", ""},
		{"Scale(origin, 2).|", "", "X Y name …", "Label"},
		{"named.|", "", "Label Norm Point X Y name", ""},
		{"builder.Write|", "Write", "Write WriteByte WriteRune WriteString", ""},
		{"for _, p := range points {\n\tp.|", "", "Norm X Y name", ""},
		{"for _, p := range points {\n\tfmt.Println(p.|)\n}\nlater()", "", "Norm X Y name", ""},
		{"func f(q *Point) float64 {\n\treturn q.|\n}", "", "Norm X Y name", ""},
		{"q := Point{}\nfunc f() { q.| }", "", "Norm X Y name", ""},
		{"Point{}.|", "", "X Y name …", ""},
		{"Point{X|", "X", "X", ""},
		{"ori|", "ori", "origin", ""},
		{"alpha := 1\nfunc g(alphabet int) { alp| }", "alp", "alpha alphabet", ""},
		{"alpha := 1\nal| + 1\nalmost := 2", "al", "alpha almost …", ""},
		{"str.Ato|", "Ato", "Atoi", ""},
		{"import m \"math\"\nm.Sqr|", "Sqr", "Sqrt Sqrt2 SqrtE SqrtPhi SqrtPi", ""},
		{"import \"encoding/js|", "encoding/js", "encoding/json", ""},
		{"retu|", "retu", "return", ""},
		{"fmt.println|", "println", "Println", ""},
		{"nosuchpackage.|", "", "", ""},
		{"\"fmt.|\"", "", "", ""},
		{"// fmt.|", "", "", ""},
		{"12.|", "", "", ""},
		{"é := Point{}\né.No|", "No", "Norm", ""},
		{"dp.ObjectivePert|", "ObjectivePert", "ObjectivePerturbation …", ""},
		{"display.HT|", "HT", "HTML HTMLer", ""},
		{"struct{ A int }{1}.|", "", "A", ""},
		{"map[string]Point{}[\"a\"].X|", "X", "X", ""},
		{"if v, ok := any(origin).(Point); ok { v.|", "", "Norm X Y name", ""},
		{"(((|", "", "", "zzz"},
		{"}} ) fmt.Printl|", "Printl", "", ""},
	} {
		code, cursor := at(c.text)
		got := e.Complete(code, cursor)
		if r := code[got.Start:got.End]; r != c.replace {
			t.Errorf("%q: replaces %q, want %q", c.text, r, c.replace)
		}
		var names []string
		for _, m := range got.Matches {
			names = append(names, m.Text)
		}
		want, atLeast := strings.CutSuffix(c.want, "…")
		if atLeast {
			for _, w := range strings.Fields(want) {
				if !slices.Contains(names, w) {
					t.Errorf("%q: %q is not among %.200q", c.text, w, names)
				}
			}
		} else if c.not == "" && strings.Join(names, " ") != want {
			t.Errorf("%q: %.200q, want %q", c.text, names, want)
		}
		if c.not != "" && slices.Contains(names, c.not) {
			t.Errorf("%q: %q is among %.200q", c.text, c.not, names)
		}
	}
	c := e.Complete("Scal", 4)
	if len(c.Matches) != 1 || c.Matches[0] != (session.Match{Text: "Scale", Type: "function", Signature: "(p Point, by float64) Point"}) {
		t.Errorf("kind and signature: %+v", c.Matches)
	}
}

func TestInspect(t *testing.T) {
	e := start(t, declarations...)
	for _, c := range []struct {
		text   string
		detail int
		want   []string // parts of the text
	}{
		{"fmt.Println|", 0, []string{"func fmt.Println(a ...any) (n int, err error)", "formats using the default formats"}},
		{"fmt.Print|ln(1)", 0, []string{"func fmt.Println"}},
		{"fmt.Println(|", 0, []string{"func fmt.Println"}},
		{"fmt.Println(\"a, |b\", 2)", 0, []string{"func fmt.Println"}},
		{"f|mt.Println()", 0, []string{`package fmt // import "fmt"`, "formatted I/O"}},
		{"math.Pi|", 0, []string{"const math.Pi untyped float"}},
		{"builder.WriteStr|ing(\"\")", 0, []string{"func (*strings.Builder).WriteString(s string) (int, error)", "appends the contents of s"}},
		{"Sca|le(origin, 2)", 0, []string{"func Scale(p Point, by float64) Point // In[1]", "Scale multiplies."}},
		{"Scale|", 1, []string{"return Point{p.X * by, p.Y * by, p.name}"}},
		{"origin.Norm|()", 0, []string{"func (*Point).Norm() float64 // In[1]", "distance from the origin"}},
		{"origin|", 0, []string{"var origin Point // In[2]"}},
		{"Point|{}", 1, []string{"type Point struct{X float64; Y float64; name string}", "Point is a place."}},
		{"str|.Atoi", 0, []string{`package strconv // import "strconv"`}},
		{"strings.Builder|", 1, []string{"type strings.Builder struct", "used to efficiently build a string", "func (*strings.Builder).Len() int"}},
		{"len|(points)", 0, []string{"builtin func len"}},
	} {
		code, cursor := at(c.text)
		b, ok := e.Inspect(code, cursor, c.detail)
		if !ok {
			t.Errorf("%q: nothing found", c.text)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(b.Text(), w) {
				t.Errorf("%q: %q is not in %.400q", c.text, w, b.Text())
			}
		}
		if h, _ := b.Data["text/html"].(string); !strings.HasPrefix(h, "<pre>") {
			t.Errorf("%q: HTML %q", c.text, h)
		}
	}
	for _, text := range []string{"|", "nothing|", "1 + |2", "\"fm|t\"", "fmt.NoSuch|", "(|"} {
		code, cursor := at(text)
		if b, ok := e.Inspect(code, cursor, 0); ok {
			t.Errorf("%q: found %q", text, b.Text())
		}
	}
}

func TestQuestionsWhileACellRuns(t *testing.T) {
	e := start(t, declarations...)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() { e.Execute(ctx, 9, "for {\n}", worker.Options{}); close(ended) }()
	time.Sleep(20 * time.Millisecond)
	if c := e.Complete("origin.No", 9); len(c.Matches) != 1 {
		t.Errorf("completion: %+v", c)
	}
	if _, ok := e.Inspect("http.Get", 8, 0); !ok {
		t.Error("inspection found nothing")
	}
	cancel()
	<-ended
}

func FuzzQuestions(f *testing.F) {
	e, err := newEngine(worker.Streams{Panic: func(*worker.Error) {}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("fmt.Println(", 4)
	f.Add("type T[P any] struct{ f P }; func (t T[P]) m() { t. }", 46)
	f.Add("x := func() { é. }", 15)
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		c := e.Complete(code, cursor)
		if c.Start < 0 || c.Start > c.End || c.End > len(code) {
			t.Fatalf("completion of %d..%d in %d bytes", c.Start, c.End, len(code))
		}
		e.Inspect(code, cursor, 1)
	})
}

func BenchmarkComplete(b *testing.B) {
	e, err := newEngine(worker.Streams{Panic: func(*worker.Error) {}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		e.Complete("fmt.Printl", 10)
	}
}

func TestDirectivesOfTheProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	e, err := newEngineNoShell(worker.Streams{Stdout: &out, Stderr: &out, Panic: func(*worker.Error) {}})
	if err != nil {
		t.Fatal(err)
	}
	run := func(code string) worker.Outcome {
		out.Reset()
		return e.Execute(t.Context(), 1, code, worker.Options{})
	}
	if o := run("!strings.HasPrefix(\"ab\", \"a\")"); o.Err != nil || o.Result.Text() != "false" {
		t.Errorf("a ! before a function of a package: %+v", o)
	}
	if o := run("!echo x"); o.Err == nil || !strings.Contains(o.Err.Value, "switched off") {
		t.Errorf("a command without a shell: %+v", o)
	}
	if o := run("ledger := dp.NewLedger(1.5, 1e-6)\n%budget"); o.Err != nil || !strings.Contains(out.String(), "of (1.5, 1e-06) spent, 0 releases") {
		t.Errorf("%%budget: %+v, %q", o.Err, out.String())
	}
	for _, file := range []string{"a.go", "b.ipynb"} {
		text := "// %%\nx := 6\n// %% [markdown]\n// nothing\n// %%\ny := math.Sqrt(49)\n"
		if strings.HasSuffix(file, "ipynb") {
			text = `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "source": ["x := 6\n", "y := 7.0"], "outputs": []}]}`
		}
		run("%reset")
		run("%%writefile " + file + "\n" + text)
		if o := run("%load " + file + "\nfloat64(x) * y"); o.Err != nil || o.Result.Text() != "42" {
			t.Errorf("%s: %+v", file, o)
		}
	}
}
