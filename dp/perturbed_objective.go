package dp

import (
	"fmt"
	"math"

	"example.org/godp/dp/internal/solve"
)

// PerturbedObjective is objective perturbation with every number given by hand, for study:
//
//	f = argmin Σ ℓ(y_i f·φ(x_i)) + (Reg/2)‖f‖² + b·f ,   b ~ density ∝ e^{−Kappa‖b‖} .
//
// Nothing ties the noise to the loss, so it can express any mistake: half the noise, a constant off by R, another Λ in the fit
// than in the calibration. Its guarantee is what the numbers really give, 2κLR + ln(1 + CR²/Reg); [ExactLoss] computes the loss itself.
// To train, use [ObjectivePerturbation].
type PerturbedObjective struct {
	Loss    Loss                        // zero: Huber(0.5)
	Kappa   float64                     // κ > 0, with b·f in the sum form of the objective
	Reg     float64                     // a = n(Λ+Δ) > 0, sum form
	Map     func(x []float64) []float64 // φ; nil: the row itself. Its values are used as they are, not clipped
	MapNorm float64                     // sup ‖φ(x)‖; 0: the radius of the data
	Claimed float64                     // the ε its author believes in; 0: none

	// FreeIntercept leaves the last coordinate of φ(x) without regularisation. A minimiser then exists only for some b, so nothing can
	// be released; the density at an output is still defined.
	FreeIntercept bool
}

func (m PerturbedObjective) check() error {
	if !positive(m.Kappa) {
		return badArg("PerturbedObjective", "Kappa", m.Kappa, "the noise exponent must be finite and above 0")
	}
	if !positive(m.Reg) {
		return badArg("PerturbedObjective", "Reg", m.Reg, "the regularisation must be finite and above 0")
	}
	l := defaultLoss(m.Loss)
	if err := l.Check(); err != nil {
		return err
	}
	if !l.Smooth() {
		return badArg("PerturbedObjective", "Loss", l.Name, "objective perturbation needs a loss with Lipschitz slope (C finite)")
	}
	return nil
}

// Claim is the true level of these numbers; with FreeIntercept there is none.
func (m PerturbedObjective) Claim(d *Data) (Guarantee, error) {
	if err := m.check(); err != nil {
		return Guarantee{}, err
	}
	if d == nil || !d.Binary() {
		return Guarantee{}, badArg("PerturbedObjective", "d", "no binary data", "rows with labels -1 and +1 are required")
	}
	l := defaultLoss(m.Loss)
	r := m.MapNorm
	if r == 0 {
		r = d.Radius()
	}
	g := noGuarantee(fmt.Sprintf("perturbed objective, κ = %.6g, a = %.6g, %s loss", m.Kappa, m.Reg, l.Name))
	slope, curv := rowBounds(l, r, d.MaxWeight())
	g.Eps = ObjectiveEps(m.Kappa, m.Reg, slope, curv)
	if m.FreeIntercept {
		g.Eps = math.Inf(1)
	}
	if m.Claimed > 0 {
		g.ClaimedEps = m.Claimed
	}
	g.Theorem = "ε = 2κLR + ln(1 + CR²/a)"
	g.Source = "Chaudhuri, Monteleoni, Sarwate 2011, Theorem 9, with one Jacobian factor"
	if m.Map != nil {
		g.Assumptions = []Assumption{{Text: fmt.Sprintf("‖φ(x)‖ ≤ %g", r), Status: Assumed}}
	}
	return g, nil
}

// Release draws b and minimises.
func (m PerturbedObjective) Release(d *Data, src *Source) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.FreeIntercept {
		return nil, fmt.Errorf("dp: PerturbedObjective: with an unregularised intercept there is no minimiser for many b, so nothing can be released; ExactLoss shows what its density does")
	}
	rows, err := m.rows(d)
	if err != nil {
		return nil, err
	}
	l := defaultLoss(m.Loss)
	dim := len(rows[0])
	b := GammaNorm{Dim: dim, Kappa: m.Kappa}.Sample(orSecure(src))
	x := solve.Matrix{N: len(rows), D: dim}
	r := 0.0
	for _, v := range rows {
		x.Val = append(x.Val, v...)
		r = math.Max(r, norm2(v))
	}
	p := &solve.Problem{X: &x, Y: d.y, W: d.weight, Eval: l.eval, C: l.C * d.MaxWeight(), Reg: m.Reg, Lin: b, Radius: math.Max(r, 1e-300)}
	res, err := minimise(ambientContext(), "PerturbedObjective", p, Regulariser{}, tolerance(len(rows), l.L*math.Max(r, 1e-12), l.C*r*r))
	if err != nil {
		return nil, err
	}
	return res.Hi, nil
}

// rows are the mapped rows.
func (m PerturbedObjective) rows(d *Data) ([][]float64, error) {
	if d == nil || !d.Binary() {
		return nil, badArg("PerturbedObjective", "d", "no binary data", "rows with labels -1 and +1 are required")
	}
	out := make([][]float64, d.Len())
	for i := range out {
		out[i] = d.Row(i)
		if m.Map != nil {
			out[i] = m.Map(out[i])
			if len(out[i]) == 0 || len(out[i]) != len(out[0]) {
				return nil, badArg("PerturbedObjective", "Map", fmt.Sprintf("%d coordinates", len(out[i])), "every row must be mapped to the same number of coordinates, at least one")
			}
		}
	}
	return out, nil
}
