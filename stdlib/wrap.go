package stdlib

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"example.org/godp/stdlib/internal/table"
	"example.org/godp/stdlib/internal/table/variant"
)

// Wrap makes a compiled value that implements an interface over a cell's value. Its keys are "path.Name", as in
// "sort.Interface" or "io.Writer", and "error". The value has a method Dynamic() Dynamic that gives the cell's value back, and
// two such values are equal when the cell's values are.
var Wrap = wraps()

func wraps() map[string]func(Dynamic) any {
	m := map[string]func(Dynamic) any{"error": func(v Dynamic) any { return wrapError{v} }}
	for _, p := range packages() {
		for _, w := range p.Wraps {
			m[p.Path+"."+w.Name] = w.New
		}
	}
	return m
}

type wrapError struct{ V Dynamic }

func (w wrapError) Dynamic() Dynamic { return w.V }
func (w wrapError) Error() string    { return w.V.Method("Error").(func() string)() }

// WrapFor makes a compiled value that implements the interface ("path.Name", "error") over v, and as many more of the
// methods that v has as there is a compiled type for: so an error that has Unwrap and Is gets a wrapper with Unwrap and Is, and
// a Reader that has WriteTo keeps its short cut in io.Copy. For the interface "any" it chooses by what fmt, errors and the encoders ask
// a value for. methods is v's method set. WrapFor returns nil when the interface is unknown or has no wrapper, or for
// "any" when v has none of the methods in question.
func WrapFor(iface string, methods map[string]bool, v Dynamic) any {
	if w := WrapperFor(iface, methods, v); w != nil {
		return w(v)
	}
	return nil
}

// WrapperFor returns what WrapFor wraps with. It depends only on v's type: a caller with many values of one type asks once.
func WrapperFor(iface string, methods map[string]bool, v Dynamic) func(Dynamic) any {
	for _, c := range candidates(iface) {
		if c.fits(methods, v) {
			return c.wrap
		}
	}
	return nil
}

// candidate is a wrapper that implements a certain interface.
type candidate struct {
	wrap     func(Dynamic) any
	required []string                // the interface's own methods: their types are right, or the cell had not compiled
	more     map[string]reflect.Type // further methods, with the types that v's must have
}

func (c candidate) fits(methods map[string]bool, v Dynamic) bool {
	for _, name := range c.required {
		if !methods[name] {
			return false
		}
	}
	for name := range c.more {
		if !methods[name] {
			return false
		}
	}
	for name, t := range c.more {
		if m := v.Method(name); m == nil || reflect.TypeOf(m) != t {
			return false
		}
	}
	return true
}

var candidateCache sync.Map // interface -> []candidate

// candidates lists the wrappers that implement the interface, those with most methods first.
func candidates(iface string) []candidate {
	if c, ok := candidateCache.Load(iface); ok {
		return c.([]candidate)
	}
	var cs []candidate
	var required []string
	t := interfaceType(iface)
	if t == nil {
		return nil
	}
	for m := range t.Methods() {
		required = append(required, m.Name)
	}
	add := func(wrap func(Dynamic) any) {
		w := reflect.TypeOf(wrap(nil))
		if !w.Implements(t) {
			return
		}
		c := candidate{wrap, required, map[string]reflect.Type{}}
		for m := range w.Methods() {
			if m.Name != "Dynamic" && !slices.Contains(required, m.Name) {
				c.more[m.Name] = withoutReceiver(m.Type)
			}
		}
		cs = append(cs, c)
	}
	if iface == "any" {
		for _, i := range variant.Any {
			add(variant.All[i].New)
		}
	} else {
		if w := Wrap[iface]; w != nil {
			add(w)
		}
		for _, w := range slices.Concat(variant.All, allWraps()) {
			add(w.New)
		}
	}
	slices.SortStableFunc(cs, func(a, b candidate) int { return len(b.more) - len(a.more) })
	candidateCache.Store(iface, cs)
	return cs
}

func allWraps() (ws []table.Wrap) {
	for _, p := range packages() {
		ws = append(ws, p.Wraps...)
	}
	return ws
}

// interfaceType finds an interface in the tables, or returns nil.
func interfaceType(iface string) reflect.Type {
	switch iface {
	case "any":
		return reflect.TypeFor[any]()
	case "error":
		return reflect.TypeFor[error]()
	}
	i := strings.LastIndex(iface, ".")
	if i < 0 {
		return nil
	}
	for _, p := range packages() {
		if p.Path != iface[:i] {
			continue
		}
		for _, s := range p.Syms {
			if s.Name == iface[i+1:] && s.Kind == table.Type {
				if t := reflect.TypeOf(s.V).Elem(); t.Kind() == reflect.Interface {
					return t
				}
			}
		}
	}
	return nil
}

// withoutReceiver is a method's type as the type of the bound method.
func withoutReceiver(t reflect.Type) reflect.Type {
	var in, out []reflect.Type
	for p := range t.Ins() {
		in = append(in, p)
	}
	for r := range t.Outs() {
		out = append(out, r)
	}
	return reflect.FuncOf(in[1:], out, t.IsVariadic())
}
