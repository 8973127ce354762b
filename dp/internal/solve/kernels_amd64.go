package solve

import "example.org/godp/dp/internal/cpu"

var avx2 = cpu.AVX2

//go:noescape
func tileAVX2(a, b *float64, ld, k int, out *[8]float64)

func tile(a, b []float64, ld, k int, out *[8]float64) {
	if !avx2 || k == 0 {
		tileGo(a, b, ld, k, out)
		return
	}
	_, _ = a[3*ld+k-1], b[ld+k-1]
	tileAVX2(&a[0], &b[0], ld, k, out)
}

//go:noescape
func laneMarginsAVX2(ptr *int, idx *int32, val, y, f, z *float64, n int)

//go:noescape
func laneGradientAVX2(ptr *int, idx *int32, val, s, grad *float64, n int)

//go:noescape
func laneHessianAVX2(ptr *int, idx *int32, val, c, h *float64, n, d int)

func laneMargins(x *Matrix, y, f, z []float64) {
	if !avx2 || x.N == 0 || len(x.Val) == 0 {
		laneMarginsGo(x, y, f, z)
		return
	}
	_, _, _ = y[x.N-1], f[lanes*x.D-1], z[lanes*x.N-1]
	laneMarginsAVX2(&x.Ptr[0], &x.Idx[0], &x.Val[0], &y[0], &f[0], &z[0], x.N)
}

func laneGradient(x *Matrix, s, g []float64) {
	if !avx2 || x.N == 0 || len(x.Val) == 0 {
		laneGradientGo(x, s, g)
		return
	}
	_, _ = g[lanes*x.D-1], s[lanes*x.N-1]
	laneGradientAVX2(&x.Ptr[0], &x.Idx[0], &x.Val[0], &s[0], &g[0], x.N)
}

func laneHessian(x *Matrix, c, h []float64) {
	if !avx2 || x.N == 0 || len(x.Val) == 0 {
		laneHessianGo(x, c, h)
		return
	}
	_, _ = h[lanes*x.D*x.D-1], c[lanes*x.N-1]
	laneHessianAVX2(&x.Ptr[0], &x.Idx[0], &x.Val[0], &c[0], &h[0], x.N, x.D)
}
