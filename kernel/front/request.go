package front

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"example.org/godp/kernel/socket"
	"example.org/godp/kernel/wire"
)

// channel is one of the ROUTER sockets.
type channel struct {
	name string // shell, control or stdin
	sock *socket.Socket
}

// request is a message from a client on its way through a handler. The handler answers with reply or fail, once.
type request struct {
	f        *front
	ch       *channel
	peer     string
	msg      *wire.Message
	came     time.Time
	lane     <-chan struct{} // of a queued request: closed when its lane ends
	answered bool
}

// handler serves one type of request.
type handler struct {
	serve func(f *front, r *request)
	// queued requests wait for the cells before them; the others are served at once, also while a cell runs. Comm messages wait
	// for each other only.
	queued bool
}

// handlers by message type. A new message is a new file on_NAME.go and a line here.
var handlers = map[string]handler{
	"execute_request":         {onExecute, true},
	"comm_open":               {onCommOpen, true},
	"comm_msg":                {onCommMsg, true},
	"comm_close":              {onCommClose, true},
	"comm_info_request":       {onCommInfo, false},
	"complete_request":        {onComplete, false},
	"connect_request":         {onConnect, false},
	"create_subshell_request": {onCreateSubshell, false},
	"debug_request":           {onDebug, false},
	"delete_subshell_request": {onDeleteSubshell, false},
	"history_request":         {onHistory, false},
	"inspect_request":         {onInspect, false},
	"interrupt_request":       {onInterrupt, false},
	"is_complete_request":     {onIsComplete, false},
	"kernel_info_request":     {onKernelInfo, false},
	"list_subshell_request":   {onListSubshell, false},
	"shutdown_request":        {onShutdown, false},
}

// listen reads one channel until the front stops.
func (f *front) listen(ch *channel) {
	for {
		select {
		case in := <-ch.sock.Incoming():
			f.receive(ch, in)
		case <-f.ctx.Done():
			return
		}
	}
}

// receive checks a message and sends it to its handler. Whatever is wrong with it is logged and harms nobody.
func (f *front) receive(ch *channel, in socket.Received) {
	msg, err := f.codec.Decode(in.Frames)
	if err != nil {
		f.log.repeated(ch.name+err.Error(), "%s: message ignored: %v", ch.name, err)
		return
	}
	if f.replay.Seen(in.Frames) {
		f.log.repeated(ch.name+"replay", "%s: message ignored: %s was received before", ch.name, msg.Header.MsgType)
		return
	}
	r := &request{f: f, ch: ch, peer: in.Peer, msg: msg, came: time.Now()}
	switch msg.Header.MsgType {
	case "input_reply":
		f.inputReply(r)
		return
	}
	h, ok := handlers[msg.Header.MsgType]
	switch {
	case !ok:
		f.serve(r, onUnknown)
	case h.queued && strings.HasPrefix(msg.Header.MsgType, "comm_"):
		f.commLane.push(queuedRequest{r, h.serve})
	case h.queued:
		f.enqueue(r, h.serve)
	default:
		f.serve(r, h.serve)
	}
}

// serve runs a handler between busy and idle.
func (f *front) serve(r *request, serve func(*front, *request)) {
	defer r.recover()
	f.iopub.publish(wire.Outgoing{Type: "status", Parent: r.msg.RawHeader, Content: statusBusy})
	serve(f, r)
}

// recover is deferred: a handler that panics answers with an error.
func (r *request) recover() {
	if p := recover(); p != nil {
		r.f.log.printf("%s: handler panicked: %v\n%s", r.msg.Header.MsgType, p, debug.Stack())
		r.fail("InternalError", fmt.Sprint("the kernel failed to handle this message: ", p))
	}
}

// decode reads the content into v, whose fields hold the defaults. On failure it answers the request itself.
func (r *request) decode(v any) bool {
	if err := json.Unmarshal(r.msg.Content, v); err != nil {
		r.fail("BadRequest", fmt.Sprintf("%s: content: %v", r.msg.Header.MsgType, err))
		return false
	}
	return true
}

// send sends a message to the client on the request's own channel.
func (r *request) send(msgType string, content any) {
	frames, err := r.f.codec.Encode(wire.Outgoing{Type: msgType, Parent: r.msg.RawHeader, Content: content})
	if err == nil {
		err = r.ch.sock.Send(r.peer, append(append([][]byte(nil), r.msg.Identities...), frames...))
	}
	if err != nil {
		r.f.log.repeated(r.ch.name+"send", "%s: %s was not sent: %v", r.ch.name, msgType, err)
	}
}

// reply answers the request and publishes idle.
func (r *request) reply(content any) {
	if r.answered {
		return
	}
	r.answered = true
	r.send(strings.TrimSuffix(r.msg.Header.MsgType, "_request")+"_reply", content)
	r.f.idle(r.msg.RawHeader)
}

// end ends a message that has no reply.
func (r *request) end() {
	if !r.answered {
		r.answered = true
		r.f.idle(r.msg.RawHeader)
	}
}

// idle publishes the end of a request. While a cell runs, it says at once that the kernel is still busy with that one: clients,
// and servers that end idle kernels, take the latest status for the whole kernel's.
func (f *front) idle(parent json.RawMessage) {
	p := f.iopub
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(false)
	p.send(wire.Outgoing{Type: "status", Parent: parent, Content: statusIdle})
	// A cell that is seen to run here has not published its own idle yet: it stops being the running one before.
	if c := f.running.Load(); c != nil {
		p.send(wire.Outgoing{Type: "status", Parent: c.parent, Content: statusBusy})
	}
}

// fail answers with an error.
func (r *request) fail(name, value string) {
	if !strings.HasSuffix(r.msg.Header.MsgType, "_request") {
		r.end()
		return
	}
	r.reply(map[string]any{"status": "error", "ename": name, "evalue": value, "traceback": []string{name + ": " + value}})
}
