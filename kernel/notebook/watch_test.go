package notebook

import (
	"strings"
	"testing"
)

func TestFirstToRun(t *testing.T) {
	pure := map[string]bool{"dp": true}
	for _, tc := range []struct {
		name        string
		before, now string
		first       int
		why         string
	}{
		{"nothing changed", "x := 1\n---\nx", "x := 1\n---\nx", 2, ""},
		{"the first cell", "x := 1\n---\nx", "x := 2\n---\nx", 0, ""},
		{"the last cell", "x := 1\n---\nx", "x := 1\n---\nx + 1", 1, ""},
		{"a cell in the middle, and declarations after it", "x := 1\n---\ny := x\n---\nz := y * 2\nfmt.Println(z)", "x := 1\n---\ny := x + 1\n---\nz := y * 2\nfmt.Println(z)", 1, ""},
		{"a new cell", "x := 1\n---\nx", "x := 1\n---\nx\n---\nx + 2", 2, ""},
		{"a cell less", "x := 1\n---\nx\n---\nx + 2", "x := 1\n---\nx", 2, ""},
		{"a change of a kept variable", "x := 1\n---\nx++\n---\nx", "x := 1\n---\nx++\n---\nx + 1", 2, ""},
		{"a change after the changed cell", "x := 1\n---\ny := 1\n---\nx++", "x := 1\n---\ny := 2\n---\nx++", 0, "x may have been changed"},
		{"an element", "x := []int{1}\n---\nx[0] = 5", "x := []int{1}\n---\nx[0] = 6", 0, "x may have been changed"},
		{"in a loop", "x := 0\n---\nfor range 3 { if true { x += 1 } }", "x := 0\n---\nfor range 4 { if true { x += 1 } }", 0, "x may have been changed"},
		{"an argument", "x := []int{2, 1}\n---\nsort.Ints(x)", "x := []int{2, 1}\n---\nsort.Ints(x); x", 0, "x may have been changed"},
		{"a method", "b := &strings.Builder{}\n---\nb.WriteString(\"a\")", "b := &strings.Builder{}\n---\nb.WriteString(\"b\")", 0, "b may have been changed"},
		{"an address", "x := 0\n---\np := &x\n*p = 3", "x := 0\n---\np := &x\n*p = 4", 0, "x may have been changed"},
		{"a function of the notebook", "x := 1\nfunc f() { x++ }\n---\nf()", "x := 1\nfunc f() { x++ }\n---\nf()\nx", 0, "f, which was called"},
		{"a function where there are no variables", "func f() int { return 1 }\n---\nf()", "func f() int { return 1 }\n---\nf() + 1", 1, ""},
		{"shared memory", "x := []int{1}\n---\ny := x[:1]\ny[0] = 2", "x := []int{1}\n---\ny := x[:1]\ny[0] = 3", 0, "x may have been changed, through y"},
		{"shared memory in a loop", "x := []*int{new(int)}\n---\nfor _, p := range x { *p = 1 }", "x := []*int{new(int)}\n---\nfor _, p := range x { *p = 2 }", 0, "x may have been changed, through p"},
		{"reading in a loop", "x := []int{1}\n---\ns := 0\nfor _, v := range x { s += v }\nfmt.Println(s, x)", "x := []int{1}\n---\ns := 1\nfor _, v := range x { s += v }\nfmt.Println(s, x)", 1, ""},
		{"a method of the notebook", "type T struct{}\nx := 1\nfunc (T) Set() { x = 2 }\n---\nT{}.Set()", "type T struct{}\nx := 1\nfunc (T) Set() { x = 2 }\n---\nT{}.Set(); x", 0, "Set, which was called"},
		{"a function in a field", "type T struct{ Do func() }\nx := 1\nt := T{func() { x = 2 }}\n---\nT{}.Do()", "type T struct{ Do func() }\nx := 1\nt := T{func() { x = 2 }}\n---\nT{}.Do(); x", 0, "which was called"},
		{"a function passed on", "x := 1\nfunc f() { x = 2 }\n---\ndp.Call(f)", "x := 1\nfunc f() { x = 2 }\n---\ndp.Call(f); x", 0, "f, which was called"},
		{"a closure", "x := 1\n---\ndp.Call(func() { x = 2 })", "x := 1\n---\ndp.Call(func() { x = 2 }); x", 0, "x may have been changed"},
		{"a pure package", "d := dp.Data{}\n---\nm, err := dp.Train{Eps: 1}.Train(d)", "d := dp.Data{}\n---\nm, err := dp.Train{Eps: 2}.Train(d)", 1, ""},
		{"a ledger in a literal of a pure package", "l := dp.NewLedger(1, 0)\n---\nm, err := dp.Train{Ledger: l}.Train(1)", "l := dp.NewLedger(1, 0)\n---\nm, err := dp.Train{Ledger: l}.Train(2)", 0, "l may have been changed"},
		{"a name declared again", "x := 1\n---\nx := \"s\"\nx", "x := 1\n---\nx := \"t\"\nx", 0, "x was declared again"},
		{"a name that is gone", "a := 1\n---\nx := 2\n---\nx", "a := 1\n---\ny := 2\n---\nx", 0, "x is declared no more"},
		{"a goroutine", "a := 1\n---\ngo func() {}()", "a := 1\n---\ngo func() { }()", 0, "goroutine"},
		{"a directive", "a := 1\n---\n%cd /", "a := 1\n---\n%cd /tmp", 0, "directive"},
		{"a new directive", "a := 1\n---\na", "a := 1\n---\n%cd /tmp", 0, "directive"},
		{"text and skipped cells do not count", "// %% [markdown]\n// a\n// %%\nx := 1\n// %% tags=[\"skip-execution\"]\nno\n// %%\nx", "// %% [markdown]\n// b\n// %%\nx := 1\n// %% tags=[\"skip-execution\"]\nyes\n// %%\nx + 1", 3, ""},
	} {
		first, why := FirstToRun(ParseGo(tc.before), ParseGo(tc.now), pure)
		if first != tc.first || !strings.Contains(why, tc.why) || (why == "") != (tc.why == "") {
			t.Errorf("%s: %d %q, want %d %q", tc.name, first, why, tc.first, tc.why)
		}
	}
}
