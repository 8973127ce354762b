package socket

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Kind is the type of a socket.
type Kind string

// The kinds of sockets.
const (
	Router Kind = "ROUTER" // requests come with a peer, answers go to one
	XPub   Kind = "XPUB"   // publishes to those who subscribed, and tells who did
	Rep    Kind = "REP"    // like Router, for REQ clients
)

// Options of a socket. Zero values stand for the defaults.
type Options struct {
	Handshake   time.Duration                 // deadline of a handshake; default 5 s
	MaxQueue    int                           // bytes queued for one peer before it is given up as stalled; default 128 MiB
	MaxMessage  int                           // bytes of one message received; default 1 GiB
	OnSubscribe func(peer, topic string)      // called when a peer has subscribed (XPub)
	Log         func(format string, a ...any) // told about connections that were dropped, and why
}

// Received is a message that came in.
type Received struct {
	Peer   string // who sent it, for Send
	Frames [][]byte
}

// Socket is a listening socket.
type Socket struct {
	kind     Kind
	opt      Options
	listener net.Listener
	file     string // of an ipc socket
	in       chan Received
	done     chan struct{} // closed by Close
	wg       sync.WaitGroup

	mu    sync.Mutex
	peers map[string]*peer
	raw   map[net.Conn]struct{} // in the handshake
}

// Listen opens a socket at endpoint, "tcp://host:port" or "ipc://path".
func Listen(kind Kind, endpoint string, opt Options) (*Socket, error) {
	if opt.Handshake == 0 {
		opt.Handshake = 5 * time.Second
	}
	if opt.MaxQueue == 0 {
		opt.MaxQueue = 128 << 20
	}
	if opt.MaxMessage == 0 {
		opt.MaxMessage = 1 << 30
	}
	if opt.Log == nil {
		opt.Log = func(string, ...any) {}
	}
	network, address, ok := strings.Cut(endpoint, "://")
	s := &Socket{kind: kind, opt: opt, in: make(chan Received, 64), done: make(chan struct{}),
		peers: map[string]*peer{}, raw: map[net.Conn]struct{}{}}
	switch {
	case ok && network == "tcp":
	case ok && network == "ipc":
		network, s.file = "unix", address
		if err := removeStale(address); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("endpoint %q: must be tcp://host:port or ipc://path", endpoint)
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	s.listener = l
	s.wg.Go(s.accept)
	return s, nil
}

// removeStale removes a socket file that a process left behind, but nothing else.
func removeStale(path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if fi.Mode()&os.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return fmt.Errorf("%s: %w", path, syscall.EADDRINUSE)
	}
	return os.Remove(path)
}

// Addr is the address that the socket listens at.
func (s *Socket) Addr() net.Addr { return s.listener.Addr() }

// Incoming delivers messages in the order of each peer. It is never closed; stop reading when Close was called.
func (s *Socket) Incoming() <-chan Received { return s.in }

func (s *Socket) accept() {
	for {
		nc, err := s.listener.Accept()
		if err != nil {
			select {
			case <-s.done:
				return
			case <-time.After(10 * time.Millisecond): // such as too many open files
				s.opt.Log("%s: accept: %v", s.kind, err)
				if errors.Is(err, net.ErrClosed) {
					return
				}
				continue
			}
		}
		s.mu.Lock()
		select {
		case <-s.done:
			nc.Close()
		default:
			s.raw[nc] = struct{}{}
			s.wg.Go(func() { s.serve(nc) })
		}
		s.mu.Unlock()
	}
}

func (s *Socket) serve(nc net.Conn) {
	nc.SetDeadline(time.Now().Add(s.opt.Handshake))
	meta, err := handshake(nc, zmq4.SocketType(s.kind))
	nc.SetDeadline(time.Time{})
	s.mu.Lock()
	delete(s.raw, nc)
	if err != nil {
		s.mu.Unlock()
		nc.Close()
		if !errors.Is(err, net.ErrClosed) {
			s.opt.Log("%s: connection from %v dropped: %v", s.kind, nc.RemoteAddr(), err)
		}
		return
	}
	select {
	case <-s.done:
		s.mu.Unlock()
		nc.Close()
		return
	default:
	}
	id := meta["Identity"]
	if id == "" || s.kind == XPub { // subscribers are not addressed by identity: two may share one
		id = "\x00" + rand.Text() // identities of clients do not begin with a zero byte
	}
	p := newPeer(id, nc)
	old := s.peers[id]
	s.peers[id] = p
	s.mu.Unlock()
	if old != nil {
		old.close()
	}
	s.wg.Go(p.write)
	err = p.read(s.opt.MaxMessage, func(frames [][]byte) {
		if s.kind == XPub {
			if len(frames) == 1 {
				s.subscription(p, frames[0])
			}
			return
		}
		select {
		case s.in <- Received{id, frames}:
		case <-s.done:
		}
	}, func(name string, body []byte) error {
		switch name {
		case zmq4.CmdPing: // 2 bytes time to live, then a context to be sent back
			if len(body) < 2 || len(body) > 18 {
				return fmt.Errorf("malformed PING")
			}
			p.push(queued{[][]byte{append([]byte("\x04PONG"), body[2:]...)}, true}, s.opt.MaxQueue)
		case zmq4.CmdSubscribe:
			s.subscription(p, append([]byte{1}, body...))
		case zmq4.CmdCancel:
			s.subscription(p, append([]byte{0}, body...))
		}
		return nil // others are ignored, as the specification demands
	})
	s.mu.Lock()
	if s.peers[id] == p {
		delete(s.peers, id)
	}
	s.mu.Unlock()
	p.close()
	if err != nil && err != io.EOF && !errors.Is(err, net.ErrClosed) && !errors.Is(err, syscall.ECONNRESET) {
		s.opt.Log("%s: connection from %v dropped: %v", s.kind, nc.RemoteAddr(), err)
	}
}

func (s *Socket) subscription(p *peer, frame []byte) {
	if topic, added := p.subscribe(frame); added && s.opt.OnSubscribe != nil {
		s.opt.OnSubscribe(p.id, topic)
	}
}

// Send queues a message for one peer. It fails when the peer has gone or does not read.
// The frames must not be changed afterwards.
func (s *Socket) Send(peer string, frames [][]byte) error {
	s.mu.Lock()
	p := s.peers[peer]
	s.mu.Unlock()
	if p == nil {
		return fmt.Errorf("peer %q is not connected", peer)
	}
	if !p.push(queued{frames: frames}, s.opt.MaxQueue) {
		s.giveUp(p)
		return fmt.Errorf("peer %q does not read", peer)
	}
	return nil
}

// Publish queues a message for every peer that subscribed to a prefix of frames[0] and returns how many these are.
// A peer whose queue is full is disconnected; ZeroMQ clients then connect anew. The frames must not be changed afterwards.
func (s *Socket) Publish(frames [][]byte) int {
	n := 0
	for _, p := range s.all() {
		if !p.wants(frames[0]) {
			continue
		}
		if !p.push(queued{frames: frames}, s.opt.MaxQueue) {
			s.giveUp(p)
			continue
		}
		n++
	}
	return n
}

func (s *Socket) giveUp(p *peer) {
	s.opt.Log("%s: connection from %v dropped: it does not read and %d bytes wait for it", s.kind, p.nc.RemoteAddr(), s.opt.MaxQueue)
	p.close()
}

func (s *Socket) all() []*peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	ps := make([]*peer, 0, len(s.peers))
	for _, p := range s.peers {
		ps = append(ps, p)
	}
	return ps
}

// How long Wait believes that a peer which takes nothing is only slow.
const (
	patience     = 150 * time.Millisecond // while its queue is above high water
	lastPatience = 5 * time.Second        // while its queue is nearly full, before it is given up
)

// Wait slows down a publisher: it returns when no peer that is still reading has more than high bytes queued. It does not wait for a peer
// that has taken nothing for a while, unless that peer is about to be given up.
func (s *Socket) Wait(ctx context.Context, high int) {
	for _, p := range s.all() {
		for {
			p.mu.Lock()
			limit := patience
			if p.bytes > s.opt.MaxQueue*3/4 {
				limit = lastPatience
			}
			left := time.Until(p.moved.Add(limit))
			full := !p.closed && p.bytes > high && left > 0
			progress := p.progress
			p.mu.Unlock()
			if !full {
				break
			}
			t := time.NewTimer(left)
			select {
			case <-progress:
			case <-t.C:
			case <-ctx.Done():
				t.Stop()
				return
			case <-s.done:
				t.Stop()
				return
			}
			t.Stop()
		}
	}
}

// Queued is the number of bytes that wait for all peers together.
func (s *Socket) Queued() int {
	n := 0
	for _, p := range s.all() {
		p.mu.Lock()
		n += p.bytes
		p.mu.Unlock()
	}
	return n
}

// Close stops listening, gives the queues up to linger to drain, and closes all connections.
func (s *Socket) Close(linger time.Duration) {
	s.mu.Lock()
	select {
	case <-s.done:
		s.mu.Unlock()
		return
	default:
	}
	close(s.done)
	s.mu.Unlock()
	s.listener.Close()
	for end := time.Now().Add(linger); time.Now().Before(end); time.Sleep(500 * time.Microsecond) {
		idle := true
		for _, p := range s.all() {
			idle = idle && p.idle()
		}
		if idle {
			break
		}
	}
	for _, p := range s.all() {
		if c, ok := p.nc.(interface{ CloseWrite() error }); ok {
			c.CloseWrite()
		}
		p.close()
	}
	s.mu.Lock()
	for nc := range s.raw {
		nc.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
	if s.file != "" {
		os.Remove(s.file)
	}
}
