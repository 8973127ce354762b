package front

import (
	"sync"
)

// Entry is one cell in the history.
type Entry struct {
	Session int    // number of the kernel session
	Line    int    // execution count
	Input   string // source of the cell
	Output  string // text/plain of its result
	HasOut  bool   // whether it had one
}

// History remembers the cells that were run. It is used by several goroutines.
type History interface {
	// Add appends a cell of this session.
	Add(line int, input string)
	// SetOutput notes the result of a cell of this session.
	SetOutput(line int, output string)
	// Tail returns the last n cells, oldest first, this session's included.
	Tail(n int) []Entry
	// Range returns the cells start ≤ Line < stop of a session; stop 0 means to the end. Session 0 is this one,
	// -1 the one before it, and so on.
	Range(session, start, stop int) []Entry
	// Search returns the last n cells (all for n ≤ 0) whose input matches pattern, oldest first. In pattern * stands for any text and ? for any
	// character. With unique, of equal inputs only the latest is returned.
	Search(pattern string, n int, unique bool) []Entry
}

// historySize bounds the text that a memoryHistory keeps, in bytes. The oldest cells are forgotten first.
const historySize = 32 << 20

// memoryHistory is a History of this session only. Its session number is 1.
type memoryHistory struct {
	mu      sync.Mutex
	entries []Entry
	size    int
}

// NewMemoryHistory returns a History that is lost when the kernel ends. It keeps the latest 32 MiB of text, and at least the latest cell.
func NewMemoryHistory() History { return &memoryHistory{} }

func (h *memoryHistory) Add(line int, input string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, Entry{Session: 1, Line: line, Input: input})
	h.size += len(input)
	h.trim()
}

func (h *memoryHistory) SetOutput(line int, output string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.entries) - 1; i >= 0; i-- {
		if e := &h.entries[i]; e.Line == line {
			h.size += len(output) - len(e.Output)
			e.Output, e.HasOut = output, true
			h.trim()
			return
		}
	}
}

func (h *memoryHistory) trim() {
	for len(h.entries) > 1 && h.size > historySize {
		h.size -= len(h.entries[0].Input) + len(h.entries[0].Output)
		h.entries[0] = Entry{}
		h.entries = h.entries[1:]
	}
}

func (h *memoryHistory) Tail(n int) []Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Entry(nil), h.entries[len(h.entries)-min(max(n, 0), len(h.entries)):]...)
}

func (h *memoryHistory) Range(session, start, stop int) []Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []Entry
	for _, e := range h.entries {
		if (session == 0 || session == 1) && e.Line >= start && (stop <= 0 || e.Line < stop) {
			found = append(found, e)
		}
	}
	return found
}

func (h *memoryHistory) Search(pattern string, n int, unique bool) []Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	return searchEntries(h.entries, pattern, n, unique)
}

func searchEntries(entries []Entry, pattern string, n int, unique bool) []Entry {
	var found []Entry
	seen := map[string]bool{}
	for i := len(entries) - 1; i >= 0 && (n <= 0 || len(found) < n); i-- {
		e := entries[i]
		if !glob(pattern, e.Input) || unique && seen[e.Input] {
			continue
		}
		seen[e.Input] = true
		found = append(found, e)
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found
}

// glob matches like SQL's GLOB and IPython's history search: * and ?, over line ends and slashes too. An empty pattern matches all.
func glob(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	p, t := []rune(pattern), []rune(text)
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
