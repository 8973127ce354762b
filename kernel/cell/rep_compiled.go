package cell

import (
	"go/types"
	"reflect"
)

// compiled finds the reflect type of a compiled named type in the symbol tables.
func (r *reps) compiled(n *types.Named) reflect.Type {
	obj := n.Obj()
	if obj.Pkg() == nil {
		if obj.Name() == "error" {
			return errorType
		}
		return anyType
	}
	path := obj.Pkg().Path()
	tab := r.symbols[path+"/"+obj.Pkg().Name()]
	if v, ok := tab[obj.Name()]; ok && v.Kind() == reflect.Pointer {
		t := v.Type().Elem()
		if t.PkgPath() != path && t.PkgPath() != "" {
			r.name(t) // the table has a type of ours in its place
		}
		return t
	}
	if i, ok := n.Underlying().(*types.Interface); ok && i.NumMethods() == 0 {
		return anyType
	}
	found := r.reach[path]
	if found == nil {
		found = map[string]reflect.Type{}
		r.reach[path] = found
		seen := map[reflect.Type]bool{}
		for _, v := range tab {
			if v.IsValid() {
				walkReflect(v.Type(), path, found, seen)
				if v.Kind() == reflect.Interface && !v.IsNil() {
					walkReflect(v.Elem().Type(), path, found, seen)
				}
			}
		}
	}
	if t, ok := found[obj.Name()]; ok {
		r.name(t)
		return t
	}
	panic(refused("the type %s.%s is not available in cells", obj.Pkg().Name(), obj.Name()))
}

func walkReflect(t reflect.Type, path string, found map[string]reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if t.PkgPath() == path && t.Name() != "" {
		found[t.Name()] = t
	} else if t.PkgPath() != "" && t.PkgPath() != path {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		walkReflect(t.Elem(), path, found, seen)
	case reflect.Map:
		walkReflect(t.Key(), path, found, seen)
		walkReflect(t.Elem(), path, found, seen)
	case reflect.Func:
		for i := range t.NumIn() {
			walkReflect(t.In(i), path, found, seen)
		}
		for i := range t.NumOut() {
			walkReflect(t.Out(i), path, found, seen)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			walkReflect(t.Field(i).Type, path, found, seen)
		}
	}
	for i := range t.NumMethod() {
		walkReflect(t.Method(i).Type, path, found, seen)
	}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && t.Name() != "" {
		walkReflect(reflect.PointerTo(t), path, found, seen)
	}
}
