package vec

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Source is a function to compile with what the type checker knows of it.
type Source struct {
	Type *ast.FuncType
	Body *ast.BlockStmt
	Info *types.Info
	// Inline finds the source of a declared function that the body calls, or nil.
	Inline func(fn *types.Func) *Source
}

// Compile makes a program of a pure function of float64: arithmetic, comparisons, math calls, local variables,
// if, tagless switch, and calls of other such functions. ok is false for anything else, which is not an error.
// captured lists the outer variables it reads, in the order Bind expects.
func Compile(s *Source) (p *Program, captured []*types.Var, ok bool) {
	c := &compiler{info: s.Info, inline: s.Inline, captures: map[*types.Var]int{}}
	defer func() {
		if r := recover(); r != nil {
			if _, no := r.(unsuited); !no {
				panic(r)
			}
			p, captured, ok = nil, nil, false
		}
	}()
	env := map[*types.Var]int{}
	for _, f := range s.Type.Params.List {
		if len(f.Names) == 0 {
			panic(unsuited{})
		}
		for _, n := range f.Names {
			v, isVar := s.Info.Defs[n].(*types.Var)
			if n.Name != "_" && (!isVar || !isFloat(v.Type())) || n.Name == "_" && !isFloat(s.Info.TypeOf(f.Type)) {
				panic(unsuited{})
			}
			r := c.reg()
			if isVar {
				env[v] = r
			}
		}
	}
	c.params = c.regs
	if s.Type.Results == nil || len(s.Type.Results.List) != 1 || len(s.Type.Results.List[0].Names) > 0 || !isFloat(s.Info.TypeOf(s.Type.Results.List[0].Type)) {
		panic(unsuited{})
	}
	if c.params == 0 || c.params > 3 {
		panic(unsuited{})
	}
	res := c.body(s.Body.List, env)
	return &Program{params: c.params, captures: len(c.captured), code: c.code, regs: c.regs, result: res}, c.captured, true
}

// unsuited is panicked with by what a program cannot express.
type unsuited struct{}

type compiler struct {
	info     *types.Info
	inline   func(fn *types.Func) *Source
	code     []instr
	regs     int
	params   int
	captures map[*types.Var]int
	captured []*types.Var
	depth    int
}

// frame is one function body under compilation.
type frame struct {
	c   *compiler
	env map[*types.Var]int
	ret int // register: 1 where the function has returned; -1: nowhere yet
	res int // register with the value returned so far; -1: none
	all bool
}

func isFloat(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && (b.Kind() == types.Float64 || b.Kind() == types.UntypedFloat || b.Kind() == types.UntypedInt || b.Kind() == types.UntypedRune)
}

func (c *compiler) reg() int {
	if c.regs >= maxRegs-1 {
		panic(unsuited{})
	}
	c.regs++
	return c.regs - 1
}

func (c *compiler) emit(in instr) int {
	in.dst = c.reg()
	c.code = append(c.code, in)
	return in.dst
}

func (c *compiler) constant(v float64) int {
	return c.emit(instr{op: opConst, value: v, uniform: true})
}

func (c *compiler) body(list []ast.Stmt, env map[*types.Var]int) int {
	f := &frame{c: c, env: env, ret: -1, res: -1}
	f.list(list, -1)
	if f.res < 0 {
		panic(unsuited{})
	}
	return f.res
}

// and joins two masks; -1 is all.
func (f *frame) and(a, b int) int {
	switch {
	case a < 0:
		return b
	case b < 0:
		return a
	}
	return f.c.emit(instr{op: opAnd, a: a, b: b})
}

func (f *frame) list(list []ast.Stmt, mask int) {
	for _, s := range list {
		if f.all {
			return // nothing runs after a return on all paths
		}
		f.stmt(s, mask)
	}
}

// live is the mask of elements that run here: those chosen by the conditions around, less those that have returned.
func (f *frame) live(mask int) int {
	if f.ret < 0 {
		return mask
	}
	return f.and(mask, f.c.emit(instr{op: opNot, a: f.ret}))
}

func (f *frame) stmt(s ast.Stmt, mask int) {
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		f.list(s.List, mask)
	case *ast.ReturnStmt:
		if len(s.Results) != 1 {
			panic(unsuited{})
		}
		v := f.expr(s.Results[0])
		m := f.live(mask)
		if m < 0 {
			f.res, f.all = v, true
			return
		}
		if f.res < 0 {
			f.res = v
		} else {
			f.res = f.c.emit(instr{op: opSelect, a: m, b: v, c: f.res})
		}
		if f.ret < 0 {
			f.ret = m
		} else {
			f.ret = f.c.emit(instr{op: opOr, a: f.ret, b: m})
		}
		if mask < 0 {
			f.all = true // all that had not returned do so here
		}
	case *ast.IfStmt:
		if s.Init != nil {
			f.stmt(s.Init, mask)
		}
		cond := f.cond(s.Cond)
		f.list(s.Body.List, f.and(mask, cond))
		if s.Else != nil {
			f.stmt(s.Else, f.and(mask, f.c.emit(instr{op: opNot, a: cond})))
		}
	case *ast.SwitchStmt:
		f.switchStmt(s, mask)
	case *ast.DeclStmt:
		g, ok := s.Decl.(*ast.GenDecl)
		if !ok || g.Tok == token.TYPE {
			panic(unsuited{})
		}
		if g.Tok == token.CONST {
			return
		}
		for _, sp := range g.Specs {
			vs := sp.(*ast.ValueSpec)
			vals := make([]int, len(vs.Names))
			for i := range vs.Names {
				switch {
				case len(vs.Values) == 0:
					vals[i] = f.c.constant(0)
				case len(vs.Values) == len(vs.Names):
					vals[i] = f.expr(vs.Values[i])
				default:
					panic(unsuited{})
				}
			}
			for i, n := range vs.Names {
				f.declare(n, vals[i])
			}
		}
	case *ast.AssignStmt:
		f.assign(s, mask)
	case *ast.IncDecStmt:
		o := opAdd
		if s.Tok == token.DEC {
			o = opSub
		}
		f.set(s.X, f.c.emit(instr{op: o, a: f.expr(s.X), b: f.c.constant(1)}), mask)
	default:
		panic(unsuited{})
	}
}

// switchStmt is a chain of ifs, for switches without tag, fallthrough or break.
func (f *frame) switchStmt(s *ast.SwitchStmt, mask int) {
	if s.Tag != nil {
		panic(unsuited{})
	}
	if s.Init != nil {
		f.stmt(s.Init, mask)
	}
	rest := mask
	var def *ast.CaseClause
	for _, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		if cc.List == nil {
			def = cc
			continue
		}
		if def != nil {
			panic(unsuited{}) // a default in the middle: leave it to the interpreter
		}
		cond := f.cond(cc.List[0])
		for _, e := range cc.List[1:] {
			cond = f.c.emit(instr{op: opOr, a: cond, b: f.cond(e)})
		}
		f.list(cc.Body, f.and(rest, cond))
		rest = f.and(rest, f.c.emit(instr{op: opNot, a: cond}))
	}
	if def != nil {
		f.list(def.Body, rest)
	}
}

func (f *frame) declare(n *ast.Ident, r int) {
	if n.Name == "_" {
		return
	}
	v, ok := f.c.info.Defs[n].(*types.Var)
	if !ok || !isFloat(v.Type()) {
		panic(unsuited{})
	}
	f.env[v] = r
}

var assignOps = map[token.Token]op{token.ADD_ASSIGN: opAdd, token.SUB_ASSIGN: opSub, token.MUL_ASSIGN: opMul, token.QUO_ASSIGN: opDiv}

func (f *frame) assign(s *ast.AssignStmt, mask int) {
	if o, ok := assignOps[s.Tok]; ok {
		f.set(s.Lhs[0], f.c.emit(instr{op: o, a: f.expr(s.Lhs[0]), b: f.expr(s.Rhs[0])}), mask)
		return
	}
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) {
		panic(unsuited{})
	}
	vals := make([]int, len(s.Rhs))
	for i, e := range s.Rhs {
		vals[i] = f.expr(e)
	}
	for i, l := range s.Lhs {
		id, ok := l.(*ast.Ident)
		if !ok {
			panic(unsuited{})
		}
		if s.Tok == token.DEFINE && f.c.info.Defs[id] != nil {
			f.declare(id, vals[i])
			continue
		}
		f.set(id, vals[i], mask)
	}
}

// set assigns a local variable where the mask is on.
func (f *frame) set(e ast.Expr, r, mask int) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		panic(unsuited{})
	}
	if id.Name == "_" {
		return
	}
	v, _ := f.c.info.Uses[id].(*types.Var)
	old, ok := f.env[v]
	if !ok {
		panic(unsuited{}) // assigning outside is a side effect
	}
	m := f.live(mask)
	if m >= 0 {
		r = f.c.emit(instr{op: opSelect, a: m, b: r, c: old})
	}
	f.env[v] = r
}

// cond compiles a boolean expression to a mask.
func (f *frame) cond(e ast.Expr) int {
	e = ast.Unparen(e)
	if tv := f.c.info.Types[e]; tv.Value != nil && tv.Value.Kind() == constant.Bool {
		return f.c.constant(truth(constant.BoolVal(tv.Value)))
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return f.c.emit(instr{op: opNot, a: f.cond(e.X)})
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			o := opAnd
			if e.Op == token.LOR {
				o = opOr
			}
			a := f.cond(e.X)
			return f.c.emit(instr{op: o, a: a, b: f.cond(e.Y)})
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
			a := f.expr(e.X)
			b := f.expr(e.Y)
			if e.Op == token.GTR || e.Op == token.GEQ {
				a, b = b, a
			}
			o := map[token.Token]op{token.LSS: opLess, token.GTR: opLess, token.LEQ: opLessEqual, token.GEQ: opLessEqual, token.EQL: opEqual, token.NEQ: opNotEqual}[e.Op]
			return f.c.emit(instr{op: o, a: a, b: b})
		}
	}
	panic(unsuited{})
}

// expr compiles a float expression to the register that holds it.
func (f *frame) expr(e ast.Expr) int {
	e = ast.Unparen(e)
	tv := f.c.info.Types[e]
	if tv.Value != nil {
		if !isFloat(tv.Type) {
			panic(unsuited{})
		}
		v, _ := constant.Float64Val(constant.ToFloat(tv.Value))
		return f.c.constant(v)
	}
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := f.c.info.Uses[e].(*types.Var)
		if !ok || !isFloat(v.Type()) {
			panic(unsuited{})
		}
		if r, ok := f.env[v]; ok {
			return r
		}
		if f.c.depth > 0 && !isGlobal(v) {
			panic(unsuited{})
		}
		return f.c.capture(v)
	case *ast.UnaryExpr:
		if !isFloat(tv.Type) {
			break
		}
		switch e.Op {
		case token.ADD:
			return f.expr(e.X)
		case token.SUB:
			return f.c.emit(instr{op: opNeg, a: f.expr(e.X)})
		}
	case *ast.BinaryExpr:
		o, ok := map[token.Token]op{token.ADD: opAdd, token.SUB: opSub, token.MUL: opMul, token.QUO: opDiv}[e.Op]
		if !ok || !isFloat(tv.Type) {
			break
		}
		a := f.expr(e.X)
		return f.c.emit(instr{op: o, a: a, b: f.expr(e.Y)})
	case *ast.CallExpr:
		return f.call(e)
	}
	panic(unsuited{})
}

func isGlobal(v *types.Var) bool {
	return v.Parent() != nil && v.Parent().Parent() == types.Universe
}

func (c *compiler) capture(v *types.Var) int {
	if r, ok := c.captures[v]; ok {
		return r
	}
	c.captured = append(c.captured, v)
	r := c.emit(instr{op: opCapture, a: len(c.captured) - 1, uniform: true})
	c.captures[v] = r
	return r
}

func (f *frame) call(e *ast.CallExpr) int {
	c := f.c
	fun := ast.Unparen(e.Fun)
	if tv := c.info.Types[fun]; tv.IsType() { // float64(x)
		if len(e.Args) == 1 && isFloat(tv.Type) && isFloat(c.info.TypeOf(e.Args[0])) {
			return f.expr(e.Args[0])
		}
		panic(unsuited{})
	}
	if e.Ellipsis.IsValid() {
		panic(unsuited{})
	}
	var obj types.Object
	switch x := fun.(type) {
	case *ast.Ident:
		obj = c.info.Uses[x]
	case *ast.SelectorExpr:
		if c.info.Selections[x] == nil {
			obj = c.info.Uses[x.Sel]
		}
	}
	var args []int
	for _, a := range e.Args {
		args = append(args, f.expr(a))
	}
	switch o := obj.(type) {
	case *types.Builtin:
		kind := map[string]op{"min": opMin, "max": opMax}[o.Name()]
		if kind == 0 || len(args) == 0 || !isFloat(c.info.TypeOf(e)) {
			break
		}
		acc := args[0]
		for _, a := range args[1:] {
			acc = c.emit(instr{op: kind, a: acc, b: a})
		}
		return acc
	case *types.Func:
		if o.Pkg() != nil && o.Pkg().Path() == "math" {
			if g := functions1[o.Name()]; g != nil && len(args) == 1 {
				return c.emit(instr{op: opCall1, a: args[0], f1: g})
			}
			if g := functions2[o.Name()]; g != nil && len(args) == 2 {
				return c.emit(instr{op: opCall2, a: args[0], b: args[1], f2: g})
			}
			break
		}
		return c.inlined(o, args)
	}
	panic(unsuited{})
}

// inlined compiles the body of a declared pure function in place.
func (c *compiler) inlined(fn *types.Func, args []int) int {
	if c.inline == nil || c.depth >= 8 {
		panic(unsuited{})
	}
	s := c.inline(fn)
	if s == nil || s.Type.Results == nil || len(s.Type.Results.List) != 1 || len(s.Type.Results.List[0].Names) > 0 {
		panic(unsuited{})
	}
	env := map[*types.Var]int{}
	i := 0
	for _, p := range s.Type.Params.List {
		for _, n := range p.Names {
			v, ok := s.Info.Defs[n].(*types.Var)
			if ok && !isFloat(v.Type()) || i >= len(args) {
				panic(unsuited{})
			}
			if ok {
				env[v] = args[i]
			}
			i++
		}
	}
	if i != len(args) || !isFloat(s.Info.TypeOf(s.Type.Results.List[0].Type)) {
		panic(unsuited{})
	}
	saved := c.info
	c.info = s.Info
	c.depth++
	r := c.body(s.Body.List, env)
	c.depth--
	c.info = saved
	return r
}
