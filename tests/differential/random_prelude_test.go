package differential

// prelude is what every random program can use.
const prelude = `package main

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	_ = bufio.NewScanner
	_ = cmp.Compare[int]
	_ = heap.Init
	_ = json.Marshal
	_ = io.EOF
	_ iter.Seq[int]
	_ = maps.Keys[map[int]int]
	_ runtime.Error
	_ = slices.Sort[[]int]
	_ atomic.Int64
)

type Color int

const (
	Red Color = iota
	Green
	Blue
)

func (c Color) String() string { return [...]string{"Red", "Green", "Blue"}[((c%3)+3)%3] }

type Meters float64

type Point struct{ X, Y int }

func (p Point) Sum() int       { return p.X + p.Y }
func (p *Point) Move(d int)    { p.X += d; p.Y -= d }
func (p Point) Plus(k int) int { return p.X*k + p.Y }

type Box struct {
	Point
	Name string
	Tags []string
	Arr  [3]int
}

func (b *Box) Plus(k int) int { b.Arr[k&1] += k; return b.Point.Plus(k) + len(b.Tags) }

type Adder func(int) int

func (a Adder) Plus(k int) int { return a(k) }

type Plusser interface{ Plus(int) int }

type Summer interface {
	Plusser
	Sum() int
}

type Bad struct{ Code int }

func (b *Bad) Error() string { return fmt.Sprintf("bad %d", b.Code) }

type Number interface{ ~int | ~float64 }

func Map[T, U any](xs []T, f func(T) U) []U {
	var out []U
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

func Fold[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}

func Total[T Number](xs ...T) (t T) {
	for _, x := range xs {
		t += x
	}
	return
}

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) *Stack[T] { s.items = append(s.items, x); return s }
func (s *Stack[T]) Pop() (x T, ok bool) {
	if len(s.items) == 0 {
		return x, false
	}
	x = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x, true
}

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func Pairs[K ~string, V any](m map[K]V) []Pair[K, V] {
	var ps []Pair[K, V]
	for k, v := range m {
		ps = append(ps, Pair[K, V]{k, v})
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].Key < ps[j].Key })
	return ps
}

func count(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				fmt.Println("stopped at", i)
				return
			}
		}
	}
}

func at(xs []int, i int) int {
	if len(xs) == 0 {
		return -1
	}
	return xs[((i%len(xs))+len(xs))%len(xs)]
}

func try(name string, f func()) {
	defer func() {
		switch e := recover().(type) {
		case nil:
			fmt.Println(name, "fine")
		case error:
			var b *Bad
			fmt.Println(name, "error", e, errors.As(e, &b))
		case fmt.Stringer:
			fmt.Println(name, "stringer", e)
		default:
			fmt.Printf("%s panic %v %T\n", name, e, e)
		}
	}()
	f()
}

func kind(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case int:
		return fmt.Sprint("int ", x+1)
	case string:
		return "string " + strings.ToUpper(x)
	case Color:
		return "color " + x.String()
	case Meters:
		return fmt.Sprint("meters ", float64(x)/2)
	case []int:
		return fmt.Sprint("ints ", len(x))
	case Point:
		return fmt.Sprint("point ", x.Sum())
	case *Point:
		return fmt.Sprint("pointer ", x.Sum())
	case error:
		return "error " + x.Error()
	case Plusser:
		return fmt.Sprint("plusser ", x.Plus(2))
	case func(int) int:
		return fmt.Sprint("func ", x(3))
	default:
		return fmt.Sprintf("%T", v)
	}
}

func u8(x int) uint8 { return uint8(x) } // constants would overflow at compile time

var fuel = 2000

var _ = sync.Mutex{}

`
