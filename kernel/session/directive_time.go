package session

import (
	"fmt"
	"math"
	"sort"
	"syscall"
	"time"
)

// clock adds up running times.
type clock struct{ wall, user, system time.Duration }

// time adds the time that f takes, also if it panics.
func (c *clock) time(f func()) {
	user, system := cpuTime()
	start := time.Now()
	defer func() {
		c.wall += time.Since(start)
		u, s := cpuTime()
		c.user += u - user
		c.system += s - system
	}()
	f()
}

// cpuTime is what this process has used on all processors.
func cpuTime() (user, system time.Duration) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0, 0
	}
	return time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
}

func (c *clock) String() string {
	return fmt.Sprintf("wall %s, CPU %s (user %s, system %s)", seconds(c.wall.Seconds()), seconds((c.user + c.system).Seconds()),
		seconds(c.user.Seconds()), seconds(c.system.Seconds()))
}

// time is %time: the time that the statement takes to run, without that of compiling it.
func (s *Session) time(x *call) Outcome {
	var c clock
	out := s.part(x.ctx, x.n, x.cell, only(x.whole, x.from, x.to), x.whole, x.opt, c.time)
	if c.wall > 0 {
		fmt.Fprintln(s.cfg.Stdout, &c)
	}
	return out
}

// timeCell is %%time.
func (s *Session) timeCell(x *call) Outcome {
	var c clock
	out := s.runParts(*x, x.inner, &c)
	if c.wall > 0 {
		fmt.Fprintln(s.cfg.Stdout, &c)
	}
	return out
}

const (
	timeitTotal  = time.Second           // about how long %timeit measures
	timeitSample = 20 * time.Millisecond // the least length of a sample
	timeitLeast  = 3                     // samples, however long one takes
)

// timeit is %timeit. A sample is as many loops as take 20 ms (a power of two, found by doubling, which also warms up);
// samples are taken for about a second, three at least. The median and the quartiles of the samples are robust
// against what else the machine does, which mean and standard deviation are not; the least is what a quiet machine
// would show. Variables that the statement declares stay declared.
func (s *Session) timeit(x *call) Outcome {
	var m sampler
	again := func() bool { return x.ctx.Err() == nil }
	out := s.part(x.ctx, x.n, x.cell, only(x.whole, x.from, x.to), x.whole, x.opt, func(f func()) { m.measure(f, again) })
	out.Result = nil // of the last loop
	if out.Err != nil || len(m.perLoop) == 0 {
		return out
	}
	var idle sampler // the same with nothing to do
	if o := s.part(x.ctx, x.n, x.cell, only(x.whole, 0, 0), x.whole, x.opt, func(f func()) {
		for range 11 {
			idle.sample(f, 500, again)
		}
	}); o.Err != nil {
		return o
	}
	fmt.Fprintf(s.cfg.Stdout, "%s; calling it is about %s of that\n", &m, seconds(quantile(idle.perLoop, 0.5)))
	return out
}

type sampler struct {
	loops   int
	perLoop []float64 // seconds per loop of each sample
}

func (m *sampler) measure(f func(), again func() bool) {
	began := time.Now()
	for m.loops = 1; again(); m.loops *= 2 {
		if took := m.sample(f, m.loops, again); took >= timeitSample {
			if took < timeitTotal/timeitLeast { // else it is too dear to throw away
				m.perLoop = m.perLoop[:0]
			} else {
				m.perLoop = m.perLoop[len(m.perLoop)-1:]
			}
			break
		}
	}
	for again() && (len(m.perLoop) < timeitLeast || time.Since(began) < timeitTotal) {
		m.sample(f, m.loops, again)
	}
}

func (m *sampler) sample(f func(), loops int, again func() bool) time.Duration {
	start := time.Now()
	for range loops {
		if f(); !again() {
			break
		}
	}
	took := time.Since(start)
	m.perLoop = append(m.perLoop, took.Seconds()/float64(loops))
	return took
}

func (m *sampler) String() string {
	loops := "1 loop"
	if m.loops != 1 {
		loops = fmt.Sprintf("%d loops", m.loops)
	}
	return fmt.Sprintf("%s per loop: median of %d samples of %s each; quartiles %s and %s, least %s", seconds(quantile(m.perLoop, 0.5)),
		len(m.perLoop), loops, seconds(quantile(m.perLoop, 0.25)), seconds(quantile(m.perLoop, 0.75)), seconds(quantile(m.perLoop, 0)))
}

// quantile is the sample quantile with linear interpolation (definition 7 of Hyndman and Fan 1996, the default of R and
// NumPy). x is sorted.
func quantile(x []float64, p float64) float64 {
	sort.Float64s(x)
	h := p * float64(len(x)-1)
	i := int(math.Floor(h))
	if i+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[i] + (h-float64(i))*(x[i+1]-x[i])
}

// seconds writes a duration with three digits and its unit.
func seconds(x float64) string {
	switch {
	case x <= 0:
		return "0 s"
	case x < 999.5e-9:
		return fmt.Sprintf("%.3g ns", x*1e9)
	case x < 999.5e-6:
		return fmt.Sprintf("%.3g µs", x*1e6)
	case x < 999.5e-3:
		return fmt.Sprintf("%.3g ms", x*1e3)
	case x < 100:
		return fmt.Sprintf("%.3g s", x)
	}
	return time.Duration(math.Round(x) * 1e9).String()
}
