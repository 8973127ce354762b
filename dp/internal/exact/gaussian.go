package exact

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Gaussian is the discrete Gaussian law on the integers: mass ∝ exp(−k²/(2σ²)).
// It is safe for concurrent use with distinct sources.
type Gaussian struct {
	proposal *Laplace
	p, qt    uint64 // σ² = p/q, t = ⌊σ⌋+1, when word is true
	den      words  // 2pqt²
	word     bool
	bp, bqt  *big.Int
	bden     *big.Int
	longest  uint64 // largest |Y| for which |Y|qt fits in 63 bits
}

// NewGaussian returns the law with σ² = variance > 0 (the parameter; the true variance is slightly smaller for small σ),
// kept exactly.
func NewGaussian(variance *big.Rat) (*Gaussian, error) {
	if variance == nil || variance.Sign() <= 0 {
		return nil, fmt.Errorf("exact: the parameter σ² of a discrete Gaussian law must be > 0, got %v", variance)
	}
	p, q := variance.Num(), variance.Denom()
	// t = ⌊σ⌋ + 1 = ⌊√⌊p/q⌋⌋ + 1
	t := new(big.Int).Sqrt(new(big.Int).Quo(p, q))
	t.Add(t, big.NewInt(1))
	proposal, err := NewLaplace(new(big.Rat).SetInt(t))
	if err != nil {
		return nil, err
	}
	g := &Gaussian{proposal: proposal, bp: new(big.Int).Set(p), bqt: new(big.Int).Mul(q, t)}
	g.bden = new(big.Int).Mul(p, g.bqt)
	g.bden.Mul(g.bden, t).Lsh(g.bden, 1)
	if g.bp.BitLen() <= 62 && g.bqt.BitLen() <= 62 && g.bden.BitLen() <= 126 {
		g.word, g.p, g.qt = true, g.bp.Uint64(), g.bqt.Uint64()
		g.den = words{new(big.Int).Rsh(g.bden, 64).Uint64(), new(big.Int).And(g.bden, new(big.Int).SetUint64(^uint64(0))).Uint64()}
		g.longest = (1<<63 - 1) / g.qt
	}
	return g, nil
}

// Sample draws once (Algorithm 3 of Canonne, Kamath and Steinke): a discrete Laplace proposal Y of scale t, accepted
// with probability exp(−(|Y| − σ²/t)²/(2σ²)) = exp(−(|Y|qt − p)²/(2pqt²)). It uses about 40 random words.
func (g *Gaussian) Sample(r Bits) int64 {
	for {
		y := g.proposal.Sample(r)
		m := uint64(y)
		if y < 0 {
			m = uint64(-y)
		}
		if g.word && m <= g.longest {
			dev := m * g.qt
			if dev < g.p {
				dev = g.p - dev
			} else {
				dev -= g.p
			}
			hi, lo := bits.Mul64(dev, dev)
			if (words{hi, lo}).bernoulliExp(r, g.den) {
				return y
			}
			continue
		}
		dev := new(big.Int).SetUint64(m)
		dev.Mul(dev, g.bqt).Sub(dev, g.bp)
		if bigBernoulliExp(r, dev.Mul(dev, dev), g.bden) {
			return y
		}
	}
}
