package dp

import (
	"math"
	"testing"
)

func TestOracleScales(t *testing.T) {
	o := rpOracle(t, "R04")
	l2 := rpInexact(rpSensL2(o.in("L"), o.in("C"), o.in("kappa"), int(o.in("n")), false), o.in("duality_gap"))
	o.want("l2", l2)
	o.want("l1", l2*math.Sqrt(o.in("F")))

	o = rpOracle(t, "R05")
	var ts, ss []float64
	for _, c := range o.matrix("cases") {
		a, s := rpLogistic(c[0], c[1])
		ts, ss = append(ts, a), append(ss, s)
	}
	o.want("t", ts...)
	o.want("s", ss...)

	o = rpOracle(t, "R06")
	o.want("published_chernoff", rpScale8(o.in("eps"), o.in("delta"), int(o.in("F")), o.in("Phi"), true))
	o.want("exact_erlang", rpScale8(o.in("eps"), o.in("delta"), int(o.in("F")), o.in("Phi"), false))

	o = rpOracle(t, "R07")
	o.want("chernoff", rpFail8(o.in("eps"), int(o.in("F")), o.in("Phi"), o.in("lam"), true))
	o.want("exact_erlang", rpFail8(o.in("eps"), int(o.in("F")), o.in("Phi"), o.in("lam"), false))

	o = rpOracle(t, "R09")
	var psi []float64
	for _, a := range o.list("a") {
		psi = append(psi, rpPsi(a))
	}
	o.want("psi", psi...)
	o.want("c2", rpC2)

	o = rpOracle(t, "R10")
	net := func(d int, diam, s, ms float64) float64 {
		return rpNet(o.in("eps_noise"), o.in("eta"), int(o.in("dhat")), d, diam, s, ms, o.in("omega"))
	}
	o.want("lam", net(int(o.in("d")), o.in("diam"), o.in("s"), o.in("m_s")))
	o.want("lam_s_half", net(2, 3, 0.5, 2*math.Sqrt2))
}

func TestOracleApproximation(t *testing.T) {
	o := rpOracle(t, "R11")
	o.want("published", rpTol12(o.in("eps"), o.in("C"), o.in("L"), o.in("Lambda"), true))
	o.want("corrected_tight", rpTol12(o.in("eps"), o.in("C"), o.in("L"), o.in("Lambda"), false))

	o = rpOracle(t, "R12")
	o.want("theorem14", rpTheta14(o.in("eps"), o.in("C"), o.in("L"), o.in("Lambda"), true))
	o.want("corollary15", rpTheta15(o.in("eps"), o.in("C")))
	o.want("corollary15_exact", rpTheta15Exact(o.in("eps"), o.in("C")))
	o.want("tight", rpTheta14(o.in("eps"), o.in("C"), o.in("L"), o.in("Lambda"), false))

	o = rpOracle(t, "R14")
	ms := rpLaplacianMoment(int(o.in("d")), 1, o.in("s"))
	o.want("m_s", ms)
	o.want("dhat", rpPairs13Holder(o.in("eps"), o.in("delta"), int(o.in("d")), o.in("diam"), o.in("s"), ms))

	o = rpOracle(t, "R16")
	run := func(how rpReading16) rpChain16 {
		return rpTheorem16(how, o.in("eps"), o.in("delta"), o.in("C"), int(o.in("n")), int(o.in("d")),
			o.in("sigma_p"), o.in("diam"), o.in("m1"), o.in("omega"))
	}
	a, b, c := run(read16Misread), run(read16Lemma10), run(read16Corrected)
	o.want("theta", a.theta)
	o.want("dhat", float64(a.pairs))
	o.want("lam_published_misread", a.lam)
	o.want("lam_lemma10", b.lam)
	o.want("beta_published_misread", a.beta)
	o.want("beta_correct_reading", b.beta)
	o.want("theta_tight", c.theta)
	o.want("dhat_tight", float64(c.pairs))
	o.want("lam_erlang", c.erlang)
	o.want("lam_net", c.net)
	o.want("beta_tight", c.beta)

	o = rpOracle(t, "R27")
	d, sg := int(o.in("d")), o.in("sigma")
	o.want("rbf_E_norm", rpRBFMeanNorm(d, sg))
	o.want("rbf_sigma_p2", math.Pow(RBF(sg).SigmaP(d), 2))
	o.want("cauchy_sigma_p2", math.Pow(Cauchy(sg).SigmaP(d), 2))
	o.want("laplacian_sigma_p2", math.Pow(Laplacian(sg).SigmaP(d), 2))
	o.want("laplacian_m_half_bound", rpLaplacianMoment(d, sg, 0.5))
}

func TestOracleLowerBounds(t *testing.T) {
	o := rpOracle(t, "R20")
	o.want("beta_lower", rpBetaPacking(o.in("delta"), 2, 1))
	o.want("beta_lower_literal_def2", rpBetaPacking(1-o.in("delta"), 2, 1))
	o.want("min_delta_corrected", rpMinFail(o.in("beta"), 2))
	o.want("min_delta_published", math.Exp(-o.in("beta")))

	o = rpOracle(t, "R22")
	s := rpLemma19(int(o.in("n")), o.in("C"), o.in("sigma"))
	o.want("N", float64(s.packing))
	o.want("N_sharp", float64(s.sharp))
	o.want("gamma", s.gamma)
	o.want("alpha_neg", s.alphaNeg)
	o.want("alpha_neg_published_case4", s.alphaNegPublished)
	o.want("alpha_pos", s.alphaPos)
	o.want("max_kij", s.maxK)
	o.want("min_sep", s.minSep)
	o.want("C_over_2n", s.half)
	o.want("eps_max", s.accMax)

	o = rpOracle(t, "R24")
	n, c, m := o.in("n"), o.in("C"), int(o.in("m"))
	p, sharp := rpPack19(o.in("sigma"))
	o.want("beta_lower", rpBetaPacking(o.in("delta"), p, 1))
	o.want("beta_lower_sharp", rpBetaPacking(o.in("delta"), sharp, 1))
	o.want("eps_max_corrected", rpLemma19(int(n), c, o.in("sigma")).accMax)
	o.want("eps_max_published", n/(4*c))
	o.want("group_eps_max", float64(m)*c/(4*n))
	o.want("group_beta_lower", rpBetaPacking(o.in("delta"), p, m))
}

func TestOraclePathakRaj(t *testing.T) {
	o := rpOracle(t, "P05")
	var s, g, tri, mix []float64
	for _, c := range o.matrix("cases_C_r2") {
		k := int(c[0])
		s, g = append(s, prSens(k, c[1])), append(g, prGrad(k, c[1]))
		tri, mix = append(tri, 2*prGrad(k, c[1])), append(mix, prSensMix(k, c[1]))
	}
	o.want("S_replace_one", s...)
	o.want("G_single", g...)
	o.want("triangle_2G", tri...)
	o.want("S_mixture", mix...)
	o.want("published", 2)

	o = rpOracle(t, "P06")
	k, r2, h, n := int(o.in("C")), o.in("r2"), o.in("h"), int(o.in("n"))
	o.want("J", prJ(k, r2, h, n, o.in("Lambda")))
	o.want("eig_max", float64(k)*r2*r2/(2*h))
	o.want("eig_other", r2*r2/(2*h))

	o = rpOracle(t, "P08")
	l := prLambdaFor(o.in("eps")/2, int(o.in("C")), o.in("r2"), o.in("h"), int(o.in("n")))
	o.want("Lambda", l)
	o.want("n_Lambda", l*o.in("n"))

	o = rpOracle(t, "P14")
	tail := prTail4(int(o.in("d")), o.in("eps"), o.in("delta"))
	o.want("published", tail.published)
	o.want("corrected_union", tail.union)
	o.want("exact_quantile", tail.exact)

	o = rpOracle(t, "P15")
	o.want("true_tail_prob", prTail4Violated(int(o.in("d")), o.in("delta")))

	o = rpOracle(t, "P16")
	o.want("k_with_n", prK(o.in("alpha"), o.in("n"), o.in("lambda_")))
	o.want("k_sum_loss_no_n", prK(o.in("alpha"), 1, o.in("lambda_")))

	o = rpOracle(t, "P17")
	d, c := int(o.in("d")), int(o.in("C"))
	q := (d + 1) * (d + 2) / 2
	j := prJ(c, o.in("r2"), o.in("h"), int(o.in("n")), o.in("Lambda"))
	qq := prQ(prSens(c, o.in("r2")), o.in("eps")-j, (c-1)*q, o.in("delta"))
	o.want("published", prThm2(d, c, o.in("eps"), o.in("lambda_"), o.in("delta")))
	o.want("Q", qq)
	o.want("corrected", prThm2Corrected(qq, int(o.in("n")), o.in("Lambda")))

	o = rpOracle(t, "P18")
	for k, fixed := range map[string]bool{"published": false, "algebra_fixed": true} {
		o.want(k, prThm3(int(o.in("d")), int(o.in("C")), o.in("eps"), o.in("lambda_"), o.in("delta"), int(o.in("n")), fixed))
	}

	o = rpOracle(t, "P26")
	o.want("bound", prThm3Corrected(o.in("Q"), int(o.in("n")), int(o.in("C")), o.in("Lambda"), o.in("r2"), o.in("delta"), o.in("W_norm")))
}

// A quantile must invert the tail, for small and very large shapes.
func TestGammaUpperQuantile(t *testing.T) {
	for _, shape := range []float64{1, 2, 30, 1e3, 1e5, 2e6} {
		for _, delta := range []float64{0.9, 0.5, 0.05, 1e-3, 1e-9} {
			x := gammaUpperQuantile(shape, delta)
			if got := gammaUpper(shape, x); math.Abs(got-delta) > 1e-6*delta+1e-13 {
				t.Errorf("shape %g, delta %g: tail at quantile is %g", shape, delta, got)
			}
		}
	}
	// Shape 1 is the exponential law: closed form.
	if got, want := gammaUpperQuantile(1, 0.05), -math.Log(0.05); math.Abs(got-want) > 1e-12 {
		t.Errorf("exponential quantile %g, want %g", got, want)
	}
}

// The net bound must not shrink with the number of features (up to logs),
// where Lemma 10 falls like d̂^{-1/2}.
func TestNetDoesNotShrink(t *testing.T) {
	a := rpNet(0.05, 0.05, 1000, 1, 4, 1, 0.8, 0.05)
	b := rpNet(0.05, 0.05, 1000000, 1, 4, 1, 0.8, 0.05)
	if b < a*0.7 {
		t.Errorf("λ_net fell from %g to %g", a, b)
	}
	if c := rpLemma10(0.1, 0.1, 1000000).lemma; b < 100*c {
		t.Errorf("λ_net %g is not far above Lemma 10's %g", b, c)
	}
}
