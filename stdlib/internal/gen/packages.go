package main

import "strings"

// Std packages a cell cannot import, and why.
var excludedStd = map[string]string{
	"unsafe":                 "cells are checked and lowered; pointer arithmetic would void both",
	"syscall":                "differs on every system; package os has what a cell needs",
	"plugin":                 "needs a dynamically linked kernel",
	"log/syslog":             "does not exist on every system",
	"runtime/cgo":            "the kernel is pure Go",
	"runtime/coverage":       "the kernel is not a coverage build",
	"runtime/race":           "empty",
	"time/tzdata":            "empty",
	"testing/cryptotest":     "needs a *testing.T",
	"testing/slogtest":       "needs a *testing.T",
	"testing/synctest":       "needs a *testing.T",
	"crypto/mlkem/mlkemtest": "needs a *testing.T",
}

// gonumPackages are the packages of gonum and gonum/plot that a cell can import.
var gonumPackages = strings.Fields(`
gonum.org/v1/gonum/blas
gonum.org/v1/gonum/blas/blas32
gonum.org/v1/gonum/blas/blas64
gonum.org/v1/gonum/blas/cblas128
gonum.org/v1/gonum/cmplxs
gonum.org/v1/gonum/diff/fd
gonum.org/v1/gonum/dsp/fourier
gonum.org/v1/gonum/dsp/transform
gonum.org/v1/gonum/dsp/window
gonum.org/v1/gonum/floats
gonum.org/v1/gonum/floats/scalar
gonum.org/v1/gonum/integrate
gonum.org/v1/gonum/integrate/quad
gonum.org/v1/gonum/interp
gonum.org/v1/gonum/lapack
gonum.org/v1/gonum/lapack/lapack64
gonum.org/v1/gonum/mat
gonum.org/v1/gonum/mathext
gonum.org/v1/gonum/mathext/prng
gonum.org/v1/gonum/num/dual
gonum.org/v1/gonum/num/hyperdual
gonum.org/v1/gonum/num/quat
gonum.org/v1/gonum/optimize
gonum.org/v1/gonum/optimize/convex/lp
gonum.org/v1/gonum/optimize/functions
gonum.org/v1/gonum/spatial/kdtree
gonum.org/v1/gonum/spatial/r1
gonum.org/v1/gonum/spatial/r2
gonum.org/v1/gonum/spatial/r3
gonum.org/v1/gonum/stat
gonum.org/v1/gonum/stat/card
gonum.org/v1/gonum/stat/combin
gonum.org/v1/gonum/stat/distmat
gonum.org/v1/gonum/stat/distmv
gonum.org/v1/gonum/stat/distuv
gonum.org/v1/gonum/stat/mds
gonum.org/v1/gonum/stat/samplemv
gonum.org/v1/gonum/stat/sampleuv
gonum.org/v1/gonum/stat/spatial
gonum.org/v1/gonum/unit
gonum.org/v1/gonum/unit/constant
gonum.org/v1/plot
gonum.org/v1/plot/font
gonum.org/v1/plot/font/liberation
gonum.org/v1/plot/palette
gonum.org/v1/plot/palette/brewer
gonum.org/v1/plot/palette/moreland
gonum.org/v1/plot/plotter
gonum.org/v1/plot/plotutil
gonum.org/v1/plot/text
gonum.org/v1/plot/tools/bezier
gonum.org/v1/plot/vg
gonum.org/v1/plot/vg/draw
gonum.org/v1/plot/vg/recorder
gonum.org/v1/plot/vg/vgeps
gonum.org/v1/plot/vg/vgimg
gonum.org/v1/plot/vg/vgpdf
gonum.org/v1/plot/vg/vgsvg
`)

// Packages of this module. Their table is a group of its own because they change often and are quick to generate.
const module = "example.org/godp"

// kernelPackages are those of the kernel that cells can import. Their tables stand in the packages themselves: stdlib does not import the
// kernel, nor the kernel stdlib.
var kernelPackages = []string{module + "/kernel/display", module + "/kernel/widgets"}

var localPackages = []string{module + "/dp", module + "/dp/plots", module + "/stdlib/internal/portable"}

// covered reports whether a package of the standard library is offered to cells.
func covered(path string) bool {
	if _, no := excludedStd[path]; no {
		return false
	}
	return !internal(path) && !strings.HasPrefix(path, "cmd/")
}

// internal reports whether code outside the package's own tree may not import it.
func internal(path string) bool {
	for _, part := range strings.Split(path, "/") {
		if part == "internal" || part == "vendor" {
			return true
		}
	}
	return false
}

// unwrapped are packages whose interfaces no cell implements: hundreds of methods each, for back ends of linear algebra.
var unwrapped = map[string]bool{"gonum.org/v1/gonum/blas": true, "gonum.org/v1/gonum/lapack": true}

// refused are functions and constants that have no symbol, because in a cell they could not do what they do in Go, and why.
var refused = map[string]string{
	"log.Llongfile":        "the line of a cell that logs is not known to package log",
	"log.Lshortfile":       "the line of a cell that logs is not known to package log",
	"runtime.Caller":       "the call stack is the interpreter's, not the cell's",
	"runtime.Callers":      "the call stack is the interpreter's, not the cell's",
	"runtime.SetFinalizer": "the interpreter may hold on to the object",
	"testing.AllocsPerRun": "it would count the interpreter's allocations",
}
