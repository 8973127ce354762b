package cell

import (
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
)

// Conversions. The interpreter loses the identity of declared types in interfaces: testdata/lower/conv.txtar, types.txtar.

// assignable lowers e and converts it to t as an assignment does.
func (f *fn) assignable(e ast.Expr, t types.Type) string {
	e = ast.Unparen(e)
	tv := f.info.Types[e]
	if tv.IsNil() {
		return f.zero(t)
	}
	if id, ok := e.(*ast.Ident); ok {
		if _, ok := f.object(id).(*types.Nil); ok {
			return f.zero(t)
		}
	}
	if tv.Value != nil {
		ct := f.sub.typ(tv.Type)
		if b, ok := ct.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			if _, ok := t.Underlying().(*types.Basic); ok {
				return f.literal(tv.Value, t)
			}
			ct = types.Default(ct)
		}
		return f.coerce(f.literal(tv.Value, ct), ct, t)
	}
	from := f.typ(e)
	if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		if !isInterface(t) {
			return f.coerce(f.expr(e), t, t)
		}
		from = types.Default(from)
	}
	return f.coerce(f.expr(e), from, t)
}

// coerce converts the operand s of type from to type to by assignability.
func (f *fn) coerce(s string, from, to types.Type) string {
	if types.Identical(from, to) {
		return s
	}
	if b, ok := from.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return f.zero(to)
	}
	r := f.u.c.reps
	if isInterface(to) {
		native := r.nativeInterface(to)
		if isInterface(from) {
			fromNative := r.nativeInterface(from)
			switch {
			case !native && !fromNative:
				return s
			case !native:
				return f.h().fromNative(from) + "(" + s + ")"
			case !fromNative:
				return f.h().toNative(to) + "(" + s + ")"
			}
			return f.h().toNative(to) + "(" + f.h().fromNative(from) + "(" + s + "))"
		}
		d := r.of(from)
		if d.Faithful {
			if native || !isAtom(s) && !isLiteral(s) {
				return f.temp(s, from) // the interpreter computes into the target, which has another kind
			}
			return s
		}
		b := f.h().box(from) + "(" + s + ")"
		if native {
			return f.h().toNative(to) + "(" + b + ")"
		}
		return b
	}
	fr, tr := f.rolled(from), f.rolled(to)
	switch {
	case fr && !tr:
		return f.h().unroll(from) + "(" + s + ")"
	case tr && !fr:
		return f.temp(s, to)
	}
	a, b := r.of(from).Rep, r.of(to).Rep
	if a != b {
		if a.Kind() == reflect.Chan {
			return f.convHelper(from, to) + "(" + s + ")"
		}
		return "(" + f.text(to) + ")(" + s + ")"
	}
	return s
}

func (f *fn) convHelper(from, to types.Type) string {
	r := f.u.c.reps
	a, b := r.of(from).Rep, r.of(to).Rep
	return f.h().fn("conv "+r.text(a)+" to "+r.text(b), []reflect.Type{a}, []reflect.Type{b}, func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{in[0].Convert(b)}
	})
}

// convert lowers an explicit conversion T(e).
func (f *fn) convert(e ast.Expr, to types.Type) string {
	tv := f.info.Types[e]
	if tv.IsNil() {
		return f.zero(to)
	}
	from := f.typ(e)
	if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		if tv.Value != nil {
			if tb, ok := to.Underlying().(*types.Basic); ok {
				v := tv.Value
				if tb.Info()&types.IsString != 0 && v.Kind() == constant.Int {
					n, _ := constant.Int64Val(v)
					return f.literal(constant.MakeString(string(rune(n))), to)
				}
				return f.literal(convertConst(v, tb), to)
			}
		}
		from = types.Default(from)
		if isInterface(to) {
			return f.coerce(f.expr(e), from, to)
		}
		if types.ConvertibleTo(from, to) {
			return f.convertOperand(f.expr(e), from, to)
		}
	}
	return f.convertOperand(f.expr(e), from, to)
}

func convertConst(v constant.Value, b *types.Basic) constant.Value {
	switch {
	case b.Info()&types.IsInteger != 0:
		return constant.ToInt(v)
	case b.Info()&types.IsFloat != 0:
		return constant.ToFloat(v)
	case b.Info()&types.IsComplex != 0:
		return constant.ToComplex(v)
	}
	return v
}

func (f *fn) convertOperand(s string, from, to types.Type) string {
	if types.Identical(from, to) {
		return s
	}
	if isInterface(to) {
		return f.coerce(s, from, to)
	}
	s = f.under(s, from)
	r := f.u.c.reps
	fu, tu := from.Underlying(), to.Underlying()
	a, b := r.of(fu).Rep, r.of(tu).Rep
	named := r.of(to).Rep
	if f.rolled(to) {
		return f.temp(s, to)
	}
	fb, fok := fu.(*types.Basic)
	tb, tok := tu.(*types.Basic)
	switch {
	case r.of(from).Rep == named:
		return s
	case tok && tb.Info()&types.IsString != 0 && fok && fb.Info()&types.IsInteger != 0:
		if fb.Info()&types.IsUnsigned != 0 {
			return f.text(to) + "(h.RuneStringU(uint64(" + s + ")))"
		}
		return f.text(to) + "(h.RuneString(int64(" + s + ")))"
	case tok && fok && fb.Info()&types.IsFloat != 0 && tb.Info()&types.IsInteger != 0:
		return f.convHelper(from, to) + "(" + s + ")"
	case tok && fok:
		return f.text(to) + "(" + s + ")"
	}
	_, _ = a, b
	return f.convHelper(from, to) + "(" + s + ")"
}

// retype turns an operand of t's underlying type into one of t.
func (f *fn) retype(s string, t types.Type) string {
	if f.rolled(t) {
		return f.temp(s, t)
	}
	r := f.u.c.reps
	if r.of(t).Rep != r.of(t.Underlying()).Rep {
		return f.convHelper(t.Underlying(), t) + "(" + s + ")"
	}
	return s
}
