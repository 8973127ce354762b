package cell

import (
	"fmt"
	"go/types"
	"reflect"

	"example.org/godp/kernel/cell/rt"
)

// helpers makes compiled functions of exactly the type a place in the emitted code needs: assertions, dispatch,
// comparisons. The interpreter calls them like any compiled function and so never applies its own rules there.
type helpers struct {
	r     *reps
	made  map[string]string
	fresh map[string]reflect.Value
	n     int
}

func (h *helpers) make(key string, build func() reflect.Value) string {
	if n, ok := h.made[key]; ok {
		return "h." + n
	}
	h.n++
	n := fmt.Sprintf("X%d", h.n)
	h.made[key] = n
	h.fresh[n] = build()
	return "h." + n
}

// unique is a key that no other helper has.
func (h *helpers) unique(kind string) string {
	h.n++
	return fmt.Sprintf("%s %d", kind, h.n)
}

func (h *helpers) fn(key string, in, out []reflect.Type, f func(a []reflect.Value) []reflect.Value) string {
	return h.make(key, func() reflect.Value { return reflect.MakeFunc(reflect.FuncOf(in, out, false), f) })
}

var (
	boolType   = reflect.TypeFor[bool]()
	intType    = reflect.TypeFor[int]()
	stringType = reflect.TypeFor[string]()
)

func id(d *rt.Type) string { return fmt.Sprintf("%p", d) }

func value(v any, t reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(t)
	}
	r := reflect.ValueOf(v)
	if t.Kind() == reflect.Interface && r.Type() != t {
		x := reflect.New(t).Elem()
		x.Set(r)
		return x
	}
	return r
}

// box returns the helper that puts a value of t into an interface.
func (h *helpers) box(t types.Type) string {
	d := h.r.of(t)
	return h.fn("box "+id(d), []reflect.Type{d.Rep}, []reflect.Type{anyType}, func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{value(rt.Box{T: d, V: a[0].Interface()}, anyType)}
	})
}

// named returns the helper that puts a function into an interface with the names of its parameters.
func (h *helpers) named(sig *types.Signature, qualify types.Qualifier) string {
	d := h.r.of(sig)
	x := rt.Func{}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		x.Names = append(x.Names, p.Name())
		x.Types = append(x.Types, types.TypeString(p.Type(), qualify))
	}
	for i := range sig.Results().Len() {
		x.Results = append(x.Results, h.r.of(sig.Results().At(i).Type()))
	}
	return h.fn(h.unique("named"), []reflect.Type{d.Rep}, []reflect.Type{anyType}, func(a []reflect.Value) []reflect.Value {
		y := x
		y.V = a[0]
		return []reflect.Value{value(y, anyType)}
	})
}

// assert returns the helper for x.(T) with T not an interface; comma adds the ok form.
func (h *helpers) assert(t, iface types.Type, comma bool) string {
	d := h.r.of(t)
	from := h.r.of(iface)
	match := func(v any) (reflect.Value, bool) {
		bt, rep := rt.TypeOf(v)
		if bt != nil {
			if bt != d {
				return reflect.Value{}, false
			}
		} else if !d.Faithful || rep == nil || reflect.TypeOf(rep) != d.Rep {
			return reflect.Value{}, false
		}
		return value(rep, d.Rep), true
	}
	if comma {
		return h.fn("as2 "+id(d), []reflect.Type{anyType}, []reflect.Type{d.Rep, boolType}, func(a []reflect.Value) []reflect.Value {
			v, ok := match(a[0].Interface())
			if !ok {
				v = reflect.Zero(d.Rep)
			}
			return []reflect.Value{v, reflect.ValueOf(ok)}
		})
	}
	return h.fn("as "+id(d)+id(from), []reflect.Type{anyType}, []reflect.Type{d.Rep}, func(a []reflect.Value) []reflect.Value {
		v, ok := match(a[0].Interface())
		if !ok {
			panic(rt.AssertionFailed(from, a[0].Interface(), d, ""))
		}
		return []reflect.Value{v}
	})
}

// assertInterface returns the helper for x.(I).
func (h *helpers) assertInterface(t, iface types.Type, comma bool) string {
	d := h.r.of(t)
	from := h.r.of(iface)
	native := h.r.nativeInterface(t)
	name := ifaceName(t)
	conv := func(v any) reflect.Value {
		if native {
			return value(rt.ToNative(v, name, d.Rep), d.Rep)
		}
		return value(v, anyType)
	}
	if comma {
		return h.fn("asi2 "+id(d), []reflect.Type{anyType}, []reflect.Type{d.Rep, boolType}, func(a []reflect.Value) []reflect.Value {
			v := a[0].Interface()
			if v == nil || !rt.Implements(v, d) {
				return []reflect.Value{reflect.Zero(d.Rep), reflect.ValueOf(false)}
			}
			return []reflect.Value{conv(v), reflect.ValueOf(true)}
		})
	}
	return h.fn("asi "+id(d)+id(from), []reflect.Type{anyType}, []reflect.Type{d.Rep}, func(a []reflect.Value) []reflect.Value {
		v := a[0].Interface()
		if v == nil {
			panic(rt.AssertionFailed(from, nil, d, ""))
		}
		if m := rt.Missing(v, d); m != "" {
			panic(rt.AssertionFailed(from, v, d, m))
		}
		return []reflect.Value{conv(v)}
	})
}

// is returns the helper of a type switch case: does the interface value hold t?
func (h *helpers) is(t types.Type) string {
	d := h.r.of(t)
	if isInterface(t) {
		return h.fn("isi "+id(d), []reflect.Type{anyType}, []reflect.Type{boolType}, func(a []reflect.Value) []reflect.Value {
			v := a[0].Interface()
			return []reflect.Value{reflect.ValueOf(v != nil && rt.Implements(v, d))}
		})
	}
	return h.fn("is "+id(d), []reflect.Type{anyType}, []reflect.Type{boolType}, func(a []reflect.Value) []reflect.Value {
		bt, rep := rt.TypeOf(a[0].Interface())
		ok := bt == d
		if bt == nil {
			ok = d.Faithful && rep != nil && reflect.TypeOf(rep) == d.Rep
		}
		return []reflect.Value{reflect.ValueOf(ok)}
	})
}

// toNative returns the helper that makes a compiled interface value of an interface{} one.
func (h *helpers) toNative(t types.Type) string {
	d := h.r.of(t)
	name := ifaceName(t)
	return h.fn("nat "+id(d), []reflect.Type{anyType}, []reflect.Type{d.Rep}, func(a []reflect.Value) []reflect.Value {
		v := a[0].Interface()
		if v == nil {
			return []reflect.Value{reflect.Zero(d.Rep)}
		}
		return []reflect.Value{value(rt.ToNative(v, name, d.Rep), d.Rep)}
	})
}

// fromNative returns the helper that makes an interface{} of a compiled interface value.
func (h *helpers) fromNative(t types.Type) string {
	d := h.r.of(t)
	return h.fn("fnat "+id(d), []reflect.Type{d.Rep}, []reflect.Type{anyType}, func(a []reflect.Value) []reflect.Value {
		if a[0].IsNil() {
			return []reflect.Value{reflect.Zero(anyType)}
		}
		return []reflect.Value{value(rt.FromNative(a[0].Interface()), anyType)}
	})
}

func ifaceName(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if n.Obj().Pkg() == nil {
			return n.Obj().Name()
		}
		return n.Obj().Pkg().Path() + "." + n.Obj().Name()
	}
	return ""
}

// dispatch returns the helper that calls method m of an interface value declared in a cell.
func (h *helpers) dispatch(m *types.Func, sig *types.Signature) string {
	d := h.r.of(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
	in, out := []reflect.Type{anyType}, []reflect.Type{}
	for i := range d.Rep.NumIn() {
		in = append(in, d.Rep.In(i))
	}
	for i := range d.Rep.NumOut() {
		out = append(out, d.Rep.Out(i))
	}
	name := m.Name()
	return h.fn("call "+name+" "+id(d), in, out, func(a []reflect.Value) []reflect.Value {
		return rt.Call(a[0].Interface(), name, a[1:])
	})
}

// pair describes helpers over one representation type.
func (h *helpers) generic(kind string, t types.Type, in, out func(rep reflect.Type) []reflect.Type, f func(a []reflect.Value) []reflect.Value) string {
	d := h.r.of(t)
	return h.fn(kind+" "+h.r.text(d.Rep), in(d.Rep), out(d.Rep), f)
}

// equal compares two values of one representation by Go's rules (through interfaces).
func (h *helpers) equal(t types.Type) string {
	return h.generic("eq", t, func(r reflect.Type) []reflect.Type { return []reflect.Type{r, r} },
		func(reflect.Type) []reflect.Type { return []reflect.Type{boolType} },
		func(a []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(rt.Equal(a[0].Interface(), a[1].Interface()))}
		})
}

// recv receives from a channel, interruptibly.
func (h *helpers) recv(ch types.Type) string {
	c := ch.Underlying().(*types.Chan)
	e := h.r.of(c.Elem()).Rep
	return h.generic("recv", ch, func(r reflect.Type) []reflect.Type { return []reflect.Type{r} },
		func(reflect.Type) []reflect.Type { return []reflect.Type{e, boolType} },
		func(a []reflect.Value) []reflect.Value {
			v, ok := rt.Recv(a[0])
			if !ok {
				v = reflect.Zero(e)
			}
			return []reflect.Value{v, reflect.ValueOf(ok)}
		})
}

func (h *helpers) send(ch types.Type) string {
	e := h.r.of(ch.Underlying().(*types.Chan).Elem()).Rep
	return h.generic("send", ch, func(r reflect.Type) []reflect.Type { return []reflect.Type{r, e} },
		func(reflect.Type) []reflect.Type { return nil },
		func(a []reflect.Value) []reflect.Value { rt.Send(a[0], a[1]); return nil })
}

// keys gives one of a map's keys, in a list of as many as there are but at most two, and a function that puts all others behind
// it: a loop that takes any one entry and ends does not pay for the whole map.
func (h *helpers) keys(m types.Type) string {
	d := h.r.of(m)
	k := reflect.SliceOf(d.Rep.Key())
	others := reflect.FuncOf(nil, []reflect.Type{k}, false)
	none := []reflect.Value{reflect.MakeSlice(k, 0, 0), reflect.Zero(others)}
	return h.generic("keys", m, func(r reflect.Type) []reflect.Type { return []reflect.Type{r} },
		func(reflect.Type) []reflect.Type { return []reflect.Type{k, others} },
		func(a []reflect.Value) []reflect.Value {
			n, it := a[0].Len(), a[0].MapRange()
			if !it.Next() {
				return none
			}
			ks := reflect.MakeSlice(k, min(n, 2), min(n, 2))
			ks.Index(0).Set(it.Key())
			return []reflect.Value{ks, reflect.MakeFunc(others, func([]reflect.Value) []reflect.Value {
				all := reflect.MakeSlice(k, 1, n)
				for it.Next() {
					all = reflect.Append(all, it.Key())
				}
				return []reflect.Value{all}
			})}
		})
}

// raw turns an interface{} holding a bare representation into it (values that travelled through a select).
func (h *helpers) raw(t types.Type) string {
	return h.generic("raw", t, func(r reflect.Type) []reflect.Type { return []reflect.Type{anyType} },
		func(r reflect.Type) []reflect.Type { return []reflect.Type{r} }, func() func(a []reflect.Value) []reflect.Value {
			rep := h.r.of(t).Rep
			return func(a []reflect.Value) []reflect.Value { return []reflect.Value{value(a[0].Interface(), rep)} }
		}())
}

// unroll turns a value of a recursive declared type, which lives in interface{}, into its underlying representation.
func (h *helpers) unroll(t types.Type) string {
	under := h.r.of(t.Underlying())
	return h.fn("unroll "+id(h.r.of(t)), []reflect.Type{anyType}, []reflect.Type{under.Rep}, func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{value(a[0].Interface(), under.Rep)}
	})
}

// variable returns the helper yielding a pointer to a compiled package's variable.
func (h *helpers) variable(path, name string, v reflect.Value) string {
	return h.fn("var "+path+"."+name, nil, []reflect.Type{reflect.PointerTo(v.Type())}, func([]reflect.Value) []reflect.Value {
		return []reflect.Value{v.Addr()}
	})
}

// compiledMethod returns a function calling a promoted or shadowed method of a compiled type by name.
func (h *helpers) compiledMethod(recv reflect.Type, name string) string {
	m, ok := recv.MethodByName(name)
	if !ok {
		panic(refused("method %s of %v is not available in cells", name, recv))
	}
	return h.make("m "+h.r.text(recv)+"."+name, func() reflect.Value {
		if recv.Kind() == reflect.Interface {
			in := []reflect.Type{recv}
			for i := range m.Type.NumIn() {
				in = append(in, m.Type.In(i))
			}
			var out []reflect.Type
			for i := range m.Type.NumOut() {
				out = append(out, m.Type.Out(i))
			}
			return reflect.MakeFunc(reflect.FuncOf(in, out, m.Type.IsVariadic()), func(a []reflect.Value) []reflect.Value {
				f := a[0].Method(m.Index)
				if m.Type.IsVariadic() {
					return f.CallSlice(a[1:])
				}
				return f.Call(a[1:])
			})
		}
		return m.Func
	})
}

// pack carries a value through a select as a bare representation.
func (h *helpers) pack(t types.Type) string {
	return h.generic("pack", t, func(r reflect.Type) []reflect.Type { return []reflect.Type{r} },
		func(reflect.Type) []reflect.Type { return []reflect.Type{reflect.TypeFor[reflect.Value]()} },
		func(a []reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(rt.Copy(a[0]))} })
}

// fieldAddress is &p.f. The interpreter refuses the address of many operands.
func (h *helpers) fieldAddress(st types.Type, i int, ft types.Type) string {
	d := h.r.of(st)
	name := fieldName(st.Underlying().(*types.Struct).Field(i), i)
	if n, ok := types.Unalias(st).(*types.Named); ok && !h.r.declared(n) {
		name = st.Underlying().(*types.Struct).Field(i).Name()
	}
	sf, ok := d.Rep.FieldByName(name)
	if !ok {
		panic(refused("internal: field %s of %v", name, st))
	}
	return h.fn("field "+h.r.text(d.Rep)+"."+name, []reflect.Type{reflect.PointerTo(d.Rep)}, []reflect.Type{reflect.PointerTo(sf.Type)},
		func(a []reflect.Value) []reflect.Value {
			return []reflect.Value{a[0].Elem().FieldByIndex(sf.Index).Addr()}
		})
}

// elementAddress is &s[i] of a slice or of a pointer to an array.
func (h *helpers) elementAddress(t types.Type) string {
	d := h.r.of(t)
	el := d.Rep.Elem()
	ptr := el.Kind() == reflect.Array && d.Rep.Kind() == reflect.Pointer
	if ptr {
		el = el.Elem()
	}
	return h.fn("element "+h.r.text(d.Rep), []reflect.Type{d.Rep, intType}, []reflect.Type{reflect.PointerTo(el)},
		func(a []reflect.Value) []reflect.Value {
			x := a[0]
			if ptr {
				x = x.Elem()
			}
			return []reflect.Value{x.Index(int(a[1].Int())).Addr()}
		})
}

// entries lists a map's keys and values, for key types whose values cannot be looked up again (NaN).
func (h *helpers) entries(m types.Type) string {
	d := h.r.of(m)
	k, v := reflect.SliceOf(d.Rep.Key()), reflect.SliceOf(d.Rep.Elem())
	return h.generic("entries", m, func(r reflect.Type) []reflect.Type { return []reflect.Type{r} },
		func(reflect.Type) []reflect.Type { return []reflect.Type{k, v} },
		func(a []reflect.Value) []reflect.Value {
			ks, vs := reflect.MakeSlice(k, 0, a[0].Len()), reflect.MakeSlice(v, 0, a[0].Len())
			for it := a[0].MapRange(); it.Next(); {
				ks, vs = reflect.Append(ks, it.Key()), reflect.Append(vs, it.Value())
			}
			return []reflect.Value{ks, vs}
		})
}

// apply calls a function of the given signature with the arguments that follow it.
func (h *helpers) apply(sig *types.Signature) string {
	t := h.r.of(sig).Rep
	in := []reflect.Type{t}
	for i := range t.NumIn() {
		in = append(in, t.In(i))
	}
	var out []reflect.Type
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return h.fn("apply "+h.r.text(t), in, out, func(a []reflect.Value) []reflect.Value { return a[0].Call(a[1:]) })
}

// isZero reports whether a value is zero or a -0.
func (h *helpers) isZero(t types.Type) string {
	return h.generic("iszero", t, func(r reflect.Type) []reflect.Type { return []reflect.Type{r} },
		func(reflect.Type) []reflect.Type { return []reflect.Type{boolType} },
		func(a []reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(a[0].IsZero())} })
}

// itself makes a compiled function value of an interpreted one.
func (h *helpers) itself(sig types.Type) string {
	return h.generic("itself", sig, func(r reflect.Type) []reflect.Type { return []reflect.Type{r} },
		func(r reflect.Type) []reflect.Type { return []reflect.Type{r} }, func(a []reflect.Value) []reflect.Value { return a })
}
