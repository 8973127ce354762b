package history

import (
	"strings"
	"testing"
)

func TestMemoryIsBounded(t *testing.T) {
	h := NewMemory()
	for i := 1; i <= 100; i++ {
		h.Add(i, strings.Repeat("x", 1<<20))
		h.SetOutput(i, strings.Repeat("y", 1<<20))
	}
	tail := h.Tail(1000)
	size := 0
	for _, e := range tail {
		size += len(e.Input) + len(e.Output)
	}
	if size > memorySize || len(tail) != 16 || tail[15].Line != 100 || tail[0].Line != 85 {
		t.Errorf("%d entries, %d bytes kept", len(tail), size)
	}
	h.Add(101, strings.Repeat("x", 2*memorySize))
	if tail := h.Tail(10); len(tail) != 1 || tail[0].Line != 101 {
		t.Errorf("%d entries kept beside a huge one", len(tail))
	}
}

func TestGlob(t *testing.T) {
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "anything", true}, {"*", "", true}, {"?", "", false}, {"a", "a", true}, {"a", "ab", false},
		{"a*", "ab\nc/d", true}, {"*b*", "abc", true}, {"*b", "abc", false}, {"a?c", "aéc", true}, {"a?c", "ac", false},
		{"*a*b*c*", "xxaxxbxxcxx", true}, {"*a*b*c*", "xxaxxcxxbxx", false}, {"[a]", "[a]", true}, {"**", "x", true},
	} {
		if got := glob(tc.pattern, tc.text); got != tc.want {
			t.Errorf("glob(%q, %q) = %v", tc.pattern, tc.text, got)
		}
	}
	if glob(strings.Repeat("*a", 30)+"b", strings.Repeat("a", 3000)) {
		t.Error("matched")
	}
}

// The pattern that makes naive matchers exponential must not.
func BenchmarkGlobWorstCase(b *testing.B) {
	p, s := strings.Repeat("*a", 30)+"b", strings.Repeat("a", 3000)
	for b.Loop() {
		glob(p, s)
	}
}
