package dp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func pure(eps float64) Guarantee {
	g := noGuarantee("test")
	g.Eps = eps
	return g
}

func gridData(t testing.TB, n int) *Data {
	t.Helper()
	rows, labels := make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i], labels[i] = []float64{float64(i%7) / 10, 0.3}, float64(1-2*(i%2))
	}
	d, err := NewData(rows, labels, 1)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLedgerFilter(t *testing.T) {
	l := NewLedger(1, 0)
	for i := range 10 {
		if err := l.Charge("tenth", pure(0.1)); err != nil {
			t.Fatalf("charge %d of ten tenths: %v", i+1, err)
		}
	}
	err := l.Charge("one more", pure(0.001))
	var over *OverBudget
	if !errors.As(err, &over) {
		t.Fatalf("an overdraft gave %v, want *OverBudget", err)
	}
	if math.Abs(over.EpsSpent-1) > 1e-12 || math.Abs(over.Eps-1.001) > 1e-12 || over.What != "one more" {
		t.Errorf("OverBudget = %+v", over)
	}
	if es, _ := l.Spent(); math.Abs(es-1) > 1e-12 {
		t.Errorf("a refused charge changed the total: %v", es)
	}
	es := l.Entries()
	if len(es) != 11 || !es[10].Refused || !strings.HasPrefix(es[0].Site, "ledger_test.go:") {
		t.Errorf("entries: %+v", es[len(es)-1])
	}
	if err := l.Charge("nonsense", pure(math.NaN())); err == nil {
		t.Error("a NaN guarantee was accepted")
	}
	if err := l.Charge("no privacy", pure(math.Inf(1))); err == nil {
		t.Error("an infinite ε fits a budget of 1")
	}
	var none *Ledger
	if err := none.Charge("x", pure(5)); err != nil {
		t.Errorf("no ledger refuses: %v", err)
	}
}

func TestLedgerOdometer(t *testing.T) {
	l := NewLedger(math.Inf(1), 1)
	for range 3 {
		if err := l.Charge("r", pure(10)); err != nil {
			t.Fatal(err)
		}
	}
	if e, _ := l.Spent(); e != 30 {
		t.Errorf("odometer shows %v, want 30", e)
	}
	if !strings.Contains(l.String(), "odometer") {
		t.Error(l.String())
	}
}

func TestLedgerParallel(t *testing.T) {
	d := gridData(t, 100)
	l := NewLedger(1, 0)
	if err := l.Bind(d); err != nil {
		t.Fatal(err)
	}
	a, b := d.Split(0.5, Seed(1))
	charge := func(d *Data, e float64, want float64) {
		t.Helper()
		if err := l.ChargeOn(d, "r", pure(e)); err != nil {
			t.Fatal(err)
		}
		if got, _ := l.Spent(); math.Abs(got-want) > 1e-12 {
			t.Errorf("spent %v, want %v", got, want)
		}
	}
	charge(a, 0.5, 0.5)
	charge(b, 0.5, 0.5)                  // disjoint: parallel
	a1, _ := a.Split(0.5, Seed(2))       //
	charge(a1, 0.2, 0.7)                 // inside a: sequential
	charge(b, 0.2, 0.7)                  // equal by chance, other rows
	charge(d, 0.1, 0.8)                  // everybody
	charge(a1.WithIntercept(), 0.1, 0.9) // a mapped copy is the same rows
	charge(gridData(t, 100), 0.1, 1.0)   // unknown rows are charged to all
	if err := l.ChargeOn(b, "r", pure(0.11)); err == nil {
		t.Error("b's rows have spent 0.5 + 0.2 + 0.1 + 0.1 and 0.11 more was accepted")
	}
	charge(b, 0.1, 1.0)
}

func TestLedgerParallelNeedsReplaceOne(t *testing.T) {
	d := gridData(t, 10)
	l := NewLedger(1, 0)
	a, b := d.Split(0.5, Seed(1))
	g := pure(0.3)
	g.Neighbours = AddRemove
	for _, x := range []*Data{a, b} {
		if err := l.For(d).ChargeOn(x, "r", g); err != nil {
			t.Fatal(err)
		}
	}
	// Adding a row to d moves rows between the halves, so nothing is disjoint.
	if e, _ := l.Spent(); math.Abs(e-0.6) > 1e-12 {
		t.Errorf("spent %v, want 0.6", e)
	}
}

// The book-keeping by classes of rows must equal the naive total: for each row the sum of the charges that touched it,
// and the maximum of these over rows.
func TestLedgerMatchesRowByRowTotals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(rt, "n")
		d := gridData(t, n)
		l := NewLedger(math.Inf(1), 1)
		if err := l.Bind(d); err != nil {
			rt.Fatal(err)
		}
		total := make([]float64, n)
		for range rapid.IntRange(1, 8).Draw(rt, "charges") {
			e := float64(rapid.IntRange(1, 8).Draw(rt, "eighths")) / 8 // exact in binary
			idx := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n, rapid.ID[int]).Draw(rt, "rows")
			if err := l.ChargeOn(d.Subset(idx), "r", pure(e)); err != nil {
				rt.Fatal(err)
			}
			for _, i := range idx {
				total[i] += e
			}
		}
		want := 0.0
		for _, x := range total {
			want = math.Max(want, x)
		}
		if got, _ := l.Spent(); got != want {
			rt.Fatalf("spent %v, want %v", got, want)
		}
	})
}

func TestZCDPLedger(t *testing.T) {
	l := NewZCDPLedger(2, 1e-6)
	k := 0
	for ; k < 10000; k++ {
		if err := l.Charge("small", pure(0.02)); err != nil {
			break
		}
	}
	// ρ = 0.0002 each; ρ + 2√(ρ ln(1/9e-7)) ≤ 2 gives ρ ≤ (√(L+2) − √L)², L = ln(1/9e-7) = 13.9208…
	lim := math.Sqrt(13.920870738420078+2) - math.Sqrt(13.920870738420078)
	if want := int(lim * lim / 0.0002); k != want {
		t.Errorf("%d releases of 0.02 fit, want %d (basic composition allows 100)", k, want)
	}
	if e, d := l.Spent(); e > 2 || e < 1.99 || d > 1e-6 {
		t.Errorf("spent (%v, %v)", e, d)
	}
	g := pure(1)
	g.Rho, g.Delta = 0.0001, 1e-7 // Gaussian: ρ counts and δ is bought by the conversion
	l2 := NewZCDPLedger(2, 1e-6)
	for i := range 100 {
		if err := l2.Charge("gaussian", g); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	zero := pure(1)
	zero.Rho = 0 // a literal with the field left out
	l3 := NewZCDPLedger(8, 1e-6)
	if err := l3.Charge("r", zero); err != nil {
		t.Fatal(err)
	}
	if e, _ := l3.Spent(); e < 1 {
		t.Errorf("a missing ρ made the release free: spent ε = %v", e)
	}
}

func TestLedgerMarks(t *testing.T) {
	l := NewLedger(math.Inf(1), 1)
	g := pure(0.5)
	g.Seeded, g.ClaimedEps, g.Leaks = true, 0.2, []string{"columns standardised"}
	g.Assumptions = []Assumption{{Text: "rows in the unit ball", Status: Violated}}
	d := gridData(t, 4).MarkLeak("vocabulary from the data")
	if err := l.ChargeOn(d, "training | run", g); err != nil {
		t.Fatal(err)
	}
	for _, view := range []string{l.Markdown(), l.HTML()} {
		for _, want := range []string{"seeded", "claims ε = 0.2, really 0.5", "leak: columns standardised", "leak: vocabulary from the data", "violated: rows in the unit ball"} {
			if !strings.Contains(view, want) {
				t.Errorf("view lacks %q:\n%s", want, view)
			}
		}
	}
	if !strings.Contains(l.Markdown(), `training \| run`) {
		t.Error("a bar in a name breaks the table")
	}
}

func TestLedgerFile(t *testing.T) {
	d := gridData(t, 30)
	l := NewLedger(1, 1e-5)
	a, b := d.Split(0.3, Seed(4))
	for _, x := range []*Data{a, b, d} {
		if err := l.ChargeOn(x, "r", pure(0.25)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.ChargeOn(d, "too much", pure(2)); err == nil {
		t.Fatal("overdraft")
	}
	path := filepath.Join(t.TempDir(), "budget.json")
	if err := l.Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := LoadLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Markdown(), l.Markdown(); got != want {
		t.Errorf("loaded ledger differs:\n%s\nwant\n%s", got, want)
	}
	if err := m.Bind(gridData(t, 29)); err == nil {
		t.Error("bound to data of another shape")
	}
	if err := m.Bind(d); err != nil {
		t.Fatal(err)
	}
	if err := m.ChargeOn(b, "r", pure(0.5)); err != nil {
		t.Error(err)
	}
	if err := m.ChargeOn(a, "r", pure(0.5)); err != nil {
		t.Error("parallel composition was lost by saving:", err)
	}
	if err := m.ChargeOn(a, "r", pure(0.01)); err == nil {
		t.Error("a's rows are used up")
	}
}

func FuzzLedgerJSON(f *testing.F) {
	f.Add([]byte(`{"format":"godp ledger 1","eps":1,"delta":0,"rows":3,"entries":[{"what":"r","rows":[[0,2]],"eps":0.5,"rho":-1,"guarantee":{"eps":0.5}}]}`))
	f.Add([]byte(`{"format":"godp ledger 1","eps":-1,"delta":1}`))
	f.Add([]byte(`{"format":"godp ledger 1","eps":1,"delta":0.5,"zcdp":true,"rows":1000000000,"entries":[{"rows":[[0,1000000000]]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := new(Ledger)
		if json.Unmarshal(data, l) != nil {
			return
		}
		out, err := json.Marshal(l)
		if err != nil {
			t.Fatalf("a loaded ledger cannot be saved: %v", err)
		}
		m := new(Ledger)
		if err := json.Unmarshal(out, m); err != nil {
			t.Fatalf("a saved ledger cannot be loaded: %v\n%s", err, out)
		}
		e, d := l.Spent()
		e2, d2 := m.Spent()
		if e != e2 || d != d2 {
			t.Fatalf("totals changed: (%v, %v) to (%v, %v)", e, d, e2, d2)
		}
	})
}

func TestLedgerConcurrent(t *testing.T) {
	l := NewLedger(1, 0)
	var wg sync.WaitGroup
	var mu sync.Mutex
	ok := 0
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if l.Charge("r", pure(1.0/64)) == nil {
					mu.Lock()
					ok++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if ok != 64 {
		t.Errorf("%d charges of 1/64 were accepted by a budget of 1", ok)
	}
}

func TestLedgersForgetsTheUnreachable(t *testing.T) {
	l := NewLedger(3, 0)
	found := false
	for _, x := range Ledgers() {
		if e, _ := x.Budget(); e == 3 && x.book == l.book {
			found = true
		}
	}
	if !found {
		t.Error("a live ledger is not listed")
	}
	n := len(Ledgers())
	func() { NewLedger(4, 0) }()
	runtime.GC()
	runtime.GC()
	if len(Ledgers()) > n {
		t.Error("a dropped ledger is still listed")
	}
	runtime.KeepAlive(l)
}

func TestPrivateShowsNoRow(t *testing.T) {
	d, err := NewData([][]float64{{0.123456, 0.2}, {0.654321, -0.1}}, []float64{1, -1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Private(d, NewLedger(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	j, _ := json.Marshal(p)
	for _, s := range []string{fmt.Sprint(p), fmt.Sprintf("%v", p), fmt.Sprintf("%+v", p), fmt.Sprintf("%#v", p), fmt.Sprintf("%v", *p), fmt.Sprintf("%+v", []any{*p}), fmt.Sprintf("%d", p), p.Markdown(), string(j)} {
		if strings.Contains(s, "123456") || strings.Contains(s, "654321") {
			t.Errorf("a row shows: %s", s)
		}
	}
	if s := fmt.Sprintf("%+v", *p); !strings.HasPrefix(s, "private data:") {
		t.Errorf("a copy prints its fields: %s", s)
	}
	if !strings.Contains(fmt.Sprint(p), "2 rows × 2 columns") {
		t.Error(fmt.Sprint(p))
	}
}

func TestPrivateChargesBeforeItDraws(t *testing.T) {
	drawn := 0
	m := Claimed{Name: "sum", Eps: 0.6, Run: func(d *Data, src *Source) []float64 { drawn++; return []float64{src.Float64()} }}
	p, err := Private(gridData(t, 10), NewLedger(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Release(m, Seed(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Release(m, nil); err == nil || drawn != 1 {
		t.Errorf("an unaffordable release: err = %v, mechanism ran %d times", err, drawn)
	}
	if e := p.Ledger().Entries(); len(e[0].Marks) == 0 || e[0].What != "sum" {
		t.Errorf("first line: %+v", e[0])
	}
	a, b := p.Split(0.5, Seed(1))
	small := Claimed{Name: "small", Eps: 0.4, Run: m.Run}
	for _, q := range []*PrivateData{a, b} {
		if _, err := q.Release(small, nil); err != nil {
			t.Errorf("disjoint halves: %v", err)
		}
	}
	if _, err := Private(gridData(t, 10), nil); err == nil {
		t.Error("private data without a ledger")
	}
	if _, err := Private(gridData(t, 10), p.Ledger()); err == nil {
		t.Error("one ledger for two data sets")
	}
}

func TestPrivateErrorRate(t *testing.T) {
	p, err := Private(gridData(t, 1000), NewLedger(2, 0))
	if err != nil {
		t.Fatal(err)
	}
	always := constantClassifier(1) // wrong on half the rows
	e, err := p.ErrorRate(always, 1, Seed(3))
	if err != nil {
		t.Fatal(err)
	}
	// Laplace noise of scale 1/1000 exceeds 0.03 with probability e^-30.
	if math.Abs(e-0.5) > 0.03 {
		t.Errorf("error rate %v, want about 0.5", e)
	}
	if _, err := p.ErrorRate(always, 0, nil); err == nil {
		t.Error("ε = 0 accepted")
	}
}

type constantClassifier float64

func (c constantClassifier) Predict([]float64) float64 { return float64(c) }

// Add/remove guarantees add up among themselves, and count for two rows beside a replace-one guarantee.
func TestLedgerOfTwoRelations(t *testing.T) {
	ar := func(eps, delta float64) Guarantee { return Guarantee{Eps: eps, Delta: delta, Neighbours: AddRemove} }
	near := func(what string, l *Ledger, eps, delta float64, nb Neighbours) {
		t.Helper()
		if e, d := l.Spent(); math.Abs(e-eps) > 1e-12 || math.Abs(d-delta) > 1e-15 || l.Neighbours() != nb {
			t.Errorf("%s: (%v, %v) under %s, want (%v, %v) under %s", what, e, d, l.Neighbours(), eps, delta, nb)
		}
	}
	l := NewLedger(2, 1e-5)
	near("empty", l, 0, 0, ReplaceOne)
	for range 2 {
		if err := l.Charge("count", ar(0.3, 1e-6)); err != nil {
			t.Fatal(err)
		}
	}
	near("one relation", l, 0.6, 2e-6, AddRemove)
	if s := l.String(); !strings.Contains(s, "add/remove") {
		t.Error(s)
	}
	if err := l.Charge("too much", Guarantee{Eps: 0.9, Neighbours: ReplaceOne}); err == nil {
		t.Error("1.2 + 0.9 was accepted for 2")
	}
	near("after the refusal", l, 0.6, 2e-6, AddRemove)
	if err := l.Charge("mean", Guarantee{Eps: 0.7, Neighbours: ReplaceOne}); err != nil {
		t.Fatal(err)
	}
	mixed := 2 * 1e-6 * (1 + math.Exp(0.3))
	near("two relations", l, 1.9, mixed, ReplaceOne)
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	saved := &Ledger{}
	if err := json.Unmarshal(b, saved); err != nil {
		t.Fatal(err)
	}
	near("saved and loaded", saved, 1.9, mixed, ReplaceOne)
	if err := l.Charge("count", ar(0.06, 0)); err == nil {
		t.Error("2·0.06 was accepted where 0.1 was left")
	}

	// ρ grows with the square of the group.
	z := NewZCDPLedger(3, 1e-6)
	if err := z.Charge("a", ar(0.1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := z.Charge("b", Guarantee{Eps: 0.2, Neighbours: ReplaceOne}); err != nil {
		t.Fatal(err)
	}
	rho := 4*0.1*0.1/2 + 0.2*0.2/2
	near("zCDP", z, rho+2*math.Sqrt(rho*math.Log(1/0.9e-6)), 0.9e-6, ReplaceOne)
}
