package rt

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// atoms are the types random types are built of.
var atoms = []reflect.Type{
	reflect.TypeFor[tInt](), reflect.TypeFor[tU8](), reflect.TypeFor[tFloat](), reflect.TypeFor[tString](), reflect.TypeFor[tBool](), reflect.TypeFor[tCplx](),
	reflect.TypeFor[tBytes](), reflect.TypeFor[tPoint](), reflect.TypeFor[tStr](), reflect.TypeFor[tPStr](), reflect.TypeFor[tVErr](), reflect.TypeFor[tErr](),
	reflect.TypeFor[tGo](), reflect.TypeFor[tMap](), reflect.TypeFor[tArr](), reflect.TypeFor[tHasStr](), reflect.TypeFor[tEmbedOne](), reflect.TypeFor[jVal](), reflect.TypeFor[jPtr](),
	reflect.TypeFor[jText](), reflect.TypeFor[jEmbed](), reflect.TypeFor[tKey](), reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[float32](), reflect.TypeFor[byte](),
	reflect.TypeFor[time.Duration](), reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[tIface](), reflect.TypeFor[tFunc](), reflect.TypeFor[tChan](),
}

// randomType draws a type at most depth deep.
func randomType(t *rapid.T, depth int) reflect.Type {
	k := rapid.IntRange(0, 9).Draw(t, "kind")
	if depth == 0 || k < 4 {
		return rapid.SampledFrom(atoms).Draw(t, "atom")
	}
	switch k {
	case 4:
		return reflect.PointerTo(randomType(t, depth-1))
	case 5:
		return reflect.ArrayOf(rapid.IntRange(0, 3).Draw(t, "len"), randomType(t, depth-1))
	case 6:
		key := randomType(t, 1)
		if !key.Comparable() || key.Kind() == reflect.Interface || key.Kind() == reflect.Chan || key.Kind() == reflect.Pointer || holdsPointer(key) {
			key = reflect.TypeFor[tKey]()
		}
		return reflect.MapOf(key, randomType(t, depth-1))
	case 7:
		n := rapid.IntRange(1, 3).Draw(t, "fields")
		var fs []reflect.StructField
		for i := range n {
			f := reflect.StructField{Name: string(rune('A' + i)), Type: randomType(t, depth-1)}
			f.Tag = reflect.StructTag(rapid.SampledFrom([]string{"", `json:"x"`, `json:",omitempty"`, `json:"y,string"`, `json:",omitzero"`, `json:"-"`}).Draw(t, "tag"))
			fs = append(fs, f)
		}
		return reflect.StructOf(fs)
	}
	return reflect.SliceOf(randomType(t, depth-1))
}

// holdsPointer reports whether keys of the type may be unequal copies or unordered ones, which print in any order.
func holdsPointer(n reflect.Type) bool {
	switch n.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Chan, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return holdsPointer(n.Elem())
	case reflect.Struct:
		for i := range n.NumField() {
			if holdsPointer(n.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// randomFill draws a value into v.
func randomFill(t *rapid.T, v reflect.Value, depth int) {
	v = open(v)
	switch k := v.Kind(); {
	case k == reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "b"))
	case k >= reflect.Int && k <= reflect.Int64:
		v.SetInt(rapid.SampledFrom([]int64{0, 1, -1, 7, 65, 100}).Draw(t, "i"))
	case k >= reflect.Uint && k <= reflect.Uintptr:
		v.SetUint(rapid.SampledFrom([]uint64{0, 1, 7, 65, 200}).Draw(t, "u"))
	case k == reflect.Float32 || k == reflect.Float64:
		v.SetFloat(rapid.SampledFrom([]float64{0, 1.5, -2.25, 1e21, 1e-7, math.Inf(1)}).Draw(t, "f"))
	case k == reflect.Complex128:
		v.SetComplex(complex(rapid.SampledFrom([]float64{0, 1.5, -2}).Draw(t, "re"), 3))
	case k == reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", "a", "héllo", "q\"<&>\n", "%v"}).Draw(t, "s"))
	case k == reflect.Pointer:
		if depth > 0 && rapid.Bool().Draw(t, "nonnil") {
			v.Set(reflect.New(v.Type().Elem()))
			randomFill(t, v.Elem(), depth-1)
		}
	case k == reflect.Slice:
		if n := rapid.IntRange(-1, 3).Draw(t, "n"); n >= 0 && depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				randomFill(t, v.Index(i), depth-1)
			}
		}
	case k == reflect.Array:
		for i := range v.Len() {
			randomFill(t, v.Index(i), depth-1)
		}
	case k == reflect.Map:
		if n := rapid.IntRange(-1, 3).Draw(t, "n"); n >= 0 && depth > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				randomFill(t, key, depth-1)
				randomFill(t, e, depth-1)
				v.SetMapIndex(key, e)
			}
		}
	case k == reflect.Struct:
		for i := range v.NumField() {
			randomFill(t, v.Field(i), depth-1)
		}
	case k == reflect.Interface:
		if depth <= 0 || rapid.Bool().Draw(t, "nil") {
			return
		}
		switch v.Type() {
		case reflect.TypeFor[error]():
			v.Set(reflect.ValueOf(rapid.SampledFrom([]error{tVErr("e"), &tErr{4}, fmt.Errorf("plain")}).Draw(t, "err")))
		case reflect.TypeFor[tIface]():
			v.Set(reflect.ValueOf(rapid.SampledFrom([]tIface{tStr{3}, &tPStr{4}, time.Second}).Draw(t, "str")))
		default:
			e := reflect.New(randomType(t, 1)).Elem()
			randomFill(t, e, depth-1)
			if e.Kind() != reflect.Interface {
				v.Set(e)
			}
		}
	}
}

// TestRandomValues compares printing, encoding and comparing of random values of random types with compiled Go.
func TestRandomValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := randomType(t, 3)
		v := reflect.New(n).Elem()
		randomFill(t, v, 4)
		a := v.Interface()
		clear(mir.moved)
		b := mir.box(a)
		for range 5 {
			f := "%" + rapid.SampledFrom(flagSets).Draw(t, "flags") + rapid.SampledFrom(widthSets).Draw(t, "width") + rapid.SampledFrom(verbs).Draw(t, "verb")
			want, got := fmt.Sprintf(f, a), Sprintf(f, b)
			if want != got && clean(want) != clean(got) {
				t.Fatalf("%s of %v:\n go %s\n rt %s", f, n, want, got)
			}
		}
		want, werr := json.Marshal(a)
		got, gerr := Marshal(b)
		if w, g := fmt.Sprint(string(want), werr), fmt.Sprint(string(got), gerr); w != g {
			t.Fatalf("Marshal of %v:\n go %s\n rt %s", n, w, g)
		}
		if werr == nil && n.Kind() != reflect.Interface {
			p, q := reflect.New(n), reflect.New(n)
			perr := json.Unmarshal(want, p.Interface())
			mp := mir.box(q.Interface())
			qerr := Unmarshal(want, mp)
			if box, ok := mp.(Box); ok {
				q = mir.native(box.T, q.Type(), reflect.ValueOf(box.V))
			}
			if describe(perr) != describe(qerr) || dump(p.Interface()) != dump(q.Interface()) {
				t.Fatalf("Unmarshal %s into %v:\n go %s %s\n rt %s %s", want, n, describe(perr), dump(p.Interface()), describe(qerr), dump(q.Interface()))
			}
		}
		if !DeepEqual(b, b) != !reflect.DeepEqual(a, a) {
			t.Fatalf("DeepEqual of %v with itself: %v", n, DeepEqual(b, b))
		}
	})
}

// FuzzFormat compares any format string over a few operands.
func FuzzFormat(f *testing.F) {
	for _, s := range []string{"%v", "%+v %#v", "%[2]*.[1]*f", "%-08d|%x", "%!", "%w %w", "%.3q", "%T%p", "%[9]v", "%*d", "% x", "%+q%U%c"} {
		f.Add(s, 3, "héllo", 2.5)
	}
	f.Fuzz(func(t *testing.T, format string, i int, s string, x float64) {
		if strings.Count(format, "0") > 4 || i > 1e4 || i < -1e4 {
			return // huge widths only cost time
		}
		p := &tPoint{x, 1}
		a := []any{tInt(i), tString(s), tFloat(x), tPoint{x, 2}, []tStr{{i}}, p, map[tString]tInt{tString(s): 1}, tVErr(s), tFmt{i}}
		clear(mir.moved)
		b := boxed(a)
		check(t, format, fmt.Sprintf(format, a...), Sprintf(format, b...))
		check(t, format, fmt.Errorf(format, a...).Error(), Errorf(format, b...).Error())
	})
}
