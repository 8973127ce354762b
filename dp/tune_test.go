package dp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/godp/dp/internal/stattest"
)

func TestStoppingOracles(t *testing.T) {
	for _, o := range oracles(t, "PapernotSteinkeTNB") {
		s := NegativeBinomialStopping(o.num("eta"), o.num("gamma"))
		near(t, o.ID+" mean", s.Mean(), o.out("mean_K"), 1e-10)
		for k, want := range oracleNumbers(o.Outputs["pmf_1_2_3"]) {
			near(t, o.ID+" pmf", s.PMF(k+1), want, 1e-10)
		}
		total, err := s.PureEps(o.num("eps"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID+" total", total, o.out("pure_dp_total"), 1e-10)
	}
	for _, o := range oracles(t, "PapernotSteinkeTNBRDP") {
		got, err := NegativeBinomialStopping(o.num("eta"), o.num("gamma")).RDP(o.num("alpha"), o.num("rdp"), o.num("alpha_hat"), o.num("rdp_hat"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID, got, o.out("rdp_total"), 1e-10)
	}
	for _, o := range oracles(t, "PapernotSteinkePoisson") {
		got, err := PoissonStopping(o.num("mu")).PoissonRDP(o.num("alpha"), o.num("rdp"), o.num("delta_hat"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, o.ID, got, o.out("rdp_total"), 1e-10)
	}
}

var stoppingLaws = []RandomStopping{GeometricStopping(0.1), LogarithmicStopping(0.05), NegativeBinomialStopping(0.5, 0.1),
	NegativeBinomialStopping(-0.5, 0.05), NegativeBinomialStopping(2, 0.3), PoissonStopping(7), PoissonStopping(0.4)}

// The masses add up to one with the stated mean, and draws follow them (χ² at 1e-6).
func TestStoppingLaws(t *testing.T) {
	for i, s := range stoppingLaws {
		sum, mean := 0.0, 0.0
		probs := make([]float64, 3000)
		for k := range probs {
			probs[k] = s.PMF(k)
			sum += probs[k]
			mean += float64(k) * probs[k]
		}
		near(t, s.String()+" total", sum, 1, 1e-10)
		near(t, s.String()+" mean", mean, s.Mean(), 1e-9)
		counts, n, src := make([]int, len(probs)), 40000, Seed(uint64(i))
		for range n {
			k, err := s.Draw(src)
			if err != nil {
				t.Fatal(err)
			}
			if k < len(counts) {
				counts[k]++
			}
		}
		if p := stattest.ChiSquare(counts, probs, n); p < falseAlarm {
			t.Errorf("%s: p-value %g", s, p)
		}
	}
}

// bestOfLaw is the law of the largest of K draws from p on ordered outcomes: G(F(y)) − G(F(y−)) with the generating function
// G of K, summed term by term from its mass function.
func bestOfLaw(pmf, p []float64) (none float64, q []float64) {
	pgf := func(z float64) float64 { // Horner
		g := 0.0
		for k := len(pmf) - 1; k >= 0; k-- {
			g = g*z + pmf[k]
		}
		return g
	}
	cum, before := 0.0, pgf(0)
	none = before
	for _, x := range p {
		cum = math.Min(1, cum+x)
		now := pgf(cum)
		q = append(q, now-before)
		before = now
	}
	return none, q
}

// Best-of-K on pairs of laws whose ratio is at most e^ε: the pure total bounds the log ratio of the outputs and is nearly reached, and the
// (ε, δ) totals bound the excess Σ max(0, P − e^ε Q).
func TestBestOfPrivacy(t *testing.T) {
	const eps = 0.3
	src := Seed(12)
	pair := func() (p, q []float64) {
		// A random law on 3 outcomes, and a neighbour: weights multiplied by e^{±ε/2} keep the ratio within e^ε after normalising.
		p, q = make([]float64, 3), make([]float64, 3)
		a, b := 0.0, 0.0
		for i := range p {
			p[i] = math.Pow(src.Float64(), 3)
			q[i] = p[i]
			if src.Intn(2) == 0 {
				q[i] *= math.Exp(eps)
			}
			a, b = a+p[i], b+q[i]
		}
		for i := range p {
			p[i], q[i] = p[i]/a, q[i]/b
		}
		return p, q
	}
	base := pureRho(toolClaim("", "", "", eps, 0, ReplaceOne))
	// Nearly reaches the bound for small γ: a middle outcome v far rarer than the best one u, one shrinks and the other
	// grows by e^ε.
	extreme := func(u float64) (p, q []float64) {
		v := u / 1000
		return []float64{1 - u - v, v, u}, []float64{1 - u*math.Exp(eps) - v*math.Exp(-eps), v * math.Exp(-eps), u * math.Exp(eps)}
	}
	for _, s := range []RandomStopping{GeometricStopping(0.004), LogarithmicStopping(0.004), NegativeBinomialStopping(0.5, 0.004), PoissonStopping(5)} {
		worst, pmf := 0.0, make([]float64, 10000)
		for k := range pmf {
			pmf[k] = s.PMF(k)
		}
		const delta = 1e-4
		total, err := s.Total(base, delta)
		if err != nil {
			t.Fatal(err)
		}
		for trial := range 60 {
			p, q := pair()
			if trial >= 40 {
				p, q = extreme(math.Exp(-float64(trial-34) / 3))
			}
			n0, a := bestOfLaw(pmf, p)
			n1, b := bestOfLaw(pmf, q)
			a, b = append(a, n0), append(b, n1)
			for _, dir := range [][2][]float64{{a, b}, {b, a}} {
				excess := 0.0
				for i := range dir[0] {
					if dir[0][i] > 1e-12 {
						worst = math.Max(worst, math.Log(dir[0][i]/dir[1][i]))
					}
					excess += math.Max(0, dir[0][i]-math.Exp(total)*dir[1][i])
				}
				if excess > delta {
					t.Errorf("%s: excess %g at ε = %g, allowed %g", s, excess, total, delta)
				}
			}
		}
		if s.Mu > 0 {
			if total > 6*eps {
				t.Errorf("%s: total ε %g for repetitions at %g", s, total, eps)
			}
			continue
		}
		pure, err := s.Total(base, 0)
		if err != nil {
			t.Fatal(err)
		}
		if worst > pure*(1+1e-9) || worst < 0.9*pure {
			t.Errorf("%s: largest log ratio %g, stated total %g", s, worst, pure)
		}
		if total > pure {
			t.Errorf("%s: (ε, δ) total %g above the pure %g", s, total, pure)
		}
	}
}

// A spy records which rows it was trained on and returns a fixed classifier.
type spy struct {
	eps     float64
	w       []float64
	trained *[]*Data
}

func (s spy) Claim(d *Data) (Guarantee, error) {
	if s.eps < 0 {
		return Guarantee{}, errors.New("spy refuses")
	}
	return toolClaim("spy", "", "", s.eps, 0, ReplaceOne), nil
}
func (s spy) Release(d *Data, src *Source) ([]float64, error) { return s.w, nil }
func (s spy) Train(d *Data) (*Model, error)                   { return s.TrainContext(context.Background(), d) }
func (s spy) TrainContext(ctx context.Context, d *Data) (*Model, error) {
	if s.trained != nil {
		*s.trained = append(*s.trained, d)
	}
	g, err := s.Claim(d)
	return newModel(d, s.w, Logistic(), g, nil), err
}

// spied returns 200 rows on a line, label = sign, and spies of which only the second classifies well.
func spied(t *testing.T) (*Data, []Trainer, *[]*Data) {
	rows, labels := make([][]float64, 200), make([]float64, 200)
	for i := range rows {
		rows[i] = []float64{float64(i-100)/100 + 0.003}
		labels[i] = sign(rows[i][0])
	}
	d, err := NewData(rows, labels, 1)
	if err != nil {
		t.Fatal(err)
	}
	var trained []*Data
	return d, []Trainer{spy{0.3, []float64{-1}, &trained}, spy{0.9, []float64{1}, &trained}, spy{0.5, []float64{0}, &trained}}, &trained
}

func TestPrivateTuning(t *testing.T) {
	d, candidates, trained := spied(t)
	for _, selection := range []string{"", "exponential", "permute-and-flip"} {
		*trained = nil
		l := NewLedger(10, 0)
		tuning := PrivateTuning{Candidates: candidates, Selection: selection, Rand: Seed(3), Ledger: l}
		out, err := tuning.Run(d)
		if err != nil {
			t.Fatal(err)
		}
		if out.Index != 1 || out.Model.Weights[0] != 1 || out.Model.Params["choice"] != 1 || len(out.Models) != 3 {
			t.Errorf("%s: chose %d", selection, out.Index) // the others make 100 % and 50 % errors on 50 rows at ε = 0.9
		}
		if out.Guarantee.Eps != 0.9 || out.Model.Guarantee.Eps != 0.9 || !out.Guarantee.Seeded {
			t.Errorf("guarantee %+v, want the largest ε, 0.9, and the seed marked", out.Guarantee)
		}
		if e := l.Entries(); len(e) != 1 || e[0].Guarantee.Eps != 0.9 {
			t.Errorf("ledger %+v, want one charge of 0.9", e)
		}
		// Parts: 50 rows each, disjoint, and 50 left for the choice.
		seen := map[float64]bool{}
		for _, part := range *trained {
			if part.Len() != 50 {
				t.Errorf("part of %d rows, want 50", part.Len())
			}
			for i := range part.Len() {
				x := part.Row(i)[0]
				if seen[x] {
					t.Fatalf("row %v in two parts", x)
				}
				seen[x] = true
			}
		}
		if len(*trained) != 3 || len(seen) != 150 {
			t.Errorf("%d fits on %d rows", len(*trained), len(seen))
		}
	}
	// The choice's ε counts when it is the largest; its share of rows is as asked.
	*trained = nil
	out, err := PrivateTuning{Candidates: candidates, Eps: 2, Holdout: 0.4}.Run(d)
	if err != nil {
		t.Fatal(err)
	}
	if out.Guarantee.Eps != 2 || (*trained)[0].Len() != 40 || out.Guarantee.Seeded {
		t.Errorf("ε = %g, parts of %d rows", out.Guarantee.Eps, (*trained)[0].Len())
	}
}

// The law of the choice is the exponential mechanism's on the holdout counts: with spies that ignore the data the counts are
// known, so 4,000 tunings can be compared with Probabilities by χ² (false-alarm rate 1e-6).
func TestPrivateTuningLaw(t *testing.T) {
	rows, labels := make([][]float64, 8), make([]float64, 8)
	for i := range rows {
		rows[i], labels[i] = []float64{1}, 1
	}
	d, err := NewData(rows, labels, 1)
	if err != nil {
		t.Fatal(err)
	}
	candidates := []Trainer{spy{1, []float64{1}, nil}, spy{1, []float64{-1}, nil}}
	probs, err := Exponential{Eps: 0.7}.Probabilities([]float64{0, -6}) // 2·1 rows train, 6 are held out
	if err != nil {
		t.Fatal(err)
	}
	counts, src := make([]int, 2), Seed(4)
	for range 4000 {
		out, err := PrivateTuning{Candidates: candidates, Eps: 0.7, Holdout: 0.75, Rand: src}.Run(d)
		if err != nil {
			t.Fatal(err)
		}
		counts[out.Index]++
	}
	if p := stattest.ChiSquare(counts, probs, 4000); p < falseAlarm {
		t.Errorf("choices %v, expected %v: p-value %g", counts, probs, p)
	}
}

func TestBestOf(t *testing.T) {
	d, candidates, trained := spied(t)
	l := NewLedger(10, 0)
	best, err := BestOf{Candidates: candidates, Stop: GeometricStopping(0.02), Rand: Seed(1), Ledger: l}.Run(d)
	if err != nil {
		t.Fatal(err)
	}
	if best.Index != 1 || best.Holdout != 40 || best.Model.Weights[0] != 1 {
		t.Errorf("best: candidate %d, %d held out", best.Index, best.Holdout)
	}
	near(t, "total ε", best.Guarantee.Eps, 2.7, 1e-12)
	if e := l.Entries(); len(e) != 1 || math.Abs(e[0].Guarantee.Eps-2.7) > 1e-12 {
		t.Errorf("ledger %+v", e)
	}
	// Every fit used the same training rows, disjoint from the holdout rows.
	first := fmt.Sprint((*trained)[0].Row(0), (*trained)[0].Row(159))
	for _, part := range *trained {
		if part.Len() != 160 || fmt.Sprint(part.Row(0), part.Row(159)) != first {
			t.Error("repetitions trained on different rows")
		}
	}
	// Poisson: (ε, δ), and possibly nothing at all.
	p := BestOf{Candidates: candidates, Stop: PoissonStopping(0.1), Delta: 1e-5, Rand: Seed(2)}
	g, err := p.Claim(d)
	if err != nil || g.Delta != 1e-5 || !(g.Eps > 0.9) {
		t.Errorf("Poisson claim %+v, %v", g, err)
	}
	empty := 0
	for range 40 { // P(never empty in 40) = (1−e^{−0.1})^40 < 1e-40
		b, err := p.Run(d)
		if err != nil {
			t.Fatal(err)
		}
		if b.Model == nil {
			empty++
		}
		m, err := p.Train(d)
		if err != nil || len(m.Weights) != 1 {
			t.Fatalf("Train gave %v, %v", m, err)
		}
	}
	if empty == 0 {
		t.Error("the Poisson law never gave zero repetitions")
	}
}

func TestCrossValidation(t *testing.T) {
	d, candidates, trained := spied(t)
	p, err := DeclarePublic(d, "made up for a test")
	if err != nil {
		t.Fatal(err)
	}
	cv, err := CrossValidation{Candidates: candidates, Folds: 4, Rand: Seed(1)}.Run(p)
	if err != nil {
		t.Fatal(err)
	}
	if cv.Index != 1 || cv.Mean[1] != 0 || cv.Mean[0] != 1 || len(cv.Errors[0]) != 4 || len(*trained) != 12 || (*trained)[0].Len() != 150 {
		t.Errorf("cross-validation:\n%s", cv)
	}
	// 0 classifies everything as +1: the mean error is the share of −1, whatever the folds (equal sizes).
	neg := 0.0
	for i := range d.Len() {
		if d.Label(i) < 0 {
			neg++
		}
	}
	near(t, "constant classifier", cv.Mean[2], neg/200, 1e-12)
}

func TestPublicTuning(t *testing.T) {
	d, candidates, trained := spied(t)
	a, b := d.Split(0.5, Seed(1))
	p, err := DeclarePublic(a, "volunteers")
	if err != nil {
		t.Fatal(err)
	}
	m, err := PublicTuning{Candidates: candidates, Public: p}.Train(b)
	if err != nil {
		t.Fatal(err)
	}
	if m.Params["choice"] != 1 || m.Guarantee.Eps != 0.9 || !strings.Contains(m.Guarantee.String(), "volunteers") {
		t.Errorf("model %+v", m)
	}
	if last := (*trained)[len(*trained)-1]; last.Len() != b.Len() {
		t.Errorf("the final fit used %d rows of %d", last.Len(), b.Len())
	}
	// Rows that are declared public and private at once are found.
	if _, err := (PublicTuning{Candidates: candidates, Public: p}).Train(d); err == nil || !strings.Contains(err.Error(), "100 rows") {
		t.Errorf("overlap: %v", err)
	}
}

// The kernel machine on nested balls: no linear classifier does better than chance, the private kernel machine does; the model
// is saved with its map and the guarantee is the linear trainer's for rows of the map's norm.
func TestKernelMachine(t *testing.T) {
	d := NestedBalls(6000, 2, Seed(1))
	train, test := d.Split(0.8, Seed(2))
	k := KernelMachine{Features: RandomFeatures{Kernel: GaussianKernel(20), Count: 60, Rand: Seed(3)}, Trainer: ObjectivePerturbation{Eps: 3, Rand: Seed(4)}}
	m, err := k.Train(train)
	if err != nil {
		t.Fatal(err)
	}
	if e := ErrorRate(m, test); e > 0.2 {
		t.Errorf("error %g of the kernel machine", e)
	}
	linear, err := NonPrivate{Lambda: 1e-3}.Train(train)
	if err != nil {
		t.Fatal(err)
	}
	if e := ErrorRate(linear, test); e < 0.3 {
		t.Errorf("error %g of a linear classifier: the problem is not what the test needs", e)
	}
	if m.Guarantee.Eps != 3 || !strings.Contains(m.Guarantee.Mechanism, "random features") {
		t.Errorf("guarantee %s", m.Guarantee)
	}
	g, err := k.Claim(train)
	if err != nil || g.Eps != m.Guarantee.Eps || g.Mechanism != m.Guarantee.Mechanism {
		t.Errorf("claim %v (%v) differs from the model's guarantee", g, err)
	}
	path := t.TempDir() + "/model.json"
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := LoadModel(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if back.Score(test.Row(i)) != m.Score(test.Row(i)) {
			t.Fatal("the loaded model scores differently")
		}
	}
	// Tuned over kernels, privately.
	tuned, err := PrivateTuning{Candidates: []Trainer{
		KernelMachine{Features: RandomFeatures{Kernel: GaussianKernel(1e-4), Count: 20}, Trainer: ObjectivePerturbation{Eps: 3}},
		KernelMachine{Features: RandomFeatures{Kernel: GaussianKernel(20), Count: 60}, Trainer: ObjectivePerturbation{Eps: 3}},
	}, Rand: Seed(5)}.Run(train)
	if err != nil {
		t.Fatal(err)
	}
	if tuned.Index != 1 || !tuned.Guarantee.Seeded || tuned.Guarantee.Eps != 3 {
		t.Errorf("tuning chose kernel %d, %+v", tuned.Index, tuned.Guarantee)
	}
}

// The published kernel method: with √(2/D) phase features the as-published trainer's guarantee is √2ε + ln(1+2c/(nΛ)).
func TestPublishedKernelEps(t *testing.T) {
	d := NestedBalls(500, 2, Seed(1))
	const eps, lambda = 0.2, 0.01
	k := KernelMachine{Features: RandomFeatures{Kernel: GaussianKernel(1), Count: 30, Form: WidePhase}, Trainer: ObjectivePerturbation{Eps: eps, Lambda: lambda, Loss: Huber(0.5), Variant: AsPublishedIc}}
	want := math.Sqrt2*eps + math.Log1p(2*1/(500*lambda)) // c = 1/(2h) = 1
	got, err := PublishedKernelEps(AsPublishedIc, 500, lambda, eps, Huber(0.5))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "formula", got, want, 1e-12)
	g, err := k.Claim(d)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "trainer on wide features", g.Eps, want, 1e-3) // the trainer adds the solver's share
	if g.ClaimedEps != eps {
		t.Errorf("claimed ε %g", g.ClaimedEps)
	}
	// JMLR: ε' = ε − 2 ln(1 + c/(nΛ)) at norm 1, here in branch A.
	e1 := 2 - 2*math.Log1p(1/(5000*lambda))
	got, err = PublishedKernelEps(JMLR2011, 5000, lambda, 2, Huber(0.5))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "JMLR", got, math.Sqrt2*e1+math.Log1p(2/(5000*lambda)), 1e-12)
	if got <= 2 {
		t.Error("the published JMLR kernel method should exceed its ε here")
	}
}

func TestTuningFree(t *testing.T) {
	p, err := TuningFree(0.5).Params(1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "Δ", p.Delta, 1/(1000*math.Expm1(0.025)), 1e-3)
	near(t, "κ", p.Kappa, 0.95*0.25, 1e-3)
}

func TestTuningErrorBound(t *testing.T) {
	b, err := TuningErrorBound(7, 1000, 1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "bound", b, 2*math.Sqrt(math.Log(560)/2000)+2*math.Log(280)/1000, 1e-12)
}

func TestTuningRefusals(t *testing.T) {
	d, good, trained := spied(t)
	p, err := DeclarePublic(d, "test")
	if err != nil {
		t.Fatal(err)
	}
	l := NewLedger(math.Inf(1), 0)
	for name, c := range map[string]Trainer{
		"Candidates":   PrivateTuning{Ledger: l},
		"Candidates[1": PrivateTuning{Candidates: []Trainer{good[0], nil}, Ledger: l},
		"Candidates[0": PrivateTuning{Candidates: []Trainer{NonPrivate{Lambda: 1}}, Ledger: l},
		"spy refuses":  PrivateTuning{Candidates: []Trainer{spy{eps: -1}}, Ledger: l},
		"Selection":    PrivateTuning{Candidates: good, Selection: "best", Ledger: l},
		"Eps":          PrivateTuning{Candidates: good, Eps: -1, Ledger: l},
		"Holdout":      PrivateTuning{Candidates: good, Holdout: 1, Ledger: l},
		"Gamma":        BestOf{Candidates: good, Stop: GeometricStopping(2), Ledger: l},
		"Eta":          BestOf{Candidates: good, Stop: NegativeBinomialStopping(-1, 0.5), Ledger: l},
		"delta":        BestOf{Candidates: good, Stop: PoissonStopping(2), Ledger: l},
		"not private":  BestOf{Candidates: []Trainer{NonPrivate{Lambda: 1}}, Ledger: l},
		"Public":       PublicTuning{Candidates: good},
		"Trainer":      KernelMachine{Features: RandomFeatures{Kernel: RBF(1), Count: 2}},
		"Count":        KernelMachine{Features: RandomFeatures{Kernel: RBF(1)}, Trainer: good[0]},
	} {
		*trained = nil
		if _, err := c.Train(d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%T: error %v does not name %s", c, err, name)
		}
		if len(*trained) > 0 {
			t.Errorf("%s: trained before refusing", name)
		}
	}
	if _, err := DeclarePublic(d, " "); err == nil {
		t.Error("public without a reason")
	}
	if _, err := (CrossValidation{Candidates: good, Folds: 1}).Run(p); err == nil {
		t.Error("one fold accepted")
	}
	if _, err := (CrossValidation{Candidates: good}).Run(nil); err == nil {
		t.Error("nil public data accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stopped *Interrupted
	for _, c := range []Trainer{PrivateTuning{Candidates: good, Ledger: l}, BestOf{Candidates: good, Ledger: l}, PublicTuning{Candidates: good[:1], Public: mustPublic(t)}} {
		if _, err := c.TrainContext(ctx, d); !errors.As(err, &stopped) {
			t.Errorf("%T: cancelled context gave %v", c, err)
		}
	}
	if len(l.Entries()) != 0 {
		t.Errorf("charged for nothing: %+v", l.Entries())
	}
}

func mustPublic(t *testing.T) *PublicData {
	d, _, _ := spied(t)
	p, err := DeclarePublic(d, "test")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Sources and ledgers are handed down through trainers made of trainers, and the originals stay as they were.
func TestRewiring(t *testing.T) {
	l, own, src := NewLedger(1, 0), Seed(1), Seed(2)
	inner := KernelMachine{Trainer: PrivateTuning{Candidates: []Trainer{ObjectivePerturbation{Rand: own, Ledger: l}, OutputPerturbation{Ledger: l}, spy{eps: 1}, nil}, Ledger: l}}
	dig := func(t Trainer) (k KernelMachine, p PrivateTuning, a ObjectivePerturbation, b OutputPerturbation) {
		k = t.(BestOf).Candidates[0].(KernelMachine)
		p = k.Trainer.(PrivateTuning)
		return k, p, p.Candidates[0].(ObjectivePerturbation), p.Candidates[1].(OutputPerturbation)
	}
	outer := BestOf{Candidates: []Trainer{inner}}
	k, p, a, b := dig(withSource(outer, src, false))
	if k.Features.Rand != src || p.Rand != src || a.Rand != own || b.Rand != src || a.Ledger != l {
		t.Error("the source did not reach every trainer without one of its own")
	}
	if _, _, a, _ = dig(withSource(outer, src, true)); a.Rand != src {
		t.Error("the source did not replace a trainer's own")
	}
	if _, p, a, b = dig(withoutLedger(outer)); p.Ledger != nil || a.Ledger != nil || b.Ledger != nil || a.Rand != own {
		t.Error("a ledger is left")
	}
	if _, p, a, b = dig(outer); p.Ledger != l || a.Ledger != l || b.Rand != nil {
		t.Error("the original changed")
	}
}

// firstRows is a view of what Subset copies, dense and sparse.
func TestFirstRows(t *testing.T) {
	dense := toolData(t)
	sparse, err := NewSparse(3, []int{0, 1, 3, 3, 4}, []int32{2, 0, 1, 2}, []float64{0.5, 0.25, 0.5, 1}, []float64{1, -1, 1, -1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*Data{dense, sparse} {
		for n := 1; n <= d.Len(); n++ {
			idx := make([]int, n)
			for i := range idx {
				idx[i] = i
			}
			a, b := firstRows(d, n), d.Subset(idx)
			if a.Len() != n || a.Dim() != b.Dim() || a.Radius() != b.Radius() {
				t.Fatalf("shape %d × %d", a.Len(), a.Dim())
			}
			for i := range n {
				if fmt.Sprint(a.Row(i), a.Label(i)) != fmt.Sprint(b.Row(i), b.Label(i)) {
					t.Errorf("row %d of %d: %v, want %v", i, n, a.Row(i), b.Row(i))
				}
			}
		}
	}
}

// noisySum is a cheap private trainer for audits: the sum of the labels plus Laplace noise, in one weight.
type noisySum struct {
	Eps, Shift float64
	Rand       *Source
}

func (n noisySum) mechanism() Laplace {
	return Laplace{Eps: n.Eps, Sensitivity: 2, Query: func(d *Data) []float64 {
		s := n.Shift
		for i := range d.Len() {
			s += d.Label(i)
		}
		return []float64{s}
	}}
}
func (n noisySum) Claim(d *Data) (Guarantee, error) { return n.mechanism().Claim(d) }
func (n noisySum) Release(d *Data, src *Source) ([]float64, error) {
	return n.mechanism().Release(d, src)
}
func (n noisySum) Train(d *Data) (*Model, error) { return n.TrainContext(context.Background(), d) }
func (n noisySum) TrainContext(_ context.Context, d *Data) (*Model, error) {
	w, err := n.Release(d, n.Rand)
	if err != nil {
		return nil, err
	}
	g, err := n.Claim(d)
	return newModel(d, w, Logistic(), g, nil), err
}

// Tuning survives an audit with private trainers on neighbouring data of six rows (accused with probability at most 1e-4 if honest), and
// the audit can see it: the best of a fixed six, claiming the price of a random number, is refuted.
func TestTuningSurvivesAudit(t *testing.T) {
	rows, labels := make([][]float64, 6), make([]float64, 6)
	for i := range rows {
		rows[i], labels[i] = []float64{1}, 1
	}
	d0, err := NewData(rows, labels, 1)
	if err != nil {
		t.Fatal(err)
	}
	d1, err := d0.Replace(0, []float64{1}, -1)
	if err != nil {
		t.Fatal(err)
	}
	candidates := []Trainer{noisySum{Eps: 0.5}, noisySum{Eps: 0.5, Shift: -6}}
	a := Audit{Samples: 8192, Confidence: 0.9999, Rand: Seed(1), Workers: 1}
	for _, m := range []Mechanism{
		PrivateTuning{Candidates: candidates},
		PrivateTuning{Candidates: candidates, Selection: "permute-and-flip", Holdout: 0.5},
		BestOf{Candidates: candidates, Stop: GeometricStopping(0.2), Holdout: 0.5},
		BestOf{Candidates: candidates, Holdout: 0.5},
	} {
		r, err := a.Run(m, d0, d1)
		if err != nil {
			t.Fatal(err)
		}
		if r.Refuted {
			t.Errorf("%T: %+v", m, r)
		}
	}
	best := Claimed{Name: "best of six", Eps: 1.5, Run: func(d *Data, src *Source) []float64 {
		out, truth := 0.0, 1/(1+math.Exp(-0.5)) // randomised response about the first label, ε = 0.5
		for range 6 {
			if (src.Float64() < truth) == (d.Label(0) < 0) {
				out = 1
			}
		}
		return []float64{out}
	}}
	r, err := a.Run(best, d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Refuted {
		t.Errorf("the best of a fixed number went unnoticed: %+v", r)
	}
}
