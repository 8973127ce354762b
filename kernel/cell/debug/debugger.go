package debug

import (
	"slices"
	"sync"

	"example.org/godp/kernel/cell/rt"
)

// Debugger is the debugger of one session.
type Debugger struct {
	// Prefix is how the paths of sources begin.
	Prefix string
	// Stopped and Continued are told when a thread stops and when all go on; they must not call the debugger.
	Stopped   func(s Stop)
	Continued func(thread int)
	// Condition evaluates an expression of type bool in a call, Format any expression; Print prints the text of a logpoint.
	// They run on the goroutine of the call.
	Condition func(f *Frame, expr string) (bool, error)
	Format    func(f *Frame, expr string) string
	Print     func(f *Frame, text string)
	// Describe is the text of a panic, and whether it concerns the user: an interrupt does not.
	Describe func(v any) (text string, ok bool)

	threads threads

	mu       sync.Mutex
	attached bool
	alert    bool // every statement asks whether to stop: somebody steps, is to pause or is stopped
	pausing  bool
	units    map[int]*Unit
	lastUnit int
	points   map[string][]*Breakpoint
	panics   bool // stop at every panic
	fatal    bool // stop at panics and errors that end a cell or a goroutine
	stopped  *stopped
	waiting  int // threads that are stopped because another one is
}

// Stop is a thread that has stopped.
type Stop struct {
	Thread int
	Reason string // breakpoint, step, pause, exception
	Text   string // of an exception: its message
	Hit    []int  // breakpoints
}

// stopped is the thread that has stopped the others.
type stopped struct {
	Stop
	thread *Thread
	frame  *Frame
	resume chan struct{} // closed when it goes on
}

// New returns a debugger to which nobody is attached.
func New() *Debugger {
	return &Debugger{units: map[int]*Unit{}, points: map[string][]*Breakpoint{}}
}

// Attach begins to stop where breakpoints are.
func (d *Debugger) Attach() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attached = true
	for _, u := range d.units {
		d.arm(u)
	}
}

// Detach forgets breakpoints and lets everything run.
func (d *Debugger) Detach() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attached, d.pausing, d.panics, d.fatal = false, false, false, false
	clear(d.points)
	d.clearSteps()
	for _, u := range d.units {
		for _, s := range u.Stmts {
			s.points = nil
		}
		d.arm(u)
	}
	d.release()
}

// Attached reports whether somebody is attached.
func (d *Debugger) Attached() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.attached
}

// StopAtPanics says which panics stop: all where they happen, or those that end a cell or a goroutine, after deferred calls.
func (d *Debugger) StopAtPanics(all, uncaught bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.panics, d.fatal = all, uncaught
}

// release lets the stopped threads go on. The lock is held.
func (d *Debugger) release() {
	s := d.stopped
	if s == nil {
		return
	}
	d.stopped = nil
	d.Continued(s.Thread)
	close(s.resume)
	d.settle()
}

// settle decides whether statements must still ask. The lock is held.
func (d *Debugger) settle() {
	d.setAlert(d.stopped != nil || d.pausing || d.stepping())
}

func (d *Debugger) stepping() bool {
	d.threads.mu.Lock()
	defer d.threads.mu.Unlock()
	for _, t := range d.threads.byKey {
		if t.step != nil {
			return true
		}
	}
	return false
}

func (d *Debugger) clearSteps() {
	d.threads.mu.Lock()
	defer d.threads.mu.Unlock()
	for _, t := range d.threads.byKey {
		t.step = nil
	}
}

// Mode is how a thread goes on.
type Mode int

// The ways to go on.
const (
	Continue Mode = iota
	StepIn        // to the next statement of the thread, wherever it is
	StepOver      // to the next line of the same call, or of one that called it
	StepOut       // to the next statement of a call that called this one
)

// step is where a stepping thread comes from.
type step struct {
	mode  Mode
	frame *Frame
	line  int
	src   *Source
}

// Resume lets the stopped threads go on; the one that has stopped them in the mode given. It reports whether there was one.
func (d *Debugger) Resume(mode Mode) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.stopped
	if s == nil {
		return false
	}
	d.clearSteps()
	if mode != Continue {
		st := s.frame.Stmt()
		s.thread.step = &step{mode, s.frame, st.Line, st.Source}
	}
	d.release()
	return true
}

// Pause stops the next thread that comes to a statement.
func (d *Debugger) Pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.attached && d.stopped == nil {
		d.pausing = true
		d.setAlert(true)
	}
}

// ends reports whether the step ends at statement s of call f.
func (st *step) ends(f *Frame, s *Stmt) bool {
	same := f == st.frame && s.Line == st.line && s.Source == st.src
	switch st.mode {
	case StepIn:
		return !same
	case StepOver:
		return !same && st.frame.within(f)
	case StepOut:
		return f != st.frame && st.frame.within(f)
	}
	return false
}

// within reports whether call f is g or was made by it, directly or not.
func (f *Frame) within(g *Frame) bool {
	for ; f != nil; f = f.Caller {
		if f == g {
			return true
		}
	}
	return false
}

// Stop is called before a statement that may have to stop.
func (d *Debugger) Stop(f *Frame) {
	t := f.thread
	if t.quiet {
		return
	}
	d.mu.Lock()
	d.yield(t)
	if !d.attached {
		d.mu.Unlock()
		return
	}
	s := f.Stmt()
	points := slices.Clone(s.points)
	reason := ""
	switch {
	case t.step != nil && t.step.ends(f, s):
		reason = "step"
	case d.pausing:
		reason = "pause"
	}
	d.mu.Unlock()
	var hit []int
	text := ""
	if len(points) > 0 {
		t.quiet = true // functions that a condition calls do not stop
		hit, text = d.meets(f, points)
		t.quiet = false
	}
	if len(hit) > 0 {
		reason = "breakpoint"
	}
	if reason != "" {
		d.halt(f, Stop{Reason: reason, Text: text, Hit: hit})
	}
}

// yield waits while another thread is stopped. The lock is held, but not while waiting.
func (d *Debugger) yield(t *Thread) {
	for d.stopped != nil && d.stopped.thread != t {
		resume := d.stopped.resume
		d.mu.Unlock()
		rt.Wait(resume)
		d.mu.Lock()
	}
}

// halt stops a thread and returns when it may go on.
func (d *Debugger) halt(f *Frame, s Stop) {
	t := f.thread
	d.mu.Lock()
	d.yield(t)
	if !d.attached {
		d.mu.Unlock()
		return
	}
	s.Thread = t.ID
	d.clearSteps()
	d.pausing = false
	x := &stopped{Stop: s, thread: t, frame: f, resume: make(chan struct{})}
	d.stopped = x
	d.setAlert(true)
	d.Stopped(s)
	d.mu.Unlock()
	defer func() { // an interrupt ends the wait by a panic
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.stopped == x {
			d.release()
		}
	}()
	rt.Wait(x.resume)
}

// panicked is told of every panic, before deferred calls run.
func (d *Debugger) panicked(t *Thread, v any) {
	text, ok := d.Describe(v)
	if t.quiet || !ok {
		return
	}
	d.mu.Lock()
	stop := d.attached && d.panics
	d.mu.Unlock()
	if stop {
		t.panic.shown = true
		d.halt(t.panic.at, Stop{Reason: "exception", Text: text})
	}
}

// uncaught is told of a panic that has left the first call of a thread.
func (d *Debugger) uncaught(t *Thread, v any) {
	text, ok := d.Describe(v)
	if t.quiet || !ok || t.panic.shown {
		return
	}
	d.mu.Lock()
	stop := d.attached && d.fatal
	d.mu.Unlock()
	if stop {
		d.halt(t.panic.at, Stop{Reason: "exception", Text: text})
	}
}

// Quietly calls f on a goroutine that does not stop.
func (d *Debugger) Quietly(f func()) {
	t := d.threads.enter(&Func{Name: "evaluation"})
	was := t.quiet
	t.quiet = true
	defer func() {
		t.quiet = was
		if t.top == nil {
			d.threads.leave(t)
		}
	}()
	f()
}

// Where returns the call at which everything has stopped, and why; nil while nothing is stopped.
func (d *Debugger) Where() (*Frame, Stop) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped == nil {
		return nil, Stop{}
	}
	return d.stopped.frame, d.stopped.Stop
}

// Threads lists the goroutines that run instrumented code, with the call each is in. It is meaningful while one is stopped.
func (d *Debugger) Threads() (list []*Thread, top []*Frame) {
	at, _ := d.Where()
	d.threads.mu.Lock()
	defer d.threads.mu.Unlock()
	for _, t := range d.threads.byKey {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *Thread) int { return a.ID - b.ID })
	for _, t := range list {
		f := t.top
		if at != nil && at.thread == t {
			f = at
		}
		top = append(top, f)
	}
	return list, top
}

// TakeShown returns and forgets what an expression has shown.
func (f *Frame) TakeShown() []any {
	v := f.shown
	f.shown = nil
	return v
}
