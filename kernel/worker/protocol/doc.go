// Package protocol is what the front process and the worker process say to each other.
//
// The front owns the Jupyter sockets, the worker owns the interpreter. The front starts the worker with two inherited
// descriptors: [SocketFD], a stream socket on which both sides exchange the messages of this package, and [CrashFD], a pipe
// that the worker makes its descriptor 2, so that the text of a fatal error reaches the front. While the worker lives only the built-in println of
// compiled code writes there, which need not be shown; when it has died, the last "panic:" or "fatal error:" line and what follows is the reason.
//
// # Conversation
//
//	worker -> front   Ready                                     once, when the interpreter can take a request
//	front  -> worker  Execute{ID: 7, N: 3, Code: "…"}
//	worker -> front   Stream{Cell: 7, …}  Display{Cell: 7, …}   any number, in program order
//	worker -> front   Result{Cell: 7, …}                        at most one: the value of the last expression
//	worker -> front   Done{ID: 7, Status: "ok"}                 exactly one, after all output of the cell
//
// Every request with an ID is answered exactly once, by the reply that its doc comment names and that carries the same ID.
// IDs are chosen by the front, start at 1 and only grow. Output carries the ID of the request that caused it as Cell; output of a goroutine
// that outlives its cell keeps the Cell that started it; Cell 0 means "not known" and is shown under the latest cell.
//
// Execute requests come one at a time. Complete, Inspect, IsComplete, Expression and Comm may come while a cell runs (another
// client, a subshell) and are answered in any order. [Interrupt] asks the worker to cancel the running cell; the cell then ends with an ordinary
// [Done] (status "error", name "interrupted"), or, if it does not end within Execute.Grace, the worker says [Stuck] and goes on waiting.
//
// [Debug] requests are answered at once, in their order but for those that evaluate something; a stopped cell still runs as
// far as this protocol goes. [DebugEvent] may come at any time.
//
// When the socket closes the worker exits: it never outlives the front. Both inherited descriptors should be marked close-on-exec
// by the worker, so that the processes it starts do not keep them.
//
// # Frames
//
//	uint32  length of the rest, big endian, at most MaxFrame
//	uint8   Kind
//	uint32  length of the head
//	…       head: the message as a JSON object, without its binary fields
//	then for each binary field: uint32 length, bytes
//
// All offsets in source text are byte offsets; the front converts from and to the code points of the Jupyter protocol.
package protocol

import "time"

// Version is the version of this protocol. Front and worker are the same binary, so the two can differ only when the
// binary was replaced under a running front; the front then refuses the worker with a clear message.
const Version = 1

// Descriptors that the worker inherits.
const (
	SocketFD = 3 // stream socket: frames in both directions
	CrashFD  = 4 // write end of a pipe: fatal error reports
)

// MaxFrame is the largest frame that is accepted, in bytes.
const MaxFrame = 1 << 30

// StreamDelay is how long stream text may wait in the sender for more text of the same stream.
// Every other message is written at once, after the text before it.
const StreamDelay = 500 * time.Microsecond
