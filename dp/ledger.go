package dp

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"weak"
)

// A Ledger is a privacy budget and the account of what was spent from it.
//
// Think of it as a bank book for one data set: every release writes a line
// before it draws its noise, and a line that would overdraw the account is
// refused, so nothing is drawn. The total on the book bounds what everybody
// who saw all the releases can learn about any one row.
//
// The book knows two rules. Releases computed from the same rows add up
// (sequential composition); releases computed from disjoint sets of rows cost
// only the largest of them (parallel composition), because under the
// replace-one relation one person's row lies in one of the sets only. Disjoint
// parts are recognised when they come from [Data.Split] or [Data.Subset] of
// one data set; see [Ledger.For].
//
// Guarantees under add/remove neighbours add up among themselves. Beside a
// replace-one guarantee they count as what they are under replace-one: replacing
// a row is one removal and one addition, so ε counts twice, δ 1+e^ε times
// and ρ four times (group privacy for two; see [Ledger.Neighbours]).
//
// A limit of +Inf makes an odometer: it never refuses and only reports.
// A nil *Ledger is no ledger: Charge on it does nothing.
//
// All views made by For share one book, and a Ledger may be used by several
// goroutines.
type Ledger struct {
	book *book
	rows []int32 // row numbers in the bound data set; nil = every row
	part string
}

// An Entry is one line of a ledger.
type Entry struct {
	N         int       // line number, from 1
	Site      string    // where the release was asked for: file:line, or the cell and its line, In[3]:2
	What      string    // what was released
	Part      string    // the rows used, "" = all
	Guarantee Guarantee // the claim it was charged by
	Marks     []string  // leak marks, violated assumptions, seeded randomness
	Refused   bool      // it would have overdrawn the budget; nothing was drawn
}

// book is what all views of a ledger share.
type book struct {
	mu         sync.Mutex
	eps, delta float64
	zcdp       bool
	n, dim     int // shape of the bound data set, 0 = not bound
	root       any // identity of the bound data set
	rowsOf     [][]int32
	entries    []Entry
	base       spend   // charged to every row
	atom       []int32 // row -> class of rows with the same history; nil = one class
	class      []spend // class -> spend beyond base
	replace    bool    // a replace-one guarantee was accepted, so the total is one
}

// An OverBudget is the error of a charge that was refused.
type OverBudget struct {
	What               string  // what was to be released
	Eps, Delta         float64 // what the ledger would show after the charge
	EpsLimit, DelLimit float64 // the budget
	EpsSpent, DelSpent float64 // what was spent before
}

// Error says what was asked for, what the budget is and what to do.
func (e *OverBudget) Error() string {
	return fmt.Sprintf("dp: the ledger refuses %q: it would bring the total to (ε, δ) = (%.4g, %.3g), the budget is (%.4g, %.3g) and (%.4g, %.3g) is already spent; nothing was drawn. Ask for a smaller ε or δ, or use rows that were never used",
		e.What, e.Eps, e.Delta, e.EpsLimit, e.DelLimit, e.EpsSpent, e.DelSpent)
}

// NewLedger returns a ledger with the budget (eps, delta) that composes by
// addition: Σε_i ≤ eps and Σδ_i ≤ delta, which is valid also when later releases
// depend on earlier outputs (Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6
// for the filter with basic composition).
//
// eps = +Inf makes an odometer. It panics if eps is not positive or delta is
// outside [0, 1].
func NewLedger(eps, delta float64) *Ledger {
	return newLedger(eps, delta, false)
}

// NewZCDPLedger returns a ledger with the budget (eps, delta) that composes in
// zero-concentrated differential privacy: releases cost ρ_i (a pure ε_i release
// costs ε_i²/2) and the total is
//
//	ε = ρ + 2√(ρ ln(1/δ')),  ρ = Σρ_i,  δ = δ' + Σδ_i,
//
// with δ' = 0.9·delta fixed beforehand and the other tenth for releases that
// are only (ε, δ)-DP. The filter "stop before Σρ_i passes the limit" is valid
// for releases chosen adaptively (Feldman and Zrnic 2021, Theorem 3.1; Whitehouse,
// Ramdas, Rogers and Wu 2023). Many small releases cost about √k instead of k times one.
//
// It panics if eps is not positive and finite or delta is outside (0, 1).
func NewZCDPLedger(eps, delta float64) *Ledger {
	if math.IsInf(eps, 1) || delta <= 0 || delta >= 1 {
		panic(fmt.Sprintf("dp.NewZCDPLedger: eps = %v must be finite and delta = %v in (0, 1): there is no valid zCDP odometer, and δ = 0 cannot be reached from ρ > 0", eps, delta))
	}
	return newLedger(eps, delta, true)
}

func newLedger(eps, delta float64, zcdp bool) *Ledger {
	if !(eps > 0) {
		panic(fmt.Sprintf("dp.NewLedger: eps = %v must be positive (+Inf for an odometer)", eps))
	}
	if !(delta >= 0 && delta <= 1) {
		panic(fmt.Sprintf("dp.NewLedger: delta = %v must lie in [0, 1]", delta))
	}
	b := &book{eps: eps, delta: delta, zcdp: zcdp}
	l := &Ledger{book: b}
	registerLedger(b)
	return l
}

// Budget returns the limits.
func (l *Ledger) Budget() (eps, delta float64) { return l.book.eps, l.book.delta }

// Spent returns the total (ε, δ) that all accepted releases guarantee together,
// for the row that was used most.
func (l *Ledger) Spent() (eps, delta float64) {
	b := l.book
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total(b.worst(), b.replace)
}

// Neighbours returns the relation that [Ledger.Spent] speaks about: [AddRemove] as long as every accepted release is
// guaranteed under it, [ReplaceOne] otherwise.
func (l *Ledger) Neighbours() Neighbours {
	b := l.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.entries) > 0 && !b.replace && b.worst().n > 0 {
		return AddRemove
	}
	return ReplaceOne
}

// Left returns what one more pure release under the relation of [Ledger.Neighbours] may cost, and the δ not yet used.
// For a zCDP ledger ε is the largest pure-DP parameter that would be accepted.
func (l *Ledger) Left() (eps, delta float64) {
	b := l.book
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.worst()
	e, d := b.total(w, b.replace)
	delta = math.Max(0, b.delta-d)
	if !b.zcdp {
		return math.Max(0, b.eps-e), delta
	}
	return math.Sqrt(2 * math.Max(0, b.rhoLimit()-w.under(b.replace).rho)), delta
}

// Entries returns a copy of all lines, refused ones included.
func (l *Ledger) Entries() []Entry {
	l.book.mu.Lock()
	defer l.book.mu.Unlock()
	return append([]Entry(nil), l.book.entries...)
}

// Charge writes the line "what" with the guarantee g, or refuses with an
// [OverBudget] error. A release calls it before it draws any noise. On a nil
// Ledger it does nothing.
//
// A guarantee with ε = +Inf (no privacy) is refused by a ledger with a limit.
func (l *Ledger) Charge(what string, g Guarantee) error {
	if l == nil {
		return nil
	}
	return l.book.charge(what, g, l.rows, l.part, nil)
}

// ChargeOn is Charge for a release computed from d. When d is a part of the data
// set the ledger is bound to, only d's rows are charged. A ledger that is
// not bound yet is bound to the data set d comes from.
func (l *Ledger) ChargeOn(d *Data, what string, g Guarantee) error {
	if l == nil {
		return nil
	}
	return l.For(d).charge(what, g, d.Leaks())
}

func (l *Ledger) charge(what string, g Guarantee, leaks []string) error {
	return l.book.charge(what, g, l.rows, l.part, leaks)
}

// Bind ties the ledger to the data set d (to the whole set that d was split
// from) and returns the ledger. A ledger that was saved and loaded again is
// bound anew; the shape must then be the same. It fails if the ledger is
// already bound to another data set.
func (l *Ledger) Bind(d *Data) error {
	root, n, _ := d.provenance()
	b := l.book
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.root != nil && b.root != root:
		return fmt.Errorf("dp: this ledger is already bound to another data set of %d rows; make a new ledger for a new data set", b.n)
	case b.n != 0 && b.n != n:
		return fmt.Errorf("dp: this ledger belongs to a data set of %d rows, not %d", b.n, n)
	}
	b.root, b.n, b.dim = root, n, d.Dim()
	return nil
}

// For returns a view of the ledger that charges only the rows of d, a part of the bound data
// set made by Split or Subset. Views of disjoint parts compose in parallel.
// If d does not come from the bound data set (its rows may be a transformed copy), the
// view charges every row: the safe reading.
func (l *Ledger) For(d *Data) *Ledger {
	if l == nil {
		return nil
	}
	root, n, rows := d.provenance()
	b := l.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.root == nil && b.n == 0 && len(b.entries) == 0 {
		b.root, b.n, b.dim = root, n, d.Dim()
	}
	if b.root != root || rows == nil || len(rows) == 0 {
		return &Ledger{book: b, rows: l.rows, part: l.part}
	}
	return &Ledger{book: b, rows: rows, part: fmt.Sprintf("%d of %d rows", len(rows), n)}
}

func (b *book) charge(what string, g Guarantee, rows []int32, part string, leaks []string) error {
	s, err := b.price(what, g)
	if err != nil {
		return err
	}
	if g.Neighbours != ReplaceOne && rows != nil {
		// Adding or removing one row shifts the index split: disjoint parts may all change.
		rows, part = nil, part+" (not replace-one: charged to all rows)"
	}
	site := callSite()
	b.mu.Lock()
	defer b.mu.Unlock()
	e := Entry{N: len(b.entries) + 1, Site: site, What: what, Part: part, Guarantee: g, Marks: marks(g, leaks)}
	atom, class, base := b.spread(rows, s)
	after := base
	if len(class) > 0 {
		after = base.plus(b.heaviest(class))
	}
	// A guarantee under replace-one says nothing about a row that is added: from the first one on the total is replace-one.
	replace := b.replace || g.Neighbours != AddRemove
	eps, del := b.total(after, replace)
	const slack = 1e-12 // ten charges of 0.1 fit into a budget of 1
	over := eps > b.eps*(1+slack) || del > b.delta*(1+slack)
	if b.zcdp {
		c := after.under(replace)
		over = c.rho > b.rhoLimit()*(1+slack) || c.slack > (1-zcdpShare)*b.delta*(1+slack)
	}
	if math.IsInf(b.eps, 1) {
		over = false
	}
	if over {
		e.Refused = true
		b.entries = append(b.entries, e)
		b.rowsOf = append(b.rowsOf, nil)
		es, ds := b.total(b.worst(), b.replace)
		return &OverBudget{What: what, Eps: eps, Delta: del, EpsLimit: b.eps, DelLimit: b.delta, EpsSpent: es, DelSpent: ds}
	}
	b.entries = append(b.entries, e)
	b.rowsOf = append(b.rowsOf, rows)
	b.atom, b.class, b.base, b.replace = atom, class, base, replace
	return nil
}

// spread returns the state after charging s to rows (nil = all).
func (b *book) spread(rows []int32, s spend) (atom []int32, class []spend, base spend) {
	if rows == nil || b.n == 0 {
		return b.atom, b.class, b.base.plus(s)
	}
	atom, class = b.atom, append([]spend(nil), b.class...)
	if atom == nil {
		atom, class = make([]int32, b.n), []spend{{}}
	} else {
		atom = append([]int32(nil), atom...)
	}
	// Rows of one class that are charged now move together into a new class;
	// a class that is charged entirely keeps its number.
	size, hit := make([]int, len(class)), make([]int, len(class))
	for _, c := range atom {
		size[c]++
	}
	seen := make(map[int32]bool, len(rows))
	for _, r := range rows {
		if !seen[r] {
			seen[r] = true
			hit[atom[r]]++
		}
	}
	to := make([]int32, len(class))
	for c := range to {
		to[c] = int32(c)
		switch {
		case hit[c] == 0:
		case hit[c] == size[c]:
			class[c] = class[c].plus(s)
		default:
			to[c] = int32(len(class))
			class = append(class, class[c].plus(s))
		}
	}
	for r := range seen {
		atom[r] = to[atom[r]]
	}
	return atom, class, b.base
}

func marks(g Guarantee, leaks []string) []string {
	var m []string
	if g.Seeded {
		m = append(m, "seeded randomness: not private")
	}
	if math.IsInf(g.Eps, 1) {
		m = append(m, "no privacy at all (ε = ∞)")
	}
	if g.ClaimedEps < g.Eps {
		m = append(m, fmt.Sprintf("claims ε = %.4g, really %.4g", g.ClaimedEps, g.Eps))
	}
	for _, a := range g.Assumptions {
		if a.Status == Violated {
			m = append(m, "violated: "+a.Text)
		}
	}
	for _, s := range append(append([]string(nil), g.Leaks...), leaks...) {
		m = append(m, "leak: "+s)
	}
	return dedup(m)
}

func dedup(s []string) []string {
	seen := map[string]bool{}
	out := s[:0]
	for _, x := range s {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// callSite names the caller outside this package: file:line, or the cell when
// the call came from interpreted code (whose frames are the interpreter's own).
func callSite() string {
	var pc [64]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	for {
		f, more := frames.Next()
		inside := strings.HasPrefix(f.Function, "example.org/godp/dp.") && !strings.HasSuffix(f.File, "_test.go")
		if f.Function != "" && !inside {
			if strings.HasPrefix(f.Function, "reflect.") || strings.Contains(f.Function, "traefik/yaegi") {
				return cellName(ambientContext())
			}
			file := f.File[strings.LastIndexByte(f.File, '/')+1:]
			return fmt.Sprintf("%s:%d", file, f.Line)
		}
		if !more {
			return "unknown"
		}
	}
}

// cellName asks the running computation's context for the place in the cell; see [WithCallSite].
func cellName(ctx context.Context) string {
	if f, ok := ctx.Value(callSiteKey{}).(func() string); ok {
		if s := f(); s != "" {
			return s
		}
	}
	return "a cell"
}

// The ledgers that are still in use, for a summary of all budgets in a session.
var registry struct {
	sync.Mutex
	books []weak.Pointer[book]
}

func registerLedger(b *book) {
	registry.Lock()
	defer registry.Unlock()
	live := registry.books[:0]
	for _, w := range registry.books {
		if w.Value() != nil {
			live = append(live, w)
		}
	}
	registry.books = append(live, weak.Make(b))
}

// Ledgers returns every ledger of this process that is still reachable, oldest first.
func Ledgers() []*Ledger {
	registry.Lock()
	defer registry.Unlock()
	var out []*Ledger
	for _, w := range registry.books {
		if b := w.Value(); b != nil {
			out = append(out, &Ledger{book: b})
		}
	}
	return out
}
