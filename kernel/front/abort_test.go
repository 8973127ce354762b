package front

import (
	"testing"
	"time"

	"example.org/godp/kernel/wire"
)

func TestFailureMark(t *testing.T) {
	at := func(ms float64) time.Time {
		return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(ms * float64(time.Millisecond)))
	}
	request := func(session, date string, came time.Time) *request {
		return &request{msg: &wire.Message{Header: wire.Header{Session: session, Date: date}}, came: came}
	}
	// By the client's clock, an hour behind ours, the failed cell was created at 11:00:00.000; it came 1 ms later and had failed after 3 ms.
	mark := &failureMark{session: "s", created: at(-3600e3), came: at(1), replied: at(4)}
	for _, tc := range []struct {
		name, session, date string
		came                time.Time
		want                bool
	}{
		{"sent right after it, came before the failure", "s", "2026-01-01T11:00:00.000300Z", at(2), true},
		{"sent right after it, came after the failure", "s", "2026-01-01T11:00:00.000300Z", at(6), true},
		{"numeric zone", "s", "2026-01-01T12:00:00.000300+01:00", at(6), true},
		{"no zone", "s", "2026-01-01T11:00:00.000300", at(6), true},
		{"sent after the reply", "s", "2026-01-01T11:00:00.004000Z", at(5), false},
		{"milliseconds: surely before", "s", "2026-01-01T11:00:00.001Z", at(5), true},
		{"milliseconds: may be after", "s", "2026-01-01T11:00:00.002Z", at(5), false},
		{"another client", "t", "2026-01-01T11:00:00.000300Z", at(5), false},
		{"no date", "s", "", at(5), false},
		{"nonsense", "s", "yesterday", at(5), false},
		{"clock set back", "s", "2026-01-01T10:00:00.000000Z", at(5), false},
		{"long after", "s", "2026-01-01T11:00:00.000300Z", at(2000), false},
	} {
		if got := mark.precedes(request(tc.session, tc.date, tc.came)); got != tc.want {
			t.Errorf("%s: aborted %v, want %v", tc.name, got, tc.want)
		}
	}
	if (*failureMark)(nil).precedes(request("s", "2026-01-01T11:00:00.000300Z", at(2))) {
		t.Error("aborted without a failure")
	}
}
