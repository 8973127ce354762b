package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// refusedError says that a construct cannot be lowered correctly; the cell is rejected with it.
type refusedError struct {
	pos  token.Pos
	what string
}

func (e *refusedError) Error() string { return e.what }

func refused(format string, args ...any) *refusedError {
	return &refusedError{what: fmt.Sprintf(format, args...)}
}

// unit is the lowering of one cell: the text that grows and what it needs beside it.
type unit struct {
	c     *Compiler
	out   strings.Builder
	queue []func() // bodies still to lower: instances of generic functions
	pos   token.Pos
	// instance names decided in this unit; committed with it.
	instances []*instance
	names     map[*types.Func]string
	values    map[string]string // emitted function -> the one that yields it as a value
	loose     map[string]bool   // temporaries whose type the interpreter has from a compiled function
	debug     *debugUnit        // nil without a debugger
	asked     bool              // it evaluates an expression for the debugger
}

type instance struct {
	fn   *types.Func
	args []types.Type
	name string
}

func (u *unit) uniq(prefix string) string {
	u.c.seq++
	return fmt.Sprintf("%s%d", prefix, u.c.seq)
}

// binding is how a Go variable is held in the emitted code.
type binding struct {
	name  string
	typ   types.Type
	boxed bool // name is a pointer to it
	text  string
}

// fn lowers one function body.
type fn struct {
	u        *unit
	info     *types.Info
	sub      *subst
	parent   *fn
	name     string // for traces
	lines    []string
	vars     map[*types.Var]*binding
	extra    map[string]string // temporaries of this function, name -> type text, that closures may capture
	free     []freeVar         // what this closure takes from its surroundings
	frees    map[string]bool
	boxes    map[*types.Var]bool
	sig      *types.Signature
	res      []string // result boxes, when the body runs inside a closure
	named    []*types.Var
	frame    string // the defer frame
	token    string // the recover token
	body     bool   // the body of a function with defers: return leaves results in boxes
	yield    *escape
	gotos    bool // the body has goto statements
	goName   *goName
	ctl      []*target
	lastLn   int
	lined    bool              // the function keeps its place in ln_
	top      bool              // the operand being lowered is the target of a multiple assignment
	checks   []string          // its checks, to be made by the store
	unsigned map[string]string // index temporaries of unsigned operands
	snap     bool              // operands are copied: the variables among them may change before they are used
	facts    *facts
	dbg      *debugFn // nil where the debugger does not look
}

type freeVar struct{ name, typ string }

// target is a statement that break or continue can name.
type target struct {
	label   string // the user's
	loop    bool
	emitted bool // stands in the emitted code as a for loop
	name    string
	used    bool
	fn      *fn
}

// escape is the way out of the body of a range-over-func loop.
type escape struct {
	code  string // *int: what to do after the iterator returned
	exits []exit
	loop  *target
}

type exit struct {
	code int
	emit func(f *fn)
}

func (f *fn) typ(e ast.Expr) types.Type {
	tv, ok := f.info.Types[e]
	if ok && tv.Type != nil {
		return f.sub.typ(tv.Type)
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := f.object(id); o != nil {
			return f.sub.typ(o.Type())
		}
	}
	panic(&refusedError{e.Pos(), "internal: no type recorded for this expression"})
}

func (f *fn) object(id *ast.Ident) types.Object {
	if o := f.info.Uses[id]; o != nil {
		return o
	}
	return f.info.Defs[id]
}

func (f *fn) text(t types.Type) string { return f.u.c.reps.text(f.u.c.reps.of(t).Rep) }
func (f *fn) h() *helpers              { return f.u.c.help }

func (f *fn) emit(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

// sub-buffers: run g with an empty buffer and return what it emitted.
func (f *fn) capture(g func()) []string {
	saved, ln := f.lines, f.lastLn
	f.lines, f.lastLn = nil, 0
	g()
	got := f.lines
	f.lines, f.lastLn = saved, 0
	_ = ln
	return got
}

func (f *fn) put(lines []string) { f.lines = append(f.lines, lines...) }

// temp gives expr a name.
func (f *fn) temp(expr string, t types.Type) string {
	n := f.u.uniq("t")
	rep := f.u.c.reps.of(t).Rep
	txt := f.u.c.reps.text(rep)
	if rep.Kind() == reflect.Interface || arrayPointer(rep) {
		f.emit("var %s %s = %s", n, txt, expr)
	} else {
		f.emit("%s := %s", n, expr)
	}
	f.extra[n] = txt
	return n
}

// arrayPointer: the interpreter knows how to index a pointer to an array only where the type is written.
func arrayPointer(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Array
}

// fresh declares a temporary of representation text txt and zero value.
func (f *fn) zeroed(txt string) string {
	n := f.u.uniq("t")
	f.emit("var %s %s", n, txt)
	f.extra[n] = txt
	return n
}

func isAtom(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return s != ""
}

func isLiteral(s string) bool {
	return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '"' || s == "true" || s == "false")
}

func (f *fn) atom(s string, t types.Type) string {
	if isLiteral(s) && s[0] != '"' {
		return s
	}
	if isAtom(s) {
		if _, own := f.extra[s]; own || !f.snap {
			return s
		}
	}
	return f.temp(s, t)
}

// callLine is line of a call.
func (f *fn) callLine(e *ast.CallExpr) {
	f.atPlace(f.u.c.mark(e.Pos(), e.Lparen, f.name, f.goName.String()))
}

// line records where the next risky operation stands.
func (f *fn) line(p token.Pos) {
	f.atPlace(f.mark(p))
}

// markCall is the place of a selected method.
func (f *fn) markCall(e *ast.SelectorExpr) int {
	return f.u.c.mark(e.Pos(), e.Sel.Pos(), f.name, f.goName.String())
}

func (f *fn) atPlace(n int) {
	if f.lastLn == n {
		return
	}
	f.lastLn = n
	f.at(n)
}

// at stores a place in the function's own variable, where a panic finds it on the way up: see code.
func (f *fn) at(mark int) {
	f.lined = true
	f.emit("ln_ = %d", mark)
}

func (f *fn) mark(p token.Pos) int { return f.u.c.mark(p, p, f.name, f.goName.String()) }
