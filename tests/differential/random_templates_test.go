package differential

import "strings"

// preludeMore is what the templates below use.
const preludeMore = `func id[T any](x T) T { return x }

type Outer struct {
	*Point
	Label string
}

func (o Outer) Sum() int { return o.Point.Sum()*10 + len(o.Label) }

type Rec struct {
	A int            ` + "`json:\"a\"`" + `
	B []string       ` + "`json:\"b,omitempty\"`" + `
	M map[string]int ` + "`json:\"m\"`" + `
	c int
}

type Temp float64

func (t Temp) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("%.1f°", float64(t))), nil }

type Shape interface {
	Area() int
	fmt.Stringer
}

type Square struct{ side int }

func (s Square) Area() int      { return s.side * s.side }
func (s Square) String() string { return fmt.Sprintf("□%d", s.side) }

type Rect struct {
	Square
	h int
}

func (r *Rect) Area() int { return r.side * r.h }

func Join[T fmt.Stringer](xs ...T) string {
	var b strings.Builder
	for i, x := range xs {
		if i > 0 {
			b.WriteByte('+')
		}
		b.WriteString(x.String())
	}
	return b.String()
}

type Tree[T any] struct {
	Left, Right *Tree[T]
	Val         T
}

func (t *Tree[T]) Insert(v T, less func(a, b T) bool) *Tree[T] {
	if t == nil {
		return &Tree[T]{Val: v}
	}
	if less(v, t.Val) {
		t.Left = t.Left.Insert(v, less)
	} else {
		t.Right = t.Right.Insert(v, less)
	}
	return t
}

func (t *Tree[T]) All() func(yield func(T) bool) {
	return func(yield func(T) bool) { t.walk(yield) }
}

func (t *Tree[T]) walk(yield func(T) bool) bool {
	return t == nil || t.Left.walk(yield) && yield(t.Val) && t.Right.walk(yield)
}

func multi(xs ...int) (n int, s string, err error) {
	defer func() {
		if n > 3 {
			err = &Bad{n}
		}
	}()
	for _, x := range xs {
		s += fmt.Sprint(x, ";")
	}
	return len(xs), s, nil
}

`

// templates are statements, each in a block of its own, that exercise one corner of the language. INT, STR, ANY and POINT
// stand for random expressions without side effects on each other, TAG for a name that finds the place in the output again.
var templates = []string{
	`fmt.Println(TAG, func() (r int) { defer func() { r *= 2 }(); for i := range count(4) { if i > 1 { return i + INT }; defer fmt.Println(TAG, i) }; return -1 }())`,
	`o := Outer{&Point{INT, INT}, STR}; o.Move(3); var s Summer = o; q := o; q.X++; fmt.Println(TAG, o.X, o.Sum(), o.Point.Sum(), s.Sum(), s.Plus(2), q.Point == o.Point)`,
	`m := map[Point][]int{}; p := POINT; m[p] = append(m[p], INT); p.X++; m[p] = append(m[p], 1, 2); m[POINT] = nil; fmt.Println(TAG, len(m), m)`,
	`grid := make([][]int, 3); for i := range grid { grid[i] = make([]int, 2); for j := range grid[i] { grid[i][j] = i*j + INT } }; row := grid[1]; row[0] = 77; cp := append([][]int(nil), grid...); cp[2] = []int{1}; n := copy(row, []int{INT, INT, INT}); fmt.Println(TAG, grid, cp, n, row[:1:1])`,
	`func() { n := 0; again: if n < 4 { n++; switch { case n == 2: goto again; case n == 3: break; default: fmt.Println(TAG, n) }; goto again } }()`,
	`s := STR + "é€x"; for i, r := range s { fmt.Print(i, ":", r, string(r), " ") }; b := []byte(s); b = append(b, 'y'); b[0] ^= 1; fmt.Println(TAG, len(b), len([]rune(s)), s[1:3] == "a", string(b[len(b)-1:]))`,
	`switch x := ANY.(type) { case int, string: fmt.Printf("%v %T\n", x, x); case fmt.Stringer: fmt.Println(TAG, x.String()); case []int, [3]int: fmt.Println(TAG, x); case nil: fmt.Println(TAG, "nil"); default: fmt.Printf("%T\n", x) }`,
	`var p *Bad; var err error = p; var none error; fmt.Println(TAG, err == nil, p == nil, none == nil, errors.Is(err, p)); err = fmt.Errorf("w: %w", &Bad{INT}); var b *Bad; ok := errors.As(err, &b); fmt.Println(ok, b, errors.Unwrap(err) == error(b))`,
	`x := int8(id(INT)); x += 100; x <<= 1; u := uint16(x); fmt.Println(TAG, x, u, x>>2, -x, ^x, uint32(u)*65537, 1<<(u&7), int64(id(INT))>>3, uint8(id(INT))/3)`,
	`type local struct { f func(int) int; n int }; l := local{n: INT}; l.f = func(x int) int { l.n += x; return l.n }; l2 := l; a := l.f(1); b := l2.f(2); fmt.Println(TAG, a, b, l.n, l2.n)`,
	`a, b, err := multi(INT, INT); fmt.Println(TAG, a, b, err); xs := []int{1, 2, 3, INT}; fmt.Println(multi(xs...)); fmt.Println(multi())`,
	`js, err := json.Marshal(Rec{INT, []string{STR}, map[string]int{"z": 1, "a": INT}, 5}); fmt.Println(TAG, string(js), err); var back Rec; err = json.Unmarshal(js, &back); fmt.Printf("%+v %v\n", back, err); js, err = json.Marshal(map[string]any{"t": Temp(1.25), "l": []Temp{2}, "p": POINT, "c": Green}); fmt.Println(string(js), err)`,
	`p := POINT; f, g := Point.Plus, (*Point).Move; g(&p, 5); fmt.Println(TAG, f(p, INT), p); fmt.Printf("%T %T\n", f, g)`,
	`c := complex(float64(id(INT)), 1.5); d := c * c / complex(2, 0); fmt.Println(TAG, d, real(d), imag(c), c == d, -c)`,
	`arr := [2][2]int{{INT, 1}, {2, 3}}; for i, r := range arr { arr[1][0] = 9; r[0]++; fmt.Println(TAG, i, r, arr) }; ptr := &arr; for i := range ptr { ptr[i][1] -= i }; b := arr; b[0][0] = -1; fmt.Println(arr, b, arr == b)`,
	`fmt.Printf("%5d|%-6s|%x|%q|%08.3f|%t|%c|%U|%e|%v|%+d|%6.2f%%|%*d\n", INT, STR, STR, STR, float64(id(INT)), id(INT) > 2, 'a'+rune(id(INT)&7), 'λ', float64(id(INT)), [2]bool{true}, INT, 2.5, 5, INT)`,
	`f := func() (err error) { defer func() { if e := recover(); e != nil { err = fmt.Errorf("wrapped: %v", e) } }(); for i := range 3 { defer func() { fmt.Println(TAG, "unwind", i) }() }; panic(ANYPRINT) }; fmt.Println(f())`,
	`c1, c2 := make(chan Point, 2), make(chan int); c1 <- POINT; c1 <- POINT; close(c1); for range 3 { select { case p, ok := <-c1: fmt.Println(TAG, p, ok); case x := <-c2: fmt.Println("never", x) } }; fmt.Println(len(c1), cap(c1))`,
	`fmt.Println(TAG, Join(Red, Blue, Color(id(INT))), Join[Shape](Square{INT}, &Rect{Square{2}, INT}), Join[fmt.Stringer]())`,
	`shapes := []Shape{Square{INT}, &Rect{Square{3}, INT}}; for i, s := range shapes { _, isRect := s.(*Rect); fmt.Println(TAG, i, s, s.Area(), isRect) }; fmt.Printf("%v %+v\n", shapes[0], shapes[:1])`,
	`m := map[string]int{"b": INT, "a": 2, "c": 3}; ks := slices.Sorted(maps.Keys(m)); ps := []Point{{2, INT}, {1, 2}, {2, 0}}; slices.SortStableFunc(ps, func(a, b Point) int { return cmp.Compare(a.X, b.X) }); i, ok := slices.BinarySearch(ks, "b"); fmt.Println(TAG, ks, ps, i, ok, slices.Max(ks), slices.Contains(ps, Point{1, 2}), slices.Index(ks, "zz"))`,
	`if x := INT; x > 3 { x := x * 2; fmt.Println(TAG, x) } else if y := x + 1; y > 0 { fmt.Println(TAG, x, y) } else { fmt.Println(TAG, -x) }`,
	`var fact func(int) int; fact = func(n int) int { if n <= 1 { return 1 }; return n * fact(n-1) }; var even, odd func(int) bool; even = func(n int) bool { return n == 0 || odd(n-1) }; odd = func(n int) bool { return n != 0 && even(n-1) }; fmt.Println(TAG, fact(id(INT)&7), even(id(INT)&15))`,
	`n := 0; s := strings.Map(func(r rune) rune { n++; if r == 'b' { return -1 }; return r + 1 }, STR+"abc"); fs := strings.FieldsFunc("a1b22c"+STR, func(r rune) bool { return r >= '0' && r <= '9' }); fmt.Println(TAG, s, n, fs, len(fs))`,
	`var once sync.Once; var total atomic.Int64; var wg sync.WaitGroup; for i := range 5 { wg.Go(func() { once.Do(func() { total.Add(100) }); total.Add(int64(i)) }) }; wg.Wait(); fmt.Println(TAG, total.Load())`,
	`m := map[any]string{1: "int", "a": "string", Point{1, 2}: "point", Red: "red", [2]int{1, 2}: "array", 1.5: "float", nil: "nil"}; fmt.Println(TAG, len(m), m[1], m[Point{1, 2}], m[Color(0)], m[0], m[[2]int{1, 2}], m[nil], m[ANYKEY] == "")`,
	`const ( ka = iota*10 + 1; kb; _; kd ); const big = 1 << 40; type W uint8; const kw W = 250; w := kw; w += 10; fmt.Println(TAG, ka, kb, kd, big>>38, w, kw)`,
	`out := make([]int, 4); var wg sync.WaitGroup; for i := range out { wg.Add(1); go func() { defer wg.Done(); for j := range i { out[i] += j * INT } }() }; wg.Wait(); fmt.Println(TAG, out)`,
	`var t *Tree[int]; for _, x := range []int{5, INT, 2, INT, 9} { t = t.Insert(x, func(a, b int) bool { return a < b }) }; for v := range t.All() { if v == 9 { break }; fmt.Print(v, " ") }; var st *Tree[string]; st = st.Insert(STR, func(a, b string) bool { return a > b }).Insert("m", func(a, b string) bool { return a > b }); for v := range st.All() { fmt.Print(v, ",") }; fmt.Println(TAG)`,
	`func() { outer: for i := range 3 { for j := range 3 { switch { case j == 1: continue outer; case i == 2: break outer }; defer fmt.Println(TAG, i, j) } } }()`,
	`x := INT; p := &x; pp := &p; **pp += 2; q := *pp; y := 5; *pp = &y; *p++; fmt.Println(TAG, x, y, *q, p == q)`,
	`s := []int{1, 2, 3, 4, 5}; a, b := s[1:3], s[1:3:3]; a = append(a, INT); b = append(b, 99); clear(s[:1]); fmt.Println(TAG, s, a, b, len(a), cap(b) >= 3, min(s[0], s[1], 7), max(2.5, float64(s[2])))`,
	`it, stop := iter.Pull(count(3)); v, ok := it(); w, _ := it(); stop(); _, after := it(); fmt.Println(TAG, v, ok, w, after)`,
	`func() { defer func() { e := recover(); err, ok := e.(error); fmt.Println(TAG, ok, err); var re runtime.Error; fmt.Println(errors.As(err, &re)) }(); var xs []int; i := id(INT) + 10; fmt.Println(xs[i]) }()`,
	`f := func(xs ...any) { fmt.Print(len(xs), " "); fmt.Println(xs...) }; f(); f(nil); f(INT, STR, POINT, Blue, Meters(1)); f([]any{1, "b"}...)`,
	`a := [5]int{3: INT, 1}; s := a[1:4]; s[0] = 8; b := [...]string{2: "z", 0: STR}; type pt = Point; var q pt = POINT; fmt.Println(TAG, a, len(b), b, q.Sum(), len(s), cap(s))`,
	`var sb strings.Builder; w := io.MultiWriter(&sb, io.Discard); fmt.Fprintf(w, "%d-%s", INT, STR); r := bufio.NewScanner(strings.NewReader("l1\nl2\n" + sb.String())); for r.Scan() { fmt.Print(r.Text(), "|") }; fmt.Println(TAG)`,
	`type node struct { next *node; v int }; var head *node; for i := range 3 { head = &node{head, i + INT} }; n := 0; for p := head; p != nil; p = p.next { n = n*10 + p.v }; fmt.Println(TAG, n, head.next.next.next == nil)`,
	`fn := map[string]func(...int) int{"sum": func(xs ...int) (t int) { for _, x := range xs { t += x }; return }, "len": func(xs ...int) int { return len(xs) }}; g, ok := fn["no"]; fmt.Println(TAG, fn["sum"](INT, 2, 3), fn["len"](), g == nil, ok)`,
	`h := &IntHeap{5, 2, INT}; heap.Init(h); heap.Push(h, 1); for h.Len() > 0 { fmt.Print(heap.Pop(h), " ") }; fmt.Println(TAG)`,
	`sort.Sort(sort.Reverse(sort.IntSlice([]int{1}))); xs := byLen{"ccc", STR, "a"}; sort.Sort(xs); fmt.Println(TAG, xs, sort.IsSorted(xs))`,
}

// preludeSort is what the templates about compiled interfaces use.
const preludeSort = `type IntHeap []int

func (h IntHeap) Len() int           { return len(h) }
func (h IntHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h IntHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *IntHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *IntHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

type byLen []string

func (s byLen) Len() int           { return len(s) }
func (s byLen) Less(i, j int) bool { return len(s[i]) < len(s[j]) }
func (s byLen) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

`

// template writes one of the templates with its blanks filled in.
func (g *gen) template() {
	text := templates[g.r.IntN(len(templates))]
	var b strings.Builder
	for text != "" {
		i := strings.IndexAny(text, "ISATP")
		if i < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, "INT"):
			b.WriteString(g.expr("int", 1))
			text = text[3:]
		case strings.HasPrefix(text, "STR"):
			b.WriteString(g.expr("string", 1))
			text = text[3:]
		case strings.HasPrefix(text, "ANYPRINT"):
			b.WriteString("any(" + g.expr(g.one("int", "string", "Color", "Point", "Meters", "[3]int"), 1) + ")")
			text = text[8:]
		case strings.HasPrefix(text, "ANYKEY"):
			b.WriteString("any(" + g.expr(g.one("int", "string", "Color", "Point", "[3]int"), 1) + ")")
			text = text[6:]
		case strings.HasPrefix(text, "ANY"):
			b.WriteString("any(" + g.expr(g.one("int", "string", "Color", "Point", "Meters", "[]int", "[3]int", "float64"), 1) + ")")
			text = text[3:]
		case strings.HasPrefix(text, "POINT"):
			b.WriteString(g.expr("Point", 1))
			text = text[5:]
		case strings.HasPrefix(text, "TAG"):
			b.WriteString(`"` + g.name("t") + `"`)
			text = text[3:]
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	g.line("{")
	for _, s := range strings.Split(b.String(), "\n") {
		g.line("\t%s", s)
	}
	g.line("}")
}
