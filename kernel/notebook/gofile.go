package notebook

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// A line of one of these forms starts a new cell. The first is the percent format of Jupytext and editors, with an
// optional title, [markdown] and tags=["…"].
var (
	percent    = regexp.MustCompile(`^//\s*%%(?:\s+(.*?))?\s*$`)
	dashes     = regexp.MustCompile(`^---\s*$`)
	packageRow = regexp.MustCompile(`(?m)^package[ \t]+\w+[ \t]*;?[ \t]*(//.*)?$`)
	mainRow    = regexp.MustCompile(`(?m)^func[ \t]+main[ \t]*\([ \t]*\)`)
	otherText  = regexp.MustCompile(`^\s*%%(bash|writefile)\b`) // a cell that is not Go
	tagList    = regexp.MustCompile(`tags=(\[[^\]]*\])`)
)

// ParseGo makes a notebook of a Go file. Cells are separated by lines "// %%" or "---"; without any the file is one
// cell. In a file that has lines "// %%" a cell that begins with %%bash or %%writefile may hold lines "---". "// %% [markdown]" starts a cell of text, written as comments. The separators stay out of the cells. A file
// that is an ordinary program (package main with a func main) is run as one: its package clause is blanked, and
// main is called at the end.
func ParseGo(src string) *Notebook {
	src = strings.ReplaceAll(strings.TrimPrefix(src, "\ufeff"), "\r\n", "\n")
	src, _ = strings.CutSuffix(src, "\n")
	isProgram := packageRow.MatchString(src) && mainRow.MatchString(src)
	nb := &Notebook{fields: map[string]json.RawMessage{
		"nbformat":       json.RawMessage("4"),
		"nbformat_minor": json.RawMessage("5"),
		"metadata": json.RawMessage(`{"kernelspec": {"display_name": "Go (godp)", "language": "go", "name": "godp"},` +
			` "language_info": {"file_extension": ".go", "mimetype": "text/x-go", "name": "go"}}`),
	}}
	cell := newCell("code", "")
	var text []string
	any := false
	end := func() {
		s := strings.Join(text, "\n")
		if cell.Type == "markdown" {
			s = uncomment(s)
		}
		// The blank first cell before the first separator is no cell.
		if any && strings.TrimSpace(s) == "" && len(nb.Cells) == 0 && cell.tags == nil {
			return
		}
		cell.Source = strings.TrimRight(s, "\n")
		nb.Cells = append(nb.Cells, cell)
	}
	lines := strings.Split(src, "\n")
	percents := slices.ContainsFunc(lines, percent.MatchString)
	for _, line := range lines {
		m := percent.FindStringSubmatch(line)
		if m == nil && (!dashes.MatchString(line) || percents && otherText.MatchString(strings.Join(text, "\n"))) {
			text = append(text, line)
			continue
		}
		any = true
		end()
		kind, head := "code", ""
		if m != nil {
			head = m[1]
		}
		if strings.Contains(head, "[markdown]") || strings.Contains(head, "[md]") {
			kind = "markdown"
		}
		cell, text = newCell(kind, head), nil
	}
	end()
	for _, c := range nb.Cells {
		if c.Type == "code" {
			c.Source = packageRow.ReplaceAllString(c.Source, "")
		}
	}
	if isProgram {
		last := nb.Cells[len(nb.Cells)-1]
		last.Source += "\nmain()"
	}
	return nb
}

func newCell(kind, head string) *Cell {
	c := &Cell{Type: kind, fields: map[string]json.RawMessage{}}
	meta := map[string]any{}
	if m := tagList.FindStringSubmatch(head); m != nil && json.Unmarshal([]byte(m[1]), &c.tags) == nil {
		meta["tags"] = c.tags
	}
	c.fields["metadata"], _ = json.Marshal(meta)
	c.fields["id"], _ = json.Marshal(newID())
	return c
}

// uncomment turns comment lines into text.
func uncomment(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		t := strings.TrimPrefix(line, "//")
		if t != line {
			t = strings.TrimPrefix(t, " ")
		}
		out = append(out, t)
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}
