package rt

import "reflect"

// Func is a function of a cell with the names of its parameters, for compiled code that asks for them.
type Func struct {
	V            reflect.Value
	Names, Types []string // of the parameters, as they are written
	Results      []*Type
}

// Params lists the names of the parameters and their types as they are written.
func (f Func) Params() (names, types []string) { return f.Names, f.Types }

// Type is the type of the representation; nil for a nil function.
func (f Func) Type() reflect.Type {
	if f.V.IsNil() {
		return nil
	}
	return f.V.Type()
}

// Call calls the function. Results whose type is declared in a cell come with it.
func (f Func) Call(args []reflect.Value) []any {
	var out []any
	for i, r := range f.V.Call(args) {
		v := r.Interface()
		if t := f.Results[i]; !t.Faithful && t.Kind != reflect.Interface {
			v = Box{T: t, V: v}
		}
		out = append(out, v)
	}
	return out
}
