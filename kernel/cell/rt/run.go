package rt

import (
	"sync"
	"sync/atomic"
	"time"
)

// Run is one execution of a cell (or of a function that a cell has handed out) with the goroutines it starts. An
// interrupt ends it: the interpreter stops at its next step, and what waits in compiled code is told by a panic with
// Interrupted. What was deferred in functions that end in this way runs when all have ended: see Deferred.
type Run struct {
	done   chan struct{} // closed by Stop
	live   atomic.Int64  // goroutines of go statements
	parked atomic.Int64  // those of its goroutines that wait in helpers of this package

	mu       sync.Mutex
	deferred []func()
}

// current is the run of the cell under way.
var current atomic.Pointer[Run]

// runs tells goroutines of go statements, and those that execute cells, their runs.
var runs sync.Map // goroutine id -> *Run

// stopping is closed when the interpreter, which an interrupt stops as a whole, may go on; nil while it may. Goroutines
// of other runs that wait in compiled code wait for that too, so an interrupt does not end them.
var stopping atomic.Pointer[chan struct{}]

// interrupts counts them: while there is none nobody has to look.
var interrupts atomic.Int64

// Start begins a run that is from now on the current one.
func Start() *Run {
	r := &Run{done: make(chan struct{})}
	current.Store(r)
	return r
}

// Own makes the calling goroutine r's until the function returned is called.
func (r *Run) Own() (release func()) {
	id := goid()
	old, had := runs.Swap(id, r)
	return func() {
		if had {
			runs.Store(id, old)
		} else {
			runs.Delete(id)
		}
	}
}

// Mine is the run of the calling goroutine.
func Mine() *Run {
	if r, ok := runs.Load(goid()); ok {
		return r.(*Run)
	}
	if r := current.Load(); r != nil {
		return r
	}
	return Start()
}

// Stop tells everything of the run that waits to end. Goroutines of other runs wait from now on; those that are
// computing get a moment to come to where they can. resume must be called when the interpreter may go on.
func (r *Run) Stop(moment time.Duration) (resume func()) {
	interrupts.Add(1)
	w := make(chan struct{})
	stopping.Store(&w)
	close(r.done)
	settle(moment, func() bool {
		return Goroutines.Load()-r.live.Load() <= parked.Load()-r.parked.Load()
	})
	return sync.OnceFunc(func() {
		stopping.Store(nil)
		close(w)
	})
}

// Done is closed when the run has been stopped.
func (r *Run) Done() <-chan struct{} { return r.done }

// Stopped reports whether it has been stopped.
func (r *Run) Stopped() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Settle waits, for a time, until all goroutines of cells have ended or wait. The interpreter may go on only then: one
// that it has stopped in the midst of something must not go on after it with half of a result.
func Settle(most time.Duration) {
	settle(most, func() bool { return Goroutines.Load() <= parked.Load() })
}

// Settle waits, for a time, until the goroutines of the run have ended or wait. Deep in a recursion they need a while
// to come out of it; if the interpreter went on before, they would recurse again.
func (r *Run) Settle(most time.Duration) {
	settle(most, func() bool { return r.live.Load() <= r.parked.Load() })
}

func settle(most time.Duration, settled func() bool) {
	for end := time.Now().Add(most); !settled() && time.Now().Before(end); {
		time.Sleep(20 * time.Microsecond)
	}
}

// parked counts goroutines that wait in the helpers of this package.
var parked atomic.Int64

// park says that the calling goroutine, of run r, is going to wait.
func (r *Run) park() {
	parked.Add(1)
	r.parked.Add(1)
}

// leave says that it has done so. The order of this and of what Stop does sees to it that a goroutine either
// still counts as computing or notices that it is not to.
func (r *Run) leave() {
	r.parked.Add(-1)
	parked.Add(-1)
}

// Deferred takes the calls that functions of the run have deferred and that are still to be made, in order.
func (r *Run) Deferred() []func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.deferred
	r.deferred = nil
	return d
}

// Poll ends a run that was stopped, by a panic. Compiled functions that call back, for a long time, call it.
func Poll() {
	if interrupts.Load() == 0 {
		return
	}
	r := Mine()
	if r.Stopped() {
		panic(Interrupted{})
	}
}

// goOn ends a wait: it ends what has been stopped, and keeps from the interpreter what is not to be stopped.
func (r *Run) goOn() {
	r.leave()
	if interrupts.Load() == 0 {
		return
	}
	if r.Stopped() {
		panic(Interrupted{})
	}
	if w := stopping.Load(); w != nil {
		r.park()
		select {
		case <-*w:
			r.goOn()
		case <-r.done:
			r.end()
		}
	}
}

// end ends a wait in a run that has been stopped.
func (r *Run) end() {
	r.leave()
	panic(Interrupted{})
}

// Interrupted is panicked with by a helper that was waiting when the cell was interrupted.
type Interrupted struct{}

func (Interrupted) Error() string { return "interrupted" }

// Sleep is time.Sleep that an interrupt ends.
func Sleep(d time.Duration) {
	r := Mine()
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	r.park()
	select {
	case <-t.C:
		r.goOn()
	case <-r.done:
		r.end()
	}
}

// await runs wait, which blocks, on a goroutine of its own until an interrupt comes. If wait ends after that, undo runs.
func await(wait, undo func()) {
	r := Mine()
	type end struct {
		panicked bool
		value    any
	}
	ended := make(chan end, 1)
	go func() {
		e := end{panicked: true}
		defer func() {
			if e.panicked {
				e.value = recover()
			}
			ended <- e
		}()
		wait()
		e.panicked = false
	}()
	r.park()
	select {
	case e := <-ended:
		r.goOn()
		if e.panicked {
			panic(e.value)
		}
	case <-r.done:
		go func() {
			if e := <-ended; !e.panicked && undo != nil {
				undo()
			}
		}()
		r.end()
	}
}

// Wait waits until c is closed; an interrupt ends it as it ends Sleep.
func Wait(c <-chan struct{}) {
	r := Mine()
	r.park()
	select {
	case <-c:
		r.goOn()
	case <-r.done:
		r.end()
	}
}
