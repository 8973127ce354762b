package rt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"testing"
)

type (
	eWrap  struct{ inner error }        // Unwrap on the pointer
	eMany  struct{ all []error }        // Unwrap to several
	eIs    struct{ code int }           // its own Is
	eAs    struct{ n int }              // its own As
	eTemp  struct{ error }              // embeds a compiled interface
	eSlice []string                     // not comparable
	eCoder interface{ ErrorCode() int } // an interface declared in a cell
	eCode  struct{ Code int }
)

func (e *eWrap) Error() string     { return "wrap: " + e.inner.Error() }
func (e *eWrap) Unwrap() error     { return e.inner }
func (e eMany) Error() string      { return fmt.Sprint("many ", len(e.all)) }
func (e eMany) Unwrap() []error    { return e.all }
func (e eIs) Error() string        { return "is" }
func (e eIs) Is(target error) bool { return target == io.ErrShortWrite }
func (e eAs) Error() string        { return "as" }
func (e eAs) As(target any) bool {
	p, ok := target.(**tErr)
	if ok {
		*p = &tErr{e.n}
	}
	return ok
}
func (e eSlice) Error() string { return "slice" }
func (e eCode) Error() string  { return "code" }
func (e eCode) ErrorCode() int { return e.Code }

func mirrorError(e error) error {
	if e == nil {
		return nil
	}
	x, ok := ErrorOf(mir.box(e))
	if !ok {
		panic(fmt.Sprintf("%T is not an error", e))
	}
	return x
}

func chains() []error {
	a := &tErr{1}
	return []error{nil, io.EOF, a, tErrV(2), &eWrap{a}, &eWrap{io.EOF}, &eWrap{&eWrap{tErrV(2)}}, eMany{[]error{nil, io.EOF, a}}, eMany{},
		eIs{1}, eAs{7}, eTemp{io.EOF}, eSlice{"x"}, &eWrap{eSlice{"x"}}, eCode{4}, &eWrap{eCode{5}}, &fs.PathError{Op: "o", Path: "p", Err: eCode{6}}}
}

func tErrV(n int) error { return tVErr(fmt.Sprint(n)) }

// TestIsMatchesGo compares errors.Is over all pairs of chains.
func TestIsMatchesGo(t *testing.T) {
	natives := chains()
	mirrors := make([]error, len(natives))
	for i, e := range natives {
		if pe, ok := e.(*fs.PathError); ok {
			mirrors[i] = &fs.PathError{Op: pe.Op, Path: pe.Path, Err: mirrorError(pe.Err)}
			continue
		}
		mirrors[i] = mirrorError(e)
	}
	targets := append(natives, io.ErrShortWrite, tVErr("2"), eCode{4}, eCode{6})
	mtargets := append(mirrors, io.ErrShortWrite, mirrorError(tVErr("2")), mirrorError(eCode{4}), mirrorError(eCode{6}))
	for i, e := range natives {
		for j, target := range targets {
			// A pointer is a new one in the mirror; chains that hold it are compared through As below.
			if reflect.TypeOf(target) == reflect.TypeFor[*tErr]() || reflect.TypeOf(target) == reflect.TypeFor[*eWrap]() {
				continue
			}
			if want, got := errors.Is(e, target), Is(mirrors[i], mtargets[j]); want != got {
				t.Errorf("Is(%T %v, %T %v): go %v, rt %v", e, e, target, target, want, got)
			}
			// Compiled code sees the same chain.
			if want, got := errors.Is(e, target), errors.Is(mirrors[i], mtargets[j]); want != got {
				t.Errorf("compiled Is(%T %v, %T %v): go %v, compiled %v", e, e, target, target, want, got)
			}
		}
		if want, got := errors.Unwrap(e), Unwrap(mirrors[i]); fmt.Sprintf("%T %v", want, want) != Sprintf("%T %v", got, got) {
			t.Errorf("Unwrap(%T): go %v, rt %v", e, want, got)
		}
	}
	p := mirrorError(&tErr{1})
	w := mirrorError(&eWrap{io.EOF})
	if !Is(p, p) || Is(p, mirrorError(&tErr{1})) || !Is(wrapError("x", p), p) || !Is(w, io.EOF) {
		t.Error("pointers must compare by identity")
	}
}

func asNative[T any](e error) (T, bool) { var v T; ok := errors.As(e, &v); return v, ok }

func asMirror[T any](e error) (T, bool) {
	var zero T
	pt := mir.of(reflect.TypeFor[*T]())
	p := reflect.New(pt.Elem.Rep)
	var target any = p.Interface()
	if !pt.Faithful {
		target = Box{T: pt, V: target}
	}
	ok := As(e, target)
	v, ok2 := AsType(e, pt)
	if ok != ok2 {
		panic("AsType and As differ")
	}
	if ok && fmt.Sprint(v) != fmt.Sprint(p.Elem().Interface()) {
		panic(fmt.Sprint("AsType and As give different values: ", v, p.Elem()))
	}
	if !ok {
		return zero, false
	}
	return mir.native(pt.Elem, reflect.TypeFor[T](), p.Elem()).Interface().(T), true
}

func checkAs[T any](t *testing.T) {
	for _, e := range chains() {
		m := e
		if pe, ok := e.(*fs.PathError); ok {
			m = &fs.PathError{Op: pe.Op, Path: pe.Path, Err: mirrorError(pe.Err)}
		} else {
			m = mirrorError(e)
		}
		want, ok := asNative[T](e)
		got, ok2 := asMirror[T](m)
		if ok != ok2 || fmt.Sprintf("%T %+v", want, want) != fmt.Sprintf("%T %+v", got, got) {
			t.Errorf("As(%T, *%v): go %v %v, rt %v %v", e, reflect.TypeFor[T](), want, ok, got, ok2)
		}
	}
}

// TestAsMatchesGo compares errors.As over the chains for targets of all kinds.
func TestAsMatchesGo(t *testing.T) {
	checkAs[*tErr](t)
	checkAs[tVErr](t)
	checkAs[eCode](t)
	checkAs[eCoder](t)
	checkAs[eSlice](t)
	checkAs[*fs.PathError](t)
	checkAs[*eWrap](t)
	checkAs[eMany](t)
	checkAs[interface{ Error() string }](t)
}

func panicText(f func()) (s string) {
	defer func() { s = fmt.Sprint(recover()) }()
	f()
	return "no panic"
}

func TestAsPanicsAsGo(t *testing.T) {
	e := mirrorError(tVErr("x"))
	var np *int
	for _, c := range []struct{ native, mirror any }{
		{nil, nil}, {3, 3}, {np, np}, {new(int), new(int)}, {new(tInt), mir.box(new(tInt))}, {tInt(1), mir.box(tInt(1))}, {(*tVErr)(nil), mir.box((*tVErr)(nil))},
	} {
		want := panicText(func() { errors.As(io.EOF, c.native) })
		got := panicText(func() { As(e, c.mirror) })
		if want != got {
			t.Errorf("As(err, %T): go %q, rt %q", c.native, want, got)
		}
	}
}

// TestErrorfWraps compares text, type and chain of what Errorf makes.
func TestErrorfWraps(t *testing.T) {
	for _, c := range []struct {
		f string
		a []any
	}{
		{"a %w", []any{&tErr{1}}}, {"a %w b %w", []any{tVErr("x"), eCode{2}}}, {"%[2]w %[1]w", []any{tVErr("x"), eCode{2}}},
		{"%[1]w %[1]w", []any{tVErr("x")}}, {"%w", []any{tInt(3)}}, {"%w", []any{nil}}, {"%w %w", []any{io.EOF, tInt(1)}}, {"%v", []any{tVErr("x")}},
		{"%+w %#w", []any{tVErr("x"), &tErr{1}}}, {"%d %w", []any{tInt(1), eMany{[]error{io.EOF}}}}, {"%w", []any{tPoint{1, 2}}}, {"%w", nil},
	} {
		want, got := fmt.Errorf(c.f, c.a...), Errorf(c.f, boxed(c.a)...)
		check(t, c.f, want.Error(), got.Error())
		check(t, c.f+" type", fmt.Sprintf("%T", want), Sprintf("%T", got))
		for _, target := range []error{io.EOF, tVErr("x"), eCode{2}} {
			if w, g := errors.Is(want, target), Is(got, mirrorError(target)); w != g {
				t.Errorf("Is(Errorf(%q), %v): go %v, rt %v", c.f, target, w, g)
			}
		}
		wt, w := asNative[*tErr](want)
		gt, g := asMirror[*tErr](got)
		if w != g || w && *wt != *gt {
			t.Errorf("As(Errorf(%q)): go %v %v, rt %v %v", c.f, wt, w, gt, g)
		}
		check(t, c.f+" Unwrap", fmt.Sprint(errors.Unwrap(want)), Sprint(Unwrap(got)))
	}
	j := Join(mirrorError(tVErr("x")), nil, mirrorError(&tErr{1}))
	if want := errors.Join(tVErr("x"), &tErr{1}).Error(); j.Error() != want || !Is(j, mirrorError(tVErr("x"))) {
		t.Errorf("Join: %v", j)
	}
}
