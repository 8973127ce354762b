package rt

import (
	"reflect"
	"unsafe"
)

// ValueOf is reflect.ValueOf.
func ValueOf(v any) Value { return Value{x: valOf(v)} }

// Zero is reflect.Zero.
func Zero(t reflect.Type) Value {
	y := typeOfReflect(t)
	if t == nil {
		panic("reflect: Zero(nil)")
	}
	return Value{x: y.of(reflect.Zero(y.rep()))}
}

// of makes a val of a representation of y; addressable where r is.
func (y typ) of(r reflect.Value) val {
	if y.t == nil {
		return val{v: r}
	}
	return typed(y.t, r, false)
}

// New is reflect.New.
func New(t reflect.Type) Value {
	if t == nil {
		panic("reflect: New(nil)")
	}
	y := typeOfReflect(t)
	return Value{x: ptrTo(y).of(reflect.New(y.rep()))}
}

func mustBe(t reflect.Type, k reflect.Kind, what string) typ {
	if t.Kind() != k {
		panic(what)
	}
	return typeOfReflect(t)
}

// appendValues is reflect.Append.
func appendValues(s Value, x ...Value) Value {
	r := s.is("Append", reflect.Slice)
	for _, e := range x {
		r = reflect.Append(r, e.x.assignTo("reflect.Set", s.x.typ().elem()))
	}
	return Value{x: val{s.x.t, r, s.x.ro}}
}

// appendSlice is reflect.AppendSlice.
func appendSlice(s, t Value) Value {
	r := s.is("AppendSlice", reflect.Slice)
	u := t.is("AppendSlice", reflect.Slice, reflect.String)
	if t.Kind() == reflect.Slice && s.x.typ().elem() != t.x.typ().elem() {
		panic("reflect.AppendSlice: " + s.x.typeString() + " != " + t.x.typeString())
	}
	if u.Type() != r.Type() && u.Kind() == reflect.Slice {
		u = u.Convert(r.Type())
	}
	return Value{x: val{s.x.t, reflect.AppendSlice(r, u), s.x.ro}}
}

// copyValues is reflect.Copy.
func copyValues(dst, src Value) int {
	d, s := dst.is("Copy", reflect.Slice, reflect.Array), src.is("Copy", reflect.Slice, reflect.Array, reflect.String)
	if src.Kind() != reflect.String && dst.x.typ().elem() != src.x.typ().elem() {
		panic("reflect.Copy: " + dst.x.typ().elem().String() + " != " + src.x.typ().elem().String())
	}
	return reflect.Copy(d, s)
}

// Indirect is reflect.Indirect.
func Indirect(v Value) Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	return v.Elem()
}

// visibleFields is reflect.VisibleFields.
func visibleFields(t reflect.Type) []reflect.StructField {
	w, ok := t.(*view)
	if !ok {
		return reflect.VisibleFields(t)
	}
	w.mustBe(reflect.Struct, "VisibleFields")
	var out []reflect.StructField
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type, index []int)
	walk = func(t reflect.Type, index []int) {
		if seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			f := t.Field(i)
			f.Index = append(append([]int(nil), index...), i)
			if g, ok := w.FieldByName(f.Name); ok && len(g.Index) == len(f.Index) && sameIndex(g.Index, f.Index) {
				out = append(out, f)
			} else if f.Anonymous && len(index) == 0 {
				out = append(out, f)
			}
			if f.Anonymous {
				e := f.Type
				if e.Kind() == reflect.Pointer {
					e = e.Elem()
				}
				if e.Kind() == reflect.Struct {
					walk(e, f.Index)
				}
			}
		}
		delete(seen, t)
	}
	walk(t, nil)
	return out
}

func sameIndex(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// choose is reflect.Select; it ends when the cell is interrupted.
func choose(cases []SelectCase) (int, Value, bool) {
	rs := make([]reflect.SelectCase, len(cases), len(cases)+1)
	blocks := true
	for i, c := range cases {
		rs[i].Dir = c.Dir
		blocks = blocks && c.Dir != reflect.SelectDefault
		if c.Chan.IsValid() {
			rs[i].Chan = c.Chan.x.v
		}
		if c.Dir == reflect.SelectSend && c.Chan.IsValid() {
			rs[i].Send = c.Send.x.assignTo("reflect.Select", c.Chan.x.typ().elem())
		}
	}
	run := Mine()
	if blocks {
		rs = append(rs, run.interruptCase())
	}
	run.park()
	i, r, ok := reflect.Select(rs)
	if i == len(cases) {
		run.end()
	}
	run.goOn()
	if cases[i].Dir != reflect.SelectRecv {
		return i, Value{}, ok
	}
	return i, cases[i].Chan.mapped(r, cases[i].Chan.x.typ().elem(), false), ok
}

// Reflect returns the functions and types that take the place of package reflect's in the cells' symbol table.
func Reflect() map[string]reflect.Value {
	table := values(map[string]any{
		"DeepEqual": DeepEqual, "TypeOf": TypeOfValue, "ValueOf": ValueOf, "New": New, "Zero": Zero, "Indirect": Indirect,
		"Append": appendValues, "AppendSlice": appendSlice, "Copy": copyValues, "MakeFunc": MakeFunc, "Select": choose, "VisibleFields": visibleFields,
		"Swapper":   func(slice any) func(i, j int) { return reflect.Swapper(bare(slice)) },
		"PointerTo": func(t reflect.Type) reflect.Type { return ptrTo(typeOfReflect(t)).reflect() },
		"PtrTo":     func(t reflect.Type) reflect.Type { return ptrTo(typeOfReflect(t)).reflect() },
		"SliceOf":   func(t reflect.Type) reflect.Type { return sliceOf(typeOfReflect(t)).reflect() },
		"ArrayOf": func(n int, t reflect.Type) reflect.Type {
			if n < 0 {
				panic("reflect: negative length passed to ArrayOf")
			}
			return arrayOf(n, typeOfReflect(t)).reflect()
		},
		"MapOf":  func(k, e reflect.Type) reflect.Type { return mapOf(typeOfReflect(k), typeOfReflect(e)).reflect() },
		"ChanOf": func(d reflect.ChanDir, t reflect.Type) reflect.Type { return chanOf(d, typeOfReflect(t)).reflect() },
		"FuncOf": func(in, out []reflect.Type, variadic bool) reflect.Type {
			var is, os []typ
			for _, t := range in {
				is = append(is, typeOfReflect(t))
			}
			for _, t := range out {
				os = append(os, typeOfReflect(t))
			}
			return funcOf(is, os, variadic).reflect()
		},
		"StructOf": func(fs []reflect.StructField) reflect.Type {
			for _, f := range fs {
				compiledType("StructOf", f.Type)
			}
			return reflect.StructOf(fs)
		},
		"MakeSlice": func(t reflect.Type, n, c int) Value {
			defer keep()
			y := mustBe(t, reflect.Slice, "reflect.MakeSlice of non-slice type")
			return Value{x: y.of(reflect.MakeSlice(y.rep(), n, c))}
		},
		"MakeMap": func(t reflect.Type) Value {
			y := mustBe(t, reflect.Map, "reflect.MakeMapWithSize of non-map type")
			return Value{x: y.of(reflect.MakeMap(y.rep()))}
		},
		"MakeMapWithSize": func(t reflect.Type, n int) Value {
			y := mustBe(t, reflect.Map, "reflect.MakeMapWithSize of non-map type")
			return Value{x: y.of(reflect.MakeMapWithSize(y.rep(), n))}
		},
		"MakeChan": func(t reflect.Type, n int) Value {
			defer keep()
			y := mustBe(t, reflect.Chan, "reflect.MakeChan of non-chan type")
			return Value{x: y.of(reflect.MakeChan(y.rep(), n))}
		},
		"NewAt": func(t reflect.Type, p unsafe.Pointer) Value {
			y := typeOfReflect(t)
			return Value{x: ptrTo(y).of(reflect.NewAt(y.rep(), p))}
		},
		"SliceAt": func(t reflect.Type, p unsafe.Pointer, n int) Value {
			y := typeOfReflect(t)
			return Value{x: sliceOf(y).of(reflect.SliceAt(y.rep(), p, n))}
		},
	})
	for r, name := range reflected {
		if pkg, n := cutName(name); pkg == "reflect" {
			table[n] = reflect.Zero(reflect.PointerTo(r))
		}
	}
	return table
}
