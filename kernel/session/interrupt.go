package session

import (
	"sync/atomic"
	"time"

	"example.org/godp/kernel/cell/rt"
)

const (
	unwinding = 2 * time.Second       // for those that are deep in a recursion
	others    = 20 * time.Millisecond // for goroutines of other cells to come to where they wait
	settling  = 30 * time.Millisecond // for the goroutines of an interrupted cell to end
	cleaning  = 30 * time.Millisecond // for what they have deferred
)

// interrupt stops a run and reports whether it ended within grace. Interpreted code stops at its next step: it compares
// the interpreter's run counter with its own. What waits in compiled code is told. Then what the stopped functions
// have deferred is run, so that locks are unlocked and files closed. Goroutines of other cells that come to a wait in time
// outlive it; the interpreter has one counter for all, so one that computes without waiting is stopped too.
func (s *Session) interrupt(r *cellRun, grace time.Duration) bool {
	resume := r.as.Stop(others)
	defer resume()
	atomic.AddUint64(s.id(), 1)
	select {
	case <-r.ended:
	case <-time.After(grace):
		return false // the counter stays as it is, so the cell ends as soon as it can
	}
	rt.Settle(settling)
	r.as.Settle(unwinding)
	atomic.StoreUint64(s.id(), s.base)
	resume()
	if deferred := r.as.Deferred(); len(deferred) > 0 {
		s.cleanUp(deferred)
	}
	return true
}

// cleanUp makes deferred calls, and stops them if they take long.
func (s *Session) cleanUp(deferred []func()) {
	as := rt.Start()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer as.Own()()
		for _, f := range deferred {
			func() {
				defer func() {
					if recover() != nil { // the cell was interrupted; what its parts say of that does not matter
						rt.TakeTrace()
					}
				}()
				f()
			}()
		}
	}()
	select {
	case <-ended:
	case <-time.After(cleaning):
		resume := as.Stop(0)
		defer resume()
		atomic.AddUint64(s.id(), 1)
		defer atomic.StoreUint64(s.id(), s.base)
		<-ended
	}
}

// Poll ends what runs for a cell that was interrupted, by a panic. Compiled functions that call functions of cells for a
// long time should call it: those do nothing any more.
func Poll() { rt.Poll() }
