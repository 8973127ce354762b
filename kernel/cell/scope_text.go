package cell

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

func isIdentByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func identEnd(text string, i int) int {
	for i < len(text) && isIdentByte(text[i]) {
		i++
	}
	return i
}

// identAround finds the identifier that the cursor is in or at an end of. After an opening parenthesis it is the name
// of what is being called.
func identAround(text string, cursor int) (from, to int) {
	from = cursor
	for from > 0 && isIdentByte(text[from-1]) {
		from--
	}
	to = identEnd(text, cursor)
	if from < to && text[from] >= '0' && text[from] <= '9' { // a number
		return cursor, cursor
	}
	return from, to
}

// scan calls f for each token of the text with its offsets until f returns false.
func scan(text string, f func(from, to int, tok token.Token, lit string) bool) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		from := file.Offset(pos)
		to := from + len(lit)
		if lit == "" || tok.IsOperator() {
			to = from + len(tok.String())
		}
		if !f(from, to, tok, lit) {
			return
		}
	}
}

// inLiteral reports whether the cursor is inside a string, a character or a comment.
func inLiteral(text string, cursor int) (in bool) {
	scan(text, func(from, to int, tok token.Token, lit string) bool {
		if from >= cursor {
			return false
		}
		switch tok {
		case token.STRING, token.CHAR:
			closed := len(lit) > 1 && lit[len(lit)-1] == lit[0]
			in = cursor < to || cursor == to && !closed
		case token.COMMENT:
			in = cursor < to || cursor == to && strings.HasPrefix(lit, "//")
		}
		return !in
	})
	return in
}

// importPath reports whether the cursor is inside the quotes of an import, and what is there up to the cursor.
func importPath(text string, cursor int) (path string, from int, ok bool) {
	importing, depth := false, 0
	scan(text, func(a, b int, tok token.Token, lit string) bool {
		if a >= cursor {
			return false
		}
		switch tok {
		case token.IMPORT:
			importing, depth = true, 0
		case token.LPAREN:
			depth++
		case token.RPAREN:
			depth--
			importing = importing && depth > 0
		case token.SEMICOLON:
			importing = importing && depth > 0
		case token.STRING:
			closed := len(lit) > 1 && lit[len(lit)-1] == lit[0]
			if importing && (cursor < b || cursor == b && !closed) {
				path, from, ok = text[a+1:cursor], a+1, true
				return false
			}
		}
		return true
	})
	return path, from, ok
}

// closers are the brackets that would finish an unfinished text.
func closers(text string) string {
	var stack []string
	scan(text, func(_, _ int, tok token.Token, _ string) bool {
		switch tok {
		case token.LPAREN:
			stack = append(stack, ")")
		case token.LBRACK:
			stack = append(stack, "]")
		case token.LBRACE:
			stack = append(stack, "\n}")
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
		return true
	})
	slices.Reverse(stack)
	return strings.Join(stack, "")
}
