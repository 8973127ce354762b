package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/godp/kernel/worker"
)

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

// The calls under way at a panic are shown with their lines, innermost first, however the panic came about.
func TestTraceback(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string // the last one fails
		want  string
	}{
		"functions of earlier cells": {[]string{"func at(s []int, i int) int {\n\treturn s[i]\n}", "func get(i int) int {\n\tx := at([]int{1, 2}, i)\n\treturn x + 1\n}", "a := 1\nb := a + get(7)"}, `
panic: runtime error: index out of range [7] with length 2
In[1]:2:9 in at
    	return s[i]
    	       ^
called from In[2]:2:7 in get
    x := at([]int{1, 2}, i)
called from In[3]:2:10
    b := a + get(7)`},
		"a method through an interface": {[]string{"type T struct{ m map[string]int }\nfunc (t T) Put(k string) {\n\tt.m[k] = 1\n}", "var p interface{ Put(string) } = T{}\np.Put(\"x\")"}, `
panic: assignment to entry in nil map
In[1]:3:2 in T.Put
    	t.m[k] = 1
    	^
called from In[2]:2:1
    p.Put("x")`},
		"a method on a nil pointer": {[]string{"type L struct{ next *L; v int }\nfunc (l *L) third() int {\n\treturn l.next.next.v\n}\n(&L{}).third()"}, `
panic: runtime error: invalid memory address or nil pointer dereference
In[1]:3:16 in L.third
    	return l.next.next.v
    	              ^
called from In[1]:5:1
    (&L{}).third()`},
		"a closure": {[]string{"func adder(d []int) func(int) int {\n\treturn func(i int) int {\n\t\treturn 10 / d[i]\n\t}\n}", "f := adder([]int{1, 0})", "f(0)\nf(1)"}, `
panic: runtime error: integer divide by zero
In[1]:3:13 in adder.func
    		return 10 / d[i]
    		          ^
called from In[3]:2:1
    f(1)`},
		"compiled code calls back": {[]string{"func less(s []int, i, j int) bool {\n\tif s[i] == 3 { panic(\"three\") }\n\treturn s[i] < s[j]\n}", "s := []int{2, 3}\nsort.Slice(s, func(i, j int) bool {\n\treturn less(s, i, j)\n})"}, `
panic: three
In[1]:2:17 in less
    	if s[i] == 3 { panic("three") }
    	               ^
called from In[2]:3:9 in func
    return less(s, i, j)
called from In[2]:2:1
    sort.Slice(s, func(i, j int) bool {`},
		"compiled code fails": {[]string{"func rep(n int) string {\n\treturn strings.Repeat(\"a\", n)\n}\nfunc twice(n int) string {\n\treturn rep(n) + rep(-n)\n}", "twice(2)"}, `
panic: strings: negative Repeat count
In[1]:2:9 in rep
    	return strings.Repeat("a", n)
    	       ^
called from In[1]:5:18 in twice
    return rep(n) + rep(-n)
called from In[2]:1:1
    twice(2)`},
		"after a panic that was recovered": {[]string{"func bad(i int) {\n\tpanic(i)\n}\nfunc safe(i int) {\n\tdefer func() { recover() }()\n\tbad(i)\n}", "safe(1)\nsafe(2)\nbad(3)"}, `
panic: 3
In[1]:2:2 in bad
    	panic(i)
    	^
called from In[2]:3:1
    bad(3)`},
		"a panic raised again": {[]string{"func bad(i int) {\n\tpanic(i)\n}\nfunc passes(i int) {\n\tdefer func() {}()\n\tbad(i)\n}", "passes(1)"}, `
panic: 1
In[1]:2:2 in bad
    	panic(i)
    	^
called from In[1]:6:2 in passes
    bad(i)
called from In[2]:1:1
    passes(1)`},
		"a deferred call that panics": {[]string{"func first() {\n\tpanic(\"first\")\n}\nfunc second() {\n\tpanic(\"second\")\n}\nfunc both() {\n\tdefer second()\n\tfirst()\n}", "both()"}, `
panic: second
In[1]:5:2 in second
    	panic("second")
    	^
called from In[1]:8:8 in both
    defer second()
deferred, and run because of a panic in
In[1]:2:2 in first
    panic("first")
called from In[1]:9:2 in both
    first()
called from In[2]:1:1
    both()`},
		"a loop over a function": {[]string{"func upto(n int) iter.Seq[int] {\n\treturn func(yield func(int) bool) {\n\t\tfor i := range n {\n\t\t\tif !yield(i) { return }\n\t\t}\n\t}\n}", "func run(a []int) {\n\tfor i := range upto(3) {\n\t\ta[i] = 1\n\t}\n}\nrun(nil)"}, `
panic: runtime error: index out of range [0] with length 0
In[2]:3:3 in run
    		a[i] = 1
    		^
called from In[1]:4:8 in upto.func
    if !yield(i) { return }
called from In[2]:2:2 in run
    for i := range upto(3) {
called from In[2]:6:1
    run(nil)`},
		"a generic function": {[]string{"func first[T any](s []T) T {\n\treturn s[0]\n}\nfunc firstOf[T any](s ...T) T { return first(s) }", "firstOf[string]()"}, `
panic: runtime error: index out of range [0] with length 0
In[1]:2:9 in first
    	return s[0]
    	       ^
called from In[1]:4:40 in firstOf
    func firstOf[T any](s ...T) T { return first(s) }
called from In[2]:1:1
    firstOf[string]()`},
		"a recursion": {[]string{"func down(n int) int {\n\tif n == 0 { panic(\"ground\") }\n\treturn down(n - 1)\n}", "down(5)"}, `
panic: ground
In[1]:2:14 in down
    	if n == 0 { panic("ground") }
    	            ^
called from In[1]:3:9 in down
    return down(n - 1)
called from In[1]:3:9 in down
    return down(n - 1)
called from In[1]:3:9 in down
    return down(n - 1)
… and 2 more times from there
called from In[2]:1:1
    down(5)`},
		"a String method is called by fmt, a panic comes after": {[]string{"type B struct{}\nfunc (B) String() string { panic(\"in String\") }\nfunc zero(n int) int { return 1 / n }", "_ = fmt.Sprint(B{})\nzero(0)"}, `
panic: runtime error: integer divide by zero
In[1]:3:33 in zero
    func zero(n int) int { return 1 / n }
                                    ^
called from In[2]:2:1
    zero(0)`},
		"an error at the top level": {[]string{"func open() (int, error) { return 0, errors.New(\"no such thing\") }", "n := 1\nm, err := open()\nn + m"}, `
error: no such thing
In[2]:2:1
    m, err := open()
    ^`},
	} {
		t.Run(name, func(t *testing.T) {
			last := len(c.cells) - 1
			e := start(t, c.cells[:last]...)
			out := e.Execute(t.Context(), last+1, c.cells[last], worker.Options{})
			if out.Err == nil {
				t.Fatal("the cell did not fail")
			}
			if got := ansi.ReplaceAllString(strings.Join(out.Err.Traceback, "\n"), ""); got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got:\n%s\nwant:%s", got, c.want)
			}
		})
	}
}

// A panic in a goroutine says where the goroutine was started; a %reset meanwhile does not matter.
func TestTracebackOfGoroutine(t *testing.T) {
	failed := make(chan *worker.Error, 1)
	e, err := newEngine(worker.Streams{Panic: func(e *worker.Error) { failed <- e }})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []string{"func at(s []int, i int) int { return s[i] }",
		"go func() {\n\ttime.Sleep(20 * time.Millisecond)\n\tat(nil, 2)\n}()", "%reset", "x := 1"} {
		if out := e.Execute(context.Background(), i+1, c, worker.Options{}); out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	const want = `panic in a goroutine started by a cell:
panic: runtime error: index out of range [2] with length 0
In[1]:1:38 in at
    func at(s []int, i int) int { return s[i] }
                                         ^
called from In[2]:3:2 in func
    at(nil, 2)
goroutine started at In[2]:1:1
    go func() {`
	select {
	case e := <-failed:
		if got := ansi.ReplaceAllString(strings.Join(e.Traceback, "\n"), ""); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the panic was not reported")
	}
}

// Panics in many goroutines at once do not mix up their places, and cells may be compiled meanwhile.
func TestTracebacksAtOnce(t *testing.T) {
	const n = 40
	failed := make(chan *worker.Error, n)
	e, err := newEngine(worker.Streams{Panic: func(e *worker.Error) { failed <- e }})
	if err != nil {
		t.Fatal(err)
	}
	cells := []string{"func even(s []int) int {\n\treturn s[2]\n}\nfunc odd(s []int) int {\n\treturn s[1]\n}",
		"for i := range 40 {\n\tgo func() {\n\t\tif i%2 == 0 {\n\t\t\teven(nil)\n\t\t} else {\n\t\t\todd(nil)\n\t\t}\n\t}()\n}", "%reset", "func g() int { return 1 }", "g() + 1"}
	for i, c := range cells {
		if out := e.Execute(context.Background(), i+1, c, worker.Options{}); out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	counts := map[string]int{}
	for range n {
		e := <-failed
		counts[ansi.ReplaceAllString(strings.Join(e.Traceback[1:5], "|"), "")]++
	}
	for _, want := range []string{
		"panic: runtime error: index out of range [2] with length 0|In[1]:2:9 in even|    \treturn s[2]\n    \t       ^|called from In[2]:4:4 in func",
		"panic: runtime error: index out of range [1] with length 0|In[1]:5:9 in odd|    \treturn s[1]\n    \t       ^|called from In[2]:6:4 in func",
	} {
		if counts[want] != n/2 {
			t.Errorf("%d of %q\nin %v", counts[want], want, counts)
		}
	}
}
