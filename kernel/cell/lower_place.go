package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// Places: variables, elements, fields, what pointers point at. The interpreter refuses &x.f and &x[i] for many operands
// and panics with other texts, without the place: testdata/lower/place.txtar.

// hashable checks a map key of interface type, whose dynamic type may not be one that hashes.
func (f *fn) hashable(k string, t types.Type, pos token.Pos) {
	if isInterface(t) && !f.u.c.reps.nativeInterface(t) {
		f.line(pos)
		f.emit("h.Hashable(%s)", k)
	}
}

// place is the text of an addressable operand, nothing copied; other operands are put into a temporary.
func (f *fn) place(e ast.Expr) string {
	e = ast.Unparen(e)
	// In a multiple assignment the outermost check belongs to the store, which comes after earlier stores.
	late := f.top
	f.top = false
	check := func(g func()) {
		if !late {
			g()
			return
		}
		f.checks = append(f.checks, f.capture(g)...)
	}
	switch e := e.(type) {
	case *ast.Ident:
		if v, ok := f.object(e).(*types.Var); ok {
			return f.variable(v, e)
		}
	case *ast.StarExpr:
		p := f.atom(f.under(f.expr(e.X), f.typ(e.X)), f.typ(e.X).Underlying())
		check(func() { f.nilCheck(p, e.Pos()) })
		return "(*" + p + ")"
	case *ast.SelectorExpr:
		if s := f.info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
			if xt := f.typ(e.X); late && isPointer(xt) && len(s.Index()) == 1 {
				p := f.atom(f.under(f.expr(e.X), xt), xt.Underlying())
				var out string
				check(func() { out, _ = f.walkPath(p, xt, s.Index(), e.Sel.Pos()) })
				return out
			}
			return f.fieldPath(e, s)
		}
		if v, ok := f.info.Uses[e.Sel].(*types.Var); ok && v.Pkg() != f.u.c.pkg {
			return "(*" + f.temp(f.compiledVar(v)+"()", types.NewPointer(v.Type())) + ")"
		}
	case *ast.IndexExpr:
		xt := f.typ(e.X)
		switch u := coreOf(xt).(type) {
		case *types.Slice:
			xs := f.atom(f.under(f.expr(e.X), xt), xt.Underlying())
			i := f.index(e.Index)
			check(func() { f.boundsCheck(i, "len("+xs+")", e.Index, e.Pos(), -1) })
			return xs + "[" + i + "]"
		case *types.Array:
			p := f.place(e.X)
			i := f.index(e.Index)
			check(func() { f.boundsCheck(i, fmt.Sprint(u.Len()), e.Index, e.Pos(), u.Len()) })
			return direct(p) + "[" + i + "]"
		case *types.Pointer:
			p := f.arrayOperand(f.under(f.expr(e.X), xt), xt.Underlying())
			n := u.Elem().Underlying().(*types.Array).Len()
			check(func() { f.nilCheck(p, e.Pos()) })
			i := f.index(e.Index)
			check(func() { f.boundsCheck(i, fmt.Sprint(n), e.Index, e.Pos(), n) })
			return p + "[" + i + "]"
		}
	}
	return f.atom(f.expr(e), f.typ(e))
}

// arrayOperand makes an atom of a pointer to an array that is to be indexed.
func (f *fn) arrayOperand(p string, t types.Type) string {
	if p = f.atom(p, t); f.u.loose[p] {
		return f.temp(p, t)
	}
	return p
}

// index is the operand of an index expression as an int-kinded atom.
func (f *fn) index(e ast.Expr) string {
	if tv := f.info.Types[e]; tv.Value != nil {
		return f.literal(tv.Value, types.Typ[types.Int])
	}
	t := f.typ(e)
	s := f.atom(f.under(f.expr(e), t), t.Underlying())
	b := t.Underlying().(*types.Basic)
	if b.Kind() == types.Int {
		return s
	}
	i := f.temp("int("+s+")", types.Typ[types.Int])
	if b.Info()&types.IsUnsigned != 0 {
		f.unsigned[i] = s // a value beyond int is reported as it is
	}
	return i
}

func (f *fn) boundsCheck(i, n string, e ast.Expr, pos token.Pos, fixed int64) {
	if f.info.Types[e].Value != nil && fixed >= 0 {
		return // the type checker has seen to it
	}
	if f.facts.safe[e] {
		return
	}
	cond := fmt.Sprintf("%s < 0 || %s >= %s", i, i, n)
	if isLiteral(i) {
		cond = fmt.Sprintf("%s >= %s", i, n)
	}
	if u := f.unsigned[i]; u != "" {
		f.emit("if %s {\nh.PanicIndexU(%d, uint64(%s), %s)\n}", cond, f.mark(pos), u, n)
		return
	}
	f.emit("if %s {\nh.PanicIndex(%d, %s, %s)\n}", cond, f.mark(pos), i, n)
}

func (f *fn) nilCheck(p string, pos token.Pos) {
	f.emit("if %s == nil {\nh.PanicNil(%d)\n}", p, f.mark(pos))
}

// variable is the storage of v.
func (f *fn) variable(v *types.Var, id *ast.Ident) string {
	if g := f.u.c.global(v); g != "" {
		return g
	}
	if b := f.ref(v); b != nil {
		return b.place()
	}
	panic(&refusedError{id.Pos(), "internal: variable " + v.Name() + " has no storage"})
}

// compiledVar is a helper call yielding a pointer to a variable of a compiled package.
func (f *fn) compiledVar(v *types.Var) string {
	sym, ok := f.u.c.symbol(v.Pkg(), v.Name())
	if !ok {
		panic(refused("%s.%s is not available in cells", v.Pkg().Name(), v.Name()))
	}
	return f.h().variable(v.Pkg().Path(), v.Name(), sym)
}

// fieldPath is the text of a (possibly promoted) field.
func (f *fn) fieldPath(e *ast.SelectorExpr, s *types.Selection) string {
	xt := f.typ(e.X)
	var p string
	if isPointer(xt) {
		p = f.atom(f.under(f.expr(e.X), xt), xt.Underlying())
	} else {
		p = f.place(e.X)
	}
	out, _ := f.walkPath(p, xt, s.Index(), e.Sel.Pos())
	return out
}

// walkPath follows field indices from p of type t, through embedded pointers.
func (f *fn) walkPath(p string, t types.Type, path []int, pos token.Pos) (string, types.Type) {
	for _, i := range path {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			if !isAtom(p) {
				p = f.temp(p, t)
			}
			f.nilCheck(p, pos)
			t = ptr.Elem()
		}
		st := t.Underlying().(*types.Struct)
		fld := st.Field(i)
		name := fieldName(fld, i)
		if n, ok := types.Unalias(t).(*types.Named); ok && !f.u.c.reps.declared(n) {
			name = fld.Name()
			if why := hidden[ifaceName(n)+"."+name]; why != "" {
				panic(&refusedError{pos, fmt.Sprintf("%s.%s.%s is not available in cells: %s", n.Obj().Pkg().Name(), n.Obj().Name(), name, why)})
			}
		}
		p = direct(p) + "." + name
		t = f.sub.typ(fld.Type())
	}
	return p, t
}

// direct drops the star of "(*p)" where p is a pointer that selectors and array indices follow by themselves.
func direct(p string) string {
	if strings.HasPrefix(p, "(*") && isAtom(p[2:len(p)-1]) {
		return p[2 : len(p)-1]
	}
	return p
}

// under turns a value of a recursive declared type into its underlying representation; others stay.
func (f *fn) under(s string, t types.Type) string {
	if f.rolled(t) {
		return f.h().unroll(t) + "(" + s + ")"
	}
	return s
}

// rolled reports whether t is a recursive declared type that lives in interface{}.
func (f *fn) rolled(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && f.u.c.reps.declared(n) && !isInterface(n) && f.u.c.reps.of(n).Rep.Kind() == reflect.Interface
}

// addressOf lowers &x.
func (f *fn) addressOf(e ast.Expr) string {
	e = ast.Unparen(e)
	if c, ok := e.(*ast.CompositeLit); ok {
		return f.compositePtr(c, f.typ(c))
	}
	switch x := e.(type) {
	case *ast.Ident:
		if v, ok := f.object(x).(*types.Var); ok {
			if g := f.u.c.global(v); g != "" {
				return "&" + g
			}
			b := f.ref(v)
			if b != nil && b.boxed {
				return b.name
			}
			panic(&refusedError{e.Pos(), "internal: address of an unboxed variable " + v.Name()})
		}
	case *ast.StarExpr:
		p := f.atom(f.under(f.expr(x.X), f.typ(x.X)), f.typ(x.X).Underlying())
		f.nilCheck(p, x.Pos())
		return p
	case *ast.SelectorExpr:
		s := f.info.Selections[x]
		if s == nil {
			if v, ok := f.info.Uses[x.Sel].(*types.Var); ok {
				return f.compiledVar(v) + "()"
			}
			break
		}
		xt := f.typ(x.X)
		var p string
		if isPointer(xt) {
			p = f.atom(f.under(f.expr(x.X), xt), xt.Underlying())
			xt = xt.Underlying().(*types.Pointer).Elem()
		} else {
			p = f.hold(f.addressOf(x.X), types.NewPointer(xt))
		}
		p, _ = f.fieldAddress(p, xt, s.Index(), x.Sel.Pos())
		return p
	case *ast.IndexExpr:
		xt := f.typ(x.X)
		switch u := coreOf(xt).(type) {
		case *types.Slice:
			xs := f.atom(f.under(f.expr(x.X), xt), xt.Underlying())
			i := f.index(x.Index)
			f.boundsCheck(i, "len("+xs+")", x.Index, x.Pos(), -1)
			return f.temp(f.h().elementAddress(xt.Underlying())+"("+xs+", "+i+")", types.NewPointer(u.Elem()))
		case *types.Array:
			p := f.hold(f.addressOf(x.X), types.NewPointer(xt))
			i := f.index(x.Index)
			f.boundsCheck(i, fmt.Sprint(u.Len()), x.Index, x.Pos(), u.Len())
			return f.temp(f.h().elementAddress(types.NewPointer(xt.Underlying()))+"("+p+", "+i+")", types.NewPointer(u.Elem()))
		case *types.Pointer:
			p := f.atom(f.under(f.expr(x.X), xt), xt.Underlying())
			a := u.Elem().Underlying().(*types.Array)
			f.nilCheck(p, x.Pos())
			i := f.index(x.Index)
			f.boundsCheck(i, fmt.Sprint(a.Len()), x.Index, x.Pos(), a.Len())
			return f.temp(f.h().elementAddress(types.NewPointer(a))+"("+p+", "+i+")", types.NewPointer(a.Elem()))
		}
	}
	// not addressable (the operand of a method call on a temporary): give it a home
	t := f.typ(e)
	v := f.u.uniq("t")
	val := f.expr(e)
	f.emit("%s := new(%s)", v, f.text(t))
	f.extra[v] = "*" + f.text(t)
	f.emit("*%s = %s", v, val)
	return v
}

// fieldAddress follows field indices from the pointer p to a struct of type t and yields a pointer to the last one.
func (f *fn) fieldAddress(p string, t types.Type, path []int, pos token.Pos) (string, types.Type) {
	for k, i := range path {
		f.nilCheck(p, pos)
		st := t.Underlying().(*types.Struct)
		ft := f.sub.typ(st.Field(i).Type())
		q := f.temp(f.h().fieldAddress(t, i, ft)+"("+p+")", types.NewPointer(ft))
		p, t = q, ft
		if k < len(path)-1 && isPointer(ft) {
			p = f.temp("*"+q, ft)
			t = ft.Underlying().(*types.Pointer).Elem()
		}
	}
	return p, t
}
