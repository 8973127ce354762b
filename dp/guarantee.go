package dp

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Neighbours is the relation between data sets that a guarantee speaks about.
type Neighbours string

const (
	// ReplaceOne: same number of rows, one row replaced by another. n is public.
	ReplaceOne Neighbours = "replace-one"
	// AddRemove: one row added or removed. n is private.
	AddRemove Neighbours = "add/remove"
)

// Status says what stands behind an assumption.
type Status string

const (
	Enforced Status = "enforced" // made true by this code, whatever the input
	Checked  Status = "checked"  // tested on this input, but not proved
	Assumed  Status = "assumed"  // the user's responsibility
	Violated Status = "violated" // known to be false here
)

// An Assumption is one condition of the theorem behind a guarantee.
type Assumption struct {
	Text   string `json:"text"`
	Status Status `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// A Guarantee is the privacy statement a released model or statistic carries: what is really guaranteed, relative to which
// neighbouring relation, by which theorem, under which assumptions.
type Guarantee struct {
	Eps, Delta float64 // what is really guaranteed; Eps = +Inf: nothing
	Rho        float64 // zero-concentrated differential privacy, NaN if not known
	ClaimedEps float64 // what the publication claims, for as-published variants; NaN otherwise
	Neighbours Neighbours
	Mechanism  string // name and parameters of the mechanism
	Theorem    string // the statement used, as a formula
	Source     string // author, year, theorem

	Assumptions []Assumption

	// Certificate is the certified bound on the norm of the gradient (or of the smallest subgradient) of n times the
	// objective at the solver's last iterate, a constant fixed before the data are seen; NaN if there was no solver.
	Certificate float64

	Seeded bool     // reproducible randomness was used: not private
	Leaks  []string // data-derived choices that are outside the guarantee
}

// noGuarantee is the statement of an algorithm that protects nobody.
func noGuarantee(mechanism string) Guarantee {
	return Guarantee{Eps: math.Inf(1), Rho: math.NaN(), ClaimedEps: math.NaN(), Certificate: math.NaN(),
		Neighbours: ReplaceOne, Mechanism: mechanism, Theorem: "none", Source: "none"}
}

// Private tells whether the guarantee says anything: finite Eps, secure randomness, no leak and no violated assumption.
func (g Guarantee) Private() bool {
	if math.IsInf(g.Eps, 1) || math.IsNaN(g.Eps) || g.Seeded || len(g.Leaks) > 0 {
		return false
	}
	for _, a := range g.Assumptions {
		if a.Status == Violated {
			return false
		}
	}
	return true
}

// level is "0.5-differential privacy", "(1, 1e-06)-differential privacy" or "no differential privacy".
func (g Guarantee) level() string {
	switch {
	case math.IsInf(g.Eps, 1) || math.IsNaN(g.Eps):
		return "no differential privacy"
	case g.Delta > 0:
		return fmt.Sprintf("(%s, %s)-differential privacy", num(g.Eps), num(g.Delta))
	}
	return num(g.Eps) + "-differential privacy"
}

// num prints a privacy parameter so that the printed number never understates it in the 6th digit.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'g', 6, 64)
	if p, err := strconv.ParseFloat(s, 64); err == nil && p < v && v-p > 1e-9*math.Abs(v) {
		return strconv.FormatFloat(v+math.Abs(v)*5e-6, 'g', 6, 64)
	}
	return s
}

// warnings are the reasons why the level must not be taken at face value.
func (g Guarantee) warnings() []string {
	var w []string
	if !math.IsNaN(g.ClaimedEps) {
		if g.Eps > g.ClaimedEps*(1+1e-12) {
			w = append(w, fmt.Sprintf("the publication claims ε = %s; the true level is ε = %s", num(g.ClaimedEps), num(g.Eps)))
		} else {
			w = append(w, fmt.Sprintf("the publication claims ε = %s", num(g.ClaimedEps)))
		}
	}
	if g.Seeded {
		w = append(w, "seeded: not private (whoever knows the seed can subtract the noise)")
	}
	for _, l := range g.Leaks {
		w = append(w, "leak: "+l)
	}
	return w
}

// String is the guarantee as plain text, one fact a line.
func (g Guarantee) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s neighbours\n", g.level(), g.Neighbours)
	for _, w := range g.warnings() {
		fmt.Fprintf(&b, "  WARNING    %s\n", w)
	}
	if !math.IsNaN(g.Rho) {
		fmt.Fprintf(&b, "  zCDP       ρ = %s\n", num(g.Rho))
	}
	fmt.Fprintf(&b, "  mechanism  %s\n", g.Mechanism)
	fmt.Fprintf(&b, "  theorem    %s\n", g.Theorem)
	fmt.Fprintf(&b, "  source     %s\n", g.Source)
	if !math.IsNaN(g.Certificate) {
		fmt.Fprintf(&b, "  solver     certified n‖∇J‖ ≤ %.3g\n", g.Certificate)
	}
	for _, a := range g.Assumptions {
		fmt.Fprintf(&b, "  %-9s  %s", a.Status, a.Text)
		if a.Detail != "" {
			fmt.Fprintf(&b, " (%s)", a.Detail)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Markdown is the guarantee as Markdown with TeX-free formulas, as a notebook shows it.
func (g Guarantee) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**, %s neighbours\n\n", g.level(), plainMarkdown(fmt.Sprint(g.Neighbours)))
	for _, w := range g.warnings() {
		fmt.Fprintf(&b, "> ⚠ %s\n>\n", plainMarkdown(w))
	}
	b.WriteString("\n| | |\n|---|---|\n")
	row := func(k, v string) {
		if v != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", k, plainMarkdown(v))
		}
	}
	row("mechanism", g.Mechanism)
	row("theorem", g.Theorem)
	row("source", g.Source)
	if !math.IsNaN(g.Rho) {
		row("zCDP", "ρ = "+num(g.Rho))
	}
	if !math.IsNaN(g.Certificate) {
		row("solver", fmt.Sprintf("certified n‖∇J‖ ≤ %.3g", g.Certificate))
	}
	for _, a := range g.Assumptions {
		t := a.Text
		if a.Detail != "" {
			t += " (" + a.Detail + ")"
		}
		row("*"+plainMarkdown(string(a.Status))+"*", t)
	}
	return b.String()
}

// guaranteeJSON is the stored form: numbers that JSON lacks are strings ("+Inf") or null (NaN).
type guaranteeJSON struct {
	Eps         jsonFloat    `json:"eps"`
	Delta       jsonFloat    `json:"delta"`
	Rho         jsonFloat    `json:"rho"`
	ClaimedEps  jsonFloat    `json:"claimed_eps"`
	Neighbours  Neighbours   `json:"neighbours"`
	Mechanism   string       `json:"mechanism"`
	Theorem     string       `json:"theorem"`
	Source      string       `json:"source"`
	Assumptions []Assumption `json:"assumptions,omitempty"`
	Certificate jsonFloat    `json:"certificate"`
	Seeded      bool         `json:"seeded"`
	Leaks       []string     `json:"leaks,omitempty"`
	Private     bool         `json:"private"`
}

// MarshalJSON writes +Inf as the string "+Inf" and NaN as null.
func (g Guarantee) MarshalJSON() ([]byte, error) {
	return json.Marshal(guaranteeJSON{jsonFloat(g.Eps), jsonFloat(g.Delta), jsonFloat(g.Rho), jsonFloat(g.ClaimedEps), g.Neighbours,
		g.Mechanism, g.Theorem, g.Source, g.Assumptions, jsonFloat(g.Certificate), g.Seeded, g.Leaks, g.Private()})
}

// UnmarshalJSON reads what MarshalJSON wrote. The level ε is required and may not be NaN or negative.
func (g *Guarantee) UnmarshalJSON(text []byte) error {
	in := guaranteeJSON{Eps: jsonFloat(math.NaN()), Rho: jsonFloat(math.NaN()), ClaimedEps: jsonFloat(math.NaN()), Certificate: jsonFloat(math.NaN())}
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("dp: guarantee: %w", err)
	}
	if !(in.Eps >= 0) {
		return badArg("guarantee", "eps", float64(in.Eps), "must be present, and 0 or more")
	}
	if !(in.Delta >= 0 && in.Delta <= 1) {
		return badArg("guarantee", "delta", float64(in.Delta), "must lie between 0 and 1")
	}
	*g = Guarantee{float64(in.Eps), float64(in.Delta), float64(in.Rho), float64(in.ClaimedEps), in.Neighbours, in.Mechanism,
		in.Theorem, in.Source, in.Assumptions, float64(in.Certificate), in.Seeded, in.Leaks}
	return nil
}

// jsonFloat is a float64 that survives JSON: ±Inf as a string, NaN as null.
type jsonFloat float64

func (f jsonFloat) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 1):
		return []byte(`"+Inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Inf"`), nil
	default:
		return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
	}
}

func (f *jsonFloat) UnmarshalJSON(text []byte) error {
	switch s := string(text); s {
	case "null":
		*f = jsonFloat(math.NaN())
	case `"+Inf"`:
		*f = jsonFloat(math.Inf(1))
	case `"-Inf"`:
		*f = jsonFloat(math.Inf(-1))
	default:
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return fmt.Errorf("dp: %q is not a number", s)
		}
		*f = jsonFloat(v)
	}
	return nil
}
