package session

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// part is a stretch of Go in a cell, or a directive.
type part struct {
	*directive        // nil for Go, and for a directive that there is not
	name       string // "" for Go
	arg        string // what follows the name
	line, col  int    // of the directive, from 1
	first      bool   // the directive is the first line of the cell that is not blank
	from, to   int    // the bytes that are Go
	body       string // the rest of the cell, for a directive of the cell
	inner      []part // the parts of it, where it is Go
}

// mayHaveDirectives looks for a line that starts as a directive does, which next to no cell of plain Go has.
func mayHaveDirectives(code string) bool {
	for i := 0; i >= 0 && i < len(code); {
		for i < len(code) && (code[i] == ' ' || code[i] == '\t' || code[i] == '\r') {
			i++
		}
		if i < len(code) && (code[i] == '%' || code[i] == '!') {
			return true
		}
		j := strings.IndexByte(code[i:], '\n')
		if j < 0 {
			return false
		}
		i += j + 1
	}
	return false
}

// parts divides a cell into Go and directives.
func (s *Session) parts(code string) []part {
	return (&divider{code: code, declared: func(name string) bool { return s.scope.Load().Has(name) }, auto: s.cfg.AutoImport, seen: map[string]bool{}}).divide(0, true)
}

type divider struct {
	code     string
	declared func(name string) bool
	auto     map[string]string
	seen     map[string]bool // identifiers of the cell so far
}

func (d *divider) divide(at int, first bool) (parts []part) {
	for at < len(d.code) {
		i := d.next(at)
		if strings.TrimSpace(d.code[at:i]) != "" {
			parts = append(parts, part{from: at, to: i})
			first = false
		}
		if i == len(d.code) {
			break
		}
		p, end := d.directive(i)
		p.first, first = first, false
		at = end
		if p.directive != nil && p.directive.cell && p.first {
			p.body = d.code[end:]
			if !p.directive.text {
				p.inner = d.divide(end, false)
			}
			at = len(d.code)
		}
		parts = append(parts, p)
	}
	return parts
}

// next is where the next directive begins, from the start of a statement on; the end of the cell if there is none.
func (d *divider) next(at int) int {
	src := d.code[at:]
	file := token.NewFileSet().AddFile("", -1, len(src))
	var sc scanner.Scanner
	sc.Init(file, []byte(src), func(token.Position, string) {}, 0)
	depth, begins := 0, true
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			return len(d.code)
		}
		i := at + file.Offset(pos)
		if begins && depth == 0 && i < len(d.code) && startsLine(d.code, i) && (d.code[i] == '%' || d.code[i] == '!' && !d.isGo(i)) {
			return i
		}
		begins = tok == token.SEMICOLON || begins && tok == token.COMMENT
		switch tok {
		case token.IDENT:
			d.seen[lit] = true
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth = max(0, depth-1)
		}
	}
}

func startsLine(code string, i int) bool {
	return strings.TrimLeft(code[strings.LastIndexByte(code[:i], '\n')+1:i], " \t") == ""
}

// isGo reports whether the ! at i is Go's: its operand begins with a name that is known.
func (d *divider) isGo(i int) bool {
	line := lineAt(d.code, i+1)
	if line == "" || line[0] == ' ' || line[0] == '\t' {
		return false
	}
	line = strings.TrimLeft(line, "!(")
	j := 0
	for j < len(line) && (isLetter(line[j]) || j > 0 && line[j] >= '0' && line[j] <= '9') {
		j++
	}
	name, rest := line[:j], line[j:]
	known := d.seen[name] || name == "true" || name == "false" || d.declared(name)
	if !known && d.auto[name] != "" {
		known = strings.HasPrefix(rest, ".")
	}
	if !known {
		return false
	}
	_, err := parser.ParseExpr(lineAt(d.code, i))
	return err == nil || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "[")
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// lineAt is the rest of the line from i on.
func lineAt(code string, i int) string {
	line, _, _ := strings.Cut(code[i:], "\n")
	return strings.TrimRight(line, "\r")
}

// directive reads the one at i and tells where the next line begins.
func (d *divider) directive(i int) (p part, end int) {
	p = part{line: 1 + strings.Count(d.code[:i], "\n"), col: i - strings.LastIndexByte(d.code[:i], '\n')}
	after := func(to int) int { return min(to+1, len(d.code)) }
	if d.code[i] == '!' {
		end = i
		for { // a backslash at the end of a line continues the command
			line := lineAt(d.code, end)
			end += len(line)
			if strings.HasPrefix(d.code[end:], "\r") {
				end++
			}
			if !strings.HasSuffix(line, "\\") || end == len(d.code) {
				break
			}
			end++
		}
		p.name, p.arg = "!", strings.TrimSpace(strings.ReplaceAll(d.code[i+1:end], "\r\n", "\n"))
		p.directive = findDirective("!")
		return p, after(end)
	}
	line := lineAt(d.code, i)
	j := directiveName(line)
	p.name, p.arg, end = line[:j], strings.TrimSpace(line[j:]), i+len(line)
	if strings.HasPrefix(d.code[end:], "\r") {
		end++
	}
	p.directive = findDirective(p.name)
	if p.directive != nil && p.directive.code && p.arg != "" {
		p.from = i + j
		end = d.statementEnd(p.from)
		p.to, p.arg = end, strings.TrimSpace(d.code[p.from:end])
	}
	return p, after(end)
}

// directiveName is the length of the name with its % signs.
func directiveName(line string) int {
	j := len(line) - len(strings.TrimLeft(line, "%"))
	for j < len(line) && (isLetter(line[j]) || line[j] >= '0' && line[j] <= '9') {
		j++
	}
	return j
}

// statementEnd is the end of the line on which the statement that begins at i ends.
func (d *divider) statementEnd(i int) int {
	src := d.code[i:]
	file := token.NewFileSet().AddFile("", -1, len(src))
	var sc scanner.Scanner
	sc.Init(file, []byte(src), func(token.Position, string) {}, 0)
	depth := 0
	for {
		pos, tok, lit := sc.Scan()
		switch tok {
		case token.EOF:
			return len(d.code)
		case token.IDENT:
			d.seen[lit] = true
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth = max(0, depth-1)
		case token.SEMICOLON:
			if end := file.Offset(pos); lit == "\n" && depth == 0 {
				if j := strings.IndexByte(src[end:], '\n'); j >= 0 { // a comment may follow
					return i + end + j
				}
				return len(d.code)
			}
		}
	}
}

// only is the cell with all but some bytes blanked, so that lines and columns stay.
func only(code string, from, to int) string {
	return blank(code, []part{{from: from, to: to}})
}

// blank is the cell with all that is not Go blanked.
func blank(code string, parts []part) string {
	b := []byte(code)
	for i, c := range b {
		if c != '\n' {
			b[i] = ' '
		}
	}
	var keep func([]part)
	keep = func(parts []part) {
		for _, p := range parts {
			copy(b[p.from:p.to], code[p.from:p.to])
			keep(p.inner)
		}
	}
	keep(parts)
	return string(b)
}

// withoutDirectives is a cell's Go for completion and inspection; text tells that the cell is of another language.
func (s *Session) withoutDirectives(code string) (blanked string, text bool) {
	parts := s.parts(code)
	for _, p := range parts {
		text = text || p.directive != nil && p.directive.text && p.first
	}
	return blank(code, parts), text
}
