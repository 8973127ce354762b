package dp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"strings"
	"testing"
)

// columnPair is n numbers of which the first is a on one side and b on the other.
func columnPair(t *testing.T, rest []float64, a, b float64) Pair {
	t.Helper()
	rows, y := [][]float64{{a}}, []float64{1}
	for _, v := range rest {
		rows, y = append(rows, []float64{v}), append(y, 1)
	}
	d0, err := NewData(rows, y, 10)
	if err != nil {
		t.Fatal(err)
	}
	d1, err := d0.Replace(0, []float64{b}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return Pair{"", d0, d1}
}

func exactOf(t *testing.T, m Mechanism, p Pair) *PrivacyLoss {
	t.Helper()
	l, err := ExactLoss(m, p.D0, p.D1)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// deltaWithin checks that the bounds on δ(ε) hold want.
func deltaWithin(t *testing.T, l *PrivacyLoss, eps, want, width float64) {
	t.Helper()
	lo, hi, err := l.Delta(eps)
	if err != nil || want < lo-1e-9 || want > hi+1e-9 || hi-lo > width {
		t.Errorf("%s: δ(%v) in [%v, %v] (%v), want %v", l.Mechanism, eps, lo, hi, err, want)
	}
}

func TestExactLossHistogram(t *testing.T) {
	m := PrivateHistogram{Eps: 0.8, Edges: []float64{0, 1, 2, 3}}
	l := exactOf(t, m, columnPair(t, []float64{0.5, 2.5}, 0.5, 1.5))
	eps, at := l.Sup()
	within(t, "sup", eps, 0.8, 1e-9) // two counts move by one, each with rate ε/2
	within(t, "loss at the witness", math.Abs(l.At(at)), eps, 1e-12)
	// By the masses themselves: two independent two-sided geometric laws, one shifted up and one down.
	q := math.Exp(-0.4)
	mass := func(k int) float64 { return (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(k))) }
	want := 0.0
	for i := -80; i <= 80; i++ {
		for j := -80; j <= 80; j++ {
			want += math.Max(0, mass(i)*mass(j)-math.Exp(0.3)*mass(i-1)*mass(j+1))
		}
	}
	deltaWithin(t, l, 0.3, want, 1e-3)
	if v := l.At([]float64{0.5, 0, 0}); !math.IsNaN(v) {
		t.Errorf("half a person: %v", v)
	}
}

func TestExactLossMean(t *testing.T) {
	m := PrivateMean{Eps: 1, Lo: -1, Hi: 3}
	l := exactOf(t, m, columnPair(t, []float64{0, 1, 2}, -1, 3))
	eps, _ := l.Sup()
	if eps > 1 || eps < 0.999 {
		t.Errorf("from one end of the range to the other: %v, want 1 less the rounding of the grid", eps)
	}
	// On so fine a grid the law is that of continuous Laplace noise.
	ref, err := LaplacePLD(1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := ref.DeltaBounds(0.4)
	deltaWithin(t, l, 0.4, (lo+hi)/2, 1e-3)
	within(t, "within the range", supOf(t, m, columnPair(t, []float64{0, 1, 2}, 0, 1)), 0.25, 1e-3)
	if _, err := ExactLoss(PrivateMean{Eps: 1, Lo: 0, Hi: 1, Column: 3}, l0(t), l0(t)); err == nil {
		t.Error("a column that is not there")
	}
}

func l0(t *testing.T) *Data { return columnPair(t, []float64{1}, 0, 1).D0 }

func TestExactLossQuantile(t *testing.T) {
	m := PrivateQuantile{Eps: 1.2, Lo: 0, Hi: 10}
	p := columnPair(t, []float64{1, 2, 4, 7, 9}, 0.5, 9.5)
	l := exactOf(t, m, p)
	// The density by its definition, at the middles of fine cells.
	density := func(d *Data, y float64) float64 {
		below := 0.0
		for i := range d.Len() {
			if d.Row(i)[0] < y {
				below++
			}
		}
		return math.Exp(-0.6 * math.Abs(below-3))
	}
	const n = 200_000
	var norm [2]float64
	for i := range n {
		y := 10 * (float64(i) + 0.5) / n
		norm[0] += density(p.D0, y) * 10 / n
		norm[1] += density(p.D1, y) * 10 / n
	}
	top, delta := 0.0, [2]float64{}
	for i := range n {
		y := 10 * (float64(i) + 0.5) / n
		a, b := density(p.D0, y)/norm[0], density(p.D1, y)/norm[1]
		top = math.Max(top, math.Abs(math.Log(a/b)))
		delta[0] += math.Max(0, a-math.Exp(0.2)*b) * 10 / n
		delta[1] += math.Max(0, b-math.Exp(0.2)*a) * 10 / n
	}
	eps, at := l.Sup()
	within(t, "sup", eps, top, 1e-4)
	within(t, "loss at the witness", math.Abs(l.At(at)), eps, 1e-12)
	if eps > 1.2 {
		t.Errorf("above ε: %v", eps)
	}
	lo, hi, err := l.Delta(0.2)
	if want := math.Max(delta[0], delta[1]); err != nil || want < lo-1e-4 || want > hi+1e-4 {
		t.Errorf("δ(0.2) in [%v, %v], by integration %v (%v)", lo, hi, want, err)
	}
	if v := l.At([]float64{11}); !math.IsNaN(v) {
		t.Errorf("outside the range: %v", v)
	}
}

func TestExactLossSparseVector(t *testing.T) {
	queries := func(d *Data) []float64 { return []float64{d.Row(0)[0], 1 - d.Row(0)[0], d.Row(0)[0], 2} }
	p := columnPair(t, []float64{0}, 0, 1) // the queries move by 1 in both directions
	for _, m := range []SparseVector{{Eps: 1, Threshold: 0.5, Queries: queries}, {Eps: 1, Threshold: 0.5, Count: 2, Queries: queries}} {
		l := exactOf(t, m, p)
		eps, at := l.Sup()
		if eps > 1 || eps < 0.3 {
			t.Errorf("count %d: sup %v of ε = 1", m.Count, eps)
		}
		within(t, "loss at the witness", math.Abs(l.At(at)), eps, 1e-9)
		law, err := l.PLD(0)
		if err != nil {
			t.Fatal(err)
		}
		if d := law.Delta(eps + 1e-3); d > 1e-9 {
			t.Errorf("count %d: δ above the supremum is %v", m.Count, d)
		}
		// Against releases: 99.9999 % bounds.
		slo, shi, err := l.sampledDelta(0.1, 20000, 1e-6)
		lo, hi := law.DeltaBounds(0.1)
		if err != nil || slo > hi || shi < lo {
			t.Errorf("count %d: δ(0.1) in [%v, %v], sampled [%v, %v] (%v)", m.Count, lo, hi, slo, shi, err)
		}
	}
	long := SparseVector{Eps: 1, Count: 10, Queries: func(d *Data) []float64 { return make([]float64, 30) }}
	if _, err := ExactLoss(long, p.D0, p.D1); err == nil || !strings.Contains(err.Error(), "too many to enumerate") {
		t.Errorf("thirty queries with ten yes: %v", err)
	}
}

func TestExactLossGridPerturbation(t *testing.T) {
	// The sensitivity is attained by this pair (as for OutputPerturbation).
	rows, y := make([][]float64, 9), make([]float64, 9)
	for i := range rows {
		rows[i], y[i] = []float64{float64(1 - 2*(i%2))}, 1
	}
	d0, _ := NewData(rows, y, 1)
	d1, _ := d0.Replace(8, []float64{-1}, 1)
	m := GridPerturbation{Eps: 1, Lambda: 0.5, Loss: Huber(0.5)}
	l := exactOf(t, m, Pair{"", d0, d1})
	eps, _ := l.Sup()
	if eps > 1 || eps < 0.998 { // the grid costs about a thousandth
		t.Errorf("pure: %v of ε = 1", eps)
	}
	slo, shi, err := l.sampledDelta(0.3, 800, 1e-6)
	lo, hi, err2 := l.Delta(0.3)
	if err != nil || err2 != nil || slo > hi || shi < lo || hi-lo > 1e-3 {
		t.Errorf("δ(0.3) in [%v, %v] (%v), sampled [%v, %v] (%v)", lo, hi, err2, slo, shi, err)
	}
	g := exactOf(t, GridPerturbation{Rho: 0.1, Delta: 1e-4, Lambda: 0.5, Loss: Huber(0.5)}, Pair{"", d0, d1})
	if e, at := g.Sup(); !math.IsInf(e, 1) || math.Abs(g.At(at)) < 100 {
		t.Errorf("discrete Gaussian: sup %v at %v", e, at)
	}
	// ρ-zCDP of 0.1 with an attained sensitivity is nearly a Gaussian of μ = √(2ρ).
	lo, hi, err = g.Delta(0.5)
	if want := GDPDelta(math.Sqrt(0.2), 0.5); err != nil || math.Abs(lo-want) > 2e-3*want+1e-4 || math.Abs(hi-want) > 2e-3*want+1e-4 {
		t.Errorf("δ(0.5) in [%v, %v], a Gaussian has %v (%v)", lo, hi, want, err)
	}
	// Two dimensions: the coordinates add up.
	two, _ := NewData([][]float64{{0.6, 0.8}, {-1, 0}, {0, 1}}, []float64{1, 1, -1}, 1)
	other, _ := two.Replace(0, []float64{-0.6, -0.8}, 1)
	l2 := exactOf(t, m, Pair{"", two, other})
	eps2, at2 := l2.Sup()
	if eps2 > 1 || eps2 < 0.5 || math.Abs(math.Abs(l2.At(at2))-eps2) > 1e-9 {
		t.Errorf("two dimensions: %v at %v", eps2, at2)
	}
	lo, hi, err = l2.Delta(0.2)
	slo, shi, err2 = l2.sampledDelta(0.2, 800, 1e-6)
	if err != nil || err2 != nil || slo > hi || shi < lo {
		t.Errorf("two dimensions: δ(0.2) in [%v, %v] (%v), sampled [%v, %v] (%v)", lo, hi, err, slo, shi, err2)
	}
}

// Vector answers with noise on a grid, which used to be scalar only: the supremum is the sum over the coordinates.
func TestExactLossDiscreteVectors(t *testing.T) {
	d0, d1 := flipPair(t, 4)
	q := func(d *Data) []float64 { return []float64{positives(d), float64(d.Len()) - positives(d)} }
	m := DiscreteLaplace{Eps: 1, Sensitivity: 2, Query: q}
	within(t, "two counts, S = 3", supOf(t, m, Pair{"", d0, d1}), 2.0/3, 1e-9) // the rounded answer is given one step more than it needs
	within(t, "on a fine grid", supOf(t, Laplace{Eps: 1, Sensitivity: 2, Query: q}.Hardened(), Pair{"", d0, d1}), 1, 1e-5)
}

func TestExactLossSoftmax(t *testing.T) {
	// A few rows, all of the last class: the perturbation of the first two classes points one way, and a label flip between them counts fully.
	rows, y := [][]float64{{1}, {1}, {-1}}, []int{0, 1, 2}
	d0, err := NewClasses(rows, y, []string{"a", "b", "c"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	d1, err := d0.Replace(0, []float64{-1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := exactOf(t, SoftmaxRegression{Eps: 1, Lambda: 2}, Pair{"", d0, d1})
	eps, at := l.Sup()
	if eps > 0.99+1e-9 || eps < 0.4 {
		t.Errorf("sup %v of ε = 1", eps)
	}
	back := exactOf(t, SoftmaxRegression{Eps: 1, Lambda: 2}, Pair{"", d1, d0})
	within(t, "the other order", back.At(at), -l.At(at), 1e-9)
	if _, err := ExactLoss(SoftmaxRegression{Eps: math.Inf(1)}, d0, d1); err == nil {
		t.Error("no noise, yet a density")
	}
}

// Every mechanism of the package has an exact loss, or an error that says why not.
func TestEveryMechanismHasAnExactLossOrAReason(t *testing.T) {
	src, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]map[string]bool{}
	known := map[string]bool{}
	for _, f := range src["dp"].Files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if fn.Name.Name == "exactLoss" || fn.Name.Name == "whyNoDensity" {
				ast.Inspect(fn, func(n ast.Node) bool {
					if c, ok := n.(*ast.CaseClause); ok {
						for _, e := range c.List {
							if id, ok := e.(*ast.Ident); ok {
								known[id.Name] = true
							}
						}
					}
					return true
				})
			}
			if fn.Recv == nil {
				continue
			}
			typ := fn.Recv.List[0].Type
			if p, ok := typ.(*ast.StarExpr); ok {
				typ = p.X
			}
			name := typ.(*ast.Ident).Name
			if methods[name] == nil {
				methods[name] = map[string]bool{}
			}
			methods[name][fn.Name.Name] = true
		}
	}
	n := 0
	for name, m := range methods {
		if m["Claim"] && m["Release"] && ast.IsExported(name) {
			n++
			if !known[name] {
				t.Errorf("%s is a mechanism, and ExactLoss neither knows its density nor says why there is none", name)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d mechanisms were found", n)
	}
}
