package stdlib

import (
	"strings"
	"testing"
)

func TestDoc(t *testing.T) {
	for _, c := range []struct{ path, name, want string }{
		{"fmt", "", "Package fmt implements formatted I/O"},
		{"fmt", "Println", "Println formats using the default formats"},
		{"fmt", "Stringer", "Stringer is implemented by any value"},
		{"strings", "Builder.WriteString", "WriteString appends the contents of s"},
		{"net/http", "Server.Handler", "handler to invoke"},
		{"net/http", "StatusTeapot", "RFC 9110"},
		{"io", "EOF", "EOF is the error returned by Read"},
		{"math", "Pi", "https://oeis.org/A000796"},
		{"sort", "Interface.Less", "Less reports whether"},
		{"slices", "SortFunc", "SortFunc sorts the slice x in ascending order"},
		{"gonum.org/v1/gonum/mat", "Dense.Mul", "Mul takes the matrix product"},
		{"gonum.org/v1/plot/plotter", "NewScatter", "NewScatter returns a Scatter"},
		{"example.org/godp/dp", "", "Package dp"},
	} {
		if got := Doc(c.path, c.name); !strings.Contains(got, c.want) {
			t.Errorf("Doc(%q, %q) = %q, want it to have %q", c.path, c.name, got, c.want)
		}
	}
	for _, c := range [][2]string{{"fmt", "Nothing"}, {"no/such", "Thing"}, {"fmt", "newPrinter"}} {
		if got := Doc(c[0], c[1]); got != "" {
			t.Errorf("Doc%q = %q, want nothing", c, got)
		}
	}
	// Nearly every function of the standard library has a comment.
	missing, n := 0, 0
	for _, p := range packages() {
		for _, s := range p.Syms {
			if !strings.HasPrefix(s.Name, "_") && !strings.HasPrefix(p.Path, "debug/") {
				n++
				if Doc(p.Path, s.Name) == "" {
					missing++
				}
			}
		}
	}
	if missing > n/10 {
		t.Errorf("%d of %d names have no documentation", missing, n)
	}
}

func BenchmarkDoc(b *testing.B) {
	for b.Loop() {
		docCache.Clear()
		Doc("net/http", "Server")
	}
}
