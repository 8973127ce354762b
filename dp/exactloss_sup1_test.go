package dp

import (
	"math"
	"math/rand"
	"testing"
)

// The removed row attains LossEps, at LossEps' margin; for a narrow smooth hinge with little regularisation that is a smooth maximum in a sliver of the outputs.
func TestSupFindsANarrowMaximum(t *testing.T) {
	d0, d1 := extremePair(t, 12, AddRemove)
	for _, h := range []float64{0.5, 0.1, 0.01, 0.001} {
		for _, eps := range []float64{0.1, 1, 4} {
			for _, reg := range []float64{0, 4} {
				l := SmoothHinge(h)
				m := ObjectivePerturbation{Eps: eps, Loss: l, Neighbours: AddRemove, SumReg: reg}
				p, err := m.Params(12, 1)
				if err != nil {
					t.Fatal(err)
				}
				loss, err := ExactLoss(m, d0, d1)
				if err != nil {
					t.Fatal(err)
				}
				// On the pair L = κ|ℓ'(z)| + ln(1 + ℓ″(z)/a) where the other rows have margins below 1−h, here at z > 0, with the closed form of ℓ in t = (1−z)/h.
				want := 0.0
				for k := 0; k <= 400_000; k++ {
					t := -1 + float64(k)/2e5
					want = math.Max(want, p.Kappa*(0.5+0.75*t-t*t*t/4)+math.Log1p(0.75/h*(1-t*t)/p.A))
				}
				sup, at := loss.Sup()
				if math.Abs(sup-want) > 1e-9 || math.Abs(math.Abs(loss.At(at))-sup) > 1e-12 {
					t.Errorf("h = %g ε = %g a = %g: sup %.9f at %g, the closed form gives %.9f", h, eps, p.A, sup, at, want)
				}
			}
		}
	}
}

// On random pairs no point of a dense grid, in f and in the margins of every row, is above the supremum, and the supremum is attained.
func TestSupIsAboveADenseGrid(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	losses := []Loss{Huber(0.5), Huber(0.02), SmoothHinge(0.5), SmoothHinge(0.1), SmoothHinge(0.02), Logistic(), rounded(), kinked()}
	cases := 40
	if testing.Short() {
		cases = 16
	}
	for c := range cases {
		l := losses[c%len(losses)]
		n := 1 + r.Intn(5)
		rows, y := make([][]float64, n+1), make([]float64, n+1)
		for i := range rows {
			rows[i], y[i] = []float64{(2*r.Float64() - 1)}, float64(1-2*r.Intn(2))
			if r.Intn(4) == 0 {
				rows[i][0] = math.Copysign(math.Pow(10, -3*r.Float64()), rows[i][0])
			}
		}
		d0, err := NewData(rows, y, 1)
		if err != nil {
			t.Fatal(err)
		}
		d1, err := NewData(rows[:n], y[:n], 1)
		if err != nil {
			t.Fatal(err)
		}
		if c%2 == 0 {
			if d1, err = d0.Replace(n, []float64{2*r.Float64() - 1}, y[r.Intn(n)]); err != nil {
				t.Fatal(err)
			}
		}
		m := PerturbedObjective{Loss: l, Kappa: math.Pow(10, 2*r.Float64()-1), Reg: math.Pow(10, 4*r.Float64()-3)}
		loss, err := ExactLoss(m, d0, d1)
		if err != nil {
			t.Fatal(err)
		}
		sup, at := loss.Sup()
		if math.Abs(math.Abs(loss.At(at))-sup) > 1e-12*(1+sup) {
			t.Errorf("%d: sup %g is not attained at %g", c, sup, at)
		}
		top, where := 0.0, 0.0
		look := func(f float64) {
			if v := math.Abs(loss.At([]float64{f})); v > top {
				top, where = v, f
			}
		}
		for _, x := range append(rows, d1.Row(d1.Len()-1)) {
			for z := -4.0; z < 4; z += 1.0 / 2048 {
				look(z / x[0])
			}
		}
		for f := -3.0; f < 3; f += 1.0 / 4096 {
			look(f)
			look(math.Sinh(4 * f))
		}
		if sup < top-1e-9 {
			t.Errorf("%d, %s, κ = %g, a = %g: sup %.9f at %g, but the loss is %.9f at %g", c, l.Name, m.Kappa, m.Reg, sup, at, top, where)
		}
	}
}

func BenchmarkSup1(b *testing.B) {
	for _, n := range []int{10, 300} {
		r := rand.New(rand.NewSource(1))
		rows, y := make([][]float64, n), make([]float64, n)
		for i := range rows {
			rows[i], y[i] = []float64{2*r.Float64() - 1}, float64(1-2*r.Intn(2))
		}
		d0, _ := NewData(rows, y, 1)
		d1, _ := d0.Replace(0, []float64{1}, 1)
		for _, l := range []Loss{Huber(0.5), SmoothHinge(0.1), Logistic()} {
			loss, err := ExactLoss(ObjectivePerturbation{Eps: 1, Lambda: 0.01, Loss: l}, d0, d1)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(l.Name, func(b *testing.B) {
				for b.Loop() {
					loss.Sup()
				}
			})
		}
	}
}
