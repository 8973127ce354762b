package front

import (
	"fmt"
	"strings"
)

// onUnknown answers a message of a type that is not known: a request gets an error reply, anything else is only logged.
func onUnknown(f *front, r *request) {
	t := r.msg.Header.MsgType
	f.log.repeated("type "+t, "%s: message of unknown type %q", r.ch.name, t)
	if !strings.HasSuffix(t, "_request") {
		r.end()
		return
	}
	r.fail("UnknownMessage", fmt.Sprintf("this kernel does not know the message type %s", t))
}
