package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// Suggest proposes how to mend a compile error, in one line without a final full stop, or returns "" when nothing is
// obvious. scopeNames are the names in scope at the error, autoImport maps the names of packages that a cell could use
// to their paths. It is Hints.For with only that knowledge.
func Suggest(err types.Error, scopeNames []string, autoImport map[string]string) string {
	return Hints{Names: scopeNames, Packages: autoImport}.For(err)
}

// Hints is what is known about a cell that does not compile. Every field may be empty: the less is known, the fewer
// suggestions there are.
type Hints struct {
	Names    []string                   // in scope at the error
	Packages map[string]string          // name -> path of packages that can be used or imported
	Imported map[string]bool            // names of packages usable without an import declaration; nil means all
	Exported func(path string) []string // the exported names of a package
	File     *ast.File                  // the cell as checked
	Info     *types.Info                // what the checker found out about it
}

// rule is a pattern of messages of go/types and what to propose.
type rule struct {
	pattern *regexp.Regexp
	propose func(h Hints, err types.Error, m []string) string
}

var rules []rule

func when(pattern string, f func(h Hints, err types.Error, m []string) string) {
	rules = append(rules, rule{regexp.MustCompile(`^(?s:` + pattern + `)$`), f})
}

func always(s string) func(Hints, types.Error, []string) string {
	return func(Hints, types.Error, []string) string { return s }
}

// For proposes how to mend err.
func (h Hints) For(err types.Error) string {
	for _, r := range rules {
		if m := r.pattern.FindStringSubmatch(err.Msg); m != nil {
			if s := r.propose(h, err, m); s != "" {
				return s
			}
		}
	}
	return ""
}

func init() {
	when(`undefined: (\w+)\.(\w+)(?: \(but have (\w+)\))?`, func(h Hints, _ types.Error, m []string) string {
		if m[3] != "" {
			return fmt.Sprintf("%s.%s is not exported; did you mean %s.%s?", m[1], m[2], m[1], m[3])
		}
		return didYouMean(nearest(m[2], h.exported(m[1])), m[1]+".")
	})
	when(`undefined: (\w+)`, func(h Hints, err types.Error, m []string) string { return h.undefined(err, m[1]) })
	when(`(?:name )?(\w+) not exported by package (\w+)`, func(h Hints, _ types.Error, m []string) string {
		return didYouMean(nearest(m[1], h.exported(m[2])), m[2]+".")
	})
	when(`(.+)\.(\w+) undefined \(type (.+) has no field or method (\w+)(?:, but does have (?:field|method) (\w+))?\)`, Hints.member)
	when(`(.+)\.(\w+) undefined \(cannot refer to unexported (field|method) (\w+)\)`, func(h Hints, err types.Error, m []string) string {
		s := fmt.Sprintf("%s is unexported: only the package that declares it can use it", m[2])
		if n := nearest(m[2], h.members(err.Pos)); len(n) > 0 {
			s += "; " + didYouMean(n, m[1]+".")
		}
		return s
	})
	when(`unknown field (\w+) in struct literal of type (.+?)(?:, but does have (\w+))?`, func(h Hints, err types.Error, m []string) string {
		if m[3] != "" {
			return didYouMean([]string{m[3]}, "")
		}
		return didYouMean(nearest(m[1], h.literalFields(err.Pos)), "")
	})
	when(`no new variables on left side of :=`, always("the variables exist already: assign to them with ="))
	when(`assignment mismatch: (\d+) variables? but (.+) returns? (\d+) values?`, Hints.mismatch)
	when(`multiple-value (.+?)(?:\(.*\))? \(value of type (\(.+\))\) in single-value context`, func(_ Hints, _ types.Error, m []string) string {
		names := "a, b"
		if n := strings.Count(m[2], ", ") + 1; strings.HasSuffix(m[2], "error)") {
			names = strings.Join([]string{"a", "b", "c", "d"}[:min(n-1, 4)], ", ") + ", err"
		}
		return fmt.Sprintf("%s returns %s: write %s := … first", m[1], m[2], names)
	})
	when(`(not enough|too many) arguments in call to (.+?)\n\thave \((.*)\)\n\twant \((.*)\)`, Hints.arguments)
	when(`(not enough|too many) return values\n\thave \((.*)\)\n\twant \((.*)\)`, func(h Hints, err types.Error, m []string) string {
		if m[3] == "" && h.topLevel(err.Pos) {
			return "a cell returns nothing: the value of its last expression is shown"
		}
		if m[3] == "" {
			return "the function has no results: declare them after its parameters, as in func f() int"
		}
		return fmt.Sprintf("the function returns (%s)", m[3])
	})
	when(`in call to (.+), cannot infer (\w+).*`, func(_ Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("name the type: %s[T](…), with T the type for %s", m[1], m[2])
	})
	when(`cannot use (.+) \((.*)\) as (.+?) value in (.+?): .* \(method (\w+) has pointer receiver\)`, func(h Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("%s has a pointer receiver: use &%s", m[5], m[1])
	})
	when(`cannot use (.+) \((.*)\) as (.+?) value in (.+?)(?: \(.*\))?(?::.*)?`, Hints.convert)
	when(`invalid operation: (.+) (\S+) (.+) \(mismatched types (.+) and (.+)\)`, Hints.mismatched)
	when(`non-boolean condition in (\w+) statement`, always("a condition must be a bool: compare, as in x != 0, s != \"\" or p != nil"))
	when(`invalid operation: operator ! not defined on (.+) \(.*of type (.+)\)`, func(_ Hints, _ types.Error, m []string) string {
		switch zero := zeroOf(m[2]); {
		case zero != "":
			return fmt.Sprintf("! takes a bool: write %s == %s", m[1], zero)
		}
		return ""
	})
	when(`invalid operation: operator % not defined on .*float.*`, always("% is for integers: use math.Mod(x, y)"))
	when(`cannot assign to struct field (.+)\[(.+)\]\.(\w+) in map`, func(_ Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("copy it, change the copy, store it back: v := %s[%s]; v.%s = …; %s[%s] = v", m[1], m[2], m[3], m[1], m[2])
	})
	when(`(append\((\w+)[,)].*) \(value of type .*\) is not used`, func(_ Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("append returns the new slice: %s = %s", m[2], m[1])
	})
	when(`(\w+) == (.+) \(untyped bool value\) is not used`, func(_ Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("== compares; to assign write %s = %s", m[1], m[2])
	})
	when(`(.+) \(no value\) used as value`, func(_ Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("%s returns nothing: call it on a line of its own", m[1])
	})
	when(`invalid operation: (.+) == .+ \(slice can only be compared to nil\)`, always("compare slices with slices.Equal"))
	when(`invalid operation: (.+) == .+ \(map can only be compared to nil\)`, always("compare maps with maps.Equal"))
	when(`invalid operation: cannot indirect (.+) \(.*\)`, func(h Hints, err types.Error, _ []string) string {
		for _, n := range h.path(err.Pos) {
			if b, ok := n.(*ast.BinaryExpr); ok && b.Op == token.MUL {
				return fmt.Sprintf("Go has no ** operator: math.Pow(%s, …)", types.ExprString(b.X))
			}
		}
		return ""
	})
	when(`(.+) \(untyped float constant.*\) truncated to (int\w*)`, Hints.truncated)
	when(`invalid argument: index -(\d+) \(constant of type int\) must not be negative`, func(h Hints, err types.Error, m []string) string {
		for _, n := range h.path(err.Pos) {
			if x, ok := n.(*ast.IndexExpr); ok {
				s := types.ExprString(x.X)
				return fmt.Sprintf("counted from the end: %s[len(%s)-%s]", s, s, m[1])
			}
		}
		return ""
	})
	when(`invalid operation: operator \^ not defined on (.+) \(.*float.*`, func(_ Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("^ is the exclusive or of integers; a power is math.Pow(%s, …)", m[1])
	})
	when(`missing return`, always("every path through the function must end in return (or panic)"))
	when(`cannot use nil as (\w+) value in .*`, func(_ Hints, _ types.Error, m []string) string {
		if z := zeroOf(m[1]); z != "" {
			return fmt.Sprintf("nil is for pointers, slices, maps, channels, functions and interfaces; an empty %s is %s", m[1], z)
		}
		return ""
	})
	when(`cannot assign to (\w+) \(neither addressable nor a map index expression\)`, func(h Hints, err types.Error, m []string) string {
		if _, ok := h.object(err.Pos).(*types.Const); ok {
			return fmt.Sprintf("%s is a constant: declare it with var to change it", m[1])
		}
		return ""
	})
	when(`cannot assign to (\w+)\[(.+)\] \(neither addressable nor a map index expression\)`, func(_ Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("a string cannot be changed: work on b := []byte(%s) and take string(b)", m[1])
	})
	when(`too (?:few|many) values in struct literal of type (.+)`, func(h Hints, err types.Error, m []string) string {
		if fs := h.literalFields(err.Pos); len(fs) > 0 {
			return fmt.Sprintf("name the fields: %s{%s: …}", m[1], strings.Join(fs, ": …, "))
		}
		return "name the fields, as in T{X: 1}"
	})
	when(`(\w+) redeclared in this block.*`, func(_ Hints, _ types.Error, m []string) string {
		return fmt.Sprintf("%s exists already in this block: assign to it with =", m[1])
	})
}

// foreign are names that other languages have where Go has another.
var foreign = map[string]string{
	"null": "nil", "None": "nil", "NULL": "nil", "nullptr": "nil", "undefined": "nil", "True": "true", "False": "false", "TRUE": "true", "FALSE": "false",
	"boolean": "bool", "Boolean": "bool", "double": "float64", "float": "float64", "long": "int64", "short": "int16", "char": "rune", "str": "string",
	"String": "string", "Integer": "int", "integer": "int", "object": "any", "Object": "any", "list": "a slice, []T", "dict": "a map, map[K]V", "self": "the method's receiver",
	"this": "the method's receiver", "printf": "fmt.Printf", "puts": "fmt.Println", "echo": "fmt.Println", "sprintf": "fmt.Sprintf", "pow": "math.Pow", "abs": "math.Abs",
	"sqrt": "math.Sqrt", "exp": "math.Exp", "log": "math.Log", "floor": "math.Floor", "sorted": "slices.Sort", "sort": "slices.Sort", "pi": "math.Pi", "inf": "math.Inf(1)", "nan": "math.NaN()",
	"size": "len", "length": "len", "lambda": "func(x T) R { … }", "def": "func", "function": "func", "let": "var, or :=", "typeof": "fmt.Printf(\"%T\", x)",
	"enumerate": "for i, x := range xs", "input": "fmt.Scan", "assert": "if !ok { panic(…) }", "isinstance": "_, ok := x.(T)", "throw": "panic, or return an error",
	"raise": "panic, or return an error", "elif": "else if", "while": "for", "pass": "{}", "not": "!", "and": "&&", "or": "||",
}

func (h Hints) undefined(err types.Error, name string) string {
	if path, ok := h.Packages[name]; ok {
		if h.Imported != nil && !h.Imported[name] {
			return fmt.Sprintf("import %q", path)
		}
	}
	if f, ok := foreign[name]; ok {
		return "in Go this is " + f
	}
	var out []string
	if q := h.qualified(name); len(q) > 0 {
		out = append(out, didYouMean(q, ""))
	} else if n := nearest(name, append(h.packageNames(), h.Names...)); len(n) > 0 {
		out = append(out, didYouMean(n, ""))
	}
	if h.assigned(err.Pos) {
		out = append(out, "to declare it write "+name+" := …")
	}
	if len(out) == 0 {
		if n := nearest(name, predeclared); len(n) > 0 {
			out = append(out, didYouMean(n, ""))
		}
	}
	return strings.Join(out, "; ")
}

var predeclared = func() []string {
	out := types.Universe.Names()
	for t := token.BREAK; t <= token.VAR; t++ {
		out = append(out, t.String())
	}
	return out
}()

func (h Hints) packageNames() []string {
	var out []string
	for n := range h.Packages {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// qualified finds packages that export name: an undefined Println is fmt.Println.
func (h Hints) qualified(name string) []string {
	if h.Exported == nil || !token.IsExported(name) {
		return nil
	}
	var out []string
	for _, p := range h.packageNames() {
		if slices.Contains(h.exported(p), name) {
			out = append(out, p+"."+name)
		}
	}
	// The packages people mean first when several export the name.
	if len(out) > 2 {
		var usual []string
		for _, q := range out {
			if strings.HasPrefix(q, "fmt.") || strings.HasPrefix(q, "math.") || strings.HasPrefix(q, "strings.") || strings.HasPrefix(q, "dp.") {
				usual = append(usual, q)
			}
		}
		if len(usual) > 0 {
			out = usual
		}
	}
	return out[:min(len(out), 2)]
}

func (h Hints) exported(pkg string) []string {
	path, ok := h.Packages[pkg]
	if !ok || h.Exported == nil {
		return nil
	}
	return h.Exported(path)
}

// didYouMean words a question about the names, each after prefix.
func didYouMean(names []string, prefix string) string {
	if len(names) == 0 {
		return ""
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = prefix + n
	}
	return "did you mean " + strings.Join(out, " or ") + "?"
}

// nearest returns the one or two names closest to name, none when they differ too much: a name of up to two letters
// may differ in case only, one of up to five in one edit, one of up to nine in two, a longer one in three. An edit
// inserts, removes or replaces a letter, or swaps two neighbours.
func nearest(name string, among []string) []string {
	limit := 0
	switch n := len(name); {
	case n > 9:
		limit = 3
	case n > 5:
		limit = 2
	case n > 2:
		limit = 1
	}
	best := limit*2 + 2
	var out []string
	for _, c := range among {
		if c == name || c == "_" || c == "" || strings.ContainsAny(c, "·") || strings.HasSuffix(c, "_") {
			continue
		}
		var d int // in half edits: a difference in case counts half
		if strings.EqualFold(c, name) {
			d = 1
		} else if d = 2 * edits(strings.ToLower(name), strings.ToLower(c)); d > 2*limit {
			continue
		}
		if d < best {
			best, out = d, nil
		}
		if d == best && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	sort.Strings(out)
	return out[:min(len(out), 2)]
}

// edits is the optimal string alignment distance.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	prev, cur := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, make([]int, len(y)+1)
	}
	return prev[len(y)]
}

// hints gathers what the compiler knows for suggestions about a cell.
func (c *Compiler) hints(file *ast.File, info *types.Info, imports map[string]string) Hints {
	h := Hints{Packages: map[string]string{}, Imported: map[string]bool{}, File: file, Info: info}
	tables := make([]string, 0, len(c.cfg.Symbols))
	for k := range c.cfg.Symbols {
		tables = append(tables, k)
	}
	sort.Strings(tables)
	for _, k := range tables {
		i := strings.LastIndexByte(k, '/')
		if i < 0 {
			continue
		}
		if path, name := k[:i], k[i+1:]; h.Packages[name] == "" {
			h.Packages[name] = path
		}
	}
	for _, known := range []map[string]string{c.cfg.AutoImport, imports} {
		for name, path := range known {
			h.Packages[name], h.Imported[name] = path, true
		}
	}
	h.Exported = func(path string) []string {
		base := path[strings.LastIndexByte(path, '/')+1:]
		table, ok := c.cfg.Symbols[path+"/"+base]
		for name, p := range h.Packages { // a package whose name is not the end of its path
			if ok {
				break
			}
			if p == path {
				table, ok = c.cfg.Symbols[path+"/"+name]
			}
		}
		var out []string
		for n := range table {
			if !strings.HasPrefix(n, "_") {
				out = append(out, n)
			}
		}
		sort.Strings(out)
		return out
	}
	return h
}

// namesAt lists the names in scope inside the nodes of path.
func namesAt(path []ast.Node, info *types.Info, pkg *types.Package) []string {
	var out []string
	add := func(s *types.Scope) {
		if s != nil {
			out = append(out, s.Names()...)
		}
	}
	add(pkg.Scope())
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(info.Scopes[n.Type])
		case *ast.FuncLit:
			add(info.Scopes[n.Type])
		}
		add(info.Scopes[n])
	}
	return out
}

// lineOf is line number n of the text, from 1.
func lineOf(text string, n int) string {
	lines := strings.Split(text, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// topLevel reports whether pos is in the cell itself and not in a function of it.
func (h Hints) topLevel(pos token.Pos) bool {
	top := false
	for _, n := range h.path(pos) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.FuncDecl:
			top = strings.HasPrefix(n.Name.Name, "cell·")
		}
	}
	return top
}
