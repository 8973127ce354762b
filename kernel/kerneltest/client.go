// Package kerneltest has a scripted Jupyter client for tests, and a worker that plays a part instead of running Go.
//
// A test reads like a sequence diagram: what is sent, and what comes back on which channel in which order.
//
//	k := kerneltest.Start(t, front.Config{})
//	r := k.Execute(`print hello`)
//	r.WantIOPub("status busy", "execute_input print hello", "stream stdout hello\n", "status idle")
//	r.WantReply("execute_reply ok 1")
//
// The client shares no code with the kernel: its sockets are zmq4's own, and it signs and checks for itself.
package kerneltest

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Patience is how long the client waits for a message before the test fails.
const Patience = 20 * time.Second

// M is a JSON object.
type M = map[string]any

// Message is a message that was received.
type Message struct {
	Channel  string // shell, control, stdin or iopub
	Topic    string // first frame on iopub
	Type     string
	Header   M
	Parent   M
	Metadata M
	Content  M
	Buffers  [][]byte
	At       time.Time
}

// ParentID is the msg_id of the message that caused this one.
func (m Message) ParentID() string {
	id, _ := m.Parent["msg_id"].(string)
	return id
}

// String is a short form for comparisons: the type and what matters of the content.
func (m Message) String() string {
	words := []any{m.Type}
	for _, k := range []string{"execution_state", "status", "name", "text", "code", "execution_count", "ename", "evalue", "prompt", "comm_id", "subscription", "wait"} {
		if v, ok := m.Content[k]; ok && !(k == "execution_count" && m.Type != "execute_reply") {
			words = append(words, v)
		}
	}
	if d, ok := m.Content["data"].(M); ok {
		if p, ok := d["text/plain"]; ok {
			words = append(words, p)
		}
	}
	return strings.TrimSuffix(fmt.Sprintln(words...), "\n")
}

// Client is one Jupyter client.
type Client struct {
	T       testing.TB
	conn    Connection
	session string
	sockets map[string]zmq4.Socket
	inbox   chan Message
	cancel  context.CancelFunc

	seen []Message // received and not yet asked for
	// OnInput answers input_request; nil leaves it to the test.
	OnInput func(m Message) string
}

// Connect connects a client to a kernel, which may still be starting.
func Connect(t testing.TB, conn Connection) *Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{T: t, conn: conn, session: rand.Text(), sockets: map[string]zmq4.Socket{}, inbox: make(chan Message, 1<<16), cancel: cancel}
	id := zmq4.WithID(zmq4.SocketIdentity(c.session))
	retry := zmq4.WithDialerRetry(5 * time.Millisecond)
	max := zmq4.WithDialerMaxRetries(2000)
	c.sockets["iopub"] = zmq4.NewSub(ctx, retry, max)
	for _, name := range []string{"shell", "control", "stdin"} {
		c.sockets[name] = zmq4.NewDealer(ctx, id, retry, max)
	}
	for _, p := range []struct {
		name string
		port int
	}{{"iopub", conn.IOPub}, {"shell", conn.Shell}, {"control", conn.Control}, {"stdin", conn.Stdin}} {
		s := c.sockets[p.name]
		if p.name == "iopub" {
			s.SetOption(zmq4.OptionSubscribe, "")
		}
		if err := s.Dial(conn.Endpoint(p.port)); err != nil {
			t.Fatalf("connecting to %s: %v", p.name, err)
		}
		go c.receive(p.name, s)
	}
	return c
}

// Join waits until the kernel has welcomed the client on iopub, so that nothing published from now on is missed.
func (c *Client) Join() *Client {
	c.T.Helper()
	c.Next("iopub_welcome", func(m Message) bool { return m.Type == "iopub_welcome" })
	return c
}

// Close disconnects the client.
func (c *Client) Close() {
	c.cancel()
	for _, s := range c.sockets {
		s.Close()
	}
}

func (c *Client) receive(channel string, s zmq4.Socket) {
	for {
		m, err := s.Recv()
		if err != nil {
			return
		}
		if msg, err := c.parse(channel, m.Frames); err != nil {
			c.T.Errorf("%s: %v", channel, err)
		} else {
			c.inbox <- msg
		}
	}
}

var date = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)

// parse checks everything that must hold for every message.
func (c *Client) parse(channel string, frames [][]byte) (Message, error) {
	i := slices.IndexFunc(frames, func(f []byte) bool { return string(f) == "<IDS|MSG>" })
	if i < 0 || len(frames) < i+6 {
		return Message{}, fmt.Errorf("not a Jupyter message: %q", frames)
	}
	m := Message{Channel: channel, At: time.Now(), Buffers: frames[i+6:]}
	if i > 0 {
		m.Topic = string(frames[0])
	}
	if got, want := string(frames[i+1]), c.sign(frames[i+2:i+6]); got != want {
		return m, fmt.Errorf("signature %s, want %s", got, want)
	}
	for j, v := range []*M{&m.Header, &m.Parent, &m.Metadata, &m.Content} {
		if err := json.Unmarshal(frames[i+2+j], v); err != nil {
			return m, fmt.Errorf("frame %d is not a JSON object: %v: %.200q", j, err, frames[i+2+j])
		}
	}
	m.Type, _ = m.Header["msg_type"].(string)
	session, _ := m.Header["session"].(string)
	when, _ := m.Header["date"].(string)
	if session == "" || session == c.session || !date.MatchString(when) || m.Header["version"] != "5.4" || m.Header["msg_id"] == "" {
		return m, fmt.Errorf("header %v", m.Header)
	}
	return m, nil
}

func (c *Client) sign(parts [][]byte) string {
	if c.conn.Key == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(c.conn.Key))
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// Frames makes the signed frames of a message and returns its msg_id.
func (c *Client) Frames(msgType string, content any, header M, buffers ...[]byte) ([][]byte, string) {
	return c.frames(msgType, content, header, M{}, buffers)
}

// Answer sends a message whose parent is one that was received.
func (c *Client) Answer(to Message, msgType string, content any) {
	frames, _ := c.frames(msgType, content, nil, to.Header, nil)
	c.SendRaw(to.Channel, frames...)
}

func (c *Client) frames(msgType string, content any, header, parent M, buffers [][]byte) ([][]byte, string) {
	id := rand.Text()
	h := M{"msg_id": id, "msg_type": msgType, "session": c.session, "username": "test", "version": "5.4",
		"date": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")}
	for k, v := range header {
		h[k] = v
	}
	if content == nil {
		content = M{}
	}
	hb, _ := json.Marshal(h)
	cb, err := json.Marshal(content)
	if err != nil {
		c.T.Fatal(err)
	}
	pb, _ := json.Marshal(parent)
	parts := [][]byte{hb, pb, []byte("{}"), cb}
	return append(append([][]byte{[]byte("<IDS|MSG>"), []byte(c.sign(parts))}, parts...), buffers...), id
}

// Send sends a message and returns its msg_id.
func (c *Client) Send(channel, msgType string, content any) string {
	frames, id := c.Frames(msgType, content, nil)
	c.SendRaw(channel, frames...)
	return id
}

// SendRaw sends frames as they are.
func (c *Client) SendRaw(channel string, frames ...[]byte) {
	c.T.Helper()
	if err := c.sockets[channel].SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		c.T.Fatalf("sending on %s: %v", channel, err)
	}
}

// Next returns the next message that fits, in the order of arrival; others are kept for later.
func (c *Client) Next(what string, fits func(Message) bool) Message {
	c.T.Helper()
	m, ok := c.next(Patience, fits)
	if !ok {
		c.T.Fatalf("no %s within %v; received and not used: %v", what, Patience, c.seen)
	}
	return m
}

// Never fails the test if a message that fits comes within d.
func (c *Client) Never(d time.Duration, what string, fits func(Message) bool) {
	c.T.Helper()
	if m, ok := c.next(d, fits); ok {
		c.T.Errorf("%s: received %v", what, m)
	}
}

func (c *Client) next(patience time.Duration, fits func(Message) bool) (Message, bool) {
	for i, m := range c.seen {
		if fits(m) {
			c.seen = slices.Delete(c.seen, i, i+1)
			return m, true
		}
	}
	timeout := time.After(patience)
	for {
		select {
		case m := <-c.inbox:
			if m.Channel == "stdin" && m.Type == "input_request" && c.OnInput != nil {
				c.Answer(m, "input_reply", M{"value": c.OnInput(m)})
			}
			if fits(m) {
				return m, true
			}
			c.seen = append(c.seen, m)
		case <-timeout:
			return Message{}, false
		}
	}
}

// Reply waits for the reply to a request on a channel.
func (c *Client) Reply(channel, id string) Message {
	c.T.Helper()
	return c.Next("reply on "+channel, func(m Message) bool { return m.Channel == channel && m.ParentID() == id })
}

// Execute sends an execute_request with the usual fields, changed by extra, and waits for its end.
func (c *Client) Execute(code string, extra M) *Run {
	c.T.Helper()
	return c.Await("shell", c.SendExecute(code, extra))
}

// SendExecute sends an execute_request and does not wait.
func (c *Client) SendExecute(code string, extra M) string {
	content := M{"code": code, "silent": false, "store_history": true, "user_expressions": M{}, "allow_stdin": false, "stop_on_error": true}
	for k, v := range extra {
		content[k] = v
	}
	return c.Send("shell", "execute_request", content)
}

// Ask sends a request and waits for its reply and its idle.
func (c *Client) Ask(channel, msgType string, content any) *Run {
	c.T.Helper()
	return c.Await(channel, c.Send(channel, msgType, content))
}

// Await waits for the reply and the idle of a request.
func (c *Client) Await(channel, id string) *Run {
	c.T.Helper()
	r := &Run{T: c.T, ID: id, Sent: time.Now()}
	replied, idle := false, false
	for !replied || !idle {
		m := c.Next("reply and idle", func(m Message) bool { return m.ParentID() == id })
		switch {
		case m.Channel == "iopub":
			r.IOPub = append(r.IOPub, m)
			idle = idle || m.Type == "status" && m.Content["execution_state"] == "idle"
		case m.Channel == channel:
			r.Reply, replied = m, true
		}
	}
	r.Ended = time.Now()
	return r
}

// AwaitIdle waits for the idle of a message that has no reply, such as comm_msg.
func (c *Client) AwaitIdle(id string) *Run {
	c.T.Helper()
	r := &Run{T: c.T, ID: id}
	for {
		m := c.Next("idle", func(m Message) bool { return m.ParentID() == id && m.Channel == "iopub" })
		r.IOPub = append(r.IOPub, m)
		if m.Type == "status" && m.Content["execution_state"] == "idle" {
			return r
		}
	}
}
