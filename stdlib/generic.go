package stdlib

import (
	_ "embed"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"example.org/godp/stdlib/internal/table/instance"
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

// Instance returns the compiled instance of a generic function for the given type arguments (all of them, written as
// types.TypeString does without a qualifier), if there is one: the functions of cmp, maps, slices, sync and math/rand/v2 for the commonest types. It
// does what the source does, without the cost of interpreting it.
func Instance(path, name string, typeArgs ...string) (reflect.Value, bool) {
	key := path + "." + name + "[" + strings.Join(typeArgs, ",") + "]"
	key = aliases.ReplaceAllStringFunc(key, func(s string) string { return map[string]string{"byte": "uint8", "rune": "int32"}[s] })
	v, ok := instances()[key]
	return v, ok
}

var (
	aliases   = regexp.MustCompile(`\b(byte|rune)\b`)
	instances = sync.OnceValue(func() map[string]reflect.Value {
		m := make(map[string]reflect.Value, len(instance.All))
		for _, s := range instance.All {
			m[s.Name] = s.Reflect()
		}
		return m
	})
)
