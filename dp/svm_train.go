package dp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"example.org/godp/dp/internal/dualcd"
)

// SVM is the support vector machine ("Algorithm 1" of Rubinstein et al.), without intercept unless one is asked for. It is not
// private: it is the reference a private one is compared with. It minimises
//
//	P(w) = ½‖w‖² + (C/n) Σ ℓ(y_i ⟨w, φ(x_i)⟩)
//
// With Intercept = B > 0 every row gets one more feature, the constant B: the score becomes ⟨w, φ(x)⟩ + b, and ½(b/B)² joins the
// objective. That is LIBLINEAR's option -B (1 is its usual value); as B grows the intercept becomes free, as LIBSVM's
// is, and with a kernel the solver is no slower for it (with the linear kernel it is).
//
// over the feature space of Kernel, by dual coordinate ascent with shrinking, and stops when the certified duality gap
// P(w) − D(α) is at most Tol·C. In terms of a regulariser Λ in mean form, Λ = 1/C. Train costs O(nnz) a pass for the linear
// kernel and O(n) kernel values a step for others; rows of the kernel matrix are cached.
type SVM struct {
	C          float64 // cost, above 0; 0 means 1
	Loss       Loss    // Hinge (the zero Loss), Huber, Logistic or SquareLoss
	Kernel     Kernel  // zero means linear
	Tol        float64 // relative duality gap; 0 means 1e-6
	CacheBytes int64   // limit of the kernel row cache; 0 means 256 MiB; two rows are always kept, however small the limit
	MaxPasses  int     // 0 means 20000; a run that ends without reaching Tol is an error
	NoShrink   bool    // keep all coordinates in every pass
	Intercept  float64 // B ≥ 0, the value of the constant feature; 0: no intercept
	Rand       *Source // order of the coordinates; does not change the solution; nil means Secure()
}

// SquareLoss is ℓ(z) = (1−z)², for SVM and PrivateSVM only: it is not Lipschitz on the line (L = +Inf) and increases for
// z > 1. The sensitivity proof needs its slope at the two minimisers only, where |ℓ'| ≤ 2(1+κ√(2C)).
func SquareLoss() Loss {
	return Loss{Name: "square", L: math.Inf(1), C: 2,
		Value: func(z float64) float64 { return (1 - z) * (1 - z) },
		Grad:  func(z float64) float64 { return -2 * (1 - z) },
		Hess:  func(float64) float64 { return 2 },
	}
}

// dualLoss recognises the losses the dual solver knows, by their values, so that a literal that equals one of them is solved
// as well. What is solved is the recognised loss. The zero Loss is the hinge.
func dualLoss(where string, l Loss) (dualcd.Loss, error) {
	if l.Name == "" && l.Value == nil {
		return dualcd.Loss{Kind: dualcd.Hinge}, nil
	}
	if !math.IsInf(l.L, 1) { // SquareLoss is not a loss in the sense of Check
		if err := l.Check(); err != nil {
			return dualcd.Loss{}, err
		}
	}
	if l.Value != nil {
		for _, c := range []struct {
			known Loss
			is    dualcd.Loss
			smart bool
		}{
			{Hinge(), dualcd.Loss{Kind: dualcd.Hinge}, math.IsInf(l.C, 1)},
			{Logistic(), dualcd.Loss{Kind: dualcd.Logistic}, true},
			{SquareLoss(), dualcd.Loss{Kind: dualcd.Square}, math.IsInf(l.L, 1)},
			{Huber(1 / (2 * l.C)), dualcd.Loss{Kind: dualcd.Huber, H: 1 / (2 * l.C)}, positive(l.C)},
		} {
			if c.smart && sameLoss(l, c.known) {
				return c.is, nil
			}
		}
	}
	return dualcd.Loss{}, badArg(where, "Loss", l.Name, "the dual solver knows Hinge(), Huber(h), Logistic() and SquareLoss(); for other losses use OutputPerturbation or ObjectivePerturbation")
}

func sameLoss(a, b Loss) bool {
	for i := -60; i <= 60; i++ {
		z := 0.0731*float64(i) + 0.9
		if v := b.Value(z); math.Abs(a.Value(z)-v) > 1e-12*(1+math.Abs(v)) {
			return false
		}
	}
	return true
}

// SVMModel is a trained support vector machine with its certificate. It contains rows of the training data (the support
// vectors, unless the kernel is linear) and protects nobody.
type SVMModel struct {
	Weights []float64 // w for the linear kernel, else nil; without the intercept
	Bias    float64   // b, 0 without an intercept
	Alpha   []float64 // dual variables, one for each training row
	Support []int     // rows with α_i ≠ 0
	Kernel  Kernel    // of the training
	C       float64   // cost

	Primal float64 // P(w)
	Dual   float64 // D(α)
	Gap    float64 // certified: P(w) − P(w*) ≤ Gap and ‖w − w*‖ ≤ √(2·Gap)
	Passes int     // over the coordinates

	Guarantee Guarantee // none

	vectors [][]float64
	coef    []float64
	fmap    FeatureMap
	dim     int
}

// Train solves the SVM for data with ±1 labels, under the ambient context.
func (s SVM) Train(d *Data) (*SVMModel, error) { return s.TrainContext(ambientContext(), d) }

// TrainContext solves the SVM; it stops when ctx is done.
func (s SVM) TrainContext(ctx context.Context, d *Data) (*SVMModel, error) {
	const where = "SVM"
	if err := s.check(where, d); err != nil {
		return nil, err
	}
	s = s.defaults()
	r, err := s.solve(ctx, where, d)
	if err != nil {
		return nil, err
	}
	if !r.Reached {
		return nil, fmt.Errorf("dp: %s: the duality gap is %.3g after %d passes, above the goal Tol·C = %.3g: raise Tol or MaxPasses, or lower C",
			where, r.Gap, r.Passes, s.Tol*s.C)
	}
	m := &SVMModel{Alpha: r.Alpha, Kernel: s.Kernel, C: s.C, Primal: r.Primal, Dual: r.Dual, Gap: r.Gap, Passes: r.Passes,
		fmap: d.fmap, dim: d.Dim(), Guarantee: noGuarantee("SVM (" + s.Kernel.String() + " kernel), not private")}
	if r.W != nil {
		m.Weights = r.W[:d.Dim():d.Dim()]
		if s.Intercept > 0 {
			m.Bias = s.Intercept * r.W[d.Dim()]
		}
	}
	for i, a := range r.Alpha {
		if a == 0 {
			continue
		}
		m.Support = append(m.Support, i)
		if r.W == nil {
			m.Bias += s.Intercept * s.Intercept * a * d.Label(i)
			m.vectors = append(m.vectors, d.Row(i))
			m.coef = append(m.coef, a*d.Label(i))
		}
	}
	return m, nil
}

func (s SVM) defaults() SVM {
	if s.C == 0 {
		s.C = 1
	}
	if s.Tol == 0 {
		s.Tol = 1e-6
	}
	if s.CacheBytes == 0 {
		s.CacheBytes = 256 << 20
	}
	if s.MaxPasses == 0 {
		s.MaxPasses = 20000
	}
	s.Rand = orSecure(s.Rand)
	return s
}

func (s SVM) check(where string, d *Data) error {
	if d == nil {
		return badArg(where, "d", "nil", "data are required")
	}
	if !d.Binary() {
		return badArg(where, "d", fmt.Sprintf("data with %d classes", len(d.ClassNames())), "labels must be -1 and +1: use OneVsRest or LargeMargin for classes")
	}
	if d.weight != nil {
		return badArg(where, "d", "data with sample weights", "the SVM here takes none")
	}
	switch {
	case s.C != 0 && !positive(s.C):
		return badArg(where, "C", s.C, "the cost must be a finite number above 0 (0 means 1)")
	case s.Tol != 0 && !positive(s.Tol):
		return badArg(where, "Tol", s.Tol, "the relative duality gap must be a finite number above 0 (0 means 1e-6)")
	case s.CacheBytes < 0:
		return badArg(where, "CacheBytes", s.CacheBytes, "the limit must not be negative (0 means 256 MiB)")
	case !(s.Intercept >= 0) || math.IsInf(s.Intercept*s.Intercept, 1):
		return badArg(where, "Intercept", s.Intercept, "the constant feature must be finite and not negative (0: no intercept)")
	case s.MaxPasses < 0:
		return badArg(where, "MaxPasses", s.MaxPasses, "must not be negative (0 means 20000)")
	}
	if _, err := dualLoss(where, s.Loss); err != nil {
		return err
	}
	return s.Kernel.check(where)
}

// solve runs the dual solver for checked options with defaults filled in.
func (s SVM) solve(ctx context.Context, where string, d *Data) (res *dualcd.Result, err error) {
	loss, err := dualLoss(where, s.Loss)
	if err != nil {
		return nil, err
	}
	o := dualcd.Options{Loss: loss, Cost: s.C / float64(d.Len()), Tol: s.Tol * s.C, MaxPasses: s.MaxPasses, NoShrink: s.NoShrink, Intn: s.Rand.Fork().fastIntn()}
	y := d.y
	if s.Kernel.Linear() {
		rows := &dualcd.Rows{N: d.x.N, D: d.x.D}
		if d.x.Sparse() {
			rows.Ptr, rows.Col, rows.Val = d.x.Ptr, d.x.Idx, d.x.Val
		} else {
			rows.Dense = d.x.Val
		}
		if s.Intercept > 0 {
			rows = withConstant(rows, s.Intercept)
		}
		r, err := dualcd.Linear(ctx, rows, y, o)
		if err != nil {
			return nil, &Interrupted{Where: where, Err: err} // the linear solver fails for no other reason
		}
		return r, nil
	}
	g, err := newGram(where, s.Kernel, d, s.Intercept*s.Intercept, s.CacheBytes, s.Rand)
	if err != nil {
		return nil, err
	}
	defer func() { // a panic in a user's kernel, carried over from a worker goroutine
		if p := recover(); p != nil {
			kp, ok := p.(kernelPanic)
			if !ok {
				panic(p)
			}
			res, err = nil, fmt.Errorf("dp: %s: kernel %s: %v", where, s.Kernel, kp.value)
		}
	}()
	res, err = dualcd.Kernel(ctx, g, y, o)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil, &Interrupted{Where: where, Err: err}
	}
	if errors.Is(err, dualcd.ErrIndefinite) {
		err = fmt.Errorf("dp: %s: kernel %s: %w", where, s.Kernel, err)
	}
	return res, err
}

// withConstant appends a column that is b in every row.
func withConstant(r *dualcd.Rows, b float64) *dualcd.Rows {
	out := &dualcd.Rows{N: r.N, D: r.D + 1}
	if r.Dense != nil {
		out.Dense = make([]float64, 0, r.N*out.D)
		for i := range r.N {
			out.Dense = append(append(out.Dense, r.Dense[i*r.D:(i+1)*r.D]...), b)
		}
		return out
	}
	out.Ptr = make([]int, 1, r.N+1)
	for i := range r.N {
		out.Col = append(append(out.Col, r.Col[r.Ptr[i]:r.Ptr[i+1]]...), int32(r.D))
		out.Val = append(append(out.Val, r.Val[r.Ptr[i]:r.Ptr[i+1]]...), b)
		out.Ptr = append(out.Ptr, len(out.Val))
	}
	return out
}

// fastIntn is a quick generator for shuffles: the order of the coordinates is not secret.
func (s *Source) fastIntn() func(int) int {
	state := s.Uint64()
	return func(n int) int { // splitmix64, then multiply-high
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		return int((z >> 32) * uint64(n) >> 32)
	}
}

// Score is f(x) = Σ_i α_i y_i k(x, x_i) + b for a raw row x. It panics if x has the wrong length.
func (m *SVMModel) Score(x []float64) float64 {
	if m.fmap != nil && len(x) == m.fmap.In() {
		x = m.fmap.Apply(x)
	}
	if len(x) != m.dim {
		panic(badArg("SVMModel.Score", "x", fmt.Sprintf("%d columns", len(x)), fmt.Sprintf("the model takes %d columns", m.dim)))
	}
	if m.Weights != nil {
		return dotDense(x, m.Weights) + m.Bias
	}
	s := m.Bias
	for j, v := range m.vectors {
		s += m.coef[j] * m.Kernel.Eval(x, v)
	}
	return s
}

// Predict is the sign of Score, with sgn(0) = +1.
func (m *SVMModel) Predict(x []float64) float64 { return sign(m.Score(x)) }

// String gives the certificate in one line.
func (m *SVMModel) String() string {
	with := ""
	if m.Bias != 0 {
		with = fmt.Sprintf(", intercept %.4g", m.Bias)
	}
	return fmt.Sprintf("SVM, %s kernel, C = %g%s: %d support vectors of %d rows, primal %.6g, certified gap %.2g, %d passes (not private)",
		m.Kernel, m.C, with, len(m.Support), len(m.Alpha), m.Primal, m.Gap, m.Passes)
}
