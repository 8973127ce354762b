package main

import (
	"strings"
	"testing"

	"example.org/godp/kernel/session"
	"example.org/godp/kernel/worker"
)

// restored makes a session that takes the place of one in which cells had succeeded, and runs directive in it.
func restored(t *testing.T, directive string, cells ...string) (run func(code string) string, printed string) {
	t.Helper()
	var out lockedBuffer
	streams := worker.Streams{Stdout: &out, Stderr: &out, Panic: func(*worker.Error) {}}
	before, err := newEngine(streams)
	if err != nil {
		t.Fatal(err)
	}
	var past []session.PastCell
	for i, c := range cells {
		if o := before.Execute(t.Context(), i+1, c, worker.Options{}); o.Err == nil {
			past = append(past, session.PastCell{N: i + 1, Code: c})
		}
	}
	out.take()
	e, err := newEngine(streams)
	if err != nil {
		t.Fatal(err)
	}
	e.SetPast(past)
	n := len(cells)
	run = func(code string) string {
		n++
		o := e.Execute(t.Context(), n, code, worker.Options{})
		return shown(o, out.take())
	}
	return run, run(directive)
}

func TestRestore(t *testing.T) {
	run, printed := restored(t, "%restore",
		"import \"math/big\"\nconst k = 3\ntype T struct{ a int }\nfunc (t T) Double() int { return 2 * t.a }",
		"x := 20\ny := x + 1\nfmt.Println(x)\nname := fmt.Sprint(\"n\", k)",
		"x = 99",
		"z := x * 2\nconstant := k * 2",
		"func f() int { return x + k }\nfunc even(n int) bool { return n == 0 || odd(n-1) }\nfunc odd(n int) bool { return n != 0 && even(n-1) }",
		"got := f()\nt := T{21}",
		"nonsense(",
		"func useGot() int { return got }\nfunc fine() int { return 1 }\ng := func(n int) int { return n + f() }",
		"var (\n\ta = 1\n\tb = []float64{1, 2, math.Sqrt(9)}\n)\nvar u, err = strconv.Atoi(\"12\")\nm := map[string][]int{\"a\": {1}}",
		"%time b[0] = 7",
		"w := b[0]",
	)
	for _, line := range []string{
		"In[2]: fmt.Println(x)", "In[3]: x = 99", "In[4]: z := x * 2   (x may have been changed by In[3])", "In[6]: got := f()   (it calls f)",
		"In[8]: func useGot() int { return got }   (undefined: got", "In[10]: %time b[0] = 7", "In[11]: w := b[0]   (b may have been changed by In[10])",
		"%restore all",
	} {
		if !strings.Contains(printed, line) {
			t.Errorf("not said: %s", line)
		}
	}
	for _, line := range []string{"In[1]:", "In[5]:", "In[7]:", "In[9]:", "func fine", "t := T"} {
		if strings.Contains(printed, line) {
			t.Errorf("said: %s", line)
		}
	}
	if !strings.HasPrefix(printed, "restored: 1 import, 1 type, 1 constant, 5 functions, 11 variables\n") {
		t.Errorf("the first line is not right")
	}
	if t.Failed() {
		t.Log(printed)
	}
	for code, want := range map[string]string{
		"t.Double()": "42", "x": "20", "y": "21", "f()": "23", "even(10)": "true", "fine()": "1", "g(1)": "24", "a": "1", "b": "[1 2 3]", "u": "12", "m": `map["a":[1]]`,
		"name": "n3", "constant": "6", "big.NewInt(7)": "7",
	} {
		if got := run(code); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	for _, code := range []string{"got", "z", "w", "useGot()"} {
		if got := run(code); !strings.Contains(got, "undefined") {
			t.Errorf("%s: %q", code, got)
		}
	}
}

func TestRestoreAll(t *testing.T) {
	run, printed := restored(t, "%restore all", "x := 1", "x++\nfmt.Println(\"x is\", x)", "%restore", "y := strings.Repeat(\"a\", x)")
	if printed != "x is 2\n3 cells were run again\n" {
		t.Errorf("printed %q", printed)
	}
	if got := run("y"); got != "aa" {
		t.Errorf("y is %q", got)
	}
	t.Setenv("GODP_TEST_RESTORE", "")
	run, printed = restored(t, "%restore all", "x := 1", "if len(os.Getenv(\"GODP_TEST_RESTORE\")) > 0 { panic(\"second time\") }\nos.Setenv(\"GODP_TEST_RESTORE\", \"1\")", "y := 2")
	if !strings.Contains(printed, "In[2] failed; the cells after it were not run") || !strings.Contains(printed, "second time") {
		t.Errorf("printed %q", printed)
	}
	if got := run("x"); got != "1" {
		t.Errorf("x is %q", got)
	}
}

func TestRestoreNothing(t *testing.T) {
	for _, cells := range [][]string{nil, {"x := 1", "%reset"}} {
		if _, printed := restored(t, "%restore", cells...); !strings.HasPrefix(printed, "there is nothing to restore") {
			t.Errorf("%q: %q", cells, printed)
		}
	}
	if _, printed := restored(t, "%restore everything", "x := 1"); !strings.Contains(printed, "no argument but all") {
		t.Errorf("%q", printed)
	}
}
