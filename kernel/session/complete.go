package session

import (
	"go/scanner"
	"go/token"
	"strings"
)

// IsComplete says whether a cell can be run as it stands: complete, incomplete (with the indent of the next line),
// or invalid.
func (s *Session) IsComplete(code string) (status, indent string) {
	if mayHaveDirectives(code) {
		var text bool
		if code, text = s.withoutDirectives(code); text && !strings.HasSuffix(code, "\n") {
			return "incomplete", "" // a blank line ends what is not Go
		}
	}
	fs := token.NewFileSet()
	f := fs.AddFile("", -1, len(code))
	var sc scanner.Scanner
	bad, open := false, false
	sc.Init(f, []byte(code), func(_ token.Position, msg string) {
		if strings.Contains(msg, "not terminated") && (strings.Contains(msg, "raw string") || strings.Contains(msg, "comment")) {
			open = true
			return
		}
		bad = true
	}, 0)
	var stack []token.Token
	last := token.ILLEGAL
	var end token.Position // of the last token
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		if tok != token.SEMICOLON || lit == ";" {
			end = f.Position(pos)
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			stack = append(stack, tok)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			want := map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK, token.RBRACE: token.LBRACE}[tok]
			if len(stack) == 0 || stack[len(stack)-1] != want {
				return "invalid", ""
			}
			stack = stack[:len(stack)-1]
		}
		if tok != token.SEMICOLON || lit == ";" {
			last = tok
		}
	}
	switch {
	case bad:
		return "invalid", ""
	case open:
		return "incomplete", ""
	case len(stack) > 0:
		// What is open is no excuse for an error before the last token: more lines cannot mend that.
		if errs := s.syntax.Syntax(code); len(errs) > 0 && (errs[0].Line < end.Line || errs[0].Line == end.Line && errs[0].Col <= end.Column) &&
			!strings.Contains(errs[0].Msg, "'EOF'") {
			return "invalid", ""
		}
		n := 0
		for _, t := range stack {
			if t == token.LBRACE || t == token.LPAREN {
				n++
			}
		}
		return "incomplete", strings.Repeat("\t", n)
	case last.IsOperator() && last != token.RPAREN && last != token.RBRACK && last != token.RBRACE && last != token.INC && last != token.DEC && last != token.SEMICOLON && last != token.ELLIPSIS,
		last == token.FUNC, last == token.TYPE, last == token.VAR, last == token.CONST, last == token.IMPORT:
		return "incomplete", ""
	}
	if errs := s.syntax.Syntax(code); len(errs) > 0 {
		return "invalid", ""
	}
	return "complete", ""
}
