package dp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Flavour says which version of a statement was computed.
type Flavour string

const (
	AsPublished Flavour = "as published" // the formula as printed, right or wrong
	Corrected   Flavour = "corrected"    // a version with a proof
	Tight       Flavour = "tight"        // a proved version with the best constant known to us
)

// A Condition is one hypothesis of a theorem and whether it holds for the numbers at hand.
type Condition struct {
	Text   string // the hypothesis, with TeX between dollar signs where useful
	Holds  bool   // for the numbers at hand
	Detail string // the numbers
}

// A Constant is a constant that a publication hides in an O or Ω. It is always an argument.
type Constant struct {
	Name  string  // symbol
	Value float64 // as it was passed in
	Note  string  // where it is hidden
}

// A Bound is the value of a theorem for given numbers, with all that is needed to judge it:
// the formula, the formula with the numbers put in, the source, and whether the
// hypotheses hold.
type Bound struct {
	Quantity    string      // what is bounded, e.g. "J(f_priv) − J(f*)"
	Relation    string      // "≤" (an upper bound), "≥" (a lower bound, or a required number) or "="
	Value       float64     // NaN if the formula is meaningless here; see Conditions
	Confidence  float64     // the statement holds with at least this probability; 1 = always, 0 = not a probability statement
	Formula     string      // TeX, symbols
	Numbers     string      // TeX, the same with the numbers put in
	Source      string      // paper and theorem
	Flavour     Flavour     // which version of the statement
	Conditions  []Condition // the hypotheses, and whether each holds for these numbers
	Constants   []Constant  // constants the publication hides, as they were passed in
	Remark      string      // what is wrong with the printed version, or how to read the value
	NotAProof   bool        // the printed proof fails or the constant is a guess: a number to look at, not to rely on
	Assumptions []string    // hypotheses that cannot be checked from the numbers

	sim *simulation // see Check
}

// Holds reports whether every condition holds, so that Value means what it says.
func (b Bound) Holds() bool {
	for _, c := range b.Conditions {
		if !c.Holds {
			return false
		}
	}
	return !math.IsNaN(b.Value)
}

// String gives the statement in one line.
func (b Bound) String() string {
	s := fmt.Sprintf("%s %s %s", b.Quantity, b.Relation, number(b.Value))
	if math.IsNaN(b.Value) {
		s = "no value for " + b.Quantity
	} else if b.Confidence > 0 && b.Confidence < 1 {
		s += fmt.Sprintf(" with probability ≥ %s", number(b.Confidence))
	}
	s += fmt.Sprintf(" (%s, %s)", b.Source, b.Flavour)
	for _, c := range b.Conditions {
		if !c.Holds {
			s += "; does not apply: " + c.Text + " fails"
			if c.Detail != "" {
				s += " (" + c.Detail + ")"
			}
		}
	}
	if b.NotAProof {
		s += "; not proved as printed"
	}
	return s
}

// Markdown renders the statement with its formula and its conditions.
func (b Bound) Markdown() string {
	var s strings.Builder
	if math.IsNaN(b.Value) {
		fmt.Fprintf(&s, "**no value for %s**", plainMarkdown(b.Quantity))
	} else {
		fmt.Fprintf(&s, "**%s %s %s**", plainMarkdown(b.Quantity), plainMarkdown(b.Relation), number(b.Value))
	}
	if !math.IsNaN(b.Value) && b.Confidence > 0 && b.Confidence < 1 {
		fmt.Fprintf(&s, " with probability ≥ %s", number(b.Confidence))
	}
	fmt.Fprintf(&s, "  \n*%s* (%s)\n\n", plainMarkdown(b.Source), b.Flavour)
	if b.Formula != "" {
		// What follows the formula ("where q is …") stands after the equation, or it would seem to be equal to the numbers.
		formula, where, _ := strings.Cut(b.Formula, `,\quad`)
		numbers, and, _ := strings.Cut(b.Numbers, `,\quad`)
		fmt.Fprintf(&s, "$$%s", formula)
		if numbers != "" {
			fmt.Fprintf(&s, " = %s", numbers)
		}
		if !math.IsNaN(b.Value) {
			fmt.Fprintf(&s, " = %s", TeX(b.Value))
		}
		if where != "" {
			fmt.Fprintf(&s, `,\qquad %s`, strings.TrimSpace(where))
		}
		if and != "" {
			fmt.Fprintf(&s, `,\quad %s`, strings.TrimSpace(and))
		}
		s.WriteString("$$\n\n")
	}
	for _, c := range b.Conditions {
		mark := "✓"
		if !c.Holds {
			mark = "✗"
		}
		fmt.Fprintf(&s, "- %s %s", mark, texMarkdown(c.Text))
		if c.Detail != "" {
			fmt.Fprintf(&s, ": %s", plainMarkdown(c.Detail))
		}
		s.WriteByte('\n')
	}
	for _, a := range b.Assumptions {
		fmt.Fprintf(&s, "- ? %s (cannot be checked from the numbers)\n", plainMarkdown(a))
	}
	for _, c := range b.Constants {
		fmt.Fprintf(&s, "- hidden constant %s = %s", plainMarkdown(c.Name), number(c.Value))
		if c.Note != "" {
			fmt.Fprintf(&s, ": %s", plainMarkdown(c.Note))
		}
		s.WriteByte('\n')
	}
	if b.NotAProof {
		s.WriteString("- ⚠ not proved as printed\n")
	}
	if b.Remark != "" {
		fmt.Fprintf(&s, "\n%s\n", texMarkdown(b.Remark))
	}
	return s.String()
}

// TeX writes a number for a formula: 4 significant digits, powers of ten as \cdot 10^{k}.
func TeX(x float64) string {
	switch {
	case math.IsNaN(x):
		return `\text{undefined}`
	case math.IsInf(x, 1):
		return `\infty`
	case math.IsInf(x, -1):
		return `-\infty`
	}
	s := number(x)
	if i := strings.IndexByte(s, 'e'); i >= 0 {
		k, _ := strconv.Atoi(s[i+1:])
		switch s[:i] {
		case "1":
			return fmt.Sprintf(`10^{%d}`, k)
		case "-1":
			return fmt.Sprintf(`-10^{%d}`, k)
		}
		return fmt.Sprintf(`%s\cdot 10^{%d}`, s[:i], k)
	}
	return s
}

// number writes x with 4 significant digits, integers below 10^9 in full.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// texf fills a TeX template with numbers: every %v of an int or float64 is written by [TeX].
func texf(format string, args ...any) string {
	for i, a := range args {
		switch a := a.(type) {
		case float64:
			args[i] = TeX(a)
		case int:
			args[i] = TeX(float64(a))
		}
	}
	return fmt.Sprintf(format, args...)
}

// condition is shorthand for building a Condition; the numbers go into detail.
func condition(holds bool, text, detail string, args ...any) Condition {
	return Condition{Text: text, Holds: holds, Detail: fmt.Sprintf(detail, args...)}
}
