package cell

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// tiny are cut-down packages to check against, so that the tests need no export data.
var tiny = map[string]string{
	"fmt":     "package fmt; func Println(a ...any) (int, error) { return 0, nil }; func Printf(f string, a ...any) {}; func Sprint(a ...any) string { return \"\" }",
	"strconv": "package strconv; func Atoi(s string) (int, error) { return 0, nil }",
	"math":    "package math; func Sqrt(x float64) float64 { return x }; const Pi = 3.14; func Max(x, y float64) float64 { return x }",
	"bytes":   "package bytes; type Buffer struct { buf []byte; Off int }; func (b *Buffer) WriteString(s string) {}; func (b *Buffer) grow() {}",
}

type tinyImporter struct {
	mu   sync.Mutex
	fset *token.FileSet
	done map[string]*types.Package
}

func (i *tinyImporter) Import(path string) (*types.Package, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if p := i.done[path]; p != nil {
		return p, nil
	}
	src, ok := tiny[path]
	if !ok {
		return nil, fmt.Errorf("no package %s", path)
	}
	f, err := parser.ParseFile(i.fset, path, src, 0)
	if err != nil {
		return nil, err
	}
	p, err := (&types.Config{}).Check(path, i.fset, []*ast.File{f}, nil)
	i.done[path] = p
	return p, err
}

const prelude = `package main
import ("fmt"; "strconv"; "math"; "bytes")
var _ = fmt.Sprint
var _ = strconv.Atoi
var _ = math.Pi
var _ bytes.Buffer
type T struct{ Name string; age int; E }
type E struct{ Deep int }
func (t *T) Hello() {}
type I interface{ Hello() }
func f(a int, b string) error { return nil }
func g() {}
func G[K any](n int) K { var k K; return k }
func two() (n int, err error) { return 0, nil }
func variadic(xs ...int) {}
func _() {
	var (
		t T; p *T; a, count int; x float64; s string; xs []int; m map[string]T; bb bytes.Buffer; r rune; accuracy float64
	)
	_, _, _, _, _, _, _, _, _, _, _ = t, p, a, count, x, s, xs, m, bb, r, accuracy
`

// firstError checks stmt after the prelude and returns the first error and what is known about it.
func firstError(t testing.TB, src string) (types.Error, Hints) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "In[1]", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	imp := &tinyImporter{fset: fset, done: map[string]*types.Package{}}
	var first *types.Error
	conf := types.Config{Importer: imp, Error: func(err error) {
		if e := err.(types.Error); first == nil && !strings.HasPrefix(e.Msg, "declared and not used") {
			first = &e
		}
	}}
	pkg, _ := conf.Check("main", fset, []*ast.File{file}, info)
	if first == nil {
		t.Fatalf("no error in\n%s", src)
	}
	h := Hints{File: file, Info: info, Packages: map[string]string{}, Imported: map[string]bool{}}
	for path := range tiny {
		h.Packages[path], h.Imported[path] = path, true
	}
	h.Packages["http"] = "net/http"
	h.Exported = func(path string) []string {
		p, err := imp.Import(path)
		if err != nil || tiny[path] == "" {
			return nil
		}
		return p.Scope().Names()
	}
	for s := pkg.Scope().Innermost(first.Pos); s != nil; s = s.Parent() {
		if s != types.Universe {
			h.Names = append(h.Names, s.Names()...)
		}
	}
	return *first, h
}

func TestSuggestions(t *testing.T) {
	for _, c := range []struct{ stmt, want string }{
		{`fmt.Prinln("x")`, "did you mean fmt.Println?"},
		{`fmt.println("x")`, "fmt.println is not exported; did you mean fmt.Println?"},
		{`Println("x")`, "did you mean fmt.Println?"},
		{`http.Get("x")`, `import "net/http"`},
		{`_ = cuont`, "did you mean count?"},
		{`_ = Count`, "did you mean count?"},
		{`_ = acuracy`, "did you mean accuracy?"},
		{`_ = acc`, ""},
		{`_ = fmtt.Sprint(1)`, "did you mean fmt?"},
		{`_ = mth.Pi`, "did you mean math?"},
		{`y = 5`, "to declare it write y := …"},
		{`cuont = 5`, "did you mean count?; to declare it write cuont := …"},
		{`_ = null`, "in Go this is nil"},
		{`var d double`, "in Go this is float64"},
		{`_ = sqrt(2)`, "in Go this is math.Sqrt"},
		{`var d strng`, "did you mean string?"},
		{`t.name = "x"`, "did you mean t.Name?"},
		{`t.Nmae = "x"`, "did you mean t.Name?"},
		{`t.Dep = 1`, "did you mean t.Deep?"},
		{`t.hello()`, "did you mean t.Hello?"},
		{`p.Helo()`, "did you mean p.Hello?"},
		{`t.Quux()`, ""},
		{`bb.buf = nil`, "buf is unexported: only the package that declares it can use it"},
		{`bb.off = 1`, "did you mean bb.Off?"},
		{`bb.grow()`, "grow is unexported: only the package that declares it can use it"},
		{`_ = xs.len`, "in Go this is len(xs)"},
		{`xs.append(1)`, "in Go this is xs = append(xs, …)"},
		{`_ = s.upper()`, "in Go this is strings.ToUpper(s)"},
		{`a := 1`, "the variables exist already: assign to them with ="},
		{`n := strconv.Atoi("1"); _ = n`, "strconv.Atoi returns (int, error): write a, err := …, with _ for a value that is not needed"},
		{`n := two(); _ = n`, "two returns (n int, err error): write n, err := …, with _ for a value that is not needed"},
		{`var n = strconv.Atoi("1"); _ = n`, "strconv.Atoi returns (int, error): write a, err := … first"},
		{`fmt.Println(strconv.Atoi("1") + 1)`, "strconv.Atoi returns (int, error): write a, err := … first"},
		{`f(1)`, "f(a int, b string) error"},
		{`f(1, "a", 3)`, "f(a int, b string) error"},
		{`g(1)`, "g()"},
		{`math.Sqrt()`, "math.Sqrt(x float64) float64"},
		{`t.Hello(1)`, "t.Hello()"},
		{`var y float64 = a; _ = y`, "convert it: float64(a)"},
		{`a = x`, "convert it: int(x), which drops the fraction"},
		{`_ = math.Sqrt(a)`, "convert it: float64(a)"},
		{`_ = math.Sqrt(a + 1)`, "convert it: float64(a + 1)"},
		{`s = a`, "to write the number as text: strconv.Itoa(a)"},
		{`s = x`, "to write the number as text: fmt.Sprint(x)"},
		{`a = s`, "to read a number: n, err := strconv.Atoi(s)"},
		{`x = s`, "to read a number: f, err := strconv.ParseFloat(s, 64)"},
		{`s = r`, "to write the number as text: fmt.Sprint(r)"},
		{`s = 5`, `write it as text: "5"`},
		{`_ = a + x`, "convert one side: float64(a) + x"},
		{`_ = x * a`, "convert one side: x * float64(a)"},
		{`_ = s + 1`, "to join text and a number: s + fmt.Sprint(1)"},
		{`_ = "n" + a`, `to join text and a number: "n" + fmt.Sprint(a)`},
		{`_ = s[0] == "a"`, "a single character stands in single quotes: 'a'"},
		{`if a { }`, `a condition must be a bool: compare, as in x != 0, s != "" or p != nil`},
		{`_ = !a`, "! takes a bool: write a == 0"},
		{`m["a"].Name = "b"`, `copy it, change the copy, store it back: v := m["a"]; v.Name = …; m["a"] = v`},
		{`var i I = t; _ = i`, "Hello has a pointer receiver: use &t"},
		{`p = t`, "take its address: &t"},
		{`t = p`, "take the value it points at: *p"},
		{`variadic(xs)`, "if the function takes any number of values, spread the slice: xs..."},
		{`append(xs, 1)`, "append returns the new slice: xs = append(xs, 1)"},
		{`v := g(); _ = v`, "g() returns nothing: call it on a line of its own"},
		{`_ = G(3)`, "name the type: G[T](…), with T the type for K"},
		{`a == 1`, "== compares; to assign write a = 1"},
		{`var e error = "bad"; _ = e`, `make an error: errors.New("bad")`},
		{`_ = T{name: "x"}`, "did you mean Name?"},
		{`_ = T{Nmae: "x"}`, "did you mean Name?"},
		{`_ = T{"a", 1}`, "name the fields: T{Name: …, age: …, E: …}"},
		{`a = nil`, "nil is for pointers, slices, maps, channels, functions and interfaces; an empty int is 0"},
		{`x = x % 2`, "% is for integers: use math.Mod(x, y)"},
		{`_ = xs == xs`, "compare slices with slices.Equal"},
		{`const c = 1; c = 2`, "c is a constant: declare it with var to change it"},
		{`s[0] = 'a'`, "a string cannot be changed: work on b := []byte(s) and take string(b)"},
		{`return 1`, "the function has no results: declare them after its parameters, as in func f() int"},
		{`_ = func() (int, error) { return 1 }`, "the function returns (int, error)"},
		{`_ = func() int { if a > 1 { return 1 } }`, "every path through the function must end in return (or panic)"},
		{`_ = a / 0`, ""},
		{`_ = x ** 2`, "Go has no ** operator: math.Pow(x, …)"},
		{`var a2 int; var a2 int`, "a2 exists already in this block: assign to it with ="},
	} {
		err, h := firstError(t, prelude+c.stmt+"\n}\n")
		if got := h.For(err); got != c.want {
			t.Errorf("%s\n  %s\n  got  %q\n  want %q", c.stmt, err.Msg, got, c.want)
		}
	}
}

// TestSuggestWithNamesOnly checks what is proposed when only the names in scope are known.
func TestSuggestWithNamesOnly(t *testing.T) {
	for msg, want := range map[string]string{
		"undefined: cuont": "did you mean count?", "undefined: mth": "did you mean math?", "undefined: qqqqqq": "", "undefined: x": "",
		"undefined: fmt.Prin": "", "undefined: Nil": "did you mean nil?", "something else": "", "undefined: cat": "did you mean bat or rat?",
		"not enough arguments in call to f\n\thave (number)\n\twant (int, string)":        "f takes (int, string)",
		"too many arguments in call to g\n\thave (number)\n\twant ()":                     "g takes no arguments",
		"t.name undefined (type T has no field or method name, but does have field Name)": "did you mean t.Name?",
	} {
		if got := Suggest(types.Error{Msg: msg}, []string{"count", "t", "bat", "rat"}, map[string]string{"math": "math"}); got != want {
			t.Errorf("%s: got %q, want %q", msg, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"abc", "abd", 1}, {"ca", "abc", 3}, {"héllo", "hello", 1}} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := edits(a, b)
		if d != edits(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) || d < max(len(a)-len(b), len(b)-len(a)) {
			t.Fatalf("edits(%q, %q) = %d", a, b, d)
		}
	})
}

// FuzzSuggest feeds statements; no suggestion may panic or span lines.
func FuzzSuggest(f *testing.F) {
	for _, s := range []string{"fmt.Prinln(1)", "t.Nmae = 1", "_ = T{Nmae: 1}", "n := strconv.Atoi(s)", "s = a + x", "f(1)", "xs.append(1)", "y = 5", "_ = !s", "p = t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stmt string) {
		src := prelude + stmt + "\n}\n"
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "In[1]", src, parser.SkipObjectResolution)
		if err != nil {
			return
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		var errs []types.Error
		conf := types.Config{Importer: &tinyImporter{fset: fset, done: map[string]*types.Package{}}, Error: func(err error) { errs = append(errs, err.(types.Error)) }}
		_, _ = conf.Check("main", fset, []*ast.File{file}, info)
		for _, e := range errs {
			for _, h := range []Hints{{File: file, Info: info}, {Names: []string{"count"}}} {
				if s := h.For(e); strings.Contains(s, "\n\n") {
					t.Errorf("%q: %q", e.Msg, s)
				}
			}
		}
	})
}

func ExampleSuggest() {
	err := types.Error{Msg: "undefined: epsilom"}
	fmt.Println(Suggest(err, []string{"delta", "epsilon"}, nil))
	// Output: did you mean epsilon?
}
