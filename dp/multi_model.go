package dp

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/godp/dp/internal/ww"
)

// GaussianMode says which entries of zzᵀ, z = (x, τ), a Gaussian classifier sees. Fewer entries need less noise.
type GaussianMode string

const (
	FullGaussian      GaussianMode = "full"      // all: q = (d+1)(d+2)/2 numbers a class
	DiagGaussian      GaussianMode = "diag"      // x_j², √2τx_j, τ²: q = 2d+1
	SphericalGaussian GaussianMode = "spherical" // ‖x‖², √2τx_j, τ²: q = d+2
)

func (m GaussianMode) mode(where string) (ww.Mode, error) {
	switch m {
	case "", FullGaussian:
		return ww.Full, nil
	case DiagGaussian:
		return ww.Diag, nil
	case SphericalGaussian:
		return ww.Spherical, nil
	}
	return 0, badArg(where, "Mode", m, `must be "" (full), FullGaussian, DiagGaussian or SphericalGaussian`)
}

// A GaussianClass is one component in the parameters of Sha and Saul: the score of x is (x−μ)ᵀΨ(x−μ) + θ, the smaller the
// closer.
type GaussianClass struct {
	Psi   [][]float64 // d×d, symmetric
	Mu    []float64   // μ, the centre
	Theta float64     // θ, the offset
}

// A GaussianModel is a Gaussian classifier: component m belongs to class Comp[m] and scores zᵀΦ_m z, z = (x, τ). The class
// of x is the one whose soft minimum −ln Σ e^{−score} over its components is smallest; with one component a class this is the
// smallest score, and ties go to the lowest class.
type GaussianModel struct {
	W     [][]float64  // svec(Φ_m), or the entries that Mode keeps
	Comp  []int        // class of every component
	Mode  GaussianMode // which entries of Φ there are
	Tau   float64      // τ, the appended coordinate
	Dim   int          // d, columns of a row
	Names []string     // of the classes
	Shift float64      // multiple of the identity added to every Φ_m to make all positive semidefinite; decisions do not change

	Objective  float64   // value of the minimised function at W; NaN where it would reveal data
	Gradient   float64   // certified gradient norm there
	Iterations int       // of the solver; 0 for a private model, whose solver must not tell
	Guarantee  Guarantee // what the release guarantees

	binary bool
}

// Scores are the class scores of x; the smallest wins. It panics if x has the wrong length.
func (m *GaussianModel) Scores(x []float64) []float64 {
	if len(x) != m.Dim {
		panic(badArg("GaussianModel.Scores", "x", fmt.Sprintf("%d columns", len(x)), fmt.Sprintf("the model takes %d columns", m.Dim)))
	}
	mode, _ := m.Mode.mode("")
	u := make([]float64, mode.Len(m.Dim))
	mode.Apply(x, m.Tau, u)
	out := make([]float64, len(m.Names))
	if len(m.W) == len(m.Names) {
		for k, w := range m.W {
			out[m.Comp[k]] = dot4(u, w)
		}
		return out
	}
	for c := range out {
		out[c] = math.Inf(1)
	}
	for k, w := range m.W { // −ln(e^{−a}+e^{−s}), stably
		a, s := out[m.Comp[k]], dot4(u, w)
		if s < a {
			a, s = s, a
		}
		out[m.Comp[k]] = a - math.Log1p(math.Exp(a-s))
	}
	return out
}

// PredictClass is the number of the class of x.
func (m *GaussianModel) PredictClass(x []float64) int {
	best := 0
	s := m.Scores(x)
	for c, v := range s {
		if v < s[best] {
			best = c
		}
	}
	return best
}

// Predict is PredictClass as a number; for a model trained on ±1 labels it is −1 or +1.
func (m *GaussianModel) Predict(x []float64) float64 {
	c := m.PredictClass(x)
	if m.binary {
		return float64(2*c - 1)
	}
	return float64(c)
}

// Phi is the symmetric (d+1)×(d+1) matrix of component k, shift included.
func (m *GaussianModel) Phi(k int) [][]float64 {
	mode, _ := m.Mode.mode("")
	flat := mode.Matrix(m.W[k], m.Dim)
	n := m.Dim + 1
	out := make([][]float64, n)
	for i := range out {
		out[i] = flat[i*n : (i+1)*n]
	}
	return out
}

// Class returns component k as (Ψ, μ, θ): Ψ = Φ[:d,:d], μ = −τΨ⁺Φ[:d,d], θ = τ²Φ[d,d] − μᵀΨμ, which is at least 0 when Φ ⪰ 0.
// If Φ is not positive semidefinite its score need not be of this form; then an error says so.
func (m *GaussianModel) Class(k int) (GaussianClass, error) {
	const where = "GaussianModel.Class"
	if k < 0 || k >= len(m.W) {
		return GaussianClass{}, badArg(where, "k", k, fmt.Sprintf("must be between 0 and %d", len(m.W)-1))
	}
	d, phi := m.Dim, m.Phi(k)
	g := GaussianClass{Psi: make([][]float64, d), Mu: make([]float64, d)}
	flat := make([]float64, 0, d*d)
	for i := range g.Psi {
		g.Psi[i] = slices.Clone(phi[i][:d])
		flat = append(flat, g.Psi[i]...)
	}
	val, vec, err := ww.Eigen(flat, d, true)
	if err != nil {
		return g, fmt.Errorf("dp: %s: %w", where, err)
	}
	top := math.Max(math.Abs(val[0]), math.Abs(val[d-1]))
	for a, l := range val {
		t := 0.0
		for j := range d {
			t += vec.At(j, a) * phi[j][d]
		}
		if math.Abs(l) <= 1e-12*top {
			if math.Abs(t) > 1e-9*(top+math.Abs(phi[d][d])) {
				return g, fmt.Errorf("dp: %s: component %d is linear in a direction where Ψ is zero: it has no centre (make the model positive semidefinite first)", where, k)
			}
			continue
		}
		for j := range d {
			g.Mu[j] -= m.Tau * t / l * vec.At(j, a)
		}
	}
	g.Theta = m.Tau * m.Tau * phi[d][d]
	for i := range d {
		g.Theta -= g.Mu[i] * dot4(g.Psi[i], g.Mu)
	}
	return g, nil
}

// GaussianFrom makes a classifier from its classes' (Ψ, μ, θ), one component a class: Φ = [Ψ, −Ψμ/τ; −μᵀΨ/τ, (μᵀΨμ+θ)/τ²].
// τ > 0 scales the appended coordinate and does not change any score. It is a model without training data or guarantee.
func GaussianFrom(classes []GaussianClass, names []string, tau float64) (*GaussianModel, error) {
	const where = "GaussianFrom"
	if len(classes) < 2 || len(classes) != len(names) {
		return nil, badArg(where, "classes", fmt.Sprintf("%d classes and %d names", len(classes), len(names)), "at least two classes, and one name each, are required")
	}
	if !positive(tau) {
		return nil, badArg(where, "tau", tau, "must be a finite number above 0")
	}
	d := len(classes[0].Mu)
	if d == 0 {
		return nil, badArg(where, "classes[0].Mu", "empty", "at least one dimension is required")
	}
	m := &GaussianModel{Mode: FullGaussian, Tau: tau, Dim: d, Names: slices.Clone(names), Objective: math.NaN(), Gradient: math.NaN(), Guarantee: noGuarantee("Gaussian classifier given by its parameters")}
	for c, g := range classes {
		if len(g.Mu) != d || len(g.Psi) != d {
			return nil, badArg(where, fmt.Sprintf("classes[%d]", c), fmt.Sprintf("Ψ with %d rows, μ with %d entries", len(g.Psi), len(g.Mu)), fmt.Sprintf("both must have dimension %d", d))
		}
		n := d + 1
		phi := make([]float64, n*n)
		quad := 0.0
		for i, row := range g.Psi {
			if len(row) != d {
				return nil, badArg(where, fmt.Sprintf("classes[%d].Psi[%d]", c, i), fmt.Sprintf("%d entries", len(row)), fmt.Sprintf("must have %d", d))
			}
			for j := range row {
				if row[j] != g.Psi[j][i] {
					return nil, badArg(where, fmt.Sprintf("classes[%d].Psi", c), "not symmetric", fmt.Sprintf("entries (%d,%d) and (%d,%d) differ", i, j, j, i))
				}
				phi[i*n+j] = row[j]
			}
			v := dot4(row, g.Mu)
			phi[i*n+d], phi[d*n+i] = -v/tau, -v/tau
			quad += g.Mu[i] * v
		}
		phi[d*n+d] = (quad + g.Theta) / (tau * tau)
		m.W = append(m.W, ww.Full.Vector(phi, d))
		m.Comp = append(m.Comp, c)
	}
	return m, nil
}

// makePSD adds the smallest common multiple of the identity that makes every Φ positive semidefinite. A common shift changes
// no decision; clipping eigenvalues one by one would.
func (m *GaussianModel) makePSD() error {
	mode, _ := m.Mode.mode("")
	low := 0.0
	for _, w := range m.W {
		val, _, err := ww.Eigen(mode.Matrix(w, m.Dim), m.Dim+1, false)
		if err != nil {
			return err
		}
		low = math.Min(low, val[0])
	}
	m.Shift = -low
	if low == 0 {
		m.Shift = 0
		return nil
	}
	id := mat.NewDense(m.Dim+1, m.Dim+1, nil)
	for i := 0; i <= m.Dim; i++ {
		id.Set(i, i, m.Shift)
	}
	e := mode.Vector(id.RawMatrix().Data, m.Dim)
	for _, w := range m.W {
		for k, v := range e {
			w[k] += v
		}
	}
	return nil
}

// String names the model and its certificate.
func (m *GaussianModel) String() string {
	return fmt.Sprintf("Gaussian classifier (%s), %d classes, %d components, %d numbers each\n%s", m.Mode, len(m.Names), len(m.W), len(m.W[0]), m.Guarantee)
}

// Markdown shows the guarantee.
func (m *GaussianModel) Markdown() string {
	return fmt.Sprintf("Gaussian classifier (%s), %d classes, %d components, %d numbers each\n\n%s", plainMarkdown(fmt.Sprint(m.Mode)), len(m.Names), len(m.W), len(m.W[0]), m.Guarantee.Markdown())
}
