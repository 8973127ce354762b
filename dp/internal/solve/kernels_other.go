//go:build !amd64

package solve

func tile(a, b []float64, ld, k int, out *[8]float64) { tileGo(a, b, ld, k, out) }

func laneMargins(x *Matrix, y, f, z []float64) { laneMarginsGo(x, y, f, z) }

func laneGradient(x *Matrix, s, g []float64) { laneGradientGo(x, s, g) }

func laneHessian(x *Matrix, c, h []float64) { laneHessianGo(x, c, h) }
