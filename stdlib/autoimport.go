package stdlib

import "strings"

// AutoImport gives the import path that a package name stands for in a cell without an import statement. Where several
// packages share a name, preferred decides.
var AutoImport = autoImport()

// preferred says which of several packages of one name needs no import statement; the others do.
var preferred = map[string]string{
	"constant":  "go/constant",                     // gonum's unit/constant is rarely wanted
	"draw":      "gonum.org/v1/plot/vg/draw",       // glyphs and line styles of plots
	"interp":    "gonum.org/v1/gonum/interp",       //
	"palette":   "gonum.org/v1/plot/palette",       // colour maps of heat plots
	"parse":     "text/template/parse",             //
	"pprof":     "runtime/pprof",                   // net/http/pprof is imported for its effect
	"rand":      "math/rand",                       // its functions take a seed; write import "math/rand/v2" for the new one, "crypto/rand" for secrets
	"scanner":   "text/scanner",                    //
	"spatial":   "gonum.org/v1/gonum/stat/spatial", //
	"template":  "text/template",                   // html/template escapes, and is asked for by name
	"transform": "gonum.org/v1/gonum/dsp/transform",
}

func autoImport() map[string]string {
	m := map[string]string{}
	for _, p := range packages() {
		if strings.Contains(p.Path, "/internal/") {
			continue // what generic sources import, not cells
		}
		if want, ok := preferred[p.Name]; !ok || want == p.Path {
			m[p.Name] = p.Path
		}
	}
	for name, path := range kernelPackages {
		m[name] = path
	}
	return m
}

// kernelPackages are those whose tables stand in the kernel itself.
var kernelPackages = map[string]string{
	"display": "example.org/godp/kernel/display",
	"widgets": "example.org/godp/kernel/widgets",
}
