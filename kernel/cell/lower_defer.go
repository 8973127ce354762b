package cell

import (
	"go/ast"
	"go/types"
	"strings"
)

// defer and go. The interpreter reads the arguments of defer late and can deadlock in it: testdata/lower/defer.txtar.

// frozen evaluates a call's function and arguments now and returns a func() that makes the call later.
func (f *fn) frozen(e *ast.CallExpr, what string) (thunk string, mayRecover bool) {
	fun := ast.Unparen(e.Fun)
	var name string
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := f.info.Uses[id].(*types.Builtin); ok {
			name = b.Name()
		}
	}
	if name != "" {
		return f.frozenBuiltin(name, e), false
	}
	if tv := f.info.Types[fun]; tv.IsType() {
		f.exprStmt(e)
		return f.thunk(f.name, func(c *fn) {}), false
	}
	if lit, ok := fun.(*ast.FuncLit); ok && len(e.Args) == 0 && lit.Type.Results.NumFields() == 0 {
		s := f.funcLit(lit)
		return s, f.facts.of(lit.Body).recovers
	}
	c := f.callee(fun, e)
	args := f.args(c, e)
	for i, a := range args {
		if !isLiteral(a) {
			if _, ok := f.extra[a]; !ok {
				t := f.argType(c, i, e)
				args[i] = f.temp(a, t)
			}
		}
	}
	line := f.u.c.mark(e.Pos(), e.Lparen, f.name, f.goName.String())
	th := f.thunk(f.name, func(k *fn) {
		saved, savedLn := f.lines, f.lastLn
		f.lines = nil
		s := ""
		if c.direct == "" {
			s = c.write(args, e.Ellipsis.IsValid())
		}
		k.lines = f.lines
		f.lines, f.lastLn = saved, savedLn
		k.at(line)
		if c.direct == "" {
			k.emit("%s", s)
		} else {
			k.directLast(c, args)
		}
		for _, w := range words(strings.Join(k.lines, "\n")) {
			if _, ok := f.extra[w]; ok {
				k.pass(w)
			} else if f.holds(w) {
				k.pass(w)
			}
		}
	})
	return th, c.recover
}

func (f *fn) holds(name string) bool {
	for g := f; g != nil; g = g.parent {
		for _, b := range g.vars {
			if b.name == name {
				return true
			}
		}
		if _, ok := g.extra[name]; ok {
			return true
		}
	}
	return false
}

// words lists the identifiers in emitted text, without those after a dot.
func words(s string) []string {
	var out []string
	start := -1
	inString := false
	for i := 0; i <= len(s); i++ {
		var c byte
		if i < len(s) {
			c = s[i]
		}
		if inString {
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
			continue
		}
		ok := c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		switch {
		case ok && start < 0:
			start = i
		case !ok && start >= 0:
			if start == 0 || s[start-1] != '.' {
				out = append(out, s[start:i])
			}
			start = -1
		}
		if c == '"' {
			inString = true
		}
	}
	return out
}

func (f *fn) argType(c *callee, i int, e *ast.CallExpr) types.Type {
	params := c.sig.Params()
	n := params.Len()
	if c.sig.Variadic() && !c.packs && !e.Ellipsis.IsValid() && i >= n-1 {
		t := f.sub.typ(params.At(n - 1).Type()).(*types.Slice).Elem()
		return t
	}
	return f.sub.typ(params.At(i).Type())
}

func (f *fn) goStmt(s *ast.GoStmt) {
	th, _ := f.frozen(s.Call, "go")
	t := f.temp(th, types.NewSignatureType(nil, nil, nil, nil, nil, false))
	f.emit("h.Go(%d, %s)", f.mark(s.Pos()), t)
}

func (f *fn) deferStmt(s *ast.DeferStmt) {
	th, rec := f.frozen(s.Call, "defer")
	t := f.temp(th, types.NewSignatureType(nil, nil, nil, nil, nil, false))
	frame := ""
	for g := f; g != nil; g = g.parent {
		if g.frame != "" {
			frame = g.frame
			break
		}
	}
	if frame == "" {
		panic(&refusedError{s.Pos(), "internal: defer without a frame"})
	}
	f.pass(frame)
	f.emit("%s.Defer(%s, %v)", frame, t, rec)
}
