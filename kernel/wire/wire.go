// Package wire encodes and decodes Jupyter messages.
//
// A message is a list of frames:
//
//	identities…  "<IDS|MSG>"  signature  header  parent_header  metadata  content  buffers…
//
// The signature is the hexadecimal HMAC-SHA256 of the four JSON frames. What comes from a client is kept as raw JSON:
// its header is sent back verbatim as the parent_header of every answer, so that fields this package does not know
// (such as subshell_id once was) are not lost.
//
// The package has no sockets and no clock but the one in the header's date. It follows the Jupyter messaging
// specification, version 5.4.
package wire

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// ProtocolVersion is the version of the Jupyter messaging protocol that is spoken.
const ProtocolVersion = "5.4"

const delimiter = "<IDS|MSG>"

// dateLayout is ISO 8601 with microseconds, as Jupyter clients write it.
const dateLayout = "2006-01-02T15:04:05.000000Z"

// Header is what is read of a header frame.
type Header struct {
	MsgID      string `json:"msg_id"`
	MsgType    string `json:"msg_type"`
	Session    string `json:"session"`
	Username   string `json:"username"`
	Date       any    `json:"date"` // ISO 8601 as a string, from every client known; any, so that nothing else is refused for it
	SubshellID string `json:"subshell_id"`
}

// Message is a message that was received and whose signature is right.
type Message struct {
	Identities [][]byte
	Header     Header
	RawHeader  json.RawMessage // the header frame, verbatim
	Parent     json.RawMessage
	Metadata   json.RawMessage
	Content    json.RawMessage // may be malformed JSON: it is decoded by whoever handles the message
	Buffers    [][]byte
}

// Outgoing is a message to be sent.
type Outgoing struct {
	Type     string
	Parent   json.RawMessage // the raw header of the message that caused this one; nil for none
	Metadata any             // nil for {}
	Content  any             // json.RawMessage goes out as it is; nil for {}
	Buffers  [][]byte
}

// Reasons why frames are not a message. Decode wraps them.
var (
	ErrFraming   = errors.New("not a Jupyter message")
	ErrSignature = errors.New("wrong signature")
	ErrHeader    = errors.New("malformed header")
)

// Codec signs and checks messages with the key of one connection file and stamps them with its own session id.
// It may be used by many goroutines.
type Codec struct {
	signed  bool
	macs    sync.Pool // hash.Hash
	session string
	count   atomic.Uint64
}

// NewCodec returns a codec for a connection file's signature_scheme and key. Without a key messages are not signed.
// The only scheme is hmac-sha256; an empty scheme means the same.
func NewCodec(scheme, key string) (*Codec, error) {
	if scheme != "" && scheme != "hmac-sha256" {
		return nil, fmt.Errorf("signature_scheme %q is not supported, only hmac-sha256 is", scheme)
	}
	c := &Codec{signed: key != "", session: rand.Text()}
	c.macs.New = func() any { return hmac.New(sha256.New, []byte(key)) }
	return c, nil
}

// Session is the id of this end, different from every client's.
func (c *Codec) Session() string { return c.session }

func (c *Codec) sign(parts ...[]byte) []byte {
	mac := c.macs.Get().(hash.Hash)
	defer c.macs.Put(mac)
	mac.Reset()
	for _, p := range parts {
		mac.Write(p)
	}
	var sum [sha256.Size]byte
	return hex.AppendEncode(nil, mac.Sum(sum[:0]))
}

// Decode checks and takes apart a received message.
func (c *Codec) Decode(frames [][]byte) (*Message, error) {
	at := -1
	for i, f := range frames {
		if string(f) == delimiter {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("%w: no %s among %d frames", ErrFraming, delimiter, len(frames))
	}
	rest := frames[at+1:]
	if len(rest) < 5 {
		return nil, fmt.Errorf("%w: %d frames after %s where at least 5 belong", ErrFraming, len(rest), delimiter)
	}
	if c.signed {
		want := c.sign(rest[1:5]...)
		if !hmac.Equal(want, rest[0]) {
			return nil, ErrSignature
		}
	}
	m := &Message{
		Identities: append([][]byte(nil), frames[:at]...), // whoever keeps them does not keep the other frames
		RawHeader:  rest[1],
		Parent:     rest[2],
		Metadata:   rest[3],
		Content:    rest[4],
	}
	if len(rest) > 5 {
		m.Buffers = rest[5:]
	}
	if err := json.Unmarshal(m.RawHeader, &m.Header); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrHeader, err)
	}
	if m.Header.MsgType == "" || m.Header.MsgID == "" {
		return nil, fmt.Errorf("%w: msg_type %q and msg_id %q must not be empty", ErrHeader, m.Header.MsgType, m.Header.MsgID)
	}
	return m, nil
}

// Encode returns the frames from the delimiter on; the caller puts identities or a topic before them.
// It fails only when Content or Metadata cannot be encoded as JSON.
func (c *Codec) Encode(o Outgoing) ([][]byte, error) {
	content, err := object(o.Content)
	if err != nil {
		return nil, fmt.Errorf("content of %s: %w", o.Type, err)
	}
	metadata, err := object(o.Metadata)
	if err != nil {
		return nil, fmt.Errorf("metadata of %s: %w", o.Type, err)
	}
	parent := []byte(o.Parent)
	if len(parent) == 0 {
		parent = []byte("{}")
	}
	header := c.header(o.Type)
	sig := []byte{}
	if c.signed {
		sig = c.sign(header, parent, metadata, content)
	}
	frames := make([][]byte, 0, 6+len(o.Buffers))
	frames = append(frames, []byte(delimiter), sig, header, parent, metadata, content)
	return append(frames, o.Buffers...), nil
}

// header makes a header with a new msg_id.
func (c *Codec) header(msgType string) []byte {
	b := make([]byte, 0, 256)
	b = append(b, `{"msg_id":"`...)
	b = append(b, c.session...)
	b = append(b, '_')
	b = strconv.AppendUint(b, c.count.Add(1), 10)
	b = append(b, `","session":"`...)
	b = append(b, c.session...)
	b = append(b, `","username":"kernel","date":"`...)
	b = time.Now().UTC().AppendFormat(b, dateLayout)
	b = append(b, `","msg_type":`...)
	b = AppendString(b, []byte(msgType))
	b = append(b, `,"version":"`+ProtocolVersion+`"}`...)
	return b
}

// object encodes a JSON object.
func object(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return []byte("{}"), nil
	case json.RawMessage:
		if len(v) == 0 {
			return []byte("{}"), nil
		}
		return v, nil
	}
	return Marshal(v)
}
