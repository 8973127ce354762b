package dp

import (
	"math"
	"strings"
	"testing"
)

func TestBoundSaysWhatItIsWorth(t *testing.T) {
	b := Bound{
		Quantity: "J(f_priv) − J(f*)", Relation: "≤", Value: 0.125, Confidence: 0.95,
		Formula: `\frac{a}{b}`, Numbers: texf(`\frac{%v}{%v}`, 1, 8.0), Source: "Anon 2000, Theorem 1", Flavour: AsPublished,
		Conditions: []Condition{condition(true, "$a > 0$", "a = %d", 1), condition(false, "$b < 4$", "b = %d", 8)},
		Constants:  []Constant{{"C", 1, "hidden in the Ω"}}, NotAProof: true,
	}
	if b.Holds() {
		t.Error("a bound with a failed condition holds")
	}
	for _, want := range []string{"≤ 0.125", "0.95", "Anon 2000, Theorem 1", "does not apply: $b < 4$ fails (b = 8)", "not proved as printed"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("String lacks %q: %s", want, b)
		}
	}
	for _, want := range []string{`\frac{1}{8} = 0.125$$`, "✓ $a > 0$: a = 1", "✗ $b < 4$: b = 8", "hidden constant C = 1"} {
		if !strings.Contains(b.Markdown(), want) {
			t.Errorf("Markdown lacks %q:\n%s", want, b.Markdown())
		}
	}
	b.Conditions = b.Conditions[:1]
	if !b.Holds() {
		t.Error("a bound whose conditions hold does not hold")
	}
	b.Value = math.NaN()
	if b.Holds() {
		t.Error("an undefined value holds")
	}
}

func TestTeXNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 45222: "45222", 0.05: "0.05", 1e-5: "10^{-5}", 1.25e12: `1.25\cdot 10^{12}`, -2e-7: `-2\cdot 10^{-7}`,
		1.0 / 3: "0.3333", math.Inf(1): `\infty`, -math.Inf(1): `-\infty`,
	} {
		if got := TeX(x); got != want {
			t.Errorf("TeX(%v) = %s, want %s", x, got, want)
		}
	}
	if got := TeX(math.NaN()); got != `\text{undefined}` {
		t.Errorf("TeX(NaN) = %s", got)
	}
}
