package main

import (
	"fmt"
	"go/types"
	"strings"
)

// method is one method of a wrapper: its name, its signature, and how to write it.
type method struct {
	name string
	sig  *types.Signature
}

// wrapper is a compiled implementation of an interface over a cell's value.
type wrapper struct {
	pkg     string // import path of the interface's package
	name    string
	methods []method
}

func (w wrapper) structName() string {
	if w.pkg == "" {
		return "v" + w.name
	}
	return "w_" + strings.TrimPrefix(mangle(w.pkg), "p_") + "_" + w.name
}

func (w wrapper) yaegiName() string {
	return "y_" + strings.TrimPrefix(mangle(w.pkg), "p_") + "_" + w.name
}

// interfacesOf lists the exported interfaces of a package that a cell's type can implement: not generic, not a constraint,
// at least one method, all methods exported and written with types that other packages can name.
func interfacesOf(pkg *types.Package) []wrapper {
	var ws []wrapper
	if unwrapped[pkg.Path()] {
		return nil
	}
	for _, name := range pkg.Scope().Names() {
		o, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !o.Exported() || generic(o.Type()) {
			continue
		}
		i, ok := o.Type().Underlying().(*types.Interface)
		if !ok || !i.IsMethodSet() || i.NumMethods() == 0 {
			continue
		}
		w := wrapper{pkg: pkg.Path(), name: name}
		for j := range i.NumMethods() {
			m := i.Method(j)
			if !m.Exported() || !expressible(m.Type()) || m.Name() == "Dynamic" || m.Name() == "V" {
				w.methods = nil
				break
			}
			w.methods = append(w.methods, method{m.Name(), m.Signature()})
		}
		if w.methods != nil {
			ws = append(ws, w)
		}
	}
	return ws
}

// expressible reports whether any package can write the type down.
func expressible(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Alias:
		return namable(t.Obj()) && all(t.TypeArgs()) || expressible(types.Unalias(t))
	case *types.Named:
		return namable(t.Obj()) && all(t.TypeArgs())
	case *types.Pointer:
		return expressible(t.Elem())
	case *types.Slice:
		return expressible(t.Elem())
	case *types.Array:
		return expressible(t.Elem())
	case *types.Map:
		return expressible(t.Key()) && expressible(t.Elem())
	case *types.Chan:
		return expressible(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if !expressible(v.Type()) {
				return false
			}
		}
		return true
	case *types.Signature:
		return expressible(t.Params()) && expressible(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() || !expressible(f.Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() || !expressible(m.Type()) {
				return false
			}
		}
		return t.IsMethodSet()
	}
	return false
}

func all(l *types.TypeList) bool {
	for t := range l.Types() {
		if !expressible(t) {
			return false
		}
	}
	return true
}

func namable(o *types.TypeName) bool {
	return o.Pkg() == nil || o.Exported() && !internal(o.Pkg().Path()) && o.Pkg().Path() != "unsafe"
}

// params writes a parameter list with names a0, a1, … and the argument list that passes them on.
func params(s *source, sig *types.Signature) (params, args, bare, results string) {
	var ps, as, bs []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		ts, arg := types.TypeString(t, s.qualify), fmt.Sprintf("a%d", i)
		if sig.Variadic() && i == sig.Params().Len()-1 {
			ts = "..." + types.TypeString(t.(*types.Slice).Elem(), s.qualify)
			as = append(as, arg+"...")
		} else {
			as = append(as, arg)
		}
		ps = append(ps, arg+" "+ts)
		bs = append(bs, ts)
	}
	var rs []string
	for v := range sig.Results().Variables() {
		rs = append(rs, types.TypeString(v.Type(), s.qualify))
	}
	results = strings.Join(rs, ", ")
	if len(rs) > 1 {
		results = "(" + results + ")"
	}
	return strings.Join(ps, ", "), strings.Join(as, ", "), strings.Join(bs, ", "), results
}

// write writes the wrapper that finds its methods by name. It is comparable when the cell's value is.
func (w wrapper) write(s *source, table string) {
	s.printf("type %s struct{ V %s.Dynamic }\n\n", w.structName(), table)
	s.printf("func (w %s) Dynamic() %s.Dynamic { return w.V }\n", w.structName(), table)
	for _, m := range w.methods {
		ps, as, bare, results := params(s, m.sig)
		ret := ""
		if results != "" {
			ret = "return "
		}
		s.printf("func (w %s) %s(%s) %s { %sw.V.Method(%q).(func(%s) %s)(%s) }\n", w.structName(), m.name, ps, results, ret, m.name, bare, results, as)
	}
	s.printf("\n")
}

// writeYaegi writes the wrapper that yaegi itself fills in when it converts an interpreted value to the interface.
func (w wrapper) writeYaegi(s *source) {
	s.printf("type %s struct{\nIValue any\n", w.yaegiName())
	for _, m := range w.methods {
		_, _, bare, results := params(s, m.sig)
		s.printf("W%s func(%s) %s\n", m.name, bare, results)
	}
	s.printf("}\n\n")
	for _, m := range w.methods {
		ps, as, _, results := params(s, m.sig)
		ret := ""
		if results != "" {
			ret = "return "
		}
		s.printf("func (w %s) %s(%s) %s { %sw.W%s(%s) }\n", w.yaegiName(), m.name, ps, results, ret, m.name, as)
	}
	s.printf("\n")
}
