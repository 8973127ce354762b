//go:build !amd64

package solve

func tile(a, b []float64, ld, k int, out *[8]float64) { tileGo(a, b, ld, k, out) }
