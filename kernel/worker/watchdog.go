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

	"example.org/godp/kernel/session"
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
	Name        string // "StackOverflow", "OutOfMemory" or "OutOfTime"
	Used, Limit uint64 // bytes, or nanoseconds
}

func (e *LimitError) Error() string {
	if e.Name == "StackOverflow" {
		return fmt.Sprintf("the stacks grew to %d MiB (limit %d MiB): most likely a recursion, or the starting of goroutines, without end. The cell was stopped; variables are kept.",
			e.Used>>20, e.Limit>>20)
	}
	if e.Name == "OutOfTime" {
		return fmt.Sprintf("the cell ran for %v (%%limit time %v). It was stopped; variables are kept.", time.Duration(e.Used).Round(10*time.Millisecond), time.Duration(e.Limit))
	}
	return fmt.Sprintf("the values in use grew to %d MiB (limit %d MiB). The cell was stopped; variables are kept. Free some (x = nil), or allow more: %%limit memory SIZE, or install the kernel with a larger --memory.",
		e.Used>>20, e.Limit>>20)
}

// overdue is how long a cell may stay over its limit of memory after it was told to stop.
const overdue = 3 * time.Second

type watchdog struct {
	limits  Limits
	own     *session.Limits
	began   time.Time
	heap    uint64    // the limit that allowed stands for
	allowed uint64    // live heap at which this cell is stopped
	found   uint64    // live heap at its beginning
	stacks  uint64    // allowed for stacks
	over    time.Time // when the limit of memory was first found exceeded
	samples []metrics.Sample
}

func newWatchdog(l Limits, own *session.Limits) *watchdog {
	w := &watchdog{limits: l, own: own, began: time.Now(), samples: []metrics.Sample{
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}}
	// A cell that starts over a limit, because another has left much behind, may use a little more than it found: it
	// may be the one that frees it.
	stacks, live := w.read()
	most := l.stack()
	if h := own.Memory(); l.Stack == 0 && h > 0 { // stacks count as memory to the collector, which has to walk them
		most = min(most, max(h/4, 32<<20))
	}
	w.limits.Stack = most
	w.stacks = max(most, stacks+most/4)
	w.found = live
	w.allow()
	return w
}

// allow follows the limit of memory, which the cell itself may change.
func (w *watchdog) allow() {
	h := w.own.Memory()
	if h == w.heap {
		return
	}
	w.heap, w.allowed = h, 0
	if h > 0 {
		// The collector holds the heap just below the limit by working ever harder; stop before that crawls.
		w.allowed = max(h/10*9, w.found+h/20)
	}
}

func (w *watchdog) read() (stacks, live uint64) {
	metrics.Read(w.samples)
	return w.samples[0].Value.Uint64(), w.samples[1].Value.Uint64()
}

// look returns the limit that is exceeded, nil if none, and whether the process must end now: the cell has been told
// to stop and has not for a while, or goes far beyond the limit, or the memory of the machine is about to end.
func (w *watchdog) look() (err error, fatal bool) {
	if most, ran := w.own.Time(), time.Since(w.began); most > 0 && ran > most {
		return &LimitError{"OutOfTime", uint64(ran), uint64(most)}, false
	}
	w.allow()
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
		if w.over.IsZero() {
			w.over = time.Now()
		}
		machine := machineMemory()
		return &LimitError{"OutOfMemory", live, w.heap}, time.Since(w.over) > overdue || live > 4*w.heap || machine > 0 && live > machine/20*19
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
