package front

import (
	"slices"
	"sync"

	"example.org/godp/kernel/worker/protocol"
)

// pastSize bounds the text of the cells that are kept for %restore, in bytes. The oldest are forgotten first.
const pastSize = 16 << 20

// past are the cells that have succeeded, for %restore in a worker that takes the place of one that has died.
type past struct {
	mu    sync.Mutex
	cells []protocol.PastCell
	size  int
}

func (p *past) add(n int, code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cells = append(p.cells, protocol.PastCell{N: n, Code: code})
	p.size += len(code)
	for len(p.cells) > 1 && p.size > pastSize {
		p.size -= len(p.cells[0].Code)
		p.cells = p.cells[1:]
	}
}

func (p *past) list() []protocol.PastCell {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.cells)
}
