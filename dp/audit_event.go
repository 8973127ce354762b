package dp

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// score is a statistic of a release by which events are searched: sets of values of the statistic.
type score struct {
	name  string
	of    func(out []float64) float64
	exact bool    // values are compared bit by bit
	grid  float64 // otherwise they are rounded to multiples of this, see snap
}

// snap fits the rounding of the score to the samples: a billionth of its spread. Without it the search finds, rightly, that
// continuous noise in floating point is not what the theorem says: the last bits of a sum tell the summands apart (Mironov 2012).
// That is a question of its own, asked by Audit.Bits.
func (s score) snap(a, b []float64) score {
	if s.exact {
		return s
	}
	lo, hi := math.Inf(1), 0.0
	for _, v := range [][]float64{a, b} {
		q := append([]float64(nil), v[:min(len(v), 2000)]...)
		sort.Float64s(q)
		if w := q[3*len(q)/4] - q[len(q)/4]; w > 0 {
			lo = math.Min(lo, w)
		}
		hi = math.Max(hi, math.Min(1e100, math.Max(math.Abs(q[len(q)/4]), math.Abs(q[3*len(q)/4]))))
	}
	if math.IsInf(lo, 1) {
		lo = hi
	}
	s.grid = math.Max(lo*1e-9, hi*1e-13)
	return s
}

// value is the rounded score of a release.
func (s score) value(out []float64) float64 {
	x := s.of(out)
	if x != x {
		return outNaN
	}
	if s.grid > 0 && math.Abs(x) < 1e15*s.grid {
		return math.RoundToEven(x/s.grid) * s.grid
	}
	return x
}

// event is a set of values of a score, as a union of bins; reversed means that data set 1 is the numerator.
type event struct {
	score        score
	cuts         []float64 // bin i holds the values in (cuts[i−1], cuts[i]]; the last bin is open
	in           []bool
	reversed     bool
	hits         [2]int  // on fresh samples, numerator first
	lower, upper float64 // Clopper–Pearson limits: lower of the numerator, upper of the denominator
}

func (e *event) holds(x float64) bool {
	return e.in[sort.SearchFloat64s(e.cuts, x)]
}

// test counts the event on fresh samples; each limit fails with probability at most alpha.
func (e *event) test(fresh [2]table, alpha float64) {
	if e.reversed {
		fresh[0], fresh[1] = fresh[1], fresh[0]
	}
	for side, t := range fresh {
		for i := range t.len() {
			if e.holds(e.score.value(t.row(i))) {
				e.hits[side]++
			}
		}
	}
	n := fresh[0].len()
	e.lower, e.upper = clopperLower(e.hits[0], n, alpha), clopperUpper(e.hits[1], n, alpha)
}

// String describes the event.
func (e *event) String() string {
	s := e.score.name
	var parts []string
	for i := 0; i < len(e.in); i++ {
		if !e.in[i] {
			continue
		}
		j := i
		for j+1 < len(e.in) && e.in[j+1] {
			j++
		}
		switch {
		case i == 0 && j == len(e.in)-1:
			parts = append(parts, "anything")
		case i == 0:
			parts = append(parts, fmt.Sprintf("%s ≤ %.5g", s, e.cuts[j]))
		case j == len(e.in)-1:
			parts = append(parts, fmt.Sprintf("%s > %.5g", s, e.cuts[i-1]))
		case e.cuts[j]-e.cuts[i-1] < 1e-9*(1+math.Abs(e.cuts[j])):
			parts = append(parts, fmt.Sprintf("%s = %.5g", s, e.cuts[j]))
		default:
			parts = append(parts, fmt.Sprintf("%.5g < %s ≤ %.5g", e.cuts[i-1], s, e.cuts[j]))
		}
		i = j
	}
	text := "nothing"
	if len(parts) > 0 {
		text = parts[0]
	}
	if len(parts) > 1 {
		text = fmt.Sprintf("%s in %d intervals, the first %s", s, len(parts), parts[0])
	}
	if e.reversed {
		text += " (second data set against first)"
	}
	return text
}

// bestEvent searches the scores for the event whose merit, computed from approximate limits for n fresh samples, is largest. merit is
// increasing in the numerator's probability and decreasing in the denominator's.
func bestEvent(scores []score, seen [2]table, n int, alpha float64, merit func(p0, p1 float64) float64) *event {
	var best *event
	top := math.Inf(-1)
	z := normalQuantile(1 - alpha)
	for _, s := range scores {
		s = s.snap(scoreAll(s, seen[0].head(2000)), scoreAll(s, seen[1].head(2000)))
		a, b := scoreAll(s, seen[0]), scoreAll(s, seen[1])
		cuts := chooseCuts(a, b)
		// One half of the samples orders the bins and the other half chooses how many to take: bins that were
		// only lucky are then not taken for telling ones.
		ha, hb := len(a)/2, len(b)/2
		oa, ob := countBins(a[:ha], cuts), countBins(b[:hb], cuts)
		ca, cb := countBins(a[ha:], cuts), countBins(b[hb:], cuts)
		for _, rev := range []bool{false, true} {
			num, den, nn, nd := ca, cb, len(a)-ha, len(b)-hb
			ranked := binOrders(oa, ob)
			if rev {
				num, den, nn, nd = cb, ca, len(b)-hb, len(a)-ha
				ranked = binOrders(ob, oa)
			}
			for _, order := range ranked {
				x, y := 0, 0
				for k, i := range order {
					x += num[i]
					y += den[i]
					p := wilson(float64(x)/float64(nn), n, -z)
					q := wilson(float64(y)/float64(nd), n, z)
					if v := merit(p, q); v > top || best == nil {
						top = v
						best = &event{score: s, cuts: cuts, reversed: rev, in: make([]bool, len(num))}
						for _, j := range order[:k+1] {
							best.in[j] = true
						}
					}
				}
			}
		}
	}
	return best
}

// wilson is the score limit on a probability: z < 0 the lower one, z > 0 the upper one.
func wilson(p float64, n int, z float64) float64 {
	m := float64(n)
	w := z * z / m
	return math.Max(0, (p+w/2+z*math.Sqrt(p*(1-p)/m+w/(4*m)))/(1+w))
}

// binOrders lists the orders in which bins are joined to an event: by likelihood ratio, and from either end.
func binOrders(num, den []int) [][]int {
	n := len(num)
	up, down, ratio := make([]int, n), make([]int, n), make([]int, n)
	for i := range n {
		up[i], down[i], ratio[i] = i, n-1-i, i
	}
	lr := func(i int) float64 { return (float64(num[i]) + 0.5) / (float64(den[i]) + 0.5) }
	sort.SliceStable(ratio, func(a, b int) bool { return lr(ratio[a]) > lr(ratio[b]) })
	return [][]int{ratio, up, down}
}

func scoreAll(s score, t table) []float64 {
	out := make([]float64, t.len())
	for i := range out {
		out[i] = s.value(t.row(i))
	}
	return out
}

// chooseCuts places bin borders at quantiles of the joint sample, finer in the tails, and gives every value that is
// frequent a bin of its own.
func chooseCuts(a, b []float64) []float64 {
	all := append(append(make([]float64, 0, len(a)+len(b)), a...), b...)
	sort.Float64s(all)
	n := len(all)
	bins := min(200, max(8, n/40))
	var at []int
	for i := 1; i < bins; i++ {
		at = append(at, i*n/bins)
	}
	for k := 8; k < n/bins; k *= 2 {
		at = append(at, k, n-1-k)
	}
	sort.Ints(at)
	var cuts []float64
	put := func(x float64) {
		if len(cuts) == 0 || x > cuts[len(cuts)-1] {
			cuts = append(cuts, x)
		}
	}
	for _, i := range at {
		x := all[i]
		if i > 0 && i+1 < n && (all[i-1] == x || all[i+1] == x) { // an atom
			put(math.Nextafter(x, math.Inf(-1)))
		}
		put(x)
	}
	return cuts
}

func countBins(v, cuts []float64) []int {
	out := make([]int, len(cuts)+1)
	for _, x := range v {
		out[sort.SearchFloat64s(cuts, x)]++
	}
	return out
}

// clopperLower is the lower Clopper–Pearson limit: the probability p with Pr(Binomial(n, p) ≥ k) = alpha.
func clopperLower(k, n int, alpha float64) float64 {
	if k == 0 {
		return 0
	}
	return betaQuantile(float64(k), float64(n-k+1), alpha)
}

// clopperUpper is the upper Clopper–Pearson limit.
func clopperUpper(k, n int, alpha float64) float64 {
	if k == n {
		return 1
	}
	return 1 - betaQuantile(float64(n-k), float64(k+1), alpha)
}

// betaQuantile is the p-quantile of Beta(a, b), by bisection on the regularised incomplete beta function.
func betaQuantile(a, b, p float64) float64 {
	lo, hi := 0.0, 1.0
	for range 200 {
		m := (lo + hi) / 2
		if m <= lo || m >= hi {
			break
		}
		if mathext.RegIncBeta(a, b, m) < p {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}
