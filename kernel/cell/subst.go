package cell

import (
	"go/ast"
	"go/types"
	"maps"
)

// subst maps type parameters to the types of one instance. go/types offers no substitution, so this is ours.
type subst struct {
	m   map[*types.TypeParam]types.Type
	ctx *types.Context
	// local maps a type declared inside a generic function to its copy for this instance.
	local map[*types.TypeName]*types.Named
}

func (s *subst) typ(t types.Type) types.Type {
	if s == nil || t == nil || len(s.m) == 0 {
		return t
	}
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if r, ok := s.m[t]; ok {
			return r
		}
		return t
	case *types.Pointer:
		if e := s.typ(t.Elem()); e != t.Elem() {
			return types.NewPointer(e)
		}
	case *types.Slice:
		if e := s.typ(t.Elem()); e != t.Elem() {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := s.typ(t.Elem()); e != t.Elem() {
			return types.NewArray(e, t.Len())
		}
	case *types.Chan:
		if e := s.typ(t.Elem()); e != t.Elem() {
			return types.NewChan(t.Dir(), e)
		}
	case *types.Map:
		k, e := s.typ(t.Key()), s.typ(t.Elem())
		if k != t.Key() || e != t.Elem() {
			return types.NewMap(k, e)
		}
	case *types.Signature:
		p, r := s.tuple(t.Params()), s.tuple(t.Results())
		if p != t.Params() || r != t.Results() {
			return types.NewSignatureType(nil, nil, nil, p, r, t.Variadic())
		}
	case *types.Tuple:
		return s.tuple(t)
	case *types.Struct:
		var fields []*types.Var
		var tags []string
		changed := false
		for i := range t.NumFields() {
			f := t.Field(i)
			ft := s.typ(f.Type())
			if ft != f.Type() {
				changed = true
				f = types.NewField(f.Pos(), f.Pkg(), f.Name(), ft, f.Embedded())
			}
			fields, tags = append(fields, f), append(tags, t.Tag(i))
		}
		if changed {
			return types.NewStruct(fields, tags)
		}
	case *types.Interface:
		var ms []*types.Func
		changed := false
		for i := range t.NumMethods() {
			m := t.Method(i)
			sig := m.Type().(*types.Signature)
			if n := s.typ(sig).(*types.Signature); n != sig {
				changed = true
				m = types.NewFunc(m.Pos(), m.Pkg(), m.Name(), n)
			}
			ms = append(ms, m)
		}
		if changed {
			return types.NewInterfaceType(ms, nil).Complete()
		}
	case *types.Named:
		origin := t.Origin()
		c, changed := s.local[origin.Obj()]
		if changed {
			origin = c
		}
		a := t.TypeArgs()
		if changed && a == nil {
			return c
		}
		if a != nil {
			args := make([]types.Type, a.Len())
			for i := range args {
				args[i] = s.typ(a.At(i))
				changed = changed || args[i] != a.At(i)
			}
			if changed {
				if n, err := types.Instantiate(s.ctx, origin, args, false); err == nil {
					return n
				}
			}
		}
	}
	return t
}

func (s *subst) tuple(t *types.Tuple) *types.Tuple {
	if t == nil {
		return nil
	}
	vars := make([]*types.Var, t.Len())
	changed := false
	for i := range vars {
		v := t.At(i)
		vars[i] = v
		if n := s.typ(v.Type()); n != v.Type() {
			vars[i] = types.NewVar(v.Pos(), v.Pkg(), v.Name(), n)
			changed = true
		}
	}
	if !changed {
		return t
	}
	return types.NewTuple(vars...)
}

// locals makes copies of the types declared inside a generic function for one instance.
func (s *subst) locals(b *ast.BlockStmt, info *types.Info, pkg *types.Package, args []types.Type, r *reps) {
	var found []*types.TypeName
	ast.Inspect(b, func(n ast.Node) bool {
		if ts, ok := n.(*ast.TypeSpec); ok {
			if o, ok := info.Defs[ts.Name].(*types.TypeName); ok && !o.IsAlias() {
				s.local[o] = types.NewNamed(types.NewTypeName(o.Pos(), pkg, o.Name(), nil), nil, nil)
				found = append(found, o)
				r.local[s.local[o].Obj()] = localType{r.local[o].number, args}
			}
		}
		return true
	})
	for _, o := range found {
		inner := s
		if tps := o.Type().(*types.Named).TypeParams(); tps.Len() > 0 { // its type parameters are copied too
			inner = &subst{m: maps.Clone(s.m), ctx: s.ctx, local: s.local}
			var own []*types.TypeParam
			for i := range tps.Len() {
				tp := tps.At(i)
				own = append(own, types.NewTypeParam(types.NewTypeName(tp.Obj().Pos(), pkg, tp.Obj().Name(), nil), types.NewInterfaceType(nil, nil)))
				inner.m[tp] = own[i]
			}
			s.local[o].SetTypeParams(own)
		}
		s.local[o].SetUnderlying(inner.typ(o.Type().Underlying()))
	}
}
