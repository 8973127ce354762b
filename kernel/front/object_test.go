package front

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	got := object(field{"data", json.RawMessage(`{"text/plain":"x"}`)}, field{"n", json.RawMessage("7")}, field{`a"b`, nil})
	if want := `{"data":{"text/plain":"x"},"n":7,"a\"b":{}}`; string(got) != want || !json.Valid(got) {
		t.Errorf("%s, want %s", got, want)
	}
	if got := object(); string(got) != "{}" {
		t.Errorf("no fields: %s", got)
	}
}

func BenchmarkObject(b *testing.B) {
	data := json.RawMessage(`{"text/html":"` + strings.Repeat("x", 10<<20) + `"}`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		object(field{"data", data}, field{"metadata", nil})
	}
}
