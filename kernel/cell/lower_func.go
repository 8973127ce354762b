package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// Whole functions, their results and what they defer: testdata/lower/defer.txtar, closure.txtar.

func results(f *fn, sig *types.Signature) string {
	var out []string
	for i := range sig.Results().Len() {
		out = append(out, f.text(f.sub.typ(sig.Results().At(i).Type())))
	}
	switch len(out) {
	case 0:
		return ""
	case 1:
		return " " + out[0]
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// function lowers a declared function or method (recv != nil) under the name given.
func (u *unit) function(name, shown string, sig *types.Signature, recv *types.Var, body *ast.BlockStmt, info *types.Info, sub *subst) {
	u.functionNamed(name, shown, "main."+shown, sig, recv, body, info, sub)
}

// functionNamed is function of one that package runtime calls goName.
func (u *unit) functionNamed(name, shown, goName string, sig *types.Signature, recv *types.Var, body *ast.BlockStmt, info *types.Info, sub *subst) {
	f := &fn{u: u, info: info, sub: sub, name: shown, goName: newGoName(goName), vars: map[*types.Var]*binding{}, extra: map[string]string{}, frees: map[string]bool{}, unsigned: map[string]string{}}
	f.facts = analyse(info, body, sub, u.c.isGlobal, u.instruments(body.Lbrace))
	f.debugEnter(shown, body.Lbrace, false)
	var params []*types.Var
	if recv != nil {
		params = append(params, recv)
	}
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i))
	}
	if f.dbg != nil {
		for _, v := range params {
			f.facts.boxed[v] = true
		}
	}
	ps := f.params(params)
	f.functionBody(sig, body)
	fmt.Fprintf(&u.out, "func %s(%s)%s {\n%s\n}\n", name, strings.Join(ps, ", "), results(f, sig), f.code())
}

// code is the body's text. Every function keeps the place of its last risky operation in a variable of its own: the
// calls under way at a panic each have theirs, in whatever goroutine, and the session reads them from the interpreter's
// frames. Functions in which nothing risky happens have none.
func (f *fn) code() string {
	s := strings.Join(f.lines, "\n")
	if !f.lined {
		return s
	}
	// Where the first place is met on every way into the function it also declares the variable: a call that returns
	// before it costs less.
	if i := strings.Index(s, "ln_ = "); !strings.Contains(s, "goto ") && depth(s[:i]) == 0 {
		return s[:i] + "var ln_ line_ = " + s[i+len("ln_ = "):]
	}
	return "var ln_ line_\n" + s
}

// depth counts the braces of emitted code that are still open.
func depth(s string) (n int) {
	inString := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			n++
		case c == '}':
			n--
		}
	}
	return n
}

// params binds parameters and returns their text; a variadic one is a slice here.
func (f *fn) params(vars []*types.Var) []string {
	var ps []string
	for _, v := range vars {
		t := f.sub.typ(v.Type())
		txt := f.text(t)
		if v.Name() == "" || v.Name() == "_" {
			ps = append(ps, f.u.uniq("q")+" "+txt)
			continue
		}
		if f.facts.boxed[v] {
			p := f.u.uniq("q")
			ps = append(ps, p+" "+txt)
			f.extra[p] = txt
			f.bind(v, p)
			continue
		}
		b := &binding{name: f.u.uniq(sane(v.Name()) + "_"), typ: t, text: txt}
		f.vars[v] = b
		ps = append(ps, b.name+" "+txt)
	}
	return ps
}

// functionBody lowers a whole body with its results, defers and recover.
func (f *fn) functionBody(sig *types.Signature, body *ast.BlockStmt) {
	f.sig = sig
	fact := f.facts.of(body)
	f.gotos = fact.gotos
	res := sig.Results()
	isNamed := res.Len() > 0 && res.At(0).Name() != ""
	f.named = nil
	if fact.defers || fact.yieldReturn || f.dbg != nil {
		for i := range res.Len() {
			f.facts.boxed[res.At(i)] = true
		}
	}
	if fact.recovers {
		f.token = f.u.uniq("t")
		f.emit("%s := h.Enter()", f.token)
		f.extra[f.token] = "h.Token"
	}
	if isNamed {
		for i := range res.Len() {
			v := res.At(i)
			if v.Name() == "_" {
				v = types.NewVar(v.Pos(), v.Pkg(), "_", v.Type())
				f.facts.boxed[v] = f.facts.boxed[res.At(i)]
			}
			f.bind(v, "")
			f.named = append(f.named, v)
		}
	}
	if !fact.defers && !fact.yieldReturn && f.dbg == nil {
		f.block(body.List)
		if isNamed || res.Len() == 0 {
			f.finish(body, isNamed)
		} else {
			f.terminate(body)
		}
		return
	}
	// Results live in boxes, because the body (or the body of a range-over-func loop) is a closure.
	for i := range res.Len() {
		txt := f.text(f.sub.typ(res.At(i).Type()))
		r := f.u.uniq("t")
		f.emit("%s := new(%s)", r, txt)
		f.extra[r] = "*" + txt
		f.res = append(f.res, r)
	}
	if !fact.defers && f.dbg == nil {
		f.block(body.List)
		f.leave(body, isNamed)
		return
	}
	if fact.defers {
		f.frame = f.u.uniq("t")
		f.emit("%s := h.NewFrame()", f.frame)
		f.emit("%s.At = %d", f.frame, f.mark(body.Rbrace))
		f.extra[f.frame] = "*h.Frame"
	}
	c := f.child(f.name)
	c.sig, c.res, c.named, c.frame, c.token, c.body, c.gotos = sig, f.res, f.named, f.frame, f.token, true, f.gotos
	c.block(body.List)
	f.runBody(f.maker(c, nil, ""))
	if isNamed {
		var rs []string
		for _, v := range f.named {
			rs = append(rs, f.vars[v].place())
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

// finish ends a body that may fall off its end.
func (f *fn) finish(body *ast.BlockStmt, named bool) {
	if !named {
		return
	}
	var rs []string
	for _, v := range f.named {
		rs = append(rs, f.ref(v).place())
	}
	f.emit("return %s", strings.Join(rs, ", "))
}

// terminate ends a body with unnamed results: it never gets here, but the emitted loops may hide that.
func (f *fn) terminate(body *ast.BlockStmt) {
	var rs []string
	for i := range f.sig.Results().Len() {
		rs = append(rs, f.zero(f.sub.typ(f.sig.Results().At(i).Type())))
	}
	f.emit("return %s", strings.Join(rs, ", "))
}

func (f *fn) leave(body *ast.BlockStmt, named bool) {
	if named {
		f.finish(body, true)
		return
	}
	var rs []string
	for _, r := range f.res {
		rs = append(rs, "*"+r)
	}
	f.emit("return %s", strings.Join(rs, ", "))
}
