package rt

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// view is the reflect.Type of a type declared in a cell: the declared names over a stand-in. Errors of compiled
// packages carry one, so that they read as Go's, and it is what reflect.TypeOf returns in a cell.
//
// Package reflect looks at the stand-in when a compiled type is asked whether it is assignable to, or implements, the
// view; it is chosen so that the answer is Go's. For an interface with methods and for a named slice, map, channel or
// function of compiled types there is none, and such a question panics.
type view struct {
	reflect.Type
	t *Type
}

// Stand-ins for declared basic types: like them they have names, so that no compiled type is assignable to them.
type (
	aBool       bool
	anInt       int
	anInt8      int8
	anInt16     int16
	anInt32     int32
	anInt64     int64
	aUint       uint
	aUint8      uint8
	aUint16     uint16
	aUint32     uint32
	aUint64     uint64
	aUintptr    uintptr
	aFloat32    float32
	aFloat64    float64
	aComplex64  complex64
	aComplex128 complex128
	aString     string
	aPointer    unsafe.Pointer
	anUnknown   struct{ _ [0]func() } // no compiled type is identical to one with declared types in it
)

var standIns = func() map[reflect.Kind]reflect.Type {
	m := map[reflect.Kind]reflect.Type{}
	for _, v := range []any{aBool(false), anInt(0), anInt8(0), anInt16(0), anInt32(0), anInt64(0), aUint(0), aUint8(0), aUint16(0), aUint32(0),
		aUint64(0), aUintptr(0), aFloat32(0), aFloat64(0), aComplex64(0), aComplex128(0), aString(""), aPointer(nil)} {
		m[reflect.TypeOf(v).Kind()] = reflect.TypeOf(v)
	}
	return m
}()

func (t *Type) standIn() reflect.Type {
	if s, ok := standIns[t.Kind]; ok {
		return s
	}
	switch {
	case t.Kind == reflect.Interface && len(t.Methods) == 0:
		return t.Rep
	case t.Kind == reflect.Interface || t.compiledParts():
		return nil
	}
	return reflect.TypeFor[anUnknown]()
}

// compiledParts reports whether t is a composite type, not a struct, of compiled types only.
func (t *Type) compiledParts() bool {
	if t.Elem != nil && !t.Elem.Faithful || t.Key != nil && !t.Key.Faithful {
		return false
	}
	for _, p := range append(append([]*Type(nil), t.Params...), t.Results...) {
		if !p.Faithful {
			return false
		}
	}
	return t.Kind != reflect.Struct && t.Kind != reflect.Interface && standIns[t.Kind] == nil
}

var views sync.Map // *Type -> *view

// Reflect returns the type as package reflect would describe it. Name, String, Kind, Elem, Key, Len, NumField, Field,
// fields' names, tags and types, NumMethod, In, Out, Implements, AssignableTo and Comparable answer for the type as
// declared; two calls for one type return equal values. Method, MethodByName, ConvertibleTo and the functions of
// package reflect that make values refuse such a type.
func (t *Type) Reflect() reflect.Type {
	if t == nil {
		return nil
	}
	if t.Faithful {
		return t.Rep
	}
	if v, ok := views.Load(t); ok {
		return v.(*view)
	}
	v, _ := views.LoadOrStore(t, &view{t.standIn(), t})
	return v.(*view)
}

func (w *view) String() string { return w.t.String() }

// Name is the part of the type's name after the package.
func (w *view) Name() string {
	for i := 0; i < len(w.t.Name); i++ {
		switch w.t.Name[i] {
		case '.':
			return w.t.Name[i+1:]
		case '[':
			return w.t.Name
		}
	}
	return w.t.Name
}

func (w *view) PkgPath() string    { return w.t.PkgPath }
func (w *view) Kind() reflect.Kind { return w.t.Kind }
func (w *view) Comparable() bool   { return w.t.comparable() }

func (w *view) Elem() reflect.Type {
	if w.t.Elem == nil {
		panic("reflect: Elem of invalid type " + w.t.String())
	}
	return w.t.Elem.Reflect()
}

func (w *view) Key() reflect.Type {
	if w.t.Key == nil {
		panic("reflect: Key of non-map type " + w.t.String())
	}
	return w.t.Key.Reflect()
}

func (w *view) Len() int {
	if w.t.Kind != reflect.Array {
		panic("reflect: Len of non-array type " + w.t.String())
	}
	return w.t.Len
}

func (w *view) NumIn() int            { w.mustBe(reflect.Func, "NumIn"); return len(w.t.Params) }
func (w *view) NumOut() int           { w.mustBe(reflect.Func, "NumOut"); return len(w.t.Results) }
func (w *view) In(i int) reflect.Type { w.mustBe(reflect.Func, "In"); return w.t.Params[i].Reflect() }
func (w *view) Out(i int) reflect.Type {
	w.mustBe(reflect.Func, "Out")
	return w.t.Results[i].Reflect()
}
func (w *view) IsVariadic() bool { w.mustBe(reflect.Func, "IsVariadic"); return w.t.Variadic }
func (w *view) NumField() int    { w.mustBe(reflect.Struct, "NumField"); return len(w.t.Fields) }

func (w *view) mustBe(k reflect.Kind, what string) {
	if w.t.Kind != k {
		kind := map[reflect.Kind]string{reflect.Func: "func", reflect.Struct: "struct", reflect.Chan: "chan"}[k]
		panic("reflect: " + what + " of non-" + kind + " type " + w.t.String())
	}
}

func (w *view) Field(i int) reflect.StructField {
	w.mustBe(reflect.Struct, "Field")
	if i < 0 || i >= len(w.t.Fields) {
		panic("reflect: Field index out of bounds")
	}
	f := w.t.Fields[i]
	out := reflect.StructField{Name: f.Name, Type: f.Type.Reflect(), Tag: reflect.StructTag(f.Tag), Index: []int{i}, Anonymous: f.Embedded}
	if !f.Exported {
		out.PkgPath = w.t.PkgPath
		if out.PkgPath == "" {
			out.PkgPath = "main"
		}
	}
	if w.t.Rep.Kind() == reflect.Struct {
		out.Offset = w.t.Rep.Field(i).Offset
	}
	return out
}

func (w *view) FieldByIndex(index []int) reflect.StructField {
	var f reflect.StructField
	for i, x := range index {
		var t reflect.Type = w
		if i > 0 {
			t = f.Type
			if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
				t = t.Elem()
			}
		}
		f = t.Field(x)
	}
	f.Index = index
	return f
}

func (w *view) FieldByName(name string) (reflect.StructField, bool) {
	return w.FieldByNameFunc(func(s string) bool { return s == name })
}

// FieldByNameFunc searches breadth first as package reflect does.
func (w *view) FieldByNameFunc(match func(string) bool) (reflect.StructField, bool) {
	w.mustBe(reflect.Struct, "FieldByNameFunc")
	type at struct {
		t     reflect.Type
		index []int
	}
	level := []at{{w, nil}}
	seen := map[reflect.Type]bool{}
	for len(level) > 0 {
		var hit reflect.StructField
		hits := 0
		var next []at
		for _, a := range level {
			if seen[a.t] {
				continue
			}
			seen[a.t] = true
			for i := range a.t.NumField() {
				f := a.t.Field(i)
				index := append(append([]int(nil), a.index...), i)
				if match(f.Name) {
					hits++
					hit, hit.Index = f, index
					continue
				}
				if f.Anonymous {
					e := f.Type
					if e.Kind() == reflect.Pointer {
						e = e.Elem()
					}
					if e.Kind() == reflect.Struct {
						next = append(next, at{e, index})
					}
				}
			}
		}
		if hits == 1 {
			return hit, true
		}
		if hits > 1 {
			break
		}
		level = next
	}
	return reflect.StructField{}, false
}

func (w *view) NumMethod() int { return len(w.names()) }

// names lists the exported methods of the method set in order.
func (w *view) names() []string {
	if w.t.Kind == reflect.Interface {
		var out []string
		for _, m := range w.t.Methods {
			out = append(out, m.Name)
		}
		return out
	}
	return w.t.methodNames()
}

// Method and MethodByName refuse: the function of a method takes its receiver as a reflect.Value.
func (w *view) Method(int) reflect.Method {
	panic(Refused(fmt.Sprintf("reflect.Type.Method on %v, a type declared in a cell,", w.t)))
}

func (w *view) MethodByName(name string) (reflect.Method, bool) {
	if !slices.Contains(w.names(), name) {
		return reflect.Method{}, false
	}
	panic(Refused(fmt.Sprintf("reflect.Type.MethodByName on %v, a type declared in a cell,", w.t)))
}

// Implements reports whether the declared type implements the interface type u.
func (w *view) Implements(u reflect.Type) bool {
	if u == nil {
		panic("reflect: nil type passed to Type.Implements")
	}
	if u.Kind() != reflect.Interface {
		panic("reflect: non-interface type passed to Type.Implements")
	}
	x := val{t: w.t}
	if uv, ok := u.(*view); ok {
		for _, m := range uv.t.Methods {
			f := w.t.find(m.Name)
			if f == nil || f.method != nil && f.method.Type != m.Type {
				return false
			}
		}
		return true
	}
	for i := range u.NumMethod() {
		m := u.Method(i)
		if !x.hasMethod(m.Name, signatureOf(m.Type)) {
			return false
		}
	}
	return true
}

// AssignableTo follows the language: the same type, an interface that w implements, or an unnamed compiled type that
// is w's underlying type.
func (w *view) AssignableTo(u reflect.Type) bool {
	if u == nil {
		panic("reflect: nil type passed to Type.AssignableTo")
	}
	if u == reflect.Type(w) || u.Kind() == reflect.Interface && w.Implements(u) {
		return true
	}
	_, declared := u.(*view)
	return !declared && u.Name() == "" && w.t.compiledParts() && w.t.Rep.AssignableTo(u)
}

// Fields, Ins and Outs list what Field, In and Out give; Methods refuses as Method does.
func (w *view) Fields() iter.Seq[reflect.StructField] {
	w.mustBe(reflect.Struct, "Fields")
	return each(len(w.t.Fields), w.Field)
}

func (w *view) Ins() iter.Seq[reflect.Type] {
	w.mustBe(reflect.Func, "Ins")
	return each(len(w.t.Params), w.In)
}

func (w *view) Outs() iter.Seq[reflect.Type] {
	w.mustBe(reflect.Func, "Outs")
	return each(len(w.t.Results), w.Out)
}

func (w *view) Methods() iter.Seq[reflect.Method] { return each(len(w.names()), w.Method) }

func each[T any](n int, at func(int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range n {
			if !yield(at(i)) {
				return
			}
		}
	}
}

// Questions about values of a kind are answered for the representation, which has it.
func (w *view) OverflowComplex(x complex128) bool { return w.t.Rep.OverflowComplex(x) }
func (w *view) OverflowFloat(x float64) bool      { return w.t.Rep.OverflowFloat(x) }
func (w *view) OverflowInt(x int64) bool          { return w.t.Rep.OverflowInt(x) }
func (w *view) OverflowUint(x uint64) bool        { return w.t.Rep.OverflowUint(x) }
func (w *view) CanSeq() bool                      { return w.t.Rep.CanSeq() }
func (w *view) CanSeq2() bool                     { return w.t.Rep.CanSeq2() }

// Size, Align, FieldAlign, Bits and ChanDir are the representation's.
func (w *view) Size() uintptr            { return w.t.Rep.Size() }
func (w *view) Align() int               { return w.t.Rep.Align() }
func (w *view) FieldAlign() int          { return w.t.Rep.FieldAlign() }
func (w *view) Bits() int                { return w.t.Rep.Bits() }
func (w *view) ChanDir() reflect.ChanDir { w.mustBe(reflect.Chan, "ChanDir"); return w.t.Dir }

func (w *view) ConvertibleTo(u reflect.Type) bool {
	panic(Refused(fmt.Sprintf("reflect.Type.ConvertibleTo on %v, a type declared in a cell", w.t)))
}

func signatureOf(t reflect.Type) signature {
	var s signature
	for i := range t.NumIn() {
		s.in = append(s.in, t.In(i))
	}
	for i := range t.NumOut() {
		s.out = append(s.out, t.Out(i))
	}
	return s
}

// Refused is the panic of a call that cannot be done rightly on a type declared in a cell.
type Refused string

func (r Refused) Error() string { return string(r) + " is not supported" }
