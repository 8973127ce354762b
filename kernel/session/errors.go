package session

import (
	"fmt"
	"strings"

	"example.org/godp/kernel/cell"
	"example.org/godp/kernel/cell/rt"
)

// Colours of a traceback. Not bold with a colour: pages show that as the darker shade, which is hard to read on a dark one.
const (
	red   = "\x1b[31m"
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	blue  = "\x1b[34m"
	reset = "\x1b[0m"
)

func compileError(errs cell.ErrorList) *Error {
	e := &Error{Name: "CompileError", Value: errs[0].Error(), compile: errs}
	if errs[0].Refused {
		e.Name = "NotSupported"
	}
	if len(errs) > 1 {
		e.Value += fmt.Sprintf(" (and %d more)", len(errs)-1)
	}
	for _, x := range errs {
		e.Traceback = append(e.Traceback, fmt.Sprintf("%s%s:%d:%d:%s %s%s%s", blue, x.Cell, x.Line, x.Col, reset, red, x.Msg, reset))
		if x.Excerpt != "" {
			e.Traceback = append(e.Traceback, caret(x.Excerpt))
		}
		if x.Hint != "" {
			e.Traceback = append(e.Traceback, "    "+bold+x.Hint+reset)
		}
	}
	return e
}

// caret colours the caret of an excerpt.
func caret(s string) string {
	i := strings.LastIndexByte(s, '^')
	if i < 0 {
		return s
	}
	return s[:i] + red + "^" + reset + s[i+1:]
}

// panicError describes a panic: Go's message, the failing line, and the calls on the way to it.
func (s *Session) panicError(v any, calls rt.Trace) *Error {
	e := &Error{Name: "panic"}
	switch x := v.(type) {
	case cellError:
		e.Name = "error"
		e.Value = rt.Text(x.err)
		if len(calls) > 0 {
			calls[0] = x.mark
		} else {
			calls = rt.Trace{x.mark}
		}
		e.Traceback = append(e.Traceback, red+"error:"+reset+" "+e.Value)
	case rt.OutOfMemory:
		e.Name, e.Value = "OutOfMemory", x.Error()
		e.Traceback = append(e.Traceback, red+bold+e.Name+":"+reset+" "+e.Value)
	case interface{ ExitCode() int }:
		e.Name = "exit"
		e.Value = fmt.Sprintf("exit status %d", x.ExitCode())
		e.Traceback = append(e.Traceback, fmt.Sprintf("%sthe cell called os.Exit(%d)%s; the session goes on", red, x.ExitCode(), reset))
	default:
		e.Value = rt.Text(v)
		e.Traceback = append(e.Traceback, red+"panic:"+reset+" "+e.Value)
	}
	e.Traceback = append(e.Traceback, s.callStack(calls)...)
	return e
}

const (
	mostCalls = 50 // shown at an end of a call stack
	repeats   = 3  // calls from the same place shown in a row
	leftOut   = "… calls left out …"
)

// callStack shows where a panic began, with a caret, and the calls under way there: innermost first, each with its line.
func (s *Session) callStack(calls rt.Trace) (lines []string) {
	type group struct {
		spot  cell.Spot
		count int    // of calls of this very place in a row
		note  string // instead of a place
	}
	var groups []group
	last := 0
	for _, n := range calls {
		spot, ok := s.places.Of(n)
		switch {
		case n == rt.Elided:
			groups = append(groups, group{note: leftOut})
		case n == rt.Deferred:
			groups = append(groups, group{note: "deferred, and run because of a panic in"})
		case !ok || spot.Cell == "":
			continue
		case n == last:
			groups[len(groups)-1].count++
		default:
			groups = append(groups, group{spot: spot, count: 1})
		}
		last = n
	}
	if len(groups) > 2*mostCalls {
		groups = append(append(groups[:mostCalls:mostCalls], group{note: leftOut}), groups[len(groups)-mostCalls:]...)
	}
	by := "called from "
	for i, g := range groups {
		if g.note != "" {
			if i < len(groups)-1 {
				lines = append(lines, dim+g.note+reset)
			}
			if g.note != leftOut {
				by = ""
			}
			continue
		}
		where := blue + fmt.Sprintf("%s:%d:%d", g.spot.Cell, g.spot.Line, g.spot.Col) + reset
		if name := funcName(g.spot.Func); name != "" { // the body of such a loop in a cell itself has none
			where += " in " + bold + name + reset
		}
		for j := range min(g.count, repeats) {
			if i == 0 && j == 0 {
				lines = append(lines, where)
				if x := g.spot.Excerpt(); x != "" {
					lines = append(lines, caret(x))
				}
				continue
			}
			lines = append(lines, by+where)
			if x := strings.TrimSpace(g.spot.Source()); x != "" {
				lines = append(lines, dim+"    "+x+reset)
			}
			by = "called from "
		}
		if g.count > repeats {
			lines = append(lines, fmt.Sprintf("%s… and %d more times from there%s", dim, g.count-repeats, reset))
		}
	}
	return lines
}

// funcName is how a call stack names a function. The body of a loop over a function belongs to the function it is in.
func funcName(s string) string {
	s = strings.ReplaceAll(s, "-range", "")
	if strings.HasPrefix(s, ".func") {
		s = "func" + strings.TrimPrefix(s, ".func")
	}
	return s
}
