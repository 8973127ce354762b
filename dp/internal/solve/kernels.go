package solve

// tileGo computes the eight inner products of four rows of a with two rows of b, each k long (a multiple of 4) at distance
// ld: out[2r+q] = Σ_t a[r·ld+t] b[q·ld+t].
func tileGo(a, b []float64, ld, k int, out *[8]float64) {
	a0, a1, a2, a3 := a[:k], a[ld:ld+k], a[2*ld:2*ld+k], a[3*ld:3*ld+k]
	b0, b1 := b[:k], b[ld:ld+k]
	var s00, s01, s10, s11, s20, s21, s30, s31 float64
	for t, x := range b0 {
		y := b1[t]
		v := a0[t]
		s00 += v * x
		s01 += v * y
		v = a1[t]
		s10 += v * x
		s11 += v * y
		v = a2[t]
		s20 += v * x
		s21 += v * y
		v = a3[t]
		s30 += v * x
		s31 += v * y
	}
	*out = [8]float64{s00, s01, s10, s11, s20, s21, s30, s31}
}
