package dp

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
)

// countMech releases the number of positive labels plus Laplace noise of scale·sensitivity/eps with sensitivity 1.
func countMech(eps, scale float64) Claimed {
	return Claimed{Name: "noisy count", Eps: eps, Run: func(d *Data, src *Source) []float64 {
		s := 0.0
		for i := range d.Len() {
			if d.Label(i) > 0 {
				s++
			}
		}
		return []float64{s + laplace(src, scale/eps)}
	}}
}

func flipPair(t testing.TB, n int) (*Data, *Data) {
	t.Helper()
	d := gridData(t, n)
	e, err := d.Replace(0, d.Row(0), -d.Label(0))
	if err != nil {
		t.Fatal(err)
	}
	return d, e
}

// Limits computed with scipy.stats.beta (ppf and isf).
func TestClopperPearson(t *testing.T) {
	for _, c := range []struct {
		k, n         int
		alpha        float64
		lower, upper float64
	}{
		{0, 10, 0.05, 0, 0.2588655508930523},
		{10, 10, 0.05, 0.7411344491069477, 1},
		{3, 50, 0.025, 0.01254858783533406, 0.16548194660377288},
		{123456, 1000000, 0.001, 0.12244146295031615, 0.12447558602318878},
		{7, 500000, 0.0125, 4.87323485869911e-06, 3.1249829694733285e-05},
	} {
		within(t, "lower", clopperLower(c.k, c.n, c.alpha), c.lower, 1e-8)
		within(t, "upper", clopperUpper(c.k, c.n, c.alpha), c.upper, 1e-8)
	}
}

func TestAuditFindsTheTrueLevel(t *testing.T) {
	d0, d1 := flipPair(t, 4)
	// Half the noise: the true ε is 2. Seeded, so the outcome is fixed; without a seed it fails with probability at most 0.05.
	r, err := Audit{Samples: 200_000, Rand: Seed(1), All: true}.Run(countMech(1, 0.5), d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Refuted || r.EpsLower < 1.9 || r.EpsLower > 2 || r.ClaimedEps != 1 {
		t.Errorf("half the noise: %+v", r)
	}
	if !strings.Contains(r.String(), "REFUTED") || !strings.Contains(r.Markdown(), "REFUTED") {
		t.Error(r)
	}
	r, err = Audit{Samples: 200_000, Rand: Seed(2)}.Run(countMech(1, 1), d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Refuted || r.EpsLower < 0.9 || r.EpsLower > 1 {
		t.Errorf("correct noise: %+v", r)
	}
	// The same mechanism has δ(0.5) = 1 − e^{−1/4} exactly at ε = 0.5 (total variation of shifted Laplace laws).
	r, err = Audit{Samples: 200_000, Rand: Seed(3), Eps: 0.5, Delta: 1e-9, All: true}.Run(countMech(1, 1), d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 - math.Exp(-0.25); r.DeltaLower > want || r.DeltaLower < want-0.02 {
		t.Errorf("δ(0.5) ≥ %v, true value %v", r.DeltaLower, want)
	}
}

func TestAuditStopsEarly(t *testing.T) {
	d0, d1 := flipPair(t, 4)
	r, err := Audit{Samples: 1_000_000, Rand: Seed(1)}.Run(countMech(1, 0.1), d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Refuted || r.Releases > 300_000 {
		t.Errorf("an obvious violation took %d releases (refuted %v)", r.Releases, r.Refuted)
	}
}

func TestAuditIsReproducible(t *testing.T) {
	d0, d1 := flipPair(t, 4)
	var last *AuditReport
	for _, workers := range []int{1, 3} {
		r, err := Audit{Samples: 20_000, Rand: Seed(7), Workers: workers}.Run(countMech(1, 1), d0, d1)
		if err != nil {
			t.Fatal(err)
		}
		r.Elapsed = 0
		if last != nil && *last != *r {
			t.Errorf("the number of workers changed the result:\n%+v\n%+v", last, r)
		}
		last = r
	}
}

func TestAuditOddOutputs(t *testing.T) {
	d0, d1 := flipPair(t, 4)
	for name, run := range map[string]func(d *Data, src *Source) []float64{
		"NaN":    func(d *Data, src *Source) []float64 { return []float64{math.NaN() * d.Label(0), d.Label(0)} },
		"length": func(d *Data, src *Source) []float64 { return make([]float64, 1+int(d.Label(0)+1)) },
		"inf":    func(d *Data, src *Source) []float64 { return []float64{math.Inf(int(d.Label(0)))} },
		"nothing once": func(d *Data, src *Source) []float64 {
			if d.Label(0) < 0 {
				return nil
			}
			return []float64{1}
		},
		"atoms": func(d *Data, src *Source) []float64 {
			if d.Label(0) > 0 && src.Float64() < 0.2 {
				return []float64{1}
			}
			return []float64{0}
		},
	} {
		r, err := Audit{Samples: 5000, Rand: Seed(1)}.Run(Claimed{Name: name, Eps: 1, Run: run}, d0, d1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !r.Refuted {
			t.Errorf("%s: a release of the label itself was not refuted: %v", name, r)
		}
	}
}

type failing struct{ Claimed }

func (f failing) Release(d *Data, src *Source) ([]float64, error) {
	if d.Label(0) < 0 && src.Float64() < 0.5 {
		return nil, errors.New("did not converge")
	}
	return []float64{src.Norm()}, nil
}

func TestAuditErrorsAndPanics(t *testing.T) {
	d0, d1 := flipPair(t, 4)
	r, err := Audit{Samples: 5000, Rand: Seed(1)}.Run(failing{Claimed{Eps: 1, Run: func(*Data, *Source) []float64 { return nil }}}, d0, d1)
	if err != nil || !r.Refuted || !r.Failed {
		t.Errorf("an error that depends on the data is an output: %+v, %v", r, err)
	}
	var calls atomic.Int64
	_, err = Audit{Samples: 5000, Rand: Seed(1)}.Run(Claimed{Eps: 1, Run: func(*Data, *Source) []float64 {
		if calls.Add(1) > 100 {
			panic("boom")
		}
		return []float64{0}
	}}, d0, d1)
	if err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("panic: %v", err)
	}
	short := gridData(t, 3)
	for name, f := range map[string]func() error{
		"rows":       func() error { _, err := Audit{}.Run(countMech(1, 1), d0, short); return err },
		"nil":        func() error { _, err := Audit{}.Run(nil, d0, d1); return err },
		"samples":    func() error { _, err := Audit{Samples: 3}.Run(countMech(1, 1), d0, d1); return err },
		"confidence": func() error { _, err := Audit{Confidence: 95}.Run(countMech(1, 1), d0, d1); return err },
		"claim":      func() error { _, err := Audit{}.Run(Claimed{Eps: 1}, d0, d1); return err },
	} {
		if f() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestAuditInterruptAndProgress(t *testing.T) {
	d0, d1 := flipPair(t, 4)
	ctx, cancel := context.WithCancel(context.Background())
	last := 0
	_, err := Audit{Samples: 10_000_000, Rand: Seed(1), Progress: func(done, total int) {
		if done <= last || total != 20_000_000 {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
		if done > 50_000 {
			cancel()
		}
	}}.RunContext(ctx, countMech(1, 1), d0, d1)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted audit gave %v", err)
	}
	if last > 200_000 {
		t.Errorf("it went on to %d releases", last)
	}
}

func TestAuditSearchFindsThePair(t *testing.T) {
	// Forgets to clip: only a long row shows it. The mechanism sums the first coordinate times 3 with noise for sensitivity 2R.
	m := Claimed{Name: "sum", Eps: 1, Run: func(d *Data, src *Source) []float64 {
		s := 0.0
		for i := range d.Len() {
			s += d.Row(i)[0]
		}
		return []float64{3*s + laplace(src, 2)}
	}}
	d, err := NewData([][]float64{{0.01, 0}, {0.02, 0}, {0, 0.5}}, []float64{1, -1, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Audit{Samples: 100_000, Rand: Seed(5)}.Search(m, d)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Refuted || !strings.Contains(r.Pair, "(R e₁, +) against (−R e₁, +)") {
		t.Errorf("search: %v", r)
	}
	add := m
	add.Neighbours = AddRemove
	if r, err = (Audit{Samples: 100_000, Rand: Seed(6)}).Search(add, d); err != nil || !r.Refuted || !strings.Contains(r.Pair, "removed") {
		t.Errorf("add/remove: %v %v", r, err)
	}
}

// Mironov's observation: textbook Laplace noise in floating point does not hide which of 0 and 1 was the count, however much
// noise is added, because the sums lie on different lattices.
func TestAuditBits(t *testing.T) {
	d0, d1 := flipPair(t, 1)
	naive := Claimed{Name: "textbook Laplace", Eps: 0.01, Run: func(d *Data, src *Source) []float64 {
		u := src.Float64() - 0.5
		b := -100 * math.Copysign(math.Log(1-2*math.Abs(u)), u)
		return []float64{positives(d) + b}
	}}
	r, err := Audit{Samples: 100_000, Rand: Seed(1), Bits: true}.Run(naive, d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Refuted {
		t.Errorf("the last bits told nothing: %v", r)
	}
	t.Log(r)
	if r, err = (Audit{Samples: 100_000, Rand: Seed(2)}).Run(naive, d0, d1); err != nil || r.Refuted {
		t.Errorf("without Bits the rounding is no matter: %v %v", r, err)
	}
	// Integer noise has no last bits to betray.
	whole := Claimed{Name: "geometric", Eps: 0.01, Run: func(d *Data, src *Source) []float64 { return []float64{positives(d) + mutantGeometric(src, 0.01)} }}
	if r, err = (Audit{Samples: 100_000, Rand: Seed(3), Bits: true}).Run(whole, d0, d1); err != nil || r.Refuted {
		t.Errorf("geometric noise accused: %v %v", r, err)
	}
}

func BenchmarkAuditMillionReleases(b *testing.B) {
	d0, d1 := flipPair(b, 4)
	for range b.N {
		r, err := Audit{Samples: 500_000, Rand: Seed(1), All: true}.Run(countMech(1, 1), d0, d1)
		if err != nil || r.Releases != 1_000_000 {
			b.Fatal(r, err)
		}
	}
}
