package stdlib

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every name that the Go release notes' API files list for a covered package is there: an account of the standard library
// that was not made by our generator.
func TestGoAPI(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "api", "go1*.txt"))
	if len(files) == 0 {
		t.Log("this Go installation has no api directory; names are compared with the export data only")
		return
	}
	symbols, generic, excluded := map[string]bool{}, map[string]bool{}, 0
	refused := Refused()
	packageSet := map[string]bool{}
	for _, p := range packages() {
		packageSet[p.Path] = true
		for _, s := range p.Syms {
			symbols[p.Path+"."+s.Name] = true
		}
	}
	imp := importAll{}
	line := regexp.MustCompile(`^pkg (\S+), (?:func|var|const|type) ([A-Z]\w*)`)
	n := 0
	for _, f := range files {
		r, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewScanner(r); s.Scan(); {
			m := line.FindStringSubmatch(s.Text()) // lines of one system only have " (linux-amd64)" before the comma and do not match
			if m == nil || !packageSet[m[1]] {
				excluded++
				continue
			}
			n++
			if symbols[m[1]+"."+m[2]] || refused[m[1]+"."+m[2]] != "" || generic[m[1]+"."+m[2]] {
				continue
			}
			pkg, err := imp.Import(m[1])
			if err != nil {
				t.Fatal(err)
			}
			o := pkg.Scope().Lookup(m[2])
			if o == nil || !isGeneric(o) {
				t.Errorf("%s.%s of %s is missing", m[1], m[2], filepath.Base(f))
			}
			generic[m[1]+"."+m[2]] = true
		}
		r.Close()
	}
	if n < 10000 {
		t.Errorf("only %d lines of the API files were understood", n)
	}
}
