package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"example.org/godp/kernel/cell/debug"
)

// evalFrame is the parameter of emitted expressions: the call they are evaluated in.
const evalFrame = "fr"

var frameType = reflect.TypeFor[*debug.Frame]()

// CompileIn compiles an expression or an assignment that is typed into the debugger, as it means at a statement where a call is
// stopped; at is nil for the top level. The program's entry is a func(*debug.Frame); the values go to the frame. It declares
// nothing: Commit keeps only instances of generic functions.
func (c *Compiler) CompileIn(at *debug.Stmt, text string) (*Program, ErrorList) {
	return c.compileIn(at, text, nil)
}

// CompileCopy compiles dst := src, where src is a local variable of a stopped call and dst a variable of the session, made anew.
func (c *Compiler) CompileCopy(at *debug.Stmt, src, dst string) (*Program, ErrorList) {
	if !token.IsIdentifier(dst) || !token.IsIdentifier(src) || dst == "_" || src == "_" {
		return nil, ErrorList{{Cell: "debugger", Line: 1, Col: 1, Msg: fmt.Sprintf("%q and %q must be names of variables", src, dst)}}
	}
	vars, _ := at.Static.([]scopeVar)
	if !slices.ContainsFunc(vars, func(v scopeVar) bool { return v.name == src }) {
		return nil, ErrorList{{Cell: "debugger", Line: 1, Col: 1, Msg: "there is no local variable " + src + " here"}}
	}
	const from = "·local"
	return c.compileIn(at, dst+" := "+src, func(s *source) string {
		renameIdent(s.stmts[0].(*ast.AssignStmt).Rhs[0], src, src+from)
		return from
	})
}

func (c *Compiler) compileIn(at *debug.Stmt, text string, declares func(*source) (suffix string)) (p *Program, errs ErrorList) {
	src, perrs := parseCell(c.fset, 0, "debugger", text)
	for _, f := range src.files {
		c.fileOf[f] = src
	}
	if len(perrs) > 0 {
		return nil, c.syntaxErrors(src, perrs)
	}
	suffix := ""
	if declares != nil {
		suffix = declares(src)
	} else if e := c.noDeclarations(src); e != nil {
		return nil, ErrorList{*e}
	}
	slots := map[*types.Var]scopeVar{}
	src.locals = map[string]*types.Var{}
	if at != nil {
		vars, _ := at.Static.([]scopeVar)
		for _, v := range vars {
			x := types.NewVar(token.NoPos, c.pkg, v.name+suffix, v.typ)
			src.locals[x.Name()], slots[x] = x, v
		}
	}
	st, errs := c.check(src)
	if len(errs) > 0 {
		return nil, errs
	}
	c.noteLocals(st.cell, st.info)
	u := c.newUnit()
	u.asked = true
	restore := st.install()
	named, pending := c.named, c.types
	defer func() {
		if r := recover(); r != nil {
			restore()
			c.named, c.types = named, pending
			re, ok := r.(*refusedError)
			if !ok {
				panic(r)
			}
			if !re.pos.IsValid() {
				re.pos = u.pos
			}
			p, errs = nil, ErrorList{c.errorAt(re.pos, re.what)}
			errs[0].Refused = true
		}
	}()
	c.types = nil
	f := &fn{u: u, info: st.info, vars: map[*types.Var]*binding{}, extra: map[string]string{evalFrame: "*h.DebugFrame"}, frees: map[string]bool{}, unsigned: map[string]string{}}
	f.sig = types.NewSignatureType(nil, nil, nil, nil, nil, false)
	f.facts = analyse(st.info, st.cell.Body, nil, c.isGlobal, false)
	st.addInitFacts(f.facts, u)
	used := map[*types.Var]bool{}
	for _, o := range st.info.Uses {
		if v, ok := o.(*types.Var); ok {
			used[v] = true
		}
	}
	for _, v := range src.locals {
		if used[v] {
			c.bindLocal(f, v, slots[v].slot)
		}
	}
	var globals strings.Builder
	for _, v := range st.newVars {
		fmt.Fprintf(&globals, "var %s %s\n", c.vars[v], c.reps.text(c.reps.of(v.Type()).Rep))
	}
	for _, d := range st.fresh { // what depends on a variable that is declared anew
		if fd, ok := d.node.(*ast.FuncDecl); ok && c.funcs[d.obj.(*types.Func)] != "" {
			sig := d.obj.Type().(*types.Signature)
			u.function(c.funcs[d.obj.(*types.Func)], d.key, sig, sig.Recv(), fd.Body, st.info, nil)
		}
	}
	st.statements(f, st.cell.Body.List)
	p = st.finish(u, globals.String(), evalFrame+" *h.DebugFrame", f.code(), append(pending, c.types...))
	p.commit = func() {
		c.inst = append(c.inst, u.instances...)
		if declares != nil {
			st.commit()
		}
	}
	return p, nil
}

// bindLocal gives a variable of a stopped call a name in the emitted code.
func (c *Compiler) bindLocal(f *fn, v *types.Var, slot int) {
	d := c.reps.of(v.Type())
	ptr := reflect.PointerTo(d.Rep)
	name := v.Name()
	get := c.help.fn(fmt.Sprintf("local %d %p", slot, d), []reflect.Type{frameType}, []reflect.Type{ptr}, func(a []reflect.Value) []reflect.Value {
		p := a[0].Interface().(*debug.Frame).Slots[slot]
		if p == nil {
			panic(fmt.Sprintf("the variable %s has not been declared yet", strings.TrimSuffix(name, "·local")))
		}
		return []reflect.Value{reflect.ValueOf(p)}
	})
	b := &binding{name: f.u.uniq("p"), typ: v.Type(), boxed: true, text: c.reps.text(d.Rep)}
	f.emit("%s := %s(%s)", b.name, get, evalFrame)
	f.vars[v] = b
}

// noDeclarations says what is wrong with a text that declares something.
func (c *Compiler) noDeclarations(src *source) *Error {
	const what = "the debugger evaluates expressions and assignments; it declares nothing"
	bad := func(pos token.Pos) *Error { e := c.errorAt(pos, what); return &e }
	if len(src.decls) > 0 {
		return bad(src.decls[0].Pos())
	}
	if len(src.imports) > 0 {
		return bad(src.imports[0].Pos())
	}
	for _, s := range src.stmts {
		switch s := s.(type) {
		case *ast.DeclStmt:
			return bad(s.Pos())
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				return bad(s.TokPos)
			}
		}
	}
	return nil
}
