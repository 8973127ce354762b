package rt

import (
	"fmt"
	"reflect"
)

// under reports whether the underlying types of a and b are identical, apart from field tags where tags is false.
func under(a, b typ, tags bool) bool {
	if a == b {
		return true
	}
	if a.t == nil && b.t == nil {
		return a.r.Kind() == b.r.Kind() && a.r.Kind() != reflect.Interface && a.r.ConvertibleTo(b.r) && !scalar(a.r.Kind()) || a.r.Kind() == b.r.Kind() && scalar(a.r.Kind())
	}
	x, y := a.descriptor(), b.descriptor()
	if x.Kind != y.Kind || x.Elem != y.Elem || x.Key != y.Key || x.Len != y.Len || x.Dir != y.Dir || x.Variadic != y.Variadic ||
		len(x.Params) != len(y.Params) || len(x.Results) != len(y.Results) || len(x.Methods) != len(y.Methods) {
		return false
	}
	for i := range x.Params {
		if x.Params[i] != y.Params[i] {
			return false
		}
	}
	for i := range x.Results {
		if x.Results[i] != y.Results[i] {
			return false
		}
	}
	for i := range x.Methods {
		if x.Methods[i] != y.Methods[i] {
			return false
		}
	}
	if x.Kind != reflect.Struct {
		return true
	}
	f, g := a.fields(), b.fields()
	if len(f) != len(g) {
		return false
	}
	for i := range f {
		if f[i].name != g[i].name || f[i].typ != g[i].typ || f[i].embedded != g[i].embedded || tags && f[i].tag != g[i].tag {
			return false
		}
	}
	return true
}

func scalar(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String || k == reflect.UnsafePointer
}

// implements reports whether x implements the interface type i.
func implements(x, i typ) bool {
	switch {
	case x.t != nil:
		return (&view{nil, x.t}).Implements(i.reflect())
	case i.t == nil:
		return x.r.Implements(i.r)
	}
	skip := 1
	if x.r.Kind() == reflect.Interface {
		skip = 0
	}
	for _, m := range i.t.Methods {
		if r, ok := x.r.MethodByName(m.Name); !ok || !sameSignature(r.Type, m.Type, skip) {
			return false
		}
	}
	return true
}

// assignable reports whether a value of type x is assignable to type to.
func assignable(x, to typ) bool {
	switch {
	case x == to:
		return true
	case x.t == nil && to.t == nil:
		return x.r.AssignableTo(to.r)
	case to.kind() == reflect.Interface:
		return implements(x, to)
	}
	return (!x.named() || !to.named()) && !scalar(x.kind()) && under(x, to, true)
}

// assignTo is the representation of x assigned to type to.
func (x val) assignTo(what string, to typ) reflect.Value {
	if !x.valid() {
		panic(badKind(what[len("reflect.Value."):], reflect.Invalid))
	}
	if x.ro {
		panic("reflect: " + what + " using value obtained using unexported field")
	}
	if !assignable(x.typ(), to) {
		panic(what + ": value of type " + x.typeString() + " is not assignable to type " + to.String())
	}
	return x.as(to)
}

// as is the representation of x, whose type is assignable or converts without a change to type to.
func (x val) as(to typ) reflect.Value {
	rep := to.rep()
	if to.kind() == reflect.Interface {
		slot := reflect.New(rep).Elem()
		i := x.interfaceOf()
		if rep.NumMethod() > 0 {
			name := rep.Name()
			if rep.PkgPath() != "" {
				name = rep.PkgPath() + "." + name
			}
			i = ToNative(i, name, rep)
		}
		if i != nil {
			slot.Set(reflect.ValueOf(i))
		}
		return slot
	}
	v := x.v
	switch {
	case !v.IsValid():
		return reflect.Zero(rep)
	case v.Type() == rep:
		return v
	case rep.Kind() == reflect.Interface: // a recursive type
		slot := reflect.New(rep).Elem()
		slot.Set(v)
		return slot
	}
	return v.Convert(rep)
}

// settable is the slot of v, or a panic.
func (v Value) settable(method string) reflect.Value {
	r := v.r(method)
	switch {
	case v.x.ro:
		panic("reflect: reflect.Value." + method + " using value obtained using unexported field")
	case !r.CanSet():
		if r.CanAddr() {
			panic(Refused(fmt.Sprintf("reflect.Value.%s of a %v inside a type declared in a cell that contains itself", method, v.x.typeString())))
		}
		panic("reflect: reflect.Value." + method + " using unaddressable value")
	}
	return r
}

// The setters.

func (v Value) Set(x Value) {
	r := v.settable("Set")
	r.Set(x.x.assignTo("reflect.Set", v.x.typ()))
}
func (v Value) SetZero()                { defer keep(); v.settable("SetZero").SetZero() }
func (v Value) SetBool(x bool)          { defer keep(); v.settable("SetBool").SetBool(x) }
func (v Value) SetInt(x int64)          { defer keep(); v.settable("SetInt").SetInt(x) }
func (v Value) SetUint(x uint64)        { defer keep(); v.settable("SetUint").SetUint(x) }
func (v Value) SetFloat(x float64)      { defer keep(); v.settable("SetFloat").SetFloat(x) }
func (v Value) SetComplex(x complex128) { defer keep(); v.settable("SetComplex").SetComplex(x) }
func (v Value) SetString(x string)      { defer keep(); v.settable("SetString").SetString(x) }
func (v Value) SetBytes(x []byte)       { defer keep(); v.settable("SetBytes").SetBytes(x) }
func (v Value) SetLen(n int)            { defer keep(); v.settable("SetLen").SetLen(n) }
func (v Value) SetCap(n int)            { defer keep(); v.settable("SetCap").SetCap(n) }
func (v Value) Grow(n int)              { defer keep(); v.settable("Grow").Grow(n) }
func (v Value) Clear()                  { defer keep(); v.r("Clear").Clear() }
func (v Value) SetIterKey(it *MapIter)  { v.Set(it.Key()) }
func (v Value) SetIterValue(it *MapIter) {
	v.Set(it.Value())
}

// SetMapIndex stores elem at key; the zero Value deletes.
func (v Value) SetMapIndex(key, elem Value) {
	r := v.is("SetMapIndex", reflect.Map)
	if v.x.ro {
		panic("reflect: reflect.Value.SetMapIndex using value obtained using unexported field")
	}
	k := key.x.assignTo("reflect.Value.SetMapIndex", v.x.typ().key())
	if !elem.IsValid() {
		r.SetMapIndex(k, reflect.Value{})
		return
	}
	r.SetMapIndex(k, elem.x.assignTo("reflect.Value.SetMapIndex", v.x.typ().elem()))
}

// Send, TrySend, Recv, TryRecv and Close work on channels; they end when the cell is interrupted.
func (v Value) Send(x Value) {
	Send(v.is("Send", reflect.Chan), x.x.assignTo("reflect.Value.Send", v.x.typ().elem()))
}

// TrySend sends if that is possible at once.
func (v Value) TrySend(x Value) bool {
	return v.is("TrySend", reflect.Chan).TrySend(x.x.assignTo("reflect.Value.Send", v.x.typ().elem()))
}

// Recv receives.
func (v Value) Recv() (Value, bool) {
	r, ok := Recv(v.is("Recv", reflect.Chan))
	if !ok {
		r = reflect.Zero(v.x.typ().elem().rep())
	}
	return v.mapped(r, v.x.typ().elem(), false), ok
}

// TryRecv receives if that is possible at once.
func (v Value) TryRecv() (Value, bool) {
	r, ok := v.is("TryRecv", reflect.Chan).TryRecv()
	if !r.IsValid() {
		return Value{}, false
	}
	return v.mapped(r, v.x.typ().elem(), false), ok
}

// Close closes a channel.
func (v Value) Close() { v.is("Close", reflect.Chan).Close() }

// convertible reports whether a value of type x converts to type to.
func convertible(x, to typ) bool {
	switch {
	case x.t == nil && to.t == nil:
		return x.r.ConvertibleTo(to.r)
	case assignable(x, to) || under(x, to, false):
		return true
	}
	a, b := x.kind(), to.kind()
	if a == reflect.Pointer && b == reflect.Pointer && !x.named() && !to.named() {
		return under(x.elem(), to.elem(), false)
	}
	if a == reflect.Slice && (b == reflect.Array && to.elem() == x.elem() || b == reflect.Pointer && to.elem().kind() == reflect.Array && to.elem().elem() == x.elem()) {
		return true
	}
	bytes := func(y typ) bool {
		e := y.elem()
		return (e.kind() == reflect.Uint8 || e.kind() == reflect.Int32) && e.descriptor().PkgPath == ""
	}
	switch {
	case a == reflect.String:
		return b == reflect.String || b == reflect.Slice && bytes(to)
	case b == reflect.String:
		return a >= reflect.Int && a <= reflect.Uintptr || a == reflect.Slice && bytes(x)
	}
	number := func(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Float64 }
	complex := func(k reflect.Kind) bool { return k == reflect.Complex64 || k == reflect.Complex128 }
	return number(a) && number(b) || complex(a) && complex(b)
}

// CanConvert reports whether Convert would succeed.
func (v Value) CanConvert(t reflect.Type) bool {
	to := typeOfReflect(t)
	if !convertible(v.x.typ(), to) {
		return false
	}
	if v.Kind() == reflect.Slice {
		switch {
		case to.kind() == reflect.Array:
			return to.descriptor().Len <= v.Len()
		case to.kind() == reflect.Pointer && to.elem().kind() == reflect.Array:
			return to.elem().descriptor().Len <= v.Len()
		}
	}
	return true
}

// Convert is the conversion of v to type t.
func (v Value) Convert(t reflect.Type) Value {
	v.r("Convert")
	to := typeOfReflect(t)
	if !convertible(v.x.typ(), to) {
		panic("reflect.Value.Convert: value of type " + v.x.typeString() + " cannot be converted to type " + to.String())
	}
	x := v.x
	if to.kind() == reflect.Interface {
		return Value{x: val{to.t, x.as(to), x.ro}}
	}
	if !x.v.IsValid() {
		return Zero(t)
	}
	return Value{x: typed(to.descriptor(), x.v.Convert(to.rep()), x.ro)}
}
