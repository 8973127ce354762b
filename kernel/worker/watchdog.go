package worker

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// Limits bound what a cell may use, so that a mistake costs the cell and not the kernel. Zero means the default.
type Limits struct {
	Stack uint64 // bytes of all goroutine stacks; default 256 MiB
	Heap  uint64 // bytes of live heap after a collection; default three quarters of the memory of machine or container
}

const (
	watchEvery   = 20 * time.Millisecond
	defaultStack = 256 << 20
)

func (l Limits) stack() uint64 {
	if l.Stack > 0 {
		return l.Stack
	}
	return defaultStack
}

func (l Limits) heap() uint64 {
	if l.Heap > 0 {
		return l.Heap
	}
	return machineMemory() / 4 * 3
}

// apply tells the runtime about the limits.
func (l Limits) apply() {
	if h := l.heap(); h > 0 {
		// Near the limit the collector runs more often, so that garbage alone does not reach it.
		debug.SetMemoryLimit(int64(min(h, 1<<62)))
	}
	// Beyond this the runtime ends the process; the watchdog is to act well before.
	debug.SetMaxStack(int(4 * l.stack()))
}

// machineMemory is the memory of the container or machine in bytes, 0 where that is not known.
func machineMemory() uint64 {
	var total uint64
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		if f := strings.Fields(string(b)); len(f) > 1 {
			kb, _ := strconv.ParseUint(f[1], 10, 64)
			total = kb << 10
		}
	}
	for _, p := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if b, err := os.ReadFile(p); err == nil {
			if n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 && (total == 0 || n < total) {
				total = n
			}
		}
	}
	return total
}

// LimitError says which limit a cell has reached.
type LimitError struct {
	Name        string // "StackOverflow" or "OutOfMemory"
	Used, Limit uint64 // bytes
}

func (e *LimitError) Error() string {
	if e.Name == "StackOverflow" {
		return fmt.Sprintf("the stacks grew to %d MiB (limit %d MiB): most likely a recursion without end. The cell was stopped; variables are kept.",
			e.Used>>20, e.Limit>>20)
	}
	return fmt.Sprintf("the values in use grew to %d MiB (limit %d MiB). The cell was stopped; variables are kept. Free some (x = nil), or install the kernel with a larger --memory.",
		e.Used>>20, e.Limit>>20)
}

type watchdog struct {
	limits  Limits
	heap    uint64
	allowed uint64 // live heap at which this cell is stopped
	stacks  uint64 // the same for stacks
	samples []metrics.Sample
}

func newWatchdog(l Limits) *watchdog {
	w := &watchdog{limits: l, heap: l.heap(), samples: []metrics.Sample{
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}}
	// A cell that starts over a limit, because another has left much behind, may use a little more than it found: it
	// may be the one that frees it.
	stacks, live := w.read()
	w.stacks = max(l.stack(), stacks+l.stack()/4)
	if w.heap > 0 {
		// The collector holds the heap just below the limit by working ever harder; stop before that crawls.
		w.allowed = w.heap / 10 * 9
		w.allowed = max(w.allowed, live+w.heap/20)
	}
	return w
}

func (w *watchdog) read() (stacks, live uint64) {
	metrics.Read(w.samples)
	return w.samples[0].Value.Uint64(), w.samples[1].Value.Uint64()
}

// look returns the limit that is exceeded, nil if none, and whether the process must end now if the cell has been
// told to stop and did not.
func (w *watchdog) look() (err error, fatal bool) {
	stacks, live := w.read()
	if stacks > w.stacks {
		return &LimitError{"StackOverflow", stacks, w.limits.stack()}, false
	}
	if w.heap > 0 && live > w.allowed {
		// What is allocated while the collector marks counts as live, so a cell that makes garbage fast looks as if it
		// held on to it. Two collections of one's own tell; values that are really held survive both.
		for range 2 {
			runtime.GC()
			if _, live = w.read(); live <= w.allowed {
				return nil, false
			}
		}
		return &LimitError{"OutOfMemory", live, w.heap}, live > w.allowed+w.heap/10
	}
	return nil, false
}

// release gives back what a cell that was stopped at a limit has used, so that the next one does not start there.
func release() {
	runtime.GC() // stacks shrink in one collection and are given back in the next
	debug.FreeOSMemory()
}

// exit ends the process; a variable for tests.
var exit = os.Exit
