package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"testing"

	"example.org/godp/kernel/worker"
)

var soak = flag.Int("soak", 1, "make the soak runs this many times as long")

// A session of many cells keeps what its names mean and the text of the cells, and no more: what is declared anew goes, with
// all that it holds. The interpreter alone would keep 28 KB a cell, and every value that a variable ever had.
func TestManyCells(t *testing.T) {
	e, err := newEngine(worker.Streams{Stdout: io.Discard, Stderr: io.Discard, Panic: func(e *worker.Error) { t.Error(e) }})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	run := func(code string) string {
		n++
		out := e.Execute(context.Background(), n, code, worker.Options{})
		if out.Err != nil {
			t.Fatalf("%s: %v", code, out.Err)
		}
		if out.Result == nil {
			return ""
		}
		return out.Result.Text()
	}
	live := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for _, c := range []struct {
		name, code string
		most       int // bytes a cell
	}{
		{"a loop", "for i := range 3 { fmt.Print(i) }", 2500},
		{"a variable again", "x := %d\nfor i := range 3 { x += i }\nx", 3500},
		{"a large value again", "big := make([]float64, 100_000)\nbig[%d] = 1\nlen(big)", 3500},
		{"a function again", "func f(a int) int { return a + %d }\nf(1)", 6000},
		{"a mistake", "x + %d +", 2500},
	} {
		batch := func(k int) {
			for i := range k {
				code := c.code
				if c.name != "a loop" {
					code = fmt.Sprintf(c.code, i)
				}
				if c.name == "a mistake" {
					n++
					if out := e.Execute(context.Background(), n, code, worker.Options{}); out.Err == nil {
						t.Fatal("a mistake passes")
					}
					continue
				}
				run(code)
			}
		}
		batch(100)
		before := live()
		k := 300 * *soak
		batch(k)
		if each := (live() - before) / k; each > c.most {
			t.Errorf("%s: %d bytes a cell stay, want at most %d", c.name, each, c.most)
		} else {
			t.Logf("%s: %d bytes a cell", c.name, each)
		}
	}
}

// What is declared anew stays with those who still hold it.
func TestOldValuesStayWithTheirHolders(t *testing.T) {
	got := output(t,
		"x := 1\nf := func() int { x++; return x }\ng := func() int { return h() }\nfunc h() int { return x * 10 }\nold := h\np := &x\nc, back := make(chan int), make(chan int)\ngo func() { for v := range c { back <- v + x } }()",
		"x := \"new\"",
		"func h() string { return x }",
		"for range 20 { x := []int{1}; _ = x }",
		"f() + f()", "old()", "*p", "c <- 5\n<-back", "h() + x",
		"type T struct{ n int }\nfunc (t T) M() int { return t.n }\nv := T{4}\nm := v.M\nvar s fmt.Stringer = S{7}\ntype S struct{ n int }\nfunc (s S) String() string { return fmt.Sprint(\"S\", s.n) }",
		"v := 1", "s2 := s\nvar s error", "m()", "s2.String()", "func (s S) String() string { return \"again\" }", "s2.String()")
	want := "=> 5\n=> 30\n=> 3\n=> 8\n=> newnew\n=> 4\n=> S7\n=> again\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
