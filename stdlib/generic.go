package stdlib

import (
	_ "embed"
	"strings"

	"example.org/godp/stdlib/internal/portable"
)

//go:embed data/generic.pack
var genericData string

var generics = open(&genericData)

// GenericSource returns the source of the generic functions, generic types and constraints that a package exports, by file
// name, or nil if it exports none. Together the files are one package that type-checks on its own against export data: they hold
// the unexported helpers they need, and refer to what the package exports in compiled form by importing the package itself.
//
// Most is Go's own source; what uses the runtime or unsafe in Go is replaced by portable code with the same results. Missing,
// and so to be refused by name, are runtime.AddCleanup, weak.Make, weak.Pointer and database/sql.Null.
func GenericSource(path string) (files map[string]string) {
	for _, a := range generics() {
		for _, name := range a.Names() {
			p, file, _ := strings.Cut(name, "|")
			if p != path {
				continue
			}
			src, err := a.Read(name)
			if err != nil {
				panic(err) // the build is broken, not its use
			}
			if files == nil {
				files = map[string]string{}
			}
			files[file] = string(src)
		}
	}
	return files
}

// SetPoll sets what slices.SortFunc and its kin call at every comparison. It may panic, to end a sort when the function of
// a cell that compares has been stopped. Call it before any cell runs.
func SetPoll(f func()) { portable.SetPoll(f) }

// GenericPackages returns the import paths for which GenericSource has something.
func GenericPackages() (paths []string) {
	for _, a := range generics() {
		for _, name := range a.Names() {
			p, _, _ := strings.Cut(name, "|")
			if len(paths) == 0 || paths[len(paths)-1] != p {
				paths = append(paths, p)
			}
		}
	}
	return paths
}
