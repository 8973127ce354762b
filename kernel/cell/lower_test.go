package cell

import (
	"flag"
	"fmt"
	goimporter "go/importer"
	"go/token"
	"go/types"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

var packages = sync.OnceValue(func() types.Importer { return goimporter.ForCompiler(token.NewFileSet(), "source", nil) })

// compiler returns one whose cells can use parts of fmt, errors, math and sync.
func compiler() *Compiler {
	return New(Config{
		Symbols: Symbols{
			"fmt/fmt":       {"Println": reflect.ValueOf(fmt.Println), "Sprint": reflect.ValueOf(fmt.Sprint), "Stringer": reflect.ValueOf((*fmt.Stringer)(nil))},
			"math/math":     {"Sqrt": reflect.ValueOf(math.Sqrt)},
			"errors/errors": {"New": reflect.ValueOf(fmt.Errorf)},
			"sync/sync":     {"Mutex": reflect.ValueOf((*sync.Mutex)(nil)), "WaitGroup": reflect.ValueOf((*sync.WaitGroup)(nil))},
		},
		Import:     func(path string) (*types.Package, error) { return packages().Import(path) },
		AutoImport: map[string]string{"fmt": "fmt", "math": "math", "errors": "errors", "sync": "sync"},
	})
}

// TestLowering compares what the interpreter is given with the golden files: cells in order, then the emitted source of
// the last one. A change in a golden file is a change of what cells mean or cost; look at it before -update.
func TestLowering(t *testing.T) {
	files, err := filepath.Glob("testdata/lower/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := compiler()
			var got string
			var want *txtar.File
			for i := range ar.Files {
				f := &ar.Files[i]
				if f.Name == "want" {
					want = f
					continue
				}
				p, errs := c.Compile(i+1, fmt.Sprintf("In[%d]", i+1), strings.TrimSpace(string(f.Data)))
				if len(errs) > 0 {
					got = strings.TrimRight(errs.Error(), "\n") + "\n"
					continue
				}
				p.Commit()
				got = p.Source
			}
			if want == nil {
				ar.Files = append(ar.Files, txtar.File{Name: "want"})
				want = &ar.Files[len(ar.Files)-1]
			}
			if strings.TrimSpace(got) == strings.TrimSpace(string(want.Data)) {
				return
			}
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("emitted:\n%s\nwant:\n%s", got, want.Data)
		})
	}
}

// A rejected cell leaves every earlier declaration as it was, and a redeclared one takes its dependants along.
func TestRedeclaration(t *testing.T) {
	c := compiler()
	run := func(text string) (*Program, ErrorList) {
		c.seq++
		p, errs := c.Compile(c.seq, fmt.Sprintf("In[%d]", c.seq), text)
		if len(errs) == 0 {
			p.Commit()
		}
		return p, errs
	}
	if _, errs := run("func f() int { return 1 }\nfunc g() int { return f() }\nvar x = g()"); errs != nil {
		t.Fatal(errs)
	}
	if _, errs := run("func f() string { return 1 }"); len(errs) != 1 || errs[0].Line != 1 {
		t.Fatalf("got %v, want one error on line 1", errs)
	}
	if got := fmt.Sprint(c.Names()); got != "[f g x]" {
		t.Errorf("after a rejected cell: %s", got)
	}
	p, errs := run("func f() int { return 2 }")
	if errs != nil {
		t.Fatal(errs)
	}
	if n := strings.Count(p.Source, "func f_"); n != 2 {
		t.Errorf("%d functions emitted, want f and its caller g:\n%s", n, p.Source)
	}
	p, errs = run(`func f(s string) int { return len(s) }`)
	if errs != nil || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "g (declared in") {
		t.Errorf("a caller that no longer compiles: %v, %v", errs, p.Warnings)
	}
	if got := fmt.Sprint(c.Names()); got != "[f x]" {
		t.Errorf("live: %s", got)
	}
}

// All errors of a cell are reported, in order, each with its place and a caret.
func TestErrors(t *testing.T) {
	_, errs := compiler().Compile(1, "In[1]", "x := undefined1\nvar s string = 3\n\ty := \"é\" + 1")
	if len(errs) != 3 {
		t.Fatalf("%d errors, want 3: %v", len(errs), errs)
	}
	for i, want := range []string{"In[1]:1:6", "In[1]:2:16", "In[1]:3:7"} {
		if !strings.HasPrefix(errs[i].Error(), want) {
			t.Errorf("error %d is %v, want it at %s", i, errs[i], want)
		}
	}
	if want := "    \ty := \"é\" + 1\n    \t     ^"; errs[2].Excerpt != want {
		t.Errorf("excerpt %q, want %q", errs[2].Excerpt, want)
	}
}

// The parts of other packages' memory that this package writes to are where it thinks they are.
func TestLayouts(t *testing.T) {
	type node struct {
		Next *dummy
		V    int
	}
	st := reflect.StructOf([]reflect.StructField{{Name: "Next", Type: reflect.TypeFor[*dummy](), Tag: `godp:"layout"`}, {Name: "V", Type: intType}})
	if st.Size() != reflect.TypeFor[node]().Size() {
		t.Fatal("not the size of the native struct")
	}
	setFieldType(st, 0, reflect.PointerTo(st))
	v := reflect.New(st)
	v.Elem().Field(0).Set(v)
	v.Elem().Field(1).SetInt(7)
	if got := v.Elem().Field(0).Elem().Field(0).Elem().Field(1).Int(); got != 7 {
		t.Errorf("through two pointers: %d, want 7", got)
	}
	p := types.NewPackage("p", "p")
	p.Scope().Insert(types.NewConst(token.NoPos, p, "c", types.Typ[types.Int], nil))
	if s := emptyScope(p); s != p.Scope() || s.Len() != 0 || s.Lookup("c") != nil || s.Parent() != types.Universe {
		t.Error("the scope was not emptied")
	}
	if c := codes(); len(c) < 5 {
		t.Errorf("only %d error codes are known: %v", len(c), c)
	}
}

// FuzzCompile: no text makes the compiler panic or hang.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{"x := 1\nx + 1", "func f(", "type T struct{ a int }\nfunc (t T) m() int { return t.a }\nT{1}.m()",
		"for i := range 3 { defer fmt.Println(i) }", "var a, b = b, 1", "switch x := any(1).(type) { case int: fmt.Println(x) }",
		"L: for { select { default: break L } }", "import \"fmt\"\nfmt.Println(", "x, err := f()\nx", "func G[T any](x T) T { return x }\nG(1)",
		"type A []A\nvar a A", "go func() { panic(1) }()", "f := func(x float64) float64 { return x * x }\nf(2)", "package main\nfunc main() {}", "}{", "`", "/*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 400 {
			return
		}
		c := compiler()
		hang := time.AfterFunc(5*time.Second, func() { panic(fmt.Sprintf("still compiling after 5 s: %q", text)) })
		defer hang.Stop()
		p, errs := c.Compile(1, "In[1]", text)
		if len(errs) == 0 {
			p.Commit()
			for _, v := range c.Variables() {
				if v.Global == "" {
					t.Errorf("variable %s has no storage", v.Name)
				}
			}
		}
	})
}
