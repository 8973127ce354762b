package dp

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
)

// The stored form of a GaussianModel: versioned JSON with the guarantee, like that of a Model.
type gaussianJSON struct {
	storedHead
	W     [][]float64 `json:"components"`
	Comp  []int       `json:"class_of_component"`
	Mode  string      `json:"mode"`
	Tau   float64     `json:"tau"`
	Dim   int         `json:"dim"`
	Shift float64     `json:"shift"`
}

const (
	gaussianFormat  = "godp gaussian model"
	gaussianVersion = 1
)

// MarshalJSON is the versioned stored form. The value of the objective and the iterations, which were not released, are left
// out.
func (m *GaussianModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(gaussianJSON{storedHead{gaussianFormat, gaussianVersion, m.Names, m.binary, &m.Guarantee}, m.W, m.Comp, nonEmpty(string(m.Mode), string(FullGaussian)), m.Tau, m.Dim, m.Shift})
}

// UnmarshalJSON reads the stored form and refuses what cannot be a model.
func (m *GaussianModel) UnmarshalJSON(text []byte) error {
	const where = "Gaussian model"
	var in gaussianJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("dp: %s: %w", where, err)
	}
	if err := in.check(where, gaussianFormat, gaussianVersion); err != nil {
		return err
	}
	mode, err := GaussianMode(in.Mode).mode(where)
	if err != nil {
		return err
	}
	switch {
	case in.Dim < 1 || in.Dim > 1<<16:
		return badArg(where, "dim", in.Dim, "must be between 1 and 65536")
	case !positive(in.Tau):
		return badArg(where, "tau", in.Tau, "must be a finite number above 0")
	case len(in.W) < len(in.Names) || len(in.Comp) != len(in.W):
		return fmt.Errorf("dp: %s: %d classes, %d components and %d class numbers do not fit together", where, len(in.Names), len(in.W), len(in.Comp))
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
func (m *GaussianModel) Save(path string) error { return saveJSON("Gaussian model", path, m) }

// LoadGaussian reads a file written by GaussianModel.Save.
func LoadGaussian(path string) (*GaussianModel, error) {
	m := new(GaussianModel)
	if err := loadJSON("Gaussian model", path, m); err != nil {
		return nil, err
	}
	return m, nil
}

// saveJSON writes the stored form of a model to a file.
func saveJSON(what, path string, m json.Marshaler) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o666)
	}
	if err != nil {
		return fmt.Errorf("dp: saving %s: %w", what, err)
	}
	return nil
}

// loadJSON reads a file into a model.
func loadJSON(what, path string, m json.Unmarshaler) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("dp: loading %s: %w", what, err)
	}
	if err := m.UnmarshalJSON(text); err != nil {
		return fmt.Errorf("%w (in %s)", err, path)
	}
	return nil
}

// storedHead is what every stored model begins with.
type storedHead struct {
	Format    string     `json:"format"`
	Version   int        `json:"version"`
	Names     []string   `json:"classes"`
	Binary    bool       `json:"binary,omitempty"`
	Guarantee *Guarantee `json:"guarantee"`
}

// check refuses what is not the head of such a model.
func (h storedHead) check(where, format string, version int) error {
	switch {
	case h.Format != format:
		return fmt.Errorf("dp: %s: format is %q, not %q", where, h.Format, format)
	case h.Version < 1 || h.Version > version:
		return fmt.Errorf("dp: %s: version %d; this program reads versions 1 to %d", where, h.Version, version)
	case h.Guarantee == nil:
		return fmt.Errorf("dp: %s: no guarantee: a model is never stored without one", where)
	case len(h.Names) < 2:
		return badArg(where, "classes", h.Names, "at least two classes are required")
	case h.Binary && len(h.Names) != 2:
		return fmt.Errorf("dp: %s: a model of ±1 labels has 2 classes, not %d", where, len(h.Names))
	}
	return nil
}

// The stored form of a SoftmaxModel.
type softmaxJSON struct {
	storedHead
	W       [][]float64     `json:"weights"`
	MapKind string          `json:"map_kind,omitempty"`
	Map     json.RawMessage `json:"map,omitempty"`
}

const (
	softmaxFormat  = "godp softmax model"
	softmaxVersion = 1
	ovrFormat      = "godp one-vs-rest model"
	ovrVersion     = 1
)

// MarshalJSON is the versioned stored form, guarantee included: nothing is in it that was not released.
func (m *SoftmaxModel) MarshalJSON() ([]byte, error) {
	out := softmaxJSON{storedHead: storedHead{softmaxFormat, softmaxVersion, m.Names, m.binary, &m.Guarantee}, W: m.W}
	var err error
	if out.MapKind, out.Map, err = encodeMap(m.Map); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the stored form and refuses what cannot be a model.
func (m *SoftmaxModel) UnmarshalJSON(text []byte) error {
	const where = "softmax model"
	var in softmaxJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("dp: %s: %w", where, err)
	}
	if err := in.check(where, softmaxFormat, softmaxVersion); err != nil {
		return err
	}
	if len(in.W) != len(in.Names) || len(in.W[0]) == 0 {
		return fmt.Errorf("dp: %s: %d classes and %d rows of weights do not fit together", where, len(in.Names), len(in.W))
	}
	for c, w := range in.W {
		if len(w) != len(in.W[0]) {
			return badArg(where, fmt.Sprintf("weights[%d]", c), fmt.Sprintf("%d numbers", len(w)), fmt.Sprintf("every class needs %d", len(in.W[0])))
		}
	}
	f, err := decodeMap(in.MapKind, in.Map, len(in.W[0]))
	if err != nil {
		return err
	}
	*m = SoftmaxModel{W: in.W, Names: in.Names, Guarantee: *in.Guarantee, Map: f, binary: in.Binary}
	return nil
}

// Save writes the model to a file, guarantee included.
func (m *SoftmaxModel) Save(path string) error { return saveJSON("softmax model", path, m) }

// LoadSoftmax reads a file written by SoftmaxModel.Save.
func LoadSoftmax(path string) (*SoftmaxModel, error) {
	m := new(SoftmaxModel)
	if err := loadJSON("softmax model", path, m); err != nil {
		return nil, err
	}
	return m, nil
}

// The stored form of a OneVsRestModel.
type ovrJSON struct {
	storedHead
	Models []*Model `json:"models"`
}

// MarshalJSON is the versioned stored form: the binary models, each with its guarantee, and their sum.
func (m *OneVsRestModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(ovrJSON{storedHead{ovrFormat, ovrVersion, m.Names, m.binary, &m.Guarantee}, m.Models})
}

// UnmarshalJSON reads the stored form and refuses what cannot be a model.
func (m *OneVsRestModel) UnmarshalJSON(text []byte) error {
	const where = "one-vs-rest model"
	var in ovrJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("dp: %s: %w", where, err)
	}
	if err := in.check(where, ovrFormat, ovrVersion); err != nil {
		return err
	}
	if len(in.Models) != len(in.Names) {
		return fmt.Errorf("dp: %s: %d classes and %d models do not fit together", where, len(in.Names), len(in.Models))
	}
	width := func(b *Model) int {
		if b.Map != nil {
			return b.Map.In()
		}
		return len(b.Weights)
	}
	eps := 0.0
	for c, b := range in.Models {
		if b == nil {
			return fmt.Errorf("dp: %s: class %q has no model", where, in.Names[c])
		}
		if width(b) != width(in.Models[0]) {
			return badArg(where, fmt.Sprintf("models[%d]", c), fmt.Sprintf("%d columns", width(b)), fmt.Sprintf("every class needs %d", width(in.Models[0])))
		}
		eps += b.Guarantee.Eps
	}
	if !(in.Guarantee.Eps >= eps*(1-1e-12)) {
		return badArg(where, "guarantee", fmt.Sprintf("ε = %g", in.Guarantee.Eps), fmt.Sprintf("the models' guarantees add up to ε = %g", eps))
	}
	*m = OneVsRestModel{Models: in.Models, Names: in.Names, Guarantee: *in.Guarantee, binary: in.Binary}
	return nil
}

// Save writes the model to a file, guarantees included.
func (m *OneVsRestModel) Save(path string) error { return saveJSON("one-vs-rest model", path, m) }

// LoadOneVsRest reads a file written by OneVsRestModel.Save.
func LoadOneVsRest(path string) (*OneVsRestModel, error) {
	m := new(OneVsRestModel)
	if err := loadJSON("one-vs-rest model", path, m); err != nil {
		return nil, err
	}
	return m, nil
}
