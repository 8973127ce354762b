package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

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
	declText, stmtText := parts(text)
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
	if f, _ := parser.ParseFile(fset, "", declPrefix+declText+"\n", mode); f != nil {
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
	if f, _ := parser.ParseFile(fset, "", stmtPrefix+stmtText+"\n}", mode); f != nil {
		find(f, stmtPrefix)
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
				stmts = append(stmts, fd.Body.List...)
			}
		}
	}
	return decls, stmts, imports, at
}

// unbound makes a function of a method whose type was declared in an earlier cell: the checker takes methods only with
// their types. The receiver becomes the first parameter, its type parameters those of the function.
func (s *Scope) unbound(f *ast.FuncDecl, declared map[string]bool, n int) ast.Decl {
	if f.Recv == nil || len(f.Recv.List) != 1 || f.Type.Params == nil {
		return f
	}
	t := ast.Unparen(f.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
	}
	var args []ast.Expr
	switch x := t.(type) {
	case *ast.IndexExpr:
		t, args = x.X, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		t, args = x.X, x.Indices
	}
	base, ok := t.(*ast.Ident)
	if !ok || declared[base.Name] {
		return f
	}
	typ := *f.Type
	params := *f.Type.Params
	params.List = append([]*ast.Field{f.Recv.List[0]}, params.List...)
	typ.Params = &params
	if named, ok := s.names[base.Name]; ok && len(args) > 0 {
		if n, ok := named.Object.Type().(*types.Named); ok && n.TypeParams().Len() == len(args) {
			typ.TypeParams = &ast.FieldList{Opening: f.Type.Params.Opening, Closing: f.Type.Params.Opening}
			for i, a := range args {
				id, ok := a.(*ast.Ident)
				bound, err := parser.ParseExpr(types.TypeString(n.TypeParams().At(i).Constraint(), func(p *types.Package) string {
					if isMain(p) {
						return ""
					}
					return p.Name()
				}))
				if !ok || err != nil {
					return f
				}
				typ.TypeParams.List = append(typ.TypeParams.List, &ast.Field{Names: []*ast.Ident{id}, Type: bound})
			}
		}
	}
	return &ast.FuncDecl{Doc: f.Doc, Name: &ast.Ident{NamePos: f.Name.NamePos, Name: f.Name.Name + "·" + strconv.Itoa(n)}, Type: &typ, Body: f.Body}
}
