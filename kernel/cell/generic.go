package cell

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
)

// genericPackage is the source of a compiled package's generic functions and types, checked on its own.
type genericPackage struct {
	bodies map[string]*body // "Sort", "Pointer.Load"
	pkg    *types.Package
}

// genericBody finds the source of a generic function or method: a cell's, or a compiled package's.
func (c *Compiler) genericBody(fn *types.Func) (*body, error) {
	fn = fn.Origin()
	if b := c.bodies[fn]; b != nil {
		return b, nil
	}
	if fn.Pkg() == nil || fn.Pkg() == c.pkg {
		return nil, fmt.Errorf("internal: no source of the generic function %s", fn.Name())
	}
	g, err := c.genericPackage(fn.Pkg().Path())
	if err != nil {
		return nil, err
	}
	name := fn.Name()
	if r := fn.Type().(*types.Signature).Recv(); r != nil {
		if n := namedOf(r.Type()); n != nil {
			name = n.Obj().Name() + "." + name
		}
	}
	if b := g.bodies[name]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("the generic function %s.%s is not available in cells", fn.Pkg().Name(), name)
}

func (c *Compiler) genericPackage(path string) (*genericPackage, error) {
	if g := c.generic[path]; g != nil {
		return g, nil
	}
	g := &genericPackage{bodies: map[string]*body{}}
	var srcs map[string]string
	if c.cfg.Generic != nil {
		srcs = c.cfg.Generic(path)
	}
	if len(srcs) == 0 {
		return nil, fmt.Errorf("the generic functions of package %s are not available in cells", path)
	}
	var files []*ast.File
	for name, text := range srcs {
		f, err := parser.ParseFile(c.fset, path+"/"+name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("internal: %v", err)
		}
		files = append(files, f)
	}
	info := newInfo()
	conf := types.Config{Importer: importer{c}, GoVersion: "go1.26"}
	pkg, err := conf.Check(path, c.fset, files, info)
	if err != nil {
		return nil, fmt.Errorf("internal: generic source of %s: %v", path, err)
	}
	g.pkg = pkg
	c.reps.source[pkg] = true
	for _, f := range files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body == nil {
				continue
			}
			fn, ok := info.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			b := &body{decl: fd, info: info, fn: fn}
			g.bodies[declKey(fd)] = b
			c.bodies[fn] = b
			c.noteGotos(fd, info)
		}
	}
	c.generic[path] = g
	return g, nil
}

type importer struct{ c *Compiler }

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return nil, fmt.Errorf("package unsafe is not available in cells")
	}
	return i.c.cfg.Import(path)
}

func newInfo() *types.Info {
	return &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Implicits: map[ast.Node]types.Object{}}
}

// declKey names a function or method declaration: "f" or "T.m".
func declKey(fd *ast.FuncDecl) string {
	if fd.Recv == nil || len(fd.Recv.List) == 0 {
		return fd.Name.Name
	}
	return recvName(fd.Recv.List[0].Type) + "." + fd.Name.Name
}

func recvName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}
