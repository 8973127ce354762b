package protocol

import (
	"encoding/json"
	"time"
)

// Kind is the first byte of a frame's payload and tells which message follows.
type Kind uint8

// The kinds of messages. Values are part of the frame format and are never reused.
const (
	KindInvalid Kind = iota
	// front -> worker
	KindExecute
	KindComplete
	KindInspect
	KindIsComplete
	KindExpression
	KindInterrupt
	KindInputReply
	KindShutdown
	// both ways
	KindComm
	// worker -> front
	KindReady
	KindStream
	KindDisplay
	KindClear
	KindResult
	KindError
	KindInputRequest
	KindDone
	KindCompleteReply
	KindInspectReply
	KindIsCompleteReply
	KindExpressionReply
	KindStuck
	KindFatal
	KindLog
	KindTask
	// front -> worker
	KindLook
	KindPast
	// worker -> front
	KindLookReply
	// debugging
	KindDebug      // front -> worker
	KindDebugReply // worker -> front
	KindDebugEvent // worker -> front
	kindEnd
)

// Message is one of the pointer types of this package, such as *Execute or *Stream.
type Message interface {
	// Kind tells the message's type.
	Kind() Kind
}

// binary is implemented by messages with fields that travel as raw bytes instead of JSON.
type binary interface {
	Message
	blobs() [][]byte
	setBlobs([][]byte) bool // false when the number of blobs is wrong
}

// Execute runs one cell. Answered by [Done].
type Execute struct {
	ID         uint64        `json:"id"`
	N          int           `json:"n"`                     // execution count, the n of In[n]
	Code       string        `json:"code"`                  // source of the cell, UTF-8
	Silent     bool          `json:"silent,omitempty"`      // nothing is to be displayed: no Result
	AllowStdin bool          `json:"allow_stdin,omitempty"` // false: an InputRequest will be refused at once
	Grace      time.Duration `json:"grace,omitempty"`       // how long an interrupted cell may take to end before Stuck; 0 means the worker's default
}

// Look asks for what a cell shows if that can be had without running it, while another cell runs: see session.Look. Answered by
// [LookReply], after the output that it made.
type Look struct {
	ID   uint64 `json:"id"`
	Code string `json:"code"`
}

// Past tells a worker that takes the place of one that has died which cells have succeeded there, for %restore. It has no reply.
type Past struct {
	Cells []PastCell `json:"cells"`
}

// PastCell is a cell that has succeeded.
type PastCell struct {
	N    int    `json:"n"`
	Code string `json:"code"`
}

// Complete asks for completions at Cursor. Answered by [CompleteReply].
type Complete struct {
	ID     uint64 `json:"id"`
	Code   string `json:"code"`
	Cursor int    `json:"cursor"` // byte offset, 0 ≤ Cursor ≤ len(Code), at a rune edge
}

// Inspect asks for the documentation of what stands at Cursor. Answered by [InspectReply].
type Inspect struct {
	ID     uint64 `json:"id"`
	Code   string `json:"code"`
	Cursor int    `json:"cursor"` // byte offset, as in Complete
	Detail int    `json:"detail"` // 0: signature and doc; 1: also the source, where known
}

// IsComplete asks whether Code can be run as it is. Answered by [IsCompleteReply].
type IsComplete struct {
	ID   uint64 `json:"id"`
	Code string `json:"code"`
}

// Expression evaluates one of a request's user_expressions. Answered by [ExpressionReply].
type Expression struct {
	ID   uint64 `json:"id"`
	Cell uint64 `json:"cell"` // the Execute it belongs to: output it makes is shown there
	N    int    `json:"n"`
	Code string `json:"code"`
}

// Interrupt asks to cancel the running cell. It has no reply: the cell's [Done] (or [Stuck]) tells the outcome.
// An [Expression] that belongs to Cell is cancelled too. Without a running cell, or when another one runs, it does nothing.
type Interrupt struct {
	Cell uint64 `json:"cell"` // the Execute to cancel; 0: whichever runs
}

// InputReply answers an [InputRequest].
type InputReply struct {
	Seq   uint64 `json:"seq"`             // as in the request
	Value string `json:"value"`           // the line typed, without a newline
	Error string `json:"error,omitempty"` // not empty: there is no input, and why; reading os.Stdin fails with this text
}

// Shutdown asks the worker to stop in an orderly way: flush its output and exit with status 0. It has no reply.
type Shutdown struct {
	Restart bool `json:"restart"`
}

// CommOp is the operation of a [Comm] message.
type CommOp string

// The operations of a Comm.
const (
	CommOpen  CommOp = "open"
	CommMsg   CommOp = "msg"
	CommClose CommOp = "close"
)

// Comm carries a Jupyter comm message in either direction. From the front it has an ID and is answered by [Done] when it has
// been delivered, also while a cell runs; functions of cells that it concerns run later, see [Task]. The worker answers the
// opening of a target it does not know with a Comm of operation close, and then Done with status ok. From the worker ID is 0.
type Comm struct {
	ID       uint64          `json:"id,omitempty"`
	Cell     uint64          `json:"cell,omitempty"` // from the worker: the cell that caused it
	Op       CommOp          `json:"op"`
	CommID   string          `json:"comm_id"`
	Target   string          `json:"target,omitempty"`   // for open
	Metadata json.RawMessage `json:"metadata,omitempty"` // of the message; an object, or absent
	Data     json.RawMessage `json:"-"`                  // JSON object; nil means {}
	Buffers  [][]byte        `json:"-"`
}

// Debug carries a request of the debug adapter protocol. Answered by [DebugReply], also while a cell runs or is stopped.
type Debug struct {
	ID      uint64          `json:"id"`
	Content json.RawMessage `json:"-"` // of the debug_request, a JSON object
}

// DebugReply answers [Debug].
type DebugReply struct {
	ID      uint64          `json:"id"`
	Content json.RawMessage `json:"-"` // of the debug_reply, a JSON object
}

// DebugEvent carries an event of the debug adapter protocol, such as stopped.
type DebugEvent struct {
	Content json.RawMessage `json:"-"` // of the debug_event, a JSON object
}

// Ready is the worker's first message.
type Ready struct {
	Protocol int    `json:"protocol"` // must be Version
	PID      int    `json:"pid"`
	Info     string `json:"info,omitempty"` // one line for the log: interpreter and version
}

// Names of the streams.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// Stream is text printed by a cell. Text need not end at a rune edge: the front joins the pieces.
type Stream struct {
	Cell uint64 `json:"cell"`
	Name string `json:"name"` // Stdout or Stderr
	Text []byte `json:"-"`
}

// Bundle is a MIME bundle as it goes onto the Jupyter wire: three JSON objects, each nil for {}.
// Data maps MIME types to strings (base64 for binary types) or JSON values.
type Bundle struct {
	Data      json.RawMessage
	Metadata  json.RawMessage
	Transient json.RawMessage // {"display_id": "…"} for a display that can be updated
}

// Display shows a bundle (display_data) or, with Update, replaces the one with the same display_id (update_display_data).
type Display struct {
	Cell   uint64 `json:"cell"`
	Update bool   `json:"update,omitempty"`
	Bundle `json:"-"`
	Buffer [][]byte `json:"-"` // binary buffers sent along, usually none
}

// Clear is clear_output: with Wait the old output stays until new output comes.
type Clear struct {
	Cell uint64 `json:"cell"`
	Wait bool   `json:"wait"`
}

// Result is the value of a cell's last expression (execute_result).
type Result struct {
	Cell   uint64 `json:"cell"`
	Bundle `json:"-"`
}

// Failure describes why something failed, as Jupyter shows it.
type Failure struct {
	Name      string   `json:"name"`      // "CompileError", "panic", "error", "interrupted", …
	Value     string   `json:"value"`     // message without name, one line if possible
	Traceback []string `json:"traceback"` // lines with ANSI colours
}

// Error shows a failure outside of a cell's own end, such as a panic in a goroutine whose cell has already ended.
// The failure of the cell itself travels in [Done] and never here, so it is shown once. When the cell still runs,
// its reply will have the status error even if its Done has no failure.
type Error struct {
	Cell uint64 `json:"cell"`
	Failure
}

// InputRequest asks the user for a line of text. Answered by [InputReply].
type InputRequest struct {
	Cell     uint64 `json:"cell"`
	Seq      uint64 `json:"seq"` // chosen by the worker, not 0
	Prompt   string `json:"prompt"`
	Password bool   `json:"password,omitempty"`
}

// Done ends an [Execute] or [Comm]: all its output has been sent before.
type Done struct {
	ID      uint64          `json:"id"`
	Failure *Failure        `json:"failure,omitempty"` // nil: it succeeded
	Payload json.RawMessage `json:"payload,omitempty"` // execute_reply payload: a JSON array such as set_next_input; usually absent
}

// Match is one completion.
type Match struct {
	Text      string `json:"text"`                // replaces Code[Start:End]
	Type      string `json:"type,omitempty"`      // function, class, instance, module, keyword, path, … as JupyterLab's icons are named
	Signature string `json:"signature,omitempty"` // for functions
}

// CompleteReply answers [Complete].
type CompleteReply struct {
	ID      uint64  `json:"id"`
	Matches []Match `json:"matches"`
	Start   int     `json:"start"` // byte offsets into Code
	End     int     `json:"end"`
}

// InspectReply answers [Inspect].
type InspectReply struct {
	ID     uint64 `json:"id"`
	Found  bool   `json:"found"`
	Bundle `json:"-"`
}

// IsCompleteReply answers [IsComplete].
type IsCompleteReply struct {
	ID     uint64 `json:"id"`
	Status string `json:"status"`           // complete, incomplete, invalid or unknown
	Indent string `json:"indent,omitempty"` // for incomplete: what the next line should start with
}

// ExpressionReply answers [Expression].
type ExpressionReply struct {
	ID      uint64   `json:"id"`
	Failure *Failure `json:"failure,omitempty"`
	Bundle  `json:"-"`
}

// LookReply answers [Look]. Where Wait is not empty, nothing was done, and it says why the cell must wait for its turn.
type LookReply struct {
	ID      uint64     `json:"id"`
	Wait    string     `json:"wait,omitempty"`
	Failure *Failure   `json:"failure,omitempty"`
	Bundle  `json:"-"` // the value of the last expression, empty for none
}

// Stuck says that an interrupted cell has not ended within its grace period. The worker goes on waiting for its end
// and reports it with [Done]; it starts no other cell before that.
type Stuck struct {
	Cell uint64 `json:"cell"`
}

// Fatal says why the worker is about to exit; the front shows it in the running cell.
type Fatal struct {
	Text string `json:"text"`
}

// Log is a line for the front's log.
type Log struct {
	Text string `json:"text"`
}

// Task says that a function that waits between cells, such as the handler of a widget, begins (Running) or has ended. Meanwhile an
// [Interrupt] of any cell, or of Cell, stops it, and [Stuck] with Cell says that it does not stop.
type Task struct {
	Cell    uint64 `json:"cell"` // the request that caused it
	Running bool   `json:"running"`
}

func (*Execute) Kind() Kind         { return KindExecute }
func (*Look) Kind() Kind            { return KindLook }
func (*Past) Kind() Kind            { return KindPast }
func (*LookReply) Kind() Kind       { return KindLookReply }
func (*Complete) Kind() Kind        { return KindComplete }
func (*Inspect) Kind() Kind         { return KindInspect }
func (*IsComplete) Kind() Kind      { return KindIsComplete }
func (*Expression) Kind() Kind      { return KindExpression }
func (*Interrupt) Kind() Kind       { return KindInterrupt }
func (*InputReply) Kind() Kind      { return KindInputReply }
func (*Shutdown) Kind() Kind        { return KindShutdown }
func (*Comm) Kind() Kind            { return KindComm }
func (*Ready) Kind() Kind           { return KindReady }
func (*Stream) Kind() Kind          { return KindStream }
func (*Display) Kind() Kind         { return KindDisplay }
func (*Clear) Kind() Kind           { return KindClear }
func (*Result) Kind() Kind          { return KindResult }
func (*Error) Kind() Kind           { return KindError }
func (*InputRequest) Kind() Kind    { return KindInputRequest }
func (*Done) Kind() Kind            { return KindDone }
func (*CompleteReply) Kind() Kind   { return KindCompleteReply }
func (*InspectReply) Kind() Kind    { return KindInspectReply }
func (*IsCompleteReply) Kind() Kind { return KindIsCompleteReply }
func (*ExpressionReply) Kind() Kind { return KindExpressionReply }
func (*Stuck) Kind() Kind           { return KindStuck }
func (*Fatal) Kind() Kind           { return KindFatal }
func (*Log) Kind() Kind             { return KindLog }
func (*Task) Kind() Kind            { return KindTask }
func (*Debug) Kind() Kind           { return KindDebug }
func (*DebugReply) Kind() Kind      { return KindDebugReply }
func (*DebugEvent) Kind() Kind      { return KindDebugEvent }

// newMessage returns an empty message of kind k, nil for an unknown kind.
func newMessage(k Kind) Message {
	switch k {
	case KindExecute:
		return new(Execute)
	case KindLook:
		return new(Look)
	case KindPast:
		return new(Past)
	case KindLookReply:
		return new(LookReply)
	case KindComplete:
		return new(Complete)
	case KindInspect:
		return new(Inspect)
	case KindIsComplete:
		return new(IsComplete)
	case KindExpression:
		return new(Expression)
	case KindInterrupt:
		return new(Interrupt)
	case KindInputReply:
		return new(InputReply)
	case KindShutdown:
		return new(Shutdown)
	case KindComm:
		return new(Comm)
	case KindReady:
		return new(Ready)
	case KindStream:
		return new(Stream)
	case KindDisplay:
		return new(Display)
	case KindClear:
		return new(Clear)
	case KindResult:
		return new(Result)
	case KindError:
		return new(Error)
	case KindInputRequest:
		return new(InputRequest)
	case KindDone:
		return new(Done)
	case KindCompleteReply:
		return new(CompleteReply)
	case KindInspectReply:
		return new(InspectReply)
	case KindIsCompleteReply:
		return new(IsCompleteReply)
	case KindExpressionReply:
		return new(ExpressionReply)
	case KindStuck:
		return new(Stuck)
	case KindFatal:
		return new(Fatal)
	case KindLog:
		return new(Log)
	case KindTask:
		return new(Task)
	case KindDebug:
		return new(Debug)
	case KindDebugReply:
		return new(DebugReply)
	case KindDebugEvent:
		return new(DebugEvent)
	}
	return nil
}

func (m *Stream) blobs() [][]byte { return [][]byte{m.Text} }
func (m *Stream) setBlobs(b [][]byte) bool {
	if len(b) != 1 {
		return false
	}
	m.Text = b[0]
	return true
}

func (m *Comm) blobs() [][]byte { return append([][]byte{m.Data}, m.Buffers...) }
func (m *Comm) setBlobs(b [][]byte) bool {
	if len(b) < 1 {
		return false
	}
	m.Data = raw(b[0])
	if len(b) > 1 {
		m.Buffers = b[1:]
	}
	return true
}

func (m *Debug) blobs() [][]byte      { return [][]byte{m.Content} }
func (m *DebugReply) blobs() [][]byte { return [][]byte{m.Content} }
func (m *DebugEvent) blobs() [][]byte { return [][]byte{m.Content} }

func (m *Debug) setBlobs(b [][]byte) bool      { return one(b, &m.Content) }
func (m *DebugReply) setBlobs(b [][]byte) bool { return one(b, &m.Content) }
func (m *DebugEvent) setBlobs(b [][]byte) bool { return one(b, &m.Content) }

// one stores the only blob.
func one(b [][]byte, to *json.RawMessage) bool {
	if len(b) != 1 {
		return false
	}
	*to = raw(b[0])
	return true
}

func (b *Bundle) blobs() [][]byte { return [][]byte{b.Data, b.Metadata, b.Transient} }
func (b *Bundle) setBlobs(bs [][]byte) bool {
	if len(bs) != 3 {
		return false
	}
	b.Data, b.Metadata, b.Transient = raw(bs[0]), raw(bs[1]), raw(bs[2])
	return true
}

func (m *Display) blobs() [][]byte { return append(m.Bundle.blobs(), m.Buffer...) }
func (m *Display) setBlobs(b [][]byte) bool {
	if len(b) < 3 {
		return false
	}
	if len(b) > 3 {
		m.Buffer = b[3:]
	}
	return m.Bundle.setBlobs(b[:3])
}

// raw keeps the difference between an absent JSON value and an empty one.
func raw(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return b
}
