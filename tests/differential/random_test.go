package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomPrograms are well-typed programs made from seeds. They end, print the same every time, and are dense in what an
// interpreter gets wrong: captured variables, defers, copies, method values, named types in interfaces, generics, panics.
func randomPrograms(*testing.T) (ps []*program) {
	for seed := range *random {
		seed += *firstSeed
		ps = append(ps, &program{name: fmt.Sprintf("random/%04d", seed), source: randomProgram(uint64(seed))})
	}
	return ps
}

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

// gen writes one program.
type gen struct {
	r      *rand.Rand
	b      strings.Builder
	indent int
	next   int
	funcs  []function
	scope  []variable
	depth  int // of nested statements
	loops  int
	inLit  int // function literals entered
}

type variable struct{ name, typ string }

type function struct {
	name   string
	params []string
	result string
}

// Types of variables, parameters and results.
var genTypes = []string{"int", "int", "int", "string", "bool", "float64", "[]int", "[]int", "Point", "*Point", "Box", "Color", "Meters", "map[string]int", "func(int) int",
	"any", "Plusser", "[3]int", "error", "*Stack[int]", "Pair[string, int]", "[]Point", "uint8", "[]func() int", "chan int"}

func randomProgram(seed uint64) string {
	g := &gen{r: rand.New(rand.NewPCG(seed, 17))}
	g.b.WriteString(prelude + preludeMore + preludeSort)
	n := 2 + g.r.IntN(4)
	for range n {
		f := function{name: g.name("f"), result: g.typ()}
		for range g.r.IntN(4) {
			f.params = append(f.params, g.typ())
		}
		g.function(f)
		g.funcs = append(g.funcs, f)
	}
	g.line("func main() {")
	g.indent++
	g.block(15 + g.r.IntN(15))
	g.indent--
	g.line("}")
	return g.b.String()
}

func (g *gen) name(prefix string) string { g.next++; return fmt.Sprint(prefix, g.next) }
func (g *gen) typ() string               { return genTypes[g.r.IntN(len(genTypes))] }
func (g *gen) one(s ...string) string    { return s[g.r.IntN(len(s))] }

func (g *gen) line(f string, a ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("\t", g.indent), fmt.Sprintf(f, a...))
}

func (g *gen) function(f function) {
	save := g.scope
	g.scope = nil
	var ps []string
	for _, t := range f.params {
		p := g.name("p")
		ps = append(ps, p+" "+t)
		g.scope = append(g.scope, variable{p, t})
	}
	named := g.r.IntN(3) == 0
	result := f.result
	if named {
		result = "(res " + f.result + ")"
	}
	g.line("func %s(%s) %s {", f.name, strings.Join(ps, ", "), result)
	g.indent++
	g.line("if fuel--; fuel < 0 {")
	g.line("\treturn %s", g.zero(f.result))
	g.line("}")
	if named {
		g.scope = append(g.scope, variable{"res", f.result})
	}
	g.block(2 + g.r.IntN(5))
	g.line("return %s", g.expr(f.result, 2))
	g.indent--
	g.line("}\n")
	g.scope = save
}

// zero is a value of the type that mentions no variable.
func (g *gen) zero(t string) string {
	switch t {
	case "int":
		return "0"
	case "Color", "Meters", "float64", "uint8":
		return t + "(0)"
	case "string":
		return `""`
	case "bool":
		return "false"
	case "Plusser":
		return "Point{}"
	case "func(int) int":
		return "func(x int) int { return x }"
	case "*Point":
		return "&Point{}"
	case "*Stack[int]":
		return "&Stack[int]{}"
	case "any", "error", "[]int", "[]Point", "[]func() int":
		return "(" + t + ")(nil)"
	case "map[string]int":
		return "map[string]int{}"
	case "chan int":
		return "make(chan int, 1)"
	}
	return t + "{}"
}

// pick returns a variable of the type, if there is one.
func (g *gen) pick(t string) (string, bool) {
	var names []string
	for _, v := range g.scope {
		if v.typ == t {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return names[g.r.IntN(len(names))], true
}

// expr is an expression of the type that can stand before a selector. The deeper, the simpler.
func (g *gen) expr(t string, depth int) string {
	x := g.bare(t, depth)
	if strings.Trim(x, "abcdefghijklmnopqrstuvwxyz0123456789") == "" || x[0] == '"' && strings.Count(x, `"`) == 2 {
		return x
	}
	return "(" + x + ")"
}

func (g *gen) bare(t string, depth int) string {
	if v, ok := g.pick(t); ok && (depth <= 0 || g.r.IntN(3) > 0) {
		return v
	}
	if depth <= 0 {
		if t == "int" {
			return fmt.Sprint(g.r.IntN(20) - 5)
		}
		return g.zero(t)
	}
	d := depth - 1
	e := func(t string) string { return g.expr(t, d) }
	if g.r.IntN(6) == 0 {
		for _, i := range g.r.Perm(len(g.funcs)) {
			if f := g.funcs[i]; f.result == t {
				var args []string
				for _, p := range f.params {
					args = append(args, g.argument(p, d))
				}
				return f.name + "(" + strings.Join(args, ", ") + ")"
			}
		}
	}
	switch t {
	case "int":
		switch g.r.IntN(20) {
		case 0, 1, 2:
			return "(" + e("int") + g.one(" + ", " - ", " * ", " &^ ", " | ", " ^ ") + e("int") + ")"
		case 3:
			return "(" + e("int") + g.one(" / ", " % ") + g.one("3", "7", "-2") + ")"
		case 4:
			return "len(" + e(g.one("string", "[]int", "map[string]int", "[]Point")) + ")"
		case 5:
			return "at(" + e("[]int") + ", " + e("int") + ")"
		case 6:
			return e("Point") + g.one(".X", ".Y", ".Sum()")
		case 7:
			return e("*Point") + ".Plus(" + e("int") + ")"
		case 8:
			return e("Plusser") + ".Plus(" + e("int") + ")"
		case 9:
			return "(" + e("func(int) int") + ")(" + e("int") + ")"
		case 10:
			return e("map[string]int") + `["a"]`
		case 11:
			return e("[3]int") + "[" + g.one("0", "1", "2") + "]"
		case 12:
			return "Fold(" + e("[]int") + ", " + e("int") + ", func(a, x int) int { return a - x })"
		case 13:
			return "Total(" + e("int") + ", " + e("int") + ")"
		case 14:
			return "int(" + e(g.one("uint8", "Color")) + ")"
		case 15:
			return e("Box") + g.one(".X", ".Arr[1]", ".Sum()", ".Point.Y")
		case 16:
			return g.one("min", "max") + "(" + e("int") + ", " + e("int") + ")"
		case 17:
			return e("Pair[string, int]") + ".Val"
		default:
			// A counter of its own: one that others read would make the order of evaluation matter, which Go leaves open.
			n := g.name("n")
			return "func() int { " + n + " := " + e("int") + "; for range 2 { defer func() { " + n + "++ }(); " + n + " += 3 }; return " + n + " }()"
		}
	case "string":
		switch g.r.IntN(6) {
		case 0:
			return "(" + e("string") + " + " + e("string") + ")"
		case 1:
			return "kind(" + e("any") + ")"
		case 2:
			return "fmt.Sprint(" + g.printable(d) + ")"
		case 3:
			return "strings.Repeat(" + e("string") + ", 2)[:0]"
		case 4:
			return e("Color") + ".String()"
		default:
			return fmt.Sprintf("%q", g.one("a", "bb", "héé", ""))
		}
	case "bool":
		switch g.r.IntN(5) {
		case 0:
			return "(" + e("int") + g.one(" < ", " == ", " >= ") + e("int") + ")"
		case 1:
			return "(" + e("bool") + g.one(" && ", " || ") + e("bool") + ")"
		case 2:
			return "(" + e("Point") + " == " + e("Point") + ")"
		case 3:
			return "(" + e("any") + " == any(" + e(g.one("int", "string", "Color", "Point")) + "))"
		default:
			return "!" + e("bool")
		}
	case "float64":
		return g.one("float64("+e("int")+")", "("+e("float64")+" / 4)", "float64("+e("Meters")+")", "Total("+e("float64")+", 0.5)")
	case "uint8":
		return g.one("u8("+e("int")+")", "(u8("+e("int")+") + 200)", "(u8("+e("int")+") << 3)")
	case "Color":
		return g.one("Red", "Green", "Blue", "Color("+e("int")+")", "("+e("Color")+" + 1)")
	case "Meters":
		return g.one("Meters("+e("float64")+")", "Total("+e("Meters")+", 1.5)", "Meters(2.5)")
	case "[]int":
		switch g.r.IntN(6) {
		case 0:
			return "append(append([]int(nil), " + e("[]int") + "...), " + e("int") + ")"
		case 1:
			return "append([]int(nil), " + e("[]int") + "...)"
		case 2:
			return "Map(" + e("[]int") + ", " + e("func(int) int") + ")"
		case 3:
			return "Map(" + e("[]Point") + ", Point.Sum)"
		default:
			return "[]int{" + e("int") + ", " + e("int") + ", " + e("int") + "}"
		}
	case "[]Point":
		return g.one("[]Point{"+e("Point")+", {1, 2}}", "append([]Point{"+e("Point")+"}, "+e("[]Point")+"...)", "Map("+e("[]int")+", func(x int) Point { return Point{x, "+e("int")+"} })")
	case "[3]int":
		return g.one("[3]int{"+e("int")+", 2, "+e("int")+"}", e("Box")+".Arr", "[...]int{2: "+e("int")+"}")
	case "Point":
		return g.one("Point{"+e("int")+", "+e("int")+"}", "*"+e("*Point"), e("Box")+".Point", "Point{Y: "+e("int")+"}")
	case "*Point":
		return g.one("&Point{"+e("int")+", 1}", "func() *Point { p := "+e("Point")+"; p.Move(2); return &p }()")
	case "Box":
		return "Box{Point: " + e("Point") + ", Name: " + e("string") + ", Arr: " + e("[3]int") + "}"
	case "map[string]int":
		return `map[string]int{"a": ` + e("int") + `, "b": ` + e("int") + "}"
	case "Pair[string, int]":
		return g.one("Pair[string, int]{"+e("string")+", "+e("int")+"}", "Pairs("+`map[string]int{"k": `+e("int")+"})[0]")
	case "func(int) int":
		switch g.r.IntN(5) {
		case 0:
			return e("Point") + ".Plus"
		case 1:
			return e("*Point") + ".Plus"
		case 2:
			return e("Plusser") + ".Plus"
		default:
			x, n := g.name("x"), g.name("n")
			save := g.scope
			g.scope = append(append([]variable(nil), g.scope...), variable{x, "int"}, variable{n, "int"})
			body := g.expr("int", d)
			g.scope = save
			return "func() func(int) int { " + n + " := 1; return func(" + x + " int) int { " + n + "++; " + x + " -= 2; return " + body + " } }()"
		}
	case "any":
		return "any(" + e(g.one("int", "string", "Color", "Meters", "[]int", "Point", "*Point", "func(int) int", "float64", "[3]int", "Plusser", "error")) + ")"
	case "Plusser":
		return "Plusser(" + g.one(e("Point"), e("*Point"), "Adder("+e("func(int) int")+")", "&Box{Point: "+e("Point")+"}") + ")"
	case "error":
		return g.one("error(&Bad{"+e("int")+"})", `errors.New("e")`, `fmt.Errorf("w %w", `+e("error")+")", `errors.Join(&Bad{1}, errors.New("j"))`)
	case "*Stack[int]":
		return "(&Stack[int]{}).Push(" + e("int") + ").Push(" + e("int") + ")"
	case "[]func() int":
		return "[]func() int{func() int { return " + e("int") + " }}"
	case "chan int":
		return "func() chan int { c := make(chan int, 2); c <- " + e("int") + "; return c }()"
	}
	return g.zero(t)
}

// argument is an expression of the type that gives the function called nothing by which it could change what the rest of
// the expression reads.
func (g *gen) argument(t string, depth int) string {
	save := g.scope
	g.scope = nil
	for _, v := range save {
		switch v.typ {
		case "*Point", "Plusser", "any", "map[string]int", "*Stack[int]", "chan int", "[]func() int", "func(int) int":
		default:
			g.scope = append(g.scope, v)
		}
	}
	x := g.expr(t, depth)
	g.scope = save
	return x
}

// mutation is a short statement that changes a variable, if there is one to change.
func (g *gen) mutation() string {
	if v, ok := g.pick("int"); ok {
		return g.one(v+"++", v+" += 2", v+" ^= 5", v+" *= 3")
	}
	if v, ok := g.pick("Point"); ok {
		return g.one(v+".X++", v+".Move(1)")
	}
	return "fuel--"
}

// printable is a list of arguments for fmt.Println that print no addresses.
func (g *gen) printable(depth int) string {
	var args []string
	for range 1 + g.r.IntN(3) {
		args = append(args, g.expr(g.one("int", "string", "bool", "float64", "[]int", "Point", "Color", "Meters", "[3]int", "map[string]int", "Pair[string, int]", "[]Point", "uint8", "error", "Box"), depth))
	}
	return strings.Join(args, ", ")
}

func (g *gen) block(n int) {
	save := g.scope
	g.depth++
	for range n {
		g.statement()
	}
	g.depth--
	g.scope = save
}

// body writes a nested block.
func (g *gen) body(n int) {
	g.indent++
	g.block(n)
	g.indent--
}

func (g *gen) declare(t, init string) string {
	v := g.name("v")
	if g.r.IntN(4) == 0 || t == "Plusser" || t == "any" || t == "error" || init == "nil" || init == "0" {
		g.line("var %s %s = %s", v, t, init)
	} else {
		switch t {
		case "uint8", "Color", "Meters", "float64":
			init = t + "(" + init + ")"
		}
		g.line("%s := %s", v, init)
	}
	g.line("_ = %s", v)
	g.scope = append(g.scope[:len(g.scope):len(g.scope)], variable{v, t})
	return v
}

func (g *gen) statement() {
	deep := g.depth > 4
	if g.r.IntN(4) == 0 {
		g.template()
		return
	}
	switch n := g.r.IntN(30); {
	case n < 6:
		t := g.typ()
		g.declare(t, g.expr(t, 2))
	case n < 10:
		g.line("fmt.Println(%q, %s)", g.name("#"), g.printable(2))
	case n < 12:
		t := g.typ()
		if v, ok := g.pick(t); ok {
			g.line("%s = %s", v, g.expr(t, 2))
		} else {
			g.line("%s", g.mutation())
		}
	case n == 12 && !deep:
		g.line("if %s {", g.expr("bool", 2))
		g.body(2)
		g.line("} else {")
		g.body(1)
		g.line("}")
	case n == 13 && !deep && g.loops < 2:
		i := g.name("i")
		label := g.name("L")
		g.loops++
		labelled := g.r.IntN(2) == 0
		if labelled {
			g.line("%s:", label)
		}
		g.line("%s {", g.one(fmt.Sprintf("for %s := 0; %s < %d; %s++", i, i, 2+g.r.IntN(3), i), fmt.Sprintf("for %s := range %d", i, 2+g.r.IntN(3)), fmt.Sprintf("for %s := range count(%d)", i, 3)))
		save := g.scope // without i itself: a program that changes it might not end
		g.indent++
		g.declare("int", i)
		g.indent--
		g.body(2)
		if labelled {
			g.line("\tif %s { %s %s }", g.expr("bool", 1), g.one("break", "continue"), label)
		} else if g.r.IntN(3) == 0 {
			g.line("\tif %s { %s }", g.expr("bool", 1), g.one("break", "continue"))
		}
		g.scope = save
		g.line("}")
		g.loops--
	case n == 14 && !deep && g.loops < 2:
		v := g.name("v")
		g.loops++
		g.line("for _, %s := range %s {", v, g.expr("[]int", 1)+"[:0:0]")
		g.line("\t_ = %s", v)
		g.line("}")
		k := g.name("k")
		g.line("for %s, %s := range [...]int{%s, %s} {", k, v, g.expr("int", 1), g.expr("int", 1))
		save := g.scope
		g.scope = append(g.scope[:len(g.scope):len(g.scope)], variable{k, "int"}, variable{v, "int"})
		g.line("\t_, _ = %s, %s", k, v)
		g.body(2)
		g.scope = save
		g.line("}")
		g.loops--
	case n == 15 && g.inLit == 0 || n == 15:
		switch g.r.IntN(4) {
		case 0:
			g.line("defer fmt.Println(%q, %s)", g.name("deferred"), g.printable(1))
		case 1:
			g.line("defer func() { %s; fmt.Println(%q, %s) }()", g.mutation(), g.name("closed"), g.printable(1))
		case 2:
			g.line("defer func(x int) { fmt.Println(%q, x, %s) }(%s)", g.name("argument"), g.printable(1), g.expr("int", 1))
		default:
			p := g.name("p")
			g.line("%s := %s", p, g.expr("*Point", 1))
			g.line("defer %s.Move(%s)", p, g.expr("int", 1))
			g.line("defer func(f func() int) { fmt.Println(%q, f()) }(%s.Sum)", g.name("bound"), p)
		}
	case n == 16 && !deep:
		g.line("try(%q, func() {", g.name("t"))
		g.inLit++
		g.body(2)
		g.indent++
		switch g.r.IntN(9) {
		case 0:
			g.line("panic(%s)", g.expr(g.one("string", "int", "error", "Color", "Point", "Meters"), 1))
		case 1:
			g.line("var m map[string]int")
			g.line("m[%s] = 1", g.expr("string", 1))
		case 2:
			g.line("xs := %s", g.expr("[]int", 1))
			g.line("fmt.Println(xs[len(xs)+%d])", g.r.IntN(3))
		case 3:
			g.line("zero := len(%s) * 0", g.expr("string", 1))
			g.line("fmt.Println(%s / zero)", g.expr("int", 1))
		case 4:
			g.line("fmt.Println(%s.(%s))", g.expr("any", 1), g.one("int", "string", "Color", "Point", "fmt.Stringer", "Plusser", "error"))
		case 5:
			g.line("var p *Box")
			g.line("fmt.Println(p.Name)")
		case 6:
			g.line("defer func() { fmt.Println(recover()); panic(%s) }()", g.expr("string", 1))
			g.line("panic(1)")
		}
		g.indent--
		g.inLit--
		g.line("})")
	case n == 17 && !deep:
		g.line("switch x := %s; {", g.expr("int", 1))
		g.line("case x > %d:", g.r.IntN(5))
		g.body(1)
		if g.r.IntN(2) == 0 {
			g.line("\tfallthrough")
		}
		g.line("case x < 0:")
		g.body(1)
		g.line("default:")
		g.body(1)
		g.line("}")
	case n == 18:
		fs := g.name("fs")
		i := g.name("i")
		g.line("var %s []func() int", fs)
		g.line("for %s := %s; %s < 3; %s++ {", i, g.one("0", "1"), i, i)
		g.line("\t%s = append(%s, func() int { %s += 10; return %s })", fs, fs, i, i)
		g.line("\tif %s > 20 { break }", i)
		g.line("\t%s -= 0", i)
		g.line("\t%s", g.mutation())
		g.line("}")
		g.line("for _, f := range %s { fmt.Println(%q, f(), f()) }", fs, g.name("captured"))
	case n == 19:
		a, b := g.name("a"), g.name("b")
		t := g.one("Point", "Box", "[3]int", "Pair[string, int]")
		g.line("%s := %s", a, g.expr(t, 2))
		g.line("%s := %s", b, a)
		g.line("%s", map[string]string{"Point": b + ".X += 7", "Box": b + ".Arr[1]++; " + b + ".Y--", "[3]int": b + "[2] = 99", "Pair[string, int]": b + ".Val = -1"}[t])
		g.line("fmt.Println(%q, %s, %s, %s == %s)", g.name("copied"), a, b, map[bool]string{true: a, false: "1"}[t != "Box"], map[bool]string{true: b, false: "2"}[t != "Box"])
	case n == 20:
		f, p := g.name("f"), g.name("p")
		g.line("%s := %s", p, g.expr("Point", 1))
		g.line("%s := %s.%s", f, p, g.one("Sum", "Sum"))
		g.line("%s.X += 100", p)
		g.line("fmt.Println(%q, %s(), %s.Sum())", g.name("methodvalue"), f, p)
	case n == 21:
		g.line("fmt.Printf(%q, %s)", g.one("%v", "%+v", "%#v")+" %v %T\n", strings.Join([]string{g.expr(g.one("Point", "Color", "Meters", "Box"), 1), g.expr(g.one("Point", "Color", "[]Point", "Pair[string, int]"), 1), g.expr(g.one("Color", "Meters", "Point", "func(int) int", "[3]int"), 1)}, ", "))
	case n == 22:
		g.line("fmt.Println(%q, kind(%s), kind(%s))", g.name("kind"), g.expr("any", 2), g.expr(g.one("Point", "Color", "*Point", "error", "Plusser", "func(int) int"), 1))
	case n == 23:
		c, total := g.name("c"), g.name("total")
		g.line("%s, %s := make(chan int), 0", c, total)
		g.line("go func() { defer close(%s); for i := range 3 { %s <- i * %s } }()", c, c, fmt.Sprint(g.r.IntN(9)))
		g.line("for x := range %s { %s += x }", c, total)
		g.line("select { case x, ok := <-%s: fmt.Println(%q, x, ok, %s); default: }", c, g.name("select"), total)
	case n == 24:
		m, w := g.name("mu"), g.name("wg")
		v := g.declare("int", "0")
		g.line("var %s sync.Mutex; var %s sync.WaitGroup", m, w)
		g.line("for i := range 4 { %s.Add(1); go func() { defer %s.Done(); %s.Lock(); defer %s.Unlock(); %s += i }() }", w, w, m, m, v)
		g.line("%s.Wait()", w)
		g.line("fmt.Println(%q, %s)", g.name("wait"), v)
	case n == 25:
		s := g.expr("*Stack[int]", 2)
		x := g.name("x")
		g.line("if %s, ok := %s.Pop(); ok { fmt.Println(%q, %s) }", x, s, g.name("pop"), x)
	case n == 26:
		if a, ok := g.pick("int"); ok {
			b := g.expr("int", 1)
			v := g.declare("int", b)
			g.line("%s, %s = %s, %s", a, v, v, a)
			g.line("fmt.Println(%q, %s, %s)", g.name("swapped"), a, v)
		}
	case n == 27:
		if m, ok := g.pick("map[string]int"); ok {
			g.line("%s[%s] %s %s", m, g.expr("string", 1), g.one("=", "+=", "-="), g.expr("int", 1))
			g.line("if x, ok := %s[%q]; ok { fmt.Println(%q, x); delete(%s, \"a\") }", m, g.one("a", "zz"), g.name("found"), m)
			g.line("fmt.Println(%q, %s, len(%s))", g.name("map"), m, m)
		}
	case n == 28:
		p := g.declare("Plusser", g.expr("Plusser", 1))
		g.line("if s, ok := %s.(Summer); ok { fmt.Println(%q, s.Sum(), s.Plus(1)) } else { fmt.Println(%q, %s.Plus(4)) }", p, g.name("summer"), g.name("plus"), p)
	default:
		xs := g.declare("[]int", "append([]int{4, 3}, "+g.expr("[]int", 2)+"...)")
		ys := g.name("ys")
		g.line("%s := append(%s[:len(%s)/2], %s)", ys, xs, xs, g.expr("int", 1))
		g.line("sort.Slice(%s, func(i, j int) bool { return %s[i] < %s[j] })", ys, ys, ys)
		g.line("fmt.Println(%q, %s, %s, len(%s))", g.name("aliased"), xs, ys, xs)
	}
}
