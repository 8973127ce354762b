package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// range. The interpreter shares the variables among iterations and knows neither integers nor functions:
// testdata/lower/range.txtar, rangefunc.txtar.

// rangeStmt lowers every form of range to plain loops. The interpreter's own range shares variables between
// iterations, does not know integers and functions, and forgets the assigning form.
func (f *fn) rangeStmt(s *ast.RangeStmt, label string) {
	xt := f.typOr(s.X)
	switch u := coreOf(xt).(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			f.rangeString(s, label, xt)
			return
		}
		f.rangeInt(s, label)
	case *types.Slice:
		xs := f.hold(f.under(f.expr(s.X), xt), xt.Underlying())
		if _, ok := f.extra[xs]; !ok {
			xs = f.temp(xs, xt.Underlying())
		}
		f.rangeIndexed(s, label, "len("+xs+")", func(i string) string { return xs + "[" + i + "]" }, u.Elem())
	case *types.Array:
		n := fmt.Sprint(u.Len())
		if s.Value == nil || isBlank(s.Value) {
			if calls(s.X) {
				f.place(s.X)
			}
			f.rangeIndexed(s, label, n, nil, u.Elem())
			return
		}
		xs := f.temp(f.expr(s.X), xt)
		f.rangeIndexed(s, label, n, func(i string) string { return xs + "[" + i + "]" }, u.Elem())
	case *types.Pointer:
		a := u.Elem().Underlying().(*types.Array)
		p := ""
		if s.Value != nil && !isBlank(s.Value) || calls(s.X) {
			p = f.arrayOperand(f.under(f.expr(s.X), xt), xt.Underlying())
		}
		f.rangeIndexed(s, label, fmt.Sprint(a.Len()), func(i string) string {
			f.nilCheck(p, s.Pos())
			return p + "[" + i + "]"
		}, a.Elem())
	case *types.Map:
		f.rangeMap(s, label, xt, u)
	case *types.Chan:
		f.rangeChan(s, label, xt, u)
	case *types.Signature:
		f.rangeFunc(s, label, xt, u)
	default:
		panic(&refusedError{s.Pos(), fmt.Sprintf("range over %v is not supported in cells", xt)})
	}
}

// setVars assigns this iteration's values to the loop's variables.
func (f *fn) setVars(s *ast.RangeStmt, exprs []ast.Expr, vals []string, ts []types.Type) {
	var stores []func()
	for i, e := range exprs {
		if e == nil || isBlank(e) || vals[i] == "" {
			continue
		}
		if s.Tok == token.DEFINE {
			v := f.info.Defs[e.(*ast.Ident)].(*types.Var)
			f.declare(v, f.coerce(vals[i], ts[i], f.sub.typ(v.Type())))
			continue
		}
		val := f.hold(vals[i], ts[i])
		f.snap = true
		lv := f.lvalue(e)
		f.snap = false
		stores = append(stores, func() { lv.store(f.coerce(val, ts[i], f.typ(e))) })
	}
	for _, st := range stores {
		st()
	}
}

// rangeBody lowers the body with its loop as target.
func (f *fn) rangeBody(s *ast.RangeStmt, t *target, set func()) []string {
	return f.capture(func() {
		f.hookAt(s.Pos())
		set()
		f.block(s.Body.List)
	})
}

func (f *fn) rangeIndexed(s *ast.RangeStmt, label, n string, elem func(i string) string, et types.Type) {
	i := f.u.uniq("t")
	f.emit("%s := 0", i)
	f.extra[i] = "int"
	if strings.HasPrefix(n, "len(") {
		l := f.u.uniq("t")
		f.emit("%s := %s", l, n)
		f.extra[l] = "int"
		n = l
	}
	t := f.push(label, true, true)
	body := f.rangeBody(s, t, func() {
		val := ""
		if s.Value != nil && !isBlank(s.Value) {
			val = elem(i)
		}
		f.setVars(s, []ast.Expr{s.Key, s.Value}, []string{i, val}, []types.Type{types.Typ[types.Int], et})
	})
	f.pop()
	f.loop(t, fmt.Sprintf("for ; %s < %s; %s = %s + 1", i, n, i, i), body)
}

func (f *fn) rangeInt(s *ast.RangeStmt, label string) {
	t := f.typOr(s.X)
	if s.Key != nil && !isBlank(s.Key) {
		if s.Tok == token.DEFINE {
			t = f.sub.typ(f.info.Defs[s.Key.(*ast.Ident)].Type())
		} else {
			t = f.typ(s.Key)
		}
	}
	n := f.temp(f.under(f.assignable(s.X, t), t), t.Underlying())
	i := f.temp(f.literal(zeroConst, t.Underlying()), t.Underlying())
	one := f.one(t.Underlying())
	tg := f.push(label, true, true)
	body := f.rangeBody(s, tg, func() {
		f.setVars(s, []ast.Expr{s.Key}, []string{i}, []types.Type{t})
	})
	f.pop()
	f.loop(tg, fmt.Sprintf("for ; %s < %s; %s = %s + %s", i, n, i, i, one), body)
}

func (f *fn) rangeString(s *ast.RangeStmt, label string, xt types.Type) {
	str := f.temp(f.under(f.assignable(s.X, xt), xt), xt.Underlying())
	at, rs := f.u.uniq("t"), f.u.uniq("t")
	f.emit("%s, %s := h.Runes(string(%s))", at, rs, str)
	f.extra[at], f.extra[rs] = "[]int", "[]int32"
	i := f.temp("0", types.Typ[types.Int])
	t := f.push(label, true, true)
	body := f.rangeBody(s, t, func() {
		f.setVars(s, []ast.Expr{s.Key, s.Value}, []string{at + "[" + i + "]", rs + "[" + i + "]"},
			[]types.Type{types.Typ[types.Int], types.Typ[types.Int32]})
	})
	f.pop()
	f.loop(t, fmt.Sprintf("for ; %s < len(%s); %s = %s + 1", i, at, i, i), body)
}

func (f *fn) rangeMap(s *ast.RangeStmt, label string, xt types.Type, u *types.Map) {
	m := f.temp(f.under(f.expr(s.X), xt), xt.Underlying())
	ks, vs, others := f.u.uniq("t"), "", ""
	if b, ok := u.Key().Underlying().(*types.Basic); ok && b.Info()&(types.IsFloat|types.IsComplex) != 0 {
		vs = f.u.uniq("t")
		f.emit("%s, %s := %s(%s)", ks, vs, f.h().entries(xt.Underlying()), m)
		f.extra[vs] = "[]" + f.text(u.Elem())
	} else {
		others = f.u.uniq("t")
		f.emit("%s, %s := %s(%s)", ks, others, f.h().keys(xt.Underlying()), m)
		f.extra[others] = "func() []" + f.text(u.Key())
	}
	f.extra[ks] = "[]" + f.text(u.Key())
	i := f.temp("0", types.Typ[types.Int])
	t := f.push(label, true, true)
	body := f.rangeBody(s, t, func() {
		if others != "" {
			f.emit("if %s == 1 {\n%s = %s()\nif len(%s) < 2 {\nbreak\n}\n}", i, ks, others, ks)
		}
		k := f.temp(ks+"["+i+"]", u.Key())
		v, ok := f.u.uniq("t"), f.u.uniq("t")
		f.emit("%s, %s := %s[%s]", v, ok, m, k)
		f.extra[v], f.extra[ok] = f.text(u.Elem()), "bool"
		// an entry deleted meanwhile is not visited (a NaN key cannot be looked up, but cannot be deleted either)
		if vs != "" {
			f.emit("if !%s {\nif %s != %s {\nif len(%s) > 0 {\n%s = %s[%s]\n%s = true\n}\n}\n}", ok, k, k, m, v, vs, i, ok)
		}
		f.emit("if !%s {\ncontinue\n}", ok)
		f.setVars(s, []ast.Expr{s.Key, s.Value}, []string{k, v}, []types.Type{u.Key(), u.Elem()})
	})
	f.pop()
	f.loop(t, fmt.Sprintf("for ; %s < len(%s); %s = %s + 1", i, ks, i, i), body)
}

func (f *fn) rangeChan(s *ast.RangeStmt, label string, xt types.Type, u *types.Chan) {
	ch := f.temp(f.under(f.expr(s.X), xt), xt.Underlying())
	t := f.push(label, true, true)
	body := f.rangeBody(s, t, func() {
		f.line(s.Pos())
		v, ok := f.u.uniq("t"), f.u.uniq("t")
		f.emit("%s, %s := %s(%s)", v, ok, f.h().recv(f.chanType(xt)), ch)
		f.extra[v], f.extra[ok] = f.text(u.Elem()), "bool"
		f.emit("if !%s {\nbreak\n}", ok)
		f.setVars(s, []ast.Expr{s.Key}, []string{v}, []types.Type{u.Elem()})
	})
	f.pop()
	f.loop(t, "for", body)
}

// rangeFunc calls the iterator with the body as a closure. A code says how the body was left.
func (f *fn) rangeFunc(s *ast.RangeStmt, label string, xt types.Type, sig *types.Signature) {
	it := f.hold(f.under(f.expr(s.X), xt), xt.Underlying())
	y := coreOf(sig.Params().At(0).Type()).(*types.Signature)
	code := f.u.uniq("t")
	f.emit("%s := new(int)", code)
	f.extra[code] = "*int"
	c := f.child(f.name + "-range")
	c.goName = f.goName.loop()
	c.yield = &escape{code: code, loop: &target{label: label, loop: true}}
	c.sig = f.sig
	c.pass(code)
	var ps, vals []string
	var ts []types.Type
	for i := range y.Params().Len() {
		p := f.u.uniq("q")
		txt := f.text(y.Params().At(i).Type())
		ps = append(ps, p+" "+txt)
		c.extra[p] = txt
		vals, ts = append(vals, p), append(ts, y.Params().At(i).Type())
	}
	exprs := []ast.Expr{s.Key, s.Value}[:len(vals)]
	c.emit("if *%s != 0 {\nh.PanicYield(%d)\n}", code, f.mark(s.Pos()))
	c.emit("*%s = -1", code) // running: a panic in the body must not look like a finished loop
	c.hookAt(s.Pos())
	c.setVars(s, exprs, vals, ts)
	c.block(s.Body.List)
	// every way out sets the code before it returns
	lines := c.lines
	for i, l := range lines {
		lines[i] = c.settle(l, code)
	}
	c.lines = append(lines, fmt.Sprintf("*%s = 0", code), "return true")
	body := f.maker(c, ps, " bool")
	b := f.temp(body, y)
	f.line(s.Pos())
	f.emit("%s(%s)", it, b)
	f.emit("if *%s == 0 || *%s == -2 {\n*%s = -3\n}", code, code, code)
	after := func(n int, g func()) {
		lines := f.capture(g)
		f.braces(fmt.Sprintf("if *%s == %d", code, n), lines)
	}
	if strings.Contains(strings.Join(c.lines, "\n"), fmt.Sprintf("*%s = 1\n", code)) {
		after(1, func() { f.exitReturn(nil) })
	}
	for _, x := range c.yield.exits {
		after(x.code, func() { x.emit(f) })
	}
}

// settle rewrites the ways out of a loop body: continue leaves the code at 0, break at -2 (no further call allowed).
func (c *fn) settle(line, code string) string {
	switch line {
	case "return true":
		return fmt.Sprintf("*%s = 0\nreturn true", code)
	case "return false":
		return fmt.Sprintf("if *%s == -1 {\n*%s = -2\n}\nreturn false", code, code)
	}
	return line
}
