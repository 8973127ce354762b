package front

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// crashPipe reads what the worker's runtime writes to its descriptor 2: the report of a fatal error, but also what the
// built-in println of compiled code prints while the worker lives. The latter is handed on after a moment; a report stays until the worker's end.
type crashPipe struct {
	stray func(text []byte) // gets what is not a report

	mu    sync.Mutex
	text  []byte
	timer *time.Timer
	ended bool
}

// crashReportSize bounds what is kept of a report. The headline comes first.
const crashReportSize = 256 << 10

// How long text waits for a report's headline to show up, and text that looks like a report for the worker's death.
const (
	strayDelay  = 50 * time.Millisecond
	reportDelay = 3 * time.Second
)

// read reads r to its end and returns the report.
func (c *crashPipe) read(r io.Reader) string {
	b := make([]byte, 32<<10)
	for {
		n, err := r.Read(b)
		c.mu.Lock()
		if room := crashReportSize - len(c.text); n > 0 && room > 0 {
			c.text = append(c.text, b[:min(n, room)]...)
		}
		if err != nil {
			c.ended = true
			if c.timer != nil {
				c.timer.Stop()
			}
			text := string(c.text)
			c.mu.Unlock()
			return text
		}
		if c.timer == nil {
			c.timer = time.AfterFunc(strayDelay, func() { c.handOn(false) })
		}
		c.mu.Unlock()
	}
}

func (c *crashPipe) handOn(certainly bool) {
	c.mu.Lock()
	if c.ended || len(c.text) == 0 {
		c.mu.Unlock()
		return
	}
	if !certainly && looksFatal(c.text) {
		c.timer = time.AfterFunc(reportDelay, func() { c.handOn(true) })
		c.mu.Unlock()
		return
	}
	text := c.text
	c.text, c.timer = nil, nil
	c.mu.Unlock()
	c.stray(text)
}

func looksFatal(text []byte) bool {
	for _, word := range []string{"fatal error: ", "panic: ", "runtime: ", "SIG"} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}
