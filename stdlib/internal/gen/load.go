package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath, Name, Dir string
	GoFiles               []string
	Imports               []string
	ImportMap             map[string]string
	Standard              bool
	Error                 *struct{ Err string }
}

// loader type-checks packages from source, without cgo and without function bodies, so that what it finds is the same on
// every machine with the same Go release.
type loader struct {
	fset  *token.FileSet
	list  map[string]*listed
	order []string // dependencies first
	types map[string]*types.Package
	files map[string][]*ast.File
}

// load lists and type-checks the packages that match the patterns and all they depend on.
func load(root string, patterns ...string) (*loader, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Name,Dir,GoFiles,Imports,ImportMap,Standard,Error"}, patterns...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOEXPERIMENT=")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	l := &loader{fset: token.NewFileSet(), list: map[string]*listed{}, types: map[string]*types.Package{"unsafe": types.Unsafe}, files: map[string][]*ast.File{}}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := dec.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Error != nil {
			return nil, fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		l.list[p.ImportPath] = p
		l.order = append(l.order, p.ImportPath)
	}
	for _, path := range l.order {
		if path == "unsafe" {
			continue
		}
		if err := l.check(l.list[path]); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *loader) check(p *listed) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(l.fset, p.ImportPath+"/"+name, src, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	conf := types.Config{
		Importer:         importer{l, p},
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Sizes:            types.SizesFor("gc", "amd64"),
	}
	pkg, err := conf.Check(p.ImportPath, l.fset, files, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", p.ImportPath, err)
	}
	l.types[p.ImportPath], l.files[p.ImportPath] = pkg, files
	return nil
}

// importer resolves the imports of one package (the standard library vendors some of its own).
type importer struct {
	l *loader
	p *listed
}

func (i importer) Import(path string) (*types.Package, error) {
	if real, ok := i.p.ImportMap[path]; ok {
		path = real
	}
	if pkg := i.l.types[path]; pkg != nil {
		return pkg, nil
	}
	return nil, errors.New("not loaded: " + path)
}
