package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.org/godp/kernel/cell"
)

// A directive is something a cell asks of the session, not of Go:
//
//	%help                 lists the directives
//	%who                  lists what is declared: variables, functions, types, constants
//	%time STATEMENT       runs the statement and tells the wall and the CPU time
//	%%time                the same for the cell
//	%timeit STATEMENT     runs an expression or statement for about a second and tells median and quartiles
//	%reset                forgets all declarations
//	%restore [all]        after the process of the cells has died: replays their declarations, or all of them
//	%limit [WHAT VALUE]   shows or sets what a cell may use: memory 2GB, time 30s
//	%cd [DIR]             changes the folder; without DIR to the home folder
//	%env [NAME[=VALUE]]   shows or sets environment variables
//	%load FILE            runs a file of cells
//	%save [-f] FILE       writes the cells that have succeeded since the start or %reset to a file of cells
//	%%writefile FILE      writes the rest of the cell to a file
//	!COMMAND              runs a shell command
//	%%bash                runs the rest of the cell with bash
//	%budget               tells what is spent of the privacy budgets
//
// One that begins with % or ! stands on a line of its own where a statement could begin. One that begins with %% stands
// on the first line of the cell. The Go code before, between and after directives is compiled and run in its turn, as if it
// were cells of their own; so it can use what a directive before it has made, and declarations that stand after
// a directive are not known before it. Syntax errors and unknown directives are found before anything is run.
//
// A line such as !ok is Go where its first name is declared or is a package's; with a space after the ! it is
// always a command, and (!ok) is always Go.
type directive struct {
	name, args, about string

	code  bool // what follows the name is Go
	cell  bool // the rest of the cell belongs to it
	text  bool // and that is not Go
	aside bool // it may run beside a cell: it changes nothing that a cell uses
	run   func(s *Session, x *call) Outcome
	has   func(s *Session) bool // whether the session can do it; nil: always
}

// call is the use of a directive in a cell.
type call struct {
	*part
	ctx   context.Context
	n     int
	cell  string // In[3]
	whole string // its text
	opt   Options
}

// directives is what %help lists, in this order. (It is filled in init because %help looks at it.)
var directives []*directive

func init() {
	directives = []*directive{
		{name: "%help", aside: true, about: "list the directives", run: (*Session).help},
		{name: "%who", aside: true, about: "list what is declared: variables, functions, types, constants", run: (*Session).who},
		{name: "%time", args: "STATEMENT", about: "run the statement and tell the wall and the CPU time", code: true, run: (*Session).time},
		{name: "%%time", about: "the same for the rest of the cell", cell: true, run: (*Session).timeCell},
		{name: "%timeit", args: "STATEMENT", about: "run an expression or statement for about a second; tell median and quartiles", code: true, run: (*Session).timeit},
		{name: "%reset", about: "forget all declarations", run: (*Session).reset},
		{name: "%restore", args: "[all]", about: "after the process of the cells has died: replay their declarations; with all, run them again", run: (*Session).restore},
		{name: "%limit", args: "[memory SIZE | time DURATION]", about: "show or set what this cell and those that follow may use: 2GB, 30s, none", run: (*Session).limit, has: func(s *Session) bool { return s.cfg.Limits != nil }},
		{name: "%cd", args: "[DIR]", about: "change the folder; without DIR to the home folder", run: (*Session).cd},
		{name: "%env", args: "[NAME[=VALUE]]", about: "show or set environment variables", run: (*Session).env},
		{name: "%load", args: "FILE", about: "run a file of cells", run: (*Session).load, has: func(s *Session) bool { return s.cfg.Cells != nil }},
		{name: "%save", args: "[-f] FILE", about: "write the cells that have succeeded to a file of cells; -f replaces a file", run: (*Session).save},
		{name: "%%writefile", args: "FILE", about: "write the rest of the cell to a file", cell: true, text: true, run: (*Session).writeFile},
		{name: "!", aside: true, args: "COMMAND", about: "run a shell command", run: (*Session).shell, has: (*Session).hasShell},
		{name: "%%bash", aside: true, about: "run the rest of the cell with bash", cell: true, text: true, run: (*Session).bash, has: (*Session).hasShell},
		{name: "%budget", aside: true, about: "tell what is spent of the privacy budgets", run: (*Session).budget, has: func(s *Session) bool { return s.cfg.Budget != nil }},
	}
}

// available reports whether the session can do it.
func (d *directive) available(s *Session) bool { return d.has == nil || d.has(s) }

// usage is the form in which it is written.
func (d *directive) usage() string {
	if d.name == "!" {
		return d.name + d.args
	}
	return strings.TrimSpace(d.name + " " + d.args)
}

func findDirective(name string) *directive {
	for _, d := range directives {
		if d.name == name {
			return d
		}
	}
	return nil
}

// directed runs a cell that may have directives.
func (s *Session) directed(ctx context.Context, n int, name, code string, opt Options) Outcome {
	parts := s.parts(code)
	if len(parts) == 1 && parts[0].name == "" { // a % in the middle of something else
		return s.part(ctx, n, name, code, code, opt, nil)
	}
	x := call{ctx: ctx, n: n, cell: name, whole: code, opt: opt}
	if err := s.refuseAny(x, parts); err != nil {
		return Outcome{Err: err}
	}
	if errs := s.syntax.Syntax(blank(code, parts)); len(errs) > 0 {
		for i := range errs {
			errs[i].Cell = name
			if errs[i].Excerpt != "" {
				errs[i].Excerpt = cell.Excerpt(code, errs[i].Line, errs[i].Col)
			}
		}
		return Outcome{Err: compileError(errs)}
	}
	return s.runParts(x, parts, nil)
}

func (s *Session) refuseAny(x call, parts []part) *Error {
	for i := range parts {
		x.part = &parts[i]
		if err := s.refuse(&x); err != nil {
			return err
		}
		if err := s.refuseAny(x, parts[i].inner); err != nil {
			return err
		}
	}
	return nil
}

// refuse says what is wrong with a directive before anything is run.
func (s *Session) refuse(x *call) *Error {
	if x.name == "" {
		return nil
	}
	d := x.directive
	switch {
	case d == nil && strings.Trim(x.name, "%") == "":
		return x.errorf("the name of a directive is missing after %s; %%help lists them", x.name)
	case d == nil:
		return x.errorf("there is no directive %s; did you mean %s? %%help lists them", x.name, s.closest(x.name))
	case d.cell && !x.first:
		return x.errorf("%s must be the first line of its cell", d.name)
	case !d.available(s) && (d.name == "!" || d.name == "%%bash"):
		return x.errorf("shell commands are switched off in this installation (godp install --no-shell), so %s cannot be used", d.name)
	case !d.available(s):
		return x.errorf("%s is not available in this session; %%help lists what is", d.name)
	case d.args == "" && x.arg != "" && d.cell && !d.text:
		return x.errorf("%s takes nothing on its line: write the code on the lines below it, or use %s", d.name, d.name[1:])
	case d.args == "" && x.arg != "":
		return x.errorf("%s takes no argument, but %q follows it", d.name, x.arg)
	case x.arg == "" && !strings.HasSuffix(d.args, "]") && d.args != "":
		return x.errorf("%s needs an argument: %s", d.name, d.usage())
	}
	return nil
}

// runParts runs parts in order. The value of the last one that has a value is the cell's. If clk is not nil the running
// times are added to it.
func (s *Session) runParts(x call, parts []part, clk *clock) (out Outcome) {
	for i := range parts {
		x.part = &parts[i]
		var o Outcome
		switch {
		case x.name == "":
			var around func(func())
			if clk != nil {
				around = clk.time
			}
			o = s.part(x.ctx, x.n, x.cell, only(x.whole, x.from, x.to), x.whole, x.opt, around)
		case clk != nil && !x.directive.code:
			clk.time(func() { o = x.directive.run(s, &x) })
		default:
			o = x.directive.run(s, &x)
		}
		if o.Err == nil && x.ctx.Err() != nil {
			o.Err = errInterrupted
		}
		if o.Err != nil {
			return o
		}
		if o.Result != nil {
			out.Result = o.Result
		}
	}
	return out
}

// errorf is an error at the directive's place.
func (x *call) errorf(format string, args ...any) *Error {
	e := &Error{Name: "DirectiveError", Value: fmt.Sprintf(format, args...)}
	e.Traceback = []string{fmt.Sprintf("%s%s:%d:%d:%s %s%s%s", blue, x.cell, x.line, x.col, reset, red, e.Value, reset),
		caret(cell.Excerpt(x.whole, x.line, x.col))}
	return e
}

// fail makes an error of the system an outcome.
func (x *call) fail(err error) Outcome {
	var e *Error
	if errors.As(err, &e) {
		return Outcome{Err: e}
	}
	return Outcome{Err: x.errorf("%s: %v", x.name, err)}
}

// closest is the available directive whose name is most like name.
func (s *Session) closest(name string) string {
	best, least := "%help", 1<<30
	for _, d := range directives {
		if d.name == "!" || !d.available(s) {
			continue
		}
		if n := distance(name, d.name); n < least {
			best, least = d.name, n
		}
	}
	return best
}

// distance is the least number of insertions, deletions, replacements and swaps of neighbours that turn a into b
// (optimal string alignment).
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
