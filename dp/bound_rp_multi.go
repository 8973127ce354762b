package dp

import "math"

// Numbers of Pathak and Raj (arXiv 1005.0063), as printed and as they are.
// q is the length of one class's parameter vector (svec), C the number of
// classes, r2 = R²+τ² the bound on ‖u‖.

// prSens is √2·C·r²: the tight bound on ‖∇ℓ(z,y) − ∇ℓ(z',y')‖ stacked over
// classes (the paper claims 2).
func prSens(classes int, r2 float64) float64 { return math.Sqrt2 * float64(classes) * r2 }

// prGrad is r²√(C(C−1)): the tight bound on one record's stacked gradient.
func prGrad(classes int, r2 float64) float64 {
	c := float64(classes)
	return r2 * math.Sqrt(c*(c-1))
}

// prSensMix is the bound with mixtures: r²√(2(C−1)(C+2)).
func prSensMix(classes int, r2 float64) float64 {
	c := float64(classes)
	return r2 * math.Sqrt(2*(c-1)*(c+2))
}

// prJ bounds ln det(A+H)/det(A+H') for A ⪰ nΛI and one record's Hessians:
// (C−2)ln(1+t) + ln(1+Ct), t = r⁴/(2hnΛ).
func prJ(classes int, r2, h float64, n int, lambda float64) float64 {
	c := float64(classes)
	t := r2 * r2 / (2 * h * float64(n) * lambda)
	return (c-2)*math.Log1p(t) + math.Log1p(c*t)
}

// prJMix is the trace bound for mixtures, r⁴(C−1)(1+1/h)/(nΛ).
func prJMix(classes int, r2, h float64, n int, lambda float64) float64 {
	return r2 * r2 * float64(classes-1) * (1 + 1/h) / (float64(n) * lambda)
}

// prLambdaFor is the Λ with J(Λ) = target; J decreases from +Inf to 0.
func prLambdaFor(target float64, classes int, r2, h float64, n int) float64 {
	lo, hi := -700.0, 700.0
	for i := 0; i < 200; i++ {
		mid := 0.5 * (lo + hi)
		if mid <= lo || mid >= hi {
			break
		}
		if prJ(classes, r2, h, n, math.Exp(mid)) > target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(hi)
}

// prOutSens is √2·C·r²/(nΛ), attained.
func prOutSens(classes int, r2 float64, n int, lambda float64) float64 {
	return prSens(classes, r2) / (float64(n) * lambda)
}

// prK is Theorem 1's constant ln(1+2α/(nλ)+α²/(n²λ²)), with the mean loss's n
// or (n = 1) for the summed loss the paper uses.
func prK(alpha, n, lambda float64) float64 {
	t := alpha / (n * lambda)
	return math.Log1p(2*t + t*t)
}

// prTail4 holds Lemma 4's tail bound for ‖b‖, b in R^{(d+1)×(d+1)} with
// density ∝ exp(−(ε/2)‖b‖_F).
type prTail4Values struct{ published, union, exact float64 }

func prTail4(d int, eps, fail float64) prTail4Values {
	dd := float64((d + 1) * (d + 1))
	return prTail4Values{
		published: 2 * dd / eps * math.Log(float64(d)/fail),
		union:     2 * dd / eps * math.Log(dd/fail),
		exact:     2 / eps * gammaUpperQuantile(dd, fail),
	}
}

// prTail4Violated is the true probability that ‖b‖ exceeds the printed bound.
func prTail4Violated(d int, fail float64) float64 {
	dd := float64((d + 1) * (d + 1))
	return gammaUpper(dd, dd*math.Log(float64(d)/fail))
}

// prQ is (S/ε')·q_p(δ): with probability ≥ 1−δ the perturbation is no longer.
func prQ(s, epsPrime float64, p int, fail float64) float64 {
	return s / epsPrime * gammaUpperQuantile(float64(p), fail)
}

// prThm2 is the excess over J(Φ*) that Theorem 2 prints.
func prThm2(d, classes int, eps, lambda, fail float64) float64 {
	l := math.Log(float64(d) / fail)
	return 8 * math.Pow(float64(d+1), 4) * float64(classes) / (eps * eps * lambda) * l * l
}

// prThm3 is the excess over L̃(Φ*) that Theorem 3 prints; fixed repairs its
// algebra (and still rests on a strong convexity that is not there).
func prThm3(d, classes int, eps, lambda, fail float64, n int, fixed bool) float64 {
	dd, c := float64(d), float64(classes)
	d2, d4 := (dd+1)*(dd+1), math.Pow(dd+1, 4)
	est := 16 / (lambda * float64(n)) * (32 + math.Log(1/fail))
	if fixed {
		l := math.Log(d2 / fail)
		return 4*math.Sqrt(dd)*d2*c/eps*l + 16*d4*c/(eps*eps*lambda)*l*l + est
	}
	l := math.Log(dd / fail)
	return 4*math.Sqrt(dd)*d2*c/(eps*lambda)*l + 8*d4*c/(eps*eps*lambda)*l*l + est
}

// prThm2Corrected is Q²/(2n²Λ).
func prThm2Corrected(q float64, n int, lambda float64) float64 {
	nn := float64(n)
	return q * q / (2 * nn * nn * lambda)
}

// prThm3Corrected is ‖W*‖Q/n + Q²/(n²Λ) + 32(C−1)²r⁴(32+ln(1/δ))/(Λn).
func prThm3Corrected(q float64, n, classes int, lambda, r2, fail, norm float64) float64 {
	nn, c := float64(n), float64(classes-1)
	return norm*q/nn + q*q/(nn*nn*lambda) + 32*c*c*r2*r2*(32+math.Log(1/fail))/(lambda*nn)
}
