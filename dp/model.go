package dp

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
)

// A Classifier labels a raw row −1 or +1.
type Classifier interface {
	Predict(x []float64) float64
}

// A Model is a released linear classifier sgn(fᵀφ(x)), where φ is the identity or a data-independent FeatureMap. It holds
// nothing that was not released.
type Model struct {
	Weights   []float64 // f
	Guarantee Guarantee

	LossName string
	Params   map[string]float64 // the public parameters of the training (Λ, Δ, κ, n, …)
	Features []string           // names of the columns the weights belong to, or nil
	Map      FeatureMap         // φ, or nil for the identity
}

// Score is fᵀφ(x) for a raw row x. It panics if x has the wrong length.
func (m *Model) Score(x []float64) float64 {
	if m.Map != nil {
		if len(x) != m.Map.In() {
			panic(badArg("Model.Score", "x", fmt.Sprintf("%d columns", len(x)), fmt.Sprintf("the model takes %d columns", m.Map.In())))
		}
		x = m.Map.Apply(x)
	}
	if len(x) != len(m.Weights) {
		panic(badArg("Model.Score", "x", fmt.Sprintf("%d columns", len(x)), fmt.Sprintf("the model takes %d columns", len(m.Weights))))
	}
	s := 0.0
	for i, v := range x {
		s += v * m.Weights[i]
	}
	return s
}

// Predict is the sign of Score, with sgn(0) = +1.
func (m *Model) Predict(x []float64) float64 { return sign(m.Score(x)) }

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

// String says what the model is and what protects its training data.
func (m *Model) String() string {
	return fmt.Sprintf("linear model, %d weights, %s loss\n%s", len(m.Weights), m.LossName, m.Guarantee)
}

// Markdown shows the guarantee.
func (m *Model) Markdown() string {
	return fmt.Sprintf("linear model, %d weights, %s loss\n\n%s", len(m.Weights), plainMarkdown(m.LossName), m.Guarantee.Markdown())
}

// modelVersion is the version of the JSON form. A reader refuses a newer one.
const modelVersion = 1

type modelJSON struct {
	Format    string               `json:"format"`
	Version   int                  `json:"version"`
	Weights   []jsonFloat          `json:"weights"`
	Guarantee *Guarantee           `json:"guarantee"`
	LossName  string               `json:"loss"`
	Params    map[string]jsonFloat `json:"params,omitempty"`
	Features  []string             `json:"features,omitempty"`
	MapKind   string               `json:"map_kind,omitempty"`
	Map       json.RawMessage      `json:"map,omitempty"`
}

// MarshalJSON is the versioned stored form: weights, guarantee, public parameters and the feature map.
func (m *Model) MarshalJSON() ([]byte, error) {
	out := modelJSON{Format: "godp model", Version: modelVersion, Guarantee: &m.Guarantee, LossName: m.LossName, Features: m.Features}
	for _, w := range m.Weights {
		out.Weights = append(out.Weights, jsonFloat(w))
	}
	if len(m.Params) > 0 {
		out.Params = map[string]jsonFloat{}
		for k, v := range m.Params {
			out.Params[k] = jsonFloat(v)
		}
	}
	var err error
	if out.MapKind, out.Map, err = encodeMap(m.Map); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// encodeMap is the stored form of a feature map, empty for none.
func encodeMap(f FeatureMap) (kind string, raw json.RawMessage, err error) {
	if f == nil {
		return "", nil, nil
	}
	if featureKinds[f.Kind()] == nil {
		return "", nil, fmt.Errorf("dp: model: a feature map of kind %q cannot be saved", f.Kind())
	}
	if raw, err = json.Marshal(f); err != nil {
		return "", nil, fmt.Errorf("dp: model: feature map: %w", err)
	}
	return f.Kind(), raw, nil
}

// decodeMap reads a stored feature map that must make weights coordinates; it is nil for none.
func decodeMap(kind string, raw json.RawMessage, weights int) (FeatureMap, error) {
	if kind == "" {
		return nil, nil
	}
	decode := featureKinds[kind]
	if decode == nil {
		return nil, fmt.Errorf("dp: model: unknown feature map %q", kind)
	}
	f, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("dp: model: feature map: %w", err)
	}
	if f.Out() != weights {
		return nil, fmt.Errorf("dp: model: the feature map makes %d coordinates but there are %d weights", f.Out(), weights)
	}
	return f, nil
}

// UnmarshalJSON reads the stored form and refuses what cannot be a model: another format, a newer version, weights that
// are not finite, a missing guarantee, a map that does not fit the weights.
func (m *Model) UnmarshalJSON(text []byte) error {
	var in modelJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("dp: model: %w", err)
	}
	switch {
	case in.Format != "godp model":
		return fmt.Errorf("dp: model: format is %q, not \"godp model\"", in.Format)
	case in.Version < 1 || in.Version > modelVersion:
		return fmt.Errorf("dp: model: version %d; this program reads versions 1 to %d", in.Version, modelVersion)
	case len(in.Weights) == 0:
		return fmt.Errorf("dp: model: no weights")
	case in.Guarantee == nil:
		return fmt.Errorf("dp: model: no guarantee: a model is never stored without one")
	}
	out := Model{Guarantee: *in.Guarantee, LossName: in.LossName, Features: in.Features}
	for i, w := range in.Weights {
		if math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
			return fmt.Errorf("dp: model: weights[%d] is not a finite number", i)
		}
		out.Weights = append(out.Weights, float64(w))
	}
	if len(in.Params) > 0 {
		out.Params = map[string]float64{}
		for k, v := range in.Params {
			out.Params[k] = float64(v)
		}
	}
	var err error
	if out.Map, err = decodeMap(in.MapKind, in.Map, len(out.Weights)); err != nil {
		return err
	}
	*m = out
	return nil
}

// Write writes the model as indented JSON.
func (m *Model) Write(w io.Writer) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Save writes the model to a file, guarantee included.
func (m *Model) Save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("dp: saving model: %w", err)
	}
	err = m.Write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("dp: saving model: %w", err)
	}
	return nil
}

// LoadModel reads a file written by Save.
func LoadModel(path string) (*Model, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("dp: loading model: %w", err)
	}
	m := new(Model)
	if err := m.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return m, nil
}

// scores returns fᵀφ(x_i) for all rows. Data that were made by the model's own kind of map are used as they are.
func (m *Model) scores(d *Data) []float64 {
	out := make([]float64, d.Len())
	direct := d.fmap != nil || m.Map == nil
	if direct && d.Dim() != len(m.Weights) {
		panic(badArg("Model", "d", fmt.Sprintf("data of %d columns", d.Dim()), fmt.Sprintf("the model takes %d columns", len(m.Weights))))
	}
	row := make([]float64, d.Dim())
	for i := range out {
		if direct {
			out[i] = d.Dot(i, m.Weights)
		} else {
			out[i] = m.Score(d.x.Row(i, row))
		}
	}
	return out
}

// newModel assembles a trained model for data d.
func newModel(d *Data, w []float64, l Loss, g Guarantee, params map[string]float64) *Model {
	if g.Leaks == nil {
		g.Leaks = d.Leaks()
	}
	return &Model{Weights: w, Guarantee: g, LossName: l.Name, Params: params, Features: d.Features(), Map: d.fmap}
}
