package front_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

func TestWrongSignaturesAndGarbageAreIgnored(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	k.Execute("print 1")
	rng := rand.New(rand.NewPCG(3, 4))
	var forged []string
	for range 50 {
		frames, id := c.Frames("execute_request", M{"code": "print forged"}, nil)
		frames[1] = []byte(strings.Repeat("0", 64))
		c.SendRaw("shell", frames...)
		forged = append(forged, id)
		garbage := make([]byte, rng.IntN(100)+1)
		for i := range garbage {
			garbage[i] = byte(rng.Uint32())
		}
		for _, ch := range []string{"shell", "control", "stdin"} {
			c.SendRaw(ch, []byte("not"), []byte("a"), []byte("message"))
			c.SendRaw(ch, garbage)
			c.SendRaw(ch, []byte("<IDS|MSG>"), garbage)
			c.SendRaw(ch, frames[:4]...)
		}
	}
	r := k.Execute("print 2")
	r.WantReply("execute_reply ok 2")
	c.Never(50*time.Millisecond, "answer to a forged message", func(m kerneltest.Message) bool {
		for _, id := range forged {
			if m.ParentID() == id {
				return true
			}
		}
		return false
	})
	if n := strings.Count(k.Log.String(), "wrong signature"); n == 0 || n > 6 {
		t.Errorf("wrong signatures were logged %d times", n)
	}
}

func TestReplayedMessageIsIgnored(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	frames, id := k.Client.Frames("execute_request", M{"code": "print once"}, nil)
	k.Client.SendRaw("shell", frames...)
	k.Client.Await("shell", id).WantReply("execute_reply ok 1")
	k.Client.SendRaw("shell", frames...)
	k.Client.SendRaw("control", frames...)
	k.Execute("print 2").WantReply("execute_reply ok 2")
	k.Client.Never(50*time.Millisecond, "second answer", func(m kerneltest.Message) bool { return m.ParentID() == id })
}

func TestMuteConnections(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	conn := connectionOf(t, k)
	for _, port := range []int{conn.Shell, conn.IOPub, conn.HB, conn.Control, conn.Stdin} {
		c, err := net.Dial("tcp", strings.TrimPrefix(conn.Endpoint(port), "tcp://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	k.Client.Join()
	second := kerneltest.Connect(t, conn).Join()
	defer second.Close()
	second.Execute("print x", nil).WantReply("execute_reply ok 1")
	k.Execute("print x").WantReply("execute_reply ok 2")
}

// A subscriber that never reads, while 40 MB are printed: the other client gets everything.
func TestStalledSubscriber(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	conn := connectionOf(t, k)
	k.Execute("print x")
	nc, err := net.Dial("tcp", strings.TrimPrefix(conn.Endpoint(conn.IOPub), "tcp://"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	nc.Write(greeting)
	nc.Write([]byte("\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB"))
	nc.Write([]byte{0, 1, 1})
	time.Sleep(50 * time.Millisecond) // until its subscription is there
	r := k.Execute("flood 400 100000")
	if n := strings.Count(r.Text("stdout"), "z"); n != 40_000_000 {
		t.Errorf("%d of 40,000,000 characters arrived", n)
	}
}

func TestTwoClients(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	k.Client.Join()
	second := kerneltest.Connect(t, connectionOf(t, k)).Join()
	defer second.Close()
	second.Execute("print b", nil).WantReply("execute_reply ok 1")
	r := k.Execute("print a")
	r.WantReply("execute_reply ok 2")
	// Each sees the other's output, and only its own replies.
	second.Next("the other's output", func(m kerneltest.Message) bool { return m.Type == "stream" && m.ParentID() == r.ID })
	second.Never(20*time.Millisecond, "the other's reply", func(m kerneltest.Message) bool { return m.Type == "execute_reply" && m.ParentID() == r.ID })
}

func TestClientThatVanishes(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	k.Client.Join()
	second := kerneltest.Connect(t, connectionOf(t, k)).Join()
	second.Execute("print b", nil)
	id := second.SendExecute("sleep 100ms\nlines 1000", nil)
	second.Next("busy", func(m kerneltest.Message) bool { return m.ParentID() == id })
	second.Close()
	k.Execute("print a").WantReply("execute_reply ok 3")
}

func TestOverIPC(t *testing.T) {
	k := kerneltest.StartOver(t, "ipc", front.Config{})
	k.Execute("print a").WantIOPub("status busy", "execute_input print a", "stream stdout a\n", "status idle")
}

func TestHeartbeatWhileACellRuns(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	conn := connectionOf(t, k)
	id := running(k, "sleep 1h")
	ctx, cancel := context.WithTimeout(context.Background(), kerneltest.Patience)
	defer cancel()
	hb := zmq4.NewReq(ctx)
	defer hb.Close()
	if err := hb.Dial(conn.Endpoint(conn.HB)); err != nil {
		t.Fatal(err)
	}
	hb.Send(zmq4.NewMsgString("beat"))
	if m, err := hb.Recv(); err != nil || string(m.Frames[0]) != "beat" {
		t.Errorf("heartbeat: %q %v", m.Frames, err)
	}
	interrupt(k)
	k.Client.Await("shell", id)
}

func TestNothingIsLeftBehind(t *testing.T) {
	signal.Notify(make(chan os.Signal), os.Interrupt) // starts a goroutine for the whole process
	before := runtime.NumGoroutine()
	t.Run("life", func(t *testing.T) {
		k := kerneltest.Start(t, front.Config{})
		k.Execute("print x")
		k.Execute("exit 1")
		k.Execute("print x")
		k.Client.Ask("control", "create_subshell_request", M{})
	})
	for end := time.Now().Add(kerneltest.Patience); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), b[:runtime.Stack(b, true)])
		}
	}
}

func connectionOf(t *testing.T, k *kerneltest.Kernel) (c kerneltest.Connection) {
	t.Helper()
	b, err := os.ReadFile(k.File)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// 300 comm messages of 1 MB: what was sent is not kept.
func TestLargeMessagesAreNotKept(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	c.AwaitIdle(c.Send("shell", "comm_open", M{"comm_id": "c1", "target_name": "echo", "data": M{}}))
	heap := func() int {
		c.Never(time.Millisecond, "nothing", func(kerneltest.Message) bool { return false })
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	buffer := make([]byte, 1<<20)
	round := func(n int) {
		for range n {
			frames, id := c.Frames("comm_msg", M{"comm_id": "c1", "data": M{}}, nil, buffer)
			c.SendRaw("shell", frames...)
			if r := c.AwaitIdle(id); len(r.IOPub) != 4 || len(r.IOPub[1].Buffers[0]) != len(buffer) {
				t.Fatalf("echo %v", r.IOPub)
			}
		}
	}
	round(10)
	before := heap()
	round(300)
	if grown := heap() - before; grown > 64<<20 {
		t.Errorf("300 MB of messages left %d MB behind", grown>>20)
	}
}
