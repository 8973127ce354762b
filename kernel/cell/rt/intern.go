package rt

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// interned holds the one descriptor of every unnamed type, by its components, and of every named compiled type.
var interned = struct {
	sync.Mutex
	types map[string]*Type
}{types: map[string]*Type{}}

// Intern returns the descriptor of the unnamed type that d describes: d itself, if there was none. The components of d must
// be interned.
func Intern(d *Type) *Type {
	k := structure(d)
	interned.Lock()
	defer interned.Unlock()
	if e := interned.types[k]; e != nil {
		return e
	}
	interned.types[k] = d
	return d
}

// Compiled returns the descriptor of the compiled type name ("time.Duration") of package path; it is empty at first.
func Compiled(path, name string) *Type {
	k := path + " " + name
	interned.Lock()
	defer interned.Unlock()
	d := interned.types[k]
	if d == nil {
		d = &Type{}
		interned.types[k] = d
	}
	return d
}

// structure is a key that unnamed types with the same components share.
func structure(d *Type) string {
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

// descriptorOf returns the descriptor of a compiled type, the one that the compiler has for it.
func descriptorOf(r reflect.Type) *Type {
	if name := reflected[r]; name != "" {
		pkg, _ := cutName(name)
		return Compiled(pkg, name)
	}
	d := &Type{Kind: r.Kind(), Faithful: true, Rep: r}
	named := r.Name() != "" && (r.PkgPath() != "" && r.Kind() != reflect.UnsafePointer || r.Kind() == reflect.Interface)
	if named {
		if c := Compiled(r.PkgPath(), r.String()); c.Rep != nil {
			return c
		}
	}
	switch r.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan, reflect.Map:
		d.Elem = descriptorOf(r.Elem())
		switch r.Kind() {
		case reflect.Array:
			d.Len = r.Len()
		case reflect.Chan:
			d.Dir = r.ChanDir()
		case reflect.Map:
			d.Key = descriptorOf(r.Key())
		}
	case reflect.Func:
		for i := range r.NumIn() {
			d.Params = append(d.Params, descriptorOf(r.In(i)))
		}
		for i := range r.NumOut() {
			d.Results = append(d.Results, descriptorOf(r.Out(i)))
		}
		d.Variadic = r.IsVariadic()
	case reflect.Interface:
		for i := range r.NumMethod() {
			m := r.Method(i)
			d.Methods = append(d.Methods, IMethod{Name: m.Name, Type: descriptorOf(m.Type)})
		}
	case reflect.Struct:
		if !named {
			return d
		}
	default:
		d.Name = r.Name()
	}
	if !named {
		return Intern(d)
	}
	c := Compiled(r.PkgPath(), r.String())
	c.Kind, c.Name, c.PkgPath, c.Faithful, c.Elem, c.Key, c.Len, c.Dir = d.Kind, r.String(), r.PkgPath(), true, d.Elem, d.Key, d.Len, d.Dir
	c.Params, c.Results, c.Variadic, c.Methods, c.Rep = d.Params, d.Results, d.Variadic, d.Methods, r
	return c
}

// descriptor is descriptorOf a compiled type, and a declared type's own.
func (y typ) descriptor() *Type {
	if y.t != nil {
		return y.t
	}
	return descriptorOf(y.r)
}

// typeOfReflect is the type that a reflect.Type stands for.
func typeOfReflect(t reflect.Type) typ {
	switch w := t.(type) {
	case *view:
		return typ{t: w.t}
	case *renamed:
		return typ{r: w.Type}
	}
	return typ{r: t}
}

// composite interns an unnamed type one of whose components is declared in a cell.
func composite(d *Type, rep reflect.Type) typ {
	d = Intern(d)
	if d.Rep == nil {
		d.Rep = rep
	}
	return typ{t: d}
}

func ptrTo(y typ) typ {
	if y.t == nil {
		return typ{r: reflect.PointerTo(y.r)}
	}
	return composite(&Type{Kind: reflect.Pointer, Elem: y.t}, reflect.PointerTo(y.t.Rep))
}

func sliceOf(y typ) typ {
	if y.t == nil {
		return typ{r: reflect.SliceOf(y.r)}
	}
	return composite(&Type{Kind: reflect.Slice, Elem: y.t}, reflect.SliceOf(y.t.Rep))
}

func arrayOf(n int, y typ) typ {
	if y.t == nil {
		return typ{r: reflect.ArrayOf(n, y.r)}
	}
	return composite(&Type{Kind: reflect.Array, Elem: y.t, Len: n}, reflect.ArrayOf(n, y.t.Rep))
}

func chanOf(dir reflect.ChanDir, y typ) typ {
	if y.t == nil {
		return typ{r: reflect.ChanOf(dir, y.r)}
	}
	return composite(&Type{Kind: reflect.Chan, Elem: y.t, Dir: dir}, reflect.ChanOf(dir, y.t.Rep))
}

func mapOf(k, e typ) typ {
	if k.t == nil && e.t == nil {
		return typ{r: reflect.MapOf(k.r, e.r)}
	}
	if k.t != nil && !k.t.comparable() {
		panic("reflect.MapOf: invalid key type " + k.String())
	}
	return composite(&Type{Kind: reflect.Map, Key: k.descriptor(), Elem: e.descriptor()}, reflect.MapOf(k.rep(), e.rep()))
}

func funcOf(in, out []typ, variadic bool) typ {
	d := &Type{Kind: reflect.Func, Variadic: variadic}
	var ins, outs []reflect.Type
	declared := false
	for _, y := range in {
		d.Params, ins, declared = append(d.Params, y.descriptor()), append(ins, y.rep()), declared || y.t != nil
	}
	for _, y := range out {
		d.Results, outs, declared = append(d.Results, y.descriptor()), append(outs, y.rep()), declared || y.t != nil
	}
	r := reflect.FuncOf(ins, outs, variadic)
	if !declared {
		return typ{r: r}
	}
	return composite(d, r)
}
