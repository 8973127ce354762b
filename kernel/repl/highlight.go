package repl

import (
	"go/scanner"
	"go/token"
	"strings"
)

// Colours of the input and of errors.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	blue   = "\x1b[34m"
	violet = "\x1b[35m"
	cyan   = "\x1b[36m"
	grey   = "\x1b[90m"
	reset  = "\x1b[0m"
)

// predeclared types, constants and functions, which Go's scanner takes for names.
var predeclared = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string
		uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag len make max min new panic print println real recover`) {
		predeclared[name] = true
	}
}

// highlight colours a cell. Its characters stay as they are.
func highlight(code string) string {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(token.Position, string) {}, scanner.ScanComments)
	var b strings.Builder
	at := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		from := file.Offset(pos)
		if tok == token.SEMICOLON && lit == "\n" || from < at {
			continue
		}
		text := lit
		if text == "" {
			text = tok.String()
		}
		to := min(from+len(text), len(code))
		colour := ""
		switch {
		case tok == token.COMMENT:
			colour = grey
		case tok == token.STRING || tok == token.CHAR:
			colour = green
		case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
			colour = cyan
		case tok.IsKeyword():
			colour = violet
		case tok == token.IDENT && predeclared[lit]:
			colour = blue
		case (tok == token.REM || tok == token.NOT) && startsLine(code, from): // a directive
			colour = violet
			if end := strings.IndexAny(code[from:], " \n"); tok == token.REM && end > 0 {
				to = from + end
			} else if tok == token.REM {
				to = len(code)
			}
		}
		b.WriteString(code[at:from])
		if colour == "" {
			b.WriteString(code[from:to])
		} else {
			// Each line is coloured for itself: the editor puts prompts between them.
			b.WriteString(colour + strings.ReplaceAll(code[from:to], "\n", reset+"\n"+colour) + reset)
		}
		at = to
	}
	b.WriteString(code[at:])
	return b.String()
}

func startsLine(code string, i int) bool {
	return strings.TrimSpace(code[strings.LastIndexByte(code[:i], '\n')+1:i]) == ""
}
