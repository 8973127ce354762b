package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/kerneltest"
)

// failure is the error's name and text of a run.
func failure(r *kerneltest.Run) (name, text string) {
	name, _ = r.Reply.Content["ename"].(string)
	text, _ = r.Reply.Content["evalue"].(string)
	return name, text
}

// Recursion without end and memory without measure are errors of the cell; what was declared before stays.
func TestRunaways(t *testing.T) {
	k := program(t, "--memory", "256MB")
	if r := k.Execute("kept := 7\nf := func(n int) int { return n * kept }\nvar grown [][]float64"); r.Reply.Content["status"] != "ok" {
		t.Fatal(r.Reply)
	}
	for _, c := range []struct{ name, code, want string }{
		{"recursion", "func down(n int) int { return down(n+1) + 1 }\ndown(0)", "StackOverflow"},
		{"mutual recursion", "func even(n int) bool { return !odd(n + 1) }\nfunc odd(n int) bool { return !even(n + 1) }\neven(0)", "StackOverflow"},
		{"a method's recursion", "type T struct{ n int }\nfunc (t *T) String() string { return fmt.Sprintf(\"%v\", t) }\n(&T{}).String()", "StackOverflow"},
		{"a closure's recursion", "var g func(int) int\ng = func(n int) int { return g(n+1) + 1 }\ng(0)", "StackOverflow"},
		{"a goroutine's recursion", "func deep(n int) int { return deep(n+1) + 1 }\ndone := make(chan int)\ngo func() { done <- deep(0) }()\n<-done", "StackOverflow"},
		{"recursion under a defer", "func held(n int) int {\n\tdefer func() {}()\n\treturn held(n+1) + 1\n}\nheld(0)", "StackOverflow"},
		{"a huge slice", "x := make([]float64, 1e12)\nlen(x)", "OutOfMemory"},
		{"a huge slice of a computed size", "n := int(1e12)\ny := make([]float64, n)\nlen(y)", "OutOfMemory"},
		{"an impossible slice", "m := -1\nmake([]int, m)", "panic"},
		{"append", "{\n\tvar s []int\n\tfor { s = append(s, make([]int, 100)...) }\n}", "OutOfMemory"},
		{"append of large values", "for { grown = append(grown, make([]float64, 1<<20)) }", "OutOfMemory"},
		{"a map", "{\n\tm := map[int][64]byte{}\n\tfor i := 0; ; i++ { m[i] = [64]byte{} }\n}", "OutOfMemory"},
		{"a string", "{\n\ts := \"0123456789\"\n\tfor { s += s }\n}", "OutOfMemory"},
		{"strings.Repeat", "strings.Repeat(\"0123456789\", 1e11)", "OutOfMemory"},
		{"a buffer", "{\n\tvar buf bytes.Buffer\n\tfor { buf.WriteString(strings.Repeat(\"x\", 1<<20)) }\n}", "OutOfMemory"},
		{"goroutines", "for { go func() { select {} }() }", "StackOverflow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			r := k.Execute(c.code)
			name, text := failure(r)
			t.Log(time.Since(began), name, text)
			if name != c.want {
				t.Errorf("%s: %s, want %s", name, text, c.want)
			}
			if r := k.Execute("fmt.Sprint(kept, \" \", f(6))\n"); !strings.Contains(fmt.Sprint(r.IOPub), "7 42") {
				t.Errorf("afterwards: %v %v", r.Reply, r.IOPub)
			}
			k.Execute("grown = nil")
		})
	}
}

// %limit bounds a cell beside the installation's own limits, from the cell it stands in.
func TestLimitDirective(t *testing.T) {
	k := program(t)
	say := func(code, want string) {
		t.Helper()
		r := k.Execute(code)
		name, text := failure(r)
		if got := fmt.Sprint(name, " ", text, " ", r.Text("stdout")); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	say("%limit", "(this installation's)\ntime:   none")
	say("%limit time 300ms", "time:   300ms")
	say("kept := 5\nfor {\n}", "OutOfTime the cell ran for 3")
	say("time.Sleep(time.Hour)", "OutOfTime")
	say("fmt.Println(kept)", "5\n")
	say("%limit time none\ntime.Sleep(400 * time.Millisecond)\nfmt.Println(kept)", "5\n")
	say("%limit memory 200 MB", "memory: 190.7 MiB\n")
	say("var s [][]byte\nfor { s = append(s, make([]byte, 1<<20)) }", "OutOfMemory")
	say("s = nil\nfmt.Println(kept)", "5\n")
	say("t := make([]float64, 50_000_000)", "OutOfMemory 400 MB are wanted at once, and the limit of the values in use is 200 MB")
	say("%limit memory none\nu := make([]float64, 50_000_000)\nfmt.Println(len(u))", "50000000")
	say("%limit memory much", "is not an amount of memory")
	say("%limit memory 1KB", "a kernel needs between")
	say("%limit time -3s", "is not a time such as 30s")
	say("%limit paper 3", "does not know \"paper\"")
	say("%limit time", "%limit wants memory or time and a value")
	say("%help", "%limit [memory SIZE | time DURATION]")
}
