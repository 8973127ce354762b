package stdlib

import (
	"bytes"
	"container/heap"
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"math"
	"net"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/gcexportdata"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// importAll reads export data as the cell compiler does.
type importAll map[string]*types.Package

func (m importAll) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := m[path]; p != nil && p.Complete() {
		return p, nil
	}
	b, err := Export(path)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(bytes.NewReader(b), token.NewFileSet(), m, path)
}

// Every exported name in the export data has a symbol of the right kind and type, or is generic; and the other way round.
func TestSymbolsMatchExportData(t *testing.T) {
	imp := importAll{}
	symbols := Symbols()
	for _, path := range Packages() {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if !pkg.Complete() {
			t.Errorf("%s: incomplete", path)
		}
		have := symbols[path+"/"+pkg.Name()]
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			v, ok := have[name]
			delete(have, name)
			if isGeneric(o) {
				if ok {
					t.Errorf("%s.%s is generic and has a symbol", path, name)
				}
				continue
			}
			if why := Refused()[path+"."+name]; why != "" {
				if ok {
					t.Errorf("%s.%s is refused (%s) and has a symbol", path, name, why)
				}
				continue
			}
			if !ok {
				t.Errorf("%s.%s has no symbol", path, name)
				continue
			}
			switch o := o.(type) {
			case *types.Func:
				if v.Kind() != reflect.Func || v.Type().NumIn() != o.Signature().Params().Len() || v.Type().NumOut() != o.Signature().Results().Len() {
					t.Errorf("%s.%s: symbol %v for %v", path, name, v.Type(), o.Type())
				}
			case *types.Var:
				if !v.CanSet() {
					t.Errorf("%s.%s: not settable", path, name)
				}
			case *types.TypeName:
				if v.Kind() != reflect.Pointer || !v.IsNil() {
					t.Errorf("%s.%s: symbol %v for a type", path, name, v.Type())
				}
			case *types.Const:
				if c, ok := v.Interface().(constant.Value); ok && !constant.Compare(c, token.EQL, o.Val()) {
					t.Errorf("%s.%s = %v, want %v", path, name, c.ExactString(), o.Val().ExactString())
				}
			}
		}
		for name := range have {
			if !strings.HasPrefix(name, "_") {
				t.Errorf("%s.%s: a symbol that the export data does not know", path, name)
			}
		}
	}
}

func isGeneric(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		return o.Signature().TypeParams().Len() > 0
	case *types.TypeName:
		if n, ok := o.Type().(interface{ TypeParams() *types.TypeParamList }); ok && n.TypeParams().Len() > 0 {
			return true
		}
		i, ok := o.Type().Underlying().(*types.Interface)
		return ok && !i.IsMethodSet()
	}
	return false
}

func TestConstants(t *testing.T) {
	s := Symbols()
	for _, c := range []struct {
		path, name string
		want       constant.Value
	}{
		{"math/math", "Pi", constant.MakeFromLiteral("3.14159265358979323846264338327950288419716939937510582097494459", token.FLOAT, 0)},
		{"math/math", "MaxUint64", constant.MakeUint64(math.MaxUint64)},
		{"math/math", "SmallestNonzeroFloat64", constant.BinaryOp(constant.MakeInt64(1), token.QUO, constant.Shift(constant.MakeInt64(1), token.SHL, 1074))},
		{"unicode/utf8/utf8", "RuneError", constant.MakeInt64(0xfffd)},
		{"time/time", "RFC3339", constant.MakeString("2006-01-02T15:04:05Z07:00")},
	} {
		got, ok := s[c.path][c.name].Interface().(constant.Value)
		if !ok || !constant.Compare(got, token.EQL, c.want) {
			t.Errorf("%s.%s = %v, want %v", c.path, c.name, got, c.want)
		}
	}
	if k := s["math/math"]["Pi"].Interface().(constant.Value).Kind(); k != constant.Float {
		t.Errorf("math.Pi has kind %v", k)
	}
	if d := fmt.Sprint(s["time/time"]["Second"]); d != "1s" {
		t.Errorf("time.Second = %s", d)
	}
}

// Names that some cell would miss at once.
func TestCoverage(t *testing.T) {
	s := Symbols()
	for _, want := range strings.Fields(`fmt/fmt.Println os/exec/exec.Command math/rand/v2/rand.IntN strings/strings.Lines
		encoding/json/json.Marshal net/http/http.Get sync/sync.OnceFunc sync/sync.WaitGroup testing/testing.Benchmark
		go/types/types.Config image/png/png.Encode gonum.org/v1/gonum/mat/mat.NewDense gonum.org/v1/gonum/stat/distuv/distuv.Normal
		gonum.org/v1/gonum/optimize/optimize.Minimize gonum.org/v1/plot/plot.New gonum.org/v1/plot/plotter/plotter.NewScatter
		gonum.org/v1/plot/vg/vg.Inch gonum.org/v1/gonum/dsp/fourier/fourier.NewFFT`) {
		i := strings.LastIndex(want, ".")
		if !s[want[:i]][want[i+1:]].IsValid() {
			t.Errorf("no symbol %s", want)
		}
	}
}

func TestAutoImport(t *testing.T) {
	byName := map[string][]string{}
	for _, p := range packages() {
		byName[p.Name] = append(byName[p.Name], p.Path)
	}
	for name, paths := range byName {
		want, ambiguous := preferred[name], len(paths) > 1
		switch {
		case ambiguous && !slices.Contains(paths, want):
			t.Errorf("package name %s stands for %v, and preferred does not choose one of them", name, paths)
		case !ambiguous && want != "" && want != paths[0]:
			t.Errorf("preferred[%q] = %s, which does not exist", name, want)
		}
	}
	for name, want := range map[string]string{"fmt": "fmt", "rand": "math/rand", "template": "text/template", "plot": "gonum.org/v1/plot",
		"stat": "gonum.org/v1/gonum/stat", "mat": "gonum.org/v1/gonum/mat", "interp": "gonum.org/v1/gonum/interp"} {
		if AutoImport[name] != want {
			t.Errorf("AutoImport[%q] = %q, want %q", name, AutoImport[name], want)
		}
	}
}

// methods is a Dynamic made of plain functions.
type methods struct{ m *map[string]any }

func (d methods) Method(name string) any { return (*d.m)[name] }

func TestWrap(t *testing.T) {
	xs := []int{3, 1, 2}
	d := methods{&map[string]any{
		"Len":  func() int { return len(xs) },
		"Less": func(i, j int) bool { return xs[i] < xs[j] },
		"Swap": func(i, j int) { xs[i], xs[j] = xs[j], xs[i] },
	}}
	v := Wrap["sort.Interface"](d).(sort.Interface)
	sort.Sort(v)
	if !slices.Equal(xs, []int{1, 2, 3}) {
		t.Errorf("sorted to %v", xs)
	}
	if v != Wrap["sort.Interface"](d) {
		t.Error("two wraps of one value differ")
	}
	if got := v.(interface{ Dynamic() Dynamic }).Dynamic(); got != Dynamic(d) {
		t.Errorf("Dynamic() = %v", got)
	}
	err := Wrap["error"](methods{&map[string]any{"Error": func() string { return "sad" }}}).(error)
	if err.Error() != "sad" {
		t.Errorf("Error() = %q", err)
	}
}

// Every wrapper implements its interface.
func TestWrapImplements(t *testing.T) {
	s := Symbols()
	n := 0
	for _, p := range packages() {
		for _, w := range p.Wraps {
			iface := s[p.Path+"/"+p.Name][w.Name].Type().Elem()
			if v := w.New(methods{}); !reflect.TypeOf(v).Implements(iface) || !reflect.TypeOf(v).Comparable() {
				t.Errorf("the wrapper of %s.%s does not implement it, or is not comparable", p.Path, w.Name)
			}
			n++
		}
	}
	if n < 200 {
		t.Errorf("only %d interfaces have wrappers", n)
	}
}

func BenchmarkSymbols(b *testing.B) {
	for b.Loop() {
		Symbols()
	}
}

func BenchmarkExport(b *testing.B) {
	for _, path := range []string{"fmt", "math", "strings", "encoding/json", "net/http", "gonum.org/v1/gonum/mat", "gonum.org/v1/plot/plotter"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				if _, err := (importAll{}).Import(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// WrapFor chooses the wrapper that answers to exactly the methods that the value has.
func TestWrapFor(t *testing.T) {
	sad := errors.New("sad")
	all := map[string]any{
		"Error":     func() string { return "bad" },
		"Unwrap":    func() error { return sad },
		"Is":        func(e error) bool { return e == io.EOF },
		"Timeout":   func() bool { return true },
		"Read":      func(b []byte) (int, error) { return 0, io.EOF },
		"WriteTo":   func(w io.Writer) (int64, error) { n, err := w.Write([]byte("short cut")); return int64(n), err },
		"String":    func() string { return "str" },
		"Len":       func() int { return 0 },
		"Less":      func(i, j int) bool { return false },
		"Swap":      func(i, j int) {},
		"Push":      func(any) {},
		"Pop":       func() any { return nil },
		"Plot":      func(draw.Canvas, *plot.Plot) {},
		"DataRange": func() (a, b, c, d float64) { return 1, 2, 3, 4 },
	}
	some := func(iface string, names ...string) any {
		m := map[string]any{}
		for _, n := range names {
			m[n] = all[n]
		}
		return WrapFor(iface, nil, methods{&m})
	}
	err := some("error", "Error", "Unwrap", "Is").(error)
	if !errors.Is(err, sad) || !errors.Is(err, io.EOF) || errors.Is(err, io.ErrShortBuffer) {
		t.Error("Unwrap or Is of an error is not seen")
	}
	if _, ok := err.(interface{ Timeout() bool }); ok {
		t.Error("an error without Timeout has it")
	}
	if _, ok := some("error", "Error").(interface{ Unwrap() error }); ok {
		t.Error("an error without Unwrap has it")
	}
	all["Unwrap"] = func() []error { return []error{nil, sad} }
	if err := some("error", "Error", "Unwrap").(error); !errors.Is(err, sad) {
		t.Error("Unwrap() []error is not seen")
	}
	all["Unwrap"] = func() int { return 1 }
	if _, ok := some("error", "Error", "Unwrap", "Timeout").(net.Error); ok {
		t.Error("an error without Temporary is a net.Error")
	}
	var out strings.Builder
	if _, err := io.Copy(&out, some("io.Reader", "Read", "WriteTo").(io.Reader)); err != nil || out.String() != "short cut" {
		t.Errorf("io.Copy did not see WriteTo: %q %v", out.String(), err)
	}
	if _, ok := some("sort.Interface", "Len", "Less", "Swap", "Push", "Pop").(heap.Interface); !ok {
		t.Error("a sort.Interface with Push and Pop is no heap.Interface")
	}
	if s := fmt.Sprint(some("any", "String", "Len")); s != "str" {
		t.Errorf("fmt printed %q", s)
	}
	if s := fmt.Sprint(some("any", "Error", "String")); s != "bad" {
		t.Errorf("fmt printed %q", s)
	}
	if v := some("any", "Len"); v != nil {
		t.Errorf("WrapFor any without a method in question = %T", v)
	}
	if v := some("io.Nothing", "Read"); v != nil {
		t.Errorf("WrapFor an unknown interface = %T", v)
	}
	p := some("gonum.org/v1/plot.Plotter", "Plot", "DataRange").(plot.Plotter)
	if _, ok := p.(plot.DataRanger); !ok {
		t.Error("a Plotter with DataRange is no DataRanger")
	}
	if _, ok := p.(plot.Thumbnailer); ok {
		t.Error("a Plotter without Thumbnail is a Thumbnailer")
	}
}

func BenchmarkWrapperFor(b *testing.B) {
	m := map[string]any{"Error": func() string { return "" }, "Unwrap": func() error { return nil }}
	for b.Loop() {
		WrapperFor("error", methods{&m})
	}
}
