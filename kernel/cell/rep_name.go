package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// localType is what Go's compiler knows of a type declared inside a function beyond its name: its number among such types,
// and the type arguments of the function around it.
type localType struct {
	number int
	args   []types.Type
}

// noteLocals numbers the types declared inside functions below n.
func (c *Compiler) noteLocals(n ast.Node, info *types.Info) {
	depth := 0
	var ends []bool
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			if ends[len(ends)-1] {
				depth--
			}
			ends = ends[:len(ends)-1]
			return true
		}
		_, body := n.(*ast.BlockStmt)
		if body {
			depth++
		}
		ends = append(ends, body)
		if ts, ok := n.(*ast.TypeSpec); ok && depth > 0 && !ts.Assign.IsValid() {
			if o, ok := info.Defs[ts.Name].(*types.TypeName); ok {
				c.reps.localTypes++
				c.reps.local[o] = localType{number: c.reps.localTypes}
			}
		}
		return true
	})
}

// typeName is the name of a declared or compiled type as package reflect gives it: "main.T[int,main.U]".
func (r *reps) typeName(n *types.Named) string {
	prefix := ""
	if p := n.Obj().Pkg(); p != nil {
		prefix = p.Name() + "."
	}
	return prefix + r.instanceName(n)
}

// instanceName is the name without the package: the type arguments are written as linkers see them. Those of the function
// around a local type come first, before a semicolon.
func (r *reps) instanceName(n *types.Named) string {
	var own, outer []string
	for _, t := range r.local[n.Origin().Obj()].args {
		outer = append(outer, r.linkName(t))
	}
	for i := range n.TypeArgs().Len() {
		own = append(own, r.linkName(n.TypeArgs().At(i)))
	}
	args := strings.Join(own, ",")
	if len(outer) > 0 {
		sep := ";"
		if len(own) == 0 {
			sep = ""
		}
		args = strings.Join(outer, ",") + sep + args
	}
	if args != "" {
		args = "[" + args + "]"
	}
	return n.Obj().Name() + args
}

// linkName is a type as a type argument in another one's name: packages by their paths, local types with their numbers.
func (r *reps) linkName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return basics[t.Kind()].String()
	case *types.Named:
		s := r.instanceName(t)
		if l, ok := r.local[t.Origin().Obj()]; ok {
			s += "·" + strconv.Itoa(l.number)
		}
		if p := t.Obj().Pkg(); p != nil {
			s = p.Path() + "." + s
		}
		return s
	case *types.Pointer:
		return "*" + r.linkName(t.Elem())
	case *types.Slice:
		return "[]" + r.linkName(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), r.linkName(t.Elem()))
	case *types.Map:
		return "map[" + r.linkName(t.Key()) + "]" + r.linkName(t.Elem())
	case *types.Chan:
		e := r.linkName(t.Elem())
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + e
		case types.RecvOnly:
			return "<-chan " + e
		}
		if c, ok := types.Unalias(t.Elem()).(*types.Chan); ok && c.Dir() == types.RecvOnly {
			e = "(" + e + ")"
		}
		return "chan " + e
	case *types.Signature:
		return "func" + r.linkSignature(t)
	case *types.Struct:
		var fs []string
		for i := range t.NumFields() {
			f := t.Field(i)
			name := f.Name()
			if !f.Exported() && f.Pkg() != nil {
				name = f.Pkg().Path() + "." + name
			}
			s := r.linkName(f.Type())
			if !f.Embedded() {
				s = name + " " + s
			} else if _, named := types.Unalias(f.Type()).(*types.Named); named && !f.Exported() && s != name {
				s = name + " = " + s
			}
			if tag := t.Tag(i); tag != "" {
				s += " " + strconv.Quote(tag)
			}
			fs = append(fs, s)
		}
		if len(fs) == 0 {
			return "struct {}"
		}
		return "struct { " + strings.Join(fs, "; ") + " }"
	case *types.Interface:
		var exported, own []string
		for i := range t.NumMethods() {
			m := t.Method(i)
			s := m.Name() + r.linkSignature(m.Type().(*types.Signature))
			if m.Exported() {
				exported = append(exported, s)
			} else {
				own = append(own, m.Pkg().Path()+"."+s)
			}
		}
		if t.NumMethods() == 0 {
			return "interface {}"
		}
		return "interface { " + strings.Join(append(exported, own...), "; ") + " }"
	}
	return t.String()
}

func (r *reps) linkSignature(s *types.Signature) string {
	list := func(t *types.Tuple, variadic bool) string {
		var out []string
		for i := range t.Len() {
			x := t.At(i).Type()
			if variadic && i == t.Len()-1 {
				out = append(out, "..."+r.linkName(x.(*types.Slice).Elem()))
				continue
			}
			out = append(out, r.linkName(x))
		}
		return strings.Join(out, ", ")
	}
	res := list(s.Results(), false)
	switch s.Results().Len() {
	case 0:
	case 1:
		res = " " + res
	default:
		res = " (" + res + ")"
	}
	return "(" + list(s.Params(), s.Variadic()) + ")" + res
}

// name hands a type over to the interpreter under a name of ours.
func (r *reps) name(t reflect.Type) string {
	if r.names[t] == "" {
		r.n++
		r.names[t] = fmt.Sprintf("S%d", r.n)
		v := reflect.Zero(reflect.PointerTo(t))
		r.structs[r.names[t]], r.fresh[r.names[t]] = v, v
	}
	return r.names[t]
}
