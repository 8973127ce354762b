package rt

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// sameValue compares what every question about v answers with what package reflect answers for the native value.
func sameValue(t *testing.T, path string, want reflect.Value, got Value, depth int) {
	t.Helper()
	ask := func(what string, w, g func() any) {
		a, b := answer(w), answer(g)
		if a != b {
			t.Errorf("%s: %s: go %s, rt %s", path, what, a, b)
		}
	}
	ask("Kind", func() any { return want.Kind() }, func() any { return got.Kind() })
	ask("String", func() any { return want.String() }, func() any { return got.String() })
	ask("IsValid", func() any { return want.IsValid() }, func() any { return got.IsValid() })
	if !want.IsValid() || !got.IsValid() || depth > 4 {
		return
	}
	ask("Type", func() any { return want.Type().String() }, func() any { return got.Type().String() })
	ask("IsZero", func() any { return want.IsZero() }, func() any { return got.IsZero() })
	ask("IsNil", func() any { return want.IsNil() }, func() any { return got.IsNil() })
	ask("CanInterface", func() any { return want.CanInterface() }, func() any { return got.CanInterface() })
	ask("CanSet", func() any { return want.CanSet() }, func() any { return got.CanSet() })
	ask("CanAddr", func() any { return want.CanAddr() }, func() any { return got.CanAddr() })
	ask("Comparable", func() any { return want.Comparable() }, func() any { return got.Comparable() })
	ask("Int", func() any { return want.Int() }, func() any { return got.Int() })
	ask("Uint", func() any { return want.Uint() }, func() any { return got.Uint() })
	ask("Float", func() any { return want.Float() }, func() any { return got.Float() })
	ask("Complex", func() any { return want.Complex() }, func() any { return got.Complex() })
	ask("Bool", func() any { return want.Bool() }, func() any { return got.Bool() })
	ask("Len", func() any { return want.Len() }, func() any { return got.Len() })
	ask("NumField", func() any { return want.NumField() }, func() any { return got.NumField() })
	ask("NumMethod", func() any { return want.NumMethod() }, func() any { return got.NumMethod() })
	ask("printed", func() any { return fmt.Sprintf("%v", want) }, func() any { return Sprintf("%v", got) })
	switch want.Kind() {
	case reflect.Struct:
		for i := range want.NumField() {
			sameValue(t, path+"."+want.Type().Field(i).Name, want.Field(i), got.Field(i), depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range want.Len() {
			sameValue(t, fmt.Sprintf("%s[%d]", path, i), want.Index(i), got.Index(i), depth+1)
		}
		ask("Index", func() any { return want.Index(want.Len()) }, func() any { return got.Index(got.Len()) })
	case reflect.Pointer, reflect.Interface:
		sameValue(t, "*"+path, want.Elem(), got.Elem(), depth+1)
	case reflect.Map:
		if len(want.MapKeys()) != len(got.MapKeys()) {
			t.Errorf("%s: %d keys, want %d", path, len(got.MapKeys()), len(want.MapKeys()))
		}
	}
}

// answer is the text of a result or of the panic instead of it.
func answer(f func() any) (s string) {
	defer func() {
		if e := recover(); e != nil {
			if k, ok := e.(kept); ok {
				e = PanicValue(k)
			}
			s = fmt.Sprintf("panic %v", e)
		}
	}()
	return fmt.Sprint(f())
}

func TestValuesAnswerAsReflectDoes(t *testing.T) {
	for _, v := range append(samples(), jsonSamples()...) {
		if v == nil {
			continue
		}
		n := reflect.TypeOf(v)
		// The mirror erases fields that lead back to their struct, which the compiler does not.
		if strings.Contains(n.String(), "tNode") || strings.Contains(n.String(), "jRec") {
			continue
		}
		// Addresses differ, and so does what prints them.
		if mir.of(n).Kind == reflect.Func || n.Kind() == reflect.Chan || n.Kind() == reflect.UnsafePointer {
			continue
		}
		sameValue(t, n.String(), reflect.ValueOf(v), ValueOf(mir.box(v)), 0)
	}
}
