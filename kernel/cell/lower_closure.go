package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strings"
)

// Function literals. The interpreter shares a function's variables among the closures made in it:
// testdata/lower/closure.txtar.

// bind declares a Go variable in this function; init is its first value ("" = zero).
func (f *fn) bind(v *types.Var, init string) *binding {
	t := f.sub.typ(v.Type())
	b := &binding{typ: t, boxed: f.facts.boxed[v], text: f.text(t)}
	b.name = f.u.uniq(sane(v.Name()) + "_")
	f.vars[v] = b
	switch {
	case b.boxed:
		f.emit("%s := new(%s)", b.name, b.text)
		if init != "" {
			f.emit("*%s = %s", b.name, f.storable(init, t))
		}
		f.note(v, b)
	case init == "" || f.u.c.reps.of(t).Rep.Kind() == reflect.Interface || arrayPointer(f.u.c.reps.of(t).Rep):
		f.emit("var %s %s", b.name, b.text)
		if init != "" {
			f.emit("%s = %s", b.name, init)
		}
	default:
		f.emit("%s := %s", b.name, init)
	}
	return b
}

// storable is a value that can be stored through a pointer: the interpreter loses a function that a compiled call returns if it
// is stored at once.
func (f *fn) storable(v string, t types.Type) string {
	if f.u.c.reps.of(t).Rep.Kind() == reflect.Func && strings.HasSuffix(v, ")") {
		return f.temp(v, t)
	}
	return v
}

func sane(s string) string {
	ok := true
	for i := range len(s) {
		c := s[i]
		ok = ok && (c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}
	if !ok || s == "_" || s == "" {
		return "v"
	}
	return s
}

// ref finds the binding of v here or around; what comes from around becomes a parameter of the closure's maker.
func (f *fn) ref(v *types.Var) *binding {
	if b := f.vars[v]; b != nil {
		return b
	}
	if f.parent == nil {
		return nil
	}
	b := f.parent.ref(v)
	if b == nil {
		return nil
	}
	if b.boxed {
		f.take(b.name, "*"+b.text)
		f.noteCaptured(v, b)
	} else {
		f.take(b.name, b.text)
	}
	return b
}

// take makes name, of the surrounding function, available in this closure.
func (f *fn) take(name, typ string) {
	if f.frees[name] {
		return
	}
	f.frees[name] = true
	f.free = append(f.free, freeVar{name, typ})
}

// place reads v's storage.
func (b *binding) place() string {
	if b.boxed {
		return "(*" + b.name + ")"
	}
	return b.name
}

// child starts the lowering of a closure inside f.
func (f *fn) child(name string) *fn {
	return &fn{u: f.u, info: f.info, sub: f.sub, parent: f, name: name, vars: map[*types.Var]*binding{},
		extra: map[string]string{}, frees: map[string]bool{}, unsigned: map[string]string{}, facts: f.facts, dbg: f.dbg, goName: f.goName}
}

// maker writes a top-level function that makes the closure with body lines and returns the call that makes it. The
// interpreter shares a function's variables among all closures made in it; a maker's frame belongs to one closure.
func (f *fn) maker(c *fn, params []string, rest string) string {
	name := f.u.uniq("mk")
	var ps, args []string
	begin := ""
	for _, v := range c.free {
		f.pass(v.name)
		p, a, b := f.given(v)
		ps, args, begin = append(ps, p), append(args, a), begin+b
	}
	sig := "func(" + strings.Join(params, ", ") + ")" + rest
	var types []string
	for _, p := range params {
		types = append(types, p[strings.IndexByte(p, ' ')+1:])
	}
	fmt.Fprintf(&f.u.out, "func %s(%s) func(%s)%s {\n%sreturn %s {\n%s\n}\n}\n", name, strings.Join(ps, ", "), strings.Join(types, ", "), rest, begin, sig, c.code())
	return name + "(" + strings.Join(args, ", ") + ")"
}

// pass makes sure a name that an inner closure takes is at hand in f.
func (f *fn) pass(name string) {
	if isLiteral(name) {
		return
	}
	if _, ok := f.extra[name]; ok {
		return
	}
	for _, b := range f.vars {
		if b.name == name {
			return
		}
	}
	if f.frees[name] || f.parent == nil {
		return
	}
	f.take(name, f.parent.nameType(name))
	f.parent.pass(name)
}

func (f *fn) nameType(name string) string {
	if t, ok := f.extra[name]; ok {
		return t
	}
	for _, b := range f.vars {
		if b.name == name {
			if b.boxed {
				return "*" + b.text
			}
			return b.text
		}
	}
	for _, v := range f.free {
		if v.name == name {
			return v.typ
		}
	}
	if f.parent == nil {
		panic("internal: unknown name " + name)
	}
	return f.parent.nameType(name)
}

// funcLit lowers a function literal to the call of its maker.
func (f *fn) funcLit(e *ast.FuncLit) string {
	if s, ok := f.numeric(e.Type, e.Body, f.info); ok {
		return s
	}
	c := f.child(f.name + ".func")
	c.goName = f.goName.literal()
	c.debugEnter("", e.Body.Lbrace, false)
	sig := f.sub.typ(f.info.Types[e].Type).(*types.Signature)
	orig := f.info.Types[e].Type.(*types.Signature)
	var vars []*types.Var
	for i := range orig.Params().Len() {
		vars = append(vars, orig.Params().At(i))
	}
	ps := c.params(vars)
	if sig.Variadic() {
		last := ps[len(ps)-1]
		i := strings.IndexByte(last, ' ')
		ps[len(ps)-1] = last[:i] + " ..." + strings.TrimPrefix(last[i+1:], "[]")
	}
	c.functionBody(orig, e.Body)
	return f.maker(c, ps, results(f, orig))
}

// thunk makes a func() running code over temporaries of f.
func (f *fn) thunk(name string, body func(c *fn)) string {
	c := f.child(name)
	body(c)
	return f.maker(c, nil, "")
}
