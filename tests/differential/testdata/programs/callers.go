package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

type T struct{ n int }

func (t T) Val() string         { return where(1) }
func (t *T) Ptr() string        { return where(1) }
func generic[X any](x X) string { return where(1) }

func where(skip int) string {
	_, _, line, ok := runtime.Caller(skip + 1)
	pc, _, line2, _ := runtime.Caller(skip)
	return fmt.Sprint(line, " ", line2, " ", ok, " ", runtime.FuncForPC(pc).Name())
}

func stack() (out []string) {
	pcs := make([]uintptr, 20)
	pcs = pcs[:runtime.Callers(1, pcs)]
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") && !strings.Contains(f.Function, "In[") {
			out = append(out, fmt.Sprint(f.Function, ":", f.Line))
		}
		if !more {
			return
		}
	}
}

func deferred() (s string) {
	defer func() { s = where(1) }()
	return "x"
}

func panics() (s []string) {
	defer func() {
		recover()
		s = stack()
	}()
	var p *T
	p.n++
	return nil
}

type I interface{ Val() string }

func main() {
	t := &T{}
	fmt.Println(t.Val())
	fmt.Println(t.Ptr())
	fmt.Println(generic(1))
	var i I = t
	fmt.Println(strings.Contains(i.Val(), "main"))
	func() {
		fmt.Println(where(0), where(1))
	}()
	f := func() []string { return stack() }
	fmt.Println(f())
	fmt.Println(deferred())
	fmt.Println(panics()[0])
	s := []int{2, 1}
	slices.SortFunc(s, func(a, b int) int {
		fmt.Println(where(0))
		return a - b
	})
	for range 2 {
		defer func() {
			fmt.Println(where(0))
		}()
	}
	done := make(chan bool)
	go func() {
		fmt.Println(stack())
		close(done)
	}()
	<-done
	_, file, _, ok := runtime.Caller(1000)
	fmt.Printf("%q %v\n", file, ok)
	var fr runtime.Frame
	fmt.Printf("%T %T %v\n", fr, &fr, fr.Line)
}
