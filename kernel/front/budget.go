package front

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// What a cell puts out is bounded twice. Altogether by the configuration's OutputLimit, since a page and a notebook file hold
// it all. And, where a page is watching through a Jupyter server, by what that server lets pass (iopub_data_rate_limit, by
// default 1 MB/s averaged over 3 s; beyond it the server throws away whatever comes, results and errors included): so the
// kernel itself leaves out the middle, says what, and shows the end. A cell never waits for it.
//
// A display that is updated or cleared faster than that skips states, never the last one.

// The allowance of a page: this much at once, and so much more each second. With what leaves within 3 s it stays under the
// server's limit.
const (
	pageBurst = 1500 << 10
	pageRate  = 300 << 10
)

const (
	perMessage = 600              // bytes that a message costs besides its content
	gapPause   = 3 * time.Second  // after which what was left out is told although nothing more came
	gapLongest = time.Hour        // between two such remarks
	gapTail    = 4 << 10          // bytes of text shown from the end of what was left out
	updateWait = time.Second / 10 // between two tries to send an update that has to wait
)

// allowance is a bucket of bytes that fills up with time.
type allowance struct {
	rate, burst float64 // rate 0: no limit
	left        float64
	at          time.Time
}

func newAllowance(burst, rate int64) allowance {
	return allowance{rate: float64(rate), burst: float64(burst), left: float64(burst), at: time.Now()}
}

func (a *allowance) refill() float64 {
	now := time.Now()
	a.left = min(a.left+a.rate*now.Sub(a.at).Seconds(), a.burst)
	a.at = now
	return a.left
}

// has reports whether n bytes may go. What is larger than all there can be may go when that is there.
func (a *allowance) has(n int) bool {
	if a.rate == 0 {
		return true
	}
	left := a.refill()
	return left >= float64(n) || left >= a.burst
}

func (a *allowance) take(n int) { a.left -= float64(n) }

// gap is what is being left out of a cell's output.
type gap struct {
	limit        bool // for good: the cell's limit is reached; else until the allowance has filled up
	lines, bytes int64
	displays     int64
	size         int64             // bytes of the displays
	tails        map[string][]byte // stream -> the end of its text
	last         *wire.Outgoing    // the last display
	cleared      bool              // the output before was cleared
	wait         bool              // in the manner of clear_output(wait)
	timer        *time.Timer
	pause        time.Duration
}

func (g *gap) empty() bool { return g.bytes == 0 && g.displays == 0 }

// what describes what was left out.
func (g *gap) what() string {
	var parts []string
	if g.bytes > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s) of text", count(g.lines, "line"), size(g.bytes)))
	}
	if g.displays > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s)", count(g.displays, "display"), size(g.size)))
	}
	return strings.Join(parts, " and ")
}

func count(n int64, what string) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if n != 1 {
		what += "s"
	}
	return s + " " + what
}

// room returns how many of n bytes may be shown now, and what forbids the rest.
func (p *iopub) room(c *cell, n int) (left int, limit bool) {
	left = n
	if p.page.rate > 0 {
		left = min(left, max(0, int(p.page.refill())-len(p.text)))
	}
	if p.limit >= 0 && c.shown+int64(n) > p.limit {
		if most := int(max(0, p.limit-c.shown)); most <= left {
			return most, true
		}
	}
	return left, false
}

// open begins to leave out, and says so.
func (p *iopub) open(c *cell, limit bool) {
	p.flush(true)
	c.gap = &gap{limit: limit, tails: map[string][]byte{}, pause: gapPause}
	c.gap.timer = time.AfterFunc(gapPause, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.overdue(c)
	})
	why := "this cell puts out more than a page can take; some of it is left out here and counted"
	if limit {
		why = fmt.Sprintf("this cell has put out %s; the rest is counted and not shown", size(p.limit))
	}
	p.note(c, "\n[godp: "+why+"]\n")
}

// overdue closes a gap after which nothing came, or, at a cell's limit, tells from time to time what has become of it.
func (p *iopub) overdue(c *cell) {
	g := c.gap
	if g == nil {
		return
	}
	if !g.limit {
		p.close(c)
		return
	}
	if c.ended && !g.empty() {
		p.note(c, "[godp: "+g.what()+" left out]\n")
		g.lines, g.bytes, g.displays, g.size = 0, 0, 0, 0
		g.pause = min(2*g.pause, gapLongest)
	}
	g.timer.Reset(g.pause)
}

// close tells what was left out and shows its end. At a cell's limit nothing more is shown after it either.
func (p *iopub) close(c *cell) {
	g := c.gap
	if g == nil {
		return
	}
	g.timer.Stop()
	c.gap = nil
	p.flush(true)
	if g.cleared {
		p.send(clearMessage(c, g.wait))
	}
	if !g.empty() {
		end := ""
		if len(g.tails) > 0 {
			end = "; the end of it:"
		}
		p.note(c, "[godp: "+g.what()+" left out"+end+"]\n")
	}
	for _, name := range []string{protocol.Stdout, protocol.Stderr} {
		if tail := g.tails[name]; len(tail) > 0 {
			p.send(streamMessage(c, name, lastLines(tail)))
		}
	}
	if g.last != nil {
		p.send(*g.last)
	}
}

// note says something in the kernel's own name.
func (p *iopub) note(c *cell, text string) { p.send(streamMessage(c, protocol.Stderr, []byte(text))) }

// leaveOut counts text that is not shown and keeps its end.
func (g *gap) leaveOut(name string, text []byte) {
	g.bytes += int64(len(text))
	g.lines += int64(bytes.Count(text, []byte{'\n'}))
	tail := append(g.tails[name], text...)
	if len(tail) > 4*gapTail {
		tail = append(tail[:0], lastLines(tail)...)
	}
	g.tails[name] = tail
}

// lastLines is the end of a text, from the beginning of a line if that can be.
func lastLines(text []byte) []byte {
	if len(text) <= gapTail {
		return text
	}
	text = text[len(text)-gapTail:]
	if i := bytes.IndexByte(text, '\n'); i >= 0 && i < len(text)-1 {
		return text[i+1:]
	}
	return text
}

// display shows a display or an update of one, or counts it.
func (p *iopub) display(c *cell, o wire.Outgoing, update bool, id string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if update {
		p.update(c, o, id, n)
		return
	}
	g := c.gap
	if g != nil && !g.limit && p.page.has(max(n+perMessage, int(p.page.burst/2))) {
		p.close(c)
		g = nil
	}
	over := p.limit >= 0 && c.shown+int64(n) > p.limit
	if g == nil && !over && p.page.has(n+perMessage) {
		p.flush(false)
		c.shown += int64(n)
		p.send(o)
		return
	}
	if g == nil {
		p.open(c, over)
		g = c.gap
	}
	g.displays++
	g.size += int64(n)
	g.last = &o
	g.tails = map[string][]byte{}
}

// update shows the new state of a display. Where there is no room for all states the next one replaces it.
func (p *iopub) update(c *cell, o wire.Outgoing, id string, n int) {
	if _, waits := p.updates[id]; !waits && p.page.has(n+perMessage) {
		p.flush(false)
		p.send(o)
		return
	}
	if p.updates == nil {
		p.updates = map[string]wire.Outgoing{}
	}
	if _, waits := p.updates[id]; !waits {
		p.order = append(p.order, id)
	}
	p.updates[id] = o
	if p.later == nil {
		p.later = time.AfterFunc(updateWait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.later = nil
			p.catchUp(false)
		})
	}
}

// catchUp sends the updates that wait, as far as there is room or all of them.
func (p *iopub) catchUp(all bool) {
	for len(p.order) > 0 && (all || p.page.has(perMessage)) {
		id := p.order[0]
		p.order = p.order[1:]
		o := p.updates[id]
		delete(p.updates, id)
		p.flush(false)
		p.send(o)
	}
	if len(p.order) > 0 && p.later == nil {
		p.later = time.AfterFunc(updateWait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.later = nil
			p.catchUp(false)
		})
	}
}

// clear removes a cell's output, and with it what was left out.
func (p *iopub) clear(c *cell, wait bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(true)
	c.shown = 0
	if g := c.gap; g != nil {
		g.timer.Stop()
		c.gap = nil
	}
	if p.page.has(perMessage) {
		p.send(clearMessage(c, wait))
		return
	}
	c.gap = &gap{tails: map[string][]byte{}, pause: gapPause, cleared: true, wait: wait}
	c.gap.timer = time.AfterFunc(gapPause, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.overdue(c)
	})
}

func clearMessage(c *cell, wait bool) wire.Outgoing {
	return wire.Outgoing{Type: "clear_output", Parent: c.parent, Content: map[string]any{"wait": wait}}
}
