package differential

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/godp/stdlib"
)

// program is something that both Go and the kernel can run.
type program struct {
	name   string   // corpus/…
	source string   // a Go program: package main
	cells  []string // the same for the kernel, cell by cell; nil: the program is one cell, and main() the next
	want   *result  // known without running it, else nil
	quiet  bool     // nothing is known of its standard error
	sorted bool     // the lines of the output come in any order
}

func (p *program) hash() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(p.source)))[:16] }

var goEnv = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, k := range []string{"GOROOT", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", k).Output()
		if err == nil {
			m[k] = strings.TrimSpace(string(out))
		}
	}
	return m
})

// testPrograms are the files of the Go distribution's test directory whose first line says "// run" and no more: they need
// no flags and no other file.
func testPrograms(t *testing.T) (ps []*program) {
	root := filepath.Join(goEnv()["GOROOT"], "test")
	if _, err := os.Stat(root); err != nil {
		t.Logf("this Go installation has no test directory (%v): its programs are not compared", err)
		return nil
	}
	for _, dir := range []string{"", "typeparam", "fixedbugs", "chan", "interface", "ken", "escape", "switch"} {
		files, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Error(err)
				continue
			}
			first, _, _ := bytes.Cut(b, []byte("\n"))
			if string(bytes.TrimSpace(first)) != "// run" || !built(b) || !importable(f, b) {
				continue
			}
			ps = append(ps, &program{name: "test/" + filepath.ToSlash(filepath.Join(dir, filepath.Base(f))), source: string(b)})
		}
	}
	return ps
}

// ownPrograms are whole programs of ours, each about one part of the language: testdata/programs/*.go.
func ownPrograms(t *testing.T) (ps []*program) {
	files, _ := filepath.Glob("testdata/programs/*.go")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, &program{name: "program/" + strings.TrimSuffix(filepath.Base(f), ".go"), source: string(b)})
	}
	return ps
}

// built reports whether the file's build constraint holds here, without cgo.
func built(src []byte) bool {
	for _, line := range strings.Split(string(src), "\n") {
		if strings.HasPrefix(line, "package ") {
			break
		}
		if constraint.IsGoBuild(line) {
			x, err := constraint.Parse(line)
			return err == nil && x.Eval(func(tag string) bool {
				return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "gc" || tag == "unix" || strings.HasPrefix(tag, "go1.")
			})
		}
	}
	return true
}

// importable reports whether the program imports only what cells can (the rest, unsafe mostly, would all be refused), and
// is about the language.
func importable(name string, src []byte) bool {
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	if err != nil {
		return false
	}
	for _, i := range f.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		if !slices.Contains(cellPackages(), path) || path == "os/exec" { // what runs commands tests the Go toolchain
			return false
		}
	}
	return f.Name.Name == "main"
}

var cellPackages = sync.OnceValue(stdlib.Packages)

// examples are the examples with an Output comment of the packages that cells can import, as far as go/doc can make whole
// programs of them.
func examples(t *testing.T) (ps []*program) {
	for _, path := range cellPackages() {
		dir := filepath.Join(goEnv()["GOROOT"], "src", path)
		if strings.Contains(path, ".") {
			dir = moduleDir(path)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*example*_test.go"))
		fset := token.NewFileSet()
		var parsed []*ast.File
		for _, name := range files {
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				t.Error(err)
				continue
			}
			src, _ := os.ReadFile(name)
			if built(src) {
				parsed = append(parsed, f)
			}
		}
		for _, ex := range doc.Examples(parsed...) {
			if ex.Play == nil || ex.Output == "" && !ex.EmptyOutput {
				continue
			}
			var b bytes.Buffer
			if err := format.Node(&b, fset, ex.Play); err != nil {
				t.Errorf("%s: %v", ex.Name, err)
				continue
			}
			if !importable(ex.Name, b.Bytes()) || !whole(b.String()) || elsewhere.MatchString(b.String()+ex.Output) {
				continue
			}
			ps = append(ps, &program{name: "example/" + path + "." + ex.Name, source: b.String(), sorted: ex.Unordered, quiet: true,
				want: &result{Stdout: strings.TrimSpace(ex.Output)}})
		}
	}
	return ps
}

// elsewhere matches the signs of an example that only works in its own directory, package or time zone.
var elsewhere = regexp.MustCompile(`testdata/|_test\.go|\b\w+_test\.|-0[78]00|P[SD]T\b`)

// whole reports whether a program that go/doc made of an example has all that it needs.
func whole(src string) bool {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, 0)
	if err != nil {
		return false
	}
	conf := types.Config{Importer: exportData}
	_, err = conf.Check("main", fset, []*ast.File{f}, nil)
	return err == nil
}

// moduleDir is the directory of a package of a module that this one requires, by go.mod and the module cache.
func moduleDir(path string) string {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		return ""
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:require)?\s*(\S+) (v\S+)`).FindAllStringSubmatch(string(mod), -1) {
		if rest, ok := strings.CutPrefix(path, m[1]); ok && (rest == "" || rest[0] == '/') {
			return filepath.Join(goEnv()["GOMODCACHE"], m[1]+"@"+m[2], rest)
		}
	}
	return ""
}

// programs lists everything that is compared, in a fixed order.
func programs(t *testing.T) []*program {
	ps := slices.Concat(testPrograms(t), ownPrograms(t), examples(t), cellSuites(t), randomPrograms(t), typePrograms(t))
	re, err := regexp.Compile(*only)
	if err != nil {
		t.Fatalf("-only: %v", err)
	}
	ps = slices.DeleteFunc(ps, func(p *program) bool { return !re.MatchString(p.name) })
	slices.SortFunc(ps, func(a, b *program) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(ps, func(a, b *program) bool { return a.name == b.name })
}
