package cell

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// The interpreter does not store an argument that package reflect calls zero in the callee's new frame, which turns -0 into
// 0, alone or in a struct or array that is zero but for it. A call through reflection does. So where a declared function is
// called directly, an argument that may be such a zero takes the other road; and what a closure's maker is given travels
// behind a pointer.

// floatLeaf finds a float stored in values of t: the selectors that lead to it from an operand (every float must be zero for
// the value to be one, so any of them will do), or, where none can be written, direct = false.
func (f *fn) floatLeaf(t types.Type) (path string, direct, found bool) {
	if f.rolled(t) {
		return "", false, false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsFloat != 0:
			return "", true, true
		case u.Info()&types.IsComplex != 0:
			return "", false, true
		}
	case *types.Array:
		if u.Len() > 0 {
			path, direct, found = f.floatLeaf(u.Elem())
			return "[0]" + path, direct, found
		}
	case *types.Struct:
		n, _ := types.Unalias(t).(*types.Named)
		compiled := n != nil && !f.u.c.reps.declared(n)
		for i := range u.NumFields() {
			v := u.Field(i)
			p, d, ok := f.floatLeaf(v.Type())
			if !ok {
				continue
			}
			found = true
			name := fieldName(v, i)
			if compiled {
				d = d && v.Exported()
				name = v.Name()
			}
			if d {
				return "." + name + p, true, true
			}
		}
	}
	return "", false, found
}

// maybeZero is a condition that holds at least when the operand (an atom) of type t is a zero with a float in it; empty
// when t has no floats.
func (f *fn) maybeZero(operand string, t types.Type) string {
	path, direct, found := f.floatLeaf(t)
	switch {
	case !found:
		return ""
	case direct:
		return "(" + operand + path + " == 0)"
	}
	return f.h().isZero(t) + "(" + operand + ")"
}

// signedZeros makes atoms of the operands of a direct call that may be -0 and lists the conditions under which they are.
func (f *fn) signedZeros(operands []string, ts []types.Type) (conds []string) {
	for i, a := range operands {
		if i >= len(ts) || isLiteral(a) {
			continue
		}
		if _, _, found := f.floatLeaf(ts[i]); !found {
			continue
		}
		operands[i] = f.atom(a, ts[i])
		conds = append(conds, f.maybeZero(operands[i], ts[i]))
	}
	return conds
}

// operandTypes are the types of what a direct call of c passes: the receiver and the parameters.
func (f *fn) operandTypes(c *callee) []types.Type {
	ts := append([]types.Type(nil), c.leadTypes...)
	for i := range c.sig.Params().Len() {
		ts = append(ts, f.sub.typ(c.sig.Params().At(i).Type()))
	}
	return ts
}

// callDirect lowers a direct call of a declared function whose operands may be -0; ok is false when none can.
func (f *fn) callDirect(c *callee, args []string, stmt bool) (s string, ok bool) {
	if c.direct == "" {
		return "", false
	}
	ts := f.operandTypes(c)
	operands := append(append([]string(nil), c.lead...), args...)
	conds := f.signedZeros(operands, ts)
	if len(conds) == 0 {
		return "", false
	}
	for i, a := range operands {
		if !isAtom(a) && !isLiteral(a) {
			operands[i] = f.temp(a, ts[i])
		}
	}
	cond := conds[0]
	if len(conds) > 1 {
		cond = f.temp(cond, types.Typ[types.Bool])
		for _, more := range conds[1:] {
			f.emit("if %s {\n%s = true\n}", more, cond)
		}
	}
	var res []string
	for i := range c.sig.Results().Len() {
		res = append(res, f.zeroed(f.text(f.sub.typ(c.sig.Results().At(i).Type()))))
	}
	lhs := ""
	if len(res) > 0 {
		lhs = strings.Join(res, ", ") + " = "
	}
	list := strings.Join(operands, ", ")
	f.emit("if %s {\n%s%s(%s, %s)\n} else {\n%s%s(%s)\n}", cond, lhs, f.applier(ts, c.sig.Results()), f.valueOf(c.direct, ts, c.sig.Results()), list, lhs, c.direct, list)
	if stmt {
		return "", true
	}
	return strings.Join(res, ", "), true
}

// callLast emits, as the last thing a function does, a direct call of target; with give it returns the results.
func (f *fn) callLast(target string, operands []string, ts []types.Type, results *types.Tuple, give bool) {
	for _, cond := range f.signedZeros(operands, ts) {
		call := f.applier(ts, results) + "(" + f.valueOf(target, ts, results) + ", " + strings.Join(operands, ", ") + ")"
		if give && results.Len() > 0 {
			f.emit("if %s {\nreturn %s\n}", cond, call)
		} else {
			f.emit("if %s {\n%s\nreturn\n}", cond, call)
		}
	}
	call := target + "(" + strings.Join(operands, ", ") + ")"
	if give && results.Len() > 0 {
		call = "return " + call
	}
	f.emit("%s", call)
}

// directLast is callLast of the declared function that c is, its results unused.
func (f *fn) directLast(c *callee, args []string) {
	f.callLast(c.direct, append(append([]string(nil), c.lead...), args...), f.operandTypes(c), c.sig.Results(), false)
}

// applier is a helper that calls, through reflection, a function with these operands and results.
func (f *fn) applier(ts []types.Type, results *types.Tuple) string {
	return f.h().apply(f.operandSignature(ts, results))
}

func (f *fn) operandSignature(ts []types.Type, results *types.Tuple) *types.Signature {
	var vars []*types.Var
	for _, t := range ts {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", t))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(vars...), f.sub.tuple(results), false)
}

// valueOf is an emitted function as a value. Inside a function literal the interpreter turns a function that stands further
// down into one that does nothing, so a top-level function names it.
func (f *fn) valueOf(target string, ts []types.Type, results *types.Tuple) string {
	name := f.u.values[target]
	if name == "" {
		name = f.u.uniq("fv")
		f.u.values[target] = name
		sig := f.operandSignature(ts, results)
		fmt.Fprintf(&f.u.out, "func %s() %s {\nv := %s(%s)\nreturn v\n}\n", name, f.text(sig), f.h().itself(sig), target)
	}
	return name + "()"
}

// holdsFloat reports whether a value of the representation written txt may be a -0.
func (r *reps) holdsFloat(txt string) bool {
	t, ok := r.written[txt]
	return ok && floats(t)
}

func floats(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return t.Len() > 0 && floats(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if floats(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// given is how a closure's maker is given the value of a variable: the parameter, the argument, and what the maker begins with.
func (f *fn) given(v freeVar) (param, arg, begin string) {
	if !f.u.c.reps.holdsFloat(v.typ) {
		return v.name + " " + v.typ, v.name, ""
	}
	p := f.u.uniq("t")
	f.emit("%s := new(%s)", p, v.typ)
	f.emit("*%s = %s", p, v.name)
	f.extra[p] = "*" + v.typ
	q := f.u.uniq("q")
	return q + " *" + v.typ, p, fmt.Sprintf("%s := *%s\n", v.name, q)
}
