package rt

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

// View is a value as a debugger shows it: with the types and field names the user knows, piece by piece, without calling any of
// its methods (which could wait for a lock that the stopped program holds). The zero View is a nil interface value.
type View struct {
	x    val
	decl typ // the declared type where it is an interface: what x holds may be of another
}

// ViewOf is the view of a variable of type t, whose representation p points at.
func ViewOf(t *Type, p reflect.Value) View {
	return viewOf(t.typ(), p.Elem(), false)
}

// ViewAny is the view of what an interface value holds.
func ViewAny(v any) View { return View{x: valOf(v)} }

func viewOf(t typ, v reflect.Value, ro bool) View {
	w := View{x: val{t.t, v, ro}}
	if t.t != nil {
		w.x = typed(t.t, v, ro)
	}
	if t.kind() == reflect.Interface {
		w.decl = t
		w.x = val{v: v, ro: ro}.dynamic()
	}
	return w
}

// view makes the view of a component, which knows its own type but for that of an interface.
func (x val) view() View {
	if x.valid() && x.kind() == reflect.Interface {
		return viewOf(x.typ(), x.v, x.ro)
	}
	return View{x: x}
}

var ownPackage = regexp.MustCompile(`\bmain\.`)

// Type is the type as cells write it. That of an interface value is followed by the type of what it holds.
func (w View) Type() string {
	s := "nil"
	if w.decl.valid() {
		s = w.decl.String()
		if s == "interface {}" {
			s = "any"
		}
		if w.x.valid() {
			s += "(" + w.x.typeString() + ")"
		}
	} else if w.x.valid() {
		s = w.x.typeString()
	}
	return ownPackage.ReplaceAllString(s, "")
}

const (
	viewDepth    = 4   // how deep Text goes
	viewElements = 16  // how many elements of a list it names
	viewText     = 256 // how many bytes of a string, and of the whole
)

// Text is the value in one line, shortened where it is long.
func (w View) Text() string {
	var b strings.Builder
	w.write(&b, 0)
	if s := b.String(); len(s) > viewText+32 {
		return strings.ToValidUTF8(s[:viewText], "") + "…"
	}
	return b.String()
}

func (w View) write(b *strings.Builder, depth int) {
	x := w.x
	if !x.valid() {
		b.WriteString("nil")
		return
	}
	if s, ok := x.known(); ok {
		b.WriteString(s)
		return
	}
	switch k := x.kind(); k {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		b.WriteString(scalarText(x.v))
	case reflect.String:
		s := x.v.String()
		if len(s) > viewText {
			fmt.Fprintf(b, "%s… (%d bytes)", strconv.Quote(strings.ToValidUTF8(s[:viewText], "")), len(s))
			return
		}
		b.WriteString(strconv.Quote(s))
	case reflect.Func:
		if x.isNil() {
			b.WriteString("nil")
			return
		}
		b.WriteString("func")
	case reflect.Chan:
		if x.isNil() {
			b.WriteString("nil")
			return
		}
		fmt.Fprintf(b, "chan (%d of %d)", x.v.Len(), x.v.Cap())
	case reflect.UnsafePointer:
		fmt.Fprintf(b, "%#x", x.v.Pointer())
	case reflect.Pointer:
		if x.isNil() {
			b.WriteString("nil")
			return
		}
		if depth >= viewDepth {
			b.WriteString("…")
			return
		}
		b.WriteByte('&')
		x.elem().view().write(b, depth+1)
	default:
		w.writeParts(b, depth)
	}
}

// writeParts writes a struct, array, slice or map.
func (w View) writeParts(b *strings.Builder, depth int) {
	x := w.x
	n := 0
	switch x.kind() {
	case reflect.Struct:
		n = x.numField()
	case reflect.Slice, reflect.Map:
		if x.isNil() {
			b.WriteString("nil")
			return
		}
		n = x.len()
		if n > viewElements {
			fmt.Fprintf(b, "len %d: ", n)
		}
	case reflect.Array:
		n = x.len()
	}
	if depth >= viewDepth && n > 0 {
		b.WriteString("{…}")
		return
	}
	open, shut := "{", "}"
	if x.kind() == reflect.Slice || x.kind() == reflect.Array {
		open, shut = "[", "]"
	}
	b.WriteString(open)
	for i, c := range w.Children(0, viewElements) {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > viewText {
			b.WriteString("…")
			break
		}
		if x.kind() == reflect.Struct || x.kind() == reflect.Map {
			b.WriteString(c.Name + ": ")
		}
		c.View.write(b, depth+1)
	}
	if n > viewElements {
		b.WriteString(", …")
	}
	b.WriteString(shut)
}

func scalarText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

// known are types of the standard library whose own text says more than their fields, and whose methods wait for nothing.
func (x val) known() (string, bool) {
	if x.t != nil || !x.v.CanInterface() {
		return "", false
	}
	switch v := x.v.Interface().(type) {
	case time.Duration:
		return v.String(), true
	case time.Time:
		return v.String(), true
	case *big.Int:
		return v.String(), true
	case *big.Rat:
		return v.String(), true
	case error:
		if t := x.v.Type(); t.Kind() == reflect.Pointer && !x.v.IsNil() {
			switch t.Elem().PkgPath() {
			case "errors", "fmt", "io", "io/fs", "os", "strconv":
				return strconv.Quote(v.Error()), true
			}
		}
	}
	return "", false
}

// Child is a part of a value.
type Child struct {
	Name string
	View View
	Path string // what to write after the parent's expression to name it; "" where Go has no way to say it
	Star bool   // the expression is * and the parent's instead
}

// parts is the value whose parts are w's: a pointer to a struct stands for the struct.
func (w View) parts() val {
	x := w.x
	if x.valid() && x.kind() == reflect.Pointer && !x.isNil() {
		if e := x.elem(); e.valid() && e.kind() == reflect.Struct {
			return e
		}
	}
	return x
}

// Named and Indexed are how many parts the value has with names and with numbers.
func (w View) Named() int {
	x := w.parts()
	if !x.valid() {
		return 0
	}
	switch x.kind() {
	case reflect.Struct:
		return x.numField()
	case reflect.Map:
		return x.len()
	case reflect.Pointer:
		if !x.isNil() {
			return 1
		}
	}
	return 0
}

// Indexed is how many numbered parts the value has.
func (w View) Indexed() int {
	x := w.parts()
	if x.valid() && (x.kind() == reflect.Slice || x.kind() == reflect.Array) {
		return x.len()
	}
	return 0
}

// Children lists up to n parts from the i-th on: the fields of a struct, the elements of an array or slice, the entries of a map in
// the order of their keys' texts, what a pointer points at.
func (w View) Children(i, n int) []Child {
	x := w.parts()
	if !x.valid() || i < 0 {
		return nil
	}
	end := func(have int) int { return min(have, i+max(n, 0)) }
	var out []Child
	path := func(s string) string {
		if w.decl.valid() {
			return "" // it takes an assertion to get at what an interface holds
		}
		return s
	}
	switch x.kind() {
	case reflect.Struct:
		for k := i; k < end(x.numField()); k++ {
			name := x.fieldName(k)
			c := Child{Name: name, View: x.field(k).view()}
			if name != "_" && (x.t != nil || x.v.Type().Field(k).IsExported()) {
				c.Path = path("." + name)
			}
			out = append(out, c)
		}
	case reflect.Slice, reflect.Array:
		for k := i; k < end(x.len()); k++ {
			s := "[" + strconv.Itoa(k) + "]"
			out = append(out, Child{Name: s, View: x.index(k).view(), Path: path(s)})
		}
	case reflect.Map:
		es := x.entries()
		type keyed struct {
			text string
			entry
		}
		ks := make([]keyed, len(es))
		for k, e := range es {
			ks[k] = keyed{e.key.view().Text(), e}
		}
		sort.SliceStable(ks, func(a, b int) bool { return lessKey(ks[a].key, ks[b].key, ks[a].text, ks[b].text) })
		for k := i; k < end(len(ks)); k++ {
			c := Child{Name: ks[k].text, View: ks[k].value.view()}
			switch ks[k].key.kind() {
			case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
				reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
				if !strings.Contains(c.Name, "…") {
					c.Path = path("[" + c.Name + "]")
				}
			}
			out = append(out, c)
		}
	case reflect.Pointer:
		if !x.isNil() && i == 0 && n > 0 {
			out = append(out, Child{Name: "*", View: x.elem().view(), Star: path("*") != ""})
		}
	}
	return out
}

func lessKey(a, b val, at, bt string) bool {
	if a.valid() && b.valid() && a.kind() == b.kind() {
		switch a.kind() {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return a.v.Int() < b.v.Int()
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			return a.v.Uint() < b.v.Uint()
		case reflect.Float32, reflect.Float64:
			return a.v.Float() < b.v.Float()
		}
	}
	return at < bt
}
