package rt

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"unsafe"
)

var (
	sigIs      = sig[func(error) bool]()
	sigAs      = sig[func(any) bool]()
	sigUnwrap  = sig[func() error]()
	sigUnwraps = sig[func() []error]()
)

// ErrorOf returns the interface value x as an error: x itself when it is a compiled error, a wrapper when it is a
// boxed value whose type has an Error method, and nil, false otherwise.
func ErrorOf(x any) (error, bool) {
	if e, ok := x.(error); ok {
		return e, true
	}
	v := valOf(x)
	if v.t == nil || !v.valid() || !v.hasMethod("Error", sigString) {
		return nil, false
	}
	w, ok := WrapAs(errorType, Box{T: v.t, V: v.rep()})
	if !ok {
		return nil, false
	}
	return w.(error), true
}

// WrapError makes an error of a boxed value whose type has an Error method. The wrapper passes Is, As and Unwrap on to
// the value's own methods, so that compiled code that walks a chain of errors goes on through it; a value without
// those methods is the end of the chain. Wrappers of equal values are equal.
func WrapError(d Dynamic) error {
	b, ok := d.(Box)
	comparable := !ok || b.T.comparable()
	switch joined := ok && valOf(b).hasMethod("Unwrap", sigUnwraps); {
	case joined && comparable:
		return joinedError{cellError{d}}
	case joined:
		return joinedErrorNC{joinedError: joinedError{cellError{d}}}
	case comparable:
		return singleError{cellError{d}}
	}
	return singleErrorNC{singleError: singleError{cellError{d}}}
}

type cellError struct{ V Dynamic }

func (e cellError) Dynamic() Dynamic { return e.V }

func (e cellError) Error() string { return e.V.Method("Error").(func() string)() }

func (e cellError) Is(target error) bool {
	f, ok := e.V.Method("Is").(func(error) bool)
	return ok && f(target)
}

func (e cellError) As(target any) bool {
	f, ok := e.V.Method("As").(func(any) bool)
	return ok && f(target)
}

type singleError struct{ cellError }

func (e singleError) Unwrap() error {
	if f, ok := e.V.Method("Unwrap").(func() error); ok {
		return f()
	}
	return nil
}

type joinedError struct{ cellError }

func (e joinedError) Unwrap() []error {
	if f, ok := e.V.Method("Unwrap").(func() []error); ok {
		return f()
	}
	return nil
}

// Wrappers of values that == cannot compare are not comparable either: errors.Is asks before it compares.
type (
	singleErrorNC struct {
		_ [0]func()
		singleError
	}
	joinedErrorNC struct {
		_ [0]func()
		joinedError
	}
)

// unwrapped calls whichever Unwrap method x has; ok is false when it has none.
func (x val) unwrapped() (one error, many []error, ok bool) {
	switch {
	case x.hasMethod("Unwrap", sigUnwrap):
		one, _ = x.call("Unwrap")[0].Interface().(error)
		return one, nil, one != nil
	case x.hasMethod("Unwrap", sigUnwraps):
		many, _ = x.call("Unwrap")[0].Interface().([]error)
		return nil, many, true
	}
	return nil, nil, false
}

// comparable reports whether == on two interface values holding x's type does not panic because of the type.
func (x val) comparable() bool {
	return x.t == nil && x.v.Type().Comparable() || x.t != nil && x.t.comparable()
}

func (t *Type) comparable() bool {
	switch t.Kind {
	case reflect.Func, reflect.Map, reflect.Slice:
		return false
	case reflect.Array:
		return t.Elem.comparable()
	case reflect.Struct:
		for i := range t.Fields {
			if !t.Fields[i].Type.comparable() {
				return false
			}
		}
	}
	return true
}

// identical is == on the interface values that x and y stand for.
func identical(x, y val) bool { return x.interfaceOf() == y.interfaceOf() }

// Is is errors.Is; values of types declared in cells compare with their types, and their Is and Unwrap methods count.
func Is(err, target error) bool {
	if err == nil || target == nil {
		return err == target
	}
	y := valOf(target)
	return is(valOf(err), y, target, y.comparable())
}

func is(x, y val, target error, comparable bool) bool {
	for {
		if comparable && x.sameType(y) && identical(x, y) {
			return true
		}
		if x.hasMethod("Is", sigIs) && x.call("Is", reflect.ValueOf(&target).Elem())[0].Bool() {
			return true
		}
		one, many, ok := x.unwrapped()
		if !ok {
			return false
		}
		if one != nil {
			x = valOf(one)
			continue
		}
		for _, e := range many {
			if e == nil {
				continue
			}
			if is(valOf(e), y, target, comparable) {
				return true
			}
		}
		return false
	}
}

// As is errors.As for targets of every type: a pointer to a compiled type, or a boxed pointer to a type or interface
// declared in a cell. It panics as errors.As does.
func As(err error, target any) bool {
	if err == nil {
		return false
	}
	x := valOf(target)
	if !x.valid() {
		panic("errors: target cannot be nil")
	}
	if x.kind() != reflect.Pointer || x.isNil() {
		panic("errors: target must be a non-nil pointer")
	}
	var elem slot
	if x.t != nil {
		elem = slot{x.t.Elem, x.v.Elem()}
	} else {
		elem = slot{nil, x.v.Elem()}
	}
	if !elem.isInterface() && !elem.isError() {
		panic("errors: *target must be interface or implement error")
	}
	return as(valOf(err), target, elem)
}

// AsType is errors.AsType[E], where p describes *E: it returns the first error of the chain whose type is, or
// implements, E, in E's representation.
func AsType(err error, p *Type) (any, bool) {
	to := reflect.New(p.Elem.Rep)
	var target any = to.Interface()
	if !p.Faithful {
		target = Box{T: p, V: target}
	}
	ok := err != nil && as(valOf(err), target, slot{p.Elem, to.Elem()})
	return to.Elem().Interface(), ok
}

func as(x val, target any, to slot) bool {
	for {
		if to.set(x) {
			return true
		}
		if x.hasMethod("As", sigAs) && x.call("As", reflect.ValueOf(&target).Elem())[0].Bool() {
			return true
		}
		one, many, ok := x.unwrapped()
		if !ok {
			return false
		}
		if one != nil {
			x = valOf(one)
			continue
		}
		for _, e := range many {
			if e == nil {
				continue
			}
			if as(valOf(e), target, to) {
				return true
			}
		}
		return false
	}
}

// slot is an assignable place of a Go type; t nil means the compiled type of v.
type slot struct {
	t *Type
	v reflect.Value
}

func (s slot) isInterface() bool {
	if s.t != nil {
		return s.t.Kind == reflect.Interface
	}
	return s.v.Kind() == reflect.Interface
}

func (s slot) isError() bool {
	if s.t != nil {
		return s.t.Faithful && s.t.Rep.Implements(errorType) || !s.t.Faithful && val{t: s.t}.hasMethod("Error", sigString)
	}
	return s.v.Type().Implements(errorType)
}

// set assigns x to the slot if Go's assignability of its dynamic type allows it.
func (s slot) set(x val) bool {
	if s.t != nil && s.t.Faithful {
		s.t = nil
	}
	if !s.isInterface() {
		if s.t != nil && x.t != s.t || s.t == nil && (x.t != nil || x.v.Type() != s.v.Type()) {
			return false
		}
		if x.v.IsValid() {
			s.v.Set(x.v)
		} else {
			s.v.SetZero()
		}
		return true
	}
	if s.t != nil {
		if !Implements(x.interfaceOf(), s.t) {
			return false
		}
		s.v.Set(reflect.ValueOf(x.interfaceOf()))
		return true
	}
	i := s.v.Type()
	if x.t == nil {
		if !x.v.Type().AssignableTo(i) {
			return false
		}
		s.v.Set(x.v)
		return true
	}
	w, ok := WrapAs(i, x.interfaceOf().(Box))
	if ok {
		s.v.Set(reflect.ValueOf(w))
	}
	return ok
}

// WrapAs returns b as a value of the compiled interface type i; false when b's type does not implement i or cells
// have no wrapper for it.
func WrapAs(i reflect.Type, b Box) (any, bool) {
	if i.NumMethod() == 0 {
		return b, true
	}
	x := valOf(b)
	for k := 0; k < i.NumMethod(); k++ {
		m := i.Method(k)
		s := signature{}
		for j := 0; j < m.Type.NumIn(); j++ {
			s.in = append(s.in, m.Type.In(j))
		}
		for j := 0; j < m.Type.NumOut(); j++ {
			s.out = append(s.out, m.Type.Out(j))
		}
		if !x.hasMethod(m.Name, s) {
			return nil, false
		}
	}
	name := i.Name()
	if i.PkgPath() != "" {
		name = i.PkgPath() + "." + name
	}
	if wrap.Load() != nil {
		if w := wrapper(b, name); w != nil {
			return w(b), true
		}
	}
	if reflect.TypeFor[singleError]().AssignableTo(i) { // error itself, mostly
		return WrapError(b), true
	}
	return nil, false
}

// Join is errors.Join.
func Join(errs ...error) error { return errors.Join(errs...) }

// Unwrap is errors.Unwrap: the result of err's Unwrap() error method, nil where there is none.
func Unwrap(err error) error {
	if err == nil {
		return nil
	}
	x := valOf(err)
	if !x.hasMethod("Unwrap", sigUnwrap) {
		return nil
	}
	e, _ := x.call("Unwrap")[0].Interface().(error)
	return e
}

// Errors returns the functions that take the place of package errors' in the cells' symbol table.
func Errors() map[string]reflect.Value {
	return values(map[string]any{"Is": Is, "As": As, "Join": Join, "Unwrap": Unwrap})
}

// Errorf is fmt.Errorf; %w takes errors of types declared in cells too.
func Errorf(format string, a ...any) error {
	if plain(a) {
		return fmt.Errorf(format, a...)
	}
	p := newPrinter()
	defer p.free()
	p.wrapErrs = true
	p.doPrintf(format, a)
	s := string(p.buf)
	switch len(p.wrapped) {
	case 0:
		return errors.New(s)
	case 1:
		e, _ := ErrorOf(a[p.wrapped[0]])
		return wrapError(s, e)
	}
	if p.reordered {
		slices.Sort(p.wrapped)
	}
	var errs []error
	for i, n := range p.wrapped {
		if i > 0 && p.wrapped[i-1] == n {
			continue
		}
		if e, ok := ErrorOf(a[n]); ok {
			errs = append(errs, e)
		}
	}
	return wrapErrors(s, errs)
}

// wrappedError and wrappedErrors have the layout of fmt's unexported types wrapError and wrapErrors; the errors made
// here are values of those types, so that %T and %#v print what Go prints. layoutKnown checks the layout once.
type (
	wrappedError struct {
		msg string
		err error
	}
	wrappedErrors struct {
		msg  string
		errs []error
	}
)

func (e *wrappedError) Error() string    { return e.msg }
func (e *wrappedError) Unwrap() error    { return e.err }
func (e *wrappedErrors) Error() string   { return e.msg }
func (e *wrappedErrors) Unwrap() []error { return e.errs }

var (
	oneType  = reflect.TypeOf(fmt.Errorf("%w", io.EOF)).Elem()
	manyType = reflect.TypeOf(fmt.Errorf("%w%w", io.EOF, io.EOF)).Elem()
	oneKnown = sameLayout(oneType, reflect.TypeFor[wrappedError]())
	manyKnow = sameLayout(manyType, reflect.TypeFor[wrappedErrors]())
)

func sameLayout(a, b reflect.Type) bool {
	if a.Kind() != reflect.Struct || a.NumField() != b.NumField() {
		return false
	}
	for i := 0; i < a.NumField(); i++ {
		f, g := a.Field(i), b.Field(i)
		if f.Name != g.Name || f.Type != g.Type || f.Offset != g.Offset {
			return false
		}
	}
	return true
}

func wrapError(s string, e error) error {
	if !oneKnown {
		return &wrappedError{s, e}
	}
	p := reflect.New(oneType)
	*(*wrappedError)(unsafe.Pointer(p.Pointer())) = wrappedError{s, e}
	return p.Interface().(error)
}

func wrapErrors(s string, errs []error) error {
	if !manyKnow {
		return &wrappedErrors{s, errs}
	}
	p := reflect.New(manyType)
	*(*wrappedErrors)(unsafe.Pointer(p.Pointer())) = wrappedErrors{s, errs}
	return p.Interface().(error)
}
