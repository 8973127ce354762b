package repl

import (
	"fmt"
	"io"
	"strings"

	// A line editor that knows cells of several lines, colours, pasted text and menus of completions; in pure Go, with releases every
	// few months. Of the others, chzyer/readline and c-bata/go-prompt are no longer looked after, peterh/liner edits one line
	// only, and bubbletea is a framework for whole screens.
	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
)

// lineEditor edits cells on a terminal.
type lineEditor struct {
	r  *repl
	rl *readline.Shell
	n  int
}

// past is the history as the line editor wants it: oldest first.
type past struct {
	cells []string
}

// pastSize is how many cells of the history the arrow keys and the search reach.
const pastSize = 2000

func newPast(r *repl) *past {
	p := &past{}
	for _, e := range r.cfg.History.Search("*", pastSize, true) {
		p.cells = append(p.cells, e.Input)
	}
	return p
}

// Write implements readline.History. The REPL itself puts cells into the history file.
func (p *past) Write(cell string) (int, error) {
	if cell = strings.TrimRight(cell, "\n "); strings.TrimSpace(cell) != "" && (len(p.cells) == 0 || p.cells[len(p.cells)-1] != cell) {
		p.cells = append(p.cells, cell)
	}
	return len(p.cells), nil
}

// GetLine implements readline.History.
func (p *past) GetLine(i int) (string, error) {
	if i < 0 || i >= len(p.cells) {
		return "", fmt.Errorf("there is no cell %d in the history", i)
	}
	return p.cells[i], nil
}

// Len implements readline.History.
func (p *past) Len() int { return len(p.cells) }

// Dump implements readline.History.
func (p *past) Dump() any { return p.cells }

func newLineEditor(r *repl) *lineEditor {
	e := &lineEditor{r: r, rl: readline.NewShell(inputrc.WithApp("godp"))}
	e.rl.Prompt.Primary(func() string { return e.prompt(fmt.Sprintf("In [%d]: ", e.n)) })
	e.rl.AcceptMultiline = e.accept
	e.rl.Completer = e.complete
	if r.cfg.Colour {
		e.rl.SyntaxHighlighter = func(line []rune) string { return highlight(string(line)) }
	}
	// Tabs move by columns that the editor does not count.
	e.rl.PasteTransformer = func(text string) string { return strings.ReplaceAll(text, "\t", indent) }
	// The prompt is at the left edge, so the terminal need not be asked where it is; keys typed while it answers could be lost.
	e.rl.Config.Set("cursor-position-probe", false)
	// Tab completes what all candidates have in common and lists them; more of it goes through the list.
	e.rl.Config.Set("menu-complete-display-prefix", true)
	for _, keymap := range []string{"emacs", "emacs-standard", "vi-insert"} {
		e.rl.Config.Bind(keymap, "\t", "menu-complete", false)
	}
	e.rl.History.Delete()
	e.rl.History.Add("cells", newPast(r))
	return e
}

const indent = "    "

func (e *lineEditor) prompt(text string) string {
	if !e.r.cfg.Colour {
		return text
	}
	return green + text + reset
}

func (e *lineEditor) read(n int) (string, error) {
	e.n = n
	code, err := e.rl.Readline()
	switch err {
	case nil:
		return strings.TrimRight(code, " \n"), nil
	case readline.ErrInterrupt:
		return "", errInterrupt
	case io.EOF:
		return "", io.EOF
	}
	return "", err
}

// accept reports whether the cell is to be run, or goes on on the next line, which is then indented.
func (e *lineEditor) accept(line []rune) bool {
	e.outdent()
	code := string(*e.rl.Line())
	status, more := e.r.k.IsComplete(code)
	if status != "incomplete" {
		return true
	}
	if strings.HasSuffix(code, "\n") && strings.TrimSpace(code[strings.LastIndexByte(strings.TrimRight(code, " \n"), '\n')+1:]) == "" {
		return true // nothing but blank lines were added: show what is wrong
	}
	e.rl.Keys.Feed(true, []rune(strings.Repeat(indent, len(more)))...)
	return false
}

// outdent moves a line that begins with closing brackets, and on which the cursor stands, to where what they close begins.
func (e *lineEditor) outdent() {
	line, cursor := e.rl.Line(), e.rl.Cursor()
	text := []rune(*line)
	start := cursor.Pos()
	for start > 0 && text[start-1] != '\n' {
		start--
	}
	first := start
	for first < len(text) && text[first] == ' ' {
		first++
	}
	closing := 0
	for first+closing < len(text) && strings.ContainsRune("})", text[first+closing]) {
		closing++
	}
	if closing == 0 || start == 0 || cursor.Pos() < first {
		return
	}
	status, open := e.r.k.IsComplete(string(text[:start]))
	want := (len(open) - closing) * len(indent)
	if status != "incomplete" || want < 0 || want >= first-start {
		return
	}
	at := cursor.Pos()
	line.Cut(start, first-want)
	cursor.Set(at - (first - start - want))
	e.rl.Display.Refresh()
}

// complete asks the session.
func (e *lineEditor) complete(line []rune, cursor int) readline.Completions {
	code, at := string(line), len(string(line[:cursor]))
	// At the start of a line the key indents.
	if strings.TrimSpace(code[strings.LastIndexByte(code[:at], '\n')+1:at]) == "" {
		e.rl.Keys.Feed(true, []rune(indent)...)
		return readline.Completions{}
	}
	reply := e.r.k.Complete(code, at)
	if reply == nil || reply.Start > at {
		return readline.Completions{}
	}
	// The editor completes from the last blank on.
	word := strings.LastIndexAny(code[:at], " \n") + 1
	before := code[min(word, reply.Start):reply.Start]
	var list []readline.Completion
	for _, m := range reply.Matches {
		about := m.Signature
		if about == "" {
			about = m.Type
		}
		list = append(list, readline.Completion{Value: before + m.Text, Display: m.Text, Description: about})
	}
	c := readline.CompleteRaw(list).NoSpace('*').NoSort()
	c.PREFIX = code[word:at]
	return c
}
