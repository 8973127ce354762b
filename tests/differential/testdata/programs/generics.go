package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

type Number interface {
	~int | ~int8 | ~int64 | ~float64
}

func Sum[T Number](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return
}

type List[T any] struct {
	head *node[T]
	n    int
}
type node[T any] struct {
	v    T
	next *node[T]
}

func (l *List[T]) Push(v T) *List[T] {
	l.head = &node[T]{v, l.head}
	l.n++
	return l
}
func (l *List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for n := l.head; n != nil; n = n.next {
			if !yield(i, n.v) {
				return
			}
			i++
		}
	}
}

func Map[T, U any](s iter.Seq2[int, T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for _, v := range s {
			if !yield(f(v)) {
				return
			}
		}
	}
}

type Stringish interface {
	~string
	Len() int
}
type MyS string

func (m MyS) Len() int { return len(m) }
func Total[S Stringish](ss ...S) (n int) {
	for _, s := range ss {
		n += s.Len() + len(s) + len(string(s[:1]))
	}
	return n
}

type Tree[K cmp.Ordered, V any] struct {
	l, r *Tree[K, V]
	k    K
	v    V
}

func (t *Tree[K, V]) Put(k K, v V) *Tree[K, V] {
	if t == nil {
		return &Tree[K, V]{k: k, v: v}
	}
	switch c := cmp.Compare(k, t.k); {
	case c < 0:
		t.l = t.l.Put(k, v)
	case c > 0:
		t.r = t.r.Put(k, v)
	default:
		t.v = v
	}
	return t
}
func (t *Tree[K, V]) Walk(yield func(K, V) bool) bool {
	return t == nil || t.l.Walk(yield) && yield(t.k, t.v) && t.r.Walk(yield)
}
func (t *Tree[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.Walk(yield) }
}

type Set[T comparable] map[T]struct{}

func (s Set[T]) Add(v T) bool {
	_, ok := s[v]
	s[v] = struct{}{}
	return !ok
}

type Opt[T any] func(*T)

func New[T any](opts ...Opt[T]) (t T) {
	for _, o := range opts {
		o(&t)
	}
	return
}

type Cfg struct {
	N int
	S string
}

type Point struct{ X, Y int }

func (p Point) Less(q Point) bool { return p.X < q.X || p.X == q.X && p.Y < q.Y }

type Lesser[T any] interface{ Less(T) bool }

func Min[T Lesser[T]](a T, rest ...T) T {
	for _, b := range rest {
		if b.Less(a) {
			a = b
		}
	}
	return a
}

type Num[T any] interface {
	*T
	Set(int)
}
type box struct{ n int }

func (b *box) Set(n int) { b.n = n }
func Make[T any, P Num[T]](n int) T {
	var t T
	P(&t).Set(n)
	return t
}

func kind[T any](v T) string {
	switch any(v).(type) {
	case int:
		return "int"
	case []T:
		return "slice of T"
	case Point:
		return "Point"
	case fmt.Stringer:
		return "Stringer"
	}
	return fmt.Sprintf("other %T", v)
}

func find(t *Tree[string, int], want int) (string, bool) {
	for k, v := range t.All() {
		defer fmt.Println("leaving", k)
		if v == want {
			return k, true
		}
	}
	return "", false
}

func nested() (out []string) {
outer:
	for i := range gen(5) {
		for j := range gen(5) {
			switch {
			case j == 1:
				continue
			case j == 3:
				continue outer
			case i == 3:
				break outer
			}
			out = append(out, fmt.Sprint(i, j))
			func() {
				for k := range gen(2) {
					if k == 1 {
						return
					}
					out = append(out, "k")
				}
			}()
		}
	}
	return
}

func gen(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { recover() }()
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func panicky() {
	defer func() { fmt.Println("recovered", recover()) }()
	for i := range gen2(3) {
		if i == 1 {
			panic("in body")
		}
	}
}
func gen2(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer fmt.Println("iterator cleanup")
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

type Animal interface{ Sound() string }
type Base struct{ Name string }

func (b Base) Sound() string                { return b.Name + "?" }
func (b *Base) Rename(s string)             { b.Name = s }
func (b Base) MarshalText() ([]byte, error) { return []byte("<" + b.Name + ">"), nil }

type Dog struct {
	*Base
	Age int `json:"age,omitempty"`
}

func (d Dog) Sound() string { return "woof " + d.Base.Sound() }

type Rec struct {
	ID     int           `json:"id"`
	When   time.Duration `json:"when,string"`
	Inner  struct{ A, B int }
	Ptr    *Rec            `json:"ptr,omitempty"`
	M      map[MyS]Point   `json:"m"`
	Raw    json.RawMessage `json:"raw"`
	Any    any
	hidden int
	Point
	Sl []Celsius
}
type Celsius float64

func (c Celsius) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprintf("%.1fC", float64(c))) }
func (c *Celsius) UnmarshalJSON(b []byte) error {
	_, err := fmt.Sscanf(strings.Trim(string(b), `"`), "%fC", (*float64)(c))
	return err
}

func main() {
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Sum[int8](100, 100), Sum[time.Duration](time.Second, 5))
	l := (&List[string]{}).Push("a").Push("b").Push("c")
	for i, v := range l.All() {
		if i == 2 {
			break
		}
		fmt.Print(i, v, " ")
	}
	fmt.Println(slices.Collect(Map(l.All(), strings.ToUpper)), l.n)
	fmt.Println(Total(MyS("ab"), "cde"))
	var t *Tree[string, int]
	for i, w := range strings.Fields("the quick brown fox the lazy dog") {
		t = t.Put(w, i)
	}
	for k, v := range t.All() {
		fmt.Print(k, "=", v, " ")
	}
	fmt.Println()
	fmt.Println(find(t, 2))
	fmt.Println(nested())
	panicky()
	s := Set[Point]{}
	fmt.Println(s.Add(Point{1, 2}), s.Add(Point{1, 2}), len(s), s)
	fmt.Println(New(func(c *Cfg) { c.N = 3 }, func(c *Cfg) { c.S = "x" }))
	fmt.Println(Min(Point{3, 1}, Point{1, 5}, Point{1, 2}), Make[box](7))
	fmt.Println(kind(1), kind("s"), kind(Point{}), kind([]int{}), kind(time.Second), kind[any]([]any{}))
	fmt.Printf("%T %T %T %v\n", l, t, s, t.k)
	ps := []Point{{3, 1}, {1, 2}, {2, 2}, {1, 1}}
	slices.SortFunc(ps, func(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), -cmp.Compare(a.Y, b.Y)) })
	fmt.Println(ps, slices.Index(ps, Point{2, 2}), slices.ContainsFunc(ps, func(p Point) bool { return p.Y > 5 }))
	i, ok := slices.BinarySearchFunc(ps, 2, func(p Point, x int) int { return cmp.Compare(p.X, x) })
	fmt.Println(i, ok, slices.MaxFunc(ps, func(a, b Point) int { return a.Y - b.Y }), slices.Compact([]Point{{1, 1}, {1, 1}, {2, 2}}))
	m := map[Point]string{{1, 2}: "a", {0, 1}: "b"}
	ks := slices.SortedFunc(maps.Keys(m), func(a, b Point) int { return a.X - b.X })
	fmt.Println(ks, m, maps.Clone(m)[Point{0, 1}], len(slices.Collect(maps.Values(m))))
	next, stop := iter.Pull2(l.All())
	a, b, c := next()
	fmt.Println(a, b, c)
	stop()
	_, _, c = next()
	fmt.Println(c)
	for ch := range slices.Chunk(ps, 3) {
		fmt.Print(ch, " ")
	}
	fmt.Println(slices.Repeat([]MyS{"x"}, 2), slices.Sorted(maps.Keys(map[MyS]int{"q": 1, "b": 2})))
	sort.Slice(ps, func(i, j int) bool { return ps[j].Less(ps[i]) })
	fmt.Println(ps)
	d := Dog{&Base{"rex"}, 3}
	d.Rename("max")
	var an Animal = d
	fmt.Println(an.Sound(), d.Base.Sound(), Animal.Sound(an), Dog.Sound(d), (*Base).Sound(d.Base))
	f := d.Rename
	f("zed")
	g := (*Base).Rename
	g(d.Base, d.Name+"!")
	h := d.Sound
	d.Base = &Base{"other"}
	fmt.Println(h(), d.Sound())
	js, err := json.Marshal(d)
	fmt.Println(string(js), err)
	r := Rec{1, 5, struct{ A, B int }{1, 2}, &Rec{}, map[MyS]Point{"k": {1, 2}}, json.RawMessage(`{"z":1}`), Point{8, 9}, 4, Point{5, 6}, []Celsius{1, 2.55}}
	js, err = json.Marshal(r)
	fmt.Println(string(js), err)
	var back Rec
	fmt.Println(json.Unmarshal(js, &back))
	back.Ptr = nil
	fmt.Printf("%+v\n", back)
	fmt.Printf("%#v\n", back.M)
	var anys []any
	fmt.Println(json.Unmarshal([]byte(`[{"X":1},2,"s",null,[1.5]]`), &anys), anys)
	err = json.Unmarshal([]byte(`{"id":"x"}`), &back)
	fmt.Println(err)
	nan := math.NaN()
	nm := map[float64]int{nan: 1, nan: 2, 1: 3}
	nm[nan]++
	delete(nm, nan)
	fmt.Println(len(nm), nm[nan], nm[1])
	clear(nm)
	fmt.Println(len(nm))
	im := map[any]int{1: 1, int8(1): 2, "1": 3, Point{1, 1}: 4, MyS("1"): 5, [2]int{1, 2}: 6, nil: 7, true: 8, 1.0: 9, Celsius(1): 10}
	fmt.Println(im[1], im[int8(1)], im["1"], im[Point{1, 1}], im[MyS("1")], im[[2]int{1, 2}], im[nil], im[true], im[1.0], im[Celsius(1)], im[int16(1)])
}
