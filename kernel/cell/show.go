package cell

import (
	"go/ast"
	"go/types"
	"strings"
)

// checkErr fails the cell when a top-level x, err := f() leaves a non-nil err that the cell never looks at.
func (st *step) checkErr(f *fn, s ast.Stmt) {
	as, ok := s.(*ast.AssignStmt)
	if !ok || len(as.Lhs) < 2 || len(as.Rhs) != 1 {
		return
	}
	id, ok := as.Lhs[len(as.Lhs)-1].(*ast.Ident)
	if !ok || id.Name == "_" {
		return
	}
	v, ok := st.info.Defs[id].(*types.Var)
	held := v // what the call's error is in by now
	if !ok {
		v, _ = st.scope.Lookup(id.Name).(*types.Var)
		for d, o := range st.info.Defs {
			if st.dups[d.Name] == id.Name && d.Pos() == id.Pos() {
				held, _ = o.(*types.Var)
			}
		}
	}
	if v == nil || held == nil || !types.Identical(v.Type(), types.Universe.Lookup("error").Type()) {
		return
	}
	for u, o := range st.info.Uses {
		if o == v && !st.stores[u] {
			return
		}
	}
	g := f.u.c.vars[held]
	if g == "" {
		return
	}
	f.emit("h.CheckErr(%d, %s)", f.mark(as.Pos()), g)
}

// show hands the value of a cell's last expression to the session.
func (st *step) show(f *fn, e ast.Expr) {
	e = ast.Unparen(e)
	tv := st.info.Types[e]
	if tv.Type == nil || tv.IsVoid() || tv.IsType() || tv.IsBuiltin() {
		f.exprStmt(e)
		return
	}
	if tup, ok := tv.Type.(*types.Tuple); ok && tup.Len() == 0 {
		f.exprStmt(e)
		return
	}
	if quiet(e, st.info) {
		f.exprStmt(e)
		return
	}
	if tup, ok := tv.Type.(*types.Tuple); ok {
		vs, ts := f.multi(e, tup.Len())
		n := len(vs)
		if n > 0 && types.Identical(ts[n-1], types.Universe.Lookup("error").Type()) {
			f.emit("h.CheckErr(%d, %s)", f.mark(e.Pos()), vs[n-1])
			vs, ts = vs[:n-1], ts[:n-1]
		}
		var shown []string
		for i := range vs {
			shown = append(shown, f.hold(f.coerce(vs[i], ts[i], emptyInterface), emptyInterface))
		}
		f.u.emitShow(f, shown...)
		return
	}
	if tv.IsNil() {
		f.u.emitShow(f, "nil")
		return
	}
	t := types.Default(tv.Type)
	v := f.assignable(e, t)
	if call, ok := e.(*ast.CallExpr); ok && types.Identical(t, types.Universe.Lookup("error").Type()) && !makesError(call, st.info) {
		f.emit("h.CheckErr(%d, %s)", f.mark(e.Pos()), f.hold(v, t)) // f() that returns only an error: nothing to show
		return
	}
	f.u.emitShow(f, f.hold(f.coerce(v, t, emptyInterface), emptyInterface))
}

// emitShow hands values to the session, or to the debugger where it has asked for them.
func (u *unit) emitShow(f *fn, values ...string) {
	if u.asked {
		f.emit("h.DebugShow(%s, %s)", evalFrame, strings.Join(values, ", "))
		return
	}
	f.emit("h.Show(%s)", strings.Join(values, ", "))
}

// makesError reports whether a call makes an error to look at (errors.New, fmt.Errorf) rather than fails with one.
func makesError(c *ast.CallExpr, info *types.Info) bool {
	se, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := info.Uses[se.Sel].(*types.Func)
	return ok && fn.Pkg() != nil && (fn.Pkg().Path() == "errors" || fn.Pkg().Path() == "fmt")
}

// quiet reports whether a call's results are not worth showing: those of the fmt.Print family and copy.
func quiet(e ast.Expr, info *types.Info) bool {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
		if b, ok := info.Uses[id].(*types.Builtin); ok {
			return b.Name() == "recover"
		}
	}
	se, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := info.Uses[se.Sel].(*types.Func)
	return ok && fn.Pkg() != nil && fn.Pkg().Path() == "fmt" && (strings.Contains(fn.Name(), "rint") && !strings.HasPrefix(fn.Name(), "S") || strings.Contains(fn.Name(), "can"))
}
