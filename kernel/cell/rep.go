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
	main     *types.Package
	symbols  map[string]map[string]reflect.Value
	byType   typeutil.Map // types.Type -> *rt.Type
	names    map[reflect.Type]string
	structs  map[string]reflect.Value // "S12" -> (*T)(nil): handed to the interpreter as package t
	fresh    map[string]reflect.Value // those not handed over yet
	busy     map[*types.Struct]bool
	pending  []patch
	depth    int
	reach    map[string]map[string]reflect.Type // unexported compiled types found by walking a package's symbols
	imports  func(path string) string
	n        int
	carry    map[*types.Named]*rt.Type // a re-declared type keeps the descriptor of its former self
	ctx      *types.Context
	onNamed  func(*types.Named)
	interned map[string]*rt.Type     // unnamed types by their components
	source   map[*types.Package]bool // packages whose generic source we compile ourselves
}

type patch struct {
	in    reflect.Type
	field int
	typ   types.Type
}

func newReps(main *types.Package, symbols map[string]map[string]reflect.Value) *reps {
	return &reps{main: main, symbols: symbols, names: map[reflect.Type]string{}, structs: map[string]reflect.Value{},
		fresh: map[string]reflect.Value{}, busy: map[*types.Struct]bool{}, reach: map[string]map[string]reflect.Type{},
		carry: map[*types.Named]*rt.Type{}, ctx: types.NewContext(), interned: map[string]*rt.Type{}, source: map[*types.Package]bool{}}
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

// of returns the descriptor of t with its representation filled in.
func (r *reps) of(t types.Type) *rt.Type {
	t = types.Unalias(t)
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
	t = types.Unalias(t)
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
		k := structural(d)
		if e := r.interned[k]; e != nil {
			d = e
		} else {
			r.interned[k] = d
		}
		r.byType.Set(t, d)
		return d
	}
	d := r.carry[n]
	if d == nil {
		d = &rt.Type{}
	}
	r.byType.Set(t, d)
	r.fill(d, t)
	if r.declared(n) && r.onNamed != nil {
		r.onNamed(n)
	}
	return d
}

// structural is a key that unnamed types with the same components share.
func structural(d *rt.Type) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %p %p %d %d %v", d.Kind, d.Name, d.Elem, d.Key, d.Len, d.Dir, d.Variadic)
	for _, f := range d.Fields {
		fmt.Fprintf(&b, "|%s %p %q %v", f.Name, f.Type, f.Tag, f.Embedded)
	}
	for _, p := range d.Params {
		fmt.Fprintf(&b, "(%p", p)
	}
	for _, p := range d.Results {
		fmt.Fprintf(&b, ")%p", p)
	}
	for _, m := range d.Methods {
		fmt.Fprintf(&b, ";%s %p", m.Name, m.Type)
	}
	return b.String()
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

func (r *reps) typeName(n *types.Named) string {
	s := types.TypeString(n, func(p *types.Package) string { return p.Name() })
	if i := strings.IndexByte(s, '['); i >= 0 {
		return s[:i] + strings.ReplaceAll(types.TypeString(n, func(p *types.Package) string { return p.Name() })[i:], ", ", ",")
	}
	return s
}

// rep returns the representation of t.
func (r *reps) rep(t types.Type) reflect.Type {
	t = types.Unalias(t)
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
	t = types.Unalias(t)
	d := r.desc(t)
	if d.Rep == nil {
		d.Rep = r.build(t)
	}
	return d.Rep
}

type dummy struct{}

// structRep builds a struct type with package reflect. A field whose type leads back to a struct under construction
// gets a stand-in of the same kind first (the same size and pointers) and its true type in settle.
func (r *reps) structRep(t *types.Struct, n *types.Named) reflect.Type {
	r.depth++
	r.busy[t] = true
	r.n++
	id := r.n
	var fields []reflect.StructField
	type later struct {
		i int
		t types.Type
	}
	var laters []later
	for i := range t.NumFields() {
		f := t.Field(i)
		sf := reflect.StructField{Name: fieldName(f, i)}
		tag := t.Tag(i)
		if !f.Exported() {
			tag = strings.TrimSpace(`json:"-" xml:"-" ` + tag)
		}
		if i == 0 {
			tag = strings.TrimSpace(tag + fmt.Sprintf(` godp:"%d"`, id))
		}
		sf.Tag = reflect.StructTag(tag)
		if r.leadsToBusy(f.Type(), map[types.Type]bool{}) {
			sf.Type = standIn(f.Type().Underlying(), i, id)
			laters = append(laters, later{i, f.Type()})
		} else {
			sf.Type = r.part(f.Type())
		}
		fields = append(fields, sf)
	}
	st := reflect.StructOf(fields)
	delete(r.busy, t)
	r.depth--
	for _, l := range laters {
		r.pending = append(r.pending, patch{st, l.i, l.t})
	}
	name := fmt.Sprintf("S%d", id)
	if _, ok := r.names[st]; !ok {
		r.names[st] = name
		v := reflect.Zero(reflect.PointerTo(st))
		r.structs[name], r.fresh[name] = v, v
	}
	return st
}

func (r *reps) settle() {
	for len(r.pending) > 0 {
		p := r.pending[0]
		r.pending = r.pending[1:]
		r.depth++
		ft := r.part(p.typ)
		r.depth--
		setFieldType(p.in, p.field, ft)
	}
}

func fieldName(f *types.Var, i int) string {
	if f.Name() == "_" {
		return fmt.Sprintf("F_blank%d", i)
	}
	if f.Exported() {
		return f.Name()
	}
	return "F_" + f.Name()
}

// leadsToBusy reports whether the representation of t contains a struct now under construction.
func (r *reps) leadsToBusy(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		if !r.declared(n) {
			return false
		}
		if d, ok := r.byType.At(n).(*rt.Type); ok && d.Rep != nil {
			return false
		}
		t = n.Underlying()
	}
	switch t := t.(type) {
	case *types.Struct:
		if r.busy[t] {
			return true
		}
		for i := range t.NumFields() {
			if r.leadsToBusy(t.Field(i).Type(), seen) {
				return true
			}
		}
	case *types.Pointer:
		return r.leadsToBusy(t.Elem(), seen)
	case *types.Slice:
		return r.leadsToBusy(t.Elem(), seen)
	case *types.Array:
		return r.leadsToBusy(t.Elem(), seen)
	case *types.Chan:
		return r.leadsToBusy(t.Elem(), seen)
	case *types.Map:
		return r.leadsToBusy(t.Key(), seen) || r.leadsToBusy(t.Elem(), seen)
	case *types.Signature:
		for i := range t.Params().Len() {
			if r.leadsToBusy(t.Params().At(i).Type(), seen) {
				return true
			}
		}
		for i := range t.Results().Len() {
			if r.leadsToBusy(t.Results().At(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}

// standIn has the kind, and so the size and the pointer layout, of the type that will replace it.
func standIn(u types.Type, i, id int) reflect.Type {
	switch u := u.(type) {
	case *types.Pointer:
		return reflect.TypeFor[*dummy]()
	case *types.Slice:
		return reflect.TypeFor[[]dummy]()
	case *types.Map:
		return reflect.TypeFor[map[string]dummy]()
	case *types.Chan:
		return reflect.TypeFor[chan dummy]()
	case *types.Signature:
		return reflect.TypeFor[func(dummy)]()
	case *types.Array:
		return reflect.ArrayOf(int(u.Len()), standIn(u.Elem().Underlying(), i, id))
	case *types.Struct:
		// A struct by value whose own fields lead back: lay it out field by field.
		var fs []reflect.StructField
		for k := range u.NumFields() {
			fs = append(fs, reflect.StructField{Name: fmt.Sprintf("F%d", k), Type: plain(u.Field(k).Type(), i, id)})
		}
		return reflect.StructOf(fs)
	case *types.Interface:
		return anyType
	}
	panic(fmt.Sprintf("internal: no stand-in for %v", u))
}

func plain(t types.Type, i, id int) reflect.Type {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return basics[b.Kind()]
	}
	return standIn(t.Underlying(), i, id)
}

// recursive reports whether a declared type that is not a struct contains itself without passing through a struct
// or an interface (type F func() F): such a type has no finite representation and lives in interface{}.
func (r *reps) recursive(n *types.Named) bool {
	if _, ok := n.Underlying().(*types.Struct); ok {
		return false
	}
	if _, ok := n.Underlying().(*types.Interface); ok {
		return false
	}
	seen := map[*types.Named]bool{}
	var walk func(t types.Type) bool
	walk = func(t types.Type) bool {
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			if t == n {
				return true
			}
			if seen[t] || !r.declared(t) {
				return false
			}
			seen[t] = true
			switch t.Underlying().(type) {
			case *types.Struct, *types.Interface:
				return false
			}
			return walk(t.Underlying())
		case *types.Pointer:
			return walk(t.Elem())
		case *types.Slice:
			return walk(t.Elem())
		case *types.Array:
			return walk(t.Elem())
		case *types.Chan:
			return walk(t.Elem())
		case *types.Map:
			return walk(t.Key()) || walk(t.Elem())
		case *types.Signature:
			for i := range t.Params().Len() {
				if walk(t.Params().At(i).Type()) {
					return true
				}
			}
			for i := range t.Results().Len() {
				if walk(t.Results().At(i).Type()) {
					return true
				}
			}
		}
		return false
	}
	return walk(n.Underlying())
}

// compiled finds the reflect type of a compiled named type in the symbol tables.
func (r *reps) compiled(n *types.Named) reflect.Type {
	obj := n.Obj()
	if obj.Pkg() == nil {
		if obj.Name() == "error" {
			return errorType
		}
		return anyType
	}
	path := obj.Pkg().Path()
	tab := r.symbols[path+"/"+obj.Pkg().Name()]
	if v, ok := tab[obj.Name()]; ok && v.Kind() == reflect.Pointer {
		return v.Type().Elem()
	}
	if i, ok := n.Underlying().(*types.Interface); ok && i.NumMethods() == 0 {
		return anyType
	}
	found := r.reach[path]
	if found == nil {
		found = map[string]reflect.Type{}
		r.reach[path] = found
		seen := map[reflect.Type]bool{}
		for _, v := range tab {
			if v.IsValid() {
				walkReflect(v.Type(), path, found, seen)
				if v.Kind() == reflect.Interface && !v.IsNil() {
					walkReflect(v.Elem().Type(), path, found, seen)
				}
			}
		}
	}
	if t, ok := found[obj.Name()]; ok {
		if _, ok := r.names[t]; !ok {
			r.n++
			name := fmt.Sprintf("S%d", r.n)
			r.names[t] = name
			v := reflect.Zero(reflect.PointerTo(t))
			r.structs[name], r.fresh[name] = v, v
		}
		return t
	}
	panic(refused("the type %s.%s is not available in cells", obj.Pkg().Name(), obj.Name()))
}

func walkReflect(t reflect.Type, path string, found map[string]reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if t.PkgPath() == path && t.Name() != "" {
		found[t.Name()] = t
	} else if t.PkgPath() != "" && t.PkgPath() != path {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		walkReflect(t.Elem(), path, found, seen)
	case reflect.Map:
		walkReflect(t.Key(), path, found, seen)
		walkReflect(t.Elem(), path, found, seen)
	case reflect.Func:
		for i := range t.NumIn() {
			walkReflect(t.In(i), path, found, seen)
		}
		for i := range t.NumOut() {
			walkReflect(t.Out(i), path, found, seen)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			walkReflect(t.Field(i).Type, path, found, seen)
		}
	}
	for i := range t.NumMethod() {
		walkReflect(t.Method(i).Type, path, found, seen)
	}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && t.Name() != "" {
		walkReflect(reflect.PointerTo(t), path, found, seen)
	}
}

// text is how the emitted source writes the representation t.
func (r *reps) text(t reflect.Type) string {
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
	// A compiled unnamed struct or interface type: hand it over under a name of ours.
	r.n++
	name := fmt.Sprintf("S%d", r.n)
	r.names[t] = name
	v := reflect.Zero(reflect.PointerTo(t))
	r.structs[name], r.fresh[name] = v, v
	return "t." + name
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

// The layout of a struct type inside package reflect, as far as setFieldType needs it (internal/abi.StructType).
type abiType struct {
	_, _   uintptr
	_      uint32
	_      uint32
	_      uintptr
	_      uintptr
	_, _   uint32
	_      uintptr // PkgPath
	fields []abiField
}

type abiField struct {
	_   uintptr
	typ unsafe.Pointer
	_   uintptr
}

// setFieldType replaces the type of one field of a struct type made by reflect.StructOf. Package reflect cannot make
// recursive types; the stand-in it was given has the same size and pointers, so nothing else changes. A test checks
// the layout against this Go release.
func setFieldType(st reflect.Type, i int, ft reflect.Type) {
	s := (*abiType)(typePointer(st))
	s.fields[i].typ = typePointer(ft)
}

func typePointer(t reflect.Type) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}
