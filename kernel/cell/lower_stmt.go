package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Statements and plain loops. The interpreter shares the variables of a loop among its iterations:
// testdata/lower/control.txtar, closure.txtar.

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
	f.hook(s)
	f.bareStmt(s)
}

// bareStmt is stmt where the debugger has nothing to look at.
func (f *fn) bareStmt(s ast.Stmt) {
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

func (f *fn) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		f.bareStmt(s.Init)
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
		f.bareStmt(s.Init)
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
		f.hookAt(s.Pos())
		if s.Post != nil {
			f.bareStmt(s.Post)
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
		lines = append(lines, f.capture(func() { f.note(v, b) })...)
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
