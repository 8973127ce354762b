package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// Methods. The interpreter mixes up methods and fields of declared types, so methods are
// functions: testdata/lower/method.txtar.

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
			f.emit("if %s == nil {\nh.PanicNil(%d)\n}", r, f.markCall(e))
			open := f.compiledMethod(r, m)
			return &callee{sig: sig, name: m.Name(), write: func(args []string, spread bool) string {
				s := open + strings.Join(args, ", ")
				if spread {
					s += "..."
				}
				return s + ")"
			}}
		}
		r := f.hold(recv, rt)
		f.emit("if %s == nil {\nh.PanicNil(%d)\n}", r, f.markCall(e))
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
			open := f.compiledMethod(r, m)
			return f.forwardCall(sig, []string{r}, func(args []string) string { return open + spreadLast(args[1:], sig) + ")" })
		}
		h := f.h().dispatch(m, sig)
		return f.forwardCall(sig, []string{r}, func(args []string) string { return h + "(" + strings.Join(args, ", ") + ")" })
	case f.declaredMethod(m, rt):
		r := f.copied(f.receiver(recv, rt, m, e), receiverType(m, rt))
		return f.forward(f.u.methodName(m, rt, f), sig, []string{r}, []types.Type{receiverType(m, rt)}, !f.u.c.recovers(m.Origin()))
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
	return f.forwardCall(sig, []string{r}, func(args []string) string { return open + spreadLast(args[1:], sig) + ")" })
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
		call = c.compiledMethod(recv, m) + spreadLast(rest, sig) + ")"
	case f.declaredMethod(m, rt):
		r := c.receiver(recv, rt, m, e)
		if !f.u.c.recovers(m.Origin()) {
			c.emit("h.Disarm()")
		}
		ts := []types.Type{receiverType(m, rt)}
		for i := range sig.Params().Len() - 1 {
			ts = append(ts, sig.Params().At(i+1).Type())
		}
		c.callLast(f.u.methodName(m, rt, c), append([]string{r}, rest...), ts, sig.Results(), true)
		return f.maker(c, ps, results(f, sig))
	default:
		call = c.compiledMethod(c.compiledReceiver(recv, rt, m), m) + spreadLast(rest, sig) + ")"
	}
	if sig.Results().Len() > 0 {
		call = "return " + call
	}
	c.emit("%s", call)
	return f.maker(c, ps, results(f, sig))
}
