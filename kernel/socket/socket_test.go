package socket

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

const soon = 5 * time.Second

func listen(t testing.TB, kind Kind, opt Options) (*Socket, string) {
	t.Helper()
	s, err := Listen(kind, "tcp://127.0.0.1:0", opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	return s, s.Addr().String()
}

// dial connects a client of the other implementation, zmq4's own sockets.
func dial(t testing.TB, s zmq4.Socket, addr string) zmq4.Socket {
	t.Helper()
	if err := s.Dial("tcp://" + addr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func receive(t testing.TB, s *Socket) Received {
	t.Helper()
	select {
	case r := <-s.Incoming():
		return r
	case <-time.After(soon):
		t.Fatal("nothing came in")
		panic("unreachable")
	}
}

// raw is a client made by hand, so that it can misbehave.
func raw(t testing.TB, addr, socketType, identity string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(soon))
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	c.Write(greeting)
	body := []byte("\x05READY")
	for _, p := range [][2]string{{"Socket-Type", socketType}, {"Identity", identity}} {
		body = append(append(body, byte(len(p[0]))), p[0]...)
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(p[1]))), p[1]...)
	}
	c.Write(append([]byte{4, byte(len(body))}, body...))
	io.ReadFull(c, greeting)
	readFrame(c)
	return c
}

func readFrame(c net.Conn) (flags byte, body []byte) {
	head := make([]byte, 9)
	if _, err := io.ReadFull(c, head[:2]); err != nil {
		return 0, nil
	}
	if head[0]&2 != 0 {
		io.ReadFull(c, head[2:])
	}
	n, _ := frameSize(head[:2+7*int(head[0]>>1&1)])
	body = make([]byte, n)
	io.ReadFull(c, body)
	return head[0], body
}

func TestRouterAnswersTheOneWhoAsked(t *testing.T) {
	s, addr := listen(t, Router, Options{})
	a := dial(t, zmq4.NewDealer(context.Background(), zmq4.WithID(zmq4.SocketIdentity("a"))), addr)
	b := dial(t, zmq4.NewDealer(context.Background()), addr)
	for i, c := range []zmq4.Socket{a, b} {
		want := [][]byte{[]byte("question"), {}, bytes.Repeat([]byte{'x'}, 300), bytes.Repeat([]byte{'y'}, 3<<20)}
		if err := c.SendMulti(zmq4.NewMsgFrom(want...)); err != nil {
			t.Fatal(err)
		}
		r := receive(t, s)
		if !slices.EqualFunc(r.Frames, want, bytes.Equal) {
			t.Fatalf("client %d: other frames came in", i)
		}
		if i == 0 && r.Peer != "a" {
			t.Errorf("peer %q, want its identity", r.Peer)
		}
		if err := s.Send(r.Peer, want); err != nil {
			t.Fatal(err)
		}
		m, err := c.Recv()
		if err != nil || !slices.EqualFunc(m.Frames, want, bytes.Equal) {
			t.Errorf("client %d: other frames came back: %v", i, err)
		}
	}
	if err := s.Send("nobody", [][]byte{{1}}); err == nil {
		t.Error("sent to nobody")
	}
}

func TestHeartbeat(t *testing.T) {
	s, addr := listen(t, Rep, Options{})
	c := dial(t, zmq4.NewReq(context.Background()), addr)
	for range 3 {
		c.Send(zmq4.NewMsgString("ping"))
		r := receive(t, s)
		s.Send(r.Peer, r.Frames)
		if m, err := c.Recv(); err != nil || string(m.Frames[0]) != "ping" {
			t.Fatalf("%q %v", m.Frames, err)
		}
	}
}

func TestMuteConnectionsKeepNobodyOut(t *testing.T) {
	var dropped atomic.Int32
	s, addr := listen(t, Router, Options{Handshake: 100 * time.Millisecond, Log: func(string, ...any) { dropped.Add(1) }})
	for range 5 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	c := dial(t, zmq4.NewDealer(context.Background()), addr)
	c.Send(zmq4.NewMsgString("hello"))
	receive(t, s)
	for end := time.Now().Add(soon); dropped.Load() < 5; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d of 5 mute connections dropped", dropped.Load())
		}
	}
}

func TestLatestConnectionWinsAnIdentity(t *testing.T) {
	s, addr := listen(t, Router, Options{})
	old := raw(t, addr, "DEALER", "same")
	old.Write([]byte{0, 3, 'o', 'l', 'd'})
	receive(t, s)
	now := raw(t, addr, "DEALER", "same")
	now.Write([]byte{0, 3, 'n', 'e', 'w'})
	r := receive(t, s)
	if err := s.Send(r.Peer, [][]byte{[]byte("answer")}); err != nil {
		t.Fatal(err)
	}
	if _, b := readFrame(now); string(b) != "answer" {
		t.Errorf("the new connection got %q", b)
	}
	if _, b := readFrame(old); b != nil {
		t.Errorf("the old connection got %q", b)
	}
}

func TestPing(t *testing.T) {
	_, addr := listen(t, Router, Options{})
	c := raw(t, addr, "DEALER", "")
	c.Write([]byte("\x04\x0a\x04PING\x00\x01ctx"))
	if f, b := readFrame(c); f != flagCommand || string(b) != "\x04PONGctx" {
		t.Errorf("PING answered with flags %d %q", f, b)
	}
}

func TestSubscriptions(t *testing.T) {
	subscribed := make(chan string, 8)
	s, addr := listen(t, XPub, Options{OnSubscribe: func(peer, topic string) { subscribed <- topic }})
	c := dial(t, zmq4.NewSub(context.Background()), addr)
	c.SetOption(zmq4.OptionSubscribe, "a")
	if topic := <-subscribed; topic != "a" {
		t.Errorf("subscribed to %q", topic)
	}
	byCommand := raw(t, addr, "SUB", "") // ZMTP 3.1 subscribes with a command
	byCommand.Write([]byte("\x04\x0b\x09SUBSCRIBEb"))
	if topic := <-subscribed; topic != "b" {
		t.Errorf("subscribed to %q", topic)
	}
	if n := s.Publish([][]byte{[]byte("b.topic"), []byte("2")}); n != 1 {
		t.Errorf("%d subscribers of b", n)
	}
	if n := s.Publish([][]byte{[]byte("c"), []byte("3")}); n != 0 {
		t.Errorf("%d subscribers of c", n)
	}
	s.Publish([][]byte{[]byte("a.topic"), []byte("1")})
	if m, err := c.Recv(); err != nil || string(m.Frames[0]) != "a.topic" {
		t.Errorf("%q %v", m.Frames, err)
	}
	if _, b := readFrame(byCommand); string(b) != "b.topic" {
		t.Errorf("got %q", b)
	}
}

func TestStalledSubscriberStopsNobody(t *testing.T) {
	var subscribed sync.WaitGroup
	subscribed.Add(2)
	s, addr := listen(t, XPub, Options{MaxQueue: 64 << 20, OnSubscribe: func(string, string) { subscribed.Done() }})
	stalled := raw(t, addr, "SUB", "")
	stalled.Write([]byte{0, 1, 1})
	c := dial(t, zmq4.NewSub(context.Background()), addr)
	c.SetOption(zmq4.OptionSubscribe, "")
	subscribed.Wait()
	const n, size = 400, 100_000
	body := bytes.Repeat([]byte{'z'}, size)
	start := time.Now()
	go func() {
		for i := range n {
			s.Publish([][]byte{fmt.Appendf(nil, "%d", i), body})
			s.Wait(context.Background(), 8<<20)
		}
	}()
	for i := range n {
		m, err := c.Recv()
		if err != nil || string(m.Frames[0]) != fmt.Sprint(i) || len(m.Frames[1]) != size {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	if d := time.Since(start); d > soon {
		t.Errorf("40 MB beside a stalled subscriber took %v", d)
	}
}

func TestStalledPeerIsGivenUpWhenItsQueueIsFull(t *testing.T) {
	subscribed := make(chan bool, 1)
	logged := make(chan string, 1)
	s, addr := listen(t, XPub, Options{MaxQueue: 1 << 20, OnSubscribe: func(string, string) { subscribed <- true },
		Log: func(f string, a ...any) {
			select {
			case logged <- fmt.Sprintf(f, a...):
			default:
			}
		}})
	raw(t, addr, "SUB", "").Write([]byte{0, 1, 1})
	<-subscribed
	body := make([]byte, 1<<20)
	for i := 0; s.Publish([][]byte{body}) == 1; i++ {
		if i > 100 {
			t.Fatal("100 MB queued for a peer that does not read")
		}
		time.Sleep(time.Millisecond)
	}
	if msg := <-logged; !strings.Contains(msg, "does not read") {
		t.Errorf("logged %q", msg)
	}
	if q := s.Queued(); q != 0 {
		t.Errorf("%d bytes still queued", q)
	}
}

func TestWaitHoldsAFastPublisherForASlowReader(t *testing.T) {
	subscribed := make(chan bool, 1)
	s, addr := listen(t, XPub, Options{MaxQueue: 8 << 20, OnSubscribe: func(string, string) { subscribed <- true }})
	c := raw(t, addr, "SUB", "")
	c.Write([]byte{0, 1, 1})
	<-subscribed
	const n = 200
	body := make([]byte, 100_000)
	go func() {
		for range n {
			s.Publish([][]byte{body})
			s.Wait(context.Background(), 1<<20)
		}
	}()
	for i := range n { // 20 MB through a queue of 8 MB
		if i%20 == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		if _, b := readFrame(c); len(b) != len(body) {
			t.Fatalf("message %d is missing", i)
		}
	}
}

func TestCloseSendsWhatIsQueued(t *testing.T) {
	subscribed := make(chan bool, 1)
	s, addr := listen(t, XPub, Options{OnSubscribe: func(string, string) { subscribed <- true }})
	c := raw(t, addr, "SUB", "")
	c.Write([]byte{0, 1, 1})
	<-subscribed
	const n = 2000
	for range n {
		s.Publish([][]byte{make([]byte, 1000)})
	}
	go s.Close(soon)
	for i := range n {
		if _, b := readFrame(c); len(b) != 1000 {
			t.Fatalf("message %d of %d is missing", i, n)
		}
	}
	if _, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("after the last message: %v, want the end", err)
	}
}

func TestStrangers(t *testing.T) {
	s, addr := listen(t, Router, Options{MaxMessage: 1 << 20})
	send := func(b string) {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, b)
		c.Close()
	}
	greeting := "\xff\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x03\x00NULL" + strings.Repeat("\x00", 48)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	send("GET / HTTP/1.1\r\n\r\n")
	send("")
	send(greeting)
	send(greeting + "\x06\x7f\xff\xff\xff\xff\xff\xff\xff")                                // a command of 2^63 bytes
	send(greeting + "\x06\x00\x00\x00\x40\x00\x00\x00\x00")                                // of 2^38
	send(greeting + "\x04\x1d\x05READY\x0bSocket-Type\x00\x00\x00\x07STRANGE")             // zmq4 panics
	send(greeting + "\x04\x18\x05READY\x0bSocket-Type\xff\xff\xff\xff")                    // property longer than the frame
	raw(t, addr, "DEALER", "").Write([]byte("\x02\x7f\xff\xff\xff\xff\xff\xff\xff"))       // a message of 2^63 bytes
	raw(t, addr, "DEALER", "").Write([]byte("\x02\x00\x00\x00\x00\x00\x0f\x00\x00little")) // less than was claimed
	raw(t, addr, "DEALER", "").Write([]byte("\xf8\x00"))                                   // unknown flags
	raw(t, addr, "DEALER", "").Write([]byte("\x04\x01\x09"))                               // malformed command
	raw(t, addr, "DEALER", "").Write(bytes.Repeat([]byte("\x01\x00"), 40_000))             // frames without end
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := make([]byte, rng.IntN(300))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		send(greeting[:rng.IntN(65)] + string(b))
		if c := raw(t, addr, "DEALER", ""); len(b) > 0 {
			b[0] |= 0x80 // never a message by chance
			c.Write(b)
		}
	}
	c := dial(t, zmq4.NewDealer(context.Background()), addr)
	c.Send(zmq4.NewMsgString("still there?"))
	if r := receive(t, s); string(r.Frames[0]) != "still there?" {
		t.Errorf("received %q", r.Frames)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("strangers made the socket allocate %d MB", grown>>20)
	}
}

func TestIPC(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s-1")
	s, err := Listen(Router, "ipc://"+path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(Router, "ipc://"+path, Options{}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("second listener: %v", err)
	}
	c := zmq4.NewDealer(context.Background())
	defer c.Close()
	if err := c.Dial("ipc://" + path); err != nil {
		t.Fatal(err)
	}
	c.Send(zmq4.NewMsgString("x"))
	receive(t, s)
	s.Close(0)
	if _, err := os.Stat(path); err == nil {
		t.Error("socket file left behind")
	}
	os.WriteFile(path, []byte("precious"), 0o600)
	if _, err := Listen(Router, "ipc://"+path, Options{}); err == nil {
		t.Error("a file that is not a socket was replaced")
	}
	os.Remove(path)
	l, _ := net.Listen("unix", path) // a process that was killed leaves its file
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	s, err = Listen(Router, "ipc://"+path, Options{})
	if err != nil {
		t.Fatalf("stale file: %v", err)
	}
	s.Close(0)
}

func TestBadEndpoints(t *testing.T) {
	for _, e := range []string{"", "tcp:127.0.0.1:1", "udp://127.0.0.1:1", "tcp://nonsense", "tcp://127.0.0.1:99999"} {
		if s, err := Listen(Router, e, Options{}); err == nil {
			s.Close(0)
			t.Errorf("%q was accepted", e)
		}
	}
}

func TestNoGoroutineStaysBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := Listen(XPub, "tcp://127.0.0.1:0", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		raw(t, s.Addr().String(), "SUB", "").Write([]byte{0, 1, 1})
	}
	s.Close(0)
	s.Close(0)
	for end := time.Now().Add(soon); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, %d after Close", before, runtime.NumGoroutine())
		}
	}
}

func FuzzPeer(f *testing.F) {
	f.Add([]byte("\x01\x01a\x00\x01b\x04\x05\x04PING"))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		client, server := net.Pipe()
		go func() { client.Write(b); client.Close() }()
		p := newPeer("p", server)
		got := 0
		p.read(1<<16, func(frames [][]byte) {
			for _, f := range frames {
				got += len(f)
				p.subscribe(f)
			}
		}, func(string, []byte) error { return nil })
		if got > len(b) {
			t.Fatalf("%d bytes out of %d", got, len(b))
		}
		p.close()
	})
}

func BenchmarkRoundTrip(b *testing.B) {
	s, addr := listen(b, Router, Options{})
	go func() {
		for {
			select {
			case r := <-s.Incoming():
				s.Send(r.Peer, r.Frames)
			case <-s.done:
				return
			}
		}
	}()
	c := raw(b, addr, "DEALER", "")
	c.SetDeadline(time.Time{})
	for b.Loop() {
		c.Write([]byte{1, 1, 'a', 0, 1, 'b'})
		readFrame(c)
		readFrame(c)
	}
}

func BenchmarkPublish(b *testing.B) {
	subscribed := make(chan bool, 1)
	s, addr := listen(b, XPub, Options{OnSubscribe: func(string, string) { subscribed <- true }})
	c := raw(b, addr, "SUB", "")
	c.SetDeadline(time.Time{})
	c.Write([]byte{0, 1, 1})
	<-subscribed
	go io.Copy(io.Discard, c)
	frames := [][]byte{[]byte("topic"), make([]byte, 64<<10)}
	b.SetBytes(64 << 10)
	for b.Loop() {
		s.Publish(frames)
		s.Wait(context.Background(), 8<<20)
	}
}

// Subscribers that come and go while messages are published: the one that stays gets all of them, and nothing of the others remains.
func TestSubscribersThatComeAndGo(t *testing.T) {
	subscribed := make(chan bool, 1000)
	s, addr := listen(t, XPub, Options{OnSubscribe: func(string, string) { subscribed <- true }})
	stays := raw(t, addr, "SUB", "")
	stays.Write([]byte{0, 1, 1})
	<-subscribed
	before := runtime.NumGoroutine()
	const n = 3000
	stop, churned := make(chan bool), make(chan int)
	go func() {
		cycles := 0
		for {
			select {
			case <-stop:
				churned <- cycles
				return
			default:
			}
			c := raw(t, addr, "SUB", "")
			c.Write([]byte{0, 1, 1})
			<-subscribed
			c.Close()
			cycles++
		}
	}()
	go func() {
		for i := range n {
			s.Publish([][]byte{fmt.Appendf(nil, "%d", i), make([]byte, 2000)})
			s.Wait(context.Background(), 1<<20)
			if i%10 == 0 {
				time.Sleep(50 * time.Microsecond)
			}
		}
	}()
	for i := range n {
		if _, b := readFrame(stays); string(b) != fmt.Sprint(i) {
			t.Fatalf("message %d is %q", i, b)
		}
		readFrame(stays)
	}
	close(stop)
	if cycles := <-churned; cycles == 0 {
		t.Error("nobody came and went")
	}
	for end := time.Now().Add(soon); runtime.NumGoroutine() > before || len(s.all()) > 1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, %d after; %d peers", before, runtime.NumGoroutine(), len(s.all()))
		}
	}
}
