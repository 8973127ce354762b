package worker

import (
	"sync"

	"example.org/godp/kernel/display"
)

// captures are the places that output goes to instead of the page. Each has an id that stands for a cell's where output is
// labelled.
type captures struct {
	mu   sync.RWMutex
	next uint64
	byID map[uint64]*capture
}

type capture struct {
	id    uint64
	sink  func(display.Event) bool
	owner uint64 // the cell that its maker belongs to
}

// captureID is where the ids of captures begin; those of the front, which counts from 1, stay below it.
const captureID = 1 << 62

// find returns the capture that an id stands for, nil for a cell's.
func (c *captures) find(id uint64) *capture {
	if id < captureID {
		return nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.byID[id]
}

// newCapture makes a place for output. sink is called with locks held, in the order of the program: it may only take note. It returns
// false for the update of a display that stands elsewhere.
// run calls a function whose output, and that of the goroutines it starts, goes there. drop forgets the place.
func (o *output) newCapture(sink func(display.Event) bool) (run func(f func()), drop func()) {
	cs := &o.captures
	owner := o.visible(o.owner())
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.byID == nil {
		cs.byID, cs.next = map[uint64]*capture{}, captureID
	}
	cs.next++
	c := &capture{id: cs.next, sink: sink, owner: owner}
	cs.byID[c.id] = c
	run = func(f func()) {
		leave := o.enter(c.id)
		defer leave()
		f()
	}
	drop = func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		delete(cs.byID, c.id)
	}
	return run, drop
}

// visible returns the cell that id stands for on the page: that of the maker, for a capture.
func (o *output) visible(id uint64) uint64 {
	if id < captureID {
		return id
	}
	if c := o.captures.find(id); c != nil {
		return c.owner
	}
	return 0
}
