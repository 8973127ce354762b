package cell

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"
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

// innermost is the smallest scope of the file around a position.
func innermost(info *types.Info, file *ast.File, at token.Pos) *types.Scope {
	best := info.Scopes[file]
	size := token.Pos(1 << 30)
	for n, sc := range info.Scopes {
		if n == ast.Node(file) || sc == nil {
			continue
		}
		from, to := n.Pos(), n.End()
		if f, ok := n.(*ast.FuncType); ok { // the scope of a function's parameters reaches over its body
			ast.Inspect(file, func(m ast.Node) bool {
				switch m := m.(type) {
				case *ast.FuncDecl:
					if m.Type == f && m.Body != nil {
						from, to = m.Body.Pos(), m.Body.End()
					}
				case *ast.FuncLit:
					if m.Type == f {
						to = m.End()
					}
				}
				return true
			})
		}
		if from <= at && at <= to && to-from < size {
			best, size = sc, to-from
		}
	}
	return best
}

// topVariable turns a statement that declares new variables at the top level into a declaration.
func topVariable(s ast.Stmt, declared map[string]bool) ast.Decl {
	switch s := s.(type) {
	case *ast.DeclStmt:
		if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, sp := range g.Specs {
				for _, n := range sp.(*ast.ValueSpec).Names {
					if declared[n.Name] {
						return nil
					}
				}
			}
			for _, sp := range g.Specs {
				for _, n := range sp.(*ast.ValueSpec).Names {
					declared[n.Name] = true
				}
			}
			return g
		}
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			return nil
		}
		var names []*ast.Ident
		for _, l := range s.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok || declared[id.Name] {
				return nil
			}
			names = append(names, id)
		}
		for _, id := range names {
			declared[id.Name] = id.Name != "_"
		}
		return &ast.GenDecl{TokPos: s.Pos(), Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: names, Values: s.Rhs}}}
	}
	return nil
}

// parseLoosely parses a text that may be unfinished, and finds the identifier at offset.
func parseLoosely(fset *token.FileSet, text string, offset int) (decls []ast.Decl, stmts []ast.Stmt, imports []*ast.ImportSpec, at *ast.Ident) {
	text = strings.ReplaceAll(text, "\r\n", " \n")
	part := func(keep bool) string {
		b := []byte(text)
		for _, c := range chunks(text) {
			if c.decl == keep {
				continue
			}
			for i := c.from; i < c.to; i++ {
				if b[i] != '\n' {
					b[i] = ' '
				}
			}
			if c.to < len(b) && b[c.to] == ';' {
				b[c.to] = ' '
			}
		}
		return string(b)
	}
	find := func(f *ast.File, prefix string) {
		want := fset.File(f.FileStart).Pos(offset + len(prefix))
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Pos() == want {
				at = id
			}
			return true
		})
	}
	const mode = parser.ParseComments | parser.SkipObjectResolution | parser.AllErrors
	if f, _ := parser.ParseFile(fset, "", declPrefix+part(true)+"\n", mode); f != nil {
		find(f, declPrefix)
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				for _, s := range g.Specs {
					imports = append(imports, s.(*ast.ImportSpec))
				}
				continue
			}
			decls = append(decls, d)
		}
	}
	if f, _ := parser.ParseFile(fset, "", stmtPrefix+part(false)+"\n}", mode); f != nil {
		find(f, stmtPrefix)
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
				stmts = append(stmts, fd.Body.List...)
			}
		}
	}
	return decls, stmts, imports, at
}

// members lists the fields and methods that can follow a dot, each name once, sorted.
func members(t types.Type, isType, addressable bool) []types.Object {
	found := map[string]types.Object{}
	add := func(o types.Object) {
		if _, dup := found[o.Name()]; !dup && (o.Exported() || isMain(o.Pkg())) && o.Name() != "_" {
			found[o.Name()] = o
		}
	}
	sets := []types.Type{t}
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr && !types.IsInterface(t) && (addressable || isType) {
		sets = append(sets, types.NewPointer(t))
	}
	for _, s := range sets {
		ms := types.NewMethodSet(s)
		for i := range ms.Len() {
			add(ms.At(i).Obj())
		}
	}
	if !isType {
		seen := map[types.Type]bool{}
		level := []types.Type{t}
		for len(level) > 0 {
			var next []types.Type
			for _, t := range level {
				if p, ok := t.Underlying().(*types.Pointer); ok {
					t = p.Elem()
				}
				st, ok := t.Underlying().(*types.Struct)
				if !ok || seen[t] {
					continue
				}
				seen[t] = true
				for i := range st.NumFields() {
					add(st.Field(i))
					if st.Field(i).Embedded() {
						next = append(next, st.Field(i).Type())
					}
				}
			}
			level = next
		}
	}
	var out []types.Object
	for _, o := range found {
		out = append(out, o)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name() < out[j].Name() })
	return out
}

func isIdentByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func identEnd(text string, i int) int {
	for i < len(text) && isIdentByte(text[i]) {
		i++
	}
	return i
}

// identAround finds the identifier that the cursor is in or at an end of. After an opening parenthesis it is the name
// of what is being called.
func identAround(text string, cursor int) (from, to int) {
	from = cursor
	for from > 0 && isIdentByte(text[from-1]) {
		from--
	}
	to = identEnd(text, cursor)
	if from < to && text[from] >= '0' && text[from] <= '9' { // a number
		return cursor, cursor
	}
	return from, to
}

// scan calls f for each token of the text with its offsets until f returns false.
func scan(text string, f func(from, to int, tok token.Token, lit string) bool) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		from := file.Offset(pos)
		to := from + len(lit)
		if lit == "" || tok.IsOperator() {
			to = from + len(tok.String())
		}
		if !f(from, to, tok, lit) {
			return
		}
	}
}

// inLiteral reports whether the cursor is inside a string, a character or a comment.
func inLiteral(text string, cursor int) (in bool) {
	scan(text, func(from, to int, tok token.Token, lit string) bool {
		if from >= cursor {
			return false
		}
		switch tok {
		case token.STRING, token.CHAR:
			closed := len(lit) > 1 && lit[len(lit)-1] == lit[0]
			in = cursor < to || cursor == to && !closed
		case token.COMMENT:
			in = cursor < to || cursor == to && strings.HasPrefix(lit, "//")
		}
		return !in
	})
	return in
}

// importPath reports whether the cursor is inside the quotes of an import, and what is there up to the cursor.
func importPath(text string, cursor int) (path string, from int, ok bool) {
	importing, depth := false, 0
	scan(text, func(a, b int, tok token.Token, lit string) bool {
		if a >= cursor {
			return false
		}
		switch tok {
		case token.IMPORT:
			importing, depth = true, 0
		case token.LPAREN:
			depth++
		case token.RPAREN:
			depth--
			importing = importing && depth > 0
		case token.SEMICOLON:
			importing = importing && depth > 0
		case token.STRING:
			closed := len(lit) > 1 && lit[len(lit)-1] == lit[0]
			if importing && (cursor < b || cursor == b && !closed) {
				path, from, ok = text[a+1:cursor], a+1, true
				return false
			}
		}
		return true
	})
	return path, from, ok
}

// closers are the brackets that would finish an unfinished text.
func closers(text string) string {
	var stack []string
	scan(text, func(_, _ int, tok token.Token, _ string) bool {
		switch tok {
		case token.LPAREN:
			stack = append(stack, ")")
		case token.LBRACK:
			stack = append(stack, "]")
		case token.LBRACE:
			stack = append(stack, "\n}")
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
		return true
	})
	slices.Reverse(stack)
	return strings.Join(stack, "")
}
