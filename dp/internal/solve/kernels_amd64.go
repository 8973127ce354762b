package solve

//go:noescape
func tileAVX2(a, b *float64, ld, k int, out *[8]float64)

func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

func xgetbv() (eax uint32)

// avx2 tells whether the processor and the operating system support AVX2 and fused multiply-add.
var avx2 = hasAVX2()

func hasAVX2() bool {
	top, _, _, _ := cpuid(0, 0)
	if top < 7 {
		return false
	}
	const fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28
	_, _, c, _ := cpuid(1, 0)
	if c&(fma|osxsave|avx) != fma|osxsave|avx || xgetbv()&6 != 6 {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&(1<<5) != 0
}

func tile(a, b []float64, ld, k int, out *[8]float64) {
	if !avx2 || k == 0 {
		tileGo(a, b, ld, k, out)
		return
	}
	_, _ = a[3*ld+k-1], b[ld+k-1]
	tileAVX2(&a[0], &b[0], ld, k, out)
}
