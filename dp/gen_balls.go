package dp

import "math"

// AnnulusRadius is the inverse distribution function of the radius of the uniform law on {r0 ≤ ‖x‖ ≤ r1} in ℝ^d:
// (r0^d + u(r1^d − r0^d))^{1/d}, 0 ≤ u ≤ 1.
func AnnulusRadius(d int, r0, r1, u float64) float64 {
	p := float64(d)
	a, b := math.Pow(r0, p), math.Pow(r1, p)
	return math.Pow(a+u*(b-a), 1/p)
}

// NestedBalls draws n rows of the papers' kernel experiment in ℝ^dim: with probability .45 a row of the inner ball ‖x‖ ≤ .1
// labelled +1, with .45 one of the annulus [.2, .5] labelled −1, with .1 one of the annulus [.1, .2] labelled by a fair coin.
// The best possible error is .05. (Sarwate, Chaudhuri, Monteleoni 2009.) A nil src means a secure one. It panics if n or
// dim is below 1.
func NestedBalls(n, dim int, src *Source) *Data {
	if n < 1 || dim < 1 {
		panic(badArg("NestedBalls", "n, dim", [2]int{n, dim}, "both must be at least 1"))
	}
	src = orSecure(src)
	rows, y := make([][]float64, n), make([]float64, n)
	for i := range rows {
		r0, r1, label := 0.1, 0.2, 1.0
		switch u := src.Float64(); {
		case u < 0.45:
			r0, r1 = 0, 0.1
		case u < 0.9:
			r0, r1, label = 0.2, 0.5, -1
		default:
			if src.Uint64()&1 == 0 {
				label = -1
			}
		}
		rows[i], y[i] = direction(dim, AnnulusRadius(dim, r0, r1, src.Float64()), src), label
	}
	d, err := NewData(rows, y, 1)
	if err != nil {
		panic(err) // not reachable: the rows are made here
	}
	return d
}

// direction is a uniform point on the sphere of radius r.
func direction(dim int, r float64, src *Source) []float64 {
	for {
		v := make([]float64, dim)
		for j := range v {
			v[j] = src.Norm()
		}
		if n := norm2(v); n > 0 {
			for j := range v {
				v[j] *= r / n
			}
			return v
		}
	}
}
