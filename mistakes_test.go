package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"example.org/godp/kernel/worker"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite testdata/mistakes.txtar")

// What beginners get wrong, and what they are told: all mistakes of a cell at once, in Go's words, with the place and, where
// that is obvious, what to write instead. Each file is a cell, what follows "// =>" its outcome. A change here is a change of
// what a learner reads: look at it before -update.
func TestMistakes(t *testing.T) {
	const file = "testdata/mistakes.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e := start(t, "type Point struct{ X, Y float64 }\nfunc (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }\nfunc area(w, h float64) float64 { return w * h }\nfunc split(s string) (string, error) { return s, nil }",
		"count := 3\nname := \"Ada\"\nxs := []float64{1, 2}\nages := map[string]int{\"Ada\": 36}\nvar shape interface{ Area() float64 }")
	for i := range a.Files {
		f := &a.Files[i]
		code, want, _ := strings.Cut(string(f.Data), "// =>\n")
		code = strings.TrimSuffix(code, "\n")
		out := e.Execute(t.Context(), 3, code, worker.Options{})
		got := "runs\n"
		if out.Err != nil {
			got = ansi.ReplaceAllString(strings.Join(out.Err.Traceback, "\n"), "") + "\n"
		}
		if *update {
			f.Data = []byte(code + "\n// =>\n" + got)
		} else if got != want {
			t.Errorf("%s:\n%s\ngot\n%swant\n%s", f.Name, code, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
