package session

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strings"

	"example.org/godp/kernel/cell"
)

// Look evaluates a cell while another one runs, as far as that is sound, and otherwise says why the cell must wait for its turn. Nothing is
// changed by it and no code of cells is run.
//
// The running cell and one beside it would be two goroutines of one Go program, and Go says of a variable that one of them writes
// while the other reads it: of a number or a pointer, the reader sees some value that was written; but it may see half of a string, slice
// or interface value (Go memory model, section "Implementation Restrictions for Programs Containing Data Races"), and a map that is
// written while it is read ends the process. A look must not cost the hours that the other cell has computed, so
// it reads numbers and bools only, wherever they stand (in variables, fields, arrays, behind pointers, in the types of sync/atomic),
// the len and cap of anything, and times; it computes with them, converts and prints them, and calls functions of math and the like on
// them. The directives that only tell something, and shell commands, are fine too. All else waits.
func (s *Session) Look(ctx context.Context, code string) (out Outcome, wait string) {
	if !mayHaveDirectives(code) {
		return s.lookGo(code)
	}
	x := call{ctx: ctx, cell: "cell", whole: code}
	parts := s.parts(code)
	if len(parts) == 1 && parts[0].name == "" { // such as !ok
		return s.lookGo(code)
	}
	for _, p := range parts {
		switch {
		case p.name == "" || p.directive == nil:
			return Outcome{}, "it has Go and directives"
		case !p.directive.aside:
			return Outcome{}, p.name + " changes or runs something of the session"
		}
	}
	if err := s.refuseAny(x, parts); err != nil {
		return Outcome{Err: err}, ""
	}
	return s.runParts(x, parts, nil), ""
}

// mustWait is why a look cannot be had.
type mustWait string

// failed is what the running cell would fail with too.
type failed string

func (s *Session) lookGo(code string) (out Outcome, wait string) {
	s.using.Lock() // the interpreter takes in no code meanwhile; the running cell goes on
	defer s.using.Unlock()
	list, info, err := s.scope.Load().Expressions(code, &s.importer)
	if err == cell.ErrStatements {
		return Outcome{}, err.Error()
	}
	if err != nil {
		return Outcome{}, "it is not understood here: " + err.Error() // its own error, with its place, comes when it is compiled
	}
	if len(list) == 0 {
		return Outcome{}, ""
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case mustWait:
			out, wait = Outcome{}, string(p)
		case failed:
			out = Outcome{Err: &Error{Name: "panic", Value: string(p), Traceback: []string{red + "panic:" + reset + " " + string(p)}}}
		default:
			out, wait = Outcome{}, fmt.Sprint("it cannot be computed here: ", p)
		}
	}()
	l := &looker{s: s, info: info, globals: map[string]reflect.Value{}}
	all := s.in.Globals()
	for _, v := range s.comp.Variables() {
		l.globals[v.Name] = all[v.Global]
	}
	// First what can make the cell wait, then what is seen from outside.
	for i, e := range list {
		if _, ok := ast.Unparen(e).(*ast.CallExpr); !ok && i < len(list)-1 {
			panic(mustWait("the value of " + types.ExprString(e) + " is not used")) // the error comes when it is compiled
		}
		l.check(e)
	}
	var last []any
	for _, e := range list {
		last = nil
		for _, v := range l.values(e) {
			last = append(last, v.Interface())
		}
	}
	if call, ok := list[len(list)-1].(*ast.CallExpr); ok && l.prints(call) {
		last = nil
	}
	if len(last) > 0 {
		b := render(last)
		out.Result = &b
	}
	return out, ""
}

// prints reports whether a call is one that prints, whose results are not shown.
func (l *looker) prints(c *ast.CallExpr) bool {
	f := l.function(c)
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "fmt" && strings.HasPrefix(f.Name(), "Print")
}

// pure are packages whose functions only compute with numbers, texts and times that they are given.
var pure = map[string]bool{"math": true, "math/bits": true, "math/cmplx": true, "strconv": true, "time": true, "sync/atomic": true, "unicode": true, "runtime": true}

// telling are functions of fmt that take numbers as they are.
var telling = map[string]bool{"Print": true, "Println": true, "Printf": true, "Sprint": true, "Sprintln": true, "Sprintf": true}

// function is the compiled function or method that a call names, nil for anything else.
func (l *looker) function(c *ast.CallExpr) *types.Func {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.SelectorExpr:
		fn, _ := l.info.Uses[f.Sel].(*types.Func)
		return fn
	case *ast.Ident:
		fn, _ := l.info.Uses[f].(*types.Func)
		return fn
	}
	return nil
}

// check makes the cell wait for what a look may not do, before anything is done.
func (l *looker) check(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.SliceExpr, *ast.TypeAssertExpr:
			panic(mustWait("it makes a value"))
		case *ast.UnaryExpr:
			switch n.Op.String() {
			case "<-":
				panic(mustWait("it receives from a channel"))
			case "&":
				panic(mustWait("it takes an address"))
			}
		case *ast.CallExpr:
			if tv := l.info.Types[n.Fun]; tv.IsType() {
				return true
			} else if l.info.Types[n].Value != nil {
				return false // a constant, such as real(1i)
			} else if tv.IsBuiltin() {
				if id, ok := ast.Unparen(n.Fun).(*ast.Ident); !ok || id.Name != "len" && id.Name != "cap" {
					panic(mustWait("it calls a built-in function other than len and cap"))
				}
				return true
			}
			f := l.function(n)
			switch {
			case f == nil || f.Pkg() == nil || f.Pkg().Path() == "main":
				panic(mustWait("it calls " + types.ExprString(n.Fun) + ", which may use the variables that the running cell changes"))
			case f.Pkg().Path() == "fmt" && telling[f.Name()]:
			case !pure[f.Pkg().Path()]:
				panic(mustWait("it calls " + types.ExprString(n.Fun) + ", which may do more than compute with numbers"))
			case f.Pkg().Path() == "sync/atomic" && !strings.HasPrefix(f.Name(), "Load"),
				f.Pkg().Path() == "time" && (f.Name() == "Sleep" || f.Name() == "Tick" || strings.HasPrefix(f.Name(), "New") || strings.HasPrefix(f.Name(), "After") || f.Name() == "Reset" || f.Name() == "Stop"),
				f.Pkg().Path() == "runtime" && f.Name() != "NumGoroutine" && f.Name() != "NumCPU" && f.Name() != "Version":
				panic(mustWait("it calls " + types.ExprString(n.Fun)))
			}
		case ast.Expr:
			if t := l.info.Types[n].Type; t != nil && l.info.Types[n].Value == nil {
				if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "main" &&
					named.NumMethods() > 0 && scalar(t) {
					panic(mustWait("it shows a " + named.Obj().Name() + ", whose methods may say how it looks"))
				}
			}
		}
		return true
	})
	for _, v := range l.resultTypes(e) {
		if !l.showable(v) {
			panic(mustWait(fmt.Sprintf("%s is a %s; while another cell runs, only numbers, bools, times and len can be read safely",
				types.ExprString(e), types.TypeString(v, qualifier))))
		}
	}
}

func (l *looker) resultTypes(e ast.Expr) []types.Type {
	t := l.info.Types[e].Type
	if tuple, ok := t.(*types.Tuple); ok {
		var all []types.Type
		for i := range tuple.Len() {
			all = append(all, tuple.At(i).Type())
		}
		return all
	}
	return []types.Type{t}
}

// showable reports whether a value of type t holds no memory but its own: what a function made, or a number, bool or time.
func (l *looker) showable(t types.Type) bool {
	if scalar(t) || isTime(t) || t == types.Universe.Lookup("error").Type() {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 // a variable's own string is refused where it is read
}

func scalar(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0
}

func isTime(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Time"
}

// symbol is a compiled function by package path and name.
func (s *Session) symbol(p *types.Package, name string) (reflect.Value, bool) {
	v, ok := s.symbols[p.Path()+"/"+p.Name()][name]
	return v, ok && v.Kind() == reflect.Func
}
