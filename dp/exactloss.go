package dp

import (
	"fmt"
	"math"
	"strings"
)

// A PrivacyLoss is the exact privacy loss of a mechanism on a pair of data sets: the log ratio of the two output densities,
//
//	L(o) = ln p₀(o) − ln p₁(o) .
//
// The mechanism is ε-DP if and only if |L| ≤ ε for all outputs and all neighbouring pairs; an L above ε is a proof
// that a claim is false, and no sampling is involved. Make one with [ExactLoss].
type PrivacyLoss struct {
	Mechanism    string                               // what releases
	Dim          int                                  // dimension of an output
	At           func(out []float64) float64          // L(o); ±Inf where one density vanishes, NaN where both do
	Claimed      float64                              // the ε claimed (by a publication, if the mechanism is one as published)
	ClaimedDelta float64                              // and the δ
	law          lossLaw                              // closed forms, where they exist
	sample       func(src *Source) ([]float64, error) // a draw from the mechanism on the first data set
	reverse      func(src *Source) ([]float64, error) // and on the second
	obj          *objectiveLoss
}

// lossLaw is what is known in closed form about the law of L(o): nil fields are not known.
type lossLaw struct {
	sup func() (float64, []float64)     // sup |L| and an output that (nearly) attains it
	pld func(step float64) (PLD, error) // law of L in both orders
}

// ExactLoss returns the privacy loss of m between d0 and d1. It knows the output densities of
//
//   - ObjectivePerturbation, GaussianObjectivePerturbation (without a non-smooth Regulariser) and PerturbedObjective: κ‖b‖ or ‖b‖²/(2σ²) with b = −Σℓ'(z_i)y_i x_i − af, times the
//     determinant of af's Jacobian;
//   - OutputPerturbation, GaussianOutputPerturbation, PrivateSVMFinite and the additive mechanisms Laplace, Gaussian, GammaVector, Geometric, DiscreteLaplace and DiscreteGaussian;
//   - GridPerturbation, PrivateMean and PrivateHistogram: integer noise on a grid, in any number of coordinates;
//   - PrivateQuantile (its density is constant between the numbers) and SparseVector (all patterns of answers, up to 20,000 of them);
//   - PrivateLargeMargin (method GaugeObjective) and SoftmaxRegression, and PathakRaj, whose outputs can only be told possible or impossible: the loss is ±∞ or not known;
//   - the selection mechanisms Exponential, PermuteAndFlip and ReportNoisyMax, and RandomizedResponse, and SnappedLaplace (its outputs are listed).
//
// For the trainers it is the loss of the exact minimiser, before the negligible noise that covers the solver's residual. Other mechanisms are an error that
// says why there is no density and what to do instead; [Audit] tests any mechanism from samples.
func ExactLoss(m Mechanism, d0, d1 *Data) (*PrivacyLoss, error) {
	if m == nil || d0 == nil || d1 == nil {
		return nil, fmt.Errorf("dp.ExactLoss: the mechanism and both data sets are required")
	}
	if d0.Dim() != d1.Dim() {
		return nil, fmt.Errorf("dp.ExactLoss: the data sets have %d and %d columns", d0.Dim(), d1.Dim())
	}
	g, err := m.Claim(d0)
	if err != nil {
		return nil, fmt.Errorf("dp.ExactLoss: %w", err)
	}
	l, err := exactLoss(m, d0, d1)
	if err != nil {
		return nil, err
	}
	l.Mechanism, l.Claimed, l.ClaimedDelta = g.Mechanism, g.Eps, g.Delta
	if !math.IsNaN(g.ClaimedEps) {
		l.Claimed = g.ClaimedEps
	}
	if l.sample == nil {
		l.sample = func(src *Source) ([]float64, error) { return m.Release(d0, src) }
		l.reverse = func(src *Source) ([]float64, error) { return m.Release(d1, src) }
	}
	return l, nil
}

func exactLoss(m Mechanism, d0, d1 *Data) (*PrivacyLoss, error) {
	switch m := m.(type) {
	case ObjectivePerturbation:
		return exactObjective(m, d0, d1)
	case PerturbedObjective:
		return exactPerturbed(m, d0, d1)
	case OutputPerturbation:
		return exactOutput(m, d0, d1)
	case GaussianObjectivePerturbation:
		return exactGaussianObjective(m, d0, d1)
	case GaussianOutputPerturbation:
		return exactGaussianOutput(m, d0, d1)
	case Geometric:
		return exactGeometric(m, d0, d1)
	case RandomizedResponse:
		return exactResponse(m, d0, d1)
	case PrivateLargeMargin:
		return exactMargin(m, d0, d1)
	case PathakRaj:
		return exactPathakRaj(m, d0, d1)
	case PrivateSVMFinite:
		return exactSVM(m, d0, d1)
	case Laplace:
		if m.Grid > 0 {
			return exactDiscreteLaplace(m.discrete(), d0, d1)
		}
		return exactAdditive(m.Query, "laplace", m.Scale(), d0, d1)
	case GammaVector:
		return exactAdditive(m.Query, "gamma", 1/m.Kappa(), d0, d1)
	case Gaussian:
		s, err := m.Sigma()
		if err != nil {
			return nil, err
		}
		if m.Grid > 0 {
			return exactDiscrete(m.Query, m.discrete().LogMass, m.Grid, s, d0, d1)
		}
		return exactAdditive(m.Query, "gaussian", s, d0, d1)
	case DiscreteLaplace:
		return exactDiscreteLaplace(m, d0, d1)
	case DiscreteGaussian:
		s, err := m.Sigma(1)
		if err != nil {
			return nil, err
		}
		return exactDiscrete(m.Query, m.LogMass, m.Grid, s, d0, d1)
	case SnappedLaplace:
		return exactSnapped(m, d0, d1)
	case Exponential:
		return exactChoice(m.Scores, m.Probabilities, d0, d1)
	case PermuteAndFlip:
		return exactChoice(m.Scores, m.Probabilities, d0, d1)
	case ReportNoisyMax:
		return exactChoice(m.Scores, m.Probabilities, d0, d1)
	case GridPerturbation:
		return exactGrid(m, d0, d1)
	case PrivateMean:
		return exactMean(m, d0, d1)
	case PrivateHistogram:
		return exactHistogram(m, d0, d1)
	case PrivateQuantile:
		return exactQuantile(m, d0, d1)
	case SparseVector:
		return exactSparse(m, d0, d1)
	case SoftmaxRegression:
		return exactSoftmax(m, d0, d1)
	}
	return nil, fmt.Errorf("dp.ExactLoss: no density is known for a %s: %s; dp.Audit tests any mechanism from samples", strings.TrimPrefix(fmt.Sprintf("%T", m), "dp."), whyNoDensity(m))
}

// whyNoDensity says why a mechanism's output has no density that can be computed.
func whyNoDensity(m Mechanism) string {
	switch m.(type) {
	case PrivateSVM, KernelMachine:
		return "the released frequencies have the same law on both data sets, and given them it is the loss of training on their features: map both data sets with one RandomFeatureMap and ask for PrivateSVMFinite, ObjectivePerturbation or OutputPerturbation"
	case ApproximateMinima:
		return "it adds Gaussian noise to an approximate minimiser of a randomly perturbed objective, so its density is an integral over all perturbations; that of GaussianObjectivePerturbation, which it approximates, is known"
	case BestOf, PrivateTuning, PublicTuning:
		return "the candidate that is released is chosen by a random score, so its density is a mixture over all the trainings that were not released; ask for the trainer itself, and compose"
	case NonPrivate:
		return "without noise the output has no density: neighbours have different outputs, and the loss is infinite"
	case Claimed:
		return "it is a function, and only its samples can be seen"
	}
	return "its law is not known to this package"
}

// Sup returns the supremum of |L| over outputs, that is the smallest ε that holds for this pair in both orders, and an output at or near which it is
// attained: a true loss there, so a witness. For additive noise it is in closed form. For objective perturbation in one dimension all outputs are scanned,
// so finely that no row's slope and curvature change much between two points, and the maxima that could be the largest are refined to 10⁻⁹ (at a jump of ℓ″, both sides
// of it are taken); in more dimensions it is the best of a search, a lower bound on the supremum.
func (l *PrivacyLoss) Sup() (eps float64, at []float64) {
	if l.law.sup != nil {
		return l.law.sup()
	}
	return l.obj.sup()
}

// Delta returns bounds on δ(ε), the larger of the two orders: ∫ (p₀ − e^ε p₁)₊. For additive noise and in one dimension the bounds are close and certain; for
// objective perturbation in more dimensions they come from 20,000 releases and hold with probability 0.99.
func (l *PrivacyLoss) Delta(eps float64) (lo, hi float64, err error) {
	if l.law.pld == nil {
		return l.sampledDelta(eps, 20000, 0.01)
	}
	p, err := l.PLD(0)
	if err != nil {
		return 0, 0, err
	}
	lo, hi = p.DeltaBounds(eps)
	return lo, hi, nil
}

// PLD returns the law of the loss for accounting: composed, subsampled, converted. step is the grid (0 = default). It is known for additive noise and in one dimension.
func (l *PrivacyLoss) PLD(step float64) (PLD, error) {
	if l.law.pld == nil {
		return PLD{}, fmt.Errorf("dp.PrivacyLoss.PLD: the law of the loss of %s in dimension %d has no closed form; Delta samples it", l.Mechanism, l.Dim)
	}
	return l.law.pld(step)
}

// TradeOff returns the trade-off curve between the two data sets; see [TradeOff].
func (l *PrivacyLoss) TradeOff() (TradeOff, error) {
	p, err := l.PLD(0)
	if err != nil {
		return TradeOff{}, err
	}
	return p.TradeOff(), nil
}

// sampledDelta estimates δ(ε) = E₀(1 − e^{ε−L})₊ by sampling, with a two-sided Hoeffding bound that fails with probability at most alpha.
func (l *PrivacyLoss) sampledDelta(eps float64, n int, alpha float64) (lo, hi float64, err error) {
	src := Secure()
	ctx := ambientContext()
	w := math.Sqrt(math.Log(4/alpha) / (2 * float64(n)))
	for order, draw := range []func(*Source) ([]float64, error){l.sample, l.reverse} {
		s := 0.0
		for i := range n {
			if i%256 == 0 {
				if err := cancelled(ctx, "exact loss"); err != nil {
					return 0, 0, err
				}
			}
			o, err := draw(src)
			if err != nil {
				return 0, 0, err
			}
			v := l.At(o)
			if order == 1 {
				v = -v
			}
			if v > eps {
				s += -math.Expm1(eps - v)
			}
		}
		lo = math.Max(lo, s/float64(n)-w)
		hi = math.Max(hi, s/float64(n)+w)
	}
	return lo, math.Min(1, hi), nil
}

// String states the supremum beside the claim, and for an (ε, δ) claim δ(ε) on this pair.
func (l *PrivacyLoss) String() string {
	eps, _ := l.Sup()
	claim := "ε = " + num(l.Claimed)
	above := eps > l.Claimed*(1+1e-9)
	at := ""
	if l.ClaimedDelta > 0 {
		claim = fmt.Sprintf("(ε, δ) = (%s, %s)", num(l.Claimed), num(l.ClaimedDelta))
		if lo, hi, err := l.Delta(l.Claimed); err == nil {
			at = fmt.Sprintf(", δ(%s) in [%.4g, %.4g]", num(l.Claimed), lo, hi)
			above = lo > l.ClaimedDelta*(1+1e-9)
		}
	}
	verdict := "within the claim"
	if above {
		verdict = "ABOVE the claim"
	}
	return fmt.Sprintf("%s: sup |ln p₀/p₁| = %s on this pair%s, %s %s", l.Mechanism, num(eps), at, verdict, claim)
}

// Markdown is String for a notebook.
func (l *PrivacyLoss) Markdown() string { return plainMarkdown(l.String()) }
