package exact

import (
	"math"
	"math/big"
	"sync"
)

// logPrec is the working precision of NegLog. The hardest arguments of the logarithm in double precision need fewer than 120 bits to
// be rounded (Lefèvre, Muller, Tisserand 1998).
const logPrec = 192

// ln2 is the natural logarithm of 2 to logPrec bits: 2 artanh(1/3).
var ln2 = sync.OnceValue(func() *big.Float {
	third := new(big.Float).SetPrec(logPrec).Quo(big.NewFloat(1).SetPrec(logPrec), big.NewFloat(3).SetPrec(logPrec))
	return twiceArtanh(third)
})

// twiceArtanh is 2 Σ t^{2k+1}/(2k+1) for |t| ≤ 1/3.
func twiceArtanh(t *big.Float) *big.Float {
	f := func() *big.Float { return new(big.Float).SetPrec(logPrec) }
	if t.Sign() == 0 {
		return f()
	}
	square := f().Mul(t, t)
	power, sum := f().Set(t), f()
	for k := int64(1); ; k += 2 {
		term := f().Quo(power, f().SetInt64(k))
		sum.Add(sum, term)
		if term.MantExp(nil) < sum.MantExp(nil)-logPrec {
			return sum.Mul(sum, f().SetInt64(2))
		}
		power.Mul(power, square)
	}
}

// NegLog is −ln((1 + m·2⁻⁵²)·2⁻ᵉ), correctly rounded to nearest, for m < 2⁵² and e ≥ 1; it is positive. About 20 µs.
func NegLog(m uint64, e int) float64 {
	v := new(big.Float).SetPrec(logPrec).SetUint64(1<<52 | m)
	v.SetMantExp(v, -52)
	if m > 0x6a09e667f3bcc { // above √2: v/2 lies nearer to 1
		v.SetMantExp(v, -1)
		e--
	}
	one := new(big.Float).SetPrec(logPrec).SetInt64(1)
	num, den := new(big.Float).SetPrec(logPrec).Sub(v, one), new(big.Float).SetPrec(logPrec).Add(v, one)
	l := twiceArtanh(num.Quo(num, den)) // ln v
	out := new(big.Float).SetPrec(logPrec).SetInt64(int64(e))
	out.Mul(out, ln2()).Sub(out, l)
	r, _ := out.Float64()
	return math.Abs(r) // −0 cannot be, but a sign would be ruinous
}
