package rt

import "reflect"

// shown is how many items of a slice, array or map Show prints.
const shown = 100

// Show is the plain text of a cell's last value: what fmt prints with %v, except that a struct shows its type and its
// field names (main.P{X:1 Y:2}, &main.P{X:1 Y:2}) unless it has a String, Error or Format method, that slices of
// structs show field names too, and that a list longer than 100 items ends with how many more there are.
func Show(v any) string {
	p := newPrinter()
	defer p.free()
	p.limit, p.plusV = shown, true
	x := valOf(v)
	p.arg = x
	if !x.valid() {
		return "<nil>"
	}
	p.plusV = false
	if p.handleMethods('v') {
		return string(p.buf)
	}
	p.plusV = true
	switch x.kind() {
	case reflect.Struct:
		p.typeName(x)
	case reflect.Pointer:
		if e := x.elem(); e.valid() && e.kind() == reflect.Struct {
			p.byte('&')
			p.typeName(e)
			p.printValue(e, 'v', 1)
			return string(p.buf)
		}
	}
	p.printValue(x, 'v', 0)
	return string(p.buf)
}

// typeName writes the name of x's type, if it has one.
func (p *printer) typeName(x val) {
	if x.typ().named() {
		p.str(x.typeString())
	}
}
