package dp

import "math"

// Numbers of the lower bounds of Rubinstein et al. (Lemmas 17 and 19,
// Theorems 18 and 20) and their extensions. The data sets themselves are made
// in bound_rp_databases.go.

// rpSol17 is the pair of exact solutions of Lemma 17's databases.
type rpSol17 struct {
	m, dev            float64 // M = 2nε/C and m = nε/C
	w1, w2            float64
	threshold, simple float64 // exact √(C/(2n(2n−1))) and the paper's √C/(2n)
}

func rpLemma17(n int, c, acc float64) rpSol17 {
	nn := float64(n)
	s := rpSol17{m: 2 * nn * acc / c, dev: nn * acc / c,
		threshold: math.Sqrt(c / (2 * nn * (2*nn - 1))), simple: math.Sqrt(c) / (2 * nn)}
	s.w1, s.w2 = rpCluster17(n, c, s.m, s.dev)
	return s
}

// rpCluster17 solves the hinge SVM with n−1 points at margin m·w and one at
// (m−dev)·w whose label is −1 or +1, exactly, saturation included.
func rpCluster17(n int, c, m, dev float64) (w1, w2 float64) {
	nn := float64(n)
	solve := func(q, sign float64) float64 {
		// minimise ½w² + (C/n)[(n−1)(1−mw)_+ + (1−sign·q·w)_+]; convex and
		// piecewise quadratic, so its minimiser is a kink or a stationary
		// point of one piece: bisection on the derivative finds it.
		g := func(w float64) float64 {
			d := w
			if m*w < 1 {
				d -= c / nn * (nn - 1) * m
			}
			if sign*q*w < 1 {
				d -= c / nn * sign * q
			}
			return d
		}
		b := c * (m + math.Abs(q)) // |w| ≤ C·max|x|
		lo, hi := -b-1, b+1
		for i := 0; i < 400; i++ {
			mid := 0.5 * (lo + hi)
			if mid <= lo || mid >= hi {
				break
			}
			if g(mid) < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		return 0.5 * (lo + hi)
	}
	return solve(m-dev, -1), solve(m-dev, +1)
}

// rpPack17 is the number of pairwise neighbours that are 2ε-separated in the
// strengthened Lemma 17: ⌈CR²/(nε)⌉, for ε < CR²/n.
func rpPack17(n int, c, r, acc float64) int {
	x := c * r * r / (float64(n) * acc)
	return int(math.Ceil(x * (1 - 1e-14)))
}

// rpBetaPacking is ln((1−δ)(N−1)/δ)/m: the privacy that (ε,δ)-usefulness on N
// databases, m changes apart and 2ε-separated, costs at least.
func rpBetaPacking(fail float64, packing, m int) float64 {
	return math.Log((1-fail)*float64(packing-1)/fail) / float64(m)
}

// rpMinFail is 1/(1+e^β/(N−1)) = (N−1)/(N−1+e^β).
func rpMinFail(eps float64, packing int) float64 {
	k := float64(packing - 1)
	return k / (k + math.Exp(eps))
}

// rpSol19 is the exact solution of Lemma 19's databases.
type rpSol19 struct {
	packing, sharp             int
	gamma, alphaPos, alphaNeg  float64
	alphaNegPublished          float64
	maxK, minSep, half, accMax float64
}

func rpPack19(sigma float64) (packing, sharp int) {
	packing = int(math.Floor(2 / sigma * math.Sqrt(2/math.Ln2)))
	if v := sigma * math.Sqrt(math.Ln2/2); v <= 1 {
		sharp = int(math.Floor(math.Pi / math.Asin(v)))
	}
	return packing, sharp
}

func rpLemma19(n int, c, sigma float64) rpSol19 {
	nn := float64(n)
	var s rpSol19
	s.packing, s.sharp = rpPack19(sigma)
	s.gamma = math.Exp(-1 / (2 * sigma * sigma))
	s.alphaPos = c / nn
	free := 1 + c*s.gamma/nn
	s.alphaNeg = math.Min(c/nn, free/(nn-1))
	s.alphaNegPublished = free / ((nn - 1) * (nn - 1))
	sn := math.Sin(math.Pi / float64(s.packing))
	s.maxK = math.Exp(-2 / (sigma * sigma) * sn * sn)
	s.minSep = c / nn * (1 - s.maxK)
	s.half = c / (2 * nn)
	s.accMax = c / (4 * nn)
	return s
}
