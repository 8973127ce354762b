package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

func (f *fn) block(list []ast.Stmt) {
	for _, s := range list {
		f.stmt(s)
	}
}

// indent is where a block's lines go between braces.
func (f *fn) braces(head string, lines []string) {
	f.emit("%s {", head)
	f.put(lines)
	f.emit("}")
}

func (f *fn) stmt(s ast.Stmt) {
	f.u.pos = s.Pos()
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.ExprStmt:
		f.exprStmt(s.X)
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		lv := f.lvalue(s.X)
		t := f.typ(s.X)
		one := f.one(t)
		lv.store(fmt.Sprintf("%s %s %s", f.under(lv.load, t), op, one))
	case *ast.DeclStmt:
		f.declStmt(s.Decl.(*ast.GenDecl))
	case *ast.BlockStmt:
		f.block(s.List)
	case *ast.IfStmt:
		f.ifStmt(s)
	case *ast.ForStmt:
		f.forStmt(s, "")
	case *ast.RangeStmt:
		f.rangeStmt(s, "")
	case *ast.SwitchStmt:
		f.switchStmt(s, "")
	case *ast.TypeSwitchStmt:
		f.typeSwitch(s, "")
	case *ast.SelectStmt:
		f.selectStmt(s, "")
	case *ast.LabeledStmt:
		f.labeled(s)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.ReturnStmt:
		f.returnStmt(s)
	case *ast.SendStmt:
		ch := f.atom(f.under(f.expr(s.Chan), f.typ(s.Chan)), f.typ(s.Chan).Underlying())
		ct := coreOf(f.typ(s.Chan)).(*types.Chan)
		v := f.assignable(s.Value, ct.Elem())
		f.line(s.Arrow)
		f.emit("%s(%s, %s)", f.h().send(f.chanType(f.typ(s.Chan))), ch, v)
	case *ast.GoStmt:
		f.goStmt(s)
	case *ast.DeferStmt:
		f.deferStmt(s)
	default:
		panic(&refusedError{s.Pos(), fmt.Sprintf("this kind of statement (%T) is not supported in cells", s)})
	}
}

// chanType is the channel type to make helpers for: the representation is what counts.
func (f *fn) chanType(t types.Type) types.Type { return t.Underlying() }

func (f *fn) one(t types.Type) string {
	b := t.Underlying().(*types.Basic)
	switch {
	case b.Info()&types.IsComplex != 0:
		return f.text(t) + "(complex(1, 0))"
	case b.Info()&types.IsFloat != 0:
		return f.text(t) + "(1.0)"
	}
	return f.text(t) + "(1)"
}

func (f *fn) exprStmt(e ast.Expr) {
	e = ast.Unparen(e)
	if c, ok := e.(*ast.CallExpr); ok {
		if s := f.call(c, true); s != "" {
			f.emit("%s", s)
		}
		return
	}
	t := f.info.Types[e].Type
	if t == nil || f.info.Types[e].IsVoid() {
		f.expr(e)
		return
	}
	s := f.expr(e)
	if !isAtom(s) && !isLiteral(s) {
		f.temp(s, f.typ(e))
	}
}

func (f *fn) declStmt(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return // types and constants need no code
	}
	for _, sp := range d.Specs {
		vs := sp.(*ast.ValueSpec)
		f.define(identExprs(vs.Names), vs.Values, true, vs.Pos())
	}
}

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
		lv := f.lvalue(s.Lhs[0])
		t := f.typ(s.Lhs[0])
		var y string
		if op == token.SHL || op == token.SHR {
			y = f.shiftCount(s.Rhs[0])
		} else {
			y = f.assignable(s.Rhs[0], t)
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
		lv := f.lvalue(lhs[0])
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

func (f *fn) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		f.stmt(s.Init)
	}
	cond := f.cond(s.Cond)
	then := f.capture(func() { f.block(s.Body.List) })
	f.braces("if "+cond, then)
	if s.Else != nil {
		els := f.capture(func() { f.stmt(s.Else) })
		f.lines[len(f.lines)-1] = "} else {"
		f.put(els)
		f.emit("}")
	}
}

// cond is an expression fit to stand after if.
func (f *fn) cond(e ast.Expr) string {
	s := f.expr(e)
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		return s
	}
	return "(" + s + ")"
}

func (f *fn) push(label string, loop, emitted bool) *target {
	t := &target{label: label, loop: loop, emitted: emitted, name: f.u.uniq("L"), fn: f}
	f.ctl = append(f.ctl, t)
	return t
}

func (f *fn) pop() { f.ctl = f.ctl[:len(f.ctl)-1] }

// loop writes "for {lines}" with its label where it is used.
func (f *fn) loop(t *target, head string, lines []string) {
	if t.used {
		f.emit("%s:", t.name)
	}
	f.braces(head, lines)
}

func (f *fn) forStmt(s *ast.ForStmt, label string) {
	if s.Init != nil {
		f.stmt(s.Init)
	}
	// Variables that closures capture are new in every iteration.
	var own []*types.Var
	if as, ok := s.Init.(*ast.AssignStmt); ok && as.Tok == token.DEFINE {
		for _, l := range as.Lhs {
			if v := f.varOf(l); v != nil && f.facts.boxed[v] {
				own = append(own, v)
			}
		}
	}
	t := f.push(label, true, true)
	var cond string
	pre := f.capture(func() {
		if s.Cond != nil {
			cond = f.cond(s.Cond)
		}
	})
	post := f.capture(func() {
		if s.Post != nil {
			f.stmt(s.Post)
		}
	})
	body := f.capture(func() { f.block(s.Body.List) })
	f.pop()
	if len(own) == 0 && len(pre) == 0 && len(post) <= 1 && (len(post) == 0 || simplePost(post[0])) {
		p := ""
		if len(post) == 1 {
			p = post[0]
		}
		switch {
		case cond == "" && p == "":
			f.loop(t, "for", body)
		case p == "":
			f.loop(t, "for "+cond, body)
		default:
			f.loop(t, "for ; "+cond+"; "+p, body)
		}
		return
	}
	first := f.u.uniq("t")
	f.emit("%s := true", first)
	f.extra[first] = "bool"
	var lines []string
	lines = append(lines, "if "+first+" {", first+" = false", "} else {")
	for _, v := range own {
		b := f.vars[v]
		n := f.u.uniq("t")
		lines = append(lines, fmt.Sprintf("%s := new(%s)", n, b.text), fmt.Sprintf("*%s = *%s", n, b.name), fmt.Sprintf("%s = %s", b.name, n))
	}
	lines = append(lines, post...)
	lines = append(lines, "}")
	lines = append(lines, pre...)
	if cond != "" {
		lines = append(lines, "if !"+cond+" {", "break", "}")
	}
	lines = append(lines, body...)
	f.loop(t, "for", lines)
}

func simplePost(s string) bool {
	return !strings.ContainsAny(s, "{}\n") && !strings.HasPrefix(s, "var ") && !strings.HasPrefix(s, "ln_")
}

func (f *fn) labeled(s *ast.LabeledStmt) {
	name := "U" + sane(s.Label.Name) + "_" + f.u.labelID(f.info.Defs[s.Label])
	if f.u.gotoUsed(f.info, s.Label) {
		f.lastLn = 0
		f.emit("%s:", name)
		f.emit("ln_ = %d", f.mark(s.Pos()))
	}
	switch b := s.Stmt.(type) {
	case *ast.ForStmt:
		f.forStmt(b, s.Label.Name)
	case *ast.RangeStmt:
		f.rangeStmt(b, s.Label.Name)
	case *ast.SwitchStmt:
		f.switchStmt(b, s.Label.Name)
	case *ast.TypeSwitchStmt:
		f.typeSwitch(b, s.Label.Name)
	case *ast.SelectStmt:
		f.selectStmt(b, s.Label.Name)
	case *ast.BlockStmt:
		t := f.push(s.Label.Name, false, true)
		lines := f.capture(func() { f.block(b.List) })
		f.pop()
		if t.used {
			f.loop(t, "for", append(lines, "break"))
		} else {
			f.put(lines)
		}
	default:
		f.stmt(s.Stmt)
	}
}

func (u *unit) labelID(o types.Object) string {
	if o == nil {
		return "0"
	}
	return fmt.Sprint(int(o.Pos()))
}

// gotoUsed is conservative: every label may be the aim of a goto.
func (u *unit) gotoUsed(info *types.Info, l *ast.Ident) bool {
	o := info.Defs[l]
	return o != nil && u.c.gotos[o]
}

func (f *fn) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		if f.yield != nil {
			panic(&refusedError{s.Pos(), "goto out of the body of a range-over-func loop is not supported in cells"})
		}
		o := f.info.Uses[s.Label]
		f.emit("goto U%s_%s", sane(s.Label.Name), f.u.labelID(o))
	case token.FALLTHROUGH: // the chain of clauses sees to it
	case token.BREAK, token.CONTINUE:
		label := ""
		if s.Label != nil {
			label = s.Label.Name
		}
		f.jump(s.Tok, label, s.Pos())
	}
}

// jump leaves or continues the statement named label ("" = the innermost fitting one).
func (f *fn) jump(tok token.Token, label string, pos token.Pos) {
	for i := len(f.ctl) - 1; i >= 0; i-- {
		t := f.ctl[i]
		if label != "" && t.label != label || label == "" && tok == token.CONTINUE && !t.loop {
			continue
		}
		innermost := true
		for _, u := range f.ctl[i+1:] {
			innermost = innermost && !u.emitted
		}
		if innermost && t.emitted {
			f.emit("%s", tok)
			return
		}
		t.used = true
		f.emit("%s %s", tok, t.name)
		return
	}
	y := f.yield
	if y == nil {
		panic(&refusedError{pos, "internal: no target for " + tok.String()})
	}
	// the target is the range-over-func loop itself, or lies outside it
	if y.loop.label == label || label == "" {
		if tok == token.CONTINUE {
			f.emit("return true")
		} else {
			f.emit("return false")
		}
		return
	}
	code := len(y.exits) + 2
	y.exits = append(y.exits, exit{code, func(g *fn) { g.jump(tok, label, pos) }})
	f.pass(y.code)
	f.emit("*%s = %d", y.code, code)
	f.emit("return false")
}

func (f *fn) returnStmt(s *ast.ReturnStmt) {
	owner := f
	for owner.yield != nil {
		owner = owner.parent
	}
	res := owner.sig.Results()
	if res.Len() == 0 {
		f.exitReturn(nil)
		return
	}
	var vals []string
	boxes := owner.res != nil || owner.body
	if len(s.Results) == 0 {
		// bare return of named results
		if f.yield != nil || owner.body {
			f.exitReturn(nil)
			return
		}
		var rs []string
		for _, v := range owner.named {
			rs = append(rs, f.ref(v).place())
		}
		f.emit("return %s", strings.Join(rs, ", "))
		return
	}
	if len(s.Results) == res.Len() {
		for i, e := range s.Results {
			t := f.sub.typ(res.At(i).Type())
			v := f.assignable(e, t)
			if len(s.Results) > 1 {
				v = f.hold(v, t)
			}
			vals = append(vals, v)
		}
	} else {
		vs, ts := f.multi(s.Results[0], res.Len())
		for i := range vs {
			vals = append(vals, f.coerce(vs[i], ts[i], f.sub.typ(res.At(i).Type())))
		}
	}
	if owner.named != nil && (boxes || f.yield != nil) {
		for i, v := range owner.named {
			f.emit("%s = %s", f.ref(v).place(), vals[i])
		}
		f.exitReturn(nil)
		return
	}
	if boxes {
		for i, r := range owner.res {
			f.pass(r)
			f.emit("*%s = %s", r, vals[i])
		}
		f.exitReturn(nil)
		return
	}
	f.emit("return %s", strings.Join(vals, ", "))
}

// exitReturn leaves the function when its results are in their boxes.
func (f *fn) exitReturn([]string) {
	if f.yield != nil {
		y := f.yield
		f.pass(y.code)
		f.emit("*%s = 1", y.code)
		f.emit("return false")
		return
	}
	if f.body || f.sig.Results().Len() == 0 {
		f.emit("return")
		return
	}
	if f.named != nil {
		var rs []string
		for _, v := range f.named {
			rs = append(rs, f.ref(v).place())
		}
		f.emit("return %s", strings.Join(rs, ", "))
		return
	}
	var rs []string
	for _, r := range f.res {
		rs = append(rs, "*"+r)
	}
	f.emit("return %s", strings.Join(rs, ", "))
}

// lvalue is a place to read and write once its operands are computed.
type lvalue struct {
	load  string
	store func(v string)
}

func (f *fn) lvalue(e ast.Expr) *lvalue {
	e = ast.Unparen(e)
	if ix, ok := e.(*ast.IndexExpr); ok {
		xt := f.typ(ix.X)
		if m, ok := coreOf(xt).(*types.Map); ok {
			ms := f.atom(f.under(f.expr(ix.X), xt), xt.Underlying())
			k := f.hold(f.assignable(ix.Index, m.Key()), m.Key())
			f.hashable(k, m.Key(), ix.Pos())
			f.line(ix.Pos())
			return &lvalue{load: ms + "[" + k + "]", store: func(v string) {
				v = f.atom(v, m.Elem())
				f.line(ix.Pos())
				f.emit("%s[%s] = %s", ms, k, v)
			}}
		}
	}
	f.top = f.snap
	p := f.place(e)
	f.top = false
	checks := f.checks
	f.checks = nil
	return &lvalue{load: p, store: func(v string) {
		f.put(checks)
		f.emit("%s = %s", p, v)
	}}
}

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
			p := f.atom(f.under(f.expr(e.X), xt), xt.Underlying())
			n := u.Elem().Underlying().(*types.Array).Len()
			check(func() { f.nilCheck(p, e.Pos()) })
			i := f.index(e.Index)
			check(func() { f.boundsCheck(i, fmt.Sprint(n), e.Index, e.Pos(), n) })
			return p + "[" + i + "]"
		}
	}
	return f.atom(f.expr(e), f.typ(e))
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
