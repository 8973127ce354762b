package differential

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/gcexportdata"

	"example.org/godp/stdlib"
)

// cellSuites are sequences of cells: testdata/cells/*.txt holds cases that begin with a line "=== name" and whose cells are
// separated by lines "---". Go's opinion of a case is that of the program that means the same: see translate.
func cellSuites(t *testing.T) (ps []*program) {
	files, _ := filepath.Glob("testdata/cells/*.txt")
	untold := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		suite := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, c := range strings.Split("\n"+string(b), "\n=== ")[1:] {
			name, body, _ := strings.Cut(c, "\n")
			cells := strings.Split(strings.TrimRight(body, "\n"), "\n---\n")
			src, err := translate(cells)
			if err != nil {
				untold++
				if *show > 0 {
					t.Logf("no Go program means the same as %s/%s: %v", suite, name, err)
				}
				continue
			}
			ps = append(ps, &program{name: "cells/" + suite + "/" + strings.ReplaceAll(name, " ", "_"), source: src, cells: cells})
		}
	}
	if untold > 0 {
		t.Logf("%d cases (redefinitions, errors) mean nothing to Go and are not compared", untold)
	}
	return ps
}

// translate writes the Go program that does what the cells do: declarations stay, variables of the cells become variables of the
// package, everything else happens in main in the order of the cells, and the value of a cell's last expression is printed
// as the kernel shows it.
func translate(cells []string) (string, error) {
	tr := &translation{fset: token.NewFileSet(), imports: map[string]string{}, vars: map[string]bool{}}
	for _, c := range cells {
		if err := tr.cell(c); err != nil {
			return "", err
		}
	}
	// The first version declares each variable with its initial value, so that go/types finds its type; the second one
	// assigns in order.
	types, err := tr.check()
	if err != nil {
		return "", err
	}
	return tr.program(types)
}

// step is a statement of a cell.
type step struct {
	text  string   // as it stands in main
	vars  []string // variables that it declares, or declares again
	again []bool   // which of them are declared again: that is an assignment, if the type is the same
	typ   string   // their declared type, if any
	init  string   // what they are initialised with
	shown bool     // the last expression of a cell
}

type translation struct {
	fset    *token.FileSet
	imports map[string]string // path -> name or ""
	decls   []string
	steps   []step
	vars    map[string]bool
}

// chunks splits a cell at the newlines and semicolons outside all brackets.
func chunks(cell string) (out []string) {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(cell))
	s.Init(file, []byte(cell), func(token.Position, string) {}, 0)
	depth, start := 0, 0
	header := false // between for, if or switch and its block, semicolons separate nothing
	for {
		pos, tok, _ := s.Scan()
		at := file.Offset(pos)
		switch tok {
		case token.FOR, token.IF, token.SWITCH:
			header = header || depth == 0
		case token.LBRACE:
			header = header && depth > 0
			depth++
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.SEMICOLON, token.EOF:
			if depth <= 0 && !header || tok == token.EOF {
				if c := strings.TrimSpace(cell[start:at]); c != "" {
					out = append(out, c)
				}
				start = min(at+1, len(cell))
			}
		}
		if tok == token.EOF {
			return out
		}
	}
}

func (tr *translation) text(n any) string {
	var b bytes.Buffer
	printer.Fprint(&b, tr.fset, n)
	return b.String()
}

func (tr *translation) cell(cell string) error {
	all := chunks(cell)
	for i, c := range all {
		f, err := parser.ParseFile(tr.fset, "", "package p\n"+c, 0)
		if err == nil {
			for _, d := range f.Decls {
				if err := tr.decl(d); err != nil {
					return err
				}
			}
			continue
		}
		f, err = parser.ParseFile(tr.fset, "", "package p\nfunc _() {\n"+c+"\n}", 0)
		if err != nil {
			return err
		}
		for _, s := range f.Decls[0].(*ast.FuncDecl).Body.List {
			if err := tr.stmt(s, i == len(all)-1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (tr *translation) decl(d ast.Decl) error {
	g, ok := d.(*ast.GenDecl)
	if ok && g.Tok == token.IMPORT {
		for _, s := range g.Specs {
			s := s.(*ast.ImportSpec)
			name := ""
			if s.Name != nil {
				name = s.Name.Name
			}
			tr.imports[strings.Trim(s.Path.Value, "\"`")] = name
		}
		return nil
	}
	if ok && g.Tok == token.VAR {
		for _, s := range g.Specs {
			s := s.(*ast.ValueSpec)
			st := step{}
			for _, n := range s.Names {
				st.vars = append(st.vars, n.Name)
			}
			if s.Type != nil {
				st.typ = tr.text(s.Type)
			}
			st.init = tr.exprs(s.Values)
			tr.declare(st)
		}
		return nil
	}
	if f, ok := d.(*ast.FuncDecl); ok && (f.Name.Name == "main" || f.Name.Name == "init") && f.Recv == nil {
		return errors.New("func " + f.Name.Name)
	}
	tr.decls = append(tr.decls, tr.text(d))
	return nil
}

func (tr *translation) exprs(es []ast.Expr) string {
	var out []string
	for _, e := range es {
		out = append(out, tr.text(e))
	}
	return strings.Join(out, ", ")
}

func (tr *translation) declare(st step) {
	for _, v := range st.vars {
		st.again = append(st.again, tr.vars[v])
		tr.vars[v] = v != "_"
	}
	tr.steps = append(tr.steps, st)
}

func (tr *translation) stmt(s ast.Stmt, last bool) error {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			st := step{init: tr.exprs(s.Rhs)}
			for _, l := range s.Lhs {
				st.vars = append(st.vars, tr.text(l))
			}
			tr.declare(st)
			return nil
		}
	case *ast.DeclStmt:
		return tr.decl(s.Decl)
	case *ast.ExprStmt:
		if last && !strings.Contains(tr.text(s), "runtime.Goexit") {
			tr.steps = append(tr.steps, step{text: tr.text(s.X), shown: true})
			return nil
		}
	}
	if strings.Contains(tr.text(s), "defer ") {
		return errors.New("defer at the end of a cell")
	}
	if strings.Contains(tr.text(s), "runtime.Goexit") {
		return errors.New("Goexit ends a cell, and the whole main")
	}
	tr.steps = append(tr.steps, step{text: tr.text(s)})
	return nil
}

// head writes the package clause, the imports and the declarations.
func (tr *translation) head(more ...string) string {
	var b strings.Builder
	b.WriteString("package main\n\n")
	for _, p := range slices.Sorted(maps.Keys(tr.imports)) {
		fmt.Fprintf(&b, "import %s %q\n", tr.imports[p], p)
	}
	for _, p := range more {
		fmt.Fprintf(&b, "import %q\n", p)
	}
	for _, d := range tr.decls {
		b.WriteString("\n" + d + "\n")
	}
	return b.String()
}

// check type-checks the first version and returns the types of the variables and of the shown expressions.
func (tr *translation) check() (map[string]string, error) {
	var b strings.Builder
	var body strings.Builder
	for i, s := range tr.steps {
		names := slices.Clone(s.vars)
		for i, again := range s.again {
			if again {
				names[i] = "_"
			}
		}
		switch {
		case s.vars != nil && s.init != "":
			fmt.Fprintf(&b, "var %s %s = %s\n", strings.Join(names, ", "), s.typ, s.init)
		case s.vars != nil:
			fmt.Fprintf(&b, "var %s %s\n", strings.Join(names, ", "), s.typ)
		case s.shown:
			fmt.Fprintf(&body, "show%d: %s\n", i, s.text)
		default:
			body.WriteString(s.text + "\n")
		}
	}
	src := tr.head() + "\n" + b.String() + "\nfunc main() {\n" + body.String() + "}\n"
	f, err := parser.ParseFile(tr.fset, "", src, 0)
	if err != nil {
		return nil, err
	}
	added := false
	for _, id := range f.Unresolved {
		path, ok := stdlib.AutoImport[id.Name]
		if _, have := tr.imports[path]; ok && !have && strings.Contains(src, id.Name+".") {
			tr.imports[path], added = "", true
		}
	}
	if added {
		return tr.check()
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}}
	var bad error
	conf := types.Config{Importer: exportData, Error: func(err error) {
		e := err.(types.Error)
		// A shown expression is a labelled statement here.
		if e.Soft || strings.HasSuffix(e.Msg, "is not used") || strings.HasSuffix(e.Msg, "(no value) used as value") {
			return
		}
		if bad == nil {
			bad = err
		}
	}}
	pkg, _ := conf.Check("main", tr.fset, []*ast.File{f}, info)
	if bad != nil {
		return nil, bad
	}
	out := map[string]string{}
	qualify := func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		if tr.imports[p.Path()] != "" {
			return tr.imports[p.Path()]
		}
		tr.imports[p.Path()] = "" // the type of a variable may come from a package that no cell names
		return p.Name()
	}
	for v := range tr.vars {
		if o := pkg.Scope().Lookup(v); o != nil {
			out[v] = types.TypeString(o.Type(), qualify)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		l, ok := n.(*ast.LabeledStmt)
		if !ok {
			return true
		}
		if x, ok := l.Stmt.(*ast.ExprStmt); ok && strings.HasPrefix(l.Label.Name, "show") {
			id := l.Label
			switch t := info.Types[x.X]; {
			case t.IsVoid():
				out[id.Name] = "void"
			case t.IsNil():
				out[id.Name] = "nil"
			case t.IsValue():
				out[id.Name] = "value"
				if c, ok := x.X.(*ast.CallExpr); ok && types.Identical(t.Type, types.Universe.Lookup("error").Type()) {
					if text := tr.text(c.Fun); !strings.HasPrefix(text, "errors.") && !strings.HasPrefix(text, "fmt.") {
						out[id.Name] = "error" // the kernel shows nothing, or fails with it
					}
				}
				if tuple, ok := t.Type.(*types.Tuple); ok {
					out[id.Name] = "tuple"
					if tuple.Len() == 2 && types.Identical(tuple.At(1).Type(), types.Universe.Lookup("error").Type()) {
						out[id.Name] = "checked" // the kernel shows the value, or fails with the error
					}
				}
				if text := tr.text(x.X); strings.HasPrefix(text, "fmt.Print") || strings.HasPrefix(text, "fmt.Fprint") {
					out[id.Name] = "void" // nobody wants to see how many bytes were printed
				}
			}
		}
		return true
	})
	return out, nil
}

const displayPath = "example.org/godp/kernel/display"

// program writes the second version.
func (tr *translation) program(types map[string]string) (string, error) {
	var vars, body strings.Builder
	for _, s := range tr.steps {
		for i, v := range s.vars {
			if v != "_" && !s.again[i] {
				fmt.Fprintf(&vars, "var %s %s\n", v, types[v])
			}
		}
	}
	shown, must := false, false
	for i, s := range tr.steps {
		switch {
		case s.vars != nil && s.init != "":
			fmt.Fprintf(&body, "%s = %s\n", strings.Join(s.vars, ", "), s.init)
		case s.vars != nil:
			for i, v := range s.vars {
				if s.again[i] {
					return "", errors.New(v + " is declared twice without a value")
				}
			}
		case s.shown:
			switch types[fmt.Sprint("show", i)] {
			case "void":
				body.WriteString(s.text + "\n")
			case "checked":
				fmt.Fprintf(&body, "show(first(%s))\n", s.text)
				shown = true
			case "error":
				fmt.Fprintf(&body, "must(%s)\n", s.text)
				must = true
			case "value":
				fmt.Fprintf(&body, "show(%s)\n", s.text)
				shown = true
			default:
				return "", errors.New("what is shown is no single value")
			}
		default:
			body.WriteString(s.text + "\n")
		}
	}
	tail, more := "", []string(nil)
	if shown {
		if _, have := tr.imports[displayPath]; !have {
			more = []string{displayPath}
		}
		tail = "\nfunc show(v any) {\n\tprintOut(display.Render(v).Text())\n}\n\nfunc printOut(s string) {\n\tos.Stdout.WriteString(\"Out: \" + s + \"\\n\")\n}\n"
		if strings.Contains(body.String(), "show(first(") {
			tail += "\nfunc first[T any](v T, err error) T {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn v\n}\n"
		}
		if name, have := tr.imports["os"]; !have || name != "" {
			more = append(more, "os")
		}
	}
	if must {
		tail += "\nfunc must(err error) {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n}\n"
	}
	src := tr.head(more...) + "\n" + vars.String() + "\nfunc main() {\n" + body.String() + "}\n" + tail
	// Go refuses unused imports; cells may have them.
	f, err := parser.ParseFile(token.NewFileSet(), "", src, 0)
	if err != nil {
		return "", err
	}
	for _, i := range f.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		if name != "_" && name != "." && !slices.ContainsFunc(f.Unresolved, func(id *ast.Ident) bool { return id.Name == name }) {
			src = strings.Replace(src, "import "+tr.imports[path]+" \""+path+"\"\n", "", 1)
		}
	}
	return src, nil
}

// exportData imports packages as the cell compiler does.
var exportData = importer{}

type importer map[string]*types.Package

func (m importer) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil && p.Complete() {
		return p, nil
	}
	b, err := stdlib.Export(path)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(bytes.NewReader(b), token.NewFileSet(), m, path)
}

// A test of the translation itself: what it makes of a case in which order, types and shown values matter.
func TestTranslate(t *testing.T) {
	got, err := translate([]string{"import \"fmt\"\nx := 1\nfunc f() int { return x }", "x++; y, z := f(), strings.Repeat(\"a\", x)", "fmt.Println(y, z)", "f()"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"var x int\n", "var z string\n", "x = 1\nx++\ny, z = f(), strings.Repeat(\"a\", x)\n", "import  \"strings\"", "show(f())\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got, err := translate([]string{"a, err := strconv.Atoi(\"1\")", "b, err := strconv.Atoi(\"x\")", "err"}); err != nil || strings.Count(got, "var err error\n") != 1 || !strings.Contains(got, "b, err = strconv") {
		t.Errorf("%v\n%s", err, got)
	}
	for _, bad := range [][]string{{"x := 1", "var x int"}, {"y"}, {"for {"}, {"func f() int { return \"\" }"}} {
		if src, err := translate(bad); err == nil {
			t.Errorf("%q means something to Go:\n%s", bad, src)
		}
	}
}
