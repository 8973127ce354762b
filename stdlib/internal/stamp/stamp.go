// Package stamp records what the generated files were made from, so that a test can tell in a moment, without the Go
// toolchain, whether they are stale.
package stamp

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Groups are the parts that are generated apart. "local" covers this module's own packages, "base" everything else.
var Groups = []string{"base", "local"}

// LocalDirs are the directories of this module whose exported API cells can use.
var LocalDirs = []string{"dp", "dp/plots", "kernel/display", "kernel/widgets", "stdlib/internal/portable"}

func file(root, group string) string { return filepath.Join(root, "stdlib/data", group+".stamp") }

// Recorded returns the stamp written when the group was generated.
func Recorded(root, group string) (string, error) {
	b, err := os.ReadFile(file(root, group))
	return strings.TrimSpace(string(b)), err
}

// Record writes the group's stamp.
func Record(root, group, stamp string) error {
	return os.WriteFile(file(root, group), []byte(stamp+"\n"), 0o666)
}

// Compute returns the stamp that the group would have if it were generated now: a hash of the generator's source and, for
// "base", the Go release and the versions of the modules; for "local", the exported API of the packages.
func Compute(root, group string) (string, error) {
	h := sha256.New()
	hash := func(name string, b []byte) { fmt.Fprintf(h, "%s %d\n%s\n", name, len(b), b) }
	err := filepath.WalkDir(filepath.Join(root, "stdlib"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		switch dir := filepath.ToSlash(filepath.Dir(rel)); {
		case strings.HasSuffix(rel, "_test.go"):
			return nil
		case dir == "stdlib/internal/gen", dir == "stdlib/internal/pack", dir == "stdlib/internal/table", dir == "stdlib/generic":
			b, err := os.ReadFile(path)
			hash(rel, b)
			return err
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	switch group {
	case "base":
		hash("go", []byte(release(runtime.Version())))
		mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err != nil {
			return "", err
		}
		for _, m := range []string{"gonum.org/v1/gonum", "gonum.org/v1/plot", "golang.org/x/tools"} {
			v := regexp.MustCompile(`(?m)^(?:require)?\s*` + regexp.QuoteMeta(m) + ` (\S+)`).FindSubmatch(mod)
			if v == nil {
				return "", errors.New("go.mod does not require " + m)
			}
			hash(m, v[1])
		}
	case "local":
		for _, dir := range LocalDirs {
			api, err := exportedAPI(filepath.Join(root, dir))
			if err != nil {
				return "", err
			}
			hash(dir, api)
		}
	default:
		return "", errors.New("no such group: " + group)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// release is the Go release without its patch number, which never changes an API.
func release(version string) string {
	return regexp.MustCompile(`^go\d+\.\d+`).FindString(version)
}

// exportedAPI prints the declarations that the export data and the documentation index depend on, without function bodies: exported
// functions, and all types, constants and variables (unexported ones may stand behind exported ones). An absent directory has none.
func exportedAPI(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var decls []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(filepath.ToSlash(dir), "kernel/") && name == "symbols.go" {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		tag := constraintOf(f)
		f.Comments = nil
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !d.Name.IsExported() {
					continue
				}
				d.Body = nil
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
			}
			var b bytes.Buffer
			if err := printer.Fprint(&b, token.NewFileSet(), d); err != nil {
				return nil, err
			}
			decls = append(decls, tag+b.String()+docs(d))
		}
		decls = append(decls, f.Doc.Text())
	}
	slices.Sort(decls)
	return []byte(strings.Join(decls, "\n")), nil
}

// docs is the text of the doc comments of a declaration and of what is inside it.
func docs(d ast.Decl) string {
	var b strings.Builder
	ast.Inspect(d, func(n ast.Node) bool {
		if g, ok := n.(*ast.CommentGroup); ok {
			b.WriteString(g.Text())
		}
		return true
	})
	return b.String()
}

// constraintOf returns the file's build constraint, if it has one.
func constraintOf(f *ast.File) string {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				return c.Text + "\n"
			}
		}
	}
	return ""
}
