package session

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// Limits are what a cell may use. The session changes them (%limit); the worker looks at them while a cell runs and
// interrupts one that exceeds them.
type Limits struct {
	ownMemory uint64 // of the installation, in bytes; 0 where it is not known
	memory    atomic.Uint64
	time      atomic.Int64
}

// NewLimits returns the limits of an installation: bytes of live values, 0 where there is no limit, and no limit of time.
func NewLimits(memory uint64) *Limits { return &Limits{ownMemory: memory} }

// Memory is the limit in bytes of the values in use, 0 where there is none.
func (l *Limits) Memory() uint64 {
	if m := l.memory.Load(); m > 0 {
		return m
	}
	return l.ownMemory
}

// Time is how long a cell may run, 0 where that is not limited.
func (l *Limits) Time() time.Duration { return time.Duration(l.time.Load()) }

// SetMemory changes the limit of memory; 0 stands for the installation's. Near the limit the collector works more often,
// so that garbage alone does not reach it.
func (l *Limits) SetMemory(bytes uint64) {
	l.memory.Store(bytes)
	if m := l.Memory(); m > 0 {
		debug.SetMemoryLimit(int64(min(m, 1<<62)))
	}
}

// SetTime changes the limit of time; 0 stands for none.
func (l *Limits) SetTime(d time.Duration) { l.time.Store(int64(d)) }

func (l *Limits) String() string {
	m, t := "none", "none"
	if b := l.Memory(); b > 0 {
		m = fmt.Sprintf("%.4g MiB", float64(b)/(1<<20))
		if b >= 1<<30 {
			m = fmt.Sprintf("%.4g GiB", float64(b)/(1<<30))
		}
		if l.memory.Load() == 0 {
			m += " (this installation's)"
		}
	}
	if d := l.Time(); d > 0 {
		t = d.String()
	}
	return "memory: " + m + "\ntime:   " + t
}

const limitUsage = "write %limit memory 2GB, %limit time 30s, or none in place of the value"

// limit is %limit. What it sets holds for the cell it stands in, the time counted from the cell's beginning, and for
// those that follow.
func (s *Session) limit(x *call) Outcome {
	l := s.cfg.Limits
	words := strings.Fields(x.arg)
	switch {
	case len(words) == 0:
	case len(words) > 3 || len(words) == 1:
		return x.fail(fmt.Errorf("%%limit wants memory or time and a value: %s", limitUsage))
	default:
		value := strings.Join(words[1:], "") // 2 GB
		switch words[0] {
		case "memory":
			var bytes uint64
			if value != "none" {
				var err error
				if bytes, err = s.cfg.Bytes(value); err != nil {
					return x.fail(err)
				}
			}
			l.SetMemory(bytes)
		case "time":
			var d time.Duration
			if value != "none" {
				var err error
				if d, err = time.ParseDuration(value); err != nil || d <= 0 {
					return x.fail(fmt.Errorf("%q is not a time such as 30s, 1m30s or 500ms", value))
				}
			}
			l.SetTime(d)
		default:
			return x.fail(fmt.Errorf("%%limit does not know %q: %s", words[0], limitUsage))
		}
	}
	fmt.Fprintln(s.cfg.Stdout, l)
	return Outcome{}
}

// completeLimit completes what %limit limits, and none.
func (s *Session) completeLimit(typed string, cursor int) (c Completion, ok bool) {
	rest, ok := strings.CutPrefix(typed, "%limit ")
	if !ok || s.cfg.Limits == nil {
		return c, false
	}
	words := strings.Fields(rest)
	last := ""
	if len(words) > 0 && !strings.HasSuffix(rest, " ") {
		last, words = words[len(words)-1], words[:len(words)-1]
	}
	c.Start, c.End = cursor-len(last), cursor
	var can []string
	switch {
	case len(words) == 0:
		can = []string{"memory", "time"}
	case len(words) == 1 && words[0] == "memory":
		can = []string{"none", "1GB", "4GB"}
	case len(words) == 1 && words[0] == "time":
		can = []string{"none", "30s", "5m"}
	}
	for _, w := range can {
		if strings.HasPrefix(w, last) {
			c.Matches = append(c.Matches, Match{Text: w, Type: "keyword"})
		}
	}
	return c, true
}
