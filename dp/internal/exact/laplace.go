package exact

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Laplace is the discrete Laplace (two-sided geometric) law on the integers: mass ∝ exp(−|k|/scale).
// It is safe for concurrent use with distinct sources.
type Laplace struct {
	t, s   uint64 // scale = t/s in lowest terms, when word is true
	word   bool
	bt, bs *big.Int
}

// NewLaplace returns the law with the given scale > 0, kept exactly.
func NewLaplace(scale *big.Rat) (*Laplace, error) {
	if scale == nil || scale.Sign() <= 0 {
		return nil, fmt.Errorf("exact: the scale of a discrete Laplace law must be > 0, got %v", scale)
	}
	l := &Laplace{bt: new(big.Int).Set(scale.Num()), bs: new(big.Int).Set(scale.Denom())}
	if l.bt.BitLen() <= 62 && l.bs.BitLen() <= 62 {
		l.word, l.t, l.s = true, l.bt.Uint64(), l.bs.Uint64()
	}
	return l, nil
}

// Sample draws once (Algorithm 2 of Canonne, Kamath and Steinke). It uses about 20 random words.
func (l *Laplace) Sample(r Bits) int64 {
	if !l.word {
		return l.sampleBig(r)
	}
	for {
		u := Below(r, l.t)
		if !expFraction(r, u, l.t) {
			continue
		}
		var v uint64
		for expMinusOne(r) {
			v++
		}
		y := uint64(Max)
		hi, lo := bits.Mul64(l.t, v)
		lo, carry := bits.Add64(lo, u, 0)
		if hi += carry; hi < l.s {
			if q, _ := bits.Div64(hi, lo, l.s); q < y {
				y = q
			}
		}
		if r.Uint64()>>63 == 0 {
			return int64(y)
		}
		if y != 0 { // zero is kept for one sign only, else it would have twice its mass
			return -int64(y)
		}
	}
}

func (l *Laplace) sampleBig(r Bits) int64 {
	for {
		u := bigBelow(r, l.bt)
		if !bigBernoulliExp(r, u, l.bt) {
			continue
		}
		var v int64
		for expMinusOne(r) {
			v++
		}
		x := new(big.Int).Mul(l.bt, big.NewInt(v))
		x.Add(x, u).Quo(x, l.bs)
		y := Max
		if x.BitLen() <= 62 {
			y = x.Int64()
		}
		if r.Uint64()>>63 == 0 {
			return y
		}
		if y != 0 {
			return -y
		}
	}
}
