// Package debug is the run-time half of the debugger: what instrumented cells call, the stacks it keeps of them, and who is
// stopped where. It knows neither the compiler, which instruments (package cell, lower_debug.go), nor the protocol that
// clients speak (package dap).
//
// # Why cells are instrumented
//
// The interpreter has a debugger of its own. It was measured and not used: a loop runs some 300 times slower under it
// (0.02 s become 6 s), its steps are parts of expressions, and what it sees is the emitted code, in which a declared type is
// erased, a field has another name, a loop is rewritten and a generic function is one of its instances. The cell compiler
// knows better. While a debugger is attached it emits, before each statement,
//
//	*pc = 7           where this call stands
//	if db[7] {        a breakpoint, a step or a pause may concern it
//		h.DebugStop(fr)
//	}
//
// and around each function's body DebugEnter and DebugRun; every local variable lives in a box of its own, whose address is
// noted in the call's frame. So positions are the user's, variables have the names and types that go/types found, variables of
// all callers can be seen and changed, and a panic is caught where it happens with its stack intact. A loop runs 5 to 10 times
// slower than without a debugger and a call costs some 10 µs more, whether there are breakpoints or not. While no debugger is
// attached none of it is emitted: the code is the same to the byte (a test compares).
//
// Functions of earlier cells are emitted anew, in one form or the other, before the first cell that runs after a debugger has
// come or gone. Pure functions of floats stay compiled (package vec), and are stepped over, unless a breakpoint stands in them
// when the cell is run.
//
// # Stacks
//
// A Frame is one call, a Thread one goroutine that runs instrumented code. Frames are ordinary values that point at their
// callers, so they outlive a panic that unwinds the machine's stack. Functions that were emitted without instruments (before
// the debugger was attached, and held by a variable since) and compiled functions have no frames and are stepped over; what
// they call back has.
//
// # Who may stop what
//
// All state is under one lock, which is never held while a cell's code runs. When a thread stops, the others stop at their
// next statement without a word; they go on together. A stopped thread waits for one of: Resume, Detach, the cell's interrupt.
package debug
