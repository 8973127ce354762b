package dp

import (
	"math"
	"math/big"
	"sync/atomic"

	"example.org/godp/dp/internal/exact"
)

// Calibrating Gaussian noise is a bisection of microseconds (continuous) to milliseconds (discrete). Densities and quantiles
// need the same σ again and again, so the last few results are kept: a direct-mapped table, safe for concurrent use, in which a
// collision only costs time.

type calibration struct {
	eps, delta, s float64
	kind          calibrationKind
	sigma         float64
}

type calibrationKind uint64

const (
	continuousNoise calibrationKind = iota // Balle and Wang
	discreteScalar                         // the exact sum
	discreteVector                         // through zCDP
)

var calibrations [256]atomic.Pointer[calibration]

// calibrated returns solve(), or its remembered result for the same arguments.
func calibrated(eps, delta, s float64, kind calibrationKind, solve func() float64) float64 {
	h := math.Float64bits(eps)*0x9e3779b97f4a7c15 ^ math.Float64bits(delta)*0xc2b2ae3d27d4eb4f ^ math.Float64bits(s)*0x165667b19e3779f9 ^ uint64(kind)*0x27d4eb2f165667c5
	slot := &calibrations[(h^h>>32)*0x9e3779b97f4a7c15>>56]
	if c := slot.Load(); c != nil && c.eps == eps && c.delta == delta && c.s == s && c.kind == kind {
		return c.sigma
	}
	c := &calibration{eps, delta, s, kind, solve()}
	slot.Store(c)
	return c.sigma
}

// discreteLaw is a remembered exact sampler: Laplace of scale num/den, or Gaussian with σ = num.
type discreteLaw struct {
	num, den float64
	laplace  *exact.Laplace
	gaussian *exact.Gaussian
}

var discreteLaws [64]atomic.Pointer[discreteLaw]

func lawSlot(num, den float64) *atomic.Pointer[discreteLaw] {
	h := math.Float64bits(num)*0x9e3779b97f4a7c15 ^ math.Float64bits(den)*0xc2b2ae3d27d4eb4f
	return &discreteLaws[(h^h>>32)*0x9e3779b97f4a7c15>>58]
}

// laplaceLaw is the discrete Laplace law of scale steps/eps, exactly.
func laplaceLaw(steps, eps float64) (*exact.Laplace, error) {
	slot := lawSlot(steps, eps)
	if c := slot.Load(); c != nil && c.laplace != nil && c.num == steps && c.den == eps {
		return c.laplace, nil
	}
	law, err := exact.NewLaplace(new(big.Rat).Quo(rat(steps), rat(eps)))
	if err != nil {
		return nil, err
	}
	slot.Store(&discreteLaw{num: steps, den: eps, laplace: law})
	return law, nil
}

// gaussianLaw is the discrete Gaussian law of parameter σ, exactly.
func gaussianLaw(sigma float64) (*exact.Gaussian, error) {
	slot := lawSlot(sigma, 0)
	if c := slot.Load(); c != nil && c.gaussian != nil && c.num == sigma {
		return c.gaussian, nil
	}
	law, err := exact.NewGaussian(new(big.Rat).Mul(rat(sigma), rat(sigma)))
	if err != nil {
		return nil, err
	}
	slot.Store(&discreteLaw{num: sigma, gaussian: law})
	return law, nil
}
