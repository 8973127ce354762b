package protocol

import (
	"bufio"
	binenc "encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// streamMerge bounds the text gathered in one pending Stream frame.
const streamMerge = 64 << 10

// Append appends the frame of m to dst.
// It fails when a field cannot be encoded or the frame would be longer than MaxFrame.
func Append(dst []byte, m Message) ([]byte, error) {
	head, err := json.Marshal(m)
	if err != nil {
		return dst, fmt.Errorf("protocol: encoding %T: %w", m, err)
	}
	size := 1 + 4 + len(head)
	var blobs [][]byte
	if b, ok := m.(binary); ok {
		blobs = b.blobs()
		for _, x := range blobs {
			size += 4 + len(x)
		}
	}
	if size > MaxFrame {
		return dst, fmt.Errorf("protocol: %T of %d bytes is larger than the limit of %d", m, size, MaxFrame)
	}
	dst = slices.Grow(dst, 4+size)
	dst = binenc.BigEndian.AppendUint32(dst, uint32(size))
	dst = append(dst, byte(m.Kind()))
	dst = binenc.BigEndian.AppendUint32(dst, uint32(len(head)))
	dst = append(dst, head...)
	for _, x := range blobs {
		dst = binenc.BigEndian.AppendUint32(dst, uint32(len(x)))
		dst = append(dst, x...)
	}
	return dst, nil
}

// Decode decodes the payload of one frame (without its length field). Binary fields alias payload.
func Decode(payload []byte) (Message, error) {
	if len(payload) < 5 {
		return nil, fmt.Errorf("protocol: frame of %d bytes is too short", len(payload))
	}
	m := newMessage(Kind(payload[0]))
	if m == nil {
		return nil, fmt.Errorf("protocol: unknown message kind %d", payload[0])
	}
	n := binenc.BigEndian.Uint32(payload[1:])
	rest := payload[5:]
	if uint64(n) > uint64(len(rest)) {
		return nil, fmt.Errorf("protocol: %T: head of %d bytes in a frame of %d", m, n, len(payload))
	}
	if err := json.Unmarshal(rest[:n], m); err != nil {
		return nil, fmt.Errorf("protocol: %T: %w", m, err)
	}
	rest = rest[n:]
	var blobs [][]byte
	for len(rest) > 0 {
		if len(rest) < 4 {
			return nil, fmt.Errorf("protocol: %T: %d stray bytes at the end", m, len(rest))
		}
		n := binenc.BigEndian.Uint32(rest)
		rest = rest[4:]
		if uint64(n) > uint64(len(rest)) {
			return nil, fmt.Errorf("protocol: %T: field of %d bytes where %d are left", m, n, len(rest))
		}
		blobs = append(blobs, rest[:n:n])
		rest = rest[n:]
	}
	if b, ok := m.(binary); ok {
		if !b.setBlobs(blobs) {
			return nil, fmt.Errorf("protocol: %T: %d binary fields", m, len(blobs))
		}
	} else if len(blobs) > 0 {
		return nil, fmt.Errorf("protocol: %T takes no binary fields, got %d", m, len(blobs))
	}
	return m, nil
}

// ErrClosed is returned by Send after Close.
var ErrClosed = errors.New("protocol: connection closed")

// Conn sends and receives messages over a byte stream. Send may be called by many goroutines, Receive by one.
//
// A Stream that comes within StreamDelay of the last write waits for more text, at most StreamDelay; everything else is on its
// way when Send returns.
// Order is kept. Send blocks while the other side does not read, which is what slows down a cell that prints faster than it can be shown.
type Conn struct {
	rw io.ReadWriteCloser
	r  *bufio.Reader

	mu      sync.Mutex
	buf     []byte
	tail    int     // offset in buf of the last frame if it is a Stream that can grow, else -1
	last    *Stream // that Stream's head
	waiting bool    // a flush is scheduled
	flushed time.Time
	err     error
}

// NewConn returns a Conn over rw.
func NewConn(rw io.ReadWriteCloser) *Conn {
	return &Conn{rw: rw, r: bufio.NewReaderSize(rw, 1<<16), tail: -1}
}

// Send sends m. After an error the connection is broken and every Send returns that error.
func (c *Conn) Send(m Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	s, isStream := m.(*Stream)
	if isStream && c.grow(s) {
		return nil
	}
	start := len(c.buf)
	buf, err := Append(c.buf, m)
	if err != nil {
		return err // nothing was added: the connection is still good
	}
	c.buf = buf
	// Text that comes alone goes at once: it may be the last that a program says before it dies.
	if !isStream || len(s.Text) >= streamMerge || len(c.buf) >= 4*streamMerge || time.Since(c.flushed) > StreamDelay {
		return c.flush()
	}
	c.tail, c.last = start, &Stream{Cell: s.Cell, Name: s.Name}
	if !c.waiting {
		c.waiting = true
		time.AfterFunc(StreamDelay, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.waiting = false
			c.flush()
		})
	}
	return nil
}

// grow appends s to the pending stream frame if it belongs to the same cell and stream and there is room.
func (c *Conn) grow(s *Stream) bool {
	if c.tail < 0 || c.last.Cell != s.Cell || c.last.Name != s.Name {
		return false
	}
	frame := c.buf[c.tail:]
	if len(frame)+len(s.Text) > streamMerge {
		return false
	}
	head := binenc.BigEndian.Uint32(frame[5:])
	text := frame[9+head:] // its length field
	add := uint32(len(s.Text))
	binenc.BigEndian.PutUint32(frame, binenc.BigEndian.Uint32(frame)+add)
	binenc.BigEndian.PutUint32(text, binenc.BigEndian.Uint32(text)+add)
	c.buf = append(c.buf, s.Text...)
	return true
}

// Flush writes what Send has gathered.
func (c *Conn) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flush()
}

func (c *Conn) flush() error {
	c.tail, c.last = -1, nil
	if c.err != nil || len(c.buf) == 0 {
		return c.err
	}
	_, err := c.rw.Write(c.buf)
	c.flushed = time.Now()
	if err != nil {
		c.err = fmt.Errorf("protocol: %w", err)
	}
	if cap(c.buf) > 1<<20 {
		c.buf = nil
	}
	c.buf = c.buf[:0]
	return c.err
}

// Receive returns the next message. It returns io.EOF when the other side has closed between two frames.
// Any other error is final too: the stream cannot be resynchronised.
func (c *Conn) Receive() (Message, error) {
	var length [4]byte
	if _, err := io.ReadFull(c.r, length[:]); err != nil {
		return nil, err
	}
	n := binenc.BigEndian.Uint32(length[:])
	if n > MaxFrame {
		return nil, fmt.Errorf("protocol: frame of %d bytes is larger than the limit of %d", n, MaxFrame)
	}
	payload, err := readN(c.r, int(n))
	if err != nil {
		return nil, err
	}
	return Decode(payload)
}

// readN reads n bytes without trusting n: memory grows with what really arrives, in few steps.
func readN(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, min(n, 1<<20))
	have := 0
	for {
		k, err := io.ReadFull(r, b[have:])
		have += k
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil || have == n {
			return b, err
		}
		bigger := make([]byte, min(n, 8*have))
		copy(bigger, b)
		b = bigger
	}
}

// Close flushes and closes the stream. A Send that is blocked, because the other side does not read, fails.
func (c *Conn) Close() error {
	if c.mu.TryLock() {
		c.flush()
		if c.err == nil {
			c.err = ErrClosed
		}
		c.mu.Unlock()
	}
	return c.rw.Close()
}
