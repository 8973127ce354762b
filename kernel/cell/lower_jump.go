package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Labels, goto, break and continue. Statements become others on the way, so every jump names its target:
// testdata/lower/jump.txtar, control.txtar.

func (f *fn) labeled(s *ast.LabeledStmt) {
	name := "U" + sane(s.Label.Name) + "_" + f.u.labelID(f.info.Defs[s.Label])
	if f.u.gotoUsed(f.info, s.Label) {
		f.lastLn = 0
		f.emit("%s:", name)
		f.at(f.mark(s.Pos()))
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
		f.leaves(s)
		f.exitReturn(nil)
		return
	}
	var vals []string
	boxes := owner.res != nil || owner.body
	if len(s.Results) == 0 {
		// bare return of named results
		if f.yield != nil || owner.body {
			f.leaves(s)
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
		f.leaves(s)
		f.exitReturn(nil)
		return
	}
	if boxes {
		for i, r := range owner.res {
			f.pass(r)
			f.emit("*%s = %s", r, vals[i])
		}
		f.leaves(s)
		f.exitReturn(nil)
		return
	}
	f.emit("return %s", strings.Join(vals, ", "))
}

// leaves notes where a function with deferred calls leaves its body.
func (f *fn) leaves(s *ast.ReturnStmt) {
	for g := f; g != nil; g = g.parent {
		if g.frame != "" {
			f.pass(g.frame)
			f.emit("%s.At = %d", g.frame, f.mark(s.Pos()))
			return
		}
		if g.yield == nil {
			return
		}
	}
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
		if f.gotos {
			f.emit("_ = 0") // a bare return that several ways lead to makes the interpreter call itself for ever
		}
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
