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
	mu     sync.RWMutex
	labels map[unsafe.Pointer]*label // keeps the label sets alive, so an address is never used twice
	byCell map[uint64]*label
	order  []*label
}

type label struct {
	cell uint64
	at   unsafe.Pointer
	ctx  context.Context // what the label set came from
}

const maxOwners = 4096 // cells whose goroutines are still told apart

// runtime_getProfLabel is kept stable by the Go project for packages that use it in this way.
//
//go:linkname runtime_getProfLabel runtime/pprof.runtime_getProfLabel
func runtime_getProfLabel() unsafe.Pointer

// mark labels the calling goroutine as belonging to cell. unmark ends that for this goroutine only, which then belongs
// to whom it belonged before.
func (o *owners) mark(cell uint64) (unmark func()) {
	before := context.Background()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.labels == nil {
		o.labels, o.byCell = map[unsafe.Pointer]*label{}, map[uint64]*label{}
	}
	if l := o.labels[runtime_getProfLabel()]; l != nil {
		before = l.ctx
	}
	l := o.byCell[cell]
	if l == nil {
		l = &label{cell: cell, ctx: pprof.WithLabels(context.Background(), pprof.Labels("cell", strconv.FormatUint(cell, 10)))}
		pprof.SetGoroutineLabels(l.ctx)
		l.at = runtime_getProfLabel()
		o.labels[l.at], o.byCell[cell] = l, l
		o.order = append(o.order, l)
		if len(o.order) > maxOwners {
			old := o.order[0]
			delete(o.labels, old.at)
			delete(o.byCell, old.cell)
			o.order = o.order[1:]
		}
	} else {
		pprof.SetGoroutineLabels(l.ctx)
	}
	return func() { pprof.SetGoroutineLabels(before) }
}

// current returns the cell of the calling goroutine.
func (o *owners) current() (cell uint64, ok bool) {
	p := runtime_getProfLabel()
	if p == nil {
		return 0, false
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	l := o.labels[p]
	if l == nil {
		return 0, false
	}
	return l.cell, true
}
