package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	"example.org/godp/kernel/cell"
	celldebug "example.org/godp/kernel/cell/debug"
	"example.org/godp/kernel/cell/rt"
	"example.org/godp/kernel/display"
	"example.org/godp/kernel/session/dap"
)

// Debug answers a request of the debug adapter protocol (see package dap): it calls reply once, perhaps later and on another
// goroutine. It may be called while a cell runs.
func (s *Session) Debug(request json.RawMessage, reply func(json.RawMessage)) {
	if !s.asked.Swap(true) && s.mu.TryLock() { // else the running cell's successor publishes
		s.publishDebug()
		s.mu.Unlock()
	}
	s.dap.Handle(request, reply)
}

// newDebugger makes the session's debugger, to which nobody is attached yet.
func (s *Session) newDebugger() {
	d := celldebug.New()
	d.Prefix = debugPrefix()
	d.Describe = describePanic
	d.Condition = s.condition
	d.Format = func(f *celldebug.Frame, expr string) string {
		values, err := s.evaluateHere(f, expr)
		if err != nil {
			return "{" + err.Error() + "}"
		}
		text := ""
		for i, v := range values {
			if i > 0 {
				text += ", "
			}
			if str, ok := v.(string); ok {
				text += str
			} else {
				text += rt.ViewAny(v).Text()
			}
		}
		return text
	}
	d.Print = func(_ *celldebug.Frame, text string) { fmt.Fprintln(s.cfg.Stderr, text) }
	event := s.cfg.DebugEvent
	if event == nil {
		event = func(json.RawMessage) {}
	}
	s.debugger = d
	s.dap = dap.New(dap.Target{Debugger: d, Event: event, Lines: s.stopLines, Globals: s.debugGlobals, Sources: s.debugSources,
		Evaluate: s.evaluate, Rich: s.evaluateRich, Copy: s.copyLocal})
}

// describePanic is the text of what a cell panics with; an interrupt and os.Exit are no business of the debugger.
func describePanic(v any) (string, bool) {
	switch x := rt.PanicValue(v).(type) {
	case rt.Interrupted:
		return "", false
	case cellError:
		return "error: " + rt.Text(x.err), true
	case interface{ ExitCode() int }:
		return "", false
	default:
		return "panic: " + rt.Text(x), true
	}
}

// stopLines lists the lines of a cell before which the debugger can stop.
func (s *Session) stopLines(text string) []int {
	if mayHaveDirectives(text) {
		text, _ = s.withoutDirectives(text)
	}
	return cell.StopLines(text)
}

// instrument brings the declared functions into the form that the debugger needs, or out of it. The session's lock is held.
func (s *Session) instrument() {
	if !s.comp.SetDebug(s.debugger.Attached()) {
		return
	}
	p, err := s.comp.Reemit()
	if err == nil {
		if err = s.enter(p, func(entry reflect.Value) { entry.Interface().(func())() }); err != nil {
			p.Rollback()
		}
	}
	if err != nil {
		fmt.Fprintf(s.cfg.Stderr, "note: the debugger cannot stop in functions of earlier cells: %v\n", err)
	}
}

// enter gives a program to the interpreter and runs its entry. s.using is held.
func (s *Session) enter(p *cell.Program, run func(entry reflect.Value)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s", rt.Text(rt.PanicValue(r)))
			if Dump {
				fmt.Fprintf(s.cfg.Stderr, "%s", debug.Stack())
			}
		}
	}()
	if len(p.Symbols) > 0 {
		if err := s.in.Use(p.Symbols); err != nil {
			return err
		}
	}
	if Dump {
		fmt.Fprintln(s.cfg.Stderr, p.Source)
	}
	if _, err := s.in.Eval(p.Source); err != nil {
		return err
	}
	p.Commit()
	s.gone = append(s.gone, s.left.note(p, s.comp)...)
	entry, err := s.in.Eval(p.Entry)
	if err != nil {
		return err
	}
	run(entry)
	return nil
}

// debugSources lists the cells that have been compiled, in order.
func (s *Session) debugSources() (names, texts []string) {
	if c := s.compiled.Load(); c != nil {
		return c.names, c.texts
	}
	return nil, nil
}

// compiled is what the debugger may ask for at any time.
type compiled struct {
	names, texts []string
	vars         []globalVariable
}

type globalVariable struct {
	name, global string
	typ          *rt.Type
}

// publishDebug takes a picture of the live variables and sources, once a debugger has shown interest.
func (s *Session) publishDebug() {
	if !s.asked.Load() {
		return
	}
	c := &compiled{}
	c.names, c.texts = s.comp.Sources()
	for _, v := range s.comp.Variables() {
		c.vars = append(c.vars, globalVariable{v.Name, v.Global, s.comp.Describe(v.Name)})
	}
	s.compiled.Store(c)
}

// debugGlobals lists the variables of the session.
func (s *Session) debugGlobals() []dap.Global {
	c := s.compiled.Load()
	if c == nil {
		return nil
	}
	values := s.in.Globals()
	var out []dap.Global
	for _, v := range c.vars {
		x := values[v.global]
		if !x.IsValid() {
			continue
		}
		if !x.CanAddr() {
			p := reflect.New(x.Type())
			p.Elem().Set(x)
			x = p.Elem()
		}
		out = append(out, dap.Global{Name: v.name, Type: v.typ, Value: x.Addr()})
	}
	return out
}

var errRunning = errors.New("a cell is running: pause it first, or wait for its end")

// evaluate returns the values of an expression in a stopped call, or at the top level.
func (s *Session) evaluate(f *celldebug.Frame, text string) (values []any, err error) {
	if e := s.whileStill(f, func() { values, err = s.evaluateHere(f, text) }); e != nil {
		return nil, e
	}
	return values, err
}

// whileStill calls what needs the interpreter, on a goroutine of its own that an interrupt ends, while no cell runs or all are
// stopped.
func (s *Session) whileStill(f *celldebug.Frame, call func()) error {
	if at, _ := s.debugger.Where(); at == nil {
		if f != nil {
			return errors.New("the program has gone on")
		}
		if !s.mu.TryLock() {
			return errRunning
		}
		defer s.mu.Unlock()
	}
	done := make(chan error)
	go func() {
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("the debugger failed: %v", r)
			}
			done <- err
		}()
		s.debugger.Quietly(call)
	}()
	return <-done
}

// evaluateHere evaluates on the calling goroutine.
func (s *Session) evaluateHere(f *celldebug.Frame, text string) ([]any, error) {
	run, err := s.compileIn(f, text)
	if err != nil {
		return nil, err
	}
	return run(f)
}

// evaluation is a compiled expression.
type evaluation func(f *celldebug.Frame) ([]any, error)

// compileIn compiles an expression for a call, nil for the top level.
func (s *Session) compileIn(f *celldebug.Frame, text string) (run evaluation, err error) {
	s.using.Lock()
	defer s.using.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the cell compiler failed: %v", r)
		}
	}()
	var at *celldebug.Stmt
	if f != nil {
		at = f.Stmt()
	}
	p, errs := s.comp.CompileIn(at, text)
	if len(errs) > 0 {
		return nil, errors.New(errs[0].Msg)
	}
	err = s.enter(p, func(entry reflect.Value) {
		fn := entry.Interface().(func(*celldebug.Frame))
		run = func(f *celldebug.Frame) (values []any, err error) {
			if f == nil {
				f = &celldebug.Frame{}
			}
			defer func() {
				values = f.TakeShown()
				if r := recover(); r != nil {
					values = nil
					if x, ok := r.(rt.Interrupted); ok {
						err = x
						return
					}
					text, _ := describePanic(r)
					err = errors.New(text)
				}
			}()
			fn(f)
			return nil, nil
		}
	})
	return run, err
}

// condition evaluates the condition of a breakpoint; it is compiled once for each place.
func (s *Session) condition(f *celldebug.Frame, expr string) (bool, error) {
	type place struct {
		at   *celldebug.Stmt
		expr string
	}
	key := place{f.Stmt(), expr}
	run, ok := s.conditions.Load(key)
	if !ok {
		r, err := s.compileIn(f, expr)
		if err != nil {
			return false, err
		}
		run = r
		s.conditions.Store(key, run)
	}
	values, err := run.(evaluation)(f)
	if err != nil {
		return false, err
	}
	if len(values) == 1 {
		switch w := rt.ViewAny(values[0]); w.Text() {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	return false, errors.New("it is not of type bool")
}

// evaluateRich is evaluate that shows the value as a notebook does.
func (s *Session) evaluateRich(f *celldebug.Frame, text string) (data, metadata map[string]any, err error) {
	var b display.Bundle
	e := s.whileStill(f, func() {
		var values []any
		if values, err = s.evaluateHere(f, text); err == nil && len(values) > 0 {
			b = render(values)
		}
	})
	if e != nil {
		return nil, nil, e
	}
	return b.Data, b.Metadata, err
}

// copyLocal declares a variable of the session with the value of a local one.
func (s *Session) copyLocal(f *celldebug.Frame, src, dst string) (err error) {
	e := s.whileStill(f, func() {
		s.using.Lock()
		defer s.using.Unlock()
		p, errs := s.comp.CompileCopy(f.Stmt(), src, dst)
		if len(errs) > 0 {
			err = errors.New(errs[0].Msg)
			return
		}
		if err = s.enter(p, func(entry reflect.Value) { entry.Interface().(func(*celldebug.Frame))(f) }); err == nil {
			s.publish()
		}
	})
	if e != nil {
		return e
	}
	return err
}
