package rt

import (
	"iter"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// Value is reflect.Value in a cell: a reflect.Value knows only compiled types, this one knows those declared in cells too.
// Its methods are those of reflect.Value, do what those do on the type as declared, and panic with their texts. What is not
// possible (a conversion or a StructOf that would need a new type from the compiler) panics with Refused.
type Value struct {
	x     val
	embed bool // x.ro only because of an embedded field of an unexported type: exported fields below may be used
}

// ReflectMethod is reflect.Method in a cell.
type ReflectMethod struct {
	Name    string
	PkgPath string
	Type    reflect.Type
	Func    Value
	Index   int
}

// IsExported reports whether the method is exported.
func (m ReflectMethod) IsExported() bool { return m.PkgPath == "" }

// MapIter is reflect.MapIter in a cell.
type MapIter struct {
	m  Value
	it *reflect.MapIter
}

// SelectCase is reflect.SelectCase in a cell.
type SelectCase struct {
	Dir  reflect.SelectDir
	Chan Value
	Send Value
}

var valueType = reflect.TypeFor[Value]()

// reflected are the types that stand for those of packages reflect and runtime, by the names of those.
var reflected = map[reflect.Type]string{valueType: "reflect.Value", reflect.TypeFor[ReflectMethod](): "reflect.Method",
	reflect.TypeFor[MapIter](): "reflect.MapIter", reflect.TypeFor[SelectCase](): "reflect.SelectCase"}

// cutName parts a type's name from its package's.
func cutName(name string) (pkg, n string) {
	pkg, n, _ = strings.Cut(name, ".")
	return pkg, n
}

// goName is a compiled type as Go would print it.
func goName(t reflect.Type) string {
	s := t.String()
	if !strings.Contains(s, "rt.") {
		return s
	}
	for r, name := range reflected {
		s = strings.ReplaceAll(s, r.String(), name)
	}
	return s
}

// renamed is the reflect.Type of a type with one of ours in it that stands for package reflect's.
type renamed struct{ reflect.Type }

func (t *renamed) String() string { return goName(t.Type) }
func (t *renamed) PkgPath() string {
	return strings.Replace(t.Type.PkgPath(), valueType.PkgPath(), "reflect", 1)
}
func (t *renamed) Elem() reflect.Type { return reflectOf(t.Type.Elem()) }
func (t *renamed) Name() string {
	if t.Type.Name() == "" {
		return ""
	}
	_, name := cutName(goName(t.Type))
	return name
}

var renamedTypes sync.Map // reflect.Type -> *renamed

// reflectOf is a compiled type as reflect.TypeOf gives it.
func reflectOf(t reflect.Type) reflect.Type {
	if t == nil || goName(t) == t.String() {
		return t
	}
	r, _ := renamedTypes.LoadOrStore(t, &renamed{t})
	return r.(*renamed)
}

// kept is a panic of a Value's method, to be recovered as it is: from the interpreter the same means something else (see
// PanicValue).
type kept struct{ value any }

// keep, deferred, makes a panic of package reflect a kept one.
func keep() {
	switch e := recover().(type) {
	case nil:
	case kept:
		panic(e)
	default:
		panic(kept{e})
	}
}

func badKind(method string, k reflect.Kind) kept {
	return kept{&reflect.ValueError{Method: "reflect.Value." + method, Kind: k}}
}

// r is the representation, for methods that look at nothing else.
func (v Value) r(method string) reflect.Value {
	if !v.x.valid() {
		panic(badKind(method, reflect.Invalid))
	}
	return v.x.v
}

func (v Value) is(method string, kinds ...reflect.Kind) reflect.Value {
	r := v.r(method)
	for _, k := range kinds {
		if v.x.kind() == k {
			return r
		}
	}
	panic(badKind(method, v.x.kind()))
}

// IsValid reports whether v holds a value.
func (v Value) IsValid() bool { return v.x.valid() }

// Kind is the kind of the type; Invalid for the zero Value.
func (v Value) Kind() reflect.Kind {
	if !v.x.valid() {
		return reflect.Invalid
	}
	return v.x.kind()
}

// Type is the type.
func (v Value) Type() reflect.Type { v.r("Type"); return v.x.typ().reflect() }

// String is the string, or for other kinds "<T Value>".
func (v Value) String() string {
	switch v.Kind() {
	case reflect.Invalid:
		return "<invalid Value>"
	case reflect.String:
		return v.x.v.String()
	}
	return "<" + v.x.typeString() + " Value>"
}

// The scalars.

func (v Value) Bool() bool          { defer keep(); return v.r("Bool").Bool() }
func (v Value) Int() int64          { defer keep(); return v.r("Int").Int() }
func (v Value) Uint() uint64        { defer keep(); return v.r("Uint").Uint() }
func (v Value) Float() float64      { defer keep(); return v.r("Float").Float() }
func (v Value) Complex() complex128 { defer keep(); return v.r("Complex").Complex() }
func (v Value) Bytes() []byte       { defer keep(); return v.r("Bytes").Bytes() }
func (v Value) CanInt() bool        { return v.IsValid() && v.x.v.CanInt() }
func (v Value) CanUint() bool       { return v.IsValid() && v.x.v.CanUint() }
func (v Value) CanFloat() bool      { return v.IsValid() && v.x.v.CanFloat() }
func (v Value) CanComplex() bool    { return v.IsValid() && v.x.v.CanComplex() }
func (v Value) CanAddr() bool       { return v.IsValid() && v.x.v.CanAddr() }
func (v Value) CanSet() bool        { return v.IsValid() && !v.x.ro && v.x.v.CanSet() }
func (v Value) OverflowInt(x int64) bool {
	defer keep()
	return v.r("OverflowInt").OverflowInt(x)
}
func (v Value) OverflowUint(x uint64) bool { defer keep(); return v.r("OverflowUint").OverflowUint(x) }
func (v Value) OverflowFloat(x float64) bool {
	defer keep()
	return v.r("OverflowFloat").OverflowFloat(x)
}
func (v Value) OverflowComplex(x complex128) bool {
	defer keep()
	return v.r("OverflowComplex").OverflowComplex(x)
}
func (v Value) Pointer() uintptr { defer keep(); return v.r("Pointer").Pointer() }
func (v Value) UnsafePointer() unsafe.Pointer {
	defer keep()
	return v.r("UnsafePointer").UnsafePointer()
}
func (v Value) UnsafeAddr() uintptr { defer keep(); return v.r("UnsafeAddr").UnsafeAddr() }

// CanInterface reports whether Interface does not panic.
func (v Value) CanInterface() bool { v.r("CanInterface"); return v.x.accessible() }

// Interface is the value as an interface value.
func (v Value) Interface() any {
	v.r("Interface")
	if !v.x.accessible() {
		panic("reflect.Value.Interface: cannot return value obtained from unexported field or method")
	}
	return v.x.interfaceOf()
}

// Comparable reports whether the value can be compared with itself.
func (v Value) Comparable() bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Func, reflect.Map, reflect.Slice:
		return false
	case reflect.Interface:
		return v.x.isNil() || v.Elem().Comparable()
	case reflect.Array:
		for i := range v.Len() {
			if !v.Index(i).Comparable() {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Field(i).Comparable() {
				return false
			}
		}
	}
	return true
}

// Equal reports whether v equals u.
func (v Value) Equal(u Value) bool {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if u.Kind() == reflect.Interface {
		u = u.Elem()
	}
	if !v.IsValid() || !u.IsValid() {
		return v.IsValid() == u.IsValid()
	}
	if !v.x.sameType(u.x) {
		return false
	}
	switch v.Kind() {
	case reflect.Func, reflect.Map, reflect.Slice:
		panic("reflect.Value.Equal: values of type " + v.x.typeString() + " are not comparable")
	case reflect.Array:
		for i := range v.Len() {
			if !v.Index(i).Equal(u.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Field(i).Equal(u.Field(i)) {
				return false
			}
		}
		return true
	}
	return v.x.v.Equal(u.x.v)
}

// IsNil reports whether a channel, function, interface, map, pointer or slice is nil.
func (v Value) IsNil() bool {
	v.is("IsNil", reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer)
	return v.x.isNil()
}

// IsZero reports whether v is the zero value of its type.
func (v Value) IsZero() bool {
	r := v.r("IsZero")
	return !r.IsValid() || r.IsZero()
}

// Elem is what an interface holds or a pointer points to.
func (v Value) Elem() Value {
	v.is("Elem", reflect.Interface, reflect.Pointer)
	return Value{v.x.elem(), v.embed}
}

// Addr is the pointer to v.
func (v Value) Addr() Value {
	if !v.CanAddr() {
		panic("reflect.Value.Addr of unaddressable value")
	}
	if v.x.t == nil {
		return Value{x: val{nil, v.x.v.Addr(), v.x.ro}}
	}
	return Value{x: v.x.addr()}
}

// Len is the length.
func (v Value) Len() int {
	if r := v.r("Len"); r.IsValid() {
		if v.Kind() == reflect.Pointer && v.x.t != nil && v.x.t.Elem.Kind != reflect.Array {
			panic("reflect: call of reflect.Value.Len on ptr to non-array Value")
		}
		return r.Len()
	}
	return 0
}

// Cap is the capacity.
func (v Value) Cap() int { defer keep(); return v.r("Cap").Cap() }

// Index is the i'th element.
func (v Value) Index(i int) Value {
	r := v.is("Index", reflect.Array, reflect.Slice, reflect.String)
	if i < 0 || i >= r.Len() {
		panic(kept{"reflect: " + v.Kind().String() + " index out of range"})
	}
	if v.Kind() == reflect.String {
		return Value{x: val{nil, r.Index(i), v.x.ro}}
	}
	return Value{x: v.x.index(i)}
}

// Slice is v[i:j].
func (v Value) Slice(i, j int) Value { defer keep(); return v.sliced(v.r("Slice").Slice(i, j)) }

// Slice3 is v[i:j:k].
func (v Value) Slice3(i, j, k int) Value {
	defer keep()
	return v.sliced(v.r("Slice3").Slice3(i, j, k))
}

func (v Value) sliced(r reflect.Value) Value {
	switch {
	case v.x.t == nil:
		return Value{x: val{nil, r, v.x.ro}}
	case v.x.t.Kind == reflect.Array:
		s := sliceOf(v.x.t.Elem.typ())
		return Value{x: val{s.t, r, v.x.ro}}
	}
	return Value{x: val{v.x.t, r, v.x.ro}}
}

// NumField is the number of fields of a struct.
func (v Value) NumField() int { v.is("NumField", reflect.Struct); return v.x.numField() }

// Field is the i'th field.
func (v Value) Field(i int) Value {
	v.is("Field", reflect.Struct)
	if i < 0 || i >= v.x.numField() {
		panic("reflect: Field index out of range")
	}
	sticky := v.x.ro && !v.embed
	if v.x.t == nil {
		f := v.x.v.Field(i)
		return Value{x: val{nil, f, sticky || !f.CanInterface()}}
	}
	f := &v.x.t.Fields[i]
	return Value{typed(f.Type, v.x.v.Field(i), sticky || !f.Exported), !sticky && !f.Exported && f.Embedded}
}

// FieldByIndex is the field at the end of a path of fields.
func (v Value) FieldByIndex(index []int) Value {
	v.is("FieldByIndex", reflect.Struct)
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer && v.x.typ().elem().kind() == reflect.Struct {
			if v.IsNil() {
				panic("reflect: indirection through nil pointer to embedded struct")
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// FieldByIndexErr is FieldByIndex, with an error instead of a panic at a nil pointer.
func (v Value) FieldByIndexErr(index []int) (Value, error) {
	v.is("FieldByIndexErr", reflect.Struct)
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer && v.x.typ().elem().kind() == reflect.Struct {
			if v.IsNil() {
				name := v.x.typ().elem().reflect().Name()
				return Value{}, PlainError("reflect: indirection through nil pointer to embedded struct field " + name)
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, nil
}

// FieldByName is the field called name, promoted ones too; the zero Value if there is none.
func (v Value) FieldByName(name string) Value {
	v.is("FieldByName", reflect.Struct)
	if f, ok := v.Type().FieldByName(name); ok {
		return v.FieldByIndex(f.Index)
	}
	return Value{}
}

// FieldByNameFunc is the field whose name match accepts.
func (v Value) FieldByNameFunc(match func(string) bool) Value {
	if f, ok := v.Type().FieldByNameFunc(match); ok {
		return v.FieldByIndex(f.Index)
	}
	return Value{}
}

// Fields goes over the fields of a struct.
func (v Value) Fields() iter.Seq2[reflect.StructField, Value] {
	t := v.Type()
	n := t.NumField()
	return func(yield func(reflect.StructField, Value) bool) {
		for i := range n {
			if !yield(t.Field(i), v.Field(i)) {
				return
			}
		}
	}
}

// Methods goes over the methods.
func (v Value) Methods() iter.Seq2[ReflectMethod, Value] {
	t := v.Type()
	n := t.NumMethod()
	return func(yield func(ReflectMethod, Value) bool) {
		for i := range n {
			if !yield(TypeMethod(t, i), v.Method(i)) {
				return
			}
		}
	}
}

// MapKeys lists a map's keys.
func (v Value) MapKeys() []Value {
	v.is("MapKeys", reflect.Map)
	out := []Value{}
	for _, e := range v.x.entries() {
		out = append(out, Value{x: e.key})
	}
	return out
}

// MapIndex is the value at key; the zero Value if there is none.
func (v Value) MapIndex(key Value) Value {
	r := v.is("MapIndex", reflect.Map)
	e := r.MapIndex(key.x.assignTo("reflect.Value.MapIndex", v.x.typ().key()))
	if !e.IsValid() {
		return Value{}
	}
	return v.mapped(e, v.x.typ().elem(), key.x.ro)
}

func (v Value) mapped(e reflect.Value, y typ, ro bool) Value {
	if v.x.t == nil {
		return Value{x: val{nil, e, v.x.ro || ro}}
	}
	return Value{x: typed(y.descriptor(), e, v.x.ro || ro)}
}

// MapRange is an iterator over a map.
func (v Value) MapRange() *MapIter {
	return &MapIter{v, v.is("MapRange", reflect.Map).MapRange()}
}

// Next goes to the next entry; false at the end.
func (it *MapIter) Next() bool {
	if !it.m.IsValid() {
		panic("MapIter.Next called on an iterator that does not have an associated map Value")
	}
	return it.it.Next()
}

// Key and Value are the entry the iterator is at.
func (it *MapIter) Key() Value { return it.m.mapped(it.it.Key(), it.m.x.typ().key(), false) }

// Value is the value of the entry the iterator is at.
func (it *MapIter) Value() Value { return it.m.mapped(it.it.Value(), it.m.x.typ().elem(), false) }

// Reset makes the iterator start on another map.
func (it *MapIter) Reset(v Value) {
	it.m, it.it = v, nil
	if v.IsValid() {
		it.it = v.is("MapRange", reflect.Map).MapRange()
	}
}

// Seq and Seq2 are what range over the value yields.
func (v Value) Seq() iter.Seq[Value] {
	switch k := v.Kind(); {
	case k == reflect.Map:
		return func(yield func(Value) bool) {
			for it := v.MapRange(); it.Next(); {
				if !yield(it.Key()) {
					return
				}
			}
		}
	case v.x.t == nil || k != reflect.Func:
		r := v.r("Seq")
		return func(yield func(Value) bool) {
			for e := range r.Seq() {
				x := val{nil, e, false}
				if k >= reflect.Int && k <= reflect.Uintptr || k == reflect.Chan {
					x = typed(v.element(k), e, false)
				}
				if !yield(Value{x: x}) {
					return
				}
			}
		}
	}
	return func(yield func(Value) bool) {
		body := reflect.MakeFunc(v.x.t.Params[0].Rep, func(in []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(yield(Value{x: typed(v.x.t.Params[0].Params[0], in[0], false)}))}
		})
		v.x.v.Call([]reflect.Value{body})
	}
}

// element is the type of what range over v yields: that of v for integers, that of the elements for channels.
func (v Value) element(k reflect.Kind) *Type {
	switch {
	case v.x.t == nil:
		return nil
	case k == reflect.Chan:
		return v.x.t.Elem
	}
	return v.x.t
}

// Seq2 is what range with two variables yields.
func (v Value) Seq2() iter.Seq2[Value, Value] {
	switch v.Kind() {
	case reflect.Map:
		return func(yield func(Value, Value) bool) {
			for it := v.MapRange(); it.Next(); {
				if !yield(it.Key(), it.Value()) {
					return
				}
			}
		}
	case reflect.Array, reflect.Slice:
		return func(yield func(Value, Value) bool) {
			for i := range v.Len() {
				if !yield(ValueOf(i), v.Index(i)) {
					return
				}
			}
		}
	case reflect.Pointer:
		if v.x.typ().elem().kind() == reflect.Array {
			return v.Elem().Seq2()
		}
	}
	r := v.r("Seq2")
	if v.x.t == nil || v.Kind() != reflect.Func {
		return func(yield func(Value, Value) bool) {
			for a, b := range r.Seq2() {
				if !yield(Value{x: val{v: a}}, Value{x: val{v: b}}) {
					return
				}
			}
		}
	}
	return func(yield func(Value, Value) bool) {
		y := v.x.t.Params[0]
		r.Call([]reflect.Value{reflect.MakeFunc(y.Rep, func(in []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(yield(Value{x: typed(y.Params[0], in[0], false)}, Value{x: typed(y.Params[1], in[1], false)}))}
		})})
	}
}
