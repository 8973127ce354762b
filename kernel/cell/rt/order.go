package rt

import (
	"cmp"
	"reflect"
	"slices"
)

// sorted lists a map in the order in which fmt prints it (internal/fmtsort of the Go distribution).
func (x val) sorted() []entry {
	es := x.entries()
	slices.SortStableFunc(es, func(a, b entry) int { return compare(a.key, b.key) })
	return es
}

// compare orders two map keys of one static type: nil low, numbers and strings by <, NaN below other numbers, false
// before true, pointers by address, structs and arrays item by item, interfaces by type and then by value.
func compare(a, b val) int {
	if !a.valid() || !b.valid() {
		return cmp.Compare(truth(a.valid()), truth(b.valid()))
	}
	if !a.sameType(b) {
		return -1
	}
	switch a.kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.v.Int(), b.v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cmp.Compare(a.v.Uint(), b.v.Uint())
	case reflect.String:
		return cmp.Compare(a.v.String(), b.v.String())
	case reflect.Float32, reflect.Float64:
		return cmp.Compare(a.v.Float(), b.v.Float())
	case reflect.Complex64, reflect.Complex128:
		p, q := a.v.Complex(), b.v.Complex()
		if c := cmp.Compare(real(p), real(q)); c != 0 {
			return c
		}
		return cmp.Compare(imag(p), imag(q))
	case reflect.Bool:
		return cmp.Compare(truth(a.v.Bool()), truth(b.v.Bool()))
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan:
		return cmp.Compare(a.address(), b.address())
	case reflect.Struct:
		for i := 0; i < a.numField(); i++ {
			if c := compare(a.field(i), b.field(i)); c != 0 {
				return c
			}
		}
		return 0
	case reflect.Array:
		for i := 0; i < a.len(); i++ {
			if c := compare(a.index(i), b.index(i)); c != 0 {
				return c
			}
		}
		return 0
	case reflect.Interface:
		a, b = a.elem(), b.elem()
		if a.valid() && b.valid() && !a.sameType(b) {
			return compareTypes(a, b)
		}
		return compare(a, b)
	}
	panic("rt: a map key of type " + a.typeString())
}

// compareTypes orders the dynamic types of interface keys. Go orders them by the address of the type; so do we where
// both are compiled types, and otherwise by name.
func compareTypes(a, b val) int {
	if a.t == nil && b.t == nil {
		return cmp.Compare(reflect.ValueOf(a.v.Type()).Pointer(), reflect.ValueOf(b.v.Type()).Pointer())
	}
	if c := cmp.Compare(a.typeString(), b.typeString()); c != 0 {
		return c
	}
	return cmp.Compare(reflect.ValueOf(a.t).Pointer(), reflect.ValueOf(b.t).Pointer())
}

func (x val) address() uintptr {
	if x.isNil() {
		return 0
	}
	return x.v.Pointer()
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
