package dp

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// A PrivateData is a data set behind a counter: its rows can be reached only through
// mechanisms, and every mechanism is charged to the ledger before it draws.
// Printing it in any format shows the shape and the spent budget, never a row.
//
// It guards against accidents, as in an exercise or a classroom. It does not guard against
// malice: the ledger believes what a mechanism claims, and a mechanism written in a
// cell sees the rows it is given. [Audit] tests such claims.
//
// Under the replace-one relation the number of rows is public, and so are the dimension, the
// radius and the class names.
type PrivateData struct {
	d *Data
	l *Ledger
}

// Private puts d behind the ledger. The ledger is bound to d; a nil ledger is an error,
// for then nothing would be counted.
func Private(d *Data, ledger *Ledger) (*PrivateData, error) {
	if d == nil {
		return nil, fmt.Errorf("dp.Private: the data set is nil")
	}
	if ledger == nil {
		return nil, fmt.Errorf("dp.Private: the ledger is nil; make one with dp.NewLedger(eps, delta)")
	}
	if err := ledger.Bind(d); err != nil {
		return nil, err
	}
	return &PrivateData{d: d, l: ledger}, nil
}

// Len returns the number of rows, which is public.
func (p *PrivateData) Len() int { return p.d.Len() }

// Dim returns the number of columns.
func (p *PrivateData) Dim() int { return p.d.Dim() }

// Radius returns the bound on the norm of every row.
func (p *PrivateData) Radius() float64 { return p.d.Radius() }

// Ledger returns the ledger that pays.
func (p *PrivateData) Ledger() *Ledger { return p.l }

// Split divides the rows at random into two handles on the same ledger. The parts are
// disjoint, so what is spent on one does not add to what is spent on the other.
func (p *PrivateData) Split(frac float64, src *Source) (first, rest *PrivateData) {
	a, b := p.d.Split(frac, src)
	return &PrivateData{a, p.l}, &PrivateData{b, p.l}
}

// Release charges m's claim to the ledger and then runs m. It fails, drawing nothing, if the
// budget does not allow it. A nil src means [Secure].
func (p *PrivateData) Release(m Mechanism, src *Source) ([]float64, error) {
	if err := p.charge(m, src); err != nil {
		return nil, err
	}
	return m.Release(p.d, orSecure(src))
}

// A Trainer is a mechanism that releases a model.
type Trainer interface {
	Mechanism
	Train(d *Data) (*Model, error)                             // under the ambient context
	TrainContext(ctx context.Context, d *Data) (*Model, error) // stops, releasing nothing, when ctx is done
}

// Train charges t's claim to the ledger and then trains. The trainer's own Ledger field should
// be left nil, or the training is paid twice.
func (p *PrivateData) Train(t Trainer) (*Model, error) {
	if err := p.charge(t, nil); err != nil {
		return nil, err
	}
	return t.Train(p.d)
}

func (p *PrivateData) charge(m Mechanism, src *Source) error {
	g, err := m.Claim(p.d)
	if err != nil {
		return err
	}
	if src != nil && src.Seeded() {
		g.Seeded = true
	}
	what := g.Mechanism
	if what == "" {
		what = strings.TrimPrefix(fmt.Sprintf("%T", m), "dp.")
	}
	return p.l.ChargeOn(p.d, what, g)
}

// ErrorRate releases the share of rows that m gets wrong with noise from the Laplace
// law of scale 1/(n·eps), clipped to [0, 1]: replacing one row changes the share by at most 1/n,
// so the release is eps-DP. A nil src means [Secure].
func (p *PrivateData) ErrorRate(m Classifier, eps float64, src *Source) (float64, error) {
	if !(eps > 0) || math.IsInf(eps, 1) {
		return 0, fmt.Errorf("dp: ErrorRate: eps = %v must be positive and finite", eps)
	}
	out, err := p.Release(Claimed{Name: "error rate", Eps: eps, Neighbours: ReplaceOne, Run: func(d *Data, src *Source) []float64 {
		return []float64{ErrorRate(m, d) + laplace(src, 1/(float64(d.Len())*eps))}
	}}, src)
	if err != nil {
		return 0, err
	}
	return math.Min(1, math.Max(0, out[0])), nil
}

// laplace draws from the law with density exp(-|t|/scale)/(2 scale).
func laplace(src *Source, scale float64) float64 {
	return scale * (src.Exp() - src.Exp())
}

// String shows the shape and the spent budget only.
func (p PrivateData) String() string {
	return fmt.Sprintf("private data: %d rows × %d columns, ‖x‖ ≤ %.4g; %s", p.d.Len(), p.d.Dim(), p.d.Radius(), p.l)
}

// GoString is String, for %#v.
func (p PrivateData) GoString() string { return p.String() }

// Format makes every verb of package fmt print String.
func (p PrivateData) Format(s fmt.State, verb rune) { fmt.Fprint(s, p.String()) }

// MarshalJSON writes the shape only.
func (p PrivateData) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`{"rows":%d,"columns":%d}`, p.d.Len(), p.d.Dim())), nil
}

// Markdown shows the shape and the ledger.
func (p PrivateData) Markdown() string {
	return fmt.Sprintf("**Private data**: %d rows × %d columns, ‖x‖ ≤ %.4g\n\n%s", p.d.Len(), p.d.Dim(), p.d.Radius(), p.l.Markdown())
}
