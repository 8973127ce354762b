package display

import (
	"fmt"
	"html"
	"iter"
	"math"
	"strings"
	"sync"
	"time"
)

// Bar is a progress bar: a bar in a notebook, a line of text in a terminal. Its methods may be called from several
// goroutines. It has no goroutine of its own, so nothing is left behind when a cell is interrupted.
type Bar struct {
	mu      sync.Mutex
	handle  *Handle
	label   string
	total   int64
	done    int64
	started time.Time
	shown   time.Time
	state   string // "", "done" or "stopped"
	depth   int
	dirty   bool
}

const progressEvery = 100 * time.Millisecond

var bars struct {
	sync.Mutex
	live  []*Bar
	ended []*Handle // by depth: the place of an inner bar that is done, for the next one, while the bar around it goes on
}

// Progress shows a progress bar for total steps (0 or less: unknown, only counted). It ends with Done, or by itself
// at the last step. A bar made while another is running is set in under it, and takes the place of one there that is done.
func Progress(total int, label ...string) *Bar {
	now := time.Now()
	b := &Bar{label: strings.Join(label, " "), total: max(int64(total), 0), started: now, shown: now}
	bars.Lock()
	b.depth = len(bars.live)
	bars.live = append(bars.live, b)
	if b.depth < len(bars.ended) {
		b.handle, bars.ended[b.depth] = bars.ended[b.depth], nil
	}
	bars.Unlock()
	if b.handle != nil {
		b.handle.Update(b.bundle(now))
	} else {
		b.handle = show(b.bundle(now), nil)
	}
	return b
}

// Range shows a progress bar over the numbers 0 to n−1. Where the loop is left early, by whatever way, the bar stops where it
// stands.
//
//	for i := range display.Range(100, "folds") { … }
func Range(n int, label ...string) iter.Seq[int] {
	return func(yield func(int) bool) {
		b := Progress(n, label...)
		finished := false
		defer func() {
			if finished {
				b.Done()
			} else {
				b.Stop()
			}
		}()
		for i := range n {
			if !yield(i) {
				return
			}
			b.Add(1)
		}
		finished = true
	}
}

// Add counts n more steps.
func (b *Bar) Add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.move(b.done + int64(n))
}

// Set says how many steps are done.
func (b *Bar) Set(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.move(int64(n))
}

// SetLabel changes the text beside the bar.
func (b *Bar) SetLabel(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.label = s
	b.move(b.done)
}

func (b *Bar) move(to int64) {
	if b.state != "" {
		return
	}
	b.done, b.dirty = max(to, 0), true
	if b.total > 0 && b.done >= b.total {
		b.end("done")
		return
	}
	if now := time.Now(); now.Sub(b.shown) >= progressEvery {
		b.redraw(now)
	}
}

func (b *Bar) redraw(now time.Time) {
	b.shown, b.dirty = now, false
	b.handle.Update(b.bundle(now))
}

func (b *Bar) end(state string) {
	if b.state != "" {
		return
	}
	b.state = state
	b.redraw(time.Now())
	bars.Lock()
	for i, x := range bars.live {
		if x == b {
			bars.live = append(bars.live[:i:i], bars.live[i+1:]...)
			break
		}
	}
	if len(bars.live) == 0 {
		bars.ended = nil
	} else if b.depth > 0 && state == "done" {
		for len(bars.ended) <= b.depth {
			bars.ended = append(bars.ended, nil)
		}
		bars.ended[b.depth] = b.handle
	}
	bars.Unlock()
}

// Done ends the bar as finished.
func (b *Bar) Done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total > 0 {
		b.done = b.total
	}
	b.end("done")
}

// Stop ends the bar where it stands.
func (b *Bar) Stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end("stopped")
}

// EndCell brings the bars up to date at the end of a cell: with failed those still running are marked as stopped,
// else they are redrawn, since a goroutine may go on with them. It is for kernels, not for cells.
func EndCell(failed bool) {
	bars.Lock()
	live := append([]*Bar(nil), bars.live...)
	bars.Unlock()
	for _, b := range live {
		b.mu.Lock()
		if failed {
			b.end("stopped")
		} else if b.state == "" && b.dirty {
			b.redraw(time.Now())
		}
		b.mu.Unlock()
	}
}

func (b *Bar) bundle(now time.Time) Bundle {
	elapsed := now.Sub(b.started)
	var count string
	fraction := math.NaN()
	if b.total > 0 {
		fraction = min(float64(b.done)/float64(b.total), 1)
		count = fmt.Sprintf("%d/%d", b.done, b.total)
	} else {
		count = fmt.Sprint(b.done)
	}
	status := duration(elapsed)
	switch {
	case b.state == "stopped":
		status += ", stopped"
	case b.state == "done":
	case b.done > 0 && b.total > 0:
		left := time.Duration(float64(elapsed) / float64(b.done) * float64(b.total-b.done))
		status += ", " + duration(left) + " left"
	}
	label := b.label
	if label != "" {
		label += " "
	}
	var text, page strings.Builder
	indent := strings.Repeat("  ", b.depth)
	fmt.Fprintf(&text, "%s%s", indent, label)
	fmt.Fprintf(&page, `<div class="tex2jax_ignore mathjax_ignore" style="margin-left: %dem">%s`, 2*b.depth, html.EscapeString(label))
	if b.total > 0 {
		const width = 30
		full := int(fraction * width)
		fmt.Fprintf(&text, "%3.0f%% |%s%s| ", math.Floor(100*fraction), strings.Repeat("█", full), strings.Repeat(" ", width-full))
		fmt.Fprintf(&page, `<progress value="%d" max="%d" style="width: 20em; vertical-align: middle"></progress> `, min(b.done, b.total), b.total)
	} else if b.state == "" {
		page.WriteString(`<progress style="width: 20em; vertical-align: middle"></progress> `)
	}
	fmt.Fprintf(&text, "%s [%s]", count, status)
	fmt.Fprintf(&page, `%s [%s]</div>`, count, status)
	return bundle("text/html", page.String(), text.String())
}

func duration(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
