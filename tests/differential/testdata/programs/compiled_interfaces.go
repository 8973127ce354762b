package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"sort"
	"strings"
	"sync"
	"text/template"
	"time"
)

// embedding compiled interfaces and structs
type upper struct{ io.Reader }

func (u upper) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	copy(p, bytes.ToUpper(p[:n]))
	return n, err
}

type logged struct {
	sync.Mutex
	*strings.Builder
	lines int
}

func (l *logged) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	l.lines += bytes.Count(p, []byte("\n"))
	return l.Builder.Write(p)
}

type byAge []struct {
	Name string
	Age  int
}

func (b byAge) Len() int           { return len(b) }
func (b byAge) Less(i, j int) bool { return b[i].Age < b[j].Age }
func (b byAge) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type rev struct{ sort.Interface }

func (r rev) Less(i, j int) bool { return r.Interface.Less(j, i) }

type myErr struct {
	error
	extra string
}

func (m myErr) Error() string { return m.extra + ": " + m.error.Error() }
func (m myErr) Unwrap() error { return m.error }

type ctxKey struct{}
type withCtx struct{ context.Context }

func (w withCtx) Value(k any) any {
	if k == (ctxKey{}) {
		return "overridden"
	}
	return w.Context.Value(k)
}

type Dur struct{ time.Duration }
type Money big.Int

type Enum int

func (e *Enum) UnmarshalText(b []byte) error {
	switch string(b) {
	case "one":
		*e = 1
	case "two":
		*e = 2
	default:
		return errors.New("bad enum " + string(b))
	}
	return nil
}
func (e Enum) MarshalText() ([]byte, error) { return []byte([]string{"zero", "one", "two"}[e]), nil }

type Event struct {
	Dur
	Kind  Enum            `json:"kind"`
	Kinds map[Enum][]Enum `json:"kinds,omitempty"`
	Next  *Event          `json:"next,omitempty"`
	Raw   any             `json:"raw"`
	When  time.Time       `json:"when"`
	Opt   *int            `json:"opt,omitempty"`
}

type Visitor interface{ Visit(n Node) Visitor }
type Node interface{ Children() []Node }
type leaf int
type branch []Node

func (leaf) Children() []Node     { return nil }
func (b branch) Children() []Node { return b }

type counter struct{ leaves, branches int }

func (c *counter) Visit(n Node) Visitor {
	switch n.(type) {
	case leaf:
		c.leaves++
		return nil
	case branch:
		c.branches++
	}
	return c
}
func Walk(v Visitor, n Node) {
	if v = v.Visit(n); v == nil {
		return
	}
	for _, c := range n.Children() {
		Walk(v, c)
	}
}

type State func(*machine) State
type machine struct {
	in  string
	pos int
	out []string
}

func start(m *machine) State {
	if m.pos >= len(m.in) {
		return nil
	}
	if m.in[m.pos] == ' ' {
		m.pos++
		return start
	}
	return word
}
func word(m *machine) State {
	i := m.pos
	for m.pos < len(m.in) && m.in[m.pos] != ' ' {
		m.pos++
	}
	m.out = append(m.out, m.in[i:m.pos])
	return start
}

type Matrix [2][2]float64

func (m Matrix) Mul(n Matrix) (r Matrix) {
	for i := range m {
		for j := range n[0] {
			for k := range n {
				r[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return
}

type Celsius float64
type Temp interface{ ~float64 }

func Avg[T Temp](ts ...T) T {
	var s T
	for _, t := range ts {
		s += t
	}
	return s / T(len(ts))
}

type Cache[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
	fn func(K) (V, error)
}

func NewCache[K comparable, V any](fn func(K) (V, error)) *Cache[K, V] {
	return &Cache[K, V]{m: make(map[K]V), fn: fn}
}
func (c *Cache[K, V]) Get(k K) (v V, err error) {
	c.mu.RLock()
	v, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return v, nil
	}
	if v, err = c.fn(k); err != nil {
		return v, fmt.Errorf("cache: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
	return
}

func main() {
	b, err := io.ReadAll(upper{strings.NewReader("hello")})
	fmt.Println(string(b), err)
	l := &logged{Builder: &strings.Builder{}}
	fmt.Fprintf(l, "a\nb\n%d", 3)
	io.WriteString(l, "tail\n")
	fmt.Println(l.lines, l.Len(), strings.ReplaceAll(l.String(), "\n", "|"))
	p := byAge{{"a", 3}, {"b", 1}, {"c", 2}}
	sort.Sort(p)
	fmt.Println(p)
	sort.Stable(rev{p})
	fmt.Println(p, sort.IsSorted(rev{p}))
	e := myErr{os.ErrNotExist, "open"}
	fmt.Println(e, errors.Is(e, os.ErrNotExist), errors.Unwrap(e) == os.ErrNotExist)
	ctx := withCtx{context.WithValue(context.Background(), "k", "v")}
	fmt.Println(ctx.Value(ctxKey{}), ctx.Value("k"), ctx.Err())
	c2, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	<-c2.Done()
	fmt.Println(c2.Err(), context.Cause(c2), c2.Value(ctxKey{}))
	d := Dur{1500 * time.Millisecond}
	fmt.Println(d, d.Seconds(), d.Round(time.Second), d.Duration == 1500*time.Millisecond)
	fmt.Printf("%v %+v %T %d\n", d, d, d, d)
	m := (*Money)(big.NewInt(5))
	fmt.Println((*big.Int)(m).String())
	one := 1
	ev := Event{d, 1, map[Enum][]Enum{1: {2, 0}}, &Event{Opt: &one}, []any{1, "x"}, time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), nil}
	js, err := json.MarshalIndent(ev, "", " ")
	fmt.Println(string(js), err)
	var back Event
	err = json.Unmarshal(js, &back)
	fmt.Println(err, back.Kind, back.Kinds, back.Next == nil, back.When.Equal(ev.When), back.Raw)
	fmt.Println(json.Unmarshal([]byte(`{"kind":"ten"}`), &back))
	fmt.Println(json.Unmarshal([]byte(`{"kinds":{"one":["two","x"]}}`), &back))
	dec := json.NewDecoder(strings.NewReader(`{"Kind":"one"} {"kind":"two","zzz":1}`))
	dec.DisallowUnknownFields()
	for {
		var x Event
		if err := dec.Decode(&x); err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(x.Kind)
	}
	var cn counter
	Walk(&cn, branch{leaf(1), branch{leaf(2), leaf(3)}, branch{}})
	fmt.Println(cn)
	mc := &machine{in: " ab  cde f"}
	for s := State(start); s != nil; {
		s = s(mc)
	}
	fmt.Printf("%q\n", mc.out)
	mm := Matrix{{1, 1}, {1, 0}}
	r := mm
	for range 10 {
		r = r.Mul(mm)
	}
	fmt.Println(r, r[0][1], Avg(Celsius(1), 2, 6))
	ca := NewCache(func(k string) (int, error) {
		if k == "" {
			return 0, errors.New("empty")
		}
		return len(k), nil
	})
	fmt.Println(ca.Get("abc"))
	fmt.Println(ca.Get(""))
	fmt.Printf("%T %v\n", ca, ca.m)
	t := template.Must(template.New("x").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }}).Parse(
		`{{range $i, $e := .Items}}{{inc $i}}:{{$e.Name}}/{{.Upper}}{{if gt .N 1}}!{{end}} {{end}}{{with .M}}{{.k}}{{end}} {{len .Items}} {{.Temp | printf "%.1f"}}`))
	type item struct {
		Name string
		N    int
	}
	err = t.Execute(os.Stdout, map[string]any{"Items": []Item{{"a", 1}, {"b", 2}}, "M": map[string]Celsius{"k": 3}, "Temp": Celsius(2)})
	fmt.Println(err)
	ch := make(chan Node, 3)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { ch <- leaf(i) })
	}
	wg.Wait()
	close(ch)
	sum := 0
	for n := range ch {
		sum += int(n.(leaf))
	}
	fmt.Println(sum, len(ch))
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready := false
	go func() { mu.Lock(); ready = true; cond.Broadcast(); mu.Unlock() }()
	mu.Lock()
	for !ready {
		cond.Wait()
	}
	mu.Unlock()
	tk := time.NewTicker(time.Millisecond)
	n := 0
	for range tk.C {
		if n++; n == 3 {
			tk.Stop()
			break
		}
	}
	fmt.Println(n)
	pr, pw := io.Pipe()
	go func() { fmt.Fprint(pw, "piped"); pw.CloseWithError(myErr{io.ErrUnexpectedEOF, "closed"}) }()
	b, err = io.ReadAll(pr)
	fmt.Println(string(b), err)
	var pool = sync.Pool{New: func() any { return new(Event) }}
	fmt.Println(pool.Get().(*Event).Kind)
	var sm sync.Map
	sm.Store(leaf(1), branch{leaf(2)})
	v, ok := sm.Load(leaf(1))
	fmt.Println(v, ok)
	v, ok = sm.Load(1)
	fmt.Println(v, ok)
	f := sync.OnceValue(func() Enum { return 2 })
	fmt.Println(f(), f())
}

type Item struct {
	Name string
	N    int
}

func (i Item) Upper() string { return strings.ToUpper(i.Name) }
