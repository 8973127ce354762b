package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strings"
)

//go:embed families.go.txt
var familiesSource string

// variant is one combination of a family's methods.
type variant struct {
	methods []method
	any     bool // of a family that a value passed as any may need
}

// variants lists the combinations of all families, without repetition, the largest first.
func variants(l *loader) ([]variant, error) {
	file, err := parser.ParseFile(l.fset, "families.go", familiesSource, 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: importer{l, &listed{}}}
	pkg, err := conf.Check("families", l.fset, []*ast.File{file}, nil)
	if err != nil {
		return nil, err
	}
	byKey := map[string]int{}
	var all []variant
	for _, name := range pkg.Scope().Names() {
		family, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		if !ok {
			return nil, fmt.Errorf("families: %s is not a struct", name)
		}
		var base []method
		var options [][]method
		for f := range family.Fields() {
			var ms []method
			i := f.Type().Underlying().(*types.Interface)
			for m := range i.Methods() {
				ms = append(ms, method{m.Name(), m.Signature()})
			}
			if strings.HasPrefix(f.Name(), "Base") {
				base = append(base, ms...)
			} else {
				options = append(options, ms)
			}
		}
		for set := range 1 << len(options) {
			ms, ok := slices.Clone(base), true
			for i, o := range options {
				if set&(1<<i) != 0 {
					ms, ok = join(ms, o, ok)
				}
			}
			if !ok || len(ms) == 0 {
				continue
			}
			slices.SortFunc(ms, func(a, b method) int { return strings.Compare(a.name, b.name) })
			v := variant{ms, strings.HasPrefix(name, "Any")}
			if i, ok := byKey[v.key()]; ok {
				all[i].any = all[i].any || v.any
				continue
			}
			byKey[v.key()] = len(all)
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b variant) int {
		if d := len(b.methods) - len(a.methods); d != 0 {
			return d
		}
		return strings.Compare(a.key(), b.key())
	})
	return all, nil
}

// join adds the methods of an option, unless one of the same name and another signature is there.
func join(ms, option []method, ok bool) ([]method, bool) {
	for _, m := range option {
		i := slices.IndexFunc(ms, func(h method) bool { return h.name == m.name })
		if i < 0 {
			ms = append(ms, m)
		} else if !types.Identical(ms[i].sig, m.sig) {
			ok = false
		}
	}
	return ms, ok
}

// key tells variants apart: names and signatures.
func (v variant) key() string {
	var b strings.Builder
	for _, m := range v.methods {
		b.WriteString(m.name + types.TypeString(m.sig, nil) + ";")
	}
	return b.String()
}

// writeVariants writes the Go file with the type of every variant and their list.
func writeVariants(l *loader) ([]byte, error) {
	vs, err := variants(l)
	if err != nil {
		return nil, err
	}
	s := newSource("variant")
	table := s.use(module + "/stdlib/internal/table")
	s.printf("// All has all variants, the largest first.\n")
	s.printf("var All = []%s.Wrap{\n", table)
	w := func(i int) wrapper { return wrapper{name: fmt.Sprint(i), methods: vs[i].methods} }
	for i := range vs {
		s.printf("{New: func(v %s.Dynamic) any { return %s{v} }},\n", table, w(i).structName())
	}
	s.printf("}\n\n// Any has the indices in All of the variants for values passed as any.\nvar Any = []int{\n")
	for i, v := range vs {
		if v.any {
			s.printf("%d,\n", i)
		}
	}
	s.printf("}\n\n")
	for i := range vs {
		w(i).write(s, table)
	}
	return s.bytes()
}
