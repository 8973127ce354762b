package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"sort"
	"strings"

	"example.org/godp/kernel/cell/rt"
)

// collect turns the checked declarations into live ones (of this step).
func (st *step) collect() {
	c := st.c
	add := func(d *decl) { st.fresh = append(st.fresh, d) }
	one := func(n ast.Decl, src *source) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fn, ok := st.info.Defs[n.Name].(*types.Func)
			if !ok {
				return
			}
			if n.Name.Name == "_" {
				return // a blank method or function can never be called
			}
			add(&decl{key: declKey(n), obj: fn, node: n, src: src, info: st.info, deps: c.deps(n, st.info), doc: n.Doc.Text()})
		case *ast.GenDecl:
			for _, s := range n.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(&decl{key: s.Name.Name, obj: st.info.Defs[s.Name], node: n, src: src, info: st.info, deps: c.deps(n, st.info), doc: s.Doc.Text()})
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if o := st.info.Defs[id]; o != nil && id.Name != "_" {
							add(&decl{key: id.Name, obj: o, node: n, src: src, info: st.info, deps: c.deps(n, st.info), doc: n.Doc.Text()})
						}
					}
				}
			}
		}
	}
	for _, d := range st.src.decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == "init" {
			continue
		}
		one(d, st.src)
	}
	for _, d := range st.again {
		one(d.node, d.src)
	}
	// variables of this cell
	for _, id := range st.varIdents() {
		if v, ok := st.info.Defs[id].(*types.Var); ok {
			st.newVars = append(st.newVars, v)
			if st.dups[id.Name] == "" {
				add(&decl{key: id.Name, obj: v, src: st.src, info: st.info, deps: c.typeDeps(v.Type())})
			}
		}
	}
}

func (st *step) varIdents() []*ast.Ident {
	var out []*ast.Ident
	for id, o := range st.info.Defs {
		v, ok := o.(*types.Var)
		if ok && v.Parent() == st.scope && id.Name != "_" {
			re := false
			for _, d := range st.vars {
				re = re || d.key == id.Name
			}
			if !re {
				out = append(out, id)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Pos() < out[j].Pos() })
	return out
}

// install names everything the lowering refers to; the function it returns takes it back.
func (st *step) install() (restore func()) {
	c := st.c
	st.collect()
	var undo []func()
	setVar := func(v *types.Var, name string) {
		old, had := c.vars[v]
		c.vars[v] = name
		undo = append(undo, func() {
			if had {
				c.vars[v] = old
			} else {
				delete(c.vars, v)
			}
		})
	}
	// carry the descriptors of types that are declared anew with the same underlying type
	st.carryTypes()
	for _, d := range st.vars {
		nv, _ := st.scope.Lookup(d.key).(*types.Var)
		old := d.obj.(*types.Var)
		if nv == nil || c.reps.of(nv.Type()).Rep != c.reps.of(old.Type()).Rep {
			st.drop = append(st.drop, d.key)
			st.warn = append(st.warn, fmt.Sprintf("the variable %s still held a value of the former type %s and was removed; declare it again", d.key, types.TypeString(old.Type(), c.qualify)))
			continue
		}
		setVar(nv, c.vars[old])
		st.fresh = append(st.fresh, &decl{key: d.key, obj: nv, src: d.src, info: st.info, deps: c.typeDeps(nv.Type()), doc: d.doc})
	}
	for _, v := range st.newVars {
		c.seq++
		setVar(v, fmt.Sprintf("g_%s_%d", sane(strings.ReplaceAll(v.Name(), "·", "")), c.seq))
	}
	for _, d := range st.fresh {
		fd, ok := d.node.(*ast.FuncDecl)
		if !ok {
			continue
		}
		fn := d.obj.(*types.Func)
		c.bodies[fn] = &body{decl: fd, info: st.info, fn: fn}
		c.noteGotos(fd, st.info)
		sig := fn.Type().(*types.Signature)
		if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 {
			continue
		}
		c.seq++
		c.funcs[fn] = fmt.Sprintf("f_%s_%d", sane(fn.Name()), c.seq)
	}
	c.noteGotos(st.cell, st.info)
	return func() {
		for _, u := range undo {
			u()
		}
	}
}

// lower emits the whole cell.
func (st *step) lower(u *unit) *Program {
	c := st.c
	var globals strings.Builder
	for _, v := range st.newVars {
		u.pos = v.Pos()
		fmt.Fprintf(&globals, "var %s %s\n", c.vars[v], c.reps.text(c.reps.of(v.Type()).Rep))
	}
	pending := c.types
	c.types = nil
	for _, d := range st.fresh {
		fd, ok := d.node.(*ast.FuncDecl)
		if !ok {
			continue
		}
		fn := d.obj.(*types.Func)
		name, ok := c.funcs[fn]
		if !ok || fd.Body == nil {
			if fd.Body == nil {
				panic(&refusedError{fd.Pos(), "a function without a body is not supported in cells"})
			}
			continue
		}
		u.pos = fd.Pos()
		sig := fn.Type().(*types.Signature)
		u.functionNamed(name, d.key, goNameOf(fn), sig, sig.Recv(), fd.Body, st.info, nil)
	}
	// the cell's own statements
	f := &fn{u: u, info: st.info, name: "", goName: newGoName("main." + st.src.name), vars: map[*types.Var]*binding{}, extra: map[string]string{}, frees: map[string]bool{}, unsigned: map[string]string{}}
	list := st.cell.Body.List
	f.facts = analyse(st.info, st.cell.Body, nil, c.isGlobal, u.instruments(st.cell.Body.Rbrace))
	st.addInitFacts(f.facts, u)
	f.sig = types.NewSignatureType(nil, nil, nil, nil, nil, false)
	var initNames []string
	for i, d := range st.inits {
		name := fmt.Sprintf("init_%d_%d_%d", st.src.n, c.seq, i)
		u.functionNamed(name, "init", fmt.Sprintf("main.init.%d", i), f.sig, nil, d.Body, st.info, nil)
		initNames = append(initNames, name)
	}
	f.debugEnter(st.src.name, st.cell.Body.Rbrace, true)
	if f.facts.of(st.cell.Body).recovers {
		f.token = u.uniq("t")
		f.emit("%s := h.Enter()", f.token)
		f.extra[f.token] = "h.Token"
	}
	k := f
	defers := f.facts.of(st.cell.Body).defers
	if defers {
		f.frame = u.uniq("t")
		f.emit("%s := h.NewFrame()", f.frame)
		f.extra[f.frame] = "*h.Frame"
	}
	if defers || f.dbg != nil {
		k = f.child("")
		k.sig, k.frame, k.token, k.body = f.sig, f.frame, f.token, true
	}
	if st.ordered {
		st.initProgram(k)
	} else {
		for _, n := range initNames {
			k.emit("%s()", n)
		}
	}
	st.statements(k, list)
	if st.ordered {
		for _, n := range initNames {
			k.emit("%s()", n)
		}
	}
	if st.src.whole {
		if m, ok := st.scope.Lookup("main").(*types.Func); ok {
			if name, ok := c.funcs[m]; ok {
				k.emit("%s()", name)
			}
		}
	}
	if k != f {
		f.runBody(f.maker(k, nil, ""))
	}
	pending = append(pending, c.types...)
	c.types = nil
	for _, d := range st.fresh {
		if tn, ok := d.obj.(*types.TypeName); ok && !tn.IsAlias() {
			if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() == 0 {
				pending = append(pending, n)
			}
		}
	}
	return st.finish(u, globals.String(), "", f.code(), pending)
}

// finish emits what the lowered code needs beside it and puts the program together: its entry function has the parameters and
// the body given.
func (st *step) finish(u *unit, globals, params, body string, pending []*types.Named) *Program {
	c := st.c
	// instances of generic functions, and methods that values in interfaces may need, until nothing new turns up
	var inits []string
	done := map[*types.Named]bool{}
	for len(u.queue) > 0 || len(pending) > 0 {
		for len(u.queue) > 0 {
			q := u.queue[0]
			u.queue = u.queue[1:]
			q()
		}
		pending = append(pending, c.types...)
		c.types = nil
		if len(pending) == 0 {
			break
		}
		n := pending[0]
		pending = pending[1:]
		if done[n] || isInterface(n) {
			continue
		}
		done[n] = true
		c.named = append(c.named, n)
		inits = append(inits, st.registrations(u, n)...)
	}
	var b strings.Builder
	b.WriteString("package main\n")
	for _, im := range c.newImp {
		b.WriteString(im + "\n")
	}
	c.newImp = nil
	entry := fmt.Sprintf("cell_%d_%d", st.src.n, c.seq)
	c.seq++
	b.WriteString(globals)
	b.WriteString(u.sealDebug())
	b.WriteString(u.out.String())
	fmt.Fprintf(&b, "func %s(%s) {\n%s\n%s\n}\n", entry, params, strings.Join(inits, "\n"), body)
	return &Program{Symbols: c.newSymbols(), Source: b.String(), Entry: entry, Warnings: st.warn}
}

// isGlobal reports whether v lives at the top level of the session.
func (c *Compiler) isGlobal(v *types.Var) bool { return c.vars[v] != "" }

// registrations declares the methods of n for dynamic calls.
func (st *step) registrations(u *unit, n *types.Named) []string {
	c := st.c
	var out []string
	f := &fn{u: u, info: st.info, vars: map[*types.Var]*binding{}, extra: map[string]string{}, frees: map[string]bool{}, unsigned: map[string]string{}, facts: &facts{boxed: map[*types.Var]bool{}}}
	for i := range n.NumMethods() {
		m := n.Method(i)
		u.pos = m.Pos()
		var rt0 types.Type = n
		ptr := isPointer(m.Type().(*types.Signature).Recv().Type())
		if ptr {
			rt0 = types.NewPointer(n)
		}
		sig := m.Type().(*types.Signature)
		if sig.TypeParams().Len() > 0 {
			continue
		}
		name := u.methodName(m, rt0, f)
		params := []*types.Var{types.NewVar(token.NoPos, c.pkg, "r", rt0)}
		for j := range sig.Params().Len() {
			params = append(params, sig.Params().At(j))
		}
		full := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
		val := f.forward(name, full, nil, nil, false)
		h := c.help.declare(n, m.Name(), ptr, types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()), full)
		t := u.uniq("t")
		out = append(out, fmt.Sprintf("%s := %s", t, val), fmt.Sprintf("%s(%s)", h, t))
	}
	return out
}

// declare returns the helper that registers a method of a declared type.
func (h *helpers) declare(n *types.Named, name string, ptr bool, sig, full *types.Signature) string {
	d := h.r.of(n)
	st := h.r.of(sig)
	ft := h.r.of(full).Rep
	return h.fn(h.unique("declare"), []reflect.Type{ft}, nil, func(a []reflect.Value) []reflect.Value {
		d.Declare(&rt.Method{Name: name, Pointer: ptr, Type: st, Fn: reflect.ValueOf(a[0].Interface())})
		return nil
	})
}

// addInitFacts looks into the initialisers that were moved out of the cell's body.
func (st *step) addInitFacts(f *facts, u *unit) {
	for _, s := range st.slots {
		g := analyse(st.info, &ast.BlockStmt{List: []ast.Stmt{s}}, nil, st.c.isGlobal, u.instruments(s.Pos()))
		for v := range g.boxed {
			f.boxed[v] = true
		}
		for b, x := range g.bodies {
			f.bodies[b] = x
		}
	}
}

// initProgram runs package-level initialisers in Go's order.
func (st *step) initProgram(f *fn) {
	for _, in := range st.order {
		var lhs []ast.Expr
		for _, v := range in.Lhs {
			for id, o := range st.info.Defs {
				if o == v {
					lhs = append(lhs, id)
				}
			}
			if v.Name() == "_" && len(lhs) == 0 {
				lhs = append(lhs, ast.NewIdent("_"))
			}
		}
		if len(lhs) != len(in.Lhs) {
			for len(lhs) < len(in.Lhs) {
				lhs = append(lhs, ast.NewIdent("_"))
			}
		}
		f.u.pos = in.Rhs.Pos()
		f.hookAt(in.Rhs.Pos())
		f.define(lhs, []ast.Expr{in.Rhs}, true, in.Rhs.Pos())
	}
}

// statements lowers the cell's statements; the last one may be a value to show.
func (st *step) statements(f *fn, list []ast.Stmt) {
	for i, s := range list {
		if es, ok := s.(*ast.ExprStmt); ok {
			if o := st.slots[es]; o != nil {
				if !st.ordered {
					f.u.pos = o.Pos()
					f.stmt(asDecl(o, st))
					st.checkErr(f, o)
				}
				continue
			}
			if i == len(list)-1 && st.last != nil {
				f.u.pos = s.Pos()
				f.hook(s)
				st.show(f, es.X)
				continue
			}
		}
		f.stmt(s)
	}
}

// asDecl is the moved initialiser with the hidden names a second := got.
func asDecl(s ast.Stmt, st *step) ast.Stmt {
	as, ok := s.(*ast.AssignStmt)
	if !ok {
		return s
	}
	if g := st.declFor(as); g != nil {
		return &ast.DeclStmt{Decl: g}
	}
	return s
}

// declFor finds the package-level declaration made of a top-level :=.
func (st *step) declFor(as *ast.AssignStmt) *ast.GenDecl {
	vs := &ast.ValueSpec{Values: as.Rhs}
	for _, l := range as.Lhs {
		id := l.(*ast.Ident)
		if st.info.Defs[id] == nil && id.Name != "_" {
			// the hidden twin stands at the same place
			for d := range st.info.Defs {
				if st.dups[d.Name] == id.Name && d.Pos() == id.Pos() {
					id = d
					break
				}
			}
		}
		vs.Names = append(vs.Names, id)
	}
	return &ast.GenDecl{TokPos: as.Pos(), Tok: token.VAR, Specs: []ast.Spec{vs}}
}

// commit makes the step's declarations live.
func (st *step) commit() {
	c := st.c
	for _, k := range st.drop {
		c.forget(c.live[k])
		delete(c.live, k)
	}
	for _, d := range st.fresh {
		if old := c.live[d.key]; old != nil && old.obj != d.obj {
			c.forget(old)
		}
		c.live[d.key] = d
	}
	for _, im := range st.src.imports {
		path := strings.Trim(im.Path.Value, "`\"")
		if p, err := (importer{c}).Import(path); err == nil {
			n := p.Name()
			if im.Name != nil {
				n = im.Name.Name
			}
			if n == "." {
				c.dots = append(c.dots, im)
			} else if n != "_" {
				c.imports[n] = path
			}
		}
	}
}
