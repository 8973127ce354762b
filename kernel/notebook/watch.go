package notebook

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"example.org/godp/kernel/cell"
)

// FirstToRun compares a notebook with the one that has run before it in the same session, and tells from which cell on (an index into now.Cells)
// it must run so that it shows what a new session would show. It is 0, with the reason, where only a new session does.
//
// The cells before the first changed one are not run again, so what ran after them the last time must have left no trace in them: it
// may not have changed a variable of theirs, redeclared one of their names, started a goroutine or used a directive; and the new cells may not
// use a name that only the old ones declared. What a statement may change is read from its text, generously: a call may change its arguments and
// its receiver, and a call of a function of the notebook anything. Functions of the packages in pure leave their arguments alone.
func FirstToRun(before, now *Notebook, pure map[string]bool) (first int, why string) {
	old, new := runnable(before), runnable(now)
	same := 0
	for same < len(old) && same < len(new) && old[same].Source == new[same].Source {
		same++
	}
	if same == len(new) && same == len(old) {
		return len(now.Cells), ""
	}
	if same == 0 {
		return 0, ""
	}
	own := ownNames(old) // functions, methods and fields of the notebook: what they do is not looked at
	kept, vars := map[string]bool{}, false
	for _, c := range old[:same] {
		if hasDirective(c.Source) {
			continue // what it has done stays done
		}
		for _, p := range cell.Pieces(c.Source) {
			for _, n := range p.Names {
				kept[n] = true
			}
			vars = vars || p.Kind == "var"
		}
	}
	gone, shares := map[string]bool{}, map[string][]string{}
	for _, c := range old[same:] {
		if hasDirective(c.Source) {
			return 0, "a cell with a directive ran after the first changed cell"
		}
		if uses(c.Source)["go"] {
			return 0, "a cell after the first changed one has started a goroutine"
		}
		for _, p := range cell.PiecesPure(c.Source, pure) {
			for _, n := range p.Names {
				if kept[n] && n != "_" && p.Kind != "import" {
					return 0, n + " was declared again after the first changed cell"
				}
				gone[n] = true
			}
			for name, from := range p.Aliases {
				shares[name] = append(shares[name], from...)
			}
			for _, n := range p.Mentions {
				if own[n] && vars {
					return 0, n + ", which was called after the first changed cell, may have changed a variable from before it"
				}
			}
			for _, n := range p.Changes {
				switch {
				case n == "*" && vars:
					return 0, "a call after the first changed cell may have changed a variable from before it"
				case kept[n]:
					return 0, n + " may have been changed after the first changed cell"
				}
			}
			for _, n := range p.Mutates {
				if by := reaches(n, shares, kept, map[string]bool{}); by != "" {
					return 0, by + " may have been changed, through " + n + ", after the first changed cell"
				}
			}
		}
	}
	for _, c := range new[same:] {
		if hasDirective(c.Source) {
			return 0, "a directive stands after the first changed cell"
		}
		for _, p := range cell.Pieces(c.Source) {
			for _, n := range p.Names {
				delete(gone, n)
			}
		}
		for n := range uses(c.Source) {
			if gone[n] {
				return 0, n + " is declared no more"
			}
		}
	}
	if same == len(new) { // cells were only taken away
		return len(now.Cells), ""
	}
	return slices.Index(now.Cells, new[same]), ""
}

// Keep takes over the outputs of the cells before index first from the notebook that ran before.
func (nb *Notebook) Keep(before *Notebook, first int) {
	old := runnable(before)
	for _, c := range nb.Cells[:first] {
		if j := slices.Index(runnable(nb), c); j >= 0 && j < len(old) {
			c.Count, c.Outputs = old[j].Count, old[j].Outputs
		}
	}
}

// reaches is a kept variable that may share memory with a name.
func reaches(name string, shares map[string][]string, kept, seen map[string]bool) string {
	if seen[name] {
		return ""
	}
	seen[name] = true
	for _, from := range shares[name] {
		if kept[from] {
			return from
		}
		if by := reaches(from, shares, kept, seen); by != "" {
			return by
		}
	}
	return ""
}

// ownNames are the names of functions and methods that cells declare, and all words in their types: a field may be a function.
func ownNames(cells []*Cell) map[string]bool {
	own := map[string]bool{}
	for _, c := range cells {
		if hasDirective(c.Source) {
			continue
		}
		for _, p := range cell.Pieces(c.Source) {
			switch p.Kind {
			case "func":
				for _, n := range p.Names {
					own[n[strings.LastIndexByte(n, '.')+1:]] = true
				}
			case "type":
				if text := c.Source[p.From:p.To]; strings.Contains(text, "func") || strings.Contains(text, "interface") {
					for n := range uses(text) {
						own[n] = true
					}
				}
			}
		}
	}
	return own
}

// runnable are the cells that Run runs.
func runnable(nb *Notebook) []*Cell {
	var cells []*Cell
	for _, c := range nb.Cells {
		if c.Type == "code" && !c.HasTag("skip-execution") && !isBlank(c.Source) {
			cells = append(cells, c)
		}
	}
	return cells
}

// hasDirective reports whether a line of a cell begins as a directive does.
func hasDirective(code string) bool {
	for line := range strings.Lines(code) {
		if t := strings.TrimSpace(line); t != "" && (t[0] == '%' || t[0] == '!') {
			return true
		}
	}
	return false
}

// uses are the names and keywords in a text.
func uses(code string) map[string]bool {
	words := map[string]bool{}
	file := token.NewFileSet().AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(token.Position, string) {}, 0)
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return words
		case tok == token.IDENT || tok.IsKeyword():
			words[lit] = true
		}
	}
}
