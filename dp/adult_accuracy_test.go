package dp

import "testing"

// The tuning-free default on Adult: 90 % of the rows train, 10 % test, public bounds, mean accuracy over 20 random splits with
// one draw of the noise each. On the stand-in (where the real file is absent) the numbers are its own, and the test asks
// only that privacy costs less as ε grows. Print the table with: go test ./dp -run AdultAccuracy -v
func TestAdultAccuracy(t *testing.T) {
	draws := 20
	if testing.Short() {
		draws = 3
	}
	d, real := adult(t)
	goals := []struct{ eps, want float64 }{{0.1, 0.799}, {0.5, 0.831}, {1, 0.837}, {2, 0.841}}
	mean := make([]float64, len(goals))
	for k := range draws {
		train, test := d.Split(0.9, Seed(uint64(k)))
		for i, g := range goals {
			m, err := ObjectivePerturbation{Eps: g.eps, Rand: Seed(uint64(100 + k))}.Train(train)
			if err != nil {
				t.Fatal(err)
			}
			mean[i] += (1 - ErrorRate(m, test)) / float64(draws)
		}
	}
	for i, g := range goals {
		t.Logf("ε = %-4g accuracy %.4f (goal %.3f, mean of %d draws)", g.eps, mean[i], g.want, draws)
		if real && !testing.Short() && mean[i] < g.want {
			t.Errorf("ε = %g: accuracy %.4f below %.3f", g.eps, mean[i], g.want)
		}
		if i > 0 && mean[i] < mean[i-1]-0.01 {
			t.Errorf("accuracy falls from %.4f to %.4f as ε grows to %g", mean[i-1], mean[i], g.eps)
		}
	}
}
