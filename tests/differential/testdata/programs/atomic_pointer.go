package main

import (
	"fmt"
	"sync/atomic"
)

type C struct{ n int }

type S struct {
	p atomic.Pointer[C]
	m atomic.Value
}
type I interface{ Load() *C }

func main() {
	var p atomic.Pointer[C]
	fmt.Println(p.Load() == nil)
	p.Store(&C{3})
	fmt.Println(p.Load().n)
	var s S
	s.p.Store(&C{4})
	fmt.Println(s.p.Load().n)
	var i I = &s.p
	fmt.Println(i.Load().n)
	fmt.Printf("%T\n", &s.p)
	fmt.Println(s.p.CompareAndSwap(s.p.Load(), nil))
}
