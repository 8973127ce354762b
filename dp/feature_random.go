package dp

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// FeatureForm says how frequencies become the coordinates of a feature vector. With frequencies ω_j drawn from the kernel's
// spectral density, phases ψ_j uniform on [−π, π] and D coordinates:
//
//	Paired        (1/√m) [cos ω_jᵀx, sin ω_jᵀx]_{j≤m}, D = 2m   ‖v‖ = 1 exactly       E v·v' = k
//	Phase         √(1/D) [cos(ω_jᵀx + ψ_j)]                     ‖v‖ ≤ 1               E v·v' = k/2
//	WidePhase     √(2/D) [cos(ω_jᵀx + ψ_j)]                     ‖v‖ ≤ √2              E v·v' = k
//	ClippedPhase  WidePhase divided by max(1, ‖v‖)              ‖v‖ ≤ 1               nearly k
//	SharedPhase   √(2/D) [cos(ω_jᵀx + ψ)], one ψ for all        ‖v‖ ≤ √2              k(x−x') + cos(2ψ) k(x+x')
//
// Paired is the default: no phases, half the variance and a norm that needs no clipping. WidePhase is the form of Rahimi and Recht
// (2007) that the papers on private kernel machines print; they take its norm to be at most 1, which is false for about half of all
// rows. Here the data it makes carry radius √2, so every calibration sees the true norm. SharedPhase is what the early
// paper's unindexed ψ says literally; its kernel is wrong, and it is kept for study.
type FeatureForm string

// The forms of FeatureForm's table.
const (
	Paired       FeatureForm = "paired"
	Phase        FeatureForm = "phase"
	WidePhase    FeatureForm = "wide-phase"
	ClippedPhase FeatureForm = "clipped-phase"
	SharedPhase  FeatureForm = "shared-phase"
)

// RandomFeatures describes a random feature map: which kernel it approximates, how many coordinates it has and in which form.
// Map draws one. Kernel, Count and the rest must be chosen without looking at private data; the frequencies are random and
// independent of the data, are released with the model, and need not be secret, so a seeded source is as good as another.
type RandomFeatures struct {
	Kernel     Kernel      // RBF, GaussianKernel, Laplacian, Cauchy or Matern
	Count      int         // D ≥ 1, the number of coordinates; even for Paired
	Form       FeatureForm // "" means Paired
	Orthogonal bool        // orthogonal frequencies within blocks of the input dimension (RBF and Matern only)
	Rand       *Source     // nil means Secure()
}

// Map draws the frequencies for rows of the given dimension. With Orthogonal, directions within each block of dim frequencies are
// made orthonormal (uniformly distributed) and keep their random lengths: every frequency has the same law as before, so the
// kernel estimate stays unbiased, with smaller variance (Yu et al. 2016). Cost O(D·dim), or O(D·dim²) with Orthogonal.
func (f RandomFeatures) Map(dim int) (*RandomFeatureMap, error) {
	const where = "RandomFeatures"
	form := f.Form
	if form == "" {
		form = Paired
	}
	if f.Count < 1 || f.Count > 1<<24 {
		return nil, badArg(where, "Count", f.Count, "must lie between 1 and 2^24")
	}
	if form == Paired && f.Count%2 == 1 {
		return nil, badArg(where, "Count", f.Count, "must be even: each frequency makes a cosine and a sine")
	}
	if f.Orthogonal && f.Kernel.kind != kernelRBF && f.Kernel.kind != kernelMatern {
		return nil, badArg(where, "Orthogonal", true, fmt.Sprintf("the spectral density of %s is not rotation invariant; use RBF or Matern", f.Kernel))
	}
	n := f.Count
	if form == Paired {
		n /= 2
	}
	src := orSecure(f.Rand)
	w, err := f.Kernel.Frequencies(n, dim, src)
	if err != nil {
		return nil, err
	}
	if f.Orthogonal {
		for lo := 0; lo < n; lo += dim {
			orthogonalise(w[lo:min(lo+dim, n)], src)
		}
	}
	m := &RandomFeatureMap{Kernel: f.Kernel.Name, Form: form, Dim: dim, Frequencies: w}
	switch form {
	case Paired:
	case Phase, WidePhase, ClippedPhase:
		m.Phases = make([]float64, n)
		for j := range m.Phases {
			m.Phases[j] = math.Pi * (2*src.Float64() - 1)
		}
	case SharedPhase:
		m.Phases = []float64{math.Pi * (2*src.Float64() - 1)}
	default:
		return nil, badArg(where, "Form", f.Form, "must be Paired, Phase, WidePhase, ClippedPhase or SharedPhase")
	}
	return m, nil
}

// orthogonalise replaces the directions of at most dim vectors by uniformly distributed orthonormal ones and keeps their
// lengths, which for a rotation-invariant law are independent of the directions.
func orthogonalise(w [][]float64, src *Source) {
	for i, v := range w {
		length := floats.Norm(v, 2)
		for {
			for j := range v {
				v[j] = src.Norm()
			}
			for range 2 { // Gram–Schmidt, twice for orthogonality to machine precision
				for _, u := range w[:i] {
					uu, uv := 0.0, 0.0
					for j := range u {
						uu += u[j] * u[j]
						uv += u[j] * v[j]
					}
					if uu == 0 {
						continue
					}
					for j := range u {
						v[j] -= uv / uu * u[j]
					}
				}
			}
			if s := floats.Norm(v, 2); s > 1e-8 {
				for j := range v {
					v[j] *= length / s
				}
				break
			}
		}
	}
}

// RandomFeatureMap is a drawn map x ↦ v(x). It is public: it does not depend on any data and is released, and saved, with the
// weights that use it.
type RandomFeatureMap struct {
	Kernel      string      `json:"kernel"` // name of the kernel it approximates
	Form        FeatureForm `json:"form"`
	Dim         int         `json:"dim"`              // length of a raw row
	Frequencies [][]float64 `json:"frequencies"`      // ω_j
	Phases      []float64   `json:"phases,omitempty"` // ψ_j; one for SharedPhase, none for Paired
}

func init() {
	featureKinds["random-features"] = func(b []byte) (FeatureMap, error) {
		m := new(RandomFeatureMap)
		if err := json.Unmarshal(b, m); err != nil {
			return nil, err
		}
		return m, m.check()
	}
}

// check refuses maps (typed or read from a file) whose parts do not fit together.
func (m *RandomFeatureMap) check() error {
	const where = "RandomFeatureMap"
	n := len(m.Frequencies)
	if m.Dim < 1 || n == 0 {
		return badArg(where, "Frequencies", fmt.Sprintf("%d of dimension %d", n, m.Dim), "at least one frequency of dimension 1 is needed")
	}
	phases := n
	switch m.Form {
	case Paired:
		phases = 0
	case SharedPhase:
		phases = 1
	case Phase, WidePhase, ClippedPhase:
	default:
		return badArg(where, "Form", m.Form, "unknown form")
	}
	if len(m.Phases) != phases {
		return badArg(where, "Phases", fmt.Sprintf("%d phases", len(m.Phases)), fmt.Sprintf("form %q needs %d", m.Form, phases))
	}
	for j, w := range m.Frequencies {
		if len(w) != m.Dim {
			return badArg(where, fmt.Sprintf("Frequencies[%d]", j), fmt.Sprintf("%d coordinates", len(w)), fmt.Sprintf("must have %d", m.Dim))
		}
		for _, v := range w {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return badArg(where, fmt.Sprintf("Frequencies[%d]", j), v, "must be finite")
			}
		}
	}
	for j, v := range m.Phases {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return badArg(where, fmt.Sprintf("Phases[%d]", j), v, "must be finite")
		}
	}
	return nil
}

// In is the dimension of a raw row.
func (m *RandomFeatureMap) In() int { return m.Dim }

// Out is the number D of features.
func (m *RandomFeatureMap) Out() int {
	if m.Form == Paired {
		return 2 * len(m.Frequencies)
	}
	return len(m.Frequencies)
}

// Kind is "random-features".
func (m *RandomFeatureMap) Kind() string { return "random-features" }

// RowNorm is the bound on ‖v(x)‖ over all x: 1, or √2 for WidePhase and SharedPhase.
func (m *RandomFeatureMap) RowNorm() float64 {
	if m.Form == WidePhase || m.Form == SharedPhase {
		return math.Sqrt2
	}
	return 1
}

// Apply returns v(x). It panics if x has not In() coordinates. Cost O(D·In()).
func (m *RandomFeatureMap) Apply(x []float64) []float64 {
	if len(x) != m.Dim {
		panic(badArg("RandomFeatureMap.Apply", "x", fmt.Sprintf("%d columns", len(x)), fmt.Sprintf("must have %d", m.Dim)))
	}
	n := len(m.Frequencies)
	out := make([]float64, m.Out())
	scale := math.Sqrt(2 / float64(n))
	if m.Form == Paired || m.Form == Phase {
		scale = math.Sqrt(1 / float64(n))
	}
	for j, w := range m.Frequencies {
		a := 0.0
		for i, v := range x {
			a += w[i] * v
		}
		switch m.Form {
		case Paired:
			sin, cos := math.Sincos(a)
			out[2*j], out[2*j+1] = scale*cos, scale*sin
		case SharedPhase:
			out[j] = scale * math.Cos(a+m.Phases[0])
		default:
			out[j] = scale * math.Cos(a+m.Phases[j])
		}
	}
	if m.Form == ClippedPhase {
		if s := floats.Norm(out, 2); s > 1 {
			for j := range out {
				out[j] /= s
			}
		}
	}
	return out
}

// Transform returns the data with every row replaced by its features; the radius is RowNorm(). Models trained on it carry the
// map and take raw rows. It fails if d has another dimension or has been mapped before.
func (m *RandomFeatureMap) Transform(d *Data) (*Data, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, badArg("RandomFeatureMap.Transform", "d", "nil", "a data set is required")
	}
	return d.Map(m, m.RowNorm())
}

// Approx is v(x)·v(y), the estimate of the kernel (of half the kernel for Phase).
func (m *RandomFeatureMap) Approx(x, y []float64) float64 {
	u, v, s := m.Apply(x), m.Apply(y), 0.0
	for i := range u {
		s += u[i] * v[i]
	}
	return s
}

// String names the map.
func (m *RandomFeatureMap) String() string {
	return fmt.Sprintf("%d random features (%s) of %s on ℝ^%d, ‖v‖ ≤ %.4g", m.Out(), m.Form, m.Kernel, m.Dim, m.RowNorm())
}

// RandomFeatureVariance returns the variance of one frequency's contribution to the kernel estimate at x and y, where k is the
// kernel at x−y and k2 the kernel at 2(x−y):
//
//	Paired:     (1 + k₂)/2 − k²    (for the Gaussian kernel k₂ = k⁴, which makes ½(1−k²)²)
//	WidePhase:  1 + k₂/2 − k²
//
// An estimate from m frequencies has this variance divided by m; a Paired map of D coordinates has m = D/2, a WidePhase map m = D.
func RandomFeatureVariance(form FeatureForm, k, k2 float64) (float64, error) {
	switch form {
	case Paired, "":
		return (1+k2)/2 - k*k, nil
	case WidePhase:
		return 1 + k2/2 - k*k, nil
	}
	return 0, badArg("RandomFeatureVariance", "form", form, "must be Paired or WidePhase")
}
