package main

import "fmt"

type T struct {
	n  int
	in *T
	a  [3]int
}

var log []string

func f(s string, v int) int { log = append(log, s); return v }

func try(name string, g func()) {
	log = nil
	defer func() { fmt.Println(name, recover(), log) }()
	g()
}

func main() {
	var p *T
	var m map[string]int
	var s []int
	var i any = []int{1}
	mk := map[any]int{}
	arr := [3]int{1, 2, 3}
	idx := 7
	b := []int{1}
	try("deref", func() { *p = T{n: f("v", 1)} })
	try("field", func() { p.n = f("v", 1) })
	try("field2", func() { p.in.n = f("v", 1) })
	try("map", func() { m["a"] = f("v", 1) })
	try("mapop", func() { m["a"] += f("v", 1) })
	try("hash", func() { mk[i] = f("v", 1) })
	try("hashop", func() { mk[i] += f("v", 1) })
	try("slice", func() { s[3] = f("v", 1) })
	try("sliceop", func() { s[f("i", 3)] += f("v", 1) })
	try("arr", func() { arr[idx] = f("v", 1) })
	try("both", func() { arr[idx] = b[idx+1] })
	try("both2", func() { p.n = b[idx] })
	try("both3", func() { b[idx] = p.n })
	try("both4", func() { b[idx] += p.n })
	try("both5", func() { p.n -= b[idx] })
	try("div", func() { b[idx] /= f("z", 0) })
	try("inc", func() { b[idx]++ })
	try("inc2", func() { p.n++ })
	try("parr", func() { p.a[1] = f("v", 1) })
	try("parr2", func() { p.a[idx] = f("v", 1) })
	try("multi", func() { b[0], b[idx] = f("x", 5), f("y", 6) })
	fmt.Println(b)
	try("multi2", func() { b[0], p.n = f("x", 7), f("y", 6) })
	fmt.Println(b)
	try("multi3", func() { b[0], m["k"] = f("x", 8), f("y", 6) })
	fmt.Println(b)
	try("conv", func() { b[0] = i.(int) })
	try("chain", func() { b[f("i", 0)] = f("v", 3) + b[f("j", 9)] })
	q := &T{}
	g := func() int { q = nil; return 5 }
	old := q
	try("moved", func() { old.n = g(); fmt.Println(old.n, q) })
	b, idx = []int{1, 2, 3}, 1
	h := func() int { b = b[:1]; return 9 }
	try("shrunk", func() { b[idx] = h() })
	fmt.Println(b)
	b, idx = []int{1, 2, 3}, 0
	k := func() int { idx = 2; return 9 }
	b[idx] = k()
	fmt.Println(b)
	idx = 0
	b[idx] += k()
	fmt.Println(b)
}
