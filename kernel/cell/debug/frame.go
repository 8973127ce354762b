package debug

import (
	"sync"

	"example.org/godp/kernel/cell/rt"
)

// Frame is one call of an instrumented function.
type Frame struct {
	Fn     *Func
	Caller *Frame // nil for the first of its goroutine
	Slots  []any  // pointers to the variables that have been declared so far

	pc     int
	unit   *Unit
	thread *Thread
	depth  int
	shown  []any // what an expression evaluated in it has shown
}

// Stmt is the statement at which the call stands: one that is running, or about to run.
func (f *Frame) Stmt() *Stmt { return f.unit.Stmts[f.pc] }

// Thread is a goroutine while it runs instrumented code.
type Thread struct {
	ID   int
	Name string

	top   *Frame
	key   int64
	quiet bool // it evaluates an expression for the debugger and does not stop
	step  *step
	panic *unwinding
}

// MainThread is the ID of the goroutine that runs the cell.
const MainThread = 1

// threads finds the thread of the calling goroutine.
type threads struct {
	mu    sync.Mutex
	byKey map[int64]*Thread
	last  int
}

func (ts *threads) current() *Thread {
	key := rt.Goroutine()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.byKey[key]
}

// enter finds or makes the thread of the calling goroutine.
func (ts *threads) enter(fn *Func) *Thread {
	key := rt.Goroutine()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.byKey[key]; t != nil {
		return t
	}
	if ts.byKey == nil {
		ts.byKey, ts.last = map[int64]*Thread{}, MainThread
	}
	t := &Thread{key: key, Name: fn.Name}
	if fn.Cell && !ts.hasMain() {
		t.ID = MainThread
	} else {
		ts.last++
		t.ID = ts.last
		t.Name = "goroutine of " + fn.Name
	}
	ts.byKey[key] = t
	return t
}

func (ts *threads) hasMain() bool {
	for _, t := range ts.byKey {
		if t.ID == MainThread {
			return true
		}
	}
	return false
}

// leave forgets the thread, whose first call has ended.
func (ts *threads) leave(t *Thread) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.byKey[t.key] == t {
		delete(ts.byKey, t.key)
	}
}

// Enter is called at the start of an instrumented function. What it returns is the call's frame, and its program counter and
// slots for the emitted code to set.
func (d *Debugger) Enter(unit, fn int) (*Frame, *int, []any) {
	d.mu.Lock()
	u := d.units[unit]
	d.mu.Unlock()
	f := &Frame{unit: u, Fn: u.Funcs[fn]}
	f.Slots = make([]any, f.Fn.Slots)
	t := d.threads.enter(f.Fn)
	f.thread, f.Caller = t, t.top
	if f.Caller != nil {
		f.depth = f.Caller.depth + 1
	}
	t.top = f
	return f, &f.pc, f.Slots
}

// unwinding is a panic on its way down the stack of a thread.
type unwinding struct {
	value any
	at    *Frame // the call that panicked
	past  *Frame // the latest call that it has left
	shown bool   // the user has seen it
}

// Run runs the body of an instrumented function.
func (d *Debugger) Run(f *Frame, body func()) { d.run(f, nil, body) }

// RunDefers runs the body of an instrumented function and then its deferred calls.
func (d *Debugger) RunDefers(f *Frame, defers *rt.Frame, body func()) { d.run(f, defers, body) }

func (d *Debugger) run(f *Frame, defers *rt.Frame, body func()) {
	t := f.thread
	normal := false
	defer func() {
		var v any
		if !normal {
			v = recover()
		}
		t.top = f.Caller
		switch {
		case v == nil:
			t.panic = nil
		case t.panic != nil:
			t.panic.past = f // also where a deferred call has put another panic in the place of the first
		}
		if f.Caller == nil {
			if v != nil && t.panic != nil {
				d.uncaught(t, v)
			}
			if !t.quiet { // else Quietly sees to it
				d.threads.leave(t)
			}
		}
		if v != nil {
			panic(v)
		}
	}()
	if defers == nil {
		d.watch(f, body)
	} else {
		defers.Run(func() { d.watch(f, body) })
	}
	normal = true
}

// watch runs a body and notices a panic before deferred calls run.
func (d *Debugger) watch(f *Frame, body func()) {
	normal := false
	defer func() {
		if normal {
			return
		}
		v := recover()
		if v == nil {
			return // runtime.Goexit
		}
		t := f.thread
		if p := t.panic; p != nil && p.past.Caller == f {
			p.past = f
		} else {
			t.panic = &unwinding{value: v, at: f, past: f}
			d.panicked(t, v)
		}
		panic(v)
	}()
	body()
	normal = true
}
