package cell

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"reflect"
	"sort"
	"strings"
	"sync"
)

// Error is one thing wrong with a cell.
type Error struct {
	Cell      string // In[3]
	Line, Col int
	Msg       string
	Excerpt   string // the line of the cell with a caret below
	Hint      string // how to mend it, where that is obvious
	Refused   bool   // legal Go that cells cannot run
}

func (e Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.Cell, e.Line, e.Col, e.Msg) }

// ErrorList holds all errors of a cell in order of position.
type ErrorList []Error

func (l ErrorList) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
		if e.Excerpt != "" {
			b.WriteString("\n" + e.Excerpt)
		}
		if e.Hint != "" {
			b.WriteString("\n    " + e.Hint)
		}
	}
	return b.String()
}

func (l ErrorList) tidy() ErrorList {
	sort.SliceStable(l, func(i, j int) bool {
		if l[i].Line != l[j].Line {
			return l[i].Line < l[j].Line
		}
		return l[i].Col < l[j].Col
	})
	var out ErrorList
	for _, e := range l {
		if n := len(out); n > 0 && out[n-1].Line == e.Line && out[n-1].Col == e.Col && out[n-1].Msg == e.Msg {
			continue
		}
		out = append(out, e)
	}
	return out
}

// An excerpt is at most this many columns wide: the caret of a longer line would stand elsewhere where the page wraps it.
const (
	excerptWidth = 100
	tabWidth     = 8 // the most that a tab is shown as
)

// Excerpt shows a line with a caret under the column (in bytes, counted from 1). Of a line that is too wide it shows the part around the
// column, with … for what is left out on either side.
func Excerpt(text string, line, col int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	l := strings.TrimRight(lines[line-1], "\r")
	col = min(max(col, 1), len(l)+1)
	before, after := []rune(l[:col-1]), []rune(l[col-1:])
	before, after = around(before, after)
	var pad strings.Builder
	for _, r := range before {
		if r == '\t' {
			pad.WriteByte('\t')
		} else {
			pad.WriteByte(' ')
		}
	}
	return "    " + string(before) + string(after) + "\n    " + pad.String() + "^"
}

// around cuts the two parts of a line so that they are excerptWidth columns wide together: each gets half, and what the other leaves over.
func around(before, after []rune) (b, a []rune) {
	width := func(r rune) int {
		if r == '\t' {
			return tabWidth
		}
		return 1
	}
	sum := func(rs []rune) (n int) {
		for _, r := range rs {
			n += width(r)
		}
		return n
	}
	wb, wa := sum(before), sum(after)
	if wb+wa <= excerptWidth {
		return before, after
	}
	const half = excerptWidth / 2
	roomB, roomA := max(half, excerptWidth-wa), max(half, excerptWidth-wb)
	if wb > roomB {
		i := 0
		for ; wb > roomB-1; i++ { // one column for …
			wb -= width(before[i])
		}
		before = append([]rune{'…'}, before[i:]...)
	}
	if wa > roomA {
		i := len(after)
		for ; wa > roomA-1; i-- {
			wa -= width(after[i-1])
		}
		after = append(after[:i:i], '…')
	}
	return before, after
}

func (c *Compiler) errorAt(pos token.Pos, msg string) Error {
	p := c.position(pos)
	return Error{Cell: p.Filename, Line: p.Line, Col: p.Column, Msg: c.clean(msg), Excerpt: Excerpt(c.Text(p.Filename), p.Line, p.Column)}
}

// clean takes the compiler's own names out of a message.
func (c *Compiler) clean(msg string) string {
	msg = strings.ReplaceAll(msg, prev, "")
	for {
		i := strings.Index(msg, "dup·")
		if i < 0 {
			return msg
		}
		j := strings.Index(msg[i+len("dup·"):], "·")
		if j < 0 {
			return msg
		}
		msg = msg[:i] + msg[i+len("dup·")+j+len("·"):]
	}
}

// syntaxErrors are the parser's, without those that only follow from others: like Go's own compiler it tells one of each
// line, and that the text ends too early only if nothing was wrong before.
func (c *Compiler) syntaxErrors(src *source, list scanner.ErrorList) ErrorList {
	var out ErrorList
	for _, e := range list {
		x := Error{Cell: src.name, Line: e.Pos.Line, Col: e.Pos.Column, Msg: "syntax error: " + e.Msg,
			Excerpt: Excerpt(src.text, e.Pos.Line, e.Pos.Column)}
		x.Hint = SuggestSyntax(e.Msg, lineOf(src.text, x.Line))
		out = append(out, x)
	}
	return firstOfLine(out.tidy(), func(line, col int) bool { return ends(src.text, line, col) }, func() string { return unclosed(src.text) })
}

func firstOfLine(list ErrorList, atEnd func(line, col int) bool, unclosed func() string) ErrorList {
	var out ErrorList
	for _, e := range list {
		n := len(out)
		switch {
		case n > 0 && (strings.Contains(e.Msg, "'EOF'") || atEnd(e.Line, e.Col)):
			continue
		case n > 0 && out[n-1].Line == e.Line:
			if out[n-1].Col == e.Col && strings.Contains(out[n-1].Msg, "'ILLEGAL'") { // the next one says what it is
				e.Hint = out[n-1].Hint
				out[n-1] = e
			}
			continue
		}
		if strings.Contains(e.Msg, "'EOF'") || strings.Contains(e.Msg, "before newline") && atEnd(e.Line, e.Col) {
			if u := unclosed(); u != "" {
				e.Hint = u
			}
		}
		out = append(out, e)
	}
	return out
}

// ends reports whether nothing follows a place of a text.
func ends(text string, line, col int) bool {
	lines := strings.SplitAfter(text, "\n")
	if line > len(lines) {
		return true
	}
	rest := lines[line-1][min(col-1, len(lines[line-1])):] + strings.Join(lines[line:], "")
	return strings.TrimSpace(rest) == ""
}

// unclosed says which bracket of a text is never closed.
func unclosed(text string) string {
	type open struct{ at, tok int }
	var stack []open
	closer := map[token.Token]string{token.LPAREN: ")", token.LBRACK: "]", token.LBRACE: "}"}
	scan(text, func(from, _ int, tok token.Token, _ string) bool {
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			stack = append(stack, open{from, int(tok)})
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
		return true
	})
	if len(stack) == 0 {
		return ""
	}
	o := stack[len(stack)-1]
	return fmt.Sprintf("the %c of line %d is not closed: a %s is missing", text[o.at], 1+strings.Count(text[:o.at], "\n"), closer[token.Token(o.tok)])
}

func (c *Compiler) typeError(e types.Error) Error {
	return c.errorAt(e.Pos, e.Msg)
}

// codes are the soft errors the checker treats apart. go/types keeps the code of an error in an unexported field and
// its values in an internal package, so they are learnt from small programs that have just that error.
var codes = sync.OnceValue(func() map[int64]string {
	out := map[int64]string{}
	for name, prog := range map[string]string{
		"UnusedVar":        "package p; func f() { x := 1 }",
		"UnusedExpr":       "package p; func f(x int) { x }",
		"InvalidInitCycle": "package p; var x = f(); func f() int { return x }",
		"UnusedImport":     "package p; import \"q\"",
		"UnusedLabel":      "package p; func f() { L: }",
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "", prog, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		conf := types.Config{Importer: empty{}, Error: func(err error) {
			if n := rawCode(err.(types.Error)); n != 0 {
				out[n] = name
			}
		}}
		_, _ = conf.Check("p", fset, []*ast.File{f}, nil)
	}
	return out
})

type empty struct{}

func (empty) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path)
	p.MarkComplete()
	return p, nil
}

func rawCode(e types.Error) int64 {
	f := reflect.ValueOf(e).FieldByName("go116code")
	if !f.IsValid() {
		return 0
	}
	return f.Int()
}

func errorCode(e types.Error) string { return codes()[rawCode(e)] }

func importMessage(path string, err error) string {
	if strings.Contains(err.Error(), "not available in cells") {
		return err.Error()
	}
	return fmt.Sprintf("package %s is not available in cells: %v", path, err)
}

// otherPath proposes packages whose path ends in what was asked for.
func (c *Compiler) otherPath(path string) string {
	var out []string
	for key := range c.cfg.Symbols {
		p := key[:max(strings.LastIndexByte(key, '/'), 0)]
		if strings.HasSuffix(p, "/"+path) && !strings.Contains(p, "internal/") {
			out = append(out, fmt.Sprintf("import %q", p))
		}
	}
	sort.Strings(out)
	if len(out) == 0 {
		if strings.Contains(path, ".") {
			return "cells have the standard library, gonum, its plots, dp and display; there is no package manager"
		}
		return ""
	}
	return "did you mean " + strings.Join(out, " or ") + "?"
}
