package cell

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// Expressions. && and || go wrong in the interpreter's nested conditions: testdata/lower/control.txtar.

// expr lowers e to an operand; what must happen first is emitted.
func (f *fn) expr(e ast.Expr) string {
	e = ast.Unparen(e)
	if tv, ok := f.info.Types[e]; ok && tv.Value != nil {
		t := f.sub.typ(tv.Type)
		if _, ok := t.Underlying().(*types.Basic); ok {
			return f.literal(tv.Value, t)
		}
	}
	switch e := e.(type) {
	case *ast.Ident:
		return f.ident(e)
	case *ast.BasicLit:
		return f.literal(f.info.Types[e].Value, f.typ(e))
	case *ast.FuncLit:
		return f.funcLit(e)
	case *ast.CompositeLit:
		return f.composite(e, f.typ(e))
	case *ast.SelectorExpr:
		return f.selector(e)
	case *ast.IndexExpr:
		if _, ok := f.instanceOf(e); ok {
			return f.funcValue(e)
		}
		return f.indexExpr(e)
	case *ast.IndexListExpr:
		return f.funcValue(e)
	case *ast.SliceExpr:
		return f.sliceExpr(e)
	case *ast.StarExpr:
		return f.place(e)
	case *ast.UnaryExpr:
		return f.unary(e)
	case *ast.BinaryExpr:
		return f.binary(e)
	case *ast.CallExpr:
		return f.call(e, false)
	case *ast.TypeAssertExpr:
		return f.typeAssert(e)
	}
	panic(&refusedError{e.Pos(), fmt.Sprintf("this kind of expression (%T) is not supported in cells", e)})
}

// list lowers operands in order. Calls and receives among them have been put into temporaries by then; what remains
// are loads, which Go's own compiler too makes after all calls.
func (f *fn) list(n int, one func(i int) string, typ func(i int) types.Type) []string {
	out := make([]string, n)
	for i := range n {
		out[i] = one(i)
	}
	return out
}

func (f *fn) ident(e *ast.Ident) string {
	switch o := f.object(e).(type) {
	case *types.Var:
		return f.variable(o, e)
	case *types.Func:
		return f.funcValue(e)
	case *types.Nil:
		return "nil"
	case *types.Const:
		return f.literal(o.Val(), f.sub.typ(o.Type()))
	}
	panic(&refusedError{e.Pos(), "internal: identifier " + e.Name})
}

func (f *fn) selector(e *ast.SelectorExpr) string {
	s := f.info.Selections[e]
	if s == nil { // package member
		switch o := f.info.Uses[e.Sel].(type) {
		case *types.Var:
			sym, ok := f.u.c.symbol(o.Pkg(), o.Name())
			if !ok {
				panic(&refusedError{e.Pos(), fmt.Sprintf("%s.%s is not available in cells", o.Pkg().Name(), o.Name())})
			}
			_ = sym
			return "(*" + f.temp(f.compiledVar(o)+"()", types.NewPointer(o.Type())) + ")"
		case *types.Func:
			return f.funcValue(e)
		case *types.Const:
			return f.literal(o.Val(), f.sub.typ(o.Type()))
		}
		panic(&refusedError{e.Pos(), "internal: package member " + e.Sel.Name})
	}
	switch s.Kind() {
	case types.FieldVal:
		return f.fieldPath(e, s)
	case types.MethodVal:
		return f.methodValue(e, s)
	}
	return f.methodExpr(e, s)
}

func (f *fn) indexExpr(e *ast.IndexExpr) string {
	xt := f.typ(e.X)
	switch u := coreOf(xt).(type) {
	case *types.Map:
		ops := f.list(2, func(i int) string {
			if i == 0 {
				return f.atom(f.under(f.expr(e.X), xt), xt.Underlying())
			}
			return f.hold(f.assignable(e.Index, u.Key()), u.Key())
		}, nil)
		f.hashable(ops[1], u.Key(), e.Pos())
		return ops[0] + "[" + ops[1] + "]"
	case *types.Basic: // string
		s := f.atom(f.under(f.expr(e.X), xt), xt)
		i := f.index(e.Index)
		f.boundsCheck(i, "len("+s+")", e.Index, e.Pos(), -1)
		return s + "[" + i + "]"
	}
	return f.place(e)
}

func (f *fn) sliceExpr(e *ast.SliceExpr) string {
	xt := f.typ(e.X)
	var x, capText, lenText string
	kind := "slice"
	switch u := coreOf(xt).(type) {
	case *types.Slice:
		x = f.atom(f.under(f.expr(e.X), xt), xt.Underlying())
		capText, lenText = "cap("+x+")", "len("+x+")"
	case *types.Array:
		x = direct(f.place(e.X))
		capText = fmt.Sprint(u.Len())
		lenText, kind = capText, "array"
	case *types.Pointer:
		x = f.arrayOperand(f.under(f.expr(e.X), xt), xt.Underlying())
		f.nilCheck(x, e.Pos())
		capText = fmt.Sprint(u.Elem().Underlying().(*types.Array).Len())
		lenText, kind = capText, "array"
	default:
		x = f.atom(f.under(f.expr(e.X), xt), xt)
		capText, lenText, kind = "len("+x+")", "len("+x+")", "string"
	}
	lo, hi, max := "0", lenText, ""
	if e.Low != nil {
		lo = f.index(e.Low)
	}
	if e.High != nil {
		hi = f.index(e.High)
	}
	if e.Max != nil {
		max = f.index(e.Max)
	}
	if e.Low != nil || e.High != nil || e.Max != nil {
		m := f.mark(e.Pos())
		unsigned := 0 // which bounds to report as unsigned numbers
		for i, b := range []string{lo, hi, max} {
			if f.unsigned[b] != "" {
				unsigned |= 1 << i
			}
		}
		if max != "" {
			f.emit("if %s < 0 || %s < %s || %s < %s || %s > %s {\nh.PanicSlice3(%d, %s, %s, %s, %s, %q, %d)\n}", lo, hi, lo, max, hi, max, capText, m, lo, hi, max, capText, kind, unsigned)
		} else {
			f.emit("if %s < 0 || %s < %s || %s > %s {\nh.PanicSlice(%d, %s, %s, %s, %q, %d)\n}", lo, hi, lo, hi, capText, m, lo, hi, capText, kind, unsigned)
		}
	}
	l, hh := "", ""
	if e.Low != nil {
		l = lo
	}
	if e.High != nil {
		hh = hi
	}
	if kind == "array" && l == "" && hh == "" {
		l = "0"
	}
	s := x + "[" + l + ":" + hh
	if max != "" {
		s += ":" + max
	}
	return s + "]"
}

func (f *fn) unary(e *ast.UnaryExpr) string {
	switch e.Op {
	case token.AND:
		return f.addressOf(e.X)
	case token.ARROW:
		v, _ := f.receive(e)
		return v
	}
	t := f.typ(e)
	x := f.under(f.assignable(e.X, t), t)
	switch e.Op {
	case token.ADD:
		return x
	case token.NOT:
		return "!" + paren(x)
	case token.XOR:
		b := t.Underlying().(*types.Basic)
		if b.Info()&types.IsUnsigned != 0 {
			// x ^ all ones
			return "(" + paren(x) + " ^ " + f.literal(allOnes(b.Kind()), t) + ")"
		}
		return "(-1 - " + paren(x) + ")"
	case token.SUB:
		b := t.Underlying().(*types.Basic)
		if b.Info()&types.IsInteger != 0 {
			return "(" + f.literal(constant.MakeInt64(0), t) + " - " + paren(x) + ")"
		}
		if b.Info()&types.IsComplex != 0 {
			return "(" + f.literal(constant.MakeInt64(-1), t) + " * " + paren(x) + ")"
		}
		return "(-" + paren(x) + ")"
	}
	panic(&refusedError{e.Pos(), "unary operator " + e.Op.String() + " is not supported in cells"})
}

func allOnes(k types.BasicKind) constant.Value {
	bits := map[types.BasicKind]uint{types.Uint8: 8, types.Uint16: 16, types.Uint32: 32, types.Uint64: 64, types.Uint: 64, types.Uintptr: 64}[k]
	return constant.MakeUint64(^uint64(0) >> (64 - bits))
}

func paren(s string) string {
	if isAtom(s) || strings.HasPrefix(s, "(") && closes(s) {
		return s
	}
	return "(" + s + ")"
}

// closes reports whether the parenthesis opened at the start of s ends at its end.
func closes(s string) bool {
	depth := 0
	inString := false
	for i := 0; i < len(s); i++ {
		switch {
		case inString:
			if s[i] == '\\' {
				i++
			} else if s[i] == '"' {
				inString = false
			}
		case s[i] == '"':
			inString = true
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth--
			if depth == 0 && i < len(s)-1 {
				return false
			}
		}
	}
	return true
}

// receive lowers <-ch to its value and ok.
func (f *fn) receive(e *ast.UnaryExpr) (string, string) {
	ct := f.typ(e.X)
	ch := f.atom(f.under(f.expr(e.X), ct), ct.Underlying())
	f.line(e.Pos())
	el := coreOf(ct).(*types.Chan).Elem()
	v, ok := f.u.uniq("t"), f.u.uniq("t")
	f.emit("%s, %s := %s(%s)", v, ok, f.h().recv(f.chanType(ct)), ch)
	f.extra[v], f.extra[ok], f.u.loose[v] = f.text(el), "bool", true
	return v, ok
}

func (f *fn) binary(e *ast.BinaryExpr) string {
	switch e.Op {
	case token.LAND, token.LOR:
		t := f.typ(e)
		bt := types.Default(t)
		x := f.under(f.expr(e.X), bt)
		var y string
		// The interpreter's own && and || go wrong in nested conditions.
		pre := f.capture(func() { y = f.under(f.expr(e.Y), bt) })
		r := f.u.uniq("t")
		f.emit("%s := %s", r, x)
		f.extra[r] = f.text(bt)
		cond := r
		if e.Op == token.LOR {
			cond = "!" + r
		}
		f.braces("if "+cond, append(pre, r+" = "+y))
		return r
	case token.EQL, token.NEQ:
		return f.compare(e)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		t := f.operandType(e)
		ops := f.list(2, func(i int) string {
			if i == 0 {
				return f.under(f.assignable(e.X, t), t)
			}
			return f.under(f.assignable(e.Y, t), t)
		}, func(int) types.Type { return t })
		return "(" + paren(ops[0]) + " " + e.Op.String() + " " + paren(ops[1]) + ")"
	case token.SHL, token.SHR:
		t := f.typ(e)
		if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			t = types.Default(t)
		}
		x := f.under(f.assignable(e.X, t), t)
		if f.info.Types[e.X].Value != nil {
			x = f.temp(x, t)
		}
		y := f.shiftCount(e.Y)
		return f.arith(e.Op, x, y, t, e.OpPos)
	}
	t := types.Default(f.typ(e))
	ops := f.list(2, func(i int) string {
		if i == 0 {
			return f.under(f.assignable(e.X, t), t)
		}
		return f.under(f.assignable(e.Y, t), t)
	}, func(int) types.Type { return t })
	return f.arith(e.Op, ops[0], ops[1], t, e.OpPos)
}

// shiftCount is the right operand of a shift as an unsigned operand; a negative one panics.
func (f *fn) shiftCount(e ast.Expr) string {
	tv := f.info.Types[e]
	if tv.Value != nil {
		v := constant.ToInt(tv.Value)
		if n, ok := constant.Uint64Val(v); ok && n < 1<<20 {
			return fmt.Sprintf("uint64(%d)", n)
		}
		return "uint64(1048576)"
	}
	t := f.typ(e)
	b := types.Default(t).Underlying().(*types.Basic)
	s := f.under(f.expr(e), t)
	if b.Info()&types.IsUnsigned == 0 {
		s = f.atom(s, types.Default(t))
		f.emit("if %s < 0 {\nh.PanicShift(%d)\n}", s, f.mark(e.Pos()))
	}
	return "uint64(" + s + ")"
}

// arith writes x op y of type t.
func (f *fn) arith(op token.Token, x, y string, t types.Type, pos token.Pos) string {
	b, _ := t.Underlying().(*types.Basic)
	if b != nil && b.Info()&types.IsInteger != 0 {
		switch op {
		case token.OR: // the interpreter reads *p | x as a union of types
			if strings.Contains(x, "*") {
				x = "(" + x + " + " + f.text(t) + "(0))"
			}
			if strings.Contains(y, "*") {
				y = "(" + y + " + " + f.text(t) + "(0))"
			}
		case token.QUO, token.REM:
			if !isLiteral(y) {
				y = f.atom(y, t)
				f.emit("if %s == 0 {\nh.PanicDivide(%d)\n}", y, f.mark(pos))
			}
		case token.SHL:
			// The interpreter shifts in 64 bits; keep the type by converting the result.
			return f.text(t) + "(" + paren(x) + " << " + y + ")"
		case token.SHR:
			return f.text(t) + "(" + paren(x) + " >> " + y + ")"
		case token.AND_NOT:
			return "(" + paren(x) + " &^ " + paren(y) + ")"
		}
	}
	if b != nil && b.Info()&types.IsString != 0 && op == token.ADD && (isAtom(x) || strings.HasPrefix(x, "(*") && isAtom(strings.Trim(x, "(*)"))) {
		// A string that doubles soon is one that the runtime would end the process for.
		f.emit("if len(%s) > 16777216 {\nh.CheckString(%d, len(%s), len(%s))\n}", x, f.mark(pos), x, y)
	}
	if b != nil && b.Kind() == types.Complex64 && (op == token.MUL || op == token.QUO) || b != nil && b.Kind() == types.Complex128 && op == token.QUO {
		return f.text(t) + "(h.Complex" + map[token.Token]string{token.MUL: "Mul", token.QUO: "Quo"}[op] + fmt.Sprint(f.u.c.reps.of(t).Rep.Bits()) + "(" + x + ", " + y + "))"
	}
	return "(" + paren(x) + " " + op.String() + " " + paren(y) + ")"
}

// operandType is the type both operands of a comparison are converted to.
func (f *fn) operandType(e *ast.BinaryExpr) types.Type {
	xt, yt := f.typ(e.X), f.typ(e.Y)
	untyped := func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok && b.Info()&types.IsUntyped != 0
	}
	switch {
	case untyped(xt) && untyped(yt):
		if f.info.Types[e.X].IsNil() {
			return types.Default(yt)
		}
		d := types.Default(xt)
		if b, ok := yt.(*types.Basic); ok && b.Kind() == types.UntypedFloat {
			return types.Default(yt)
		}
		return d
	case untyped(xt):
		return yt
	case untyped(yt):
		return xt
	case isInterface(xt) && !isInterface(yt):
		return xt
	case isInterface(yt) && !isInterface(xt):
		return yt
	case isInterface(xt) && isInterface(yt):
		if types.AssignableTo(yt, xt) {
			return xt
		}
		return yt
	}
	if types.AssignableTo(yt, xt) {
		return xt
	}
	return yt
}

func (f *fn) isNil(e ast.Expr) bool {
	e = ast.Unparen(e)
	if f.info.Types[e].IsNil() {
		return true
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = f.object(id).(*types.Nil)
	return ok
}

func (f *fn) compare(e *ast.BinaryExpr) string {
	x, y := e.X, e.Y
	if f.isNil(x) {
		x, y = y, x
	}
	op := " " + e.Op.String() + " "
	if f.isNil(y) {
		t := f.typ(x)
		s := f.expr(x)
		if f.rolled(t) {
			s = "h.IsNil(" + s + ")"
			if e.Op == token.NEQ {
				return "!" + s
			}
			return s
		}
		if !isAtom(s) {
			s = f.temp(s, t)
		}
		return "(" + s + op + "nil)"
	}
	t := f.operandType(e)
	ops := f.list(2, func(i int) string {
		if i == 0 {
			return f.assignable(e.X, t)
		}
		return f.assignable(e.Y, t)
	}, func(int) types.Type { return t })
	return f.equal(ops[0], ops[1], t, e.Op, e.OpPos)
}

// equal compares two operands of type t.
func (f *fn) equal(x, y string, t types.Type, op token.Token, pos token.Pos) string {
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Pointer:
		return "(" + paren(f.under(x, t)) + " " + op.String() + " " + paren(f.under(y, t)) + ")"
	default:
		_ = u
		if isInterface(t) {
			f.line(pos)
		}
		s := f.h().equal(t) + "(" + x + ", " + y + ")"
		if op == token.NEQ {
			return "!" + s
		}
		return s
	}
}

func (f *fn) typeAssert(e *ast.TypeAssertExpr) string {
	to := f.typ(e)
	if tup, ok := to.(*types.Tuple); ok {
		to = tup.At(0).Type()
	}
	x, xt := f.asAny(e.X)
	f.line(e.Pos())
	if isInterface(to) {
		return f.h().assertInterface(to, xt, false) + "(" + x + ")"
	}
	return f.h().assert(to, xt, false) + "(" + x + ")"
}

// asAny lowers an operand of interface type to its interface{} form.
func (f *fn) asAny(e ast.Expr) (string, types.Type) {
	xt := f.typ(e)
	s := f.expr(e)
	if f.u.c.reps.nativeInterface(xt) {
		s = f.h().fromNative(xt) + "(" + s + ")"
	}
	return s, xt
}

// multi lowers an expression that yields n values (a call, or a comma-ok form).
func (f *fn) multi(e ast.Expr, n int) ([]string, []types.Type) {
	e = ast.Unparen(e)
	names := func(ts ...types.Type) []string {
		var out []string
		for _, t := range ts {
			v := f.u.uniq("t")
			f.extra[v], f.u.loose[v] = f.text(t), true
			out = append(out, v)
		}
		return out
	}
	boolT := types.Typ[types.Bool]
	switch e := e.(type) {
	case *ast.CallExpr:
		tup := f.typ(e).(*types.Tuple)
		var ts []types.Type
		for i := range tup.Len() {
			ts = append(ts, tup.At(i).Type())
		}
		s := f.call(e, false)
		vs := names(ts...)
		f.emit("%s := %s", strings.Join(vs, ", "), s)
		return vs, ts
	case *ast.IndexExpr:
		xt := f.typ(e.X)
		m := coreOf(xt).(*types.Map)
		ms := f.atom(f.under(f.expr(e.X), xt), xt.Underlying())
		k := f.hold(f.assignable(e.Index, m.Key()), m.Key())
		f.hashable(k, m.Key(), e.Pos())
		vs := names(m.Elem(), boolT)
		f.emit("%s, %s := %s[%s]", vs[0], vs[1], ms, k)
		return vs, []types.Type{m.Elem(), boolT}
	case *ast.TypeAssertExpr:
		to := f.typ(e)
		if tup, ok := to.(*types.Tuple); ok {
			to = f.sub.typ(tup.At(0).Type())
		}
		x, xt := f.asAny(e.X)
		vs := names(to, boolT)
		h := ""
		if isInterface(to) {
			h = f.h().assertInterface(to, xt, true)
		} else {
			h = f.h().assert(to, xt, true)
		}
		f.emit("%s, %s := %s(%s)", vs[0], vs[1], h, x)
		return vs, []types.Type{to, boolT}
	case *ast.UnaryExpr:
		v, ok := f.receive(e)
		return []string{v, ok}, []types.Type{coreOf(f.typ(e.X)).(*types.Chan).Elem(), boolT}
	}
	panic(&refusedError{e.Pos(), fmt.Sprintf("internal: %T yields %d values", e, n)})
}
