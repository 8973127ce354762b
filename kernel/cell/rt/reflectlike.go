package rt

import (
	"encoding/binary"
	"encoding/gob"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"maps"
	"reflect"
	"sort"
	"sync"
	"unsafe"
)

// bare returns the representation of a boxed value and anything else as it is.
func bare(v any) any {
	if x := valOf(v); x.t != nil {
		return x.rep()
	}
	return v
}

// rep is the representation held by x as an interface value.
func (x val) rep() any {
	if !x.v.IsValid() {
		return nil
	}
	return x.v.Interface()
}

// DeepEqual is reflect.DeepEqual for values of every type.
func DeepEqual(a, b any) bool {
	x, y := valOf(a), valOf(b)
	if !x.valid() || !y.valid() {
		return x.valid() == y.valid()
	}
	return x.sameType(y) && deepEqual(x, y, map[visit]bool{})
}

// visit is a pair of references under comparison; meeting it again means a cycle, taken as equal.
type visit struct {
	a, b unsafe.Pointer
	t    typ
}

func deepEqual(x, y val, seen map[visit]bool) bool {
	if !x.valid() || !y.valid() {
		return x.valid() == y.valid()
	}
	if !x.sameType(y) {
		return false
	}
	switch x.kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if x.isNil() || y.isNil() {
			return x.isNil() && y.isNil()
		}
		a, b := x.v.UnsafePointer(), y.v.UnsafePointer()
		if x.kind() != reflect.Slice || x.len() > 0 {
			if uintptr(a) > uintptr(b) {
				a, b = b, a
			}
			k := visit{a, b, x.typ()}
			if seen[k] {
				return true
			}
			seen[k] = true
		}
	}
	switch x.kind() {
	case reflect.Array:
		return deepItems(x, y, seen)
	case reflect.Slice:
		if x.len() != y.len() {
			return false
		}
		return x.v.UnsafePointer() == y.v.UnsafePointer() || deepItems(x, y, seen)
	case reflect.Interface:
		return deepEqual(x.elem(), y.elem(), seen)
	case reflect.Pointer:
		return x.v.UnsafePointer() == y.v.UnsafePointer() || deepEqual(x.elem(), y.elem(), seen)
	case reflect.Struct:
		for i := range x.numField() {
			if !deepEqual(x.field(i), y.field(i), seen) {
				return false
			}
		}
		return true
	case reflect.Map:
		if x.len() != y.len() {
			return false
		}
		if x.v.UnsafePointer() == y.v.UnsafePointer() {
			return true
		}
		for it := x.v.MapRange(); it.Next(); {
			v := y.v.MapIndex(it.Key())
			if !v.IsValid() {
				return false
			}
			var a, b val
			if x.t == nil {
				a, b = val{v: it.Value(), ro: x.ro}, val{v: v, ro: y.ro}
			} else {
				a, b = typed(x.t.Elem, it.Value(), x.ro), typed(y.t.Elem, v, y.ro)
			}
			if !deepEqual(a, b, seen) {
				return false
			}
		}
		return true
	case reflect.Func:
		return x.isNil() && y.isNil()
	}
	// Two values of one basic, channel or unsafe.Pointer type.
	return x.v.Equal(y.v)
}

func deepItems(x, y val, seen map[visit]bool) bool {
	for i := range x.len() {
		if !deepEqual(x.index(i), y.index(i), seen) {
			return false
		}
	}
	return true
}

// TypeOfValue is reflect.TypeOf: for a value of a type declared in a cell it describes the type as declared (see
// Type.Reflect).
func TypeOfValue(v any) reflect.Type {
	x := valOf(v)
	if !x.valid() {
		return nil
	}
	return x.typ().reflect()
}

// compiledType panics when t is a type declared in a cell, of which package reflect cannot make values.
func compiledType(name string, ts ...reflect.Type) {
	for _, t := range ts {
		if w, ok := t.(*view); ok {
			panic(Refused(fmt.Sprintf("reflect.%s on %v, a type declared in a cell,", name, w.t)))
		}
	}
}

// Sort returns the functions of package sort that take a slice of any type.
func Sort() map[string]reflect.Value {
	return values(map[string]any{
		"Slice":         func(x any, less func(i, j int) bool) { sort.Slice(bare(x), polled(less)) },
		"SliceStable":   func(x any, less func(i, j int) bool) { sort.SliceStable(bare(x), polled(less)) },
		"SliceIsSorted": func(x any, less func(i, j int) bool) bool { return sort.SliceIsSorted(bare(x), polled(less)) },
		"Sort":          func(x sort.Interface) { sort.Sort(polledSort{x}) },
		"Stable":        func(x sort.Interface) { sort.Stable(polledSort{x}) },
		"IsSorted":      func(x sort.Interface) bool { return sort.IsSorted(polledSort{x}) },
		"Search":        func(n int, f func(int) bool) int { return sort.Search(n, func(i int) bool { Poll(); return f(i) }) },
		"Find":          func(n int, f func(int) int) (int, bool) { return sort.Find(n, func(i int) int { Poll(); return f(i) }) },
	})
}

// polled is less that an interrupt ends. Without it a stopped comparison would go on returning false, and the sort
// with it.
func polled(less func(i, j int) bool) func(i, j int) bool {
	return func(i, j int) bool { Poll(); return less(i, j) }
}

type polledSort struct{ sort.Interface }

func (p polledSort) Less(i, j int) bool { Poll(); return p.Interface.Less(i, j) }
func (p polledSort) Swap(i, j int)      { Poll(); p.Interface.Swap(i, j) }

// shape says why the representation of t does not show an encoder what the declared type would, or is empty.
func (t *Type) shape(methods []string, unexported bool, seen map[*Type]bool) string {
	if t == nil || t.Faithful || seen[t] {
		return ""
	}
	seen[t] = true
	for _, m := range methods {
		if pointerTo(t).find(m) != nil {
			return fmt.Sprintf("%v has a method %s", t, m)
		}
	}
	if t.Kind == reflect.Interface {
		return fmt.Sprintf("it holds a %v, an interface", t)
	}
	for _, f := range t.Fields {
		if !f.Exported && unexported {
			return fmt.Sprintf("%v has the unexported field %s", t, f.Name)
		}
		if f.Embedded && unexported {
			return fmt.Sprintf("%v embeds %s", t, f.Name)
		}
		if s := f.Type.shape(methods, unexported, seen); s != "" {
			return s
		}
	}
	if s := t.Key.shape(methods, unexported, seen); s != "" {
		return s
	}
	return t.Elem.shape(methods, unexported, seen)
}

// shaped returns the representation of v where it shows the encoder what says exactly what the declared type would,
// and panics otherwise.
func shaped(what string, v any, methods ...string) any {
	x := valOf(v)
	if x.t == nil {
		return v
	}
	if why := x.t.shape(methods, true, map[*Type]bool{}); why != "" {
		panic(Refused(fmt.Sprintf("%s with a value of type %v, which is declared in a cell (%s),", what, x.t, why)))
	}
	return x.rep()
}

var gobMethods = []string{"GobEncode", "GobDecode", "MarshalBinary", "UnmarshalBinary"}

// Binary returns the functions of package encoding/binary that take values of any type.
func Binary() map[string]reflect.Value {
	return values(map[string]any{
		"Read": func(r io.Reader, o binary.ByteOrder, v any) error {
			return binary.Read(r, o, shaped("binary.Read", v))
		},
		"Write": func(w io.Writer, o binary.ByteOrder, v any) error {
			return binary.Write(w, o, shapedLoosely("binary.Write", v))
		},
		"Size": func(v any) int { return binary.Size(shapedLoosely("binary.Size", v)) },
		"Append": func(b []byte, o binary.ByteOrder, v any) ([]byte, error) {
			return binary.Append(b, o, shapedLoosely("binary.Append", v))
		},
		"Encode": func(b []byte, o binary.ByteOrder, v any) (int, error) {
			return binary.Encode(b, o, shapedLoosely("binary.Encode", v))
		},
		"Decode": func(b []byte, o binary.ByteOrder, v any) (int, error) {
			return binary.Decode(b, o, shaped("binary.Decode", v))
		},
	})
}

// shapedLoosely is shaped for encoders that read unexported fields like others.
func shapedLoosely(what string, v any) any {
	x := valOf(v)
	if x.t == nil {
		return v
	}
	if why := x.t.shape(nil, false, map[*Type]bool{}); why != "" {
		panic(Refused(fmt.Sprintf("%s with a value of type %v, which is declared in a cell (%s),", what, x.t, why)))
	}
	return x.rep()
}

// XML returns the functions of package encoding/xml; it names elements after types, so values of types declared in
// cells are refused.
func XML() map[string]reflect.Value {
	return values(map[string]any{
		"Marshal": func(v any) ([]byte, error) { notXML("xml.Marshal", v); return xml.Marshal(v) },
		"MarshalIndent": func(v any, prefix, indent string) ([]byte, error) {
			notXML("xml.MarshalIndent", v)
			return xml.MarshalIndent(v, prefix, indent)
		},
		"Unmarshal": func(b []byte, v any) error { notXML("xml.Unmarshal", v); return xml.Unmarshal(b, v) },
	})
}

func notXML(what string, v any) {
	if x := valOf(v); x.t != nil {
		panic(Refused(fmt.Sprintf("%s with a value of type %v, which is declared in a cell,", what, x.t)))
	}
}

// Log returns the functions of package log that format values of any type. They write to the standard logger.
func Log() map[string]reflect.Value {
	return values(map[string]any{
		"Print":   func(a ...any) { log.Output(2, Sprint(a...)) },
		"Printf":  func(f string, a ...any) { log.Output(2, Sprintf(f, a...)) },
		"Println": func(a ...any) { log.Output(2, Sprintln(a...)) },
		"Panic":   func(a ...any) { s := Sprint(a...); log.Output(2, s); panic(s) },
		"Panicf":  func(f string, a ...any) { s := Sprintf(f, a...); log.Output(2, s); panic(s) },
		"Panicln": func(a ...any) { s := Sprintln(a...); log.Output(2, s); panic(s) },
	})
}

// Methods are functions to call in place of methods of compiled types whose parameters of type any they look into, or
// that wait for something where an interrupt must reach them:
// "encoding/json.Decoder.Decode" is called as f(decoder, v). The receiver is a pointer. The map is shared: do not
// change it.
var Methods = sync.OnceValue(func() map[string]reflect.Value {
	all := waiting()
	maps.Copy(all, map[string]any{
		"encoding/json.Decoder.Decode": Decode,
		"encoding/json.Encoder.Encode": Encode,
		"encoding/gob.Encoder.Encode": func(e *gob.Encoder, v any) error {
			return e.Encode(shaped("gob.Encoder.Encode", v, gobMethods...))
		},
		"encoding/gob.Decoder.Decode": func(d *gob.Decoder, v any) error {
			return d.Decode(shaped("gob.Decoder.Decode", v, gobMethods...))
		},
		"encoding/xml.Encoder.Encode": func(e *xml.Encoder, v any) error { notXML("xml.Encoder.Encode", v); return e.Encode(v) },
		"encoding/xml.Encoder.EncodeElement": func(e *xml.Encoder, v any, s xml.StartElement) error {
			notXML("xml.Encoder.EncodeElement", v)
			return e.EncodeElement(v, s)
		},
		"encoding/xml.Decoder.Decode": func(d *xml.Decoder, v any) error { notXML("xml.Decoder.Decode", v); return d.Decode(v) },
		"encoding/xml.Decoder.DecodeElement": func(d *xml.Decoder, v any, s *xml.StartElement) error {
			notXML("xml.Decoder.DecodeElement", v)
			return d.DecodeElement(v, s)
		},
		"text/template.Template.Execute":         ExecuteText,
		"text/template.Template.ExecuteTemplate": ExecuteTextTemplate,
		"text/template.Template.Funcs":           TextFuncs,
		"html/template.Template.Execute":         ExecuteHTML,
		"html/template.Template.ExecuteTemplate": ExecuteHTMLTemplate,
		"html/template.Template.Funcs":           HTMLFuncs,
		"log.Logger.Print":                       func(l *log.Logger, a ...any) { l.Output(2, Sprint(a...)) },
		"log.Logger.Printf":                      func(l *log.Logger, f string, a ...any) { l.Output(2, Sprintf(f, a...)) },
		"log.Logger.Println":                     func(l *log.Logger, a ...any) { l.Output(2, Sprintln(a...)) },
		"log.Logger.Panic":                       func(l *log.Logger, a ...any) { s := Sprint(a...); l.Output(2, s); panic(s) },
		"log.Logger.Panicf":                      func(l *log.Logger, f string, a ...any) { s := Sprintf(f, a...); l.Output(2, s); panic(s) },
		"log.Logger.Panicln":                     func(l *log.Logger, a ...any) { s := Sprintln(a...); l.Output(2, s); panic(s) },
	})
	m := values(all)
	for name, f := range typeMethods {
		m["reflect.Type."+name] = f
	}
	return m
})
