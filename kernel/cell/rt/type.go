// Package rt is what compiled cells call at run time: type descriptors and boxes that keep the identity of the
// types a user declares in cells, dynamic dispatch, panics, defers, goroutines and select. The interpreter below
// never sees a declared type: the cell compiler erases it to its representation and the identity travels in a Box.
package rt

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Kind says what a Type is; the values follow reflect.Kind.
type Kind = reflect.Kind

// Type describes a Go type as the user wrote it. Descriptors are interned by the compiler: two identical types have
// the same descriptor, so pointers compare like types.
type Type struct {
	Kind     Kind
	Name     string // "main.T", "time.Duration", "int"; empty for an unnamed composite type
	PkgPath  string // of a named type
	Rep      reflect.Type
	Faithful bool // Rep is the very Go type (no declared type in it): a value needs no box

	Elem     *Type // array, chan, map, pointer, slice
	Key      *Type // map
	Len      int   // array
	Dir      reflect.ChanDir
	Fields   []Field // struct; Rep.Field(i) holds Fields[i]
	Params   []*Type // func
	Results  []*Type
	Variadic bool
	Methods  []IMethod // interface: its full method set, sorted by name

	mu       sync.RWMutex
	declared map[string]*Method // methods declared on this named type, by name
	found    map[string]*found  // lookups, promoted ones included
}

// Field is one struct field as declared.
type Field struct {
	Name     string
	Type     *Type
	Tag      string
	Embedded bool
	Exported bool
}

// IMethod is a method an interface asks for.
type IMethod struct {
	Name string
	Type *Type // a func
}

// Method is a method declared in a cell. Fn is a func whose first parameter is the receiver's representation.
type Method struct {
	Name    string
	Pointer bool // receiver is *T
	Type    *Type
	Fn      reflect.Value
}

// Box is how a value whose representation alone would lose its type lives in an interface. Boxes compare as the
// interface values they stand for.
type Box struct {
	T *Type
	V any // of type T.Rep
}

// String returns the type as Go prints it with %T.
func (t *Type) String() string {
	if t == nil {
		return "<nil>"
	}
	if t.Name != "" {
		return t.Name
	}
	switch t.Kind {
	case reflect.Pointer:
		return "*" + t.Elem.String()
	case reflect.Slice:
		return "[]" + t.Elem.String()
	case reflect.Array:
		return "[" + itoa(t.Len) + "]" + t.Elem.String()
	case reflect.Map:
		return "map[" + t.Key.String() + "]" + t.Elem.String()
	case reflect.Chan:
		e := t.Elem.String()
		switch t.Dir {
		case reflect.RecvDir:
			return "<-chan " + e
		case reflect.SendDir:
			return "chan<- " + e
		}
		if t.Elem.Name == "" && t.Elem.Kind == reflect.Chan && t.Elem.Dir == reflect.RecvDir {
			return "chan (" + e + ")"
		}
		return "chan " + e
	case reflect.Func:
		return "func" + t.signature()
	case reflect.Struct:
		var b strings.Builder
		b.WriteString("struct {")
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteByte(';')
			}
			b.WriteByte(' ')
			if !f.Embedded {
				b.WriteString(f.Name + " ")
			}
			b.WriteString(f.Type.String())
			if f.Tag != "" {
				b.WriteString(" " + strconv.Quote(f.Tag))
			}
		}
		if len(t.Fields) > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('}')
		return b.String()
	case reflect.Interface:
		if len(t.Methods) == 0 {
			return "interface {}"
		}
		var b strings.Builder
		b.WriteString("interface {")
		for i, m := range t.Methods {
			if i > 0 {
				b.WriteByte(';')
			}
			b.WriteString(" " + m.Name + m.Type.signature())
		}
		b.WriteString(" }")
		return b.String()
	}
	return t.Kind.String()
}

func (t *Type) signature() string {
	var b strings.Builder
	b.WriteByte('(')
	for i, p := range t.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		if t.Variadic && i == len(t.Params)-1 {
			b.WriteString("..." + p.Elem.String())
		} else {
			b.WriteString(p.String())
		}
	}
	b.WriteByte(')')
	switch len(t.Results) {
	case 0:
	case 1:
		b.WriteString(" " + t.Results[0].String())
	default:
		b.WriteString(" (")
		for i, r := range t.Results {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(r.String())
		}
		b.WriteByte(')')
	}
	return b.String()
}

func itoa(n int) string {
	if n == 0 {
		return "0"
	}
	var b [20]byte
	i := len(b)
	for ; n > 0; n /= 10 {
		i--
		b[i] = byte('0' + n%10)
	}
	return string(b[i:])
}

// TypeOf returns the descriptor and the representation of what v holds: a Box's own, or nil and v itself for a
// value of a compiled type.
func TypeOf(v any) (*Type, any) {
	switch b := v.(type) {
	case Box:
		return b.T, b.V
	case Wrapper:
		if x, ok := b.Dynamic().(Box); ok {
			return x.T, x.V
		}
	}
	return nil, v
}
