package stdlib

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkGeneric type-checks a package's generic source on its own, as the cell compiler does.
func checkGeneric(t *testing.T, imp types.Importer, path string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(GenericSource(path))) {
		f, err := parser.ParseFile(fset, path+"/"+name, GenericSource(path)[name], 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: imp}
	pkg, err := conf.Check("generic/"+path, fset, files, nil)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return pkg
}

// Every generic name of every package has a source that type-checks alone and declares it with the same type, or is refused.
func TestGenericSourcesAreComplete(t *testing.T) {
	refused := slices.Collect(maps.Keys(Refused()))
	imp := importAll{}
	for _, path := range Packages() {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		var generic *types.Package
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() || !isGeneric(o) {
				continue
			}
			if generic == nil {
				if len(GenericSource(path)) == 0 {
					if !slices.Contains(refused, path+"."+name) {
						t.Errorf("%s.%s: no source", path, name)
					}
					continue
				}
				generic = checkGeneric(t, imp, path)
			}
			got := generic.Scope().Lookup(name)
			if got == nil {
				if !slices.Contains(refused, path+"."+name) {
					t.Errorf("%s.%s: no source", path, name)
				}
				continue
			}
			// The two packages differ only in their path.
			unqualified := func(p *types.Package) string { return strings.TrimPrefix(p.Path(), "generic/") }
			if _, isFunc := o.(*types.Func); isFunc && types.ObjectString(got, unqualified) != types.ObjectString(o, unqualified) {
				t.Errorf("%s, want %s", types.ObjectString(got, unqualified), types.ObjectString(o, unqualified))
			}
			if n, ok := o.Type().(*types.Named); ok && !types.IsInterface(n) {
				if a, b := methodNames(n), methodNames(got.Type().(*types.Named)); a != b {
					t.Errorf("%s.%s has methods %s, want %s", path, name, b, a)
				}
			}
		}
	}
}

func methodNames(n *types.Named) string {
	var names []string
	for m := range n.Methods() {
		if m.Exported() {
			names = append(names, m.Name())
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// The sources, compiled, do what the real functions do: testdata/generic.go.txt runs both on the same random inputs.
func TestGenericSourcesBehave(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	write := func(virtual, src string) {
		real := filepath.Join(dir, strings.ReplaceAll(virtual, "/", "_"))
		if err := os.WriteFile(real, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, "stdlib/internal/check", virtual)] = real
	}
	for _, path := range GenericPackages() {
		for name, src := range GenericSource(path) {
			for _, p := range []string{"iter", "cmp", "slices", "maps"} { // let the copies use each other
				src = strings.Replace(src, "\""+p+"\"\n", "\"example.org/godp/stdlib/internal/check/"+p+"\"\n", 1)
			}
			write(path+"/"+name, src)
		}
	}
	program, err := os.ReadFile("testdata/generic.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	write("main.go", string(program))
	js, _ := json.Marshal(map[string]any{"Replace": overlay})
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), js, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-overlay", filepath.Join(dir, "overlay.json"), "./stdlib/internal/check")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "ok\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
