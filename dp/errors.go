package dp

import (
	"fmt"
	"math"
)

// badArg is the form of every refusal: where, which argument, what it was, and what is required.
func badArg(where, arg string, got any, need string) error {
	return fmt.Errorf("dp: %s: %s = %v: %s", where, arg, got, need)
}

// positive reports whether v is a finite number above zero.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// checkEps is the shared test of a privacy parameter ε: finite and positive.
func checkEps(where string, eps float64) error {
	if !positive(eps) {
		return badArg(where, "Eps", eps, "the privacy parameter must be a finite number above 0")
	}
	return nil
}

// checkDelta is the shared test of a δ of approximate differential privacy: strictly between 0 and 1.
func checkDelta(where string, delta float64) error {
	if !(delta > 0 && delta < 1) {
		return badArg(where, "Delta", delta, "must lie strictly between 0 and 1")
	}
	return nil
}
