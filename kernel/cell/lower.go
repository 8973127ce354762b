package cell

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// refusedError says that a construct cannot be lowered correctly; the cell is rejected with it.
type refusedError struct {
	pos  token.Pos
	what string
}

func (e *refusedError) Error() string { return e.what }

func refused(format string, args ...any) *refusedError {
	return &refusedError{what: fmt.Sprintf(format, args...)}
}

// unit is the lowering of one cell: the text that grows and what it needs beside it.
type unit struct {
	c     *Compiler
	out   strings.Builder
	queue []func() // bodies still to lower: instances of generic functions
	pos   token.Pos
	// instance names decided in this unit; committed with it.
	instances []*instance
	names     map[*types.Func]string
}

type instance struct {
	fn   *types.Func
	args []types.Type
	name string
}

func (u *unit) uniq(prefix string) string {
	u.c.seq++
	return fmt.Sprintf("%s%d", prefix, u.c.seq)
}

// binding is how a Go variable is held in the emitted code.
type binding struct {
	name  string
	typ   types.Type
	boxed bool // name is a pointer to it
	text  string
}

// fn lowers one function body.
type fn struct {
	u        *unit
	info     *types.Info
	sub      *subst
	parent   *fn
	name     string // for traces
	lines    []string
	vars     map[*types.Var]*binding
	extra    map[string]string // temporaries of this function, name -> type text, that closures may capture
	free     []freeVar         // what this closure takes from its surroundings
	frees    map[string]bool
	boxes    map[*types.Var]bool
	sig      *types.Signature
	res      []string // result boxes, when the body runs inside a closure
	named    []*types.Var
	frame    string // the defer frame
	token    string // the recover token
	body     bool   // the body of a function with defers: return leaves results in boxes
	yield    *escape
	ctl      []*target
	lastLn   int
	top      bool              // the operand being lowered is the target of a multiple assignment
	checks   []string          // its checks, to be made by the store
	unsigned map[string]string // index temporaries of unsigned operands
	snap     bool              // operands are copied: the variables among them may change before they are used
	facts    *facts
}

type freeVar struct{ name, typ string }

// target is a statement that break or continue can name.
type target struct {
	label   string // the user's
	loop    bool
	emitted bool // stands in the emitted code as a for loop
	name    string
	used    bool
	fn      *fn
}

// escape is the way out of the body of a range-over-func loop.
type escape struct {
	code  string // *int: what to do after the iterator returned
	exits []exit
	loop  *target
}

type exit struct {
	code int
	emit func(f *fn)
}

func (f *fn) typ(e ast.Expr) types.Type {
	tv, ok := f.info.Types[e]
	if ok && tv.Type != nil {
		return f.sub.typ(tv.Type)
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := f.object(id); o != nil {
			return f.sub.typ(o.Type())
		}
	}
	panic(&refusedError{e.Pos(), "internal: no type recorded for this expression"})
}

func (f *fn) object(id *ast.Ident) types.Object {
	if o := f.info.Uses[id]; o != nil {
		return o
	}
	return f.info.Defs[id]
}

func (f *fn) text(t types.Type) string { return f.u.c.reps.text(f.u.c.reps.of(t).Rep) }
func (f *fn) h() *helpers              { return f.u.c.help }

func (f *fn) emit(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

// sub-buffers: run g with an empty buffer and return what it emitted.
func (f *fn) capture(g func()) []string {
	saved, ln := f.lines, f.lastLn
	f.lines, f.lastLn = nil, 0
	g()
	got := f.lines
	f.lines, f.lastLn = saved, 0
	_ = ln
	return got
}

func (f *fn) put(lines []string) { f.lines = append(f.lines, lines...) }

// temp gives expr a name.
func (f *fn) temp(expr string, t types.Type) string {
	n := f.u.uniq("t")
	rep := f.u.c.reps.of(t).Rep
	txt := f.u.c.reps.text(rep)
	if rep.Kind() == reflect.Interface {
		f.emit("var %s %s = %s", n, txt, expr)
	} else {
		f.emit("%s := %s", n, expr)
	}
	f.extra[n] = txt
	return n
}

// fresh declares a temporary of representation text txt and zero value.
func (f *fn) zeroed(txt string) string {
	n := f.u.uniq("t")
	f.emit("var %s %s", n, txt)
	f.extra[n] = txt
	return n
}

func isAtom(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return s != ""
}

func isLiteral(s string) bool {
	return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '"' || s == "true" || s == "false")
}

func (f *fn) atom(s string, t types.Type) string {
	if isLiteral(s) && s[0] != '"' {
		return s
	}
	if isAtom(s) {
		if _, own := f.extra[s]; own || !f.snap {
			return s
		}
	}
	return f.temp(s, t)
}

// line records where the next risky operation stands.
func (f *fn) line(p token.Pos) {
	n := f.u.c.mark(p, f.name)
	if f.lastLn == n {
		return
	}
	f.lastLn = n
	f.emit("ln_ = %d", n)
}

func (f *fn) mark(p token.Pos) int { return f.u.c.mark(p, f.name) }

// zero is the zero value of t as an operand.
func (f *fn) zero(t types.Type) string {
	rep := f.u.c.reps.of(t).Rep
	if rep.PkgPath() == "" {
		switch rep.Kind() {
		case reflect.Bool:
			return "false"
		case reflect.String:
			return `""`
		case reflect.Int:
			return "0"
		case reflect.Float64:
			return "0.0"
		}
	}
	return f.zeroed(f.u.c.reps.text(rep))
}

// literal writes the constant v of type t.
func (f *fn) literal(v constant.Value, t types.Type) string {
	t = types.Default(t)
	if isInterface(t) {
		panic("internal: literal of interface type")
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		panic(&refusedError{f.u.pos, fmt.Sprintf("internal: constant of type %v", t)})
	}
	rep := f.u.c.reps.of(t).Rep
	txt := f.u.c.reps.text(rep)
	named := rep.PkgPath() != ""
	switch {
	case b.Info()&types.IsBoolean != 0:
		s := strconv.FormatBool(constant.BoolVal(v))
		if named {
			return txt + "(" + s + ")"
		}
		return s
	case b.Info()&types.IsString != 0:
		s := strconv.Quote(constant.StringVal(v))
		if named {
			return txt + "(" + s + ")"
		}
		return s
	case b.Info()&types.IsInteger != 0:
		s := constant.ToInt(v).ExactString()
		if b.Kind() == types.Int && !named && s[0] != '-' {
			return s
		}
		return txt + "(" + s + ")"
	case b.Info()&types.IsFloat != 0:
		s := floatText(v, rep.Bits())
		if b.Kind() == types.Float64 && !named {
			if s[0] == '-' {
				return "(" + s + ")"
			}
			return s
		}
		return txt + "(" + s + ")"
	case b.Info()&types.IsComplex != 0:
		re, im := floatText(constant.Real(v), 64), floatText(constant.Imag(v), 64)
		s := "complex(" + re + ", " + im + ")"
		if b.Kind() == types.Complex128 && !named {
			return s
		}
		return txt + "(" + s + ")"
	}
	panic("internal: literal")
}

func floatText(v constant.Value, bits int) string {
	var x float64
	if bits == 32 {
		y, _ := constant.Float32Val(constant.ToFloat(v))
		x = float64(y)
	} else {
		x, _ = constant.Float64Val(constant.ToFloat(v))
	}
	if math.IsInf(x, 0) {
		return v.ExactString()
	}
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// bind declares a Go variable in this function; init is its first value ("" = zero).
func (f *fn) bind(v *types.Var, init string) *binding {
	t := f.sub.typ(v.Type())
	b := &binding{typ: t, boxed: f.facts.boxed[v], text: f.text(t)}
	b.name = f.u.uniq(sane(v.Name()) + "_")
	f.vars[v] = b
	switch {
	case b.boxed:
		f.emit("%s := new(%s)", b.name, b.text)
		if init != "" {
			f.emit("*%s = %s", b.name, init)
		}
	case init == "" || f.u.c.reps.of(t).Rep.Kind() == reflect.Interface:
		f.emit("var %s %s", b.name, b.text)
		if init != "" {
			f.emit("%s = %s", b.name, init)
		}
	default:
		f.emit("%s := %s", b.name, init)
	}
	return b
}

func sane(s string) string {
	ok := true
	for i := range len(s) {
		c := s[i]
		ok = ok && (c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}
	if !ok || s == "_" || s == "" {
		return "v"
	}
	return s
}

// ref finds the binding of v here or around; what comes from around becomes a parameter of the closure's maker.
func (f *fn) ref(v *types.Var) *binding {
	if b := f.vars[v]; b != nil {
		return b
	}
	if f.parent == nil {
		return nil
	}
	b := f.parent.ref(v)
	if b == nil {
		return nil
	}
	if b.boxed {
		f.take(b.name, "*"+b.text)
	} else {
		f.take(b.name, b.text)
	}
	return b
}

// take makes name, of the surrounding function, available in this closure.
func (f *fn) take(name, typ string) {
	if f.frees[name] {
		return
	}
	f.frees[name] = true
	f.free = append(f.free, freeVar{name, typ})
}

// place reads v's storage.
func (b *binding) place() string {
	if b.boxed {
		return "(*" + b.name + ")"
	}
	return b.name
}

// child starts the lowering of a closure inside f.
func (f *fn) child(name string) *fn {
	return &fn{u: f.u, info: f.info, sub: f.sub, parent: f, name: name, vars: map[*types.Var]*binding{},
		extra: map[string]string{}, frees: map[string]bool{}, unsigned: map[string]string{}, facts: f.facts}
}

// maker writes a top-level function that makes the closure with body lines and returns the call that makes it. The
// interpreter shares a function's variables among all closures made in it; a maker's frame belongs to one closure.
func (f *fn) maker(c *fn, params []string, rest string) string {
	name := f.u.uniq("mk")
	var ps, args []string
	for _, v := range c.free {
		ps = append(ps, v.name+" "+v.typ)
		args = append(args, v.name)
		f.pass(v.name)
	}
	sig := "func(" + strings.Join(params, ", ") + ")" + rest
	var types []string
	for _, p := range params {
		types = append(types, p[strings.IndexByte(p, ' ')+1:])
	}
	fmt.Fprintf(&f.u.out, "func %s(%s) func(%s)%s {\nreturn %s {\n%s\n}\n}\n", name, strings.Join(ps, ", "), strings.Join(types, ", "), rest, sig, strings.Join(c.lines, "\n"))
	return name + "(" + strings.Join(args, ", ") + ")"
}

// pass makes sure a name that an inner closure takes is at hand in f.
func (f *fn) pass(name string) {
	if isLiteral(name) {
		return
	}
	if _, ok := f.extra[name]; ok {
		return
	}
	for _, b := range f.vars {
		if b.name == name {
			return
		}
	}
	if f.frees[name] || f.parent == nil {
		return
	}
	f.take(name, f.parent.nameType(name))
	f.parent.pass(name)
}

func (f *fn) nameType(name string) string {
	if t, ok := f.extra[name]; ok {
		return t
	}
	for _, b := range f.vars {
		if b.name == name {
			if b.boxed {
				return "*" + b.text
			}
			return b.text
		}
	}
	for _, v := range f.free {
		if v.name == name {
			return v.typ
		}
	}
	if f.parent == nil {
		panic("internal: unknown name " + name)
	}
	return f.parent.nameType(name)
}

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
	f := &fn{u: u, info: info, sub: sub, name: shown, vars: map[*types.Var]*binding{}, extra: map[string]string{}, frees: map[string]bool{}, unsigned: map[string]string{}}
	f.facts = analyse(info, body, sub, u.c.isGlobal)
	var params []*types.Var
	if recv != nil {
		params = append(params, recv)
	}
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i))
	}
	ps := f.params(params)
	f.functionBody(sig, body)
	fmt.Fprintf(&u.out, "func %s(%s)%s {\n%s\n}\n", name, strings.Join(ps, ", "), results(f, sig), strings.Join(f.lines, "\n"))
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
	res := sig.Results()
	isNamed := res.Len() > 0 && res.At(0).Name() != ""
	f.named = nil
	if fact.defers || fact.yieldReturn {
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
			}
			f.bind(v, "")
			f.named = append(f.named, v)
		}
	}
	if !fact.defers && !fact.yieldReturn {
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
	if !fact.defers {
		f.block(body.List)
		f.leave(body, isNamed)
		return
	}
	f.frame = f.u.uniq("t")
	f.emit("%s := h.NewFrame()", f.frame)
	f.extra[f.frame] = "*h.Frame"
	c := f.child(f.name)
	c.sig, c.res, c.named, c.frame, c.token, c.body = sig, f.res, f.named, f.frame, f.token, true
	c.block(body.List)
	run := f.maker(c, nil, "")
	f.emit("%s.Run(%s)", f.frame, run)
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

// funcLit lowers a function literal to the call of its maker.
func (f *fn) funcLit(e *ast.FuncLit) string {
	if s, ok := f.numeric(e.Type, e.Body, f.info); ok {
		return s
	}
	c := f.child(f.name + ".func")
	sig := f.sub.typ(f.info.Types[e].Type).(*types.Signature)
	orig := f.info.Types[e].Type.(*types.Signature)
	var vars []*types.Var
	for i := range orig.Params().Len() {
		vars = append(vars, orig.Params().At(i))
	}
	ps := c.params(vars)
	if sig.Variadic() {
		last := ps[len(ps)-1]
		i := strings.IndexByte(last, ' ')
		ps[len(ps)-1] = last[:i] + " ..." + strings.TrimPrefix(last[i+1:], "[]")
	}
	c.functionBody(orig, e.Body)
	return f.maker(c, ps, results(f, orig))
}

// thunk makes a func() running code over temporaries of f.
func (f *fn) thunk(name string, body func(c *fn)) string {
	c := f.child(name)
	body(c)
	return f.maker(c, nil, "")
}
