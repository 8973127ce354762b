package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
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
