package rt

import (
	"go/token"
	"reflect"
	"slices"
)

// typ is a Go type: one declared in a cell (t), or a compiled one (r).
type typ struct {
	t *Type
	r reflect.Type
}

func (t *Type) typ() typ {
	if t.Faithful {
		return typ{r: t.Rep}
	}
	return typ{t: t}
}

func (x val) typ() typ {
	if x.t != nil {
		return typ{t: x.t}
	}
	return typ{r: x.v.Type()}
}

func (y typ) valid() bool { return y.t != nil || y.r != nil }

func (y typ) kind() reflect.Kind {
	if y.t != nil {
		return y.t.Kind
	}
	return y.r.Kind()
}

func (y typ) String() string {
	if y.t != nil {
		return y.t.String()
	}
	return goName(y.r)
}

// named reports whether the type has a name.
func (y typ) named() bool {
	if y.t != nil {
		return y.t.Name != ""
	}
	return y.r.Name() != ""
}

func (y typ) elem() typ {
	if y.t != nil {
		return y.t.Elem.typ()
	}
	return typ{r: y.r.Elem()}
}

func (y typ) key() typ {
	if y.t != nil {
		return y.t.Key.typ()
	}
	return typ{r: y.r.Key()}
}

// rep is the representation.
func (y typ) rep() reflect.Type {
	if y.t != nil {
		return y.t.Rep
	}
	return y.r
}

// fields lists the fields of a struct type as declared.
func (y typ) fields() []fieldOf {
	if y.t != nil {
		out := make([]fieldOf, len(y.t.Fields))
		for i, f := range y.t.Fields {
			out[i] = fieldOf{f.Name, f.Type.typ(), reflect.StructTag(f.Tag), f.Embedded, f.Exported}
		}
		return out
	}
	out := make([]fieldOf, y.r.NumField())
	for i := range out {
		f := y.r.Field(i)
		out[i] = fieldOf{f.Name, typ{r: f.Type}, f.Tag, f.Anonymous, f.IsExported()}
	}
	return out
}

type fieldOf struct {
	name               string
	typ                typ
	tag                reflect.StructTag
	embedded, exported bool
}

// has reports whether the method set of the type has name with the signature.
func (y typ) has(name string, s signature) bool {
	if y.t != nil {
		return val{t: y.t}.hasMethod(name, s)
	}
	m, ok := y.r.MethodByName(name)
	skip := 1
	if y.r.Kind() == reflect.Interface {
		skip = 0
	}
	return ok && s.match(m.Type, skip)
}

// pointerHas is has for the pointer to the type.
func (y typ) pointerHas(name string, s signature) bool {
	if y.t != nil {
		return val{t: pointerTo(y.t)}.hasMethod(name, s)
	}
	m, ok := reflect.PointerTo(y.r).MethodByName(name)
	return ok && s.match(m.Type, 1)
}

// pointerTo returns the descriptor of *t.
func pointerTo(t *Type) *Type {
	d := Intern(&Type{Kind: reflect.Pointer, Elem: t})
	if d.Rep == nil {
		rep := t.Rep
		if rep == nil {
			return &Type{Kind: reflect.Pointer, Elem: t, Rep: reflect.PointerTo(anyType)} // to look up methods with
		}
		d.Rep = reflect.PointerTo(rep)
	}
	return d
}

// addr is the pointer to x, for calling methods; x must be addressable.
func (x val) addr() val {
	if x.t == nil {
		return val{nil, x.v.Addr(), x.ro}
	}
	return val{pointerTo(x.t), x.v.Addr(), x.ro}
}

func (y typ) reflect() reflect.Type {
	if y.t != nil {
		return y.t.Reflect()
	}
	return reflectOf(y.r)
}

// methodNames lists the exported methods of t's method set, promoted ones too, in alphabetical order.
func (t *Type) methodNames() []string {
	names := map[string]bool{}
	seen := map[*Type]bool{}
	var walk func(t *Type)
	walk = func(t *Type) {
		if t.Kind == reflect.Pointer && t.Name == "" {
			t = t.Elem
		}
		if seen[t] {
			return
		}
		seen[t] = true
		t.mu.RLock()
		for n := range t.declared {
			names[n] = true
		}
		t.mu.RUnlock()
		for _, m := range t.Methods {
			names[m.Name] = true
		}
		if t.Name != "" && t.Faithful && t.Rep != nil {
			p := t.Rep
			if p.Kind() != reflect.Interface {
				p = reflect.PointerTo(p)
			}
			for i := range p.NumMethod() {
				names[p.Method(i).Name] = true
			}
		}
		for _, f := range t.Fields {
			if f.Embedded {
				walk(f.Type)
			}
		}
	}
	walk(t)
	var out []string
	for n := range names {
		if token.IsExported(n) && t.find(n) != nil {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}
