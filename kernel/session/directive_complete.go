package session

import "strings"

// completeDirective completes the name of a directive at the start of a line.
func (s *Session) completeDirective(code string, cursor int) (c Completion, ok bool) {
	start := strings.LastIndexByte(code[:cursor], '\n') + 1
	line := code[start:cursor]
	typed := strings.TrimLeft(line, " \t")
	start += len(line) - len(typed)
	if c, ok := s.completeLimit(typed, cursor); ok {
		return c, true
	}
	if !strings.HasPrefix(typed, "%") || directiveName(typed) != len(typed) {
		return c, false
	}
	parts := s.parts(code[:cursor])
	for len(parts) > 0 && len(parts[len(parts)-1].inner) > 0 {
		parts = parts[len(parts)-1].inner
	}
	if len(parts) == 0 || parts[len(parts)-1].name != typed { // inside a string, or after an operator
		return c, false
	}
	first := strings.TrimSpace(code[:start]) == ""
	c.Start, c.End = start, cursor
	for _, d := range directives {
		if strings.HasPrefix(d.name, typed) && d.available(s) && (first || !d.cell) {
			c.Matches = append(c.Matches, Match{d.name, "magic", d.args})
		}
	}
	return c, true
}

// directiveAt is the directive in whose name the cursor stands.
func directiveAt(code string, cursor int) *directive {
	start := strings.LastIndexByte(code[:cursor], '\n') + 1
	line := lineAt(code, start)
	typed := strings.TrimLeft(line, " \t")
	start += len(line) - len(typed)
	if j := directiveName(typed); cursor <= start+j {
		return findDirective(typed[:j])
	}
	return nil
}
