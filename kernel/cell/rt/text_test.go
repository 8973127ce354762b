package rt

import (
	"fmt"
	"strings"
	"testing"

	"example.org/godp/kernel/display"
)

// TestShowMatchesDisplay compares what a cell shows for a declared type with what it shows for a compiled one.
func TestShowMatchesDisplay(t *testing.T) {
	vs := append(samples(), jsonSamples()...)
	long := make([]tInt, 150)
	m := map[tInt]tPoint{}
	for i := range long {
		m[tInt(i)] = tPoint{float64(i), 1}
	}
	var deep any = tInt(1)
	for range 12 {
		deep = struct{ A any }{deep}
	}
	vs = append(vs, long, &long, m, tString(strings.Repeat("x", 100000)), []tString{tString(strings.Repeat("y", 2000))}, deep, []any{long, tString("s")}, [][]tInt{long[:2]}, make([]tInt, 103), make([]tInt, 104),
		tNode{1, &tNode{V: 2}}, tF32(0.1), []tF32{0.1}, uintptr(5), make(tChan, 3), tFunc(func(tInt) string { return "" }))
	for _, v := range vs {
		clear(mir.moved)
		b := mir.box(v)
		want, got := display.Format(v), Show(b)
		if want != got && clean(want) != clean(got) {
			t.Errorf("Show(%T):\n display %.300q\n rt      %.300q", v, want, got)
		}
	}
	if got := Show(mir.box(tMixed{A: 1, b: "x"})); got != `{A:1 b:"x" C:[] d:map[] E:<nil> f:<nil> Err:<nil> P:<nil> _:0}` {
		t.Error(got)
	}
}

func ExampleShow() {
	type celsius = Box // a value of a type declared in a cell arrives in a Box
	t := &Type{Name: "main.Celsius", Kind: 14, Rep: sig[func() float64]().out[0]}
	fmt.Println(Show(celsius{t, 36.6}))
	// Output: 36.6
}
