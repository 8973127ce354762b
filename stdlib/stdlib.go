// Package stdlib is what a cell can import without a Go toolchain: for the standard library, gonum, gonum/plot and this
// module's own packages it has the compiled symbols, the export data that go/types checks cells against, the documentation,
// the sources of generic functions, and compiled implementations of every interface over values defined in cells.
//
// Nearly all of it is generated: go generate ./stdlib.
package stdlib

import (
	_ "embed"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"example.org/godp/stdlib/internal/pack"
	"example.org/godp/stdlib/internal/safe"
	"example.org/godp/stdlib/internal/table"
	"example.org/godp/stdlib/internal/table/gonum"
	"example.org/godp/stdlib/internal/table/local"
	"example.org/godp/stdlib/internal/table/refused"
	"example.org/godp/stdlib/internal/table/std"
)

// Dynamic is a value defined in a cell, seen from compiled code: Method returns its bound method of that name as a func value
// whose type is exactly the method's type, or nil. Values should be comparable, so that the interfaces made of them are.
type Dynamic = table.Dynamic

// Exit is the panic value that stands for the end of the process when a cell calls os.Exit or log.Fatal. A package that must
// not import this one recognises it by its method ExitCode() int.
type Exit = safe.Status

// packages lists all tables: the standard library, gonum, and this module's packages, each in the order of paths.
func packages() []*table.Package {
	return slices.Concat(std.Packages, gonum.Packages, local.Packages)
}

// Packages returns the import paths of all packages that Symbols has.
func Packages() []string {
	var paths []string
	for _, p := range packages() {
		paths = append(paths, p.Path)
	}
	return paths
}

// Symbols returns the exported names of all packages in the form yaegi's Use expects: "path/name" -> name -> value. An
// untyped constant is an exact constant.Value, a variable is addressable, a type T is (*T)(nil), and "_I" is the struct that yaegi
// fills in to convert an interpreted value to the interface I. Generic functions and types, which have no value, are missing:
// see GenericSource. Each call makes new maps (about 2 ms), which the caller may change.
//
// Use rebinds fmt, log, os and flag when a table with the key "fmt/fmt" is given to it, and so undoes the replacement of
// log.Fatal; Use(Overrides()) after it sets that right.
func Symbols() map[string]map[string]reflect.Value {
	all := map[string]map[string]reflect.Value{}
	for _, p := range packages() {
		all[p.Path+"/"+p.Name] = p.Exports()
	}
	return all
}

// Refused says, by "path.Name", why a name that a package exports is not available in cells: the functions that Symbols leaves out
// because in a cell they could not do what they do in Go, and the generic ones that GenericSource leaves out.
func Refused() map[string]string { return maps.Clone(refused.Names) }

// Overrides returns only the functions that stand in for others: os.Exit and log.Fatal, Fatalf and Fatalln, which panic with
// an Exit where the real ones would end the kernel.
func Overrides() map[string]map[string]reflect.Value {
	return map[string]map[string]reflect.Value{
		"os/os": {"Exit": reflect.ValueOf(safe.Exit)},
		"log/log": {
			"Fatal":   reflect.ValueOf(safe.LogFatal),
			"Fatalf":  reflect.ValueOf(safe.LogFatalf),
			"Fatalln": reflect.ValueOf(safe.LogFatalln),
		},
	}
}

//go:embed data/base.export.pack
var baseExport string

//go:embed data/local.export.pack
var localExport string

// open returns a function that opens the archives once, the local one first.
func open(data ...*string) func() []*pack.Archive {
	return sync.OnceValue(func() (as []*pack.Archive) {
		for _, d := range data {
			a, err := pack.Open(*d)
			if err != nil {
				panic(fmt.Sprintf("stdlib: embedded data: %v", err)) // the build is broken, not its use
			}
			as = append(as, a)
		}
		return as
	})
}

var exports = open(&localExport, &baseExport)

// Export returns the export data of a package, to be read with gcexportdata.Read. Each package's data is complete in itself;
// read with a shared imports map, what several packages refer to becomes one and the same.
func Export(path string) ([]byte, error) {
	for _, a := range exports() {
		if a.Has(path) {
			return a.Read(path)
		}
	}
	return nil, fmt.Errorf("package %s is not available in cells", path)
}
