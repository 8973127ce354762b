package rt

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// MarshalJSON encodes the value as encoding/json encodes one of its declared type, so that compiled code that meets a
// Box inside a container encodes it rightly.
func (b Box) MarshalJSON() ([]byte, error) { return marshalJSON(valOf(b), false) }

// Marshal is json.Marshal for values of every type.
func Marshal(v any) ([]byte, error) {
	x := valOf(v)
	if x.t == nil && (!x.valid() || !reaches(x.v.Type())) {
		return json.Marshal(v)
	}
	return marshalJSON(x, true)
}

// MarshalIndent is json.MarshalIndent for values of every type.
func MarshalIndent(v any, prefix, indent string) ([]byte, error) {
	b, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, prefix, indent); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Encode is enc.Encode(v) for values of every type.
func Encode(enc *json.Encoder, v any) error {
	x := valOf(v)
	if x.t == nil && (!x.valid() || !reaches(x.v.Type())) {
		return enc.Encode(v)
	}
	escape := reflect.ValueOf(enc).Elem().FieldByName("escapeHTML")
	b, err := marshalJSON(x, escape.Kind() != reflect.Bool || escape.Bool())
	if err != nil {
		return err
	}
	return enc.Encode(json.RawMessage(b))
}

// unboxError removes the layer that encoding/json puts around an error of Box.MarshalJSON.
func unboxError(err error) error {
	var m *json.MarshalerError
	for errors.As(err, &m) && m.Type == boxType {
		err = m.Err
	}
	return err
}

func marshalJSON(x val, escapeHTML bool) (out []byte, err error) {
	e := &jsonEncoder{escapeHTML: escapeHTML, seen: map[any]bool{}, fields: map[typ][]jsonField{}}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(jsonFailure)
			if !ok {
				panic(r)
			}
			out, err = nil, f.error
		}
	}()
	e.value(x, false)
	return e.buf, nil
}

var reached sync.Map // reflect.Type -> bool

// reaches reports whether encoding a value of the compiled type t can meet an interface, in which anything may be.
func reaches(t reflect.Type) bool {
	if h, ok := reached.Load(t); ok {
		return h.(bool)
	}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type) bool
	walk = func(t reflect.Type) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Interface:
			return true
		case reflect.Array, reflect.Slice, reflect.Pointer:
			return walk(t.Elem())
		case reflect.Map:
			return walk(t.Key()) || walk(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				if walk(t.Field(i).Type) {
					return true
				}
			}
		}
		return false
	}
	h := walk(t)
	reached.Store(t, h)
	return h
}

type jsonFailure struct{ error }

// jsonEncoder writes values as encoding/json does (encode.go of the Go distribution, Copyright 2010 The Go Authors, BSD
// licence). Values of compiled types that have methods or hold no interfaces are left to encoding/json.
type jsonEncoder struct {
	buf        []byte
	escapeHTML bool
	level      int
	seen       map[any]bool
	fields     map[typ][]jsonField
}

const startDetectingCyclesAfter = 1000

func (e *jsonEncoder) fail(err error) { panic(jsonFailure{err}) }
func (e *jsonEncoder) str(s string)   { e.buf = append(e.buf, s...) }

// compiled encodes v, of a compiled type, with encoding/json.
func (e *jsonEncoder) compiled(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(e.escapeHTML)
	if err := enc.Encode(v); err != nil {
		e.fail(unboxError(err))
	}
	e.buf = append(e.buf, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

func (e *jsonEncoder) quoted(s string) { e.compiled(s) }

func (e *jsonEncoder) value(x val, quoted bool) {
	switch {
	case !x.valid():
		e.str("null")
		return
	case x.t == nil && x.v.Kind() == reflect.Interface:
		e.value(x.elem(), quoted)
		return
	case x.t == nil && (marshals(x.typ()) || !reaches(x.v.Type())):
		e.raw(x, quoted)
		return
	case x.t != nil && e.methods(x):
		return
	}
	switch x.kind() {
	case reflect.Bool, reflect.Float32, reflect.Float64, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.basic(x, quoted)
	case reflect.Interface:
		e.value(x.elem(), quoted)
	case reflect.Struct:
		e.structure(x)
	case reflect.Map:
		e.mapping(x, quoted)
	case reflect.Slice:
		e.slice(x, quoted)
	case reflect.Array:
		e.array(x, quoted)
	case reflect.Pointer:
		if x.isNil() {
			e.str("null")
			return
		}
		defer e.enter(x, x.v.Pointer())()
		e.value(x.elem(), quoted)
	default:
		e.fail(&json.UnsupportedTypeError{Type: x.typ().reflect()})
	}
}

// raw encodes a value of a compiled type.
func (e *jsonEncoder) raw(x val, quoted bool) {
	if quoted && quotable(x.kind()) && x.v.Type() != jsonNumber && !marshals(x.typ()) {
		e.basic(x, true)
		return
	}
	v := x.v
	if v.CanAddr() {
		v = v.Addr() // encoding/json then sees an addressable value, as it would have
	}
	if quoted {
		if x.kind() == reflect.Pointer && !x.isNil() && !marshals(x.typ()) {
			e.value(x.elem(), true)
			return
		}
		if x.kind() == reflect.String && !marshals(x.typ()) { // json.Number
			b, err := json.Marshal(x.v.Interface())
			if err != nil {
				e.fail(err)
			}
			e.str(`"` + string(b) + `"`)
			return
		}
	}
	e.compiled(v.Interface())
}

func marshals(t typ) bool {
	return t.pointerHas("MarshalJSON", sigMarshal) || t.pointerHas("MarshalText", sigMarshal)
}

// methods encodes x with its MarshalJSON or MarshalText where encoding/json would.
func (e *jsonEncoder) methods(x val) bool {
	for _, name := range [...]string{"MarshalJSON", "MarshalText"} {
		r := x
		switch {
		case x.kind() != reflect.Pointer && x.v.IsValid() && x.v.CanAddr() && x.typ().pointerHas(name, sigMarshal):
			r = x.addr()
		case !x.hasMethod(name, sigMarshal):
			continue
		case x.kind() == reflect.Pointer && x.isNil():
			e.str("null")
			return true
		case x.kind() == reflect.Interface:
			if r = x.dynamic(); !r.valid() {
				e.str("null")
				return true
			}
		}
		res := r.call(name)
		err, _ := res[1].Interface().(error)
		b := res[0].Bytes()
		if name == "MarshalText" && err == nil {
			e.quoted(string(b))
			return true
		}
		if err == nil {
			err = e.compact(b)
		}
		if err != nil {
			e.fail(marshalerError(x.typ(), err, name))
		}
		return true
	}
	return false
}

// compact appends the output of a MarshalJSON method, checked and without white space.
func (e *jsonEncoder) compact(b []byte) error {
	var buf bytes.Buffer
	if err := json.Compact(&buf, b); err != nil {
		return err
	}
	if e.escapeHTML {
		var esc bytes.Buffer
		json.HTMLEscape(&esc, buf.Bytes())
		buf = esc
	}
	e.buf = append(e.buf, buf.Bytes()...)
	return nil
}

// marshalerError makes a *json.MarshalerError, whose source function only encoding/json itself can set.
func marshalerError(t typ, err error, source string) error {
	m := &json.MarshalerError{Type: t.reflect(), Err: err}
	if f := reflect.ValueOf(m).Elem().FieldByName("sourceFunc"); f.IsValid() && f.Kind() == reflect.String {
		reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().SetString(source)
	}
	return m
}

func (e *jsonEncoder) basic(x val, quoted bool) {
	if x.kind() == reflect.String {
		if !quoted {
			e.quoted(x.v.String())
			return
		}
		inner := &jsonEncoder{escapeHTML: e.escapeHTML}
		inner.quoted(x.v.String())
		outer := &jsonEncoder{escapeHTML: false} // the content is escaped already
		outer.quoted(string(inner.buf))
		e.buf = append(e.buf, outer.buf...)
		return
	}
	if quoted {
		e.buf = append(e.buf, '"')
	}
	switch k := x.kind(); {
	case k == reflect.Bool:
		e.buf = strconv.AppendBool(e.buf, x.v.Bool())
	case k <= reflect.Int64:
		e.buf = strconv.AppendInt(e.buf, x.v.Int(), 10)
	case k <= reflect.Uintptr:
		e.buf = strconv.AppendUint(e.buf, x.v.Uint(), 10)
	default:
		f, bits := x.v.Float(), 64
		if k == reflect.Float32 {
			bits = 32
		}
		if math.IsInf(f, 0) || math.IsNaN(f) {
			e.fail(&json.UnsupportedValueError{Value: x.v, Str: strconv.FormatFloat(f, 'g', -1, bits)})
		}
		if bits == 32 {
			e.compiled(float32(f))
		} else {
			e.compiled(f)
		}
	}
	if quoted {
		e.buf = append(e.buf, '"')
	}
}

// enter counts a level of nesting and, far down, looks for a cycle through key.
func (e *jsonEncoder) enter(x val, key any) func() {
	if e.level++; e.level > startDetectingCyclesAfter {
		if e.seen[key] {
			e.fail(&json.UnsupportedValueError{Value: x.v, Str: "encountered a cycle via " + x.typeString()})
		}
		e.seen[key] = true
		return func() { e.level--; delete(e.seen, key) }
	}
	return func() { e.level-- }
}

func (e *jsonEncoder) structure(x val) {
	fs, ok := e.fields[x.typ()]
	if !ok {
		fs = jsonFields(x.typ())
		e.fields[x.typ()] = fs
	}
	next := byte('{')
fields:
	for i := range fs {
		f := &fs[i]
		fv := x
		for _, k := range f.index {
			if fv.kind() == reflect.Pointer {
				if fv.isNil() {
					continue fields
				}
				fv = fv.elem()
			}
			fv = fv.field(k)
		}
		fv.ro = false // promoted through an unexported embedded struct, which encoding/json allows
		if f.omitEmpty && isEmpty(fv) || f.omitZero && isZero(f.declared, fv) {
			continue
		}
		e.buf = append(e.buf, next)
		next = ','
		e.quoted(f.name)
		e.buf = append(e.buf, ':')
		e.value(fv, f.quoted)
	}
	if next == '{' {
		e.buf = append(e.buf, '{')
	}
	e.buf = append(e.buf, '}')
}

func isEmpty(x val) bool {
	switch x.kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return x.len() == 0
	case reflect.Struct, reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return false
	}
	return !x.v.IsValid() || x.v.IsZero()
}

// isZero is the omitzero test for a field of type t.
func isZero(t typ, x val) bool {
	zero := func(y val) bool { return y.call("IsZero")[0].Bool() }
	switch k := t.kind(); {
	case k == reflect.Interface && t.has("IsZero", sigIsZero):
		d := x.dynamic()
		return !d.valid() || d.kind() == reflect.Pointer && d.isNil() || zero(d)
	case k == reflect.Pointer && t.has("IsZero", sigIsZero):
		return x.isNil() || zero(x)
	case t.has("IsZero", sigIsZero):
		return zero(x)
	case t.pointerHas("IsZero", sigIsZero):
		if !x.v.CanAddr() {
			p := reflect.New(x.v.Type()).Elem()
			p.Set(x.v)
			x.v = p
		}
		return zero(x.addr())
	}
	return !x.v.IsValid() || x.v.IsZero()
}

func (e *jsonEncoder) mapping(x val, quoted bool) {
	key := x.typ().key()
	if k := key.kind(); k != reflect.String && (k < reflect.Int || k > reflect.Uintptr) && !key.has("MarshalText", sigMarshal) {
		e.fail(&json.UnsupportedTypeError{Type: x.typ().reflect()})
	}
	if x.isNil() {
		e.str("null")
		return
	}
	defer e.enter(x, x.v.UnsafePointer())()
	type named struct {
		name string
		v    val
	}
	var all []named
	for _, en := range x.entries() {
		n, err := keyName(en.key)
		if err != nil {
			e.fail(fmt.Errorf("json: encoding error for type %q: %q", x.typeString(), err.Error()))
		}
		all = append(all, named{n, en.value})
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.name, b.name) })
	e.buf = append(e.buf, '{')
	for i, n := range all {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.quoted(n.name)
		e.buf = append(e.buf, ':')
		e.value(n.v, quoted)
	}
	e.buf = append(e.buf, '}')
}

func keyName(k val) (string, error) {
	if k.kind() == reflect.String {
		return k.v.String(), nil
	}
	d := k.dynamic()
	if d.valid() && d.t == nil && d.v.CanInterface() {
		if tm, ok := d.v.Interface().(encoding.TextMarshaler); ok {
			if d.kind() == reflect.Pointer && d.isNil() {
				return "", nil
			}
			b, err := tm.MarshalText()
			return string(b), err
		}
	}
	if d.valid() && d.t != nil && d.hasMethod("MarshalText", sigMarshal) {
		if d.kind() == reflect.Pointer && d.isNil() {
			return "", nil
		}
		r := d.call("MarshalText")
		err, _ := r[1].Interface().(error)
		return string(r[0].Bytes()), err
	}
	switch kind := k.kind(); {
	case kind >= reflect.Int && kind <= reflect.Int64:
		return strconv.FormatInt(k.v.Int(), 10), nil
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		return strconv.FormatUint(k.v.Uint(), 10), nil
	}
	panic("unexpected map key type")
}

func (e *jsonEncoder) slice(x val, quoted bool) {
	if el := x.typ().elem(); el.kind() == reflect.Uint8 && !marshals(el) {
		if x.isNil() {
			e.str("null")
			return
		}
		e.buf = append(e.buf, '"')
		e.buf = base64.StdEncoding.AppendEncode(e.buf, x.v.Bytes())
		e.buf = append(e.buf, '"')
		return
	}
	if x.isNil() {
		e.str("null")
		return
	}
	type run struct {
		p any
		n int
	}
	defer e.enter(x, run{x.v.UnsafePointer(), x.len()})()
	e.array(x, quoted)
}

func (e *jsonEncoder) array(x val, quoted bool) {
	e.buf = append(e.buf, '[')
	for i := range x.len() {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.value(x.index(i), quoted)
	}
	e.buf = append(e.buf, ']')
}
