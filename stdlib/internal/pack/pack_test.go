package pack

import (
	"bytes"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	in := map[string][]byte{"": {}, "a": []byte("alpha"), "b/c": bytes.Repeat([]byte("beta"), 10000), "z": {0, 255}}
	data, err := Write(in)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Write(in)
	if !bytes.Equal(data, again) {
		t.Error("the same input gave different bytes")
	}
	a, err := Open(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(a.Names(), ","); got != ",a,b/c,z" {
		t.Errorf("names %q", got)
	}
	for name, want := range in {
		got, err := a.Read(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: %d bytes, %v; want %d bytes", name, len(got), err, len(want))
		}
	}
	if _, err := a.Read("missing"); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a missing blob: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	data, _ := Write(map[string][]byte{"a": []byte("alpha"), "b": bytes.Repeat([]byte("x"), 1000)})
	f.Add(data)
	f.Add([]byte(magic))
	f.Add([]byte(magic + "\x01\x01a\x05\xff\xff\xff\xff\x0f12345"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Open(string(data))
		if err != nil {
			return
		}
		for _, name := range a.Names() {
			a.Read(name)
		}
	})
}
