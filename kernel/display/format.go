package display

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Limits of Format. A cell that ends in a slice of ten million numbers must not send a gigabyte to the page.
const (
	maxElems  = 100     // elements shown of a slice, array or map before the dots
	tailElems = 3       // elements shown after the dots
	maxDepth  = 8       // nesting
	maxText   = 1 << 16 // bytes altogether
)

// Format returns a value as text, the way fmt's %+v does, but bounded: long slices, maps and strings and deep nesting
// are cut with dots and the length is named. Strings inside other values are quoted. Values with a String, Error or
// Format method are shown by it at any depth. Map keys are sorted.
func Format(v any) string {
	if s, ok := v.(string); ok {
		return cut(s)
	}
	var f formatter
	f.value(reflect.ValueOf(v), 0)
	return f.String()
}

func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + fmt.Sprintf("… (%d bytes in all)", len(s))
}

type formatter struct{ strings.Builder }

func (f *formatter) full() bool { return f.Len() >= maxText }

func (f *formatter) value(r reflect.Value, depth int) {
	if !r.IsValid() {
		f.WriteString("<nil>")
		return
	}
	if f.full() {
		f.WriteString("…")
		return
	}
	if r.CanInterface() {
		switch x := r.Interface().(type) {
		case reflect.Value: // first: it has a String method
			f.value(x, depth)
			return
		case fmt.Formatter:
			f.WriteString(cut(fmt.Sprintf("%v", x)))
			return
		case error, fmt.Stringer:
			f.WriteString(cut(fmt.Sprint(x))) // fmt survives methods that panic
			return
		}
	}
	switch r.Kind() {
	case reflect.Bool:
		f.WriteString(strconv.FormatBool(r.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		f.WriteString(strconv.FormatInt(r.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		f.WriteString(strconv.FormatUint(r.Uint(), 10))
	case reflect.Uintptr:
		fmt.Fprintf(f, "%#x", r.Uint())
	case reflect.Float32:
		f.WriteString(formatFloat(r.Float(), 32))
	case reflect.Float64:
		f.WriteString(formatFloat(r.Float(), 64))
	case reflect.Complex64:
		fmt.Fprint(f, complex64(r.Complex()))
	case reflect.Complex128:
		fmt.Fprint(f, r.Complex())
	case reflect.String:
		if depth == 0 {
			f.WriteString(cut(r.String()))
		} else if s := r.String(); len(s) > 1000 {
			fmt.Fprintf(f, "%q… (%d bytes)", s[:1000], len(s))
		} else {
			f.WriteString(strconv.Quote(s))
		}
	case reflect.Slice, reflect.Array:
		if r.Kind() == reflect.Slice && r.IsNil() {
			f.WriteString("[]")
			return
		}
		f.list("[", "]", r.Len(), depth, func(i int) { f.value(r.Index(i), depth+1) })
	case reflect.Map:
		keys, values := entries(r)
		f.list("map[", "]", len(keys), depth, func(i int) {
			f.value(keys[i], depth+1)
			f.WriteByte(':')
			f.value(values[i], depth+1)
		})
	case reflect.Struct:
		t := r.Type()
		if depth > maxDepth {
			f.WriteString("{…}")
			return
		}
		f.WriteByte('{')
		for i := range t.NumField() {
			if i > 0 {
				f.WriteByte(' ')
			}
			f.WriteString(t.Field(i).Name)
			f.WriteByte(':')
			f.value(r.Field(i), depth+1)
		}
		f.WriteByte('}')
	case reflect.Interface:
		f.value(r.Elem(), depth)
	case reflect.Pointer:
		switch e := r.Elem(); {
		case r.IsNil():
			f.WriteString("<nil>")
		case depth == 0 && isComposite(e.Kind()):
			f.WriteByte('&')
			f.value(e, depth+1)
		default:
			fmt.Fprintf(f, "%#x", r.Pointer())
		}
	case reflect.Func:
		if r.IsNil() {
			f.WriteString("<nil>")
		} else {
			f.WriteString(r.Type().String())
		}
	case reflect.Chan:
		if r.IsNil() {
			f.WriteString("<nil>")
		} else {
			fmt.Fprintf(f, "%s (%d of %d buffered)", r.Type(), r.Len(), r.Cap())
		}
	default:
		fmt.Fprintf(f, "%v", r)
	}
}

func isComposite(k reflect.Kind) bool {
	return k == reflect.Struct || k == reflect.Slice || k == reflect.Array || k == reflect.Map
}

func (f *formatter) list(open, close string, n, depth int, elem func(int)) {
	f.WriteString(open)
	if depth > maxDepth && n > 0 {
		fmt.Fprintf(f, "… (%d)", n)
		n = 0
	}
	limit := n
	if n > maxElems+tailElems {
		limit = maxElems
	}
	for i := 0; i < limit; i++ {
		if i > 0 {
			f.WriteByte(' ')
		}
		if f.full() {
			fmt.Fprintf(f, "… (%d in all)", n)
			break
		}
		elem(i)
	}
	if limit < n {
		fmt.Fprintf(f, " … (%d in all) …", n)
		for i := n - tailElems; i < n && !f.full(); i++ {
			f.WriteByte(' ')
			elem(i)
		}
	}
	f.WriteString(close)
}

func formatFloat(x float64, bits int) string {
	if bits == 32 {
		return fmt.Sprint(float32(x))
	}
	return fmt.Sprint(x)
}

// entries returns the keys of a map in the order in which fmt prints them (by their text where they have no order of
// their own), and the values that belong to them.
func entries(m reflect.Value) (keys, values []reflect.Value) {
	type entry struct{ k, v reflect.Value }
	var all []entry
	for it := m.MapRange(); it.Next(); { // not MapIndex, which does not find a NaN
		all = append(all, entry{it.Key(), it.Value()})
	}
	slices.SortStableFunc(all, func(a, b entry) int { return compareKeys(a.k, b.k) })
	for _, e := range all {
		keys, values = append(keys, e.k), append(values, e.v)
	}
	return keys, values
}

func compareKeys(a, b reflect.Value) int {
	for a.Kind() == reflect.Interface {
		a = a.Elem()
	}
	for b.Kind() == reflect.Interface {
		b = b.Elem()
	}
	if a.Kind() == b.Kind() {
		switch {
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		case a.CanUint():
			return cmp.Compare(a.Uint(), b.Uint())
		case a.CanFloat():
			return cmp.Compare(a.Float(), b.Float())
		case a.Kind() == reflect.String:
			return strings.Compare(a.String(), b.String())
		}
	}
	var fa, fb formatter
	fa.value(a, 1)
	fb.value(b, 1)
	return strings.Compare(fa.String(), fb.String())
}
