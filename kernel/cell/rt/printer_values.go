package rt

import "reflect"

// printValue formats x, of which methods at depth 0 have been tried already.
func (p *printer) printValue(x val, verb rune, depth int) {
	if depth > 0 && x.valid() && x.accessible() {
		p.arg = x.dynamic()
		if p.handleMethods(verb) {
			return
		}
	}
	p.arg, p.value = val{}, x

	switch x.kind() {
	case reflect.Invalid:
		switch {
		case depth == 0:
			p.str("<invalid reflect.Value>")
		case verb == 'v':
			p.str("<nil>")
		default:
			p.badVerb(verb)
		}
	case reflect.Bool:
		p.fmtBool(x.v.Bool(), verb)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.fmtInteger(x.v.Int(), verb)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.fmtInteger(x.v.Uint(), verb)
	case reflect.Float32:
		p.fmtFloat(float32(x.v.Float()), verb)
	case reflect.Float64:
		p.fmtFloat(x.v.Float(), verb)
	case reflect.Complex64:
		p.fmtFloat(complex64(x.v.Complex()), verb)
	case reflect.Complex128:
		p.fmtFloat(x.v.Complex(), verb)
	case reflect.String:
		p.fmtString(x.v.String(), verb)
	case reflect.Map:
		p.printMap(x, verb, depth)
	case reflect.Struct:
		p.printStruct(x, verb, depth)
	case reflect.Interface:
		e := x.elem()
		switch {
		case e.valid():
			p.printValue(e, verb, depth+1)
		case p.sharpV:
			p.str(x.typeString())
			p.str("(nil)")
		default:
			p.str("<nil>")
		}
	case reflect.Array, reflect.Slice:
		p.printSlice(x, verb, depth)
	case reflect.Pointer:
		if depth == 0 && !x.isNil() {
			switch e := x.elem(); e.kind() {
			case reflect.Array, reflect.Slice, reflect.Struct, reflect.Map:
				p.byte('&')
				p.printValue(e, verb, depth+1)
				return
			}
		}
		p.fmtPointer(x, verb)
	default: // chan, func, unsafe.Pointer
		p.fmtPointer(x, verb)
	}
}

// separator stands between two items of a composite.
func (p *printer) separator(i int) {
	switch {
	case i == 0:
	case p.sharpV:
		p.str(", ")
	default:
		p.byte(' ')
	}
}

func (p *printer) printMap(x val, verb rune, depth int) {
	if p.sharpV {
		p.str(x.typeString())
		if x.isNil() {
			p.str("(nil)")
			return
		}
		p.byte('{')
	} else {
		p.str("map[")
	}
	for i, e := range x.sorted() {
		p.separator(i)
		p.printValue(e.key, verb, depth+1)
		p.byte(':')
		p.printValue(e.value, verb, depth+1)
	}
	if p.sharpV {
		p.byte('}')
	} else {
		p.byte(']')
	}
}

func (p *printer) printStruct(x val, verb rune, depth int) {
	if p.sharpV {
		p.str(x.typeString())
	}
	p.byte('{')
	for i := 0; i < x.numField(); i++ {
		p.separator(i)
		if p.plusV || p.sharpV {
			if name := x.fieldName(i); name != "" {
				p.str(name)
				p.byte(':')
			}
		}
		f := x.field(i)
		if f.kind() == reflect.Interface && !f.isNil() {
			f = f.elem()
		}
		p.printValue(f, verb, depth+1)
	}
	p.byte('}')
}

func (p *printer) printSlice(x val, verb rune, depth int) {
	switch verb {
	case 's', 'q', 'x', 'X':
		if x.elemKind() == reflect.Uint8 {
			b := make([]byte, x.len())
			for i := range b {
				b[i] = byte(x.v.Index(i).Uint())
			}
			p.fmtBytes(x, b, verb, x.typeString())
			return
		}
	}
	open, shut := byte('['), byte(']')
	if p.sharpV {
		p.str(x.typeString())
		if x.kind() == reflect.Slice && x.isNil() {
			p.str("(nil)")
			return
		}
		open, shut = '{', '}'
	}
	p.byte(open)
	for i := 0; i < x.len(); i++ {
		p.separator(i)
		p.printValue(x.index(i), verb, depth+1)
	}
	p.byte(shut)
}
