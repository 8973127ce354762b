package rt

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Unmarshal is json.Unmarshal for targets of every type.
func Unmarshal(data []byte, v any) error {
	x := valOf(v)
	if x.t == nil {
		return json.Unmarshal(data, v)
	}
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		return err // a syntax error, found before anything is stored
	}
	d := &jsonDecoder{data: data, fields: map[typ]*jsonNames{}}
	return d.unmarshal(x)
}

// Decode is d.Decode(v) for targets of every type.
func Decode(d *json.Decoder, v any) error {
	x := valOf(v)
	if x.t == nil {
		return d.Decode(v)
	}
	before := d.InputOffset()
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return err
	}
	// Offsets in errors count from the white space before the value.
	lead := max(0, int(d.InputOffset()-before)-len(raw))
	e := &jsonDecoder{data: append(bytes.Repeat([]byte(" "), lead), raw...), fields: map[typ]*jsonNames{}}
	e.useNumber, e.strict = decoderFlag(d, "useNumber"), decoderFlag(d, "disallowUnknownFields")
	return e.unmarshal(x)
}

// decoderFlag reads a setting of a json.Decoder, which has no method for it.
func decoderFlag(d *json.Decoder, name string) bool {
	f := reflect.ValueOf(d).Elem().FieldByName("d")
	if f.Kind() != reflect.Struct {
		return false
	}
	f = f.FieldByName(name)
	return f.Kind() == reflect.Bool && f.Bool()
}

// jsonDecoder stores valid JSON as encoding/json does (decode.go of the Go distribution, Copyright 2010 The Go Authors,
// BSD licence). Values of compiled types are left to encoding/json.
type jsonDecoder struct {
	data      []byte
	at        int // the next byte to read
	useNumber bool
	strict    bool // unknown fields are errors
	saved     error
	in        typ // the struct type being filled
	path      []string
	fields    map[typ]*jsonNames
}

type jsonNames struct{ exact, folded map[string]*jsonField }

func (d *jsonDecoder) unmarshal(x val) error {
	if x.kind() != reflect.Pointer || x.isNil() {
		return &json.InvalidUnmarshalError{Type: x.typ().reflect()}
	}
	if err := d.value(x); err != nil {
		return d.context(err)
	}
	return d.saved
}

func (d *jsonDecoder) save(err error) {
	if d.saved == nil {
		d.saved = d.context(err)
	}
}

// context completes a type error with where it happened.
func (d *jsonDecoder) context(err error) error {
	e, ok := err.(*json.UnmarshalTypeError)
	if !ok || !d.in.valid() && len(d.path) == 0 {
		return err
	}
	if e.Struct == "" && d.in.valid() {
		e.Struct = d.in.reflect().Name()
	}
	path := d.path
	if e.Field != "" {
		path = append(path[:len(path):len(path)], e.Field)
	}
	e.Field = strings.Join(path, ".")
	return err
}

func (d *jsonDecoder) space() {
	for d.at < len(d.data) && strings.IndexByte(" \t\r\n", d.data[d.at]) >= 0 {
		d.at++
	}
}

// end returns the index after the value that starts at i. The text is known to be valid.
func (d *jsonDecoder) end(i int) int {
	depth := 0
	for ; i < len(d.data); i++ {
		switch c := d.data[i]; c {
		case '"':
			for i++; d.data[i] != '"'; i++ {
				if d.data[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				if depth < 0 {
					return i
				}
				return i + 1
			}
		case ' ', '\t', '\r', '\n', ',', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// value reads the next value into x; an invalid x skips it.
func (d *jsonDecoder) value(x val) error {
	d.space()
	start := d.at
	if !x.valid() {
		d.at = d.end(start)
		return nil
	}
	if x.t != nil && x.v.Kind() == reflect.Interface && x.kind() != reflect.Interface {
		return d.erased(x)
	}
	if x.t == nil && (x.v.Kind() != reflect.Interface || x.elem().t == nil) {
		return d.raw(x)
	}
	switch d.data[start] {
	case '[':
		return d.array(x)
	case '{':
		return d.object(x)
	}
	d.at = d.end(start)
	return d.literal(d.data[start:d.at], x, false)
}

// place is the place of type t at v, not opened when it is erased.
func place(t *Type, v reflect.Value) val {
	if t.Faithful && v.Type() == t.Rep {
		return val{v: v}
	}
	return val{t: t, v: v}
}

// erased reads into a slot that holds its value in an interface because its type refers to itself.
func (d *jsonDecoder) erased(x val) error {
	var under reflect.Type
	switch x.t.Kind {
	case reflect.Map:
		under = reflect.MapOf(x.t.Key.Rep, x.t.Elem.Rep)
	case reflect.Slice:
		under = reflect.SliceOf(x.t.Elem.Rep)
	case reflect.Pointer:
		under = reflect.PointerTo(x.t.Elem.Rep)
	default:
		d.at = d.end(d.at)
		d.save(&json.UnmarshalTypeError{Value: "value", Type: x.t.Reflect(), Offset: int64(d.at)})
		return nil
	}
	tmp := reflect.New(under).Elem()
	if e := x.v.Elem(); e.IsValid() && e.Type() == under {
		tmp.Set(e)
	}
	err := d.value(val{t: x.t, v: tmp})
	x.v.Set(tmp)
	return err
}

// raw reads into a value of a compiled type.
func (d *jsonDecoder) raw(x val) error {
	start := d.at
	d.at = d.end(start)
	return d.compiled(x, start)
}

func (d *jsonDecoder) compiled(x val, start int) error {
	dec := json.NewDecoder(bytes.NewReader(d.data[start:d.at]))
	if d.useNumber {
		dec.UseNumber()
	}
	if d.strict {
		dec.DisallowUnknownFields()
	}
	v := x.v
	if v.CanAddr() {
		v = v.Addr()
	}
	err := dec.Decode(v.Interface())
	var corrupt base64.CorruptInputError
	if t, ok := err.(*json.UnmarshalTypeError); ok {
		t.Offset += int64(start)
		d.save(t)
		return nil
	}
	if err != nil && (errors.As(err, &corrupt) || strings.HasPrefix(err.Error(), "json: unknown field ") ||
		strings.HasPrefix(err.Error(), "json: cannot set embedded pointer")) {
		d.save(err)
		return nil
	}
	return err
}

// set gives a pointer, map or slice x the new value v.
func set(x val, v reflect.Value) { x.v.Set(v) }

// indirect follows pointers, allocating as needed, to the value to fill. It stops at a pointer whose type has an
// UnmarshalJSON or UnmarshalText method (method says which), and, decoding null, at the first pointer that can be set.
func indirect(x val, null bool) (y val, method string) {
	x0, haveAddr := x, false
	if x.v.Kind() == reflect.Interface && x.kind() != reflect.Interface {
		return x, "" // erased: the caller opens it
	}
	if x.kind() != reflect.Pointer && x.typ().named() && x.v.CanAddr() {
		haveAddr = true
		x = x.addr()
	}
	for {
		if x.kind() == reflect.Interface && !x.isNil() {
			e := x.elem()
			if e.kind() == reflect.Pointer && !e.isNil() && (!null || e.elem().kind() == reflect.Pointer) {
				haveAddr = false
				x = e
				continue
			}
		}
		if x.kind() != reflect.Pointer || null && x.v.CanSet() || x.v.Kind() == reflect.Interface {
			return x, ""
		}
		if !x.isNil() {
			if e := x.elem(); e.kind() == reflect.Interface {
				if h := e.elem(); h.valid() && h.kind() == reflect.Pointer && h.v.Kind() == reflect.Pointer && h.v.Pointer() == x.v.Pointer() {
					return e, "" // an interface that holds its own address
				}
			}
		}
		if x.isNil() {
			set(x, reflect.New(x.v.Type().Elem()))
		}
		if x.hasMethod("UnmarshalJSON", sigUnmarshal) {
			return x, "UnmarshalJSON"
		}
		if !null && x.hasMethod("UnmarshalText", sigUnmarshal) {
			return x, "UnmarshalText"
		}
		if haveAddr {
			x, haveAddr = x0, false
		} else if x.t == nil {
			x = val{v: x.v.Elem()}
		} else {
			x = place(x.t.Elem, x.v.Elem())
		}
	}
}

func callUnmarshal(x val, method string, b []byte) error {
	err, _ := x.call(method, reflect.ValueOf(b))[0].Interface().(error)
	return err
}

// composite handles what array and object have in common: methods, and values that turn out to be compiled ones or
// erased. done says that the value has been read.
func (d *jsonDecoder) composite(x val, what string) (y val, done bool, err error) {
	start := d.at
	y, method := indirect(x, false)
	switch {
	case method == "UnmarshalJSON":
		d.at = d.end(start)
		return y, true, callUnmarshal(y, method, d.data[start:d.at])
	case method != "":
		d.save(&json.UnmarshalTypeError{Value: what, Type: x.typ().reflect(), Offset: int64(start + 1)})
		d.at = d.end(start)
		return y, true, nil
	case y.t == nil:
		return y, true, d.raw(y)
	case y.v.Kind() == reflect.Interface && y.kind() != reflect.Interface:
		return y, true, d.erased(y)
	case y.kind() == reflect.Interface && len(y.t.Methods) == 0:
		return y, true, d.generic(y)
	}
	return y, false, nil
}

// generic reads the next value into an empty interface.
func (d *jsonDecoder) generic(x val) error {
	var a any
	start := d.at
	d.at = d.end(start)
	err := d.compiled(val{v: reflect.ValueOf(&a)}, start)
	if a == nil {
		x.v.SetZero()
	} else {
		x.v.Set(reflect.ValueOf(a))
	}
	return err
}

func (d *jsonDecoder) mismatch(x val, what string, offset int) {
	d.save(&json.UnmarshalTypeError{Value: what, Type: x.typ().reflect(), Offset: int64(offset)})
}

func (d *jsonDecoder) array(x val) error {
	start := d.at
	x, done, err := d.composite(x, "array")
	if done {
		return err
	}
	if k := x.kind(); k != reflect.Array && k != reflect.Slice {
		d.mismatch(x, "array", start+1)
		d.at = d.end(start)
		return nil
	}
	isSlice := x.kind() == reflect.Slice
	d.at++
	i := 0
	for {
		d.space()
		if d.data[d.at] == ']' {
			break
		}
		if isSlice {
			if i >= x.v.Cap() {
				x.v.Grow(1)
			}
			if i >= x.v.Len() {
				x.v.SetLen(i + 1)
			}
		}
		var e val
		if i < x.v.Len() {
			e = place(x.t.Elem, x.v.Index(i))
		}
		if err := d.value(e); err != nil {
			return err
		}
		i++
		d.space()
		if d.data[d.at] == ',' {
			d.at++
		}
	}
	d.at++
	if i < x.v.Len() {
		if isSlice {
			x.v.SetLen(i)
		} else {
			for ; i < x.v.Len(); i++ {
				x.v.Index(i).SetZero()
			}
		}
	}
	if i == 0 && isSlice {
		set(x, reflect.MakeSlice(x.v.Type(), 0, 0))
	}
	return nil
}

func (d *jsonDecoder) names(t typ) *jsonNames {
	if n := d.fields[t]; n != nil {
		return n
	}
	n := &jsonNames{map[string]*jsonField{}, map[string]*jsonField{}}
	fs := jsonFields(t)
	for i := range fs {
		n.exact[fs[i].name] = &fs[i]
		if f := foldName(fs[i].name); n.folded[f] == nil {
			n.folded[f] = &fs[i]
		}
	}
	d.fields[t] = n
	return n
}

func (d *jsonDecoder) object(x val) error {
	start := d.at
	x, done, err := d.composite(x, "object")
	if done {
		return err
	}
	var names *jsonNames
	switch x.kind() {
	case reflect.Map:
		key := x.typ().key()
		if k := key.kind(); k != reflect.String && (k < reflect.Int || k > reflect.Uintptr) && !key.pointerHas("UnmarshalText", sigUnmarshal) {
			d.mismatch(x, "object", start+1)
			d.at = d.end(start)
			return nil
		}
		if x.isNil() {
			set(x, reflect.MakeMap(x.v.Type()))
		}
	case reflect.Struct:
		names = d.names(x.typ())
	default:
		d.mismatch(x, "object", start+1)
		d.at = d.end(start)
		return nil
	}
	in, path := d.in, d.path
	d.at++
	for {
		d.space()
		if d.data[d.at] == '}' {
			break
		}
		keyStart := d.at
		d.at = d.end(keyStart)
		item := d.data[keyStart:d.at]
		var key string
		if err := json.Unmarshal(item, &key); err != nil {
			return err
		}
		var sub val
		destring := false
		if names == nil {
			sub = place(x.t.Elem, reflect.New(x.v.Type().Elem()).Elem())
		} else {
			f := names.exact[key]
			if f == nil {
				f = names.folded[foldName(key)]
			}
			if f != nil {
				sub, destring = d.descend(x, f), f.quoted
				if !sub.valid() {
					destring = false
				}
				d.in = x.typ()
				d.path = append(d.path[:len(d.path):len(d.path)], f.name)
			} else if d.strict {
				d.save(fmt.Errorf("json: unknown field %q", key))
			}
		}
		d.space()
		d.at++ // the colon
		d.space()
		if destring {
			err = d.quoted(sub)
		} else {
			err = d.value(sub)
		}
		if err != nil {
			return err
		}
		if names == nil {
			if err := d.entry(x, item, key, keyStart, sub); err != nil {
				return err
			}
		}
		d.in, d.path = in, path
		d.space()
		if d.data[d.at] == ',' {
			d.at++
		}
	}
	d.at++
	return nil
}

// descend finds field f in the struct x, allocating embedded pointers; invalid when one cannot be allocated.
func (d *jsonDecoder) descend(x val, f *jsonField) val {
	unexported := false
	for i, k := range f.index {
		if x.kind() == reflect.Pointer {
			if x.isNil() {
				if unexported || !x.v.CanSet() {
					d.save(fmt.Errorf("json: cannot set embedded pointer to unexported struct: %v", x.typ().elem()))
					return val{}
				}
				set(x, reflect.New(x.v.Type().Elem()))
			}
			if x.t == nil {
				x = val{v: x.v.Elem()}
			} else {
				x = place(x.t.Elem, x.v.Elem())
			}
		}
		name := ""
		if x.t == nil {
			sf := x.v.Type().Field(k)
			name, unexported = sf.Name, !sf.IsExported()
			x = val{v: x.v.Field(k)}
		} else {
			sf := &x.t.Fields[k]
			name, unexported = sf.Name, !sf.Exported
			x = place(sf.Type, x.v.Field(k))
		}
		if i < len(f.index)-1 {
			d.path = append(d.path[:len(d.path):len(d.path)], name)
		}
	}
	return x
}

// JSON returns the functions that take the place of package encoding/json's in the cells' symbol table.
func JSON() map[string]reflect.Value {
	return values(map[string]any{"Marshal": Marshal, "MarshalIndent": MarshalIndent, "Unmarshal": Unmarshal})
}
