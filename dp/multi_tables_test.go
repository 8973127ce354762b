package dp

import (
	"math"
	"testing"
)

// The accuracy tables of the analysis for three classes. It says of the data only the accuracy without privacy (.988 and .884), and of the error "3 to 12 repeats, ±.01".
//
// That error is too small: on shells with n = 2000 and ε = 1 the accuracy of one draw has a standard deviation of 0.09 (100 draws), so the mean of 3 to 12 has one of 0.03 to
// 0.05. Figures of that row are therefore compared within what the draws themselves say.
//
// How the data were drawn was searched for among 30 readings of the shells (radii a + g·c with normal or uniform spread, whole shells, thirds of the area, noise on the
// coordinates; τ = ½, 0.7, 1) and 18 of the Gaussian classes (centres at 0.3 to 1; equal, unequal and axis-wise spreads; τ = ½, 1), each with the spread that gives the
// accuracy without privacy:
//
//   - Gaussian classes: with equal spreads every method reaches .88, so they are out; spreads from 0.6 to 1.4 times the mean one, as GaussianClasses has them, with τ = 1 give
//     all eight private figures within 0.016 (centres at ½) or 0.011 (centres at 0.3).
//   - Shells: radii (c+½)/C, as Shells has them, (c+1)/C, c/(C−1) and 0.2+0.35c are all within the draws' error at n = 2000; at n = 20,000, ε = 0.3, where one draw varies by 0.003, the
//     default τ = ½ passes the table (.98 where it has .965) and τ = 1 is just below it (.953).
func TestAccuracyTables(t *testing.T) {
	for _, c := range []struct {
		name              string
		data              func(n int) *Data // one draw of the classes
		n, draws          int
		eps, tau          float64
		objective, output float64 // of the table
		least             bool    // reach it; otherwise come near from both sides
		lambda            [2]float64
	}{
		{"shells", func(n int) *Data { return Shells(n, 2, 3, 0, Seed(1)) }, 2000, 40, 1, 0, 0.913, 0.716, true, [2]float64{0.0055, 0.015}},
		{"shells", func(n int) *Data { return Shells(n, 2, 3, 0, Seed(2)) }, 20000, 3, 0.3, 0, 0.965, 0.863, true, [2]float64{0.003, 0.02}},
		{"gauss", func(n int) *Data { return GaussianClasses(n, 5, 3, 0.264, Seed(4)) }, 2000, 8, 5, 1, 0.858, 0.842, false, [2]float64{0.01, 0.02}},
		{"gauss", func(n int) *Data { return GaussianClasses(n, 5, 3, 0.264, Seed(4)) }, 20000, 3, 5, 1, 0.875, 0.852, false, [2]float64{0.002, 0.01}},
	} {
		if testing.Short() && c.n > 2000 {
			continue
		}
		all := c.data(c.draws*c.n + 4000)
		part := func(from, to int) *Data {
			idx := make([]int, to-from)
			for i := range idx {
				idx[i] = from + i
			}
			return all.Subset(idx)
		}
		test := part(c.draws*c.n, all.Len())
		plain := Confusion(must(LargeMargin{Lambda: 1e-3, Tau: c.tau}.Train(part(0, c.n))), test).Accuracy()
		for k, want := range []float64{c.objective, c.output} {
			method := []GaussianMethod{GaugeObjective, GaussianOutput}[k]
			var acc []float64
			for i := range c.draws {
				m := must(PrivateLargeMargin{Eps: c.eps, Lambda: c.lambda[k], Tau: c.tau, Method: method, Rand: Seed(uint64(i))}.Train(part(i*c.n, (i+1)*c.n)))
				acc = append(acc, Confusion(m, test).Accuracy())
			}
			got, sd := mean(acc), 0.0
			for _, a := range acc {
				sd += (a - got) * (a - got) / float64(c.draws-1)
			}
			sd = math.Sqrt(sd)
			// Ours and the table's means differ by more than three standard errors (the table's of six repeats) and its ±.01 with probability 0.003.
			tol := 0.01 + 3*sd*math.Sqrt(1/float64(c.draws)+1.0/6)
			t.Logf("%s, n = %d, ε = %g, without privacy %.3f, %s: %.3f (one draw ± %.3f), the table has %.3f", c.name, c.n, c.eps, plain, method, got, sd, want)
			if got < want-tol || !c.least && got > want+tol+0.01 {
				t.Errorf("%s, n = %d, %s: accuracy %.3f ± %.3f, the table has %.3f", c.name, c.n, method, got, tol, want)
			}
		}
	}
}
