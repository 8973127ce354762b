package session

import (
	"fmt"
	"strings"
	"sync"

	"example.org/godp/kernel/cell"
	"example.org/godp/kernel/cell/rt"
)

// colours of a traceback
const (
	red   = "\x1b[31m"
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	blue  = "\x1b[34m"
	reset = "\x1b[0m"
)

func compileError(errs cell.ErrorList) *Error {
	e := &Error{Name: "CompileError", Value: errs[0].Error()}
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
	return s[:i] + red + bold + "^" + reset + s[i+1:]
}

// panicError describes a panic: Go's message, the failing line, and the functions on the way.
func (s *Session) panicError(v any, mark int, trace *traceBuffer) *Error {
	e := &Error{Name: "panic"}
	switch x := v.(type) {
	case cellError:
		e.Name = "error"
		e.Value = rt.Text(x.err)
		mark = x.mark
		e.Traceback = append(e.Traceback, red+bold+"error:"+reset+" "+e.Value)
	case interface{ ExitCode() int }:
		e.Name = "exit"
		e.Value = fmt.Sprintf("exit status %d", x.ExitCode())
		e.Traceback = append(e.Traceback, fmt.Sprintf("%sthe cell called os.Exit(%d)%s; the session goes on", red, x.ExitCode(), reset))
	default:
		e.Value = rt.Text(v)
		e.Traceback = append(e.Traceback, red+bold+"panic:"+reset+" "+e.Value)
	}
	if mark == 0 && s.line != nil {
		mark = *s.line
	}
	name, line, col, fn := s.comp.Where(mark)
	if name != "" {
		where := fmt.Sprintf("%s:%d:%d", name, line, col)
		if fn != "" {
			where += " in " + fn
		}
		e.Traceback = append(e.Traceback, blue+where+reset)
		if x := cell.Excerpt(s.comp.Text(name), line, col); x != "" {
			e.Traceback = append(e.Traceback, caret(x))
		}
	}
	if trace != nil {
		if calls := trace.calls(); len(calls) > 1 {
			e.Traceback = append(e.Traceback, dim+"called from "+strings.Join(calls[1:], " ← ")+reset)
		}
	}
	return e
}

// traceBuffer keeps what the interpreter prints about a panic: a line for each function it leaves.
type traceBuffer struct {
	mu  sync.Mutex
	buf []byte
}

const traceLimit = 64 << 10

func (t *traceBuffer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.buf) < traceLimit {
		t.buf = append(t.buf, p...)
	}
	return len(p), nil
}

// Reset forgets what was written.
func (t *traceBuffer) Reset() {
	t.mu.Lock()
	t.buf = t.buf[:0]
	t.mu.Unlock()
}

// calls lists the user's functions of the trace, innermost first.
func (t *traceBuffer) calls() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, l := range strings.Split(string(t.buf), "\n") {
		i := strings.Index(l, "panic: main.")
		if i < 0 {
			continue
		}
		name := strings.TrimSuffix(l[i+len("panic: main."):], "(...)")
		if !strings.HasPrefix(name, "f_") {
			continue
		}
		name = strings.TrimPrefix(name, "f_")
		if j := strings.LastIndexByte(name, '_'); j > 0 {
			name = name[:j]
		}
		out = append(out, name)
		if len(out) == 20 {
			out = append(out, "…")
			break
		}
	}
	return out
}
