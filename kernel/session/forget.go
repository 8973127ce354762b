package session

import (
	"go/token"
	"reflect"
	"regexp"
	"strings"
	"unsafe"

	"example.org/godp/kernel/cell"
)

// The interpreter keeps everything it has ever evaluated: the syntax trees and scopes of all cells, about 20 KB each, and every
// global variable, also one that was declared anew and cannot be named any more, with all that it holds. forget lets go of
// what nothing can reach. What is still in use (functions, closures, goroutines) refers to its own part of a tree.

// leftovers is what forget knows of the programs so far.
type leftovers struct {
	live     map[string]bool // emitted names of the variables and functions that cells can use
	captured map[string]bool // variables that a function or a closure refers to, which may outlive their names
}

// nothing is what stands before the cell's function in a program that declares nothing.
const nothing = "package main\n"

// globals are the emitted names of variables.
var globals = regexp.MustCompile(`\bg_\w+`)

// note looks at a program that was evaluated and committed. It returns the names that it has made unreachable.
func (l *leftovers) note(p *cell.Program, comp *cell.Compiler) (gone []string) {
	if l.live == nil {
		l.captured = map[string]bool{}
	}
	declared, entry, _ := strings.Cut(p.Source, "func "+p.Entry+"() {")
	// Variables are declared before the functions, so the first function ends what cannot capture.
	if _, functions, ok := strings.Cut(declared, "func "); ok {
		l.capture(functions)
	}
	if strings.Contains(entry, "func(") {
		l.capture(entry)
	}
	if l.live != nil && declared == nothing {
		return nil
	}
	live := map[string]bool{}
	comp.Globals(func(name string) { live[name] = true })
	for name := range l.live {
		if !live[name] && !l.captured[name] {
			gone = append(gone, name)
		}
		if !live[name] {
			delete(l.captured, name)
		}
	}
	l.live = live
	return gone
}

func (l *leftovers) capture(source string) {
	for _, name := range globals.FindAllString(source, -1) {
		l.captured[name] = true
	}
}

// forgetFiles takes back the positions of the files that were evaluated since the position base. No position of theirs is asked
// for again: places in cells are numbered by the compiler.
func (s *Session) forgetFiles(base int) {
	files := s.in.FileSet()
	for p := base; p < files.Base(); {
		f := files.File(token.Pos(p))
		if f == nil {
			return
		}
		p = f.Base() + f.Size() + 1
		files.RemoveFile(f)
	}
}

// forget is called when a cell has ended. entry is the function that was the cell, gone what it has declared anew.
func (s *Session) forget(entry string, gone []string) {
	s.using.Lock()
	defer s.using.Unlock()
	in := reflect.ValueOf(s.in).Elem()
	roots := field(in, "roots")
	for i := range roots.Len() { // what a symbol refers to is to hold its own declaration, not the whole cell
		decls := field(roots.Index(i).Elem(), "child")
		for j := range decls.Len() {
			d := decls.Index(j).Elem()
			field(d, "anc").SetZero()
			field(d, "tnext").SetZero()
		}
	}
	roots.SetZero()
	scope := field(in, "scopes").MapIndex(reflect.ValueOf("main"))
	if !scope.IsValid() {
		return
	}
	scope = writable(scope.Elem())
	field(scope, "child").SetZero()
	symbols := field(scope, "sym")
	data := field(field(in, "frame").Elem(), "data")
	for _, name := range gone {
		key := reflect.ValueOf(name)
		sym := symbols.MapIndex(key)
		if !sym.IsValid() {
			continue
		}
		i := int(field(sym.Elem(), "index").Int())
		if strings.HasPrefix(name, "g_") && i >= 0 && i < data.Len() {
			// A pointer into the variable stays valid: the place is replaced, not overwritten.
			data.Index(i).SetZero()
		}
		symbols.SetMapIndex(key, reflect.Value{})
	}
	symbols.SetMapIndex(reflect.ValueOf(entry), reflect.Value{})
}

// field is a field of a struct of the interpreter, as one that can be changed.
func field(v reflect.Value, name string) reflect.Value { return writable(v.FieldByName(name)) }

func writable(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}
