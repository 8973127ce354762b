package rt

import "reflect"

// val is a value together with the Go type it stands for: a type declared in a cell over its representation, or,
// where t is nil, the compiled type of v itself. It is what the printers, encoders and comparers of this package walk.
type val struct {
	t  *Type
	v  reflect.Value
	ro bool // reached through an unexported field: its methods may not be called
}

var (
	boxType     = reflect.TypeFor[Box]()
	wrapperType = reflect.TypeFor[Wrapper]()
	anyType     = reflect.TypeFor[any]()
	errorType   = reflect.TypeFor[error]()
)

// valOf returns what the interface value a holds; an invalid val for nil.
func valOf(a any) val {
	switch b := a.(type) {
	case nil:
		return val{}
	case Box:
		return typed(b.T, reflect.ValueOf(b.V), false)
	case carried:
		return b.x
	case Wrapper:
		if x, ok := b.Dynamic().(Box); ok {
			return typed(x.T, reflect.ValueOf(x.V), false)
		}
	}
	return val{v: reflect.ValueOf(a)}
}

// typed returns v, a representation of t, as a val. A slot that the compiler erased to an interface (a field that
// refers back to its own type) is opened.
func typed(t *Type, v reflect.Value, ro bool) val {
	if t == nil || t.Faithful && v.IsValid() && v.Type() == t.Rep {
		return val{nil, v, ro}
	}
	if t.Kind != reflect.Interface {
		for v.IsValid() && v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.IsValid() && v.Type() == boxType {
			v = v.Field(1).Elem()
		}
		if !v.IsValid() && t.Rep != nil {
			v = reflect.Zero(t.Rep) // a nil of an erased slot
			if v.Kind() == reflect.Interface {
				v = reflect.Value{}
			}
		}
	}
	return val{t, v, ro}
}

// valid reports whether x holds a value at all; the zero val stands for a nil interface.
func (x val) valid() bool { return x.t != nil || x.v.IsValid() }

func (x val) kind() reflect.Kind {
	if x.t != nil {
		return x.t.Kind
	}
	return x.v.Kind()
}

// typeString is the type as %T prints it.
func (x val) typeString() string {
	if x.t != nil {
		return x.t.String()
	}
	return goName(x.v.Type())
}

// sameType reports whether x and y have identical types.
func (x val) sameType(y val) bool {
	if x.t != nil || y.t != nil {
		return x.t == y.t
	}
	return x.v.Type() == y.v.Type()
}

// isNil reports whether a pointer, map, slice, func, chan or interface is nil.
func (x val) isNil() bool {
	if !x.v.IsValid() {
		return true
	}
	switch x.v.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		return x.v.IsNil()
	}
	return false
}

// len is the length of an array, map, slice or string; that of a nil one is 0.
func (x val) len() int {
	if !x.v.IsValid() {
		return 0
	}
	return x.v.Len()
}

// elem is what an interface holds or a pointer points at; invalid when nil.
func (x val) elem() val {
	if x.isNil() {
		return val{}
	}
	if x.kind() == reflect.Interface {
		return opened(x.v.Elem(), x.ro)
	}
	if x.t == nil {
		return val{nil, x.v.Elem(), x.ro}
	}
	return typed(x.t.Elem, x.v.Elem(), x.ro)
}

// opened is the val of a dynamic value found in an interface slot.
func opened(e reflect.Value, ro bool) val {
	if !e.IsValid() {
		return val{}
	}
	if e.Type() == boxType {
		return typed((*Type)(e.Field(0).UnsafePointer()), e.Field(1).Elem(), ro)
	}
	if e.Type().Implements(wrapperType) {
		if e.CanInterface() {
			if b, ok := e.Interface().(Wrapper).Dynamic().(Box); ok {
				return typed(b.T, reflect.ValueOf(b.V), ro)
			}
		} else if e.Kind() == reflect.Struct && e.NumField() > 0 && e.Field(0).Kind() == reflect.Interface {
			if d := e.Field(0).Elem(); d.IsValid() && d.Type() == boxType {
				return opened(d, true)
			}
		}
	}
	return val{nil, e, ro}
}

func (x val) numField() int {
	if x.t != nil {
		return len(x.t.Fields)
	}
	return x.v.NumField()
}

// field is the i'th field of a struct.
func (x val) field(i int) val {
	if x.t == nil {
		return val{nil, x.v.Field(i), x.ro || !x.v.Type().Field(i).IsExported()}
	}
	f := &x.t.Fields[i]
	return typed(f.Type, x.v.Field(i), x.ro || !f.Exported)
}

func (x val) fieldName(i int) string {
	if x.t == nil {
		return x.v.Type().Field(i).Name
	}
	return x.t.Fields[i].Name
}

// index is the i'th element of an array or slice.
func (x val) index(i int) val {
	if x.t == nil {
		return val{nil, x.v.Index(i), x.ro}
	}
	return typed(x.t.Elem, x.v.Index(i), x.ro)
}

// elemKind is the kind of the elements of an array or slice.
func (x val) elemKind() reflect.Kind {
	if x.t == nil {
		return x.v.Type().Elem().Kind()
	}
	return x.t.Elem.Kind
}

// entries lists a map in no particular order.
func (x val) entries() (out []entry) {
	if x.isNil() {
		return nil
	}
	for it := x.v.MapRange(); it.Next(); {
		if x.t == nil {
			out = append(out, entry{val{nil, it.Key(), x.ro}, val{nil, it.Value(), x.ro}})
		} else {
			out = append(out, entry{typed(x.t.Key, it.Key(), x.ro), typed(x.t.Elem, it.Value(), x.ro)})
		}
	}
	return out
}

type entry struct{ key, value val }

// accessible reports whether the value may be handed to a method or to the user.
func (x val) accessible() bool {
	return !x.ro && (x.t != nil && (!x.v.IsValid() || x.v.CanInterface()) || x.t == nil && x.v.IsValid() && x.v.CanInterface())
}

// dynamic opens an interface: the value Go's reflect.Value.Interface would give.
func (x val) dynamic() val {
	for x.valid() && x.kind() == reflect.Interface {
		x = x.elem()
	}
	return x
}

// hasMethod reports whether the method set of x's dynamic type has name with that signature.
func (x val) hasMethod(name string, sig signature) bool {
	if x.t == nil {
		m, ok := x.v.Type().MethodByName(name)
		if !ok {
			return false
		}
		return sig.match(m.Type, 1)
	}
	f := x.t.find(name)
	if f == nil {
		return false
	}
	switch {
	case f.method != nil:
		return sig.matchDeclared(f.method.Type)
	case f.typ.Kind == reflect.Interface:
		for _, m := range f.typ.Methods {
			if m.Name == name {
				return sig.matchDeclared(m.Type)
			}
		}
		return false
	}
	m, ok := reflect.PointerTo(f.typ.Rep).MethodByName(name)
	return ok && sig.match(m.Type, 1)
}

// call calls a method that hasMethod found. What the method panics with is what Go would panic with.
func (x val) call(name string, args ...reflect.Value) (out []reflect.Value) {
	defer func() {
		if r := recover(); r != nil {
			panic(PanicValue(r))
		}
	}()
	if x.t == nil {
		return x.v.MethodByName(name).Call(args)
	}
	fn, recv, ok := x.t.bind(name, x.v)
	if !ok {
		panic(nilDereference)
	}
	if recv.IsValid() {
		args = append([]reflect.Value{recv}, args...)
	}
	return fn.Call(args)
}

// interfaceOf is the interface value that holds x: a Box where the type was declared in a cell.
func (x val) interfaceOf() any {
	x = x.dynamic()
	switch {
	case !x.valid():
		return nil
	case x.t == nil:
		return x.v.Interface()
	case !x.v.IsValid():
		return Box{T: x.t, V: nil}
	}
	return Box{T: x.t, V: x.v.Interface()}
}

// signature is the type of a method that compiled packages look for.
type signature struct{ in, out []reflect.Type }

// sig makes the signature of a func type F.
func sig[F any]() signature {
	t := reflect.TypeFor[F]()
	var s signature
	for i := 0; i < t.NumIn(); i++ {
		s.in = append(s.in, t.In(i))
	}
	for i := 0; i < t.NumOut(); i++ {
		s.out = append(s.out, t.Out(i))
	}
	return s
}

func (s signature) match(t reflect.Type, skip int) bool {
	if t.IsVariadic() || t.NumIn()-skip != len(s.in) || t.NumOut() != len(s.out) {
		return false
	}
	for i, p := range s.in {
		if t.In(i+skip) != p {
			return false
		}
	}
	for i, r := range s.out {
		if t.Out(i) != r {
			return false
		}
	}
	return true
}

func (s signature) matchDeclared(t *Type) bool {
	if t == nil || t.Variadic || len(t.Params) != len(s.in) || len(t.Results) != len(s.out) {
		return false
	}
	for i, p := range s.in {
		if !t.Params[i].is(p) {
			return false
		}
	}
	for i, r := range s.out {
		if !t.Results[i].is(r) {
			return false
		}
	}
	return true
}

// is reports whether t is exactly the compiled type r.
func (t *Type) is(r reflect.Type) bool { return t.Faithful && t.Rep == r }
