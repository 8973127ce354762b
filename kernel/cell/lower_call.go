package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"example.org/godp/kernel/cell/rt"
)

// callee is what a call calls, with everything of it that is evaluated before the arguments.
type callee struct {
	sig       *types.Signature
	write     func(args []string, spread bool) string
	packs     bool   // a variadic parameter is one slice argument in the emitted call
	raw       bool   // arguments for interface{} parameters go as bare representations
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
	f.line(e.Pos())
	if cond := f.zeroArgs(c, args); cond != "" {
		return f.callSignedZero(c, args, cond, stmt)
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

// zeroArgs is a condition that holds when a float argument of a declared function is zero. The interpreter does not
// store arguments that equal zero in the callee's new frame, which turns -0 into 0; a call through a function value does.
func (f *fn) zeroArgs(c *callee, args []string) string {
	if c.direct == "" {
		return ""
	}
	cond := ""
	for i, a := range args {
		if i >= c.sig.Params().Len() || isLiteral(a) {
			continue
		}
		b, ok := f.sub.typ(c.sig.Params().At(i).Type()).Underlying().(*types.Basic)
		if !ok || b.Info()&types.IsFloat == 0 {
			continue
		}
		a = f.atom(a, b)
		args[i] = a
		if cond == "" {
			cond = f.temp("("+a+" == 0)", types.Typ[types.Bool])
		} else {
			f.emit("if %s == 0 {\n%s = true\n}", a, cond)
		}
	}
	return cond
}

// callSignedZero makes the call, through a function value when a float argument is zero.
func (f *fn) callSignedZero(c *callee, args []string, cond string, stmt bool) string {
	for i, a := range args {
		if !isAtom(a) && !isLiteral(a) {
			args[i] = f.temp(a, f.sub.typ(c.sig.Params().At(i).Type()))
		}
	}
	n := c.sig.Results().Len()
	var res []string
	for i := range n {
		res = append(res, f.zeroed(f.text(f.sub.typ(c.sig.Results().At(i).Type()))))
	}
	lhs := ""
	if n > 0 {
		lhs = strings.Join(res, ", ") + " = "
	}
	list := strings.Join(append(append([]string(nil), c.lead...), args...), ", ")
	f.emit("if %s {\n%s%s(%s, %s)\n} else {\n%s%s(%s)\n}", cond, lhs, f.applier(c), c.direct, list, lhs, c.direct, list)
	if stmt {
		return ""
	}
	return strings.Join(res, ", ")
}

// applier is a helper that calls a function of the callee's type through reflection.
func (f *fn) applier(c *callee) string {
	var vars []*types.Var
	for _, t := range c.leadTypes {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", t))
	}
	for i := range c.sig.Params().Len() {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", f.sub.typ(c.sig.Params().At(i).Type())))
	}
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(vars...), f.sub.tuple(c.sig.Results()), false)
	return f.h().apply(sig)
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
		return &callee{sig: sig, raw: f.u.c.rawArgs(fn), write: func(args []string, spread bool) string {
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
	return f.forward(name, f.sub.typ(f.typ(e)).(*types.Signature), nil, !f.u.c.recovers(fn))
}

// forward makes a func value that calls target with extra leading operands (temporaries) and its own arguments. With
// disarm, target has no recover of its own, and what it calls must not take itself for the deferred function.
func (f *fn) forward(target string, sig *types.Signature, lead []string, disarm bool) string {
	return f.forwardTo(sig, lead, disarm, func(args []string) string { return target + "(" + strings.Join(args, ", ") + ")" })
}

func (f *fn) forwardTo(sig *types.Signature, lead []string, disarm bool, write func(args []string) string) string {
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
		if sig.Variadic() && i == sig.Params().Len()-1 {
			txt = "..." + strings.TrimPrefix(txt, "[]")
		}
		ps = append(ps, p+" "+txt)
		args = append(args, p)
	}
	call := write(args)
	if disarm {
		c.emit("h.Disarm()")
	}
	if sig.Results().Len() > 0 {
		c.emit("return %s", call)
	} else {
		c.emit("%s", call)
	}
	return f.maker(c, ps, results(f, sig))
}

// recvAddress is the address of the receiver of a selected method with a pointer receiver.
func (f *fn) recvAddress(e *ast.SelectorExpr, path []int) string {
	xt := f.typ(e.X)
	p := ""
	if isPointer(xt) {
		p = f.atom(f.under(f.expr(e.X), xt), xt.Underlying())
		xt = xt.Underlying().(*types.Pointer).Elem()
	} else {
		p = f.hold(f.addressOf(e.X), types.NewPointer(xt))
	}
	if len(path) == 0 {
		return p
	}
	q, t := f.fieldAddress(p, xt, path, e.Sel.Pos())
	if isPointer(t) {
		return f.temp("*"+q, t)
	}
	return q
}

// recvPath walks to the receiver of a selected method: its place and type.
func (f *fn) recvPath(e *ast.SelectorExpr, s *types.Selection) (string, types.Type) {
	xt := f.typ(e.X)
	path := s.Index()
	if _, tp := types.Unalias(f.info.Types[e.X].Type).(*types.TypeParam); tp {
		path = nil // the method was found on the constraint; it is looked up again on the type argument
	} else {
		path = path[:len(path)-1]
	}
	var p string
	if isPointer(xt) || isInterface(xt) {
		p = f.expr(e.X)
		if isPointer(xt) && !isAtom(p) {
			p = f.temp(p, xt)
		}
	} else {
		p = f.place(e.X)
	}
	return f.walkPath(p, xt, path, e.Sel.Pos())
}

// method resolves a selected method on the (substituted) receiver type.
func (f *fn) methodOf(e *ast.SelectorExpr, s *types.Selection) (recv string, rt types.Type, m *types.Func) {
	m = s.Obj().(*types.Func)
	_, tp := types.Unalias(f.info.Types[e.X].Type).(*types.TypeParam)
	if !tp && f.sub == nil {
		if r := m.Type().(*types.Signature).Recv(); r != nil && isPointer(r.Type()) && !isInterface(r.Type()) {
			path := s.Index()
			return f.recvAddress(e, path[:len(path)-1]), types.NewPointer(ownerType(r.Type(), f, e, s)), m
		}
	}
	recv, rt = f.recvPath(e, s)
	if tp || f.sub != nil {
		obj, path, _ := types.LookupFieldOrMethod(rt, true, f.u.c.pkg, m.Name())
		mm, ok := obj.(*types.Func)
		if !ok {
			panic(&refusedError{e.Pos(), fmt.Sprintf("internal: method %s of %v", m.Name(), rt)})
		}
		m = mm
		recv, rt = f.walkPath(recv, rt, path[:len(path)-1], e.Sel.Pos())
	}
	return recv, rt, m
}

// ownerType is the type at the end of a selection's path, where the method is declared.
func ownerType(recv types.Type, f *fn, e *ast.SelectorExpr, s *types.Selection) types.Type {
	t := f.typ(e.X)
	deref := func(t types.Type) types.Type {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			return p.Elem()
		}
		return t
	}
	path := s.Index()
	for _, i := range path[:len(path)-1] {
		t = deref(t).Underlying().(*types.Struct).Field(i).Type()
	}
	return deref(t)
}

// methodCallee resolves x.M(…).
func (f *fn) methodCallee(e *ast.SelectorExpr, s *types.Selection, sig *types.Signature) *callee {
	recv, rt, m := f.methodOf(e, s)
	sig = f.sub.typ(m.Type()).(*types.Signature)
	sig = types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	if n := namedOf(rt); n != nil && n.TypeArgs().Len() > 0 {
		sig = f.methodSig(rt, m)
	}
	if isInterface(rt) {
		if f.u.c.reps.nativeInterface(rt) {
			r := f.hold(recv, rt)
			f.emit("if %s == nil {\nh.PanicNil(%d)\n}", r, f.mark(e.Pos()))
			return &callee{sig: sig, name: m.Name(), write: func(args []string, spread bool) string {
				s := r + "." + m.Name() + "(" + strings.Join(args, ", ")
				if spread {
					s += "..."
				}
				return s + ")"
			}}
		}
		r := f.hold(recv, rt)
		f.emit("if %s == nil {\nh.PanicNil(%d)\n}", r, f.mark(e.Pos()))
		h := f.h().dispatch(m, sig)
		return &callee{sig: sig, packs: true, recover: true, name: m.Name(), write: func(args []string, _ bool) string {
			return h + "(" + strings.Join(append([]string{r}, args...), ", ") + ")"
		}}
	}
	if f.declaredMethod(m, rt) {
		r := f.receiver(recv, rt, m, e)
		name := f.u.methodName(m, rt, f)
		return &callee{sig: sig, packs: true, recover: f.u.c.recovers(m.Origin()), name: m.Name(), direct: name, lead: []string{r},
			leadTypes: []types.Type{receiverType(m, rt)}, write: func(args []string, _ bool) string {
				return name + "(" + strings.Join(append([]string{r}, args...), ", ") + ")"
			}}
	}
	// a method of a compiled type
	r := f.compiledReceiver(recv, rt, m)
	open := f.compiledMethod(r, m)
	return &callee{sig: sig, raw: f.u.c.rawArgs(m), name: m.Name(), write: func(args []string, spread bool) string {
		s := open + strings.Join(args, ", ")
		if spread {
			s += "..."
		}
		return s + ")"
	}}
}

// methodSig is the signature of m for the receiver type's own type arguments.
func (f *fn) methodSig(rt types.Type, m *types.Func) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(rt, true, m.Pkg(), m.Name())
	if mm, ok := obj.(*types.Func); ok {
		s := mm.Type().(*types.Signature)
		return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
	}
	return m.Type().(*types.Signature)
}

func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

func (f *fn) declaredMethod(m *types.Func, rt types.Type) bool {
	n := namedOf(rt)
	return n != nil && f.u.c.reps.declared(n)
}

// receiver is the operand to pass as receiver of the declared method m.
func (f *fn) receiver(recv string, rt types.Type, m *types.Func, e ast.Expr) string {
	ptr := isPointer(m.Type().(*types.Signature).Recv().Type())
	switch {
	case ptr && !isPointer(rt):
		return f.address(recv, rt)
	case !ptr && isPointer(rt):
		p := f.atom(recv, rt)
		f.nilCheck(p, e.Pos())
		// a struct receiver is copied when the callee's frame takes it
		return f.temp("*"+p, rt.Underlying().(*types.Pointer).Elem())
	}
	return f.hold(recv, rt)
}

// address takes the address of a place.
func (f *fn) address(place string, t types.Type) string {
	if d := direct(place); d != place {
		return d
	}
	if _, ok := f.extra[place]; ok {
		// a temporary (the operand was not addressable): give it a home
		v := f.u.uniq("t")
		f.emit("%s := new(%s)", v, f.text(t))
		f.extra[v] = "*" + f.text(t)
		f.emit("*%s = %s", v, place)
		return v
	}
	return f.temp("&"+place, types.NewPointer(t))
}

// compiledReceiver is the operand before the dot of a compiled method call.
func (f *fn) compiledReceiver(recv string, rt types.Type, m *types.Func) string {
	ptr := isPointer(m.Type().(*types.Signature).Recv().Type())
	if ptr && !isPointer(rt) {
		return f.hold(f.address(recv, rt), types.NewPointer(rt))
	}
	if !isAtom(recv) || isLiteral(recv) {
		recv = f.temp(recv, rt)
	}
	if isPointer(rt) {
		return recv
	}
	return recv
}

// methodValue lowers x.M without a call: the receiver is evaluated and copied now.
func (f *fn) methodValue(e *ast.SelectorExpr, s *types.Selection) string {
	recv, rt, m := f.methodOf(e, s)
	sig := f.typ(e).Underlying().(*types.Signature)
	switch {
	case isInterface(rt):
		r := f.copied(recv, rt)
		f.emit("if %s == nil {\nh.PanicNil(%d)\n}", r, f.mark(e.Pos()))
		if f.u.c.reps.nativeInterface(rt) {
			return f.forwardTo(sig, []string{r}, false, func(args []string) string { return r + "." + m.Name() + "(" + spreadLast(args[1:], sig) + ")" })
		}
		return f.forward(f.h().dispatch(m, sig), sig, []string{r}, false)
	case f.declaredMethod(m, rt):
		r := f.copied(f.receiver(recv, rt, m, e), receiverType(m, rt))
		return f.forward(f.u.methodName(m, rt, f), sig, []string{r}, !f.u.c.recovers(m.Origin()))
	}
	ptr := isPointer(m.Type().(*types.Signature).Recv().Type())
	r := f.compiledReceiver(recv, rt, m)
	if !ptr && isPointer(rt) {
		f.nilCheck(r, e.Pos())
		r = f.temp("*"+r, rt.Underlying().(*types.Pointer).Elem())
	} else {
		t := rt
		if ptr && !isPointer(rt) {
			t = types.NewPointer(rt)
		}
		r = f.copied(r, t)
	}
	open := f.compiledMethod(r, m)
	return f.forwardTo(sig, []string{r}, false, func(args []string) string { return open + spreadLast(args[1:], sig) + ")" })
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

func spreadLast(args []string, sig *types.Signature) string {
	s := strings.Join(args, ", ")
	if sig.Variadic() {
		s += "..."
	}
	return s
}

func receiverType(m *types.Func, rt types.Type) types.Type {
	ptr := isPointer(m.Type().(*types.Signature).Recv().Type())
	switch {
	case ptr && !isPointer(rt):
		return types.NewPointer(rt)
	case !ptr && isPointer(rt):
		return rt.Underlying().(*types.Pointer).Elem()
	}
	return rt
}

// methodExpr lowers T.M: a function whose first parameter is the receiver.
func (f *fn) methodExpr(e *ast.SelectorExpr, s *types.Selection) string {
	sig := f.typ(e).Underlying().(*types.Signature)
	recvT := f.sub.typ(s.Recv())
	c := f.child(f.name)
	var ps, args []string
	for i := range sig.Params().Len() {
		p := f.u.uniq("q")
		txt := f.text(sig.Params().At(i).Type())
		c.extra[p] = txt
		if sig.Variadic() && i == sig.Params().Len()-1 {
			txt = "..." + strings.TrimPrefix(txt, "[]")
		}
		ps, args = append(ps, p+" "+txt), append(args, p)
	}
	m := s.Obj().(*types.Func)
	path := s.Index()
	if obj, idx, _ := types.LookupFieldOrMethod(recvT, true, f.u.c.pkg, m.Name()); obj != nil {
		if mm, ok := obj.(*types.Func); ok {
			m, path = mm, idx
		}
	}
	recv, rt := c.walkPath(args[0], recvT, path[:len(path)-1], e.Pos())
	rest := args[1:]
	var call string
	switch {
	case isInterface(rt) && !f.u.c.reps.nativeInterface(rt):
		msig := m.Type().(*types.Signature)
		call = c.h().dispatch(m, msig) + "(" + strings.Join(append([]string{recv}, rest...), ", ") + ")"
	case isInterface(rt):
		recv = c.hold(recv, rt)
		call = recv + "." + m.Name() + "(" + spreadLast(rest, sig) + ")"
	case f.declaredMethod(m, rt):
		r := c.receiver(recv, rt, m, e)
		if !f.u.c.recovers(m.Origin()) {
			c.emit("h.Disarm()")
		}
		call = f.u.methodName(m, rt, c) + "(" + strings.Join(append([]string{r}, rest...), ", ") + ")"
	default:
		r := c.compiledReceiver(recv, rt, m)
		call = r + "." + m.Name() + "(" + spreadLast(rest, sig) + ")"
	}
	if sig.Results().Len() > 0 {
		call = "return " + call
	}
	c.emit("%s", call)
	return f.maker(c, ps, results(f, sig))
}

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
	line := f.mark(e.Pos())
	th := f.thunk(f.name, func(k *fn) {
		saved, savedLn := f.lines, f.lastLn
		f.lines = nil
		s := c.write(args, e.Ellipsis.IsValid())
		k.lines = f.lines
		f.lines, f.lastLn = saved, savedLn
		k.emit("ln_ = %d", line)
		k.emit("%s", s)
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
	f.emit("h.Go(%s)", t)
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

// builtin lowers a call of a predeclared function.
func (f *fn) builtin(name string, e *ast.CallExpr, stmt bool) string {
	arg := func(i int) (string, types.Type) {
		t := f.typOr(e.Args[i])
		return f.under(f.assignable(e.Args[i], t), t), t
	}
	switch name {
	case "len", "cap":
		x, t := arg0(f, e)
		if _, ok := coreOf(t).(*types.Array); ok {
			return fmt.Sprint(coreOf(t).(*types.Array).Len())
		}
		if p, ok := coreOf(t).(*types.Pointer); ok {
			return fmt.Sprint(p.Elem().Underlying().(*types.Array).Len())
		}
		return name + "(" + f.atom(x, t.Underlying()) + ")"
	case "append":
		return f.appendCall(e)
	case "copy":
		if tup, ok := f.tupleOf(e.Args[0]); ok && len(e.Args) == 1 { // copy(f())
			vs, _ := f.multi(e.Args[0], tup.Len())
			return f.valueOrStmt("copy("+strings.Join(vs, ", ")+")", stmt, types.Typ[types.Int])
		}
		d, dt := arg(0)
		s, st := arg(1)
		d = f.atom(d, dt.Underlying())
		if b, ok := st.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			s = f.temp("[]byte("+s+")", types.NewSlice(types.Typ[types.Uint8]))
		} else {
			s = f.atom(s, st.Underlying())
		}
		return f.valueOrStmt("copy("+d+", "+s+")", stmt, types.Typ[types.Int])
	case "delete":
		if tup, ok := f.tupleOf(e.Args[0]); ok && len(e.Args) == 1 { // delete(f())
			vs, ts := f.multi(e.Args[0], tup.Len())
			f.emit("delete(%s, %s)", vs[0], f.hold(f.coerce(vs[1], ts[1], coreOf(ts[0]).(*types.Map).Key()), ts[1]))
			return ""
		}
		m, mt := arg(0)
		m = f.atom(m, mt.Underlying())
		kt := coreOf(mt).(*types.Map).Key()
		k := f.hold(f.assignable(e.Args[1], kt), kt)
		f.emit("delete(%s, %s)", m, k)
		return ""
	case "clear":
		x, t := arg(0)
		f.emit("h.Clear(%s)", f.atom(x, t.Underlying()))
		return ""
	case "close":
		x, t := arg(0)
		f.line(e.Pos())
		f.emit("close(%s)", f.atom(x, t.Underlying()))
		return ""
	case "make":
		return f.makeCall(e)
	case "new":
		if tv := f.info.Types[ast.Unparen(e.Args[0])]; !tv.IsType() { // new(expr), Go 1.26
			t := f.typOr(e.Args[0])
			v := f.u.uniq("t")
			f.emit("%s := new(%s)", v, f.text(t))
			f.extra[v] = "*" + f.text(t)
			f.emit("*%s = %s", v, f.assignable(e.Args[0], t))
			return v
		}
		t := f.sub.typ(f.info.Types[e.Args[0]].Type)
		return f.temp("new("+f.text(t)+")", types.NewPointer(t))
	case "min", "max":
		return f.minMax(name, e)
	case "panic":
		v := f.hold(f.assignable(e.Args[0], emptyInterface), emptyInterface)
		f.emit("h.Panic(%d, %s)", f.mark(e.Pos()), v)
		return ""
	case "recover":
		tok := f.tokenName()
		s := "h.Recover(" + tok + ")"
		if stmt {
			return s
		}
		return f.temp(s, emptyInterface)
	case "print", "println":
		if len(e.Args) == 1 {
			if tup, ok := f.tupleOf(e.Args[0]); ok {
				vs, _ := f.multi(e.Args[0], tup.Len())
				f.emit("h.%s(%s)", strings.Title(name), strings.Join(vs, ", ")) //nolint:staticcheck // ASCII
				return ""
			}
		}
		vals := make([]string, len(e.Args))
		for i, a := range e.Args {
			t := f.typOr(a)
			vals[i] = f.hold(f.under(f.assignable(a, t), t), t.Underlying())
			if isInterface(t) || f.isNil(a) {
				vals[i] = f.temp("h.Eface("+vals[i]+")", types.Typ[types.String])
			}
		}
		f.emit("h.%s(%s)", strings.Title(name), strings.Join(vals, ", ")) //nolint:staticcheck // ASCII
		return ""
	case "complex":
		t := types.Default(f.typ(e))
		part := types.Typ[types.Float64]
		if f.u.c.reps.of(t).Rep.Kind() == reflect.Complex64 {
			part = types.Typ[types.Float32]
		}
		var ops []string
		if len(e.Args) == 1 { // complex(f())
			vs, ts := f.multi(e.Args[0], 2)
			ops = []string{f.coerce(vs[0], ts[0], part), f.coerce(vs[1], ts[1], part)}
		} else {
			ops = f.list(2, func(i int) string { return f.assignable(e.Args[i], part) }, func(int) types.Type { return part })
		}
		return f.text(t) + "(h.Complex(float64(" + ops[0] + "), float64(" + ops[1] + ")))"
	case "real", "imag":
		x, t := arg(0)
		return f.text(types.Default(f.typ(e))) + "(h." + strings.Title(name) + "(complex128(" + f.atom(x, t.Underlying()) + ")))" //nolint:staticcheck // ASCII
	}
	panic(&refusedError{e.Pos(), "the builtin " + name + " is not supported in cells"})
}

func arg0(f *fn, e *ast.CallExpr) (string, types.Type) {
	t := f.typOr(e.Args[0])
	if _, ok := coreOf(t).(*types.Array); ok {
		if calls(e.Args[0]) {
			f.place(e.Args[0])
		}
		return "", t
	}
	if p, ok := coreOf(t).(*types.Pointer); ok && isArray(p.Elem()) && !calls(e.Args[0]) {
		return "", t
	}
	return f.under(f.assignable(e.Args[0], t), t), t
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// calls reports whether evaluating e calls a function or receives.
func calls(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return true
	})
	return found
}

func (f *fn) valueOrStmt(s string, stmt bool, t types.Type) string {
	if stmt {
		f.emit("%s", s)
		return ""
	}
	return f.temp(s, t)
}

func (f *fn) tokenName() string {
	for g := f; g != nil; g = g.parent {
		if g.token != "" {
			f.pass(g.token)
			return g.token
		}
	}
	return "0"
}

func (f *fn) appendCall(e *ast.CallExpr) string {
	st := f.typ(e)
	if b, ok := st.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		st = f.typ(e.Args[0])
	}
	el := coreOf(st).(*types.Slice).Elem()
	under := st.Underlying()
	if tup, ok := f.tupleOf(e.Args[0]); ok && len(e.Args) == 1 { // append(f())
		vs, ts := f.multi(e.Args[0], tup.Len())
		for i := range vs[1:] {
			vs[i+1] = f.hold(f.coerce(vs[i+1], ts[i+1], el), el)
		}
		return f.retype(f.temp("append("+strings.Join(vs, ", ")+")", under), st)
	}
	if len(e.Args) == 1 {
		return f.assignable(e.Args[0], st)
	}
	if e.Ellipsis.IsValid() {
		ops := f.list(2, func(i int) string {
			if i == 0 {
				return f.hold(f.under(f.assignable(e.Args[0], st), st), under)
			}
			t := f.typ(e.Args[1])
			if f.isNil(e.Args[1]) {
				return f.zero(under)
			}
			if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return f.temp("[]byte("+f.under(f.expr(e.Args[1]), t)+")", types.NewSlice(types.Typ[types.Uint8]))
			}
			return f.hold(f.under(f.expr(e.Args[1]), t), t.Underlying())
		}, nil)
		return f.retype(f.temp("append("+ops[0]+", "+ops[1]+"...)", under), st)
	}
	ops := f.list(len(e.Args), func(i int) string {
		if i == 0 {
			s := f.under(f.assignable(e.Args[0], st), st)
			if isAtom(s) {
				return s
			}
			return f.temp(s, under)
		}
		s := f.assignable(e.Args[i], el)
		if isInterface(el) || !isAtom(s) && !isLiteral(s) {
			s = f.hold(s, el) // append may overwrite what the operand is read from
		}
		return s
	}, func(i int) types.Type {
		if i == 0 {
			return under
		}
		return el
	})
	return f.retype(f.temp("append("+strings.Join(ops, ", ")+")", under), st)
}

func (f *fn) makeCall(e *ast.CallExpr) string {
	t := f.typ(e)
	var sizes []string
	for _, a := range e.Args[1:] {
		sizes = append(sizes, f.index(a))
	}
	under := t.Underlying()
	txt := f.text(under)
	var s string
	switch coreOf(t).(type) {
	case *types.Slice:
		m := f.mark(e.Pos())
		n, c := sizes[0], sizes[0]
		if len(sizes) > 1 {
			c = sizes[1]
		}
		if !isLiteral(n) || !isLiteral(c) {
			f.emit("h.CheckMake(%d, %s, %s, %v)", m, n, c, len(sizes) > 1)
		}
		s = "make(" + txt + ", " + strings.Join(sizes, ", ") + ")"
	case *types.Map:
		s = "make(" + txt + ")"
	case *types.Chan:
		f.line(e.Pos())
		if ct := coreOf(t).(*types.Chan); ct.Dir() != types.SendRecv {
			both := types.NewChan(types.SendRecv, ct.Elem())
			c := f.temp("make("+strings.Join(append([]string{f.text(both)}, sizes...), ", ")+")", both)
			s = f.convHelper(both, under) + "(" + c + ")"
			break
		}
		s = "make(" + strings.Join(append([]string{txt}, sizes...), ", ") + ")"
	}
	return f.retype(f.temp(s, under), t)
}

func (f *fn) minMax(name string, e *ast.CallExpr) string {
	t := types.Default(f.typ(e))
	b := t.Underlying().(*types.Basic)
	ops := f.list(len(e.Args), func(i int) string { return f.under(f.assignable(e.Args[i], t), t) }, func(int) types.Type { return t })
	if b.Info()&types.IsFloat != 0 {
		acc := "float64(" + ops[0] + ")"
		for _, o := range ops[1:] {
			acc = "h." + strings.Title(name) + "(" + acc + ", float64(" + o + "))" //nolint:staticcheck // ASCII
		}
		return f.text(t) + "(" + acc + ")"
	}
	acc := f.temp(ops[0], t)
	op := map[string]string{"min": "<", "max": ">"}[name]
	for _, o := range ops[1:] {
		o = f.atom(o, t)
		f.emit("if %s %s %s {\n%s = %s\n}", o, op, acc, acc, o)
	}
	return acc
}

// frozenBuiltin is defer or go of a predeclared function.
func (f *fn) frozenBuiltin(name string, e *ast.CallExpr) string {
	switch name {
	case "recover": // as if the function that defers it called recover at its end
		tok := f.tokenName()
		return f.thunk(f.name, func(c *fn) { c.pass(tok); c.emit("h.Recover(%s)", tok) })
	case "panic":
		v := f.copied(f.assignable(e.Args[0], emptyInterface), emptyInterface)
		return f.thunk(f.name, func(c *fn) { c.pass(v); c.emit("h.Panic(%d, %s)", f.mark(e.Pos()), v) })
	case "close":
		t := f.typ(e.Args[0])
		v := f.copied(f.under(f.expr(e.Args[0]), t), t.Underlying())
		return f.thunk(f.name, func(c *fn) { c.pass(v); c.emit("close(%s)", v) })
	case "print", "println":
		vals := make([]string, len(e.Args))
		for i, a := range e.Args {
			t := f.typOr(a)
			vals[i] = f.copied(f.under(f.assignable(a, t), t), t.Underlying())
			if isInterface(t) || f.isNil(a) {
				vals[i] = f.temp("h.Eface("+vals[i]+")", types.Typ[types.String])
			}
		}
		return f.thunk(f.name, func(c *fn) {
			for _, v := range vals {
				if isAtom(v) && !isLiteral(v) {
					c.pass(v)
				}
			}
			c.emit("h.%s(%s)", strings.Title(name), strings.Join(vals, ", ")) //nolint:staticcheck // ASCII
		})
	case "delete":
		mt := f.typ(e.Args[0])
		m := f.copied(f.under(f.expr(e.Args[0]), mt), mt.Underlying())
		kt := coreOf(mt).(*types.Map).Key()
		k := f.copied(f.assignable(e.Args[1], kt), kt)
		return f.thunk(f.name, func(c *fn) {
			c.pass(m)
			if isAtom(k) && !isLiteral(k) {
				c.pass(k)
			}
			c.emit("delete(%s, %s)", m, k)
		})
	case "copy":
		dt, st := f.typ(e.Args[0]), f.typ(e.Args[1])
		d := f.copied(f.under(f.expr(e.Args[0]), dt), dt.Underlying())
		src := f.under(f.expr(e.Args[1]), st)
		if b, ok := st.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			src, st = "[]byte("+src+")", types.NewSlice(types.Typ[types.Uint8])
		}
		s := f.copied(src, st.Underlying())
		return f.thunk(f.name, func(c *fn) { c.pass(d); c.pass(s); c.emit("copy(%s, %s)", d, s) })
	case "clear":
		t := f.typ(e.Args[0])
		v := f.copied(f.under(f.expr(e.Args[0]), t), t.Underlying())
		return f.thunk(f.name, func(c *fn) { c.pass(v); c.emit("h.Clear(%s)", v) })
	}
	panic(&refusedError{e.Pos(), "defer or go of the builtin " + name + " is not allowed"})
}
