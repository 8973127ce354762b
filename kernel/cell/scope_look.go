package cell

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// ErrStatements says that a text is not made of expressions only.
var ErrStatements = errors.New("it has statements or declarations")

// Expressions parses and type-checks a text that consists of expressions, one after the other. The error is ErrStatements where it has
// anything else, or what is wrong with it.
func (s *Scope) Expressions(text string, importer types.Importer) ([]ast.Expr, *types.Info, error) {
	for _, c := range chunks(text) {
		if c.decl {
			return nil, nil, ErrStatements
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", stmtPrefix+text+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	var list []ast.Expr
	pkg := types.NewPackage("main", "main")
	packages := s.packages()
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			return nil, nil, ErrStatements
		}
		for _, st := range f.Body.List {
			e, ok := st.(*ast.ExprStmt)
			if !ok {
				return nil, nil, ErrStatements
			}
			list = append(list, e.X)
			ast.Inspect(e.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && pkg.Scope().Lookup(id.Name) == nil {
					if d, ok := s.names[id.Name]; ok {
						pkg.Scope().Insert(d.Object)
					} else if path := packages[id.Name]; path != "" {
						if p, err := importer.Import(path); err == nil {
							pkg.Scope().Insert(types.NewPkgName(token.NoPos, pkg, id.Name, p))
						}
					}
				}
				return true
			})
		}
	}
	info := newInfo()
	for _, e := range list {
		if err := types.CheckExpr(fset, pkg, token.NoPos, e, info); err != nil {
			return nil, nil, err
		}
	}
	return list, info, nil
}
