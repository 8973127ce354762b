package cell

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// switch, type switch and select. The interpreter's fallthrough and some of its switches go wrong, and its type switches
// confuse declared types: testdata/lower/switch.txtar, control.txtar, types.txtar.

var zeroConst = constant.MakeInt64(0)

// clause is one case of a switch: how to test it and what it does.
type clause struct {
	test func() string // emits what it needs, returns the condition; nil = default
	body func()
	fall bool // ends with fallthrough
}

// chain writes clauses as nested ifs. With fallthrough, matching and running are separate steps. A break that names
// the switch needs a loop around the chain, which runs once.
func (f *fn) chain(label string, body *ast.BlockStmt, clauses []clause) {
	t := f.push(label, false, breaks(body, label))
	lines := f.capture(func() {
		for _, c := range clauses {
			if c.fall {
				f.chainFall(clauses)
				return
			}
		}
		f.chainNested(clauses, 0)
	})
	f.pop()
	if !t.emitted {
		f.put(lines)
		return
	}
	f.loop(t, "for", append(lines, "break"))
}

// breaks reports whether a break below body leaves the statement body belongs to.
func breaks(body *ast.BlockStmt, label string) bool {
	found := false
	var scan func(n ast.Node, inner bool)
	scan = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				scan(m, true)
				return false
			case *ast.BranchStmt:
				if m.Tok == token.BREAK && (m.Label == nil && !inner || m.Label != nil && m.Label.Name == label) {
					found = true
				}
			}
			return true
		})
	}
	scan(body, false)
	return found
}

func (f *fn) chainNested(cs []clause, from int) {
	// the default clause runs when nothing else matches, wherever it stands
	var tests []clause
	var def *clause
	for i := range cs {
		if cs[i].test == nil {
			def = &cs[i]
		} else {
			tests = append(tests, cs[i])
		}
	}
	var rec func(i int)
	rec = func(i int) {
		if i == len(tests) {
			if def != nil {
				def.body()
			}
			return
		}
		cond := tests[i].test()
		f.braces("if "+cond, f.capture(tests[i].body))
		rest := f.capture(func() { rec(i + 1) })
		if len(rest) > 0 {
			f.lines[len(f.lines)-1] = "} else {"
			f.put(rest)
			f.emit("}")
		}
	}
	rec(0)
}

func (f *fn) chainFall(cs []clause) {
	m := f.temp("-1", types.Typ[types.Int])
	def := -1
	var rec func(i int)
	rec = func(i int) {
		for i < len(cs) && cs[i].test == nil {
			def = i
			i++
		}
		if i >= len(cs) {
			return
		}
		cond := cs[i].test()
		f.emit("if %s {\n%s = %d\n}", cond, m, i)
		rest := f.capture(func() { rec(i + 1) })
		if len(rest) > 0 {
			f.lines[len(f.lines)-1] = fmt.Sprintf("if %s {\n%s = %d\n} else {", cond, m, i)
			f.put(rest)
			f.emit("}")
		}
	}
	rec(0)
	if def >= 0 {
		f.emit("if %s == -1 {\n%s = %d\n}", m, m, def)
	}
	for i, c := range cs {
		body := f.capture(c.body)
		if c.fall {
			body = append(body, fmt.Sprintf("%s = %d", m, i+1))
		}
		f.braces(fmt.Sprintf("if %s == %d", m, i), body)
	}
}

func splitFall(list []ast.Stmt) ([]ast.Stmt, bool) {
	if n := len(list); n > 0 {
		if b, ok := list[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			return list[:n-1], true
		}
	}
	return list, false
}

func (f *fn) switchStmt(s *ast.SwitchStmt, label string) {
	if s.Init != nil {
		f.bareStmt(s.Init)
	}
	var tag string
	var tt types.Type
	if s.Tag != nil {
		tt = f.typOr(s.Tag)
		tag = f.copied(f.assignable(s.Tag, tt), tt)
	}
	var cs []clause
	for _, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		body, fall := splitFall(cc.Body)
		c := clause{body: func() { f.block(body) }, fall: fall}
		if cc.List != nil {
			c.test = func() string { return f.anyOf(cc.List, func(e ast.Expr) string { return f.caseTest(tag, tt, e) }) }
		}
		cs = append(cs, c)
	}
	f.chain(label, s.Body, cs)
}

// anyOf joins the tests of one case; a test that needs statements is only run when those before it failed.
func (f *fn) anyOf(list []ast.Expr, test func(e ast.Expr) string) string {
	cond := ""
	for _, e := range list {
		var s string
		pre := f.capture(func() { s = test(e) })
		if cond == "" {
			f.put(pre)
			cond = s
			continue
		}
		r := f.temp(cond, types.Typ[types.Bool])
		f.braces("if !"+r, append(pre, r+" = "+s))
		cond = r
	}
	if isAtom(cond) {
		return cond
	}
	return "(" + cond + ")"
}

func (f *fn) caseTest(tag string, tt types.Type, e ast.Expr) string {
	if tt == nil { // switch { case cond: }
		if t := f.typOr(e); isInterface(t) {
			return f.equal(f.coerce("true", types.Typ[types.Bool], t), f.assignable(e, t), t, token.EQL, e.Pos())
		}
		return f.cond(e)
	}
	if f.isNil(e) {
		return "(" + tag + " == nil)"
	}
	et := f.typOr(e)
	ct := tt
	if isInterface(et) && !isInterface(tt) || !types.AssignableTo(et, tt) && types.AssignableTo(tt, et) {
		ct = et
	}
	if tv := f.info.Types[e]; tv.Value != nil && !isInterface(tt) {
		return f.equal(tag, f.assignable(e, tt), tt, token.EQL, e.Pos())
	}
	return f.equal(f.coerce(tag, tt, ct), f.assignable(e, ct), ct, token.EQL, e.Pos())
}

func (f *fn) typeSwitch(s *ast.TypeSwitchStmt, label string) {
	if s.Init != nil {
		f.bareStmt(s.Init)
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = ast.Unparen(a.X).(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = ast.Unparen(a.Rhs[0]).(*ast.TypeAssertExpr).X
	}
	xt := f.typ(x)
	orig := f.temp(f.expr(x), xt)
	val := orig
	if f.u.c.reps.nativeInterface(xt) {
		val = f.temp(f.h().fromNative(xt)+"("+orig+")", emptyInterface)
	}
	var cs []clause
	for _, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		c := clause{body: func() {
			if v, ok := f.info.Implicits[cc].(*types.Var); ok {
				vt := f.sub.typ(v.Type())
				switch {
				case len(cc.List) == 1 && !f.isNil(cc.List[0]) && isInterface(vt):
					f.bind(v, f.h().assertInterface(vt, xt, false)+"("+val+")")
				case len(cc.List) == 1 && !f.isNil(cc.List[0]):
					f.bind(v, f.h().assert(vt, xt, false)+"("+val+")")
				default:
					f.bind(v, orig)
				}
			}
			f.block(cc.Body)
		}}
		if cc.List != nil {
			c.test = func() string {
				return f.anyOf(cc.List, func(e ast.Expr) string {
					if f.isNil(e) {
						return "(" + val + " == nil)"
					}
					return f.h().is(f.typ(e)) + "(" + val + ")"
				})
			}
		}
		cs = append(cs, c)
	}
	f.chain(label, s.Body, cs)
}

var emptyInterface = types.NewInterfaceType(nil, nil)

// selectStmt runs in compiled code, so that an interrupt reaches it.
func (f *fn) selectStmt(s *ast.SelectStmt, label string) {
	sel := f.u.uniq("t")
	f.emit("%s := h.NewSelect()", sel)
	f.extra[sel] = "*h.Select"
	type arm struct {
		cc   *ast.CommClause
		elem types.Type
	}
	var arms []arm
	hasDefault := false
	for _, st := range s.Body.List {
		cc := st.(*ast.CommClause)
		var el types.Type
		switch c := cc.Comm.(type) {
		case nil:
			hasDefault = true
		case *ast.SendStmt:
			ct := f.typ(c.Chan)
			el = coreOf(ct).(*types.Chan).Elem()
			ch := f.hold(f.under(f.expr(c.Chan), ct), ct.Underlying())
			v := f.hold(f.assignable(c.Value, el), el)
			f.emit("%s.Send(%s, %s(%s))", sel, ch, f.h().pack(el), v)
		default:
			u := recvOf(c)
			ct := f.typ(u.X)
			el = coreOf(ct).(*types.Chan).Elem()
			ch := f.hold(f.under(f.expr(u.X), ct), ct.Underlying())
			f.emit("%s.Recv(%s)", sel, ch)
		}
		arms = append(arms, arm{cc, el})
	}
	f.line(s.Pos())
	n := f.u.uniq("t")
	f.emit("%s := %s.Go(%v)", n, sel, hasDefault)
	f.extra[n] = "int"
	var cs []clause
	i := 0
	for _, a := range arms {
		k := i
		if a.cc.Comm != nil {
			i++
		} else {
			k = -1
		}
		cs = append(cs, clause{
			test: func() string { return fmt.Sprintf("(%s == %s)", n, num(k)) },
			body: func() {
				if as, ok := a.cc.Comm.(*ast.AssignStmt); ok {
					v := f.temp(f.h().raw(a.elem)+"("+sel+".Value())", a.elem)
					vals, ts := []string{v}, []types.Type{a.elem}
					if len(as.Lhs) == 2 {
						okv := f.temp(sel+".OK()", types.Typ[types.Bool])
						vals, ts = append(vals, okv), append(ts, types.Typ[types.Bool])
					}
					for j, l := range as.Lhs {
						if isBlank(l) {
							continue
						}
						to := f.lhsType(l, ts[j])
						f.defineOne(l, func(types.Type) string { return f.coerce(vals[j], ts[j], to) }, ts[j])
					}
				}
				f.block(a.cc.Body)
			}})
	}
	f.chain(label, s.Body, cs)
}

func num(k int) string {
	if k < 0 {
		return fmt.Sprintf("(%d)", k)
	}
	return fmt.Sprint(k)
}

func recvOf(s ast.Stmt) *ast.UnaryExpr {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return ast.Unparen(s.X).(*ast.UnaryExpr)
	case *ast.AssignStmt:
		return ast.Unparen(s.Rhs[0]).(*ast.UnaryExpr)
	}
	panic("internal: not a receive")
}
