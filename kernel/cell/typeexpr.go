package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// typeExpr writes a type as syntax; false when it cannot be named.
func typeExpr(t types.Type, main *types.Package, imports map[string]string) (ast.Expr, bool) {
	sub := func(t types.Type) ast.Expr {
		e, ok := typeExpr(t, main, imports)
		if !ok {
			return nil
		}
		return e
	}
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return ast.NewIdent(t.Name()), t.Kind() != types.UnsafePointer
	case *types.Named:
		var e ast.Expr
		o := t.Obj()
		switch {
		case o.Pkg() == nil || o.Pkg() == main:
			if o.Pkg() == main && o.Parent() != nil && o.Parent().Parent() != types.Universe {
				return nil, false
			}
			e = ast.NewIdent(o.Name())
		case !o.Exported():
			return nil, false
		default:
			n := "imp·" + strings.NewReplacer("/", "·", ".", "·").Replace(o.Pkg().Path())
			imports[n] = o.Pkg().Path()
			e = &ast.SelectorExpr{X: ast.NewIdent(n), Sel: ast.NewIdent(o.Name())}
		}
		if a := t.TypeArgs(); a.Len() > 0 {
			var ix []ast.Expr
			for i := range a.Len() {
				x := sub(a.At(i))
				if x == nil {
					return nil, false
				}
				ix = append(ix, x)
			}
			return &ast.IndexListExpr{X: e, Indices: ix}, true
		}
		return e, true
	case *types.Pointer:
		x := sub(t.Elem())
		return &ast.StarExpr{X: x}, x != nil
	case *types.Slice:
		x := sub(t.Elem())
		return &ast.ArrayType{Elt: x}, x != nil
	case *types.Array:
		x := sub(t.Elem())
		return &ast.ArrayType{Len: &ast.BasicLit{Kind: token.INT, Value: fmt.Sprint(t.Len())}, Elt: x}, x != nil
	case *types.Map:
		k, v := sub(t.Key()), sub(t.Elem())
		return &ast.MapType{Key: k, Value: v}, k != nil && v != nil
	case *types.Chan:
		x := sub(t.Elem())
		dir := map[types.ChanDir]ast.ChanDir{types.SendRecv: ast.SEND | ast.RECV, types.SendOnly: ast.SEND, types.RecvOnly: ast.RECV}[t.Dir()]
		return &ast.ChanType{Dir: dir, Value: x}, x != nil
	case *types.Signature:
		list := func(tup *types.Tuple, variadic bool) *ast.FieldList {
			l := &ast.FieldList{}
			for i := range tup.Len() {
				pt := tup.At(i).Type()
				var x ast.Expr
				if variadic && i == tup.Len()-1 {
					if y := sub(pt.(*types.Slice).Elem()); y != nil {
						x = &ast.Ellipsis{Elt: y}
					}
				} else {
					x = sub(pt)
				}
				if x == nil {
					return nil
				}
				l.List = append(l.List, &ast.Field{Type: x})
			}
			return l
		}
		p, r := list(t.Params(), t.Variadic()), list(t.Results(), false)
		return &ast.FuncType{Params: p, Results: r}, p != nil && r != nil
	case *types.Interface:
		if t.NumMethods() == 0 {
			return &ast.InterfaceType{Methods: &ast.FieldList{}}, true
		}
	}
	return nil, false
}
