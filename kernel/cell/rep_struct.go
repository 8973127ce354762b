package cell

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"example.org/godp/kernel/cell/rt"
)

type patch struct {
	in    reflect.Type
	field int
	typ   types.Type
}

type dummy struct{}

// structRep builds a struct type with package reflect. A field whose type leads back to a struct under construction
// gets a stand-in of the same kind first (the same size and pointers) and its true type in settle.
func (r *reps) structRep(t *types.Struct, n *types.Named) reflect.Type {
	if c := r.compiledStruct(t); c != nil {
		return r.compiled(c) // type T big.Int: a *T converts to a *big.Int and back
	}
	r.depth++
	r.busy[t] = true
	r.n++
	id := r.n
	var fields []reflect.StructField
	type later struct {
		i int
		t types.Type
	}
	var laters []later
	for i := range t.NumFields() {
		f := t.Field(i)
		sf := reflect.StructField{Name: fieldName(f, i)}
		tag := t.Tag(i)
		if !f.Exported() {
			tag = strings.TrimSpace(`json:"-" xml:"-" ` + tag)
		}
		if i == 0 {
			tag = strings.TrimSpace(tag + fmt.Sprintf(` godp:"%d"`, id))
		}
		sf.Tag = reflect.StructTag(tag)
		if r.leadsToBusy(f.Type(), map[types.Type]bool{}) {
			sf.Type = standIn(f.Type().Underlying(), i, id)
			laters = append(laters, later{i, f.Type()})
		} else {
			sf.Type = r.part(f.Type())
		}
		fields = append(fields, sf)
	}
	st := reflect.StructOf(fields)
	delete(r.busy, t)
	r.depth--
	for _, l := range laters {
		r.pending = append(r.pending, patch{st, l.i, l.t})
	}
	name := fmt.Sprintf("S%d", id)
	if _, ok := r.names[st]; !ok {
		r.names[st] = name
		v := reflect.Zero(reflect.PointerTo(st))
		r.structs[name], r.fresh[name] = v, v
	}
	return st
}

// compiledStruct is the compiled type whose underlying type t is.
func (r *reps) compiledStruct(t *types.Struct) *types.Named {
	if t.NumFields() == 0 {
		return nil
	}
	p := t.Field(0).Pkg()
	if p == nil || p == r.main || r.source[p] {
		return nil
	}
	for _, name := range p.Scope().Names() {
		tn, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		if n, ok := tn.Type().(*types.Named); ok && n.TypeParams() == nil && n.Underlying() == types.Type(t) {
			return n
		}
	}
	return nil
}

func (r *reps) settle() {
	for len(r.pending) > 0 {
		p := r.pending[0]
		r.pending = r.pending[1:]
		r.depth++
		ft := r.part(p.typ)
		r.depth--
		setFieldType(p.in, p.field, ft)
	}
}

func fieldName(f *types.Var, i int) string {
	if f.Name() == "_" {
		return fmt.Sprintf("F_blank%d", i)
	}
	if f.Exported() {
		return f.Name()
	}
	return "F_" + f.Name()
}

// leadsToBusy reports whether the representation of t contains a struct now under construction.
func (r *reps) leadsToBusy(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		if !r.declared(n) {
			return false
		}
		if d, ok := r.byType.At(n).(*rt.Type); ok && d.Rep != nil {
			return false
		}
		t = n.Underlying()
	}
	switch t := t.(type) {
	case *types.Struct:
		if r.busy[t] {
			return true
		}
		for i := range t.NumFields() {
			if r.leadsToBusy(t.Field(i).Type(), seen) {
				return true
			}
		}
	case *types.Pointer:
		return r.leadsToBusy(t.Elem(), seen)
	case *types.Slice:
		return r.leadsToBusy(t.Elem(), seen)
	case *types.Array:
		return r.leadsToBusy(t.Elem(), seen)
	case *types.Chan:
		return r.leadsToBusy(t.Elem(), seen)
	case *types.Map:
		return r.leadsToBusy(t.Key(), seen) || r.leadsToBusy(t.Elem(), seen)
	case *types.Signature:
		for i := range t.Params().Len() {
			if r.leadsToBusy(t.Params().At(i).Type(), seen) {
				return true
			}
		}
		for i := range t.Results().Len() {
			if r.leadsToBusy(t.Results().At(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}

// standIn has the kind, and so the size and the pointer layout, of the type that will replace it.
func standIn(u types.Type, i, id int) reflect.Type {
	switch u := u.(type) {
	case *types.Pointer:
		return reflect.TypeFor[*dummy]()
	case *types.Slice:
		return reflect.TypeFor[[]dummy]()
	case *types.Map:
		return reflect.TypeFor[map[string]dummy]()
	case *types.Chan:
		return reflect.TypeFor[chan dummy]()
	case *types.Signature:
		return reflect.TypeFor[func(dummy)]()
	case *types.Array:
		return reflect.ArrayOf(int(u.Len()), standIn(u.Elem().Underlying(), i, id))
	case *types.Struct:
		// A struct by value whose own fields lead back: lay it out field by field.
		var fs []reflect.StructField
		for k := range u.NumFields() {
			fs = append(fs, reflect.StructField{Name: fmt.Sprintf("F%d", k), Type: plain(u.Field(k).Type(), i, id)})
		}
		return reflect.StructOf(fs)
	case *types.Interface:
		return anyType
	}
	panic(fmt.Sprintf("internal: no stand-in for %v", u))
}

func plain(t types.Type, i, id int) reflect.Type {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return basics[b.Kind()]
	}
	return standIn(t.Underlying(), i, id)
}

// recursive reports whether a declared type that is not a struct contains itself without passing through a struct
// or an interface (type F func() F): such a type has no finite representation and lives in interface{}.
func (r *reps) recursive(n *types.Named) bool {
	if _, ok := n.Underlying().(*types.Struct); ok {
		return false
	}
	if _, ok := n.Underlying().(*types.Interface); ok {
		return false
	}
	seen := map[*types.Named]bool{}
	var walk func(t types.Type) bool
	walk = func(t types.Type) bool {
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			if t == n {
				return true
			}
			if seen[t] || !r.declared(t) {
				return false
			}
			seen[t] = true
			switch t.Underlying().(type) {
			case *types.Struct, *types.Interface:
				return false
			}
			return walk(t.Underlying())
		case *types.Pointer:
			return walk(t.Elem())
		case *types.Slice:
			return walk(t.Elem())
		case *types.Array:
			return walk(t.Elem())
		case *types.Chan:
			return walk(t.Elem())
		case *types.Map:
			return walk(t.Key()) || walk(t.Elem())
		case *types.Signature:
			for i := range t.Params().Len() {
				if walk(t.Params().At(i).Type()) {
					return true
				}
			}
			for i := range t.Results().Len() {
				if walk(t.Results().At(i).Type()) {
					return true
				}
			}
		}
		return false
	}
	return walk(n.Underlying())
}

// The layout of a struct type inside package reflect, as far as setFieldType needs it (internal/abi.StructType).
type abiType struct {
	_, _   uintptr
	_      uint32
	_      uint32
	_      uintptr
	_      uintptr
	_, _   uint32
	_      uintptr // PkgPath
	fields []abiField
}

type abiField struct {
	_   uintptr
	typ unsafe.Pointer
	_   uintptr
}

// setFieldType replaces the type of one field of a struct type made by reflect.StructOf. Package reflect cannot make
// recursive types; the stand-in it was given has the same size and pointers, so nothing else changes. A test checks
// the layout against this Go release.
func setFieldType(st reflect.Type, i int, ft reflect.Type) {
	s := (*abiType)(typePointer(st))
	s.fields[i].typ = typePointer(ft)
}

func typePointer(t reflect.Type) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}
