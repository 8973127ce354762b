package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// onlyVars reports whether a cell has nothing but declarations: its variables are then initialised in Go's order of
// dependence, as those of a package are.
func onlyVars(list []ast.Stmt) bool {
	for _, s := range list {
		d, ok := s.(*ast.DeclStmt)
		if !ok {
			return false
		}
		if g, ok := d.Decl.(*ast.GenDecl); !ok || g.Tok != token.VAR {
			return false
		}
	}
	return len(list) > 0
}

// hoist turns the top-level := and var of a cell into package variables, so that its functions see them, and leaves
// a marker where each is initialised.
func (st *step) hoist(list []ast.Stmt, note func(string)) (stmts []ast.Stmt, decls []ast.Decl, err *Error) {
	st.slots = map[*ast.ExprStmt]ast.Stmt{}
	st.stores = map[*ast.Ident]bool{}
	seen := map[string]bool{}
	hide := func(stmts []ast.Node, name string) {
		if d := st.c.live[name]; d != nil {
			if _, ok := d.obj.(*types.Var); ok {
				renamed := false
				for _, s := range stmts {
					renamed = renameIdent(s, name, name+prev) || renamed
				}
				if renamed {
					st.oldVars[name+prev] = d
				}
			}
		}
	}
	var before []ast.Node
	slot := func(s ast.Stmt) {
		m := &ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent("slot·"), Lparen: s.Pos(), Rparen: s.Pos()}}
		st.slots[m] = s
		stmts = append(stmts, m)
	}
	for _, s := range list {
		switch s := s.(type) {
		case *ast.DeclStmt:
			g, ok := s.Decl.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				break
			}
			for _, sp := range g.Specs {
				vs := sp.(*ast.ValueSpec)
				for _, n := range vs.Names {
					if n.Name == "_" {
						continue
					}
					var nodes []ast.Node
					for _, v := range vs.Values {
						nodes = append(nodes, v)
					}
					hide(append(append([]ast.Node(nil), before...), nodes...), n.Name)
					seen[n.Name] = true
					note(n.Name)
				}
			}
			decls = append(decls, g)
			slot(s)
			before = append(before, s)
			continue
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				break
			}
			isNew := false
			for _, l := range s.Lhs {
				if id, ok := l.(*ast.Ident); ok && id.Name != "_" && !seen[id.Name] {
					isNew = true
				} else if !ok {
					e := st.c.errorAt(l.Pos(), "non-name on left side of :=")
					return nil, nil, &e
				}
			}
			if !isNew {
				e := st.c.errorAt(s.TokPos, "no new variables on left side of :=")
				return nil, nil, &e
			}
			var nodes []ast.Node
			for _, v := range s.Rhs {
				nodes = append(nodes, v)
			}
			var names []*ast.Ident
			var after []ast.Stmt
			for _, l := range s.Lhs {
				id := l.(*ast.Ident)
				switch {
				case id.Name == "_":
					names = append(names, id)
				case seen[id.Name]:
					d := ast.NewIdent(fmt.Sprintf("dup·%d·%s", len(st.dups)+1, id.Name))
					d.NamePos = id.Pos()
					st.dups[d.Name] = id.Name
					names = append(names, d)
					to := ast.NewIdent(id.Name)
					to.NamePos = id.Pos()
					st.stores[to] = true
					from := ast.NewIdent(d.Name)
					from.NamePos = id.Pos()
					after = append(after, &ast.AssignStmt{Lhs: []ast.Expr{to}, TokPos: s.TokPos, Tok: token.ASSIGN, Rhs: []ast.Expr{from}})
				default:
					hide(append(append([]ast.Node(nil), before...), nodes...), id.Name)
					seen[id.Name] = true
					note(id.Name)
					names = append(names, id)
				}
			}
			decls = append(decls, &ast.GenDecl{TokPos: s.Pos(), Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: names, Values: s.Rhs}}})
			slot(s)
			stmts = append(stmts, after...)
			before = append(before, s)
			continue
		}
		stmts = append(stmts, s)
		before = append(before, s)
	}
	return stmts, decls, nil
}

// renameIdent renames the plain uses of an identifier below n (not selectors, not struct keys).
func renameIdent(n ast.Node, from, to string) bool {
	found := false
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.SelectorExpr:
				walk(m.X)
				return false
			case *ast.CompositeLit:
				if m.Type != nil {
					walk(m.Type)
				}
				_, isMap := m.Type.(*ast.MapType)
				for _, e := range m.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						if _, id := kv.Key.(*ast.Ident); !id || isMap {
							walk(kv.Key)
						}
						walk(kv.Value)
					} else {
						walk(e)
					}
				}
				return false
			case *ast.Ident:
				if m.Name == from {
					m.Name = to
					found = true
				}
			}
			return true
		})
	}
	walk(n)
	return found
}
