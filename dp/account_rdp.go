package dp

import (
	"fmt"
	"math"
)

// An RDP is a Rényi privacy curve: at order Orders[i] > 1 the release is (Orders[i], Eps[i])-RDP (Mironov 2017). Curves on
// the same orders add under composition.
type RDP struct {
	Orders []float64 // α > 1
	Eps    []float64 // ε(α) at each order
}

// RDPOrders returns the orders used by the constructors: 1.01 to 474, dense where conversions usually end.
func RDPOrders() []float64 {
	var a []float64
	for x := 1.01; x < 2; x += 0.01 {
		a = append(a, x)
	}
	for x := 2.0; x < 16; x += 0.1 {
		a = append(a, math.Round(x*10)/10)
	}
	for x := 16.0; x < 64; x++ {
		a = append(a, x)
	}
	for x := 64.0; x <= 512; x *= 1.125 {
		a = append(a, math.Ceil(x))
	}
	return a
}

// NewRDP evaluates f at [RDPOrders].
func NewRDP(f func(alpha float64) float64) RDP {
	r := RDP{Orders: RDPOrders()}
	for _, a := range r.Orders {
		r.Eps = append(r.Eps, f(a))
	}
	return r
}

// GaussianRDP is the curve of N(0, sigma²) noise on a query of ℓ2 sensitivity s: αs²/(2σ²).
func GaussianRDP(sensitivity, sigma float64) RDP {
	rho := GaussianToZCDP(sensitivity, sigma)
	return NewRDP(func(a float64) float64 { return a * rho })
}

// LaplaceRDP is the curve of Laplace noise of the given scale on a query of ℓ1 sensitivity s (Mironov 2017, Corollary 2).
func LaplaceRDP(sensitivity, scale float64) RDP {
	t := sensitivity / scale
	return NewRDP(func(a float64) float64 {
		// ln{ a/(2a−1) e^{(a−1)t} + (a−1)/(2a−1) e^{−at} } / (a−1)
		return logAdd(math.Log(a/(2*a-1))+(a-1)*t, math.Log((a-1)/(2*a-1))-a*t) / (a - 1)
	})
}

// PureRDP is the best curve of an arbitrary eps-DP release:
// (α−1)⁻¹ ln[(sinh αε − sinh((α−1)ε))/sinh ε] (Mironov 2017, Proposition 3.3; attained by randomised response).
func PureRDP(eps float64) RDP { return NewRDP(func(a float64) float64 { return PureToRDP(eps, a) }) }

// PureToRDP is one point of [PureRDP].
func PureToRDP(eps, alpha float64) float64 {
	if eps == 0 {
		return 0
	}
	// randomised response: p = e^ε/(1+e^ε); ln(p^α q^{1−α} + q^α p^{1−α})/(α−1)
	lp, lq := -math.Log1p(math.Exp(-eps)), -eps-math.Log1p(math.Exp(-eps))
	return math.Max(0, logAdd(alpha*lp+(1-alpha)*lq, alpha*lq+(1-alpha)*lp)/(alpha-1))
}

// Plus is the curve of both releases together.
func (r RDP) Plus(s RDP) (RDP, error) {
	if len(r.Orders) != len(s.Orders) {
		return RDP{}, fmt.Errorf("dp.RDP.Plus: the curves have different orders (%d and %d)", len(r.Orders), len(s.Orders))
	}
	out := RDP{Orders: r.Orders, Eps: make([]float64, len(r.Eps))}
	for i := range r.Orders {
		if r.Orders[i] != s.Orders[i] {
			return RDP{}, fmt.Errorf("dp.RDP.Plus: the curves have different orders (%v and %v)", r.Orders[i], s.Orders[i])
		}
		out.Eps[i] = r.Eps[i] + s.Eps[i]
	}
	return out, nil
}

// Times is the curve of k releases.
func (r RDP) Times(k int) RDP {
	out := RDP{Orders: r.Orders, Eps: make([]float64, len(r.Eps))}
	for i, e := range r.Eps {
		out.Eps[i] = float64(k) * e
	}
	return out
}

// ToDP returns the smallest ε over the orders with
//
//	ε = ε(α) + ln((α−1)/α) − (ln δ + ln α)/(α−1)
//
// and the order that gave it (Canonne, Kamath and Steinke 2020, Proposition 12).
func (r RDP) ToDP(delta float64) (eps, order float64, err error) {
	if !(delta > 0 && delta < 1) {
		return 0, 0, fmt.Errorf("dp.RDP.ToDP: delta = %v must lie in (0, 1)", delta)
	}
	eps = math.Inf(1)
	for i, a := range r.Orders {
		if e := RDPToDP(a, r.Eps[i], delta); e < eps {
			eps, order = e, a
		}
	}
	return eps, order, nil
}

// RDPToDP converts one point of a Rényi curve; see [RDP.ToDP].
func RDPToDP(alpha, eps, delta float64) float64 {
	return math.Max(0, eps+math.Log1p(-1/alpha)-(math.Log(delta)+math.Log(alpha))/(alpha-1))
}

// RDPToDPMironov is the older conversion ε(α) + ln(1/δ)/(α−1) (Mironov 2017, Proposition 3), never better than [RDPToDP].
func RDPToDPMironov(alpha, eps, delta float64) float64 {
	return eps + math.Log(1/delta)/(alpha-1)
}

// SubsampledGaussianRDP is the curve of Gaussian noise of multiplier z = σ/s on a Poisson sample with
// probability q, under add/remove (Mironov, Talwar and Zhang 2019, section 3.3). At integer orders it
// is the exact finite sum
//
//	(α−1)⁻¹ ln Σ_k C(α,k) (1−q)^{α−k} q^k exp(k(k−1)/(2z²));
//
// between integers it interpolates (α−1)·ε linearly, which is an upper bound because that function is convex.
func SubsampledGaussianRDP(q, z float64) (RDP, error) {
	if !(q >= 0 && q <= 1) || !(z > 0) {
		return RDP{}, fmt.Errorf("dp.SubsampledGaussianRDP: q = %v must lie in [0, 1] and z = %v be positive", q, z)
	}
	memo := map[int]float64{1: 0}
	logA := func(n int) float64 { // (α−1)·ε(α) at α = n
		if v, ok := memo[n]; ok {
			return v
		}
		s := math.Inf(-1)
		ln, _ := math.Lgamma(float64(n + 1))
		for k := 0; k <= n; k++ {
			a, _ := math.Lgamma(float64(k + 1))
			b, _ := math.Lgamma(float64(n - k + 1))
			t := ln - a - b + float64(k)*float64(k-1)/(2*z*z)
			if n > k {
				t += float64(n-k) * math.Log1p(-q)
			}
			if k > 0 {
				t += float64(k) * math.Log(q)
			}
			if !math.IsNaN(t) {
				s = logAdd(s, t)
			}
		}
		memo[n] = math.Max(0, s)
		return memo[n]
	}
	return NewRDP(func(a float64) float64 {
		n := math.Floor(a)
		v := logA(int(n))
		if f := a - n; f > 0 {
			v = (1-f)*v + f*logA(int(n)+1)
		}
		return v / (a - 1)
	}), nil
}

// logAdd is ln(e^x + e^y).
func logAdd(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(y, -1) {
		return x
	}
	return x + math.Log1p(math.Exp(y-x))
}
