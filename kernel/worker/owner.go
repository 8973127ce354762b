package worker

import (
	"context"
	"runtime/pprof"
	"strconv"
	"sync"
	"unsafe"
)

// owners knows which cell a goroutine belongs to. Profiler labels are inherited from the goroutine that says "go", so
// they follow interpreted and compiled goroutines alike, for as long as these live. A label set is recognised by its
// address; its contents are not looked at.
type owners struct {
	mu    sync.RWMutex
	cells map[unsafe.Pointer]uint64 // keeps the label sets alive, so an address is never used twice
	order []unsafe.Pointer
}

const maxOwners = 4096 // cells whose goroutines are still told apart

// runtime_getProfLabel is kept stable by the Go project for packages that use it in this way.
//
//go:linkname runtime_getProfLabel runtime/pprof.runtime_getProfLabel
func runtime_getProfLabel() unsafe.Pointer

// mark labels the calling goroutine as belonging to cell. unmark ends that for this goroutine only.
func (o *owners) mark(cell uint64) (unmark func()) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("cell", strconv.FormatUint(cell, 10))))
	p := runtime_getProfLabel()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cells == nil {
		o.cells = map[unsafe.Pointer]uint64{}
	}
	o.cells[p] = cell
	o.order = append(o.order, p)
	if len(o.order) > maxOwners {
		delete(o.cells, o.order[0])
		o.order = o.order[1:]
	}
	return func() { pprof.SetGoroutineLabels(context.Background()) }
}

// current returns the cell of the calling goroutine.
func (o *owners) current() (cell uint64, ok bool) {
	p := runtime_getProfLabel()
	if p == nil {
		return 0, false
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	cell, ok = o.cells[p]
	return cell, ok
}
