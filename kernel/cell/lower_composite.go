package cell

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// Composite literals. The interpreter takes (*p) + x in one for a type: testdata/lower/composite.txtar.

// composite lowers a composite literal of type t.
func (f *fn) composite(e *ast.CompositeLit, t types.Type) string {
	switch u := coreOf(t).(type) {
	case *types.Struct:
		v := f.zeroed(f.text(t))
		f.fillStruct(v, e, t, u)
		return v
	case *types.Pointer: // elided &T in a composite
		return f.compositePtr(e, u.Elem())
	case *types.Array:
		v := f.zeroed(f.text(t.Underlying()))
		f.elements(e, u.Elem(), func(i int64, s string) { f.emit("%s[%d] = %s", v, i, s) })
		return f.retype(v, t)
	case *types.Slice:
		n, keyed := f.literalLen(e)
		if !keyed && len(e.Elts) > 0 && len(e.Elts) <= 4096 {
			vals := f.list(len(e.Elts), func(i int) string { return f.element(e.Elts[i], u.Elem()) }, func(int) types.Type { return u.Elem() })
			for i, s := range vals {
				if !isAtom(s) && !isLiteral(s) { // the interpreter reads (*p) + (*q) in a literal as a type
					vals[i] = f.temp(s, u.Elem())
				}
			}
			return f.retype(f.text(t.Underlying())+"{"+strings.Join(vals, ", ")+"}", t)
		}
		v := f.u.uniq("t")
		f.emit("%s := make(%s, %d)", v, f.text(t.Underlying()), n)
		f.extra[v] = f.text(t.Underlying())
		f.elements(e, u.Elem(), func(i int64, s string) { f.emit("%s[%d] = %s", v, i, s) })
		return f.retype(v, t)
	case *types.Map:
		v := f.u.uniq("t")
		f.emit("%s := make(%s)", v, f.text(t.Underlying()))
		f.extra[v] = f.text(t.Underlying())
		for _, el := range e.Elts {
			kv := el.(*ast.KeyValueExpr)
			k := f.hold(f.element(kv.Key, u.Key()), u.Key())
			val := f.hold(f.element(kv.Value, u.Elem()), u.Elem())
			f.emit("%s[%s] = %s", v, k, val)
		}
		return f.retype(v, t)
	}
	panic(&refusedError{e.Pos(), fmt.Sprintf("a composite literal of type %v is not supported in cells", t)})
}

func (f *fn) compositePtr(e *ast.CompositeLit, t types.Type) string {
	v := f.u.uniq("t")
	f.emit("%s := new(%s)", v, f.text(t))
	f.extra[v] = "*" + f.text(t)
	if u, ok := coreOf(t).(*types.Struct); ok {
		f.fillStruct(v, e, t, u)
		return v
	}
	s := f.composite(e, t)
	f.emit("*%s = %s", v, s)
	return v
}

func (f *fn) fillStruct(v string, e *ast.CompositeLit, t types.Type, u *types.Struct) {
	compiled := false
	if n, ok := types.Unalias(t).(*types.Named); ok {
		compiled = !f.u.c.reps.declared(n)
	}
	for i, el := range e.Elts {
		fld := u.Field(min(i, u.NumFields()-1))
		val := el
		k := i
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			name := kv.Key.(*ast.Ident).Name
			val = kv.Value
			for j := range u.NumFields() {
				if u.Field(j).Name() == name {
					fld, k = u.Field(j), j
				}
			}
		}
		name := fieldName(fld, k)
		if compiled {
			name = fld.Name()
		}
		ft := f.sub.typ(fld.Type())
		s := f.element(val, ft)
		if fld.Name() == "_" {
			f.temp(s, ft) // Go evaluates it and leaves the field zero
			continue
		}
		f.emit("%s.%s = %s", v, name, s)
	}
}

// element lowers a composite's element, whose own type may be elided.
func (f *fn) element(e ast.Expr, t types.Type) string {
	if c, ok := ast.Unparen(e).(*ast.CompositeLit); ok && c.Type == nil {
		return f.composite(c, t)
	}
	return f.assignable(e, t)
}

func (f *fn) literalLen(e *ast.CompositeLit) (n int64, keyed bool) {
	var i int64
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			keyed = true
			i, _ = constant.Int64Val(constant.ToInt(f.info.Types[kv.Key].Value))
		}
		i++
		n = max(n, i)
	}
	return n, keyed
}

func (f *fn) elements(e *ast.CompositeLit, t types.Type, store func(i int64, s string)) {
	var i int64
	for _, el := range e.Elts {
		val := el
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			i, _ = constant.Int64Val(constant.ToInt(f.info.Types[kv.Key].Value))
			val = kv.Value
		}
		store(i, f.element(val, t))
		i++
	}
}
