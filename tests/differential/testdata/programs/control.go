package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

// closures capturing per-iteration variables
func closures() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	for i, c := range "héy" {
		defer func() { fmt.Print(i, string(c), ";") }()
	}
	for i := range 3 {
		i := i * 2
		defer func(x int) { fmt.Print("d", x, i, " ") }(i + 1)
	}
	var p []*int
	for i := 0; i < 3; i++ {
		p = append(p, &i)
		i++
	}
	for _, q := range p {
		fmt.Print(*q, " ")
	}
	fmt.Println()
}

type E1 struct{ code int }

func (e E1) Error() string { return fmt.Sprint("E1:", e.code) }

type E2 struct{ err error }

func (e *E2) Error() string        { return "E2(" + e.err.Error() + ")" }
func (e *E2) Unwrap() error        { return e.err }
func (e *E2) Is(target error) bool { return target == io.EOF }

// defers and re-panics
func deferOrder() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("wrapped %v: %w", r, E1{7})
		}
	}()
	defer func() {
		defer func() {
			r := recover()
			fmt.Println("inner", r)
			panic(fmt.Sprint("again ", r))
		}()
		panic("second")
	}()
	defer fmt.Println("deferred before")
	panic("first")
}

func named() (a, b int, s string) {
	defer func() { a *= 2; s += "!" }()
	a, b, s = 1, 2, "x"
	return b, a, s + "y"
}

func nestedRecover() {
	defer func() {
		fmt.Println("outer recover:", recover())
	}()
	func() {
		defer func() {
			func() { fmt.Println("too deep:", recover()) }()
		}()
		panic(E1{3})
	}()
}

type recoverer struct{}

func (recoverer) rec() { fmt.Println("method recover:", recover()) }

func methodRecover() {
	var r recoverer
	defer r.rec()
	panic("m")
}

func runtimeErrors() {
	try := func(name string, f func()) {
		defer func() {
			r := recover()
			if e, ok := r.(interface{ RuntimeError() }); ok {
				_ = e
				fmt.Println(name, "runtime:", r)
			} else {
				fmt.Println(name, r)
			}
		}()
		f()
	}
	var m map[string]int
	var s []int
	var p *E1
	var a any = "str"
	var e error
	z := 0
	arr := [3]int{}
	idx := 5
	try("nilmap", func() { m["a"] = 1 })
	try("index", func() { _ = s[idx] })
	try("arr", func() { arr[idx%4+1] = 1 })
	try("slice", func() { _ = s[1:idx] })
	try("slice2", func() { _ = arr[idx-2 : 1] })
	try("str", func() { _ = "abc"[idx] })
	try("nil", func() { _ = p.code })
	try("assert", func() { _ = a.(int) })
	try("assert2", func() { _ = a.(fmt.Stringer) })
	try("assert3", func() { _ = e.(E1) })
	try("nilfunc", func() { var f func(); f() })
	try("div", func() { fmt.Println(1 / z) })
	try("mod", func() { fmt.Println(1 % z) })
	try("close", func() { var c chan int; close(c) })
	try("close2", func() { c := make(chan int); close(c); close(c) })
	try("send", func() { c := make(chan int); close(c); c <- 1 })
	try("shift", func() { n := -1; fmt.Println(1 << n) })
	try("make", func() { n := -1; _ = make([]int, n) })
	try("conv", func() { _ = [4]int(s) })
	try("hash", func() { mm := map[any]int{}; mm[[]int{1}] = 2 })
	try("cmp", func() { var x, y any = []int{1}, []int{1}; fmt.Println(x == y) })
	try("cmp2", func() { type T struct{ f any }; var x, y any = T{func() {}}, T{func() {}}; fmt.Println(x == y) })
	try("nilpanic", func() { panic(nil) })
	try("err", func() { panic(errors.New("plain")) })
	try("nilmeth", func() { e.Error() })
	try("methval", func() { f := e.Error; f() })
	try("embednil", func() {
		type T struct{ *E1 }
		var t T
		fmt.Println(t.code)
	})
	try("valmeth", func() {
		type T struct{ *E1 }
		var t T
		_ = t.Error()
	})
}

func errs() {
	var err error = &E2{fmt.Errorf("ctx: %w", E1{5})}
	var e1 E1
	var e2 *E2
	fmt.Println(errors.As(err, &e1), e1.code, errors.As(err, &e2), e2 != nil, errors.Is(err, io.EOF), errors.Is(err, E1{5}), errors.Is(err, E1{6}))
	j := errors.Join(err, os.ErrNotExist, nil)
	fmt.Println(errors.Is(j, os.ErrNotExist), strings.ReplaceAll(j.Error(), "\n", "|"), errors.As(j, &e1))
	fmt.Printf("%v|%+v|%#v|%T|%q\n", err, e1, e1, err, e1)
	w := fmt.Errorf("%w and %w", E1{1}, &E2{io.EOF})
	fmt.Println(w, errors.Is(w, io.EOF), errors.As(w, &e2), errors.Unwrap(w) == nil)
	var t interface{ Timeout() bool }
	fmt.Println(errors.As(err, &t))
}

func selects() {
	a, b := make(chan int, 1), make(chan string, 1)
	var nilc chan int
	a <- 1
	select {
	case x := <-a:
		fmt.Println("a", x)
	case nilc <- 3:
		fmt.Println("never")
	}
	select {
	case s, ok := <-b:
		fmt.Println(s, ok)
	default:
		fmt.Println("default")
	}
	close(b)
	var arr [2]string
	var ok bool
	i := 0
	f := func() int { i++; return i - 1 }
	select {
	case arr[f()], ok = <-b:
		fmt.Printf("%q %v %d\n", arr, ok, i)
	}
L:
	for n := 0; ; n++ {
		select {
		case a <- n:
			continue L
		case v := <-a:
			if v > 3 {
				break L
			}
			fmt.Print(v, " ")
		}
	}
	fmt.Println()
	func() {
		defer func() { fmt.Println(recover()) }()
		c := make(chan int)
		close(c)
		select {
		case c <- 1:
		default:
		}
	}()
}

func gotos() {
	i := 0
top:
	if i < 3 {
		fmt.Print(i)
		i++
		goto top
	}
	for j := 0; j < 3; j++ {
		for k := 0; k < 3; k++ {
			if k == 2 {
				goto next
			}
			if j == 2 {
				goto end
			}
			fmt.Print("(", j, k, ")")
		}
	next:
	}
end:
	fmt.Println()
}

func labels() {
outer:
	for i := range 4 {
		switch {
		case i == 1:
			continue outer
		case i == 3:
			break outer
		default:
			for j := 0; ; j++ {
				if j == 2 {
					continue outer
				}
				if j == 1 {
					fmt.Print("j", i, j, " ")
				}
			}
		}
	}
	x := 2
sw:
	switch x {
	case 2:
		for {
			break sw
		}
		fallthrough
	case 3:
		fmt.Print("three")
	}
	switch x {
	case 1, 2:
		fmt.Print("one-two ")
		fallthrough
	case 9:
		fmt.Print("nine ")
	default:
		fmt.Print("def")
	}
	switch y := any(x).(type) {
	case string, int:
		fmt.Printf("%T ", y)
	}
	fmt.Println()
}

func main() {
	closures()
	fmt.Println()
	err := deferOrder()
	var e E1
	fmt.Println(err, errors.As(err, &e), e.code)
	fmt.Println(named())
	nestedRecover()
	methodRecover()
	runtimeErrors()
	errs()
	selects()
	gotos()
	labels()
	m := map[string][]int{"b": {2}, "a": {1}}
	keys := make([]string, 0)
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Println(keys, m)
}
