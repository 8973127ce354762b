// Package vec computes elementary functions on slices.
package vec

import "math"

// ExpNegAbs sets out[i] = e^{−|z[i]|}, with a relative error of at most 2 units in the last place (2·2⁻⁵²) for |z| ≤ 700; beyond that
// it is math.Exp. With AVX2 four values are computed at a time: n = round(−|z|/ln 2), r = −|z| − n ln 2 in two
// parts (Cody, Waite 1980), the Taylor polynomial of degree 13 on |r| ≤ ln 2/2 (remainder below 5·10⁻¹⁸), times 2ⁿ. A NaN gives NaN. out must be
// as long as z, and may be z.
func ExpNegAbs(z, out []float64) {
	out = out[:len(z)]
	i := 0
	if avx2 {
		for i+4 <= len(z) {
			// Runs of moderate values go to the vector form; a block with a wild one does not.
			m := i
			for m+4 <= len(z) && moderate(z[m]) && moderate(z[m+1]) && moderate(z[m+2]) && moderate(z[m+3]) {
				m += 4
			}
			if m > i {
				expNegAbsAVX2(&z[i], &out[i], m-i)
				i = m
				continue
			}
			expNegAbsGo(z[i:i+4], out[i:i+4])
			i += 4
		}
	}
	expNegAbsGo(z[i:], out[i:])
}

func moderate(v float64) bool { return v <= 700 && v >= -700 }

func expNegAbsGo(z, out []float64) {
	for i, v := range z {
		out[i] = math.Exp(-math.Abs(v))
	}
}
