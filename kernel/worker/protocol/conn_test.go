package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"
)

// samples has at least one message of every kind with every field set.
func samples() []Message {
	b := Bundle{Data: json.RawMessage(`{"text/plain":"x"}`), Metadata: json.RawMessage(`{"a":1}`), Transient: json.RawMessage(`{"display_id":"d"}`)}
	f := Failure{Name: "panic", Value: "boom", Traceback: []string{"a", "b"}}
	return []Message{
		&Execute{ID: 1, N: 2, Code: "x := \"é\"\n<&>", Silent: true, AllowStdin: true, Grace: time.Second},
		&Complete{ID: 2, Code: "fmt.", Cursor: 4},
		&Inspect{ID: 3, Code: "fmt", Cursor: 3, Detail: 1},
		&IsComplete{ID: 4, Code: "func"},
		&Expression{ID: 5, Cell: 1, N: 7, Code: "a+b"},
		&Interrupt{Cell: 1},
		&InputReply{Seq: 9, Value: "v", Error: "e"},
		&Shutdown{Restart: true},
		&Comm{ID: 6, Cell: 1, Op: CommOpen, CommID: "c", Target: "t", Metadata: json.RawMessage(`{"m":0}`), Data: json.RawMessage(`{"d":1}`), Buffers: [][]byte{{0, 1, 255}, {}}},
		&Comm{Op: CommClose, CommID: "c"},
		&Ready{Protocol: Version, PID: 42, Info: "yaegi"},
		&Stream{Cell: 1, Name: Stdout, Text: []byte("half a rune \xc3")},
		&Display{Cell: 1, Update: true, Bundle: b, Buffer: [][]byte{{1}}},
		&Display{Cell: 1, Bundle: Bundle{Data: b.Data}},
		&Clear{Cell: 1, Wait: true},
		&Result{Cell: 1, Bundle: b},
		&Error{Cell: 1, Failure: f},
		&InputRequest{Cell: 1, Seq: 3, Prompt: "name? ", Password: true},
		&Done{ID: 1, Failure: &f, Payload: json.RawMessage(`[{"source":"set_next_input"}]`)},
		&Done{ID: 1},
		&CompleteReply{ID: 2, Matches: []Match{{Text: "Println", Type: "function", Signature: "(a ...any)"}}, Start: 4, End: 4},
		&InspectReply{ID: 3, Found: true, Bundle: b},
		&IsCompleteReply{ID: 4, Status: "incomplete", Indent: "\t"},
		&ExpressionReply{ID: 5, Failure: &f, Bundle: b},
		&Stuck{Cell: 1},
		&Fatal{Text: "fatal error: concurrent map writes"},
		&Log{Text: "line"},
		&Task{Cell: 9, Running: true},
		&Look{ID: 10, Code: "n"},
		&Past{Cells: []PastCell{{N: 1, Code: "x := 1"}, {N: 3, Code: "y := 2"}}},
		&LookReply{ID: 10, Wait: "it calls f", Failure: &Failure{Name: "a", Value: "b"}, Bundle: Bundle{Data: json.RawMessage(`{"text/plain":"1"}`)}},
		&Debug{ID: 7, Content: json.RawMessage(`{"command":"threads"}`)},
		&DebugReply{ID: 7, Content: json.RawMessage(`{"success":true}`)},
		&DebugEvent{Content: json.RawMessage(`{"event":"stopped"}`)},
	}
}

func TestEveryKindSurvivesTheWire(t *testing.T) {
	seen := map[Kind]bool{}
	var wire bytes.Buffer
	for _, m := range samples() {
		seen[m.Kind()] = true
		frame, err := Append(nil, m)
		if err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		wire.Write(frame)
	}
	for k := KindInvalid + 1; k < kindEnd; k++ {
		if newMessage(k) == nil || !seen[k] {
			t.Errorf("kind %d has no message or no sample", k)
		}
	}
	c := NewConn(readOnly{&wire})
	for _, want := range samples() {
		got, err := c.Receive()
		if err != nil {
			t.Fatalf("%T: %v", want, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%T:\n got %+v\nwant %+v", want, got, want)
		}
	}
	if _, err := c.Receive(); err != io.EOF {
		t.Errorf("after the last frame: %v, want io.EOF", err)
	}
}

type readOnly struct{ io.Reader }

func (readOnly) Write(p []byte) (int, error) { return 0, errors.New("read only") }
func (readOnly) Close() error                { return nil }

func TestStreamsAreGatheredAndKeepTheirPlace(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	send, recv := NewConn(a), NewConn(b)
	go func() {
		for i := range 1000 {
			send.Send(&Stream{Cell: 1, Name: Stdout, Text: fmt.Appendf(nil, "%d\n", i)})
		}
		send.Send(&Stream{Cell: 1, Name: Stderr, Text: []byte("err")})
		send.Send(&Stream{Cell: 1, Name: Stdout, Text: []byte("after")})
		send.Send(&Stream{Cell: 2, Name: Stdout, Text: []byte("other cell")})
		send.Send(&Done{ID: 1})
		send.Send(&Stream{Cell: 1, Name: Stdout, Text: []byte("late")}) // sent by the timer alone
	}()
	var lines strings.Builder
	var rest []string
	frames := 0
	for {
		m, err := recv.Receive()
		if err != nil {
			t.Fatal(err)
		}
		s, ok := m.(*Stream)
		if ok && s.Name == Stdout && len(rest) == 0 {
			lines.Write(s.Text)
			frames++
			continue
		}
		if !ok {
			rest = append(rest, fmt.Sprintf("%T", m))
			continue
		}
		rest = append(rest, fmt.Sprint(s.Cell, s.Name, string(s.Text)))
		if string(s.Text) == "late" {
			break
		}
	}
	if got := strings.Count(lines.String(), "\n"); got != 1000 || !strings.HasSuffix(lines.String(), "\n999\n") {
		t.Errorf("%d lines arrived, ending %q", got, lines.String()[max(0, lines.Len()-10):])
	}
	if frames > 500 {
		t.Errorf("1000 short writes travelled in %d frames", frames)
	}
	want := []string{"1stderrerr", "1stdoutafter", "2stdoutother cell", "*protocol.Done", "1stdoutlate"}
	for i, w := range want {
		if strings.ReplaceAll(rest[i], " ", "") != strings.ReplaceAll(w, " ", "") {
			t.Errorf("after the lines came %q, want %q", rest, want)
			break
		}
	}
}

// Text that comes alone is on its way when Send returns.
func TestLoneTextIsNotHeldBack(t *testing.T) {
	a, b := net.Pipe() // unbuffered: Send returns when the other side has read
	defer a.Close()
	send, recv := NewConn(a), NewConn(b)
	for range 5 {
		got := make(chan Message, 1)
		go func() { m, _ := recv.Receive(); got <- m }()
		send.Send(&Stream{Cell: 1, Name: Stdout, Text: []byte("last words")})
		send.mu.Lock()
		if len(send.buf) != 0 {
			t.Error("text was held back")
		}
		send.mu.Unlock()
		<-got
		time.Sleep(2 * StreamDelay)
	}
}

func TestBadFrames(t *testing.T) {
	good, _ := Append(nil, &Stream{Cell: 1, Name: Stdout, Text: []byte("text")})
	for _, tc := range []struct{ name, frame, want string }{
		{"length over the limit", "\xff\xff\xff\xff", "limit"},
		{"truncated", string(good[:len(good)-1]), "unexpected EOF"},
		{"large claim, nothing behind it", "\x3f\xff\xff\xff\x01", "unexpected EOF"},
		{"too short", "\x00\x00\x00\x01\x01", "too short"},
		{"unknown kind", "\x00\x00\x00\x07\xfe\x00\x00\x00\x02{}", "unknown message kind 254"},
		{"kind 0", "\x00\x00\x00\x07\x00\x00\x00\x00\x02{}", "unknown message kind 0"},
		{"head beyond the frame", "\x00\x00\x00\x07\x01\x00\x00\x00\x09{}", "head of 9 bytes"},
		{"not JSON", "\x00\x00\x00\x07\x01\x00\x00\x00\x02{]", "invalid character"},
		{"binary field where none belongs", "\x00\x00\x00\x0c\x01\x00\x00\x00\x02{}\x00\x00\x00\x01x", "no binary fields"},
		{"binary field missing", "\x00\x00\x00\x07" + string(rune(KindStream)) + "\x00\x00\x00\x02{}", "0 binary fields"},
		{"field beyond the frame", "\x00\x00\x00\x0c" + string(rune(KindStream)) + "\x00\x00\x00\x02{}\x00\x00\x00\x09x", "field of 9 bytes"},
		{"stray bytes", "\x00\x00\x00\x09\x01\x00\x00\x00\x02{}xx", "stray"},
	} {
		_, err := NewConn(readOnly{strings.NewReader(tc.frame)}).Receive()
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
	}
}

func TestSendAfterClose(t *testing.T) {
	a, b := net.Pipe()
	b.Close()
	c := NewConn(a)
	c.Close()
	if err := c.Send(&Interrupt{}); !errors.Is(err, ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
}

func TestCloseFreesABlockedSend(t *testing.T) {
	a, _ := net.Pipe() // nobody reads the other end
	c := NewConn(a)
	failed := make(chan error)
	go func() { failed <- c.Send(&Interrupt{}) }()
	time.Sleep(10 * time.Millisecond)
	c.Close()
	select {
	case err := <-failed:
		if err == nil {
			t.Error("a Send that nobody read succeeded")
		}
	case <-time.After(5 * time.Second):
		t.Error("Send still blocked after Close")
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range samples() {
		frame, _ := Append(nil, m)
		f.Add(frame[4:])
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		m, err := Decode(payload)
		if err != nil {
			return
		}
		// What was understood can be sent again and is understood in the same way.
		frame, err := Append(nil, m)
		if err != nil {
			t.Fatalf("%#v: understood and not encodable: %v", m, err)
		}
		again, err := Decode(frame[4:])
		if err != nil {
			t.Fatalf("%#v: encoded and not understood: %v", m, err)
		}
		frame2, err := Append(nil, again)
		if err != nil || !bytes.Equal(frame, frame2) {
			t.Fatalf("not stable (%v):\n%q\n%q", err, frame, frame2)
		}
	})
}

func FuzzReceive(f *testing.F) {
	for _, m := range samples() {
		frame, _ := Append(nil, m)
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		c := NewConn(readOnly{bytes.NewReader(wire)})
		for {
			if _, err := c.Receive(); err != nil {
				return
			}
		}
	})
}

func BenchmarkStreamLines(b *testing.B) {
	x, y := net.Pipe()
	send, recv := NewConn(x), NewConn(y)
	go func() {
		for {
			if _, err := recv.Receive(); err != nil {
				return
			}
		}
	}()
	text := []byte("line 12345\n")
	b.ReportAllocs()
	for b.Loop() {
		send.Send(&Stream{Cell: 1, Name: Stdout, Text: text})
	}
	send.Close()
}

func BenchmarkRoundTrip(b *testing.B) {
	x, y := net.Pipe()
	front, worker := NewConn(x), NewConn(y)
	go func() {
		for {
			m, err := worker.Receive()
			if err != nil {
				return
			}
			worker.Send(&Done{ID: m.(*Execute).ID})
		}
	}()
	for b.Loop() {
		front.Send(&Execute{ID: 1, Code: "1+1"})
		front.Receive()
	}
	front.Close()
}
