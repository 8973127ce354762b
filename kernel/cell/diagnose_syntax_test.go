package cell

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"testing"
)

func TestSyntaxSuggestions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# a comment", "a comment starts with //"},
		{"while x > 0:", "Go's loop is for: for x > 0 { … }"},
		{"while (x > 0) {\n}", "Go's loop is for: for x > 0 { … }"},
		{"for x in xs:", "in Go: for _, x := range xs { … }"},
		{"for i in range(10):", "in Go: for i := range 10 { … }"},
		{"for i, x in enumerate(xs):", "in Go: for i, x := range xs { … }"},
		{"for (i := 0; i < 3; i++) {\n}", "Go writes no parentheses around a loop's header: for i := 0; i < 3; i++ { … }"},
		{"def f(x):", "a function starts with func: func f(…) …"},
		{"class A:", "in Go: type A struct { … }, and methods func (x A) name() { … }"},
		{"if x {\n}\nelse {\n}", "else stands on the line of the closing brace: } else {"},
		{"except ValueError:", "Go has no exceptions: functions return an error, if err != nil { … } looks at it"},
		{"let x = 5", "in Go: x := …"},
		{"var x: int = 5", "the type follows the name without a colon: var x int"},
		{"int x = 5;", "the name comes first: x := 5"},
		{"f := func(x int) -> int { return x }", "the result type follows the parameters without an arrow: func f(x int) int"},
		{"f := (x) => x", "a function value is written func(x T) R { … }"},
		{"if x === y {\n}", "equality is ==, inequality !="},
		{"y := x ? 1 : 2", "Go has no ?: operator: use if … else …"},
		{"if x and y {\n}", "logical operators are &&, || and !"},
		{"if x > 1:", "a block stands in braces: { … }"},
		{"import fmt", "an import path stands in double quotes: import \"fmt\""},
		{"++i", "++ and -- follow the variable and are statements: i++"},
		{"x = i++", "++ and -- are statements of their own: i++"},
		{"s := 'abc'", "a string stands in double quotes: \"abc\""},
		{"print x", "in Go: fmt.Println(x)"},
		{"print \"a b\"", "in Go: fmt.Println(\"a b\")"},
		{"x := []int{\n1,\n2\n}", "end each line inside the braces or parentheses with a comma, the last one too"},
		{"s := \"abc", "a string in double quotes ends on its line; one in backquotes may span lines"},
		{"x := (1 + 2", "a closing parenthesis or a comma is missing"},
	} {
		src := "package p\nfunc _() {\n" + c.text + "\n}\n"
		if strings.HasPrefix(c.text, "import") {
			src = "package p\n" + c.text + "\n"
		}
		_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.AllErrors)
		list, _ := err.(scanner.ErrorList)
		if len(list) == 0 {
			t.Errorf("%q parses", c.text)
			continue
		}
		lines := strings.Split(src, "\n")
		if got := SuggestSyntax(list[0].Msg, lines[list[0].Pos.Line-1]); got != c.want {
			t.Errorf("%q: %s\n  got  %q\n  want %q", c.text, list[0].Msg, got, c.want)
		}
	}
	for _, line := range []string{`fmt.Println("a ? b : c" "x")`, `x := "while" 5`, `y := f("and or" z)`} {
		if got := SuggestSyntax("expected ';', found x", line); got != "" {
			t.Errorf("%s: the words in a string must not matter: %q", line, got)
		}
	}
}

// FuzzSuggestSyntax feeds any line and message.
func FuzzSuggestSyntax(f *testing.F) {
	f.Add("expected ';', found x", "for x in xs:")
	f.Add("illegal character U+0023 '#'", "# hi")
	f.Fuzz(func(t *testing.T, msg, line string) { SuggestSyntax(msg, line) })
}
