package kerneltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Run is a request with all that came back for it.
type Run struct {
	T     testing.TB
	ID    string
	Sent  time.Time
	Ended time.Time // when both its reply and its idle had come
	Reply Message
	IOPub []Message
}

// WantIOPub compares what came on iopub, in short form, from busy to idle.
func (r *Run) WantIOPub(want ...string) {
	r.T.Helper()
	got := make([]string, len(r.IOPub))
	for i, m := range r.IOPub {
		got[i] = m.String()
	}
	if !slices.Equal(got, want) {
		r.T.Errorf("on iopub came\n\t%s\nwant\n\t%s", quoted(got), quoted(want))
	}
}

// WantReply compares the reply in short form.
func (r *Run) WantReply(want string) {
	r.T.Helper()
	if got := r.Reply.String(); got != want {
		r.T.Errorf("reply %q, want %q", got, want)
	}
}

// Text is what was printed to a stream.
func (r *Run) Text(name string) string {
	var b strings.Builder
	for _, m := range r.IOPub {
		if m.Type == "stream" && m.Content["name"] == name {
			b.WriteString(m.Content["text"].(string))
		}
	}
	return b.String()
}

// Count is how many messages of a type came on iopub.
func (r *Run) Count(msgType string) (n int) {
	for _, m := range r.IOPub {
		if m.Type == msgType {
			n++
		}
	}
	return n
}

func quoted(ss []string) string {
	q := make([]string, len(ss))
	for i, s := range ss {
		q[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(q, "\n\t")
}
