package history

import "sync"

// memorySize bounds the text that NewMemory keeps, in bytes. The oldest cells are forgotten first.
const memorySize = 32 << 20

// memory is a History of this session only.
type memory struct {
	session int
	limit   int // of size, in bytes
	mu      sync.Mutex
	entries []Entry
	size    int
}

// NewMemory returns a History that is lost when the kernel ends. It keeps the latest 32 MiB of text, and at least the latest cell.
func NewMemory() History { return &memory{session: 1, limit: memorySize} }

func (h *memory) Add(line int, input string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, Entry{Session: h.session, Line: line, Input: input})
	h.size += len(input)
	h.trim()
}

func (h *memory) SetOutput(line int, output string) {
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

func (h *memory) trim() {
	for len(h.entries) > 1 && h.size > h.limit {
		h.size -= len(h.entries[0].Input) + len(h.entries[0].Output)
		h.entries[0] = Entry{}
		h.entries = h.entries[1:]
	}
}

func (h *memory) Tail(n int) []Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Entry(nil), h.entries[len(h.entries)-min(max(n, 0), len(h.entries)):]...)
}

func (h *memory) Range(session, start, stop int) []Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []Entry
	for _, e := range h.entries {
		if (session == 0 || session == h.session) && e.Line >= start && (stop <= 0 || e.Line < stop) {
			found = append(found, e)
		}
	}
	return found
}

func (h *memory) Search(pattern string, n int, unique bool) []Entry {
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

func (h *memory) Close() error { return nil }
