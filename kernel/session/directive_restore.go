package session

import (
	"fmt"
	"strings"

	"example.org/godp/kernel/cell"
)

// PastCell is a cell that has succeeded in a worker that has died.
type PastCell struct {
	N    int
	Code string
}

// SetPast says which cells %restore can replay, oldest first.
func (s *Session) SetPast(cells []PastCell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = cells
}

// restore is %restore. It replays the declarations of the cells that succeeded in the process before: imports, types, constants,
// functions, and variables whose initial value is only computed. Nothing that may draw noise, spend a privacy budget, read a file or
// take long is done without being asked for: variables whose initial value needs a call of something else, or
// was computed from a variable that has changed, and all statements, are listed. "%restore all" runs all of the cells again.
func (s *Session) restore(x *call) Outcome {
	if x.arg != "" && x.arg != "all" {
		return x.fail(fmt.Errorf("%%restore takes no argument but all, which runs the cells again; %q is neither", x.arg))
	}
	past := s.sinceReset()
	if len(past) == 0 {
		fmt.Fprintln(s.cfg.Stdout, "there is nothing to restore: this process has not taken the place of one that has died, or no cell had succeeded there")
		return Outcome{}
	}
	if x.arg == "all" {
		return s.restoreAll(x, past)
	}
	r := restoring{s: s, x: x, known: map[string]bool{}, changed: map[string]string{}}
	for _, c := range past {
		if err := r.cell(c); err != nil {
			return Outcome{Err: err}
		}
		if x.ctx.Err() != nil {
			return Outcome{Err: errInterrupted}
		}
	}
	r.report()
	return Outcome{}
}

// sinceReset are the past cells after the last %reset.
func (s *Session) sinceReset() []PastCell {
	past := s.past
	for i, c := range past {
		if mayHaveDirectives(c.Code) {
			for _, p := range s.parts(c.Code) {
				if p.name == "%reset" {
					past = s.past[i+1:]
				}
			}
		}
	}
	return past
}

// withoutRestore is a cell with its %restore blanked.
func (s *Session) withoutRestore(code string) string {
	if !mayHaveDirectives(code) {
		return code
	}
	lines := strings.Split(code, "\n")
	for _, p := range s.parts(code) {
		if p.name == "%restore" {
			lines[p.line-1] = ""
		}
	}
	return strings.Join(lines, "\n")
}

func (s *Session) restoreAll(x *call, past []PastCell) (out Outcome) {
	n := 0
	for _, c := range past {
		name, code := fmt.Sprintf("In[%d]", c.N), s.withoutRestore(c.Code)
		if strings.TrimSpace(code) == "" {
			continue
		}
		if out = s.cell(x.ctx, x.n, name, code, x.opt); out.Err != nil {
			fmt.Fprintf(s.cfg.Stderr, "%%restore all: %s failed; the cells after it were not run\n", name)
			return out
		}
		s.remember(name, code)
		n++
	}
	fmt.Fprintf(s.cfg.Stdout, "%d cells were run again\n", n)
	return Outcome{}
}

// restoring is a %restore under way.
type restoring struct {
	s       *Session
	x       *call
	count   map[string]int
	known   map[string]bool   // variables that are back
	changed map[string]string // variables that something which is not replayed may have changed: the cell of it
	skipped []string
}

var restoredKinds = []string{"import", "type", "const", "func", "var"}

func (r *restoring) skip(c PastCell, text, why string) {
	text = strings.TrimSpace(text)
	line, more, _ := strings.Cut(text, "\n")
	if runes := []rune(line); len(runes) > 70 {
		line = string(runes[:70]) + " …"
	} else if more != "" {
		line += " …"
	}
	if why != "" {
		line += "   (" + why + ")"
	}
	r.skipped = append(r.skipped, fmt.Sprintf("  In[%d]: %s", c.N, line))
}

// note keeps in mind what a piece that is not replayed may have changed.
func (r *restoring) note(c PastCell, p cell.Piece) {
	for _, name := range p.Changes {
		if name == "*" {
			r.noteAll(c)
		} else {
			r.changed[name] = fmt.Sprintf("In[%d]", c.N)
		}
	}
}

// noteAll is note for what may have changed any variable.
func (r *restoring) noteAll(c PastCell) {
	for name := range r.known {
		r.changed[name] = fmt.Sprintf("In[%d]", c.N)
	}
}

// cell replays the declarations of a cell.
func (r *restoring) cell(c PastCell) *Error {
	s, code := r.s, r.s.withoutRestore(c.Code)
	name := fmt.Sprintf("In[%d]", c.N)
	if mayHaveDirectives(code) {
		parts := s.parts(code)
		for _, p := range parts {
			if p.name != "" {
				text := lineAt(code, lineStart(code, p.line))
				r.skip(c, text, "")
				r.noteAll(c)
			}
		}
		code = blank(code, parts)
	}
	var keep []cell.Piece
	for _, p := range cell.Pieces(code) {
		text, why := code[p.From:p.To], ""
		switch {
		case p.Kind == "":
			r.skip(c, text, "")
			r.note(c, p)
			continue
		case p.Kind == "var":
			if why = p.Runs; why == "" {
				why = r.stale(p)
			}
		}
		if why != "" {
			r.skip(c, text, why)
			r.note(c, p)
			for _, n := range p.Names {
				delete(r.known, n)
			}
			continue
		}
		keep = append(keep, p)
		for _, n := range p.Names {
			if p.Kind == "var" {
				r.known[n] = true
				delete(r.changed, n)
			}
		}
	}
	for len(keep) > 0 {
		var ranges []part
		for _, p := range keep {
			ranges = append(ranges, part{from: p.From, to: p.To})
		}
		out := s.part(r.x.ctx, r.x.n, name, blank(code, ranges), code, Options{Silent: true}, nil)
		if out.Err == nil {
			r.done(c, code, keep)
			return nil
		}
		if r.x.ctx.Err() != nil {
			return errInterrupted
		}
		keep = r.without(c, code, name, keep, out.Err)
	}
	return nil
}

// stale says why a variable would have another value than it had.
func (r *restoring) stale(p cell.Piece) string {
	for _, n := range p.Reads {
		if by := r.changed[n]; r.known[n] && by != "" {
			return n + " may have been changed by " + by
		}
	}
	return ""
}

// without drops the pieces that an error is about, all of them where it is not known which.
func (r *restoring) without(c PastCell, code, name string, keep []cell.Piece, err *Error) (rest []cell.Piece) {
	bad := map[int]string{}
	for _, e := range err.compile {
		at := lineStart(code, e.Line) + e.Col - 1
		for i, p := range keep {
			if e.Cell == name && p.From <= at && at <= p.To && bad[i] == "" {
				bad[i] = e.Msg
			}
		}
	}
	for i, p := range keep {
		if why, ok := bad[i]; ok || len(bad) == 0 {
			if why == "" {
				why = err.Value
			}
			r.skip(c, code[p.From:p.To], why)
			r.note(c, p)
			for _, n := range p.Names {
				delete(r.known, n)
			}
			continue
		}
		rest = append(rest, p)
	}
	return rest
}

// done counts what is back, and remembers it for %save.
func (r *restoring) done(c PastCell, code string, keep []cell.Piece) {
	if r.count == nil {
		r.count = map[string]int{}
	}
	var text []string
	for _, p := range keep {
		r.count[p.Kind] += len(p.Names)
		text = append(text, code[p.From:p.To])
	}
	r.s.remember(fmt.Sprintf("In[%d]", c.N), strings.Join(text, "\n"))
}

func (r *restoring) report() {
	words := map[string]string{"import": "import", "type": "type", "const": "constant", "func": "function", "var": "variable"}
	var counts []string
	for _, k := range restoredKinds {
		switch n := r.count[k]; n {
		case 0:
		case 1:
			counts = append(counts, "1 "+words[k])
		default:
			counts = append(counts, fmt.Sprintf("%d %ss", n, words[k]))
		}
	}
	w := r.s.cfg.Stdout
	if len(counts) == 0 {
		counts = []string{"nothing"}
	}
	fmt.Fprintf(w, "restored: %s\n", strings.Join(counts, ", "))
	if len(r.skipped) == 0 {
		return
	}
	fmt.Fprintf(w, "not replayed:\n%s\n", strings.Join(r.skipped, "\n"))
	fmt.Fprintln(w, "Variables have the values of their declarations. Run these cells again, in this order, or all of them with %restore all.")
}

// lineStart is where a line begins, counted from 1.
func lineStart(code string, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(code[at:], '\n')
		if i < 0 {
			return len(code)
		}
		at += i + 1
	}
	return at
}
