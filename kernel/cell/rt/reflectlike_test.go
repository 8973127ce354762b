package rt

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"
	"log"
	"math"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"testing"
)

func TestDeepEqualMatchesGo(t *testing.T) {
	vs := append(samples(), jsonSamples()...)
	vs = append(vs, tNode{1, &tNode{V: 2}}, tNode{1, &tNode{V: 2}}, tNode{1, &tNode{V: 3}}, tFloat(math.NaN()), []tFloat{tFloat(math.NaN())},
		map[tString][]tInt{"a": {1}}, map[tString][]tInt{"a": {1}}, map[tString][]tInt{"b": {1}}, map[tString][]tInt{"a": nil}, tFunc(func(tInt) string { return "" }))
	for _, a := range vs {
		for _, b := range vs {
			if want, got := reflect.DeepEqual(a, b), DeepEqual(mir.box(a), mir.box(b)); want != got {
				t.Errorf("DeepEqual(%T %+v, %T %+v): go %v, rt %v", a, a, b, b, want, got)
			}
		}
	}
	ring := &tNode{V: 1}
	ring.Next = ring
	f := tFloat(math.NaN())
	s := []tFloat{f}
	m := mir.box(s)
	if !DeepEqual(m, m) { // the same slice is equal even with a NaN in it
		t.Error("a slice must equal itself")
	}
}

func TestReflectTypes(t *testing.T) {
	for _, v := range append(samples(), jsonSamples()...) {
		if v == nil {
			if TypeOfValue(nil) != nil {
				t.Error("TypeOf(nil) must be nil")
			}
			continue
		}
		want, got := reflect.TypeOf(v), TypeOfValue(mir.box(v))
		if got != TypeOfValue(mir.box(v)) {
			t.Errorf("%v: two calls give different types", want)
		}
		sameTypeView(t, want, got, 0)
	}
	var st any = tStr{}
	stringer := reflect.TypeFor[fmt.Stringer]()
	if !TypeOfValue(mir.box(st)).Implements(stringer) || TypeOfValue(mir.box(tPStr{})).Implements(stringer) || !TypeOfValue(mir.box(&tPStr{})).Implements(stringer) {
		t.Error("Implements must follow method sets")
	}
}

type (
	rInts  []int
	rShape interface{ Area() float64 }
)

// TestReflectRelations compares AssignableTo and Implements between declared and compiled types.
func TestReflectRelations(t *testing.T) {
	types := []reflect.Type{reflect.TypeFor[tInt](), reflect.TypeFor[int](), reflect.TypeFor[rInts](), reflect.TypeFor[[]int](), reflect.TypeFor[[]tInt](), reflect.TypeFor[tPoint](), reflect.TypeFor[*tPoint](),
		reflect.TypeFor[struct{ X, Y float64 }](), reflect.TypeFor[tStr](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[*tErr](), reflect.TypeFor[tErr](),
		reflect.TypeFor[tString](), reflect.TypeFor[string](), reflect.TypeFor[map[string]tInt](), reflect.TypeFor[map[string]int](), reflect.TypeFor[tFunc](), reflect.TypeFor[func(tInt) string](), reflect.TypeFor[sort.IntSlice](), reflect.TypeFor[rShape]()}
	for _, a := range types {
		for _, b := range types {
			ma, mb := mir.of(a).Reflect(), mir.of(b).Reflect()
			if v, ok := mb.(*view); ok && v.Type == nil {
				if _, declared := ma.(*view); !declared {
					continue // panics: see below
				}
			}
			if want, got := a.AssignableTo(b), ma.AssignableTo(mb); want != got && !(want && isUnnamed(a, b)) {
				t.Errorf("%v.AssignableTo(%v): go %v, rt %v", a, b, want, got)
			}
			if b.Kind() == reflect.Interface && a.Kind() != reflect.Interface {
				if want, got := a.Implements(b), ma.Implements(mb); want != got {
					t.Errorf("%v.Implements(%v): go %v, rt %v", a, b, want, got)
				}
			}
		}
	}
	if panicText(func() { reflect.TypeFor[int]().Implements(mir.of(reflect.TypeFor[rShape]()).Reflect()) }) == "no panic" {
		t.Error("a compiled type cannot be asked about an interface declared in a cell")
	}
}

// isUnnamed reports whether one of two assignable types is a composite literal of declared types, where the answer for
// the named one is not known.
func isUnnamed(a, b reflect.Type) bool {
	return a != b && (a.Name() == "") != (b.Name() == "") && a.Kind() != reflect.Interface && b.Kind() != reflect.Interface
}

func sameTypeView(t *testing.T, w, g reflect.Type, depth int) {
	t.Helper()
	describe := func(x reflect.Type) string {
		s := fmt.Sprint(x.String(), x.Name(), x.Kind(), x.NumMethod(), x.Comparable())
		switch x.Kind() {
		case reflect.Struct:
			for f := range x.Fields() {
				s += fmt.Sprint("; ", f.Name, f.Type, f.Tag, f.Anonymous, f.IsExported(), f.Index)
			}
			for _, n := range []string{"A", "X", "n", "Name", "ID", "Deep", "nothing"} {
				f, ok := x.FieldByName(n)
				s += fmt.Sprint(" ", f.Name, f.Index, ok)
			}
		case reflect.Func:
			s += fmt.Sprint(x.NumIn(), x.NumOut(), x.IsVariadic(), x.CanSeq())
			for p := range x.Ins() {
				s += fmt.Sprint(" in ", p)
			}
			for p := range x.Outs() {
				s += fmt.Sprint(" out ", p)
			}
		case reflect.Array:
			s += fmt.Sprint(x.Len())
		}
		return s
	}
	if a, b := describe(w), describe(g); a != b {
		t.Errorf("%v:\n go %s\n rt %s", w, a, b)
	}
	if depth > 3 {
		return
	}
	switch w.Kind() {
	case reflect.Map:
		sameTypeView(t, w.Key(), g.Key(), depth+1)
		sameTypeView(t, w.Elem(), g.Elem(), depth+1)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		sameTypeView(t, w.Elem(), g.Elem(), depth+1)
	case reflect.Struct:
		for i := range w.NumField() {
			sameTypeView(t, w.Field(i).Type, g.Field(i).Type, depth+1)
		}
	}
}

func TestRefusals(t *testing.T) {
	b := mir.box(tPoint{1, 2})
	ty := TypeOfValue(b)
	m := Overrides(nil, nil)
	call := func(pkg, name string, args ...any) func() {
		return func() {
			in := make([]reflect.Value, len(args))
			for i, a := range args {
				in[i] = reflect.ValueOf(a)
			}
			m[pkg][name].Call(in)
		}
	}
	for name, f := range map[string]func(){
		"reflect.StructOf on rt.tPoint":              call("reflect/reflect", "StructOf", []reflect.StructField{{Name: "X", Type: ty}}),
		"reflect.Type.Method on rt.tStr":             func() { TypeOfValue(mir.box(tStr{})).Method(0) },
		"reflect.Type.MethodByName on rt.tStr":       func() { TypeOfValue(mir.box(tStr{})).MethodByName("String") },
		"xml.Marshal with a value of type rt.tPoint": call("encoding/xml/xml", "Marshal", b),
		"binary.Size with a value of type rt.tHoldI": call("encoding/binary/binary", "Size", mir.box(tHoldI{})),
		"gob.Encoder.Encode with a value of type rt.tMixed": func() {
			Methods()["encoding/gob.Encoder.Encode"].Interface().(func(*gob.Encoder, any) error)(gob.NewEncoder(io.Discard), mir.box(tMixed{}))
		},
	} {
		got := panicText(f)
		if !strings.HasPrefix(got, name) || !strings.HasSuffix(got, "is not supported") {
			t.Errorf("got %q, want %q … is not supported", got, name)
		}
	}
}

func TestSortSlice(t *testing.T) {
	s := tInts{3, 1, 2}
	b := mir.box(s).(Box)
	raw := b.V.([]int)
	Sort()["Slice"].Interface().(func(any, func(i, j int) bool))(b, func(i, j int) bool { return raw[i] < raw[j] })
	if !sort.IntsAreSorted(raw) || !Sort()["SliceIsSorted"].Interface().(func(any, func(i, j int) bool) bool)(b, func(i, j int) bool { return raw[i] < raw[j] }) {
		t.Errorf("not sorted: %v", raw)
	}
}

func TestBinaryAndGob(t *testing.T) {
	v := tPoint{1, 2.5}
	var want, got bytes.Buffer
	binary.Write(&want, binary.LittleEndian, v)
	bin := Binary()
	if err := bin["Write"].Interface().(func(io.Writer, binary.ByteOrder, any) error)(&got, binary.LittleEndian, mir.box(v)); err != nil || !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("binary.Write: %v %x, want %x", err, got.Bytes(), want.Bytes())
	}
	var back tPoint
	if err := bin["Read"].Interface().(func(io.Reader, binary.ByteOrder, any) error)(&got, binary.LittleEndian, mir.box(&back)); err != nil || back != v {
		t.Errorf("binary.Read: %v %v", err, back)
	}
	var buf bytes.Buffer
	if err := Methods()["encoding/gob.Encoder.Encode"].Interface().(func(*gob.Encoder, any) error)(gob.NewEncoder(&buf), mir.box(v)); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&buf).Decode(&back); err != nil || back != v { // compiled code reads what cells write
		t.Errorf("gob: %v %v", err, back)
	}
}

func TestLog(t *testing.T) {
	var buf bytes.Buffer
	l := log.New(&buf, "p: ", 0)
	ms := Methods()
	ms["log.Logger.Printf"].Interface().(func(*log.Logger, string, ...any))(l, "%T %v", mir.box(tStr{1}), mir.box([]*tPoint{nil}))
	ms["log.Logger.Println"].Interface().(func(*log.Logger, ...any))(l, mir.box(tStr{1}), 2)
	if want := "p: rt.tStr [<nil>]\np: <str 1> 2\n"; buf.String() != want {
		t.Errorf("got %q, want %q", buf.String(), want)
	}
}

// TestViewAnswersEverything checks that no method of reflect.Type is left to the stand-in.
func TestViewAnswersEverything(t *testing.T) {
	v := reflect.TypeFor[*view]()
	for i := range v.NumMethod() {
		m := v.Method(i)
		file, _ := runtime.FuncForPC(m.Func.Pointer()).FileLine(m.Func.Pointer())
		if promoted := file == "<autogenerated>"; promoted {
			t.Errorf("reflect.Type.%s is answered for the stand-in", m.Name)
		}
	}
}
