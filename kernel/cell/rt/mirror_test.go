package rt

import (
	"reflect"
	"runtime/debug"
	"sync"
	"testing"
	"unsafe"
)

// mirror builds, from types this test binary declares, what the cell compiler builds for types declared in cells:
// descriptors, representations, boxes. So every test can compare with what compiled Go does with the native type.
type mirror struct {
	mu    sync.Mutex
	types map[reflect.Type]*Type
	moved map[uintptr]bool // addresses of originals and of their copies, which differ
	later []func()         // method declarations, once the types are complete
}

var mir = &mirror{types: map[reflect.Type]*Type{}, moved: map[uintptr]bool{}}

const here = "example.org/godp/kernel/cell/rt"

// declared reports whether n is a type of this test package, which stands for a type declared in a cell.
func declared(n reflect.Type) bool { return n.Name() != "" && n.PkgPath() == here }

// of returns the descriptor of the native type n.
func (m *mirror) of(n reflect.Type) *Type {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.get(n)
	for len(m.later) > 0 {
		f := m.later[0]
		m.later = m.later[1:]
		f()
	}
	return t
}

func (m *mirror) get(n reflect.Type) *Type {
	if t := m.types[n]; t != nil {
		return t
	}
	t := &Type{Kind: n.Kind(), PkgPath: n.PkgPath()}
	if n.Name() != "" {
		t.Name = n.String()
	}
	m.types[n] = t
	if n.Name() != "" && !declared(n) {
		t.Faithful, t.Rep = true, n
		if n.Kind() == reflect.Interface {
			m.methods(t, n)
		}
		return t
	}
	t.Faithful = faithful(n, map[reflect.Type]bool{})
	part := m.get
	switch n.Kind() {
	case reflect.Pointer:
		t.Elem = part(n.Elem())
		if t.Elem.Rep == nil { // recursive: the slot is an interface
			t.Rep = anyType
			break
		}
		t.Rep = reflect.PointerTo(t.Elem.Rep)
	case reflect.Slice:
		t.Elem = part(n.Elem())
		if t.Elem.Rep == nil {
			t.Rep = anyType
			break
		}
		t.Rep = reflect.SliceOf(t.Elem.Rep)
	case reflect.Array:
		t.Elem, t.Len = part(n.Elem()), n.Len()
		t.Rep = reflect.ArrayOf(t.Len, t.Elem.Rep)
	case reflect.Map:
		t.Key, t.Elem = part(n.Key()), part(n.Elem())
		if t.Elem.Rep == nil {
			t.Rep = anyType
			break
		}
		t.Rep = reflect.MapOf(t.Key.Rep, t.Elem.Rep)
	case reflect.Chan:
		t.Elem, t.Dir = part(n.Elem()), n.ChanDir()
		t.Rep = reflect.ChanOf(t.Dir, t.Elem.Rep)
	case reflect.Func:
		var in, out []reflect.Type
		for i := 0; i < n.NumIn(); i++ {
			t.Params = append(t.Params, part(n.In(i)))
			in = append(in, t.Params[i].Rep)
		}
		for i := 0; i < n.NumOut(); i++ {
			t.Results = append(t.Results, part(n.Out(i)))
			out = append(out, t.Results[i].Rep)
		}
		t.Variadic = n.IsVariadic()
		t.Rep = reflect.FuncOf(in, out, t.Variadic)
	case reflect.Struct:
		var fs []reflect.StructField
		for i := 0; i < n.NumField(); i++ {
			f := n.Field(i)
			ft := part(f.Type)
			t.Fields = append(t.Fields, Field{Name: f.Name, Type: ft, Tag: string(f.Tag), Embedded: f.Anonymous, Exported: f.IsExported()})
			name := f.Name
			if !f.IsExported() {
				name = "F_" + name
			}
			if f.Name == "_" {
				name = "F_blank" + itoa(i)
			}
			rep := ft.Rep
			if rep == nil {
				rep = anyType
			}
			fs = append(fs, reflect.StructField{Name: name, Type: rep})
		}
		t.Rep = reflect.StructOf(fs)
	case reflect.Interface:
		m.methods(t, n)
		t.Rep = anyType
	default:
		t.Rep = basicRep(n.Kind())
	}
	if declared(n) {
		if n.Kind() != reflect.Interface {
			m.later = append(m.later, func() { m.declare(t, n) })
		}
	}
	return t
}

// faithful reports whether n has no declared type, struct literal type or interface literal type in it.
func faithful(n reflect.Type, seen map[reflect.Type]bool) bool {
	if n.Name() != "" || seen[n] {
		return !declared(n)
	}
	seen[n] = true
	switch n.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return faithful(n.Elem(), seen)
	case reflect.Map:
		return faithful(n.Key(), seen) && faithful(n.Elem(), seen)
	case reflect.Struct:
		return n.NumField() == 0
	case reflect.Interface:
		return n.NumMethod() == 0
	case reflect.Func:
		for i := range n.NumIn() {
			if !faithful(n.In(i), seen) {
				return false
			}
		}
		for i := range n.NumOut() {
			if !faithful(n.Out(i), seen) {
				return false
			}
		}
	}
	return true
}

func basicRep(k reflect.Kind) reflect.Type {
	for _, v := range []any{false, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0),
		uintptr(0), float32(0), float64(0), complex64(0), complex128(0), "", unsafe.Pointer(nil)} {
		if t := reflect.TypeOf(v); t.Kind() == k {
			return t
		}
	}
	panic(k)
}

func (m *mirror) methods(t *Type, n reflect.Type) {
	for i := 0; i < n.NumMethod(); i++ {
		t.Methods = append(t.Methods, IMethod{n.Method(i).Name, m.get(n.Method(i).Type)})
	}
}

// declare registers n's methods (those it declares itself, not promoted ones) over its representation.
func (m *mirror) declare(t *Type, n reflect.Type) {
	ptr := reflect.PointerTo(n)
	for i := 0; i < ptr.NumMethod(); i++ {
		name := ptr.Method(i).Name
		if promoted(n, name) {
			continue
		}
		_, onValue := n.MethodByName(name)
		mt := ptr.Method(i).Type
		recv := ptr
		if onValue {
			recv = n
			vm, _ := n.MethodByName(name)
			mt = vm.Type
		}
		var in, out []reflect.Type
		for k := 1; k < mt.NumIn(); k++ {
			in = append(in, mt.In(k))
		}
		for k := 0; k < mt.NumOut(); k++ {
			out = append(out, mt.Out(k))
		}
		sig := m.get(reflect.FuncOf(in, out, mt.IsVariadic()))
		rt := m.get(recv)
		rin := append([]reflect.Type{rt.Rep}, repsOf(sig.Params)...)
		fn := reflect.MakeFunc(reflect.FuncOf(rin, repsOf(sig.Results), mt.IsVariadic()), func(args []reflect.Value) []reflect.Value {
			r := m.native(rt, recv, args[0])
			f := r.MethodByName(name)
			back := make([]reflect.Value, len(args)-1)
			for k, a := range args[1:] {
				back[k] = m.native(sig.Params[k], in[k], a)
			}
			var res []reflect.Value
			if mt.IsVariadic() {
				res = f.CallSlice(back)
			} else {
				res = f.Call(back)
			}
			if recv.Kind() == reflect.Pointer && !args[0].IsNil() && !sameMemory(rt.Elem) && args[0].Type().Elem().Kind() != reflect.Interface {
				args[0].Elem().Set(m.rep(sigElem(rt), r.Elem()))
			}
			for k := range res {
				res[k] = m.slot(sig.Results[k], m.rep(sig.Results[k], res[k]))
			}
			return res
		})
		t.Declare(&Method{Name: name, Pointer: !onValue, Type: sig, Fn: fn})
	}
}

func (m *mirror) copied(n, r reflect.Value) {
	m.mu.Lock()
	m.moved[n.Pointer()], m.moved[r.Pointer()] = true, true
	m.mu.Unlock()
}

func sigElem(t *Type) *Type { return t.Elem }

func repsOf(ts []*Type) (out []reflect.Type) {
	for _, t := range ts {
		out = append(out, t.Rep)
	}
	return out
}

// promoted reports whether the method comes from an embedded field of n.
func promoted(n reflect.Type, name string) bool {
	if n.Kind() != reflect.Struct {
		return false
	}
	for i := 0; i < n.NumField(); i++ {
		f := n.Field(i)
		if !f.Anonymous {
			continue
		}
		ft := f.Type
		if ft.Kind() != reflect.Pointer && ft.Kind() != reflect.Interface {
			ft = reflect.PointerTo(ft)
		}
		if _, ok := ft.MethodByName(name); ok && !ownMethod[n.Name()+"."+name] {
			return true
		}
	}
	return false
}

// ownMethod names methods that a type declares although an embedded field has one of the same name.
var ownMethod = map[string]bool{}

// box returns what an interface holds in a cell for the native value v.
func (m *mirror) box(v any) any {
	if v == nil {
		return nil
	}
	n := reflect.ValueOf(v)
	t := m.of(n.Type())
	if t.Faithful {
		return m.rep(t, n).Interface()
	}
	r := m.rep(t, n)
	if !r.IsValid() {
		return Box{T: t}
	}
	return Box{T: t, V: r.Interface()}
}

func open(v reflect.Value) reflect.Value {
	if v.CanInterface() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// slot fits v into a place of type t.Rep (a nil of an erased type is no value at all).
func (m *mirror) slot(t *Type, v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return reflect.Zero(t.Rep)
	}
	p := reflect.New(t.Rep).Elem()
	p.Set(v)
	return p
}

// rep converts the native value n of type t to its representation.
func (m *mirror) rep(t *Type, n reflect.Value) reflect.Value {
	if !n.CanAddr() && n.Kind() != reflect.Interface {
		p := reflect.New(n.Type()).Elem()
		p.Set(n)
		n = p
	}
	n = open(n)
	out := reflect.New(t.Rep).Elem()
	if n.Kind() == reflect.Interface {
		if n.IsNil() {
			return out
		}
		e := m.box(n.Elem().Interface())
		if t.Rep != anyType && t.Rep.Kind() == reflect.Interface {
			if b, ok := e.(Box); ok {
				w, ok := WrapAs(t.Rep, b)
				if !ok {
					panic("no wrapper for " + t.Rep.String())
				}
				e = w
			}
		}
		out.Set(reflect.ValueOf(e))
		return out
	}
	if t.Faithful && n.Type().Name() != "" {
		return n
	}
	if t.Faithful && n.Kind() != reflect.Slice && n.Kind() != reflect.Map && n.Kind() != reflect.Array {
		return n
	}
	switch n.Kind() {
	case reflect.Pointer:
		if n.IsNil() {
			return out
		}
		if t.Elem.Faithful {
			return n
		}
		if sameMemory(t.Elem) {
			out.Set(reflect.NewAt(t.Elem.Rep, n.UnsafePointer()))
			return out
		}
		p := reflect.New(t.Elem.Rep)
		p.Elem().Set(m.slot(t.Elem, m.rep(t.Elem, n.Elem())))
		out.Set(p)
		m.copied(n, p)
	case reflect.Slice:
		if n.IsNil() {
			return out
		}
		if sameMemory(t.Elem) {
			out.Set(reflect.SliceAt(t.Elem.Rep, n.UnsafePointer(), n.Len()))
			return out
		}
		s := reflect.MakeSlice(reflect.SliceOf(t.Elem.Rep), n.Len(), n.Len())
		for i := 0; i < n.Len(); i++ {
			s.Index(i).Set(m.slot(t.Elem, m.rep(t.Elem, n.Index(i))))
		}
		out.Set(s)
		m.copied(n, s)
	case reflect.Array:
		for i := 0; i < n.Len(); i++ {
			out.Index(i).Set(m.slot(t.Elem, m.rep(t.Elem, n.Index(i))))
		}
	case reflect.Map:
		if n.IsNil() {
			return out
		}
		mp := reflect.MakeMap(reflect.MapOf(t.Key.Rep, t.Elem.Rep))
		for it := n.MapRange(); it.Next(); {
			mp.SetMapIndex(m.slot(t.Key, m.rep(t.Key, it.Key())), m.slot(t.Elem, m.rep(t.Elem, it.Value())))
		}
		out.Set(mp)
		m.copied(n, mp)
	case reflect.Struct:
		for i := range t.Fields {
			if f := out.Field(i); f.CanSet() {
				f.Set(m.slotAs(f.Type(), m.rep(t.Fields[i].Type, n.Field(i))))
			}
		}
	case reflect.Chan, reflect.Func:
		if !n.IsNil() { // the same address, which is all that is printed
			*(*unsafe.Pointer)(out.Addr().UnsafePointer()) = *(*unsafe.Pointer)(n.Addr().UnsafePointer())
		}
	default:
		out.Set(n.Convert(t.Rep))
	}
	return out
}

func (m *mirror) slotAs(t reflect.Type, v reflect.Value) reflect.Value {
	p := reflect.New(t).Elem()
	if v.IsValid() {
		p.Set(v)
	}
	return p
}

// sameMemory reports whether the native type and the representation are laid out alike and may share memory.
func sameMemory(t *Type) bool {
	if t.Rep == nil || meetsInterface(t.Rep, map[reflect.Type]bool{}) {
		return false
	}
	switch t.Kind {
	case reflect.Interface, reflect.Map:
		return false
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return t.Rep != anyType && sameMemory(t.Elem)
	case reflect.Struct:
		for i := range t.Fields {
			f := t.Fields[i].Type
			if f.Rep == anyType || f.Rep == nil || t.Rep.Field(i).Type == anyType || !f.Faithful && !sameMemory(f) {
				return false
			}
		}
	}
	return t.Rep != anyType
}

// native converts a representation back.
func (m *mirror) native(t *Type, n reflect.Type, r reflect.Value) reflect.Value {
	out := reflect.New(n).Elem()
	for t.Kind != reflect.Interface && r.IsValid() && r.Kind() == reflect.Interface {
		r = r.Elem()
	}
	if !r.IsValid() {
		return out
	}
	if t.Faithful && t.Kind != reflect.Interface && (n.Name() != "" || t.Kind != reflect.Slice && t.Kind != reflect.Map) {
		out.Set(r)
		return out
	}
	switch n.Kind() {
	case reflect.Interface:
		if r.IsNil() {
			return out
		}
		e := r.Interface()
		if bt, rep := TypeOf(e); bt != nil {
			out.Set(m.native(bt, m.nativeOf(bt), reflect.ValueOf(rep)))
		} else {
			out.Set(reflect.ValueOf(e))
		}
	case reflect.Pointer:
		if r.IsNil() {
			return out
		}
		if sameMemory(t.Elem) {
			out.Set(reflect.NewAt(n.Elem(), r.UnsafePointer()).Convert(n))
			return out
		}
		p := reflect.New(n.Elem())
		p.Elem().Set(m.native(t.Elem, n.Elem(), r.Elem()))
		out.Set(p)
	case reflect.Slice:
		if r.IsNil() {
			return out
		}
		out.Set(reflect.MakeSlice(n, r.Len(), r.Len()))
		for i := 0; i < r.Len(); i++ {
			out.Index(i).Set(m.native(t.Elem, n.Elem(), r.Index(i)))
		}
	case reflect.Array:
		for i := 0; i < r.Len(); i++ {
			out.Index(i).Set(m.native(t.Elem, n.Elem(), r.Index(i)))
		}
	case reflect.Map:
		if r.IsNil() {
			return out
		}
		out.Set(reflect.MakeMap(n))
		for it := r.MapRange(); it.Next(); {
			out.SetMapIndex(m.native(t.Key, n.Key(), it.Key()), m.native(t.Elem, n.Elem(), it.Value()))
		}
	case reflect.Struct:
		for i := range t.Fields {
			if t.Fields[i].Name != "_" {
				open(out.Field(i)).Set(m.native(t.Fields[i].Type, n.Field(i).Type, r.Field(i)))
			}
		}
	case reflect.Chan, reflect.Func:
		p := reflect.New(r.Type())
		p.Elem().Set(r)
		*(*unsafe.Pointer)(out.Addr().UnsafePointer()) = *(*unsafe.Pointer)(p.UnsafePointer())
	default:
		out.Set(r.Convert(n))
	}
	return out
}

func (m *mirror) nativeOf(t *Type) reflect.Type {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n, d := range m.types {
		if d == t {
			return n
		}
	}
	panic("unknown type " + t.String())
}

func TestMain(m *testing.M) {
	debug.SetMaxStack(16 << 20)
	m.Run()
}
