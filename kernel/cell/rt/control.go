package rt

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Panic is panic(v) of a cell.
func Panic(mark int, v any) {
	at(mark)
	if v == nil {
		panic(new(runtime.PanicNilError))
	}
	panic(v)
}

// PanicIndex is an index out of range.
func PanicIndex(mark, i, n int) {
	at(mark)
	if i < 0 {
		panic(RuntimeError(fmt.Sprintf("index out of range [%d]", i)))
	}
	panic(RuntimeError(fmt.Sprintf("index out of range [%d] with length %d", i, n)))
}

// PanicIndexU is an index of an unsigned type out of range.
func PanicIndexU(mark int, i uint64, n int) {
	at(mark)
	panic(RuntimeError(fmt.Sprintf("index out of range [%d] with length %d", i, n)))
}

// bound is a slice bound as a panic names it: 1<<63 and more come as negative numbers from unsigned operands.
func bound(i int, unsigned bool) (text string, negative bool) {
	if unsigned {
		return strconv.FormatUint(uint64(i), 10), false
	}
	return strconv.Itoa(i), i < 0
}

// PanicSlice is x[lo:hi] out of bounds for capacity (a string's or an array's length) c. Bits of unsigned say which of
// the operands were unsigned.
func PanicSlice(mark, lo, hi, c int, kind string, unsigned int) {
	at(mark)
	what := map[string]string{"slice": "capacity", "array": "length", "string": "length"}[kind]
	l, lneg := bound(lo, unsigned&1 != 0)
	h, hneg := bound(hi, unsigned&2 != 0)
	switch {
	case hneg:
		panic(RuntimeError("slice bounds out of range [:" + h + "]"))
	case uint64(hi) > uint64(c):
		panic(RuntimeError(fmt.Sprintf("slice bounds out of range [:%s] with %s %d", h, what, c)))
	case lneg:
		panic(RuntimeError("slice bounds out of range [" + l + ":]"))
	}
	panic(RuntimeError("slice bounds out of range [" + l + ":" + h + "]"))
}

// PanicSlice3 is x[lo:hi:max] out of bounds.
func PanicSlice3(mark, lo, hi, max, c int, kind string, unsigned int) {
	at(mark)
	what := "capacity"
	if kind == "array" {
		what = "length"
	}
	l, lneg := bound(lo, unsigned&1 != 0)
	h, hneg := bound(hi, unsigned&2 != 0)
	m, mneg := bound(max, unsigned&4 != 0)
	switch {
	case mneg:
		panic(RuntimeError("slice bounds out of range [::" + m + "]"))
	case uint64(max) > uint64(c):
		panic(RuntimeError(fmt.Sprintf("slice bounds out of range [::%s] with %s %d", m, what, c)))
	case hneg:
		panic(RuntimeError("slice bounds out of range [:" + h + ":]"))
	case uint64(hi) > uint64(max):
		panic(RuntimeError("slice bounds out of range [:" + h + ":" + m + "]"))
	case lneg:
		panic(RuntimeError("slice bounds out of range [" + l + "::]"))
	}
	panic(RuntimeError("slice bounds out of range [" + l + ":" + h + ":]"))
}

// PanicNil is a nil pointer dereference.
func PanicNil(mark int) { at(mark); panic(nilDereference) }

// PanicDivide is an integer division by zero.
func PanicDivide(mark int) { at(mark); panic(RuntimeError("integer divide by zero")) }

// PanicShift is a negative shift count.
func PanicShift(mark int) { at(mark); panic(RuntimeError("negative shift amount")) }

// PanicYield is an iterator that goes on after its loop has ended.
func PanicYield(mark int) {
	at(mark)
	panic(RuntimeError("range function continued iteration after function for loop body returned false"))
}

// CheckMake panics as make does when its sizes do not fit, and where the slice alone would exceed the limit of memory.
func CheckMake(mark, n, c int, hasCap bool, size int) {
	most := math.MaxInt // elements of no size take no room
	if size > 0 {
		most = 1 << 48 / size // of Go's address space
	}
	if n < 0 || n > most {
		at(mark)
		panic(RuntimeError("makeslice: len out of range"))
	}
	if hasCap && (c < n || c > most) {
		at(mark)
		panic(RuntimeError("makeslice: cap out of range"))
	}
	if c > 1<<20 && size > 0 {
		room(mark, float64(c)*float64(size))
	}
}

// CheckString panics where two strings of the lengths given would together exceed the limit of memory.
func CheckString(mark, m, n int) { room(mark, float64(m)+float64(n)) }

// OutOfMemory is panicked with instead of an allocation that the runtime would end the process for.
type OutOfMemory struct{ Bytes, Limit float64 }

func (e OutOfMemory) Error() string {
	return fmt.Sprintf("%.4g MB are wanted at once, and the limit of the values in use is %.4g MB: write %%limit memory SIZE to allow more", e.Bytes/1e6, e.Limit/1e6)
}

// room panics if bytes are more than the limit of memory, which the runtime knows.
func room(mark int, bytes float64) {
	if limit := float64(debug.SetMemoryLimit(-1)); bytes > limit {
		if mark != 0 {
			at(mark)
		}
		panic(OutOfMemory{bytes, limit})
	}
}

// Frame is the defer stack of one call. The body runs under Run; defers run in compiled Go, so that panics, recover
// and Goexit are Go's own.
type Frame struct {
	At int // where the function left its body: its end, or a return statement

	defers []deferred
}

type deferred struct {
	f      func()
	direct bool // the function deferred may call recover itself
}

// NewFrame returns an empty defer stack.
func NewFrame() *Frame { return &Frame{} }

// Defer pushes a call.
func (fr *Frame) Defer(f func(), direct bool) { fr.defers = append(fr.defers, deferred{f, direct}) }

// unwinding is a panic under way in some frame of a goroutine.
type unwinding struct {
	value     any
	trace     Trace
	recovered bool
	armed     bool // the next function entered is the deferred one
}

var panics sync.Map // goroutine id -> []*unwinding

// Run calls body, then the deferred functions, whatever happens.
func (fr *Frame) Run(body func()) {
	normal := false
	defer func() {
		if fr.later() {
			if r := recover(); r != nil {
				panic(Interrupted{})
			}
			return
		}
		var u *unwinding
		if !normal {
			if r := recover(); r != nil {
				u = &unwinding{value: PanicValue(r), trace: TakeTrace()}
			}
			// else: runtime.Goexit, which goes on by itself once the defers have run
		}
		fr.unwind(u)
	}()
	body()
	normal = true
}

// later leaves what is deferred to the end of a run that has been stopped. The interpreter cannot run it now, and
// and its recover must not be told of the interrupt.
func (fr *Frame) later() bool {
	if interrupts.Load() == 0 {
		return false
	}
	r := Mine()
	if !r.Stopped() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(fr.defers) - 1; i >= 0; i-- {
		r.deferred = append(r.deferred, fr.defers[i].f)
	}
	fr.defers = nil
	return true
}

func (fr *Frame) unwind(u *unwinding) {
	for len(fr.defers) > 0 {
		if fr.later() {
			if u != nil {
				panic(Interrupted{})
			}
			return
		}
		d := fr.defers[len(fr.defers)-1]
		fr.defers = fr.defers[:len(fr.defers)-1]
		if next := fr.one(d, u); next != nil {
			u = next
		}
		if u != nil && u.recovered {
			u = nil
		}
	}
	if u != nil {
		again(u.value, u.trace)
	}
}

// one runs a deferred call; a panic in it replaces the one under way.
func (fr *Frame) one(d deferred, u *unwinding) (next *unwinding) {
	if u != nil {
		id := goid()
		u.armed = d.direct
		push(id, u)
		defer pop(id)
	}
	normal := false
	defer func() {
		if !normal {
			if r := recover(); r != nil {
				next = &unwinding{value: PanicValue(r), trace: TakeTrace()}
			} else {
				// Goexit in a deferred call: the remaining ones still run
				fr.unwind(nil)
			}
		}
	}()
	d.f()
	normal = true
	return nil
}

func push(id int64, u *unwinding) {
	s, _ := panics.Load(id)
	l, _ := s.([]*unwinding)
	panics.Store(id, append(l[:len(l):len(l)], u))
	active.Add(1)
}

func pop(id int64) {
	s, _ := panics.Load(id)
	l := s.([]*unwinding)
	active.Add(-1)
	if len(l) == 1 {
		panics.Delete(id)
		return
	}
	panics.Store(id, l[:len(l)-1])
}

// active counts panics under way in all goroutines: none, and recover needs no look.
var active atomic.Int64

// Token says which panic the function that holds it may recover.
type Token = *unwinding

// Enter is called by a function that contains recover: it is told whether it was called by a defer of a panicking
// frame.
func Enter() Token {
	if active.Load() == 0 {
		return nil
	}
	s, _ := panics.Load(goid())
	l, _ := s.([]*unwinding)
	if len(l) == 0 {
		return nil
	}
	u := l[len(l)-1]
	if !u.armed {
		return nil
	}
	u.armed = false
	return u
}

// Disarm says that the function being called has no recover of its own.
func Disarm() { Enter() }

// Eface is how println shows an interface value: the addresses of its type and its data.
func Eface(v any) string {
	if v == nil {
		return "(0x0,0x0)"
	}
	t := reflect.ValueOf(reflect.TypeOf(v)).Pointer()
	x := reflect.New(reflect.TypeOf(v))
	return fmt.Sprintf("(0x%x,0x%x)", t, x.Pointer())
}

// Recover is recover() in the function that holds the token.
func Recover(t Token) any {
	if t == nil || t.recovered {
		return nil
	}
	// a newer panic under way in this goroutine hides the one the token stands for
	if s, ok := panics.Load(goid()); ok {
		if l := s.([]*unwinding); len(l) > 0 && l[len(l)-1] != t {
			return nil
		}
	}
	t.recovered = true
	return t.value
}

// Goroutines counts those that cells have started.
var Goroutines atomic.Int64

// onPanic is told of a panic that ends a goroutine of a cell.
var onPanic atomic.Pointer[func(v any, calls Trace, started int)]

// SetOnPanic installs the receiver of panics in goroutines.
func SetOnPanic(f func(v any, calls Trace, started int)) { onPanic.Store(&f) }

// Go runs f in a goroutine that a go statement at mark starts; a panic in it is reported, not deadly.
func Go(mark int, f func()) {
	r := Mine()
	Goroutines.Add(1)
	r.live.Add(1)
	go func() {
		defer Goroutines.Add(-1)
		defer r.live.Add(-1)
		r.contain(mark, f)
	}()
}

// contain calls f as a part of the run and reports its panic.
func (r *Run) contain(mark int, f func()) {
	defer r.Own()()
	defer func() {
		if v := recover(); v != nil {
			calls := TakeTrace()
			if h := onPanic.Load(); h != nil {
				(*h)(PanicValue(v), calls, mark)
			}
		}
	}()
	f()
}

// Recv receives from a channel value, until interrupted.
func Recv(ch reflect.Value) (reflect.Value, bool) {
	if !ch.IsNil() {
		if v, ok := ch.TryRecv(); ok || v.IsValid() {
			return v, ok
		}
	}
	r := Mine()
	r.park()
	i, v, ok := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: ch}, r.interruptCase()})
	if i == 1 {
		r.end()
	}
	r.goOn()
	return v, ok
}

// Send sends on a channel value, until interrupted.
func Send(ch, v reflect.Value) {
	if !ch.IsNil() && ch.TrySend(v) {
		return
	}
	r := Mine()
	r.park()
	i, _, _ := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: ch, Send: v}, r.interruptCase()})
	if i == 1 {
		r.end()
	}
	r.goOn()
}

func (r *Run) interruptCase() reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(r.done)}
}

// Select is a select statement being built and run.
type Select struct {
	cases []reflect.SelectCase
	value any
	ok    bool
}

// NewSelect begins a select.
func NewSelect() *Select { return &Select{} }

// Send adds a send case.
func (s *Select) Send(ch any, v reflect.Value) {
	s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(ch), Send: v})
}

// Recv adds a receive case.
func (s *Select) Recv(ch any) {
	s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)})
}

// Go chooses; -1 is the default case.
func (s *Select) Go(hasDefault bool) int {
	n := len(s.cases)
	r := Mine()
	if hasDefault {
		s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectDefault})
	} else {
		s.cases = append(s.cases, r.interruptCase())
	}
	for i := range s.cases[:n] {
		// reflect wants the element's own type where it is an interface
		if c := &s.cases[i]; c.Dir == reflect.SelectSend && c.Chan.Type().Elem().Kind() == reflect.Interface {
			x := reflect.New(c.Chan.Type().Elem()).Elem()
			if c.Send.IsValid() {
				x.Set(c.Send)
			}
			c.Send = x
		}
	}
	r.park()
	i, v, ok := reflect.Select(s.cases)
	if i == n && !hasDefault {
		r.end()
	}
	r.goOn()
	if i == n {
		return -1
	}
	if s.cases[i].Dir == reflect.SelectRecv {
		if !v.IsValid() {
			v = reflect.Zero(s.cases[i].Chan.Type().Elem())
		}
		s.value, s.ok = v.Interface(), ok
	}
	return i
}

// Value is what was received.
func (s *Select) Value() any { return s.value }

// OK is the second value of a receive.
func (s *Select) OK() bool { return s.ok }

// Copy detaches a value from the variable it was read from.
func Copy(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// Runes decodes a string as range does: byte offsets and runes.
func Runes(s string) ([]int, []rune) {
	at := make([]int, 0, len(s))
	rs := make([]rune, 0, len(s))
	for i, r := range s {
		at, rs = append(at, i), append(rs, r)
	}
	return at, rs
}

// RuneString is string(i) for a signed integer.
func RuneString(i int64) string {
	if i < 0 || i > utf8.MaxRune {
		return "\uFFFD"
	}
	return string(rune(i))
}

// RuneStringU is string(i) for an unsigned integer.
func RuneStringU(i uint64) string {
	if i > utf8.MaxRune {
		return "\uFFFD"
	}
	return string(rune(i))
}

// Clear empties a map or zeroes a slice.
func Clear(v any) { reflect.ValueOf(v).Clear() }

// IsNil reports whether a recursive declared type's value, held in interface{}, is nil.
func IsNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Func, reflect.Map, reflect.Slice, reflect.Pointer, reflect.Chan:
		return r.IsNil()
	}
	return false
}

// Min and Max follow the language's rules for floats.
func Min(a, b float64) float64 { return min(a, b) }

// Max follows the language's rules for floats.
func Max(a, b float64) float64 { return max(a, b) }

// Complex, Real and Imag are the builtins.
func Complex(re, im float64) complex128 { return complex(re, im) }

// Real is the builtin real.
func Real(c complex128) float64 { return real(c) }

// Imag is the builtin imag.
func Imag(c complex128) float64 { return imag(c) }

// builtinOut is where print and println write.
var builtinOut atomic.Pointer[io.Writer]

// SetBuiltinOut installs the output of print and println.
func SetBuiltinOut(w io.Writer) { builtinOut.Store(&w) }

func printTo(sep, end string, args []any) {
	var b bytes.Buffer
	for i, a := range args {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(builtinText(a))
	}
	b.WriteString(end)
	if w := builtinOut.Load(); w != nil {
		_, _ = (*w).Write(b.Bytes())
	}
}

// Print is the builtin print.
func Print(args ...any) { printTo("", "", args) }

// Println is the builtin println.
func Println(args ...any) { printTo(" ", "\n", args) }

// builtinText formats as the runtime's print does.
func builtinText(a any) string {
	if a == nil {
		return "nil"
	}
	v := reflect.ValueOf(a)
	switch v.Kind() {
	case reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Complex64:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 64)
	case reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	case reflect.Bool, reflect.String:
		return fmt.Sprint(v.Interface())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("0x%x", v.Pointer())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]0x%x", v.Len(), v.Cap(), v.Pointer())
	}
	return fmt.Sprintf("(%T) %v", a, a)
}

// ComplexMul64 multiplies in single precision, as Go does.
func ComplexMul64(a, b complex64) complex128 { return complex128(a * b) }

// ComplexQuo64 divides as Go does.
func ComplexQuo64(a, b complex64) complex128 { return complex128(a / b) }

// ComplexQuo128 divides as Go does.
func ComplexQuo128(a, b complex128) complex128 { return a / b }
