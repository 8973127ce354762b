package main

import (
	"fmt"
	"go/types"
	"strings"
)

// Element types for which the generic functions of these packages are compiled. Cells can do without (they instantiate the
// source), but sorting a million numbers in an interpreter is no fun.
var (
	instancePackages = []string{"cmp", "maps", "math/rand/v2", "slices", "sync"}
	elements         = []types.Type{types.Typ[types.Int], types.Typ[types.Float64], types.Typ[types.String], types.Typ[types.Int64], types.Typ[types.Uint8], types.Typ[types.Int32]}
	keys             = elements[:3:3]
	values           = []types.Type{types.Typ[types.Int], types.Typ[types.Float64], types.Typ[types.String], types.Typ[types.Bool],
		types.NewSlice(types.Typ[types.Int]), types.NewSlice(types.Typ[types.Float64]), types.NewSlice(types.Typ[types.String])}
)

// writeInstances writes the table of compiled instances: "path.Func[type,type]" -> function.
func writeInstances(l *loader) ([]byte, error) {
	s := newSource("instance")
	table := s.use(module + "/stdlib/internal/table")
	s.printf("// All has the instances, named path.Func[type,type].\nvar All = []%s.Sym{\n", table)
	for _, path := range instancePackages {
		pkg := l.types[path]
		for _, name := range genericNames(pkg) {
			f, ok := pkg.Scope().Lookup(name).(*types.Func)
			if !ok {
				continue
			}
			for _, args := range instancesOf(f.Signature()) {
				var plain, qualified []string
				for _, a := range args {
					plain = append(plain, types.TypeString(a, nil))
					qualified = append(qualified, types.TypeString(a, s.qualify))
				}
				s.printf("{Name: %q, V: %s.%s[%s]},\n", path+"."+name+"["+strings.Join(plain, ",")+"]", s.use(path), name, strings.Join(qualified, ", "))
			}
		}
	}
	s.printf("}\n")
	return s.bytes()
}

// instancesOf lists type arguments for a generic function: one element type for all its parameters, or keys and values for
// the functions of maps; a parameter constrained to ~[]E or ~map[K]V is that type.
func instancesOf(sig *types.Signature) (all [][]types.Type) {
	params := sig.TypeParams()
	isMap := strings.Contains(types.TypeString(sig, nil), "comparable, V any")
	try := func(of func(*types.TypeParam) types.Type) {
		args := make([]types.Type, params.Len())
		var structural func(t types.Type) types.Type
		structural = func(t types.Type) types.Type {
			switch t := t.(type) {
			case *types.TypeParam:
				return of(t)
			case *types.Slice:
				return types.NewSlice(structural(t.Elem()))
			case *types.Map:
				return types.NewMap(structural(t.Key()), structural(t.Elem()))
			}
			return t
		}
		for i := range params.Len() {
			p := params.At(i)
			if core := coreOf(p); core != nil {
				args[i] = structural(core)
			} else {
				args[i] = of(p)
			}
		}
		if _, err := types.Instantiate(nil, sig, args, true); err == nil {
			all = append(all, args)
		}
	}
	if !isMap {
		for _, e := range elements {
			try(func(*types.TypeParam) types.Type { return e })
		}
		return all
	}
	for _, k := range keys {
		for _, v := range values {
			try(func(p *types.TypeParam) types.Type {
				if strings.HasPrefix(p.Obj().Name(), "K") {
					return k
				}
				return v
			})
		}
	}
	return all
}

// coreOf returns the type T of a constraint ~T that is a slice or a map, or nil.
func coreOf(p *types.TypeParam) types.Type {
	i := p.Constraint().Underlying().(*types.Interface)
	if i.NumEmbeddeds() != 1 {
		return nil
	}
	u, ok := i.EmbeddedType(0).(*types.Union)
	if !ok || u.Len() != 1 {
		return nil
	}
	switch t := u.Term(0).Type().(type) {
	case *types.Slice, *types.Map:
		return t
	}
	return nil
}

// instances writes the table.
func (g *generator) instances(l *loader) error {
	file, err := writeInstances(l)
	if err != nil {
		return fmt.Errorf("instances: %w", err)
	}
	return g.writeFile("stdlib/internal/table/instance/instances.go", "instance has compiled instances of generic functions for the commonest types.", file)
}
