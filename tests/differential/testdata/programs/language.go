package main

import "fmt"

type L []L
type F func(int) F
type M map[string]M
type C chan C
type P *P
type I interface{ Next() I }
type S struct {
	s  []S
	m  map[string]S
	f  func(S) S
	p  *S
	i  I
	ch chan S
}

func (s S) Next() I {
	if s.p == nil {
		return nil
	}
	return *s.p
}

type Node[T any] struct {
	kids []Node[T]
	val  T
	up   *Node[T]
	by   map[string]*Node[T]
}

func (n *Node[T]) Walk(f func(T, int), d int) {
	f(n.val, d)
	for i := range n.kids {
		n.kids[i].up = n
		n.kids[i].Walk(f, d+1)
	}
}

type X struct {
	Y
	n int
}
type Y struct {
	*Z
	n string
}
type Z struct {
	n float64
	X *X
}

func (z *Z) Deep() string { return fmt.Sprint(z.n) }
func (y Y) Mid() string   { return y.n + y.Deep() }

type G[T any] interface {
	~[]T
	Len() int
}
type IS []int

func (s IS) Len() int { return len(s) }
func first[S G[T], T any](s S) (t T) {
	if s.Len() > 0 {
		return s[0]
	}
	return
}

type Const[T ~int | ~string] struct{ v T }

func (c Const[T]) Add(o T) Const[T] { return Const[T]{c.v + o} }

func variadic(pre string, xs ...any) (n int) {
	for range xs {
		n++
	}
	return n*100 + len(pre)
}

func multi() (int, string, error)          { return 1, "a", nil }
func take(i int, s string, e error) string { return fmt.Sprint(i, s, e) }

func shadow(x int) (y int) {
	if x := x * 2; x > 3 {
		y := x
		_ = y
	} else {
		y = x
	}
	for x := range x {
		y += x
	}
	switch y := y + 1; y {
	case 1:
		return y
	}
	return
}

func order() {
	tr := func(s string, v int) int { fmt.Print(s, " "); return v }
	a := []int{tr("a", 1), tr("b", 2), tr("c", 3)}
	a[tr("i", 0)], a[tr("j", 1)] = tr("x", 7), tr("y", 8)
	m := map[int]int{tr("k", 1): tr("v", 2), tr("k2", 2): tr("v2", 3)}
	fmt.Println(a, m, tr("p", 1)+tr("q", 2)*tr("r", 3), tr("l", 0) > 0 && tr("no", 1) > 0)
	x := 1
	f := func() int { x++; return x }
	y, z := f(), f()
	s := struct{ a, b int }{b: f(), a: f()}
	fmt.Println(y, z, s, f()+f()*f(), [3]int{f(), f(), f()})
	var p *int
	func() {
		defer func() { fmt.Println("rec", recover() != nil, x) }()
		*p = f()
	}()
	var mm map[string]int
	func() {
		defer func() { fmt.Println("rec", recover(), x) }()
		mm["a"] = f()
	}()
	arr := []int{1, 2, 3}
	for i, v := range arr {
		arr = append(arr, v*10)
		arr[i] = -v
	}
	fmt.Println(arr)
	mk := map[string]int{"a": 1}
	for k := range mk {
		delete(mk, k)
		mk["a"] = 2
	}
	fmt.Println(len(mk) <= 1)
	var iface any = 3
	if n, ok := iface.(int); ok && n > 2 {
		fmt.Println("n", n)
	} else if s, ok := iface.(string); ok {
		fmt.Println(s)
	}
	ch := make(chan int, 3)
	ch <- 1
	ch <- 2
	close(ch)
	v, ok := <-ch
	fmt.Println(v, ok, len(ch), cap(ch))
	for v := range ch {
		fmt.Println(v)
	}
	v, ok = <-ch
	fmt.Println(v, ok)
}

func defers() (s string) {
	for i := range 3 {
		defer func(n int) { s += fmt.Sprint(n, i, ";") }(i * i)
	}
	type T struct{ n int }
	t := T{1}
	defer fmt.Println("arg", t, t.n)
	t.n = 2
	pt := &t
	defer func() { pt.n++; s += fmt.Sprint("t", t.n) }()
	var fn func()
	defer func() { s += fmt.Sprint("nil:", recover()) }()
	defer fn()
	fn = func() { s += "never" }
	return "r:"
}

func main() {
	l := L{{}, {{}, nil}}
	fmt.Println(len(l), len(l[1]), l)
	var f F
	n := 0
	f = func(i int) F { n += i; return f }
	f(1)(2)(3)
	fmt.Println(n)
	m := M{"a": {"b": nil}}
	m["a"]["c"] = M{}
	fmt.Println(m, len(m["a"]))
	c := make(C, 1)
	c <- c
	fmt.Println(<-c == c)
	s := S{p: &S{}, s: []S{{}}, m: map[string]S{"k": {p: &S{}}}}
	s.f = func(x S) S { x.p = nil; return x }
	fmt.Println(s.Next() != nil, s.f(s).p == nil, s.p != nil, len(s.m["k"].s), s.Next().Next() == nil)
	root := Node[string]{val: "r", kids: []Node[string]{{val: "a", kids: []Node[string]{{val: "b"}}}, {val: "c"}}}
	root.Walk(func(s string, d int) { fmt.Print(s, d, " ") }, 0)
	fmt.Println(root.kids[0].kids[0].up.val)
	x := X{Y{&Z{n: 1.5}, "y"}, 3}
	x.X = &x
	fmt.Println(x.n, x.Y.n, x.Z.n, x.Deep(), x.Mid(), x.X.X.n)
	d := x.Deep
	x.Z = &Z{n: 9}
	fmt.Println(d(), x.Deep(), X.Mid(x), (*X).Deep(&x))
	fmt.Println(first(IS{4, 5}), first(IS{}), Const[string]{"a"}.Add("b"), Const[int]{1}.Add(2).v)
	fmt.Println(variadic("ab"), variadic("", nil), variadic("", nil...), variadic("", []any{1, 2}...), variadic("", []any{1, 2}), take(multi()))
	fmt.Println(shadow(1), shadow(2), shadow(0))
	order()
	fmt.Println(defers())
	const big = 1 << 62
	var u8 uint8 = 255
	var i8 = int8(u8)
	fmt.Println(big>>60, u8+1, i8, uint8(i8)>>1, i8>>1, ^uint8(5), -u8, 7&^5, 6|1^3)
	var arr [4]int
	sl := arr[1:2:3]
	sl = append(sl, 5)
	sl = append(sl, 6)
	sl[0] = 9
	fmt.Println(arr, sl, len(sl))
	p4 := (*[2]int)(sl)
	p4[1] = 77
	fmt.Println(sl, [3]int(sl), *p4)
	type T struct {
		a int
		_ int
		b string
	}
	t1, t2 := T{a: 1, b: "x"}, T{a: 1, b: "x"}
	fmt.Println(t1 == t2, t1)
	var e1, e2 any = t1, t2
	fmt.Println(e1 == e2, map[any]int{t1: 5}[t2])
	lbl := 0
loop:
	for {
		switch {
		case lbl < 3:
			lbl++
			continue loop
		case lbl == 3:
			lbl = 10
			goto out
		}
		break
	}
out:
	fmt.Println(lbl)
	func() {
		defer func() {
			fmt.Println(recover())
			defer func() { fmt.Println(recover()) }()
			var q *X
			_ = q.Y
		}()
		var arr []int
		_ = arr[lbl]
	}()
	funcs := map[string]func(...int) int{"sum": func(xs ...int) (t int) {
		for _, x := range xs {
			t += x
		}
		return
	}}
	fmt.Println(funcs["sum"](1, 2, 3), funcs["none"] == nil)
	var nilI I
	func() {
		defer func() { fmt.Println(recover()) }()
		nilI.Next()
	}()
	cplx := complex(3, 4)
	fmt.Println(real(cplx), -cplx, cplx*cplx, cplx == 3+4i, fmt.Sprintf("%.1f", cplx/(1+1i)))
	str := "日本語"
	for i, r := range str {
		if r == '本' {
			fmt.Println(i, str[i:], []byte(str[i:i+3]))
		}
	}
	bs := []byte("abc")
	st := string(bs)
	bs[0] = 'z'
	fmt.Println(st, string(bs), st < string(bs), min(st, string(bs)))
	switch z := any(3.5).(type) {
	case int, float64:
		fmt.Printf("%T\n", z)
	}
	switch {
	default:
		fmt.Println("def")
		fallthrough
	case false:
		fmt.Println("fell")
	}
	clear(m)
	fmt.Println(len(m), max(1, 2.5), min(3, 2))
}
