package cell

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Scope is a picture of the live declarations at one moment. It never changes, so it can be asked while a cell runs.
type Scope struct {
	names   map[string]Declared // by key: "f", "T", "T.m", "x"
	imports map[string]string   // local name -> path
	auto    map[string]string
	pkg     *types.Package
}

// Declared is a declaration made in a cell.
type Declared struct {
	Object types.Object
	Cell   string // In[3]
	fset   *token.FileSet
	node   ast.Decl
}

// Scope takes the picture.
func (c *Compiler) Scope() *Scope {
	s := &Scope{names: make(map[string]Declared, len(c.live)), imports: maps.Clone(c.imports), auto: c.cfg.AutoImport, pkg: c.pkg}
	for k, d := range c.live {
		x := Declared{Object: d.obj, fset: c.fset, node: d.node}
		if d.src != nil {
			x.Cell = d.src.name
		}
		s.names[k] = x
	}
	return s
}

// Declarations lists what is declared, by name; methods are left out.
func (s *Scope) Declarations() []Declared {
	var out []Declared
	for _, k := range slices.Sorted(maps.Keys(s.names)) {
		if !strings.Contains(k, ".") {
			out = append(out, s.names[k])
		}
	}
	return out
}

// Has reports whether a name is declared.
func (s *Scope) Has(name string) bool { _, ok := s.names[name]; return ok }

// Doc is the comment above the declaration.
func (d Declared) Doc() string {
	switch n := d.node.(type) {
	case *ast.FuncDecl:
		return n.Doc.Text()
	case *ast.GenDecl:
		for _, s := range n.Specs {
			if ts, ok := s.(*ast.TypeSpec); ok && ts.Doc != nil {
				return ts.Doc.Text()
			}
		}
		return n.Doc.Text()
	}
	return ""
}

// Source is the declaration as Go text, "" for a variable.
func (d Declared) Source() string {
	if d.node == nil {
		return ""
	}
	var b bytes.Buffer
	if printer.Fprint(&b, d.fset, d.node) != nil {
		return ""
	}
	return b.String()
}

// Place is what a cell's text says around a cursor.
type Place struct {
	Start, End int               // bytes of the identifier at the cursor; equal where there is none
	Package    *types.Package    // what stands before the dot, if that is a package
	Recv       types.Type        // the type of what stands before the dot, if it has one
	Object     types.Object      // what the identifier means, if it is known
	Selection  *types.Selection  // how it was found, for a field or method
	Names      []types.Object    // what can be used at the cursor: inner names before outer ones
	Members    []types.Object    // what can follow the dot
	Packages   map[string]string // packages that can be used: name -> path
	Declared   *Declared         // of Object, if it was declared in an earlier cell
	Dot        bool              // the identifier follows a dot
	Import     bool              // the cursor is inside the text of an import path
}

// cursorName stands for what is being typed. Its first letter is that of a click in the Khoisan languages, which no cell
// is likely to start a name with.
const cursorName = "ǃcursor"

// At examines the text around a cursor (a byte offset). For completion the identifier is looked at as unfinished and
// what is in scope is listed; otherwise the identifier itself is looked up.
func (s *Scope) At(text string, cursor int, importer types.Importer, completing bool) (p Place) {
	defer func() {
		if recover() != nil { // an unfinished text may lead the type checker astray; then nothing is known
			p.Object, p.Names, p.Members, p.Package, p.Recv = nil, nil, nil, nil, nil
		}
	}()
	cursor = min(max(cursor, 0), len(text))
	p.Start, p.End = identAround(text, cursor)
	after := p.End // the rest of the text
	if completing {
		p.End = cursor
	}
	p.Packages = s.packages()
	if path, from, ok := importPath(text, cursor); ok {
		p.Import, p.Start, p.End = true, from, from+len(path)
		return p
	}
	if inLiteral(text, cursor) {
		p.Start, p.End, p.Packages = cursor, cursor, nil
		return p
	}
	before := strings.TrimRight(text[:p.Start], " \t\n\r")
	p.Dot = strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..")
	if p.Start == p.End && !completing {
		return p
	}
	ident, rest := text[p.Start:p.End], text[after:]
	if completing {
		ident = cursorName
	}
	head := text[:p.Start] + ident
	// The whole text first; if that is not good enough to find the place, what stands before it with its brackets closed.
	for _, attempt := range []string{head + rest, head + closers(head)} {
		if s.examine(&p, attempt, p.Start, importer, completing) {
			break
		}
	}
	return p
}

func (s *Scope) packages() map[string]string {
	m := maps.Clone(s.auto)
	if m == nil {
		m = map[string]string{}
	}
	maps.Copy(m, s.imports)
	for k := range s.names {
		delete(m, k)
	}
	return m
}

// examine type-checks text and fills p with what it says about the identifier at offset.
func (s *Scope) examine(p *Place, text string, offset int, imp types.Importer, completing bool) bool {
	fset := token.NewFileSet()
	decls, stmts, imports, at := parseLoosely(fset, text, offset)
	if at == nil {
		return false
	}
	declared := map[string]bool{}
	var hoisted []ast.Decl
	var body []ast.Stmt
	for _, d := range decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, sp := range g.Specs {
				switch sp := sp.(type) {
				case *ast.TypeSpec:
					declared[sp.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range sp.Names {
						declared[n.Name] = true
					}
				}
			}
		} else if f, ok := d.(*ast.FuncDecl); ok {
			declared[declKey(f)] = true
		}
	}
	for _, st := range stmts { // top-level variables are seen by the functions of the cell
		if v := topVariable(st, declared); v != nil {
			hoisted = append(hoisted, v)
			continue
		}
		body = append(body, st)
	}
	for i, d := range decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			decls[i] = s.unbound(f, declared, i)
		}
	}
	pkg := types.NewPackage("main", "main")
	for k, d := range s.names {
		if !declared[k] && !strings.Contains(k, ".") {
			pkg.Scope().Insert(d.Object)
		}
	}
	all := append(append(slices.Clone(decls), hoisted...),
		&ast.FuncDecl{Name: ast.NewIdent("cell·"), Type: &ast.FuncType{Func: token.Pos(1), Params: &ast.FieldList{}},
			Body: &ast.BlockStmt{Lbrace: firstPos(body), List: body, Rbrace: token.Pos(fset.Base())}})
	paths := maps.Clone(s.imports)
	for _, im := range imports {
		path := strings.Trim(im.Path.Value, "`\"")
		name := path[strings.LastIndexByte(path, '/')+1:]
		if got, err := imp.Import(path); err == nil {
			name = got.Name()
		}
		if im.Name != nil {
			name = im.Name.Name
		}
		paths[name] = path
		p.Packages[name] = path
	}
	shadow := maps.Clone(declared)
	for k := range s.names {
		shadow[k] = true
	}
	c := &Compiler{cfg: Config{AutoImport: s.auto}}
	file := c.file(all, paths, shadow, nil)
	file.FileStart, file.FileEnd = 1, token.Pos(fset.Base())
	info := newInfo()
	conf := types.Config{Importer: imp, Error: func(error) {}, DisableUnusedImportCheck: true}
	types.NewChecker(&conf, fset, pkg, info).Files([]*ast.File{file})

	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel != at {
				return true
			}
			found = true
			if id, ok := n.X.(*ast.Ident); ok {
				if pn, ok := info.Uses[id].(*types.PkgName); ok {
					p.Package = pn.Imported()
				}
			}
			if tv, ok := info.Types[n.X]; ok && p.Package == nil && tv.Type != nil && tv.Type != types.Typ[types.Invalid] {
				p.Recv = tv.Type
				p.Members = members(tv.Type, tv.IsType(), tv.Addressable() || isVariable(info, n.X))
			}
			p.Selection = info.Selections[n]
			p.Object = info.Uses[at]
			if p.Selection != nil {
				p.Object = p.Selection.Obj()
			}
		case *ast.CompositeLit:
			if tv, ok := info.Types[n]; ok && completing && slices.ContainsFunc(n.Elts, func(e ast.Expr) bool { return keyOf(e) == at }) {
				t := tv.Type
				if ptr, ok := t.Underlying().(*types.Pointer); ok {
					t = ptr.Elem()
				}
				if st, ok := t.Underlying().(*types.Struct); ok {
					for i := range st.NumFields() {
						if f := st.Field(i); f.Exported() || isMain(f.Pkg()) {
							p.Names = append(p.Names, f)
						}
					}
				}
			}
		case *ast.Ident:
			if n == at {
				found = true
				if p.Object == nil {
					p.Object = info.ObjectOf(n)
				}
			}
		}
		return true
	})
	if !found {
		return false
	}
	if p.Package != nil && completing {
		for _, n := range p.Package.Scope().Names() {
			if o := p.Package.Scope().Lookup(n); o.Exported() {
				p.Members = append(p.Members, o)
			}
		}
	}
	if completing && !p.Dot {
		for sc := innermost(info, file, at.Pos()); sc != nil; sc = sc.Parent() {
			for _, n := range sc.Names() {
				_, o := sc.LookupParent(n, at.Pos())
				if own := sc.Lookup(n); own != o && sc != pkg.Scope() { // not declared yet at the cursor
					continue
				} else if sc == pkg.Scope() {
					o = own
				}
				if o != nil && !strings.Contains(n, "·") {
					p.Names = append(p.Names, o)
				}
			}
		}
		if p.Names == nil {
			return false
		}
	}
	if p.Object != nil && p.Object.Pkg() != nil {
		key := p.Object.Name()
		if f, ok := p.Object.(*types.Func); ok {
			if r := f.Signature().Recv(); r != nil {
				if n := namedOf(r.Type()); n != nil {
					key = n.Obj().Name() + "." + key
				}
			}
		}
		if d, ok := s.names[key]; ok && d.Object == p.Object {
			p.Declared = &d
		}
	}
	return p.Object != nil || completing && (p.Names != nil || p.Members != nil)
}

func isMain(p *types.Package) bool { return p != nil && p.Path() == "main" }

func isVariable(info *types.Info, e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = info.Uses[id].(*types.Var)
	return ok
}

func keyOf(e ast.Expr) *ast.Ident {
	if kv, ok := e.(*ast.KeyValueExpr); ok {
		e = kv.Key
	}
	id, _ := e.(*ast.Ident)
	return id
}

func firstPos(list []ast.Stmt) token.Pos {
	if len(list) > 0 {
		return list[0].Pos()
	}
	return 1
}
