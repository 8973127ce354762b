package dp

import (
	crand "crypto/rand"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
)

// A Source is a stream of random numbers from the ChaCha8 generator. A Source is not safe for concurrent use: give each
// goroutine its own Fork. In option structs a nil *Source means Secure(). The state of a Source is never printed.
type Source struct {
	gen    *rand.ChaCha8
	seeded bool
	spare  float64 // second normal deviate of the polar method
	has    bool
}

// Secure returns a Source seeded with 256 bits from the operating system's generator. This is what a release must use.
func Secure() *Source {
	var seed [32]byte
	crand.Read(seed[:]) // never fails (it ends the program if the system has no randomness)
	return &Source{gen: rand.NewChaCha8(seed)}
}

// Seed returns a reproducible Source. Whoever knows n can subtract the noise, so every Guarantee that used such a source
// says "seeded: not private".
func Seed(n uint64) *Source {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], n)
	copy(seed[8:], "godp reproducible source")
	return &Source{gen: rand.NewChaCha8(seed), seeded: true}
}

// orSecure resolves the zero value of an option struct's source field.
func orSecure(s *Source) *Source {
	if s == nil {
		return Secure()
	}
	return s
}

// Seeded tells whether the stream is reproducible, that is, descends from Seed.
func (s *Source) Seeded() bool { return s.seeded }

// String says only whether the source is reproducible.
func (s *Source) String() string {
	if s.seeded {
		return "dp.Source (seeded: reproducible, not private)"
	}
	return "dp.Source (secure)"
}

// Fork returns an independent Source whose seed is drawn from s.
func (s *Source) Fork() *Source {
	var seed [32]byte
	for i := 0; i < 32; i += 8 {
		binary.LittleEndian.PutUint64(seed[i:], s.gen.Uint64())
	}
	return &Source{gen: rand.NewChaCha8(seed), seeded: s.seeded}
}

// mark returns a function that takes the source back to where it is now.
func (s *Source) mark() func() {
	if s == nil {
		return func() {}
	}
	at, old := *s, *s.gen
	return func() { *s, *at.gen = at, old }
}

// Uint64 returns 64 uniform bits.
func (s *Source) Uint64() uint64 { return s.gen.Uint64() }

// Float64 returns a uniform number in [0, 1), a multiple of 2^-53.
func (s *Source) Float64() float64 { return float64(s.gen.Uint64()>>11) * 0x1p-53 }

// open returns a uniform number in (0, 1] at full floating-point resolution: the exponent is geometric and the 52 bits
// below it are uniform, so numbers near zero are not confined to a coarse lattice. Logarithms of it have correct tails.
func (s *Source) open() float64 {
	e := 0
	for {
		u := s.gen.Uint64()
		if u != 0 {
			e += bits.LeadingZeros64(u)
			break
		}
		if e += 64; e > 1024 {
			break
		}
	}
	m := s.gen.Uint64()>>12 | 1<<52
	return math.Ldexp(float64(m)+1, -53-e)
}

// Exp returns an exponential deviate of mean 1: −ln U.
func (s *Source) Exp() float64 { return -math.Log(s.open()) }

// Norm returns a standard normal deviate (Box–Muller, from uniform numbers of full resolution).
func (s *Source) Norm() float64 {
	if s.has {
		s.has = false
		return s.spare
	}
	r := math.Sqrt(2 * s.Exp())
	sin, cos := math.Sincos(2 * math.Pi * s.Float64())
	s.spare, s.has = r*sin, true
	return r * cos
}

// Intn returns a uniform integer in [0, n), exactly (by rejection). It panics if n ≤ 0.
func (s *Source) Intn(n int) int {
	if n <= 0 {
		panic(badArg("Source.Intn", "n", n, "must be at least 1"))
	}
	return int(s.uint64n(uint64(n)))
}

// uint64n returns a uniform integer in [0, n) by Lemire's multiplication with rejection; exact for every n ≥ 1.
func (s *Source) uint64n(n uint64) uint64 {
	hi, lo := bits.Mul64(s.gen.Uint64(), n)
	if lo < n {
		for t := -n % n; lo < t; {
			hi, lo = bits.Mul64(s.gen.Uint64(), n)
		}
	}
	return hi
}

// Perm returns a uniform permutation of 0..n-1.
func (s *Source) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := s.Intn(i + 1)
		p[i], p[j] = p[j], i
	}
	return p
}
