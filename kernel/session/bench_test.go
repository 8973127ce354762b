package session

import (
	"io"
	"testing"
)

// Calls of interpreted functions: what keeping track of the place costs.
func BenchmarkCalls(b *testing.B) {
	for name, cells := range map[string][2]string{
		"recursion": {"func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }", "fib(16)"},
		"loop":      {"func add(a, b int) int { return a + b }; func sum(n int) int { t := 0; for i := range n { t = add(t, i) }; return t }", "sum(2000)"},
		"method":    {"type P struct{ x, y int }; func (p *P) step(s []int) { p.x += s[p.x%4]; p.y = p.x }; func walk(n int) int { p := &P{}; for range n { p.step([]int{1, 2, 3, 5}) }; return p.y }", "walk(1000)"},
		"closure":   {"func twice(f func(int) int, n int) int { t := 0; for i := range n { t += f(i) }; return t }", "twice(func(x int) int { s := []int{x, 2*x}; return s[1] }, 1000)"},
		"recover":   {"func try(f func()) (err any) { defer func() { err = recover() }(); f(); return nil }", "try(func() { panic(1) })"},
	} {
		b.Run(name, func(b *testing.B) {
			s, err := New(Config{Stdout: io.Discard, Stderr: io.Discard})
			if err != nil {
				b.Fatal(err)
			}
			if o := s.Execute(b.Context(), 1, cells[0], Options{}); o.Err != nil {
				b.Fatal(o.Err)
			}
			if o := s.Execute(b.Context(), 2, "func bench() { _ = "+cells[1]+" }", Options{}); o.Err != nil {
				b.Fatal(o.Err)
			}
			n := 2
			for b.Loop() {
				n++
				if o := s.Execute(b.Context(), n, "for range 20 { bench() }", Options{}); o.Err != nil {
					b.Fatal(o.Err)
				}
			}
		})
	}
}
