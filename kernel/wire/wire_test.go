package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// reference was signed by Python's hmac.new(b"secret", h+p+m+c, hashlib.sha256).hexdigest().
var reference = [][]byte{
	[]byte("peer"), []byte("<IDS|MSG>"),
	[]byte("fb54d840603497ded8fe559b23af6f41d139bbeafa98623bca1a6b746d924abf"),
	[]byte(`{"msg_id":"1_2","msg_type":"execute_request","username":"u","session":"s","date":"2024-01-01T00:00:00.000000Z","version":"5.4","subshell_id":"sub"}`),
	[]byte(`{}`), []byte(`{"deletedCells":[]}`), []byte(`{"code":"1+1"}`), []byte("buffer"),
}

func newCodec(t testing.TB, key string) *Codec {
	c, err := NewCodec("hmac-sha256", key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDecodeWhatPythonSigned(t *testing.T) {
	m, err := newCodec(t, "secret").Decode(reference)
	if err != nil {
		t.Fatal(err)
	}
	if m.Header.MsgID != "1_2" || m.Header.MsgType != "execute_request" || m.Header.SubshellID != "sub" ||
		string(m.RawHeader) != string(reference[3]) || string(m.Content) != `{"code":"1+1"}` ||
		len(m.Identities) != 1 || len(m.Buffers) != 1 || string(m.Buffers[0]) != "buffer" {
		t.Errorf("decoded %+v", m)
	}
}

func TestDecodeRefuses(t *testing.T) {
	change := func(i int, s string) [][]byte {
		f := append([][]byte(nil), reference...)
		f[i] = []byte(s)
		return f
	}
	unsigned := func(header string) [][]byte { return change(3, header) }
	for _, tc := range []struct {
		name   string
		key    string
		frames [][]byte
		want   error
	}{
		{"no frames", "secret", nil, ErrFraming},
		{"no delimiter", "secret", [][]byte{[]byte("GET / HTTP/1.1")}, ErrFraming},
		{"too few frames", "secret", reference[:6], ErrFraming},
		{"other key", "geheim", reference, ErrSignature},
		{"changed content", "secret", change(6, `{"code":"1+2"}`), ErrSignature},
		{"no signature", "secret", change(2, ""), ErrSignature},
		{"upper-case signature", "secret", change(2, strings.ToUpper(string(reference[2]))), ErrSignature},
		{"header not JSON", "", unsigned("{"), ErrHeader},
		{"header not an object", "", unsigned("[]"), ErrHeader},
		{"header without msg_type", "", unsigned(`{"msg_id":"x"}`), ErrHeader},
		{"header without msg_id", "", unsigned(`{"msg_type":"x"}`), ErrHeader},
		{"msg_type is a number", "", unsigned(`{"msg_id":"x","msg_type":7}`), ErrHeader},
	} {
		if _, err := newCodec(t, tc.key).Decode(tc.frames); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

func TestSchemes(t *testing.T) {
	if _, err := NewCodec("hmac-md5", "k"); err == nil || !strings.Contains(err.Error(), "hmac-md5") {
		t.Errorf("hmac-md5: %v", err)
	}
	if _, err := NewCodec("", "k"); err != nil {
		t.Errorf("no scheme: %v", err)
	}
}

func TestEncode(t *testing.T) {
	c := newCodec(t, "secret")
	parent := json.RawMessage(`{"msg_id":"1_2", "unknown":  [1] }`)
	frames, err := c.Encode(Outgoing{Type: "stream", Parent: parent, Content: map[string]string{"text": "<a>&é"}, Buffers: [][]byte{{0, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if string(frames[3]) != string(parent) {
		t.Errorf("parent %s, want it verbatim", frames[3])
	}
	if string(frames[4]) != "{}" || string(frames[5]) != `{"text":"<a>&é"}` {
		t.Errorf("metadata %s content %s", frames[4], frames[5])
	}
	m, err := newCodec(t, "secret").Decode(frames)
	if err != nil {
		t.Fatal(err)
	}
	var h map[string]any
	json.Unmarshal(m.RawHeader, &h)
	if h["msg_type"] != "stream" || h["version"] != "5.4" || h["session"] != c.Session() || c.Session() == "" {
		t.Errorf("header %v", h)
	}
	if d, _ := h["date"].(string); !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`).MatchString(d) {
		t.Errorf("date %q has no microseconds", d)
	}
	second, _ := c.Encode(Outgoing{Type: "status"})
	m2, err := newCodec(t, "secret").Decode(second)
	if err != nil || m2.Header.MsgID == m.Header.MsgID {
		t.Errorf("second message: id %q again? %v", m2.Header.MsgID, err)
	}
	if string(second[3]) != "{}" || string(second[5]) != "{}" {
		t.Errorf("empty parent and content are %s and %s", second[3], second[5])
	}
	if _, err := c.Encode(Outgoing{Type: "stream", Content: make(chan int)}); err == nil {
		t.Error("a channel was encoded")
	}
	plain, _ := newCodec(t, "").Encode(Outgoing{Type: "status"})
	if len(plain[1]) != 0 {
		t.Errorf("signature without a key: %q", plain[1])
	}
}

func TestReplay(t *testing.T) {
	var r Replay
	frames := func(sig string) [][]byte { return [][]byte{[]byte("peer"), []byte(delimiter), []byte(sig)} }
	if r.Seen(frames("a")) || !r.Seen(frames("a")) || r.Seen(frames("b")) {
		t.Error("a message sent twice must be seen, others not")
	}
	if r.Seen(frames("")) || r.Seen(frames("")) || r.Seen(nil) {
		t.Error("unsigned messages cannot be told apart")
	}
	for i := range ReplayMemory {
		if r.Seen(frames(string(rune(0x10000 + i)))) {
			t.Fatalf("message %d is new", i)
		}
	}
	if r.Seen(frames("a")) {
		t.Error("memory is not bounded")
	}
	if len(r.seen) != ReplayMemory || len(r.ring) != ReplayMemory {
		t.Errorf("%d remembered", len(r.seen))
	}
}

func TestOffsets(t *testing.T) {
	const s = "é😀x"
	for points, bytes := range []int{0, 2, 6, 7} {
		if got := ByteOffset(s, points); got != bytes {
			t.Errorf("ByteOffset(%d) = %d, want %d", points, got, bytes)
		}
		if got := PointOffset(s, bytes); got != points {
			t.Errorf("PointOffset(%d) = %d, want %d", bytes, got, points)
		}
	}
	if ByteOffset(s, 99) != 7 || ByteOffset(s, -1) != 7 || PointOffset(s, 99) != 3 || PointOffset(s, -5) != 0 {
		t.Error("offsets outside of the text")
	}
}

func TestSplitRunes(t *testing.T) {
	for _, tc := range []struct{ in, whole, rest string }{
		{"", "", ""},
		{"abc", "abc", ""},
		{"é", "é", ""},
		{"a\xc3", "a", "\xc3"},
		{"\xf0\x9f\x98", "", "\xf0\x9f\x98"},
		{"x\xf0\x9f", "x", "\xf0\x9f"},
		{"\xff\xff", "\xff\xff", ""}, // can never become a character: not held back
		{"\x80\x80\x80\x80", "\x80\x80\x80\x80", ""},
	} {
		whole, rest := SplitRunes([]byte(tc.in))
		if string(whole) != tc.whole || string(rest) != tc.rest {
			t.Errorf("SplitRunes(%q) = %q, %q; want %q, %q", tc.in, whole, rest, tc.whole, tc.rest)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("peer\n<IDS|MSG>\n\n{\"msg_id\":\"a\",\"msg_type\":\"b\"}\n{}\n{}\n{}\nbuf"))
	f.Add([]byte("<IDS|MSG>\n\n\n\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		frames := bytes.Split(b, []byte("\n"))
		signed, open := newCodec(t, "secret"), newCodec(t, "")
		if _, err := signed.Decode(frames); err == nil && !bytes.Contains(b, reference[2]) {
			t.Fatalf("accepted without the key: %q", b)
		}
		m, err := open.Decode(frames)
		if err != nil {
			return
		}
		if m.Header.MsgID == "" || m.Header.MsgType == "" || !json.Valid(m.RawHeader) {
			t.Fatalf("accepted a bad header: %q", m.RawHeader)
		}
		out, err := signed.Encode(Outgoing{Type: m.Header.MsgType, Parent: m.RawHeader})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := signed.Decode(out); err != nil {
			t.Fatalf("answer to %q: %v", b, err)
		}
	})
}

func FuzzAppendString(f *testing.F) {
	f.Add([]byte("line 1\n\t\"x\"\\ \x00\x7f\xc3 é 😀\u2028\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got string
		if err := json.Unmarshal(AppendString(nil, b), &got); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if want := string([]rune(string(b))); got != want {
			t.Fatalf("%q read back as %q", want, got)
		}
		whole, rest := SplitRunes(b)
		if string(whole)+string(rest) != string(b) || len(rest) >= utf8.UTFMax {
			t.Fatalf("SplitRunes(%q) = %q, %q", b, whole, rest)
		}
		for i := range 3 {
			text := string(b)
			if p := PointOffset(text, i); ByteOffset(text, p) > len(text) {
				t.Fatalf("offset %d of %q", i, text)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	c := newCodec(b, "secret")
	for b.Loop() {
		c.Encode(Outgoing{Type: "status", Parent: reference[3], Content: json.RawMessage(`{"execution_state":"busy"}`)})
	}
}

func BenchmarkAppendString(b *testing.B) {
	text := bytes.Repeat([]byte("line 12345 of the output\n"), 4000)
	b.SetBytes(int64(len(text)))
	var dst []byte
	for b.Loop() {
		dst = AppendString(dst[:0], text)
	}
}
