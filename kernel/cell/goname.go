package cell

import (
	"fmt"
	"go/types"
)

// goName is a function's name as Go's linker has it, from which those of the closures in it are made: literals are numbered
// in the function they stand in, and so are the bodies of loops over functions.
type goName struct {
	full   string
	inner  bool    // a literal
	around *goName // of the body of a loop: the function that the loop stands in
	lits   int
	loops  int
}

// String is the whole name; of nil, code of no function, it is empty.
func (g *goName) String() string {
	if g == nil {
		return ""
	}
	return g.full
}

func newGoName(full string) *goName { return &goName{full: full} }

// goNameOf is the name of a declared function: main.f, main.(*T).m, slices.SortFunc[...].
func goNameOf(fn *types.Func) string {
	fn = fn.Origin()
	sig := fn.Type().(*types.Signature)
	path := "main"
	if fn.Pkg() != nil {
		path = fn.Pkg().Path()
	}
	if sig.Recv() == nil {
		if sig.TypeParams().Len() > 0 {
			return path + "." + fn.Name() + "[...]"
		}
		return path + "." + fn.Name()
	}
	n := namedOf(sig.Recv().Type())
	if n == nil {
		return path + "." + fn.Name()
	}
	t := n.Obj().Name()
	if n.TypeParams().Len() > 0 {
		t += "[...]"
	}
	if isPointer(sig.Recv().Type()) {
		t = "(*" + t + ")"
	}
	return path + "." + t + "." + fn.Name()
}

// literal is the name of the next function literal.
func (g *goName) literal() *goName {
	if g == nil {
		return nil
	}
	if g.around != nil {
		g = g.around
	}
	g.lits++
	if g.inner {
		return &goName{full: fmt.Sprintf("%s.%d", g.full, g.lits), inner: true}
	}
	return &goName{full: fmt.Sprintf("%s.func%d", g.full, g.lits), inner: true}
}

// loop is the name of the next body of a loop over a function.
func (g *goName) loop() *goName {
	if g == nil {
		return nil
	}
	if g.around != nil {
		g = g.around
	}
	g.loops++
	return &goName{full: fmt.Sprintf("%s-range%d", g.full, g.loops), inner: true, around: g}
}
