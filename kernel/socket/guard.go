package socket

import (
	"fmt"
	"net"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// Sizes of ZMTP 3.0 (rfc.zeromq.org/spec/23).
const (
	greetingSize = 64
	flagMore     = 1
	flagLong     = 2
	flagCommand  = 4
)

// maxHandshake bounds a command of the handshake. A READY holds a socket type and an identity of at most 255 bytes.
const maxHandshake = 4096

// handshake performs the server's side of the ZMTP handshake.
func handshake(nc net.Conn, kind zmq4.SocketType) (meta zmq4.Metadata, err error) {
	defer func() {
		// zmq4 panics on a socket type that it does not know.
		if r := recover(); r != nil {
			err = fmt.Errorf("handshake: %v", r)
		}
	}()
	c, err := zmq4.Open(&guard{Conn: nc}, null.Security(), kind, zmq4.SocketIdentity(""), true, nil)
	if err != nil {
		return nil, err
	}
	return c.Peer.Meta, nil
}

// guard follows the frames that zmq4 reads during the handshake and refuses a long one when its header has been read.
// Without it zmq4 allocates whatever size a stranger claims.
type guard struct {
	net.Conn
	seen int    // bytes of the greeting
	head []byte // frame header so far
	body int    // bytes of the frame's body still to come
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	for _, c := range p[:n] {
		switch {
		case g.seen < greetingSize:
			g.seen++
		case g.body > 0:
			g.body--
		default:
			g.head = append(g.head, c)
			size, ok := frameSize(g.head)
			if !ok {
				continue
			}
			if size > maxHandshake {
				return 0, fmt.Errorf("frame of %d bytes during the handshake", size)
			}
			g.body, g.head = int(size), g.head[:0]
		}
	}
	return n, err
}

// frameSize returns the size of the body that follows header, and whether header is complete.
func frameSize(header []byte) (uint64, bool) {
	if len(header) < 2 {
		return 0, false
	}
	if header[0]&flagLong == 0 {
		return uint64(header[1]), true
	}
	if len(header) < 9 {
		return 0, false
	}
	var n uint64
	for _, c := range header[1:9] {
		n = n<<8 | uint64(c)
	}
	return n, true
}
