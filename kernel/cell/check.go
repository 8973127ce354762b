package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"sort"
	"strings"
	"unsafe"
)

// step is one cell between check and commit.
type step struct {
	c       *Compiler
	src     *source
	info    *types.Info
	fresh   []*decl // declared by this cell
	again   []*decl // live ones that depend on what it redeclares: checked and emitted anew
	vars    []*decl // variables re-declared because their type was
	cell    *ast.FuncDecl
	scope   *types.Scope
	last    ast.Expr // the value to show
	oldVars map[string]*decl
	slots   map[*ast.ExprStmt]ast.Stmt
	stores  map[*ast.Ident]bool // where a second := stores into the variable: not a look at it
	dups    map[string]string   // hidden variable of a second := -> the variable it assigns
	order   []*types.Initializer
	ordered bool // initialise variables in Go's order
	warn    []string
	names   map[*types.Func]string
	saved   func()
	inits   []*ast.FuncDecl
	newVars []*types.Var
	drop    []string
	docs    map[string]string
}

// prev marks the former variable where a cell both reads x and declares it anew.
const prev = "·prev"

// check type-checks a cell against the live declarations.
func (c *Compiler) check(src *source) (*step, ErrorList) {
	st := &step{c: c, src: src, dups: map[string]string{}, oldVars: map[string]*decl{}}
	var errs ErrorList
	// what the cell declares
	declared := map[string]bool{}
	var top []string
	note := func(key string) {
		declared[key] = true
		top = append(top, key)
	}
	var decls []ast.Decl
	for _, d := range src.decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				st.inits = append(st.inits, d)
			} else {
				note(declKey(d))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					note(s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						note(n.Name)
					}
				}
			}
		}
		decls = append(decls, d)
	}
	st.ordered = src.whole || onlyVars(src.stmts)
	stmts, varDecls, err := st.hoist(src.stmts, note)
	if err != nil {
		return nil, ErrorList{*err}
	}
	decls = append(decls, varDecls...)

	// which live declarations are replaced, and what depends on them
	gone := map[string]bool{}
	for k := range declared {
		gone[k] = true
		if t, _, ok := strings.Cut(k, "."); ok && !declared[t] {
			if c.live[t] != nil {
				gone[t] = true // a method changes the method set: the type is declared anew with it
			}
		}
	}
	seeds := map[string]bool{}
	for k := range gone {
		if c.live[k] != nil || strings.Contains(k, ".") {
			seeds[k] = true
		}
	}
	affected := c.dependants(seeds)
	for k := range declared {
		delete(affected, k)
		if d := c.live[k]; d != nil { // methods go with the type that is declared anew from scratch
			if _, ok := d.obj.(*types.TypeName); ok {
				for m := range c.live {
					if strings.HasPrefix(m, k+".") && !declared[m] {
						delete(affected, m)
						st.drop = append(st.drop, m)
					}
				}
			}
		}
	}
	for k := range gone {
		if !declared[k] {
			affected[k] = true
			for m := range c.live {
				if strings.HasPrefix(m, k+".") && !declared[m] {
					affected[m] = true
				}
			}
		}
	}
	dropped := map[string]bool{}
	for _, m := range st.drop {
		dropped[m] = true
	}

	for {
		st.again, st.vars = nil, nil
		seen := map[ast.Decl]bool{}
		for _, k := range sortedKeys(affected) {
			d := c.live[k]
			if d == nil || declared[k] || dropped[k] {
				continue
			}
			if _, ok := d.obj.(*types.Var); ok {
				st.vars = append(st.vars, d)
				continue
			}
			if d.node != nil && !seen[d.node] {
				seen[d.node] = true
				st.again = append(st.again, d)
			}
		}
		info, pkgErrs, broken := st.run(decls, stmts, affected, declared, dropped)
		st.info = info
		if len(broken) > 0 {
			// declarations of earlier cells that no longer compile are taken out, with a word about it
			for k, msg := range broken {
				st.warn = append(st.warn, fmt.Sprintf("%s (declared in %s) no longer compiles and was removed: %s", k, c.live[k].src.name, msg))
				st.drop = append(st.drop, k)
				dropped[k] = true
				delete(affected, k)
				for d := range c.dependants(map[string]bool{k: true}) {
					if !declared[d] {
						affected[d] = true
					}
				}
			}
			continue
		}
		errs = append(errs, pkgErrs...)
		break
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return st, nil
}

func sortedKeys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// dependants is the set of live declarations that use any of keys, directly or not.
func (c *Compiler) dependants(keys map[string]bool) map[string]bool {
	out := map[string]bool{}
	work := sortedKeys(keys)
	for len(work) > 0 {
		k := work[0]
		work = work[1:]
		for name, d := range c.live {
			if d.deps[k] && !out[name] && !keys[name] {
				out[name] = true
				work = append(work, name)
				if _, ok := d.obj.(*types.TypeName); ok {
					for m := range c.live {
						if strings.HasPrefix(m, name+".") && !out[m] {
							out[m] = true
							work = append(work, m)
						}
					}
				}
			}
		}
	}
	return out
}

// run checks one set of declarations in a scope of its own. broken lists re-checked declarations of earlier cells
// that have errors.
func (st *step) run(decls []ast.Decl, stmts []ast.Stmt, affected, declared, dropped map[string]bool) (*types.Info, ErrorList, map[string]string) {
	c := st.c
	scope := emptyScope(c.pkg)
	st.scope = scope
	for k, d := range c.live {
		if strings.Contains(k, ".") || declared[k] || affected[k] || dropped[k] || st.src.locals[k] != nil {
			continue
		}
		scope.Insert(d.obj)
	}
	for _, v := range st.src.locals {
		scope.Insert(v)
	}
	for k, d := range st.oldVars {
		v := d.obj.(*types.Var)
		nv := types.NewVar(v.Pos(), c.pkg, k, v.Type())
		c.vars[nv] = c.vars[v]
		scope.Insert(nv)
	}
	name := ast.NewIdent("main")
	// the cell's own file
	cellName := ast.NewIdent(fmt.Sprintf("cell·%d", st.src.n))
	body := &ast.BlockStmt{List: stmts, Rbrace: st.src.end}
	st.cell = &ast.FuncDecl{Name: cellName, Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: body}
	slotFn := &ast.FuncDecl{Name: ast.NewIdent("slot·"), Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{}}
	own := append(append([]ast.Decl(nil), decls...), slotFn, st.cell)
	shadow := map[string]bool{}
	for k := range declared {
		shadow[k] = true
	}
	for k := range c.live {
		if !dropped[k] {
			shadow[k] = true
		}
	}
	for k := range st.src.locals {
		shadow[k] = true
	}
	cellImports := map[string]string{}
	for k, v := range c.imports {
		cellImports[k] = v
	}
	var errs ErrorList
	dots := c.dots
	for _, im := range st.src.imports {
		path := strings.Trim(im.Path.Value, "`\"")
		p, err := importer{c}.Import(path)
		if err != nil {
			e := c.errorAt(im.Path.Pos(), importMessage(path, err))
			e.Refused = true
			e.Hint = c.otherPath(path)
			errs = append(errs, e)
			continue
		}
		n := p.Name()
		if im.Name != nil {
			n = im.Name.Name
		}
		switch n {
		case "_":
		case ".":
			dots = append(dots[:len(dots):len(dots)], im)
		default:
			cellImports[n] = path
		}
	}
	if len(errs) > 0 {
		return nil, errs, nil
	}
	files := []*ast.File{c.file(own, cellImports, shadow, dots)}
	bySrc := map[*source][]ast.Decl{}
	var srcs []*source
	for _, d := range st.again {
		if bySrc[d.src] == nil {
			srcs = append(srcs, d.src)
		}
		bySrc[d.src] = append(bySrc[d.src], d.node)
	}
	for _, s := range srcs {
		files = append(files, c.file(bySrc[s], cellImports, shadow, dots))
	}
	if len(st.vars) > 0 {
		var vd []ast.Decl
		imp := map[string]string{}
		for _, d := range st.vars {
			e, ok := typeExpr(d.obj.Type(), c.pkg, imp)
			if !ok {
				continue
			}
			vd = append(vd, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent(d.key)}, Type: e}}})
		}
		f := &ast.File{Name: name}
		for n, p := range imp {
			f.Decls = append(f.Decls, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{Name: ast.NewIdent(n), Path: &ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("%q", p)}}}})
		}
		f.Decls = append(f.Decls, vd...)
		files = append(files, f)
	}
	info := newInfo()
	broken := map[string]string{}
	var cycles []types.Error
	var lastStmt *ast.ExprStmt
	if n := len(stmts); n > 0 {
		if es, ok := stmts[n-1].(*ast.ExprStmt); ok && st.slots[es] == nil {
			lastStmt = es
		}
	}
	st.last = nil
	if lastStmt != nil {
		st.last = lastStmt.X
	}
	var raw []types.Error
	conf := types.Config{Importer: importer{c}, GoVersion: "go1.26", Error: func(err error) {
		te := err.(types.Error)
		code := errorCode(te)
		switch {
		case code == "UnusedVar", code == "UnusedImport":
			return
		case code == "InvalidInitCycle" && !st.ordered:
			cycles = append(cycles, te) // statements run in order, so only a type that cannot be found is an error
			return
		case code == "UnusedExpr" && lastStmt != nil && te.Pos >= lastStmt.Pos() && te.Pos <= lastStmt.End():
			return
		}
		if d := st.ownerOf(te.Pos); d != nil {
			if broken[d.key] == "" {
				broken[d.key] = te.Msg
			}
			return
		}
		errs = append(errs, c.typeError(te))
		raw = append(raw, te)
	}}
	checker := types.NewChecker(&conf, c.fset, c.pkg, info)
	_ = checker.Files(files)
	if len(errs) == 0 && len(cycles) > 0 {
		for _, o := range info.Defs {
			if v, ok := o.(*types.Var); ok && v.Type() == types.Typ[types.Invalid] {
				for _, e := range cycles {
					errs = append(errs, c.typeError(e))
				}
				break
			}
		}
	}
	if len(raw) > 0 {
		h := c.hints(files[0], info, cellImports)
		for i, te := range raw {
			h.Names = namesAt(h.path(te.Pos), info, c.pkg)
			errs[len(errs)-len(raw)+i].Hint = h.For(te)
		}
	}
	st.order = info.InitOrder
	if len(errs) > 0 {
		return info, errs.tidy(), nil
	}
	return info, nil, broken
}

// ownerOf finds the re-checked live declaration pos lies in.
func (st *step) ownerOf(pos token.Pos) *decl {
	for _, d := range st.again {
		if d.node.Pos() <= pos && pos <= d.node.End() {
			return d
		}
	}
	return nil
}

// file makes a file of declarations with the imports they mention.
func (c *Compiler) file(decls []ast.Decl, imports map[string]string, shadow map[string]bool, dots []*ast.ImportSpec) *ast.File {
	f := &ast.File{Name: ast.NewIdent("main")}
	used := map[string]token.Pos{}
	for _, d := range decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if se, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := se.X.(*ast.Ident); ok {
					if _, dup := used[id.Name]; !dup {
						used[id.Name] = id.Pos()
					}
				}
			}
			return true
		})
	}
	var names []string
	for n := range used {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		path, explicit := imports[n]
		if !explicit {
			if shadow[n] {
				continue
			}
			path = c.cfg.AutoImport[n]
		}
		if path == "" || shadow[n] && !explicit {
			continue
		}
		id := ast.NewIdent(n)
		id.NamePos = used[n]
		f.Decls = append(f.Decls, &ast.GenDecl{TokPos: used[n], Tok: token.IMPORT, Specs: []ast.Spec{
			&ast.ImportSpec{Name: id, Path: &ast.BasicLit{ValuePos: used[n], Kind: token.STRING, Value: fmt.Sprintf("%q", path)}}}})
	}
	for _, d := range dots {
		f.Decls = append(f.Decls, &ast.GenDecl{TokPos: d.Pos(), Tok: token.IMPORT, Specs: []ast.Spec{d}})
	}
	f.Decls = append(f.Decls, decls...)
	return f
}

// emptyScope takes all names out of the package's scope, so that a cell can declare them anew. go/types offers no way to
// do that, and compares an object's scope with its package's, so it must stay the same one; a test watches the fields.
func emptyScope(p *types.Package) *types.Scope {
	s := p.Scope()
	*(*map[string]types.Object)(unsafe.Pointer(uintptr(unsafe.Pointer(s)) + scopeFields.elems)) = nil
	*(*[]*types.Scope)(unsafe.Pointer(uintptr(unsafe.Pointer(s)) + scopeFields.children)) = nil
	return s
}

// noteGotos records the labels that goto statements name.
func (c *Compiler) noteGotos(n ast.Node, info *types.Info) {
	ast.Inspect(n, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			if o := info.Uses[b.Label]; o != nil {
				c.gotos[o] = true
			}
		}
		return true
	})
}

// scopeFields is where a types.Scope keeps its names and its inner scopes.
var scopeFields = func() (o struct{ elems, children uintptr }) {
	t := reflect.TypeFor[types.Scope]()
	elems, ok1 := t.FieldByName("elems")
	children, ok2 := t.FieldByName("children")
	if !ok1 || !ok2 || elems.Type != reflect.TypeFor[map[string]types.Object]() || children.Type != reflect.TypeFor[[]*types.Scope]() {
		panic("cell: this Go release keeps a scope's names elsewhere")
	}
	o.elems, o.children = elems.Offset, children.Offset
	return o
}()
