package cell

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
)

// source is one cell's text and the files made of it.
type source struct {
	n       int
	name    string // In[3]
	text    string
	whole   bool // starts with a package clause: a program, not a cell
	imports []*ast.ImportSpec
	decls   []ast.Decl // types, functions, methods, constants, one declaration each
	stmts   []ast.Stmt // everything else, in order
	end     token.Pos
	files   []*token.File
	locals  map[string]*types.Var // what an expression typed into the debugger sees of a stopped call
}

// prefixes that make a parsable file of a part of a cell; positions are shifted back by their length.
const (
	declPrefix = "package main;"
	stmtPrefix = "package main;func _(){"
)

type chunk struct {
	from, to int
	decl     bool
}

// chunks cuts a cell at the semicolons of its top level and says which pieces are declarations that any order fits
// (import, type, const, func). Text that does not scan is one statement; the parser will say what is wrong with it.
func chunks(src string) []chunk {
	fs := token.NewFileSet()
	file := fs.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, 0)
	var out []chunk
	depth, start := 0, -1
	header := false // in the header of a statement that may have semicolons
	var first, second token.Token
	count := 0
	end := func(to int) {
		if start < 0 {
			return
		}
		c := chunk{from: start, to: to}
		switch first {
		case token.IMPORT, token.TYPE, token.CONST:
			c.decl = true
		case token.FUNC:
			if second == token.IDENT {
				c.decl = true
			} else if second == token.LPAREN {
				c.decl = isMethod(src[start:to])
			}
		}
		out = append(out, c)
		start = -1
	}
	for {
		pos, tok, lit := s.Scan()
		off := file.Offset(pos)
		if tok == token.EOF {
			end(len(src))
			return out
		}
		if start < 0 {
			if tok == token.SEMICOLON {
				if lit == ";" { // between the parts of a for clause, or for nothing
					out = append(out, chunk{from: off, to: off + 1})
				}
				continue
			}
			start, first, second, count = off, tok, token.ILLEGAL, 0
			header = tok == token.FOR || tok == token.IF || tok == token.SWITCH
		} else {
			count++
			if count == 1 {
				second = tok
			}
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if tok == token.LBRACE && depth == 0 {
				header = false
			}
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth = max(0, depth-1)
		case token.SEMICOLON:
			if depth == 0 && !(header && lit == ";") {
				end(off)
			}
		}
	}
}

// parts is a text twice: with all but its declarations blanked, and with these blanked. Lines stay where they are.
func parts(text string) (decls, stmts string) {
	d, s := []byte(text), []byte(text)
	for _, c := range chunks(text) {
		b := d
		if c.decl {
			b = s
		}
		for i := c.from; i < c.to; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
		if c.to < len(b) && b[c.to] == ';' {
			b[c.to] = ' '
		}
	}
	return string(d), string(s)
}

// isMethod tells func (t T) M( from the literal func(t T) R {.
func isMethod(text string) (method bool) {
	depth, after := 0, -1 // after is how many tokens there were behind the receiver
	scan(text, func(_, _ int, tok token.Token, _ string) bool {
		switch {
		case tok == token.COMMENT:
		case after == 0:
			after++
			return tok == token.IDENT
		case after == 1:
			method = tok == token.LPAREN
			return false
		case tok == token.LPAREN:
			depth++
		case tok == token.RPAREN:
			if depth--; depth == 0 {
				after = 0
			}
		}
		return true
	})
	return method
}

// parse splits and parses a cell.
func parseCell(fset *token.FileSet, n int, name, text string) (*source, scanner.ErrorList) {
	src := &source{n: n, name: name, text: text}
	text = strings.ReplaceAll(text, "\r\n", " \n")
	body := []byte(text)
	if rest, ok := packageClause(text); ok {
		src.whole = true
		for i := range len(text) - len(rest) {
			if body[i] != '\n' {
				body[i] = ' '
			}
		}
		text = string(body)
	}
	var errs scanner.ErrorList
	parse := func(prefix, body, suffix string) *ast.File {
		f, err := parser.ParseFile(fset, name, prefix+body+suffix, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
		if f != nil {
			tf := fset.File(f.FileStart)
			src.files = append(src.files, tf)
		}
		if list, ok := err.(scanner.ErrorList); ok {
			for _, e := range list {
				e.Pos = shift(e.Pos, len(prefix), text)
				errs = append(errs, e)
			}
		}
		return f
	}
	decls, stmts := parts(text)
	df := parse(declPrefix, decls, "\n")
	sf := parse(stmtPrefix, stmts, "\n}")
	if len(errs) > 0 {
		return src, errs
	}
	for _, d := range df.Decls {
		g, ok := d.(*ast.GenDecl)
		switch {
		case ok && g.Tok == token.IMPORT:
			for _, s := range g.Specs {
				src.imports = append(src.imports, s.(*ast.ImportSpec))
			}
		case ok && g.Tok == token.TYPE:
			for _, s := range g.Specs {
				doc := g.Doc
				ts := s.(*ast.TypeSpec)
				if ts.Doc == nil {
					ts.Doc = doc
				}
				src.decls = append(src.decls, &ast.GenDecl{TokPos: g.TokPos, Tok: token.TYPE, Specs: []ast.Spec{s}})
			}
		default:
			src.decls = append(src.decls, d)
		}
	}
	if fd, ok := sf.Decls[0].(*ast.FuncDecl); ok && len(sf.Decls) == 1 && fd.Body != nil {
		src.stmts = fd.Body.List
		src.end = fd.Body.Rbrace
	} else if len(sf.Decls) > 1 {
		p := fset.Position(sf.Decls[1].Pos())
		errs.Add(shift(p, len(stmtPrefix), text), "unexpected }")
	}
	return src, errs
}

// packageClause reports whether text starts with one and returns what follows.
func packageClause(text string) (string, bool) {
	fs := token.NewFileSet()
	file := fs.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	if _, tok, _ := s.Scan(); tok != token.PACKAGE {
		return text, false
	}
	if _, tok, _ := s.Scan(); tok != token.IDENT {
		return text, false
	}
	p, tok, _ := s.Scan()
	if tok != token.SEMICOLON && tok != token.EOF {
		return text, false
	}
	return text[min(file.Offset(p), len(text)):], true
}

// shift turns a position in a prefixed file into one in the cell.
func shift(p token.Position, prefix int, text string) token.Position {
	off := min(max(p.Offset-prefix, 0), len(text))
	p.Offset = off
	p.Line = 1 + strings.Count(text[:off], "\n")
	p.Column = off - strings.LastIndexByte(text[:off], '\n')
	return p
}

// Syntax parses a cell without checking it.
func (c *Compiler) Syntax(text string) ErrorList {
	src, errs := parseCell(token.NewFileSet(), 0, "cell", text)
	if len(errs) > 0 {
		return c.syntaxErrors(src, errs)
	}
	return nil
}
