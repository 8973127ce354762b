package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"example.org/godp/kernel/cell/debug"
)

// While a debugger is attached, functions and statements are emitted with calls of it; see package debug for what and why.
// Everything that does so asks fn.dbg or unit.debug, which are nil otherwise.

// debugUnit is the instrumentation of one program.
type debugUnit struct {
	*debug.Unit
	armed   string // the emitted variable with the statements that may stop
	sources map[*source]*debug.Source
}

// debugFn is the instrumentation of one function, shared by the closures its body is emitted in.
type debugFn struct {
	fn               *debug.Func
	frame, pc, slots string // emitted names
	vars             map[*types.Var]debug.Var
	first            map[int]bool // lines on which a statement has been seen
	stmts            []*debug.Stmt
	prologue         int // line of the emitted function where captured variables are noted
	captured         []string
	closures         int
	outer            *debugFn
	static           []token.Pos
	info             *types.Info
	sub              *subst
}

// newUnit starts the lowering of one program.
func (c *Compiler) newUnit() *unit {
	u := &unit{c: c, values: map[string]string{}, loose: map[string]bool{}}
	if c.debugs {
		u.debug = &debugUnit{Unit: c.cfg.Debugger.NewUnit(), sources: map[*source]*debug.Source{}}
		u.debug.armed = fmt.Sprintf("db%d_", c.cfg.Debugger.Reserve(u.debug.Unit))
	}
	return u
}

// instruments reports whether what stands at pos is instrumented: sources of compiled packages are not.
func (u *unit) instruments(pos token.Pos) bool {
	return u.debug != nil && u.source(pos) != nil
}

func (u *unit) source(pos token.Pos) *source {
	if f := u.c.fset.File(pos); f != nil {
		return u.c.fileOf[f]
	}
	return nil
}

func (u *unit) debugSource(s *source) *debug.Source {
	d := u.debug.sources[s]
	if d == nil {
		d = &debug.Source{Name: s.name, Text: s.text, Path: u.c.cfg.Debugger.Path(s.text)}
		u.debug.sources[s] = d
	}
	return d
}

// steps reports whether a breakpoint stands in a function, so that it must not be compiled to a numeric program.
func (u *unit) steps(b *ast.BlockStmt) bool {
	if !u.instruments(b.Lbrace) {
		return false
	}
	s := u.source(b.Lbrace)
	return u.c.cfg.Debugger.Covers(u.c.cfg.Debugger.Path(s.text), u.c.position(b.Lbrace).Line, u.c.position(b.Rbrace).Line)
}

// sealDebug ends the instrumentation of a program and returns what it declares.
func (u *unit) sealDebug() string {
	if u.debug == nil || len(u.debug.Funcs) == 0 {
		return ""
	}
	u.c.cfg.Debugger.Seal(u.debug.Unit)
	return fmt.Sprintf("var %s []bool = h.DebugArmed(%d)\n", u.debug.armed, u.debug.ID)
}

// debugEnter starts an instrumented function; its own lines begin here.
func (f *fn) debugEnter(name string, pos token.Pos, cell bool) {
	outer := f.dbg
	f.dbg = nil
	if !f.u.instruments(pos) {
		return
	}
	if name == "" {
		name = "func"
		if outer != nil {
			outer.closures++
			name = fmt.Sprintf("%s.func%d", outer.fn.Name, outer.closures)
		}
	}
	u := f.u
	d := &debugFn{fn: &debug.Func{Name: name, Cell: cell}, frame: u.uniq("fr"), pc: u.uniq("pc"), slots: u.uniq("sl"),
		vars: map[*types.Var]debug.Var{}, first: map[int]bool{}, outer: outer, info: f.info, sub: f.sub}
	f.emit("%s, %s, %s := h.DebugEnter(%d, %d)", d.frame, d.pc, d.slots, u.debug.ID, len(u.debug.Funcs))
	f.extra[d.frame], f.extra[d.pc], f.extra[d.slots] = "*h.DebugFrame", "*int", "[]interface{}"
	u.debug.Funcs = append(u.debug.Funcs, d.fn)
	d.prologue = len(f.lines)
	f.emit("")
	f.dbg = d
}

// runBody emits the call of the closure that the body of a function is, when it has defers or is instrumented.
func (f *fn) runBody(body string) {
	d := f.dbg
	switch {
	case d == nil:
		f.emit("%s.Run(%s)", f.frame, body)
		return
	case f.frame == "":
		f.emit("h.DebugRun(%s, %s)", d.frame, body)
	default:
		f.emit("h.DebugRunDefers(%s, %s, %s)", d.frame, f.frame, body)
	}
	f.lines[d.prologue] = strings.Join(d.captured, "\n")
	for i, s := range d.stmts {
		d.inScope(s, d.static[i])
	}
}

// slot is where the frame keeps a variable.
func (d *debugFn) slot(f *fn, v *types.Var) int {
	x, ok := d.vars[v]
	if !ok {
		x = debug.Var{Name: v.Name(), Type: f.u.c.reps.of(f.sub.typ(v.Type())), Slot: d.fn.Slots}
		d.fn.Slots++
		d.vars[v] = x
	}
	return x.Slot
}

// note emits that a variable has come to life.
func (f *fn) note(v *types.Var, b *binding) {
	if d := f.dbg; d != nil && v.Name() != "_" {
		f.pass(d.slots)
		f.emit("%s[%d] = %s", d.slots, d.slot(f, v), b.name)
	}
}

// noteCaptured emits that a closure has a variable of the function around it.
func (f *fn) noteCaptured(v *types.Var, b *binding) {
	d := f.dbg
	if d == nil || f.parent.dbg == d {
		return
	}
	if _, known := d.vars[v]; !known {
		d.captured = append(d.captured, fmt.Sprintf("%s[%d] = %s", d.slots, d.slot(f, v), b.name))
	}
}

// hook emits what lets the debugger stop before a statement.
func (f *fn) hook(s ast.Stmt) {
	if f.dbg != nil {
		if pos, ok := stopsAt(s); ok {
			f.hookAt(pos)
		}
	}
}

// stopsAt is where the debugger stops before a statement; the parts of compound ones have their own places.
func stopsAt(s ast.Stmt) (token.Pos, bool) {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.EmptyStmt, *ast.CaseClause, *ast.CommClause:
		return token.NoPos, false
	case *ast.LabeledStmt:
		switch s.Stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return s.Stmt.Pos(), true // these are emitted together with their label
		}
		return token.NoPos, false
	case *ast.BranchStmt:
		return s.Pos(), s.Tok != token.FALLTHROUGH // which belongs to its clause
	case *ast.DeclStmt:
		if g, ok := s.Decl.(*ast.GenDecl); !ok || g.Tok != token.VAR {
			return token.NoPos, false
		}
	}
	return s.Pos(), true
}

func (f *fn) hookAt(pos token.Pos) {
	d := f.dbg
	if d == nil {
		return
	}
	src := f.u.source(pos)
	if src == nil {
		return
	}
	p := f.u.c.position(pos)
	i := len(f.u.debug.Stmts)
	s := &debug.Stmt{Source: f.u.debugSource(src), Line: p.Line, Col: p.Column, First: !d.first[p.Line]}
	d.first[p.Line] = true
	f.u.debug.Stmts = append(f.u.debug.Stmts, s)
	d.stmts, d.static = append(d.stmts, s), append(d.static, pos)
	f.pass(d.pc)
	f.pass(d.frame)
	f.emit("*%s = %d\nif %s[%d] {\nh.DebugStop(%s)\n}", d.pc, i, f.u.debug.armed, i, d.frame)
}

// scopeVar is a local variable as expressions typed into the debugger are checked against it.
type scopeVar struct {
	name string
	typ  types.Type
	slot int
}

// inScope finds the variables that can be used at pos: the innermost of each name, in the order of their declarations.
func (d *debugFn) inScope(s *debug.Stmt, pos token.Pos) {
	inner := map[string]*types.Var{}
	for v := range d.vars {
		sc := v.Parent()
		if sc == nil || !sc.Contains(pos) || v.Pos() >= pos {
			continue
		}
		if o := inner[v.Name()]; o == nil || o.Pos() < v.Pos() {
			inner[v.Name()] = v
		}
	}
	var list []*types.Var
	for _, v := range inner {
		list = append(list, v)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Pos() < list[j].Pos() })
	var static []scopeVar
	for _, v := range list {
		x := d.vars[v]
		s.Vars = append(s.Vars, x)
		static = append(static, scopeVar{x.Name, d.sub.typ(v.Type()), x.Slot})
	}
	s.Static = static
}

// StopLines lists the lines of a cell before which the debugger can stop, in ascending order; nil where the text does not parse.
func StopLines(text string) []int {
	fset := token.NewFileSet()
	src, errs := parseCell(fset, 0, "cell", text)
	if len(errs) > 0 {
		return nil
	}
	c := &Compiler{fset: fset, fileOf: map[*token.File]*source{}}
	for _, f := range src.files {
		c.fileOf[f] = src
	}
	seen := map[int]bool{}
	visit := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CommClause:
				for _, s := range n.Body {
					ast.Inspect(s, stopLine(c, seen))
				}
				return false
			case ast.Stmt:
				stopLine(c, seen)(n)
			}
			return true
		})
	}
	for _, d := range src.decls {
		visit(d)
	}
	for _, s := range src.stmts {
		visit(s)
	}
	var lines []int
	for l := range seen {
		lines = append(lines, l)
	}
	sort.Ints(lines)
	return lines
}

func stopLine(c *Compiler, seen map[int]bool) func(n ast.Node) bool {
	return func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok {
			if pos, ok := stopsAt(s); ok {
				seen[c.position(pos).Line] = true
			}
		}
		return true
	}
}

// SetDebug switches the instrumentation of what is compiled from now on. It reports whether declarations that are live
// should be emitted anew, with Reemit.
func (c *Compiler) SetDebug(on bool) (changed bool) {
	changed = c.debugs != on
	c.debugs = on
	return changed
}

// Reemit compiles the live functions and methods again, so that they are instrumented, or not any more. Values that hold functions
// keep the former ones. When it fails nothing has changed.
func (c *Compiler) Reemit() (p *Program, err error) {
	u := c.newUnit()
	type function struct {
		d  *decl
		fn *types.Func
	}
	var list []function
	was := map[*types.Func]string{}
	for _, k := range c.Names() {
		d := c.live[k]
		fd, ok := d.node.(*ast.FuncDecl)
		fn, isFunc := d.obj.(*types.Func)
		if !ok || !isFunc || fd.Body == nil {
			continue
		}
		if name, ok := c.funcs[fn]; ok {
			list = append(list, function{d, fn})
			was[fn] = name
		}
	}
	instances, named, pending := c.inst, c.named, c.types
	rollback := func() {
		for fn, name := range was {
			c.funcs[fn] = name
		}
		c.inst, c.named, c.types = instances, named, pending
	}
	defer func() {
		if r := recover(); r != nil {
			rollback()
			re, ok := r.(*refusedError)
			if !ok {
				panic(r)
			}
			p, err = nil, re
		}
	}()
	c.inst, c.named, c.types = nil, nil, nil
	for fn := range was {
		c.seq++
		c.funcs[fn] = fmt.Sprintf("f_%s_%d", sane(fn.Name()), c.seq)
	}
	st := &step{c: c, src: &source{name: "cell"}, info: newInfo()}
	for _, x := range list {
		fd := x.d.node.(*ast.FuncDecl)
		sig := x.fn.Type().(*types.Signature)
		u.pos = fd.Pos()
		u.function(c.funcs[x.fn], x.d.key, sig, sig.Recv(), fd.Body, x.d.info, nil)
	}
	p = st.finish(u, "", "", "", append(pending, named...))
	p.commit, p.rollback = func() { c.inst = append(c.inst, u.instances...) }, rollback
	return p, nil
}

// Sources lists the texts of the cells that have been compiled, in the order of their numbers.
func (c *Compiler) Sources() (names, texts []string) {
	var list []*source
	for _, s := range c.sources {
		list = append(list, s)
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].n < list[j].n || list[i].n == list[j].n && list[i].name < list[j].name
	})
	for _, s := range list {
		names, texts = append(names, s.name), append(texts, s.text)
	}
	return names, texts
}
