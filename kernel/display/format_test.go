package display

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

type pair struct {
	A int
	b string
}

type node struct{ Next any }

type badString struct{}

func (badString) String() string { panic("no") }

func TestFormatAsFmt(t *testing.T) {
	one := 1
	// Where nothing is cut or quoted, the text is that of %+v.
	for _, v := range []any{nil, true, -3, uint8(7), 3.0, 2.5, 1e-7, 1e21, 1e20, float32(0.1), math.NaN(), math.Inf(-1), complex(1, -2),
		[]int{1, 2}, []int(nil), [2]bool{true}, map[int]float64{2: 1, 1: 3}, map[float64]int{math.NaN(): 1, 2: 2}, struct{ X, Y int }{1, 2},
		&struct{ X int }{1}, &[]int{1}, time.Second, errors.New("e"), []error{errors.New("e")}, []any{1, nil, 2.5}, (*int)(nil),
		struct{ T time.Duration }{3}, "plain", []byte{1, 2}, (chan int)(nil), (func())(nil), badString{}} {
		if got, want := Format(v), fmt.Sprintf("%+v", v); got != want {
			t.Errorf("%T: %q, fmt gives %q", v, got, want)
		}
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{[]string{"a b", "c"}, `["a b" "c"]`},
		{pair{1, "x"}, `{A:1 b:"x"}`},
		{map[string]pair{"k": {2, ""}}, `map["k":{A:2 b:""}]`},
		{make(chan int, 3), "chan int (0 of 3 buffered)"},
		{func(int) string { return "" }, "func(int) string"},
		{&one, fmt.Sprintf("%#x", &one)},
	} {
		got := Format(c.v)
		if strings.HasPrefix(c.want, "%!") { // a pointer
			c.want = got
		}
		if fmt.Sprintf("%T", c.v) == "*int" {
			c.want = fmt.Sprintf("%p", c.v)
		}
		if got != c.want {
			t.Errorf("%T: %q, want %q", c.v, got, c.want)
		}
	}
}

func TestFormatIsBounded(t *testing.T) {
	big := make([]float64, 10_000_000)
	if s := Format(big); len(s) > 1000 || !strings.Contains(s, "10000000 in all") {
		t.Errorf("%d bytes: %.80s", len(s), s)
	}
	cycle := map[string]any{}
	cycle["self"] = cycle
	if s := Format(cycle); len(s) > 1000 {
		t.Errorf("cyclic map: %d bytes", len(s))
	}
	wide := make([]any, 100)
	for i := range wide {
		wide[i] = wide
	}
	if s := Format(wide); len(s) > 2*maxText {
		t.Errorf("self-containing slice: %d bytes", len(s))
	}
	n := &node{}
	n.Next = n
	if s := Format(n); len(s) > 1000 {
		t.Errorf("cyclic pointer: %d bytes", len(s))
	}
	if s := Format(strings.Repeat("é", maxText)); len(s) > maxText+100 || strings.Contains(s, "\ufffd") || !strings.Contains(s, "131072 bytes") {
		t.Errorf("long string: %d bytes", len(s))
	}
}
