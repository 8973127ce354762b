package rt

import (
	"slices"
	"sync"
)

// Line is the type of the variable in which a function of a cell keeps the number of the place it is at.
type Line int

// Trace is the calls under way when a panic began, innermost first: the numbers of their places, 0 where a function
// keeps none.
type Trace []int

// What else can stand in a Trace.
const (
	Elided   = -1 // calls that are not in it
	Deferred = -2 // the calls before were deferred and ran because of a panic in those after
)

// lastMark is the place of the panic that compiled helpers are raising, by goroutine. It is there from the helper's
// call of panic until the innermost function of the cell is left.
var lastMark sync.Map // goroutine id -> int

func at(mark int) { lastMark.Store(goid(), mark) }

// pending is the trace of the panic under way, by goroutine.
var pending sync.Map // goroutine id -> Trace

// Begin says that a panic has just reached the innermost function of a cell on its way, with calls the frames there
// are. A helper that raised it knows its place better than that function.
func Begin(calls Trace) {
	id := goid()
	if m, ok := lastMark.LoadAndDelete(id); ok && len(calls) > 0 {
		calls[0] = m.(int)
	} else if ok {
		calls = Trace{m.(int)}
	}
	pending.Store(id, known(calls))
}

// known is calls with what a panic under way knows of its own: its trace has its place better too.
func known(calls Trace) Trace {
	i := slices.Index(calls, Deferred)
	if i < 0 {
		return calls
	}
	if s, ok := panics.Load(goid()); ok {
		if l := s.([]*unwinding); len(l) > 0 && l[len(l)-1].trace != nil {
			return append(calls[:i+1], l[len(l)-1].trace...)
		}
	}
	return calls
}

// TakeTrace returns and forgets the trace of this goroutine's panic, which has been recovered.
func TakeTrace() Trace {
	id := goid()
	t, _ := pending.LoadAndDelete(id)
	if m, ok := lastMark.LoadAndDelete(id); ok && t == nil { // nobody has called Begin
		return Trace{m.(int)}
	}
	calls, _ := t.(Trace)
	return calls
}

// again raises a panic that was recovered to run what is deferred; its trace stays that of its beginning. The session
// looks for it on the stack by name.
//
//go:noinline
func again(v any, t Trace) {
	if t != nil {
		pending.Store(goid(), t)
	}
	panic(v)
}

// Goroutine is a number of the calling goroutine that no other one has while it lives.
func Goroutine() int64 { return goid() }
