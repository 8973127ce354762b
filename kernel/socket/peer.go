package socket

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// gather is how many bytes of short frames are written at once.
const gather = 64 << 10

// queued is a message waiting to be written: frames, or a command.
type queued struct {
	frames  [][]byte
	command bool
}

func (q queued) size() int {
	n := 0
	for _, f := range q.frames {
		n += len(f) + 9
	}
	return n
}

// peer is one connection.
type peer struct {
	id string
	nc net.Conn

	mu       sync.Mutex
	cond     sync.Cond
	queue    []queued
	bytes    int  // queued or being written
	writing  bool // the writer holds a message
	closed   bool
	moved    time.Time // when the writer last finished a write, or the queue began to fill
	topics   map[string]struct{}
	progress chan struct{} // closed and replaced whenever bytes shrinks
}

func newPeer(id string, nc net.Conn) *peer {
	p := &peer{id: id, nc: nc, topics: map[string]struct{}{}, progress: make(chan struct{})}
	p.cond.L = &p.mu
	return p
}

func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		p.nc.Close()
		p.queue, p.bytes = nil, 0
		close(p.progress)
		p.progress = make(chan struct{})
		p.cond.Broadcast()
	}
}

// push queues q. It reports false when the peer is closed or its queue is full.
func (p *peer) push(q queued, limit int) bool {
	n := q.size()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.bytes > 0 && p.bytes+n > limit {
		return false
	}
	if p.bytes == 0 {
		p.moved = time.Now()
	}
	p.queue = append(p.queue, q)
	p.bytes += n
	p.cond.Signal()
	return true
}

// write writes what is queued until the peer is closed.
func (p *peer) write() {
	var scratch []byte
	for {
		p.mu.Lock()
		p.writing = false
		for len(p.queue) == 0 && !p.closed {
			p.cond.Wait()
		}
		if p.closed {
			p.mu.Unlock()
			return
		}
		// Take as many messages as fit one write: many short ones, or one long one.
		take, size := 0, 0
		for take < len(p.queue) && (take == 0 || size < gather) {
			size += p.queue[take].size()
			take++
		}
		batch := append([]queued(nil), p.queue[:take]...)
		clear(p.queue[:take])
		if p.queue = p.queue[take:]; len(p.queue) == 0 {
			p.queue = nil
		}
		p.writing = true
		p.mu.Unlock()

		var bufs net.Buffers
		scratch = scratch[:0]
		if cap(scratch) < 2*gather {
			scratch = make([]byte, 0, 2*gather)
		}
		for _, q := range batch {
			for i, f := range q.frames {
				flags := byte(0)
				if i < len(q.frames)-1 {
					flags |= flagMore
				}
				if q.command {
					flags |= flagCommand
				}
				start := len(scratch)
				if len(f) > 255 {
					scratch = binary.BigEndian.AppendUint64(append(scratch, flags|flagLong), uint64(len(f)))
				} else {
					scratch = append(scratch, flags, byte(len(f)))
				}
				if len(f) <= gather/16 {
					scratch = append(scratch, f...)
					bufs = addScratch(bufs, scratch[start:])
				} else {
					bufs = append(addScratch(bufs, scratch[start:]), f)
				}
			}
		}
		if err := p.writeAll(bufs); err != nil {
			p.close()
			return
		}
		p.mu.Lock()
		if !p.closed {
			p.bytes -= size
			p.moved = time.Now()
			close(p.progress)
			p.progress = make(chan struct{})
		}
		p.mu.Unlock()
	}
}

// addScratch adds b, a part of the scratch buffer, to bufs, joining it with its neighbour.
func addScratch(bufs net.Buffers, b []byte) net.Buffers {
	if n := len(bufs); n > 0 {
		last := bufs[n-1]
		if cap(last) >= len(last)+len(b) && len(b) > 0 && len(last) > 0 &&
			&last[:len(last)+1][len(last)] == &b[0] {
			bufs[n-1] = last[:len(last)+len(b)]
			return bufs
		}
	}
	return append(bufs, b)
}

// writeAll writes bufs and notes progress between the pieces of a long message.
func (p *peer) writeAll(bufs net.Buffers) error {
	const piece = 1 << 20
	for _, b := range bufs {
		if len(b) > piece {
			for _, b := range bufs {
				for len(b) > 0 {
					n := min(len(b), piece)
					if _, err := p.nc.Write(b[:n]); err != nil {
						return err
					}
					b = b[n:]
					p.mu.Lock()
					p.moved = time.Now()
					p.mu.Unlock()
				}
			}
			return nil
		}
	}
	_, err := bufs.WriteTo(p.nc)
	return err
}

// read reads messages until the connection ends or breaks the protocol.
func (p *peer) read(limit int, message func([][]byte), command func(name string, body []byte) error) error {
	r := bufio.NewReaderSize(p.nc, 64<<10)
	var frames [][]byte
	total := 0
	for {
		var head [9]byte
		if _, err := io.ReadFull(r, head[:2]); err != nil {
			return err
		}
		if head[0]&^(flagMore|flagLong|flagCommand) != 0 {
			return fmt.Errorf("frame with unknown flags %#x", head[0])
		}
		n := 2
		if head[0]&flagLong != 0 {
			if _, err := io.ReadFull(r, head[2:]); err != nil {
				return err
			}
			n = 9
		}
		size, _ := frameSize(head[:n])
		if size > uint64(limit) || total+int(size)+64 > limit {
			return fmt.Errorf("message is larger than the limit of %d bytes", limit)
		}
		body, err := readBody(r, int(size))
		if err != nil {
			return err
		}
		if head[0]&flagCommand != 0 {
			if head[0]&flagMore != 0 || len(body) == 0 || int(body[0]) > len(body)-1 {
				return fmt.Errorf("malformed command")
			}
			k := 1 + int(body[0])
			if err := command(string(body[1:k]), body[k:]); err != nil {
				return err
			}
			continue
		}
		frames = append(frames, body)
		total += len(body) + 64
		if head[0]&flagMore == 0 {
			message(frames)
			frames, total = nil, 0
		}
	}
}

// readBody reads n bytes; memory grows with what arrives, not with what was claimed.
func readBody(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, min(n, 1<<20))
	have := 0
	for {
		k, err := io.ReadFull(r, b[have:])
		have += k
		if err != nil || have == n {
			return b, err
		}
		bigger := make([]byte, min(n, 8*have))
		copy(bigger, b)
		b = bigger
	}
}

// subscribe handles a subscription frame of a SUB socket: 1 or 0, then the topic.
func (p *peer) subscribe(frame []byte) (topic string, added bool) {
	if len(frame) == 0 || frame[0] > 1 {
		return "", false
	}
	topic = string(frame[1:])
	p.mu.Lock()
	defer p.mu.Unlock()
	if frame[0] == 1 {
		p.topics[topic] = struct{}{}
		return topic, true
	}
	delete(p.topics, topic)
	return topic, false
}

func (p *peer) wants(topic []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := range p.topics {
		if strings.HasPrefix(string(topic), t) {
			return true
		}
	}
	return false
}

// idle tells whether everything queued has been handed to the operating system.
func (p *peer) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed || len(p.queue) == 0 && !p.writing
}
