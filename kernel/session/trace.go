package session

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"unsafe"

	"example.org/godp/kernel/cell"
	"example.org/godp/kernel/cell/rt"
	"github.com/traefik/yaegi/interp"
)

// tracer receives what the interpreter prints while a panic leaves its functions: a line for each, without the place.
// The first of a panic comes when the stack still stands as it was. The interpreter's frames are among the arguments
// that package runtime writes into a stack trace, and each holds its function's variables; one of them, of type rt.Line,
// is where that function is. So calls cost nothing more, and a panic knows all that are under way, in any goroutine and
// through compiled functions that call back.
type tracer struct{}

func (tracer) Write(p []byte) (int, error) {
	if !rt.Mine().Stopped() && begins() { // what an interrupt ends is not told
		rt.Begin(calls())
	}
	return len(p), nil
}

// runName is the interpreter's function that runs a function of a cell, and leaveName what it defers.
var (
	runName   = reflect.TypeFor[interp.Interpreter]().PkgPath() + ".runCfg"
	leaveName = runName + ".func1"
	againName = reflect.TypeFor[rt.Type]().PkgPath() + ".again"
)

// begins reports whether a panic has just reached the first function of a cell on its way. Where it has left another
// one before, or has been raised again by what runs deferred calls, that one's traces are between it and the next
// function that still runs.
func begins() bool {
	var pcs [64]uintptr
	inPanic := false
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		f := runtime.FuncForPC(pc - 1)
		if f == nil {
			continue
		}
		switch f.Name() {
		case "runtime.gopanic":
			inPanic = true
		case runName:
			if inPanic {
				return true
			}
		case leaveName, againName:
			if inPanic {
				return false
			}
		}
	}
	return true
}

// variables is where in the interpreter's frames their variables are; ok is false if they are not as expected.
var variables = func() (v struct {
	offset uintptr
	ok     bool
}) {
	frame, ok := reflect.TypeFor[interp.Interpreter]().FieldByName("frame")
	if !ok || frame.Type.Kind() != reflect.Pointer || frame.Type.Elem().Kind() != reflect.Struct {
		return v
	}
	data, ok := frame.Type.Elem().FieldByName("data")
	v.offset, v.ok = data.Offset, ok && data.Type == reflect.TypeFor[[]reflect.Value]()
	return v
}()

var stacks = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// calls reads the calls under way in this goroutine, innermost first.
func calls() rt.Trace { return under(false) }

// under is calls; with ends, functions that have ended but for their deferred calls are among them.
func under(ends bool) rt.Trace {
	if !variables.ok {
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	room := stacks.Get().(*[]byte)
	defer stacks.Put(room)
	buf := (*room)[:runtime.Stack(*room, false)]
	prefix := []byte(runName + "(0x")
	var out rt.Trace
	for line := range bytes.Lines(buf) {
		if bytes.HasPrefix(line, []byte("...")) && bytes.Contains(line, []byte("frames elided")) {
			out = append(out, rt.Elided)
			continue
		}
		if n := len(out); n > 0 && out[n-1] != rt.Deferred && bytes.HasPrefix(line, []byte("panic(")) {
			out = append(out, rt.Deferred)
			continue
		}
		if rest, ok := bytes.CutPrefix(line, unwindName); ok && ends {
			out = append(out, endOf(address(rest, 0)))
		}
		if rest, ok := bytes.CutPrefix(line, prefix); ok {
			out = append(out, placeIn(address(rest, 1))) // the second argument is the frame
		}
	}
	return out
}

var (
	lineType   = reflect.TypeFor[rt.Line]()
	unwindName = []byte(reflect.TypeFor[rt.Type]().PkgPath() + ".(*Frame).unwind(0x")
)

// address is the i'th argument in a line of a stack trace after "f(0x", 0 if it is not known: the runtime puts a question
// mark where it is not sure of a value.
func address(args []byte, i int) uintptr {
	args, _, _ = bytes.Cut(args, []byte(")"))
	a := bytes.Split(args, []byte(", "))
	if i >= len(a) {
		return 0
	}
	addr, err := strconv.ParseUint(string(bytes.TrimPrefix(a[i], []byte("0x"))), 16, 64)
	if err != nil {
		return 0
	}
	return uintptr(addr)
}

// endOf is where the function whose frame of deferred calls is at an address has left its body.
func endOf(addr uintptr) (mark int) {
	if addr == 0 || addr%unsafe.Alignof(addr) != 0 {
		return 0
	}
	defer func() {
		if recover() != nil {
			mark = 0
		}
	}()
	return (*(**rt.Frame)(unsafe.Pointer(&addr))).At
}

// placeIn is the place kept in the interpreter's frame at an address, 0 if it keeps none.
func placeIn(addr uintptr) (mark int) {
	if addr == 0 || addr%unsafe.Alignof(addr) != 0 {
		return 0
	}
	defer func() {
		if recover() != nil { // not a frame after all
			mark = 0
		}
	}()
	frame := *(*unsafe.Pointer)(unsafe.Pointer(&addr)) // it stands on this goroutine's stack, so it is alive
	for _, v := range *(*[]reflect.Value)(unsafe.Add(frame, variables.offset)) {
		if v.IsValid() && v.Type() == lineType {
			return int(v.Int())
		}
	}
	return 0
}

// Here tells where in the cells the calling goroutine stands: the line of the innermost call, and the line of the outermost one where that is in another cell. It is empty
// where nothing of a cell is under way.
func (s *Session) Here() string {
	var first, last cell.Spot
	for _, n := range calls() {
		if spot, ok := s.places.Of(n); ok && spot.Cell != "" {
			if first.Cell == "" {
				first = spot
			}
			last = spot
		}
	}
	switch {
	case first.Cell == "":
		return ""
	case first.Cell == last.Cell:
		return fmt.Sprintf("%s:%d", first.Cell, first.Line)
	}
	return fmt.Sprintf("%s:%d, called from %s:%d", first.Cell, first.Line, last.Cell, last.Line)
}
