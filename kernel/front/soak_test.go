package front_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/godp/kernel/front"
	"example.org/godp/kernel/kerneltest"
)

// go test ./kernel/front -run Soak -soak 20 takes the full measure: 10,000 cells, 500 MB of output.
var soak = flag.Int("soak", 1, "make the soak runs this many times as long")

// heap is what is in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// settle waits until no more goroutines than before are left.
func settle(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(kerneltest.Patience); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), b[:runtime.Stack(b, true)])
		}
	}
}

// nuisance is what a port scanner, a lost client and a broken one do to a port, again and again.
func nuisance(rng *rand.Rand, address string) {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return // the kernel has ended, or the backlog is full of us
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(50 * time.Millisecond))
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	noise := make([]byte, rng.IntN(2000))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	switch rng.IntN(7) {
	case 0: // a scan
	case 1: // half open: says nothing, and goes away later
		time.Sleep(20 * time.Millisecond)
	case 2:
		c.Write(noise)
	case 3:
		c.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		c.Read(make([]byte, 100))
	case 4: // noise after the greeting
		c.Write(greeting)
		c.Write(noise)
	case 5: // a peer of the wrong kind
		c.Write(greeting)
		c.Write([]byte("\x04\x1a\x05READY\x0bSocket-Type\x00\x00\x00\x04PUSH"))
		c.Write(noise)
	case 6: // a proper peer that sends noise in frames, or promises more than comes
		c.Write(greeting)
		c.Write([]byte("\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"))
		c.Write([]byte{1, 5, 'h', 'e', 'l', 'l', 'o', 0, byte(len(noise))})
		c.Write(noise)
		c.Write([]byte{2, 0, 0, 0, 1, 0, 0, 0, 0}) // 4 GiB are to come
	}
	if tcp, ok := c.(*net.TCPConn); ok && rng.IntN(2) == 0 {
		tcp.SetLinger(0) // a reset instead of an end
	}
}

// TestSoak: a client works while everything that can go wrong around it does. Nothing that it should get is lost, and
// afterwards neither goroutines nor memory are left.
func TestSoak(t *testing.T) {
	signal.Notify(make(chan os.Signal), os.Interrupt) // starts a goroutine for the whole process
	goroutines := runtime.NumGoroutine()
	t.Run("life", func(t *testing.T) {
		k := kerneltest.Start(t, front.Config{OutputLimit: -1})
		conn := connectionOf(t, k)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for i, port := range []int{conn.Shell, conn.IOPub, conn.HB, conn.Control, conn.Stdin} {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(7, uint64(i)))
				for {
					select {
					case <-stop:
						return
					default:
						nuisance(rng, strings.TrimPrefix(conn.Endpoint(port), "tcp://"))
						time.Sleep(2 * time.Millisecond)
					}
				}
			})
		}
		n := 0
		cells := func(count int) {
			for range count {
				n++
				r := k.Execute(fmt.Sprintf("lines 20\nresult %d", n))
				r.WantReply(fmt.Sprintf("execute_reply ok %d", n))
				if r.Text("stdout") != lines(20) || r.Count("execute_result") != 1 {
					t.Fatalf("cell %d gave %v", n, r.IOPub)
				}
			}
		}
		cells(100)
		before := heap()
		cells(500 * *soak)
		// Another client comes, runs a cell and vanishes in it, again and again.
		for range 5 * *soak {
			second := kerneltest.Connect(t, conn).Join()
			id := second.SendExecute("sleep 5ms\nlines 1000", nil)
			second.Next("busy", func(m kerneltest.Message) bool { return m.ParentID() == id })
			second.Close()
			n++
		}
		cells(50)
		// A cell more is remembered, for output after its end: its header, not its output.
		if each := (heap() - before) / int64(550**soak); each > 4000 && *soak >= 10 {
			t.Errorf("%d bytes stay for each cell", each)
		}
		before = heap()
		for range 25 * *soak { // MB
			n++
			r := k.Execute("flood 100 9999")
			if got := r.Text("stdout"); len(got) != 1_000_000 || strings.Count(got, "\n") != 100 {
				t.Fatalf("%d of 1,000,000 bytes arrived", len(got))
			}
		}
		if grown := heap() - before; grown > 32<<20 {
			t.Errorf("%d MB of output left %d MB behind", 25**soak, grown>>20)
		}
		close(stop)
		wg.Wait()
		cells(1)
	})
	settle(t, goroutines)
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// A binary buffer of 50 MB goes both ways unchanged, and is not kept.
func TestLargeBuffer(t *testing.T) {
	k := kerneltest.Start(t, front.Config{})
	c := k.Client
	c.AwaitIdle(c.Send("shell", "comm_open", M{"comm_id": "c1", "target_name": "echo", "data": M{}}))
	buffer := make([]byte, 50<<20)
	rng := rand.NewChaCha8([32]byte{1})
	rng.Read(buffer)
	before := heap()
	for range 2 * *soak {
		frames, id := c.Frames("comm_msg", M{"comm_id": "c1", "data": M{}}, nil, buffer)
		c.SendRaw("shell", frames...)
		r := c.AwaitIdle(id)
		found := false
		for _, m := range r.IOPub {
			found = found || len(m.Buffers) == 1 && bytes.Equal(m.Buffers[0], buffer)
		}
		if !found {
			t.Fatalf("the buffer does not come back: %v", r.IOPub)
		}
	}
	c.Never(time.Millisecond, "nothing", func(kerneltest.Message) bool { return false })
	if grown := heap() - before; grown > 64<<20 {
		t.Errorf("%d MB stay", grown>>20)
	}
}
