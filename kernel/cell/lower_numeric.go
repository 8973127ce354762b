package cell

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"

	"example.org/godp/kernel/cell/vec"
)

// Pure functions of floats, compiled to vector programs (package vec): testdata/lower/numeric.txtar.

// numeric lowers a function literal (or a declared function used as a value) that is a pure function of floats to a
// compiled program: a call costs tens of nanoseconds instead of a microsecond, and package dp can run it on slices.
func (f *fn) numeric(t *ast.FuncType, b *ast.BlockStmt, info *types.Info) (string, bool) {
	if f.sub != nil || f.u.steps(b) {
		return "", false
	}
	p, captured, ok := vec.Compile(&vec.Source{Type: t, Body: b, Info: info, Inline: f.u.c.inlinable})
	if !ok {
		return "", false
	}
	var ptrs []string
	for _, v := range captured {
		if g := f.u.c.global(v); g != "" {
			ptrs = append(ptrs, "&"+g)
			continue
		}
		bind := f.ref(v)
		if bind == nil || !bind.boxed {
			return "", false
		}
		ptrs = append(ptrs, bind.name)
	}
	return f.h().program(p) + "(" + strings.Join(ptrs, ", ") + ")", true
}

// inlinable is the source of a declared function that a numeric program may call.
func (c *Compiler) inlinable(fn *types.Func) *vec.Source {
	b := c.bodies[fn]
	if b == nil || fn.Pkg() != c.pkg || b.decl.Recv != nil || b.decl.Type.TypeParams != nil || b.decl.Body == nil {
		return nil
	}
	return &vec.Source{Type: b.decl.Type, Body: b.decl.Body, Info: b.info}
}

// program returns the helper that binds a numeric program to the variables it captures.
func (h *helpers) program(p *vec.Program) string {
	in := make([]reflect.Type, p.Captures())
	for i := range in {
		in[i] = reflect.TypeFor[*float64]()
	}
	out := []reflect.Type{reflect.TypeFor[func(float64) float64](), reflect.TypeFor[func(x, y float64) float64](), reflect.TypeFor[func(x, y, z float64) float64]()}[p.Params()-1]
	return h.make(h.unique("program"), func() reflect.Value {
		return reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{out}, false), func(a []reflect.Value) []reflect.Value {
			vars := make([]*float64, len(a))
			for i := range a {
				vars[i] = a[i].Interface().(*float64)
			}
			b := p.Bind(vars)
			switch p.Params() {
			case 1:
				return []reflect.Value{reflect.ValueOf(b.Func1())}
			case 2:
				return []reflect.Value{reflect.ValueOf(b.Func2())}
			}
			return []reflect.Value{reflect.ValueOf(b.Func3())}
		})
	})
}
