package rt

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
)

// epoch counts method declarations, so that cached lookups notice.
var epoch atomic.Int64

func methodsChanged() { epoch.Add(1) }

// RuntimeError is a run-time panic of a cell with Go's own text; it satisfies runtime.Error.
type RuntimeError string

func (e RuntimeError) Error() string { return "runtime error: " + string(e) }

// RuntimeError marks the type as a runtime.Error.
func (e RuntimeError) RuntimeError() {}

const nilDereference = RuntimeError("invalid memory address or nil pointer dereference")

// PlainError is a run-time panic whose text has no prefix.
type PlainError string

func (e PlainError) Error() string { return string(e) }

// RuntimeError marks the type as a runtime.Error.
func (e PlainError) RuntimeError() {}

// TypeAssertionError is the panic of a failed x.(T).
type TypeAssertionError string

func (e TypeAssertionError) Error() string { return string(e) }

// RuntimeError marks the type as a runtime.Error.
func (e TypeAssertionError) RuntimeError() {}

// PanicValue turns what the interpreter or package reflect panicked with into the value Go would have panicked with.
func PanicValue(r any) any {
	switch x := r.(type) {
	case reflect.Value:
		if !x.IsValid() {
			return nil
		}
		return PanicValue(x.Interface())
	case *reflect.ValueError:
		return nilDereference
	case string:
		switch {
		case strings.HasPrefix(x, "reflect: slice index out of range"), strings.HasPrefix(x, "reflect: array index out of range"),
			strings.HasPrefix(x, "reflect: string index out of range"):
			return RuntimeError("index out of range")
		case strings.HasPrefix(x, "reflect.Value.Slice"), strings.HasPrefix(x, "reflect.Value.Slice3"):
			return RuntimeError("slice bounds out of range")
		case strings.HasPrefix(x, "reflect: call of nil function"), strings.HasPrefix(x, "reflect.Value.Call: call of nil function"):
			return nilDereference
		case strings.HasPrefix(x, "reflect: cannot convert slice with length "):
			x = strings.TrimPrefix(x, "reflect: ")
			x = strings.Replace(strings.Replace(x, "to pointer to array", "to array", 1), "to array", "to array or pointer to array", 1)
			return RuntimeError(x)
		case strings.Contains(x, "slice overflow"):
			return RuntimeError("growslice: len out of range")
		case strings.HasPrefix(x, "reflect.MakeSlice: negative len"):
			return RuntimeError("makeslice: len out of range")
		case strings.HasPrefix(x, "reflect.MakeSlice: negative cap"), strings.HasPrefix(x, "reflect.MakeSlice: len > cap"):
			return RuntimeError("makeslice: cap out of range")
		case strings.HasPrefix(x, "reflect.MakeChan: negative buffer"):
			return RuntimeError("makechan: size out of range")
		}
		return UserString(x)
	case kept:
		return x.value
	case runtime.Error:
		if m := x.Error(); strings.HasPrefix(m, "runtime error: hash of unhashable type struct {") && strings.Contains(m, "godp:") {
			return RuntimeError("hash of unhashable type of a struct")
		}
	case error:
		if strings.Contains(x.Error(), "reflect: call of reflect.Value.") && strings.Contains(x.Error(), "on zero Value") {
			return nilDereference
		}
	}
	return r
}

// UserString leaves a string panic as it is; a variable so that the two roads of a string stay visible in one place.
func UserString(s string) any { return s }

// Text is what Go prints after "panic: " for the value v.
func Text(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case error:
		return safely(x.Error)
	}
	if t, _ := TypeOf(v); t != nil {
		for _, name := range []string{"Error", "String"} {
			if t.HasMethod(name) {
				if f, ok := v.(Box).Method(name).(func() string); ok {
					return safely(f)
				}
			}
		}
		return fmt.Sprintf("%v", v)
	}
	switch x := v.(type) {
	case fmt.Stringer:
		return safely(x.String)
	case string:
		return x
	}
	k := reflect.TypeOf(v)
	if k.PkgPath() != "" {
		return fmt.Sprintf("%T(%v)", v, v)
	}
	return fmt.Sprintf("%v", v)
}

func safely(f func() string) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprintf("(a panic while printing the panic: %v)", r)
		}
	}()
	return f()
}
