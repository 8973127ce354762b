package debug

import (
	"fmt"
	"strconv"
	"strings"
)

// Breakpoint stops before a line.
type Breakpoint struct {
	ID        int
	Line      int    // where it is, which may not be where it was asked for
	Verified  bool   // there is a statement on Line
	Condition string // a Go expression of type bool; "" always stops
	Hits      string // how often it must be met, see HitCondition; "" is every time
	Log       string // not stop but print this, with {expressions} filled in

	met  int
	need func(n int) bool
}

// HitCondition parses when the n-th meeting of a breakpoint counts: N or >= N from the N-th on, > N, == N, < N, <= N, or
// % N for every N-th.
func HitCondition(s string) (func(n int) bool, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return func(int) bool { return true }, nil
	}
	op := strings.TrimRight(s, "0123456789 \t")
	k, err := strconv.Atoi(strings.TrimSpace(s[len(op):]))
	if err != nil || k < 0 || k == 0 && strings.TrimSpace(op) == "%" {
		return nil, fmt.Errorf("hit condition %q: write a number, or one of > >= == < <= %% before it", s)
	}
	switch strings.TrimSpace(op) {
	case "", ">=":
		return func(n int) bool { return n >= k }, nil
	case ">":
		return func(n int) bool { return n > k }, nil
	case "==", "=":
		return func(n int) bool { return n == k }, nil
	case "<":
		return func(n int) bool { return n < k }, nil
	case "<=":
		return func(n int) bool { return n <= k }, nil
	case "%":
		return func(n int) bool { return n%k == 0 }, nil
	}
	return nil, fmt.Errorf("hit condition %q: write a number, or one of > >= == < <= %% before it", s)
}

// SetBreakpoints replaces the breakpoints of the source at path.
func (d *Debugger) SetBreakpoints(path string, list []*Breakpoint) error {
	for _, b := range list {
		need, err := HitCondition(b.Hits)
		if err != nil {
			return err
		}
		b.need = need
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(list) == 0 {
		delete(d.points, path)
	} else {
		d.points[path] = list
	}
	for _, u := range d.units {
		for _, s := range u.Stmts {
			if s.Source.Path == path {
				d.place(s)
			}
		}
		d.arm(u)
	}
	return nil
}

// Breakpoints lists the breakpoints by path.
func (d *Debugger) Breakpoints() map[string][]*Breakpoint {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string][]*Breakpoint{}
	for p, l := range d.points {
		out[p] = l
	}
	return out
}

// Covers reports whether a breakpoint stands between two lines of the source at path.
func (d *Debugger) Covers(path string, from, to int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.points[path] {
		if from <= b.Line && b.Line <= to {
			return true
		}
	}
	return false
}

// meets decides whether the breakpoints of a statement stop f, and prints what logpoints say. The lock is not held.
func (d *Debugger) meets(f *Frame, points []*Breakpoint) (hit []int, text string) {
	for _, b := range points {
		if b.Condition != "" {
			ok, err := d.Condition(f, b.Condition)
			if err != nil {
				// A condition that cannot be told is no reason to run past: the user learns why.
				return append(hit, b.ID), fmt.Sprintf("the condition %q of the breakpoint fails: %v", b.Condition, err)
			}
			if !ok {
				continue
			}
		}
		d.mu.Lock()
		b.met++
		counts := b.need == nil || b.need(b.met)
		d.mu.Unlock()
		if !counts {
			continue
		}
		if b.Log != "" {
			d.Print(f, d.fill(f, b.Log))
			continue
		}
		hit = append(hit, b.ID)
	}
	return hit, text
}

// fill puts the values of the expressions in braces into the text of a logpoint; two braces stand for one.
func (d *Debugger) fill(f *Frame, text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "{{"), strings.HasPrefix(text[i:], "}}"):
			b.WriteByte(text[i])
			i++
		case text[i] == '{':
			n := closing(text[i+1:])
			if n < 0 {
				b.WriteString(text[i:])
				return b.String()
			}
			b.WriteString(d.Format(f, text[i+1:i+1+n]))
			i += n + 1
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// closing is where the brace that is open before s ends, -1 where it does not.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}
