package vec

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"math/rand/v2"
	"testing"
)

// program compiles the function called f of a source text.
func program(t testing.TB, src string) (*Bound, bool) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "f.go", "package p\nimport \"math\"\nvar _ = math.Pi\n"+src, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := conf.Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	find := func(name string) *Source {
		for _, d := range file.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == name {
				return &Source{Type: fd.Type, Body: fd.Body, Info: info}
			}
		}
		return nil
	}
	s := find("f")
	s.Inline = func(fn *types.Func) *Source { return find(fn.Name()) }
	p, captured, ok := Compile(s)
	if !ok {
		return nil, false
	}
	vars := make([]*float64, len(captured))
	for i := range vars {
		vars[i] = new(float64)
	}
	return p.Bind(vars), true
}

func sq(x float64) float64 { return x * x }

// Each program beside the same function compiled by Go.
var same = []struct {
	name, src string
	f         func(x float64) float64
}{
	{"huber", `func f(z float64) float64 { const h = 0.5; if z > 1+h { return 0 }; if z < 1-h { return 1 - z }; u := 1 + h - z; return u * u / (4 * h) }`,
		func(z float64) float64 {
			const h = 0.5
			if z > 1+h {
				return 0
			}
			if z < 1-h {
				return 1 - z
			}
			u := 1 + h - z
			return u * u / (4 * h)
		}},
	{"logistic", `func f(z float64) float64 { if z > 0 { return math.Log1p(math.Exp(-z)) }; return -z + math.Log1p(math.Exp(z)) }`,
		func(z float64) float64 {
			if z > 0 {
				return math.Log1p(math.Exp(-z))
			}
			return -z + math.Log1p(math.Exp(z))
		}},
	{"assign", `func f(x float64) float64 { y := x; if x < 0 { y = -x; y *= 2 } else if x > 3 { y += 1 }; var w, k = y, 1.0; k++; return w - k/3 }`,
		func(x float64) float64 {
			y := x
			if x < 0 {
				y = -x
				y *= 2
			} else if x > 3 {
				y += 1
			}
			var w, k = y, 1.0
			k++
			return w - k/3
		}},
	{"switch", `func sq(x float64) float64 { return x * x }
func f(x float64) float64 { switch { case x < -1 || x != x: return -1; case !(x <= 2) && x < 5: return sq(x) + min(x, 3, 2*x); default: x = math.Pow(math.Abs(x), 0.3) }; return math.Max(x, 0.5) - math.Pi }`,
		func(x float64) float64 {
			switch {
			case x < -1 || x != x:
				return -1
			case !(x <= 2) && x < 5:
				return sq(x) + min(x, 3, 2*x)
			default:
				x = math.Pow(math.Abs(x), 0.3)
			}
			return math.Max(x, 0.5) - math.Pi
		}},
	{"nested returns", `func f(x float64) float64 { if x > 0 { if x > 1 { return 1 }; x = x / 2 } else { return x }; return x + 10 }`,
		func(x float64) float64 {
			if x > 0 {
				if x > 1 {
					return 1
				}
				x = x / 2
			} else {
				return x
			}
			return x + 10
		}},
}

func points() []float64 {
	xs := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2, 3, 5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		xs = append(xs, r.NormFloat64()*3)
	}
	return xs
}

func bits(x float64) uint64 {
	if x != x {
		return 1
	}
	return math.Float64bits(x)
}

// Scalar and slice forms give Go's numbers to the last bit.
func TestSameAsGo(t *testing.T) {
	for _, c := range same {
		b, ok := program(t, c.src)
		if !ok {
			t.Errorf("%s: not compiled", c.name)
			continue
		}
		xs := points()
		out := make([]float64, len(xs))
		Slices(b.Func1())(xs, out)
		for i, x := range xs {
			want := c.f(x)
			if got := b.Func1()(x); bits(got) != bits(want) {
				t.Fatalf("%s(%v) = %v, want %v", c.name, x, got, want)
			}
			if bits(out[i]) != bits(want) {
				t.Fatalf("%s on a slice, at %v: %v, want %v", c.name, x, out[i], want)
			}
		}
	}
}

// What is not a pure function of floats is left alone.
func TestUnsuited(t *testing.T) {
	for _, src := range []string{
		`func f(x float64) float64 { for x > 1 { x /= 2 }; return x }`,
		`func f(x float64) float64 { println(x); return x }`,
		`var g float64; func f(x float64) float64 { g = x; return x }`,
		`func f(x int) float64 { return float64(x) }`,
		`func f(x float64) float32 { return float32(x) }`,
		`func f(x float64) (y float64) { y = x; return }`,
		`func f(x float64) float64 { return float64(int(x)) }`,
		`func f(x float64) float64 { return f(x) }`,
		`func f(xs ...float64) float64 { return xs[0] }`,
		`func f(x float64) float64 { s := []float64{x}; return s[0] }`,
		`func f(x float64) float64 { y, z := math.Modf(x); return y + z }`,
		`func f(x float64) float64 { if x > 0 { panic(x) }; return x }`,
	} {
		if _, ok := program(t, src); ok {
			t.Errorf("compiled, and must not be: %s", src)
		}
	}
}

// A captured variable is read when the function is called.
func TestCaptured(t *testing.T) {
	b, ok := program(t, `var k float64 = 2; func f(x float64) float64 { return k * x }`)
	if !ok || len(b.vars) != 1 {
		t.Fatal("not compiled")
	}
	f := b.Func1()
	*b.vars[0] = 3
	out := make([]float64, 2)
	Slices(f)([]float64{1, 2}, out)
	if f(2) != 6 || out[1] != 6 {
		t.Errorf("got %v and %v, want 6", f(2), out[1])
	}
	*b.vars[0] = 5
	if f(2) != 10 {
		t.Error("the new value was not seen")
	}
	if Slices(math.Sqrt) != nil || Slices(func(x float64) float64 { return x * *b.vars[0] }) != nil {
		t.Error("a foreign function has no slice form")
	}
}

func BenchmarkHuber(b *testing.B) {
	p, _ := program(b, same[0].src)
	xs := points()
	out := make([]float64, len(xs))
	b.Run("slice", func(b *testing.B) {
		for b.Loop() {
			p.Slice(xs, out)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/value")
	})
	f := p.Func1()
	b.Run("scalar", func(b *testing.B) {
		for b.Loop() {
			f(0.7)
		}
	})
}
