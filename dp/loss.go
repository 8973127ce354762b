package dp

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
)

// A Loss is a convex, non-increasing function ℓ of the margin z = y·fᵀx together with the two constants every calibration
// needs: L = sup|ℓ'| and C = ess sup ℓ″ (C = +Inf for a loss that is not smooth; such a loss is refused by objective
// perturbation). A user's loss is a literal; Check refuses false constants, and every trainer calls it.
//
//	cubic := dp.Loss{Name: "mine", L: 1, C: 0.25, Value: …, Grad: …, Hess: …}
type Loss struct {
	Name  string
	L, C  float64
	Value func(z float64) float64
	Grad  func(z float64) float64 // ℓ'
	Hess  func(z float64) float64 // ℓ'' (almost everywhere)

	// HessBound is an upper bound on ℓ'' over the margins lo ≤ z ≤ hi (lo may be −Inf, hi +Inf), the tighter the better.
	// Optional: with it the calibration uses that slope and curvature may not be extreme together, see LossEps.
	HessBound func(lo, hi float64) float64

	// Batch computes the same numbers on slices: value[i], grad[i], hess[i] at z[i]. Any output may be nil. Optional.
	Batch func(z, value, grad, hess []float64)

	made     *maker // by a constructor of this package
	logistic bool   // made by Logistic: the sharper calibration applies (Check compares the functions)
	problem  error  // why the constructor's argument was wrong, reported by Check
}

// String is the loss's name.
func (l Loss) String() string { return l.Name }

// Smooth tells whether ℓ' is Lipschitz (C finite).
func (l Loss) Smooth() bool { return !math.IsInf(l.C, 1) }

// eval fills whichever outputs are not nil, through Batch when there is one.
func (l Loss) eval(z, value, grad, hess []float64) {
	if l.Batch != nil {
		l.Batch(z, value, grad, hess)
		return
	}
	each(l.Value, z, value)
	each(l.Grad, z, grad)
	each(l.Hess, z, hess)
}

// each sets out[i] = f(z[i]), on whole slices when the host knows f's slice form.
func each(f func(float64) float64, z, out []float64) {
	if out == nil {
		return
	}
	if s := sliceForm.Load(); s != nil {
		if g := (*s)(f); g != nil {
			g(z, out)
			return
		}
	}
	for i, zi := range z {
		out[i] = f(zi)
	}
}

// sliceForm finds a compiled form, on slices, of a function of one float; nil when there is no host that knows any.
var sliceForm atomic.Pointer[func(f func(float64) float64) func(in, out []float64)]

// SetSliceForms tells the library how to run some scalar functions on slices: a host that compiles the functions its
// users type (a notebook kernel) thereby makes a user's Loss train about as fast as a built-in one. find returns nil for
// a function it does not know; what it returns must give exactly the same numbers.
func SetSliceForms(find func(f func(float64) float64) func(in, out []float64)) {
	if find == nil {
		sliceForm.Store(nil)
		return
	}
	sliceForm.Store(&find)
}

// Check tests the claims a loss makes, on about 12,000 margins between -1e6 and 1e6 (dense near 0 and 1): Value, Grad and
// Hess are finite and agree with each other (finite differences), ℓ is convex and non-increasing, |ℓ'| ≤ L, and ℓ' has
// Lipschitz constant at most C; and Batch, when present, gives the same numbers. A loss that passes can still be false
// between the tested points: for a user's loss the guarantee therefore lists the constants as checked, not as proved.
// A loss that passed is remembered, and looked at on 64 margins only the next time.
func (l Loss) Check() error {
	name := l.Name
	if name == "" {
		name = "unnamed"
	}
	where := "loss " + name
	if l.problem != nil {
		return l.problem
	}
	if l.Value == nil || l.Grad == nil {
		return fmt.Errorf("dp: %s: Value and Grad are required", where)
	}
	if !positive(l.L) {
		return badArg(where, "L", l.L, "the bound on |ℓ'| must be finite and above 0")
	}
	if !(l.C > 0) {
		return badArg(where, "C", l.C, "the bound on ℓ'' must be above 0 (+Inf for a loss that is not smooth)")
	}
	if l.Smooth() && l.Hess == nil {
		return fmt.Errorf("dp: %s: Hess is required when C is finite", where)
	}
	k := l.key()
	if knownGood(k) {
		return nil
	}
	if err := l.checkOnGrid(where); err != nil {
		return err
	}
	rememberGood(k, l)
	return nil
}

// checkOnGrid is the part of Check that evaluates the loss.
func (l Loss) checkOnGrid(where string) error {
	zs := checkGrid()
	if l.logistic {
		if err := l.checkLogistic(where, zs); err != nil {
			return err
		}
	}
	const tol = 1e-6
	var pz, pv, pg float64
	for i, z := range zs {
		v, g := l.Value(z), l.Grad(z)
		if math.IsNaN(v) || math.IsInf(v, 0) || math.IsNaN(g) || math.IsInf(g, 0) {
			return fmt.Errorf("dp: %s: at z = %g the value is %g and the slope %g: both must be finite", where, z, v, g)
		}
		if math.Abs(g) > l.L*(1+1e-12) {
			return fmt.Errorf("dp: %s: |ℓ'(%g)| = %g exceeds the declared L = %g", where, z, math.Abs(g), l.L)
		}
		if g > 1e-12*l.L {
			return fmt.Errorf("dp: %s: ℓ'(%g) = %g: the loss must be non-increasing in the margin", where, z, g)
		}
		if l.Smooth() {
			c := l.Hess(z)
			if !(c >= 0) || c > l.C*(1+1e-9) {
				return fmt.Errorf("dp: %s: ℓ''(%g) = %g lies outside [0, C] with the declared C = %g", where, z, c, l.C)
			}
		}
		if i > 0 {
			dz := z - pz
			slack := tol*dz*l.L + 1e-13*(math.Abs(v)+math.Abs(pv))
			// Convexity: the secant lies between the two slopes. This also ties Grad to Value.
			if d := v - pv; d < pg*dz-slack || d > g*dz+slack {
				return fmt.Errorf("dp: %s: between z = %g and %g the value changes by %g, which does not fit the slopes %g and %g: "+
					"Grad is not the derivative of Value, or the loss is not convex", where, pz, z, d, pg, g)
			}
			if dg := g - pg; dg < -1e-12*l.L {
				return fmt.Errorf("dp: %s: the slope falls from %g to %g between z = %g and %g: the loss must be convex", where, pg, g, pz, z)
			} else if l.Smooth() && dg > l.C*dz*(1+1e-6)+1e-12*l.L {
				return fmt.Errorf("dp: %s: between z = %g and %g the slope changes by %g, more than the declared C = %g allows", where, pz, z, dg, l.C)
			}
			if l.Smooth() {
				if err := l.checkHess(where, z); err != nil {
					return err
				}
			}
		}
		pz, pv, pg = z, v, g
	}
	if err := l.checkHessBound(where, zs); err != nil {
		return err
	}
	return l.checkBatch(where, zs)
}

// checkHessBound compares HessBound with ℓ″ on intervals of many lengths.
func (l Loss) checkHessBound(where string, zs []float64) error {
	if l.HessBound == nil || !l.Smooth() {
		return nil
	}
	refuse := func(lo, hi, bound, z float64) error {
		return fmt.Errorf("dp: %s: HessBound(%g, %g) = %g, but ℓ''(%g) = %g", where, lo, hi, bound, z, l.Hess(z))
	}
	for width := 1; width < len(zs); width *= 3 {
		for i := 0; i+width < len(zs); i += max(width/2, 7) {
			lo, hi := zs[i], zs[i+width]
			b := l.HessBound(lo, hi)
			for k := i; k <= i+width; k += max(1, width/9) {
				if !(b >= l.Hess(zs[k])*(1-1e-12)) {
					return refuse(lo, hi, b, zs[k])
				}
			}
		}
	}
	for _, z := range zs {
		if b := l.HessBound(math.Inf(-1), z); !(b >= l.Hess(z)*(1-1e-12)) {
			return refuse(math.Inf(-1), z, b, z)
		}
		if b := l.HessBound(z, math.Inf(1)); !(b >= l.Hess(z)*(1-1e-12)) {
			return refuse(z, math.Inf(1), b, z)
		}
	}
	return nil
}

// checkHess compares ℓ″ with a central difference of ℓ'. At a kink of ℓ″ the two may differ, so a mismatch counts only
// if it also appears at a point nearby on both sides.
func (l Loss) checkHess(where string, z float64) error {
	if math.Abs(z) > 100 {
		return nil
	}
	bad := 0
	var fd float64
	for _, s := range []float64{0, -3e-4, 3e-4} {
		const dz = 1e-5
		p := z + s
		fd = (l.Grad(p+dz) - l.Grad(p-dz)) / (2 * dz)
		if math.Abs(fd-l.Hess(p)) <= 1e-3*l.C+1e-6*l.L {
			break
		}
		bad++
	}
	if bad == 3 {
		return fmt.Errorf("dp: %s: ℓ''(%g) = %g but the slope's finite difference is %g", where, z, l.Hess(z), fd)
	}
	return nil
}

func (l Loss) checkBatch(where string, zs []float64) error {
	if l.Batch == nil {
		return nil
	}
	n := len(zs)
	v, g, h := make([]float64, n), make([]float64, n), make([]float64, n)
	l.Batch(zs, v, g, h)
	for i, z := range zs {
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }
		if !near(v[i], l.Value(z)) || !near(g[i], l.Grad(z)) || l.Hess != nil && !near(h[i], l.Hess(z)) {
			return fmt.Errorf("dp: %s: Batch differs from Value, Grad or Hess at z = %g", where, z)
		}
	}
	return nil
}

// checkWidth is the shared test of the width h of a smoothed hinge.
func checkWidth(where string, h float64) error {
	if !positive(h) || math.IsInf(1/(2*h), 1) {
		return badArg(where, "h", h, "the width of the smoothed kink must be finite and above 0")
	}
	return nil
}

// checkGrid is the sorted list of margins at which Check looks. The offset keeps it off decimal kinks.
func checkGrid() []float64 {
	var zs []float64
	add := func(from, to, step float64) {
		for z := from; z < to; z += step {
			zs = append(zs, z+step*0.38196601125)
		}
	}
	for e := 6.0; e > 1; e -= 0.05 {
		zs = append(zs, -math.Pow(10, e))
	}
	add(-10, -4, 0.01)
	add(-4, 4, 0.001)
	add(4, 10, 0.01)
	for e := 1.05; e <= 6; e += 0.05 {
		zs = append(zs, math.Pow(10, e))
	}
	slices.Sort(zs)
	return zs
}

// isLogistic tells whether slope and curvature are tied together as s and s(1−s).
func (l Loss) isLogistic() bool { return l.logistic }

// checkLogistic makes sure that a copy of Logistic() whose functions were replaced does not get its calibration.
func (l Loss) checkLogistic(where string, zs []float64) error {
	for _, z := range zs {
		s := 1 / (1 + math.Exp(z))
		if g, h := l.Grad(z), l.Hess(z); math.Abs(g+s) > 1e-12 || math.Abs(h-s*(1-s)) > 1e-12 {
			return fmt.Errorf("dp: %s: the functions of Logistic() were changed (at z = %g); build the new loss as a Loss literal", where, z)
		}
	}
	return nil
}
