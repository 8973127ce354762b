package widgets

import (
	"fmt"
	"reflect"
)

// function is a function with the names of its parameters, as the compiler of cells hands it over.
type function interface {
	// Params lists the names of the parameters and their types as they are written.
	Params() (names, types []string)
	// Type is the function's type: types declared in cells are those that stand for them.
	Type() reflect.Type
	// Call calls it.
	Call(args []reflect.Value) []any
}

// NamesParameters tells the compiler of cells which functions of this package want to know the names of the parameters of a function
// that they are given. It is for kernels, not for cells.
func NamesParameters(path, name string) bool {
	return path == "example.org/godp/kernel/widgets" && (name == "Interact" || name == "InteractManual" || name == "Interactive")
}

// compiled is a function of compiled code.
type compiled struct{ v reflect.Value }

func (c compiled) Type() reflect.Type { return c.v.Type() }

func (c compiled) Params() (names, types []string) {
	for i := range c.v.Type().NumIn() {
		names = append(names, "")
		types = append(types, c.v.Type().In(i).String())
	}
	return names, types
}

func (c compiled) Call(args []reflect.Value) []any {
	var out []any
	for _, r := range c.v.Call(args) {
		out = append(out, r.Interface())
	}
	return out
}

func functionOf(what string, f any) function {
	if fn, ok := f.(function); ok {
		if reflect.TypeOf(fn.Type()) == nil {
			fail("%s: the function is nil", what)
		}
		return fn
	}
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func {
		fail("%s: the first argument must be a function, such as func(eps float64) any { … }, not %s", what, kindOf(f))
	}
	if v.IsNil() {
		fail("%s: the function is nil", what)
	}
	return compiled{v}
}

func kindOf(v any) string {
	if v == nil {
		return "nil"
	}
	return article(fmt.Sprintf("%T", v))
}
