package cell

import (
	"go/token"
	"sync"
)

// Places are the places in cells that run-time errors can name, by number: emitted code says the number. They outlive
// the compiler that numbered them, since goroutines of a session that was reset may still fail, and may be asked from
// any goroutine.
type Places struct {
	mu  sync.RWMutex
	all []Spot // all[0] is no place
}

// Spot is a place in a cell.
type Spot struct {
	Cell      string // In[3]
	Line, Col int    // counted from 1, Col in bytes
	Func      string // the function around it, "" for the cell's own statements
	GoName    string // the same as package runtime names it: main.f.func1
	GoLine    int    // the line that package runtime gives for a call: that of its parenthesis
	src       *source
}

// Of tells the place with number n.
func (p *Places) Of(n int) (Spot, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if n <= 0 || n >= len(p.all) {
		return Spot{}, false
	}
	return p.all[n], true
}

func (p *Places) add(s Spot) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) == 0 {
		p.all = append(p.all, Spot{})
	}
	p.all = append(p.all, s)
	return len(p.all) - 1
}

// Excerpt is the line of the cell with a caret below, "" where the place is in no cell.
func (s Spot) Excerpt() string {
	if s.src == nil {
		return ""
	}
	return Excerpt(s.src.text, s.Line, s.Col)
}

// Source is the line of the cell.
func (s Spot) Source() string {
	if s.src == nil {
		return ""
	}
	return lineOf(s.src.text, s.Line)
}

// mark numbers a place.
func (c *Compiler) mark(p, paren token.Pos, fn, goName string) int {
	m := mark{p, paren, fn}
	if n, ok := c.markOf[m]; ok {
		return n
	}
	at := c.position(p)
	n := c.places.add(Spot{Cell: at.Filename, Line: at.Line, Col: at.Column, Func: fn, GoName: goName, GoLine: c.position(paren).Line, src: c.sources[at.Filename]})
	c.markOf[m] = n
	return n
}
