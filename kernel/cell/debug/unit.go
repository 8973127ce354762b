package debug

import (
	"example.org/godp/kernel/cell/rt"
)

// Source is the text of a cell.
type Source struct {
	Name string // In[3]
	Text string
	Path string // see Debugger.Path
}

// Unit is one program that the compiler has instrumented.
type Unit struct {
	ID    int
	Funcs []*Func
	Stmts []*Stmt
	armed []bool // by statement: whether it calls Stop. Written under the debugger's lock, read by cells without it
}

// Func is an instrumented function: a declared one, a function literal, or the statements of a cell.
type Func struct {
	Name  string // fact, T.m, In[3], In[3].func1
	Cell  bool   // the statements of a cell
	Slots int    // how many variables a call has room for
}

// Stmt is a statement at which a call can stop.
type Stmt struct {
	Source *Source
	Line   int  // 1, …
	Col    int  // 1, …; in bytes
	First  bool // the first of its function on its line: a breakpoint on the line stops here
	Vars   []Var
	Static any // the compiler's: what expressions are checked against
	points []*Breakpoint
}

// Var is a local variable in scope at a statement.
type Var struct {
	Name string
	Type *rt.Type
	Slot int // in Frame.Slots, which hold a pointer to the variable's representation
}

// NewUnit starts a unit. Nothing stops in it before Seal.
func (d *Debugger) NewUnit() *Unit { return &Unit{ID: -1} }

// Seal makes the unit known under a number, and its breakpoints effective.
func (d *Debugger) Seal(u *Unit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u.armed = make([]bool, len(u.Stmts))
	for _, s := range u.Stmts {
		d.place(s)
	}
	d.arm(u)
	d.units[u.ID] = u
}

// Reserve gives the unit its number.
func (d *Debugger) Reserve(u *Unit) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lastUnit++
	u.ID = d.lastUnit
	return u.ID
}

// place finds the breakpoints of a statement.
func (d *Debugger) place(s *Stmt) {
	s.points = nil
	if !s.First {
		return
	}
	for _, b := range d.points[s.Source.Path] {
		if b.Line == s.Line {
			s.points = append(s.points, b)
		}
	}
}

// arm decides which statements of the unit ask whether to stop.
func (d *Debugger) arm(u *Unit) {
	all := d.attached && d.alert
	for i, s := range u.Stmts {
		u.armed[i] = all || d.attached && len(s.points) > 0
	}
}

// setAlert makes every statement ask whether to stop, or only those with breakpoints.
func (d *Debugger) setAlert(on bool) {
	if d.alert == on {
		return
	}
	d.alert = on
	for _, u := range d.units {
		d.arm(u)
	}
}

// Statements lists the instrumented statements of a source.
func (d *Debugger) Statements(path string) (list []*Stmt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range d.units {
		for _, s := range u.Stmts {
			if s.Source.Path == path {
				list = append(list, s)
			}
		}
	}
	return list
}
