package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/godp/kernel/worker"
)

var moreDeclarations = []string{`
type Stack[T any] struct {
	items []T
	Size  int
}

// Push adds x on top.
func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func (s *Stack[T]) Pop() (x T) { return }

type Tree struct {
	Left, Right *Tree
	Value       Point
	Visit       func(p Point) error
}
type Point struct{ X, Y float64 }
func (p Point) Plus(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }
func (t *Tree) Root() *Tree { return t }
type Shape interface {
	Area() float64
	fmt.Stringer
}
func Map[A, B any](xs []A, f func(A) B) (out []B) { return }
func pair() (Point, error) { return Point{}, nil }
`, `
stack := Stack[Point]{}
tree := &Tree{}
byName := map[string]*Tree{}
lists := [][]Point{{{1, 2}}}
var shape Shape
ch := make(chan Point)
anon := struct{ Inner struct{ Deep int } }{}
arr := [3]Point{}
pp := &tree
`}

// Completion at positions in whole, unfinished and erroneous code.
func TestCompleteAnywhere(t *testing.T) {
	e := start(t, moreDeclarations...)
	for _, c := range []struct{ text, want, not string }{
		// chains
		{"tree.Left.Right.|", "Left Right Root Value Visit", ""},
		{"tree.Root().Left.Root().|", "Left Right Root Value Visit", ""},
		{"tree.Value.Plus(Point{}).|", "Plus X Y", ""},
		{"tree.Value.Plus(Point{1, 2}).Plus(|", "tree stack Point", ""},
		{"byName[\"a\"].Value.|", "Plus X Y", ""},
		{"lists[0][1].|", "Plus X Y", ""},
		{"arr[2].|", "Plus X Y", ""},
		{"arr[:].|", "", "X"},
		{"(<-ch).|", "Plus X Y", ""},
		{"(*tree).|", "Left Right Root Value Visit", ""},
		{"(*pp).|", "Left Right Root Value Visit", ""},
		{"anon.Inner.|", "Deep", ""},
		{"shape.|", "Area String", ""},
		{"strings.NewReplacer(\"a\", \"b\").|", "Replace WriteString", ""},
		{"time.Now().Add(time.Hour).|", "Format Unix Sub", ""},
		{"new(strings.Builder).|", "WriteString Len", ""},
		{"(&bytes.Buffer{}).|", "Bytes Len", "buf"},
		{"http.DefaultClient.|", "Get Do Timeout", "deadline"},
		{"mat.NewDense(2, 2, nil).|", "At Mul RawMatrix", ""},
		// generic types
		{"stack.|", "Pop Push Size items", ""},
		{"stack.Pop().|", "Plus X Y", ""},
		{"stack.items[0].|", "Plus X Y", ""},
		{"Stack[int]{}.|", "Size items", ""},
		{"Map(lists[0], func(p Point) string { return p.| })", "Plus X Y", ""},
		{"Map(lists[0], func(p Point) Tree { return Tree{} })[0].|", "Left Value", ""},
		{"slices.MaxFunc(lists[0], func(a, b Point) int { return cmp.Compare(a.|, b.X) })", "Plus X Y", ""},
		// inside functions and closures
		{"func walk(t *Tree, depth int) {\n\tif t.|\n}", "Left Right Root Value Visit", ""},
		{"func walk(t *Tree, depth int) {\n\tdep|\n}", "depth", ""},
		{"f := func(first Point, second int) {\n\tfi|\n}", "first", ""},
		{"f := func() {\n\tlocal := 3\n\tgo func() { loc| }()\n}", "local", ""},
		{"func (t *Tree) Sum() float64 {\n\treturn t.Value.| + 1\n}", "Plus X Y", ""},
		{"func (t *Tree) Sum() float64 {\n\tt.Va|\n}", "Value", ""},
		{"func (t *Tree) Sum() float64 {\n\treturn tree.Va|\n}", "Value", ""},
		{"func (t Tree) Sum() float64 {\n\treturn t.Va|\n}", "Value", ""},
		{"func (t *Tree) Sum() (x float64) {\n\tx = t.Value.|\n\treturn x\n}", "X Y", ""},
		{"func (s *Stack[T]) Len() int {\n\treturn len(s.|)\n}", "items Size Push", ""},
		{"for key, value := range byName {\n\tvalue.|\n}", "Left Right Root Value Visit", ""},
		{"for i := range 3 {\n\tarr[i].|\n}", "Plus X Y", ""},
		{"switch v := any(tree).(type) {\ncase *Tree:\n\tv.|\n}", "Left Right Root Value Visit", ""},
		{"select {\ncase p := <-ch:\n\tp.|\n}", "Plus X Y", ""},
		{"if p, err := pair(); err == nil {\n\tp.|\n}", "Plus X Y", ""},
		{"defer func() { tree.| }()", "Left Right Root Value Visit", ""},
		{"x := 1\n{\n\tyy := 2\n\t_ = yy\n}\ny|", "", "yy"},
		{"{\n\tlater := 1\n\tla|\n}", "later", ""},
		// literals
		{"Tree{Le|}", "Left", ""},
		{"Tree{|}", "Left Right Value Visit", ""},
		{"Tree{Left: nil, |}", "Right Value Visit", ""},
		{"tree = &Tree{Value: Point{|}}", "X Y", ""},
		{"[]Point{{|}}", "X Y", ""},
		{"map[string]Point{\"a\": {|}}", "X Y", ""},
		{"http.Client{Time|}", "Timeout", ""},
		{"dp.ObjectivePerturbation{E|}", "Eps", ""},
		// unfinished and erroneous
		{"tree.Left.Ri|ght.", "Right", ""},
		{"fmt.Println(tree.|", "Left Right Root Value Visit", ""},
		{"fmt.Println(\"a\", tree.Value.|, 3", "Plus X Y", ""},
		{"a := undefinedThing()\ntree.|", "Left Right Root Value Visit", ""},
		{"if tree.|", "Left Right Root Value Visit", ""},
		{"for tree.|", "Left Right Root Value Visit", ""},
		{"return tree.|", "Left Right Root Value Visit", ""},
		{"x := tree.\n|", "Left Right Root Value Visit", ""},
		{"tree.\n\tValue.\n\t|", "Plus X Y", ""},
		{"var x int = \"wrong\"\ntree.Va|", "Value", ""},
		{"func broken( {\n}\ntree.Va|", "Value", ""},
		{"tree.Va| := 3", "Value", ""},
		{"foo(bar, tree.Va|", "Value", ""},
		{"if x {\ntree.Va|", "Value", ""},
		{"lists[tree.Value.|]", "Plus X Y", ""},
		{"var t Tr|", "Tree", ""},
		{"func f(t *Tr|) {}", "Tree", ""},
		{"func f(r io.Rea|) {}", "Reader ReadWriter", ""},
		{"[]Poi|", "Point", ""},
		{"map[string]Tr|", "Tree", ""},
		{"import \"math/r|", "math/rand", ""},
		{"import (\n\t\"os\"\n\t\"net/ht|\n)", "net/http", ""},
		{"x := mat.New|", "NewDense NewVecDense", ""},
		{"_ = tree.Value.X + sta|", "stack", ""},
		{"con|", "const continue", ""},
		{"%tim|", "%time %timeit", ""},
	} {
		code, cursor := at(c.text)
		got := e.Complete(code, cursor)
		var names []string
		for _, m := range got.Matches {
			names = append(names, m.Text)
		}
		for _, w := range strings.Fields(c.want) {
			if !slices.Contains(names, w) {
				t.Errorf("%q: %q is not among %.300q", c.text, w, names)
			}
		}
		if c.not != "" && slices.Contains(names, c.not) {
			t.Errorf("%q: %q is among %.300q", c.text, c.not, names)
		}
	}
}

// Completion and inspection in a session with 500 declarations; 30 ms is what a person does not notice.
func BenchmarkQuestions(b *testing.B) {
	e, err := newEngine(worker.Streams{Panic: func(*worker.Error) {}})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 500 {
		if out := e.Execute(b.Context(), i+1, fmt.Sprintf("type T%d struct{ A, B int }\n// F%d adds.\nfunc F%d(t T%d) int { return t.A + %d }", i, i, i, i, i), worker.Options{}); out.Err != nil {
			b.Fatal(out.Err)
		}
	}
	for _, c := range []string{"F4|", "T400{1, 2}.|", "func g(t T3) int {\n\tx := F3(t)\n\treturn t.|\n}", "dp.|", "mat.NewDense(2, 2, nil).|"} {
		code, cursor := at(c)
		b.Run("complete "+strings.Fields(c)[0], func(b *testing.B) {
			for b.Loop() {
				e.Complete(code, cursor)
			}
		})
	}
	for _, c := range []string{"F40|0(T400{})", "dp.Objective|Perturbation"} {
		code, cursor := at(c)
		b.Run("inspect "+c, func(b *testing.B) {
			for b.Loop() {
				e.Inspect(code, cursor, 0)
			}
		})
	}
}
