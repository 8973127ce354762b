package session

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"time"
)

// looker evaluates expressions on the variables of a running cell. What it cannot have it panics about, with mustWait or failed.
type looker struct {
	s       *Session
	info    *types.Info
	globals map[string]reflect.Value
}

// values are the values of an expression: one, or the results of a call.
func (l *looker) values(e ast.Expr) []reflect.Value {
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok && !l.info.Types[c.Fun].IsType() && !l.info.Types[c.Fun].IsBuiltin() {
		return l.call(c)
	}
	return []reflect.Value{l.value(e)}
}

var kinds = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
	types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](), types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](),
	types.Uint16: reflect.TypeFor[uint16](), types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](), types.Complex64: reflect.TypeFor[complex64](),
	types.Complex128: reflect.TypeFor[complex128](), types.String: reflect.TypeFor[string](),
}

// value is the value of an expression with one value, a copy of its own.
func (l *looker) value(e ast.Expr) reflect.Value {
	e = ast.Unparen(e)
	if tv := l.info.Types[e]; tv.Value != nil {
		return constantValue(tv.Value, tv.Type)
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return unary(e.Op, l.value(e.X))
	case *ast.BinaryExpr:
		x := l.value(e.X)
		if x.Kind() == reflect.Bool && (e.Op == token.LAND && !x.Bool() || e.Op == token.LOR && x.Bool()) {
			return x
		}
		return binary(e.Op, x, l.value(e.Y))
	case *ast.CallExpr:
		tv := l.info.Types[e.Fun]
		switch {
		case tv.IsType():
			b, ok := tv.Type.Underlying().(*types.Basic)
			x := l.value(e.Args[0])
			if !ok || kinds[b.Kind()] == nil || b.Kind() == types.String && x.Kind() != reflect.String || isString(x) && b.Kind() != types.String {
				panic(mustWait("it converts to " + types.TypeString(tv.Type, qualifier)))
			}
			if n, ok := types.Unalias(tv.Type).(*types.Named); ok && n.Obj().Pkg().Path() != "main" {
				if n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Duration" {
					return x.Convert(reflect.TypeFor[time.Duration]())
				}
				panic(mustWait("it converts to " + types.TypeString(tv.Type, qualifier)))
			}
			return x.Convert(kinds[b.Kind()])
		case tv.IsBuiltin():
			x := l.place(e.Args[0])
			if x.Kind() == reflect.Pointer {
				x = x.Elem()
			}
			if e.Fun.(*ast.Ident).Name == "cap" {
				return reflect.ValueOf(x.Cap())
			}
			return reflect.ValueOf(x.Len()) // one word
		}
		vs := l.call(e)
		if len(vs) != 1 {
			panic(mustWait("it uses several values of a call"))
		}
		return vs[0]
	}
	return own(l.place(e), e)
}

// own copies what is read of a place, if that is sound.
func own(v reflect.Value, e ast.Expr) reflect.Value {
	switch {
	case v.Kind() >= reflect.Bool && v.Kind() <= reflect.Complex128, v.Type() == reflect.TypeFor[time.Time]():
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		return c
	}
	panic(mustWait(fmt.Sprintf("%s is a %v; while another cell runs, only numbers, bools, times and len can be read safely", types.ExprString(e), v.Kind())))
}

// place is where a variable, field, array element or what a pointer points to stands.
func (l *looker) place(e ast.Expr) reflect.Value {
	e = ast.Unparen(e)
	switch e := e.(type) {
	case *ast.Ident:
		if v, ok := l.info.Uses[e].(*types.Var); ok {
			if g, ok := l.globals[v.Name()]; ok && g.IsValid() && g.CanAddr() {
				return g
			}
		}
	case *ast.StarExpr:
		return l.pointed(l.place(e.X), e.X)
	case *ast.SelectorExpr:
		sel := l.info.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal {
			break
		}
		x, t := l.place(e.X), sel.Recv()
		for _, i := range sel.Index() {
			if p, ok := t.Underlying().(*types.Pointer); ok {
				x, t = l.pointed(x, e.X), p.Elem()
			}
			st, ok := t.Underlying().(*types.Struct)
			if !ok || x.Kind() != reflect.Struct || x.NumField() != st.NumFields() {
				panic(mustWait(types.ExprString(e) + " is not read while another cell runs"))
			}
			x, t = x.Field(i), st.Field(i).Type()
		}
		return x
	case *ast.IndexExpr:
		x := l.place(e.X)
		if x.Kind() == reflect.Pointer {
			x = l.pointed(x, e.X)
		}
		if x.Kind() == reflect.Array {
			i := l.value(e.Index)
			n := int64(-1)
			switch {
			case i.CanInt():
				n = i.Int()
			case i.CanUint() && i.Uint() < 1<<62:
				n = int64(i.Uint())
			}
			if n < 0 || n >= int64(x.Len()) {
				panic(failed(fmt.Sprintf("runtime error: index out of range [%d] with length %d", n, x.Len())))
			}
			return x.Index(int(n))
		}
		panic(mustWait(fmt.Sprintf("%s is an element of a %v, which the running cell may change meanwhile", types.ExprString(e), x.Kind())))
	}
	panic(mustWait(types.ExprString(e) + " is not read while another cell runs"))
}

func (l *looker) pointed(x reflect.Value, e ast.Expr) reflect.Value {
	if x.Kind() != reflect.Pointer {
		panic(mustWait(types.ExprString(e) + " is not read while another cell runs"))
	}
	p := reflect.New(x.Type()).Elem()
	p.Set(x) // one word, once
	if p.IsNil() {
		panic(failed("runtime error: invalid memory address or nil pointer dereference"))
	}
	return p.Elem()
}

// call calls a compiled function of the packages that check allows.
func (l *looker) call(c *ast.CallExpr) []reflect.Value {
	f := l.function(c)
	var fn reflect.Value
	if sel := l.info.Selections[ast.Unparen(c.Fun).(*ast.SelectorExpr)]; sel != nil {
		x := ast.Unparen(c.Fun).(*ast.SelectorExpr).X
		if f.Pkg().Path() == "sync/atomic" {
			p := l.place(x)
			if p.Kind() != reflect.Pointer {
				p = p.Addr()
			}
			fn = p.MethodByName(f.Name())
		} else {
			fn = l.value(x).MethodByName(f.Name())
		}
		if !fn.IsValid() {
			panic(mustWait("it calls " + types.ExprString(c.Fun)))
		}
	} else {
		var ok bool
		if fn, ok = l.s.symbol(f.Pkg(), f.Name()); !ok {
			panic(mustWait("it calls " + types.ExprString(c.Fun)))
		}
	}
	t := fn.Type()
	var args []reflect.Value
	for i, a := range c.Args {
		v := l.value(a)
		want := t.In(min(i, t.NumIn()-1))
		if t.IsVariadic() && i >= t.NumIn()-1 {
			want = t.In(t.NumIn() - 1).Elem()
		}
		switch {
		case v.Type().AssignableTo(want):
		case v.Type().ConvertibleTo(want) && v.Kind() == want.Kind():
			v = v.Convert(want)
		default:
			panic(mustWait("it calls " + types.ExprString(c.Fun)))
		}
		args = append(args, v)
	}
	if c.Ellipsis.IsValid() {
		panic(mustWait("it passes on a slice"))
	}
	return fn.Call(args)
}

func isString(v reflect.Value) bool { return v.Kind() == reflect.String }

func constantValue(c constant.Value, t types.Type) reflect.Value {
	b, ok := types.Default(t).Underlying().(*types.Basic)
	if !ok || kinds[b.Kind()] == nil {
		panic(mustWait("it has a constant of type " + types.TypeString(t, qualifier)))
	}
	v := reflect.New(kinds[b.Kind()]).Elem()
	switch {
	case b.Info()&types.IsBoolean != 0:
		v.SetBool(constant.BoolVal(c))
	case b.Info()&types.IsString != 0:
		v.SetString(constant.StringVal(c))
	case b.Info()&types.IsUnsigned != 0:
		n, _ := constant.Uint64Val(constant.ToInt(c))
		v.SetUint(n)
	case b.Info()&types.IsInteger != 0:
		n, _ := constant.Int64Val(constant.ToInt(c))
		v.SetInt(n)
	case b.Info()&types.IsFloat != 0:
		x, _ := constant.Float64Val(constant.ToFloat(c))
		v.SetFloat(x)
	default:
		z := constant.ToComplex(c)
		re, _ := constant.Float64Val(constant.Real(z))
		im, _ := constant.Float64Val(constant.Imag(z))
		v.SetComplex(complex(re, im))
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Duration" {
		return v.Convert(reflect.TypeFor[time.Duration]())
	}
	return v
}

func unary(op token.Token, x reflect.Value) reflect.Value {
	out := reflect.New(x.Type()).Elem()
	switch {
	case op == token.NOT:
		out.SetBool(!x.Bool())
	case op == token.ADD:
		return x
	case op == token.SUB && x.CanInt():
		out.SetInt(-x.Int())
	case op == token.SUB && x.CanUint():
		out.SetUint(truncated(-x.Uint(), x))
	case op == token.SUB && x.CanFloat():
		out.SetFloat(-x.Float())
	case op == token.SUB && x.CanComplex():
		out.SetComplex(-x.Complex())
	case op == token.XOR && x.CanInt():
		out.SetInt(^x.Int())
	case op == token.XOR && x.CanUint():
		out.SetUint(truncated(^x.Uint(), x))
	default:
		panic(mustWait("it uses the operator " + op.String()))
	}
	return out
}

// truncated is n in as many bits as x has; reflect's setters cut it off likewise, but for their overflow checks elsewhere.
func truncated(n uint64, x reflect.Value) uint64 {
	return n & (^uint64(0) >> (64 - x.Type().Bits()))
}

func binary(op token.Token, x, y reflect.Value) reflect.Value {
	switch op {
	case token.SHL, token.SHR:
		panic(mustWait("it shifts"))
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return reflect.ValueOf(compare(op, x, y))
	case token.LAND, token.LOR:
		return y
	}
	if x.Type() != y.Type() && x.Kind() == y.Kind() { // a constant beside a named type
		y = y.Convert(x.Type())
	}
	out := reflect.New(x.Type()).Elem()
	switch {
	case x.CanInt() && y.CanInt():
		out.SetInt(arithmetic(op, x.Int(), y.Int()))
	case x.CanUint() && y.CanUint():
		out.SetUint(truncated(arithmetic(op, x.Uint(), y.Uint()), x))
	case x.CanFloat() && y.CanFloat():
		out.SetFloat(floating(op, x.Float(), y.Float()))
	case x.CanComplex() && y.CanComplex():
		out.SetComplex(floating(op, x.Complex(), y.Complex()))
	default:
		panic(mustWait("it uses the operator " + op.String()))
	}
	return out
}

func arithmetic[T int64 | uint64](op token.Token, x, y T) T {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO, token.REM:
		if y == 0 {
			panic(failed("runtime error: integer divide by zero"))
		}
		if op == token.QUO {
			return x / y
		}
		return x % y
	case token.AND:
		return x & y
	case token.OR:
		return x | y
	case token.XOR:
		return x ^ y
	case token.AND_NOT:
		return x &^ y
	}
	panic(mustWait("it uses the operator " + op.String()))
}

func floating[T float64 | complex128](op token.Token, x, y T) T {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	}
	panic(mustWait("it uses the operator " + op.String()))
}

func compare(op token.Token, x, y reflect.Value) bool {
	order := func(less, equal bool) bool {
		switch op {
		case token.EQL:
			return equal
		case token.NEQ:
			return !equal
		case token.LSS:
			return less
		case token.LEQ:
			return less || equal
		}
		panic("compare")
	}
	if op == token.GTR || op == token.GEQ {
		op = map[token.Token]token.Token{token.GTR: token.LSS, token.GEQ: token.LEQ}[op]
		x, y = y, x
	}
	switch {
	case x.CanInt() && y.CanInt():
		return order(x.Int() < y.Int(), x.Int() == y.Int())
	case x.CanUint() && y.CanUint():
		return order(x.Uint() < y.Uint(), x.Uint() == y.Uint())
	case x.CanFloat() && y.CanFloat():
		return order(x.Float() < y.Float(), x.Float() == y.Float())
	case x.CanComplex() && y.CanComplex():
		return order(false, x.Complex() == y.Complex())
	case x.Kind() == reflect.Bool && y.Kind() == reflect.Bool:
		return order(false, x.Bool() == y.Bool())
	}
	panic(mustWait("it compares something else than numbers"))
}
