package vec

import "example.org/godp/dp/internal/cpu"

var avx2 = cpu.AVX2

// expNegAbsAVX2 works on n values, a multiple of 4, all of them between −700 and 700.
//
//go:noescape
func expNegAbsAVX2(z, out *float64, n int)
