//go:build !amd64

// Package cpu tells what the processor can do.
package cpu

// AVX2 is false: there is no such thing here.
const AVX2 = false
