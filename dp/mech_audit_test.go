package dp

import (
	"testing"
)

// Every mechanism of the toolbox survives an audit on neighbouring data (a mechanism that keeps its claim is accused with probability
// at most 1e-4; the seed is fixed), and the audit is not blind: with the noise halved (ε understated by 2) it objects.
func TestToolboxSurvivesAudit(t *testing.T) {
	d0 := toolData(t)
	d1, err := d0.Replace(2, []float64{-0.9, 0.3}, -1)
	if err != nil {
		t.Fatal(err)
	}
	scores := func(d *Data) []float64 { return []float64{d.Row(2)[0], 0, -d.Row(2)[0]} } // each moves by 1.2
	sum := func(d *Data) []float64 { return []float64{d.Row(0)[0] + d.Row(2)[0]} }
	count := func(d *Data) int { return int(d.Label(0)+d.Label(2)) / 2 }
	for _, m := range []Mechanism{
		Laplace{Eps: 1, Sensitivity: 1.2, Query: sum},
		Laplace{Eps: 1, Sensitivity: 1.2, Query: sum}.Hardened(),
		Geometric{Eps: 1, Query: count},
		DiscreteLaplace{Eps: 1, Sensitivity: 1.2, Grid: 0.25, Query: sum},
		Gaussian{Eps: 1, Delta: 1e-2, Sensitivity: 1.2, Query: sum},
		Gaussian{Eps: 1, Delta: 1e-2, Sensitivity: 1.2, Query: sum}.Hardened(),
		GammaVector{Eps: 1, Sensitivity: 1.7, Query: scores},
		Exponential{Eps: 1, Sensitivity: 1.2, Scores: scores},
		PermuteAndFlip{Eps: 1, Sensitivity: 1.2, Scores: scores},
		ReportNoisyMax{Eps: 1, Sensitivity: 1.2, Scores: scores},
		SparseVector{Eps: 1, Sensitivity: 1.2, Threshold: 0.1, Queries: scores},
		RandomizedResponse{Eps: 1},
		PrivateMean{Eps: 1, Lo: -1, Hi: 1},
		PrivateHistogram{Eps: 1, Edges: []float64{-1, 0, 1}},
		PrivateQuantile{Eps: 1, Lo: -1, Hi: 1},
	} {
		r, err := Audit{Samples: 16384, Confidence: 0.9999, Rand: Seed(1), Workers: 1}.Run(m, d0, d1)
		if err != nil {
			t.Fatal(err)
		}
		if r.Refuted {
			t.Errorf("%T: refuted: %+v", m, r)
		}
	}
	r, err := Audit{Samples: 16384, Confidence: 0.9999, Eps: 0.5, Rand: Seed(1), Workers: 1}.Run(Laplace{Eps: 1, Sensitivity: 1.2, Query: sum}, d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Refuted {
		t.Errorf("half the noise went unnoticed: %+v", r)
	}
}
