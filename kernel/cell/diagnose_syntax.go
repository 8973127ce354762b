package cell

import (
	"regexp"
	"strings"
)

// syntaxRule proposes text for a line that does not parse. line matches the line, msg (when set) the parser's message.
type syntaxRule struct{ line, msg, propose string }

// syntaxRules are tried in order; propose may use the groups of line as $1, $2.
var syntaxRules = compileSyntax([]syntaxRule{
	{`^\s*#`, ``, "a comment starts with //"},
	{`^\s*while\b\s*\(?(.*?)\)?\s*[:{]?\s*$`, ``, "Go's loop is for: for $1 { … }"},
	{`^\s*for\s+(\w+)\s*,\s*(\w+)\s+in\s+(?:enumerate\()?(.+?)\)?\s*[:{]?\s*$`, ``, "in Go: for $1, $2 := range $3 { … }"},
	{`^\s*for\s+(\w+)\s+in\s+range\((\w+)\)\s*[:{]?\s*$`, ``, "in Go: for $1 := range $2 { … }"},
	{`^\s*for\s+(\w+)\s+in\s+(.+?)\s*[:{]?\s*$`, ``, "in Go: for _, $1 := range $2 { … }"},
	{`^\s*for\s*\((.*)\)\s*\{?`, ``, "Go writes no parentheses around a loop's header: for $1 { … }"},
	{`^\s*(?:def|function|fn|fun)\s+(\w+)\s*\(`, ``, "a function starts with func: func $1(…) …"},
	{`^\s*class\s+(\w+)`, ``, "in Go: type $1 struct { … }, and methods func (x $1) name() { … }"},
	{`\belif\b`, ``, "in Go: } else if … {"},
	{`^\s*else\b`, ``, "else stands on the line of the closing brace: } else {"},
	{`^\s*(?:try|except|catch|finally)\b`, ``, "Go has no exceptions: functions return an error, if err != nil { … } looks at it"},
	{`^\s*(?:let|val|auto)\s+(\w+)\s*=`, ``, "in Go: $1 := …"},
	{`^\s*(?:var|let)\s+(\w+)\s*:\s*(\w+)`, ``, "the type follows the name without a colon: var $1 $2"},
	{`^\s*(int|float|double|string|bool|char|long|float64|int64)\s+(\w+)\s*=\s*(.+?);?\s*$`, ``, "the name comes first: $2 := $3"},
	{`\bfunc\b.*\)\s*->\s*`, ``, "the result type follows the parameters without an arrow: func f(x int) int"},
	{`\)\s*=>|\w+\s*=>`, ``, "a function value is written func(x T) R { … }"},
	{`===`, ``, "equality is ==, inequality !="},
	{`<>`, ``, "inequality is !="},
	{`\?.*:`, ``, "Go has no ?: operator: use if … else …"},
	{`^\s*if\s+(.+?)\s+in\s+(\w+)`, ``, "to look a key up: if _, ok := $2[$1]; ok { … }; to search a slice: slices.Contains($2, …)"},
	{`^\s*if\s+\(?\w+\)?\s*=[^=]`, ``, "= assigns; to compare write =="},
	{`\blambda\b`, ``, "a function value is written func(x T) R { … }"},
	{`\bf"`, ``, "text with values in it: fmt.Sprintf(\"… %v …\", x)"},
	{`\[[^\]]*\bfor\b.*\bin\b.*\]`, ``, "Go has no comprehensions: var ys []T; for _, x := range xs { ys = append(ys, …) }"},
	{`=\s*\[[^\]]*,[^\]]*\]\s*$`, ``, "a slice is written with its type and braces: []int{1, 2, 3}"},
	{`=\s*\{.*:.*\}\s*$`, ``, "a map is written with its type: map[string]int{\"a\": 1}"},
	{`\s(?:and|or)\s|\bnot\s`, ``, "logical operators are &&, || and !"},
	{`^\s*(?:if|for|switch)\b.*:\s*$`, ``, "a block stands in braces: { … }"},
	{`^\s*import\s+(\w[\w/.]*)\s*$`, ``, "an import path stands in double quotes: import \"$1\""},
	{`^\s*from\s+(\S+)\s+import\b`, ``, "in Go: import \"$1\""},
	{`\+\+\s*\w|--\s*\w`, ``, "++ and -- follow the variable and are statements: i++"},
	{`=.*(?:\+\+|--)`, ``, "++ and -- are statements of their own: i++"},
	{`'([^'\\]{2,})'`, ``, "a string stands in double quotes: \"$1\""},
	{`^\s*import\s+'(.+)'`, ``, "an import path stands in double quotes: import \"$1\""},
	{`^\s*(print|println|printf|echo|puts)\s+(.+?)\s*$`, ``, "in Go: fmt.Println($2)"},
	{`^\s*return\s.*\bif\b.*\belse\b`, ``, "Go has no conditional expression: use if … else …"},
	{`\$`, `illegal character`, "Go has no $ in names; text with values in it is made by fmt.Sprintf"},
	{``, `before newline in (?:composite literal|argument list)|missing ','`, "end each line inside the braces or parentheses with a comma, the last one too"},
	{``, `string literal not terminated`, "a string in double quotes ends on its line; one in backquotes may span lines"},
	{``, `expected '\{'|unexpected newline, expected \{`, "the opening brace stands at the end of the line, not on the next"},
	{``, `expected '\}', found 'EOF'|expected declaration, found '\}'|expected statement, found '\}'`, "a brace is missing or one too many"},
	{``, `expected '\)'`, "a closing parenthesis or a comma is missing"},
})

type compiledSyntax struct {
	line, msg *regexp.Regexp
	propose   string
}

func compileSyntax(in []syntaxRule) []compiledSyntax {
	out := make([]compiledSyntax, len(in))
	for i, r := range in {
		out[i] = compiledSyntax{regexp.MustCompile(r.line), regexp.MustCompile(r.msg), r.propose}
	}
	return out
}

// SuggestSyntax proposes how to write a line that does not parse, or returns "". msg is what the parser says about it.
// Most proposals are about habits from other languages.
func SuggestSyntax(msg, line string) string {
	bare := withoutStrings(line)
	for _, r := range syntaxRules {
		if !r.msg.MatchString(msg) {
			continue
		}
		text := bare
		if strings.Contains(r.propose, `\"$1\"`) || strings.Contains(r.line.String(), "'") || strings.Contains(r.propose, "($2)") || strings.Contains(r.propose, "[$1]") || strings.Contains(r.propose, "$3") {
			text = line // the proposal quotes what stands in the line
		}
		m := r.line.FindStringSubmatchIndex(text)
		if m == nil || text != bare && !r.line.MatchString(bare) && !strings.Contains(r.line.String(), "'") {
			continue
		}
		return string(r.line.ExpandString(nil, r.propose, text, m))
	}
	return ""
}

// withoutStrings blanks the contents of string literals in double quotes and backquotes and drops comments.
func withoutStrings(line string) string {
	b := []byte(line)
	var quote byte
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quote == 0 && (c == '"' || c == '`'):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case quote == '"' && c == '\\' && i+1 < len(b):
			b[i], b[i+1] = '_', '_'
			i++
		case quote != 0:
			b[i] = '_'
		case c == '/' && i+1 < len(b) && b[i+1] == '/':
			return string(b[:i])
		}
	}
	return string(b)
}
