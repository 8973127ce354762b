package session

import (
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// Completion lists what may stand for code[Start:End].
type Completion struct {
	Matches    []Match
	Start, End int // bytes
}

// Match is one completion: its text, its kind as JupyterLab's icons are named, and for functions the signature.
type Match struct{ Text, Type, Signature string }

const maxMatches = 500

// Complete lists what may be typed at the cursor (a byte offset). It may be called while a cell runs; it then knows
// what was declared before that cell.
func (s *Session) Complete(code string, cursor int) Completion {
	if mayHaveDirectives(code) {
		cursor = min(max(cursor, 0), len(code))
		if c, ok := s.completeDirective(code, cursor); ok {
			return c
		}
		code, _ = s.withoutDirectives(code)
	}
	p := s.scope.Load().At(code, cursor, &s.importer, true)
	c := Completion{Start: p.Start, End: p.End}
	prefix := code[p.Start:p.End]
	var loose []Match
	seen := map[string]bool{}
	add := func(text, kind, signature string) {
		if seen[text] || text == "_" {
			return
		}
		seen[text] = true
		switch {
		case strings.HasPrefix(text, prefix):
			c.Matches = append(c.Matches, Match{text, kind, signature})
		case len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix):
			loose = append(loose, Match{text, kind, signature})
		}
	}
	switch {
	case p.Import:
		for _, path := range p.Packages {
			add(path, "module", "")
		}
		sortMatches(c.Matches)
	case p.Dot:
		for _, o := range p.Members {
			add(o.Name(), kindOf(o), signature(o))
		}
	case p.Start < p.End || strings.TrimSpace(code) != "":
		for _, o := range p.Names {
			add(o.Name(), kindOf(o), signature(o))
		}
		sortMatches(c.Matches)
		first := len(c.Matches)
		for name := range p.Packages {
			add(name, "module", "")
		}
		sortMatches(c.Matches[first:])
		if p.Start < p.End {
			for t := token.BREAK; t <= token.VAR; t++ {
				if t.IsKeyword() {
					add(t.String(), "keyword", "")
				}
			}
		}
	}
	if len(c.Matches) == 0 { // a name in another case is better than none
		sortMatches(loose)
		c.Matches = loose
	}
	c.Matches = c.Matches[:min(len(c.Matches), maxMatches)]
	return c
}

// sortMatches puts what users declared, and what is exported, as it would be looked for: by name without regard to case.
func sortMatches(m []Match) {
	sort.SliceStable(m, func(i, j int) bool {
		a, b := strings.ToLower(m[i].Text), strings.ToLower(m[j].Text)
		if a != b {
			return a < b
		}
		return m[i].Text < m[j].Text
	})
}

func kindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func, *types.Builtin:
		return "function"
	case *types.TypeName:
		return "class"
	case *types.Const:
		return "constant"
	case *types.PkgName:
		return "module"
	case *types.Var:
		if o.IsField() {
			return "property"
		}
		return "instance"
	case *types.Nil:
		return "keyword"
	}
	return ""
}

// signature is a function's parameters and results, or a value's type.
func signature(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		return strings.TrimPrefix(types.TypeString(o.Type(), qualifier), "func")
	case *types.Var, *types.Const:
		if o.Type() != nil && o.Type() != types.Typ[types.Invalid] {
			return types.TypeString(o.Type(), qualifier)
		}
	}
	return ""
}

// qualifier names packages as a cell does.
func qualifier(p *types.Package) string {
	if p == nil || p.Path() == "main" {
		return ""
	}
	return p.Name()
}

// packageImporter is importPackage as go/types wants it.
type packageImporter struct{ s *Session }

func (i *packageImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return i.s.importPackage(path)
}

// publish makes the live declarations known to completion and inspection.
func (s *Session) publish() {
	s.scope.Store(s.comp.Scope())
	s.publishDebug()
}
