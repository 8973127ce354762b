package dp

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
)

// The stored form of a GaussianModel: versioned JSON with the guarantee, like that of a Model.
type gaussianJSON struct {
	Format    string      `json:"format"`
	Version   int         `json:"version"`
	W         [][]float64 `json:"components"`
	Comp      []int       `json:"class_of_component"`
	Mode      string      `json:"mode"`
	Tau       float64     `json:"tau"`
	Dim       int         `json:"dim"`
	Names     []string    `json:"classes"`
	Shift     float64     `json:"shift"`
	Binary    bool        `json:"binary,omitempty"`
	Guarantee *Guarantee  `json:"guarantee"`
}

const gaussianVersion = 1

// MarshalJSON is the versioned stored form. The value of the objective and the iterations, which were not released, are left
// out.
func (m *GaussianModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(gaussianJSON{"godp gaussian model", gaussianVersion, m.W, m.Comp, nonEmpty(string(m.Mode), string(FullGaussian)), m.Tau, m.Dim, m.Names, m.Shift, m.binary, &m.Guarantee})
}

// UnmarshalJSON reads the stored form and refuses what cannot be a model.
func (m *GaussianModel) UnmarshalJSON(text []byte) error {
	const where = "Gaussian model"
	var in gaussianJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("dp: %s: %w", where, err)
	}
	mode, err := GaussianMode(in.Mode).mode(where)
	if err != nil {
		return err
	}
	switch {
	case in.Format != "godp gaussian model":
		return fmt.Errorf("dp: %s: format is %q, not \"godp gaussian model\"", where, in.Format)
	case in.Version < 1 || in.Version > gaussianVersion:
		return fmt.Errorf("dp: %s: version %d; this program reads versions 1 to %d", where, in.Version, gaussianVersion)
	case in.Guarantee == nil:
		return fmt.Errorf("dp: %s: no guarantee: a model is never stored without one", where)
	case in.Dim < 1 || in.Dim > 1<<16:
		return badArg(where, "dim", in.Dim, "must be between 1 and 65536")
	case !positive(in.Tau):
		return badArg(where, "tau", in.Tau, "must be a finite number above 0")
	case len(in.Names) < 2 || len(in.W) < len(in.Names) || len(in.Comp) != len(in.W):
		return fmt.Errorf("dp: %s: %d classes, %d components and %d class numbers do not fit together", where, len(in.Names), len(in.W), len(in.Comp))
	case in.Binary && len(in.Names) != 2:
		return fmt.Errorf("dp: %s: a model of ±1 labels has 2 classes, not %d", where, len(in.Names))
	}
	seen := make([]bool, len(in.Names))
	for k, w := range in.W {
		if len(w) != mode.Len(in.Dim) {
			return badArg(where, fmt.Sprintf("components[%d]", k), fmt.Sprintf("%d numbers", len(w)), fmt.Sprintf("mode %q needs %d", in.Mode, mode.Len(in.Dim)))
		}
		if c := in.Comp[k]; c < 0 || c >= len(in.Names) {
			return badArg(where, fmt.Sprintf("class_of_component[%d]", k), c, fmt.Sprintf("must be between 0 and %d", len(in.Names)-1))
		}
		seen[in.Comp[k]] = true
		for _, v := range w {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return badArg(where, fmt.Sprintf("components[%d]", k), v, "must be finite")
			}
		}
	}
	for c, ok := range seen {
		if !ok {
			return fmt.Errorf("dp: %s: class %q has no component", where, in.Names[c])
		}
	}
	*m = GaussianModel{W: in.W, Comp: in.Comp, Mode: GaussianMode(in.Mode), Tau: in.Tau, Dim: in.Dim, Names: in.Names, Shift: in.Shift,
		Objective: math.NaN(), Gradient: math.NaN(), Guarantee: *in.Guarantee, binary: in.Binary}
	return nil
}

// Save writes the model to a file, guarantee included.
func (m *GaussianModel) Save(path string) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o666)
	}
	if err != nil {
		return fmt.Errorf("dp: saving Gaussian model: %w", err)
	}
	return nil
}

// LoadGaussian reads a file written by GaussianModel.Save.
func LoadGaussian(path string) (*GaussianModel, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("dp: loading Gaussian model: %w", err)
	}
	m := new(GaussianModel)
	if err := m.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return m, nil
}
