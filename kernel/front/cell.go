package front

import (
	"encoding/json"
	"sync"
	"time"

	"example.org/godp/kernel/worker/protocol"
)

// cell is a request that may cause output: an execute or a comm message. The worker names it by its id.
type cell struct {
	id     uint64
	n      int // execution count
	from   origin
	parent json.RawMessage // header of the request, verbatim
	silent bool            // nothing is published
	stdin  bool            // the client allows input
	comm   bool            // it is a comm message

	// Under iopub's lock.
	tails map[string][]byte // stream -> incomplete character at its end
	shown int64             // bytes of text and displays on the page
	gap   *gap              // what is being left out, nil for nothing
	ended bool              // it has finished; output may still come

	// For an execute, under mu.
	mu          sync.Mutex
	interrupted time.Time         // when it was first asked to stop
	stuck       bool              // it was told that it does not stop
	killed      bool              // its worker is being killed for it
	failure     *protocol.Failure // of one of its goroutines, already published
	cancel      chan struct{}     // closed at the first interrupt
	done        chan struct{}     // closed when its outcome is known
}

// origin is where a request came from: enough to ask back, without its content, which may be large.
type origin struct {
	peer       string
	identities [][]byte
}

// cellMemory is how many cells are remembered for output that comes after their end.
const cellMemory = 4096

// commMemory is the same for comm messages.
const commMemory = 256

// cells remembers which request an id stands for.
type cells struct {
	mu     sync.Mutex
	next   uint64
	byID   map[uint64]*cell
	order  []uint64 // the ids in byID of cells, oldest first
	comms  []uint64 // the same of comm messages, which come by the thousand while a slider is dragged
	latest *cell    // the latest execute that was not silent
}

// add gives c an id.
func (cs *cells) add(c *cell) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.byID == nil {
		cs.byID = map[uint64]*cell{}
	}
	cs.next++
	c.id = cs.next
	cs.byID[c.id] = c
	order, most := &cs.order, cellMemory
	if c.comm {
		order, most = &cs.comms, commMemory
	}
	*order = append(*order, c.id)
	if len(*order) > most {
		delete(cs.byID, (*order)[0])
		*order = (*order)[1:]
	}
}

// setLatest says that c is the latest cell that runs and is not silent.
func (cs *cells) setLatest(c *cell) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.latest = c
}

// id reserves an id for a request that makes no output.
func (cs *cells) id() uint64 {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.next++
	return cs.next
}

// find returns the cell of output labelled id: the latest one for 0 and for ids long forgotten.
// It returns nil before the first execute.
func (cs *cells) find(id uint64) *cell {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.byID[id]; c != nil {
		return c
	}
	return cs.latest
}
