package main

import (
	"fmt"
	"math"
)

type F float64

func (f F) Sign() bool          { return math.Signbit(float64(f)) }
func (f F) With(x float64) bool { return math.Signbit(x) }

type P struct{ X, Y float64 }

func (p P) Sign() (bool, bool) { return math.Signbit(p.X), math.Signbit(p.Y) }

type N struct {
	A int
	P P
	C [2]complex128
}

func (n N) Sign() []bool {
	return []bool{math.Signbit(n.P.X), math.Signbit(n.P.Y), math.Signbit(real(n.C[0])), math.Signbit(imag(n.C[1]))}
}

type S interface{ Sign() bool }
type W interface{ With(x float64) bool }

func direct(x float64) bool          { return math.Signbit(x) }
func d32(x float32) bool             { return math.Signbit(float64(x)) }
func cplx(c complex128) (bool, bool) { return math.Signbit(real(c)), math.Signbit(imag(c)) }
func arr(a [2]float64) (bool, bool)  { return math.Signbit(a[0]), math.Signbit(a[1]) }
func str(p P) (bool, bool)           { return p.Sign() }
func nest(n N) []bool                { return n.Sign() }
func vari(xs ...float64) (o []bool) {
	for _, x := range xs {
		o = append(o, math.Signbit(x))
	}
	return
}
func gen[T ~float64](x T) bool         { return math.Signbit(float64(x)) }
func ret() float64                     { return math.Copysign(0, -1) }
func two() (float64, P)                { z := math.Copysign(0, -1); return z, P{z, 0} }
func take(x float64, p P) (bool, bool) { return math.Signbit(x), math.Signbit(p.X) }
func named() (z float64) {
	z = math.Copysign(0, -1)
	defer func() {}()
	return z
}

func main() {
	z := math.Copysign(0, -1)
	fmt.Println(direct(z), direct(0), d32(float32(z)))
	fmt.Println(cplx(complex(z, 0)))
	fmt.Println(cplx(complex(0, z)))
	fmt.Println(arr([2]float64{0, z}))
	fmt.Println(str(P{0, z}))
	fmt.Println(nest(N{P: P{Y: z}}), nest(N{C: [2]complex128{0, complex(0, z)}}))
	fmt.Println(vari(z, 0, z), gen(z), gen(F(z)))
	fmt.Println(take(two()))
	fmt.Println(math.Signbit(ret()), math.Signbit(named()))
	f := direct
	fmt.Println(f(z))
	g := arr
	fmt.Println(g([2]float64{0, z}))
	h := func(x float64) bool { return math.Signbit(x) }
	fmt.Println(h(z))
	func(x float64, p P) { fmt.Println(math.Signbit(x), math.Signbit(p.Y)) }(z, P{0, z})
	k := func(p P) (bool, bool) { return p.Sign() }
	fmt.Println(k(P{z, 0}))
	var s S = F(z)
	fmt.Println(s.Sign())
	var w W = F(1)
	fmt.Println(w.With(z))
	mv := F(z).Sign
	fmt.Println(mv())
	pv := P{0, z}.Sign
	fmt.Println(pv())
	me := F.Sign
	fmt.Println(me(F(z)))
	mp := P.Sign
	fmt.Println(mp(P{0, z}))
	mw := W.With
	fmt.Println(mw(F(1), z))
	sv := s.Sign
	fmt.Println(sv())
	ww := w.With
	fmt.Println(ww(z))
	defer func(x float64) { fmt.Println("deferred", math.Signbit(x)) }(z)
	defer fmt.Println(direct(z))
	defer show(z, P{z, 0})
	defer P{0, z}.Show()
	done := make(chan bool)
	go func(x float64) { fmt.Println("go", math.Signbit(x)); close(done) }(z)
	<-done
	done = make(chan bool)
	go show2(done, z, P{0, z})
	<-done
	for i := range seq(z) {
		fmt.Println(math.Signbit(i), math.Signbit(z))
		func() { fmt.Println(math.Signbit(i)) }()
	}
	for _, x := range []float64{z, 0} {
		func() { fmt.Println(math.Signbit(x)) }()
	}
	c := make(chan float64, 1)
	c <- z
	fmt.Println(math.Signbit(<-c))
	select {
	case c <- z:
	}
	select {
	case v := <-c:
		fmt.Println(math.Signbit(v))
	}
	m := map[string]P{"a": {z, z}}
	fmt.Println(m["a"].Sign())
	var a any = P{z, 0}
	fmt.Println(a.(P).Sign())
	switch v := a.(type) {
	case P:
		fmt.Println(v.Sign())
	}
	p := &P{z, z}
	q := *p
	fmt.Println(q.Sign())
	fmt.Println((*p).Sign())
	fmt.Println(apply(direct, z), apply(func(x float64) bool { return math.Signbit(x) }, z), applyM(F(z)))
	var arr2 [3]P
	arr2[1] = P{z, 0}
	fmt.Println(arr2[1].Sign())
	x, y := z, -z
	x, y = y, x
	fmt.Println(math.Signbit(x), math.Signbit(y), 1/z, -x, -y)
	var e struct{ f float64 }
	e.f = z
	ec := e
	fmt.Println(math.Signbit(ec.f))
	rec(2, z)
	func() { fmt.Println(countdown(2, z)) }()
}

// countdown stands below the function literal that calls it.
func countdown(n int, x float64) bool {
	if n > 0 {
		return countdown(n-1, x)
	}
	return math.Signbit(x)
}

func rec(n int, x float64) {
	if n > 0 {
		rec(n-1, x)
		return
	}
	fmt.Println(math.Signbit(x))
}
func apply(f func(float64) bool, x float64) bool  { return f(x) }
func applyM[T interface{ Sign() bool }](t T) bool { return t.Sign() }
func seq(z float64) func(func(float64) bool) {
	return func(yield func(float64) bool) {
		if !yield(z) {
			return
		}
		yield(0)
	}
}
func show(x float64, p P) { fmt.Println("show", math.Signbit(x), math.Signbit(p.X)) }
func show2(c chan bool, x float64, p P) {
	fmt.Println("show2", math.Signbit(x), math.Signbit(p.Y))
	close(c)
}
func (p P) Show() { fmt.Println(p.Sign()) }
