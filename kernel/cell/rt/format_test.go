package rt

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Types that stand for ones declared in a cell.
type (
	tInt    int
	tU8     uint8
	tFloat  float64
	tF32    float32
	tCplx   complex128
	tString string
	tBool   bool
	tBytes  []byte
	tU8s    []tU8
	tInts   []tInt
	tArr    [3]tInt
	tMap    map[tString]tInt
	tChan   chan tInt
	tFunc   func(tInt) string
	tEmpty  struct{}
	tPoint  struct{ X, Y float64 }
	tMixed  struct {
		A   int `json:"a"`
		b   string
		C   []tPoint
		d   map[string]tInt
		E   any
		f   any
		Err error
		P   *tPoint
		_   int
	}
	tNode struct {
		V    int
		Next *tNode
	}
	tStr   struct{ n int }    // String on the value
	tPStr  struct{ N int }    // String on the pointer
	tErr   struct{ Code int } // error on the pointer
	tVErr  string             // error on the value
	tGo    struct{ N int }    // GoStringer
	tFmt   struct{ N int }    // Formatter
	tPanic struct{ V any }    // String panics
	tEmbed struct {
		tStr
		*tPoint
		time.Duration
		Extra tPStr
	}
	tEmbedOne struct {
		tStr
		Z int
	}
	tHasStr struct {
		Exp tStr
		unx tStr
		Dur time.Duration
		dur time.Duration
		Err error
		err error
		Ptr *tPStr
		Any any
	}
	tIface interface{ String() string }
	tHoldI struct{ S tIface }
	tKey   struct {
		A tInt
		B tString
	}
	tBoth struct{ n int }
)

func (s tStr) String() string   { return fmt.Sprintf("<str %d>", s.n) }
func (s *tPStr) String() string { return fmt.Sprintf("<pstr %d>", s.N) }
func (e *tErr) Error() string   { return fmt.Sprintf("code %d", e.Code) }
func (e tVErr) Error() string   { return "verr " + string(e) }
func (g tGo) GoString() string  { return fmt.Sprintf("tGo!%d", g.N) }
func (g tFmt) Format(f fmt.State, v rune) {
	w, wok := f.Width()
	p, pok := f.Precision()
	fmt.Fprintf(f, "[%c %d %v %d %v %v%v%v%v%v]", v, w, wok, p, pok, f.Flag('+'), f.Flag('-'), f.Flag('#'), f.Flag(' '), f.Flag('0'))
}
func (p tPanic) String() string { panic(p.V) }
func (b tBoth) Error() string   { return "both-error" }
func (b tBoth) String() string  { return "both-string" }

func init() {
	// A compiled error type and its wrapper are needed where a cell's value is stored as tIface or error.
	mir.of(reflect.TypeFor[*tErr]())
}

// samples are the values of the cross product.
func samples() []any {
	pt := &tPoint{1, -2.5}
	x := tInt(7)
	xs := tInts{3, 1, 2}
	return []any{
		tInt(0), tInt(-42), tInt(0x1F600), tU8(200), tFloat(3.14159), tFloat(-1e21), tF32(0.1), tCplx(1 - 2i), tString("héllo\n"), tString(""), tBool(true),
		tBytes("abc\xff"), tBytes(nil), tU8s{1, 2, 255}, tInts{1, -2}, tInts(nil), tInts{}, tArr{1, 2, 3},
		tMap{"b": 2, "a": 1}, tMap(nil), map[tInt]tString{3: "c", -1: "z"}, map[tKey]tInt{{1, "b"}: 1, {1, "a"}: 2, {0, "z"}: 3},
		map[any]any{tInt(3): 1, tInt(1): 2}, tChan(nil), make(tChan), tFunc(nil), tEmpty{}, &tEmpty{},
		tPoint{1, 2}, pt, &pt, (*tPoint)(nil), []tPoint{{1, 2}, {3, 4}}, []*tPoint{nil}, &[]tPoint{{1, 2}}, &map[string]tInt{"a": 1}, &tArr{1}, &x, &xs,
		tMixed{A: 1, b: "x", C: []tPoint{{1, 2}}, d: map[string]tInt{"k": 3}, E: tInt(5), f: tStr{6}, Err: &tErr{3}},
		tMixed{E: tPoint{1, 2}, f: []any{tInt(1), "s", nil}, Err: io.EOF}, &tMixed{},
		tNode{1, nil}, &tNode{V: 1},
		tStr{4}, &tStr{4}, (*tStr)(nil), []tStr{{1}, {2}}, map[string]tStr{"a": {1}}, map[tStr]int{{2}: 1, {1}: 2},
		tPStr{4}, &tPStr{4}, (*tPStr)(nil), []*tPStr{{1}, nil}, []tPStr{{1}},
		&tErr{5}, tErr{5}, (*tErr)(nil), tVErr("v"), []tVErr{"a", "b"}, []error{&tErr{1}, tVErr("x"), nil},
		tGo{3}, &tGo{3}, []tGo{{3}}, struct{ G tGo }{tGo{1}},
		tFmt{3}, &tFmt{3}, []tFmt{{1}}, map[string]tFmt{"k": {1}},
		tPanic{"boom"}, tPanic{errors.New("err")}, tPanic{tInt(3)}, tPanic{&tErr{9}}, []tPanic{{"a"}}, (*tPanic)(nil), tPanic{nil}, []any{tPanic{"x"}, "abc", 1.5},
		tEmbedOne{tStr{9}, 1}, &tEmbedOne{tStr{9}, 1}, tEmbed{tStr{1}, &tPoint{1, 2}, 5, tPStr{2}},
		tHasStr{Exp: tStr{1}, unx: tStr{2}, Dur: time.Second, dur: time.Minute, Err: tVErr("e"), err: tVErr("u"), Any: tStr{3}},
		tHoldI{tStr{1}}, tHoldI{}, []tIface{tStr{1}, nil}, tBoth{1},
		[]any{tInt(1), tStr{2}, nil, "s", 4.5, []any{tPoint{1, 2}}}, map[string]any{"a": tInt(1), "b": tStr{2}},
		[2]any{tString("x"), nil}, struct {
			A tInt
			b tString
			c any
		}{1, "two", tFloat(3)}, []struct{ A, B int }{{1, 2}}, [][]tInt{{1}, nil}, []tBytes{tBytes("ab"), nil}, [3]tU8{1, 2, 3}, []uint8("raw"),
		struct{}{}, [0]tInt{}, []tBool{true, false}, map[tBool]tFloat{true: 1, false: 2}, map[tFloat]int{2.5: 1, -1: 2},
		map[[2]tInt]string{{2, 1}: "b", {1, 9}: "a"}, time.Duration(1500), []time.Duration{1, 2}, 5, "s", nil, io.EOF, []error{io.EOF},
		reflect.ValueOf(5), struct{ E error }{tVErr("in")},
	}
}

// clean hides addresses, which differ between a native value and its copy.
func clean(s string) string {
	for a := range mir.moved {
		for _, f := range []string{"%x", "%X", "%d", "%o", "%b"} {
			s = strings.ReplaceAll(s, fmt.Sprintf(f, a), "ADDR")
		}
	}
	return s
}

func boxed(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = mir.box(a)
	}
	return out
}

func check(t *testing.T, what, want, got string) {
	t.Helper()
	if want != got && clean(want) != clean(got) {
		t.Errorf("%s:\n go %q\n rt %q", what, want, got)
	}
}

var (
	verbs     = strings.Split("v d x X q s t g G e E f F c U o O b p T w z", " ")
	flagSets  = strings.Split(",+,#,-, ,0,+#,# ,+ ,-0,#0", ",")
	widthSets = strings.Split(",8,.2,12.3,.", ",")
)

var noVerb = "x" // a variable, because vet checks constant formats

// TestFormatMatchesGo compares every verb, flag and width over every sample with compiled Go.
func TestFormatMatchesGo(t *testing.T) {
	for _, v := range samples() {
		clear(mir.moved)
		b := mir.box(v)
		for _, verb := range verbs {
			for _, fl := range flagSets {
				for _, w := range widthSets {
					f := "%" + fl + w + verb
					check(t, fmt.Sprintf("%s of %T", f, v), fmt.Sprintf(f, v), Sprintf(f, b))
				}
			}
		}
		check(t, fmt.Sprintf("Println %T", v), fmt.Sprintln(v, v), Sprintln(b, b))
		check(t, fmt.Sprintf("Print %T", v), fmt.Sprint(v, 1, v, "s", v), Sprint(b, 1, b, "s", b))
		check(t, fmt.Sprintf("extra %T", v), fmt.Sprintf(noVerb, v), Sprintf(noVerb, b))
		check(t, fmt.Sprintf("append %T", v), string(fmt.Appendf(nil, "%v", v)), string(Appendf(nil, "%v", b)))
	}
}

// TestCompiledCodeFormatsBoxes checks what compiled code that knows nothing of boxes prints.
func TestCompiledCodeFormatsBoxes(t *testing.T) {
	for _, v := range []any{tInt(3), tPoint{1, 2}, &tPoint{1, 2}, tStr{1}, tMap{"a": 1}, tString("x"), tFloat(2.5), &tArr{1}, &tPStr{1}, &tErr{1}, (*tPoint)(nil)} {
		for _, f := range []string{"%v", "%+v", "%#v", "%5v", "%-8v|", "%x", "%q", "%d", "%6.2f"} {
			b := mir.box(v)
			check(t, f, fmt.Sprintf(f, v), fmt.Sprintf(f, b))
			check(t, f+" nested", fmt.Sprintf(f, []any{v}), fmt.Sprintf(f, []any{b}))
			check(t, f+" in a field", fmt.Sprintf(f, struct{ A any }{v}), fmt.Sprintf(f, struct{ A any }{b}))
		}
	}
}

func TestFormatDirectives(t *testing.T) {
	for _, c := range []struct {
		f string
		a []any
	}{
		{"%[2]v %[1]v", []any{tInt(1), tStr{2}}},
		{"%*d|%-*d|%.*f", []any{tInt(5), tInt(1), tInt(4), tInt(2), tInt(1), tFloat(2.55)}},
		{"%*d", []any{tString("x"), tInt(1)}},
		{"%.*d", []any{tFloat(1), tInt(1)}},
		{"%[1]*[2]d", []any{tInt(6), tInt(7)}},
		{"%[3]v", []any{tInt(1)}},
		{"%[x]v", []any{tInt(1)}},
		{"%v %v", []any{tInt(1)}},
		{"%v", []any{tInt(1), tPoint{1, 2}, nil}},
		{"%", []any{tInt(1)}},
		{"%5%%v", []any{tInt(1)}},
		{"%!", []any{tInt(1)}},
		{"%2147483648d", []any{tInt(1)}},
		{"é%世 %v", []any{tInt(1), tInt(2)}},
		{"%T %T %T %T", []any{tInt(1), []any{tInt(1)}, &tPoint{}, map[tString][]tPoint{}}},
		{"%T %T %T", []any{tFunc(nil), func(tInt, ...tString) (tPoint, error) { return tPoint{}, nil }, struct {
			A tInt `json:"a,omitempty"`
			b *tPoint
		}{}}},
		{"%-010d|%+010d|% 010d", []any{tInt(5), tInt(5), tInt(5)}},
	} {
		check(t, c.f, fmt.Sprintf(c.f, c.a...), Sprintf(c.f, boxed(c.a)...))
		check(t, "Errorf "+c.f, fmt.Errorf(c.f, c.a...).Error(), Errorf(c.f, boxed(c.a)...).Error())
	}
}

func TestFmtOverrides(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader("12 3.5\nword 9")
	m := Fmt(func() io.Writer { return &out }, func() io.Reader { return in })
	m["Println"].Interface().(func(...any) (int, error))(mir.box(tStr{1}), 2)
	m["Printf"].Interface().(func(string, ...any) (int, error))("%T\n", mir.box(tStr{1}))
	m["Print"].Interface().(func(...any) (int, error))(mir.box(tInt(1)), 2)
	if want := "<str 1> 2\nrt.tStr\n1 2"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	var i tInt
	var f tFloat
	n, err := m["Scan"].Interface().(func(...any) (int, error))(mir.box(&i), mir.box(&f))
	if n != 2 || err != nil || i != 12 || f != 3.5 {
		t.Errorf("Scan: %d %v %v %v", n, err, i, f)
	}
	var s tString
	n, err = Fmt(nil, nil)["Sscanf"].Interface().(func(string, string, ...any) (int, error))("a=7 b", "a=%d %s", mir.box(&i), mir.box(&s))
	if n != 2 || err != nil || i != 7 || s != "b" {
		t.Errorf("Sscanf: %d %v %v %v", n, err, i, s)
	}
}

func BenchmarkPrintlnInts(b *testing.B) {
	b.Run("fmt", func(b *testing.B) {
		for b.Loop() {
			fmt.Fprintln(io.Discard, 1, 2, 3)
		}
	})
	b.Run("rt", func(b *testing.B) {
		for b.Loop() {
			Fprintln(io.Discard, 1, 2, 3)
		}
	})
}

func BenchmarkSprintfStruct(b *testing.B) {
	v := tMixed{A: 1, b: "x", C: []tPoint{{1, 2}}, d: map[string]tInt{"k": 3}}
	x := mir.box(v)
	b.Run("fmt", func(b *testing.B) {
		for b.Loop() {
			_ = fmt.Sprintf("%+v", v)
		}
	})
	b.Run("rt", func(b *testing.B) {
		for b.Loop() {
			_ = Sprintf("%+v", x)
		}
	})
}
