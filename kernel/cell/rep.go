package cell

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"example.org/godp/kernel/cell/rt"
	"golang.org/x/tools/go/types/typeutil"
)

// reps knows, for every Go type a cell uses, its descriptor and its representation: the type the interpreter below
// sees. Declared types are erased to their underlying types, structs become struct types of package reflect (which
// the interpreter handles as compiled types, without its own bookkeeping of declared types), interfaces declared in
// cells become interface{}.
type reps struct {
	main       *types.Package
	symbols    map[string]map[string]reflect.Value
	byType     typeutil.Map // types.Type -> *rt.Type
	names      map[reflect.Type]string
	written    map[string]reflect.Type  // what text has written
	structs    map[string]reflect.Value // "S12" -> (*T)(nil): handed to the interpreter as package t
	fresh      map[string]reflect.Value // those not handed over yet
	busy       map[*types.Struct]bool
	pending    []patch
	depth      int
	reach      map[string]map[string]reflect.Type // unexported compiled types found by walking a package's symbols
	imports    func(path string) string
	n          int
	carry      map[*types.Named]*rt.Type // a re-declared type keeps the descriptor of its former self
	ctx        *types.Context
	onNamed    func(*types.Named)
	portable   func(path string) *types.Package // the source of a package's generic types, if there is one
	source     map[*types.Package]bool          // packages whose generic source we compile ourselves
	local      map[*types.TypeName]localType
	localTypes int // numbered so far
}

func newReps(main *types.Package, symbols map[string]map[string]reflect.Value) *reps {
	return &reps{main: main, symbols: symbols, names: map[reflect.Type]string{}, written: map[string]reflect.Type{}, structs: map[string]reflect.Value{},
		fresh: map[string]reflect.Value{}, busy: map[*types.Struct]bool{}, reach: map[string]map[string]reflect.Type{},
		carry: map[*types.Named]*rt.Type{}, ctx: types.NewContext(), source: map[*types.Package]bool{}, local: map[*types.TypeName]localType{}}
}

// declared reports whether t is a named type that cells (or instances of generic types) declare: one the
// interpreter does not know by name.
func (r *reps) declared(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && (n.Obj().Pkg() == r.main || n.TypeArgs().Len() > 0 || r.source[n.Obj().Pkg()])
}

// nativeInterface reports whether t is an interface type that compiled code names: its values stay as they are.
func (r *reps) nativeInterface(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || r.declared(n) {
		return false
	}
	i, ok := n.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0
}

func isInterface(t types.Type) bool { return types.IsInterface(t) }

var basics = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](),
	types.Int16: reflect.TypeFor[int16](), types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
	types.String: reflect.TypeFor[string](), types.UnsafePointer: reflect.TypeFor[unsafe.Pointer](),
}

var (
	anyType   = reflect.TypeFor[any]()
	errorType = reflect.TypeFor[error]()
)

// canonical is t, or the same instance of the generic type whose source is compiled with the cells: an instance of a
// compiled package's generic type exists nowhere else.
func (r *reps) canonical(t types.Type) types.Type {
	t = types.Unalias(t)
	n, ok := t.(*types.Named)
	if !ok || n.TypeArgs().Len() == 0 || n.Obj().Pkg() == r.main || n.Obj().Pkg() == nil || r.source[n.Obj().Pkg()] || r.portable == nil {
		return t
	}
	p := r.portable(n.Obj().Pkg().Path())
	if p == nil {
		return t
	}
	o, ok := p.Scope().Lookup(n.Obj().Name()).(*types.TypeName)
	if !ok {
		return t
	}
	var args []types.Type
	for i := range n.TypeArgs().Len() {
		args = append(args, n.TypeArgs().At(i))
	}
	if m, err := types.Instantiate(r.ctx, o.Type(), args, false); err == nil {
		return m
	}
	return t
}

// of returns the descriptor of t with its representation filled in.
func (r *reps) of(t types.Type) *rt.Type {
	t = r.canonical(t)
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
		if b.Kind() == types.UntypedNil {
			t = types.NewInterfaceType(nil, nil)
		}
	}
	d := r.desc(t)
	if d.Rep == nil {
		r.rep(t)
	}
	return d
}

func (r *reps) fill(d *rt.Type, t types.Type) {
	d.Name, d.PkgPath, d.Faithful = "", "", true
	u := t
	if n, ok := t.(*types.Named); ok {
		d.Name = r.typeName(n)
		if n.Obj().Pkg() != nil {
			d.PkgPath = n.Obj().Pkg().Path()
		}
		d.Faithful = !r.declared(n)
		u = n.Underlying()
	}
	part := func(t types.Type) *rt.Type {
		p := r.desc(t)
		d.Faithful = d.Faithful && (p.Faithful || !d.Faithful)
		return p
	}
	switch u := u.(type) {
	case *types.Basic:
		d.Kind = basics[u.Kind()].Kind()
		if d.Name == "" {
			d.Name = u.Name()
			if u.Kind() == types.Uint8 {
				d.Name = "uint8"
			} else if u.Kind() == types.Int32 {
				d.Name = "int32"
			}
		}
	case *types.Pointer:
		d.Kind, d.Elem = reflect.Pointer, part(u.Elem())
	case *types.Slice:
		d.Kind, d.Elem = reflect.Slice, part(u.Elem())
	case *types.Array:
		d.Kind, d.Elem, d.Len = reflect.Array, part(u.Elem()), int(u.Len())
	case *types.Map:
		d.Kind, d.Key, d.Elem = reflect.Map, part(u.Key()), part(u.Elem())
	case *types.Chan:
		d.Kind, d.Elem, d.Dir = reflect.Chan, part(u.Elem()), chanDir(u.Dir())
	case *types.Signature:
		d.Kind = reflect.Func
		d.Params, d.Results = nil, nil
		for i := range u.Params().Len() {
			d.Params = append(d.Params, part(u.Params().At(i).Type()))
		}
		for i := range u.Results().Len() {
			d.Results = append(d.Results, part(u.Results().At(i).Type()))
		}
		d.Variadic = u.Variadic()
	case *types.Struct:
		d.Kind = reflect.Struct
		d.Fields = nil
		if d.Name == "" || r.declared(t) {
			faithful := d.Faithful
			for i := range u.NumFields() {
				f := u.Field(i)
				ft := part(f.Type())
				d.Fields = append(d.Fields, rt.Field{Name: f.Name(), Type: ft, Tag: u.Tag(i), Embedded: f.Embedded(), Exported: f.Exported()})
				faithful = faithful && ft.Faithful && f.Exported() && !f.Embedded()
			}
			d.Faithful = faithful && d.Name == ""
			// The representation of a struct type literal carries a mark, so only the empty one is the very Go type.
			if u.NumFields() > 0 {
				d.Faithful = false
			}
		}
		// A compiled struct's own reflect type knows its fields.
	case *types.Interface:
		d.Kind = reflect.Interface
		d.Methods = nil
		for i := range u.NumMethods() {
			m := u.Method(i)
			d.Methods = append(d.Methods, rt.IMethod{Name: m.Name(), Type: r.desc(m.Type())})
		}
		if d.Name == "" {
			d.Faithful = u.NumMethods() == 0
		}
	case *types.TypeParam:
		panic(fmt.Sprintf("internal: type parameter %v was not substituted", u))
	}
	if n, ok := t.(*types.Named); ok && r.declared(n) {
		d.Faithful = false
	}
}

func (r *reps) declaredIn(t types.Type) bool { return r.declared(t) }

// desc returns the descriptor of t without asking for its representation (so that recursive types end).
func (r *reps) desc(t types.Type) *rt.Type {
	t = r.canonical(t)
	if b, ok := t.(*types.Basic); ok {
		switch b.Kind() {
		case types.UntypedNil:
			t = types.NewInterfaceType(nil, nil)
		default:
			t = types.Default(types.Typ[b.Kind()])
		}
	}
	if d, ok := r.byType.At(t).(*rt.Type); ok {
		return d
	}
	n, named := t.(*types.Named)
	if !named {
		d := &rt.Type{}
		r.fill(d, t)
		d = rt.Intern(d)
		r.byType.Set(t, d)
		return d
	}
	d := r.carry[n]
	switch {
	case d != nil:
	case !r.declared(n):
		path := ""
		if n.Obj().Pkg() != nil {
			path = n.Obj().Pkg().Path()
		}
		if d = rt.Compiled(path, r.typeName(n)); d.Rep != nil {
			r.byType.Set(t, d)
			return d
		}
	default:
		d = &rt.Type{}
	}
	r.byType.Set(t, d)
	r.fill(d, t)
	if r.declared(n) && r.onNamed != nil {
		r.onNamed(n)
	}
	return d
}

func chanDir(d types.ChanDir) reflect.ChanDir {
	switch d {
	case types.SendOnly:
		return reflect.SendDir
	case types.RecvOnly:
		return reflect.RecvDir
	}
	return reflect.BothDir
}

// rep returns the representation of t.
func (r *reps) rep(t types.Type) reflect.Type {
	t = r.canonical(t)
	d := r.desc(t)
	if d.Rep != nil {
		return d.Rep
	}
	d.Rep = r.build(t)
	if r.depth == 0 {
		r.settle()
	}
	return d.Rep
}

func (r *reps) build(t types.Type) reflect.Type {
	if n, ok := t.(*types.Named); ok {
		if !r.declared(n) {
			return r.compiled(n)
		}
		if r.recursive(n) {
			if _, ok := n.Underlying().(*types.Array); ok {
				panic(refused("the array type %s, which contains itself, is not supported in cells: put it in a struct", n.Obj().Name()))
			}
			return anyType
		}
		return r.rep2(n.Underlying(), n)
	}
	return r.rep2(t, nil)
}

func (r *reps) rep2(t types.Type, n *types.Named) reflect.Type {
	switch t := t.(type) {
	case *types.Basic:
		if b, ok := basics[t.Kind()]; ok {
			return b
		}
		if t.Kind() == types.UntypedNil {
			return anyType
		}
		return basics[types.Default(t).(*types.Basic).Kind()]
	case *types.Pointer:
		return reflect.PointerTo(r.part(t.Elem()))
	case *types.Slice:
		return reflect.SliceOf(r.part(t.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), r.part(t.Elem()))
	case *types.Map:
		return reflect.MapOf(r.part(t.Key()), r.part(t.Elem()))
	case *types.Chan:
		return reflect.ChanOf(chanDir(t.Dir()), r.part(t.Elem()))
	case *types.Signature:
		var in, out []reflect.Type
		for i := range t.Params().Len() {
			in = append(in, r.part(t.Params().At(i).Type()))
		}
		for i := range t.Results().Len() {
			out = append(out, r.part(t.Results().At(i).Type()))
		}
		return reflect.FuncOf(in, out, t.Variadic())
	case *types.Interface:
		return anyType
	case *types.Struct:
		return r.structRep(t, n)
	}
	panic(fmt.Sprintf("internal: no representation of %v", t))
}

// part is the representation of a component; in a finished type it never meets a struct under construction, because
// structRep leaves such fields for settle.
func (r *reps) part(t types.Type) reflect.Type {
	t = r.canonical(t)
	d := r.desc(t)
	if d.Rep == nil {
		d.Rep = r.build(t)
	}
	return d.Rep
}

// text is how the emitted source writes the representation t.
func (r *reps) text(t reflect.Type) string {
	s := r.write(t)
	r.written[s] = t
	return s
}

func (r *reps) write(t reflect.Type) string {
	if n, ok := r.names[t]; ok {
		return "t." + n
	}
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name()
		}
		return r.imports(t.PkgPath()) + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + r.text(t.Elem())
	case reflect.Slice:
		return "[]" + r.text(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), r.text(t.Elem()))
	case reflect.Map:
		return "map[" + r.text(t.Key()) + "]" + r.text(t.Elem())
	case reflect.Chan:
		switch t.ChanDir() {
		case reflect.RecvDir:
			return "<-chan " + r.text(t.Elem())
		case reflect.SendDir:
			return "chan<- " + r.text(t.Elem())
		}
		return "chan " + r.text(t.Elem())
	case reflect.Func:
		return "func" + r.signature(t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "interface{}"
		}
	}
	return "t." + r.name(t) // a compiled unnamed struct or interface type
}

func (r *reps) signature(t reflect.Type) string {
	var b strings.Builder
	b.WriteByte('(')
	for i := range t.NumIn() {
		if i > 0 {
			b.WriteString(", ")
		}
		if t.IsVariadic() && i == t.NumIn()-1 {
			b.WriteString("..." + r.text(t.In(i).Elem()))
		} else {
			b.WriteString(r.text(t.In(i)))
		}
	}
	b.WriteByte(')')
	switch t.NumOut() {
	case 0:
	case 1:
		b.WriteString(" " + r.text(t.Out(0)))
	default:
		b.WriteString(" (")
		for i := range t.NumOut() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(r.text(t.Out(i)))
		}
		b.WriteByte(')')
	}
	return b.String()
}
