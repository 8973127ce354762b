package main

import (
	"encoding/json"
	"go/ast"
	"go/doc"
	"path/filepath"
	"strings"
)

// docs returns the documentation of a package by name: "" for the package, "Func", "Type", "Const", "Type.Method" and "Type.Field".
func (l *loader) docs(path string) ([]byte, error) {
	var files []*ast.File
	for _, f := range l.files[path] {
		// go/doc takes what it needs out of the tree, so this is the last use of it.
		if !strings.HasSuffix(filepath.Base(l.fset.File(f.Pos()).Name()), "_test.go") {
			files = append(files, f)
		}
	}
	d, err := doc.NewFromFiles(l.fset, files, path)
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	set := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			m[name] = text
		}
	}
	set("", d.Doc)
	funcs := func(prefix string, fs []*doc.Func) {
		for _, f := range fs {
			set(prefix+f.Name, f.Doc)
		}
	}
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, s := range v.Decl.Specs {
				s := s.(*ast.ValueSpec)
				text := s.Doc.Text() + s.Comment.Text()
				if text == "" {
					text = v.Doc
				}
				for _, n := range s.Names {
					if n.IsExported() {
						set(n.Name, text)
					}
				}
			}
		}
	}
	funcs("", d.Funcs)
	values(d.Consts)
	values(d.Vars)
	for _, t := range d.Types {
		set(t.Name, t.Doc)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
		values(t.Consts)
		values(t.Vars)
		for _, s := range t.Decl.Specs {
			if s := s.(*ast.TypeSpec); s.Name.Name == t.Name {
				members(t.Name+".", s.Type, set)
			}
		}
	}
	return json.Marshal(m)
}

// members sets the documentation of the fields of a struct or the methods of an interface.
func members(prefix string, typ ast.Expr, set func(name, text string)) {
	var list *ast.FieldList
	switch t := typ.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			if n.IsExported() {
				set(prefix+n.Name, f.Doc.Text()+f.Comment.Text())
			}
		}
	}
}
