package rt

import (
	"fmt"
	"reflect"
	"strings"
)

// Dynamic is a value whose methods are found by name; a Box is one. Method returns the method bound to the value,
// a func of the signature's representation.
type Dynamic = interface{ Method(name string) any }

// Wrapper is a compiled value that implements a compiled interface by calling the methods of the Dynamic inside.
type Wrapper interface{ Dynamic() Dynamic }

// found is a method as seen from a type: the path of embedded fields to it and what stands at the end.
type found struct {
	path   []int
	method *Method // declared in a cell
	name   string  // else a method of the compiled type or interface at the end of path
	typ    *Type   // the type at the end of path, not a pointer
}

// Declare registers (or replaces) a method of the named type t.
func (t *Type) Declare(m *Method) {
	t.mu.Lock()
	if t.declared == nil {
		t.declared = map[string]*Method{}
	}
	t.declared[m.Name] = m
	t.mu.Unlock()
	methodsChanged()
}

// Declared returns the method of that name declared on t itself.
func (t *Type) Declared(name string) *Method {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.declared[name]
}

// find looks name up in the method set of t (pointer receivers included when t is a pointer), promoted methods too.
func (t *Type) find(name string) *found {
	e := epoch.Load()
	t.mu.RLock()
	if t.found != nil && t.found[""] != nil && t.found[""].path[0] == int(e) {
		f, ok := t.found[name]
		if ok {
			t.mu.RUnlock()
			return f
		}
	}
	t.mu.RUnlock()
	f := search(t, name)
	t.mu.Lock()
	if t.found == nil || t.found[""] == nil || t.found[""].path[0] != int(e) {
		t.found = map[string]*found{"": {path: []int{int(e)}}}
	}
	t.found[name] = f
	t.mu.Unlock()
	return f
}

// search is the breadth-first lookup of the Go specification, depth by depth; an ambiguous depth yields nothing.
func search(t *Type, name string) *found {
	ptr := false
	if t.Kind == reflect.Pointer && t.Name == "" {
		if t, ptr = t.Elem, true; t.Kind == reflect.Interface {
			return nil // a pointer to an interface has no methods
		}
	}
	type at struct {
		t    *Type
		ptr  bool // reached through a pointer: pointer methods are in the set
		path []int
	}
	level := []at{{t, ptr, nil}}
	seen := map[*Type]bool{}
	for len(level) > 0 {
		var hit *found
		var next []at
		hits := 0
		for _, a := range level {
			if seen[a.t] {
				continue
			}
			seen[a.t] = true
			if m := a.t.Declared(name); m != nil {
				hits++
				if m.Pointer && !a.ptr {
					hit = nil
					continue
				}
				hit = &found{path: a.path, method: m, typ: a.t}
				continue
			}
			if a.t.Kind == reflect.Interface {
				for _, m := range a.t.Methods {
					if m.Name == name {
						hits++
						hit = &found{path: a.path, name: name, typ: a.t}
					}
				}
				continue
			}
			if a.t.Name != "" && a.t.Faithful && a.t.Rep != nil {
				rt := a.t.Rep
				if a.ptr {
					rt = reflect.PointerTo(rt)
				}
				if _, ok := rt.MethodByName(name); ok {
					hits++
					hit = &found{path: a.path, name: name, typ: a.t}
					continue
				}
			}
			if a.t.Kind != reflect.Struct {
				continue
			}
			for i, f := range a.t.Fields {
				if f.Name == name && !f.Embedded {
					hits++ // a field hides methods below
				}
				if !f.Embedded {
					continue
				}
				if f.Name == name {
					hits++
				}
				ft, fp := f.Type, a.ptr
				if ft.Kind == reflect.Pointer && ft.Name == "" {
					ft, fp = ft.Elem, true
				}
				next = append(next, at{ft, fp, append(append([]int(nil), a.path...), i)})
			}
		}
		if hits > 0 {
			if hits > 1 {
				return nil
			}
			return hit
		}
		level = next
	}
	return nil
}

// HasMethod reports whether the method set of t has name.
func (t *Type) HasMethod(name string) bool { return t.find(name) != nil }

// receiver walks from v (a value of type t's representation) along the embedded fields of f.
func (f *found) receiver(v reflect.Value) reflect.Value {
	for _, i := range f.path {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				panic(nilDereference)
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// bind returns a callable for method name of v, whose type is t.
func (t *Type) bind(name string, v reflect.Value) (fn reflect.Value, recv reflect.Value, ok bool) {
	f := t.find(name)
	if f == nil {
		return reflect.Value{}, reflect.Value{}, false
	}
	r := f.receiver(v)
	if f.method != nil {
		switch {
		case f.method.Pointer && r.Kind() != reflect.Pointer || f.method.Pointer && r.Type() != f.method.Fn.Type().In(0):
			if !r.CanAddr() {
				p := reflect.New(r.Type())
				p.Elem().Set(r)
				r = p.Elem()
			}
			r = r.Addr()
		case !f.method.Pointer && r.Type() != f.method.Fn.Type().In(0) && r.Kind() == reflect.Pointer:
			if r.IsNil() {
				n := f.typ.String()
				panic(PlainError("value method " + n + "." + name + " called using nil *" + n[strings.LastIndexByte(n, '.')+1:] + " pointer"))
			}
			r = r.Elem()
		}
		return f.method.Fn, r, true
	}
	if f.typ.Kind == reflect.Interface {
		if r.Kind() == reflect.Interface && r.IsNil() {
			panic(nilDereference)
		}
		m := methodOf(r.Interface(), name)
		return m, reflect.Value{}, m.IsValid()
	}
	if m := r.MethodByName(name); m.IsValid() {
		return m, reflect.Value{}, true
	}
	if r.CanAddr() {
		if m := r.Addr().MethodByName(name); m.IsValid() {
			return m, reflect.Value{}, true
		}
	} else {
		p := reflect.New(r.Type())
		p.Elem().Set(r)
		if m := p.MethodByName(name); m.IsValid() {
			return m, reflect.Value{}, true
		}
	}
	return reflect.Value{}, reflect.Value{}, false
}

// bindLater is bind for a method value that may never be called: a nil pointer on the way to a value receiver is
// found out by the call.
func (t *Type) bindLater(name string, v reflect.Value) (fn, recv reflect.Value, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			f := t.find(name)
			if _, plain := r.(PlainError); !plain && r != any(nilDereference) || f == nil || f.method == nil {
				panic(r)
			}
			ft := f.method.Fn.Type()
			var in, out []reflect.Type
			for i := 1; i < ft.NumIn(); i++ {
				in = append(in, ft.In(i))
			}
			for i := range ft.NumOut() {
				out = append(out, ft.Out(i))
			}
			fn = reflect.MakeFunc(reflect.FuncOf(in, out, ft.IsVariadic()), func([]reflect.Value) []reflect.Value { panic(r) })
			recv, ok = reflect.Value{}, true
		}
	}()
	return t.bind(name, v)
}

// methodOf returns method name of whatever v holds, bound, or an invalid value.
func methodOf(v any, name string) reflect.Value {
	t, rep := TypeOf(v)
	if t == nil {
		if rep == nil {
			return reflect.Value{}
		}
		return methodOfCompiled(rep, name)
	}
	fn, recv, ok := t.bindLater(name, reflect.ValueOf(rep))
	if !ok {
		return reflect.Value{}
	}
	return boundTo(fn, recv)
}

// methodOfCompiled is a method of a compiled value; those of a reflect.Type that yield values of package reflect are ours.
func methodOfCompiled(v any, name string) reflect.Value {
	if t, ok := v.(reflect.Type); ok {
		if f, ok := typeMethods[name]; ok {
			ft := f.Type()
			var in, out []reflect.Type
			for i := 1; i < ft.NumIn(); i++ {
				in = append(in, ft.In(i))
			}
			for i := range ft.NumOut() {
				out = append(out, ft.Out(i))
			}
			recv := reflect.ValueOf(&t).Elem()
			return reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
				return f.Call(append([]reflect.Value{recv}, args...))
			})
		}
	}
	return reflect.ValueOf(v).MethodByName(name)
}

// boundTo is the method fn with its receiver; recv is invalid where fn has it already.
func boundTo(fn, recv reflect.Value) reflect.Value {
	if !recv.IsValid() {
		return fn
	}
	ft := fn.Type()
	in := make([]reflect.Type, ft.NumIn()-1)
	for i := range in {
		in[i] = ft.In(i + 1)
	}
	out := make([]reflect.Type, ft.NumOut())
	for i := range out {
		out[i] = ft.Out(i)
	}
	// Go copies a value receiver when the method value is made.
	held := reflect.New(recv.Type()).Elem()
	held.Set(recv)
	return reflect.MakeFunc(reflect.FuncOf(in, out, ft.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		all := append([]reflect.Value{held}, args...)
		if ft.IsVariadic() {
			return fn.CallSlice(all)
		}
		return fn.Call(all)
	})
}

// Method makes a Box a Dynamic.
func (b Box) Method(name string) any {
	m := methodOf(b, name)
	if !m.IsValid() {
		return nil
	}
	return m.Interface()
}

// call calls method name of the interface value v, as v.name(args...) does. args hold a variadic slice as one value.
func call(v any, name string, args []reflect.Value) []reflect.Value {
	if v == nil {
		panic(nilDereference)
	}
	t, rep := TypeOf(v)
	if t == nil {
		m := methodOfCompiled(rep, name)
		if !m.IsValid() {
			panic(fmt.Sprintf("internal: %T has no method %s", rep, name))
		}
		if m.Type().IsVariadic() {
			return m.CallSlice(args)
		}
		return m.Call(args)
	}
	fn, recv, ok := t.bind(name, reflect.ValueOf(rep))
	if !ok {
		panic(fmt.Sprintf("internal: %v has no method %s", t, name))
	}
	if recv.IsValid() {
		args = append([]reflect.Value{recv}, args...)
	}
	if fn.Type().IsVariadic() {
		return fn.CallSlice(args)
	}
	return fn.Call(args)
}

// Implements reports whether v's dynamic type has every method of the interface t, with identical signatures.
func Implements(v any, t *Type) bool {
	if v == nil {
		return false
	}
	missing := Missing(v, t)
	return missing == ""
}

// Missing names the first method of interface t that v's dynamic type lacks, or is empty.
func Missing(v any, t *Type) string {
	bt, rep := TypeOf(v)
	if bt == nil {
		rt := reflect.TypeOf(rep)
		for _, m := range t.Methods {
			rm, ok := rt.MethodByName(m.Name)
			if !ok || !sameSignature(rm.Type, m.Type, 1) {
				return m.Name
			}
		}
		return ""
	}
	for _, m := range t.Methods {
		f := bt.find(m.Name)
		if f == nil {
			return m.Name
		}
		switch {
		case f.method != nil:
			if f.method.Type != m.Type {
				return m.Name
			}
		case f.typ.Kind == reflect.Interface:
			for _, im := range f.typ.Methods {
				if im.Name == m.Name && im.Type != m.Type {
					return m.Name
				}
			}
		default:
			rt := f.typ.Rep
			rm, ok := rt.MethodByName(m.Name)
			if !ok {
				rm, ok = reflect.PointerTo(rt).MethodByName(m.Name)
			}
			if !ok || !sameSignature(rm.Type, m.Type, 1) {
				return m.Name
			}
		}
	}
	return ""
}

// sameSignature compares a compiled method's type, whose first skip parameters are the receiver, with t.
func sameSignature(rt reflect.Type, t *Type, skip int) bool {
	if rt.NumIn()-skip != len(t.Params) || rt.NumOut() != len(t.Results) || rt.IsVariadic() != t.Variadic {
		return false
	}
	for i, p := range t.Params {
		if !p.Faithful || rt.In(i+skip) != p.Rep {
			return false
		}
	}
	for i, r := range t.Results {
		if !r.Faithful || rt.Out(i) != r.Rep {
			return false
		}
	}
	return true
}
