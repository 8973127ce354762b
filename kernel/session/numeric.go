package session

import "example.org/godp/kernel/cell/vec"

// Slices returns the slice form of a function of floats that a cell defined and the compiler turned into a program, or
// nil for any other function.
func Slices(f func(float64) float64) func(in, out []float64) { return vec.Slices(f) }
