package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"
)

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
