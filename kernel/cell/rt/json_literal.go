package rt

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// literal stores a null, bool, string or number. fromQuoted says that it was the content of a string.
func (d *jsonDecoder) literal(item []byte, x val, fromQuoted bool) error {
	misuse := func() error {
		return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal %q into %v", item, x.typ())
	}
	if len(item) == 0 {
		d.save(misuse())
		return nil
	}
	start := d.at - len(item)
	y, method := indirect(x, item[0] == 'n')
	switch {
	case method == "UnmarshalJSON":
		return callUnmarshal(y, method, item)
	case method != "":
		if item[0] != '"' {
			if fromQuoted {
				d.save(misuse())
				return nil
			}
			what := "number"
			switch item[0] {
			case 'n':
				what = "null"
			case 't', 'f':
				what = "bool"
			}
			d.mismatch(x, what, d.at)
			return nil
		}
		var s string
		if err := json.Unmarshal(item, &s); err != nil {
			return misuse()
		}
		return callUnmarshal(y, method, []byte(s))
	}
	if y.t == nil && !fromQuoted {
		return d.compiled(y, start)
	}
	if y.t != nil && y.v.Kind() == reflect.Interface && y.kind() != reflect.Interface {
		d.at = start
		return d.erased(y)
	}
	x = y
	free := x.kind() == reflect.Interface && (x.t != nil && len(x.t.Methods) == 0 || x.t == nil && x.v.NumMethod() == 0)
	text := string(item)
	switch c := item[0]; c {
	case 'n':
		if fromQuoted && text != "null" {
			d.save(misuse())
			break
		}
		switch x.kind() {
		case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice:
			x.v.SetZero()
		}
	case 't', 'f':
		if fromQuoted && text != "true" && text != "false" {
			d.save(misuse())
			break
		}
		switch {
		case x.kind() == reflect.Bool:
			x.v.SetBool(c == 't')
		case free:
			x.v.Set(reflect.ValueOf(c == 't'))
		case fromQuoted:
			d.save(misuse())
		default:
			d.mismatch(x, "bool", d.at)
		}
	case '"':
		var s string
		if err := json.Unmarshal(item, &s); err != nil {
			return misuse()
		}
		switch {
		case x.kind() == reflect.Slice && x.elemKind() == reflect.Uint8:
			b, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				d.save(err)
				break
			}
			x.v.SetBytes(b)
		case x.kind() == reflect.String:
			if x.t == nil && x.v.Type() == jsonNumber && !json.Valid([]byte(s)) {
				return fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", item)
			}
			x.v.SetString(s)
		case free:
			x.v.Set(reflect.ValueOf(s))
		default:
			d.mismatch(x, "string", d.at)
		}
	default:
		if c != '-' && (c < '0' || c > '9') {
			return misuse()
		}
		return d.number(text, x, fromQuoted, free, misuse)
	}
	return nil
}

func (d *jsonDecoder) number(text string, x val, fromQuoted, free bool, misuse func() error) error {
	bad := func(what string) error { d.mismatch(x, what, d.at); return nil }
	switch k := x.kind(); {
	case k == reflect.Interface && !free:
		if _, err := strconv.ParseFloat(text, 64); err != nil && !d.useNumber {
			d.save(&json.UnmarshalTypeError{Value: "number " + text, Type: reflect.TypeFor[float64](), Offset: int64(d.at + 1)})
			return nil
		}
		return bad("number")
	case k == reflect.Interface:
		d.at -= len(text)
		return d.generic(x)
	case k >= reflect.Int && k <= reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || x.v.OverflowInt(n) {
			return bad("number " + text)
		}
		x.v.SetInt(n)
	case k >= reflect.Uint && k <= reflect.Uintptr:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || x.v.OverflowUint(n) {
			return bad("number " + text)
		}
		x.v.SetUint(n)
	case k == reflect.Float32 || k == reflect.Float64:
		n, err := strconv.ParseFloat(text, x.v.Type().Bits())
		if err != nil || x.v.OverflowFloat(n) {
			return bad("number " + text)
		}
		x.v.SetFloat(n)
	case x.t == nil && x.v.Type() == jsonNumber:
		x.v.SetString(text)
	case fromQuoted:
		return misuse()
	default:
		return bad("number")
	}
	return nil
}

// quoted reads a value for a field with the string option.
func (d *jsonDecoder) quoted(x val) error {
	start := d.at
	d.at = d.end(start)
	switch item := d.data[start:d.at]; item[0] {
	case 'n':
		return d.literal(item, x, false)
	case '"':
		var s string
		if err := json.Unmarshal(item, &s); err != nil {
			return err
		}
		return d.literal([]byte(s), x, true)
	}
	d.save(fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into %v", x.typ()))
	return nil
}

// entry stores a map entry whose key was read from item.
func (d *jsonDecoder) entry(x val, item []byte, key string, keyStart int, value val) error {
	kt := x.typ().key()
	kv := reflect.New(x.v.Type().Key())
	k := val{t: kt.t, v: kv.Elem()}
	bad := func(n string) error {
		d.save(&json.UnmarshalTypeError{Value: "number " + n, Type: kt.reflect(), Offset: int64(keyStart + 1)})
		return nil
	}
	if kt.pointerHas("UnmarshalText", sigUnmarshal) {
		if err := d.literal(item, k.addr(), true); err != nil {
			return err
		}
	} else {
		switch kind := kt.kind(); {
		case kind == reflect.String:
			k.v.SetString(key)
		case kind >= reflect.Int && kind <= reflect.Int64:
			n, err := strconv.ParseInt(key, 10, 64)
			if err != nil || k.v.OverflowInt(n) {
				return bad(key)
			}
			k.v.SetInt(n)
		default:
			n, err := strconv.ParseUint(key, 10, 64)
			if err != nil || k.v.OverflowUint(n) {
				return bad(key)
			}
			k.v.SetUint(n)
		}
	}
	x.v.SetMapIndex(kv.Elem(), value.v)
	return nil
}
