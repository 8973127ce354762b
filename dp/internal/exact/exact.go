// Package exact draws from discrete probability laws without any rounding: every decision is a comparison of
// integers, so the law of the output is the stated one and not a floating-point neighbour of it.
//
// The algorithms are those of Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy"
// (NeurIPS 2020), Algorithms 1, 2 and 3. The only departure is that Bernoulli(γ/k) is drawn as
// Bernoulli(γ) ∧ Bernoulli(1/k), which keeps the integers short.
//
// Parameters whose integers fit in 62 bits use machine words (128-bit intermediate results); others use math/big.
// Both paths realise the same law. Running time depends on the value drawn.
package exact

import (
	"math/big"
	"math/bits"
)

// Bits is a supply of independent uniform 64-bit words.
type Bits interface{ Uint64() uint64 }

// Max is the largest magnitude a sampler returns: larger draws are clamped to ±Max, which is post-processing and
// so cannot weaken a privacy guarantee.
const Max = int64(1) << 62

// Below returns a uniform integer in [0, n), n ≥ 1, by Lemire's multiply-and-reject (exactly uniform).
func Below(r Bits, n uint64) uint64 {
	if n&(n-1) == 0 {
		return r.Uint64() & (n - 1)
	}
	hi, lo := bits.Mul64(r.Uint64(), n)
	if lo < n {
		for reject := -n % n; lo < reject; {
			hi, lo = bits.Mul64(r.Uint64(), n)
		}
	}
	return hi
}

// bigBelow is Below for any n ≥ 1, by masked rejection.
func bigBelow(r Bits, n *big.Int) *big.Int {
	size := new(big.Int).Sub(n, big.NewInt(1)).BitLen()
	for {
		v := new(big.Int)
		for got := 0; got < size; got += 64 {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(r.Uint64()))
		}
		if extra := (64 - size%64) % 64; extra > 0 {
			v.Rsh(v, uint(extra))
		}
		if v.Cmp(n) < 0 {
			return v
		}
	}
}

// Bernoulli returns true with probability exactly a/b, 0 ≤ a ≤ b, b ≥ 1.
func Bernoulli(r Bits, a, b uint64) bool { return Below(r, b) < a }

// series runs Algorithm 1 of Canonne, Kamath and Steinke for γ ∈ [0, 1] given a draw of Bernoulli(γ):
// it returns true with probability exactly exp(−γ).
func series(r Bits, draw func() bool) bool {
	k := uint64(1)
	for draw() && (k == 1 || Below(r, k) == 0) {
		k++
	}
	return k&1 == 1
}

// expMinusOne returns true with probability exactly 1/e.
func expMinusOne(r Bits) bool {
	k := uint64(2)
	for Below(r, k) == 0 {
		k++
	}
	return k&1 == 1
}

// expFraction returns true with probability exactly exp(−a/b), 0 ≤ a ≤ b.
func expFraction(r Bits, a, b uint64) bool {
	k := uint64(1)
	for Below(r, b) < a && (k == 1 || Below(r, k) == 0) {
		k++
	}
	return k&1 == 1
}

// BernoulliExp returns true with probability exactly exp(−g). It panics if g < 0.
func BernoulliExp(r Bits, g *big.Rat) bool {
	if g.Sign() < 0 {
		panic("exact: BernoulliExp needs g ≥ 0")
	}
	if g.Num().BitLen() <= 64 && g.Denom().BitLen() <= 64 {
		return words{0, g.Num().Uint64()}.bernoulliExp(r, words{0, g.Denom().Uint64()})
	}
	return bigBernoulliExp(r, g.Num(), g.Denom())
}

func bigBernoulliExp(r Bits, num, den *big.Int) bool {
	whole, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	// Each whole unit survives with probability 1/e, so this loop ends after 1.6 rounds on average however large g is.
	for one := big.NewInt(1); whole.Sign() > 0; whole.Sub(whole, one) {
		if !expMinusOne(r) {
			return false
		}
	}
	return series(r, func() bool { return bigBelow(r, den).Cmp(rest) < 0 })
}

// words is an unsigned 128-bit integer.
type words struct{ hi, lo uint64 }

func (a words) less(b words) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a words) minus(b words) words {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return words{hi, lo}
}

// below returns a uniform integer in [0, n), n ≥ 1.
func (n words) below(r Bits) words {
	if n.hi == 0 {
		return words{0, Below(r, n.lo)}
	}
	mask := ^uint64(0) >> bits.LeadingZeros64(n.hi)
	for {
		v := words{r.Uint64() & mask, r.Uint64()}
		if v.less(n) {
			return v
		}
	}
}

// bernoulliExp returns true with probability exactly exp(−a/b), b ≥ 1.
func (a words) bernoulliExp(r Bits, b words) bool {
	for !a.less(b) {
		if !expMinusOne(r) {
			return false
		}
		a = a.minus(b)
	}
	k := uint64(1)
	for b.below(r).less(a) && (k == 1 || Below(r, k) == 0) {
		k++
	}
	return k&1 == 1
}
