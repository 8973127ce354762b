package dp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// A batch gives the models that the trainers give one by one, for any mix of ε, Λ, losses and regularisers.
func TestTrainBatchEqualsOneByOne(t *testing.T) {
	d := sparseCopy(t, toy(t, 600, 5, 3))
	mix := func() []ObjectivePerturbation {
		var ts []ObjectivePerturbation
		for i := range 4 {
			ts = append(ts,
				ObjectivePerturbation{Eps: 1, Rand: Seed(uint64(i))},
				ObjectivePerturbation{Eps: 0.3, Lambda: 0.01, Rand: Seed(uint64(i))},
				ObjectivePerturbation{Eps: 1, Loss: Logistic(), Rand: Seed(uint64(i))})
		}
		return append(ts, ObjectivePerturbation{Eps: 1, Reg: L1(0.01), Rand: Seed(9)}, ObjectivePerturbation{Eps: 1, Reg: L1(0.05), Rand: Seed(9)})
	}
	ms, err := TrainBatch(d, mix()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, tr := range mix() {
		one, err := tr.Train(d)
		if err != nil {
			t.Fatal(err)
		}
		if one.Guarantee.String() != ms[i].Guarantee.String() {
			t.Errorf("trainer %d: guarantees differ", i)
		}
		for j, w := range one.Weights {
			if math.Abs(w-ms[i].Weights[j]) > 1e-7 {
				t.Errorf("trainer %d: weight %g alone, %g in the batch", i, w, ms[i].Weights[j])
			}
		}
	}
}

func TestTrainBatchRefuses(t *testing.T) {
	d := toy(t, 50, 2, 1)
	led := NewLedger(1, 0)
	src := Seed(6)
	good := ObjectivePerturbation{Eps: 0.4, Rand: src, Ledger: led}
	bad := good
	bad.Eps = -1
	if _, err := TrainBatch(d, good, bad); err == nil || !strings.Contains(err.Error(), "trainer 1") || len(led.Entries()) != 0 {
		t.Errorf("bad trainer: %v, %d entries", err, len(led.Entries()))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := TrainBatchContext(ctx, d, good); !errors.Is(err, context.Canceled) || len(led.Entries()) != 0 {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := TrainBatch(d, good, good, good); err == nil { // 1.2 of 1
		t.Error("the ledger was overdrawn")
	}
	if src.Uint64() != Seed(6).Uint64() {
		t.Error("a refused batch drew randomness")
	}
}

// Adult in sparse form: time for each of 50 private fits that share the data.
func BenchmarkAdultSparseBatch(b *testing.B) {
	d, real := adult(b)
	if !real {
		b.Log("stand-in data")
	}
	for _, l := range []Loss{Huber(0.5), Logistic()} {
		b.Run(l.Name, func(b *testing.B) {
			ts := make([]ObjectivePerturbation, 50)
			for i := range ts {
				ts[i] = ObjectivePerturbation{Eps: 0.5, Loss: l, Rand: Seed(uint64(i))}
			}
			for b.Loop() {
				if _, err := TrainBatch(d, ts...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/50, "ms/fit")
		})
	}
}
