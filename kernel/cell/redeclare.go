package cell

import (
	"go/ast"
	"go/types"
)

// deps lists the keys of the live declarations that a declaration uses. A variable's type counts through its name.
func (c *Compiler) deps(n ast.Node, info *types.Info) map[string]bool {
	out := map[string]bool{}
	note := func(o types.Object) {
		if o == nil || o.Pkg() != c.pkg {
			return
		}
		switch o := o.(type) {
		case *types.Func:
			if r := o.Type().(*types.Signature).Recv(); r != nil {
				if n := namedOf(r.Type()); n != nil {
					out[n.Obj().Name()+"."+o.Name()] = true
					out[n.Obj().Name()] = true
				}
				return
			}
			out[o.Name()] = true
		case *types.TypeName, *types.Const:
			out[o.Name()] = true
		case *types.Var:
			if !o.IsField() {
				out[o.Name()] = true
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			o := info.Uses[id]
			if o != nil && o.Parent() != nil && o.Pkg() == c.pkg && o.Parent().Parent() != types.Universe {
				return true // local
			}
			note(o)
		}
		return true
	})
	// the type a function's body gets at only through values
	for _, t := range namedTypes(n, info) {
		if t.Obj().Pkg() == c.pkg {
			out[t.Obj().Name()] = true
		}
	}
	return out
}

// typeDeps lists the declared types that a variable's type names.
func (c *Compiler) typeDeps(t types.Type) map[string]bool {
	out := map[string]bool{}
	for k, d := range c.live {
		if _, ok := d.obj.(*types.TypeName); ok && mentions(t, k, c.pkg, map[types.Type]bool{}) {
			out[k] = true
		}
	}
	seen := map[types.Type]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		if n := namedOf(t); n != nil && !seen[n] {
			seen[n] = true
			if n.Obj().Pkg() == c.pkg {
				out[n.Obj().Name()] = true
			}
		}
	}
	walk(t)
	return out
}

func namedTypes(n ast.Node, info *types.Info) []*types.Named {
	var out []*types.Named
	seen := map[types.Type]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			out = append(out, t)
			for i := range t.TypeArgs().Len() {
				walk(t.TypeArgs().At(i))
			}
		case *types.Pointer:
			walk(t.Elem())
		case *types.Slice:
			walk(t.Elem())
		case *types.Array:
			walk(t.Elem())
		case *types.Chan:
			walk(t.Elem())
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case *types.Tuple:
			for i := range t.Len() {
				walk(t.At(i).Type())
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			walk(info.Types[e].Type)
		}
		return true
	})
	return out
}

// carryTypes lets a type that was declared anew unchanged (because a method was added, say) keep its descriptor, so
// that values made before are still of it.
func (st *step) carryTypes() {
	c := st.c
	type pair struct {
		key      string
		was, now *types.Named
	}
	var ps []pair
	changed := map[string]bool{}
	for _, d := range st.fresh {
		tn, ok := d.obj.(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		now, ok := tn.Type().(*types.Named)
		if !ok || now.TypeParams().Len() > 0 {
			continue
		}
		old := c.live[d.key]
		if old == nil {
			continue
		}
		was, ok := old.obj.Type().(*types.Named)
		if _, isT := old.obj.(*types.TypeName); !ok || !isT {
			continue
		}
		redeclared := d.src == st.src
		if redeclared {
			changed[d.key] = true // typed again by the user: a new type, even with the same fields
			if sameShape(was, now) {
				delete(changed, d.key)
			}
		} else if !sameShape(was, now) {
			changed[d.key] = true
		}
		ps = append(ps, pair{d.key, was, now})
	}
	for again := true; again; {
		again = false
		for _, p := range ps {
			if changed[p.key] {
				continue
			}
			for k := range changed {
				if mentions(p.now.Underlying(), k, c.pkg, map[types.Type]bool{}) {
					changed[p.key] = true
					again = true
				}
			}
		}
	}
	for _, p := range ps {
		if !changed[p.key] {
			c.reps.carry[p.now] = c.reps.of(p.was)
		}
	}
}

func sameShape(a, b *types.Named) bool {
	q := func(p *types.Package) string { return p.Path() }
	return types.TypeString(a.Underlying(), q) == types.TypeString(b.Underlying(), q)
}

// mentions reports whether t names the declared type key.
func mentions(t types.Type, key string, pkg *types.Package, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if t.Obj().Pkg() == pkg && t.Obj().Name() == key {
			return true
		}
		for i := range t.TypeArgs().Len() {
			if mentions(t.TypeArgs().At(i), key, pkg, seen) {
				return true
			}
		}
		if t.Obj().Pkg() == pkg {
			return mentions(t.Underlying(), key, pkg, seen)
		}
	case *types.Pointer:
		return mentions(t.Elem(), key, pkg, seen)
	case *types.Slice:
		return mentions(t.Elem(), key, pkg, seen)
	case *types.Array:
		return mentions(t.Elem(), key, pkg, seen)
	case *types.Chan:
		return mentions(t.Elem(), key, pkg, seen)
	case *types.Map:
		return mentions(t.Key(), key, pkg, seen) || mentions(t.Elem(), key, pkg, seen)
	case *types.Struct:
		for i := range t.NumFields() {
			if mentions(t.Field(i).Type(), key, pkg, seen) {
				return true
			}
		}
	case *types.Signature:
		for i := range t.Params().Len() {
			if mentions(t.Params().At(i).Type(), key, pkg, seen) {
				return true
			}
		}
		for i := range t.Results().Len() {
			if mentions(t.Results().At(i).Type(), key, pkg, seen) {
				return true
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			if mentions(t.Method(i).Type(), key, pkg, seen) {
				return true
			}
		}
	}
	return false
}
