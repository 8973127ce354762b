package rt

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Limits of Show: those of package display, which shows values of compiled types.
const (
	maxElems  = 100     // elements shown of a slice, array or map before the dots
	tailElems = 3       // elements shown after the dots
	maxDepth  = 8       // nesting
	maxText   = 1 << 16 // bytes altogether
)

// Show is the plain text of a cell's last value. It writes values of types declared in cells as display.Format writes
// values of compiled types: the way fmt's %+v does, but bounded (long lists and texts and deep nesting are cut with dots
// and the length is named), with strings inside other values quoted, and values with a String, Error or Format method
// shown by it at any depth where Go can reach it.
func Show(v any) string {
	s := shower{}
	x := valOf(v)
	if x.valid() && x.kind() == reflect.String && !s.byMethod(x) {
		return cutText(x.v.String())
	}
	s.Reset()
	s.value(x, 0)
	return s.String()
}

// HoldsDeclared reports whether v is, or may have inside it, a value of a type declared in a cell.
func HoldsDeclared(v any) bool { return !plain([]any{v}) }

func cutText(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + fmt.Sprintf("… (%d bytes in all)", len(s))
}

type shower struct{ strings.Builder }

func (s *shower) full() bool { return s.Len() >= maxText }

// byMethod writes x with its own Format, Error or String method and reports whether it has one.
func (s *shower) byMethod(x val) bool {
	x = x.dynamic()
	if !x.valid() || !x.accessible() || x.t == nil && x.v.Type().NumMethod() == 0 {
		return false
	}
	if !x.hasMethod("Format", sigFormat) && !x.hasMethod("Error", sigString) && !x.hasMethod("String", sigString) {
		return false
	}
	p := newPrinter()
	defer p.free()
	p.printArg(x, 'v')
	s.WriteString(cutText(string(p.buf)))
	return true
}

func (s *shower) value(x val, depth int) {
	if !x.valid() {
		s.WriteString("<nil>")
		return
	}
	if s.full() {
		s.WriteString("…")
		return
	}
	if x.t == nil && x.v.Type() == reflectType && x.accessible() {
		f := x.v.Interface().(reflect.Value)
		s.value(opened(f, f.IsValid() && !f.CanInterface()), depth)
		return
	}
	if s.byMethod(x) {
		return
	}
	switch k := x.kind(); k {
	case reflect.String:
		switch t := x.v.String(); {
		case depth == 0:
			s.WriteString(cutText(t))
		case len(t) > 1000:
			fmt.Fprintf(s, "%q… (%d bytes)", t[:1000], len(t))
		default:
			s.WriteString(strconv.Quote(t))
		}
	case reflect.Uintptr:
		fmt.Fprintf(s, "%#x", x.v.Uint())
	case reflect.Slice, reflect.Array:
		s.list("[", "]", x.len(), depth, func(i int) { s.value(x.index(i), depth+1) })
	case reflect.Map:
		es := x.sorted()
		s.list("map[", "]", len(es), depth, func(i int) {
			s.value(es[i].key, depth+1)
			s.WriteByte(':')
			s.value(es[i].value, depth+1)
		})
	case reflect.Struct:
		if depth > maxDepth {
			s.WriteString("{…}")
			return
		}
		s.WriteByte('{')
		for i := range x.numField() {
			if i > 0 {
				s.WriteByte(' ')
			}
			s.WriteString(x.fieldName(i) + ":")
			s.value(x.field(i), depth+1)
		}
		s.WriteByte('}')
	case reflect.Interface:
		s.value(x.elem(), depth)
	case reflect.Pointer:
		switch e := x.elem(); {
		case x.isNil():
			s.WriteString("<nil>")
		case depth == 0 && (e.kind() == reflect.Struct || e.kind() == reflect.Slice || e.kind() == reflect.Array || e.kind() == reflect.Map):
			s.WriteByte('&')
			s.value(e, depth+1)
		default:
			fmt.Fprintf(s, "%#x", x.v.Pointer())
		}
	case reflect.Func:
		if x.isNil() {
			s.WriteString("<nil>")
		} else {
			s.WriteString(x.typeString())
		}
	case reflect.Chan:
		if x.isNil() {
			s.WriteString("<nil>")
		} else {
			fmt.Fprintf(s, "%s (%d of %d buffered)", x.typeString(), x.v.Len(), x.v.Cap())
		}
	default:
		p := newPrinter()
		defer p.free()
		p.printValue(x, 'v', 1)
		s.Write(p.buf)
	}
}

func (s *shower) list(open, close string, n, depth int, elem func(int)) {
	s.WriteString(open)
	if depth > maxDepth && n > 0 {
		fmt.Fprintf(s, "… (%d)", n)
		n = 0
	}
	limit := n
	if n > maxElems+tailElems {
		limit = maxElems
	}
	for i := range limit {
		if i > 0 {
			s.WriteByte(' ')
		}
		if s.full() {
			fmt.Fprintf(s, "… (%d in all)", n)
			break
		}
		elem(i)
	}
	if limit < n {
		fmt.Fprintf(s, " … (%d in all) …", n)
		for i := n - tailElems; i < n && !s.full(); i++ {
			s.WriteByte(' ')
			elem(i)
		}
	}
	s.WriteString(close)
}
