package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/godp/kernel/worker"
)

// lockedBuffer can be written by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.b.Reset()
	return b.b.String()
}

// shown is what a cell prints and shows.
func shown(out worker.Outcome, printed string) string {
	s := printed
	if out.Result != nil {
		s += fmt.Sprint(out.Result.Data["text/plain"])
	}
	if out.Err != nil {
		s += out.Err.Name + ": " + out.Err.Value
	}
	return s
}

var lookDeclarations = []string{`
import "sync/atomic"
type Celsius float64
type Warm float64
func (w Warm) String() string { return "warm" }
type Model struct {
	Loss float64
	Step struct { N int; Done bool }
	Next *Model
	name string
	Weights [4]float64
	History []float64
}
type Named struct { *Model; Label string }
func total(xs []float64) float64 { s := 0.0; for _, x := range xs { s += x }; return s }`, `
n, i8, u8, f, z, ok := 41, int8(100), uint8(200), 2.5, 1+2i, true
c, w := Celsius(36.6), Warm(1)
m := &Model{Loss: 0.25, History: []float64{1, 2, 3}, name: "x"}
m.Step.N = 7
m.Next = &Model{Loss: 0.5}
m.Weights[2] = 9
named := Named{m, "label"}
var none *Model
xs := []float64{1, 2, 3}
text := "hello"
table := map[string]int{"a": 1}
ch := make(chan int, 5)
ch <- 1
var count atomic.Int64
count.Store(12)
var flag atomic.Bool
var any1 any = 5
start := time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)
d := 1500 * time.Millisecond
pf := &f
const k = 3`}

// What a look shows is what the same cell shows when it is run.
func TestLookIsWhatTheCellShows(t *testing.T) {
	var out lockedBuffer
	e, err := newEngine(worker.Streams{Stdout: &out, Stderr: &out, Panic: func(*worker.Error) {}})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range lookDeclarations {
		if o := e.Execute(t.Context(), i+1, c, worker.Options{}); o.Err != nil {
			t.Fatalf("%s: %v", c, o.Err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	running := make(chan worker.Outcome, 1)
	go func() { running <- e.Execute(ctx, 3, "fmt.Println(\"begun\")\nfor { n++; n-- }", worker.Options{}) }()
	for end := time.Now().Add(10 * time.Second); out.take() != "begun\n"; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the cell does not begin")
		}
	}
	looks := []string{
		"f", "i8 + 100", "u8 + 100", "-i8", "^u8", "-u8", "!ok", "f * 2", "f / 4", "z * z", "real(3+0i)", "c", "c * 2", "m.Loss", "m.Step.N", "m.Step.Done", "m.Next.Loss", "(*m).Loss",
		"m.Weights[2]", "m.Weights[m.Step.N - 5]", "named.Loss", "named.Model.Step.N", "len(xs)", "cap(xs)", "len(m.History)", "len(text)", "len(table)", "len(ch)", "cap(ch)",
		"len(m.Weights)", "count.Load()", "flag.Load()", "*pf", "math.Sqrt(f)", "math.Pi * 2", "k", "k << 3", "1 + 1", `"a" + "b"`, "f > 2 && f < 3", "i8 == 100 || m.Weights[9 - m.Step.N] > 0", "m.Loss <= m.Next.Loss",
		"float32(f)", "int(f * 2)", "uint8(i8)", "time.Duration(i8)", "d", "d.Seconds()", "d > time.Second", "start", "start.Year()", "start.Add(d)", `fmt.Println("loss", m.Loss, c, d)`,
		`fmt.Printf("%5.2f %v %T\n", f, ok, i8)`, "fmt.Print(f)\nm.Loss", `fmt.Sprintf("%d of %d", i8, k)`, `fmt.Sprint(f, ok)`, "strconv.Itoa(int(i8))", "time.Duration(f * 1e9)",
		"m.Weights[m.Step.N]", "none.Loss", "i8 / (i8 - 100)", "%who", "", "// nothing",
		"math.Max(f, 3)", "math.NaN() == f", "-7 % 4", "i8 % 7", "u8 &^ 8", "z == 1+2i", "math.Inf(1)", "float64(i8 - i8)",
	}
	got := make([]string, len(looks))
	for i, code := range looks {
		o, wait := e.Look(t.Context(), code)
		if wait != "" {
			t.Errorf("%q waits: %s", code, wait)
		}
		got[i] = shown(o, out.take())
	}
	for code, why := range map[string]string{
		"text": "string", "xs": "[]float64", "xs[0]": "element of a slice", "table": "map", `table["a"]`: "element of a map", "any1": "any", "m": "*Model", "*m": "Model",
		"m.History[0]": "element of a slice", "total(xs)": "calls total", "w": "methods", "x := 1": "statements", "n++": "statements", "func g() {}": "statements", "<-ch": "receives",
		"count.Store(1)": "count.Store", "&f": "address", "[]int{1}": "makes a value", "xs[1:]": "makes a value", "func() {}()": "it calls (func() literal), which may use the variables that the running cell changes", "f\nm.Loss": "not used", "ioutil": "not understood",
		"display.HTML(\"x\")": "display.HTML", "os.Exit(3)": "os.Exit", "time.Sleep(1)": "time.Sleep", "fmt.Println(text)": "text is a string", "m.name": "string", "text + \"x\"": "text is a string",
		"len(text[:1])": "makes a value", "append(xs, 1)": "built-in", "%reset": "%reset", "%cd /": "%cd", "%who\nf": "Go and directives", "string(rune(i8))": "string", "any1.(int)": "makes a value",
		"f <<": "not understood", "undefinedName": "not understood", "ch": "chan int", "fmt.Sscan(text)": "fmt.Sscan", "total": "func", "import \"os\"": "statements", "u8 << 1": "shifts",
	} {
		if o, wait := e.Look(t.Context(), code); !strings.Contains(wait, why) {
			t.Errorf("%q: waits %q, want %q; shown %q", code, wait, why, shown(o, out.take()))
		}
	}
	cancel()
	if o := <-running; o.Err == nil || o.Err.Name != "interrupted" {
		t.Errorf("the running cell ended with %v", o.Err)
	}
	out.take()
	for i, code := range looks {
		if o := e.Execute(t.Context(), 10+i, code, worker.Options{}); shown(o, "") != "" || code != "" {
			if want := shown(o, out.take()); got[i] != want {
				t.Errorf("%q: look %q, cell %q", code, got[i], want)
			}
		}
	}
}
