package session

import (
	"reflect"

	"example.org/godp/kernel/cell/rt"
	"example.org/godp/kernel/display"
)

func init() {
	display.SetUnwrap(unwrap)
	display.Register(func(v any) (display.Bundle, bool) { // for display.Show
		if _, ok := v.(rt.Box); !ok {
			return display.Bundle{}, false
		}
		return renderOne(v), true
	})
}

// unwrap lets display.Table see the columns of types declared in cells.
func unwrap(v any) (any, []string) {
	b, ok := v.(rt.Box)
	if !ok {
		return v, nil
	}
	t := b.T
	for t.Kind == reflect.Pointer || t.Kind == reflect.Slice || t.Kind == reflect.Array || t.Kind == reflect.Map {
		t = t.Elem
	}
	if t.Kind != reflect.Struct {
		return b.V, nil
	}
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		if f.Exported {
			names[i] = f.Name
		}
	}
	return b.V, names
}
