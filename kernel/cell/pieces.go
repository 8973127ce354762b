package cell

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// Piece is a declaration or statement of a cell's top level.
type Piece struct {
	From, To int                 // its bytes in the cell
	Kind     string              // "import", "type", "const", "func", "var" or "" for a statement
	Names    []string            // what it declares: methods as T.m, imports by path
	Runs     string              // for a var, what its initial value does beyond computing: "" if nothing, else such as "it calls f"
	Reads    []string            // for a var, what its initial value is computed from
	Changes  []string            // the variables that a statement, or the initial value of a var, may change; "*" for any
	Mutates  []string            // of these, those that it may change inside, so that what shares memory with them changes too
	Aliases  map[string][]string // variables that may share memory afterwards: the name given a value, and those it was made from
	Mentions []string            // for a statement or var, all names in it: those of fields and methods too
}

// Pieces takes a cell apart, which must be one that has compiled.
func Pieces(text string) []Piece { return PiecesPure(text, nil) }

// PiecesPure is Pieces where calls of functions and methods in the packages named in pure change nothing that they are given.
func PiecesPure(text string, pure map[string]bool) []Piece {
	var out []Piece
	for _, c := range chunks(text) {
		p := Piece{From: c.from, To: c.to}
		if c.decl {
			declaredIn(&p, text[c.from:c.to])
		} else {
			statement(&p, text[c.from:c.to], pure)
		}
		out = append(out, p)
	}
	return out
}

func declaredIn(p *Piece, text string) {
	f, _ := parser.ParseFile(token.NewFileSet(), "", declPrefix+text, parser.SkipObjectResolution)
	if f == nil || len(f.Decls) == 0 {
		return
	}
	switch d := f.Decls[0].(type) {
	case *ast.FuncDecl:
		p.Kind, p.Names = "func", []string{declKey(d)}
	case *ast.GenDecl:
		p.Kind = d.Tok.String()
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ImportSpec:
				p.Names = append(p.Names, strings.Trim(s.Path.Value, "`\""))
			case *ast.TypeSpec:
				p.Names = append(p.Names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					p.Names = append(p.Names, n.Name)
				}
			}
		}
	}
}

func statement(p *Piece, text string, pure map[string]bool) {
	f, _ := parser.ParseFile(token.NewFileSet(), "", stmtPrefix+text+"\n}", parser.SkipObjectResolution)
	if f == nil || len(f.Decls) == 0 {
		p.Changes = []string{"*"}
		return
	}
	fd, ok := f.Decls[0].(*ast.FuncDecl)
	if !ok || fd.Body == nil || len(fd.Body.List) != 1 {
		p.Changes = []string{"*"}
		return
	}
	st := fd.Body.List[0]
	var values []ast.Expr
	switch st := st.(type) {
	case *ast.DeclStmt:
		if g, ok := st.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			p.Kind = "var"
			for _, s := range g.Specs {
				vs := s.(*ast.ValueSpec)
				for _, n := range vs.Names {
					p.Names = append(p.Names, n.Name)
				}
				values = append(values, vs.Values...)
			}
		}
	case *ast.AssignStmt:
		if st.Tok == token.DEFINE {
			p.Kind = "var"
			for _, l := range st.Lhs {
				if id, ok := l.(*ast.Ident); ok {
					p.Names = append(p.Names, id.Name)
				}
			}
			values = st.Rhs
		}
	}
	effects(p, st, pure)
	if p.Kind == "" {
		return
	}
	for _, v := range values {
		if p.Runs == "" {
			p.Runs = runs(v)
		}
		p.Reads = append(p.Reads, read(v)...)
	}
}

// computing are packages whose functions only compute a value from their arguments.
var computing = map[string]bool{"math": true, "strings": true, "strconv": true, "errors": true, "regexp": true, "big": true, "unicode": true, "utf8": true, "bytes": true, "cmplx": true, "bits": true}

// computingFuncs are such functions of other packages.
var computingFuncs = map[string]bool{"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true, "fmt.Errorf": true, "time.Duration": true, "time.Date": true, "time.Unix": true}

var computingBuiltins = map[string]bool{"make": true, "new": true, "len": true, "cap": true, "append": true, "min": true, "max": true, "complex": true, "real": true, "imag": true}

// runs says what evaluating e does beyond computing a value from values. A call of a name that is no function of a package known to
// compute only, and no conversion to a type that is seen to be one, counts.
func runs(e ast.Expr) (why string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if why != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // it is not called
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				why = "it receives from a channel"
			}
		case *ast.CallExpr:
			fun := ast.Unparen(n.Fun)
			if ix, ok := fun.(*ast.IndexExpr); ok {
				fun = ix.X
			}
			switch fun := fun.(type) {
			case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StarExpr:
				return true
			case *ast.Ident:
				if computingBuiltins[fun.Name] || basicNames[fun.Name] {
					return true
				}
			case *ast.SelectorExpr:
				if id, ok := fun.X.(*ast.Ident); ok && (computing[id.Name] || computingFuncs[id.Name+"."+fun.Sel.Name]) {
					return true
				}
			}
			why = "it calls " + shortExpr(n.Fun)
		}
		return true
	})
	return why
}

var basicNames = map[string]bool{"bool": true, "string": true, "byte": true, "rune": true, "error": true, "any": true, "int": true, "int8": true, "int16": true, "int32": true, "int64": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true, "float32": true, "float64": true, "complex64": true, "complex128": true}

// packageOf is the package of the type of a composite literal, "" for anything else.
func packageOf(e ast.Expr) string {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		if sel, ok := lit.Type.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				return id.Name
			}
		}
	}
	return ""
}

func shortExpr(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return shortExpr(e.X) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return shortExpr(e.X)
	case *ast.CallExpr:
		return shortExpr(e.Fun) + "(…)"
	case *ast.FuncLit:
		return "a function"
	}
	return fmt.Sprintf("a %T", e)[len("a *ast."):]
}

// read are the names in an expression, those of fields and in function literals aside.
func read(e ast.Node) (names []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit: // it is not called here
			return false
		case *ast.SelectorExpr:
			names = append(names, read(n.X)...)
			return false
		case *ast.KeyValueExpr: // a field's name, or a key; a key that is a variable is rare, and then one name too many does no harm
			names = append(names, read(n.Key)...)
			names = append(names, read(n.Value)...)
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	})
	return names
}

// effects says what a statement may change.
func effects(p *Piece, st ast.Node, pure map[string]bool) {
	p.Aliases = map[string][]string{}
	rebind := func(e ast.Expr) {
		if _, ok := ast.Unparen(e).(*ast.Ident); !ok {
			p.Mutates = append(p.Mutates, read(e)...)
		}
		p.Changes = append(p.Changes, read(e)...)
	}
	mutate := func(n ast.Node) {
		names := read(n)
		p.Changes, p.Mutates = append(p.Changes, names...), append(p.Mutates, names...)
	}
	share := func(to ast.Expr, from ...ast.Expr) {
		for _, name := range read(to) {
			for _, e := range from {
				p.Aliases[name] = append(p.Aliases[name], read(e)...)
			}
		}
	}
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			p.Mentions = append(p.Mentions, n.Name)
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				rebind(l)
				if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
					share(l, n.Rhs...)
				}
			}
		case *ast.ValueSpec:
			for _, l := range n.Names {
				share(l, n.Values...)
			}
		case *ast.IncDecStmt:
			rebind(n.X)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					rebind(e)
					share(e, n.X)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				if _, literal := ast.Unparen(n.X).(*ast.CompositeLit); !literal {
					mutate(n.X)
				}
			}
		case *ast.SendStmt:
			mutate(n.Value)
		case *ast.CallExpr:
			fun := ast.Unparen(n.Fun)
			if sel, ok := fun.(*ast.SelectorExpr); ok {
				if id, ok := sel.X.(*ast.Ident); ok && (id.Name == "fmt" && !strings.Contains(sel.Sel.Name, "can") || computing[id.Name] || pure[id.Name]) {
					return true
				}
				mutate(sel.X)
				if pure[packageOf(sel.X)] {
					return true
				}
			} else if id, ok := fun.(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap" || basicNames[id.Name]) {
				return true
			} else if !ok || !computingBuiltins[id.Name] {
				p.Changes = append(p.Changes, "*") // a function of the session may change any variable
			}
			for _, a := range n.Args {
				mutate(a)
			}
		}
		return true
	})
}
