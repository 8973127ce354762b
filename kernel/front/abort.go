package front

import (
	"strings"
	"time"
)

// failureMark remembers that a cell failed with stop_on_error, so that requests which the client sent before it could
// know of the failure are aborted even when they arrive after it. The queue alone does not tell: a cell may fail before the
// next request has come through the network.
type failureMark struct {
	session string
	created time.Time // date of the failed request, by the client's clock
	came    time.Time // when it came, by our clock
	replied time.Time // when the failure was about to be sent, by our clock
}

// markWindow is for how long after a failure requests are looked at. It bounds the harm of a client's clock that is set back.
const markWindow = time.Second

// precedes tells whether r was surely sent before the client could know of the failure. The client's two dates are compared
// with each other, never with our clock: r was created at most r.date - created + came by our clock.
func (m *failureMark) precedes(r *request) bool {
	if m == nil || r.msg.Header.Session != m.session || m.created.IsZero() || r.came.Sub(m.replied) > markWindow {
		return false
	}
	created, precision := parseDate(r.msg.Header.Date)
	if created.IsZero() || created.Before(m.created) {
		return false
	}
	return m.came.Add(created.Sub(m.created)).Add(precision).Before(m.replied)
}

// markFailure makes the mark of a failed request.
func markFailure(r *request) *failureMark {
	created, _ := parseDate(r.msg.Header.Date)
	return &failureMark{session: r.msg.Header.Session, created: created, came: r.came, replied: time.Now()}
}

// parseDate reads a header's date and how coarse it is. It returns the zero time for a date that cannot be used.
func parseDate(d any) (time.Time, time.Duration) {
	date, _ := d.(string)
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		if t, err = time.Parse("2006-01-02T15:04:05", date); err != nil { // with fraction, without zone: old clients
			return time.Time{}, 0
		}
	}
	_, fraction, _ := strings.Cut(date, ".")
	precision := time.Second
	for _, c := range fraction {
		if c < '0' || c > '9' {
			break
		}
		precision /= 10
	}
	return t, precision
}
