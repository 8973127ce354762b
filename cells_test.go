package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/godp/kernel/worker"
)

// output runs cells one after the other in one session and returns what they print and show, errors included.
func output(t *testing.T, cells ...string) string {
	t.Helper()
	var b strings.Builder
	e, err := newEngine(worker.Streams{Stdout: &b, Stderr: io.Discard, Panic: func(e *worker.Error) { b.WriteString("goroutine: " + e.Value + "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		out := e.Execute(context.Background(), i+1, c, worker.Options{})
		if out.Err != nil {
			fmt.Fprintf(&b, "%s: %s\n", out.Err.Name, out.Err.Value)
		}
		if out.Result != nil {
			fmt.Fprintf(&b, "=> %v\n", out.Result.Data["text/plain"])
		}
	}
	return b.String()
}

// Cells mean what a person at a notebook expects of Go.
func TestCells(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []string
		want  string
	}{
		{"order of declarations does not matter", []string{"y := f(2)\nfunc f(x int) T { return T{x} }\ntype T struct{ N int }\ny.N"}, "=> 2\n"},
		{"old callers see the new function", []string{"func f() int { return 1 }\nfunc g() int { return f() * 10 }", "func f() int { return 2 }", "g()"}, "=> 20\n"},
		{"a method added later", []string{"type T struct{ a int }\nt := T{3}\nvar v any = t", "func (t T) String() string { return fmt.Sprint(\"T\", t.a) }", "fmt.Println(t, v, t.String())\n_, ok := v.(T)\nok"}, "T3 T3 T3\n=> true\n"},
		{"a changed type", []string{"type T struct{ a int }\nt := T{3}", "type T struct{ a, b string }\nT{\"x\", \"y\"}.b", "t"}, "=> y\nCompileError: In[3]:1:1: undefined: t\n"},
		{"a rejected cell changes nothing", []string{"x := 1", "x = 2\nx = \"a\"", "x"}, "CompileError: In[2]:2:5: cannot use \"a\" (untyped string constant) as int value in assignment\n=> 1\n"},
		{"x from x", []string{"x := 1", "x := x + 1\nx", "x := fmt.Sprint(x)\nx"}, "=> 2\n=> 2\n"},
		{"an error nobody looks at", []string{"n, err := strconv.Atoi(\"x\")\nfmt.Println(n)", "n, err := strconv.Atoi(\"x\")\nfmt.Println(err != nil)", "a, err := strconv.Atoi(\"1\")\nb, err := strconv.Atoi(\"y\")\na + b"},
			"error: strconv.Atoi: parsing \"x\": invalid syntax\ntrue\nerror: strconv.Atoi: parsing \"y\": invalid syntax\n"},
		{"a value and an error", []string{"strconv.Atoi(\"7\")", "strconv.Atoi(\"z\")"}, "=> 7\nerror: strconv.Atoi: parsing \"z\": invalid syntax\n"},
		{"panics", []string{"xs := []int{1}\ni := 4\nxs[i]", "var m map[string]int\nm[\"a\"] = 1", "var p *struct{ X int }\np.X", "z := 0\n1 / z", "var e any = \"s\"\ne.(int)", "panic(fmt.Errorf(\"own\"))"},
			"panic: runtime error: index out of range [4] with length 1\npanic: assignment to entry in nil map\npanic: runtime error: invalid memory address or nil pointer dereference\npanic: runtime error: integer divide by zero\npanic: interface conversion: interface {} is string, not int\npanic: own\n"},
		{"exit is an error", []string{"x := 5\nos.Exit(3)", "x"}, "exit: exit status 3\n=> 5\n"},
		{"a panic in a goroutine", []string{"done := make(chan bool)\ngo func() { defer close(done); panic(\"lost\") }()\n<-done\ntime.Sleep(20 * time.Millisecond)"}, "goroutine: lost\n"},
		{"named types keep their names", []string{"type Celsius float64\ntype Set map[Celsius]struct{}\nfmt.Printf(\"%T %v %T\\n\", Celsius(2), Set{1: {}}, []Celsius{})"}, "main.Celsius map[1:{}] []main.Celsius\n"},
		{"a compiled interface", []string{"type rot struct{ r io.Reader }\nfunc (r rot) Read(p []byte) (int, error) { n, err := r.r.Read(p); for i := range p[:n] { p[i]++ }; return n, err }\nb, err := io.ReadAll(rot{strings.NewReader(\"HAL\")})\nstring(b)"}, "=> IBM\n"},
		{"generic types and iterators", []string{"type List[T any] struct{ xs []T }\nfunc (l *List[T]) Add(x T) { l.xs = append(l.xs, x) }\nfunc (l *List[T]) All() iter.Seq2[int, T] { return slices.All(l.xs) }\nvar l List[string]\nl.Add(\"b\")\nl.Add(\"a\")\nfor i, s := range l.All() { fmt.Print(i, s, \" \") }\nslices.Sorted(slices.Values(l.xs))"}, "0b 1a => [\"a\" \"b\"]\n"},
		{"bars in loops", []string{"n := 0\nfor i := range display.Range(4, \"folds\") { n += i }\nn", "for i := range display.Range(3) { if i == 1 { break } }\ndisplay.Progress(2).Done()"}, "=> 6\n"},
		{"tables and matrices", []string{"type P struct { Name string; Eps float64 }\ndisplay.TableOptions{Caption: \"budget\"}.Grid([]P{{\"<a>\", 0.1 + 0.2}}).String()", "mat.NewDense(1, 2, []float64{1, 1.0 / 3})"}, "=> budget\n   Name  Eps\n0  <a>   0.3\n=> mat.Dense 1×2\n   0         1\n0  1  0.333333\n"},
		{"plot size", []string{"display.PlotSize(4, 2)\ndisplay.PlotFormat(\"png\")\ndisplay.Plots().Width", "display.PlotSize(-1, 2)", "display.PlotSize(0, 0)\ndisplay.PlotFormat()\ndisplay.Plots().Formats"}, "=> 4\npanic: display.PlotSize: a plot of -1 by 2 inches; each side takes 0.1 to 100\n=> [\"svg\" \"png\"]\n"},
		{"a loop without a condition", []string{"n := 0\nfor i := 0; ; i++ {\n\tif i == 5 {\n\t\tbreak\n\t}\n\tn += i\n}\nn"}, "=> 10\n"},
		{"a literal that is called at once", []string{"func(x int) int { return x * x }(3)", "func() string { return \"now\" }()", "func(f func(int) int) int { return f(2) }(func(n int) int { return n + 1 })"}, "=> 9\n=> now\n=> 3\n"},
		{"a blank result beside a defer", []string{"func g() (_ string, x float64) {\n\tdefer fmt.Print(\"deferred \")\n\treturn \"hello\", 3.5\n}\na, b := g()\nfmt.Sprint(a, b)"}, "deferred => hello3.5\n"},
		{"a captured function of floats", []string{"f := func() float64 {\n\tsq := func(x float64) float64 { return x * x }\n\tg := func() float64 { return sq(3) }\n\treturn g()\n}\nf()",
			"func h(k float64) float64 {\n\tvar sq func(float64) float64\n\tg := func() float64 { return sq(k) }\n\tsq = func(x float64) float64 { return x + k }\n\treturn g()\n}\nh(2)",
			"func once() (n int) {\n\tf := sync.OnceFunc(func() { n++ })\n\tg := func() { f(); f() }\n\tg()\n\treturn n\n}\nonce()"}, "=> 9\n=> 4\n=> 1\n"},
		{"unused names", []string{"import \"os\"\nfunc f() { x := 1 }\nx := 2"}, ""},
		{"loops at the top level", []string{"n := 0\nfor i := 0; ; i++ {\n\tif n += i; n > 5 { break }\n}\nfor ; n < 20; {\n\tn++\n}\nfor ; ; {\n\tbreak\n}\nn", "type T int; ; x := T(1); func f() int { return 2 }; ; int(x) + f()"}, "=> 20\n=> 3\n"},
		{"programs", []string{"package main\nimport \"fmt\"\nvar a = b + 1\nvar b = 2\nfunc init() { fmt.Println(\"init\", a) }\nfunc main() { fmt.Println(\"main\") }"}, "init 3\nmain\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := output(t, c.cells...); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A loss typed in a cell trains about as fast as the built-in one.
func BenchmarkTypedLoss(b *testing.B) {
	const setup = `h := 0.5
mine := dp.Loss{Name: "typed", L: 1, C: 1 / (2 * h),
	Value: func(z float64) float64 { if z > 1+h { return 0 }; if z < 1-h { return 1 - z }; return (1 + h - z) * (1 + h - z) / (4 * h) },
	Grad:  func(z float64) float64 { if z > 1+h { return 0 }; if z < 1-h { return -1 }; return -(1 + h - z) / (2 * h) },
	Hess:  func(z float64) float64 { if z > 1+h || z < 1-h { return 0 }; return 1 / (2 * h) },
}
data := dp.AdultStandIn(20000, dp.Seed(1))`
	for _, loss := range []string{"dp.Huber(0.5)", "mine"} {
		b.Run(loss, func(b *testing.B) {
			e, err := newEngine(worker.Streams{Stdout: io.Discard, Stderr: io.Discard})
			if err != nil {
				b.Fatal(err)
			}
			if out := e.Execute(context.Background(), 1, setup, worker.Options{}); out.Err != nil {
				b.Fatal(out.Err)
			}
			n := 1
			for b.Loop() {
				n++
				if out := e.Execute(context.Background(), n, "dp.ObjectivePerturbation{Eps: 1, Loss: "+loss+"}.Train(data)", worker.Options{}); out.Err != nil {
					b.Fatal(out.Err)
				}
			}
		})
	}
}

// A small cell in a session with 500 declarations.
func BenchmarkCell(b *testing.B) {
	e, err := newEngine(worker.Streams{Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 500 {
		if out := e.Execute(context.Background(), i+1, fmt.Sprintf("func f%d(x int) int { return x + %d }", i, i), worker.Options{}); out.Err != nil {
			b.Fatal(out.Err)
		}
	}
	n := 500
	for b.Loop() {
		n++
		if out := e.Execute(context.Background(), n, "f7(1) + f400(2)", worker.Options{}); out.Err != nil {
			b.Fatal(out.Err)
		}
	}
}
