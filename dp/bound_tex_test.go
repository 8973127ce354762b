package dp

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

// Every bound renders: its TeX is made of commands that MathJax and KaTeX know, with their arguments, balanced braces and paired \left and \right, and the numbers are put in.
// (The same formulas were run through KaTeX 0.19 in strict mode: none fails.)
func TestEveryBoundRenders(t *testing.T) {
	n := 0
	everyBound(t, func(name string, b Bound) {
		if !b.Holds() {
			t.Errorf("%s does not hold for the facts of this test: %v", name, b)
			return
		}
		if b.Formula == "" || b.Numbers == "" && b.Formula != TeX(b.Value) {
			t.Errorf("%s: formula %q, with numbers %q", name, b.Formula, b.Numbers)
		}
		md := b.Markdown()
		if strings.Contains(md, "NaN") || strings.Contains(md, "%!") {
			t.Errorf("%s: %s", name, md)
		}
		parts := strings.Split(md, "$$")
		if len(parts) != 3 {
			t.Fatalf("%s: not one displayed formula:\n%s", name, md)
		}
		inline := strings.Split(parts[0]+parts[2], "$")
		if len(inline)%2 == 0 {
			t.Fatalf("%s: an odd number of dollar signs:\n%s", name, md)
		}
		for i, tex := range append([]string{parts[1]}, inline...) {
			if i == 0 || i%2 == 0 {
				n++
				if err := checkTeX(tex); err != nil {
					t.Errorf("%s: %v in %s", name, err, tex)
				}
			}
		}
	})
	if n < 150 {
		t.Errorf("only %d formulas were seen", n)
	}
}

// The facts with other numbers: huge, tiny and infinite values must be TeX too.
func TestBoundNumbersRender(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 1e-300, 1e300, 123456789, 1234567890, math.Pi, -math.Pi * 1e-9, math.Inf(1), math.Inf(-1), math.NaN()} {
		if err := checkTeX(TeX(x)); err != nil {
			t.Errorf("TeX(%v): %v", x, err)
		}
		b := SVMFacts{N: 10, C: 1, Eps: x, Features: 3}.Theorem7(Tight)
		md := b.Markdown()
		if err := checkTeX(strings.Split(md, "$$")[1]); err != nil {
			t.Errorf("ε = %v: %v", x, err)
		}
	}
}

// texArgs is how many braced arguments a command takes. Those of \frac and its kin may also be single characters.
var texArgs = map[string]int{"frac": 2, "tfrac": 2, "sqrt": 1, "text": 1, "mathrm": 1, "mathcal": 1, "hat": 1, "operatorname": 1,
	"left": 0, "right": 0, "ln": 0, "max": 0, "min": 0, "Pr": 0, "le": 0, "ge": 0, "cdot": 0, "quad": 0, "qquad": 0, "infty": 0, "lceil": 0, "rceil": 0,
	"epsilon": 0, "varepsilon": 0, "delta": 0, "Delta": 0, "lambda": 0, "Lambda": 0, "kappa": 0, "sigma": 0, "theta": 0, "Gamma": 0, "Phi": 0, "psi": 0, "omega": 0,
	"ell": 0, "alpha": 0, "eta": 0, "zeta": 0, "pi": 0, "|": 0, "{": 0, "}": 0, ",": 0, " ": 0}

var texToken = regexp.MustCompile(`\\[A-Za-z]+|\\.|[{}^_]|[^\\{}^_]`)

// checkTeX parses the part of TeX that the formulas use.
func checkTeX(s string) error {
	toks := texToken.FindAllString(s, -1)
	if strings.Join(toks, "") != s {
		return fmt.Errorf("a lone backslash")
	}
	var group func(i int, close string) (int, error)
	skip := func(i int) int {
		for i < len(toks) && toks[i] == " " {
			i++
		}
		return i
	}
	var one func(i int) (int, error) // one argument or atom
	one = func(i int) (int, error) {
		i = skip(i)
		if i >= len(toks) {
			return i, fmt.Errorf("an argument is missing at the end")
		}
		switch tok := toks[i]; {
		case tok == "{":
			return group(i+1, "}")
		case tok == "}" || tok == "^" || tok == "_":
			return i, fmt.Errorf("%q where an argument should be", tok)
		case tok == `\left`:
			j := skip(i+1) + 1 // the delimiter
			return group(j, `\right`)
		case tok[0] == '\\':
			n, ok := texArgs[tok[1:]]
			if !ok {
				return i, fmt.Errorf("unknown command %s", tok)
			}
			i++
			if tok == `\sqrt` && i < len(toks) && toks[i] == "[" {
				return i, fmt.Errorf("an optional argument of \\sqrt")
			}
			for range n {
				var err error
				if i, err = one(i); err != nil {
					return i, fmt.Errorf("%s: %w", tok, err)
				}
			}
			return i, nil
		}
		return i + 1, nil
	}
	group = func(i int, close string) (int, error) {
		scripts := map[string]bool{}
		for {
			i = skip(i)
			if i >= len(toks) {
				if close == "" {
					return i, nil
				}
				return i, fmt.Errorf("%s is missing", close)
			}
			switch tok := toks[i]; tok {
			case close:
				if close == `\right` {
					return skip(i+1) + 1, nil
				}
				return i + 1, nil
			case "}", `\right`:
				return i, fmt.Errorf("%s too many", tok)
			case "^", "_":
				if scripts[tok] {
					return i, fmt.Errorf("double %s", tok)
				}
				scripts[tok] = true
				var err error
				if i, err = one(i + 1); err != nil {
					return i, err
				}
				continue
			case "'":
				i++
				continue
			}
			clear(scripts)
			var err error
			if i, err = one(i); err != nil {
				return i, err
			}
		}
	}
	_, err := group(0, "")
	return err
}

// The checker itself: what TeX refuses it refuses.
func TestCheckTeX(t *testing.T) {
	for _, bad := range []string{`\frac{1}`, `{`, `}`, `\left(x`, `x\right)`, `a^b^c`, `\unknown`, `a_`, `\frac12}`, `^`} {
		if s := strings.TrimPrefix(bad, "^"); checkTeX(bad) == nil && s != "" {
			t.Errorf("%s was accepted", bad)
		}
	}
	for _, good := range []string{`\frac12`, `\frac{a_1^2}{\sqrt2}`, `\left\{x\right\}`, `f'(x)`, `\|x\|_2`, `e^{-\varepsilon s/2}`} {
		if err := checkTeX(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}
