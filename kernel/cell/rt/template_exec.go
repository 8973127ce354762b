package rt

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"strings"
	"text/template/parse"
)

// carried is a value of a declared type on its way through a template that can still be addressed: methods on its
// pointer can be called.
type carried struct{ x val }

func (c carried) Dynamic() Dynamic              { return c.x.interfaceOf().(Box) }
func (c carried) Format(f fmt.State, verb rune) { c.x.interfaceOf().(Box).Format(f, verb) }
func (c carried) MarshalJSON() ([]byte, error)  { return marshalJSON(c.x, false) }

// carry is the interface value that holds x, addressable if x is.
func (x val) carry() any {
	d := x.dynamic()
	if d.t != nil && d.v.IsValid() && d.v.CanAddr() && d.kind() != reflect.Pointer {
		return carried{d}
	}
	return d.interfaceOf()
}

// indirectVal follows pointers and interfaces; isNil says that it ended at a nil one.
func indirectVal(x val) (y val, isNil bool) {
	for x.valid() && (x.kind() == reflect.Pointer || x.kind() == reflect.Interface) {
		if x.isNil() {
			return x, true
		}
		x = x.elem()
	}
	return x, false
}

// selected evaluates from.a.b.c(args...).
func (rw *rewriter) selected(from any, path []string, args []any) (any, error) {
	x := valOf(from)
	for i, name := range path {
		var a []any
		if i == len(path)-1 {
			a = args
		}
		var err error
		if x, err = rw.field(x, name, a); err != nil {
			return nil, err
		}
	}
	return x.carry(), nil
}

const (
	missingInvalid = iota // what text/template does with a key that a map has not
	missingZero
	missingError
)

func (rw *rewriter) field(x val, name string, args []any) (val, error) {
	if !x.valid() {
		if rw.missing == missingError {
			return val{}, errorf("nil data; no entry for key %q", name)
		}
		return val{}, nil
	}
	typ := x.typeString()
	y, isNil := indirectVal(x)
	if y.kind() == reflect.Interface && isNil {
		return val{}, errorf("nil pointer evaluating %s.%s", typ, name)
	}
	ptr := y
	if k := ptr.kind(); k != reflect.Interface && k != reflect.Pointer && ptr.v.IsValid() && ptr.v.CanAddr() {
		ptr = ptr.addr()
	}
	if v, ok, err := method(ptr, name, args); ok {
		return v, err
	}
	switch y.kind() {
	case reflect.Struct:
		f, ok := y.typ().reflect().FieldByName(name)
		if !ok {
			break
		}
		if !f.IsExported() {
			return val{}, errorf("%s is an unexported field of struct type %s", name, typ)
		}
		z := y
		for i, k := range f.Index {
			if i > 0 && z.kind() == reflect.Pointer {
				if z.isNil() {
					return val{}, errors.New("reflect: indirection through nil pointer to embedded struct field " + z.typ().elem().reflect().Name())
				}
				z = z.elem()
			}
			z = z.field(k)
		}
		z.ro = false
		if len(args) > 0 {
			return val{}, errorf("%s has arguments but cannot be invoked as function", name)
		}
		return z, nil
	case reflect.Map:
		if y.typ().key().rep() != reflect.TypeFor[string]() && y.typ().key().kind() != reflect.Interface || y.typ().key().t != nil {
			break
		}
		if len(args) > 0 {
			return val{}, errorf("%s is not a method but has arguments", name)
		}
		r := reflect.Value{}
		if y.v.IsValid() {
			r = y.v.MapIndex(reflect.ValueOf(name))
		}
		if !r.IsValid() {
			switch rw.missing {
			case missingZero:
				r = reflect.Zero(y.v.Type().Elem())
			case missingError:
				return val{}, errorf("map has no entry for key %q", name)
			default:
				return val{}, nil
			}
		}
		if y.t == nil {
			return val{v: r}, nil
		}
		return typed(y.t.Elem, r, false), nil
	case reflect.Pointer:
		e := y.typ().elem()
		if e.kind() == reflect.Struct {
			if _, ok := e.reflect().FieldByName(name); !ok {
				break
			}
		}
		if isNil {
			return val{}, errorf("nil pointer evaluating %s.%s", typ, name)
		}
	}
	return val{}, errorf("can't evaluate field %s in type %s", name, typ)
}

// method calls method name of x if it has one.
func method(x val, name string, args []any) (v val, ok bool, err error) {
	if !token.IsExported(name) {
		return val{}, false, nil
	}
	var fn reflect.Value
	var sig typ
	if x.t == nil {
		if fn = x.v.MethodByName(name); !fn.IsValid() {
			return val{}, false, nil
		}
		sig = typ{r: fn.Type()}
	} else {
		f := x.t.find(name)
		if f == nil {
			return val{}, false, nil
		}
		if fn = methodOf(Box{x.t, x.rep()}, name); !fn.IsValid() {
			return val{}, false, nil
		}
		sig = typ{r: fn.Type()}
		if f.method != nil {
			sig = typ{t: f.method.Type}
		}
	}
	r, err := callTemplateVal(name, fn, sig, args)
	return r, true, err
}

func callTemplate(name string, fn reflect.Value, sig typ, args []any) (any, error) {
	v, err := callTemplateVal(name, fn, sig, args)
	if err != nil {
		return nil, err
	}
	return v.interfaceOf(), nil
}

// callTemplateVal calls fn, whose declared type is sig, with arguments from a template.
func callTemplateVal(name string, fn reflect.Value, sig typ, args []any) (v val, err error) {
	var in, out []typ
	variadic := false
	if sig.t != nil {
		for _, p := range sig.t.Params {
			in = append(in, p.typ())
		}
		for _, r := range sig.t.Results {
			out = append(out, r.typ())
		}
		variadic = sig.t.Variadic
	} else {
		for i := range sig.r.NumIn() {
			in = append(in, typ{r: sig.r.In(i)})
		}
		for i := range sig.r.NumOut() {
			out = append(out, typ{r: sig.r.Out(i)})
		}
		variadic = sig.r.IsVariadic()
	}
	if len(out) != 1 && (len(out) != 2 || out[1].t != nil || out[1].r != errorType) {
		return val{}, errorf("can't call method/function %q with %d results", name, len(out))
	}
	fixed := len(in)
	if variadic {
		fixed--
		if len(args) < fixed {
			return val{}, errorf("wrong number of args for %s: want at least %d got %d", name, fixed, len(args))
		}
	} else if len(args) != fixed {
		return val{}, errorf("wrong number of args for %s: want %d got %d", name, fixed, len(args))
	}
	argv := make([]reflect.Value, len(args))
	for i, a := range args {
		p := typ{}
		if i < fixed {
			p = in[i]
		} else {
			p = in[fixed].elem()
		}
		if argv[i], err = templateArgument(a, p); err != nil {
			return val{}, err
		}
	}
	var res []reflect.Value
	func() {
		defer func() {
			if r := recover(); r != nil {
				if e, ok := PanicValue(r).(error); ok {
					err = e
				} else {
					err = errors.New(Sprintf("%v", PanicValue(r)))
				}
			}
		}()
		res = fn.Call(argv)
	}()
	if err == nil && len(res) == 2 && !res[1].IsNil() {
		err = res[1].Interface().(error)
	}
	if err != nil {
		return val{}, errorf("error calling %s: %w", name, err)
	}
	if out[0].t != nil {
		return typed(out[0].t, res[0], false), nil
	}
	return val{v: res[0]}, nil
}

// templateArgument fits a to a parameter of type p.
func templateArgument(a any, p typ) (reflect.Value, error) {
	place := reflect.New(p.rep()).Elem()
	c, isConst := a.(constant)
	if isConst && p.kind() != reflect.Interface {
		return place, c.store(place, p)
	}
	if isConst {
		a = c.ideal()
	}
	x := valOf(a)
	if !x.valid() {
		switch p.kind() {
		case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
			return place, nil
		}
		return place, errorf("invalid value; expected %s", p)
	}
	if (slot{p.t, place}).set(x) || x.kind() == reflect.Pointer && !x.isNil() && (slot{p.t, place}).set(x.elem()) {
		return place, nil
	}
	if x.v.IsValid() && x.v.CanAddr() && p.kind() == reflect.Pointer && x.typ() == p.elem() {
		place.Set(x.v.Addr())
		return place, nil
	}
	return place, errorf("wrong type for value; expected %s; got %s", p, x.typeString())
}

// store puts the constant into a place of type p.
func (c constant) store(place reflect.Value, p typ) error {
	n, _ := c.node.(*parse.NumberNode)
	if n == nil {
		n = &parse.NumberNode{}
	}
	want := ""
	switch k := p.kind(); {
	case k == reflect.Bool:
		if b, ok := c.node.(*parse.BoolNode); ok {
			place.SetBool(b.True)
			return nil
		}
		want = "bool"
	case k == reflect.String:
		if s, ok := c.node.(*parse.StringNode); ok {
			place.SetString(s.Text)
			return nil
		}
		want = "string"
	case k >= reflect.Int && k <= reflect.Int64:
		if n.IsInt {
			place.SetInt(n.Int64)
			return nil
		}
		want = "integer"
	case k >= reflect.Uint && k <= reflect.Uintptr:
		if n.IsUint {
			place.SetUint(n.Uint64)
			return nil
		}
		want = "unsigned integer"
	case k == reflect.Float32 || k == reflect.Float64:
		if n.IsFloat {
			place.SetFloat(n.Float64)
			return nil
		}
		want = "float"
	case k == reflect.Complex64 || k == reflect.Complex128:
		if n.IsComplex {
			place.SetComplex(n.Complex128)
			return nil
		}
		want = "complex"
	default:
		return constantError{c, fmt.Sprintf("can't handle %s for arg of type %s", c.node, p)}
	}
	return constantError{c, fmt.Sprintf("expected %s; found %s", want, c.node)}
}

// ideal is the value of the constant where no type is asked for.
func (c constant) ideal() any {
	switch n := c.node.(type) {
	case *parse.StringNode:
		return n.Text
	case *parse.BoolNode:
		return n.True
	case *parse.NumberNode:
		return ideal(n)
	}
	return nil
}

// ideal is the value of a constant where no type is asked for.
func ideal(n *parse.NumberNode) any {
	switch {
	case n.IsComplex && !n.IsFloat:
		return n.Complex128
	case n.IsFloat && !strings.HasPrefix(n.Text, "0x") && strings.ContainsAny(n.Text, ".eEpP") && n.Text[0] != '\'':
		return n.Float64
	case n.IsInt:
		return int(n.Int64)
	}
	return n.Float64
}

// templatePrint prepares a value for printing: pointers are followed, a value that can be addressed is printed with
// its pointer's methods.
func (rw *rewriter) print(v any) (any, error) {
	x := valOf(v)
	if x.t == nil {
		if x.valid() && !rw.html && x.kind() != reflect.Pointer && holdsBox(v) {
			return Sprint(v), nil
		}
		return v, nil
	}
	if x.kind() == reflect.Pointer {
		x, _ = indirectVal(x)
	}
	prints := func(x val) bool { return x.hasMethod("Error", sigString) || x.hasMethod("String", sigString) }
	if !x.valid() || prints(x) {
		return x.interfaceOf(), nil
	}
	if !rw.html && x.v.IsValid() && x.v.CanAddr() && prints(x.addr()) { // HTML templates print what they escaped
		return Box{pointerTo(x.t), x.v.Addr().Interface()}, nil
	}
	if k := x.kind(); k == reflect.Chan || k == reflect.Func {
		return nil, errorf("can't print value of type %s", x.typeString())
	}
	return x.interfaceOf(), nil
}

// templateTruth replaces a value of a declared type that counts as false by one that package template takes for
// false; others it leaves alone.
func templateTruth(v any) any {
	x := valOf(v)
	if x.t == nil {
		return v
	}
	switch x.kind() {
	case reflect.Struct:
		return v
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		if x.len() > 0 {
			return v
		}
		return x.rep()
	}
	if x.isNil() && x.kind() >= reflect.Chan && x.kind() != reflect.Struct && x.kind() != reflect.String {
		return nil
	}
	if x.v.IsZero() {
		return x.rep()
	}
	return v
}

// templateRange makes something that package template can range over of a value of a declared type.
func templateRange(v any) any {
	x, isNil := indirectVal(valOf(v))
	if x.t == nil {
		return v
	}
	if isNil {
		return (*int)(nil) // which cannot be ranged over
	}
	switch x.kind() {
	case reflect.Array, reflect.Slice:
		out := make([]any, x.len())
		for i := range out {
			out[i] = x.index(i).carry()
		}
		return out
	case reflect.Map:
		es := x.sorted()
		if len(es) == 0 {
			return nil
		}
		if kt := x.typ().key(); kt.t == nil {
			m := reflect.MakeMap(reflect.MapOf(kt.r, anyType))
			for _, e := range es {
				v := reflect.New(anyType).Elem()
				if a := e.value.interfaceOf(); a != nil {
					v.Set(reflect.ValueOf(a))
				}
				m.SetMapIndex(e.key.v, v)
			}
			return m.Interface()
		}
		m := map[ordinal]any{}
		for i, e := range es {
			m[ordinal{i, e.key.interfaceOf()}] = e.value.interfaceOf()
		}
		return m
	case reflect.Chan:
		return func(yield func(any) bool) {
			for {
				e, ok := x.v.Recv()
				if !ok || !yield(typed(x.t.Elem, e, false).interfaceOf()) {
					return
				}
			}
		}
	}
	return x.rep()
}

// ordinal is a key that sorts by its place and prints as the key.
type ordinal struct {
	N   int
	Key any
}

func (o ordinal) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), o.Key) }

// Dynamic makes the key the value it stands for to everything in this package.
func (o ordinal) Dynamic() Dynamic {
	if b, ok := o.Key.(Box); ok {
		return b
	}
	return nil
}

// templateBasic gives comparisons the bare number, string or bool of a declared type.
func templateBasic(v any) any {
	x := valOf(v)
	if x.t == nil || !quotable(x.kind()) && x.kind() != reflect.Complex64 && x.kind() != reflect.Complex128 {
		return v
	}
	return x.rep()
}

func templateLen(item any) (int, error) {
	x := valOf(item)
	if !x.valid() {
		return 0, errors.New("reflect: call of reflect.Value.Type on zero Value") // as package template says it
	}
	x, isNil := indirectVal(x)
	if isNil {
		return 0, errors.New("len of nil pointer")
	}
	switch x.kind() {
	case reflect.Array, reflect.Chan, reflect.Map, reflect.Slice, reflect.String:
		return x.len(), nil
	}
	return 0, errorf("len of type %s", x.typeString())
}

func templateIndex(item any, indexes ...any) (any, error) {
	x := valOf(item)
	if !x.valid() {
		return nil, errors.New("index of untyped nil")
	}
	for _, ix := range indexes {
		y, isNil := indirectVal(x)
		if isNil {
			return nil, errors.New("index of nil pointer")
		}
		x = y
		switch x.kind() {
		case reflect.Array, reflect.Slice:
			i, err := indexArgument(ix, x.len())
			if err != nil {
				return nil, err
			}
			x = x.index(i)
		case reflect.String:
			i, err := indexArgument(ix, x.len())
			if err != nil {
				return nil, err
			}
			x = val{v: reflect.ValueOf(x.v.String()[i])}
		case reflect.Map:
			kt := x.typ().key()
			k := reflect.New(kt.rep()).Elem()
			kx := valOf(ix)
			if !(slot{kt.t, k}).set(kx) {
				if kx.valid() && kx.kind() >= reflect.Int && kx.kind() <= reflect.Uintptr && kt.kind() >= reflect.Int && kt.kind() <= reflect.Uintptr {
					k.Set(kx.v.Convert(k.Type()))
				} else if !kx.valid() {
					return nil, errorf("value is nil; should be of type %s", kt)
				} else {
					return nil, errorf("value has type %s; should be %s", kx.typeString(), kt)
				}
			}
			var e reflect.Value
			if x.v.IsValid() {
				e = x.v.MapIndex(k)
			}
			et := x.typ().elem()
			if !e.IsValid() {
				e = reflect.Zero(et.rep())
			}
			if et.t != nil {
				x = typed(et.t, e, false)
			} else {
				x = val{v: e}
			}
		default:
			return nil, errorf("can't index item of type %s", x.typeString())
		}
	}
	return x.carry(), nil
}

func indexArgument(ix any, n int) (int, error) {
	x := valOf(ix)
	var i int64
	switch k := x.kind(); {
	case k >= reflect.Int && k <= reflect.Int64:
		i = x.v.Int()
	case k >= reflect.Uint && k <= reflect.Uintptr:
		i = int64(x.v.Uint())
	case !x.valid():
		return 0, errors.New("cannot index slice/array with nil")
	default:
		return 0, errorf("cannot index slice/array with type %s", x.typeString())
	}
	if i < 0 || i >= int64(n) {
		return 0, errorf("index out of range: %d", i)
	}
	return int(i), nil
}

func templateSlice(item any, indexes ...any) (any, error) {
	x := valOf(item)
	if !x.valid() {
		return nil, errors.New("slice of untyped nil")
	}
	x, isNil := indirectVal(x)
	switch {
	case isNil:
		return nil, errors.New("slice of nil pointer")
	case len(indexes) > 3:
		return nil, errorf("too many slice indexes: %d", len(indexes))
	case x.kind() == reflect.String && len(indexes) == 3:
		return nil, errors.New("cannot 3-index slice a string")
	case x.kind() != reflect.String && x.kind() != reflect.Slice && x.kind() != reflect.Array:
		return nil, errorf("can't slice item of type %s", x.typeString())
	}
	limit := x.len()
	if x.kind() != reflect.String {
		limit = x.v.Cap()
	}
	idx := [3]int{0, x.len(), 0}
	for i, ix := range indexes {
		k, err := indexArgument(ix, limit+1)
		if err != nil {
			return nil, err
		}
		idx[i] = k
	}
	if idx[0] > idx[1] {
		return nil, errorf("invalid slice index: %d > %d", idx[0], idx[1])
	}
	if len(indexes) == 3 && idx[1] > idx[2] {
		return nil, errorf("invalid slice index: %d > %d", idx[1], idx[2])
	}
	v := x.v
	if x.kind() == reflect.Array && !v.CanAddr() {
		return nil, errorf("slice of unaddressable value")
	}
	if len(indexes) == 3 {
		v = v.Slice3(idx[0], idx[1], idx[2])
	} else {
		v = v.Slice(idx[0], idx[1])
	}
	if x.t == nil {
		return v.Interface(), nil
	}
	return Box{x.t, v.Interface()}, nil
}

func templateCall(name string, f any, args ...any) (any, error) {
	x := valOf(f)
	if !x.valid() {
		return nil, errors.New("call of nil")
	}
	if x.kind() != reflect.Func {
		return nil, errorf("non-function %s of type %s", name, x.typeString())
	}
	if x.isNil() {
		return nil, errors.New("reflect.Value.Call: call of nil function")
	}
	return callTemplate("call", x.v, x.typ(), args)
}
