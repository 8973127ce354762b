package rt

import (
	"fmt"
	"io"
	"reflect"
	"runtime"
	"sync"
)

// Format prints the value as fmt prints one of its declared type. Compiled code that formats cell values reaches it
// through fmt; calls in a cell go to the functions below, which know what fmt decides before it asks a Formatter
// (%T, %p, and that a nested pointer is an address).
func (b Box) Format(f fmt.State, verb rune) {
	p := newPrinter()
	defer p.free()
	p.minus, p.space, p.zero = f.Flag('-'), f.Flag(' '), f.Flag('0')
	p.sharp, p.plus = f.Flag('#'), f.Flag('+')
	p.wid, p.widPresent = f.Width()
	p.prec, p.precPresent = f.Precision()
	if verb == 'v' {
		p.sharpV, p.sharp = p.sharp, false
		p.plusV, p.plus = p.plus, false
	}
	x := valOf(b)
	if x.kind() == reflect.Pointer && nested() {
		p.arg = x
		if !p.handleMethods(verb) {
			p.printValue(x, verb, 1)
		}
	} else {
		p.printArg(x, verb)
	}
	f.Write(p.buf)
}

// nested reports whether fmt called Format for a value inside another one, where it does not follow pointers.
func nested() bool {
	var pcs [4]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])]) // above Format
	for {
		f, more := frames.Next()
		switch f.Function {
		case "fmt.(*pp).handleMethods":
		case "fmt.(*pp).printValue":
			return true
		default:
			return false
		}
		if !more {
			return false
		}
	}
}

var printers = sync.Pool{New: func() any { return new(printer) }}

func newPrinter() *printer { return printers.Get().(*printer) }

func (p *printer) free() {
	buf := p.buf[:0]
	if cap(buf) > 64<<10 {
		buf = nil
	}
	*p = printer{buf: buf, wrapped: p.wrapped[:0]}
	printers.Put(p)
}

// plain reports whether fmt itself prints the arguments rightly: no value of a type declared in a cell is among them
// or can be inside them.
func plain(a []any) bool {
	for _, x := range a {
		switch x := x.(type) {
		case nil, bool, string, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr,
			float32, float64, complex64, complex128, []byte, []int, []float64, []string, [][]float64:
		case reflect.Value, Value:
			return false
		default:
			if mayHold(reflect.TypeOf(x)) {
				return false
			}
		}
	}
	return true
}

var holds sync.Map // reflect.Type -> bool

// mayHold reports whether printing a value of type t can meet an interface, in which anything may be.
func mayHold(t reflect.Type) bool {
	if h, ok := holds.Load(t); ok {
		return h.(bool)
	}
	e := t
	if t.Kind() == reflect.Pointer && t != boxType {
		e = t.Elem() // only a pointer at the top is followed
	}
	h := t == boxType || t.Implements(wrapperType) || meetsInterface(e, map[reflect.Type]bool{})
	holds.Store(t, h)
	return h
}

func meetsInterface(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if reflected[t] != "" {
		return true
	}
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array, reflect.Slice:
		return meetsInterface(t.Elem(), seen)
	case reflect.Map:
		return meetsInterface(t.Key(), seen) || meetsInterface(t.Elem(), seen)
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			if meetsInterface(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// Sprintf is fmt.Sprintf for arguments that may be boxed.
func Sprintf(format string, a ...any) string {
	if plain(a) {
		return fmt.Sprintf(format, a...)
	}
	p := newPrinter()
	defer p.free()
	p.doPrintf(format, a)
	return string(p.buf)
}

// Sprint is fmt.Sprint for arguments that may be boxed.
func Sprint(a ...any) string {
	if plain(a) {
		return fmt.Sprint(a...)
	}
	p := newPrinter()
	defer p.free()
	p.doPrint(a)
	return string(p.buf)
}

// Sprintln is fmt.Sprintln for arguments that may be boxed.
func Sprintln(a ...any) string {
	if plain(a) {
		return fmt.Sprintln(a...)
	}
	p := newPrinter()
	defer p.free()
	p.doPrintln(a)
	return string(p.buf)
}

// Fprintf is fmt.Fprintf for arguments that may be boxed.
func Fprintf(w io.Writer, format string, a ...any) (int, error) {
	if plain(a) {
		return fmt.Fprintf(w, format, a...)
	}
	p := newPrinter()
	defer p.free()
	p.doPrintf(format, a)
	return w.Write(p.buf)
}

// Fprint is fmt.Fprint for arguments that may be boxed.
func Fprint(w io.Writer, a ...any) (int, error) {
	if plain(a) {
		return fmt.Fprint(w, a...)
	}
	p := newPrinter()
	defer p.free()
	p.doPrint(a)
	return w.Write(p.buf)
}

// Fprintln is fmt.Fprintln for arguments that may be boxed.
func Fprintln(w io.Writer, a ...any) (int, error) {
	if plain(a) {
		return fmt.Fprintln(w, a...)
	}
	p := newPrinter()
	defer p.free()
	p.doPrintln(a)
	return w.Write(p.buf)
}

// Appendf is fmt.Appendf for arguments that may be boxed.
func Appendf(b []byte, format string, a ...any) []byte {
	if plain(a) {
		return fmt.Appendf(b, format, a...)
	}
	return append(b, Sprintf(format, a...)...)
}

// Append is fmt.Append for arguments that may be boxed.
func Append(b []byte, a ...any) []byte {
	if plain(a) {
		return fmt.Append(b, a...)
	}
	return append(b, Sprint(a...)...)
}

// Appendln is fmt.Appendln for arguments that may be boxed.
func Appendln(b []byte, a ...any) []byte {
	if plain(a) {
		return fmt.Appendln(b, a...)
	}
	return append(b, Sprintln(a...)...)
}

// Fmt returns the functions that take the place of package fmt's in the cells' symbol table: Print, Printf and
// Println write to what out returns at the time of the call, Scan, Scanf and Scanln read from in.
func Fmt(out func() io.Writer, in func() io.Reader) map[string]reflect.Value {
	return values(map[string]any{
		"Print":    func(a ...any) (int, error) { return Fprint(out(), a...) },
		"Printf":   func(format string, a ...any) (int, error) { return Fprintf(out(), format, a...) },
		"Println":  func(a ...any) (int, error) { return Fprintln(out(), a...) },
		"Fprint":   Fprint,
		"Fprintf":  Fprintf,
		"Fprintln": Fprintln,
		"Sprint":   Sprint,
		"Sprintf":  Sprintf,
		"Sprintln": Sprintln,
		"Append":   Append,
		"Appendf":  Appendf,
		"Appendln": Appendln,
		"Errorf":   Errorf,
		"Scan":     func(a ...any) (int, error) { return fmt.Fscan(in(), scanTargets(a)...) },
		"Scanf":    func(format string, a ...any) (int, error) { return fmt.Fscanf(in(), format, scanTargets(a)...) },
		"Scanln":   func(a ...any) (int, error) { return fmt.Fscanln(in(), scanTargets(a)...) },
		"Fscan":    func(r io.Reader, a ...any) (int, error) { return fmt.Fscan(r, scanTargets(a)...) },
		"Fscanf": func(r io.Reader, format string, a ...any) (int, error) {
			return fmt.Fscanf(r, format, scanTargets(a)...)
		},
		"Fscanln": func(r io.Reader, a ...any) (int, error) { return fmt.Fscanln(r, scanTargets(a)...) },
		"Sscan":   func(s string, a ...any) (int, error) { return fmt.Sscan(s, scanTargets(a)...) },
		"Sscanf": func(s, format string, a ...any) (int, error) {
			return fmt.Sscanf(s, format, scanTargets(a)...)
		},
		"Sscanln": func(s string, a ...any) (int, error) { return fmt.Sscanln(s, scanTargets(a)...) },
	})
}

func values(m map[string]any) map[string]reflect.Value {
	out := make(map[string]reflect.Value, len(m))
	for name, f := range m {
		out[name] = reflect.ValueOf(f)
	}
	return out
}

var sigScan = sig[func(fmt.ScanState, rune) error]()

// scanner is a fmt.Scanner over a cell type's Scan method.
type scanner struct{ x val }

func (s scanner) Scan(state fmt.ScanState, verb rune) error {
	err, _ := s.x.call("Scan", reflect.ValueOf(state), reflect.ValueOf(verb))[0].Interface().(error)
	return err
}

// scanTargets replaces boxed pointers by what fmt's scanning functions can fill: the pointer to the representation,
// or a Scanner where the type declares the method.
func scanTargets(a []any) []any {
	out := a
	for i, p := range a {
		x := valOf(p)
		if x.t == nil {
			continue
		}
		if &out[0] == &a[0] {
			out = append([]any(nil), a...)
		}
		switch {
		case x.hasMethod("Scan", sigScan):
			out[i] = scanner{x}
		case x.kind() == reflect.Pointer:
			out[i] = x.v.Interface()
		}
	}
	return out
}
