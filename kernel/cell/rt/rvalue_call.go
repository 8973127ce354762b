package rt

import (
	"fmt"
	"iter"
	"reflect"
)

// NumMethod is the number of exported methods; of an interface, all.
func (v Value) NumMethod() int {
	v.r("NumMethod")
	return v.x.typ().reflect().NumMethod()
}

// Method is the i'th method bound to v.
func (v Value) Method(i int) Value {
	v.r("Method")
	t := v.x.typ().reflect()
	if uint(i) >= uint(t.NumMethod()) {
		panic("reflect: Method index out of range")
	}
	return v.method(methodNameOf(t, i))
}

func methodNameOf(t reflect.Type, i int) string {
	if w, ok := t.(*view); ok {
		return w.names()[i]
	}
	return t.Method(i).Name
}

// MethodByName is the method called name, bound to v; the zero Value if there is none.
func (v Value) MethodByName(name string) Value {
	v.r("MethodByName")
	t := v.x.typ().reflect()
	for i := range t.NumMethod() {
		if methodNameOf(t, i) == name {
			return v.method(name)
		}
	}
	return Value{}
}

func (v Value) method(name string) Value {
	x := v.x
	if x.kind() == reflect.Interface {
		if x.isNil() {
			panic("reflect: Method on nil interface value")
		}
		x = x.dynamic()
	}
	if x.t == nil {
		return Value{x: val{nil, x.v.MethodByName(name), x.ro}}
	}
	fn, recv, ok := x.t.bindLater(name, x.v)
	if !ok {
		return Value{}
	}
	sig := x.t.methodType(name)
	if sig == nil {
		sig = descriptorOf(fn.Type())
	}
	return Value{x: typed(sig, boundTo(fn, recv), x.ro)}
}

// methodType is the type of t's method without the receiver; nil where a compiled type's method is meant.
func (t *Type) methodType(name string) *Type {
	f := t.find(name)
	switch {
	case f == nil:
	case f.method != nil:
		return f.method.Type
	case f.typ.Kind == reflect.Interface && !f.typ.Faithful:
		for _, m := range f.typ.Methods {
			if m.Name == name {
				return m.Type
			}
		}
	}
	return nil
}

// Call calls the function v with the arguments in, one by one.
func (v Value) Call(in []Value) []Value { return v.call("Call", in, false) }

// CallSlice is Call of a variadic function whose last argument is the slice.
func (v Value) CallSlice(in []Value) []Value { return v.call("CallSlice", in, true) }

func (v Value) call(method string, in []Value, spread bool) []Value {
	r := v.is(method, reflect.Func)
	if v.x.ro {
		panic("reflect: reflect.Value." + method + " using value obtained using unexported field")
	}
	if v.x.isNil() {
		panic(kept{"reflect: call of nil function"})
	}
	d := v.x.typ().descriptor()
	n := len(d.Params)
	switch {
	case spread && !d.Variadic:
		panic("reflect: CallSlice of non-variadic function")
	case spread && len(in) < n:
		panic("reflect: CallSlice with too few input arguments")
	case spread && len(in) > n:
		panic("reflect: CallSlice with too many input arguments")
	case !spread && d.Variadic && len(in) < n-1, !spread && !d.Variadic && len(in) < n:
		panic("reflect: Call with too few input arguments")
	case !spread && !d.Variadic && len(in) > n:
		panic("reflect: Call with too many input arguments")
	}
	var args []reflect.Value
	for i, a := range in {
		p := d.Params[min(i, n-1)]
		if d.Variadic && !spread && i >= n-1 {
			p = d.Params[n-1].Elem
		}
		if !a.IsValid() {
			panic("reflect: " + method + " using zero Value argument")
		}
		if !assignable(a.x.typ(), p.typ()) {
			panic("reflect: " + method + " using " + a.x.typeString() + " as type " + p.String())
		}
		args = append(args, a.x.assignTo("reflect.Value."+method, p.typ()))
	}
	var out []reflect.Value
	if spread {
		out = r.CallSlice(args)
	} else {
		out = r.Call(args)
	}
	res := make([]Value, len(out))
	for i, o := range out {
		res[i] = Value{x: typed(d.Results[i], o, false)}
	}
	return res
}

// MakeFunc is reflect.MakeFunc.
func MakeFunc(t reflect.Type, fn func([]Value) []Value) Value {
	y := typeOfReflect(t)
	if y.kind() != reflect.Func {
		panic("reflect: call of MakeFunc with non-Func type")
	}
	d := y.descriptor()
	return Value{x: typed(d, reflect.MakeFunc(d.Rep, func(in []reflect.Value) []reflect.Value {
		args := make([]Value, len(in))
		for i := range in {
			args[i] = Value{x: typed(d.Params[i], in[i], false)}
		}
		res := fn(args)
		if len(res) != len(d.Results) {
			panic("reflect: wrong return count from function created by MakeFunc")
		}
		out := make([]reflect.Value, len(res))
		for i, r := range res {
			if !r.IsValid() {
				panic("reflect: function created by MakeFunc using closure returned zero Value")
			}
			if !assignable(r.x.typ(), d.Results[i].typ()) {
				panic("reflect: function created by MakeFunc using closure returned wrong type: have " + r.x.typeString() + " for " + d.Results[i].String())
			}
			out[i] = r.x.assignTo("reflect.MakeFunc", d.Results[i].typ())
		}
		return out
	}), false)}
}

// TypeMethod is Type.Method.
func TypeMethod(t reflect.Type, i int) ReflectMethod {
	if t.NumMethod() <= i || i < 0 {
		panic("reflect: Method index out of range")
	}
	name := methodNameOf(t, i)
	y := typeOfReflect(t)
	m := ReflectMethod{Name: name, Index: i}
	if y.t == nil {
		r := y.r.Method(i)
		m.Type, m.PkgPath = r.Type, r.PkgPath
		if r.Func.IsValid() {
			m.Func = Value{x: val{v: r.Func}}
		}
		return m
	}
	sig := y.t.methodType(name)
	if sig == nil {
		f := y.t.find(name)
		r := f.typ.Rep
		if r.Kind() == reflect.Interface {
			rm, _ := r.MethodByName(name)
			sig = descriptorOf(rm.Type)
		} else {
			rm, _ := reflect.PointerTo(r).MethodByName(name)
			d := descriptorOf(rm.Type)
			sig = funcOf(typs(d.Params[1:]), typs(d.Results), d.Variadic).descriptor()
		}
	}
	if y.kind() == reflect.Interface {
		m.Type = sig.Reflect()
		return m
	}
	ft := funcOf(append([]typ{y}, typs(sig.Params)...), typs(sig.Results), sig.Variadic)
	m.Type = ft.reflect()
	d := ft.descriptor()
	m.Func = Value{x: typed(d, reflect.MakeFunc(d.Rep, func(in []reflect.Value) []reflect.Value {
		fn, recv, ok := y.t.bind(name, typed(y.t, in[0], false).v)
		if !ok {
			panic(fmt.Sprintf("internal: %v has no method %s", y.t, name))
		}
		args := in[1:]
		if recv.IsValid() {
			args = append([]reflect.Value{recv}, args...)
		}
		if fn.Type().IsVariadic() {
			return fn.CallSlice(args)
		}
		return fn.Call(args)
	}), false)}
	return m
}

func typs(ts []*Type) []typ {
	var out []typ
	for _, t := range ts {
		out = append(out, t.typ())
	}
	return out
}

// TypeMethodByName is Type.MethodByName.
func TypeMethodByName(t reflect.Type, name string) (ReflectMethod, bool) {
	for i := range t.NumMethod() {
		if methodNameOf(t, i) == name {
			return TypeMethod(t, i), true
		}
	}
	return ReflectMethod{}, false
}

// TypeMethods is Type.Methods.
func TypeMethods(t reflect.Type) iter.Seq[ReflectMethod] {
	return each(t.NumMethod(), func(i int) ReflectMethod { return TypeMethod(t, i) })
}

// TypeImplements is Type.Implements.
func TypeImplements(t, u reflect.Type) bool {
	if u == nil {
		panic("reflect: nil type passed to Type.Implements")
	}
	if u.Kind() != reflect.Interface {
		panic("reflect: non-interface type passed to Type.Implements")
	}
	return implements(typeOfReflect(t), typeOfReflect(u))
}

// typeMethods are the methods of reflect.Type that need to know declared types, as functions of a reflect.Type.
var typeMethods map[string]reflect.Value

func init() { // not a literal: what they do may call one of them
	typeMethods = values(map[string]any{
		"Method": TypeMethod, "MethodByName": TypeMethodByName, "Methods": TypeMethods, "Implements": TypeImplements,
		"ConvertibleTo": func(t, u reflect.Type) bool { return convertible(typeOfReflect(t), typeOfReflect(u)) },
		"AssignableTo":  func(t, u reflect.Type) bool { return assignable(typeOfReflect(t), typeOfReflect(u)) },
	})
}
