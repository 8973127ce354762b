// Package socket has the server side of the ZeroMQ sockets that a Jupyter kernel needs: ROUTER (shell, control, stdin),
// XPUB (iopub) and REP (heartbeat), over tcp and ipc.
//
// The ZMTP handshake is done by github.com/go-zeromq/zmq4; framing and queues after it are here, because a kernel meets
// clients that misbehave and zmq4's own sockets suffer from them:
//
//   - A connection that says nothing must not keep others out: every handshake runs in a goroutine of its own, with a deadline.
//   - A client that does not read must not stop the others: every peer has a queue and a writer of its own. The queue is bounded
//     in bytes; see [Socket.Wait] and [Options.MaxQueue].
//   - What was sent last must arrive: [Socket.Close] waits for the queues to drain.
//   - A length that a stranger claims must not be believed: no memory is taken before the bytes arrive, and a message is bounded.
//   - A client that reconnects under its identity gets the answers: the latest connection wins.
//
// Goroutines: one accepts, and each peer has one that reads and one that writes. All end with Close.
package socket
