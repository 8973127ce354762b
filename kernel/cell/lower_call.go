package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strings"

	"example.org/godp/kernel/cell/rt"
)

// Calls. The interpreter turns -0 into 0 as an argument: testdata/lower/zero.txtar.

// callee is what a call calls, with everything of it that is evaluated before the arguments.
type callee struct {
	sig       *types.Signature
	write     func(args []string, spread bool) string
	packs     bool   // a variadic parameter is one slice argument in the emitted call
	raw       bool   // arguments for interface{} parameters go as bare representations
	names     bool   // functions for interface{} parameters go with the names of their parameters
	recover   bool   // may call recover itself
	direct    string // the emitted function, when write is just a call of it with lead and the arguments
	lead      []string
	leadTypes []types.Type
	name      string // for traces
}

// call lowers a call to an operand (for several results: to the text of the call). stmt: the value is not used.
func (f *fn) call(e *ast.CallExpr, stmt bool) string {
	fun := ast.Unparen(e.Fun)
	if tv := f.info.Types[fun]; tv.IsType() {
		return f.convert(e.Args[0], f.sub.typ(tv.Type))
	}
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := f.info.Uses[id].(*types.Builtin); ok {
			return f.builtin(b.Name(), e, stmt)
		}
	}
	if se, ok := fun.(*ast.SelectorExpr); ok {
		if b, ok := f.info.Uses[se.Sel].(*types.Builtin); ok {
			return f.builtin(b.Name(), e, stmt)
		}
	}
	c := f.callee(fun, e)
	args := f.args(c, e)
	f.callLine(e)
	if s, ok := f.callDirect(c, args, stmt); ok {
		return s
	}
	s := c.write(args, e.Ellipsis.IsValid())
	if stmt {
		return s
	}
	if c.sig.Results().Len() == 1 {
		// A call is run where it stands; what follows may have statements of its own.
		return f.temp(s, f.sub.typ(c.sig.Results().At(0).Type()))
	}
	return s
}

// args lowers the arguments and converts them to the parameters.
func (f *fn) args(c *callee, e *ast.CallExpr) []string {
	params := c.sig.Params()
	n := params.Len()
	ptype := func(i int) types.Type {
		if c.sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			return f.sub.typ(params.At(n - 1).Type()).(*types.Slice).Elem()
		}
		return f.sub.typ(params.At(i).Type())
	}
	arg := func(s string, from, to types.Type) string {
		if c.raw && isInterface(to) && !isInterface(from) {
			return s
		}
		return f.coerce(s, from, to)
	}
	var out []string
	if len(e.Args) == 1 && n != 1 || len(e.Args) == 1 && c.sig.Variadic() {
		if tup, ok := f.tupleOf(e.Args[0]); ok {
			vs, ts := f.multi(e.Args[0], tup.Len())
			for i := range vs {
				out = append(out, arg(vs[i], ts[i], ptype(i)))
			}
			return f.packed(c, out, e)
		}
	}
	out = f.list(len(e.Args), func(i int) string {
		to := ptype(i)
		a := e.Args[i]
		if sig := f.signatureOf(a); c.names && sig != nil && isInterface(to) {
			return f.hold(f.h().named(sig, f.u.c.qualify)+"("+f.assignable(a, f.typOr(a))+")", to)
		}
		if c.raw && isInterface(to) && !f.isNil(a) && !isInterface(f.typOr(a)) {
			return f.hold(f.assignable(a, f.typOr(a)), f.typOr(a))
		}
		if c.sig.Variadic() && e.Ellipsis.IsValid() && i == n-1 {
			if b, ok := f.typ(a).Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return "[]byte(" + f.expr(a) + ")"
			}
		}
		s := f.assignable(a, to)
		if isInterface(to) {
			s = f.hold(s, to)
		}
		return s
	}, ptype)
	return f.packed(c, out, e)
}

// signatureOf is the type of an expression that is a function, nil for another.
func (f *fn) signatureOf(e ast.Expr) *types.Signature {
	if f.isNil(e) {
		return nil
	}
	sig, _ := f.typOr(e).Underlying().(*types.Signature)
	return sig
}

func (f *fn) tupleOf(e ast.Expr) (*types.Tuple, bool) {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	t, ok := f.info.Types[c].Type.(*types.Tuple)
	if !ok {
		return nil, false
	}
	return f.sub.tuple(t), true
}

// packed gathers variadic arguments into the slice a declared function takes.
func (f *fn) packed(c *callee, args []string, e *ast.CallExpr) []string {
	if !c.sig.Variadic() || !c.packs || e.Ellipsis.IsValid() {
		return args
	}
	n := c.sig.Params().Len() - 1
	st := f.sub.typ(c.sig.Params().At(n).Type())
	if len(args) == n {
		return append(args, f.zero(st))
	}
	vals := append([]string(nil), args[n:]...)
	el := st.(*types.Slice).Elem()
	for i, v := range vals {
		if isInterface(el) || !isAtom(v) && !isLiteral(v) {
			vals[i] = f.hold(v, el)
		}
	}
	return append(args[:n:n], f.temp(f.text(st)+"{"+strings.Join(vals, ", ")+"}", st))
}

// compiles reports whether fn is lowered by us rather than called in a compiled package.
func (c *Compiler) compiles(fn *types.Func, args []types.Type) bool {
	return fn.Pkg() == c.pkg || len(args) > 0 || c.bodies[fn] != nil
}

func plainCall(name string) func([]string, bool) string {
	return func(args []string, _ bool) string { return name + "(" + strings.Join(args, ", ") + ")" }
}

// callee resolves what is called.
func (f *fn) callee(fun ast.Expr, e *ast.CallExpr) *callee {
	sig, _ := coreOf(f.typ(fun)).(*types.Signature)
	if sig == nil {
		panic(&refusedError{fun.Pos(), fmt.Sprintf("internal: call of %v", f.typ(fun))})
	}
	if fn, args, ok := f.staticFunc(fun); ok {
		if f.u.c.compiles(fn, args) {
			name := f.u.funcName(fn, args, f)
			return &callee{sig: sig, packs: true, write: plainCall(name), recover: f.u.c.recovers(fn), name: fn.Name(), direct: name}
		}
		name, over := f.u.c.compiledFunc(fn)
		return &callee{sig: sig, raw: f.u.c.rawArgs(fn), names: f.u.c.namesArgs(fn), write: func(args []string, spread bool) string {
			s := name + "(" + strings.Join(args, ", ")
			if spread {
				s += "..."
			}
			return s + ")"
		}, name: over}
	}
	if se, ok := fun.(*ast.SelectorExpr); ok {
		if s := f.info.Selections[se]; s != nil && s.Kind() == types.MethodVal {
			return f.methodCallee(se, s, sig)
		}
	}
	// a function value
	ft := f.typ(fun)
	v := f.hold(f.under(f.expr(fun), ft), ft.Underlying())
	if !isAtom(v) {
		v = f.temp(v, ft.Underlying())
	}
	mark := f.mark(e.Pos())
	return &callee{sig: sig, recover: true, write: func(args []string, spread bool) string {
		f.emit("if %s == nil {\nh.PanicNil(%d)\n}", v, mark)
		s := v + "(" + strings.Join(args, ", ")
		if spread {
			s += "..."
		}
		return s + ")"
	}, name: "func"}
}

// staticFunc finds the declared (or compiled) function an expression names, with its type arguments.
func (f *fn) staticFunc(e ast.Expr) (*types.Func, []types.Type, bool) {
	var id *ast.Ident
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		if f.info.Selections[x] != nil {
			return nil, nil, false
		}
		id = x.Sel
	case *ast.IndexExpr:
		return f.staticIndexed(x.X)
	case *ast.IndexListExpr:
		return f.staticIndexed(x.X)
	default:
		return nil, nil, false
	}
	fn, ok := f.info.Uses[id].(*types.Func)
	if !ok {
		return nil, nil, false
	}
	return fn, f.typeArgs(id), true
}

func (f *fn) staticIndexed(x ast.Expr) (*types.Func, []types.Type, bool) {
	fn, args, ok := f.staticFunc(x)
	if !ok || len(args) == 0 {
		return nil, nil, false
	}
	return fn, args, true
}

func (f *fn) typeArgs(id *ast.Ident) []types.Type {
	inst, ok := f.info.Instances[id]
	if !ok {
		return nil
	}
	var out []types.Type
	for i := range inst.TypeArgs.Len() {
		out = append(out, f.sub.typ(inst.TypeArgs.At(i)))
	}
	return out
}

func (f *fn) instanceOf(e *ast.IndexExpr) (*types.Func, bool) {
	fn, _, ok := f.staticIndexed(e.X)
	return fn, ok
}

// funcValue is a declared or compiled function used as a value.
func (f *fn) funcValue(e ast.Expr) string {
	fn, args, ok := f.staticFunc(e)
	if !ok {
		panic(&refusedError{e.Pos(), "internal: not a function"})
	}
	if !f.u.c.compiles(fn, args) {
		name, _ := f.u.c.compiledFunc(fn)
		return name
	}
	if b := f.u.c.bodies[fn]; b != nil && len(args) == 0 && fn.Pkg() == f.u.c.pkg {
		if s, ok := f.numeric(b.decl.Type, b.decl.Body, b.info); ok {
			return s
		}
	}
	name := f.u.funcName(fn, args, f)
	return f.forward(name, f.sub.typ(f.typ(e)).(*types.Signature), nil, nil, !f.u.c.recovers(fn))
}

// forward makes a func value that calls the declared function target with extra leading operands (temporaries, of the
// types leadTypes) and its own arguments. With disarm, target has no recover of its own, and what it calls must not take
// itself for the deferred function.
func (f *fn) forward(target string, sig *types.Signature, lead []string, leadTypes []types.Type, disarm bool) string {
	return f.forwardTo(sig, lead, disarm, func(c *fn, args []string) {
		c.callLast(target, args, f.operandTypes(&callee{sig: sig, leadTypes: leadTypes}), sig.Results(), true)
	})
}

// forwardTo makes a func value whose body write writes, given the leading operands and the func's own parameters.
func (f *fn) forwardTo(sig *types.Signature, lead []string, disarm bool, write func(c *fn, args []string)) string {
	c := f.child(f.name)
	for _, l := range lead {
		if isAtom(l) && !isLiteral(l) {
			c.pass(l)
		}
	}
	var ps []string
	args := append([]string(nil), lead...)
	for i := range sig.Params().Len() {
		p := f.u.uniq("q")
		txt := f.text(f.sub.typ(sig.Params().At(i).Type()))
		c.extra[p] = txt
		if sig.Variadic() && i == sig.Params().Len()-1 {
			txt = "..." + strings.TrimPrefix(txt, "[]")
		}
		ps = append(ps, p+" "+txt)
		args = append(args, p)
	}
	if disarm {
		c.emit("h.Disarm()")
	}
	write(c, args)
	return f.maker(c, ps, results(f, sig))
}

// forwardCall is forwardTo a call of something that is not interpreted.
func (f *fn) forwardCall(sig *types.Signature, lead []string, write func(args []string) string) string {
	return f.forwardTo(sig, lead, false, func(c *fn, args []string) {
		if call := write(args); sig.Results().Len() > 0 {
			c.emit("return %s", call)
		} else {
			c.emit("%s", call)
		}
	})
}

// compiledMethod begins the call of compiled method m on r, up to its arguments. A few methods look at the types of
// their arguments; package rt has functions that do as they do and know declared types.
func (f *fn) compiledMethod(r string, m *types.Func) string {
	if n := namedOf(m.Type().(*types.Signature).Recv().Type()); n != nil && m.Pkg() != nil {
		name := m.Pkg().Path() + "." + n.Obj().Name() + "." + m.Name()
		if over, ok := rt.Methods()[name]; ok {
			return f.h().make("over "+name, func() reflect.Value { return over }) + "(" + r + ", "
		}
	}
	return r + "." + m.Name() + "("
}
