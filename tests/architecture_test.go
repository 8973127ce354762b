// Package tests has the tests of the project as a whole: its architecture, and the kernel from end to end.
package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "example.org/godp"

// source is one Go file of the module.
type source struct {
	name    string // relative to the root, with slashes
	dir     string // "" for the root
	test    bool
	doc     bool // has a package comment
	pkg     string
	imports []string
}

// sources parses the head of every Go file of the module. It needs no Go toolchain.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Errorf("%v", err)
			return
		}
		dir, _ := filepath.Split(name)
		s := source{name: name, dir: strings.TrimSuffix(dir, "/"), test: strings.HasSuffix(name, "_test.go"), pkg: f.Name.Name,
			doc: f.Doc != nil && len(strings.TrimSpace(f.Doc.Text())) > 0 && !generatedOnly(f.Doc)}
		for _, i := range f.Imports {
			s.imports = append(s.imports, strings.Trim(i.Path.Value, "\"`"))
		}
		all = append(all, s)
	})
	if len(all) < 20 {
		t.Fatalf("only %d Go files found: is this the module?", len(all))
	}
	return all
}

func generatedOnly(c *ast.CommentGroup) bool {
	return strings.HasPrefix(c.Text(), "Code generated")
}

// walk calls f with every file of the project but test data and what tools put into the tree.
func walk(t *testing.T, f func(name string)) {
	t.Helper()
	skip := []string{".git", ".venv", "node_modules", "build", "dist", "testdata", "__pycache__", ".ipynb_checkpoints"}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skip, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel("..", path)
		if err == nil && d.Type().IsRegular() {
			f(filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// within reports whether the import path or directory p is one of the trees (each a package and all below it).
func within(p string, trees ...string) bool {
	for _, tree := range trees {
		if p == tree || strings.HasPrefix(p, tree+"/") {
			return true
		}
	}
	return false
}

// never lists imports that no file of a tree may have, its tests included.
var never = []struct {
	from   []string
	except []string
	to     []string
	why    string
}{
	{from: []string{"kernel"}, to: []string{module + "/dp", module + "/stdlib"}, why: "tables, renderers and hooks are passed to the kernel as values"},
	{from: []string{"dp"}, to: []string{module + "/kernel", module + "/stdlib", "github.com/traefik/yaegi"}, why: "dp is a library for any Go program"},
	{from: []string{"dp"}, except: []string{"dp/plots"}, to: []string{module + "/dp/plots", "gonum.org/v1/plot"}, why: "only dp/plots draws"},
	{from: []string{"stdlib"}, to: []string{module + "/kernel"}, why: "the kernel is given stdlib's tables as values"},
	{from: []string{"dp", "stdlib", "install"}, to: []string{"github.com/go-zeromq"}, why: "only kernel/socket talks ZeroMQ"},
	{from: []string{"dp", "stdlib", "install", "kernel"}, except: []string{"kernel/history"}, to: []string{"modernc.org/sqlite"}, why: "only kernel/history keeps a database"},
	{from: []string{"kernel/front", "kernel/wire", "kernel/socket", "kernel/display"}, to: []string{"github.com/traefik/yaegi"}, why: "the interpreter lives in the worker"},
}

// only lists, for the packages that have few neighbours, all of them within the module. Tests may import more.
var only = map[string][]string{
	"kernel/wire":            {},
	"kernel/socket":          {},
	"kernel/display":         {},
	"kernel/worker/protocol": {"kernel/wire", "kernel/display"},
	"kernel/history":         {},
	"kernel/repl":            {"kernel/history", "kernel/notebook", "kernel/worker/protocol"},
	"kernel/front":           {"kernel/front", "kernel/history", "kernel/wire", "kernel/socket", "kernel/worker/protocol"},
	"kernel/comm":            {},
	"kernel/widgets":         {"kernel/comm", "kernel/display"},
	"kernel/worker":          {"kernel/worker", "kernel/session", "kernel/display", "kernel/comm"},
	"kernel/session":         {"kernel/session", "kernel/cell", "kernel/display"},
	"kernel/cell":            {"kernel/cell"},
	"dp":                     {"dp/internal"},
	"dp/plots":               {"dp"},
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		for _, imp := range s.imports {
			for _, rule := range never {
				if within(s.dir, rule.from...) && !within(s.dir, rule.except...) && within(imp, rule.to...) {
					t.Errorf("%s imports %s: %s", s.name, imp, rule.why)
				}
			}
			if within(imp, module+"/tests") || imp == module {
				t.Errorf("%s imports %s: nothing does", s.name, imp)
			}
			allowed, ok := only[s.dir]
			if local, in := strings.CutPrefix(imp, module+"/"); ok && in && !s.test && !within(local, allowed...) {
				t.Errorf("%s imports %s: %s may import of this module only %v", s.name, imp, s.dir, allowed)
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	has, name := map[string]bool{}, map[string]string{}
	for _, s := range sources(t) {
		if !s.test {
			name[s.dir] = s.pkg
			has[s.dir] = has[s.dir] || s.doc
		}
	}
	for dir, ok := range has {
		if !ok {
			t.Errorf("package %s in %q has no doc comment", name[dir], dir)
		}
	}
}

// The project speaks only of itself: no paths of one machine, no numbers of a tracker.
func TestWords(t *testing.T) {
	forbidden := regexp.MustCompile(`/` + `work/|/` + `root/|(?i)\b` + `issue ` + `#?\d|proxy\.` + `golang\.org|registry\.` + `npmjs|pypi\.` + `org/simple`)
	text := []string{".go", ".md", ".py", ".sh", ".js", ".ts", ".mjs", ".json", ".txt", ".yml", ".yaml", ".toml", ".ipynb", ".mod"}
	walk(t, func(name string) {
		base := name[strings.LastIndex(name, "/")+1:]
		if base == "package-lock.json" { // names where every package came from; that is its purpose
			return
		}
		if !slices.Contains(text, filepath.Ext(name)) && base != "Makefile" && base != "Dockerfile" && name != ".ci/run" {
			return
		}
		b, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Error(err)
			return
		}
		for i, line := range strings.Split(string(b), "\n") {
			if m := forbidden.FindString(line); m != "" {
				if len(line) > 120 {
					line = line[:120] + "…"
				}
				t.Errorf("%s:%d says %q: %s", name, i+1, m, strings.TrimSpace(line))
			}
		}
	})
}
