package stdlib

import (
	"fmt"
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

// WrapFor makes a compiled value that implements the interface ("path.Name", "error") over v, which is known to implement
// it, and as many more of the methods that v has as there is a compiled type for: so an error that has Unwrap and Is gets a wrapper
// with Unwrap and Is, and a Reader that has WriteTo keeps its short cut in io.Copy. For the interface "any" it chooses by what
// fmt, errors and the encoders ask a value for. v itself is asked which methods it has; the set of names that a caller
// knows already is not needed, and may be nil. WrapFor returns nil when the interface is unknown or has no wrapper, or for "any" when v has
// none of the methods in question.
func WrapFor(iface string, _ map[string]bool, v Dynamic) any {
	if w := WrapperFor(iface, v); w != nil {
		return w(v)
	}
	return nil
}

// WrapperFor returns what WrapFor wraps with. It depends only on v's type: a caller with many values of one type asks once.
func WrapperFor(iface string, v Dynamic) func(Dynamic) any {
	c := choicesFor(iface)
	if c == nil {
		return nil
	}
	have := make([]reflect.Type, len(c.names))
	key := make([]byte, 0, 64)
	for i, name := range c.names {
		if m := v.Method(name); m != nil {
			have[i] = reflect.TypeOf(m)
			key = fmt.Appendf(key, "%d:%p ", i, have[i])
		}
	}
	if w, ok := c.chosen.Load(string(key)); ok {
		return w.(func(Dynamic) any)
	}
	var wrap func(Dynamic) any
	for _, cand := range c.candidates {
		if !slices.ContainsFunc(cand.more, func(m boundMethod) bool { return have[m.name] != m.typ }) {
			wrap = cand.wrap
			break
		}
	}
	c.chosen.Store(string(key), wrap)
	return wrap
}

// choices are the wrappers that implement a certain interface, those with most methods first.
type choices struct {
	names      []string // the methods, beyond the interface's own, by which they differ
	candidates []candidate
	chosen     sync.Map // which of the names v has, with which types -> func(Dynamic) any
}

// candidate is a wrapper with the methods that it has beyond the interface's own.
type candidate struct {
	wrap func(Dynamic) any
	more []boundMethod
}

// boundMethod is a method, by its place in choices.names, and the type that it must have when bound.
type boundMethod struct {
	name int
	typ  reflect.Type
}

var choicesCache sync.Map // interface -> *choices

// choicesFor returns nil if the interface is unknown.
func choicesFor(iface string) *choices {
	if c, ok := choicesCache.Load(iface); ok {
		return c.(*choices)
	}
	t := interfaceType(iface)
	if t == nil {
		return nil
	}
	c := new(choices)
	add := func(wrap func(Dynamic) any) {
		w := reflect.TypeOf(wrap(nil))
		if !w.Implements(t) {
			return
		}
		cand := candidate{wrap: wrap}
		for m := range w.Methods() {
			if _, own := t.MethodByName(m.Name); own || m.Name == "Dynamic" {
				continue
			}
			i := slices.Index(c.names, m.Name)
			if i < 0 {
				i = len(c.names)
				c.names = append(c.names, m.Name)
			}
			cand.more = append(cand.more, boundMethod{i, withoutReceiver(m.Type)})
		}
		c.candidates = append(c.candidates, cand)
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
	slices.SortStableFunc(c.candidates, func(a, b candidate) int { return len(b.more) - len(a.more) })
	choicesCache.Store(iface, c)
	return c
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
