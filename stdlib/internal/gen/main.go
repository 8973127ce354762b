// Command gen writes the generated part of stdlib: the symbol tables, the export data, the documentation index and the
// sources of generic functions. Run it with go generate ./stdlib; it needs the Go toolchain, what it writes does not.
//
// It works in two groups, each with a stamp of what it was made from, and redoes only the groups whose stamp has changed
// (all with -a): "base" is the standard library, gonum and gonum/plot; "local" is the packages of this module.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/gcexportdata"

	"example.org/godp/stdlib/internal/pack"
	"example.org/godp/stdlib/internal/stamp"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	everything := flag.Bool("a", false, "regenerate all groups")
	verbose := flag.Bool("v", false, "list what was left out, and the time taken")
	flag.Parse()
	root, err := moduleRoot()
	if err != nil {
		log.Fatal(err)
	}
	g := &generator{root: root, verbose: *verbose}
	for _, group := range stamp.Groups {
		want, err := stamp.Compute(root, group)
		if err != nil {
			log.Fatal(err)
		}
		if have, _ := stamp.Recorded(root, group); have == want && !*everything {
			continue
		}
		start := time.Now()
		switch group {
		case "base":
			err = g.base()
		case "local":
			err = g.local()
		}
		if err == nil {
			err = stamp.Record(root, group, want)
		}
		if err != nil {
			log.Fatalf("%s: %v", group, err)
		}
		g.logf("%s: %v", group, time.Since(start).Round(time.Millisecond))
	}
}

// moduleRoot finds the directory of go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", fmt.Errorf("no go.mod above the working directory; run go generate ./stdlib inside the module")
		}
		dir = filepath.Dir(dir)
	}
}

type generator struct {
	root    string
	verbose bool
}

func (g *generator) logf(f string, a ...any) {
	if g.verbose {
		log.Printf(f, a...)
	}
}

// base writes the tables of the standard library and of gonum, and the data of both.
func (g *generator) base() error {
	l, err := load(g.root, append([]string{"std"}, gonumPackages...)...)
	if err != nil {
		return err
	}
	var std []string
	for path, p := range l.list {
		if p.Standard && covered(path) {
			std = append(std, path)
		}
	}
	slices.Sort(std)
	gonum := slices.Clone(gonumPackages)
	slices.Sort(gonum)
	if err := g.tables(l, "std", "has the symbol tables of the standard library.", std); err != nil {
		return err
	}
	if err := g.tables(l, "gonum", "has the symbol tables of gonum and gonum/plot.", gonum); err != nil {
		return err
	}
	if err := g.variants(l); err != nil {
		return err
	}
	if err := g.writeRefused(); err != nil {
		return err
	}
	all := append(std, gonum...)
	sources, err := g.genericSources(l, all)
	if err != nil {
		return err
	}
	if err := g.writePack("generic.pack", sources); err != nil {
		return err
	}
	return g.data(l, "base", all)
}

// local writes the tables of this module's packages, and their data.
func (g *generator) local() error {
	var paths, all []string
	for _, p := range slices.Concat(localPackages, kernelPackages) {
		files, _ := filepath.Glob(filepath.Join(g.root, strings.TrimPrefix(p, module+"/"), "*.go"))
		if len(files) == 0 {
			continue
		}
		all = append(all, p)
		if !slices.Contains(kernelPackages, p) {
			paths = append(paths, p)
		}
	}
	l := &loader{}
	if len(all) > 0 {
		var err error
		if l, err = load(g.root, all...); err != nil {
			return err
		}
	}
	for _, p := range kernelPackages {
		pkg := l.types[p]
		if pkg == nil {
			continue
		}
		file, err := writeSymbols(pkg)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(g.root, strings.TrimPrefix(p, module+"/"), "symbols.go"), file, 0o666); err != nil {
			return err
		}
	}
	if err := g.tables(l, "local", "has the symbol tables of this module's own packages.", paths); err != nil {
		return err
	}
	return g.data(l, "local", all)
}

// tables writes one Go file for each package into stdlib/internal/table/NAME, and removes files of packages no longer there.
func (g *generator) tables(l *loader, name, doc string, paths []string) error {
	dir := filepath.Join(g.root, "stdlib/internal/table", name)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	index, err := writeIndex(name, doc, paths)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "index.go"), index, 0o666); err != nil {
		return err
	}
	for _, p := range paths {
		file, skipped, err := writeTable(l.types[p], name)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if len(skipped) > 0 {
			g.logf("%s: generic: %s", p, strings.Join(skipped, " "))
		}
		if err := os.WriteFile(filepath.Join(dir, strings.TrimPrefix(mangle(p), "p_")+".go"), file, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// variants writes the wrappers of combinations of methods.
func (g *generator) variants(l *loader) error {
	file, err := writeVariants(l)
	if err != nil {
		return err
	}
	return g.writeFile("stdlib/internal/table/variant/variants.go", "variant has compiled wrappers for combinations of methods that compiled code asks values for.", file)
}

// writeFile writes a generated Go file that is a package by itself, with the package's comment.
func (g *generator) writeFile(name, doc string, file []byte) error {
	path := filepath.Join(g.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, bytes.Replace(file, []byte("\npackage "), []byte("\n// Package "+doc+"\npackage "), 1), 0o666)
}

// data writes the export data and the documentation of the packages.
func (g *generator) data(l *loader, group string, paths []string) error {
	export, docs := map[string][]byte{}, map[string][]byte{}
	for _, p := range paths {
		var err error
		if export[p], err = exportData(l.types[p]); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if docs[p], err = l.docs(p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := g.writePack(group+".export.pack", export); err != nil {
		return err
	}
	return g.writePack(group+".doc.pack", docs)
}

func (g *generator) writePack(name string, blobs map[string][]byte) error {
	b, err := pack.Write(blobs)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(g.root, "stdlib/data", name), b, 0o666)
}

// exportData encodes a package's types without positions, which would name files that the user does not have.
func exportData(pkg *types.Package) ([]byte, error) {
	var b bytes.Buffer
	if err := gcexportdata.Write(&b, nil, pkg); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
