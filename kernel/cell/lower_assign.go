package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Assignments and definitions. The interpreter evaluates the operands of a multiple assignment late:
// testdata/lower/assign.txtar.

func identExprs(ids []*ast.Ident) []ast.Expr {
	var out []ast.Expr
	for _, id := range ids {
		out = append(out, id)
	}
	return out
}

// varOf is the variable an identifier declares, nil for the blank one or for a redeclared (assigned) one.
func (f *fn) varOf(e ast.Expr) *types.Var {
	id, ok := e.(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	v, _ := f.info.Defs[id].(*types.Var)
	return v
}

// define lowers var and :=. The variables come to life after all values are computed.
func (f *fn) define(lhs, rhs []ast.Expr, isVar bool, pos token.Pos) {
	switch {
	case len(rhs) == 0:
		for _, l := range lhs {
			if v := f.varOf(l); v != nil {
				f.declare(v, "")
			}
		}
	case len(lhs) == len(rhs) && len(lhs) == 1:
		f.defineOne(lhs[0], func(t types.Type) string { return f.assignable(rhs[0], t) }, f.typOr(rhs[0]))
	case len(lhs) == len(rhs):
		vals := make([]string, len(rhs))
		ts := make([]types.Type, len(rhs))
		var marks []int
		for i, r := range rhs {
			ts[i] = f.lhsType(lhs[i], f.typOr(r))
			marks = append(marks, len(f.lines))
			vals[i] = f.assignable(r, ts[i])
			// values are computed before any variable is set
			vals[i] = f.hold(vals[i], ts[i])
		}
		for i, l := range lhs {
			f.defineOne(l, func(types.Type) string { return vals[i] }, ts[i])
		}
	default:
		vals, ts := f.multi(rhs[0], len(lhs))
		for i, l := range lhs {
			if isBlank(l) {
				continue
			}
			to := f.lhsType(l, ts[i])
			f.defineOne(l, func(types.Type) string { return f.coerce(vals[i], ts[i], to) }, ts[i])
		}
	}
}

// hold saves a value in a temporary unless it is one already.
func (f *fn) hold(s string, t types.Type) string {
	if isLiteral(s) {
		return s
	}
	if _, ok := f.extra[s]; ok {
		return s
	}
	return f.temp(s, t)
}

func isBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
}

func (f *fn) typOr(e ast.Expr) types.Type {
	t := f.typ(e)
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return types.Default(t)
	}
	return t
}

// lhsType is the type a value is converted to when assigned to l.
func (f *fn) lhsType(l ast.Expr, rhs types.Type) types.Type {
	if isBlank(l) {
		return types.Default(rhs)
	}
	if v := f.varOf(l); v != nil {
		return f.sub.typ(v.Type())
	}
	return f.typ(l)
}

func (f *fn) defineOne(l ast.Expr, val func(t types.Type) string, rhs types.Type) {
	if isBlank(l) {
		t := types.Default(rhs)
		if b, ok := t.(*types.Basic); ok && b.Kind() == types.UntypedNil {
			return
		}
		s := val(t)
		if !isAtom(s) && !isLiteral(s) {
			f.temp(s, t)
		}
		return
	}
	if v := f.varOf(l); v != nil {
		s := val(f.sub.typ(v.Type()))
		f.declare(v, s)
		return
	}
	lv := f.lvalue(l)
	lv.store(val(f.typ(l)))
}

// declare binds a new variable, or stores into its global when it stands at the top of a cell.
func (f *fn) declare(v *types.Var, init string) {
	if g := f.u.c.global(v); g != "" {
		if init == "" {
			init = f.zero(f.sub.typ(v.Type()))
		}
		f.emit("%s = %s", g, init)
		return
	}
	f.bind(v, init)
}

func (f *fn) assign(s *ast.AssignStmt) {
	switch {
	case s.Tok == token.DEFINE:
		f.define(s.Lhs, s.Rhs, false, s.Pos())
	case s.Tok == token.ASSIGN:
		f.assignPlain(s.Lhs, s.Rhs)
	default:
		op := assignOps[s.Tok]
		t := f.typ(s.Lhs[0])
		var lv *lvalue
		var y string
		value := func() {
			if op == token.SHL || op == token.SHR {
				y = f.shiftCount(s.Rhs[0])
			} else {
				y = f.assignable(s.Rhs[0], t)
			}
		}
		switch l, r := f.runs(s.Lhs[0]), f.runs(s.Rhs[0]); {
		case !r:
			lv = f.lvalue(s.Lhs[0])
			value()
		case !l:
			value()
			lv = f.lvalue(s.Lhs[0])
		default:
			lv = f.lvalueBefore(s.Lhs[0])
			value()
			f.put(lv.take())
		}
		lv.store(f.arith(op, lv.load, y, t, s.Pos()))
	}
}

var assignOps = map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL,
	token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR,
	token.XOR_ASSIGN: token.XOR, token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT}

func (f *fn) assignPlain(lhs, rhs []ast.Expr) {
	if len(lhs) == 1 && len(rhs) == 1 {
		if isBlank(lhs[0]) {
			f.defineOne(lhs[0], func(t types.Type) string { return f.assignable(rhs[0], t) }, f.typOr(rhs[0]))
			return
		}
		// As Go's compiler has it: calls first, those on the left before those on the right; then the value, then the place.
		if !f.runs(lhs[0]) {
			v := f.assignable(rhs[0], f.typ(lhs[0]))
			f.lvalue(lhs[0]).store(v)
			return
		}
		lv := f.lvalueBefore(lhs[0])
		lv.store(f.assignable(rhs[0], f.typ(lhs[0])))
		return
	}
	// operands of the left side first, then the values, then the stores from left to right
	lvs := make([]*lvalue, len(lhs))
	f.snap = true
	for i, l := range lhs {
		if !isBlank(l) {
			lvs[i] = f.lvalue(l)
		}
	}
	f.snap = false
	var vals []string
	if len(rhs) == len(lhs) {
		for i, r := range rhs {
			t := f.typOr(r)
			if lvs[i] != nil {
				t = f.typ(lhs[i])
			} else if b, ok := t.(*types.Basic); ok && b.Kind() == types.UntypedNil {
				vals = append(vals, "")
				continue
			}
			vals = append(vals, f.copied(f.assignable(r, t), t))
		}
	} else {
		vs, ts := f.multi(rhs[0], len(lhs))
		for i, l := range lhs {
			if lvs[i] == nil {
				vals = append(vals, "")
				continue
			}
			vals = append(vals, f.coerce(vs[i], ts[i], f.typ(l)))
		}
	}
	for i, lv := range lvs {
		if lv != nil {
			lv.store(vals[i])
		}
	}
}

// copied always makes a temporary, so that later stores cannot change the value.
func (f *fn) copied(s string, t types.Type) string {
	if isLiteral(s) {
		return s
	}
	return f.temp(s, t)
}

// lvalue is a place to read and write once its operands are computed.
type lvalue struct {
	load   string
	store  func(v string)
	checks []string // made by the store
}

// take returns the checks, for an operation that loads first.
func (l *lvalue) take() []string {
	c := l.checks
	l.checks = nil
	return c
}

// runs reports whether evaluating e runs code that may change variables: a call of a function, or a receive.
func (f *fn) runs(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			fun := ast.Unparen(n.Fun)
			if f.info.Types[fun].IsType() || f.info.Types[fun].IsBuiltin() {
				return true
			}
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// lvalueBefore is lvalue of what a value is assigned to that is still to be computed: the last check comes after that.
func (f *fn) lvalueBefore(e ast.Expr) *lvalue {
	f.top = true
	lv := f.lvalue(e)
	f.top = false
	return lv
}

func (f *fn) lvalue(e ast.Expr) *lvalue {
	e = ast.Unparen(e)
	late := f.top
	f.top = false
	if ix, ok := e.(*ast.IndexExpr); ok {
		xt := f.typ(ix.X)
		if m, ok := coreOf(xt).(*types.Map); ok {
			ms := f.atom(f.under(f.expr(ix.X), xt), xt.Underlying())
			k := f.hold(f.assignable(ix.Index, m.Key()), m.Key())
			lv := &lvalue{load: ms + "[" + k + "]"}
			check := func() {
				f.hashable(k, m.Key(), ix.Pos())
				f.line(ix.Pos())
			}
			if late {
				lv.checks = f.capture(check)
			} else {
				check()
			}
			lv.store = func(v string) {
				v = f.atom(v, m.Elem())
				f.put(lv.take())
				f.line(ix.Pos())
				f.emit("%s[%s] = %s", ms, k, v)
			}
			return lv
		}
	}
	f.top = f.snap || late
	p := f.place(e)
	f.top = false
	lv := &lvalue{load: p, checks: f.checks}
	f.checks = nil
	lv.store = func(v string) {
		f.put(lv.take())
		if strings.HasPrefix(p, "(*") {
			v = f.storable(v, f.typ(e))
		}
		f.emit("%s = %s", p, v)
	}
	return lv
}
