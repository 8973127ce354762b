package dp_test

import (
	"fmt"
	"math"

	"example.org/godp/dp"
)

func ExampleAdvancedComposition() {
	eps, delta, err := dp.AdvancedComposition(0.1, 0, 100, 1e-6)
	fmt.Printf("%.3f %.0e %v; adding up gives 10\n", eps, delta, err)
	// Output:
	// 6.308 1e-06 <nil>; adding up gives 10
}

func ExampleBasicComposition() {
	eps, delta := dp.BasicComposition([]float64{0.1, 0.2, 0.3}, []float64{0, 0, 1e-6})
	fmt.Printf("%.1f %.0e\n", eps, delta)
	// Output:
	// 0.6 1e-06
}

func ExampleOptimalDelta() {
	// Ten randomised responses at ε = 0.1: which δ makes them 0.5-DP together?
	delta, err := dp.OptimalDelta(0.1, 0, 10, 0.5)
	fmt.Printf("%.5f %v\n", delta, err)
	// Output:
	// 0.00993 <nil>
}

func ExampleSubsample() {
	// A release on a secret tenth of the rows: ε' = ln(1 + q(e^ε − 1)).
	eps, delta, err := dp.Subsample(1, 1e-6, 0.1)
	fmt.Printf("%.4f %.0e %v\n", eps, delta, err)
	// Output:
	// 0.1586 1e-07 <nil>
}

func ExampleDiscretePLD() {
	// Randomised response with e^ε = 3, twice.
	once, err := dp.DiscretePLD([]float64{0.75, 0.25}, []float64{0.25, 0.75}, 0)
	twice, err2 := once.Times(2)
	fmt.Printf("%.3f %v %v\n", twice.Delta(math.Log(3)), err, err2)
	// Output:
	// 0.375 <nil> <nil>
}

func ExampleGaussianPLD() {
	p, err := dp.GaussianPLD(1, 4, 0)
	ten, err2 := p.Times(10)
	eps := ten.Eps(1e-6)
	fmt.Printf("ten Gaussian releases with σ = 4: ε = %.2f at δ = 1e-6 %v %v\n", eps, err, err2)
	// Output:
	// ten Gaussian releases with σ = 4: ε = 3.75 at δ = 1e-6 <nil> <nil>
}

func ExampleLaplacePLD() {
	p, err := dp.LaplacePLD(1, 2, 0)
	fmt.Printf("δ(0.5) = %.0f, δ(0.25) = %.4f %v\n", p.Delta(0.5), p.Delta(0.25), err)
	// Output:
	// δ(0.5) = 0, δ(0.25) = 0.1175 <nil>
}

func ExampleDiscreteGaussianPLD() {
	p, err := dp.DiscreteGaussianPLD(1, 4, 0)
	fmt.Printf("%.3g %v\n", p.Delta(0.5), err)
	// Output:
	// 0.00275 <nil>
}

func ExampleDiscreteLaplacePLD() {
	p, err := dp.DiscreteLaplacePLD(1, 2, 0)
	fmt.Printf("%.4f %v\n", p.Delta(0.25), err)
	// Output:
	// 0.1377 <nil>
}

func ExamplePurePLD() {
	p, err := dp.PurePLD(0.5, 0, 0)
	four, err2 := p.Times(4)
	fmt.Printf("four pure releases at 0.5: δ(1) = %.4f %v %v\n", four.Delta(1), err, err2)
	// Output:
	// four pure releases at 0.5: δ(1) = 0.0949 <nil> <nil>
}

func ExampleGaussianRDP() {
	eps, _, err := dp.GaussianRDP(1, 4).Times(10).ToDP(1e-6)
	fmt.Printf("%.2f %v\n", eps, err)
	// Output:
	// 4.01 <nil>
}

func ExampleLaplaceRDP() {
	eps, _, err := dp.LaplaceRDP(1, 2).Times(20).ToDP(1e-6)
	fmt.Printf("%.2f, by adding up 10 %v\n", eps, err)
	// Output:
	// 9.74, by adding up 10 <nil>
}

func ExampleNewRDP() {
	// The curve αρ of ρ-zCDP.
	eps, _, err := dp.NewRDP(func(alpha float64) float64 { return 0.1 * alpha }).ToDP(1e-6)
	fmt.Printf("%.3f %v\n", eps, err)
	// Output:
	// 2.142 <nil>
}

func ExamplePureRDP() {
	eps, _, err := dp.PureRDP(0.1).Times(100).ToDP(1e-6)
	fmt.Printf("%.2f, by adding up 10 %v\n", eps, err)
	// Output:
	// 5.07, by adding up 10 <nil>
}

func ExamplePureToRDP() {
	fmt.Printf("%.6f\n", dp.PureToRDP(0.5, 2)) // ln((sinh 2ε − sinh ε)/sinh ε), at most ε
	// Output:
	// 0.227336
}

func ExampleRDP() {
	a, b := dp.GaussianRDP(1, 4), dp.PureRDP(0.1)
	sum, err := a.Plus(b)
	eps, _, err2 := sum.ToDP(1e-6)
	fmt.Printf("%.2f %v %v\n", eps, err, err2)
	// Output:
	// 1.21 <nil> <nil>
}

func ExampleRDPOrders() {
	o := dp.RDPOrders()
	fmt.Println(o[0], o[len(o)-1])
	// Output:
	// 1.01 474
}

func ExampleRDPToDP() {
	fmt.Printf("%.3f %.3f\n", dp.RDPToDP(10, 0.5, 1e-6), dp.RDPToDPMironov(10, 0.5, 1e-6))
	// Output:
	// 1.674 2.035
}

func ExampleRDPToDPMironov() {
	// ε + ln(1/δ)/(α−1)
	fmt.Printf("%.3f\n", dp.RDPToDPMironov(10, 0.5, 1e-6))
	// Output:
	// 2.035
}

func ExampleSubsampledGaussianRDP() {
	r, err := dp.SubsampledGaussianRDP(0.01, 1)
	eps, _, err2 := r.Times(1000).ToDP(1e-5)
	fmt.Printf("1000 steps on a hundredth of the rows: ε = %.2f %v %v\n", eps, err, err2)
	// Output:
	// 1000 steps on a hundredth of the rows: ε = 2.11 <nil> <nil>
}

func ExampleGDPDelta() {
	fmt.Printf("%.5f\n", dp.GDPDelta(1, 1))
	// Output:
	// 0.12694
}

func ExampleGDPEps() {
	eps, err := dp.GDPEps(1, dp.GDPDelta(1, 1))
	fmt.Printf("%.6f %v\n", eps, err)
	// Output:
	// 1.000000 <nil>
}

func ExampleGaussianTradeOff() {
	t := dp.GaussianTradeOff(1)
	fmt.Printf("with 5 %% false alarms at least %.3f of the attacks fail\n", t.Beta(0.05))
	// Output:
	// with 5 % false alarms at least 0.740 of the attacks fail
}

func ExamplePureTradeOff() {
	t := dp.PureTradeOff(1, 0)
	fmt.Printf("%.4f %.4f\n", t.Beta(0.05), t.Beta(0.5))
	// Output:
	// 0.8641 0.1839
}

func ExampleTradeOffOf() {
	t := dp.TradeOffOf("Gaussian, μ = 1", func(eps float64) float64 { return dp.GDPDelta(1, eps) }, []float64{0, 0.5, 1, 2, 3})
	fmt.Printf("%.3f, exactly %.3f\n", t.Beta(0.05), dp.GaussianTradeOff(1).Beta(0.05))
	// Output:
	// 0.737, exactly 0.740
}

func ExampleBoundedRangeToZCDP() {
	// The exponential mechanism at ε is ε²/8-zCDP, a quarter of what purity alone gives.
	fmt.Println(dp.BoundedRangeToZCDP(1), dp.PureToZCDP(1))
	// Output:
	// 0.125 0.5
}

func ExampleDPToZCDPBudget() {
	rho, err := dp.DPToZCDPBudget(1, 1e-6)
	fmt.Printf("%.5f %v\n", rho, err)
	// Output:
	// 0.01747 <nil>
}

func ExampleGaussianToZCDP() {
	fmt.Println(dp.GaussianToZCDP(1, 4)) // S²/(2σ²)
	// Output:
	// 0.03125
}

func ExamplePureToZCDP() {
	fmt.Println(dp.PureToZCDP(0.5)) // ε²/2
	// Output:
	// 0.125
}

func ExampleZCDPToDP() {
	eps, err := dp.ZCDPToDP(0.01, 1e-6)
	tight, err2 := dp.ZCDPToDPTight(0.01, 1e-6)
	fmt.Printf("%.4f %.4f %v %v\n", eps, tight, err, err2)
	// Output:
	// 0.7534 0.6217 <nil> <nil>
}

func ExampleZCDPToDPTight() {
	eps, err := dp.ZCDPToDPTight(0.01, 1e-6)
	fmt.Printf("%.4f %v\n", eps, err)
	// Output:
	// 0.6217 <nil>
}

func ExampleGaussianDelta() {
	delta, err := dp.GaussianDelta(1, 4, 1)
	fmt.Printf("%.3g %v\n", delta, err)
	// Output:
	// 2.92e-06 <nil>
}

func ExampleGaussianSigma() {
	sigma, err := dp.GaussianSigma(1, 1e-6, 1)
	fmt.Printf("%.4f, the classic formula says %.4f %v\n", sigma, math.Sqrt(2*math.Log(1.25e6)), err)
	// Output:
	// 4.2247, the classic formula says 5.2988 <nil>
}

func ExampleGaussianObjectiveDelta() {
	delta, err := dp.GaussianObjectiveDelta(dp.Corrected, 1, 10, 1, 1, 20)
	fmt.Printf("%.3g %v\n", delta, err)
	// Output:
	// 3.09e-23 <nil>
}

func ExampleGaussianObjectiveRDP() {
	eps, err := dp.GaussianObjectiveRDP(dp.Corrected, 8, 10, 1, 1, 20)
	fmt.Printf("%.4f %v\n", eps, err)
	// Output:
	// 0.1482 <nil>
}

func ExampleRoundedGaussianRho() {
	rho, err := dp.RoundedGaussianRho(1, 1.0/1024, 100, 10)
	fmt.Printf("%.6f, without rounding %.6f %v\n", rho, dp.GaussianToZCDP(1, 10), err)
	// Output:
	// 0.005098, without rounding 0.005000 <nil>
}
