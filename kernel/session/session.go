// Package session is a running interpreter: it evaluates compiled cells, renders their values, and tells what names
// are in scope.
package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"log"
	"maps"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"example.org/godp/kernel/cell"
	celldebug "example.org/godp/kernel/cell/debug"
	"example.org/godp/kernel/cell/rt"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/session/dap"
	"github.com/traefik/yaegi/interp"
	"golang.org/x/tools/go/gcexportdata"
)

// Dynamic is a value of a type declared in a cell, seen from compiled code.
type Dynamic = interface{ Method(name string) any }

// Config says what cells can use and where their output goes.
type Config struct {
	Symbols    map[string]map[string]reflect.Value
	Export     func(path string) ([]byte, error)
	Doc        func(path, name string) string
	AutoImport map[string]string
	Generic    func(path string) map[string]string
	WrapperFor func(iface string, v Dynamic) func(Dynamic) any
	Stdout     io.Writer
	Stderr     io.Writer
	Stdin      io.Reader
	OnContext  func(ctx context.Context)
	// OnReset is told that %reset has forgotten all declarations.
	OnReset func()
	// Names says which compiled functions are given the names of the parameters of functions they get as interface{}: see rt.Func.
	Names func(path, name string) bool
	// OnPanic is told of a panic in a goroutine that a cell started.
	OnPanic func(e *Error)
	// DebugEvent takes the debugger's events, as the debug adapter protocol has them.
	DebugEvent func(json.RawMessage)

	// NoShell switches !command and %%bash off. It is no sandbox: cells can still use what Symbols has.
	NoShell bool
	// Cells reads the cells of a file for %load. Where it is nil there is no %load.
	Cells func(file string) ([]string, error)
	// Limits are what cells may use, which %limit changes; whoever runs the cells sees to it. Where it is nil there is no
	// %limit. Bytes reads an amount of memory such as 2GB.
	Limits *Limits
	Bytes  func(string) (uint64, error)
	// Budget describes for %budget what is spent of the privacy budgets. Where it is nil there is no %budget.
	Budget func() string
}

// Options of one execution.
type Options struct {
	Silent bool
	Grace  time.Duration // how long to wait for an interrupted cell to end; 0 is two seconds
}

// Outcome of one execution.
type Outcome struct {
	Result    *display.Bundle
	Err       *Error
	Abandoned bool // the cell was interrupted but did not stop
}

// Error is what went wrong in a cell.
type Error struct {
	Name, Value string
	Traceback   []string

	compile cell.ErrorList // what the compiler said, if it did
}

func (e *Error) Error() string { return e.Name + ": " + e.Value }

// Session holds the interpreter and the live declarations.
type Session struct {
	cfg    Config
	mu     sync.Mutex // one cell at a time
	using  sync.Mutex // of comp and in: held while they take in code, not while it runs
	in     *interp.Interpreter
	comp   *cell.Compiler
	fset   *token.FileSet
	pkgs   map[string]*types.Package
	base   uint64
	shown  []any
	places *cell.Places               // also of cells before a %reset
	scope  atomic.Pointer[cell.Scope] // what completion and inspection know

	importer  packageImporter
	importing sync.Mutex // for pkgs
	n         int

	symbols map[string]map[string]reflect.Value // what %reset starts with again
	syntax  *cell.Compiler                      // declares nothing: for questions that may come while a cell runs
	saved   []savedCell                         // for %save
	left    leftovers                           // for forget
	gone    []string                            // what the cell that runs has declared anew
	loading int                                 // depth of %load
	past    []PastCell                          // for %restore

	debugger   *celldebug.Debugger
	dap        *dap.Server
	asked      atomic.Bool              // a debug request has come
	compiled   atomic.Pointer[compiled] // what the debugger may ask for at any time
	conditions sync.Map                 // compiled conditions of breakpoints
}

// New starts a session.
func New(cfg Config) (*Session, error) {
	s := &Session{cfg: cfg, fset: token.NewFileSet(), pkgs: map[string]*types.Package{}, places: &cell.Places{}}
	if cfg.Stdout == nil {
		s.cfg.Stdout = io.Discard
	}
	if cfg.Stderr == nil {
		s.cfg.Stderr = io.Discard
	}
	if cfg.Stdin == nil {
		s.cfg.Stdin = strings.NewReader("")
	}
	syms := map[string]map[string]reflect.Value{}
	for k, t := range cfg.Symbols {
		syms[k] = t
	}
	over := rt.Overrides(func() io.Writer { return s.cfg.Stdout }, func() io.Reader { return s.cfg.Stdin })
	args := []string{"cell"}
	over["os/os"] = map[string]reflect.Value{"Args": reflect.ValueOf(&args).Elem()}
	over["runtime/runtime"] = rt.Callers(func() rt.Trace { return under(true) }, s.place)
	over["runtime/runtime"]["Breakpoint"] = reflect.ValueOf(func() { panic("breakpoint") })
	for k, t := range over {
		merged := map[string]reflect.Value{}
		for n, v := range syms[k] {
			merged[n] = v
		}
		for n, v := range t {
			merged[n] = v
		}
		syms[k] = merged
	}
	s.symbols, s.syntax = syms, cell.New(cell.Config{})
	if cfg.WrapperFor != nil {
		rt.SetWrap(cfg.WrapperFor)
	}
	rt.SetBuiltinOut(s.cfg.Stderr)
	rt.SetOnPanic(func(v any, calls rt.Trace, started int) {
		if _, ok := v.(rt.Interrupted); ok {
			return
		}
		e := s.panicError(v, calls)
		e.Traceback = append([]string{"panic in a goroutine started by a cell:"}, e.Traceback...)
		if spot, ok := s.places.Of(started); ok && spot.Cell != "" {
			e.Traceback = append(e.Traceback, fmt.Sprintf("goroutine started at %s%s:%d:%d%s", blue, spot.Cell, spot.Line, spot.Col, reset),
				dim+"    "+strings.TrimSpace(spot.Source())+reset)
		}
		if cfg.OnPanic != nil {
			cfg.OnPanic(e)
			return
		}
		fmt.Fprintln(s.cfg.Stderr, strings.Join(e.Traceback, "\n"))
	})
	log.SetOutput(s.cfg.Stderr)
	s.importer.s = s
	s.newDebugger()
	if err := s.boot(); err != nil {
		return nil, err
	}
	return s, nil
}

// boot starts an interpreter in which nothing is declared. If it fails the one before it stays.
func (s *Session) boot() error {
	s.using.Lock()
	defer s.using.Unlock()
	comp := cell.New(cell.Config{Symbols: s.symbols, Import: s.importPackage, AutoImport: s.cfg.AutoImport, Generic: s.cfg.Generic, Raw: rawArgument, Names: s.cfg.Names, Places: s.places,
		Debugger: s.debugger})
	in := interp.New(interp.Options{Stdout: s.cfg.Stdout, Stderr: tracer{}, Stdin: s.cfg.Stdin})
	// The interpreter replaces functions of several packages when it sees one called fmt; ours are already right.
	tables := interp.Exports{}
	for k, t := range s.symbols {
		tables[k+"_"] = t
	}
	if err := in.Use(tables); err != nil {
		return err
	}
	h := rt.Table()
	h["Show"] = reflect.ValueOf(func(v ...any) { s.shown = append([]any(nil), v...) })
	maps.Copy(h, s.debugger.Table())
	h["CheckErr"] = reflect.ValueOf(checkErr)
	if err := in.Use(interp.Exports{"godp/h/h": h, "godp/t/t": {"None": reflect.ValueOf((*struct{})(nil))}}); err != nil {
		return err
	}
	if _, err := in.Eval("package main\nimport h \"godp/h\"\nimport t \"godp/t\"\nvar none_ t.None\ntype line_ = h.Line\nfunc boot_() { h.Show() }"); err != nil {
		return fmt.Errorf("starting the interpreter: %w", err)
	}
	s.in, s.comp, s.shown, s.left, s.gone = in, comp, nil, leftovers{}, nil
	s.base = atomic.LoadUint64(s.id())
	s.publish()
	return nil
}

// id is the interpreter's run counter, its first field. Cancelling a run increments it, and every closure made before
// then would return zero values from there on; once the cancelled cell has ended, the session sets it back.
func (s *Session) id() *uint64 { return (*uint64)(unsafe.Pointer(s.in)) }

func (s *Session) importPackage(path string) (*types.Package, error) {
	s.importing.Lock()
	defer s.importing.Unlock()
	if p := s.pkgs[path]; p != nil && p.Complete() {
		return p, nil
	}
	b, err := s.cfg.Export(path)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(bytes.NewReader(b), s.fset, s.pkgs, path)
}

// rawArgument lists compiled functions whose interface{} arguments are looked at by reflection and must be bare.
func rawArgument(path, name string) bool { return rt.RawFunction(path, name) }

// place is where a numbered place is, for package runtime's functions.
func (s *Session) place(mark int) (file string, line int, function string, ok bool) {
	spot, ok := s.places.Of(mark)
	return spot.Cell, spot.GoLine, spot.GoName, ok && spot.Cell != ""
}

// Dump shows what the interpreter is given, to those who work on the compiler.
var Dump bool

// cellError carries an error value out of a cell that must fail with it.
type cellError struct {
	err  error
	mark int
}

func checkErr(mark int, err error) {
	if err != nil {
		panic(cellError{err, mark})
	}
}

// cellRun is one cell under way.
type cellRun struct {
	ended    chan struct{}
	panicked bool
	value    any
	calls    rt.Trace
	exited   bool
	as       *rt.Run
	around   func(f func()) // calls the cell, if that is not to happen just once
}

func (r *cellRun) run(f func()) {
	normal := false
	defer func() {
		if !normal {
			v := recover()
			r.panicked = true
			r.calls = rt.TakeTrace()
			if v == nil {
				r.exited = true // runtime.Goexit
			} else {
				r.value = rt.PanicValue(v)
			}
		}
		close(r.ended)
	}()
	defer r.as.Own()()
	if r.around != nil {
		r.around(f)
	} else {
		f()
	}
	normal = true
}

var errInterrupted = &Error{Name: "interrupted", Value: "the cell was interrupted", Traceback: []string{"interrupted"}}

// Execute compiles and runs a cell. It returns when the cell has really ended, or could not be stopped.
func (s *Session) Execute(ctx context.Context, n int, code string, opt Options) (out Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprintf("In[%d]", n)
	out = s.cell(ctx, n, name, code, opt)
	if out.Err == nil && !opt.Silent {
		s.remember(name, code)
	}
	return out
}

// cell runs a cell with its directives.
func (s *Session) cell(ctx context.Context, n int, name, code string, opt Options) Outcome {
	s.n = n
	if mayHaveDirectives(code) {
		return s.directed(ctx, n, name, code, opt)
	}
	return s.part(ctx, n, name, code, code, opt, nil)
}

// Warm runs a cell that leaves nothing behind, so that the first one of the user finds the machine's memory ready.
func (s *Session) Warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.part(context.Background(), 0, "start", "1 + 1", "1 + 1", Options{}, nil)
}

// part runs a part of a cell: text is the cell with all but the part blanked. around may be nil.
func (s *Session) part(ctx context.Context, n int, name, text, whole string, opt Options, around func(f func())) Outcome {
	p, err := s.compile(n, name, text, whole)
	if err != nil {
		return Outcome{Err: err}
	}
	for _, w := range p.Warnings {
		fmt.Fprintln(s.cfg.Stderr, "note: "+w)
	}
	return s.run(ctx, p, opt, around)
}

func (s *Session) compile(n int, name, text, whole string) (p *cell.Program, e *Error) {
	defer func() {
		if r := recover(); r != nil {
			if Dump {
				fmt.Fprintf(s.cfg.Stderr, "%s", debug.Stack())
			}
			p, e = nil, &Error{Name: "InternalError", Value: fmt.Sprintf("the cell compiler failed: %v", r),
				Traceback: []string{fmt.Sprintf("the cell compiler failed on this cell (nothing was changed): %v", r)}}
		}
	}()
	s.using.Lock()
	defer s.using.Unlock()
	s.instrument()
	if s.debugger.Attached() {
		s.dap.AddSource(name, whole)
	}
	p, errs := s.comp.CompilePart(n, name, text, whole)
	if len(errs) > 0 {
		return nil, compileError(errs)
	}
	if len(p.Symbols) > 0 {
		if err := s.in.Use(p.Symbols); err != nil {
			return nil, &Error{Name: "InternalError", Value: err.Error(), Traceback: []string{err.Error()}}
		}
	}
	if Dump {
		fmt.Fprintln(s.cfg.Stderr, p.Source)
	}
	base := s.in.FileSet().Base()
	if _, err := s.in.Eval(p.Source); err != nil {
		msg := fmt.Sprintf("the interpreter could not take this cell (nothing was changed): %v", err)
		return nil, &Error{Name: "InternalError", Value: msg, Traceback: []string{msg}}
	}
	p.Commit()
	if strings.HasPrefix(p.Source, nothing+"func "+p.Entry) {
		s.forgetFiles(base)
	}
	s.gone = append(s.gone, s.left.note(p, s.comp)...)
	s.publish()
	return p, nil
}

func (s *Session) run(ctx context.Context, p *cell.Program, opt Options, around func(f func())) Outcome {
	s.shown = nil
	atomic.StoreUint64(s.id(), s.base)
	// The cell runs on a goroutine of ours, not under the interpreter's EvalWithContext: that returns while its own last
	// steps are still to come, and they would meet the next cell's.
	s.using.Lock()
	base := s.in.FileSet().Base()
	entry, err := s.in.Eval(p.Entry)
	s.forgetFiles(base)
	s.using.Unlock()
	if err != nil {
		return internalError(err)
	}
	f, ok := entry.Interface().(func())
	if !ok {
		return internalError(fmt.Errorf("the cell is a %v", entry.Type()))
	}
	out := s.call(ctx, ctx, f, opt.Grace, around)
	if !out.Abandoned {
		s.forget(p.Entry, s.gone)
		s.gone = nil
	}
	if out.Err != nil {
		return out
	}
	if opt.Silent || len(s.shown) == 0 {
		return Outcome{}
	}
	b := render(s.shown)
	return Outcome{Result: &b}
}

// call runs f to its end, or until it does not stop within grace after ctx has ended.
func (s *Session) call(ctx, gentle context.Context, f func(), grace time.Duration, around func(f func())) Outcome {
	if grace == 0 {
		grace = 2 * time.Second
	}
	r := &cellRun{ended: make(chan struct{}), around: around}
	r.as = rt.Start()
	if s.cfg.OnContext != nil {
		s.cfg.OnContext(gentle)
	}
	atomic.StoreUint64(s.id(), s.base)
	go r.run(f)
	if r.stopped(ctx, gentle) {
		if !s.interrupt(r, grace) {
			return Outcome{Err: errInterrupted, Abandoned: true}
		}
		if !r.panicked {
			return Outcome{Err: errInterrupted}
		}
	}
	switch {
	case r.panicked && r.exited:
		return Outcome{Err: &Error{Name: "Goexit", Value: "the cell's goroutine called runtime.Goexit",
			Traceback: []string{red + "the cell ended itself with runtime.Goexit" + reset}}}
	case r.panicked:
		if _, ok := r.value.(rt.Interrupted); ok || ctx.Err() != nil || gentle.Err() != nil {
			return Outcome{Err: errInterrupted}
		}
		if ref, ok := r.value.(rt.Refused); ok {
			e := s.panicError(r.value, r.calls)
			e.Name, e.Value = "NotSupported", ref.Error()
			return Outcome{Err: e}
		}
		return Outcome{Err: s.panicError(r.value, r.calls)}
	}
	return Outcome{}
}

func internalError(err error) Outcome {
	return Outcome{Err: &Error{Name: "InternalError", Value: err.Error(), Traceback: []string{err.Error()}}}
}

// Expression evaluates one expression for user_expressions.
func (s *Session) Expression(ctx context.Context, n int, code string) (display.Bundle, *Error) {
	s.mu.Lock()
	s.n = n
	out := s.part(ctx, n, fmt.Sprintf("In[%d]", n), code, code, Options{}, nil)
	s.mu.Unlock()
	if out.Err != nil {
		return display.Bundle{}, out.Err
	}
	if out.Result == nil {
		return display.Bundle{}, &Error{Name: "error", Value: "the expression has no value", Traceback: []string{"the expression has no value"}}
	}
	return *out.Result, nil
}

// Variable is a live variable.
type Variable struct{ Name, Type string }

// Variables lists the live variables.
func (s *Session) Variables() []Variable {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Variable
	for _, v := range s.comp.Variables() {
		out = append(out, Variable{v.Name, v.Type})
	}
	return out
}
