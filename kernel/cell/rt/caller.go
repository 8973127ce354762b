package rt

import "reflect"

// The functions of package runtime that look at the stack show the functions of cells, by Go's names and at their places:
// the file of a place is its cell. Compiled functions between them are left out.

// RuntimeFunc, RuntimeFrame and RuntimeFrames are runtime.Func, Frame and Frames in a cell.
type RuntimeFunc struct {
	name, file string
	line       int
	entry      uintptr
}

// Name is the function's name.
func (f *RuntimeFunc) Name() string {
	if f == nil {
		return ""
	}
	return f.name
}

// Entry is a number that is the same for every place in the function.
func (f *RuntimeFunc) Entry() uintptr { return f.entry }

// FileLine is the place of pc.
func (f *RuntimeFunc) FileLine(pc uintptr) (file string, line int) {
	if g := funcForPC(pc); g != nil {
		return g.file, g.line
	}
	return "?", 0
}

// RuntimeFrame is a call under way.
type RuntimeFrame struct {
	PC       uintptr
	Func     *RuntimeFunc
	Function string
	File     string
	Line     int
	Entry    uintptr
}

// RuntimeFrames is a list of calls.
type RuntimeFrames struct{ pcs []uintptr }

// Next is the next call, and whether there are more.
func (f *RuntimeFrames) Next() (RuntimeFrame, bool) {
	for len(f.pcs) > 0 {
		pc := f.pcs[0]
		f.pcs = f.pcs[1:]
		if g := funcForPC(pc); g != nil {
			return RuntimeFrame{pc, g, g.name, g.file, g.line, g.entry}, len(f.pcs) > 0
		}
	}
	return RuntimeFrame{}, false
}

// Places tells what a number of a place stands for.
type Places func(mark int) (file string, line int, function string, ok bool)

// A place's number as a program counter: some of the following are in it too.
const (
	firstPC  = 1 << 40
	perPlace = 1 << 10
)

func pcOf(mark int) uintptr { return firstPC + uintptr(mark+1)*perPlace + 1 }

// gopanic stands among the calls where deferred functions run because of a panic; callers is what asks.
const (
	gopanicMark = 0
	callersMark = -1
)

var places Places = func(int) (string, int, string, bool) { return "", 0, "", false }

func funcForPC(pc uintptr) *RuntimeFunc {
	if pc < firstPC {
		if pc == 0 {
			return nil
		}
		panic(Refused("runtime.FuncForPC of the address of a function, which is not declared in a cell or is seen through package reflect,"))
	}
	mark := int((pc-firstPC)/perPlace) - 1
	switch mark {
	case gopanicMark:
		return &RuntimeFunc{name: "runtime.gopanic", file: "runtime/panic.go", entry: pcOf(mark)}
	case callersMark:
		return &RuntimeFunc{name: "runtime.Callers", file: "runtime/extern.go", entry: pcOf(mark)}
	}
	file, line, name, ok := places(mark)
	if !ok {
		return nil
	}
	return &RuntimeFunc{name, file, line, pcOf(mark)}
}

// Callers returns the functions and types of package runtime that look at the stack: calls lists the calls under way.
func Callers(calls func() Trace, where Places) map[string]reflect.Value {
	places = where
	stack := func() (pcs []uintptr) {
		for _, m := range known(calls()) {
			switch {
			case m == Deferred:
				pcs = append(pcs, pcOf(gopanicMark))
			case m > 0:
				if _, _, _, ok := where(m); ok {
					pcs = append(pcs, pcOf(m))
				}
			}
		}
		return pcs
	}
	table := values(map[string]any{
		"Caller": func(skip int) (pc uintptr, file string, line int, ok bool) {
			pcs := stack()
			if skip < 0 || skip >= len(pcs) {
				return 0, "", 0, false
			}
			f := funcForPC(pcs[skip])
			return pcs[skip], f.file, f.line, true
		},
		"Callers": func(skip int, pcs []uintptr) int {
			all := append([]uintptr{pcOf(callersMark)}, stack()...)
			return copy(pcs, all[min(max(skip, 0), len(all)):])
		},
		"CallersFrames": func(pcs []uintptr) *RuntimeFrames { return &RuntimeFrames{pcs} },
		"FuncForPC":     funcForPC,
	})
	for t, name := range reflected {
		if pkg, n := cutName(name); pkg == "runtime" {
			table[n] = reflect.Zero(reflect.PointerTo(t))
		}
	}
	return table
}

func init() {
	for _, t := range []reflect.Type{reflect.TypeFor[RuntimeFunc](), reflect.TypeFor[RuntimeFrame](), reflect.TypeFor[RuntimeFrames]()} {
		reflected[t] = "runtime." + t.Name()[len("Runtime"):]
	}
}
