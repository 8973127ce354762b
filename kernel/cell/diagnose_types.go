package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file holds the suggestions that look at the types in the cell.

// path returns the nodes of the file around pos, the innermost last.
func (h Hints) path(pos token.Pos) []ast.Node {
	var out []ast.Node
	if h.File == nil || !pos.IsValid() {
		return nil
	}
	ast.Inspect(h.File, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if n == ast.Node(h.File) {
			return true // a file put together of parts has no extent of its own
		}
		if pos < n.Pos() || pos >= n.End() {
			return false
		}
		out = append(out, n)
		return true
	})
	return out
}

func (h Hints) typeOf(e ast.Expr) types.Type {
	if h.Info == nil {
		return nil
	}
	if t := h.Info.TypeOf(e); t != nil && t != types.Typ[types.Invalid] {
		return t
	}
	return nil
}

// object is what the identifier at pos denotes.
func (h Hints) object(pos token.Pos) types.Object {
	p := h.path(pos)
	if len(p) == 0 || h.Info == nil {
		return nil
	}
	id, _ := p[len(p)-1].(*ast.Ident)
	if id == nil {
		return nil
	}
	return h.Info.ObjectOf(id)
}

// assigned reports whether the identifier at pos stands alone on the left of an =.
func (h Hints) assigned(pos token.Pos) bool {
	p := h.path(pos)
	if len(p) < 2 {
		return false
	}
	id, ok := p[len(p)-1].(*ast.Ident)
	as, ok2 := p[len(p)-2].(*ast.AssignStmt)
	if !ok || !ok2 || as.Tok != token.ASSIGN {
		return false
	}
	for _, l := range as.Lhs {
		if l == ast.Expr(id) {
			return true
		}
	}
	return false
}

// members lists what can be selected from the operand of the selector at pos.
func (h Hints) members(pos token.Pos) []string {
	for _, n := range h.path(pos) {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Pos() == pos {
			if t := h.typeOf(s.X); t != nil {
				return membersOf(t, h.homePackage())
			}
		}
	}
	return nil
}

// homePackage is the package of the cell.
func (h Hints) homePackage() *types.Package {
	if h.Info != nil {
		for _, o := range h.Info.Defs {
			if o != nil && o.Pkg() != nil {
				return o.Pkg()
			}
		}
	}
	return nil
}

// membersOf lists the fields and methods of t, promoted ones too, that package home may use.
func membersOf(t types.Type, home *types.Package) []string {
	var out []string
	use := func(o types.Object) {
		if o.Exported() || o.Pkg() == home && home != nil {
			out = append(out, o.Name())
		}
	}
	seen := map[types.Type]bool{}
	var fields func(t types.Type)
	fields = func(t types.Type) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if seen[t] {
			return
		}
		seen[t] = true
		if s, ok := t.Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				use(s.Field(i))
				if s.Field(i).Embedded() {
					fields(s.Field(i).Type())
				}
			}
		}
	}
	fields(t)
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	ms := types.NewMethodSet(t)
	for i := range ms.Len() {
		use(ms.At(i).Obj())
	}
	return out
}

// builtinFor are members that other languages have and what Go has instead.
var builtinFor = map[string]string{
	"len": "len(%s)", "length": "len(%s)", "Length": "len(%s)", "size": "len(%s)", "Len": "len(%s)", "append": "%[1]s = append(%[1]s, …)", "push": "%[1]s = append(%[1]s, …)", "add": "%[1]s = append(%[1]s, …)",
	"sort": "slices.Sort(%s)", "contains": "slices.Contains(%s, x)", "keys": "maps.Keys(%s)", "values": "maps.Values(%s)", "map": "for _, x := range %s", "upper": "strings.ToUpper(%s)", "lower": "strings.ToLower(%s)",
	"split": "strings.Split(%s, sep)", "join": "strings.Join(%s, sep)", "strip": "strings.TrimSpace(%s)", "trim": "strings.TrimSpace(%s)", "replace": "strings.ReplaceAll(%s, old, new)", "startswith": "strings.HasPrefix(%s, p)",
	"toString": "fmt.Sprint(%s)", "copy": "slices.Clone(%s)", "pop": "%[1]s[:len(%[1]s)-1]", "format": "fmt.Sprintf(%s, …)", "delete": "delete(%s, key)", "remove": "delete(%s, key)", "get": "%s[key]", "index": "slices.Index(%s, x)",
}

func (h Hints) member(err types.Error, m []string) string {
	if m[5] != "" {
		return didYouMean([]string{m[5]}, m[1]+".")
	}
	if n := nearest(m[2], h.members(err.Pos)); len(n) > 0 {
		return didYouMean(n, m[1]+".")
	}
	basic := strings.HasPrefix(m[3], "[") || strings.HasPrefix(m[3], "map[") || m[3] == "string" || strings.HasPrefix(m[3], "untyped string")
	if f, ok := builtinFor[m[2]]; ok && basic {
		return "in Go this is " + fmt.Sprintf(f, m[1])
	}
	return ""
}

// literalFields lists the fields of the struct literal around pos.
func (h Hints) literalFields(pos token.Pos) []string {
	p := h.path(pos)
	if len(p) == 0 && h.File != nil {
		p = h.path(pos - 1)
	}
	for i := len(p) - 1; i >= 0; i-- {
		lit, ok := p[i].(*ast.CompositeLit)
		if !ok {
			continue
		}
		t := h.typeOf(lit)
		if t == nil {
			return nil
		}
		if q, ok := t.Underlying().(*types.Pointer); ok {
			t = q.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		var out []string
		for j := range s.NumFields() {
			if f := s.Field(j); f.Exported() || f.Pkg() == h.homePackage() {
				out = append(out, f.Name())
			}
		}
		return out
	}
	return nil
}

// call is the innermost call around pos, a position one past its end included.
func (h Hints) call(pos token.Pos) *ast.CallExpr {
	for _, at := range []token.Pos{pos, pos - 1} {
		p := h.path(at)
		for i := len(p) - 1; i >= 0; i-- {
			if c, ok := p[i].(*ast.CallExpr); ok {
				return c
			}
		}
	}
	return nil
}

// qualifier writes types of the cell's own package without its name.
func (h Hints) qualifier() types.Qualifier {
	home := h.homePackage()
	return func(p *types.Package) string {
		if p == home {
			return ""
		}
		return p.Name()
	}
}

func (h Hints) arguments(err types.Error, m []string) string {
	if c := h.call(err.Pos); c != nil && types.ExprString(c.Fun) == m[2] {
		if s, ok := h.typeOf(c.Fun).(*types.Signature); ok {
			return m[2] + strings.TrimPrefix(types.TypeString(s, h.qualifier()), "func")
		}
	}
	if m[4] == "" {
		return m[2] + " takes no arguments"
	}
	return fmt.Sprintf("%s takes (%s)", m[2], m[4])
}

func (h Hints) mismatch(err types.Error, m []string) string {
	p := h.path(err.Pos)
	var results *types.Tuple
	for i := len(p) - 1; i >= 0 && results == nil; i-- {
		if as, ok := p[i].(*ast.AssignStmt); ok && len(as.Rhs) == 1 {
			if c, ok := as.Rhs[0].(*ast.CallExpr); ok {
				if s, ok := h.typeOf(c.Fun).(*types.Signature); ok {
					results = s.Results()
				}
			}
		}
	}
	if results == nil {
		return fmt.Sprintf("take all %s values, with _ for one that is not needed", m[3])
	}
	var names []string
	for i := range results.Len() {
		v := results.At(i)
		switch {
		case types.Identical(v.Type(), types.Universe.Lookup("error").Type()):
			names = append(names, "err")
		case v.Name() != "" && v.Name() != "_":
			names = append(names, v.Name())
		default:
			names = append(names, string(rune('a'+i)))
		}
	}
	return fmt.Sprintf("%s returns %s: write %s := …, with _ for a value that is not needed", m[2], types.TypeString(results, h.qualifier()), strings.Join(names, ", "))
}

// isNumber reports whether the type named s is a number, integer whether it is an integer.
func isNumber(s string) (number, integer bool) {
	t, ok := types.Universe.Lookup(s).(*types.TypeName)
	if !ok {
		return false, false
	}
	b, ok := t.Type().Underlying().(*types.Basic)
	if !ok {
		return false, false
	}
	return b.Info()&types.IsNumeric != 0, b.Info()&types.IsInteger != 0
}

// zeroOf is the zero value of the basic type named s.
func zeroOf(s string) string {
	if n, _ := isNumber(s); n {
		return "0"
	}
	switch {
	case s == "string":
		return `""`
	case s == "bool":
		return "false"
	case strings.HasPrefix(s, "*"):
		return "nil"
	}
	return ""
}

// convert proposes a conversion for "cannot use m[1] (m[2]) as m[3] value in m[4]".
func (h Hints) convert(err types.Error, m []string) string {
	x, what, want := m[1], m[2], m[3]
	have := what
	if i := strings.LastIndex(what, "of type "); i >= 0 {
		have = what[i+len("of type "):]
	} else if i := strings.LastIndex(what, "of struct type "); i >= 0 {
		have = what[i+len("of struct type "):]
	} else if strings.HasPrefix(what, "untyped ") {
		return untyped(x, what, want)
	}
	if strings.ContainsAny(x, " +-*/%<>=&|") && !strings.ContainsAny(x, "()") {
		x = "(" + x + ")"
	}
	num, _ := isNumber(have)
	wantNum, wantInt := isNumber(want)
	switch {
	case num && wantNum:
		s := fmt.Sprintf("convert it: %s(%s)", want, strings.TrimSuffix(strings.TrimPrefix(x, "("), ")"))
		if strings.HasPrefix(x, "(") {
			s = fmt.Sprintf("convert it: %s%s", want, x)
		}
		if wantInt && strings.HasPrefix(have, "float") {
			s += ", which drops the fraction"
		}
		return s
	case have == "int" && want == "string":
		return fmt.Sprintf("to write the number as text: strconv.Itoa(%s)", x)
	case num && want == "string":
		return fmt.Sprintf("to write the number as text: fmt.Sprint(%s)", x)
	case have == "string" && want == "int":
		return fmt.Sprintf("to read a number: n, err := strconv.Atoi(%s)", x)
	case have == "string" && want == "float64":
		return fmt.Sprintf("to read a number: f, err := strconv.ParseFloat(%s, 64)", x)
	case have == "string" && want == "[]byte" || have == "[]byte" && want == "string" || have == "rune" && want == "string" || have == "byte" && want == "string":
		return fmt.Sprintf("convert it: %s(%s)", want, x)
	case strings.Contains(what, "constant") && have == "string" && want == "error":
		return fmt.Sprintf("make an error: errors.New(%s)", x)
	case have == "string" && want == "error":
		return fmt.Sprintf("make an error: errors.New(%s)", x)
	case want == "*"+have:
		return fmt.Sprintf("take its address: &%s", x)
	case have == "*"+want:
		return fmt.Sprintf("take the value it points at: *%s", x)
	case want == "[]"+have:
		return fmt.Sprintf("make a slice of it: %s{%s}", want, x)
	case have == "[]"+want && strings.HasPrefix(m[4], "argument to"):
		return fmt.Sprintf("if the function takes any number of values, spread the slice: %s...", x)
	}
	return ""
}

// untyped proposes what to write instead of the constant x.
func untyped(x, what, want string) string {
	num, _ := isNumber(want)
	switch {
	case strings.HasPrefix(what, "untyped string") && num:
		return ""
	case strings.HasPrefix(what, "untyped string") && want == "error":
		return fmt.Sprintf("make an error: errors.New(%s)", x)
	case strings.HasPrefix(what, "untyped int") && want == "string":
		return fmt.Sprintf("write it as text: \"%s\"", x)
	case strings.HasPrefix(what, "untyped string") && (want == "byte" || want == "rune") && len(x) == 3:
		return fmt.Sprintf("a single character stands in single quotes: '%s'", x[1:2])
	case strings.HasPrefix(what, "untyped rune") && want == "string":
		return fmt.Sprintf("a string stands in double quotes: \"%s\"", strings.Trim(x, "'"))
	case strings.HasPrefix(what, "untyped int") && want == "bool":
		return map[string]string{"0": "write false", "1": "write true"}[x]
	}
	return ""
}

// mismatched proposes a conversion for "m[1] m[2] m[3] (mismatched types m[4] and m[5])".
func (h Hints) mismatched(err types.Error, m []string) string {
	x, op, y, a, b := m[1], m[2], m[3], m[4], m[5]
	an, ai := isNumber(a)
	bn, bi := isNumber(b)
	switch {
	case an && bn && ai && !bi:
		return fmt.Sprintf("convert one side: %s(%s) %s %s", b, x, op, y)
	case an && bn:
		return fmt.Sprintf("convert one side: %s %s %s(%s)", x, op, a, y)
	case op == "*" && strings.HasSuffix(a, "string") && (bi || b == "untyped int"):
		return fmt.Sprintf("text repeated: strings.Repeat(%s, %s)", x, y)
	case op == "+" && (a == "string" || a == "untyped string"):
		return fmt.Sprintf("to join text and a number: %s + fmt.Sprint(%s)", x, y)
	case op == "+" && (b == "string" || b == "untyped string"):
		return fmt.Sprintf("to join a number and text: fmt.Sprint(%s) + %s", x, y)
	case (a == "byte" || a == "rune") && b == "untyped string" && len(y) == 3:
		return fmt.Sprintf("a single character stands in single quotes: '%s'", y[1:2])
	case b == "untyped nil" && zeroOf(a) != "" && zeroOf(a) != "nil":
		return fmt.Sprintf("a %s is never nil: compare with %s", a, zeroOf(a))
	}
	return ""
}

// truncated proposes a conversion where an integer meets a constant that is none.
func (h Hints) truncated(err types.Error, m []string) string {
	for _, n := range h.path(err.Pos) {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			continue
		}
		x, y := types.ExprString(b.X), types.ExprString(b.Y)
		if y == m[1] {
			return fmt.Sprintf("convert the %s: float64(%s) %s %s", m[2], x, b.Op, y)
		}
		if x == m[1] {
			return fmt.Sprintf("convert the %s: %s %s float64(%s)", m[2], x, b.Op, y)
		}
	}
	return fmt.Sprintf("round it to an %s first, or use a float64", m[2])
}
