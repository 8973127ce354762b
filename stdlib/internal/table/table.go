// Package table holds the types of the generated symbol tables. A table is static data: a program that never asks for the
// symbols (the kernel's front process) pays nothing for them at start.
package table

import (
	"go/constant"
	"go/token"
	"reflect"
	"strings"
)

// Dynamic is a value defined in a cell. Method returns the bound method of that name as a func value whose type is exactly
// the method's type, or nil if the value has no such method. It is an alias so that a package that must not import this one can declare the same type.
type Dynamic = interface{ Method(name string) any }

// Kind says how a symbol's V is to be read.
type Kind uint8

// The kinds of symbol.
const (
	Value  Kind = iota // a function or a typed (or boolean) constant: V itself
	Var                // a variable: V is its address
	Type               // a type T: V is (*T)(nil)
	Int                // an untyped integer or rune constant: V is a literal
	Float              // an untyped float constant: V is an integer or hexadecimal float literal, or a fraction "a/b", and exact
	String             // an untyped string constant: V is the string
)

// Sym is one exported name of a package.
type Sym struct {
	Name string
	Kind Kind
	V    any
}

// Wrap makes compiled values that implement an interface by calling the methods of a cell's value.
type Wrap struct {
	Name string // the interface, without its package
	New  func(Dynamic) any
}

// Package is everything a cell can see of one compiled package.
type Package struct {
	Path, Name string
	Syms       []Sym
	Wraps      []Wrap
}

// Reflect returns the symbol in the form yaegi's Use expects: untyped constants as constant.Value, variables addressable,
// types as nil pointers to them.
func (s Sym) Reflect() reflect.Value {
	switch s.Kind {
	case Var:
		return reflect.ValueOf(s.V).Elem()
	case Int:
		return reflect.ValueOf(constant.MakeFromLiteral(s.V.(string), token.INT, 0))
	case Float:
		lit := s.V.(string)
		if num, den, ok := strings.Cut(lit, "/"); ok {
			return reflect.ValueOf(constant.BinaryOp(
				constant.ToFloat(constant.MakeFromLiteral(num, token.INT, 0)), token.QUO,
				constant.ToFloat(constant.MakeFromLiteral(den, token.INT, 0))))
		}
		return reflect.ValueOf(constant.MakeFromLiteral(lit, token.FLOAT, 0))
	case String:
		return reflect.ValueOf(constant.MakeString(s.V.(string)))
	}
	return reflect.ValueOf(s.V)
}

// Exports returns the package's symbols by name.
func (p *Package) Exports() map[string]reflect.Value {
	m := make(map[string]reflect.Value, len(p.Syms))
	for _, s := range p.Syms {
		m[s.Name] = s.Reflect()
	}
	return m
}
