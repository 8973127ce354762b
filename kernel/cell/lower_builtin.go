package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// Calls of predeclared functions. The interpreter's make panics with the texts of package reflect, and it knows neither
// min, max nor clear: testdata/lower/builtin.txtar.

// builtin lowers a call of a predeclared function.
func (f *fn) builtin(name string, e *ast.CallExpr, stmt bool) string {
	arg := func(i int) (string, types.Type) {
		t := f.typOr(e.Args[i])
		return f.under(f.assignable(e.Args[i], t), t), t
	}
	switch name {
	case "len", "cap":
		x, t := arg0(f, e)
		if _, ok := coreOf(t).(*types.Array); ok {
			return fmt.Sprint(coreOf(t).(*types.Array).Len())
		}
		if p, ok := coreOf(t).(*types.Pointer); ok {
			return fmt.Sprint(p.Elem().Underlying().(*types.Array).Len())
		}
		return name + "(" + f.atom(x, t.Underlying()) + ")"
	case "append":
		return f.appendCall(e)
	case "copy":
		if tup, ok := f.tupleOf(e.Args[0]); ok && len(e.Args) == 1 { // copy(f())
			vs, _ := f.multi(e.Args[0], tup.Len())
			return f.valueOrStmt("copy("+strings.Join(vs, ", ")+")", stmt, types.Typ[types.Int])
		}
		d, dt := arg(0)
		s, st := arg(1)
		d = f.atom(d, dt.Underlying())
		if b, ok := st.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			s = f.temp("[]byte("+s+")", types.NewSlice(types.Typ[types.Uint8]))
		} else {
			s = f.atom(s, st.Underlying())
		}
		return f.valueOrStmt("copy("+d+", "+s+")", stmt, types.Typ[types.Int])
	case "delete":
		if tup, ok := f.tupleOf(e.Args[0]); ok && len(e.Args) == 1 { // delete(f())
			vs, ts := f.multi(e.Args[0], tup.Len())
			f.emit("delete(%s, %s)", vs[0], f.hold(f.coerce(vs[1], ts[1], coreOf(ts[0]).(*types.Map).Key()), ts[1]))
			return ""
		}
		m, mt := arg(0)
		m = f.atom(m, mt.Underlying())
		kt := coreOf(mt).(*types.Map).Key()
		k := f.hold(f.assignable(e.Args[1], kt), kt)
		f.emit("delete(%s, %s)", m, k)
		return ""
	case "clear":
		x, t := arg(0)
		f.emit("h.Clear(%s)", f.atom(x, t.Underlying()))
		return ""
	case "close":
		x, t := arg(0)
		f.line(e.Pos())
		f.emit("close(%s)", f.atom(x, t.Underlying()))
		return ""
	case "make":
		return f.makeCall(e)
	case "new":
		if tv := f.info.Types[ast.Unparen(e.Args[0])]; !tv.IsType() { // new(expr), Go 1.26
			t := f.typOr(e.Args[0])
			v := f.u.uniq("t")
			f.emit("%s := new(%s)", v, f.text(t))
			f.extra[v] = "*" + f.text(t)
			f.emit("*%s = %s", v, f.assignable(e.Args[0], t))
			return v
		}
		t := f.sub.typ(f.info.Types[e.Args[0]].Type)
		return f.temp("new("+f.text(t)+")", types.NewPointer(t))
	case "min", "max":
		return f.minMax(name, e)
	case "panic":
		v := f.hold(f.assignable(e.Args[0], emptyInterface), emptyInterface)
		f.emit("h.Panic(%d, %s)", f.mark(e.Pos()), v)
		return ""
	case "recover":
		tok := f.tokenName()
		s := "h.Recover(" + tok + ")"
		if stmt {
			return s
		}
		return f.temp(s, emptyInterface)
	case "print", "println":
		if len(e.Args) == 1 {
			if tup, ok := f.tupleOf(e.Args[0]); ok {
				vs, _ := f.multi(e.Args[0], tup.Len())
				f.emit("h.%s(%s)", strings.Title(name), strings.Join(vs, ", ")) //nolint:staticcheck // ASCII
				return ""
			}
		}
		vals := make([]string, len(e.Args))
		for i, a := range e.Args {
			t := f.typOr(a)
			vals[i] = f.hold(f.under(f.assignable(a, t), t), t.Underlying())
			if isInterface(t) || f.isNil(a) {
				vals[i] = f.temp("h.Eface("+vals[i]+")", types.Typ[types.String])
			}
		}
		f.emit("h.%s(%s)", strings.Title(name), strings.Join(vals, ", ")) //nolint:staticcheck // ASCII
		return ""
	case "complex":
		t := types.Default(f.typ(e))
		part := types.Typ[types.Float64]
		if f.u.c.reps.of(t).Rep.Kind() == reflect.Complex64 {
			part = types.Typ[types.Float32]
		}
		var ops []string
		if len(e.Args) == 1 { // complex(f())
			vs, ts := f.multi(e.Args[0], 2)
			ops = []string{f.coerce(vs[0], ts[0], part), f.coerce(vs[1], ts[1], part)}
		} else {
			ops = f.list(2, func(i int) string { return f.assignable(e.Args[i], part) }, func(int) types.Type { return part })
		}
		return f.text(t) + "(h.Complex(float64(" + ops[0] + "), float64(" + ops[1] + ")))"
	case "real", "imag":
		x, t := arg(0)
		return f.text(types.Default(f.typ(e))) + "(h." + strings.Title(name) + "(complex128(" + f.atom(x, t.Underlying()) + ")))" //nolint:staticcheck // ASCII
	}
	panic(&refusedError{e.Pos(), "the builtin " + name + " is not supported in cells"})
}

func arg0(f *fn, e *ast.CallExpr) (string, types.Type) {
	t := f.typOr(e.Args[0])
	if _, ok := coreOf(t).(*types.Array); ok {
		if calls(e.Args[0]) {
			f.place(e.Args[0])
		}
		return "", t
	}
	if p, ok := coreOf(t).(*types.Pointer); ok && isArray(p.Elem()) && !calls(e.Args[0]) {
		return "", t
	}
	return f.under(f.assignable(e.Args[0], t), t), t
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// calls reports whether evaluating e calls a function or receives.
func calls(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return true
	})
	return found
}

func (f *fn) valueOrStmt(s string, stmt bool, t types.Type) string {
	if stmt {
		f.emit("%s", s)
		return ""
	}
	return f.temp(s, t)
}

func (f *fn) tokenName() string {
	for g := f; g != nil; g = g.parent {
		if g.token != "" {
			f.pass(g.token)
			return g.token
		}
	}
	return "0"
}

func (f *fn) appendCall(e *ast.CallExpr) string {
	st := f.typ(e)
	if b, ok := st.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		st = f.typ(e.Args[0])
	}
	el := coreOf(st).(*types.Slice).Elem()
	under := st.Underlying()
	if tup, ok := f.tupleOf(e.Args[0]); ok && len(e.Args) == 1 { // append(f())
		vs, ts := f.multi(e.Args[0], tup.Len())
		for i := range vs[1:] {
			vs[i+1] = f.hold(f.coerce(vs[i+1], ts[i+1], el), el)
		}
		return f.retype(f.temp("append("+strings.Join(vs, ", ")+")", under), st)
	}
	if len(e.Args) == 1 {
		return f.assignable(e.Args[0], st)
	}
	if e.Ellipsis.IsValid() {
		ops := f.list(2, func(i int) string {
			if i == 0 {
				return f.hold(f.under(f.assignable(e.Args[0], st), st), under)
			}
			t := f.typ(e.Args[1])
			if f.isNil(e.Args[1]) {
				return f.zero(under)
			}
			if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return f.temp("[]byte("+f.under(f.expr(e.Args[1]), t)+")", types.NewSlice(types.Typ[types.Uint8]))
			}
			return f.hold(f.under(f.expr(e.Args[1]), t), t.Underlying())
		}, nil)
		return f.retype(f.temp("append("+ops[0]+", "+ops[1]+"...)", under), st)
	}
	ops := f.list(len(e.Args), func(i int) string {
		if i == 0 {
			s := f.under(f.assignable(e.Args[0], st), st)
			if isAtom(s) {
				return s
			}
			return f.temp(s, under)
		}
		s := f.assignable(e.Args[i], el)
		if isInterface(el) || !isAtom(s) && !isLiteral(s) {
			s = f.hold(s, el) // append may overwrite what the operand is read from
		}
		return s
	}, func(i int) types.Type {
		if i == 0 {
			return under
		}
		return el
	})
	return f.retype(f.temp("append("+strings.Join(ops, ", ")+")", under), st)
}

func (f *fn) makeCall(e *ast.CallExpr) string {
	t := f.typ(e)
	var sizes []string
	for _, a := range e.Args[1:] {
		sizes = append(sizes, f.index(a))
	}
	under := t.Underlying()
	txt := f.text(under)
	var s string
	switch coreOf(t).(type) {
	case *types.Slice:
		m := f.mark(e.Pos())
		n, c := sizes[0], sizes[0]
		if len(sizes) > 1 {
			c = sizes[1]
		}
		if !isLiteral(n) || !isLiteral(c) || len(c) > 6 {
			size := f.u.c.reps.of(coreOf(t)).Rep.Elem().Size()
			f.emit("h.CheckMake(%d, %s, %s, %v, %d)", m, n, c, len(sizes) > 1, size)
		}
		s = "make(" + txt + ", " + strings.Join(sizes, ", ") + ")"
	case *types.Map:
		s = "make(" + txt + ")"
	case *types.Chan:
		f.line(e.Pos())
		if ct := coreOf(t).(*types.Chan); ct.Dir() != types.SendRecv {
			both := types.NewChan(types.SendRecv, ct.Elem())
			c := f.temp("make("+strings.Join(append([]string{f.text(both)}, sizes...), ", ")+")", both)
			s = f.convHelper(both, under) + "(" + c + ")"
			break
		}
		s = "make(" + strings.Join(append([]string{txt}, sizes...), ", ") + ")"
	}
	return f.retype(f.temp(s, under), t)
}

func (f *fn) minMax(name string, e *ast.CallExpr) string {
	t := types.Default(f.typ(e))
	b := t.Underlying().(*types.Basic)
	ops := f.list(len(e.Args), func(i int) string { return f.under(f.assignable(e.Args[i], t), t) }, func(int) types.Type { return t })
	if b.Info()&types.IsFloat != 0 {
		acc := "float64(" + ops[0] + ")"
		for _, o := range ops[1:] {
			acc = "h." + strings.Title(name) + "(" + acc + ", float64(" + o + "))" //nolint:staticcheck // ASCII
		}
		return f.text(t) + "(" + acc + ")"
	}
	acc := f.temp(ops[0], t)
	op := map[string]string{"min": "<", "max": ">"}[name]
	for _, o := range ops[1:] {
		o = f.atom(o, t)
		f.emit("if %s %s %s {\n%s = %s\n}", o, op, acc, acc, o)
	}
	return acc
}

// frozenBuiltin is defer or go of a predeclared function.
func (f *fn) frozenBuiltin(name string, e *ast.CallExpr) string {
	switch name {
	case "recover": // as if the function that defers it called recover at its end
		tok := f.tokenName()
		return f.thunk(f.name, func(c *fn) { c.pass(tok); c.emit("h.Recover(%s)", tok) })
	case "panic":
		v := f.copied(f.assignable(e.Args[0], emptyInterface), emptyInterface)
		return f.thunk(f.name, func(c *fn) { c.pass(v); c.emit("h.Panic(%d, %s)", f.mark(e.Pos()), v) })
	case "close":
		t := f.typ(e.Args[0])
		v := f.copied(f.under(f.expr(e.Args[0]), t), t.Underlying())
		return f.thunk(f.name, func(c *fn) { c.pass(v); c.at(f.mark(e.Pos())); c.emit("close(%s)", v) })
	case "print", "println":
		vals := make([]string, len(e.Args))
		for i, a := range e.Args {
			t := f.typOr(a)
			vals[i] = f.copied(f.under(f.assignable(a, t), t), t.Underlying())
			if isInterface(t) || f.isNil(a) {
				vals[i] = f.temp("h.Eface("+vals[i]+")", types.Typ[types.String])
			}
		}
		return f.thunk(f.name, func(c *fn) {
			for _, v := range vals {
				if isAtom(v) && !isLiteral(v) {
					c.pass(v)
				}
			}
			c.emit("h.%s(%s)", strings.Title(name), strings.Join(vals, ", ")) //nolint:staticcheck // ASCII
		})
	case "delete":
		mt := f.typ(e.Args[0])
		m := f.copied(f.under(f.expr(e.Args[0]), mt), mt.Underlying())
		kt := coreOf(mt).(*types.Map).Key()
		k := f.copied(f.assignable(e.Args[1], kt), kt)
		return f.thunk(f.name, func(c *fn) {
			c.pass(m)
			if isAtom(k) && !isLiteral(k) {
				c.pass(k)
			}
			c.at(f.mark(e.Pos()))
			c.emit("delete(%s, %s)", m, k)
		})
	case "copy":
		dt, st := f.typ(e.Args[0]), f.typ(e.Args[1])
		d := f.copied(f.under(f.expr(e.Args[0]), dt), dt.Underlying())
		src := f.under(f.expr(e.Args[1]), st)
		if b, ok := st.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			src, st = "[]byte("+src+")", types.NewSlice(types.Typ[types.Uint8])
		}
		s := f.copied(src, st.Underlying())
		return f.thunk(f.name, func(c *fn) { c.pass(d); c.pass(s); c.emit("copy(%s, %s)", d, s) })
	case "clear":
		t := f.typ(e.Args[0])
		v := f.copied(f.under(f.expr(e.Args[0]), t), t.Underlying())
		return f.thunk(f.name, func(c *fn) { c.pass(v); c.emit("h.Clear(%s)", v) })
	}
	panic(&refusedError{e.Pos(), "defer or go of the builtin " + name + " is not allowed"})
}
