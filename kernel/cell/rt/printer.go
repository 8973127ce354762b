package rt

import (
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// printer formats values with the types they were declared with. It follows package fmt of the Go distribution
// (print.go, Copyright 2009 The Go Authors, BSD licence) statement by statement, so that every verb, flag, error text
// and order of method calls is the same; the formatting of numbers and strings is left to fmt itself.
type printer struct {
	buf   []byte
	arg   val // the current item, when it is known as an interface value
	value val // else the current item
	flags

	reordered, goodArgNum bool
	panicking             bool // printing what a method panicked with
	erroring              bool // printing a %! message: methods are not called
	wrapErrs              bool // in Errorf
	wrapped               []int
}

type flags struct {
	widPresent, precPresent         bool
	minus, plus, sharp, space, zero bool
	plusV, sharpV                   bool
	wid, prec                       int
}

var (
	sigString   = sig[func() string]()
	sigFormat   = sig[func(fmt.State, rune)]()
	bytesType   = reflect.TypeFor[[]byte]()
	reflectType = reflect.TypeFor[reflect.Value]()
)

// Width, Precision, Flag and Write make a printer the fmt.State that Format methods get.
func (p *printer) Width() (int, bool)     { return p.wid, p.widPresent }
func (p *printer) Precision() (int, bool) { return p.prec, p.precPresent }
func (p *printer) Flag(b int) bool {
	switch b {
	case '-':
		return p.minus
	case '+':
		return p.plus || p.plusV
	case '#':
		return p.sharp || p.sharpV
	case ' ':
		return p.space
	case '0':
		return p.zero
	}
	return false
}
func (p *printer) Write(b []byte) (int, error)       { p.buf = append(p.buf, b...); return len(b), nil }
func (p *printer) WriteString(s string) (int, error) { p.buf = append(p.buf, s...); return len(s), nil }
func (p *printer) str(s string)                      { p.buf = append(p.buf, s...) }
func (p *printer) byte(c byte)                       { p.buf = append(p.buf, c) }
func (p *printer) rune(r rune)                       { p.buf = utf8.AppendRune(p.buf, r) }

// spec appends formatted a to the output as fmt does with the current flags.
func (p *printer) spec(verb rune, sharp, plus, prec bool, a any) {
	var room [48]byte
	s := append(room[:0], '%')
	if sharp {
		s = append(s, '#')
	}
	if plus {
		s = append(s, '+')
	}
	if p.minus {
		s = append(s, '-')
	}
	if p.space {
		s = append(s, ' ')
	}
	if p.zero {
		s = append(s, '0')
	}
	if p.widPresent && p.wid > 0 {
		s = strconv.AppendInt(s, int64(p.wid), 10)
	}
	if prec && p.precPresent {
		s = append(s, '.')
		s = strconv.AppendInt(s, int64(p.prec), 10)
	}
	s = utf8.AppendRune(s, verb)
	p.buf = fmt.Appendf(p.buf, string(s), a)
}

// basic formats a bool, number, string or []byte. plain is the verb equal to %v without the flags that %v
// reinterprets, needed where fmt falls back to %v under the flags of another verb.
func (p *printer) basic(verb, plain rune, a any) {
	if verb == 'v' {
		if !p.sharp && !p.plus {
			p.spec('v', p.sharpV, p.plusV, true, a)
			return
		}
		verb = plain
	}
	p.spec(verb, p.sharp, p.plus, true, a)
}

// unadorned writes s with only width, precision and alignment.
func (p *printer) unadorned(s string) { p.spec('s', false, false, true, s) }
func (p *printer) pad(s string)       { p.spec('s', false, false, false, s) }

func (p *printer) hex(u uint64, leading0x bool) { p.spec('x', leading0x, p.plus, true, u) }

func (p *printer) badVerb(verb rune) {
	p.erroring = true
	p.str("%!")
	p.rune(verb)
	p.byte('(')
	switch {
	case p.arg.valid():
		p.str(p.arg.typeString())
		p.byte('=')
		p.printArg(p.arg, 'v')
	case p.value.valid():
		p.str(p.value.typeString())
		p.byte('=')
		p.printValue(p.value, 'v', 0)
	default:
		p.str("<nil>")
	}
	p.byte(')')
	p.erroring = false
}

func (p *printer) fmtBool(v bool, verb rune) {
	switch verb {
	case 't', 'v':
		p.basic(verb, 't', v)
	default:
		p.badVerb(verb)
	}
}

func (p *printer) fmtInteger(v any, verb rune) {
	switch verb {
	case 'v', 'd', 'b', 'o', 'O', 'x', 'X', 'c', 'q', 'U':
		p.basic(verb, 'd', v)
	default:
		p.badVerb(verb)
	}
}

func (p *printer) fmtFloat(v any, verb rune) {
	switch verb {
	case 'v', 'b', 'g', 'G', 'x', 'X', 'f', 'F', 'e', 'E':
		p.basic(verb, 'g', v)
	default:
		p.badVerb(verb)
	}
}

func (p *printer) fmtString(v string, verb rune) {
	switch verb {
	case 'v', 's', 'x', 'X', 'q':
		p.basic(verb, 's', v)
	default:
		p.badVerb(verb)
	}
}

func (p *printer) fmtBytes(x val, v []byte, verb rune, typeString string) {
	switch verb {
	case 'v', 'd':
		if p.sharpV {
			p.str(typeString)
			if v == nil {
				p.str("(nil)")
				return
			}
			p.byte('{')
			for i, c := range v {
				if i > 0 {
					p.str(", ")
				}
				p.hex(uint64(c), true)
			}
			p.byte('}')
			return
		}
		p.byte('[')
		for i, c := range v {
			if i > 0 {
				p.byte(' ')
			}
			p.spec('d', false, p.plus, true, c)
		}
		p.byte(']')
	case 's', 'x', 'X', 'q':
		p.spec(verb, p.sharp, p.plus, true, v)
	default:
		p.printValue(x, verb, 0)
	}
}

func (p *printer) fmtPointer(x val, verb rune) {
	var u uintptr
	switch x.kind() {
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		if !x.isNil() {
			u = uintptr(x.v.UnsafePointer())
		}
	default:
		p.badVerb(verb)
		return
	}
	switch verb {
	case 'v':
		switch {
		case p.sharpV:
			p.byte('(')
			p.str(x.typeString())
			p.str(")(")
			if u == 0 {
				p.str("nil")
			} else {
				p.hex(uint64(u), true)
			}
			p.byte(')')
		case u == 0:
			p.pad("<nil>")
		default:
			p.hex(uint64(u), !p.sharp)
		}
	case 'p':
		p.hex(uint64(u), !p.sharp)
	case 'b', 'o', 'd', 'x', 'X':
		p.fmtInteger(uint64(u), verb)
	default:
		p.badVerb(verb)
	}
}

// catchPanic prints what a method panicked with, as fmt does.
func (p *printer) catchPanic(arg val, verb rune, method string) {
	r := recover()
	if r == nil {
		return
	}
	if arg.kind() == reflect.Pointer && arg.isNil() {
		p.str("<nil>")
		return
	}
	if p.panicking {
		panic(r) // a panic while printing a panic cannot succeed
	}
	old := p.flags
	p.flags = flags{}
	p.str("%!")
	p.rune(verb)
	p.str("(PANIC=")
	p.str(method)
	p.str(" method: ")
	p.panicking = true
	p.printArg(valOf(PanicValue(r)), 'v')
	p.panicking = false
	p.byte(')')
	p.flags = old
	p.wid, p.prec = 0, 0 // fmt restores its flags but not these
}

func (p *printer) callString(x val, verb rune, name string, unadorned bool) {
	defer p.catchPanic(x, verb, name)
	s := x.call(name)[0].String()
	if unadorned {
		p.unadorned(s)
	} else {
		p.fmtString(s, verb)
	}
}

// handleMethods formats p.arg with its own methods where fmt would.
func (p *printer) handleMethods(verb rune) bool {
	if p.erroring {
		return false
	}
	x := p.arg
	if verb == 'w' {
		if !x.valid() || !p.wrapErrs || !x.hasMethod("Error", sigString) {
			p.badVerb(verb)
			return true
		}
		verb = 'v'
	}
	if !x.valid() {
		return false
	}
	if x.t == nil && x.v.Type().NumMethod() == 0 {
		return false
	}
	if x.hasMethod("Format", sigFormat) {
		func() {
			defer p.catchPanic(x, verb, "Format")
			x.call("Format", reflect.ValueOf(fmt.State(p)), reflect.ValueOf(verb))
		}()
		return true
	}
	if p.sharpV {
		if x.hasMethod("GoString", sigString) {
			p.callString(x, verb, "GoString", true)
			return true
		}
		return false
	}
	switch verb {
	case 'v', 's', 'x', 'X', 'q':
		for _, name := range [...]string{"Error", "String"} {
			if x.hasMethod(name, sigString) {
				p.callString(x, verb, name, false)
				return true
			}
		}
	}
	return false
}

// printArg formats an interface value.
func (p *printer) printArg(x val, verb rune) {
	p.arg, p.value = x, val{}
	if !x.valid() {
		switch verb {
		case 'T', 'v':
			p.pad("<nil>")
		default:
			p.badVerb(verb)
		}
		return
	}
	switch verb {
	case 'T':
		p.unadorned(x.typeString())
		return
	case 'p':
		p.fmtPointer(x, 'p')
		return
	}
	if x.t == nil {
		switch x.v.Type() {
		case bytesType:
			p.fmtBytes(x, x.v.Bytes(), verb, "[]byte")
			return
		case valueType:
			f := x.v.Interface().(Value)
			if x = f.x; f.IsValid() && f.CanInterface() {
				p.arg = x.dynamic()
				if p.handleMethods(verb) {
					return
				}
			}
			p.printValue(x, verb, 0)
			return
		case reflectType:
			if f := x.v.Interface().(reflect.Value); f.IsValid() {
				x = opened(f, !f.CanInterface())
				if f.CanInterface() {
					p.arg = x.dynamic()
					if p.handleMethods(verb) {
						return
					}
				}
			} else {
				x = val{}
			}
			p.printValue(x, verb, 0)
			return
		}
	}
	if !p.handleMethods(verb) {
		p.printValue(x, verb, 0)
	}
}
