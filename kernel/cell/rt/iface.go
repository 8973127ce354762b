package rt

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
)

// wrap finds what makes compiled values of the interface called name over v and values of its type.
var wrap atomic.Pointer[func(name string, v Dynamic) func(Dynamic) any]

// SetWrap installs the maker of compiled interface values over boxes.
func SetWrap(f func(name string, v Dynamic) func(Dynamic) any) {
	wrap.Store(&f)
}

// wrappers caches what wrap found, by type and interface, while no method is declared.
var wrappers sync.Map

type wrapperKey struct {
	t     *Type
	name  string
	epoch int64
}

func wrapper(b Box, name string) func(Dynamic) any {
	k := wrapperKey{b.T, name, epoch.Load()}
	if w, ok := wrappers.Load(k); ok {
		return w.(func(Dynamic) any)
	}
	f := wrap.Load()
	if f == nil {
		panic("internal: no interface wrappers installed")
	}
	w := (*f)(name, b)
	if w != nil {
		wrappers.Store(k, w)
	}
	return w
}

// ToNative makes a value of the compiled interface type t (called name) of the interface value v.
func ToNative(v any, name string, t reflect.Type) any {
	if v == nil {
		return nil
	}
	b, boxed := v.(Box)
	if !boxed {
		if w, ok := v.(Wrapper); ok && !reflect.TypeOf(v).Implements(t) {
			if d, ok := w.Dynamic().(Box); ok {
				return ToNative(d, name, t)
			}
		}
		return v
	}
	w := wrapper(b, name)
	if w == nil {
		panic(fmt.Sprintf("a %v declared in a cell cannot be used as a %s: no compiled wrapper exists for that interface", b.T, name))
	}
	return w(b)
}

// FromNative gives the interface{} form of a compiled interface value: the box inside a wrapper, else itself.
func FromNative(v any) any {
	if w, ok := v.(Wrapper); ok {
		if b, ok := w.Dynamic().(Box); ok {
			return b
		}
	}
	return v
}

// Hashable panics with Go's text when v cannot be a map key.
func Hashable(v any) {
	name := v
	defer func() {
		if r := recover(); r != nil {
			panic(RuntimeError("hash of unhashable type " + uncomparable(valOf(name), valOf(name))))
		}
	}()
	b, ok := v.(Box)
	if ok {
		v = b.V
	}
	m := map[any]struct{}{}
	m[v] = struct{}{}
	if len(m) == 0 {
		panic("internal")
	}
}

// Equal compares two interface values as Go's == does.
func Equal(a, b any) (eq bool) {
	a, b = FromNative(a), FromNative(b)
	defer func() {
		if r := recover(); r != nil {
			panic(RuntimeError("comparing uncomparable type " + uncomparable(valOf(a), valOf(b))))
		}
	}()
	return a == b
}

// uncomparable names the type for which a comparison of x and y, values of one type, panics: their own, or the first one
// met in an interface inside them.
func uncomparable(x, y val) string {
	if x.kind() == reflect.Interface {
		if x, y = x.dynamic(), y.dynamic(); !x.valid() || !y.valid() || !x.sameType(y) {
			return ""
		}
	}
	if t := x.typ(); t.t != nil && !t.t.comparable() || t.t == nil && !t.r.Comparable() {
		return x.typeString()
	}
	switch x.kind() {
	case reflect.Struct:
		for i := range x.numField() {
			if name := uncomparable(x.field(i), y.field(i)); name != "" {
				return name
			}
		}
	case reflect.Array:
		for i := range x.len() {
			if name := uncomparable(x.index(i), y.index(i)); name != "" {
				return name
			}
		}
	}
	return ""
}

// AssertionFailed is the panic of v.(want), v of static interface type from; missing is the method not found.
func AssertionFailed(from *Type, v any, want *Type, missing string) TypeAssertionError {
	src := from.String()
	if from.Kind == reflect.Interface && from.Name == "" && len(from.Methods) == 0 {
		src = "interface {}"
	} else if from.Name == "" {
		src = "interface"
	}
	if from.Name == "any" {
		src = "interface {}"
	}
	if v == nil {
		if want.Kind == reflect.Interface {
			return TypeAssertionError("interface conversion: interface is nil, not " + want.String())
		}
		return TypeAssertionError("interface conversion: " + src + " is nil, not " + want.String())
	}
	dyn := DynamicName(v)
	if missing != "" {
		return TypeAssertionError("interface conversion: " + dyn + " is not " + want.String() + ": missing method " + missing)
	}
	text := "interface conversion: " + src + " is " + dyn + ", not " + want.String()
	if dyn == want.String() {
		text += " (types from different scopes)"
	}
	return TypeAssertionError(text)
}

// DynamicName is the type of what v holds, as %T prints it.
func DynamicName(v any) string {
	t, rep := TypeOf(v)
	if t != nil {
		return t.String()
	}
	return fmt.Sprintf("%T", rep)
}

// Call calls method name of the interface value v; a variadic slice is one argument.
func Call(v any, name string, args []reflect.Value) []reflect.Value { return call(v, name, args) }
